"""From texts to statistics: the only loop that tokenizes and counts.

- `CorpusStats`: what a metric needs to know about a system's output on a corpus, as a value
- `SystemStats`: those of one system by all metrics; `Part`: those of all systems on a group of segments
- `count`: the statistics of all systems by all metrics; `count_blocks`: the same, block by block, with the texts
- `count_corpora`: the statistics of several corpora
- `Measure`: what a metric must provide

Text comes in blocks. Each is tokenized, counted, added to the sums and dropped; its references are prepared once for
all systems.
"""

from __future__ import annotations

from _collections_abc import Iterable  # see CONTRIBUTING.md
from itertools import chain, islice

from bleucli import kernels
from bleucli.counting.corpus import Corpus, Piece
from bleucli.errors import BleuError, InputTypeError, Naming
from bleucli.kernels.stats import SegmentStats
from bleucli.phrases import tell_count
from bleucli.records import NamedTuple
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Generic, Protocol

    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import TypeVar

    from bleucli.counting.corpus import Joining, Source
    from bleucli.inspection.fit import Fit
    from bleucli.results import Description, ScoreRecord
    from bleucli.results.segments import SegmentScores
    from bleucli.results.signature import Signature

    class Measure(Protocol):
        """What a metric must provide; `bleucli.metrics.base.Metric` says what each method does."""

        advice: Sequence[str]
        higher_is_better: bool
        needs_all_references: bool
        learned: object
        counts_ties: bool
        in_percent: bool

        def configuration(self) -> object: ...
        def learn(self, references: Iterator[Sequence[Segments]]) -> None: ...
        def prepare_references(self, streams: Sequence[Segments], start: int = 0) -> References: ...
        def block_stats(self, hypotheses: Segments, references: References, start: int, name: str) -> SegmentStats: ...
        def sum_rows(self, rows: SegmentStats) -> tuple[int | float, ...]: ...
        def cached_references(self) -> Source: ...
        def observe(self, hypotheses: Segments) -> tuple[int, ...]: ...
        def observe_references(self, references: Sequence[Segments]) -> tuple[int, ...]: ...
        def follow(self, joining: Joining) -> None: ...
        def check_count(self, segments: int) -> None: ...
        def check_sum(self, segments: int) -> None: ...
        def score_from_stats(self, sums: Sequence[int | float]) -> Any: ...
        def score_columns(self, rows: SegmentStats) -> SegmentScores: ...
        def sign(self, score: Any, fewest: int, most: int, sampling: Sequence[tuple[str, str]] = ()) -> None: ...
        def scores_from_stats(self, sums: SegmentStats) -> NDArray[np.float64]: ...
        def signature(self, fewest: int, most: int, sampling: Sequence[tuple[str, str]] = ()) -> Signature: ...
        def hints(self, stats: CorpusStats) -> list[str]: ...
        def describe(self, info: Mapping[str, str]) -> Description: ...


# Blocks with fewer rows than this are joined when statistics are added; longer ones stay separate
_SMALL = 1 << 12


class References(NamedTuple):
    """References of a block of segments, prepared for one metric.

    streams: one `Segments` per stream. fewest, most: the smallest and the largest number of references of a segment.
    bounds: as in `Piece`.
    """

    streams: Sequence[Segments]
    fewest: int
    most: int
    bounds: Sequence[int] = ()

    def counts(self) -> array[int]:
        """Return how many references each segment has."""
        from array import array

        if self.fewest == self.most:
            return array("i", [self.most]) * len(self.streams[0])
        starts = zip(*(stream.pairs[::2] for stream in self.streams), strict=True)
        return array("i", [sum(start >= 0 for start in row) for row in starts])


class _Rows(NamedTuple):
    """The statistics of some segments, and how many references each has."""

    stats: SegmentStats
    nrefs: array[int]


# The class of a metric's scores
if TYPE_CHECKING:
    ScoreT_co = TypeVar("ScoreT_co", covariant=True, default=Any)
    ScoreT = TypeVar("ScoreT")

    class _OfScore(Generic[ScoreT_co]):
        """Generic in the type of a score."""

