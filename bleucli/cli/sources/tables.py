"""`--table`: texts that are columns of tables, instead of text files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import repeat

from bleucli import counting, scoring
from bleucli.cli.arguments import asks_for_resampling
from bleucli.cli.sources import Counted, Entry, Systems, columns_of_groups, documents_in, grouped, keep
from bleucli.cli.streams import shown
from bleucli.counting import SystemStats
from bleucli.counting.corpus import Corpus
from bleucli.counting.groups import Grouping, count_groups
from bleucli.errors import UsageError
from bleucli.phrases import tell_count
from bleucli.results import Input
from bleucli.scale import tables
from bleucli.scale.arrow import Columns
from bleucli.scale.layout import JOINED, PLACES, REFERENCES, SEGMENT, SYSTEM, Shard, is_reserved
from bleucli.text.labels import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from bleucli.cli.options import Options
    from bleucli.cli.sources import Keeper, Progress
    from bleucli.metrics import Metric
    from bleucli.scoring import Selection

# Columns whose values signatures name, each with its key in the signature
TEXTS = {"testset": "test", "langpair": "lang", JOINED: "level"}


class TableSource:
    """The texts of tables: each column of hypotheses is a system; further columns are the references."""

    remembers = False
    read_again: Callable[[], Corpus]

    def __init__(self, options: Options) -> None:
        self._by = columns_of_groups(options)
        columns = columns_in_command(options, self._by)
        paths = list(map(shown, options.table or ()))
        self._documents = ""
        if asks_for_resampling(options) or options.unit is not None:
            self._documents = documents_in(tables.column_names(paths), options)
        self._unit = options.unit or "segment"
        keys = [*self._by, *([self._documents] if self._documents and self._documents not in self._by else [])]
        self._table = tables.TextTable(paths, columns, keys)
        self.systems = Systems(options, lambda: list(map(Entry, columns.hypotheses)))
        self._of_block: Mapping[str, Sequence[Any]] = {}  # the labels of the segments of the current block
        self._sizes: dict[tuple[Any, ...], int] = {}  # number of segments so far, by test set and system

    def corpus(self) -> Corpus:
        """Return systems and references."""
        corpus = self._table.corpus()
        corpus = corpus._replace(systems=[corpus.systems[0]._replace(names=self.systems.names())])
        if self.remembers:
            corpus, self.read_again = corpus.kept()
        return corpus

    def selection(self) -> Selection | None:
        """Return None: all rows are scored."""
        return None

    def labels(self, start: int, count: int) -> Mapping[str, Sequence[object] | str]:
        """Return the groups of the segments of a block."""
        places = [self._of_block[column] for column in self._by if column in (SYSTEM, *PLACES)]
        segments = []
        # Segments are numbered separately in each test set and for each system
        for place in zip(*places, strict=True) if places else repeat((), count):
            segments.append(self._sizes.get(place, 0))
            self._sizes[place] = segments[-1] + 1
        # As texts, since a block whose values are all missing does not show the type of the others
        columns = {name: [None if value is None else str(value) for value in self._of_block[name]] for name in self._by}
        return columns | {SEGMENT: segments} if self._by else {}

    def sources(self) -> Callable[[], Iterator[str]] | None:
        """Return None: no column holds the source."""
        return None

    def count(
        self,
        metrics: Sequence[Metric],
        jobs: int | None,
        keep_rows: bool,
        progress: Progress,
        keeper: Keeper | None = None,
    ) -> Counted:
        """Count all systems, on all rows together or group by group; see `Source.count`."""
        corpus = self.corpus()
        references = corpus.reference_names()
        grouping = Grouping(self._by, keep_rows, self._unit)

        documents: list[Any] = []

        def take_labels(start: int, count: int) -> Mapping[str, Sequence[Any]]:
            self._of_block = self._table.labels.take(count)
            documents.extend(self._of_block[self._documents] if self._documents else ())
            return self._of_block

        totals = count_groups(
            corpus,
            metrics,
            grouping,
            take_labels,
            jobs=jobs,
            keep_rows=keep_rows or keeper is not None or bool(self._by),
            keep=None if keeper is None else lambda block: keep(keeper, block, bool(self._by)),
            progress=lambda done: progress("segments", done, 0),
        )
        parts = grouping.parts()
        if not self._by:
            if documents and None not in documents:  # known, even if segments are resampled
                parts = [part._replace(documents=number(documents)) for part in parts]
            return Counted(parts, references=references)
        hints = scoring.score_counted(totals, metrics, references=references).hints if totals else []
        return grouped(parts, hints, keeper)

    def blocks(self, metric: Metric, jobs: int | None) -> Iterator[list[SystemStats]]:
        """Give the statistics of the only system, with rows, block by block."""
        return counting.count_blocks(self.corpus(), [metric], jobs=jobs)

    def texts(self) -> Mapping[str, str]:
        """Return nothing: what signatures say of tables is about groups."""
        return {}

    def columns(self) -> list[tuple[str, str]]:
        """Return nothing: what is known of rows is known of each by itself."""
        return []

    def inputs(self) -> tuple[Mapping[str, Input], list[Input]]:
        """Return the first file for each system, and all files."""
        return hashed_inputs(self.systems.names(), self._table.rows)

    def shards(self, first: int, rows: int) -> list[Shard]:
        """Return what statistics files say about where rows come from: the files, without checksums of columns."""
        return [Shard(name, first, rows, source=", ".join(self._table.files)) for name in self.systems.names()]

    def hints(self) -> list[str]:
        """Return the hints about the files: there are none."""
        return []

    def overview(self, segments: int) -> str:
        """Return a line that names files and systems."""
        return name_tables(self._table.files, self.systems, segments)


def hashed_inputs(names: Sequence[str], rows: Mapping[str, int]) -> tuple[Mapping[str, Input], list[Input]]:
    """Return the first table for each system, and all tables; those on this machine are hashed.

    rows: the number of rows of each table.
    """
    from hashlib import file_digest

    inputs = []
    for path, count in rows.items():
        if "://" in path:
            inputs.append(Input("table", path, count, ""))
            continue
        with open(path, "rb") as content:
            inputs.append(Input("table", path, count, file_digest(content, "sha256").hexdigest()))
    return dict.fromkeys(names, inputs[0]), inputs


def name_tables(paths: Sequence[str], systems: Systems, segments: int) -> str:
    """Return a line that names tables and systems; segments: how many were scored."""
    files = ", ".join(paths[:3]) + ", ..." * (len(paths) > 3)
    return f"table {files}, {tell_count(segments, 'segment')}; systems {', '.join(systems.names())}"


def signed(labels: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return what a signature says about a group of segments, by key.

    >>> signed([("system", "KIT"), ("testset", "wmt17"), ("domain", "news")])
    {'test': 'wmt17', 'domain': 'news'}
    """
    return {TEXTS.get(column, column): value for column, value in labels if column != SYSTEM}


def columns_in_command(options: Options, by: Sequence[str]) -> Columns:
    """Return which columns hold the texts; `by` are the columns that make groups.

    Raises:
        UsageError: --columns has another form, or systems are both columns and groups.
    """
    columns = Columns() if options.columns is None else tables.columns_named(shown(options.columns))
    if SYSTEM in by and len(columns.hypotheses) > 1:
        raise UsageError("--by system is for systems that are rows, but here they are columns; leave out system")
    if options.command == "count":
        refuse_columns_of_statistics(by)
    return columns


def refuse_columns_of_statistics(by: Sequence[str], metrics: Sequence[str] = ()) -> None:
    """Refuse to save groups by a column that would be taken for statistics; metrics: their names in the file.

    Raises:
        UsageError: a column has such a name.
    """
    for column in by:
        if column in (SEGMENT, REFERENCES) or is_reserved(column, metrics):
            raise UsageError(f"--by {column}: files of statistics have a column of that name already; rename yours")
