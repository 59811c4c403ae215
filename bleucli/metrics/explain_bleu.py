"""Why a segment or a corpus has its BLEU score: n-grams by order, precisions with smoothing, brevity penalty.

- `take_apart`: for a segment, from its texts; `BLEUParts`, `Order`: the result
- `take_sums_apart`: for a corpus, from its sums; `BLEUSums`, `OrderSums`: the result
- `find_factors`: the factors that two scores are products of
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, fsum, isclose, log, prod

from bleucli.kernels.python_ngrams import count_ngrams
from bleucli.metrics.bleu import BLEU, BLEUScore, show_penalty
from bleucli.metrics.smoothing import (
    AVERAGING,
    EPSILON,
    FIFTH,
    INTERPOLATED,
    LENGTH_FACTOR,
    PRIOR_WEIGHT,
    SACREBLEU_METHODS,
    chen_cherry,
)
from bleucli.phrases import tell_count
from bleucli.prose.blocks import Formula, Heading, Paragraph, Table, show_numbers
from bleucli.prose.ngrams import NGram, compare_ngrams, explain_verdicts, ngram_table, tell_tokens
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.counting import CorpusStats
    from bleucli.prose.blocks import Block

# Explanations of the methods, for students
_SMOOTHING = {
    "exp": "the first order without a match counts as half a match, the second as a quarter, and so on.",
    "floor": "an order without a match counts as {:.15g} matches.",
    "add-k": "{:.15g} is added to the matches and to the n-grams of every order from 2 on.",
    "none": "an order without a match stays at 0.",
    "add-one": "1 is added to the matches and to the n-grams of every order.",
    "chen-cherry-1": "an order without a match counts as 0.1 matches.",
    "chen-cherry-2": "1 is added to the matches and to the n-grams of every order from 2 on.",
    "chen-cherry-3": "the first order without a match counts as half a match, the second as a quarter, and so on.",
    "chen-cherry-4": "an order without a match counts as in method 3, times ln(length of the output) / 5.",
    "chen-cherry-5": "each precision becomes the mean of itself, the next one, and the mean before it, which for the"
    " first is p1 + 1; the score may exceed 100.",
    "chen-cherry-6": "from order 3 on, the precision is mixed with an estimate from the two orders before, which has"
    " weight 5.",
    "chen-cherry-7": "method 4, then the means of method 5; the score may exceed 100.",
}
# If there are more factors, only the first and the last are shown
_SPELLED_OUT = 5
# The methods that average neighbours
_MEANS = tuple(f"chen-cherry-{number}" for number in AVERAGING)


class Order(NamedTuple):
    """The n-grams of one length.

    order: their number of tokens. ngrams: those of the output in its order, then those that only references have.
    matches, total: the number of the output's n-grams that match, and the number of all. precision: their quotient in
    percent; 0 if there are no n-grams. smoothed: the precision after smoothing; None if the order is left out.
    """

    order: int
    ngrams: Sequence[NGram]
    matches: int
    total: int
    precision: float
    smoothed: float | None


class BLEUParts(NamedTuple):
    """The parts of a segment's BLEU score.

    smooth_value: None if the method has none. averaged_orders: the number of orders in the mean of logarithms.
    closest_reference: index of the reference whose length counts. geometric_mean: the mean of the precisions, in
    percent.
    """

    hypothesis_tokens: Sequence[str]
    reference_tokens: Sequence[Sequence[str]]
    orders: Sequence[Order]
    smooth_method: str
    smooth_value: float | None
    averaged_orders: int
    hypothesis_length: int
    reference_length: int
    closest_reference: int
    brevity_penalty: float
    geometric_mean: float

    def recalculate(self) -> float:
        """Return the score."""
        return self.brevity_penalty * self.geometric_mean

    def tell(self, name: str, score: float, width: int) -> Iterator[Block]:
        """Explain the score in words; width: its decimals."""
        yield Heading(f"{name} = {score:.{width}f}")
        if reason := _reason(self, score):
            yield Paragraph(reason)
        if self.averaged_orders:
            orders = self.orders[: self.averaged_orders]
            shares = [f"{one.matches}/{one.total}" + f" ({one.precision:.1f}%)" * bool(one.total) for one in orders]
            which = f"orders 1 to {len(orders)}" if len(orders) > 1 else "order 1"
            yield Paragraph(
                f"Precision of {which}: {', '.join(shares)}. Brevity penalty: {show_penalty(self.brevity_penalty)}."
            )
        yield from tell_tokens(self.hypothesis_tokens, self.reference_tokens, "token", len(self.orders))
        several = len(self.reference_tokens) > 1
        for order in self.orders:
            grams = "token" if order.order == 1 else f"{order.order}-gram"
            text = f"{order.matches} of {tell_count(order.total, grams)} {'matches' if order.total == 1 else 'match'}"
            yield Heading(f"Order {order.order}: {text}")
            if order.order == 1 and order.ngrams:
                yield explain_verdicts(several)
            if order.ngrams:
                yield ngram_table(order.ngrams, several)
            else:
                yield Paragraph(f"No text is long enough for {order.order}-grams.")
        yield from _tell_precisions(self, max(2, width))
        yield from _tell_penalty(self)
        yield from _tell_score(self, name, score, width)

    def tell_emptiness(self) -> str:
        """Return which texts are empty; "" if tokens can match."""
        if self.hypothesis_length and any(self.reference_tokens):
            return ""
        several = len(self.reference_tokens) > 1
        if self.hypothesis_length:
            who = "The references are" if several else "The reference is"
        elif any(self.reference_tokens):
            who = "The output is"
        else:
            who = "Output and references are" if several else "Output and reference are"
        if self.smooth_method == "add-one" and any(self.reference_tokens):  # its precisions are above 0
            return f"{who} empty: the brevity penalty is 0, and so is the score."
        return f"{who} empty: nothing can match, so the score is 0."

    def tell_lengths(self) -> str:
        """Return how long the texts are, and which reference's length counts."""
        several = len(self.reference_tokens) > 1
        reference = f"reference {self.closest_reference + 1}, the closest in length," if several else "the reference"
        ours = tell_count(self.hypothesis_length, "token")
        return f"The output has {ours}, {reference} has {self.reference_length}"

    def tell_mismatch(self) -> str:
        """Return what it means if no token matches."""
        return "No token of the output is in a reference"

    def tell_shortness(self, order: int) -> str:
        """Return why there are no n-grams of an order, and what follows."""
        return (
            f"The output has {tell_count(self.hypothesis_length, 'token')}, too few for n-grams of order {order}: their"
            " precision is 0, and so is the score. Effective order (-sl; in Python effective_order=True) leaves such"
            " orders out."
        )


