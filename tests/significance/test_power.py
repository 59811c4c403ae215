"""The smallest difference that a test finds: against trials in which the true difference is known."""

from __future__ import annotations

import os
import re
import tracemalloc
from statistics import NormalDist

import numpy as np
import pytest
from oracles import read_lines, real_data

from bleucli import BLEU, CHRF, WER, evaluate_systems
from bleucli.kernels.stats import SegmentStats
from bleucli.results import FEWEST_DIFFERING, Power
from bleucli.significance.resampling import Sample, randomization_p_values, score_of, standard_error

# Quantiles of the normal distribution at 0.975 and at 0.8
QUANTILES = NormalDist().inv_cdf(0.975), NormalDist().inv_cdf(0.8)
RUNS = 600


def rows_of(metric, name):
    folder = os.path.join(real_data("wmt17.en-de"), "wmt17.en-de")
    references = [read_lines(folder, "ref.txt")]
    return np.asarray(metric.corpus_stats(read_lines(folder, f"{name}.txt"), references, keep_rows=True).rows)


def compare(metric, pools, segments, runs=RUNS):
    """Return the mean of what is reported, and the difference that a test finds with a probability of 0.8.

    The share of significant tests at the true difference, which is that of the pools, gives that difference.
    """

    def sample(rows):
        return Sample(SegmentStats.from_numpy(np.ascontiguousarray(rows)), metric.scores_from_stats)

    gap = abs(score_of(sample(pools[0])) - score_of(sample(pools[1])))
    rng, reported, significant = np.random.default_rng(segments), [], 0
    for number in range(runs):
        drawn = rng.integers(len(pools[0]), size=segments)
        pair = sample(pools[0][drawn]), sample(pools[1][drawn])
        reported.append(sum(QUANTILES) * standard_error(*pair))
        significant += randomization_p_values([pair], 999, number)[0] <= 0.05
    share = min(significant / runs, 1 - 1 / runs)
    return np.mean(reported), gap * sum(QUANTILES) / (QUANTILES[0] + NormalDist().inv_cdf(share)), share


def exchanged(rows, others, metric, segments):
    """Return pools between which the difference is about what a test of this many segments finds.

    The systems change places in a share of the segments, so that nearly all segments differ.
    """

    def sample(one):
        return Sample(SegmentStats.from_numpy(np.ascontiguousarray(one)), metric.scores_from_stats)

    def distance(pools):
        pair = tuple(map(sample, pools))
        smallest = sum(QUANTILES) * standard_error(*pair) * (len(rows) / segments) ** 0.5
        return abs(abs(score_of(pair[0]) - score_of(pair[1])) / smallest - 1)

    draws = np.random.default_rng(segments).random(len(rows))[:, None]
    choices = [
        (np.where(draws < share, others, rows), np.where(draws < share, rows, others))
        for share in np.linspace(0.005, 0.5, 100)
    ]
    return min(choices, key=distance)


def test_many_segments_take_little_memory_and_give_the_scores_of_all_at_once():
    rng, segments = np.random.default_rng(1), 40_000
    rows = np.column_stack([rng.integers(0, 9, segments), rng.integers(9, 40, segments)])
    sample = Sample(SegmentStats.from_numpy(rows), WER().scores_from_stats)
    at_once = sample.scores_from_stats(SegmentStats.from_numpy(rows.sum(axis=0) - rows))
    tracemalloc.start()
    try:
        assert standard_error(sample) == ((segments - 1) * at_once.var()) ** 0.5
        assert tracemalloc.get_traced_memory()[1] < 1.2e6, "640,000 bytes are the statistics, 320,000 the scores"
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.parametrize("segments", [250, 500, 1000])
@pytest.mark.parametrize("metric", [BLEU(), CHRF()], ids=["bleu", "chrf"])
def test_the_smallest_difference_is_found_with_a_probability_of_four_fifths(metric, segments):
    pools = exchanged(rows_of(metric, "uedin-nmt"), rows_of(metric, "PROMT-Rule-based"), metric, segments)
    reported, true, share = compare(metric, pools, segments)
    assert 0.7 < share < 0.9  # otherwise the true one would be extrapolated
    assert reported == pytest.approx(true, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "share", "segments"), [("KIT", 0.06, 2000), ("LIUM-NMT", 0.21, 2000)])
def test_it_is_as_good_where_few_segments_differ(name, share, segments):
    metric = BLEU()
    rows, others = rows_of(metric, "uedin-nmt"), rows_of(metric, name)
    draws = np.random.default_rng(segments).random(len(rows))[:, None]
    mixed = np.where(draws < share, others, rows)
    assert (mixed != rows).any(axis=1).mean() * segments > FEWEST_DIFFERING
    reported, true, _ = compare(metric, (mixed, rows), segments)
    assert reported == pytest.approx(true, rel=0.1)


