"""Self-BLEU: the result of a loop over sacreBLEU, in linear time; and the distinct n-grams reported with it."""

from __future__ import annotations

import os
import random
import warnings
from statistics import fmean

import oracles
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from bleucli import BLEU, BleuError, InputTypeError, self_bleu
from bleucli.output import FORMATS, render
from bleucli.output.layout import Layout
from bleucli.results import Results, SystemResult

pytestmark = pytest.mark.filterwarnings("ignore:.* match others but have fewer")

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


def test_distinct_ngrams_are_a_share_of_all_n_grams_of_a_group():
    found = self_bleu(["a b a", "a b c"])
    assert found.distinct == (3 / 6, 3 / 4, 2 / 2, None)
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


def test_lists_of_texts_are_groups():
    lists = [["a b c d e", "a b c d f", "a b q"], ["x y", "y z"], ["a b c d f", "y z"]]
    texts = [text for one in lists for text in one]
    assert self_bleu(lists) == self_bleu(texts, groups=[1, 1, 1, 2, 2, 3, 3])
    assert self_bleu(lists, groups=["p", "q", "p"]) == self_bleu(texts, groups=["p", "p", "p", "q", "q", "p", "p"])
    assert [group.samples for group in self_bleu(lists, groups=["p", "q", "p"]).groups] == [5, 2]


@given(texts=samples, size=st.integers(1, 3))
@examples(60)
def test_each_group_has_the_scores_that_it_would_have_alone(texts, size):
    """Groups whose texts are not adjacent; each text occurs twice, so that no group has only one."""
    texts *= 2
    labels = [text[:size] for text in texts]
    found = self_bleu(texts, groups=labels)
    for group in found.groups:
        alone = [index for index, label in enumerate(labels) if label == group.name]
        scores = self_bleu([texts[index] for index in alone]).scores
        assert tuple(found.scores[index] for index in alone) == scores


@pytest.mark.parametrize("method", ["chen-cherry-5", "chen-cherry-7"])
def test_smoothing_that_counts_longer_ngrams_scores_as_for_one_segment(method):
    texts = ["a b c d", "a b c e", "b c d e f"]
    for order in (2, 4):
        metric = BLEU(smooth_method=method, max_ngram_order=order)
        found = self_bleu(texts, smooth_method=method, max_ngram_order=order)
        others = [texts[:index] + texts[index + 1 :] for index in range(3)]
        expected = [metric.sentence_score(*pair).score for pair in zip(texts, others, strict=True)]
        assert list(found.scores) == expected
        assert found.distinct == self_bleu(texts).distinct


def test_long_orders_leave_the_distinct_ngrams_as_they_are():
    texts, labels = ["a b c d e f", "a b c d e g", "b", "b"], [1, 1, 2, 2]
    found = self_bleu(texts, groups=labels, max_ngram_order=6)
    assert [group.distinct for group in found.groups] == [group.distinct for group in self_bleu(texts, labels).groups]
    assert "ngram:6" in str(found.signature)


def test_a_result_can_be_rendered_as_others_are():
    record = self_bleu(["a b a", "a b c"]).record()
    assert (record.name, record.higher_is_better) == ("Self-BLEU", None)
    assert record.shares == [("distinct-1", 0.5), ("distinct-2", 0.75), ("distinct-3", 1.0), ("distinct-4", None)]
    results = Results([SystemResult("a", [record]), SystemResult("b", [record])], 2, [])
    for form in set(FORMATS) - {"card", "jsonl", "junit", "paper"}:
        assert "0.750" in render(results, Layout(), form)


def test_text_that_does_not_fit_the_tokenizer_gets_a_warning():
    with pytest.warns(
        UserWarning, match="script that 13a does not split into words; choose another tokenizer with tokenize"
    ):
        self_bleu(["他喜欢看书。", "他喜欢电影。"])
    with pytest.warns(UserWarning, match="many hypotheses end in ' .'"):
        self_bleu(["a b c ."] * 100)


