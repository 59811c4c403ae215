"""Ray Data: `map_batches` counts the texts of a dataset where they are; the rows of sums are fetched and added up.

When a path is listed twice, Ray may drop files of a dataset without a warning. To notice this, give the number of
segments as `expected`.
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
    """Return the scores and signatures of each group in a dataset; arguments and errors as for `dask.score`."""
    work = Work(metrics, hypothesis, references, keys)

    def count_batch(batch: Any) -> Any:
        return work.count([batch])

    counted = dataset.select_columns(work.columns).map_batches(
        count_batch, batch_format="pyarrow", batch_size=None, zero_copy_batch=True
    )
    return arrow.scores(check_sums(_add_up(counted)), expected, work.metrics)


def count(work: Work, partitions: Sequence[Partition]) -> Any:
    """Return the sums of all partitions, counted on the cluster at RAY_ADDRESS, else on this machine."""
    load("ray", "ray").init(ignore_reinit_error=True)

    def count_files(batch: Any) -> Any:
        return add_up(work.count_file(partitions[number]) for number in batch.column("number").to_pylist())

    numbers = [{"number": number} for number in range(len(partitions))]
    files = load("ray.data", "ray").from_items(numbers, override_num_blocks=len(numbers))
    return _add_up(files.map_batches(count_files, batch_format="pyarrow", batch_size=None))


def _add_up(counted: Any) -> Any:
    return add_up(load("ray", "ray").get(counted.to_arrow_refs()))
