"""Files of statistics: counts in Parquet files, which can be scored, tested, grouped and added up without the texts.

- `write` writes the statistics of systems; `Writer` does so block by block; `write_sums` writes the sums of groups
- `read` reads files, which may be shards of one corpus, as `Statistics`
- `Statistics`: the contents of several files as a whole: scores of systems and groups, and one merged file
- `check_references`: checks that systems were counted against the same references

Layout, version 1. One row per segment of a system: `system`; `testset`, `langpair` and any other columns that identify
segments or make groups; `segment`, its index from 0; `refs`, the number of its references; then for each metric its
signature and its statistics, as in `bleucli.arrow`. A file of sums has one row per group instead, with `segments`,
`refs_min` and `refs_max`. Signatures are a column because every tool keeps columns, but not every tool keeps metadata.
The metadata says where the rows come from; no score depends on it.

>>> import os, tempfile
>>> from bleucli import BLEU
>>> folder = tempfile.TemporaryDirectory()
>>> path = os.path.join(folder.name, "dog.parquet")
>>> texts = ["The dog bit the man.", "It was not unexpected."], [["The dog bit the man.", "It wasn't surprising."]]
>>> write(path, {"dog": BLEU().corpus_stats(*texts, keep_rows=True)})
>>> statistics = read(path)
>>> statistics.systems, statistics.stats("dog").score()
(['dog'], BLEU = 61.01 72.7/55.6/57.1/60.0 (BP = 1.000 ratio = 1.100 hyp_len = 11 ref_len = 10))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from bleucli.counting import CorpusStats, Part, SystemStats
from bleucli.errors import BleuError
from bleucli.limits import file_path
from bleucli.metrics import METRICS, Metric, metric_that_counted, reading
from bleucli.metrics.options import CHOICE
from bleucli.metrics.segment_scores import SegmentScores
from bleucli.optional_deps import load
from bleucli.phrases import Turn, suggest, tell_count
from bleucli.results.signature import Signature
from bleucli.scale import (
    COUNTS,
    JOINED,
    PARTIAL,
    PLACES,
    REFERENCES,
    SEGMENT,
    SIGNATURE,
    SYSTEM,
    Shard,
    counts_in,
    label_of,
    metadata,
)
from bleucli.scale.arrow import split
from bleucli.scale.files import (
    AGAIN,
    Places,
    StatsFile,
    Tally,
    check_counts,
    check_numbers,
    check_references,
    find_files,
)
from bleucli.scale.rows import ROWS, Table, Writer, table_of, write, write_sums
from bleucli.text.buffers import to_arrow, to_numpy
from bleucli.text.labels import number
from bleucli.text.wholefiles import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import Any

    import pyarrow as pa

    Difference = tuple[str, str, str]  # a key, its value in a file, and the value asked for

__all__ = ["Part", "Shard", "Statistics", "Writer", "check_references", "find_files", "read", "write", "write_sums"]

# The name of a system if no column gives one
_UNNAMED = "system"


def read(*paths: str | os.PathLike[str]) -> Statistics:
    """Return the statistics in files, which may be shards of one corpus, in any order.

    Args:
        paths: files, folders of such files, or patterns such as `shards/*.parquet`.

    Raises:
        BleuError: a file does not exist, is damaged, holds no statistics, or has a newer layout; a pattern or folder
            has no file; no path is given; or pyarrow is not installed.
        InputTypeError: a path is neither a string nor a path.

    >>> import os, tempfile
    >>> from bleucli import CHRF
    >>> folder = tempfile.TemporaryDirectory()
    >>> for first, text in enumerate(["The cat sat.", "A cat sat."]):
    ...     stats = CHRF().corpus_stats([text], [["The cat sat."]], keep_rows=True)
    ...     write(os.path.join(folder.name, f"{first}.parquet"), {"cat": stats}, first=first)
    >>> read(os.path.join(folder.name, "*.parquet")).stats("cat").score()
    chrF2 = 81.13
    """
    if not paths:
        raise BleuError("no file was given; name at least one file of statistics")
    return Statistics([StatsFile(path) for path in find_files(map(file_path, paths))])


class Statistics:
    """The contents of files of statistics; `read` makes it.

    Attributes:
        files: the paths of the files.
        systems: the names of the systems, in order of appearance.
        metrics: the signatures of the metrics that all files have, by their names in the files.
        left_out: by their names, the metrics that some files lack, each with a file that has it.
        columns: the columns by which segments can be grouped.
        is_summed: whether a file holds sums; single segments are then unknown.
    """

    def __init__(self, files: Sequence[StatsFile]) -> None:
        self._files = files
        self.files = [file.path for file in files]
        filled = [file for file in files if file.rows] or list(files)  # empty shards may lack signatures and systems
        self._filled = filled
        common = [name for name in filled[0].signatures if all(name in file.signatures for file in filled)]
        self.metrics = {name: (filled[0].signatures[name] or [""])[0] for name in common}
        self.left_out = {name: file.path for file in filled for name in file.signatures if name not in common}
        # Shards nearly always have the same columns and signatures, which need only one check
        kinds: dict[str, StatsFile] = {}
        for file in filled:
            kinds.setdefault(repr((file.columns, file.signatures)), file)
        for file in kinds.values():
            _check_signatures(file)
        self.columns = list(dict.fromkeys(key for file in files for key in file.keys if key != SYSTEM))
        self.is_summed = any(file.is_summed for file in files)
        self._columns: dict[str, SegmentScores] = {}
        # What these need: by place, the number of segments before it; and the number of all segments
        self._starts: dict[tuple[Any, ...], int] = {}
        self._segments = 0
        self._homes: dict[str, str] = {}  # by system, the first file that has it
        self._met: list[tuple[Any, ...]] = []
        for file in filled:
            names = file.values_of(SYSTEM) if SYSTEM in file.columns else [_UNNAMED]
            for name in map(_name_system, names):
                self._homes.setdefault(name, file.path)
        self.systems = list(self._homes)
        if self.is_summed:
            _refuse_twice(files)

    def choose(
        self, kind: str, given: Mapping[str, Any] | None = None, like: Signature | None = None, in_command: bool = False
    ) -> tuple[str, Metric]:
        """Return a metric's name in the files, and the metric to score with.

        kind: as in `METRICS`. given: the arguments of its constructor that the user gave; the others come from the
        signature in the files. like: the signature of a score to reproduce. in_command: whether messages name options
        of the command.
        """
        candidates: list[tuple[str, Metric, tuple[str, str, str] | None]] = []
        for name, text in self.metrics.items():
            if self.kind_of(name) == kind:
                signature = Signature.parse(text)
                metric = metric_that_counted(signature, given, in_command)
                difference = reading.find_difference(metric, signature, several=True)
                if difference is None and like is not None:
                    other = reading.find_difference(metric, like, several=True)
                    difference = other and (other[0], other[2], other[1])
                candidates.append((name, metric, difference))
        if not candidates:
            self.refuse_without(METRICS[kind].name, lambda file, name: _kind_of(file, name) == kind)
            raise BleuError(f"no {METRICS[kind].name} has the same name in all files; read them separately")
        for name, metric, difference in candidates:
            if difference is None:
                return name, metric
        for name, metric, (key, *_) in candidates:  # type: ignore[misc]
            # If it decides which of several references counts, counting shows whether a segment has several
            if any(option.decides == CHOICE and key in (option.key, option.name) for option in metric.options):
                return name, metric
        _, metric, difference = candidates[0]
        assert difference is not None
        raise _counted_otherwise(self._filled[0].path, metric, difference)

    def refuse_without(self, what: str, has: Callable[[StatsFile, str], bool]) -> None:
        """Refuse the first file that lacks a metric, as messages call it; has: whether a name in a file is its."""
        if not any(file.rows for file in self._filled):
            raise BleuError(f"{self.files[0]} holds no segments; choose another file")
        for file in self._filled:
            if not any(has(file, name) for name in file.signatures):
                raise BleuError(f"{file.path} has no {what}; it has {', '.join(file.signatures)}")

    def add(self, name: str, scores: SegmentScores) -> None:
        """Add scores from elsewhere as a column of this name: one for each segment, place by place.

        Files must not hold sums, nor have such a column.
        """
        for file in self._files:
            if name in file.signatures:
                raise BleuError(f"{file.path} has {name} already; choose another name for these scores")
            if file.is_summed:
                raise BleuError(f"{file.path} holds sums, but scores are those of segments; name files of segments")
        if not self._starts:
            self._find_starts()
        scores.check_count(self._segments)
        self._columns[name] = scores

    def _find_starts(self) -> None:
        """Find out where the segments of each place begin if those of one place follow those of another."""
        lengths: dict[tuple[Any, ...], int] = {}
        for file in self._filled:
            start = 0
            for table in file.row_groups([key for key in (*PLACES, SEGMENT) if key in file.columns]):
                segments = to_numpy(check_numbers(table, {SEGMENT: False}, file.path, start).column(SEGMENT))
                start += len(table)
                for place, rows in split(table, PLACES):
                    lengths[place] = max(lengths.get(place, 0), int(segments[rows].max()) + 1)
        for place, length in lengths.items():
            self._starts[place] = self._segments
            self._segments += length

    def _read(self, file: StatsFile, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Give the rows of a file with those of some columns that it has, and with the columns that were added."""
        names = [name for name in dict.fromkeys(columns) if name in file.columns]
        return map(self._with_scores, file.row_groups(names) if file.rows else ())

    def _with_scores(self, table: pa.Table) -> pa.Table:
        if not self._columns:
            return table
        import numpy as np

        # Another program may have changed the type
        segments = to_numpy(table.column(SEGMENT).cast("int64"))
        of_rows = {name: np.empty((len(table), 2)) for name in self._columns}
        for (system, *place), rows in split(table, [SYSTEM, *PLACES]):
            for name, scores in self._columns.items():
                of_rows[name][rows] = scores.take(_name_system(system), segments[rows] + self._starts[tuple(place)])
        added = table_of({SEGMENT: segments}, self._columns, [rows.T for rows in of_rows.values()])
        for name in added.column_names[1:]:
            table = table.append_column(name, added.column(name))
        return table

    def kind_of(self, name: str) -> str | None:
        """Return which of `METRICS` a name in the files stands for; None if it is another metric."""
        return _kind_of(self._filled[0], name)

    def count(
        self, metrics: Mapping[str, Metric], by: Sequence[str] = (), keep_rows: bool = False, documents: str = ""
    ) -> list[Part]:
        """Return the statistics of all systems: one part per group, in order of first appearance.

        A system is left out of groups in which it has no rows.

        Args:
            metrics: the metrics to score with, by their names in the files.
            by: the columns to group segments by; none for a single group of all segments.
            keep_rows: keep the statistics of each segment.
            documents: the column that names the document of each segment, "" if it is of no interest.

        Raises:
            BleuError: a segment occurs twice or is missing, something was counted in another way, there is no such
                column, or rows are wanted but files hold sums.
        """
        self._check_columns(metrics, [*by, *filter(None, [documents])])
        if keep_rows and self.is_summed:
            path = next(file.path for file in self._files if file.is_summed)
            raise BleuError(
                f"{path} holds sums, but this needs each segment's statistics; save them with ",
                Turn("statsfiles.write(...)", "bleu count"),
            )
        signatures = [f"{name}.{SIGNATURE}" for name in metrics]
        keys = [SYSTEM, *PLACES, *by, *signatures]
        fractional = {
            f"{name}.{column}": column in metric.fractions
            for name, metric in metrics.items()
            for column in metric.column_names()
        }
        segments_met = Places()
        groups: dict[tuple[Any, ...], dict[str, Tally]] = {}  # by labels and systems
        order: dict[tuple[Any, ...], None] = {}
        accepted: set[tuple[str, str, bool]] = set()
        for file in self._files:
            counts = tuple(COUNTS) if file.is_summed else (SEGMENT, REFERENCES)
            fractions = dict.fromkeys(counts, False) | fractional
            of_documents = documents if documents in file.columns and documents not in keys else ""
            start = 0
            for table in self._read(file, [*keys, of_documents, *fractions]):
                numbers = check_numbers(table, fractions, file.path, start)
                check_counts(numbers, metrics, file.path, start)
                start += len(table)
                # `values` are the system, the columns of its place, the labels of the group, and the signatures
                for values, indexes in split(numbers, keys):
                    rows = numbers.select([*fractions, *filter(None, [of_documents])])
                    rows = rows if len(indexes) == len(rows) else rows.take(to_arrow(indexes))
                    # A column that also makes groups has one value here
                    names_of_documents = rows.column(of_documents).to_pylist() if of_documents else []
                    if documents in by:
                        names_of_documents = [values[keys.index(documents)]] * len(rows)
                    system, places = _name_system(values[0]), values[1 : 1 + len(PLACES)]
                    labels = values[1 + len(PLACES) : len(values) - len(signatures)]
                    self._check_rows(file, metrics, values[len(values) - len(signatures) :], rows, accepted)
                    tally = groups.setdefault(labels, {}).setdefault(system, Tally(metrics))
                    order.setdefault(places)
                    if not file.is_summed:
                        segments_met.add((system, *places), to_numpy(rows.column(SEGMENT)), file.path)
                    if keep_rows:
                        tally.add_rows(places, rows, names_of_documents)
                    else:
                        tally.add_sums(rows)
        _refuse_parts(order)
        segments_met.check()
        self._met = list(order)
        if len({place[PLACES.index(JOINED)] for place in order}) > 1:
            raise BleuError("some rows are of whole documents, and others are not; score them separately")
        parts = []
        for labels, of in groups.items():
            tallies = {name: of[name].stats(list(order)) for name in self.systems if name in of}
            systems = [SystemStats(name, stats, None) for name, (stats, _) in tallies.items()]
            _, names = next(iter(tallies.values()))
            is_whole = names and all(name is not None for _, name in names)
            parts.append(Part(list(zip(by, labels, strict=True)), systems, number(names) if is_whole else None))
        return parts

    def _check_columns(self, metrics: Mapping[str, Metric], by: Sequence[str]) -> None:
        for name in by:
            if name not in self.columns:
                columns = ", ".join(self.columns) or "none"
                what = f"there is no column {name} to group by; there are {columns}{suggest(name, self.columns)}"
                raise BleuError(what, Turn("", f"; bleu count --by {name} keeps it"))
        for name, metric in metrics.items():
            for file in self._files:
                missing = [one for one in metric.column_names() if f"{name}.{one}" not in file.columns]
                if file.rows and missing and name not in self._columns:
                    raise BleuError(
                        f"{file.path} has no column {name}.{missing[0]}, which {metric.name} needs; count the texts"
                        " again with these options"
                    )

    def _check_rows(
        self,
        file: StatsFile,
        metrics: Mapping[str, Metric],
        signatures: Sequence[Any],
        rows: pa.Table,
        accepted: set[tuple[str, str, bool]],
    ) -> None:
        most = rows.column("refs_max" if file.is_summed else REFERENCES)
        several = bool(load("pyarrow.compute", "arrow").max(most).as_py() > 1)
        for (name, metric), text in zip(metrics.items(), signatures, strict=True):
            if text is None:
                raise BleuError(f"{file.path} has rows that {name} has not counted; leave {name} out, or count them")
            if (name, text, several) in accepted:
                continue
            difference = reading.find_difference(metric, Signature.parse(text), several)
            if difference is not None:
                raise self._mixed(file, name, text, metric, difference)
            accepted.add((name, text, several))

    def _mixed(self, file: StatsFile, name: str, text: str, metric: Metric, difference: Difference) -> BleuError:
        """Return the error about rows that were counted in another way than asked for, or than in another file."""
        first = self.metrics.get(name, "")
        if text != first and reading.find_difference(metric, Signature.parse(first), several=True) is None:
            key, theirs, ours = difference
            before = self._filled[0].path
            return BleuError(
                f"{file.path} has {metric.name} with {key}:{theirs} but {before} with {key}:{ours}; statistics"
                " of different signatures cannot be added: count both in the same way"
            )
        return _counted_otherwise(file.path, metric, difference)

    def stats(self, system: str | None = None, metric: str | None = None, keep_rows: bool = False) -> CorpusStats:
        """Return the statistics of one system by one metric.

        Args:
            system: its name; None if there is only one.
            metric: its name in the files; None if there is only one.
            keep_rows: keep the statistics of each segment, for `take` and for tests.

        Raises:
            BleuError: no system or metric has that name, or there are several and none is named; a segment occurs twice
                or is missing; files were counted in different ways; or rows are wanted, but the files hold sums.
        """
        system = _choose(self.systems, system, "system")
        metric = _choose(list(self.metrics), metric, "metric")
        (part,) = self.count({metric: metric_that_counted(self.metrics[metric])}, keep_rows=keep_rows)
        return next(each.stats[0] for each in part.systems if each.name == system)

    def values_met(self, column: str) -> list[str]:
        """Return the values that `count` found in a column of places; an empty list if a row has no value there.

        Where only some rows are a part of their items, the others are "all".
        """
        values = [place[PLACES.index(column)] for place in self._met]
        if column == PARTIAL and any(value is not None for value in values):
            values = ["all" if value is None else value for value in values]
        return [] if None in values else [str(value) for value in values]

    def home(self, system: str) -> str:
        """Return the first file that has rows of a system."""
        return self._homes[system]

    def digests(self) -> Iterator[tuple[str, int, str]]:
        """Give the path, the number of rows and the SHA-256 of each file."""
        for file in self._files:
            yield file.path, file.rows, digest(file.path)

    def shards(self) -> list[Shard]:
        """Return what is known about the texts that the rows were made from."""
        return [shard for file in self._files for shard in file.shards()]

    def keep_small(self) -> None:
        """Keep the rows of small files once they are read, up to those of a row group; merging needs them twice."""
        rows = 0
        for file in sorted(self._files, key=lambda file: file.rows):
            rows += file.rows
            file.keeps = rows <= ROWS

    def write(self, path: str | os.PathLike[str], command: str = "") -> None:
        """Write all rows with all columns to one file.

        Args:
            path: the path of the file to write, which may be one of those that were read.
            command: the command line, which the file keeps as a note.

        Raises:
            BleuError: the files have different metrics, only some of them hold sums, or the file cannot be written.
        """
        pa = load("pyarrow", "arrow")
        first = self._files[0]
        for file in self._files:
            for name in {*first.signatures} ^ {*file.signatures}:
                one, other = (first, file) if name in first.signatures else (file, first)
                raise BleuError(f"{other.path} has no {name}, which {one.path} has; merge files of the same metrics")
            if file.is_summed != first.is_summed:
                raise BleuError(
                    f"one of {first.path} and {file.path} holds sums, and the other segments; merge files of one kind"
                )
        schemas = [_plain_schema(self._with_scores(file.schema().empty_table()).schema) for file in self._files]
        try:
            whole = pa.unify_schemas(schemas, promote_options="permissive")
        except pa.ArrowException as error:
            reason = " ".join(str(error).split())
            raise BleuError(f"columns with the same name have different types ({reason}); rename one") from None
        table = Table()
        held: list[Any] = []  # row groups of small shards are written together, which takes less time
        for file in self._files:
            for rows in map(self._with_scores, file.row_groups()):
                held.append(_fit(rows, whole))
                if sum(map(len, held)) >= ROWS:
                    table.add(pa.concat_tables(held))
                    held = []
        if held or table.is_empty:
            table.add(pa.concat_tables(held))
        table.save(path, metadata(self.shards(), command))


