"""Figures as SVG within a page, or as files.

- `inline`: a figure as an element of a page, in the page's colours, with a title and a description for screen readers
- `save`: a figure as the bytes of a file
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO, StringIO

from bleucli.prose.markup import escape_html
from bleucli.report.figures import PART, VARIABLES, use_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container
    from re import Match

    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

FORMATS = ("pdf", "svg", "png")
# Matplotlib makes the identifiers in SVG from this; a fixed value makes them the same in every run
_SALT = "bleu"
# Dots per inch of a PNG, enough for print
_DOTS = 300
_TAG = re.compile(r"<[^>]*>")
_REFERENCE = re.compile(r'(?:(?<=href="#)|(?<=url\(#))[^")]+')
_NUMBER = re.compile(r"-?\d+\.\d{3,}")


def inline(figure: Figure, name: str, title: str, description: str) -> str:
    """Return a figure as an SVG element.

    Args:
        figure: a figure with the look of a page.
        name: the name of the figure, unique on the page: identifiers begin with it.
        title: the title of the figure.
        description: a description in words.
    """
    axes = figure.axes[0]
    points = [line for line in axes.lines if line.get_gid() == f"{PART}points"]
    for line in points:
        line.set_markevery([0])  # matplotlib would spend most of its time on thousands of marks; a path replaces them
    svg = _draw_svg(figure)
    # Within a page, the declaration, metadata, styles and comments of a file are of no use
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    height = figure.get_figheight() * 72
    # The place of the origin and the length of a unit on both axes, with which the page's script draws other systems
    box = [*axes.transData.transform((0, 0)), *axes.transData.transform((1, 1))]
    numbers = " ".join(f"{number:.8g}" for number in (box[0], box[2] - box[0], height - box[1], box[1] - box[3]))
    for line in points:
        path = _join_points(axes.transData.transform(line.get_xydata()), height)
        start, _, rest = svg.partition(f'<g id="{PART}points">')
        _, rest = re.split(r"</g>\s*</g>", rest, maxsplit=1)
        svg = f'{start}<g id="{PART}points">{path}</g>{rest}'
    # Identifiers must be unique among all figures of a page; those that nothing refers to are left out
    used = {old for tag in _TAG.findall(svg) for old in _REFERENCE.findall(tag)}
    # Only tags change: the texts between them are names of systems and numbers
    svg = _TAG.sub(lambda tag: _adapt_tag(tag[0], name, used), svg[svg.index(">") + 1 :])
    opening = (
        f'<svg viewBox="0 0 {figure.get_figwidth() * 72:.4g} {height:.4g}" role="img" class="drawing"'
        f' data-scale="{numbers}"'
        f' aria-labelledby="{name}-title {name}-desc"><title id="{name}-title">{escape_html(title)}</title>'
        f'<desc id="{name}-desc">{escape_html(description)}</desc>'
    )
    return opening + re.sub(r"\s*\n\s*", "\n", svg).strip()


def _adapt_tag(tag: str, name: str, used: Container[str]) -> str:
    """Return a tag of a figure for a page, with its own identifiers; used: those that a tag refers to."""

    def rename(match: Match[str]) -> str:
        old = match[1]
        if old.startswith(PART):
            return f' data-part="{old.removeprefix(PART)}"'
        return f' id="{name}-{old}"' if old in used else ""

    tag = re.sub(r' id="([^"]*)"', rename, tag)
    tag = _REFERENCE.sub(lambda match: f"{name}-{match[0]}", tag)
    # The page decides about colours, for its light and its dark theme, and about fonts
    for colour, variable in VARIABLES.items():
        tag = tag.replace(colour, f"var(--{variable})")
    tag = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px", tag)
    return _NUMBER.sub(lambda match: f"{float(match[0]):.2f}", tag)


def _join_points(places: NDArray[np.float64], height: float) -> str:
    """Return the marks of a series as one path: lines of length 0, with round ends."""
    path = "".join(f"M{x:.1f} {height - y:.1f}h0" for x, y in places.tolist())
    return f'<path class="points" d="{path}"/>'


def save(figure: Figure, form: str) -> tuple[bytes, list[str]]:
    """Return a figure as a file in one of `FORMATS`, and the characters that none of the fonts has."""
    if form == "svg":
        return _draw_svg(figure).encode(), []
    target = BytesIO()
    metadata = {"CreationDate": None} if form == "pdf" else None  # so that the same input gives the same bytes
    # TrueType: many publishers refuse the fonts of Type 3, which are matplotlib's default
    with use_settings({"pdf.fonttype": 42}), _missing_glyphs() as missing:
        figure.savefig(target, format=form, dpi=_DOTS, metadata=metadata)
    return target.getvalue(), missing


def _draw_svg(figure: Figure) -> str:
    target = StringIO()
    settings = {"svg.hashsalt": _SALT, "svg.fonttype": "none", "text.parse_math": False}
    with use_settings(settings), _missing_glyphs():
        figure.savefig(target, format="svg", metadata={"Date": None})
    return target.getvalue()


@contextmanager
def _missing_glyphs() -> Iterator[list[str]]:
    """Collect the characters that no font has, from matplotlib's warnings."""
    found: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield found
    for one in caught:
        told = str(one.message)
        if match := re.match(r"Glyph (\d+) ", told):
            found.append(chr(int(match[1])))
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
