"""Scores as lines of text, as sacreBLEU prints them with `-f text`."""

from __future__ import annotations

from bleucli.output.layout import Layout
from bleucli.prose.markup import visible
from bleucli.results import Results, ScoreRecord, SystemResult


def render(results: Results, layout: Layout) -> str:
    """Return one line per metric for a single system, aligned at ` = `."""
    (system,) = results.systems
    if layout.score_only:
        return "".join(score_line(record, layout) for record in system.scores) + details(system, layout)
    labels = [_label(record, layout) for record in system.scores]
    widest = max(map(len, labels))
    lines = [
        f"{label:>{widest}} = {_result(record, layout)}\n" for label, record in zip(labels, system.scores, strict=True)
    ]
    return "".join(lines) + details(system, layout)


def details(system: SystemResult, layout: Layout) -> str:
    """Return one line for each part of the test set and metric, as sacreBLEU does; nothing if there are no parts."""
    labels = [visible(f"origlang={part.origlang} {part.kind}={part.value}") for part in system.scores[0].details]
    widest_label = max(map(len, labels), default=0)
    widest_name = max(len(record.name) for record in system.scores)
    lines = []
    for number, label in enumerate(labels):
        for record in system.scores:
            part = record.details[number]
            score = f"{record.name:<{widest_name}} = {layout.figure(part.score)}"
            lines.append(f"{label:<{widest_label}} : sentences={part.segments:<6} {score}\n")
    return "".join(lines)


def score_line(record: ScoreRecord, layout: Layout) -> str:
    """Return the line of one score."""
    if layout.score_only:
        return f"{score_and_interval(record, layout)}\n"
    return f"{_label(record, layout)} = {_result(record, layout)}\n"


def score_and_interval(record: ScoreRecord, layout: Layout) -> str:
    """Return `54.6`, or `54.6 (μ = 53.9 ± 39.0)` where there is an interval."""
    score = layout.figure(record.score)
    if record.interval is None:
        return score
    mean, half_width = record.interval
    interval = f"(μ = {layout.figure(mean)} ± {layout.figure(half_width)})"
    if layout.colour:
        from bleucli.output.colours import paint

        interval = paint("cyan", interval)
    return f"{score} {interval}"


def _label(record: ScoreRecord, layout: Layout) -> str:
    return f"{record.name}|{record.signature.format(layout.short)}"


def _result(record: ScoreRecord, layout: Layout) -> str:
    return f"{score_and_interval(record, layout)} {record.verbose}".rstrip()