def _kind_of(file: StatsFile, name: str) -> str | None:
    """Return which of `METRICS` a name in a file stands for; None for a metric of the user's own, or without rows."""
    signatures = [Signature.parse(text) for text in file.signatures[name][:1]]
    ours = (signature for signature in signatures if _is_ours(signature))
    return next((reading.metric_of(signature, METRICS) for signature in ours), None)


def _is_ours(signature: Signature) -> bool:
    return any(metric.read_name(signature.name) is not None for metric in METRICS.values())


def _check_signatures(file: StatsFile) -> None:
    """Refuse signatures that do not say all of how the texts were counted, and columns that do not fit them."""
    counts = counts_in(file.columns)
    for name, texts in file.signatures.items():
        for text in texts:
            where = f"the column {name}.{SIGNATURE} of {file.path} has {text!r:.200}, "
            try:
                signature = Signature.parse(text)
                metric = metric_that_counted(signature) if _is_ours(signature) else None
            except BleuError as error:
                raise BleuError(f"{where}but {error}; ", AGAIN) from None
            if metric is None:
                continue
            for key, _ in metric.signature(1, 1):
                if key not in ("nrefs", *signature.info):
                    raise BleuError(f"{where}which lacks {key}; ", AGAIN)
            for count in counts[name]:
                if count not in metric.column_names():
                    raise BleuError(
                        f"{file.path} has the column {name}.{count}, but {where}which does not count it; ", AGAIN
                    )


