"""Arithmetic on rows of statistics in plain Python.

- `draw_weights`, `weighted_sums`, `swapped_sums`: resampling, sums of rows with random weights, and after random swaps.
  NumPy runs these loops; plain Python would take hours.
- `bleu_rows`, `chrf_rows`, `render_rows`: scores of many rows at once, and numbers written as text
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from math import isfinite
from operator import gt

from bleucli.kernels.python_ngrams import f_score, score_bleu, squared
from bleucli.kernels.stats import SegmentStats
from bleucli.kernels.stopping import heed_stop

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Words = memoryview | NDArray[np.uint64]
    Numbers = NDArray[np.int64] | NDArray[np.float64]
    # One text for all rows, a text for each, or a column of numbers and how many decimals they have
    Piece = bytes | list[bytes] | tuple[array[float] | array[int] | memoryview[float] | memoryview[int], int]

# The most often that a resample may draw a segment: weights are bytes. Even a dozen times is very unlikely
_MAX_WEIGHT = 255
# The most segments that a draw can number
_MAX_SEGMENTS = 2**32 - 1


def draw_weights(words: Words, half: int, segments: int, resamples: int, /) -> tuple[bytes, int] | None:
    """Draw n of n segments with replacement, and count how often each is drawn (Efron 1979).

    The draws are those of NumPy's `Generator.choice`: a random 32-bit number times n, of which the upper half is the
    draw. It is repeated if the lower half is one of the few that would make some segments likelier (Lemire 2019).

    Args:
        words: random 64-bit words; each gives two 32-bit numbers, its lower half first.
        half: the number of 32-bit numbers at the start that are already used.
        segments: n, from 1 to 4294967295.
        resamples: how many times n segments are drawn.

    Returns:
        For each resample, n weights, one byte each; and the number of 32-bit numbers at the start that are now used.
            None if there are too few.

    Raises:
        ValueError: a number is out of range, or the random numbers are not 64-bit words.
        OverflowError: a segment was drawn more than 255 times.

    >>> import numpy
    >>> weights, used = draw_weights(numpy.random.default_rng(5).bit_generator.random_raw(5), 0, 10, 1)
    >>> list(weights), used
    ([2, 0, 1, 0, 1, 1, 2, 0, 2, 1], 10)
    """
    import numpy as np

    numbers = _read_words(words)
    if half < 0 or resamples < 0 or not 1 <= segments <= _MAX_SEGMENTS:
        raise ValueError(
            f"{resamples} resamples of {segments} segments from half {half} on; expected at least 0, 1 and 0, and at"
            f" most {_MAX_SEGMENTS} segments"
        )
    if segments == 1:  # there is nothing to choose, so nothing is drawn
        return bytes([1]) * resamples, half
    halves = np.stack([numbers & 0xFFFFFFFF, numbers >> 32], axis=1).ravel()[half:]
    products = halves * np.uint64(segments)
    kept = np.flatnonzero((products & 0xFFFFFFFF) >= 2**32 % segments)[: segments * resamples]
    if len(kept) < segments * resamples:
        return None
    draws = (products[kept] >> 32).astype(np.int64).reshape(resamples, segments)
    weights = np.array([np.bincount(row, minlength=segments) for row in draws], np.int64)
    if weights.max(initial=0) > _MAX_WEIGHT:
        raise OverflowError(f"a segment was drawn more than {_MAX_WEIGHT} times")
    return weights.astype(np.uint8).tobytes(), half + int(kept[-1]) + 1 if len(kept) else half


def weighted_sums(stats: SegmentStats, weights: bytes | memoryview, /) -> SegmentStats:
    """Add up the rows, each multiplied by its weight, once for every set of weights.

    Args:
        stats: n rows; doubles are added in their order.
        weights: for each resample, n weights, one byte each.

    Returns:
        One row of sums per resample.

    Raises:
        ValueError: the rows are not 64-bit numbers, or the weights not one byte per row and resample.
        OverflowError: the sums of integers might not fit into 64 bits.

    >>> from array import array
    >>> stats = SegmentStats(memoryview(array("q", [1, 2, 3, 4])), 2)
    >>> list(weighted_sums(stats, bytes([1, 1, 0, 2])))
    [(4, 6), (6, 8)]
    """
    import numpy as np

    check_rows(stats)
    resamples = len(weights) // len(stats) if len(stats) else 0
    if resamples * len(stats) != len(weights):
        raise ValueError("weights are not one byte per row and resample")
    rows = np.asarray(stats)
    table = np.frombuffer(weights, np.uint8).astype(np.int64).reshape(resamples, len(stats))
    if stats.data.format == "q":
        _refuse_overflow(rows, _MAX_WEIGHT * len(stats))
    return _stats(stats, [_ordered_sum(row[:, None] * rows) for row in table])


def swapped_sums(
    left: SegmentStats, right: SegmentStats, words: Words, first: int, trials: int, /
) -> tuple[SegmentStats, SegmentStats]:
    """Add up the rows of two systems after swapping some of them at random, once per trial.

    Args:
        left: n rows of one system; doubles are added in their order.
        right: n rows of the other system.
        words: random 64-bit words, one bit per row and trial, from the lowest of the first word on.
        first: how many bits at the start to skip.
        trials: how many times n rows are swapped or not.

    Returns:
        Two rows of sums per trial. Where a bit is set, the first sum takes the row of `left`, and the second that of
        `right`; elsewhere, the reverse.

    Raises:
        ValueError: the rows are not 64-bit numbers, the systems' rows differ in number or kind, the random numbers are
            not 64-bit words, or there are too few of them: a trial takes at least one bit.
        OverflowError: the sums of integers might not fit into 64 bits.

    >>> from array import array
    >>> left, right = (SegmentStats(memoryview(array("q", numbers)), 1) for numbers in ([1, 2], [10, 20]))
    >>> sums, others = swapped_sums(left, right, memoryview(array("Q", [0b0111])), 0, 2)
    >>> list(sums), list(others)
    ([(3,), (21,)], [(30,), (12,)])
    """
    import numpy as np

    check_rows(left)
    check_rows(right)
    numbers = _read_words(words)
    if (len(left), left.columns, left.data.format) != (len(right), right.columns, right.data.format):
        raise ValueError("the two systems' statistics differ in metric or length; expected the same")
    if first < 0 or trials < 0 or first + trials * max(1, len(left)) > 64 * len(numbers):
        raise ValueError(f"{trials} trials from bit {first} on need more random bits than there are")
    lefts, rights = np.asarray(left), np.asarray(right)
    if left.data.format == "q":
        _refuse_overflow(np.concatenate([lefts, rights]), 2 * len(left))
    # The lowest bit of a word first, whatever the order of bytes
    bits = np.unpackbits(numbers.astype("<u8").view(np.uint8), bitorder="little")
    swaps = bits[first : first + trials * len(left)].reshape(trials, len(left), 1)
    sums = [_ordered_sum(np.where(swap, lefts, rights)) for swap in swaps]
    others = [_ordered_sum(np.where(swap, rights, lefts)) for swap in swaps]
    return _stats(left, sums), _stats(left, others)


def check_rows(stats: SegmentStats) -> None:
    """Raise a ValueError if statistics are not rows of 64-bit numbers."""
    if stats.data.format not in ("q", "d") or stats.columns < 1 or len(stats.data) % stats.columns:
        raise ValueError("the data of SegmentStats are not rows of 64-bit numbers")


def _read_words(words: Words) -> NDArray[np.uint64]:
    import numpy as np

    data = np.frombuffer(words, np.uint8)
    if len(data) % 8:
        raise ValueError("random numbers are not 64-bit words")
    return data.view(np.uint64)


def _refuse_overflow(rows: Numbers, times: int) -> None:
    # By a bound, as the native kernels do: NumPy's sums of integers wrap around without an error
    if times * max(-int(rows.min(initial=0)), int(rows.max(initial=0))) >= 2**63:
        raise OverflowError("a sum of statistics does not fit into 64 bits")


def _ordered_sum(rows: Numbers) -> Numbers:
    """Add rows one after another to 0.0, which also turns -0.0 into 0.0; NumPy's own sum may add doubles in pairs."""
    import numpy as np

    heed_stop()
    in_order = rows.dtype == np.float64 and len(rows) > 0
    sums: Numbers = rows.cumsum(axis=0)[-1] + 0.0 if in_order else rows.sum(axis=0)
    return sums


