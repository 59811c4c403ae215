"""A table for programs: comma-separated or tab-separated values, one row per system and no comments."""

from __future__ import annotations

import csv
from io import StringIO

from bleucli.output.layout import Layout, order_rows
from bleucli.prose.markup import visible
from bleucli.results import Results, bare_name


def render(results: Results, layout: Layout) -> str:
    """Return a header and one row per system, as `pandas.read_csv` reads them.

    The columns are `system`; for groups of segments, the columns that they were grouped by, and `segments`; after a
    paired test, `baseline` (true or false). For each metric, its score follows under its name, then, if known, `BLEU
    mean`, `BLEU ci` (half the width of the interval), `BLEU p_value` (empty for the baseline), `BLEU cluster`, `BLEU
    difference` (from the baseline, if the layout asks for it) with its 95% interval in `BLEU difference low` and `BLEU
    difference high`, and shares under their names. The signatures (`BLEU signature`) come last. Scores, intervals and
    differences have the layout's decimals, shares two more if the scale is 100, and p-values, which count ties, all of
    theirs. Control characters in names are written as escapes.
    """
    return _write(results, layout, ",")


def render_tabs(results: Results, layout: Layout) -> str:
    """Return the same with tabs between the columns."""
    return _write(results, layout, "\t")


def _write(results: Results, layout: Layout, delimiter: str) -> str:
    systems = [_cells_of(results, index, layout) for index in order_rows(results, layout)]
    shares = {label for record in results.systems[0].scores for label, _ in record.shares}
    # Columns without any value are left out, except shares, which may be unknown because the texts are short
    present = [name for name in systems[0] if name in shares or any(columns[name] for columns in systems)]
    table = StringIO()
    writer = csv.writer(table, delimiter=delimiter, lineterminator="\n")
    writer.writerow(present)
    writer.writerows([columns[name] for name in present] for columns in systems)
    return table.getvalue()


def _cells_of(results: Results, index: int, layout: Layout) -> dict[str, str]:
    """Return the values of one system for all possible columns, in their order; a value that is unknown is empty."""
    system = results.systems[index]
    clusters = {ranking.name: str(ranking.clusters[index]) for ranking in results.rankings}
    # the labels have columns of their own
    cells = {"system": visible(bare_name(system))} | {column: visible(value) for column, value in system.labels}
    cells["segments"] = "" if system.segments is None else str(system.segments)
    cells["baseline"] = "" if results.test is None else ("false" if index else "true")
    for record in system.scores:
        mean, half_width = ("", "") if record.interval is None else map(layout.figure, record.interval)
        cells |= {
            record.name: layout.figure(record.score),
            f"{record.name} mean": mean,
            f"{record.name} ci": half_width,
            f"{record.name} p_value": "" if record.p_value is None else repr(record.p_value),
        }
        cells[f"{record.name} cluster"] = clusters.get(record.name, "")
        if layout.difference:
            bounds = zip(("", " low", " high"), record.difference or (None,) * 3, strict=True)
            cells |= {
                f"{record.name} difference{end}": "" if one is None else layout.figure(one) for end, one in bounds
            }
        cells |= {label: "" if share is None else layout.share(share) for label, share in record.shares}
    return cells | {f"{record.name} signature": record.signature.format() for record in system.scores}
