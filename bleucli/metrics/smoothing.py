"""BLEU's smoothing methods, which replace the precision of an order without a match (Chen & Cherry 2014).

Those of sacreBLEU replace single precisions (`Smoothing.precisions`); the others give all of them (`Smoothing.smooth`).
"""

from __future__ import annotations

from math import log

from bleucli.errors import BleuError, SegmentError
from bleucli.limits import read_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# sacreBLEU 2.6.0: the methods, and the default values of those that have one
SACREBLEU_METHODS = ("exp", "floor", "add-k", "none")
_CHEN_CHERRY = "chen-cherry-"
METHODS = (*SACREBLEU_METHODS, "add-one", *(f"{_CHEN_CHERRY}{number}" for number in range(1, 8)))
DEFAULT_VALUES = {"floor": 0.1, "add-k": 1.0}
# sacreBLEU 1.3.1 to 1.4.14
_FORMER_DEFAULTS = {"floor": "0", "add-k": "1"}
LARGEST_VALUE = 1e100  # far below where precisions overflow
# Chen & Cherry's techniques that are defined only for single segments; their precisions may exceed 1
_OF_ONE_SEGMENT = (5, 6, 7)

# Section 3 of their paper, with the conventions of NLTK 3.10's `SmoothingFunction`
# Techniques that average neighbours use the precision of order 5, even if the longest order is another one
FIFTH = 5
AVERAGING = (5, 7)
# The sixth smooths from this order on
INTERPOLATED = 3
# NLTK's defaults: the matches that the first puts in place of 0, the constant of the fourth, the weight of the sixth
EPSILON = 0.1
LENGTH_FACTOR = 5
PRIOR_WEIGHT = 5


class Smoothing:
    """A smoothing method with its value.

    Args:
        method: one of `METHODS`.
        value: the number with which `floor` replaces 0 matches, or which `add-k` adds; None for the method's default.
            Other methods ignore it.

    Attributes:
        gives_all: whether it gives all precisions, even of orders with matches, so that effective order has no effect.
        of_one_segment: whether it is defined only for single segments.
        may_exceed: whether a precision may exceed 1.

    >>> Smoothing("floor").signature
    'floor[0.10]'
    >>> Smoothing("exp").precisions([3, 0, 0], [5, 4, 3])
    [60.0, 12.5, 8.333333333333334]
    """

    def __init__(self, method: str, value: float | None = None) -> None:
        default = DEFAULT_VALUES.get(method)
        self.method = method
        self.value = 0.0 if default is None else default if value is None else value
        self.signature = method if default is None else f"{method}[{_decimals(self.value)}]"
        self._technique = int(method.removeprefix(_CHEN_CHERRY)) if method.startswith(_CHEN_CHERRY) else 0
        self.gives_all = method not in SACREBLEU_METHODS
        self.of_one_segment = self.may_exceed = self._technique in _OF_ONE_SEGMENT

    @classmethod
    def parse(cls, text: str) -> Smoothing:
        """Return the smoothing that a signature names, even one of sacreBLEU 1.x (`floor.0.01`).

        Raises:
            BleuError: there is no such smoothing, or its value is missing.

        >>> Smoothing.parse("floor[0.1]").signature, Smoothing.parse("floor.0.01").signature
        ('floor[0.10]', 'floor[0.01]')
        """
        method, _, rest = text.replace(".", "[", 1).partition("[") if "[" not in text else text.partition("[")
        try:
            value = read_number(rest.removesuffix("]")) if rest else None
        except ValueError:
            method = ""
        if method not in METHODS or not 0 <= (value or 0) <= LARGEST_VALUE:
            raise BleuError(
                f"smooth:{text} in the signature is not a known smoothing; expected one such as exp or floor[0.10]"
            )
        if rest and method not in DEFAULT_VALUES:
            raise BleuError(f"smooth:{text} in the signature, but {method} takes no value; write smooth:{method}")
        if value is None and method in DEFAULT_VALUES:
            raise BleuError(
                f"smooth:{text} in the signature lacks the value, which sacreBLEU did not sign before 1.5 (its"
                f" default was {_FORMER_DEFAULTS[method]}); if you know the value, write {method}[VALUE]"
            )
        return cls(method, value)

    @property
    def least_order(self) -> int:
        """The lowest order of BLEU that the method can smooth."""
        return INTERPOLATED if self._technique == 6 else 1

    def counted_order(self, order: int) -> int:
        """Return the longest n-gram to count for BLEU of this order."""
        return max(order, FIFTH) if self._technique in AVERAGING else order

    def smooth(self, counts: Sequence[float], totals: Sequence[float], sys_len: int, order: int) -> list[float]:
        """Return the precisions, as shares, of a method that gives all; BLEU then skips those that are 0.

        counts, totals: matches, and n-grams of the hypothesis, for each order that is counted. order: N, the longest
        n-gram of the score. Precisions of `chen-cherry-5` to `-7` may be above 1.

        >>> Smoothing("add-one").smooth([5, 2, 1, 0], [6, 5, 4, 3], 6, 4)
        [0.8571428571428571, 0.5, 0.4, 0.25]
        """
        if self._technique:
            if not counts[0]:
                return [0.0] * order
            return chen_cherry(self._technique, counts, totals, sys_len, order)
        return [(count + 1) / (total + 1) for count, total in zip(counts, totals, strict=True)]

    def smoothed_counts(self, counts: list[float], totals: list[float]) -> tuple[list[float], list[float]]:
        """Return matches and n-grams by order: unchanged or, with add-k, increased from the second order on.

        Quirk: if the text is too short for an order, add-k counts k matches among k n-grams, a precision of 100%, so
        effective order leaves no such order out. The score reports the increased counts. Both are as in sacreBLEU.
        """
        if self.method != "add-k" or not self.value:
            return counts, totals
        return (
            counts[:1] + [count + self.value for count in counts[1:]],
            totals[:1] + [total + self.value for total in totals[1:]],
        )

    def precisions(self, counts: list[float], totals: list[float]) -> list[float]:
        """Return the precisions in percent, for each order before the first that has no n-grams.

        counts, totals: matches, and n-grams of the hypothesis, by order.
        """
        precisions = []
        zeros = 0
        for count, total in zip(counts, totals, strict=True):
            if not total:
                break
            if count:
                precisions.append(100.0 * count / total)  # in this order, as sacreBLEU does: the last bit depends on it
            elif self.method == "exp":
                zeros += 1  # every order without a match halves again, even if orders with matches lie between them
                precisions.append(100.0 / (2**zeros * total))
            else:
                precisions.append(100.0 * self.value / total if self.method == "floor" else 0.0)
        return precisions


