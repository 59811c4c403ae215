"""The segments whose texts are on a page, with the tokens that metrics compare, and what matches.

- `measure`: the lengths of references, and the bytes of a segment's texts
- `choose`: all segments, or the most informative ones and a sample; `Held` says which, and why
- `read`: their texts, with the places of tokens and the n-grams that match
- `Tokens`: the tokens of all texts as numbers, which NumPy can count; `number_tokens` makes them
- `Lead`: an n-gram that one system gets right more often than another; `find_leads` finds them

As in BLEU, an n-gram of an output is right at most as often as it occurs in the one reference of the segment that has
it most often. If one system gets an n-gram right a times and another one b times, the smoothed odds are
(a + 1) / (b + 1).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import accumulate, chain

from bleucli.prose.ngrams import SHADES, count_most, cover
from bleucli.records import NamedTuple
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bleucli.counting.corpus import Corpus, Piece
    from bleucli.metrics import BLEU

    Floats = NDArray[np.float64]
    Numbers = NDArray[np.int64]
    Small = NDArray[np.int32]
    Ngram = tuple[str, ...]

# The most bytes of text on a page; numbers and tokens about double the size of the file
ROOM = 12_000_000
# The most segments on a page: more than test sets have, and more than anybody reads
_MOST_SEGMENTS = 6000
# The seed of the random sample of segments
_SEED = 12345
# A token's length, and the n-grams that match there, are one digit each
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
_AS_DIGITS = _DIGITS.encode().ljust(256)
# White space, as Python splits text at it
SPACES = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
SPACES += "\u2028\u2029\u202f\u205f\u3000"
# The longest n-grams that systems lead by; the most for each ordered pair of systems; the most segments for each n-gram
_LONGEST = 4
_MOST = 40
_PLACES = 30
# Smaller differences are left out, since they may be due to chance
_LEAST = 2


class Held(NamedTuple):
    """The segments on a page."""

    places: Sequence[int]  # their indexes among the scored segments, ascending
    why: str  # which segments they are, and why, in words; "" if the page has all


class Text(NamedTuple):
    """A text, and the tokens that are compared, with spaces between them.

    lengths: the length of each token in UTF-16 units, as one digit in base 64; white space between tokens is skipped.
    It is "" if tokens are not parts of the text. matches: for each token of an output, one digit in base 64, whose bits
    are the lengths of the matching n-grams that it is part of: the lowest bit stands for single tokens.
    """

    text: str
    tokens: str
    lengths: str
    matches: str = ""


class Passage(NamedTuple):
    """A segment."""

    place: int  # its index among the scored segments
    source: str | None
    references: Sequence[Text]  # those that are not missing
    hypotheses: Sequence[Text]


class Passages(NamedTuple):
    """The texts of the segments on a page."""

    passages: Sequence[Passage]
    why: str  # as in `Held`
    order: int  # the length of the longest n-grams that are compared
    lowercase: bool  # tokens are compared in lower case
    by: str  # how the tokens were made, in words


# --- which


def measure(corpus: Corpus, lines: Sequence[int], tokenizer: BLEU | None, unit: str) -> tuple[Numbers, int]:
    """Return the length of each segment's first reference, and the average number of bytes of a segment's texts.

    lines: the indexes of the segments that count. tokenizer: the metric whose tokens are counted, if the unit is tokens
    and not words or characters.
    """
    import numpy as np

    lengths: list[int] = []
    size = 0
    for piece in corpus.pieces():
        firsts = _first_references(piece)
        size += sum(sum(one.pairs[1::2]) - sum(one.pairs[::2]) for one in (*piece.hypotheses, *piece.references))
        if tokenizer is not None:
            firsts = tokenizer.prepare_reference(tokenizer.make_alike(firsts))
        if unit == "characters":
            lengths += [len("".join((text or "").split())) for text in firsts]
        else:
            lengths += [len((text or "").split()) for text in firsts]
    return np.array(lengths, np.int64)[np.asarray(lines)], size // max(1, len(lengths))


def _first_references(piece: Piece) -> Segments:
    """Return each segment's first reference that is not missing."""
    if -1 not in piece.references[0].pairs.tolist():
        return piece.references[0]
    rows = zip(*piece.references, strict=True)
    return Segments.from_strings([next((text for text in row if text is not None), "") for row in rows])


