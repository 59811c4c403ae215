"""`Grouping`: statistics of groups of segments that share labels, such as a domain."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence

from bleucli.counting import CorpusStats, Part, SystemStats, add_systems
from bleucli.kernels.stats import SegmentStats
from bleucli.text import labels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Grouping:
    """Collects statistics by group, block by block, and makes a `bleucli.counting.Part` of each group.

    Args:
        by: the columns whose labels the segments of a group share; none for a single group.
        keep_rows: whether the groups keep the statistics of each segment.
        unit: the column of the documents that are resampled as a whole; "segment" for none.
        chosen: the indexes of the segments to group; None for all.

    Attributes:
        segments: how many segments were added.

    >>> from bleucli import BLEU
    >>> grouping = Grouping(["domain"], keep_rows=True, unit="doc")
    >>> stats = BLEU().corpus_stats(["one", "two", "three"], [["one", "two", "four"]], keep_rows=True)
    >>> labels = {"domain": ["news", "talk", "news"], "doc": ["a", "b", "a"]}
    >>> grouping.add([SystemStats("A", [stats], None)], labels)
    >>> [(part.labels, part.systems[0].stats[0].segments, list(part.documents)) for part in grouping.parts()]
    [([('domain', 'news')], 2, [0, 0]), ([('domain', 'talk')], 1, [0])]
    """

    def __init__(
        self, by: Sequence[str], keep_rows: bool, unit: str = "segment", chosen: Iterable[int] | None = None
    ) -> None:
        self._by = by
        self._keep_rows = keep_rows
        self._unit = unit
        self._chosen = None if chosen is None else frozenset(chosen)
        self._systems: dict[tuple[Any, ...], list[SystemStats]] = {}
        self._documents: dict[tuple[Any, ...], list[Any]] = {}
        self.segments = 0

    def add(self, block: Sequence[SystemStats], columns: Mapping[str, Sequence[Any]]) -> None:
        """Add the statistics of the next segments, with rows; columns: the labels of these segments."""
        count = block[0].stats[0].segments
        documents: Sequence[Any] = [] if self._unit == "segment" else labels.find(columns, self._unit)
        labels.check_documents(documents, self.segments)
        for values, members in labels.group(columns, self._by, count).items():
            indexes = members
            if self._chosen is not None:
                indexes = [index for index in members if self.segments + index in self._chosen]
                if not indexes:
                    continue
            systems = block
            if len(indexes) < count:
                systems = [_take(system, indexes) for system in block]
            if not self._keep_rows:
                systems = [system.without_rows() for system in systems]
            self._systems[values] = add_systems(self._systems.get(values, []), list(systems))
            if documents:
                self._documents.setdefault(values, []).extend(documents[index] for index in indexes)
        self.segments += count

    def parts(self) -> list[Part]:
        """Return the groups, in order of first appearance."""
        return [
            Part(
                list(zip(self._by, values, strict=True)),
                systems,
                labels.number(self._documents[values]) if values in self._documents else None,
            )
            for values, systems in self._systems.items()
        ]


def _take(system: SystemStats, indexes: Sequence[int]) -> SystemStats:
    """Return the statistics of some segments, without hints: these are made from all segments."""
    import numpy as np

    parts = []
    for stats in system.stats:
        assert stats.rows is not None
        assert stats.nrefs is not None
        rows = np.asarray(stats.rows)[indexes]
        nrefs = array("i", np.asarray(stats.nrefs)[indexes].tobytes())
        parts.append(CorpusStats.of_rows(stats.metric, SegmentStats.from_numpy(rows), nrefs))
    return SystemStats(system.name, parts, None)
