"""Scores as JSON, in sacreBLEU's layout."""

import json

from bleucli.output import Layout
from bleucli.results import Results, ScoreRecord


def render(results: Results, layout: Layout) -> str:
    """Return an object for one score of one system, an array of objects for several."""
    (system,) = results.systems
    if layout.score_only:
        items = [f"{record.score:.{layout.width}f}" for record in system.scores]
    else:
        items = [json.dumps(score_object(record, layout), indent=1, ensure_ascii=False) for record in system.scores]
    return f"{items[0]}\n" if len(items) == 1 else "[\n" + ",\n".join(items) + "\n]\n"


def render_systems(results: Results, layout: Layout) -> str:
    """Return an array with an object a system: its name, and the object of each score under the metric's name."""
    systems = [
        {"system": system.name, **{record.name: score_object(record, layout) for record in system.scores}}
        for system in results.systems
    ]
    return json.dumps(systems, indent=4, ensure_ascii=False) + "\n"


def score_line(record: ScoreRecord, layout: Layout) -> str:
    """Return one compact object in a line (JSON Lines)."""
    if layout.score_only:
        return f"{record.score:.{layout.width}f}\n"
    return json.dumps(score_object(record, layout), ensure_ascii=False) + "\n"


def score_object(record: ScoreRecord, layout: Layout) -> dict[str, object]:
    """Return the keys of one score: rounded as the layout says, signed, and with every signature key as a string."""
    found: dict[str, object] = {
        "name": record.name,
        "score": float(f"{record.score:.{layout.width}f}"),
        "signature": record.signature.format(),
    }
    if record.verbose:
        found["verbose_score"] = record.verbose
    return found | dict(record.signature)
