"""Tables of texts: Parquet and Arrow IPC files with one column of hypotheses per system, read block by block.

- `TextTable`: files with the same columns, as one corpus; and the group of each row
- `find_tables`, `check_columns`, `read_batches`: find files, check their columns, and read their rows
- `columns_named`: which columns hold what, from the value of --columns
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from bleucli import arrow, kernels
from bleucli.counting.corpus import Corpus, Source
from bleucli.errors import BleuError, UsageError
from bleucli.optional_deps import load
from bleucli.phrases import suggest
from bleucli.records import NamedTuple
from bleucli.statsfiles import find_files
from bleucli.statsfiles.layout import SEGMENT, SYSTEM, label_of
from bleucli.statsfiles.reading import PARQUET_MARK, refuse_pipe
from bleucli.text import Segments, of_arrow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa

PARQUET, IPC = (".parquet",), (".arrow", ".feather", ".ipc")
EMPTY = "the table is empty; expected at least one row"
# The number of rows that are read at once
_BLOCK = 4096
_EXPECTED = (
    "expected hyp=COLUMN,refs=COLUMN; list several columns with commas (hyp=A,B), and name a system with"
    " hyp=NAME:COLUMN"
)


class Columns(NamedTuple):
    """Which columns of a table hold texts: those of hypotheses, by system, and those of references."""

    hypotheses: Mapping[str, str] = {"hyp": "hyp"}
    references: Sequence[str] = ("ref",)


def columns_named(text: str) -> Columns:
    """Return what the value of --columns says; by default, the columns are `hyp` and `ref`.

    Raises:
        UsageError: it does not have the form hyp=COLUMN,refs=COLUMN, or names a system twice.

    >>> columns_named("hyp=KIT:kit,uedin,refs=reference")
    Columns(hypotheses={'KIT': 'kit', 'uedin': 'uedin'}, references=['reference'])
    """
    found: dict[str, list[str]] = {}
    key = ""
    for part in text.split(","):
        before, mark, after = part.partition("=")
        if mark:
            key = before.strip()
        value = (after if mark else part).strip()
        if key not in ("hyp", "refs") or not value:
            raise UsageError(f"--columns {text!r}; {_EXPECTED}")
        found.setdefault(key, []).append(value)
    hypotheses: dict[str, str] = {}
    for value in found.get("hyp", ["hyp"]):
        name, mark, column = value.partition(":")
        if name in hypotheses or not name or (mark and not column):
            raise UsageError(f"--columns {text!r} leaves a system without a name, or names one twice; {_EXPECTED}")
        hypotheses[name] = column or name
    return Columns(hypotheses, found.get("refs", ["ref"]))


class TextTable:
    """The rows of files, one after the other.

    Args:
        paths: files, folders or patterns.
        columns: the columns of texts, by default `hyp` and `ref`; references may be lists of strings.
        keys: the columns to group by.

    Attributes:
        files: the paths of the files.
        labels: for each block read so far, the values of the keys in each of its rows.
        rows: the number of rows read so far, by file.

    Raises:
        BleuError: a file or column does not exist, or pyarrow is not installed.
    """

    def __init__(self, paths: Sequence[str], columns: Columns | None = None, keys: Sequence[str] = ()) -> None:
        self.files = find_tables(paths)
        self._columns = columns or Columns()
        self._keys = keys
        self.labels: list[list[tuple[Any, ...]]] = []
        self.rows = dict.fromkeys(self.files, 0)
        for path in self.files:
            with telling(path):
                file = _open(path)
                schema = file.schema_arrow if is_parquet(path) else file.schema
                check_columns(path, schema, self._columns, keys)

    def corpus(self) -> Corpus:
        """Return the texts as a corpus, which can be read once; the references come with the systems."""
        references = ", ".join(self._columns.references)
        source = Source("the table", list(self._columns.hypotheses), self._blocks(), references)
        return Corpus([source], [])

    def _blocks(self) -> Iterator[list[Segments]]:
        """Give each block as columns: those of hypotheses, then those of references.

        Raises:
            BleuError: a file is damaged, a hypothesis or all references of a segment are missing, or there are no rows.
        """
        for path in self.files:
            wanted = [*self._columns.hypotheses.values(), *self._columns.references, *self._keys]
            with telling(path):
                for batch in read_batches(path, wanted):
                    if len(batch):
                        yield self._read(batch, path)
                        self.rows[path] += len(batch)
        if not any(self.rows.values()):
            raise BleuError(EMPTY)

    def _read(self, batch: pa.RecordBatch, path: str) -> list[Segments]:
        if not is_parquet(path):  # pyarrow does not check a memory map; `of_arrow` checks the hypotheses below
            for name in (*self._keys, *self._columns.references):
                batch.column(name).validate(full=True)
        keys = [list(map(label_of, batch.column(key).to_pylist())) for key in self._keys]
        if keys:
            self.labels.append(list(zip(*keys, strict=True)))
        hypotheses = []
        for column in self._columns.hypotheses.values():
            texts = batch.column(column)
            if texts.null_count:
                row = texts.is_null().to_pylist().index(True)
                raise BleuError(
                    f"{column} is null in {self._tell(path, row, keys)}; give a string, an empty one for no output"
                )
            hypotheses.append(of_arrow(texts, column, self.rows[path]))
        streams = [one for name in self._columns.references for one in arrow.read_references(batch.column(name), name)]
        _, _, bare = kernels.reference_counts(streams)
        if bare >= 0:
            raise BleuError(
                f"all references are missing in {self._tell(path, bare, keys)}; give at least one, or leave out the row"
            )
        return [*hypotheses, *streams]

    def _tell(self, path: str, row: int, keys: Sequence[Sequence[Any]]) -> str:
        """Name a row in an error: by its file, its number and its key."""
        key = ", ".join(f"{name} {values[row]}" for name, values in zip(self._keys, keys, strict=True))
        return f"{path}, row {self.rows[path] + row + 1}{key and f' ({key})'}"


def find_tables(paths: Sequence[str], endings: Sequence[str] = (*PARQUET, *IPC)) -> list[str]:
    """Return the files that are named, those in named folders, and those that match patterns.

    Raises:
        BleuError: no file is found, one is a pipe, or one is given twice and its segments would count twice.
    """
    found = find_files(paths, endings)
    for path in found:
        refuse_pipe(path)
    refuse_twice(found)
    return found


def refuse_twice(paths: Sequence[str]) -> None:
    """Refuse a file that is given twice, also by different names; paths: those of files, or addresses.

    Raises:
        BleuError: a file is given twice.
    """
    known: dict[str, str] = {}
    for path in paths:
        place = path if "://" in path else os.path.realpath(path)
        if place in known:
            also = "" if known[place] == path else f", first as {known[place]}"
            raise BleuError(f"{path} is given twice{also}, and would count twice; name each table once")
        known[place] = path


def is_parquet(path: str) -> bool:
    """Return whether a file is a Parquet file: its ending says so, or its first bytes if it has another ending."""
    if path.endswith((*PARQUET, *IPC)):
        return path.endswith(PARQUET)
    try:
        with open(path, "rb") as file:
            return file.read(len(PARQUET_MARK)) == PARQUET_MARK
    except OSError:  # opening it as a table reports the error
        return False


def check_columns(path: str, schema: pa.Schema, columns: Columns, keys: Sequence[str]) -> None:
    """Refuse a table whose columns cannot be used; schema: its schema.

    Raises:
        BleuError: it lacks a column, has two of the same name, or the values of a key cannot make groups.
    """
    names = schema.names
    for name in (*columns.hypotheses.values(), *columns.references, *keys):
        if name not in names:
            if name not in keys and {SYSTEM, SEGMENT} < {*names} and arrow.metrics_in(names):
                raise BleuError(f"{path} has no column {name}; it holds statistics: read it with --stats")
            how = "" if name in keys else "; name the columns of texts with --columns hyp=NAME,refs=NAME"
            told = f"{path} has no column {name}; it has {', '.join(names)}"
            raise BleuError(f"{told}{suggest(name, names)}{how}")
        if names.count(name) > 1:
            raise BleuError(f"{path} has {names.count(name)} columns {name}; rename all but one")
    for key in keys:
        kind = schema.field(key).type
        if load("pyarrow", "arrow").types.is_nested(kind):
            raise BleuError(
                f"the column {key} of {path} holds values of type {kind}, which cannot make groups; choose another"
            )


def read_batches(path: str, names: Sequence[str], rows: int = _BLOCK, file: Any = None) -> Iterator[pa.RecordBatch]:
    """Give some columns of a file block by block; memory holds one Parquet row group, or one IPC batch.

    Args:
        path: the path of the file.
        names: the names of the columns.
        rows: the number of rows to read at once.
        file: the open Parquet file; None to open the path.
    """
    pa = load("pyarrow", "arrow")
    wanted = list(dict.fromkeys(names))
    opened = _open(path, file)
    if file is not None or is_parquet(path):
        yield from opened.iter_batches(batch_size=rows, columns=wanted)
        return
    # An IPC file gives batches by their numbers; a stream gives them only in order
    batches = map(opened.get_batch, range(opened.num_record_batches)) if hasattr(opened, "get_batch") else iter(opened)
    for batch in batches:
        yield from pa.Table.from_batches([batch]).select(wanted).to_batches(max_chunksize=rows)


def _open(path: str, file: Any = None) -> Any:
    if file is not None or is_parquet(path):
        parquet = load("pyarrow.parquet", "arrow")
        return parquet.ParquetFile(path if file is None else file, page_checksum_verification=True)
    pa = load("pyarrow", "arrow")
    try:
        return pa.ipc.open_file(pa.memory_map(path))
    except pa.ArrowInvalid:  # a stream has no footer
        return pa.ipc.open_stream(pa.memory_map(path))


@contextmanager
def telling(path: str) -> Iterator[None]:
    """Turn pyarrow's errors about a file into one line."""
    pa = load("pyarrow", "arrow")
    try:
        yield
    except BleuError:
        raise
    except FileNotFoundError:
        raise BleuError(f"there is no file {path}; give the path of a table") from None
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno:
            raise BleuError(f"cannot read {path}: {os.strerror(error.errno)}; name another table") from None
        told = " ".join(str(error).split()) or type(error).__name__
        kind = "Parquet" if is_parquet(path) else "Arrow IPC" if path.endswith(IPC) else "Parquet or Arrow IPC"
        raise BleuError(f"{path} is not a complete {kind} file ({told[:200]}); write it again") from None
