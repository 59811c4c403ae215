"""Scores as JSON: in sacreBLEU's layout, as metric cards, and in lines that hold everything.

In sacreBLEU's layout, several systems are an array of objects, each with `"system"` and one object per metric, which
has the keys of a single system's object. After a test, numbers are not rounded, and other keys replace those that begin
with `confidence`: `p_value` (sacreBLEU's, which leaves out ties; null for the baseline), `mean` and `ci` (null without
resamples), and `difference` if the layout asks for it. If all pairs were tested, no system is marked as the baseline,
and `rank` (the `first` and the `last` that the tests allow), `cluster` (1 is the best) and `p_values` follow.
`p_values` has an object for each other system, by name: `p` is the p-value that counts ties, `corrected` the same,
corrected for the number of pairs.

A matrix has one object per language pair and system, with a key `pair`, then one object per system for its averages,
whose `pair` is `average`.

Scores from 0 to 1 have the key `scale`, with the value 1, so that they can be compared with others later.

A card gives metrics the names that the command gives them. One system is one object; several systems are an object of
such objects, by name. Each holds the score of each metric, and for BLEU `brevity_penalty` and `precisions`; then
`signature` (an object by metric if there are several), `version` and `items`, the number of segments. A resampled score
is followed by `bleu_mean` and `bleu_ci` (half the width of the interval). After a test, each score is followed by
`bleu_p_value` (which counts ties; null for the baseline), and `baseline` is true or false. If all pairs were tested,
there is no `baseline`, but `bleu_rank_first`, `bleu_rank_last` and `bleu_cluster`.

A line of JSON Lines (`render_lines`) has everything that is known about a score, always in the same shape: an object
with the same keys, whose value is null where there is nothing to say. Numbers are exact: a program that reads them as
doubles gets the numbers that were computed. `schema` returns the JSON Schema of a line, a file next to this module.

Control characters are escaped: a program that reads the JSON gets the name unchanged, but a terminal never acts on it.
"""

from __future__ import annotations

import os
from math import isfinite

from bleucli.output.layout import Layout, marked_names, rescale_record
from bleucli.results import BY_ORDER, DECIMALS, EDIT_KINDS, SHAPE, Results, ScoreRecord, run_item, score_item
from bleucli.results.segments import SegmentScores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Mapping, Sequence
    from typing import Any

    from bleucli.kernels.python_rows import Piece

_SCHEMA = "scores.schema.json"
# The command calls chrF2 "chrf": without a number, beta is 2
_USUAL_CHRF = r"^chrf2(?=\+*$)"


def render_one(results: Results, layout: Layout) -> str:
    """Return an object for one score of one system, an array of objects for several.

    With `layout.score_only`, return numbers, or strings such as `"54.6 (μ = 53.9 ± 39.0)"` if there are intervals.
    """
    (system,) = results.systems
    if layout.score_only:
        items = [_render_alone(record, layout) for record in system.scores]
    else:
        items = [dump(score_object(record, layout), 1) for record in system.scores]
    return f"{items[0]}\n" if len(items) == 1 else "[\n" + ",\n".join(items) + "\n]\n"


def render(results: Results, layout: Layout) -> str:
    """Return an array with one object per system: its name, and the object of each score under the metric's name."""
    systems: list[dict[str, object]] = []
    if results.pairs:  # the labels have keys of their own
        results = results._replace(systems=[one._replace(name=one.bare_name) for one in results.systems])
    for group in results.groups():
        names = marked_names(group)
        for index, system in enumerate(group.systems):
            item: dict[str, object] = {"system": names[index]}
            if results.pairs:
                item |= dict(system.labels)
            for place, record in enumerate(system.scores):
                tested = None if results.test is None else _test_keys(group, names, index, place, layout)
                item[record.name] = score_object(record, layout, tested)
            systems.append(item)
    return dump(systems, 4) + "\n"


# The parts of the columns that these objects have
_TESTED = ("test", "interval")


