"""Downloads: a missing file is fetched once, complete and verified, or not at all.

- `fetch`: one file, from an address to a place
- `fetch_model`, `model_path`, `trust_model`: a model in the cache, which must always be the same

One process at a time fetches a file under a temporary name next to its place, verifies it, and gives it its real name.
An interrupted download starts again: the largest public test sets have tens of megabytes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from bleucli.errors import BleuError, Note
from bleucli.testsets import (
    Checksum,
    Source,
    hide_credentials,
    is_sum,
    is_web,
    last_component,
    local_path,
    network,
    problem_of,
    record_of,
)
from bleucli.testsets.cache import (
    Draft,
    cache_directory,
    disk_errors,
    hold_lock,
    make_folder,
    mirror,
    offline,
    read_start,
    sweep,
    twins_of,
)
from bleucli.text.wholefiles import digest
from bleucli.waiting import is_watched, note_delay, show_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from tqdm import tqdm

PAUSES = (1.0, 2.0, 4.0, 8.0)  # seconds between the attempts
SECONDS_BEFORE_BAR = 1.0

# Servers that did not answer, with the time and the reason; for some time they are not tried again
_SILENT: dict[str, tuple[float, str]] = {}
SECONDS_OF_MEMORY = 60.0


class WrongFile(network.Failed):
    """An address delivers a file other than the one wanted."""


def fetch(source: Source, target: str, *, name: str, is_recorded: bool = False) -> str:
    """Put a download in its place, unless it is already there and correct.

    Args:
        source: its address (`https:`, `http:`, `file:` or a path) and checksums.
        target: where it belongs; its folder is made.
        name: of the test set or model: for messages, and the folder of the mirror (`BLEU_MIRROR`).
        is_recorded: if there is no checksum, record the SHA-256 of the first download next to it (`TARGET.sha256`), and
            accept no other file from then on.

    Returns:
        The SHA-256 if this is the first download, and it was recorded; else "".
    """
    published = source.checksum()
    expected = published or (_read_records(target) if is_recorded else None)
    if (expected or not is_recorded) and not _find_fault(target, expected):
        sweep(f"{target}.lock")
        return ""
    addresses = _find_addresses(source.url, target, name, expected)
    with _work_alone(target):
        if is_recorded and not published:
            expected = _read_records(target)  # another process may have downloaded it while we waited
        if _find_fault(target, expected):
            _fetch_from_first(addresses, target, name, expected)
        if is_recorded and not (published or read_record(target)):
            digits = digest(target, "sha256")
            _write_record(target, digits)
            return "" if expected else digits  # another cache may have had a record
    return ""


@contextmanager
def _work_alone(target: str) -> Iterator[None]:
    with disk_errors(target):
        make_folder(os.path.dirname(target) or ".")
        with hold_lock(f"{target}.lock"):
            yield


def _find_addresses(url: str, target: str, name: str, expected: Checksum | None) -> list[str]:
    """Return the addresses to try for a file, another cache first; check that there is one if the file is needed."""
    for address in (url, mirror() or url):
        if problem := problem_of(address):
            raise BleuError(f"{name} cannot be downloaded from {hide_credentials(address)!r}: {problem}")
    addresses = [twin for twin in twins_of(target) if not _find_fault(twin, expected)]
    copies = [f"{mirror().rstrip('/')}/{name}/{last_component(url)}"] if mirror() else []
    addresses += [address for address in (*copies, url) if not (offline() and is_web(address))]
    if not addresses and (fault := _find_fault(target, expected)):
        raise BleuError(
            f"{name} needs {target}, which {fault}, and BLEU_OFFLINE forbids downloading it from"
            f" {hide_credentials(url)}; unset BLEU_OFFLINE, or put the file there"
        )
    return addresses


def _fetch_from_first(addresses: list[str], target: str, name: str, expected: Checksum | None) -> None:
    failures: list[tuple[str, network.Failed]] = []
    for address in addresses:
        try:
            _fetch_with_retries(address, target, expected)
        except network.Failed as failure:
            failures.append((f"{hide_credentials(address)} {failure}", failure))
        else:
            break
    else:
        is_wrong = any(isinstance(failure, WrongFile) for _, failure in failures)
        raise BleuError(
            f"cannot download {name}: {'; '.join(text for text, _ in failures)}; {_advise(target, expected, is_wrong)}"
        )
    from bleucli.results.hints import warn

    for text, reason in failures:
        if not isinstance(reason, network.MissingFile):  # a mirror need not have every file
            warn(f"{name} was not downloaded from the mirror: {text}; it came from its own address")


def _advise(target: str, expected: Checksum | None, is_wrong: bool) -> str:
    if expected and expected.record and is_wrong:
        return (
            f"{expected.record} holds the checksum of its first download; if the change is intended, delete that file"
            f" and the rest of the test set in the cache; if not, put the earlier file at {target}"
        )
    there = f" in place of the one there, which {_find_fault(target, expected)}" if os.path.isfile(target) else ""
    return f"check the connection and the address and try again, or put the file at {target}{there}"


def _fetch_with_retries(address: str, target: str, expected: Checksum | None) -> None:
    """Fetch the file, with retries if they may help; do not even try if the server did not answer a moment ago."""
    server = address.partition("://")[2].partition("/")[0]
    when, reason = _SILENT.get(server, (0.0, ""))
    if reason and time.monotonic() - when < SECONDS_OF_MEMORY:
        raise network.Unreached(reason)
    start = time.monotonic()
    for pause in (*PAUSES, None):
        try:
            _fetch_once(address, target, expected)
            return
        except network.Refused:
            raise
        except network.Interrupted as failure:
            if pause is None:
                if isinstance(failure, network.Unreached):
                    _SILENT[server] = time.monotonic(), str(failure)
                raise
            text = f"{os.path.basename(target)}: {hide_credentials(address)} {failure}; next attempt in {pause:g} s"
            note_delay(text, start)
            with show_status(text):
                time.sleep(pause)


def _fetch_once(address: str, target: str, expected: Checksum | None) -> None:
    """Fetch the file: request it, write it under another name, verify it, and give it its own name."""
    import hashlib

    # With usedforsecurity=False, md5 works even where a policy (FIPS) forbids it for security
    hashed = hashlib.new(expected.kind if expected else "sha256", usedforsecurity=False)
    answer: AbstractContextManager[tuple[int | None, Iterator[bytes]]]
    if is_web(address):
        answer = network.answer_from(address, must_end=expected is None)
    else:
        answer = nullcontext((None, _read_local(local_path(address))))
    with answer as (size, chunks), Draft(target) as draft:
        with _show_bar(os.path.basename(target), size) as bar:
            for chunk in chunks:
                draft.file.write(chunk)
                hashed.update(chunk)
                bar.update(len(chunk))
        if expected and hashed.hexdigest() != expected.digits:
            raise WrongFile(
                f"sent a file with the {expected.kind} {hashed.hexdigest()}, expected {expected.digits}; it was deleted"
            )
        draft.keep()


def _read_local(path: str) -> Iterator[bytes]:
    try:
        if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
            raise network.Failed("is a device or a pipe, not a file")  # reading it may never end
        with open(path, "rb") as file:
            while chunk := file.read(network.CHUNK_BYTES):
                yield chunk
    except OSError as error:
        failure = network.MissingFile if isinstance(error, FileNotFoundError) else network.Failed
        raise failure(f"cannot be read ({error.strerror})") from None


def _show_bar(name: str, size: int | None) -> tqdm[NoReturn]:
    """Return a progress bar on stderr, if that is a terminal and the download takes a while."""
    from tqdm import tqdm

    from bleucli.prose.markup import visible

    return tqdm(
        total=size,
        desc=visible(name),
        unit="B",
        unit_scale=True,
        leave=False,
        delay=SECONDS_BEFORE_BAR,
        dynamic_ncols=True,
        disable=not is_watched(),
    )


# --- checksums of files, and their records


def _find_fault(path: str, checksum: Checksum | None) -> str:
    """Return what is wrong with a file, as the rest of a sentence that begins with its name; "" if nothing is wrong."""
    if not os.path.isfile(path):
        return "is missing"
    if checksum is None:
        return ""
    try:
        digits = digest(path, checksum.kind)
    except OSError as error:
        raise BleuError(f"{path} cannot be read ({error.strerror}); allow reading it, or delete it") from None
    return "" if digits == checksum.digits else f"has the {checksum.kind} {digits}, expected {checksum.digits}"


def _read_records(target: str) -> Checksum | None:
    """Return the checksum that was recorded for a download, in whichever cache it was."""
    return next(filter(None, map(read_record, (target, *twins_of(target)))), None)


def read_record(path: str) -> Checksum | None:
    """Return the checksum that was recorded for a download; None if none was."""
    record = record_of(path)
    try:
        line = read_start(record)
    except OSError as error:
        raise BleuError(f"{record} cannot be read ({error.strerror}); fix or delete it") from None
    if line is None:
        return None
    digits = line.decode("latin-1").partition(" ")[0].strip().lower()
    if not is_sum("sha256", digits):
        raise BleuError(f"{record} does not hold a sha256, in a line as sha256sum prints it; fix or delete the file")
    return Checksum("sha256", digits, record)


def _write_record(path: str, digits: str) -> None:
    """Record the SHA-256 of a download, completely or not at all. The caller holds the lock of the download."""
    with Draft(record_of(path)) as record:
        record.file.write(f"{digits}  {os.path.basename(path)}\n".encode())
        record.keep()


# --- models


def fetch_model(url: str, *, name: str, sha256: str = "") -> str:
    """Return the path of a model in the cache; download it if it is missing.

    sha256: in hexadecimal digits; "" if none was published (see `trust_model`).
    """
    path = model_path(url)
    fetch(Source(url, sha256), path, name=name)
    return path


def model_path(url: str) -> str:
    """Return the place in the cache for the model at an address."""
    return os.path.join(cache_directory(), "models", last_component(url))


def trust_model(path: str, digits: str, *, name: str) -> None:
    """Make sure that a model without a published checksum is the one used first; record the first, with a note.

    digits: the SHA-256 of the bytes that were read from its path.
    """
    from bleucli.results.hints import warn

    first = _read_records(path)
    if first is None:
        try:
            with _work_alone(path):
                if (first := read_record(path)) is None:
                    _write_record(path, digits)
                    outcome = "is recorded, and no other file will be accepted"
        except BleuError as error:  # another user owns this cache, and we may only read it
            outcome = f"could not be recorded ({error})"
        if first is None:
            warn(
                f"no checksum is published for the model {name}; the sha256 of this one, {digits}, {outcome}",
                category=Note,
            )
    if first and first.digits != digits:
        raise BleuError(
            f"{path} has the sha256 {digits}, but the model first used as {name} had {first.digits}, and scores with"
            f" both would have the same signature; delete the file to download it again, or, if the change is intended,"
            f" delete {first.record}"
        )
