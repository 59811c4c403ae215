"""Why a corpus has its score: the sums, the formula, and the segments that move the score."""

from __future__ import annotations

import json
import os
import pickle
import random
import time
import warnings

import numpy as np
import oracles
import pytest
from conftest import ROOT, refused
from oracles import read_lines, real_data

import bleucli
from bleucli import BLEU, CER, CHRF, TER, WER, BleuError, InputTypeError, explain, explain_corpus
from bleucli.counting.corpus import of_strings
from bleucli.kernels.stats import SegmentStats
from bleucli.metrics.base import Metric
from bleucli.metrics.explanations import explain_scores

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # hints about short texts
DEMO = os.path.join(ROOT, "bleucli", "testsets", "demo")
METRICS = [
    *(BLEU(), BLEU(smooth_method="add-k"), BLEU(smooth_method="chen-cherry-2"), BLEU(tokenize="char", lowercase=True)),
    *(CHRF(), CHRF(word_order=2, beta=3, eps_smoothing=True), TER(), TER(normalized=True, no_punct=True), WER(), CER()),
]


def demo(*names):
    return [read_lines(DEMO, f"{name}.de.txt") for name in names]


def without(line, *texts):
    return [text[:line] + text[line + 1 :] for text in texts]


def words_of(explanation):
    return " ".join(str(explanation).split())


EXAMPLE = """\
BLEU = 55.16 on 3 segments

Precisions
  A precision is matches / n-grams of the output, both added up over the
  segments. Smoothing exp changes no precision here.

  order  matches  precision %
      1    15/18        83.33
      2    10/15        66.67
      3     6/12        50.00
      4      3/9        33.33

Brevity penalty
  The output has 18 tokens, the references have 17: the output is not shorter,
  so there is no penalty, BP = 1.

Score
  BLEU = 100 × BP × (p1 × p2 × p3 × p4)^(1/4)
       = 100 × 1.0000 × (0.8333 × 0.6667 × 0.5000 × 0.3333)^(1/4)
       = 100 × 1.0000 × 0.5516
       = 55.16

Segments that move the score
  Influence: the score of all segments minus the score without this one, in
  points. Influences need not add up to the score.

Segments that improve BLEU most: 1 of 3

line 1: +25.4323
  output     The dog bit the man.
  reference  The dog bit the man.

Segments that worsen BLEU most: 2 of 3

line 3: -19.0320
  output     The man had bitten him first.
  reference  The man bit him first.

line 2: -6.7067
  output     It was not surprising.
  reference  It was not unexpected.

Signature
"""


def test_the_worked_example_is_right_line_by_line():
    outputs = ["The dog bit the man.", "It was not surprising.", "The man had bitten him first."]
    references = ["The dog bit the man.", "It was not unexpected.", "The man bit him first."]
    why = explain_corpus(outputs, [references])
    assert str(why).startswith(EXAMPLE)
    assert (why.moving, why.segments, why.higher_is_better) == (3, 3, True)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("references", [("reference.A",), ("reference.A", "reference.B")])