class OrderSums(NamedTuple):
    """The n-grams of one length in a corpus: as `Order`, added up over the segments, without the n-grams."""

    order: int
    matches: int
    total: int
    precision: float
    smoothed: float | None


class BLEUSums(NamedTuple):
    """The parts of a corpus's BLEU score, as far as they are not those of `BLEUParts`.

    hypothesis_length, reference_length: sums over the segments, in tokens; of several references, the length of the
    closest one counts. most_references: the largest number of references of a segment.
    """

    orders: Sequence[OrderSums]
    smooth_method: str
    smooth_value: float | None
    averaged_orders: int
    hypothesis_length: int
    reference_length: int
    brevity_penalty: float
    geometric_mean: float
    most_references: int

    def recalculate(self) -> float:
        """Return the score."""
        return self.brevity_penalty * self.geometric_mean

    def tell(self, name: str, score: float, width: int) -> Iterator[Block]:
        """Explain the score in words; width: its decimals."""
        if reason := _reason(self, score):
            yield Paragraph(reason)
        yield from _tell_precisions(self, max(2, width))
        yield from _tell_penalty(self)
        yield from _tell_score(self, name, score, width)

    def tell_emptiness(self) -> str:
        """Return whether the output has no tokens; "" if it has some."""
        if self.hypothesis_length:
            return ""
        if self.smooth_method == "add-one" and self.reference_length:  # its precisions are above 0
            return "The output has no tokens: the brevity penalty is 0, and so is the score."
        return "The output has no tokens: nothing can match, so the score is 0."

    def tell_lengths(self) -> str:
        """Return how long the texts are."""
        references = "the references closest in length have" if self.most_references > 1 else "the references have"
        return f"The output has {tell_count(self.hypothesis_length, 'token')}, {references} {self.reference_length}"

    def tell_mismatch(self) -> str:
        """Return what it means if no token matches."""
        return "No token of the output is in a reference of its segment"

    def tell_shortness(self, order: int) -> str:
        """Return why there are no n-grams of an order, and what follows."""
        return f"No segment of the output has {order} tokens: the precision of order {order} is 0, and so is the score."


