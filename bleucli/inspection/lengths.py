"""The likely reason why two texts have different numbers of segments."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from bleucli.errors import BleuError
from bleucli.inspection.fit import ENOUGH, RELATED, SAMPLE, TIMES_CHANCE, match_trigrams, share
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    Text = Callable[[], Iterator[Segments]]

# Lines that are this far apart are unrelated
_CHANCE_OFFSET = 7
# The search for missing lines holds this many lines at a time, and gives up if they have more than this many bytes
_BATCH_LINES, _BATCH_BYTES = 1 << 12, 1 << 22

# Characters that end a line for other tools but not here
_ODD_ENDS = {
    "\r": "a lone carriage return",
    "\x0b": "a vertical tab",
    "\x0c": "a form feed",
    "\x85": "U+0085 (next line)",
    "\u2028": "U+2028 (line separator)",
    "\u2029": "U+2029 (paragraph separator)",
}
# Compiled only when needed, since that takes time
_ODD_TEXT = f"[{''.join(_ODD_ENDS)}]"
_ODD_BYTES = [end.encode() for end in _ODD_ENDS if end != "\r"]


def mismatch_cause(
    names: tuple[str, str],
    longer: Text,
    shorter: Text,
    counts: tuple[int, int],
    locate: Callable[[], str] = lambda: "",
) -> str:
    """Return the likely reason why the second text has fewer segments than the first one, or "".

    The texts are functions that read them from their start: they are read several times, but only a small part of them
    is in memory at a time. counts: the numbers of their segments. locate: searches for several places where lines are
    missing, which takes more time and memory; returns "" if it finds none.

    Raises:
        ValueError: a text has changed in the meantime, or cannot be read.

    >>> texts = Segments.from_strings(["a", "b", "", ""]), Segments.from_strings(["a", "b"])
    >>> mismatch_cause(("ref.txt", "sys.txt"), *[lambda text=text: iter([text]) for text in texts], (4, 2))
    'the last 2 lines of ref.txt are empty'
    >>> texts = Segments.from_strings(["a", "", "b", ""]), Segments.from_strings(["a", "b"])
    >>> mismatch_cause(("ref.txt", "sys.txt"), *[lambda text=text: iter([text]) for text in texts], (4, 2))
    '2 lines of ref.txt are empty, the first of them line 2'
    """
    for name, text, count in zip(names, (longer, shorter), counts, strict=True):
        if odd_end := _odd_end(text(), name, count):
            line, what = odd_end
            return f"line {line} of {name} contains {what}, at which other tools end a line"
    missing = counts[0] - counts[1]
    if not any(_sizes(_without_first(longer(), counts[1]))):
        lines = "line" if missing == 1 else f"{missing} lines"
        return f"the last {lines} of {names[0]} {'is' if missing == 1 else 'are'} empty"
    empty, other = ([line for line, size in enumerate(_sizes(text()), 1) if not size] for text in (longer, shorter))
    if len(empty) == missing and not other:
        if missing == 1:
            return f"line {empty[0]} of {names[0]} is empty"
        return f"{missing} lines of {names[0]} are empty, the first of them line {empty[0]}"
    if places := locate():
        return places
    at = _gap(longer, shorter, counts)
    if at is None:
        return ""
    if missing == 1:
        return f"line {at + 1} of {names[0]} seems to have no counterpart in {names[1]}"
    # "About", because the missing lines may be scattered over a few lines: a single gap fits nearly as well
    return f"from about line {at + 1} on, {missing} lines of {names[0]} seem to have no counterpart in {names[1]}"


def _sizes(blocks: Iterator[Segments]) -> Iterator[int]:
    """Give the number of bytes of each line."""
    for segments in blocks:
        ends = segments.pairs.tolist()
        yield from map(int.__sub__, ends[1::2], ends[::2])


def _odd_end(blocks: Iterator[Segments], name: str, count: int) -> tuple[int, str] | None:
    """Return the first line, from 1, with a character at which other tools end a line, and the character's name."""
    before = 0
    for segments in blocks:
        data = bytes(segments.data)  # a quick check; Windows ends lines with carriage returns, which are fine
        suspicious = any(end in data for end in _ODD_BYTES) or data.count(b"\r") > data.count(b"\r\n")
        for line, text in enumerate(segments, before + 1) if suspicious else ():
            if match := re.search(_ODD_TEXT, text or ""):
                return line, _ODD_ENDS[match[0]]
        before += len(segments)
    if before != count:
        raise BleuError(f"{name} has changed since it was read; run the command again")
    return None