else:

    class _OfScore:
        """Generic in the type of a score like `typing.Generic`, but without importing `typing`, which takes time."""

        def __class_getitem__(cls, kind):
            return type(list[int])(cls, kind)


class CorpusStats(_OfScore["ScoreT_co"]):
    """What a metric needs to know about a system's output on a corpus; `metric.corpus_stats` makes it.

    Statistics of parts add up to those of the whole, with `+` or `CorpusStats.sum`. A sum has rows, in the order of its
    parts, only if all parts have them. Two statistics are equal (`==`) if the metric's options and all numbers, except
    for the signs, are equal; they then give the same score and signature. `CorpusStats[BLEUScore]` is the type of those
    that BLEU counts.

    Attributes:
        metric: the metric that counted.
        segments: the number of segments.
        sums: the sums of all rows, one number per column of the metric; empty if there are no segments.
        rows: the statistics of each segment; None if they were not kept, or there are no segments.
        nrefs: the number of references of each segment; None if `rows` is None.
        fewest, most: the smallest and the largest number of references of a segment.
        signs: counts from which the metric makes its hints. Statistics of selected segments keep those of all segments;
            statistics from files have none.

    Raises:
        BleuError: by `+`, if the metrics differ in an option.

    >>> from bleucli import BLEU
    >>> bleu = BLEU()
    >>> texts = ["The dog bit the man.", "It was not unexpected."], ["The dog bit the man.", "It wasn't surprising."]
    >>> parts = [bleu.corpus_stats([system], [[reference]], keep_rows=True) for reference, system in zip(*texts)]
    >>> whole = CorpusStats.sum(parts)
    >>> whole.segments, round(whole.score().score, 2), str(whole.signature()).partition("|")[0]
    (2, 63.98, 'nrefs:1')
    >>> whole.take([0]) == parts[0]
    True
    """

    def __init__(
        self,
        metric: Measure,
        segments: int = 0,
        sums: tuple[int | float, ...] = (),
        fewest: int = 0,
        most: int = 0,
        signs: tuple[int, ...] = (),
        blocks: Sequence[_Rows] | None = (),
    ) -> None:
        """Store what was counted; blocks: the rows, None if they are not kept."""
        self.metric = metric
        self.segments = segments
        self.sums = sums
        self.fewest = fewest
        self.most = most
        self.signs = signs
        self._blocks = blocks

    @staticmethod
    def sum(parts: Iterable[CorpusStats[ScoreT]]) -> CorpusStats[ScoreT]:
        """Return the statistics of all parts together.

        Python's `sum` does the same, but type checkers think that it may return 0.

        >>> from bleucli import TER
        >>> parts = [TER().corpus_stats([text], [["a b c"]]) for text in ("a b c", "a b d")]
        >>> CorpusStats.sum(parts).score().num_edits
        1
        """
        whole = None
        for part in parts:
            if not isinstance(part, CorpusStats):
                raise InputTypeError(f"a part of type {type(part).__name__}; give what metric.corpus_stats returns")
            whole = part if whole is None else whole + part
        if whole is None:
            raise BleuError("there are no parts to add; give at least one")
        return whole

    @classmethod
    def of_rows(cls, metric: Measure, rows: SegmentStats, nrefs: array[int]) -> CorpusStats[ScoreT_co]:
        """Return the statistics of segments from their rows; nrefs: how many references each segment has."""
        if not len(rows):
            return cls(metric)
        return cls(metric, len(rows), metric.sum_rows(rows), min(nrefs), max(nrefs), (), [_Rows(rows, nrefs)])

    @classmethod
    def of_documents(cls, documents: Sequence[CorpusStats]) -> CorpusStats:
        """Return the sum of the statistics of documents, at least one, with a row for each document.

        >>> from bleucli import TER
        >>> documents = [TER().corpus_stats(["a", "b"], [["a", "c"]]), TER().corpus_stats(["d"], [["e"]])]
        >>> whole = CorpusStats.of_documents(documents)
        >>> whole.segments, list(whole.rows)
        (3, [(1.0, 2.0), (1.0, 1.0)])
        """
        from array import array

        first, *rest = [one.without_rows() for one in documents]
        whole = sum(rest, first)
        is_whole = all(isinstance(number, int) for one in documents for number in one.sums)
        numbers = array("q" if is_whole else "d", [number for one in documents for number in one.sums])
        rows = _Rows(SegmentStats(memoryview(numbers), len(whole.sums)), array("i", [one.most for one in documents]))
        return cls(whole.metric, whole.segments, whole.sums, whole.fewest, whole.most, (), [rows])

    def without_rows(self) -> CorpusStats[ScoreT_co]:
        """Return the same statistics without rows."""
        return CorpusStats(self.metric, self.segments, self.sums, self.fewest, self.most, self.signs, None)

    def with_rows(self, rows: SegmentStats, nrefs: array[int]) -> CorpusStats[ScoreT_co]:
        """Return the same statistics with their rows; nrefs: how many references each segment has."""
        blocks = [_Rows(rows, nrefs)]
        return CorpusStats(self.metric, self.segments, self.sums, self.fewest, self.most, self.signs, blocks)

    @property
    def rows(self) -> SegmentStats | None:
        """The statistics of each segment; None if they were not kept, or there are no segments."""
        whole = self._whole()
        return whole and whole.stats

    @property
    def nrefs(self) -> array[int] | None:
        """The number of references of each segment; None if `rows` is None."""
        whole = self._whole()
        return whole and whole.nrefs

    def _whole(self) -> _Rows | None:
        """Return all rows, after joining their blocks to one."""
        if not self._blocks:
            return None
        if len(self._blocks) > 1:
            from array import array

            stats = SegmentStats.join([block.stats for block in self._blocks])
            self._blocks = [_Rows(stats, array("i", b"".join([block.nrefs for block in self._blocks])))]
        return self._blocks[0]

    def __add__(self, other: CorpusStats[Any]) -> CorpusStats[ScoreT_co]:
        if not isinstance(other, CorpusStats):
            return NotImplemented
        if self.metric.configuration() != other.metric.configuration():
            raise BleuError(
                f"statistics of {_name(self)} and of {_name(other)} cannot be added; count both with the same metric"
                " and options"
            )
        if not self.segments or not other.segments:  # an empty part has no sums, and no references to count
            return self if self.segments else other
        return CorpusStats(
            self.metric,
            self.segments + other.segments,
            tuple([a + b for a, b in zip(self.sums, other.sums, strict=True)]),
            min(self.fewest, other.fewest),
            max(self.most, other.most),
            tuple([a + b for a, b in zip(self.signs, other.signs, strict=False)]),  # none if one side has none
            None if self._blocks is None or other._blocks is None else _join(self._blocks, other._blocks),
        )

    def __radd__(self, other: object) -> CorpusStats[ScoreT_co]:
        return self if other == 0 else NotImplemented  # what sum() starts with

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CorpusStats):
            return NotImplemented
        return self._comparable() == other._comparable()

    __hash__ = None  # type: ignore[assignment]

    def _comparable(self) -> tuple[object, ...]:
        whole = self._whole()
        rows = whole and (whole.stats.data, whole.nrefs)
        return self.metric.configuration(), self.segments, self.sums, self.fewest, self.most, rows

    def __repr__(self) -> str:
        return f"<CorpusStats: {tell_count(self.segments, 'segment')}, {_name(self)}>"

    def take(self, indexes: Iterable[int]) -> CorpusStats[ScoreT_co]:
        """Return the statistics of some segments.

        Args:
            indexes: the indexes of the segments, from 0, in any order; an index may be repeated.

        Raises:
            BleuError: rows were not kept, or there is no such segment.
            InputTypeError: the indexes are not whole numbers.

        >>> from bleucli import BLEU
        >>> texts = ["The dog bit the man.", "It was fine."], [["The dog bit the man.", "It was not fine."]]
        >>> BLEU().corpus_stats(*texts, keep_rows=True).take([0]).score().score
        100.0
        """
        indexes = _check_indexes(indexes)
        if not indexes:
            return CorpusStats(self.metric)
        whole = self._whole()
        if whole is None and self.segments:
            raise BleuError("the rows of these statistics were not kept; count with keep_rows=True to take segments")
        if whole is None or min(indexes) < 0 or max(indexes) >= self.segments:
            wrong = next(index for index in indexes if not 0 <= index < self.segments)
            raise BleuError(f"there is no segment {wrong}; expected indexes from 0, below {self.segments}")
        from array import array

        rows = _Rows(whole.stats.take(indexes), array("i", [whole.nrefs[index] for index in indexes]))
        sums = self.metric.sum_rows(rows.stats)
        return CorpusStats(self.metric, len(indexes), sums, min(rows.nrefs), max(rows.nrefs), self.signs, [rows])

    def score(self) -> ScoreT_co:
        """Return the metric's score, in percent, with its signature.

        Raises:
            BleuError: there are no segments, or more than the metric is defined for.
        """
        if not self.segments:
            raise BleuError("there are no segments to score; expected at least one")
        self.metric.check_sum(self.segments)
        score: ScoreT_co = self.metric.score_from_stats(self.sums)
        self.metric.sign(score, self.fewest, self.most)
        return score

    def signature(self, sampling: Sequence[tuple[str, str]] = ()) -> Signature:
        """Return the score's signature.

        Args:
            sampling: how the score was resampled, as pairs such as `("bs", "1000")`.
        """
        return self.metric.signature(self.fewest, self.most, sampling)

    def hints(self) -> list[str]:
        """Return what a user should know about the texts, one sentence per hint; none if nothing looks wrong."""
        return self.metric.hints(self) if self.segments else []

    def record(self, sampling: Sequence[tuple[str, str]] = ()) -> ScoreRecord:
        """Return the score with its signature, as a renderer takes it; sampling: as for `signature`."""
        from bleucli.results import ScoreRecord

        score: Any = self.score()
        signature = self.signature(sampling)
        higher_is_better = self.metric.higher_is_better
        return ScoreRecord(
            score.name,
            float(score.score),
            score.verbose,
            signature,
            higher_is_better,
            figures=score.figures(),
            describe=self.metric.describe,
            scale=None if self.metric.in_percent else 100,
        )


