"""Resampling against its formulas in plain NumPy; what must not change any digit; and how often the tests err.

`test_significance` shows that the draws are those of sacreBLEU.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from functools import lru_cache
from itertools import accumulate
from math import comb

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from paired_samples import (
    METRICS,
    numbers,
    plain_bootstrap,
    plain_bootstrap_p_value,
    plain_difference_interval,
    plain_interval,
    plain_randomization_p_value,
    samples_of,
    texts,
)
from strategies import examples

from bleucli import BLEU, CHRF, TER, BleuError, PairedTest, kernels
from bleucli.errors import InputTypeError, UsageError
from bleucli.kernels import python
from bleucli.kernels.python_ngrams import f_score
from bleucli.kernels.stats import SegmentStats
from bleucli.results import SIGNIFICANT
from bleucli.significance.resampling import (
    Sample,
    bootstrap,
    bootstrap_p_value,
    confidence_interval,
    difference_interval,
    differing,
    identical,
    random_seed,
    randomization_p_values,
    randomize,
    score_of,
    signature_fields,
)

EXACT = 1e-12
SEEDS = (12345, 1, 7, 0)
SIZES = ("_WEIGHT_BYTES", "_SCORED_AT_ONCE", "_BIT_BYTES", "_TRIALS_HELD", "_SHARE", "_SPARE_WORDS")
NATIVE, _ = kernels._load_native()


def flat(rows):
    return [sample for row in rows for sample in row]


def with_baseline(rows):
    """Return the pairs of the first system and each of the others, by every metric."""
    return [(first, other) for row in rows[1:] for first, other in zip(rows[0], row, strict=True)]


def values(count, seed=3):
    return np.random.default_rng(seed).normal(size=count).tolist()


# --- the seed


@pytest.mark.parametrize(
    ("variables", "seed"),
    [
        ({}, 12345),
        ({"BLEU_SEED": ""}, 12345),
        ({"BLEU_SEED": "0"}, 0),
        ({"SACREBLEU_SEED": "7"}, 7),
        ({"BLEU_SEED": "1", "SACREBLEU_SEED": "7"}, 1),
        ({"BLEU_SEED": "", "SACREBLEU_SEED": "7"}, 7),
        ({"BLEU_SEED": "none", "SACREBLEU_SEED": "7"}, None),
        ({"SACREBLEU_SEED": "NONE"}, None),
        ({"BLEU_SEED": "007"}, 7),
        ({"BLEU_SEED": str(2**200)}, 2**200),
    ],
)
def test_the_environment_names_the_seed(variables, seed):
    assert random_seed(variables) == seed


@pytest.mark.parametrize("value", ["-1", "+1", "1.0", "1e3", "x", " 1", "1 ", "٣", "1_000", "nil", "0x1", "9" * 5000])
@pytest.mark.parametrize("name", ["BLEU_SEED", "SACREBLEU_SEED"])
def test_an_invalid_seed_is_refused_by_its_name(name, value):
    with pytest.raises(UsageError, match=f"^{name} is .*; expected a whole number from 0, or none$") as caught:
        random_seed({name: value})
    assert len(str(caught.value)) < 200


def test_a_signature_says_method_trials_and_seed():
    assert signature_fields("ar", 10, 0) == [("ar", "10"), ("seed", "0")]
    assert signature_fields("bs", 20, None) == [("bs", "20"), ("seed", "none")]


# --- the formulas


@pytest.mark.parametrize("seed", SEEDS)
def test_resamples_score_as_numpys_draws_do(seed):
    samples = flat(samples_of(40))
    for sample, scores in zip(samples, bootstrap(samples, 60, seed), strict=True):
        assert scores == pytest.approx(plain_bootstrap(sample, 60, seed), rel=EXACT)


def test_means_and_half_widths_are_those_of_plain_integers():
    samples = flat(samples_of())
    for sample, scores in zip(samples, bootstrap(samples), strict=True):
        expected = plain_interval(plain_bootstrap(sample, 1000, 12345).tolist())
        assert confidence_interval(scores) == pytest.approx(expected, rel=EXACT)


@pytest.mark.parametrize("resamples", [2, 3, 39, 40, 41, 79, 80, 1000])
def test_as_many_resamples_lie_above_the_interval_as_below(resamples):
    scores = np.random.default_rng(1).permutation(resamples).astype(float)
    tail = resamples // 40
    assert confidence_interval(scores) == ((resamples - 1) / 2, (resamples - 1 - 2 * tail) / 2)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("resamples", [2, 39, 40, 200])
def test_intervals_of_differences_are_those_of_numpys_draws(seed, resamples):
    for left, right in with_baseline(samples_of(40)):
        found = difference_interval(*bootstrap([left, right], resamples, seed))
        assert found == pytest.approx(plain_difference_interval(left, right, resamples, seed), rel=1e-9, abs=EXACT)


def test_the_interval_of_a_difference_has_its_sign_and_covers_it():
    left, right = numbers(values(60)), numbers([value + 3 for value in values(60)])
    low, high = difference_interval(*bootstrap([left, right], 300, 1))
    assert (low, high) == pytest.approx((3.0, 3.0))
    left, right = numbers(values(60, 1)), numbers(values(60, 2))
    low, high = difference_interval(*bootstrap([left, right], 300, 1))
    assert difference_interval(*bootstrap([right, left], 300, 1)) == (-high, -low)
    assert low < sum(values(60, 2)) / 60 - sum(values(60, 1)) / 60 < high


def test_two_references_are_resampled_in_the_same_way():
    samples = flat(samples_of(30, ("reference.A", "reference.B")))
    for sample, scores in zip(samples, bootstrap(samples, 50, 7), strict=True):
        assert scores == pytest.approx(plain_bootstrap(sample, 50, 7), rel=EXACT)


@pytest.mark.parametrize("seed", [SEEDS[0], *(pytest.param(seed, marks=pytest.mark.slow) for seed in SEEDS[1:])])
def test_p_values_of_the_bootstrap_are_those_of_the_formula(seed):
    rows = samples_of(40)
    for left, right in with_baseline(rows):
        scores = bootstrap([left, right], 200, seed)
        found = bootstrap_p_value(*scores, abs(score_of(left) - score_of(right)))
        assert found == plain_bootstrap_p_value(left, right, 200, seed)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("count", [1, 2, 5, 31, 32, 33, 40, 64, 100])
def test_p_values_of_randomization_are_those_of_the_formula(seed, count):
    pairs = with_baseline(samples_of(count))
    expected = [plain_randomization_p_value(left, right, 150, seed) for left, right in pairs]
    assert randomization_p_values(pairs, 150, seed) == expected


@given(count=st.integers(1, 70), seed=st.integers(0, 99), trials=st.integers(2, 90))
@examples(40)
def test_numbers_are_tested_as_in_the_formulas(count, seed, trials):
    left, right = numbers(values(count, seed)), numbers(values(count, seed + 1))
    scores = bootstrap([left, right], trials, seed)
    assert scores[0] == pytest.approx(plain_bootstrap(left, trials, seed), rel=EXACT, abs=1e-15)
    (found,) = randomization_p_values([(left, right)], trials, seed)
    assert found == pytest.approx(plain_randomization_p_value(left, right, trials, seed), abs=1.5 / trials)


def test_a_trial_that_swaps_all_segments_or_none_does_not_exceed_the_difference():
    left, right = numbers([0.1]), numbers([0.7])
    assert randomization_p_values([(left, right)], 99, 1) == [0.01]
    assert randomization_p_values([(right, left)], 99, 1) == [0.01]


def test_a_score_is_the_same_alone_and_among_others():
    """Otherwise a trial that swaps nothing could differ from what was observed."""
    for sample in flat(samples_of(60)):
        together = sample.scores_from_stats(sample.stats)
        for number in range(len(sample.stats)):
            assert sample.scores_from_stats(sample.stats[number : number + 1])[0] == together[number]


def test_a_resample_that_equals_the_observed_difference_does_not_exceed_it():
    ones, twos, fours = (np.array(one) for one in ([1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [1.0, 2.0, 6.0]))
    assert bootstrap_p_value(ones, twos, 0.0) == 1 / 4
    assert bootstrap_p_value(ones, fours, 3.0) == 1 / 4
    assert bootstrap_p_value(ones, fours, 2.9) == 2 / 4


def test_which_system_is_first_does_not_matter():
    pairs = with_baseline(samples_of(40))
    swapped = [(right, left) for left, right in pairs]
    assert randomization_p_values(pairs, 300, 5) == pytest.approx(randomization_p_values(swapped, 300, 5), abs=0.1)
    for left, right in pairs:
        one, other = bootstrap([left, right], 100, 5)
        assert bootstrap_p_value(one, other, 0.3) == bootstrap_p_value(other, one, -0.3)


# --- what does not change any digit


@pytest.fixture(scope="module")
def expected():
    rows = samples_of(40)
    return results_of(rows, 1)


def results_of(rows, jobs):
    scores = [found.tolist() for found in bootstrap(flat(rows), 100, 5, jobs=jobs)]
    skipped = [found.tolist() for found in bootstrap(flat(rows), 10, 5, jobs=jobs, skip=100 * 33)]
    return scores, skipped, randomization_p_values(with_baseline(rows), 301, 5, jobs=jobs)


@pytest.mark.parametrize("jobs", [3, *(pytest.param(jobs, marks=pytest.mark.slow) for jobs in (1, 2))])
@pytest.mark.parametrize("size", [33, *(pytest.param(size, marks=pytest.mark.slow) for size in (1, 7))])
def test_sizes_of_blocks_and_numbers_of_threads_change_no_digit(monkeypatch, expected, size, jobs):
    for name in SIZES:
        monkeypatch.setattr(f"bleucli.significance.resampling.{name}", size)
    assert results_of(samples_of(40), jobs) == expected


@pytest.mark.slow
@pytest.mark.parametrize("size", [3, pytest.param(64, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", SIZES)
def test_each_size_alone_changes_no_digit(monkeypatch, expected, name, size):
    monkeypatch.setattr(f"bleucli.significance.resampling.{name}", size)
    assert results_of(samples_of(40), 2) == expected


@pytest.mark.skipif(NATIVE is None, reason="the native kernels were not built")
def test_both_kernels_find_the_same_digits(monkeypatch, expected):
    for module in (NATIVE, python):
        for name in ("draw_weights", "weighted_sums", "swapped_sums"):
            monkeypatch.setattr(f"bleucli.kernels.{name}", getattr(module, name))
        assert results_of(samples_of(40), 2) == expected


def test_too_few_random_words_are_drawn_again_without_a_trace(monkeypatch, expected):
    monkeypatch.setattr("bleucli.significance.resampling._word_count", lambda draws, segments: 1 + draws // 9)
    assert results_of(samples_of(40), 1) == expected


def test_draws_for_a_system_do_not_depend_on_the_others():
    samples = flat(samples_of(40))
    together = bootstrap(samples, 50, 9)
    for sample, scores in zip(samples, together, strict=True):
        assert bootstrap([sample], 50, 9)[0].tolist() == scores.tolist()
    pairs = with_baseline(samples_of(40))
    found = randomization_p_values(pairs, 200, 9)
    assert [randomization_p_values([pair], 200, 9)[0] for pair in pairs] == found


def test_fewer_trials_are_the_first_ones_of_more():
    samples = flat(samples_of(40))[:2]
    assert bootstrap(samples, 20, 3)[1].tolist() == bootstrap(samples, 70, 3)[1][:20].tolist()


def test_random_bits_can_be_skipped():
    sample = samples_of(40)[0][0]
    generator = np.random.default_rng(11)
    generator.integers(2, size=(7, 33), dtype=bool)
    draws = generator.choice(40, size=(30, 40))
    rows = np.asarray(sample.stats)
    sums = np.array([rows[drawn].sum(axis=0) for drawn in draws], np.int64)
    scores = sample.scores_from_stats(SegmentStats(memoryview(sums.tobytes()).cast("q"), rows.shape[1]))
    assert bootstrap([sample], 30, 11, skip=7 * 33)[0].tolist() == scores.tolist()


# --- seeds


def test_zero_is_a_seed():
    samples, pairs = flat(samples_of(40)), with_baseline(samples_of(40))
    first, second, usual = (bootstrap(samples, 30, seed) for seed in (0, 0, 12345))
    for one, other, unlike in zip(first, second, usual, strict=True):
        assert one.tolist() == other.tolist() != unlike.tolist()
    assert randomization_p_values(pairs, 500, 0) == randomization_p_values(pairs, 500, 0)
    assert randomization_p_values(pairs, 500, 0) != randomization_p_values(pairs, 500, 12345)


def test_without_a_seed_each_run_draws_differently():
    (sample,) = samples_of(40)[0][:1]
    assert bootstrap([sample], 30, None)[0].tolist() != bootstrap([sample], 30, None)[0].tolist()
    left, right = numbers(values(60, 1)), numbers(values(60, 2))
    assert len({randomization_p_values([(left, right)], 3000, None)[0] for _ in range(5)}) > 1


# --- a test of the tests

PAIRS = 400
TRIALS = 399  # so that p can be 0.05


def bounds(chance):
    """Return the bounds within which the number of hits in 400 attempts lies with a probability of 99.9%."""
    weights = [comb(PAIRS, hits) * chance**hits * (1 - chance) ** (PAIRS - hits) for hits in range(PAIRS + 1)]
    sums = list(accumulate(weights))
    return next(i for i, s in enumerate(sums) if s > 0.0005), next(i for i, s in enumerate(sums) if s >= 0.9995)


@lru_cache(maxsize=2)
def pairs_without_difference(kind):
    """Make pairs of systems that differ only by chance: both come from the same distribution."""
    rng = random.Random(2026)
    if kind == "numbers":
        return [[numbers([rng.gauss(0, 1) for _ in range(40)]) for _ in range(2)] for _ in range(PAIRS)]
    references = texts("reference.A", 25)
    metric = BLEU(references=[references])
    return [
        [
            Sample(metric.corpus_stats(corrupted(references, rng), None, keep_rows=True).rows, metric.scores_from_stats)
            for _ in range(2)
        ]
        for _ in range(PAIRS)
    ]


def corrupted(lines, rng):
    """Drop words, from some segments more than from others."""
    chances = [rng.choice([0, 0.1, 0.4]) for _ in lines]
    return [
        " ".join(word for word in line.split() if rng.random() >= chance) or line
        for line, chance in zip(lines, chances, strict=True)
    ]


def significant(p_values):
    return sum(p_value <= SIGNIFICANT for p_value in p_values)


def test_the_bounds_are_those_of_400_attempts():
    assert (bounds(0.05), bounds(0.11)) == ((7, 36), (25, 66))


@pytest.mark.parametrize("kind", ["numbers", "BLEU"])
def test_randomization_reports_a_chance_difference_in_one_of_twenty_pairs(kind):
    pairs = pairs_without_difference(kind)
    found = [randomization_p_values([pair], TRIALS, seed)[0] for seed, pair in enumerate(pairs)]
    fewest, most = bounds(0.05)
    assert fewest <= significant(found) <= most


@pytest.mark.parametrize("kind", ["numbers", "BLEU"])
def test_the_bootstrap_reports_a_chance_difference_in_one_of_nine_pairs(kind):
    """That is more than twice as often as p says: the test is one-sided, and the observed difference chooses the side.

    Without a true difference, the resampled differences spread around the observed one, D, as D spreads around 0: with
    some standard deviation s. If D is 1.6 s, their absolute values exceed their mean by D in 0.05 of the resamples. A
    normal number is that far from 0, in either direction, in 0.11 of all pairs (here 0.12 and 0.14, since small samples
    underestimate s). Koehn's test has this property, as Moses and sacreBLEU compute it; where that matters, use
    randomization.
    """
    found = [
        bootstrap_p_value(*bootstrap(pair, TRIALS, seed), abs(score_of(pair[0]) - score_of(pair[1])))
        for seed, pair in enumerate(pairs_without_difference(kind))
    ]
    fewest, most = bounds(0.11)
    assert fewest <= significant(found) <= most
    assert fewest > 0.05 * PAIRS


# --- arguments


def test_one_segment_is_drawn_every_time():
    sample = samples_of(1)[0][0]
    assert set(bootstrap([sample], 20, 1)[0].tolist()) == set(sample.scores_from_stats(sample.stats).tolist())


@pytest.mark.parametrize("resamples", [1, 0, -5])
def test_too_few_resamples_are_refused(resamples):
    with pytest.raises(UsageError, match=f"resamples {resamples}; expected a number from 2 to 10000000"):
        bootstrap([numbers([1.0])], resamples)


@pytest.mark.parametrize("trials", [0, -1])
def test_too_few_trials_are_refused(trials):
    with pytest.raises(UsageError, match=f"trials {trials}; expected a number from 1 to 10000000"):
        randomization_p_values([(numbers([1.0]), numbers([2.0]))], trials)


@pytest.mark.parametrize("lengths", [(2, 3), (0, 0)])
def test_samples_of_different_or_no_length_are_refused(lengths):
    left, right = (numbers(values(length)) for length in lengths)
    for resample in (lambda: bootstrap([left, right]), lambda: randomization_p_values([(left, right)])):
        with pytest.raises(BleuError):
            resample()


def test_progress_is_reported_up_to_the_end(monkeypatch):
    monkeypatch.setattr("bleucli.significance.resampling._TRIALS_HELD", 30)
    seen = []
    bootstrap([numbers([1.0, 2.0])], 100, progress=lambda *counts: seen.append(counts))
    assert seen == [(30, 100), (60, 100), (90, 100), (100, 100)]
    seen.clear()
    randomization_p_values([(numbers([1.0, 2.0]), numbers([2.0, 2.0]))], 70, progress=lambda *n: seen.append(n))
    assert seen == [(30, 70), (60, 70), (70, 70)]


def test_samples_are_identical_if_all_rows_are():
    stats = samples_of(20)[0][0].stats
    assert identical(stats, stats[:7] + stats[7:])
    assert not identical(stats, stats[1:] + stats[:1]), "an equal sum is not enough"
    assert not identical(stats, stats[:19])
    assert not identical(stats, SegmentStats(stats.data, stats.columns // 2))


# --- scores of many sums at once

counts = st.integers(0, 60)


def stats_of(rows, kind="q"):
    table = np.array(rows, np.int64 if kind == "q" else np.float64)
    return SegmentStats(memoryview(table.tobytes()).cast(kind), table.shape[1])


@st.composite
def bleu_sums(draw, order):
    """Draw rows of sums, some with zeros: lengths, then matches of at most as many n-grams."""
    totals = [draw(counts)]
    for _ in range(order - 1):
        totals.append(max(0, totals[-1] - draw(st.integers(0, 9))))
    matches = [draw(st.integers(0, total)) for total in totals]
    return [totals[0], draw(counts), *matches, *totals]


@given(data=st.data(), order=st.integers(1, 6), method=st.sampled_from(["exp", "floor", "add-k", "none"]))
@examples(150)
def test_bleu_scores_many_sums_as_it_scores_one(data, order, method):
    value = data.draw(st.sampled_from([None, 0, 0.1, 1, 2.5]))
    effective = data.draw(st.booleans())
    metric = BLEU(smooth_method=method, smooth_value=value, max_ngram_order=order, effective_order=effective)
    rows = data.draw(st.lists(bleu_sums(order), min_size=1, max_size=9))
    expected = [metric.score_from_stats(row).score for row in rows]
    found = metric.scores_from_stats(stats_of(rows)).tolist()
    assert found == pytest.approx(expected, rel=oracles.NUMPYS_LOGARITHM, abs=1e-300)


@given(data=st.data(), orders=st.integers(1, 8), smoothed=st.booleans())
@examples(150)
def test_chrf_scores_many_sums_as_it_scores_one(data, orders, smoothed):
    beta = data.draw(st.sampled_from([0, 0.5, 1, 2, 3]))
    order = st.tuples(counts, counts, st.integers(0, 60)).map(lambda row: [row[0], row[1], min(row)])
    rows = data.draw(st.lists(st.lists(order, min_size=orders, max_size=orders), min_size=1, max_size=9))
    rows = [[number for part in row for number in part] for row in rows]
    expected = [f_score(row, beta, smoothed) for row in rows]
    metric = CHRF(orders, beta=beta, eps_smoothing=smoothed)
    assert metric.scores_from_stats(stats_of(rows)).tolist() == expected
    assert metric.scores_from_stats(stats_of(rows, "d")).tolist() == expected


@given(st.lists(st.tuples(counts, st.one_of(counts, st.floats(0.01, 60))), min_size=1, max_size=9))
def test_ter_scores_many_sums_as_it_scores_one(rows):
    expected = [TER().score_from_stats(row).score for row in rows]
    assert TER().scores_from_stats(stats_of(rows, "d")).tolist() == expected


@pytest.mark.parametrize("name", METRICS)
def test_real_sums_have_the_same_scores(name):
    metric = METRICS[name]()
    for sample in [row[list(METRICS).index(name)] for row in samples_of()]:
        expected = [metric.score_from_stats(row).score for row in sample.stats]
        found = sample.scores_from_stats(sample.stats).tolist()
        assert found == (pytest.approx(expected, rel=oracles.NUMPYS_LOGARITHM) if name == "BLEU" else expected)


def test_the_unit_of_scores_does_not_decide_which_trials_tie():
    noise = np.random.default_rng(3).integers(-5, 6, size=200)
    changed = noise.copy()
    changed[:11] += np.random.default_rng(4).integers(1, 4, size=11)
    found = []
    for unit in (1.0, 0.1, 0.01):
        left, right = (numbers((rows * unit).tolist()) for rows in (noise, changed))
        found.append(randomize([(left, right)], 500, 1)[0])
    assert found[0] == found[1] == found[2]


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the system has no file with the peak of memory")
def test_ten_million_resamples_take_little_more_than_their_scores(demo_files):
    # not by getrusage, which would include the peak of the process that started this one
    program = (
        "import re, sys; from bleucli.__main__ import main; main();"
        "print(re.search(r'VmHWM:\\s*(\\d+) kB', open('/proc/self/status').read())[1], file=sys.stderr)"
    )
    words = ("reference.A.de.txt", "-i", "strong.de.txt", "-b", "-q", "-ci", "-cin", "10000000")
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, check=True)
    assert int(done.stderr) << 10 < (256 << 20) + 8 * 10_000_000


def test_a_seed_is_signed_as_the_command_signs_it(run, write, monkeypatch):
    hypotheses, references = ["a b c d e", "f g h i", "k l m"], [["a b c d f", "f g h i", "k l n"]]
    write("sys.txt", "".join(f"{text}\n" for text in hypotheses))
    write("ref.txt", "".join(f"{text}\n" for text in references[0]))
    for seed, told in ((7, "7"), (0, "0"), (12345, "12345")):
        words = ("ref.txt", "-i", "sys.txt", "--confidence", "-f", "jsonl")
        answer = json.loads(run(*words, variables={"BLEU_SEED": told}).out)
        monkeypatch.setenv("BLEU_SEED", "99")
        metric = BLEU()
        score = metric.corpus_score(hypotheses, references, n_bootstrap=1000, seed=seed)
        assert score.interval == (answer["interval"]["mean"], answer["interval"]["half_width"])
        assert dict(metric.get_signature()) == answer["signature"]
        assert answer["signature"]["seed"] == told
    metric.corpus_score(hypotheses, references, n_bootstrap=10)
    assert metric.get_signature().info["seed"] == "99"
    metric.corpus_score(hypotheses, references, n_bootstrap=10, seed=None)
    assert metric.get_signature().info["seed"] == "none"


@pytest.mark.parametrize(
    ("seed", "kind"), [("7", InputTypeError), (1.5, InputTypeError), (True, InputTypeError), (-1, UsageError)]
)
def test_what_is_not_a_seed_is_refused_whether_it_is_used_or_not(seed, kind):
    systems = [("a", ["a b c d"]), ("b", ["a b c e"])]
    for refused in (
        lambda: BLEU().corpus_score(["a"], [["a"]], seed=seed),
        lambda: BLEU().corpus_score(["a"], [["a"]], n_bootstrap=5, seed=seed),
        lambda: PairedTest(systems, {"BLEU": BLEU()}, [["a b c d"]], seed=seed),
    ):
        with pytest.raises(kind, match=r"^seed "):
            refused()


def test_a_paired_test_takes_a_seed():
    systems = [("a", ["a b c d", "e f g h"]), ("b", ["a b c e", "e f g h"])]
    signatures, _ = PairedTest(systems, {"BLEU": BLEU()}, [["a b c d", "e f g h"]], "ar", 10, seed=3)()
    assert signatures["BLEU"].info["seed"] == "3"


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda rows: confidence_interval(np.zeros(0)), "there are no scores of resamples; expected at least one"),
        (lambda rows: confidence_interval(np.zeros((2, 2))), "scores: expected an array of numbers"),
        (lambda rows: difference_interval([1.0], [1.0, 2.0]), "1 and 2 scores of resamples; give those of the same"),
        (lambda rows: bootstrap_p_value(["a"], [1.0], 0.0), "scores: expected an array of numbers"),
        (lambda rows: differing(rows, rows[:1]), "the statistics of the two systems differ in metric or length"),
        (
            lambda rows: randomization_p_values([(Sample(rows, sum), Sample(_two_columns(rows), sum))]),
            "the two systems of a pair were counted by different metrics; expected the same",
        ),
    ],
)
def test_arguments_that_numpy_would_trip_over_are_refused(call, told):
    """Statistics with one row were compared with each row of the others."""
    rows = TER().segment_stats(["a", "b"], [["a", "c"]])
    with pytest.raises(BleuError) as caught:
        call(rows)
    assert str(caught.value).startswith(told)


def _two_columns(rows):
    return BLEU().segment_stats(["a"] * len(rows), [["a"] * len(rows)])


def test_scores_of_resamples_may_be_lists():
    assert confidence_interval([1.0, 2.0, 3.0]) == confidence_interval(np.array([1.0, 2.0, 3.0]))
    assert difference_interval([1.0, 2.0], [3.0, 4.0]) == (2.0, 2.0)
