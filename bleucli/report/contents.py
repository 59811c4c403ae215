"""The content of a report, as data: scores and their certainty, differences, groups of segments, segments.

- `Report`: all of it; `make_report` makes one from statistics
- `Measured`: the segments of all systems, by one metric; `of_metric` and `of_numbers` make one
- `Plan`: how scores are resampled; `plan_of` completes the options that were given; `resample` carries the plan out
- `Column`, `Pair`, `Grouping`: the parts of a report

Segments count from 0 here, in the order in which they were scored; `Report.lines` has their lines in the files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from math import fsum

from bleucli.errors import BleuError, InputTypeError
from bleucli.kernels.stats import SegmentStats
from bleucli.metrics import BLEU, CHRF, Metric
from bleucli.metrics.differences import Share, share_out
from bleucli.phrases import tell_place
from bleucli.prose.markup import readable
from bleucli.records import NamedTuple
from bleucli.report import passages
from bleucli.report.tokens import Lead, Profile, find_leads, find_profiles, number_tokens
from bleucli.results import DECIMALS, Ranking, Results, ScoreRecord, decimals_of
from bleucli.results.signature import RESAMPLING_KEYS, VERSION, Signature
from bleucli.scale.segment_scores import LARGEST
from bleucli.significance import comparison
from bleucli.significance.comparison import Sampling, rank
from bleucli.significance.resampling import RESAMPLES, SEED, TRIALS, Sample, report_nothing

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bleucli.counting import CorpusStats
    from bleucli.counting.corpus import Corpus
    from bleucli.report.passages import Passages

    Floats = NDArray[np.float64]
    Numbers = NDArray[np.float64 | np.int64]

# Bounds of the groups of reference lengths, by the unit of lengths; for words, those of compare-mt
_LENGTHS = {"tokens": (10, 20, 30, 40, 50, 60), "words": (10, 20, 30, 40, 50, 60)}
_LENGTHS["characters"] = (25, 50, 100, 150, 200, 300)
# Columns that may be known about segments, and their names on the page
_LABELS = {"testset": "test set", "origlang": "original language", "domain": "domain", "docid": "document"}
# The signature of scores from other tools
_GIVEN = Signature([("version", VERSION)])
# The keys of signatures about resampling
# The number of bins in the figure of differences between segments' scores
BINS = 41


class Measured(NamedTuple):
    """The segments of all systems, by one metric or by scores from another tool.

    rows: for each system, n rows of k numbers that can be added. score: takes m × k sums of rows and the number of
    segments in each sum, and returns m scores. score_segments: takes rows, and returns one score per row. metric: None
    for scores from another tool. sample: for each system, the same rows in the form that resampling needs.
    """

    name: str
    higher_is_better: bool
    rows: Sequence[Numbers]
    score: Callable[[Numbers, Numbers], Floats]
    score_segments: Callable[[Numbers], Floats]
    metric: Metric | None
    sample: Sequence[Sample]


class Plan(NamedTuple):
    """How scores are resampled: intervals by bootstrap, and a test of every pair (None for a single system)."""

    intervals: Sampling
    tests: Sampling | None


class Column(NamedTuple):
    """The results of one metric for all systems.

    signature: how scores were computed, without the resampling. records: one score per system, with intervals. ranking:
    the test of all pairs; None for a single system. segment_scores, influences: one row per system, one number per
    segment. The influence of a segment is the score minus the score without it; its influence on the difference between
    two systems is the difference of its two influences. span: the end of the axis of differences between segments'
    scores: 100, or the largest difference between two scores from another tool; larger differences of error rates count
    as 100. is_given: whether the scores are from another tool.
    """

    name: str
    higher_is_better: bool
    signature: str
    records: Sequence[ScoreRecord]
    ranking: Ranking | None
    segment_scores: Floats
    influences: Floats
    span: float
    is_given: bool

    def order(self) -> list[int]:
        """Return the numbers of the systems, the best first."""
        return rank(self.records)

    def lead(self, first: int, second: int) -> float:
        """Return by how much one system is better than another, in points; below 0 if it is worse."""
        difference = self.records[first].score - self.records[second].score
        return difference if self.higher_is_better else -difference

    def decimals(self, usual: int) -> int:
        """Return how many decimals points have; `usual`: how many they have if scores are in percent."""
        if not self.is_given:
            return usual
        return usual + decimals_of([record.score for record in self.records]) - DECIMALS[100]

    def limits(self) -> tuple[float, float]:
        """Return the limits of the axes of segments' scores; error rates beyond 100 are drawn at 100."""
        if self.is_given:
            return float(self.segment_scores.min()), float(self.segment_scores.max())
        return 0.0, 100.0


