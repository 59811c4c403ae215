"""The writer of statistics: as columns in memory, and in Parquet files that are complete or absent.

- `table_of`: columns, followed by those of the metrics, as one table
- `Table`: a Parquet file that is being written
- `Writer`: writes rows of segments, block by block; `Numbering`: numbers them
- `write`, `write_sums`: write files that are complete
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bleucli.counting import CorpusStats, Part, SystemStats
from bleucli.errors import BleuError, InputTypeError, UsageError
from bleucli.limits import file_path, string, whole_number
from bleucli.metrics import Metric
from bleucli.optional_deps import load
from bleucli.phrases import tell_count
from bleucli.scale import (
    COUNTS,
    REFERENCES,
    SEGMENT,
    SIGNATURE,
    SYSTEM,
    Shard,
    is_reserved,
    make_metrics,
    metadata,
    signature_of,
)
from bleucli.text import wholefiles
from bleucli.text.buffers import text_array, to_arrow

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import IO, Any

    import numpy as np
    import pyarrow as pa
    from numpy.typing import ArrayLike, NDArray

    from bleucli.kernels.stats import SegmentStats

    Columns = Mapping[str, Sequence[object] | str | pa.ChunkedArray]
    StatsOfSystem = CorpusStats | Sequence[CorpusStats] | Mapping[str, CorpusStats]

# The last index that a segment may have
_LAST = 10**15
# The number of rows that are written at once
ROWS = 1 << 17
# Transposing is faster in pieces that fit into the processor's cache
_PIECE = 4096


# --- in memory


def table_of(
    columns: Mapping[str, Any], metrics: Mapping[str, Metric], numbers: Iterable[Iterable[ArrayLike]]
) -> pa.Table:
    """Return a table of statistics.

    columns: those before the columns of the metrics, at least one. numbers: for each metric, the numbers of each of its
    columns.
    """
    pa = load("pyarrow", "arrow")
    import numpy as np

    table = dict(columns)
    # All rows of a metric have the same signature, which is stored once
    codes = to_arrow(np.zeros(len(next(iter(table.values()))), np.int8))
    for (name, metric), of_metric in zip(metrics.items(), numbers, strict=True):
        table[f"{name}.{SIGNATURE}"] = pa.DictionaryArray.from_arrays(codes, text_array([signature_of(metric)]))
        for column, values in zip(metric.column_names(), of_metric, strict=True):
            kind = np.float64 if column in metric.fractions else np.int64
            table[f"{name}.{column}"] = to_arrow(np.asarray(values, kind))
    return pa.table(table)


def transpose(metric: Metric, blocks: Sequence[SegmentStats]) -> NDArray[Any]:
    """Return the numbers in each column of a metric's rows, as an array with one row per column."""
    import numpy as np

    kind = np.asarray(blocks[0]).dtype if blocks else np.int64
    columns = np.empty((len(metric.column_names()), sum(map(len, blocks))), kind)
    start = 0
    for block in blocks:
        rows = np.asarray(block)
        for first in range(0, len(rows), _PIECE):
            piece = rows[first : first + _PIECE]
            columns[:, start : start + len(piece)] = piece.T
            start += len(piece)
    return columns


# --- files