def _test_keys(results: Results, names: list[str], index: int, place: int, layout: Layout) -> dict[str, object]:
    from bleucli.output.cells import cells

    record = results.systems[index].scores[place]
    numbers = {one.name: number for one, number in cells(results, index, place, layout) if one.part in _TESTED}
    keys: dict[str, object] = {"p_value": numbers.pop("p_value"), **numbers}
    if layout.difference:
        keys["difference"] = record.difference and record.difference._asdict()
    if results.rankings:
        ranking = results.rankings[place]
        rows = zip(names, ranking.p_values[index], ranking.corrected[index], strict=True)
        p_values = {name: {"p": p, "corrected": corrected} for name, p, corrected in rows if p is not None}
        ranks = dict(zip(("first", "last"), ranking.ranks[index], strict=True))
        keys |= {"rank": ranks, "cluster": ranking.clusters[index], "p_values": p_values}
    return keys


def score_lines(scores: SegmentScores, layout: Layout) -> str:
    """Return the line of each segment: one compact object."""
    records = (rescale_record(record, layout.scale) for record in scores.records())
    if layout.score_only:
        return "".join(f"{_render_alone(record, layout)}\n" for record in records)
    return "".join(f"{dump(score_object(record, layout))}\n" for record in records)


def score_object(record: ScoreRecord, layout: Layout, tested: Mapping[str, object] | None = None) -> dict[str, object]:
    """Return the keys of one score, including its signature, as a whole and key by key.

    tested: the keys of a test, which replace those of the interval. Without a test, numbers are rounded as the layout
    says.
    """
    scale, layout = layout.scale, layout.of(record)
    more = tested or {}
    if tested is None and record.interval is not None:
        mean, half_width = map(layout.figure, record.interval)
        more = {
            "confidence_mean": float(mean),
            "confidence_var": float(half_width),
            "confidence": f"μ = {mean} ± {half_width}",
        }
    item: dict[str, object] = {
        "name": record.name,
        "score": _round(record.score, layout) if tested is None else record.score,
        **({} if scale == 100 or record.scale is not None else {"scale": scale}),
        "signature": record.signature.format(),
        **more,
    }
    if record.verbose:
        item["verbose_score"] = record.verbose
    item |= {name: None if share is None else float(layout.share(share)) for name, share in record.shares}
    if record.figures.hits is not None:
        figures = record.figures._asdict()
        names = (*EDIT_KINDS, "edits", "reference_length")
        item |= {name: figures[name] for name in names if figures[name] is not None}
    item |= dict(record.signature)
    if record.details:
        item["details"] = [
            {
                "origlang": one.origlang,
                one.kind: one.value,
                "sentences": one.segments,
                "score": _round(one.score, layout),
            }
            for one in record.details
        ]
    return item


def _round(number: float, layout: Layout) -> float:
    return float(layout.figure(number))


def _render_alone(record: ScoreRecord, layout: Layout) -> str:
    if record.interval is None:
        return layout.of(record).figure(record.score)
    from bleucli.output.text import score_and_interval

    return dump(score_and_interval(record, layout._replace(colour=False)))


def dump(value: object, indent: int | None = None, more: str = "") -> str:
    """Return JSON in which only invisible characters are escaped.

    indent: spaces per level; None for a single line. more: other characters to escape.
    """
    text = _format(value, indent)
    if text.replace("\n", "").isprintable():
        return text
    import json
    import re

    from bleucli.prose.markup import UNSEEN

    return re.sub(f"[{UNSEEN}{more}]", lambda match: json.dumps(match[0])[1:-1], text)


def _format(value: object, indent: int | None, depth: int = 0) -> str:
    """Return JSON as `json.dumps` does, which is asked only where that is hard: importing it takes time.

    depth: the number of levels around the value.

    >>> print(_format({"name": "BLEU", "precisions": [50.0, None]}, 1))
    {
     "name": "BLEU",
     "precisions": [
      50.0,
      null
     ]
    }
    """
    kind = type(value)
    if isinstance(value, str) and value.isprintable() and '"' not in value and "\\" not in value:
        return f'"{value}"'
    if kind is int or (isinstance(value, float) and kind is float and isfinite(value)):
        return repr(value)
    if value is None or kind is bool:
        return "null" if value is None else "true" if value else "false"
    if indent is None or not value or not isinstance(value, dict | list | tuple):
        import json

        return json.dumps(value, indent=indent, ensure_ascii=False)
    start, end = "\n" + " " * (indent * (depth + 1)), "\n" + " " * (indent * depth)
    if isinstance(value, dict):
        keys = (_format(key if isinstance(key, str) else _format(key, None), None) for key in value)
        items = [f"{key}: {_format(item, indent, depth + 1)}" for key, item in zip(keys, value.values(), strict=True)]
        return "{" + start + f",{start}".join(items) + end + "}"
    return "[" + start + f",{start}".join([_format(item, indent, depth + 1) for item in value]) + end + "]"