def _check_indexes(indexes: object) -> list[int]:
    if isinstance(indexes, Iterable):
        items = list(indexes)
        # Truth values, of NumPy too, would be indexes 0 and 1, but are probably meant as a mask
        if all(hasattr(index, "__index__") and not type(index).__name__.startswith("bool") for index in items):
            return list(map(int, items))
    raise InputTypeError("take: expected indexes, whole numbers from 0; write take([0, 1, 2])")


def _name(stats: CorpusStats) -> str:
    signature = stats.signature()
    return f"{signature.name}|{signature}"


def _join(left: Sequence[_Rows], right: Sequence[_Rows]) -> list[_Rows]:
    """Append blocks of rows to others; small blocks are joined with the previous one, so that long sums copy little.

    As in a binary counter, the small blocks get shorter towards the end: of n single rows, each is copied about log2(n)
    times, until its block is no longer small.
    """
    blocks = list(left)
    for added in right:
        block = added
        while blocks and len(blocks[-1].nrefs) <= len(block.nrefs) < _SMALL:
            last = blocks.pop()
            block = _Rows(last.stats + block.stats, last.nrefs + block.nrefs)
        blocks.append(block)
    return blocks


class SystemStats(NamedTuple):
    """The statistics of one system, one per metric; fit: how its texts fit the references, if that was inspected."""

    name: str
    stats: Sequence[CorpusStats]
    fit: Fit | None

    def without_rows(self) -> SystemStats:
        """Return the same statistics without rows."""
        return self._replace(stats=[one.without_rows() for one in self.stats])


