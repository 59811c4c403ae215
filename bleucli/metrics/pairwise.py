"""Scores of all pairs of hypotheses and references: the `sentence_score` of each pair, but many times faster.

- `score_matrix`: for two lists of texts; `score_matrices`: for many lists, such as the candidates for each segment
- `expected_scores`: the mean score of each hypothesis; `Best`, `find_best`: the one with the best mean
- `Pairs`: texts prepared for scoring; `score_one_by_one`: for metrics without a faster way
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest
from math import fsum

import numpy as np

from bleucli import kernels
from bleucli.counting import References
from bleucli.counting.threads import count_threads, in_order
from bleucli.errors import BleuError, InputTypeError, Naming, SegmentError
from bleucli.kernels.stats import SegmentStats
from bleucli.phrases import COUNTED, tell_count, tell_place
from bleucli.records import NamedTuple
from bleucli.text import Segments, blocks_of_strings, refuse_unordered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

    class Scorer(Protocol):
        """What these functions need from a metric; see `bleucli.metrics.base.Metric`."""

        higher_is_better: bool
        skip_empty_refs: bool

        def make_alike(self, segments: Segments) -> Segments:
            """Make typography alike, if the metric does so."""

        def prepare(self, segments: Segments) -> Segments:
            """Prepare hypotheses."""

        def prepare_reference(self, segments: Segments) -> Segments:
            """Prepare references."""

        def compare(self, hypotheses: Segments, references: References) -> SegmentStats:
            """Count prepared texts."""

        def score_from_stats(self, sums: Sequence[int | float]) -> Any:
            """Score a row of counts."""

        def score_pairs(self, pairs: Pairs, scores: memoryview[float]) -> None:
            """Fill in the scores of prepared texts."""


# The number of pairs that `score_one_by_one` compares at once
_PAIRS = 4096
# Groups are scored together as long as they have fewer texts and pairs than these
_BATCH_TEXTS = 4096
_BATCH_PAIRS = 1 << 17
# The number of lists of a pyarrow column that are converted to Python lists at once
_SLICE = 1024
# NumPy's kinds of values that it would convert to numbers: texts, times, complex numbers
_NO_NUMBERS = "USMmc"
# Differs from every item
_END = object()


class Pairs(NamedTuple):
    """Prepared texts, each hypothesis of a group to be scored against each reference of the group.

    hypotheses, references: group by group. sizes: the two numbers of texts in each group, as signed 64-bit integers.
    weights: the weights of all references, for sums of weighted scores; None for the scores themselves.
    """

    hypotheses: Segments
    references: Segments
    sizes: array[int]
    weights: array[float] | None = None


class Best(NamedTuple):
    """The hypothesis with the best expected score: its index, from 0, and that score, in percent."""

    index: int  # type: ignore[assignment] # replaces a method of tuples
    score: float


def score_one_by_one(metric: Scorer, pairs: Pairs, scores: memoryview[float]) -> None:
    """Fill in the scores of all pairs, as `kernels.pairwise_chrf` does, but count the texts of each pair again."""
    hypotheses, references, sizes, weights = pairs
    if weights is not None:  # sums start at 0
        scores[:] = memoryview(array("d", bytes(8 * len(scores))))
    remaining, start = _indexes(sizes), 0
    while some := list(islice(remaining, _PAIRS)):
        ours, theirs = hypotheses.take([one for one, _ in some]), references.take([other for _, other in some])
        rows = metric.compare(ours, References([theirs], 1, 1))
        for place, (row, (hypothesis, reference)) in enumerate(zip(rows, some, strict=True), start):
            try:
                score = metric.score_from_stats(row).score
            except SegmentError as error:
                raise SegmentError(place + 1, error.what) from None
            if weights is None:
                scores[place] = score
            else:
                scores[hypothesis] += weights[reference] * score
        start += len(some)


def _indexes(sizes: array[int]) -> Iterator[tuple[int, int]]:
    """Give the indexes of both texts of each pair.

    >>> list(_indexes(array("q", [1, 2, 1, 1])))
    [(0, 0), (0, 1), (1, 2)]
    """
    hypothesis = reference = 0
    for n, m in zip(sizes[::2], sizes[1::2], strict=True):
        for index in range(hypothesis, hypothesis + n):
            yield from ((index, other) for other in range(reference, reference + m))
        hypothesis, reference = hypothesis + n, reference + m


# --- two lists of texts


def score_matrix(metric: Scorer, hypotheses: Iterable[str], references: Iterable[str] | None, jobs: int) -> Matrix:
    """Return the score of each hypothesis against each reference; see `Metric.pairwise`."""
    ours, theirs = _read_both(metric, hypotheses, references)
    scores = np.empty((len(ours), len(theirs)))
    _fill_rows(metric, ours, theirs, None, scores, jobs)
    return scores


def expected_scores(
    metric: Scorer, hypotheses: Iterable[str], references: Iterable[str] | None, weights: Any, jobs: int
) -> Matrix:
    """Return the weighted mean of each hypothesis's scores; see `Metric.expected`."""
    ours, theirs = _read_both(metric, hypotheses, references)
    if not len(theirs):
        raise BleuError(f"{'hypotheses' if references is None else 'references'} is empty; give at least one text")
    shares = _check_weights(weights, len(theirs))
    scores = np.empty(len(ours))
    _fill_rows(metric, ours, theirs, shares, scores, jobs)
    return scores / fsum(shares)


