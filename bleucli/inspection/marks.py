"""Signs of input that does not suit a metric, counted block by block.

- `subword_marks`: leftovers of subword segmentation
- `unspaced_letters`: letters of scripts that put no spaces between words
- `unspaced_stretches`: those of these letters that are in long stretches without spaces
- `tell_unspaced`: what that means for a metric that counts words
- `joining_breaks`: line breaks in texts that join words, where only spaces separate them
- `suspicions`: the kinds of mistakes that a quick look does not rule out
- `is_json_object`: whether a text is a line of JSON Lines
"""

from __future__ import annotations

from bleucli import kernels
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# The marks of subword-nmt and SentencePiece
_SUBWORD_MARKS = (b"@@ ", "▁".encode())
# Letters of Thai, Lao, Burmese, Hangul, Khmer, kana and Han begin, in UTF-8, with a byte that is not one of these;
# typographic punctuation begins with the last. Hangul belongs here because the spaces of Korean separate phrases rather
# than words.
_SPACED_BYTES = bytes([*range(0xE0), 0xE2])
_UNSPACED = (
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
# More letters than nearly all words have
_STRETCH = 8
# ASCII white space, as `str.split` sees it
_WHITE_SPACE = b" \t\n\v\f\r\x1c\x1d\x1e\x1f"
# The number of bytes of a block that are enough to recognize its script
_SAMPLE_BYTES = 4096


def subword_marks(segments: Segments) -> int:
    """Count the marks that subword segmentation leaves.

    >>> subword_marks(Segments.from_strings(["an un@@ usu@@ al word", "▁so", "plain"]))
    3
    """
    text, number = _stretch(segments), 0
    for mark in _SUBWORD_MARKS:
        # That a byte is nowhere in a text is found many times faster than that a mark is not
        for byte in mark:
            if byte not in text:
                break
        else:
            number += text.count(mark)
    return number


def unspaced_letters(segments: Segments) -> tuple[int, int]:
    """Count, at the start of the block, the letters of scripts without spaces between words, and all letters.

    >>> unspaced_letters(Segments.from_strings(["東京 so"]))
    (2, 4)
    """
    return _count_unspaced(segments, _UNSPACED)


def unspaced_stretches(segments: Segments) -> tuple[int, int]:
    """Count, at the start of the block, the unspaced letters that stand together in long stretches, and all letters.

    Text that is split into words has few such stretches, and so has Korean.

    >>> unspaced_stretches(Segments.from_strings(["東京都に住んでいる so", "東 京"]))
    (9, 13)
    """
    return _count_unspaced(segments, f"{_UNSPACED}{{{_STRETCH},}}")


def _count_unspaced(segments: Segments, pattern: str) -> tuple[int, int]:
    """Count, at the start of the block, the letters in which a pattern matches, and all letters."""
    letters = _letters(segments)
    if _are_all_spaced(letters):
        return 0, len(letters)
    import re

    text = _stretch(segments, _SAMPLE_BYTES).decode("utf-8", "ignore")
    return sum(map(len, re.findall(pattern, text))), len(letters)


def _letters(segments: Segments) -> str:
    """Return the start of the block without white space, which is cut out of bytes first: most of it is ASCII."""
    text = _stretch(segments, _SAMPLE_BYTES).translate(None, _WHITE_SPACE).decode("utf-8", "ignore")
    return "".join(text.split())


def _are_all_spaced(letters: str) -> bool:
    """Return whether a quick check finds no such script; compiling the expression would take much longer."""
    return letters.isascii() or not letters.encode().translate(None, _SPACED_BYTES)


def tell_unspaced(metric: str, signs: Sequence[int]) -> str:
    """Return what is wrong with counting words in text without spaces; "" if it has them.

    metric: the name of the metric that counts them. signs: sums of what `unspaced_stretches` returns, if known.

    >>> tell_unspaced("WER", (9, 13)), tell_unspaced("WER", (0, 13))
    ('WER counts words between spaces, but most of the output has no spaces between words', '')
    """
    unspaced, letters = signs or (0, 0)
    if 2 * unspaced <= letters:
        return ""
    return f"{metric} counts words between spaces, but most of the output has no spaces between words"


def joining_breaks(segments: Segments) -> tuple[int, int]:
    r"""Count the line breaks in texts that have no other white space beside them, and the texts with such breaks.

    jiwer splits words at spaces, and takes several white-space characters for a space, but not a single line break.

    >>> joining_breaks(Segments.from_strings(["one\ntwo\nthree", "one\n\ntwo", "one \ntwo\n", None]))
    (2, 1)
    """
    if _are_lines(segments):
        return 0, 0
    import re

    breaks = [len(re.findall(r"(?<=\S)\n(?=\S)", text)) for text in segments if text is not None and "\n" in text]
    return sum(breaks), sum(map(bool, breaks))


def _are_lines(segments: Segments) -> bool:
    """Return whether all line breaks in the buffer are between the texts, which nearly always are lines of a file."""
    data, pairs = bytes(segments.data), segments.pairs
    if b"\n" not in data:
        return True
    is_cut = len(pairs) > 2 and 0 <= pairs[0] <= pairs[-1] and b"\n" in data[pairs[1] : pairs[2]]
    return is_cut and data.count(b"\n", pairs[0], pairs[-1]) == len(segments) - 1


# --- a quick look for mistakes, which costs next to nothing: it searches whole blocks for rare bytes, and samples

# How often a byte is looked at in a block
_MOST_LOOKS = 200
# A mistake in fewer lines than this share is an accident
_SELDOM = 200
_ENTITIES = (b"amp;", b"lt;", b"gt;", b"quot;", b"apos;", b"nbsp;", b"#")
_TOKENS = (b"PAD]", b"UNK]", b"SEP]", b"CLS]", b"MASK]", b"INST]", b"/INST]")
# What follows the `<` of tags and special tokens, and the most bytes before its `>`
_TAG_BYTES = frozenset(bytes([byte]) for byte in b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/|")
_TAG_LENGTH = 60
# How combining marks, jamo and voicing marks begin
_COMBINING = (b"\xcc", b"\xcd", b"\xe1\x84", b"\xe3\x82\x99")
_REPLACEMENT = "\ufffd".encode()
# How many lines must start alike, what is compared of them, and what quotation marks start with
_ALIKE, _START_BYTES = 3, 8
_QUOTE_BYTES = frozenset(bytes([byte]) for byte in b"\"'`\xe2\xc2\xe3")
# How many times as long as its reference a text is that runs away, from how many bytes on
_FAR_LONGER, _FEWEST_BYTES = 1.15, 1000
# How many lines are looked at for what should be on all lines, and how many for repetitions; which of these are few
_EVERY, _REPEATED, _DISTINCT = 8, 32, 28
_LONG = 40
# Scripts by the first byte of their letters in UTF-8
_SCRIPTS = {
    "Latin": b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\xc3\xc4\xc5",
    "Greek": b"\xce\xcf",
    "Cyrillic": b"\xd0\xd1\xd2",
    "Hebrew": b"\xd7",
    "Arabic": b"\xd8\xd9\xda\xdb",
    "Indian or Thai": b"\xe0",
    "Chinese or Japanese": b"\xe3\xe4\xe5\xe6\xe7\xe8\xe9",
    "Korean": b"\xea\xeb\xec",
    "Georgian, Khmer or similar": b"\xe1",
}
_SCRIPT_OF = bytearray(256)
for _place, _first_bytes in enumerate(_SCRIPTS.values(), 1):
    for _byte in _first_bytes:
        _SCRIPT_OF[_byte] = _place
_CASED = ("Latin", "Greek", "Cyrillic")
_FEWEST_LETTERS = 20
# How much of a block is looked at for its script, its case and its rare bytes
_SCRIPT_BYTES = 512
# Full-width digits, capitals and small letters, in UTF-8: how much of a block is looked at, and their last bytes
_WIDE_BYTES = 1 << 13
_WIDE_CELLS = bytes([*range(0x90, 0x9A), *range(0xA1, 0xBB)])
_WIDE_SMALL = bytes(range(0x81, 0x9B))
# Lines quoted as in CSV are looked for at the start of a block
_QUOTING_BYTES = 1 << 13


def _counter(mark: bytes, check: Callable[[bytes, int], bool]) -> Callable[[bytes], int]:
    """Return a function that counts how often a byte is what it seems to be; check: tells so from the place after it.

    A byte that is common in a text, since it is part of other characters, is looked at a limited number of times.
    """

    def count(data: bytes) -> int:
        number, looks, place = 0, 0, data.find(mark)
        while place >= 0 and looks < _MOST_LOOKS:
            number += check(data, place + 1)
            looks, place = looks + 1, data.find(mark, place + 1)
        return number

    return count


def _occurrences(data: bytes, needle: bytes) -> int:
    r"""Return how often some bytes are in a text in a row, or some of it if a text has each of them very often.

    The byte that is the rarest one at the start of the text is found much faster than all of them.

    >>> _occurrences("a\ufffdb\uff71".encode(), b"\xef\xbf\xbd")
    1
    """
    if needle[:1] not in data:
        return 0
    start = data[:_SCRIPT_BYTES]
    place = min(reversed(range(len(needle))), key=lambda place: start.count(needle[place]))
    return _counter(needle[place : place + 1], lambda data, end: data.startswith(needle, end - 1 - place))(data)


# Markdown: bold type, and code
_BOLD = _counter(b"*", lambda data, place: data.startswith(b"*", place))
_CODE = _counter(b"`", lambda data, place: True)

# UTF-8 that was read as Latin-1 or Windows-1252 has \u00c3 (C3 83) in place of letters with accents, and \u00e2\u20ac
# (C3 A2 E2 82 AC) in place of typographic quotation marks
_MISREAD = (b"\xc3\x83", b"\xc3\xa2\xe2\x82\xac")


def _wide_letters(data: bytes) -> int:
    """Count full-width digits and letters at the start of a text; their first bytes are those of punctuation, too.

    >>> _wide_letters("\uff13\u4e2a\uff0c\uff41\uff22".encode())
    3
    """
    if b"\xef" not in data:
        return 0
    start = data[:_WIDE_BYTES]
    rows = (start.split(b"\xef\xbc")[1:], _WIDE_CELLS), (start.split(b"\xef\xbd")[1:], _WIDE_SMALL)
    firsts = ((b"".join([part[:1] for part in row]), wide) for row, wide in rows)
    return sum(len(cells) - len(cells.translate(None, wide)) for cells, wide in firsts)


# What is counted, by kind of mistake; bytes that a text does not have are found to be missing at once
_RARE: dict[str, Callable[[bytes], int]] = {
    "tags": _counter(
        b"<", lambda data, place: data[place : place + 1] in _TAG_BYTES and b">" in data[place : place + _TAG_LENGTH]
    ),
    "special-tokens": _counter(b"[", lambda data, place: data.startswith(_TOKENS, place)),
    "entities": _counter(b"&", lambda data, place: data.startswith(_ENTITIES, place)),
    "replacement": lambda data: _occurrences(data, _REPLACEMENT),
    "mojibake": lambda data: sum(_occurrences(data, marks) for marks in _MISREAD),
    "form": lambda data: sum(_occurrences(data, marks) for marks in _COMBINING),
    "full-width": _wide_letters,
    "markdown": lambda data: _BOLD(data) + _CODE(data),
    "quoting": lambda data: data[:_QUOTING_BYTES].count(b'""'),
}


# How many of these are enough, however long a block is: they are counted at its start
_MANY = {"quoting": 4, "full-width": 2}


def suspicions(ours: Segments, theirs: Segments) -> list[str]:
    """Return the kinds of mistakes that a quick look at a block of output and its references does not rule out.

    >>> suspicions(Segments.from_strings(["<b>a</b>"]), Segments.from_strings(["a"]))
    ['tags']
    """
    data, few = _stretch(ours), max(1, len(ours) // _SELDOM)
    numbers = {kind: count(data) for kind, count in _RARE.items()}
    numbers = {kind: number for kind, number in numbers.items() if number >= min(few, _MANY.get(kind, few))}
    kinds = []
    if numbers:  # what the references have as well is not a mistake
        whole = _stretch(theirs)
        kinds = [kind for kind, number in numbers.items() if number > 2 * _RARE[kind](whole)]
    sides = {"empty": kernels.drop_empty(ours), "empty-reference": kernels.drop_empty(theirs)}
    if kernels.reference_counts([*sides.values()])[0] < len(sides):  # a side has an empty text
        kinds += [kind for kind, texts in sides.items() if not kernels.reference_counts([texts])[0]]
    starts = data[:_SCRIPT_BYTES], _stretch(theirs, _SCRIPT_BYTES)
    text, other = (one.decode("utf-8", "ignore") for one in starts)
    scripts = [find_script(one) for one in starts]
    if scripts[0] in _CASED:
        kinds += ["lower-case"] * (text.islower() and not other.islower())
        kinds += ["upper-case"] * (text.isupper() and not other.isupper())
    kinds += _suspicious_starts(_line_starts(ours), _line_starts(theirs))
    if len(data) > _FAR_LONGER * max(_FEWEST_BYTES, theirs.pairs[-1] - theirs.pairs[0] if len(theirs) else 0):
        kinds.append("runaway")
    pairs = ours[:_REPEATED].pairs.tolist()
    long = [ours.data[start:end] for start, end in zip(pairs[::2], pairs[1::2], strict=True) if end - start > _LONG]
    if len(long) - len({*map(bytes, long)}) > _REPEATED - _DISTINCT:
        kinds.append("repeated")
    if "" not in scripts and scripts[0] != scripts[1]:
        kinds.append("script")
    return kinds


def _line_starts(segments: Segments) -> list[bytes]:
    """Return the first bytes of some lines all over a block."""
    pairs, step = segments.pairs, max(1, len(segments) // _EVERY)
    places = [pairs[2 * index] for index in range(0, len(segments), step)]
    return [bytes(segments.data[place : place + _START_BYTES]) if place >= 0 else b"" for place in places]


def _suspicious_starts(ours: Sequence[bytes], theirs: Sequence[bytes]) -> list[str]:
    """Return the kinds of mistakes that the starts of some lines do not rule out.

    >>> _suspicious_starts([b"1. So", b"2. It was"], [b"So", b"It is"]), _suspicious_starts([b"'So'"] * 4, [b"So"] * 4)
    (['numbers'], ['quoting', 'enclosed', 'preamble'])
    """
    kinds = []
    if len(ours) > 1 and all(start.lstrip(b"[(# ")[:1].isdigit() for start in ours):
        kinds.append("numbers")
    quoted, others = (sum(start[:1] in _QUOTE_BYTES for start in starts) for starts in (ours, theirs))
    if quoted >= max(_ALIKE, 3 * others):
        kinds += ["quoting", "enclosed"]
    if max(map(ours.count, ours), default=0) >= _ALIKE:
        kinds.append("preamble")
    return kinds


def find_script(data: bytes) -> str:
    """Return the script of most letters at the start of a text; "" if there is none, or too few letters.

    >>> find_script("Das ist ein Satz mit genug Buchstaben.".encode()), find_script("ok".encode())
    ('Latin', '')
    """
    classes = data[:_SCRIPT_BYTES].translate(_SCRIPT_OF)
    counts = [classes.count(place) for place in range(1, len(_SCRIPTS) + 1)]
    most = max(counts)
    return [*_SCRIPTS][counts.index(most)] if most >= _FEWEST_LETTERS and 2 * most > sum(counts) else ""


def is_json_object(text: str) -> bool:
    """Return whether a text is a JSON object, like the lines of JSON Lines.

    >>> is_json_object('{"hypothesis": "a"}'), is_json_object("{a}"), is_json_object("1")
    (True, False, False)
    """
    if not text.startswith("{"):
        return False
    import json

    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _stretch(segments: Segments, limit: int = -1) -> bytes:
    """Return at most `limit` bytes of the texts, including the bytes between them if they are lines of a file."""
    pairs = segments.pairs
    # The bytes between texts may belong to something else: a missing text, or other columns of a table
    is_one = len(pairs) == 2 and pairs[0] >= 0
    if not is_one and (
        len(pairs) < 4 or min(pairs[0], pairs[2], pairs[-2]) < 0 or b"\t" in bytes(segments.data[pairs[1] : pairs[2]])
    ):
        return "\n".join([text for text in segments if text is not None]).encode()[: limit if limit >= 0 else None]
    if limit < 0 and pairs[0] == 0 and len(segments.data) - pairs[-1] < 2:  # all but the last line's end: no copy
        return bytes(segments.data)
    end = pairs[-1] if limit < 0 else min(pairs[-1], pairs[0] + limit)
    return bytes(segments.data[pairs[0] : end])
