"""Gates for Makefiles and CI: scores that are too low, or have fallen.

- `Bound`, `read_bounds`: how low a score may be, or by how much it may drop, metric by metric
- `read_baseline`: an earlier answer
- `judge`: what gates say of each score
- `hints`: what such a gate does not bear out
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from bleucli.errors import BleuError, UsageError
from bleucli.limits import read_number
from bleucli.records import NamedTuple
from bleucli.results import BOOTSTRAP_RATE, Results, ScoreRecord, Verdict
from bleucli.signature import RESAMPLING_KEYS, Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from decimal import Decimal
    from typing import Any

FAIL_UNDER, MAX_DROP = "--fail-under", "--max-drop"


class Bound(NamedTuple):
    """How low a score may be, or by how much it may drop: in points, or in percent of the baseline's score."""

    number: float
    percent: bool = False

    def __str__(self) -> str:
        return f"{repr(self.number).removesuffix('.0')}%" if self.percent else repr(self.number)


class Earlier(NamedTuple):
    """A score of an earlier answer, as it was written, and how it was made."""

    score: "Decimal"
    signature: Signature


class Baseline(NamedTuple):
    """An earlier answer: for each system, "" if there is but one, its scores by metric, the latest one last.

    decimals: of the scores, as far as can be seen: the most that any of them shows, without zeros at the end.
    form: in which it was written, json or jsonl; the scores of the latter are exact.
    """

    path: str
    systems: Mapping[str, Mapping[str, Sequence[Earlier]]]
    decimals: int
    form: str = "json"


# Keys of a signature that do not decide a score
_IGNORED_KEYS = (*RESAMPLING_KEYS, "version")
# What a baseline is best written with
_MANY_DECIMALS = 9
# Scores with more decimals than these were not rounded, but for the last digit of a double
_ROUNDED_DECIMALS = 11
_MOST_DECIMALS = 1000  # as for --width


# --- bounds


def read_bounds(option: str, text: str) -> dict[str, Bound]:
    """Read the value of an option: bounds by metric, or one without a metric under "".

    Args:
        option: `FAIL_UNDER` or `MAX_DROP`, which may be in percent.
        text: what was given for it.

    Raises:
        UsageError: it has another form.

    >>> read_bounds(MAX_DROP, "bleu=0.3,ter=2%")
    {'bleu': Bound(number=0.3, percent=False), 'ter': Bound(number=2.0, percent=True)}
    >>> read_bounds(FAIL_UNDER, "40")
    {'': Bound(number=40.0, percent=False)}
    """
    bounds: dict[str, Bound] = {}
    parts = text.split(",")
    for part in parts:
        metric, equals, number = (word.strip() for word in part.rpartition("="))
        if bool(equals) != bool(metric) or (not metric and len(parts) > 1):
            raise _wrong_form(option, text)
        if metric in bounds:
            raise UsageError(f"{option} {text!r} has two bounds for {metric}; give one")
        percent = option == MAX_DROP and number.endswith("%")
        try:
            bounds[metric] = Bound(read_number(number.removesuffix("%") if percent else number), percent)
        except ValueError:
            raise _wrong_form(option, text) from None
        _check_number(option, metric, bounds[metric])
    return bounds


def _wrong_form(option: str, text: str) -> UsageError:
    example = "a score, or scores by metric: chrf=55,ter=60"
    if option == MAX_DROP:
        example = "a number, or numbers by metric: bleu=0.3,ter=2% (of the baseline's score)"
    return UsageError(f"{option} {text!r}; expected {example}")


def _check_number(option: str, metric: str, bound: Bound) -> None:
    if option == MAX_DROP and str(bound).startswith("-"):  # -0 is most likely a slip
        raise UsageError(f"{option} {format_bounds({metric: bound})}; expected a number from 0 on")


def format_bounds(bounds: Mapping[str, Bound]) -> str:
    """Return bounds as they are given on the command line.

    >>> format_bounds({"bleu": Bound(0.3), "ter": Bound(2, percent=True)})
    'bleu=0.3,ter=2%'
    """
    return ",".join(f"{metric}={bound}" if metric else str(bound) for metric, bound in bounds.items())


# --- judgement


