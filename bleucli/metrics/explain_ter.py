"""Why a segment has its TER: the shifts that its greedy search makes, and the edits that remain."""

from collections.abc import Iterator, Sequence

from bleucli.kernels.python_ter import trace_edits
from bleucli.metrics.edits import Edit, count_edits, list_edits, tell_edits
from bleucli.metrics.ter import TER, TERScore
from bleucli.phrases import tell_count
from bleucli.prose import Formula, Heading, Paragraph, Words
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.prose import Block


class ShiftedPhrase(NamedTuple):
    """A phrase of the output that is moved, which is one edit.

    start: index of its first word, among those that the shifts before have left. words: that are moved. hypothesis: the
    whole output afterwards. position: index of the first of these words in it.
    """

    start: int
    words: Sequence[str]
    position: int
    hypothesis: Sequence[str]


class TERParts(NamedTuple):
    """What a TER score of a segment is made of.

    reference: index of the one with the fewest edits, the first of equals, which these are the edits to.
    edits_by_reference: to each of them. edits: in reading order, after all shifts. reference_length: average number of
    words of the references.
    """

    hypothesis_words: Sequence[str]
    reference_words: Sequence[Sequence[str]]
    reference: int
    edits_by_reference: Sequence[int]
    shifts: Sequence[ShiftedPhrase]
    edits: Sequence[Edit]
    num_edits: int
    reference_length: float

    def recalculate(self) -> float:
        """Return the score."""
        if not self.reference_length:
            return 100.0 if self.num_edits else 0.0
        return 100.0 * (self.num_edits / self.reference_length)

    def tell(self, name: str, score: float, width: int) -> "Iterator[Block]":
        """Explain the score in words; width: its decimals."""
        yield Heading(f"{name} = {score:.{width}f}")
        if reason := self._reason(score):
            yield Paragraph(reason)
        several = len(self.reference_words) > 1
        if several:
            counts = ", ".join(map(str, self.edits_by_reference))
            yield Paragraph(
                f"Edits to each reference: {counts}. The fewest count, those to reference {self.reference + 1}."
            )
        if self.shifts:
            yield Heading(f"{tell_count(len(self.shifts), 'shift')}: phrases that stand elsewhere, one edit each")
            yield Words("output before", [(word, "") for word in self.hypothesis_words])
        for number, shift in enumerate(self.shifts, 1):
            moved = range(shift.position, shift.position + len(shift.words))
            words = [(word, "bad" if place in moved else "") for place, word in enumerate(shift.hypothesis)]
            yield Words(f"after shift {number}", words, f'(moved: "{" ".join(shift.words)}")')
        yield Heading("Word by word" + (", after the shifts" if self.shifts else ""))
        yield from tell_edits(self.edits)
        yield Paragraph(
            "sub: another word, del: a word too many, ins: a word that is missing. TER finds shifts by a greedy search,"
            " so that fewer edits may be possible."
        )
        yield Heading("Score")
        kinds = [(len(self.shifts), "shift")]
        kinds += [(count_edits(self.edits, kind), kind) for kind in ("substitution", "deletion", "insertion")]
        told = " + ".join(tell_count(*kind) for kind in kinds)
        length = f"{self.reference_length:.4g}"
        lines = [f"edits = {told} = {self.num_edits}"]
        if self.reference_length:
            average = " (the average length of the references)" if several else " (words of the reference)"
            lines.append(f"{name}   = 100 × {self.num_edits} / {length}{average} = {score:.{width}f}")
        yield Formula(lines)

    def _reason(self, score: float) -> str:
        """Return why a score is at an end of its scale, or beyond; "" if it is not."""
        if not self.reference_length:
            without = "The reference has no words, so there is nothing to divide by"
            return (
                f"{without}: the score is 100 as there are edits." if score else f"{without}, but nothing to edit: 0."
            )
        if not score:
            return "No edit is needed: 0 is the best score."
        if score > 100:
            return (
                f"There are more edits ({self.num_edits}) than words in the reference ({self.reference_length:.4g}), so"
                " the score exceeds 100: TER has no upper end."
            )
        return "There are as many edits as words in the reference: 100." if score == 100 else ""


def take_apart(
    metric: TER, hypothesis: str, references: Sequence[str], score: TERScore
) -> tuple[TERParts, tuple[int | float, ...]]:
    """Return what a segment's score is made of, and its row of statistics; arguments as for BLEU's."""
    words, others = hypothesis.split(), [reference.split() for reference in references]
    traces = [trace_edits(words, other) for other in others]
    edits = [
        list_edits(shifts[-1].words if shifts else words, other, codes)
        for (shifts, codes), other in zip(traces, others, strict=True)
    ]
    counts = [
        len(shifts) + len(found) - count_edits(found, "match") for (shifts, _), found in zip(traces, edits, strict=True)
    ]
    best = counts.index(min(counts))
    length = sum(map(len, others)) / len(others)
    shifted, before = [], words
    for start, size, target, after in traces[best][0]:
        position = target if target < start else target - size if target > start + size else target
        shifted.append(ShiftedPhrase(start, before[start : start + size], position, after))
        before = after
    parts = TERParts(words, others, best, counts, shifted, edits[best], counts[best], length)
    return parts, (counts[best], length)
