"""Documents of WMT25 and WMT26 score as in sacreBLEU's API and jiwer, to the last bit, line breaks included."""

from __future__ import annotations

import json
import os
from itertools import combinations, islice

import evaluation_data
import jiwer
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

import bleucli

# Folders of submissions in JSON Lines, keyed by doc_id
CORPORA = ("wmt25.en-cs", "wmt26.eng-ces", "wmt26.eng-tha")
# sacreBLEU needs up to 20 s for the TER of a document of 400 words, so only short documents are compared: these words
TER_WORDS = 120
OPTIONS = {
    **{f"BLEU {name}": (bleucli.BLEU, BLEU, {"tokenize": name}) for name in ("13a", "intl", "char", "zh")},
    "chrF": (bleucli.CHRF, CHRF, {}),
    "chrF++": (bleucli.CHRF, CHRF, {"word_order": 2}),
}
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


def submissions(corpus):
    """Return the documents of each system by id; skip if the folder is missing."""
    folder = os.path.join(evaluation_data.FOLDER, corpus)
    if not os.path.isdir(folder):
        pytest.skip(f"there is no {folder}; name a folder that has it in {evaluation_data.VARIABLE}")
    systems = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".jsonl") and not name.startswith("scores."):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                rows = map(json.loads, file)
                systems[name] = {row["doc_id"]: row["hypothesis"] for row in rows}
    return systems


def pairs(corpus):
    """Give the documents that two systems have, for each pair of systems: hypotheses and references."""
    for (name, ours), (other, theirs) in combinations(submissions(corpus).items(), 2):
        common = [key for key in ours if key in theirs]
        assert common, (name, other)
        yield [ours[key] for key in common], [theirs[key] for key in common]


def check(ours, theirs, hypotheses, references):
    """Compare the scores of the corpus, and of each document."""
    assert any("\n" in text for text in hypotheses)
    expected = theirs.corpus_score(hypotheses, [references])
    assert ours.corpus_score(hypotheses, [references]).score == expected.score
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        score = theirs.sentence_score(hypothesis, [reference]).score
        assert ours.sentence_score(hypothesis, [reference]).score == score, hypothesis


@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize(("ours", "theirs", "options"), OPTIONS.values(), ids=OPTIONS.keys())
def test_documents_have_the_scores_of_sacrebleu(corpus, ours, theirs, options):
    for hypotheses, references in pairs(corpus):
        more = {"effective_order": True} if ours is bleucli.BLEU else {}
        check(ours(**options, **more), theirs(**options, **more), hypotheses, references)


@pytest.mark.parametrize("corpus", CORPORA)
def test_documents_have_the_ter_of_sacrebleu(corpus):
    for hypotheses, references in islice(pairs(corpus), 1):
        documents = zip(hypotheses, references, strict=True)
        chosen = [pair for pair in documents if max(len(text.split()) for text in pair) <= TER_WORDS]
        assert len(chosen) > 20
        check(bleucli.TER(), TER(), *map(list, zip(*chosen, strict=True)))


@pytest.mark.parametrize("corpus", CORPORA)
def test_documents_have_the_error_rates_of_jiwer(corpus):
    for hypotheses, references in pairs(corpus):
        for ours, theirs in ((bleucli.WER, jiwer.wer), (bleucli.CER, jiwer.cer)):
            assert ours().corpus_score(hypotheses, [references]).score == 100 * theirs(references, hypotheses)


@pytest.mark.parametrize("corpus", CORPORA)
def test_the_command_reads_documents_as_the_api_does(run, corpus):
    (reference, documents), *systems = submissions(corpus).items()
    files = [os.path.join(evaluation_data.FOLDER, corpus, name) for name in (reference, *(name for name, _ in systems))]
    words = (files[0], "-i", *files[1:], "--jsonl-fields", "hyp=hypothesis,refs=hypothesis", "-f", "jsonl", "-q")
    answer = run(*words, "-m", "bleu", "chrf", "wer", "cer")
    scores = {(row["system"], row["metric"]): row["score"] for row in map(json.loads, answer.out.splitlines())}
    for name, texts in systems:
        hypotheses, references = [texts[key] for key in documents], list(documents.values())
        for label, score in (
            ("BLEU", BLEU().corpus_score(hypotheses, [references]).score),
            ("chrF2", CHRF().corpus_score(hypotheses, [references]).score),
            ("WER", 100 * jiwer.wer(references, hypotheses)),
            ("CER", 100 * jiwer.cer(references, hypotheses)),
        ):
            assert scores[name.removesuffix(".jsonl"), label] == score
