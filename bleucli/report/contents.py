"""The content of a report, as data: scores and their certainty, differences, groups of segments, segments.

- `Report`: all of it; `make_report` makes one from statistics, and `of_results` one of scores and tests alone
- `KeptRows`: adds up statistics, with their rows in a temporary file
- `Measured`: the segments of all systems, by one metric; `of_metric` makes one
- `Plan`: how scores are resampled; `plan_of` completes the options that were given; `resample` carries the plan out
- `Column`, `Pair`, `Grouping`, `Section`: the parts of a report

Segments count from 0 here, in the order in which they were scored; `Report.lines` has their lines in the files.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from tempfile import TemporaryFile

from bleucli.counting import CorpusStats, SystemStats, add_systems
from bleucli.counting.threads import in_order
from bleucli.kernels.stats import SegmentStats
from bleucli.metrics import BLEU, CHRF, Metric
from bleucli.metrics.differences import Share, share_out
from bleucli.prose.markup import readable
from bleucli.records import NamedTuple
from bleucli.report import passages
from bleucli.report.passages import Lead, Tokens, find_leads, number_tokens
from bleucli.results import DECIMALS, Ranking, Results, ScoreRecord, SystemResult, name_row
from bleucli.results.hints import about
from bleucli.results.signature import RESAMPLING_KEYS
from bleucli.significance import comparison
from bleucli.significance.comparison import Sampling, rank
from bleucli.significance.resampling import RESAMPLES, SEED, TIE, TRIALS, Sample, report_nothing
from bleucli.text.labels import number as number_labels
from bleucli.text.typography import KINDS, TYPOGRAPHY, normalize_all, normalize_segments
from bleucli.text.wholefiles import Aside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any

    import numpy as np
    from numpy.typing import NDArray

    from bleucli.counting.corpus import Corpus
    from bleucli.report.passages import Passages
    from bleucli.text import Segments

    Floats = NDArray[np.float64]
    Numbers = NDArray[np.float64 | np.int64]
    Blocks = list[list[CorpusStats]]  # by metric and system

# Bounds of the groups of reference lengths, by the unit of lengths; for words, those of compare-mt
_LENGTHS = {"tokens": (10, 20, 30, 40, 50, 60), "words": (10, 20, 30, 40, 50, 60)}
_LENGTHS["characters"] = (25, 50, 100, 150, 200, 300)
# Columns that may be known about segments, and their names on the page
_LABELS = {"testset": "test set", "origlang": "original language", "domain": "domain", "docid": "document"}
_TYPOGRAPHY = ",".join(TYPOGRAPHY)
# How many scores of segments are computed at once
_ROWS = 1 << 14
# The number of bins in the figure of differences between segments' scores
BINS = 41


class Measured(NamedTuple):
    """The segments of all systems, by one metric.

    rows: for each system, n rows of k numbers that can be added. score: takes m × k sums of rows, and returns m scores.
    score_segments: takes rows, and returns one score per row. sample: for each system, the same rows in the form that
    resampling needs.
    """

    name: str
    higher_is_better: bool
    rows: Sequence[Numbers]
    score: Callable[[Numbers], Floats]
    score_segments: Callable[[Numbers], Floats]
    metric: Metric
    sample: Sequence[Sample]

    def take(self, indexes: Sequence[int]) -> Measured:
        """Return some of the segments, by their indexes."""
        return self.with_samples([one._replace(stats=one.stats.take(indexes)) for one in self.sample])

    def with_samples(self, samples: Sequence[Sample]) -> Measured:
        """Return the same with other segments."""
        import numpy as np

        return self._replace(rows=[np.asarray(one.stats) for one in samples], sample=samples)


class Plan(NamedTuple):
    """How scores are resampled: intervals by bootstrap, and a test of every pair (None for a single system)."""

    intervals: Sampling
    tests: Sampling | None


class Wording(NamedTuple):
    """What is left of scores once typography is alike in outputs and references.

    scores: one per system. corrected: the p-values of all pairs, as in `Ranking`; None for a single system.
    """

    scores: Sequence[float]
    corrected: Sequence[Sequence[float | None]] | None


class Variant(NamedTuple):
    """What a metric in percent counts once typography is alike.

    place: that of the metric among all. alike: the segments. changed: for each, whether it has other rows than before.
    caseless: for each system, the statistics with case ignored as well; they have rows only if these were kept.
    """

    place: int
    alike: Measured
    changed: NDArray[np.bool_]
    caseless: Sequence[CorpusStats]

    def take(self, indexes: Sequence[int]) -> Variant:
        """Return some of the segments, by their indexes."""
        caseless = [one.take(indexes) for one in self.caseless]
        return Variant(self.place, self.alike.take(indexes), self.changed[list(indexes)], caseless)


class Column(NamedTuple):
    """The results of one metric for all systems.

    The influence of a segment is the score minus the score without it; its influence on the difference between two
    systems is the difference of its two influences.
    """

    name: str
    higher_is_better: bool
    signature: str  # how scores were computed, without the resampling
    records: Sequence[ScoreRecord]  # one score per system, with intervals
    ranking: Ranking | None  # the test of all pairs; None for a single system
    segment_scores: Floats  # one row per system, one number per segment
    influences: Floats  # the same
    # The end of the axis of differences between segments' scores: 100, or the largest difference between two scores
    # from another tool; larger differences of error rates count as 100
    span: float
    is_given: bool  # the scores are from another tool
    wording: Wording | None = None  # None if typography changes nothing, or was not looked at
    caseless: Sequence[float] | None = None  # scores with typography alike and case ignored; None as for `wording`

    def order(self) -> list[int]:
        """Return the numbers of the systems, the best first."""
        return rank(self.records)

    def lead(self, first: int, second: int) -> float:
        """Return by how much one system is better than another, in points; below 0 if it is worse."""
        difference = self.records[first].score - self.records[second].score
        return difference if self.higher_is_better else -difference

    def lead_in_wording(self, first: int, second: int) -> float:
        """Return by how much one system is better than another once typography is alike, if that changes anything."""
        if self.wording is None:
            return self.lead(first, second)
        difference = self.wording.scores[first] - self.wording.scores[second]
        return difference if self.higher_is_better else -difference

    def decimals(self, usual: int) -> int:
        """Return how many decimals points have; `usual`: how many they have if scores are in percent."""
        if not self.is_given:
            return usual
        return usual + DECIMALS[self.records[0].scale or 100] - DECIMALS[100]

    def limits(self) -> tuple[float, float]:
        """Return the limits of the axes of segments' scores; error rates beyond 100 are drawn at 100."""
        if self.is_given:
            return float(self.segment_scores.min()), float(self.segment_scores.max())
        return 0.0, 100.0


