"""What the calculator's page says of a segment's score; `Metric.remarks` makes it, beside the metric.

- `Remarks`, `Bar`: the record
- `remark_on_edits`: what error rates say
"""

from __future__ import annotations

from collections.abc import Sequence

from bleucli.phrases import tell_count
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.counting import CorpusStats


class Bar(NamedTuple):
    """A row of the chart: its bars, one below the other, in percent, and the texts above them."""

    label: str
    counts: str
    shares: Sequence[float]
    value: str


class Remarks(NamedTuple):
    """What a metric says of a segment's score.

    facts: up to three numbers, each with its name. bars, legend: a chart, and what its bars mean. messages: why the
    score is what it is, and what to check, the most serious message first. reading: how to read such scores. band: the
    index of the score's band, in a table of what scores are taken to mean; None if there is no such table.
    """

    facts: Sequence[tuple[str, str]] = ()
    bars: Sequence[Bar] = ()
    legend: str = ""
    messages: Sequence[str] = ()
    reading: str = ""
    band: int | None = None


def remark_on_edits(name: str, unit: str, stats: CorpusStats, is_average: bool = False) -> Remarks:
    """Return what an error rate says.

    Args:
        name: the name of the metric.
        unit: what is edited, such as "word".
        stats: the edits, and the length of the reference.
        is_average: whether that length is the average of several references.
    """
    score, (edits, length) = stats.score().score, stats.sums
    size = f"{length:.1f} {unit}s" if length % 1 else tell_count(int(length), unit)
    average = " on average" if is_average else ""
    unspaced, letters, *_ = stats.signs or (0, 0)
    messages = []
    if 2 * unspaced > letters:
        messages.append(
            f"{name} counts words between spaces, but this script has no spaces between words. Choose chrF."
        )
    if not score:
        messages.append("No edit is needed: 0 is the best score.")
    elif score == 100:
        messages.append(f"There are as many edits as {unit}s in the reference{f's{average}' if average else ''}.")
    elif score > 100:
        those = f"references of {size}{average}" if average else f"a reference of {size}"
        messages.append(f"{tell_count(int(edits), 'edit')} for {those}: {name} has no upper limit.")
    return Remarks(
        [
            ("Edits", str(int(edits))),
            ("Reference length" + ", on average" * is_average, size),
            ("Best score", "0"),
        ],
        [Bar("edits", f"{int(edits)} for {size}", [score], f"{score:.2f}%")],
        "",
        messages,
        f"{name} is the share of {unit}s that must be edited: 0 is best, 100 means as many edits as the reference"
        f" has {unit}s, and there is no upper limit. No bands of quality are in common use; compare systems on the same"
        " texts, and read the texts.",
    )
