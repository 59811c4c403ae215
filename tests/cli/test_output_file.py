"""The file of --output: written whole or not at all, whatever happens in between, and nothing else is left behind."""

from __future__ import annotations

import errno
import json
import os
import random
import re
import stat
import subprocess
import sys
import threading
import time

import pytest
from conftest import SECONDS, needs_pipes, needs_signals

SCORE = "45.9\n"
OLD = "what stood there before\n"
INPUTS = ["ref.txt", "sys.txt"]
SEGMENTS = 1000  # with a thousand decimals each, they exceed what is kept in memory


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def mode(name):
    return stat.S_IMODE(os.stat(name).st_mode)


@pytest.fixture
def pair(pair):
    """Leave out notes, which other tests check."""
    return ("-q", *pair)


@pytest.fixture
def many(write):
    """Write a pair whose sentence scores are a large output."""
    write("ref.txt", "a b c\n" * SEGMENTS)
    write("sys.txt", "a b d\n" * SEGMENTS)
    return ("-q", "ref.txt", "-i", "sys.txt", "-sl", "-tok", "none", "-w", "1000")


# --- files


def test_output_goes_to_the_file_and_not_to_stdout(run, pair):
    assert run(*pair, "-b", "-o", "out.txt") == (0, "", "")
    assert read("out.txt") == SCORE
    assert sorted(os.listdir()) == ["out.txt", *INPUTS]


@pytest.mark.parametrize("extra", [(), ("-f", "text"), ("-sl",), ("ref.txt",), ("-h",), ("-V",)])
def test_the_file_holds_what_stdout_would_hold(run, pair, extra):
    assert run(*pair, *extra, "-o", "out.txt") == (0, "", "")
    assert read("out.txt") == run(*pair, *extra).out


def test_a_file_that_exists_is_replaced(run, pair, write):
    write("out.txt", OLD * 1000)
    assert run(*pair, "-b", "-o", "out.txt") == (0, "", "")
    assert read("out.txt") == SCORE
    assert sorted(os.listdir()) == ["out.txt", *INPUTS]


def test_a_large_answer_replaces_a_large_file_and_leaves_nothing_else(run, many, write):
    write("out.txt", OLD * 50_000)
    expected = run(*many).out
    assert len(expected) > 1 << 20
    assert run(*many, "-o", "out.txt") == (0, "", "")
    assert read("out.txt") == expected
    assert sorted(os.listdir()) == ["out.txt", *INPUTS]


def test_the_file_may_be_in_another_folder(run, pair, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    assert run(*pair, "-b", "-o", str(elsewhere / "out.txt")) == (0, "", "")
    assert read(elsewhere / "out.txt") == SCORE
    assert os.listdir(elsewhere) == ["out.txt"]


def test_a_name_as_long_as_names_can_be_is_written(run, pair):
    name = "x" * os.pathconf(".", "PC_NAME_MAX")
    assert run(*pair, "-b", "-o", name) == (0, "", "")
    assert read(name) == SCORE


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o755, 0o666])
def test_the_mode_of_a_file_is_kept(run, pair, write, kept):
    write("out.txt", OLD)
    os.chmod("out.txt", kept)
    run(*pair, "-b", "-o", "out.txt")
    assert (read("out.txt"), mode("out.txt")) == (SCORE, kept)


def test_a_new_file_has_the_mode_that_the_umask_leaves(run, pair):
    old = os.umask(0o027)
    try:
        run(*pair, "-o", "out.txt")
    finally:
        os.umask(old)
    assert mode("out.txt") == 0o640


def test_a_private_file_is_at_no_time_readable_by_others(run, pair, write, monkeypatch):
    write("out.txt", OLD)
    os.chmod("out.txt", 0o600)
    seen = []
    really_replace = os.replace

    def replace(source, target, **options):
        seen.append(mode(source))
        really_replace(source, target, **options)

    def chmod(path, new, **options):
        seen.append(mode(path))
        really_chmod(path, new, **options)

    really_chmod = os.chmod
    monkeypatch.setattr("os.replace", replace)
    monkeypatch.setattr("os.chmod", chmod)
    assert run(*pair, "-b", "-o", "out.txt").status == 0
    assert seen
    assert not any(found & 0o077 for found in seen)