class Pair(NamedTuple):
    """Two systems, with lists that have an item for each metric; differences are the second score minus the first."""

    first: int
    second: int
    shares: list[Sequence[Share]]  # the shares of BLEU's factors in the difference
    why_not: list[str]  # why there are no shares; "" for other metrics
    counts: list[Sequence[int]]  # segments in each of `BINS` bins of the difference of scores, from -`span` to `span`
    wins: list[tuple[int, int, int]]  # segments in which the first is better, both are equal, or the second is better


class Grouping(NamedTuple):
    """Segments grouped by something that is known about them, and the scores of each group."""

    kind: str  # "length", or the name of a column
    title: str  # the kind in words
    labels: Sequence[str]  # of the groups
    sizes: Sequence[int]
    scores: Sequence[Floats]  # by metric, one row per system with one score per group
    of: NDArray[np.int64]  # the group of each segment


class Section(NamedTuple):
    """A group of segments that is scored and tested by itself; columns: as in `Report`. segments: how many it has."""

    title: str
    segments: int
    columns: Sequence[Column]


class Report(NamedTuple):
    """The content of a report."""

    names: Sequence[str]  # of the systems
    lines: Sequence[int]  # the line of each segment in the files, from 0
    columns: Sequence[Column]  # the results of each metric
    pairs: Sequence[Pair]  # every two systems
    groups: Sequence[Grouping]
    passages: Passages  # the texts of the segments on the page
    tokens: Tokens  # the same
    leads: Sequence[Lead]  # n-grams that one system gets right more often than another
    hints: Sequence[str]  # what a user should know about the input
    plan: Plan
    sections: Sequence[Section] = ()  # groups that are tested, too

    def pair(self, first: int, second: int) -> Pair:
        """Return the pair of two systems, given in either order."""
        return next(pair for pair in self.pairs if {pair.first, pair.second} == {first, second})


