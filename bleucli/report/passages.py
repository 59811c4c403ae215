"""The segments whose texts are on a page, with the tokens that metrics compare, and what matches.

- `measure`: the lengths of references, and the bytes of a segment's texts
- `choose`: all segments, or the most informative ones and a sample; `Held` says which, and why
- `read`: their texts, with the places of tokens and the n-grams that match
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from bleucli.prose.highlights import SHADES, count_most, cover
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

# The most bytes of text on a page; numbers and tokens about double the size of the file
ROOM = 12_000_000
# The seed of the random sample of segments
_SEED = 12345
# A token's length, and the n-grams that match there, are one digit each
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
_AS_DIGITS = _DIGITS.encode().ljust(256)
# White space, as Python splits text at it
SPACES = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
SPACES += "\u2028\u2029\u202f\u205f\u3000"


class Held(NamedTuple):
    """The segments on a page.

    places: their indexes among the scored segments, ascending. why: which segments they are, and why, in words; "" if
    the page has all.
    """

    places: Sequence[int]
    why: str


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
    """A segment; place: its index among the scored segments. references: those that are not missing."""

    place: int
    source: str | None
    references: Sequence[Text]
    hypotheses: Sequence[Text]


class Passages(NamedTuple):
    """The texts of the segments on a page.

    order: the length of the longest n-grams that are compared. lowercase: whether tokens are compared in lower case.
    by: how the tokens were made, in words.
    """

    passages: Sequence[Passage]
    why: str
    order: int
    lowercase: bool
    by: str


# --- which


def measure(corpus: Corpus, lines: Sequence[int], tokenizer: BLEU | None, unit: str) -> tuple[Numbers, int]:
    """Return the length of each segment's first reference, and the average number of bytes of a segment's texts.

    Args:
        corpus: the texts to read.
        lines: the indexes of the segments that count.
        tokenizer: the metric whose tokens are counted, if the unit is tokens.
        unit: "tokens", "words" or "characters".
    """
    import numpy as np

    lengths: list[int] = []
    size = 0
    for piece in corpus.pieces():
        firsts = _first_references(piece)
        size += sum(sum(one.pairs[1::2]) - sum(one.pairs[::2]) for one in (*piece.hypotheses, *piece.references))
        if tokenizer is not None:
            firsts = tokenizer.prepare_reference(firsts)
        if unit == "characters":
            lengths += [len("".join((text or "").split())) for text in firsts]
        else:
            lengths += [len((text or "").split()) for text in firsts]
    return np.array(lengths, np.int64)[list(lines)], size // max(1, len(lengths))


def _first_references(piece: Piece) -> Segments:
    """Return each segment's first reference that is not missing."""
    if all(text is not None for text in piece.references[0]):
        return piece.references[0]
    rows = zip(*piece.references, strict=True)
    return Segments.from_strings([next((text for text in row if text is not None), "") for row in rows])


def choose(influences: Floats, scores: Floats, size: int, room: int) -> Held:
    """Return the segments for a page: all, or equal parts by influence, by difference of scores, and at random.

    Args:
        influences: those of the first metric, one row per system with one number per segment.
        scores: the scores of the segments, in the same form.
        size: the average number of bytes of a segment's texts.
        room: the most bytes of text on the page.
    """
    import numpy as np

    count = scores.shape[1]
    most = max(3, room // max(1, size))
    if count <= most:
        return Held(range(count), "")
    third = most // 3
    places: list[int] = []
    for numbers in (influences, scores):
        spread = np.ptp(numbers, axis=0) if len(numbers) > 1 else abs(numbers[0])
        spread[places] = -1.0  # those are on the page already
        places += np.argsort(-spread, kind="stable")[:third].tolist()
    from random import Random

    pool = sorted(set(range(count)) - set(places))
    places += Random(_SEED).sample(pool, third)  # noqa: S311 # this is not about secrets
    several = (
        "with the largest influence on a difference between two systems"
        if len(scores) > 1
        else "with the largest influence on the score"
    )
    spreads = "whose scores differ most between two systems" if len(scores) > 1 else "with the highest scores"
    why = (
        f"This page holds {3 * third} of {count} segments, so that it stays small enough to mail and to read:"
        f" the {third} {several}, {third} others {spreads} (both by the first metric), and {third} drawn at random from"
        f" the rest (seed {_SEED}). Scores, tests, groups and distributions cover all {count} segments; n-grams and the"
        " list of segments cover only those on this page."
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

    Args:
        corpus: the texts to read.
        line_numbers: the indexes of the scored segments, ascending.
        excerpt: the segments on the page.
        tokenizer: the metric whose tokens are shown; None for words.
        sources: a function that gives the source of every segment.
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
    by = (
        "separated by white space"
        if tokenizer is None
        else f"those of BLEU's tokenizer {tokenizer.tokenizer.signature}"
    )
    return Passages(passages, excerpt.why, order, lowercase, by)


def _read_texts(segments: Segments, tokenizer: BLEU | None, lowercase: bool, references: bool) -> list[Text | None]:
    prepared = segments
    if tokenizer is not None:
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
        widths = [_count_units(bare[end - width : end]) for width, end in zip(widths, ends, strict=True)]
    return "" if max(widths, default=0) >= len(_DIGITS) else bytes(widths).translate(_AS_DIGITS).decode()


def _count_units(text: str) -> int:
    return len(text) + sum(sign > "\uffff" for sign in text)


def _spell_matches(orders: Sequence[set[int]]) -> str:
    """Return the lengths of the n-grams that each token is part of, as `Text.matches`.

    >>> _spell_matches([{1, 2}, {1}, set()])
    '310'
    """
    return "".join([_DIGITS[sum([1 << (order - 1) for order in lengths])] for lengths in orders])
