"""Arrow: a batch of texts becomes a table of statistics, which any engine can add up.

- `stats_table`: texts to statistics, one row per segment, or one row per key
- `merge`: adds up all rows of each key, in any order and grouping
- `scores`: scores and signatures of each key, from what an engine has added up

A table of statistics (layout 1) has these columns: the keys; `segments`, the number of segments; `refs_min` and
`refs_max`, the fewest and the most references that a segment has; then for each metric, such as `bleu`, a signature
that says how it counted (`bleu.signature`) and its statistics, which can be added up (`bleu.hyp_len` and so on).
Signatures are a column because every tool keeps columns, but not every tool keeps metadata.

>>> import pyarrow as pa
>>> batch = pa.table({"system": ["a", "b"], "hyp": ["The cat sat.", "A cat."], "ref": ["The cat sat."] * 2})
>>> table = stats_table(batch, ["chrf"], keys=["system"])
>>> table.column_names[:5]
['system', 'segments', 'refs_min', 'refs_max', 'chrf.signature']
>>> [(group.keys["system"], round(group.scores["chrf"].score, 1)) for group in scores(merge(table))]
[('a', 100.0), ('b', 22.1)]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bleucli import kernels
from bleucli.counting import CorpusStats, SystemStats, count
from bleucli.counting.corpus import Corpus, Source
from bleucli.errors import BleuError, InputTypeError
from bleucli.metrics import Metric, metric_that_counted
from bleucli.optional_deps import load
from bleucli.phrases import Turn, suggest, tell_count
from bleucli.records import NamedTuple
from bleucli.results.signature import Signature
from bleucli.scale import COUNTS, SIGNATURE, is_reserved, keys_in, label_of, make_metrics, metrics_in
from bleucli.scale.rows import table_of, transpose
from bleucli.text import Segments, of_arrow
from bleucli.text.buffers import lists_as_streams, to_arrow, to_numpy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from bleucli.scale import Metrics

# The number of rows that are counted at once
_BLOCK = 4096


class Group(NamedTuple):
    """What is known about one key of a table of statistics.

    A metric that did not count this key is missing from `stats`, `scores` and `signatures`.

    Attributes:
        keys: the values of the key, by column; empty if the table has no columns of keys.
        segments: the number of segments with this key.
        stats: the sums, by the names of the metrics in the table.
        scores: the scores, likewise; the number `score` of each is in percent.
        signatures: how the scores were made, likewise.
    """

    keys: Mapping[str, Any]
    segments: int
    stats: Mapping[str, CorpusStats]
    scores: Mapping[str, Any]
    signatures: Mapping[str, Signature]


# --- texts to statistics


def stats_table(
    batch: pa.Table | pa.RecordBatch,
    metrics: Metrics,
    hypothesis: str = "hyp",
    references: str | Sequence[str] = "ref",
    keys: str | Sequence[str] = (),
    rows: bool = False,
    first: int = 0,
    source: str = "",
) -> pa.Table:
    """Count a batch of texts. Columns of the types `string` and `large_string` are not copied.

    Args:
        batch: a pyarrow table or record batch. An empty one gives an empty table.
        metrics: metrics, their names such as `chrf++`, or signatures. With a list, columns have their usual names; with
            a dictionary, the names that you choose: `{"lower": BLEU(lowercase=True)}`.
        hypothesis: the column of the system's output, which must not have nulls.
        references: the column of references, or a list of such columns; nulls are missing references. A column of lists
            of strings holds any number of references for each segment.
        keys: the column to group by, or a list of such columns.
        rows: return one row per segment instead of one row per key.
        first: the index, from 0, of the batch's first row in the whole table, from which errors count rows.
        source: the name of the whole table, for errors.

    Returns:
        A pyarrow table with the columns that the description of this module lists, and one row per key, in order of
        first appearance; without `keys`, a single row.

    Raises:
        BleuError: a column is missing; a key is given twice, holds lists or records, or has the name of a column of
            statistics; a text is missing (the error names the row and its key); the metrics do not fit into one table;
            or pyarrow is not installed.
        InputTypeError: the batch is something else, or a column of texts holds something else.

    >>> import pyarrow as pa
    >>> batch = pa.table({"hyp": ["The cat sat.", "A cat."], "ref": ["The cat sat.", "The cat."]})
    >>> table = stats_table(batch, ["ter"])
    >>> table.column_names
    ['segments', 'refs_min', 'refs_max', 'ter.signature', 'ter.edits', 'ter.ref_len']
    >>> table.column("ter.edits").to_pylist(), stats_table(batch, ["ter"], rows=True).column("ter.edits").to_pylist()
    ([1], [0, 1])
    """
    pa = load("pyarrow", "arrow")
    by_name = make_metrics(metrics)
    if not isinstance(batch, pa.Table | pa.RecordBatch):
        raise InputTypeError(f"batch: found {type(batch).__name__}; give a pyarrow table or record batch")
    columns = Columns({hypothesis: hypothesis}, [references] if isinstance(references, str) else list(references))
    if not columns.references:
        raise BleuError("no column of references was named; name at least one")
    keys = [keys] if isinstance(keys, str) else list(keys)
    systems = count_batch(batch, by_name, columns, keys, first, source)
    table = rows_of(systems[0] if systems else None, batch, keys, by_name)
    return table if rows else merge(table)


class Columns(NamedTuple):
    """Which columns of a table hold texts: those of hypotheses, by system, and those of references."""

    hypotheses: Mapping[str, str] = {"hyp": "hyp"}
    references: Sequence[str] = ("ref",)

    def names(self) -> list[str]:
        """Return the names of all columns."""
        return [*self.hypotheses.values(), *self.references]


def count_batch(
    batch: pa.Table | pa.RecordBatch,
    metrics: Mapping[str, Metric],
    columns: Columns,
    keys: Sequence[str] = (),
    first: int = 0,
    source: str = "",
) -> list[SystemStats]:
    """Return the statistics of each system in a batch, with rows; an empty list for an empty batch.

    metrics: by the names of their columns. Other arguments: as for `stats_table`.
    """
    pa = load("pyarrow", "arrow")
    table = batch if isinstance(batch, pa.Table) else pa.Table.from_batches([batch])
    names = list(dict.fromkeys([*keys, *columns.names()]))
    for name in [*keys, *columns.names()]:
        number = table.column_names.count(name)
        if number != 1:
            what = f"there are {number} columns {name}" if number else f"there is no column {name}"
            choices = ", ".join(table.column_names) or "none"
            raise BleuError(f"{what}; the columns are {choices}{suggest(name, table.column_names)}")
    for key in keys:
        if keys.count(key) > 1:
            raise BleuError(f"the key {key} is given twice; name each column once")
        kind = table.schema.field(key).type
        if load("pyarrow", "arrow").types.is_nested(kind):
            raise BleuError(f"the column {key} holds values of type {kind}, which cannot make groups; choose another")
        if is_reserved(key, metrics):
            raise BleuError(f"the column {key} has the name of a column of statistics; rename it, then use it as a key")

    def blocks() -> Iterator[list[Segments]]:
        start = first
        # All columns are cut at the same rows, and not copied
        for block in table.select(names).to_batches(max_chunksize=_BLOCK):
            yield read_block(block, columns, keys, start, source)
            start += len(block)

    texts = Source("the batch", list(columns.hypotheses), blocks(), "the batch")
    corpus = Corpus([texts], [], may_be_empty=True, first=first)
    return count(corpus, list(metrics.values()), keep_rows=True)


def rows_of(
    system: SystemStats | None, batch: pa.Table | pa.RecordBatch, keys: Sequence[str], metrics: Mapping[str, Metric]
) -> pa.Table:
    """Return a table of statistics with one row per segment of a batch.

    system: its statistics, with rows; None if there are no segments. keys: the columns of keys. metrics: as for
    `count_batch`.
    """
    import numpy as np

    stats = [CorpusStats(metric) for metric in metrics.values()] if system is None else system.stats
    numbers = to_arrow(np.asarray(stats[0].nrefs if stats[0].nrefs is not None else (), np.int64))
    # In a row of one segment, the fewest references are also the most
    columns = {key: decode(batch.column(key)) for key in keys}
    columns |= {"segments": to_arrow(np.ones(len(numbers), np.int64)), "refs_min": numbers, "refs_max": numbers}
    rows = [
        transpose(metric, [one.rows] if one.rows is not None else [])
        for metric, one in zip(metrics.values(), stats, strict=True)
    ]
    return table_of(columns, metrics, rows)


def read_block(block: pa.RecordBatch, columns: Columns, keys: Sequence[str], start: int, source: str) -> list[Segments]:
    """Return some rows as a block of a corpus: columns of hypotheses, then those of references.

    keys: the columns that errors show beside the number of a row. start: the number of the first row, from 0. source:
    the name of the whole table, for errors.
    """
    where = source and f"{source}, "
    hypotheses = []
    for name in columns.hypotheses.values():
        texts = block.column(name)
        if texts.null_count:
            row = _tell_row(block, keys, start, texts.is_null().to_pylist().index(True))
            raise BleuError(f"{name} is null in {where}", row, "; give a string, an empty one for no output")
        hypotheses.append(of_arrow(texts, f"{where}{name}", start))
    streams = [
        stream for name in columns.references for stream in read_references(block.column(name), f"{where}{name}")
    ]
    if not streams:
        return hypotheses
    _, _, bare = kernels.reference_counts(streams)
    if bare >= 0:
        row = _tell_row(block, keys, start, bare)
        raise BleuError(f"all references are missing in {where}", row, "; give at least one, or leave out the row")
    return [*hypotheses, *streams]


def _tell_row(block: pa.RecordBatch, keys: Sequence[str], start: int, row: int) -> Turn:
    key = ", ".join(f"{name} {label_of(block.column(name)[row].as_py())}" for name in keys)
    number = start + row
    return Turn(f"row {number} (counting from 0{key and f'; {key}'})", f"row {number + 1}{key and f' ({key})'}")


def read_references(column: pa.Array, name: str) -> list[Segments]:
    """Return the streams of references in a column: one for strings; for lists, one for each place."""
    pa = load("pyarrow", "arrow")
    # `lists_as_streams` needs offsets: lists of a fixed size have none, and those of views may be in any order
    if pa.types.is_fixed_size_list(column.type) or str(column.type).startswith(("list_view", "large_list_view")):
        column = column.cast(pa.large_list(column.type.value_type))
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        return [of_arrow(column, name)]
    return lists_as_streams(column, of_arrow(column.values, name))


# --- adding up


def merge(table: pa.Table) -> pa.Table:
    """Add up the rows of each key. Parts may be merged first, in any order; the result is the same.

    Sums of integers are exact. TER's mean lengths of three or more references agree to 12 digits.

    Args:
        table: made by `stats_table`, or several such tables in one: `pa.concat_tables(tables)`.

    Returns:
        A table with the same columns and one row per key.

    Raises:
        BleuError: it is not a table of statistics, a key was counted in two ways, or pyarrow is not installed.

    >>> import pyarrow as pa
    >>> shards = [pa.table({"hyp": [text], "ref": ["The cat sat."]}) for text in ("The cat sat.", "A cat sat.")]
    >>> merged = merge(pa.concat_tables([stats_table(shard, ["ter"]) for shard in shards]))
    >>> merged.select(["segments", "ter.edits", "ter.ref_len"]).to_pylist()
    [{'segments': 2, 'ter.edits': 1, 'ter.ref_len': 6.0}]
    """
    pa = load("pyarrow", "arrow")
    check_table(table)
    # Arrow expects buffers that are aligned in memory; those from another process may not be
    buffers = (buffer for column in table.columns for chunk in column.chunks for buffer in chunk.buffers() if buffer)
    table = table.take(list(range(len(table)))) if any(buffer.address % 8 for buffer in buffers) else table
    names = table.column_names
    metrics = metrics_in(names)
    keys = keys_in(names)
    signatures = [f"{metric}.{SIGNATURE}" for metric in metrics]
    columns = [decode(table.column(name)) if name in (*keys, *signatures) else table.column(name) for name in names]
    sums = _add_up(pa.table(columns, names=names), [*keys, *signatures])
    _refuse_mixed(sums, keys, signatures)
    return sums


def _add_up(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Add up the rows of each key; return one row per key, in order of first appearance."""
    if not len(table):
        return table
    import numpy as np

    numbers = {name: str(place) for place, name in enumerate(table.column_names)}  # pyarrow reads .a as a path
    ways = {name: COUNTS.get(name, "sum") for name in table.column_names if name not in keys}
    # For two or more keys, pyarrow does not keep the order
    rows = table.rename_columns(list(numbers.values())).append_column(
        "row", to_arrow(np.arange(len(table), dtype=np.int64))
    )
    groups = rows.group_by([numbers[key] for key in keys], use_threads=False)
    sums = groups.aggregate([*((numbers[name], way) for name, way in ways.items()), ("row", "min")]).sort_by("row_min")
    sums = sums.select([*(numbers[key] for key in keys), *(f"{numbers[name]}_{way}" for name, way in ways.items())])
    result: pa.Table = sums.rename_columns([*keys, *ways]).select(table.column_names)
    return result


