"""Systems, and how texts are counted, whatever they come from.

- `TextSource`: reads systems and references in step, all segments together or group by group
- `Counting`, `Counted`: how a source is to count, and what it counted
- `NameArguments`, `Systems`, made from `Entry`s: what its systems are called, and which of them are left out
- `signed`, `columns_of`, `documents_in`: what is known of the texts
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import chain

from bleucli.counting import Part, SystemStats, count, count_blocks
from bleucli.counting.corpus import Source
from bleucli.errors import BleuError, UsageError
from bleucli.output import FORMATS
from bleucli.phrases import tell_count
from bleucli.reading.jsonlines import JsonLines
from bleucli.records import NamedTuple
from bleucli.results import Unscored
from bleucli.text import DOCUMENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Protocol

    from bleucli.counting.corpus import Corpus, Piece
    from bleucli.counting.groups import Grouping
    from bleucli.counting.joining import Joining
    from bleucli.metrics import Metric
    from bleucli.reading import TextFile
    from bleucli.scoring import Selection
    from bleucli.text import Segments

    File = TextFile | JsonLines
    Progress = Callable[[str, int, int], None]

    class Keeper(Protocol):
        """Takes statistics while they are counted, to save or to show them."""

        def keep_rows(self, block: Sequence[SystemStats]) -> None:
            """Take the rows of the next segments of all systems."""

        def keep_sums(self, systems: Sequence[SystemStats], labels: Sequence[tuple[str, Any]]) -> None:
            """Add to the sums of a group."""

# --- what is known of the texts

# Columns whose values signatures name, each with its key in the signature
JOINED = "joined"  # as in `bleucli.scale`, which plain scoring does not import
SIGNED = {"testset": "test", "langpair": "lang", "partial": "partial", JOINED: "level"}


def signed(labels: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return what a signature says about a group of segments: keys, each with its value.

    >>> signed([("system", "KIT"), ("testset", "wmt17"), ("domain", "news")])
    [('test', 'wmt17'), ('domain', 'news')]
    """
    return [(SIGNED.get(column, column), value) for column, value in labels if column != "system"]