@pytest.mark.parametrize("options", [{"max_ngram_order": 2}, {"effective_order": True}, {"smooth_method": "add-k"}])
def test_texts_that_are_too_short_for_their_score_get_a_warning(options):
    texts = ["Yes.", "Yes.", "No!"]
    told = "many texts match others but have fewer than 4 tokens, so their score is 0, as if they were different"
    with pytest.warns(UserWarning, match=f"^{told}; choose a lower max_ngram_order=...$") as warned:
        assert self_bleu(texts).score == 0
    assert warned[0].message.numbers == {"short": 2, "texts": 3}
    assert warned[0].message.detail.startswith("2 of 3 texts match others")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert self_bleu(texts, **options).score > 0
        assert self_bleu([*texts, *["a b c d"] * 37]).score > 0  # 2 of 40 are few


@pytest.mark.slow
def test_real_texts_score_as_in_a_loop_over_the_oracle():
    texts = random.Random(5).sample(real_texts("ref"), 150)
    found = self_bleu(texts)
    assert all(map(oracles.same, found.scores, expected(texts)))
    tokens = [oracles.BLEU().tokenizer(text).split() for text in texts]
    for order, share in enumerate(found.distinct, 1):
        grams = [tuple(words[at : at + order]) for words in tokens for at in range(len(words) - order + 1)]
        assert share == len(set(grams)) / len(grams)


@pytest.mark.parametrize("options", [{}, {"lowercase": True, "effective_order": True, "smooth_method": "floor"}])
def test_real_outputs_of_several_systems_are_scored_by_segment(options):
    """The systems' files one after the other, so that no group is contiguous."""
    columns = [real_texts(name)[:40] for name in ("KIT", "LIUM-NMT", "online-B", "uedin-nmt", "SYSTRAN")]
    found = self_bleu([text for column in columns for text in column], [*range(40)] * len(columns), **options)
    scores = [expected(list(outputs), **options) for outputs in zip(*columns, strict=True)]
    assert all(map(oracles.same, found.scores, (score for column in zip(*scores, strict=True) for score in column)))
    assert found.score == fmean(fmean(found.scores[segment::40]) for segment in range(40))


def real_texts(name):
    return oracles.read_lines(os.path.join(oracles.real_data("wmt17.en-de"), "wmt17.en-de", f"{name}.txt"))


@pytest.mark.parametrize(
    ("texts", "options", "error"),
    [
        ([], {}, "samples: 0 texts; self-BLEU compares texts, so give at least two"),
        (["a"], {}, "samples: 1 text; self-BLEU compares texts, so give at least two"),
        (["a", "b", "c"], {"groups": [1, 2, 1]}, "samples, group 2: 1 text; self-BLEU compares texts"),
        (["a", "b"], {"groups": [1]}, "samples: 2 texts, but groups for 1; name one group for each text"),
        (["a", "b"], {"skip_empty_refs": True}, "self-BLEU has no references of its own; leave skip_empty_refs"),
        ([["a", "b"], ["c", "d"]], {"groups": [1]}, "samples: 2 lists, but groups for 1; name one group for each list"),
        ([["a", "b"], ["c"]], {}, "samples, group 2: 1 text; self-BLEU compares texts, so give at least two"),
        ([["a", "b"], []], {}, "samples: list 1 .counting from 0. is empty; give at least two texts for each group"),
    ],
)
def test_samples_that_cannot_be_measured_are_refused(texts, options, error):
    with pytest.raises(BleuError, match=error):
        self_bleu(texts, **options)


@pytest.mark.parametrize(
    ("texts", "error"),
    [
        ("a b", "sample: a bare string where a list of strings belongs"),
        (["a", None], "sample 1 .counting from 0. is None; give a string, an empty one for no output"),
        (["a", 1], "sample 1 .counting from 0. is of type int, not a string"),
        ({"a", "b"}, "sample: a set, whose order is not that of the segments"),
        ([["a", "b"], "c"], "samples: item 1 .counting from 0. is of type str, but others are lists"),
        ([["a", "b"], ["c", None]], "sample 3 .counting from 0. is None; give a string"),
        (["a", ["b", "c"]], "sample 1 .counting from 0. is of type list, not a string"),
        (5, "sample: of type int; expected a list of strings"),
    ],
)
def test_only_strings_are_measured(texts, error):
    with pytest.raises(InputTypeError, match=error):
        self_bleu(texts)


