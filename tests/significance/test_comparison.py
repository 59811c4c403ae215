"""Results with intervals, p-values, rankings: which pairs are tested, what is marked, what is best."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from paired_samples import bootstrap_pairs, demo_systems, numbers, plain_interval, randomize_pairs, samples_of
from sample_results import SIGNATURE

from bleucli.kernels.stats import SegmentStats
from bleucli.output import render
from bleucli.output.layout import Layout
from bleucli.phrases import tell_count
from bleucli.results import FEWEST_SEGMENTS, SIGNIFICANT, Results, ScoreRecord, SystemResult
from bleucli.results import Test as PairedTest
from bleucli.significance.comparison import Sampling, clusters, rank, resample, resample_means, signature_fields
from bleucli.significance.resampling import bootstrap, bootstrap_p_value, differing, randomize, score_of

METHODS = ("bs", "ar")
NOISE = [0.0, 3.0, -2.0, 1.0, -1.0, 2.0, 0.5, -0.5, 1.5, -1.5, 0.2, -0.2] * 3


def results_of(rows, higher_is_better=(True, True, False)):
    """Return the scores of samples: one row per system, one sample per metric."""
    systems = []
    for number, row in enumerate(rows):
        records = []
        for metric, sample in enumerate(row):
            records.append(ScoreRecord(f"m{metric}", score_of(sample), "", SIGNATURE, higher_is_better[metric]))
        systems.append(SystemResult(f"s{number}", records))
    return Results(systems, len(rows[0][0].stats), [])


def compared(rows, *sampling, higher_is_better=(True, True, False), **more):
    return resample(results_of(rows, higher_is_better), rows, Sampling(*sampling, **more))


def by_numbers(*columns):
    return [[numbers(column)] for column in columns]


def shift_words(by, scale=1.0):
    return [by + scale * noise for noise in NOISE]


def column_of(results, field, metric=0):
    return [getattr(system.scores[metric], field) for system in results.systems]


def least_p_value(rows, metric, first=0, second=1):
    """Return the smallest p-value that an exact test of two systems can have."""
    return 2.0 ** (1 - differing(rows[first][metric].stats, rows[second][metric].stats))


# --- means over corpora


def plain_swaps(stats, others, trials, seed):
    """Return the sums of both systems in each trial, by NumPy's own draws."""
    rows, other_rows = np.asarray(stats), np.asarray(others)
    swaps = np.random.default_rng(seed).integers(2, size=(trials, len(rows)), dtype=bool)[:, :, None]
    return np.where(swaps, other_rows, rows).sum(axis=1), np.where(swaps, rows, other_rows).sum(axis=1)


def scores_of(sample, sums):
    return sample.scores_from_stats(SegmentStats.from_numpy(np.ascontiguousarray(sums)))


def three_corpora():
    """Return corpora of different sizes with the same systems and metrics, and the results of the means."""
    corpora = [samples_of(segments) for segments in (30, 41, 12)]
    means = [results_of(rows) for rows in corpora]
    systems = [
        system._replace(
            scores=[
                record._replace(score=sum(one.systems[number].scores[metric].score for one in means) / 3)
                for metric, record in enumerate(system.scores)
            ]
        )
        for number, system in enumerate(means[0].systems)
    ]
    return corpora, Results(systems, 83, [])


def plain_lead(corpora, metric, number):
    gaps = [score_of(rows[number][metric]) - score_of(rows[0][metric]) for rows in corpora]
    return sum(gaps) / 3


@pytest.mark.parametrize("block", [None, 7])
def test_randomization_of_means_swaps_within_each_corpus(monkeypatch, block):
    if block is not None:
        monkeypatch.setattr("bleucli.significance.resampling._TRIALS_HELD", block)
    corpora, means = three_corpora()
    results = resample_means(means, corpora, Sampling("ar", 120, 5))
    for metric, number in product(range(3), (1, 2)):
        pairs = [(rows[0][metric], rows[number][metric]) for rows in corpora]
        gaps = 0
        for place, (one, other) in enumerate(pairs):
            sums, other_sums = plain_swaps(one.stats, other.stats, 120, [5, place])
            gaps = gaps + scores_of(one, sums) - scores_of(one, other_sums)
        lead = plain_lead(corpora, metric, number)
        reached = int((abs(gaps / 3) >= abs(lead) * (1 - 1e-12)).sum())
        record = results.systems[number].scores[metric]
        assert record.p_value == (reached + 1) / 121
        assert record.difference.value == pytest.approx(lead)
        assert record.sacrebleu_p_value is None
        assert record.power is None
    assert column_of(results, "p_value")[0] is None


