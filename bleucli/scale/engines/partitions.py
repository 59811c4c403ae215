"""The files of texts, the number of segments in each, and the number of segments before it.

- `Partition`: a file, and what is known about it before its texts are read
- `find`: files on this machine, or at addresses that pyarrow can read, such as `s3://bucket/folder`
- `survey`: what their footers, and the columns of keys, show before anything is counted
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from bleucli.errors import BleuError
from bleucli.optional_deps import load
from bleucli.records import NamedTuple
from bleucli.scale import arrow, tables
from bleucli.scale.layout import PLACES, SYSTEM, label_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    import pyarrow as pa

    Values = tuple[Any, ...]


class Partition(NamedTuple):
    """A file of texts.

    number: its index among all partitions. path: the file as the user named it. address: where every worker finds it.
    rows: its number of rows. starts: the number of segments before it, by the values of the keys that are called
    `system`, `testset` and so on, because segments are numbered separately for each of these values.
    """

    number: int
    path: str
    address: str
    rows: int
    starts: Mapping[Values, int]

    def read(self, names: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        """Give some columns of the file, at most `rows` rows at a time; memory holds one row group."""
        with tables.telling(self.path):
            yield from tables.read_batches(self.path, names, rows, _open(self.address))

    def file_in(self, folder: str) -> str:
        """Return the path of the file in a folder that keeps the partition's statistics."""
        stem = os.path.basename(self.path).partition("?")[0].removesuffix(tables.PARQUET[0])
        return os.path.join(folder, f"{self.number:05}-{stem}{tables.PARQUET[0]}")


class Survey(NamedTuple):
    """Everything that is known before texts are read.

    partitions: the files that have rows. rows: the number of rows of each file, by path. segments: the number of all
    segments. order: the values of the keys, numbered in order of first appearance.
    """

    partitions: Sequence[Partition]
    rows: Mapping[str, int]
    segments: int
    order: Mapping[Values, int]


def find(paths: Iterable[str]) -> list[str]:
    """Return the Parquet files that are named, those in named folders, and those that match patterns.

    Each may be a path on this machine, or an address.

    Raises:
        BleuError: no file is found, one is given twice, or one has another ending.
    """
    found = []
    for path in paths:
        found += _find_remote(path) if "://" in path else tables.find_tables([path], tables.PARQUET)
    tables.refuse_twice(found)
    for path in found:
        if not path.partition("?")[0].endswith(tables.PARQUET):
            raise BleuError(
                f"{path} does not end in {tables.PARQUET[0]}, and engines read no other files; convert or rename it, or"
                " leave out --engine"
            )
    return found


def address(paths: Iterable[str]) -> dict[str, str]:
    """Return files by address: first those on this machine, then those given as addresses, which the engine opens.

    Raises:
        BleuError: a file does not exist, or is given twice.
    """
    local = tables.find_tables([path for path in paths if "://" not in path], tables.PARQUET)
    found = [*local, *(path for path in paths if "://" in path)]
    tables.refuse_twice(found)
    for path in local:
        if not os.path.exists(path):
            raise BleuError(f"there is no file {path}; give the path of a table")
    return {address_of(path): path for path in found}


def address_of(path: str) -> str:
    """Return the address of a file; a path that is already an address stays unchanged.

    >>> address_of("/a b/c.parquet"), address_of("s3://a/b.parquet")
    ('file:/a b/c.parquet', 's3://a/b.parquet')
    """
    return path if "://" in path else f"file:{os.path.abspath(path)}"


def decode(address: str) -> str:
    """Return an address that an engine reports, in the form that `address_of` returns.

    >>> decode("file:///a%20b/c.parquet")
    'file:/a b/c.parquet'
    """
    from urllib.parse import unquote

    plain = unquote(address)
    return f"file:/{plain.removeprefix('file:').lstrip('/')}" if plain.startswith("file:") else plain


def _find_remote(address: str) -> list[str]:
    """Return the files at an address, which may be that of a file or folder, or a pattern."""
    from fnmatch import fnmatchcase
    from urllib.parse import quote, unquote

    fs = load("pyarrow.fs", "arrow")
    path, mark, options = address.partition("?")
    root = path  # the folder above the first wildcard
    while "*" in root or "[" in root:
        root = root.rpartition("/")[0]
    filesystem, inner = _reach(root + mark + options)
    if root == path and filesystem.get_file_info(inner).type == fs.FileType.File:
        return [address]
    inside = filesystem.get_file_info(fs.FileSelector(inner, allow_not_found=True, recursive=True))
    wanted = unquote(path).rstrip("/").split("/")
    found = []
    for entry in inside:
        one = root.rstrip("/") + quote(entry.path.removeprefix(inner.rstrip("/")))
        parts = unquote(one).split("/")
        if root == path:
            # Engines mark output of unfinished tasks with these characters
            matches = one.endswith(tables.PARQUET) and entry.base_name[0] not in "._"
        else:
            matches = len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))
        if matches and entry.type == fs.FileType.File:
            found.append(one + mark + options)
    if not found:
        raise BleuError(f"no file matches {address}; name the files")
    return sorted(found)