class Table:
    """A Parquet file, written row group by row group to a temporary file, and put in place once it is complete."""

    def __init__(self) -> None:
        from tempfile import TemporaryFile

        with wholefiles.Aside():
            self._file: IO[bytes] = TemporaryFile()  # noqa: SIM115 - closed once it is written
        self._writer: Any = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been added."""
        return self._writer is None

    def add(self, table: pa.Table) -> None:
        """Write the rows of a table; all have the same columns."""
        with wholefiles.Aside():
            if self._writer is None:
                # Most columns have few different values, which a dictionary stores once
                names = [name for name in table.column_names if name != SEGMENT]
                self._writer = load("pyarrow.parquet", "arrow").ParquetWriter(
                    self._file,
                    table.schema,
                    compression="zstd",
                    use_dictionary=names,
                    # Indexes count up, so almost all of their differences are 1
                    column_encoding={SEGMENT: "DELTA_BINARY_PACKED"} if SEGMENT in table.column_names else None,
                    write_page_checksum=True,
                )
            groups = max(1, len(table) // ROWS)  # of equal size, so that a few extra rows do not make a tiny group
            self._writer.write_table(table, row_group_size=-(-len(table) // groups) or 1)

    def save(self, path: str | os.PathLike[str], metadata: Mapping[str, str]) -> None:
        """Move the complete file to its place."""
        path = file_path(path)
        self._writer.add_key_value_metadata(metadata)
        with wholefiles.Aside():
            self._writer.close()
            self._file.seek(0)
        try:
            wholefiles.write_file(self._file, path)
        except OSError as error:
            raise BleuError(f"cannot write {path}: {error.strerror or error}; name a writable file") from None
        finally:
            self._file.close()


class Numbering:
    """Numbers segments from 0, separately in each place: by test set, language pair, part and system.

    starts: the first number of each place where it is not 0.

    >>> numbering = Numbering()
    >>> numbering.number([(("wmt22",), [0, 2]), (("wmt23",), [1])], 3), numbering.number([(("wmt22",), [0])], 1)
    ([0, 0, 1], [2])
    """

    def __init__(self, starts: Mapping[tuple[Any, ...], int] | None = None) -> None:
        self._next = dict(starts or {})

    def number(self, places: Iterable[tuple[tuple[Any, ...], Any]], count: int) -> list[int]:
        """Return the numbers of the next segments; places: each with the indexes of its segments among them."""
        import numpy as np

        segments = np.zeros(count, np.int64)
        for place, indexes in places:
            start = self._next.get(place, 0)
            self._next[place] = start + len(indexes)
            segments[indexes] = np.arange(start, start + len(indexes))
        numbers: list[int] = segments.tolist()
        return numbers


class Writer:
    """A file of statistics that is being written.

    Args:
        metrics: the metrics that count, by their names in the file; or a list of them, for their usual names.
        first: the index, from 0, of the file's first segment in the whole corpus.

    >>> import os, tempfile
    >>> from bleucli import TER
    >>> from bleucli.scale.statsfiles import read
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
        self._metrics = make_metrics(metrics)
        self._ways = [metric.configuration() for metric in self._metrics.values()]
        self._next = whole_number("first", first, 0, _LAST)
        self._table = Table()
        # For each system, the blocks that wait to be written: columns before those of the metrics, and statistics
        self._blocks: dict[str, list[tuple[pa.Table, Sequence[CorpusStats]]]] = {}
        self._rows = 0
        self._is_used = False

    def add(self, systems: Sequence[SystemStats], columns: Columns | None = None) -> None:
        """Add the next segments of all systems: their statistics, with rows, in the order of the metrics.

        columns: other columns, with one value per segment or one for all: `testset`, or columns to group by. `segment`
        may be among them if the indexes do not simply count up.
        """
        self._refuse_second_use()
        self._check(systems)
        count = systems[0].stats[0].segments if systems else 0
        extras = {name: self._read_column(name, values, count) for name, values in (columns or {}).items()}
        if not count:
            return
        for system in systems:
            block = _label(system.name, system.stats[0], extras, self._next)
            self._blocks.setdefault(system.name, []).append((block, system.stats))
            self._rows += count
        self._next += count
        if self._rows >= ROWS:
            self._flush()

    def _refuse_second_use(self) -> None:
        if self._is_used:
            raise BleuError("a Writer writes one file, and this one has done so; make another")

    def _check(self, systems: Sequence[SystemStats]) -> None:
        for system in systems:
            if [one.metric.configuration() for one in system.stats] != self._ways:
                raise BleuError(
                    f"the statistics of {system.name} were counted by other metrics than the Writer has; use the same"
                )
            if any(one.rows is None for one in system.stats if one.segments):
                raise BleuError(f"the statistics of {system.name} have no rows; count with keep_rows=True")
        if len({one.segments for system in systems for one in system.stats}) > 1:
            raise BleuError("the systems have different numbers of segments; write each to its own file")

    def _read_column(self, name: str, values: Sequence[object] | str | pa.ChunkedArray, count: int) -> Any:
        """Return a column as it is written: an array of values, or a text for all segments."""
        if name == REFERENCES or is_reserved(name, self._metrics):
            raise BleuError(f"the column {name} has the name of a column of statistics; rename it")
        if isinstance(values, str) and name != SEGMENT:
            return values
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise InputTypeError(
                f"the column {name}: {values!r:.40} is of type {type(values).__name__}; give a list with one value per"
                " segment"
            )
        column = values if isinstance(values, load("pyarrow", "arrow").ChunkedArray) else list(values)
        if len(column) != count:
            raise BleuError(
                f"the column {name} has {tell_count(len(column), 'value')} for {tell_count(count, 'segment')}; give one"
                " value per segment"
            )
        return to_arrow(_read_indexes(column)) if name == SEGMENT else _code(column, name)

    def _flush(self) -> None:
        """Write the rows that wait, system by system: columns that are constant in a row group take almost no space."""
        pa = load("pyarrow", "arrow")
        for blocks in self._blocks.values():
            columns = pa.concat_tables([block for block, _ in blocks])
            self._write(dict(zip(columns.column_names, columns.columns, strict=True)), [stats for _, stats in blocks])
        self._blocks, self._rows = {}, 0

    def _write(self, columns: Mapping[str, Any], blocks: Sequence[Sequence[CorpusStats]]) -> None:
        of_metrics = zip(*blocks, strict=True) if blocks else [()] * len(self._metrics)
        numbers = [
            transpose(metric, [one.rows for one in stats if one.rows is not None])
            for metric, stats in zip(self._metrics.values(), of_metrics, strict=True)
        ]
        self._table.add(table_of(columns, self._metrics, numbers))

    def save(self, path: str | os.PathLike[str], shards: Sequence[Shard] = (), command: str = "") -> None:
        """Write the file, complete or not at all. Nothing can be added afterwards.

        shards: the texts that it was made from. command: the command line that made it.
        """
        self._refuse_second_use()
        self._is_used = True
        self._flush()
        if self._table.is_empty:
            import numpy as np

            indexes, counts = to_arrow(np.zeros(0, np.int64)), to_arrow(np.zeros(0, np.int32))
            self._write({SYSTEM: _code([]), SEGMENT: indexes, REFERENCES: counts}, [])
        self._table.save(path, metadata(shards, command))


