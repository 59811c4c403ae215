"""Gates for Makefiles and CI: scores that are too low, or have fallen.

- `find_low_scores`: systems on the wrong side of a bound
- `read_baseline`, `find_drops`: scores that are worse than those of an earlier answer, or than the first system's
- `hints`: what such a gate does not bear out
"""

from collections.abc import Iterable, Iterator, Mapping

from bleucli.errors import BleuError, UsageError
from bleucli.records import NamedTuple
from bleucli.results import BOOTSTRAP_RATE, Results, ScoreRecord
from bleucli.signature import RESAMPLING_KEYS, Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from decimal import Decimal
    from typing import Any


class Earlier(NamedTuple):
    """A score of an earlier answer, as it was written, and how it was made."""

    score: "Decimal"
    signature: Signature


class Baseline(NamedTuple):
    """An earlier answer: for each system, "" if there is but one, its scores by metric.

    decimals: of the scores, as far as can be seen: the most that any of them shows, without zeros at the end.
    """

    path: str
    systems: Mapping[str, Mapping[str, Earlier]]
    decimals: int


# Keys of a signature that do not decide a score
_IGNORED_KEYS = (*RESAMPLING_KEYS, "version")
# What a baseline is best written with
_MANY_DECIMALS = 9
# Scores with more decimals than these were not rounded, but for the last digit of a double
_ROUNDED_DECIMALS = 11
_MOST_DECIMALS = 1000  # as for --width


def find_low_scores(results: Results, bound: float | None) -> Iterator[str]:
    """Name the systems whose first score, unrounded, is on the wrong side of the bound."""
    if bound is None:
        return
    for system in results.systems:
        first = system.scores[0]
        if first.score < bound if first.higher_is_better else first.score > bound:
            worse = "under" if first.higher_is_better else "over"
            yield f"{system.name}: {first.name} {first.score!r} is {worse} {bound!r} (--fail-under)"


# --- an earlier answer


def read_baseline(path: str, name: str) -> Baseline:
    """Read an earlier answer, written with `-f json`; name: of the file, for errors.

    Raises:
        BleuError: it cannot be read, or is not an answer of ours.
    """
    import json
    from decimal import Decimal

    try:
        with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:  # names may be no UTF-8
            answer = json.load(file, parse_float=Decimal, parse_int=Decimal)
    except OSError as error:
        raise BleuError(f"cannot read {name}: {error.strerror or error}; make it with -f json -o {name}") from None
    except ValueError as error:
        raise BleuError(f"{name} is not valid JSON ({error}); make it with -f json -o {name}") from None
    except (ArithmeticError, RecursionError):  # a number, or a nesting, that no answer of ours has
        answer = None
    try:
        systems = _systems(answer)
    except (ArithmeticError, AttributeError, BleuError, KeyError, TypeError):
        raise BleuError(f"{name} is JSON, but not an answer of bleu -f json; make it with -f json -o {name}") from None
    return Baseline(name, systems, max(_decimals(one.score) for scores in systems.values() for one in scores.values()))


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


def _score(item: "dict[str, Any]") -> Earlier:
    from decimal import Decimal
    from math import isfinite

    score = item["score"]
    if not (isinstance(score, Decimal) and isfinite(float(score))):
        raise TypeError("not a score")
    return Earlier(score, Signature.parse(_text(item["signature"])))


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


def find_drops(results: Results, baseline: Baseline | None, bound: float | None) -> Iterator[str]:
    """Name the scores that are worse than the baseline's by more than the bound; if they were tested, significantly so.

    Without an earlier answer the first system is the baseline. An earlier score that was rounded is compared with this
    one rounded alike, so that a score that has not changed has not fallen.

    Raises:
        BleuError: the earlier answer lacks a system or a metric, was made in another way, or was rounded too far.
    """
    if bound is None:
        return
    allowed = _decimal(bound)
    for name, record, earlier in _compare(results, baseline):
        score, drop = _drop(record, earlier, baseline)
        if baseline is not None and _is_rounded_too_far(record, earlier, baseline, allowed):
            raise UsageError(
                f"{baseline.path} has {record.name} {earlier}, which is rounded too far for --max-drop {bound!r}; write"
                f" the baseline with -w {_MANY_DECIMALS}"
            )
        if drop > allowed and (record.p_value is None or record.differs):  # else it may be chance
            since = f" since {baseline.path}" if baseline else ""
            p_value = f", p = {record.p_value:.4f}" if record.p_value is not None else ""
            yield (
                f"{name}: {record.name} {score:f} is worse than {earlier:f} by {drop:f}{since}{p_value}, more than"
                f" {bound!r} (--max-drop)"
            )


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


def _compare(results: Results, baseline: Baseline | None) -> "Iterator[tuple[str, ScoreRecord, Decimal]]":
    """Give each system's name, its score, and the one to compare it with."""
    first = results.systems[0].scores
    for system in results.systems if baseline else results.systems[1:]:
        for record, other in zip(system.scores, first, strict=True):
            earlier = _find_earlier(baseline, system.name, record) if baseline else _decimal(other.score)
            yield system.name, record, earlier


def _find_earlier(baseline: Baseline, system: str, record: ScoreRecord) -> "Decimal":
    """Return the score in an earlier answer."""
    scores = baseline.systems.get("", baseline.systems.get(system))
    if scores is None:
        raise BleuError(f"{baseline.path} has no system {system}; it has {', '.join(baseline.systems)}")
    if record.name not in scores:
        raise BleuError(f"{baseline.path} has no {record.name}; it has {', '.join(scores)}")
    score, signature = scores[record.name]
    ours, theirs = _strip_tests(record.signature), _strip_tests(signature)
    if ours.info != theirs.info:
        raise BleuError(
            f"{baseline.path} has {record.name}|{theirs}, but this is {record.name}|{ours}; score both in the same way"
        )
    return score


def _strip_tests(signature: "Iterable[tuple[str, str]]") -> Signature:
    """Return a signature without what does not decide a score."""
    return Signature((key, value) for key, value in signature if key not in _IGNORED_KEYS)


def hints(results: Results, baseline: Baseline | None, bound: float | None) -> Iterator[str]:
    """Say what a passed or failed gate for drops does not bear out."""
    if bound is None:
        return
    if baseline is None and results.test is not None and results.test.method == "bs":
        yield f"--max-drop rests on --paired-bs, which {BOOTSTRAP_RATE}; --paired-ar is safer"
    if bound == 0 and baseline is not None and baseline.decimals <= _ROUNDED_DECIMALS:
        for name, record, earlier in _compare(results, baseline):
            if _drop(record, earlier, baseline)[1] == 0 and _decimal(record.score) != earlier:
                yield (
                    f"{name}: {record.name} is {earlier}, as in {baseline.path}; a drop behind its last digit is not"
                    f" seen: write the baseline with -w {_MANY_DECIMALS}"
                )