# --- measurements


class KeptRows:
    """Adds up the statistics of systems block by block, and keeps their rows in a temporary file until they are taken.

    In memory, blocks that are joined in the end would take twice the room, and leave gaps.
    """

    def __init__(self) -> None:
        self._systems: list[SystemStats] = []
        self._file: IO[bytes] | None = None
        # For each metric of each system: the format of its numbers, where in the file its blocks start and end, and how
        # many references each segment has
        self._stores: list[tuple[Any, list[tuple[int, int]], array[int]] | None] = []

    @property
    def segments(self) -> int:
        """The number of segments so far."""
        return self._systems[0].stats[0].segments if self._systems else 0

    def add(self, block: list[SystemStats]) -> None:
        """Add the statistics of the next segments; all blocks have rows of the same metrics."""
        stats = [one for system in block for one in system.stats]
        if not self._stores:
            self._stores = [None if one.rows is None else (one.rows.data.format, [], array("i")) for one in stats]
        with Aside():
            self._file = self._file or TemporaryFile()  # noqa: SIM115 # `__del__` closes it
            for store, one in zip(self._stores, stats, strict=True):
                if store is not None and one.rows is not None and one.nrefs is not None:
                    _, places, nrefs = store
                    start = self._file.tell()
                    self._file.write(one.rows.data)
                    places.append((start, self._file.tell()))
                    nrefs.extend(one.nrefs)
        self._systems = add_systems(self._systems, [system.without_rows() for system in block])

    def take(self) -> list[SystemStats]:
        """Return the statistics of all systems, and keep them no longer."""
        systems = []
        for system in self._systems:
            stats = list(system.stats)
            for place, one in enumerate(stats):
                if (store := self._stores.pop(0)) is not None:
                    form, places, nrefs = store
                    data = memoryview(self._read(places)).cast(form)
                    stats[place] = one.with_rows(SegmentStats(data, len(one.sums)), nrefs)
            systems.append(system._replace(stats=stats))
        self._systems = []
        return systems

    def _read(self, places: Sequence[tuple[int, int]]) -> bytes:
        """Return some parts of the file; from a second one, since they are not joined in memory."""
        with Aside(), TemporaryFile() as whole:
            for start, end in places:
                assert self._file is not None
                self._file.seek(start)
                whole.write(self._file.read(end - start))
            whole.seek(0)
            return whole.read()

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()


def of_metric(metric: Metric, stats: Sequence[CorpusStats]) -> Measured:
    """Return what a metric measures: its statistics of all systems, which must have rows.

    Single segments are scored as with `-sl`.
    """
    import numpy as np

    of_segments = metric.for_segments()

    def score(sums: Numbers) -> Floats:
        return metric.scores_from_stats(SegmentStats.from_numpy(sums))

    def score_segments(rows: Numbers) -> Floats:
        return of_segments.scores_from_stats(SegmentStats.from_numpy(rows))

    name = readable(stats[0].score().name)
    rows = [np.asarray(one.rows) for one in stats]
    samples = list(map(comparison.sample_of, stats))
    return Measured(name, metric.higher_is_better, rows, score, score_segments, metric, samples)


# --- how scores are resampled


