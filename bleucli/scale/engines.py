"""Scoring texts where they are, with Dask, Ray and Spark.

- `score`: scores a dataset in your own pipeline
- `survey`: the files, and the number of segments in each
- `Work`: counts a partition; small, since each worker receives it
- `add_up`, `check_sums`: add up the sums of partitions, and raise the error of a partition, if there is one
- `Dask`, `Ray`, `Spark`: what `bleu --engine` calls

An engine distributes partitions over its workers, repeats the work of a worker that dies, and adds up the sums. All of
that is left to the engine. Only the metrics (a few hundred bytes) and one row of sums per key are sent.

>>> import dask.bag, pyarrow as pa
>>> tables = [pa.table({"hyp": ["The cat sat."], "ref": [text]}) for text in ("The cat sat.", "A cat sat.")]
>>> with dask.config.set(scheduler="sync"):
...     (group,) = score(dask.bag.from_sequence(tables), ["chrf"], expected=2)
>>> group.segments, group.scores["chrf"]
(2, chrF2 = 88.81)
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Any

from bleucli.errors import BleuError, InputTypeError
from bleucli.metrics import Metric
from bleucli.optional_deps import load
from bleucli.records import NamedTuple
from bleucli.scale import (
    COUNTS,
    PLACES,
    SEGMENT,
    SIGNATURE,
    SYSTEM,
    Shard,
    arrow,
    keys_in,
    label_of,
    make_metrics,
    tables,
)
from bleucli.scale.arrow import Columns, Group
from bleucli.scale.files import PARQUET
from bleucli.scale.rows import Numbering, Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    import pyarrow as pa

    from bleucli.scale import Metrics

    Batches = Iterable[pa.RecordBatch | pa.Table]
    Values = tuple[Any, ...]


# --- the files


class Partition(NamedTuple):
    """A file of texts.

    number: its index among all partitions. path: the file as the user named it. address: where every worker finds it.
    rows: its number of rows. starts: the number of segments before it, by the values of the keys that are called
    `system`, `testset` and so on, because segments are numbered separately for each of these values.
    """

    number: int
    path: str
    address: str
    rows: int
    starts: Mapping[Values, int]

    def read(self, names: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        """Give some columns of the file, at most `rows` rows at a time; memory holds one row group."""
        with tables.telling(self.path):
            yield from tables.read_batches(self.path, names, rows, self.address)

    def file_in(self, folder: str) -> str:
        """Return the path of the file in a folder that keeps the partition's statistics."""
        stem = os.path.basename(self.path).partition("?")[0].removesuffix(PARQUET[0])
        return os.path.join(folder, f"{self.number:05}-{stem}{PARQUET[0]}")


class Survey(NamedTuple):
    """Everything that is known before texts are read.

    partitions: the files that have rows. rows: the number of rows of each file, by path. segments: the number of all
    segments. order: the values of the keys, numbered in order of first appearance.
    """

    partitions: Sequence[Partition]
    rows: Mapping[str, int]
    segments: int
    order: Mapping[Values, int]


def survey(paths: Iterable[str], columns: Columns, keys: Sequence[str]) -> Survey:
    """Return what the footers of files show; if there are keys, the columns to group by, these are also read."""
    from concurrent.futures import ThreadPoolExecutor

    files = tables.find_parquet(paths)
    with ThreadPoolExecutor(8) as threads:  # the files may be far away
        counts_of_files = list(threads.map(lambda path: _look_at(path, columns, keys), files))
    rows = [
        (tables.address_of(path), *of) for path, counts in zip(files, counts_of_files, strict=True) for of in counts
    ]
    return number_rows(rows, keys, {tables.address_of(path): path for path in files})


def _look_at(path: str, columns: Columns, keys: Sequence[str]) -> list[Values]:
    """Return the values of the keys in a file, each with its rank by first appearance and its number of rows."""
    with tables.telling(path), tables.open_parquet(tables.address_of(path)) as file:
        tables.check_columns(path, file.schema_arrow, columns, keys)
        if not keys:
            return [(0, file.metadata.num_rows)]
        counts: dict[Values, int] = {}
        for number in range(file.num_row_groups):
            for values, rows in arrow.split(file.read_row_group(number, list(keys), use_threads=False), keys):
                counts[values] = counts.get(values, 0) + len(rows)
        return [(*values, first, count) for first, (values, count) in enumerate(counts.items())]


