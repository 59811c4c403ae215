"""Systems and references, aligned, in blocks.

- `Source`: where text comes from; `Corpus`: the sources of systems and of references
- `Corpus.pieces`: the same segments of all of them, block by block
- `Kept`: keeps what can be read only once, so that it can be read again
- `of_strings`: a corpus of Python's strings, their shapes checked
- `of_one`: a single segment as columns; `of_few`: a few segments; `check_columns`: refuses columns that cannot be
  compared
"""

from __future__ import annotations

import os
from _collections_abc import Iterable, Mapping  # see CONTRIBUTING.md

from bleucli import kernels
from bleucli.errors import BleuError, InputTypeError, ReferencesDifferError
from bleucli.limits import string
from bleucli.phrases import tell_count, tell_place
from bleucli.records import NamedTuple
from bleucli.text import Segments, align, blocks_of_strings, refuse_unordered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterator, Sequence
    from typing import IO, Any, Protocol

    from bleucli.text.labels import Labels

    class Joining(Protocol):
        """Joins items by their ids; `bleucli.counting.joining.Joining` says what each attribute is."""

        keeps_ids: bool

        def join(
            self, sources: Sequence[Source], first_reference: int, may_be_empty: bool
        ) -> Iterator[list[Sequence[Segments]]]: ...
        @property
        def lines(self) -> Mapping[str, Lines]: ...
        @property
        def ids(self) -> Sequence[Sequence[str]]: ...
        @property
        def partial(self) -> bool: ...
        @property
        def left_out(self) -> Sequence[tuple[str, ...]]: ...


class Lines(NamedTuple):
    """Where items that were joined come from.

    length: the number of lines of their file. places: the index of each item's line, for the items that were given.
    """

    length: int
    places: array[int]


class Source(NamedTuple):
    """Where text comes from.

    label: what errors call the source. names: the names of the systems or references in it, one per column. blocks: its
    text, one `Segments` per column. references: what to call the references that a source of systems brings along, ""
    if it brings none; their columns follow those of the systems, and their number may differ from block to block.
    hurry: called when only the length of the text is still wanted; the blocks may then raise `NotWaitedFor`. ids: how
    many columns of ids there are, one for each kind; they follow hypotheses and precede references. The ids of a block
    are lines of text in one buffer; an empty one is missing. labels: the names of columns of labels, which come next.
    has_hypotheses: whether the columns of `names` are hypotheses.
    """

    label: str
    names: Sequence[str]
    blocks: Iterator[Sequence[Segments]]
    references: str = ""
    hurry: Callable[[], None] | None = None
    ids: int = 0
    labels: Sequence[str] = ()
    has_hypotheses: bool = True

    def place(self) -> int:
        """Return the number of columns before those of ids and labels."""
        return len(self.names) if self.has_hypotheses else 0


class Piece(NamedTuple):
    """The same segments of all systems and references; start: the index of the first segment.

    bounds: for n texts that are documents, the index of the first segment of each, and that after the last one; none
    if texts are segments.
    """

    start: int
    hypotheses: Sequence[Segments]
    references: Sequence[Segments]
    bounds: Sequence[int] = ()


