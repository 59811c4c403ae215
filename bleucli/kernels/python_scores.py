"""Scores of many rows of statistics, and of all pairs of texts, in plain Python; native ones are equal to the bit."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from math import exp, isfinite, log
from operator import gt

from bleucli.kernels.python_ngrams import chrf_counts, chrf_row, count_ngrams, f_score, squared
from bleucli.kernels.python_resampling import check_rows
from bleucli.kernels.stats import SegmentStats
from bleucli.kernels.stopping import heed_stop
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    # One text for all rows, a text for each, or a column of numbers and how many decimals they have
    Piece = bytes | list[bytes] | tuple[array[float] | array[int] | memoryview[float] | memoryview[int], int]
    Counted = TypeVar("Counted")
    _Grams = Counter[tuple[str, ...]]

# sacreBLEU 2.6.0 uses this as the logarithm of 0
_LOG_OF_ZERO = -9999999999.0
# The most that rounding can add to a perfect score
_ROUNDING = 1e-9


def _score_bleu(
    sys_len: int,
    ref_len: int,
    matches: Sequence[int],
    totals: Sequence[int],
    smooth_method: str,
    smooth_value: float,
    effective_order: bool,
) -> tuple[float, float, list[float]]:
    """Return BLEU in percent, the brevity penalty, and the precisions before the first order that has no n-grams.

    >>> _score_bleu(5, 5, [3, 0, 0], [5, 4, 0], "exp", 0.0, True)[1:]
    (1.0, [60.0, 12.5])
    """
    penalty = 1.0 if sys_len >= ref_len else exp(1 - ref_len / sys_len) if sys_len else 0.0
    if not any(matches):  # as in sacreBLEU, whatever the smoothing
        return 0.0, penalty, []
    precisions: list[float] = []
    zeros = 0
    for order, counts in enumerate(zip(matches, totals, strict=True)):
        added = smooth_value if smooth_method == "add-k" and order else 0
        match, total = (number + added for number in counts)
        if not total:
            break
        precision = 100.0 * match / total
        if not match and smooth_method == "exp":
            zeros += 1
            precision = 100.0 / (2**zeros * total)
        elif not match and smooth_method == "floor":
            precision = 100.0 * smooth_value / total
        precisions.append(precision)
    logarithms = [log(precision) if precision else _LOG_OF_ZERO for precision in precisions]
    if not effective_order:
        logarithms += [_LOG_OF_ZERO] * (len(matches) - len(precisions))
    # sum() compensates rounding errors from Python 3.12 on; bleu_score.c does the same
    score = penalty * exp(sum(logarithms) / len(logarithms))
    return 100.0 if 100.0 < score < 100.0 + _ROUNDING else score, penalty, precisions


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
        parts = _score_bleu(sys_len, ref_len, matches, totals, smooth_method, smooth_value, effective_order)
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


# --- pairs


def pairwise_bleu(
    hypotheses: Segments,
    references: Segments,
    sizes: array[int] | memoryview[int],
    weights: array[float] | memoryview[float] | None,
    scores: array[float] | memoryview[float],
    max_order: int,
    smooth_method: str,
    smooth_value: float,
    effective_order: bool,
    /,
) -> array[float] | memoryview[float]:
    """Score each hypothesis of a group against each of its references by sentence BLEU.

    Args:
        hypotheses: n texts, group by group; tokens are what white space separates. A missing one counts as empty.
        references: m texts, group by group. If both are the same object, native kernels take less time.
        sizes: for each group how many hypotheses and how many references it has, as signed 64-bit integers.
        weights: m doubles; None for the scores themselves.
        scores: an array of doubles to fill: one for each pair, group by group and hypothesis by hypothesis; or, with
            weights, the sum of each hypothesis's weighted scores, added up in the order of the references.
        max_order: N, the longest n-gram.
        smooth_method: `exp`, `floor`, `add-k` or `none`.
        smooth_value: the value for `floor` and `add-k`.
        effective_order: leave out the orders that a hypothesis is too short for.

    Returns:
        `scores`.

    >>> texts = Segments.from_strings(["a b c", "a b d"])
    >>> pairwise_bleu(texts, texts, array("q", [2, 2]), None, array("d", bytes(32)), 2, "exp", 0, False).tolist()
    [100.0, 57.73502691896257, 57.73502691896257, 100.0]
    """
    if max_order < 1:
        raise ValueError(f"max_order {max_order}; expected at least 1")
    if smooth_method not in ("exp", "floor", "add-k", "none"):
        raise ValueError(f"smoothing {smooth_method}; expected exp, floor, add-k or none")

    def count(text: str) -> tuple[int, list[_Grams]]:
        tokens = text.split()
        return len(tokens), [count_ngrams(tokens, order) for order in range(1, max_order + 1)]

    def score(ours: tuple[int, list[_Grams]], theirs: tuple[int, list[_Grams]]) -> float:
        matches = [(one & other).total() for one, other in zip(ours[1], theirs[1], strict=True)]
        totals = [max(0, ours[0] - order) for order in range(max_order)]
        return _score_bleu(ours[0], theirs[0], matches, totals, smooth_method, smooth_value, effective_order)[0]

    return _fill(hypotheses, references, sizes, weights, scores, count, score)


def pairwise_chrf(
    hypotheses: Segments,
    references: Segments,
    sizes: array[int] | memoryview[int],
    weights: array[float] | memoryview[float] | None,
    scores: array[float] | memoryview[float],
    char_order: int,
    word_order: int,
    beta: float,
    whitespace: bool,
    eps_smoothing: bool,
    /,
) -> array[float] | memoryview[float]:
    """Score each hypothesis of a group against each of its references by chrF.

    The first five arguments are those of `pairwise_bleu`, all others those of `chrf_stats`.

    Returns:
        `scores`.

    >>> hypotheses, references = Segments.from_strings(["ab", "b"]), Segments.from_strings(["ab"])
    >>> sizes = array("q", [2, 1])
    >>> pairwise_chrf(hypotheses, references, sizes, None, array("d", [0, 0]), 2, 0, 2, False, False).tolist()
    [100.0, 55.55555555555556]
    """
    if char_order < 0 or word_order < 0 or char_order + word_order < 1:
        raise ValueError(f"orders {char_order} and {word_order}; expected at least one n-gram")
    squared(beta)  # raises if it is not finite
    return _fill(
        hypotheses,
        references,
        sizes,
        weights,
        scores,
        lambda text: chrf_counts(text, char_order, word_order, whitespace),
        lambda hypothesis, reference: f_score(chrf_row(hypothesis, reference), beta, eps_smoothing),
    )


def _fill(
    hypotheses: Segments,
    references: Segments,
    sizes: array[int] | memoryview[int],
    weights: array[float] | memoryview[float] | None,
    scores: array[float] | memoryview[float],
    count: Callable[[str], Counted],
    score: Callable[[Counted, Counted], float],
) -> array[float] | memoryview[float]:
    """Score the pairs of all groups; `count` is called once for each text, `score` for each pair."""
    groups = list(zip(sizes[::2], sizes[1::2], strict=False))
    # (0, 0) makes two sums even without groups
    totals = [sum(side) for side in zip((0, 0), *groups, strict=True)]
    if len(sizes) % 2 or min(sizes, default=0) < 0 or totals != [len(hypotheses), len(references)]:
        raise ValueError("sizes do not add up to the number of texts")
    if weights is not None and len(weights) != len(references):
        raise ValueError("weights are not one double per reference")
    if len(scores) != (sum(n * m for n, m in groups) if weights is None else len(hypotheses)):
        raise ValueError("scores have the wrong length; expected one per pair or, with weights, per hypothesis")
    first = start = place = 0
    for n, m in groups:
        others = []
        for index in range(start, start + m):
            heed_stop()
            others.append(count(references[index] or ""))
        for index in range(first, first + n):
            ours, total = count(hypotheses[index] or ""), 0.0
            for number, theirs in enumerate(others, start):
                heed_stop()
                value = score(ours, theirs)
                if weights is None:
                    scores[place] = value
                    place += 1
                else:
                    total += weights[number] * value
            if weights is not None:
                scores[index] = total
        first, start = first + n, start + m
    return scores
