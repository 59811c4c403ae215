r"""Files with scores of segments, as the programs that compute such scores write them.

- `read`: what a file holds, by system

One number per line; what `comet-score` prints, or writes with `--to_json`; MetricX's predictions; a system and a score
per line, as mt-metrics-eval has them; the scores that WMT publishes; and JSON, CSV, TSV and Parquet with a column of
scores. The content shows which it is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from bleucli.errors import BleuError
from bleucli.limits import read_number
from bleucli.optional_deps import load
from bleucli.phrases import QUOTES, suggest, tell_ragged
from bleucli.reading import TextFile, utf16_in
from bleucli.reading.scoreids import Ids, arrange, find_ids, find_unused
from bleucli.records import NamedTuple
from bleucli.text.wholefiles import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    # The score of a segment, None if it is missing; several scores of one segment are a list
    Item = float | None | list[float | None]

_PARQUET = b"PAR1"
# COMET: the first part is the file of the system, which it leaves out if there is only one
_COMET = re.compile(r"(?:(?P<system>.*)\t)?Segment (?P<segment>\d+)\tscore: (?P<score>\S+)")
_COMET_WHOLE = re.compile(r"(?:.*\t)?(?:system )?score: \S+", re.IGNORECASE)
_MISSING = frozenset({"", "none", "nan", "null", "na", "n/a"})
# What columns of scores are called, besides the name of the scores; what columns of systems are called; and other
# numbers that tables have
_SCORES = ("score", "scores", "prediction", "rating", "value")
_SYSTEMS = ("system", "system_id", "sys", "sys_id", "system_name", "model")
_OTHERS = re.compile(r"(.*[._ -])?(id|ids|index|idx|line|line_no|segment|seg|doc|n|year|start|end)", re.IGNORECASE)
_MOST_NAMES = 9
# How many lines may precede the first score of comet-score, for an error that names them
_MOST_BEFORE = 50


class ScoreFile(NamedTuple):
    """The scores in a file.

    label: what errors call it. systems: by system, or by column, the scores of its segments; a single system is called
    "" if the file does not name it. sha256: of the file's bytes. ids: by system, those of its scores.
    """

    label: str
    systems: Mapping[str, list[Item]]
    sha256: str
    ids: Mapping[str, Ids]


class _Scores(NamedTuple):
    """The scores of one system, and their ids."""

    items: list[Item]
    ids: Ids = Ids()


def read(path: str, label: str, name: str, field: str = "", ids: str = "") -> ScoreFile:
    r"""Return the scores in a file; if ids number the segments, in this order.

    label: what errors call it. name: what the scores are called; a column of that name holds them. field: the column
    that holds them, or the system that has them; "" to look for it. ids: the columns that hold ids, as `--jsonl-fields
    id=` names them; "" to look for them.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "comet.txt")
    ...     with open(path, "w") as file:
    ...         _ = file.write("a.txt\tSegment 0\tscore: 0.85\na.txt\tSegment 1\tscore: 0.5\na.txt\tscore: 0.675\n")
    ...     read(path, "comet.txt", "COMET").systems
    {'a.txt': [0.85, 0.5]}
    """
    start = _first_bytes(path, label)
    if start == _PARQUET:
        parquet, pa = load("pyarrow.parquet", "arrow"), load("pyarrow", "arrow")
        try:
            rows: list[Any] = parquet.read_table(path).to_pylist()
        except (pa.ArrowException, OSError) as error:
            raise BleuError(
                f"{label} is not valid Parquet ({' '.join(str(error).split()):.60}); write it again"
            ) from None
        systems, checksum = _of_records(rows, label, name, field, ids), digest(path)
    else:
        file = TextFile(label, path, encoding=utf16_in(start) or "utf-8", mark="dropped", hashed=True)
        lines = [line or "" for (block,) in file.blocks() for line in block]
        systems, checksum = _of_lines(lines, label, name, field, ids), file.sha256()
    if not any(scores.items for scores in systems.values()):
        raise BleuError(f"{label} has no scores; expected one number per segment")
    items = {system: scores.items for system, scores in systems.items()}
    return ScoreFile(label, items, checksum, {system: scores.ids for system, scores in systems.items()})


def _first_bytes(path: str, label: str) -> bytes:
    """Return the first bytes of a file; none of a pipe, which would lose them."""
    if not os.path.isfile(path):
        return b""
    try:
        with open(path, "rb") as content:
            return content.read(len(_PARQUET))
    except OSError as error:
        raise BleuError(f"cannot read {label}: {error.strerror or error}; check the path") from None


def _of_lines(lines: Sequence[str], label: str, name: str, field: str, ids: str) -> Mapping[str, _Scores]:
    """Return the scores in text; lines: without their ends."""
    while lines and not lines[-1]:
        lines = lines[:-1]
    first = next(filter(None, lines), "").lstrip()
    if first.startswith(("{", "[")):
        return _of_json(lines, label, name, field, ids)
    if any(map(_COMET.match, lines[:_MOST_BEFORE])):
        return _select(_of_comet(lines, label), label, field)
    cells = first.split("\t" if "\t" in first else None)
    has_score = len(cells) > 1 and (_is_number(cells[1]) or cells[1].strip().lower() in _MISSING)
    if has_score and not _is_number(cells[0]):
        return _select(_of_pairs(lines, label), label, field)
    if _is_spaced(lines):
        header, *rows = (line.split() for line in lines if line.strip())
        return _of_records(_by_header(header, rows, label), label, name, field, ids)
    if "\t" in first or ("," in first and not _is_number(first)):
        return _of_records(_rows(lines, "\t" if "\t" in first else ",", label), label, name, field, ids)
    if ";" in first or "|" in first:
        raise BleuError(f"{label} begins with {first!r:.60}; put commas or tabs between columns")
    if first.strip().lower() in ((field or name).lower(), *_SCORES) and len(lines) > 1:  # the name of a single column
        return {"": _Scores([_number(line, f"{label}, line {number}") for number, line in enumerate(lines[1:], 2)])}
    if field:
        raise BleuError(f"{label} has one number per line, and no column {field}; leave out :{field}")
    return {"": _Scores([_number(line, f"{label}, line {number}") for number, line in enumerate(lines, 1)])}


def _select(systems: Mapping[str, _Scores], label: str, field: str) -> Mapping[str, _Scores]:
    """Return the scores of one system, or, if none is named, those of all."""
    if not field:
        return systems
    if field not in systems:
        names = list(systems)
        raise BleuError(f"{label} has no {field}; it has {', '.join(names[:_MOST_NAMES])}{suggest(field, names)}")
    return {field: systems[field]}


def _of_comet(lines: Sequence[str], label: str) -> dict[str, _Scores]:
    """Return the scores in what comet-score prints, in the order of the numbers of segments."""
    systems: dict[str, list[dict[str, Any]]] = {}
    for number, line in enumerate(lines, 1):
        match = _COMET.match(line)
        if match is not None:
            row = {"segment": match["segment"], "score": _number(match["score"], f"{label}, line {number}")}
            systems.setdefault(match["system"] or "", []).append(row)
        elif line and not _COMET_WHOLE.match(line):
            raise BleuError(f"{label}, line {number}: {line!r:.60} is not a line of comet-score; delete it")
    return {system: _arranged(rows, "score", ([], ["segment"]), label) for system, rows in systems.items()}


def _arranged(
    rows: Sequence[Mapping[str, Any]], column: str, names_of_ids: tuple[list[str], list[str]], label: str
) -> _Scores:
    """Return the scores in a column, in the order that ids show; names_of_ids: as `find_ids` returns them."""
    order, ids = arrange(rows, *names_of_ids, label)
    if names_of_ids[0] and not ids.columns and ids.is_sorted is None:
        ids = ids._replace(unused=find_unused(rows, column))
    items = [_item(row.get(column), f"{label}, score {number}") for number, row in enumerate(rows, 1)]
    return _Scores([items[row] for row in order], ids)


def _of_pairs(lines: Sequence[str], label: str) -> dict[str, _Scores]:
    """Return the scores in lines of a system and a score, perhaps with more columns, as mt-metrics-eval has them."""
    systems: dict[str, list[Item]] = {}
    for number, line in enumerate(lines, 1):
        cells = line.split("\t") if "\t" in line else line.split()
        if len(cells) < 2:
            raise BleuError(f"{label}, line {number}: {line!r:.60}; expected a system and a score, as in line 1")
        systems.setdefault(cells[0].strip(), []).append(_number(cells[1], f"{label}, line {number}"))
    return {system: _Scores(items) for system, items in systems.items()}


def _is_spaced(lines: Sequence[str]) -> bool:
    r"""Return whether lines are a table with blanks between names, and blanks or tabs between values, as Google's MQM.

    >>> _is_spaced(["system mqm_avg_score seg_id", "KIT\t-5.000000 1"]), _is_spaced(["not a table", "0.5"])
    (True, False)
    """
    first, second = [*islice(filter(str.strip, lines), 2), "", ""][:2]
    names, values = first.split(), second.split()
    if "\t" in first or "," in first or len(names) < 2 or any(map(_is_number, names)):
        return False
    return len(values) == len(names) and any(map(_is_number, values))


def _rows(lines: Sequence[str], delimiter: str, label: str) -> list[Any]:
    """Return the rows of CSV or TSV by the names in its first row."""
    import csv

    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, strict=True)
    try:
        header, *rows = reader
    except csv.Error as error:
        raise BleuError(f"{label}, line {reader.line_num}: not valid CSV ({error}); {QUOTES}") from None
    header = [cell.strip() for cell in header]
    if delimiter == "\t":  # lines are read without the tabs at their ends
        rows = [row + [""] * (len(header) - len(row)) for row in rows]
    return _by_header(header, rows, label)


def _by_header(header: Sequence[str], rows: Sequence[Sequence[str]], label: str) -> list[Any]:
    """Return rows by the names in the first row."""
    if all(map(_is_number, header)):
        raise BleuError(
            f"{label} has {len(header)} numbers in line 1; expected names of columns, or a single number, with a point"
            " before its decimals"
        )
    if value := next(filter(_is_number, header), ""):
        raise BleuError(f"{label} has the number {value} in line 1; add a line before it that names the columns")
    if double := next((name for name in header if name and header.count(name) > 1), ""):
        raise BleuError(f"{label} has several columns called {double}; give each a name of its own")
    for number, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise BleuError(tell_ragged(label, number, len(row), len(header)))
    return [dict(zip(header, row, strict=True)) for row in rows]


# --- JSON, and rows of tables


def _of_json(lines: Sequence[str], label: str, name: str, field: str, ids: str) -> Mapping[str, _Scores]:
    import json

    try:
        whole = json.loads("\n".join(lines))
    except (RecursionError, ValueError):
        whole = None
    if isinstance(whole, dict) and whole and all(map(_are_objects, whole.values())):
        systems: dict[str, _Scores] = {}  # comet-score --to_json: the segments of each file
        for system, items in whole.items():
            columns = _of_records(items, f"{label}, {system}", name, field, ids)
            if len(columns) > 1:
                raise _several(label, list(columns))
            systems[system] = next(iter(columns.values()))
        return systems
    if isinstance(whole, list):
        return _of_records(whole, label, name, field, ids)
    records = []
    for number, line in enumerate(lines, 1):
        try:
            records.append(json.loads(line))
        except (RecursionError, ValueError) as error:
            raise BleuError(f"{label}, line {number} is not valid JSON ({error}); write it with json.dump") from None
    if not isinstance(whole, dict):
        return _of_records(records, label, name, field, ids)
    if lists := {key: value for key, value in whole.items() if isinstance(value, list)}:  # each has all segments
        length = max(map(len, lists.values()))
        lists = {key: value for key, value in lists.items() if len(value) == length}
        records = [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
    return _of_records(records, label, name, field, ids)


def _are_objects(items: object) -> bool:
    return isinstance(items, list) and bool(items) and all(isinstance(item, dict) for item in items)


def _of_records(records: Sequence[Any], label: str, name: str, field: str, ids: str) -> Mapping[str, _Scores]:
    """Return the scores in objects, one per segment, or in plain numbers."""
    if not any(isinstance(record, Mapping) for record in records):
        return {"": _Scores([_item(record, f"{label}, score {number}") for number, record in enumerate(records, 1)])}
    if odd := next((number for number, one in enumerate(records, 1) if not isinstance(one, Mapping)), 0):
        raise BleuError(f"{label}, item {odd} is not an object, but others are; give all items the same fields")
    groups: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        leaves = dict(_leaves(record))
        key = next((key for key in leaves if key.lower() in _SYSTEMS and not _is_number(leaves[key])), "")
        groups.setdefault(str(leaves[key]) if key else "", []).append(leaves)
    rows = [leaves for group in groups.values() for leaves in group]
    columns = _find_columns(rows, label, name, field)
    if len(columns) > 1 and len(groups) > 1:
        raise _several(label, columns)
    keys = [key for key in dict.fromkeys(key for row in rows for key in row) if key not in columns]
    names_of_ids = find_ids(keys, ids)
    return {
        column if len(columns) > 1 else system: _arranged(
            group, column, names_of_ids, f"{label}, {system}" if len(groups) > 1 else label
        )
        for system, group in groups.items()
        for column in columns
    }


def _leaves(record: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Give the values of an object and of those in it, by their paths."""
    for key, value in record.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def _find_columns(rows: Sequence[Mapping[str, Any]], label: str, name: str, field: str) -> list[str]:
    """Return the columns of scores: one, or, if its name is not clear, all columns of numbers."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    columns = [key for key in keys if any(_holds_numbers(row.get(key)) for row in rows)]
    titles = [field] if field else [name, *_SCORES]
    for word in titles:
        matches = [key for key in columns if word.lower() in (key.lower(), key.rpartition(".")[2].lower())]
        if matches:
            return matches[:1]
    if field or not columns:
        there = f"it has {', '.join(columns[:_MOST_NAMES])}{suggest(field, columns)}" if columns else "it has none"
        raise BleuError(f"{label} has no column {field or name} of numbers; {there}")
    if scores := [key for key in columns if not _OTHERS.fullmatch(key)]:
        return scores
    if "severity" in map(str.lower, keys):
        raise BleuError(f"{label} has errors that people marked, not scores; add up their weights for each segment")
    raise BleuError(
        f"{label} has only numbers that seem to be ids: {', '.join(columns)}; name one: {label}:{columns[0]}"
    )


def _holds_numbers(value: object) -> bool:
    items = value if isinstance(value, list) else [value]
    return bool(items) and all(_is_number(item) for item in items)


def _several(label: str, columns: Sequence[str]) -> BleuError:
    return BleuError(
        f"{label} has several columns of numbers: {', '.join(columns[:_MOST_NAMES])}; name one: {label}:{columns[0]}"
    )


# --- numbers


def _is_number(value: object) -> bool:
    if not isinstance(value, str):
        return isinstance(value, int | float) and not isinstance(value, bool)
    try:
        read_number(value.strip())
    except ValueError:
        return False
    return True


def _item(value: object, place: str) -> Item:
    """Return the score, or scores, of one item; place: what errors call it."""
    if isinstance(value, list):
        return [_number(one, place) for one in value]
    return _number(value, place)


def _number(value: object, place: str) -> float | None:
    """Return a score; None if it is missing. place: what errors call it."""
    if value is None or (isinstance(value, str) and value.strip().lower() in _MISSING):
        return None
    try:
        if _is_number(value):
            return read_number(value.strip()) if isinstance(value, str) else float(value)  # type: ignore[arg-type]
    except OverflowError:  # a whole number of JSON
        pass
    raise BleuError(f"{place}: {value!r:.60} is not a number from -1e100 to 1e100; expected one score per segment")


def flatten(items: Iterable[Item]) -> list[Item]:
    """Return the scores of paragraphs, which some files have in one list per document, one after the other.

    >>> flatten([[0.5, 0.25], [1.0]])
    [0.5, 0.25, 1.0]
    """
    return [score for item in items for score in (item if isinstance(item, list) else [item])]