@pytest.mark.parametrize("reason", [errno.EACCES, errno.EROFS, errno.EPERM])
def test_a_file_that_may_not_be_written_is_refused_with_the_systems_reason(run, pair, write, monkeypatch, reason):
    write("out.txt", OLD)
    really_open = os.open

    def open_others(path, *arguments, **options):
        if path == "out.txt":
            raise OSError(reason, os.strerror(reason))
        return really_open(path, *arguments, **options)

    monkeypatch.setattr("os.open", open_others)
    answer = run(*pair, "-b", "-o", "out.txt")
    assert (answer.status, answer.out) == (2, "")
    assert f"cannot write out.txt: {os.strerror(reason)};" in answer.err
    assert read("out.txt") == OLD
    assert sorted(os.listdir()) == ["out.txt", *INPUTS]


# --- files that are written in place


@pytest.fixture
def kept(run, pair, write):
    """Write over a file; check that it is the same file, or that an error leaves its contents."""

    def kept(fails=False, length=1):
        before = os.stat("out.txt")
        old = read("out.txt")
        answer = run(*pair, "-b", "-o", "out.txt")
        after = os.stat("out.txt")
        assert answer.status == (2 if fails else 0), answer.err
        assert read("out.txt") == (old if fails else SCORE)
        assert (after.st_ino, after.st_mode, after.st_uid) == (before.st_ino, before.st_mode, before.st_uid)
        assert not [name for name in os.listdir() if name.startswith(".bleu-")]
        return answer

    write("out.txt", OLD * 3)
    return kept


def test_hard_links_stay_links(kept):
    os.link("out.txt", "other.txt")
    kept()
    assert os.path.samefile("out.txt", "other.txt")
    assert read("other.txt") == SCORE


def failing(monkeypatch, name, reason, only=lambda *_: True):
    really = getattr(os, name)

    def fail(*arguments, **options):
        if only(*arguments):
            raise OSError(reason, os.strerror(reason))
        return really(*arguments, **options)

    monkeypatch.setattr(f"os.{name}", fail)


def test_a_file_that_is_a_mount_point_is_written(kept, monkeypatch):
    failing(monkeypatch, "replace", errno.EBUSY)
    kept()


@pytest.mark.parametrize("reason", [errno.EACCES, errno.EROFS])
def test_a_file_in_a_write_protected_folder_is_written(kept, monkeypatch, reason):
    failing(monkeypatch, "open", reason, lambda path, flags, *_: flags & os.O_CREAT)
    kept()


@pytest.mark.skipif(not hasattr(os, "chown") or os.geteuid() != 0, reason="only root may change the owner of a file")
def test_owner_and_group_of_a_file_are_kept(run, pair, write):
    write("out.txt", OLD)
    os.chown("out.txt", 1234, 2345)
    os.chmod("out.txt", 0o2660)
    assert run(*pair, "-b", "-o", "out.txt") == (0, "", "")
    found = os.stat("out.txt")
    assert (read("out.txt"), found.st_uid, found.st_gid, mode("out.txt")) == (SCORE, 1234, 2345, 0o2660)


def test_a_file_whose_owner_cannot_be_given_to_a_new_file_is_written_in_place(kept, monkeypatch):
    if not hasattr(os, "chown") or os.geteuid() != 0:
        pytest.skip("only root may change the owner of a file")
    os.chown("out.txt", 1234, 2345)
    failing(monkeypatch, "chown", errno.EPERM)
    kept()


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()])
def test_the_old_contents_are_restored_if_a_file_cannot_be_written_in_place(run, pair, write, monkeypatch, error):
    write("out.txt", OLD * 3)
    os.link("out.txt", "other.txt")
    really_fsync, calls = os.fsync, []

    def fsync(file):
        calls.append(read("out.txt"))
        if len(calls) == 1:
            raise error
        really_fsync(file)

    monkeypatch.setattr("os.fsync", fsync)
    assert run(*pair, "-b", "-o", "out.txt").status == (2 if isinstance(error, OSError) else 130)
    assert calls == [SCORE, OLD * 3]
    assert read("other.txt") == OLD * 3