def plan_of(
    choice: Sampling | None,
    systems: int,
    jobs: int = 1,
    seed: int | None = SEED,
    unit: str = "segment",
    resamples: int = RESAMPLES,
) -> Plan:
    """Return how scores are resampled: as the user asked, and by reliable methods otherwise.

    choice: the resampling of the usual output; None for none. systems: their number. unit: what is drawn or exchanged
    as a whole, one of `bleucli.results.UNITS`. jobs, seed, resamples: unless `choice` gives them.

    >>> plan_of(None, 2).tests.method, plan_of(Sampling("bs", 500), 2).intervals.trials
    ('ar', 500)
    """
    if choice is not None:
        jobs, seed = choice.jobs, choice.seed
    is_test = choice is not None and choice.method != "ci"
    has_intervals = choice is not None and choice.method != "ar"
    intervals = Sampling(
        "ci", choice.trials if choice is not None and has_intervals else resamples, seed, jobs, unit=unit
    )
    tests = choice if choice is not None and is_test else Sampling("ar", TRIALS, seed, jobs, unit=unit)
    return Plan(intervals, tests._replace(all_pairs=True) if systems > 1 else None)


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
    scores = [list(system.scores) for system in results.systems]
    rankings: dict[int, Ranking] = dict(enumerate(results.rankings))
    hints = list(results.hints)

    def draw(places: Sequence[int], sampling: Sampling) -> Results:
        systems = []
        for system, records in zip(results.systems, scores, strict=True):
            systems.append(system._replace(scores=[records[place] for place in places]))
        samples = [[measured[place].sample[number] for place in places] for number in range(len(systems))]
        if documents is not None and sampling.unit == "doc":
            samples = [[one._replace(stats=one.stats.sums_of(documents)) for one in row] for row in samples]
        return comparison.resample(results._replace(systems=systems, hints=[]), samples, sampling, progress)

    # The command may have tested every pair already
    missing = [place for place in range(len(measured)) if place not in rankings]
    if plan.tests is not None and missing:
        outcome = draw(missing, plan.tests)
        rankings |= dict(zip(missing, outcome.rankings, strict=True))
        hints += outcome.hints
        for records, system in zip(scores, outcome.systems, strict=True):
            for place, record in zip(missing, system.scores, strict=True):
                records[place] = record
    missing = [place for place in range(len(measured)) if scores[0][place].interval is None]
    if missing:
        outcome = draw(missing, plan.intervals)
        for records, system in zip(scores, outcome.systems, strict=True):
            for place, record in zip(missing, system.scores, strict=True):
                records[place] = records[place]._replace(interval=record.interval)
    systems = [system._replace(scores=records) for system, records in zip(results.systems, scores, strict=True)]
    in_order = [rankings[place] for place in sorted(rankings)]
    return results._replace(systems=systems, hints=list(dict.fromkeys(hints)), rankings=in_order)


# --- the parts of a report


