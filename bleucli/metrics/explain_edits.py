"""Why a segment or a corpus has its TER, WER or CER score: edits, and the length of the references.

- `take_apart`: for a segment; `TERParts`, with the shifts that the greedy search finds, and the edits that remain;
  `ErrorRateParts`, with the fewest edits, word by word or character by character
- `take_sums_apart`: for a corpus, from its sums; `TERSums`, `ErrorRateSums`
- `Edit`: what happens to a word
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bleucli import kernels
from bleucli.errors import BleuError
from bleucli.kernels.python_edits import DELETION, INSERTION, NAMES, edited_words, trace_distance, trace_edits
from bleucli.metrics.wer import ErrorRate
from bleucli.phrases import tell_count
from bleucli.prose.blocks import Alignment, Formula, Heading, Paragraph, Words, show_numbers
from bleucli.records import NamedTuple
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.counting import CorpusStats
    from bleucli.metrics.ter import TER, TERScore
    from bleucli.metrics.wer import ErrorRateScore
    from bleucli.prose.blocks import Block

    Rate = TER | ErrorRate[ErrorRateScore]
    RateScore = TERScore | ErrorRateScore

# The most cells in the table of alignments, which have one byte each; this many take about ten seconds
_MOST_CELLS = 1 << 23
# TER's edits turn the output into the reference; these do the opposite, so the last two are exchanged
_NAMES = ("match", "substitution", "insertion", "deletion")
# Shown under a word that is edited
_SHOWN = {"match": "", "substitution": "sub", "deletion": "del", "insertion": "ins"}
_NOTHING = "Output and reference are empty: there is nothing to edit, so the score is 0."
_PERFECT = "No edit is needed: 0 is the best score."
# The search for shifts takes a second or two if the output and each reference have this many words
_MOST_WORDS = 1000


class Edit(NamedTuple):
    """What happens to a word, or a character.

    operation: "match", "substitution", "deletion" or "insertion". TER's edits turn the output into the reference, so a
    deletion removes a word of the output. Those of WER and CER turn the reference into the output, so a deletion is a
    word of the reference that the output lacks. hypothesis, reference: the word of each; None if there is none.
    """

    operation: str
    hypothesis: str | None
    reference: str | None


def _list_edits(
    hypothesis: Sequence[str], reference: Sequence[str], operations: Sequence[int], names: Sequence[str] = NAMES
) -> list[Edit]:
    """Return what happens to each word, in reading order, by the operations that turn the output into the reference.

    >>> _list_edits(["a"], ["a", "b"], [0, 3])[1]
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


def _count_edits(edits: Sequence[Edit]) -> list[int]:
    """Return the numbers of hits, substitutions, deletions and insertions."""
    return list(map([edit.operation for edit in edits].count, _SHOWN))


def _tell_choice(edits_by_reference: Sequence[int], reference: int) -> Iterator[Paragraph]:
    """Say which of several references counts, given its index; say nothing if there is only one."""
    if len(edits_by_reference) > 1:
        counts = ", ".join(map(str, edits_by_reference))
        best = f"The fewest edits count: those to reference {reference + 1}."
        yield Paragraph(f"Edits to each reference: {counts}. {best}")


def _tell_edits(edits: Sequence[Edit]) -> Iterator[Alignment]:
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


def _tell_rate(
    name: str, kinds: Sequence[tuple[int, str]], total: int, lengths: tuple[str, str], score: str
) -> Formula:
    """Show how an error rate is computed from edits.

    kinds: the number of edits of each kind, and its name; empty if only their sum is known. lengths: the length to
    divide by, in words and as a number; "" if there is no length. score: as printed.
    """
    meaning, length = lengths
    lines = [f"edits = {' + '.join(tell_count(*kind) for kind in kinds)} = {total}"] if kinds else []
    lines += [f"{name:5} = 100 × edits / {meaning}", f"      = 100 × {total} / {length}"] if length else [f"{name:5}"]
    return Formula([*lines[:-1], f"{lines[-1]} = {score}"])


# --- TER


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
        yield from _tell_choice(self.edits_by_reference, self.reference)
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
            yield from _tell_edits(self.edits)
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
        yield _tell_rate(name, kinds, self.num_edits, (meaning, length), text)

    def _reason(self, score: float) -> str:
        if not self.edits and not self.reference_length:
            return _NOTHING
        if not self.reference_length:
            return "The reference is empty, so there is nothing to divide by: the score is 100, as there are edits."
        if not score:
            return _PERFECT
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
            yield Paragraph(_PERFECT)
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
        yield _tell_rate(name, (), self.num_edits, (meaning, length), text)


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


