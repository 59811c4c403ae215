"""What a metric returns: a score and its parts.

- `Score`: the base of the metrics' scores
- `OfScore`: makes a class generic in its score
- `Remarks`, `Bar`: what the calculator's page says of a segment's score; `Metric.remarks` makes it, beside the metric
"""

from __future__ import annotations

from _collections_abc import Iterable  # see CONTRIBUTING.md

from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Generic, Self

    from typing_extensions import TypeVar

    from bleucli.results import Figures, Interval
    from bleucli.results.signature import Signature

    # The metric, a list that gets a copy of it before it changes, its tokenizer, and the arguments of its `signature`
    Made = tuple[Any, Sequence[Any], Any, int, int, Sequence[tuple[str, str]]]

MOST_DECIMALS = 1000


class Score:
    """A score and its parts.

    Two scores are equal if their classes, numbers, parts, intervals and signatures are.

    Attributes:
        name: the name of the metric.
        score: the number, in percent.
        verbose: the text after the number, or "".
        interval: the confidence interval, with `mean` and `half_width`; None without resampling.
        signature: how the score was made. Setting an option of the metric later does not change it.

    >>> from bleucli import TER
    >>> score = TER().corpus_score(["a b c", "d e"], [["a b", "d e"]])
    >>> float(score), f"{score:.1f}", f"{score}", score == TER().corpus_score(["a b c", "d e"], [["a b", "d e"]])
    (25.0, '25.0', 'TER = 25.00', True)
    >>> score.signature.info["case"], score.to_dict()["edits"]
    ('lc', 1)
    """

    # `made` is the signature or, until that is first read, what `Metric.sign` set for making it. It has a slot, which
    # `vars` does not show, since programs write `vars` as JSON.
    __slots__ = ("__dict__", "__weakref__", "made")

    made: Made | Signature | None
    name: str
    score: float
    verbose: str = ""
    interval: Interval | None = None

    @property
    def signature(self) -> Signature:
        """How the score was made. Setting an option of the metric later does not change it.

        Raises:
            BleuError: it is unknown, as for a score that `score_from_stats` returns.
        """
        signature = self._signature_if_known()
        if signature is None:
            from bleucli.errors import BleuError

            raise BleuError(
                "this score has no signature, because score_from_stats does not know the number of references; call"
                " metric.signature(fewest, most) with the smallest and the largest number"
            )
        return signature

    def _signature_if_known(self) -> Signature | None:
        made: Made | Signature | None = getattr(self, "made", None)
        if not isinstance(made, tuple):
            return made
        metric, before, tokenizer, *arguments = made
        metric = before[0] if before else metric
        if tokenizer is not None and tokenizer is not metric.tokenizer:
            from copy import copy

            metric = copy(metric)
            metric.tokenizer = tokenizer
        signature: Signature = metric.signature(*arguments)
        self.made = signature
        return signature

    def figures(self) -> Figures:
        """Return the parts of the score, under the names that all metrics share."""
        from bleucli.results import Figures

        return Figures()

    def format(
        self, width: int = 2, score_only: bool = False, signature: str | Signature = "", is_json: bool = False
    ) -> str:
        """Return the score in one line, or as JSON.

        Args:
            width: the number of decimals, from 0 to 1000.
            score_only: return only the number, with its confidence interval.
            signature: printed after the name.
            is_json: return a JSON object with name, rounded score, signature, interval, components of the score, and a
                key for each part of the signature.

        Raises:
            BleuError: JSON is asked for, and `signature` is not a signature; or `width` is out of range.
            InputTypeError: `width` is not a whole number.
        """
        if type(width) is not int or not 0 <= width <= MOST_DECIMALS:
            from bleucli.limits import whole_number

            width = whole_number("width", width, 0, MOST_DECIMALS)
        if is_json and not score_only:
            return self._as_json(width, str(signature))
        number = "%.*f" % (width, self.score)  # noqa: UP031 # in less time than by a formatted string literal
        if self.interval is not None:
            number += f" (μ = {self.interval.mean:.{width}f} ± {self.interval.half_width:.{width}f})"
        if score_only:
            return number
        label = f"{self.name}|{signature}" if signature else self.name
        verbose = self.verbose
        return f"{label} = {number} {verbose}".rstrip() if verbose else f"{label} = {number}"

    def to_dict(self) -> dict[str, Any]:
        """Return name, score, parts, interval and signature, in types that JSON has.

        Returns:
            `name`; `score`, in percent; those fields of `bleucli.results.Figures` that the metric has;
            `interval`, with `mean` and `half_width`, or None; `signature`, a string, or None if it is unknown.
        """
        parts = {
            name: list(part) if isinstance(part, Iterable) else part
            for name, part in self.figures()._asdict().items()
            if part is not None
        }
        interval = None
        if self.interval is not None:
            mean, half_width = self.interval
            interval = {"mean": mean, "half_width": half_width}
        signature = self._signature_if_known()
        text = None if signature is None else str(signature)
        return {"name": self.name, "score": float(self.score), **parts, "interval": interval, "signature": text}

    def _as_json(self, width: int, signature: str) -> str:
        from json.encoder import encode_basestring as quote

        from bleucli.results.signature import read_parts

        def rounded(number: float) -> float:
            return float(f"{number:.{width}f}")

        fields: dict[str, str | float] = {"name": self.name, "score": rounded(self.score), "signature": signature}
        if self.interval is not None:
            mean, half_width = self.interval
            # sacreBLEU's keys: its `confidence_var` is not a variance, but half the width of the interval
            fields |= {
                "confidence_mean": rounded(mean),
                "confidence_var": rounded(half_width),
                "confidence": f"μ = {mean:.{width}f} ± {half_width:.{width}f}",
            }
        if self.verbose:
            fields["verbose_score"] = self.verbose
        # As `json.dumps` with an indent of 1 writes it, in a third of the time
        names = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
        lines = []
        for key, value in (fields | read_parts(signature)).items():
            text = quote(value) if isinstance(value, str) else names.get(repr(value), repr(value))
            lines.append(f" {quote(key)}: {text}")
        return "{\n" + ",\n".join(lines) + "\n}"

    def __str__(self) -> str:
        return self.format()

    __repr__ = __str__

    def __format__(self, specification: str) -> str:
        return format(self.score, specification) if specification else str(self)

    def __float__(self) -> float:
        return float(self.score)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Score) or type(self) is not type(other):
            return NotImplemented
        return vars(self) == vars(other) and self._signature_if_known() == other._signature_if_known()

    def __hash__(self) -> int:
        return hash((type(self), self.score))

    def __getstate__(self) -> object:
        # Attributes and slots, as pickle wants them; the signature itself, so that the metric is not pickled, too
        return vars(self), {"made": self._signature_if_known()}

    def __copy__(self) -> Self:
        return self._with(vars(self), getattr(self, "made", None))

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        from copy import deepcopy

        made: Made | Signature | None = getattr(self, "made", None)
        # What a signature will be made from is shared: it never changes, as the metric's copy is kept for it
        return self._with(deepcopy(vars(self), memo), made if isinstance(made, tuple) else deepcopy(made, memo))

    def _with(self, attributes: dict[str, Any], made: Made | Signature | None) -> Self:
        other = object.__new__(type(self))
        vars(other).update(attributes)
        other.made = made
        return other

    def _repr_html_(self) -> str:
        """Return a table for notebooks: the score and its parts."""
        from bleucli.prose.markup import html_table

        figures = self.figures()
        shares = zip(figures.precisions or (), figures.counts or (), figures.totals or (), strict=False)
        cells = [(self.name, self.format(score_only=True))]
        cells += [
            (f"p{n}", f"{share:.1f} ({count:.12g}/{total:.12g})") for n, (share, count, total) in enumerate(shares, 1)
        ]
        if figures.brevity_penalty is not None:
            cells.append(("BP", f"{figures.brevity_penalty:.3f}"))
        numbers = {"edits": figures.edits, "output": figures.hypothesis_length, "reference": figures.reference_length}
        cells += [(name, f"{number:.12g}") for name, number in numbers.items() if number is not None]
        return html_table([name for name, _ in cells], [[text for _, text in cells]])


class Bar(NamedTuple):
    """A row of the chart: its bars, one below the other, in percent, and the texts above them."""

    label: str
    counts: str
    shares: Sequence[float]
    value: str


class Remarks(NamedTuple):
    """What a metric says of a segment's score.

    facts: up to three numbers, each with its name. bars, legend: a chart, and what its bars mean. messages: why the
    score is what it is, and what to check, the most serious message first. reading: how to read such scores. band: the
    index of the score's band, in a table of what scores are taken to mean; None if there is no such table.
    """

    facts: Sequence[tuple[str, str]] = ()
    bars: Sequence[Bar] = ()
    legend: str = ""
    messages: Sequence[str] = ()
    reading: str = ""
    band: int | None = None


if TYPE_CHECKING:
    # `Metric` without a parameter stands for a metric with any type of score
    ScoreT_co = TypeVar("ScoreT_co", bound=Score, covariant=True, default=Score)

    class OfScore(Generic[ScoreT_co]):
        """Generic in the type of a score."""

else:

    class OfScore:
        """Generic in the type of a score like `typing.Generic`, but without importing `typing`, which takes time."""

        __class_getitem__ = classmethod(type(list[int]))
