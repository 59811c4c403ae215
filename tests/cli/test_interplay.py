"""Where several options meet: systems, test sets, resampling, formats, gates and modes in one run of the command."""

from __future__ import annotations

import json
import os

import pytest
from conftest import refused

DEMO = ("-t", "demo", "-l", "en-de")
SIGNATURE = "BLEU|nrefs:1|bs:500|seed:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"


@pytest.fixture
def numbers(write):
    """Write the segment scores of two systems; return the words to compare them."""
    write("a.txt", "1\n2\n3\n")
    write("b.txt", "1\n3\n2\n")
    return ("--segment-scores", "-i", "a.txt", "b.txt")


# --- scores that others made


def test_segment_scores_have_no_signature_to_follow(run, numbers):
    refused(run(*numbers, "--like", SIGNATURE), "--segment-scores", "leave out", "--like")


def test_messages_about_segment_scores_name_no_references_and_no_case(run, numbers):
    note, warning = run(*numbers, "-lc", terminal=True).err.splitlines()
    assert note == "bleu: note: 3 segments; systems a.txt, b.txt"
    assert "--lowercase (no texts are compared)" in warning


# --- a signature to follow, and resampling


def test_other_resamples_and_seeds_than_those_of_a_signature_are_told(run, pair):
    answer = run(*pair, "-b", "--confidence", "--like", SIGNATURE, variables={"BLEU_SEED": "7"}, terminal=True)
    assert answer.status == 0
    assert "warning: the signature of --like has bs:500, but this score has bs:1000\n" in answer.err
    assert "warning: the signature of --like has seed:1, but this score has seed:7\n" in answer.err
    words = (*pair, "-b", "--confidence", "-cin", "500", "--like", SIGNATURE)
    same = run(*words, variables={"BLEU_SEED": "1"}, terminal=True)
    assert "bs:" not in same.err
    assert "seed:" not in same.err


# --- names of systems


def test_two_systems_cannot_have_one_name(run, pair, write):
    write("Baseline: sys.txt", "the cat sat\nhello\n")
    words = ("ref.txt", "-i", "sys.txt", "Baseline: sys.txt")
    refused(run(*words, "--paired-bs"), "'Baseline: sys.txt'", "rename")
    assert run(*words).status == 0
    write("standard input", "the cat sat\nhello\n")
    refused(run("ref.txt", "-i", "standard input", "-", stdin=b"a\nb\n"), "'standard input'", "rename")


# --- where the answer goes


def test_output_is_not_written_over_standard_input(command, pair):
    answer = command("ref.txt", "-b", "-o", "sys.txt", shell='exec "$@" < sys.txt')
    refused(answer, "--output sys.txt", "standard input")
    with open("sys.txt", encoding="utf-8") as file:
        assert len(file.readlines()) == 2
    assert command("ref.txt", "-i", "sys.txt", "-b", "-o", "ref2.txt", shell='exec "$@" < ref.txt').status == 0


REGISTRY = (
    '[testsets.own]\nabout = "ours"\nformat = "plain"\nsources = [{ url = "src.txt" }, { url = "own.ref" }]\n'
    '[testsets.own.pairs.en-de]\nfiles = ["source:0", "source:1"]\n'
)


@pytest.mark.parametrize("named_by", ["option", "variable"])
def test_output_is_not_written_over_a_registry(run, pair, write, monkeypatch, named_by):
    write("own.toml", REGISTRY)
    registry = ("--registry", "own.toml")
    if named_by == "variable":
        registry = ()
        monkeypatch.setenv("BLEU_REGISTRY", os.path.abspath("own.toml"))
    modes = (("--list",), (*DEMO, "--echo", "src"), (*DEMO, "--cite"), ("--download", "demo"), ("--list-tokenizers",))
    for words in (*modes, (*DEMO, "-i", "sys.txt"), pair, ("--version",)):
        refused(run(*registry, "-o", "own.toml", *words), "--output own.toml is also an input")
    with open("own.toml", encoding="utf-8") as file:
        assert file.read() == REGISTRY


