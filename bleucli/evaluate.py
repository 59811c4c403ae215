"""Systems, references and metrics to results: the only place where the parts meet.

- `score_systems`: corpus scores of one or several systems
- `score_segments`: one score a segment
- `in_step`: the texts of several sources, segment by segment

Text comes in blocks; each is tokenized, counted and added up, references once for all systems, then forgotten.
"""

from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import repeat
from operator import and_

from bleucli import hints
from bleucli.errors import BleuError
from bleucli.metrics import Metric
from bleucli.metrics.base import References, Tally, joined
from bleucli.results import Results, ScoreRecord, SystemResult
from bleucli.segments import Segments, align
from bleucli.stats import SegmentStats
from bleucli.threads import in_order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    from bleucli.comparison import Sampling
    from bleucli.resampling import Sample

    class Source(NamedTuple):
        """Where text comes from.

        label: of the whole, for errors. names: of the systems or references in it, one a column. blocks: its text, a
        `Segments` a column. references: what to call the references that a source of systems brings along, in columns
        behind those of the systems, not always equally many; "" if it brings none. hurry: called when the text is not
        wanted any more but its length; the blocks may raise `NotWaitedFor` then.
        """

        label: str
        names: Sequence[str]
        blocks: Iterator[Sequence[Segments]]
        references: str = ""
        hurry: Callable[[], None] | None = None

else:
    Source = namedtuple("Source", "label names blocks references hurry", defaults=("", None))


def _unreported(what: str, done: int, total: int) -> None:
    """Report progress to nobody."""


def score_systems(
    systems: Sequence[Source],
    references: Sequence[Source],
    metrics: Sequence[Metric],
    jobs: int = 1,
    sampling: "Sampling | None" = None,
    progress: "Callable[[str, int, int], None]" = _unreported,
) -> Results:
    """Score every system with every metric.

    Args:
        systems: at least one column in all.
        references: likewise; or none, if a source of systems brings them along.
        metrics: at least one.
        jobs: threads.
        sampling: how the scores are resampled, if at all; the statistics of all segments are kept then.
        progress: called with what is counted, how many are done, and of how many (0: not known).

    Raises:
        BleuError: the sources do not have the same number of segments, a segment has no reference, or systems bring
            along different references.
    """
    names = [name for source in systems for name in source.names]

    total: list[_Observed] | None = None

    def count(piece: _Piece) -> list[_Observed]:
        prepared = [metric.prepare_references(piece.references, piece.start) for metric in metrics]
        known = repeat(None) if total is None else [one.shifted for one in total]
        return [
            _observed(name, column, piece, list(zip(metrics, prepared, strict=True)), shifted)
            for name, column, shifted in zip(names, piece.hypotheses, known, strict=False)
        ]

    rows = _Rows(len(names), len(metrics))
    for piece, observed in in_order(count, _pieces(systems, references), jobs):
        if sampling is not None:
            rows.add([one.stats for one in observed])
        for one in observed:
            one.stats = []
        total = observed if total is None else list(map(_added, total, observed))
        progress("segments", piece.start + len(piece.hypotheses[0]), 0)
    assert total is not None
    fields = _signature_fields(sampling)
    labels = [name for source in references for name in source.names]
    labels += [source.references for source in systems if source.references]
    scored = list(zip(names, total, strict=True))
    results = Results(
        [
            SystemResult(name, list(map(_record, metrics, observed.tallies, repeat(fields))))
            for name, observed in scored
        ],
        total[0].tallies[0].segments,
        [hint for name, observed in scored for hint in _hints(name, labels, metrics, observed)]
        + [hint for metric in metrics for hint in metric.advice],
    )
    if sampling is None:
        return results
    from bleucli import comparison

    return comparison.resampled(results, rows.samples(metrics), sampling, partial(progress, "trials"))


def _signature_fields(sampling: "Sampling | None") -> list[tuple[str, str]]:
    if sampling is None:
        return []
    from bleucli.comparison import signature_fields

    return signature_fields(sampling)


class _Rows:
    """The statistics of all segments by system and metric, in blocks until they are asked for."""

    def __init__(self, systems: int, metrics: int) -> None:
        self._blocks: list[list[list[SegmentStats]]] = [[[] for _ in range(metrics)] for _ in range(systems)]

    def add(self, stats: Sequence[Sequence[SegmentStats]]) -> None:
        """Add a block of segments: for each system the statistics by each metric."""
        for row, new in zip(self._blocks, stats, strict=True):
            for blocks, block in zip(row, new, strict=True):
                blocks.append(block)

    def samples(self, metrics: Sequence[Metric]) -> "list[list[Sample]]":
        """Return them joined; each system's blocks are forgotten then."""
        from bleucli.resampling import Sample

        return [
            [
                Sample(SegmentStats.joined(blocks), metric.scores_from_stats)
                for blocks, metric in zip(self._blocks.pop(0), metrics, strict=True)
            ]
            for _ in range(len(self._blocks))
        ]


class _Observed:
    """What was counted and seen of one system.

    tallies, stats: one a metric. same: for each reference, whether the system is equal to it. shifted: the first
    line that is out of step with the first reference, from 1, and by how many lines.
    """

    __slots__ = ("same", "shifted", "stats", "tallies")

    def __init__(
        self, tallies: list[Tally], stats: list[SegmentStats], same: list[bool], shifted: tuple[int, int] | None
    ) -> None:
        self.tallies = tallies
        self.stats = stats
        self.same = same
        self.shifted = shifted


