"""Earlier answers, to compare with: read from files, and searched.

- `Baseline`: an earlier answer
- `read_baseline`: one that a file has
- `find`: the score in it that one of now is compared with
"""

from collections.abc import Iterable, Mapping, Sequence

from bleucli.errors import BleuError
from bleucli.naming import unmark_baseline
from bleucli.records import NamedTuple
from bleucli.results import ScoreRecord
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
_MOST_DECIMALS = 1000  # as for --width


# --- reading


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
    names = [_text(item.pop("system")) for item in items]
    if any("p_value" in one for one in items[0].values()):  # a test has marked the first one
        names = unmark_baseline(names)
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


def _decimals(number: "Decimal") -> int:
    """Return how many decimals a number shows, zeros at the end left out, as JSON leaves them out.

    >>> from decimal import Decimal
    >>> _decimals(Decimal("33.90")), _decimals(Decimal("34.0")), _decimals(Decimal("1e3"))
    (1, 0, 0)
    """
    exponent = number.normalize().as_tuple().exponent
    return min(max(0, -exponent), _MOST_DECIMALS) if isinstance(exponent, int) else 0


# --- search


def find(baseline: Baseline, system: str, record: ScoreRecord) -> "Decimal":
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
