"""The figures of the page: the numbers that its script draws, and the same numbers as tables.

- `Chart`: a figure; `of_systems`: those of all systems; `of_pair`: those of two

Without a script, and for readers who do not see figures, the page has the tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bleucli.records import NamedTuple
from bleucli.report.contents import Column, Grouping, Pair, Report, short_lengths
from bleucli.report.plots import MOST_SERIES, ROOMY, TIGHT
from bleucli.report.tokens import Profile
from bleucli.report.verdicts import show_cell
from bleucli.results import SIGNIFICANT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The most groups that one figure can show
MOST_GROUPS = 25
# The bins of scores in the table of two systems
_BINS = 10


class Chart(NamedTuple):
    """A figure of the page.

    metric: the number of its metric; None if it does not depend on one. caption: what it shows, in sentences. table:
    its numbers as they are printed, row by row below a header. data: the numbers that the script draws, for JSON.
    """

    metric: int | None
    caption: str
    table: Sequence[Sequence[str]]
    data: dict[str, Any]


def of_systems(report: Report) -> Iterator[Chart]:
    """Give the figures of all systems, metric by metric, and then the profiles."""
    for number, column in enumerate(report.columns):
        yield _forest(report, column, number)
        if column.ranking is not None:
            yield _pairs(report, column, number)
        for grouping in report.groups:
            yield _groups(report, grouping, number)
    for profile in report.profiles:
        is_part = report.passages.why and profile.metric is None
        yield _series(report, profile, "Only the segments on this page are counted." if is_part else "")


def _forest(report: Report, column: Column, number: int) -> Chart:
    clusters = [] if column.ranking is None else column.ranking.clusters
    are_shaded = max(clusters, default=1) > 1
    decimals = column.decimals(2)
    table = [["system", column.name, "lower bound", "upper bound", *(["cluster"] if clusters else [])]]
    rows = []
    for system in column.order():
        record = column.records[system]
        ends = (record.score, record.score) if record.interval is None else record.interval.bounds
        numbers = (record.score, *ends)
        cluster = [clusters[system]] if clusters else []
        rows.append([system, *map(_brief, numbers), *(cluster if are_shaded else [])])
        table.append([report.names[system], *(f"{one:.{decimals}f}" for one in numbers), *map(str, cluster)])
    caption = f"{column.name} with 95% intervals."
    if are_shaded:
        caption += " A change of shade marks the border between clusters."
    data = {"kind": "forest", "label": column.name, "decimals": decimals, "rows": rows}
    return Chart(number, caption, table, data)


def _pairs(report: Report, column: Column, number: int) -> Chart:
    """Return the matrix of all pairs. In data, a cell is whether the row is better (1) or worse (-1), and its words."""
    assert column.ranking is not None
    order = column.order()
    count = len(order)
    room = 2 if count <= ROOMY else 1 if count <= TIGHT else 0
    table = [["", *(report.names[system] for system in order)]]
    cells: list[list[list[int | str] | None]] = []
    for first in order:
        table.append([report.names[first]])
        cells.append([])
        for second in order:
            p_value = column.ranking.corrected[first][second]
            if first == second or p_value is None:
                table[-1].append("")
                cells[-1].append(None)
                continue
            lead = column.lead(first, second)
            words = show_cell(lead, p_value, column.decimals(1))
            table[-1].append(" ".join(words))
            side = 0 if p_value > SIGNIFICANT else 1 if lead > 0 else -1
            cells[-1].append([side, *words[:room]])
    if not room:
        caption = "; the best comes first. Shaded: the two systems differ significantly"
    else:
        caption = f": how much better the row is than the column{', with corrected p-values' if room > 1 else ''}"
    caption = f"Every pair of systems by {column.name}{caption}. Hatched: the two systems cannot be told apart."
    label = f"{column.name}: lead of the row over the column"
    return Chart(number, caption, table, {"kind": "pairs", "label": label, "systems": order, "cells": cells})


def _groups(report: Report, grouping: Grouping, number: int) -> Chart:
    """Return the scores by length as lines; by other groups, which have no order, as points."""
    column = report.columns[number]
    title = f"{column.name} by {grouping.title}"
    groups = list(range(len(grouping.labels)))
    kind, across, labels = "lines", f"{grouping.title}; below: segments", short_lengths(grouping.labels)
    if grouping.kind != "length":
        kind, across, labels = "dots", grouping.title, list(grouping.labels)
        if len(groups) > MOST_GROUPS:
            groups = sorted(sorted(groups, key=lambda group: -grouping.sizes[group])[:MOST_GROUPS])
            title += f", the {MOST_GROUPS} largest of {len(labels)}"
    labels, sizes = [labels[group] for group in groups], [grouping.sizes[group] for group in groups]
    scores = grouping.scores[number][:, groups]
    profile = Profile(title, across, column.name, labels, scores, sizes, number, column.decimals(2))
    return _series(report, profile, "Differences within groups are not tested.", kind)


def _series(report: Report, profile: Profile, note: str, kind: str = "lines") -> Chart:
    """Return a figure with a series for each system, or for the best ones; note: a sentence about all of them."""
    order = report.columns[profile.metric or 0].order()
    systems = sorted(order[:MOST_SERIES])
    caption = f"{profile.title}. {note}".rstrip()
    if len(order) > MOST_SERIES:
        caption += f" Only the {MOST_SERIES} best of {len(order)} systems are shown."
    sizes, values = profile.sizes, profile.values
    across, _, unit = profile.across.partition("; below: ")
    table = [[across, *([] if sizes is None else [unit or "segments"]), *(report.names[system] for system in systems)]]
    for group, label in enumerate(profile.labels):
        size = [] if sizes is None else [f"{sizes[group]:,}"]
        table.append([label, *size, *(f"{values[system][group]:,.{profile.decimals}f}" for system in systems)])
    data = {
        "kind": kind,
        "across": profile.across,
        "label": profile.label,
        "systems": systems,
        "labels": profile.labels,
        "sizes": sizes,
        "values": [list(map(_brief, values[system].tolist())) for system in systems],
    }
    return Chart(profile.metric, caption, table, data)


def _brief(number: float) -> float:
    """Return a number with six digits, which are enough to draw it."""
    return float(f"{number:.6g}")


def of_pair(report: Report, pair: Pair, first: int, second: int) -> tuple[Chart, Chart]:
    """Return the figures of two systems by the first metric, as tables: their scores, and the differences.

    The script draws the figures of all pairs, by all metrics, from the scores of segments and the counts of bins.

    Args:
        report: the content of the page.
        pair: the pair.
        first: the number of the system that comes first on the page.
        second: the number of the other one.
    """
    import numpy as np

    column = report.columns[0]
    low, high = column.limits()
    edges = np.linspace(low, high if high > low else low + 1, _BINS + 1)
    places = [passage.place for passage in report.passages.passages]
    scores = np.clip(column.segment_scores[:, places], low, high)
    counts, _, _ = np.histogram2d(scores[first], scores[second], (edges, edges))
    starts = [f"{edge:.3g}" for edge in edges[:-1]]
    both = [["", *starts]]
    both += [[start, *(f"{count:,.0f}" for count in row)] for start, row in zip(starts, counts, strict=True)]
    where = " on this page" if report.passages.why else ""
    caption = (
        f"Number of segments{where} by their {column.name} (start of each range): {report.names[first]} from top to"
        f" bottom, {report.names[second]} from left to right."
    )
    bins = np.linspace(-column.span, column.span, len(pair.counts[0]) + 1)
    ends = [f"{end:.{column.decimals(1)}f}".replace("-", "\N{MINUS SIGN}") for end in bins]
    gaps = [["difference", "segments"]]
    for place, count in enumerate(pair.counts[0] if pair.first == first else pair.counts[0][::-1]):
        if count:
            gaps.append([f"{ends[place]} to {ends[place + 1]}", f"{count:,}"])
    difference = "Number of segments by the difference of their scores, second minus first."
    return Chart(0, caption, both, {}), Chart(0, difference, gaps, {})
