"""Runs command lines for `scripts/compare_commands`, each in a forked process that has everything imported already.

`python command_runner.py TASKS ANSWERS` runs the package that PYTHONPATH names. TASKS is a pickle of the arguments of
`work`, and ANSWERS one of what it returns.
"""

from __future__ import annotations

import gc
import importlib
import os
import pickle
import pkgutil
import shutil
import signal
import sys
import termios
import traceback
import types
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from typing import NamedTuple

# What commands import where they need it; here, once for all of them
LIBRARIES = (
    *("numpy", "regex", "colorama", "portalocker", "requests", "tqdm", "zstandard", "sentencepiece"),
    *("pyarrow.compute", "pyarrow.dataset", "pyarrow.parquet", "dask.bag", "distributed", "jinja2", "MeCab"),
    *("matplotlib.figure", "matplotlib.backends.backend_pdf", "matplotlib.backends.backend_svg"),
    *("matplotlib.backends.backend_agg", "matplotlib.font_manager", "fastapi_offline", "uvicorn", "pydantic"),
)
# In place of the package's own version, so that two versions print the same
VERSION = "1.2.3"
SECONDS = 120  # after which a command that hangs is ended


class Line(NamedTuple):
    """A command line.

    words: those after `bleu`. stdin: the input file that is its standard input, if any. variables: those of its
    environment that it sets. on_terminal: whether both of its output streams are a terminal.
    """

    words: Sequence[str]
    stdin: str = ""
    variables: Mapping[str, str] = types.MappingProxyType({})
    on_terminal: bool = False


class Answer(NamedTuple):
    """What a command did: its exit status, both streams, and the files that it wrote (None: that it removed).

    On a terminal, `out` is all of its output.
    """

    status: int
    out: bytes
    err: bytes
    files: Mapping[str, bytes | None]