def _take_ter_apart(
    metric: TER, hypothesis: str, references: Sequence[str]
) -> tuple[TERParts, tuple[int | float, ...]]:
    words, theirs = hypothesis.split(), [reference.split() for reference in references]
    longest = max(map(len, [words, *theirs]))
    if longest > _MOST_WORDS:
        raise BleuError(f"{longest} words are too many to explain TER; choose a segment of at most {_MOST_WORDS}")
    traces = [trace_edits(words, other) for other in theirs]
    edits = [
        _list_edits(shifts[-1].words if shifts else words, other, codes)
        for (shifts, codes), other in zip(traces, theirs, strict=True)
    ]
    counts = [len(shifts) + sum(_count_edits(steps)[1:]) for (shifts, _), steps in zip(traces, edits, strict=True)]
    best = counts.index(min(counts))
    length = sum(map(len, theirs)) / len(theirs)
    phrases, before = [], words
    for start, size, target, after in traces[best][0]:
        # The target counts words before the shift; the cases are those of `shift_words`
        position = target if target < start else target - size if target > start + size else target
        phrases.append(ShiftedPhrase(start, before[start : start + size], position, after))
        before = after
    lowercase = not metric.case_sensitive
    kinds = _count_edits(edits[best])
    parts = TERParts(words, theirs, best, counts, phrases, edits[best], counts[best], length, lowercase, *kinds)
    return parts, (counts[best], length)


# --- WER and CER


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
        yield from _tell_choice(self.edits_by_reference, self.reference)
        if self.edits:
            yield Heading(f"{self.unit.capitalize()} by {self.unit}")
            yield from _tell_edits(self.edits)
            yield Paragraph(
                f"sub: a different {self.unit}; del: a {self.unit} that the output lacks; ins: an extra {self.unit} in"
                " the output. No alignment has fewer edits; where several have as few, this is one of them."
            )
        yield Heading("Score")
        kinds = [(self.substitutions, "substitution"), (self.deletions, "deletion"), (self.insertions, "insertion")]
        length = str(self.reference_length) if self.reference_length else "1 (the reference is empty)"
        lengths = (f"{self.unit}s of the reference", length if self.edits else "")
        yield _tell_rate(name, kinds, self.num_edits, lengths, f"{score:.{width}f}")

    def _reason(self, score: float) -> str:
        if not self.edits:
            return _NOTHING
        if not score:
            return _PERFECT
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

    unit: "word" or "character". num_edits, reference_length: added up over the segments; of several references, the one
    with the fewest edits counts. most_references: the largest number of references of a segment.
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
            yield Paragraph(_PERFECT)
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
        yield _tell_rate(name, (), self.num_edits, (meaning, str(self.reference_length or 1)), f"{score:.{width}f}")


def _take_rate_apart(
    metric: ErrorRate[ErrorRateScore], hypothesis: str, references: Sequence[str]
) -> tuple[ErrorRateParts, tuple[int, ...]]:
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
            f"{tell_count(len(units), metric.aligns)} with {tell_count(counts[best], 'edit')} are too many to align;"
            " explain a shorter segment"
        )
    edits = _list_edits(units, theirs[best], trace_distance(units, theirs[best]), _NAMES)
    kinds, length = _count_edits(edits), len(theirs[best])
    parts = ErrorRateParts(metric.aligns, units, theirs, best, counts, edits, counts[best], length, *kinds)
    return parts, (counts[best], length)


# --- all of them


def take_apart(
    metric: Rate, hypothesis: str, references: Sequence[str], score: RateScore
) -> tuple[TERParts | ErrorRateParts, tuple[int | float, ...]]:
    """Return the parts of a segment's score, and its row of statistics; arguments as in `explain_bleu.take_apart`."""
    if isinstance(metric, ErrorRate):
        return _take_rate_apart(metric, hypothesis, references)
    return _take_ter_apart(metric, hypothesis, references)


def take_sums_apart(metric: Rate, stats: CorpusStats, score: RateScore) -> TERSums | ErrorRateSums:
    """Return the parts of a corpus's score; score: that of its statistics."""
    edits, length = stats.sums
    if isinstance(metric, ErrorRate):
        return ErrorRateSums(metric.aligns, int(edits), int(length), stats.most)
    return TERSums(int(edits), length, stats.most)
