"""Tables of texts: one column of hypotheses per system, read block by block.

Parquet and Arrow IPC are read by their blocks. CSV and TSV with a header, arrays of JSON objects and the first sheet of
an XLSX file are read whole; all labels and ids in them are text.

- `columns_named`: which columns hold what, from the value of --columns
- `TextTable`: files with the same columns, or with ids, as one corpus; and the group of each row
- `find_tables`, `check_columns`, `read_batches`: find files, check their columns, and read their rows; `kind_of`: which
  are those of other programs
- `find_parquet`, `address_of`, `open_parquet`: files that may be elsewhere, such as at `s3://bucket/folder`
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache

from bleucli import kernels
from bleucli.counting.corpus import Corpus, Source
from bleucli.errors import BleuError, UsageError
from bleucli.optional_deps import load
from bleucli.phrases import list_names, suggest, tell_ragged
from bleucli.reading import TextFile, utf16_in
from bleucli.reading.delimited import read_rows
from bleucli.reading.jsonfields import Fields, encode_ids, kind, names_of_ids, quote
from bleucli.records import NamedTuple
from bleucli.scale import SEGMENT, SYSTEM, label_of, metrics_in
from bleucli.scale.arrow import Columns, read_block
from bleucli.scale.files import PARQUET, PARQUET_MARK, find_files, refuse_pipe
from bleucli.text import Segments
from bleucli.text.buffers import open_file
from bleucli.text.labels import Labels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa

    from bleucli.counting.joining import Joining

IPC = (".arrow", ".feather", ".ipc")
# The first bytes of files, and those of streams
_IPC_MARKS = (b"ARRO", b"\xff\xff\xff\xff")
# How many bytes of a file show what it is, and how tables begin that are not text
_START_BYTES = 512
_OTHER_FORMATS = {b"PK\x03\x04": "a ZIP archive, as .xlsx is", b"ARROW1\0": "Arrow IPC"}
# Tables of other programs, with the function that reads each
_DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
TABLES = (*_DELIMITERS, ".json", ".xlsx")
# The key of a field's metadata that says why a column cannot hold texts
_FAULT = b"bleu.fault"
# The number of rows that are read at once
_BLOCK = 4096
_EXPECTED = (
    "expected hyp=COLUMN,refs=COLUMN; list several columns with commas (hyp=A,B), and name a system with"
    " hyp=NAME:COLUMN"
)


def columns_named(text: str) -> Columns:
    """Return what the value of --columns says; by default, the columns are `hyp` and `ref`.

    >>> columns_named("hyp=KIT:kit,uedin,refs=reference")
    Columns(hypotheses={'KIT': 'kit', 'uedin': 'uedin'}, references=['reference'])
    """
    names: dict[str, list[str]] = {}
    key = ""
    for part in text.split(","):
        before, mark, after = part.partition("=")
        if mark:
            key = before.strip()
        value = (after if mark else part).strip()
        if key not in ("hyp", "refs") or not value:
            raise UsageError(f"--columns {text!r}; {_EXPECTED}")
        names.setdefault(key, []).append(value)
    hypotheses: dict[str, str] = {}
    for value in names.get("hyp", ["hyp"]):
        name, mark, column = value.partition(":")
        if name in hypotheses or not name or (mark and not column):
            raise UsageError(f"--columns {text!r} leaves a system without a name, or names one twice; {_EXPECTED}")
        hypotheses[name] = column or name
    return Columns(hypotheses, names.get("refs", ["ref"]))


class TextTable:
    """The rows of files, one after the other; or, if columns of texts are in different files, joined by ids.

    Args:
        paths: files, folders or patterns.
        columns: the columns of texts, by default `hyp` and `ref`; references may be lists of strings.
        keys: the columns to group by.
        partial: whether rows are left out that have no hypothesis of some system, or no reference.
        identified: whether ids are read although each file has all columns, because scores have ids, too.

    files: the paths. labels: the values of the keys in the rows that were read; whoever counts the rows takes them.
    rows: the number of rows read so far, by file. joining: joins rows by their ids; None if each file has all columns,
    and ids are not read.
    """

    def __init__(
        self,
        paths: Sequence[str],
        columns: Columns | None = None,
        keys: Sequence[str] = (),
        partial: bool = False,
        identified: bool = False,
    ) -> None:
        self.files = find_tables(paths)
        columns = columns or Columns()
        self.labels = Labels(keys)
        self.rows = dict.fromkeys(self.files, 0)
        self.joining: Joining | None = None
        schemas, names = {}, {}
        for path in self.files:
            with telling(path):
                schemas[path] = _schema_of(path)
                names[path] = schemas[path].names
        self._parts = _find_parts(names, columns, keys)
        has_all = not self._parts
        if has_all:
            shared = [name for name in schemas[self.files[0]].names if all(name in of for of in names.values())]
            ids = names_of_ids(dict.fromkeys(shared), Fields()) if identified else []
            self._parts = [_Part(self.files, columns, ids if any(ids) else (), keys)]
        if not has_all or self._parts[0].ids:
            from bleucli.counting.joining import Joining

            self.joining = Joining(partial)
        for part in self._parts:
            for path in part.files:
                with telling(path):
                    check_columns(path, schemas[path], part.columns, part.keys)
        if partial and has_all:
            raise UsageError(
                "--partial joins tables by their ids, but each table has all columns of texts; leave it out"
            )

    def corpus(self) -> Corpus:
        """Return the texts as a corpus, which can be read once; references come with the systems that share files."""
        if self.joining is None:
            (part,) = self._parts
            references = ", ".join(part.columns.references)
            return Corpus([Source("the table", list(part.columns.hypotheses), self._blocks(part), references)], [])
        systems = [self._source_of(part) for part in self._parts if part.columns.hypotheses]
        rest = [self._source_of(part) for part in self._parts if not part.columns.hypotheses]
        return Corpus(systems, rest, joining=self.joining, labels=self.labels)

    def _source_of(self, part: _Part) -> Source:
        label, references = ", ".join(part.files), ", ".join(part.columns.references)
        is_system = bool(part.columns.hypotheses)
        return Source(
            label,
            list(part.columns.hypotheses) or part.columns.references,
            self._blocks(part),
            f"{label} (references)" if is_system and references else "",
            ids=len(part.ids),
            labels=part.keys,
            has_hypotheses=is_system,
        )

    def _blocks(self, part: _Part) -> Iterator[list[Segments]]:
        """Give blocks of files with the same columns: hypotheses, ids and keys to join by, references."""
        names = [*part.columns.names(), *filter(None, part.ids), *part.keys]
        for path in part.files:
            with telling(path):
                for batch in read_batches(path, names):
                    if len(batch):
                        yield self._read(batch, part, path)
                        self.rows[path] += len(batch)
        if not any(self.rows[path] for path in part.files):
            raise BleuError(f"{part.files[0]} is empty; expected at least one row")

    def _read(self, batch: pa.RecordBatch, part: _Part, path: str) -> list[Segments]:
        if not is_parquet(path):  # pyarrow does not check a memory map; `read_block` checks the hypotheses
            for name in (*part.keys, *filter(None, part.ids), *part.columns.references):
                batch.column(name).validate(full=True)
        texts = read_block(batch, part.columns, part.keys, self.rows[path], path)
        keys = [map(label_of, batch.column(key).to_pylist()) for key in part.keys]
        if self.joining is None:
            self.labels.add(keys)
            return texts
        ids = [encode_ids(batch.column(name).to_pylist()) if name else b"" for name in part.ids]
        none = Segments(b"", bytes(16 * len(batch)))
        count = len(part.columns.hypotheses)
        return [
            *texts[:count],
            *(kernels.split_lines(lines)[0] if lines else none for lines in ids),
            *(Segments.from_strings([None if one is None else str(one) for one in key]) for key in keys),
            *texts[count:],
        ]


def column_names(paths: Sequence[str]) -> list[str]:
    """Return the names of the columns that all files have; arguments: as for `TextTable`."""
    names: list[list[str]] = []
    for path in find_tables(paths):
        with telling(path):
            names.append(_schema_of(path).names)
    return [name for name in names[0] if all(name in of for of in names)]


class _Part(NamedTuple):
    """Files that have the same columns of texts: these, the column of each kind of id, and the keys that they have."""

    files: Sequence[str]
    columns: Columns
    ids: Sequence[str]
    keys: Sequence[str]


def _find_parts(names: Mapping[str, Sequence[str]], columns: Columns, keys: Sequence[str]) -> list[_Part]:
    """Return the parts of a table whose columns of texts are in different files; none if a file cannot be joined.

    names: the columns of each file, by path.

    >>> files = {"refs.parquet": ["doc_id", "ref"], "a.parquet": ["doc_id", "hyp"]}
    >>> [(part.files, part.columns.names(), part.ids[0]) for part in _find_parts(files, Columns(), [])]
    [(['refs.parquet'], ['ref'], 'doc_id'), (['a.parquet'], ['hyp'], 'doc_id')]
    """
    texts = {path: [name for name in columns.names() if name in of] for path, of in names.items()}
    ids = {path: names_of_ids(dict.fromkeys(of), Fields()) for path, of in names.items()}
    is_alike = all(of == next(iter(texts.values())) for of in texts.values())
    # Otherwise, `check_columns` says what is missing
    if is_alike or not all(map(any, ids.values())) or not all(texts.values()):
        return []
    columns_of_all = list(dict.fromkeys(name for of in names.values() for name in of))
    for name in columns.names():
        if name not in columns_of_all:
            remedy = "; name the columns of texts with --columns hyp=NAME,refs=NAME"
            there = f"{list_names(columns_of_all)}{suggest(name, columns_of_all)}"
            raise BleuError(f"no table has a column {name}; they have {there}{remedy}")
    parts: dict[tuple[str, ...], list[str]] = {}
    for path, of in texts.items():
        parts.setdefault(tuple(of), []).append(path)
    return [
        _Part(
            files,
            Columns(
                {name: column for name, column in columns.hypotheses.items() if column in of},
                [name for name in columns.references if name in of],
            ),
            ids[files[0]],
            [key for key in keys if key in names[files[0]] or key not in columns_of_all],  # an unknown one is refused
        )
        for of, files in parts.items()
    ]


def find_tables(paths: Sequence[str], endings: Sequence[str] = (*PARQUET, *IPC, *TABLES)) -> list[str]:
    """Return the files that are named, those in named folders, and those that match patterns."""
    files = find_files(paths, endings)
    for path in files:
        refuse_pipe(path)
    refuse_twice(files)
    return files


def refuse_twice(paths: Sequence[str]) -> None:
    """Refuse a file that is given twice, also by different names; paths: those of files, or addresses."""
    names: dict[str, str] = {}
    for path in paths:
        address = path if "://" in path else os.path.realpath(path)
        if address in names:
            also = "" if names[address] == path else f", first as {names[address]}"
            raise BleuError(f"{path} is given twice{also}, and would count twice; name each table once")
        names[address] = path


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
    """Refuse a table whose columns cannot be used; schema: its schema."""
    names = schema.names
    for name in (*columns.hypotheses.values(), *columns.references, *keys):
        if name not in names:
            if name not in keys and {SYSTEM, SEGMENT} < {*names} and metrics_in(names):
                raise BleuError(f"{path} has no column {name}; it holds statistics: read it with --stats")
            remedy = "" if name in keys else "; name the columns of texts with --columns hyp=NAME,refs=NAME"
            what = f"{path} has no column {name}; it has {list_names(names)}"
            raise BleuError(f"{what}{suggest(name, names)}{remedy}")
        if names.count(name) > 1:
            raise BleuError(f"{path} has {names.count(name)} columns {name}; rename all but one")
        if name not in keys and (fault := (schema.field(name).metadata or {}).get(_FAULT)):
            raise BleuError(fault.decode())
    for key in keys:
        kind = schema.field(key).type
        if load("pyarrow", "arrow").types.is_nested(kind):
            raise BleuError(
                f"the column {key} of {path} holds values of type {kind}, which cannot make groups; choose another"
            )


def read_batches(path: str, names: Sequence[str], rows: int = _BLOCK, address: str = "") -> Iterator[pa.RecordBatch]:
    """Give some columns of a file block by block; memory holds one Parquet row group, or one IPC batch.

    rows: how many to read at once. address: where a Parquet file is, as `address_of` returns it; "" for the path.
    """
    columns = list(dict.fromkeys(names))
    if address or is_parquet(path):
        yield from open_parquet(address or path).iter_batches(batch_size=rows, columns=columns)
        return
    if kind_of(path):
        yield from _read_table(path).select(columns).to_batches(max_chunksize=rows)
        return
    file = _open_ipc(path)
    # An IPC file gives batches by their numbers; a stream gives them only in order
    batches = map(file.get_batch, range(file.num_record_batches)) if hasattr(file, "get_batch") else iter(file)
    for batch in batches:
        table = load("pyarrow", "arrow").Table.from_batches([batch])
        yield from table.select(columns).to_batches(max_chunksize=rows)


def _schema_of(path: str) -> pa.Schema:
    if is_parquet(path):
        return open_parquet(path).schema_arrow
    return (_read_table(path) if kind_of(path) else _open_ipc(path)).schema


def kind_of(path: str) -> str:
    """Return the ending of a table of another program, such as ".csv"; "" for Parquet and Arrow IPC."""
    return next((ending for ending in TABLES if path.lower().endswith(ending)), "")


def _read_table(path: str) -> pa.Table:
    """Return a table of another program; labels and ids become text, and missing values are missing."""
    status = os.stat(path)
    return _parse(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=1)
def _parse(path: str, _time: int, _size: int) -> pa.Table:
    """Return what `_read_table` does; a table is asked for its columns first, and then for its rows."""
    pa, ending = load("pyarrow", "arrow"), kind_of(path)
    readers = {".json": _read_json, ".xlsx": _read_xlsx}
    rows = readers[ending](path) if ending in readers else _read_delimited(path, ending)
    if not rows:
        raise BleuError(f"{path} is empty; expected at least one row")
    start, *numbers = rows
    header = [_text_of(name) or "" for name in rows.pop(start)]
    for number, row in rows.items():
        if len(row) != len(header):
            raise BleuError(tell_ragged(path, number, len(row), len(header)))
    place = f"{path}, {'item' if ending == '.json' else 'row'}"
    fields, arrays = [], []
    for name, column in zip(header, zip(*rows.values(), strict=True) if rows else [()] * len(header), strict=True):
        kinds = set(map(type, column))
        fault = "" if kinds <= {str, type(None)} else _fault_in(place, numbers, name, column)
        texts = pa.list_(pa.string()) if list in kinds else pa.string()
        try:
            # Labels and ids need not be text: only a column of texts is refused, by `check_columns`
            fields.append(pa.field(name, texts, metadata={_FAULT: fault} if fault else None))
            arrays.append(pa.array([_cell(value, list in kinds) for value in column] if fault else column, texts))
        except UnicodeEncodeError as error:
            half = f"\\u{ord(error.object[error.start]):04x}"
            raise BleuError(
                f"{path}: {quote(error.object)} holds a lone surrogate ({half}), which is not text; write both halves"
                " of the character"
            ) from None
    return pa.table(arrays, schema=pa.schema(fields))


def _fault_in(place: str, numbers: Sequence[int], name: str, column: Sequence[object]) -> str:
    """Return what is wrong with a column if it holds texts; "" if nothing is.

    >>> _fault_in("t.json, item", [1, 2], "refs", [["a", None], "b"])
    "t.json, item 2: 'refs' is a string; expected an array of strings"
    """
    has_lists = any(isinstance(value, list) for value in column)
    for number, value in zip(numbers, column, strict=True):
        if has_lists and isinstance(value, str):
            return f"{place} {number}: {quote(name)} is a string; expected an array of strings"
        for one in value if isinstance(value, list) else [value]:
            if one is not None and not isinstance(one, str):
                what = "a date or time" if hasattr(one, "isoformat") else kind(one)  # in a spreadsheet
                return f"{place} {number}: {quote(name)} {'holds' if has_lists else 'is'} {what}; expected a string"
    return ""


def _cell(value: object, in_list: bool) -> object:
    """Return a label or an id as text."""
    texts = list(map(_text_of, value if isinstance(value, list) else [value]))
    return texts if in_list else texts[0]


def _text_of(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else str(value)


def _read_delimited(path: str, ending: str) -> dict[int, list[Any]]:
    return dict(enumerate(read_rows(_read_text(path), _DELIMITERS[ending], path), 1))


def _read_text(path: str) -> str:
    """Return the text of a file in UTF-8 or UTF-16, unpacked if it is compressed, without a byte-order mark."""
    with open(path, "rb") as content:
        start = content.read(_START_BYTES)
    for mark, what in _OTHER_FORMATS.items():
        if start.startswith(mark):
            raise BleuError(f"{path} is {what}; give the file the ending of its format")
    file = TextFile(path, path, encoding=utf16_in(start) or "utf-8", mark="dropped")
    file.remedy = "save it as UTF-8"
    return file.text()


def _read_json(path: str) -> dict[int, list[Any]]:
    """Return the rows of an array of objects, by the numbers of these from 1; the names of the columns are row 0."""
    import json

    text = _read_text(path)
    try:
        items = json.loads(text)
    except (RecursionError, ValueError) as error:
        raise BleuError(f"{path} is not valid JSON ({error}); JSON Lines are read after -i") from None
    if items == []:
        return {}
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise BleuError(f'{path} is not an array of objects; write [{{"hyp": ..., "ref": ...}}, ...]')
    header = list(dict.fromkeys(key for item in items for key in item))
    return dict(enumerate([header, *([item.get(key) for key in header] for item in items)]))


def _read_xlsx(path: str) -> dict[int, list[Any]]:
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise BleuError(f"{path} needs openpyxl; type: pip install openpyxl, or save the sheet as .csv") from None
    try:
        sheet = load_workbook(path, read_only=True, data_only=True).worksheets[0]
        rows = {number: list(row) for number, row in enumerate(sheet.iter_rows(values_only=True), 1)}
    except Exception as error:  # damaged archives and XML raise exceptions of many kinds
        if isinstance(error, OSError) and error.errno:
            raise
        raise BleuError(f"{path} is not a complete XLSX file with a sheet of cells; save it again") from None
    return {number: row for number, row in rows.items() if any(value is not None for value in row)}


def _open_ipc(path: str) -> Any:
    pa = load("pyarrow", "arrow")
    name = os.fsencode(path)  # a string that is not valid UTF-8 is refused
    try:
        return pa.ipc.open_file(pa.memory_map(name))
    except pa.ArrowInvalid:  # a stream has no footer
        return pa.ipc.open_stream(pa.memory_map(name))


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
        reason = " ".join(str(error).split()) or type(error).__name__
        if not path.endswith((*PARQUET, *IPC)) and not is_parquet(path):
            endings = ", ".join((*PARQUET[:1], *IPC[:1], *TABLES))
            raise BleuError(
                f"{path} is not a table; expected a file whose name ends in {endings}; text and JSON Lines are read"
                " after -i"
            ) from None
        kind, marks = ("Parquet", (PARQUET_MARK,)) if is_parquet(path) else ("Arrow IPC", _IPC_MARKS)
        if "://" not in path:
            with open(path, "rb") as content:
                start = content.read(len(PARQUET_MARK))
            if start and start not in marks:
                raise BleuError(f"{path} is not {kind}; give the file the ending of its format") from None
        raise BleuError(f"{path} is not a complete {kind} file ({reason[:200]}); write it again") from None


# --- files that may be elsewhere


def find_parquet(paths: Iterable[str]) -> list[str]:
    """Return the Parquet files that are named, those in named folders, and those that match patterns.

    Each may be a path on this machine, or an address.
    """
    files = []
    for path in paths:
        files += _find_remote(path) if "://" in path else find_tables([path], PARQUET)
    refuse_twice(files)
    for path in files:
        if not path.partition("?")[0].endswith(PARQUET):
            raise BleuError(
                f"{path} does not end in {PARQUET[0]}, and engines read no other files; convert or rename it, or"
                " leave out --engine"
            )
    return files


def find_local(paths: Iterable[str]) -> list[str]:
    """Return the Parquet files on this machine, as `find_parquet` does, followed by the addresses, as they are."""
    paths = list(paths)
    local = find_tables([path for path in paths if "://" not in path], PARQUET)
    for path in local:
        if not os.path.exists(path):
            raise BleuError(f"there is no file {path}; give the path of a table")
    files = [*local, *(path for path in paths if "://" in path)]
    refuse_twice(files)
    return files


def address_of(path: str) -> str:
    """Return the address of a file; a path that is already an address stays unchanged.

    >>> address_of("/a b/c.parquet"), address_of("s3://a/b.parquet")
    ('file:/a b/c.parquet', 's3://a/b.parquet')
    """
    return path if "://" in path else f"file:{os.path.abspath(path)}"


def plain_address(address: str) -> str:
    """Return an address that an engine reports, in the form that `address_of` returns.

    >>> plain_address("file:///a%20b/c.parquet")
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
    pattern = unquote(path).rstrip("/").split("/")
    addresses = []
    for entry in inside:
        candidate = root.rstrip("/") + quote(entry.path.removeprefix(inner.rstrip("/")))
        parts = unquote(candidate).split("/")
        if root == path:
            # Engines mark output of unfinished tasks with these characters
            matches = candidate.endswith(PARQUET) and entry.base_name[0] not in "._"
        else:
            matches = len(parts) == len(pattern) and all(map(fnmatchcase, parts, pattern))
        if matches and entry.type == fs.FileType.File:
            addresses.append(candidate + mark + options)
    if not addresses:
        raise BleuError(f"no file matches {address}; name the files")
    return sorted(addresses)


def _reach(address: str) -> tuple[Any, str]:
    """Return the file system that an address names, and the path in it."""
    fs, pa = load("pyarrow.fs", "arrow"), load("pyarrow", "arrow")
    try:
        filesystem, inner = fs.FileSystem.from_uri(address)
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise BleuError(f"cannot reach {address} ({reason}); name files that all workers can read") from None
    return filesystem, inner


def open_parquet(address: str) -> Any:
    """Open a Parquet file for reading; address: as `address_of` returns it, or a path."""
    parquet = load("pyarrow.parquet", "arrow")
    if "://" in address:
        filesystem, inner = _reach(address)
        file = filesystem.open_input_file(inner)
    else:
        file = open_file(address.removeprefix("file:"))
    return parquet.ParquetFile(file, page_checksum_verification=True)
