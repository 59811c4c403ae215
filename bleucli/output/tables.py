"""Several systems side by side: as sacreBLEU prints them with `-f text`, or in fewer columns."""

from __future__ import annotations

from collections.abc import Iterator

from bleucli.output import explanation
from bleucli.output.grids import Grid, Markup, grids, tabulate
from bleucli.output.layout import Layout, marked_names
from bleucli.output.lines import details
from bleucli.prose.markup import visible
from bleucli.results import Results

# Output of sacreBLEU 2.6.0 on a terminal
_COLOURS = {"header": "cyan", "baseline": "yellow", "insignificant": "red"}


def render(results: Results, layout: Layout) -> str:
    """Return a table with a row for each system and a column for each metric, then the test and the signatures.

    With colour, the baseline is yellow, headers are cyan, p-values above 0.05 are red, and the best scores are bold if
    the layout says so. Without colour, nothing is bold.
    """
    is_full = layout.style == "full"
    markup = Markup(str, str, "\n", arrows=not is_full)
    if layout.colour:
        from bleucli.output.colours import bold, paint

        def paint_role(role: str, text: str) -> str:
            return paint(_COLOURS[role], text) if role else text

        markup = markup._replace(bold=bold, paint=paint_role)
    layout = layout._replace(bold_best=layout.bold_best and layout.colour)
    look = "fancy_grid" if is_full else "simple"
    parts_of_results = grids(results, layout, markup)
    if results.matrix is not None and layout.columns is not None:
        parts_of_results = [part for grid in parts_of_results for part in _break(grid, look, layout.columns)]
    parts = [f"{grid.title}\n{tabulate(grid, look)}".removeprefix("\n") for grid in parts_of_results]
    parts += explanation.sections(results, layout) if is_full else [_list_notes(results, layout)]
    text = "\n\n".join(parts) + "\n"
    if results.systems[0].scores[0].details:
        rows = zip(marked_names(results), results.systems, strict=True)
        text += "".join(f"\n{visible(name)}\n{details(system, layout)}" for name, system in rows)
    return text


def _break(grid: Grid, look: str, width: int) -> Iterator[Grid]:
    """Give the table in parts that fit into this width, each with the first column and at least one other."""
    start, end = 1, 2
    while end < len(grid.header):
        if _is_wider(_part(grid, start, end + 1), look, width):
            yield _part(grid, start, end)
            start = end
        end += 1
    yield _part(grid, start, end)


def _part(grid: Grid, start: int, end: int) -> Grid:
    rows = [[row[0], *row[start:end]] for row in grid.rows]
    return grid._replace(header=[grid.header[0], *grid.header[start:end]], rows=rows)


def _is_wider(grid: Grid, look: str, width: int) -> bool:
    """Return whether a table is too wide, by its rules, which have neither colour codes nor wide characters."""
    return any(len(line) > width for line in tabulate(grid, look).splitlines() if line.startswith(("╒", "-")))


def _list_notes(results: Results, layout: Layout) -> str:
    lines = explanation.wrap("- ", explanation.brief(results, layout))
    return "\n".join(
        [*lines, *(f"- {name}: {signature}" for name, signature in explanation.signatures(results, layout))]
    )