# --- what both have

_Arithmetic = BLEUParts | BLEUSums


def _reason(parts: _Arithmetic, score: float) -> str:
    """Return why a score is at the end of its scale, in a sentence or two; "" if it is not."""
    orders: Sequence[Order | OrderSums] = parts.orders[: parts.averaged_orders]
    if not score and (emptiness := parts.tell_emptiness()):
        return emptiness
    if not score and not parts.brevity_penalty:
        return (
            f"{parts.tell_lengths()}: the brevity penalty is too small for a floating-point number, so the score is 0."
        )
    if not score and not any(order.matches for order in parts.orders) and parts.smooth_method != "add-one":
        return f"{parts.tell_mismatch()}: the score is 0, and no smoothing applies."
    if not score:
        zeros: list[Order | OrderSums] = [order for order in orders if not order.smoothed]
        if not zeros:
            return "The product is too small for a floating-point number, so the score is 0."
        if not zeros[0].total:
            return parts.tell_shortness(zeros[0].order)
        return (
            f"No n-gram of order {zeros[0].order} matches, and smoothing {parts.smooth_method} does not replace"
            " the 0: a geometric mean with a 0 in it is 0, and so is the score."
        )
    if score > 100:
        return f"Smoothing {parts.smooth_method} {_exceeding(parts)}, so the score exceeds 100."
    if score == 100 and all(order.matches == order.total for order in orders):
        text = "Every n-gram of the output matches, and the output is not too short"
        return f"{text}." if _exceeding(parts) else f"{text}: the score cannot be higher."
    return ""


def _exceeding(parts: _Arithmetic) -> str:
    """Return how the smoothing method can give a precision above 100%; "" if it cannot."""
    if parts.smooth_method in _MEANS:
        return "averages p1 with p1 + 1"
    if parts.smooth_method == "chen-cherry-6":
        return "estimates a longer order from the two before it, which can give more than 1"
    if parts.smooth_method == "floor" and (parts.smooth_value or 0.0) > 1:
        return f"counts {parts.smooth_value:.15g} matches for an order without any, even if it has fewer n-grams"
    return ""


def _tell_precisions(parts: _Arithmetic, decimals: int) -> Iterator[Block]:
    method, of = parts.smooth_method, "A precision is matches / n-grams of the output"
    rows = []
    for order, note in _smoothing_notes(parts, decimals):
        smoothed = "-" if order.smoothed is None else f"{order.smoothed:.{decimals}f}"
        precision = f"{order.precision:.{decimals}f}" if order.total else "-"
        rows.append([str(order.order), f"{order.matches}/{order.total}", precision, smoothed, note])
    header = ["order", "matches", "precision %", "smoothed %", ""]
    if isinstance(parts, BLEUSums):
        of += ", both added up over the segments"
    is_plain = all(isclose(order.precision, order.smoothed or 0.0) for order in parts.orders)
    if isinstance(parts, BLEUSums) and is_plain and len(parts.orders) == parts.averaged_orders:
        yield Heading("Precisions")
        yield Paragraph(f"{of}. Smoothing {method} changes no precision here.")
        yield Table(header[:3], [row[:3] for row in rows], [""] * len(rows), [])
        return
    yield Heading(f"Precisions, with smoothing {method}")
    yield Paragraph(f"{of}. Smoothing {method}: {_SMOOTHING[method].format(parts.smooth_value)}")
    yield Table(header, rows, [""] * len(rows), [4])


