"""The F-score of chrF, of a segment as of a corpus. Whoever compares segments by it must compute it exactly so."""

from array import array
from collections.abc import Sequence
from math import isfinite

# Popović's chrF++.py: what stands for a precision, recall or F-score that is not defined
EPSILON = 1e-16


def f_score(stats: Sequence[int | float], beta: float, eps_smoothing: bool, /) -> float:
    """Return the F-score in percent (Popović 2015, equation 1; 2017 for several kinds of n-grams).

    Args:
        stats: `hyp_count, ref_count, match` for each order, one behind the other.
        beta: how many times more recall counts than precision.
        eps_smoothing: average the F-scores of all orders, undefined ones taken for 1e-16; else average precision and
            recall over the orders that both texts have.

    The order of evaluation is part of the definition: ties between references are decided by the last bit.

    Raises:
        ValueError: the statistics are not three for each order, or one of them is negative or not finite, or beta
            squared is not finite.

    >>> f_score([2, 3, 2, 1, 2, 1], 2, False)
    63.636363636363626
    """
    if len(stats) == 0 or len(stats) % 3:  # an array of NumPy has no truth
        raise ValueError(f"{len(stats)} statistics; expected three for each order")
    factor = squared(beta)
    counts = array("d", list(stats))
    if min(counts) < 0.0 or not all(map(isfinite, counts)):
        raise ValueError("counts that are negative or not finite")
    orders = zip(counts[::3], counts[1::3], counts[2::3], strict=True)
    if eps_smoothing:
        scores = 0.0
        for order in orders:  # not sum(): from Python 3.12 on it rounds differently
            scores += _smooth(factor, *order)
        return 100 * scores / (len(stats) // 3)
    precision = recall = 0.0
    effective = 0
    for hyp_count, ref_count, match in orders:
        if hyp_count and ref_count:
            precision += match / hyp_count
            recall += match / ref_count
            effective += 1
    if effective == 0:
        return 0.0
    precision /= effective
    recall /= effective
    denominator = factor * precision + recall
    return 100 * ((1 + factor) * precision * recall / denominator) if denominator > 0 else 0.0


def squared(beta: float) -> float:
    """Return the weight of recall by Python's own power: a product may differ in the last bit, which decides ties.

    Raises:
        ValueError: it is not finite.
    """
    square: float = beta**2.0
    if not isfinite(square):
        raise ValueError("beta is not finite")
    return square


def _smooth(factor: float, hyp_count: float, ref_count: float, match: float) -> float:
    precision = match / hyp_count if hyp_count > 0 else EPSILON
    recall = match / ref_count if ref_count > 0 else EPSILON
    denominator = factor * precision + recall
    return (1 + factor) * precision * recall / denominator if denominator > 0 else EPSILON
