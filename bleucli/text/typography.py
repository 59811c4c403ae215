"""Ways to write the same text: quotation marks, dashes, spaces and the like, made alike so that only wording differs.

- `normalize`: strings; `normalize_segments`: `Segments`
- `normalize_all`: `Segments` with everything alike, and which of them change in more than case
- `KINDS`: what can be made alike, by name; `TYPOGRAPHY`: all of these but case
- `read_kinds`: names of kinds, checked and put in order
- `characters`: which character becomes what

The characters are chosen by Unicode's properties, which docs/typography.md lists with each of them. Every kind is done
to output and references alike, so it changes a score only where the two sides are written differently.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from itertools import accumulate

from bleucli.errors import InputTypeError, UsageError
from bleucli.phrases import suggest
from bleucli.text import Segments, blocks_of_strings

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Characters by what they become. Quotation_Mark=Yes without U+0022 and U+0027, and the primes that often replace them
_QUOTES = {
    '"': "\u00ab\u00bb\u201c\u201d\u201e\u201f\u2033\u2e42\u300c\u300d\u300e\u300f\u301d\u301e\u301f"
    "\ufe41\ufe42\ufe43\ufe44\uff02\uff62\uff63",
    "'": "\u2018\u2019\u201a\u201b\u2032\u2039\u203a\uff07",
}
# The right single quotation mark, which Unicode prefers as an apostrophe, and what is typed in its place
_APOSTROPHES = {"'": "\u00b4\u02bc\u2019\uff07"}
# Dash=Yes and used between words or as minus in any script; without U+002D, and those of one script
_DASHES = {"-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2e3a\u2e3b\ufe31\ufe32\ufe58\ufe63\uff0d"}
# Characters whose compatibility decomposition is a row of full stops, and the raised ellipsis
_ELLIPSES = {"..": "\u2025\ufe30", "...": "\u2026\u22ef\ufe19"}
# General_Category=Space_Separator without U+0020
_SPACES = {" ": "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"}
# General_Category=Format, invisible, and without influence on the shape of letters beside it, as U+200C and U+200D have
_INVISIBLE = {
    "": "\u00ad\u061c\u180e\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064"
    "\u2066\u2067\u2068\u2069\ufeff",
}
_TABLES = {
    "quotes": _QUOTES,
    "apostrophes": _APOSTROPHES,
    "dashes": _DASHES,
    "ellipses": _ELLIPSES,
    "spaces": _SPACES,
    "invisible": _INVISIBLE,
}
# Unicode's block Halfwidth and Fullwidth Forms
_WIDTHS = range(0xFF00, 0xFFF0)
_VOICED = "[\u3040-\u30ff][\u3099\u309a]"
_VOICE, _HALF_VOICE = "\u3099".encode(), "\u309a".encode()

# What can be made alike, in the order in which it is done
KINDS = (*_TABLES, "widths", "nfc", "case")
# All but case, which is a matter of spelling
TYPOGRAPHY = KINDS[:-1]
# The name that stands for all of these
_GROUP = "typography"

# A byte that UTF-8 never has, and what `surrogateescape` makes of it: no letter, and nothing composes with it
_BETWEEN = b"\xff"
_ERRORS = "surrogateescape"
_ASCII = bytes(range(128))


def read_kinds(text: str, spelling: str = "normalize") -> str:
    """Return names of kinds, separated by commas, each once and in the order of `KINDS`.

    text: the names; `typography` stands for all but `case`. spelling: what errors call the option.

    >>> read_kinds("case, dashes,quotes"), read_kinds("")
    ('quotes,dashes,case', '')
    """
    if not isinstance(text, str):
        raise InputTypeError(
            f"{spelling} is of type {type(text).__name__}, not a string; write names with commas: 'quotes,dashes'"
        )
    names = {name.strip() for name in text.split(",")} if text.strip() else set()
    if unknown := sorted(names - {*KINDS, _GROUP}):
        choices = (*KINDS, _GROUP)
        raise UsageError(
            f"{spelling} {text!r}; choose among {', '.join(choices)}, with commas between them"
            f"{suggest(unknown[0], choices)}"
        )
    if _GROUP in names:
        names |= {*TYPOGRAPHY}
    return ",".join([kind for kind in KINDS if kind in names])


@lru_cache(maxsize=32)
def characters(kind: str) -> Mapping[str, str]:
    """Return what each character becomes, for a kind that replaces single characters; none for `nfc` and `case`.

    >>> characters("ellipses")["\N{HORIZONTAL ELLIPSIS}"], characters("widths")["\N{FULLWIDTH COMMA}"]
    ('...', ',')
    """
    if kind == "widths":
        from unicodedata import decomposition

        pairs = ((chr(point), decomposition(chr(point)).split()) for point in _WIDTHS)
        return {wide: chr(int(parts[1], 16)) for wide, parts in pairs if parts}
    return {old: new for new, alike in _TABLES.get(kind, {}).items() for old in alike}


def normalize(texts: Iterable[str | None], kinds: str = _GROUP) -> list[str | None]:
    """Return texts in which characters that mean the same are the same character.

    Args:
        texts: n strings; None is a missing text.
        kinds: what to make alike, names with commas between them: `quotes`, `apostrophes`, `dashes`, `ellipses`,
            `spaces`, `invisible`, `widths` (of full-width and half-width forms), `nfc` (Unicode's normal form), `case`
            (all in lower case); `typography` is all of these but `case`.

    Raises:
        UsageError: a name is unknown.
        InputTypeError: something other than strings.

    Do it to output and references alike. Metrics do, with their option `normalize`.

    >>> normalize(["\N{LEFT DOUBLE QUOTATION MARK}Well\N{RIGHT DOUBLE QUOTATION MARK} \N{EM DASH}"], "quotes,dashes")
    ['"Well" -']
    """
    kinds = read_kinds(kinds, "kinds")
    return [text for block in blocks_of_strings(texts, "text") for text in normalize_segments(block, kinds)]


def normalize_segments(segments: Segments, kinds: str) -> Segments:
    """Return texts in which some kinds of characters are alike; kinds: as `read_kinds` returns them.

    >>> list(normalize_segments(Segments.from_strings(["So\N{HORIZONTAL ELLIPSIS}", None]), "ellipses,case"))
    ['so...', None]
    """
    if not kinds or not len(segments):
        return segments
    buffer = _BETWEEN.join(_texts(segments))
    whole = _replace(buffer, names := kinds.split(","))
    if "nfc" in names or "case" in names:
        # Both look at neighbours, but never beyond the byte between
        text = whole.decode("utf-8", _ERRORS)
        if "nfc" in names and not text.isascii():
            from unicodedata import normalize as compose

            text = compose("NFC", text)
        whole = (text.lower() if "case" in names else text).encode("utf-8", _ERRORS)
    if whole == buffer:
        return segments
    texts = whole.split(_BETWEEN)
    ends = array("q", accumulate(map(len, texts)))
    places = array("q", bytes(16 * len(ends)))
    places[1::2] = ends
    places[2::2] = ends[:-1]  # each text starts where the one before it ends
    for index, start in enumerate(segments.pairs[::2]):
        if start < 0:
            places[2 * index] = places[2 * index + 1] = -1
    return Segments(b"".join(texts), places.tobytes())


def normalize_all(segments: Segments) -> tuple[Segments, list[int]]:
    """Return texts in which everything is alike, case too, and the indexes of those that change in more than case.

    >>> texts, changed = normalize_all(Segments.from_strings(["An em\N{EM DASH}dash", "One", None]))
    >>> list(texts), changed
    (['an em-dash', 'one', None], [0])
    """
    import numpy as np

    def ends_in(data: bytes) -> NDArray[np.int64]:
        return np.flatnonzero(np.frombuffer(data, np.uint8) == between)

    pairs = np.array(segments.pairs, np.int64).reshape(-1, 2)
    # The lines of a file stand apart already
    between, buffer = ord("\n"), bytes(segments.data) + b"\n"
    ends = ends_in(buffer)
    starts = np.append(0, ends[:-1] + 1)
    if len(ends) != len(pairs) or (pairs[:, 0] != starts).any() or (pairs[:, 1] > ends).any():
        between, buffer = _BETWEEN[0], _BETWEEN.join([*_texts(segments), b""])
        ends = ends_in(buffer)
    foreign = {*buffer.translate(None, _ASCII + _BETWEEN).decode("utf-8", _ERRORS)}
    # Most texts have no character that becomes another one: a look at all bytes leaves few texts to normalize
    suspects: Sequence[int] = range(len(segments))
    if _is_composed(buffer, foreign):
        firsts = {start[0] for start in _endings(TYPOGRAPHY)}
        marks = buffer.translate(bytes([byte in firsts for byte in range(256)]))
        suspects = np.unique(np.searchsorted(ends, np.flatnonzero(np.frombuffer(marks, np.bool_)))).tolist()
    some = segments.take(suspects)
    alike = normalize_segments(some, ",".join(TYPOGRAPHY))
    differing = [place for place, (old, new) in enumerate(zip(some, alike, strict=True)) if old != new]
    changed = [suspects[place] for place in differing]
    data, rest = _lower(buffer, foreign), normalize_segments(alike.take(differing), "case")
    bounds = np.zeros((len(pairs), 2), np.int64)
    bounds[:, 1] = ends_in(data)
    bounds[1:, 0] = bounds[:-1, 1] + 1
    if between != _BETWEEN[0]:
        bounds[:, 1] -= ends - pairs[:, 1]  # lines of files leave out white space at their ends
    bounds[changed] = np.array(rest.pairs).reshape(-1, 2) + len(data)  # they follow the others
    bounds[pairs[:, 0] < 0] = -1
    return Segments(data + rest.data, bounds.tobytes()), changed


def _is_composed(buffer: bytes, foreign: Set[str]) -> bool:
    """Return whether the text has Unicode's normal form C; foreign: its characters that are not ASCII."""
    from unicodedata import combining, is_normalized

    for one in foreign:
        # In these ranges, what goes together with the character before it is a combining character
        is_plain = one < "\u0900" or "\u2000" <= one < "\U00011000" or one >= "\U0001f000"
        if not is_plain or combining(one) or not is_normalized("NFC", one):
            return is_normalized("NFC", buffer.decode("utf-8", _ERRORS))
    return True


def _lower(buffer: bytes, foreign: Set[str]) -> bytes:
    """Return the text as `str.lower` makes it; foreign: its characters that are not ASCII."""
    import numpy as np

    capitals = {one for one in foreign if one != one.lower()}
    if not all("\xc0" <= one <= "\xde" for one in capitals):
        return buffer.decode("utf-8", _ERRORS).lower().encode("utf-8", _ERRORS)
    data = bytearray(buffer.lower())
    if capitals:  # of Latin-1: in UTF-8, these are C3 80 to C3 9E, and their small letters C3 A0 to C3 BE
        array = np.frombuffer(data, np.uint8)
        ends = np.flatnonzero(array == 0xC3) + 1
        array[ends[(array[ends] <= 0x9E) & (array[ends] != 0x97)]] += 0x20  # 97 is the end of the multiplication sign
    return bytes(data)


def _texts(segments: Segments) -> list[bytes | memoryview]:
    """Return all texts in UTF-8; missing ones are empty."""
    data, bounds = segments.data, segments.pairs.tolist()
    return [data[start:end] if start >= 0 else b"" for start, end in zip(bounds[::2], bounds[1::2], strict=True)]


def _replace(buffer: bytes, names: Sequence[str]) -> bytes:
    """Replace single characters; those that the texts do not have cost nothing."""
    foreign = buffer.translate(None, _ASCII + _BETWEEN)
    for start, ends in _endings(tuple(names)).items() if foreign else ():
        if start in foreign:
            first, *parts = buffer.split(start)  # no other character has these bytes
            new = [ends[part[0]] + part[1:] if part[0] in ends else start + part for part in parts]
            buffer = b"".join([first, *new])
    if "widths" in names and (_VOICE in buffer or _HALF_VOICE in buffer):
        import re
        from unicodedata import normalize as compose

        # Half-width kana carry their marks apart; full-width ones are one character with them
        text = buffer.decode("utf-8", _ERRORS)
        buffer = re.sub(_VOICED, lambda match: compose("NFC", match[0]), text).encode("utf-8", _ERRORS)
    return buffer


@lru_cache(maxsize=32)
def _endings(names: tuple[str, ...]) -> dict[bytes, dict[int, bytes]]:
    r"""Return what characters become in the end, in UTF-8: by all their bytes but the last one, and by that.

    >>> _endings(("dashes",))[b"\xe2\x88"]  # U+2212, the minus sign
    {146: b'-'}
    """
    endings: dict[bytes, dict[int, bytes]] = {}
    for character in dict.fromkeys(character for name in names for character in characters(name)):
        text = character
        for name in names:
            text = "".join([characters(name).get(one, one) for one in text])
        *start, end = character.encode()
        endings.setdefault(bytes(start), {})[end] = text.encode()
    return endings
