"""Edits between word lists.

- `translation_edit_rate`: the number of edits, shifts included
- `BeamEditDistance`: edits without shifts, and their trace: one letter for each operation
- `trace_to_alignment`: which words a trace aligns, and which it changes
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from bleucli import kernels
from bleucli.errors import UsageError
from bleucli.kernels import python_edits
from bleucli.kernels.python_edits import DELETION, INSERTION, MATCH, SUBSTITUTION
from bleucli.text import Segments

_COST_INS = _COST_DEL = _COST_SUB = 1
_OP_INS, _OP_DEL, _OP_NOP, _OP_SUB, _OP_UNDEF = "i", "d", " ", "s", "x"
_FLIP_OPS = str.maketrans(_OP_INS + _OP_DEL, _OP_DEL + _OP_INS)
_MAX_SHIFT_SIZE = python_edits.MAX_SHIFT_SIZE
_MAX_SHIFT_DIST = python_edits.MAX_SHIFT_DISTANCE
_MAX_SHIFT_CANDIDATES = python_edits.MAX_CANDIDATES
_BEAM_WIDTH = python_edits.BEAM_WIDTH
_LETTERS = {MATCH: _OP_NOP, SUBSTITUTION: _OP_SUB, DELETION: _OP_DEL, INSERTION: _OP_INS}
_OPERATIONS = {letter: operation for operation, letter in _LETTERS.items()}


def translation_edit_rate(words_hyp: Sequence[str], words_ref: Sequence[str]) -> tuple[int, int]:
    """Return the number of edits, shifts included, and the length of the reference."""
    texts = [Segments.from_strings([" ".join(words)]) for words in (words_hyp, words_ref)]
    edits, _ = kernels.ter_stats(texts[0], texts[1:])[0]
    return int(edits), len(words_ref)


class BeamEditDistance:
    """The edits, without shifts, that turn texts into a reference; only operations near the diagonal are considered.

    Args:
        words_ref: the words of the reference.
    """

    def __init__(self, words_ref: Sequence[str]) -> None:
        self._words_ref = words_ref
        # By the words of a text: programs that look for shifts ask for the same ones again
        self._answers: dict[tuple[str, ...], tuple[int, str]] = {}

    def __call__(self, words_hyp: Sequence[str]) -> tuple[int, str]:
        """Return the number of edits, and their trace: a blank for a match, else `s`, `d` or `i`.

        `d` deletes a word of the text, `i` inserts one of the reference, and `s` replaces a word.
        """
        words = tuple(words_hyp)
        if words not in self._answers:
            edits, operations = python_edits.beam_distance(words_hyp, self._words_ref)
            self._answers[words] = edits, "".join([_LETTERS[operation] for operation in operations])
        return self._answers[words]


def trace_to_alignment(trace: str) -> tuple[dict[int, int], list[int], list[int]]:
    """Return the alignment of a trace that turns the reference into the text, as `_flip_trace` makes it.

    Returns:
        For each word of the reference, the word that it is aligned with, or the last one before (-1 if there is
            none); for each word of the reference, 1 if it is changed and 0 if not; the same for the words of the text.

    Raises:
        UsageError: the trace has an unknown letter.
    """
    if unknown := set(trace).difference(_OPERATIONS):
        raise UsageError(f"unknown operation {min(unknown)!r} in a trace; expected {', '.join(map(repr, _OPERATIONS))}")
    operations = [_OPERATIONS[letter] for letter in _flip_trace(trace)]
    aligned, text_errors, reference_errors = python_edits._alignment(operations)
    return dict(enumerate(aligned)), list(map(int, reference_errors)), list(map(int, text_errors))


def _flip_trace(trace: str) -> str:
    """Return the trace of the opposite direction."""
    return trace.translate(_FLIP_OPS)


def _find_shifted_pairs(words_h: Sequence[str], words_r: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Give each phrase that both texts have: its start in each text, and its size."""
    return python_edits._common_phrases(words_h, words_r)


def _perform_shift(words: list[str], start: int, length: int, target: int) -> list[str]:
    """Return the words with a phrase moved to the target."""
    return python_edits.shift_words(words, start, length, target)


def _shift(
    words_h: list[str],
    words_r: Sequence[str],
    cached_ed: Callable[[Sequence[str]], tuple[int, str]],
    checked_candidates: int,
) -> tuple[int, list[str], int]:
    """Find the shift after which the fewest edits remain.

    Returns:
        How many edits it saves, 0 if no shift saves any; the words after it; and the number of shifts that were tried,
            added to `checked_candidates`.
    """
    edits, trace = cached_ed(words_h)
    operations = [_OPERATIONS[letter] for letter in trace]
    best, best_words = (0, 0, 0, 0), words_h
    for size, start, target, words in python_edits._candidates(words_h, words_r, operations):
        if size:
            checked_candidates += 1
            gain = edits - cached_ed(words)[0]
            if (gain, size, -start, -target) > best:
                best, best_words = (gain, size, -start, -target), words
        elif checked_candidates >= _MAX_SHIFT_CANDIDATES:
            break
    return best[0], best_words, checked_candidates
