"""The edits between a segment and its reference, shown word above word, for explanations.

- `Edit`, `list_edits`: what happens to each word
- `tell_edits`, `tell_rate`: how edits are shown, and how a rate is computed from them
- `show_length`: the length of references, with the digits that the score needs
- `tell_choice`: which of several references counts
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bleucli.kernels.python_ter import DELETION, INSERTION, NAMES
from bleucli.phrases import tell_count
from bleucli.prose.blocks import Alignment, Formula, Paragraph, show_numbers
from bleucli.records import NamedTuple

# Shown under a word that is edited
_SHOWN = {"match": "", "substitution": "sub", "deletion": "del", "insertion": "ins"}
NOTHING = "Output and reference are empty: there is nothing to edit, so the score is 0."
PERFECT = "No edit is needed: 0 is the best score."


class Edit(NamedTuple):
    """What happens to a word, or a character.

    operation: "match", "substitution", "deletion" or "insertion". TER's edits turn the output into the reference, so a
    deletion removes a word of the output. Those of WER and CER turn the reference into the output, so a deletion is a
    word of the reference that the output lacks. hypothesis, reference: the word of each; None if there is none.
    """

    operation: str
    hypothesis: str | None
    reference: str | None


def list_edits(
    hypothesis: Sequence[str], reference: Sequence[str], operations: Sequence[int], names: Sequence[str] = NAMES
) -> list[Edit]:
    """Return what happens to each word, in reading order.

    operations: the numbers of the operations that turn the output into the reference. names: the name of each
    operation.

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
    """Return the number of edits with an operation, such as "deletion"."""
    return sum(edit.operation == operation for edit in edits)


def tell_choice(edits_by_reference: Sequence[int], reference: int) -> Iterator[Paragraph]:
    """Say which of several references counts, given its index; say nothing if there is only one."""
    if len(edits_by_reference) > 1:
        counts = ", ".join(map(str, edits_by_reference))
        best = f"The fewest edits count: those to reference {reference + 1}."
        yield Paragraph(f"Edits to each reference: {counts}. {best}")


def tell_edits(edits: Sequence[Edit]) -> Iterator[Alignment]:
    """Show both texts, one above the other, unless both are empty. A space is shown as ␣."""
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


def tell_rate(name: str, kinds: Sequence[tuple[int, str]], total: int, lengths: tuple[str, str], score: str) -> Formula:
    """Show how an error rate is computed from edits.

    Args:
        name: the name of the score.
        kinds: the number of edits of each kind, and its name; empty if only their sum is known.
        total: the number of all edits.
        lengths: the length to divide by, in words and as a number; "" if there is no length.
        score: the score as printed.
    """
    meaning, length = lengths
    lines = [f"edits = {' + '.join(tell_count(*kind) for kind in kinds)} = {total}"] if kinds else []
    lines += [f"{name:5} = 100 × edits / {meaning}", f"      = 100 × {total} / {length}"] if length else [f"{name:5}"]
    return Formula([*lines[:-1], f"{lines[-1]} = {score}"])


def show_length(length: float, edits: int, score: str) -> str:
    """Return the length that edits are divided by; an average may need many digits: those that give the score.

    score: as printed.

    >>> show_length(12, 3, "25.0"), show_length(7 / 3, 3, "128.57")
    ('12', '2.3333')
    """
    if not length % 1:
        return f"{length:.15g}"
    decimals = len(score.partition(".")[2])
    (digits,) = show_numbers([length], lambda one: f"{100 * edits / one[0]:.{decimals}f}" == score)
    return digits
