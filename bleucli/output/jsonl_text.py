"""Scores as JSON Lines, for programs: all that is known of a score in one line, of one shape whatever was done.

Each line is an object with the same keys, null where there is nothing to say. Numbers are exact: read as doubles, they
are those that were computed. `schema` returns the JSON Schema of a line, which stands beside this module.

- `render`: a line for each system and metric
- `is_ours`: whether a line is one of these
- `segment_head`, `with_run`: a line for each segment, in two parts, since inputs are known once all were read
"""

import json
import os
import re
from collections.abc import Iterable, Iterator

from bleucli.markup import UNSEEN
from bleucli.output.layout import Layout
from bleucli.results import Difference, Ranking, Results, Run, ScoreRecord, Test

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What a line says of its own shape; a key that changes its meaning, or goes, makes another number
SHAPE = "bleucli/scores-1"
_SCHEMA = "scores.schema.json"
# What is not to be seen, and bytes of names that are not UTF-8; JSON's escapes give them back
_ESCAPED = f"[{UNSEEN}\ud800-\udfff]"


def render(results: Results, _layout: Layout) -> str:
    """Return a line for each system and metric, in the order of the systems; no layout changes it."""
    rankings = {ranking.name: ranking for ranking in results.rankings}
    lines = []
    for index, system in enumerate(results.systems):
        end = _dump(_run_keys(results.run, index, results.test))
        keys = [_score_keys(results, index, record, rankings.get(record.name)) for record in system.scores]
        lines += [_join(_dump(of_score), end) for of_score in keys]
    return "".join(lines)


def segment_head(record: ScoreRecord, number: int, system: str) -> str:
    """Return the first part of a segment's line, in a line of its own; number: of the segment in the text, from 1."""
    return _dump(_keys(system, record, 1) | {"segment": number}) + "\n"


def with_run(heads: Iterable[str], run: Run | None) -> Iterator[str]:
    """Give the lines of segments."""
    end = _dump(_run_keys(run, 0, None))
    for head in heads:
        yield _join(head.rstrip("\n"), end)


def is_ours(line: bytes) -> bool:
    """Return whether a line says that it has our shape.

    >>> is_ours(b'{"schema": "bleucli/scores-1", "system": "sys"}'), is_ours(b'{"text": "a line"}')
    (True, False)
    """
    try:
        item = json.loads(line)
    except (RecursionError, ValueError):
        return False
    return isinstance(item, dict) and item.get("schema") == SHAPE


def schema() -> "Any":
    """Return the JSON Schema that every line is valid by."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), _SCHEMA), encoding="utf-8") as file:
        return json.load(file)


def _score_keys(results: Results, index: int, record: ScoreRecord, ranking: Ranking | None) -> dict[str, object]:
    """Return what is said of one score of a system's whole output."""
    names = [system.name for system in results.systems]
    segments = results.systems[index].segments
    found = _keys(names[index], record, results.segments if segments is None else segments)
    if results.test is not None:
        method, trials = results.test
        found |= {
            "baseline": index == 0,
            "test": {"method": method, "trials": trials, "baseline": names[0]},
            "p_value": record.p_value,
            "identical": record.identical,
            "difference": _difference(record.difference),
        }
    if ranking is not None:
        rows = zip(names, ranking.p_values[index], ranking.corrected[index], strict=True)
        found |= {
            "cluster": ranking.clusters[index],
            "pairs": [{"system": name, "p_value": p, "corrected": by} for name, p, by in rows if p is not None],
        }
    return found


def _keys(system: str, record: ScoreRecord, segments: int) -> dict[str, object]:
    """Return all keys of a score, in their order, with what its record alone tells."""
    interval = record.interval
    return {
        "schema": SHAPE,
        "system": system,
        "baseline": False,
        "metric": record.name,
        "higher_is_better": record.higher_is_better,
        "segment": None,
        "segments": segments,
        "score": record.score,
        **record.figures._asdict(),
        "signature": dict(record.signature),
        "interval": None if interval is None else {"mean": interval.mean, "half_width": interval.half_width},
        "test": None,
        "p_value": None,
        "identical": False,
        "difference": None,
        "cluster": None,
        "pairs": None,
        "parts": [part._asdict() for part in record.details],
    }


def _difference(difference: Difference | None) -> dict[str, float | None] | None:
    return None if difference is None else difference._asdict()


def _run_keys(run: Run | None, index: int, test: Test | None) -> dict[str, object]:
    """Return what is said of the run: of its inputs, those that the scores of a system were made from."""
    if run is None:
        return {"command": None, "inputs": None, "time": None}
    baseline = [run.systems[0]] if test is not None else []
    read = dict.fromkeys([run.systems[index], *baseline, *run.references])  # columns of one file are one input
    return {"command": run.command and list(run.command), "inputs": [one._asdict() for one in read], "time": run.time}


def _join(start: str, end: str) -> str:
    """Return two objects as one, in a line."""
    return f"{start[:-1]}, {end[1:]}\n"


def _dump(value: dict[str, object]) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else re.sub(_ESCAPED, lambda match: json.dumps(match[0])[1:-1], text)
