"""Public names of sacreBLEU that bleucli has as well: the same arguments give the same answers."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import oracles
import pytest
import sacrebleu

import bleucli
from bleucli import BLEU, CHRF, TER, Signature, tokenizers
from bleucli.errors import BleuError, InputTypeError, UsageError
from bleucli.metrics import METRICS
from bleucli.metrics.bleu import MAX_NGRAM_ORDER

HYPOTHESES = ["The dog bit the man.", "It wasn't surprising, was it?"]
REFERENCES = [["The dog bit the man.", "It was not unexpected."], ["A dog bit a man.", "Nobody was surprised, was it?"]]
LINES = [
    *(
        "",
        " ",
        " Hello, world's 1,000.5 &amp; end.",
        "a  b\tc",
        "東京に住む。AI",
        "«Ja», 5% von $5",
        "x\u00a0y",
        "end. ",
    ),
    *("e.g. 3-4", "<skipped>a", "日本語 text", "...", "a\u2028b", "don't -- stop"),
]


@pytest.mark.parametrize("method", ["none", "exp", "floor", "add-k"])
@pytest.mark.parametrize("effective", [False, True])
@pytest.mark.parametrize(
    ("correct", "total"), [([3, 2, 1, 0], [4, 3, 2, 1]), ([2, 0, 0, 0], [3, 2, 1, 0]), ([0] * 4, [1] * 4)]
)
def test_compute_bleu_scores_counts_as_sacrebleu_does(correct, total, method, effective):
    arguments = (correct, total, total[0], 5, method, None, effective, 4)
    assert oracles.same_score(BLEU.compute_bleu(*arguments), sacrebleu.BLEU.compute_bleu(*arguments))


def test_compute_bleu_does_not_smooth_unless_asked_to():
    assert BLEU.compute_bleu([3, 2, 1, 0], [4, 3, 2, 1], 4, 5).score == 0
    assert BLEU.compute_bleu([3, 2], [4, 3], 4, 5, max_ngram_order=2).precisions == [75.0, 200 / 3]


@pytest.mark.parametrize("arguments", [([3], [4], 4, 5), ([3] * 4, [4] * 3, 4, 5)])
def test_compute_bleu_refuses_too_few_counts(arguments):
    with pytest.raises(InputTypeError, match="give one of each per order"):
        BLEU.compute_bleu(*arguments)


def test_compute_bleu_refuses_an_unknown_method():
    with pytest.raises(UsageError, match="smooth_method"):
        BLEU.compute_bleu([1] * 4, [1] * 4, 1, 1, "nope")


def test_defaults_are_attributes_of_the_classes():
    theirs = sacrebleu.BLEU
    assert [*theirs.TOKENIZERS] == [*BLEU.TOKENIZERS]
    assert theirs.TOKENIZER_DEFAULT == BLEU.TOKENIZER_DEFAULT
    assert theirs.SMOOTH_DEFAULTS.items() <= BLEU.SMOOTH_DEFAULTS.items()
    for name in ("CHAR_ORDER", "WORD_ORDER", "BETA"):
        assert getattr(CHRF, name) == getattr(sacrebleu.CHRF, name)
    assert sacrebleu.metrics.bleu.MAX_NGRAM_ORDER == MAX_NGRAM_ORDER


@pytest.mark.parametrize(
    "options", [{}, {"smooth_method": "floor", "trg_lang": "zh"}, {"smooth_value": 0.5, "tokenize": "char"}]
)
def test_a_metric_has_its_options_as_attributes(options):
    ours, theirs = BLEU(**options), oracles.bleu(**options)
    for name in ("smooth_method", "smooth_value", "trg_lang", "tokenizer_signature", "max_ngram_order", "lowercase"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert TER().tokenizer_signature == oracles.ter().tokenizer_signature


def test_metrics_are_found_by_both_spellings():
    assert [METRICS[name] for name in ("BLEU", "CHRF", "TER", "WER", "CER")] == list(METRICS.values())
    assert "BLEU" in METRICS
    assert "Bleu" not in METRICS


@pytest.mark.parametrize("name", ["13a", "intl", "zh", "char", "none"])
def test_a_tokenizer_is_called_on_a_line(name):
    for line in LINES:
        assert BLEU(tokenize=name).tokenizer(line).split() == oracles.tokenized(name, line).split(), line


@pytest.mark.parametrize("name", ["ja-mecab", "ko-mecab"])
def test_a_tokenizer_with_a_dictionary_is_called_on_a_line(name):
    if not tokenizers.is_ready(name):
        pytest.skip(f"{name} is not installed")
    for line in LINES:
        assert tokenizers.get(name)(line).split() == oracles.tokenized(name, line).split()


def test_a_tokenizer_is_not_called_on_anything_else():
    for wrong in (["a"], b"a", None):
        with pytest.raises(TypeError, match=type(wrong).__name__):
            tokenizers.get("13a")(wrong)


@pytest.mark.parametrize("kind", ["BLEU", "CHRF", "TER"])
@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("resamples", [1, 10])
def test_a_score_is_formatted_as_json(kind, width, short, resamples):
    told = []
    for module in (sacrebleu.metrics, bleucli.metrics):
        metric = getattr(module, kind)()
        score = metric.corpus_score(HYPOTHESES, REFERENCES, n_bootstrap=resamples)
        told.append(
            score.format(width, signature=metric.get_signature().format(short), is_json=True).replace(
                '"v":', '"version":'
            )
        )
    assert oracles.without_version(told[1]) == oracles.without_version(told[0])


def test_bare_scores_and_scores_without_a_signature_can_be_asked_for_with_json():
    score = TER().sentence_score("a b", ["a c"])
    assert score.format(3, score_only=True, is_json=True) == "50.000"
    assert json.loads(score.format(is_json=True)) == {"name": "TER", "score": 50.0, "signature": ""}
    with pytest.raises(BleuError, match="not of the form key:value"):
        score.format(signature="BLEU", is_json=True)


def test_additions_to_a_signature_are_printed_before_the_version():
    told = []
    for make in (oracles.bleu, BLEU):
        metric = make(lowercase=True)
        metric.corpus_score(["x"], [["x"]])
        signature = metric.get_signature()
        signature.info["model"] = "big"
        signature.info["sorted"] = True
        signature.info["none"] = None
        signature.update("case", "hm")
        signature.update("beam", 5)
        told.append(oracles.without_version(repr(signature)))
    assert told[1] == told[0]
    assert "case:hm|eff:no|tok:13a|smooth:exp|model:big|sorted:yes|beam:5|" in told[1]
    assert Signature.parse("a:1|version:2").format(short=True) == "a:1|v:2"


def test_editors_see_the_names_without_running_the_package():
    """Completion by jedi skips `if TYPE_CHECKING:` if it can infer the value; the annotation prevents that."""
    tree = ast.parse(Path(bleucli.__file__).read_text(encoding="utf-8"))
    (declared,) = [node for node in tree.body if isinstance(node, ast.AnnAssign)]
    assert ast.unparse(declared) == "TYPE_CHECKING: bool = False"
    imported = {
        alias.name
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for statement in node.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }
    assert {*bleucli.__all__} - {"__version__"} <= imported | {"resampling"}
