"""Files that are written: none is an input, in whichever way the input is named."""

from __future__ import annotations

import os

import pytest
from conftest import refused

SYSTEM = "the cat sat\non the mat\n"
OWN = (
    '[testsets.own]\nabout = "ours"\nformat = "plain"\nsources = [{ url = "src.txt" }, { url = "own.ref" }]\n'
    '[testsets.own.pairs.en-de]\nfiles = ["source:0", "source:1"]\n'
)
# The words of commands that write; a page would have to end in .html, which no system here does
WRITING = ((), ("plot",), ("count",), ("count", "--sums"))


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    """Use an empty cache."""
    monkeypatch.setenv("BLEU_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def texts(write):
    """Write a reference and a system; figures need a file that ends in .svg, so the system has this ending."""
    write("ref.txt", "the cat sat\non a mat\n")
    return write("sc.svg", SYSTEM)


def kept(name):
    """Return whether a file is as `texts` wrote it."""
    with open(name, encoding="utf-8") as file:
        return file.read() == SYSTEM


@pytest.mark.parametrize("words", WRITING, ids=" ".join)
@pytest.mark.parametrize("named", ["s[c].svg", "*c.svg", "./sc.svg", "hard.svg", "soft.svg"])
def test_a_system_is_not_written_over_however_it_is_named(run, texts, words, named):
    os.link("sc.svg", "hard.svg")
    os.symlink("sc.svg", "soft.svg")
    refused(run(*words, "ref.txt", "-i", named, "-o", "sc.svg"), "sc.svg is also an input; name another file")
    refused(run(*words, "ref.txt", "-i", "s[c].svg", "-o", "soft.svg"), "soft.svg is also an input; name another file")
    assert kept("sc.svg")


@pytest.mark.parametrize("words", WRITING, ids=" ".join)
@pytest.mark.parametrize("how", [("ref.txt",), ("ref.txt", "-i", "-"), ("-", "-i", "ref.txt")])
def test_standard_input_is_not_written_over(run, texts, words, how):
    with open("sc.svg", "rb") as stdin:
        answer = run(*words, *how, "-o", "sc.svg", stdin=stdin)
    refused(answer, "sc.svg is also the standard input; name another file")
    assert kept("sc.svg")


def test_a_file_on_standard_input_that_is_not_read_may_be_written(run, texts, write):
    write("old.txt", "old\n")
    with open("old.txt", "rb") as stdin:
        assert run("ref.txt", "-i", "sc.svg", "-b", "-o", "old.txt", stdin=stdin).status == 0


def test_added_scores_are_not_written_over(run, texts, write):
    write("one", "1\n2\n")
    for words in (("comet=one",), ("x=ref.txt", "comet=./one")):
        answer = run("report", "ref.txt", "-i", "sc.svg", "-o", "one", "--scores", *words)
        refused(answer, "one is also an input; name another file")
    with open("one", encoding="utf-8") as file:
        assert file.read() == "1\n2\n"


@pytest.mark.parametrize("words", WRITING, ids=" ".join)
def test_the_files_of_a_test_set_are_not_written_over(run, texts, write, words):
    for name in ("src.txt", "own.ref"):
        write(name, SYSTEM)
    registry = ("--registry", write("own.toml", OWN))
    own = (*registry, "-t", "own", "-l", "en-de", "-i", "sc.svg")
    assert run(*own, "-q").status == 0
    cached = os.path.join(os.environ["BLEU_HOME"], "own", "own.en-de.src")
    for name in ("src.txt", "own.ref", cached):
        drawing = name
        if words == ("plot",):
            os.symlink(os.path.abspath(name), drawing := f"{os.path.basename(name)}.svg")
        refused(run(*words, *own, "-o", drawing), f"{drawing} is also an input")
        assert kept(name)


@pytest.mark.parametrize("mode", [("--download", "own"), ("--echo", "ref", "-t", "own")])
def test_modes_do_not_write_over_the_files_of_a_test_set(run, write, mode):
    for name in ("src.txt", "own.ref"):
        write(name, SYSTEM)
    own = (*mode, "--registry", write("own.toml", OWN), "-l", "en-de")
    cached = os.path.join(os.environ["BLEU_HOME"], "own", "own.en-de.ref")
    for name in ("own.ref", cached):
        refused(run(*own, "-o", name), f"--output {name} is also an input")
        assert kept(name)


def test_a_baseline_is_written_over_only_by_a_history(run, texts):
    judged = ("--baseline", "old.jsonl", "--max-drop", "1", "-o", "old.jsonl")
    assert run("ref.txt", "-i", "sc.svg", "-f", "jsonl", "-o", "old.jsonl").status == 0
    refused(run("ref.txt", "-i", "sc.svg", *judged), "old.jsonl is also an input")
    assert run("ref.txt", "-i", "sc.svg", *judged, "-f", "jsonl", "--append").status == 0


def test_a_downloaded_model_is_not_written_over(run, texts, monkeypatch):
    from bleucli.tokenizers import find_model

    model = find_model("flores200")
    os.makedirs(os.path.dirname(model))
    with open(model, "w", encoding="utf-8") as file:
        file.write(SYSTEM)
    signature = "nrefs:1|case:mixed|eff:no|tok:flores200|smooth:exp|version:2.6.0"
    for words in (("-tok", "flores200"), ("--like", signature)):
        refused(run("ref.txt", "-i", "sc.svg", *words, "-o", model), f"--output {model} is also an input")
    assert kept(model)
