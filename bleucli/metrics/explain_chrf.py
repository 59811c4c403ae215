"""Why a segment or a corpus has its chrF score: n-grams by order, precision and recall, the F-score.

- `take_apart`: for a segment, from its texts; `CHRFParts`, `CHRFOrder`: the result
- `take_sums_apart`: for a corpus, from its sums; `CHRFSums`, `CHRFOrderSums`: the result
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bleucli.kernels.python_ngrams import EPSILON, chrf_counts, chrf_row, f_score
from bleucli.metrics.chrf import CHRF, CHRFScore
from bleucli.phrases import tell_count
from bleucli.prose.blocks import Formula, Heading, Paragraph, Table, Words, show_numbers
from bleucli.prose.ngrams import NGram, compare_ngrams, explain_verdicts, ngram_table
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.counting import CorpusStats
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
        return _recalculate(self)

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
        yield Heading("Precision and recall, order by order")
        spaces = any(sign.isspace() for sign in self.hypothesis_text + self.reference_text)
        yield Paragraph(
            "Precision is matches / n-grams of the output, recall is matches / n-grams of the reference. An n-gram"
            " matches at most as often as it occurs in either text."
            + " Spaces are removed before characters are counted."
            * (spaces and not self.whitespace)
        )
        yield _order_table(self, "reference")
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
        yield from _tell_score(self, "both texts", name, score, width)

    def _reason(self, score: float) -> str:
        if score == 100 and all(one.hypothesis == one.reference for order in self.orders for one in order.ngrams):
            return "Output and reference have the same n-grams: the score cannot be higher."
        if score == 100:
            return _one_side_counts(self.beta)
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


class CHRFOrderSums(NamedTuple):
    """The n-grams of one length in a corpus: as `CHRFOrder`, added up over the segments, without the n-grams."""

    kind: str
    order: int
    hypothesis: int
    reference: int
    matches: int
    precision: float | None
    recall: float | None
    f_score: float | None


class CHRFSums(NamedTuple):
    """The parts of a corpus's chrF score.

    precision, recall: means over the orders that both output and references have, from 0 to 1; None with
    `eps_smoothing`, or if there is no such order. most_references: the largest number of references of a segment.
    """

    beta: float
    eps_smoothing: bool
    orders: Sequence[CHRFOrderSums]
    precision: float | None
    recall: float | None
    most_references: int

    def recalculate(self) -> float:
        """Return the score."""
        return _recalculate(self)

    def tell(self, name: str, score: float, width: int) -> Iterator[Block]:
        """Explain the score in words; width: its decimals."""
        if reason := self._reason(score):
            yield Paragraph(reason)
        yield Heading("Precision and recall, order by order")
        choice = " Of several references, the one with the segment's highest score counts."
        yield Paragraph(
            "Precision is matches / n-grams of the output, recall is matches / n-grams of the references, all added up"
            " over the segments. The output's n-grams of an order count only in segments whose reference has such"
            " n-grams." + choice * (self.most_references > 1)
        )
        yield _order_table(self, "references")
        yield from _tell_score(self, "both output and references", name, score, width)

    def _reason(self, score: float) -> str:
        if score == 100 and all(order.hypothesis == order.reference == order.matches for order in self.orders):
            return "All n-grams that count match: the score cannot be higher."
        if score == 100:
            return _one_side_counts(self.beta)
        if not any(order.matches for order in self.orders):
            effect = "eps smoothing alone keeps the score above 0" if score else "the score is 0"
            return f"No n-gram matches, so {effect}."
        return ""


# --- what both have

_Arithmetic = CHRFParts | CHRFSums


def _one_side_counts(beta: float) -> str:
    """Return why a score is 100 though not all n-grams match: beta gives one side too little weight to count."""
    which = "precision" if beta < 1 else "recall"
    return f"With beta = {beta:g}, only {which} counts, and it is 100%: the score cannot be higher."


def _recalculate(parts: _Arithmetic) -> float:
    if parts.eps_smoothing:
        return 100 * sum(order.f_score or 0.0 for order in parts.orders) / len(parts.orders)
    if not parts.precision or not parts.recall:
        return 0.0
    square = parts.beta**2
    return 100 * (1 + square) * parts.precision * parts.recall / (square * parts.precision + parts.recall)


def _order_table(parts: _Arithmetic, reference: str) -> Table:
    """Return a table with one row per order; reference: what it calls the text that the output is compared with."""
    header = ["order", "output", reference, "matches", "precision %", "recall %"]
    rows = [
        [
            f"{_KINDS[order.kind]} {order.order}",
            *(str(number) for number in (order.hypothesis, order.reference, order.matches)),
            _percent(order.precision),
            _percent(order.recall),
            *([f"{100 * (order.f_score or 0.0):.2f}"] if parts.eps_smoothing else []),
        ]
        for order in parts.orders
    ]
    return Table([*header, *(["F %"] if parts.eps_smoothing else [])], rows, [""] * len(rows), [0])


def _tell_score(parts: _Arithmetic, both: str, name: str, score: float, width: int) -> Iterator[Block]:
    """Show how a score is computed; both: the two sides that an order must have n-grams in."""
    yield Heading("Score")
    formula = "(1 + beta²) × P × R / (beta² × P + R)"
    weight = f"Recall counts {parts.beta:g} times as much as precision (beta = {parts.beta:g})."
    if parts.eps_smoothing:
        yield Paragraph(
            f"{weight} With eps smoothing, each order has its own F-score, {formula}, in which {EPSILON:g} replaces"
            f" undefined values; {name} is the mean of these F-scores."
        )
        yield _show_mean(parts, name, score, width)
        return
    size = sum(order.hypothesis > 0 and order.reference > 0 for order in parts.orders)
    if parts.precision is None or parts.recall is None:
        yield Paragraph(f"No order has n-grams in {both}: {name} = 0.")
        return
    yield Paragraph(
        f"P and R are the means of precision and recall over the {tell_count(size, 'order')} that {both} have. {weight}"
    )
    if not (parts.precision and parts.recall):
        yield Formula([f"P = {parts.precision:.4f}, R = {parts.recall:.4f}", f"{name} = {score:.{width}f}"])
        return
    square, blank = parts.beta**2, " " * len(name)

    def holds(numbers: Sequence[float]) -> bool:
        p, r = numbers
        below = square * p + r
        return below > 0 and f"{100 * (1 + square) * p * r / below:.{width}f}" == f"{score:.{width}f}"

    p, r = show_numbers([parts.precision, parts.recall], holds)
    yield Formula(
        [
            f"P = {p}, R = {r}",
            f"{name} = 100 × {formula}",
            f"{blank} = 100 × {1 + square:.15g} × {p} × {r} / ({square:.15g} × {p} + {r})",
            f"{blank} = {score:.{width}f}",
        ]
    )


def _show_mean(parts: _Arithmetic, name: str, score: float, width: int) -> Formula:
    """Show the score as the mean of the F-scores of all orders."""
    scores = [100 * (order.f_score or 0.0) for order in parts.orders]

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
        grams = [(str(one.ngram).replace(" ", "␣"), count) for one, count in surplus if count]
        words = [(gram if count == 1 else f"{gram}({count}×)", role) for gram, count in grams[:_LISTED]]
        more = f"and {len(grams) - _LISTED} more" if len(grams) > _LISTED else ""
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
    row, pairs = rows[best], zip(ours, theirs[best], strict=True)
    grams = [compare_ngrams(left, [right]) for left, right in pairs]
    sums = _sum_orders(metric, row)
    orders = [CHRFOrder(order.kind, order.order, ngrams, *order[2:]) for order, ngrams in zip(sums, grams, strict=True)]
    parts = CHRFParts(
        hypothesis,
        references[best],
        best,
        scores,
        metric.whitespace,
        metric.beta,
        metric.eps_smoothing,
        orders,
        *_means(metric, sums),
    )
    return parts, tuple(row)


def take_sums_apart(metric: CHRF, stats: CorpusStats, score: CHRFScore) -> CHRFSums:
    """Return the parts of a corpus's score; score: that of its statistics."""
    orders = _sum_orders(metric, list(map(int, stats.sums)))
    return CHRFSums(metric.beta, metric.eps_smoothing, orders, *_means(metric, orders), stats.most)


