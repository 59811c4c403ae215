"""The oracle, sacreBLEU 2.6.0, as a black box: run it and compare its answers.

- `bleu`, `chrf`, `ter`, `score_from_sums`, `tokenized`, and the functions named as ours are: its Python interface
- `oracle_command`, `our_command`, `outputs`, `without_version`: the two commands and what they print
- `kernel_modules`: our kernels, each of which is compared
- `same`, `same_score`, `difference`: whether two answers are equal to the last bit; and deviations with their reasons
- `real_data`, `read_lines`: real system outputs, which lie outside the checkout (see `evaluation_data`)
- `stored`, `stored_scores`: its answers for them, and for texts that it needs minutes for (see `make_oracle_scores.py`)
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import lru_cache
from types import ModuleType
from typing import Any

import evaluation_data
import pytest
import sacrebleu
from evaluation_data import read_lines
from sacrebleu.metrics import BLEU, CHRF, TER

CHECKOUT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DEMO = os.path.join(CHECKOUT, "bleucli", "testsets", "demo")
DATA = evaluation_data.FOLDER
STORED = os.path.join(CHECKOUT, "tests", "oracle_scores.json")
VERSION = "2.6.0"

corpus_bleu = sacrebleu.corpus_bleu
corpus_chrf = sacrebleu.corpus_chrf
corpus_ter = sacrebleu.corpus_ter
raw_corpus_bleu = sacrebleu.raw_corpus_bleu
sentence_bleu = sacrebleu.sentence_bleu
sentence_chrf = sacrebleu.sentence_chrf
sentence_ter = sacrebleu.sentence_ter

# The oracle recommends effective order at every sentence
logging.getLogger("sacrebleu").setLevel(logging.ERROR)


def _shut() -> None:
    """Keep the black box shut when a test fails: tracebacks of pytest omit modules with `__tracebackhide__`."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "sacrebleu":
            module.__tracebackhide__ = True  # type: ignore[attr-defined]


for _name in ("13a", "char", "none"):
    BLEU(tokenize=_name)  # loads the tokenizer's module
TER()  # loads its tokenizer, too
_shut()


# --- the Python interface


def bleu(**options: Any) -> BLEU:
    """Return the oracle's BLEU object; the options are those of `bleucli.BLEU`.

    >>> bleu(tokenize="char").corpus_score(["ab"], [["ab"]]).totals
    [2, 1, 0, 0]
    """
    return BLEU(**options)


def chrf(**options: Any) -> CHRF:
    """Return the oracle's chrF object; the options are those of `bleucli.CHRF`.

    >>> chrf(word_order=2).corpus_score(["a b c"], [["a b d"]])
    chrF2++ = 46.67
    """
    return CHRF(**options)


def ter(**options: Any) -> TER:
    """Return the oracle's TER object; the options are those of `bleucli.TER`.

    >>> ter().sentence_score("b a c", ["a b c d"]).num_edits
    2
    """
    return TER(**options)


def score_from_sums(
    sums: Sequence[int],
    order: int,
    method: str = "exp",
    value: float | None = None,
    effective_order: bool = False,
) -> Any:
    """Return the oracle's score of sums of `[hyp_len, ref_len, correct_1.., total_1..]`, of which `order` are used.

    >>> score_from_sums((6, 6, 5, 4, 6, 5), 2).precisions
    [83.33333333333333, 80.0]
    """
    orders = (len(sums) - 2) // 2
    counts, totals = list(sums[2 : 2 + order]), list(sums[2 + orders : 2 + orders + order])
    return BLEU.compute_bleu(counts, totals, sums[0], sums[1], method, value, effective_order, order)


@lru_cache(maxsize=16)
def _tokenizer(name: str) -> Any:
    return BLEU(tokenize=name).tokenizer


def tokenized(name: str, text: str) -> str:
    """Return what the oracle's tokenizer makes of a text.

    >>> tokenized("13a", "Well, no.")
    'Well , no .'
    """
    return str(_tokenizer(name)(text))


# --- the commands


