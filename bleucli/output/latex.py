r"""A table for a LaTeX document that has `\usepackage{booktabs}`, with explanations in comments after it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from bleucli.output import notes, paper
from bleucli.output.grids import Grid, Markup, grids, pad
from bleucli.output.layout import Layout
from bleucli.prose.markup import visible
from bleucli.results import Results

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


def render(results: Results, layout: Layout) -> str:
    r"""Return a `tabular` with a row for each system and a column for each metric, then one for each ranking.

    Comments follow. With a caption, the tables are in a `table` environment, or in `table*` if one of them is wider
    than a column. A table of language pairs that is wider than a page is broken between pairs. The output compiles with
    pdflatex as it is, and so does the footnote in the comments, which says how the scores were made. A letter that
    LaTeX does not know without a package (Chinese, Greek) is written as its number, such as `U+7CFB`, and a comment
    gives the name of the system in full. The best scores are in `\textbf` if the layout says so.
    """
    tables = grids(results, layout, _MARKUP)
    if results.pairs:
        tables = [part for grid in tables for part in _break(grid)]
    text = "\n\n\\bigskip\n".join(map(_render_grid, tables))
    is_wide = any(sum(_widths(grid)) > _COLUMN for grid in tables)
    if layout.caption:
        environment = "table*" if is_wide else "table"
        caption = f"\\caption{{{escape(visible(layout.caption))}}}"
        caption += f"\n\\label{{{layout.label}}}" if layout.label else ""
        text = f"\\begin{{{environment}}}\n\\centering\n{text}\n{caption}\n\\end{{{environment}}}"
    names = [visible(system.name) for system in results.systems]
    substitutes = [f"{escape(name)} is {name}" for name in names if any(map(_is_unknown, _compose(name)))]
    signatures = notes.signatures(results, layout)
    # Signatures are long: in the footnote, they may break at a |
    footnote = [escape(sentence) for sentence in paper.sentences(results, layout)]
    for name, signature in signatures:
        breakable = escape(signature).replace(_BAR, f"{_BAR}\\allowbreak{{}}")
        footnote.append(f"{escape(name)}: \\texttt{{{breakable}}}.")
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


def escape(text: str) -> str:
    r"""Return text escaped for a cell of a LaTeX table.

    >>> print(escape("50% of a_b"))
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
    escape, r"\textbf{{{}}}".format, " ", ruled=True, star=r"\rlap{*}", pairs=False, dagger=r"\rlap{$^\dagger$}"
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
    for part in parts:
        header, *rows = ([row[0], *(row[column] for column in part)] for row in (grid.header, *grid.rows))
        yield grid._replace(header=header, rows=rows)


def _pack(widths: Sequence[float], room: float) -> list[list[int]]:
    """Return the numbers of columns, from 1, in parts that fit if more than one column is in them.

    >>> _pack([40, 40, 40, 40, 50], 170), _pack([40, 40, 40, 40, 50], 120)
    ([[1, 2, 3, 4], [5]], [[1, 2, 3], [4, 5]])
    """
    parts: list[list[int]] = [[]]
    used = 0.0
    for column, width in enumerate(widths, 1):
        if parts[-1] and used + width > room:
            parts.append([])
            used = 0.0
        parts[-1].append(column)
        used += width
    return parts


def _comment(text: str) -> str:
    return "".join(f"% {line}".rstrip() + "\n" for line in text.split("\n"))
