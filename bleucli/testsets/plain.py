"""Plain text and tab-separated columns: one line per segment."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from bleucli.errors import BleuError
from bleucli.phrases import tell_count
from bleucli.reading import TextFile
from bleucli.testsets.limits import limit_chunks


class CachedText(TextFile):
    """A text file of the cache: in UTF-8 and, when unpacked, no larger than a test set can be."""

    remedy = "delete the folder of its test set in the cache; it will be made again"

    def check_size(self) -> None:
        """Read the text once without keeping it: its lines may take many times its size in memory.

        Raises:
            BleuError: it is too large, or cannot be read.
        """
        for _ in self._chunks():
            pass

    def _chunks(self) -> Iterator[bytes]:
        chunks = super()._chunks()
        return limit_chunks(chunks, os.path.getsize(self._path), self.name) if self._path and self.is_file else chunks


def read_lines(path: str) -> Iterator[str]:
    r"""Give the unchanged lines of a file, compressed or not; only `\n` ends a line.

    Raises:
        BleuError: it cannot be read, is not valid UTF-8, or is larger than a test set can be.
    """
    CachedText(path, path).check_size()
    for _, lines in CachedText(path, path, mark="text").lines():
        yield from lines


def read_texts(path: str) -> list[str]:
    """Return the segments of a file of plain text: its lines without trailing white space."""
    return [line.rstrip() for line in read_lines(path)]


def read_columns(path: str, numbers: Sequence[int]) -> list[list[str]]:
    """Return columns of a file of tab-separated values.

    Args:
        path: the path of the file.
        numbers: the numbers of the columns, from 0.

    Raises:
        BleuError: a line lacks a column, or the file cannot be read.
    """
    found: list[list[str]] = [[] for _ in numbers]
    for place, line in enumerate(read_lines(path), 1):
        cells = line.split("\t")
        if len(cells) <= max(numbers):
            raise BleuError(
                f"{path}, line {place}: expected at least {tell_count(max(numbers) + 1, 'tab-separated column')}, found"
                f" {len(cells)}"
            )
        for column, number in zip(found, numbers, strict=True):
            column.append(cells[number])
    return found
