"""N-grams of words and characters, as counters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def extract_all_word_ngrams(line: str, min_order: int, max_order: int) -> tuple[Counter[tuple[str, ...]], int]:
    """Return the n-grams of all orders, as tuples of words, and the number of words."""
    words = line.split()
    orders = range(min_order, max_order + 1)
    return Counter(tuple(words[i : i + n]) for n in orders for i in range(len(words) - n + 1)), len(words)


def extract_word_ngrams(tokens: Sequence[str], n: int) -> Counter[str]:
    """Return the n-grams of one order, as words with spaces between them."""
    return Counter(" ".join(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def extract_char_ngrams(line: str, n: int, include_whitespace: bool = False) -> Counter[str]:
    """Return the character n-grams of one order."""
    text = line if include_whitespace else "".join(line.split())
    return Counter(text[i : i + n] for i in range(len(text) - n + 1))


def extract_all_char_ngrams(line: str, max_order: int, include_whitespace: bool = False) -> list[Counter[str]]:
    """Return the character n-grams of each order from 1 on."""
    text = line if include_whitespace else "".join(line.split())
    return [Counter(text[i : i + n] for i in range(len(text) - n + 1)) for n in range(1, max_order + 1)]