def _stats(like: SegmentStats, rows: list[Numbers]) -> SegmentStats:
    import numpy as np

    kind = np.int64 if like.data.format == "q" else np.float64
    numbers = memoryview(np.array(rows, kind).tobytes())
    return SegmentStats(numbers.cast("q") if like.data.format == "q" else numbers.cast("d"), like.columns)


# --- scores


def bleu_rows(stats: SegmentStats, smooth_method: str, smooth_value: float, effective_order: bool, /) -> SegmentStats:
    """Score each row of BLEU's statistics by itself, and return the parts of the scores.

    Args:
        stats: rows of `hyp_len, ref_len, match_1..N, total_1..N`, integers.
        smooth_method: `exp`, `floor` or `none`.
        smooth_value: the value for `floor`, at least 0.
        effective_order: leave out the orders that a hypothesis is too short for.

    Returns:
        Rows of doubles: the score in percent, the brevity penalty, and the precisions in percent, one per order.

    Raises:
        ValueError: an argument is invalid, or no text has such statistics.

    >>> rows = SegmentStats(memoryview(array("q", [3, 4, 2, 0, 3, 2])), 6)
    >>> [round(number, 2) for number in bleu_rows(rows, "exp", 0, False)[0]]
    [29.25, 0.72, 66.67, 25.0]
    """
    check_rows(stats)
    orders = (stats.columns - 2) // 2
    if stats.columns != 2 + 2 * orders or orders < 1 or stats.data.format != "q":
        raise ValueError("expected integers: two lengths, and matches and n-grams of each order")
    if smooth_method not in ("exp", "floor", "none"):
        raise ValueError(f"smoothing {smooth_method}; expected exp, floor or none")
    if not smooth_value >= 0:
        raise ValueError("smooth_value is below 0")
    scores = array("d")
    for row in stats:
        sys_len, ref_len, *counts = map(int, row)
        matches, totals = counts[:orders], counts[orders:]
        if min(sys_len, ref_len, *matches) < 0 or any(map(gt, [*matches, *totals[1:]], [*totals, *totals])):
            raise ValueError("no text has such statistics")
        parts = score_bleu(sys_len, ref_len, matches, totals, smooth_method, smooth_value, effective_order)
        score, penalty, precisions = parts
        rest = [0.0] * (orders - len(precisions))
        scores.extend((score, penalty, *precisions, *rest))
    return SegmentStats(memoryview(scores), 2 + orders)


