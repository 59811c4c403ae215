"""Which edits WER, CER and TER count: how many words are equal, and how many are edited in which way.

- `EditCounts`, `TEREditCounts`: the counts of a corpus; `count_edits`: the same, without names
- `EditKinds`: counts them beside a metric, like a metric of its own; `attach`: gives them to that metric's scores
- `remark_on_edits`: what the calculator says of an error rate

Scores only need the number of edits. To find out which ones these are, WER and CER align all texts in plain Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from bleucli.counting import References
from bleucli.kernels.stats import SegmentStats
from bleucli.metrics.base import Metric
from bleucli.metrics.score import Bar, Remarks, Score
from bleucli.phrases import tell_count
from bleucli.records import NamedTuple
from bleucli.results import EDIT_KINDS, Figures, Results, SystemResult
from bleucli.results.segments import SegmentBlock, SegmentScores
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from bleucli.counting import CorpusStats


class EditCounts(NamedTuple):
    """What the edits of a corpus are by WER or CER, in words or characters; they turn the reference into the output.

    hits: those of the references that the outputs have. substitutions: those that are different. deletions: those that
    the outputs lack. insertions: extra ones in the outputs. reference_length: the sum of hits, substitutions and
    deletions.
    """

    hits: int
    substitutions: int
    deletions: int
    insertions: int
    reference_length: int


class TEREditCounts(NamedTuple):
    """What the edits of a corpus are by TER, in words; they turn the output into the reference.

    shifts: phrases that are moved first. hits: words of the outputs that are then equal. substitutions: those that are
    different. deletions: extra ones. insertions: those that the outputs lack. reference_length: of several references,
    the average.
    """

    hits: int
    substitutions: int
    deletions: int
    insertions: int
    shifts: int
    reference_length: float


class _Counts(Score):
    """The counts of a sum of rows; `score` means nothing."""

    score = 0.0

    def __init__(self, name: str, counts: Mapping[str, Any]) -> None:
        self.name = name
        self.counts = counts

    def figures(self) -> Figures:
        """Return the counts."""
        return Figures()._replace(**self.counts)


class EditKinds(Metric[Score]):
    """The kinds of edits that a metric counts, as rows that are added like any others.

    metric: TER, WER or CER, with its options.

    >>> from bleucli import WER
    >>> EditKinds(WER()).corpus_stats(["a x c d", "e"], [["a b c", "e f"]]).sums
    (3, 1, 1, 1, 0)
    """

    def __init__(self, metric: Metric) -> None:
        super().__init__()
        self.metric = metric
        self.name = f"edits of {metric.name}"
        self.kinds = EDIT_KINDS if metric.shifts else EDIT_KINDS[:-1]

    def prepare(self, segments: Segments) -> Segments:
        """Return the texts as the metric compares them."""
        return self.metric.prepare(self.metric.make_alike(segments))

    def prepare_references(self, streams: Sequence[Segments], start: int = 0) -> References:
        """Return the references as the metric compares them."""
        return self.metric.prepare_references(streams, start)

    def compare(self, hypotheses: Segments, references: References) -> SegmentStats:
        """Return one row of counts per segment, in the order of `EDIT_KINDS`."""
        return self.metric.count_kinds(hypotheses, references)

    def score_from_stats(self, sums: Sequence[int | float]) -> Score:
        """Return the counts."""
        return _Counts(self.name, dict(zip(self.kinds, map(int, sums), strict=False)))

    def score_columns(self, rows: SegmentStats) -> SegmentScores:
        """Return the counts of each row in columns."""
        columns = [rows.data[place :: rows.columns].tolist() for place in range(rows.columns)]
        return SegmentScores(self.name, [0.0] * len(rows), dict(zip(self.kinds, columns, strict=False)))

    def scores_from_stats(self, sums: SegmentStats) -> NDArray[np.float64]:
        """Return zeros: there is nothing to resample."""
        import numpy as np

        return np.zeros(len(sums))

    def configuration(self) -> object:
        """Return a value that differs between metrics whose edits cannot be added."""
        return type(self), self.metric.configuration()


def count_edits(
    metric: Metric, hypotheses: Iterable[str | None], references: Iterable[Iterable[str | None]]
) -> tuple[Sequence[int | float], float]:
    """Return the counts of a corpus in the order of `EDIT_KINDS`, and the reference length; metric: TER, WER or CER."""
    from bleucli.counting import count
    from bleucli.counting.corpus import of_strings

    ((_, (edits, scores), _),) = count(of_strings([("", hypotheses)], references), [EditKinds(metric), metric])
    return edits.sums, scores.sums[1]


def attach(results: Results, counters: Mapping[int, int]) -> Results:
    """Return results in which the counts are figures of the metrics' scores, and not scores themselves.

    counters: for each metric that has counts, its place among the scores, and the place of its counts, which follow all
    metrics.
    """
    end = min(counters.values())

    def merge(row: SystemResult) -> SystemResult:
        scores = list(row.scores[:end])
        for place, other in counters.items():
            kinds = {name: getattr(row.scores[other].figures, name) for name in EDIT_KINDS}
            scores[place] = scores[place]._replace(figures=scores[place].figures._replace(**kinds))
        return row._replace(scores=scores)

    systems = list(map(merge, results.systems))
    return results._replace(systems=systems, rankings=results.rankings[:end])


def attach_each(blocks: Iterable[SegmentBlock], counters: Mapping[int, int]) -> Iterator[SegmentBlock]:
    """Give blocks of segments in which the counts are figures of the metrics' scores; counters: as for `attach`."""
    end = min(counters.values())

    def merge(scores: Sequence[SegmentScores]) -> list[SegmentScores]:
        columns: list[Any] = list(scores[:end])
        for place, other in counters.items():
            columns[place] = columns[place]._replace(figures={**columns[place].figures, **scores[other].figures})
        return columns

    for block in blocks:
        yield block._replace(scores=list(map(merge, block.scores)))


def remark_on_edits(name: str, unit: str, stats: CorpusStats, is_average: bool = False) -> Remarks:
    """Return what the calculator says of an error rate, from the edits and the length of the reference.

    unit: what is edited, such as "word". is_average: whether that length is the average of several references.
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