class Corpus(NamedTuple):
    """Systems and their references, which can be read once.

    systems: sources with at least one column in all. references: the same for references, or none if a source of
    systems brings them along. prepared: whether a metric has already prepared the references. may_be_empty: whether a
    corpus without segments is allowed. first: the index of the first segment, from which errors count. labels: takes
    labels of the segments while they are read; sources may have the same labels, but not different ones. joining:
    joins items by their ids; needed if a source has ids. documents: gives a corpus in other pieces, such as
    documents for segments (`bleucli.counting.groups.join_documents`).
    """

    systems: Sequence[Source]
    references: Sequence[Source]
    prepared: bool = False
    may_be_empty: bool = False
    first: int = 0
    labels: Labels | None = None
    joining: Joining | None = None
    documents: Callable[[Corpus], Iterator[Piece]] | None = None

    def system_names(self) -> list[str]:
        """Return the names of all systems."""
        return [name for source in self.systems for name in source.names]

    def reference_names(self) -> list[str]:
        """Return the names of all references; those that systems bring along come last."""
        own = [source.references for source in self.systems if source.references]
        return [*(name for source in self.references for name in source.names), *own]

    def pieces(self) -> Iterator[Piece]:
        """Read all sources in step."""
        if self.documents is not None:
            yield from self.documents(self._replace(documents=None))
            return
        start = self.first
        sources = [*self.systems, *self.references]
        pieces = in_step(sources, self.may_be_empty)
        has_labels = any(source.labels for source in sources)
        if self.joining is not None:
            pieces = self.joining.join(sources, len(self.systems), self.may_be_empty)
        for texts in pieces:
            columns = self._take_labels(texts, start) if has_labels else texts
            blocks = list(zip(self.systems, columns, strict=False))  # the columns of the references come last
            hypotheses = [column for source, block in blocks for column in block[: len(source.names)]]
            own = [(source.label, block[len(source.names) :]) for source, block in blocks if source.references]
            shared = [column for block in columns[len(self.systems) :] for column in block]
            yield Piece(start, hypotheses, [*shared, *_own_references(own, start)])
            start += len(columns[0][0])

    def label_names(self) -> list[str]:
        """Return the names of the labels that sources have."""
        return list(dict.fromkeys(name for source in (*self.systems, *self.references) for name in source.labels))

    def _take_labels(self, blocks: list[Sequence[Segments]], start: int) -> list[Sequence[Segments]]:
        """Move the labels of a block, that of each source, to where they are collected; return the other columns."""
        columns: dict[str, list[str | None]] = {name: [None] * len(blocks[0][0]) for name in self.label_names()}
        owners: dict[str, str] = {}
        texts: list[Sequence[Segments]] = []
        for source, block in zip((*self.systems, *self.references), blocks, strict=True):
            place = source.place()
            for name, column in zip(source.labels, block[place:], strict=False):
                labels = columns[name]
                for row, label in enumerate(column):
                    if label and labels[row] not in (None, label):
                        raise BleuError(
                            tell_place("segment", start + row),
                            f" has the {name} {labels[row]!r} in {owners[name]}, but {label!r} in {source.label}; give"
                            " each segment the same labels in all files, in the order of the references",
                        )
                    labels[row] = labels[row] or label or None
                owners.setdefault(name, source.label)
            texts.append([*block[:place], *block[place + len(source.labels) :]])
        if self.labels is not None:
            self.labels.add([columns[name] for name in self.labels.columns])
        return texts

    def kept(self) -> tuple[Corpus, Callable[[], Corpus]]:
        """Return the corpus for a first reading, and a function that returns it for each later one.

        The first reading writes the corpus to temporary files; later readings read these files.
        """
        sources = [*self.systems, *self.references]
        stores = [Kept(source.blocks) for source in sources]

        def read(blocks: list[Iterator[Sequence[Segments]]]) -> Corpus:
            copies = [source._replace(blocks=one) for source, one in zip(sources, blocks, strict=True)]
            return self._replace(systems=copies[: len(self.systems)], references=copies[len(self.systems) :])

        # Labels are collected once
        again = lambda: read([one.read_again() for one in stores])._replace(labels=None)  # noqa: E731
        return read([one.read() for one in stores]), again


class Kept:
    """The blocks of a source, kept in a temporary file to be read again; the file lives as long as this object."""

    def __init__(self, blocks: Iterator[Sequence[Segments]]) -> None:
        self._blocks = blocks
        self._file: IO[bytes] | None = None

    def read(self) -> Iterator[Sequence[Segments]]:
        """Give the blocks, and write each to the temporary file."""
        import pickle
        from tempfile import TemporaryFile

        from bleucli.text.wholefiles import Aside

        for block in self._blocks:
            with Aside():
                self._file = self._file or TemporaryFile()  # noqa: SIM115 # `__del__` closes it
                pickle.dump(list(block), self._file, pickle.HIGHEST_PROTOCOL)
            yield block

    def read_again(self) -> Iterator[Sequence[Segments]]:
        """Give the same blocks again, as often as needed; call it only after `read` has given all of them."""
        import pickle

        if self._file is None:  # there were none
            return
        end = self._file.seek(0, os.SEEK_END)
        self._file.seek(0)
        while self._file.tell() < end:
            yield pickle.load(self._file)  # noqa: S301 # we wrote it ourselves

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()


def in_step(sources: Sequence[Source], may_be_empty: bool = False) -> Iterator[list[Sequence[Segments]]]:
    """Walk through the blocks of sources as `align` does."""

    def hurry() -> None:
        for source in sources:
            if source.hurry is not None:
                source.hurry()

    return align([source.blocks for source in sources], [source.label for source in sources], hurry, may_be_empty)


# --- references that systems bring along


