"""Reading files of statistics: finding the files, checking each, and reading its columns.

- `find_files`: files, those in folders, and those that match patterns
- `refuse_pipe`: an error if a path is not that of a file
- `StatsFile`: one of these files
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from bleucli import arrow
from bleucli.errors import BleuError
from bleucli.metrics import METRICS
from bleucli.optional_deps import load
from bleucli.phrases import Turn
from bleucli.results.signature import Signature
from bleucli.statsfiles.layout import (
    ENDING,
    LAYOUT,
    LAYOUT_KEY,
    PLACES,
    REFERENCES,
    SEGMENT,
    SHARDS_KEY,
    SYSTEM,
    VERSION_KEY,
    Shard,
    counts_in,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa

# What to do about a file that cannot be used
AGAIN = Turn("write it again with statsfiles.write", "write it again with bleu count")
# The first bytes of Parquet files
PARQUET_MARK = b"PAR1"
# The first characters of other files that engines leave in a folder: output of unfinished or failed tasks, and markers
_ASIDE = "._"
# The types in which other programs may store texts; types of bytes do not show that the values are texts
_TEXTS, _BYTES = ("string", "large_string", "string_view"), ("binary", "large_binary", "binary_view")


def find_files(paths: Iterable[str], endings: Sequence[str] = (ENDING,)) -> list[str]:
    """Return the files that are named, those in named folders, sorted, and those that match patterns.

    A pattern that matches only folders stands for the files in them.

    Args:
        paths: files, folders, or patterns such as `shards/*.parquet`.
        endings: the endings of the files that are found in folders.

    Raises:
        BleuError: a folder has no such file, or a pattern matches nothing.
    """
    found: list[str] = []
    for path in paths:
        if os.path.isdir(path):
            inside = []
            for folder, folders, names in os.walk(path):
                folders[:] = [name for name in folders if name[0] not in _ASIDE]
                ours = [name for name in names if name.endswith(tuple(endings)) and name[0] not in _ASIDE]
                inside += [os.path.join(folder, name) for name in ours]
            if not inside:
                raise BleuError(f"the folder {path} has no file that ends in {' or '.join(endings)}; name another")
            found += sorted(inside)
        elif any(sign in path for sign in "*?[") and not os.path.lexists(path):
            from glob import glob

            matches = sorted(glob(path, recursive=True))
            if not matches:
                raise BleuError(f"no file matches {path}; name the files")
            files = [match for match in matches if not os.path.isdir(match)]
            found += files or find_files(matches, endings)
        else:
            found.append(path)
    return found


def refuse_pipe(path: str) -> None:
    """Refuse a pipe or device: Parquet is read from its end, and opening a named pipe may wait forever.

    Raises:
        BleuError: the path leads to one.
    """
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
    """

    def __init__(self, path: str) -> None:
        self.path = path
        refuse_pipe(path)
        with self._opened() as file:
            known = file.metadata
            self._schema: pa.Schema = file.schema_arrow
        self.columns: list[str] = self._schema.names
        repeated = [name for name in self.columns if self.columns.count(name) > 1]
        if repeated:
            raise BleuError(f"{path} has {self.columns.count(repeated[0])} columns {repeated[0]}; rename all but one")
        self.rows: int = known.num_rows
        self.metadata = {
            key.decode("utf-8", "replace"): value.decode("utf-8", "replace")
            for key, value in (known.metadata or {}).items()
        }
        metrics = self._find_metrics()
        self._check_layout(metrics)
        self.is_summed = SEGMENT not in self.columns
        self.signatures: dict[str, list[str]] = {name: self._read_signatures(name) for name in metrics}

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        """Open the file only while it is read, since there may be many; turn pyarrow's errors into one line."""
        pa, parquet = load("pyarrow", "arrow"), load("pyarrow.parquet", "arrow")
        try:
            with parquet.ParquetFile(self.path, page_checksum_verification=True) as file:
                yield file
        except FileNotFoundError:
            raise BleuError(f"there is no file {self.path}; name files of statistics") from None
        except (pa.ArrowException, OSError, ValueError) as error:
            if isinstance(error, BleuError):
                raise
            if isinstance(error, OSError) and error.errno:
                raise BleuError(f"cannot read {self.path}: {os.strerror(error.errno)}; name another file") from None
            with open(self.path, "rb") as content:
                start = content.read(len(PARQUET_MARK))
            if start and start != PARQUET_MARK:
                writer = Turn("statsfiles.write", "bleu count")
                raise BleuError(f"{self.path} is not a Parquet file; name a file written with ", writer) from None
            told = " ".join(str(error).split()) or type(error).__name__
            raise BleuError(f"{self.path} is not a complete Parquet file ({told[:200]}); ", AGAIN) from None

    def _find_metrics(self) -> list[str]:
        """Return the names of the metrics that have counted.

        Raises:
            BleuError: a metric has counts, but no column of signatures.
        """
        signed, counted = arrow.metrics_in(self.columns), counts_in(self.columns)
        for name, counts in counted.items():
            if name not in signed and _are_counts(counts):
                raise BleuError(
                    f"{self.path} has the column {name}.{counts[0]}, but no {name}.{arrow.SIGNATURE} to say how it was"
                    " counted; ",
                    AGAIN,
                )
        # Other programs may have columns that are only called like signatures
        return [name for name in signed if name in counted]

    def _read_signatures(self, name: str) -> list[str]:
        """Return the signatures of a metric, each once.

        Raises:
            BleuError: there are rows but no signatures, or one cannot be read.
        """
        column = f"{name}.{arrow.SIGNATURE}"
        if not self._has_texts(column):
            kind = self._schema.field(column).type
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
        needed = (SEGMENT, REFERENCES) if SEGMENT in self.columns else tuple(arrow.COUNTS)
        missing = [name for name in needed if name not in self.columns]
        if missing or not metrics:
            lacks = ", ".join(missing) or "the signature of a metric"
            raise BleuError(f"{self.path} holds no statistics: it lacks {lacks}; ", AGAIN)
        for name in (SYSTEM, *PLACES):
            if name in self.columns and self._is_nested(name):
                kind = self._schema.field(name).type
                raise BleuError(f"the column {name} of {self.path} holds values of type {kind}; expected strings")

    def _has_texts(self, column: str) -> bool:
        """Return whether a column holds texts; in an empty file, its type may be "null"."""
        return _kind_of_values(self._schema.field(column).type) in ("null", *_BYTES, *_TEXTS)

    def _is_nested(self, column: str) -> bool:
        kind = self._schema.field(column).type
        return bool(load("pyarrow", "arrow").types.is_nested(kind))

    @property
    def keys(self) -> list[str]:
        """The columns that identify rows; columns of lists or records cannot."""
        keys = [name for name in arrow.keys_in(self.columns) if name not in (SEGMENT, REFERENCES)]
        return [name for name in keys if not self._is_nested(name)]

    def read(self, columns: Sequence[str]) -> pa.Table:
        """Return some columns, with all their rows."""
        with self._opened() as file:
            return _decode(file.read(columns=list(columns)))

    def values_of(self, column: str) -> list[Any]:
        """Return each value of a column once; the column must not be nested."""
        found: dict[Any, None] = {}
        with self._opened() as file:
            place = next(n for n in range(len(file.schema.names)) if file.schema.column(n).path == column)
            for number in range(file.num_row_groups):
                known = file.metadata.row_group(number).column(place).statistics
                if known is not None and known.has_min_max and known.min == known.max and known.null_count == 0:
                    only = known.min  # the footer has it, so nothing needs to be read
                    found[only.decode("utf-8", "replace") if isinstance(only, bytes) else only] = None
                else:
                    table = _decode(file.read_row_group(number, [column], use_threads=False))
                    found |= dict.fromkeys(table.column(0).unique().to_pylist())
        return list(found)

    def row_groups(self, columns: Sequence[str] | None) -> Iterator[pa.Table]:
        """Give the row groups, one after the other, with some columns or, for None, with all."""
        wanted = None if columns is None else list(columns)
        with self._opened() as file:
            for number in range(file.num_row_groups):
                yield _decode(file.read_row_group(number, wanted, use_threads=False))

    def shards(self) -> list[Shard]:
        """Return what the rows were made from; nothing if another program has removed that from the metadata."""
        import json

        try:
            found = [Shard(**one) for one in json.loads(self.metadata.get(SHARDS_KEY, "[]"))]
        except (TypeError, ValueError):
            return []
        return found if all(map(_is_shard, found)) else []


