"""N-grams that texts share: counted, chosen, and shown to people, for explanations and pages.

- `count_most`: how often n-grams may match; `choose_matches`: which occurrences of an n-gram do, if not all of them
- `cover`: the tokens that are part of matching n-grams
- `Piece`, `highlight`: a text as HTML, for the styles of `theme.py`
- `NGram`, `compare_ngrams`: how often each n-gram of a segment and its references occurs, and how often it matches
- `ngram_table`, `explain_verdicts`, `tell_tokens`, `mark_matches`: how an explanation shows them
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from bleucli.phrases import tell_count
from bleucli.prose.blocks import Paragraph, Table, Words
from bleucli.prose.markup import escape_html
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from bleucli.prose.blocks import Block

    # How often each n-gram matches, by length
    Matching = Mapping[int, Mapping[tuple[str, ...], int]]
    GramT = TypeVar("GramT", bound="str | tuple[str, ...]")

# Longer n-grams look like those of this length
SHADES = 6


class Piece(NamedTuple):
    """A token."""

    text: str
    orders: Sequence[int]  # the lengths of the matching n-grams that it is part of
    space: str = " "  # after it
    note: str = ""  # another class of `theme.py` for it, "clipped" or "moved"


def count_most(texts: Sequence[Sequence[str]], order: int) -> dict[int, Counter[tuple[str, ...]]]:
    """Return how often each n-gram occurs in the text that has it most often, by length, up to `order` tokens.

    >>> count_most(["a b a".split(), "b b".split()], 1)
    {1: Counter({('a',): 2, ('b',): 2})}
    """
    most: dict[int, Counter[tuple[str, ...]]] = {}
    for length in range(1, order + 1):
        most[length] = Counter()
        for tokens in texts:
            counts = Counter(_ngrams(tokens, length))
            most[length] = most[length] | counts if most[length] else counts
    return most


def _ngrams(tokens: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    return zip(*(tokens[place:] for place in range(length)), strict=False)


def choose_matches(tokens: Sequence[str], matching: Matching) -> dict[int, set[int]]:
    """Return, for each length, where the matching n-grams start; matching: how often each may match, by length.

    If a text has an n-gram more often than it matches, the occurrences inside the longest matching n-grams are chosen;
    among equal ones, the first.

    >>> choose_matches("a c a b".split(), {1: {("a",): 1, ("b",): 1}, 2: {("a", "b"): 1}})
    {2: {2}, 1: {2, 3}}
    """
    top = min(max(matching, default=0), len(tokens))
    ngrams = {length: list(_ngrams(tokens, length)) for length in range(1, top + 1)}
    repeated = 0  # the longest n-grams that occur twice: if all of a length differ, longer ones do
    while repeated < top and len(set(ngrams[repeated + 1])) < len(ngrams[repeated + 1]):
        repeated += 1
    matches: dict[int, set[int]] = {}
    for length in range(top, 0, -1):
        most = matching.get(length, {})
        matches[length] = starts = {start for start, count in enumerate(map(most.get, ngrams[length])) if count}
        for ngram, count in Counter(ngrams[length]).items() if length <= repeated else ():
            if count > most.get(ngram, count):
                places = [start for start in starts if ngrams[length][start] == ngram]
                places.sort(key=lambda start: (-_longest(matches, start, start + length), start))
                starts.difference_update(places[most[ngram] :])
    return matches


def _longest(matches: Mapping[int, set[int]], start: int, end: int) -> int:
    """Return the length of the longest matching n-gram with the tokens from `start` to `end` and others; 0 if none."""
    longer = (length for length in matches if length > end - start)
    around = (length for length in longer if not matches[length].isdisjoint(range(end - length, start + 1)))
    return max(around, default=0)


def cover(tokens: Sequence[str], matching: Matching) -> list[set[int]]:
    """Return, for each token, the lengths of the matching n-grams that it is part of, as `choose_matches` does.

    >>> cover("a b a".split(), {1: {("a",): 1, ("b",): 1}, 2: {("b", "a"): 1}})
    [set(), {1, 2}, {1, 2}]
    """
    orders: list[set[int]] = [set() for _ in tokens]
    for order, starts in choose_matches(tokens, matching).items():
        for start in starts:
            for place in range(start, start + order):
                orders[place].add(order)
    return orders


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
    runs: list[Piece] = []
    for piece in pieces:
        if runs and not runs[-1].space and runs[-1].orders == piece.orders:
            runs[-1] = Piece(runs[-1].text + piece.text, piece.orders, piece.space, piece.note)
        else:
            runs.append(piece)
    parts = []
    for text, orders, space, note in runs:
        names = [f"l{min(max(orders), SHADES)}", *(f"m{order}" for order in sorted(orders))] if orders else []
        names += [note] if note else []
        tag = "mark" if orders else "span"
        escaped = escape_html(text)
        parts.append((f'<{tag} class="{" ".join(names)}">{escaped}</{tag}>' if names else escaped) + space)
    return "".join(parts)


# --- explanations


class NGram(NamedTuple):
    """An n-gram."""

    ngram: str | tuple[str, ...]  # its tokens, or a string of characters
    hypothesis: int  # how often the output has it
    reference: int  # how often it occurs in the reference that has it most often
    matches: int  # the lesser of the two


def compare_ngrams(hypothesis: Counter[GramT], references: Sequence[Counter[GramT]]) -> list[NGram]:
    """Return the n-grams of the output in their order, then those that only references have.

    >>> compare_ngrams(Counter("aab"), [Counter("ac")])[0]
    NGram(ngram='a', hypothesis=2, reference=1, matches=1)
    """
    most: Counter[GramT] = Counter()
    for reference in references:
        most |= reference  # the higher count of each n-gram: clipping allows as many as any single reference has
    ngrams = [NGram(gram, count, most[gram], min(count, most[gram])) for gram, count in hypothesis.items()]
    return ngrams + [NGram(gram, 0, count, 0) for gram, count in most.items() if gram not in hypothesis]


def ngram_table(ngrams: Sequence[NGram], several: bool) -> Table:
    """Return a table with one row per n-gram; several: whether there is more than one reference."""
    rows, roles = [], []
    for ngram in ngrams:
        verdict, role = _judge(ngram, several)
        text = ngram.ngram if isinstance(ngram.ngram, str) else " ".join(ngram.ngram)
        rows.append([text, str(ngram.hypothesis), str(ngram.reference), str(ngram.matches), verdict])
        roles.append(role)
    return Table(["n-gram", "output", "reference", "matches", ""], rows, roles, [0, 4])


def _judge(ngram: NGram, several: bool) -> tuple[str, str]:
    """Return the verdict on an n-gram, and its role."""
    if not ngram.hypothesis:
        # With several references, no output can have the n-grams of all of them
        return ("unused", "") if several else ("missing", "missing")
    if not ngram.reference:
        return "no match", "bad"
    return ("clipped", "bad") if ngram.hypothesis > ngram.reference else ("match", "good")


def explain_verdicts(several: bool) -> Paragraph:
    """Say what the verdicts of `ngram_table` mean."""
    if several:
        return Paragraph(
            "match: a reference has it too; clipped: the output has it more often than any reference, so only as many"
            " match as one reference has; no match: no reference has it; unused: only a reference has it. The"
            " reference column shows the highest count in any one reference."
        )
    return Paragraph(
        "match: both have it; clipped: the output has it more often than the reference, so only as many match as the"
        " reference has; no match: only the output has it; missing: only the reference has it."
    )


def tell_tokens(
    hypothesis: Sequence[str], references: Sequence[Sequence[str]], noun: str, order: int
) -> Iterator[Block]:
    """Show both texts: tokens that match, tokens that the output has too often, and tokens that it lacks.

    noun: the word for a token. order: the order of the longest n-grams that count.
    """
    labels = ["reference"] if len(references) == 1 else [f"reference {n}" for n in range(1, len(references) + 1)]
    widest = max(map(len, labels))
    label = "output".ljust(widest)
    yield Words(label, mark_matches(hypothesis, references, "bad", order), f"({tell_count(len(hypothesis), noun)})")
    for label, reference in zip(labels, references, strict=True):
        words = mark_matches(reference, [hypothesis], "missing" if len(references) == 1 else "", order)
        yield Words(label.ljust(widest), words, f"({tell_count(len(reference), noun)})")


def mark_matches(
    tokens: Sequence[str], references: Sequence[Sequence[str]], beyond: str, order: int
) -> list[tuple[str, str]]:
    """Give each token a role: "match", or `beyond` where it occurs more often than in any of the references.

    order: the order of the longest n-grams that count. If a token occurs too often, its occurrences inside longer
    matching n-grams take precedence.

    >>> mark_matches(["a", "c", "a", "b"], [["a", "b"]], "bad", 2)
    [('a', 'bad'), ('c', 'bad'), ('a', 'match'), ('b', 'match')]
    """
    matches = choose_matches(tokens, count_most(references, min(order, len(tokens)))).get(1, set())
    return [(token, "match" if place in matches else beyond) for place, token in enumerate(tokens)]