def find_best(
    metric: Scorer, hypotheses: Iterable[str], references: Iterable[str] | None, weights: Any, jobs: int
) -> Best:
    """Return the hypothesis with the best mean; see `Metric.best`."""
    scores = expected_scores(metric, hypotheses, references, weights, jobs)
    if not len(scores):
        raise BleuError("hypotheses is empty; give at least one text")
    index = int(scores.argmax() if metric.higher_is_better else scores.argmin())
    return Best(index, float(scores[index]))


def _fill_rows(
    metric: Scorer, ours: Segments, theirs: Segments, weights: array[float] | None, scores: Matrix, jobs: int
) -> None:
    """Fill in the scores of hypotheses, one row for each; every thread takes some of the rows."""
    count, jobs = len(ours), count_threads(jobs)
    size = -(-count // jobs) or 1

    def fill(start: int) -> None:
        some = ours[start : start + size] if size < count else ours  # the same object, so that it is read only once
        pairs = Pairs(some, theirs, array("q", [len(some), len(theirs)]), weights)
        try:
            metric.score_pairs(pairs, _view(scores[start : start + size]))
        except SegmentError as error:
            raise _no_score(start * len(theirs) + error.number - 1, len(theirs), error.what) from None

    for _ in in_order(fill, range(0, count, size), jobs):
        pass


def _view(scores: Matrix) -> memoryview[float]:
    return scores.reshape(-1).data  # type: ignore[return-value] # NumPy says that all views are of integers


def _read_both(
    metric: Scorer, hypotheses: Iterable[str], references: Iterable[str] | None
) -> tuple[Segments, Segments]:
    ours = Segments.join(list(blocks_of_strings(hypotheses, "hypothesis")))
    theirs = ours if references is None else Segments.join(list(blocks_of_strings(references, "reference")))
    return _prepare(metric, ours, theirs)


def _prepare(metric: Scorer, hypotheses: Segments, references: Segments) -> tuple[Segments, Segments]:
    """Prepare texts; one object for both stays one, unless the metric prepares references otherwise."""
    for what, texts in (("hypothesis", hypotheses), ("reference", references)):
        _, _, missing = kernels.reference_counts([texts])
        if missing >= 0:
            raise InputTypeError(f"{tell_place(what, missing)} is None; give a string, which may be empty")
    ours, theirs = metric.make_alike(hypotheses), metric.make_alike(references)
    if metric.skip_empty_refs:  # as in `prepare_references`, whose errors are about segments
        theirs = kernels.drop_empty(kernels.strip_trailing(theirs))
        _, _, missing = kernels.reference_counts([theirs])
        if missing >= 0:
            place = tell_place("reference", missing)
            raise BleuError(f"{place} is empty, and empty references are skipped; leave it out")
    what = "hypothesis"
    try:
        ours = metric.prepare(ours)
        what = "reference"
        theirs = metric.prepare_reference(theirs)
    except SegmentError as error:
        raise BleuError(f"{tell_place(what, error.number - 1)} {error.what}") from None
    # A metric may prepare references in another way, as TER does with `normalized`
    is_one = hypotheses is references and (ours.data, ours.bounds) == (theirs.data, theirs.bounds)
    return ours, ours if is_one else theirs


def _no_score(pair: int, references: int, why: str) -> BleuError:
    """Return an error about a pair, given its index and the number of references."""
    hypothesis, reference = divmod(pair, references)
    # To say once from what both numbers count is enough
    first = tell_place("hypothesis", hypothesis).replace(COUNTED, "")
    return BleuError(f"{first} against {tell_place('reference', reference)} {why}")


def _check_weights(weights: Any, count: int) -> array[float]:
    """Return weights as shares of the largest one; equal weights for None."""
    if weights is None:
        return array("d", [1.0]) * count
    refuse_unordered(weights, "weights")
    try:
        values = np.asarray(weights if hasattr(weights, "__len__") else list(weights))
        if values.dtype.kind in _NO_NUMBERS:
            raise TypeError
        numbers = values.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputTypeError("weights: expected a list of numbers, one for each reference") from None
    if numbers.shape != (count,):
        raise BleuError(
            f"weights of the shape {numbers.shape} for {tell_count(count, 'reference')}; give one number for each"
        )
    wrong = np.flatnonzero(~(np.isfinite(numbers) & (numbers >= 0)))
    if wrong.size:
        raise BleuError(
            tell_place("weight", int(wrong[0])),
            f" is {numbers[wrong[0]]}; give finite numbers that are not negative, such as probabilities (exponentiate"
            " logarithms first)",
        )
    # Relative to the largest, so that sums of extreme weights neither overflow nor lose digits
    largest = numbers.max()
    if not largest:
        raise BleuError("all weights are 0; give at least one reference a weight above 0")
    return array("d", (numbers / largest).tolist())


# --- many lists of texts


class _Batch(NamedTuple):
    """Groups that are scored together; first: index of the first one. references: None if they are the hypotheses."""

    first: int
    hypotheses: Sequence[Sequence[str]]
    references: Sequence[Sequence[str]] | None

    def shapes(self) -> list[tuple[int, int]]:
        """Return how many hypotheses and references each group has."""
        theirs = self.hypotheses if self.references is None else self.references
        return list(zip(map(len, self.hypotheses), map(len, theirs), strict=True))


def score_matrices(
    metric: Scorer, hypotheses: Iterable[Iterable[str]], references: Iterable[Iterable[str]] | None, jobs: int
) -> Iterator[Matrix]:
    """Give a matrix for each group; see `Metric.pairwise_groups`."""
    jobs = count_threads(jobs)
    ours = _lists_of(hypotheses, "hypotheses")
    theirs = None if references is None else _lists_of(references, "references")
    return _score_batches(metric, _batches(ours, theirs), jobs)


def _score_batches(metric: Scorer, batches: Iterator[_Batch], jobs: int) -> Iterator[Matrix]:
    for batch, scores in in_order(lambda batch: _score_batch(metric, batch), batches, jobs):
        start = 0
        for n, m in batch.shapes():
            yield scores[start : start + n * m].reshape(n, m)
            start += n * m


def _lists_of(lists: Iterable[Iterable[str]], what: str) -> Iterator[list[str]]:
    """Give the texts of each group, from lists, a column of pyarrow, or any other iterable."""
    if isinstance(lists, str | bytes) or not isinstance(lists, Iterable):
        raise InputTypeError(f"{what}: expected a list of lists of strings, one for each group")
    refuse_unordered(lists, what)
    return _checked(lists, what)


def _checked(lists: Iterable[Iterable[str]], what: str) -> Iterator[list[str]]:
    for number, texts in enumerate(_items(lists)):
        if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
            kind = type(texts).__name__
            raise InputTypeError(
                f"{what}: {tell_place('group', number)} is of type {kind}, not a list; give one list for each group"
            )
        refuse_unordered(texts, f"{what}, {tell_place('group', number)}")
        yield list(texts)  # a copy, because the caller may use one list for all groups, and a batch holds many


def _items(lists: Any) -> Iterator[Any]:
    """Give the items; those of pyarrow's columns are converted to lists of strings, block by block."""
    if not hasattr(lists, "to_pylist"):
        yield from lists
        return
    for chunk in getattr(lists, "chunks", [lists]):
        for start in range(0, len(chunk), _SLICE):
            yield from chunk.slice(start, _SLICE).to_pylist()


def _batches(ours: Iterator[list[str]], theirs: Iterator[list[str]] | None) -> Iterator[_Batch]:
    both: Iterator[tuple[Any, Any]] = (
        zip_longest(ours, theirs, fillvalue=_END) if theirs else ((one, one) for one in ours)
    )
    hypotheses: list[list[str]] = []
    references: list[list[str]] = []
    first, texts, pairs = 0, 0, 0
    for number, (one, other) in enumerate(both):
        if one is _END or other is _END:
            short, long = ("hypotheses", "references") if one is _END else ("references", "hypotheses")
            raise BleuError(f"{short} has {tell_count(number, 'group')} but {long} has more; give the same number")
        texts, pairs = texts + len(one) + len(other), pairs + len(one) * len(other)
        if hypotheses and (texts > _BATCH_TEXTS or pairs > _BATCH_PAIRS):
            yield _Batch(first, hypotheses, references if theirs else None)
            first, hypotheses, references = number, [], []
            texts, pairs = len(one) + len(other), len(one) * len(other)
        hypotheses.append(one)
        references.append(other)
    if hypotheses:
        yield _Batch(first, hypotheses, references if theirs else None)


def _score_batch(metric: Scorer, batch: _Batch) -> Matrix:
    """Return the scores of all pairs, group by group."""
    try:
        return _score_groups(metric, batch.hypotheses, batch.references)
    except BleuError as error:
        failure = error
    # Once more, one group at a time, for an error that names the group
    for place, texts in enumerate(batch.hypotheses):
        with Naming(f"group {batch.first + place}"):
            _score_groups(metric, [texts], None if batch.references is None else [batch.references[place]])
    raise failure


def _score_groups(
    metric: Scorer, hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]] | None
) -> Matrix:
    """Return the scores of all pairs, group by group; errors are about a single group."""
    ours = Segments.from_strings([text for texts in hypotheses for text in texts], "hypothesis")
    theirs = ours
    if references is not None:
        theirs = Segments.from_strings([text for texts in references for text in texts], "reference")
    ours, theirs = _prepare(metric, ours, theirs)
    shapes = [(len(one), len(other)) for one, other in zip(hypotheses, references or hypotheses, strict=True)]
    pairs = Pairs(ours, theirs, array("q", chain.from_iterable(shapes)))
    scores = np.empty(sum(n * m for n, m in shapes))
    try:
        metric.score_pairs(pairs, _view(scores))
    except SegmentError as error:
        raise _no_score(error.number - 1, len(theirs), error.what) from None
    return scores
