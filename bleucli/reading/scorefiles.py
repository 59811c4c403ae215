r"""Files with scores of segments, as the programs that compute such scores write them.

- `read`: what a file holds, by system, with the `Ids` of its scores
- `of_lines`: the same for lines that have been read
- `is_number`: whether a line is just a number
- `flatten`, `repeat`: scores of paragraphs, and their ids

One number per line; what `comet-score` and `bert-score` print; COMET's JSON; MetricX's predictions; a system and a
score per line, as mt-metrics-eval has them; the scores that WMT publishes; and JSON, CSV, TSV, Parquet and Arrow with a
column of scores. The content shows which it is.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise

from bleucli.errors import BleuError
from bleucli.limits import read_number
from bleucli.optional_deps import load
from bleucli.phrases import suggest, tell_ids, tell_ragged
from bleucli.reading import TextFile, utf16_in
from bleucli.reading.delimited import read_rows
from bleucli.reading.jsonfields import ID_KINDS, NO_IDS, Fields, names_of_ids, paths_of_ids, quote
from bleucli.records import NamedTuple
from bleucli.text.buffers import open_file
from bleucli.text.wholefiles import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    # The score of a segment, None if it is missing; several scores of one segment are a list
    Item = float | None | list[float | None]

# How files begin that are not text
_PARQUET, _ARROW_FILE, _ARROW_STREAM, _ZIP = b"PAR1", b"ARRO", b"\xff\xff\xff\xff", b"PK\x03\x04"
_TABLES = {_PARQUET: "Parquet", _ARROW_FILE: "Arrow", _ARROW_STREAM: "Arrow"}
# COMET: the first part is the file of the system, which it leaves out if there is only one
_COMET = re.compile(r"(?:(?P<system>.*)\t)?Segment (?P<segment>\d+)\tscore: (?P<score>\S+)")
_COMET_WHOLE = re.compile(r"(?:.*\t)?(?:system )?score: \S+|Predictions saved in: ", re.IGNORECASE)
# What bert-score prints of the whole system; with -s, lines of the same three numbers follow
_BERT_SCORE = re.compile(r" P: \S+ R: \S+ F1: \S+$")
_MISSING = frozenset({"", "none", "nan", "null", "na", "n/a"})
# What columns of scores are called, besides the name of the scores; what columns of systems are called; and other
# numbers that tables have
_SCORES = ("score", "scores", "prediction", "rating", "value")
_SYSTEMS = ("system", "system_id", "sys", "sys_id", "system_name", "model")
_OTHERS = re.compile(r"(.*[._ -])?(id|ids|index|idx|line|line_no|segment|seg|doc|n|year|start|end)", re.IGNORECASE)
_MOST_NAMES = 9
# How many lines may precede the first score of comet-score, for an error that names them
_MOST_BEFORE = 50


class Ids(NamedTuple):
    """The ids of the scores of one system.

    columns: by kind, in the order of `ID_KINDS`, the id of each score. fault: what is wrong with them if they number
    the segments, such as "has the id '3' more than once"; "" if nothing is. is_sorted: whether they show that the
    scores are in the order of the segments; None if they do not show it, but nothing speaks against it. unused: if
    there are no ids, a column that may stand for some but is not used, and why; or "". texts: the output that each
    score is of, if the file has it, as those of COMET and MetricX do.
    """

    columns: Mapping[int, Sequence[str]] = {}
    fault: str = ""
    is_sorted: bool | None = None
    unused: str = ""
    texts: Sequence[str] = ()


class ScoreFile(NamedTuple):
    """The scores in a file.

    label: what errors call it. systems: by system, or by column, the scores of its segments; a single system is called
    "" if the file does not name it. sha256: of the file's bytes. ids: by system, those of its scores.
    """

    label: str
    systems: Mapping[str, list[Item]]
    sha256: str
    ids: Mapping[str, Ids]


class Scores(NamedTuple):
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
    if start == _ZIP:
        raise BleuError(f"{label} is a ZIP archive, as .xlsx is; save its table as CSV, TSV, JSON, Parquet or Arrow")
    if kind := _TABLES.get(start, ""):
        parquet, pa = load("pyarrow.parquet", "arrow"), load("pyarrow", "arrow")
        open_arrow = pa.ipc.open_file if start == _ARROW_FILE else pa.ipc.open_stream
        try:
            with open_file(path) as file:
                table = parquet.read_table(file) if start == _PARQUET else open_arrow(file).read_all()
            # As text, decimals become the same numbers as in CSV
            fields = [one.with_type(pa.string()) if pa.types.is_decimal(one.type) else one for one in table.schema]
            rows: list[Any] = table.cast(pa.schema(fields)).to_pylist()
        except (pa.ArrowException, OSError, ValueError) as error:  # a text may be invalid UTF-8
            raise BleuError(
                f"{label} is not valid {kind} ({' '.join(str(error).split()):.60}); write it again"
            ) from None
        systems, checksum = _of_records(rows, label, name, field, ids), digest(path)
    else:
        file = TextFile(label, path, encoding=utf16_in(start) or "utf-8", mark="dropped", hashed=True)
        file.remedy = "save it as UTF-8"  # --encoding is that of the texts
        lines = [line or "" for (block,) in file.blocks() for line in block]
        systems, checksum = of_lines(lines, label, name, field, ids), file.sha256()
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


def of_lines(lines: Sequence[str], label: str, name: str, field: str = "", ids: str = "") -> Mapping[str, Scores]:
    """Return the scores in lines of text, by system; the arguments are those of `read`."""
    while lines and not lines[-1]:
        lines = lines[:-1]
    first = next(filter(None, lines), "").lstrip()
    if first.startswith(("{", "[")):
        return _of_json(lines, label, name, field, ids)
    if any(map(_COMET.match, lines[:_MOST_BEFORE])):
        return _select(_of_comet(lines, label), label, field)
    if _BERT_SCORE.search(first):
        first = "P\tR\tF1"
        lines = [first, *lines[1:]]
    cells = first.split("\t" if "\t" in first else None)
    has_score = len(cells) > 1 and (is_number(cells[1]) or cells[1].strip().lower() in _MISSING)
    if has_score and not is_number(cells[0]):
        return _select(_of_pairs(lines, label), label, field)
    if _is_spaced(lines):
        header, *rows = (line.split() for line in lines if line.strip())
        return _of_records(_by_header(header, rows, label), label, name, field, ids)
    if "\t" in first or ("," in first and not is_number(first)):
        return _of_records(_rows(lines, "\t" if "\t" in first else ",", label), label, name, field, ids)
    if ";" in first or "|" in first:
        raise BleuError(f"{label} begins with {quote(first)}; put commas or tabs between columns")
    is_name = first.strip().lower() in ((field or name).lower(), *_SCORES) and len(lines) > 1  # of a single column
    if field and not is_name:
        raise BleuError(f"{label} has one number per line, and no column {field}; leave out :{field}")
    numbers = list(enumerate(lines, 1))[is_name:]
    return {"": Scores([_number(line, f"{label}, line {number}") for number, line in numbers])}


def _select(systems: Mapping[str, Scores], label: str, field: str) -> Mapping[str, Scores]:
    """Return the scores of one system, or, if none is named, those of all."""
    if not field:
        return systems
    if field not in systems:
        names = list(systems)
        raise BleuError(f"{label} has no {field}; it has {', '.join(names[:_MOST_NAMES])}{suggest(field, names)}")
    return {field: systems[field]}


def _of_comet(lines: Sequence[str], label: str) -> dict[str, Scores]:
    """Return the scores in what comet-score prints, in the order of the numbers of segments."""
    systems: dict[str, list[dict[str, Any]]] = {}
    for number, line in enumerate(lines, 1):
        match = _COMET.match(line)
        if match is not None:
            row = {"segment": match["segment"], "score": _number(match["score"], f"{label}, line {number}")}
            systems.setdefault(match["system"] or "", []).append(row)
        elif line and not _COMET_WHOLE.match(line):
            raise BleuError(f"{label}, line {number}: {quote(line)} is not a line of comet-score; delete it")
    return {system: _arranged(rows, "score", ([], ["segment"]), label) for system, rows in systems.items()}


def _arranged(
    rows: Sequence[Mapping[str, Any]], column: str, names_of_ids: tuple[list[str], list[str]], label: str
) -> Scores:
    """Return the scores in a column, in the order that ids show; names_of_ids: as `find_ids` returns them."""
    order, ids = arrange(rows, *names_of_ids, label)
    if names_of_ids[0] and not ids.columns and ids.is_sorted is None:
        ids = ids._replace(unused=find_unused(rows, column, names_of_ids[1]))
    items = [_item(row.get(column), f"{label}, score {number}") for number, row in enumerate(rows, 1)]
    texts = [row.get("hypothesis", row.get("mt")) for row in rows]
    if all(isinstance(text, str) for text in texts):
        ids = ids._replace(texts=[texts[row] for row in order])
    return Scores([items[row] for row in order], ids)


def _of_pairs(lines: Sequence[str], label: str) -> dict[str, Scores]:
    """Return the scores in lines of a system and a score, perhaps with more columns, as mt-metrics-eval has them."""
    systems: dict[str, list[Item]] = {}
    for number, line in enumerate(lines, 1):
        cells = line.split("\t") if "\t" in line else line.split()
        if len(cells) < 2:
            raise BleuError(f"{label}, line {number}: {quote(line)}; expected a system and a score, as in line 1")
        systems.setdefault(cells[0].strip(), []).append(_number(cells[1], f"{label}, line {number}"))
    return {system: Scores(items) for system, items in systems.items()}


def _is_spaced(lines: Sequence[str]) -> bool:
    r"""Return whether lines are a table with blanks between names, and blanks or tabs between values, as Google's MQM.

    >>> _is_spaced(["system mqm_avg_score seg_id", "KIT\t-5.000000 1"]), _is_spaced(["not a table", "0.5"])
    (True, False)
    """
    first, second = [*islice(filter(str.strip, lines), 2), "", ""][:2]
    names, values = first.split(), second.split()
    if "\t" in first or "," in first or len(names) < 2 or any(map(is_number, names)):
        return False
    return len(values) == len(names) and any(map(is_number, values))


def _rows(lines: Sequence[str], delimiter: str, label: str) -> list[Any]:
    header, *rows = read_rows("\n".join(lines), delimiter, label)
    header = [cell.strip() for cell in header]
    if delimiter == "\t":  # lines are read without the tabs at their ends
        rows = [row + [""] * (len(header) - len(row)) for row in rows]
    return _by_header(header, rows, label)


def _by_header(header: Sequence[str], rows: Sequence[Sequence[str]], label: str) -> list[Any]:
    if all(map(is_number, header)):
        raise BleuError(
            f"{label} has {len(header)} numbers in line 1; expected names of columns, or a single number, with a point"
            " before its decimals"
        )
    if value := next(filter(is_number, header), ""):
        raise BleuError(f"{label} has the number {value} in line 1; add a line before it that names the columns")
    if double := next((name for name in header if name and header.count(name) > 1), ""):
        raise BleuError(f"{label} has several columns called {double}; give each a name of its own")
    for number, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise BleuError(tell_ragged(label, number, len(row), len(header)))
    return [dict(zip(header, row, strict=True)) for row in rows]


# --- JSON, and rows of tables


def _of_json(lines: Sequence[str], label: str, name: str, field: str, ids: str) -> Mapping[str, Scores]:
    whole = _parse_json(lines, label)
    if isinstance(whole, list):
        return _of_records(whole, label, name, field, ids)
    of_systems = whole.get("translations")  # of comet-compare --to_json
    if _are_objects(of_systems) and all(isinstance(one.get("scores"), list) for one in of_systems):
        return _select({str(one.get("name")): _plain_scores(one["scores"], label) for one in of_systems}, label, field)
    if whole and all(map(_are_objects, whole.values())):
        systems: dict[str, Scores] = {}  # comet-score --to_json: the segments of each file
        for system, items in whole.items():
            columns = _of_records(items, f"{label}, {system}", name, field, ids)
            if len(columns) > 1:
                raise _several(label, list(columns))
            systems[system] = next(iter(columns.values()))
        return systems
    records = [whole]
    if lists := {key: value for key, value in whole.items() if isinstance(value, list)}:  # each has all segments
        length = max(map(len, lists.values()))
        lists = {key: value for key, value in lists.items() if len(value) == length}
        records = [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
    return _of_records(records, label, name, field, ids)


def _parse_json(lines: Sequence[str], label: str) -> Any:
    """Return what JSON holds: an object, or a list, such as that of the objects of JSON Lines."""
    import json

    records: list[Any] = []
    try:
        try:
            return json.loads("\n".join(lines))
        except json.JSONDecodeError as error:
            if error.msg != "Extra data":
                raise
        records.extend(map(json.loads, lines))  # after an error, it has those of the lines before
        return records
    except json.JSONDecodeError as error:
        line_number, why = len(records) + error.lineno, f"{error.msg}, column {error.colno}"
    except RecursionError:
        line_number, why = len(records) + 1, "too many brackets within each other"
    except ValueError:
        line_number, why = len(records) + 1, "a number has too many digits"
    raise BleuError(f"{label}, line {line_number} is not valid JSON ({why}); write it with json.dump")


def _are_objects(items: object) -> bool:
    return isinstance(items, list) and bool(items) and all(isinstance(item, dict) for item in items)


def _of_records(records: Sequence[Any], label: str, name: str, field: str, ids: str) -> Mapping[str, Scores]:
    """Return the scores in objects, one per segment, or in plain numbers."""
    if not any(isinstance(record, Mapping) for record in records):
        return {"": _plain_scores(records, label)}
    if odd := next((number for number, one in enumerate(records, 1) if not isinstance(one, Mapping)), 0):
        raise BleuError(f"{label}, item {odd} is not an object, but others are; give all items the same fields")
    groups: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        leaves = dict(_leaves(record))
        key = next((key for key in leaves if key.lower() in _SYSTEMS and not is_number(leaves[key])), "")
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


def _plain_scores(items: Sequence[Any], label: str) -> Scores:
    return Scores([_item(item, f"{label}, score {number}") for number, item in enumerate(items, 1)])


def _leaves(record: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
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
        # The whole name, or the end of a path in an object; names may have dots, too
        matches = [key for key in columns if f".{key}".lower().endswith(f".{word}".lower())]
        if matches:
            return matches[:1]
    if field or not columns:
        there = "it has none; give one number per segment"
        if columns:
            there = f"it has {', '.join(columns[:_MOST_NAMES])}{suggest(field, columns)}"
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
    return bool(items) and all(is_number(item) for item in items)


def _several(label: str, columns: Sequence[str]) -> BleuError:
    return BleuError(
        f"{label} has several columns of numbers: {', '.join(columns[:_MOST_NAMES])}; name one: {label}:{columns[0]}"
    )


# --- numbers


def is_number(value: object) -> bool:
    """Return whether a value is a number, or text that holds one."""
    if not isinstance(value, str):
        return isinstance(value, int | float) and not isinstance(value, bool)
    try:
        read_number(value.strip())
    except ValueError:
        return False
    return True


def _item(value: object, place: str) -> Item:
    if isinstance(value, list):
        return [_number(one, place) for one in value]
    return _number(value, place)


def _number(value: object, place: str) -> float | None:
    """Return a score; None if it is missing. place: what errors call it."""
    if value is None or (isinstance(value, str) and value.strip().lower() in _MISSING):
        return None
    try:
        if is_number(value):
            return read_number(value.strip()) if isinstance(value, str) else float(value)  # type: ignore[arg-type]
    except OverflowError:  # a whole number of JSON
        pass
    raise BleuError(f"{place}: {quote(value)} is not a number from -1e100 to 1e100; expected one score per segment")


def flatten(items: Iterable[Item]) -> list[Item]:
    """Return the scores of paragraphs, which some files have in one list per document, one after the other.

    >>> flatten([[0.5, 0.25], [1.0]])
    [0.5, 0.25, 1.0]
    """
    return [score for item in items for score in (item if isinstance(item, list) else [item])]


# --- ids: which segments the scores in a table belong to

# A number at the end of an id, as in `seg_17`
_NUMBERED = re.compile(r"(.*?)([0-9]{1,15})", re.DOTALL)
# What columns are called that number segments, and those that number the rows of data frames, which are in any order
# after some rows were left out
_LINES = ("segment", "seg", "line", "lineno", "linenumber")
_ROWS = ("", "index", "idx", "row", "unnamed: 0")
_MARKS = str.maketrans("", "", "_-")


def _numbers_from(lines: Sequence[int], first: int) -> list[int]:
    """Return as many numbers, from the first on."""
    return list(range(first, first + len(lines)))


# Fewer scores, such as ratings from 1 to 5, may be all numbers up to theirs by chance
_FEWEST_NUMBERED = 10


def find_unused(rows: Sequence[Mapping[str, Any]], score: str, places: Sequence[str]) -> str:
    """Return a column that may identify segments, and why it is not used; or "".

    score: the column of scores. places: the columns whose names say that they number segments.

    >>> find_unused([{"score": n / 10, "no": 10 - n} for n in range(10)], "score", []).partition(";")[0]
    'no, which may number the segments, in another order than its lines'
    >>> find_unused([{"score": n / 10, "segment": f"{n}{n % 2 * 'b'}"} for n in range(10)], "score", ["segment"])
    'segment, which does not number all segments, so scores are paired by their position'
    """
    for name in rows[0] if len(rows) >= _FEWEST_NUMBERED else ():
        lines = _numbers_of([_id_text(row.get(name)) for row in rows]) if name != score else None
        if (
            lines
            and lines != (ordered := sorted(lines))
            and ordered in (_numbers_from(lines, 0), _numbers_from(lines, 1))
        ):
            return (
                f"{name}, which may number the segments, in another order than its lines; call it segment if scores"
                " are to follow it"
            )
    for name in places:
        cells = list(filter(None, (_id_text(row.get(name)) for row in rows))) if _plain(name) in _LINES else []
        numbered = sum(any(map(str.isdecimal, cell)) for cell in cells)
        if 2 * numbered > len(cells) and not any(" " in cell for cell in cells):  # not the texts of segments
            return f"{name}, which does not number all segments, so scores are paired by their position"
    return ""


def find_ids(keys: Sequence[str], ids: str) -> tuple[list[str], list[str]]:
    """Return the field of each kind of id, "" for none, and the fields that number segments.

    ids: what `--jsonl-fields id=` names, or "".

    >>> find_ids(["segment", "doc_id", "score"], ""), find_ids(["segment", "no"], "no")
    ((['doc_id', '', ''], ['segment']), (['no', '', ''], ['segment']))
    """
    if ids == NO_IDS:
        return [], []
    fields = dict.fromkeys(keys)
    own = [path for path in paths_of_ids(Fields(ids=ids)) if path in fields]
    names = [*own, *[""] * (len(ID_KINDS) - len(own))] if own else names_of_ids(fields, Fields())
    return names, [key for word in (*_LINES, *_ROWS) for key in keys if _plain(key) == word]


def _plain(key: str) -> str:
    return key.translate(_MARKS).lower()


def arrange(
    rows: Sequence[Mapping[str, Any]], names: Sequence[str], places: Sequence[str], label: str
) -> tuple[Sequence[int], Ids]:
    """Return the order of the rows of a system that their ids show, if they number segments; and the ids in this order.

    names: the field of each kind of id, "" for none. places: the fields that number segments. label: for errors.

    >>> rows = [{"id": "s2"}, {"id": "s0"}, {"id": "s1"}]
    >>> arrange(rows, ["", "", "id"], [], "x.csv")
    ([1, 2, 0], Ids(columns={2: ['s0', 's1', 's2']}, fault='', is_sorted=True, unused='', texts=()))
    >>> arrange(rows[:2], ["", "", "id"], [], "x.csv")[1].fault
    "lacks the id 's1'"
    """
    columns = {}
    for kind, name in enumerate(names):
        column = [_id_text(row.get(name)) for row in rows] if name else []
        if not any(column):
            continue
        if "" in column:
            raise BleuError(
                f"{label}, score {column.index('') + 1} has no {name}, but others have one; give each score an id, or"
                f" delete the column {name} if the scores are in the order of the segments"
            )
        columns[kind] = column
    order = list(range(len(rows)))
    # Ids that number segments: those of the smallest unit; without ids, any other numbers of segments or rows
    numberings = [("", columns[max(columns)])] if columns else []
    numberings += [(name, [_id_text(row.get(name)) for row in rows]) for name in places if not columns]
    for name, numbering in numberings:
        lines = _numbers_of(numbering)
        is_of_documents = columns.keys() == {0} and lines == sorted(lines or ())  # whose segments have one id
        if lines is None or is_of_documents:
            continue
        if sorted(lines) in (_numbers_from(lines, 0), _numbers_from(lines, 1)):
            order.sort(key=lines.__getitem__)
            return order, Ids({kind: [column[row] for row in order] for kind, column in columns.items()}, "", True)
        # Segments may be numbered in each document, and rows of data frames may have been left out
        if len(columns) < 2 and (columns or _plain(name) in _LINES):
            is_sorted = all(one < other for one, other in pairwise(lines))
            return order, Ids(columns, _find_fault(numbering, lines), is_sorted)
    return order, Ids(columns)


def _id_text(value: object) -> str:
    """Return an id as text; numbers that programs write as fractions are whole.

    >>> _id_text(7), _id_text("7.0"), _id_text(7.0), _id_text(None)
    ('7', '7', '7', '')
    """
    text = "" if value is None or isinstance(value, bool | list) else str(value).strip()
    return text[:-2] if text.endswith(".0") and text[:-2].isdecimal() else text


def _numbers_of(ids: Sequence[str]) -> list[int] | None:
    """Return the numbers at the end of ids that are alike before it; None if some have none.

    >>> _numbers_of(["s10", "s9"]), _numbers_of(["s1", "t2"])
    ([10, 9], None)
    """
    matches = [match for match in map(_NUMBERED.fullmatch, ids) if match is not None]
    if len(matches) < len(ids) or len({match[1] for match in matches}) > 1:
        return None
    return [int(match[2]) for match in matches]


def _find_fault(ids: Sequence[str], lines: Sequence[int]) -> str:
    if double := [one for one, count in Counter(ids).items() if count > 1]:
        return f"has {tell_ids(double)} more than once"
    if min(lines) > 1 or max(lines) > 2 * len(lines):
        return ""
    digits = [len(match[2]) for match in map(_NUMBERED.fullmatch, ids) if match is not None]
    missing = sorted({*range(min(lines), max(lines))} - {*lines})
    prefix = ids[0][: len(ids[0]) - digits[0]]
    return f"lacks {tell_ids([f'{prefix}{one:0{min(digits)}}' for one in missing])}" if missing else ""


def repeat(columns: Mapping[int, Sequence[str]], items: Sequence[object]) -> dict[int, list[str]]:
    """Return ids as often as there are scores where some items have a list of these.

    >>> repeat({0: ["a", "b"]}, [[0.5, 0.25], 1])
    {0: ['a', 'a', 'b']}
    """
    counts = [len(item) if isinstance(item, list) else 1 for item in items]
    return {
        kind: [one for one, count in zip(column, counts, strict=True) for _ in range(count)]
        for kind, column in columns.items()
    }
