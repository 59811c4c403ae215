"""What is likely wrong with texts that do not fit together.

- `identical`: a hypothesis that is its reference
- `shift`: a text that runs a line ahead of another from some line on
- `mismatch_cause`: why two texts have different numbers of segments
"""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from bleucli import kernels
from bleucli.segments import Segments

# Texts are compared by their character trigrams, which serves all scripts alike.
_ORDER = 3
_MATCHES, _TOTALS = 1 + _ORDER, 1 + 2 * _ORDER
# So many lines at the end of a block show whether it is shifted; fewer would be chance
_SAMPLE = 64
_ENOUGH = 16
# Shares of trigrams that match, measured on WMT's systems: a translation and its reference 0.28 (Japanese) to 0.62
# (Ukrainian), unrelated lines 0.01 (Chinese) to 0.11 (German). Above the first nobody looks further.
_SURELY_RELATED = 0.35
_RELATED = 0.15
_TIMES_CHANCE = 2
_MOST = 0.7
_OFFSETS = (1, -1, 2, -2)
# Lines so far apart are unrelated
_CHANCE_OFFSET = 7

# What ends a line for other tools but not here
_ODD_ENDS = {
    "\r": "a lone carriage return",
    "\x0b": "a vertical tab",
    "\x0c": "a form feed",
    "\x85": "U+0085 (next line)",
    "\u2028": "U+2028 (line separator)",
    "\u2029": "U+2029 (paragraph separator)",
}


def identical(left: Segments, right: Segments) -> bool:
    """Return whether all texts are the same; the first difference ends the comparison.

    >>> identical(Segments.from_strings(["a", "b"]), Segments.from_strings(["a", "b"]))
    True
    """
    return all(a == b for a, b in zip(left, right, strict=True))


def shift(hypotheses: Segments, references: Segments) -> tuple[int, int] | None:
    """Find out whether the end of a block of hypotheses fits the references better some lines on.

    Returns:
        The index of the first hypothesis that is shifted, and by how many lines its reference is further on (negative:
        back); None if all is in step.
    """
    if len(hypotheses) < _ENOUGH:
        return None
    if _share(_trigrams(hypotheses[-_ENOUGH:], references[-_ENOUGH:], 0)) >= _SURELY_RELATED:
        return None
    tail = hypotheses[-_SAMPLE:], references[-_SAMPLE:]
    in_step = _trigrams(*tail, 0)
    if _share(in_step) >= _SURELY_RELATED:
        return None
    moved = {offset: _trigrams(*tail, offset) for offset in _OFFSETS}
    offset = max(_OFFSETS, key=lambda offset: _share(moved[offset]))
    enough = max(_RELATED, _TIMES_CHANCE * _share(in_step))
    if _share(moved[offset]) < enough or not _most_gain(moved[offset], in_step[max(0, -offset) :]):
        return None
    return _first_shifted(hypotheses, references, offset), offset


def _most_gain(moved: Sequence[tuple[int, int]], in_step: Sequence[tuple[int, int]]) -> bool:
    """Return whether most lines, not just a few, match better when they are moved."""
    gains = [there[0] > here[0] for there, here in zip(moved, in_step, strict=False)]
    return sum(gains) >= _MOST * len(gains)


def _trigrams(hypotheses: Segments, references: Segments, offset: int) -> list[tuple[int, int]]:
    """Return matches and trigrams of each hypothesis against the reference `offset` lines further on."""
    if offset > 0:
        hypotheses, references = hypotheses[:-offset], references[offset:]
    elif offset < 0:
        hypotheses, references = hypotheses[-offset:], references[:offset]
    characters = kernels.tokenize_char(hypotheses), [kernels.tokenize_char(references)]
    stats = kernels.ngram_stats(*characters, _ORDER)
    return [(int(row[_MATCHES]), int(row[_TOTALS])) for row in stats]


def _share(rows: Sequence[tuple[int, int]]) -> float:
    return sum(matches for matches, _ in rows) / max(1, sum(total for _, total in rows))


def _first_shifted(hypotheses: Segments, references: Segments, offset: int) -> int:
    """Return the line from which on `offset` fits better than being in step: the largest gain in matches behind it."""
    in_step = [matches for matches, _ in _trigrams(hypotheses, references, 0)]
    moved = [matches for matches, _ in _trigrams(hypotheses, references, offset)]
    first = max(0, -offset)  # the line that moved[0] belongs to
    gains = [there - here for there, here in zip(moved, in_step[first:], strict=False)]
    behind = list(accumulate(reversed(gains)))[::-1]
    return first + behind.index(max(behind))


def mismatch_cause(names: tuple[str, str], longer: Segments, shorter: Segments) -> str:
    """Return the likely cause for the second text having fewer segments than the first one, or "".

    >>> texts = Segments.from_strings(["a", "b", "", ""]), Segments.from_strings(["a", "b"])
    >>> mismatch_cause(("ref.txt", "sys.txt"), *texts)
    'the last 2 lines of ref.txt are empty'
    """
    for name, segments in zip(names, (longer, shorter), strict=True):
        for line, what in _odd_ends(segments):
            return f"{name}, line {line} holds {what}, at which other tools end a line"
    missing = len(longer) - len(shorter)
    if not any(longer[len(shorter) :]):
        lines = "line" if missing == 1 else f"{missing} lines"
        return f"the last {lines} of {names[0]} {'is' if missing == 1 else 'are'} empty"
    at = _gap(longer, shorter)
    if at is None:
        return ""
    where = f"line {at + 1}" if missing == 1 else f"lines {at + 1} to {at + missing}"
    return f"{where} of {names[0]} seem{'s' if missing == 1 else ''} to have no counterpart in {names[1]}"


def _odd_ends(segments: Segments) -> Iterator[tuple[int, str]]:
    for line, text in enumerate(segments, 1):
        if found := re.search(f"[{''.join(_ODD_ENDS)}]", text or ""):
            yield line, _ODD_ENDS[found[0]]


def _gap(longer: Segments, shorter: Segments) -> int | None:
    """Return where lines of the longer text have to be left out for the rest to fit; None if nothing fits."""
    missing = len(longer) - len(shorter)
    before = _trigrams(shorter, longer[: len(shorter)], 0)
    behind = _trigrams(shorter, longer[missing:], 0)
    gains = [here[0] - there[0] for here, there in zip(before, behind, strict=True)]
    sums = [0, *accumulate(gains)]
    at = sums.index(max(sums))
    chance = _share(_trigrams(shorter, longer[: len(shorter)], _CHANCE_OFFSET))
    enough = max(_RELATED, _TIMES_CHANCE * chance)
    around = before[max(0, at - _ENOUGH) : at], behind[at : at + _ENOUGH]
    fits = all(_share(rows) >= enough for rows in (before[:at] + behind[at:], *around) if rows)
    return at if fits and at < len(shorter) else None
