"""`bleu check` on real outputs: `scripts/check_misses` finds what it damages, and good outputs have no findings."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from evaluation_data import CORPORA, FOLDER, problem, read_lines

from bleucli import check_texts

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(problem(FOLDER)), reason="needs evaluation data")]
# Typography is a matter of convention
CONVENTIONS = {"quotes", "apostrophes", "dashes", "ellipses", "spaces"}
# What was looked at and is true: quotation marks doubled as in CSV, `</s>`, `##`, and full-width letters in the text
TRUE = {
    ("wmt22.en-ja/KYB", "quoting"),
    ("wmt22.en-ja/KYB", "special-tokens"),
    ("wmt22.en-zh/LanguageX", "subwords"),
    ("wmt22.en-ja/references[0]", "full-width"),
}


def misses(root, *words):
    script = os.path.join(root, "scripts", "check_misses")
    environment = {**os.environ, "PYTHONPATH": str(root)}
    words = [sys.executable, "-W", "ignore", script, "--folder", FOLDER, *words]
    return subprocess.run(words, capture_output=True, text=True, env=environment, check=False)


def test_damages_of_every_kind_are_found(root):
    answer = misses(root, "--every", "12")
    assert answer.returncode == 0, answer.stdout
    assert "missed" in answer.stdout.splitlines()[-1]


@pytest.mark.parametrize("words", [("--steps", "500"), ("--lengths", "200")])
def test_lines_out_of_step_are_located(root, words):
    answer = misses(root, *words)
    assert answer.returncode == 0, answer.stdout
    assert "located within two lines" in answer.stdout


@pytest.mark.parametrize("corpus", [name for name in CORPORA if name.startswith("wmt22.")])
def test_good_outputs_have_no_findings(corpus):
    references, systems = CORPORA[corpus]
    texts = {name: read_lines(FOLDER, corpus, f"{name}.txt") for name in systems}
    findings = check_texts(texts, [read_lines(FOLDER, corpus, f"{references[0]}.txt")]).findings
    kinds = {(f"{corpus}/{one.text}", one.kind) for one in findings if one.kind not in CONVENTIONS}
    assert kinds <= TRUE
