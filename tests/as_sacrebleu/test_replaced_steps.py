"""Metrics with steps of a program's own get from the package named sacrebleu what sacreBLEU gives them.

`sacrebleu_steps.py` has the classes: those of three public programs, rebuilt, and every step replaced in every way.
"""

from __future__ import annotations

import json
import os
from functools import lru_cache

import evaluation_data
import oracles
import pytest
from test_as_sacrebleu import HERE, run

from bleucli import kernels

PROGRAM = os.path.join(HERE, "sacrebleu_steps.py")
# In these, sacreBLEU computes in single precision
SINGLE = 1e-5


@lru_cache(maxsize=4)
def answers(*words, real=False, **variables):
    done = run(PROGRAM, *words, real=real, **variables)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(oracles.without_version(line)) for line in done.stdout.splitlines()]
    assert lines
    return lines


def same(ours, theirs):
    """Return whether two values are equal; numbers that were made in single precision nearly are."""
    if isinstance(theirs, dict) and "single" in theirs:
        return ours["single"] == pytest.approx(theirs["single"], rel=SINGLE)
    if isinstance(theirs, list) and isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return ours == theirs


def differing(ours, theirs):
    assert [label for label, _ in ours] == [label for label, _ in theirs]
    return [(label, a, b) for (label, a), (_, b) in zip(ours, theirs, strict=True) if not same(a, b)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            "native",
            marks=pytest.mark.skipif(kernels._load_native()[0] is None, reason="the native kernels were not built"),
        ),
        "python",
    ],
)
def test_a_step_that_a_program_replaces_is_followed(name):
    ours, theirs = answers("classes", "1", BLEU_KERNELS=name), answers("classes", "1", real=True)
    assert not differing(ours, theirs)


@pytest.mark.slow
def test_steps_are_followed_on_many_random_texts():
    assert not differing(answers("classes", "3", "1"), answers("classes", "3", "1", real=True))


@pytest.mark.slow
def test_the_classes_of_public_programs_give_the_same_on_real_texts():
    corpus = evaluation_data.CORPORA["wmt22.en-de"]
    folder = os.path.join(oracles.real_data("wmt22.en-de"), "wmt22.en-de")
    paths = [os.path.join(folder, f"{name}.txt") for name in (*corpus.references, *corpus.systems[:3])]
    assert not differing(answers("real", "60", *paths), answers("real", "60", *paths, real=True))


def test_methods_are_called_in_the_same_order_with_the_same_arguments():
    assert answers("calls") == answers("calls", real=True)


def test_functions_and_methods_that_a_program_replaces_for_a_while_are_used_for_that_while():
    assert not differing(answers("replaced"), answers("replaced", real=True))


def test_signatures_name_the_tokenizer_in_use():
    program = """
from sacrebleu.metrics import BLEU, TER
from sacrebleu.tokenizers.tokenizer_base import BaseTokenizer
class Own(BaseTokenizer):
    def __call__(self, line):
        return line
class Named(Own):
    def signature(self):
        return "named"
for metric in (BLEU(), TER()):
    for tokenizer in (Own(), Named(), str.lower):
        metric.tokenizer = tokenizer
        metric.corpus_score(["a"], [["a"]])
        print(metric.get_signature().info["tok"])
metric = BLEU()
metric.tokenizer_signature = "given"
metric.corpus_score(["a"], [["a"]])
print(metric.get_signature().info["tok"])
"""
    assert run("-c", program).stdout.split() == ["Own", "named", "lower"] * 2 + ["given"]


REFUSED = """
import bleucli
from bleucli import BleuError
from sacrebleu.metrics import BLEU
from sacrebleu.metrics.base import Metric
class Own(BLEU):
    def _preprocess_segment(self, sent):
        return sent
class Half(Metric):
    def _preprocess_segment(self, sent):
        return sent
texts = ["a b", "c d"]
for call in (
    lambda: Own().pairwise(texts),
    lambda: Own().corpus_stats(texts, [texts]),
    lambda: bleucli.PairedTest([("a", texts), ("b", texts)], {"B": Own()}, [texts])(),
    lambda: Half().pairwise(texts),
    lambda: Own().corpus_score(texts, None),
    lambda: Own().corpus_score(texts, [texts, ["a", None, "b"]]),
    lambda: Own().corpus_score(texts, [["a", None]]),
    lambda: Own().corpus_score(["a", None], [texts]),
    lambda: Own().sentence_score(["a"], texts),
    lambda: Own().corpus_score(texts, [texts], n_bootstrap=0),
    lambda: Own().get_signature(),
):
    try:
        print("no error", call())
    except BleuError as error:
        print(error)
"""


def test_what_cannot_be_scored_step_by_step_is_an_error():
    done = run("-c", REFUSED, BLEU_STRICT="1")
    lines = done.stdout.splitlines()
    assert len(lines) == 11, done.stderr
    assert not [line for line in lines if line.startswith("no error")]
    assert all("Own replaces _preprocess_segment, a step of sacreBLEU's metrics" in line for line in lines[:3])
    assert lines[3].startswith("Half replaces _preprocess_segment")
    assert "references is None" in lines[4]
    assert "segment 1 (counting from 0)" in lines[6]
    assert "hypothesis 1 (counting from 0) is None" in lines[7]


def test_references_of_the_wrong_shape_are_cut_and_reported_step_by_step_as_well():
    program = """
from sacrebleu.metrics import BLEU
class Own(BLEU):
    def _preprocess_segment(self, sent):
        return sent.lower()
print(Own().corpus_score(["a b c d", "e"], [["A b c d"], ["x"]]).score)
"""
    ours, theirs = run("-c", program), run("-c", program, real=True)
    assert ours.stdout == theirs.stdout
    assert ours.stderr.startswith("only the first 1 of 2 segments are scored")
    assert "write list(zip(*references))" in run("-c", program, BLEU_STRICT="1").stderr.splitlines()[-1]
