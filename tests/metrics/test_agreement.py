"""How often people agree with a difference: the figures of mt-thresholds, and nothing where it was not measured."""

from __future__ import annotations

import pytest

from bleucli import BLEU, CHRF, TER, evaluate_systems, explain_difference, render_table
from bleucli.results.citations import Curve, tell_share

REFERENCES = ["the cat sat on the mat", "a dog is in the garden", "it was a cold and rainy day"]
FIRST = ["the cat sat on the mat", "a dog is in the house", "it was a cold and wet day"]
SECOND = ["the cat sat on the mat", "a dog is in the garden", "it was a cold and wet day"]
# What mt-thresholds 1.0.4 prints for these differences
THEIRS = {
    "bleu": {0.3: 50.525, 1: 63.989, 2: 77.164},
    "chrf": {0.3: 54.200, 1: 70.022},
    "flores200": {1: 62.941},
}


def curve_of(metric, nrefs=1, **more):
    return metric.describe({**metric.signature(nrefs, nrefs).info, **more}).curve


@pytest.mark.parametrize(("name", "difference"), [(name, at) for name, shares in THEIRS.items() for at in shares])
def test_the_share_is_that_of_the_authors_program(name, difference):
    metric = CHRF() if name == "chrf" else BLEU()
    tok = {"tok": "flores200"} if name == "flores200" else {}
    curve = curve_of(metric, **tok)
    assert curve.name == metric.score_name()
    for sign in (1, -1):
        assert curve.share(sign * difference) == pytest.approx(THEIRS[name][difference], abs=0.0006)


def test_beyond_the_range_there_is_no_figure():
    curve = curve_of(BLEU())
    assert (curve.share(0.1), curve.share(2.5), curve.share(1e9)) == (50, 80, 80)
    assert tell_share(curve.share(0.1)) == "no more often than by chance"
    assert tell_share(curve.share(2.5)) == "in more than 80% of pairs"


@pytest.mark.parametrize(
    "metric",
    [
        *(BLEU(lowercase=True), BLEU(tokenize="intl"), BLEU(tokenize="char"), BLEU(smooth_method="floor")),
        *(BLEU(max_ngram_order=2), BLEU(effective_order=True), BLEU(normalize="quotes"), BLEU(skip_empty_refs=True)),
        *(CHRF(word_order=2), CHRF(char_order=5), CHRF(lowercase=True), CHRF(whitespace=True)),
        *(CHRF(eps_smoothing=True), TER()),
    ],
    ids=repr,
)
def test_other_settings_were_not_measured(metric):
    assert curve_of(metric) is None


def test_other_texts_were_not_measured():
    assert isinstance(curve_of(BLEU(), test="wmt22", lang="en-de"), Curve)
    assert curve_of(BLEU(), nrefs=2) is None
    for key, value in (("level", "doc"), ("domain", "news"), ("subset", "x"), ("partial", "3of9")):
        assert curve_of(BLEU(), **{key: value}) is None


def test_chrf_with_another_beta_was_not_measured():
    results = evaluate_systems({"a": FIRST, "b": SECOND}, [REFERENCES], [CHRF(beta=3), CHRF()], test="ar", trials=20)
    assert [record.agreement(1.0) is None for record in results.systems[1].scores] == [True, False]


def test_a_metric_of_ones_own_was_not_measured():
    class Own(BLEU):
        constants = (("own", "1"),)

    assert curve_of(Own()) is None


def test_explanations_have_it():
    why = explain_difference(FIRST, SECOND, [REFERENCES])
    sentence = (
        "Where two systems differ as much by BLEU as these two, people agree with their order in more than 80% of"
    )
    assert why.agreement == why.as_data()["agreement"] == 80
    assert sentence in " ".join(str(why).split())
    assert explain_difference(FIRST, SECOND, [REFERENCES], "ter").agreement is None
    assert explain_difference(FIRST, FIRST, [REFERENCES]).agreement is None
    assert explain_difference(FIRST[1:2], SECOND[1:2], [REFERENCES[1:2]]).agreement is None  # a single segment


def test_tables_have_it_beside_differences():
    results = evaluate_systems({"a": FIRST, "b": SECOND}, [REFERENCES], ["bleu", "ter"], test="ar", trials=20)
    shown = render_table(results, "markdown", difference=True)
    end = "people agree with their order (Kocmi et al., 2024): b in more than 80% of pairs."
    assert f"Where two systems differ as much by BLEU as each of these and the baseline, {end}" in shown
    assert "by TER as" not in shown
    assert "people" not in render_table(results, "markdown")
    scaled = render_table(results, "markdown", difference=True, scale=1)
    assert end in scaled
