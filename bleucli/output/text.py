"""Scores as lines of text, as sacreBLEU prints them with `-f text`."""

from bleucli.output import Layout
from bleucli.results import Results, ScoreRecord


def render(results: Results, layout: Layout) -> str:
    """Return one line a metric for a single system, aligned at ` = `."""
    (system,) = results.systems
    if layout.score_only:
        return "".join(score_line(record, layout) for record in system.scores)
    labels = [_label(record, layout) for record in system.scores]
    widest = max(map(len, labels))
    lines = zip(labels, system.scores, strict=True)
    return "".join(f"{label:>{widest}} = {_result(record, layout)}\n" for label, record in lines)


def score_line(record: ScoreRecord, layout: Layout) -> str:
    """Return the line of one score."""
    if layout.score_only:
        return f"{record.score:.{layout.width}f}\n"
    return f"{_label(record, layout)} = {_result(record, layout)}\n"


def _label(record: ScoreRecord, layout: Layout) -> str:
    return f"{record.name}|{record.signature.format(layout.short)}"


def _result(record: ScoreRecord, layout: Layout) -> str:
    return f"{record.score:.{layout.width}f} {record.verbose}".rstrip()
