"""Gates for Makefiles and CI: scores that are too low, or have fallen.

- `Bound`, `read_bounds`: the worst score or the largest drop that is allowed, metric by metric
- `Gates`: the bounds of a run; `judge` gives the verdict on each score, `hints` warns where one is less certain than it
  looks
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bleucli.errors import UsageError
from bleucli.gates.baselines import Baseline, find, shift_of
from bleucli.limits import read_number
from bleucli.metrics import METRICS, VARIANTS, find_name
from bleucli.phrases import suggest
from bleucli.records import NamedTuple
from bleucli.results import Results, ScoreRecord, Verdict, in_scale

TYPE_CHECKING = False
if TYPE_CHECKING:
    from decimal import Decimal
    from typing import Any

FAIL_UNDER, MAX_DROP = "--fail-under", "--max-drop"


class Bound(NamedTuple):
    """The worst score or the largest drop that is allowed: in points, or in percent of the baseline's score.

    Points are on the scale of the printed scores.
    """

    number: float
    percent: bool = False

    def __str__(self) -> str:
        return f"{repr(self.number).removesuffix('.0')}%" if self.percent else repr(self.number)


# The number of decimals that messages advise for a baseline
_MANY_DECIMALS = 9
# Scores with more decimals than this are as exact as a double
_ROUNDED_DECIMALS = 11


# --- bounds


def read_bounds(option: str, text: str) -> dict[str, Bound]:
    """Read the value of `FAIL_UNDER`, or of `MAX_DROP`, whose bounds may be in percent: bounds by metric, or for "".

    >>> read_bounds(MAX_DROP, "bleu=0.3,ter=2%")
    {'bleu': Bound(number=0.3, percent=False), 'ter': Bound(number=2.0, percent=True)}
    >>> read_bounds(FAIL_UNDER, "40")
    {'': Bound(number=40.0, percent=False)}
    """
    example = "a score, or scores by metric: chrf=55,ter=60"
    if option == MAX_DROP:
        example = "a number, or numbers by metric: bleu=0.3,ter=2% (of the baseline's score)"
    wrong_form = UsageError(f"{option} {text!r}; expected {example}")
    bounds: dict[str, Bound] = {}
    parts = text.split(",")
    for part in parts:
        metric, equals, number = (word.strip() for word in part.rpartition("="))
        if bool(equals) != bool(metric) or (not metric and len(parts) > 1):
            raise wrong_form
        if metric in bounds:
            raise UsageError(f"{option} {text!r} has two bounds for {metric}; give one")
        percent = option == MAX_DROP and number.endswith("%")
        try:
            bounds[metric] = Bound(read_number(number.removesuffix("%") if percent else number), percent)
        except ValueError:
            raise wrong_form from None
        if option == MAX_DROP and str(bounds[metric]).startswith("-"):  # -0 is probably a mistake
            raise UsageError(f"{option} {format_bounds({metric: bounds[metric]})}; expected 0 or more")
    return bounds


def format_bounds(bounds: Mapping[str, Bound]) -> str:
    """Return bounds as they are given on the command line.

    >>> format_bounds({"bleu": Bound(0.3), "ter": Bound(2, percent=True)})
    'bleu=0.3,ter=2%'
    """
    return ",".join(f"{metric}={bound}" if metric else str(bound) for metric, bound in bounds.items())


def _bounds_of(option: str, value: str | None, names: Mapping[str, str]) -> dict[str, Bound]:
    """Return bounds by the names of the metrics that are scored; `names` maps every accepted name to one of these."""
    bounds = {} if value is None else read_bounds(option, value)
    aliases = {**names} | {word: names[name] for word in bounds if (name := find_name(word)) in names}
    other = next((word for word in bounds if word and word not in aliases), "")
    if other:
        raise UsageError(_explain_unscored(option, str(value), find_name(other) or other, names))
    renamed: dict[str, Bound] = {}
    for word, bound in bounds.items():
        name = aliases.get(word, "")
        if name in renamed:
            remark = "" if word == name else f", which is also called {word}"
            raise UsageError(f"{option} has two bounds for {name}{remark}; give one")
        renamed[name] = bound
    return renamed


def _check_scale(option: str, bounds: Mapping[str, Bound], unnamed: Sequence[str]) -> None:
    """Refuse bounds beyond a scale from 0 to 1, except for error rates, which may exceed it.

    unnamed: the metrics that a bound without a name applies to.
    """
    for name, bound in bounds.items():
        metrics = [name] if name else unnamed
        # A score can be 1, but a gate that allows a drop of 1 can never fail
        is_beyond = bound.number >= 1 if option == MAX_DROP else bound.number > 1
        # Scores from elsewhere have their own scale
        own = [METRICS[one] for one in metrics if one in METRICS]
        if is_beyond and not bound.percent and any(one.higher_is_better for one in own):
            raise UsageError(
                f"{option} {bound} is {'not below' if option == MAX_DROP else 'above'} 1, but bounds have the"
                f" scale of the printed scores, here 0 to 1; write {bound.number / 100:g}, or choose --scale 100"
            )


def _explain_unscored(option: str, value: str, word: str, names: Mapping[str, str]) -> str:
    """Return the error about a bound whose name is not a metric's, or whose metric is not scored."""
    metrics = list(dict.fromkeys(names.values()))
    # Scores from elsewhere have their own names
    elsewhere = [name for name in metrics if name not in METRICS]
    choices = [*METRICS, *VARIANTS, *elsewhere] if metrics[0] in METRICS else metrics
    if word not in choices:
        return (
            f"{option} {value!r}: {word!r} is not a metric; expected one of {', '.join(choices)}"
            f"{suggest(word, choices)}"
        )
    # Only one variant of a metric can be scored: chrf++ takes the place of chrf
    rest = [name for name in metrics if name != VARIANTS.get(word, ("",))[0]]
    label = word if word in VARIANTS else METRICS[word].name
    return f"{option} is about {label}, which is not scored; add it: -m {' '.join([*rest, word])}"