def _label(name: str, stats: CorpusStats, extras: Mapping[str, Any], first: int) -> pa.Table:
    """Return the columns of a block before those of the metrics; first: the index of its first segment."""
    pa = load("pyarrow", "arrow")
    import numpy as np

    count = stats.segments
    columns = {SYSTEM: name} | dict(extras)
    segments = columns.pop(SEGMENT, None)
    columns[SEGMENT] = to_arrow(np.arange(first, first + count, dtype=np.int64)) if segments is None else segments
    columns[REFERENCES] = to_arrow(np.asarray(stats.nrefs, np.int32))
    return pa.table({name: _repeat(of, count) if isinstance(of, str) else of for name, of in columns.items()})


def _repeat(text: str, count: int) -> pa.Array:
    pa = load("pyarrow", "arrow")
    import numpy as np

    return pa.DictionaryArray.from_arrays(to_arrow(np.zeros(count, np.int32)), text_array([text]))


def _read_indexes(values: Sequence[object]) -> NDArray[np.int64]:
    import numpy as np

    indexes = np.asarray(values)
    if indexes.dtype.kind != "i" or indexes.min(initial=0) < 0 or indexes.max(initial=0) > _LAST:
        indexes = np.array([whole_number(SEGMENT, value, 0, _LAST) for value in values])
    return indexes.astype(np.int64, copy=False)


def _code(values: Sequence[object] | pa.ChunkedArray, name: str = SYSTEM) -> pa.Array | pa.ChunkedArray:
    """Return values as a column that stores each text once; name: of the column, for errors."""
    pa = load("pyarrow", "arrow")
    if isinstance(values, pa.ChunkedArray):
        is_text = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
        return values.cast(pa.string()).dictionary_encode() if is_text else values
    if not isinstance(next((value for value in values if value is not None), None), str | None):
        try:
            return pa.array(values)
        except (TypeError, ValueError, OverflowError) as error:  # pyarrow's errors are of these kinds as well
            reason = " ".join(str(error).split())
            raise BleuError(f"the column {name} cannot be written ({reason[:200]}); give strings or numbers") from None
    texts = text_array([None if value is None else str(value) for value in values])
    return texts.dictionary_encode().cast(pa.dictionary(pa.int32(), pa.string()))


