"""Scores as a metric card has them: one JSON object, in which metrics have the names that the command gives them.

One system is one object; several systems are an object of such objects, by name. Each holds the score of each metric,
and for BLEU `brevity_penalty` and `precisions`; then `signature` (an object by metric if there are several), `version`
and `items`, the number of segments. A resampled score is followed by `bleu_mean` and `bleu_ci` (half the width of the
interval). After a test, each score is followed by `bleu_p_value` (which counts ties; null for the baseline) and, if all
pairs were tested, `bleu_cluster`; `baseline` is true or false.
"""

from __future__ import annotations

import re

from bleucli.output.json_text import dump
from bleucli.output.layout import Layout
from bleucli.results import DECIMALS, Results

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# The command calls chrF2 "chrf": without a number, beta is 2
_USUAL_CHRF = re.compile(r"^chrf2(?=\+*$)")


def render(results: Results, layout: Layout) -> str:
    """Return the object of one system, or of all of them by name, with the layout's decimals."""
    cards = {system.name: _card(results, index, layout) for index, system in enumerate(results.systems)}
    is_one = results.matrix is None and len(results.systems) + len(results.unscored) == 1
    return _render_object(cards[results.systems[0].name] if is_one else cards) + "\n"


def _card(results: Results, index: int, layout: Layout) -> dict[str, object]:
    system = results.systems[index]
    scores = system.scores
    clusters = {ranking.name: ranking.clusters[index] for ranking in results.rankings}
    card: dict[str, object] = {} if results.test is None else {"baseline": index == 0}
    for record in scores:
        key = _key(record.name)
        card[key] = _round(record.score, layout.width)
        if record.interval is not None:
            mean, half_width = record.interval
            card |= {f"{key}_mean": _round(mean, layout.width), f"{key}_ci": _round(half_width, layout.width)}
        if results.test is not None:
            card[f"{key}_p_value"] = record.p_value
        if layout.difference:
            bounds = zip(("", "_low", "_high"), record.difference or (None,) * 3, strict=True)
            card |= {
                f"{key}_difference{name}": None if one is None else _round(one, layout.width) for name, one in bounds
            }
        if record.name in clusters:
            card[f"{key}_cluster"] = clusters[record.name]
        figures = record.figures
        if figures.brevity_penalty is not None:  # a factor, whatever the scale
            card["brevity_penalty"] = _round(figures.brevity_penalty, max(layout.width, DECIMALS[1]))
        if figures.precisions is not None:
            card["precisions"] = [_round(precision, layout.width) for precision in figures.precisions]
        card |= {name: None if share is None else float(layout.share(share)) for name, share in record.shares}
    signatures = {_key(record.name): record.signature.format() for record in scores}
    return card | {
        "signature": signatures if len(signatures) > 1 else signatures[_key(scores[0].name)],
        "version": scores[0].signature.info.get("version"),
        "items": results.segments if system.segments is None else system.segments,
    }


def _key(name: str) -> str:
    """Return what the command calls a score.

    >>> _key("BLEU"), _key("chrF2++"), _key("chrF3")
    ('bleu', 'chrf++', 'chrf3')
    """
    return _USUAL_CHRF.sub("chrf", name.lower())


def _round(number: float, decimals: int) -> float:
    return float(f"{number:z.{decimals}f}")


def _render_object(values: Mapping[str, object], depth: int = 1) -> str:
    """Return an object with one line for each key; lists stay in one line.

    >>> print(_render_object({"bleu": 0.42, "precisions": [0.7, 0.5]}))
    {
     "bleu": 0.42,
     "precisions": [0.7, 0.5]
    }
    """
    lines = [
        f"{' ' * depth}{dump(key)}: {_render_object(value, depth + 1) if isinstance(value, dict) else dump(value)}"
        for key, value in values.items()
    ]
    return "{\n" + ",\n".join(lines) + f"\n{' ' * (depth - 1)}}}"
