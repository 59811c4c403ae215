"""N-grams that two texts share, highlighted in both, order by order: for pages.

- `Piece`: a token of a text, with the orders whose n-grams cover it
- `cover`: the tokens that are in n-grams which match
- `highlight`: a text as HTML, for the styles of `theme.py`
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from bleucli.markup import escape_html
from bleucli.records import NamedTuple

# Longer n-grams look like those of this order
SHADES = 6


class Piece(NamedTuple):
    """A token; orders: lengths of the n-grams that match and that it is in; space: what follows it."""

    text: str
    orders: Sequence[int]
    space: str = " "


def cover(tokens: Sequence[str], matching: Mapping[int, Mapping[tuple[str, ...], int]]) -> list[set[int]]:
    """Return for each token the lengths of the matching n-grams that it is in.

    Args:
        tokens: of a text.
        matching: by length, how many of each n-gram match; of a text with more of them, the first ones do.

    >>> cover("a b a".split(), {1: {("a",): 1, ("b",): 1}, 2: {("b", "a"): 1}})
    [{1}, {1, 2}, {2}]
    """
    covered: list[set[int]] = [set() for _ in tokens]
    for order, counts in matching.items():
        seen: Counter[tuple[str, ...]] = Counter()
        for start in range(len(tokens) - order + 1):
            ngram = tuple(tokens[start : start + order])
            seen[ngram] += 1
            if seen[ngram] <= counts.get(ngram, 0):
                for place in range(start, start + order):
                    covered[place].add(order)
    return covered


def highlight(pieces: Sequence[Piece]) -> str:
    """Return a text as HTML in which tokens that match are marked.

    A mark of class `m2` is in a 2-gram that matches, one of class `l2` in none that is longer. Tokens without space
    between them, such as characters, share a mark where their orders are the same.

    >>> highlight([Piece("the", [1, 2]), Piece("<cat>", [], "")])
    '<mark class="l2 m1 m2">the</mark> &lt;cat&gt;'
    >>> highlight([Piece("a", [1], ""), Piece("b", [1])])
    '<mark class="l1 m1">ab</mark> '
    """
    joined: list[Piece] = []
    for piece in pieces:
        if joined and not joined[-1].space and joined[-1].orders == piece.orders:
            joined[-1] = Piece(joined[-1].text + piece.text, piece.orders, piece.space)
        else:
            joined.append(piece)
    shown = []
    for text, orders, space in joined:
        if orders:
            longest = min(max(orders), SHADES)
            names = " ".join([f"l{longest}", *(f"m{order}" for order in sorted(orders))])
            shown.append(f'<mark class="{names}">{escape_html(text)}</mark>{space}')
        else:
            shown.append(escape_html(text) + space)
    return "".join(shown)
