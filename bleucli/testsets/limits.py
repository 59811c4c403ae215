"""How large a file of a test set may be: far larger than any known one, yet too small to fill memory or disk.

- `check_size`: the size of a file when unpacked
- `limit_chunks`: the same for chunks that come one after the other
"""

from __future__ import annotations

from collections.abc import Iterator

from bleucli.errors import BleuError

# Far more than any test set has: twenty million sentences of a hundred bytes in one file
MOST_FILE_BYTES = 1 << 31
MOST_BYTES = 1 << 33  # for a download, and for all members of an archive together
# Packing shrinks text to a tenth, or to a fiftieth if twenty systems say nearly the same; it shrinks a bomb to a
# thousandth
MOST_GROWTH = 250
GROWTH_FROM_BYTES = 1 << 26  # less does no harm, however well it is packed


def too_large(path: str, what: str) -> BleuError:
    """Return the error about a file that unpacks into more than any test set has."""
    return BleuError(f"{path} holds {what}, which no test set does; nothing was unpacked; check where it comes from")


def check_size(size: int, packed: int, path: str, most: int) -> int:
    """Return `size`, the number of unpacked bytes, if `packed` bytes can hold that much.

    Raises:
        BleuError: it cannot; the error names `path`.
    """
    if size > most:
        raise too_large(path, f"over {most} bytes")
    if size > max(GROWTH_FROM_BYTES, MOST_GROWTH * packed):
        raise too_large(path, f"over {MOST_GROWTH} times its own size")
    return size


def limit_chunks(chunks: Iterator[bytes], packed: int, path: str) -> Iterator[bytes]:
    """Give the chunks of a file that is packed into `packed` bytes, until they are too many: see `check_size`."""
    size = 0
    for chunk in chunks:
        size = check_size(size + len(chunk), packed, path, MOST_FILE_BYTES)
        yield chunk
