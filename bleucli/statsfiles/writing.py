"""Writing files of statistics: block by block, and complete or not at all.

- `Table`: a Parquet file that is being written
- `Writer`: rows of segments
- `write`, `write_sums`: files of statistics that are complete
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from bleucli import arrow
from bleucli.counting import CorpusStats, SystemStats
from bleucli.errors import BleuError, InputTypeError, UsageError
from bleucli.limits import file_path, string, whole_number
from bleucli.metrics import Metric
from bleucli.optional_deps import load
from bleucli.phrases import tell_count
from bleucli.records import NamedTuple
from bleucli.statsfiles.layout import REFERENCES, SEGMENT, SYSTEM, Shard, metadata
from bleucli.text import wholefiles
from bleucli.text.buffers import text_array, to_arrow

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import IO, Any

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    Columns = Mapping[str, Sequence[object] | str]
    Given = Mapping[str, CorpusStats | Sequence[CorpusStats] | Mapping[str, CorpusStats]]

# The last index that a segment may have
_LAST = 10**15
# The number of rows that are written at once
_ROWS = 1 << 17


class Table:
    """A Parquet file, written row group by row group to a temporary file, and put in place once it is complete."""

    def __init__(self) -> None:
        from tempfile import TemporaryFile

        with _kept_aside():
            self._file: IO[bytes] = TemporaryFile()  # noqa: SIM115 - closed once it is written
        self._writer: Any = None

    def add(self, table: pa.Table) -> None:
        """Write the rows of a table; all have the same columns.

        Raises:
            BleuError: the temporary file cannot be written.
        """
        with _kept_aside():
            if self._writer is None:
                self._writer = self._make_writer(table)
            groups = max(1, len(table) // _ROWS)  # of equal size, so that a few extra rows do not make a tiny group
            self._writer.write_table(table, row_group_size=-(-len(table) // groups) or 1)

    def _make_writer(self, table: pa.Table) -> Any:
        # Most columns have few different values, which a dictionary stores once
        coded = [name for name in table.column_names if name != SEGMENT]
        return load("pyarrow.parquet", "arrow").ParquetWriter(
            self._file,
            table.schema,
            compression="zstd",
            use_dictionary=coded,
            # Indexes count up, so almost all of their differences are 1
            column_encoding={SEGMENT: "DELTA_BINARY_PACKED"} if SEGMENT in table.column_names else None,
            write_page_checksum=True,
        )

    def save(self, path: str | os.PathLike[str], metadata: Mapping[str, str]) -> None:
        """Move the complete file to its place.

        Raises:
            BleuError: it cannot be written.
        """
        path = file_path(path)
        self._writer.add_key_value_metadata(metadata)
        with _kept_aside():
            self._writer.close()
            self._file.seek(0)
        try:
            wholefiles.write_file(self._file, path)
        except OSError as error:
            raise BleuError(f"cannot write {path}: {error.strerror or error}; name a writable file") from None
        finally:
            self._file.close()


@contextmanager
def _kept_aside() -> Iterator[None]:
    """Turn the system's errors about temporary files into one line."""
    try:
        yield
    except OSError as error:
        raise BleuError(
            f"cannot write a temporary file: {error.strerror or error}; set TMPDIR to a folder with free space"
        ) from None


