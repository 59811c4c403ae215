"""Files of statistics: finding and checking one, reading its columns, and adding up the rows of several.

- `find_files`: files, those in folders, and those that match patterns
- `refuse_pipe`: an error if a path is not that of a file
- `StatsFile`: one of these files
- `check_numbers`: checks that columns hold numbers that can be added up
- `check_counts`: checks that texts can have such counts
- `Places`: records which segments have been read; `Tally`: the sums or rows of one system
- `check_references`: checks that systems were counted against the same references
"""

from __future__ import annotations

import os
import stat
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise

from bleucli.counting import CorpusStats, SystemStats
from bleucli.errors import BleuError
from bleucli.kernels.stats import SegmentStats
from bleucli.metrics import METRICS, Metric
from bleucli.optional_deps import load
from bleucli.phrases import Turn, tell_place
from bleucli.results.signature import Signature
from bleucli.scale import (
    COUNTS,
    LAYOUT,
    LAYOUT_KEY,
    PLACES,
    REFERENCES,
    SEGMENT,
    SHARDS_KEY,
    SIGNATURE,
    SYSTEM,
    VERSION_KEY,
    Shard,
    counts_in,
    keys_in,
    metrics_in,
)
from bleucli.text.buffers import open_file, to_numpy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

# What to do about a file that cannot be used
AGAIN = Turn("write it again with statsfiles.write", "write it again with bleu count")
# The ending of Parquet files, and their first bytes
PARQUET = (".parquet",)
PARQUET_MARK = b"PAR1"
# The first characters of other files that engines leave in a folder: output of unfinished or failed tasks, and markers
_ASIDE = "._"
# The types in which other programs may store texts; types of bytes do not show that the values are texts
_TEXTS, _BYTES = ("string", "large_string", "string_view"), ("binary", "large_binary", "binary_view")
# Arrow's sums wrap around above this, without an error
LARGEST_TOTAL = 2**63 - 1
# Sums of counts and numbers of segments: up to this, whole numbers are exact in floating point
_LARGEST_SUM = 2**53 - 1
# Counts in a segment: no text has as many n-grams, and no resample of smaller ones exceeds 64 bits
_LARGEST_COUNT = 2**31 - 1
# The largest values of columns that are not added up
_MOST = {SEGMENT: _LARGEST_SUM, REFERENCES: _LARGEST_COUNT, "refs_min": _LARGEST_COUNT, "refs_max": _LARGEST_COUNT}
# Fractions, which may be negative, such as scores from elsewhere: sums of larger ones might not be finite
_LARGEST_FRACTION = 1e100


def find_files(paths: Iterable[str], endings: Sequence[str] = PARQUET) -> list[str]:
    """Return the files that are named, those in named folders, sorted, and those that match patterns.

    A pattern such as `shards/*.parquet` that matches only folders stands for the files in them. endings: those of the
    files that are found in folders.
    """
    files: list[str] = []
    for path in paths:
        if os.path.isdir(path):
            inside = []
            for folder, folders, names in os.walk(path):
                folders[:] = [name for name in folders if name[0] not in _ASIDE]
                ending = [name for name in names if name.endswith(tuple(endings)) and name[0] not in _ASIDE]
                inside += [os.path.join(folder, name) for name in ending]
            if not inside:
                raise BleuError(f"the folder {path} has no file that ends in {' or '.join(endings)}; name another")
            files += sorted(inside)
        elif any(sign in path for sign in "*?[") and not os.path.lexists(path):
            from glob import glob

            matches = sorted(glob(path, recursive=True))
            if not matches:
                raise BleuError(f"no file matches {path}; name the files")
            matching = [match for match in matches if not os.path.isdir(match)]
            files += matching or find_files(matches, endings)
        else:
            files.append(path)
    return files


def refuse_pipe(path: str) -> None:
    """Refuse a pipe or device: Parquet is read from its end, and opening a named pipe may wait forever."""
    if os.path.exists(path) and not os.path.isfile(path):
        what = "pipe" if stat.S_ISFIFO(os.stat(path).st_mode) else "device"
        raise BleuError(f"{path} is a {what}, but tables and statistics are read from files only; write and name one")


