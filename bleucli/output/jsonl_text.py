"""Scores as JSON Lines, for programs: one line has everything that is known about a score, always in the same shape.

Each line is an object with the same keys; a value is null where there is nothing to say. Numbers are exact: a program
that reads them as doubles gets the numbers that were computed. `schema` returns the JSON Schema of a line, a file next
to this module.

- `render`: a line for each system and metric
- `is_ours`: whether a line is one of these
- `segment_head`, `with_run`: a line for each segment, in two parts, because inputs are known only after all are read
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator

from bleucli.output.layout import Layout
from bleucli.prose.markup import UNSEEN
from bleucli.results import SHAPE, Results, Run, ScoreRecord, run_item, score_item

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SCHEMA = "scores.schema.json"
# Invisible characters, and bytes of names that are not UTF-8; JSON's escapes restore them
_ESCAPED = f"[{UNSEEN}\ud800-\udfff]"


def render(results: Results, _layout: Layout) -> str:
    """Return a line for each system and metric, in the order of the systems; no layout changes it."""
    lines = []
    for index, system in enumerate(results.systems):
        end = _dump(run_item(results.run, index, results.test))
        lines += [_join(_dump(results.score_item(index, place)), end) for place, _ in enumerate(system.scores)]
    return "".join(lines)


def segment_head(record: ScoreRecord, number: int, system: str) -> str:
    """Return the first part of a segment's line, in a line of its own; number: of the segment in the text, from 1."""
    return _dump(score_item(system, record, 1) | {"segment": number}) + "\n"


def with_run(heads: Iterable[str], run: Run | None) -> Iterator[str]:
    """Give the lines of segments: their first parts, each completed with what is known about the run."""
    end = _dump(run_item(run, 0, None))
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


def schema() -> Any:
    """Return the JSON Schema that every line follows."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), _SCHEMA), encoding="utf-8") as file:
        return json.load(file)


def _join(start: str, end: str) -> str:
    """Return two objects as one, in a line."""
    return f"{start[:-1]}, {end[1:]}\n"


def _dump(value: dict[str, object]) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else re.sub(_ESCAPED, lambda match: json.dumps(match[0])[1:-1], text)