def _name_system(value: object) -> str:
    name = label_of(value)
    return _UNNAMED if name is None else str(name)


def _refuse_parts(places: Iterable[Sequence[Any]]) -> None:
    """Refuse rows of different parts of the same items; places: the columns of `PLACES`."""
    parts: dict[tuple[Any, ...], Any] = {}
    for place in places:
        rest = tuple(value for column, value in zip(PLACES, place, strict=True) if column != PARTIAL)
        part = place[PLACES.index(PARTIAL)]
        if parts.setdefault(rest, part) != part:
            one, other = ("all items" if of is None else f"{PARTIAL}:{of}" for of in (parts[rest], part))
            raise BleuError(
                f"some rows are of {one}, and others of {other}; scores can be compared only if they are of the same"
                " items: count all systems in one run"
            )


def _refuse_twice(files: Sequence[StatsFile]) -> None:
    """Refuse files of sums that are copies, or were made from the same texts: their rows would not show that."""
    paths: dict[str, str] = {}
    for file in files:
        if file.is_summed and file.rows:
            checksum = digest(file.path)
            if checksum in paths:
                other = paths[checksum]
                note = f", as {other} has the same bytes" if other != file.path else ""
                raise BleuError(f"{file.path} was given twice{note}; name each file once")
            paths[checksum] = file.path
    homes: dict[tuple[object, ...], str] = {}
    for file in files:
        for shard in {(*shard[:4], *shard.references) for shard in file.shards() if shard.hypothesis}:
            other = homes.setdefault(shard, file.path)
            if other != file.path:
                raise BleuError(
                    f"{other} and {file.path} both have statistics of {shard[0]} on the same texts; name one of them"
                )


