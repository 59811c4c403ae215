"""Numbers of segments are compared before anything is scored; --keep-going leaves out systems that do not fit."""

import gzip
import json
import os

import pytest
from conftest import refused

from bleucli import evaluate
from bleucli.cli.lengths import find_misfits
from bleucli.errors import LengthError
from bleucli.textfiles import TextFile

THREE = "the cat sat\non the mat\nall day\n"


@pytest.fixture
def files(write):
    """Write a reference, four systems of three lines, and some that cannot be scored."""
    write("ref", THREE)
    for name in "abcd":
        write(name, THREE.replace("cat", name))
    write("short", "the cat sat\non the mat\n")
    write("long", f"{THREE}and night\n")
    write("latin", "the cat sat\ncaf\u00e9\nall day\n".encode("latin-1"))
    write("empty", "")


@pytest.fixture
def unscored(monkeypatch):
    """Let nothing be scored."""

    def score(*_, **__):
        raise AssertionError("something was scored")

    monkeypatch.setattr(evaluate, "score_systems", score)
    monkeypatch.setattr(evaluate, "score_segments", score)


@pytest.mark.parametrize(
    ("content", "encoding", "count"),
    [
        (b"", "utf-8", 0),
        (b"\n", "utf-8", 1),
        (b"a\nb", "utf-8", 2),
        (b"a\r\x0bb\n\n", "utf-8", 2),
        (b"\xff\n\xfe", "utf-8", 2),
        ("a\nb\n".encode("utf-16"), "utf-16", 2),
        ("\u0a0a\nb".encode("utf-16"), "utf-16", 2),
        (b"\xff", "utf-16", None),
        (gzip.compress(b"a\nb\nc", mtime=0), "utf-8", 3),
        (gzip.compress(b"a\nb\nc" * 100, mtime=0)[:-9], "utf-8", None),
    ],
)
def test_lines_are_counted_as_they_are_read(write, content, encoding, count):
    file = TextFile("text", write("text", content), encoding=encoding)
    assert file.count() == count
    if count is not None and b"\xff\n" not in content:
        assert sum(len(block) for (block,) in file.blocks()) == count


def test_what_can_be_read_once_only_is_not_counted(folder):
    assert TextFile("missing", "missing").count() is None
    read, written = os.pipe()
    with os.fdopen(read, "rb") as stream:
        os.close(written)
        assert TextFile("a pipe", stream=stream).count() is None


def test_positions_are_those_of_systems_and_references(files):
    systems, references = ([TextFile(name, name) for name in names] for names in (("a", "short", "b"), ("ref",)))
    ((place, error),) = find_misfits(systems, references)
    assert isinstance(error, LengthError)
    assert (place, error.longest, error.shortest, error.counts) == (1, 3, 1, (3, 2))


@pytest.mark.parametrize("words", [(), ("-m", "ter"), ("-f", "text"), ("-pbs",)])
def test_one_system_that_is_short_is_named_before_anything_is_scored(run, files, unscored, words):
    line = refused(run("ref", "-i", "a", "b", "short", "c", "d", *words), "ref has 3 segments but short has 2 segments")
    assert "as well" not in line


def test_one_among_a_thousand_is_named(run, files, write, unscored):
    names = [write(f"sys{number}", THREE) for number in range(1000)]
    write("sys700", "the cat sat\n")
    refused(run("ref", "-i", *names), "ref has 3 segments but sys700 has 1 segment", "line 2 of sys700")


def test_it_is_told_how_many_differ(run, files, unscored):
    refused(run("ref", "-i", "short", "a", "long"), "but short has", "; 1 other file differs as well")
    refused(run("ref", "-i", "short", "long", "long", "a"), "was given twice")
    refused(run("ref", "-i", "a", "long"), "long has 4 segments but ref has 3 segments")


def test_references_are_compared_as_well(run, files, unscored):
    refused(run("ref", "short", "-i", "a"), "ref has 3 segments but short has 2 segments")
    refused(run("ref", "-i", "empty", "a"), "empty is empty")


def test_one_segment_more_is_seen_in_a_single_system(run, files, unscored):
    refused(run("ref", "-i", "long", "-sl"), "long has 4 segments but ref has 3")


def test_json_lines_are_counted_without_blank_lines_at_their_end(run, files, write, unscored):
    write("two.jsonl", '{"hypothesis": "a"}\n{"hypothesis": "b"}\n\n \n')
    refused(run("ref", "-i", "two.jsonl"), "ref has 3 segments but two.jsonl has 2 segments")