class Writer:
    """A file of statistics that is being written.

    Args:
        metrics: the metrics that count, by their names in the file; or a list of them, for their usual names.
        first: the index, from 0, of the file's first segment in the whole corpus.

    >>> import os, tempfile
    >>> from bleucli import TER
    >>> from bleucli.statsfiles import read
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "cat.parquet")
    >>> ter = TER()
    >>> writer = Writer([ter])
    >>> for text in ("The cat sat.", "A cat sat."):
    ...     stats = ter.corpus_stats([text], [["The cat sat."]], keep_rows=True)
    ...     writer.add([SystemStats("cat", [stats], None)])
    >>> writer.save(path)
    >>> read(path).stats("cat").sums
    (1, 6.0)
    """

    def __init__(self, metrics: Mapping[str, Metric] | Sequence[Metric], first: int = 0) -> None:
        self._metrics = arrow.make_metrics(metrics)
        self._ways = [metric.configuration() for metric in self._metrics.values()]
        self._next = whole_number("first", first, 0, _LAST)
        self._table = Table()
        self._waiting: list[tuple[str, Sequence[CorpusStats], Mapping[str, Any], int]] = []
        self._rows = 0
        self._is_empty = True
        self._is_used = False

    def _refuse_second_use(self) -> None:
        if self._is_used:
            raise BleuError("a Writer writes one file, and this one has done so; make another")

    def add(self, systems: Sequence[SystemStats], columns: Columns | None = None) -> None:
        """Add the next segments of all systems.

        Args:
            systems: their statistics, with rows, in the order of the metrics.
            columns: other columns, with one value per segment or one for all: `testset`, or columns to group by.
                `segment` may be among them if the indexes do not simply count up.

        Raises:
            BleuError: other metrics counted, the systems have different numbers of segments, or rows were not kept; a
                column has another number of values or the name of a column of statistics; the writer has been used; or
                a temporary file cannot be written.
            InputTypeError: a column is neither a string nor a list.
        """
        self._refuse_second_use()
        self._check(systems)
        count = systems[0].stats[0].segments if systems else 0
        read = {name: self._read_column(name, of, count) for name, of in (columns or {}).items()}
        for system in systems:
            self._waiting.append((system.name, system.stats, read, self._next))
            self._rows += system.stats[0].segments
        self._next += count
        if self._rows >= _ROWS:
            self._flush()

    def _check(self, systems: Sequence[SystemStats]) -> None:
        """Refuse statistics that do not fit into the file."""
        for system in systems:
            if [one.metric.configuration() for one in system.stats] != self._ways:
                raise BleuError(
                    f"the statistics of {system.name} were counted by other metrics than the Writer has; use the same"
                )
            if any(one.rows is None for one in system.stats if one.segments):
                raise BleuError(f"the statistics of {system.name} have no rows; count with keep_rows=True")
        if len({one.segments for system in systems for one in system.stats}) > 1:
            raise BleuError("the systems have different numbers of segments; write each to its own file")

    def _read_column(self, name: str, values: Sequence[object] | str, count: int) -> Any:
        """Return a column as it is written: a text for all segments, or an array of values."""
        is_of_metric = name.startswith(tuple(f"{metric}." for metric in self._metrics))
        if name in (REFERENCES, *arrow.COUNTS) or name.endswith(f".{arrow.SIGNATURE}") or is_of_metric:
            raise BleuError(f"the column {name} has the name of a column of statistics; rename it")
        if isinstance(values, str) and name != SEGMENT:
            return values
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise InputTypeError(
                f"the column {name}: {values!r:.40} is of type {type(values).__name__}; give a list with one value per"
                " segment"
            )
        found = list(values)
        if len(found) != count:
            raise BleuError(
                f"the column {name} has {tell_count(len(found), 'value')} for {tell_count(count, 'segment')}; give one"
                " value per segment"
            )
        return _read_indexes(found) if name == SEGMENT else _code(found, name)

    def _flush(self) -> None:
        """Write the rows that wait, system by system: columns that are constant in a row group take almost no space."""
        pa = load("pyarrow", "arrow")
        for name in dict.fromkeys(name for name, *_ in self._waiting):
            blocks = [block for block in self._waiting if block[0] == name and block[1][0].segments]
            tables = [self._columns_of(name, columns, first, stats) for _, stats, columns, first in blocks]
            if tables:
                found = pa.concat_tables(tables)
                self._write(found, [stats for _, stats, _, _ in blocks])
        self._waiting, self._rows = [], 0

    def _columns_of(self, name: str, columns: Mapping[str, Any], first: int, stats: Sequence[CorpusStats]) -> pa.Table:
        """Return the columns of a block that are not statistics."""
        pa = load("pyarrow", "arrow")
        import numpy as np

        count = stats[0].segments
        found = {SYSTEM: _repeat(name, count)}
        for key, of in columns.items():
            if key != SEGMENT:
                found[key] = _repeat(of, count) if isinstance(of, str) else of
        if SEGMENT in columns:
            found[SEGMENT] = to_arrow(columns[SEGMENT])
        else:
            found[SEGMENT] = to_arrow(np.arange(first, first + count, dtype=np.int64))
        found[REFERENCES] = to_arrow(np.asarray(stats[0].nrefs, np.int32))
        return pa.table(found)

    def _write(self, table: pa.Table, blocks: Sequence[Sequence[CorpusStats]]) -> None:
        self._is_empty = False
        for place, (name, metric) in enumerate(self._metrics.items()):
            rows = [stats[place].rows for stats in blocks]
            for title, column in arrow.columns_of(metric, name, [one for one in rows if one is not None]):
                table = table.append_column(title, column)
        self._table.add(arrow.sign(table, self._metrics, coded=True))

    def save(self, path: str | os.PathLike[str], shards: Sequence[Shard] = (), command: str = "") -> None:
        """Write the file, complete or not at all. Nothing can be added afterwards.

        Args:
            path: the path of the file.
            shards: the texts that it was made from.
            command: the command line that made it.

        Raises:
            BleuError: it cannot be written, or the writer has been used.
        """
        self._refuse_second_use()
        self._is_used = True
        self._flush()
        if self._is_empty:
            pa = load("pyarrow", "arrow")
            import numpy as np

            numbers = {SEGMENT: to_arrow(np.zeros(0, np.int64)), REFERENCES: to_arrow(np.zeros(0, np.int32))}
            self._write(pa.table({SYSTEM: _code([]), **numbers}), [])
        self._table.save(path, metadata(shards, command))


