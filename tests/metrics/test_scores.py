"""Scores and metrics as Python objects: compared, converted to numbers and dictionaries, formatted, signed, shown."""

from __future__ import annotations

import copy
import json
import pickle
from operator import attrgetter
from unittest import mock

import numpy as np
import pytest

from bleucli import BLEU, CER, CHRF, TER, WER, BleuError, evaluate_systems, explain_difference, metric_from_signature
from bleucli.errors import InputTypeError, UsageError
from bleucli.metrics import metric_that_counted
from bleucli.metrics.score import Score
from bleucli.metrics.smoothing import Smoothing
from bleucli.tokenizers import get

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
each_metric = pytest.mark.parametrize("metric", [BLEU, CHRF, TER, WER, CER])
HYPOTHESES = ["the cat sat on the mat", "it rains all day"]
REFERENCES = [["the cat lay on the mat", "it rains all the day"]]


@each_metric
def test_scores_made_in_the_same_way_are_equal(metric):
    score, again = (metric().corpus_score(HYPOTHESES, REFERENCES) for _ in range(2))
    assert score == again
    assert hash(score) == hash(again)
    assert score == metric().corpus_stats(HYPOTHESES, REFERENCES).score()
    one = [HYPOTHESES[0]], [[REFERENCES[0][0]]]
    assert metric().sentence_score(HYPOTHESES[0], [REFERENCES[0][0]]) == metric().corpus_score(*one)


@each_metric
def test_scores_of_other_texts_metrics_and_signatures_differ(metric):
    score = metric().corpus_score(HYPOTHESES, REFERENCES)
    assert score != metric().corpus_score(HYPOTHESES, [HYPOTHESES])
    assert score != metric(skip_empty_refs=True).corpus_score(HYPOTHESES, REFERENCES)
    assert score != score.score
    assert score != (CHRF if metric is TER else TER)().corpus_score(HYPOTHESES, REFERENCES)


def test_scores_with_the_same_number_but_other_parts_differ():
    assert WER().corpus_score(["a b"], [["a c"]]).score == WER().corpus_score(["a b a b"], [["a c a c"]]).score == 50
    assert WER().corpus_score(["a b"], [["a c"]]) != WER().corpus_score(["a b a b"], [["a c a c"]])


@each_metric
def test_a_score_is_a_number(metric):
    score = metric().corpus_score(HYPOTHESES, REFERENCES)
    assert float(score) == score.score
    assert f"{score:.1f}" == f"{score.score:.1f}"
    assert format(score, "8.3f") == format(score.score, "8.3f")
    assert f"{score}" == str(score) == repr(score) == score.format()


@each_metric
def test_a_score_has_its_signature(metric):
    made = metric()
    score = made.corpus_score(HYPOTHESES, REFERENCES)
    assert score.signature == made.get_signature()
    assert made.sentence_score("a b", ["a", "b"]).signature.info["nrefs"] == "2"
    assert score.signature.info["nrefs"] == "1"  # another score does not change it
    sampled = made.corpus_score(HYPOTHESES, REFERENCES, n_bootstrap=10)
    assert sampled.signature == made.get_signature()
    assert sampled.signature.info["bs"] == "10"
    assert metric().corpus_stats(HYPOTHESES, REFERENCES).score().signature == score.signature


def test_the_signature_of_a_bare_sum_is_not_known():
    metric = TER()
    score = metric.score_from_stats([1, 4])
    with pytest.raises(BleuError, match=r"^this score has no signature, .*; call metric.signature\(fewest, most\) "):
        score.signature  # noqa: B018 - reading it is what is tested
    assert score == metric.score_from_stats([1, 4]) != metric.corpus_stats(["a b c"], [["a b c d"]]).score()
    assert score.to_dict()["signature"] is None


