"""Nobody waits without a word: the command, as people and CI run it, says what it waits for."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from conftest import SECONDS, sent_to
from web_server import Page

pytest.importorskip("fcntl")

REGISTRY = """
[testsets."acme/x"]
format = "plain"
sources = [{ url = "ref.txt" }, { url = "sys.txt" }]
[testsets."acme/x".pairs.en-de]
files = ["source:0", "source:1"]
"""
# What another program does that holds a lock until its standard input ends
HOLDER = """
import fcntl, sys
with open(sys.argv[1], "ab") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held(path):
    """Let another process hold a lock within the block."""
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert holder.stdout.readline() == b"held\n"
        yield
    finally:
        holder.communicate(timeout=SECONDS)


def wait_for(condition):
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def content(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


@pytest.fixture
def waits(folder, run, pair, write, calm, monkeypatch):
    """Prepare every kind of wait; return, by its name, the words of the command and the file whose lock it needs."""
    write("acme.toml", REGISTRY)
    monkeypatch.setenv("BLEU_HOME", str(folder / "cache"))
    os.makedirs("cache/acme/x/raw")
    for name in ("h.jsonl", "b.jsonl"):
        assert run(*pair, "-q", "-f", "jsonl", "--append", "-o", name).status == 0
    return {
        "download": (("--registry", "acme.toml", "--download", "acme/x"), str(folder / "cache/acme/x/raw/acme_x.lock")),
        "append": ((*pair, "-f", "jsonl", "--append", "-o", "h.jsonl"), "h.jsonl"),
        "baseline": ((*pair, "--baseline", "b.jsonl", "--max-drop", "1"), "b.jsonl"),
    }


@pytest.mark.slow
def test_a_note_in_the_log_says_which_lock_is_waited_for(waits, start):
    runs = {}
    with held(waits["download"][1]), held(waits["append"][1]), held(waits["baseline"][1]):
        for kind, (words, path) in waits.items():
            note = f"bleu: note: waiting for another process, which holds {path}\n"
            for extra, expected in (((), note), (("-q",), "")):
                log = f"{kind}{len(extra)}.log"
                with open(log, "wb") as file:
                    runs[log] = (start(*words, *extra, stdout=subprocess.DEVNULL, stderr=file), expected)
        for log, (process, expected) in runs.items():
            wait_for(lambda log=log, expected=expected: content(log) == expected)
            assert process.poll() is None
    for log, (process, expected) in runs.items():
        assert (process.wait(SECONDS), content(log)) == (0, expected)


@pytest.mark.parametrize("kind", ["download", "append", "baseline"])
def test_a_terminal_shows_at_once_which_lock_is_waited_for(waits, start, kind):
    pty = pytest.importorskip("pty")
    words, path = waits[kind]
    terminal, stderr = pty.openpty()
    with held(path):
        process = start(*words, stdout=subprocess.DEVNULL, stderr=stderr)
        os.close(stderr)
        line = f"\rwaiting for another process, which holds {path}".encode()[:80]
        assert select.select([terminal], [], [], SECONDS)[0], "nothing was shown"
        assert os.read(terminal, len(line)) == line
        assert process.poll() is None
    assert process.wait(SECONDS) == 0
    assert b"note: waiting" not in sent_to(terminal)


@pytest.mark.slow
def test_a_lock_that_is_soon_free_is_not_worth_a_note(waits, start):
    words, path = waits["append"]
    with open("log", "wb") as log, held(path):
        process = start(*words, stderr=log)
        time.sleep(1)
    assert (process.wait(SECONDS), content("log")) == (0, "")


@pytest.mark.slow
def test_a_note_in_the_log_says_that_a_download_is_tried_again(web, start, calm, write, monkeypatch, folder):
    monkeypatch.setenv("BLEU_HOME", str(folder / "cache"))
    url = web.put("/ref.txt", Page(b"", 503))
    write("acme.toml", REGISTRY.replace("ref.txt", url))
    with open("log", "wb") as log:
        start("--registry", "acme.toml", "--download", "acme/x", stderr=log)
    wait_for(lambda: content("log").endswith("\n"))
    (line,) = content("log").splitlines()
    expected = r"bleu: note: \S*ref\.txt: \S* answered 503 Service Unavailable; next attempt in 4 s"
    assert re.fullmatch(expected, line)