def _repeat(text: str, count: int) -> pa.Array:
    """Return a column that has the same text in each row."""
    pa = load("pyarrow", "arrow")
    import numpy as np

    return pa.DictionaryArray.from_arrays(to_arrow(np.zeros(count, np.int32)), text_array([text]))


def _read_indexes(values: Sequence[object]) -> NDArray[np.int64]:
    """Return the indexes of segments.

    Raises:
        InputTypeError: one is not a whole number.
        UsageError: one is below 0 or too large.
    """
    import numpy as np

    found = np.asarray(values)
    if found.dtype.kind != "i" or found.min(initial=0) < 0 or found.max(initial=0) > _LAST:
        found = np.array([whole_number(SEGMENT, value, 0, _LAST) for value in values])
    return found.astype(np.int64, copy=False)


def _code(values: Sequence[object], name: str = SYSTEM) -> pa.Array:
    """Return texts or numbers as a column that stores each of them once; name: of the column, for errors.

    Raises:
        BleuError: they are neither, or both.
    """
    pa = load("pyarrow", "arrow")
    if not isinstance(next((value for value in values if value is not None), None), str | None):
        try:
            return pa.array(values)
        except (TypeError, ValueError, OverflowError) as error:  # pyarrow's errors are of these kinds as well
            told = " ".join(str(error).split())
            raise BleuError(f"the column {name} cannot be written ({told[:200]}); give strings or numbers") from None
    texts = text_array([None if value is None else str(value) for value in values])
    return texts.dictionary_encode().cast(pa.dictionary(pa.int32(), pa.string()))


def write(
    path: str | os.PathLike[str],
    systems: Given,
    *,
    columns: Columns | None = None,
    first: int = 0,
    shards: Sequence[Shard] = (),
    command: str = "",
) -> None:
    """Write the statistics of systems to a file: one row per segment, or one row per system if rows were not kept.

    Args:
        path: the path of the file; an old file is replaced once the new one is complete.
        systems: by name, the statistics of each system: those of one metric, a list for several metrics, or a
            dictionary whose keys name the metrics in the file.
        columns: more columns by name, such as `testset` or `domain`: one value per segment, or one string for all.
        first: the index, from 0, of the first of these segments in the whole corpus.
        shards: the texts from which the statistics were made; the file keeps this as a note.
        command: the command line that made the statistics, which the file keeps as well.

    Raises:
        BleuError: systems were counted by different metrics or have different numbers of segments; only some have rows;
            the file cannot be written; or pyarrow is not installed.
        UsageError: columns or first are given, but no statistics have rows; or first is below 0.
        InputTypeError: systems, their names or statistics, the path or columns are of another type.

    >>> import os, tempfile
    >>> from bleucli import CHRF
    >>> from bleucli.statsfiles import read
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "cat.parquet")
    >>> stats = CHRF().corpus_stats(["The cat sat.", "A cat."], [["The cat sat."] * 2], keep_rows=True)
    >>> write(path, {"cat": stats}, columns={"domain": ["news", "chat"]})
    >>> read(path).columns
    ['domain']
    """
    if not isinstance(systems, Mapping):
        raise InputTypeError(f"systems: found {type(systems).__name__}; give a dictionary: {{'name': statistics}}")
    counted = {string("the name of a system", name): _by_metric(stats) for name, stats in systems.items()}
    if not counted:
        raise BleuError("no system was given; give the statistics of at least one")
    names = list(next(iter(counted.values())))
    metrics = {name: _metric_of(stats) for name, stats in next(iter(counted.values())).items()}
    ways = [metric.configuration() for metric in metrics.values()]
    for system, stats in counted.items():
        if list(stats) != names or [one.metric.configuration() for one in stats.values()] != ways:
            raise BleuError(
                f"{system} and {next(iter(counted))} were counted by different metrics; use the same metrics for all"
            )
    blocks = [SystemStats(name, list(stats.values()), None) for name, stats in counted.items()]
    kept = {one.rows is not None for block in blocks for one in block.stats if one.segments}
    if len(kept) > 1:
        raise BleuError("some statistics have rows and others do not; count all with keep_rows=True, or none")
    if kept == {False}:
        if columns or first:
            raise UsageError(
                "columns and first describe segments, but no statistics have rows; count with keep_rows=True, or leave"
                " both out"
            )
        write_sums(path, [Part((), blocks)], metrics, shards=shards, command=command)
        return
    if len({one.segments for block in blocks for one in block.stats}) > 1:
        raise BleuError("the systems have different numbers of segments; write each to its own file")
    writer = Writer(metrics, first)
    writer.add(blocks, columns)
    writer.save(path, shards, command)


