"""Where what is scored comes from: text files, test sets, tables, statistics files, engines.

Each source answers four questions: what its systems are called, what they counted, where they came from, and what is
wrong with them. Everything after counting is the same for all sources.

- `Source`: what each source provides; `Rows`, `Texts`: what some provide beside that
- `Part`, `Counted`: what a source counted
- `open_source`, `open_rows`, `open_texts`: the source that the options name
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from bleucli.counting import SystemStats
from bleucli.records import NamedTuple
from bleucli.results import name_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from bleucli.cli.options import Options
    from bleucli.cli.sources.systems import Systems
    from bleucli.cli.streams import Environment
    from bleucli.counting.corpus import Corpus
    from bleucli.metrics import Metric
    from bleucli.results import Input
    from bleucli.scoring import Selection
    from bleucli.statsfiles import Shard, Statistics

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


class Part(NamedTuple):
    """Systems as counted on a group of segments; labels: what these have in common."""

    labels: Sequence[tuple[str, str]]
    systems: Sequence[SystemStats]


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


def names_of(options: Options) -> dict[str, str]:
    """Return what a signature says about the texts: which test set and which part of it; nothing for files."""
    if options.test_set is None:
        return {}
    named = {
        "test": options.test_set,
        "lang": options.language_pair,
        "origlang": options.origlang,
        "subset": options.subset,
    }
    return {key: value for key, value in named.items() if value is not None}


def open_source(
    options: Options, environment: Environment, words: Sequence[str], hashed: bool, statistics: Statistics | None = None
) -> Source:
    """Return the source that the options name; nothing is counted yet.

    Args:
        options: the options of the command.
        environment: the world around the command, with its standard input.
        words: the words of the command line, which engines record in the files that they write.
        hashed: whether files are hashed as they are read, for `Source.inputs`.
        statistics: what the files of --stats hold, if any are named.

    Raises:
        BleuError: a file cannot be opened, or options contradict each other.
    """
    if options.engine is not None:
        from bleucli.cli.sources.engines import EngineSource

        return EngineSource(options, words)
    return open_rows(options, environment, hashed, statistics)


def open_rows(options: Options, environment: Environment, hashed: bool, statistics: Statistics | None = None) -> Rows:
    """Return the source that the options name, which is no engine; arguments and errors: as for `open_source`."""
    if statistics is None:
        return open_texts(options, environment, hashed)
    from bleucli.cli.sources.statistics import StatisticsSource

    return StatisticsSource(options, statistics)


def open_texts(options: Options, environment: Environment, hashed: bool = False) -> Texts:
    """Return the texts that the options name, unread; arguments and errors: as for `open_source`."""
    if options.table is not None:
        from bleucli.cli.sources.tables import TableSource

        return TableSource(options)
    if options.test_set is not None:
        from bleucli.cli.sources.testsets import TestSetSource

        return TestSetSource(options, environment, hashed)
    from bleucli.cli.sources.files import FileSource

    return FileSource(options, environment, hashed)
