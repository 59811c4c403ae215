"""Tokenizers that take strings, those of other libraries and the caller's own: called once for each distinct text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from bleucli.errors import SegmentError
from bleucli.text import Segments
from bleucli.tokenizers.base import OfLines


def tokenize_distinct(segments: Segments, tokenize: Callable[[list[str]], Iterable[str]]) -> Segments:
    """Return the texts tokenized by `tokenize`; missing ones stay missing, and equal ones are tokenized once.

    >>> list(tokenize_distinct(Segments.from_strings(["a b", None, "a b"]), lambda texts: [" ".join(t) for t in texts]))
    ['a   b', None, 'a   b']
    """
    texts = list(segments)
    if len(texts) == 1 and None not in texts:  # scores of sentences call this once per text
        return Segments.from_strings(list(tokenize(texts)))  # type: ignore[arg-type]
    distinct = [text for text in dict.fromkeys(texts) if text is not None]
    tokens: dict[str | None, str | None] = dict(zip(distinct, tokenize(distinct), strict=True))
    tokens[None] = None
    return Segments.from_strings([tokens[text] for text in texts])


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

    def __call__(self, line: str) -> str:
        """Return a line tokenized by the function, which is asked each time: it may answer differently."""
        return self.split_line(line)

    def tokenize(self, segments: Segments) -> Segments:
        """Return the texts tokenized by the function."""

        def tokenize(texts: list[str]) -> Iterator[str]:
            for text in texts:
                tokens = self._function(text)
                try:
                    str.encode(tokens)
                except TypeError:
                    end = 'return a string with spaces between tokens, such as " ".join(tokens)'
                    what = f"a value of type {type(tokens).__name__} by {self.signature}; {end}"
                except UnicodeEncodeError:
                    what = f"text with a lone surrogate by {self.signature}; return valid text"
                else:
                    yield tokens
                    continue
                raise SegmentError(list(segments).index(text) + 1, f"was tokenized to {what}")

        return tokenize_distinct(segments, tokenize)