class Part(NamedTuple):
    """Systems as counted on a group of segments.

    labels: what the segments share, by column; none for a group of all segments. systems: what was counted. documents:
    the number of each segment's document, if whole documents are resampled.
    """

    labels: Sequence[tuple[str, Any]]
    systems: Sequence[SystemStats]
    documents: Sequence[int] | None = None


def count(
    corpus: Corpus,
    metrics: Sequence[Measure],
    *,
    jobs: int | None = 1,
    keep_rows: bool = False,
    inspect: bool = False,
    progress: Callable[[int], None] | None = None,
    keep: Callable[[list[SystemStats]], None] | None = None,
) -> list[SystemStats]:
    """Return the statistics of each system of a corpus by all metrics; an empty list for an empty corpus.

    Args:
        corpus: systems and references.
        metrics: at least one.
        jobs: the number of threads; None for all usable processors if the texts are long enough.
        keep_rows: whether to keep the statistics of each segment; if not, memory holds one block at a time.
        inspect: whether to check how systems fit their references.
        progress: called with the number of segments counted so far.
        keep: called with the statistics of each block, which have rows, before they are added up.

    Raises:
        BleuError: the sources do not have the same number of segments, a segment has no reference, or systems come with
            different references.
    """
    totals: list[SystemStats] = []
    with_rows = keep_rows or keep is not None
    for _, block in count_blocks(corpus, metrics, jobs=jobs, keep_rows=with_rows, inspect=inspect):
        if keep is not None:
            keep(block)
            if not keep_rows:
                block = [system.without_rows() for system in block]  # noqa: PLW2901 - `keep` has the rows
        totals = add_systems(totals, block)
        if progress is not None:
            progress(totals[0].stats[0].segments)
    return totals


