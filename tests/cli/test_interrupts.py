"""Ctrl-C and readers that go away: a quiet end with its own status, and nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import SECONDS, needs_pipes
from strategies import every

from bleucli.cli import streams
from bleucli.text import wholefiles

PIPES = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
LINE = b"the cat sat on the mat and looked at the dog\n"
PIPE_CLOSED = (141, -13)  # set by the command, or by the signal


@pytest.fixture
def many(write):
    """Write a pair whose sentence scores are more than a pipe holds."""
    write("ref.txt", "a b c\n" * 1000)
    write("sys.txt", "a b d\n" * 1000)
    return ("-q", "ref.txt", "-i", "sys.txt", "-sl", "-tok", "none", "-w", "1000")


# --- readers that go away


def test_head_ends_the_command_silently(start, many):
    process = start(*many, **PIPES)
    assert process.stdout.readline().startswith(b"BLEU|nrefs:1|")
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(timeout=SECONDS) in PIPE_CLOSED


def test_a_pipeline_with_head_is_quiet(command, many):
    answer = command(*many, "-b", "-w", "2", shell='"$@" | head -1')
    assert answer == (0, "55.03\n", "")


@pytest.mark.parametrize("words", [("-q", "ref.txt", "-i", "ref.txt"), ("-h",), ("-V",)])
def test_a_pipe_without_a_reader_ends_the_command_silently(start, write, words):
    write("ref.txt", "a b c d\n")
    reader, writer = os.pipe()
    os.close(reader)
    process = start(*words, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert process.stderr.read() == b""
    assert process.wait(timeout=SECONDS) in PIPE_CLOSED


@needs_pipes
def test_a_named_pipe_whose_reader_goes_away_ends_the_command_silently(start, many):
    os.mkfifo("pipe")
    process = start(*many, "-o", "pipe", stderr=subprocess.PIPE)
    with open("pipe", "rb") as pipe:
        assert pipe.readline().startswith(b"BLEU|")
    assert process.stderr.read() == b""
    assert process.wait(timeout=SECONDS) in PIPE_CLOSED


@pytest.mark.parametrize("lost", ["2>&-", "2>/dev/full"])
def test_warnings_without_a_reader_do_no_harm(command, write, lost):
    if "full" in lost and not os.path.exists("/dev/full"):
        pytest.skip("the system has no /dev/full")
    write("ref.txt", b"\xef\xbb\xbfa b c d\n")
    write("sys.txt", b"\xef\xbb\xbfa b c d\n")
    answer = command("ref.txt", "-i", "sys.txt", "-b", shell=f'exec "$@" {lost}')
    assert answer == (0, "100.0\n", "")


def test_warnings_into_a_broken_pipe_do_no_harm(start, write):
    write("ref.txt", b"\xef\xbb\xbfa b c d\n")
    write("sys.txt", b"\xef\xbb\xbfa b c d\n")
    reader, writer = os.pipe()
    os.close(reader)
    process = start("ref.txt", "-i", "sys.txt", "-b", stdout=subprocess.PIPE, stderr=writer)
    os.close(writer)
    assert process.communicate(timeout=SECONDS)[0] == b"100.0\n"
    assert process.returncode == 0


def test_a_pipe_that_does_not_block_gets_the_whole_answer(start, run, many):
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    process = start(*many, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    with open(reader, "rb") as answer:
        assert answer.read().decode() == run(*many).out
    assert process.stderr.read() == b""
    assert process.wait(timeout=SECONDS) == 0


# --- Ctrl-C


def wait_until_it_waits(process):
    """Return once a process has done nothing for a tenth of a second.

    Python looks for signals, and then reads. It notices a signal that comes between the two only when something was
    read. Nobody presses Ctrl-C within these microseconds, but a test that does not wait may.
    """
    deadline = time.monotonic() + SECONDS
    asleep = 0
    while asleep < 3:
        assert time.monotonic() < deadline, "the process never waits"
        time.sleep(0.05)
        answer = subprocess.run(("ps", "-o", "stat=", "-p", str(process.pid)), capture_output=True, check=True)
        asleep = asleep + 1 if answer.stdout.startswith((b"S", b"I")) else 0


def interrupt(process):
    """Press Ctrl-C; return the end of the process's output."""
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=SECONDS)


@pytest.mark.slow
@needs_pipes
@pytest.mark.parametrize("extra", [(), ("-sl",), ("-J", "2")])
def test_ctrl_c_while_waiting_for_standard_input_is_quiet(start, folder, extra):
    os.mkfifo("ref")
    process = start("ref", "-i", "-", "-o", "out.txt", *extra, stdin=subprocess.PIPE, **PIPES)
    process.stdin.write(LINE)
    process.stdin.flush()
    with open("ref", "wb") as reference:  # continues when the command has read the line and opens this pipe
        reference.write(LINE)
    wait_until_it_waits(process)
    assert interrupt(process) == (b"", b"")
    assert process.returncode == 130
    assert os.listdir() == ["ref"]