def split(table: pa.Table, keys: Sequence[str]) -> Iterator[tuple[tuple[Any, ...], NDArray[np.int64]]]:
    """Give the values that some columns have together, in order of first appearance, and the indexes of their rows.

    A key without a column is None in all rows.

    >>> import pyarrow as pa
    >>> table = pa.table({"a": [2, 1, 2], "b": ["x", None, "x"]})
    >>> [(values, rows.tolist()) for values, rows in split(table, ["a", "b", "c"])]
    [((2, 'x', None), [0, 2]), ((1, None, None), [1])]
    """
    pa, compute = load("pyarrow", "arrow"), load("pyarrow.compute", "arrow")
    import numpy as np

    if not len(table):
        return
    whole = np.zeros(len(table), np.int64)  # for each row, the number of its combination of values
    columns: list[tuple[list[Any], NDArray[Any] | int]] = []  # for each key, its values, and the index of each row's
    for key in keys:
        if key not in table.column_names:
            columns.append(([None], 0))
            continue
        column = table.column(key).combine_chunks()
        encoding = column if isinstance(column, pa.DictionaryArray) else column.dictionary_encode()
        values = [*map(label_of, encoding.dictionary.to_pylist()), None]  # the last one is that of rows without a value
        codes = encoding.indices.fill_null(len(values) - 1) if encoding.null_count else encoding.indices
        bounds = compute.min_max(codes)
        if bounds["min"] == bounds["max"]:
            columns.append((values, bounds["min"].as_py()))
            continue
        numbers = to_numpy(codes).astype(np.int64)
        columns.append((values, numbers))
        # Numbered again after each key, so that the numbers cannot overflow
        _, whole = np.unique(whole * len(values) + numbers, return_inverse=True)
    if not whole.any():
        yield tuple(values[of if isinstance(of, int) else of[0]] for values, of in columns), np.arange(len(table))
        return
    order = np.argsort(whole, kind="stable")  # so rows keep their order within a group
    starts = np.flatnonzero(np.diff(whole[order], prepend=-1))
    groups = [order[a:b] for a, b in zip(starts, [*starts[1:], len(order)], strict=True)]
    for rows in sorted(groups, key=lambda rows: int(rows[0])):
        yield tuple(values[of if isinstance(of, int) else of[rows[0]]] for values, of in columns), rows


