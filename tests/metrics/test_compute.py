"""`bleucli.compute`: the answer that users of Hugging Face's `evaluate` expect, for references item by item."""

from __future__ import annotations

import json
import random
import warnings
from array import array

import oracles
import pandas
import pyarrow
import pytest
from conftest import raised
from hypothesis import given
from strategies import corpora, examples

from bleucli import BLEU, InputTypeError, compute, corpus_bleu

PREDICTIONS = ["The dog bit the man.", "It was not surprising.", "The man had bitten him first."]
RAGGED = [["The dog bit the man.", "The dog had bit the man."], ["It was not unexpected."], ["The man bit him first."]]
KEYS = ["score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len", "signature"]
WRONG_SHAPES = [
    ({"references": "abc"}, "references: expected the references of each prediction; write [[reference], ...]"),
    ({"references": 3}, "references: expected the references of each prediction"),
    ({"references": {"a": 1}}, "references: a dict, whose order"),
    (
        {"references": [["a"], None, ["b"]]},
        "the references of prediction 1 (counting from 0) are of type NoneType; give a list",
    ),
    (
        {"references": [["a"], ["b"], {"c"}]},
        "the references of prediction 2 (counting from 0) are of type set; give a list",
    ),
    (
        {"references": [["a"], [b"b"], ["c"]]},
        "reference of prediction 1 (counting from 0) is of type bytes, not a string",
    ),
    ({"predictions": "abc"}, "prediction: a bare string where a list of strings belongs"),
    (
        {"predictions": ["a", None, "b"]},
        "prediction 1 (counting from 0) is None; give a string, an empty one for no output",
    ),
]
WRONG = [
    ({"references": [["a"]]}, "3 predictions, but references for 1; give the references of each prediction"),
    ({"references": [PREDICTIONS]}, "these are streams of references, so write list(zip(*references))"),
    ({"references": [["a"], [], ["b"]]}, "all references of segment 1 (counting from 0) are missing"),
    ({"references": [["a"], ["b"], [None, None]]}, "all references of segment 2 (counting from 0) are missing"),
    ({"references": iter(RAGGED[:2])}, "at least 3 predictions, but references for 2;"),
    ({"references": iter([*RAGGED, ["more"]])}, "3 predictions, but references for at least 4;"),
    ({"predictions": [], "references": []}, "there are no predictions to score"),
    ({"tokenize": "nope"}, "unknown tokenizer 'nope'"),
    ({"smooth_method": "linear"}, "smooth_method 'linear'; choose one of exp"),
]


def streams(items):
    """Return references as streams of equal length, in which None stands for a missing one."""
    return [
        [item[place] if place < len(item) else None for item in items]
        for place in range(max(map(len, items), default=0))
    ]


def check(found, score):
    """Check an answer against a score, ours or the oracle's."""
    assert list(found) == KEYS
    assert oracles.same(found["score"], score.score)
    assert all(found[key] == getattr(score, key) for key in KEYS[1:-1])


def test_the_answer_has_the_keys_that_evaluate_has_and_the_signature():
    found = compute(predictions=PREDICTIONS, references=RAGGED)
    check(found, corpus_bleu(PREDICTIONS, streams(RAGGED)))
    assert found["signature"].startswith("nrefs:var|case:mixed|eff:no|tok:13a|smooth:exp|version:bleucli-")
    assert json.loads(json.dumps(found)) == found


@given(corpus=corpora())
@examples(200)
def test_ragged_references_score_as_streams_with_gaps_do(corpus):
    items = [[text for text in texts if text is not None] for texts in zip(*corpus.references, strict=True)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = compute(predictions=corpus.hypotheses, references=items)
        check(found, BLEU().corpus_score(corpus.hypotheses, streams(items)))
    check(found, oracles.bleu().corpus_score(corpus.hypotheses, streams(items)))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"lowercase": True, "tokenize": "char"}, {"lowercase": True, "tokenize": "char"}),
        ({"smooth_method": "floor", "smooth_value": 0.2}, {"smooth_method": "floor", "smooth_value": 0.2}),
        ({"use_effective_order": True, "force": True}, {"effective_order": True, "force": True}),
        ({"trg_lang": "zh", "max_ngram_order": 2}, {"trg_lang": "zh", "max_ngram_order": 2}),
    ],
)
def test_options_are_those_of_bleu(ours, theirs):
    check(
        compute(predictions=PREDICTIONS, references=RAGGED, **ours),
        oracles.bleu(**theirs).corpus_score(PREDICTIONS, streams(RAGGED)),
    )


def test_empty_references_can_count_as_missing():
    items = [[*item, ""] for item in RAGGED]
    found = compute(predictions=PREDICTIONS, references=items, skip_empty_refs=True)
    check(found, corpus_bleu(PREDICTIONS, streams(RAGGED)))
    assert "empty:missing" in found["signature"]


def test_a_plain_string_is_the_only_reference():
    bare = [item[0] for item in RAGGED]
    check(compute(predictions=PREDICTIONS, references=bare), corpus_bleu(PREDICTIONS, [bare]))
    mixed = [bare[0], RAGGED[1], tuple(RAGGED[2])]
    check(compute(predictions=PREDICTIONS, references=mixed), corpus_bleu(PREDICTIONS, [bare]))


@pytest.mark.parametrize("make", [iter, tuple, pandas.Series, pyarrow.array])
def test_any_iterable_will_do(make):
    expected = compute(predictions=PREDICTIONS, references=RAGGED)
    assert compute(predictions=make(PREDICTIONS), references=make(RAGGED)) == expected


def test_blocks_may_have_different_numbers_of_references():
    """Text is read in blocks of 4096 items; the second block has one more reference, the third has one fewer."""
    rng = random.Random(5)
    words = ["the", "cat", "sat", "on", "a", "mat", "dog", "ran"]
    texts = [" ".join(rng.choices(words, k=rng.randint(1, 9))) for _ in range(10_000)]
    items = [rng.choices(texts, k=2 if n < 4096 else 3 if n < 8192 else 1) for n in range(len(texts))]
    found = compute(predictions=texts, references=items)
    check(found, corpus_bleu(texts, streams(items)))


def test_hints_are_warnings_that_point_at_the_caller():
    with pytest.warns(UserWarning, match="BLEU is 0 since no word matches") as caught:
        compute(predictions=["a"], references=["b"])
    assert caught[0].filename == __file__


@pytest.mark.parametrize(("wrong", "message"), WRONG)
def test_errors_are_one_line(wrong, message):
    raised([message], compute, **{"predictions": PREDICTIONS, "references": RAGGED} | wrong)


@pytest.mark.parametrize(("wrong", "message"), WRONG_SHAPES)
def test_input_of_the_wrong_shape_is_a_type_error(wrong, message):
    raised([message], compute, **{"predictions": PREDICTIONS, "references": RAGGED} | wrong)
    with pytest.raises(InputTypeError):
        compute(**{"predictions": PREDICTIONS, "references": RAGGED} | wrong)


def test_numbers_are_not_predictions():
    with pytest.raises(TypeError):
        compute(predictions=array("d", [1.0]), references=["a"])
    with pytest.raises(TypeError):
        compute(PREDICTIONS, RAGGED)


def test_a_table_is_not_a_list_of_references():
    """The names of its columns were read as references."""
    frame = pandas.DataFrame({"the cat": ["a", "b"], "a dog": ["c", "d"]})
    raised(
        ("references: a table where one column belongs",), compute, predictions=["the cat", "a dog"], references=frame
    )
