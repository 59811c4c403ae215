"""`bleu versus-sacrebleu` runs both commands, and --sacrebleu-path says where the package of that name is."""

from __future__ import annotations

import os
import re
from importlib import metadata

import pytest
from conftest import Terminal, refused
from strategies import every

from bleucli.alias import folder
from bleucli.cli.commands import versus

OWN = (
    '[testsets.own]\nabout = "ours"\nformat = "plain"\nsources = [{ url = "own.ref" }]\n'
    '[testsets.own.pairs.en-de]\nfiles = ["source:0", "source:0"]\n'
)
TABLE = r"""
       sacreBLEU 2\.6\.0  bleu \S+
BLEU +(\S+) +\1
chrF2 +(\S+) +\2
time +\S+ s +\S+ s  \S+ times

2 scores, compared with 9 decimals: all equal
"""


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    """Use an empty cache."""
    monkeypatch.setenv("BLEU_HOME", str(tmp_path_factory.mktemp("cache")))


def test_the_folder_is_printed(run):
    assert run("--sacrebleu-path") == (0, f"{folder()}\n", "")
    assert os.path.isfile(os.path.join(folder(), "sacrebleu", "__init__.py"))


def test_numbers_and_times_are_side_by_side(run, pair):
    answer = run("versus-sacrebleu", *pair, "-m", "bleu", "chrf")
    assert (answer.status, answer.err) == (0, "")
    assert re.fullmatch(TABLE[1:], answer.out)


def test_both_commands_read_stdin(run, pair):
    reference, _, system = pair
    with open(system, "rb") as file:
        answer = run("versus-sacrebleu", reference, stdin=file.read())
    assert "1 score, compared with 9 decimals: all equal" in answer.out


def test_equal_segments_are_counted(run, pair):
    answer = run("versus-sacrebleu", *pair, "-sl", "-m", "chrf")
    assert "line 1" not in answer.out
    assert "2 scores, compared with 9 decimals: all equal" in answer.out


def test_p_values_of_several_systems_are_compared(run, pair, write):
    write("other.txt", "a cat\nhello world\n")
    answer = run("versus-sacrebleu", *pair, "other.txt", "-par", "-parn", "20")
    assert re.search(r"^other\.txt BLEU p +(\S+) +\1$", answer.out, re.MULTILINE)
    assert "3 scores" in answer.out


def test_a_difference_is_shown_and_makes_the_check_fail(run, pair, monkeypatch):
    def found(module, *_):
        return versus.Run({"BLEU": 1.0 if module == "sacrebleu" else 2.0}, 1.0)

    monkeypatch.setattr(versus, "_run", found)
    answer = run("versus-sacrebleu", *pair)
    assert answer.status == 1
    assert re.search(r"^BLEU +1 +2  differs$", answer.out, re.MULTILINE)
    assert "1 score, compared with 9 decimals: 1 differ" in answer.out


@pytest.mark.parametrize("found", ["", "2.6.0+bleucli.0.2.0"])
def test_without_sacrebleu_the_error_says_what_to_install(run, pair, monkeypatch, found):
    def version(name):
        if not found:
            raise metadata.PackageNotFoundError(name)
        return found

    monkeypatch.setattr(metadata, "version", version)
    answer = run("versus-sacrebleu", *pair)
    assert (answer.status, answer.out) == (2, "")
    assert "needs sacreBLEU beside bleucli" in answer.err
    assert "pip install sacrebleu==2.6.0" in answer.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("-b",), "has no option -b; see bleu versus-sacrebleu --help all"),
        (("-f", "csv"), "has no option -f"),
        (("-m", "wer"), "sacreBLEU refuses this"),
        (("--keep-going",), "has no option --keep-going"),
        (("--skip-empty-refs",), "sacreBLEU has no --skip-empty-refs, so there is nothing to compare; leave it out"),
        (("--max-ngram-order", "2"), "sacreBLEU has no --max-ngram-order, so there is nothing to compare"),
    ],
)
def test_combinations_that_cannot_be_compared_are_refused(run, pair, words, told):
    answer = run("versus-sacrebleu", *pair, *words)
    assert answer.status == 2
    assert told in answer.err


