"""Earlier answers that scores are compared with: reading and searching them.

- `Baseline`: an earlier answer
- `read_baseline`: the answer in a file
- `is_statistics`, `baseline_of`: files of statistics, and answers made from them
- `find`: the earlier score that a new one is compared with
- `shift_of`: the difference in digits between scores from 0 to 1 and scores in percent
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain

from bleucli.errors import BleuError
from bleucli.reading.jsonlines import is_jsonl
from bleucli.records import NamedTuple
from bleucli.results import PAIR, SHAPE, Input, Results, ScoreRecord, name_row
from bleucli.results.naming import comes_from, unmark_baseline
from bleucli.results.signature import ELSEWHERE, RESAMPLING_KEYS, Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from decimal import Decimal
    from typing import Any


class Earlier(NamedTuple):
    """A score from an earlier answer: in percent, with the digits that were written, and how it was made.

    file: the system's file, "" if unknown.
    references: the names and digests of the references' files; empty if they cannot be compared.
    scale: the scale on which it was written, 100 or 1; None if another tool computed it.
    """

    score: Decimal
    signature: Signature
    file: str = ""
    references: frozenset[tuple[str, str]] = frozenset()
    scale: int | None = 100


class Baseline(NamedTuple):
    """An earlier answer: for each system, its scores by metric, the latest last.

    systems: by name. A single key "" stands for any name; the answer then has one system, with one score for each
    metric.
    decimals: the most decimals that any score has in percent, without trailing zeros; if scores were written from 0 to
    1, two fewer than were written.
    form: the format, json or jsonl; scores in jsonl are exact.
    outputs: the names and digests of the systems' files in JSON Lines.
    scale: the scale on which the scores were written, 100 or 1.
    elsewhere: by metric, the most decimals of scores that another tool computed, which are written as they are.
    """

    path: str
    systems: Mapping[str, Mapping[str, Sequence[Earlier]]]
    decimals: int
    form: str = "json"
    outputs: frozenset[tuple[str, str]] = frozenset()
    scale: int = 100
    elsewhere: Mapping[str, int] = {}

    def decimals_of(self, metric: str) -> int:
        """Return the most decimals that a score of a metric has."""
        return self.elsewhere.get(metric, self.decimals)


# Keys of a signature that do not decide a score
_IGNORED_KEYS = (*RESAMPLING_KEYS, "version")
_MOST_DECIMALS = 1000  # as for --width
_PARQUET = b"PAR1"
# In messages: the largest number of names, and the number of digits of a digest
_MOST_NAMES = 9
_DIGITS = 12


# --- reading


def is_statistics(path: str) -> bool:
    """Return whether a file has statistics instead of an answer: the first bytes show that it is Parquet.

    A pipe always has an answer: looking at its first bytes would remove them, and Parquet cannot be read from a pipe.
    """
    if stat.S_ISFIFO(os.stat(path).st_mode):
        return False
    with open(path, "rb") as file:
        return file.read(len(_PARQUET)) == _PARQUET


def baseline_of(results: Results, name: str, references: Mapping[str, Sequence[str]]) -> Baseline:
    """Return the exact scores of a file of statistics as an earlier answer.

    name: that of the file. references: by system, the SHA-256 of its references if known.
    """
    from decimal import Decimal

    systems = {}
    for system in results.systems:
        digests = frozenset(("", digest) for digest in references.get(system.name, ()))
        systems[system.name] = {
            record.name: [Earlier(Decimal(repr(record.score)), Signature(record.signature), "", digests)]
            for record in system.scores
        }
    if len(systems) == 1:
        systems = {"": next(iter(systems.values()))}
    return Baseline(name, systems, _MOST_DECIMALS)


def read_baseline(path: str, name: str) -> Baseline:
    """Read an earlier answer, written with `-f json` or `-f jsonl`; name: what errors call the file."""
    from bleucli.waiting import lock

    form = "jsonl" if is_jsonl(name) and not name.lower().endswith(".json") else "json"
    advice = f"make it with -f {form} -o {name}"
    try:
        with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:  # names may not be UTF-8
            first = file.readline()
            # -f json writes one line per key, so only -f jsonl begins with such a line
            if first.startswith("{") and '"schema"' in first:
                if file.seekable():
                    # Wait until no process is adding lines; later ones wait until the file is closed
                    with suppress(BleuError):  # where files cannot be locked, bleu refuses to add lines
                        lock(file, name, "", shared=True)
                    file.seek(0)  # what was read before the wait may be incomplete
                    first = file.readline()
                return _read_history(chain([first], file), name)
            text = first + file.read()
    except OSError as error:
        raise BleuError(f"cannot read {name}: {error.strerror or error}; {advice}") from None
    if text.startswith(_PARQUET.decode()):
        raise BleuError(f"{name} is a pipe, and statistics cannot be read from one; name the file")
    answer = None
    try:
        answer = _load(text)
    except ValueError as error:
        raise BleuError(f"{name} is not valid JSON ({error}); {advice}") from None
    except (ArithmeticError, RecursionError):  # no answer of bleu has such a number or such nesting
        pass
    try:
        systems = _systems(answer)
    except (ArithmeticError, AttributeError, BleuError, KeyError, TypeError):
        raise BleuError(f"{name} is JSON, but bleu -f json did not write it; {advice}") from None
    return _answer(systems, name, advice)


def _answer(systems: Mapping[str, Mapping[str, Earlier]], name: str, advice: str) -> Baseline:
    """Return the scores in an answer of -f json."""
    pairs = [pair for of_system in systems.values() for pair in of_system.items()]
    elsewhere: dict[str, int] = {}
    for metric, one in pairs:
        if one.scale is None:
            elsewhere[metric] = max(elsewhere.get(metric, 0), _decimals(one.score))
    scores = [(one.score, one.scale) for _, one in pairs if one.scale is not None]
    if len({scale for _, scale in scores}) > 1:
        raise BleuError(f"{name} has scores from 0 to 1 and scores from 0 to 100; {advice}")
    scale = scores[0][1] if scores else 100
    shift = shift_of(scale)
    return Baseline(
        name,
        {system: {key: [one] for key, one in of_system.items()} for system, of_system in systems.items()},
        max([_decimals(score.scaleb(-shift)) for score, _ in scores], default=0) - shift,
        scale=scale,
        elsewhere=elsewhere,
    )


def _read_history(lines: Iterable[str], name: str) -> Baseline:
    """Read the scores of whole outputs in lines of `-f jsonl`, of one run or of many.

    Of scores that were made in the same way, only the latest is kept.
    """
    histories: dict[str, dict[str, dict[object, Earlier]]] = {}
    outputs: set[tuple[str, str]] = set()
    scores = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            item = _load(line)
            if item["schema"] != SHAPE:
                raise TypeError("of another shape")
            system, metric = _text(item["system"]), _text(item["metric"])
            inputs = [
                Input(_text(one["role"]), _text(one["name"]), 0, _text(one.get("sha256") or ""))
                for one in item.get("inputs") or ()  # a line may list none
            ]
            fields = [(_text(key), _text(value)) for key, value in item["signature"].items()]
            path = next((one.name for one in inputs if one.role == "system"), "")
            earlier = Earlier(_number(item["score"]), Signature(fields), path, _references(inputs))
        except (ArithmeticError, AttributeError, KeyError, RecursionError, TypeError, ValueError):
            raise BleuError(
                f"{name}, line {number} is not a line of bleu -f jsonl; delete it, or make the file with -f jsonl -o"
                f" {name}"
            ) from None
        outputs.update(_outputs(inputs))
        if item.get("segment") is None:
            scores += 1
            alike = histories.setdefault(system, {}).setdefault(metric, {})
            key = (earlier.signature, earlier.file, earlier.references)
            alike.pop(key, None)  # a new value alone would keep the old place, but the latest score must come last
            alike[key] = earlier
    if not histories:
        raise BleuError(f"{name} has only scores of segments; make it without --sentence-level")
    systems = {system: {key: list(of.values()) for key, of in metrics.items()} for system, metrics in histories.items()}
    (only, *rest) = systems.values()
    if not rest and scores == len(only):  # a single run of a single system, which may have had another name
        systems = {"": only}
    return Baseline(name, systems, _MOST_DECIMALS, "jsonl", frozenset(outputs))


def _systems(answer: Any) -> dict[str, dict[str, Earlier]]:
    """Return the scores in an answer of one score, of several, or of several systems; errors vary if it is none."""
    items = answer if isinstance(answer, list) and answer else [answer]
    if "system" not in items[0]:
        return {"": {_text(item["name"]): _score(item) for item in items}}
    # An answer of bleu matrix has the language pair of each object
    pairs = [[(PAIR, _text(item.pop(PAIR)))] if PAIR in item else [] for item in items]
    names = [name_row(_text(item.pop("system")), pair) for item, pair in zip(items, pairs, strict=True)]
    if any("p_value" in one for one in items[0].values()):  # a test marks the first system
        names = unmark_baseline(names)
    scores = [{metric: _score(value) for metric, value in item.items()} for item in items]
    if not all(scores):
        raise KeyError("a system without scores")
    return dict(zip(names, scores, strict=True))


def _load(text: str) -> Any:
    import json
    from decimal import Decimal

    return json.loads(text, parse_float=Decimal, parse_int=Decimal)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _number(value: object) -> Decimal:
    from decimal import Decimal
    from math import isfinite

    if not (isinstance(value, Decimal) and isfinite(float(value))):
        raise TypeError("not a score")
    return value


def _score(item: dict[str, Any]) -> Earlier:
    """Return a score; only scores from 0 to 1 state their scale."""
    if item.get("scale", 1) != 1:
        raise TypeError("not a scale")
    scale = 1 if "scale" in item else 100
    score = _number(item["score"]).scaleb(shift_of(scale))
    signature = Signature.parse(_text(item["signature"]))
    return Earlier(score, signature, scale=None if ELSEWHERE in signature.info else scale)


def shift_of(scale: int) -> int:
    """Return by how many decimal places the scores on a scale differ from scores in percent: 0 or 2."""
    return 0 if scale == 100 else 2


def _decimals(number: Decimal) -> int:
    """Return the number of decimals without trailing zeros, which JSON leaves out.

    >>> from decimal import Decimal
    >>> _decimals(Decimal("33.90")), _decimals(Decimal("34.0")), _decimals(Decimal("1e3"))
    (1, 0, 0)
    """
    exponent = number.normalize().as_tuple().exponent
    return min(max(0, -exponent), _MOST_DECIMALS) if isinstance(exponent, int) else 0


# --- search


def find(baseline: Baseline, system: str, record: ScoreRecord, inputs: Sequence[Input] = ()) -> Decimal:
    """Return the score to compare a new one with: the latest that was made in the same way.

    inputs: the files that the score was made from, the system's own first; none if unknown.
    """
    scores = baseline.systems.get("" if list(baseline.systems) == [""] else system)
    if scores is None:
        names = ", ".join(list(baseline.systems)[:_MOST_NAMES]) + ", ..." * (len(baseline.systems) > _MOST_NAMES)
        remedy = "; otherwise add the new system first, without --baseline" if baseline.form == "jsonl" else ""
        raise BleuError(
            f"{baseline.path} has no system {system}; it has {names}; if you mean one of these, give its name with"
            f" --names{remedy}"
        )
    if record.name not in scores:
        raise BleuError(f"{baseline.path} has no {record.name}; it has {', '.join(scores)}")
    candidates = _of_same_system(baseline, system, scores[record.name], inputs[0].name if inputs else "")
    ours = _strip_tests(record.signature)
    alike = [one for one in candidates if _strip_tests(one.signature).info == ours.info]
    if not alike:
        theirs = _strip_tests(candidates[-1].signature)
        raise BleuError(
            f"{baseline.path} has {record.name}|{theirs}, but this is {record.name}|{ours}; score both in the same way"
        )
    references = _references(inputs)
    outputs = baseline.outputs.union(_outputs(inputs))
    for earlier in reversed(alike):
        # The digest of a JSON Lines file also covers the output, so it says nothing about the references alone
        if outputs & (earlier.references | references) or not _differ(earlier.references, references):
            return earlier.score
    raise BleuError(
        f"{baseline.path} has {record.name} with {_tell_files(alike[-1].references)} as reference, but the new score"
        f" uses {_tell_files(references)}; score both with the same references"
    )


def _of_same_system(baseline: Baseline, system: str, scores: Sequence[Earlier], file: str) -> Sequence[Earlier]:
    """Return the scores of one system among those of all systems with its name.

    A name that was made from a path may stand for several systems; then only the same path means the same system.
    """
    files = {os.path.normpath(one.file): one.file for one in scores if comes_from(system, one.file)}
    if len(files) <= 1:
        return scores
    own = os.path.normpath(file)
    if own not in files:
        files_text = " and ".join(sorted(files.values())[:_MOST_NAMES])
        raise BleuError(
            f"{baseline.path} has several systems named {system}, from {files_text}; this one is from"
            f" {file or 'an unknown file'}: give each system its own name with --names"
        )
    return [one for one in scores if os.path.normpath(one.file) == own or not comes_from(system, one.file)]


def _references(inputs: Sequence[Input]) -> frozenset[tuple[str, str]]:
    """Return the names and digests of the references; none if a digest is unknown or that of the system's file."""
    references = frozenset((one.name, one.sha256) for one in inputs if one.role == "reference")
    system = next(((one.name, one.sha256) for one in inputs if one.role == "system"), None)
    return references if all(digest for _, digest in references) and system not in references else frozenset()


def _outputs(inputs: Iterable[Input]) -> Iterable[tuple[str, str]]:
    """Give the names and digests of the systems' files that may also hold references."""
    return ((one.name, one.sha256) for one in inputs if one.role == "system" and is_jsonl(one.name))


def _differ(some: frozenset[tuple[str, str]], rest: frozenset[tuple[str, str]]) -> bool:
    """Return whether references are known to differ, regardless of their order and names."""
    return bool(some and rest) and {digest for _, digest in some} != {digest for _, digest in rest}


def _tell_files(files: Iterable[tuple[str, str]]) -> str:
    """Return names and digests; files of statistics do not name their references."""
    descriptions = ((name, f"SHA-256 {digest[:_DIGITS]}...") for name, digest in sorted(files))
    return " and ".join(f"{name} ({digest})" if name else f"a file with {digest}" for name, digest in descriptions)


def _strip_tests(signature: Iterable[tuple[str, str]]) -> Signature:
    """Return a signature without the keys that do not affect a score."""
    return Signature((key, value) for key, value in signature if key not in _IGNORED_KEYS)
