"""Downloads: a missing file is fetched once, complete and verified, or not at all.

- `fetch`: one file, from an address to a place
- `fetch_source`: a download of a test set
- `fetch_model`, `trust_model`: a model in the cache, which must always be the same

Pure functions decide (`addresses.choose_addresses`, `answers.span_of`); then the work is done: one downloader at a time
fetches the file under a temporary name next to its place, verifies it, and gives it its real name.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from bleucli.errors import BleuError, Note
from bleucli.testsets.addresses import choose_addresses, hide_credentials, last_component, problem_of
from bleucli.testsets.cache import cache_directory, mirror, offline, twins_of
from bleucli.testsets.cachefiles import disk_errors, make_folder
from bleucli.testsets.checksums import (
    Checksum,
    digest,
    find_fault,
    find_published,
    parse_checksum,
    read_record,
    write_record,
)
from bleucli.testsets.failures import Failed, Interrupted, MissingFile, Refused, Unreached, UnusablePart, WrongFile
from bleucli.testsets.locks import hold_lock, sweep
from bleucli.testsets.partial import discard, finish, part_of, tidy
from bleucli.testsets.transfer import transfer
from bleucli.waiting import note_delay, show_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.testsets.entries import Source

PAUSES = (1.0, 2.0, 4.0, 8.0)  # seconds between the attempts


# Servers that did not answer, with the time and the reason; for some time they are not tried again
_SILENT: dict[str, tuple[float, str]] = {}
SECONDS_OF_MEMORY = 60.0


def fetch_model(url: str, *, name: str, sha256: str = "") -> str:
    """Return the path of a model in the cache; download it if it is missing.

    Args:
        url: its address.
        name: the name of the model.
        sha256: its SHA-256 in hexadecimal digits; "" if none was published (see `trust_model`).

    Raises:
        BleuError: as for `fetch`.
    """
    path = model_path(url)
    fetch(url, path, name=name, checksum=("sha256", sha256) if sha256 else None)
    return path


def model_path(url: str) -> str:
    """Return the place in the cache for the model at an address."""
    return os.path.join(cache_directory(), "models", last_component(url))


def trust_model(path: str, digits: str, *, name: str) -> None:
    """Make sure that a model without a published checksum is the one used first; record the first, with a note.

    Args:
        path: the path of the model in the cache.
        digits: the SHA-256 of the bytes that were read from there.
        name: the name of the model.

    Raises:
        BleuError: it differs from the first.
    """
    from bleucli.results.hints import warn

    known = _read_records(path)
    if known is None:
        try:
            with _work_alone(path):
                if (known := read_record(path)) is None:
                    write_record(path, digits)
                    taken = "is recorded, and no other file will be accepted"
        except BleuError as error:  # another user owns this cache, and we may only read it
            taken = f"could not be recorded ({error})"
        if known is None:
            warn(
                f"no checksum is published for the model {name}; the sha256 of this one, {digits}, {taken}",
                category=Note,
            )
    if known and known.digits != digits:
        raise BleuError(
            f"{path} has the sha256 {digits}, but the model first used as {name} had {known.digits}, and scores with"
            f" both would have the same signature; delete the file to download it again, or, if the change is intended,"
            f" delete {known.record}"
        )


def fetch(url: str, target: str, *, name: str, checksum: tuple[str, str] | None = None) -> None:
    """Download a file, unless it already exists and is correct.

    Args:
        url: an `https:`, `http:` or `file:` address, or a path.
        target: where the file belongs; its folder is made.
        name: the name of the test set or model: for messages, and the folder of the mirror (`BLEU_MIRROR`).
        checksum: ("sha256", hexadecimal digits) or ("md5", ...); None if it is not known.

    Raises:
        BleuError: no address has the right file, or the file cannot be written.
    """
    expected = parse_checksum(*checksum) if checksum else None
    if not find_fault(target, expected):
        sweep(_lock_of(target))
        return
    addresses = _find_addresses(url, target, name, expected)
    with _work_alone(target):
        if find_fault(target, expected):
            _fetch_alone(addresses, target, name, expected)


def fetch_source(source: Source, target: str, *, name: str) -> None:
    """Put a download of a test set in its place, unless it is already there and correct.

    If the test set gives no checksum, the SHA-256 of the first download is recorded next to it (`TARGET.sha256`), and
    from then on no other file is accepted.

    Args:
        source: its address (as for `fetch`) and checksums.
        target: where it belongs; its folder is made.
        name: the name of the test set: for messages, and the folder of the mirror.

    Raises:
        BleuError: no address has the right file, or the file cannot be written.
    """
    known = find_published(source)
    expected = known or _read_records(target)
    if expected and not find_fault(target, expected):
        sweep(_lock_of(target))
        return
    addresses = _find_addresses(source.url, target, name, expected)
    with _work_alone(target):
        expected = known or _read_records(target)  # another process may have downloaded it while we waited
        if find_fault(target, expected):
            _fetch_alone(addresses, target, name, expected)
        if not (known or read_record(target)):
            write_record(target)


def _read_records(target: str) -> Checksum | None:
    """Return the checksum that was recorded for a download, in whichever cache it was."""
    return next(filter(None, map(read_record, (target, *twins_of(target)))), None)


def _find_addresses(url: str, target: str, name: str, expected: Checksum | None) -> list[str]:
    """Return the addresses to try for a file, another cache first; check that there is one if the file is needed."""
    for address in (url, mirror() or url):
        if problem := problem_of(address):
            raise BleuError(f"{name} cannot be downloaded from {hide_credentials(address)!r}: {problem}")
    asked = [twin for twin in twins_of(target) if not find_fault(twin, expected)]
    asked += choose_addresses(url, name, mirror(), offline())
    if not asked and (wrong := find_fault(target, expected)):
        raise BleuError(
            f"{name} needs {target}, which {wrong}, and BLEU_OFFLINE forbids downloading it from"
            f" {hide_credentials(url)}; unset BLEU_OFFLINE, or put the file there"
        )
    return asked


def _lock_of(target: str) -> str:
    return f"{target}.lock"


@contextmanager
def _work_alone(target: str) -> Iterator[None]:
    """Make this the only process that works on a file."""
    with disk_errors(target):
        make_folder(os.path.dirname(target) or ".")
        with hold_lock(_lock_of(target)):
            yield


def _fetch_alone(addresses: list[str], target: str, name: str, expected: Checksum | None) -> None:
    """Fetch the file, and leave nothing next to it except what a later attempt can use."""
    try:
        _fetch_from_first(addresses, target, name, expected)
    except OSError:  # such as a full disk, on which the part would still take room
        with suppress(OSError):
            discard(target)
        raise
    finally:
        tidy(target)


def _fetch_from_first(addresses: list[str], target: str, name: str, expected: Checksum | None) -> None:
    """Fetch the file from the first address that has it."""
    failures: list[tuple[str, Failed]] = []
    for address in addresses:
        try:
            _fetch_with_retries(address, target, expected)
        except Failed as failure:
            failures.append((f"{hide_credentials(address)} {failure}", failure))
        else:
            from bleucli.results.hints import warn

            for text, why in failures:
                if not isinstance(why, MissingFile):  # a mirror need not have every file
                    said = f"{name} was not downloaded from the mirror: {text}; it came from its own address"
                    warn(said)
            return
    is_wrong = any(isinstance(failure, WrongFile) for _, failure in failures)
    raise BleuError(
        f"cannot download {name}: {'; '.join(text for text, _ in failures)}; {_advise(target, expected, is_wrong)}"
    )


def _advise(target: str, expected: Checksum | None, is_wrong: bool) -> str:
    if expected and expected.record and is_wrong:
        return (
            f"{expected.record} holds the checksum of its first download; if the change is intended, delete that file"
            f" and the rest of the test set in the cache; if not, put the earlier file at {target}"
        )
    there = f" in place of the one there, which {find_fault(target, expected)}" if os.path.isfile(target) else ""
    return f"check the connection and the address and try again, or put the file at {target}{there}"


def _fetch_with_retries(address: str, target: str, expected: Checksum | None) -> None:
    """Fetch the file, with retries if they may help; do not even try if the server did not answer a moment ago."""
    server = address.partition("://")[2].partition("/")[0]
    when, why = _SILENT.get(server, (0.0, ""))
    if why and time.monotonic() - when < SECONDS_OF_MEMORY:
        raise Unreached(why)
    start = time.monotonic()
    for pause in PAUSES:
        try:
            return _fetch_once(address, target, expected)
        except Refused:
            raise
        except Interrupted as failure:
            said = f"{os.path.basename(target)}: {hide_credentials(address)} {failure}; next attempt in {pause:g} s"
            note_delay(said, start)
            with show_status(said):
                time.sleep(pause)
    try:
        return _fetch_once(address, target, expected)
    except Unreached as failure:
        _SILENT[server] = time.monotonic(), str(failure)
        raise


def _fetch_once(address: str, target: str, expected: Checksum | None) -> None:
    resumed = transfer(address, target, must_end=expected is None)
    if expected is not None and (found := digest(part_of(target), expected.kind)) != expected.digits:
        discard(target)
        failure = UnusablePart if resumed else WrongFile  # a complete download may be right
        raise failure(f"sent a file with the {expected.kind} {found}, expected {expected.digits}; it was deleted")
    finish(target)
