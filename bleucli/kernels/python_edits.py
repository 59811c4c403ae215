"""The edits of WER and CER in plain Python: Levenshtein's distance, and what jiwer considers a word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf

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


def trace_distance(hypothesis: Sequence[str], reference: Sequence[str], most: int) -> list[int]:
    """Return operations that turn one text into the other with the fewest edits, numbered as in TER.

    Of all ways with the fewest edits, the result is one with the most matches. most: the number of edits, or an upper
    bound. A path with that many edits strays at most that far from the diagonal, so only this band is searched (Ukkonen
    1985).

    >>> trace_distance("a x c d".split(), "a b c".split(), 2) == [MATCH, SUBSTITUTION, MATCH, DELETION]
    True
    >>> trace_distance("o m t a".split(), "o t m".split(), 3).count(MATCH)
    2
    """
    # Each match reduces the cost by 1; an edit costs more than all matches save together
    edit = float(1 + min(len(hypothesis), len(reference)))
    first, above = 0, [edit * column for column in range(min(most, len(reference)) + 1)]
    table = [(first, bytes([INSERTION] * len(above)))]
    for row, word in enumerate(hypothesis, 1):
        heed_stop()
        start, end = max(0, row - most), min(len(reference), row + most)
        costs: list[float] = []
        operations = bytearray()
        for column in range(start, end + 1):
            same = column > 0 and word == reference[column - 1]
            choices = (
                above[column - 1 - first] + (-1 if same else edit) if column > first else inf,
                above[column - first] + edit if column - first < len(above) else inf,
                costs[-1] + edit if costs else inf,
            )
            costs.append(min(choices))
            operations.append((MATCH if same else SUBSTITUTION, DELETION, INSERTION)[choices.index(costs[-1])])
        table.append((start, bytes(operations)))
        first, above = start, costs
    row, column = len(hypothesis), len(reference)
    found = []
    while row or column:
        start, codes = table[row]
        operation = codes[column - start]
        found.append(operation)
        row -= operation != INSERTION
        column -= operation != DELETION
    return found[::-1]