def test_scores_and_influences_are_those_of_scoring_again(metric, references):
    (system,), streams = demo("weak"), demo(*references)
    why = explain_corpus(system, streams, metric, most=len(system))
    whole = metric.corpus_score(system, streams).score
    assert why.score == whole
    assert why.parts.recalculate() == pytest.approx(whole, rel=1e-12)
    assert len(why.gains) + len(why.losses) == why.moving > 30
    for sign, ranked in ((1, why.gains), (-1, why.losses)):
        influences = [one.influence * sign * (1 if metric.higher_is_better else -1) for one in ranked]
        assert influences == sorted(influences, reverse=True)
        assert min(influences) > 0
    for one in random.Random(1).sample([*why.gains, *why.losses], 12):
        rest, *others = without(one.line, system, *streams)
        expected = whole - metric.corpus_score(rest, others).score
        assert one.influence == pytest.approx(expected, abs=1e-12 if metric.name == "TER" else 0)
        assert (one.hypotheses, one.references) == ((system[one.line],), tuple(stream[one.line] for stream in streams))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (BLEU(), oracles.bleu()),
        (BLEU(smooth_method="floor", lowercase=True), oracles.bleu(smooth_method="floor", lowercase=True)),
        (CHRF(word_order=2), oracles.chrf(word_order=2)),
        (CHRF(eps_smoothing=True), oracles.chrf(eps_smoothing=True)),
        (TER(), oracles.ter()),
    ],
)
@pytest.mark.parametrize("system", ["weak", "strong"])
def test_scores_and_influences_are_the_oracles(ours, theirs, system):
    (outputs,), streams = demo(system), demo("reference.A", "reference.B")
    why = explain_corpus(outputs, streams, ours, most=1)
    assert why.score == theirs.corpus_score(outputs, streams).score
    assert str(why.signature).partition("|version")[0] == str(theirs.get_signature()).partition("|version")[0]
    for one in (*why.gains, *why.losses):
        (rest, *others) = without(one.line, outputs, *streams)
        assert one.influence == pytest.approx(why.score - theirs.corpus_score(rest, others).score, abs=1e-9)


def test_the_first_of_equal_segments_comes_first():
    pairs = [("a b c d e", "a b c d e"), ("a b x d", "a b c d")] * 4
    outputs, references = zip(*pairs, strict=True)
    for metric in METRICS:
        why = explain_corpus(outputs, [references], metric, most=3)
        assert [one.line for one in why.gains] == [0, 2, 4], metric
        assert [one.line for one in why.losses] == [1, 3, 5], metric


def test_equal_segments_do_not_move_the_score():
    for metric in (BLEU(), CHRF(), TER(), WER(), CER()):
        why = explain_corpus(["a b c d x"] * 5, [["a b c d e"] * 5], metric)
        assert (why.moving, why.gains, why.losses) == (0, (), ())
        assert "No segment moves the score." in words_of(why)


def test_a_single_segment_has_no_influence():
    why = explain_corpus(["a b c d x"], [["a b c d e"]])
    assert (why.moving, why.gains, why.losses, why.segments) == (0, (), (), 1)
    assert "There is only one segment" in words_of(why)
    assert why.score == explain("a b c d x", ["a b c d e"]).score
    one = explain_corpus(["the cat sat"], [["the cat"]], smooth_method="chen-cherry-5", max_ngram_order=2)
    assert (
        one.score
        == bleucli.BLEU(smooth_method="chen-cherry-5", max_ngram_order=2)
        .sentence_score("the cat sat", ["the cat"])
        .score
    )
    with pytest.raises(BleuError, match=r"hypotheses, segment 0 .* has no match of order 3"):
        explain_corpus(["a"], [["a"]], smooth_method="chen-cherry-6")


def test_no_segments_are_listed_if_none_are_asked_for():
    why = explain_corpus(*demo("weak"), demo("reference.A"), most=0)
    assert (why.gains, why.losses) == ((), ())
    assert why.moving > 30
    assert "Segments that" not in str(why)


@pytest.mark.parametrize(
    ("texts", "options", "score", "told"),
    [
        ((["x", "y"], [["a", "y z"]]), {"metric": "wer"}, 200 / 3, "100 × 2 / 3 = 66.67"),
        ((["a", ""], [["", ""]]), {"metric": "ter"}, 100.0, "so there is nothing to divide by: the score is 100"),
        ((["", ""], [["", ""]]), {"metric": "ter"}, 0.0, "No edit is needed"),
        ((["a b", ""], [["", ""]]), {"metric": "wer"}, 200.0, "There are no words of the references, so their number"),
        ((["", ""], [["a", "b"]]), {}, 0.0, "The output has no tokens: nothing can match, so the score is 0."),
        ((["x", "a"], [["a", "x"]]), {}, 0.0, "No token of the output is in a reference of its segment"),
        ((["a b", "c"], [["a b", "c"]]), {}, 0.0, "No segment of the output has 3 tokens: the precision of order 3"),
        ((["a b", "c"], [["a b", "c"]]), {"effective_order": True}, 100.0, "no n-gram: left out"),
        ((["a b c d", "e"], [["a b c x", "e"]]), {"smooth_method": "none"}, 0.0, "No n-gram of order 4 matches"),
        ((["a b c d", "e"], [["a b c x", "e"]]), {}, None, "no match: 1 / (2^1 × 1)"),
        ((["a", "a"], [["a a a a", "a"]]), {"max_ngram_order": 1}, None, "BP = exp(1 - 5/2) = 0.223"),
        ((["a b", "c"], [["a b", "c d"]]), {"metric": "chrf"}, None, "P = 1.0"),
        ((["", "x"], [["a", "b"]]), {"metric": "chrf"}, 0.0, "No n-gram matches, so the score is 0."),
    ],
)
def test_the_ends_of_the_scales_are_explained(texts, options, score, told):
    why = explain_corpus(*texts, **options)
    assert told in words_of(why)
    assert score is None or why.score == pytest.approx(score)


