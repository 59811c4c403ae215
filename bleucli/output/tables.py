"""Several systems side by side."""

from bleucli.output import Layout
from bleucli.results import Results

_HEADING = "Metric signatures"


def render(results: Results, layout: Layout) -> str:
    """Return a table with a row a system and a column a metric, and the signatures under it, as sacreBLEU does."""
    from tabulate import tabulate

    scores = results.systems[0].scores
    table = tabulate(
        [
            [system.name, *(f"{record.score:.{layout.width}f}" for record in system.scores)]
            for system in results.systems
        ],
        headers=["System", *(record.name for record in scores)],
        tablefmt="fancy_grid",
        stralign="center",
        colalign=("right", *["center"] * len(scores)),
        disable_numparse=True,
    )
    rule = "-" * len(_HEADING)
    signatures = "".join(f" - {record.name:<10} {record.signature.format(layout.short)}\n" for record in scores)
    return f"{table}\n\n{rule}\n{_HEADING}\n{rule}\n{signatures}"
