"""N-grams that two texts share, highlighted in both by order, for pages.

- `Piece`: a token of a text, with the orders whose n-grams cover it
- `choose_matches`: which occurrences of an n-gram match, if not all of them do
- `cover`: the tokens that are part of matching n-grams
- `highlight`: a text as HTML, for the styles of `theme.py`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bleucli.prose.markup import escape_html
from bleucli.records import NamedTuple

# Longer n-grams look like those of this length
SHADES = 6


class Piece(NamedTuple):
    """A token.

    orders: the lengths of the matching n-grams that it is part of. space: the space after it. note: another class of
    `theme.py` for it, "clipped" or "moved", or "".
    """

    text: str
    orders: Sequence[int]
    space: str = " "
    note: str = ""


def choose_matches(tokens: Sequence[str], matching: Mapping[int, Mapping[tuple[str, ...], int]]) -> dict[int, set[int]]:
    """Return, for each length, where the matching n-grams start.

    If a text has an n-gram more often than it matches, the occurrences inside the longest matching n-grams are chosen;
    among equal ones, the first.

    Args:
        tokens: the tokens of a text.
        matching: how often each n-gram matches, by length.

    >>> choose_matches("a c a b".split(), {1: {("a",): 1, ("b",): 1}, 2: {("a", "b"): 1}})
    {2: {2}, 1: {2, 3}}
    """
    chosen: dict[int, set[int]] = {}
    # For each start of an n-gram, the length of the longest matching n-gram that contains it
    longest: list[int] = []
    for order in range(min(max(matching, default=0), len(tokens)), 0, -1):
        starts = range(len(tokens) - order + 1)
        # The n-grams of the next order that contain the one at `start` begin at `start - 1` and at `start`
        longest = [max(longest[max(0, start - 1) : start + 1], default=0) for start in starts]
        left = dict(matching.get(order, {}))
        chosen[order] = set()
        for start in sorted(starts, key=lambda start: -longest[start]):
            ngram = tuple(tokens[start : start + order])
            if left.get(ngram, 0) > 0:
                left[ngram] -= 1
                chosen[order].add(start)
        for start in chosen[order]:
            longest[start] = max(longest[start], order)
    return chosen


def cover(tokens: Sequence[str], matching: Mapping[int, Mapping[tuple[str, ...], int]]) -> list[set[int]]:
    """Return, for each token, the lengths of the matching n-grams that it is part of.

    Args:
        tokens: the tokens of a text.
        matching: as `choose_matches` takes it.

    >>> cover("a b a".split(), {1: {("a",): 1, ("b",): 1}, 2: {("b", "a"): 1}})
    [set(), {1, 2}, {1, 2}]
    """
    covered: list[set[int]] = [set() for _ in tokens]
    for order, starts in choose_matches(tokens, matching).items():
        for start in starts:
            for place in range(start, start + order):
                covered[place].add(order)
    return covered


def highlight(pieces: Sequence[Piece]) -> str:
    """Return a text as HTML, with marks around tokens that match.

    A mark of class `m2` is part of a matching 2-gram; if it also has the class `l2`, this is the longest such n-gram.
    Tokens without space between them, such as characters, share a mark if their orders are the same. A note is a class,
    too.

    >>> highlight([Piece("the", [1, 2]), Piece("<cat>", [], "")])
    '<mark class="l2 m1 m2">the</mark> &lt;cat&gt;'
    >>> highlight([Piece("a", [1], ""), Piece("b", [1])])
    '<mark class="l1 m1">ab</mark> '
    """
    joined: list[Piece] = []
    for piece in pieces:
        if joined and not joined[-1].space and joined[-1].orders == piece.orders:
            joined[-1] = Piece(joined[-1].text + piece.text, piece.orders, piece.space, piece.note)
        else:
            joined.append(piece)
    shown = []
    for text, orders, space, note in joined:
        if orders:
            longest = min(max(orders), SHADES)
            names = " ".join([f"l{longest}", *(f"m{order}" for order in sorted(orders)), *([note] if note else [])])
            shown.append(f'<mark class="{names}">{escape_html(text)}</mark>{space}')
        elif note:
            shown.append(f'<span class="{note}">{escape_html(text)}</span>{space}')
        else:
            shown.append(escape_html(text) + space)
    return "".join(shown)
