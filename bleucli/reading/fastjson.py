"""JSON Lines by pyarrow's parser, if installed (extra `arrow`): columns of texts, without a Python object for each.

Lines that it refuses, or might read differently, are left to Python's parser, whose messages our errors quote.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache

from bleucli import kernels
from bleucli.reading.jsonfields import encode_ids
from bleucli.records import NamedTuple
from bleucli.text import Segments, share_arrow
from bleucli.text.buffers import lists_as_streams, to_numpy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa

# A line with fewer opening brackets cannot nest too deeply: Python's parser stops at about 1000 levels of calls, and
# some of these are in use
_DEEP = 400
# Python reads whole numbers of up to 640 digits, whatever limit is set. In a longer one, five bytes that are 128 apart
# are digits.
_STEP = 128
_MANY_DIGITS = re.compile(rb"[0-9]{5}")
# An escaped letter or `_`, which may be part of a field's name; or a surrogate, perhaps without its other half
_ODD_ESCAPE = re.compile(rb"\\u(?:00[5-7]|[dD][c-fC-F])")
_ESCAPED_LETTER = re.compile(rb"\\u00[5-7]")
# What separates the parts of an id that may contain a language pair
_PARTS_OF_ID = re.compile(rb"(?:_|\\u005[fF])(?:#|\\u0023)")
# Arrow's offsets have 32 bits. Blocks are far smaller, unless a line is very long.
_MOST_BYTES = 1 << 28


class Wanted(NamedTuple):
    """What to read from each object.

    hypotheses: names of fields, each with a string. references: the name of a field, "" if references are not wanted.
    listed: whether that field holds an array of strings instead of a string. others: names of fields that no object may
    have, because the texts would then be taken from these. alone: whether objects may have no other fields at all; then
    most checks are not needed. ids: names of fields, each with a string or a whole number, as the type says; "" for an
    id that objects lack.
    """

    hypotheses: Sequence[str]
    references: str
    listed: bool
    others: Collection[str]
    alone: bool = False
    ids: Sequence[tuple[str, type]] = ()


def read(data: bytes, wanted: Wanted, most: int) -> list[Segments] | None:
    """Return the texts of lines in UTF-8, one object per line, without space at their ends.

    most: the largest size of the table of references, as the number of objects times the most references that one of
    them has; lines with more are left to Python's parser.

    Returns:
        One `Segments` for each name of hypotheses, one for each id, then those of the references: as many as any object
        has, at least one. None if Python's parser must read the lines.

    >>> found = read(b'{"a": "b ", "c": ["d", "e"]}', Wanted(["a"], "c", True, []), 9)
    >>> found and list(map(list, found)) if _parser() else [["b"], ["d"], ["e"]]
    [['b'], ['d'], ['e']]
    >>> read(b'{"a": NaN}', Wanted(["a"], "", False, []), 9)
    """
    # Texts may be invalid if escapes name lone surrogates, or if `alone` skips the check that the lines are UTF-8
    has_odd = wanted.alone or _ODD_ESCAPE.search(data) is not None
    strangers = () if wanted.alone else [f'"{name}"'.encode() for name in wanted.others]
    if any(name in data for name in strangers) or (has_odd and not wanted.alone and _ESCAPED_LETTER.search(data)):
        return None
    arrays = _parse(data, wanted)
    if arrays is None:
        return None
    import numpy as np

    lists = arrays[wanted.references] if wanted.listed else None
    if lists is not None:
        arrays[wanted.references] = lists.values
        if len(lists) * int(np.diff(to_numpy(lists.offsets)).max()) > most:
            return None
    if has_odd and not all(map(_is_valid, arrays.values())):
        return None
    count = len(next(iter(arrays.values())) if lists is None else lists)
    ids = [encode_ids(arrays.pop(name).to_pylist()) if name else b"" for name, _ in wanted.ids]
    texts = {name: kernels.strip_trailing(share_arrow(array)) for name, array in arrays.items()}
    columns = [texts[name] for name in wanted.hypotheses]
    columns += [kernels.split_lines(lines)[0] if lines else Segments(b"", bytes(16 * count)) for lines in ids]
    if not wanted.references:
        return columns
    references = texts[wanted.references]
    return [*columns, *([references] if lists is None else lists_as_streams(lists, references))]


def has_ids_of_pairs(data: bytes) -> bool:
    r"""Return whether ids in lines of JSON may contain a language pair.

    >>> has_ids_of_pairs(b'{"id": "en-cs_#_news"}'), has_ids_of_pairs(b'{"id": "news_1"}')
    (True, False)
    """
    return _PARTS_OF_ID.search(data) is not None


@cache
def _parser() -> Any:
    """Return pyarrow's parser; None if it is not installed."""
    try:
        from pyarrow import json
    except ImportError:
        return None
    return json


def _parse(data: bytes, wanted: Wanted) -> dict[str, pa.Array] | None:
    """Return the wanted columns, which have no gaps; None if Python's parser might read something else."""
    parser = _parser()
    lines = _count_plain(data, wanted.alone) if parser and len(data) <= _MOST_BYTES else 0
    if not lines:
        return None
    import pyarrow as pa

    kinds = {wanted.references: pa.list_(pa.string()) if wanted.listed else pa.string()} if wanted.references else {}
    kinds |= dict.fromkeys(wanted.hypotheses, pa.string())
    kinds |= {name: pa.string() if kind is str else pa.int64() for name, kind in wanted.ids if name}
    unexpected = "error" if wanted.alone else "ignore"
    try:
        table = parser.read_json(
            pa.BufferReader(data),
            parser.ReadOptions(use_threads=False, block_size=len(data) + 1),  # one block, so one chunk per column
            parser.ParseOptions(explicit_schema=pa.schema(list(kinds.items())), unexpected_field_behavior=unexpected),
        )
    except (pa.ArrowException, UnicodeEncodeError):
        return None
    if len(table) != lines or any(column.null_count or column.num_chunks != 1 for column in table.columns):
        return None
    return {name: table.column(name).chunk(0) for name in kinds}


def _count_plain(data: bytes, alone: bool) -> int:
    """Return the number of lines if each looks like an object that both parsers read alike; else 0.

    Each line must start with `{` and end with `}`. On such a line, Arrow itself notices several objects, or a part of
    one; with `alone`, it also notices fields that are not allowed.
    """
    import numpy as np

    octets = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(octets == ord("\n"))
    if not data.endswith(b"\n"):
        ends = np.append(ends, len(data))
    starts = np.append(0, ends[:-1] + 1)
    if (octets[starts] != ord("{")).any():
        return 0
    last = octets[ends - 1]
    last = np.where(last == ord("\r"), octets[ends - 2], last)
    if (last != ord("}")).any():
        return 0
    # Arrow stops reading at a null byte; on an earlier line, `_parse` would notice that objects are missing
    if b"\0" in data[starts[-1] :]:
        return 0
    if alone:
        return len(ends)
    import pyarrow as pa

    bounds = pa.py_buffer(np.array([0, len(data)], np.int64))
    if not _is_valid(pa.Array.from_buffers(pa.large_string(), 1, [None, bounds, pa.py_buffer(data)])):
        return 0
    if _MANY_DIGITS.search(data[::_STEP]):
        return 0
    brackets = np.flatnonzero((octets | 32) == ord("{"))  # of both kinds, which differ by this bit
    most = np.diff(np.searchsorted(brackets, starts), append=len(brackets)).max()
    return 0 if most > _DEEP else len(ends)


def _is_valid(texts: pa.Array) -> bool:
    try:
        texts.validate(full=True)
    except ValueError:
        return False
    return True