@pytest.mark.slow
def test_lium_and_online_b():
    metric, quantity = BLEU(), sum(QUANTILES)
    samples = [
        Sample(SegmentStats.from_numpy(rows_of(metric, name)), metric.scores_from_stats)
        for name in ("LIUM-NMT", "online-B")
    ]
    error = standard_error(*samples)
    assert quantity * error == pytest.approx(0.67, rel=0.1)
    assert quantity * error * (3004 / 500) ** 0.5 == pytest.approx(1.62, rel=0.1)


def systems_of(differing, segments=80):
    references = [f"the cat number {n} sat on the mat" for n in range(segments)]
    other = [text.replace("the mat", "a mat") if n < differing else text for n, text in enumerate(references)]
    return {"one": other, "two": references}, [references]


@pytest.mark.parametrize("options", [{"test": "ar"}, {"test": "bs"}, {"test": "ar", "all_pairs": True}])
def test_too_few_segments_that_differ_say_nothing(options):
    for differing in (FEWEST_DIFFERING - 1, FEWEST_DIFFERING):
        results = evaluate_systems(*systems_of(differing), ["bleu", "ter"], trials=50, **options)
        powers = [record.power for system in results.systems for record in system.scores]
        assert sum(power is not None for power in powers) == (2 if differing == FEWEST_DIFFERING else 0)


def test_without_a_test_nothing_is_said():
    results = evaluate_systems(*systems_of(80), n_bootstrap=50)
    assert all(record.power is None for system in results.systems for record in system.scores)


@pytest.mark.parametrize("factor", [0.5, 1.0, 2.0, 3.3])
def test_the_needed_segments_make_the_smallest_difference_the_observed_one(factor):
    power = Power(0, 0.67, 0.67 * factor, 3004, 2700)
    assert power.smallest * (power.units / power.needed) ** 0.5 == pytest.approx(power.difference, rel=0.03)


def test_equal_scores_need_no_number_of_segments():
    assert Power(0, 0.67, 0.0, 3004, 2700).needed is None
    assert Power(0, 0.67, 1e-300, 3004, 2700).needed is None


def test_so_few_segments_that_nothing_is_known_are_not_named():
    """A difference of many points does not need three segments: fewer than six cannot differ significantly."""
    assert Power(0, 2.0, 40.0, 100, 100).needed is None
    assert Power(0, 2.0, 2.8, 100, 100).needed == 51
    assert Power(0, 2.0, 2.8, 100, 60).needed is None  # only 31 of these would differ


@pytest.mark.parametrize("name", ["text", "markdown", "latex"])
def test_systems_have_the_names_of_the_table(demo_files, run, name):
    for words in ((), ("--names", "one,other"), ("--name-by", "path")):
        answer = run(
            *("reference.A.de.txt", "-i", "weak.de.txt", "strong.de.txt", "-par", "--paired-ar-n", "50", "-f", name),
            *words,
        )
        text = " ".join(answer.out.replace("%", " ").split())
        first, second = re.search(r"between (\S+) and (\S+) with a probability", text).groups()
        expected = words[1].split(",") if words[:1] == ("--names",) else ["weak.de", "strong.de"]
        if (name != "markdown" and not words) or words[:1] == ("--name-by",):
            expected = ["weak.de.txt", "strong.de.txt"]
        assert [first, second] == expected


def test_groups_are_tested_each_on_its_own():
    systems, references = systems_of(160, 160)
    systems["two"] = [text.replace("number", "no.") if n < 80 else text for n, text in enumerate(systems["two"])]
    labels = {"domain": ["news"] * 80 + ["talk"] * 80}
    results = evaluate_systems(systems, references, labels=labels, by="domain", test="ar", trials=50)
    for group in results.groups():
        (power,) = (one.scores[0].power for one in group.systems if one.scores[0].power is not None)
        assert (power.other, power.units) == (0, 80)


@pytest.mark.parametrize("name", ["text", "markdown", "latex", "paper"])
def test_differences_have_the_scale_of_scores(demo_files, run, name):
    words = ("reference.A.de.txt", "-i", "weak.de.txt", "strong.de.txt", "-par", "--paired-ar-n", "50", "-f", name)
    found = []
    for more in (("-w", "2"), ("--scale", "1", "-w", "4")):
        text = " ".join(run(*words, *more).out.replace("%", " ").split())
        found.append(float(re.search(r"finds a difference of ([\d.]+) between", text)[1]))
    assert found[0] == pytest.approx(100 * found[1], abs=0.006)
