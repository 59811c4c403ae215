"""How much the standard error of a score or difference depends on what is resampled: segments, or whole documents.

`compare` returns a note that gives the ratio of both.
"""

from __future__ import annotations

from collections.abc import Sequence

from bleucli.phrases import Turn
from bleucli.results import Results
from bleucli.results.hints import Hint
from bleucli.significance.comparison import Sampling
from bleucli.significance.power import main_pair, standard_error
from bleucli.significance.resampling import Sample


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
        first, second = main_pair(column, sampling.all_pairs)
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