@pytest.mark.parametrize("lines", [1, 100_000])
def test_a_large_file_is_written_in_place_too(run, many, write, lines):
    write("out.txt", OLD * lines)
    os.link("out.txt", "other.txt")
    assert run(*many, "-o", "out.txt").status == 0
    assert read("other.txt") == run(*many).out


# --- links


@pytest.mark.parametrize("there", [True, False])
def test_a_link_is_followed_and_stays(run, pair, write, there):
    os.mkdir("target")
    if there:
        write("target/real.txt", OLD)
    os.symlink("target/real.txt", "link1")
    os.symlink("link1", "link2")
    assert run(*pair, "-b", "-o", "link2") == (0, "", "")
    assert (os.readlink("link2"), os.readlink("link1")) == ("link1", "target/real.txt")
    assert read("target/real.txt") == SCORE
    assert os.listdir("target") == ["real.txt"]
    assert sorted(os.listdir()) == ["link1", "link2", *INPUTS, "target"]


def test_a_directory_that_is_a_link_is_followed(run, pair):
    os.mkdir("target")
    os.symlink("target", "link")
    assert run(*pair, "-b", "-o", "link/out.txt") == (0, "", "")
    assert read("target/out.txt") == SCORE


def test_a_link_to_a_directory_is_refused(run, pair):
    os.mkdir("target")
    os.symlink("target", "link")
    answer = run(*pair, "-b", "-o", "link")
    assert (answer.status, answer.out) == (2, "")
    assert "link" in answer.err
    assert os.listdir("target") == []


@pytest.mark.parametrize("planted", ["link", "file"])
def test_a_file_with_a_temporary_name_is_neither_followed_nor_in_the_way(run, pair, write, monkeypatch, planted):
    write("precious.txt", OLD)
    really_open = os.open
    opened = []

    def note_and_open(path, *arguments, **options):
        opened.append(path)
        return really_open(path, *arguments, **options)

    monkeypatch.setattr("os.open", note_and_open)
    assert run(*pair, "-b", "-o", "out.txt").status == 0
    (temporary,) = opened
    if planted == "link":
        os.symlink("precious.txt", temporary)
    else:
        write(temporary, "left by a run that was killed\n")
    assert run(*pair, "-b", "-o", "out.txt") == (0, "", "")
    assert (read("out.txt"), read("precious.txt")) == (SCORE, OLD)
    assert not os.path.islink("out.txt")


def test_a_loop_of_links_is_refused_and_stays(run, pair):
    os.symlink("b", "a")
    os.symlink("a", "b")
    answer = run(*pair, "-b", "-o", "a")
    assert (answer.status, answer.out) == (2, "")
    assert f"cannot write a: {os.strerror(errno.ELOOP)};" in answer.err
    assert (os.readlink("a"), os.readlink("b")) == ("b", "a")


# --- what is not a regular file


@needs_pipes
def test_a_named_pipe_is_written_directly(run, pair):
    os.mkfifo("pipe")
    received = []
    reader = threading.Thread(target=lambda: received.append(read("pipe")), daemon=True)
    reader.start()
    assert run(*pair, "-b", "-o", "pipe") == (0, "", "")
    reader.join(timeout=SECONDS)
    assert received == [SCORE]
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)
    assert sorted(os.listdir()) == ["pipe", *INPUTS]


def test_the_null_device_is_written_directly(run, pair):
    before = os.stat(os.devnull)
    assert run(*pair, "-b", "-o", os.devnull) == (0, "", "")
    after = os.stat(os.devnull)
    assert (after.st_mode, after.st_ino) == (before.st_mode, before.st_ino)


needs_dev_stdout = pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="the system has no /dev/stdout")


@needs_dev_stdout
def test_dev_stdout_is_a_pipe_where_stdout_is_one(command, pair):
    assert command(*pair, "-b", "-o", "/dev/stdout") == (0, SCORE, "")


@needs_dev_stdout
@pytest.mark.parametrize("redirection", [">", ">>"])
def test_dev_stdout_keeps_what_others_write_to_the_same_file(command, pair, write, redirection):
    if redirection == ">>":
        write("log.txt", "before\n")
    shell = f'{{ echo head; "$@"; echo foot; }} {redirection}log.txt'
    assert command(*pair, "-b", "-o", "/dev/stdout", shell=shell) == (0, "", "")
    assert read("log.txt") == ("before\n" if redirection == ">>" else "") + f"head\n{SCORE}foot\n"