def add_systems(totals: list[SystemStats], block: list[SystemStats]) -> list[SystemStats]:
    """Add the statistics of more segments to those of each system; totals: empty before the first block."""
    if not totals:
        return block
    sums = []
    for total, more in zip(totals, block, strict=True):
        fits = total.fit.join(more.fit) if total.fit and more.fit else None
        sums.append(SystemStats(total.name, [a + b for a, b in zip(total.stats, more.stats, strict=True)], fits))
    return sums


def count_blocks(
    corpus: Corpus, metrics: Sequence[Measure], *, jobs: int | None = 1, keep_rows: bool = True, inspect: bool = False
) -> Iterator[tuple[Piece, list[SystemStats]]]:
    """Give each block of texts with the statistics that `count` adds up; arguments and errors are the same."""
    work = _Counting(corpus, metrics, keep_rows, inspect)
    pieces = work.corpus.pieces()
    segments = 0
    # Most texts are a single piece, which needs no threads and no import
    for piece in pieces if jobs == 1 else islice(pieces, 0 if jobs else 1):
        block = work.count(piece)
        work.remember(block)
        segments = piece.bounds[-1] if piece.bounds else segments + block[0].stats[0].segments
        yield piece, block
    if (second := next(pieces, None)) is not None:
        from bleucli.counting.threads import in_order

        for piece, block in in_order(work.count, chain([second], pieces), jobs):
            work.remember(block)
            segments = piece.bounds[-1] if piece.bounds else segments + block[0].stats[0].segments
            yield piece, block
    for metric in metrics:
        metric.check_count(segments)


# From this many hypotheses in a block on, counting takes longer than starting threads
_LONG = 1000


