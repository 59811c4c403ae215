"""The figures of the page: the numbers that its script draws, and the same numbers as tables.

- `Chart`: a figure; `of_systems`: those of all systems; `of_pair`: those of two; `forest`: the scores by one metric
- `Profile`: a value for each system and bucket; `profiles`: those that describe systems by their texts and segments

Without a script, and for readers who do not see figures, the page has the tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from bleucli.records import NamedTuple
from bleucli.report.contents import Column, Grouping, Pair, Report, short_lengths
from bleucli.report.passages import Tokens, find_keys
from bleucli.report.plots import MOST_SERIES, ROOMY, TIGHT
from bleucli.report.verdicts import show_cell
from bleucli.results import SIGNIFICANT, tell_ranks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# The most groups that one figure can show
MOST_GROUPS = 25
# The bins of scores
_BINS = 10
# Bounds of the buckets of word frequencies and length differences: like compare-mt's, but coarser
_FREQUENCIES = (2, 3, 5, 10, 100, 1000)
_GAPS = (-5, -2, 0, 1, 3, 6)


class Chart(NamedTuple):
    """A figure of the page."""

    metric: int | None  # the number of its metric; None if it does not depend on one
    caption: str  # what it shows, in sentences
    table: Sequence[Sequence[str]]  # its numbers as they are printed, row by row below a header
    data: dict[str, Any]  # the numbers that the script draws, for JSON


def of_systems(report: Report) -> Iterator[Chart]:
    """Give the figures of all systems, metric by metric, and then the profiles."""
    for number, column in enumerate(report.columns):
        yield forest(report, column, number)
        if column.ranking is not None:
            yield _pairs(report, column, number)
        for grouping in report.groups:
            yield _groups(report, grouping, number)
    for profile in profiles(report):
        is_part = report.passages.why and profile.metric is None
        yield _series(report, profile, "Only the segments on this page are counted." if is_part else "")


def forest(report: Report, column: Column, number: int) -> Chart:
    """Return the figure of a metric's scores, the best on top; number: that of the metric."""
    clusters = [] if column.ranking is None else column.ranking.clusters
    are_shaded = max(clusters, default=1) > 1
    decimals = column.decimals(2)
    table = [["system", column.name, "lower bound", "upper bound", *(["ranks", "cluster"] if clusters else [])]]
    rows: list[list[float]] = []
    ranks: list[str] = []
    for system in column.order():
        record = column.records[system]
        ends = (record.score, record.score) if record.interval is None else record.interval.bounds
        numbers = (record.score, *ends)
        rows.append([system, *map(_brief, numbers), *([clusters[system]] if are_shaded else [])])
        table.append([report.names[system], *(f"{one:.{decimals}f}" for one in numbers)])
        if column.ranking is not None:
            ranks.append(tell_ranks(column.ranking.ranks[system]))
            table[-1] += [ranks[-1], str(clusters[system])]
    caption = f"{column.name} with 95% intervals{'; in parentheses, the ranks that the tests allow' if ranks else ''}."
    if are_shaded:
        caption += " A change of shade marks the border between clusters."
    data = {"kind": "forest", "label": column.name, "decimals": decimals, "rows": rows, "ranks": ranks}
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
    # Names below many columns would overlap
    data = {"kind": "pairs", "label": label, "systems": order, "cells": cells, "numbered": not room}
    return Chart(number, caption, table, data)


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
    data: dict[str, Any] = {"kind": kind, "across": profile.across, "label": profile.label, "systems": systems}
    data |= {"labels": profile.labels, "sizes": sizes}
    data["values"] = [list(map(_brief, values[system].tolist())) for system in systems]
    return Chart(profile.metric, caption, table, data)


def _brief(number: float) -> float:
    """Return a number with six digits, which are enough to draw it."""
    return float(f"{number:.6g}")


def of_pair(report: Report, pair: Pair, first: int, second: int) -> tuple[Chart, Chart]:
    """Return the figures of two systems by the first metric, as tables: their scores, and the differences.

    The script draws the figures of all pairs, by all metrics, from the scores of segments and the counts of bins.

    first: the number of the system that comes first on the page. second: that of the other one.
    """
    import numpy as np

    column = report.columns[0]
    edges = _edges(column)
    places = [passage.place for passage in report.passages.passages]
    scores = np.clip(column.segment_scores[:, places], edges[0], edges[-1])
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


