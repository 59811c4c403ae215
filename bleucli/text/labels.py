"""What is known of each segment beside its text: its document, its domain, its language pair.

- `Labels`: columns of labels, which whoever reads the texts adds, and whoever counts them takes
- `find`: a column by its name; `check_documents`: refuses segments without a document
- `group`: the segments that share labels
- `number`: labels as numbers
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence

from bleucli.errors import BleuError, UsageError
from bleucli.phrases import suggest, tell_place
from bleucli.text import DOCUMENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Columns = Mapping[str, Sequence[Any]]
    Group = tuple[Any, ...]


# What others call the label `DOCUMENT`
DOCUMENT_NAMES = ("docid", "doc_id", "document", "document_id")


class Labels:
    """Columns of labels, one label per segment, in the order of the segments; None where a segment has none.

    They are added while texts are read, which may be some blocks ahead of what has been counted.

    Args:
        names: the names of the columns, each once.

    Attributes:
        columns: the labels that were added and not taken, by column.

    >>> labels = Labels(["doc", "domain"])
    >>> labels.add([["a", "b"], ["news", "news"]])
    >>> labels.take(1), labels.take(1)
    ({'doc': ['a'], 'domain': ['news']}, {'doc': ['b'], 'domain': ['news']})
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.columns: dict[str, list[Any]] = {name: [] for name in names}

    def add(self, block: Sequence[Iterable[Any]]) -> None:
        """Add the labels of the next segments, one column per name."""
        for column, labels in zip(self.columns.values(), block, strict=True):
            column.extend(labels)

    def take(self, count: int) -> dict[str, list[Any]]:
        """Return the labels of the next segments by column, and forget them."""
        labels = {name: column[:count] for name, column in self.columns.items()}
        for column in self.columns.values():
            del column[:count]
        return labels


def find(columns: Columns, name: str) -> Sequence[Any]:
    """Return a column of labels; `doc` also stands for other usual names of documents.

    >>> find({"docid": ["a", "b"]}, "doc")
    ['a', 'b']
    """
    for other in (name, *(DOCUMENT_NAMES if name == DOCUMENT else ())):
        if other in columns:
            return columns[other]
    names = list(columns)
    choices = f"there are {', '.join(names)}" if names else "there are none"
    raise UsageError(f"segments have no label {name!r}; {choices}{suggest(name, names)}")


def check_documents(documents: Sequence[Any], start: int = 0) -> None:
    """Refuse a segment without a document; start: the number of segments before these."""
    if None in documents:
        place = tell_place("segment", start + documents.index(None))
        raise BleuError(place, " has no document; give each segment the label of its document")


def group(columns: Columns, names: Sequence[str], count: int) -> dict[Group, list[int]]:
    """Return the indexes of the segments that share the labels of some columns, in order of first appearance.

    Args:
        columns: the labels.
        names: the columns; without any, all segments are one group.
        count: the number of segments.

    >>> group({"doc": ["a", "b", "a"], "domain": ["news"] * 3}, ["doc"], 3)
    {('a',): [0, 2], ('b',): [1]}
    """
    if not names:
        return {(): list(range(count))}
    groups: dict[Group, list[int]] = {}
    for index, labels in enumerate(zip(*(find(columns, name) for name in names), strict=True)):
        groups.setdefault(labels, []).append(index)
    return groups


def number(labels: Sequence[Any]) -> array[int]:
    """Return the number of each label, counted from 0 as labels first appear.

    >>> number(["b", "a", "b"])
    array('i', [0, 1, 0])
    """
    numbers = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    return array("i", [numbers[label] for label in labels])
