"""Why a segment or a corpus has its TER score: shifts, edits, and the length of the references.

- `take_apart`: for a segment, with the shifts that the greedy search finds, and the edits that remain; `TERParts`
- `take_sums_apart`: for a corpus, from its sums; `TERSums`
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bleucli.errors import BleuError
from bleucli.kernels.python_edits import trace_edits
from bleucli.metrics.explain_wer import (
    NOTHING,
    PERFECT,
    Edit,
    count_edits,
    list_edits,
    tell_choice,
    tell_edits,
    tell_rate,
)
from bleucli.metrics.ter import TER, TERScore
from bleucli.phrases import tell_count
from bleucli.prose.blocks import Heading, Paragraph, Words, show_numbers
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.counting import CorpusStats
    from bleucli.prose.blocks import Block

# The search for shifts takes a second or two if the output and each reference have this many words
_MOST_WORDS = 1000


class ShiftedPhrase(NamedTuple):
    """A phrase of the output that is moved, which is one edit.

    start: index of its first word, after all earlier shifts. words: the words that are moved. hypothesis: the whole
    output after this shift. position: index of the first moved word in it.
    """

    start: int
    words: Sequence[str]
    position: int
    hypothesis: Sequence[str]


class TERParts(NamedTuple):
    """The parts of a segment's TER score.

    reference: index of the first reference with the fewest edits. edits_by_reference: the number of edits for each
    reference. shifts, edits: those to that reference; edits in reading order, after all shifts. reference_length:
    average number of words of the references. lowercase: whether the words are compared, and listed here, in lower
    case. hits, substitutions, deletions, insertions: how many of these there are after all shifts.
    """

    hypothesis_words: Sequence[str]
    reference_words: Sequence[Sequence[str]]
    reference: int
    edits_by_reference: Sequence[int]
    shifts: Sequence[ShiftedPhrase]
    edits: Sequence[Edit]
    num_edits: int
    reference_length: float
    lowercase: bool
    hits: int
    substitutions: int
    deletions: int
    insertions: int

    def recalculate(self) -> float:
        """Return the score."""
        return _rate(self.num_edits, self.reference_length)

    def tell(self, name: str, score: float, width: int) -> Iterator[Block]:
        """Explain the score in words; width: its decimals."""
        yield Heading(f"{name} = {score:.{width}f}")
        if reason := self._reason(score):
            yield Paragraph(reason)
        yield from tell_choice(self.edits_by_reference, self.reference)
        if self.shifts:
            yield Heading(
                f"{tell_count(len(self.shifts), 'shift')}: phrases moved to another place; each move is one edit"
            )
            yield Words("output before", [(word, "") for word in self.hypothesis_words])
        for number, shift in enumerate(self.shifts, 1):
            span = range(shift.position, shift.position + len(shift.words))
            words = [(word, "bad" if place in span else "") for place, word in enumerate(shift.hypothesis)]
            yield Words(f"after shift {number}", words, f'(moved: "{" ".join(shift.words)}")')
        if self.edits:
            yield Heading("Word by word" + (", after the shifts" if self.shifts else ""))
            yield from tell_edits(self.edits)
            yield Paragraph(
                "Edits turn the output into the reference. sub: replace a word; del: delete an extra word; ins: insert"
                " a word that the output lacks. TER finds shifts by a greedy search, so fewer edits may be possible."
                + (" Words are compared in lower case." if self.lowercase else "")
            )
        yield Heading("Score")
        kinds = [(len(self.shifts), "shift"), (self.substitutions, "substitution")]
        kinds += [(self.deletions, "deletion"), (self.insertions, "insertion")]
        text = f"{score:.{width}f}"
        length = _show_length(self.reference_length, self.num_edits, text) if self.reference_length else ""
        several = len(self.reference_words) > 1
        meaning = "words of the references, on average" if several else "words of the reference"
        yield tell_rate(name, kinds, self.num_edits, (meaning, length), text)

    def _reason(self, score: float) -> str:
        """Return why a score is at the end of its scale, or beyond; "" if it is not."""
        if not self.edits and not self.reference_length:
            return NOTHING
        if not self.reference_length:
            return "The reference is empty, so there is nothing to divide by: the score is 100, as there are edits."
        if not score:
            return PERFECT
        words = "words in the reference"
        if len(set(map(len, self.reference_words))) > 1:
            words = "words in the references on average"
        if score > 100:
            length = f"{round(self.reference_length, 2):.15g}"
            return (
                f"There are more edits ({self.num_edits}) than {words} ({length}), so the score exceeds 100: TER has no"
                " upper end."
            )
        return f"There are as many edits as {words}: 100." if score == 100 else ""


class TERSums(NamedTuple):
    """The parts of a corpus's TER score.

    num_edits: the fewest insertions, deletions, substitutions and shifts that were found, added up over the segments.
    reference_length: in words, averaged over the references of each segment, and added up. most_references: the largest
    number of references of a segment.
    """

    num_edits: int
    reference_length: float
    most_references: int

    def recalculate(self) -> float:
        """Return the score."""
        return _rate(self.num_edits, self.reference_length)

    def tell(self, name: str, score: float, width: int) -> Iterator[Block]:
        """Explain the score in words; width: its decimals."""
        meaning = "words of the references" + ", on average" * (self.most_references > 1)
        if not self.num_edits:
            yield Paragraph(PERFECT)
        elif not self.reference_length:
            yield Paragraph(
                "The references have no words, so there is nothing to divide by: the score is 100, as there are edits."
            )
        elif score > 100:
            yield Paragraph(f"There are more edits than {meaning}, so the score exceeds 100: TER has no upper end.")
        yield Heading("Score")
        choice = "; of several references, the fewest edits and the average length count"
        yield Paragraph(
            "Edits insert, delete or replace a word, or move a phrase. Edits and lengths are added up over the segments"
            + choice * (self.most_references > 1)
            + "."
        )
        text = f"{score:.{width}f}"
        length = _show_length(self.reference_length, self.num_edits, text) if self.reference_length else ""
        yield tell_rate(name, (), self.num_edits, (meaning, length), text)


def _rate(edits: int, length: float) -> float:
    if not length:
        return 100.0 if edits else 0.0
    return 100.0 * (edits / length)


def _show_length(length: float, edits: int, score: str) -> str:
    """Return the length that edits are divided by; an average may need many digits: those that give the score.

    score: as printed.

    >>> _show_length(12, 3, "25.0"), _show_length(7 / 3, 3, "128.57")
    ('12', '2.3333')
    """
    if not length % 1:
        return f"{length:.15g}"
    decimals = len(score.partition(".")[2])
    (digits,) = show_numbers([length], lambda one: f"{100 * edits / one[0]:.{decimals}f}" == score)
    return digits


def take_apart(
    metric: TER, hypothesis: str, references: Sequence[str], score: TERScore
) -> tuple[TERParts, tuple[int | float, ...]]:
    """Return the parts of a segment's score, and its row of statistics; arguments as in `explain_bleu.take_apart`.

    Raises:
        BleuError: the texts are too long.
    """
    words, theirs = hypothesis.split(), [reference.split() for reference in references]
    longest = max(map(len, [words, *theirs]))
    if longest > _MOST_WORDS:
        raise BleuError(f"{longest} words are too many to explain TER; choose a segment of at most {_MOST_WORDS}")
    traces = [trace_edits(words, other) for other in theirs]
    edits = [
        list_edits(shifts[-1].words if shifts else words, other, codes)
        for (shifts, codes), other in zip(traces, theirs, strict=True)
    ]
    counts = [
        len(shifts) + len(steps) - count_edits(steps, "match") for (shifts, _), steps in zip(traces, edits, strict=True)
    ]
    best = counts.index(min(counts))
    length = sum(map(len, theirs)) / len(theirs)
    phrases, before = [], words
    for start, size, target, after in traces[best][0]:
        # The target counts words before the shift; the cases are those of `shift_words`
        position = target if target < start else target - size if target > start + size else target
        phrases.append(ShiftedPhrase(start, before[start : start + size], position, after))
        before = after
    lowercase = not metric.case_sensitive
    kinds = [count_edits(edits[best], kind) for kind in ("match", "substitution", "deletion", "insertion")]
    parts = TERParts(words, theirs, best, counts, phrases, edits[best], counts[best], length, lowercase, *kinds)
    return parts, (counts[best], length)


def take_sums_apart(metric: TER, stats: CorpusStats, score: TERScore) -> TERSums:
    """Return the parts of a corpus's score; score: that of its statistics."""
    edits, length = stats.sums
    return TERSums(int(edits), length, stats.most)