def number_rows(rows: Iterable[Sequence[Any]], keys: Sequence[str], paths: Mapping[str, str]) -> Survey:
    """Return the survey of values that were found in files.

    rows: each has an address, the values of the keys, a number that sorts them by first appearance in the file, and the
    number of rows with these values. paths: by address, in the order in which they were given.
    """
    order_of_files = {address: number for number, address in enumerate(paths)}
    # Files that were given come first, in that order; files that an engine found in folders follow by address
    ordered = sorted(rows, key=lambda row: (order_of_files.get(row[0], len(paths)), row[0], row[-2]))
    places = [n for n, key in enumerate(keys) if key in (SYSTEM, *PLACES)]
    partitions: dict[str, Partition] = {}
    counts: dict[Values, int] = {}
    order: dict[Values, int] = {}
    for row in ordered:
        address, *items, _, count = row
        values = tuple(map(label_of, items))
        path = paths.get(address, address)
        if not count:
            continue
        before = partitions.get(path) or Partition(len(partitions), path, address, 0, {})
        place = tuple(values[n] for n in places)
        starts = {place: counts.get(place, 0), **before.starts}  # the file's first row of a place sets this count
        partitions[path] = before._replace(rows=before.rows + count, starts=starts)
        counts[place] = counts.get(place, 0) + count
        order.setdefault(values, len(order))
    rows_of = dict.fromkeys((path for path in paths.values() if "://" not in path), 0)
    rows_of |= {path: partition.rows for path, partition in partitions.items()}
    return Survey(list(partitions.values()), rows_of, sum(rows_of.values()), order)


# --- the work on each partition

# The column that says what is wrong with a partition. If a worker raised an error instead, the engine would repeat the
# work, and then print a page of text about the error. No column of groups should have the same name.
ERROR = "error of bleu"
# The number of rows that are read at once
_BATCH = 1 << 16


