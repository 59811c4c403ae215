"""The tokenizers that are a kernel each."""

from collections.abc import Callable

from bleucli import kernels
from bleucli.segments import Segments
from bleucli.tokenizers.lines import OfLines


class KernelTokenizer(OfLines):
    """`13a`, `zh` and `char`: what each does, the kernel of that name says.

    >>> list(KernelTokenizer("13a").tokenize(Segments.from_strings(["It costs $5.00 (net)."])))
    ['It costs $ 5.00 ( net ) .']
    >>> list(KernelTokenizer("zh").tokenize(Segments.from_strings(["我用AI，很好。"])))
    ['我 用 AI ， 很 好 。']
    >>> list(KernelTokenizer("char").tokenize(Segments.from_strings(["東京"])))
    ['東 京']
    """

    def __init__(self, name: str) -> None:
        self.signature = name
        self._tokenize: Callable[[Segments], Segments] = getattr(kernels, f"tokenize_{name}")

    def tokenize(self, segments: Segments) -> Segments:
        """Return the segments with a space between tokens; missing ones stay missing."""
        return self._tokenize(segments)

    def __reduce__(self) -> "tuple[type[KernelTokenizer], tuple[str]]":
        return KernelTokenizer, (self.signature,)  # where it arrives, other kernels may be live
