"""Edits in plain Python: TER's, and those of WER and CER.

- `ter_edits`, `trace_edits` and the like: TER (Snover et al. 2006), with the limits of tercom, as in sacreBLEU
- `edited_words`, `edit_distance`, `trace_distance`: Levenshtein's distance, and what jiwer considers a word
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import ceil, floor, inf

from bleucli.kernels.stopping import heed_stop
from bleucli.records import NamedTuple

# tercom: the most words that a shift may move, the farthest that it may move them, the most shifts that are tried in
# all rounds together, and half the width of the beam
MAX_SHIFT_SIZE = 10
MAX_SHIFT_DISTANCE = 50
MAX_CANDIDATES = 1000
BEAM_WIDTH = 25

NAMES = ("match", "substitution", "deletion", "insertion")
MATCH, SUBSTITUTION, DELETION, INSERTION = range(len(NAMES))
_NO_GAIN = (0, 0, 0, 0)


class Shift(NamedTuple):
    """A phrase that was moved: its start, its size, and the word that it now precedes; words: the text afterwards."""

    start: int
    size: int
    target: int
    words: list[str]


def ter_edits(hypothesis: Sequence[str], reference: Sequence[str]) -> int:
    """Return the edits that turn one text into the other: shifts of phrases, then insertions, deletions, substitutions.

    >>> ter_edits("b a c".split(), "a b c d".split())
    2
    """
    shifts, operations = trace_edits(hypothesis, reference)
    return len(shifts) + sum([operation != MATCH for operation in operations])


def ter_kinds_of_pair(hypothesis: Sequence[str], reference: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers of hits, substitutions, deletions, insertions and shifts among these edits.

    >>> ter_kinds_of_pair("b a c".split(), "a b c d".split())
    (3, 0, 0, 1, 1)
    """
    shifts, operations = trace_edits(hypothesis, reference)
    return (*map(operations.count, (MATCH, SUBSTITUTION, DELETION, INSERTION)), len(shifts))


def trace_edits(hypothesis: Sequence[str], reference: Sequence[str]) -> tuple[list[Shift], list[int]]:
    """Return the shifts, one after the other, and the operations that then turn one text into the other.

    >>> shifts, operations = trace_edits("b a c".split(), "a b c d".split())
    >>> shifts, [NAMES[operation] for operation in operations]
    ([Shift(start=1, size=1, target=0, words=['a', 'b', 'c'])], ['match', 'match', 'match', 'insertion'])
    """
    if not reference:
        return [], [DELETION] * len(hypothesis)
    words = list(hypothesis)
    shifts: list[Shift] = []
    tried = 0
    while True:
        distance, operations = beam_distance(words, reference)
        best, best_words = _NO_GAIN, words
        for size, start, target, shifted in _candidates(words, reference, operations):
            if size == 0:  # tercom checks the limit only after all targets of a phrase
                if tried >= MAX_CANDIDATES:
                    break
                continue
            tried += 1
            gain = distance - beam_distance(shifted, reference)[0]
            if (gain, size, -start, -target) > best:
                best, best_words = (gain, size, -start, -target), shifted
        # Quirk: at the limit, tercom drops even the best shift of this round
        if tried >= MAX_CANDIDATES or best[0] <= 0:
            return shifts, operations
        _, size, start, target = best
        shifts.append(Shift(-start, size, -target, best_words))
        words = best_words


