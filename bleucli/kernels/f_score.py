"""The F-score of chrF, of a segment as of a corpus. Whoever compares segments by it must compute it exactly so."""

from collections.abc import Sequence

# Popović's chrF++.py: what stands for a precision, recall or F-score that is not defined
EPSILON = 1e-16


def f_score(stats: Sequence[int | float], beta: int, eps_smoothing: bool) -> float:
    """Return the F-score in percent (Popović 2015, equation 1; 2017 for several kinds of n-grams).

    Args:
        stats: `hyp_count, ref_count, match` for each order, one behind the other.
        beta: how many times more recall counts than precision.
        eps_smoothing: average the F-scores of all orders, undefined ones taken for 1e-16; else average precision and
            recall over the orders that both texts have.

    The order of evaluation is part of the definition: ties between references are decided by the last bit.

    >>> f_score([2, 3, 2, 1, 2, 1], 2, False)
    63.636363636363626
    """
    orders = zip(stats[::3], stats[1::3], stats[2::3], strict=True)
    factor = beta * beta
    if eps_smoothing:
        scores = 0.0
        for order in orders:  # not sum(): from Python 3.12 on it rounds differently
            scores += _smoothed(factor, *order)
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
    if not precision + recall:
        return 0.0
    return 100 * ((1 + factor) * precision * recall / (factor * precision + recall))


def _smoothed(factor: int, hyp_count: float, ref_count: float, match: float) -> float:
    precision = match / hyp_count if hyp_count > 0 else EPSILON
    recall = match / ref_count if ref_count > 0 else EPSILON
    denominator = factor * precision + recall
    return (1 + factor) * precision * recall / denominator if denominator > 0 else EPSILON
