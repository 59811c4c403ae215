"""Where the command reads text from, and what it says about the text: notes, warnings, and warnings as errors."""

from __future__ import annotations

import io
import json
import os
import subprocess
import time
import warnings

import pytest
from command_answers import JSON, SIGNATURE
from conftest import needs_pipes, refused, warnings_in

from bleucli.cli import pipeline
from bleucli.errors import Note


class Slow(io.RawIOBase):
    """A stream that gives one byte at a time, like a pipe with a slow writer."""

    def __init__(self, data):
        self.rest = data

    def readable(self):
        return True

    def read(self, size=-1):
        piece, self.rest = self.rest[:1], self.rest[1:]
        return piece


@pytest.fixture
def pair(pair):
    """Leave out notes, which other tests check."""
    return ("-q", *pair)


# --- where text comes from


def test_standard_input_is_the_system(run, pair):
    with open("sys.txt", "rb") as file:
        assert run("ref.txt", stdin=file) == (0, JSON, "")


def test_no_system_file_is_read_if_standard_input_is_the_system(run, pair):
    os.unlink("sys.txt")
    assert run("ref.txt", stdin=b"the cat sat on a mat\nhello there world\n") == (0, JSON, "")


@pytest.mark.parametrize("words", [("ref.txt",), ("ref.txt", "-i", "-")])
def test_a_pipe_may_be_slow(run, write, words):
    write("ref.txt", "où est le chat\nhello world\n")
    answer = run("-q", *words, "-b", stdin=Slow("où est le chat\nhello world\n".encode()))
    assert answer == (0, "100.0\n", "")


