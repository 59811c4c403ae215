"""A table in HTML, and a list that explains it: a fragment for a page."""

from __future__ import annotations

import html

from bleucli.output import explanation
from bleucli.output.grids import Markup, grids, tabulate
from bleucli.output.layout import Layout
from bleucli.prose.markup import visible
from bleucli.results import Results


def render(results: Results, layout: Layout) -> str:
    """Return a table with one row per system and one column per metric, then one per ranking, then a list.

    The list explains the figures and gives the signatures. All characters outside ASCII are written as character
    references, so that the fragment fits into a page of any encoding. The best scores are in `<strong>` if the layout
    says so.
    """
    tables = []
    for number, grid in enumerate(grids(results, layout, _MARKUP)):
        title = grid.title or (layout.caption if number == 0 else "")
        label = f' id="{layout.label}"' if layout.label and number == 0 else ""
        caption = f"\n<caption>{escape(visible(title))}</caption>" if title else ""
        # tabulate's "html" would escape the cells a second time
        tables.append(tabulate(grid, "unsafehtml").replace("<table>", f"<table{label}>{caption}", 1))
    notes = [f"<li>{escape(sentence)}</li>" for sentence in explanation.brief(results, layout)]
    for name, signature in explanation.signatures(results, layout):
        notes.append(f"<li>{escape(name)}: <code>{escape(signature)}</code></li>")
    text = "\n".join([*tables, "<ul>", *notes, "</ul>"]) + "\n"
    return text.encode("ascii", "xmlcharrefreplace").decode()


def escape(text: str) -> str:
    """Return text escaped for HTML, between tags."""
    return html.escape(text, quote=False)


_MARKUP = Markup(escape, "<strong>{}</strong>".format, " ")