class Pair(NamedTuple):
    """Two systems; differences are the second score minus the first.

    shares: by metric, the shares of BLEU's factors in the difference. why_not: by metric, why there are no shares; ""
    for other metrics. counts: by metric, the number of segments in each of `BINS` bins of the difference of their
    scores, from -`span` to `span`. wins: by metric, the numbers of segments in which the first system is better, both
    are equal, or the second is better.
    """

    first: int
    second: int
    shares: Sequence[Sequence[Share]]
    why_not: Sequence[str]
    counts: Sequence[Sequence[int]]
    wins: Sequence[tuple[int, int, int]]


class Grouping(NamedTuple):
    """Segments grouped by something that is known about them, and the scores of each group.

    kind: "length", or the name of a column. title: the kind in words. labels, sizes: those of the groups. scores: by
    metric, one row per system with one score per group. of: the group of each segment.
    """

    kind: str
    title: str
    labels: Sequence[str]
    sizes: Sequence[int]
    scores: Sequence[Floats]
    of: NDArray[np.int64]


class Report(NamedTuple):
    """The content of a report.

    names: the names of the systems. lines: the line of each segment in the files, from 0. columns: the results of each
    metric. pairs: every two systems. passages: the texts of the segments on the page. leads: n-grams that one system
    gets right more often than another. profiles: curves for each system. hints: what a user should know about the
    input.
    """

    names: Sequence[str]
    lines: Sequence[int]
    columns: Sequence[Column]
    pairs: Sequence[Pair]
    groups: Sequence[Grouping]
    passages: Passages
    leads: Sequence[Lead]
    profiles: Sequence[Profile]
    hints: Sequence[str]
    plan: Plan

    def pair(self, first: int, second: int) -> Pair:
        """Return the pair of two systems, given in either order."""
        return next(pair for pair in self.pairs if {pair.first, pair.second} == {first, second})


# --- measurements


def of_metric(metric: Metric, stats: Sequence[CorpusStats]) -> Measured:
    """Return what a metric measures: its statistics of all systems, which must have rows.

    Single segments are scored as with `-sl`.
    """
    import numpy as np

    of_segments = metric.for_segments()

    def score(sums: Numbers, counts: Numbers) -> Floats:
        return metric.scores_from_stats(SegmentStats.from_numpy(sums))

    def score_segments(rows: Numbers) -> Floats:
        return of_segments.scores_from_stats(SegmentStats.from_numpy(rows))

    name = stats[0].score().name
    rows = [np.asarray(one.rows) for one in stats]
    samples = list(map(comparison.sample_of, stats))
    return Measured(name, metric.higher_is_better, rows, score, score_segments, metric, samples)


def of_numbers(name: str, columns: Sequence[Sequence[float]]) -> Measured:
    """Return the scores of another tool for the segments of each system; higher is better.

    Raises:
        BleuError: a score is too large, or not finite.
        InputTypeError: a score is not a number.
    """
    import numpy as np

    def score(sums: Numbers, counts: Numbers) -> Floats:
        return np.asarray(sums[:, 0] / np.maximum(counts, 1), np.float64)

    def score_segments(rows: Numbers) -> Floats:
        return np.asarray(rows[:, 0], np.float64)

    def mean(sums: SegmentStats) -> Floats:
        values, counts = np.asarray(sums).T
        return np.asarray(values / counts, np.float64)

    rows = [_read_numbers(name, column).reshape(-1, 1) for column in columns]
    name = readable(name)
    # Scores of other tools may be coarse: then many trials have exactly the observed difference
    samples = [
        Sample(SegmentStats.from_numpy(np.column_stack([one, np.ones(len(one))])), mean, ties=True) for one in rows
    ]
    return Measured(name, True, rows, score, score_segments, None, samples)


