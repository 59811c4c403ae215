"""What a test set can show: the smallest difference between two systems that a test finds there.

- `standard_error`: that of a score or of a difference, by jackknife
- `measure`: the smallest difference that a test finds, for each metric
"""

from __future__ import annotations

from collections.abc import Sequence

from bleucli.results import FEWEST_DIFFERING, Power, Results, ScoreRecord
from bleucli.significance.resampling import Sample, differing, score_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A two-sided test at 0.05 finds a difference of 2.80 standard errors with a probability of 0.8: the quantiles of the
# normal distribution at 0.975 and at 0.8 (Cohen 1988)
_STANDARD_ERRORS = 1.959964 + 0.841621
# How many scores are computed at once
_ROWS = 1 << 14


def standard_error(sample: Sample, baseline: Sample | None = None) -> float:
    """Return the standard error of a score, or of its difference from a baseline's, by jackknife (Efron & Stein 1981).

    It is the root of (n - 1) / n times the sum of squared deviations from their mean of the n scores that leave out one
    row each.

    Args:
        sample: statistics with n rows, at least two; a row may stand for a segment or a document.
        baseline: statistics of the same rows; None for the score alone.

    >>> from bleucli import WER
    >>> wer = WER()
    >>> stats = wer.corpus_stats(["a b", "a c", "x y"], [["a b", "a b", "a b"]], keep_rows=True)
    >>> round(standard_error(Sample(stats.rows, wer.scores_from_stats)), 3)
    28.868
    """
    scores = _leave_one_out(sample)
    if baseline is not None:
        scores = scores - _leave_one_out(baseline)
    return float(((len(scores) - 1) * scores.var()) ** 0.5)


def _leave_one_out(sample: Sample) -> NDArray[np.float64]:
    """Return the scores of all rows but one, for each row."""
    import numpy as np

    from bleucli.kernels.stats import SegmentStats

    rows = np.asarray(sample.stats)
    sums, scores = rows.sum(axis=0), np.empty(len(rows))
    for start in range(0, len(rows), _ROWS):  # all sums at once would take as much memory as the statistics
        part = slice(start, start + _ROWS)
        scores[part] = sample.scores_from_stats(SegmentStats.from_numpy(sums - rows[part]))
    return scores


def main_pair(column: Sequence[ScoreRecord], all_pairs: bool) -> tuple[int, int]:
    """Return the two systems that matter most: the two best, or the baseline and the best of the others.

    Args:
        column: the scores of at least two systems, the baseline first.
        all_pairs: whether every pair is tested, so that there is no baseline.
    """
    numbers = range(len(column)) if all_pairs else range(1, len(column))
    order = sorted(numbers, key=lambda number: column[number].score, reverse=bool(column[0].higher_is_better))
    return (order[0], order[1]) if all_pairs else (0, order[0])


def measure(
    results: Results, metric: int, samples: Sequence[Sample], all_pairs: bool, unit: str
) -> tuple[int, Power] | None:
    """Return what a test shows of the two systems that matter most: the number of the second one, and the figures.

    Args:
        results: the scores of all systems, the baseline first.
        metric: the number of a metric.
        samples: the statistics of all systems by this metric, with a row for each unit.
        all_pairs: whether every pair is tested.
        unit: what is drawn or exchanged as a whole, a key of `bleucli.results.UNITS`.

    Returns:
        None if there is only one system, or if too few units differ for an estimate.
    """
    if len(results.systems) < 2:  # a group that only one system has
        return None
    first, second = main_pair([system.scores[metric] for system in results.systems], all_pairs)
    pair = samples[first], samples[second]
    count = differing(*(one.stats for one in pair))
    if count < FEWEST_DIFFERING:
        return None
    smallest = _STANDARD_ERRORS * standard_error(*pair)
    difference = abs(score_of(pair[0]) - score_of(pair[1]))
    return second, Power(first, smallest, difference, len(pair[0].stats), count, unit)
