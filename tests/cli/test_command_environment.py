"""The command among other programs: streams, variables, signals, faults."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import colorama
import pytest
from command_answers import JSON, JSON_OF_TWO, TEXT
from conftest import process_environment


@pytest.fixture
def pair(pair):
    """Leave out notes, which other tests check."""
    return ("-q", *pair)


@pytest.mark.parametrize(
    ("ours", "theirs", "asked", "expected"),
    [
        ("text", None, (), TEXT),
        (None, "text", (), TEXT),
        ("json", "text", (), JSON),
        ("text", "json", (), TEXT),
        ("", "text", (), TEXT),
        ("", "", (), JSON),
        ("text", "text", ("-f", "json"), JSON),
        ("json", "json", ("-f", "text"), TEXT),
        ("xml", None, ("-f", "text"), TEXT),
        ("text", "xml", (), TEXT),
    ],
)
def test_a_format_option_overrides_our_variable_and_that_overrides_sacrebleus(run, pair, ours, theirs, asked, expected):
    variables = {"BLEU_FORMAT": ours, "SACREBLEU_FORMAT": theirs}
    given = {name: value for name, value in variables.items() if value is not None}
    assert run(*pair, *asked, variables=given) == (0, expected, "")


def test_the_format_of_the_environment_applies_to_several_systems(run, pair):
    assert run(*pair, "ref.txt", variables={"BLEU_FORMAT": "json"}) == (0, JSON_OF_TWO, "")


def test_the_process_sees_the_environment(command, pair):
    assert command(*pair, variables={"SACREBLEU_FORMAT": "text"}) == (0, TEXT, "")


def on_terminal(run, *words, variables=()):
    """Return what a run writes to stderr when that is a terminal."""
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    with open(follower, "wb", buffering=0) as stderr:
        run(*words, stderr=stderr, variables=variables)
    said = b""
    with suppress(OSError):  # this is how a terminal says that all was read
        while piece := os.read(leader, 10000):
            said += piece
    os.close(leader)
    return said.decode()


def test_errors_are_red_and_warnings_yellow_on_a_terminal(run, pair, write):
    write("ref.txt", b"\xef\xbb\xbfthe cat sat on the mat\nhello world\n")
    assert on_terminal(run, "nofile", "-i", "sys.txt").startswith("bleu: \033[31merror\033[0m: cannot read nofile")
    assert "bleu: \033[33mwarning\033[0m: ref.txt starts with" in on_terminal(run, "ref.txt", "-i", "sys.txt")


class Terminal(io.BytesIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("platform", "told"), [("win32", True), ("linux", False)])
def test_a_windows_console_is_prepared_for_colours_where_there_are_some(run, pair, monkeypatch, platform, told):
    calls = []
    monkeypatch.setattr(colorama, "just_fix_windows_console", lambda: calls.append(True))
    monkeypatch.setattr(sys, "platform", platform)
    for words, streams in (
        (("nofile",), {"stderr": Terminal()}),
        ((*pair, "-ci", "-f", "text"), {"stdout": Terminal()}),
    ):
        calls.clear()
        run(*words, **streams)
        assert bool(calls) is told
        assert b"\033[" in next(iter(streams.values())).getvalue()
    calls.clear()
    run("nofile", stderr=Terminal(), variables={"NO_COLOR": "1"})
    run(*pair, stdout=Terminal(), variables={"NO_COLOR": "1"})
    run(*pair, "-nc", stdout=Terminal())
    run(*pair, "-ci", "-f", "text")
    assert not calls


def test_colours_are_imported_only_where_they_are_shown(command, pair):
    program = (
        "import io, sys; from bleucli.cli import main, streams;"
        " environment = streams.Environment(None, io.BytesIO(), io.BytesIO(), {});"
        " sys.exit(main.run(sys.argv[1:], environment) or 'colorama' in sys.modules)"
    )
    for words in ((), ("-b",), ("ref.txt", "-f", "text"), ("-ci", "-f", "text")):
        done = subprocess.run([sys.executable, "-c", program, *pair, *words], env=process_environment({}), check=False)
        assert done.returncode == 0, words


def test_no_color_turns_colour_off(run, pair):
    said = on_terminal(run, "nofile", "-i", "sys.txt", variables={"NO_COLOR": "1"})
    assert said.startswith("bleu: error: cannot read nofile")


def test_only_terminals_get_colour(run, pair):
    assert "\033" not in run("nofile", "-i", "sys.txt").err


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        pytest.param({"LC_ALL": "POSIX"}, marks=pytest.mark.slow),
        pytest.param({"LC_ALL": "C", "PYTHONIOENCODING": "latin-1"}, marks=pytest.mark.slow),
    ],
)
def test_text_and_names_are_utf_8_whatever_the_locale(command, pair, locale):
    os.rename("ref.txt", "références.txt")
    os.rename("sys.txt", "système.txt")
    answer = command("-q", "références.txt", "-i", "système.txt", "références.txt", "-f", "text", variables=locale)
    assert (answer.status, answer.err) == (0, "")
    assert "│    système.txt │  45.9  │\n" in answer.out
    answer = command("références.txt", "-i", "système.txt", "références.txt", "-f", "json", variables=locale)
    assert [system["system"] for system in json.loads(answer.out)] == ["système.txt", "références.txt"]
    answer = command("-q", "références.txt", "-i", "système.txt", "-o", "résultat.txt", variables=locale)
    assert answer == (0, "", "")
    assert os.path.exists("résultat.txt")
    answer = command("niña.txt", "-i", "système.txt", variables=locale)
    assert answer.err.startswith("bleu: error: cannot read niña.txt: ")
    answer = command("références.txt", "-i", "système.txt", "--größe", variables=locale)
    assert "--größe" in answer.err


@pytest.fixture
def odd_name(pair):
    name = b"syst\xe8me.txt"
    try:
        os.rename(b"sys.txt", name)
    except OSError:
        pytest.skip("the file system requires names in UTF-8")
    return name


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        pytest.param({}, marks=pytest.mark.slow),
        pytest.param({"LC_ALL": "C"}, marks=pytest.mark.slow),
    ],
)
def test_file_names_that_are_not_utf_8_pass_through(command, odd_name, locale):
    shown = odd_name.decode("utf-8", "surrogateescape")
    for form in ("text", "json"):
        answer = command("-q", "ref.txt", "-i", odd_name, "ref.txt", "-f", form, variables=locale)
        assert (answer.status, answer.err) == (0, "")
        assert shown in answer.out
    assert command(b"no\xff", "-i", odd_name, variables=locale).err.startswith("bleu: error: cannot read no\udcff: ")
    assert command("-q", "ref.txt", "-i", odd_name, "-b", "-o", b"out\xff", variables=locale) == (0, "", "")
    with open(b"out\xff", "rb") as file:
        assert file.read() == b"45.9\n"


@pytest.mark.parametrize("name", [b"a\xff", b"s3:a", b"gs:a"])
def test_tables_and_statistics_may_have_names_that_are_not_utf_8_or_begin_like_addresses(command, pair, name):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed; install bleucli[arrow]")
    parquet = pytest.importorskip("pyarrow.parquet")
    texts = {key: Path(f"{key}.txt").read_text(encoding="utf-8").splitlines() for key in ("sys", "ref")}
    table, scores = pa.table(texts), pa.table({"score": [0.5] * len(texts["sys"])})
    parquet.write_table(table, "table.parquet")
    parquet.write_table(scores, "scores.parquet")
    with pa.ipc.new_file("table.arrow", table.schema) as file:
        file.write_table(table)
    assert command("count", *pair, "-o", "stats.parquet") == (0, "", "")
    try:
        os.rename("table.parquet", name + b".parquet")
    except OSError:
        pytest.skip("the file system refuses such names")
    os.rename("scores.parquet", b"scores." + name)
    os.rename("table.arrow", name + b".arrow")
    os.rename("stats.parquet", b"stats." + name)
    columns = ("--columns", "hyp=sys,refs=ref")
    for ending in (b".parquet", b".arrow"):
        assert command("-q", "-b", "--table", name + ending, *columns) == (0, "45.9\n", "")
        refused = command("--table", b"no." + name + ending, *columns)
        assert refused.err.startswith("bleu: error: there is no file no.")
    assert command("-q", "-b", "--stats", b"stats." + name) == (0, "45.9\n", "")
    assert command("--stats", name).err.startswith(f"bleu: error: there is no file {os.fsdecode(name)}; ")
    answer = command(*pair, "-b", "--scores", b"comet=scores." + name)
    assert (answer.status, json.loads(answer.out), answer.err) == (0, [45.9, 0.5], "")


def test_statistics_are_not_looked_for_elsewhere(command):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed; install bleucli[arrow]")
    answer = command("--stats", "s3://bucket/a.parquet")
    assert answer == (2, "", "bleu: error: there is no file s3://bucket/a.parquet; name files of statistics\n")
