"""Phrases that messages are made of.

- `tell_count`: a number with its noun
- `join_words`: words with commas and "and" or "or"
- `tell_ids`: how many ids there are, and the first of them
- `list_names`: the first of many names
- `tell_orders`, `list_orders`: the n-grams of some orders, in a sentence and in a list
- `tell_ragged`: what is wrong with a row of a table
- `Turn`, `tell_place`: parts that Python and the command word differently; `in_command`: the wording of the command
- `suggest`: the known names that are most like an unknown one
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Self

# The most ids that a message names, and the most characters of each
SHOWN_IDS, SHOWN_CHARACTERS = 3, 80
# The most names of columns and systems that a message lists, and the most characters of each
_SHOWN_NAMES, _SHOWN_LETTERS = 9, 40
# Follows every index in messages of Python
COUNTED = " (counting from 0)"


def tell_count(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun.

    Args:
        count: how many there are.
        noun: its singular.
        plural: its plural; "" if that only adds an s.

    >>> tell_count(1, "segment"), tell_count(0, "segment"), tell_count(2, "hypothesis", "hypotheses")
    ('1 segment', '0 segments', '2 hypotheses')
    """
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"


def join_words(words: Sequence[str], before_last: str = "and") -> str:
    """Return words as an enumeration.

    >>> join_words(["BLEU", "chrF2", "TER"]), join_words(["BLEU"]), join_words(["1", "2"], "or")
    ('BLEU, chrF2 and TER', 'BLEU', '1 or 2')
    """
    *first, last = words
    return f"{', '.join(first)} {before_last} {last}" if first else last


def tell_ids(ids: Iterable[str]) -> str:
    """Return how many ids there are, and the first of them.

    >>> tell_ids(["a", "b", "c", "d", "e/1"])
    "5 ids ('a', 'b', 'c' and 2 more)"
    """
    texts = list(ids)
    names = [repr(one[:SHOWN_CHARACTERS]) for one in texts[:SHOWN_IDS]]
    if len(texts) == 1:
        return f"the id {names[0]}"
    more = len(texts) - len(names)
    return f"{tell_count(len(texts), 'id')} ({', '.join(names)}{f' and {more} more' if more else ''})"


def list_names(names: Iterable[str]) -> str:
    """Return the first names, each cut if it is long: files may have thousands of columns, or a text in place of one.

    >>> list_names("abcdefghij"), list_names(["src", "It was a bright cold day in April, and the clocks"])
    ('a, b, c, d, e, f, g, h, i, ...', 'src, It was a bright cold day in April, and t...')
    """
    texts = list(names)
    first = [name[:_SHOWN_LETTERS] + "..." * (len(name) > _SHOWN_LETTERS) for name in texts[:_SHOWN_NAMES]]
    return ", ".join(first) + ", ..." * (len(texts) > _SHOWN_NAMES)


def tell_ragged(label: str, row: int, cells: int, columns: int) -> str:
    """Return what is wrong with a row of a table, counted from 1, that has more or fewer cells than the first one.

    >>> tell_ragged("a.csv", 3, 1, 2)
    'a.csv, row 3 has 1 cell, but the first row has 2; give each row a cell for each column'
    """
    has = tell_count(cells, "cell")
    return f"{label}, row {row} has {has}, but the first row has {columns}; give each row a cell for each column"


class Turn(str):
    """A part of a message that Python and the command word differently.

    >>> turn = Turn("keep_rows=True", "bleu count")
    >>> turn, turn.command
    ('keep_rows=True', 'bleu count')
    """

    command: str

    def __new__(cls, python: str, command: str = "") -> Self:
        """Make a string with the wording of Python, which keeps that of the command."""
        turn = super().__new__(cls, python)
        turn.command = command
        return turn


def tell_place(noun: str, index: int, last: int | None = None) -> Turn:
    """Return a noun with its number, such as a segment's, or with the first and the last number of several.

    Python counts from 0, and says so; the command counts from 1, as editors count lines.

    >>> tell_place("segment", 4), tell_place("segment", 4).command, tell_place("segments", 4, 6).command
    ('segment 4 (counting from 0)', 'segment 5', 'segments 5 to 7')
    """
    upto = ("", "") if last is None else (f" to {last}", f" to {last + 1}")
    return Turn(f"{noun} {index}{upto[0]}{COUNTED}", f"{noun} {index + 1}{upto[1]}")


def in_command(text: str) -> str:
    """Return a text, or a part of one, in the wording of the command.

    >>> in_command(Turn("jobs=2", "-J 2")), in_command("any other text")
    ('-J 2', 'any other text')
    """
    return text.command if isinstance(text, Turn) else text


def suggest(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the known names that are most like it, or "".

    Case and the hyphens of options do not count.

    >>> suggest("wmt1", ["wmt14", "wmt15", "mtedx/test"]), suggest("--hlep", ["--help", "--list"])
    ('; did you mean wmt15 or wmt14?', '; did you mean --help?')
    >>> suggest("x", ["src"])
    ''
    """
    from difflib import get_close_matches

    folded = {one.lower().lstrip("-"): one for one in known}
    matches = [folded[one] for one in get_close_matches(name.lower().lstrip("-"), folded)]
    return f"; did you mean {' or '.join(matches)}?" if matches else ""


def tell_orders(order: str, units: str) -> str:
    """Return which n-grams are used.

    >>> tell_orders("4", "tokens"), tell_orders("1", "words")
    ('n-grams of up to 4 tokens', 'single words')
    """
    return f"single {units}" if order == "1" else f"n-grams of up to {order} {units}"


def list_orders(order: str, unit: str) -> str:
    """Return how long n-grams are.

    >>> list_orders("4", "token"), list_orders("1", "word")
    ('of 1 to 4 tokens', 'of 1 word')
    """
    return f"of 1 {unit}" if order == "1" else f"of 1 to {order} {unit}s"
