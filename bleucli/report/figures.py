"""The figures for papers, drawn by matplotlib; the page's script draws its own.

- `forest`: scores with intervals; `pairs`: every pair of systems; `segments`: two systems segment by segment
- `lines`: scores by length
- `save`: a figure as the bytes of a file
- `load_matplotlib`: matplotlib without the user's `matplotlibrc`, which is for other figures

All widths are in inches. Nothing depends on colour alone: each series has its own marker and dashes, and cells have
words and hatching.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO

from bleucli.errors import BleuError
from bleucli.optional_deps import load
from bleucli.prose.markup import readable
from bleucli.prose.theme import PAPER
from bleucli.report.rounding import show_cell
from bleucli.results import SIGNIFICANT, Ranking, ScoreRecord
from bleucli.significance.comparison import rank

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Names of systems are cut to this many characters
_LONGEST = 22
# The most series that one figure can show
MOST_SERIES = 8
_MARKERS = "osD^vPX*"
_DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)))
# The most systems for which cells of a matrix have room for two lines, and for one
ROOMY, TIGHT = 7, 14
_HATCHED: dict[str, Any] = {"facecolor": "none", "hatch": "////"}
_FONT = "STIXGeneral"
# Fonts with characters that it lacks; they are used if they are installed
_FALLBACKS = (
    *("DejaVu Sans", "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans JP", "Noto Sans SC", "IPAexGothic"),
    *("WenQuanYi Zen Hei", "Droid Sans Fallback", "Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari"),
)
# Matplotlib makes the identifiers in SVG from this
_SALT = "bleu"
# Dots per inch of a PNG, enough for print
_DOTS = 300


def load_matplotlib() -> ModuleType:
    """Import and return matplotlib, without its remarks about a `matplotlibrc`.

    Raises:
        BleuError: it is not installed, or refuses the user's settings.
    """
    import logging

    remarks = logging.getLogger("matplotlib")
    was_disabled, remarks.disabled = remarks.disabled, True
    try:
        return load("matplotlib", "plot")
    except (OSError, ValueError) as error:
        if isinstance(error, BleuError):
            raise
        raise BleuError(
            f"matplotlib refuses your settings ({' '.join(str(error).split())}); fix the file matplotlibrc, in this"
            " folder or in matplotlib's own, or the variable MPLBACKEND"
        ) from None
    finally:
        remarks.disabled = was_disabled


@contextmanager
def _use_settings(settings: Mapping[str, object]) -> Iterator[None]:
    """Use these settings of matplotlib within the block, and its defaults for all others."""
    mpl = load_matplotlib()
    # A figure does not depend on the backend, and choosing one could open windows
    defaults = {name: value for name, value in mpl.rcParamsDefault.items() if name != "backend"}
    with mpl.rc_context(defaults | dict(settings)):
        yield


@contextmanager
def _style(width: float) -> Iterator[float]:
    """Use the look of figures in papers within the block, and give the points of text in a figure of this width."""
    load_matplotlib()
    from matplotlib import font_manager

    size = 7.0 if width < 3 else 8.0 if width < 5 else 9.0
    installed = {font.name for font in font_manager.fontManager.ttflist}
    fonts = [_FONT, *(name for name in _FALLBACKS if name in installed)]
    settings = {
        "font.family": fonts,
        "font.size": size,
        "axes.titlesize": size,
        "axes.labelsize": size,
        "xtick.labelsize": size - 0.5,
        "ytick.labelsize": size - 0.5,
        "legend.fontsize": size - 0.5,
        "text.color": PAPER["text"],
        "text.parse_math": False,  # names may have dollar signs
        "axes.labelcolor": PAPER["text"],
        "axes.edgecolor": PAPER["quiet"],
        "axes.facecolor": "none",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.linewidth": 0.7,
        "figure.facecolor": "none",
        "savefig.facecolor": "none",
        "xtick.color": PAPER["quiet"],
        "ytick.color": PAPER["quiet"],
        "xtick.labelcolor": PAPER["text"],
        "ytick.labelcolor": PAPER["text"],
        "grid.color": PAPER["line"],
        "grid.linewidth": 0.6,
        "hatch.color": PAPER["quiet"],
        "hatch.linewidth": 0.5,
        "legend.frameon": False,
        "lines.linewidth": 1.4,
        "figure.dpi": 72.0,
    }
    with _use_settings(settings):
        yield size


def _make(width: float, height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def shorten(name: str) -> str:
    """Return a name, cut if it is too long for a figure.

    >>> shorten("a" * 30)
    'aaaaaaaaaaaaaaaaaaaaa…'
    """
    text = readable(name)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "\N{HORIZONTAL ELLIPSIS}"


def forest(
    names: Sequence[str], records: Sequence[ScoreRecord], ranking: Ranking | None, width: float, decimals: int = 2
) -> Figure:
    """Draw scores with their intervals, the best on top.

    Args:
        names: the names of the systems.
        records: the scores of the systems; without intervals, only points are drawn.
        ranking: the test of all pairs, whose clusters are shown as bands; None if nothing was tested.
        width: the width of the figure.
        decimals: those of scores.
    """
    import numpy as np

    with _style(width) as size:
        order = rank(records)
        figure, axes = _make(width, size / 9 * (0.62 + 0.27 * len(names)))
        ends = np.array([bounds(records[number]) or (np.nan, np.nan) for number in order])
        colour, levels = PAPER["series-1"], np.arange(len(order))
        # All systems are one series, since matplotlib takes a millisecond for each series
        gaps = np.full(len(order), np.nan)
        axes.plot(np.c_[ends, gaps].ravel(), levels.repeat(3), color=colour, solid_capstyle="butt")
        axes.plot(ends.ravel(), levels.repeat(2), "|", color=colour, markersize=6)
        axes.plot([records[number].score for number in order], levels, "o", color=colour, markersize=5)
        for place, number in enumerate(order):
            score = f"{records[number].score:.{decimals}f}"
            axes.text(1.02, place, score, transform=axes.get_yaxis_transform(), va="center")
        if ranking is not None and max(ranking.clusters) > 1:
            for cluster in range(1, max(ranking.clusters) + 1, 2):
                places = [place for place, number in enumerate(order) if ranking.clusters[number] == cluster]
                axes.axhspan(min(places) - 0.5, max(places) + 0.5, color=PAPER["band"], linewidth=0, zorder=0)
        axes.set_yticks(range(len(order)), [shorten(names[number]) for number in order])
        axes.set_ylim(len(order) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.grid(axis="x")
        axes.margins(x=0.08)
        axes.set_xlabel(records[0].name)
    return figure


def bounds(record: ScoreRecord) -> tuple[float, float] | None:
    """Return the lower and the upper bound of a score's interval; None if it has none."""
    interval = record.interval
    return interval and (interval.mean - interval.half_width, interval.mean + interval.half_width)