def make_report(
    results: Results,
    measures: Iterable[Measured],
    read_again: Callable[[], Corpus],
    plan: Plan,
    *,
    lines: Sequence[int] | None = None,
    labels: Mapping[str, Sequence[object]] | None = None,
    sources: Callable[[], Iterator[str]] | None = None,
    room: int = passages.ROOM,
    documents: Sequence[int] | None = None,
    typography: bool = False,
    sections: Mapping[str, Sequence[int]] | None = None,
    progress: Callable[[int, int], None] = report_nothing,
) -> Report:
    """Make a report.

    Args:
        results: the scores of all systems by metrics, resampled or not.
        measures: the scored segments, by each metric. If it is an iterator, their rows do not outlive their use.
        read_again: a function that returns all texts again, including segments that were not scored.
        plan: how scores are resampled.
        lines: the indexes of the segments that were scored; None for all.
        labels: by column, a value for every segment of the texts; columns that are not in `_LABELS` are ignored.
        sources: a function that gives the source of every segment of the texts.
        room: the most bytes of text for the page.
        documents: the number of each scored segment's document, for a plan that resamples documents.
        typography: whether to count and test again with typography alike.
        sections: by title, the indexes of scored segments that are also tested by themselves.
        progress: called with the number of trials done, and the number of all trials.
    """
    measured = list(measures)
    del measures
    results = resample(results, measured, plan, progress, documents)
    columns = [_column(results, number, one) for number, one in enumerate(measured)]
    indexes = range(len(measured[0].rows[0])) if lines is None else lines
    # Lengths are in BLEU's tokens if BLEU is scored, or else in characters if chrF is scored, or else in words
    metrics = [one.metric for one in measured]
    tokenizer = next((metric for metric in metrics if isinstance(metric, BLEU)), None)
    unit = "characters" if any(isinstance(metric, CHRF) for metric in metrics) else "words"
    unit = unit if tokenizer is None else "tokens"
    # The texts are read twice: which segments the page holds depends on the size of all texts
    lengths, size = passages.measure(read_again(), indexes, tokenizer, unit, _token_counts(measured, columns))
    excerpt = passages.choose(columns[0].influences, columns[0].segment_scores, size, room)
    groups = [group_lengths(measured, lengths, unit)]
    for name, title in _LABELS.items():
        if labels and name in labels:
            values = [str(labels[name][line] or "") for line in indexes]
            # Documents stay in the order of the texts
            titles = list(dict.fromkeys(values)) if name == "docid" else sorted(set(values))
            places = {value: place for place, value in enumerate(titles)}
            if len(titles) > 1:
                titles = [value or "unknown" for value in titles]
                groups.append(_score_groups(measured, name, title, titles, [places[value] for value in values]))
    names = [readable(system.name) for system in results.systems]
    pairs = [_pair(measured, columns, names, *both) for both in combinations(range(len(names)), 2)]
    hints, parts = list(results.hints), []
    variants = _count_variants(measured, read_again(), plan, lines, bool(sections)) if typography else []
    columns = _with_wordings(columns, variants, plan, documents)
    for title, inside in (sections or {}).items():
        rows = [one.take(inside) for one in measured]
        of_documents = None if documents is None else number_labels([documents[index] for index in inside])
        of_section = resample(_score_rows(results, rows), rows, plan, progress, of_documents)
        of_columns = [_column(of_section, place, one) for place, one in enumerate(rows)]
        some = [one.take(inside) for one in variants]
        parts.append(Section(title, len(inside), _with_wordings(of_columns, some, plan, of_documents)))
        hints += [about(title, hint) for hint in of_section.hints]
    del measured, variants  # what the page shows does not need their rows
    texts = passages.read(read_again(), indexes, excerpt, tokenizer, sources)
    tokens = number_tokens(texts)
    leads = find_leads(texts, tokens)
    return Report(names, indexes, columns, pairs, groups, texts, tokens, leads, hints, plan, parts)


def of_results(results: Results, plan: Plan) -> Report:
    """Return a report of scores and tests alone, without segments, as verdicts and figures of scores need it.

    results: with rankings if there are several systems. plan: how they were resampled.
    """
    import numpy as np

    nothing = np.empty((len(results.systems), 0))
    columns = []
    for place, record in enumerate(results.systems[0].scores):
        columns.append(
            Column(
                readable(record.name),
                bool(record.higher_is_better),
                _sign(record),
                [system.scores[place] for system in results.systems],
                results.rankings[place] if len(results.systems) > 1 else None,
                nothing,
                nothing,
                0.0,
                record.scale is not None,
            )
        )
    names = [readable(system.bare_name) for system in results.systems]
    pairs = [Pair(*both, [], [], [], []) for both in combinations(range(len(names)), 2)]
    texts = passages.Passages([], "", 0, False, "")
    return Report(names, (), columns, pairs, [], texts, Tokens([], [], []), [], results.hints, plan)


