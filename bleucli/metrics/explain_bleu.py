"""Why a segment has its BLEU score: n-grams by order, precisions before and after smoothing, brevity penalty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, fsum, log, prod

from bleucli.kernels.python_groups import count_ngrams
from bleucli.metrics import chen_cherry
from bleucli.metrics.bleu import BLEU, BLEUScore
from bleucli.metrics.ngrams import NGram, compare_ngrams, explain_verdicts, ngram_table, tell_tokens
from bleucli.metrics.smoothing import SACREBLEU_METHODS
from bleucli.phrases import tell_count
from bleucli.prose.blocks import Formula, Heading, Paragraph, Table, show_numbers
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
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
_MEANS = tuple(f"chen-cherry-{number}" for number in chen_cherry.AVERAGING)


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
        if reason := self._reason(score):
            yield Paragraph(reason)
        if self.averaged_orders:
            yield Paragraph(self._summarize())
        yield from tell_tokens(self.hypothesis_tokens, self.reference_tokens, "token", len(self.orders))
        several = len(self.reference_tokens) > 1
        for order in self.orders:
            grams = "token" if order.order == 1 else f"{order.order}-gram"
            told = f"{order.matches} of {tell_count(order.total, grams)} {'matches' if order.total == 1 else 'match'}"
            yield Heading(f"Order {order.order}: {told}")
            if order.order == 1 and order.ngrams:
                yield explain_verdicts(several)
            if order.ngrams:
                yield ngram_table(order.ngrams, several)
            else:
                yield Paragraph(f"No text is long enough for {order.order}-grams.")
        yield from self._tell_precisions(max(2, width))
        yield from self._tell_penalty()
        yield from self._tell_score(name, score, width)

    def _summarize(self) -> str:
        """Return the precisions and the brevity penalty in a line or two."""
        averaged = self.orders[: self.averaged_orders]
        shown = [f"{one.matches}/{one.total}" + f" ({one.precision:.1f}%)" * bool(one.total) for one in averaged]
        which = f"orders 1 to {len(averaged)}" if len(averaged) > 1 else "order 1"
        return f"Precision of {which}: {', '.join(shown)}. Brevity penalty: {show_penalty(self.brevity_penalty)}."

    def _reason(self, score: float) -> str:
        """Return why a score is at the end of its scale, in a sentence or two; "" if it is not."""
        used = self.orders[: self.averaged_orders]
        if not score and not (self.hypothesis_length and any(self.reference_tokens)):
            return self._tell_emptiness()
        if not score and not self.brevity_penalty:
            return (
                f"The output has {tell_count(self.hypothesis_length, 'token')}, {self._tell_reference()} has"
                f" {self.reference_length}: the brevity penalty is too small for a floating-point number, so the score"
                " is 0."
            )
        if not score and not any(order.matches for order in self.orders) and self.smooth_method != "add-one":
            return "No token of the output is in a reference: the score is 0, and no smoothing applies."
        if not score:
            empty = next((order for order in used if not order.smoothed), None)
            if empty is None:
                return "The product is too small for a floating-point number, so the score is 0."
            if not empty.total:
                return (
                    f"The output has {tell_count(self.hypothesis_length, 'token')}, too few for n-grams of order"
                    f" {empty.order}: their precision is 0, and so is the score. Effective order (-sl; in Python"
                    " effective_order=True) leaves such orders out."
                )
            return (
                f"No n-gram of order {empty.order} matches, and smoothing {self.smooth_method} does not replace"
                " the 0: a geometric mean with a 0 in it is 0, and so is the score."
            )
        if score > 100:
            return f"Smoothing {self.smooth_method} {self._exceeding()}, so the score exceeds 100."
        if score == 100 and all(order.matches == order.total for order in used):
            told = "Every n-gram of the output matches, and the output is not too short"
            return f"{told}." if self._exceeding() else f"{told}: the score cannot be higher."
        return ""

    def _exceeding(self) -> str:
        """Return how the smoothing method can give a precision above 100%; "" if it cannot."""
        if self.smooth_method in _MEANS:
            return "averages p1 with p1 + 1"
        if self.smooth_method == "chen-cherry-6":
            return "estimates a longer order from the two before it, which can give more than 1"
        if self.smooth_method == "floor" and (self.smooth_value or 0.0) > 1:
            return f"counts {self.smooth_value:.15g} matches for an order without any, even if it has fewer n-grams"
        return ""

    def _tell_emptiness(self) -> str:
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

    def _tell_precisions(self, decimals: int) -> Iterator[Block]:
        yield Heading(f"Precisions, with smoothing {self.smooth_method}")
        yield Paragraph(
            "A precision is matches / n-grams of the output. Smoothing"
            f" {self.smooth_method}: {_SMOOTHING[self.smooth_method].format(self.smooth_value)}"
        )
        rows = []
        for order, note in zip(self.orders, self._smoothing_notes(decimals), strict=True):
            smoothed = "-" if order.smoothed is None else f"{order.smoothed:.{decimals}f}"
            precision = f"{order.precision:.{decimals}f}" if order.total else "-"
            rows.append([str(order.order), f"{order.matches}/{order.total}", precision, smoothed, note])
        yield Table(["order", "matches", "precision %", "smoothed %", ""], rows, [""] * len(rows), [4])

    def _smoothing_notes(self, decimals: int) -> Iterator[str]:
        """Say for each order what smoothing did; decimals: of the precisions, in percent."""
        zeros = 0
        matched = any(order.matches for order in self.orders)
        for order in self.orders:
            zeros += not order.matches
            if order.smoothed is None:
                yield "for the means only" if self.smooth_method in _MEANS else "no n-gram: left out"
            elif (not matched and self.smooth_method != "add-one") or (
                self.smooth_method.startswith("chen-cherry") and not self.orders[0].matches
            ):
                yield "nothing matches"
            elif not order.total and (self.smooth_method in ("exp", "floor", "none") or self.smooth_value == 0):
                yield "no n-gram"
            else:
                yield self._how_smoothed(order, zeros, decimals)

    def _how_smoothed(self, order: Order, zeros: int, decimals: int) -> str:
        """Return the arithmetic of one order, "" if smoothing has no effect; zeros: orders without a match so far."""
        method, matches, total, value = self.smooth_method, order.matches, order.total, self.smooth_value
        divisor = max(1, total)
        # Method 4 replaces a 0 by this, and method 7 averages it
        factor = chen_cherry.LENGTH_FACTOR * 2**zeros
        inserted = f"ln {self.hypothesis_length} / ({factor} × {divisor})" if self.hypothesis_length > 1 else "0"
        if method == "add-one" or (method in ("add-k", "chen-cherry-2") and order.order > 1):
            added, below = (value, total) if method == "add-k" else (1, total if method == "add-one" else divisor)
            return f"({matches} + {added:.15g}) / ({below} + {added:.15g})"
        if method in _MEANS:
            mean = self._show_mean(order, decimals)
            return mean if matches or method == "chen-cherry-5" else f"{mean}; method 4: {inserted}"
        if method == "chen-cherry-6" and order.order >= chen_cherry.INTERPOLATED:
            return self._show_interpolation(order, decimals)
        if matches:
            return ""
        if method in ("exp", "chen-cherry-3"):
            return f"no match: 1 / (2^{zeros} × {divisor})"
        if method in ("floor", "chen-cherry-1"):
            return f"no match: {chen_cherry.EPSILON if value is None else value:.15g} / {divisor}"
        return f"no match: {inserted}" if method == "chen-cherry-4" else "no match"

    def _show_mean(self, order: Order, decimals: int) -> str:
        """Return the mean that method 5 or 7 takes, with enough digits to recalculate what is shown."""
        smoothed = f"{order.smoothed:.{decimals}f}"
        terms = show_numbers(
            self._averaged(order.order), lambda shown: f"{100 * sum(shown) / 3:.{decimals}f}" == smoothed
        )
        return f"({' + '.join(terms)}) / 3"

    def _show_interpolation(self, order: Order, decimals: int) -> str:
        """Return how method 6 mixes a precision with an estimate from the two orders before, with enough digits."""
        weight, smoothed = chen_cherry.PRIOR_WEIGHT, f"{order.smoothed:.{decimals}f}"
        earlier, last = (one.smoothed or 0.0 for one in self.orders[order.order - 3 : order.order - 1])
        (prior,) = show_numbers(
            [last**2 / earlier / 100 if earlier else 0.0],
            lambda shown: (
                f"{100 * (order.matches + weight * shown[0]) / (order.total + weight):.{decimals}f}" == smoothed
            ),
        )
        return f"({order.matches} + {weight} × {prior}) / ({order.total} + {weight})"

    def _averaged(self, order: int) -> list[float]:
        """Return the terms that method 5 or 7 averages: the previous mean, the order's precision, and the next one."""
        matches, totals = [one.matches for one in self.orders], [one.total for one in self.orders]
        plain = [count / max(1, total) for count, total in zip(matches, totals, strict=True)]
        own = plain
        if self.smooth_method == "chen-cherry-7":
            own = chen_cherry.smooth(4, matches, totals, self.hypothesis_length, self.averaged_orders)
        # By definition, the mean before the first is p1 + 1, and p5 follows the last order, whatever N is
        before = own[0] + 1 if order == 1 else (self.orders[order - 2].smoothed or 0.0) / 100
        return [before, own[order - 1], own[order] if order < self.averaged_orders else plain[chen_cherry.FIFTH - 1]]

    def _tell_penalty(self) -> Iterator[Block]:
        ours, theirs = self.hypothesis_length, self.reference_length
        yield Heading("Brevity penalty")
        told = f"The output has {tell_count(ours, 'token')}, {self._tell_reference()} has {theirs}"
        if ours >= theirs:
            yield Paragraph(f"{told}: the output is not shorter, so there is no penalty, BP = 1.")
        elif ours:
            yield Paragraph(
                f"{told}: the output is shorter. Precision does not punish that, so the brevity penalty does:"
            )
            yield Formula([f"BP = exp(1 - {theirs}/{ours}) = {show_penalty(self.brevity_penalty)}"])
        else:
            yield Paragraph(f"{told}: BP = 0.")

    def _tell_reference(self) -> str:
        """Return which reference's length counts."""
        several = len(self.reference_tokens) > 1
        return f"reference {self.closest_reference + 1}, the closest in length," if several else "the reference"

    def _tell_score(self, name: str, score: float, width: int) -> Iterator[Block]:
        yield Heading("Score")
        shares = [order.smoothed / 100 for order in self.orders[: self.averaged_orders] if order.smoothed is not None]
        skips_zeros = self.smooth_method not in SACREBLEU_METHODS
        if not any(order.matches for order in self.orders) and self.smooth_method != "add-one":
            yield Formula([f"{name} = 0, as nothing matches"])
            return
        used = [share for share in shares if share or not skips_zeros]
        if len(used) < len(shares):
            yield Paragraph(f"Precisions of 0 are skipped; the root is still of order {self.averaged_orders}.")
        few = len(used) <= _SPELLED_OUT
        factors = [f"p{n}" for n, share in enumerate(shares, 1) if share or not skips_zeros]
        product = " × ".join(factors) if few else f"{factors[0]} × ... × {factors[-1]}"

        # Both lines of the formula that have numbers must give the score
        def holds(numbers: Sequence[float]) -> bool:
            penalty, mean, *shares = numbers
            means = (mean, prod(share ** (1 / self.averaged_orders) for share in shares))
            return all(f"{100 * penalty * one:.{width}f}" == f"{score:.{width}f}" for one in means)

        penalty, mean, *shown = show_numbers([self.brevity_penalty, self.geometric_mean / 100, *used], holds)
        numbers = " × ".join(shown) if few else f"{shown[0]} × ... × {shown[-1]}"
        root, blank = f"^(1/{self.averaged_orders})", " " * len(name)
        yield Formula(
            [
                f"{name} = 100 × BP × ({product}){root}",
                f"{blank} = 100 × {penalty} × ({numbers}){root}",
                f"{blank} = 100 × {penalty} × {mean}",
                f"{blank} = {score:.{width}f}",
            ]
        )


