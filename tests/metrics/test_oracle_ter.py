"""Comparisons with the oracle that only TER needs: its tokenizer, its shifts and its limits.

The oracle's tokens cannot be seen, but its edits and the lengths of its references can. It takes seconds for long
texts: `oracle_scores.json` has its answers for many of them, and some are compared with the oracle itself here.
"""

from __future__ import annotations

import random
import warnings
from array import array
from itertools import product

import oracles
import pytest
import ter_pairs
from conftest import warnings_in
from hypothesis import example, given
from hypothesis import strategies as st
from metric_kinds import ONE, TER, TER_OPTIONS, assert_same, assert_segments_alike, both
from strategies import examples, texts

import bleucli
from bleucli.kernels.python_edits import BEAM_WIDTH, beam_distance
from bleucli.kernels.stats import SegmentStats
from bleucli.text import Segments

# most tests here are not about hints
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def with_rest_slow(options, step):
    """Run a test with every `step`th of the options, and with the others if slow tests run."""
    cases = [pytest.param(chosen, marks=[pytest.mark.slow] * (n % step > 0)) for n, chosen in enumerate(options)]
    return pytest.mark.parametrize("chosen", cases, ids=str)


# --- the tokenizer

# Ranges of Asian characters and punctuation that the tokenizer knows, or might
RANGES = (
    *("㐀䶿", "一鿿", "㇀㇯", "⺀⻿", "㌀㏿", "豈\ufaff", "︰﹏", "㈀㼢", "、。", "〈】", "〔〟", "｡･", "・・"),
    *("．．", "，，", "？？", "：：", "；；", "！！", "＂＂", "（）", "ぁゟ", "゠ヿ", "ㇰㇿ"),
)
EDGES = tuple(dict.fromkeys(chr(ord(end) + by) for first, last in RANGES for end in (first, last) for by in (-1, 0, 1)))
TERCOM_FRAGMENTS = (
    *("'s", "'s ", "'S", "s'", "it's 1990's.", "'", "s", "\n-", "\n", "-\n", "-", "a", "A", "5", " ", "\u3000"),
    *(
        "&quot;",
        "&amp;",
        "&lt;",
        "&gt;",
        "&amp;lt;",
        "&",
        ";",
        "5-5",
        "1,000.5",
        "a.b",
        ".5",
        "5.",
        "..",
        ",,",
        "x-5-6",
    ),
    *('.,?:;!"()', "[$]", "{~}", "`^_", "@/", "<skipped>", "東京", "ひ", "カ", "中a5。", "（ok）", "１．５", "Σ", "İ"),
)


def assert_cut_alike(chosen, cases):
    """Compare texts with themselves, and with what our tokenizer makes of them: one edit per token that differs."""
    ours, theirs = both(TER, chosen)
    segments = Segments.from_strings(cases)
    for references in (cases, list(ours.prepare(segments))):
        found = list(ours.segment_stats(segments, [Segments.from_strings(references)]))
        for row, text, reference in zip(found, cases, references, strict=True):
            expected = theirs.sentence_score(text, [reference])
            assert row == (expected.num_edits, expected.ref_length), (text, reference)


@given(pieces=st.lists(st.sampled_from(TERCOM_FRAGMENTS + EDGES) | texts, max_size=8), chosen=TER.options)
@examples(300)
def test_tokenizer_cuts_arbitrary_text_as_the_oracles(pieces, chosen):
    assert_cut_alike(chosen, ["".join(pieces), " ".join(pieces)])


@with_rest_slow(TER_OPTIONS, 7)
def test_tokenizer_cuts_every_two_fragments_as_the_oracles(chosen):
    assert_cut_alike(chosen, [left + right for left, right in product(TERCOM_FRAGMENTS, repeat=2)])


@pytest.mark.parametrize("chosen", [chosen for chosen in TER_OPTIONS if chosen["asian_support"]], ids=str)
def test_tokenizer_knows_the_same_asian_characters_as_the_oracles(chosen):
    assert_cut_alike(chosen, [text for edge in EDGES for text in (f"x{edge}y", f"{edge}{edge}", f"5{edge}.{edge}a")])


