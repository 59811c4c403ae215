"""The kernels that resample: the native and the Python ones agree, and both agree with NumPy's own draws and sums."""

from __future__ import annotations

from array import array
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from bleucli.kernels import python
from bleucli.kernels.stats import SegmentStats

native = pytest.importorskip("bleucli.kernels._native", reason="the native kernels were not built")

LARGEST = 2**63 - 1
kinds = st.sampled_from(["q", "d"])
sizes = st.integers(1, 600)
seeds = st.integers(0, 2**32)


def stats_of(numbers, kind="q"):
    rows = np.ascontiguousarray(numbers, np.int64 if kind == "q" else np.float64)
    return SegmentStats(memoryview(rows.tobytes()).cast(kind), rows.shape[1])


def random_rows(seed, rows, columns, kind, whole=True):
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 60, size=(rows, columns))
    return stats_of(numbers if whole else numbers / rng.integers(1, 8, size=(rows, columns)), kind)


def words_of(seed, count):
    return np.random.default_rng(seed).bit_generator.random_raw(count)


def both(name, *arguments):
    return [getattr(module, name)(*arguments) for module in (native, python)]


# --- draws


@given(seed=seeds, segments=sizes, resamples=st.integers(0, 5))
@examples(60)
def test_draws_are_those_of_numpys_choice(seed, segments, resamples):
    words = words_of(seed, segments * resamples // 2 + 20)
    expected = np.random.default_rng(seed).choice(segments, size=(resamples, segments))
    for weights, used in both("draw_weights", words, 0, segments, resamples):
        counts = np.frombuffer(weights, np.uint8).reshape(resamples, segments)
        assert counts.tolist() == [np.bincount(row, minlength=segments).tolist() for row in expected]
        assert used >= segments * resamples or segments == 1


@given(seed=seeds, segments=sizes, first=st.integers(0, 3), second=st.integers(0, 3))
@examples(40)
def test_draws_continue_where_earlier_ones_stopped(seed, segments, first, second):
    words = words_of(seed, segments * (first + second) // 2 + 20)
    whole, end = native.draw_weights(words, 0, segments, first + second)
    one, between = native.draw_weights(words, 0, segments, first)
    assert native.draw_weights(words, between, segments, second) == (whole[len(one) :], end)
    assert python.draw_weights(words, between, segments, second) == (whole[len(one) :], end)


def test_draws_are_made_again_where_some_segments_would_be_likelier():
    segments = 3  # 2**32 % 3 == 1: a product whose lower half is 0 is refused
    words = array("Q", [0, 0xFFFFFFFF << 32, 1 << 63])
    assert both("draw_weights", words, 0, segments, 1) == [None, None]
    words = array("Q", [0xFFFFFFFF << 32, 1 << 63 | 5])
    assert both("draw_weights", words, 0, segments, 1) == [(bytes([1, 1, 1]), 4)] * 2


def test_too_few_random_numbers_make_no_draw():
    words = words_of(1, 10)
    assert both("draw_weights", words, 0, 7, 3) == [None, None]
    assert both("draw_weights", words, 25, 2, 1) == [None, None]
    assert both("draw_weights", words[:0], 0, 2, 0) == [(b"", 0)] * 2


def test_more_segments_than_a_draw_can_number_are_refused():
    for module in (native, python):
        with pytest.raises(ValueError, match=r"1 resamples of 4294967296 .* and at most 4294967295 segments"):
            module.draw_weights(words_of(1, 10), 0, 1 << 32, 1)


def test_a_single_segment_takes_no_random_number():
    assert both("draw_weights", words_of(1, 0), 3, 1, 4) == [(bytes([1, 1, 1, 1]), 3)] * 2


def test_a_segment_that_is_drawn_too_often_is_refused():
    words = array("Q", [1 << 32 | 1] * 150)
    for module in (native, python):
        with pytest.raises(OverflowError, match="drawn more than 255 times"):
            module.draw_weights(words, 0, 300, 1)


@pytest.mark.parametrize("numbers", [(-1, 1, 1), (0, 0, 1), (0, -1, 1), (0, 1, -1), (0, 2**33, 1)])
def test_draws_of_impossible_numbers_are_refused(numbers):
    for module in (native, python):
        with pytest.raises(ValueError, match="resamples of"):
            module.draw_weights(words_of(1, 4), *numbers)


def test_draws_of_more_than_memory_holds_are_refused():
    with pytest.raises(MemoryError):
        native.draw_weights(words_of(1, 4), 0, 2**31, 2**40)


# --- weighted sums


@given(seed=seeds, rows=sizes, columns=st.integers(1, 12), kind=kinds, whole=st.booleans(), times=st.integers(0, 4))
@examples(80)
def test_weighted_sums_agree_with_numpy(seed, rows, columns, kind, whole, times):
    stats = random_rows(seed, rows, columns, kind, whole)
    weights = np.random.default_rng(seed).integers(0, 256, size=(times, rows)).astype(np.uint8)
    found, expected = both("weighted_sums", stats, weights.tobytes())
    assert list(found) == list(expected)
    assert np.asarray(found) == pytest.approx(weights.astype(np.int64) @ np.asarray(stats), rel=1e-12)
    assert found.data.format == kind


@pytest.mark.parametrize("kind", ["q", "d"])
@pytest.mark.parametrize("number", [32767, 32768, 2**40, -5])
def test_weighted_sums_of_large_and_negative_numbers(number, kind):
    stats = stats_of([[number, 1]] * 700, kind)
    for found in both("weighted_sums", stats, bytes([255] * 700 + [1] * 700)):
        assert list(found) == [(255 * 700 * number, 255 * 700), (700 * number, 700)]


@pytest.mark.parametrize("module", [native, python], ids=["native", "python"])
@pytest.mark.parametrize(
    ("number", "fits"),
    [(LARGEST // 255, True), (LARGEST // 255 + 1, False), (-(LARGEST // 255), True), (-(LARGEST // 255) - 1, False)],
)
def test_weighted_sums_that_might_exceed_64_bits_are_refused(module, number, fits):
    with nullcontext() if fits else pytest.raises(OverflowError, match="64 bits"):
        assert list(module.weighted_sums(stats_of([[number]]), bytes([255]))) == [(255 * number,)]


@pytest.mark.parametrize("module", [native, python], ids=["native", "python"])
@pytest.mark.parametrize(
    ("number", "fits"),
    [(2**62 - 1, True), (2**62, False), (1 - 2**62, True), (-(2**62), False), (LARGEST, False), (-LARGEST - 1, False)],
)
def test_swapped_sums_that_might_exceed_64_bits_are_refused(module, number, fits):
    words = words_of(1, 1)
    for left, right in ((number, 1), (1, number)):
        with nullcontext() if fits else pytest.raises(OverflowError, match="64 bits"):
            sums, others = module.swapped_sums(stats_of([[left]]), stats_of([[right]]), words, 0, 1)
            assert {*list(sums), *list(others)} == {(left,), (right,)}


@pytest.mark.parametrize("number", [1e300, 2.0**53, 2.0**60])
def test_doubles_beyond_exact_integers_are_added_in_order(number):
    stats = stats_of([[number], [1.0], [-number], [0.25]], "d")
    weights, words = bytes([1, 1, 1, 1, 2, 0, 2, 1]), words_of(3, 1)
    for name, arguments in (("weighted_sums", (stats, weights)), ("swapped_sums", (stats, stats, words, 0, 2))):
        assert str(np.asarray(getattr(native, name)(*arguments))) == str(np.asarray(getattr(python, name)(*arguments)))


def test_weights_that_do_not_fit_the_rows_are_refused():
    for module in (native, python):
        with pytest.raises(ValueError, match="one byte per row"):
            module.weighted_sums(stats_of([[1], [2]]), bytes(3))


@pytest.mark.parametrize("numbers", [[-0.0, -0.0], [-0.0, float("nan")], [-0.0, 0.5]])
def test_sums_of_negative_zeros_are_zero(numbers):
    stats = stats_of([[number, -0.0] for number in numbers], "d")
    calls = {"weighted_sums": (stats, bytes([1, 1])), "swapped_sums": (stats, stats, words_of(3, 1), 0, 2)}
    for name, arguments in calls.items():
        found, expected = both(name, *arguments)
        assert repr(plain(found)) == repr(plain(expected))
        assert "-0.0" not in repr(plain(found))


def plain(sums):
    return [list(rows) for rows in sums] if isinstance(sums, tuple) else list(sums)


# --- swapped sums


@given(
    seed=seeds,
    rows=sizes,
    columns=st.integers(1, 12),
    kind=kinds,
    whole=st.booleans(),
    first=st.integers(0, 130),
    trials=st.integers(0, 5),
)
@examples(80)
def test_swapped_sums_of_both_kernels_agree(seed, rows, columns, kind, whole, first, trials):
    left, right = random_rows(seed, rows, columns, kind, whole), random_rows(seed + 1, rows, columns, kind, whole)
    words = words_of(seed, (first + rows * trials) // 64 + 1)
    found, expected = both("swapped_sums", left, right, words, first, trials)
    assert [list(sums) for sums in found] == [list(sums) for sums in expected]


def test_swaps_are_those_of_numpys_booleans():
    rows, trials = 333, 32
    left, right = random_rows(1, rows, 3, "q"), random_rows(2, rows, 3, "q")
    swaps = np.random.default_rng(7).integers(2, size=(trials, rows), dtype=bool)
    words = words_of(7, rows * trials // 64 + 1)
    for sums, others in both("swapped_sums", left, right, words, 0, trials):
        for trial, swap in enumerate(swaps):
            chosen = np.where(swap[:, None], np.asarray(left), np.asarray(right)).sum(axis=0)
            assert sums[trial] == tuple(chosen)
            assert others[trial] == tuple(np.asarray(left).sum(axis=0) + np.asarray(right).sum(axis=0) - chosen)


@pytest.mark.parametrize("largest", [1, 545, 546, 547, 2**18, 2**40, 2**54])
@pytest.mark.parametrize("kind", ["q", "d"])
def test_swaps_of_equal_columns_and_of_numbers_of_several_digits(kind, largest):
    rng, rows, trials = np.random.default_rng(1), 130, 9
    a, b, c, d, e = rng.integers(-largest, largest, size=(5, rows), endpoint=True)
    ends = np.resize([largest, -largest], rows)
    # The first column is the same on both sides; the third repeats the second; the fifth the fourth, on one side only
    left = stats_of(np.stack([a, b, b, c, c, ends], axis=1), kind)
    right = stats_of(np.stack([a, c, c, d, e, -ends], axis=1), kind)
    words = words_of(3, 5 + rows * trials // 64 + 1)
    found, expected = both("swapped_sums", left, right, words, 5, trials)
    assert [list(sums) for sums in found] == [list(sums) for sums in expected]
    found, expected = both("swapped_sums", left, left, words, 5, trials)
    assert [list(sums) for sums in found] == [list(sums) for sums in expected]


@pytest.mark.slow
def test_swaps_of_more_rows_than_32_bits_add_up():
    rows = 4_000_000
    left = SegmentStats.from_numpy(np.full((rows, 1), 545))
    right = SegmentStats.from_numpy(np.full((rows, 1), -545))
    words = np.full(rows // 64 + 1, 2**64 - 1, np.uint64)
    assert [list(sums) for sums in native.swapped_sums(left, right, words, 0, 1)] == [[(545 * rows,)], [(-545 * rows,)]]


def test_swapping_all_or_none_gives_the_two_systems():
    left, right = random_rows(1, 70, 2, "d", whole=False), random_rows(2, 70, 2, "d", whole=False)
    words = array("Q", [2**64 - 1] * 2)
    for module in (native, python):
        sums, others = module.swapped_sums(left, right, words, 0, 1)
        assert (sums[0], others[0]) == (native.column_sums(left), native.column_sums(right))


@pytest.mark.parametrize("arguments", [(0, 2), (100, 1), (-1, 1), (0, -1), (129, 0)])
def test_more_trials_than_there_are_bits_are_refused(arguments):
    stats = random_rows(1, 100, 2, "q")
    for module in (native, python):
        with pytest.raises(ValueError, match="random bits"):
            module.swapped_sums(stats, stats, words_of(1, 2), *arguments)


@pytest.mark.parametrize("other", [stats_of([[1, 2]]), stats_of([[1], [2]]), stats_of([[1.0]], "d")])
def test_statistics_of_another_shape_or_kind_are_refused(other):
    for module in (native, python):
        with pytest.raises(ValueError, match="differ in metric or length"):
            module.swapped_sums(stats_of([[1]]), other, words_of(1, 1), 0, 1)


@pytest.mark.parametrize("name", ["draw_weights", "swapped_sums"])
def test_random_numbers_that_are_not_words_are_refused(name):
    stats = stats_of([[1]])
    arguments = (bytes(9), 0, 1, 1) if name == "draw_weights" else (stats, stats, bytes(9), 0, 1)
    for module in (native, python):
        with pytest.raises(ValueError, match="64-bit words"):
            getattr(module, name)(*arguments)


@pytest.mark.parametrize("wrong", [None, 1, "abc", b"abc"])
def test_other_objects_are_refused(wrong):
    stats, words = stats_of([[1]]), words_of(1, 1)
    calls = (
        ("draw_weights", (wrong, 0, 1, 1)),
        ("weighted_sums", (wrong, bytes(1))),
        ("swapped_sums", (wrong, stats, words, 0, 1)),
        ("swapped_sums", (stats, wrong, words, 0, 1)),
    )
    for name, arguments in calls:
        with pytest.raises((TypeError, AttributeError, ValueError)):
            getattr(native, name)(*arguments)