def name_groups(groups: Mapping[tuple[Any, ...], Sequence[int]], by: Sequence[str]) -> dict[str, Sequence[int]]:
    """Return groups of segments by what a page calls them; groups: the indexes of segments by the values of labels.

    >>> name_groups({("news", "en"): [0, 2], ("talk", None): [1]}, ["domain", "origlang"])
    {'domain=news origlang=en': [0, 2], 'domain=talk origlang=': [1]}
    """
    return {
        name_row("", zip(by, ("" if value is None else str(value) for value in values), strict=True)).strip(): indexes
        for values, indexes in groups.items()
    }


def _score_rows(results: Results, measured: Sequence[Measured]) -> Results:
    """Return the scores of some segments, without resampling, in the shape of the results of all segments."""
    systems = []
    for number, system in enumerate(results.systems):
        records = []
        for one, record in zip(measured, system.scores, strict=True):
            rows = one.rows[number]
            score = float(one.score(rows.sum(axis=0, keepdims=True))[0])
            better, scale = record.higher_is_better, record.scale
            records.append(ScoreRecord(record.name, score, "", record.signature, better, scale=scale))
        systems.append(SystemResult(system.name, records))
    return Results(systems, len(measured[0].rows[0]), [])


def _count_variants(
    measured: list[Measured], corpus: Corpus, plan: Plan, lines: Sequence[int] | None, sections: bool
) -> list[Variant]:
    """Return what the metrics in percent count once typography is alike.

    Typography changes few segments, so most rows are those that the metrics have counted already.

    Args:
        measured: the scored segments, by each metric. Without sections, they lose their rows to save memory.
        corpus: all texts.
        plan: how scores are resampled.
        lines: the indexes of the segments that were scored, ascending; None for all.
        sections: whether segments will be taken, also with case ignored.
    """
    import numpy as np

    # Rows of a metric that learns from all references depend on more than their own segment
    scored = [one.metric.in_percent and not one.metric.needs_all_references for one in measured]
    places = [place for place, is_scored in enumerate(scored) if is_scored]
    if not places:
        return []
    metrics = [measured[place].metric for place in places]
    plain = [metric.normalizing("", TYPOGRAPHY) for metric in metrics]
    lower = [metric.normalizing("case", KINDS) for metric in metrics]
    systems = len(measured[0].rows)

    def count_each(metrics: Sequence[Metric], block: tuple[int, Sequence[Segments]], with_rows: bool) -> Blocks:
        first, texts = block
        counts = []
        for metric in metrics if len(texts[0]) else ():
            references = metric.prepare_references(texts[systems:], first)
            rows = [metric.block_stats(text, references, first, "") for text in texts[:systems]]
            stats = [CorpusStats.of_rows(metric, one, references.counts()) for one in rows]
            counts.append(stats if with_rows else [one.without_rows() for one in stats])
        return counts

    def count(block: tuple[int, Sequence[Segments]]) -> tuple[list[int], Blocks, Blocks]:
        first, texts = block
        caseless, changes = zip(*map(normalize_all, texts), strict=True)
        changed = sorted(set().union(*changes))
        alike = [normalize_segments(text.take(changed), _TYPOGRAPHY) for text in texts]
        counts = count_each(plain, (first, alike), True), count_each(lower, (first, caseless), sections)
        return [first + index for index in changed], *counts

    indexes: list[int] = []
    rows: Blocks = []
    totals: Blocks = []
    for _, (changed, some, whole) in in_order(count, _scored_texts(corpus, lines), plan.intervals.jobs):
        indexes += changed
        rows = _add_blocks(rows, some) if changed else rows
        totals = _add_blocks(totals, whole)
    variants = []
    for number, place in enumerate(places):
        measure, differ = measured[place], np.zeros(len(measured[place].rows[0]), np.bool_)
        samples = list(measure.sample)
        if indexes and not sections:
            measured[place] = measure = measure._replace(rows=(), sample=())
        for system, new in enumerate(rows[number] if indexes else ()):
            before, after = samples[system].stats, new.rows
            assert after is not None
            differ[indexes] |= (np.asarray(before)[indexes] != np.asarray(after)).any(axis=1)
            samples[system] = samples[system]._replace(stats=_replace_rows(before, indexes, after))
        variants.append(Variant(place, measure.with_samples(samples), differ, totals[number]))
    return variants


