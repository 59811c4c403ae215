"""Unpack archives: only the files that are wanted, completely or not at all, under names that we choose.

- `extract`: some members of a tar or zip archive, each to its place

Everything else in an archive is ignored, so `../`, links and devices in it do no harm.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack

from bleucli.errors import BleuError
from bleucli.phrases import suggest
from bleucli.testsets.cachefiles import Draft, disk_errors, make_folder
from bleucli.testsets.locks import hold_lock, sweep
from bleucli.testsets.members import Member, list_members, plain_path, remedy


def extract(archive: str, wanted: Mapping[str, str], *, name: str, replace: bool = False) -> None:
    """Unpack those members of an archive that are not in their places yet.

    If the archive has a member twice, the last one is taken, as by `tar`. If it is damaged, nothing is unpacked.

    Args:
        archive: the path of a tar (plain, gzip, bzip2 or xz) or zip file.
        wanted: the place of each member, by its path in the archive; folders are made.
        name: the name of the test set, for messages.
        replace: unpack those in their places as well.

    Raises:
        BleuError: a path is unsafe, a member is missing or not a plain file, the archive is damaged or not an archive,
            or the files cannot be written.
    """
    places = {_check_path(path, name): target for path, target in wanted.items()}
    missing = {path: target for path, target in places.items() if replace or not os.path.isfile(target)}
    lock = f"{archive}.members.lock"
    if not missing:
        sweep(lock)
        return
    with disk_errors(archive), hold_lock(lock), ExitStack() as drafts:
        _extract_alone(archive, missing, name, drafts)


def _check_path(path: str, name: str) -> str:
    if not is_safe(plain := plain_path(path)):
        raise BleuError(
            f"{name} names the archive member {path!r}, which is not a safe path; expected a relative path such as"
            " news/en-de.xml, without .. and backslashes"
        )
    return plain


def is_safe(path: str) -> bool:
    r"""Return whether a path stays below any folder that it is appended to, on every system.

    >>> is_safe("dev/news.sgm"), is_safe("../news.sgm"), is_safe("/dev/news.sgm"), is_safe("C:news"), is_safe("a\\b")
    (True, False, False, False, False)
    """
    if "\\" in path or path[1:2] == ":" or not path.isprintable():
        return False
    return all(part.strip(". ") for part in path.split("/"))  # Windows drops dots and spaces at the end


def _extract_alone(archive: str, wanted: Mapping[str, str], name: str, drafts: ExitStack) -> None:
    """Write all members as drafts, and give them their own names once the whole archive has been read."""
    kinds, written = {}, {}
    for member in list_members(archive):
        kinds[member.path] = member.kind
        if member.path in wanted and not member.kind:
            written[member.path] = _write(member, wanted[member.path], drafts)
    for path in wanted:
        _check_kind(path, kinds, archive, name)
    for path in wanted:
        written[path].keep()


def _write(member: Member, target: str, drafts: ExitStack) -> Draft:
    with disk_errors(target):
        make_folder(os.path.dirname(target) or ".")
        draft = drafts.enter_context(Draft(target))
        draft.file.writelines(member.chunks())
        draft.close()
    return draft


def _check_kind(path: str, kinds: Mapping[str, str], archive: str, name: str) -> None:
    """Check that a wanted member is in the archive and is a plain file."""
    kind, where = kinds.get(path), f"{name}: {archive}"
    if kind:
        raise BleuError(f"{where}: {path!r} is {kind}, not a plain file; name another member, or {remedy(archive)}")
    if kind is None:
        raise BleuError(
            f"{where} has no member {path!r}; name one that it has, or {remedy(archive)}{suggest(path, kinds)}"
        )
