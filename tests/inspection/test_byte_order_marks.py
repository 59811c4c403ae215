"""A byte-order mark in a text file is text, as in sacreBLEU: published scores depend on it. Elsewhere it is dropped."""

from __future__ import annotations

import gzip
import json
from itertools import product

import oracles
import pytest

MARK = "\ufeff"
LINES = "the cat sat on the mat\nhello world out there\n"
MARKED = MARK + LINES
NOTED = "bleu: warning: {} starts with a byte-order mark, which is scored as text, as in sacreBLEU; {}"
REMEDY = "-e utf-8-sig drops it"
SCORES = "100.0\n100.0\n"


@pytest.fixture
def files(write):
    """Write the text with and without a mark, plain, compressed and in columns."""
    write("plain", LINES)
    write("marked", MARKED)
    write("marked.gz", gzip.compress(MARKED.encode()))
    write("columns", MARK + "".join(f"{line}\t{line} x\n" for line in LINES.splitlines()))


def warnings_about_marks(answer):
    return [line for line in answer.err.splitlines() if "byte-order" in line]


@pytest.mark.parametrize(
    "encoding", [(), pytest.param(("-e", "utf-8-sig"), marks=pytest.mark.slow)], ids=["utf-8", "utf-8-sig"]
)
@pytest.mark.parametrize(
    "words",
    [
        *(f"{left} -i {right}" for left, right in product(("plain", "marked", "marked.gz"), repeat=2)),
        *("columns -nr 2 -i plain", "columns -nr 2 -i marked", "plain", "columns -nr 2"),
    ],
)
def test_scores_are_those_of_sacrebleu(run, files, words, encoding):
    line = [*words.split(), "-m", "bleu", "chrf", "ter", "-w", "6", "-f", "text", *encoding]
    ours, theirs = run(*line, stdin=MARKED.encode()), oracles.oracle_command(line, ".", MARKED.encode())
    assert ours.status == theirs.returncode == 0
    assert oracles.without_version(ours.out) == oracles.without_version(theirs.stdout.decode())
    assert run(*line, "-J", "2", stdin=MARKED.encode()).out == ours.out
    marked = [name for name in words.split() if name in ("marked", "marked.gz", "columns")]
    marked += ["standard input"] if "-i" not in words else []
    assert sorted(warnings_about_marks(ours)) == (
        [] if encoding else sorted(NOTED.format(name, REMEDY) for name in marked)
    )


def test_the_first_column_of_standard_input_keeps_the_mark(run, files):
    given = MARK + "".join(f"{line}\t{line}\n" for line in LINES.splitlines())
    answer = run("plain", "-f", "csv", stdin=given.encode())
    assert [row.split(",")[1] for row in answer.out.splitlines()[1:]] == ["83.8", "100.0"]
    assert warnings_about_marks(answer) == [NOTED.format("standard input", REMEDY)]
    assert "83.8" not in run("plain", "-f", "csv", "-e", "utf-8-sig", stdin=given.encode()).out


@pytest.mark.parametrize(("encoding", "noted"), [("utf-16", False), ("utf-16-le", True), ("utf-16-be", True)])
def test_an_encoding_that_has_a_mark_drops_it(run, write, encoding, noted):
    write("ref.txt", (LINES if encoding == "utf-16" else MARKED).encode(encoding))
    write("sys.txt", LINES.encode(encoding))
    words = ("ref.txt", "-i", "sys.txt", "-e", encoding, "-sl", "-b")
    ours, theirs = run(*words), oracles.oracle_command(words, ".")
    assert ours.out == theirs.stdout.decode()
    assert (ours.out == SCORES) is not noted
    assert warnings_about_marks(ours) == [NOTED.format("ref.txt", "delete it if it is there by mistake")] * noted


def test_a_mark_within_a_file_is_text_without_a_warning(run, write):
    write("ref.txt", f"a\n{MARK}b\n")
    assert run("ref.txt", "-b", "-tok", "none", "--max-ngram-order", "1", stdin=b"a\nb\n") == (0, "50.0\n", "")


# --- what is not text


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("extra", [(), ("-J", "2"), ("-e", "utf-8-sig")])
def test_json_lines_are_read_without_the_mark(run, write, pack, extra):
    items = "".join(json.dumps({"hypothesis": line, "reference": line}) + "\n" for line in LINES.splitlines())
    write("items.jsonl", pack((MARK + items).encode()))
    assert run("-i", "items.jsonl", "-sl", "-b", *extra) == (0, SCORES, "")
    assert run("--jsonl", "-sl", "-b", *extra, stdin=pack((MARK + items).encode())) == (0, SCORES, "")


def test_a_mark_in_a_field_of_json_lines_is_text(run, write):
    write("items.jsonl", json.dumps({"hypothesis": MARK + "a b c d", "reference": "a b c d"}) + "\n")
    answer = run("-i", "items.jsonl", "-sl", "-b")
    assert answer.out != "100.0\n"


def test_numbers_are_read_without_the_mark(run, write):
    write("numbers.txt", f"{MARK}0.25\n0.75\n")
    assert run("--segment-scores", "-i", "numbers.txt", "-b") == (0, "0.500\n", "")
    assert run("--segment-scores", "-b", stdin=f"{MARK}0.25\n0.75\n".encode()) == (0, "0.500\n", "")
    write("numbers.txt", f"0.25\n{MARK}0.75\n")
    assert "numbers.txt, line 2: '\\ufeff0.75'" in run("--segment-scores", "-i", "numbers.txt", "-b").err


def test_registries_and_baselines_are_read_without_the_mark(run, files, write):
    write(
        "sets.toml",
        f'{MARK}[testsets.acme]\nformat = "plain"\nsources = [{{ url = "plain" }}]\n'
        '[testsets.acme.pairs.en-de]\nfiles = ["source:0", "source:0"]\n',
    )
    assert run("--registry", "sets.toml", "--list", "-t", "acme") == (0, "en-de: src, ref\n", "")
    old = run("plain", "-i", "marked", "-q").out
    write("old.json", MARK + old)
    assert run("plain", "-i", "marked", "-q", "--baseline", "old.json", "--max-drop", "1").status == 0


def test_a_test_set_with_a_mark_is_scored_with_it_without_a_warning(run, files, write, monkeypatch):
    """The published encoding applies, since users cannot change it; `-e` applies to other files."""
    monkeypatch.setenv("BLEU_HOME", "cache")
    write(
        "sets.toml",
        '[testsets.acme]\nformat = "plain"\nsources = [{ url = "marked" }]\n'
        '[testsets.acme.pairs.en-de]\nfiles = ["source:0", "source:0"]\n',
    )
    words = ("--registry", "sets.toml", "-t", "acme", "-l", "en-de")
    assert run(*words, "--echo", "ref").out == MARKED
    assert run(*words, "-b", "-i", "marked", "-e", "utf-8-sig").out == run("marked", "-b", "-i", "plain").out
    assert warnings_about_marks(run(*words, "-i", "plain")) == []
