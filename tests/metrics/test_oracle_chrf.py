"""Comparisons with the oracle that only chrF needs: words, references with equal scores; and what we refuse.

The oracle does not show its statistics, only its scores. Where two references of a segment score the same, the score of
a corpus shows which of them the oracle chose.
"""

from __future__ import annotations

import json
import os
import random
from collections import defaultdict
from fractions import Fraction
from functools import partial
from itertools import combinations, product

import oracles
import pytest
from conftest import warnings_in
from hypothesis import given
from hypothesis import strategies as st
from metric_kinds import CHRF, ONE, SEVERAL, TWO, assert_same, assert_segments_alike, both, rows_of_chrf
from strategies import FRAGMENTS, enough, examples

import bleucli
from bleucli import InputTypeError, kernels
from bleucli.errors import UsageError
from bleucli.kernels.python_ngrams import EPSILON, f_score

# most tests here are not about hints
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# --- words


@pytest.mark.parametrize("longest", [4, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("word_order", [1, 2, 3])
def test_punctuation_is_cut_off_words_as_the_oracle_does(word_order, longest):
    hypotheses = ["".join(letters) for length in range(longest + 1) for letters in product("a.( ", repeat=length)]
    references = [["a . ( a. (a .. a"] * len(hypotheses)]
    assert_segments_alike(CHRF, {"char_order": 1, "word_order": word_order}, hypotheses, references)


def test_any_character_at_the_edges_of_a_word_counts_as_for_the_oracle():
    characters = [chr(code) for code in (*range(1, 0x300), *range(0x2000, 0x2070), *range(0x3000, 0x3040), 0xFF0C)]
    characters += [character for character in FRAGMENTS if len(character) == 1]
    hypotheses = [text for c in characters for text in (f"{c}ab{c} {c}cd ef{c} {c}", f"{c} ab {c} {c} cd ef {c} {c}")]
    references = [hypotheses[1::2] + hypotheses[::2]]
    assert_segments_alike(CHRF, {"char_order": 1, "word_order": 2}, hypotheses, references)


# --- references that score the same

# Short texts; for a hypothesis, many of them have the same score with different statistics
SHORT_TEXTS = ["".join(letters) for length in range(1, 6) for letters in product("ab .", repeat=length)]
FILLER = ("abab ab. b", "ab abb. bb a")
HYPOTHESES_PER_CONFIGURATION = max(4, enough(16))  # a single one may have no ties that are decided
TIES_PER_HYPOTHESIS = 60
TIED = [
    {},
    {"beta": 1},
    {"whitespace": True},
    {"word_order": 2},
    {"word_order": 3, "beta": 1},
    {"char_order": 4, "word_order": 3, "beta": 3},
    {"char_order": 0, "word_order": 3},
    {"char_order": 0, "word_order": 2, "beta": 0.7, "eps_smoothing": True},
    {"beta": 0},
    {"word_order": 1, "beta": 2.5},
    {"beta": 0.3, "eps_smoothing": True},
    {"eps_smoothing": True},
    {"word_order": 3, "eps_smoothing": True},
    {"char_order": 4, "word_order": 2, "beta": 1, "eps_smoothing": True},
    {"char_order": 7, "word_order": 1, "beta": 3, "whitespace": True, "eps_smoothing": True},
]


def exact_score(row, beta, eps_smoothing):
    """Return the F-score without rounding."""
    orders = [tuple(map(Fraction, row[start : start + 3])) for start in range(0, len(row), 3)]
    factor, epsilon = Fraction(beta) ** 2, Fraction(EPSILON)
    if eps_smoothing:
        ratios = [(m / h if h else epsilon, m / r if r else epsilon) for h, r, m in orders]
        scores = [(1 + factor) * p * r / (factor * p + r) if p or r else epsilon for p, r in ratios]
        return sum(scores) / len(scores)
    effective = [(m / h, m / r) for h, r, m in orders if h and r]
    precision, recall = (sum(side) for side in zip(*effective, strict=True)) if effective else (0, 0)
    return (1 + factor) * precision * recall / (factor * precision + recall) if precision else Fraction(0)


def ties(dice, metric, hypothesis):
    """Give pairs of references that score exactly the same, with different statistics."""
    rows = rows_of_chrf(kernels, metric, [hypothesis] * len(SHORT_TEXTS), [SHORT_TEXTS])
    groups = defaultdict(list)
    for row, text in dict(zip(rows, SHORT_TEXTS, strict=True)).items():
        groups[exact_score(row, metric.beta, metric.eps_smoothing)].append((row, text))
    found = [pair for group in groups.values() for pair in combinations(group, 2)]
    return dice.sample(found, min(len(found), TIES_PER_HYPOTHESIS))


@pytest.mark.parametrize("number", range(len(TIED)), ids=lambda number: "-".join(TIED[number]) or "default")
def test_the_oracles_choice_among_references_with_equal_scores_is_ours(number):
    dice = random.Random(number)
    ours, theirs = both(CHRF, TIED[number])
    (filler,) = rows_of_chrf(kernels, ours, [FILLER[0]], [[FILLER[1]]])
    decided = 0
    for hypothesis in dice.sample(SHORT_TEXTS, HYPOTHESES_PER_CONFIGURATION):
        for pair in ties(dice, ours, hypothesis):
            sums = [[a + b for a, b in zip(row, filler, strict=True)] for row, _ in pair]
            one, other = (ours.score_from_stats(sum_).score for sum_ in sums)
            if one == other:
                continue  # the score does not show which reference was chosen
            for (_, first), (_, second) in (pair, pair[::-1]):
                corpus = [hypothesis, FILLER[0]], [[first, FILLER[1]], [second, FILLER[1]]]
                assert_same(ours.corpus_score(*corpus), theirs.corpus_score(*corpus))
                decided += 1
    assert decided > 2 * HYPOTHESES_PER_CONFIGURATION - 2


def test_the_last_bit_decides_many_of_these_ties():
    dice, metric = random.Random(0), bleucli.CHRF(word_order=2)
    tied = [pair for hypothesis in dice.sample(SHORT_TEXTS, 10) for pair in ties(dice, metric, hypothesis)]
    scores = [[f_score(row, metric.beta, False) for row, _ in pair] for pair in tied]
    assert sum(one != other for one, other in scores) > 20
    assert sum(one == other for one, other in scores) > 20


@given(
    hypotheses=st.lists(st.text("ab ", min_size=1, max_size=6), min_size=2, max_size=4),
    streams=st.integers(2, 4).flatmap(
        lambda n: st.lists(st.lists(st.text("ab ", max_size=6), min_size=4, max_size=4), min_size=n, max_size=n)
    ),
    chosen=CHRF.options,
)
@examples(200)
def test_many_short_references_score_as_the_oracles(hypotheses, streams, chosen):
    ours, theirs = both(CHRF, chosen)
    corpus = hypotheses, [stream[: len(hypotheses)] for stream in streams]
    assert_same(ours.corpus_score(*corpus), theirs.corpus_score(*corpus))


# --- the command


@pytest.mark.parametrize(("name", "order"), [("chrf+", "1"), ("chrf++", "2")])
@pytest.mark.parametrize("extra", ["", "-sl", "--chrf-beta 3", "-m bleu {} ter -f text", "-m {0} {0}"])
def test_chrf_with_words_has_its_own_names(run, demo_files, name, order, extra):
    plain, named = (f"{TWO} -m {metric} {extra.format(metric)}".split() for metric in ("chrf", name))
    expected = run(*plain, "-cw", order)
    assert expected.status == 0
    assert run(*named) == run(*named, "-cw", order) == expected


def test_like_treats_a_name_of_chrf_as_its_options(run, demo_files):
    words = f"{TWO} -m chrf++ -f text --like".split()
    assert run(*words, "chrF2++|nw:2|nc:5").out.startswith("chrF2++|nrefs:2|case:mixed|eff:yes|nc:5|nw:2|")
    answer = run(*words, "chrF2+|nw:1|nc:5")
    assert (answer.status, answer.out) == (2, "")
    assert "asks for nw:1, but this metric has nw:2" in answer.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("-m chrf++ -cw 1", "-m chrf++ means --chrf-word-order 2, not 1; leave out one of the two"),
        ("-m chrf+ -cw 0", "-m chrf+ means --chrf-word-order 1, not 0; leave out one of the two"),
        ("-m chrf chrf++", "-m chrf and chrf++ are the same metric with different options; score with one"),
        ("-m chrf++ bleu chrf+", "-m chrf++ and chrf+ are the same metric with different options; score with one"),
    ],
)
def test_names_of_chrf_that_contradict_something_are_refused(run, demo_files, words, told):
    answer = run(*f"{TWO} {words}".split())
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"bleu: error: {told}")