def chen_cherry(
    technique: int, counts: Sequence[float], totals: Sequence[float], sys_len: int, order: int
) -> list[float]:
    """Return the precisions of one of Chen & Cherry's techniques: from 0 to 1, with techniques 5 to 7 sometimes more.

    On single segments, BLEU equals NLTK's with the same technique. In a corpus, NLTK counts at least one n-gram of each
    order in each segment.

    counts, totals: matches, and n-grams of the hypothesis, by order; for techniques 5 and 7 at least up to order 5.
    order: N, the longest n-gram; at least 3 for technique 6.

    >>> [round(value, 3) for value in chen_cherry(2, [5, 2, 1, 0], [6, 5, 4, 3], 6, 4)]
    [0.833, 0.5, 0.4, 0.25]
    """
    # NLTK counts at least one n-gram of each order, so an order that the text is too short for has a precision of 0
    plain = [count / max(1, total) for count, total in zip(counts, totals, strict=True)]
    counts, totals = counts[:order], totals[:order]
    if technique == 1:
        return [value or EPSILON / max(1, total) for value, total in zip(plain[:order], totals, strict=True)]
    if technique == 2:
        plus_one = [(count + 1) / (max(1, total) + 1) for count, total in zip(counts, totals, strict=True)]
        return [plain[0], *plus_one[1:]]
    if technique == 3:
        return _halve(plain, totals, 1.0)
    if technique == 5:
        return _average(plain[:order], plain[FIFTH - 1])
    if technique == 6:
        return _interpolate(plain, counts, totals)
    geometric = _halve(plain, totals, log(sys_len) / LENGTH_FACTOR) if sys_len > 1 else plain[:order]
    return geometric if technique == 4 else _average(geometric, plain[FIFTH - 1])


def _halve(plain: Sequence[float], totals: Sequence[float], factor: float) -> list[float]:
    """Count half a match, a quarter, and so on, times a factor, for orders without a match.

    >>> _halve([0.5, 0.0, 0.0], [4, 3, 2], 1.0)
    [0.5, 0.16666666666666666, 0.125]
    """
    precisions = []
    share = factor
    for value, total in zip(plain, totals, strict=False):  # for technique 7, `plain` has more orders
        if not value:
            share /= 2
        precisions.append(value or share / max(1, total))
    return precisions


def _average(precisions: list[float], fifth: float) -> list[float]:
    """Return the mean of each precision, the averaged one before it, and the one after it.

    >>> _average([1.0, 0.5], 0.0)
    [1.1666666666666667, 0.5555555555555556]
    """
    means = [precisions[0] + 1]  # by definition, the mean before the first one is p1 + 1
    for value, following in zip(precisions, [*precisions[1:], fifth], strict=True):
        means.append((means[-1] + value + following) / 3)
    return means[1:]


def _interpolate(plain: Sequence[float], counts: Sequence[float], totals: Sequence[float]) -> list[float]:
    """Mix the precisions from order 3 on with an estimate from the two smoothed precisions before."""
    if not counts[2]:
        raise SegmentError(
            1, f"has no match of order {INTERPOLATED}, which chen-cherry-6 needs; choose another smoothing method"
        )
    precisions = list(plain[:2])
    for count, total in zip(counts[2:], totals[2:], strict=True):
        prior = precisions[-1] ** 2 / precisions[-2] if precisions[-2] else 0.0
        precisions.append((count + PRIOR_WEIGHT * prior) / (total + PRIOR_WEIGHT))
    return precisions


def _decimals(value: float) -> str:
    """Return a number with all its decimals, at least two.

    >>> _decimals(1), _decimals(0.125), _decimals(1e-7)
    ('1.00', '0.125', '0.0000001')
    """
    value, decimals = float(value), 2  # for an integer that no double equals, the loop would never end
    while float(text := f"{value:.{decimals}f}") != value:
        decimals += 1
    return text