def _gap(longer: Text, shorter: Text, counts: tuple[int, int]) -> int | None:
    """Return where to drop lines of the longer text so that the rest fits; None if no place fits.

    The end of each batch of lines shows on which side of the gap it is: before the gap, lines match those with the same
    number; after it, they match later ones. The last batch before the gap and the next batch are then searched line by
    line.
    """
    series = [shorter(), _first(longer(), counts[1]), _without_first(longer(), counts[0] - counts[1])]
    edge: list[Sequence[Sequence[Segments]]] = []
    edge_is_whole = False
    start = 0  # of the edge
    # Matches and trigrams: of all samples in step, and of the samples before and after the edge
    in_step = before = behind = (0, 0)
    gain = most = 0
    for number, batches in enumerate(zip(*map(_batches, series), strict=True)):
        if not all(batches):
            return None
        hypotheses, *references = (_join(batch, SAMPLE) for batch in batches)
        same, moved = (_sum(match_trigrams(hypotheses, texts, 0)) for texts in references)
        gain += same[0] - moved[0]
        if gain > most:
            most, edge, edge_is_whole, start = gain, [batches], False, number * _BATCH_LINES
            before, behind = in_step, (0, 0)
        elif edge_is_whole:
            behind = _sum([behind, moved])
        else:
            edge.append(batches)
            edge_is_whole = True
        in_step = _sum([in_step, same])
    at = _gap_line([list(map(_join, batches)) for batches in edge], [before, behind])
    return None if at is None else start + at


def _gap_line(edge: Sequence[Sequence[Segments]], outside: Sequence[tuple[int, int]]) -> int | None:
    """Find the gap in a few batches; outside: matches and trigrams of the other batches, which must also fit."""
    before = [row for shorter, here, _ in edge for row in match_trigrams(shorter, here, 0)]
    behind = [row for shorter, _, there in edge for row in match_trigrams(shorter, there, 0)]
    chance = [row for shorter, here, _ in edge for row in match_trigrams(shorter, here, _CHANCE_OFFSET)]
    gains = [here[0] - there[0] for here, there in zip(before, behind, strict=True)]
    sums = [0, *accumulate(gains)]
    at = sums.index(max(sums))
    enough = max(RELATED, TIMES_CHANCE * share(chance))
    around = before[max(0, at - ENOUGH) : at], behind[at : at + ENOUGH]
    fits = all(share(rows) >= enough for rows in ([*outside, *before[:at], *behind[at:]], *around) if rows)
    return at if fits and behind[at:] else None


def _batches(blocks: Iterator[Segments]) -> Iterator[list[Segments]]:
    """Cut a text into batches of `_BATCH_LINES` lines, each in pieces; end with an empty one if one is too large."""
    batch: list[Segments] = []
    room, size = _BATCH_LINES, 0
    for block in blocks:
        rest = block
        while rest:
            part, rest = rest[:room], rest[room:]
            batch.append(part)
            room -= len(part)
            size += part.pairs[-1] - part.pairs[0]
            if size > _BATCH_BYTES:
                yield []
                return
            if not room:
                yield batch
                batch, room, size = [], _BATCH_LINES, 0
    if batch:
        yield batch


def _join(batch: Sequence[Segments], last: int = _BATCH_LINES) -> Segments:
    """Return the last lines of a batch."""
    parts: deque[Segments] = deque()
    for part in reversed(batch):
        parts.appendleft(part[-last:])
        last -= len(parts[0])
        if not last:
            break
    return Segments.from_strings([text for part in parts for text in part])


def _sum(rows: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return sum(matches for matches, _ in rows), sum(total for _, total in rows)


def _first(blocks: Iterator[Segments], count: int) -> Iterator[Segments]:
    for block in blocks:
        yield block[:count]
        count -= len(block)
        if count <= 0:
            return


def _without_first(blocks: Iterator[Segments], count: int) -> Iterator[Segments]:
    for block in blocks:
        if count < len(block):
            yield block[count:]
        count = max(0, count - len(block))