def judge(
    results: Results,
    fail_under: Mapping[str, Bound] | None = None,
    max_drop: Mapping[str, Bound] | None = None,
    baseline: "Baseline | None" = None,
    metrics: Sequence[str] = (),
) -> list[Verdict]:
    """Say of each score whether it passes the gates that are about it.

    A score that was tested has dropped only if it is significantly worse; else it may be chance. An earlier score that
    was rounded is compared with this one rounded alike, so that a score that has not changed has not dropped.

    Args:
        results: finished.
        fail_under: the worst scores allowed, by metric; "" stands for the first one.
        max_drop: by how much scores may be worse than the baseline's, by metric; "" stands for all that are not named.
        baseline: an earlier answer; without one the first system is the baseline.
        metrics: what the bounds call the metrics, in the order of the scores; by default as the scores are called.

    Raises:
        BleuError: a bound is about a metric that was not scored; or the earlier answer lacks a system or a metric, was
            made in another way, or was rounded too far.

    >>> record = ScoreRecord("chrF2", 54.6, "", Signature([("nc", "6")]), higher_is_better=True)
    >>> from bleucli.results import SystemResult
    >>> results = Results([SystemResult("sys.txt", [record])], 100, [])
    >>> [verdict.failure for verdict in judge(results, fail_under={"chrF2": Bound(55)})]
    ['sys.txt: chrF2 54.6 is under 55 (--fail-under)']
    """
    names = metrics or [record.name for record in results.systems[0].scores]
    for option, bounds in ((FAIL_UNDER, fail_under or {}), (MAX_DROP, max_drop or {})):
        other = next((name for name in bounds if name and name not in names), None)
        if other is not None:
            raise UsageError(f"{option} is about {other}, which was not scored; there are {', '.join(names)}")
    return [
        *_judge_scores(results, fail_under or {}, names),
        *_judge_drops(results, max_drop or {}, baseline, names),
    ]


def _judge_scores(results: Results, bounds: Mapping[str, Bound], names: Sequence[str]) -> Iterator[Verdict]:
    """Judge the scores, unrounded, that have a bound."""
    for system in results.systems:
        for index, (name, record) in enumerate(zip(names, system.scores, strict=True)):
            bound = bounds.get(name, bounds.get("") if index == 0 else None)
            if bound is None:
                continue
            worse = "under" if record.higher_is_better else "over"
            is_worse = record.score < bound.number if record.higher_is_better else record.score > bound.number
            told = f"{system.name}: {record.name} {record.score!r} is {worse} {bound} ({FAIL_UNDER})"
            yield Verdict(system.name, record, f"{FAIL_UNDER} {bound}", told if is_worse else "")


# --- an earlier answer


def read_baseline(path: str, name: str) -> Baseline:
    """Read an earlier answer, written with `-f json` or `-f jsonl`; name: of the file, for errors.

    Raises:
        BleuError: it cannot be read, or is not an answer of ours.
    """
    try:
        with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:  # names may be no UTF-8
            text = file.read()
    except OSError as error:
        raise BleuError(f"cannot read {name}: {error.strerror or error}; make it with -f json -o {name}") from None
    if _is_history(text):
        return _read_history(text, name)
    answer = None
    try:
        answer = _load(text)
    except ValueError as error:
        raise BleuError(f"{name} is not valid JSON ({error}); make it with -f json -o {name}") from None
    except (ArithmeticError, RecursionError):  # a number, or a nesting, that no answer of ours has
        pass
    try:
        systems = _systems(answer)
    except (ArithmeticError, AttributeError, BleuError, KeyError, TypeError):
        raise BleuError(f"{name} is JSON, but not an answer of bleu -f json; make it with -f json -o {name}") from None
    decimals = max(_decimals(one.score) for scores in systems.values() for one in scores.values())
    return Baseline(
        name, {system: {key: [one] for key, one in scores.items()} for system, scores in systems.items()}, decimals
    )


def _load(text: str) -> "Any":
    import json
    from decimal import Decimal

    return json.loads(text, parse_float=Decimal, parse_int=Decimal)


def _is_history(text: str) -> bool:
    """Return whether an answer is of lines of `-f jsonl`: the first one is an object that says so."""
    try:
        first = _load(text.partition("\n")[0])
    except (ValueError, ArithmeticError, RecursionError):
        return False
    return isinstance(first, dict) and "schema" in first


