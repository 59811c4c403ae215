"""Where the answer goes: to standard output, or to the file of --output.

- `check_output`, `protect`: refuse to write a file that the options name as an input, or that turns out to be one
- `deliver`: write the answer once it is complete, or add it to a file
- `tell_withheld`: say that the answer was not written
- `spool`: keep an answer until it is complete
- `refuse_foreign`: add lines only to a history, not to any other file
- `Provenance`, `tell_command`: the command line that asked for the answer, and its time
"""

from __future__ import annotations

import os

from bleucli.cli.streams import Environment, encode, shown
from bleucli.errors import BleuError, UsageError
from bleucli.text import wholefiles
from bleucli.text.wholefiles import copy, descriptor_of, write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import IO

    from bleucli.cli.options import Options
    from bleucli.results import Run

# More bytes than any line of scores has. Other files may have no line breaks, and must not fill the memory.
_LONGEST_LINE = 1 << 24
# If a history cannot be locked
_ADVICE = "name a file on a file system that can lock files"


def deliver(chunks: Iterable[str | bytes], path: str | None, environment: Environment, append: bool = False) -> None:
    """Write the complete answer to a file, or to stdout if `path` is None; append: keep what the file already has."""
    with spool(chunk if isinstance(chunk, bytes) else encode(chunk) for chunk in chunks) as answer:
        if path is None and environment.stdout is None:
            raise BleuError("cannot write standard output: it is closed; name a file with --output")
        try:
            if path is not None and append:
                _append(answer, path)
            elif path is not None:
                write_file(answer, path)
            elif environment.stdout is not None:
                copy(answer, environment.stdout)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _unwritable("standard output" if path is None else shown(path), error) from None


def tell_withheld(path: str | None, append: bool) -> str:
    """Return the clause that says what happened to the file of an answer that is not written.

    >>> tell_withheld("scores.json", append=False)
    'scores.json was not written'
    """
    name = shown(str(path))
    return f"nothing was added to {name}" if append else f"{name} was not written"


def spool(chunks: Iterable[bytes]) -> IO[bytes]:
    """Return all chunks as one file, ready to be read; it stays in memory while it is small."""
    with wholefiles.Aside():
        return wholefiles.spool(chunks)


def _unwritable(name: str, error: OSError) -> BleuError:
    return BleuError(f"cannot write {name}: {error.strerror or error}; name a writable file with --output")


# --- a history


def refuse_foreign(path: str) -> None:
    """Refuse to add lines to a file that exists and is not a history."""
    if not os.path.isfile(path):
        return
    from bleucli.waiting import lock

    try:
        with open(path, "rb") as file:
            lock(file, shown(path), _ADVICE, shared=True)
            _check_history(file, shown(path))
    except OSError as error:
        raise _unwritable(shown(path), error) from None


def _append(answer: IO[bytes], name: str) -> None:
    """Add to the end of a file, under a lock, so that the lines of several writers stay whole."""
    if os.path.exists(name) and not os.path.isfile(name):  # a device or a pipe, which has no content to check
        write_file(answer, name)
        return
    from bleucli.waiting import lock

    with open(name, "a+b", buffering=0) as file:
        lock(file, shown(name), _ADVICE)
        _check_history(file, shown(name))
        end = file.seek(0, os.SEEK_END)
        descriptor = descriptor_of(name)
        try:
            if descriptor is None:
                copy(answer, file)
            else:  # so that what the shell writes next comes after it
                os.lseek(descriptor, 0, os.SEEK_END)
                write_file(answer, name)
            os.fsync(file.fileno())
        except BaseException:  # also after Ctrl-C: half a line would make the history unreadable
            file.truncate(end)
            raise


def _check_history(file: IO[bytes], name: str) -> None:
    """Refuse a file that is neither empty nor made of lines of jsonl."""
    from bleucli.output.json_text import is_ours

    if not file.seek(0, os.SEEK_END):
        return
    # Unbuffered, reading a line would take one call per byte
    with open(file.fileno(), "rb", closefd=False) as buffered:
        buffered.seek(-1, os.SEEK_END)
        last = buffered.read(1)
        buffered.seek(0)
        first = buffered.readline(_LONGEST_LINE)
    if not is_ours(first):
        raise BleuError(f"{name} has lines that -f jsonl did not write; name another file with --output")
    if last != b"\n":
        raise BleuError(
            f"the last line of {name} is incomplete, as if a run was killed; delete that line, or end it with a line"
            " break"
        )


# --- no file that is read


