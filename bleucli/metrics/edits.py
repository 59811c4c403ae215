"""The edits between a segment and its reference, word under word, for explanations.

- `Edit`, `list_edits`: what becomes of each word
- `tell_edits`: how that is shown
"""

from collections.abc import Iterator, Sequence

from bleucli.kernels.python_ter import DELETION, INSERTION, NAMES
from bleucli.prose import Alignment
from bleucli.records import NamedTuple

# What stands under a word that is edited, and the role of the column
_SHOWN = {
    "match": ("", "good"),
    "substitution": ("sub", "bad"),
    "deletion": ("del", "bad"),
    "insertion": ("ins", "missing"),
}


class Edit(NamedTuple):
    """What becomes of a word, or a character.

    operation: "match", "substitution", "deletion" of a word of the output, or "insertion" of one of the reference.
    hypothesis, reference: the word of each; None where there is none.
    """

    operation: str
    hypothesis: str | None
    reference: str | None


def list_edits(hypothesis: Sequence[str], reference: Sequence[str], operations: Sequence[int]) -> list[Edit]:
    """Return what becomes of each word, in reading order.

    >>> list_edits(["a"], ["a", "b"], [0, 3])[1]
    Edit(operation='insertion', hypothesis=None, reference='b')
    """
    ours, theirs = iter(hypothesis), iter(reference)
    return [
        Edit(
            NAMES[operation],
            None if operation == INSERTION else next(ours),
            None if operation == DELETION else next(theirs),
        )
        for operation in operations
    ]


def count_edits(edits: Sequence[Edit], operation: str) -> int:
    """Return how many edits are of a kind."""
    return sum(edit.operation == operation for edit in edits)


def tell_edits(edits: Sequence[Edit]) -> Iterator[Alignment]:
    """Show both texts word under word; nothing for none. A space is shown as ␣."""
    columns = [
        (
            "␣" if edit.reference == " " else edit.reference or "",
            "␣" if edit.hypothesis == " " else edit.hypothesis or "",
            *_SHOWN[edit.operation],
        )
        for edit in edits
    ]
    if columns:
        yield Alignment(("reference", "output"), columns)
