"""Scores of all pairs of hypotheses and references, in plain Python: each text is counted once."""

from __future__ import annotations

from array import array
from collections import Counter
from math import exp, log

from bleucli.kernels.python_chrf import chrf_counts, chrf_row, f_score, squared
from bleucli.kernels.python_groups import count_ngrams
from bleucli.kernels.stopping import heed_stop
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Counted = TypeVar("Counted")
    _Grams = Counter[tuple[str, ...]]

# sacreBLEU 2.6.0 uses this as the logarithm of 0
_LOG_OF_ZERO = -9999999999.0
# The most that rounding can add to a perfect score
_ROUNDING = 1e-9


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
        return bleu_score(ours[0], theirs[0], matches, smooth_method, smooth_value, effective_order)

    return _fill(hypotheses, references, sizes, weights, scores, count, score)


def bleu_score(
    sys_len: int, ref_len: int, matches: list[int], smooth_method: str, smooth_value: float, effective_order: bool
) -> float:
    """Return the BLEU of a hypothesis in percent, from the numbers of tokens and, for each order, of matches.

    >>> round(bleu_score(4, 4, [4, 2], "exp", 0, False), 2)
    81.65
    """
    if not any(matches):  # as in sacreBLEU, whatever the smoothing
        return 0.0
    added = smooth_value if smooth_method == "add-k" else 0.0
    logarithms, zeros = [], 0
    for order, matched in enumerate(matches):
        match = matched + (added if order else 0.0)
        total = max(0, sys_len - order) + (added if order else 0.0)
        if not total:
            break
        precision = 100.0 * match / total
        if not match and smooth_method == "exp":
            zeros += 1
            precision = 100.0 / (2**zeros * total)
        elif not match and smooth_method == "floor":
            precision = 100.0 * smooth_value / total
        logarithms.append(log(precision) if precision else _LOG_OF_ZERO)
    if not effective_order:
        logarithms += [_LOG_OF_ZERO] * (len(matches) - len(logarithms))
    penalty = 1.0 if sys_len >= ref_len else exp(1 - ref_len / sys_len)
    # sum() compensates rounding errors from Python 3.12 on; bleu_score.c does the same
    score = penalty * exp(sum(logarithms) / len(logarithms))
    return 100.0 if 100.0 < score < 100.0 + _ROUNDING else score


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

    Args:
        hypotheses: n texts, group by group. A missing one counts as empty.
        references: m texts, group by group. If both are the same object, native kernels take less time.
        sizes: for each group how many hypotheses and how many references it has, as signed 64-bit integers.
        weights: m doubles; None for the scores themselves.
        scores: an array of doubles to fill: one for each pair, group by group and hypothesis by hypothesis; or, with
            weights, the sum of each hypothesis's weighted scores, added up in the order of the references.
        char_order: the longest character n-gram.
        word_order: the longest word n-gram, 0 for none.
        beta: the weight of recall relative to precision.
        whitespace: whether character n-grams include white space.
        eps_smoothing: as for `f_score`.

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