def _own_references(own: Sequence[tuple[str, Sequence[Segments]]], start: int) -> Sequence[Segments]:
    """Return the references that systems bring along: those of the first. The others have the same, or none.

    own: for each source, its label and its references. start: the index of the first segment, for errors.
    """
    if not own:
        return []
    (first, references), *rest = own
    for label, columns in rest:
        line = _first_difference(references, columns)
        if line is not None:
            raise ReferencesDifferError(
                f"{label}, line {start + line + 1}: the references differ from those in {first}; give the same"
                f" references in every file, or only in {first}"
            )
    return references


def _first_difference(references: Sequence[Segments], other_references: Sequence[Segments]) -> int | None:
    """Return the index of the first segment whose references in `other_references`, if it has any, differ."""
    width = max(len(references), len(other_references))
    ours, theirs = _texts(references, width), _texts(other_references, width)
    if ours == theirs:
        return None
    rows = zip(zip(*ours, strict=True), zip(*theirs, strict=True), strict=True)
    for number, (one, other) in enumerate(rows):
        if one != other and any(text is not None for text in other):
            return number
    return None


def _texts(columns: Sequence[Segments], width: int) -> list[list[bytes | memoryview | None]]:
    """Return the texts of columns, followed by columns of missing texts, `width` columns in all."""
    texts: list[list[bytes | memoryview | None]] = []
    for column in columns:
        starts, ends = column.pairs[::2], column.pairs[1::2]
        texts.append([column.data[a:b] if a >= 0 else None for a, b in zip(starts, ends, strict=True)])
    return texts + [[None] * len(columns[0])] * (width - len(columns))


# --- Python's strings

HYPOTHESES = "hypotheses"
_LISTS = (list, tuple)


def of_strings(
    systems: Iterable[tuple[str, Iterable[str | None]]], references: Iterable[Iterable[str | None]]
) -> Corpus:
    """Return a corpus of strings: pairs of a system's name and n strings, and streams, each of n strings or None.

    >>> corpus = of_strings([("a", ["one", "two"]), ("b", ["1", "2"])], [["eins", "zwei"]])
    >>> corpus.system_names(), [[list(text) for text in piece.hypotheses] for piece in corpus.pieces()]
    (['a', 'b'], [[['one', 'two'], ['1', '2']]])
    """
    pairs = list(systems)
    streams = check_shape(pairs[0][1], references)
    return Corpus([system_of(texts, name) for name, texts in pairs], references_of(streams))


def check_systems(systems: object) -> Mapping[str, Iterable[str | None]]:
    """Return the texts of systems by name; refuse what does not map names to texts."""
    if not isinstance(systems, Mapping) or not all(isinstance(name, str) and name for name in systems):
        raise InputTypeError('systems: expected lists of strings by name; write {"name": [...], ...}')
    if not systems:
        raise BleuError('no system was given; write {"name": [...], ...}')
    return systems


def system_of(texts: Iterable[str | None], name: str = "") -> Source:
    """Return strings as the source of one system."""
    label = f"system {name}" if name else HYPOTHESES
    return Source(label, [name or HYPOTHESES], _columns(texts, "hypothesis", refuse_missing))


def references_of(streams: Sequence[Iterable[str | None]]) -> list[Source]:
    """Return streams of strings as sources of references."""
    return [
        Source(label, [f"references[{n}]"], _columns(stream, label))
        for n, (label, stream) in enumerate(zip(_labels(len(streams)), streams, strict=True))
    ]


def _labels(count: int) -> list[str]:
    """Return what errors call streams of references; count: how many there are."""
    return [f"references[{n}]" for n in range(count)] if count > 1 else ["references"] * count


def _columns(
    texts: Iterable[str | None], what: str, check: Callable[[Segments, int], None] | None = None
) -> Iterator[list[Segments]]:
    start = 0
    for block in blocks_of_strings(texts, what):
        if check is not None:
            check(block, start)
        yield [block]
        start += len(block)


def refuse_missing(hypotheses: Segments, start: int, what: str = "hypothesis") -> None:
    """Refuse a block of hypotheses in which one is missing; start: the index of its first segment."""
    _, _, missing = kernels.reference_counts([hypotheses])
    if missing >= 0:
        raise InputTypeError(tell_place(what, start + missing), " is None; give a string, an empty one for no output")


