"""Curves that describe systems, with one value per system and bucket.

- `Profile`: the data of one figure; `find`: all of them
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from bleucli.records import NamedTuple
from bleucli.report.passages import Tokens, find_keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Bounds of the buckets of word frequencies and length differences: like compare-mt's, but coarser
_FREQUENCIES = (2, 3, 5, 10, 100, 1000)
_GAPS = (-5, -2, 0, 1, 3, 6)
_BINS = 10


class Profile(NamedTuple):
    """A value for each system (row) in each bucket (column).

    kind: "frequency", "gap" or "scores". title: the title of the figure. across, label: the labels of the axes. labels:
    the labels of the buckets. sizes: the number of items in each bucket, if it is the same for all systems. metric: the
    number of the metric; None if the figure does not depend on a metric.
    """

    kind: str
    title: str
    across: str
    label: str
    labels: Sequence[str]
    sizes: Sequence[int] | None
    values: Floats
    metric: int | None = None


def find(tokens: Tokens, scores: Sequence[tuple[str, Floats, tuple[float, float]]]) -> list[Profile]:
    """Return all profiles.

    Args:
        tokens: the tokens of the segments on the page.
        scores: for each metric, its name, one row of segments' scores per system, and their lower and upper limit.
    """
    profiles = [*_of_frequencies(tokens), *_of_gaps(tokens)]
    for number, (name, rows, limits) in enumerate(scores):
        profiles.append(_of_scores(name, rows, limits, number))
    return profiles


def _of_frequencies(tokens: Tokens) -> Iterator[Profile]:
    """Give the F1 (the harmonic mean of precision and recall) of rare and of frequent tokens of first references."""
    import numpy as np

    reference, base = tokens.references[0], len(tokens.vocabulary)
    frequencies = np.bincount(reference.words, minlength=base)
    bucket_of = np.digitize(frequencies, _FREQUENCIES)
    buckets = len(_FREQUENCIES) + 1
    totals = np.bincount(bucket_of[reference.words], minlength=buckets)
    keys, counts = np.unique(reference.passages * base + reference.words, return_counts=True)
    outputs, hits = [], []
    for system in tokens.hypotheses:
        words = system.words[frequencies[system.words] > 0]  # tokens that are in no first reference are in no bucket
        outputs.append(np.bincount(bucket_of[words], minlength=buckets))
        places = find_keys(keys, system.passages * base + system.words)
        matches = np.minimum(np.bincount(places[places >= 0], minlength=len(keys)), counts)
        hits.append(np.bincount(bucket_of[keys % base], matches, buckets))
    present = np.nonzero(totals)[0]
    if len(present) < 2:
        return
    labels = ["1", *_tell_ranges(_FREQUENCIES), f"≥{_FREQUENCIES[-1]:,}"]
    rates = 200 * np.array(hits) / np.maximum(np.array(outputs) + totals, 1)
    yield Profile(
        "frequency",
        "F1 of tokens by how often they occur in the first references",
        "occurrences in the first references; below: tokens",
        "F1 of tokens",
        [labels[place] for place in present],
        totals[present].tolist(),
        rates[:, present],
    )


def _of_gaps(tokens: Tokens) -> Iterator[Profile]:
    """Give the number of outputs by how much longer or shorter they are than their first reference, in tokens."""
    import numpy as np

    lengths = np.array([system.lengths - tokens.references[0].lengths for system in tokens.hypotheses])
    if not np.ptp(lengths):
        return
    places = np.digitize(lengths, _GAPS)
    counts = np.array([np.bincount(row, minlength=len(_GAPS) + 1) for row in places], np.float64)
    labels = [f"<\N{MINUS SIGN}{-_GAPS[0]}", *_tell_ranges(_GAPS), f"≥{_GAPS[-1]}"]
    yield Profile(
        "gap",
        "Number of segments by how much longer the output is than the first reference",
        "tokens of the output minus those of the reference",
        "segments",
        labels,
        None,
        counts,
    )


def _of_scores(name: str, rows: Floats, limits: tuple[float, float], number: int) -> Profile:
    """Return the number of segments in each range of scores."""
    import numpy as np

    low, high = limits
    high = high if high > low else low + 1
    edges = np.linspace(low, high, _BINS + 1)
    counts = np.array([np.histogram(np.clip(row, low, high), edges)[0] for row in rows], np.float64)
    labels = [f"{start:.3g}" for start in edges[:-1]]
    return Profile(
        "scores",
        f"Number of segments by their {name}",
        f"{name} of a segment (start of each range)",
        "segments",
        labels,
        None,
        counts,
        number,
    )


def _tell_ranges(bounds: Sequence[int]) -> list[str]:
    """Return the ranges between bounds; the upper bound is excluded.

    >>> _tell_ranges((-5, -2, 0, 1))
    ['−5…−3', '−2…−1', '0']
    """
    ranges = [
        f"{start}\N{HORIZONTAL ELLIPSIS}{end - 1}" if end - start > 1 else f"{start}" for start, end in pairwise(bounds)
    ]
    return [one.replace("-", "\N{MINUS SIGN}") for one in ranges]