def _read_numbers(name: str, column: Sequence[float]) -> Floats:
    import numpy as np

    try:
        numbers = np.asarray(column, np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.empty((0, 0))
    if numbers.ndim != 1:
        raise InputTypeError(f"the scores of {name} are not numbers; give one list of numbers per system")
    wrong = np.flatnonzero(~(np.abs(numbers) <= LARGEST))
    if wrong.size:
        place = tell_place("segment", int(wrong[0]))
        raise BleuError(f"{name} gives {numbers[wrong[0]]} for ", place, "; give numbers from -1e100 to 1e100")
    return numbers


# --- how scores are resampled


def plan_of(
    choice: Sampling | None, systems: int, jobs: int = 1, seed: int | None = SEED, unit: str = "segment"
) -> Plan:
    """Return how scores are resampled: as the user asked, and by reliable methods otherwise.

    Args:
        choice: the resampling of the usual output; None for none.
        systems: the number of systems.
        jobs: the number of threads, unless `choice` gives it.
        seed: the seed, unless `choice` gives it.
        unit: what is drawn or exchanged as a whole, one of `bleucli.results.UNITS`.

    >>> plan_of(None, 2).tests.method, plan_of(Sampling("bs", 500), 2).intervals.trials
    ('ar', 500)
    """
    if choice is not None:
        jobs, seed = choice.jobs, choice.seed
    is_test = choice is not None and choice.method != "ci"
    has_intervals = choice is not None and choice.method != "ar"
    intervals = Sampling(
        "ci", choice.trials if choice is not None and has_intervals else RESAMPLES, seed, jobs, unit=unit
    )
    tests = choice if choice is not None and is_test else Sampling("ar", TRIALS, seed, jobs, unit=unit)
    return Plan(intervals, tests._replace(all_pairs=True) if systems > 1 else None)


def _add_records(results: Results, measured: Sequence[Measured]) -> Results:
    """Return results with the means of other tools' scores, after the scores of metrics."""
    systems = []
    for number, system in enumerate(results.systems):
        means = [
            ScoreRecord(one.name, fsum(one.rows[number][:, 0]) / len(one.rows[number]), "", _GIVEN, True)
            for one in measured[len(system.scores) :]
        ]
        systems.append(system._replace(scores=[*system.scores, *means]))
    return results._replace(systems=systems)


def resample(
    results: Results,
    measured: Sequence[Measured],
    plan: Plan,
    progress: Callable[[int, int], None] = report_nothing,
    documents: Sequence[int] | None = None,
) -> Results:
    """Return results with all intervals and, for several systems, a test of every pair; compute what is missing.

    documents: the number of each segment's document, for a plan that resamples documents.
    """
    by_document = documents if plan.intervals.unit == "doc" else None
    rankings: dict[int, Ranking] = dict(enumerate(results.rankings))
    hints = list(results.hints)

    def resample_some(places: Sequence[int], sampling: Sampling) -> Results:
        systems = [system._replace(scores=[system.scores[place] for place in places]) for system in results.systems]
        samples = [[measured[place].sample[number] for place in places] for number in range(len(systems))]
        if by_document is not None:
            samples = [[one._replace(stats=one.stats.sums_of(by_document)) for one in row] for row in samples]
        return comparison.resample(results._replace(systems=systems, hints=[]), samples, sampling, progress)

    def replace(place: int, records: Sequence[ScoreRecord]) -> None:
        for system, record in zip(results.systems, records, strict=True):
            system.scores[place] = record

    results = results._replace(systems=[system._replace(scores=list(system.scores)) for system in results.systems])
    # The command may have tested the metrics already, but not the scores of other tools
    missing = [place for place in range(len(measured)) if place not in rankings]
    if plan.tests is not None and missing:
        outcome = resample_some(missing, plan.tests)
        rankings |= dict(zip(missing, outcome.rankings, strict=True))
        hints += outcome.hints
        for index, place in enumerate(missing):
            replace(place, [system.scores[index] for system in outcome.systems])
    bare = [place for place in range(len(measured)) if results.systems[0].scores[place].interval is None]
    if bare:
        outcome = resample_some(bare, plan.intervals)
        for index, place in enumerate(bare):
            both = zip(results.systems, outcome.systems, strict=True)
            replace(place, [old.scores[place]._replace(interval=new.scores[index].interval) for old, new in both])
    in_order = [rankings[place] for place in sorted(rankings)]
    return results._replace(hints=list(dict.fromkeys(hints)), rankings=in_order)


# --- the parts of a report


def make_report(
    results: Results,
    measured: Sequence[Measured],
    read_again: Callable[[], Corpus],
    plan: Plan,
    *,
    lines: Sequence[int] | None = None,
    labels: Mapping[str, Sequence[object]] | None = None,
    sources: Callable[[], Iterator[str]] | None = None,
    room: int = passages.ROOM,
    documents: Sequence[int] | None = None,
    progress: Callable[[int, int], None] = report_nothing,
) -> Report:
    """Make a report.

    Args:
        results: the scores of all systems by metrics, resampled or not.
        measured: the scored segments, by each metric and then by each other tool.
        read_again: a function that returns all texts again, including segments that were not scored.
        plan: how scores are resampled.
        lines: the indexes of the segments that were scored; None for all.
        labels: by column, a value for every segment of the texts; columns that are not in `_LABELS` are ignored.
        sources: a function that gives the source of every segment of the texts.
        room: the most bytes of text for the page.
        documents: the number of each scored segment's document, for a plan that resamples documents.
        progress: called with the number of trials done, and the number of all trials.
    """
    results = resample(_add_records(results, measured), measured, plan, progress, documents)
    columns = [_column(results, number, one) for number, one in enumerate(measured)]
    count = len(measured[0].rows[0])
    lines = range(count) if lines is None else lines
    tokenizer, unit = _tokenizer(measured)
    # The texts are read twice: which segments the page holds depends on the size of all texts
    lengths, size = passages.measure(read_again(), lines, tokenizer, unit)
    excerpt = passages.choose(columns[0].influences, columns[0].segment_scores, size, room)
    texts = passages.read(read_again(), lines, excerpt, tokenizer, sources)
    groups = [group_lengths(measured, lengths, unit)]
    for column, title in _LABELS.items():
        if labels and column in labels:
            groups += _group_labels(measured, column, title, [str(labels[column][line] or "") for line in lines])
    names = [readable(system.name) for system in results.systems]
    pairs = [_pair(measured, columns, names, *both) for both in combinations(range(len(names)), 2)]
    tokens = number_tokens(texts)
    leads = find_leads(texts, tokens)
    curves = find_profiles(tokens, [(one.name, one.segment_scores, one.limits()) for one in columns])
    return Report(names, lines, columns, pairs, groups, texts, leads, curves, results.hints, plan)


def _column(results: Results, number: int, measured: Measured) -> Column:
    import numpy as np

    records = [system.scores[number] for system in results.systems]
    ranking = results.rankings[number] if results.rankings else None
    signature = records[0].signature
    settings = "|".join(f"{key}:{value}" for key, value in signature if key not in RESAMPLING_KEYS)
    scores = np.array([measured.score_segments(rows) for rows in measured.rows])
    span = 100.0 if measured.metric is not None else float(np.ptp(scores)) or 1.0  # bins need a width above 0
    return Column(
        measured.name,
        measured.higher_is_better,
        settings,
        records,
        ranking,
        scores,
        np.array([_influences(measured, rows) for rows in measured.rows]),
        span,
        measured.metric is None,
    )


def _influences(measured: Measured, rows: Numbers) -> Floats:
    """Return, for each segment, the score minus the score without it; without any segments, the score is 0."""
    import numpy as np

    whole = rows.sum(axis=0, keepdims=True)
    count = len(rows)
    score = measured.score(whole, np.array([count]))[0]
    if count == 1:
        return np.array([score])
    return np.asarray(score - measured.score(whole - rows, np.full(count, count - 1)), np.float64)


def _tokenizer(measured: Sequence[Measured]) -> tuple[BLEU | None, str]:
    """Return the metric whose tokens are shown and counted (None for words), and the unit of lengths.

    The unit is BLEU's tokens if BLEU is scored, or else characters if chrF is scored, or else words.
    """
    metrics = [one.metric for one in measured]
    bleu = next((one for one in metrics if isinstance(one, BLEU)), None)
    if bleu is not None:
        return bleu, "tokens"
    return None, "characters" if any(isinstance(one, CHRF) for one in metrics) else "words"


def _pair(
    measured: Sequence[Measured], columns: Sequence[Column], names: Sequence[str], first: int, second: int
) -> Pair:
    import numpy as np

    shares, why_not, counts, wins = [], [], [], []
    for one, column in zip(measured, columns, strict=True):
        factors: Sequence[Share] = ()
        reason = ""
        if one.metric is not None:
            ours, theirs = (one.metric.score_from_stats(one.rows[n].sum(axis=0).tolist()) for n in (first, second))
            factors, _, reason = share_out(one.metric, ours, theirs, (names[first], names[second]))
        shares.append(factors)
        why_not.append(reason)
        gaps = column.segment_scores[second] - column.segment_scores[first]
        bins, _ = np.histogram(np.clip(gaps, -column.span, column.span), BINS, (-column.span, column.span))
        counts.append(bins.tolist())
        better = int((gaps > 0).sum()), int((gaps < 0).sum())
        plus, minus = better if column.higher_is_better else better[::-1]
        wins.append((minus, len(gaps) - plus - minus, plus))
    return Pair(first, second, shares, why_not, counts, wins)


def group_lengths(measured: Sequence[Measured], lengths: NDArray[np.int64], unit: str) -> Grouping:
    """Return the segments grouped by the length of their reference; unit: the unit of lengths."""
    import numpy as np

    bounds = _LENGTHS[unit]
    ranges = [f"{a} to {b - 1} {unit}" for a, b in pairwise(bounds)]
    names = [f"fewer than {bounds[0]} {unit}", *ranges, f"{bounds[-1]} {unit} or more"]
    return _score_groups(measured, "length", f"length of the reference in {unit}", names, np.digitize(lengths, bounds))


def short_lengths(labels: Sequence[str]) -> list[str]:
    """Return ranges of lengths as short labels of an axis.

    >>> short_lengths(["fewer than 10 tokens", "10 to 19 tokens", "60 tokens or more"])
    ['<10', '10–19', '≥60']
    """
    short = []
    for label in labels:
        numbers = re.findall(r"\d+", label)
        start = "<" if label.startswith("fewer") else "≥" if label.endswith("more") else ""
        short.append(start + "–".join(numbers))
    return short


def _group_labels(measured: Sequence[Measured], column: str, title: str, values: Sequence[str]) -> Iterable[Grouping]:
    """Return the segments grouped by a column, unless there is only one group."""
    import numpy as np

    # Documents stay in the order of the texts
    labels = sorted(set(values)) if column != "docid" else list(dict.fromkeys(values))
    if len(labels) > 1:
        number = {label: place for place, label in enumerate(labels)}
        places = np.array([number[value] for value in values])
        titles = [label or "unknown" for label in labels]
        yield _score_groups(measured, column, title, titles, places)


def _score_groups(
    measured: Sequence[Measured], kind: str, title: str, labels: Sequence[str], places: NDArray[np.int64]
) -> Grouping:
    """Return the groups that have segments, with their scores."""
    import numpy as np

    present, of = np.unique(places, return_inverse=True)
    counts = np.bincount(of, minlength=len(present))
    scores = []
    for one in measured:
        of_systems = []
        for rows in one.rows:
            sums = np.zeros((len(present), rows.shape[1]), rows.dtype)
            np.add.at(sums, of, rows)
            of_systems.append(one.score(sums, counts))
        scores.append(np.array(of_systems))
    return Grouping(kind, title, [labels[place] for place in present], counts.tolist(), scores, of)