def test_the_others_are_scored(run, files):
    answer = run("ref", "-i", "a", "short", "b", "latin", "missing", "-f", "csv", "--keep-going")
    assert answer.status == 2
    assert answer.out == run("ref", "-i", "a", "b", "-f", "csv").out
    *each, last = (line for line in answer.err.splitlines() if "warning" not in line)
    assert [line.partition(":")[0] for line in each] == ["bleu"] * 3
    parts = ("latin, line 2, byte 15: 0xe9", "cannot read missing", "but short has 2")
    for line, part in zip(each, parts, strict=True):
        assert line.startswith("bleu: error: ")
        assert part in line
    assert last == "bleu: error: 3 systems could not be scored, as said above"


def test_nothing_is_wrong_if_nothing_is(run, files):
    assert run("ref", "-i", "a", "b", "--keep-going") == run("ref", "-i", "a", "b")


def test_no_file_is_written_of_some_systems_alone(run, files):
    answer = run("ref", "-i", "a", "short", "b", "-o", "scores.json", "--keep-going")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.endswith("1 system could not be scored, as said above; scores.json was not written\n")
    assert not os.path.exists("scores.json")


def test_a_history_gets_no_lines_either(run, files):
    run("ref", "-i", "a", "short", "-f", "jsonl", "--append", "-o", "history.jsonl", "--keep-going")
    assert not os.path.exists("history.jsonl")


def test_a_failed_gate_does_not_hide_that_systems_are_missing(run, files):
    answer = run("ref", "-i", "a", "short", "-b", "--fail-under", "99", "--keep-going")
    assert answer.status == 2
    assert "is under 99" in answer.err


def test_names_stay_with_their_systems(run, files):
    words = ("-f", "jsonl", "--names", "one,two,three", "--keep-going")
    lines = run("ref", "-i", "a", "short", "b", *words).out.splitlines()
    assert [json.loads(line)["system"] for line in lines] == ["one", "three"]


def test_a_baseline_cannot_be_left_out(run, files):
    refused(run("ref", "-i", "short", "a", "b", "-pbs", "--keep-going"), "but short has 2 segments")
    answer = run("ref", "-i", "a", "short", "b", "-pbs", "-pbsn", "2", "-f", "csv", "--keep-going")
    assert [line.partition(",")[0] for line in answer.out.splitlines()] == ["system", "a", "b"]


def test_references_must_be_known(run, files, write):
    write("own.jsonl", '{"hypothesis": "a", "reference": "b"}\n')
    write("bare.jsonl", '{"hypothesis": "a"}\n')
    refused(run("-i", "bare.jsonl", "own.jsonl", "--keep-going"), "--keep-going compares systems with the references")


def test_what_is_no_file_is_left_out_like_a_missing_one(run, files):
    os.mkdir("folder")
    os.symlink("nowhere", "dangling")
    answer = run("ref", "-i", "a", "folder", "dangling", "b", "-f", "csv", "--keep-going")
    assert answer.out == run("ref", "-i", "a", "b", "-f", "csv").out


def test_names_are_counted_before_a_system_is_left_out(run, files):
    refused(
        run("ref", "-i", "a", "b", "short", "--names", "one,two", "--keep-going"), "--names has 2 names for 3 systems"
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_references_that_can_be_read_once_only_are_no_measure(run, files):
    os.mkfifo("pipe")
    refused(run("pipe", "-i", "short", "a", "--keep-going"), "name these as files")


def test_references_cannot_be_left_out(run, files):
    refused(run("ref", "short", "-i", "a", "b", "--keep-going"), "ref has 3 segments but short has 2")
    refused(run("ref", "-i", "short", "empty", "--keep-going"), "but short has 2 segments")


@pytest.mark.parametrize("words", [("-sl",), ("--segment-scores",)])
def test_it_is_refused_where_there_is_nothing_to_leave_out(run, files, words):
    reference = () if "--segment-scores" in words else ("ref",)
    refused(run(*reference, "-i", "a", *words, "--keep-going"), "--keep-going leaves out systems")


def test_test_sets_are_compared_too(run, files, unscored):
    demo = ("-t", "demo", "-l", "en-de")
    refused(run(*demo, "-i", "a", "b"), "demo/en-de has 100 segments but a has 3 segments", "; 1 other file differs as")
