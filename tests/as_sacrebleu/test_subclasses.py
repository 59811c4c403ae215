"""Custom metrics: a step that a subclass overrides is used, whichever way texts are scored."""

from __future__ import annotations

import oracles
import pytest

import bleucli
from bleucli import BLEU, CER, CHRF, TER, WER, kernels
from bleucli.metrics.base import Metric
from bleucli.metrics.score import Score
from bleucli.text import Segments

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

HYPOTHESES = ["Das Haus steht dort.", "Die Katzen schliefen", "ein Wort"]
REFERENCES = [["Dort steht das Haus.", "Die Katze schlief dort", "Wort"], ["Das Haus stand da.", None, "das Wort"]]
OPTIONS = [
    (BLEU, {}),
    (BLEU, {"lowercase": True, "tokenize": "char"}),
    (CHRF, {}),
    (CHRF, {"lowercase": True, "word_order": 2}),
    (TER, {}),
    (TER, {"normalized": True, "no_punct": True}),
    (WER, {}),
    (CER, {}),
]
PER_METRIC = pytest.mark.parametrize(("metric", "options"), OPTIONS, ids=lambda value: getattr(value, "name", None))


def backwards(text):
    """Return the words from last to first: preparing a text twice by mistake would undo this."""
    return None if text is None else " ".join(reversed(text.split()))


def reversed_texts(segments):
    return Segments.from_strings(list(map(backwards, segments)))


def backward(metric):
    """Return a subclass that reverses texts before anything else happens."""

    class Backward(metric):
        def prepare(self, segments):
            return super().prepare(reversed_texts(segments))

    return Backward


def streams(references):
    return [list(map(backwards, stream)) for stream in references]


@PER_METRIC
def test_a_subclass_with_its_own_prepare_scores_what_it_prepares(metric, options):
    ours, plain = backward(metric)(**options), metric(**options)
    turned = list(map(backwards, HYPOTHESES)), streams(REFERENCES)
    expected = plain.corpus_score(*turned)
    assert expected.score > 0
    assert str(ours.corpus_score(HYPOTHESES, REFERENCES)) == str(expected)
    assert ours.corpus_score(HYPOTHESES, REFERENCES).score == expected.score
    cached = backward(metric)(references=REFERENCES, **options)
    assert cached.corpus_score(HYPOTHESES, None).score == expected.score
    sentence, candidates = HYPOTHESES[0], [stream[0] for stream in REFERENCES]
    found = ours.sentence_score(sentence, candidates)
    assert found.score == plain.sentence_score(backwards(sentence), list(map(backwards, candidates))).score
    columns = [Segments.from_strings(column) for column in (HYPOTHESES, *REFERENCES)]
    others = [Segments.from_strings(column) for column in (turned[0], *turned[1])]
    assert list(ours.segment_stats(columns[0], columns[1:])) == list(plain.segment_stats(others[0], others[1:]))
    one, other = (
        m.corpus_score(*texts, n_bootstrap=50) for m, texts in ((ours, (HYPOTHESES, REFERENCES)), (plain, turned))
    )
    assert one.interval == other.interval


@PER_METRIC
def test_a_text_against_itself_is_perfect_however_it_is_prepared(metric, options):
    """A bug once made this 0.00 for chrF, because other code prepared the references."""
    texts = ["Das Haus steht dort drüben", "Die Katzen schliefen alle dort"]
    score = backward(metric)(**options).corpus_score(texts, [texts]).score
    assert score == (100 if metric.higher_is_better else 0)


@pytest.mark.parametrize("metric", [BLEU, CHRF, TER, WER])
def test_a_subclass_may_replace_prepare_altogether(metric):
    class Letters(metric):
        def prepare(self, segments):
            return kernels.tokenize_char(segments)

    spaced = [" ".join(text.replace(" ", "")) for text in HYPOTHESES]
    other = [" ".join(text.replace(" ", "")) for text in REFERENCES[0]]
    plain = {BLEU: BLEU(tokenize="none"), CHRF: CHRF(), TER: TER(case_sensitive=True), WER: WER()}[metric]
    assert Letters().corpus_score(HYPOTHESES, REFERENCES[:1]).score == plain.corpus_score(spaced, [other]).score