def beam_distance(hypothesis: Sequence[str], reference: Sequence[str]) -> tuple[int, list[int]]:
    """Return the Levenshtein distance within a beam along the diagonal, and its operations in order.

    >>> beam_distance(["a", "x"], ["a", "b", "c"])
    (2, [0, 3, 1])
    """
    width = len(reference) + 1
    if not hypothesis:
        return len(reference), [INSERTION] * len(reference)
    ratio = len(reference) / len(hypothesis)
    # If the reference is much longer, a wider beam, so that the columns of neighbouring rows overlap
    half = ceil(ratio / 2 + BEAM_WIDTH) if ratio / 2 > BEAM_WIDTH else BEAM_WIDTH
    above: list[float] = list(range(width))
    table = [[INSERTION] * width]
    for row, word in enumerate(hypothesis, 1):
        heed_stop()
        middle = floor(row * ratio)
        # The last row is filled to its end, where the distance is
        end = width if row == len(hypothesis) else min(width, middle + half)
        costs: list[float] = [inf] * width
        operations = [DELETION] * width
        for column in range(max(0, middle - half), end):
            if column == 0:
                costs[0] = above[0] + 1
                continue
            same = word == reference[column - 1]
            choices = (above[column - 1] + (not same), above[column] + 1, costs[column - 1] + 1)
            costs[column] = min(choices)
            operations[column] = (SUBSTITUTION - same, DELETION, INSERTION)[choices.index(costs[column])]
        above = costs
        table.append(operations)
    return int(above[-1]), _backtrace(table)


def _backtrace(table: list[list[int]]) -> list[int]:
    row, column = len(table) - 1, len(table[0]) - 1
    operations = []
    while row or column:
        operation = table[row][column]
        operations.append(operation)
        row -= operation != INSERTION
        column -= operation != DELETION
    return operations[::-1]


def _candidates(
    words: list[str], reference: Sequence[str], operations: list[int]
) -> Iterator[tuple[int, int, int, list[str]]]:
    """Give each shift worth trying: its size, start and target, and the words after the shift.

    A size of 0 marks the end of a phrase's targets.
    """
    aligned, word_errors, reference_errors = _alignment(operations)
    for start, at, size in _common_phrases(words, reference):
        # tercom moves only phrases with an error, to places with an error, and not into themselves
        if not any(word_errors[start : start + size]) or not any(reference_errors[at : at + size]):
            continue
        if start <= aligned[at] < start + size:
            continue
        previous = None
        for place in range(at - 1, at + size):
            target = 0 if place == -1 else aligned[place] + 1
            if target != previous:
                yield size, start, target, shift_words(words, start, size, target)
            previous = target
        yield 0, 0, 0, []


def _alignment(operations: list[int]) -> tuple[list[int], list[bool], list[bool]]:
    """Return the word that each reference word is aligned with, and which words and reference words are edited."""
    aligned: list[int] = []
    word_errors: list[bool] = []
    reference_errors: list[bool] = []
    for operation in operations:
        if operation != INSERTION:
            word_errors.append(operation != MATCH)
        if operation != DELETION:
            aligned.append(len(word_errors) - 1)
            reference_errors.append(operation != MATCH)
    return aligned, word_errors, reference_errors


