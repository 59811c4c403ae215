"""A table in Markdown, as GitHub reads it, and a list that explains it."""

from __future__ import annotations

import re

from bleucli.output import explanation
from bleucli.output.grids import Markup, grids, tabulate
from bleucli.output.layout import Layout
from bleucli.results import Results

# What has a special meaning within a line (GitHub Flavored Markdown 0.29; $ is GitHub's mathematics)
_SPECIAL = re.compile(r"[\\`*_\[\]<>|~&$]")


def render(results: Results, layout: Layout) -> str:
    """Return a table with one row per system and one column per metric, then one per ranking, then a list.

    The list explains the figures and gives the signatures. The best scores are in `**`, if the layout says so.
    """
    return "\n\n".join([*tables(results, layout), explanation.list_notes(results, layout, escape, "`")]) + "\n"


def tables(results: Results, layout: Layout) -> list[str]:
    """Return the tables, each under its title if it needs one."""
    return [
        f"{escape(grid.title)}\n\n{tabulate(grid, 'pipe')}".removeprefix("\n\n")
        for grid in grids(results, layout, _MARKUP)
    ]


def escape(text: str) -> str:
    r"""Return text escaped for a line of Markdown.

    >>> print(escape("a_b|c"))
    a\_b\|c
    """
    return _SPECIAL.sub(r"\\\g<0>", text)


_MARKUP = Markup(escape, "**{}**".format, " ")
