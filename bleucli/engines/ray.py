"""Ray Data: a dataset of texts, counted by `map_batches` where it is; the rows of sums are fetched and added up.

Ray has been seen to drop files of a dataset without a word, where a path is listed twice: say how many segments are
`expected`.
"""

from collections.abc import Sequence
from typing import Any

from bleucli import arrow
from bleucli.engines.partitions import Partition, survey
from bleucli.engines.work import Work, add_up, check_sums
from bleucli.optional_deps import load

__all__ = ["count", "score", "survey"]


def score(
    dataset: Any,
    metrics: "arrow.Metrics",
    hypothesis: str = "hyp",
    references: str | Sequence[str] = "ref",
    keys: Sequence[str] = (),
    expected: int | None = None,
) -> list[arrow.Group]:
    """Return scores and signatures of each key of a dataset; arguments and errors as for `dask.score`."""
    work = Work(metrics, hypothesis, references, keys)

    def count_batch(batch: Any) -> Any:
        return work.count([batch])

    counted = dataset.select_columns(work.columns).map_batches(
        count_batch, batch_format="pyarrow", batch_size=None, zero_copy_batch=True
    )
    return arrow.scores(check_sums(_add_up(counted)), expected, work.metrics)


def count(work: Work, partitions: Sequence[Partition]) -> Any:
    """Return the sums of all partitions: on the cluster of RAY_ADDRESS, or on one of this machine."""
    load("ray", "ray").init(ignore_reinit_error=True)

    def count_files(batch: Any) -> Any:
        return add_up(work.count_file(partitions[number]) for number in batch.column("number").to_pylist())

    numbers = [{"number": number} for number in range(len(partitions))]
    files = load("ray.data", "ray").from_items(numbers, override_num_blocks=len(numbers))
    return _add_up(files.map_batches(count_files, batch_format="pyarrow", batch_size=None))


def _add_up(counted: Any) -> Any:
    return add_up(load("ray", "ray").get(counted.to_arrow_refs()))
