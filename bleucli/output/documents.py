"""Tables in documents: Markdown, HTML and reStructuredText.

Each is a table with one row per system and one column per metric, then one per ranking, then a list that explains the
figures and gives the signatures. The best scores are bold, if the layout says so. `escape_markdown` and its sisters
return plain text as text of the format.
"""

from __future__ import annotations

import html
import re

from bleucli.output import notes
from bleucli.output.grids import Grid, Markup, grids, pad, width
from bleucli.output.layout import Layout
from bleucli.prose.markup import visible
from bleucli.results import Results

# --- Markdown

# What has a special meaning within a line (GitHub Flavored Markdown 0.29; $ is GitHub's mathematics)
_SPECIAL_IN_MARKDOWN = re.compile(r"[\\`*_\[\]<>|~&$]")


def render_markdown(results: Results, layout: Layout) -> str:
    """Return tables in Markdown, as GitHub reads it, and the list."""
    blocks = [*markdown_tables(results, layout), notes.as_list(results, layout, escape_markdown, "`")]
    return "\n\n".join(blocks) + "\n"


def markdown_tables(results: Results, layout: Layout) -> list[str]:
    """Return the tables, each under its title if it needs one."""
    tables = grids(results, layout, Markup(escape_markdown, "**{}**".format, " "))
    return [f"{escape_markdown(grid.title)}\n\n{_pipe_table(grid)}".removeprefix("\n\n") for grid in tables]


def _pipe_table(grid: Grid) -> str:
    lines = [line for row in pad(grid) for line in row]
    first, *others = map(width, lines[0])
    name = f":{'-' * (first + 1)}" if grid.align == "left" else f"{'-' * (first + 1)}:"
    rule = "|".join([name, *(f":{'-' * size}:" for size in others)])
    header, *rows = (f"| {' | '.join(line)} |" for line in lines)
    return "\n".join([header, f"|{rule}|", *rows])


def escape_markdown(text: str) -> str:
    r"""Return text escaped for a line of Markdown.

    >>> print(escape_markdown("a_b|c"))
    a\_b\|c
    """
    return _SPECIAL_IN_MARKDOWN.sub(r"\\\g<0>", text)


# --- HTML


def render_html(results: Results, layout: Layout) -> str:
    """Return tables and the list in HTML, as a fragment for a page.

    All characters outside ASCII are written as character references, so that it fits into a page of any encoding.
    """
    tables = []
    for number, grid in enumerate(grids(results, layout, Markup(escape_html, "<strong>{}</strong>".format, " "))):
        title = grid.title or (layout.caption if number == 0 else "")
        label = f' id="{layout.label}"' if layout.label and number == 0 else ""
        caption = f"\n<caption>{escape_html(visible(title))}</caption>" if title else ""
        tables.append(f"<table{label}>{caption}\n{_html_rows(grid)}\n</table>")
    items = [f"<li>{escape_html(sentence)}</li>" for sentence in notes.brief(results, layout)]
    for name, signature in notes.signatures(results, layout):
        items.append(f"<li>{escape_html(name)}: <code>{escape_html(signature)}</code></li>")
    text = "\n".join([*tables, "<ul>", *items, "</ul>"]) + "\n"
    return text.encode("ascii", "xmlcharrefreplace").decode()


def _html_rows(grid: Grid) -> str:
    sides = ["" if grid.align == "left" else ' style="text-align: right;"']
    sides += [' style="text-align: center;"'] * (len(grid.header) - 1)

    def row(cells: list[str], tag: str) -> str:
        return f"<tr>{''.join(f'<{tag}{side}>{cell}</{tag}>' for cell, side in zip(cells, sides, strict=True))}</tr>"

    header, *rows = (line for of_row in pad(grid) for line in of_row)
    body = [row(cells, "td") for cells in rows]
    return "\n".join(["<thead>", row(header, "th"), "</thead>", "<tbody>", *body, "</tbody>"])


def escape_html(text: str) -> str:
    """Return text escaped for HTML, between tags."""
    return html.escape(text, quote=False)


# --- reStructuredText

# What has a special meaning within a line; :: would start a literal block
_SPECIAL_IN_RST = re.compile(r"[\\`*_|]|(?<=:):")
# What would start a list, a rule, a comment and so on; and what would number a list, such as 1. (1) iv)
_LEADING = re.compile(r"^(\s*)(?=[^\w\s\\(]|\(+\s*$)")
_NUMBER = re.compile(r"^(\s*\(?(?:[0-9]+|[a-z]|[ivxlcdm]+))(?=[.)](?:\s|$))", re.IGNORECASE)
# Nothing but backslashes, which docutils reads as the rule of a heading even when they are escaped
_HEADING = re.compile(r"\s*\\+\s*")


def render_rst(results: Results, layout: Layout) -> str:
    """Return tables and the list in reStructuredText; a caption needs a directive around the first table."""
    first, *rest = grids(results, layout, Markup(escape_rst, "**{}**".format, " "))
    table = _rst_table(first)
    if layout.caption:
        name = f"\n   :name: {layout.label}" if layout.label else ""
        body = "\n".join(f"   {line}" for line in table.split("\n"))
        table = f".. table:: {escape_rst(visible(layout.caption))}{name}\n\n{body}"
    blocks = [table, *(f"{escape_rst(grid.title)}\n\n{_rst_table(grid)}".removeprefix("\n\n") for grid in rest)]
    return "\n\n".join([*blocks, notes.as_list(results, layout, escape_rst, "``")]) + "\n"


def escape_rst(text: str) -> str:
    r"""Return text escaped for a line of reStructuredText.

    >>> print(escape_rst("a_b"))
    a\_b
    """
    line = _NUMBER.sub(r"\1\\", _LEADING.sub(r"\1\\", _SPECIAL_IN_RST.sub(r"\\\g<0>", text)))
    return f"\\ {line}" if _HEADING.fullmatch(text) else line


def _rst_table(grid: Grid) -> str:
    """Return a simple table with columns as wide as docutils counts them."""
    # An empty first cell would continue the row above: it gets an empty comment
    rows = [[row[0] if row[0].strip() else "..", *row[1:]] for row in (grid.header, *grid.rows)]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    rule = "  ".join("=" * size for size in widths)
    header, *lines = (
        "  ".join(text + " " * (size - width(text)) for text, size in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
    return "\n".join([rule, header, rule, *lines, rule])
