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
from bleucli.counting import CorpusStats
from bleucli.errors import BleuError, InputTypeError
from bleucli.metrics import Metric, find_metric, list_metrics, metric_from_signature, metric_that_counted, name_of
from bleucli.optional_deps import load
from bleucli.phrases import Turn, suggest, tell_count
from bleucli.records import NamedTuple
from bleucli.results.signature import Signature
from bleucli.text import Segments, of_arrow
from bleucli.text.buffers import lists_as_streams, text_array, to_arrow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa

    from bleucli.kernels.stats import SegmentStats

    Metrics = Mapping[str, Metric | str] | Sequence[Metric | str]

# The columns of all tables of statistics, and how each is added up
COUNTS = {"segments": "sum", "refs_min": "min", "refs_max": "max"}
# The ending of the column that says how a metric counted
SIGNATURE = "signature"
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
    made = make_metrics(metrics)
    if not isinstance(batch, pa.Table | pa.RecordBatch):
        raise InputTypeError(f"batch: found {type(batch).__name__}; give a pyarrow table or record batch")
    table = batch if isinstance(batch, pa.Table) else pa.Table.from_batches([batch])
    streams = [references] if isinstance(references, str) else list(references)
    if not streams:
        raise BleuError("no column of references was named; name at least one")
    keys = [keys] if isinstance(keys, str) else list(keys)
    wanted = [*keys, hypothesis, *streams]
    _check_columns(table, wanted, keys, made)
    table = table.select(list(dict.fromkeys(wanted)))
    counted: dict[str, list[SegmentStats]] = {name: [] for name in made}
    nrefs: list[Any] = []
    start = first
    where = source and f"{source}, "
    for block in table.to_batches(max_chunksize=_BLOCK):  # all columns are cut at the same rows, and not copied
        texts = _read_hypotheses(block, hypothesis, keys, start, where)
        read = [stream for name in streams for stream in read_references(block.column(name), name)]
        _refuse_bare(read, block, keys, start, where)
        for name, metric in made.items():
            prepared = metric.prepare_references(read, start)
            counted[name].append(metric.block_stats(texts, prepared, start, hypothesis))
        nrefs.append(prepared.counts())  # the same for each metric, because `make_metrics` refuses others
        start += len(block)
    by_row = _assemble([(key, _decode(table.column(key))) for key in keys], len(table), nrefs, counted, made)
    return sign(by_row, made, coded=True) if rows else sign(_add_up(by_row, keys), made)


def make_metrics(metrics: Metrics) -> dict[str, Metric]:
    """Return metrics by the names of their columns; names and signatures become metrics.

    Raises:
        BleuError: no metric is given, two have the same name, or a name or signature is unknown; or the metrics do not
            fit into one table: only some set `skip_empty_refs`, or one reads all references before it counts.
        InputTypeError: `metrics` is something else.
    """
    named = metrics if isinstance(metrics, Mapping) else {}
    found = {name: _metric_of(metric) for name, metric in named.items()}
    for one in [] if named else list_metrics(list(metrics) if isinstance(metrics, Mapping) else metrics):
        metric = _metric_of(one)
        name = name_of(metric)
        if name in found:
            raise BleuError(f"two metrics would have the name {name}; choose names: {{{name!r}: ..., ...}}")
        found[name] = metric
    if len({metric.skip_empty_refs for metric in found.values()}) > 1:
        raise BleuError(
            "skip_empty_refs changes how many references a segment has, but only some of the metrics set it; make"
            " one table with it and one without"
        )
    for metric in found.values():
        if metric.needs_all_references:
            raise BleuError(
                f"{metric.name} reads all references before it counts, but a batch has only some of them; leave"
                f" {metric.name} out of the table"
            )
    return found


def _metric_of(given: Metric | str) -> Metric:
    """Return the metric that an object, a name or a signature stands for."""
    return metric_from_signature(given) if isinstance(given, str) and ":" in given else find_metric(given)


