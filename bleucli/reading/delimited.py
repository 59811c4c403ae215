r"""The rows of CSV and TSV.

CSV is quoted. TSV may be: pandas, R and spreadsheets quote it, but `paste` joins lines as they are, and a line of text
may begin with a quotation mark. So quotation marks in TSV are text unless a program would have written just this file.
If both are possible, and nothing shows which it is, the file is refused: no line is merged or changed by mistake.
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

    >>> read_rows('"a, b",c\n\n', ",", "t.csv"), read_rows('hyp\tref\n"a" b\t"c"\n', "\t", "t.tsv")
    ([['a, b', 'c']], [['hyp', 'ref'], ['"a" b', '"c"']])
    """
    text = text.rstrip("\r\n")
    if not text:
        return []
    lines = text.replace("\r\n", "\n").split("\n" if "\n" in text else "\r")
    other = next((one for one in _NAMES if one in lines[0]), "")
    if other and delimiter not in lines[0]:
        raise BleuError(f"{label} has columns between {_NAMES[other]}; save it with {_NAMES[delimiter]} between them")
    if delimiter != "\t":
        return _unquote(text, delimiter, label)
    rows = [line.split("\t") for line in lines]
    if '"' not in text:
        return rows
    is_even = all(len(row) == len(rows[0]) for row in rows)
    if not is_even or '"' in lines[0]:  # names of columns have no quotation marks, unless a program quotes all texts
        return _unquote(text, delimiter, label)
    try:
        unquoted = _unquote(text, delimiter, label)
    except BleuError:
        return rows
    if unquoted == rows or "\n".join(lines) not in (_quote(unquoted, '"\t\r\n'), _quote(unquoted, '",\t\r\n')):
        return rows
    marked = [cell for row in rows for cell in row if '"' in cell]
    if all(map(_QUOTED.fullmatch, marked)) and any('""' in cell[1:-1] for cell in marked):
        return unquoted
    raise BleuError(
        f"{label} has quotation marks that may be part of texts, or quote cells; save it as CSV, JSON or Parquet"
    )


def _unquote(text: str, delimiter: str, label: str) -> list[list[str]]:
    """Return the rows of a text whose cells may be quoted."""
    import csv
    from io import StringIO

    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    limit = csv.field_size_limit(_LARGEST_CELL)
    rows: list[list[str]] = []
    try:
        rows.extend(reader)
    except csv.Error as error:
        kind, remedy = "CSV", _QUOTES
        if delimiter == "\t":
            kind, remedy = "TSV", f"give each line a cell for each column, or {_QUOTES}"
        raise BleuError(f"{label}, line {reader.line_num}: not valid {kind} ({error}); {remedy}") from None
    finally:
        csv.field_size_limit(limit)
    return rows


def _quote(rows: Sequence[Sequence[str]], special: str) -> str:
    r"""Return rows as a program writes them that quotes the cells with special characters; Excel's are also commas.

    >>> _quote([["ref", "hyp"], ['A "b"?', "A, b?"]], '"')
    'ref\thyp\n"A ""b""?"\tA, b?'
    """
    needs = re.compile(f"[{special}]").search
    return "\n".join(
        "\t".join(f'"{cell.replace(chr(34), chr(34) * 2)}"' if needs(cell) else cell for cell in row) for row in rows
    )
