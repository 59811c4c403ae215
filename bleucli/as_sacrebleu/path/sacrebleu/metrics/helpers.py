"""N-grams of words and characters, as counters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain


def extract_all_word_ngrams(line: str, min_order: int, max_order: int) -> tuple[Counter[tuple[str, ...]], int]:
    """Return the n-grams of all orders, as tuples of words, and the number of words."""
    words = line.split()
    orders = [zip(*[words[i:] for i in range(n)], strict=False) for n in range(min_order, max_order + 1)]
    return Counter(chain.from_iterable(orders)), len(words)


def extract_word_ngrams(tokens: Sequence[str], n: int) -> Counter[str]:
    """Return the n-grams of one order, as words with spaces between them."""
    return Counter(map(" ".join, zip(*[tokens[i:] for i in range(n)], strict=False)))


def extract_char_ngrams(line: str, n: int, include_whitespace: bool = False) -> Counter[str]:
    """Return the character n-grams of one order."""
    text = line if include_whitespace else "".join(line.split())
    return Counter([text[i : i + n] for i in range(len(text) - n + 1)])


def extract_all_char_ngrams(line: str, max_order: int, include_whitespace: bool = False) -> list[Counter[str]]:
    """Return the character n-grams of each order from 1 on."""
    text = line if include_whitespace else "".join(line.split())
    return [Counter([text[i : i + n] for i in range(len(text) - n + 1)]) for n in range(1, max_order + 1)]
