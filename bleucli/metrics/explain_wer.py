"""Why a segment or a corpus has its WER or CER score: the fewest edits, and the length of the references.

- `take_apart`: for a segment, word by word or character by character; `ErrorRateParts`: the result
- `take_sums_apart`: for a corpus, from its sums; `ErrorRateSums`: the result
- `Edit`, `list_edits`, `count_edits`; `tell_edits`, `tell_rate`, `tell_choice`: what `explain_ter.py` needs as well
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bleucli import kernels
from bleucli.errors import BleuError
from bleucli.kernels.python_edits import DELETION, INSERTION, NAMES, edited_words, trace_distance
from bleucli.metrics.wer import ErrorRate, ErrorRateScore
from bleucli.phrases import tell_count
from bleucli.prose.blocks import Alignment, Formula, Heading, Paragraph
from bleucli.records import NamedTuple
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.counting import CorpusStats
    from bleucli.prose.blocks import Block

# The most cells in the table of alignments, which have one byte each; this many take about ten seconds
_MOST_CELLS = 1 << 23
# TER's edits turn the output into the reference; these do the opposite, so the last two are exchanged
_NAMES = ("match", "substitution", "insertion", "deletion")
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


class ErrorRateParts(NamedTuple):
    """The parts of a segment's WER or CER score.

    unit: the unit that is edited, "word" or "character". hypothesis_units, reference_units: the units of the output,
    and of each reference. reference: index of the first reference with the fewest edits. edits_by_reference: the number
    of edits for each reference. edits: the edits to that reference, in reading order. reference_length: its number of
    units. hits, substitutions, deletions, insertions: how many of these there are; with the length, they are those of
    jiwer.
    """

    unit: str
    hypothesis_units: Sequence[str]
    reference_units: Sequence[Sequence[str]]
    reference: int
    edits_by_reference: Sequence[int]
    edits: Sequence[Edit]
    num_edits: int
    reference_length: int
    hits: int
    substitutions: int
    deletions: int
    insertions: int

    def recalculate(self) -> float:
        """Return the score; the length of an empty reference counts as 1."""
        return 100.0 * (self.num_edits / (self.reference_length or 1))

    def tell(self, name: str, score: float, width: int) -> Iterator[Block]:
        """Explain the score in words; width: its decimals."""
        yield Heading(f"{name} = {score:.{width}f}")
        if reason := self._reason(score):
            yield Paragraph(reason)
        yield from tell_choice(self.edits_by_reference, self.reference)
        if self.edits:
            yield Heading(f"{self.unit.capitalize()} by {self.unit}")
            yield from tell_edits(self.edits)
            yield Paragraph(
                f"sub: a different {self.unit}; del: a {self.unit} that the output lacks; ins: an extra {self.unit} in"
                " the output. No alignment has fewer edits; where several have as few, this is one of them."
            )
        yield Heading("Score")
        kinds = [(self.substitutions, "substitution"), (self.deletions, "deletion"), (self.insertions, "insertion")]
        length = str(self.reference_length) if self.reference_length else "1 (the reference is empty)"
        lengths = (f"{self.unit}s of the reference", length if self.edits else "")
        yield tell_rate(name, kinds, self.num_edits, lengths, f"{score:.{width}f}")

    def _reason(self, score: float) -> str:
        """Return why a score is at the end of its scale, or beyond; "" if it is not."""
        if not self.edits:
            return NOTHING
        if not score:
            return PERFECT
        if not self.reference_length:
            return f"The reference is empty, so its length counts as 1, and each {self.unit} of the output adds 100."
        if score > 100:
            return (
                f"There are more edits ({self.num_edits}) than {self.unit}s in the reference ({self.reference_length}),"
                " so the score exceeds 100: an error rate has no upper end."
            )
        return f"There are as many edits as {self.unit}s in the reference: 100." if score == 100 else ""


class ErrorRateSums(NamedTuple):
    """The parts of a corpus's WER or CER score.

    unit: the unit that is edited, "word" or "character". num_edits, reference_length: added up over the segments; of
    several references, the one with the fewest edits counts. most_references: the largest number of references of a
    segment.
    """

    unit: str
    num_edits: int
    reference_length: int
    most_references: int

    def recalculate(self) -> float:
        """Return the score; the length of empty references counts as 1."""
        return 100.0 * (self.num_edits / (self.reference_length or 1))

    def tell(self, name: str, score: float, width: int) -> Iterator[Block]:
        """Explain the score in words; width: its decimals."""
        meaning = f"{self.unit}s of the references" + " that count" * (self.most_references > 1)
        if not self.num_edits:
            yield Paragraph(PERFECT)
        elif not self.reference_length:
            yield Paragraph(f"There are no {meaning}, so their number counts as 1.")
        elif score > 100:
            yield Paragraph(
                f"There are more edits than {meaning}, so the score exceeds 100: an error rate has no upper end."
            )
        yield Heading("Score")
        choice = "; of several references, the one with the fewest edits counts, with its own length"
        yield Paragraph(
            f"Edits insert, delete or replace a {self.unit}. Edits and lengths are added up over the segments"
            + choice * (self.most_references > 1)
            + "."
        )
        yield tell_rate(name, (), self.num_edits, (meaning, str(self.reference_length or 1)), f"{score:.{width}f}")


def take_apart(
    metric: ErrorRate[ErrorRateScore], hypothesis: str, references: Sequence[str], score: ErrorRateScore
) -> tuple[ErrorRateParts, tuple[int, ...]]:
    """Return the parts of a segment's score, and its row of statistics; arguments as in `explain_bleu.take_apart`."""
    unit = "character" if metric.characters else "word"
    # White space at both ends is not a character to edit, as in the kernels
    units, *theirs = (
        list(text.strip()) if metric.characters else edited_words(text) for text in (hypothesis, *references)
    )
    text = Segments.from_strings([hypothesis])
    rows = [kernels.edit_stats(text, [Segments.from_strings([one])], metric.characters)[0] for one in references]
    counts = [int(edits) for edits, _ in rows]
    best = counts.index(min(counts))
    if len(units) * (2 * counts[best] + 1) > _MOST_CELLS:
        raise BleuError(
            f"{tell_count(len(units), unit)} with {tell_count(counts[best], 'edit')} are too many to align; explain a"
            " shorter segment"
        )
    edits = list_edits(units, theirs[best], trace_distance(units, theirs[best]), _NAMES)
    kinds = [count_edits(edits, kind) for kind in ("match", "substitution", "deletion", "insertion")]
    parts = ErrorRateParts(unit, units, theirs, best, counts, edits, counts[best], len(theirs[best]), *kinds)
    return parts, (counts[best], len(theirs[best]))


def take_sums_apart(metric: ErrorRate[ErrorRateScore], stats: CorpusStats, score: ErrorRateScore) -> ErrorRateSums:
    """Return the parts of a corpus's score; score: that of its statistics."""
    edits, length = map(int, stats.sums)
    return ErrorRateSums("character" if metric.characters else "word", edits, length, stats.most)
