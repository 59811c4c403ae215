"""The seven techniques of Chen & Cherry (2014), section 3, with the conventions of NLTK 3.10's `SmoothingFunction`.

On single segments, scores equal NLTK's. In a corpus, NLTK counts at least one n-gram of each order in each segment.

`smooth` returns the precisions that a technique, with NLTK's defaults, puts in place of the plain ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from bleucli.errors import SegmentError

# Techniques that average neighbours use the precision of order 5, even if the longest order is another one
FIFTH = 5
AVERAGING = (5, 7)
# The sixth smooths from this order on
INTERPOLATED = 3
# NLTK's defaults: the matches that the first puts in place of 0, the constant of the fourth, the weight of the sixth
EPSILON = 0.1
LENGTH_FACTOR = 5
PRIOR_WEIGHT = 5


def smooth(technique: int, counts: Sequence[float], totals: Sequence[float], sys_len: int, order: int) -> list[float]:
    """Return the smoothed precisions of orders 1 to `order`: from 0 to 1, with techniques 5 to 7 sometimes more.

    Args:
        technique: its number, from 1 to 7.
        counts: matches by order; for techniques 5 and 7 at least up to order 5.
        totals: n-grams of the hypothesis, for the same orders.
        sys_len: length of the hypothesis in tokens.
        order: N, the longest n-gram; at least 3 for technique 6.

    Raises:
        SegmentError: technique 6 has no match of order 3.

    >>> [round(value, 3) for value in smooth(2, [5, 2, 1, 0], [6, 5, 4, 3], 6, 4)]
    [0.833, 0.5, 0.4, 0.25]
    """
    # NLTK counts at least one n-gram of each order, so an order that the text is too short for has a precision of 0
    plain = [count / max(1, total) for count, total in zip(counts, totals, strict=True)]
    counts, totals = counts[:order], totals[:order]
    if technique == 1:
        return [value or EPSILON / max(1, total) for value, total in zip(plain[:order], totals, strict=True)]
    if technique == 2:
        plus_one = [(count + 1) / (max(1, total) + 1) for count, total in zip(counts, totals, strict=True)]
        return [plain[0], *plus_one[1:]]
    if technique == 3:
        return _halve(plain, totals, 1.0)
    if technique == 5:
        return _average(plain[:order], plain[FIFTH - 1])
    if technique == 6:
        return _interpolate(plain, counts, totals)
    geometric = _halve(plain, totals, log(sys_len) / LENGTH_FACTOR) if sys_len > 1 else plain[:order]
    return geometric if technique == 4 else _average(geometric, plain[FIFTH - 1])


def _halve(plain: Sequence[float], totals: Sequence[float], factor: float) -> list[float]:
    """Count half a match, a quarter, and so on, times a factor, for orders without a match.

    >>> _halve([0.5, 0.0, 0.0], [4, 3, 2], 1.0)
    [0.5, 0.16666666666666666, 0.125]
    """
    precisions = []
    share = factor
    for value, total in zip(plain, totals, strict=False):  # for technique 7, `plain` has more orders
        if not value:
            share /= 2
        precisions.append(value or share / max(1, total))
    return precisions


def _average(precisions: list[float], fifth: float) -> list[float]:
    """Return the mean of each precision, the averaged one before it, and the one after it.

    >>> _average([1.0, 0.5], 0.0)
    [1.1666666666666667, 0.5555555555555556]
    """
    means = [precisions[0] + 1]  # by definition, the mean before the first one is p1 + 1
    for value, following in zip(precisions, [*precisions[1:], fifth], strict=True):
        means.append((means[-1] + value + following) / 3)
    return means[1:]


def _interpolate(plain: Sequence[float], counts: Sequence[float], totals: Sequence[float]) -> list[float]:
    """Mix the precisions from order 3 on with an estimate from the two smoothed precisions before.

    Raises:
        SegmentError: there is no match of order 3.
    """
    if not counts[2]:
        raise SegmentError(
            1, f"has no match of order {INTERPOLATED}, which chen-cherry-6 needs; choose another smoothing method"
        )
    precisions = list(plain[:2])
    for count, total in zip(counts[2:], totals[2:], strict=True):
        prior = precisions[-1] ** 2 / precisions[-2] if precisions[-2] else 0.0
        precisions.append((count + PRIOR_WEIGHT * prior) / (total + PRIOR_WEIGHT))
    return precisions