def test_a_process_waits_for_a_slow_pipe(start, pair):
    process = start("ref.txt", "-b", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for piece in (b"the c", b"at sat on a ma", b"t\nhello the", b"re world"):
        process.stdin.write(piece)
        process.stdin.flush()
        time.sleep(0.02)
    assert process.communicate(timeout=60) == (b"45.9\n", b"")
    assert process.returncode == 0


@needs_pipes
def test_a_pipe_that_does_not_block_is_waited_for_too(start, folder):
    os.mkfifo("system")
    ours, theirs = os.pipe()
    os.set_blocking(ours, False)
    process = start("-q", "-", "-i", "system", "-b", stdin=ours, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.close(ours)
    with open("system", "wb") as system:  # goes on when the other side is opened; the reference is read next
        system.write(b"the cat sat on a mat\nhello there world\n")
    for piece in (b"the cat sat on the mat\nhel", b"lo world\n"):
        time.sleep(0.1)
        try:
            os.write(theirs, piece)
        except BrokenPipeError:
            break
    os.close(theirs)
    assert process.communicate(timeout=60) == (b"45.9\n", b"")


def test_a_dash_after_i_is_standard_input(run, pair):
    assert run("-q", "ref.txt", "-i", "-", stdin=b"the cat sat on a mat\nhello there world\n") == (0, JSON, "")


def test_a_dash_as_reference_is_standard_input(run, pair):
    assert run("-q", "-", "-i", "sys.txt", stdin=b"the cat sat on the mat\nhello world\n") == (0, JSON, "")


def test_standard_input_may_be_one_of_several_systems(run, pair):
    answer = run("ref.txt", "-i", "sys.txt", "-", "-f", "json", stdin=b"a\nb\n")
    assert [system["system"] for system in json.loads(answer.out)] == ["sys.txt", "standard input"]


def test_named_pipes_are_read_once(command, pair):
    line = 'mkfifo r s; cat ref.txt >r & cat sys.txt >s & exec "$@"'
    assert command("-q", "r", "-i", "s", "-b", shell=line) == (0, "45.9\n", "")


def test_references_may_follow_two_dashes(run, pair):
    assert run("-q", "-b", "-i", "sys.txt", "--", "ref.txt") == (0, "45.9\n", "")


def test_several_references_are_counted(run, pair, write):
    write("ref2.txt", "the cat sat on a mat\nhello there world\n")
    answer = run("ref.txt", "ref2.txt", "-i", "sys.txt", "-f", "text")
    assert answer.out.startswith(f"BLEU|{SIGNATURE.replace('nrefs:1', 'nrefs:2')} = 100.0 ")


def test_a_reference_file_is_split_on_tabs(run, pair, write):
    write("refs.tsv", "the cat sat on the mat\tthe cat sat on a mat \r\nhello world\thello there world\r\n")
    answer = run("refs.tsv", "-nr", "2", "-i", "sys.txt", "-f", "text")
    assert answer.out.startswith(f"BLEU|{SIGNATURE.replace('nrefs:1', 'nrefs:2')} = 100.0 ")


def test_a_tab_in_every_reference_and_in_no_output_is_a_hint(run, pair, write):
    said = (
        "bleu: warning: every line of refs.tsv has a tab, and no output has one; if tabs separate references, add -nr 2"
    )
    write("refs.tsv", "the cat sat on the mat\tthe cat sat on a mat\nhello world\thello there world\n")
    for mode in ((), ("-sl",), ("-m", "chrf", "ter")):
        assert said in run("refs.tsv", "-i", "sys.txt", *mode).err
    assert "-nr" not in run("refs.tsv", "-nr", "2", "-i", "sys.txt").err
    assert "-nr" not in run("refs.tsv", "-nr", "1", "-i", "sys.txt").err
    write("tabbed.txt", "the cat sat on a mat\nhello\tworld\n")
    assert "-nr" not in run("refs.tsv", "-i", "sys.txt", "tabbed.txt").err
    for lines in ("a\tb\nhello world\n", "a\tb\nc\td\te\n"):
        write("mixed.txt", lines)
        assert "-nr" not in run("mixed.txt", "-i", "sys.txt").err
    write("three.tsv", "a\tb\tc\n" * 2)
    assert (
        "has a tab, and no output has one; if tabs separate references, add -nr 3"
        in run("three.tsv", "-i", "sys.txt").err
    )
    write("numbered.tsv", "1\tthe cat sat on the mat\n2\thello world\n")
    remedy = "the first column holds only numbers; remove it, as cut -f2- does"
    assert f"has a tab, and no output has one; {remedy}\n" in run("numbered.tsv", "-i", "sys.txt").err


def test_a_trailing_empty_column_is_an_empty_reference(run, pair, write):
    write("refs.tsv", "the cat sat on the mat\t\nhello world\t\n")
    assert json.loads(run("refs.tsv", "-nr", "2", "-i", "sys.txt").out)["nrefs"] == "2"
    assert json.loads(run("refs.tsv", "-nr", "2", "-i", "sys.txt", "--skip-empty-refs").out)["nrefs"] == "1"


def test_one_reference_column_is_the_whole_line(run, write):
    write("ref.txt", "a\tb\tc\td\n")
    assert run("-q", "ref.txt", "-nr", "1", "-b", stdin=b"a b c d\n") == (0, "100.0\n", "")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-be", "utf-8-sig", "gb18030", "cp1252"])
def test_all_text_is_in_the_encoding_that_was_named(run, write, encoding):
    lines = "où est le chèvre\nça va très bien\n"
    write("ref.txt", lines.encode(encoding))
    assert run("-q", "ref.txt", "-b", "-e", encoding, stdin=lines.encode(encoding)) == (0, "100.0\n", "")


def test_the_encoding_of_the_text_is_not_guessed(run, write):
    write("ref.txt", "é é é é\n")
    assert run("ref.txt", "-b", "-e", "latin-1", stdin="é é é é\n".encode("latin-1")).out != "100.0\n"


# --- notes


def test_which_file_is_which_is_noted_where_several_are_given(run, pair):
    answer = run("ref.txt", "-i", "sys.txt", terminal=True)
    assert answer == (0, JSON, "bleu: note: reference ref.txt, 2 segments; system sys.txt\n")


def test_notes_are_printed_only_on_terminals(run, command, pair):
    assert run("ref.txt", "-i", "sys.txt") == (0, JSON, "")
    assert command("ref.txt", "-i", "sys.txt", shell='exec "$@" 2>&1') == (0, JSON, "")
    assert command("ref.txt", "-i", "sys.txt", shell='exec "$@" 2>&-') == (0, JSON, "")
    assert run("ref.txt", "-i", "sys.txt", "-q", terminal=True) == (0, JSON, "")


def test_warnings_are_printed_everywhere(run, pair):
    for terminal in (False, True):
        assert len(warnings_in(run("ref.txt", "-i", "sys.txt", "-cw", "2", terminal=terminal))) == 1


# --- warnings that are errors

STRICT = {
    "option without effect": ("ref.txt", "-i", "sys.txt", "-cw", "2"),
    "texts": ("ref.txt", "-i", "ref.txt"),
    "metric": ("ref.txt", "-i", "sys.txt", "-m", "bleu", "ter", "-lc"),
    "segments": ("ref.txt", "-i", "marked.txt", "-sl"),
    "gate that fails": ("ref.txt", "-i", "ref.txt", "--fail-under", "101"),
    "mode": ("--list-tokenizers", "-w", "2"),
}


@pytest.mark.parametrize("words", STRICT.values(), ids=STRICT)
def test_strict_makes_any_warning_an_error_and_holds_the_answer_back(run, pair, write, words):
    write("marked.txt", "the cat sat on a mat\nhello there world\n".encode("utf-8-sig"))
    write("out.txt", "old\n")
    loose = run(*words)
    assert loose.status == ("--fail-under" in words)
    (warning,) = warnings_in(loose)
    told = "bleu: error: 1 warning, and --strict allows none; fix the warnings, or leave out --strict"
    for terminal in (False, True):
        assert run(*words, "--strict", terminal=terminal) == (2, "", f"{warning}\n{told}\n")
    assert run(*words, "--strict", "-o", "out.txt").status == run(*words, "--strict", "-o", "new.txt").status == 2
    with open("out.txt", encoding="utf-8") as file:
        assert file.read() == "old\n"
    assert not os.path.exists("new.txt")


def test_strict_counts_the_warnings(run, pair):
    answer = run("ref.txt", "-i", "ref.txt", "-cw", "2", "--strict")
    assert len(warnings_in(answer)) == 2
    assert "bleu: error: 2 warnings, and --strict allows none; " in answer.err


def test_strict_counts_warnings_of_python(run, pair, monkeypatch):
    def score(*words, **more):
        warnings.warn("odd", stacklevel=1)
        warnings.warn("harmless", Note, stacklevel=1)
        return really(*words, **more)

    really = pipeline.score
    monkeypatch.setattr(pipeline, "score", score)
    assert run("ref.txt", "-i", "sys.txt").status == 0
    answer = run("ref.txt", "-i", "sys.txt", "--strict")
    assert (answer.status, answer.out) == (2, "")
    *others, last = answer.err.splitlines()
    assert others == ["bleu: warning: odd", "bleu: note: harmless"]
    assert last.startswith("bleu: error: 1 warning, and")


@pytest.mark.parametrize("words", [("ref.txt", "-i", "sys.txt"), ("ref.txt", "-i", "sys.txt", "-sl"), ("--list",)])
def test_strict_changes_nothing_without_warnings(run, pair, words):
    for terminal in (False, True):
        assert run(*words, "--strict", terminal=terminal) == run(*words, terminal=terminal)
    assert run(*words, "--strict").status == 0
    assert run("ref.txt", "-i", "sys.txt", "--strict", "--fail-under", "46").status == 1


def test_strict_and_quiet_contradict_each_other(run, pair):
    answer = run("ref.txt", "-i", "sys.txt", "--strict", "-q")
    told = "bleu: error: --strict turns warnings into errors, and --quiet hides them; leave out one of the two\n"
    assert answer == (2, "", told)


def test_quiet_leaves_warnings_out(run, pair, write):
    write("ref.txt", "the cat sat on the mat\nhello world\n".encode("utf-8-sig"))
    assert run("ref.txt", "-i", "sys.txt", "-e", "utf-8-sig").out == JSON
    quiet, loud = (run("ref.txt", "-i", "sys.txt", *extra) for extra in (("-q",), ()))
    assert quiet == (0, loud.out, "")
    assert warnings_in(loud)


def test_quiet_does_not_hide_errors(run, pair):
    answer = run("nofile", "-i", "sys.txt", "-q")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith("bleu: error: ")


def test_a_hundred_hypotheses_that_end_in_a_lone_period_get_a_warning(run, write):
    write("ref.txt", "It is so.\n" * 120)
    write("sys.txt", "It is so .\n" * 100 + "It is so.\n" * 20)
    answer = run("ref.txt", "-i", "sys.txt", "-b")
    assert (answer.status, answer.out) == (0, "100.0\n")
    (warning,) = [line for line in warnings_in(answer) if "' .'" in line]
    assert warning.startswith("bleu: warning: sys.txt: 100 hypotheses end in ' .'")
    assert "--force" in warning


@pytest.mark.parametrize(("count", "extra"), [(99, ()), (100, ("--force",)), (100, ("-q",))])
def test_fewer_tokenized_hypotheses_or_force_or_quiet_mean_no_warning(run, write, count, extra):
    write("ref.txt", "It is so.\n" * 120)
    write("sys.txt", "It is so .\n" * count + "It is so.\n" * (120 - count))
    answer = run("ref.txt", "-i", "sys.txt", "-b", *extra)
    assert answer[:2] == (0, "100.0\n")
    assert "' .'" not in answer.err


def test_warnings_name_each_tokenized_system(run, write, small_blocks):
    write("ref.txt", "It is so.\n" * 100)
    columns = b"It is so .\tIt is so.\tIt is so .  \n" * 100
    warnings = [line for line in warnings_in(run("ref.txt", stdin=columns)) if "' .'" in line]
    assert [line.split(":")[2] for line in warnings] == [" System 1", " System 3"]


TWICE = "but a pipe can be read only once; save its text to a file, and name that"


@needs_pipes
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("p", "-i", "p"), "p is a pipe that was given twice"),
        (("p", "-i", "./p"), "p and ./p are one pipe"),
        (("ref.txt", "-i", "p", "link"), "p and link are one pipe"),
        (("ref.txt", "p", "link", "-i", "sys.txt"), "p and link are one pipe"),
        (("diversity", "p", "link"), "p and link are one pipe"),
        (("ref.txt", "-i", "p", "--baseline", "link", "--max-drop", "1"), "p and link are one pipe"),
        (
            ("report", "ref.txt", "-i", "sys.txt", "p", "-o", "r.html", "--scores", "comet=s,link"),
            "p and link are one pipe",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_named_pipe_that_is_given_twice_is_not_waited_for(command, pair, words, said):
    os.mkfifo("p")
    os.symlink("p", "link")
    refused(command(*words, "-q"), f"{said}, {TWICE}")


@needs_pipes
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('cat sys.txt | "$@" /dev/fd/0 -i /dev/fd/0', "/dev/fd/0 is a pipe that was given twice"),
        ('cat sys.txt | "$@" /dev/stdin', "/dev/stdin and standard input are one pipe"),
        ('cat sys.txt | "$@" - -i /dev/fd/3 3<&0', "standard input and /dev/fd/3 are one pipe"),
        ('bash -c \'twice() { "${@:2}" $1 -i $1; }; twice <(cat sys.txt) "$@"\' bash "$@"', "was given twice"),
    ],
)
def test_a_pipe_that_is_given_twice_is_not_read(command, pair, line, said):
    refused(command("-q", shell=line), f"{said}, {TWICE}")


@needs_pipes
def test_files_and_devices_may_be_given_twice_and_pipes_once_each(command, pair):
    line = 'mkfifo r s; cat ref.txt >r & cat sys.txt >s & exec "$@"'
    assert command("-q", "r", "sys.txt", "-i", "s", "-b", shell=line) == (0, "100.0\n", "")
    assert command("-q", "-b", "ref.txt", "-i", "ref.txt") == (0, "100.0\n", "")
    assert command("-q", "-b", "/dev/stdin", shell='"$@" <ref.txt') == (0, "100.0\n", "")
    refused(command("/dev/null", "-i", "/dev/null"), "/dev/null is empty")


@needs_pipes
def test_a_pipe_is_not_for_two_programs(command, pair):
    os.mkfifo("p")
    refused(command("versus-sacrebleu", "p", "-i", "sys.txt"), "p is a pipe, which only one of both commands could")