@pytest.mark.parametrize("extra", ["-m bleu chrf", "-m ter bleu", "-m ter chrf bleu -f text", "-m chrf ter"])
def test_lowercasing_with_several_metrics_gets_a_warning_because_it_applies_to_bleu_only(run, demo_files, extra):
    for systems in (ONE, SEVERAL):
        words = f"{systems} {extra}".split()
        (warning,) = warnings_in(run(*words, "-lc"))
        assert "-lc applies to BLEU only" in warning
        assert ("chrF has --chrf-lowercase" in warning) == ("chrf" in words)
        assert ("TER lowercases without --ter-case-sensitive" in warning) == ("ter" in words)
        assert warnings_in(run(*words)) == warnings_in(run(*words, "-lc", "-q")) == []


@pytest.mark.parametrize("extra", ["-m bleu -lc", "-m bleu bleu -lc", "-m chrf --chrf-lowercase"])
def test_lowercasing_with_one_metric_gets_no_warning(run, demo_files, extra):
    assert warnings_in(run(*ONE.split(), *extra.split())) == []


def test_lowercasing_for_bleu_does_not_change_the_others(run, demo_files):
    words = f"{TWO} -m bleu chrf ter".split()
    plain, lower = (json.loads(run(*words, *extra).out) for extra in ((), ("-lc",)))
    assert plain[0] != lower[0]
    assert plain[1:] == lower[1:]


