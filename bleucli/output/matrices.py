"""Language pairs side by side: what tables of a matrix hold and say, whatever their format.

- `cells`: the scores of a metric by system and pair
- `signatures_of`: the signatures of a metric, which may differ between pairs
- `explain`: what the averages are
- `sort`: the systems by their averages
- `by_pair`: the results of each pair alone
"""

from __future__ import annotations

from bleucli.output.layout import Layout
from bleucli.phrases import join_words
from bleucli.prose.markup import visible
from bleucli.results import PAIR, Matrix, Results, ScoreRecord, SystemResult, bare_name, tell_references


def sort(results: Results, matrix: Matrix, number: int) -> Results:
    """Return results with the systems in the order of their averages, best first, then those without one.

    A single pair has no averages: its scores decide. number: of the metric, from 0.
    """
    rows = results.systems if len(matrix.pairs) == 1 else matrix.averages
    means = {bare_name(row): row.scores[number].score for row in rows}
    sign = -1 if results.systems[0].scores[number].higher_is_better else 1
    systems = sorted(matrix.systems, key=lambda name: (name not in means, sign * means.get(name, 0)))
    rank = {name: place for place, name in enumerate(systems)}
    return results._replace(
        systems=sorted(results.systems, key=lambda row: (matrix.pairs.index(pair_of(row)), rank[bare_name(row)])),
        matrix=matrix._replace(systems=systems, averages=sorted(matrix.averages, key=lambda row: rank[bare_name(row)])),
    )


def by_pair(results: Results, matrix: Matrix) -> list[tuple[str, Results]]:
    """Return each language pair that has scores, with its results."""
    parts = []
    for pair in matrix.pairs:
        rows = [row for row in results.systems if pair_of(row) == pair]
        if rows:
            parts.append((pair, Results(rows, rows[0].segments or 0, [])))
    return parts


def pair_of(row: SystemResult) -> str:
    """Return the language pair of a row."""
    return dict(row.labels)[PAIR]


def cells(results: Results, matrix: Matrix, number: int) -> dict[tuple[str, str], ScoreRecord]:
    """Return the scores of a metric by system and pair, or average; number: the metric's, from 0."""
    rows = [*results.systems, *matrix.averages]
    return {(bare_name(row), pair_of(row)): row.scores[number] for row in rows}


def signatures_of(results: Results, matrix: Matrix, number: int, layout: Layout) -> list[tuple[str, str]]:
    """Return the name and signature of a metric; if pairs differ, each signature with the pairs that have it."""
    by_signature: dict[str, dict[str, None]] = {}
    for row in results.systems:
        signature = row.scores[number].signature.format(layout.short)
        by_signature.setdefault(signature, {})[pair_of(row)] = None
    name = results.systems[0].scores[number].name
    if len(by_signature) == 1:
        return [(name, signature) for signature in by_signature]
    return [(f"{name}, {visible(', '.join(pairs))}", signature) for signature, pairs in by_signature.items()]


def explain(results: Results, matrix: Matrix) -> list[str]:
    """Return what the averages are, in sentences."""
    if len(matrix.pairs) == 1:
        return []
    if not matrix.averages:
        return ["There are no averages, because no system has a score for every language pair."]
    notes = [f"The average is the mean over the {len(matrix.pairs)} language pairs, for systems with output for each."]
    for record in matrix.averages[0].scores:
        tokenizers = str(record.signature.info.get("tok", "")).split(",")
        if len(tokenizers) > 1:
            notes.append(f"The average {record.name} mixes scores by different tokenizers: {join_words(tokenizers)}.")
    if references := tell_references(results.systems):
        notes.append(f"The averages mix language pairs with different numbers of references: {visible(references)}.")
    return notes
