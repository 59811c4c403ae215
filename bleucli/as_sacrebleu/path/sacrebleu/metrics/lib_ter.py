"""Edits between word lists."""

from __future__ import annotations

from collections.abc import Sequence

from bleucli import kernels
from bleucli.segments import Segments


def translation_edit_rate(words_hyp: Sequence[str], words_ref: Sequence[str]) -> tuple[int, int]:
    """Return the number of edits, shifts included, and the length of the reference."""
    texts = [Segments.from_strings([" ".join(words)]) for words in (words_hyp, words_ref)]
    edits, _ = kernels.ter_stats(texts[0], texts[1:])[0]
    return int(edits), len(words_ref)
