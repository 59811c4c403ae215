"""Tables in documents: HTML, reStructuredText and LaTeX; `paper` has Markdown.

Each is a table with one row per system and one column per metric, then one per ranking, then a list that explains the
figures and gives the signatures; in LaTeX, the list is in comments. The best scores are bold, if the layout says so.
`escape_html` and its sisters return plain text as text of the format.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence

from bleucli.output import notes
from bleucli.output.grids import Grid, Markup, grids, pad, width
from bleucli.output.layout import Layout
from bleucli.prose.markup import visible
from bleucli.results import Results

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


# --- LaTeX

_BAR = r"\textbar{}"
# What has a special meaning in LaTeX, in fonts of the encoding OT1 (<), in babel ("), in ligatures (?`), or after the
# \\ of the row above ([)
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": _BAR,
    '"': r"{\char34}",
    "±": r"$\pm$",
    "μ": r"$\mu$",
    "Δ": r"$\Delta$",
    "−": "$-$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    **{character: f"\\{character}" for character in "_%&#${}"},
    **{character: f"{{{character}}}" for character in "[]`'"},
}
# Other characters that LaTeX knows in OT1 without a package: letters from U+00C0 to U+024F, found by compiling each of
# them, and punctuation
_LETTERS = frozenset(
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõöøùúûüýÿ"
    "ĀāĂăĆćĈĉĊċČčĎďĒēĔĕĖėĚěĜĝĞğĠġĢģĤĥĨĩĪīĬĭİıĲĳĴĵĶķĹĺĻļĽľŁłŃńŅņŇňŌōŎŏŐőŒœŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŨũŪūŬŭŮůŰűŴŵŶŷŸŹźŻżŽž"
    "ȘșȚț–—‘’“”"
)
# The widths of a column (ACL) and of the narrowest page (NeurIPS), of a letter in a text of 10 points, and of the gap
# between the columns of a table, in points
_COLUMN, _PAGE, _LETTER, _GAP = 219, 397, 5.5, 12
# What takes no room, and what takes that of a letter
_OVERHANG = re.compile(r"\\rlap\{(?:[^{}]|\{[^{}]*\})*\}|\\textbf|[{}]")
_COMMANDS = re.compile(r"\$[^$]*\$|\\[a-z]+|\\.")
_LIGATURES = re.compile(r"([-,])(?=\1)")


def render_latex(results: Results, layout: Layout) -> str:
    r"""Return a table for a document that has `\usepackage{booktabs}`, with explanations in comments after it.

    It is a `tabular` with a row for each system and a column for each metric, then one for each ranking. With a
    caption, the tables are in a `table` environment, or in `table*` if one of them is wider than a column. A table of
    language pairs that is wider than a page is broken between pairs. The output compiles with pdflatex as it is, and so
    does the footnote in the comments, which says how the scores were made. A letter that LaTeX does not know without a
    package (Chinese, Greek) is written as its number, such as `U+7CFB`, and a comment gives the name of the system in
    full.
    """
    from bleucli.output import paper

    tables = grids(results, layout, _MARKUP)
    if results.pairs:
        tables = [part for grid in tables for part in _break(grid)]
    text = "\n\n\\bigskip\n".join(map(_render_grid, tables))
    is_wide = any(sum(_widths(grid)) > _COLUMN for grid in tables)
    if layout.caption:
        environment = "table*" if is_wide else "table"
        caption = f"\\caption{{{escape_latex(visible(layout.caption))}}}"
        caption += f"\n\\label{{{layout.label}}}" if layout.label else ""
        text = f"\\begin{{{environment}}}\n\\centering\n{text}\n{caption}\n\\end{{{environment}}}"
    names = [visible(system.name) for system in results.systems]
    substitutes = [f"{escape_latex(name)} is {name}" for name in names if any(map(_is_unknown, _compose(name)))]
    signatures = notes.signatures(results, layout)
    # Signatures are long: in the footnote, they may break at a |
    footnote = [escape_latex(sentence) for sentence in paper.sentences(results, layout)]
    for name, signature in signatures:
        breakable = escape_latex(signature).replace(_BAR, f"{_BAR}\\allowbreak{{}}")
        footnote.append(f"{escape_latex(name)}: \\texttt{{{breakable}}}.")
    comments = [
        "" if layout.caption or not is_wide else "Wider than a column: if the page has two, put it into table*.",
        _list("What the table shows:", notes.brief(results, layout)),
        _list("Signatures:", [f"{name:<10} {signature}" for name, signature in signatures]),
        f"To paste into the text, without the percent sign:\n\\footnote{{{' '.join(footnote)}}}",
        _list("Letters that LaTeX does not know without a package:", substitutes),
    ]
    return text + "\n" + _comment("\n" + "\n\n".join(filter(None, comments)))


def _list(heading: str, items: Sequence[str]) -> str:
    """Return items under their heading; nothing if there are none."""
    return "\n".join([heading, *(f" - {item}" for item in items)]) if items else ""


def escape_latex(text: str) -> str:
    r"""Return text escaped for a cell of a LaTeX table.

    >>> print(escape_latex("50% of a_b"))
    50\% of a\_b
    """
    cell = "".join(f"U+{ord(c):04X}" if _is_unknown(c) else _ESCAPES.get(c, c) for c in _compose(text))
    if cell.startswith("*"):  # LaTeX would read it as an option of the \\ in the row above
        cell = f"{{*}}{cell[1:]}"
    return _LIGATURES.sub(r"\1{}", cell)


def _is_unknown(character: str) -> bool:
    return not (character.isascii() or character in _ESCAPES or character in _LETTERS)


def _compose(text: str) -> str:
    return unicodedata.normalize("NFC", text)  # é as one character; a file name on a Mac may have e and an accent


# A star without width hangs over the edge of the column, so that the figures stay aligned
_MARKUP = Markup(
    escape_latex, r"\textbf{{{}}}".format, " ", ruled=True, star=r"\rlap{*}", pairs=False, dagger=r"\rlap{$^\dagger$}"
)


def _render_grid(grid: Grid) -> str:
    figures = "c" * (len(grid.header) - 1)
    columns = f"r{figures}" if grid.align == "right" else f"@{{}}l{figures}@{{}}"  # no space at the edges of the table
    header, *rows = (rf" {' & '.join(line)} \\" for row in pad(grid) for line in row)
    start = [f"\\begin{{tabular}}{{{columns}}}", "\\toprule", header, "\\midrule"]
    lines = [*start, *rows, "\\bottomrule", "\\end{tabular}"]
    if grid.ruled:
        lines.insert(5, "\\midrule")  # under \begin, \toprule, the header, its rule and the first row
    table = "\n".join(lines)
    return _comment(grid.title) + table if grid.title else table


def _widths(grid: Grid) -> list[float]:
    """Return about how wide the columns are, in points."""
    columns = zip(grid.header, *grid.rows, strict=True)
    return [
        max(len(_COMMANDS.sub("x", _OVERHANG.sub("", cell))) for cell in column) * _LETTER + _GAP for column in columns
    ]


def _break(grid: Grid) -> Iterator[Grid]:
    """Give the table in parts that fit on a page, each with the first column and at least one other."""
    first, *others = _widths(grid)
    room = _PAGE - first
    parts = _pack(others, room)
    # As many parts of about the same width look better than a last one with few columns
    while room > max(others) and len(narrower := _pack(others, room - 1)) == len(parts):
        room, parts = room - 1, narrower
    yield from map(grid.take, parts)


def _pack(widths: Sequence[float], room: float) -> list[list[int]]:
    """Return the numbers of columns, from 1, in parts that fit if more than one column is in them.

    >>> _pack([40, 40, 40, 40, 50], 170), _pack([40, 40, 40, 40, 50], 120)
    ([[1, 2, 3, 4], [5]], [[1, 2, 3], [4, 5]])
    """
    parts: list[list[int]] = [[]]
    used = 0.0
    for column, size in enumerate(widths, 1):
        if parts[-1] and used + size > room:
            parts.append([])
            used = 0.0
        parts[-1].append(column)
        used += size
    return parts


def _comment(text: str) -> str:
    return "".join(f"% {line}".rstrip() + "\n" for line in text.split("\n"))
