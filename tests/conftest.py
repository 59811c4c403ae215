"""What the tests share: the command in process and as a process, files to run it on, and hypothesis's profile."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
from collections import namedtuple
from io import BytesIO

import pytest
from browser import chromium  # noqa: F401 - a fixture
from calculator_server import calculating
from hypothesis import settings
from set_world import serve
from strategies import examples
from web_server import serving

import bleucli
from bleucli.cli.main import run as run_command
from bleucli.cli.streams import Environment
from bleucli.errors import BleuError
from bleucli.testsets import fetch, registry

settings.register_profile("bleucli", examples(100), deadline=None)
settings.load_profile("bleucli")

# Programs that a shell runs in the background ignore Ctrl-C, and so would every process that a test starts
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Keep Python's garbage collector away from the thousands of collected tests, which live until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        # By default, Python looks for garbage at every 700 new objects, which is a tenth of the time of all tests
        gc.set_threshold(10_000)
        gc.enable()


def pytest_collection_modifyitems(items):
    """Start with the files that take longest, so that no process works alone at the end."""
    items.sort(key=lambda item: LONGEST.get(item.path.name, len(LONGEST)))


# Files of few tests that take long; pytest-xdist would run them last if scripts/test did not forbid it
LONGEST = {
    name: place
    for place, name in enumerate(
        (
            *("test_report_page.py", "test_web_page.py", "test_download.py", "test_engines.py", "test_sentences.py"),
            *("test_as_sacrebleu.py", "test_readme.py", "test_waiting.py", "test_sources.py", "test_plots.py"),
            *("test_output_oracle.py", "test_sacrebleu_sets.py", "test_two_caches.py"),
        )
    )
}

VARIABLES = ("BLEU_HOME", "BLEU_MIRROR", "BLEU_OFFLINE", "BLEU_REGISTRY", "SACREBLEU")
# What the command imports only where it is needed
HEAVY = frozenset(
    (
        *("colorama", "numpy", "portalocker", "regex", "requests", "tqdm"),
        *("dataclasses", "importlib.metadata", "pathlib", "tempfile", "typing"),
    )
)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(bleucli.__file__)))
COMMAND = (sys.executable, "-m", "bleucli")
SECONDS = 300  # for work that takes one second: many processes may run at once

Answer = namedtuple("Answer", "status out err")
needs_signals = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no SIGKILL")
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
# What `three_lines` writes
THREE = "the cat sat\non the mat\nall day\n"

World = namedtuple("World", "web sources cache")


class Terminal(BytesIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def sent_to(terminal):
    """Return what was sent to a terminal, once every process has closed its other end; close this end."""
    sent = b""
    with os.fdopen(terminal, "rb", buffering=0) as stream:
        try:
            while piece := stream.read(65536):
                sent += piece
        except OSError:  # Linux: the other end has closed
            pass
    return sent


def text(data):
    return data.decode("utf-8", "surrogateescape")


def check_line(line, parts):
    """Check that a message is one line that holds all parts, and return it."""
    assert "\n" not in line
    for part in parts:
        assert part in line
    return line


def refused(answer, *parts, status=2):
    """Check that an answer is a refusal in one line that holds all parts, and return that line."""
    assert (answer.status, answer.out) == (status, "")
    assert answer.err.startswith("bleu: error: ")
    assert answer.err.find("\n") == len(answer.err) - 1
    for part in parts:
        assert part in answer.err
    return answer.err


def raised(parts, function, *arguments, **options):
    """Check that a call fails with one line that holds all parts, and return that line."""
    with pytest.raises(BleuError) as caught:
        function(*arguments, **options)
    return check_line(str(caught.value), parts)


def warnings_in(answer):
    """Return the lines of an answer that warn."""
    return [line for line in answer.err.splitlines() if line.startswith("bleu: warning: ")]


def words_of(words):
    """Return words as `sys.argv` would hold them; bytes are for file names that are not UTF-8."""
    return [os.fsdecode(word) for word in words]


@pytest.fixture(scope="session")
def root():
    """Return the folder that holds the package."""
    return ROOT


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Make an empty folder the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def write(folder):
    """Write a file in the working directory and return its name."""

    def write(name, content):
        with open(name, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return name

    return write


@pytest.fixture
def demo_files(folder):
    """Put the demo corpus into the working directory."""
    demo = os.path.join(ROOT, "bleucli", "testsets", "demo")
    for name in os.listdir(demo):
        shutil.copy(os.path.join(demo, name), folder)


@pytest.fixture
def run(folder, monkeypatch):
    """Run the command in process; stdin may be bytes, a stream, or None for a closed one.

    terminal: whether stderr is a terminal, without colours and without a bar.
    """

    def run(*words, stdin=b"", variables=(), stdout=None, stderr=None, terminal=False):
        if terminal:
            monkeypatch.setattr("bleucli.cli.streams._PATIENCE", SECONDS)
            stderr, variables = Terminal(), {**dict(variables), "NO_COLOR": "1"}
        stdin = BytesIO(stdin) if isinstance(stdin, bytes) else stdin
        out, err = stdout or BytesIO(), stderr or BytesIO()
        status = run_command(words_of(words), Environment(stdin, out, err, dict(variables)))
        return Answer(int(status), *(text(s.getvalue()) if isinstance(s, BytesIO) else None for s in (out, err)))

    return run


def process_environment(variables):
    """Return this process's environment without variables that change the command, and with the package on the path."""
    ours = ("BLEU_FORMAT", "SACREBLEU_FORMAT", "NO_COLOR", "COLUMNS")
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    return kept | {"PYTHONPATH": ROOT} | dict(variables)


