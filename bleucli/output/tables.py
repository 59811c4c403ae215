"""Several systems side by side, as sacreBLEU prints them with `-f text`."""

from bleucli.markup import visible
from bleucli.output import Layout, explanation
from bleucli.output.grids import Grid, Markup, grids, tabulated, unpainted
from bleucli.output.text import details
from bleucli.results import Results

# Output of sacreBLEU 2.6.0 on a terminal; the bold is ours
_CODES = {"cyan": "\x1b[36m", "yellow": "\x1b[33m", "red": "\x1b[31m", "green": "\x1b[32m", "reset": "\x1b[0m"}
_ROLES = {"header": "cyan", "baseline": "yellow", "insignificant": "red"}
_BOLD, _NOT_BOLD = "\x1b[1m", "\x1b[22m"


def render(results: Results, layout: Layout) -> str:
    """Return a table with a row a system and a column a metric, and under it the test and the signatures.

    With colour the baseline is yellow, headers are cyan, p-values above 0.05 red; only then the best may be bold.
    """
    markup = _COLOURED if layout.colour else _PLAIN
    layout = layout._replace(bold_best=layout.bold_best and layout.colour)
    tables = [_table(grid) for grid in grids(results, layout, markup)]
    colours = _CODES if layout.colour else None
    return "\n\n".join([*tables, *explanation.sections(results, layout, colours)]) + "\n" + _details(results, layout)


def _details(results: Results, layout: Layout) -> str:
    """Return the scores of parts of the test set, system by system, if there are any."""
    if not results.systems[0].scores[0].details:
        return ""
    return "".join(f"\n{visible(system.name)}\n{details(system, layout)}" for system in results.systems)


def _table(grid: Grid) -> str:
    table = tabulated(grid, "fancy_grid")
    return f"{grid.title}\n{table}" if grid.title else table


def _unchanged(text: str) -> str:
    return text


def _bold(text: str) -> str:
    return f"{_BOLD}{text}{_NOT_BOLD}"


def _paint(role: str, text: str) -> str:
    return f"{_CODES[_ROLES[role]]}{text}{_CODES['reset']}" if role else text


_PLAIN = Markup(_unchanged, _unchanged, unpainted, "\n")
_COLOURED = Markup(_unchanged, _bold, _paint, "\n")
