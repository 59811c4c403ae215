"""Scores as text: a line for each, as sacreBLEU prints them with `-f text`, and systems side by side."""

from __future__ import annotations

from bleucli.output.layout import Layout, marked_names, rescale_record
from bleucli.prose.markup import visible
from bleucli.results import Results, ScoreRecord, SystemResult
from bleucli.results.segments import SegmentScores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from bleucli.output.grids import Grid

# Output of sacreBLEU 2.6.0 on a terminal
_COLOURS = {"header": "cyan", "baseline": "yellow", "insignificant": "red"}

# --- lines


def render_one(results: Results, layout: Layout) -> str:
    """Return one line per metric for a single system, aligned at ` = `."""
    (system,) = results.systems
    widest = max(len(_label(record, layout)) for record in system.scores)
    return "".join(score_line(record, layout, widest) for record in system.scores) + _details(system, layout)


def score_line(record: ScoreRecord, layout: Layout, width: int = 0) -> str:
    """Return the line of one score; width: of what comes before the score."""
    score = score_and_interval(record, layout)
    if layout.score_only:
        return f"{score}\n"
    return f"{_label(record, layout):>{width}} = {f'{score} {record.verbose}'.rstrip()}\n"


def score_lines(scores: SegmentScores, layout: Layout) -> bytes:
    """Return the line of each segment."""
    if layout.scale != 100 or scores.scale is not None or any(isinstance(piece, list) for piece in scores.verbose):
        # Scores of other metrics may be below 0, and lines shorter
        records = (rescale_record(record, layout.scale) for record in scores.records())
        return _encode("".join([score_line(record, layout) for record in records]))
    from array import array

    from bleucli import kernels

    numbers = scores.scores if isinstance(scores.scores, memoryview) else array("d", scores.scores)
    if layout.score_only:
        return kernels.render_rows([(numbers, layout.width), b"\n"])
    labels = {n: _encode(f"{scores.name}|{sign.format(layout.short)} = ") for n, sign in scores.signatures.items()}
    label: Any = [labels[n] for n in scores.nrefs] if len(labels) > 1 else labels[scores.nrefs[0]]
    rest: list[Any] = [_encode(piece) if isinstance(piece, str) else piece for piece in scores.verbose]
    return kernels.render_rows([label, (numbers, layout.width), b" " if rest else b"", *rest, b"\n"])


def _encode(text: str) -> bytes:
    """Return UTF-8 in which names of files that are not UTF-8 are as they were."""
    return text.encode("utf-8", "surrogateescape")


def _label(record: ScoreRecord, layout: Layout) -> str:
    return f"{record.name}|{record.signature.format(layout.short)}"


def score_and_interval(record: ScoreRecord, layout: Layout) -> str:
    """Return `54.6`, or `54.6 (μ = 53.9 ± 39.0)` where there is an interval."""
    layout = layout.of(record)
    score = layout.figure(record.score)
    if record.interval is None:
        return score
    mean, half_width = map(layout.figure, record.interval)
    interval = f"(μ = {mean} ± {half_width})"
    if layout.colour:
        from bleucli.prose.theme import paint

        interval = paint("cyan", interval)
    return f"{score} {interval}"


def _details(system: SystemResult, layout: Layout) -> str:
    """Return one line for each part of the test set and metric, as sacreBLEU does; nothing if there are no parts."""
    labels = [visible(f"origlang={part.origlang} {part.kind}={part.value}") for part in system.scores[0].details]
    widest_label = max(map(len, labels), default=0)
    widest_name = max(len(record.name) for record in system.scores)
    lines = []
    for number, label in enumerate(labels):
        for record in system.scores:
            part = record.details[number]
            score = f"{record.name:<{widest_name}} = {layout.of(record).figure(part.score)}"
            lines.append(f"{label:<{widest_label}} : sentences={part.segments:<6} {score}\n")
    return "".join(lines)


# --- tables


def render(results: Results, layout: Layout) -> str:
    """Return a table with a row for each system and a column for each metric, then the test and the signatures.

    In full style, it is that of sacreBLEU. With colour, the baseline is yellow, headers are cyan, p-values above 0.05
    are red, and the best scores are bold if the layout says so. Without colour, nothing is bold.
    """
    from bleucli.output import notes
    from bleucli.output.grids import Markup, grids

    is_full = layout.style == "full"
    markup = Markup(str, str, "\n", arrows=not is_full)
    if layout.colour:
        from bleucli.prose.theme import bold, paint

        def paint_role(role: str, text: str) -> str:
            return paint(_COLOURS[role], text) if role else text

        markup = markup._replace(bold=bold, paint=paint_role)
    layout = layout._replace(bold_best=layout.bold_best and layout.colour)
    draw = _draw_frames if is_full else _draw_simply
    tables = grids(results, layout, markup)
    if results.pairs and layout.columns is not None:
        tables = [part for grid in tables for part in _break(grid, draw, layout.columns)]
    blocks = [f"{grid.title}\n{draw(grid)}".removeprefix("\n") for grid in tables]
    if is_full:
        blocks += notes.sections(results, layout)
    else:
        signatures = [f"- {name}: {signature}" for name, signature in notes.signatures(results, layout)]
        blocks.append("\n".join([*notes.wrap("- ", notes.brief(results, layout)), *signatures]))
    text = "\n\n".join(blocks) + "\n"
    if results.systems[0].scores[0].details:
        rows = zip(marked_names(results), results.systems, strict=True)
        text += "".join(f"\n{visible(name)}\n{_details(system, layout)}" for name, system in rows)
    return text


def _draw_frames(grid: Grid) -> str:
    """Return a table with a frame around each cell, as sacreBLEU prints it."""
    from bleucli.output.grids import pad, width

    rows = pad(grid)
    header, *others = ["\n".join(f"│ {' │ '.join(line)} │" for line in row) for row in rows]

    def rule(ends: str, dash: str) -> str:
        return ends[0] + ends[1].join([dash * (width(cell) + 2) for cell in rows[0][0]]) + ends[2]

    rows_and_rules = f"\n{rule('├┼┤', '─')}\n".join(others)
    return "\n".join([rule("╒╤╕", "═"), header, rule("╞╪╡", "═"), rows_and_rules, rule("╘╧╛", "═")])


def _draw_simply(grid: Grid) -> str:
    """Return a table with one rule, below the header."""
    from bleucli.output.grids import pad, width

    rows = pad(grid)
    header, *others = ["  ".join(line).rstrip() for row in rows for line in row]
    return "\n".join([header, "  ".join("-" * width(cell) for cell in rows[0][0]), *others])


def _break(grid: Grid, draw: Callable[[Grid], str], width: int) -> Iterator[Grid]:
    """Give the table in parts that fit into this width, each with the first column and at least one other."""
    start = 1
    for end in range(3, len(grid.header) + 1):
        # The rules show the width: they have neither colour codes nor wide characters
        rules = [line for line in draw(grid.take(range(start, end))).splitlines() if line.startswith(("╒", "-"))]
        if any(len(rule) > width for rule in rules):
            yield grid.take(range(start, end - 1))
            start = end - 1
    yield grid.take(range(start, len(grid.header)))
