"""Figures for papers and notebooks, as matplotlib figures; the page's script draws its own.

- `forest`: scores with intervals; `pairs`: every pair of systems, with its test
- `matrix`: the same as `forest` for each language pair, and for averages
- `lengths`: scores by length; `segments`: two systems segment by segment
- `draw`, `save`: a figure of a report, and a figure as a file, for the command

They take statistics or results of `bleucli`, so a figure shows the numbers that were printed. `figure.savefig` writes
one to a file; notebooks show a figure that is the last value of a cell. All widths are in inches. Nothing depends on
colour alone: each series has its own marker and dashes, and cells have words and hatching.

>>> from bleucli import BLEU, plots
>>> references = [["the cat sat on the mat", "a dog is in the garden", "it was a cold and rainy day"]]
>>> systems = {
...     "first": ["the cat sat on the mat", "a dog is in the house", "it was a cold and wet day"],
...     "second": ["the cat sat on the mat", "a dog is in the garden", "it was a cold and wet day"],
... }
>>> stats = {name: BLEU().corpus_stats(texts, references, keep_rows=True) for name, texts in systems.items()}
>>> figure = plots.forest(plots.compare(stats, trials=100))
>>> float(figure.get_figwidth())
3.3
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO

from bleucli.counting.threads import count_threads
from bleucli.errors import BleuError, InputTypeError, UsageError
from bleucli.limits import LEAST_WIDTH, MOST_TRIALS, MOST_WIDTH, real_number, whole_number
from bleucli.optional_deps import load
from bleucli.output.layout import check_results
from bleucli.prose.markup import readable
from bleucli.prose.theme import PAPER
from bleucli.report import contents
from bleucli.report.verdicts import show_cell
from bleucli.results import SIGNIFICANT, Ranking, Results, ScoreRecord, SystemResult, tell_ranks
from bleucli.significance.comparison import rank
from bleucli.significance.resampling import TRIALS, choose_seed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from bleucli.counting import CorpusStats
    from bleucli.report.contents import Report
    from bleucli.significance.resampling import Seed

    Floats = NDArray[np.float64]

# The width of a column in most papers, in inches
WIDTH = 3.3
# Names of systems are cut to this many characters
_LONGEST = 22
# The height of a page, and of the lowest row of a dense figure, in inches
_PAGE, _LEAST_STEP = 9.0, 0.09
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


def compare(
    stats: Mapping[str, CorpusStats], trials: int = TRIALS, *, seed: Seed = "environment", jobs: int = 1
) -> Results:
    """Return the scores of systems by one metric, with bootstrap intervals and a test of every pair.

    Args:
        stats: for each system's name, its statistics with rows; all are of the same segments.
        trials: the number of trials of the paired approximate randomization, from 1 to 10,000,000.
        seed: the seed of the trials and resamples: a whole number from 0; None for a new seed each time. "environment"
            stands for `BLEU_SEED`, or else `SACREBLEU_SEED`, or else 12345.
        jobs: the number of threads, 0 for all usable processors; it never changes a result.

    Returns:
        Scores in percent, each with a 95% interval of 1,000 resamples; and, for two or more systems, the p-values and
        clusters of a paired approximate randomization of every pair.

    Raises:
        BleuError: there is no system, rows were not kept, systems have different numbers of segments or were counted
            by different metrics, or a number is out of range.

    >>> from bleucli import TER
    >>> references = [["the cat sat on the mat", "it was a cold day"] * 20]
    >>> systems = {"one": ["the cat sat on a mat", "it was a cold day"] * 20, "two": references[0]}
    >>> stats = {name: TER().corpus_stats(texts, references, keep_rows=True) for name, texts in systems.items()}
    >>> results = compare(stats, trials=999, seed=1)
    >>> [(system.name, round(system.scores[0].score, 1)) for system in results.systems], results.rankings[0].clusters
    ([('one', 9.1), ('two', 0.0)], [2, 1])
    """
    all_stats = _check(stats)
    trials = whole_number("trials", trials, 1, MOST_TRIALS)
    plan = contents.plan_of(None, len(all_stats), count_threads(jobs), choose_seed(seed))
    if plan.tests is not None:
        plan = plan._replace(tests=plan.tests._replace(trials=trials))
    systems = [SystemResult(name, [one.record()]) for name, one in stats.items()]
    measured = [contents.of_metric(all_stats[0].metric, all_stats)]  # type: ignore[arg-type]
    return contents.resample(Results(systems, all_stats[0].segments, []), measured, plan)


def forest(results: Results, metric: str = "", *, width: float = WIDTH) -> Figure:
    """Return a figure of scores, with intervals if they were resampled; the best is on top.

    Args:
        results: those of `compare` or `bleucli.evaluate_systems`.
        metric: its name as it is printed, such as "chrF2"; "" for the first one.
        width: the width in inches, from 1 to 30.

    Returns:
        A matplotlib figure.

    Raises:
        BleuError: no metric has that name, or several have it; or matplotlib is not installed.
    """
    names, records, ranking = _find(results, metric)
    return _forest(names, records, ranking, _width(width))


def pairs(results: Results, metric: str = "", *, width: float = WIDTH) -> Figure:
    """Return a figure of every pair of systems: by how much they differ, and whether that is significant.

    Args:
        results: those of `compare` or `bleucli.evaluate_systems`, with a test of every pair.
        metric: as for `forest`.
        width: the width in inches, from 1 to 30.

    Returns:
        A matplotlib figure.

    Raises:
        BleuError: as for `forest`; or not every pair was tested.

    >>> from bleucli import BLEU
    >>> references = [["the cat sat on the mat", "it was a cold day"] * 20]
    >>> systems = {"one": ["the cat sat on a mat", "it was a cold day"] * 20, "two": references[0]}
    >>> stats = {name: BLEU().corpus_stats(texts, references, keep_rows=True) for name, texts in systems.items()}
    >>> figure = pairs(compare(stats, trials=999), width=5.0)
    >>> float(figure.get_figwidth())
    5.0
    """
    names, records, ranking = _find(results, metric)
    if ranking is None:
        raise BleuError("the pairs were not tested; give the results of plots.compare for at least two systems")
    return _pairs(names, records, ranking, _width(width))


def matrix(results: Results, metric: str = "", *, width: float = 2 * WIDTH) -> Figure:
    """Return a figure of a matrix: a panel for each language pair and one for the averages, with a row for each system.

    If systems were tested against a baseline, its score is a square and a dashed line, and the scores of others that do
    not differ significantly from it are hollow. If every pair of systems was tested, the ranks that the tests allow are
    in parentheses.

    Args:
        results: those of `bleucli.score_matrix`.
        metric: as for `forest`.
        width: the width in inches, from 1 to 30.

    Returns:
        A matplotlib figure.

    Raises:
        BleuError: as for `forest`; or the results are not those of a matrix.

    >>> from bleucli import score_matrix
    >>> texts = {"one": ["the cat sat on a mat"], "two": ["the cat sat on the mat"]}, [["the cat sat on the mat"]]
    >>> figure = matrix(score_matrix({"de-en": texts, "fr-en": texts}))
    >>> [panel.get_title() for panel in figure.axes]
    ['de-en', 'fr-en', 'average']
    """
    inches = _width(width)
    _find(results, metric)
    if not results.pairs:
        raise BleuError("the results have no language pairs; give what score_matrix returns")
    panels: dict[str, list[tuple[str, ScoreRecord, str]]] = {}
    for group, index in results.with_averages().places():
        _, records, ranking = _find(group, metric)
        row = group.systems[index]
        ranks = "" if ranking is None else f" ({tell_ranks(ranking.ranks[index])})"
        panels.setdefault(row.pair, []).append((row.bare_name, records[index], ranks))
    return _matrix(results.names, panels, results.has_baseline(), inches)


def lengths(stats: Mapping[str, CorpusStats], of_segments: Iterable[int], *, width: float = WIDTH) -> Figure:
    """Return a figure of scores by length. It has room for eight systems, so of more only the best are drawn.

    Args:
        stats: for each system's name, its statistics with rows; all are of the same segments.
        of_segments: the length of each segment, in words or any other unit, a whole number from 0.
        width: the width in inches, from 1 to 30.

    Returns:
        A matplotlib figure.

    Raises:
        BleuError: as for `compare`; the number of lengths is wrong; or matplotlib is not installed.

    >>> from bleucli import BLEU
    >>> references = ["the cat sat on the mat", "it was a cold and rainy day in the garden"]
    >>> stats = {"copy": BLEU().corpus_stats(references, [references], keep_rows=True)}
    >>> figure = lengths(stats, [len(text.split()) for text in references])
    >>> float(figure.get_figwidth())
    3.3
    """
    import numpy as np

    all_stats = _check(stats)
    if not isinstance(of_segments, Iterable) or isinstance(of_segments, str | bytes | Mapping | set | frozenset):
        raise InputTypeError("of_segments: expected a list of lengths, one whole number for each segment")
    numbers = [whole_number("length", one, 0, np.iinfo(np.int64).max) for one in of_segments]
    if len(numbers) != all_stats[0].segments:
        raise BleuError(f"{len(numbers)} lengths for {all_stats[0].segments} segments; give one for each")
    measured = contents.of_metric(all_stats[0].metric, all_stats)  # type: ignore[arg-type]
    grouping = contents.group_lengths([measured], np.asarray(numbers), "words")
    order = rank([one.record() for one in all_stats])
    labels = contents.short_lengths(grouping.labels)
    axes = "length; below: segments", measured.name
    return _lines(list(stats), grouping.scores[0], order, labels, grouping.sizes, *axes, _width(width))


def segments(stats: Mapping[str, CorpusStats], *, width: float = WIDTH) -> Figure:
    """Return a figure of two systems, one point per segment.

    Args:
        stats: for the name of each of the two systems, its statistics with rows; both are of the same segments.
        width: the width in inches, from 1 to 30.

    Returns:
        A matplotlib figure.

    Raises:
        BleuError: as for `compare`; there are not exactly two systems; or matplotlib is not installed.

    >>> from bleucli import BLEU
    >>> references = [["the cat sat on the mat", "it was a cold day"]]
    >>> systems = {"one": ["the cat sat on a mat", "it was a cold day"], "two": references[0]}
    >>> stats = {name: BLEU().corpus_stats(texts, references, keep_rows=True) for name, texts in systems.items()}
    >>> figure = segments(stats)
    >>> float(figure.get_figwidth())
    3.3
    """
    both = _check(stats)
    if len(both) != 2:
        raise BleuError(f"plots.segments compares two systems, not {len(both)}; give two")
    measured = contents.of_metric(both[0].metric, both)  # type: ignore[arg-type]
    first, second = map(measured.score_segments, measured.rows)
    return _segments(list(stats), first, second, f"{measured.name} of a segment", _width(width))


def draw(report: Report, kind: str, number: int, width: float) -> Figure:
    """Return a figure of a report, for the command.

    kind: "forest", "pairs", "lengths", or "segments" of the first two systems. number: that of the metric. width: in
    inches.
    """
    column = report.columns[number]
    if kind == "forest":
        return _forest(report.names, column.records, column.ranking, width, column.decimals(2))
    if kind == "pairs":
        assert column.ranking is not None
        return _pairs(report.names, column.records, column.ranking, width, column.decimals(1))
    if kind == "lengths":
        grouping = report.groups[0]
        labels, across = contents.short_lengths(grouping.labels), f"{grouping.title}; below: segments"
        scores, order = grouping.scores[number], column.order()
        return _lines(report.names, scores, order, labels, grouping.sizes, across, column.name, width)
    first, second = column.segment_scores[:2]
    label = f"{column.name} of a segment"
    return _segments(report.names[:2], first, second, label, width, column.limits())


def save(figure: Figure, form: str) -> tuple[bytes, list[str]]:
    """Return a figure as a file, "pdf", "svg" or "png", and the characters that none of the fonts has."""
    target = BytesIO()
    # Without a date, and with a fixed salt, the same input gives the same bytes
    metadata = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}.get(form)
    # TrueType: many publishers refuse the fonts of Type 3, which are matplotlib's default
    settings = {"pdf.fonttype": 42, "svg.fonttype": "none", "svg.hashsalt": _SALT}
    with _use_settings(settings), warnings.catch_warnings(record=True) as messages:
        warnings.simplefilter("always")
        figure.savefig(target, format=form, dpi="figure" if form == "svg" else _DOTS, metadata=metadata)
    missing = []
    for one in messages:
        if glyph := re.match(r"Glyph (\d+) ", str(one.message)):
            missing.append(chr(int(glyph[1])))
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    # The reader of an SVG chooses the fonts
    return target.getvalue(), [] if form == "svg" else missing


# --- what is drawn


def _width(width: object) -> float:
    """Return a width in inches; refuse what is not a number, or too small or too large."""
    inches = real_number("width", width)
    if not LEAST_WIDTH <= inches <= MOST_WIDTH:
        raise UsageError(f"width {inches}; expected inches, from {LEAST_WIDTH:g} to {MOST_WIDTH:g}")
    return inches


def _check(stats: Mapping[str, CorpusStats]) -> list[CorpusStats]:
    """Return the statistics of all systems; refuse those that cannot be compared."""
    from bleucli.counting import CorpusStats

    if not isinstance(stats, Mapping) or not all(
        isinstance(name, str) and isinstance(one, CorpusStats) for name, one in stats.items()
    ):
        raise InputTypeError('stats: expected statistics by name; write {"name": metric.corpus_stats(...), ...}')
    all_stats = list(stats.values())
    if not all_stats:
        raise BleuError("no system was given; expected a dictionary of names and statistics")
    for name, one in stats.items():
        if one.rows is None:
            raise BleuError(f"{name} has no rows; count with keep_rows=True")
        if one.segments != all_stats[0].segments:
            raise BleuError(
                f"{name} has {one.segments} segments, and {next(iter(stats))} has {all_stats[0].segments}; give"
                " statistics of the same segments"
            )
        if one.metric.configuration() != all_stats[0].metric.configuration():
            raise BleuError(
                f"{name} was not counted with the same metric as {next(iter(stats))}; count both with the same metric"
                " and options"
            )
    return all_stats


def _find(results: Results, metric: str) -> tuple[list[str], list[ScoreRecord], Ranking | None]:
    """Return the names of all systems, their scores by a metric, and the test of all pairs, if there was one."""
    check_results(results, "plots.compare or evaluate_systems")
    metrics = [record.name for record in results.systems[0].scores]
    if metric and metric not in metrics:
        raise BleuError(f"there is no metric {metric}; expected one of {', '.join(metrics)}")
    if metrics.count(metric) > 1:
        raise BleuError(f"more than one metric is called {metric}; plot results that have only one of them")
    place = metrics.index(metric) if metric else 0
    records = [system.scores[place] for system in results.systems]
    names = [system.name for system in results.systems]
    return names, records, results.rankings[place] if results.rankings else None


# --- how it is drawn


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


def _shorten(name: str) -> str:
    """Return a name, cut if it is too long for a figure.

    >>> _shorten("a" * 30)
    'aaaaaaaaaaaaaaaaaaaaa…'
    """
    text = readable(name)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _forest(
    names: Sequence[str], records: Sequence[ScoreRecord], ranking: Ranking | None, width: float, decimals: int = 2
) -> Figure:
    """Draw scores with their intervals, if they have any; decimals: those of scores.

    If every pair was tested, the ranks that the tests allow are in parentheses, and clusters are bands.
    """
    import numpy as np

    with _style(width) as size:
        order = rank(records)
        figure, axes = _make(width, size / 9 * (0.62 + 0.27 * len(names)))
        intervals = [records[number].interval for number in order]
        ends = np.array([(np.nan, np.nan) if interval is None else interval.bounds for interval in intervals])
        colour, levels = PAPER["series-1"], np.arange(len(order))
        # All systems are one series, since matplotlib takes a millisecond for each series
        gaps = np.full(len(order), np.nan)
        axes.plot(np.c_[ends, gaps].ravel(), levels.repeat(3), color=colour, solid_capstyle="butt")
        axes.plot(ends.ravel(), levels.repeat(2), "|", color=colour, markersize=6)
        axes.plot([records[number].score for number in order], levels, "o", color=colour, markersize=5)
        for place, number in enumerate(order):
            score = f"{records[number].score:.{decimals}f}"
            if ranking is not None:
                score += f" ({tell_ranks(ranking.ranks[number])})"
            axes.text(1.02, place, score, transform=axes.get_yaxis_transform(), va="center")
        if ranking is not None and max(ranking.clusters) > 1:
            for cluster in range(1, max(ranking.clusters) + 1, 2):
                places = [place for place, number in enumerate(order) if ranking.clusters[number] == cluster]
                axes.axhspan(min(places) - 0.5, max(places) + 0.5, color=PAPER["band"], linewidth=0, zorder=0)
        axes.set_yticks(range(len(order)), [_shorten(names[number]) for number in order])
        axes.set_ylim(len(order) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.grid(axis="x")
        axes.margins(x=0.08)
        axes.set_xlabel(records[0].name)
    return figure


def _matrix(
    names: Sequence[str],
    panels: Mapping[str, Sequence[tuple[str, ScoreRecord, str]]],
    has_baseline: bool,
    width: float,
) -> Figure:
    """Draw the scores of each language pair in a panel: names, scores and what follows these; the baseline is first.

    Scores are above their points. If the figure would be higher than a page, they are beside the panels, and rows are
    as high as the page allows.
    """
    with _style(width) as size:
        from matplotlib.figure import Figure

        down = -(-len(panels) // max(1, int(width * 9 / size / 1.2)))
        across = -(-len(panels) // down)  # as many as fit would leave a last row with few
        head, step = 0.75 * size / 9, 0.3 * size / 9
        is_dense = down * (head + step * len(names)) > _PAGE
        small = size - 1
        if is_dense:
            head = 0.6 * size / 9
            step = max(_LEAST_STEP, (_PAGE / down - head) / len(names))
            small = min(small, 0.85 * step * 72)
        figure = Figure(figsize=(width, down * (head + step * len(names))), layout="constrained")
        grid = figure.subplots(down, across, sharey=True, squeeze=False).ravel()
        colour = PAPER["series-1"]
        for axes, (pair, rows) in zip(grid, panels.items(), strict=False):
            for name, record, ranks in rows:
                level = names.index(name)
                is_baseline = has_baseline and level == 0
                is_hollow = has_baseline and not is_baseline and not record.differs
                if is_baseline:
                    axes.axvline(record.score, color=PAPER["quiet"], linewidth=0.8, dashes=(4, 2), zorder=1)
                marker = min(5, 0.45 * step * 72)
                if record.interval is not None:
                    axes.plot(record.interval.bounds, [level] * 2, "|-", color=colour, markersize=marker)
                look = {"markerfacecolor": "white" if is_hollow else colour, "markersize": marker}
                axes.plot([record.score], [level], "s" if is_baseline else "o", color=colour, **look)
                score = f"{record.score:.{4 if record.scale == 1 else 1}f}{ranks}"
                if is_dense:
                    axes.text(1.04, level, score, transform=axes.get_yaxis_transform(), va="center", size=small)
                else:
                    shade = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}  # the dashed line stays behind
                    axes.text(record.score, level - 0.22, score, ha="center", va="bottom", size=small, bbox=shade)
            axes.set_title(readable(pair))
            axes.grid(axis="x")
            axes.margins(x=0.08 if is_dense else 0.3)
            axes.locator_params(axis="x", nbins=3)
        for axes in grid[len(panels) :]:
            axes.remove()
        for axes in grid[: len(panels)]:
            axes.set_yticks(range(len(names)), list(map(_shorten, names)), size=min(size - 0.5, small + 0.5))
            axes.set_ylim(len(names) - 0.5, -0.6 if is_dense else -0.9)
            axes.tick_params(axis="y", length=0)
            axes.spines["left"].set_visible(False)
        figure.supxlabel(next(iter(panels.values()))[0][1].name, fontsize=size)
    return figure


def _pairs(
    names: Sequence[str], records: Sequence[ScoreRecord], ranking: Ranking, width: float, decimals: int = 1
) -> Figure:
    """Draw by how much the system in the row is better, and whether that is significant; decimals: those of leads.

    With more systems than `TIGHT`, cells have no text, and columns have the numbers that the rows have before their
    names. Then rows are as high as a line of text, however narrow the figure is.
    """
    order = rank(records)
    count = len(order)
    sign = 1 if records[0].higher_is_better else -1  # so a better system has a positive lead by error rates, too
    with _style(width) as size:
        from matplotlib.patches import Rectangle

        is_numbered = count > TIGHT
        labels = [_shorten(names[number]) for number in order]
        columns, rows = labels, labels
        if is_numbered:
            columns = [str(place) for place in range(1, count + 1)]
            rows = [f"{name}  {place}" for name, place in zip(labels, columns, strict=True)]
        is_slanted = count > 2 and not is_numbered
        # The lines of text that the names below the columns need: from three systems on, they are slanted
        slant = 2.4 + 0.25 * max(map(len, labels)) if is_slanted else 2.4
        small = size - 1.5 if is_numbered else size - 0.5
        height = max(width * 0.68 * min(1.0, 0.34 + 0.11 * count), count * small * 1.15 / 72 if is_numbered else 0)
        figure, axes = _make(width, height + 0.13 * slant * size / 9)
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
                    points = size - 0.5 if count <= ROOMY else size - 2.5
                    axes.text(column, row, "\n".join(lines), ha="center", va="center", size=points, **shade)
        axes.set_yticks(range(count), rows, size=small)
        turn: dict[str, Any] = {"rotation": 35, "ha": "right"} if is_slanted else {"rotation": 0, "ha": "center"}
        ticks = [place for place in range(count) if not is_numbered or place == 0 or place % 5 == 4]
        axes.set_xticks(ticks, [columns[place] for place in ticks], size=small, **turn)
        axes.set_xlim(-0.5, count - 0.5)
        axes.set_ylim(count - 0.5, -0.5)
        axes.tick_params(length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
        axes.set_xlabel(f"{records[0].name}: lead of the row over the column")
    return figure


def _segments(
    names: Sequence[str],
    first: Floats,
    second: Floats,
    label: str,
    width: float,
    limits: tuple[float, float] | None = None,
) -> Figure:
    """Draw a point for each segment: its score in one system, and in another; limits: the ends of both axes."""
    with _style(width):
        figure, axes = _make(width, width * 0.8)
        both = [*first, *second]
        low, high = (min(both), max(both)) if limits is None else limits
        margin = (high - low) * 0.02 or max(0.5, abs(high) * 0.02)
        ends = (low - margin, high + margin)
        axes.plot(ends, ends, color=PAPER["quiet"], linewidth=0.8, dashes=(4, 2), zorder=1)
        axes.plot(
            first.clip(low, high),
            second.clip(low, high),
            "o",
            color=PAPER["series-1"],
            alpha=0.45,
            markersize=2.4 if len(first) > 500 else 3.5,
            markeredgewidth=0,
        )
        axes.set_xlim(ends)
        axes.set_ylim(ends)
        axes.grid()
        axes.set_xlabel(f"{label}, {_shorten(names[0])}")
        axes.set_ylabel(f"{label}, {_shorten(names[1])}")
    return figure


def _lines(
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

    scores: one row per system, one score per group. order: the numbers of the systems, the best first. labels: those of
    the groups. sizes: the number of segments in each. across: what the groups are. label: the name of the scores.
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
            text.set_text(_shorten(names[number]))
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
