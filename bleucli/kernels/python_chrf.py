"""chrF's n-grams in plain Python (Popović 2015, 2017)."""

from collections import Counter
from collections.abc import Iterable

from bleucli.kernels.stopping import PIECE, pieces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Item = TypeVar("Item")

Gram = str | tuple[str, ...]

# ASCII's; to import `string` for it takes two modules
_PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def chrf_row(hypothesis: list[Counter[Gram]], reference: list[Counter[Gram]]) -> list[int]:
    """Return `hyp_count, ref_count, match` for each order, of texts counted by `chrf_counts`.

    >>> chrf_row([Counter("aab")], [Counter("ab")])
    [3, 2, 2]
    """
    row = []
    for ours, theirs in zip(hypothesis, reference, strict=True):
        ref_count = theirs.total()
        match = sum([min(count, theirs[gram]) for gram, count in ours.items() if gram in theirs])
        row += [ours.total() if ref_count else 0, ref_count, match]
    return row


def chrf_counts(text: str, char_order: int, word_order: int, whitespace: bool) -> list[Counter[Gram]]:
    """Count the character n-grams, then the word n-grams of a text, a counter for each order.

    >>> chrf_counts("ab a", 1, 1, False)
    [Counter({'a': 2, 'b': 1}), Counter({('ab',): 1, ('a',): 1})]
    """
    characters = text if whitespace else "".join(text.split())
    words = [part for word in text.split() for part in _without_edge_punctuation(word)] if word_order else []
    counts: list[Counter[Gram]] = [_character_grams(characters, order) for order in range(1, char_order + 1)]
    return counts + [
        count_items(zip(*(words[start:] for start in range(order)), strict=False), len(words))
        for order in range(1, word_order + 1)
    ]


def _character_grams(characters: str, order: int) -> Counter[Gram]:
    starts = range(len(characters) - order + 1)
    if len(starts) <= PIECE:
        return Counter([characters[start : start + order] for start in starts])
    counter: Counter[Gram] = Counter()
    for piece in pieces(starts):
        counter.update([characters[start : start + order] for start in piece])
    return counter


def count_items(items: "Iterable[Item]", most: int) -> "Counter[Item]":
    """Count the items, as `Counter` does, so that it can be stopped if there may be many: at most `most`."""
    if most <= PIECE:
        return Counter(items)
    counter: Counter[Item] = Counter()
    for piece in pieces(items):
        counter.update(piece)
    return counter


def _without_edge_punctuation(word: str) -> list[str]:
    """Cut one punctuation character off the end of a word, or else off its beginning.

    >>> _without_edge_punctuation("(hi)"), _without_edge_punctuation("(hi"), _without_edge_punctuation(".")
    (['(hi', ')'], ['(', 'hi'], ['.'])
    """
    if len(word) > 1 and word[-1] in _PUNCTUATION:
        return [word[:-1], word[-1]]
    if len(word) > 1 and word[0] in _PUNCTUATION:
        return [word[0], word[1:]]
    return [word]
