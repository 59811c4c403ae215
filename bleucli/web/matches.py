"""The texts of an explanation with their matches marked, for the page.

- `show_matches`: the texts of any metric's explanation
"""

from __future__ import annotations

from bleucli.metrics.explain_bleu import BLEUParts
from bleucli.metrics.explain_chrf import CHRFParts
from bleucli.metrics.explain_ter import TERParts
from bleucli.metrics.explain_wer import ErrorRateParts
from bleucli.metrics.explanations import Explanation
from bleucli.phrases import tell_count
from bleucli.prose.highlights import Piece, cover, highlight
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Matches(NamedTuple):
    """The matches in the texts of a segment.

    texts: the candidate and its references, each with a name and HTML. marks: the meaning of marks other than the
    colours of n-grams, or "". ngrams: those that match, by order.
    """

    texts: Sequence[tuple[str, str]]
    marks: str
    ngrams: Sequence[Sequence[str]]


def show_matches(explanation: Explanation) -> Matches:
    """Return the texts of an explanation as HTML with marked matches."""
    parts = explanation.parts
    marks, ngrams = "", []
    if isinstance(parts, BLEUParts):
        texts = [_cover_tokens(parts, parts.hypothesis_tokens, ours=True)]
        texts += [_cover_tokens(parts, tokens, ours=False) for tokens in parts.reference_tokens]
        ngrams = [[" ".join(gram.ngram) for gram in order.ngrams if gram.matches] for order in parts.orders]
        if any(piece.note for piece in texts[0]):
            marks = "Dotted: clipped, because no reference has the word that often."
    elif isinstance(parts, CHRFParts):
        texts = [_cover_characters(parts, text) for text in (parts.hypothesis_text, parts.reference_text)]
        characters = (order for order in parts.orders if order.kind == "character")
        ngrams = [["".join(gram.ngram) for gram in order.ngrams if gram.matches] for order in characters]
    elif isinstance(parts, TERParts | ErrorRateParts):
        unit = parts.unit if isinstance(parts, ErrorRateParts) else "word"
        texts, marks = _cover_edits(parts), f"Marked: {unit}s that are aligned and equal."
    else:
        texts = [
            [Piece(word, ()) for word in text.split()] for text in (explanation.hypothesis, *explanation.references)
        ]
    labels = ["Candidate", *(f"Reference {number}" for number in range(1, len(texts)))]
    if isinstance(parts, TERParts) and parts.shifts:
        moved = " and ".join(f"\u201c{' '.join(shift.words)}\u201d" for shift in parts.shifts)
        labels[0] += f", of which {tell_count(len(parts.shifts), 'shift')} moved {moved}"
        marks += " Dashed: moved to another place by a shift, which is one edit."
    if isinstance(parts, CHRFParts | TERParts | ErrorRateParts) and len(explanation.references) > 1:
        labels[1] = f"Reference {parts.reference + 1}, the one that counts"
    elif len(texts) == 2:
        labels[1] = "Reference"
    return Matches(list(zip(labels, map(highlight, texts), strict=True)), marks, ngrams)


def _cover_tokens(parts: BLEUParts, tokens: Sequence[str], ours: bool) -> list[Piece]:
    """Mark the n-grams that match.

    In the candidate, each is marked as often as it counts; in a reference, at most as often as the candidate has it.
    """
    matching = {
        order.order: {tuple(gram.ngram): gram.matches if ours else gram.hypothesis for gram in order.ngrams}
        for order in parts.orders
    }
    orders_of = cover(tokens, matching)
    matches = matching[1] if ours else {}
    return [
        Piece(token, sorted(orders), note="" if 1 in orders or not matches.get((token,)) else "clipped")
        for token, orders in zip(tokens, orders_of, strict=True)
    ]


def _cover_characters(parts: CHRFParts, text: str) -> list[Piece]:
    """Mark the characters that belong to matching n-grams; white space is ignored."""
    characters: list[list[str]] = []
    for word in text.split():
        characters += [[character, ""] for character in word]
        characters[-1][1] = " "
    matching = {
        order.order: {tuple(gram.ngram): gram.matches for gram in order.ngrams}
        for order in parts.orders
        if order.kind == "character"
    }
    orders_of = cover([character for character, _ in characters], matching)
    return [Piece(one, sorted(orders), space) for (one, space), orders in zip(characters, orders_of, strict=True)]


def _cover_edits(parts: TERParts | ErrorRateParts) -> list[list[Piece]]:
    """Mark the words that are aligned and equal, and those that TER's shifts have moved, in the order of the texts."""
    ours = [[1] * (edit.operation == "match") for edit in parts.edits if edit.hypothesis is not None]
    theirs = [Piece(edit.reference, [1] * (edit.operation == "match")) for edit in parts.edits if edit.reference]
    if isinstance(parts, ErrorRateParts):
        pieces = [list(map(Piece, parts.hypothesis_units, ours)), theirs]
        # Characters follow each other without a space; those between words are characters, too
        return pieces if parts.unit == "word" else [[piece._replace(space="") for piece in text] for text in pieces]
    # Words in the order of the alignment, each with its place in the candidate
    places = list(range(len(parts.hypothesis_words)))
    moved: set[int] = set()
    for shift in parts.shifts:
        block = places[shift.start : shift.start + len(shift.words)]
        del places[shift.start : shift.start + len(shift.words)]
        places[shift.position : shift.position] = block
        moved.update(block)
    orders = dict(zip(places, ours, strict=True))
    return [
        [
            Piece(word, orders[place], note="moved" * (place in moved))
            for place, word in enumerate(parts.hypothesis_words)
        ],
        theirs,
    ]