@pytest.mark.parametrize("longest", [3, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("no_punct", [False, True])
def test_tokenizer_cuts_all_short_texts_of_the_characters_its_rules_name_as_the_oracles(no_punct, longest):
    cases = ["".join(letters) for length in range(longest + 1) for letters in product("'s .-5a\n", repeat=length)]
    assert_cut_alike({"normalized": True, "no_punct": no_punct}, cases)


@pytest.mark.slow
@pytest.mark.parametrize("normalized", [False, True])
def test_tokenizer_cuts_around_every_code_point_of_the_basic_plane_as_the_oracles(normalized):
    characters = [chr(code) for code in range(0x10000) if not 0xD800 <= code < 0xE000]
    chosen = {"normalized": normalized, "no_punct": not normalized, "asian_support": True}
    assert_cut_alike(chosen, [f"x{character}y" for character in characters])


def test_normalized_references_are_tokenized_twice():
    text = "it's 1990's."
    assert bleucli.TER(normalized=True).sentence_score(text, [text]).score == 40.0
    assert_same(bleucli.sentence_ter(text, [text], True), oracles.sentence_ter(text, [text], True))
    assert bleucli.TER().sentence_score(text, [text]).score == 0.0
    metric, corpus = bleucli.TER(normalized=True, references=[[text] * 3]), ([text] * 3, [[text] * 3])
    assert metric.corpus_score(corpus[0], None).score == metric.corpus_score(*corpus).score == 40.0


# --- edits

few_words = st.integers(2, 6).flatmap(
    lambda size: st.lists(st.sampled_from("abcdef"[:size]), max_size=16).map(" ".join)
)


@given(hypothesis=few_words, references=st.lists(few_words, min_size=1, max_size=2))
@examples(120)
@example("b a c", ["a b c d"])
@example("a b c d e f g h", ["e f g h a b c d", "h g f e d c b a"])
@example("a a a a a a b b b b b b", ["b b b b b b a a a a a a"])
def test_shifts_of_few_different_words_equal_the_oracles(hypothesis, references):
    assert_segments_alike(TER, {}, [hypothesis], [[reference] for reference in references])


@given(words=st.permutations("abcdefghijkl"), others=st.permutations("abcdefghijkl"), cut=st.integers(0, 12))
@examples(60)
def test_permutations_equal_the_oracles(words, others, cut):
    assert_segments_alike(TER, {}, [" ".join(words)], [[" ".join(others[:cut])]])


@pytest.mark.parametrize("size", [1, 11, *(pytest.param(more, marks=pytest.mark.slow) for more in (10, 12))])
@pytest.mark.parametrize("distance", [50, *(pytest.param(more, marks=pytest.mark.slow) for more in (10, 49, 51))])
def test_phrases_are_moved_as_far_as_the_oracle_moves_them(distance, size):
    """Moves of 1 to 12 words over `distance` others, to the front and to the back: sizes and reach are limited."""
    others = [f"w{number}" for number in range(distance)]
    phrase = [f"p{number}" for number in range(size)]
    front, back = " ".join(phrase + others), " ".join(others + phrase)
    assert_segments_alike(TER, {}, [front, back], [[back, front]])


LENGTHS = (1, 2, 3, 5, 6, 7, 49, 50, 51, 52, 100, 300)


def test_texts_of_very_different_lengths_equal_the_oracles():
    """Up to 300 words against one, both ways; the beam is wider where one text has at least 51 times as many words."""
    dice = random.Random(0)
    pairs = [(a, b) for a, b in product(LENGTHS, repeat=2) if max(a, b) >= 8 * min(a, b)]
    hypotheses, references = (
        [" ".join(dice.choices([f"w{number}" for number in range(30)], k=pair[side])) for pair in pairs]
        for side in (0, 1)
    )
    assert_segments_alike(TER, {}, hypotheses, [references])


@pytest.mark.parametrize(
    "length", [1, 2, 26, 64, 65, *(pytest.param(long, marks=pytest.mark.slow) for long in (128, 300))]
)
def test_texts_that_differ_only_at_the_ends_equal_the_oracles(length):
    words = [f"w{number}" for number in range(length)]
    text = " ".join(words)
    others = [
        text,
        f"x {text}",
        f"{text} x",
        " ".join(words[1:]),
        " ".join(words[:-1]),
        " ".join(words[1:] + words[:1]),
    ]
    assert_segments_alike(TER, {}, [text] * len(others) + others, [others + [text] * len(others)])
    assert bleucli.TER().sentence_score(text, [text]).num_edits == 0


# --- the beam, and the limit on candidates


def distances(pair):
    """Return the full distance, the difference of lengths, and the distance within the beam."""
    hypothesis, reference = pair.hypothesis.split(), pair.reference.split()
    difference = abs(len(reference) - len(hypothesis))
    return ter_pairs.plain_distance(hypothesis, reference), difference, beam_distance(hypothesis, reference)[0]


def edits_by(module, pairs):
    hypotheses, references = (Segments.from_strings(list(side)) for side in zip(*pairs, strict=True))
    return [edits for edits, _ in module.ter_stats(hypotheses, [references])]


@pytest.mark.slow
def test_the_beam_holds_all_shortest_paths_up_to_its_bound_and_no_further():
    pairs = ter_pairs.pairs("beam")
    full, difference, within = distances(pairs[0])
    assert (*(len(side.split()) for side in pairs[0]), full, within) == (87, 112, 25, 28)
    assert full + difference == 2 * BEAM_WIDTH
    found = list(map(distances, pairs[:80]))
    assert all(within == full for full, difference, within in found if full + difference < 2 * BEAM_WIDTH)
    assert sum(full + difference < 2 * BEAM_WIDTH for full, difference, _ in found) > 20
    assert sum(within > full for full, _, within in found) > 2


def test_the_pairs_are_those_that_the_oracle_was_asked_about():
    assert ter_pairs.checksum() == oracles.stored()["ter_pairs"], "the pairs have changed: run make_oracle_scores.py"
    edits = oracles.stored()["ter_edits"]
    assert {kind: len(edits[kind]) for kind in edits} == {kind: len(ter_pairs.KINDS[kind]) for kind in ter_pairs.KINDS}


@pytest.mark.parametrize("kind", ter_pairs.KINDS)
def test_native_kernels_make_the_edits_that_the_oracle_made(kind):
    if len(oracles.kernel_modules()) == 1:
        pytest.skip("the native kernels were not built; those in Python would need minutes")
    native = oracles.kernel_modules()[1]
    assert edits_by(native, ter_pairs.pairs(kind)) == oracles.stored()["ter_edits"][kind]


# Which pairs are compared with the oracle itself, and with the Python kernels: some from all parts, the last included
SAMPLED = {
    "few_words": (0, 80, 161),
    "beam": (*range(0, 320, 80), 325),
    "unequal": range(0, 160, 4),
}


@pytest.mark.parametrize(
    "kind", ["unequal", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("beam", "few_words"))]
)
def test_some_pairs_are_compared_with_the_oracle_and_the_kernels_in_python(kind):
    picked = [ter_pairs.pairs(kind)[number] for number in SAMPLED[kind]]
    expected = [oracles.stored()["ter_edits"][kind][number] for number in SAMPLED[kind]]
    assert [oracles.ter().sentence_score(one, [other]).num_edits for one, other in picked] == expected
    for module in oracles.kernel_modules():
        assert edits_by(module, picked) == expected, module.__name__


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "numbers"),
    [("few_words", range(1, 160, 16)), ("noisy", (0, 5, 84)), ("beam", range(1, 327, 13)), ("huge", (0,))],
)
def test_more_pairs_are_compared_with_the_kernels_in_python(kind, numbers):
    picked = [ter_pairs.pairs(kind)[number] for number in numbers]
    (python, *_) = oracles.kernel_modules()
    assert edits_by(python, picked) == [oracles.stored()["ter_edits"][kind][number] for number in numbers]