# --- judgement


class _Drop(NamedTuple):
    """A score of a system that has a bound, and the earlier one. All numbers are in percent.

    score: the new score, rounded as the earlier one seems to be. drop: how much worse it is. allowed: how much worse it
    may be. scale: that of the score in messages.
    """

    system: str
    record: ScoreRecord
    bound: Bound
    earlier: Decimal
    score: Decimal
    drop: Decimal
    allowed: Decimal
    scale: int


class Gates(NamedTuple):
    """The bounds of a run.

    fail_under: the worst scores allowed, by metric; "" stands for `first`. max_drop: how much worse than the baseline's
    a score may be, by metric; "" stands for all other metrics. metrics: the names of the metrics in the bounds, in the
    order of the scores; by default the names of the scores. scale: that of bounds and messages, 100 or 1; scores are in
    percent, and an earlier answer has its own scale. first: the metric that was named first; by default the first that
    is scored.
    """

    fail_under: Mapping[str, Bound] = {}
    max_drop: Mapping[str, Bound] = {}
    metrics: Sequence[str] = ()
    scale: int = 100
    first: str = ""

    @classmethod
    def read(
        cls,
        fail_under: str | None,
        max_drop: str | None,
        metrics: Sequence[str],
        scale: int,
        first: str = "",
        arguments: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Gates:
        """Return the bounds in the values of options, which may name metrics in several ways.

        arguments: those of constructors, by metric; they say which variants of metrics, such as chrf++, are scored.
        """
        first = first or metrics[0]
        names = {name: name for name in metrics}
        for variant, (name, preset) in VARIANTS.items():
            if name in metrics and preset.items() <= (arguments or {}).get(name, {}).items():
                names[variant] = name
        worst, drops = _bounds_of(FAIL_UNDER, fail_under, names), _bounds_of(MAX_DROP, max_drop, names)
        if scale == 1:
            _check_scale(FAIL_UNDER, worst, [first])
            _check_scale(MAX_DROP, drops, metrics)
        return cls(worst, drops, metrics, scale, first)

    def judge(self, results: Results, baseline: Baseline | None = None) -> list[Verdict]:
        """Judge each score by the gates that apply to it.

        A score with a test has dropped only if it is significantly worse; other differences may be due to chance. If
        the earlier score is rounded, this one is rounded in the same way before the two are compared, so that an
        unchanged score never counts as a drop.

        results: if both runs are known, their references must be the same. baseline: an earlier answer; without one,
        the first system is the baseline.

        >>> from bleucli.results import SystemResult
        >>> from bleucli.results.signature import Signature
        >>> record = ScoreRecord("chrF2", 54.6, "", Signature([("nc", "6")]), higher_is_better=True)
        >>> results = Results([SystemResult("sys.txt", [record])], 100, [])
        >>> [verdict.failure for verdict in Gates(fail_under={"chrF2": Bound(55)}).judge(results)]
        ['sys.txt: chrF2 54.6 is under 55 (--fail-under)']
        """
        names = self._names(results)
        verdicts = []
        for system in results.systems:
            for name, record in zip(names, system.scores, strict=True):
                bound = self.fail_under.get(name, self.fail_under.get("") if name == (self.first or names[0]) else None)
                if bound is not None:
                    score = in_scale(record.score, _scale_of(record, self.scale))  # not rounded
                    worse = "under" if record.higher_is_better else "over"
                    is_worse = score < bound.number if record.higher_is_better else score > bound.number
                    failure = f"{system.name}: {record.name} {score!r} is {worse} {bound} ({FAIL_UNDER})"
                    verdicts.append(Verdict(system.name, record, f"{FAIL_UNDER} {bound}", failure if is_worse else ""))
        for one in self._compare(results, baseline):
            earlier = _tell(one.earlier, one.scale)
            if baseline is not None and _is_rounded_too_far(one, baseline):
                raise UsageError(
                    f"{baseline.path} has {one.record.name} {earlier}, which may be rounded too far for {MAX_DROP}"
                    f" {one.bound}; write the baseline with -w {_MANY_DECIMALS}, or with -f jsonl, which does not round"
                )
            failure, p_value = "", one.record.p_value
            if one.drop > one.allowed and (p_value is None or one.record.differs):  # otherwise it may be due to chance
                since = f" since {baseline.path}" if baseline else ""
                certainty = "" if p_value is None else f", p = {p_value:.4f}"
                most = str(one.bound)
                if one.bound.percent:
                    most += f" of {earlier} = {_tell(one.allowed, one.scale)}"
                failure = (
                    f"{one.system}: {one.record.name} {_tell(one.score, one.scale)} is worse than {earlier} by"
                    f" {_tell(one.drop, one.scale)}{since}{certainty}, more than {most} ({MAX_DROP})"
                )
            verdicts.append(Verdict(one.system, one.record, f"{MAX_DROP} {one.bound}", failure))
        return verdicts

    def hints(self, results: Results, baseline: Baseline | None = None) -> Iterator[str]:
        """Warn where a verdict on a drop is less certain than it looks; arguments as in `judge`."""
        if not self.max_drop:
            return
        if baseline is None and results.test is not None and results.test.method == "bs":
            # Of single comparisons at p ≤ 0.05, between systems without a difference; measured by scripts/familywise
            yield (
                f"{MAX_DROP} rests on --paired-bs, which finds a significant difference between equally good systems in"
                " 10-13% of tests (--paired-ar: 5%); --paired-ar is safer"
            )
        if baseline is None:
            return
        for one in self._compare(results, baseline):
            is_rounded = baseline.decimals_of(one.record.name) <= _ROUNDED_DECIMALS
            if is_rounded and one.drop == one.allowed == 0 and _decimal(one.record.score) != one.earlier:
                earlier = _tell(one.earlier, one.scale)
                yield (
                    f"{one.system}: {one.record.name} is {earlier}, as in {baseline.path}; a drop smaller than its"
                    f" last digit goes unnoticed: write the baseline with -w {_MANY_DECIMALS}"
                )

    def notes(self, labels: Sequence[str]) -> Iterator[str]:
        """Say which metric a bare bound applies to, where several are scored; `labels` are the names of the scores."""
        if len(self.metrics) == 1:
            return
        if "" in self.fail_under:
            bound = self.fail_under[""]
            label = labels[self.metrics.index(self.first)]
            other = next(name for name in self.metrics if name != self.first)
            yield (
                f"--fail-under {bound} applies to {label} only, the first metric named;"
                f" to gate others as well, write --fail-under {self.first}={bound},{other}=X"
            )
        if "" in self.max_drop:
            bound = self.max_drop[""]
            each = ",".join(f"{name}={bound}" for name in self.metrics)
            yield (
                f"--max-drop {bound} applies to {' and '.join(labels)}; to set them separately, write --max-drop {each}"
            )

    def _compare(self, results: Results, baseline: Baseline | None) -> Iterator[_Drop]:
        """Compare each score that has a bound with the baseline's."""
        run = results.run
        for row, (group, index) in enumerate(results.places()):
            if baseline is None and index == 0:
                continue
            system = group.systems[index]
            inputs = [] if run is None else [run.systems[row], *run.systems, *run.references]
            for name, record, first in zip(self._names(results), system.scores, group.systems[0].scores, strict=True):
                bound = self.max_drop.get(name, self.max_drop.get(""))
                if bound is None:
                    continue
                own = _scale_of(record, self.scale)
                if baseline is None:
                    earlier, score = _decimal(first.score), _decimal(record.score)
                else:
                    earlier = find(baseline, system.name, record, inputs)
                    decimals = max(1, baseline.decimals_of(record.name))
                    score = _as_written(record.score, decimals, _scale_of(record, baseline.scale))
                drop = earlier - score if record.higher_is_better else score - earlier
                allowed = _decimal(bound.number).scaleb(shift_of(own))
                if bound.percent:
                    allowed = (abs(earlier) * _decimal(bound.number) / 100).normalize()
                yield _Drop(system.name, record, bound, earlier, score, drop, allowed, own)

    def _names(self, results: Results) -> Sequence[str]:
        return self.metrics or [record.name for record in results.systems[0].scores]


def _scale_of(record: ScoreRecord, scale: int) -> int:
    """Return the scale of a score; those that another tool computed are printed as they are."""
    return scale if record.scale is None else 100


def _is_rounded_too_far(one: _Drop, baseline: Baseline) -> bool:
    """Return whether the earlier score has too few decimals to tell if a drop is allowed.

    If no drop is allowed, the baseline's decimals are enough. JSON leaves out trailing zeros, so a score that is whole
    in percent may have been rounded to one decimal, or more coarsely. This matters only if one reading is too large a
    drop and the other is not a drop.
    """
    decimals = baseline.decimals_of(one.record.name)
    if _decimal(one.record.score) == one.earlier or decimals > _ROUNDED_DECIMALS:
        return False
    if 0 < one.allowed < _decimal(1.0).scaleb(-max(1, decimals)):
        return True
    if decimals >= 1 or one.drop <= one.allowed:
        return False
    return _as_written(one.record.score, decimals, _scale_of(one.record, baseline.scale)) == one.earlier


def _as_written(score: float, decimals: int, scale: int) -> Decimal:
    """Return a score in percent, rounded as in JSON on a scale; decimals: those of the score in percent.

    >>> str(_as_written(33.8624, 1, 100)), str(_as_written(33.9000001, 3, 100)), str(_as_written(0.1 + 0.2, 17, 100))
    ('33.9', '33.9', '0.30000000000000004')
    >>> str(_as_written(33.8624, 1, 1)), str(_as_written(33.8624, -1, 1))
    ('33.9', '3E+1')
    """
    shift = shift_of(scale)
    # By way of a double, which JSON writes with the fewest digits that identify it
    return _decimal(float(f"{in_scale(score, scale):.{decimals + shift}f}")).scaleb(shift)


def _decimal(number: float) -> Decimal:
    from decimal import Decimal

    return Decimal(repr(number))


def _tell(number: Decimal, scale: int) -> str:
    """Return a number in percent as printed on a scale.

    >>> _tell(_decimal(48.5), 100), _tell(_decimal(48.5), 1)
    ('48.5', '0.485')
    """
    return f"{number.scaleb(-shift_of(scale)):f}"
