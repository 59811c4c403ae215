"""Resampling: how certain a score is, and whether a difference between two systems is real.

- `Sample`: the statistics of one system by one metric, and how sums of them are scored
- `bootstrap`: scores of resamples (Koehn 2004), with `confidence_interval`, `difference_interval`, `bootstrap_p_value`
- `randomization_p_values`, `randomize`: paired approximate randomization (Riezler & Maxwell 2005)
- `standard_error`: that of a score or of a difference, by jackknife
- `identical`, `differing`: whether two samples are equal, and in how many segments they differ
- `random_seed`: the seed that the environment sets; `choose_seed`: the seed that a caller asks for

The draws are those of NumPy's `default_rng(seed)`. They are made and used in blocks. Neither the size of the blocks nor
the number of threads changes a digit.

>>> from bleucli import BLEU, resampling
>>> bleu = BLEU()
>>> references = [["the cat sat on the mat", "a dog ran down the street"] * 10]
>>> systems = [["the cat sat on a mat", "a dog ran down the street"] * 10, references[0]]
>>> samples = [
...     resampling.Sample(bleu.corpus_stats(texts, references, keep_rows=True).rows, bleu.scores_from_stats)
...     for texts in systems
... ]
>>> scores, _ = resampling.bootstrap(samples, 1000)
>>> mean, half_width = resampling.confidence_interval(scores)
>>> round(mean, 1), round(half_width, 1), resampling.randomization_p_values([tuple(samples)], 999)
(77.7, 9.2, [0.001])
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from bleucli import kernels
from bleucli.counting.threads import count_threads, in_order
from bleucli.errors import BleuError, InputTypeError, UsageError
from bleucli.kernels.stats import SegmentStats
from bleucli.limits import MOST_TRIALS, whole_number
from bleucli.records import NamedTuple
from bleucli.results import Interval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeVar

    import numpy as np
    from numpy.typing import NDArray

    Result = TypeVar("Result")
    Scores = NDArray[np.float64]
    Words = NDArray[np.uint64]
    Seed = int | Literal["environment"] | None
    Entropy = int | Sequence[int] | None


class Sample(NamedTuple):
    """The statistics of one system by one metric.

    Attributes:
        stats: one row per segment.
        scores_from_stats: a function that takes rows of sums and returns their scores.
        ties: whether p-values count trials with an equal difference. sacreBLEU does not count them, and neither do
            published p-values of its metrics.
        score: the score on all segments, if that of the sum of all rows is another one.
    """

    stats: SegmentStats
    scores_from_stats: Callable[[SegmentStats], Scores]
    ties: bool = False
    score: float | None = None


# sacreBLEU 2.6.0
SEED = 12345
RESAMPLES = 1000
TRIALS = 10000
# The most digits of a seed; more are certainly a mistake
_LONGEST_SEED = 100
# In memory at a time: the most bytes of weights that are drawn at once, from four times as many bytes of random words;
# the most bytes of random bits; and the most trials
_WEIGHT_BYTES = 1 << 19
# The number of resamples, of long texts, that are scored at once: each pass over the rows should serve several
_SCORED_AT_ONCE = 32
_BIT_BYTES = 1 << 24
# The kernel is made for many trials at once: a call for 64 takes almost as long as one for 256
_LEAST_TRIALS = 256
# The number of random words that are drawn at once
_WORDS = 1 << 16
_TRIALS_HELD = 1 << 14
# Differences that are this close count as equal, since a sum of doubles depends on the order of its terms
TIE = 1e-12
# How many rows the jackknife leaves out at once, each by itself
_ROWS = 1 << 14
# The number of trials per call: few enough to share the work evenly, and enough to be worth a call
_SHARE = 256
# One in 40 resamples (2.5%) is above a 95% confidence interval, and one in 40 is below
_TAIL = 40
# Words in addition to the average need, for draws that are repeated
_SPARE_WORDS = 64


def report_nothing(done: int, total: int) -> None:
    """Ignore progress."""


def random_seed(variables: Mapping[str, str] | None = None) -> int | None:
    """Return the seed that `BLEU_SEED`, or else `SACREBLEU_SEED`, sets: 12345 without either, None for "none".

    Args:
        variables: environment variables; None for those of this process.

    Raises:
        UsageError: the value is neither a whole number from 0 nor "none".

    >>> random_seed({}), random_seed({"SACREBLEU_SEED": "0"}), random_seed({"BLEU_SEED": "None"})
    (12345, 0, None)
    """
    variables = os.environ if variables is None else variables
    name = "BLEU_SEED" if variables.get("BLEU_SEED") else "SACREBLEU_SEED"
    value = variables.get(name) or str(SEED)
    if value.lower() == "none":
        return None
    if not (value.isascii() and value.isdigit() and len(value) <= _LONGEST_SEED):
        text = value if len(value) <= _LONGEST_SEED else f"{value[:_LONGEST_SEED]}..."
        raise UsageError(f"{name} is {text!r}; expected a whole number from 0, or none")
    return int(value)


def choose_seed(seed: Seed) -> int | None:
    """Return the seed that a caller asks for.

    Args:
        seed: a whole number from 0; None for a new seed each time; "environment" for the one of `random_seed`.

    >>> choose_seed(7), choose_seed(None)
    (7, None)
    """
    if seed == "environment":
        return random_seed()
    if isinstance(seed, str):
        raise InputTypeError(
            f"seed {seed!r:.40}; give a whole number from 0, None for fresh random numbers, or 'environment'"
        )
    return None if seed is None else whole_number("seed", seed, 0)


def signature_fields(method: str, trials: int, seed: int | None) -> list[tuple[str, str]]:
    """Return the fields of a signature about resampling: "bs" or "ar" with the number of trials, and the seed.

    >>> signature_fields("bs", 1000, None)
    [('bs', '1000'), ('seed', 'none')]
    """
    return [(method, str(trials)), ("seed", "none" if seed is None else str(seed))]


# --- bootstrap


def bootstrap(
    samples: Sequence[Sample],
    resamples: int = RESAMPLES,
    seed: Entropy = SEED,
    *,
    jobs: int = 1,
    skip: int = 0,
    progress: Callable[[int, int], None] = report_nothing,
) -> list[Scores]:
    """Draw segments with replacement, and score each sample on these resamples: the draws are the same for all samples.

    Args:
        samples: statistics of the same n segments.
        resamples: B, the number of times that n segments are drawn.
        seed: the seed of the random numbers, one number or several, as `numpy.random.default_rng` takes them; None for
            a new one each time.
        jobs: the number of threads, 0 for all usable processors; it never changes a result.
        skip: the number of random bits to skip, because they were used before.
        progress: called with the number of resamples done, and the number of all resamples.

    Returns:
        For each sample, an array of B scores.

    Raises:
        BleuError: there are fewer than two resamples, or samples are empty or differ in length.
        InputTypeError: an argument has the wrong type.
    """
    import numpy as np

    resamples = whole_number("resamples", resamples, 2, MOST_TRIALS)
    seed, jobs, skip = _check_seed(seed), count_threads(jobs), whole_number("skip", skip, 0)
    segments = _length(samples)
    results = [np.empty(resamples) for _ in samples]
    position = 0
    for weights in _weights(segments, resamples, seed, skip):
        count = len(weights) // segments
        work = partial(_score_resamples, samples, weights)
        for number, first, scores in share_out(work, len(samples), count, jobs):
            results[number][position + first : position + first + len(scores)] = scores
        position += count
        progress(position, resamples)
    return results


def _score_resamples(samples: Sequence[Sample], weights: memoryview, number: int, first: int, last: int) -> Scores:
    stats, scores_from_stats, *_ = samples[number]
    return scores_from_stats(kernels.weighted_sums(stats, weights[first * len(stats) : last * len(stats)]))


def _weights(segments: int, resamples: int, seed: Entropy, skip: int) -> Iterator[memoryview]:
    """Give, for a block of resamples at a time, how often each resample has each segment."""
    import numpy as np

    generator = np.random.PCG64(seed)
    halves = -(-skip // 32)  # NumPy takes 32 bits at a time, and discards those that it does not need
    generator.advance(halves // 2)
    words, half = np.zeros(0, np.uint64), halves % 2  # half: how many 32-bit numbers of the words are used
    block = min(max(1, _WEIGHT_BYTES // segments), _TRIALS_HELD)
    held: list[bytes] = []
    while resamples > 0:
        count = min(block, resamples)
        draw = kernels.draw_weights(words, half, segments, count)
        if draw is None:  # the words do not suffice: replace the used ones
            words = np.concatenate([words[half // 2 :], generator.random_raw(_word_count(segments * count, segments))])
            half %= 2
            continue
        weights, half = draw
        resamples -= count
        held.append(weights)
        if sum(map(len, held)) // segments >= min(_SCORED_AT_ONCE, _TRIALS_HELD) or not resamples:
            yield memoryview(b"".join(held))  # kernels would copy a bytearray
            held.clear()


def _word_count(draws: int, segments: int) -> int:
    """Return how many words, with two draws each, nearly always suffice: at most one draw in 2^32 / n is repeated."""
    return (draws + draws * segments // 2**32) // 2 + _SPARE_WORDS


def confidence_interval(scores: Scores) -> Interval:
    """Return the mean of the resamples' scores and half the width of the interval that holds 95% of them.

    >>> import numpy
    >>> confidence_interval(numpy.arange(100.0))
    Interval(mean=49.5, half_width=47.5)
    """
    scores = _check_scores(scores)
    low, high = _bounds(scores)
    return Interval(float(scores.mean()), (high - low) / 2)


def difference_interval(baseline: Scores, system: Scores) -> tuple[float, float]:
    """Return the bounds of the interval that holds 95% of the differences between two systems' resamples.

    Args:
        baseline: scores of one system's resamples.
        system: scores of the other system's resamples, from the same draws. If they are higher, the differences are
            positive.

    >>> import numpy
    >>> difference_interval(numpy.zeros(100), numpy.arange(100.0))
    (2.0, 97.0)
    """
    return _bounds(_differences(baseline, system))


def _bounds(scores: Scores) -> tuple[float, float]:
    """Return the lowest and the highest score that remain after both tails are cut off."""
    import numpy as np

    low = len(scores) // _TAIL
    high = len(scores) - 1 - low
    partition = np.partition(scores, (low, high))
    return float(partition[low]), float(partition[high])


def _differences(baseline: Scores, system: Scores) -> Scores:
    baseline, system = _check_scores(baseline), _check_scores(system)
    if len(baseline) != len(system):
        raise BleuError(f"{len(baseline)} and {len(system)} scores of resamples; give those of the same resamples")
    return system - baseline


def _check_scores(scores: Scores) -> Scores:
    """Return scores of resamples as an array, from a list too."""
    import numpy as np

    try:
        array = np.asarray(scores, np.float64)
    except (TypeError, ValueError):
        array = np.empty((0, 0))
    if array.ndim != 1:
        raise InputTypeError("scores: expected an array of numbers, one for each resample")
    if not len(array):
        raise BleuError("there are no scores of resamples; expected at least one")
    return array


def bootstrap_p_value(baseline: Scores, system: Scores, difference: float) -> float:
    """Return the p-value of a difference between two systems (Koehn 2004, as Moses' script computes it).

    Args:
        baseline: scores of one system's resamples.
        system: scores of the other system's resamples, from the same draws.
        difference: the difference between the scores of the two systems on all segments; its sign does not matter.

    >>> import numpy
    >>> bootstrap_p_value(numpy.array([1.0, 2.0, 3.0]), numpy.array([2.0, 4.0, 6.0]), 0.5)
    0.5
    """
    differences = abs(_differences(baseline, system))
    return _p_value(int((differences - differences.mean() > abs(difference)).sum()), len(differences))


def _p_value(exceeding: int, trials: int) -> float:
    """Return the share of trials that exceed the observed difference; the observed one counts as such a trial."""
    return (exceeding + 1) / (trials + 1)


# --- approximate randomization


def randomization_p_values(
    pairs: Sequence[tuple[Sample, Sample]],
    trials: int = TRIALS,
    seed: int | None = SEED,
    *,
    jobs: int = 1,
    progress: Callable[[int, int], None] = report_nothing,
) -> list[float]:
    """Return the p-value of each pair's difference: the share of trials in which random swaps produce a larger one.

    Trials with an equal difference do not count, as in sacreBLEU; `randomize` can count them.

    Args:
        pairs: pairs of two systems by one metric; all systems have the same n segments.
        trials: the number of trials; in each, a random draw decides for every segment whether the systems of a pair
            swap it.
        seed: the seed of the random numbers; None for a new one each time.
        jobs: the number of threads, 0 for all usable processors; it never changes a result.
        progress: called with the number of trials done, and the number of all trials.

    Raises:
        BleuError: there is no trial, or samples are empty or differ in length.
        InputTypeError: an argument has the wrong type.
    """
    return [p_value for p_value, _ in randomize(pairs, trials, seed, jobs=jobs, progress=progress)]


def randomize(
    pairs: Sequence[tuple[Sample, Sample]],
    trials: int = TRIALS,
    seed: Entropy = SEED,
    *,
    jobs: int = 1,
    progress: Callable[[int, int], None] = report_nothing,
) -> list[tuple[float, float]]:
    """Return two p-values of each pair's difference; arguments and errors as in `randomization_p_values`.

    Returns:
        The share of trials with a larger difference, and the share of trials with a larger or equal one. Use the second
            if equal differences are common: if scores are coarse, or if few segments differ.
    """
    trials = whole_number("trials", trials, 1, MOST_TRIALS)
    seed, jobs = _check_seed(seed), count_threads(jobs)
    if not isinstance(pairs, Sequence) or not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
        raise InputTypeError("pairs: expected a list of pairs of samples; write [(baseline, system), ...]")
    segments = _length([sample for pair in pairs for sample in pair])
    if any(left.stats.columns != right.stats.columns for left, right in pairs):
        raise BleuError("the two systems of a pair were counted by different metrics; expected the same")
    observed = [abs(score_of(left) - score_of(right)) for left, right in pairs]
    exceeding, reaching = [0] * len(pairs), [0] * len(pairs)
    position = 0
    for words, first, count in random_bits(segments, trials, seed):
        work = partial(_count_extreme, pairs, observed, words, first)
        for number, _, (more, as_much) in share_out(work, len(pairs), count, jobs):
            exceeding[number] += more
            reaching[number] += as_much
        position += count
        progress(position, trials)
    return [(_p_value(a, trials), _p_value(b, trials)) for a, b in zip(exceeding, reaching, strict=True)]


def _count_extreme(
    pairs: Sequence[tuple[Sample, Sample]],
    observed: Sequence[float],
    words: Words,
    first: int,
    number: int,
    start: int,
    stop: int,
) -> tuple[int, int]:
    """Count the trials from `start` to `stop` that exceed a pair's difference, and those that exceed or equal it."""
    left, right = pairs[number]
    bit = first + start * len(left.stats)
    sums, other_sums = kernels.swapped_sums(left.stats, right.stats, words, bit, stop - start)
    differences = abs(left.scores_from_stats(sums) - right.scores_from_stats(other_sums))
    exceeding, reaching = differences > observed[number] * (1 + TIE), differences >= observed[number] * (1 - TIE)
    return int(exceeding.sum()), int(reaching.sum())


def score_of(sample: Sample) -> float:
    """Return the score of a system on all segments."""
    if sample.score is not None:
        return sample.score
    sums = kernels.weighted_sums(sample.stats, bytes([1]) * len(sample.stats))
    return float(sample.scores_from_stats(sums)[0])


def trials_at_once(segments: int) -> int:
    """Return for how many trials random bits fit into memory, but at least as many as are worth a call."""
    return min(max(_LEAST_TRIALS, _BIT_BYTES * 8 // segments), _TRIALS_HELD)


def random_bits(
    segments: int, trials: int, seed: Entropy, block: int | None = None
) -> Iterator[tuple[Words, int, int]]:
    """Give blocks of random words, each with the first unused bit and the number of trials.

    A block is overwritten by the next one. Trials use the bits one after the other, the lowest bit first, as NumPy's
    `integers(2, dtype=bool)` does.

    segments: the number of bits of a trial. block: the number of trials at a time; None for as many as `trials_at_once`
    says.
    """
    import numpy as np

    generator = np.random.PCG64(seed)
    block = trials_at_once(segments) if block is None else block
    words = np.empty(-(-(63 + min(block, trials) * segments) // 64), np.uint64)
    filled = first = 0
    while trials > 0:
        count = min(block, trials)
        end = -(-(first + count * segments) // 64)
        for start in range(filled, end, _WORDS):
            part = words[start : min(start + _WORDS, end)]
            part[:] = generator.random_raw(len(part))
        yield words[:end], first, count
        used, first = divmod(first + count * segments, 64)
        filled = end - used  # a word of which some bits are left, or nothing
        words[:filled] = words[used:end].copy()
        trials -= count


# --- jackknife


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

    rows = np.asarray(sample.stats)
    sums, scores = rows.sum(axis=0), np.empty(len(rows))
    for start in range(0, len(rows), _ROWS):  # all sums at once would take as much memory as the statistics
        part = slice(start, start + _ROWS)
        scores[part] = sample.scores_from_stats(SegmentStats.from_numpy(sums - rows[part]))
    return scores


# --- what differs


def identical(left: SegmentStats, right: SegmentStats) -> bool:
    """Return whether all rows are equal: no test can tell such systems apart."""
    return left.columns == right.columns and left.data == right.data


def differing(left: SegmentStats, right: SegmentStats) -> int:
    """Count the rows that differ; only these can make a difference between two systems."""
    import numpy as np

    if (len(left), left.columns) != (len(right), right.columns):
        raise BleuError("the statistics of the two systems differ in metric or length; expected the same")

    return int((np.asarray(left) != np.asarray(right)).any(axis=1).sum())


# --- all samples


def _check_seed(seed: Entropy) -> Entropy:
    if isinstance(seed, list | tuple):
        return [whole_number("seed", one, 0) for one in seed]
    return None if seed is None else whole_number("seed", seed, 0)


def _length(samples: Sequence[Sample]) -> int:
    if not isinstance(samples, Sequence) or not all(
        isinstance(sample, Sample) and isinstance(sample.stats, SegmentStats) for sample in samples
    ):
        raise InputTypeError("samples: expected a list of samples; write [Sample(stats, metric.scores_from_stats)]")
    lengths = {len(sample.stats) for sample in samples}
    if len(lengths) != 1 or 0 in lengths:
        numbers = " and ".join(map(str, sorted(lengths)))
        what = f"samples of {numbers} segments" if lengths else "no samples"
        raise BleuError(f"{what}; expected statistics of the same segments, at least one")
    return lengths.pop()


def share_out(
    work: Callable[[int, int, int], Result], samples: int, trials: int, jobs: int
) -> Iterator[tuple[int, int, Result]]:
    """Give number, first and `work(number, first, last)` for each sample and each part of its trials, in order."""
    share = trials if jobs == 1 else _SHARE
    starts = range(0, trials, share)
    parts = [(number, first, min(first + share, trials)) for number in range(samples) for first in starts]
    for (number, first, _), result in in_order(lambda part: work(*part), parts, jobs):
        yield number, first, result
