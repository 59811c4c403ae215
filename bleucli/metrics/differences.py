"""Why the scores of two systems differ.

- `explain_difference`: for strings; `explain_corpus`: with a corpus and metrics at hand
- `DifferenceExplanation`: the answer, as data, as text and as HTML

BLEU is a product, BP · (p1 · ... · pN)^(1/N), so the difference of two scores a and b is shared out by logarithms:
Δ = L(a, b) · (Δ ln BP + Σ Δ ln pn / N), where L(a, b) = (b - a) / (ln b - ln a) is their logarithmic mean.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from math import expm1, log

from bleucli.corpus import Corpus, Kept, of_strings
from bleucli.counting import CorpusStats, count
from bleucli.errors import BleuError
from bleucli.limits import whole_number
from bleucli.metrics import BLEU, Metric
from bleucli.metrics.explanations import as_data, find_metric, freeze, pick, tell_signature
from bleucli.metrics.smoothing import SACREBLEU_METHODS
from bleucli.phrases import tell_count
from bleucli.prose import Block, Formula, Heading, Paragraph, Table, Words, as_html, as_text
from bleucli.records import NamedTuple
from bleucli.signature import Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from bleucli.metrics.bleu import BLEUScore

    Chooser = Callable[[int], Sequence[int] | None]

# Segments that are listed if nobody says how many
MOST = 10
# How far the shares may be from the difference: what rounding can do
_ROUNDING = 1e-9
# What the systems are called beside their outputs: names may be long
_PLACES = ("first", "second")


class Share(NamedTuple):
    """What one factor of BLEU has in a difference.

    factor: BP, or p1 to pN. first, second: its value for each system, from 0 to 1. points: of the difference.
    """

    factor: str
    first: float
    second: float
    points: float


class Influence(NamedTuple):
    """What one segment has to do with a difference.

    line: its index, from 0. influence: the difference of the whole minus that without the segment. hypotheses: the
    output of both systems. references: those that are not missing.
    """

    line: int
    influence: float
    hypotheses: Sequence[str]
    references: Sequence[str]


class DifferenceExplanation(NamedTuple):
    """Why two systems have the scores that they have: `print` shows it as text, notebooks as HTML.

    name, signature: of the scores. higher_is_better: false for error rates. systems: their names. scores: theirs.
    difference: the second score minus the first. shares: of BLEU's factors in it, which add up to it; none for other
    metrics, or if `hindrance` says why it cannot be shared out. logarithmic_mean: L, None without shares. segments: how
    many there are. influences: those segments that move the difference most, first the one that does so most of all.
    """

    name: str
    signature: Signature
    higher_is_better: bool
    systems: Sequence[str]
    scores: Sequence[float]
    difference: float
    shares: Sequence[Share]
    hindrance: str
    logarithmic_mean: float | None
    segments: int
    influences: Sequence[Influence]

    def tell(self, width: int = 2, short: bool = False) -> list[Block]:
        """Return the blocks of text and HTML; width: decimals of the scores, short: short keys in the signature."""
        return [*self._tell(width), *tell_signature(self.name, self.signature, short)]

    def _tell(self, width: int) -> Iterator[Block]:
        yield Heading(f"{self.name}: {self.difference:+.{width}f} from the first to the second system")
        rows = [
            [place, name, f"{score:.{width}f}"]
            for place, name, score in zip(_PLACES, self.systems, self.scores, strict=True)
        ]
        yield Table(["", "system", self.name], rows, ["", ""], [0, 1])
        if not self.higher_is_better:
            yield Paragraph(f"{self.name} is an error rate: lower is better.")
        if self.hindrance:
            yield Heading("Where the difference comes from")
            yield Paragraph(self.hindrance)
        elif self.shares:
            yield from self._tell_shares(width + 2)
        yield from self._tell_influences(width + 2)

    def _tell_shares(self, width: int) -> Iterator[Block]:
        yield Heading("Where the difference comes from")
        order = len(self.shares) - 1
        yield Paragraph(
            f"{self.name} is a product, BP × (p1 × ... × p{order})^(1/{order}), so its factors share the difference by"
            " their logarithms. The shares add up to it exactly."
        )
        rows = [
            [share.factor, f"{share.first:.4f}", f"{share.second:.4f}", f"{share.points:+.{width}f}"]
            for share in self.shares
        ]
        roles = ["good" if share.points > 0 else "bad" if share.points < 0 else "" for share in self.shares]
        yield Table(
            ["factor", *_PLACES, "points"],
            [*rows, ["sum", "", "", f"{sum(share.points for share in self.shares):+.{width}f}"]],
            [*roles, ""],
            [0],
        )
        yield Formula(
            [
                "points of BP = L × ln(second / first)",
                f"points of pn = L × ln(second / first) / {order}",
                f"L = {self.logarithmic_mean:.4f}, the logarithmic mean of both scores",
            ]
        )

    def _tell_influences(self, width: int) -> Iterator[Block]:
        yield Heading("Segments that move the difference most")
        yield Paragraph(
            "The influence of a segment is the difference of all segments minus the difference without it. Influences"
            " do not add up to the difference: each is about a corpus that has all other segments."
        )
        for segment in self.influences:
            sign = segment.influence if self.higher_is_better else -segment.influence
            yield Heading(f"line {segment.line + 1}: {segment.influence:+.{width}f}")
            role = "good" if sign > 0 else "bad" if sign < 0 else ""
            for place, text, colour in zip(_PLACES, segment.hypotheses, ("", role), strict=True):
                yield Words(place.ljust(len("reference")), [(word, colour) for word in text.split()])
            for text in segment.references:
                yield Words("reference", [(word, "") for word in text.split()])

    def as_data(self) -> "dict[str, Any]":
        """Return everything as dictionaries, lists, numbers and strings, for JSON; lines are counted from 1."""
        data: dict[str, Any] = as_data(self)
        for segment in data["influences"]:
            segment["line"] += 1
        return data | {"signature": str(self.signature)}

    def __str__(self) -> str:
        return as_text(self.tell()).rstrip("\n")

    def _repr_html_(self) -> str:
        return as_html(self.tell())


def explain_difference(
    first: Iterable[str],
    second: Iterable[str],
    references: Iterable[Iterable[str | None]],
    metric: "str | Metric" = "bleu",
    *,
    names: Sequence[str] = ("first", "second"),
    most: int = MOST,
    **options: "Any",
) -> DifferenceExplanation:
    """Say why the scores of two systems differ: by which factors of BLEU, and by which segments.

    Args:
        first: its output, n strings.
        second: the output of the other system.
        references: streams, each of n strings; None is a missing reference.
        metric: `bleu`, `chrf`, `chrf++`, `ter`, `wer` or `cer`, or a metric.
        names: of the two systems.
        most: how many segments to list.
        options: those of the metric that is named.

    Raises:
        BleuError: lengths differ, a segment has no reference, or there is no such metric.
        InputTypeError: something else than strings, or a list of another shape.

    >>> found = explain_difference(["a b c d", "x y"], ["a b c d", "x z"], [["a b c d", "x z"]])
    >>> [round(score, 1) for score in found.scores], round(sum(share.points for share in found.shares), 1)
    ([88.9, 100.0], 11.1)
    >>> [(segment.line, round(segment.influence, 1)) for segment in found.influences]
    [(0, 11.1), (1, 11.1)]
    """
    most = whole_number("most", most, 0)
    if isinstance(names, str) or len(names) != 2 or names[0] == names[1]:
        raise BleuError(f"names {names!r:.60}; give two different names, one for each system")
    made = find_metric(metric, options)
    for hint in made.advice:
        warnings.warn(hint, stacklevel=2)
    corpus = of_strings([(names[0], first), (names[1], second)], references)
    return explain_corpus(corpus, [made], most)[0]


def explain_corpus(
    corpus: Corpus,
    metrics: Sequence[Metric],
    most: int = MOST,
    *,
    jobs: int | None = 1,
    choose: "Chooser | None" = None,
) -> list[DifferenceExplanation]:
    """Say why the scores of two systems differ, by each metric.

    Args:
        corpus: of two systems. It is read twice: what it holds is kept in a temporary file meanwhile.
        metrics: at least one.
        most: how many segments to list.
        jobs: threads; None for all usable processors, once that pays.
        choose: called with the number of segments, returns the indexes of those that are scored, or None for all.

    Raises:
        BleuError: the texts do not fit together, or cannot be scored.
    """
    sources = [*corpus.systems, *corpus.references]
    kept = [Kept(source.blocks) for source in sources]

    def reading(blocks: "Sequence[Any]") -> Corpus:
        renewed = [source._replace(blocks=one) for source, one in zip(sources, blocks, strict=True)]
        systems = len(corpus.systems)
        return corpus._replace(systems=renewed[:systems], references=renewed[systems:])

    counted = count(reading([one.read() for one in kept]), metrics, jobs=jobs, keep_rows=True)
    for system in counted:
        for hint in [hint for stats in system.stats for hint in stats.hints()]:
            warnings.warn(f"{system.name}: {hint}", stacklevel=3)
    chosen = None if choose is None else choose(counted[0].stats[0].segments)
    found = []
    for first, second in zip(*(system.stats for system in counted), strict=True):
        pair = (first, second) if chosen is None else (first.take(chosen), second.take(chosen))
        moving = sorted(enumerate(_influences(*pair)), key=lambda one: -abs(one[1]))[:most]
        listed = [(line if chosen is None else chosen[line], influence) for line, influence in moving]
        found.append((pair, listed))
    wanted = [line for _, listed in found for line, _ in listed]
    texts, _ = pick(reading([one.read_again() for one in kept]), wanted)
    segments = {
        line: (list(map(str, ours)), [text for (text,) in theirs if text is not None])
        for line, (ours, theirs) in texts.items()
    }
    names = [system.name for system in counted]
    return [
        _explain(names, *pair, [Influence(line, influence, *segments[line]) for line, influence in listed])
        for pair, listed in found
    ]


def _influences(first: CorpusStats, second: CorpusStats) -> list[float]:
    """Return the influence of each segment on the second score minus the first; nothing at all scores 0."""
    whole = second.score().score - first.score().score
    without = zip(_scores_without(first), _scores_without(second), strict=True)
    return [whole - (theirs - ours) for ours, theirs in without]


def _scores_without(stats: CorpusStats) -> Iterator[float]:
    """Give the score without each segment, one after the other."""
    for row in stats.rows or ():
        rest = [total - number for total, number in zip(stats.sums, row, strict=True)]
        yield stats.metric.score_from_stats(rest).score if stats.segments > 1 else 0.0


def _explain(
    names: Sequence[str], first: CorpusStats, second: CorpusStats, influences: Sequence[Influence]
) -> DifferenceExplanation:
    metric, scores = first.metric, (first.score(), second.score())
    difference = scores[1].score - scores[0].score
    shares: Sequence[Share] = ()
    hindrance, mean = "", None
    if isinstance(metric, BLEU):
        hindrance = _why_not_shared(metric, *scores)
        if not hindrance:
            shares, mean = _share_out(metric, *scores)
            if abs(sum(share.points for share in shares) - difference) > _ROUNDING:
                hindrance = f"{type(metric).__name__} makes its scores in a way of its own, which cannot be shared out."
                shares, mean = (), None
    return DifferenceExplanation(
        scores[0].name,
        first.signature(),
        metric.higher_is_better,
        tuple(names),
        tuple(score.score for score in scores),
        difference,
        tuple(shares),
        hindrance,
        mean,
        first.segments,
        tuple(map(freeze, influences)),
    )


def _why_not_shared(metric: BLEU, first: "BLEUScore", second: "BLEUScore") -> str:
    """Return why the difference of two scores cannot be shared out among BLEU's factors; "" if it can."""
    if metric.smoothing.method not in SACREBLEU_METHODS:
        known = ", ".join(SACREBLEU_METHODS)
        return f"A difference is shared out for the smoothing methods {known}, not for {metric.smoothing.method}."
    if not (first.score and second.score):
        other = second.score or first.score
        zero = "Both systems have" if not other else f"The {_PLACES[0 if second.score else 1]} system has"
        return f"{zero} a score of 0, which has no logarithm, so the difference cannot be shared out."
    orders = [metric.averaged_orders(score.totals) for score in (first, second)]
    if orders[0] != orders[1]:
        return (
            f"The effective orders differ: a mean of {tell_count(orders[0], 'precision')} for the first system, of"
            f" {orders[1]} for the second. The difference cannot be shared out."
        )
    return ""


def _share_out(metric: BLEU, first: "BLEUScore", second: "BLEUScore") -> tuple[list[Share], float]:
    """Return the shares of BLEU's factors in the difference of two scores above 0, and their logarithmic mean."""
    order = metric.averaged_orders(first.totals)
    factors = [("BP", first.bp, second.bp, 1)]
    for number, (one, other) in enumerate(zip(first.precisions, second.precisions, strict=True), 1):
        if number <= order:
            factors.append((f"p{number}", one / 100, other / 100, order))
    exponents = [log(other / one) / root for _, one, other, root in factors]
    total = sum(exponents)
    # (b - a) / (ln b - ln a), which loses no digits where both scores are nearly the same
    mean = first.score * (expm1(total) / total if total else 1.0)
    shares = zip(factors, exponents, strict=True)
    return [Share(name, one, other, mean * exponent) for (name, one, other, _), exponent in shares], mean
