"""Comparison of every pair of systems, with p-values that hold for all pairs together.

- `randomize_means`, `bootstrap_means`: the two tests, for means of scores over one corpus or several
- `StepDown`: the correction that both use

The more pairs are compared, the more likely it is that one of them differs by chance. Corrections that use only the
p-values (Bonferroni, Holm) multiply the smallest one by the number of pairs: many systems need very many trials.
Here, each difference is compared with the largest one that chance produces among all pairs (Westfall & Young 1993;
Romano & Wolf 2005). The smallest p-value is 1 / (trials + 1), however many pairs there are.

In a trial, all pairs swap or draw the same segments. So pairs depend on each other in the trials as they do in the
texts: a further system that is almost equal to another one costs little, and an exact copy costs nothing. How often the
tests err is measured by `scripts/familywise`. A few hundred families do not suffice for that: of 400, between 12 and 28
with an error are compatible with 5%.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations

from bleucli import kernels
from bleucli.counting.threads import in_order
from bleucli.kernels.stats import SegmentStats
from bleucli.records import NamedTuple
from bleucli.significance.resampling import (
    TIE,
    Sample,
    bootstrap_p_value,
    random_bits,
    report_nothing,
    score_of,
    share_out,
    trials_at_once,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bleucli.significance.resampling import Entropy, Scores, Words

    Rows = NDArray[np.float64] | NDArray[np.int64]


class PairTest(NamedTuple):
    """The p-values of a difference between two systems.

    p_value: not corrected. inclusive: not corrected either, but also counts trials with an equal difference (see
    `resampling.randomize`). corrected: corrected for the number of pairs; counts such trials, too.
    """

    p_value: float
    inclusive: float
    corrected: float


# The name of the correction in signatures
CORRECTION = "max-t"
# The most bytes of differences, and the most segments, in memory at a time
_DIFFERENCE_BYTES = 1 << 24
_SEGMENTS = 1 << 14


class StepDown:
    """The step-down max-T correction of many tests (Romano & Wolf 2005, with the p-values of their note of 2016).

    In each trial, the most extreme test is compared with the largest value of all tests. Every other test is compared
    only with the largest value of the tests that are at most as extreme as itself.

    Args:
        observed: one value for each test, at least 0; larger is more extreme. The values must have the same scale.

    >>> import numpy
    >>> tests = StepDown(numpy.array([2.0, 3.0]))
    >>> tests.add(numpy.array([[0.5, 1.0, 2.5], [1.0, 2.0, 0.5]]))
    >>> tests.p_values()
    [0.5, 0.25]
    """

    def __init__(self, observed: Scores) -> None:
        import numpy as np

        self._order = np.argsort(observed, kind="stable")  # the least extreme first
        self._observed = observed[self._order] * (1 - TIE)  # trials with an equal value count
        self._reached = np.zeros(len(observed), np.int64)
        self._trials = 0

    def add(self, trials: NDArray[np.float64]) -> None:
        """Count the values that chance produces: one row per test, one column per trial."""
        import numpy as np

        largest = np.maximum.accumulate(trials[self._order], axis=0)
        self._reached += (largest >= self._observed[:, None]).sum(axis=1)
        self._trials += trials.shape[1]

    def p_values(self) -> list[float]:
        """Return the corrected p-values, in the order of the tests."""
        import numpy as np

        stepwise = (self._reached[::-1] + 1) / (self._trials + 1)
        p_values = np.empty(len(stepwise))
        # A test must not have a smaller p-value than a more extreme one
        p_values[self._order[::-1]] = np.maximum.accumulate(stepwise)
        return [float(number) for number in p_values]


def _observe(corpora: Sequence[Sequence[Sample]], pairs: Sequence[tuple[int, int]]) -> Scores:
    """Return the mean difference of each pair over the corpora, without its sign."""
    import numpy as np

    scores = np.array([[score_of(sample) for sample in samples] for samples in corpora])
    return np.array([abs((scores[:, first] - scores[:, second]).mean()) for first, second in pairs])


def _scale(corpora: Sequence[Sequence[Sample]], pairs: Sequence[tuple[int, int]], jobs: int) -> NDArray[np.float64]:
    """Return how much the mean difference of each pair varies by chance.

    This is computed, not estimated from trials: if an estimate were too low, a difference would look large.
    """
    import numpy as np

    def spread(pair: tuple[int, int]) -> float:
        squares = [_spread(samples[pair[0]], samples[pair[1]]) ** 2 for samples in corpora]
        return float(sum(squares) ** 0.5 / len(corpora))

    return np.array([result for _, result in in_order(spread, pairs, jobs)])


def _spread(left: Sample, right: Sample) -> float:
    """Return approximately the standard deviation of the difference between two scores under random swaps.

    Swaps move each column of the sums by a random walk, whose steps are the differences between the systems' rows. To
    find out how steeply the score follows a column, start from half the sum of both systems, and move this column by
    the typical length of its walk. The slopes turn the difference of each row into a step of the score.
    """
    import numpy as np

    rows, other_rows = np.asarray(left.stats), np.asarray(right.stats)
    middle = (rows.sum(axis=0) + other_rows.sum(axis=0)) / 2
    parts = [slice(start, start + _SEGMENTS) for start in range(0, len(rows), _SEGMENTS)]
    steps = np.sqrt(sum(((rows[part] - other_rows[part]).astype(np.float64) ** 2).sum(axis=0) for part in parts))
    scores = left.scores_from_stats(SegmentStats.from_numpy(np.vstack([middle, middle + np.diag(steps)])))
    slopes = np.divide(scores[1:] - scores[0], steps, out=np.zeros(len(steps)), where=steps > 0)
    return float(np.sqrt(sum((((rows[part] - other_rows[part]) @ slopes) ** 2).sum() for part in parts)))


def _divide_by_scale(values: NDArray[np.float64], scale: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide by the scale of each pair; if that is 0, a value of 0 stays 0, and any other becomes infinite."""
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(values / scale, nan=0.0, posinf=np.inf)


