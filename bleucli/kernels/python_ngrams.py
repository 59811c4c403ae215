"""N-grams in plain Python, and the scores that they make.

- `count_ngrams`, `score_bleu`: BLEU's; `group_stats`: those that the texts of a group share
- `chrf_counts`, `chrf_row`, `f_score`: chrF's (Popović 2015, 2017)
- `pairwise_bleu`, `pairwise_chrf`: scores of all pairs of texts, each of which is counted once
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate
from math import exp, isfinite, log

from bleucli.kernels.stats import SegmentStats
from bleucli.kernels.stopping import PIECE, heed_stop, pieces
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Item = TypeVar("Item")
    Counted = TypeVar("Counted")
    _Grams = Counter[tuple[str, ...]]
    # The highest count of an n-gram in any text, the highest in any other text, and which text has the highest
    Most = dict[tuple[str, ...], tuple[int, int, int]]

Gram = str | tuple[str, ...]

# Popović's chrF++.py: the value of an undefined precision, recall or F-score
EPSILON = 1e-16
# ASCII punctuation, written out because `string` would load two modules
_PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
# sacreBLEU 2.6.0 uses this as the logarithm of 0
_LOG_OF_ZERO = -9999999999.0
# The most that rounding can add to a perfect score
_ROUNDING = 1e-9


def count_items(items: Iterable[Item], most: int) -> Counter[Item]:
    """Count items as `Counter` does; if there may be many (`most`), check now and then whether to stop."""
    if most <= PIECE:
        return Counter(items)
    counter: Counter[Item] = Counter()
    for piece in pieces(items):
        counter.update(piece)
    return counter


def count_ngrams(tokens: list[str], order: int) -> Counter[tuple[str, ...]]:
    """Count the n-grams of an order.

    >>> count_ngrams(["a", "b", "a", "b"], 2)
    Counter({('a', 'b'): 2, ('b', 'a'): 1})
    """
    return count_items(zip(*(tokens[start:] for start in range(order)), strict=False), len(tokens))


def score_bleu(
    sys_len: int,
    ref_len: int,
    matches: Sequence[int],
    totals: Sequence[int],
    smooth_method: str,
    smooth_value: float,
    effective_order: bool,
) -> tuple[float, float, list[float]]:
    """Return BLEU in percent, the brevity penalty, and the precisions before the first order that has no n-grams.

    >>> score_bleu(5, 5, [3, 0, 0], [5, 4, 0], "exp", 0.0, True)[1:]
    (1.0, [60.0, 12.5])
    """
    penalty = 1.0 if sys_len >= ref_len else exp(1 - ref_len / sys_len) if sys_len else 0.0
    if not any(matches):  # as in sacreBLEU, whatever the smoothing
        return 0.0, penalty, []
    precisions: list[float] = []
    zeros = 0
    for order, counts in enumerate(zip(matches, totals, strict=True)):
        added = smooth_value if smooth_method == "add-k" and order else 0
        match, total = (number + added for number in counts)
        if not total:
            break
        precision = 100.0 * match / total
        if not match and smooth_method == "exp":
            zeros += 1
            precision = 100.0 / (2**zeros * total)
        elif not match and smooth_method == "floor":
            precision = 100.0 * smooth_value / total
        precisions.append(precision)
    logarithms = [log(precision) if precision else _LOG_OF_ZERO for precision in precisions]
    if not effective_order:
        logarithms += [_LOG_OF_ZERO] * (len(matches) - len(precisions))
    # sum() compensates rounding errors from Python 3.12 on; bleu_score.c does the same
    score = penalty * exp(sum(logarithms) / len(logarithms))
    return 100.0 if 100.0 < score < 100.0 + _ROUNDING else score, penalty, precisions


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

    lengths: of all texts, ascending. length: one of them, which is skipped once.

    >>> _closest([1, 2, 3], 2), _closest([1, 2, 2], 2), _closest([1, 3], 3), _closest([3], 3)
    (1, 2, 1, 0)
    """
    from bisect import bisect_left

    place = bisect_left(lengths, length)
    others = lengths[max(0, place - 1) : place] + lengths[place + 1 : place + 2]
    return min(others, key=lambda other: abs(other - length), default=0)


# --- chrF


def chrf_row(hypothesis: list[Counter[Gram]], reference: list[Counter[Gram]]) -> list[int]:
    """Return `hyp_count, ref_count, match` for each order of two texts that `chrf_counts` counted.

    >>> chrf_row([Counter("aab")], [Counter("ab")])
    [3, 2, 2]
    """
    row = []
    for ours, theirs in zip(hypothesis, reference, strict=True):
        ref_count = theirs.total()
        match = sum([min(count, theirs[gram]) for gram, count in ours.items() if gram in theirs])
        row += [ours.total() if ref_count else 0, ref_count, match]
    return row