def _check_columns(table: pa.Table, wanted: Sequence[str], keys: Sequence[str], metrics: Mapping[str, Metric]) -> None:
    """Refuse columns that are missing or not unique, and keys that cannot make groups."""
    for name in wanted:
        count = table.column_names.count(name)
        if count != 1:
            told = f"there are {count} columns {name}" if count else f"there is no column {name}"
            known = ", ".join(table.column_names) or "none"
            raise BleuError(f"{told}; the columns are {known}{suggest(name, table.column_names)}")
    for key in keys:
        if keys.count(key) > 1:
            raise BleuError(f"the key {key} is given twice; name each column once")
        kind = table.schema.field(key).type
        if load("pyarrow", "arrow").types.is_nested(kind):
            raise BleuError(f"the column {key} holds values of type {kind}, which cannot make groups; choose another")
        if key in COUNTS or any(key.startswith(f"{name}.") for name in metrics):
            raise BleuError(f"the column {key} has the name of a column of statistics; rename it, then use it as a key")


def _read_hypotheses(block: pa.RecordBatch, name: str, keys: Sequence[str], start: int, where: str) -> Segments:
    column = block.column(name)
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        raise BleuError(
            f"{name} is null in {where}",
            _tell_row(block, keys, start, row),
            "; give a string, an empty one for no output",
        )
    return of_arrow(column, name, start)


def _refuse_bare(
    streams: Sequence[Segments], block: pa.RecordBatch, keys: Sequence[str], start: int, where: str
) -> None:
    """Refuse a segment without references."""
    _, _, bare = kernels.reference_counts(streams)
    if bare >= 0:
        row = _tell_row(block, keys, start, bare)
        raise BleuError(f"all references are missing in {where}", row, "; give at least one, or leave out the row")


def _tell_row(block: pa.RecordBatch, keys: Sequence[str], start: int, row: int) -> Turn:
    """Return the number of a row of the batch, and its key."""
    key = ", ".join(f"{name} {block.column(name)[row].as_py()}" for name in keys)
    number = start + row
    return Turn(f"row {number} (counting from 0{key and f'; {key}'})", f"row {number + 1}{key and f' ({key})'}")


def read_references(column: pa.Array, name: str) -> list[Segments]:
    """Return the streams of references in a column: one for strings; for lists, as many as the longest list has items.

    Raises:
        InputTypeError: the column holds something else.
        BleuError: the column is not valid Arrow text.
    """
    pa = load("pyarrow", "arrow")
    # `lists_as_streams` needs offsets: lists of a fixed size have none, and those of views may be in any order
    if pa.types.is_fixed_size_list(column.type) or str(column.type).startswith(("list_view", "large_list_view")):
        column = column.cast(pa.large_list(column.type.value_type))
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        return [of_arrow(column, name)]
    return lists_as_streams(column, of_arrow(column.values, name))


def _assemble(
    keys: Sequence[tuple[str, Any]],
    count: int,
    nrefs: Sequence[Any],
    counted: Mapping[str, Sequence[SegmentStats]],
    metrics: Mapping[str, Metric],
) -> pa.Table:
    """Return a table of statistics with one row per segment, unsigned.

    Args:
        keys: the names and columns of the keys.
        count: the number of rows.
        nrefs: for each block, the number of references of each segment.
        counted: for each metric, the statistics of each block.
        metrics: the metrics that counted them.
    """
    pa = load("pyarrow", "arrow")
    import numpy as np

    numbers = np.concatenate([np.zeros(0, np.int64), *(np.asarray(block, np.int64) for block in nrefs)])
    columns = [*keys, ("segments", to_arrow(np.ones(count, np.int64))), ("refs_min", to_arrow(numbers))]
    columns.append(("refs_max", columns[-1][1]))  # in a row of one segment, the fewest references are also the most
    for name, blocks in counted.items():
        columns += columns_of(metrics[name], name, blocks)
    return pa.table([column for _, column in columns], names=[name for name, _ in columns])


def columns_of(metric: Metric, name: str, blocks: Sequence[SegmentStats]) -> list[tuple[str, Any]]:
    """Return blocks of a metric's statistics as columns with their names; name: the metric's name in the table."""
    import numpy as np

    names = metric.column_names()
    count = sum(map(len, blocks))
    columns = np.empty((len(names), count), np.asarray(blocks[0]).dtype if blocks else np.int64)
    start = 0
    for block in blocks:
        rows = np.asarray(block)
        for first in range(0, len(rows), _BLOCK):  # transposing is faster in pieces that fit into the processor's cache
            piece = rows[first : first + _BLOCK]
            columns[:, start : start + len(piece)] = piece.T
            start += len(piece)
    kinds = [np.float64 if column in metric.fractions else np.int64 for column in names]
    return [
        (f"{name}.{column}", to_arrow(numbers.astype(kind, copy=False)))
        for column, numbers, kind in zip(names, columns, kinds, strict=True)
    ]


