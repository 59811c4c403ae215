"""What a type checker knows about a user's program: the score of a metric has the metric's own class."""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys

import pytest

pytest.importorskip("mypy")

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = """\
from collections.abc import Sequence

import bleucli
import bleucli.metrics
import bleucli.significance
from bleucli import BLEU, CER, CHRF, TER, WER, CorpusStats, Segments, corpus_bleu, metric_from_signature, sentence_ter
from bleucli.metrics import METRICS, Metric
from bleucli.counting import References
from bleucli.metrics.score import Score
from bleucli.kernels.stats import SegmentStats

hypotheses, references = ["a b"], [["a c"]]
reveal_type(BLEU().corpus_score(hypotheses, references))
reveal_type(CHRF(beta=1).corpus_score(hypotheses, references, n_bootstrap=10))
reveal_type(TER().sentence_score("a b", ["a c"]))
reveal_type(WER().corpus_score(hypotheses, references))
reveal_type(CER().corpus_score(hypotheses, references))
reveal_type(BLEU().score_from_stats([0, 0, 0, 0, 0, 0, 0, 0, 0, 0]))
reveal_type(corpus_bleu(hypotheses, references))
reveal_type(sentence_ter("a", ["a"]))
reveal_type(metric_from_signature("BLEU|tok:13a").corpus_score(hypotheses, references))
parts: list[CorpusStats[bleucli.TERScore]] = [TER().corpus_stats(hypotheses, references)]
reveal_type(CorpusStats.sum(parts).score())
reveal_type((parts[0] + parts[0]).take([0]).score())
results = bleucli.evaluate_systems({"a": hypotheses}, references, scores={"COMET": {"a": [0.5]}})
reveal_type(results["a"])
reveal_type(results["a"]["BLEU"])
reveal_type(results.score("a", "BLEU"))
precisions: list[float] = BLEU().corpus_score(hypotheses, references).precisions
edits: int = TER().corpus_score(hypotheses, references).num_edits


def average(metrics: Sequence[Metric], hypotheses: list[str], references: list[list[str]]) -> float:
    return sum(metric.corpus_score(hypotheses, references).score for metric in metrics) / len(metrics)


average([BLEU(), CHRF(), TER(), WER()], hypotheses, references)
average([kind() for kind in METRICS.values()], hypotheses, references)


class Characters(Score):
    characters: int


class Length(Metric[Characters]):
    name = "length"

    def prepare(self, segments: Segments) -> Segments:
        return segments

    def compare(self, hypotheses: Segments, references: References) -> SegmentStats:
        return BLEU(tokenize="char").segment_stats(hypotheses, references.streams)

    def score_from_stats(self, sums: Sequence[int | float]) -> Characters:
        return Characters()


reveal_type(Length().corpus_score(hypotheses, references))
score = CHRF().corpus_score(hypotheses, references)
reveal_type(float(score))
reveal_type(score.signature)
tokenizer: str = BLEU().corpus_score(hypotheses, references).signature.info["tok"]
print(f"{score:.1f}", score == score, score.to_dict()["score"], repr(BLEU(tokenize="intl")))
reveal_type(bleucli.significance.PairedTest)
bleucli.corpus_blue(hypotheses, references)
bleucli.metrics.CHFR()
bleucli.significance.PairdTest
TER().corpus_score(hypotheses, references).precisions
BLEU(lowercase="no")
"""
SCORES = (
    "BLEUScore",
    "CHRFScore",
    "TERScore",
    "WERScore",
    "CERScore",
    "BLEUScore",
    "BLEUScore",
    "TERScore",
    "Score",
    "TERScore",
    "TERScore",
    "SystemResult",
    "ScoreRecord",
    "float",
    "Characters",
    "float",
    "Signature",
    "PairedTest",
)
ERRORS = (
    'Module has no attribute "corpus_blue"',
    'Module has no attribute "CHFR"',
    'Module has no attribute "PairdTest"',
    '"TERScore" has no attribute "precisions"',
    'Argument "lowercase" to "BLEU" has incompatible type "str"; expected "bool"',
)
MISUSES = (
    *("bleucli.corpus_blue(", "bleucli.metrics.CHFR", "bleucli.significance.PairdTest"),
    *("TER().corpus_score(hypotheses, references).precisions", "BLEU(lowercase="),
)


@pytest.mark.slow
def test_a_users_program_is_checked_strictly(tmp_path, pytestconfig):
    program, cache = tmp_path / "program.py", pytestconfig.cache.mkdir("mypy")  # without a cache it takes long
    program.write_text(PROGRAM, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", cache, program],
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": ROOT},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stderr == ""
    assert tuple(re.findall(r'Revealed type is ".*?(\w+)"', done.stdout)) == SCORES
    errors = re.findall(r"program.py:\d+: error: (.*?)  \[", done.stdout)
    assert len(errors) == done.stdout.count(" error: ") == len(ERRORS), done.stdout
    assert all(error.startswith(expected) for error, expected in zip(errors, ERRORS, strict=True))


def pyright(folder, **settings):
    """Return what pyright says about the programs in a folder."""
    settings = {"extraPaths": [ROOT], "typeCheckingMode": "standard", **settings}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", folder],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return json.loads(done.stdout)["generalDiagnostics"]


@pytest.mark.slow
@pytest.mark.heavy
def test_pyright_finds_the_same_errors_in_a_users_program(tmp_path):
    pytest.importorskip("pyright")
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    found = pyright(tmp_path)
    types = [one["message"] for one in found if one["severity"] == "information"]
    assert tuple(re.search(r'is ".*?(\w+)\]?"', one)[1] for one in types) == SCORES, types
    lines = PROGRAM.splitlines()
    wrong = [lines[one["range"]["start"]["line"]] for one in found if one["severity"] == "error"]
    assert wrong == [line for line in lines if line.startswith(MISUSES)], found


def examples(page):
    """Return the Python examples of a page as a program."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        found = doctest.DocTestParser().get_examples(file.read())
    return "".join(example.source for example in found)


# Without the page of the API, whose examples do not share their names
PAGES = ["README.md", *(f"docs/{name}" for name in sorted(os.listdir(os.path.join(ROOT, "docs"))) if name != "api.md")]


def write_examples(folder):
    for page in PAGES:
        name = re.sub(r"\W", "_", page)
        (folder / f"{name}.py").write_text(examples(page), encoding="utf-8")


@pytest.mark.slow
def test_the_examples_of_the_documentation_have_right_types(tmp_path, pytestconfig):
    cache = pytestconfig.cache.mkdir("mypy")
    write_examples(tmp_path)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--config-file=",
            "--ignore-missing-imports",
            "--allow-redefinition",
            "--cache-dir",
            cache,
            ".",
        ],
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": ROOT},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.stderr, done.returncode) == ("", 0), done.stdout


@pytest.mark.slow
@pytest.mark.heavy
def test_pyright_finds_no_errors_in_the_examples(tmp_path):
    """Packages that examples import need not be installed."""
    pytest.importorskip("pyright")
    write_examples(tmp_path)
    found = pyright(tmp_path, reportMissingImports=False, reportUnusedExpression=False)
    assert not found, found
