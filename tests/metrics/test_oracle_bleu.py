"""Comparisons with the oracle that only BLEU needs: tokenizers, smoothing, orders; and deliberate differences."""

from __future__ import annotations

import warnings
from itertools import product

import numpy
import oracles
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from metric_kinds import METHODS, NGRAM_ORDERS, TOKENIZERS, assert_same, nrefs, parameters
from strategies import FRAGMENTS, corpora, examples, texts

import bleucli
from bleucli import BleuError, InputTypeError, tokenizers
from bleucli.text import Segments

# the tests here are not about hints
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# --- tokenizers


@pytest.mark.parametrize("name", TOKENIZERS)
@given(text=texts)
@examples(200)
@example("")
@example("<skip<skipped>ped> -\n--\n\n &amp;lt; ..,,5-5")
def test_tokenizers_equal_the_oracles_string_for_string(name, text):
    (ours,) = tokenizers.get(name).tokenize(Segments.from_strings([text]))
    assert ours == oracles.tokenized(name, text)


@pytest.mark.parametrize("module", oracles.kernel_modules(), ids=lambda module: module.__name__)
def test_tokenizers_equal_the_oracles_for_every_two_fragments(module):
    pairs = [left + right for left, right in product(FRAGMENTS, repeat=2)]
    segments = Segments.from_strings(pairs)
    for name, tokenize in (("13a", module.tokenize_13a), ("char", module.tokenize_char)):
        assert list(tokenize(segments)) == [oracles.tokenized(name, text) for text in pairs]


@pytest.mark.parametrize("module", oracles.kernel_modules(), ids=lambda module: module.__name__)
def test_13a_equals_the_oracles_for_all_short_texts_of_the_characters_its_rules_name(module):
    pairs = ["".join(letters) for length in range(6) for letters in product("5.,-a", repeat=length)]
    assert list(module.tokenize_13a(Segments.from_strings(pairs))) == [oracles.tokenized("13a", text) for text in pairs]


@pytest.mark.parametrize("module", oracles.kernel_modules(), ids=lambda module: module.__name__)
@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_13a_equals_the_oracles_around_every_code_point_of_the_basic_plane(module, step):
    characters = [chr(code) for code in range(0, 0x10000, step) if not 0xD800 <= code < 0xE000]
    pairs = [f"{character}.{character}" for character in characters]
    assert list(module.tokenize_13a(Segments.from_strings(pairs))) == [oracles.tokenized("13a", text) for text in pairs]


@pytest.mark.parametrize(
    ("upper", "lower"), [("ΟΔΟΣ", "οδος"), ("ΟΔΟΣ.", "οδος."), ("ΣΑ", "σα"), ("İ", "i̇"), ("Å", "å"), ("ẞ", "ß")]
)
def test_lowercasing_follows_unicode(upper, lower):
    assert bleucli.BLEU(lowercase=True, tokenize="none").sentence_score(upper, [lower]).counts[0] == 1


# --- scores


@given(
    lengths=st.tuples(st.integers(0, 60), st.integers(0, 60)),
    matches=st.lists(st.integers(0, 12), min_size=1, max_size=6),
    method=st.sampled_from(METHODS),
    value=st.none() | st.floats(0, 50),
    eff=st.booleans(),
)
@examples(300)
def test_score_from_stats_equals_the_oracles_formula(lengths, matches, method, value, eff):
    order = len(matches)
    totals = [max(0, lengths[0] - n) for n in range(order)]
    # words match at least as often as longer n-grams; here, an order without a match may precede one with matches
    matches = [max(matches), *matches[1:]]
    counts = [min(count, total) for count, total in zip(matches, totals, strict=True)]
    sums = (*lengths, *counts, *totals)
    metric = bleucli.BLEU(smooth_method=method, smooth_value=value, max_ngram_order=order, effective_order=eff)
    assert_same(metric.score_from_stats(sums), oracles.score_from_sums(sums, order, method, value, eff))


