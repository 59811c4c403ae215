"""TER's edits in plain Python (Snover et al. 2006), with the limits of the program tercom as in sacreBLEU."""

from __future__ import annotations

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
        distance, operations = edit_distance(words, reference)
        best, best_words = _NO_GAIN, words
        for size, start, target, shifted in _candidates(words, reference, operations):
            if size == 0:  # tercom checks the limit only after all targets of a phrase
                if tried >= MAX_CANDIDATES:
                    break
                continue
            tried += 1
            gain = distance - edit_distance(shifted, reference)[0]
            if (gain, size, -start, -target) > best:
                best, best_words = (gain, size, -start, -target), shifted
        # Quirk: at the limit, tercom drops even the best shift of this round
        if tried >= MAX_CANDIDATES or best[0] <= 0:
            return shifts, operations
        _, size, start, target = best
        shifts.append(Shift(-start, size, -target, best_words))
        words = best_words


def edit_distance(hypothesis: Sequence[str], reference: Sequence[str]) -> tuple[int, list[int]]:
    """Return the Levenshtein distance within a beam along the diagonal, and its operations in order.

    >>> edit_distance(["a", "x"], ["a", "b", "c"])
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
