"""Lines with no text, too much of it, or too little: how they are recognized."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from bleucli.inspection.lines import Lines
from bleucli.records import NamedTuple


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
