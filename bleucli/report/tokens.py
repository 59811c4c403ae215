"""What is counted in the texts on a page: tokens as numbers, which NumPy can count.

- `Tokens`: the tokens of all texts; `number_tokens` makes them
- `Lead`: an n-gram that one system gets right more often than another; `find_leads` finds them
- `Profile`: curves for each system, by token frequencies, by lengths and by scores; `find_profiles` finds them

As in BLEU, an n-gram of an output is right at most as often as it occurs in the one reference of the segment that has
it most often. If one system gets an n-gram right a times and another one b times, the smoothed odds are
(a + 1) / (b + 1).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, pairwise

from bleucli.records import NamedTuple
from bleucli.report.passages import Passages, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Numbers = NDArray[np.int64]
    Ngram = tuple[str, ...]

# The longest n-grams; the most n-grams for each ordered pair of systems; the most segments for each n-gram
_LONGEST = 4
_MOST = 40
_PLACES = 30
# Smaller differences are left out, since they may be due to chance
_LEAST = 2
# Bounds of the buckets of word frequencies and length differences: like compare-mt's, but coarser
_FREQUENCIES = (2, 3, 5, 10, 100, 1000)
_GAPS = (-5, -2, 0, 1, 3, 6)
_BINS = 10


class Stream(NamedTuple):
    """One text of each passage, token by token.

    words: the number of each token. passages: the number of its passage, ascending. lengths: the tokens per passage.
    """

    words: Numbers
    passages: Numbers
    lengths: Numbers


class Tokens(NamedTuple):
    """The tokens of all passages.

    vocabulary: the different tokens; their numbers are their places in it. references: the first reference of each
    passage, the second, and so on; a passage with fewer references has no tokens there. hypotheses: one per system.
    """

    vocabulary: Sequence[str]
    references: Sequence[Stream]
    hypotheses: Sequence[Stream]


def number_tokens(passages: Passages) -> Tokens:
    """Return the tokens of all passages.

    >>> texts = [Text("a b", "a b", "11"), Text("b b", "b b", "11")]
    >>> tokens = number_tokens(Passages([Passage(0, None, texts[:1], texts[1:])], "", 4, False, ""))
    >>> tokens.vocabulary, tokens.references[0].words.tolist(), tokens.hypotheses[0].words.tolist()
    (['a', 'b'], [0, 1], [1, 1])
    """
    import numpy as np

    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__  # a new token gets the next number

    def stream_of(texts: Iterator[Text | None]) -> Stream:
        split = [[] if text is None else text.tokens.split() for text in texts]
        lengths = np.fromiter(map(len, split), np.int64, len(split))
        words = np.fromiter(map(numbers.__getitem__, chain.from_iterable(split)), np.int64)
        return Stream(words, np.repeat(np.arange(len(split)), lengths), lengths)

    rows = passages.passages
    most = max(len(passage.references) for passage in rows)
    references = [
        stream_of(passage.references[place] if place < len(passage.references) else None for passage in rows)
        for place in range(most)
    ]
    systems = range(len(rows[0].hypotheses))
    hypotheses = [stream_of(passage.hypotheses[place] for passage in rows) for place in systems]
    return Tokens(list(numbers), references, hypotheses)


def find_keys(keys: Numbers, numbers: Numbers) -> Numbers:
    """Return the place of each number among keys, which are ascending and distinct; -1 if it is missing.

    >>> import numpy as np
    >>> find_keys(np.array([2, 5]), np.array([5, 3, 2])).tolist()
    [1, -1, 0]
    """
    import numpy as np

    if not len(keys):
        return np.full(len(numbers), -1)
    places = np.searchsorted(keys, numbers).clip(max=len(keys) - 1)
    return np.where(keys[places] == numbers, places, -1)


# --- n-grams


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
    """How often systems get n-grams of references right. N-grams are numbered; 0 is the empty one.

    shorter: for each n-gram, the number of the n-gram without its last token. last: the number of its last token.

    The other arrays have one place for each n-gram in each passage whose references have it, in order. ngrams: the
    number of the n-gram. passages: the number of the passage. most: how often the n-gram occurs in the reference that
    has it most often. right: how often each system (row) gets it right.
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


