"""All pairs at once: step-down max-T against its definition in plain NumPy, and the error rate that it promises."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from paired_samples import bootstrap_pairs, numbers, plain_bootstrap, randomize_pairs, samples_of
from sample_results import record
from strategies import every

from bleucli.significance.comparison import clusters, rank_ranges
from bleucli.significance.max_t import StepDown, _scale, randomize_means
from bleucli.significance.resampling import bootstrap, bootstrap_p_value, randomization_p_values, score_of

SIGNIFICANT = 0.05


def noisy(count, segments=60, gap=0.0, seed=1):
    """Return numbers for systems, each better than the one before by `gap`."""
    noise = np.random.default_rng(seed).normal(size=(count, segments))
    return [numbers(row + gap * number) for number, row in enumerate(noise)]


def plain_step_down(observed, trials):
    """Return the corrected p-values by their definition: one test after another, the most extreme first."""
    order = sorted(range(len(observed)), key=lambda test: -observed[test])
    found, least = {}, 0.0
    for place, test in enumerate(order):
        largest = [max(trial[other] for other in order[place:]) for trial in trials]
        least = max(least, (sum(value >= observed[test] for value in largest) + 1) / (len(trials) + 1))
        found[test] = least
    return [found[test] for test in range(len(observed))]


def plain_differences(samples, trials, seed):
    """Return the differences of all trials without their signs, one row per pair."""
    return abs(plain_leads(samples, trials, seed))


def plain_leads(samples, trials, seed):
    """Return the differences of all trials, by NumPy's own draws and sums, one row per pair."""
    rows = [np.asarray(sample.stats) for sample in samples]
    swaps = np.random.default_rng(seed).integers(2, size=(trials, len(rows[0])), dtype=bool)[:, :, None]
    made = []
    for one, other in combinations(range(len(rows)), 2):
        sums = np.where(swaps, rows[one], rows[other]).sum(axis=1)
        others = np.where(swaps, rows[other], rows[one]).sum(axis=1)
        pairs = zip(sums, others, strict=True)
        made.append([score_of(numbers_of(samples[one], a)) - score_of(numbers_of(samples[one], b)) for a, b in pairs])
    return np.array(made)


def pairs_of(samples):
    return list(combinations(range(len(samples)), 2))


def plain_observed(samples):
    return np.array([abs(score_of(one) - score_of(other)) for one, other in combinations(samples, 2)])


def numbers_of(sample, row):
    """Return a sample of one segment, with these statistics."""
    from bleucli.kernels.stats import SegmentStats

    kind = sample.stats.data.format
    dtype = np.int64 if kind == "q" else np.float64
    return sample._replace(stats=SegmentStats(memoryview(row.astype(dtype).tobytes()).cast(kind), len(row)))


def compare(method, samples, trials, seed=1):
    """Return the test of each pair, by the numbers of its systems."""
    if method == "ar":
        tests = randomize_pairs(samples, trials, seed)
    else:
        tests = bootstrap_pairs(samples, bootstrap(samples, trials, seed))
    return dict(zip(combinations(range(len(samples)), 2), tests, strict=True))


@pytest.mark.parametrize("metric", range(3))
def test_randomization_follows_its_definition(metric):
    samples = [row[metric] for row in samples_of(30)]
    found = randomize_pairs(samples, 150, 4)
    assert [test.p_value for test in found] == randomization_p_values(list(combinations(samples, 2)), 150, 4)
    scale = _scale([samples], pairs_of(samples), 1)
    trials = plain_differences(samples, 150, 4) / scale[:, None]
    assert [test.corrected for test in found] == plain_step_down(plain_observed(samples) / scale, trials.T)


def test_randomization_of_means_follows_its_definition():
    corpora = [[row[0] for row in samples_of(segments)] for segments in (30, 17)]
    pairs = pairs_of(corpora[0])
    found = randomize_means(corpora, pairs, 120, [[4, 0], [4, 1]])
    trials = abs(sum(plain_leads(samples, 120, [4, place]) for place, samples in enumerate(corpora)) / 2)
    scores = [np.array(list(map(score_of, samples))) for samples in corpora]
    observed = np.array([abs(sum(one[a] - one[b] for one in scores)) / 2 for a, b in pairs])
    reached = (trials >= observed[:, None] * (1 - 1e-12)).sum(axis=1)
    assert [test.inclusive for test in found] == [(count + 1) / 121 for count in reached]
    scale = _scale(corpora, pairs, 1)
    varies = np.hypot(*(_scale([samples], pairs, 1) for samples in corpora)) / 2
    assert scale == pytest.approx(varies, rel=1e-12), "variances of independent swaps add up"
    assert [test.corrected for test in found] == plain_step_down(observed / scale, (trials / scale[:, None]).T)


