"""The `zh` tokenizer."""

from bleucli import kernels
from bleucli.segments import Segments


class Chinese:
    """`zh`: every Chinese character is a token, the rest is cut as 13a does.

    >>> list(Chinese().tokenize(Segments.from_strings(["我用AI，很好。"])))
    ['我 用 AI ， 很 好 。']
    """

    signature = "zh"

    def tokenize(self, segments: Segments) -> Segments:
        """Return the segments with characters and punctuation split off."""
        return kernels.tokenize_zh(segments)
