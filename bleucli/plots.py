"""Figures for papers and notebooks, as matplotlib figures.

- `forest`: scores with intervals; `pairs`: every pair of systems, with its test
- `lengths`: scores by length; `segments`: two systems segment by segment

They take statistics or results of `bleucli`, so a figure shows the numbers that were printed. `figure.savefig` writes
one to a file; notebooks show a figure that is the last value of a cell.

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

from collections.abc import Iterable, Mapping

from bleucli.counting.threads import count_threads
from bleucli.errors import BleuError, InputTypeError, UsageError
from bleucli.limits import LEAST_WIDTH, MOST_TRIALS, MOST_WIDTH, real_number, whole_number
from bleucli.report import contents, figures, sketches
from bleucli.results import Results, SystemResult
from bleucli.significance.comparison import rank
from bleucli.significance.resampling import TRIALS, choose_seed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from matplotlib.figure import Figure

    from bleucli.counting import CorpusStats
    from bleucli.results import Ranking, ScoreRecord
    from bleucli.significance.resampling import Seed

# The width of a column in most papers, in inches
WIDTH = 3.3


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
    counted = _check(stats)
    trials = whole_number("trials", trials, 1, MOST_TRIALS)
    plan = contents.plan_of(None, len(counted), count_threads(jobs), choose_seed(seed))
    if plan.tests is not None:
        plan = plan._replace(tests=plan.tests._replace(trials=trials))
    systems = [SystemResult(name, [one.record()]) for name, one in stats.items()]
    measured = [contents.of_metric(counted[0].metric, counted)]  # type: ignore[arg-type]
    return contents.resample(Results(systems, counted[0].segments, []), measured, plan)


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
    records, ranking = _find(results, metric)
    intervals = [
        one.interval and (one.interval.mean - one.interval.half_width, one.interval.mean + one.interval.half_width)
        for one in records
    ]
    names = [system.name for system in results.systems]
    scores = [record.score for record in records]
    clusters = None if ranking is None else ranking.clusters
    look = _look(width)
    return figures.forest(names, scores, intervals, rank(records), records[0].name, clusters, look)


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
    records, ranking = _find(results, metric)
    if ranking is None:
        raise BleuError("the pairs were not tested; give the results of plots.compare for at least two systems")
    sign = 1 if records[0].higher_is_better else -1  # so a better system has a positive lead by error rates, too
    leads = [[sign * (one.score - other.score) for other in records] for one in records]
    names = [system.name for system in results.systems]
    look = _look(width)
    return figures.pairs(names, leads, ranking.corrected, rank(records), records[0].name, look)


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

    counted = _check(stats)
    numbers = [whole_number("length", one, 0, np.iinfo(np.int64).max) for one in _listed(of_segments)]
    if len(numbers) != counted[0].segments:
        raise BleuError(f"{len(numbers)} lengths for {counted[0].segments} segments; give one for each")
    measured = contents.of_metric(counted[0].metric, counted)  # type: ignore[arg-type]
    grouping = contents.group_lengths([measured], np.asarray(numbers), "words")
    order = rank([one.record() for one in counted])
    shown = sketches.short_lengths(grouping.labels)
    look = _look(width)
    return figures.lines(
        list(stats), grouping.scores[0], order, shown, grouping.sizes, "length; below: segments", measured.name, look
    )


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
    counted = _check(stats)
    if len(counted) != 2:
        raise BleuError(f"plots.segments compares two systems, not {len(counted)}; give two")
    measured = contents.of_metric(counted[0].metric, counted)  # type: ignore[arg-type]
    first, second = map(measured.score_segments, measured.rows)
    return figures.segments(list(stats), first, second, f"{measured.name} of a segment", _look(width))


def _look(width: float) -> figures.Look:
    """Return the look of a figure of this width in inches.

    Raises:
        InputTypeError: the width is not a number.
        UsageError: it is too small or too large.
    """
    inches = real_number("width", width)
    if not LEAST_WIDTH <= inches <= MOST_WIDTH:
        raise UsageError(f"width {inches}; expected inches, from {LEAST_WIDTH:g} to {MOST_WIDTH:g}")
    return figures.paper(inches)


def _listed(lengths: object) -> list[Any]:
    if not isinstance(lengths, Iterable) or isinstance(lengths, str | bytes | Mapping | set | frozenset):
        raise InputTypeError("of_segments: expected a list of lengths, one whole number for each segment")
    return list(lengths)


def _check(stats: Mapping[str, CorpusStats]) -> list[CorpusStats]:
    """Return the statistics of all systems; refuse those that cannot be compared."""
    from bleucli.counting import CorpusStats

    if not isinstance(stats, Mapping) or not all(
        isinstance(name, str) and isinstance(one, CorpusStats) for name, one in stats.items()
    ):
        raise InputTypeError('stats: expected statistics by name; write {"name": metric.corpus_stats(...), ...}')
    counted = list(stats.values())
    if not counted:
        raise BleuError("no system was given; expected a dictionary of names and statistics")
    for name, one in stats.items():
        if one.rows is None:
            raise BleuError(f"{name} has no rows; count with keep_rows=True")
        if one.segments != counted[0].segments:
            raise BleuError(
                f"{name} has {one.segments} segments, and {next(iter(stats))} has {counted[0].segments}; give"
                " statistics of the same segments"
            )
        if one.metric.configuration() != counted[0].metric.configuration():
            raise BleuError(
                f"{name} was not counted with the same metric as {next(iter(stats))}; count both with the same metric"
                " and options"
            )
    return counted


def _find(results: Results, metric: str) -> tuple[list[ScoreRecord], Ranking | None]:
    """Return the scores of all systems by a metric, and the test of all pairs, if there was one."""
    if not isinstance(results, Results):
        kind = type(results).__name__
        raise InputTypeError(f"results of type {kind}; give what plots.compare or evaluate_systems returns")
    if not results.systems:
        raise BleuError("the results have no system; give results of at least one system")
    known = [record.name for record in results.systems[0].scores]
    if metric and metric not in known:
        raise BleuError(f"there is no metric {metric}; expected one of {', '.join(known)}")
    if known.count(metric) > 1:
        raise BleuError(f"more than one metric is called {metric}; plot results that have only one of them")
    place = known.index(metric) if metric else 0
    records = [system.scores[place] for system in results.systems]
    return records, results.rankings[place] if results.rankings else None