def _smoothing_notes(parts: _Arithmetic, decimals: int) -> Iterator[tuple[Order | OrderSums, str]]:
    """Give each order with what smoothing did; decimals: of the precisions, in percent."""
    zeros = 0
    has_match = any(order.matches for order in parts.orders)
    for order in parts.orders:
        zeros += not order.matches
        if order.smoothed is None:
            yield order, "for the means only" if parts.smooth_method in _MEANS else "no n-gram: left out"
        elif (not has_match and parts.smooth_method != "add-one") or (
            parts.smooth_method.startswith("chen-cherry") and not parts.orders[0].matches
        ):
            yield order, "nothing matches"
        elif not order.total and (parts.smooth_method in ("exp", "floor", "none") or parts.smooth_value == 0):
            yield order, "no n-gram"
        else:
            yield order, _how_smoothed(parts, order, zeros, decimals)


def _how_smoothed(parts: _Arithmetic, order: Order | OrderSums, zeros: int, decimals: int) -> str:
    """Return the arithmetic of one order, "" if smoothing has no effect; zeros: orders without a match so far."""
    method, matches, total, value = parts.smooth_method, order.matches, order.total, parts.smooth_value
    divisor = max(1, total)
    # Method 4 replaces a 0 by this, and method 7 averages it
    factor = LENGTH_FACTOR * 2**zeros
    stand_in = f"ln {parts.hypothesis_length} / ({factor} × {divisor})" if parts.hypothesis_length > 1 else "0"
    if method == "add-one" or (method in ("add-k", "chen-cherry-2") and order.order > 1):
        addend, below = (value, total) if method == "add-k" else (1, total if method == "add-one" else divisor)
        return f"({matches} + {addend:.15g}) / ({below} + {addend:.15g})"
    if method in _MEANS:
        result = f"{order.smoothed:.{decimals}f}"
        terms = show_numbers(
            _averaged(parts, order.order), lambda numbers: f"{100 * sum(numbers) / 3:.{decimals}f}" == result
        )
        mean = f"({' + '.join(terms)}) / 3"  # with enough digits to recalculate what is shown
        return mean if matches or method == "chen-cherry-5" else f"{mean}; method 4: {stand_in}"
    if method == "chen-cherry-6" and order.order >= INTERPOLATED:
        return _show_interpolation(parts, order, decimals)
    if matches:
        return ""
    if method in ("exp", "chen-cherry-3"):
        return f"no match: 1 / (2^{zeros} × {divisor})"
    if method in ("floor", "chen-cherry-1"):
        return f"no match: {EPSILON if value is None else value:.15g} / {divisor}"
    return f"no match: {stand_in}" if method == "chen-cherry-4" else "no match"


def _show_interpolation(parts: _Arithmetic, order: Order | OrderSums, decimals: int) -> str:
    """Return how method 6 mixes a precision with an estimate from the two orders before, with enough digits."""
    weight, result = PRIOR_WEIGHT, f"{order.smoothed:.{decimals}f}"
    earlier, last = (one.smoothed or 0.0 for one in parts.orders[order.order - 3 : order.order - 1])
    (prior,) = show_numbers(
        [last**2 / earlier / 100 if earlier else 0.0],
        lambda numbers: (
            f"{100 * (order.matches + weight * numbers[0]) / (order.total + weight):.{decimals}f}" == result
        ),
    )
    return f"({order.matches} + {weight} × {prior}) / ({order.total} + {weight})"