def columns_of(texts: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return what statistics files say about all segments together: columns, each with its value.

    >>> columns_of([("test", "wmt17"), ("lang", "en-de"), ("subset", "news")])
    {'testset': 'wmt17', 'langpair': 'en-de'}
    """
    values = dict(texts)
    return {column: values[key] for column, key in SIGNED.items() if key in values}


def documents_in(columns: Sequence[str], unit: str) -> str:
    """Return the column that names documents; "" if there is none and documents are not the unit."""
    from bleucli.text import DOCUMENT
    from bleucli.text.labels import DOCUMENT_NAMES

    name = next((name for name in (DOCUMENT, *DOCUMENT_NAMES) if name in columns), "")
    if unit == DOCUMENT and not name:
        choices = ", ".join(columns) or "none"
        raise UsageError(f"--unit doc needs a column {DOCUMENT} that names documents; there are {choices}")
    return name


# --- what is counted


class Counting(NamedTuple):
    """How systems are to be counted.

    metrics: at least one. jobs: the number of threads; None for all usable processors if there is enough text.
    keep_rows: whether what is returned has the statistics of each segment. progress: called with what is counted, how
    many are done, and how many there are (0: unknown). keeper: takes the statistics as well. grouped: whether groups
    are counted if they are asked for; otherwise, all segments are counted together.
    """

    metrics: Sequence[Metric]
    jobs: int | None
    keep_rows: bool
    progress: Progress
    keeper: Keeper | None = None
    grouped: bool = True


class Counted(NamedTuple):
    """What a source counted.

    parts: one for each group, or a single one without labels. grouped: whether groups were asked for. references: what
    the references are called, for hints. selection: the part that is scored; None for everything. hints: those about
    all groups together.
    """

    parts: Sequence[Part]
    grouped: bool = False
    references: Sequence[str] = ()
    selection: Selection | None = None
    hints: Sequence[str] = ()


def keep_groups(parts: Sequence[Part], keeper: Keeper | None) -> list[Part]:
    """Give a keeper the sums of groups, and return the groups with labels as texts."""
    if keeper is not None:
        for part in parts:
            keeper.keep_sums(part.systems, part.labels)
    return [part._replace(labels=[(c, "" if v is None else str(v)) for c, v in part.labels]) for part in parts]


# --- what systems are called


class NameArguments(NamedTuple):
    """How systems are called.

    names: those that are asked for, in order. by: whether files give their paths or their names; None for what the
    format shows. has_baseline: whether the first system is the baseline of a test.
    """

    names: Sequence[str] | None = None
    by: str | None = None
    has_baseline: bool = False


class Entry(NamedTuple):
    """What brings systems along: a file, or a column of a table.

    path: its name. columns: how many systems it has. names: what it calls them, if it does. is_jsonl: whether its
    systems are fields of JSON Lines, which other files may have as well.
    """

    path: str
    columns: int = 1
    names: Sequence[str] = ()
    is_jsonl: bool = False


class Systems:
    """The systems of one source.

    entries: returns what brings systems along. It is called only when names are needed, since the columns of standard
    input are known only after its first block has been read. has_baseline: whether the first system is the baseline of
    a test. failures: what is wrong with entries that are left out, by position.
    """

    unit = "system"  # what messages call one of them

    def __init__(self, arguments: NameArguments, entries: Callable[[], Sequence[Entry]]) -> None:
        self._entries = entries
        self._names, self._by, self.has_baseline = arguments
        self.failures: dict[int, BleuError] = {}

    def __len__(self) -> int:
        """Return the number of systems that were given."""
        return sum(entry.columns for entry in self._entries())

    def paths(self) -> list[str]:
        """Return for each system that was given the name of what brings it along."""
        return [entry.path for entry in self._entries() for _ in range(entry.columns)]

    def count_unscored(self) -> int:
        """Return how many systems are left out."""
        entries = self._entries()
        return sum(entries[place].columns for place in self.failures)

    def names(self, form: str | None = None) -> list[str]:
        """Return the names of the scored systems: those in a format, or else those in scores and hints."""
        return [name for name, place in self._placed(form) if place not in self.failures]

    def unscored(self, form: str | None) -> list[Unscored]:
        """Return the systems that are left out; form: as for `names`."""
        placed = [(name, self.failures.get(place)) for name, place in self._placed(form)]
        return [Unscored(name, error.in_command()) for name, error in placed if error is not None]

    def _placed(self, form: str | None) -> list[tuple[str, int]]:
        """Return the names of all systems, each with the position of its entry."""
        if form is None or self._names is not None or self._by is not None:
            names = self._unique_names()
        elif form in FORMATS and FORMATS[form].of_sacrebleu:
            names = self._labels(0 if self.has_baseline else 1)  # sacreBLEU 2.6.0: the first column is the baseline
        else:
            names = self._labels(1, by_file=True)
        places = [place for place, entry in enumerate(self._entries()) for _ in range(entry.columns)]
        return list(zip(names, places, strict=True))

    def _unique_names(self) -> list[str]:
        names, labels = self._labels(1), self._labels(0 if self.has_baseline else 1)
        if self._names is not None:
            from bleucli.results.naming import name_systems

            try:
                names = labels = name_systems(names, self._names)
            except UsageError as error:
                raise UsageError(f"--{error.in_command()}") from None
        elif self._by == "file":
            names = labels = self._labels(1, by_file=True)
        if self.has_baseline:
            from bleucli.results.naming import mark_baseline

            labels = mark_baseline(labels)
        # A file may have the same name as a column, standard input or the baseline
        repeated = find_repeated(names) or find_repeated(labels)
        if repeated:
            raise UsageError(
                f"two systems would be called {min(repeated)!r}; rename a file, or name systems with --names"
            )
        return names

    def _labels(self, first: int, by_file: bool = False) -> list[str]:
        """Return a label for each system: the path of its file, or its name or number if the file has several.

        first: the first number. by_file: whether paths lose folders and known endings; names and numbers stay as they
        are.
        """
        entries = self._entries()
        paths = [entry.path for entry in entries]
        several = sum(entry.is_jsonl for entry in entries) > 1
        of_columns: list[Sequence[str]] = []
        for entry in entries:
            columns = entry.names
            if not columns and entry.columns > 1:
                from bleucli.results.naming import name_column

                columns = list(map(name_column, range(first, first + entry.columns)))
            of_columns.append(columns)
        if by_file:
            from bleucli.results.naming import by_file as name_files

            paths = name_files(paths, list(chain.from_iterable(of_columns)))
        labels: list[str] = []
        for path, entry, columns in zip(paths, entries, of_columns, strict=True):
            prefix = f"{path}:" if several and entry.is_jsonl else ""
            labels += [f"{prefix}{column}" for column in columns] or [path]
        return labels


def find_repeated(names: Sequence[str]) -> list[str]:
    """Return the names that occur more than once."""
    if len({*names}) == len(names):  # nearly always
        return []
    from collections import Counter

    return [name for name, count in Counter(names).items() if count > 1]


# --- texts


class TextSource(ABC):
    """Systems and references as texts; subclasses say where these come from, and what is known of segments.

    by: the labels that the segments of a group share; none for one group. unit: the label of what is resampled as a
    whole, or "segment". remembers: whether texts that are counted are kept in a temporary file, for `read_again`.
    sources: a function that gives the source of every segment; None where there is no source.
    """

    remembers = False
    read_again: Callable[[], Corpus]

    finds_parts = False  # whether labels that are read with the texts say which part of them is scored

    def __init__(self, systems: Systems, by: Sequence[str], unit: str = "segment") -> None:
        self.systems = systems
        self.sources: Callable[[], Iterator[str]] | None = None
        self._by = by
        self._unit = unit
        # Unpacking files takes long, so what counts them compares the lengths of packed ones only if something is wrong
        self._defers_check = self._is_unchecked = False
        self._in_blocks = False  # whether labels are known only while blocks are counted
        self._joining: Joining | None = None

    @abstractmethod
    def _read(self) -> Corpus:
        """Return systems and references, which can be read once."""

    @abstractmethod
    def labels(self, start: int, count: int) -> Mapping[str, Sequence[Any]]:
        """Return what is known of some segments beside their texts: columns, with a label for each segment."""

    @property
    def selection(self) -> Selection | None:
        """The part of the corpus that is scored; None for everything."""
        return None

    def explain(self, error: BleuError) -> BleuError:
        """Return an error; one about numbers of segments, or about ids, says the likely cause if that can be told."""
        return error

    def corpus(self) -> Corpus:
        """Return systems and references, which can be read once."""
        corpus = self._read()
        if self.remembers:
            corpus, self.read_again = corpus.kept()
        return corpus

    def count(self, counting: Counting) -> Counted:
        """Count all systems, on all segments together or group by group; see `bleucli.cli.sources.Source.count`."""
        metrics, jobs, keep_rows, progress, keeper, is_grouped = counting
        by = self._by if is_grouped else ()
        self._defers_check = True
        try:
            corpus = self.corpus()
            references = corpus.reference_names()
            selection = None if self.finds_parts else self.selection
            grouping = None
            if self._in_blocks or (by and not self.finds_parts):
                grouping = self._group(by, keep_rows, selection)
            keeps = keeper is not None or grouping is not None
            systems = count(
                corpus,
                metrics,
                jobs=jobs,
                keep_rows=grouping is None and (keep_rows or self.finds_parts or selection is not None),
                inspect=True,
                progress=lambda done: progress("segments", done, 0),
                keep=(lambda block: self._keep(block, by, keeper, grouping)) if keeps else None,
            )
            self._note_partial()
            segments = systems[0].stats[0].segments
            selection = self.selection if self.finds_parts else selection
            if not by:
                part = Part((), systems) if grouping is None else grouping.parts()[0]
                part = part._replace(documents=self._documents(segments) if keep_rows or keeps else None)
                return Counted([part], references=references, selection=selection)
            if not self._in_blocks:
                refuse_empty(self.labels(0, segments), by)
            if grouping is None:  # the part is known only now
                grouping = self._group(by, keep_rows, selection)
                grouping.add(systems, self.labels(0, segments))
                systems, references = [system.without_rows() for system in systems], []
            from bleucli.scoring import score_counted

            hints = score_counted(systems, metrics, references=references).hints
            return Counted(keep_groups(grouping.parts(), keeper), grouped=True, hints=hints)
        except BleuError as error:
            raise self.explain(error) from None

    def _group(self, by: Sequence[str], keep_rows: bool, selection: Selection | None) -> Grouping:
        from bleucli.counting.groups import Grouping

        return Grouping(by, keep_rows, self._unit, selection and selection.indexes)

    def _keep(
        self, block: list[SystemStats], by: Sequence[str], keeper: Keeper | None, grouping: Grouping | None
    ) -> None:
        """Hand on what was counted of the next segments."""
        columns = self._labels_of_block(grouping.segments, block[0].stats[0].segments) if grouping is not None else {}
        if keeper is not None:
            keeper.keep_rows(block)
            if not by:  # groups have sums of their own, in the end
                keeper.keep_sums(block, ())
        if grouping is not None:
            grouping.add(block, columns)

    def blocks(
        self, metrics: Sequence[Metric], jobs: int | None, with_texts: bool
    ) -> Iterator[tuple[Piece | None, list[SystemStats]]]:
        """Give the statistics of all systems, with rows, block by block, and the texts, if these are wanted."""
        self._defers_check = True
        try:
            for piece, block in count_blocks(self.corpus(), metrics, jobs=jobs):
                yield piece if with_texts else None, block
            self._note_partial()
        except BleuError as error:
            raise self.explain(error) from None

    def _labels_of_block(self, start: int, count: int) -> Mapping[str, Sequence[Any]]:
        """Return the labels that make groups of some segments, which come next."""
        return self.labels(start, count)

    def _documents(self, count: int) -> Sequence[int] | None:
        """Return the number of each segment's document; None if documents are not known."""
        from bleucli.text import labels

        try:
            documents = labels.find(self.labels(0, count), DOCUMENT)
        except UsageError:
            documents = ()
        if documents and None not in documents:
            return labels.number(documents)
        if self._unit == "segment":
            return None
        labels.check_documents(documents)
        raise UsageError(
            "--unit doc resamples documents, but nothing says which document a segment belongs to; name a file with"
            " --labels that has a column doc"
        )

    def _note_partial(self) -> None:
        """Note how many items were left out because a file lacks them, and which have no reference."""
        if self._joining is None or not (self._joining.strangers or self._joining.scored < self._joining.items):
            return
        from bleucli.errors import Note
        from bleucli.results.hints import warn

        for sentence in self._joining.strangers:
            warn(f"{sentence}; left out", Note)
        if self._joining.scored == self._joining.items:
            return
        left = self._joining.items - self._joining.scored
        items = tell_count(self._joining.items, "item")
        warn(f"{left} of {items} left out, because a file lacks {'it' if left == 1 else 'them'}", Note)


def source_of(
    file: File,
    names: Sequence[str],
    blocks: Iterator[Sequence[Segments]],
    references: str = "",
    has_hypotheses: bool = True,
) -> Source:
    """Return a file as a source of texts; the arguments are as for `Source`."""
    ids, labels = (file.id_columns, file.labels) if isinstance(file, JsonLines) else (0, ())
    return Source(file.name, names, blocks, references, file.hurry, ids, labels, has_hypotheses)


def refuse_empty(labels: Mapping[str, Sequence[Any]], by: Sequence[str]) -> None:
    """Refuse groups by labels that no segment has."""
    for name in by:
        if name in labels and not any(label is not None for label in labels[name]):
            raise UsageError(f"no segment has a label {name!r}; name a field that items have, or add --labels FILE")
