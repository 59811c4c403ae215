"""The edits of WER and CER in plain Python: Levenshtein's distance, and what jiwer considers a word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bleucli.kernels.python_ter import DELETION, INSERTION, MATCH, SUBSTITUTION
from bleucli.kernels.stopping import heed_stop

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
        heed_stop()
        places: dict[str, int] = {}
        for row, word in enumerate(reference[start : start + STRIP]):
            places[word] = places.get(word, 0) | 1 << row
        last = min(STRIP, len(reference) - start) - 1
        rows = (2 << last) - 1  # one bit each
        plus, minus = rows, 0  # where the distance rises and falls from row to row
        for column, word in enumerate(hypothesis):
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
    return len(reference) + sum(steps)


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
    columns = list(_columns(words, targets)) if targets else []
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


def _columns(hypothesis: Sequence[str], reference: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Give, for each word of the output, in which rows of the table of distances they rise and fall; as above."""
    places: dict[str, int] = {}
    for row, word in enumerate(reference):
        places[word] = places.get(word, 0) | 1 << row
    rows = (1 << len(reference)) - 1
    plus, minus = rows, 0
    for word in hypothesis:
        heed_stop()
        equal = places.get(word, 0)
        vertical = equal | minus
        horizontal = ((equal & plus) + plus ^ plus) | equal
        up, down = (minus | rows & ~(horizontal | plus)) << 1 | 1, (plus & horizontal) << 1
        plus, minus = rows & (down | ~(vertical | up)), rows & up & vertical
        yield plus, minus