class Work:
    """The work to do on each partition.

    metrics: as for `bleucli.arrow.stats_table`. hypotheses: the column of the system's output; or the columns of
    several systems, by name. The sums then have a column for the system, unless it is a key. saved: the folder in which
    each partition's statistics are kept, one row per segment; "" for none. command: the command line, which the files
    in that folder record.
    """

    def __init__(
        self,
        metrics: Metrics,
        hypotheses: str | Mapping[str, str] = "hyp",
        references: str | Sequence[str] = "ref",
        keys: Sequence[str] = (),
        saved: str = "",
        command: str = "",
    ) -> None:
        self.metrics: Mapping[str, Metric] = make_metrics(metrics)
        systems = {"": hypotheses} if isinstance(hypotheses, str) else dict(hypotheses)
        self.columns = Columns(systems, [references] if isinstance(references, str) else list(references))
        self.keys = list(keys)
        self._names_systems = not isinstance(hypotheses, str) and SYSTEM not in keys
        self.saved = saved
        self.command = command

    @property
    def names(self) -> list[str]:
        """The columns to read."""
        return list(dict.fromkeys([*self.keys, *self.columns.names()]))

    def schema(self, texts: pa.Schema) -> pa.Schema:
        """Return the schema of the sums that `count` returns; texts: the schema of the texts."""
        pa = load("pyarrow", "arrow")
        sums = arrow.merge(arrow.rows_of(None, texts.empty_table(), self.keys, self.metrics)).schema
        return sums.insert(0, pa.field(SYSTEM, pa.string())) if self._names_systems else sums

    def prepare(self, partitions: Sequence[Partition]) -> None:
        """Make the folder for the statistics that are kept."""
        if not self.saved:
            return
        expected = {partition.file_in(self.saved) for partition in partitions}
        try:
            os.makedirs(self.saved, exist_ok=True)
            paths = sorted(os.path.join(self.saved, name) for name in os.listdir(self.saved) if name[0] not in "._")
        except OSError as error:
            raise BleuError(f"cannot write {self.saved}: {error.strerror or error}; name a folder") from None
        for path in paths:
            if path not in expected:
                raise BleuError(
                    f"{path} does not belong to this run, but would be read with its files; name an empty folder"
                )

    def discard(self, partitions: Sequence[Partition]) -> None:
        """Remove the statistics that a failed run has written, since they would look complete."""
        for partition in partitions if self.saved else ():
            with suppress(FileNotFoundError):
                os.unlink(partition.file_in(self.saved))

    def check_kept(self, partitions: Sequence[Partition]) -> None:
        """Refuse a folder without the workers' files: the workers wrote to another folder with the same name."""
        for partition in partitions if self.saved else ():
            path = partition.file_in(self.saved)
            if not os.path.exists(path):
                raise BleuError(f"a worker wrote {path}, but on another machine; name a folder that all workers share")

    def count(self, batches: Batches, partition: Partition | None = None) -> pa.Table:
        """Return the sums of a partition, one row per key; or a single row that says what is wrong with it.

        batches: the rows of the partition, in order. partition: what is known about it; needed if statistics are kept.
        """
        try:
            return self._count(batches, partition)
        except BleuError as error:
            return load("pyarrow", "arrow").table({ERROR: [error.in_command()]})

    def count_file(self, partition: Partition) -> pa.Table:
        """Return the sums of a file, as `count` does; memory holds one row group."""
        return self.count(partition.read(self.names, _BATCH), partition)

    def _count(self, batches: Batches, partition: Partition | None) -> pa.Table:
        pa = load("pyarrow", "arrow")
        path = "" if partition is None else partition.path
        # The statistics that are kept, one row per segment; a second try replaces the whole file
        writer = Writer(self.metrics) if partition is not None and self.saved else None
        numbering = Numbering(None if partition is None else partition.starts)
        places = [name for name in self.keys if name in (SYSTEM, *PLACES)]
        sums: list[Any] = []
        first = 0
        for batch in batches:
            systems = arrow.count_batch(batch, self.metrics, self.columns, self.keys, first, path)
            for system in systems:
                table = arrow.merge(arrow.rows_of(system, batch, self.keys, self.metrics))
                if self._names_systems:
                    table = table.add_column(0, SYSTEM, pa.repeat(system.name, len(table)))
                sums.append(table)
            if systems:
                sums = [arrow.merge(pa.concat_tables(sums))]
            if writer is not None:
                whole = batch if isinstance(batch, pa.Table) else pa.Table.from_batches([batch])
                columns = {key: arrow.decode(whole.column(key)) for key in self.keys}
                segments = numbering.number(arrow.split(whole, places), len(whole))
                writer.add(systems, {**columns, SEGMENT: segments})
            first += len(batch)
        if writer is not None and partition is not None:
            names = [""] if SYSTEM in self.keys else list(self.columns.hypotheses)
            shards = [Shard(name, 0, partition.rows, source=path) for name in names]
            writer.save(partition.file_in(self.saved), shards, self.command)
        return sums[0] if sums else pa.table({})


def add_up(sums: Iterable[pa.Table]) -> pa.Table:
    """Add up the sums of partitions; order and grouping do not matter. If one has an error, return that instead."""
    pa = load("pyarrow", "arrow")
    parts, errors = [], []
    for part in sums:
        if ERROR in part.column_names:
            errors += [text for text in part.column(ERROR).to_pylist() if text]
            part = part.drop_columns(ERROR)  # noqa: PLW2901 - the errors have been read
        if len(part):
            parts.append(part)
    if errors:
        return pa.table({ERROR: [min(errors)]})
    return arrow.merge(pa.concat_tables(parts)) if parts else pa.table({})


def check_sums(sums: pa.Table | None, source: str = "the table") -> pa.Table:
    """Return the sums that an engine returned, after checking them; source: what errors call the table."""
    if sums is None or not len(sums):
        raise BleuError(f"{source} is empty; expected at least one row")
    if ERROR in sums.column_names:
        raise BleuError(sums.column(ERROR)[0].as_py())
    return sums