@needs_pipes
def test_ctrl_c_while_waiting_for_a_file_is_quiet(start, write):
    write("ref.txt", LINE)
    os.mkfifo("system")
    process = start("ref.txt", "-i", "system", **PIPES)
    with open("system", "wb"):
        wait_until_it_waits(process)
        assert interrupt(process) == (b"", b"")
    assert process.returncode == 130


@needs_pipes
@pytest.mark.parametrize("extra", [(), ("-sl",), ("-J", "2")])
def test_ctrl_c_while_working_is_quiet(start, write, extra):
    write("ref.txt", LINE * 100_000)
    os.mkfifo("system")
    process = start("ref.txt", "-i", "system", "-o", "out.txt", *extra, **PIPES)
    halfway = threading.Event()

    def feed():
        try:
            with open("system", "wb", buffering=0) as system:
                for number in range(1000):
                    if number == 75:
                        halfway.set()
                    system.write(LINE * 100)
        except BrokenPipeError:
            pass

    feeder = threading.Thread(target=feed, daemon=True)
    feeder.start()
    assert halfway.wait(timeout=SECONDS)
    assert interrupt(process) == (b"", b"")
    assert process.returncode == 130
    feeder.join(timeout=SECONDS)
    assert sorted(os.listdir()) == ["ref.txt", "system"]


@needs_pipes
def test_ctrl_c_while_the_answer_is_not_read_is_quiet(start, many):
    process = start(*many, **PIPES)
    assert process.stdout.read(1000)
    process.send_signal(signal.SIGINT)
    assert process.stderr.read() == b""
    assert process.wait(timeout=SECONDS) == 130


class Interrupted:
    """Press Ctrl-C when the modules that read and write have run `steps` lines."""

    def __init__(self, steps):
        self.steps = steps

    def __call__(self, frame, event, argument):
        if (
            frame.f_code.co_filename not in (streams.__file__, wholefiles.__file__)
            or frame.f_code.co_name == "__init__"
        ):
            return None
        self.steps -= event == "line"
        if self.steps < 0:
            sys.settrace(None)
            raise KeyboardInterrupt
        return self


@pytest.mark.parametrize("there", every(2, [True, False]))
def test_ctrl_c_at_any_line_of_the_writing_leaves_no_temporary_file(run, pair, write, there):
    tracer = sys.gettrace()
    outcomes = set()
    for steps in range(1000):
        if there:
            write("out.txt", "old\n")
        elif os.path.exists("out.txt"):
            os.unlink("out.txt")
        try:
            sys.settrace(Interrupted(steps))
            answer = run("-q", *pair, "-b", "-o", "out.txt")
        finally:
            sys.settrace(tracer)
        found = open("out.txt").read() if os.path.exists("out.txt") else None  # noqa: SIM115
        assert found in ("45.9\n", "old\n" if there else None)
        assert set(os.listdir()) <= {"ref.txt", "sys.txt", "out.txt"}
        assert answer in ((130, "", ""), (0, "", ""))
        outcomes.add((answer.status, found))
        if answer.status == 0:
            break
    assert len(outcomes) == 3


# Takes some of the lines of the package that a run executes, imports included. For each, it forks and presses Ctrl-C
# when the child is about to run that line. The first line is a `try`; before it, Python itself handles Ctrl-C.
INTERRUPTED_AT_LINES = """
import os, sys
from bleucli import __main__

package = os.path.dirname(__main__.__file__)

def child(steps):
    def trace(frame, event, argument):
        nonlocal steps
        name = frame.f_code.co_filename
        if not name.startswith(package) or frame.f_code.co_name == "<module>" and name == __main__.__file__:
            return None
        steps -= event == "line"
        if steps < 0:
            sys.settrace(None)
            raise KeyboardInterrupt
        return trace
    sys.settrace(trace)
    status = __main__.main()
    sys.settrace(None)
    os._exit(status)

steps, status = 1, -1
while status:
    status = os.waitstatus_to_exitcode(os.waitpid(os.fork() or child(steps), 0)[1])
    print(status, flush=True, file=sys.stderr)
    steps += 1 + steps // 5
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
@pytest.mark.slow
@pytest.mark.parametrize("words", [("-b",), ("-ci", "-cin", "2", "-b")])
def test_ctrl_c_at_any_line_has_its_own_status(pair, root, words):

    done = subprocess.run(
        (sys.executable, "-c", INTERRUPTED_AT_LINES, "-q", *pair, *words),
        env=os.environ | {"PYTHONPATH": root},
        capture_output=True,
        timeout=SECONDS,
    )
    *interrupted, fine = done.stderr.decode().split("\n")[:-1]
    assert (set(interrupted), fine) == ({"130"}, "0")
    assert done.stdout.count(b"\n") <= 2  # the last interruption may come after the answer


def test_an_error_caused_by_ctrl_c_is_treated_as_ctrl_c(run, pair, monkeypatch):
    def interrupt(*_, **more):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as interruption:
            raise SystemError("returned a result with an exception set") from interruption

    monkeypatch.setattr("bleucli.cli.pipeline.score", interrupt)
    assert run(*pair) == (130, "", "")