# --- profiles


class Profile(NamedTuple):
    """A value for each system (row) in each bucket (column)."""

    title: str
    across: str  # the label of the horizontal axis
    label: str  # that of the vertical one
    labels: Sequence[str]  # of the buckets
    values: Floats
    sizes: Sequence[int] | None = None  # the number of items in each bucket, if it is the same for all systems
    metric: int | None = None  # the number of the metric, if the figure depends on one
    decimals: int = 0  # of values


def profiles(report: Report) -> Iterator[Profile]:
    """Give what describes systems: how they do on rare tokens, how long their outputs are, how segments score."""
    import numpy as np

    yield from _of_frequencies(report.tokens)
    yield from _of_gaps(report.tokens)
    for number, column in enumerate(report.columns):
        edges = _edges(column)
        rows = np.clip(column.segment_scores, edges[0], edges[-1])
        counts = np.array([np.histogram(row, edges)[0] for row in rows], np.float64)
        title = f"Number of segments by their {column.name}"
        across = f"{column.name} of a segment (start of each range)"
        labels = [f"{start:.3g}" for start in edges[:-1]]
        yield Profile(title, across, "segments", labels, counts, metric=number)


def _edges(column: Column) -> Floats:
    """Return the bounds of bins of segments' scores."""
    import numpy as np

    low, high = column.limits()
    return np.linspace(low, high if high > low else low + 1, _BINS + 1)


def _of_frequencies(tokens: Tokens) -> Iterator[Profile]:
    """Give the F1 (the harmonic mean of precision and recall) of rare and of frequent tokens of first references."""
    import numpy as np

    reference, base = tokens.references[0], len(tokens.vocabulary)
    frequencies = np.bincount(reference.words, minlength=base)
    bucket_of = np.digitize(frequencies, _FREQUENCIES)
    buckets = len(_FREQUENCIES) + 1
    totals = np.bincount(bucket_of[reference.words], minlength=buckets)
    keys, counts = np.unique(reference.passages * base + reference.words, return_counts=True)
    outputs, hits = [], []
    for system in tokens.hypotheses:
        words = system.words[frequencies[system.words] > 0]  # tokens that are in no first reference are in no bucket
        outputs.append(np.bincount(bucket_of[words], minlength=buckets))
        places = find_keys(keys, system.passages * base + system.words)
        matches = np.minimum(np.bincount(places[places >= 0], minlength=len(keys)), counts)
        hits.append(np.bincount(bucket_of[keys % base], matches, buckets))
    present = np.nonzero(totals)[0]
    if len(present) > 1:
        title = "F1 of tokens by how often they occur in the first references"
        across = "occurrences in the first references; below: tokens"
        labels = ["1", *_tell_ranges(_FREQUENCIES), f"≥{_FREQUENCIES[-1]:,}"]
        labels = [labels[place] for place in present]
        rates = 200 * np.array(hits) / np.maximum(np.array(outputs) + totals, 1)
        yield Profile(title, across, "F1 of tokens", labels, rates[:, present], totals[present].tolist(), decimals=2)


def _of_gaps(tokens: Tokens) -> Iterator[Profile]:
    """Give the number of outputs by how much longer or shorter they are than their first reference, in tokens."""
    import numpy as np

    gaps = np.array([system.lengths - tokens.references[0].lengths for system in tokens.hypotheses])
    if np.ptp(gaps):
        counts = np.array([np.bincount(np.digitize(row, _GAPS), minlength=len(_GAPS) + 1) for row in gaps], np.float64)
        title = "Number of segments by how much longer the output is than the first reference"
        labels = [f"<\N{MINUS SIGN}{-_GAPS[0]}", *_tell_ranges(_GAPS), f"≥{_GAPS[-1]}"]
        yield Profile(title, "tokens of the output minus those of the reference", "segments", labels, counts)


def _tell_ranges(bounds: Sequence[int]) -> list[str]:
    """Return the ranges between bounds; the upper bound is excluded.

    >>> _tell_ranges((-5, -2, 0, 1))
    ['−5…−3', '−2…−1', '0']
    """
    ranges = [f"{start}…{end - 1}" if end - start > 1 else f"{start}" for start, end in pairwise(bounds)]
    return [one.replace("-", "\N{MINUS SIGN}") for one in ranges]