def test_references_may_be_missing_or_skipped():
    outputs, streams = ["a b", "c d"], [["a b", ""], [None, "c d"]]
    why = explain_corpus(outputs, streams, "ter", skip_empty_refs=True)
    assert (why.score, why.parts.reference_length, why.parts.most_references) == (0.0, 4.0, 1)
    assert "empty:missing" in str(why.signature)
    kept = explain_corpus(outputs, streams, "ter")
    assert (kept.parts.reference_length, kept.parts.most_references) == (3.0, 2)
    assert "words of the references, on average" in words_of(kept)
    wer = explain_corpus(iter(["a x", "c d"]), [iter(["a b", ""]), iter([None, "c d"])], "wer", most=1)
    assert wer.losses[0].references == ("a b",)
    assert "words of the references that count" in words_of(wer)


def test_excerpts_fit_a_line():
    outputs = ["猫" * 300, "word " * 100, "x" * 300, "short", "a" * 59 + " b"]
    why = explain_corpus(outputs, [[text + " y" for text in outputs]], "chrf")
    lines = [line for line in str(why).splitlines() if line.startswith(("  output", "  reference"))]
    assert len(lines) >= 8
    for line in lines:
        assert len(line) + line.count("猫") <= 80
    assert all(line.endswith("...") == (len(line) > 30) for line in lines if "猫" in line or "word" in line)


def test_small_influences_keep_two_digits():
    outputs, references = ["a b c d e f"] * 3000, ["a b c d e f"] * 2999 + ["a b c d e x"]
    why = explain_corpus(outputs, [references], "wer", most=1)
    (gain,) = why.gains
    assert gain.influence == pytest.approx(100 / 18000 - 100 / 17994)
    assert "line 1: -0.0000019" in str(why)


def test_an_explanation_is_immutable_and_can_be_pickled_shown_and_given_as_data():
    for metric in ("bleu", "chrf++", "ter", "wer"):
        why = explain_corpus(["<b>a</b> b c d", "e"], [["a b c d", "f"]], metric)
        assert pickle.loads(pickle.dumps(why)) == why
        assert isinstance(hash(why), int)
        html = why._repr_html_()
        assert html.isascii()
        assert "&lt;b&gt;a&lt;/b&gt;" in html
        assert "<b>a" not in html
        data = json.loads(json.dumps(why.as_data()))
        assert list(data)[:5] == ["name", "score", "signature", "higher_is_better", "segments"]
        assert list(data)[-3:] == ["moving", "gains", "losses"]
        assert {one["line"] for one in (*data["gains"], *data["losses"])} == {1, 2}
        assert data["signature"].startswith("nrefs:1|")
        assert data["most_references"] == 1


class Odd(BLEU):
    def score_from_stats(self, sums):
        score = super().score_from_stats(sums)
        score.score /= 2
        return score


class Wide(TER):
    """A metric with a column more."""

    def compare(self, hypotheses, references):
        rows = np.asarray(super().compare(hypotheses, references))
        return SegmentStats.from_numpy(np.column_stack([rows, rows[:, 0]]))

    def score_from_stats(self, sums):
        return super().score_from_stats(sums[:2])