@pytest.mark.parametrize("metric", [0, *(pytest.param(metric, marks=pytest.mark.slow) for metric in (1, 2))])
def test_the_scale_of_a_pair_is_the_spread_of_its_difference(metric):
    samples = [row[metric] for row in samples_of()]
    varies = np.sqrt((plain_differences(samples, 400, 4) ** 2).mean(axis=1))
    assert _scale([samples], pairs_of(samples), 1) == pytest.approx(varies, rel=0.15)


def test_the_scale_of_means_is_exact(monkeypatch):
    samples = noisy(2)
    gaps = np.subtract(*(np.asarray(sample.stats)[:, 0] for sample in samples))
    monkeypatch.setattr("bleucli.significance.max_t._SEGMENTS", 7)
    assert _scale([samples], pairs_of(samples), 2) == pytest.approx([np.sqrt((gaps**2).sum()) / len(gaps)], rel=1e-12)


def test_the_bootstrap_follows_its_definition():
    samples = noisy(4, gap=0.15)
    scores = bootstrap(samples, 200, 7)
    found = bootstrap_pairs(samples, scores)
    pairs = list(combinations(range(4), 2))
    plain = [np.array(plain_bootstrap(sample, 200, 7)) for sample in samples]
    gaps = plain_observed(samples)
    assert [test.p_value for test in found] == [
        bootstrap_p_value(scores[one], scores[other], gap) for (one, other), gap in zip(pairs, gaps, strict=True)
    ]
    differences = [plain[one] - plain[other] for one, other in pairs]
    scale = _scale([samples], pairs_of(samples), 1)
    trials = np.array([abs(difference - difference.mean()) for difference in differences]) / scale[:, None]
    expected = plain_step_down(gaps / scale, trials.T)
    assert [test.corrected for test in found] == [
        max(test.p_value, corrected) for test, corrected in zip(found, expected, strict=True)
    ]


@given(
    st.lists(st.floats(0, 9), min_size=1, max_size=5).flatmap(
        lambda observed: st.tuples(
            st.just(observed),
            st.lists(st.lists(st.floats(0, 9), min_size=len(observed), max_size=len(observed)), min_size=1, max_size=9),
        )
    )
)
def test_step_down_follows_its_definition(drawn):
    observed, trials = drawn
    tests = StepDown(np.array(observed))
    for trial in trials:
        tests.add(np.array([trial]).T)
    # values that differ only in the last digits count as equal
    assert tests.p_values() == plain_step_down([value * (1 - 1e-12) for value in observed], trials)


@pytest.mark.parametrize("count", [12, 40])
def test_the_smallest_p_value_does_not_grow_with_the_number_of_pairs(count):
    samples = noisy(count, gap=1.0)
    far = list(combinations(range(count), 2)).index((0, count - 1))
    assert randomize_pairs(samples, 1000, 1)[far].corrected == 1 / 1001
    assert bootstrap_pairs(samples, bootstrap(samples, 500, 1))[far].corrected == 1 / 501


def test_the_smallest_p_value_of_default_trials_is_a_twentieth_of_the_significance_level():
    from bleucli.significance.resampling import RESAMPLES, TRIALS

    assert 1 / (min(RESAMPLES, TRIALS) + 1) <= SIGNIFICANT / 20


@pytest.mark.parametrize("method", ["ar", "bs"])
def test_an_exact_copy_of_a_system_changes_no_p_value(method):
    samples = noisy(5, gap=0.2)
    alone, copied = (compare(method, some, 500) for some in (samples, [*samples, samples[1], samples[4]]))
    assert {pair: copied[pair] for pair in alone} == alone
    assert len({test.corrected for test in alone.values()}) > 5
    for copy, original in ((5, 1), (6, 4)):
        for other in (0, 2, 3):
            assert copied[other, copy].corrected == copied[tuple(sorted((other, original)))].corrected


def test_copies_with_another_segment_cost_almost_nothing():
    first, second = noisy(2, segments=300, gap=0.05)
    rows = np.tile(np.asarray(second.stats)[:, 0], (9, 1))
    rows[np.arange(9), np.arange(9)] += 1.0
    alone, with_copies = (compare("ar", [first, second, *more], 2000)[0, 1] for more in ([], map(numbers, rows)))
    assert alone.inclusive == with_copies.inclusive == alone.corrected
    assert alone.corrected <= with_copies.corrected < 1.5 * alone.corrected < SIGNIFICANT


