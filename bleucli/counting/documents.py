"""Documents as texts: the segments of a document, joined by spaces, are scored as one.

- `join`: a corpus of documents, made from one of segments
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bleucli.counting.corpus import Corpus, Source
from bleucli.errors import BleuError, UsageError
from bleucli.phrases import tell_count, tell_place
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    Labels = Mapping[str, Sequence[str]]


def join(corpus: Corpus, labels: Labels) -> tuple[Corpus, dict[str, list[str]]]:
    """Return a corpus with one text for each document (Liu et al. 2020), and the labels of the documents.

    A reference that is missing for one segment of a document is missing for the whole document.

    Args:
        corpus: the segments, those of a document one after the other.
        labels: the labels of the segments, by column; `doc` names the document of each. Other columns remain if each
            document has one label.

    Raises:
        UsageError: there are no documents.
        BleuError: the segments of a document do not follow one another, or there are more or fewer labels; the latter
            only when the corpus is read.

    >>> from bleucli.counting.corpus import of_strings
    >>> corpus = of_strings([("A", ["The cat", "sat.", "A dog."])], [["The cat", "sat.", "The dog."]])
    >>> documents, labels = join(corpus, {"doc": ["cats", "cats", "dogs"]})
    >>> [list(text) for piece in documents.pieces() for text in (*piece.hypotheses, *piece.references)], labels
    ([['The cat sat.', 'A dog.'], ['The cat sat.', 'The dog.']], {'doc': ['cats', 'dogs']})
    """
    if "doc" not in labels:
        raise UsageError("level doc scores whole documents; name the document of each segment: labels={'doc': [...]}")
    names = labels["doc"]
    starts = [index for index, name in enumerate(names) if not index or name != names[index - 1]]
    first: dict[str, int] = {}
    for start in starts:
        if names[start] in first:
            raise BleuError(
                f"document {names[start]} goes on at ",
                tell_place("segment", start),
                " after another one; put the segments of each document one after the other",
            )
        first[names[start]] = start
    counts = [end - start for start, end in zip(starts, [*starts[1:], len(names)], strict=True)]

    def joined(source: Source) -> Source:
        return source._replace(blocks=_join_blocks(source, counts, len(names)))

    columns = {
        name: [column[start] for start in starts]
        for name, column in labels.items()
        if all(len({*column[start : start + count]}) == 1 for start, count in zip(starts, counts, strict=True))
    }
    systems, references = list(map(joined, corpus.systems)), list(map(joined, corpus.references))
    return corpus._replace(systems=systems, references=references), columns


def _join_blocks(source: Source, counts: Sequence[int], segments: int) -> Iterator[list[Segments]]:
    """Give the documents of a source; counts: the number of segments of each."""
    waiting: list[list[str | None]] = []
    place = total = 0
    for block in source.blocks:
        total += len(block[0])
        columns = [list(column) for column in block]
        held = len(waiting[0]) if waiting else 0
        while len(waiting) < len(columns):  # the number of references may differ from block to block
            waiting.append([None] * held)
        while len(columns) < len(waiting):
            columns.append([None] * len(block[0]))
        waiting = [before + column for before, column in zip(waiting, columns, strict=True)]
        documents: list[list[str | None]] = [[] for _ in waiting]
        start = 0
        while place < len(counts) and start + counts[place] <= len(waiting[0]):
            end = start + counts[place]
            for document, column in zip(documents, waiting, strict=True):
                texts = [text for text in column[start:end] if text is not None]
                document.append(" ".join(texts) if len(texts) == end - start else None)
            start, place = end, place + 1
        waiting = [column[start:] for column in waiting]
        if documents[0]:
            yield [Segments.from_strings(document) for document in documents]
    if total != segments:
        raise BleuError(
            f"{source.label} has {tell_count(total, 'segment')} for {tell_count(segments, 'label')} of documents; give"
            " each segment one"
        )
