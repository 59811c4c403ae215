"""Why a segment has its chrF score: character and word n-grams by order, precision and recall, the F-score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bleucli.kernels.python_chrf import EPSILON, chrf_counts, chrf_row, f_score
from bleucli.metrics.chrf import CHRF, CHRFScore
from bleucli.metrics.ngrams import NGram, compare_ngrams, explain_verdicts, ngram_table
from bleucli.phrases import tell_count
from bleucli.prose.blocks import Formula, Heading, Paragraph, Table, Words, show_numbers
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.prose.blocks import Block

_KINDS = {"character": "char", "word": "word"}
# The most n-grams of each character order that text and HTML list: a text has about as many as it has characters
_LISTED = 20


class CHRFOrder(NamedTuple):
    """The n-grams of one length.

    kind: "character" or "word". ngrams: those of the output in its order, then those that only the reference has.
    hypothesis: the number in the output; chrF counts 0 if the reference has none. reference, matches: the number in the
    reference, and the number of matches. precision, recall: from 0 to 1, None if undefined. f_score: of this order,
    from 0 to 1, only with `eps_smoothing`.
    """

    kind: str
    order: int
    ngrams: Sequence[NGram]
    hypothesis: int
    reference: int
    matches: int
    precision: float | None
    recall: float | None
    f_score: float | None


class CHRFParts(NamedTuple):
    """The parts of a segment's chrF score.

    hypothesis_text, reference_text: the texts as compared; of several references, the first one with the highest score.
    reference: its index. whitespace: whether n-grams of characters include it. precision, recall: means over the orders
    that both texts have, from 0 to 1; None with `eps_smoothing`, or if there is no such order.
    """

    hypothesis_text: str
    reference_text: str
    reference: int
    scores_by_reference: Sequence[float]
    whitespace: bool
    beta: float
    eps_smoothing: bool
    orders: Sequence[CHRFOrder]
    precision: float | None
    recall: float | None

    def recalculate(self) -> float:
        """Return the score."""
        if self.eps_smoothing:
            return 100 * sum(order.f_score or 0.0 for order in self.orders) / len(self.orders)
        if not self.precision or not self.recall:
            return 0.0
        square = self.beta**2
        return 100 * (1 + square) * self.precision * self.recall / (square * self.precision + self.recall)

    def tell(self, name: str, score: float, width: int) -> Iterator[Block]:
        """Explain the score in words; width: its decimals."""
        yield Heading(f"{name} = {score:.{width}f}")
        if reason := self._reason(score):
            yield Paragraph(reason)
        if len(self.scores_by_reference) > 1:
            scores = ", ".join(f"{one:.{width}f}" for one in self.scores_by_reference)
            yield Paragraph(
                f"Scores against each reference: {scores}. The highest score counts: that of reference"
                f" {self.reference + 1}."
            )
        yield Words("output   ", [(word, "") for word in self.hypothesis_text.split()])
        yield Words("reference", [(word, "") for word in self.reference_text.split()])
        yield from self._tell_orders()
        for order in self.orders:
            yield Heading(
                f"{order.kind.capitalize()} order {order.order}: {tell_count(order.matches, 'match', 'matches')}"
            )
            if not order.ngrams:
                yield Paragraph("Neither text has n-grams of this order.")
            elif order.kind == "word":
                if order.order == 1:
                    yield explain_verdicts(several=False)
                yield ngram_table(order.ngrams, several=False)
            else:
                yield from _list_ngrams(order)
        yield from self._tell_score(name, score, width)

    def _reason(self, score: float) -> str:
        """Return why a score is at the end of its scale; "" if it is not."""
        if score == 100 and all(one.hypothesis == one.reference for order in self.orders for one in order.ngrams):
            return "Output and reference have the same n-grams: the score cannot be higher."
        if score == 100:  # the weight of the other one is too small to count
            which = "precision" if self.beta < 1 else "recall"
            return f"With beta = {self.beta:g}, only {which} counts, and it is 100%: the score cannot be higher."
        texts = [self.hypothesis_text, self.reference_text]
        empty = [not (text if self.whitespace else text.strip()) for text in texts]
        effect = "the score is 0" if not score else "eps smoothing alone keeps the score above 0"
        if all(empty):
            return f"Output and reference are empty: nothing can match, so {effect}."
        if any(empty):
            return f"The {'output' if empty[0] else 'reference'} is empty: nothing can match, so {effect}."
        if not any(order.matches for order in self.orders):
            return f"No n-gram matches, so {effect}."
        return ""

    def _tell_orders(self) -> Iterator[Block]:
        yield Heading("Precision and recall, order by order")
        yield Paragraph(
            "Precision is matches / n-grams of the output, recall is matches / n-grams of the reference. An n-gram"
            " matches at most as often as it occurs in either text." + self._tell_spaces()
        )
        header = ["order", "output", "reference", "matches", "precision %", "recall %"]
        rows = [
            [
                f"{_KINDS[order.kind]} {order.order}",
                *(str(number) for number in (order.hypothesis, order.reference, order.matches)),
                _percent(order.precision),
                _percent(order.recall),
                *([f"{100 * (order.f_score or 0.0):.2f}"] if self.eps_smoothing else []),
            ]
            for order in self.orders
        ]
        yield Table([*header, *(["F %"] if self.eps_smoothing else [])], rows, [""] * len(rows), [0])

    def _tell_spaces(self) -> str:
        """Say that spaces do not count, if there are any."""
        spaces = any(sign.isspace() for sign in self.hypothesis_text + self.reference_text)
        return " Spaces are removed before characters are counted." if spaces and not self.whitespace else ""

    def _tell_score(self, name: str, score: float, width: int) -> Iterator[Block]:
        yield Heading("Score")
        formula = "(1 + beta²) × P × R / (beta² × P + R)"
        weight = f"Recall counts {self.beta:g} times as much as precision (beta = {self.beta:g})."
        if self.eps_smoothing:
            yield Paragraph(
                f"{weight} With eps smoothing, each order has its own F-score, {formula}, in which {EPSILON:g} replaces"
                f" undefined values; {name} is the mean of these F-scores."
            )
            yield self._show_mean(name, score, width)
            return
        both = sum(order.hypothesis > 0 and order.reference > 0 for order in self.orders)
        if self.precision is None or self.recall is None:
            yield Paragraph(f"No order has n-grams in both texts: {name} = 0.")
            return
        yield Paragraph(
            f"P and R are the means of precision and recall over the {tell_count(both, 'order')} that both texts have."
            f" {weight}"
        )
        if not (self.precision and self.recall):
            yield Formula([f"P = {self.precision:.4f}, R = {self.recall:.4f}", f"{name} = {score:.{width}f}"])
            return
        square, blank = self.beta**2, " " * len(name)

        def holds(numbers: Sequence[float]) -> bool:
            p, r = numbers
            below = square * p + r
            return below > 0 and f"{100 * (1 + square) * p * r / below:.{width}f}" == f"{score:.{width}f}"

        p, r = show_numbers([self.precision, self.recall], holds)
        yield Formula(
            [
                f"P = {p}, R = {r}",
                f"{name} = 100 × {formula}",
                f"{blank} = 100 × {1 + square:.15g} × {p} × {r} / ({square:.15g} × {p} + {r})",
                f"{blank} = {score:.{width}f}",
            ]
        )

    def _show_mean(self, name: str, score: float, width: int) -> Formula:
        """Show the score as the mean of the F-scores of all orders."""
        scores = [100 * (order.f_score or 0.0) for order in self.orders]

        def holds(numbers: Sequence[float]) -> bool:
            return f"{sum(numbers) / len(numbers):.{width}f}" == f"{score:.{width}f}"

        total = " + ".join(show_numbers(scores, holds, least=2))
        return Formula([f"{name} = ({total}) / {len(scores)}", f"{' ' * len(name)} = {score:.{width}f}"])


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f}"


def _list_ngrams(order: CHRFOrder) -> Iterator[Block]:
    """List some of the character n-grams that do not match; the data have all of them."""
    kinds = (
        ("too many in the output ", "bad", [(one, one.hypothesis - one.matches) for one in order.ngrams]),
        ("only in the reference  ", "missing", [(one, one.reference - one.matches) for one in order.ngrams]),
    )
    for label, role, surplus in kinds:
        found = [(str(one.ngram).replace(" ", "␣"), count) for one, count in surplus if count]
        words = [(gram if count == 1 else f"{gram}({count}×)", role) for gram, count in found[:_LISTED]]
        more = f"and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
        yield Words(label, words or [("none", "")], more)


def take_apart(
    metric: CHRF, hypothesis: str, references: Sequence[str], score: CHRFScore
) -> tuple[CHRFParts, tuple[int, ...]]:
    """Return the parts of a segment's score, and its row of statistics; arguments as in `explain_bleu.take_apart`."""
    options = metric.char_order, metric.word_order, metric.whitespace
    ours = chrf_counts(hypothesis, *options)
    theirs = [chrf_counts(reference, *options) for reference in references]
    rows = [chrf_row(ours, counts) for counts in theirs]
    scores = [f_score(row, metric.beta, metric.eps_smoothing) for row in rows]
    best = scores.index(max(scores))  # of equal ones the first, as in the kernels
    row, counted = rows[best], zip(ours, theirs[best], strict=True)
    kinds = [("character", number) for number in range(1, metric.char_order + 1)]
    kinds += [("word", number) for number in range(1, metric.word_order + 1)]
    orders = []
    for (kind, number), (left, right), *counts in zip(kinds, counted, row[::3], row[1::3], row[2::3], strict=True):
        hyp_count, ref_count, matches = counts
        precision = matches / hyp_count if hyp_count else None
        recall = matches / ref_count if ref_count else None
        # With a single order, the mean of all F-scores is its own
        of_order = f_score(counts, metric.beta, True) / 100 if metric.eps_smoothing else None
        ngrams = compare_ngrams(left, [right])
        orders.append(CHRFOrder(kind, number, ngrams, hyp_count, ref_count, matches, precision, recall, of_order))
    both = [
        (order.precision, order.recall) for order in orders if order.precision is not None and order.recall is not None
    ]
    is_mean = both and not metric.eps_smoothing
    parts = CHRFParts(
        hypothesis,
        references[best],
        best,
        scores,
        metric.whitespace,
        metric.beta,
        metric.eps_smoothing,
        orders,
        sum(precision for precision, _ in both) / len(both) if is_mean else None,
        sum(recall for _, recall in both) / len(both) if is_mean else None,
    )
    return parts, tuple(row)