def decode(column: Any) -> Any:
    """Return a column without its dictionary, since parts may have different ones."""
    return column.cast(column.type.value_type) if str(column.type).startswith("dictionary") else column


def check_table(table: pa.Table) -> None:
    """Refuse what is not a table of statistics."""
    missing = [name for name in COUNTS if name not in table.column_names]
    if missing or not metrics_in(table.column_names):
        lacks = ", ".join(missing) or "the signature of a metric, such as bleu.signature"
        raise BleuError(f"this is not a table of statistics: it lacks {lacks}; make it with bleucli.arrow.stats_table")


def _refuse_mixed(sums: pa.Table, keys: Sequence[str], signatures: Sequence[str]) -> None:
    """Refuse a table in which a key was counted in two ways; `sums` has one row for each key and each way."""
    if all(len(set(sums.column(name).to_pylist())) == 1 for name in signatures):
        return
    ways: dict[tuple[object, ...], tuple[object, ...]] = {}
    columns = [sums.column(name).to_pylist() for name in (*keys, *signatures)]
    for row in zip(*columns, strict=True):
        key, way = row[: len(keys)], row[len(keys) :]
        before = ways.setdefault(key, way)
        for one, other in zip(before, way, strict=True):
            if one != other:
                place = ", ".join(f"{name} {value}" for name, value in zip(keys, key, strict=True))
                whose = f" of {place}" if place else ""
                raise BleuError(
                    f"statistics{whose} with {one} and with {other} cannot be added; count both in the same way"
                )


