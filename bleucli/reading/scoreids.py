"""Ids of scores: which segments the scores in a table belong to.

- `find_ids`: the columns of a table that hold ids; `find_unused`: one that may be meant as ids, but has another name
- `Ids`, made by `arrange`: those of the scores of one system, and whether these may be in the order of the segments
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from bleucli.errors import BleuError
from bleucli.phrases import tell_ids
from bleucli.reading.jsonfields import ID_KINDS, NO_IDS, Fields, names_of_ids, paths_of_ids
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# A number at the end of an id, as in `seg_17`
_NUMBERED = re.compile(r"(.*?)([0-9]{1,15})", re.DOTALL)
# What columns are called that number segments, and those that number the rows of data frames, which are in any order
# after some rows were left out
_LINES = ("segment", "seg", "line", "lineno", "linenumber")
_ROWS = ("", "index", "idx", "row", "unnamed: 0")
_MARKS = str.maketrans("", "", "_-")


class Ids(NamedTuple):
    """The ids of the scores of one system.

    columns: by kind, in the order of `ID_KINDS`, the id of each score. fault: what is wrong with them if they number
    the segments, such as "has the id '3' more than once"; "" if nothing is. is_sorted: whether they show that the
    scores are in the order of the segments; None if they do not show it, but nothing speaks against it. unused: if
    there are no ids, a column that may number the segments in another order, or "".
    """

    columns: Mapping[int, Sequence[str]] = {}
    fault: str = ""
    is_sorted: bool | None = None
    unused: str = ""


def _count(lines: Sequence[int], first: int) -> list[int]:
    """Return as many numbers, from the first on."""
    return list(range(first, first + len(lines)))


# Fewer scores, such as ratings from 1 to 5, may be all numbers up to theirs by chance
_FEWEST_NUMBERED = 10


def find_unused(rows: Sequence[Mapping[str, Any]], score: str) -> str:
    """Return a column that numbers the rows from 0 or 1 in another order, or ""; score: the column of scores.

    >>> find_unused([{"score": n / 10, "no": 10 - n} for n in range(10)], "score")
    'no'
    """
    for name in rows[0] if len(rows) >= _FEWEST_NUMBERED else ():
        lines = _numbers([_text(row.get(name)) for row in rows]) if name != score else None
        if lines and lines != (ordered := sorted(lines)) and ordered in (_count(lines, 0), _count(lines, 1)):
            return name
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
    """Return the name of a field without capitals and marks."""
    return key.translate(_MARKS).lower()


def arrange(
    rows: Sequence[Mapping[str, Any]], names: Sequence[str], places: Sequence[str], label: str
) -> tuple[Sequence[int], Ids]:
    """Return the order of the rows of a system that their ids show, if they number segments; and the ids in this order.

    names: the field of each kind of id, "" for none. places: the fields that number segments. label: for errors.

    >>> rows = [{"id": "s2"}, {"id": "s0"}, {"id": "s1"}]
    >>> arrange(rows, ["", "", "id"], [], "x.csv")
    ([1, 2, 0], Ids(columns={2: ['s0', 's1', 's2']}, fault='', is_sorted=True, unused=''))
    >>> arrange(rows[:2], ["", "", "id"], [], "x.csv")[1].fault
    "lacks the id 's1'"
    """
    columns = {}
    for kind, name in enumerate(names):
        column = [_text(row.get(name)) for row in rows] if name else []
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
    numberings += [(name, [_text(row.get(name)) for row in rows]) for name in places if not columns]
    for name, numbering in numberings:
        lines = _numbers(numbering)
        is_of_documents = columns.keys() == {0} and lines == sorted(lines or ())  # whose segments have one id
        if lines is None or is_of_documents:
            continue
        if sorted(lines) in (_count(lines, 0), _count(lines, 1)):
            order.sort(key=lines.__getitem__)
            return order, Ids({kind: [column[row] for row in order] for kind, column in columns.items()}, "", True)
        # Segments may be numbered in each document, and rows of data frames may have been left out
        if len(columns) < 2 and (columns or _plain(name) in _LINES):
            is_sorted = all(one < other for one, other in pairwise(lines))
            return order, Ids(columns, _find_fault(numbering, lines), is_sorted)
    return order, Ids(columns)


def _text(value: object) -> str:
    """Return an id as text; numbers that programs write as fractions are whole.

    >>> _text(7), _text("7.0"), _text(7.0), _text(None)
    ('7', '7', '7', '')
    """
    text = "" if value is None or isinstance(value, bool | list) else str(value).strip()
    return text[:-2] if text.endswith(".0") and text[:-2].isdecimal() else text


def _numbers(ids: Sequence[str]) -> list[int] | None:
    """Return the numbers at the end of ids that are alike before it; None if some have none.

    >>> _numbers(["s10", "s9"]), _numbers(["s1", "t2"])
    ([10, 9], None)
    """
    matches = [match for match in map(_NUMBERED.fullmatch, ids) if match is not None]
    if len(matches) < len(ids) or len({match[1] for match in matches}) > 1:
        return None
    return [int(match[2]) for match in matches]


def _find_fault(ids: Sequence[str], lines: Sequence[int]) -> str:
    """Return what is wrong with ids that should number segments, or ""."""
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