def test_the_bootstrap_of_means_draws_within_each_corpus():
    corpora, means = three_corpora()
    results = resample_means(means, corpora, Sampling("bs", 90, 5, all_best=True))
    for metric in range(3):
        scores = []
        for number in range(3):
            total = 0
            for place, rows in enumerate(corpora):
                stats = np.asarray(rows[number][metric].stats)
                draws = np.random.default_rng([5, place]).integers(len(stats), size=(90, len(stats)))
                total = total + scores_of(rows[number][metric], stats[draws].sum(axis=1))
            scores.append(total / 3)
        for number, one in enumerate(scores):
            record = results.systems[number].scores[metric]
            assert tuple(record.interval) == pytest.approx(plain_interval(one.tolist()), rel=1e-12)
            if number:
                gaps = abs(one - scores[0])
                lead = abs(plain_lead(corpora, metric, number))
                expected = (int((gaps - gaps.mean() > lead).sum()) + 1) / 91
                assert record.p_value == expected
                low, high = sorted(one - scores[0])[2], sorted(one - scores[0])[-3]
                assert (record.difference.low, record.difference.high) == pytest.approx((low, high))


def test_means_of_one_corpus_are_its_scores():
    rows = samples_of(30)
    for sampling in (Sampling("ar", 99, 3, all_pairs=True), Sampling("bs", 99, 3), Sampling("ci", 99, 3)):
        assert resample_means(results_of(rows), [rows], sampling) == resample(results_of(rows), rows, sampling)


@pytest.mark.parametrize("method", METHODS)
def test_systems_of_equal_texts_in_all_corpora_have_the_same_means(method):
    corpora, means = three_corpora()
    equal = [[rows[0], rows[0], rows[2]] for rows in corpora]
    means.systems[1] = means.systems[0]
    for all_pairs in (False, True):
        results = resample_means(means, equal, Sampling(method, 99, 3, all_pairs=all_pairs))
        assert column_of(results, "identical") == [False, True, False]
        assert column_of(results, "p_value")[1] == 1.0


# --- what a method finds


def test_confidence_gives_intervals_and_nothing_else():
    rows = samples_of(30)
    results = compared(rows, "ci", 80, 3)
    assert results.test is None
    assert results.rankings == ()
    for metric in range(3):
        scores = bootstrap([row[metric] for row in rows], 80, 3)
        found = column_of(results, "interval", metric)
        assert found == [pytest.approx(plain_interval(one.tolist()), rel=1e-12) for one in scores]
        assert column_of(results, "p_value", metric) == [None] * 3


def test_the_bootstrap_gives_intervals_to_all_and_p_values_to_all_but_the_baseline():
    rows = samples_of(30)
    results = compared(rows, "bs", 80, 3)
    assert results.test == PairedTest("bs", 80)
    for metric in range(3):
        first, *others = bootstrap([row[metric] for row in rows], 80, 3)
        gaps = [abs(score_of(rows[0][metric]) - score_of(row[metric])) for row in rows[1:]]
        expected = [bootstrap_p_value(first, one, gap) for one, gap in zip(others, gaps, strict=True)]
        assert column_of(results, "sacrebleu_p_value", metric) == [None, *expected]
        assert column_of(results, "p_value", metric) == [
            None,
            max(expected[0], least_p_value(rows, metric)),
            expected[1],
        ]
        assert None not in column_of(results, "interval", metric)


def test_randomization_gives_p_values_and_no_intervals():
    rows = samples_of(30)
    results = compared(rows, "ar", 90, 3)
    assert results.test == PairedTest("ar", 90)
    for metric in range(3):
        pairs = [(rows[0][metric], row[metric]) for row in rows[1:]]
        tests = randomize(pairs, 90, 3)
        assert column_of(results, "sacrebleu_p_value", metric) == [None, *(alone for alone, _ in tests)]
        assert column_of(results, "p_value", metric) == [
            None,
            max(tests[0][1], least_p_value(rows, metric)),
            tests[1][1],
        ]
        assert column_of(results, "interval", metric) == [None] * 3


@pytest.mark.parametrize("method", METHODS)
def test_a_test_leaves_scores_and_everything_else_as_they_were(method):
    before, after = results_of(samples_of(30)), compared(samples_of(30), method, 20, 1)
    assert (after.segments, after.hints[: len(before.hints)]) == (before.segments, before.hints)
    for one, other in zip(before.systems, after.systems, strict=True):
        assert one.name == other.name
        for record, resampled_record in zip(one.scores, other.scores, strict=True):
            assert record[:5] == resampled_record[:5]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("all_pairs", [False, True])
