"""The `char` tokenizer."""

from bleucli import kernels
from bleucli.segments import Segments


class Characters:
    """Every code point is a token.

    >>> list(Characters().tokenize(Segments.from_strings(["東京"])))
    ['東 京']
    """

    signature = "char"

    def tokenize(self, segments: Segments) -> Segments:
        """Return the segments with a space between every two code points."""
        return kernels.tokenize_char(segments)