def chrf_counts(text: str, char_order: int, word_order: int, whitespace: bool) -> list[Counter[Gram]]:
    """Count the character n-grams of a text, then its word n-grams, with one counter per order.

    >>> chrf_counts("ab a", 1, 1, False)
    [Counter({'a': 2, 'b': 1}), Counter({('ab',): 1, ('a',): 1})]
    """
    characters = text if whitespace else "".join(text.split())
    words = [part for word in text.split() for part in _without_edge_punctuation(word)] if word_order else []
    counts: list[Counter[Gram]] = [_character_grams(characters, order) for order in range(1, char_order + 1)]
    return counts + [
        count_items(zip(*(words[start:] for start in range(order)), strict=False), len(words))
        for order in range(1, word_order + 1)
    ]


def _character_grams(characters: str, order: int) -> Counter[Gram]:
    starts = range(len(characters) - order + 1)
    if len(starts) <= PIECE:
        return Counter([characters[start : start + order] for start in starts])
    counter: Counter[Gram] = Counter()
    for piece in pieces(starts):
        counter.update([characters[start : start + order] for start in piece])
    return counter


def _without_edge_punctuation(word: str) -> list[str]:
    """Cut one punctuation character off the end of a word, or else off its beginning.

    >>> _without_edge_punctuation("(hi)"), _without_edge_punctuation("(hi"), _without_edge_punctuation(".")
    (['(hi', ')'], ['(', 'hi'], ['.'])
    """
    if len(word) > 1 and word[-1] in _PUNCTUATION:
        return [word[:-1], word[-1]]
    if len(word) > 1 and word[0] in _PUNCTUATION:
        return [word[0], word[1:]]
    return [word]