def _trials_held(pairs: int) -> int:
    return max(1, _DIFFERENCE_BYTES // (8 * pairs))


# --- approximate randomization


def randomize_means(
    corpora: Sequence[Sequence[Sample]],
    pairs: Sequence[tuple[int, int]],
    trials: int,
    seeds: Sequence[Entropy],
    *,
    jobs: int = 1,
    progress: Callable[[int, int], None] = report_nothing,
) -> list[PairTest]:
    """Test pairs of systems by randomization, by the means of their scores over corpora such as language pairs.

    In a trial, the segments of each corpus are swapped independently of those of the others, and those of all pairs
    together. With a single corpus, p-values without a correction are those of `resampling.randomize`.

    Args:
        corpora: of each corpus, one sample for each system.
        pairs: at least one, by the places of the systems; the p-values are corrected for their number.
        trials: in each, every segment is either swapped between the systems of a pair or not.
        seeds: those of the swaps, one for each corpus (see `bleucli.significance.resampling.bootstrap`).
        jobs: the number of threads.
        progress: called with the number of trials done, and the number of all trials.
    """
    import numpy as np

    observed, scale = _observe(corpora, pairs), _scale(corpora, pairs, jobs)
    tests = StepDown(_divide_by_scale(observed, scale))
    exceeding, reaching = np.zeros(len(observed), np.int64), np.zeros(len(observed), np.int64)
    position = 0
    # All corpora must give the same number of trials at a time
    block_size = min(_trials_held(len(pairs)), *(trials_at_once(len(samples[0].stats)) for samples in corpora))
    each = [
        _differences(samples, pairs, trials, seed, jobs, block_size)
        for samples, seed in zip(corpora, seeds, strict=True)
    ]
    for blocks in zip(*each, strict=True):
        block = abs(sum(blocks[1:], blocks[0]) / len(blocks))
        exceeding += (block > observed[:, None] * (1 + TIE)).sum(axis=1)
        reaching += (block >= observed[:, None] * (1 - TIE)).sum(axis=1)
        tests.add(_divide_by_scale(block, scale[:, None]))
        position += block.shape[1]
        progress(position, trials)
    p_values, inclusive = ((count + 1) / (trials + 1) for count in (exceeding, reaching))
    return list(map(PairTest, p_values.tolist(), inclusive.tolist(), tests.p_values()))


def _differences(
    samples: Sequence[Sample], pairs: Sequence[tuple[int, int]], trials: int, seed: Entropy, jobs: int, block: int
) -> Iterator[NDArray[np.float64]]:
    """Give the differences of pairs in random trials, a block at a time: one row per pair, one column per trial."""
    import numpy as np

    if len(pairs) < len(samples):  # as for two systems: to swap each pair takes fewer passes than to split each system
        for words, bit, count in random_bits(len(samples[0].stats), trials, seed, block):
            parts = share_out(partial(_swap, samples, pairs, words, bit), len(pairs), count, jobs)
            yield np.concatenate([differences for _, _, differences in parts]).reshape(len(pairs), count)
        return
    # A system of zeros: swapping with it splits another system's sum into swapped and kept segments
    blank = SegmentStats.from_numpy(np.zeros_like(np.asarray(samples[0].stats)))
    for words, bit, count in random_bits(len(samples[0].stats), trials, seed, block):
        sums = _split_sums(samples, blank, words, bit, count, jobs)

        def compare(pair: tuple[int, int]) -> Scores:
            (swapped, kept), (other_swapped, other_kept) = sums[pair[0]], sums[pair[1]]  # noqa: B023 - used at once
            both = np.concatenate([swapped + other_kept, kept + other_swapped])
            scores = samples[pair[0]].scores_from_stats(SegmentStats.from_numpy(both))
            return scores[: len(swapped)] - scores[len(swapped) :]

        yield np.array([result for _, result in in_order(compare, pairs, jobs)])


def _swap(
    samples: Sequence[Sample],
    pairs: Sequence[tuple[int, int]],
    words: Words,
    bit: int,
    number: int,
    start: int,
    stop: int,
) -> Scores:
    """Return the differences of a pair in the trials from `start` to `stop`."""
    left, right = (samples[place] for place in pairs[number])
    sums = kernels.swapped_sums(left.stats, right.stats, words, bit + start * len(left.stats), stop - start)
    scores, others = map(left.scores_from_stats, sums)
    return scores - others


def _split_sums(
    samples: Sequence[Sample], blank: SegmentStats, words: Words, bit: int, trials: int, jobs: int
) -> list[tuple[Rows, Rows]]:
    """Return for each system the sums of its swapped segments and of its kept ones, one row per trial.

    They are computed once per system. A trial of a pair then only adds the swapped sum of each system to the kept sum
    of the other.
    """
    import numpy as np

    def split(sample: Sample) -> tuple[Rows, Rows]:
        swapped, kept = kernels.swapped_sums(sample.stats, blank, words, bit, trials)
        return np.asarray(swapped), np.asarray(kept)

    return [sums for _, sums in in_order(split, samples, jobs)]


# --- bootstrap


def bootstrap_means(corpora: Sequence[Sequence[Sample]], scores: Sequence[Scores]) -> list[PairTest]:
    """Test every pair, as `itertools.combinations` orders them, by the means of scores over one corpus or several.

    The p-value without a correction is Koehn's, which counts only resamples whose difference is above the mean. The
    corrected one is two-sided: it measures how far the difference of a resample is from the mean in either direction.

    Args:
        corpora: of each corpus, one sample for each system.
        scores: the means of each system's resamples, from the same draws (see `resampling.bootstrap`); those of each
            corpus are drawn independently of the others.
    """
    import numpy as np

    pairs = list(combinations(range(len(corpora[0])), 2))
    observed, scale = _observe(corpora, pairs), _scale(corpora, pairs, 1)
    means = np.array([(scores[first] - scores[second]).mean() for first, second in pairs])
    tests = StepDown(_divide_by_scale(observed, scale))
    most = _trials_held(len(pairs))
    for start in range(0, len(scores[0]), most):
        part = slice(start, start + most)
        block = np.array([scores[first][part] - scores[second][part] for first, second in pairs])
        tests.add(_divide_by_scale(abs(block - means[:, None]), scale[:, None]))
    p_values = [
        bootstrap_p_value(scores[first], scores[second], gap)
        for (first, second), gap in zip(pairs, observed, strict=True)
    ]
    # Koehn's p-value is computed differently and may be larger, but a correction must not make it smaller
    return [PairTest(one, one, max(one, many)) for one, many in zip(p_values, tests.p_values(), strict=True)]
