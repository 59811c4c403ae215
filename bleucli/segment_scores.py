"""Scores of segments from other tools, one number per line: their means, intervals and tests.

They may be COMET scores, human ratings or anything else; a system's score is the mean of its numbers.

- `read`, `score_columns`: read the numbers, and score them
- `stats_of`, `columns_of`: put numbers into files of statistics, and get them back
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import fsum

from bleucli.counting import CorpusStats, References, SystemStats
from bleucli.counting.corpus import Source, in_step
from bleucli.errors import BleuError
from bleucli.kernels.stats import SegmentStats
from bleucli.limits import read_number
from bleucli.metrics import Metric
from bleucli.metrics.score import Score
from bleucli.results import Results, ScoreRecord, SystemResult
from bleucli.results.signature import VERSION, Signature
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bleucli.significance.comparison import Sampling

    Columns = Mapping[str, array[float]]  # by system

NAME = "score"
# Sums of larger numbers might not be finite
LARGEST = 1e100


class Given(Metric[Score]):
    """Stands in for a metric in files of such numbers, where nothing is counted."""

    name = NAME
    fractions = frozenset({"value"})
    fewest_references = 0

    def prepare(self, segments: Segments) -> Segments:
        """Return the texts unchanged; nothing calls this."""
        return segments

    def compare(self, hypotheses: Segments, references: References) -> SegmentStats:
        """Refuse to count texts.

        Raises:
            BleuError: always.
        """
        raise BleuError("segment scores from elsewhere cannot be counted from texts; read them from a file")

    def column_names(self) -> list[str]:
        """Return `value`."""
        return ["value"]

    def score_from_stats(self, sums: Sequence[int | float]) -> Score:
        """Refuse to score a sum: a mean needs the number of segments.

        Raises:
            BleuError: always.
        """
        raise BleuError("the mean of segment scores needs their number, not only their sum; keep the rows")


def stats_of(columns: Columns) -> list[SystemStats]:
    """Return numbers in the form in which files keep them."""
    metric = Given()
    # The 32-bit zeros are the numbers of references, of which such scores have none
    return [
        SystemStats(
            name,
            [CorpusStats.of_rows(metric, SegmentStats(memoryview(column), 1), array("i", bytes(4 * len(column))))],
            None,
        )
        for name, column in columns.items()
    ]


def columns_of(counted: Sequence[SystemStats]) -> Columns:
    """Return the numbers from the form in which files keep them."""
    found = {}
    for system in counted:
        rows = system.stats[0].rows
        found[system.name] = array("d", rows.data if rows is not None else ())
    return found


def read(systems: Sequence[Source], progress: Callable[[str, int, int], None]) -> Columns:
    """Return each system's numbers.

    Args:
        systems: at least one column of numbers in all; higher ones are better.
        progress: called with the name of the work, the number of items done, and the number of all items (0: not
            known).

    Raises:
        BleuError: the sources do not have the same number of lines, or a line is not a number.
    """
    names = [name for source in systems for name in source.names]
    columns = [array("d") for _ in names]
    for pieces in in_step(systems):
        start = len(columns[0])
        pairs = zip(columns, names, (column for piece in pieces for column in piece), strict=True)
        for column, name, texts in pairs:
            column.extend(_numbers(texts, name, start))
        progress("segments", len(columns[0]), 0)
    return dict(zip(names, columns, strict=True))


def score_columns(columns: Columns, sampling: Sampling | None, progress: Callable[[str, int, int], None]) -> Results:
    """Return each system's mean, and the results of resampling.

    Args:
        columns: by system, the same number of numbers for each.
        sampling: how the means are resampled, if at all.
        progress: called with the name of the work, the number of items done, and the number of all items (0: not
            known).
    """
    fields: Sequence[tuple[str, str]] = ()
    if sampling is not None:
        from bleucli.significance import comparison

        fields = comparison.signature_fields(sampling)
    signature = Signature([*fields, ("version", VERSION)])
    count = len(next(iter(columns.values())))
    results = Results(
        [
            SystemResult(name, [ScoreRecord(NAME, fsum(column) / count, "", signature, True)])
            for name, column in columns.items()
        ],
        count,
        [],
    )
    if sampling is None:
        return results
    from functools import partial

    import numpy as np

    from bleucli.significance.resampling import Sample

    def mean(sums: SegmentStats) -> NDArray[np.float64]:
        means: NDArray[np.float64] = np.asarray(sums)[:, 0] / count
        return means

    # Ties count: there are no published p-values to agree with, and coarse scores, such as human ratings, often tie
    samples = [[Sample(SegmentStats(memoryview(column), 1), mean, ties=True)] for column in columns.values()]
    return comparison.resample(results, samples, sampling, partial(progress, "trials"))


def _numbers(texts: Segments, name: str, start: int) -> Iterator[float]:
    for line, text in enumerate(texts, start + 1):
        try:
            number = read_number(text or "")
        except ValueError:
            number = float("nan")
        if not -LARGEST <= number <= LARGEST:
            raise BleuError(
                f"{name}, line {line}: {text!r} is not a number from -1e100 to 1e100; expected one score per line"
            )
        yield number
