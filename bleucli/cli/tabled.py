"""`--table`: texts that are columns of tables, instead of text files."""

from __future__ import annotations

from collections.abc import Sequence

from bleucli import counting, scoring
from bleucli.cli.streams import shown
from bleucli.cli.texts import Texts
from bleucli.corpus import Corpus
from bleucli.counting import CorpusStats, SystemStats
from bleucli.errors import BleuError, UsageError
from bleucli.phrases import tell_count
from bleucli.results import Input, Results, name_row
from bleucli.scale import tables
from bleucli.scale.arrow import Columns
from bleucli.scale.layout import PLACES, REFERENCES, SEGMENT, SYSTEM, Shard, is_reserved
from bleucli.signature import Signature
from bleucli.stats import SegmentStats
from bleucli.textfiles import TextFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from bleucli.cli.keeper import Keeper
    from bleucli.cli.options import Options
    from bleucli.metrics import Metric
    from bleucli.significance.comparison import Sampling

    Labels = tuple[Any, ...]

# Columns whose values signatures name, each with its key in the signature
TEXTS = {"testset": "test", "langpair": "lang"}


class TabledTexts(Texts):
    """The texts of tables: each column of hypotheses is a system; further columns are the references."""

    def __init__(self, options: Options) -> None:
        self._read_names(options)
        self._by = columns_of_groups(options)
        columns = columns_in_command(options, self._by)
        self._table = tables.TextTable(list(map(shown, options.table or ())), columns, self._by)
        self._name_columns(columns)
        self._of_block: Sequence[Labels] = ()  # for each segment of the current block, its group
        self._counted: dict[Labels, int] = {}  # number of segments so far, by test set and system

    def _name_columns(self, columns: Columns) -> None:
        """Make each column of hypotheses a system."""
        # Only the names of these files are used; no file of texts is opened
        self._given = [TextFile(name) for name in columns.hypotheses]
        self._systems = self._given
        self._references = []
        self._kept = {}
        self._remedy = ""
        self.failures: dict[int, BleuError] = {}
        self._rows: list[tuple[int, Sequence[tuple[str, str]]]] = [(n, ()) for n in range(len(self._given))]

    def corpus(self) -> Corpus:
        """Return systems and references."""
        corpus = self._table.corpus()
        return corpus._replace(systems=[corpus.systems[0]._replace(names=self._names())])

    def columns(self, start: int, count: int) -> Mapping[str, Sequence[object] | str]:
        """Return what statistics files say about segments beside their statistics: their groups."""
        if not self._by:
            return {}
        places = [index for index, column in enumerate(self._by) if column in (SYSTEM, *PLACES)]
        segments = []
        for labels in self._of_block:  # segments are numbered separately in each test set and for each system
            place = tuple(labels[index] for index in places)
            segments.append(self._counted.get(place, 0))
            self._counted[place] = segments[-1] + 1
        # As texts, since a block whose values are all missing does not show the type of the others
        told = ([None if value is None else str(value) for value in of] for of in zip(*self._of_block, strict=True))
        return dict(zip(self._by, told, strict=True)) | {SEGMENT: segments}

    def score(
        self,
        metrics: Sequence[Metric],
        jobs: int | None,
        sampling: Sampling | None,
        progress: Callable[[str, int, int], None],
        keep: Keeper | None = None,
        before: Sequence[SystemStats] = (),
    ) -> Results:
        """Score all systems, on all rows together or group by group."""
        if not self._by:
            return super().score(metrics, jobs, sampling, progress, keep, before)
        totals: list[SystemStats] = []
        groups: dict[Labels, list[SystemStats]] = {}
        corpus = self.corpus()
        references = corpus.reference_names()
        for number, block in enumerate(counting.count_blocks(corpus, metrics, jobs=jobs, inspect=True)):
            self._of_block = self._table.labels[number]
            self._table.labels[number] = []  # no longer needed
            if keep is not None:
                keep.keep_rows(block)
            totals = counting.add_systems(totals, [system.without_rows() for system in block])
            for labels, indexes in _group(self._of_block).items():
                taken = [_take(system, indexes, sampling is not None) for system in block]
                groups[labels] = counting.add_systems(groups.get(labels, []), taken)
            progress("segments", totals[0].stats[0].segments, 0)
        hints = scoring.score_counted(totals, metrics, references=references).hints if totals else []
        return self._score_groups(groups, metrics, sampling, progress, keep, hints)

    def _score_groups(
        self,
        groups: Mapping[Labels, list[SystemStats]],
        metrics: Sequence[Metric],
        sampling: Sampling | None,
        progress: Callable[[str, int, int], None],
        keep: Keeper | None,
        hints: Sequence[str] = (),
    ) -> Results:
        """Score what was counted for each group; `hints` are about all groups."""
        named = {labels: list(zip(self._by, labels, strict=True)) for labels in groups}
        if keep is not None:
            for labels, systems in groups.items():
                keep.keep_sums(systems, named[labels])
        told = [([(c, "" if v is None else str(v)) for c, v in named[labels]], of) for labels, of in groups.items()]
        self._rows = [(number, labels) for labels, systems in told for number in range(len(systems))]
        results = scoring.score_groups(told, metrics, sampling=sampling, progress=progress)
        return results._replace(
            systems=[
                system._replace(
                    scores=[
                        record._replace(signature=Signature(record.signature).with_texts(signed(system.labels).items()))
                        for record in system.scores
                    ]
                )
                for system in results.systems
            ],
            hints=list(dict.fromkeys([*hints, *results.hints])),
        )

    def names_in(self, form: str) -> list[str]:
        """Return the names of the answer's rows in a format."""
        names = super().names_in(form)
        return [name_row(names[number], labels) for number, labels in self._rows]

    def check_lengths(self) -> None:
        """Do nothing: all columns of a table have the same length."""

    def inputs(self) -> tuple[list[Input], list[Input]]:
        """Return the first file for each row, and all files."""
        from hashlib import file_digest

        found = []
        for path, rows in self._table.rows.items():
            with open(path, "rb") as content:
                found.append(Input("table", path, rows, file_digest(content, "sha256").hexdigest()))
        return [found[0]] * len(self._rows), found

    def shards(self, first: int, rows: int) -> list[Shard]:
        """Return what statistics files say about where rows come from: the files, without checksums of columns."""
        return [Shard(name, first, rows, source=", ".join(self._table.files)) for name in self._names()]

    def which_is_which(self, segments: int) -> str:
        """Return a line that names files and systems."""
        return self._tell_files(self._table.files, segments)

    def _tell_files(self, paths: Sequence[str], segments: int) -> str:
        files = ", ".join(paths[:3]) + ", ..." * (len(paths) > 3)
        return f"table {files}, {tell_count(segments, 'segment')}; systems {', '.join(self._names())}"

    def hints(self) -> list[str]:
        """Return the hints about the files: there are none."""
        return []

    def reference_count(self) -> None:
        """Return None: the number is known only after the table is read."""


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
    if options.save_stats or options.save_sums:
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


