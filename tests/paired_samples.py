"""Statistics to resample, and resampling in its plainest form: NumPy's own draws, and sums one after the other.

- `texts`, `near`: segments of the demo corpus, and a system that differs in a few of them
- `samples_of`, `numbers`: statistics of systems by metrics, and of one number per segment
- `plain_bootstrap`, `plain_interval`, `plain_difference_interval`, `plain_bootstrap_p_value`,
  `plain_randomization_p_value`: as in the formulas
- `randomize_pairs`, `bootstrap_pairs`: the two tests of all pairs
"""

from __future__ import annotations

from array import array
from functools import lru_cache, partial
from itertools import combinations

import numpy as np
import oracles

from bleucli import BLEU, CHRF, TER
from bleucli.kernels.stats import SegmentStats
from bleucli.significance import max_t
from bleucli.significance.resampling import Sample

METRICS = {"BLEU": BLEU, "chrF2": CHRF, "TER": TER}


@lru_cache(maxsize=16)
def texts(name, count=None):
    """Return the first segments of a file of the demo corpus.

    >>> len(texts("strong", 30)), len(texts("reference.A"))
    (30, 100)
    """
    return oracles.read_lines(oracles.DEMO, f"{name}.de.txt")[:count]


def near(lines):
    """Return a system that differs in every eighth segment: a word is missing there.

    >>> near(["a b", "c d"])
    ['a', 'c d']
    """
    return [line.rpartition(" ")[0] if number % 8 == 0 else line for number, line in enumerate(lines)]


def demo_systems(count=None):
    """Return the name and text of three systems: a strong one, a similar one, and a weak one.

    >>> [name for name, _ in demo_systems(1)]
    ['strong', 'near', 'weak']
    """
    strong = texts("strong", count)
    return [("strong", strong), ("near", near(strong)), ("weak", texts("weak", count))]


@lru_cache(maxsize=16)
def samples_of(count=None, references=("reference.A",)):
    """Return for each system of the demo corpus one sample per metric.

    >>> [[len(sample.stats) for sample in row] for row in samples_of(9)]
    [[9, 9, 9], [9, 9, 9], [9, 9, 9]]
    """
    streams = [texts(name, count) for name in references]
    metrics = [make(references=streams) for make in METRICS.values()]
    return [
        [Sample(metric.corpus_stats(lines, None, keep_rows=True).rows, metric.scores_from_stats) for metric in metrics]
        for _, lines in demo_systems(count)
    ]


def numbers(values):
    """Return a sample whose score is the mean of its numbers.

    >>> sample = numbers([1.5, 2.5])
    >>> sample.scores_from_stats(sample.stats).tolist()
    [0.75, 1.25]
    """
    return Sample(SegmentStats(memoryview(array("d", values)), 1), partial(_means, len(values)))


def _means(count, sums):
    return np.asarray(sums)[:, 0] / count


def _scores(sample, sums):
    """Return the scores of rows of sums."""
    kind = sample.stats.data.format
    rows = np.ascontiguousarray(sums, np.int64 if kind == "q" else np.float64)
    return sample.scores_from_stats(SegmentStats(memoryview(rows.tobytes()).cast(kind), rows.shape[1]))


def plain_bootstrap(sample, resamples, seed):
    """Return the scores of resamples, which `Generator.choice` draws.

    >>> plain_bootstrap(numbers([1.0, 2.0, 6.0]), 2, 5).tolist()
    [4.333333333333333, 3.3333333333333335]
    """
    rows = np.asarray(sample.stats)
    draws = np.random.default_rng(seed).choice(len(rows), size=(resamples, len(rows)), replace=True)
    return _scores(sample, [rows[drawn].sum(axis=0) for drawn in draws])


def plain_interval(scores):
    """Return the mean of scores, and half the width of the interval that holds 95% of them.

    >>> plain_interval([float(number) for number in range(40)])
    (19.5, 18.5)
    """
    ordered, count = sorted(scores), len(scores)
    return sum(scores) / count, (ordered[count - 1 - count // 40] - ordered[count // 40]) / 2


def plain_difference_interval(left, right, resamples, seed):
    """Return the bounds between which 95% of the differences of resamples are.

    >>> plain_difference_interval(numbers([1.0, 2.0, 6.0, 3.0]), numbers([2.0, 3.0, 7.0, 4.0]), 99, 1)
    (1.0, 1.0)
    """
    rows = [np.asarray(sample.stats) for sample in (left, right)]
    draws = np.random.default_rng(seed).choice(len(rows[0]), size=(resamples, len(rows[0])), replace=True)
    one, other = (
        _scores(sample, [own[drawn].sum(axis=0) for drawn in draws])
        for sample, own in zip((left, right), rows, strict=True)
    )
    gaps = np.sort(other - one)
    return float(gaps[resamples // 40]), float(gaps[resamples - 1 - resamples // 40])


def plain_difference(left, right):
    """Return the difference between the scores of two systems."""
    (one,), (other,) = (_scores(sample, [np.asarray(sample.stats).sum(axis=0)]) for sample in (left, right))
    return abs(one - other)


def plain_bootstrap_p_value(left, right, resamples, seed):
    """Return the p-value of the paired bootstrap.

    >>> plain_bootstrap_p_value(numbers([1.0, 2.0, 6.0]), numbers([2.0, 1.0, 7.0]), 99, 1)
    0.4
    """
    gaps = np.abs(plain_bootstrap(left, resamples, seed) - plain_bootstrap(right, resamples, seed))
    exceeding = sum(gap - gaps.mean() > plain_difference(left, right) for gap in gaps)
    return float((exceeding + 1) / (resamples + 1))


def plain_randomization_p_value(left, right, trials, seed):
    """Return the p-value of approximate randomization, whose swaps `Generator.integers` draws.

    >>> plain_randomization_p_value(numbers([1.0, 2.0, 6.0]), numbers([1.0, 3.0, 8.0]), 99, 1)
    0.01
    """
    lefts, rights = np.asarray(left.stats), np.asarray(right.stats)
    masks = np.random.default_rng(seed).integers(2, size=(trials, len(lefts)), dtype=bool)[:, :, None]
    sums = _scores(left, [np.where(mask, lefts, rights).sum(axis=0) for mask in masks])
    others = _scores(right, [np.where(mask, rights, lefts).sum(axis=0) for mask in masks])
    exceeding = sum(abs(sums - others) > plain_difference(left, right))
    return float((exceeding + 1) / (trials + 1))


def randomize_pairs(samples, trials, seed, **options):
    """Test every pair of systems of one corpus by randomization."""
    pairs = list(combinations(range(len(samples)), 2))
    return max_t.randomize_means([samples], pairs, trials, [seed], **options)


def bootstrap_pairs(samples, scores):
    """Test every pair of systems of one corpus by the bootstrap."""
    return max_t.bootstrap_means([samples], scores)
