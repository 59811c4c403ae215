"""Spark: `mapInArrow` counts the texts of a data frame where they are, and Spark's own functions add up the sums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from bleucli.optional_deps import load
from bleucli.scale import arrow, tables
from bleucli.scale.engines import partitions, work

_quote = "`{}`".format  # names of statistics have dots; columns of texts and groups must not, for mapInArrow


def score(
    dataset: Any,
    metrics: arrow.Metrics,
    hypothesis: str = "hyp",
    references: str | Sequence[str] = "ref",
    keys: Sequence[str] = (),
    expected: int | None = None,
) -> list[arrow.Group]:
    """Return the scores and signatures of each group in a data frame; arguments and errors as for `dask.score`."""
    job = work.Work(metrics, hypothesis, references, keys)
    return arrow.scores(work.check_sums(_add_up(dataset, job, {})), expected, job.metrics)


def survey(paths: Sequence[str], columns: tables.Columns, keys: Sequence[str]) -> partitions.Survey:
    """Return what Spark finds in files, of which it reads only the keys; see `partitions.survey` for the rest."""
    given = partitions.address(paths)
    functions, types = load("pyspark.sql.functions", "spark"), load("pyspark.sql.pandas.types", "spark")
    texts = load("pyspark.sql", "spark").SparkSession.builder.appName("bleu").getOrCreate().read.parquet(*given)
    tables.check_columns(next(iter(given.values())), types.to_arrow_schema(texts.schema), columns, keys)
    place = texts.select("_metadata.file_path", "_metadata.row_index", *map(_quote, keys))
    of_key = place.groupBy("file_path", *map(_quote, keys)).agg(functions.min("row_index"), functions.count("*"))
    return partitions.number_rows([(partitions.decode(path), *of) for path, *of in of_key.collect()], keys, given)


def count(job: work.Work, files: Sequence[partitions.Partition]) -> Any:
    """Return the sums of all files, counted where `spark-submit` or Spark's configuration says, or on this machine."""
    known = {partitions.address_of(file.path): file for file in files}
    spark = load("pyspark.sql", "spark").SparkSession.builder.getOrCreate()
    for name in ("maxPartitionBytes", "openCostInBytes") if job.saved else ():  # so that each partition is one file
        spark.conf.set(f"spark.sql.files.{name}", str(1 << 50))
    return _add_up(spark.read.parquet(*known), job, known if job.saved else {})


def _add_up(texts: Any, job: work.Work, known: Mapping[str, partitions.Partition]) -> Any:
    functions, types = load("pyspark.sql.functions", "spark"), load("pyspark.sql.pandas.types", "spark")
    texts = texts.select(*map(_quote, job.columns), *(["_metadata.file_path"] if known else []))
    schema = job.schema(types.to_arrow_schema(texts.schema))

    def count_partition(batches: Iterator[Any]) -> Iterator[Any]:
        for first in islice(batches, 1):  # none in an empty partition
            file = known[partitions.decode(first.column("file_path")[0].as_py())] if known else None
            yield from work.fill(job.count(chain([first], batches), file), schema).to_batches()

    counted = texts.mapInArrow(count_partition, types.from_arrow_schema(schema))
    groups = [_quote(name) for name in schema.names if name not in job.ways]
    sums = [getattr(functions, way)(_quote(name)).alias(name) for name, way in job.ways.items()]
    return work.add_up([counted.groupBy(*groups).agg(*sums).toArrow()])
