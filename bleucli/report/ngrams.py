"""N-grams that one system gets right more often than another.

As in BLEU, an n-gram of an output is right at most as often as it occurs in the one reference of the segment that has
it most often. If one system gets an n-gram right a times and another one b times, the smoothed odds are
(a + 1) / (b + 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from bleucli.records import NamedTuple
from bleucli.report.passages import Passages, Tokens, find_keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.report.passages import Numbers

    Ngram = tuple[str, ...]

# The longest n-grams; the most n-grams for each ordered pair of systems; the most segments for each n-gram
_LONGEST = 4
MOST = 40
_PLACES = 30
# Smaller differences are left out, since they may be due to chance
_LEAST = 2


class Lead(NamedTuple):
    """An n-gram that one system gets right more often than another.

    matches: how often each system gets it right. total: how often the references have it. places: segments in which
    some systems get it right more often than others, and how often each system does.
    """

    ngram: Sequence[str]
    matches: Sequence[int]
    total: int
    places: Sequence[tuple[int, Sequence[int]]]


class _Counts(NamedTuple):
    """How often systems get n-grams of references right.

    N-grams are numbered; 0 is the empty one.

    shorter: for each n-gram, the number of the n-gram without its last token. last: the number of its last token.

    The other arrays have one place for each n-gram in each passage whose references have it; the passages of an
    n-gram are ascending.

    ngrams: the number of the n-gram. passages: the number of the passage. most: how often the n-gram occurs in the
    reference that has it most often. right: how often each system (row) gets it right.
    """

    shorter: Numbers
    last: Numbers
    ngrams: Numbers
    passages: Numbers
    most: Numbers
    right: Numbers


def odds(first: int, second: int) -> float:
    """Return how many times as often the first system is right; smoothing keeps the result finite.

    >>> odds(5, 1), odds(1, 1)
    (3.0, 1.0)
    """
    return (first + 1) / (second + 1)


def find(passages: Passages, tokens: Tokens) -> list[Lead]:
    """Return, for every two systems, the n-grams with the best odds for one against the other."""
    import numpy as np

    if len(tokens.hypotheses) < 2:
        return []
    counts = _count(tokens, min(_LONGEST, passages.order))
    size = len(counts.last)
    matches = np.array([np.bincount(counts.ngrams, row, size) for row in counts.right], np.int64).T
    totals = np.bincount(counts.ngrams, counts.most, size).astype(np.int64)
    ngrams = _choose(matches, counts, tokens.vocabulary)
    places: dict[int, list[tuple[int, Sequence[int]]]] = {number: [] for number in ngrams}
    differs = counts.right.min(axis=0) < counts.right.max(axis=0)
    for place in np.flatnonzero(differs & np.isin(counts.ngrams, list(ngrams))).tolist():
        examples = places[int(counts.ngrams[place])]
        if len(examples) < _PLACES:
            examples.append((passages.passages[counts.passages[place]].place, counts.right[:, place].tolist()))
    return [
        Lead(ngram, matches[number].tolist(), int(totals[number]), places[number]) for number, ngram in ngrams.items()
    ]


def _count(tokens: Tokens, longest: int) -> _Counts:
    """Count the n-grams of the references, and how often systems get them right.

    An n-gram is a shorter n-gram and one more token, so it is searched for only where the shorter one was found.
    """
    import numpy as np

    streams = [*tokens.references, *tokens.hypotheses]
    ends = [np.repeat(np.cumsum(stream.lengths), stream.lengths) for stream in streams]
    starts = [np.arange(len(stream.words)) for stream in streams]
    # At each start, the place of its n-gram in `ngrams`. In the beginning, each passage has one n-gram: the empty one
    ngram_of = [stream.passages for stream in streams]
    base = max(1, len(tokens.vocabulary))  # place * base + token is a different number for every longer n-gram
    passages = np.arange(len(streams[0].lengths))
    ngrams = np.zeros_like(passages)
    shorter, last, parts = [ngrams[:1]], [ngrams[:1]], []
    size = 1
    for order in range(1, longest + 1):
        for number, stream in enumerate(streams):
            fits = starts[number] + order <= ends[number][starts[number]]
            starts[number] = starts[number][fits]
            ngram_of[number] = ngram_of[number][fits] * base + stream.words[starts[number] + order - 1]
        keys = np.unique(np.concatenate(ngram_of[: len(tokens.references)]))
        counts = []
        for number in range(len(streams)):
            places = find_keys(keys, ngram_of[number])
            starts[number], ngram_of[number] = starts[number][places >= 0], places[places >= 0]
            counts.append(np.bincount(ngram_of[number], minlength=len(keys)))
        before, token = np.divmod(keys, base)
        longer, numbers = np.unique(ngrams[before] * base + token, return_inverse=True)
        shorter.append(longer // base)
        last.append(longer % base)
        passages, ngrams = passages[before], size + numbers
        size += len(longer)
        most = np.max(counts[: len(tokens.references)], axis=0)
        parts.append((ngrams, passages, most, np.minimum(counts[len(tokens.references) :], most)))
    columns = (np.concatenate(column, axis=-1) for column in zip(*parts, strict=True))
    return _Counts(np.concatenate(shorter), np.concatenate(last), *columns)


def _choose(matches: Numbers, counts: _Counts, vocabulary: Sequence[str]) -> dict[int, Ngram]:
    """Return the n-grams that best distinguish two systems; if odds are equal, those with the larger difference."""
    import numpy as np

    @cache
    def spell(number: int) -> Ngram:
        return (*spell(int(counts.shorter[number])), vocabulary[counts.last[number]]) if number else ()

    ngrams: dict[int, Ngram] = {}
    for first, ours in enumerate(matches.T):
        for second, theirs in enumerate(matches.T):
            places = np.flatnonzero(ours - theirs >= _LEAST)
            rates = (ours[places] + 1) / (theirs[places] + 1)
            if len(places) > 4 * MOST:  # those that may be among the first, including ties
                places = places[rates >= np.partition(rates, -MOST)[-MOST]]

            def key(place: int, first: int = first, second: int = second) -> tuple[float, int, int, Ngram]:
                ours, theirs = matches[place, first], matches[place, second]
                return -odds(ours, theirs), int(theirs - ours), -len(spell(place)), spell(place)

            ngrams |= {place: spell(place) for place in sorted(places.tolist(), key=key)[:MOST]}
    return ngrams
