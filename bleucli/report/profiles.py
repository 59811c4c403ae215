"""What systems are like beside their scores: curves over buckets, a value for each system in each.

- `Profile`: one such figure; `find`: all of them
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from bleucli.records import NamedTuple
from bleucli.report.passages import Passages

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Bounds of how often words are in the references, and of how much longer outputs are; as compare-mt's, but coarser
_FREQUENCIES = (2, 3, 5, 10, 100, 1000)
_GAPS = (-5, -2, 0, 1, 3, 6)
_BINS = 10


class Profile(NamedTuple):
    """A value for each system (row) in each bucket (column).

    kind: "frequency", "gap" or "scores". title: what is shown. across, label: what the axes are. labels: of the
    buckets. sizes: what is in each of them, if that is the same for all systems. metric: its number; None if the figure
    is about no metric.
    """

    kind: str
    title: str
    across: str
    label: str
    labels: Sequence[str]
    sizes: Sequence[int] | None
    values: "Floats"
    metric: int | None = None


def find(passages: Passages, scores: "Sequence[tuple[str, Floats, tuple[float, float]]]") -> list[Profile]:
    """Return all profiles.

    Args:
        passages: segments with their tokens.
        scores: by metric its name, a row of segments' scores for each system, and from where to where these go.
    """
    found = [*_of_frequencies(passages), *_of_gaps(passages)]
    for number, (name, rows, limits) in enumerate(scores):
        found.append(_of_scores(name, rows, limits, number))
    return found


def _of_frequencies(passages: Passages) -> Iterator[Profile]:
    """Give how well tokens are found, rare ones and frequent ones: precision and recall in one, F1."""
    import numpy as np

    references = [Counter(passage.references[0].tokens.split()) for passage in passages.passages]
    frequencies: Counter[str] = Counter()
    for reference in references:
        frequencies.update(reference)
    bucket_of = {token: sum(count >= bound for bound in _FREQUENCIES) for token, count in frequencies.items()}
    systems = len(passages.passages[0].hypotheses)
    buckets = len(_FREQUENCIES) + 1
    counted = [0] * buckets
    counts, matches = ([[0] * buckets for _ in range(systems)] for _ in range(2))
    for reference, passage in zip(references, passages.passages, strict=True):
        for token, count in reference.items():
            counted[bucket_of[token]] += count
        for text, ours, right in zip(passage.hypotheses, counts, matches, strict=True):
            # what no reference has is in no bucket
            for token, count in Counter(filter(bucket_of.__contains__, text.tokens.split())).items():
                bucket = bucket_of[token]
                ours[bucket] += count
                if token in reference:
                    right[bucket] += min(count, reference[token])
    wanted, given, found = np.array(counted), np.array(counts), np.array(matches)
    present = np.nonzero(wanted)[0]
    if len(present) < 2:
        return
    labels = ["1", *_tell_ranges(_FREQUENCIES), f"≥{_FREQUENCIES[-1]:,}"]
    rates = 200 * found / np.maximum(given + wanted, 1)
    yield Profile(
        "frequency",
        "Tokens that are found, by how often the references have them",
        "occurrences in the references; below: tokens",
        "F1 of tokens",
        [labels[place] for place in present],
        wanted[present].tolist(),
        rates[:, present],
    )


def _of_gaps(passages: Passages) -> Iterator[Profile]:
    """Give how many outputs are shorter or longer than the reference, by how many tokens."""
    import numpy as np

    lengths = np.array(
        [
            [len(text.tokens.split()) - len(passage.references[0].tokens.split()) for text in passage.hypotheses]
            for passage in passages.passages
        ]
    ).T
    if not np.ptp(lengths):
        return
    places = np.digitize(lengths, _GAPS)
    counts = np.array([np.bincount(row, minlength=len(_GAPS) + 1) for row in places], np.float64)
    labels = [f"<\N{MINUS SIGN}{-_GAPS[0]}", *_tell_ranges(_GAPS), f"≥{_GAPS[-1]}"]
    yield Profile(
        "gap",
        "Segments by how much longer the output is than the first reference",
        "tokens of the output minus those of the reference",
        "segments",
        labels,
        None,
        counts,
    )


def _of_scores(name: str, rows: "Floats", limits: tuple[float, float], number: int) -> Profile:
    """Return how many segments have which score."""
    import numpy as np

    low, high = limits
    high = high if high > low else low + 1
    edges = np.linspace(low, high, _BINS + 1)
    counts = np.array([np.histogram(np.clip(row, low, high), edges)[0] for row in rows], np.float64)
    labels = [f"{start:.3g}" for start in edges[:-1]]
    return Profile(
        "scores",
        f"Segments by their {name}",
        f"{name} of a segment, from",
        "segments",
        labels,
        None,
        counts,
        number,
    )


def _tell_ranges(bounds: Sequence[int]) -> list[str]:
    """Return what lies between bounds, the upper one excluded.

    >>> _tell_ranges((-5, -2, 0, 1))
    ['−5…−3', '−2…−1', '0']
    """
    shown = [
        f"{start}\N{HORIZONTAL ELLIPSIS}{end - 1}" if end - start > 1 else f"{start}" for start, end in pairwise(bounds)
    ]
    return [one.replace("-", "\N{MINUS SIGN}") for one in shown]