def find_leads(passages: Passages, tokens: Tokens) -> list[Lead]:
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
            if len(places) > 4 * _MOST:  # those that may be among the first, including ties
                places = places[rates >= np.partition(rates, -_MOST)[-_MOST]]

            def key(place: int, first: int = first, second: int = second) -> tuple[float, int, int, Ngram]:
                ours, theirs = matches[place, first], matches[place, second]
                return -odds(ours, theirs), int(theirs - ours), -len(spell(place)), spell(place)

            ngrams |= {place: spell(place) for place in sorted(places.tolist(), key=key)[:_MOST]}
    return ngrams


# --- profiles


class Profile(NamedTuple):
    """A value for each system (row) in each bucket (column).

    title: the title of the figure. across, label: the labels of the axes. labels: the labels of the buckets. values:
    one row per system. sizes: the number of items in each bucket, if it is the same for all systems. metric: the number
    of the metric; None if the figure does not depend on a metric. decimals: those of values.
    """

    title: str
    across: str
    label: str
    labels: Sequence[str]
    values: Floats
    sizes: Sequence[int] | None = None
    metric: int | None = None
    decimals: int = 0


def find_profiles(tokens: Tokens, scores: Sequence[tuple[str, Floats, tuple[float, float]]]) -> list[Profile]:
    """Return all profiles.

    Args:
        tokens: the tokens of the segments on the page.
        scores: for each metric, its name, one row of segments' scores per system, and their lower and upper limit.
    """
    import numpy as np

    profiles = [*_of_frequencies(tokens), *_of_gaps(tokens)]
    for number, (name, rows, (low, high)) in enumerate(scores):
        edges = np.linspace(low, high if high > low else low + 1, _BINS + 1)
        counts = np.array([np.histogram(np.clip(row, low, edges[-1]), edges)[0] for row in rows], np.float64)
        title, across = f"Number of segments by their {name}", f"{name} of a segment (start of each range)"
        labels = [f"{start:.3g}" for start in edges[:-1]]
        profiles.append(Profile(title, across, "segments", labels, counts, metric=number))
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
    if len(present) > 1:
        title = "F1 of tokens by how often they occur in the first references"
        across = "occurrences in the first references; below: tokens"
        labels = ["1", *_tell_ranges(_FREQUENCIES), f"≥{_FREQUENCIES[-1]:,}"]
        labels = [labels[place] for place in present]
        rates = 200 * np.array(hits) / np.maximum(np.array(outputs) + totals, 1)
        yield Profile(title, across, "F1 of tokens", labels, rates[:, present], totals[present].tolist(), decimals=2)


def _of_gaps(tokens: Tokens) -> Iterator[Profile]:
    """Give the number of outputs by how much longer or shorter they are than their first reference, in tokens."""
    import numpy as np

    gaps = np.array([system.lengths - tokens.references[0].lengths for system in tokens.hypotheses])
    if np.ptp(gaps):
        counts = np.array([np.bincount(np.digitize(row, _GAPS), minlength=len(_GAPS) + 1) for row in gaps], np.float64)
        title = "Number of segments by how much longer the output is than the first reference"
        labels = [f"<\N{MINUS SIGN}{-_GAPS[0]}", *_tell_ranges(_GAPS), f"≥{_GAPS[-1]}"]
        yield Profile(title, "tokens of the output minus those of the reference", "segments", labels, counts)


def _tell_ranges(bounds: Sequence[int]) -> list[str]:
    """Return the ranges between bounds; the upper bound is excluded.

    >>> _tell_ranges((-5, -2, 0, 1))
    ['−5…−3', '−2…−1', '0']
    """
    ranges = [f"{start}…{end - 1}" if end - start > 1 else f"{start}" for start, end in pairwise(bounds)]
    return [one.replace("-", "\N{MINUS SIGN}") for one in ranges]