# --- scores


def scores(table: pa.Table, expected: int | None = None, metrics: Mapping[str, Metric] | None = None) -> list[Group]:
    """Return scores and signatures of each key.

    Args:
        table: made by `stats_table`; rows of one key need not be merged first.
        expected: the number of segments of all keys together. Give it if an engine adds up the rows: some engines lose
            or duplicate rows.
        metrics: the metrics that counted, by the names of their columns; None for those that the signatures describe.

    Returns:
        One `Group` per key, in order of first appearance.

    Raises:
        BleuError: the number of segments is not as expected, the table is not one of statistics, or a key was counted
            in two ways; or pyarrow is not installed.

    >>> import pyarrow as pa
    >>> batch = pa.table({"system": ["a", "b"], "hyp": ["The cat sat.", "A cat."], "ref": ["The cat sat."] * 2})
    >>> for group in scores(stats_table(batch, ["ter"], keys=["system"]), expected=2):
    ...     print(group.keys["system"], group.segments, round(group.scores["ter"].score, 1))
    a 1 0.0
    b 1 100.0
    """
    sums = merge(table)
    segments = sum(sums.column("segments").to_pylist())
    if expected is not None and segments != expected:
        what = "lost" if segments < expected else "doubled"
        raise BleuError(
            f"the statistics cover {tell_count(segments, 'segment')}, but {expected} were expected; some were {what} on"
            " the way: check that each file was read, and that no path is listed twice"
        )
    return list(_groups(sums, metrics))


