"""Gates for Makefiles and CI: scores that are too low, or have fallen."""

from collections.abc import Iterator, Mapping

from bleucli.cli.streams import shown
from bleucli.errors import BleuError, UsageError
from bleucli.results import SIGNIFICANT, Results, ScoreRecord

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from decimal import Decimal
    from typing import Any, NamedTuple

    class Baseline(NamedTuple):
        """An earlier answer: for each system, "" if there is but one, the objects of its scores by metric."""

        path: str
        systems: Mapping[str, Mapping[str, "dict[str, Any]"]]

else:
    from collections import namedtuple

    Baseline = namedtuple("Baseline", "path systems")

# Keys of a signature that do not decide a score
_IGNORED_KEYS = ("bs", "ar", "seed", "version")
# So many significant digits are a double as it is, not rounded; so many decimals of a score have them
_DOUBLE_DIGITS = 15
_ALL_DECIMALS = 17


def check(options: "Namespace") -> None:
    """Refuse gates that have no such value or miss something.

    Raises:
        UsageError: they do.
    """
    for name in ("fail_under", "max_drop"):
        value = getattr(options, name)
        option = f"--{name.replace('_', '-')}"
        if value is not None and value != value:
            raise UsageError(f"{option} nan; expected a score")
        if value is not None and options.sentence_level:
            raise UsageError(f"{option} needs a corpus's score; leave out --sentence-level")
    if options.max_drop is not None and not options.max_drop >= 0:
        raise UsageError(f"--max-drop {options.max_drop}; expected a number from 0 on")
    if options.baseline is not None and options.max_drop is None:
        raise UsageError("--baseline is for --max-drop; say by how much a score may be worse")
    test = next((f"--{name.replace('_', '-')}" for name in ("paired_bs", "paired_ar") if getattr(options, name)), None)
    if options.baseline is not None and test is not None:
        raise UsageError(
            f"--baseline has scores alone, and {test} needs the earlier output itself; leave out one of them, or give"
            f" both outputs: -i old.txt new.txt {test} --max-drop {options.max_drop}"
        )
    if options.max_drop is not None and not (options.baseline or options.paired_bs or options.paired_ar):
        raise UsageError("--max-drop needs an earlier answer, --baseline FILE.json, or a paired test, --paired-bs")


def under(results: Results, bound: float | None) -> Iterator[str]:
    """Name the systems whose first score, unrounded, is on the wrong side of the bound."""
    if bound is None:
        return
    for system in results.systems:
        first = system.scores[0]
        if first.score < bound if first.higher_is_better else first.score > bound:
            worse = "under" if first.higher_is_better else "over"
            yield f"{system.name}: {first.name} {first.score!r} is {worse} {bound!r} (--fail-under)"


# --- an earlier answer


def read_baseline(options: "Namespace") -> "Baseline | None":
    """Return the earlier answer that --baseline names, if any.

    Raises:
        BleuError: it cannot be read, or is no JSON of ours.
    """
    if options.baseline is None:
        return None
    import json
    from decimal import Decimal

    name = shown(options.baseline)
    try:
        with open(options.baseline, encoding="utf-8", errors="surrogateescape") as file:  # names may be no UTF-8
            answer = json.load(file, parse_float=Decimal, parse_int=Decimal)
    except OSError as error:
        raise BleuError(f"cannot read {name}: {error.strerror or error}; make it with -f json -o {name}") from None
    except ValueError as error:
        raise BleuError(f"{name} is no JSON ({error}); make it with -f json -o {name}") from None
    except (ArithmeticError, RecursionError):  # a number, or a nesting, that no answer of ours has
        answer = None
    try:
        return Baseline(name, _systems(answer))
    except (AttributeError, KeyError, TypeError):
        raise BleuError(f"{name} is JSON, but no answer of bleu -f json; make it with -f json -o {name}") from None


def _systems(answer: "Any") -> "dict[str, dict[str, dict[str, Any]]]":
    """Return the scores in an answer of one score, of several, or of several systems."""
    items = answer if isinstance(answer, list) and answer else [answer]
    if "system" in items[0]:
        return {
            item["system"]: {key: _checked(value) for key, value in item.items() if key != "system"} for item in items
        }
    return {"": {item["name"]: _checked(item) for item in items}}