def _common_phrases(words: Sequence[str], reference: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Give each phrase that both texts have: its start in each text, and its size."""
    for start in range(len(words)):
        first = max(0, start - MAX_SHIFT_DISTANCE)
        for at in range(first, min(len(reference), start + MAX_SHIFT_DISTANCE + 1)):
            size = 0
            while (
                size < MAX_SHIFT_SIZE
                and start + size < len(words)
                and at + size < len(reference)
                and words[start + size] == reference[at + size]
            ):
                size += 1
                yield start, at, size


def shift_words(words: list[str], start: int, size: int, target: int) -> list[str]:
    """Return the words with the phrase words[start : start + size] moved to the target.

    >>> shift_words(list("abcde"), 3, 2, 1), shift_words(list("abcde"), 0, 2, 4), shift_words(list("abcde"), 0, 2, 1)
    (['a', 'd', 'e', 'b', 'c'], ['c', 'd', 'a', 'b', 'e'], ['c', 'a', 'b', 'd', 'e'])
    """
    phrase = words[start : start + size]
    if target < start:
        return words[:target] + phrase + words[target:start] + words[start + size :]
    if target > start + size:
        return words[:start] + words[start + size : target] + phrase + words[target:]
    # Quirk: for a target within the phrase, tercom moves the phrase target - start words to the right
    behind = size + target
    return words[:start] + words[start + size : behind] + phrase + words[behind:]


# --- WER and CER

# The number of reference words that are compared at once, with one bit for each
STRIP = 1024


def edited_words(text: str) -> list[str]:
    r"""Return the words of a text.

    Quirk: jiwer splits at a space, or at any white space of at least two characters; a single tab or no-break space is
    part of the word.

    >>> edited_words(" a  b\tc\t\td\t"), edited_words("")
    (['a', 'b\tc', 'd'], [])
    """
    words = re.sub(r"\s\s+", " ", text).strip()
    return words.split(" ") if words else []


def edit_distance(hypothesis: Sequence[str], reference: Sequence[str]) -> int:
    """Return the fewest insertions, deletions and substitutions that turn one text into the other (Levenshtein 1966).

    In the table of distances between all prefixes of both texts, neighbours differ by at most one, so bits can hold the
    differences, and one addition fills a column (Myers 1999, Hyyrö 2003). The table has one row for each word of the
    reference. It is filled strip by strip, which bounds the memory for the bits. A strip passes its `steps` on to the
    next one: for each word of the hypothesis, by how much the word changes the distance in the last row.

    >>> edit_distance("a x c d".split(), "a b c".split())
    2
    """
    steps = [1] * len(hypothesis)  # above the first row, where each word is one more deletion
    for start in range(0, len(reference), STRIP):
        for _ in _columns(hypothesis, reference[start : start + STRIP], steps):
            pass
    return len(reference) + sum(steps)


def _columns(hypothesis: Sequence[str], strip: Sequence[str], steps: list[int]) -> Iterator[tuple[int, int]]:
    """Give, for each word of the output, in which rows of a strip the distance rises and falls; pass on the steps."""
    places: dict[str, int] = {}
    for row, word in enumerate(strip):
        places[word] = places.get(word, 0) | 1 << row
    last = len(strip) - 1
    rows = (2 << last) - 1  # one bit each
    plus, minus = rows, 0
    for column, word in enumerate(hypothesis):
        heed_stop()
        step = steps[column]
        equal = places.get(word, 0)
        vertical = equal | minus
        equal |= step < 0  # a falling distance above the strip acts like a match in its first row
        # The carry of a match runs through all following rows in which the distance rises
        horizontal = ((equal & plus) + plus ^ plus) | equal
        up, down = minus | rows & ~(horizontal | plus), plus & horizontal
        steps[column] = (up >> last & 1) - (down >> last & 1)
        up, down = up << 1 | (step > 0), down << 1 | (step < 0)
        plus, minus = rows & (down | ~(vertical | up)), rows & up & vertical
        yield plus, minus


def trace_distance(hypothesis: Sequence[str], reference: Sequence[str]) -> list[int]:
    """Return operations that turn one text into the other with the fewest edits, numbered as in TER.

    Several ways may have as few edits. This one is jiwer's, so that the numbers of its substitutions, deletions and
    insertions are the same: read from the end, a word of the reference is left out wherever that is one of the ways,
    and a word of the output is extra only where nothing else is.

    >>> trace_distance("a x c d".split(), "a b c".split()) == [MATCH, SUBSTITUTION, MATCH, DELETION]
    True
    >>> trace_distance("b a".split(), "a b".split()) == [DELETION, MATCH, INSERTION]
    True
    """
    start, end = 0, 0  # words that both texts begin or end with are matches
    least = min(len(hypothesis), len(reference))
    while start < least and hypothesis[start] == reference[start]:
        start += 1
    while end < least - start and hypothesis[-1 - end] == reference[-1 - end]:
        end += 1
    words, targets = hypothesis[start : len(hypothesis) - end], reference[start : len(reference) - end]
    columns = list(_columns(words, targets, [1] * len(words))) if targets else []
    row, column = len(targets), len(words)
    operations = [MATCH] * end
    while row and column:
        plus, _ = columns[column - 1]
        if plus >> (row - 1) & 1:  # the distance rises in this row
            operations.append(INSERTION)
            row -= 1
            continue
        column -= 1
        if column and columns[column - 1][1] >> (row - 1) & 1:  # it falls in the column before
            operations.append(DELETION)
            continue
        row -= 1
        operations.append(MATCH if words[column] == targets[row] else SUBSTITUTION)
    return [*[MATCH] * start, *[INSERTION] * row, *[DELETION] * column, *reversed(operations)]