def oracle_command(words: Sequence[str], folder: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run `sacrebleu` in a folder."""
    if not hasattr(os, "fork"):
        return _command("sacrebleu", words, folder, stdin)
    with tempfile.TemporaryDirectory() as place:
        streams = [os.path.join(place, name) for name in ("in", "out", "err")]
        for path, content in zip(streams, (stdin, b"", b""), strict=True):
            with open(path, "wb") as file:
                file.write(content)
        command = {"words": words, "folder": os.path.abspath(folder), "variables": _variables(), "streams": streams}
        server = _oracle_server()
        print(json.dumps(command), file=server.stdin, flush=True)
        status = int(server.stdout.readline())
        out, err = (_content(path) for path in streams[1:])
    return subprocess.CompletedProcess(["sacrebleu", *words], status, out, err)


@lru_cache(maxsize=1)
def _oracle_server() -> Any:
    """Start the process that runs the oracle's commands, so that the oracle is loaded once. It ends with its input."""
    path = os.path.join(CHECKOUT, "tests", "oracle_server.py")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen([sys.executable, path], env=_variables(), encoding="utf-8", **pipes)


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def our_command(words: Sequence[str], folder: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run `bleu` of this checkout in a folder."""
    return _command("bleucli", words, folder, stdin)


def _command(module: str, words: Sequence[str], folder: str, stdin: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", module, *words],
        cwd=folder,
        env=_variables(),
        input=stdin,
        capture_output=True,
        timeout=600,
    )


def _variables() -> dict[str, str]:
    """Return the environment without what changes the commands."""
    unset = ("BLEU_FORMAT", "SACREBLEU_FORMAT", "PYTHONPATH")
    variables = {name: value for name, value in os.environ.items() if name not in unset}
    return variables | {"PYTHONPATH": CHECKOUT, "PYTHONUTF8": "1", "NO_COLOR": "1"}


def outputs(run: Any, line: str, stdin: bytes = b"") -> tuple[str, str]:
    """Return what both commands print, versions left out: ours, which the fixture `run` runs, and the oracle's."""
    ours, theirs = run(*line.split(), stdin=stdin), oracle_command(line.split(), os.getcwd(), stdin)
    assert (ours.status, theirs.returncode) == (0, 0), ours.err
    return without_version(ours.out), without_version(theirs.stdout.decode())


_VERSION = re.compile(r'(\|version:|\|v:|"version": ")[^ "|\n]*')
# The explanation of a test, which is ours; its heading begins with the name of the test
_EXPLANATION = re.compile(r"-+\nPaired [^\n]*\n-+\n.*?\n\n(?=-+\nMetric signatures\n)", re.DOTALL)


def without_version(text: str) -> str:
    """Leave the version out of signatures and JSON, and the explanation under a table of tests, which is in our words.

    >>> without_version("tok:13a|version:2.6.0 = 1.0"), without_version('"version": "2.6.0"')
    ('tok:13a|version: = 1.0', '"version": ""')
    """
    return _EXPLANATION.sub("", _VERSION.sub(r"\1", text))


def our_signature(signature: str, order: int = 4) -> str:
    """Return what our command prints where the oracle prints `signature`, long or short; versions are left out.

    >>> our_signature("nrefs:1|tok:13a|smooth:exp|version:2.6.0", 2), our_signature("#:1|v:2.6.0", 2)
    ('nrefs:1|tok:13a|smooth:exp|ngram:2|version:', '#:1|n:2|v:')
    """
    rest, bar, version = without_version(signature).rpartition("|")
    added = "" if order == 4 else f"|{'n' if version == 'v:' else 'ngram'}:{order}"
    return f"{rest}{added}{bar}{version}"


# --- our kernels


def kernel_modules() -> list[ModuleType]:
    """Return the python kernels and, where they were built from the sources at hand, the native ones."""
    from bleucli import kernels
    from bleucli.kernels import python

    native, _ = kernels._load_native()
    return [python] if native is None else [python, native]


# --- equality: to the last bit, except for what is listed here with its reason

# The oracle's BLEU can be 100.00000000000004, by rounding. Ours is then 100.0, on purpose
EXCESS = 1e-9
# Resampled BLEU scores come from NumPy's logarithm and exponential, that of a whole corpus from Python's
NUMPYS_LOGARITHM = 1e-12
# The averages of three or more references' lengths are rounded, so TER's sum of them depends on the order. The oracle
# adds segment after segment; we add block after block (4096 segments in Python, 512 KiB of a file)
OTHER_ORDER = 1e-12
# The oracle adds up resamples in single precision: the relative error of means, and that of half-widths, which are
# differences
SINGLE_PRECISION, OF_DIFFERENCES = 2e-6, 2e-5


def same(ours: float, theirs: float) -> bool:
    """Return whether a score of ours is what the oracle's should be.

    >>> same(100.0, 100.00000000000004), same(27.1, 27.1), same(27.1, 27.100000000000005)
    (True, True, False)
    """
    return ours == (100.0 if 100.0 < theirs < 100.0 + EXCESS else theirs)


def near(ours: float | None, theirs: float | None, relative: float) -> bool:
    """Return whether two numbers differ by no more than one of the reasons above allows; None equals only None."""
    if ours is None or theirs is None:
        return ours is theirs
    return abs(ours - theirs) <= relative * abs(theirs)


_PARTS = ("counts", "totals", "precisions", "bp", "sys_len", "ref_len", "ratio")


def same_score(ours: Any, theirs: Any) -> bool:
    """Return whether two BLEU scores are equal in all their parts."""
    return same(ours.score, theirs.score) and all(getattr(ours, part) == getattr(theirs, part) for part in _PARTS)


def difference(ours: Any, theirs: Any) -> str:
    """Return in which fields two scores differ, for a message."""
    pairs = [(field, getattr(ours, field), getattr(theirs, field)) for field in ("score", *_PARTS)]
    return "; ".join(f"{field}: ours {a!r}, oracle's {b!r}" for field, a, b in pairs if a != b) or "none"


# --- data


def real_data(*wanted: str) -> str:
    """Return the folder of the evaluation data.

    Skips the test if there are none, or if files or folders that are `wanted` are missing; fails it if
    BLEU_EVALUATION_DATA names a folder without them.
    """
    if problem := evaluation_data.problem(DATA):
        (pytest.fail if os.environ.get(evaluation_data.VARIABLE) else pytest.skip)(problem)
    for name in wanted:
        if not os.path.exists(os.path.join(DATA, name)):
            pytest.skip(f"{DATA} has no {name}")
    return DATA


def published_bleu(folder: str) -> Iterator[tuple[str, str, str, float]]:
    """Give language pair, system, references (`A`, `B`, `all`) and score of each BLEU score that WMT22 published."""
    return _published(folder, "bleu-")


def published_chrf(folder: str) -> Iterator[tuple[str, str, str, float]]:
    """Give language pair, system, references (`A`, `B`, `all`) and score of each chrF score that WMT22 published."""
    return _published(folder, "chrf-")


def _published(folder: str, metric: str) -> Iterator[tuple[str, str, str, float]]:
    path = os.path.join(folder, evaluation_data.PUBLISHED)
    if not os.path.isfile(path):
        pytest.skip(f"there is no {path}")
    with open(path, encoding="utf-8") as file:
        for line in file:
            pair, system, _, _, what, score = line.rstrip("\n").split("\t")
            if what.startswith(metric):
                yield pair, system, what.removeprefix(metric), float(score)


@lru_cache(maxsize=1)
def stored() -> Any:
    """Return what `make_oracle_scores.py` wrote.

    >>> stored()["oracle"]
    'sacreBLEU 2.6.0'
    """
    with open(STORED, encoding="utf-8") as file:
        return json.load(file)


def stored_scores(metric: str, options: dict[str, Any]) -> Iterator[tuple[dict[str, Any], list[str], list[list[str]]]]:
    """Give the rows of the table for a metric and its options, each with hypotheses and references.

    Leaves out the rows of WMT17 if the evaluation data lack it. Skips the test if there are no data, and fails it if
    they are not those that the oracle scored.
    """
    folder = real_data()
    there = evaluation_data.present(folder)
    for row in stored()["scores"]:
        if (row["metric"], row["options"]) == (metric, options) and row["pair"] in there:
            paths = [f"{row['pair']}/{name}.txt" for name in (row["system"], *row["references"])]
            for path in paths:
                known = stored()["files"][path]
                assert folded_sha256(os.path.join(folder, path)) == known, f"{path} changed: run make_oracle_scores.py"
            hypotheses, *streams = (read_lines(folder, path) for path in paths)
            yield row, hypotheses, streams


@lru_cache(maxsize=64)
def sha256_of(path: str) -> str:
    """Return the SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


@lru_cache(maxsize=64)
def folded_sha256(path: str) -> str:
    """Return the SHA-256 of a file's lines with single blanks for white space, as test sets made from XML have them."""
    return hashlib.sha256("".join(f"{' '.join(line.split())}\n" for line in read_lines(path)).encode()).hexdigest()