# --- where we differ on purpose (spec/decisions.md): what we do


def refused(chosen, kind, words):
    """Check that the class and both functions refuse options with a message that matches the words."""
    texts = "a", ["a"]
    for function in (
        bleucli.CHRF,
        partial(bleucli.corpus_chrf, *([text] for text in texts)),
        partial(bleucli.sentence_chrf, *texts),
    ):
        with pytest.raises(kind, match=words) as caught:
            function(**chosen)
        assert type(caught.value) is kind
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("word_order", [{"word_order": 2}, {"word_order": 0}, {}])
@pytest.mark.parametrize("char_order", [-1, 1001, 10**30])
def test_impossible_character_orders_are_refused(char_order, word_order):
    refused({"char_order": char_order, **word_order}, UsageError, f"^char_order {char_order}; expected .* 0 to 1000")


@pytest.mark.parametrize("word_order", [-1, 1001, 10**30])
def test_impossible_word_orders_are_refused(word_order):
    refused({"word_order": word_order}, UsageError, f"^word_order {word_order}; expected .* 0 to 1000")


def test_no_order_at_all_is_refused():
    refused({"char_order": 0}, UsageError, "^char_order 0 and word_order 0; expected at least 1")


@pytest.mark.parametrize("beta", [-1, -0.5, -2, 1e151, float("inf"), float("-inf"), float("nan")])
def test_an_impossible_beta_is_refused(beta):
    refused({"beta": beta}, UsageError, "^beta .*; expected a number from 0 to 1e.150")


def test_a_beta_that_no_double_can_hold_is_refused():
    refused({"beta": 10**400}, UsageError, "^beta is too large for a floating-point number; give a smaller one")


@pytest.mark.parametrize("wrong", ["6", b"6", None, [6], True, {}, 1j])
@pytest.mark.parametrize("name", ["char_order", "word_order", "beta"])
def test_values_of_a_wrong_type_are_refused_by_name(name, wrong):
    match = "unhashable|" if isinstance(wrong, list | dict) else ""
    refused({name: wrong}, InputTypeError, f"{match}^{name} .* is of type {type(wrong).__name__}; give a")


@pytest.mark.parametrize("name", ["char_order", "word_order"])
def test_orders_that_are_not_whole_are_refused(name):
    refused({name: 2.0}, InputTypeError, "2.0 is of type float; give a whole number")


def test_numbers_of_numpy_are_accepted():
    numpy = pytest.importorskip("numpy")
    chosen = {"char_order": numpy.int64(3), "word_order": numpy.uint8(1), "beta": numpy.int32(2)}
    assert str(bleucli.sentence_chrf("ab cd", ["ab ce"], **chosen)) == str(
        bleucli.sentence_chrf("ab cd", ["ab ce"], 3, 1)
    )
    assert str(bleucli.sentence_chrf("ab", ["ab"], beta=numpy.float32(2.5))) == "chrF2.5 = 100.00"


def test_equal_betas_of_two_types_have_different_names():
    scores = [bleucli.sentence_chrf("ab", ["ab"], beta=beta).name for beta in (2, 2.0, 0, 0.0, -0.0, 2)]
    assert scores == ["chrF2", "chrF2.0", "chrF0", "chrF0.0", "chrF0.0", "chrF2"]


# --- real systems


def real_corpus(folder, pair, system, references):
    return [oracles.read_lines(folder, pair, f"{name}.txt") for name in (system, *references)]


@pytest.mark.slow
def test_scores_are_those_that_the_organizers_of_wmt22_published():
    folder = oracles.real_data()
    rows = list(oracles.published_chrf(folder))
    assert len(rows) == 30
    for pair, system, what, expected in rows if kernels.live == "native" else rows[::8]:
        present = [name for name in "AB" if os.path.exists(os.path.join(folder, f"wmt22.{pair}", f"ref.{name}.txt"))]
        references = [f"ref.{name}" for name in (present if what == "all" else what)]
        hypotheses, *streams = real_corpus(folder, f"wmt22.{pair}", system, references)
        found = bleucli.CHRF().corpus_score(hypotheses, streams).score
        assert found == expected, (pair, system, what)
