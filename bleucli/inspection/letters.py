"""Letters, spaces and punctuation that differ in a whole text: how they are recognized, and how they are repaired."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bleucli.inspection.lines import UNSPACED, Lines

# --- letters

_WORDY = 3  # words from which on case says something
_TITLE = 6  # the same for capitals at the start of words


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


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
    return len(text.split()) >= _WORDY and 2 * sum(one.lower() != one.upper() for one in text) > _letters(text)


def find_title(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines with a capital at the start of each word, which the other line does not have."""
    return [n for n in lines.where(is_title) if not is_title(others.texts[n])]


def is_title(text: str) -> bool:
    """Return whether each of several words starts with a capital, but the line is not in capitals."""
    if not text[:1].isupper() or text.isupper():
        return False
    count = 0
    for word in text.split():
        if word[0].isalpha():
            if not word[0].isupper():
                return False
            count += 1
    return count >= _TITLE


# --- spaces and punctuation

APART = re.compile(rf"(?<={UNSPACED})[ \u3000](?={UNSPACED})")
_TOGETHER = re.compile(rf"{UNSPACED}(?={UNSPACED})")


def find_spaced(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines in which many spaces part characters of scripts without spaces."""
    if lines.is_spaced or not APART.search(lines.whole):
        return ()
    indexes = []
    for index, text in enumerate(lines.texts):
        apart = len(APART.findall(text))
        if (
            apart >= 2
            and apart > 0.15 * (apart + len(_TOGETHER.findall(text)))
            and apart > 3 * len(APART.findall(others.texts[index]))
        ):
            indexes.append(index)
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
    if lines.is_spaced or not _NARROW_MARKS.search(lines.whole):
        return ()
    return [
        index
        for index, text in enumerate(lines.texts)
        if _NARROW_MARKS.search(text) and not _WIDE_MARKS.search(text) and _WIDE_MARKS.search(others.texts[index])
    ]


def find_wide(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines with full-width letters and digits."""
    if not _WIDE_LETTERS.search(lines.whole):
        return ()
    return [
        index
        for index, text in enumerate(lines.texts)
        if _WIDE_LETTERS.search(text) and not _WIDE_LETTERS.search(others.texts[index])
    ]


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
