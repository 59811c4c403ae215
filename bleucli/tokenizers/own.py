"""The caller's own tokenizer: a function, and the name that signatures have for it."""

from __future__ import annotations

from collections.abc import Callable

from bleucli.errors import SegmentError
from bleucli.text import Segments
from bleucli.tokenizers.base import OfLines


class OwnTokenizer(OfLines):
    """A tokenizer made from a function that takes and returns a string. It can be pickled if the function can.

    Args:
        function: returns a text with white space between its tokens; several threads may call it at once.
        name: the name of the tokenizer in signatures.

    >>> tokenizer = OwnTokenizer(lambda text: text.replace("-", " - "), "hyphens")
    >>> tokenizer.signature, tokenizer("well-known")
    ('hyphens', 'well - known')
    """

    def __init__(self, function: Callable[[str], str], name: str) -> None:
        self.signature = name
        self._function = function

    def tokenize(self, segments: Segments) -> Segments:
        """Return the texts tokenized by the function; missing ones stay missing, and equal ones are tokenized once.

        Raises:
            SegmentError: the function returned something other than a string, or text that UTF-8 cannot express.
        """
        tokens_of: dict[str | None, str | None] = {None: None}
        for number, text in enumerate(segments, 1):
            if text is not None and text not in tokens_of:
                tokens = self._function(text)
                if not isinstance(tokens, str):
                    raise SegmentError(
                        number,
                        f"was tokenized to a value of type {type(tokens).__name__} by {self.signature}; return a"
                        ' string with spaces between tokens, such as " ".join(tokens)',
                    )
                try:
                    str.encode(tokens)
                except UnicodeEncodeError:
                    raise SegmentError(
                        number, f"was tokenized to text with a lone surrogate by {self.signature}; return valid text"
                    ) from None
                tokens_of[text] = tokens
        return Segments.from_strings([tokens_of[text] for text in segments])
