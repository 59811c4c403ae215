"""The tokenizers of NIST's mteval script."""

from bleucli import kernels
from bleucli.segments import Segments


class Mteval13a:
    """`13a`, the default: mimics mteval-v13a, as the WMT campaigns use it.

    >>> list(Mteval13a().tokenize(Segments.from_strings(["It costs $5.00 (net)."])))
    ['It costs $ 5.00 ( net ) .']
    """

    signature = "13a"

    def tokenize(self, segments: Segments) -> Segments:
        """Return the segments with punctuation split off."""
        return kernels.tokenize_13a(segments)
