"""How much the standard error of a score or difference depends on what is resampled: segments, or whole documents.

- `standard_error`: that of a score or of a difference, by jackknife
- `compare`: a note that gives the ratio of both
"""

from __future__ import annotations

from collections.abc import Sequence

from bleucli.phrases import Turn
from bleucli.results import Results
from bleucli.results.hints import Hint
from bleucli.significance.comparison import Sampling, rank
from bleucli.significance.resampling import Sample

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def standard_error(sample: Sample, baseline: Sample | None = None) -> float:
    """Return the standard error of a score, or of its difference from a baseline's, by jackknife (Efron & Stein 1981).

    It is the root of (n - 1) / n times the sum of squared deviations from their mean of the n scores that leave out one
    row each.

    Args:
        sample: statistics with n rows, at least two; a row may stand for a segment or a document.
        baseline: statistics of the same rows; None for the score alone.

    >>> from bleucli import WER
    >>> wer = WER()
    >>> stats = wer.corpus_stats(["a b", "a c", "x y"], [["a b", "a b", "a b"]], keep_rows=True)
    >>> round(standard_error(Sample(stats.rows, wer.scores_from_stats)), 3)
    28.868
    """
    scores = _leave_one_out(sample)
    if baseline is not None:
        scores = scores - _leave_one_out(baseline)
    return float(((len(scores) - 1) * scores.var()) ** 0.5)


def _leave_one_out(sample: Sample) -> NDArray[np.float64]:
    """Return the scores of all rows but one, for each row."""
    import numpy as np

    from bleucli.kernels.stats import SegmentStats

    rows = np.asarray(sample.stats)
    return sample.scores_from_stats(SegmentStats.from_numpy(rows.sum(axis=0) - rows))


def compare(
    results: Results, samples: Sequence[Sequence[Sample]], documents: Sequence[int], sampling: Sampling
) -> Hint | None:
    """Return a note that gives the ratio of the standard error by documents to that by segments.

    It is about the first metric: after a test, about the difference between the baseline and the best other system, or
    between the two best if every pair was tested; otherwise about the first system's score.

    Args:
        results: the scores.
        samples: for each of the systems, one sample per metric, with a row per segment.
        documents: the number of each segment's document.
        sampling: how the scores were resampled.

    Returns:
        None if there is one document, each segment is one, or the standard error by segments is 0.
    """
    column = [system.scores[0] for system in results.systems]
    first, second = 0, None
    if sampling.method != "ci":
        order = rank(column)
        if not sampling.all_pairs:
            order = [0, *(number for number in order if number)]
        first, second = order[:2]
    pair = [samples[first][0], *([] if second is None else [samples[second][0]])]
    whole = [one._replace(stats=one.stats.sums_of(documents)) for one in pair]
    if not 2 <= len(whole[0].stats) < len(pair[0].stats):
        return None
    by_segments, by_documents = standard_error(*pair), standard_error(*whole)
    if not by_segments:
        return None
    ratio = by_documents / by_segments
    names = [results.systems[number].name for number in (first, second) if number is not None]
    what = f"the difference between {' and '.join(names)}" if len(names) == 2 else f"the score of {names[0]}"
    start = f"by {column[0].name}, the standard error of {what} is"
    end = "times as large by documents as by segments; to resample whole documents, "
    remedy = Turn("use unit='doc'", "add --unit doc")
    return Hint(
        f"{start} {ratio:.2f} {end}{remedy}",
        f"{start} x {end}{remedy}",
        f"{start} {ratio:.2f} {end}{remedy.command}",
        ratio=ratio,
    )
