"""Checksums of downloads: published with the test set, or recorded at the first download.

A recorded checksum is in `PATH.sha256`, next to the download, in the format of the program `sha256sum`.
"""

from __future__ import annotations

import os

from bleucli.errors import BleuError
from bleucli.records import NamedTuple
from bleucli.testsets.cachefiles import Draft, read_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.testsets.entries import Source


class Checksum(NamedTuple):
    """What the bytes of a download hash to."""

    kind: str  # sha256 or md5
    digits: str  # hexadecimal, lower case
    record: str = ""  # the file that it was read from, if any


# The number of hexadecimal digits of each kind
DIGITS = {"sha256": 64, "md5": 32}


def parse_checksum(kind: str, digits: str) -> Checksum:
    """Check a kind and digits, and return them as a checksum.

    Raises:
        BleuError: it is not a checksum.

    >>> parse_checksum("md5", "D41D8CD98F00B204E9800998ECF8427E").digits
    'd41d8cd98f00b204e9800998ecf8427e'
    """
    if kind not in DIGITS:
        raise BleuError(f"unknown kind of checksum {kind!r}; expected sha256 or md5")
    if not is_sum(kind, digits):
        raise BleuError(
            f"{digits!r} is not a valid {kind}; expected {DIGITS[kind]} hexadecimal digits, as {kind}sum prints them"
        )
    return Checksum(kind, digits.lower())


def is_sum(kind: str, digits: str) -> bool:
    """Return whether a text can be a checksum of a kind, by its number of hexadecimal digits.

    >>> is_sum("md5", "D41D8CD98F00B204E9800998ECF8427E"), is_sum("md5", "D41D")
    (True, False)
    """
    return len(digits) == DIGITS[kind] and set(digits) <= set("0123456789abcdefABCDEF")


def find_published(source: Source) -> Checksum | None:
    """Return the strongest checksum that a test set gives for one of its downloads; None if it gives none."""
    if source.sha256:
        return parse_checksum("sha256", source.sha256)
    return parse_checksum("md5", source.md5) if source.md5 else None


def record_of(path: str) -> str:
    """Return where the checksum of a download is recorded."""
    return f"{path}.sha256"


def read_record(path: str) -> Checksum | None:
    """Return the checksum that was recorded for a download; None if none was.

    Raises:
        BleuError: the record cannot be read. If it were ignored, any download would be accepted.
    """
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


def write_record(path: str, digits: str = "") -> None:
    """Record the SHA-256 of a download, completely or not at all. The caller holds the lock of the download.

    Args:
        path: the path of the download.
        digits: its SHA-256, if it is already known.
    """
    with Draft(record_of(path)) as record:
        record.file.write(f"{digits or digest(path, 'sha256')}  {os.path.basename(path)}\n".encode())
        record.keep()


def digest(path: str, kind: str) -> str:
    """Return the checksum of a file in hexadecimal digits."""
    import hashlib

    with open(path, "rb") as file:
        # With usedforsecurity=False, md5 works even where a policy (FIPS) forbids it for security
        return hashlib.file_digest(file, lambda: hashlib.new(kind, usedforsecurity=False)).hexdigest()


def find_fault(path: str, checksum: Checksum | None) -> str:
    """Return what is wrong with a file, as the rest of a sentence that begins with its name; "" if nothing is wrong.

    Raises:
        BleuError: it is there but cannot be read.
    """
    if not os.path.isfile(path):
        return "is missing"
    if checksum is None:
        return ""
    try:
        found = digest(path, checksum.kind)
    except OSError as error:
        raise BleuError(f"{path} cannot be read ({error.strerror}); allow reading it, or delete it") from None
    return "" if found == checksum.digits else f"has the {checksum.kind} {found}, expected {checksum.digits}"
