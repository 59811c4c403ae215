"""Scores of many segments at once, in plain Python: what the kernels of the same names compute, to the last bit."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from math import exp, isfinite, log
from operator import gt

from bleucli.kernels.python_chrf import f_score, squared
from bleucli.kernels.python_resampling import check_rows
from bleucli.kernels.stats import SegmentStats

TYPE_CHECKING = False
if TYPE_CHECKING:
    # One text for all rows, a text for each, or a column of numbers and how many decimals they have
    Piece = bytes | list[bytes] | tuple[array[float] | array[int] | memoryview[float] | memoryview[int], int]

# sacreBLEU 2.6.0 uses this as the logarithm of 0
_LOG_OF_ZERO = -9999999999.0
# How much rounding can add to a perfect score
_ROUNDING = 1e-9


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
        penalty = 1.0 if sys_len >= ref_len else exp(1 - ref_len / sys_len) if sys_len else 0.0
        if any(matches):
            precisions = _precisions(matches, totals, smooth_method, smooth_value)
            logarithms = [log(precision) if precision else _LOG_OF_ZERO for precision in precisions]
            if not effective_order:
                logarithms += [_LOG_OF_ZERO] * (orders - len(precisions))
            # sum() compensates rounding errors from Python 3.12 on; bleu_score.c does the same
            score = penalty * exp(sum(logarithms) / len(logarithms))
        else:  # as in sacreBLEU, whatever the smoothing
            precisions, score = [], 0.0
        rest = [0.0] * (orders - len(precisions))
        scores.extend((100.0 if 100.0 < score < 100.0 + _ROUNDING else score, penalty, *precisions, *rest))
    return SegmentStats(memoryview(scores), 2 + orders)


def _precisions(matches: list[int], totals: list[int], smooth_method: str, smooth_value: float) -> list[float]:
    """Return the precisions in percent, for each order before the first that has no n-grams.

    >>> _precisions([3, 0, 0], [5, 4, 0], "exp", 0.0)
    [60.0, 12.5]
    """
    precisions = []
    zeros = 0
    for match, total in zip(matches, totals, strict=True):
        if not total:
            break
        precision = 100.0 * match / total
        if not match and smooth_method == "exp":
            zeros += 1
            precision = 100.0 / (2**zeros * total)
        elif not match and smooth_method == "floor":
            precision = 100.0 * smooth_value / total
        precisions.append(precision)
    return precisions


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
