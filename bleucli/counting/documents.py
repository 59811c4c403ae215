"""Documents as texts: the segments of a document, joined by spaces, are scored as one (Liu et al. 2020).

- `join`: gives the documents of a corpus of segments
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from bleucli.counting.corpus import Corpus, Piece
from bleucli.errors import BleuError
from bleucli.phrases import tell_place
from bleucli.records import NamedTuple
from bleucli.text import DOCUMENT, Segments
from bleucli.text import labels as segment_labels
from bleucli.text.labels import Labels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Document(NamedTuple):
    """A document: its name, the index after its last segment, the texts of its segments by column, and its labels."""

    name: str
    end: int
    hypotheses: list[list[str | None]]
    references: list[list[str | None]]
    labels: list[list[Any]]


def join(corpus: Corpus) -> Iterator[Piece]:
    """Give one text for each document of a corpus of segments; memory holds a block and a document.

    A reference that is missing for one segment of a document is missing for the whole document. A label of a document
    is that of its segments, None where these differ.

    Args:
        corpus: the segments, those of a document one after the other; the label `doc` names the document of each.

    Raises:
        UsageError: there is no label `doc`.
        BleuError: a segment has no document, or the segments of a document do not follow one another.

    >>> from bleucli.counting.corpus import Source, of_strings
    >>> blocks = iter([[Segments.from_strings(["cats", "cats", "dogs"])]])
    >>> corpus = of_strings([("A", ["The cat", "sat.", "A dog."])], [["The cat", "sat.", "The dog."]])
    >>> systems = [*corpus.systems, Source("labels", [], blocks, labels=["doc"])]
    >>> corpus = corpus._replace(systems=systems, labels=Labels(["doc"]))
    >>> [list(text) for piece in join(corpus) for text in (*piece.hypotheses, *piece.references)]
    [['The cat sat.'], ['The cat sat.'], ['A dog.'], ['The dog.']]
    """
    labels = Labels(corpus.label_names())
    of_documents = Labels(labels.columns) if corpus.labels is None else corpus.labels
    return _join(corpus._replace(labels=labels).pieces(), labels, of_documents)


def _join(pieces: Iterator[Piece], labels: Labels, of_documents: Labels) -> Iterator[Piece]:
    """Give the documents; labels: those of segments, taken away; of_documents: gets those of documents."""
    names: set[str] = set()
    waiting: _Document | None = None
    number = begin = 0
    for piece in pieces:
        columns = labels.take(len(piece.hypotheses[0]))
        documents = segment_labels.find(columns, DOCUMENT)
        segment_labels.check_documents(documents, piece.start)
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


def _piece(documents: Sequence[_Document], start: int, begin: int, labels: Labels) -> Piece:
    """Return documents as a piece, and add their labels; start, begin: how many documents and segments come before."""
    width = max(len(document.references) for document in documents)
    labels.add(
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
    """Give what documents have in a field, column by column."""
    return zip(*(getattr(document, field) for document in documents), strict=True)


def _text(texts: Sequence[str | None]) -> str | None:
    """Return texts joined by spaces; None if one is missing.

    >>> _text(["The cat", "sat."]), _text(["The cat", None])
    ('The cat sat.', None)
    """
    present = [text for text in texts if text is not None]
    return " ".join(present) if len(present) == len(texts) else None