def _checked(item: "dict[str, Any]") -> "dict[str, Any]":
    """Return the object of a score; raise what `read_baseline` catches if it is none."""
    from decimal import Decimal
    from math import isfinite

    score, signature = item["score"], item["signature"]
    if not (isinstance(score, Decimal) and isfinite(float(score)) and isinstance(signature, str)):
        raise TypeError("no score")
    return item


# --- drops


def drops(results: Results, baseline: "Baseline | None", bound: float | None) -> Iterator[str]:
    """Name the scores that are worse than the baseline's by more than the bound; if they were tested, significantly so.

    Without an earlier answer the first system is the baseline.

    Raises:
        BleuError: the earlier answer lacks a system or a metric, or was made in another way.
    """
    if bound is None:
        return
    for name, record, earlier in _compared(results, baseline):
        drop = _drop(record, earlier)
        if drop > bound and not _by_chance(record):
            since = f" since {baseline.path}" if baseline else ""
            p_value = f", p = {record.p_value:.4f}" if record.p_value is not None else ""
            yield (
                f"{name}: {record.name} {record.score!r} is worse than {earlier} by {drop!r}{since}{p_value}, more than"
                f" {bound!r} (--max-drop)"
            )


def _drop(record: ScoreRecord, earlier: "Decimal | float") -> float:
    return float(earlier) - record.score if record.higher_is_better else record.score - float(earlier)


def _by_chance(record: ScoreRecord) -> bool:
    """Return whether a test takes the difference for chance; the first system, which is not tested, has no excuse."""
    if record.p_value is None:
        return False
    return record.p_value > SIGNIFICANT


def _compared(results: Results, baseline: "Baseline | None") -> "Iterator[tuple[str, ScoreRecord, Decimal | float]]":
    """Give each system's name, its score, and the one to compare it with."""
    for system in results.systems if baseline else results.systems[1:]:
        for number, record in enumerate(system.scores):
            earlier = _earlier(baseline, system.name, record) if baseline else results.systems[0].scores[number].score
            yield system.name, record, earlier


def _earlier(baseline: "Baseline", system: str, record: ScoreRecord) -> "Decimal":
    """Return the score in an earlier answer."""
    plain = {_plain(name): scores for name, scores in baseline.systems.items()}
    scores = baseline.systems.get("", plain.get(_plain(system)))
    if scores is None:
        raise BleuError(f"{baseline.path} has no system {system}; it has {', '.join(plain)}")
    if record.name not in scores:
        raise BleuError(f"{baseline.path} has no {record.name}; it has {', '.join(scores)}")
    found = scores[record.name]
    ours, theirs = _deciding(record.signature.format()), _deciding(found["signature"])
    if ours != theirs:
        raise BleuError(
            f"{baseline.path} has {record.name}|{theirs}, but this is {record.name}|{ours}; score both in the same way"
        )
    earlier: Decimal = found["score"]
    return earlier


def _plain(system: str) -> str:
    return system.removeprefix("Baseline: ")


def _deciding(signature: str) -> str:
    """Leave out of a signature what does not decide a score."""
    return "|".join(part for part in signature.split("|") if part.partition(":")[0] not in _IGNORED_KEYS)


def _rounding(number: "Decimal") -> float:
    """Return by how much a number may have been changed when it was rounded to the digits that it has."""
    _, digits, exponent = number.as_tuple()
    return 0.5 * 10.0**exponent if isinstance(exponent, int) and len(digits) < _DOUBLE_DIGITS else 0.0


def hints(results: Results, baseline: "Baseline | None", bound: float | None) -> Iterator[str]:
    """Say so if an earlier score has too few decimals to tell on which side of the bound a drop is."""
    if bound is None or baseline is None:
        return
    for name, record, earlier in _compared(results, baseline):
        rounding = 0.0 if isinstance(earlier, float) else _rounding(earlier)
        if rounding and abs(_drop(record, earlier) - bound) <= rounding:
            yield (
                f"{name}: whether {record.name} fell by more than {bound!r} depends on how its earlier score"
                f" {earlier} was rounded; make {baseline.path} with -w {_ALL_DECIMALS}"
            )