@pytest.mark.parametrize(
    ("option", "value", "key", "signed"),
    [
        ("lowercase", True, "case", ("mixed", "lc")),
        ("effective_order", True, "eff", ("no", "yes")),
        ("skip_empty_refs", True, "empty", (None, "missing")),
        ("smoothing", Smoothing("floor"), "smooth", ("exp", "floor[0.10]")),
        ("tokenizer", get("char"), "tok", ("13a", "char")),
    ],
)
def test_a_metric_that_changes_does_not_change_how_its_scores_were_made(option, value, key, signed):
    metric = BLEU()
    made = {
        "corpus": metric.corpus_score(HYPOTHESES, REFERENCES),
        "resampled": metric.corpus_score(HYPOTHESES, REFERENCES, n_bootstrap=10),
        "sentence": metric.sentence_score("a b", ["a", "b"]),
        "statistics": metric.corpus_stats(HYPOTHESES, REFERENCES).score(),
    }
    setattr(metric, option, value)
    after = metric.corpus_score(HYPOTHESES, REFERENCES)
    metric.force = True
    assert {name: score.signature.info.get(key) for name, score in made.items()} == dict.fromkeys(made, signed[0])
    assert after.signature.info[key] == signed[1]


def test_whatever_a_class_signs_is_that_of_its_scores():
    class Weighted(CHRF):
        weight = 1

        def signature_fields(self):
            return [*super().signature_fields(), ("weight", str(self.weight))]

    metric = Weighted()
    score = metric.sentence_score("a b", ["a"])
    metric.weight = 2
    assert score.signature.info["weight"] == "1"
    assert metric.sentence_score("a b", ["a"]).signature.info["weight"] == "2"


def test_a_class_that_cannot_sign_yet_scores():
    class Later(CHRF):
        def signature_fields(self):
            return [*super().signature_fields(), ("weight", str(self.weight))]

    metric = Later()
    assert metric.corpus_score(HYPOTHESES, REFERENCES).score == CHRF().corpus_score(HYPOTHESES, REFERENCES).score
    metric.weight = 3
    assert metric.corpus_score(HYPOTHESES, REFERENCES).signature.info["weight"] == "3"


@pytest.mark.parametrize("name", ["lowercase", "beta"])
def test_an_option_can_be_patched(name):
    """The `mock` module deletes what it has set before it puts the old value back."""
    metric = CHRF(lowercase=True, beta=3)
    before = metric.corpus_score(HYPOTHESES, REFERENCES)
    with mock.patch.object(metric, name, 0):
        inside = metric.corpus_score(HYPOTHESES, REFERENCES)
    assert metric.corpus_score(HYPOTHESES, REFERENCES) == before
    assert str(before.signature) + before.name != str(inside.signature) + inside.name


def test_an_option_with_a_default_of_the_class_cannot_be_deleted():
    """The `mock` module would not set it again, since the metric still has one."""
    metric = CHRF(skip_empty_refs=True)
    with pytest.raises(AttributeError, match=r"^skip_empty_refs of a metric cannot be deleted, .*; set it$"):
        del metric.skip_empty_refs
    assert metric.skip_empty_refs is True


def test_an_option_that_is_a_property_is_refused():
    """Scores followed the constructor's value, not that of the property."""
    with pytest.raises(UsageError, match=r"^Own.lowercase is a property, .*; set the option in the constructor$"):

        class Own(CHRF):
            lowercase = property(attrgetter("config.lowercase"))


@pytest.mark.parametrize("base", [BLEU, CHRF, WER])
def test_a_class_or_a_mixin_may_give_an_option_another_default(base):
    """Only `skip_empty_refs` and `normalize` are not set by the constructor of each metric."""

    class Mixin:
        normalize = "quotes"

    class Skipping(base):
        skip_empty_refs = True

    class Alike(Mixin, base):
        pass

    given = base(skip_empty_refs=True)
    texts = ["a b", "c d"], [["a b", "c"], ["", "c d"]]
    assert Skipping().corpus_score(*texts) == given.corpus_score(*texts)
    assert Skipping().skip_empty_refs is True
    assert Alike().normalize == "quotes"
    assert Alike().sentence_score("“a”", ['"a"']).score == base(normalize="quotes").sentence_score("“a”", ['"a"']).score
    made = Alike()
    made.skip_empty_refs = True
    assert str(made.signature(1, 1)) == str(base(skip_empty_refs=True, normalize="quotes").signature(1, 1))