def sign(table: pa.Table, metrics: Mapping[str, Metric], coded: bool = False) -> pa.Table:
    """Return a table of statistics with a column of signatures before each metric's numbers; coded: as dictionaries."""
    pa = load("pyarrow", "arrow")
    import numpy as np

    for name, metric in metrics.items():
        place = table.column_names.index(f"{name}.{metric.column_names()[0]}")
        codes = to_arrow(np.zeros(len(table), np.int8))
        column = pa.DictionaryArray.from_arrays(codes, text_array([signature_of(metric)]))
        table = table.add_column(place, f"{name}.{SIGNATURE}", column if coded else column.cast(pa.string()))
    return table


def signature_of(metric: Metric) -> str:
    """Return a metric's signature as the column has it: without the number of references, which has its own columns.

    >>> signature_of(find_metric("chrf++")).partition("|version")[0]
    'chrF2++|case:mixed|eff:yes|nc:6|nw:2|space:no'
    """
    signature = metric.signature(1, 1)
    return "|".join([metric.score_name(), *(f"{key}:{value}" for key, value in signature if key != "nrefs")])


# --- adding up


def metrics_in(names: Sequence[str]) -> list[str]:
    """Return the names of the metrics whose statistics are in a table with these columns.

    >>> metrics_in(["doc.id", "segments", "bleu.signature", "bleu.hyp_len", "chrf++.signature"])
    ['bleu', 'chrf++']
    """
    ending = f".{SIGNATURE}"
    return [name.removesuffix(ending) for name in names if name.endswith(ending)]


def keys_in(names: Sequence[str]) -> list[str]:
    """Return those columns of a table of statistics that are keys.

    >>> keys_in(["doc.id", "segments", "bleu.signature", "bleu.hyp_len"])
    ['doc.id']
    """
    counted = tuple(f"{metric}." for metric in metrics_in(names))
    return [name for name in names if name not in COUNTS and not name.startswith(counted)]


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
    table = _align(table)
    names = table.column_names
    metrics = metrics_in(names)
    keys = keys_in(names)
    signatures = [f"{metric}.{SIGNATURE}" for metric in metrics]
    columns = [_decode(table.column(name)) if name in (*keys, *signatures) else table.column(name) for name in names]
    merged = _add_up(pa.table(columns, names=names), [*keys, *signatures])
    _refuse_mixed(merged, keys, signatures)
    return merged