# --- the engines


def score(
    dataset: Any,
    metrics: Metrics,
    hypothesis: str = "hyp",
    references: str | Sequence[str] = "ref",
    keys: Sequence[str] = (),
    expected: int | None = None,
) -> list[Group]:
    """Score a dataset with the engine that it belongs to.

    Args:
        dataset: a bag of pyarrow tables or a data frame of Dask, a dataset of Ray Data, or a data frame of Spark. When
            a path is listed twice, Ray may drop files without a warning; `expected` shows that.
        metrics: as for `bleucli.arrow.stats_table`.
        hypothesis: the column of the system's output.
        references: the column of references, or several.
        keys: the columns to group by.
        expected: the number of segments in the dataset, which is checked; None for no check.

    Returns:
        One group per key, with its scores in percent and their signatures. Dask gives the groups in order of first
        appearance; Ray and Spark give them in any order.

    Raises:
        BleuError: as for `bleucli.arrow.stats_table` and `bleucli.arrow.scores`.
        InputTypeError: the dataset is something else.
    """
    work = Work(metrics, hypothesis, references, keys)
    for engine in ENGINES.values():
        if any(kind.__module__.startswith(engine.package) for kind in type(dataset).__mro__):
            return arrow.scores(check_sums(engine.count_dataset(dataset, work)), expected, work.metrics)
    raise InputTypeError(
        f"dataset: found {type(dataset).__name__}; give a bag or data frame of Dask, a dataset of Ray Data, or a data"
        " frame of Spark"
    )


class Dask:
    """Dask: the texts of a bag or data frame are counted where they are, and `reduction` adds up the sums."""

    package = "dask"
    survey = staticmethod(survey)

    @staticmethod
    def count_dataset(dataset: Any, work: Work) -> pa.Table:
        """Return the sums of a bag of pyarrow tables, or of a data frame."""
        bag = load("dask.bag", "dask")
        if hasattr(dataset, "to_delayed") and not isinstance(dataset, bag.Bag):
            table = load("dask", "dask").delayed(lambda frame: [load("pyarrow", "dask").Table.from_pandas(frame)])
            dataset = bag.from_delayed(list(map(table, dataset[work.names].to_delayed())))
        return Dask._add_up(dataset.map(lambda table: work.count([table])))

    @staticmethod
    def count(work: Work, partitions: Sequence[Partition]) -> pa.Table:
        """Return the sums of files, counted on the cluster at DASK_SCHEDULER_ADDRESS, else on this machine."""
        with load("distributed", "dask").Client():
            files = load("dask.bag", "dask").from_sequence(partitions, npartitions=len(partitions))
            return Dask._add_up(files.map(work.count_file))

    @staticmethod
    def _add_up(sums: Any) -> pa.Table:
        return sums.reduction(add_up, add_up, split_every=8).compute()  # in a tree, so that no worker needs all tables


class Ray:
    """Ray Data: `map_batches` counts the texts of a dataset where they are; the sums are fetched and added up."""

    package = "ray"
    survey = staticmethod(survey)

    @staticmethod
    def count_dataset(dataset: Any, work: Work) -> pa.Table:
        """Return the sums of a dataset."""

        def count_batch(batch: Any) -> Any:
            return work.count([batch])

        texts = dataset.select_columns(work.names)
        return Ray._add_up(
            texts.map_batches(count_batch, batch_format="pyarrow", batch_size=None, zero_copy_batch=True)
        )

    @staticmethod
    def count(work: Work, partitions: Sequence[Partition]) -> pa.Table:
        """Return the sums of files, counted on the cluster at RAY_ADDRESS, else on this machine."""
        load("ray", "ray").init(ignore_reinit_error=True)

        def count_files(batch: Any) -> Any:
            return add_up(work.count_file(partitions[number]) for number in batch.column("number").to_pylist())

        numbers = [{"number": number} for number in range(len(partitions))]
        files = load("ray.data", "ray").from_items(numbers, override_num_blocks=len(numbers))
        return Ray._add_up(files.map_batches(count_files, batch_format="pyarrow", batch_size=None))

    @staticmethod
    def _add_up(sums: Any) -> pa.Table:
        return add_up(load("ray", "ray").get(sums.to_arrow_refs()))