@pytest.mark.parametrize(("differing", "told"), [(0, False), (1, True), (5, True), (6, False)])
def test_no_difference_in_fewer_than_six_segments_is_significant_and_a_hint_says_so(method, differing, told, all_pairs):
    changed = [noise + 1 if number < differing else noise for number, noise in enumerate(NOISE)]
    results = compared(by_numbers(NOISE, changed, shift_words(9)), method, 30, 1, all_pairs=all_pairs)
    few = [hint for hint in results.hints if "fewer than 6" in hint]
    rest = "by m0; no difference in fewer than 6 segments can be significant at 0.05"
    assert few == [f"s0 and s1 differ in only {tell_count(differing, 'segment')} {rest}"] * told
    record = results.systems[1].scores[0]
    assert record.p_value >= min(1, 2 / 2**differing)
    assert not record.differs or differing > 5
    for ranking in results.rankings:
        assert ranking.corrected[0][1] >= ranking.p_values[0][1] == record.p_value


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("all_pairs", [False, True])
@pytest.mark.parametrize("count", [5, 6])
def test_fewer_than_six_segments_get_one_hint_and_no_significant_difference(method, count, all_pairs):
    rows = [[numbers(column[:count])] * 2 for column in (NOISE, shift_words(9), shift_words(99))]
    results = compared(rows, method, 2000, 1, all_pairs=all_pairs)
    few = [hint for hint in results.hints if "fewer than 6" in hint]
    assert few == ["5 segments: no difference in fewer than 6 segments can be significant at 0.05"] * (count == 5)
    assert any(record.differs for system in results.systems for record in system.scores) == (count == 6)
    for ranking in results.rankings:
        assert (max(ranking.clusters) > 1) == (count == 6)


@pytest.mark.parametrize("segments", range(1, 9))
def test_no_exact_test_has_a_smaller_p_value_than_the_one_that_estimates_are_raised_to(segments):
    gaps = np.random.default_rng(segments).normal(size=segments)
    signs = np.array(list(product([-1, 1], repeat=segments)))
    largest = np.abs(gaps)  # of all differences of these sizes, the one where every segment speaks for the same system
    exact = (abs(signs @ largest) >= largest.sum() * (1 - 1e-9)).mean()
    assert exact == 2 / 2**segments
    assert (exact <= SIGNIFICANT) == (segments >= FEWEST_SEGMENTS)


def test_pairs_that_differ_in_few_segments_share_a_hint():
    copies = [[noise + (number == place) for number, noise in enumerate(NOISE)] for place in range(3)]
    hints = compared(by_numbers(NOISE, *copies), "ar", 400, 1, all_pairs=True).hints
    rest = "no difference in fewer than 6 segments can be significant at 0.05"
    assert hints == [f"s0 and s1 differ in only 1 segment by m0 (and 5 other pairs); {rest}"]


def test_a_star_that_leaves_out_ties_gets_a_hint_and_is_not_a_difference():
    rows = by_numbers([1.0] * 14 + [0.0] * 6 + [1.0] * 80, [0.0] * 14 + [1.0] * 6 + [1.0] * 80)
    plain = compared(rows, "ar", 2000, 1, higher_is_better=[True])
    record = plain.systems[1].scores[0]
    assert record.sacrebleu_p_value < 0.05 < record.p_value
    assert not record.differs
    assert [hint for hint in plain.hints if "leaves out trials with" in hint and "not significant" in hint]
    rows = [[sample._replace(ties=True) for sample in row] for row in rows]
    exact = compared(rows, "ar", 2000, 1, higher_is_better=[True])
    assert column_of(exact, "p_value")[1] == record.p_value == pytest.approx(0.1153, abs=0.03)
    assert column_of(exact, "sacrebleu_p_value") == [None, None]
    assert exact.hints == []


def test_only_a_ranking_is_signed_as_corrected():
    assert "correction" not in dict(signature_fields(Sampling("ar", 100, all_best=True)))
    assert dict(signature_fields(Sampling("ar", 100, all_pairs=True)))["correction"] == "max-t"


@pytest.mark.parametrize("jobs", [1, 2, 3])
@pytest.mark.parametrize("method", ["ci", *METHODS])
def test_threads_change_nothing(method, jobs):
    one = compared(samples_of(30), method, 300, 4, 1, method != "ci")
    assert compared(samples_of(30), method, 300, 4, jobs, method != "ci") == one


# --- identical systems


