"""chrF's F-score of many rows at once: `kernels.f_score` with NumPy, the same operations in the same order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bleucli.kernels.python_chrf import EPSILON, squared
from bleucli.kernels.stats import SegmentStats


def f_scores(stats: SegmentStats, beta: float, eps_smoothing: bool) -> NDArray[np.float64]:
    """Return the F-score of each row in percent, equal to `kernels.f_score` to the last bit.

    Args:
        stats: rows of `hyp_count, ref_count, match` for each order.
        beta: as for `kernels.f_score`.
        eps_smoothing: as for `kernels.f_score`.

    >>> from array import array
    >>> f_scores(SegmentStats(memoryview(array("q", [2, 3, 2, 1, 2, 1])), 6), 2, False).tolist()
    [63.636363636363626]
    """
    columns = np.asarray(stats, np.float64).T
    orders = zip(columns[::3], columns[1::3], columns[2::3], strict=True)
    factor = squared(beta)
    precision, recall, scores, effective = np.zeros((4, len(stats)))
    for hyp_count, ref_count, match in orders:
        if eps_smoothing:
            scores += _of_precision_and_recall(
                factor, _quotients(match, hyp_count, EPSILON), _quotients(match, ref_count, EPSILON), EPSILON
            )
        else:  # adding 0.0 changes no bit, so a row may skip the orders that one of its texts lacks
            both = (hyp_count > 0) & (ref_count > 0)
            precision += np.where(both, _quotients(match, hyp_count, 0.0), 0.0)
            recall += np.where(both, _quotients(match, ref_count, 0.0), 0.0)
            effective += both
    if eps_smoothing:
        return 100 * scores / (stats.columns // 3)
    effective = np.maximum(1, effective)  # both sums are 0 if no order counts, and so is the score
    return 100 * _of_precision_and_recall(factor, precision / effective, recall / effective, 0.0)


def _of_precision_and_recall(
    factor: float, precision: NDArray[np.float64], recall: NDArray[np.float64], default: float
) -> NDArray[np.float64]:
    return _quotients((1 + factor) * precision * recall, factor * precision + recall, default)


def _quotients(dividends: NDArray[np.float64], divisors: NDArray[np.float64], default: float) -> NDArray[np.float64]:
    """Divide where the divisor is positive."""
    return np.divide(dividends, divisors, out=np.full_like(dividends, default), where=divisors > 0)
