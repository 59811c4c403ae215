"""Scores that others gave to segments, one number a line: their means, intervals and tests.

COMET, human ratings, anything; a system's score is the mean of its numbers.
"""

from collections.abc import Callable, Iterator, Sequence
from math import fsum

from bleucli.corpus import Source, in_step
from bleucli.errors import BleuError
from bleucli.limits import read_number
from bleucli.results import Results, ScoreRecord, SystemResult
from bleucli.segments import Segments
from bleucli.signature import VERSION, Signature
from bleucli.stats import SegmentStats

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bleucli.significance.comparison import Sampling

NAME = "score"
# Sums of larger numbers might not be finite
_LARGEST = 1e100


def score(
    systems: Sequence[Source], sampling: "Sampling | None", progress: "Callable[[str, int, int], None]"
) -> Results:
    """Return each system's mean, and what resampling finds.

    Args:
        systems: at least one column of numbers in all; higher ones are better.
        sampling: how the means are resampled, if at all.
        progress: called with what is counted, how many are done, and of how many (0: not known).

    Raises:
        BleuError: the sources do not have the same number of lines, or a line is not a number.
    """
    from array import array

    names = [name for source in systems for name in source.names]
    columns = [array("d") for _ in names]
    for pieces in in_step(systems):
        start = len(columns[0])
        pairs = zip(columns, names, (column for piece in pieces for column in piece), strict=True)
        for column, name, texts in pairs:
            column.extend(_numbers(texts, name, start))
        progress("segments", len(columns[0]), 0)
    fields: Sequence[tuple[str, str]] = ()
    if sampling is not None:
        from bleucli.significance import comparison

        fields = comparison.signature_fields(sampling)
    signature = Signature([*fields, ("version", VERSION)])
    count = len(columns[0])
    results = Results(
        [
            SystemResult(name, [ScoreRecord(NAME, fsum(column) / count, "", signature, True)])
            for name, column in zip(names, columns, strict=True)
        ],
        count,
        [],
    )
    if sampling is None:
        return results
    from functools import partial

    import numpy as np

    from bleucli.significance.resampling import Sample

    def mean(sums: SegmentStats) -> "NDArray[np.float64]":
        means: NDArray[np.float64] = np.asarray(sums)[:, 0] / count
        return means

    # no published p-value leaves ties out here, and coarse scores, such as human ratings, have many
    samples = [[Sample(SegmentStats(memoryview(column), 1), mean, ties=True)] for column in columns]
    return comparison.resample(results, samples, sampling, partial(progress, "trials"))


def _numbers(texts: Segments, name: str, start: int) -> Iterator[float]:
    for line, text in enumerate(texts, start + 1):
        try:
            number = read_number(text or "")
        except ValueError:
            number = float("nan")
        if not -_LARGEST <= number <= _LARGEST:
            raise BleuError(
                f"{name}, line {line}: {text!r} is not a number from -1e100 to 1e100; expected one score a line"
            )
        yield number
