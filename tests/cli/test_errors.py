"""Wrong input and wrong use: one line on stderr that says what, where and what to do; nothing on stdout; status 2."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
import threading
from itertools import repeat

import pytest
from conftest import refused

import bleucli
from bleucli.cli.parser import parser
from bleucli.cli.streams import spool
from bleucli.errors import BleuError, LengthError

BLOCK = 1 << 19  # the size of blocks in which files are read
LINE = b"a" * 999 + b"\n"
LIMITED = 'ulimit -v 1500000; ulimit -t 4; exec "$@"'  # kilobytes of memory, seconds of processor time


class BrokenStream(io.RawIOBase):
    """A stream that breaks down after one line."""

    def __init__(self):
        self.pieces = [b"the cat sat on a mat\n"]

    def readable(self):
        return True

    def read(self, size=-1):
        if not self.pieces:
            raise OSError(5, "Input/output error")
        return self.pieces.pop()


# --- different numbers of lines


def test_a_system_that_is_too_short_is_named_with_both_counts_and_its_first_missing_line(run, write):
    write("ref.txt", "a\nb\nc\n")
    write("sys.txt", "a\nb\n")
    answer = run("ref.txt", "-i", "sys.txt")
    refused(answer, "ref.txt has 3 segments", "sys.txt has 2 segments", "line 3 of sys.txt is missing")


def test_a_reference_that_is_too_short_is_named_with_both_counts_and_its_first_missing_line(run, write):
    write("ref.txt", "a")
    write("sys.txt", "a\nb\n\n")
    answer = run("ref.txt", "-i", "sys.txt")
    refused(answer, "sys.txt has 3 segments", "ref.txt has 1 segment:", "line 2 of ref.txt is missing")


def test_the_one_of_several_files_that_is_too_short_is_named(run, write):
    for name in ("ref1.txt", "ref3.txt", "sys1.txt", "sys2.txt"):
        write(name, "a\nb\nc\n")
    write("ref2.txt", "a\nb\n")
    answer = run("ref1.txt", "ref2.txt", "ref3.txt", "-i", "sys1.txt", "sys2.txt")
    refused(answer, "has 3 segments", "ref2.txt has 2 segments", "line 3 of ref2.txt is missing")


def test_a_standard_input_that_is_too_short_is_named(run, write):
    write("ref.txt", "a\nb\n")
    refused(run("ref.txt", stdin=b"a\n"), "ref.txt has 2 segments", "line 2 of standard input is missing")


def test_lines_are_counted_to_the_end_of_both_files(run, write):
    write("ref.txt", b"a\n" * BLOCK)
    write("sys.txt", b"a\n" * 10)
    answer = run("ref.txt", "-i", "sys.txt", "-tok", "none")
    refused(answer, f"ref.txt has {BLOCK} segments", "sys.txt has 10 segments", "line 11 of sys.txt is missing")


# --- endless input


class Endless(io.RawIOBase):
    """A stream that repeats its data for ever."""

    def __init__(self, data):
        self.data = data

    def readable(self):
        return True

    def read(self, size=-1):
        return self.data * (size // len(self.data))


@pytest.fixture
def impatient(monkeypatch):
    for module in ("text", "reading"):
        monkeypatch.setattr(f"bleucli.{module}.PATIENCE", 0.1)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"y\n", ()),
        (b"y\n", ("-sl",)),
        (b'{"hypothesis": "a"}\n', ("--jsonl",)),
        (gzip.compress(b"\n" * 100_000), ()),
    ],
    ids=["text", "segments", "JSON Lines", "gzip"],
)
def test_endless_input_is_refused(impatient, run, write, data, words):
    write("ref.txt", "a\nb\n")
    line = refused(run("ref.txt", *words, stdin=Endless(data)), "line 3 of ref.txt is missing")
    assert re.search(r"standard input has at least \d+ segments but ref.txt has 2 segments", line)


def test_endless_references_and_scores_are_refused(impatient, run, write):
    write("sys.txt", "1\n")
    refused(run("-", "-i", "sys.txt", stdin=Endless(b"y\n")), "standard input has at least ")
    refused(run("--segment-scores", "-i", "-", "sys.txt", stdin=Endless(b"1\n")), "standard input has at least ")
    refused(run("-t", "demo", "-l", "en-de", stdin=Endless(b"y\n")), "input has at least ", "has 100 segments")


def test_a_pipe_that_stays_open_is_not_waited_for(impatient, run, write):
    write("ref.txt", "a\nb\n")
    reader, writer = os.pipe()
    os.write(writer, b"a line\nb line\nc\nd")
    with open(reader, "rb", buffering=0) as stream, open(writer, "wb"):
        refused(run("ref.txt", stdin=stream), "standard input has at least 3 segments but ref.txt has 2 segments")


def test_a_pipe_that_is_slow_to_end_is_waited_for_while_lengths_may_be_equal(impatient, run, write):
    write("ref.txt", "a\nb\n")
    reader, writer = os.pipe()
    os.write(writer, b"a\nb\n")
    timer = threading.Timer(0.5, os.close, [writer])
    timer.start()
    with open(reader, "rb", buffering=0) as stream:
        assert run("ref.txt", "-q", "-b", stdin=stream).status == 0
    timer.join()


def test_endless_texts_in_python_are_refused(impatient):
    with pytest.raises(LengthError, match=r"hypotheses has at least \d+ segments but references has 1 segment:"):
        bleucli.BLEU().corpus_score(repeat("a"), [["a"]])


def test_a_sentence_score_is_not_printed_before_all_lines_are_known_to_have_a_partner(run, write):
    write("ref.txt", "a\nb\nc\n")
    write("sys.txt", "a\nb\n")
    refused(run("ref.txt", "-i", "sys.txt", "-sl"), "line 3 of sys.txt is missing")


# --- bytes that are not valid in the encoding


@pytest.mark.parametrize(
    ("encoding", "data", "line", "byte", "shown"),
    [
        ("utf-8", b"fine\nbad \xff\n", 2, 9, "0xff"),
        ("utf-8", b"cut caf\xc3\nfine\n", 1, 7, "0xc3"),
        ("utf-8", b"fine\nends in \xe6\x97", 2, 13, "0xe6"),
        ("utf-8", b"a surrogate \xed\xa0\x80\n", 1, 12, "0xed"),
        ("utf-8", b"\xef\xbb\xbfmark\n\xff\n", 2, 8, "0xff"),
        ("utf-16", b"\xff\xfea\0\n\0b\0\0\xdcc\0\n\0", 2, 8, "0x00"),
        ("utf-16", b"\xfe\xff\0a\0\n\0b\xdc\0\0c\0\n", 2, 8, "0xdc"),
        ("utf-16-le", b"a\0\n\0b", 2, 4, "0x62"),
        ("gb18030", b"ok\n\xd6\xd0\xff\n", 2, 5, "0xff"),
        ("shift_jis", b"ok\nok\n\x82\xa0\xff\n", 3, 8, "0xff"),
        ("ascii", b"na\xefve\n", 1, 2, "0xef"),
    ],
)
def test_a_byte_that_is_not_in_the_encoding_is_named_by_file_line_and_offset(
    run, write, encoding, data, line, byte, shown
):
    write("sys.txt", data)
    answer = run("sys.txt", "-i", "sys.txt", "-e", encoding)
    refused(answer, f"sys.txt, line {line}, byte {byte}: {shown}", encoding, "--encoding")
    answer = run("sys.txt", "-i", "-", "-e", encoding, stdin=data)
    refused(answer, f"standard input, line {line}, byte {byte}: {shown}", encoding, "--encoding")


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "shift_jis"])
@pytest.mark.parametrize("extra", [(), ("-J", "2"), ("-sl",), ("-sl", "-J", "2")])
def test_a_wrong_byte_in_the_second_block_of_a_file_is_named_by_line_and_offset(run, write, encoding, extra):
    lines = BLOCK // len(LINE) + 10
    write("ref.txt", LINE * (lines + 1))
    write("sys.txt", LINE * lines + b"ab\xff\n")
    answer = run("ref.txt", "-i", "sys.txt", "-e", encoding, *extra)
    refused(answer, f"sys.txt, line {lines + 1}, byte {lines * len(LINE) + 2}: 0xff", encoding, "--encoding")


def test_a_wrong_byte_in_the_second_block_of_utf_16_is_named_by_line_and_offset(run, write):
    lines = BLOCK // len(LINE)
    good = b"\xfe\xff" + LINE.decode().encode("utf-16-be") * lines
    write("sys.txt", good + b"\0a\xdc\0\0\n")
    answer = run("sys.txt", "-i", "sys.txt", "-e", "utf-16")
    refused(answer, f"sys.txt, line {lines + 1}, byte {len(good) + 2}: 0xdc", "--encoding")


def test_a_file_that_is_not_utf_16_at_all_is_named(run, pair):
    refused(run(*pair, "-e", "utf-16"), "sys.txt is not valid utf-16", "--encoding")


@pytest.mark.parametrize("encoding", ["punycode", "idna", "utf-7", "hz", "iso2022_jp", "unicode_escape"])
def test_odd_encodings_cause_no_traceback(run, write, encoding):
    write("sys.txt", b"fine\n\xff\\x\\ud800 " + b"\xfe" * 70)
    answer = run("sys.txt", "-i", "sys.txt", "-e", encoding)
    if answer.status:
        refused(answer, "sys.txt", "--encoding")


# --- files that cannot be read


def test_a_missing_reference_gives_one_line_with_the_systems_reason(run, pair):
    refused(run("nofile.txt", "-i", "sys.txt"), "nofile.txt", os.strerror(2))


def test_a_missing_system_gives_one_line_with_the_systems_reason(run, pair):
    refused(run("ref.txt", "-i", "sys.txt", "nofile.txt"), "nofile.txt", os.strerror(2))


def test_a_directory_as_reference_gives_one_line_with_status_2(run, pair):
    os.mkdir("directory")
    refused(run("directory", "-i", "sys.txt"), "directory", os.strerror(21))


def test_a_directory_as_system_gives_one_line_with_status_2(run, pair):
    os.mkdir("directory")
    refused(run("ref.txt", "-i", "directory"), "directory", os.strerror(21))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission_gives_one_line_with_the_systems_reason(run, pair):
    os.chmod("ref.txt", 0)
    refused(run(*pair), "ref.txt", os.strerror(13))


def test_a_permission_that_open_is_denied_gives_one_line_with_the_systems_reason(run, pair, monkeypatch):
    really_open = open

    def open_what_is_permitted(file, *arguments, **options):
        if file == "ref.txt":
            raise PermissionError(13, os.strerror(13), file)
        return really_open(file, *arguments, **options)

    monkeypatch.setattr("builtins.open", open_what_is_permitted)
    refused(run(*pair), "ref.txt", os.strerror(13))


def test_a_device_that_breaks_down_while_it_is_read_is_named(run, write):
    write("ref.txt", "the cat sat on the mat\nhello world\n")
    refused(run("ref.txt", stdin=BrokenStream()), "standard input", os.strerror(5))


def test_a_line_break_in_a_file_name_does_not_break_the_error_line(run, pair):
    refused(run("two\nlines.txt", "-i", "sys.txt"), r"two\nlines.txt")


# --- empty input


@pytest.mark.parametrize("empty", ["ref.txt", "sys.txt"])
def test_an_empty_file_is_named(run, pair, write, empty):
    write(empty, b"")
    refused(run(*pair), f"{empty} is empty")


def test_an_empty_standard_input_is_named(run, pair):
    refused(run("ref.txt"), "standard input is empty")
    refused(run("ref.txt", "-i", "-"), "standard input is empty")


def test_an_empty_second_system_is_named(run, pair, write):
    write("empty.txt", b"")
    refused(run(*pair, "empty.txt"), "empty.txt is empty")


def test_empty_files_throughout_are_refused(run, write):
    write("empty.txt", b"")
    refused(run("empty.txt", stdin=b""), "standard input is empty")
    refused(run("empty.txt", "-sl", stdin=b""), "standard input is empty")


# --- tab-separated fields


@pytest.mark.parametrize(("line", "found"), [("one", 1), ("one\ttwo\tthree", 3), ("", 1)])
def test_a_reference_line_with_another_number_of_fields_is_named(run, write, line, found):
    write("refs.tsv", f"a\tb\n{line}\nc\td\n")
    write("sys.txt", "a\nb\nc\n")
    answer = run("refs.tsv", "-nr", "2", "-i", "sys.txt")
    refused(answer, "refs.tsv, line 2", "expected 2 tab-separated fields", f"found {found}")


def test_a_line_of_standard_input_with_another_number_of_fields_is_named(run, write):
    write("ref.txt", "a\nb\nc\n")
    answer = run("ref.txt", stdin=b"a\tb\nc\td\ne\n")
    refused(answer, "standard input, line 3", "expected 2 tab-separated fields", "found 1")


def test_a_second_column_that_starts_below_the_first_line_of_standard_input_is_refused(run, write):
    write("ref.txt", "a\nb\n")
    refused(run("ref.txt", stdin=b"a\nb\tc\n"), "standard input, line 2", "expected 1", "found 2")


def test_wrong_fields_in_the_second_block_are_named_by_their_line_in_the_file(run, write):
    lines = BLOCK // 1000 + 10
    write("refs.tsv", (b"a" * 997 + b"\tb\n") * lines + b"c\n")
    write("sys.txt", LINE * (lines + 1))
    answer = run("refs.tsv", "-nr", "2", "-i", "sys.txt")
    refused(answer, f"refs.tsv, line {lines + 1}", "expected 2", "found 1")


@pytest.mark.parametrize("number", [10**9, 10**18, 10**30])
def test_more_references_than_any_line_has_are_refused(command, pair, number):
    refused(command(*pair, "-nr", str(number), shell=LIMITED), str(number))


# --- standard input


@pytest.fixture
def terminal():
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    with open(follower, "rb", buffering=0) as stream:
        yield stream
    os.close(leader)


@pytest.mark.parametrize("words", [("ref.txt",), ("ref.txt", "-i", "-"), ("-", "-i", "sys.txt"), ("ref.txt", "-sl")])
def test_a_terminal_as_standard_input_is_refused_without_waiting(run, pair, terminal, words):
    refused(run(*words, stdin=terminal), "nothing was piped in", "cat")


@pytest.mark.parametrize("words", [("ref.txt",), ("ref.txt", "-i", "-"), ("-", "-i", "sys.txt")])
def test_a_closed_standard_input_is_refused(run, pair, words):
    refused(run(*words, stdin=None), "standard input is closed")


def test_a_process_without_standard_input_refuses_to_read_it(command, pair):
    refused(command("ref.txt", shell='exec "$@" <&-'), "standard input is closed")


def test_a_process_without_standard_input_scores_files(command, pair):
    assert command("-q", *pair, "-b", shell='exec "$@" <&-') == (0, "45.9\n", "")


@pytest.mark.parametrize("words", [("-", "-i", "-"), ("-",), ("-", "-", "-i", "sys.txt"), ("ref.txt", "-", "-i", "-")])
def test_standard_input_cannot_be_named_twice(run, pair, words):
    refused(run(*words, stdin=b"a\n"), "standard input", "once")


# --- first tries


@pytest.mark.parametrize("extra", [(), ("-sl",), ("-m", "chrf"), ("--jsonl",)])
def test_references_alone_get_the_advice_that_the_last_may_be_the_system(run, pair, terminal, extra):
    remedy = "if sys.txt is the system's output, write -i sys.txt\n"
    words = ("ref.txt", "sys.txt", *extra)
    assert refused(run(*words, stdin=terminal)).endswith(f"nothing was piped in; {remedy}")
    assert refused(run(*words)).endswith(f"standard input is empty; {remedy}")
    assert refused(run(*words, stdin=None)).endswith(f"standard input is closed; {remedy}")
    with open(os.devnull, "rb", buffering=0) as nothing:
        assert refused(run(*words, stdin=nothing)).endswith(f"standard input is empty; {remedy}")


def test_the_last_of_several_references_is_taken_for_the_system(run, pair, write):
    write("ref2.txt", "a\nb\n")
    refused(run("ref.txt", "ref2.txt", "sys.txt"), "if sys.txt is the system's output, write -i sys.txt")


def test_where_the_system_is_named_or_piped_in_no_message_asks_for_it(run, pair):
    assert "write -i" not in refused(run("ref.txt", "sys.txt", "-i", "-"))
    assert "write -i" not in refused(run("ref.txt"))
    assert "write -i" not in refused(run("ref.txt", "-", stdin=None))
    assert "write -i" not in refused(run("ref.txt", "sys.txt", stdin=b"one\n"))
    assert run("ref.txt", "sys.txt", stdin=b"a\nb\n").status == 0


def test_an_empty_command_line_names_the_help(run, terminal):
    refused(run(stdin=terminal), "no references were given", "bleu --help")


@pytest.mark.parametrize("word", ["help", "version", "list", "list-tokenizers", "cite", "echo", "download"])
def test_a_mode_that_is_named_like_a_file_is_suggested(run, write, word):
    for words in ((word,), (word, "wmt17")):
        assert refused(run(*words)).endswith(f"there is no file {word}; did you mean bleu --{word}?\n")
    write(word, "one\n")
    assert run(word, stdin=b"one\n").status == 0


MEANT = {
    "--hlep": (("--hlep",), "bleu has no option --hlep; see bleu --help all; did you mean --help?"),
    "--tokeniser": (("ref.txt", "--tokeniser", "intl"), "has no option --tokeniser; ", "did you mean --tokenize"),
    "--tokeniser=": (("ref.txt", "--tokeniser=intl"), "has no option --tokeniser; ", "did you mean --tokenize"),
    "-to": (("ref.txt", "-to", "intl"), "has no option -to; see bleu --help all; did you mean -tok"),
    "blue": (("ref.txt", "-m", "blue"), "--metrics 'blue'; choose from bleu, chrf, chrf+, chrf++, ter, ", "mean bleu?"),
    "BLUE": (("ref.txt", "-m", "BLUE"), "; did you mean bleu?"),
    "BLEU-2": (("ref.txt", "-m", "BLEU-2"), "--metrics 'BLEU-2'; for BLEU ", "write -m bleu --max-ngram-order 2"),
    "chrF3++": (("ref.txt", "-m", "chrF3++"), "--metrics 'chrF3++'; for chrF", "write -m chrf++ --chrf-beta 3"),
    "comet": (("ref.txt", "-m", "comet"), "choose from bleu, chrf", "--segment-scores", "--scores comet=FILE"),
    "bleu,chrf": (("ref.txt", "-m", "bleu,chrf"), "has commas instead of spaces; did you mean --metrics bleu chrf?"),
    "chrF,BLEU": (("ref.txt", "-m", "chrF++,BLEU"), "did you mean --metrics chrf++ bleu?"),
    "-tok 13": (("ref.txt", "-tok", "13"), "unknown tokenizer '13'; choose one of", "; did you mean 13a?"),
    "-s flor": (("ref.txt", "-s", "flor"), "--smooth-method 'flor'; choose one of", "; did you mean floor?"),
    "-f jsn": (("ref.txt", "-f", "jsn"), "--format 'jsn'; choose from json, jsonl", "did you mean json or jsonl?"),
}


@pytest.mark.parametrize("case", MEANT.values(), ids=MEANT)
def test_likely_corrections_are_suggested(run, pair, case):
    words, *parts = case
    refused(run(*words, stdin=b"the cat\nhello\n"), *parts)


def test_two_hyphens_at_the_end_are_harmless(run, pair):
    assert run(*pair, "--") == run(*pair)
    assert run(*pair[1:], "--", "ref.txt") == run(*pair)


def test_a_file_may_begin_with_a_dash(run, pair):
    os.rename("sys.txt", "\N{EN DASH}sys")
    assert run("ref.txt", "-i", "\N{EN DASH}sys", "-q").status == 0


def test_a_file_that_options_separate_from_the_references_is_named(run, pair):
    refused(run("ref.txt", "-b", "sys.txt"), "sys.txt is separated from the other references", "after -i")


# --- wrong use


WRONG_USE = {
    "no words at all": ((), ("no references", "bleu ref.txt -i system.txt")),
    "all files after -i": (
        ("-i", "sys.txt", "ref.txt"),
        ("no references were given: all files after -i are systems, ref.txt too", "write bleu ref.txt -i sys.txt\n"),
    ),
    "many files after -i": (("-i", "a", "b", "the ref"), ("the ref too; ", "write bleu 'the ref' -i a ...\n")),
    "unknown long option": (("ref.txt", "--unknown"), ("--unknown", "bleu --help")),
    "unknown short option": (("ref.txt", "-z"), ("-z", "bleu --help")),
    "ambiguous abbreviation": (("ref.txt", "--fo=text"), ("--fo ", "--force", "--format")),
    "unknown tokenizer": (("ref.txt", "-tok", "14b"), ("'14b'", "13a", "char", "none")),
    "unknown metric": (("ref.txt", "-m", "rouge"), ("'rouge'", "bleu")),
    "unknown smoothing": (("ref.txt", "-s", "linear"), ("'linear'", "exp", "floor", "add-k", "none")),
    "unknown format": (("ref.txt", "-f", "xml"), ("'xml'", "json", "text")),
    "unknown encoding": (("ref.txt", "-e", "utf-9"), ("'utf-9'", "utf-8")),
    "an encoding that is not for text": (("ref.txt", "-e", "base64"), ("'base64'", "utf-8")),
    "empty encoding": (("ref.txt", "-e", ""), ("unknown encoding ''", "utf-8")),
    "negative width": (("ref.txt", "-w", "-1"), ("--width -1", "from 0")),
    "huge width": (("ref.txt", "-w", "1001"), ("--width 1001", "1000")),
    "width that is not a number": (("ref.txt", "-w", "x"), ("--width", "'x'")),
    "width that is not an integer": (("ref.txt", "-w", "1.5"), ("--width", "'1.5'")),
    "no number of references": (("ref.txt", "-nr", "0"), ("--num-refs 0", "from 1")),
    "negative references": (("ref.txt", "-nr", "-2"), ("--num-refs -2", "from 1")),
    "references that are not a number": (("ref.txt", "-nr", "two"), ("--num-refs", "'two'")),
    "two files to split": (("ref.txt", "sys.txt", "-nr", "2"), ("--num-refs", "2 files")),
    "negative threads": (("ref.txt", "-J", "-1"), ("--jobs -1", "0")),
    "threads that are not a number": (("ref.txt", "-J", "x"), ("--jobs", "'x'")),
    "negative smoothing": (("ref.txt", "-s", "floor", "-sv", "-1"), ("--smooth-value -1", "from 0")),
    "negative smoothing without effect": (("ref.txt", "-sv", "-1"), ("--smooth-value -1", "from 0")),
    "smoothing by nan": (("ref.txt", "-s", "add-k", "-sv", "nan"), ("--smooth-value 'nan'; expected a number",)),
    "endless smoothing": (("ref.txt", "-s", "add-k", "-sv", "inf"), ("--smooth-value 'inf'; expected a number",)),
    "smoothing that is not a number": (("ref.txt", "-sv", "x"), ("--smooth-value", "'x'")),
    "order 0": (("ref.txt", "--max-ngram-order", "0"), ("order 0", "from 1")),
    "negative order": (("ref.txt", "--max-ngram-order", "-4"), ("order -4", "from 1")),
    "order that is not a number": (("ref.txt", "--max-ngram-order", "x"), ("--max-ngram-order", "'x'")),
    "gate at nan": (("ref.txt", "--fail-under", "nan"), ("--fail-under 'nan'", "score")),
    "gate at a word": (("ref.txt", "--fail-under", "x"), ("--fail-under", "'x'")),
    "gate for segments": (("ref.txt", "-sl", "--fail-under", "3"), ("--fail-under", "--sentence-level")),
    **{
        f"an empty {flag}": (("ref.txt", flag, ""), (f"{flag} is empty; give it a value, or leave it out",))
        for flag in ("--output", "--baseline", "--registry", "--mirror")
    },
    "an empty reference": (("",), ("a file name is empty; name a file",)),
    "an empty system": (("ref.txt", "-i", ""), ("a file name is empty; name a file",)),
    "an empty model": (("ref.txt", "-tok", "spm:"), ("the tokenizer spm: names no model; give its path: spm:PATH",)),
    "systems after two -i": (
        ("ref.txt", "-i", "sys.txt", "-i", "ref.txt"),
        ("-i was given twice; give all its values after one -i",),
    ),
    "a minus sign": (
        ("ref.txt", "\N{MINUS SIGN}i", "sys.txt"),
        ("there is no file \N{MINUS SIGN}i, ", "; did you mean -i?"),
    ),
    "an em dash": (
        ("ref.txt", "\N{EM DASH}score-onl"),
        ("and options begin with a hyphen, not a dash; did you mean --score-only or --scores?",),
    ),
    "a malformed pair": (("ref.txt", "-l", ""), ("--language-pair ''; expected the form xx-YY",)),
    **{
        f"{flag} {number}": (("ref.txt", flag, number), (f" '{number}'; expected a", "number"))
        for flag, number in (("-w", "1_0"), ("-cin", "\u0661\u0662"), ("-sv", "0_1"), ("-sv", "1e999"), ("-cc", "6.0"))
    },
    "a value for a switch": (("ref.txt", "--strict=no"), ("--strict takes no value, but has 'no'",)),
    "option without its value": (("ref.txt", "-e"), ("--encoding", "expected one argument")),
    "input without files": (("ref.txt", "-i"), ("--input", "expected at least one argument")),
    "repeated system": (("ref.txt", "-i", "sys.txt", "ref.txt", "sys.txt"), ("sys.txt", "twice", "once")),
    "several systems by segment": (("ref.txt", "-sl", "-i", "sys.txt", "ref.txt"), ("--sentence-level", "one system")),
}


@pytest.mark.parametrize(("words", "parts"), WRONG_USE.values(), ids=WRONG_USE)
def test_wrong_use_is_refused(run, pair, words, parts):
    refused(run(*words, stdin=b"the cat\nhello\n"), *parts)
    assert sorted(os.listdir()) == ["ref.txt", "sys.txt"]


@pytest.mark.parametrize("number", [10**9, 10**18, 10**30])
def test_an_order_that_is_too_large_is_refused(command, pair, number):
    refused(command(*pair, "--max-ngram-order", str(number), shell=LIMITED), "order")


def test_columns_of_standard_input_are_several_systems_for_sentence_level_too(run, pair):
    refused(run("ref.txt", "-sl", stdin=b"a\tb\nc\td\n"), "--sentence-level", "one system")


@pytest.mark.parametrize("variable", ["BLEU_FORMAT", "SACREBLEU_FORMAT"])
def test_a_wrong_format_in_the_environment_is_named_with_its_variable(run, pair, variable):
    for extra in ((), ("-b",), ("-sl",)):
        refused(run(*pair, *extra, variables={variable: "xml"}), variable, "'xml'", "json", "text")


def test_wrong_kernels_in_the_environment_are_refused(command, pair):
    answer = command(*pair, variables={"BLEU_KERNELS": "fast"})
    refused(answer, "BLEU_KERNELS", "'fast'", "auto", "native", "python")


def test_wrong_kernels_have_their_status_even_if_stderr_is_not_read(command, pair):
    assert command(*pair, variables={"BLEU_KERNELS": "fast"}, shell='exec "$@" 2>&-').status == 2


def test_errors_have_their_status_even_if_stderr_is_not_read(command, pair):
    assert command("nofile", shell='exec "$@" 2>&-').status == 2
    if os.path.exists("/dev/full"):
        assert command("nofile", shell='exec "$@" 2>/dev/full').status == 2


# --- unforeseen errors


@pytest.fixture
def failing(run, pair, monkeypatch):
    """Score while something raises an error, perhaps with a cause; return the answer."""

    def failing(error, cause=None, **more):
        def fail(*_, **more):
            raise error from cause

        monkeypatch.setattr("bleucli.cli.pipeline.score", fail)
        return run(*pair, "-o", "out.txt", **more)

    yield failing
    assert sorted(os.listdir()) == ["ref.txt", "sys.txt"]


@pytest.mark.parametrize(
    ("error", "cause"), [(MemoryError(), None), (SystemError("null"), MemoryError()), (ImportError(), MemoryError())]
)
def test_running_out_of_memory_is_an_error_like_others(failing, error, cause):
    refused(failing(error, cause), "out of memory")


@pytest.mark.parametrize(
    "error", [RuntimeError("odd\nthing"), SystemError("null"), RecursionError(), ValueError(), KeyError("a"), OSError()]
)
def test_unforeseen_errors_have_their_own_status(failing, error):
    """Status 1 means that a gate failed."""
    line = refused(failing(error), f"bleu itself failed ({type(error).__name__}", status=70)
    assert "BLEU_TRACEBACK=1" in line


def test_the_traceback_of_an_unforeseen_error_can_be_shown(failing):
    answer = failing(RuntimeError("odd"), variables={"BLEU_TRACEBACK": "1"})
    lines = answer.err.splitlines()
    assert (answer.status, answer.out, lines[0]) == (70, "", "Traceback (most recent call last):")
    assert lines[-2:] == [
        "RuntimeError: odd",
        "bleu: error: bleu itself failed (RuntimeError: odd); report it with the lines above",
    ]
    assert "Traceback" not in failing(RuntimeError("odd"), variables={"BLEU_TRACEBACK": "0"}).err


@pytest.mark.parametrize("broken", ["bleucli.cli.main", "bleucli.cli.streams"])
def test_a_broken_installation_has_the_status_of_unforeseen_errors(root, broken):
    code = f"import sys; sys.modules[{broken!r}] = None; from bleucli.__main__ import main; sys.exit(main())"
    done = subprocess.run((sys.executable, "-c", code), env=os.environ | {"PYTHONPATH": root}, capture_output=True)
    assert (done.returncode, done.stdout) == (70, b"")
    assert done.stderr.startswith(b"bleu: error: bleu cannot run here (ModuleNotFoundError(")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("words", [("-J", "2"), ("-J", "2", "-sl"), ("-ci", "-j", "2")])
def test_threads_that_cannot_be_started_are_an_error(run, pair, monkeypatch, words):

    def start(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("threading.Thread.start", start)
    refused(run(*pair, *words), "cannot start 2 threads", "ask for fewer")


OPTIONS = [action for action in parser()._actions if action.option_strings]


@pytest.mark.parametrize("action", OPTIONS, ids=lambda action: action.dest)
def test_no_option_swallows_two_hyphens(run, pair, action):
    """Before Python 3.13, argparse turns a value of two hyphens into [] or nothing."""
    for name in action.option_strings:
        attached = (f"{name}--",) if len(name) == 2 else ()  # as in -w2
        for form in (f"{name}=--", *attached):
            assert "--" in refused(run(*pair, form))


# --- references that are missing


def test_a_segment_whose_references_are_all_missing_is_named(run, write):
    write("ref1.txt", "a\n\n  \nd\n")
    write("ref2.txt", "a\nb\n\nd\n")
    write("sys.txt", "a\nb\nc\nd\n")
    for extra in ((), ("-sl",), ("-J", "2")):
        answer = run("ref1.txt", "ref2.txt", "-i", "sys.txt", "--skip-empty-refs", *extra)
        refused(answer, "segment 3", "references", "missing")


def test_a_segment_without_references_is_numbered_from_the_start_of_the_file(run, write):
    lines = BLOCK // len(LINE) + 10
    write("ref.txt", LINE * lines + b"\n" + LINE)
    write("sys.txt", LINE * (lines + 2))
    answer = run("ref.txt", "-i", "sys.txt", "--skip-empty-refs", "-tok", "none")
    refused(answer, f"segment {lines + 1} ")


# --- output that cannot be written


def test_output_into_a_missing_directory_is_refused(run, pair):
    refused(run(*pair, "-o", "missing/out.txt"), "missing/out.txt", os.strerror(2), "--output")


@pytest.mark.parametrize("name", ["directory", "directory/", "."])
def test_a_directory_as_output_is_refused(run, pair, name):
    os.mkdir("directory")
    refused(run(*pair, "-o", name), name, os.strerror(21), "--output")
    assert os.listdir("directory") == []


def test_the_name_of_a_missing_directory_as_output_is_refused(run, pair):
    refused(run(*pair, "-o", "missing/"), "missing", "--output")
    assert sorted(os.listdir()) == ["ref.txt", "sys.txt"]


def test_output_below_a_file_is_refused(run, pair):
    refused(run(*pair, "-o", "ref.txt/out.txt"), "ref.txt/out.txt", os.strerror(20))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
@pytest.mark.parametrize("extra", [(), ("-sl",), ("-V",), ("-h",)])
def test_a_full_disk_gives_one_line_with_status_2(command, pair, extra):
    refused(command(*pair, *extra, shell='exec "$@" >/dev/full'), "standard output", os.strerror(28), "--output")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
def test_a_full_device_as_output_is_named(run, pair):
    refused(run(*pair, "-o", "/dev/full"), "/dev/full", os.strerror(28))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
def test_a_full_folder_of_temporary_files_gives_one_line_about_that_folder(monkeypatch):
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda: open("/dev/full", "r+b", buffering=0))  # noqa: SIM115
    with pytest.raises(BleuError, match=r"^cannot write a temporary file: .*; set TMPDIR to a folder with free space$"):
        spool([b"a" * (1 << 21)])


def test_a_closed_standard_output_gives_one_line_with_status_2(command, pair):
    refused(command(*pair, shell='exec "$@" >&-'), "standard output", "closed", "--output")


@pytest.mark.parametrize("name", ["ref.txt", "sys.txt", "./sys.txt", "symbolic.txt", "hard.txt"])
def test_an_output_file_that_is_also_read_is_refused_and_left_as_it_was(run, pair, name):
    os.symlink("ref.txt", "symbolic.txt")
    os.link("sys.txt", "hard.txt")
    refused(run(*pair, "-o", name), f"--output {name}", "also an input")
    with open("sys.txt", "rb") as system, open("ref.txt", "rb") as reference:
        assert system.read() == b"the cat sat on a mat\nhello there world\n"
        assert reference.read() == b"the cat sat on the mat\nhello world\n"


@pytest.mark.parametrize("extra", [(), ("-sl",)])
def test_an_error_leaves_no_output_file(run, write, extra):
    write("ref.txt", "a\nb\n")
    write("sys.txt", "a\n\xff\n".encode("latin-1"))
    refused(run("ref.txt", "-i", "sys.txt", "-o", "out.txt", *extra), "sys.txt, line 2")
    assert sorted(os.listdir()) == ["ref.txt", "sys.txt"]


@pytest.mark.parametrize(
    "words", [("-cc", "0"), ("-cc", "-1"), ("-cc", "1" + "0" * 18), ("-cw", "-1"), ("--chrf-beta", "-1")]
)
def test_impossible_orders_and_betas_are_refused(run, pair, words):
    answer = run(*pair, "-m", "chrf", *words)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith("bleu: error: --chrf-")
    assert "expected" in answer.err
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize("words", [("-tok", "nonsense"), ("-l", "ende")])
def test_options_of_bleu_are_checked_even_if_only_chrf_is_scored(run, pair, words):
    answer = run(*pair, "-m", "chrf", *words)
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert words[1] in answer.err


def test_output_to_a_hyphen_is_standard_output(run, pair, folder):
    assert run(*pair, "-q", "-b", "-o", "-") == run(*pair, "-q", "-b")
    assert not (folder / "-").exists()


# --- what messages contain


def test_control_characters_in_messages_do_not_reach_a_terminal(run, pair, write):
    name = "\x1b]0;pwn\x07\x7f\x9b2J\u202e\u2028red.txt"
    os.rename("sys.txt", name)
    answer = run("ref.txt", "-i", name, "-b", terminal=True)
    shown = r"\x1b]0;pwn\x07\x7f\x9b2J\u202e\u2028red.txt"
    assert answer.err == f"bleu: note: reference ref.txt, 2 segments; system {shown}\n"
    refused(run("ref.txt", "-i", f"{name}x"), f"cannot read {shown}x")
    refused(run("ref.txt", "-tok", name), r"\x1b]0;pwn")
    refused(run("ref.txt", f"--{name}"), r"\x1b]0;pwn")
    one = '{"name": "BLEU", "score": 1, "signature": "tok:13a%s"}'
    odd = json.dumps(name)[1:-1]
    for content in (
        f'[{{"system": "{odd}x", "BLEU": {one % ""}}}]',
        one % f"|{odd}:{odd}",
        one.replace("BLEU", odd) % "",
    ):
        write("old.json", content)
        line = refused(run("ref.txt", "-i", name, "-b", "--baseline", "old.json", "--max-drop", "1"), r"\x1b]0;pwn")
        assert line[:-1].isprintable()


def test_bytes_of_a_name_that_is_not_utf_8_do_not_reach_a_terminal(run, write):
    write("ref.txt", "a b c d\n")
    name = write(os.fsdecode(b"caf\xe9\x9b2J.txt"), "a b c d\n")
    assert "system caf\udce9\\x9b2J.txt\n" in run("ref.txt", "-i", name, terminal=True).err
    out = run("ref.txt", "-i", name, "ref.txt", "-f", "json").out
    assert "caf\udce9\udc9b2J.txt" in out


# --- one error, two wordings: Python counts from 0 and names arguments, the command counts lines and names flags


def test_python_and_the_command_have_their_own_wordings(run, write):
    with pytest.raises(LengthError) as caught:
        bleucli.corpus_bleu(["a", "b"], [["a", "b", "c"]])
    assert str(caught.value) == (
        "references has 3 segments but hypotheses has 2 segments: segment 2 (counting from 0) of hypotheses is missing;"
        " give one text for each segment"
    )
    assert caught.value.in_command().endswith("line 3 of hypotheses is missing; give one line for each segment")
    write("ref.txt", "a\nb\nc\n")
    write("sys.txt", "a\nb\n")
    refused(run("ref.txt", "-i", "sys.txt"), "line 3 of sys.txt is missing; give one line for each segment")
    with pytest.raises(bleucli.BleuError, match=r"^all references of segment 1 \(counting from 0\) are missing"):
        bleucli.corpus_bleu(["a", "b"], [["a", None]])
    write("empty.txt", "a\n\n")
    refused(run("empty.txt", "-i", "sys.txt", "--skip-empty-refs"), "all references of segment 2 are empty or missing")


def test_both_wordings_survive_pickling():
    with pytest.raises(bleucli.BleuError) as caught:
        bleucli.corpus_bleu(["a", "b"], [["a", None]])
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.in_command()) == (str(caught.value), caught.value.in_command())
    assert "segment 2 are" in again.in_command()