class Plain(Metric):
    """A metric that nothing takes apart."""

    name = "Plain"

    def prepare(self, segments):
        return segments

    def compare(self, hypotheses, references):
        raise AssertionError

    def score_from_stats(self, sums):
        raise AssertionError


@pytest.mark.parametrize(
    ("arguments", "options", "kind", "message"),
    [
        ((["a", "b"], [["a"]]), {}, BleuError, "has 1 segment"),
        (([], [[]]), {}, BleuError, "hypotheses .* empty|no hypotheses"),
        (("a", [["a"]]), {}, InputTypeError, "hypothes"),
        ((["a"], ["a"]), {}, InputTypeError, r"write \[references\]"),
        ((["a"], [[None]]), {}, BleuError, r"all references of segment 0 \(counting from 0\) are"),
        ((["a"], [["a"]], "blue"), {}, BleuError, "metric 'blue'; choose from"),
        ((["a"], [["a"]]), {"most": -1}, BleuError, "most -1; expected a number from 0"),
        ((["a"], [["a"]], BLEU()), {"lowercase": True}, InputTypeError, "options with a metric"),
        ((["a b c d", "e"], [["a b c d", "e"]], Odd()), {}, BleuError, "Odd counts in its own way"),
        ((["a b c d", "e"], [["a b c d", "e"]], Wide()), {}, BleuError, "Wide counts in its own way"),
        (
            (["a"], [["a"]], Plain()),
            {},
            BleuError,
            "Plain cannot be explained; choose one of BLEU, chrF, TER, WER, CER",
        ),
        ((["a", "b"], [["a", "b"]]), {"smooth_method": "chen-cherry-5"}, BleuError, "defined for single segments"),
    ],
)
def test_what_cannot_be_explained_is_refused_in_one_line(arguments, options, kind, message):
    with pytest.raises(kind, match=message) as caught:
        explain_corpus(*arguments, **options)
    assert "\n" not in str(caught.value)


def test_a_part_of_a_corpus_is_explained_by_the_lines_of_the_whole():
    (weak, reference) = demo("weak", "reference.A")
    chosen = list(range(0, len(weak), 3))
    corpus, again = of_strings([("weak", weak)], [reference]).kept()
    (why,) = explain_scores(corpus, again, [BLEU()], choose=lambda count: chosen[:count])
    part = explain_corpus([weak[line] for line in chosen], [[reference[line] for line in chosen]])
    assert why._replace(gains=(), losses=()) == part._replace(gains=(), losses=())
    assert [one.line for one in why.gains] == [chosen[one.line] for one in part.gains]
    assert [one[1:] for one in why.losses] == [one[1:] for one in part.losses]


@pytest.mark.slow
def test_100000_segments_are_explained_in_seconds():
    draw = random.Random(4)
    references = [" ".join(draw.choices("abcdefghijkl", k=draw.randint(5, 30))) for _ in range(100_000)]
    outputs = [text.replace(draw.choice("abc"), "x") for text in references]
    for metric in ("bleu", "chrf", "wer"):
        start = time.perf_counter()
        why = explain_corpus(outputs, [references], metric)
        assert time.perf_counter() - start < 30
        assert len(why.gains) == len(why.losses) == 5


@pytest.mark.slow
@pytest.mark.parametrize("metric", [BLEU(), CHRF(), TER()])
def test_real_systems_are_explained_by_the_oracles_scores(metric):
    folder = real_data(os.path.join("wmt17.en-de", "KIT.txt"))
    outputs, reference = (read_lines(folder, f"wmt17.en-de/{name}.txt") for name in ("KIT", "ref"))
    theirs = {"BLEU": oracles.bleu, "chrF": oracles.chrf, "TER": oracles.ter}[metric.name]()
    size = 300 if metric.name == "TER" else len(outputs)
    why = explain_corpus(outputs[:size], [reference[:size]], metric, most=1)
    assert why.score == theirs.corpus_score(outputs[:size], [reference[:size]]).score
    rest, others = without(why.gains[0].line, outputs[:size], reference[:size])
    assert why.gains[0].influence == pytest.approx(why.score - theirs.corpus_score(rest, [others]).score, abs=1e-9)