def f_score(stats: Sequence[int | float], beta: float, eps_smoothing: bool, /) -> float:
    """Return the F-score in percent (Popović 2015, equation 1; 2017 for several kinds of n-grams).

    Args:
        stats: `hyp_count, ref_count, match` for each order, one after the other.
        beta: the weight of recall relative to precision.
        eps_smoothing: average the F-scores of all orders, with 1e-16 for undefined ones; otherwise, average precision
            and recall over the orders that both texts have.

    The order of evaluation is part of the definition: the last bit decides ties between references.

    Raises:
        ValueError: there are not three statistics for each order, one of them is negative or not finite, or beta is not
            finite.
        OverflowError: a statistic, or the square of beta, does not fit into a double.

    >>> f_score([2, 3, 2, 1, 2, 1], 2, False)
    63.636363636363626
    """
    if len(stats) == 0 or len(stats) % 3:  # NumPy's arrays have no truth value
        raise ValueError(f"{len(stats)} statistics; expected three for each order")
    factor = squared(beta)
    counts = array("d", list(stats))
    if min(counts) < 0.0 or not all(map(isfinite, counts)):
        raise ValueError("counts are negative or not finite")
    orders = zip(counts[::3], counts[1::3], counts[2::3], strict=True)
    if eps_smoothing:
        scores = 0.0
        for order in orders:  # not sum(), which rounds differently from Python 3.12 on
            scores += _smooth(factor, *order)
        return 100 * scores / (len(stats) // 3)
    precision = recall = 0.0
    effective = 0
    for hyp_count, ref_count, match in orders:
        if hyp_count and ref_count:
            precision += match / hyp_count
            recall += match / ref_count
            effective += 1
    if effective == 0:
        return 0.0
    precision /= effective
    recall /= effective
    denominator = factor * precision + recall
    return 100 * ((1 + factor) * precision * recall / denominator) if denominator > 0 else 0.0


def squared(beta: float) -> float:
    """Return the weight of recall, by Python's power: a product may differ in the last bit, which decides ties.

    Raises:
        ValueError: beta is not finite.
        OverflowError: its square does not fit into a double.
    """
    square: float = beta**2.0
    if not isfinite(square):
        raise ValueError("beta is not finite")
    return square


def _smooth(factor: float, hyp_count: float, ref_count: float, match: float) -> float:
    precision = match / hyp_count if hyp_count > 0 else EPSILON
    recall = match / ref_count if ref_count > 0 else EPSILON
    denominator = factor * precision + recall
    return (1 + factor) * precision * recall / denominator if denominator > 0 else EPSILON


# --- pairs


def pairwise_bleu(
    hypotheses: Segments,
    references: Segments,
    sizes: array[int] | memoryview[int],
    weights: array[float] | memoryview[float] | None,
    scores: array[float] | memoryview[float],
    max_order: int,
    smooth_method: str,
    smooth_value: float,
    effective_order: bool,
    /,
) -> array[float] | memoryview[float]:
    """Score each hypothesis of a group against each of its references by sentence BLEU.

    Args:
        hypotheses: n texts, group by group; tokens are what white space separates. A missing one counts as empty.
        references: m texts, group by group. If both are the same object, native kernels take less time.
        sizes: for each group how many hypotheses and how many references it has, as signed 64-bit integers.
        weights: m doubles; None for the scores themselves.
        scores: an array of doubles to fill: one for each pair, group by group and hypothesis by hypothesis; or, with
            weights, the sum of each hypothesis's weighted scores, added up in the order of the references.
        max_order: N, the longest n-gram.
        smooth_method: `exp`, `floor`, `add-k` or `none`.
        smooth_value: the value for `floor` and `add-k`.
        effective_order: leave out the orders that a hypothesis is too short for.

    Returns:
        `scores`.

    >>> texts = Segments.from_strings(["a b c", "a b d"])
    >>> pairwise_bleu(texts, texts, array("q", [2, 2]), None, array("d", bytes(32)), 2, "exp", 0, False).tolist()
    [100.0, 57.73502691896257, 57.73502691896257, 100.0]
    """
    if max_order < 1:
        raise ValueError(f"max_order {max_order}; expected at least 1")
    if smooth_method not in ("exp", "floor", "add-k", "none"):
        raise ValueError(f"smoothing {smooth_method}; expected exp, floor, add-k or none")

    def count(text: str) -> tuple[int, list[_Grams]]:
        tokens = text.split()
        return len(tokens), [count_ngrams(tokens, order) for order in range(1, max_order + 1)]

    def score(ours: tuple[int, list[_Grams]], theirs: tuple[int, list[_Grams]]) -> float:
        matches = [(one & other).total() for one, other in zip(ours[1], theirs[1], strict=True)]
        totals = [max(0, ours[0] - order) for order in range(max_order)]
        return score_bleu(ours[0], theirs[0], matches, totals, smooth_method, smooth_value, effective_order)[0]

    return _fill(hypotheses, references, sizes, weights, scores, count, score)


def pairwise_chrf(
    hypotheses: Segments,
    references: Segments,
    sizes: array[int] | memoryview[int],
    weights: array[float] | memoryview[float] | None,
    scores: array[float] | memoryview[float],
    char_order: int,
    word_order: int,
    beta: float,
    whitespace: bool,
    eps_smoothing: bool,
    /,
) -> array[float] | memoryview[float]:
    """Score each hypothesis of a group against each of its references by chrF.

    The first five arguments are those of `pairwise_bleu`, all others those of `chrf_stats`.

    Returns:
        `scores`.

    >>> hypotheses, references = Segments.from_strings(["ab", "b"]), Segments.from_strings(["ab"])
    >>> sizes = array("q", [2, 1])
    >>> pairwise_chrf(hypotheses, references, sizes, None, array("d", [0, 0]), 2, 0, 2, False, False).tolist()
    [100.0, 55.55555555555556]
    """
    if char_order < 0 or word_order < 0 or char_order + word_order < 1:
        raise ValueError(f"orders {char_order} and {word_order}; expected at least one n-gram")
    squared(beta)  # raises if it is not finite
    return _fill(
        hypotheses,
        references,
        sizes,
        weights,
        scores,
        lambda text: chrf_counts(text, char_order, word_order, whitespace),
        lambda hypothesis, reference: f_score(chrf_row(hypothesis, reference), beta, eps_smoothing),
    )


def _fill(
    hypotheses: Segments,
    references: Segments,
    sizes: array[int] | memoryview[int],
    weights: array[float] | memoryview[float] | None,
    scores: array[float] | memoryview[float],
    count: Callable[[str], Counted],
    score: Callable[[Counted, Counted], float],
) -> array[float] | memoryview[float]:
    """Score the pairs of all groups; `count` is called once for each text, `score` for each pair."""
    groups = list(zip(sizes[::2], sizes[1::2], strict=False))
    # (0, 0) makes two sums even without groups
    totals = [sum(side) for side in zip((0, 0), *groups, strict=True)]
    if len(sizes) % 2 or min(sizes, default=0) < 0 or totals != [len(hypotheses), len(references)]:
        raise ValueError("sizes do not add up to the number of texts")
    if weights is not None and len(weights) != len(references):
        raise ValueError("weights are not one double per reference")
    if len(scores) != (sum(n * m for n, m in groups) if weights is None else len(hypotheses)):
        raise ValueError("scores have the wrong length; expected one per pair or, with weights, per hypothesis")
    first = start = place = 0
    for n, m in groups:
        others = []
        for index in range(start, start + m):
            heed_stop()
            others.append(count(references[index] or ""))
        for index in range(first, first + n):
            ours, total = count(hypotheses[index] or ""), 0.0
            for number, theirs in enumerate(others, start):
                heed_stop()
                value = score(ours, theirs)
                if weights is None:
                    scores[place] = value
                    place += 1
                else:
                    total += weights[number] * value
            if weights is not None:
                scores[index] = total
        first, start = first + n, start + m
    return scores
