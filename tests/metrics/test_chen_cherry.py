"""Chen & Cherry's smoothing as in NLTK, add-one smoothing as in calculators, and texts that neither is meant for."""

from __future__ import annotations

import json
import math
import warnings

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import examples

from bleucli import BLEU, BleuError, PairedTest, metric_from_signature
from bleucli.errors import UsageError

words = st.lists(st.sampled_from("abcde"), max_size=12)
references = st.lists(words.filter(bool), min_size=1, max_size=4)
# If a segment of a corpus is too short for an order, NLTK counts one n-gram without a match
long_words = st.lists(st.sampled_from("abcde"), min_size=4, max_size=12)
HYPOTHESIS, REFERENCE = "the cat is on the mat", "there is a cat on the mat"


def ours(technique, order=4):
    return BLEU(tokenize="none", smooth_method=f"chen-cherry-{technique}", max_ngram_order=order)


def theirs(function, hypotheses, references, technique, **options):
    """Return what a function of NLTK answers, in percent."""
    from nltk.translate import bleu_score

    method = getattr(bleu_score.SmoothingFunction(), f"method{technique}")
    with warnings.catch_warnings(action="ignore"):
        return 100 * getattr(bleu_score, function)(references, hypotheses, smoothing_function=method, **options)


@pytest.mark.parametrize(
    ("technique", "order"),
    [
        pytest.param(technique, order, marks=[pytest.mark.slow] * (order not in (2, 4)))
        for technique in range(1, 8)
        for order in (1, 2, 3, 4, 6)
        if technique != 6 or order >= 3
    ],
)
@given(hypothesis=words, references=references)
@examples(300)
@example(hypothesis=["a"], references=[["a"]])
@example(hypothesis=["a", "b"], references=[["a"], ["b", "c", "d"]])
def test_scores_are_those_of_nltk(technique, order, hypothesis, references):
    if technique == 6:
        hypothesis, references = [*hypothesis, *"abc"], [[*"abc", *references[0]], *references[1:]]
    expected = theirs("sentence_bleu", hypothesis, references, technique, weights=(1 / order,) * order)
    score = ours(technique, order).sentence_score(" ".join(hypothesis), map(" ".join, references)).score
    assert math.isclose(score, expected, rel_tol=1e-12)


@pytest.mark.parametrize("technique", range(1, 5))
@pytest.mark.filterwarnings("ignore:BLEU is 0", "ignore:the output has")
@given(corpus=st.lists(st.tuples(long_words, long_words), min_size=1, max_size=5))
@examples(200)
def test_corpora_are_scored_as_nltk_does(technique, corpus):
    hypotheses, references = zip(*corpus, strict=True)
    expected = theirs("corpus_bleu", hypotheses, [[text] for text in references], technique)
    score = ours(technique).corpus_score(map(" ".join, hypotheses), [map(" ".join, references)]).score
    assert math.isclose(score, expected, rel_tol=1e-12)


@pytest.mark.parametrize("technique", range(1, 5))
@pytest.mark.filterwarnings("ignore:BLEU is 0", "ignore:the output has")
@given(corpus=st.lists(st.tuples(words, words.filter(bool)), min_size=2, max_size=5))
@examples(200)
def test_nltk_counts_ngrams_that_short_segments_of_a_corpus_do_not_have(technique, corpus):
    """The documentation says that the scores are equal on single segments, and says how they differ on corpora."""
    hypotheses, references = zip(*corpus, strict=True)
    expected = theirs("corpus_bleu", hypotheses, [[text] for text in references], technique)
    score = ours(technique).corpus_score(map(" ".join, hypotheses), [map(" ".join, references)])
    missing = [sum(len(text) < order for text in hypotheses) for order in range(1, 5)]
    totals = [total + too_many for total, too_many in zip(score.totals, missing, strict=True)]
    lengths = score.sys_len, score.ref_len
    counted = BLEU.compute_bleu(score.counts, totals, *lengths, smooth_method=f"chen-cherry-{technique}")
    assert math.isclose(counted.score, expected, rel_tol=1e-12)
    assert any(missing) or math.isclose(score.score, expected, rel_tol=1e-12)


@pytest.mark.parametrize(
    ("method", "alone", "cat"),
    [
        ("add-one", 100, 38.5144225),
        ("chen-cherry-1", 17.78, 19.4330944),
        ("chen-cherry-2", 59.46, 38.2441291),
        ("chen-cherry-3", 35.36, 29.0592541),
        ("chen-cherry-4", 100, 22.4833949),
        ("chen-cherry-5", 19.25, 28.9902876),
        ("chen-cherry-7", 19.25, 31.4878138),
    ],
)
def test_worked_examples(method, alone, cat):
    bleu = BLEU(smooth_method=method)
    assert round(bleu.sentence_score("a", ["a"]).score, 2) == alone
    assert round(bleu.sentence_score(HYPOTHESIS, [REFERENCE]).score, 7) == cat