def _reach(address: str) -> tuple[Any, str]:
    """Return the file system that an address names, and the path in it."""
    fs, pa = load("pyarrow.fs", "arrow"), load("pyarrow", "arrow")
    try:
        filesystem, inner = fs.FileSystem.from_uri(address)
    except (pa.ArrowException, OSError, ValueError) as error:
        told = " ".join(str(error).split())[:200]
        raise BleuError(f"cannot reach {address} ({told}); name files that all workers can read") from None
    return filesystem, inner


def _open(address: str) -> Any:
    """Open a file for reading; address: as `address_of` returns it."""
    if "://" not in address:
        return load("pyarrow", "arrow").memory_map(address.removeprefix("file:"))
    filesystem, inner = _reach(address)
    return filesystem.open_input_file(inner)


def survey(paths: Iterable[str], columns: tables.Columns, keys: Sequence[str]) -> Survey:
    """Return what the footers of files show; if there are keys, their columns are also read.

    Args:
        paths: as for `find`.
        columns: the columns of texts.
        keys: the columns to group by.

    Raises:
        BleuError: a file does not exist, cannot be read, or lacks a column.
    """
    from concurrent.futures import ThreadPoolExecutor

    files = find(paths)
    with ThreadPoolExecutor(8) as threads:  # the files may be far away
        found = list(threads.map(lambda path: _look_at(path, columns, keys), files))
    rows = [(address_of(path), *of) for path, counts in zip(files, found, strict=True) for of in counts]
    return number_rows(rows, keys, {address_of(path): path for path in files})


def _look_at(path: str, columns: tables.Columns, keys: Sequence[str]) -> list[Values]:
    """Return the values of the keys in a file, each with its rank by first appearance and its number of rows."""
    parquet = load("pyarrow.parquet", "arrow")
    with tables.telling(path), parquet.ParquetFile(_open(address_of(path)), page_checksum_verification=True) as file:
        tables.check_columns(path, file.schema_arrow, columns, keys)
        if not keys:
            return [(0, file.metadata.num_rows)]
        counts: dict[Values, int] = {}
        for group in range(file.num_row_groups):
            table = file.read_row_group(group, columns=list(keys), use_threads=False).select(keys)
            places = list(map(str, range(len(keys))))  # pyarrow reads names such as .a as paths
            for row in arrow.group(table.rename_columns(places), places, [([], "count_all")]).to_pylist():
                values = tuple(row[place] for place in places)
                counts[values] = counts.get(values, 0) + row["count_all"]
        return [(*values, first, count) for first, (values, count) in enumerate(counts.items())]


def number_rows(rows: Iterable[Sequence[Any]], keys: Sequence[str], given: Mapping[str, str]) -> Survey:
    """Return the survey of values that were found in files.

    Args:
        rows: each has an address, the values of the keys, a number that sorts them by first appearance in the file, and
            the number of rows with these values.
        keys: the columns of the keys.
        given: paths by address, in the order in which they were given.
    """
    order_of_files = {address: number for number, address in enumerate(given)}
    # Files that were given come first, in that order; files that an engine found in folders follow by address
    found = sorted(rows, key=lambda row: (order_of_files.get(row[0], len(given)), row[0], row[-2]))
    places = [n for n, key in enumerate(keys) if key in (SYSTEM, *PLACES)]
    partitions: dict[str, Partition] = {}
    done: dict[Values, int] = {}
    order: dict[Values, int] = {}
    for row in found:
        address, *found_here, _, count = row
        values = tuple(map(label_of, found_here))
        path = given.get(address, address)
        if not count:
            continue
        before = partitions.get(path) or Partition(len(partitions), path, address, 0, {})
        place = tuple(values[n] for n in places)
        starts = {place: done.get(place, 0), **before.starts}  # the file's first row of a place sets this count
        partitions[path] = before._replace(rows=before.rows + count, starts=starts)
        done[place] = done.get(place, 0) + count
        order.setdefault(values, len(order))
    rows_of = dict.fromkeys((path for path in given.values() if "://" not in path), 0)
    rows_of |= {path: partition.rows for path, partition in partitions.items()}
    return Survey(list(partitions.values()), rows_of, sum(rows_of.values()), order)