def _sum_orders(metric: CHRF, sums: Sequence[int]) -> list[CHRFOrderSums]:
    """Return the numbers of n-grams of each order, with what follows from them; sums: a row, or a sum of rows."""
    kinds = [("character", number) for number in range(1, metric.char_order + 1)]
    kinds += [("word", number) for number in range(1, metric.word_order + 1)]
    orders = []
    for (kind, number), *counts in zip(kinds, sums[::3], sums[1::3], sums[2::3], strict=True):
        hypothesis, reference, matches = counts
        precision = matches / hypothesis if hypothesis else None
        recall = matches / reference if reference else None
        # With a single order, the mean of all F-scores is its own
        of_order = f_score(counts, metric.beta, True) / 100 if metric.eps_smoothing else None
        orders.append(CHRFOrderSums(kind, number, hypothesis, reference, matches, precision, recall, of_order))
    return orders


def _means(metric: CHRF, orders: Sequence[CHRFOrderSums]) -> tuple[float | None, float | None]:
    """Return the means of precision and recall over the orders that both texts have; None if none has them."""
    both = [
        (order.precision, order.recall) for order in orders if order.precision is not None and order.recall is not None
    ]
    if not both or metric.eps_smoothing:
        return None, None
    return sum(precision for precision, _ in both) / len(both), sum(recall for _, recall in both) / len(both)