def _are_counts(names: Sequence[str]) -> bool:
    """Return whether columns with these names are statistics of a metric of ours.

    >>> _are_counts(["hyp_len", "ref_len", "match_1"]), _are_counts(["id", "edits"])
    (True, False)
    """
    ours = {name for metric in METRICS.values() for name in metric().column_names()}
    return len(ours & {*names}) > 1


def _is_shard(shard: Shard) -> bool:
    """Return whether all values are of the right types; metadata may hold anything."""
    texts = (shard.system, shard.hypothesis, shard.source)
    digests = shard.references
    is_text = all(isinstance(one, str) for one in (*texts, *(digests if isinstance(digests, list | tuple) else [None])))
    return is_text and isinstance(shard.first, int) and isinstance(shard.rows, int)


def _kind_of_values(kind: pa.DataType) -> str:
    """Return the name of a type; for a dictionary, the type of its values."""
    return str(kind.value_type if load("pyarrow", "arrow").types.is_dictionary(kind) else kind)


def _decode(table: pa.Table) -> pa.Table:
    """Return a table whose systems, places and signatures are texts, even if another program stored them as bytes."""
    for place, field in enumerate(table.schema):
        is_text = field.name in (SYSTEM, *PLACES) or field.name.endswith(f".{arrow.SIGNATURE}")
        if is_text and _kind_of_values(field.type) in _BYTES:
            table = table.set_column(place, field.name, table.column(place).cast("string"))
    return table