def _add_up(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Add up the rows of each key; return one row per key."""
    if not len(table):
        return table
    names = table.column_names
    numbered = {name: str(place) for place, name in enumerate(names)}  # pyarrow reads names such as .a as paths
    ways = {name: COUNTS.get(name, "sum") for name in names if name not in keys}
    summed = group(
        table.rename_columns(list(numbered.values())),
        [numbered[key] for key in keys],
        [(numbered[name], way) for name, way in ways.items()],
    )
    summed = summed.select(
        [*(numbered[key] for key in keys), *(f"{numbered[name]}_{way}" for name, way in ways.items())]
    )
    found: pa.Table = summed.rename_columns([*keys, *ways]).select(names)
    return found


def group(table: pa.Table, keys: Sequence[str], ways: Sequence[tuple[str | list[str], str]]) -> pa.Table:
    """Return one row per key, in order of first appearance. For two or more keys, pyarrow does not keep this order.

    Args:
        table: a table none of whose columns is called `row`.
        keys: the columns of keys.
        ways: what is aggregated, as for `pyarrow.TableGroupBy.aggregate`.

    >>> import pyarrow as pa
    >>> group(pa.table({"a": [2, 1, 2], "b": [0, 0, 0], "n": [5, 6, 7]}), ["a", "b"], [("n", "sum")]).to_pylist()
    [{'a': 2, 'b': 0, 'n_sum': 12}, {'a': 1, 'b': 0, 'n_sum': 6}]
    """
    import numpy as np

    numbered = table.append_column("row", to_arrow(np.arange(len(table), dtype=np.int64)))
    grouped = numbered.group_by(list(keys), use_threads=False).aggregate([*ways, ("row", "min")])
    ordered: pa.Table = grouped.sort_by("row_min").drop_columns(["row_min"])
    return ordered


def _align(table: pa.Table) -> pa.Table:
    """Return a table whose buffers are aligned in memory, as Arrow expects; those from another process may not be."""
    buffers = (buffer for column in table.columns for chunk in column.chunks for buffer in chunk.buffers() if buffer)
    return table.take(list(range(len(table)))) if any(buffer.address % 8 for buffer in buffers) else table


def _decode(column: Any) -> Any:
    """Return a column without its dictionary, since parts may have different ones."""
    return column.cast(column.type.value_type) if str(column.type).startswith("dictionary") else column


def check_table(table: pa.Table) -> None:
    """Refuse what is not a table of statistics.

    Raises:
        BleuError: it lacks columns, which the error names.
    """
    missing = [name for name in COUNTS if name not in table.column_names]
    if missing or not metrics_in(table.column_names):
        lacks = ", ".join(missing) or "the signature of a metric, such as bleu.signature"
        raise BleuError(f"this is not a table of statistics: it lacks {lacks}; make it with bleucli.arrow.stats_table")


def _refuse_mixed(summed: pa.Table, keys: Sequence[str], signatures: Sequence[str]) -> None:
    """Refuse a table in which a key was counted in two ways; `summed` has one row for each key and each way."""
    if all(len(set(summed.column(name).to_pylist())) == 1 for name in signatures):
        return
    found: dict[tuple[object, ...], tuple[object, ...]] = {}
    columns = [summed.column(name).to_pylist() for name in (*keys, *signatures)]
    for row in zip(*columns, strict=True):
        key, way = row[: len(keys)], row[len(keys) :]
        before = found.setdefault(key, way)
        for one, other in zip(before, way, strict=True):
            if one != other:
                told = ", ".join(f"{name} {value}" for name, value in zip(keys, key, strict=True))
                whose = f" of {told}" if told else ""
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
    merged = merge(table)
    found = sum(merged.column("segments").to_pylist())
    if expected is not None and found != expected:
        lost = "lost" if found < expected else "doubled"
        raise BleuError(
            f"the statistics cover {tell_count(found, 'segment')}, but {expected} were expected; some were {lost} on"
            " the way: check that each file was read, and that no path is listed twice"
        )
    return list(_groups(merged, metrics))


def _groups(table: pa.Table, metrics: Mapping[str, Metric] | None) -> Iterator[Group]:
    keys, names = keys_in(table.column_names), metrics_in(table.column_names)
    made: dict[tuple[str, str], Metric] = {}
    for row in table.to_pylist():
        stats = {}
        for name in names:
            signature = row[f"{name}.{SIGNATURE}"]
            if signature is None:  # this key was not counted by this metric
                continue
            metric = metrics[name] if metrics is not None else made.get((name, signature))
            if metric is None:
                metric = made[name, signature] = metric_that_counted(signature)
            stats[name] = stats_of(metric, name, row)
        yield Group(
            {key: row[key] for key in keys},
            row["segments"],
            stats,
            {name: one.score() for name, one in stats.items()},
            {name: one.signature() for name, one in stats.items()},
        )


def stats_of(metric: Metric, name: str, row: Mapping[str, Any]) -> CorpusStats:
    """Return the sums in a row of a table of statistics; name: the metric's name in the columns.

    Raises:
        BleuError: a column that the metric needs is missing.
    """
    titles = [f"{name}.{column}" for column in metric.column_names()]
    lacking = [title for title in titles if row.get(title) is None]
    if lacking:
        raise BleuError(
            f"there is no column {lacking[0]}, which {metric.name} needs; count the texts again with these options"
        )
    sums = tuple(row[title] for title in titles)
    return CorpusStats(metric, row["segments"], sums, row["refs_min"], row["refs_max"], (), None)
