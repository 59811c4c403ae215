"""A table in reStructuredText, and a list that explains it."""

from __future__ import annotations

import re
import unicodedata

from bleucli.output import explanation
from bleucli.output.grids import Grid, Markup, grids
from bleucli.output.layout import Layout
from bleucli.prose.markup import visible
from bleucli.results import Results

# What has a special meaning within a line; :: would start a literal block
_SPECIAL = re.compile(r"[\\`*_|]|(?<=:):")
# What would start a list, a rule, a comment and so on; and what would number a list, such as 1. (1) iv)
_LEADING = re.compile(r"^(\s*)(?=[^\w\s\\(]|\(+\s*$)")
_NUMBER = re.compile(r"^(\s*\(?(?:[0-9]+|[a-z]|[ivxlcdm]+))(?=[.)](?:\s|$))", re.IGNORECASE)
# Nothing but backslashes, which docutils reads as the rule of a heading even when they are escaped
_HEADING = re.compile(r"\s*\\+\s*")


def render(results: Results, layout: Layout) -> str:
    """Return a table with one row per system and one column per metric, then one per ranking, then a list.

    The list explains the figures and gives the signatures. The best scores are in `**`, if the layout says so.
    """
    first, *grids_of_rankings = grids(results, layout, _MARKUP)
    tables = [
        _caption(_render_rows(first), layout),
        *(f"{escape(grid.title)}\n\n{_render_rows(grid)}" for grid in grids_of_rankings),
    ]
    return "\n\n".join([*tables, explanation.list_notes(results, layout, escape, "``")]) + "\n"


def escape(text: str) -> str:
    r"""Return text escaped for a line of reStructuredText.

    >>> print(escape("a_b"))
    a\_b
    """
    line = _NUMBER.sub(r"\1\\", _LEADING.sub(r"\1\\", _SPECIAL.sub(r"\\\g<0>", text)))
    return f"\\ {line}" if _HEADING.fullmatch(text) else line


_MARKUP = Markup(escape, "**{}**".format, " ")


def _caption(table: str, layout: Layout) -> str:
    """Return a table in a directive with its caption and label, or as it is if it has no caption."""
    if not layout.caption:
        return table
    name = f"\n   :name: {layout.label}" if layout.label else ""
    body = "\n".join(f"   {line}" for line in table.split("\n"))
    return f".. table:: {escape(visible(layout.caption))}{name}\n\n{body}"


def _render_rows(grid: Grid) -> str:
    """Return a simple table with columns as wide as docutils counts them; tabulate counts Chinese names differently."""
    # an empty first cell would continue the row above: it gets an empty comment
    rows = [[row[0] if row[0].strip() else "..", *row[1:]] for row in (grid.header, *grid.rows)]
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    rule = "  ".join("=" * width for width in widths)
    header, *lines = (
        "  ".join(text + " " * (width - _width(text)) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
    return "\n".join([rule, header, rule, *lines, rule])


def _width(text: str) -> int:
    """Return how many columns docutils counts: two for a wide character, one less for one that combines."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)