@pytest.mark.parametrize(
    ("metric", "name"), [(BLEU, name) for name in sorted(BLEU._fixed)] + [(TER, name) for name in sorted(TER._fixed)]
)
def test_an_option_that_counting_would_not_follow_cannot_be_set(metric, name):
    """A TER metric set to case_sensitive went on to ignore case, and signed `case:mixed`."""
    made = metric()
    with pytest.raises(UsageError, match=f"^{name} of a metric cannot be changed; make another metric, with {name}="):
        setattr(made, name, 2)
    assert repr(made) == repr(metric())


@pytest.mark.parametrize(
    ("metric", "option"), [(CHRF, "eps_smoothing"), (CHRF, "lowercase"), (BLEU, "lowercase"), (TER, "skip_empty_refs")]
)
def test_an_option_that_is_set_changes_no_other_metric(metric, option):
    made = metric()
    setattr(made, option, True)
    assert getattr(made, option) is True
    assert getattr(metric(), option) is False


@pytest.mark.parametrize("value", [1, 1.0, np.True_, np.array(True)])
def test_any_truth_value_is_an_option_of_ter(value):
    """Metrics are made from cached attributes, which arrays cannot be looked up in."""
    for made in (TER(value), TER(value), TER(normalized=value)):
        assert made.normalized is True
        assert made.tokenizer("a,b") == "a , b"


@pytest.mark.parametrize("value", ["yes", 2, [True], None])
def test_ter_refuses_other_values_each_time(value):
    for _ in range(2):
        with pytest.raises(InputTypeError, match=r"^normalized .* give True or False$"):
            TER(value)


@each_metric
def test_references_that_a_metric_has_prepared_fix_how_texts_are_prepared(metric):
    made = metric(references=[["The cat"]])
    for name in ("lowercase", "skip_empty_refs") if metric is not TER else ("skip_empty_refs",):
        with pytest.raises(UsageError, match=f"^{name} cannot be changed after the metric has prepared its references"):
            setattr(made, name, True)
    assert made.corpus_score(["The cat"], None) == metric().corpus_score(["The cat"], [["The cat"]])


@each_metric
def test_a_score_becomes_a_dictionary_that_json_can_hold(metric):
    made = metric()
    found = made.corpus_score(HYPOTHESES, REFERENCES).to_dict()
    assert json.loads(json.dumps(found)) == found
    assert found["score"] == made.corpus_score(HYPOTHESES, REFERENCES).score
    assert found["signature"] == str(made.get_signature())
    assert found["interval"] is None
    interval = made.corpus_score(HYPOTHESES, REFERENCES, n_bootstrap=10).to_dict()["interval"]
    assert set(interval) == {"mean", "half_width"}


def test_a_dictionary_names_what_the_score_was_made_from():
    assert list(TER().sentence_score("a b", ["a c"]).to_dict()) == [
        *("name", "score", "reference_length", "edits", "interval", "signature")
    ]
    found = BLEU().corpus_score(HYPOTHESES, REFERENCES).to_dict()
    assert found["counts"] == [9, 5, 2, 0]
    assert found["hypothesis_length"] == 10


@each_metric
def test_pickled_scores_are_the_same(metric):
    score = metric().corpus_score(HYPOTHESES, REFERENCES, 10)
    for one in (score, metric().sentence_score("a b", ["a"]), Score()):
        again = pickle.loads(pickle.dumps(one))
        assert again == one
    assert len(pickle.dumps(metric(references=[HYPOTHESES * 100]).corpus_score(HYPOTHESES * 100, None))) < 1000