def work(
    place: str,
    inputs: Mapping[str, bytes],
    first: Sequence[Line],
    lines: Sequence[Line],
    jobs: int,
    libraries: Sequence[str],
) -> list[Answer]:
    """Run command lines in a folder that holds the input files and what the first lines wrote; return all answers.

    Args:
        place: an empty folder for everything.
        inputs: the content of each input file; the name of a folder ends in a slash, and its content is empty.
        first: lines whose files all later lines can read.
        lines: the other lines. None of them sees what another one wrote.
        jobs: the number of processes that run them.
        libraries: what is imported once for all lines.
    """
    import_everything(libraries)
    gc.freeze()  # so that no forked process searches these objects for garbage, which would copy their pages
    folder = os.path.join(place, "0")
    write_files(folder, inputs)
    inputs = read_files(folder)  # with all folders
    answers = []
    for line in first:
        answers.append(run(line, folder, inputs))
        inputs = read_files(folder)
    processes = []
    for number in range(jobs):
        folder = os.path.join(place, str(number))
        write_files(folder, inputs)
        share = lines[number::jobs]
        processes.append(fork(lambda folder=folder, share=share: run_share(folder, inputs, share)))
    if any(list(map(wait, processes))):
        raise SystemExit("command_runner: a process failed (see above)")
    shares = [read_pickle(os.path.join(place, f"{number}.pickle")) for number in range(jobs)]
    return answers + [shares[number % jobs][number // jobs] for number in range(len(lines))]


def run_share(folder: str, inputs: Mapping[str, bytes], lines: Sequence[Line]) -> None:
    """Run lines in a folder, which gets its files back after each of them; save the answers beside the folder."""
    answers = []
    for line in lines:
        answers.append(run(line, folder, inputs))
        if answers[-1].files:
            shutil.rmtree(folder)
            write_files(folder, inputs)
    write_pickle(f"{folder}.pickle", answers)


def run(line: Line, folder: str, inputs: Mapping[str, bytes]) -> Answer:
    """Run one line in a folder that holds the inputs, in a process of its own, with an empty cache."""
    shutil.rmtree(f"{folder}.home", ignore_errors=True)
    streams = [f"{folder}.out", f"{folder}.err"]
    terminal, other_end = os.openpty() if line.on_terminal else (-1, -1)
    if line.on_terminal:
        termios.tcsetwinsize(other_end, (24, 80))
        streams = [os.ttyname(other_end)] * 2
    process = fork(lambda: be_command(line, folder, streams))
    if line.on_terminal:
        os.close(other_end)
        out, err = read_terminal(terminal), b""
        status = wait(process)
    else:
        status = wait(process)
        out, err = map(read, streams)
    files = read_files(folder)
    names = sorted(files.keys() | inputs.keys())
    changes = {name: files.get(name) for name in names if files.get(name) != inputs.get(name)}
    place = folder.encode()  # which share a line is in says nothing
    return Answer(status, out.replace(place, b"PLACE"), err.replace(place, b"PLACE"), changes)


def be_command(line: Line, folder: str, streams: Sequence[str]) -> int:
    """Be the command: in its folder, with its streams, words and variables."""
    from bleucli.__main__ import main

    signal.alarm(SECONDS)
    os.chdir(folder)
    out, err = (os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) for path in streams)
    stdin = os.open(line.stdin or os.devnull, os.O_RDONLY)
    for place, stream in enumerate((stdin, out, err)):
        os.dup2(stream, place)
        os.close(stream)
    os.environ.update({"HOME": f"{folder}.home", "BLEU_HOME": f"{folder}.home/cache"} | dict(line.variables))
    sys.argv = ["bleu", *line.words]
    return main()


def import_everything(libraries: Sequence[str]) -> None:
    """Import what commands may import, and replace what needs other processes or waits for a person."""
    for name in libraries:
        with suppress(ImportError):
            importlib.import_module(name)
    version = types.ModuleType("bleucli._version")
    version.__version__ = VERSION
    sys.modules[version.__name__] = version
    package = importlib.import_module("bleucli")
    for module in pkgutil.walk_packages(package.__path__, "bleucli."):
        if "as_sacrebleu" not in module.name and not module.name.endswith("__main__"):
            with suppress(ImportError):  # of an engine that is not installed
                importlib.import_module(module.name)
    if "uvicorn" in sys.modules:
        sys.modules["uvicorn"].Server.run = lambda *_, **__: None  # would serve pages until someone stops it
    if "distributed" in sys.modules:
        sys.modules["distributed"].Client = NoCluster  # would start processes, which takes seconds
        sys.modules["dask"].config.set(scheduler="sync")


class NoCluster(nullcontext):
    """Takes the place of Dask's client: everything runs in this process."""

    @staticmethod
    def current(*_: object, **__: object) -> None:
        """Say that there is no cluster."""
        raise ValueError


# --- processes and files


def fork(function: Callable[[], int | None]) -> int:
    """Call a function in a process of its own, and return that process."""
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        status = int(function() or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def wait(process: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def read_terminal(terminal: int) -> bytes:
    """Return what was sent to a terminal until its other end was closed."""
    sent = b""
    with os.fdopen(terminal, "rb", buffering=0) as stream, suppress(OSError):  # Linux: the other end has closed
        while piece := stream.read(65536):
            sent += piece
    return sent


def write_files(folder: str, files: Mapping[str, bytes]) -> None:
    """Write files into a folder, which may hold some of them already."""
    for name, content in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not name.endswith("/"):
            with open(path, "wb") as file:
                file.write(content)


def read_files(folder: str) -> dict[str, bytes]:
    """Return the content of all files below a folder; folders are listed as in `work`."""
    files = {}
    for place, folders, names in os.walk(folder):
        for name in (*(f"{name}/" for name in folders), *names):
            path = os.path.join(place, name)
            files[os.path.relpath(path, folder) + "/" * name.endswith("/")] = b"" if name.endswith("/") else read(path)
    return files


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def read_pickle(path: str) -> list[Answer]:
    with open(path, "rb") as file:
        return pickle.load(file)


def write_pickle(path: str, content: object) -> None:
    with open(path, "wb") as file:
        pickle.dump(content, file)


if __name__ == "__main__":
    # Pickles name the module of `Answer`, which would otherwise be __main__
    import command_runner

    write_pickle(sys.argv[2], command_runner.work(*command_runner.read_pickle(sys.argv[1])))
