"""Plain text and tab-separated columns: a line a segment."""

from collections.abc import Iterator, Sequence

from bleucli.errors import BleuError
from bleucli.textfiles import TextFile


def lines_of(path: str) -> Iterator[str]:
    r"""Give the lines of a file, compressed or not, as they are; a line ends at `\n` alone.

    Raises:
        BleuError: it cannot be read, or is not in UTF-8.
    """
    for _, lines in TextFile(path, path, mark="text").lines():
        yield from lines


def texts(path: str) -> list[str]:
    """Return the segments of a file of plain text: its lines without trailing white space."""
    return [line.rstrip() for line in lines_of(path)]


def columns(path: str, numbers: Sequence[int]) -> list[list[str]]:
    """Return columns of a file of tab-separated values.

    Args:
        path: of the file.
        numbers: of the columns, from 0.

    Raises:
        BleuError: a line has no such column, or the file cannot be read.
    """
    found: list[list[str]] = [[] for _ in numbers]
    for place, line in enumerate(lines_of(path), 1):
        cells = line.split("\t")
        if len(cells) <= max(numbers):
            raise BleuError(
                f"{path}, line {place}: expected at least {max(numbers) + 1} tab-separated columns, found {len(cells)}"
            )
        for column, number in zip(found, numbers, strict=True):
            column.append(cells[number])
    return found
