"""What is known of each segment beside its text: its document, its domain, its language pair.

- `Labels`: columns of labels, aligned with the segments of a corpus
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from bleucli.errors import BleuError
from bleucli.phrases import suggest, tell_place


class Labels:
    """Columns of labels, one label per segment; they grow while segments are read.

    Args:
        names: the names of the columns, each once.

    Attributes:
        columns: by name, the labels of the segments read so far; None where a segment has none.

    >>> labels = Labels(["doc", "domain"])
    >>> labels.add([["a", "b"], ["news", "news"]])
    >>> labels.add([["a"], ["news"]])
    >>> len(labels), labels.columns["doc"]
    (3, ['a', 'b', 'a'])
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.columns: dict[str, list[str | None]] = {name: [] for name in names}

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def add(self, block: Sequence[Iterable[str | None]]) -> None:
        """Append the labels of the next segments, one column per name."""
        for column, labels in zip(self.columns.values(), block, strict=True):
            column.extend(labels)

    def check(self, names: Iterable[str]) -> None:
        """Refuse names of columns that do not exist.

        Raises:
            BleuError: there is no such column.
        """
        for name in names:
            if name not in self.columns:
                existing = ", ".join(self.columns) or "none"
                raise BleuError(f"there is no label {name!r}; expected one of {existing}{suggest(name, self.columns)}")

    def groups(self, names: Sequence[str], start: int = 0) -> dict[tuple[str | None, ...], list[int]]:
        """Return the segments of each group, in the order in which groups first occur.

        Args:
            names: the columns whose labels the segments of a group share.
            start: the first segment.

        Raises:
            BleuError: there is no such column.

        >>> labels = Labels(["doc", "domain"])
        >>> labels.add([["a", "b", "a"], ["news", "news", "news"]])
        >>> labels.groups(["doc"]), labels.groups(["doc", "domain"], start=2)
        ({('a',): [0, 2], ('b',): [1]}, {('a', 'news'): [2]})
        """
        self.check(names)
        groups: dict[tuple[str | None, ...], list[int]] = {}
        rows = zip(*(self.columns[name][start:] for name in names), strict=True)
        for segment, row in enumerate(rows, start):
            groups.setdefault(row, []).append(segment)
        return groups

    def numbers(self, name: str) -> array[int]:
        """Return, for each segment, the number of the label that it has in a column, counted as labels first occur.

        Raises:
            BleuError: there is no such column, or a segment has no label.

        >>> labels = Labels(["doc"])
        >>> labels.add([["a", "b", "a"]])
        >>> labels.numbers("doc")
        array('i', [0, 1, 0])
        """
        self.check([name])
        column = self.columns[name]
        if None in column:
            raise BleuError(
                tell_place("segment", column.index(None)), f" has no label {name!r}; give every segment one"
            )
        numbers = {label: number for number, label in enumerate(dict.fromkeys(column))}
        return array("i", [numbers[label] for label in column])
