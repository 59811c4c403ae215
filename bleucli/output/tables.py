"""Several systems side by side, as sacreBLEU prints them with `-f text`."""

from bleucli.markup import visible
from bleucli.output import explanation
from bleucli.output.grids import Grid, Markup, grids, tabulate
from bleucli.output.layout import Layout
from bleucli.output.lines import details
from bleucli.results import Results

# Output of sacreBLEU 2.6.0 on a terminal
_COLOURS = {"header": "cyan", "baseline": "yellow", "insignificant": "red"}


def render(results: Results, layout: Layout) -> str:
    """Return a table with a row a system and a column a metric, and under it the test and the signatures.

    With colour the baseline is yellow, headers are cyan, p-values above 0.05 red; only then the best may be bold.
    """
    markup, codes = _colour_markup() if layout.colour else (_PLAIN, None)
    layout = layout._replace(bold_best=layout.bold_best and layout.colour)
    tables = [_render_grid(grid) for grid in grids(results, layout, markup)]
    return "\n\n".join([*tables, *explanation.sections(results, layout, codes)]) + "\n" + _details(results, layout)


def _details(results: Results, layout: Layout) -> str:
    """Return the scores of parts of the test set, system by system, if there are any."""
    if not results.systems[0].scores[0].details:
        return ""
    return "".join(f"\n{visible(system.name)}\n{details(system, layout)}" for system in results.systems)


def _render_grid(grid: Grid) -> str:
    table = tabulate(grid, "fancy_grid")
    return f"{grid.title}\n{table}" if grid.title else table


def _leave_unchanged(text: str) -> str:
    return text


_PLAIN = Markup(_leave_unchanged, _leave_unchanged, "\n")


def _colour_markup() -> tuple[Markup, dict[str, str]]:
    """Return how cells are coloured, and the codes for the text under the table."""
    from bleucli.output.colours import CODES, bold, paint

    def paint_role(role: str, text: str) -> str:
        return paint(_COLOURS[role], text) if role else text

    return Markup(_leave_unchanged, bold, "\n", paint_role), CODES