# --- the command


def test_the_command_explains_a_corpus(run, demo_files):
    words = ("explain", "reference.A.de.txt", "-i", "weak.de.txt")
    (weak, reference) = demo("weak", "reference.A")
    answer = run(*words, "-w", "2")
    assert (answer.status, answer.err) == (0, "")
    assert answer.out == f"{explain_corpus(weak, [reference])}\n"
    expected = json.loads(json.dumps(explain_corpus(weak, [reference]).as_data()))
    assert json.loads(run(*words, "-f", "json").out) == expected
    assert run(*words, "-f", "html", "-w", "2").out == explain_corpus(weak, [reference])._repr_html_()
    assert run(*words, "-J", "2", "-w", "2").out == answer.out
    assert (
        run("explain", "reference.A.de.txt", "-w", "2", stdin="".join(f"{line}\n" for line in weak).encode()).out
        == answer.out
    )


def test_every_metric_of_the_command_explains_a_corpus(run, demo_files):
    words = ("explain", "reference.A.de.txt", "reference.B.de.txt", "-i", "weak.de.txt", "-m")
    (weak,), streams = demo("weak"), demo("reference.A", "reference.B")
    data = json.loads(run(*words, "cer", "wer", "ter", "chrf++", "bleu", "-f", "json").out)
    assert [one["name"] for one in data] == ["BLEU", "chrF2++", "TER", "WER", "CER"]
    scores = json.loads(
        run(*[word for word in words if word != "explain"], "cer", "wer", "ter", "chrf++", "bleu", "-w", "9").out
    )
    for one, score, name in zip(data, scores, ("bleu", "chrf++", "ter", "wer", "cer"), strict=True):
        assert round(one["score"], 9) == score["score"]
        assert one == json.loads(json.dumps(explain_corpus(weak, streams, name).as_data()))
    text = run(*words, "bleu", "chrf", "ter", "wer", "cer").out
    assert max(map(len, (line for line in text.splitlines() if "|" not in line))) <= 80


def test_one_segment_is_explained_as_a_segment(run, write):
    write("one.ref", "there is a cat on the mat\n")
    write("one.sys", "the cat is on the mat\n")
    data = json.loads(run("explain", "one.ref", "-i", "one.sys", "-f", "json").out)
    assert data["hypothesis_tokens"] == ["the", "cat", "is", "on", "the", "mat"]
    assert run("explain", "one.ref", "-i", "one.sys", "-sl").status == 0


def test_a_corpus_of_a_test_set_is_explained(run, demo_files):
    words = ("explain", "-t", "demo", "-l", "en-de", "-i", "weak.de.txt")
    assert "BLEU|nrefs:1|test:demo|lang:en-de|" in run(*words).out
    data = json.loads(run(*words, "-f", "json").out)
    lines = demo("weak")[0]
    assert all(one["hypotheses"] == [lines[one["line"] - 1]] for one in (*data["gains"], *data["losses"]))


def test_hints_name_the_system_if_it_has_a_name(run, write):
    write("ref", "a b c d .\n" * 150)
    write("sys", "a b c x .\n" * 150)
    with warnings.catch_warnings(action="always"):
        answer = run("explain", "ref", "-i", "sys")
    assert answer.status == 0
    assert answer.err.startswith("bleu: warning: sys: 150 hypotheses end in ' .'")
    with pytest.warns(bleucli.BleuWarning, match="^many hypotheses end in"):
        explain_corpus(["a b c x ."] * 150, [["a b c d ."] * 150])


def test_bad_input_gets_one_line(run, write):
    write("ref", "a\nb\nc\n")
    write("sys", "a\nb\n")
    refused(run("explain", "ref", "-i", "sys"), "sys has 2 segments")
    refused(run("explain", "ref", "-i", "ref", "-s", "chen-cherry-5"), "is defined for single segments")
    refused(run("explain", "ref", "-i", "ref", "-sl"), "--sentence-level is for one segment, but ref has 3 segments")
    refused(run("explain", "ref", "-i", "missing"), "missing")
