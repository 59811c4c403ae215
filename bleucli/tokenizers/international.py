"""The `intl` tokenizer."""

from __future__ import annotations

from bleucli import kernels
from bleucli.segments import Segments
from bleucli.tokenizers.base import OfLines


class International(OfLines):
    """`intl`: mimics mteval-v14's international tokenization, with the character classes of the `regex` package.

    >>> list(International().tokenize(Segments.from_strings(["«Ja», 5% von $5"])))
    ['« Ja » , 5 % von $ 5']
    """

    signature = "intl"

    def __init__(self) -> None:
        # One byte per code point: asking `regex` once for each new character is much faster than for each text
        self._classes = bytearray(kernels.CODE_POINTS)
        self._known = bytearray(kernels.CODE_POINTS)

    def __reduce__(self) -> tuple[type[International], tuple[()]]:
        return International, ()  # the tables are filled again

    def tokenize(self, segments: Segments) -> Segments:
        """Return the segments with punctuation and symbols split off."""
        characters = kernels.distinct_characters(segments)
        unknown = "".join([character for character in characters if not self._known[ord(character)]])
        if unknown:  # look up characters that are new
            import regex

            for value, pattern in ((1, r"\p{N}"), (2, r"\p{P}"), (3, r"\p{S}")):
                for character in regex.findall(pattern, unknown):
                    self._classes[ord(character)] = value
            # Only now: as soon as a character is known, another thread may use its class
            for character in unknown:
                self._known[ord(character)] = 1
        return kernels.tokenize_intl(segments, self._classes)
