"""Why the scores of two systems differ.

- `explain_difference`: for strings; `explain_differences`: for a corpus and metrics
- `DifferenceExplanation`: the result, as data, as text and as HTML

BLEU is a product, BP · (p1 · ... · pN)^(1/N), so logarithms split the difference of two scores a and b:
Δ = L(a, b) · (Δ ln BP + Σ Δ ln pn / N), where L(a, b) = (b - a) / (ln b - ln a) is their logarithmic mean. This is the
logarithmic mean Divisia index of Ang (2004), "Decomposition analysis for policymaking in energy", applied to BLEU.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import exp, expm1, fsum, isclose, log
from operator import itemgetter

from bleucli.counting import CorpusStats
from bleucli.counting.corpus import Corpus, of_strings
from bleucli.counting.threads import count_threads
from bleucli.errors import BleuError
from bleucli.limits import string, whole_number
from bleucli.metrics import Metric, find_metric, typography
from bleucli.metrics.explanations import (
    Influence,
    as_data,
    count_rows,
    explaining_module,
    read_segments,
    score_without,
    tell_signature,
    tell_texts,
)
from bleucli.metrics.score import MOST_DECIMALS
from bleucli.prose.blocks import Block, Formula, Heading, Paragraph, Table, as_html, as_text, show_numbers
from bleucli.records import NamedTuple
from bleucli.results.citations import tell_agreement
from bleucli.results.hints import warn
from bleucli.results.signature import Signature
from bleucli.significance.comparison import Sampling, compare_two
from bleucli.significance.resampling import SEED, TRIALS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from bleucli.metrics.explanations import Chooser
    from bleucli.metrics.score import Score
    from bleucli.metrics.typography import Alike

# How many segments are listed by default
MOST = 10
# How far the sum of the shares may be from the difference, because of rounding
_ROUNDING = 1e-9
# Short names of the systems, shown with their outputs, since their own names may be long
_PLACES = ("first", "second")
_SYSTEMS = ("the first system", "the second system")


class Share(NamedTuple):
    """The share of one factor of BLEU in a difference.

    factor: BP, or p1 to pN. first, second: its values for the two systems, from 0 to 1. points: its share, in points.
    """

    factor: str
    first: float
    second: float
    points: float


class DifferenceExplanation(NamedTuple):
    """Why the scores of two systems differ: `print` shows it as text, notebooks show it as HTML.

    Attributes:
        name: the name of the score.
        signature: how the scores were made.
        higher_is_better: false for error rates.
        systems: the names of the two systems.
        scores: the scores of the two systems, in percent.
        difference: the second score minus the first, in points.
        p_value: that of the difference, by paired approximate randomization.
        alike: scores and p-value with typography alike in outputs and references, and with case ignored as well.
        shares: of BLEU's factors in the difference, in points that add up to it; none for other metrics, or if
            `why_not_shared` gives a reason.
        why_not_shared: if BLEU's factors have no shares, the reason, in a sentence; otherwise "".
        logarithmic_mean: the mean that turns logarithms into points; None without shares.
        agreement: in how many percent of pairs of systems that differ as much people agree with their order, from 50,
            for chance, to 80, for 80 or more (Kocmi et al. 2024); None where that was not measured.
        segments: the number of segments.
        moving: how many segments have an influence other than 0.
        influences: the segments that move the difference most, the largest influence first.

    Lines count from 0 here (`influences[0].line`), and from 1 in text, HTML and data.

    >>> from bleucli import explain_difference
    >>> why = explain_difference(["a b c x", "e f"], ["a b c d", "e f"], [["a b c d", "e f"]], "ter")
    >>> round(why.difference, 1), why.influences[0].line, round(why.influences[0].influence, 1)
    (-16.7, 0, -16.7)
    """

    name: str
    signature: Signature
    higher_is_better: bool
    systems: Sequence[str]
    scores: Sequence[float]
    difference: float
    p_value: float
    alike: Sequence[Alike]
    shares: Sequence[Share]
    why_not_shared: str
    logarithmic_mean: float | None
    agreement: float | None
    segments: int
    moving: int
    influences: Sequence[Influence]

    def tell(self, width: int = 2, short: bool = False) -> list[Block]:
        """Return the blocks of text and HTML; width: decimals of the scores, short: short keys in the signature."""
        width = whole_number("width", width, 0, MOST_DECIMALS)
        return [*self._tell(width), *tell_signature(self.name, self.signature, short)]

    def _tell(self, width: int) -> Iterator[Block]:
        yield Heading(f"{self.name}: {self.difference:+z.{width}f} from the first to the second system")
        rows = [
            [place, name, f"{score:.{width}f}"]
            for place, name, score in zip(_PLACES, self.systems, self.scores, strict=True)
        ]
        yield Table(["", "system", self.name], rows, ["", ""], [0, 1])
        if not self.higher_is_better:
            yield Paragraph(f"{self.name} is an error rate: lower is better.")
        if self.agreement is not None:
            yield Paragraph(tell_agreement(self.name, self.agreement, "these two"))
        if self.why_not_shared:
            yield Heading("Where the difference comes from")
            yield Paragraph(self.why_not_shared)
        elif self.shares:
            yield from self._tell_shares(width + 2)
        yield from typography.tell_difference(self.name, self.scores, self.p_value, self.alike, width)
        yield from self._tell_influences(width + 2)

    def _tell_shares(self, width: int) -> Iterator[Block]:
        yield Heading("Where the difference comes from")
        order = len(self.shares) - 1
        several = "p1 × p2" if order == 2 else f"p1 × ... × p{order}"
        product = f"BP × ({several})^(1/{order})" if order > 1 else "BP × p1"
        yield Paragraph(
            f"{self.name} is a product, {product}, so each factor's share of the"
            " difference is proportional to the change in its logarithm. The shares add up to the difference exactly."
        )
        mean, *factors = self._show_factors(width)
        rows = [
            [share.factor, *factors[2 * place : 2 * place + 2], f"{share.points:+z.{width}f}"]
            for place, share in enumerate(self.shares)
        ]
        roles = ["good" if share.points > 0 else "bad" if share.points < 0 else "" for share in self.shares]
        yield Table(
            ["factor", *_PLACES, "points"],
            [*rows, ["sum", "", "", f"{sum(share.points for share in self.shares):+z.{width}f}"]],
            [*roles, ""],
            [0],
        )
        yield Formula(
            [
                "points of BP = L × ln(second / first)",
                f"points of pn = L × ln(second / first) / {order}" if order > 1 else "points of p1 likewise",
                f"L = {mean}, the logarithmic mean of both scores",
            ]
        )

    def _show_factors(self, width: int) -> list[str]:
        """Return L and both values of each factor, with enough digits to recalculate the points."""
        order = len(self.shares) - 1
        points = [float(f"{share.points:.{width}f}") for share in self.shares]

        # Whether a reader who computes with these numbers gets the points that the table shows
        def holds(numbers: Sequence[float]) -> bool:
            mean, *factors = numbers
            if not all(factors):
                return False
            pairs = zip(factors[::2], factors[1::2], [1, *[order] * order], strict=True)
            shares = [mean * log(second / first) / root for first, second, root in pairs]
            return [float(f"{share:.{width}f}") for share in shares] == points

        factors = [value for share in self.shares for value in (share.first, share.second)]
        return show_numbers([self.logarithmic_mean or 0.0, *factors], holds)

    def _tell_influences(self, width: int) -> Iterator[Block]:
        if not self.moving:
            yield Heading("Segments that move the difference")
            yield Paragraph("No segment moves the difference.")
        if not self.influences:
            return
        yield Heading(f"Segments that move the difference most: {len(self.influences)} of {self.segments}")
        better, worse = ("plus", "minus") if self.higher_is_better else ("minus", "plus")
        text = (
            "Influence: the difference with all segments minus the difference without this one, in points. A"
            f" {better} favours the second system, a {worse} the first."
        )
        # Without the only segment, there is no difference, so its influence is all of it
        yield Paragraph(text + " Influences need not add up to the difference." * (self.segments > 1))
        for segment in self.influences:
            favours_second = (segment.influence > 0) == self.higher_is_better
            yield Heading(
                f"line {segment.line + 1}: {segment.influence:+z.{width}f}", "good" if favours_second else "bad"
            )
            yield from tell_texts(_PLACES, segment)

    def as_data(self) -> dict[str, Any]:
        """Return everything as dictionaries, lists, numbers and strings, for JSON; `line` counts from 1."""
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
    metric: str | Metric = "bleu",
    *,
    names: Sequence[str] = ("first", "second"),
    most: int = MOST,
    jobs: int = 1,
    **options: Any,
) -> DifferenceExplanation:
    """Say why the scores of two systems differ: by which factors of BLEU, and by which segments.

    Args:
        first: the output of the first system, n strings.
        second: the output of the second system, n strings.
        references, metric, jobs, options: as for `explain_corpus`.
        names: the names of the two systems.
        most: how many segments to list.

    Returns:
        The scores, from 0 to 100 (error rates may exceed that), and their difference; the shares of BLEU's factors in
        the difference, in points that add up to it; and the segments that move the difference most, with their lines,
        from 0, and their influences, in points. The shares are those of the logarithmic mean Divisia index (Ang 2004).

    Raises:
        BleuError: lengths differ, a segment has no reference, or there is no such metric.
        InputTypeError: something other than strings, or a list of the wrong shape.

    >>> references = [["the cat sat on the mat", "a dog is in the garden", "it was a cold and rainy day"]]
    >>> first = ["the cat sat on the mat", "a dog is in the house", "it was a cold and wet day"]
    >>> second = ["the cat sat on the mat", "a dog is in the garden", "it was a cold and wet day"]
    >>> why = explain_difference(first, second, references, most=1)
    >>> [round(score, 2) for score in why.scores], round(why.difference, 2)
    ([79.1, 86.55], 7.45)
    >>> [(share.factor, round(share.points, 2)) for share in why.shares]
    [('BP', 0.0), ('p1', 1.18), ('p2', 1.53), ('p3', 1.97), ('p4', 2.76)]
    >>> [(segment.line, round(segment.influence, 2)) for segment in why.influences]
    [(1, 7.45)]
    """
    most, jobs = whole_number("most", most, 0), count_threads(jobs)
    if not isinstance(names, list | tuple) or len(names) != 2 or names[0] == names[1]:
        raise BleuError(f"names {names!r:.60}; give two different names, one for each system")
    for name in names:
        string("names", name)
    scorer = find_metric(metric, options)
    for hint in scorer.advice:
        warn(hint)
    corpus = of_strings([(names[0], first), (names[1], second)], references)
    return explain_differences(corpus, [scorer], most, jobs=jobs)[0]


def explain_differences(
    corpus: Corpus,
    metrics: Sequence[Metric],
    most: int = MOST,
    *,
    jobs: int | None = 1,
    choose: Chooser | None = None,
    seed: int | None = SEED,
) -> list[DifferenceExplanation]:
    """Say why the scores of two systems differ, by each metric.

    corpus: with two systems. It is read twice, so its texts are kept in temporary files in the meantime. most: how many
    segments to list. seed: that of the tests; None for fresh random numbers. Other arguments: as for `explain_scores`.
    """
    corpus, read_again = corpus.kept()
    systems, lines = count_rows(corpus, metrics, jobs, choose)
    answers = []
    sampling = Sampling("ar", TRIALS, seed, count_threads(0) if jobs is None else jobs)
    columns = [typography.in_threes(system.stats) for system in systems]
    for metric, (first, first_alike), (second, second_alike) in zip(metrics, *columns, strict=True):
        whole = second.score().score - first.score().score
        rows = zip(first.rows or (), second.rows or (), strict=True)
        influences = [whole - (score_without(second, theirs) - score_without(first, ours)) for ours, theirs in rows]
        moving = sorted(filter(itemgetter(1), enumerate(influences)), key=lambda one: -abs(one[1]))
        certainty = compare_two(first, second, sampling), typography.measure([first_alike, second_alike], sampling)
        listed = [(lines[row], points) for row, points in moving[:most]]
        answers.append((metric, (first, second), certainty, len(moving), listed))
    texts = read_segments(read_again(), [line for *_, influences in answers for line, _ in influences])
    names = [system.name for system in systems]
    return [
        _explain(
            metric, names, *pair, *certainty, moving, [Influence(line, points, *texts[line]) for line, points in listed]
        )
        for metric, pair, certainty, moving, listed in answers
    ]


def _explain(
    metric: Metric,
    names: Sequence[str],
    first: CorpusStats,
    second: CorpusStats,
    p_value: float,
    alike: Sequence[Alike],
    moving: int,
    influences: Sequence[Influence],
) -> DifferenceExplanation:
    scores = first.score(), second.score()
    shares, mean, why_not_shared = share_out(metric, *scores)
    # Curves are those of whole outputs
    agreement = None if first.segments == 1 else first.record().agreement(scores[1].score - scores[0].score)
    return DifferenceExplanation(
        scores[0].name,
        first.signature(),
        metric.higher_is_better,
        tuple(names),
        tuple(score.score for score in scores),
        scores[1].score - scores[0].score,
        p_value,
        tuple(alike),
        tuple(shares),
        why_not_shared,
        mean,
        agreement,
        first.segments,
        moving,
        tuple(influences),
    )


def share_out(
    metric: Metric, first: Score, second: Score, names: Sequence[str] = _SYSTEMS
) -> tuple[Sequence[Share], float | None, str]:
    """Return the shares of a metric's factors in the difference of two scores, and the scores' logarithmic mean.

    If there are none, the third value says why; it is "" if the metric's scores are not products. names: what it calls
    the two systems.
    """
    find_factors = metric.explained_by and getattr(explaining_module(metric), "find_factors", None)
    if not find_factors:
        return (), None, ""
    factors, why_not = find_factors(metric, first, second, names)
    if why_not:
        return (), None, why_not
    # A derived class may score by another formula
    ours, theirs = ([(factor[place], factor[3]) for factor in factors] for place in (1, 2))
    if _is_product(first, ours) and _is_product(second, theirs):
        shares, mean = _share_out(factors, first.score, second.score)
        if abs(sum(share.points for share in shares) - (second.score - first.score)) <= _ROUNDING:
            return shares, mean, ""
    return (
        (),
        None,
        f"{type(metric).__name__} computes its scores in its own way, which cannot be split into factors.",
    )


def _is_product(score: Score, factors: Sequence[tuple[float, int]]) -> bool:
    """Return whether a score above 0 is the product of its factors, each under its root."""
    if not all(factor for factor, _ in factors):
        return False
    product = 100 * exp(fsum(log(factor) / root for factor, root in factors))
    return isclose(score.score, product, rel_tol=_ROUNDING)


def _share_out(
    factors: Sequence[tuple[str, float, float, int]], first: float, second: float
) -> tuple[list[Share], float]:
    """Return the shares of factors in the difference of two scores above 0, and the scores' logarithmic mean."""
    exponents = [(log(other) - log(one)) / root for _, one, other, root in factors]
    total = sum(exponents)
    mean = first
    if abs(total) > 1:
        mean = (second - first) / total
    elif total:  # the same, since second = first · exp(total), but no digits are lost if both scores are nearly equal
        mean = first * (expm1(total) / total)
    shares = zip(factors, exponents, strict=True)
    return [Share(name, one, other, mean * exponent) for (name, one, other, _), exponent in shares], mean
