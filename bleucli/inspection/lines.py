"""Lines of a text that is compared with another one, line by line.

- `Lines`: some lines of a text
- `lines_with`: makes a function that finds the lines in which a pattern matches
- `cut`: the part of a text around a place
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate

# The number of characters that tell which script a text has
_SAMPLE = 20_000
# The number of words that make up a large part of any text in a language
_FREQUENT = 100
# The characters of scripts that put no spaces between words
UNSPACED = "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u0e00-\u0e7f]"
# The fewest lines, and the smallest share of them, that are worth a finding
FEWEST, FEW = 3, 0.005
# The words at the start or the end of a line that are compared
AFFIX = 3
# Tags that HTML does not close
_UNCLOSED = {"br", "hr", "img", "input", "li", "link", "meta", "option", "p", "td", "th", "tr", "wbr"}


class Lines:
    """Some lines of a text; start: the index of the first one in the whole text."""

    def __init__(self, texts: Sequence[str], start: int = 0) -> None:
        self.texts = texts
        self.start = start
        self._having: dict[tuple[str, ...], list[int]] = {}
        self._where: dict[Callable[[str], object], list[int]] = {}

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def whole(self) -> str:
        """All lines as one string, to look for something that few texts have."""
        return "\n".join(self.texts)

    @cached_property
    def lower(self) -> str:
        """All lines as one string in lower case."""
        return self.whole.lower()

    @cached_property
    def is_spaced(self) -> bool:
        """Whether the script puts spaces between words, or no such script is among the first characters."""
        return re.search(UNSPACED, self.whole[:_SAMPLE]) is None

    @cached_property
    def frequent_words(self) -> set[str]:
        """The most frequent words, in lower case; none in a script without spaces."""
        counts = Counter(self.lower.split()) if self.is_spaced else Counter[str]()
        return {word for word, _ in counts.most_common(_FREQUENT)}

    @cached_property
    def _starts(self) -> list[int]:
        """Where each line starts in `whole`, and where the next one would."""
        return [0, *accumulate(len(text) + 1 for text in self.texts)]

    def having(self, *parts: str) -> list[int]:
        """Return the indexes of the lines that contain any of some strings."""
        if parts not in self._having:
            whole, starts = self.whole, self._starts
            indexes = set()
            for part in parts:
                place = whole.find(part)
                while place >= 0:
                    index = bisect_right(starts, place) - 1
                    indexes.add(index)
                    place = whole.find(part, starts[index + 1])
            self._having[parts] = sorted(indexes)
        return self._having[parts]

    def where(self, trait: Callable[[str], object]) -> list[int]:
        """Return the indexes of the lines of which something is true."""
        if trait not in self._where:
            self._where[trait] = [index for index, text in enumerate(self.texts) if trait(text)]
        return self._where[trait]

    def matching(self, pattern: re.Pattern[str]) -> list[int]:
        """Return the indexes of the lines in which a pattern matches that few texts have."""
        return self.where(pattern.search) if pattern.search(self.whole) else []

    @cached_property
    def first_words(self) -> list[str]:
        """The first words of each line; "" for a line without others."""
        words = [text.split(None, AFFIX) for text in self.texts]
        return ["" if len(one) <= AFFIX else " ".join(one[:AFFIX]) for one in words]

    @cached_property
    def last_words(self) -> list[str]:
        """The last words of each line; "" for a line without others."""
        words = [text.rsplit(None, AFFIX) for text in self.texts]
        return ["" if len(one) <= AFFIX else " ".join(one[1:]) for one in words]

    def is_tag(self, tag: str) -> bool:
        """Return whether what looks like a tag is one: it has attributes, is closed, or need not be in HTML."""
        name = tag.strip("</>").split()[0].lower()
        return "=" in tag or "/" in tag or name in _UNCLOSED or f"</{name}" in self.lower


def lines_with(pattern: str, *parts: str) -> Callable[[Lines, Lines], Sequence[int]]:
    """Return a function that finds the lines in which a pattern matches, unless it matches in the other line, too.

    parts: strings, one of which is in every match: lines without any of them are not searched.
    """
    search = re.compile(pattern, re.MULTILINE).search

    def find(lines: Lines, others: Lines) -> Sequence[int]:
        texts, rest = lines.texts, others.texts
        # Where the other line is empty, it does not tell what belongs there
        return [n for n in lines.having(*parts) if search(texts[n]) and not search(rest[n]) and rest[n]]

    return find


def cut(text: str, place: int, size: int) -> str:
    """Return the part of a text around a place: at most `size` characters, two fifths of which precede the place.

    >>> cut("b" * 200 + "!", 200, 10), cut("b!" + "b" * 200, 1, 10), cut("b!", 1, 10)
    ('…bbbbbbbb!', 'b!bbbbbbb…', 'b!')
    """
    start = min(max(0, place - 2 * size // 5), max(0, len(text) - size))
    part = text[start : start + size]
    if start:
        part = f"…{part[1:]}"
    return part if start + size >= len(text) else f"{part[:-1]}…"
