"""How every engine counts a partition of texts, and how the sums of all partitions are added up.

- `Work`: counts a partition; small, since each worker receives it
- `add_up`: adds up the sums of partitions
- `check_sums`: raises the error of a partition, if there is one
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from bleucli.errors import BleuError
from bleucli.metrics import Metric
from bleucli.optional_deps import load
from bleucli.scale import arrow
from bleucli.scale.engines.partitions import Partition
from bleucli.scale.layout import PLACES, REFERENCES, SEGMENT, SYSTEM, Shard, label_of, metadata
from bleucli.scale.rows import Table
from bleucli.scale.tables import EMPTY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    import pyarrow as pa

    Batches = Iterable[pa.RecordBatch | pa.Table]

# The column that says what is wrong with a partition. If a worker raised an error instead, the engine would repeat the
# work, and then print a page of text about the error. No column of groups should have the same name.
ERROR = "error of bleu"
# The number of rows that are read at once, and the number that are written at once
_BATCH, _ROWS = 1 << 16, 1 << 17


class Work:
    """The work to do on each partition.

    Args:
        metrics: as for `bleucli.arrow.stats_table`.
        hypotheses: the column of the system's output; or the columns of several systems, by name. The sums then have a
            column for the system, unless it is a key.
        references: the columns of references.
        keys: the columns to group by.
        saved: the folder in which each partition's statistics are kept, one row per segment; "" for none.
        command: the command line, which the files in that folder record.
    """

    def __init__(
        self,
        metrics: arrow.Metrics,
        hypotheses: str | Mapping[str, str] = "hyp",
        references: str | Sequence[str] = "ref",
        keys: Sequence[str] = (),
        saved: str = "",
        command: str = "",
    ) -> None:
        self.metrics: Mapping[str, Metric] = arrow.make_metrics(metrics)
        self.hypotheses = {"": hypotheses} if isinstance(hypotheses, str) else dict(hypotheses)
        self.references = [references] if isinstance(references, str) else list(references)
        self.keys = list(keys)
        self._names_systems = not isinstance(hypotheses, str) and SYSTEM not in keys
        self.saved = saved
        self._command = command

    @property
    def columns(self) -> list[str]:
        """The columns to read."""
        return list(dict.fromkeys([*self.keys, *self.hypotheses.values(), *self.references]))

    @property
    def labels(self) -> list[str]:
        """The columns that identify sums: the keys, after the system if each system has a column of texts."""
        return [SYSTEM, *self.keys] if self._names_systems else self.keys

    @property
    def ways(self) -> dict[str, str]:
        """How each column is added up: by "sum", "min" or "max"; columns that are not listed identify rows."""
        columns = [f"{name}.{one}" for name, metric in self.metrics.items() for one in metric.column_names()]
        # Nulls do not count in a minimum, so one of the errors is left if there is any
        return {**arrow.COUNTS, **dict.fromkeys(columns, "sum"), ERROR: "min"}

    def schema(self, texts: pa.Schema) -> pa.Schema:
        """Return the schema of what `count` returns, with the column of errors; texts: the schema of the texts."""
        pa = load("pyarrow", "arrow")
        fields = [*map(texts.field, self.keys), *((name, pa.int64()) for name in arrow.COUNTS)]
        if self._names_systems:
            fields.insert(0, (SYSTEM, pa.string()))
        for name, metric in self.metrics.items():
            kinds = {one: pa.float64() if one in metric.fractions else pa.int64() for one in metric.column_names()}
            fields += [(f"{name}.{one}", kind) for one, kind in {arrow.SIGNATURE: pa.string(), **kinds}.items()]
        return pa.schema([*fields, (ERROR, pa.string())])

    def prepare(self, partitions: Sequence[Partition]) -> None:
        """Make the folder for the statistics that are kept.

        Raises:
            BleuError: it cannot be made, or has other files, which would be read together with these.
        """
        if not self.saved:
            return
        ours = {partition.file_in(self.saved) for partition in partitions}
        try:
            os.makedirs(self.saved, exist_ok=True)
            others = sorted(os.path.join(self.saved, name) for name in os.listdir(self.saved) if name[0] not in "._")
        except OSError as error:
            raise BleuError(f"cannot write {self.saved}: {error.strerror or error}; name a folder") from None
        for path in others:
            if path not in ours:
                raise BleuError(
                    f"{path} does not belong to this run, but would be read with its files; name an empty folder"
                )

    def discard(self, partitions: Sequence[Partition]) -> None:
        """Remove the statistics that a failed run has written, since they would look complete."""
        for partition in partitions if self.saved else ():
            with suppress(FileNotFoundError):
                os.unlink(partition.file_in(self.saved))

    def check_kept(self, partitions: Sequence[Partition]) -> None:
        """Refuse a folder without the workers' files: the workers wrote to another folder with the same name.

        Raises:
            BleuError: a partition's file is missing.
        """
        for partition in partitions if self.saved else ():
            path = partition.file_in(self.saved)
            if not os.path.exists(path):
                raise BleuError(f"a worker wrote {path}, but on another machine; name a folder that all workers share")

    def count(self, batches: Batches, partition: Partition | None = None) -> pa.Table:
        """Return the sums of a partition, one row per key; or a single row that says what is wrong with it.

        Args:
            batches: the rows of the partition, in order.
            partition: what is known about it; needed if statistics are kept.
        """
        try:
            return self._count(batches, partition)
        except BleuError as error:
            return load("pyarrow", "arrow").table({ERROR: [error.in_command()]})

    def count_file(self, partition: Partition) -> pa.Table:
        """Return the sums of a file, as `count` does; memory holds one row group."""
        return self.count(partition.read(self.columns, _BATCH), partition)

    def _count(self, batches: Batches, partition: Partition | None) -> pa.Table:
        pa = load("pyarrow", "arrow")
        sums: list[Any] = []
        rows = _Rows(partition, self) if partition is not None and self.saved else None
        first = 0
        for batch in batches:
            for system, column in self.hypotheses.items():
                counted = arrow.stats_table(
                    batch,
                    self.metrics,
                    column,
                    self.references,
                    self.keys,
                    rows=rows is not None,
                    first=first,
                    source="" if partition is None else partition.path,
                )
                if self._names_systems:
                    counted = counted.add_column(0, SYSTEM, pa.repeat(system, len(counted)))
                if rows is not None:
                    rows.add(system, counted)
                sums.append(arrow.merge(counted))
            first += len(batch)
            sums = [arrow.merge(pa.concat_tables(sums))]
        if rows is not None:
            rows.save(self._command)
        return sums[0] if sums else pa.table({})


class _Rows:
    """The file of a partition's statistics, one row per segment; a second try replaces the whole file."""

    def __init__(self, partition: Partition, work: Work) -> None:
        self._partition = partition
        self._path = partition.file_in(work.saved)
        self._systems = [""] if SYSTEM in work.keys else list(work.hypotheses)
        self._places = [name for name in work.keys if name in (SYSTEM, *PLACES)]
        self._next = {system: dict(partition.starts) for system in work.hypotheses}
        self._table = Table()
        self._waiting: list[Any] = []
        self._rows = 0

    def add(self, system: str, counted: pa.Table) -> None:
        """Add the next rows of a system; counted: what `stats_table` returned for them."""
        pa = load("pyarrow", "arrow")
        import numpy as np

        segments = np.zeros(len(counted), np.int64)
        for place, indexes in _split(counted, self._places):
            start = self._next[system][place]
            segments[indexes] = np.arange(start, start + len(indexes))
            self._next[system][place] = start + len(indexes)
        keys = arrow.keys_in(counted.column_names)
        found = {name: _code(counted.column(name)) for name in sorted(keys, key=lambda name: name != SYSTEM)}
        found[SEGMENT] = pa.array(segments)
        found[REFERENCES] = counted.column("refs_min").cast(pa.int32())
        others = [name for name in counted.column_names if name not in (*keys, *arrow.COUNTS)]
        self._waiting.append(pa.table(found | {name: counted.column(name) for name in others}))
        self._rows += len(counted)
        if self._rows >= _ROWS:
            self._flush()

    def _flush(self) -> None:
        pa = load("pyarrow", "arrow")
        if self._waiting:
            self._table.add(pa.concat_tables(self._waiting).unify_dictionaries())
        self._waiting, self._rows = [], 0

    def save(self, command: str) -> None:
        """Write the file."""
        self._flush()
        shards = [Shard(name, 0, self._partition.rows, source=self._partition.path) for name in self._systems]
        self._table.save(self._path, metadata(shards, command))


