"""One figure of a report, for a paper.

- `draw`: the figure of a kind
- `short_lengths`: the labels of its axis
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bleucli.report import figures
from bleucli.report.contents import Report
from bleucli.report.figures import Look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(report: Report, kind: str, number: int, look: Look) -> Figure:
    """Return a figure: "forest", "pairs", "lengths", or "segments" of the first two systems.

    Args:
        report: the content to show.
        kind: as above.
        number: the number of the metric.
        look: the look of the figure.
    """
    column = report.columns[number]
    order = column.order()
    if kind == "forest":
        scores = [record.score for record in column.records]
        clusters = None if column.ranking is None else column.ranking.clusters
        return figures.forest(
            report.names, scores, column.bounds(), order, column.name, clusters, look, column.decimals(2)
        )
    if kind == "pairs":
        assert column.ranking is not None
        leads, corrected = column.leads(), column.ranking.corrected
        return figures.pairs(report.names, leads, corrected, order, column.name, look, column.decimals(1))
    if kind == "lengths":
        grouping = report.groups[0]
        labels = short_lengths(grouping.labels)
        across = f"{grouping.title}; below: segments"
        return figures.lines(
            report.names, grouping.scores[number], order, labels, grouping.sizes, across, column.name, look
        )
    first, second = column.segment_scores[:2]
    return figures.segments(
        report.names[:2], first, second, f"{column.name} of a segment", look, limits=column.limits()
    )


def short_lengths(labels: Sequence[str]) -> list[str]:
    """Return ranges of lengths as short labels of an axis.

    >>> short_lengths(["fewer than 10 tokens", "10 to 19 tokens", "60 tokens or more"])
    ['<10', '10–19', '≥60']
    """
    shown = []
    for label in labels:
        numbers = re.findall(r"\d+", label)
        start = "<" if label.startswith("fewer") else "≥" if label.endswith("more") else ""
        shown.append(start + "–".join(numbers))
    return shown
