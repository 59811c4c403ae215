"""Self-BLEU: what a loop over sacreBLEU gives, in linear time; and distinct n-grams beside it."""

import os
import random
from statistics import fmean

import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from bleucli import BleuError, InputTypeError, self_bleu

samples = st.lists(st.text("ab. ", max_size=14), min_size=2, max_size=7)


def expected(texts, **options):
    """Score each text against all others, as the common recipe does."""
    oracle = oracles.BLEU(**options)
    return [
        oracle.corpus_score([text], [[other] for other in texts[:index] + texts[index + 1 :]]).score
        for index, text in enumerate(texts)
    ]


@given(texts=samples)
@examples(150)
def test_each_score_is_that_against_all_others(texts):
    found = self_bleu(texts)
    assert all(map(oracles.same, found.scores, expected(texts)))
    assert found.score == fmean(found.scores)
    assert found.signature.info["nrefs"] == str(len(texts) - 1)


@pytest.mark.parametrize(
    "options",
    [
        {"lowercase": True, "tokenize": "char"},
        {"smooth_method": "floor", "smooth_value": 0.2, "max_ngram_order": 2},
        {"smooth_method": "add-k", "max_ngram_order": 6},
        {"smooth_method": "none", "effective_order": True, "tokenize": "intl"},
    ],
)
def test_options_are_those_of_bleu(options):
    texts = ["The cat sat, on a mat.", "the CAT sat on the mat .", "It rains", "", "the the the cat"]
    assert all(map(oracles.same, self_bleu(texts, **options).scores, expected(texts, **options)))


def test_distinct_ngrams_are_those_of_a_group_over_all_it_has():
    found = self_bleu(["a b a", "a b c"])
    assert found.distinct == [3 / 6, 3 / 4, 2 / 2, None]
    assert str(found).endswith("distinct-1..4 = 0.500/0.750/1.000/- (samples = 2)")


def test_groups_are_measured_alone_and_their_mean_is_taken():
    texts = ["a b c d e", "x y", "a b c d f", "y z", "a b q"]
    labels = ["p", 7, "p", 7, "p"]
    found = self_bleu(texts, groups=labels)
    alone = [self_bleu([texts[0], texts[2], texts[4]]), self_bleu([texts[1], texts[3]])]
    assert [(group.name, group.samples) for group in found.groups] == [("p", 3), ("7", 2)]
    assert [group.score for group in found.groups] == [one.score for one in alone]
    assert [group.distinct for group in found.groups] == [one.distinct for one in alone]
    assert found.score == fmean(one.score for one in alone)
    assert found.distinct[0] == fmean(one.distinct[0] for one in alone)
    assert found.distinct[3] == alone[0].distinct[3]  # the other group has no n-gram of that order
    assert [found.scores[index] for index in (0, 2, 4, 1, 3)] == [*alone[0].scores, *alone[1].scores]
    assert found.signature.info["nrefs"] == "var"


def test_smoothing_that_counts_longer_ngrams():
    texts = ["a b c d", "a b c e", "b c d e f"]
    found = self_bleu(texts, smooth_method="chen-cherry-5", max_ngram_order=2)
    assert found.scores[0] == self_bleu(texts, smooth_method="chen-cherry-5", max_ngram_order=2).scores[0] > 0
    assert found.distinct == self_bleu(texts).distinct


def test_real_outputs():
    texts = oracles.read_lines(os.path.join(oracles.real_data("wmt17.en-de"), "wmt17.en-de", "ref.txt"))
    texts = random.Random(5).sample(texts, 150)
    assert all(map(oracles.same, self_bleu(texts).scores, expected(texts)))


@pytest.mark.parametrize(
    ("texts", "options", "error"),
    [
        ([], {}, "samples: 0 texts; self-BLEU compares texts, so give at least two"),
        (["a"], {}, "samples: 1 text; self-BLEU compares texts, so give at least two"),
        (["a", "b", "c"], {"groups": [1, 2, 1]}, "samples, group 2: 1 text; self-BLEU compares texts"),
        (["a", "b"], {"groups": [1]}, "samples: 2 texts, but groups for 1; name one group for each text"),
        (["a", "b"], {"skip_empty_refs": True}, "self-BLEU has no references of its own; leave skip_empty_refs"),
    ],
)
def test_what_cannot_be_measured_is_refused(texts, options, error):
    with pytest.raises(BleuError, match=error):
        self_bleu(texts, **options)


@pytest.mark.parametrize("texts", ["a b", ["a", None], ["a", 1], {"a", "b"}])
def test_only_strings_are_measured(texts):
    with pytest.raises((InputTypeError, BleuError)):
        self_bleu(texts)


def test_groups_that_cannot_be_compared_are_refused():
    with pytest.raises(InputTypeError, match="groups: expected what can be compared"):
        self_bleu(["a", "b"], groups=[[1], [1]])
