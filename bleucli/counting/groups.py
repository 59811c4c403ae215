"""Segments that share labels: groups, whose statistics are added up, and documents, which are scored as one text.

- `Grouping`: collects statistics by group, such as a domain
- `join_documents`: gives the documents of a corpus, each the texts of its segments, joined by spaces (Liu et al. 2020)
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from bleucli.counting import CorpusStats, Part, SystemStats, add_systems
from bleucli.counting.corpus import Corpus, Piece
from bleucli.errors import BleuError
from bleucli.kernels.stats import SegmentStats
from bleucli.phrases import tell_place
from bleucli.records import NamedTuple
from bleucli.text import DOCUMENT, Segments, labels
from bleucli.text.labels import Labels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Grouping:
    """Collects statistics by group, block by block, and makes a `bleucli.counting.Part` of each group.

    by: the columns whose labels the segments of a group share; none for a single group. unit: the column of the
    documents that are resampled as a whole; "segment" for none. chosen: the indexes of the segments to group; None for
    all. segments: how many were added.

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


# --- documents


class _Document(NamedTuple):
    """A document: its name, the index after its last segment, the texts of its segments by column, and its labels."""

    name: str
    end: int
    hypotheses: list[list[str | None]]
    references: list[list[str | None]]
    labels: list[list[Any]]


def join_documents(corpus: Corpus) -> Iterator[Piece]:
    """Give one text for each document of a corpus of segments; memory holds a block and a document.

    The segments of a document follow one another, and have its name as the label `doc`. A reference that is missing for
    one segment is missing for the whole document. A label of a document is that of its segments, None where these
    differ.

    >>> from bleucli.counting.corpus import Source, of_strings
    >>> blocks = iter([[Segments.from_strings(["cats", "cats", "dogs"])]])
    >>> corpus = of_strings([("A", ["The cat", "sat.", "A dog."])], [["The cat", "sat.", "The dog."]])
    >>> systems = [*corpus.systems, Source("labels", [], blocks, labels=["doc"])]
    >>> corpus = corpus._replace(systems=systems, labels=Labels(["doc"]))
    >>> [list(text) for piece in join_documents(corpus) for text in (*piece.hypotheses, *piece.references)]
    [['The cat sat.'], ['The cat sat.'], ['A dog.'], ['The dog.']]
    """
    of_segments = Labels(corpus.label_names())
    of_documents = Labels(of_segments.columns) if corpus.labels is None else corpus.labels
    names: set[str] = set()
    waiting: _Document | None = None
    number = begin = 0
    for piece in corpus._replace(labels=of_segments).pieces():
        columns = of_segments.take(len(piece.hypotheses[0]))
        documents = labels.find(columns, DOCUMENT)
        labels.check_documents(documents, piece.start)
        blocks = [list(map(list, texts)) for texts in (piece.hypotheses, piece.references, columns.values())]
        whole: list[_Document] = []
        start = 0
        for name, run in groupby(documents):
            end = start + len(list(run))
            place = tell_place("segment", piece.start + start)
            parts = [[column[start:end] for column in block] for block in blocks]
            if waiting is not None and waiting.name == name:
                waiting = _Document(name, piece.start + end, *map(_append, waiting[2:], parts))
            else:
                if name in names:
                    raise BleuError(
                        f"document {name} goes on at ",
                        place,
                        " after another one; put the segments of each document one after the other",
                    )
                names.add(name)
                whole += [] if waiting is None else [waiting]
                waiting = _Document(name, piece.start + end, *parts)
            start = end
        if whole:
            yield _piece(whole, number, begin, of_documents)
            number, begin = number + len(whole), whole[-1].end
    if waiting is not None:
        yield _piece([waiting], number, begin, of_documents)


def _append(before: list[list[Any]], after: list[list[Any]]) -> list[list[Any]]:
    """Return columns with more rows; the number of references may differ from block to block."""
    width = max(len(before), len(after))
    heights = [len(columns[0]) if columns else 0 for columns in (before, after)]
    wide = [
        columns + [[None] * height] * (width - len(columns))
        for columns, height in zip((before, after), heights, strict=True)
    ]
    return [one + other for one, other in zip(*wide, strict=True)]


def _piece(documents: Sequence[_Document], start: int, begin: int, of_documents: Labels) -> Piece:
    """Return documents as a piece, and add their labels; start, begin: how many documents and segments come before."""
    width = max(len(document.references) for document in documents)
    of_documents.add(
        [
            [column[0] if len({*column}) == 1 else None for column in columns]
            for columns in _columns("labels", documents)
        ]
    )
    return Piece(
        start,
        [Segments.from_strings([_text(texts) for texts in columns]) for columns in _columns("hypotheses", documents)],
        [
            Segments.from_strings([_text(one.references[n]) if n < len(one.references) else None for one in documents])
            for n in range(width)
        ],
        [begin, *(document.end for document in documents)],
    )


def _columns(field: str, documents: Sequence[_Document]) -> Iterator[Sequence[list[Any]]]:
    return zip(*(getattr(document, field) for document in documents), strict=True)


def _text(texts: Sequence[str | None]) -> str | None:
    """Return texts joined by spaces; None if one is missing.

    >>> _text(["The cat", "sat."]), _text(["The cat", None])
    ('The cat sat.', None)
    """
    present = [text for text in texts if text is not None]
    return " ".join(present) if len(present) == len(texts) else None
