"""Dask: the texts of a bag or data frame are counted where they are, and `reduction` adds up the sums.

>>> import dask.bag, pyarrow as pa
>>> tables = [pa.table({"hyp": ["The cat sat."], "ref": [text]}) for text in ("The cat sat.", "A cat sat.")]
>>> with dask.config.set(scheduler="sync"):
...     (group,) = score(dask.bag.from_sequence(tables), ["chrf"], expected=2)
>>> group.segments, group.scores["chrf"]
(2, chrF2 = 88.81)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bleucli.optional_deps import load
from bleucli.scale import arrow
from bleucli.scale.engines.partitions import Partition, survey
from bleucli.scale.engines.work import Work, add_up, check_sums

__all__ = ["count", "score", "survey"]


def score(
    dataset: Any,
    metrics: arrow.Metrics,
    hypothesis: str = "hyp",
    references: str | Sequence[str] = "ref",
    keys: Sequence[str] = (),
    expected: int | None = None,
) -> list[arrow.Group]:
    """Return one group per key, with its scores in percent and their signatures.

    Dask gives the groups in order of first appearance; Ray and Spark give them in any order.

    Args:
        dataset: a bag of pyarrow tables, or a Dask data frame.
        metrics: as for `bleucli.arrow.stats_table`.
        hypothesis: the column of the system's output.
        references: the column of references, or several.
        keys: the columns to group by.
        expected: the number of segments in the dataset, which is checked; None for no check.

    Raises:
        BleuError: as for `bleucli.arrow.stats_table` and `bleucli.arrow.scores`.
    """
    work = Work(metrics, hypothesis, references, keys)
    bag = load("dask.bag", "dask")
    if hasattr(dataset, "to_delayed") and not isinstance(dataset, bag.Bag):
        table = load("dask", "dask").delayed(lambda frame: [load("pyarrow", "dask").Table.from_pandas(frame)])
        dataset = bag.from_delayed(list(map(table, dataset[work.columns].to_delayed())))
    return arrow.scores(check_sums(_add_up(dataset.map(lambda table: work.count([table])))), expected, work.metrics)


def count(work: Work, partitions: Sequence[Partition]) -> Any:
    """Return the sums of all partitions, counted on the cluster at DASK_SCHEDULER_ADDRESS, else on this machine."""
    with load("distributed", "dask").Client():
        return _add_up(
            load("dask.bag", "dask").from_sequence(partitions, npartitions=len(partitions)).map(work.count_file)
        )


def _add_up(sums: Any) -> Any:
    return sums.reduction(add_up, add_up, split_every=8).compute()  # in a tree, so that no worker needs all tables