def check_shape(hypotheses: object, references: object) -> Sequence[Iterable[str | None]]:
    """Return the reference streams as a list; refuse what cannot be streams of references.

    >>> check_shape(["a", "b", "c"], [["a", "x"], ["b", "y"], ["c", "z"]])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    bleucli.errors.InputTypeError: references: 3 lists of 2 strings for 3 hypotheses: ...
    """
    if isinstance(references, str | bytes) or not isinstance(references, Iterable):
        raise InputTypeError("references: expected a list of streams, each a list of strings; write [references]")
    refuse_unordered(references, "references")
    streams = list(references)
    if not streams:
        raise BleuError("no references were given; expected a list of streams, each a list of strings")
    if any(isinstance(stream, str | bytes) for stream in streams):
        raise InputTypeError(
            "references: expected a list of streams, each a list of strings, not a list of strings; write [references]"
        )
    _refuse_transposed(hypotheses, streams)
    return streams


def _refuse_transposed(hypotheses: object, streams: list[object]) -> None:
    if isinstance(hypotheses, str | bytes):  # its length is a number of characters; reading it reports the error
        return
    try:
        n, *lengths = map(len, (hypotheses, *streams))  # type: ignore[arg-type]
    except TypeError:  # an iterator has no length
        return
    k = lengths[0]
    if len(streams) == n and set(lengths) == {k} and k != n:  # n lists of n strings are valid streams
        raise InputTypeError(
            f"references: {_lists(n, k)} for {tell_count(n, 'hypothesis', 'hypotheses')}: that is one list per segment,"
            f" but streams are expected, here {_lists(k, n)}; write list(zip(*references))"
        )


def _lists(count: int, length: int) -> str:
    return f"{tell_count(count, 'list')} of {tell_count(length, 'string')}"


def of_one(hypothesis: str, references: Iterable[str | None]) -> tuple[Segments, list[Segments]]:
    """Return a single segment as columns of one text each."""
    texts: Sequence[str | None]
    if isinstance(references, _LISTS):
        texts = references
    else:
        if isinstance(references, str | bytes) or not isinstance(references, Iterable):
            raise InputTypeError("references: expected a list of strings; write [reference]")
        refuse_unordered(references, "references")
        texts = [text for block in blocks_of_strings(references, "reference") for text in block]
    if not texts:
        raise BleuError("no references were given; expected at least one")
    if len(texts) == 1:
        streams = [Segments.from_strings(texts, "reference")]
    else:
        streams = [Segments.from_strings((text,), "reference", number) for number, text in enumerate(texts)]
    return Segments.from_strings((string("hypothesis", hypothesis),), "hypothesis"), streams


# The most segments that count as few
_FEW = 100


def of_few(systems: Sequence[object], references: object) -> tuple[list[Segments], list[Segments]] | None:
    """Return a few segments, in lists of equal length, as columns; None for anything else, which `of_strings` takes.

    Sentences are often scored one by one, and to count one takes less time than to make a corpus of it. references:
    None for none.

    >>> of_few([["a"]], [["b"], ["c"]]), of_few([["a", "b"]], [["c"]])
    (([<Segments: 1 text>], [<Segments: 1 text>, <Segments: 1 text>]), None)
    """
    if references is not None and (type(references) not in _LISTS or not references):
        return None
    lists: list[Any] = [*systems, *(references or ())]  # type: ignore[misc]
    segments = len(lists[0]) if type(lists[0]) in _LISTS else 0
    if not 0 < segments <= _FEW:
        return None
    for texts in lists:
        if type(texts) not in _LISTS or len(texts) != segments:
            return None
    hypotheses = []
    for system in lists[: len(systems)]:
        hypotheses.append(Segments.from_strings(system, "hypothesis"))
        if None in system:
            refuse_missing(hypotheses[-1], 0)
    streams = lists[len(systems) :]
    if len(streams) == 1:
        return hypotheses, [Segments.from_strings(streams[0], "references")]
    labels = _labels(len(streams))
    return hypotheses, [Segments.from_strings(texts, label) for label, texts in zip(labels, streams, strict=True)]


def check_columns(hypotheses: Segments, references: Sequence[Segments]) -> None:
    """Refuse columns that cannot be compared."""
    streams = [references] if isinstance(references, Segments) or not isinstance(references, Iterable) else references
    columns = [hypotheses, *streams]
    if streams is not references or not all(isinstance(column, Segments) for column in columns):
        raise InputTypeError(
            "segment_stats takes bleucli.Segments, and a list of them as references; write Segments.from_strings(texts)"
            " for each list of strings"
        )
    if not streams:
        raise BleuError("no references were given; expected at least one stream")
    if len(set(map(len, columns))) > 1:  # align says which one is too short
        names = ["hypotheses", *(source.label for source in references_of([()] * len(streams)))]
        list(align([iter([[column]]) for column in columns], names))
    refuse_missing(hypotheses, 0)