@pytest.mark.parametrize("method", METHODS)
def test_identical_systems_have_p_1_and_are_never_starred(method):
    strong, near, _ = samples_of(30)
    results = compared([strong, strong, near], method, 100, 12345)
    for metric in range(3):
        assert column_of(results, "p_value", metric)[:2] == [None, 1.0]
        assert column_of(results, "identical", metric) == [False, True, False]
    table = render(results, Layout(), "text")
    assert "(identical)" in table
    row = next(line for line in table.splitlines() if "s1" in line)
    assert "*" not in row


def test_systems_with_the_same_score_but_other_segments_are_not_identical():
    results = compared(by_numbers([1.0, 2.0, 3.0], [3.0, 2.0, 1.0]), "ar", 100, 1, higher_is_better=[True])
    assert column_of(results, "identical") == [False, False]
    assert column_of(results, "score") == [2.0, 2.0]
    assert column_of(results, "sacrebleu_p_value")[1] < 1 == column_of(results, "p_value")[1]


def test_nothing_is_drawn_if_all_systems_are_identical(monkeypatch):
    monkeypatch.setattr("bleucli.significance.resampling.randomization_p_values", lambda *arguments, **more: 1 / 0)
    strong = samples_of(30)[0]
    assert column_of(compared([strong, strong], "ar", 100, 1), "p_value") == [None, 1.0]


@pytest.mark.parametrize(("p_value", "mark"), [(0.05, "(p = 0.0500)*"), (0.0500001, "(p = 0.0500) ")])
def test_a_p_value_of_just_5_percent_is_starred(p_value, mark):
    baseline = ScoreRecord("BLEU", 30.0, "", SIGNATURE, True)
    systems = [SystemResult("a", [baseline]), SystemResult("b", [baseline._replace(p_value=p_value)])]
    assert mark in render(Results(systems, 9, [], PairedTest("ar", 99)), Layout(), "text")


# --- every pair


@pytest.mark.parametrize("method", METHODS)
def test_every_pair_is_tested_and_corrected_by_metric(method):
    rows = samples_of(30)
    results = compared(rows, method, 100, 6, all_pairs=True)
    assert [ranking.name for ranking in results.rankings] == ["m0", "m1", "m2"]
    for metric, ranking in enumerate(results.rankings):
        column = [row[metric] for row in rows]
        tests = (
            randomize_pairs(column, 100, 6) if method == "ar" else bootstrap_pairs(column, bootstrap(column, 100, 6))
        )
        for (i, j), test in zip(combinations(range(3), 2), tests, strict=True):
            least = least_p_value(rows, metric, i, j)
            alone = compared([[column[i]], [column[j]]], method, 100, 6).systems[1].scores[0]
            assert ranking.p_values[i][j] == ranking.p_values[j][i] == max(least, test.inclusive) == alone.p_value
            assert ranking.corrected[i][j] == ranking.corrected[j][i] == max(least, test.corrected)
            assert alone.sacrebleu_p_value == test.p_value
        assert [ranking.p_values[i][i] for i in range(3)] == [None] * 3
        assert column_of(results, "p_value", metric) == ranking.p_values[0]


@pytest.mark.parametrize("method", METHODS)
def test_systems_that_the_test_cannot_distinguish_share_a_cluster(method):
    rows = by_numbers(shift_words(0.0), shift_words(9.0), shift_words(9.0)[::-1], shift_words(-9.0))
    results = compared(rows, method, 200, 1, all_pairs=True, higher_is_better=[True])
    assert results.rankings[0].clusters == [2, 1, 1, 3]


def test_the_lowest_error_rate_is_in_the_first_cluster():
    rows = by_numbers(shift_words(0.0), shift_words(9.0), shift_words(-9.0))
    results = compared(rows, "ar", 200, 1, all_pairs=True, higher_is_better=[False])
    assert results.rankings[0].clusters == [2, 3, 1]
    assert rank([system.scores[0] for system in results.systems]) == [2, 0, 1]


def test_systems_with_equal_scores_keep_their_order():
    records = [ScoreRecord("BLEU", score, "", SIGNATURE, True) for score in (1.0, 3.0, 1.0, 3.0)]
    assert rank(records) == [1, 3, 0, 2]


