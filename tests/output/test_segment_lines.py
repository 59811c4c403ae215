"""Lines of segments that are rendered at once, from columns, are those that are rendered one by one."""

from __future__ import annotations

import math
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bleucli import BLEU, CER, CHRF, TER, WER, kernels
from bleucli.counting import SystemStats
from bleucli.errors import BleuError
from bleucli.kernels import python
from bleucli.kernels.stats import SegmentStats
from bleucli.metrics import Metric
from bleucli.metrics.options import SKIP_EMPTY_REFS
from bleucli.metrics.score import Score
from bleucli.output import json_text, text
from bleucli.output.layout import Layout, rescale_record
from bleucli.results import Figures, ScoreRecord, score_item
from bleucli.results.signature import Signature
from bleucli.scoring import score_blocks

METRICS = (
    *(BLEU(), BLEU(effective_order=True), BLEU(max_ngram_order=2), BLEU(max_ngram_order=6, effective_order=True)),
    *(BLEU(smooth_method=method) for method in ("floor", "none", "add-k", "add-one", "chen-cherry-3")),
    *(CHRF(), CHRF(word_order=2, beta=3, eps_smoothing=True), TER(), WER(), CER()),
)
LAYOUTS = (Layout(), Layout(width=4, short=True), Layout(score_only=True), Layout(scale=1, width=3), Layout(width=0))
WORDS = ("the", "cat", "sat", "on", "a", "mat", "100%", ".")
LINES = st.lists(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join), min_size=1, max_size=5)


def columns_of(metric, hypotheses, references):
    """Return the scores of segments in columns, and one by one."""
    stats = metric.corpus_stats(hypotheses, references, keep_rows=True)
    (block,) = score_blocks([(None, [SystemStats("sys", (stats,), None)])])
    scores = block.scores[0][0]
    records = []
    for row, nrefs in zip(stats.rows, stats.nrefs, strict=True):
        score = metric.score_from_stats(row)
        signature, better = metric.signature(nrefs, nrefs), metric.higher_is_better
        figures = score.figures()
        records.append(ScoreRecord(score.name, float(score.score), score.verbose, signature, better, figures=figures))
    return scores, records


def assert_alike(scores, records):
    for layout in LAYOUTS:
        expected = "".join(text.score_line(rescale_record(record, layout.scale), layout) for record in records)
        assert text.score_lines(scores, layout).decode() == expected
    places = array("q", range(7, 7 + len(records)))
    heads = [score_item('s%y"s', record, 1) | {"segment": place} for record, place in zip(records, places, strict=True)]
    expected = [json_text.dump_line(head) for head in heads]
    for module in (kernels, python):
        lines = module.render_rows([*json_text.segment_pieces(scores, places, 's%y"s'), b"}\n"])
        assert lines.decode().splitlines() == expected


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: f"{metric.score_name()} {metric.signature_fields()}")
@given(lines=LINES, data=st.data())
def test_lines_of_segments_are_those_of_each_score(metric, lines, data):
    others = st.lists(st.sampled_from([*lines, *WORDS, ""]), min_size=len(lines), max_size=len(lines))
    second = data.draw(st.lists(st.none() | st.sampled_from(WORDS), min_size=len(lines), max_size=len(lines)))
    assert_alike(*columns_of(metric, lines, [data.draw(others), second]))


class Odd(Metric[Score]):
    """Scores that are drawn, whatever the texts."""

    name = "Odd"
    options = (SKIP_EMPTY_REFS,)
    numbers = ()

    def prepare(self, segments):
        return segments

    def compare(self, hypotheses, references):
        return SegmentStats(memoryview(array("d", self.numbers[: len(hypotheses)])), columns=1)

    def score_from_stats(self, sums):
        score = Score()
        score.name, score.score = self.name, sums[0]
        score.verbose = "" if sums[0] < 1 else "(more)"
        return score


@given(st.lists(st.floats() | st.sampled_from([-0.0, -0.04, 0.04, math.inf, math.nan]), min_size=1, max_size=4))
def test_lines_of_odd_scores_are_those_of_each_score(numbers):
    metric = Odd()
    metric.numbers = numbers
    assert_alike(*columns_of(metric, ["a"] * len(numbers), [["a"] * len(numbers)]))


def test_a_segment_without_a_score_is_named():
    metric = BLEU(smooth_method="chen-cherry-6")
    stats = metric.corpus_stats(["a b c d", "a b", "a b c d"], [["a b c d"] * 3], keep_rows=True)
    with pytest.raises(BleuError, match="sys, segment 1 "):
        list(score_blocks([(None, [SystemStats("sys", (stats,), None)])]))


def test_an_overridden_score_is_not_bypassed():
    class Halved(BLEU):
        def score_from_stats(self, sums):
            score = super().score_from_stats(sums)
            score.score /= 2
            return score

    scores, records = columns_of(Halved(), ["a b c d e"], [["a b c d e"]])
    assert [record.score for record in scores.records()] == [50.0]
    assert_alike(scores, records)


def test_figures_of_a_record_are_those_of_the_columns():
    scores, (record,) = columns_of(TER(), ["a b"], [["a c"]])
    assert scores.record(0).figures == Figures(reference_length=2.0, edits=1) == record.figures
    assert isinstance(scores.signatures[1], Signature)