def _averaged(parts: _Arithmetic, order: int) -> list[float]:
    """Return the terms that method 5 or 7 averages: the previous mean, the order's precision, and the next one."""
    matches, totals = [one.matches for one in parts.orders], [one.total for one in parts.orders]
    plain = [count / max(1, total) for count, total in zip(matches, totals, strict=True)]
    own = plain
    if parts.smooth_method == "chen-cherry-7":
        own = chen_cherry(4, matches, totals, parts.hypothesis_length, parts.averaged_orders)
    # By definition, the mean before the first is p1 + 1, and p5 follows the last order, whatever N is
    before = own[0] + 1 if order == 1 else (parts.orders[order - 2].smoothed or 0.0) / 100
    return [before, own[order - 1], own[order] if order < parts.averaged_orders else plain[FIFTH - 1]]


def _tell_penalty(parts: _Arithmetic) -> Iterator[Block]:
    ours, theirs = parts.hypothesis_length, parts.reference_length
    yield Heading("Brevity penalty")
    lengths = parts.tell_lengths()
    if ours >= theirs:
        yield Paragraph(f"{lengths}: the output is not shorter, so there is no penalty, BP = 1.")
    elif ours:
        yield Paragraph(
            f"{lengths}: the output is shorter. Precision does not punish that, so the brevity penalty does:"
        )
        yield Formula([f"BP = exp(1 - {theirs}/{ours}) = {show_penalty(parts.brevity_penalty)}"])
    else:
        yield Paragraph(f"{lengths}: BP = 0.")


def _tell_score(parts: _Arithmetic, name: str, score: float, width: int) -> Iterator[Block]:
    yield Heading("Score")
    shares = [order.smoothed / 100 for order in parts.orders[: parts.averaged_orders] if order.smoothed is not None]
    skips_zeros = parts.smooth_method not in SACREBLEU_METHODS
    if not any(order.matches for order in parts.orders) and parts.smooth_method != "add-one":
        yield Formula([f"{name} = 0, as nothing matches"])
        return
    values = [share for share in shares if share or not skips_zeros]
    if len(values) < len(shares):
        yield Paragraph(f"Precisions of 0 are skipped; the root is still of order {parts.averaged_orders}.")
    few = len(values) <= _SPELLED_OUT
    factors = [f"p{n}" for n, share in enumerate(shares, 1) if share or not skips_zeros]
    product = " × ".join(factors) if few else f"{factors[0]} × ... × {factors[-1]}"

    # Both lines of the formula that have numbers must give the score
    def holds(numbers: Sequence[float]) -> bool:
        penalty, mean, *shares = numbers
        means = (mean, prod(share ** (1 / parts.averaged_orders) for share in shares))
        return all(f"{100 * penalty * one:.{width}f}" == f"{score:.{width}f}" for one in means)

    penalty, mean, *texts = show_numbers([parts.brevity_penalty, parts.geometric_mean / 100, *values], holds)
    numbers = " × ".join(texts) if few else f"{texts[0]} × ... × {texts[-1]}"
    root, blank = f"^(1/{parts.averaged_orders})", " " * len(name)
    yield Formula(
        [
            f"{name} = 100 × BP × ({product}){root}",
            f"{blank} = 100 × {penalty} × ({numbers}){root}",
            f"{blank} = 100 × {penalty} × {mean}",
            f"{blank} = {score:.{width}f}",
        ]
    )


def take_apart(
    metric: BLEU, hypothesis: str, references: Sequence[str], score: BLEUScore
) -> tuple[BLEUParts, tuple[int, ...]]:
    """Return the parts of a segment's score, and its row of statistics as counted here.

    hypothesis, references: prepared by the metric; white space separates tokens, and missing references are left out.
    score: that of the segment.
    """
    tokens, theirs = hypothesis.split(), [reference.split() for reference in references]
    tables = [
        compare_ngrams(count_ngrams(tokens, order), [count_ngrams(other, order) for other in theirs])
        for order in range(1, metric.counted_order + 1)
    ]
    totals = [max(0, len(tokens) - order) for order in range(metric.counted_order)]
    matches = [sum(ngram.matches for ngram in ngrams) for ngrams in tables]
    highest, sums = _sum_orders(metric, matches, totals, score)
    orders = [Order(one.order, ngrams, *one[1:]) for one, ngrams in zip(sums, tables, strict=True)]
    lengths = [len(other) for other in theirs]
    # Of two equally close ones, the shorter, as the kernels choose
    closest = min(range(len(lengths)), key=lambda index: (abs(lengths[index] - len(tokens)), lengths[index]))
    parts = BLEUParts(
        tokens,
        theirs,
        orders,
        metric.smoothing.method,
        _value(metric),
        highest,
        len(tokens),
        lengths[closest],
        closest,
        score.bp,
        _mean(metric, score.precisions[:highest], matches),
    )
    return parts, (len(tokens), lengths[closest], *matches, *totals)


