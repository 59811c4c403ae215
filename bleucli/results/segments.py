"""Scores of single segments, in columns.

- `SegmentScores`: those of some segments by one metric
- `SegmentBlock`: those of segments that follow one another, by all systems and metrics
- `SegmentTable`: those of every segment, as `evaluate_segments` returns them
"""

from __future__ import annotations

from bleucli.errors import BleuError
from bleucli.phrases import suggest, tell_count
from bleucli.records import NamedTuple, Record
from bleucli.results import BY_ORDER, Figures, ScoreRecord, data_frame
from bleucli.results.signature import Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    import pandas


class SegmentScores(NamedTuple):
    """Scores of n segments by one metric, in columns of n values, so that many lines are rendered at once.

    The metric fills in the first fields, and `bleucli.scoring.score_blocks` the others.

    figures: the columns of those fields of `Figures` that the metric has; for those in `BY_ORDER`, one for each order.
    verbose: what follows the score in text, in pieces: a text for all segments; a list of one for each; or a column of
    numbers, with the number of decimals of those that are not integers.
    """

    name: str
    scores: Sequence[float]
    figures: Mapping[str, Sequence[Any]] = {}
    verbose: Sequence[str | list[str] | tuple[Sequence[float], int]] = ()
    higher_is_better: bool | None = None
    nrefs: Sequence[int] = ()  # the number of references of each segment
    signatures: Mapping[int, Signature] = {}  # by that number
    scale: int | None = None  # as in `ScoreRecord`

    def record(self, place: int) -> ScoreRecord:
        """Return the score of one segment; place: its index among these."""
        figures: dict[str, Any] = {
            name: [column[place] for column in part] if name in BY_ORDER else part[place]
            for name, part in self.figures.items()
        }
        return ScoreRecord(
            self.name,
            self.scores[place],
            self._verbose(place),
            self.signatures[self.nrefs[place]],
            self.higher_is_better,
            figures=Figures(**figures),
            scale=self.scale,
        )

    def _verbose(self, place: int) -> str:
        texts = []
        for piece in self.verbose:
            if isinstance(piece, tuple):
                number, decimals = piece[0][place], piece[1]
                texts.append(str(number) if isinstance(number, int) else f"{number:.{decimals}f}")
            else:
                texts.append(piece if isinstance(piece, str) else piece[place])
        return "".join(texts)

    def records(self) -> Iterator[ScoreRecord]:
        """Give the score of each segment."""
        return map(self.record, range(len(self.scores)))


class SegmentBlock(NamedTuple):
    """The scores of n segments that follow one another, and what is known of them.

    numbers: their numbers in the text, from 1. systems: the names of the systems. scores: for each system, those by
    each metric. labels: columns of n labels, by name. references, outputs: columns of n texts; none unless texts are
    asked for.
    """

    numbers: Sequence[int]
    systems: Sequence[str]
    scores: Sequence[Sequence[SegmentScores]]
    labels: Mapping[str, Sequence[str | None]] = {}
    references: Sequence[Sequence[str | None]] = ()
    outputs: Sequence[Sequence[str | None]] = ()


class SegmentTable(Record):
    """The scores of every segment, by all systems and metrics, as `evaluate_segments` returns them.

    `table["system"]["BLEU"]` is a list of n numbers.

    Attributes:
        scores: for each system, by its name, n scores by each metric, in percent unless another tool computed them.
        signatures: those of the metrics, by their names.
        labels: what is known of each segment, by name.

    >>> from bleucli import evaluate_segments
    >>> systems = {"a": ["the cat sat", "on a mat"], "b": ["the cat sat", "on the mat"]}
    >>> table = evaluate_segments(systems, [["the cat sat", "on the mat"]], ["chrf", "ter"])
    >>> table["a"]["TER"]
    [0.0, 33.33333333333333]
    >>> table.rows()[-1]
    {'segment': 2, 'system': 'b', 'metric': 'TER', 'score': 0.0}
    >>> table.rows(wide=True)[1]["a TER"]
    33.33333333333333
    """

    scores: Mapping[str, Mapping[str, list[float]]]
    signatures: Mapping[str, Signature]
    labels: Mapping[str, list[str]] = {}

    def __getitem__(self, key: str, /) -> Mapping[str, list[float]]:
        """Return the scores of a system.

        Raises:
            BleuError: there is no such system.
        """
        if not isinstance(key, str):
            scores: Mapping[str, list[float]] = super().__getitem__(key)
            return scores
        if key not in self.scores:
            raise BleuError(
                f"there is no system {key!r}; choose from {', '.join(self.scores)}{suggest(key, self.scores)}"
            )
        return self.scores[key]

    def rows(self, wide: bool = False) -> list[dict[str, Any]]:
        """Return dictionaries for `pandas.DataFrame` and `polars.DataFrame`.

        Args:
            wide: one for each segment, with keys such as `system BLEU`; otherwise one for each score, with `segment`
                (from 1), `system`, `metric` and `score`. Both have the labels.
        """
        columns = [(name, metric, column) for name, of in self.scores.items() for metric, column in of.items()]
        rows: list[dict[str, Any]] = []
        for place in range(len(columns[0][2])):
            labels = {"segment": place + 1} | {name: column[place] for name, column in self.labels.items()}
            if wide:
                rows.append(labels | {f"{name} {metric}": column[place] for name, metric, column in columns})
                continue
            rows += [
                {**labels, "system": name, "metric": metric, "score": column[place]} for name, metric, column in columns
            ]
        return rows

    def to_pandas(self, wide: bool = False) -> pandas.DataFrame:
        """Return the rows of `rows(wide)` as a data frame of pandas.

        Raises:
            BleuError: pandas is not installed.
        """
        return data_frame(self.rows(wide))

    def __repr__(self) -> str:
        segments = tell_count(len(next(iter(next(iter(self.scores.values())).values()))), "segment")
        return f"<SegmentTable: {segments}, {', '.join(self.scores)} by {', '.join(self.signatures)}>"