def check_output(options: Options) -> None:
    """Refuse to write a file that the options or the environment name as an input."""
    path = str(options.output)
    descriptor = descriptor_of(path)  # checked before a file of our own gets its number
    try:
        if descriptor is not None:
            os.fstat(descriptor)
    except (OSError, OverflowError):
        raise UsageError(
            f"cannot write {shown(path)}: descriptor {descriptor} is not open; name an open one, or a file, with"
            " --output"
        ) from None
    _refuse(path, _inputs(options))


def protect(output: str | None, inputs: Iterable[str], stdin: IO[bytes] | None = None) -> None:
    """Refuse to write a file that is read; stdin: standard input, if it is read."""
    if output is None:
        return
    _refuse(output, inputs)
    try:
        is_stdin = stdin is not None and os.path.samestat(os.stat(output), os.fstat(stdin.fileno()))
    except OSError:  # the file does not exist, or the stream has no descriptor
        return
    if is_stdin and os.path.isfile(output):
        raise UsageError(f"--output {shown(output)} is also the standard input; name another file")


def _refuse(output: str, inputs: Iterable[str]) -> None:
    for path in inputs if os.path.isfile(output) else ():
        if path != "-" and os.path.exists(path) and os.path.samefile(path, output):
            raise UsageError(f"--output {shown(output)} is also an input; name another file")


def _inputs(options: Options) -> Iterator[str]:
    """Give the files that the options and the environment name as inputs, whichever mode reads them.

    Patterns in --input stay as they are: `files.Files` replaces them with files, and protects these.
    """
    from bleucli.cli.commands import command_of
    from bleucli.testsets import cache

    is_merged = options.command == "count" and not options.sums
    tables, statistics = options.table or (), () if is_merged else options.stats or ()
    if tables or statistics:
        from bleucli.scale.files import PARQUET, find_files
        from bleucli.scale.tables import IPC

        yield from find_files(map(shown, tables), (*PARQUET, *IPC))
        yield from find_files(map(shown, statistics))
    yield from options.refs
    yield from options.input or ()
    if options.registry is None:
        yield from filter(None, [cache.registry()])
    special = {"output", "scores", "table", "stats", *(["baseline"] if options.append else [])}
    for name, option in command_of(options.command).records().items():
        if "FILE" in option.metavar and name not in special and options.has(name):
            value = getattr(options, name)
            yield from value if isinstance(value, list) else [value]
    if options.scores:
        from bleucli.cli.sources import score_arguments

        yield from (path for _, files in score_arguments(options).columns for path, _ in files)
    # The models that tokenizers read
    from bleucli.tokenizers import find_model

    signature = {} if options.like is None else options.like.info
    names = (options.of_metric("bleu").get("tokenize"), signature.get("tok"))
    yield from filter(None, map(find_model, filter(None, names)))


# --- the command line that asked for scores, and its time, for formats that show them


class Provenance:
    """A command line and its time, which is that of `SOURCE_DATE_EPOCH` if the environment has it."""

    def __init__(self, words: Sequence[str], environment: Environment) -> None:
        self._command = ["bleu", *(mask_credentials(shown(word)) for word in words)]
        self._time = _time_of(environment.variables)

    def of(self, run: Run) -> Run:
        """Return the record of a run with the command and its time."""
        far = next((one.name for one in run.references if one.role == "table" and not one.sha256), None)
        if far is not None:
            raise BleuError(f"cannot compute the SHA-256 of {far}, which is not on this machine; choose another format")
        return run._replace(command=self._command, time=self._time)


def tell_command(words: Sequence[str]) -> str:
    """Return the command line as statistics files record it."""
    from shlex import join

    return join(["bleu", *(mask_credentials(shown(word)) for word in words)])


def mask_credentials(word: str) -> str:
    """Return a word of the command line with user and password in an address masked.

    >>> mask_credentials("--mirror=https://me:secret@data.example/sets")
    '--mirror=https://***@data.example/sets'
    """
    import re

    return re.sub(r"(?<=://)[^/?#\s]*@", "***@", word)  # the password may contain @


def _time_of(variables: Mapping[str, str]) -> str:
    """Return the time in UTC: that of `SOURCE_DATE_EPOCH` if it is set, else the present.

    >>> _time_of({"SOURCE_DATE_EPOCH": "0"})
    '1970-01-01T00:00:00Z'
    """
    import time

    epoch = variables.get("SOURCE_DATE_EPOCH", "")
    try:
        if epoch and not (epoch.isascii() and epoch.isdigit()):
            raise ValueError
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(epoch) if epoch else None))
    except (ValueError, OverflowError, OSError):
        value = epoch if len(epoch) <= 40 else f"{epoch[:40]}..."
        raise UsageError(f"SOURCE_DATE_EPOCH is {value!r}; expected a whole number of seconds since 1970") from None