@each_metric
@pytest.mark.parametrize("is_read", [False, True])
def test_copies_of_scores_are_the_same_and_change_alone(metric, is_read):
    made_by = metric()
    score = made_by.corpus_score(HYPOTHESES, REFERENCES, 10)
    plain = made_by.sentence_score("a b", ["a"])
    if is_read:
        assert score.signature.info["bs"] == "10"
        assert plain.signature
    copies = [duplicate(one) for one in (score, plain, Score()) for duplicate in (copy.copy, copy.deepcopy)]
    made_by.skip_empty_refs = True  # after the copies were made, but maybe before their signatures are
    assert copies == [score, score, plain, plain, Score(), Score()]
    copies[1].score = 0.0
    copies[1].signature.update("note", "x")
    assert score.score
    assert "note" not in score.signature.info


def test_copies_of_a_scores_fields_do_not_hold_the_signature():
    assert list(vars(TER().sentence_score("a", ["a"]))) == ["name", "score", "num_edits", "ref_length"]


@pytest.mark.parametrize(
    ("metric", "shown"),
    [
        (BLEU(), "BLEU()"),
        (BLEU(tokenize="intl"), "BLEU(tokenize='intl')"),
        (BLEU(tokenize="13a", lowercase=True), "BLEU(tokenize='13a', lowercase=True)"),
        (BLEU(tokenize=str.upper, tokenize_name="up"), "BLEU(tokenize=upper, tokenize_name='up')"),
        (BLEU(trg_lang="zh"), "BLEU(trg_lang='zh')"),
        (BLEU(smooth_method="floor", smooth_value=0.5), "BLEU(smooth_method='floor', smooth_value=0.5)"),
        (CHRF(word_order=2), "CHRF(word_order=2)"),
        (TER(normalized=True, skip_empty_refs=True), "TER(normalized=True, skip_empty_refs=True)"),
        (WER(lowercase=True, references=REFERENCES), "WER(lowercase=True)"),
        (metric_from_signature("BLEU|nrefs:1|case:lc|tok:13a|smooth:exp"), "BLEU(tokenize='13a', lowercase=True)"),
        (metric_that_counted("BLEU|nrefs:1|tok:ja-mecab-0.996-IPA"), "BLEU(tokenize='ja-mecab')"),
    ],
    ids=str,
)
def test_a_metric_shows_how_it_is_configured(metric, shown):
    assert repr(metric) == shown
    if "mecab" not in shown and "upper" not in shown:
        assert eval(shown).signature(1, 1) == metric.signature(1, 1)


def test_a_custom_class_shows_its_name_and_options():
    class Stemmed(BLEU):
        pass

    assert repr(Stemmed(lowercase=True)) == "Stemmed(lowercase=True)"


@pytest.mark.parametrize("number", [1.5, 0.0, 1e-9, 1e300, float("inf"), float("-inf"), float("nan")])
@pytest.mark.parametrize("name", ["TER", 'a "b"\n\\\u2028\x01ü'])
def test_a_score_is_written_as_the_json_module_writes_it(number, name):
    score = TER().corpus_score(HYPOTHESES, REFERENCES)
    score.name, score.score = name, number
    fields = {"name": name, "score": float(f"{number:.3f}"), "signature": "a:1|b:ü", "a": "1", "b": "ü"}
    assert score.format(3, signature="a:1|b:ü", is_json=True) == json.dumps(fields, indent=1, ensure_ascii=False)


def test_a_score_that_a_custom_metric_computes_with_numpy_is_a_number_that_json_can_hold():
    numpy = pytest.importorskip("numpy")

    class Single(CHRF):
        def score_from_stats(self, sums):
            found = super().score_from_stats(sums)
            found.score = numpy.float32(found.score)
            return found

    assert json.dumps(Single().corpus_score(HYPOTHESES, REFERENCES).to_dict())
    assert json.dumps(evaluate_systems({"a": HYPOTHESES}, REFERENCES, [Single()]).to_dict())


@pytest.mark.parametrize("width", [-1, 1001, "2", 1.5, None])
def test_a_width_that_is_not_a_number_of_decimals_is_refused(width):
    why = explain_difference(HYPOTHESES, REFERENCES[0], REFERENCES, "ter")
    for call in (TER().corpus_score(HYPOTHESES, REFERENCES).format, why.tell):
        with pytest.raises(BleuError, match=r"^width .*; (expected a number from 0 to 1000|give a whole number)$"):
            call(width=width)