@pytest.mark.parametrize(("hypothesis", "reference"), [("a b c", "d e f"), ("a", "b"), ("a b", "b a c d")])
def test_add_one_counts_one_more_match_in_every_order(hypothesis, reference):
    score = BLEU(smooth_method="add-one").sentence_score(hypothesis, [reference])
    shares = [(count + 1) / (total + 1) for count, total in zip(score.counts, score.totals, strict=True)]
    assert math.isclose(score.score, 100 * score.bp * math.prod(shares) ** 0.25, rel_tol=1e-12)
    assert score.precisions == [100 * share for share in shares]
    assert BLEU(smooth_method="add-one").sentence_score("", [reference]).score == 0


def test_smoothed_precisions_are_shown_beside_counts():
    score = ours(2, order=3).sentence_score(HYPOTHESIS, [REFERENCE])
    assert (score.counts, score.totals) == ([5, 2, 1], [6, 5, 4])
    assert score.precisions == pytest.approx([500 / 6, 50, 40])


def test_averaging_counts_order_5_but_does_not_show_it():
    score = ours(5, order=2).sentence_score(HYPOTHESIS, [REFERENCE])
    assert (score.counts, score.totals, len(score.precisions)) == ([5, 2], [6, 5], 2)


@pytest.mark.parametrize("technique", [5, 6, 7])
def test_smoothing_of_single_segments_refuses_a_corpus(technique, run, write):
    texts = [HYPOTHESIS] * 2, [[REFERENCE] * 2]
    for score in (ours(technique).corpus_score, lambda *texts: ours(technique).corpus_score(*texts, n_bootstrap=5)):
        with pytest.raises(BleuError, match="single segments, but there are 2; score them one by one"):
            score(*texts)
    with pytest.raises(BleuError, match="single segments"):
        PairedTest([("a", texts[0]), ("b", texts[0])], {"BLEU": ours(technique)}, texts[1], "bs", 5)()
    assert ours(technique).corpus_score(texts[0][:1], [texts[1][0][:1]]).score > 0
    system, reference = write("sys", f"{HYPOTHESIS}\n" * 2), write("ref", f"{REFERENCE}\n" * 2)
    refused = run(reference, "-i", system, "-s", f"chen-cherry-{technique}")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err.startswith(f"bleu: error: smoothing chen-cherry-{technique} is defined for single segments")
    assert run(reference, "-i", system, "-s", f"chen-cherry-{technique}", "-sl").out.count("\n") == 2


def test_an_explanation_with_smoothing_of_single_segments_needs_a_line(run, write):
    for name in ("a", "b"):
        write(name, f"{HYPOTHESIS}\n" * 2)
    words = (write("ref", f"{REFERENCE}\n" * 2), "-s", "chen-cherry-5")
    fault = "bleu: error: smoothing chen-cherry-5 is defined for single segments, but there are 2; choose "
    assert run("explain", *words, "-i", "a").err == f"{fault}one with --line N, or another method\n"
    assert run("explain", *words, "-i", "a", "b").err == f"{fault}another method\n"
    assert run("explain", *words, "-i", "a", "--line", "2").status == 0


@pytest.mark.parametrize(("hypothesis", "reference"), [("a b", "a b"), ("a b c d", "d c b a")])
def test_technique_6_needs_a_match_of_order_3(hypothesis, reference):
    with pytest.raises(BleuError, match="has no match of order 3, which chen-cherry-6 needs; choose another"):
        ours(6).sentence_score(hypothesis, [reference])


@pytest.mark.parametrize("technique", [5, 6, 7])
def test_a_single_segment_can_be_resampled(technique):
    score = BLEU(smooth_method=f"chen-cherry-{technique}").corpus_score(["a b c d e"], [["a b c d f"]], n_bootstrap=10)
    assert score.interval.half_width == 0
    assert score.interval.mean == pytest.approx(score.score)


def test_technique_6_needs_order_3():
    with pytest.raises(
        UsageError, match="smooth_method chen-cherry-6 with max_ngram_order 2; expected an order of at least 3"
    ):
        ours(6, order=2)


def test_a_segment_that_technique_6_cannot_score_is_named(run, write):
    system, reference = write("sys", f"{HYPOTHESIS}\na\n"), write("ref", f"{REFERENCE}\na\n")
    refused = run(reference, "-i", system, "-s", "chen-cherry-6", "-sl")
    assert refused.status == 2
    assert refused.err.startswith(
        f"bleu: error: {system}, segment 2 has no match of order 3, which chen-cherry-6 needs"
    )


@pytest.mark.parametrize("method", ["add-one", *(f"chen-cherry-{number}" for number in range(1, 8))])
def test_signatures_name_the_method_and_lead_back_to_it(method, run, write):
    metric = BLEU(smooth_method=method, effective_order=True)
    score = metric.sentence_score(HYPOTHESIS, [REFERENCE])
    signature = metric.get_signature()
    assert (signature.info["smooth"], signature.info["eff"]) == (method, "no")
    for text in (str(signature), signature.format(short=True)):
        assert metric_from_signature(f"BLEU|{text}").sentence_score(HYPOTHESIS, [REFERENCE]).score == score.score
    system, reference = write("sys", f"{HYPOTHESIS}\n"), write("ref", f"{REFERENCE}\n")
    found = run(reference, "-i", system, "-s", method, "-w", "9")
    assert json.loads(found.out)["score"] == round(score.score, 9)
    assert json.loads(run(reference, "-i", system, "--like", f"BLEU|{signature}", "-w", "9").out) == json.loads(
        found.out
    )