def write(
    path: str | os.PathLike[str],
    systems: Mapping[str, StatsOfSystem],
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
    >>> from bleucli.scale.statsfiles import read
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "cat.parquet")
    >>> stats = CHRF().corpus_stats(["The cat sat.", "A cat."], [["The cat sat."] * 2], keep_rows=True)
    >>> write(path, {"cat": stats}, columns={"domain": ["news", "chat"]})
    >>> read(path).columns
    ['domain']
    """
    if not isinstance(systems, Mapping):
        raise InputTypeError(f"systems: found {type(systems).__name__}; give a dictionary: {{'name': statistics}}")
    by_system = {string("the name of a system", name): _by_metric(stats) for name, stats in systems.items()}
    if not by_system:
        raise BleuError("no system was given; give the statistics of at least one")
    names = list(next(iter(by_system.values())))
    metrics = {name: _metric_of(stats) for name, stats in next(iter(by_system.values())).items()}
    ways = [metric.configuration() for metric in metrics.values()]
    for system, stats in by_system.items():
        if list(stats) != names or [one.metric.configuration() for one in stats.values()] != ways:
            raise BleuError(
                f"{system} and {next(iter(by_system))} were counted by different metrics; use the same metrics for all"
            )
    blocks = [SystemStats(name, list(stats.values()), None) for name, stats in by_system.items()]
    have_rows = {one.rows is not None for block in blocks for one in block.stats if one.segments}
    if len(have_rows) > 1:
        raise BleuError("some statistics have rows and others do not; count all with keep_rows=True, or none")
    if have_rows == {False}:
        if columns or first:
            raise UsageError(
                "columns and first describe segments, but no statistics have rows; count with keep_rows=True, or leave"
                " both out"
            )
        write_sums(path, [Part((), blocks)], metrics, shards=shards, command=command)
        return
    writer = Writer(metrics, first)
    writer.add(blocks, columns)
    writer.save(path, shards, command)


def _by_metric(stats: StatsOfSystem) -> dict[str, CorpusStats]:
    values = stats.values() if isinstance(stats, Mapping) else [stats] if isinstance(stats, CorpusStats) else stats
    each = list(values) if isinstance(values, Iterable) else [values]
    if not all(isinstance(stats_of_metric, CorpusStats) for stats_of_metric in each):
        raise InputTypeError(f"the statistics of a system: found {stats!r:.40}; give what corpus_stats returns")
    if isinstance(stats, Mapping):
        return dict(stats)
    return dict(zip(make_metrics(list(map(_metric_of, each))), each, strict=True))


def _metric_of(stats: CorpusStats) -> Metric:
    assert isinstance(stats.metric, Metric)  # nothing else makes statistics
    return stats.metric


def write_sums(
    path: str | os.PathLike[str],
    parts: Sequence[Part],
    metrics: Mapping[str, Metric],
    *,
    shards: Sequence[Shard] = (),
    command: str = "",
) -> None:
    """Write one row for each system and group; parts: the groups, whose labels have the same columns.

    >>> import os, tempfile
    >>> from bleucli import TER
    >>> from bleucli.scale.statsfiles import read
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "cat.parquet")
    >>> ter = TER()
    >>> stats = ter.corpus_stats(["A cat sat."], [["The cat sat."]])
    >>> write_sums(path, [Part([("domain", "news")], [SystemStats("cat", [stats], None)])], {"ter": ter})
    >>> [(part.labels, part.systems[0].stats[0].segments) for part in read(path).count({"ter": ter}, by=["domain"])]
    [([('domain', 'news')], 1)]
    """
    import numpy as np

    rows = [(part.labels, system) for part in parts for system in part.systems if system.stats[0].segments]
    columns = {SYSTEM: _code([system.name for _, system in rows])}
    for place, (label, _) in enumerate(parts[0].labels if parts else ()):
        columns[label] = _code([labels[place][1] for labels, _ in rows], label)
    counts = [(stats.segments, stats.fewest, stats.most) for stats in (system.stats[0] for _, system in rows)]
    for place, name in enumerate(COUNTS):
        columns[name] = to_arrow(np.array([count[place] for count in counts], np.int64))
    numbers = [
        [[system.stats[number].sums[place] for _, system in rows] for place in range(len(metric.column_names()))]
        for number, metric in enumerate(metrics.values())
    ]
    table = Table()
    table.add(table_of(columns, metrics, numbers))
    table.save(path, metadata(shards, command))
