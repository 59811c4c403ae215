"""The page of many language pairs: the scores of each pair, the averages, and what the tests say of both.

- `Part`: a language pair, or the averages, as a report of its own; `parts_of` makes them from results
- `tell`: what the page says first, in paragraphs
- `render`: the page

One kind of test decides on everything that the page says: bold type, daggers, ranks and sentences rest on p-values that
are corrected for all pairs of systems. They are not corrected for the number of language pairs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bleucli.output.notes import tell_averages, tell_means
from bleucli.phrases import join_words, tell_count
from bleucli.prose.markup import readable
from bleucli.records import NamedTuple
from bleucli.report import charts, contents, verdicts
from bleucli.report.contents import Plan, Report
from bleucli.report.page import fill
from bleucli.results import AVERAGE, Results, Run, tell_ranks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from bleucli.report.charts import Chart


# What rows of a figure have where no border between clusters is drawn: a system, its score and the bounds
_PLAIN = 4


class Part(NamedTuple):
    """A language pair, or the averages."""

    pair: str
    title: str  # the name of the pair, or "average over 3 language pairs"
    size: str  # what was scored, in words
    report: Report  # the scores and tests of its systems
    systems: Sequence[int]  # the number of each of these among all systems


def parts_of(results: Results, plan: Plan) -> list[Part]:
    """Return the language pairs that have scores, and then the averages, if there are any.

    results: those of a matrix, with intervals; and, if there are several systems, with a test of every pair.
    """
    whole = results.with_averages()
    # Without a test there is only one system, so that each row is a part
    groups = whole.groups() if whole.test is not None else [whole._replace(systems=[row]) for row in whole.systems]
    parts = []
    for group in groups:
        first = group.systems[0]
        size = tell_count(first.segments or 0, "segment")
        title = first.pair
        if title == AVERAGE:
            title = f"average over {tell_count(len(results.pairs), 'language pair')}"
        elif (count := first.scores[0].signature.info.get("nrefs", "")).isdigit():
            size += f", {tell_count(int(count), 'reference')}"
        report = contents.of_results(group._replace(hints=[]), plan)
        places = [results.names.index(row.bare_name) for row in group.systems]
        parts.append(Part(first.pair, readable(title), size, report, places))
    return parts


# --- in words


def tell(results: Results, plan: Plan) -> list[str]:
    """Return what the page says first, in paragraphs: a summary, the verdicts on averages, then each language pair."""
    parts, names = parts_of(results, plan), list(map(readable, results.names))
    averages = [f"{verdict.headline}. {verdict.details}".rstrip() for verdict in judge_averages(parts, names)]
    return list(dict.fromkeys([summarize(parts, names), *averages, *count_leads(parts, names), *judge_pairs(parts)]))


def summarize(parts: Sequence[Part], names: Sequence[str]) -> str:
    """Return what the averages say together; where they compare nothing, which systems lead in how many pairs.

    If a single pair compares systems, it is what this pair says.
    """
    if averages := _averages(parts, names):
        return _judge(averages[0])
    if leads := count_leads(parts, names):
        return leads[0]
    if rivals := [part for part in parts if part.report.pairs]:
        return _judge(rivals[0])
    return f"{tell_count(len(names), 'system')} in {tell_count(len(parts), 'language pair')}."


def judge_averages(parts: Sequence[Part], names: Sequence[str]) -> list[verdicts.Verdict]:
    """Return what each metric says about the averages; nothing where these compare nothing."""
    return [verdicts.judge(part.report, one) for part in _averages(parts, names) for one in part.report.columns]


def judge_pairs(parts: Sequence[Part]) -> list[str]:
    """Return what all metrics say together about each language pair."""
    return [_judge(part) for part in parts if part.pair != AVERAGE]


def count_leads(parts: Sequence[Part], names: Sequence[str]) -> list[str]:
    """Return in how many language pairs each system has the best score, in two sentences for each metric.

    Pairs with a single system do not count; a single pair with several systems speaks for itself.
    """
    pairs = [part.report for part in parts if part.pair != AVERAGE]
    rivals = [report for report in pairs if report.pairs]
    which = "" if len(rivals) == len(pairs) else " with several systems"
    sentences = []
    for place, column in enumerate(rivals[0].columns if len(rivals) > 1 else ()):
        leads: Counter[str] = Counter()
        clear: Counter[str] = Counter()
        for report in rivals:
            leaders = verdicts.find_leaders(report.columns[place])
            leads.update(report.names[system] for system in leaders)
            if verdicts.judge(report, report.columns[place]).is_clear:
                clear[report.names[leaders[0]]] += 1
        order = sorted(leads, key=lambda name: (-leads[name], names.index(name)))
        shares = [f"{name} in {leads[name]}" for name in order]
        shares[0] += f" of {len(rivals)} language pairs{which}"
        sure = [f"{name} in {clear[name]}" for name in order if clear[name]]
        certainty = "In none of them is one system significantly better than all others."
        if sure:
            certainty = f"Significantly better than all others: {join_words(sure)}."
        sentences.append(f"Best {column.name}: {join_words(shares)}. {certainty}")
    return sentences


def _averages(parts: Sequence[Part], names: Sequence[str]) -> list[Part]:
    """Return the averages, if several systems have one, or if there is only one system."""
    return [part for part in parts if part.pair == AVERAGE and (part.report.pairs or len(names) == 1)]


def _judge(part: Part) -> str:
    """Return what all metrics say together about a part, after its title."""
    title = part.title.capitalize() if part.pair == AVERAGE else part.title
    return f"{title} ({part.size}): {verdicts.summarize(part.report)}"


# --- the page


def render(results: Results, baseline: str | None, plan: Plan, run: Run | None = None) -> str:
    """Return the page; results: as for `parts_of`.

    baseline: the name of the system with which daggers compare all others; None for no daggers. run: the files that
    were read, the command and the time, if the page should name them.
    """
    parts, names = parts_of(results, plan), list(map(readable, results.names))
    first = None if baseline is None else results.names.index(baseline)
    metrics = [column.name for column in parts[0].report.columns]
    sections: list[dict[str, Any]] = []
    figures: list[Chart] = []
    for place, metric in enumerate(metrics):
        drawn = [_figure(part, place, first) for part in parts]
        figures += drawn
        better = "higher" if parts[0].report.columns[place].higher_is_better else "lower"
        rows = _rows(parts, place, names, first)
        sections.append({"metric": metric, "better": better, "rows": rows, "charts": drawn})
    signatures: dict[str, list[str]] = {}
    for part in parts:
        for column in part.report.columns if part.pair != AVERAGE else ():
            signatures.setdefault(f"{column.name}|{column.signature}", []).append(part.pair)
    size = f"{tell_count(len(names), 'system')}, {tell_count(len(results.pairs), 'language pair')}"
    values: dict[str, Any] = {
        "kind": f"{size}, {', '.join(metrics)}",
        "summary": summarize(parts, names),
        "verdicts": judge_averages(parts, names),
        "leads": count_leads(parts, names),
        "judged": judge_pairs(parts),
        "hints": results.hints,
        "parts": parts,
        "sections": sections,
        "baseline": "" if first is None else names[first],
        "notes": [*tell_averages(results), *tell_means(results)],
        "signatures": [f"{join_words(pairs)}: {signature}" for signature, pairs in signatures.items()],
        "compares": plan.tests is not None,
        "shaded": any(len(row) > _PLAIN for figure in figures for row in figure.data["rows"]),
    }
    return fill("matrix", values, {"names": names, "figures": [one.data for one in figures]}, plan, run)


def _rows(parts: Sequence[Part], place: int, names: Sequence[str], first: int | None) -> list[dict[str, Any]]:
    """Return the rows of a metric's table: a cell for each part, None where there is no score.

    The baseline comes first, then the best averages, then the systems without, as they come.
    """
    averages = [part for part in parts if part.pair == AVERAGE]
    ranked = [part.systems[place] for part in averages for place in part.report.columns[0].order()]
    rows = []
    for system in dict.fromkeys([*([] if first is None else [first]), *ranked, *range(len(names))]):
        cells = [_cell(part, place, system, first) if system in part.systems else None for part in parts]
        rows.append({"name": names[system], "baseline": system == first, "cells": cells})
    return rows


def _cell(part: Part, place: int, system: int, first: int | None) -> dict[str, Any]:
    """Return the cell of a system in the table of a metric."""
    column, at = part.report.columns[place], part.systems.index(system)
    record = column.records[at]
    return {
        "score": f"{record.score:.{column.decimals(1)}f}",
        "dagger": first in part.systems and verdicts.is_told_apart(column, part.systems.index(first), at),
        "best": record.best and bool(part.report.pairs),
        "ranks": "" if column.ranking is None else tell_ranks(column.ranking.ranks[at]),
    }


def _figure(part: Part, place: int, first: int | None) -> Chart:
    """Return the figure of the scores of a part; the page explains all such figures at once."""
    column = part.report.columns[place]
    chart = charts.forest(part.report, column, place)
    rows = [[part.systems[system], *numbers] for system, *numbers in chart.data["rows"]]
    data = {**chart.data, "rows": rows, "baseline": first}
    return chart._replace(caption=f"{column.name}, {part.title} ({part.size})", data=data)
