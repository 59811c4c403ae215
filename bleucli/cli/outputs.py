"""The file that a command writes: none that it reads.

- `check`: refuse to write a file that the options name as an input
- `protect`: refuse to write a file that turns out to be an input later
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from bleucli.cli.streams import shown
from bleucli.errors import UsageError
from bleucli.text.wholefiles import descriptor_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

    from bleucli.cli.options import Options


def check(options: Options) -> None:
    """Refuse to write a file that the options or the environment name as an input.

    Raises:
        UsageError: naming the file.
    """
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


def protect(options: Options, inputs: Iterable[str], stdin: IO[bytes] | None = None) -> None:
    """Refuse to write a file that is read.

    Args:
        options: the options, which name the file that is written.
        inputs: the files that are read.
        stdin: standard input, if it is read.

    Raises:
        UsageError: naming the file.
    """
    if options.output is None:
        return
    _refuse(options.output, inputs)
    if os.path.isfile(options.output) and _is_file_of(stdin, options.output):
        raise UsageError(f"--output {shown(options.output)} is also the standard input; name another file")


def _refuse(output: str, inputs: Iterable[str]) -> None:
    if os.path.isfile(output) and any(path != "-" and _is_same(path, output) for path in inputs):
        raise UsageError(f"--output {shown(output)} is also an input; name another file")


def _is_same(one: str, other: str) -> bool:
    """Return whether two paths lead to one file, which need not exist yet."""
    if os.path.exists(one) and os.path.exists(other):
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


def _inputs(options: Options) -> Iterator[str]:
    """Give the files that the options and the environment name as inputs, whichever mode reads them.

    Patterns in --input stay as they are: `files.Files` replaces them with files, and protects these.

    Merging may replace a statistics file with the file that has all rows, and a history may be both baseline and
    output: scores are compared with it, then added to it.
    """
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
    registry = cache.registry() if options.registry is None else str(options.registry)
    baseline = None if options.append else options.baseline
    yield from filter(None, (baseline, registry, options.groups, options.matrix))
    for word in options.add_scores or ():  # NAME=FILE,FILE
        yield from word.partition("=")[2].split(",")
    # The models that tokenizers read
    from bleucli.tokenizers import find_model

    signature = {} if options.like is None else options.like.info
    names = (options.of_metric("bleu").get("tokenize"), signature.get("tok"))
    yield from filter(None, map(find_model, filter(None, names)))


def _is_file_of(stream: IO[bytes] | None, path: str) -> bool:
    """Return whether a standard stream is connected to the file or device with that name."""
    if stream is None:
        return False
    try:
        return os.path.samestat(os.stat(path), os.fstat(stream.fileno()))
    except OSError:  # the file does not exist, or the stream has no descriptor
        return False
