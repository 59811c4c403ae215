"""A segment's n-grams compared with those of its references, for explanations.

- `NGram`, `compare_ngrams`: how often each occurs, and how often it matches
- `ngram_table`, `explain_verdicts`, `tell_tokens`, `mark_matches`: how they are shown
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from bleucli.phrases import tell_count
from bleucli.prose.blocks import Paragraph, Table, Words
from bleucli.prose.highlights import choose_matches, count_most
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from bleucli.prose.blocks import Block

    GramT = TypeVar("GramT", bound="str | tuple[str, ...]")


class NGram(NamedTuple):
    """An n-gram.

    ngram: its tokens, or a string of characters. hypothesis: how often the output has it. reference: how often it
    occurs in the reference that has it most often. matches: the lesser of the two.
    """

    ngram: str | tuple[str, ...]
    hypothesis: int
    reference: int
    matches: int


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