def pairs(
    names: Sequence[str], records: Sequence[ScoreRecord], ranking: Ranking, width: float, decimals: int = 1
) -> Figure:
    """Draw every pair of systems: by how much the one in the row is better, and whether that is significant.

    Args:
        names: the names of the systems.
        records: the scores of the systems.
        ranking: the test of all pairs.
        width: the width of the figure.
        decimals: those of leads.
    """
    order = rank(records)
    count = len(order)
    sign = 1 if records[0].higher_is_better else -1  # so a better system has a positive lead by error rates, too
    with _style(width) as size:
        from matplotlib.patches import Rectangle

        labels = [shorten(names[number]) for number in order]
        # The lines of text that the names below the columns need: from three systems on, they are slanted
        slant = 2.4 + 0.25 * max(map(len, labels)) if count > 2 else 2.4
        figure, axes = _make(width, width * 0.68 * min(1.0, 0.34 + 0.11 * count) + 0.13 * slant * size / 9)
        for row, first in enumerate(order):
            for column, second in enumerate(order):
                p_value = ranking.corrected[first][second]
                if first == second or p_value is None:
                    continue
                lead = sign * (records[first].score - records[second].score)
                is_sure = p_value <= SIGNIFICANT
                look: dict[str, Any] = {"facecolor": PAPER["better" if lead > 0 else "worse"]} if is_sure else _HATCHED
                corner = (column - 0.5, row - 0.5)
                axes.add_patch(Rectangle(corner, 1, 1, edgecolor=PAPER["line"], linewidth=0.6, **look))
                if count <= TIGHT:
                    lines = show_cell(lead, p_value, decimals)[: 2 if count <= ROOMY else 1]
                    shade = {} if is_sure else {"bbox": {"facecolor": PAPER["panel"], "edgecolor": "none", "pad": 1}}
                    small = size - 0.5 if count <= ROOMY else size - 2.5
                    axes.text(column, row, "\n".join(lines), ha="center", va="center", size=small, **shade)
        axes.set_yticks(range(count), labels)
        axes.set_xticks(range(count), labels, rotation=35 if count > 2 else 0, ha="right" if count > 2 else "center")
        axes.set_xlim(-0.5, count - 0.5)
        axes.set_ylim(count - 0.5, -0.5)
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        axes.set_xlabel(f"{records[0].name}: lead of the row over the column")
    return figure