def show_penalty(penalty: float) -> str:
    """Return a brevity penalty with three decimals, or with three digits if these decimals would show 0.

    >>> show_penalty(0.84648), show_penalty(0.00012345)
    ('0.846', '0.000123')
    """
    return f"{penalty:.3f}" if penalty >= 0.0005 else f"{penalty:.3g}"


def take_apart(
    metric: BLEU, hypothesis: str, references: Sequence[str], score: BLEUScore
) -> tuple[BLEUParts, tuple[int, ...]]:
    """Return the parts of a segment's score, and its row of statistics as counted here.

    Args:
        metric: the metric that scored it.
        hypothesis: the output, prepared by the metric; white space separates tokens.
        references: those that are not missing, prepared in the same way.
        score: the score of the segment.
    """
    tokens, others = hypothesis.split(), [reference.split() for reference in references]
    compared = [
        compare_ngrams(count_ngrams(tokens, order), [count_ngrams(other, order) for other in others])
        for order in range(1, metric.counted_order + 1)
    ]
    totals = [max(0, len(tokens) - order) for order in range(metric.counted_order)]
    matches = [sum(ngram.matches for ngram in ngrams) for ngrams in compared]
    averaged = metric.averaged_orders(score.totals)
    smoothed = [*score.precisions[:averaged], *[None] * (metric.counted_order - averaged)]
    orders = [
        Order(number, ngrams, count, total, 100 * count / total if total else 0.0, after)
        for number, (ngrams, count, total, after) in enumerate(
            zip(compared, matches, totals, smoothed, strict=True), start=1
        )
    ]
    lengths = [len(other) for other in others]
    # Of two equally close ones, the shorter, as the kernels choose
    closest = min(range(len(lengths)), key=lambda index: (abs(lengths[index] - len(tokens)), lengths[index]))
    value = metric.smoothing.value if metric.smoothing.method in ("floor", "add-k") else None
    parts = BLEUParts(
        tokens,
        others,
        orders,
        metric.smoothing.method,
        value,
        averaged,
        len(tokens),
        lengths[closest],
        closest,
        score.bp,
        _mean(metric, score.precisions[:averaged], matches),
    )
    return parts, (len(tokens), lengths[closest], *matches, *totals)


def _mean(metric: BLEU, precisions: Sequence[float], matches: Sequence[int]) -> float:
    """Return the geometric mean in the score; zeros are skipped if the method gives all precisions."""
    shares = [precision / 100 for precision in precisions]
    used = [share for share in shares if share] if metric.smoothing.gives_all else shares
    if not all(used) or not used or not (any(matches) or metric.smoothing.gives_all):
        return 0.0
    return 100 * exp(fsum(map(log, used)) / len(shares))
