"""Unfinished downloads: `PATH.USER.part`, which becomes PATH only when it is complete and verified.

If the server named a version of the file, `PATH.USER.part.json` holds it, and the same user's next attempt, in any
process, requests the rest of that version. Without a version, or if another user wrote the files, the download starts
again.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress

from bleucli.records import NamedTuple
from bleucli.testsets.addresses import hide_credentials
from bleucli.testsets.cachefiles import Draft, create, remove, reopen, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO


class Leftover(NamedTuple):
    """The part that an earlier attempt left."""

    size: int  # in bytes
    version: str  # the version of the file
    total: int | None  # the size of the whole file; None if the server did not say


NOTHING = Leftover(0, "", None)
# One part per user; and the part of version 0.1, which all users shared
_PART = r"(\.\d+)?\.part(\.json(\.[0-9a-f]{16}\.new)?)?"


def part_of(path: str) -> str:
    """Return the path of this user's unfinished download."""
    return f"{path}.{os.geteuid() if hasattr(os, 'geteuid') else 0}.part"


def _state_of(path: str) -> str:
    return f"{part_of(path)}.json"


def find_leftover(path: str, address: str) -> Leftover:
    """Return the usable part of an earlier attempt at the same address."""
    size = _size(path)
    file = reopen(_state_of(path)) if size else None
    if file is None:
        return NOTHING
    with file:
        file.seek(0)
        line = file.read(1 << 16)
    try:
        state = json.loads(line)
        version, total = state["version"], state["total"]
        is_known = state["address"] == hide_credentials(address) and isinstance(version, str)
    except (ValueError, TypeError, KeyError, RecursionError):
        return NOTHING
    if not is_known or not (total is None or (type(total) is int and total >= size)):
        return NOTHING
    return Leftover(size, version, total)


def _size(path: str) -> int:
    file = reopen(part_of(path))
    if file is None:
        return 0
    with file:
        return os.fstat(file.fileno()).st_size


def begin(path: str, address: str, version: str, total: int | None) -> IO[bytes]:
    """Discard an old part and return a new file; save its version, so that a later attempt can request the rest."""
    discard(path)
    if version:
        state = {"address": hide_credentials(address), "version": version, "total": total}
        with Draft(_state_of(path)) as draft:
            draft.file.write(json.dumps(state).encode())
            draft.keep()
    return create(part_of(path))


def discard(path: str) -> None:
    """Discard an unfinished download: first the record that makes it usable, then the bytes."""
    for leftover in (_state_of(path), part_of(path)):
        remove(leftover)


def tidy(path: str) -> None:
    """Discard an unfinished download, unless a later attempt can use it."""
    if not os.path.lexists(_state_of(path)):
        discard(path)


def finish(path: str) -> None:
    """Give a complete, verified download its real name; discard other users' parts, which are no longer needed."""
    remove(_state_of(path))
    replace(part_of(path), path)
    folder, name = os.path.split(path)
    pattern = re.compile(re.escape(name) + _PART)
    for one in filter(pattern.fullmatch, os.listdir(folder or ".")):
        with suppress(OSError):  # it stays if only its owner may remove it
            remove(os.path.join(folder, one))
