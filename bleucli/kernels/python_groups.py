"""Word n-grams in plain Python, and those that the texts of a group share."""

from __future__ import annotations

from array import array
from collections import Counter
from itertools import accumulate

from bleucli.kernels.python_chrf import count_items
from bleucli.kernels.stats import SegmentStats
from bleucli.kernels.stopping import heed_stop
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    # The highest count of an n-gram in any text, the highest in any other text, and which text has the highest
    Most = dict[tuple[str, ...], tuple[int, int, int]]


def count_ngrams(tokens: list[str], order: int) -> Counter[tuple[str, ...]]:
    """Count the n-grams of an order.

    >>> count_ngrams(["a", "b", "a", "b"], 2)
    Counter({('a', 'b'): 2, ('b', 'a'): 1})
    """
    return count_items(zip(*(tokens[start:] for start in range(order)), strict=False), len(tokens))


def group_stats(
    texts: Segments, groups: array[int] | memoryview[int], max_order: int, /
) -> tuple[SegmentStats, SegmentStats]:
    """Count the n-grams of each text, those that other texts of its group contain, and the distinct ones of each group.

    Args:
        texts: n of them, group by group; tokens are what white space separates. A missing one counts as empty.
        groups: the number of texts in each of the g groups, as signed 64-bit integers.
        max_order: N, the longest n-gram.

    Returns:
        n rows, the same as those of `ngram_stats` with all other texts of the group as references, but in linear time;
            and g rows with the numbers of distinct n-grams, from order 1 to N.

    >>> texts = Segments.from_strings(["a b", "a b c", "a"])
    >>> rows, distinct = group_stats(texts, array("q", [3]), 2)
    >>> list(rows), list(distinct)
    ([(2, 1, 2, 1, 2, 1), (3, 2, 2, 1, 3, 2), (1, 2, 1, 0, 1, 0)], [(3, 2)])
    """
    if max_order < 1:
        raise ValueError(f"max_order {max_order}; expected at least 1")
    if min(groups, default=0) < 0 or sum(groups) != len(texts):
        raise ValueError("groups do not add up to the number of texts")
    rows, distinct = array("q"), array("q")
    for end, size in zip(accumulate(groups), groups, strict=True):
        group = [(texts[index] or "").split() for index in range(end - size, end)]
        lengths = sorted(map(len, group))
        most = [_most(group, order) for order in range(1, max_order + 1)]
        for number, tokens in enumerate(group):
            rows.extend((len(tokens), _closest(lengths, len(tokens))))
            rows.extend(_matches(tokens, order, number, counts) for order, counts in enumerate(most, 1))
            rows.extend(max(0, len(tokens) - order + 1) for order in range(1, max_order + 1))
        distinct.extend(map(len, most))
    return SegmentStats(memoryview(rows), 2 + 2 * max_order), SegmentStats(memoryview(distinct), max_order)


def _most(group: list[list[str]], order: int) -> Most:
    most: Most = {}
    for number, tokens in enumerate(group):
        heed_stop()
        for gram, count in count_ngrams(tokens, order).items():
            highest, second, holder = most.get(gram, (0, 0, -1))
            # On a tie, the second is as high as the highest, so it does not matter which text is the holder
            most[gram] = (count, highest, number) if count > highest else (highest, max(second, count), holder)
    return most


def _matches(tokens: list[str], order: int, number: int, most: Most) -> int:
    """Count the n-grams of a text that others have, each at most as often as a single other text has it."""
    heed_stop()
    matches = 0
    for gram, count in count_ngrams(tokens, order).items():
        highest, second, holder = most[gram]
        matches += min(count, second if holder == number else highest)
    return matches


def _closest(lengths: list[int], length: int) -> int:
    """Return the closest of the other lengths, the shorter of two equally close ones; 0 if there is none.

    Args:
        lengths: the lengths of all texts, ascending.
        length: one of them, which is skipped once.

    >>> _closest([1, 2, 3], 2), _closest([1, 2, 2], 2), _closest([1, 3], 3), _closest([3], 3)
    (1, 2, 1, 0)
    """
    from bisect import bisect_left

    place = bisect_left(lengths, length)
    others = lengths[max(0, place - 1) : place] + lengths[place + 1 : place + 2]
    return min(others, key=lambda other: abs(other - length), default=0)