def _groups(table: pa.Table, metrics: Mapping[str, Metric] | None) -> Iterator[Group]:
    keys, names = keys_in(table.column_names), metrics_in(table.column_names)
    by_signature: dict[tuple[str, str], Metric] = {}
    for row in table.to_pylist():
        stats = {}
        for name in names:
            signature = row[f"{name}.{SIGNATURE}"]
            if signature is None:  # this key was not counted by this metric
                continue
            metric = metrics[name] if metrics is not None else by_signature.get((name, signature))
            if metric is None:
                metric = by_signature[name, signature] = metric_that_counted(signature)
            stats[name] = stats_of(metric, name, row)
        yield Group(
            {key: row[key] for key in keys},
            row["segments"],
            stats,
            {name: of_metric.score() for name, of_metric in stats.items()},
            {name: of_metric.signature() for name, of_metric in stats.items()},
        )


def stats_of(metric: Metric, name: str, row: Mapping[str, Any]) -> CorpusStats:
    """Return the sums in a row of a table of statistics; name: the metric's name in the columns."""
    titles = [f"{name}.{column}" for column in metric.column_names()]
    lacking = [title for title in titles if row.get(title) is None]
    if lacking:
        raise BleuError(
            f"there is no column {lacking[0]}, which {metric.name} needs; count the texts again with these options"
        )
    sums = tuple(row[title] for title in titles)
    return CorpusStats(metric, row["segments"], sums, row["refs_min"], row["refs_max"], (), None)