@pytest.mark.parametrize(
    ("p_values", "expected"),
    [
        ({}, [1, 2, 3]),
        ({(0, 1): 0.2}, [1, 1, 2]),
        ({(1, 2): 0.2}, [1, 2, 2]),
        ({(0, 2): 0.2}, [1, 1, 1]),
        ({(0, 1): 0.2, (1, 2): 0.2}, [1, 1, 1]),
        ({(0, 1): 0.0501, (1, 2): 0.05}, [1, 1, 2]),
    ],
)
def test_all_systems_of_a_cluster_differ_from_all_of_the_next(p_values, expected):
    table = [[None if i == j else p_values.get((min(i, j), max(i, j)), 0.01) for j in range(3)] for i in range(3)]
    assert clusters([0, 1, 2], table) == expected


def test_one_system_is_a_cluster():
    assert clusters([0], [[None]]) == [1]


# --- the best


def test_without_a_test_the_best_is_the_best_score():
    rows = by_numbers(shift_words(0.0), shift_words(0.001), shift_words(0.001))
    assert column_of(compared(rows, "ci", 50, 1, higher_is_better=[True]), "best") == [False, True, True]


@pytest.mark.parametrize("method", METHODS)
def test_what_the_test_cannot_distinguish_from_the_best_is_best_too(method):
    rows = by_numbers(shift_words(0.0), shift_words(9.1), shift_words(9.0)[::-1])
    results = compared(rows, method, 200, 1, all_best=True, higher_is_better=[True])
    assert column_of(results, "best") == [False, True, True]
    flipped = compared(rows, method, 200, 1, all_best=True, higher_is_better=[False])
    assert column_of(flipped, "best") == [True, False, False]


@pytest.mark.parametrize("method", METHODS)
def test_the_best_and_the_first_cluster_do_not_contradict_each_other(method):
    rows = by_numbers(*([noise * (1 + number % 3) + number * 0.15 for noise in NOISE] for number in range(9)))
    results = compared(rows, method, 400, 1, all_pairs=True, all_best=True, higher_is_better=[True])
    (ranking,) = results.rankings
    best = column_of(results, "best")
    assert 1 < sum(best) < 9
    assert all(cluster == 1 for cluster, is_best in zip(ranking.clusters, best, strict=True) if is_best)
    apart = [p_value is not None and p_value <= 0.05 for p_value in ranking.corrected[8]]
    assert best == [not differs for differs in apart]
    alone = compared(rows, method, 400, 1, all_best=True, higher_is_better=[True])
    assert (column_of(alone, "best"), alone.rankings) == (best, ())


@pytest.mark.parametrize("more", [{}, {"all_pairs": True}, {"all_best": True}])
@pytest.mark.parametrize(("method", "trials"), [("ar", 18), ("bs", 18), ("ar", 398), ("bs", 398), ("ar", 399)])
def test_too_few_trials_get_a_hint(method, trials, more):
    hints = compared(by_numbers(NOISE, shift_words(9.0)), method, trials, 1, **more).hints
    told = [hint for hint in hints if hint.startswith(f"{trials} trials")]
    assert bool(told) == (trials < (399 if more else 19))
    assert not told or told[0].endswith("use at least 399" if more else "use at least 19")
    assert not told or ("cannot show significance" in told[0]) == (trials == 18)


@pytest.mark.parametrize("more", [{"all_pairs": True}, pytest.param({"all_best": True}, marks=pytest.mark.slow)])
@pytest.mark.parametrize("method", METHODS)
def test_clusters_and_bold_type_rest_on_a_p_value_that_needs_no_hint(method, more):
    """Of 400 comparisons of equal systems, 20 should be significant; 6 to 37 is the range of 99.9%. Koehn: 44."""
    assert compared(by_numbers(NOISE, shift_words(9.0)), method, 400, 1, **more).hints == []
    apart = 0
    for seed in range(400):
        noise = np.random.default_rng(seed).normal(size=(2, 100))
        results = compared([[numbers(row)] for row in noise], method, 400, seed, higher_is_better=[True], **more)
        apart += not all(column_of(results, "best"))
    assert 6 <= apart <= 37


def test_finding_the_best_changes_no_p_value():
    rows = samples_of(30)
    plain, marked = (compared(rows, "ar", 100, 6, all_best=best) for best in (False, True))
    for metric in range(3):
        assert column_of(plain, "p_value", metric) == column_of(marked, "p_value", metric)
        assert any(column_of(marked, "best", metric))
        assert not any(column_of(plain, "best", metric)), "a test against the baseline does not find the best"


def test_the_demo_systems_differ_as_they_are_meant_to():
    names = [name for name, _ in demo_systems()]
    results = compared(samples_of(), "ar", 1000, 12345)
    assert names == ["strong", "near", "weak"]
    assert column_of(results, "p_value")[2] == 1 / 1001
    assert 0 < column_of(results, "p_value")[1] <= 1
