"""Renderers: each a function from finished results to text.

- `Layout`: how scores are printed
- `FORMATS`, `render`: a format by name, with the modules that it takes and no others
- `text`, `json_text`: one score a line or an object; `tables`: several systems as text
- `latex`, `markdown`, `html_text`, `rst`, `csv_text`: tables for elsewhere
- `colours`: those of a terminal
- `grids`, `explanation`: what stands in a table and under it, whatever its format
"""

from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.results import Results


class Layout(NamedTuple):
    """How a score is printed.

    width: decimals. short: signatures with short keys. score_only: the number alone. colour: for a terminal.
    bold_best: the best of each column in bold, in formats that have it; text only with colour.
    """

    width: int = 1
    short: bool = False
    score_only: bool = False
    colour: bool = False
    bold_best: bool = False


# The formats that are tables for one system as well, each with the module and the function that renders it
_TABLES = {
    "latex": ("latex", "render"),
    "markdown": ("markdown", "render"),
    "html": ("html_text", "render"),
    "rst": ("rst", "render"),
    "csv": ("csv_text", "render"),
    "tsv": ("csv_text", "render_tabs"),
}
FORMATS = ("json", "text", *_TABLES)

_WITH_BOLD = ("latex", "markdown", "html", "rst")


def shows_bold(name: str, colour: bool) -> bool:
    """Return whether a format has bold type; text has it on a terminal with colours."""
    return name in _WITH_BOLD or (name == "text" and colour)


def render(results: "Results", layout: Layout, name: str = "json") -> str:
    """Render in one of `FORMATS`.

    `layout.score_only` holds for one system alone, as in sacreBLEU; then json lists several metrics' numbers, and all
    other formats, as json of one metric, print them a line each.
    """
    if len(results.systems) == 1 and layout.score_only and (name != "json" or len(results.systems[0].scores) == 1):
        name = "text"
    if name == "json":
        from bleucli.output import json_text

        return (json_text.render if len(results.systems) == 1 else json_text.render_systems)(results, layout)
    if name == "text" and len(results.systems) == 1:
        from bleucli.output import text

        return text.render(results, layout)
    if name == "text":
        from bleucli.output import tables

        return tables.render(results, layout)
    from importlib import import_module

    module, function = _TABLES[name]
    return str(getattr(import_module(f"bleucli.output.{module}"), function)(results, layout))