def choose(influences: Floats, scores: Floats, size: int, room: int) -> Held:
    """Return the segments for a page: all, or equal parts by influence, by difference of scores, and at random.

    influences, scores: those of the first metric, one row per system with one number per segment. size: the average
    number of bytes of a segment's texts. room: the most bytes of text on the page.
    """
    import numpy as np

    count = scores.shape[1]
    most = max(3, min(room // max(1, size), _MOST_SEGMENTS))
    if count <= most:
        return Held(range(count), "")
    third = most // 3
    places: list[int] = []
    for numbers in (influences, scores):
        spread = np.ptp(numbers, axis=0) if len(numbers) > 1 else abs(numbers[0])
        spread[places] = -1.0  # those are on the page already
        places += np.argsort(-spread, kind="stable")[:third].tolist()
    from random import Random

    pool = np.delete(np.arange(count), places)
    places += pool[Random(_SEED).sample(range(len(pool)), third)].tolist()  # noqa: S311 # this is not about secrets
    influence, spread_of = "the score", "with the highest scores"
    if len(scores) > 1:
        influence, spread_of = "a difference between two systems", "whose scores differ most between two systems"
    why = (
        f"This page holds {3 * third} of {count} segments, so that it stays small enough to mail and to read:"
        f" the {third} with the largest influence on {influence}, {third} others {spread_of} (both by the first"
        f" metric), and {third} drawn at random from the rest (seed {_SEED}). Scores, tests, groups and distributions"
        f" cover all {count} segments; n-grams and the list of segments cover only those on this page."
    )
    return Held(sorted(places), why)


# --- their texts


def read(
    corpus: Corpus,
    line_numbers: Sequence[int],
    excerpt: Held,
    tokenizer: BLEU | None,
    sources: Callable[[], Iterator[str]] | None,
) -> Passages:
    """Return the texts of the segments on a page.

    line_numbers: the indexes of the scored segments, ascending. tokenizer: the metric whose tokens are shown; None for
    words. sources: a function that gives the source of every segment.
    """
    lowercase = tokenizer is not None and tokenizer.lowercase
    order = 4 if tokenizer is None else min(SHADES, tokenizer.max_ngram_order)
    places = {line_numbers[place]: place for place in excerpt.places}
    origins = iter(sources()) if sources is not None else None
    passages = []
    for piece in corpus.pieces():
        lines = range(piece.start, piece.start + len(piece.hypotheses[0]))
        here = [line for line in lines if line in places]
        texts = [None] * len(lines) if origins is None else [next(origins, "") for _ in lines]
        inside = [line - piece.start for line in here]
        references = [_read_texts(stream.take(inside), tokenizer, lowercase, True) for stream in piece.references]
        hypotheses = [_read_texts(system.take(inside), tokenizer, lowercase, False) for system in piece.hypotheses]
        for place, line in enumerate(here):
            present = [text for stream in references if (text := stream[place]) is not None]
            matching = count_most([text.tokens.split() for text in present], order)
            outputs = [
                text._replace(matches=_spell_matches(cover(text.tokens.split(), matching)))
                for system in hypotheses
                if (text := system[place]) is not None
            ]
            passages.append(Passage(places[line], texts[inside[place]], present, outputs))
    by = "separated by white space"
    if tokenizer is not None:
        by = f"those of BLEU's tokenizer {tokenizer.tokenizer.signature}"
    return Passages(passages, excerpt.why, order, lowercase, by)


def _read_texts(segments: Segments, tokenizer: BLEU | None, lowercase: bool, references: bool) -> list[Text | None]:
    prepared = segments
    if tokenizer is not None:
        segments = tokenizer.make_alike(segments)  # texts are shown as they are counted
        prepared = tokenizer.prepare_reference(segments) if references else tokenizer.prepare(segments)
    return [
        None if text is None else Text(text.rstrip("\r\n"), tokens or "", spell_lengths(text, tokens or "", lowercase))
        for text, tokens in zip(segments, prepared, strict=True)
    ]


def spell_lengths(text: str, tokens: str, lowercase: bool = False) -> str:
    """Return the lengths of the tokens in a text, as `Text.lengths`.

    >>> spell_lengths("It\u2019s, well", "It\u2019s , well"), spell_lengths("&quot;a", '" a')
    ('414', '')
    """
    words, parts = text.split(), tokens.split()
    bare, widths = "".join(words), list(map(len, parts))
    if (bare.lower() if lowercase else bare) != "".join(parts) or len(bare) != sum(widths):
        return ""  # tokens are not parts of the text; or lower case changes its length, as for İ
    if len(words) > 1 and not set(accumulate(widths)).issuperset(accumulate(map(len, words))):
        return ""  # white space inside a token
    if not bare.isascii() and max(bare) > "\uffff":  # such characters are two units of UTF-16 each
        ends = accumulate(widths)
        parts = [bare[end - width : end] for width, end in zip(widths, ends, strict=True)]
        widths = [len(part) + sum(sign > "\uffff" for sign in part) for part in parts]
    return "" if max(widths, default=0) >= len(_DIGITS) else bytes(widths).translate(_AS_DIGITS).decode()


def _spell_matches(orders: Sequence[set[int]]) -> str:
    """Return the lengths of the n-grams that each token is part of, as `Text.matches`.

    >>> _spell_matches([{1, 2}, {1}, set()])
    '310'
    """
    return "".join([_DIGITS[sum([1 << (order - 1) for order in lengths])] for lengths in orders])


# --- their tokens as numbers


class Stream(NamedTuple):
    """One text of each passage, token by token."""

    words: Numbers  # the number of each token
    passages: Numbers  # the number of its passage, ascending
    lengths: Numbers  # the tokens per passage


class Tokens(NamedTuple):
    """The tokens of all passages."""

    vocabulary: Sequence[str]  # the different tokens; their numbers are their places in it
    # The first reference of each passage, the second, and so on; a passage with fewer references has no tokens there
    references: Sequence[Stream]
    hypotheses: Sequence[Stream]  # one per system


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
    """An n-gram that one system gets right more often than another."""

    ngram: Sequence[str]
    matches: Sequence[int]  # how often each system gets it right
    total: int  # how often the references have it
    # Segments in which some systems get it right more often than others, and how often each system does
    places: Sequence[tuple[int, Sequence[int]]]


class _Counts(NamedTuple):
    """How often systems get n-grams of references right. N-grams are numbered; 0 is the empty one."""

    shorter: Small  # for each n-gram, the number of the n-gram without its last token
    last: Small  # the number of its last token
    # The others have one place for each n-gram in each passage whose references have it, in order
    ngrams: Small  # the number of the n-gram
    passages: Small  # the number of the passage
    most: Small  # how often the n-gram occurs in the reference that has it most often
    right: Small  # how often each system (row) gets it right


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
    matches = np.array([np.bincount(counts.ngrams, row, size).astype(np.int32) for row in counts.right]).T
    totals = np.bincount(counts.ngrams, counts.most, size).astype(np.int32)
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
            counts.append(np.bincount(ngram_of[number], minlength=len(keys)).astype(np.int32))
        before, token = np.divmod(keys, base)
        longer, numbers = np.unique(ngrams[before] * base + token, return_inverse=True)
        shorter.append((longer // base).astype(np.int32))
        last.append((longer % base).astype(np.int32))
        passages, ngrams = passages[before], size + numbers
        size += len(longer)
        most = np.max(counts[: len(tokens.references)], axis=0)
        right = np.minimum(counts[len(tokens.references) :], most)
        parts.append((ngrams.astype(np.int32), passages.astype(np.int32), most, right))
    columns = (np.concatenate(column, axis=-1) for column in zip(*parts, strict=True))
    return _Counts(np.concatenate(shorter), np.concatenate(last), *columns)


def _choose(matches: Small, counts: _Counts, vocabulary: Sequence[str]) -> dict[int, Ngram]:
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