@pytest.mark.parametrize("length", range(7))
@pytest.mark.parametrize("method", METHODS)
def test_texts_shorter_than_the_longest_ngram_score_as_the_oracles(length, method):
    text = " ".join("abcdef"[:length])
    for order, eff, candidate in product(NGRAM_ORDERS, (False, True), (text, f"{text} g", "g", "")):
        chosen = {"smooth_method": method, "max_ngram_order": order, "effective_order": eff}
        ours, theirs = bleucli.BLEU(**chosen), oracles.bleu(**chosen)
        assert_same(ours.sentence_score(text, [candidate]), theirs.sentence_score(text, [candidate]))


# --- references


def test_an_empty_reference_counts_unless_skip_empty_refs_is_given():
    hypotheses, streams = ["a b", ""], [["a b c", "d e"], ["a", ""]]
    plain, skipping = bleucli.BLEU(), bleucli.BLEU(skip_empty_refs=True)
    assert plain.corpus_score(hypotheses, streams).ref_len == 1
    assert skipping.corpus_score(hypotheses, streams).ref_len == 3
    assert_same(plain.corpus_score(hypotheses, streams), oracles.bleu().corpus_score(hypotheses, streams))
    assert (nrefs(plain), nrefs(skipping)) == ("2", "var")


# --- the functions of the same name


@given(corpus=corpora(), values=st.lists(st.none() | st.floats(0, 10), max_size=1))
@examples(100)
def test_raw_corpus_bleu_equals_the_oracles(corpus, values):
    assert_same(bleucli.raw_corpus_bleu(*corpus, *values), oracles.raw_corpus_bleu(*corpus, *values))


def test_raw_corpus_bleu_has_the_oracles_parameters_and_defaults():
    assert parameters(bleucli.raw_corpus_bleu) == parameters(oracles.raw_corpus_bleu)


@pytest.mark.parametrize("error", [ValueError, TypeError, InputTypeError, BleuError])
def test_raw_corpus_bleu_refuses_a_bare_string_where_a_list_belongs(error):
    with pytest.raises(error):
        bleucli.raw_corpus_bleu(["a"], ["a"])


# --- where we differ on purpose (spec/decisions.md): what we do


@pytest.mark.parametrize("order", [1, 2, 3, 5, 6])
def test_the_signature_names_an_order_that_is_not_4(order):
    metric = bleucli.BLEU(max_ngram_order=order)
    metric.sentence_score("a", ["a"])
    assert f"|smooth:exp|ngram:{order}|version:" in str(metric.get_signature())
    assert f"|s:exp|n:{order}|v:" in metric.get_signature().format(short=True)


@pytest.mark.parametrize("method", ["floor", "add-k"])
@pytest.mark.parametrize(
    ("value", "printed"),
    [(1, "1.00"), (0.1, "0.10"), (0.125, "0.125"), (1e-7, "0.0000001"), (0, "0.00"), (2.5, "2.50")],
)
def test_smoothing_values_are_signed_with_all_their_decimals(method, value, printed):
    metric = bleucli.BLEU(smooth_method=method, smooth_value=value)
    metric.sentence_score("a", ["a"])
    assert metric.get_signature().info["smooth"] == f"{method}[{printed}]"


@pytest.mark.parametrize("method", ["exp", "none"])
def test_smoothing_values_are_ignored_by_methods_without_one(method):
    plain, valued = bleucli.BLEU(smooth_method=method), bleucli.BLEU(smooth_method=method, smooth_value=0.7)
    assert str(plain.sentence_score("a b c", ["a d"])) == str(valued.sentence_score("a b c", ["a d"]))
    assert str(plain.get_signature()) == str(valued.get_signature())


def test_a_floor_over_1_may_score_over_100_as_in_the_oracle():
    chosen = {"smooth_method": "floor", "smooth_value": 12.5}
    ours = bleucli.BLEU(**chosen).sentence_score("a b c d", ["a c b"])
    assert ours.score > 395
    assert_same(ours, oracles.bleu(**chosen).sentence_score("a b c d", ["a c b"]))


