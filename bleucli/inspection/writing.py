"""How lines are written: how much text they have, in which letters, and with which spaces and punctuation.

For each kind of mistake, how its lines are recognized, and how they are repaired.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from bleucli.inspection.lines import UNSPACED, Lines
from bleucli.records import NamedTuple

# --- no text, too much of it, or too little


def find_empty(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines without text whose counterparts have some."""
    return [n for n, text in enumerate(lines.texts) if not text.strip() and others.texts[n].strip()]


# A row of words, or of characters where there are no spaces, that repeats this many times, of at most this many of them
_REPEATS = 6
_LONGEST_REPEAT = 12
# Longer words are not words; the first characters of a line tell whether it runs away
_LONGEST_WORD = 60
_START = 3000


class _Run(NamedTuple):
    """Words that repeat: those before them, those that repeat, and those after them, with what stands between words."""

    before: Sequence[str]
    repeated: Sequence[str]
    after: Sequence[str]
    space: str

    def length(self) -> int:
        return len(self.space.join(self.repeated))


def _longest_run(text: str) -> _Run | None:
    """Return the longest row of words or characters that repeats over and over; None if there is none.

    >>> _longest_run("so it goes on and on and on and on and on and on and on").length()
    44
    """
    import numpy as np

    words, space = text[:_START].split(" "), " "
    if len(words) < _REPEATS or max(map(len, words)) > _LONGEST_WORD:
        words, space = list(text[:_START]), ""
    numbers = {word: number for number, word in enumerate(words)}
    row = np.array([numbers[word] for word in words])
    best = (0, 0)
    for period in range(1, min(_LONGEST_REPEAT, len(words) // _REPEATS) + 1):
        # A row of words that are equal to those a period later ends before the first word that is not
        ends = np.concatenate([[-1], np.flatnonzero(row[period:] != row[:-period]), [len(words) - period]])
        lengths = np.diff(ends) - 1
        longest = int(lengths.argmax())
        start, length = int(ends[longest]) + 1, int(lengths[longest])
        if length >= (_REPEATS - 1) * period and length + period > best[1] - best[0]:
            best = (start, start + length + period)
    repeated = words[slice(*best)]
    # People, too, write dots and sooooo
    if len({sign for one in repeated for sign in one if sign.isalnum()}) < (1 if space else 2):
        return None
    return _Run(words[: best[0]], repeated, [*words[best[1] :], text[_START:]], space)


def find_runaway(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines that are far longer than the other one because they repeat something over and over."""
    indexes = []
    for index, text in enumerate(lines.texts):
        other = others.texts[index]
        if len(text) > 1.3 * len(other) + 20 and (run := _longest_run(text)) is not None:
            length, theirs = run.length(), _longest_run(other)
            if length >= 20 and length > 0.25 * len(text) and (theirs is None or length > 4 * theirs.length()):
                indexes.append(index)
    return indexes


def cut_run(text: str) -> str:
    """Return a line with its longest repetition written once."""
    run = _longest_run(text)
    if run is None:
        return text
    period = next(n for n in range(1, _LONGEST_REPEAT + 1) if run.repeated[n:] == run.repeated[:-n])
    return run.space.join([*run.before, *run.repeated[:period], *run.after]).rstrip()


def find_repeated(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines that are equal to an earlier one, while the other text differs, and says something else."""
    first: dict[str, int] = {}
    by_text: dict[str, list[int]] = {}
    for index, text in enumerate(lines.texts):
        before = first.setdefault(text, index)
        if not text or before == index:
            continue
        other = others.texts[index]
        if _are_different(others.texts[before], other) and _are_different(text, other, min):
            by_text.setdefault(text, []).append(index)
    # Short lines may be repeated in the source
    enough = max(10, len(lines) // 100)
    groups = [group for text, group in by_text.items() if len(text.encode()) >= 40 or len(group) >= enough]
    return sorted(index for group in groups for index in group)


def _are_different(one: str, other: str, size: Callable[[int, int], int] = max) -> bool:
    """Return whether two lines share less than half of the words of the longer one, or of the shorter one (`min`).

    >>> [_are_different("And he said:", "And he said: Let us go home.", size) for size in (max, min)]
    [True, False]
    """
    left, right = set(one.casefold().split()), set(other.casefold().split())
    if len(left) < 3 or len(right) < 3:  # scripts without spaces
        left, right = set(one), set(other)
    return 2 * len(left & right) < size(len(left), len(right))


_ENDS = frozenset(".!?…。！？।؟:;\"'”“»’」』)]】）～")


def _is_ended(text: str) -> bool:
    """Return whether a line ends with punctuation."""
    return text.rstrip()[-1:] in _ENDS


def find_cut(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines that end in mid-sentence, earlier than the other one, which ends with punctuation."""
    theirs = others.where(_is_ended)
    if 2 * len(theirs) <= len(others):
        return ()
    ended, texts, rest = {*lines.where(_is_ended)}, lines.texts, others.texts
    without = [n for n in theirs if n not in ended and texts[n]]
    indexes = [n for n in without if len(texts[n]) < 0.8 * len(rest[n])]
    # A text that leaves out full stops does so in lines of any length
    whole = len(without) - len(indexes)
    if len(indexes) >= _OFTEN_CUT * len(lines) and len(indexes) > whole and _are_as_long([texts[n] for n in indexes]):
        return indexes
    # A limit of the length leaves many different lines with the same number of characters or words
    sizes = Counter(size for text in {lines.texts[n] for n in indexes} for size in _sizes(text))
    return indexes if sizes and sizes.most_common(1)[0][1] >= max(5, len(indexes) / 2) else ()


# The share of lines, from which on they need not have the same length; on WMT's systems, 0.011 end without punctuation
_OFTEN_CUT = 0.02


def _are_as_long(texts: Sequence[str]) -> bool:
    """Return whether the middle half of the lines has much the same length, as a limit in tokens leaves them.

    On WMT's systems, a limit gives a factor of up to 1.1, messages without full stops 1.7.
    """
    lengths = sorted(map(len, texts))
    return lengths[3 * len(lengths) // 4] < 1.4 * lengths[len(lengths) // 4]


def _sizes(text: str) -> Iterator[tuple[str, int]]:
    """Give the numbers of characters and of words of a line, where they are too large to be often equal by chance."""
    words = len(text.split())
    if len(text) >= 20:
        yield "characters", len(text.rstrip())
    if words >= 8:
        yield "words", words


# --- letters

_WORDY = 3  # words from which on case says something
_TITLE = 6  # the same for capitals at the start of words


def find_lower(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines in lower case whose counterparts have a capital other than the first letter of the line.

    Parts of a sentence, which good texts have as lines as well, do not write names without capitals.
    """
    if not lines.where(is_lower):
        return ()
    texts, rest = lines.texts, [text.lstrip()[1:] for text in others.texts]
    indexes = [n for n in lines.where(is_lower) if rest[n] != rest[n].lower()]
    names = ({word.lower() for word in _INNER.findall(rest[n]) if word.istitle()} for n in indexes)
    sure = sum(not words.isdisjoint(_WORD.findall(texts[n])) for n, words in zip(indexes, names, strict=True))
    return indexes if sure > _SURE * len(indexes) else ()


# A word in the middle of a sentence; and the share of lines that must have one of the other line's without its capital
_INNER, _WORD = re.compile(r"(?<=\w )[^\W\d_]{3,}"), re.compile(r"[^\W\d_]{3,}")
_SURE = 0.3


def is_lower(text: str) -> bool:
    """Return whether a line of several words is in lower case."""
    return text.islower() and _is_cased(text)


def find_upper(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines in capitals whose counterparts are in a script with case, and not in capitals."""
    rest = others.texts
    return [n for n in lines.where(is_upper) if not rest[n].isupper() and rest[n] != rest[n].upper()]


def is_upper(text: str) -> bool:
    """Return whether a line of several words is in capitals."""
    return text.isupper() and _is_cased(text)


def _is_cased(text: str) -> bool:
    """Return whether a line has several words, and most of its letters are in a script with case."""
    cased = sum(one.lower() != one.upper() for one in text)
    return len(text.split()) >= _WORDY and 2 * cased > sum(map(str.isalpha, text))


def find_title(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines with a capital at the start of each word, which the other line does not have."""
    return [n for n in lines.where(is_title) if not is_title(others.texts[n])]


def is_title(text: str) -> bool:
    """Return whether each of several words starts with a capital, but the line is not in capitals."""
    if not text[:1].isupper() or text.isupper():
        return False
    words = text.split()
    has_capitals = all(word[0].isupper() for word in words if word[0].isalpha())
    return has_capitals and sum(word[0].isalpha() for word in words) >= _TITLE


# --- spaces and punctuation

APART = re.compile(rf"(?<={UNSPACED})[ \u3000](?={UNSPACED})")
_TOGETHER = re.compile(rf"{UNSPACED}(?={UNSPACED})")


def find_spaced(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines in which many spaces part characters of scripts without spaces."""
    if lines.is_spaced:
        return ()
    indexes = []
    for n in lines.matching(APART):
        text, theirs = lines.texts[n], len(APART.findall(others.texts[n]))
        apart, together = len(APART.findall(text)), len(_TOGETHER.findall(text))
        if apart >= 2 and apart > 0.15 * (apart + together) and apart > 3 * theirs:
            indexes.append(n)
    return indexes


_LOOSE = re.compile(r"(?<=\S) [.,](?= |$)| @-@ ")


def find_tokenized(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines with a space before a full stop or a comma, which the other line does not have."""
    texts, rest = lines.texts, others.texts
    return [n for n in lines.having(" .", " ,", " @-@ ") if _LOOSE.search(texts[n]) and not _LOOSE.search(rest[n])]


def attach(text: str) -> str:
    """Return a line without the spaces that tokenizers put before and after punctuation."""
    text = re.sub(r" @-@ ", "-", text)
    text = re.sub(r" ([.,;:!?)\]%]+)(?= |$)", r"\1", text)
    text = re.sub(r"([(\[]) ", r"\1", text)
    return re.sub(r" (n't|'s|'re|'ve|'ll|'m)(?= |$)", r"\1", text)


def find_letters(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines in which most words are single letters."""
    return [n for n in lines.where(_is_spelled) if not _is_spelled(others.texts[n])]


def _is_spelled(text: str) -> bool:
    if text[1:2] != " " and text[3:4] != " ":
        return False
    words = text.split()
    return len(words) >= _SPELLED and sum(len(word) == 1 for word in words) > 0.7 * len(words)


_SPELLED = 8  # words from which on they say something
_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3002: 0x2E, 0x3001: 0x2C, 0x3000: 0x20}
_WIDE_MARKS = re.compile("[\uff01-\uff0f\uff1a-\uff20\u3001\u3002]")
_WIDE_LETTERS = re.compile("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]")
_NARROW_MARKS = re.compile(rf"(?<={UNSPACED})[,.!?;:]|(?<={UNSPACED})[()]")


def find_narrow(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines with half-width punctuation after characters of Chinese or Japanese, and no full-width one."""
    if lines.is_spaced:
        return ()
    texts, rest = lines.texts, others.texts
    indexes = [n for n in lines.matching(_NARROW_MARKS) if not _WIDE_MARKS.search(texts[n])]
    return [n for n in indexes if _WIDE_MARKS.search(rest[n])]


def find_wide(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines with full-width letters and digits."""
    return [n for n in lines.matching(_WIDE_LETTERS) if not _WIDE_LETTERS.search(others.texts[n])]


def narrow(text: str) -> str:
    """Return a line with half-width letters, digits and punctuation."""
    return text.translate(_WIDE)


_MARKS = re.compile(r"[^\w\s]")
# Apostrophes and hyphens within words are a matter of the language and of which words are chosen
_OUTER_MARKS = re.compile(r"[^\w\s'’-]|(?<!\w)['’-]|['’-](?!\w)")


def find_bare(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines without any punctuation, where the other line has several marks that are not parts of words."""
    return [n for n in lines.where(is_bare) if len(_OUTER_MARKS.findall(others.texts[n])) > 1]


def is_bare(text: str) -> bool:
    """Return whether a line has text, but no punctuation."""
    return text != "" and not _MARKS.search(text)