def _counted_otherwise(path: str, metric: Metric, difference: Difference) -> BleuError:
    key, theirs, ours = difference
    return BleuError(
        f"{path} has {metric.name} counted with {key}:{theirs or 'none'}, not with {key}:{ours or 'none'}; that cannot"
        " be changed afterwards: count the texts again"
    )


def _choose(names: Sequence[str], name: str | None, kind: str) -> str:
    if not names:
        raise BleuError(f"the files have no {kind}; name files with at least one segment")
    if name is None and len(names) == 1:
        return names[0]
    if name is None or name not in names:
        what = f"there is no {kind} {name}" if name is not None else f"there are {tell_count(len(names), kind)}"
        raise BleuError(f"{what}; choose one of {', '.join(names)}")
    return name


def _plain_schema(schema: pa.Schema) -> pa.Schema:
    """Return the columns of a schema, in types that all files can share: no dictionaries, one type of text."""
    pa = load("pyarrow", "arrow")
    counts = (SEGMENT, REFERENCES) if SEGMENT in schema.names else tuple(COUNTS)
    kinds = {}
    for field in schema:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if str(kind) == "string_view":
            kind = pa.string()
        if field.name in counts and not pa.types.is_integer(kind):
            kind = pa.int64()
        kinds[field.name] = kind
    return pa.schema(kinds)


def _fit(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return the rows of a table in another schema; columns that it lacks are null."""
    pa = load("pyarrow", "arrow")
    columns = []
    for field in schema:
        missing = field.name not in table.column_names
        column = pa.nulls(len(table), field.type) if missing else table.column(field.name)
        columns.append(column if column.type == field.type else column.cast(field.type))
    return pa.table(columns, schema=schema)