def _by_metric(stats: CorpusStats | Sequence[CorpusStats] | Mapping[str, CorpusStats]) -> dict[str, CorpusStats]:
    """Return the statistics of a system by the names of their metrics."""
    several = stats.values() if isinstance(stats, Mapping) else [stats] if isinstance(stats, CorpusStats) else stats
    given = list(several) if isinstance(several, Iterable) else [several]
    if not all(isinstance(one, CorpusStats) for one in given):
        raise InputTypeError(f"the statistics of a system: found {stats!r:.40}; give what corpus_stats returns")
    if isinstance(stats, Mapping):
        return dict(stats)
    return dict(zip(arrow.make_metrics(list(map(_metric_of, given))), given, strict=True))


def _metric_of(stats: CorpusStats) -> Metric:
    assert isinstance(stats.metric, Metric)  # nothing else makes statistics
    return stats.metric


class Part(NamedTuple):
    """Systems as counted on segments that share some values; labels: the columns, each with its value."""

    labels: Sequence[tuple[str, Any]]
    systems: Sequence[SystemStats]


def write_sums(
    path: str | os.PathLike[str],
    parts: Sequence[Part],
    metrics: Mapping[str, Metric],
    *,
    shards: Sequence[Shard] = (),
    command: str = "",
) -> None:
    """Write one row for each system and group.

    Args:
        path: the path of the file.
        parts: the groups, whose labels have the same columns.
        metrics: the metrics that counted, by their names in the file.
        shards: as for `write`.
        command: as for `write`.

    Raises:
        BleuError: the file cannot be written, or pyarrow is not installed.

    >>> import os, tempfile
    >>> from bleucli import TER
    >>> from bleucli.statsfiles import read
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "cat.parquet")
    >>> ter = TER()
    >>> stats = ter.corpus_stats(["A cat sat."], [["The cat sat."]])
    >>> write_sums(path, [Part([("domain", "news")], [SystemStats("cat", [stats], None)])], {"ter": ter})
    >>> [(part.labels, part.systems[0].stats[0].segments) for part in read(path).count({"ter": ter}, by=["domain"])]
    [([('domain', 'news')], 1)]
    """
    pa = load("pyarrow", "arrow")
    import numpy as np

    rows = [(part.labels, system) for part in parts for system in part.systems if system.stats[0].segments]
    columns: dict[str, Any] = {SYSTEM: _code([system.name for _, system in rows])}
    for place, (label, _) in enumerate(parts[0].labels if parts else ()):
        columns[label] = _code([labels[place][1] for labels, _ in rows], label)
    first = [system.stats[0] for _, system in rows]
    columns["segments"] = to_arrow(np.array([one.segments for one in first], np.int64))
    columns["refs_min"] = to_arrow(np.array([one.fewest for one in first], np.int64))
    columns["refs_max"] = to_arrow(np.array([one.most for one in first], np.int64))
    for number, (name, metric) in enumerate(metrics.items()):
        for place, column in enumerate(metric.column_names()):
            kind = float if column in metric.fractions else int
            sums = [kind(system.stats[number].sums[place]) for _, system in rows]
            columns[f"{name}.{column}"] = to_arrow(np.array(sums, np.float64 if kind is float else np.int64))
    table = Table()
    table.add(arrow.sign(pa.table(columns), metrics, coded=True))
    table.save(path, metadata(shards, command))
