"""Scores as JSON, in sacreBLEU's layout.

Several systems are an array of objects, each with `"system"` and one object per metric, which has the keys of a single
system's object. After a test, numbers are not rounded, and other keys replace those that begin with `confidence`:
`p_value` (sacreBLEU's, which leaves out ties; null for the baseline), `mean` and `ci` (null without resamples), and
`difference` if the layout asks for it. If all pairs were tested, `cluster` (1 is the best) and `p_values` follow.
`p_values` has an object for each other system, by name: `p` is the p-value that counts ties, `corrected` the same,
corrected for the number of pairs.

A matrix has one object per language pair and system, with a key `pair`, then one object per system for its averages,
whose `pair` is `average`.

Scores from 0 to 1 have the key `scale`, with the value 1, so that they can be compared with others later.

Control characters are escaped: a program that reads the JSON gets the name unchanged, but a terminal never acts on it.
"""

from __future__ import annotations

import json
import re

from bleucli.output.layout import Layout, marked_names
from bleucli.results import Ranking, Results, ScoreRecord, bare_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def render(results: Results, layout: Layout) -> str:
    """Return an object for one score of one system, an array of objects for several.

    With `layout.score_only`, return numbers, or strings such as `"54.6 (μ = 53.9 ± 39.0)"` if there are intervals.
    """
    (system,) = results.systems
    if layout.score_only:
        items = [_render_alone(record, layout) for record in system.scores]
    else:
        items = [dump(score_object(record, layout), 1) for record in system.scores]
    return f"{items[0]}\n" if len(items) == 1 else "[\n" + ",\n".join(items) + "\n]\n"


def render_systems(results: Results, layout: Layout) -> str:
    """Return an array with one object per system: its name, and the object of each score under the metric's name."""
    names = marked_names(results)
    rankings = {ranking.name: ranking for ranking in results.rankings}
    systems: list[dict[str, object]] = []
    for index, system in enumerate(results.systems):
        item: dict[str, object] = {"system": names[index]}
        if results.matrix is not None:
            item = {"system": bare_name(system), **dict(system.labels)}
        for record in system.scores:
            test_keys: dict[str, object] | None = None
            if results.test is not None:
                mean, half_width = record.interval or (None, None)
                test_keys = {"p_value": record.p_value, "mean": mean, "ci": half_width}
                if layout.difference:
                    test_keys["difference"] = record.difference and record.difference._asdict()
                test_keys |= _ranking_keys(rankings.get(record.name), names, index)
            item[record.name] = score_object(record, layout, test_keys)
        systems.append(item)
    return dump(systems, 4) + "\n"


def render_data(value: object) -> str:
    """Return dictionaries, lists, numbers and strings as JSON."""
    return dump(value, 1) + "\n"


def score_line(record: ScoreRecord, layout: Layout) -> str:
    """Return one compact object in a line (JSON Lines)."""
    if layout.score_only:
        return f"{_render_alone(record, layout)}\n"
    return dump(score_object(record, layout)) + "\n"


def score_object(record: ScoreRecord, layout: Layout, tested: Mapping[str, object] | None = None) -> dict[str, object]:
    """Return the keys of one score, including its signature, as a whole and key by key.

    tested: the keys of a test, which replace those of the interval. Without a test, numbers are rounded as the layout
    says.
    """
    item: dict[str, object] = {
        "name": record.name,
        "score": _round(record.score, layout) if tested is None else record.score,
        **({} if layout.scale == 100 else {"scale": layout.scale}),
        "signature": record.signature.format(),
        **(_interval_keys(record, layout) if tested is None else tested),
    }
    if record.verbose:
        item["verbose_score"] = record.verbose
    item |= {name: None if share is None else float(layout.share(share)) for name, share in record.shares}
    item |= dict(record.signature)
    if record.details:
        item["details"] = [
            {
                "origlang": detail.origlang,
                detail.kind: detail.value,
                "sentences": detail.segments,
                "score": _round(detail.score, layout),
            }
            for detail in record.details
        ]
    return item


def _interval_keys(record: ScoreRecord, layout: Layout) -> dict[str, object]:
    if record.interval is None:
        return {}
    mean, half_width = record.interval
    return {
        "confidence_mean": _round(mean, layout),
        "confidence_var": _round(half_width, layout),
        "confidence": f"μ = {layout.figure(mean)} ± {layout.figure(half_width)}",
    }


def _ranking_keys(ranking: Ranking | None, names: list[str], index: int) -> dict[str, object]:
    if ranking is None:
        return {}
    pairs = zip(names, ranking.p_values[index], ranking.corrected[index], strict=True)
    p_values = {name: {"p": p, "corrected": corrected} for name, p, corrected in pairs if p is not None}
    return {"cluster": ranking.clusters[index], "p_values": p_values}


def _round(number: float, layout: Layout) -> float:
    return float(layout.figure(number))


def _render_alone(record: ScoreRecord, layout: Layout) -> str:
    if record.interval is None:
        return layout.figure(record.score)
    from bleucli.output.lines import score_and_interval

    return dump(score_and_interval(record, layout._replace(colour=False)))


def dump(value: object, indent: int | None = None) -> str:
    """Return JSON in which only invisible characters are escaped; indent: spaces per level, None for a single line."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    if text.replace("\n", "").isprintable():
        return text
    from bleucli.prose.markup import UNSEEN

    return re.sub(f"[{UNSEEN}]", lambda match: json.dumps(match[0])[1:-1], text)
