"""The figures, for pages and for papers.

- `forest`: scores with intervals; `pairs`: every pair of systems; `segments`: two systems segment by segment
- `distribution`: the differences between segments; `lines`: scores by length; `dots`: scores by other groups
- `Look`: colours, fonts and width; `PAGE` is for pages, `paper` for columns of papers
- `load_matplotlib`, `use_settings`: matplotlib without the user's `matplotlibrc`, which is for other figures

Nothing depends on colour alone: each series has its own marker and dashes, and cells have words and hatching. Parts
that a page's script redraws for other systems have names that begin with `PART`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from bleucli.errors import BleuError
from bleucli.optional_deps import load
from bleucli.records import NamedTuple
from bleucli.report.rounding import round_p
from bleucli.results import SIGNIFICANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# The names of parts that are redrawn begin with this
PART = "part-"
# Names of systems are cut to this many characters
_LONGEST = 22
# The most series that one figure can show, and the most groups
MOST_SERIES, MOST_GROUPS = 8, 25
_MARKERS = "osD^vPX*"
_DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)))
# The width of a character, and the height of a line, relative to the size of the text
_CHARACTER, _LINE = 0.58, 1.35
# The most systems for which cells of a matrix have room for two lines, and for one
_ROOMY, _TIGHT = 7, 14
# Fonts with characters that the first ones lack; they are used if they are installed
_FALLBACKS = (
    *("DejaVu Sans", "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans JP", "Noto Sans SC", "IPAexGothic"),
    *("WenQuanYi Zen Hei", "Droid Sans Fallback", "Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari"),
)


class Look(NamedTuple):
    """How figures look: colours, fonts, points of text, inches of width.

    is_measured: whether the width of texts is measured with the font. If not, it is estimated; then drawing takes a
    third of the time. An estimate is good enough for a page, since the reader's browser chooses the font.
    """

    text: str
    quiet: str
    line: str
    panel: str
    better: str
    worse: str
    band: str
    series: Sequence[str]
    fonts: Sequence[str]
    size: float
    width: float
    is_measured: bool = True


# Colours that are replaced by variables of the page's style sheet, which has both themes
VARIABLES = {
    "#010101": "text",
    "#010102": "quiet",
    "#010103": "line",
    "#010104": "panel",
    "#010105": "better",
    "#010106": "worse",
    "#010107": "band",
    **{f"#01011{number}": f"series-{number + 1}" for number in range(MOST_SERIES)},
}
PAGE = Look(
    text="#010101",
    quiet="#010102",
    line="#010103",
    panel="#010104",
    better="#010105",
    worse="#010106",
    band="#010107",
    series=[colour for colour, name in VARIABLES.items() if name.startswith("series")],
    fonts=("DejaVu Sans",),
    size=9.5,
    width=4.7,
    is_measured=False,
)
# The colours of Okabe & Ito (2008), "Color universal design", with grey instead of yellow, which is too light on white
_PAPER_SERIES = ("#0072b2", "#d55e00", "#000000", "#cc79a7", "#009e73", "#e69f00", "#56b4e9", "#7f7f7f")


def paper(width: float) -> Look:
    """Return the look of a figure in a column of a paper; width: its width in inches."""
    size = 7.0 if width < 3 else 8.0 if width < 5 else 9.0
    fonts = ("STIXGeneral",)
    return Look(
        "#000000", "#404040", "#bfbfbf", "#f2f2f2", "#7fb8dd", "#fdd5ae", "#ececec", _PAPER_SERIES, fonts, size, width
    )


def load_matplotlib() -> ModuleType:
    """Import and return matplotlib, without its remarks about a `matplotlibrc`.

    Raises:
        BleuError: it is not installed, or refuses the user's settings.
    """
    import logging

    remarks = logging.getLogger("matplotlib")
    was_disabled, remarks.disabled = remarks.disabled, True
    try:
        return load("matplotlib", "report")
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
def use_settings(settings: Mapping[str, object]) -> Iterator[None]:
    """Use these settings of matplotlib within the block, and its defaults for all others."""
    mpl = load_matplotlib()
    # A figure does not depend on the backend, and choosing one could open windows
    defaults = {name: value for name, value in mpl.rcParamsDefault.items() if name != "backend"}
    with mpl.rc_context(defaults | dict(settings)):
        yield


@contextmanager
def _style(look: Look) -> Iterator[None]:
    load_matplotlib()
    from matplotlib import font_manager

    known = {font.name for font in font_manager.fontManager.ttflist}
    fonts = [*look.fonts, *(name for name in _FALLBACKS if name in known and name not in look.fonts)]
    settings = {
        "font.family": fonts,
        "font.size": look.size,
        "axes.titlesize": look.size,
        "axes.labelsize": look.size,
        "xtick.labelsize": look.size - 0.5,
        "ytick.labelsize": look.size - 0.5,
        "legend.fontsize": look.size - 0.5,
        "text.color": look.text,
        "text.parse_math": False,  # names may have dollar signs
        "axes.labelcolor": look.text,
        "axes.edgecolor": look.quiet,
        "axes.facecolor": "none",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.linewidth": 0.7,
        "figure.facecolor": "none",
        "savefig.facecolor": "none",
        "xtick.color": look.quiet,
        "ytick.color": look.quiet,
        "xtick.labelcolor": look.text,
        "ytick.labelcolor": look.text,
        "grid.color": look.line,
        "grid.linewidth": 0.6,
        "hatch.color": look.quiet,
        "hatch.linewidth": 0.5,
        "legend.frameon": False,
        "lines.linewidth": 1.4,
        "figure.dpi": 72.0,
    }
    with use_settings(settings):
        yield


def _make(
    look: Look, height: float, left: float, bottom: float = 2.4, top: float = 0.0, right: float = 1.8
) -> tuple[Figure, Axes]:
    """Return a figure and its axes.

    If texts are not measured, `left` and `right` are the number of characters for which there is room beside the axes,
    `bottom` and `top` the number of lines below and above.
    """
    from matplotlib.figure import Figure

    if look.is_measured:
        figure = Figure(figsize=(look.width, height), layout="constrained")
        return figure, figure.add_subplot()
    figure = Figure(figsize=(look.width, height))
    across, along = _CHARACTER * look.size / 72 / look.width, _LINE * look.size / 72 / height
    start, floor = (left + 1) * across, (bottom + 0.4) * along
    box = (start, floor, 1 - start - right * across, 1 - floor - (top + 0.4) * along)
    return figure, figure.add_axes(box)


def _widest(texts: Iterable[str]) -> int:
    return max(map(len, texts), default=0)


def shorten(name: str) -> str:
    """Return a name, cut if it is too long for a figure.

    >>> shorten("a" * 30)
    'aaaaaaaaaaaaaaaaaaaaa…'
    """
    from bleucli.prose.markup import readable

    shown = readable(name)
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _scale(look: Look) -> float:
    """Return the scale of the figure: 1 for text of 9 points."""
    return look.size / 9


def forest(
    names: Sequence[str],
    scores: Sequence[float],
    intervals: Sequence[tuple[float, float] | None],
    order: Sequence[int],
    label: str,
    clusters: Sequence[int] | None,
    look: Look,
    decimals: int = 2,
) -> Figure:
    """Draw scores with 95% intervals, the best on top.

    Args:
        names: the names of the systems.
        scores: the scores of the systems.
        intervals: the bounds of each interval; None if there is none.
        order: the numbers of the systems, the best first.
        label: the label of the axis.
        clusters: the cluster of each system, shown as bands; None if nothing was tested.
        look: colours, fonts and width.
        decimals: those of scores.
    """
    import numpy as np

    with _style(look):
        shown = [shorten(names[number]) for number in order]
        figure, axes = _make(look, _scale(look) * (0.62 + 0.27 * len(names)), _widest(shown), right=6)
        ends = np.array([intervals[number] or (np.nan, np.nan) for number in order])
        colour, levels = look.series[0], np.arange(len(order))
        # All systems are one series, since matplotlib takes a millisecond for each series
        gaps = np.full(len(order), np.nan)
        axes.plot(np.c_[ends, gaps].ravel(), levels.repeat(3), color=colour, solid_capstyle="butt")
        axes.plot(ends.ravel(), levels.repeat(2), "|", color=colour, markersize=6)
        axes.plot([scores[number] for number in order], levels, "o", color=colour, markersize=5)
        for place, number in enumerate(order):
            axes.text(1.02, place, f"{scores[number]:.{decimals}f}", transform=axes.get_yaxis_transform(), va="center")
        if clusters is not None and max(clusters) > 1:
            for cluster in range(1, max(clusters) + 1, 2):
                places = [place for place, number in enumerate(order) if clusters[number] == cluster]
                axes.axhspan(min(places) - 0.5, max(places) + 0.5, color=look.band, linewidth=0, zorder=0)
        axes.set_yticks(range(len(order)), shown)
        axes.set_ylim(len(order) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.grid(axis="x")
        axes.margins(x=0.08)
        axes.set_xlabel(label)
    return figure


def pairs(
    names: Sequence[str],
    leads: Sequence[Sequence[float]],
    corrected: Sequence[Sequence[float | None]],
    order: Sequence[int],
    label: str,
    look: Look,
    decimals: int = 1,
) -> Figure:
    """Draw every pair of systems: by how much the one in the row is better, and whether that is significant.

    Args:
        names: the names of the systems.
        leads: one row and one column per system: by how much the row's system is better.
        corrected: p-values, corrected for the number of pairs.
        order: the numbers of the systems, the best first.
        label: the name of the scores.
        look: colours, fonts and width.
        decimals: those of leads.
    """
    count = len(order)
    with _style(look):
        from matplotlib.patches import Rectangle

        shown = [shorten(names[number]) for number in order]
        # The lines of text that the names below the columns need: from three systems on, they are slanted
        slant = 2.4 + 0.25 * _widest(shown) if count > 2 else 2.4
        height = look.width * 0.68 * min(1.0, 0.34 + 0.11 * count) + 0.13 * slant * _scale(look)
        figure, axes = _make(look, height, _widest(shown), bottom=slant)
        for row, first in enumerate(order):
            for column, second in enumerate(order):
                p_value = corrected[first][second]
                if first == second or p_value is None:
                    continue
                lead = leads[first][second]
                is_sure = p_value <= SIGNIFICANT
                axes.add_patch(
                    Rectangle(
                        (column - 0.5, row - 0.5),
                        1,
                        1,
                        facecolor=(look.better if lead > 0 else look.worse) if is_sure else "none",
                        hatch=None if is_sure else "////",
                        edgecolor=look.line,
                        linewidth=0.6,
                    )
                )
                if count <= _TIGHT:
                    told = f"{lead:+.{decimals}f}".replace("-", "\N{MINUS SIGN}")
                    if count <= _ROOMY:
                        told += f"\n{_tell_p(p_value)}"
                    size = look.size - 0.5 if count <= _ROOMY else look.size - 2.5
                    shade = {} if is_sure else {"bbox": {"facecolor": look.panel, "edgecolor": "none", "pad": 1}}
                    axes.text(column, row, told, ha="center", va="center", size=size, **shade)
        axes.set_yticks(range(count), shown)
        axes.set_xticks(range(count), shown, rotation=35 if count > 2 else 0, ha="right" if count > 2 else "center")
        axes.set_xlim(-0.5, count - 0.5)
        axes.set_ylim(count - 0.5, -0.5)
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        axes.set_xlabel(f"{label}: lead of the row over the column")
    return figure


def caption_of_pairs(label: str, count: int) -> str:
    """Return what `pairs` shows, in sentences; label: the name of the scores, count: the number of systems."""
    if count > _TIGHT:
        shown = "; the best comes first. Shaded: the two systems differ significantly"
    else:
        shown = f": how much better the row is than the column{', with corrected p-values' if count <= _ROOMY else ''}"
    return f"Every pair of systems by {label}{shown}. Hatched: the two systems cannot be told apart."


def _tell_p(p_value: float) -> str:
    return "p<.001" if p_value < 0.001 else f"p={round_p(p_value)}".replace("0.", ".", 1)


def segments(
    names: Sequence[str],
    first: Floats,
    second: Floats,
    label: str,
    look: Look,
    *,
    limits: tuple[float, float] | None = None,
) -> Figure:
    """Draw a point for each segment: its score in one system, and its score in another.

    Args:
        names: the names of both systems.
        first: the scores of the segments in the first system.
        second: the scores of the same segments in the second system.
        label: the name of the scores.
        look: colours, fonts and width.
        limits: the ends of the axes; None for the range of the scores.
    """
    with _style(look):
        figure, axes = _make(look, look.width * 0.8, 7)
        both = [*first, *second]
        low, high = (min(both), max(both)) if limits is None else limits
        margin = (high - low) * 0.02 or max(0.5, abs(high) * 0.02)
        bounds = (low - margin, high + margin)
        axes.plot(bounds, bounds, color=look.quiet, linewidth=0.8, dashes=(4, 2), zorder=1)
        dot = 2.4 if len(first) > 500 else 3.5
        axes.plot(
            first.clip(low, high),
            second.clip(low, high),
            "o",
            markersize=dot,
            markeredgewidth=0,
            color=look.series[0],
            alpha=0.45,
            gid=f"{PART}points",
        )
        axes.set_xlim(bounds)
        axes.set_ylim(bounds)
        axes.grid()
        axes.set_xlabel(f"{label}, {shorten(names[0])}", gid=f"{PART}first")
        axes.set_ylabel(f"{label}, {shorten(names[1])}", gid=f"{PART}second")
    return figure


def distribution(
    names: Sequence[str], counts: Sequence[int], span: float, label: str, look: Look, *, most: int | None = None
) -> Figure:
    """Draw the distribution of the differences between segments.

    Args:
        names: the names of both systems.
        counts: the number of segments in each of several bins of equal width.
        span: the bins go from minus this to plus this.
        label: the name of the scores.
        look: colours, fonts and width.
        most: the end of the axis of counts, so that pairs can be compared; None for the highest bin.
    """
    import numpy as np

    with _style(look):
        figure, axes = _make(look, look.width * 0.6, 8)
        edges = np.linspace(-span, span, len(counts) + 1)
        heights = np.sqrt(counts)  # so that bins with few segments can be seen beside the highest one
        axes.stairs(heights, edges, fill=True, color=look.series[0], gid=f"{PART}bars")
        axes.axvline(0, color=look.quiet, linewidth=0.8, dashes=(4, 2))
        top = most or max(counts, default=1)
        # Ticks at 1, 2, 5, 10 and so on, without those too close to 0
        steps = [step * 10**power for power in range(9) for step in (1, 2, 5) if top / 40 <= step * 10**power <= top]
        if len(steps) > 4:
            steps = steps[::-2]
        axes.set_yticks([0.0, *np.sqrt(steps)], ["0", *(f"{step:,}" for step in steps)])
        axes.set_xlim(-span, span)
        axes.set_ylim(0, float(np.sqrt(top)) * 1.05)
        axes.grid(axis="y")
        axes.set_ylabel("segments (square-root scale)")
        told = f"{shorten(names[1])} minus {shorten(names[0])}, {label}"
        axes.set_xlabel(told, gid=f"{PART}both")
    return figure


def lines(
    names: Sequence[str],
    scores: Floats,
    order: Sequence[int],
    labels: Sequence[str],
    sizes: Sequence[int] | None,
    across: str,
    label: str,
    look: Look,
) -> Figure:
    """Draw scores over groups that have an order, such as lengths: one line per system.

    Args:
        names: the names of the systems.
        scores: one row per system, one score per group.
        order: the numbers of the systems, the best first.
        labels: the labels of the groups.
        sizes: the number of items in each group; None if it is not shown.
        across: what the groups are, as the label of the axis.
        label: the name of the scores.
        look: colours, fonts and width.
    """
    with _style(look):
        shown = order[:MOST_SERIES]
        rows = (len(shown) + 1) // 2
        figure, axes = _make(look, look.width * 0.58 + 0.2 * rows * _scale(look), 7, bottom=3.4, top=1.25 * rows)
        for number in sorted(shown):
            axes.plot(scores[number], **_series(look, number))
        ticks = labels if sizes is None else [f"{told}\n{size:,}" for told, size in zip(labels, sizes, strict=True)]
        axes.set_xticks(range(len(labels)), ticks)
        axes.grid(axis="y")
        axes.set_xlabel(across)
        axes.set_ylabel(label)
        _add_legend(figure, look, [names[number] for number in sorted(shown)])
    return figure


def _add_legend(figure: Figure, look: Look, names: Sequence[str]) -> None:
    """Name the first lines of a figure."""
    lines, numbers = figure.axes[0].lines[: len(names)], list(map(str, range(len(names))))
    legend = figure.legend(
        lines, numbers, loc="outside upper center" if look.is_measured else "upper center", ncols=2, borderaxespad=0
    )
    # Matplotlib leaves out labels that begin with an underscore, so the names are written afterwards
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_text(shorten(name))


def _series(look: Look, number: int) -> dict[str, Any]:
    """Return the colour, marker and dashes of a system, which are the same in every figure."""
    place = number % MOST_SERIES
    return {
        "color": look.series[place],
        "marker": _MARKERS[place],
        "linestyle": _DASHES[place],
        "markersize": 4.5 * _scale(look),
        "markeredgewidth": 0,
    }


def dots(
    names: Sequence[str],
    scores: Floats,
    order: Sequence[int],
    labels: Sequence[str],
    sizes: Sequence[int],
    label: str,
    look: Look,
) -> Figure:
    """Draw scores in groups without an order: one row per group, one point per system; arguments as for `lines`."""
    import numpy as np

    with _style(look):
        largest = sorted(np.argsort(-np.array(sizes), kind="stable")[:MOST_GROUPS].tolist())
        shown = order[:MOST_SERIES]
        rows = (len(shown) + 1) // 2
        told = [f"{shorten(labels[group])} ({sizes[group]:,})" for group in largest]
        height = _scale(look) * (0.7 + 0.26 * len(largest) + 0.2 * rows)
        figure, axes = _make(look, height, _widest(told), top=1.25 * rows)
        places = range(len(largest))
        for number in sorted(shown):
            look_of = _series(look, number) | {"linestyle": "none"}
            axes.plot(scores[number][largest], places, **look_of)
        for place, group in enumerate(largest):
            present = scores[shown][:, group]
            axes.plot((present.min(), present.max()), (place, place), color=look.line, linewidth=1, zorder=0)
        axes.set_yticks(places, told)
        axes.set_ylim(len(largest) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
        axes.set_xlabel(label)
        _add_legend(figure, look, [names[number] for number in sorted(shown)])
    return figure
