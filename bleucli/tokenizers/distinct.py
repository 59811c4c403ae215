"""Tokenizers of other libraries, which take strings: called once for each distinct text."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bleucli.text import Segments


def tokenize_distinct(segments: Segments, tokenize: Callable[[list[str]], Iterable[str]]) -> Segments:
    """Return the texts tokenized by `tokenize`; missing ones stay missing, and equal ones are tokenized once.

    >>> list(tokenize_distinct(Segments.from_strings(["a b", None, "a b"]), lambda texts: [" ".join(t) for t in texts]))
    ['a   b', None, 'a   b']
    """
    texts = list(segments)
    distinct = [text for text in dict.fromkeys(texts) if text is not None]
    tokens: dict[str | None, str | None] = dict(zip(distinct, tokenize(distinct), strict=True))
    tokens[None] = None
    return Segments.from_strings([tokens[text] for text in texts])
