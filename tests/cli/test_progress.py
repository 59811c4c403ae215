"""Progress: a bar on a terminal's stderr once work takes a while, gone at the end; nothing anywhere else."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys

import pytest
from conftest import Terminal, process_environment, sent_to
from strategies import every

from bleucli.cli.streams import Bar, Environment

pytestmark = pytest.mark.skipif(os.name != "posix", reason="there are no pseudo-terminals")

AT_ONCE = (
    "import bleucli.cli.streams as p; p._PATIENCE = {}; from bleucli.__main__ import main; raise SystemExit(main())"
)
REF, STRONG, WEAK = "reference.A.de.txt", "strong.de.txt", "weak.de.txt"
WORK = (REF, "-i", STRONG, WEAK, "--paired-bs", "-f", "text")


def on_terminal(*words, patience=0, stdout=subprocess.PIPE):
    """Run the command with a terminal as stderr; return the status, stdout, and what was written to the terminal."""
    import fcntl
    import termios

    terminal, stderr = os.openpty()
    fcntl.ioctl(stderr, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    command = [sys.executable, "-c", AT_ONCE.format(patience), *words]
    with subprocess.Popen(
        command, stdout=stdout, stderr=stderr, env=process_environment({"TERM": "xterm", "NO_COLOR": "1"})
    ) as process:
        os.close(stderr)
        out = process.stdout.read() if process.stdout else b""
        status = process.wait(60)
    return status, out.decode(), sent_to(terminal).decode()


def left_on_screen(sent):
    """Return the lines that remain on the screen; after a carriage return, later text overwrites earlier text."""
    lines = []
    for line in sent.replace("\r\n", "\n").split("\n"):
        shown = ""
        for part in line.split("\r"):
            shown = part + shown[len(part) :]
        lines.append(shown.rstrip())
    return [line for line in lines if line]


def test_left_on_screen_returns_what_a_terminal_shows():
    assert left_on_screen("\rabc\r   \rx\r\nnote\r\n") == ["x", "note"]


@pytest.mark.usefixtures("demo_files")
@pytest.mark.parametrize("test", every(3, ["--confidence", "--paired-bs", "--paired-ar"]))
def test_a_bar_appears_on_a_terminal_and_is_removed(run, test):
    words = (REF, "-i", STRONG, WEAK, test, "-f", "text")
    status, out, sent = on_terminal(*words)
    assert status == 0
    assert " segments" in sent
    assert " trials" in sent
    assert "%|" in sent
    expected = run(*words, terminal=True)
    assert out == expected.out
    assert left_on_screen(sent) == expected.err.splitlines() != []


@pytest.mark.usefixtures("demo_files")
def test_notes_warnings_and_failed_gates_still_reach_the_terminal(run):
    words = (REF, "-i", REF, "-ci", "--fail-under", "101")
    status, out, sent = on_terminal(*words)
    assert status == 1
    assert " trials" in sent
    assert json.loads(out)["score"] == 100.0
    lines = left_on_screen(sent)
    assert [line.split()[1] for line in lines] == ["note:", "warning:", "error:"]
    assert lines == run(*words, terminal=True).err.splitlines()


@pytest.mark.usefixtures("demo_files")
def test_only_the_error_stays_on_the_terminal(write):
    write("short.txt", "one\n")
    status, out, sent = on_terminal(REF, "-i", "short.txt", "-ci")
    assert (status, out) == (2, "")
    (line,) = left_on_screen(sent)
    assert line.startswith("bleu: error: reference.A.de.txt has 100 segments")


@pytest.mark.usefixtures("demo_files")
def test_scores_of_segments_have_a_bar(write):
    write("a.txt", "0.5\n" * 50)
    write("b.txt", "0.6\n" * 50)
    status, _, sent = on_terminal("--segment-scores", "-i", "a.txt", "b.txt", "-ci")
    assert (status, " trials" in sent) == (0, True)


@pytest.mark.usefixtures("demo_files")
def test_quiet_shows_no_bar():
    assert on_terminal(*WORK, "-q")[2] == ""


@pytest.mark.usefixtures("demo_files")
def test_short_work_has_no_bar(run):
    _, _, sent = on_terminal(*WORK, patience=1000)
    assert sent.replace("\r\n", "\n") == run(*WORK, terminal=True).err


@pytest.mark.usefixtures("demo_files")
def test_there_is_no_bar_where_stderr_is_piped_or_closed(monkeypatch, run, command):
    monkeypatch.setattr("bleucli.cli.streams._PATIENCE", 0)
    answer = run(*WORK)
    assert "trials" not in answer.err
    assert "\r" not in answer.err
    assert run(*WORK, "-q").err == ""
    assert command(*WORK, shell='exec "$@" 2>&-').out == answer.out


def test_stderr_is_still_open_when_the_bar_is_gone(monkeypatch):
    monkeypatch.setattr("bleucli.cli.streams._PATIENCE", 0)
    stderr = Terminal()
    with Bar(Environment(None, None, stderr, {})) as progress:
        progress("segments", 3, 0)
        progress("trials", 1, 2)
        progress("trials", 2, 2)
    progress.close()
    del progress
    assert not stderr.closed
    assert b"segments" in stderr.getvalue()
    assert stderr.getvalue().endswith(b"\r")


def test_nothing_is_shown_before_a_second_has_passed(monkeypatch):
    moments = iter([0.0, 0.5, 0.99, 1.0])
    monkeypatch.setattr("bleucli.cli.streams.time.monotonic", lambda: next(moments))
    stderr = Terminal()
    with Bar(Environment(None, None, stderr, {})) as progress:
        for done, shown in ((1, False), (2, False), (3, True)):
            progress("segments", done, 0)
            assert bool(stderr.getvalue()) == shown
