r"""The rows of CSV and TSV.

CSV is quoted. TSV may be: pandas, R and spreadsheets quote it, but `paste` joins lines as they are, and a line of text
may begin with a quotation mark. If each line of a file has as many tabs as the first one, each line is a row. Quotation
marks are then part of the text, unless all show that a program quoted the cells. So lines are never merged by mistake.
"""

from __future__ import annotations

import re

from bleucli.errors import BleuError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMES = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "vertical bars"}
_QUOTES = 'put "" for each quotation mark in a quoted cell, and close the cell'
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
# The most characters of a cell: the largest limit that the module csv takes on every system
_LARGEST_CELL = 2**31 - 1


def read_rows(text: str, delimiter: str, label: str) -> list[list[str]]:
    r"""Return the rows of CSV or TSV, the first one included; label: what errors call it.

    A blank line is a row with at most one cell; blank lines at the end are not rows.

    >>> read_rows('"a, b",c\n\n', ",", "t.csv"), read_rows('hyp\tref\n"a\tb\na"\tb\n', "\t", "t.tsv")
    ([['a, b', 'c']], [['hyp', 'ref'], ['"a', 'b'], ['a"', 'b']])
    """
    import csv
    from io import StringIO

    text = text.rstrip("\r\n")
    if not text:
        return []
    lines = text.replace("\r\n", "\n").split("\n" if "\n" in text else "\r")
    other = next((one for one in _NAMES if one in lines[0]), "")
    if other and delimiter not in lines[0]:
        raise BleuError(f"{label} has columns between {_NAMES[other]}; save it with {_NAMES[delimiter]} between them")
    rows: list[list[str]] = []
    if delimiter == "\t":
        rows = [line.split("\t") for line in lines]
        is_even = all(len(row) == len(rows[0]) for row in rows)
        if '"' not in text or (is_even and not _are_quoted(rows)):
            return rows
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    limit = csv.field_size_limit(_LARGEST_CELL)
    try:
        return list(reader)
    except csv.Error as error:
        kind, remedy = ("TSV", f"give each line a cell for each column, or {_QUOTES}") if rows else ("CSV", _QUOTES)
        raise BleuError(f"{label}, line {reader.line_num}: not valid {kind} ({error}); {remedy}") from None
    finally:
        csv.field_size_limit(limit)


def _are_quoted(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a program quoted the cells that have quotation marks; rows: split at tabs, the header included.

    Programs quote whole cells: all texts, also in the header (R), or those that need it: those with quotation marks,
    which they double (pandas), and those with commas (Excel).

    >>> [_are_quoted([["ref"], [cell]]) for cell in ('"A ""b""?"', '"A, b?"', '"A b?"')]
    [True, True, False]
    >>> _are_quoted([['"ref"'], ['"A b?"']])
    True
    """
    cells = [cell for row in rows for cell in row]
    marked = [cell for cell in cells if '"' in cell]
    if not all(map(_QUOTED.fullmatch, marked)):
        return False
    if '"' in "".join(rows[0]) or any('""' in cell[1:-1] for cell in marked):
        return True
    return all("," in cell for cell in marked) and not any("," in cell for cell in cells if '"' not in cell)