# For each command that writes: its words, and the name of a file that it takes
WRITING = {
    "": (("-b",), "out.txt"),
    "plot": (("plot",), "out.svg"),
    "count": (("count",), "out.parquet"),
    "sums": (("count", "--sums"), "out.parquet"),
}


@needs_dev_stdout
@pytest.mark.parametrize(
    ("job", "stream", "number"),
    [
        *((job, "/dev/stdout", 1) for job in ("", "count")),
        *(pytest.param(job, "/dev/stdout", 1, marks=pytest.mark.slow) for job in ("plot", "sums")),
        *(pytest.param(job, "/dev/stderr", 2, marks=pytest.mark.slow) for job in ("", "plot")),
        *(pytest.param(job, "/dev/fd/3", 3, marks=pytest.mark.slow) for job in ("", "count")),
    ],
)
def test_every_command_writes_to_the_end_of_the_log_that_a_stream_goes_to(command, pair, write, job, stream, number):
    words, name = WRITING[job]
    os.symlink(stream, name)  # for formats that need the ending, and for links that lead to a stream
    write("log.txt", "precious\n")
    shell = f'{{ echo head >&{number}; "$@"; echo foot >&{number}; }} {number}>>log.txt'
    before = os.stat("log.txt").st_ino
    assert command(*words, *pair, "-o", name, shell=shell) == (0, "", "")
    with open("log.txt", "rb") as log:
        start, end, found = b"precious\nhead\n", b"foot\n", log.read()
    assert found.startswith(start)
    assert found.endswith(end)
    os.unlink(name)
    assert command(*words, *pair, "-o", name) == (0, "", "")
    with open(name, "rb") as file:
        assert found[len(start) : -len(end)] == file.read()
    assert os.stat("log.txt").st_ino == before


@needs_dev_stdout
@pytest.mark.parametrize("stream", ["/dev/stdout", "/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"])
def test_streams_keep_their_log_whichever_name_they_go_by(command, pair, write, stream):
    if not os.path.exists(stream):
        pytest.skip(f"the system has no {stream}")
    write("log.txt", "precious\n")
    shell = '{ echo head; "$@"; echo foot; } >>log.txt 2>&1'
    assert command(*pair, "-b", "-o", stream, shell=shell) == (0, "", "")
    assert read("log.txt") == f"precious\nhead\n{SCORE}foot\n"


@pytest.mark.parametrize("redirection", [">>log.txt", "2>>log.txt"])
def test_the_file_that_a_standard_stream_goes_to_is_not_replaced(command, pair, write, redirection):
    write("log.txt", "precious\n")
    shell = f'{{ echo head >>log.txt; "$@"; echo foot >>log.txt; }} {redirection}'
    assert command(*pair, "-b", "-o", "log.txt", shell=shell) == (0, "", "")
    assert read("log.txt") == f"precious\nhead\n{SCORE}foot\n"


@needs_dev_stdout
def test_several_answers_may_go_to_one_stream(command, pair, write):
    words = ("report", *pair, "-q", "-o", "/dev/stdout")
    assert command(*words, shell='"$@" >log.txt') == (0, "", "")
    page, _, verdicts = read("log.txt").partition("</html>")
    assert page.startswith("<!doctype html>")
    assert re.match(r"sys scores [\d.]+ BLEU\.", verdicts.lstrip())


@needs_dev_stdout
@pytest.mark.parametrize("redirection", [">>h.jsonl", "1<>h.jsonl", ">h.jsonl"])
def test_lines_are_added_to_the_end_of_a_history_that_stdout_goes_to(command, pair, write, redirection):
    write("h.jsonl", "")
    words = (*pair, "-f", "jsonl", "--append", "-o")
    assert command(*words, "h.jsonl") == (0, "", "")
    shell = f'{{ "$@" && "$@" && echo foot; }} {redirection}'
    assert command(*words, "/dev/stdout", shell=shell) == (0, "", "")
    *lines, foot = read("h.jsonl").splitlines()
    assert foot == "foot"
    assert [json.loads(line)["system"] for line in lines] == ["sys"] * (2 if redirection == ">h.jsonl" else 3)