def test_one_list_of_references_per_segment_is_refused_with_both_readings():
    rows = [["a", "x"], ["b", "y"], ["c", "z"]]
    for references in (rows, [tuple(row) for row in rows], iter(rows)):
        with pytest.raises(InputTypeError, match="3 lists of 2 strings for 3 hypotheses") as caught:
            bleucli.BLEU().corpus_score(["a", "b", "c"], references)
        assert "one list per segment" in str(caught.value)
        assert "streams" in str(caught.value)
        assert "2 lists of 3 strings" in str(caught.value)


@pytest.mark.parametrize(
    "kind",
    [list, tuple, iter, numpy.array, lambda texts: dict.fromkeys(texts).keys(), lambda texts: (text for text in texts)],
)
def test_any_iterable_of_strings_is_taken(kind):
    hypotheses, first, second = ["the cat", "a dog sat"], ["the cat sat", "a dog"], ["cat", "the dog sat"]
    expected = bleucli.BLEU().corpus_score(hypotheses, [first, second])
    assert_same(expected, oracles.bleu().corpus_score(hypotheses, [first, second]))
    assert str(bleucli.BLEU().corpus_score(kind(hypotheses), (kind(first), kind(second)))) == str(expected)
    assert str(bleucli.BLEU().corpus_score(kind(hypotheses), iter([kind(first), kind(second)]))) == str(expected)
    sentence = bleucli.BLEU().sentence_score(hypotheses[0], kind([first[0], second[0]]))
    assert_same(sentence, oracles.bleu().sentence_score(hypotheses[0], [first[0], second[0]]))


@pytest.mark.parametrize(
    "chosen",
    [
        {"smooth_method": "floor", "smooth_value": -0.1},
        {"smooth_method": "add-k", "smooth_value": -1},
        {"smooth_method": "floor", "smooth_value": float("nan")},
        {"smooth_method": "laplace"},
        {"max_ngram_order": 0},
        {"tokenize": "14a"},
    ],
)
def test_impossible_values_of_options_are_refused(chosen):
    with pytest.raises(BleuError):
        bleucli.BLEU(**chosen)


WRONG_TYPES = {
    "max_ngram_order": ("2", b"2", 2.0, None, True, [2]),
    "smooth_value": ("x", "0.1", b"1", True, [1], {}, 1j),
    "tokenize": (5, b"13a", ["13a"], False),
    "trg_lang": (5, ["de"], b"de"),
}


@pytest.mark.parametrize(("name", "wrong"), [(name, wrong) for name, values in WRONG_TYPES.items() for wrong in values])
def test_values_of_a_wrong_type_are_refused(name, wrong):
    for method in ("exp", "floor", "add-k"):
        with pytest.raises(InputTypeError, match=f" is of type {type(wrong).__name__}; give a") as caught:
            bleucli.BLEU(smooth_method=method, **{name: wrong})
        assert "\n" not in str(caught.value)


def test_sentence_bleu_refuses_values_of_a_wrong_type_also_after_equal_ones_of_the_right_type():
    assert bleucli.sentence_bleu("a b", ["a b"], "floor", 1).score == 100.0
    with pytest.raises(InputTypeError, match=r"^smooth_value True is of type bool"):
        bleucli.sentence_bleu("a b", ["a b"], "floor", True)


def test_numbers_of_numpy_are_accepted():
    metric = bleucli.BLEU(max_ngram_order=numpy.int64(2), smooth_method="floor", smooth_value=numpy.float64(0.5))
    metric.corpus_score(["a b"], [["a c"]])
    assert "smooth:floor[0.50]|ngram:2|" in str(metric.get_signature())


@pytest.mark.parametrize(("count", "force", "warned"), [(99, False, False), (100, False, True), (100, True, False)])
def test_text_that_looks_tokenized_gets_a_warning(count, force, warned):
    hypotheses = ["It is done ."] * count + ["It is done.", "It is done .\n", "."]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bleucli.BLEU(force=force).corpus_score(hypotheses, [hypotheses])
    assert any("tokenized" in str(warning.message) for warning in caught) == warned
