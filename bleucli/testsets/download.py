"""Downloads: what is missing comes once, whole and verified, or not at all.

- `fetch`: one file, from an address to a place
- `fetch_model`: a model into the cache

First is decided (`addresses.to_ask`, `transfer.starts_at`: pure functions), then done: one downloader at a time brings
the file to a temporary name beside its place, verifies it, and gives it its real name.
"""

import os
import time
from contextlib import suppress

from bleucli.errors import BleuError
from bleucli.testsets.addresses import is_web, last_component, shown, to_ask
from bleucli.testsets.cache import cache_directory, mirror, offline
from bleucli.testsets.locks import locked
from bleucli.testsets.partial import discard, disk_errors, finish, part_of, tidy
from bleucli.testsets.transfer import Failed, Interrupted, Unusable, transfer

PAUSES = (1.0, 2.0, 4.0, 8.0)  # seconds between the attempts


def fetch_model(url: str, *, name: str) -> str:
    """Return the path of a model in the cache; download it if it is missing. See `fetch`."""
    path = os.path.join(cache_directory(), "models", last_component(url))
    fetch(url, path, name=name)
    return path


def fetch(url: str, target: str, *, name: str, checksum: tuple[str, str] | None = None) -> None:
    """Download a file, unless it is there.

    Args:
        url: an `https:`, `http:` or `file:` address, or a path.
        target: where the file belongs; its folder is made.
        name: of the test set or model: for messages, and the folder of the mirror (`BLEU_MIRROR`).
        checksum: ("sha256", hexadecimal digits) or ("md5", ...); None if it is not known.

    Raises:
        BleuError: no address gives the file, or not the right one, or it cannot be written.
    """
    if os.path.isfile(target):
        return
    _check(url, checksum)
    asked = to_ask(url, name, mirror(), offline())
    if not asked:
        raise BleuError(
            f"{name} needs {target}, which is missing, and BLEU_OFFLINE forbids to download it from {shown(url)};"
            " unset BLEU_OFFLINE, or put the file there"
        )
    with disk_errors(target):
        os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
        with locked(f"{target}.lock"):
            if not os.path.isfile(target):
                _fetch_alone(asked, target, name, checksum)


def _check(url: str, checksum: tuple[str, str] | None) -> None:
    if "://" in url and not is_web(url) and not url.lower().startswith("file:"):
        raise BleuError(f"{shown(url)} cannot be downloaded; expected an https:, http: or file: address, or a path")
    if checksum is not None and checksum[0] not in ("sha256", "md5"):
        raise BleuError(f"unknown kind of checksum {checksum[0]!r}; expected sha256 or md5")


def _fetch_alone(addresses: list[str], target: str, name: str, checksum: tuple[str, str] | None) -> None:
    """Fetch the file and leave nothing else, but what a later attempt can use."""
    try:
        _fetch_from_first(addresses, target, name, checksum)
    except OSError:
        with suppress(OSError):
            discard(target)
        raise
    finally:
        tidy(target)


def _fetch_from_first(addresses: list[str], target: str, name: str, checksum: tuple[str, str] | None) -> None:
    """Fetch the file from the first address that has it."""
    failures = []
    for address in addresses:
        try:
            return _fetch_with_retries(address, target, checksum)
        except Failed as failure:
            failures.append(f"{shown(address)} {failure}")
    raise BleuError(
        f"cannot download {name}: {'; '.join(failures)}; check the connection and the address and try again, or put the"
        f" file at {target}"
    )


def _fetch_with_retries(address: str, target: str, checksum: tuple[str, str] | None) -> None:
    for pause in PAUSES:
        try:
            return _fetch_once(address, target, checksum)
        except Interrupted:
            time.sleep(pause)
    return _fetch_once(address, target, checksum)


def _fetch_once(address: str, target: str, checksum: tuple[str, str] | None) -> None:
    resumed = transfer(address, target)
    _verify(target, checksum, resumed)
    finish(target)


def _verify(target: str, checksum: tuple[str, str] | None, resumed: bool) -> None:
    """Compare what came with its checksum; if it differs and only its end is new, the whole may still be right."""
    if checksum is None:
        return
    kind, wanted = checksum
    found = _checksum(part_of(target), kind)
    if found != wanted.lower():
        discard(target)
        failure = Unusable if resumed else Failed
        raise failure(f"gave a file with the {kind} {found}, expected {wanted.lower()}; it was thrown away")


def _checksum(path: str, kind: str) -> str:
    import hashlib

    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.new(kind, usedforsecurity=False)).hexdigest()