# --- scores


def test_edits_are_the_fewest_and_the_length_is_the_average():
    ours, theirs = both(TER, {})
    for candidates in (["a b c d", "x", "a"], ["x y z", "a b"], ["a b c", ""], ["", ""], ["a b", "a b c", "a b c d e"]):
        found = ours.sentence_score("a b c", candidates)
        assert_same(found, theirs.sentence_score("a b c", candidates))
        assert found.ref_length == sum(len(text.split()) for text in candidates) / len(candidates)
        assert found.num_edits == min(ours.sentence_score("a b c", [text]).num_edits for text in candidates)


def test_lengths_that_are_not_binary_fractions_add_up_as_the_oracles():
    dice = random.Random(1)
    for streams in (3, 6, 7):
        corpus = [[" ".join(dice.choices("abcd", k=dice.randrange(9))) for _ in range(200)] for _ in range(streams + 1)]
        ours, theirs = both(TER, {})
        assert_same(ours.corpus_score(corpus[0], corpus[1:]), theirs.corpus_score(corpus[0], corpus[1:]))


@pytest.mark.parametrize("block", [256, pytest.param(4096, marks=pytest.mark.slow)])
def test_the_sum_of_three_references_lengths_may_differ_only_by_the_order_of_additions(block, monkeypatch):
    """Within a block, our sum is the oracle's to the last bit; with several blocks, the order of additions differs."""
    dice = random.Random(2)
    monkeypatch.setattr("bleucli.text._BLOCK_STRINGS", block)
    corpus = [[" ".join("x" * dice.randrange(9)) for _ in range(block * 11 // 10)] for _ in range(4)]
    found, expected = (make().corpus_score(corpus[0], corpus[1:]) for make in (bleucli.TER, oracles.ter))
    assert found.num_edits == expected.num_edits
    assert oracles.near(found.ref_length, expected.ref_length, oracles.OTHER_ORDER)
    assert oracles.near(found.score, expected.score, oracles.OTHER_ORDER)


def test_rates_are_divided_before_they_become_percentages():
    """23 edits on 80 words are 28.749999999999996%, which prints as 28.7."""
    words = [f"w{number}" for number in range(80)]
    for edits in range(80):
        pair = " ".join(["x"] * edits + words[edits:]), [" ".join(words)]
        found, expected = (make().sentence_score(*pair) for make in (bleucli.TER, oracles.ter))
        assert_same(found, expected)
        assert found.num_edits == edits
        assert found.format(1) == expected.format(1)
        assert bleucli.TER().scores_from_stats(SegmentStats(memoryview(array("d", [edits, 80])), 2)) == [found.score]
    assert bleucli.TER().score_from_stats((23, 80)).format(1) == "TER = 28.7"


# --- the command


def test_asian_support_alone_gets_a_warning(run, demo_files):
    for metrics in ("ter", "ter chrf"):
        words = f"{ONE} -m {metrics} --ter-asian-support".split()
        (warning,) = warnings_in(run(*words))
        assert "--ter-asian-support does nothing without --ter-normalized or --ter-no-punct" in warning
        assert warnings_in(run(*words, "-q")) == []
    for extra in ("--ter-normalized", "--ter-no-punct"):
        assert warnings_in(run(*words, extra)) == []


def test_asian_support_alone_gets_one_warning_in_python_not_one_per_sentence():
    with pytest.warns(UserWarning, match="asian"):
        bleucli.TER(asian_support=True).corpus_score(["a"], [["a"]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bleucli.TER(asian_support=True).sentence_score("a", ["a"])
        bleucli.TER(asian_support=True, no_punct=True).corpus_score(["a"], [["a"]])
        bleucli.TER(asian_support=True, normalized=True).corpus_score(["a"], [["a"]])


def test_a_gate_fails_above_its_bound(run, demo_files):
    words = f"{ONE} -m ter --fail-under".split()
    assert run(*words, "34.4").status == 0
    assert run(*words, "34.3").status == 1