def count_corpora(
    tasks: Sequence[tuple[str, Corpus, Sequence[Measure]]],
    *,
    jobs: int | None = 1,
    keep_rows: bool = False,
    inspect: bool = False,
) -> Iterator[list[SystemStats]]:
    """Give for each corpus what `count` returns; threads share the blocks of all corpora.

    tasks: for each corpus, its name in errors, the corpus, and its metrics. Other arguments and errors: as for `count`.
    """
    from bleucli.counting.threads import in_order

    def read() -> Iterator[tuple[int, _Counting, Piece]]:
        for number, (name, corpus, metrics) in enumerate(tasks):
            with Naming(name):
                work = _Counting(corpus, metrics, keep_rows, inspect)
                for piece in work.corpus.pieces():
                    yield number, work, piece

    def count_one(item: tuple[int, _Counting, Piece]) -> tuple[int, _Counting, list[SystemStats]]:
        number, work, piece = item
        with Naming(tasks[number][0]):
            return number, work, work.count(piece)

    items = read()
    start = list(islice(items, 1))
    # If the texts are long, start threads at once: the other processors would wait while this one counts the first text
    is_long = len(tasks) > 1 and sum(len(text) for _, _, piece in start for text in piece.hypotheses) >= _LONG
    totals: list[SystemStats] = []
    current = 0
    for _, (number, work, block) in in_order(count_one, chain(start, items), jobs, 0 if is_long else None):
        work.remember(block)
        while current < number:
            yield _checked(totals, tasks[current])
            totals, current = [], current + 1
        totals = add_systems(totals, block)
    while current < len(tasks):
        yield _checked(totals, tasks[current])
        totals, current = [], current + 1


def _checked(totals: list[SystemStats], task: tuple[str, Corpus, Sequence[Measure]]) -> list[SystemStats]:
    """Return the statistics of a corpus whose metrics have as many rows as it has segments, if they have any."""
    name, _, metrics = task
    with Naming(name):
        for metric in metrics if totals else ():
            metric.check_count(totals[0].stats[0].segments)
    return totals


class _Counting:
    """Counts the blocks of a corpus. `corpus` is what remains to be read after the metrics' first pass."""

    def __init__(self, corpus: Corpus, metrics: Sequence[Measure], keep_rows: bool, inspect: bool) -> None:
        if corpus.joining is not None:
            for metric in metrics:
                metric.follow(corpus.joining)
        ready = list(metrics)
        for place, metric in enumerate(metrics):
            # A metric that was made with references has learned from them, before they were prepared
            if metric.needs_all_references and metric.learned is None:
                from copy import copy

                ready[place] = copy(metric)
                first, again = corpus.kept()
                ready[place].learn(piece.references for piece in first.pieces())
                corpus = again()
        self.corpus, self._metrics = corpus, ready
        self._names = self.corpus.system_names()
        self._keep_rows, self._inspect = keep_rows, inspect
        self._fits: Sequence[Fit | None] = [None] * len(self._names)

    def count(self, piece: Piece) -> list[SystemStats]:
        """Return the statistics of a block; several threads may call this at once."""
        from bleucli.inspection import fit

        prepared = [(metric, _prepare(metric, piece, self.corpus.prepared)) for metric in self._metrics]
        block = []
        for name, text, before in zip(self._names, piece.hypotheses, self._fits, strict=True):
            stats = []
            for metric, references in prepared:
                stats.append(count_block(metric, text, references, piece.start, name, self._keep_rows))
            fits = fit.observe(text, piece.references, piece.start, before) if self._inspect else None
            block.append(SystemStats(name, stats, fits))
        return block

    def remember(self, block: list[SystemStats]) -> None:
        """Note how the outputs of a block fit their references: an output that is out of step is not inspected again.

        Threads may still count blocks with earlier findings, which only takes them longer.
        """
        self._fits = [system.fit for system in block]


def _prepare(metric: Measure, piece: Piece, already: bool) -> References:
    if not already:
        references = metric.prepare_references(piece.references, piece.start)
        return references._replace(bounds=piece.bounds) if piece.bounds else references
    fewest, most, _ = kernels.reference_counts(piece.references)
    return References(piece.references, fewest, most)


def count_block(
    metric: Measure, hypotheses: Segments, references: References, start: int, name: str, keep_rows: bool
) -> CorpusStats:
    """Count a block of hypotheses; start: the index of its first segment; name: the system's name, for errors."""
    rows = metric.block_stats(hypotheses, references, start, name)
    return CorpusStats(
        metric,
        len(rows),
        metric.sum_rows(rows),
        references.fewest,
        references.most,
        metric.observe(hypotheses) + metric.observe_references(references.streams),
        [_Rows(rows, references.counts())] if keep_rows else None,
    )