_quote = "`{}`".format  # names of statistics have dots; columns of texts and groups must not, for mapInArrow


class Spark:
    """Spark: `mapInArrow` counts the texts of a data frame where they are; Spark's own functions add up the sums."""

    package = "pyspark"

    @staticmethod
    def survey(paths: Sequence[str], columns: Columns, keys: Sequence[str]) -> Survey:
        """Return what Spark finds in files, of which it reads only the keys; see `survey` for the rest."""
        files = tables.find_local(paths)  # Spark itself opens addresses
        by_address = {tables.address_of(path): path for path in files}
        functions, types = load("pyspark.sql.functions", "spark"), load("pyspark.sql.pandas.types", "spark")
        spark = load("pyspark.sql", "spark").SparkSession.builder.appName("bleu").getOrCreate()
        texts = spark.read.parquet(*by_address)
        tables.check_columns(files[0], types.to_arrow_schema(texts.schema), columns, keys)
        rows = texts.select("_metadata.file_path", "_metadata.row_index", *map(_quote, keys))
        groups = rows.groupBy("file_path", *map(_quote, keys)).agg(functions.min("row_index"), functions.count("*"))
        return number_rows([(tables.plain_address(path), *of) for path, *of in groups.collect()], keys, by_address)

    @staticmethod
    def count_dataset(dataset: Any, work: Work) -> pa.Table:
        """Return the sums of a data frame."""
        return Spark._add_up(dataset, work, {})

    @staticmethod
    def count(work: Work, partitions: Sequence[Partition]) -> pa.Table:
        """Return the sums of files, counted where `spark-submit` or Spark's configuration says, or on this machine."""
        by_address = {tables.address_of(file.path): file for file in partitions}
        spark = load("pyspark.sql", "spark").SparkSession.builder.getOrCreate()
        # So that each partition is one file
        for name in ("maxPartitionBytes", "openCostInBytes") if work.saved else ():
            spark.conf.set(f"spark.sql.files.{name}", str(1 << 50))
        return Spark._add_up(spark.read.parquet(*by_address), work, by_address if work.saved else {})

    @staticmethod
    def _add_up(texts: Any, work: Work, by_address: Mapping[str, Partition]) -> pa.Table:
        pa = load("pyarrow", "spark")
        functions, types = load("pyspark.sql.functions", "spark"), load("pyspark.sql.pandas.types", "spark")
        texts = texts.select(*map(_quote, work.names), *(["_metadata.file_path"] if by_address else []))
        sums = work.schema(types.to_arrow_schema(texts.schema))
        schema = sums.append(pa.field(ERROR, pa.string()))

        def count_partition(batches: Iterator[Any]) -> Iterator[Any]:
            for first in islice(batches, 1):  # none in an empty partition
                path = first.column("file_path")[0].as_py() if by_address else ""
                file = by_address[tables.plain_address(path)] if by_address else None
                table = pa.concat_tables(
                    [schema.empty_table(), work.count(chain([first], batches), file)], promote_options="permissive"
                )
                yield from table.select(schema.names).cast(schema).to_batches()

        signatures = [f"{name}.{SIGNATURE}" for name in work.metrics]
        labels = [*keys_in(sums.names), *signatures]
        # Nulls do not count in a minimum, so one of the errors is left if there is any
        ways = {name: COUNTS.get(name, "sum") for name in sums.names if name not in labels} | {ERROR: "min"}
        columns = [getattr(functions, way)(_quote(name)).alias(name) for name, way in ways.items()]
        counts = texts.mapInArrow(count_partition, types.from_arrow_schema(schema))
        return add_up([counts.groupBy(*map(_quote, labels)).agg(*columns).toArrow()])


# Each is also the name of the extra that installs it
ENGINES: Mapping[str, type[Dask | Ray | Spark]] = {"dask": Dask, "ray": Ray, "spark": Spark}
