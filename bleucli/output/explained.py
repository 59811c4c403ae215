"""Explanations, of segments or of differences, in each of their formats."""

from __future__ import annotations

from collections.abc import Sequence

from bleucli.output import json_text
from bleucli.output.layout import Layout
from bleucli.prose.blocks import WIDTH, Block, as_html, as_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    class Explained(Protocol):
        """An explanation to show, as blocks or as data."""

        def tell(self, width: int, short: bool) -> Sequence[Block]:
            """Return the blocks; width: decimals of scores, short: short keys in signatures."""

        def as_data(self) -> dict[str, Any]:
            """Return everything as dictionaries, lists, numbers and strings."""


FORMATS = ("text", "html", "json")
_COLOURS = {"heading": "cyan", "good": "green", "bad": "red", "missing": "yellow"}


def render(explained: Sequence[Explained], layout: Layout, name: str, columns: int | None = None) -> str:
    """Render in one of `FORMATS`; json is an object, or an array of several. columns: width of text; None for 80."""
    if name == "json":
        data = [one.as_data() for one in explained]
        return json_text.render_data(data[0] if len(data) == 1 else data)
    answers = [one.tell(layout.width, layout.short) for one in explained]
    if name == "html":
        return "".join(map(as_html, answers))
    return "\n".join(as_text(blocks, columns or WIDTH, _paint if layout.colour else None) for blocks in answers)


def _paint(role: str, text: str) -> str:
    from bleucli.output.colours import paint, underline

    if role == "match":
        return underline(paint(_COLOURS["good"], text))
    return paint(_COLOURS[role], text) if role in _COLOURS and text else text