@pytest.fixture
def start(folder):
    """Start the command as a process of its own and return it; it is killed when the test ends."""
    started = []

    def start(*words, variables=(), **options):
        process = subprocess.Popen((*COMMAND, *words), env=process_environment(variables), **options)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        for stream in filter(None, (process.stdin, process.stdout, process.stderr)):
            stream.close()


@pytest.fixture
def command(folder):
    """Run the command as a process of its own; `shell` is a line of sh in which "$@" stands for the command."""

    def command(*words, stdin=b"", variables=(), shell='exec "$@"', **streams):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
        done = subprocess.run(
            ("sh", "-c", shell, "sh", *COMMAND, *words),
            input=stdin,
            env=process_environment(variables),
            timeout=SECONDS,
            **options,
        )
        return Answer(done.returncode, text(done.stdout or b""), text(done.stderr or b""))

    return command


@pytest.fixture
def pair(write):
    """Write a reference and a system, whose score `command_answers` works out; return the words to score them."""
    write("ref.txt", "the cat sat on the mat\nhello world\n")
    write("sys.txt", "the cat sat on a mat\nhello there world\n")
    return ("ref.txt", "-i", "sys.txt")


@pytest.fixture
def calm(monkeypatch):
    """Leave out the variables that change downloads, and proxies; pause briefly before a download is tried again."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name in VARIABLES:
            monkeypatch.delenv(name)
    monkeypatch.setattr(fetch, "PAUSES", (0.01, 0.02))


@pytest.fixture
def web():
    """Start a server on the loopback."""
    with serving() as server:
        yield server


@pytest.fixture(scope="module")
def calculator():
    """Serve the calculator, on a free port."""
    with calculating() as server:
        yield server
        assert server.faults == []


@pytest.fixture
def target(tmp_path):
    """Return the path for a download, in a folder that does not exist yet."""
    return str(tmp_path / "cache" / "acme" / "raw" / "news.tgz")


@pytest.fixture(scope="module")
def served():
    """Serve made-up archives of some public test sets; give the address and checksum of each, by test set."""
    with serving() as web:
        yield web, serve(web, registry._package_data("registry.json")["testsets"])


@pytest.fixture(scope="module")
def filled_cache(tmp_path_factory):
    return str(tmp_path_factory.mktemp("filled"))


@pytest.fixture
def library(world, filled_cache, monkeypatch):
    """Take public test sets from a cache that a module's tests fill together; return what `world` returns."""
    monkeypatch.setenv("BLEU_HOME", filled_cache)
    return world._replace(cache=filled_cache)


@pytest.fixture
def world(served, calm, tmp_path_factory, monkeypatch):
    """Take public test sets from the server, into an empty cache; return the server, sources and cache."""
    web, sources = served
    cache = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("BLEU_HOME", str(cache))
    monkeypatch.setattr(fetch, "PAUSES", (0.01,))
    read = registry._package_data

    def with_sources(name):
        data = read(name)
        for test_set in sources if name == "registry.json" else ():
            data["testsets"][test_set]["sources"] = sources[test_set]
        return data

    monkeypatch.setattr(registry, "_package_data", with_sources)
    web.requests.clear()
    return World(web, sources, str(cache))


@pytest.fixture
def small_blocks(monkeypatch):
    """Read files in very small blocks."""
    monkeypatch.setattr("bleucli.reading._BLOCK_BYTES", 16)


@pytest.fixture
def three_lines(write):
    """Write a reference, four systems of three lines, and some that cannot be scored."""
    write("ref", THREE)
    for name in "abcd":
        write(name, THREE.replace("cat", name))
    write("short", "the cat sat\non the mat\n")
    write("long", f"{THREE}and night\n")
    write("latin", "the cat sat\ncaf\u00e9\nall day\n".encode("latin-1"))
    write("empty", "")