def chrf_rows(stats: SegmentStats, beta: float, eps_smoothing: bool, /) -> SegmentStats:
    """Score each row of chrF's statistics by itself.

    Args:
        stats: rows of `hyp_count, ref_count, match` for each order, integers.
        beta: as for `f_score`.
        eps_smoothing: as for `f_score`.

    Returns:
        Rows of one double, the score in percent.

    Raises:
        ValueError: an argument is invalid, or no text has such statistics.
        OverflowError: the square of beta does not fit into a double.

    >>> chrf_rows(SegmentStats(memoryview(array("q", [2, 3, 2, 1, 2, 1])), 6), 2, False)[0]
    (63.636363636363626,)
    """
    squared(beta)
    check_rows(stats)
    if not stats.columns or stats.columns % 3 or stats.data.format != "q":
        raise ValueError("expected integers: three for each order")
    if min(stats.data, default=0) < 0:
        raise ValueError("no text has such statistics")
    return SegmentStats(memoryview(array("d", [f_score(row, beta, eps_smoothing) for row in stats])), 1)


def render_rows(pieces: Sequence[Piece], /) -> bytes:
    r"""Write rows of texts and numbers, one after the other.

    Args:
        pieces: what a row is made of, in order: bytes, the same in every row; a list of bytes, one for each row; or a
            column of numbers (integers or doubles) with the number of decimals of doubles. Below 0, doubles have as
            many as it takes to read them back, as in JSON. At least one is a column or a list.

    Raises:
        TypeError: a piece is something else.
        ValueError: the numbers are of another type, or there is no column, or the columns differ in length.

    >>> render_rows([b"BLEU = ", (array("d", [1 / 3, 50]), 1), b" ", (array("q", [7, 8]), 0), b"\n"])
    b'BLEU = 0.3 7\nBLEU = 50.0 8\n'
    """
    columns: list[Iterable[bytes]] = []
    rows = None
    for piece in pieces:
        if isinstance(piece, bytes):
            columns.append(repeat(piece))
            continue
        if isinstance(piece, tuple):
            column = memoryview(piece[0])
            if column.format not in ("d", "q", "i") or column.ndim != 1:
                raise ValueError("expected columns of integers or doubles")
            texts = [_figure(number, piece[1]).encode() for number in column]
        elif isinstance(piece, list):
            texts = piece
        else:
            raise TypeError("expected bytes, lists and tuples")
        if rows not in (None, len(texts)):
            raise ValueError("columns of different lengths")
        rows = len(texts)
        columns.append(texts)
    if rows is None:
        raise ValueError("no column; expected at least one")
    return b"".join(chain.from_iterable(zip(*columns, strict=False)))


def _figure(number: float, decimals: int) -> str:
    """Return a number as text.

    >>> _figure(7, -1), _figure(1 / 3, -1), _figure(1 / 3, 2)
    ('7', '0.3333333333333333', '0.33')
    """
    if isinstance(number, int):
        return str(number)
    if decimals >= 0:
        return f"{number:.{decimals}f}"
    if not isfinite(number):
        import json

        return json.dumps(number)
    return repr(number)