# --- cards


def render_card(results: Results, layout: Layout) -> str:
    """Return the object of one system, or of all of them by name, with the layout's decimals."""
    cards = {group.systems[index].name: _card(group, index, layout) for group, index in results.places()}
    is_one = not results.pairs and len(results.systems) + len(results.unscored) == 1
    return _render_object(cards[results.systems[0].name] if is_one else cards) + "\n"


def _card(results: Results, index: int, layout: Layout) -> dict[str, object]:
    from bleucli.output.cells import cells

    system = results.systems[index]
    scores = system.scores
    card: dict[str, object] = {"baseline": index == 0} if results.has_baseline() else {}
    whole = layout
    for place, record in enumerate(scores):
        layout = whole.of(record)
        for column, number in cells(results, index, place, layout):
            # Cards of one answer have the same keys: those of a test are null for the baseline
            is_needed = column.part == "difference" or (column.part == "test" and results.test is not None)
            if number is not None or is_needed:
                key = f"{_key(record.name)} {column.name}".rstrip().replace(" ", "_")
                card[key] = number if number is None or column.is_exact else _round(number, layout)
        figures = record.figures
        if figures.brevity_penalty is not None:  # a factor, whatever the scale
            precise = layout._replace(width=max(layout.width, DECIMALS[1]))
            card["brevity_penalty"] = _round(figures.brevity_penalty, precise)
        if figures.precisions is not None:
            card["precisions"] = [_round(precision, layout) for precision in figures.precisions]
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
    import re

    return re.sub(_USUAL_CHRF, "chrf", name.lower())


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


# --- lines


def render_lines(results: Results, _layout: Layout) -> str:
    """Return a line for each system and metric, in the order of the systems; no layout changes it."""
    lines = []
    for row, (group, index) in enumerate(results.places()):
        run = run_item(results.run, row, results.test)
        places = range(len(group.systems[index].scores))
        lines += [f"{dump_line(group.score_item(index, place) | run)}\n" for place in places]
    return "".join(lines)


def segment_pieces(scores: SegmentScores, places: array[int], system: str) -> list[Piece]:
    """Return each segment's object without its last brace, as `kernels.render_rows` takes it.

    places: the numbers of the segments in the text, from 1.
    """
    columns: dict[str, Sequence[Sequence[float]]] = {"score": [scores.scores], "segment": [memoryview(places)]}
    columns |= {name: part if name in BY_ORDER else [part] for name, part in scores.figures.items()}
    signatures = {nrefs: dump_line(dict(signature)).encode() for nrefs, signature in scores.signatures.items()}
    pieces: list[Piece] = []
    text = "{"
    for key, value in (score_item(system, scores.record(0), 1) | {"segment": places[0]}).items():
        text += f'{", " if pieces or text != "{" else ""}"{key}": '
        if key == "signature":
            pieces += [text.encode(), [signatures[nrefs] for nrefs in scores.nrefs]]
            text = ""
        elif key in columns:
            text += "[" if key in BY_ORDER else ""
            for number, column in enumerate(columns[key]):
                pieces.append(f"{text}{', ' if number else ''}".encode())
                if isinstance(column, memoryview):
                    pieces.append((column, -1))
                else:
                    pieces.append([dump_line(number).encode() for number in column])
                text = ""
            text = "]" if key in BY_ORDER else ""
        else:
            text += dump_line(value)
    return [*pieces, text.encode()]


def is_ours(line: bytes) -> bool:
    """Return whether a line says that it has our shape.

    >>> is_ours(b'{"schema": "bleucli/scores-1", "system": "sys"}'), is_ours(b'{"text": "a line"}')
    (True, False)
    """
    import json

    try:
        item = json.loads(line)
    except (RecursionError, ValueError):
        return False
    return isinstance(item, dict) and item.get("schema") == SHAPE


def schema() -> Any:
    """Return the JSON Schema that every line follows."""
    import json

    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), _SCHEMA), encoding="utf-8") as file:
        return json.load(file)


def dump_line(value: object) -> str:
    """Return JSON in a line; as for `dump`, but bytes of names that are not UTF-8 are escaped, too."""
    return dump(value, more="\ud800-\udfff")
