"""N-grams that one system gets right more often than another.

An n-gram of an output is right if a reference of the segment has it, as often as the reference that has most of it, as
in BLEU. How much more often one system is right than another one is told by smoothed odds, (a + 1) / (b + 1).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from bleucli.records import NamedTuple
from bleucli.report.passages import Passage, Passages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Ngram = tuple[str, ...]

# Orders that are looked at, n-grams for each system against each other one, and segments for each n-gram
_LONGEST = 4
MOST = 40
_PLACES = 30
# Fewer than these are an accident
_LEAST = 2


class Lead(NamedTuple):
    """An n-gram with the number of times that each system has it right, and of times that references have it.

    places: of segments where it is right in some systems and not in others, with how often in each system.
    """

    ngram: Sequence[str]
    matches: Sequence[int]
    total: int
    places: Sequence[tuple[int, Sequence[int]]]


def odds(first: int, second: int) -> float:
    """Return how much more often the first is right, smoothed so that nothing is infinite.

    >>> odds(5, 1), odds(1, 1)
    (3.0, 1.0)
    """
    return (first + 1) / (second + 1)


def find(passages: Passages, systems: int) -> list[Lead]:
    """Return for every two systems the n-grams of which one has the best odds against the other."""
    if systems < 2:
        return []
    longest = min(_LONGEST, passages.order)
    matches: dict[Ngram, list[int]] = {}
    for _, ours, theirs in _compare(passages, longest):
        for number, ngrams in enumerate(ours):
            for ngram, count in ngrams.items():
                found = matches.get(ngram)
                if found is None:
                    found = matches[ngram] = [0] * systems
                most = theirs[ngram]
                found[number] += most if count > most else count  # noqa: FURB136 # min() takes three times as long
    chosen = _choose(matches, systems)
    totals = dict.fromkeys(chosen, 0)
    places: dict[Ngram, list[tuple[int, Sequence[int]]]] = {ngram: [] for ngram in chosen}
    for passage, ours, theirs in _compare(passages, longest, chosen):
        for ngram in theirs:
            totals[ngram] += theirs[ngram]
            right = [min(ngrams[ngram], theirs[ngram]) for ngrams in ours]
            if len(places[ngram]) < _PLACES and min(right) < max(right):
                places[ngram].append((passage.place, right))
    return [Lead(ngram, matches[ngram], totals[ngram], places[ngram]) for ngram in chosen]


def _compare(
    passages: Passages, longest: int, wanted: "Mapping[Ngram, object] | None" = None
) -> "Iterator[tuple[Passage, list[Counter[Ngram]], Counter[Ngram]]]":
    """Give the n-grams of each system that references have, and those of the references, segment by segment.

    wanted: the only ones that count.
    """
    for passage in passages.passages:
        theirs: Counter[Ngram] = Counter()
        for reference in passage.references:
            counted = Counter(_give(reference.tokens.split(), longest))
            theirs = theirs | counted if theirs else counted
        if wanted is not None:
            theirs = Counter({ngram: theirs[ngram] for ngram in theirs.keys() & wanted.keys()})
            if not theirs:
                continue
        is_right = theirs.__contains__
        yield (
            passage,
            [Counter(filter(is_right, _give(text.tokens.split(), longest))) for text in passage.hypotheses],
            theirs,
        )


def _give(tokens: list[str], longest: int) -> "Iterator[Ngram]":
    """Give the n-grams of a text, up to the longest ones."""
    return chain.from_iterable(
        zip(*(tokens[start:] for start in range(order)), strict=False) for order in range(1, longest + 1)
    )


def _choose(matches: "dict[Ngram, list[int]]", systems: int) -> "dict[Ngram, None]":
    """Return the n-grams that tell two systems apart best; of equal odds those with the larger difference."""
    import numpy as np

    if not matches:
        return {}
    ngrams = list(matches)
    table = np.array(list(matches.values()), np.int64)
    chosen: dict[Ngram, None] = {}
    for first in range(systems):
        for second in range(systems):
            gaps = table[:, first] - table[:, second]
            (places,) = np.nonzero(gaps >= _LEAST)
            rates = (table[places, first] + 1) / (table[places, second] + 1)
            if len(places) > 4 * MOST:  # those that may be among the first, ties included
                least = np.partition(rates, -MOST)[-MOST]
                places = places[rates >= least]

            def key(place: int, first: int = first, second: int = second) -> "tuple[float, int, int, Ngram]":
                ours, theirs = table[place, first], table[place, second]
                return -odds(ours, theirs), int(theirs - ours), -len(ngrams[place]), ngrams[place]

            chosen |= dict.fromkeys(ngrams[place] for place in sorted(places.tolist(), key=key)[:MOST])
    return chosen
