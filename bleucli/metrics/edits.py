"""The edits between a segment and its reference, word under word, for explanations.

- `Edit`, `list_edits`: what becomes of each word
- `tell_edits`: how that is shown
"""

from collections.abc import Iterator, Sequence

from bleucli.kernels.python_ter import DELETION, INSERTION, NAMES
from bleucli.prose import Alignment
from bleucli.records import NamedTuple

# What stands under a word that is edited
_SHOWN = {"match": "", "substitution": "sub", "deletion": "del", "insertion": "ins"}


class Edit(NamedTuple):
    """What becomes of a word, or a character.

    operation: "match", "substitution", "deletion" or "insertion". TER's edits turn the output into the reference, so a
    deletion takes away a word of the output; those of WER and CER turn the reference into the output, so a deletion is
    a word of the reference that the output lacks. hypothesis, reference: the word of each; None where there is none.
    """

    operation: str
    hypothesis: str | None
    reference: str | None


def list_edits(
    hypothesis: Sequence[str], reference: Sequence[str], operations: Sequence[int], names: Sequence[str] = NAMES
) -> list[Edit]:
    """Return what becomes of each word, in reading order.

    operations: those that turn the output into the reference, by number. names: what each is called.

    >>> list_edits(["a"], ["a", "b"], [0, 3])[1]
    Edit(operation='insertion', hypothesis=None, reference='b')
    """
    ours, theirs = iter(hypothesis), iter(reference)
    return [
        Edit(
            names[operation],
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
            _SHOWN[edit.operation],
            "good" if edit.operation == "match" else "missing" if edit.hypothesis is None else "bad",
        )
        for edit in edits
    ]
    if columns:
        yield Alignment(("reference", "output"), columns)