def segments(
    names: Sequence[str],
    first: Floats,
    second: Floats,
    label: str,
    width: float,
    *,
    limits: tuple[float, float] | None = None,
) -> Figure:
    """Draw a point for each segment: its score in one system, and its score in another.

    Args:
        names: the names of both systems.
        first: the scores of the segments in the first system.
        second: the scores of the same segments in the second system.
        label: the name of the scores.
        width: the width of the figure.
        limits: the ends of the axes; None for the range of the scores.
    """
    with _style(width):
        figure, axes = _make(width, width * 0.8)
        both = [*first, *second]
        low, high = (min(both), max(both)) if limits is None else limits
        margin = (high - low) * 0.02 or max(0.5, abs(high) * 0.02)
        ends = (low - margin, high + margin)
        axes.plot(ends, ends, color=PAPER["quiet"], linewidth=0.8, dashes=(4, 2), zorder=1)
        look: dict[str, Any] = {
            "markersize": 2.4 if len(first) > 500 else 3.5,
            "markeredgewidth": 0,
            "color": PAPER["series-1"],
        }
        axes.plot(first.clip(low, high), second.clip(low, high), "o", alpha=0.45, **look)
        axes.set_xlim(ends)
        axes.set_ylim(ends)
        axes.grid()
        axes.set_xlabel(f"{label}, {shorten(names[0])}")
        axes.set_ylabel(f"{label}, {shorten(names[1])}")
    return figure


def lines(
    names: Sequence[str],
    scores: Floats,
    order: Sequence[int],
    labels: Sequence[str],
    sizes: Sequence[int],
    across: str,
    label: str,
    width: float,
) -> Figure:
    """Draw scores over groups that have an order, such as lengths: one line per system.

    Args:
        names: the names of the systems.
        scores: one row per system, one score per group.
        order: the numbers of the systems, the best first.
        labels: the labels of the groups.
        sizes: the number of segments in each group.
        across: what the groups are, as the label of the axis.
        label: the name of the scores.
        width: the width of the figure.
    """
    with _style(width) as size:
        systems = sorted(order[:MOST_SERIES])
        figure, axes = _make(width, width * 0.58 + 0.2 * ((len(systems) + 1) // 2) * size / 9)
        for place, number in enumerate(systems):
            axes.plot(scores[number], **series(place, size))
        axes.set_xticks(range(len(labels)), [f"{one}\n{count:,}" for one, count in zip(labels, sizes, strict=True)])
        axes.grid(axis="y")
        axes.set_xlabel(across)
        axes.set_ylabel(label)
        numbers = list(map(str, range(len(systems))))
        legend = figure.legend(axes.lines, numbers, loc="outside upper center", ncols=2, borderaxespad=0)
        # Matplotlib leaves out labels that begin with an underscore, so the names are written afterwards
        for text, number in zip(legend.get_texts(), systems, strict=True):
            text.set_text(shorten(names[number]))
    return figure


def series(place: int, size: float) -> dict[str, Any]:
    """Return the colour, marker and dashes of a series, which is the first if `place` is 0; size: points of text."""
    return {
        "color": PAPER[f"series-{place + 1}"],
        "marker": _MARKERS[place],
        "linestyle": _DASHES[place],
        "markersize": size / 2,
        "markeredgewidth": 0,
    }


def save(figure: Figure, form: str) -> tuple[bytes, list[str]]:
    """Return a figure as a file, "pdf", "svg" or "png", and the characters that none of the fonts has."""
    target = BytesIO()
    # Without a date, and with a fixed salt, the same input gives the same bytes
    metadata = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}.get(form)
    # TrueType: many publishers refuse the fonts of Type 3, which are matplotlib's default
    settings = {"pdf.fonttype": 42, "svg.fonttype": "none", "svg.hashsalt": _SALT}
    with _use_settings(settings), _missing_glyphs() as missing:
        figure.savefig(target, format=form, dpi="figure" if form == "svg" else _DOTS, metadata=metadata)
    # The reader of an SVG chooses the fonts
    return target.getvalue(), [] if form == "svg" else missing


@contextmanager
def _missing_glyphs() -> Iterator[list[str]]:
    """Collect the characters that no font has, from matplotlib's warnings."""
    characters: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield characters
    for one in caught:
        if match := re.match(r"Glyph (\d+) ", str(one.message)):
            characters.append(chr(int(match[1])))
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
