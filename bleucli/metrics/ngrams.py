"""N-grams of a segment side by side with those of its references, for explanations.

- `NGram`, `compare_ngrams`: how often each is there, and how often it matches
- `ngram_table`, `tell_tokens`: how that is shown
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from bleucli.phrases import tell_count
from bleucli.prose import Table, Words
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from bleucli.prose import Block

    GramT = TypeVar("GramT", bound="str | tuple[str, ...]")


class NGram(NamedTuple):
    """An n-gram.

    ngram: its tokens; of characters, these. hypothesis: how often the output has it. reference: how often the one
    reference that has it most does. matches: the lesser of the two.
    """

    ngram: str | tuple[str, ...]
    hypothesis: int
    reference: int
    matches: int


def compare_ngrams(hypothesis: "Counter[GramT]", references: "Sequence[Counter[GramT]]") -> list[NGram]:
    """Return the n-grams of the output in their order, then those that only references have.

    >>> compare_ngrams(Counter("aab"), [Counter("ac")])[0]
    NGram(ngram='a', hypothesis=2, reference=1, matches=1)
    """
    most: Counter[GramT] = Counter()
    for reference in references:
        most |= reference
    found = [NGram(gram, count, most[gram], min(count, most[gram])) for gram, count in hypothesis.items()]
    return found + [NGram(gram, 0, count, 0) for gram, count in most.items() if gram not in hypothesis]


def ngram_table(ngrams: Sequence[NGram], several: bool) -> Table:
    """Return a table with a row an n-gram; several: there is more than one reference."""
    rows, roles = [], []
    for ngram in ngrams:
        note, role = _judge(ngram, several)
        shown = ngram.ngram if isinstance(ngram.ngram, str) else " ".join(ngram.ngram)
        rows.append([shown, str(ngram.hypothesis), str(ngram.reference), str(ngram.matches), note])
        roles.append(role)
    header = ["n-gram", "output", "most in one reference" if several else "reference", "matches", ""]
    return Table(header, rows, roles, [0, 4])


def _judge(ngram: NGram, several: bool) -> tuple[str, str]:
    """Return what to say of an n-gram, and its role."""
    surplus = ngram.hypothesis - ngram.reference
    if surplus < 0 and ngram.matches:
        return f"{-surplus} more in {'a' if several else 'the'} reference", "good"
    if surplus < 0:
        return "missing", "missing"
    if not surplus:
        return "", "good"
    if not ngram.reference:
        return "in no reference" if several else "not in the reference", "bad"
    return f"clipped: no more than {ngram.matches} can match", "bad"


def tell_tokens(hypothesis: Sequence[str], references: Sequence[Sequence[str]], noun: str) -> "Iterator[Block]":
    """Show both sides: what the output has too much of is bad, what it lacks of a reference is missing."""
    most: Counter[str] = Counter()
    for reference in references:
        most |= Counter(reference)
    labels = ["reference"] if len(references) == 1 else [f"reference {n}" for n in range(1, len(references) + 1)]
    widest = max(map(len, labels))
    label = "output".ljust(widest)
    yield Words(label, _mark(hypothesis, most, "good", "bad"), f"({tell_count(len(hypothesis), noun)})")
    for label, reference in zip(labels, references, strict=True):
        words = _mark(reference, Counter(hypothesis), "", "missing")
        yield Words(label.ljust(widest), words, f"({tell_count(len(reference), noun)})")


def _mark(tokens: Sequence[str], others: "Counter[str]", within: str, beyond: str) -> list[tuple[str, str]]:
    """Give each token a role: `within` as often as others have it, `beyond` from then on."""
    seen: Counter[str] = Counter()
    marked = []
    for token in tokens:
        seen[token] += 1
        marked.append((token, within if seen[token] <= others[token] else beyond))
    return marked
