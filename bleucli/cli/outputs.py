"""The files that a command line writes; none of them may be a file that it reads, and none may be written twice.

- `check`: refuse to write files that the options name as inputs, and to write one file twice
- `protect`: refuse to write files that are found to be inputs later
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from bleucli.cli.options import flag_of
from bleucli.cli.streams import shown
from bleucli.errors import UsageError
from bleucli.wholefiles import descriptor_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

    from bleucli.cli.options import Options


def check(options: Options) -> None:
    """Refuse to write a file that the options or the environment name as an input, and to write one file twice.

    Raises:
        UsageError: naming the option.
    """
    for name, path in options.written().items():
        _refuse_closed(name, path)
        _refuse(name, path, _find_named(options, name))
    _refuse_twice(options)


def protect(options: Options, inputs: Iterable[str], stdin: IO[bytes] | None = None) -> None:
    """Refuse to write files that are read.

    Args:
        options: the options, which name the files that are written.
        inputs: the files that are read.
        stdin: standard input, if it is read.

    Raises:
        UsageError: naming the option.
    """
    inputs = list(inputs)
    for name, path in options.written().items():
        _refuse(name, path, inputs)
        if os.path.isfile(path) and _is_file_of(stdin, path):
            raise UsageError(f"{flag_of(name)} {shown(path)} is also the standard input; name another file")


def _refuse_closed(name: str, path: str) -> None:
    """Refuse a descriptor that is not open, before a file of our own gets its number."""
    descriptor = descriptor_of(path)
    try:
        if descriptor is not None:
            os.fstat(descriptor)
    except (OSError, OverflowError):
        raise UsageError(
            f"cannot write {shown(path)}: descriptor {descriptor} is not open; name an open one, or a file, with"
            f" {flag_of(name)}"
        ) from None


def _refuse(name: str, written: str, inputs: Iterable[str]) -> None:
    if os.path.isfile(written) and any(path != "-" and _is_same(path, written) for path in inputs):
        raise UsageError(f"{flag_of(name)} {shown(written)} is also an input; name another file")


def _refuse_twice(options: Options) -> None:
    taken: list[tuple[str, str]] = []
    for name, path in options.written().items():
        if descriptor_of(path) is not None or (os.path.exists(path) and not os.path.isfile(path)):
            continue  # a stream or a device may be written twice
        for other, there in taken:
            if _is_same(there, path):
                raise UsageError(f"{flag_of(other)} and {flag_of(name)} both write {shown(path)}; name two files")
        taken.append((name, path))


def _is_same(one: str, other: str) -> bool:
    """Return whether two paths lead to one file, which need not exist yet."""
    if os.path.exists(one) and os.path.exists(other):
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


def _find_named(options: Options, written: str) -> Iterator[str]:
    """Give the files that the options and the environment name as inputs, whichever mode reads them.

    Patterns in --input stay as they are: `files.Files` replaces them with files, and protects these.

    written: the option that names the file to write. Merging may replace a statistics file with the file that has all
    rows, and a history may be both baseline and output: scores are compared with it, then added to it.
    """
    from bleucli.testsets import cache

    tables, statistics = options.table or (), () if written == "save_stats" else options.stats or ()
    if tables or statistics:
        from bleucli.scale.files import PARQUET, find_files
        from bleucli.scale.tables import IPC

        yield from find_files(map(shown, tables), (*PARQUET, *IPC))
        yield from find_files(map(shown, statistics))
    yield from options.refs
    yield from options.input or ()
    registry = cache.registry() if options.registry is None else str(options.registry)
    baseline = None if options.append and written == "output" else options.baseline
    yield from filter(None, (baseline, registry, options.groups, options.matrix))
    for word in options.add_scores or ():  # NAME=FILE,FILE
        yield from word.partition("=")[2].split(",")
    # The models that tokenizers read
    from bleucli.tokenizers import find_model

    signed = {} if options.like is None else options.like.info
    names = (options.of_metric("bleu").get("tokenize"), signed.get("tok"))
    yield from filter(None, map(find_model, filter(None, names)))


def _is_file_of(stream: IO[bytes] | None, path: str) -> bool:
    """Return whether a standard stream is connected to the file or device with that name."""
    if stream is None:
        return False
    try:
        return os.path.samestat(os.stat(path), os.fstat(stream.fileno()))
    except OSError:  # the file does not exist, or the stream has no descriptor
        return False