def _add_blocks(totals: Blocks, blocks: Blocks) -> Blocks:
    """Return the statistics of more segments, added to those before; totals: empty before the first block."""
    pairs = zip(totals, blocks, strict=True) if totals else ()
    return [[a + b for a, b in zip(*pair, strict=True)] for pair in pairs] or blocks


def _replace_rows(stats: SegmentStats, indexes: Sequence[int], rows: SegmentStats) -> SegmentStats:
    """Return statistics of which some rows are replaced; indexes: ascending.

    >>> from array import array
    >>> old, new = (SegmentStats(memoryview(array("q", numbers)), 1) for numbers in ([1, 2, 3], [7]))
    >>> list(_replace_rows(old, [1], new))
    [(1,), (7,), (3,)]
    """
    before, after = stats.data.cast("B"), rows.data.cast("B")
    width = 8 * stats.columns
    parts, end = [], 0
    for number, index in enumerate(indexes):
        parts += [before[end : index * width], after[number * width : (number + 1) * width]]
        end = (index + 1) * width
    data = memoryview(b"".join([*parts, before[end:]]))  # kernels would copy what others may write to
    return SegmentStats(data.cast("q") if stats.data.format == "q" else data.cast("d"), stats.columns)


def _scored_texts(corpus: Corpus, lines: Sequence[int] | None) -> Iterator[tuple[int, Sequence[Segments]]]:
    """Give blocks of the segments that are scored: the number of those before, and the texts, references last."""
    read = scored = 0
    for piece in corpus.pieces():
        texts: Sequence[Segments] = [*piece.hypotheses, *piece.references]
        end = read + len(texts[0])
        if lines is not None:
            here = [line - read for line in lines[scored : bisect_left(lines, end)]]
            texts = [text.take(here) for text in texts]
        if len(texts[0]):
            yield scored, texts
        read, scored = end, scored + len(texts[0])


def _with_wordings(
    columns: Sequence[Column], variants: Sequence[Variant], plan: Plan, documents: Sequence[int] | None
) -> list[Column]:
    """Return columns with what is left once typography is alike, for the metrics for which it changes anything.

    Args:
        columns: the results as the texts are written.
        variants: what `_count_variants` returns for these segments; empty if typography is not looked at.
        plan: how scores are resampled.
        documents: the number of each segment's document, for a plan that resamples documents.
    """
    import numpy as np

    answers = list(columns)
    changed = []
    for place, alike, differ, caseless in variants:
        sums = [rows.sum(axis=0).tolist() for rows in alike.rows]
        if differ.any():
            changed.append((place, alike))
            scores = [float(alike.metric.score_from_stats(one).score) for one in sums]
            answers[place] = answers[place]._replace(wording=Wording(scores, None))
        if not np.allclose([one.sums for one in caseless], sums, rtol=TIE, atol=0.0):
            answers[place] = answers[place]._replace(caseless=[float(one.score().score) for one in caseless])
    if not changed or plan.tests is None:
        return answers
    systems, samples = [], []
    for number in range(len(columns[0].records)):
        records, of_system = [], []
        for place, alike in changed:
            wording, sample = answers[place].wording, alike.sample[number]
            assert wording is not None
            records.append(columns[place].records[number]._replace(score=wording.scores[number]))
            if documents is not None and plan.tests.unit == "doc":
                sample = sample._replace(stats=sample.stats.sums_of(documents))
            of_system.append(sample)
        systems.append(SystemResult(str(number), records))
        samples.append(of_system)
    results = Results(systems, len(variants[0].changed), [])
    rankings = comparison.resample(results, samples, plan.tests, power=False).rankings
    for (place, _), ranking in zip(changed, rankings, strict=True):
        wording = answers[place].wording
        assert wording is not None
        answers[place] = answers[place]._replace(wording=wording._replace(corrected=ranking.corrected))
    return answers