def columns_of_groups(options: Options) -> list[str]:
    """Return the columns of --by; commas may separate them as well.

    Raises:
        UsageError: a column is named twice.
    """
    found = [column for word in options.by or () for column in shown(word).split(",") if column]
    if options.by is not None and not found:
        raise UsageError("--by names no column; name at least one, or leave it out")
    if len(set(found)) < len(found):
        raise UsageError(f"--by names {max(found, key=found.count)} twice; name each column once")
    return found


def _group(labels: Sequence[Labels]) -> dict[Labels, list[int]]:
    """Return the indexes of the rows of each group."""
    found: dict[Labels, list[int]] = {}
    for index, label in enumerate(labels):
        found.setdefault(label, []).append(index)
    return found


def _take(system: SystemStats, indexes: Sequence[int], keep_rows: bool) -> SystemStats:
    """Return the statistics of some segments, without hints: these are made from all segments."""
    from array import array

    import numpy as np

    taken = []
    for stats in system.stats:
        assert stats.rows is not None
        assert stats.nrefs is not None
        some = np.asarray(stats.rows)[indexes]
        # NumPy's 64-bit integers have another format than q on some platforms; a cast to q must go by way of bytes
        rows = SegmentStats(memoryview(some.data).cast("B").cast("q" if some.dtype.kind == "i" else "d"), some.shape[1])
        nrefs = array("i", np.asarray(stats.nrefs)[indexes].tobytes())
        found = CorpusStats.of_rows(stats.metric, rows, nrefs)
        taken.append(found if keep_rows else found.without_rows())
    return SystemStats(system.name, taken, None)