@needs_dev_stdout
@pytest.mark.parametrize(
    ("stream", "number"), [("/dev/stdout", 1), ("/dev/fd/1", 1), ("/dev/fd/9", 9), ("/dev/fd/99999999999", 99999999999)]
)
def test_streams_that_are_closed_are_refused_before_anything_is_scored(command, pair, stream, number):
    answer = command(*pair, "-b", "-o", stream, shell='exec "$@" >&-')
    assert (answer.status, answer.out) == (2, "")
    assert answer.err == (
        f"bleu: error: cannot write {stream}: descriptor {number} is not open; name an open one, or a file, with"
        " --output\n"
    )


# --- errors and kills


@pytest.mark.parametrize("extra", [(), ("-sl",)])
def test_an_error_leaves_the_old_file_and_nothing_else(run, write, extra):
    write("out.txt", OLD)
    write("ref.txt", "a b c\n" * SEGMENTS)
    write("sys.txt", b"a b c\n" * (SEGMENTS - 1) + b"\xff\n")
    assert run("ref.txt", "-i", "sys.txt", "-o", "out.txt", *extra).status == 2
    assert read("out.txt") == OLD
    assert sorted(os.listdir()) == ["out.txt", *INPUTS]


@pytest.mark.parametrize("failing", ["replace", "chmod", "fsync", "open"])
def test_a_disk_that_fails_leaves_the_old_file_and_nothing_else(run, pair, write, monkeypatch, failing):
    write("out.txt", OLD)

    def fail(*_, **__):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(f"os.{failing}", fail)
    answer = run(*pair, "-o", "out.txt")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith("bleu: error: cannot write ")
    assert os.strerror(28) in answer.err
    assert read("out.txt") == OLD
    assert sorted(os.listdir()) == ["out.txt", *INPUTS]


@needs_signals
@pytest.mark.parametrize("count", [4, pytest.param(50, marks=pytest.mark.slow)])
def test_a_kill_at_any_moment_leaves_the_old_file_or_the_whole_new_one(run, start, many, write, count):
    whole, old = run(*many).out, OLD * 50_000
    began = time.perf_counter()
    assert start(*many, "-o", "out.txt").wait(timeout=SECONDS) == 0
    duration = time.perf_counter() - began
    moments = random.Random(20240229)
    survived = 0
    for _ in range(count):
        write("out.txt", old)
        process = start(*many, "-o", "out.txt", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(moments.uniform(0, duration))
        process.kill()
        survived += process.wait() == 0
        assert read("out.txt") in (old, whole)
    assert survived < count


# Forks once for every `stride`th line of the modules that write files, and kills the child just before that line.
KILLED_AT_EACH_LINE = """
import os, signal, sys
from bleucli.text import wholefiles
from bleucli.cli import streams
from bleucli.cli.main import run

old, stride, words = sys.argv[1], int(sys.argv[2]), sys.argv[3:]

def child(steps):
    def trace(frame, event, argument):
        nonlocal steps
        if frame.f_code.co_filename not in (streams.__file__, wholefiles.__file__):
            return None
        steps -= event == "line"
        if steps < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace
    sys.settrace(trace)
    os._exit(run(words, streams.Environment.of_process()))

steps, status = 0, -1
while status:
    with open("out.txt", "w") as file:
        file.write(old)
    pid = os.fork() or child(steps)
    status = os.waitpid(pid, 0)[1]
    with open("out.txt") as file:
        print(repr(file.read()))
    steps += stride
"""


@needs_signals
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
@pytest.mark.parametrize("stride", [20, pytest.param(1, marks=pytest.mark.slow)])
def test_a_kill_at_any_line_of_the_writing_leaves_the_old_file_or_the_whole_new_one(pair, root, run, stride):
    words = (sys.executable, "-c", KILLED_AT_EACH_LINE, OLD, str(stride), *pair, "-b", "-o", "out.txt")
    environment = os.environ | {"PYTHONPATH": root}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=SECONDS)
    assert (done.returncode, done.stderr) == (0, "")
    found = done.stdout.splitlines()
    assert len(found) > 20 // stride
    assert found[-1] == repr(SCORE)
    assert found == [repr(OLD)] * found.count(repr(OLD)) + [repr(SCORE)] * found.count(repr(SCORE))