def _observed(
    name: str,
    column: Segments,
    piece: "_Piece",
    metrics: Sequence[tuple[Metric, References]],
    shifted: tuple[int, int] | None,
) -> "_Observed":
    """Count a block of a system against references, prepared for each metric; `shifted` is what is known already."""
    stats = [metric.block_stats(column, references, piece.start, name) for metric, references in metrics]
    return _Observed(
        [metric.tally(column, references, rows) for (metric, references), rows in zip(metrics, stats, strict=True)],
        stats,
        [hints.identical(column, reference) for reference in piece.references],
        shifted or _numbered(hints.shift(column, piece.references[0]), piece.start),
    )


def _added(left: "_Observed", right: "_Observed") -> "_Observed":
    return _Observed(
        list(map(joined, left.tallies, right.tallies)),
        [],
        list(map(and_, left.same, right.same)),
        left.shifted or right.shifted,
    )


def _numbered(shifted: tuple[int, int] | None, start: int) -> tuple[int, int] | None:
    """Turn an index in a block that starts at `start` into a line number."""
    return None if shifted is None else (start + shifted[0] + 1, shifted[1])


def score_segments(
    system: Source, references: Sequence[Source], metric: Metric, jobs: int = 1
) -> Iterator[ScoreRecord]:
    """Score every segment of a system on its own; arguments and errors as in `score_systems`."""

    def count(piece: _Piece) -> tuple[SegmentStats, list[int]]:
        prepared = metric.prepare_references(piece.references, piece.start)
        (column,) = piece.hypotheses
        stats = metric.block_stats(column, prepared, piece.start, system.label)
        if prepared.fewest == prepared.most:
            return stats, [prepared.most] * len(stats)
        present = zip(*(stream.pairs[::2] for stream in prepared.streams), strict=True)
        return stats, [sum(start >= 0 for start in starts) for starts in present]

    for _, (stats, nrefs) in in_order(count, _pieces([system], references), jobs):
        for row, number in zip(stats, nrefs, strict=True):
            score = metric.score_from_stats(row)
            yield ScoreRecord(
                score.name, score.score, score.verbose, metric.signature(number, number), metric.higher_is_better
            )


def _record(metric: Metric, tally: Tally, sampling: Sequence[tuple[str, str]]) -> ScoreRecord:
    score = metric.score_from_stats(tally.sums)
    signature = metric.signature(tally.fewest, tally.most, sampling)
    return ScoreRecord(score.name, score.score, score.verbose, signature, metric.higher_is_better)


def _hints(name: str, references: Sequence[str], metrics: Sequence[Metric], observed: "_Observed") -> Iterator[str]:
    for reference, same in zip(references, observed.same, strict=False):
        if same:
            yield f"{name} is the same text as the reference {reference}; is it the system's output?"
    if observed.shifted is not None:
        line, offset = observed.shifted
        yield (
            f"from line {line} on, {name} is out of step with {references[0]}: its line {line} fits line"
            f" {line + offset} there; look for a missing or doubled line"
        )
    for metric, tally in zip(metrics, observed.tallies, strict=True):
        yield from (f"{name}: {hint}" for hint in metric.hints(tally))


# --- pieces of aligned text, counted by one or several threads


class _Piece:
    """The same segments of all systems and references; `start` is the index of the first one."""

    __slots__ = ("hypotheses", "references", "start")

    def __init__(self, start: int, hypotheses: Sequence[Segments], references: Sequence[Segments]) -> None:
        self.start = start
        self.hypotheses = hypotheses
        self.references = references


def in_step(sources: Sequence[Source]) -> Iterator[list[Sequence[Segments]]]:
    """Walk through the blocks of sources as `align` does."""

    def hurry() -> None:
        for source in sources:
            if source.hurry is not None:
                source.hurry()

    return align([source.blocks for source in sources], [source.label for source in sources], hurry)


def _pieces(systems: Sequence[Source], references: Sequence[Source]) -> Iterator[_Piece]:
    start = 0
    for columns in in_step([*systems, *references]):
        blocks = list(zip(systems, columns, strict=False))
        hypotheses = [column for source, block in blocks for column in block[: len(source.names)]]
        own = [(source.label, block[len(source.names) :]) for source, block in blocks if source.references]
        others = [column for block in columns[len(systems) :] for column in block]
        yield _Piece(start, hypotheses, [*others, *_own_references(own, start)])
        start += len(hypotheses[0])


def _own_references(own: Sequence[tuple[str, Sequence[Segments]]], start: int) -> Sequence[Segments]:
    """Return the references that systems bring along, each given with its label: the first one's.

    Raises:
        BleuError: a segment has other references with another system. It need not have any.
    """
    if not own:
        return []
    (first, references), *others = own
    for label, columns in others:
        line = _first_difference(references, columns)
        if line is not None:
            raise BleuError(
                f"{label}, line {start + line + 1}: other references than in {first}; give the same in every file, or"
                f" in {first} alone"
            )
    return references


def _first_difference(references: Sequence[Segments], others: Sequence[Segments]) -> int | None:
    """Return the index of the first segment that has references in both, but different ones."""
    width = max(len(references), len(others))
    left, right = _table(references, width), _table(others, width)
    if left == right:
        return None
    rows = enumerate(zip(zip(*left, strict=True), zip(*right, strict=True), strict=True))
    return next((row for row, (one, other) in rows if one != other and any(text is not None for text in other)), None)


def _table(columns: Sequence[Segments], width: int) -> list[list[bytes | memoryview | None]]:
    """Return the texts of columns, and as many columns of missing ones as it takes to be `width` columns."""
    table: list[list[bytes | memoryview | None]] = []
    for column in columns:
        starts, ends = column.pairs[::2], column.pairs[1::2]
        table.append([column.data[a:b] if a >= 0 else None for a, b in zip(starts, ends, strict=True)])
    return table + [[None] * len(columns[0])] * (width - len(columns))