@pytest.mark.parametrize(
    ("groups", "error"),
    [
        ([[1], [1]], "groups: expected labels that can be compared, such as strings or numbers"),
        ("pp", "groups: expected a list that names a group for each text"),
        (5, "groups: expected a list that names a group for each text"),
        ({1, 2}, "groups: a set, whose order is not that of the segments"),
        (["p", None], "groups: label 1 .counting from 0. is None; name one group for each text"),
        (pa.array(["p", None]), "groups: label 1 .counting from 0. is None; name one group for each text"),
        ([float("nan")] * 2, "groups: label 0 .counting from 0. is nan; name one group for each text"),
    ],
)
def test_invalid_groups_are_refused(groups, error):
    with pytest.raises(InputTypeError, match=error):
        self_bleu(["a", "b"], groups=groups)


def test_lists_may_come_from_a_generator_and_groups_may_have_no_name():
    lists = [["a b c d", "a b c e"], ["f g h i", "f g h i"]]
    assert self_bleu(iter(lists)) == self_bleu(lists)
    texts = [text for samples in lists for text in samples]
    assert self_bleu(texts, groups=["", "", "q", "q"]).verbose.endswith("(samples = 4 groups = 2)")
    assert hash(self_bleu(lists).groups)


@pytest.mark.parametrize("options", [{"foo": 1}, {"references": [["a"]]}])
def test_options_that_bleu_does_not_have_are_refused(options):
    with pytest.raises(InputTypeError, match=rf"^bleu has no option {next(iter(options))}; choose from tokenize"):
        self_bleu(["a", "b"], **options)


def test_time_is_linear_for_equal_and_for_different_texts():
    """With 20,000 texts, a loop over all pairs would take hours."""
    for texts in (["a b c d e f g h"] * 20_000, [f"a{n} b{n} c{n} d" for n in range(20_000)]):
        assert len(self_bleu(texts).scores) == 20_000
    labels = [n % 10_000 for n in range(20_000)]
    assert len(self_bleu([f"a{n} b" for n in range(20_000)], groups=labels).groups) == 10_000


@pytest.mark.parametrize("jobs", [0, 2, 3])
def test_threads_change_nothing(jobs, monkeypatch):
    monkeypatch.setattr("bleucli.metrics.self_bleu._SHARE", 3)
    texts = [f"a b c d{number % 7} e f{number % 3}" for number in range(40)]
    for groups in (None, [number % 5 for number in range(40)]):
        assert self_bleu(texts, groups, jobs=jobs) == self_bleu(texts, groups)
    with pytest.raises(InputTypeError, match=r"^jobs "):
        self_bleu(texts, jobs="2")


def test_a_list_that_is_used_again_for_the_next_group_is_read_in_time():
    def reused():
        texts = []
        for words in ("the cat sat there", "a dog ran away"):
            texts[:] = [words, "it rains all day"]
            yield texts

    lists = [["the cat sat there", "it rains all day"], ["a dog ran away", "it rains all day"]]
    assert self_bleu(reused()) == self_bleu(lists)


@pytest.mark.parametrize("missing", [None, float("nan"), "float32", "NaT", "NA"])
def test_a_missing_label_is_refused_whatever_stands_for_it(missing):
    import numpy
    import pandas

    label = {"float32": numpy.float32("nan"), "NaT": pandas.NaT, "NA": pandas.NA}.get(missing, missing)
    with pytest.raises(
        InputTypeError, match=r"^groups: label 0 .counting from 0. is .*; name one group for each text$"
    ):
        self_bleu(["a b", "a c"], groups=[label, label])
