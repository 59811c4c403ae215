"""Files that are written: none is an input, in whichever way the input is named, and none is written twice."""

from __future__ import annotations

import os

import pytest
from conftest import refused

SYSTEM = "the cat sat\non the mat\n"
OWN = (
    '[testsets.own]\nabout = "ours"\nformat = "plain"\nsources = [{ url = "src.txt" }, { url = "own.ref" }]\n'
    '[testsets.own.pairs.en-de]\nfiles = ["source:0", "source:1"]\n'
)
# --report writes only files that end in .html; no system here has such a name
WRITING = ("-o", "--plot", "--save-stats", "--save-sums")


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


@pytest.mark.parametrize("option", WRITING)
@pytest.mark.parametrize("named", ["s[c].svg", "*c.svg", "./sc.svg", "hard.svg", "soft.svg"])
def test_a_system_is_not_written_over_however_it_is_named(run, texts, option, named):
    os.link("sc.svg", "hard.svg")
    os.symlink("sc.svg", "soft.svg")
    refused(run("ref.txt", "-i", named, option, "sc.svg"), "sc.svg is also an input; name another file")
    refused(run("ref.txt", "-i", "s[c].svg", option, "soft.svg"), "soft.svg is also an input; name another file")
    assert kept("sc.svg")


@pytest.mark.parametrize("option", WRITING)
@pytest.mark.parametrize("how", [("ref.txt",), ("ref.txt", "-i", "-"), ("-", "-i", "ref.txt")])
def test_standard_input_is_not_written_over(run, texts, option, how):
    with open("sc.svg", "rb") as stdin:
        answer = run(*how, option, "sc.svg", stdin=stdin)
    refused(answer, "sc.svg is also the standard input; name another file")
    assert kept("sc.svg")


def test_a_file_on_standard_input_that_is_not_read_may_be_written(run, texts, write):
    write("old.txt", "old\n")
    with open("old.txt", "rb") as stdin:
        assert run("ref.txt", "-i", "sc.svg", "-b", "-o", "old.txt", stdin=stdin).status == 0


@pytest.mark.parametrize("option", WRITING)
def test_added_scores_are_not_written_over(run, texts, write, option):
    other = () if option == "--report" else ("--report", "r.html")
    write("one.svg", "1\n2\n")
    for words in (("comet=one.svg",), ("x=ref.txt", "comet=./one.svg")):
        answer = run("ref.txt", "-i", "sc.svg", option, "one.svg", *other, "--add-scores", *words)
        refused(answer, "one.svg is also an input; name another file")
    with open("one.svg", encoding="utf-8") as file:
        assert file.read() == "1\n2\n"


@pytest.mark.parametrize("option", WRITING)
def test_the_files_of_a_test_set_are_not_written_over(run, texts, write, option):
    for name in ("src.txt", "own.ref"):
        write(name, SYSTEM)
    registry = ("--registry", write("own.toml", OWN))
    own = (*registry, "-t", "own", "-l", "en-de", "-i", "sc.svg")
    assert run(*own, "-q").status == 0
    cached = os.path.join(os.environ["BLEU_HOME"], "own", "own.en-de.src")
    for name in ("src.txt", "own.ref", cached):
        drawing = name
        if option == "--plot":
            os.symlink(os.path.abspath(name), drawing := f"{os.path.basename(name)}.svg")
        refused(run(*own, option, drawing), f"{drawing} is also an input")
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


def test_a_baseline_that_a_history_is_added_to_is_protected_from_other_options(run, texts):
    history = ("-f", "jsonl", "--append", "-o", "h.jsonl")
    judged = ("--baseline", "old.jsonl", "--max-drop", "1")
    assert run("ref.txt", "-i", "sc.svg", "-f", "jsonl", "-o", "old.jsonl").status == 0
    for option in ("--report", "--save-stats", "--save-sums"):
        refused(run("ref.txt", "-i", "sc.svg", *history, *judged, option, "old.jsonl"), "old.jsonl is also an input")


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


def test_two_links_to_one_file_are_not_written_both(run, texts, write):
    write("one.html", "old\n")
    os.link("one.html", "two.html")
    answer = run("ref.txt", "-i", "sc.svg", "-o", "one.html", "--report", "two.html")
    refused(answer, "--output and --report both write two.html; name two files")
