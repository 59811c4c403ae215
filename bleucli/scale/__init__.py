"""Beyond one machine: texts in tables, statistics as columns and in files, and engines that count on a cluster.

This module has the layout of statistics as columns: their names, those of metadata, and what the rows were made from.
Statistics of one segment per row, as files keep them, have the columns `system`; `testset`, `langpair` and any other
columns that identify segments or make groups; `segment` and `refs`; then those of each metric. Sums of several segments
have `segments`, `refs_min` and `refs_max` instead of `segment` and `refs`.

- `arrow`: batches of texts become tables of statistics, which can be added up and scored
- `rows`: writes them
- `files`: finds files of statistics, reads each, and adds up their rows
- `statsfiles`: files of statistics as a whole
- `tables`: files of texts
- `engines`: Dask, Ray and Spark
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from bleucli._version import __version__
from bleucli.errors import BleuError
from bleucli.metrics import Metric, find_metric, list_metrics, metric_from_signature, name_of
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    Metrics = Mapping[str, Metric | str] | Sequence[Metric | str]

# The version of the layout; files with a later one are refused
LAYOUT = "1"
SYSTEM, SEGMENT, REFERENCES = "system", "segment", "refs"
# What the texts of segments were joined to before they were counted: "doc" for documents
JOINED = "joined"
# How many of the items that have references were counted: "80of113"
PARTIAL = "partial"
# The columns that identify segments in addition to their index, in this order
PLACES = ("testset", "langpair", "part", PARTIAL, JOINED)
# The columns of sums beside those of metrics, and how each is added up
COUNTS = {"segments": "sum", "refs_min": "min", "refs_max": "max"}
# The ending of the column that says how a metric counted
SIGNATURE = "signature"
# The metadata: the layout, the program that wrote the file, the command, and the texts that each shard was made from
LAYOUT_KEY, VERSION_KEY, COMMAND_KEY, SHARDS_KEY = "bleu.stats", "bleu.version", "bleu.command", "bleu.shards"


class Shard(NamedTuple):
    """What some rows of a file were made from.

    Attributes:
        system: the name of their system.
        first: the index, from 0, of the first segment.
        rows: the number of segments.
        hypothesis: the SHA-256 of the system's file, "" if unknown.
        references: the SHA-256 of each file of references; empty if unknown.
        source: the path of the table that held the texts, "" if there was none.
    """

    system: str
    first: int
    rows: int
    hypothesis: str = ""
    references: Sequence[str] = ()
    source: str = ""


def metadata(shards: Sequence[Shard], command: str) -> dict[str, str]:
    """Return the metadata of a file."""
    return {
        LAYOUT_KEY: LAYOUT,
        VERSION_KEY: __version__,
        COMMAND_KEY: command.encode("utf-8", "backslashreplace").decode(),  # names of files need not be UTF-8
        SHARDS_KEY: json.dumps([shard._asdict() for shard in shards]),
    }


def label_of(value: object) -> object:
    """Return a value to group by; NaN, which pandas uses for missing values, becomes None.

    >>> label_of(float("nan")), label_of(0.5), label_of("nan")
    (None, 0.5, 'nan')
    """
    return None if value != value else value  # only NaN differs from itself


# --- the columns of metrics


def make_metrics(metrics: Metrics) -> dict[str, Metric]:
    """Return metrics by the names of their columns; names and signatures become metrics."""
    if isinstance(metrics, Mapping) and metrics:
        by_name = {name: _make_metric(metric) for name, metric in metrics.items()}
    else:
        by_name = {}
        for metric in map(_make_metric, list_metrics(list(metrics) if isinstance(metrics, Mapping) else metrics)):
            name = name_of(metric)
            if name in by_name:
                raise BleuError(f"two metrics would have the name {name}; choose names: {{{name!r}: ..., ...}}")
            by_name[name] = metric
    if len({metric.skip_empty_refs for metric in by_name.values() if metric.fewest_references}) > 1:
        raise BleuError(
            "skip_empty_refs changes how many references a segment has, but only some of the metrics set it; make"
            " one table with it and one without"
        )
    for metric in by_name.values():
        if metric.needs_all_references:
            raise BleuError(
                f"{metric.name} reads all references before it counts, but a batch has only some of them; leave"
                f" {metric.name} out of the table"
            )
    return by_name


def _make_metric(metric: Metric | str) -> Metric:
    return metric_from_signature(metric) if isinstance(metric, str) and ":" in metric else find_metric(metric)


def signature_of(metric: Metric) -> str:
    """Return a metric's signature as the column has it: without the number of references, which has its own columns.

    >>> signature_of(find_metric("chrf++")).partition("|version")[0]
    'chrF2++|case:mixed|eff:yes|nc:6|nw:2|space:no'
    """
    keys = [f"{key}:{value}" for key, value in metric.signature(1, 1) if key != "nrefs"]
    return "|".join([metric.score_name(), *keys])


def metrics_in(columns: Sequence[str]) -> list[str]:
    """Return the names of the metrics whose statistics are in a table with these columns.

    >>> metrics_in(["doc.id", "segments", "bleu.signature", "bleu.hyp_len", "chrf++.signature"])
    ['bleu', 'chrf++']
    """
    ending = f".{SIGNATURE}"
    return [name.removesuffix(ending) for name in columns if name.endswith(ending)]


def keys_in(columns: Sequence[str]) -> list[str]:
    """Return those columns of a table of statistics that are keys.

    >>> keys_in(["doc.id", "segments", "bleu.signature", "bleu.hyp_len"])
    ['doc.id']
    """
    metrics = metrics_in(columns)
    return [name for name in columns if not is_reserved(name, metrics)]


def is_reserved(column: str, metrics: Iterable[str]) -> bool:
    """Return whether a column of sums has this name, or would be taken for one; metrics: those in the table.

    >>> [is_reserved(column, ["bleu"]) for column in ("segments", "bleu.hyp_len", "x.signature", "bleu")]
    [True, True, True, False]
    """
    is_of_metric = column.startswith(tuple(f"{name}." for name in metrics))
    return column in COUNTS or column.endswith(f".{SIGNATURE}") or is_of_metric


def counts_in(columns: Sequence[str]) -> dict[str, list[str]]:
    """Return which columns of statistics there may be, by what comes before the last dot: the name of a metric.

    >>> counts_in(["system", "bleu.signature", "bleu.hyp_len", "doc.id"])
    {'bleu': ['hyp_len'], 'doc': ['id']}
    """
    counts: dict[str, list[str]] = {}
    for column in columns:
        name, _, count = column.rpartition(".")
        if name and count != SIGNATURE:
            counts.setdefault(name, []).append(count)
    return counts