def _split(counted: pa.Table, places: Sequence[str]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Give each place, with the indexes of its rows."""
    import numpy as np

    if not places:
        yield (), np.arange(len(counted))
        return
    pa = load("pyarrow", "arrow")
    numbered = counted.select(places).append_column("", pa.array(np.arange(len(counted))))
    # Without threads, the indexes of each place stay in order
    for *place, indexes in zip(
        *(column.to_pylist() for column in numbered.group_by(places, use_threads=False).aggregate([("", "list")])),
        strict=True,
    ):
        yield tuple(map(label_of, place)), np.array(indexes)


def _code(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of texts in the type that files of statistics use; return any other column unchanged."""
    pa = load("pyarrow", "arrow")
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    return column.cast(pa.string()).dictionary_encode()


def fill(sums: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return sums with all columns of a schema; columns that the sums lack are null."""
    pa = load("pyarrow", "arrow")
    filled = pa.concat_tables([schema.empty_table(), sums], promote_options="permissive")
    return filled.select(schema.names).cast(schema)


def add_up(sums: Iterable[pa.Table]) -> pa.Table:
    """Add up the sums of partitions; order and grouping do not matter. If one has an error, return that instead."""
    pa = load("pyarrow", "arrow")
    found = [table for table in sums if len(table)]
    wrong = [text for table in found if ERROR in table.column_names for text in table.column(ERROR).to_pylist() if text]
    if wrong:
        return pa.table({ERROR: [min(wrong)]})
    counted = [table.drop_columns(ERROR) if ERROR in table.column_names else table for table in found]
    return arrow.merge(pa.concat_tables(counted)) if counted else pa.table({})


def check_sums(sums: pa.Table | None) -> pa.Table:
    """Return the sums that an engine returned, after checking them.

    Raises:
        BleuError: something is wrong with a partition, or there is no segment at all.
    """
    if sums is None or not len(sums):
        raise BleuError(EMPTY)
    if ERROR in sums.column_names:
        raise BleuError(sums.column(ERROR)[0].as_py())
    return sums
