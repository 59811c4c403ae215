"""Scores for programs: as rows of numbers, and as a report of gates.

- `COLUMNS`: the numbers that are known of a score, each once, for all formats that show numbers in columns of their own
- `cells`: those of one score that a layout shows
- `render_csv`, `render_tsv`: a table with one row per system and no comments
- `render_junit`: a report of gates for CI, in the XML of JUnit: one test case for each system, metric and gate

A metric card and the JSON of tested systems are made of the same cells.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

from bleucli.output.layout import Layout, order_rows
from bleucli.prose.markup import readable, visible
from bleucli.records import NamedTuple
from bleucli.results import EDIT_KINDS, Results, Verdict


class Column(NamedTuple):
    """A number that is known of a score."""

    name: str  # follows that of the metric
    part: str  # what it belongs to: "score", "edits", "interval", "test", "difference" or "ranking"
    is_exact: bool = False  # printed as it is; other numbers have the layout's decimals


# By the names of `Results.cells`
COLUMNS = {
    "score": Column("", "score"),
    # Only where they are counted
    **{name: Column(name, "edits", is_exact=True) for name in (*EDIT_KINDS, "edits", "reference_length")},
    "interval_mean": Column("mean", "interval"),
    "interval_half_width": Column("ci", "interval"),  # half the width of the interval
    "p_value": Column("p_value", "test", is_exact=True),  # counts ties; none for the baseline
    "difference": Column("difference", "difference"),  # from the baseline, with the bounds of its 95% interval
    "difference_low": Column("difference low", "difference"),
    "difference_high": Column("difference high", "difference"),
    "rank_first": Column("rank first", "ranking", is_exact=True),  # the ranks that a test of all pairs allows
    "rank_last": Column("rank last", "ranking", is_exact=True),
    "cluster": Column("cluster", "ranking", is_exact=True),
}


def cells(results: Results, index: int, place: int, layout: Layout) -> list[tuple[Column, float | None]]:
    """Return the columns that a layout shows of a score, each with its number, not rounded; None where there is none.

    index: that of the system. place: that of the score among the system's scores.
    """
    values = results.cells(index, place)
    parts = {"difference": layout.difference, "edits": values.get(EDIT_KINDS[0]) is not None}
    columns = [(key, one) for key, one in COLUMNS.items() if parts.get(one.part, True)]
    return [(column, values.get(key)) for key, column in columns]


def render_csv(results: Results, layout: Layout, delimiter: str = ",") -> str:
    """Return a header and one row per system, as `pandas.read_csv` reads them.

    The columns are `system`; for groups of segments, the columns that they were grouped by, and `segments`; after a
    test against a baseline, `baseline` (true or false). For each metric, `COLUMNS` follow, such as `BLEU` and
    `BLEU ci`, and shares under their names; then the signatures (`BLEU signature`). If every pair was tested, there is
    also a column with the corrected p-value against each other system (`BLEU p vs NAME`). Scores, intervals and
    differences have the layout's decimals, shares two more if the scale is 100, and p-values all of theirs. Control
    characters in names are written as escapes.
    """
    import csv
    from io import StringIO

    systems = [_row(group, index, layout) for group in results.groups() for index in order_rows(group, layout)]
    shares = {label for record in results.systems[0].scores for label, _ in record.shares}
    # Columns without any value are left out, except shares, which may be unknown because the texts are short. Groups
    # may have different systems, and so different columns of p-values.
    names = sorted(dict.fromkeys(name for row in systems for name in row), key=lambda name: name.endswith(" signature"))
    header = [name for name in names if name in shares or any(row.get(name) for row in systems)]
    table = StringIO()
    writer = csv.writer(table, delimiter=delimiter, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([row.get(name, "") for name in header] for row in systems)
    return table.getvalue()


def render_tsv(results: Results, layout: Layout) -> str:
    """Return the same with tabs between the columns."""
    return render_csv(results, layout, "\t")


def _row(results: Results, index: int, layout: Layout) -> dict[str, str]:
    """Return the values of one system for all possible columns, in their order; a value that is unknown is empty."""
    system = results.systems[index]
    # The labels have columns of their own
    row = {"system": visible(system.bare_name)} | {column: visible(value) for column, value in system.labels}
    row["segments"] = "" if system.segments is None else str(system.segments)
    row["baseline"] = ("false" if index else "true") if results.has_baseline() else ""
    for place, record in enumerate(system.scores):
        # Differences come last, since not every table has them
        for column, number in sorted(
            cells(results, index, place, layout), key=lambda cell: cell[0].part == "difference"
        ):
            text = "" if number is None else repr(number) if column.is_exact else layout.of(record).figure(number)
            row[f"{record.name} {column.name}".rstrip()] = text
        row |= {label: "" if share is None else layout.share(share) for label, share in record.shares}
        if results.rankings:
            for other, p_value in zip(results.systems, results.rankings[place].corrected[index], strict=True):
                row[f"{record.name} p vs {visible(other.bare_name)}"] = "" if p_value is None else repr(p_value)
    return row | {f"{record.name} signature": record.signature.format() for record in system.scores}


# --- gates


def render_junit(results: Results, layout: Layout) -> str:
    """Return one suite per system, with the score of each case as its output.

    A failed case holds the sentence that says why. Without gates there is one case per score, which is skipped because
    nothing judged it. A system that could not be scored has one case, an error. Characters of a name that XML cannot
    hold are written as escapes.
    """
    verdicts = results.verdicts or [
        Verdict(system.name, record, "", "") for system in results.systems for record in system.scores
    ]
    plain = layout._replace(colour=False, score_only=False)
    suites = []
    for system in results.systems:
        own = [verdict for verdict in verdicts if verdict.system == system.name]
        if own:
            cases = "".join(_case(verdict, plain) for verdict in own)
            suites.append(f'<testsuite name="{_escape(system.name)}" {_counts(own)}>\n{cases}</testsuite>\n')
    for name, reason in results.unscored:
        why = _escape(reason)
        suites.append(
            f'<testsuite name="{_escape(name)}" {_counts([], 1)}>\n'
            f'<testcase classname="{_escape(name)}" name="scoring" time="0">\n'
            f'<error type="unscored" message="{why}">{why}</error>\n</testcase>\n</testsuite>\n'
        )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="bleu" {_counts(verdicts, len(results.unscored))}>\n{"".join(suites)}</testsuites>\n'
    )


def _counts(verdicts: Sequence[Verdict], errors: int = 0) -> str:
    failures = sum(verdict.failure != "" for verdict in verdicts)
    skipped = sum(verdict.gate == "" for verdict in verdicts)
    return f'tests="{len(verdicts) + errors}" failures="{failures}" errors="{errors}" skipped="{skipped}" time="0"'


def _case(verdict: Verdict, layout: Layout) -> str:
    from bleucli.output.text import score_line

    name = f"{verdict.score.name} {verdict.gate}".rstrip()
    outcome = "" if verdict.gate else '<skipped message="no gate"/>\n'
    if verdict.failure:
        kind = verdict.gate.partition(" ")[0]
        why = _escape(verdict.failure)  # some readers show the attribute, others the text
        outcome = f'<failure type="{_escape(kind)}" message="{why}">{why}</failure>\n'
    return (
        f'<testcase classname="{_escape(verdict.system)}" name="{_escape(name)}" time="0">\n'
        f"{outcome}<system-out>{_escape(score_line(verdict.score, layout).rstrip())}</system-out>\n</testcase>\n"
    )


def _escape(text: str) -> str:
    r"""Return text escaped for attributes and between tags; a name may have bytes that are not UTF-8.

    >>> print(_escape('<"caf\udce9">'), _escape("a\x1bb"))
    &lt;&quot;caf\xe9&quot;&gt; a\x1bb
    """
    return html.escape(readable(text))