class StatsFile:
    """A file of statistics. The constructor reads the schema and the signatures, but not the rows.

    Attributes:
        path: the path of the file.
        columns: the names of the columns.
        rows: the number of rows.
        metadata: what the file says about itself, by key.
        is_summed: whether a row belongs to a group instead of a segment.
        signatures: the signatures in the rows, by metric.
        keeps: whether the rows stay in memory once they have been read.
    """

    keeps = False

    def __init__(self, path: str) -> None:
        self.path = path
        self._file: Any = None  # while it is open
        self._footer: Any = None  # once it is read, for when the file is opened again
        self._values: dict[str, list[Any]] = {}
        self._kept: list[pa.Table] = []
        refuse_pipe(path)
        with self._opened() as file:
            footer = file.metadata
            self._schema: pa.Schema = file.schema_arrow
            self.columns: list[str] = self._schema.names
            duplicates = [name for name in self.columns if self.columns.count(name) > 1]
            if duplicates:
                raise BleuError(
                    f"{path} has {self.columns.count(duplicates[0])} columns {duplicates[0]}; rename all but one"
                )
            self.rows: int = footer.num_rows
            self.metadata = {
                key.decode("utf-8", "replace"): value.decode("utf-8", "replace")
                for key, value in (footer.metadata or {}).items()
            }
            names, counts = metrics_in(self.columns), counts_in(self.columns)
            for name, columns in counts.items():
                if name not in names and _are_counts(columns):
                    raise BleuError(
                        f"{self.path} has the column {name}.{columns[0]}, but no {name}.{SIGNATURE} to say how it was"
                        " counted; ",
                        AGAIN,
                    )
            # Other programs may have columns that are only called like signatures
            metrics = [name for name in names if name in counts]
            self._check_layout(metrics)
            self.is_summed = SEGMENT not in self.columns
            self.signatures: dict[str, list[str]] = {name: self._read_signatures(name) for name in metrics}
            if SYSTEM in self.columns:
                self.values_of(SYSTEM)

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        """Open the file only while it is read, since there may be many; turn pyarrow's errors into one line."""
        if self._file is not None:
            yield self._file
            return
        pa, parquet = load("pyarrow", "arrow"), load("pyarrow.parquet", "arrow")
        try:
            # Threads that read ahead take longer to start than a small file takes to read
            with (
                open_file(self.path) as content,
                parquet.ParquetFile(
                    content, metadata=self._footer, page_checksum_verification=True, pre_buffer=False
                ) as self._file,
            ):
                self._footer = self._file.metadata
                yield self._file
        except FileNotFoundError:
            raise BleuError(f"there is no file {self.path}; name files of statistics") from None
        except (pa.ArrowException, OSError, ValueError) as error:
            if isinstance(error, BleuError):
                raise
            if isinstance(error, OSError) and error.errno:
                raise BleuError(f"cannot read {self.path}: {os.strerror(error.errno)}; name another file") from None
            with open(self.path, "rb") as damaged:
                start = damaged.read(len(PARQUET_MARK))
            if start and start != PARQUET_MARK:
                writer = Turn("statsfiles.write", "bleu count")
                raise BleuError(f"{self.path} is not a Parquet file; name a file written with ", writer) from None
            reason = " ".join(str(error).split()) or type(error).__name__
            raise BleuError(f"{self.path} is not a complete Parquet file ({reason[:200]}); ", AGAIN) from None
        finally:
            self._file = None

    def _read_signatures(self, name: str) -> list[str]:
        column = f"{name}.{SIGNATURE}"
        kind = self._schema.field(column).type
        if _kind_of_values(kind) not in ("null", *_BYTES, *_TEXTS):  # "null" in an empty file
            raise BleuError(
                f"the column {column} of {self.path} has values of type {kind}, not the signature of a metric; ", AGAIN
            )
        signatures = [one for one in self.values_of(column) if one is not None]
        if self.rows and not signatures:
            raise BleuError(f"the column {column} of {self.path} is empty, but says how {name} was counted; ", AGAIN)
        for one in signatures:
            try:
                is_named = bool(Signature.parse(one).name)
            except BleuError:
                is_named = False
            if not is_named:
                raise BleuError(
                    f"the column {column} of {self.path} has {one!r:.80}, which is not the signature of a metric; ",
                    AGAIN,
                )
        return signatures

    def _check_layout(self, metrics: Sequence[str]) -> None:
        """Refuse a file without statistics, or with a later layout; metrics: those that have a column of signatures."""
        layout = self.metadata.get(LAYOUT_KEY, LAYOUT)  # other programs may drop the metadata
        major = layout.partition(".")[0]
        if not major.isdecimal() or int(major) > int(LAYOUT):
            writer = self.metadata.get(VERSION_KEY, "")
            raise BleuError(
                f"{self.path} has layout {layout} of statistics{writer and f', written by bleu {writer}'}, but this"
                f" version reads layout {LAYOUT}; install a newer bleu"
            )
        needed = (SEGMENT, REFERENCES) if SEGMENT in self.columns else tuple(COUNTS)
        missing = [name for name in needed if name not in self.columns]
        if missing or not metrics:
            lacks = ", ".join(missing) or "the signature of a metric"
            raise BleuError(f"{self.path} holds no statistics: it lacks {lacks}; ", AGAIN)
        for name in (SYSTEM, *PLACES):
            if name in self.columns and self._is_nested(name):
                kind = self._schema.field(name).type
                raise BleuError(f"the column {name} of {self.path} holds values of type {kind}; expected strings")

    def _is_nested(self, column: str) -> bool:
        kind = self._schema.field(column).type
        return bool(load("pyarrow", "arrow").types.is_nested(kind))

    @property
    def keys(self) -> list[str]:
        """The columns that identify rows; columns of lists or records cannot."""
        keys = [name for name in keys_in(self.columns) if name not in (SEGMENT, REFERENCES)]
        return [name for name in keys if not self._is_nested(name)]

    def values_of(self, column: str) -> list[Any]:
        """Return each value of a column once; the column must not be nested."""
        if column in self._values:
            return self._values[column]
        values: dict[Any, None] = {}
        with self._opened() as file:
            place = next(n for n in range(len(file.schema.names)) if file.schema.column(n).path == column)
            for number in range(file.num_row_groups):
                statistics = file.metadata.row_group(number).column(place).statistics
                if (
                    statistics is not None
                    and statistics.has_min_max
                    and statistics.min == statistics.max
                    and statistics.null_count == 0
                ):
                    only = statistics.min  # the footer has it, so nothing needs to be read
                    values[only.decode("utf-8", "replace") if isinstance(only, bytes) else only] = None
                else:
                    table = _decode(file.read_row_group(number, [column], use_threads=False))
                    values |= dict.fromkeys(table.column(0).unique().to_pylist())
        self._values[column] = list(values)
        return self._values[column]

    def schema(self) -> pa.Schema:
        """Return the schema of the tables that `row_groups` gives."""
        pa = load("pyarrow", "arrow")
        return pa.schema([field.with_type(pa.string()) if _is_undecoded(field) else field for field in self._schema])

    def row_groups(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Give the row groups, at least one, with some columns or, for None, with all."""
        names = None if columns is None else list(columns)
        if self.keeps:
            self._kept = self._kept or list(self._read_groups(None))
            yield from self._kept if names is None else (table.select(names) for table in self._kept)
        else:
            yield from self._read_groups(names)

    def _read_groups(self, names: list[str] | None) -> Iterator[pa.Table]:
        with self._opened() as file:
            if not file.num_row_groups:
                yield _decode(file.read(columns=names))
            for number in range(file.num_row_groups):
                yield _decode(file.read_row_group(number, names, use_threads=False))

    def shards(self) -> list[Shard]:
        """Return what the rows were made from; nothing if another program has removed that from the metadata."""
        import json

        try:
            shards = [Shard(**one) for one in json.loads(self.metadata.get(SHARDS_KEY, "[]"))]
        except (TypeError, ValueError):
            return []
        return shards if all(map(_is_shard, shards)) else []


def _are_counts(names: Sequence[str]) -> bool:
    """Return whether columns with these names are statistics of a metric of ours.

    >>> _are_counts(["hyp_len", "ref_len", "match_1"]), _are_counts(["id", "edits"])
    (True, False)
    """
    ours = {name for metric in METRICS.values() for name in metric().column_names()}
    return len(ours & {*names}) > 1


def _is_shard(shard: Shard) -> bool:
    """Return whether all values are of the right types; metadata may hold anything."""
    kinds = (str, int, int, str, list | tuple, str)
    return all(map(isinstance, shard, kinds)) and all(isinstance(digest, str) for digest in shard.references)


def _kind_of_values(kind: pa.DataType) -> str:
    """Return the name of a type; for a dictionary, the type of its values."""
    return str(kind.value_type if load("pyarrow", "arrow").types.is_dictionary(kind) else kind)


def _is_undecoded(field: pa.Field) -> bool:
    """Return whether a column of systems, places or signatures holds bytes."""
    is_text = field.name in (SYSTEM, *PLACES) or field.name.endswith(f".{SIGNATURE}")
    return is_text and _kind_of_values(field.type) in _BYTES


def _decode(table: pa.Table) -> pa.Table:
    """Return a table whose systems, places and signatures are texts, even if another program stored them as bytes."""
    for place, field in enumerate(table.schema):
        if _is_undecoded(field):
            table = table.set_column(place, field.name, table.column(place).cast("string"))
    return table


# --- numbers


def check_numbers(table: pa.Table, fractions: Mapping[str, bool], path: str, start: int = 0) -> pa.Table:
    """Return a table whose whole numbers are integers, even if another program has changed their type.

    fractions: the columns of numbers, and whether each may hold fractions and negative numbers. start: the index in the
    file of the table's first row, for errors.
    """
    pa = load("pyarrow", "arrow")
    import numpy as np

    largest = _LARGEST_SUM if "segments" in table.column_names else _LARGEST_COUNT
    for name, is_fraction in fractions.items():
        place = table.column_names.index(name)
        column = table.column(place)
        if column.null_count:
            raise BleuError(f"the column {name} of {path} has gaps; ", AGAIN)
        # Differences of unsigned integers would never be negative, so rows in another order would look sorted
        is_known = pa.types.is_floating(column.type) if is_fraction else pa.types.is_signed_integer(column.type)
        if not is_known:
            try:
                column = column.cast(pa.float64(), safe=False) if is_fraction else column.cast(pa.int64())
            except pa.ArrowException:
                expected = "numbers" if is_fraction else "whole numbers below 2^63"
                raise BleuError(
                    f"the column {name} of {path} has values of type {column.type} that are not {expected}; ", AGAIN
                ) from None
            table = table.set_column(place, name, column)
        if not len(column):
            continue
        numbers = to_numpy(column)
        most = _LARGEST_FRACTION if is_fraction else _MOST.get(name, min(largest, LARGEST_TOTAL // len(column)))
        least = -most if is_fraction else 0
        # Without a sign, negative numbers are the largest, so that whole numbers are read once. NaN is below nothing.
        unsigned = numbers if is_fraction else numbers.view(f"u{numbers.itemsize}")
        if not (unsigned.max() <= most and (not is_fraction or numbers.min() >= least)):
            row = int(np.argmin((least <= numbers) & (numbers <= most)))
            number = numbers[row].item()
            kind = (
                "negative" if number < 0 and not is_fraction else "too large" if abs(number) < np.inf else "not finite"
            )
            where = tell_place("row", start + row)
            raise BleuError(f"the column {name} of {path} has {number} in ", where, f", which is {kind}; ", AGAIN)
    return table


def check_counts(table: pa.Table, metrics: Mapping[str, Metric], path: str, start: int = 0) -> None:
    """Refuse rows that no texts can have, such as more matches than n-grams; start: as for `check_numbers`."""
    for what, rows in _find_impossible(table, metrics) if len(table) else ():
        if rows.any():
            where = tell_place("row", start + int(rows.argmax()))
            raise BleuError(f"{path} has {what} in ", where, ", which cannot be; ", AGAIN)


def _find_impossible(table: pa.Table, metrics: Mapping[str, Metric]) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Give what cannot be, and the rows in which it is so."""
    is_summed = "segments" in table.column_names
    least, most = ("refs_min", "refs_max") if is_summed else (REFERENCES, REFERENCES)
    fewest, references = to_numpy(table.column(least)), to_numpy(table.column(most))
    needed = max(metric.fewest_references for metric in metrics.values())
    yield f"{least} below {needed}", fewest < needed
    if is_summed:
        yield f"{least} above {most}", fewest > references
        yield "segments below 1", to_numpy(table.column("segments")) < 1
    for name, metric in metrics.items():
        columns = {column: to_numpy(table.column(f"{name}.{column}")) for column in metric.column_names()}
        for what, rows in metric.find_impossible(columns, references):
            yield f"{name} with {what}", rows


# --- rows of several files


class Places:
    """Which segments of each system have been read; each must occur exactly once."""

    def __init__(self) -> None:
        self._runs: dict[tuple[Any, ...], list[tuple[int, int, str]]] = {}

    def add(self, whose: tuple[Any, ...], segments: NDArray[np.int64], path: str) -> None:
        """Record segments; whose: their system, then their place, such as the test set; path: the file with them."""
        import numpy as np

        runs = self._runs.setdefault(whose, [])
        first, last = int(segments[0]), int(segments[-1])
        if last - first == len(segments) - 1 and bool((np.diff(segments) == 1).all()):  # nearly always
            runs.append((first, last + 1, path))
            return
        segments = np.sort(segments)
        # A run starts at the first segment, after a gap, and at a repeated segment, which `check` then refuses
        starts = np.flatnonzero(np.diff(segments, prepend=segments[0] - 2) != 1)
        for a, b in zip(starts, [*starts[1:], len(segments)], strict=True):
            runs.append((int(segments[a]), int(segments[b - 1]) + 1, path))

    def check(self) -> None:
        """Refuse segments that occur twice or are missing."""
        ends: dict[tuple[Any, ...], dict[str, int]] = {}
        for whose, runs in self._runs.items():
            runs.sort()
            name = _tell_place(whose)
            length, before = 0, ""
            for start, end, path in runs:
                if start < length:
                    raise BleuError(
                        tell_place("segment", start),
                        f" of {name} occurs twice ({before}, {path}); name each shard once, and number its segments"
                        " when it is saved (",
                        Turn("first=...", "--first-line"),
                        ")",
                    )
                if start > length:
                    rest = f" of {name} {_are(start - length)} missing; name all shards"
                    raise BleuError(_tell_range(length, start), rest, self._tell_namesakes(whose))
                length, before = end, path
            ends.setdefault(whose[1:], {})[whose[0]] = length
        systems = list(dict.fromkeys(whose[0] for whose in self._runs))
        for where, ends_of in ends.items():
            most = max(ends_of, key=ends_of.__getitem__)
            for system in systems:
                if ends_of.get(system, 0) != ends_of[most]:
                    start, end = ends_of.get(system, 0), ends_of[most]
                    raise BleuError(
                        _tell_range(start, end),
                        f" of {_tell_place((system, *where))} {_are(end - start)} missing, but {most} has"
                        f" {'it' if end - start == 1 else 'them'}; give the same segments of all systems",
                    )

    def _tell_namesakes(self, whose: tuple[Any, ...]) -> str:
        """Suggest one name for systems that share no segment: they may be shards of one, named after their files."""
        system, *place = whose
        for (other, *there), runs in self._runs.items():
            together = sorted([*runs, *self._runs[whose]])
            if other != system and there == place and all(one[1] <= next_[0] for one, next_ in pairwise(together)):
                advice = f", or if {other} is the same system, save both "
                return Turn(f"{advice}under one name", f"{advice}with the same --names")
        return ""


def _tell_place(whose: tuple[Any, ...]) -> str:
    """Return the name of a system, with the place that its segments belong to."""
    system, *places = whose
    where = "/".join(str(place) for place in places if place is not None)
    return f"{system} in {where}" if where else str(system)


def _tell_range(start: int, end: int) -> Turn:
    return tell_place("segment", start) if end - start == 1 else tell_place("segments", start, end - 1)


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


class Tally:
    """What was read about one system: its sums, or its rows by place."""

    def __init__(self, metrics: Mapping[str, Metric]) -> None:
        self._metrics = metrics
        self._totals = [CorpusStats(metric) for metric in metrics.values()]
        # By place: the segments, how many references they have, their rows by metric, and their documents
        self._blocks: dict[Any, list[tuple[NDArray[np.int64], NDArray[np.int32], list[SegmentStats], list[Any]]]] = {}

    def add_sums(self, table: pa.Table) -> None:
        """Add up the rows of a table; each belongs to a segment, or to a group of segments."""
        compute = load("pyarrow.compute", "arrow")
        least, most = ("refs_min", "refs_max") if "segments" in table.column_names else (REFERENCES, REFERENCES)
        segments = compute.sum(table.column("segments")).as_py() if "segments" in table.column_names else len(table)
        fewest, largest = compute.min(table.column(least)).as_py(), compute.max(table.column(most)).as_py()
        for place, (name, metric) in enumerate(self._metrics.items()):
            sums = [compute.sum(table.column(f"{name}.{column}")).as_py() for column in metric.column_names()]
            numbers = tuple(
                float(one) if column in metric.fractions else int(one)
                for one, column in zip(sums, metric.column_names(), strict=True)
            )
            self._totals[place] += CorpusStats(metric, segments, numbers, fewest, largest, (), None)
            if max(self._totals[place].sums) > LARGEST_TOTAL:
                raise BleuError(f"the sums of {name} are too large for 64 bits; read fewer files together")

    def add_rows(self, where: object, table: pa.Table, documents: Sequence[Any]) -> None:
        """Keep rows of segments; where: the place that these belong to. documents: those of the segments, if known."""
        rows = [
            SegmentStats.from_arrow(table.select([f"{name}.{column}" for column in metric.column_names()]))
            for name, metric in self._metrics.items()
        ]
        nrefs = to_numpy(table.column(REFERENCES))
        self._blocks.setdefault(where, []).append(
            (to_numpy(table.column(SEGMENT)), nrefs, rows, [(where, document) for document in documents])
        )

    def stats(self, places: Sequence[object]) -> tuple[list[CorpusStats], list[tuple[Any, Any]]]:
        """Return the statistics, one per metric, and the documents of the segments, each with its place.

        Rows are sorted by place, as `places` lists them, then by segment.
        """
        import numpy as np

        if not self._blocks:
            return self._totals, []
        documents: list[tuple[Any, Any]] = []
        whole = [CorpusStats(metric) for metric in self._metrics.values()]
        for place in places:
            blocks = self._blocks.get(place)
            if blocks is None:
                continue
            segments = np.concatenate([block[0] for block in blocks])
            order = None if (np.diff(segments) > 0).all() else np.argsort(segments, kind="stable")
            nrefs = np.concatenate([block[1] for block in blocks])
            of_place = [document for block in blocks for document in block[3]]
            documents += of_place if order is None else [of_place[n] for n in order.tolist() if of_place]
            counts = array("i", (nrefs if order is None else nrefs[order]).astype(np.int32).tobytes())
            for number, metric in enumerate(self._metrics.values()):
                rows = SegmentStats.join([block[2][number] for block in blocks])
                if order is not None:
                    rows = rows.take(order.tolist())
                whole[number] += CorpusStats.of_rows(metric, rows, counts)
        return whole, documents


# --- tests of several systems


def check_references(systems: Sequence[SystemStats], shards: Sequence[Shard] = ()) -> None:
    """Refuse systems whose references are known to differ: a paired test of their scores would mean nothing.

    The systems have rows; shards: the texts that these were made from.
    """
    import numpy as np

    first, *rest = systems
    digests: dict[tuple[int, int], dict[str, Sequence[str]]] = {}
    for shard in shards:
        if shard.references:
            digests.setdefault((shard.first, shard.rows), {})[shard.system] = sorted(shard.references)
    for system in rest:
        by_file = [
            start
            for (start, _), of in digests.items()
            if first.name in of and system.name in of and of[first.name] != of[system.name]
        ]
        places = []
        for one, other in zip(first.stats, system.stats, strict=True):
            if one.rows is None or other.rows is None:
                continue
            rows, other_rows = np.asarray(one.rows), np.asarray(other.rows)
            counts = np.asarray(one.nrefs), np.asarray(other.nrefs)
            assert isinstance(one.metric, Metric)
            # With a single reference, these columns depend on it alone (see `Metric.column_names`)
            of_reference = [n for n, name in enumerate(one.metric.column_names()) if name.startswith("ref")]
            differs = (rows[:, of_reference] != other_rows[:, of_reference]).any(axis=1) & (counts[0] == 1)
            places += np.flatnonzero(differs | (counts[0] != counts[1]))[:1].tolist()
        if places or by_file:
            start = min([*places, *by_file])
            how = "" if places else ", according to the SHA-256 of their files"
            raise BleuError(
                f"the references of {first.name} and {system.name} differ, starting at ",
                tell_place("segment", start),
                f"{how}; a paired test needs the same references",
            )