def test_output_is_not_written_over_any_file_that_is_read(run, pair, write):
    write("own.toml", REGISTRY)
    own = ("--registry", "own.toml", "-t", "own", "-l", "en-de")
    files = {name: write(name, "a b c d\n") for name in ("src.txt", "own.ref", "one.sys")}
    assert run(*own, "-i", "one.sys", "-q").status == 0
    cached = os.path.join(os.environ["BLEU_HOME"], "own", "own.en-de.ref")
    for name in ("own.ref", cached):
        for words in (("-i", "one.sys"), ("-i", "one.sys", "-sl"), ("--echo", "ref")):
            refused(run(*own, *words, "-o", name), f"--output {name} is also an input")
    refused(run(pair[0], "-i", "*.sys", "-o", "one.sys"), "--output one.sys is also an input")
    refused(run(*pair, "-tok", "spm:own.ref", "-o", "own.ref"), "--output own.ref is also an input")
    labels = write("labels.tsv", "doc\na\n")
    refused(run(*pair, "--labels", "labels.tsv", "--by", "doc", "-o", labels), f"--output {labels} is also an input")
    for name in files:
        with open(name, encoding="utf-8") as file:
            assert file.read() == "a b c d\n"


def test_an_empty_output_is_refused_in_every_mode(run, pair):
    for words in (pair, ("--list",), ("--version",), (*DEMO, "--echo", "src")):
        refused(run(*words, "-o", ""), "--output is empty")


# --- modes


@pytest.mark.parametrize(
    ("modes", "told"),
    [
        (("--list", "--cite"), "--list and --cite"),
        (("--echo", "src", "--list"), "--list and --echo"),
        (("--download", "demo", "--echo", "src"), "--echo and --download"),
    ],
)
def test_modes_cannot_be_combined(run, modes, told):
    refused(run(*DEMO, *modes), told, "cannot be combined")


@pytest.mark.parametrize("mode", [("--list",), ("--echo", "src"), ("--download", "demo")])
def test_a_mode_that_scores_nothing_takes_no_texts(run, pair, mode):
    refused(run("-i", "sys.txt", *DEMO, *mode), mode[0], "sys.txt")
    refused(run("ref.txt", *DEMO, *mode), mode[0], "ref.txt")


def test_an_empty_test_set_is_refused(run):
    refused(run("--list", "-t", ""), "--list needs a test set")


# --- scores of parts


@pytest.fixture
def parts(write):
    """Write a test set with two original languages, and two systems, one with a name of two lines."""
    lines = ["the cat sat on the mat", "hello world out there", "a dog ran far away", "and so on it goes"]
    for kind in ("src", "ref"):
        documents = (
            f'<doc docid="{place}" origlang="{language}">\n'
            + "".join(f'<seg id="{n}">{line}</seg>\n' for n, line in enumerate(lines[place : place + 2], 1))
            + "</doc>\n"
            for place, language in ((0, "en"), (2, "de"))
        )
        write(f"{kind}.sgm", "".join(documents))
    write(
        "own.toml",
        '[testsets.own]\nabout = "ours"\nformat = "sgml"\nsources = [{ url = "src.sgm" }, { url = "ref.sgm" }]\n'
        '[testsets.own.pairs.en-de]\nfiles = ["source:0", "source:1"]\n',
    )
    write("good.txt", "".join(f"{line}\n" for line in lines))
    write("two\nlines.txt", "".join(f"{line} now\n" for line in lines))
    return ("--registry", "own.toml", "-t", "own", "-l", "en-de", "--detail")


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("BLEU_HOME", str(tmp_path_factory.mktemp("cache")))


def test_bare_scores_of_parts_are_text(run, parts):
    words = (*parts, "-i", "good.txt", "-b", "-m", "bleu", "chrf")
    answer = run(*words)
    assert answer.out.splitlines()[:2] == ["100.0", "100.0"]
    assert answer.out.count("origlang=") == 4
    assert run(*words, "-f", "text").out == answer.out
    refused(run(*words, "-f", "json"), "--detail", "-b")
    assert len(json.loads(run(*parts, "-i", "good.txt", "-f", "json").out)["details"]) == 2


def test_scores_of_parts_are_text_unless_a_format_is_asked_for(run, parts):
    for systems in (("good.txt",), ("good.txt", "two\nlines.txt")):
        words = (*parts, "-i", *systems)
        assert run(*words) == run(*words, "-f", "text")
        assert run(*words).out.count("origlang=") == 2 * len(systems)
    as_json = run(*words, "-f", "json")
    assert [len(system["BLEU"]["details"]) for system in json.loads(as_json.out)] == [2, 2]
    for variable in ("BLEU_FORMAT", "SACREBLEU_FORMAT"):
        assert run(*words, variables={variable: "json"}) == as_json
    assert run(*words, "-f", "text", variables={"BLEU_FORMAT": "json"}) == run(*words)


def test_scores_of_parts_follow_a_name_in_one_line(run, parts):
    answer = run(*parts, "-i", "good.txt", "two\nlines.txt", "-f", "text", "-q")
    assert answer.status == 0
    assert "\n\ntwo\\nlines.txt\noriglang=" in answer.out