def test_a_pair_that_differs_in_one_segment_is_never_significant():
    first = noisy(1)[0]
    rows = np.array(np.asarray(first.stats))
    rows[3] += 5.0
    found = randomize_pairs([first, numbers(rows.ravel()), *noisy(2, seed=9)], 1000, 1)
    assert found[0].p_value < SIGNIFICANT < found[0].corrected  # a tie does not exceed, as in sacreBLEU


def test_systems_with_equal_scores_are_not_distinguished():
    rows = np.asarray(noisy(1)[0].stats).ravel()
    found = randomize_pairs([numbers(rows), numbers(rows[::-1]), *noisy(1, seed=9)], 500, 1)
    assert found[0].corrected == 1


def test_corrected_p_values_are_no_smaller():
    for samples in (noisy(6, gap=0.1), noisy(6, gap=0.5, seed=2)):
        for tests in (randomize_pairs(samples, 300, 1), bootstrap_pairs(samples, bootstrap(samples, 300, 1))):
            assert all(test.p_value <= test.corrected for test in tests)


@pytest.mark.parametrize("metric", every(3, range(3)))
def test_blocks_and_threads_change_nothing(monkeypatch, metric):
    samples = [row[metric] for row in samples_of(30)]
    scores = bootstrap(samples, 300, 1)
    expected = randomize_pairs(samples, 300, 1), bootstrap_pairs(samples, scores)
    monkeypatch.setattr("bleucli.significance.max_t._DIFFERENCE_BYTES", 1)
    monkeypatch.setattr("bleucli.significance.resampling._TRIALS_HELD", 64)
    assert (randomize_pairs(samples, 300, 1, jobs=3), bootstrap_pairs(samples, scores)) == expected


def test_progress_is_reported():
    told = []
    randomize_pairs(noisy(3), 100, 1, progress=lambda done, trials: told.append((done, trials)))
    assert told[-1] == (100, 100)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["ar", "bs"])
def test_a_difference_is_rarely_found_among_equal_systems(method):
    """Of 300 families of 66 true null hypotheses, about 15 may have an error; 3 to 31 is the range of 99.9%."""
    wrong = 0
    for repetition in range(300):
        samples = noisy(12, segments=200, seed=repetition)
        wrong += min(test.corrected for test in compare(method, samples, 400, repetition).values()) <= SIGNIFICANT
    assert 3 <= wrong <= 31


# --- ranks and clusters


@given(
    st.lists(st.sampled_from([20.0, 21.0, 22.0, 23.0]), min_size=1, max_size=5),
    st.lists(st.sampled_from([0.0001, 0.0499, 0.05, 0.0501, 0.3, 1.0]), min_size=10, max_size=10),
    st.sampled_from(["BLEU", "TER"]),
)
def test_ranks_are_those_of_all_orders_that_the_tests_allow(scores, drawn, metric):
    column = [record(score, metric) for score in scores]
    count, sign = len(scores), -1 if metric == "TER" else 1
    table = [[None] * count for _ in range(count)]
    for (one, other), p_value in zip(combinations(range(count), 2), drawn, strict=False):
        table[one][other] = table[other][one] = p_value if scores[one] != scores[other] else 1.0

    def is_better(one, other):
        return one != other and table[one][other] <= SIGNIFICANT and sign * (scores[one] - scores[other]) > 0

    for system, ranks in enumerate(rank_ranges(column, table)):
        places = [
            order.index(system)
            for order in permutations(range(count))
            if not any(is_better(system, above) for above in order[: order.index(system)])
            and not any(is_better(below, system) for below in order[order.index(system) :])
        ]
        assert ranks == (min(places) + 1, max(places) + 1)


def test_a_chain_of_ties_is_one_cluster_but_not_one_range():
    order, scores = range(4), [record(30.0 - number) for number in range(4)]
    table = [[None if a == b else 0.2 if abs(a - b) == 1 else 0.001 for b in order] for a in order]
    assert clusters(order, table) == [1, 1, 1, 1]
    assert rank_ranges(scores, table) == [(1, 2), (1, 3), (2, 4), (3, 4)]


@given(st.integers(1, 6).flatmap(lambda count: st.lists(st.sampled_from([0.01, 0.2]), min_size=15, max_size=15)))
def test_each_cluster_differs_from_each_other(drawn):
    table = [[None] * 6 for _ in range(6)]
    for (one, other), p_value in zip(combinations(range(6), 2), drawn, strict=True):
        table[one][other] = table[other][one] = p_value
    found = clusters(range(6), table)
    assert found == sorted(found)
    for one, other in combinations(range(6), 2):
        if found[one] != found[other]:
            assert table[one][other] <= SIGNIFICANT
    for place in range(1, 6):  # and no cluster could be cut in two
        if found[place] == found[place - 1]:
            assert any(table[above][below] > SIGNIFICANT for above in range(place) for below in range(place, 6))