def _read_history(text: str, name: str) -> Baseline:
    """Read the scores of whole outputs in lines of `-f jsonl`, of one run or of many.

    Raises:
        BleuError: a line is none of ours, or there is none of a whole output.
    """
    found: dict[str, dict[str, list[Earlier]]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            item = _load(line)
            system, metric, earlier = _text(item["system"]), _text(item["metric"]), _earlier(item)
        except (ArithmeticError, AttributeError, KeyError, RecursionError, TypeError, ValueError):
            raise BleuError(
                f"{name}, line {number} is not a line of bleu -f jsonl; delete it, or make the file with -f jsonl -o"
                f" {name}"
            ) from None
        if item.get("segment") is None:
            found.setdefault(system, {}).setdefault(metric, []).append(earlier)
    if not found:
        raise BleuError(f"{name} has scores of segments alone; make it without --sentence-level")
    systems = found if len(found) > 1 else {"": next(iter(found.values()))}
    return Baseline(name, systems, _MOST_DECIMALS, "jsonl")


def _earlier(item: "dict[str, Any]") -> Earlier:
    """Return the score of a line.

    Raises:
        KeyError, TypeError: it has none.
    """
    signature = [(_text(key), _text(value)) for key, value in item["signature"].items()]
    return Earlier(_number(item["score"]), Signature(signature))


def _systems(answer: "Any") -> dict[str, dict[str, Earlier]]:
    """Return the scores in an answer of one score, of several, or of several systems.

    Raises:
        ArithmeticError, AttributeError, BleuError, KeyError, TypeError: it is none.
    """
    items = answer if isinstance(answer, list) and answer else [answer]
    if "system" not in items[0]:
        return {"": {_text(item["name"]): _score(item) for item in items}}
    names = _names_without_test([_text(item.pop("system")) for item in items])
    found = [{metric: _score(value) for metric, value in item.items()} for item in items]
    if not all(found):
        raise KeyError("a system without scores")
    return dict(zip(names, found, strict=True))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _number(value: object) -> "Decimal":
    from decimal import Decimal
    from math import isfinite

    if not (isinstance(value, Decimal) and isfinite(float(value))):
        raise TypeError("not a score")
    return value


def _score(item: "dict[str, Any]") -> Earlier:
    return Earlier(_number(item["score"]), Signature.parse(_text(item["signature"])))


def _names_without_test(names: list[str]) -> list[str]:
    """Return what systems are called where no test makes the first one the baseline.

    >>> _names_without_test(["Baseline: a.txt", "b.txt"]), _names_without_test(["Baseline", "System 1"])
    (['a.txt', 'b.txt'], ['System 1', 'System 2'])
    """
    if names[0] != "Baseline":
        return [names[0].removeprefix("Baseline: "), *names[1:]]
    columns = {"Baseline": "System 1"} | {f"System {number}": f"System {number + 1}" for number in range(1, len(names))}
    return [columns.get(name, name) for name in names]


def _decimals(number: "Decimal") -> int:
    """Return how many decimals a number shows, zeros at the end left out, as JSON leaves them out.

    >>> from decimal import Decimal
    >>> _decimals(Decimal("33.90")), _decimals(Decimal("34.0")), _decimals(Decimal("1e3"))
    (1, 0, 0)
    """
    exponent = number.normalize().as_tuple().exponent
    return min(max(0, -exponent), _MOST_DECIMALS) if isinstance(exponent, int) else 0


# --- drops


def _judge_drops(
    results: Results, bounds: Mapping[str, Bound], baseline: Baseline | None, names: Sequence[str]
) -> Iterator[Verdict]:
    """Judge the scores whose drops have a bound."""
    for system, record, earlier, bound in _compare(results, bounds, baseline, names):
        score, drop = _drop(record, earlier, baseline)
        allowed = _allowed(bound, earlier)
        if baseline is not None and _is_rounded_too_far(record, earlier, baseline, allowed):
            raise UsageError(
                f"{baseline.path} has {record.name} {earlier}, which is rounded too far for {MAX_DROP} {bound}; write"
                f" the baseline with -w {_MANY_DECIMALS}"
            )
        failure = ""
        if drop > allowed and (record.p_value is None or record.differs):  # else it may be chance
            since = f" since {baseline.path}" if baseline else ""
            p_value = f", p = {record.p_value:.4f}" if record.p_value is not None else ""
            most = f"{bound} of that, {allowed:f}" if bound.percent else f"{bound}"
            failure = (
                f"{system}: {record.name} {score:f} is worse than {earlier:f} by {drop:f}{since}{p_value}, more than"
                f" {most} ({MAX_DROP})"
            )
        yield Verdict(system, record, f"{MAX_DROP} {bound}", failure)


def _allowed(bound: Bound, earlier: "Decimal") -> "Decimal":
    """Return by how much a score may be worse than an earlier one.

    >>> from decimal import Decimal
    >>> str(_allowed(Bound(2, percent=True), Decimal("48.5"))), str(_allowed(Bound(0.3), Decimal("48.5")))
    ('0.97', '0.3')
    """
    return (abs(earlier) * _decimal(bound.number) / 100).normalize() if bound.percent else _decimal(bound.number)


def _decimal(number: float) -> "Decimal":
    from decimal import Decimal

    return Decimal(repr(number))


def _as_written(score: float, decimals: int) -> "Decimal":
    """Return a score as JSON of so many decimals has it.

    >>> str(_as_written(33.8624, 1)), str(_as_written(33.9000001, 3)), str(_as_written(0.1 + 0.2, 17))
    ('33.9', '33.9', '0.30000000000000004')
    """
    return _decimal(float(f"{score:.{decimals}f}"))


def _drop(record: ScoreRecord, earlier: "Decimal", baseline: Baseline | None) -> "tuple[Decimal, Decimal]":
    """Return this score, rounded as the baseline's seems to be, and by how much it is worse."""
    score = _as_written(record.score, max(1, baseline.decimals)) if baseline else _decimal(record.score)
    return score, earlier - score if record.higher_is_better else score - earlier


def _is_rounded_too_far(record: ScoreRecord, earlier: "Decimal", baseline: Baseline, allowed: "Decimal") -> bool:
    """Return whether the earlier score has too few decimals to tell if a drop is allowed.

    None at all is allowed as far as the baseline shows it. A whole number may have been rounded to one, or to one
    decimal; that matters only where one way it is too much of a drop, and the other way none.
    """
    if _decimal(record.score) == earlier or baseline.decimals > _ROUNDED_DECIMALS:
        return False
    if 0 < allowed < _decimal(1.0).scaleb(-max(1, baseline.decimals)):
        return True
    could_be_whole = baseline.decimals == 0 and _as_written(record.score, 0) == earlier
    return could_be_whole and _drop(record, earlier, baseline)[1] > allowed


def _compare(
    results: Results, bounds: Mapping[str, Bound], baseline: Baseline | None, names: Sequence[str]
) -> "Iterator[tuple[str, ScoreRecord, Decimal, Bound]]":
    """Give each system's name, its score, the one to compare it with, and the bound of the drop, if it has one."""
    first = results.systems[0].scores
    for system in results.systems if baseline else results.systems[1:]:
        for name, record, other in zip(names, system.scores, first, strict=True):
            bound = bounds.get(name, bounds.get(""))
            if bound is not None:
                earlier = _find_earlier(baseline, system.name, record) if baseline else _decimal(other.score)
                yield system.name, record, earlier, bound


def _find_earlier(baseline: Baseline, system: str, record: ScoreRecord) -> "Decimal":
    """Return the score in an earlier answer: the latest one that was made in the same way."""
    scores = baseline.systems.get("", baseline.systems.get(system))
    if scores is None:
        raise BleuError(f"{baseline.path} has no system {system}; it has {', '.join(baseline.systems)}")
    if record.name not in scores:
        raise BleuError(f"{baseline.path} has no {record.name}; it has {', '.join(scores)}")
    ours = _strip_tests(record.signature)
    for score, signature in reversed(scores[record.name]):
        if _strip_tests(signature).info == ours.info:
            return score
    theirs = _strip_tests(scores[record.name][-1].signature)
    raise BleuError(
        f"{baseline.path} has {record.name}|{theirs}, but this is {record.name}|{ours}; score both in the same way"
    )


def _strip_tests(signature: "Iterable[tuple[str, str]]") -> Signature:
    """Return a signature without what does not decide a score."""
    return Signature((key, value) for key, value in signature if key not in _IGNORED_KEYS)


def hints(
    results: Results,
    max_drop: Mapping[str, Bound] | None = None,
    baseline: Baseline | None = None,
    metrics: Sequence[str] = (),
) -> Iterator[str]:
    """Say what passed or failed gates for drops do not bear out; arguments as in `judge`."""
    if not max_drop:
        return
    if baseline is None and results.test is not None and results.test.method == "bs":
        yield f"{MAX_DROP} rests on --paired-bs, which {BOOTSTRAP_RATE}; --paired-ar is safer"
    if baseline is None or baseline.decimals > _ROUNDED_DECIMALS:
        return
    names = metrics or [record.name for record in results.systems[0].scores]
    for system, record, earlier, bound in _compare(results, max_drop, baseline, names):
        is_hidden = _drop(record, earlier, baseline)[1] == 0 and _decimal(record.score) != earlier
        if is_hidden and _allowed(bound, earlier) == 0:
            yield (
                f"{system}: {record.name} is {earlier}, as in {baseline.path}; a drop behind its last digit is not"
                f" seen: write the baseline with -w {_MANY_DECIMALS}"
            )