def take_sums_apart(metric: BLEU, stats: CorpusStats, score: BLEUScore) -> BLEUSums:
    """Return the parts of a corpus's score; score: that of its statistics."""
    ours, theirs, *counts = map(int, stats.sums)
    matches, totals = counts[: metric.counted_order], counts[metric.counted_order :]
    highest, orders = _sum_orders(metric, matches, totals, score)
    mean = _mean(metric, score.precisions[:highest], matches)
    method, value = metric.smoothing.method, _value(metric)
    return BLEUSums(orders, method, value, highest, ours, theirs, score.bp, mean, stats.most)


def _sum_orders(
    metric: BLEU, matches: Sequence[int], totals: Sequence[int], score: BLEUScore
) -> tuple[int, list[OrderSums]]:
    """Return how many orders a score averages, and what follows from the counts of each order."""
    highest = metric.averaged_orders(score.totals)
    smoothed = [*score.precisions[:highest], *[None] * (metric.counted_order - highest)]
    counts = enumerate(zip(matches, totals, smoothed, strict=True), 1)
    return highest, [
        OrderSums(number, count, total, 100 * count / total if total else 0.0, after)
        for number, (count, total, after) in counts
    ]


def _value(metric: BLEU) -> float | None:
    return metric.smoothing.value if metric.smoothing.method in ("floor", "add-k") else None


def _mean(metric: BLEU, precisions: Sequence[float], matches: Sequence[int]) -> float:
    """Return the geometric mean in the score; zeros are skipped if the method gives all precisions."""
    shares = [precision / 100 for precision in precisions]
    factors = [share for share in shares if share] if metric.smoothing.gives_all else shares
    if not all(factors) or not factors or not (any(matches) or metric.smoothing.gives_all):
        return 0.0
    return 100 * exp(fsum(map(log, factors)) / len(shares))


def find_factors(
    metric: BLEU, first: BLEUScore, second: BLEUScore, names: Sequence[str]
) -> tuple[Sequence[tuple[str, float, float, int]], str]:
    """Return the factors whose product is the score: the name of each, its values in two scores, and its root.

    If the difference of the scores cannot be shared out among them, the second value says why; names: what it calls the
    two systems.
    """
    if metric.smoothing.method not in SACREBLEU_METHODS:
        *methods, last = SACREBLEU_METHODS
        return (), (
            f"A difference is split into factors only with {', '.join(methods)} or {last} smoothing, not with"
            f" {metric.smoothing.method}."
        )
    if not (first.score and second.score):
        whose = [name for name, score in zip(names, (first, second), strict=True) if not score.score]
        zero = "Both scores are" if len(whose) == 2 else f"The score of {whose[0]} is"
        return (), f"{zero} 0, which has no logarithm, so the difference cannot be split into factors."
    order, other = (metric.averaged_orders(score.totals) for score in (first, second))
    if order != other:
        return (), (
            f"The effective orders differ: the score of {names[0]} averages {tell_count(order, 'precision')}, that"
            f" of {names[1]} {other}, so the difference cannot be split into factors."
        )
    precisions = list(zip(first.precisions, second.precisions, strict=True))[:order]
    factors = [(f"p{n}", one / 100, another / 100, order) for n, (one, another) in enumerate(precisions, 1)]
    return [("BP", first.bp, second.bp, 1), *factors], ""
