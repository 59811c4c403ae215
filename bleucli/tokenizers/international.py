"""The `intl` tokenizer."""

from __future__ import annotations

from bleucli import kernels
from bleucli.text import Segments
from bleucli.tokenizers.base import OfLines

# One byte per code point, 0 until its character first occurs. What Unicode says of a character is the same for all
# tokenizers, so they share one table: a sentence then needs neither a new table nor, as a rule, a new look-up.
_CLASSES = bytearray(kernels.CODE_POINTS)
_PATTERNS = ((1, r"\p{N}"), (2, r"\p{P}"), (3, r"\p{S}"))
_OTHER = 4


class International(OfLines):
    """`intl`: mimics mteval-v14's international tokenization, with the character classes of the `regex` package.

    >>> list(International().tokenize(Segments.from_strings(["«Ja», 5% von $5"])))
    ['« Ja » , 5 % von $ 5']
    """

    signature = "intl"

    def tokenize(self, segments: Segments) -> Segments:
        """Return the segments with punctuation and symbols split off."""
        if characters := kernels.unclassified_characters(segments, _CLASSES):
            # Asking `regex` once for each character is much faster than for each text
            import regex

            classes = dict.fromkeys(characters, _OTHER)
            for value, pattern in _PATTERNS:
                classes.update(dict.fromkeys(regex.findall(pattern, characters), value))
            # Each byte changes once, from 0 to its final value: other threads see that one, or none, and look it up
            for character, value in classes.items():
                _CLASSES[ord(character)] = value
        return kernels.tokenize_intl(segments, _CLASSES)
