"""What has come so far of a file: `PATH.part`, which becomes PATH only when it is whole and verified.

If the server named a version of the file, `PATH.part.json` holds it, and a later attempt, also by another process, asks
for the rest of that very version. Without it nothing that is there is used again.
"""

import json
import os
from collections import namedtuple
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from bleucli.errors import BleuError
from bleucli.testsets.addresses import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Left(NamedTuple):
        """What an earlier attempt left behind: a number of bytes, and the version of the file that they are from."""

        size: int
        version: str

else:
    Left = namedtuple("Left", "size version")


def part_of(path: str) -> str:
    """Return where the bytes of an unfinished download lie."""
    return f"{path}.part"


def _state_of(path: str) -> str:
    return f"{path}.part.json"


def left_by(path: str, address: str) -> Left:
    """Return what can be used of an earlier attempt with the same address."""
    try:
        with open(_state_of(path), encoding="utf-8") as file:
            state = json.load(file)
        if state["address"] == shown(address) and (size := os.path.getsize(part_of(path))):
            return Left(size, str(state["version"]))
    except (FileNotFoundError, ValueError, TypeError, KeyError):
        pass
    return Left(0, "")


def remember(path: str, address: str, version: str) -> None:
    """Note the version of the file that is going to be written, so that a later attempt can ask for its rest."""
    if version:
        with open(_state_of(path), "w", encoding="utf-8") as file:
            json.dump({"address": shown(address), "version": version}, file)


def discard(path: str) -> None:
    """Throw away what an unfinished download left: first what makes it usable, then the bytes."""
    for leftover in (_state_of(path), part_of(path)):
        with suppress(FileNotFoundError):
            os.remove(leftover)


def tidy(path: str) -> None:
    """Throw away what an unfinished download left, unless a later attempt can use it."""
    if not os.path.exists(_state_of(path)):
        discard(path)


def finish(path: str) -> None:
    """Give a whole and verified download its real name."""
    with suppress(FileNotFoundError):
        os.remove(_state_of(path))
    os.replace(part_of(path), path)


@contextmanager
def disk_errors(target: str) -> Iterator[None]:
    """Turn what the disk refuses into an error of ours; `target` is named where the system names no file."""
    try:
        yield
    except OSError as error:
        raise BleuError(
            f"cannot write {error.filename or target}: {error.strerror or error}; make room or give permission, or set"
            " BLEU_HOME to another folder"
        ) from None
