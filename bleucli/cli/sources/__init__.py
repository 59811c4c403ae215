"""Where what is scored comes from: text files, test sets, tables, statistics files, engines.

Each source answers four questions: what its systems are called, what they counted, where they came from, and what is
wrong with them. Everything after counting is the same for all sources.

- `Source`: what each source provides; `Rows`, `Texts`: what some provide beside that
- `Counted`: what a source counted
- `Systems`, made from `Entry`s: what its systems are called, and which of them are left out

`bleucli.cli.pipeline` opens the one that the options name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

from bleucli.cli.streams import shown
from bleucli.counting import Part, SystemStats
from bleucli.errors import BleuError, UsageError
from bleucli.output import FORMATS
from bleucli.records import NamedTuple
from bleucli.results import Unscored, name_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from bleucli.cli.options import Options
    from bleucli.counting.corpus import Corpus
    from bleucli.metrics import Metric
    from bleucli.results import Input
    from bleucli.scale.layout import Shard
    from bleucli.scoring import Selection

    Progress = Callable[[str, int, int], None]

    class Keeper(Protocol):
        """Takes statistics while they are counted, to save or to show them."""

        def keep_rows(self, block: Sequence[SystemStats]) -> None:
            """Take the rows of the next segments of all systems."""

        def keep_sums(self, systems: Sequence[SystemStats], labels: Sequence[tuple[str, Any]]) -> None:
            """Add to the sums of a group."""

    class Source(Protocol):
        """Where what is scored comes from."""

        systems: Systems

        def count(
            self,
            metrics: Sequence[Metric],
            jobs: int | None,
            keep_rows: bool,
            progress: Progress,
            keeper: Keeper | None = None,
        ) -> Counted:
            """Count all systems by metrics.

            Args:
                metrics: at least one.
                jobs: the number of threads; None for all usable processors if there is enough text.
                keep_rows: whether what is returned has the statistics of each segment.
                progress: called with what is counted, how many are done, and how many there are (0: unknown).
                keeper: takes the statistics as well.

            Raises:
                BleuError: something is wrong with what is counted.
            """

        def texts(self) -> Mapping[str, str]:
            """Return what signatures say about the texts, by key."""

        def columns(self) -> list[tuple[str, str]]:
            """Return what statistics files say about all segments together: columns, each with its value."""

        def inputs(self) -> tuple[Mapping[str, Input], list[Input]]:
            """Return what was read of each system, by its name in scores, and what else was read."""

        def shards(self, first: int, rows: int) -> list[Shard]:
            """Return what statistics files say about where rows come from, once everything has been read.

            first: the index of the first segment in the whole. rows: how many there are.
            """

        def hints(self) -> list[str]:
            """Return the hints about what was read, once that is done."""

        def overview(self, segments: int) -> str:
            """Return a line that says what was read; segments: how many were scored."""

    class Rows(Source, Protocol):
        """A source that has the statistics of each segment."""

        def blocks(self, metric: Metric, jobs: int | None) -> Iterator[list[SystemStats]]:
            """Give the statistics of the only system, with rows, block by block."""

        def selection(self) -> Selection | None:
            """Return the part of the corpus that is scored; None for everything."""

    class Texts(Rows, Protocol):
        """A source whose texts can be read: files, test sets and tables.

        remembers: whether texts that are counted are kept in a temporary file, for `read_again`.
        """

        remembers: bool
        read_again: Callable[[], Corpus]

        def corpus(self) -> Corpus:
            """Return systems and references, which can be read once."""

        def labels(self, start: int, count: int) -> Mapping[str, Sequence[object] | str]:
            """Return what is known of some segments beside their texts, by column."""

        def sources(self) -> Callable[[], Iterator[str]] | None:
            """Return a function that gives the source of every segment; None where there is no source."""


class Counted(NamedTuple):
    """What a source counted.

    parts: one for each group, or a single one without labels. grouped: whether groups were asked for. references: what
    the references are called, for hints. selection: the part that is scored; None for everything. hints: those about
    all groups together. are_numbers: whether these are segment scores from elsewhere, which nobody counted.
    """

    parts: Sequence[Part]
    grouped: bool = False
    references: Sequence[str] = ()
    selection: Selection | None = None
    hints: Sequence[str] = ()
    are_numbers: bool = False

    def row_names(self, names: Mapping[str, str]) -> list[str]:
        """Return the names of the answer's rows; names: those of systems, by their names in scores."""
        return [name_row(names[system.name], part.labels) for part in self.parts for system in part.systems]


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

    Args:
        options: the options of the command, which may name the systems.
        entries: returns what brings systems along. It is called only when names are needed, since the columns of
            standard input are known only after its first block has been read.

    Attributes:
        given: the names that were asked for, if any.
        has_baseline: whether the first system is the baseline of a test.
        failures: what is wrong with entries that are left out, by position.
    """

    unit = "system"  # what messages call one of them

    def __init__(self, options: Options, entries: Callable[[], Sequence[Entry]]) -> None:
        self._entries = entries
        self.given = None if options.names is None else [name.strip() for name in shown(options.names).split(",")]
        self._name_by = options.name_by
        # A test with --baseline has that file as its baseline
        self.has_baseline = (options.paired_ar or options.paired_bs) and options.baseline is None
        self.failures: dict[int, BleuError] = {}

    def __len__(self) -> int:
        """Return the number of systems that were given."""
        return sum(entry.columns for entry in self._entries())

    def count_unscored(self) -> int:
        """Return how many systems are left out."""
        entries = self._entries()
        return sum(entries[place].columns for place in self.failures)

    def names(self, form: str | None = None) -> list[str]:
        """Return the names of the scored systems: those in a format, or else those in scores and hints.

        Raises:
            UsageError: two systems have the same name, or --names has other systems.
        """
        return [name for name, place in self._placed(form) if place not in self.failures]

    def unscored(self, form: str | None) -> list[Unscored]:
        """Return the systems that are left out; form: as for `names`."""
        placed = [(name, self.failures.get(place)) for name, place in self._placed(form)]
        return [Unscored(name, error.in_command()) for name, error in placed if error is not None]

    def _placed(self, form: str | None) -> list[tuple[str, int]]:
        """Return the names of all systems, each with the position of its entry."""
        if form is None or self.given is not None or self._name_by is not None:
            names = self._unique_names()
        elif FORMATS[form].of_sacrebleu:
            names = self._labels(0 if self.has_baseline else 1)  # sacreBLEU 2.6.0: the first column is the baseline
        else:
            names = self._labels(1, by_file=True)
        places = [place for place, entry in enumerate(self._entries()) for _ in range(entry.columns)]
        return list(zip(names, places, strict=True))

    def _unique_names(self) -> list[str]:
        names, labels = self._labels(1), self._labels(0 if self.has_baseline else 1)
        if self.given is not None:
            from bleucli.results.naming import name_systems

            try:
                names = labels = name_systems(names, self.given)
            except UsageError as error:
                raise UsageError(f"--{error.in_command()}") from None
        elif self._name_by == "file":
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

        Args:
            first: the first number.
            by_file: whether paths lose folders and known endings; names and numbers stay as they are.
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


def keep(keeper: Keeper, block: Sequence[SystemStats], grouped: bool = False) -> None:
    """Give a keeper the next segments; grouped: whether it gets the sums of groups in the end."""
    keeper.keep_rows(block)
    if not grouped:
        keeper.keep_sums(block, ())


def find_repeated(names: Sequence[str]) -> list[str]:
    """Return the names that occur more than once."""
    return [name for name, count in Counter(names).items() if count > 1]


def names_of(options: Options) -> dict[str, str]:
    """Return what a signature says about the texts: which test set and which part of it; nothing for files."""
    if options.test_set is None:
        return {}
    info = {
        "test": options.test_set,
        "lang": options.language_pair,
        "origlang": options.origlang,
        "subset": options.subset,
    }
    return {key: value for key, value in info.items() if value is not None}


def columns_of_groups(options: Options) -> list[str]:
    """Return the columns of --by; commas may separate them as well.

    Raises:
        UsageError: a column is named twice.
    """
    columns = [column for word in options.by or () for column in shown(word).split(",") if column]
    if options.by is not None and not columns:
        raise UsageError("--by names no column; name at least one, or leave it out")
    if len(set(columns)) < len(columns):
        raise UsageError(f"--by names {max(columns, key=columns.count)} twice; name each column once")
    return columns


def grouped(parts: Sequence[Part], hints: Sequence[str], keeper: Keeper | None) -> Counted:
    """Return what was counted for each group, with labels as texts.

    Args:
        parts: the groups.
        hints: those about all groups.
        keeper: takes the sums of the groups.
    """
    if keeper is not None:
        for part in parts:
            keeper.keep_sums(part.systems, part.labels)
    texts = [part._replace(labels=[(c, "" if v is None else str(v)) for c, v in part.labels]) for part in parts]
    return Counted(texts, grouped=True, hints=hints)


def documents_in(columns: Sequence[str], options: Options) -> str:
    """Return the column that names documents; "" if there is none.

    Raises:
        UsageError: there is none, but documents are to be resampled.
    """
    from bleucli.text.labels import DOCUMENT, DOCUMENT_NAMES

    name = next((name for name in (DOCUMENT, *DOCUMENT_NAMES) if name in columns), "")
    if options.unit == "doc" and not name:
        others = ", ".join(columns) or "none"
        raise UsageError(f"--unit doc needs a column {DOCUMENT} that names documents; there are {others}")
    return name
