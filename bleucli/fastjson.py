"""JSON Lines by a faster parser, msgspec, where it is installed (extra `json`); the values are those of Python's own.

What it refuses is left to Python's parser, which takes more than JSON (NaN, half a character) and whose words stand in
our errors. What it takes, Python's reads alike.
"""

from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# A line of less cannot nest too deeply for either parser: they stop at about 1000 levels, less those that are in use
_DEEP = 400


def parse(lines: list[bytes]) -> "list[dict[str, Any]] | None":
    r"""Return the objects that lines of UTF-8 are, one a line; None if that is for Python's parser to tell.

    >>> parse([b'{"a": "b"}', b' {"c": [1, null]}\r']) if _decoder() else [{"a": "b"}, {"c": [1, None]}]
    [{'a': 'b'}, {'c': [1, None]}]
    >>> parse([b'{"a": NaN}'])
    """
    decode = _decoder()
    if decode is None or any(len(line) > _DEEP and line.count(b"[") + line.count(b"{") > _DEEP for line in lines):
        return None
    try:
        items = list(map(decode, lines))
    except (ValueError, RecursionError):  # as its errors are
        return None
    return items if {*map(type, items)} <= {dict} else None


@cache
def _decoder() -> "Callable[[bytes], Any] | None":
    """Return what parses a line; None if it is not installed."""
    try:
        from msgspec.json import Decoder
    except ImportError:
        return None
    return Decoder().decode