@pytest.mark.parametrize(
    "words",
    every(
        3,
        [
            ("--jobs", "1"),
            ("-J1", "--strict"),
            ("--annotate", "github", "-q"),
            ("-lc", "-e", "latin-1"),
            ("-m", "chrf++", "ter", "--chrf-beta", "3", "--ter-normalized"),
            ("-s", "floor", "-sv", "0.25", "-tok", "char"),
        ],
    ),
)
def test_only_options_of_sacrebleu_reach_it(run, pair, words):
    answer = run("versus-sacrebleu", *pair, *words)
    assert (answer.status, "all equal" in answer.out) == (0, True), answer.err


@pytest.mark.parametrize("words", [("-o", "v.txt"), ("-ov.txt",), ("--out=v.txt", "-q", "-J", "2")])
def test_the_table_is_written_to_a_file(run, pair, words):
    assert run("versus-sacrebleu", *pair, *words) == (0, "", "")
    with open("v.txt", encoding="utf-8") as file:
        assert "1 score, compared with 9 decimals: all equal" in file.read()


@pytest.mark.slow
def test_warnings_of_our_command_are_shown_and_refused_if_asked(run, pair, write):
    write("few.txt", "the\nhello\n")
    words = ("versus-sacrebleu", "ref.txt", "-i", "few.txt")
    answer = run(*words)
    assert answer.status == 0
    assert answer.err.startswith("bleu: warning: few.txt: the output has ")
    assert run(*words, "-q").err == ""
    strict = run(*words, "--strict", "-o", "v.txt")
    assert (strict.status, strict.out) == (2, "")
    assert strict.err.startswith(answer.err)
    assert "--strict allows none" in strict.err.splitlines()[-1]
    assert not os.path.exists("v.txt")


def test_the_form_that_sacrebleus_variable_names_is_ignored(run, pair, monkeypatch):
    monkeypatch.setenv("SACREBLEU_FORMAT", "text")
    assert "all equal" in run("versus-sacrebleu", *pair).out


def test_a_pattern_and_a_name_that_looks_like_an_option_reach_both(run, pair, write):
    write("-m.out", "the cat sat on a mat\nhello there world\n")
    assert "all equal" in run("versus-sacrebleu", "ref.txt", "--input=-m.out").out
    assert "all equal" in run("versus-sacrebleu", "ref.txt", "-i", "sy[s].txt").out


@pytest.mark.parametrize("words", [(), ("-i", "-")])
def test_a_terminal_is_not_waited_for(run, pair, words):
    told = "nothing was piped in; expected the system's output on standard input: cat system.txt | bleu ref.txt"
    refused(run("versus-sacrebleu", "ref.txt", *words, stdin=Terminal()), told)
    refused(run("versus-sacrebleu", "ref.txt", *words, stdin=None), "standard input is closed")


def test_what_is_compared_is_not_written_over(run, pair, write, monkeypatch):
    for words in (("-i", "sys.txt"), ("-i", "s[y]s.txt")):
        refused(run("ref.txt", *words, "-o", "sys.txt"), "--output sys.txt is also an input")
    with open("sys.txt", "rb") as stdin:
        answer = run("versus-sacrebleu", "ref.txt", "-o", "sys.txt", stdin=stdin)
    refused(answer, "--output sys.txt is also the standard input")
    write("own.toml", OWN)
    write("own.ref", "a b c d\n")
    monkeypatch.setenv("BLEU_REGISTRY", os.path.abspath("own.toml"))
    words = ("versus-sacrebleu", "-t", "own", "-l", "en-de", "-i", "sys.txt")
    refused(run(*words, "-o", "own.ref"), "--output own.ref is also an input")


def test_texts_that_cannot_be_scored_are_refused_as_by_our_command(run, pair, write):
    refused(run("versus-sacrebleu", "ref.txt", "-i", "absent"), "bleu refuses this: cannot read absent: ")
    refused(run("versus-sacrebleu", "-i", "sys.txt"), "bleu refuses this: no references were given")


def test_json_lines_cannot_be_compared(run, pair, write):
    write("sys.jsonl", '{"hyp": "a"}\n{"hyp": "b"}\n')
    refused(run("versus-sacrebleu", "ref.txt", "-i", "sys.jsonl"), "sys.jsonl is JSON Lines", "give text files")