@PER_METRIC
def test_a_subclass_with_its_own_formula_is_resampled_with_that_formula(metric, options):
    class Half(metric):
        def score_from_stats(self, sums):
            found = super().score_from_stats(sums)
            found.score /= 2
            return found

    half, whole = (m(**options).corpus_score(HYPOTHESES, REFERENCES, n_bootstrap=50) for m in (Half, metric))
    assert half.score == whole.score / 2
    assert oracles.near(2 * half.interval.mean, whole.interval.mean, oracles.NUMPYS_LOGARITHM)
    both = [("a", HYPOTHESES), ("b", HYPOTHESES[::-1])]
    _, table = bleucli.PairedTest(both, {"half": Half(**options)}, REFERENCES, "ar", 50)()
    assert table[half.name][0].score == half.score


@PER_METRIC
def test_a_step_that_a_mixin_overrides_is_used_by_the_fast_ways_too(metric, options):
    class Halving:
        def score_from_stats(self, sums):
            found = super().score_from_stats(sums)
            found.score /= 2
            return found

    class Half(Halving, metric):
        """Has no step of its own."""

    half, whole = (m(**options).corpus_score(HYPOTHESES, REFERENCES, n_bootstrap=50) for m in (Half, metric))
    assert oracles.near(2 * half.interval.mean, whole.interval.mean, oracles.NUMPYS_LOGARITHM)
    pairs = (m(**options).pairwise(HYPOTHESES, REFERENCES[0]) for m in (Half, metric))
    assert (2 * next(pairs) == next(pairs)).all()


def test_a_subclass_may_score_many_rows_at_once_in_its_own_way():
    class Half(CHRF):
        def score_from_stats(self, sums):
            raise AssertionError("a single row was scored")

        def scores_from_stats(self, sums):
            return super().scores_from_stats(sums) / 2

    assert Half.scores_from_stats is not Metric.scores_from_stats


class Length(Metric):
    """A custom metric."""

    name = "length"

    def prepare(self, segments):
        return segments

    def compare(self, hypotheses, references):
        return kernels.ngram_stats(hypotheses, references.streams, 1)

    def score_from_stats(self, sums):
        found = Score()
        found.name, found.score = "length", 100 * sums[0] / sums[1]
        return found

    def signature_fields(self):
        return []


def test_a_custom_metric_needs_four_methods():
    score = Length().corpus_score(["a b", "c"], [["a b", "c d"]], n_bootstrap=20)
    assert str(score).startswith("length = 75.00 (μ = ")
    assert 50 < score.interval.mean < 100


def test_a_custom_metric_may_return_scores_of_any_class():
    class Counts(Length):
        def score_from_stats(self, sums):
            return tuple(sums[:2])

    assert Counts().sentence_score("a b", ["a b"]) == Counts().corpus_score(["a b"], [["a b"]]) == (2, 2)


def test_a_mixin_after_the_metric_sees_the_attributes_that_are_set():
    class Noting:
        def __setattr__(self, name, value):
            vars(self).setdefault("noted", []).append(name)
            super().__setattr__(name, value)

    class Noted(Length, Noting):
        pass

    metric = Noted()
    score = metric.sentence_score("a b", ["a b"])
    metric.limit = 3
    assert metric.noted[-1] == "limit"
    assert score.signature == metric.signature(1, 1)


def test_a_constant_of_a_signature_cannot_break_it():
    class Own(CHRF):
        constants = (("stem", "a|b"),)

    signature = Own().corpus_score(["a"], [["a"]]).signature
    assert "|stem:a%7Cb|" in str(signature)
    assert bleucli.Signature.parse(str(signature)) == signature