def _column(results: Results, number: int, measured: Measured) -> Column:
    import numpy as np

    def influences(rows: Numbers) -> Floats:
        """Return, for each segment, the score minus the score without it; without any segments, the score is 0."""
        whole = rows.sum(axis=0, keepdims=True)
        score = measured.score(whole)[0]
        if len(rows) == 1:
            return np.array([score])
        return _in_blocks(lambda part: score - measured.score(whole - part), rows)

    records = [system.scores[number] for system in results.systems]
    scores = np.array([_in_blocks(measured.score_segments, rows) for rows in measured.rows])
    return Column(
        measured.name,
        measured.higher_is_better,
        _sign(records[0]),
        records,
        results.rankings[number] if results.rankings else None,
        scores,
        np.array(list(map(influences, measured.rows))),
        100.0 if measured.metric.in_percent else float(np.ptp(scores)) or 1.0,  # bins need a width above 0
        not measured.metric.in_percent,
    )


def _sign(record: ScoreRecord) -> str:
    """Return how a score was computed, without the resampling."""
    return "|".join(f"{key}:{value}" for key, value in record.signature if key not in RESAMPLING_KEYS)


def _in_blocks(score: Callable[[Numbers], Floats], rows: Numbers) -> Floats:
    """Return a score of each row; those of a block at a time, which takes less memory than all at once."""
    import numpy as np

    parts = [score(rows[start : start + _ROWS]) for start in range(0, len(rows), _ROWS)]
    return np.concatenate(parts, dtype=np.float64)


def _pair(
    measured: Sequence[Measured], columns: Sequence[Column], names: Sequence[str], first: int, second: int
) -> Pair:
    import numpy as np

    pair = Pair(first, second, [], [], [], [])
    for one, column in zip(measured, columns, strict=True):
        ours, theirs = (one.metric.score_from_stats(one.rows[n].sum(axis=0).tolist()) for n in (first, second))
        shares, _, reason = share_out(one.metric, ours, theirs, (names[first], names[second]))
        pair.shares.append(shares)
        pair.why_not.append(reason)
        gaps = column.segment_scores[second] - column.segment_scores[first]
        bins, _ = np.histogram(np.clip(gaps, -column.span, column.span), BINS, (-column.span, column.span))
        pair.counts.append(bins.tolist())
        above, below = int((gaps > 0).sum()), int((gaps < 0).sum())
        equal = len(gaps) - above - below
        pair.wins.append((below, equal, above) if column.higher_is_better else (above, equal, below))
    return pair


def group_lengths(measured: Sequence[Measured], lengths: NDArray[np.int64], unit: str) -> Grouping:
    """Return the segments grouped by the length of their reference; unit: the unit of lengths."""
    import numpy as np

    bounds = _LENGTHS[unit]
    ranges = [f"{a} to {b - 1} {unit}" for a, b in pairwise(bounds)]
    names = [f"fewer than {bounds[0]} {unit}", *ranges, f"{bounds[-1]} {unit} or more"]
    return _score_groups(measured, "length", f"length of the reference in {unit}", names, np.digitize(lengths, bounds))


def _token_counts(measured: Sequence[Measured], columns: Sequence[Column]) -> NDArray[np.int64] | None:
    """Return the numbers of the references' tokens if rows have them: those of BLEU do, if segments have one each."""
    import numpy as np

    for one, column in zip(measured, columns, strict=True):
        if isinstance(one.metric, BLEU):
            _, lengths = one.rows[0].T[:2]
            return lengths.astype(np.int64) if column.records[0].signature.info["nrefs"] == "1" else None
    return None


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


def _score_groups(
    measured: Sequence[Measured],
    kind: str,
    title: str,
    labels: Sequence[str],
    places: Sequence[int] | NDArray[np.int64],
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
            of_systems.append(one.score(sums))
        scores.append(np.array(of_systems))
    return Grouping(kind, title, [labels[place] for place in present], counts.tolist(), scores, of)
