"""Pairs of texts that take TER to its limits. They are the same on every machine.

The oracle needs seconds for some of them, so `oracle_scores.json` holds its edits. The kinds:

- `few_words`: up to 80 words of a vocabulary of 2 to 6, so that shifts abound and tie
- `noisy`: 100 to 400 words with changes and moved phrases: more candidates than are tried, paths along the beam's edge
- `beam`: distances just within, or just beyond, those that the beam always finds
- `unequal`: few words against many
- `huge`: thousands of words

`plain_distance` is the distance of the textbooks between two sequences, without beam and shifts.
"""

from __future__ import annotations

import hashlib
import random
from collections import namedtuple
from collections.abc import Sequence

Pair = namedtuple("Pair", "hypothesis reference")
# The seeds that pairs of each kind are drawn from. The last pairs of the first two kinds would have other edits if one
# more or one fewer candidate were tried; those of `beam`, if the full distance instead of the beam's were used where
# edits plus the difference of lengths are 50.
KINDS = {
    "few_words": (*range(160), 1080, 2860, 4687, 5704, 6862),
    "noisy": (*range(80), 691, 809, 427, 922, 2196),
    "beam": (*range(320), 1776, 4647, 10578, 13872, 17789, 20718, 25446),
    "unequal": tuple(range(160)),
    "huge": tuple(range(4)),
}


def pairs(kind: str) -> list[Pair]:
    """Return all pairs of a kind.

    >>> [len(side.split()) for side in pairs("beam")[0]]
    [87, 112]
    """
    draw = {"few_words": _few_words, "noisy": _noisy, "beam": _beam, "unequal": _unequal, "huge": _huge}[kind]
    drawn = (draw(random.Random(f"{kind} {number}"), number) for number in KINDS[kind])
    return [Pair(" ".join(hypothesis), " ".join(reference)) for hypothesis, reference in drawn]


def checksum() -> str:
    """Return the SHA-256 of all pairs. If it differs from the table's, so do the pairs."""
    lines = (f"{pair.hypothesis}\t{pair.reference}\n" for kind in KINDS for pair in pairs(kind))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


Words = list[str]


def _vocabulary(size: int) -> Words:
    return [f"w{number}" for number in range(size)]


def _few_words(dice: random.Random, number: int) -> tuple[Words, Words]:
    words = _vocabulary(2 + number % 5)
    return dice.choices(words, k=dice.randrange(81)), dice.choices(words, k=dice.randrange(81))


def _noisy(dice: random.Random, number: int) -> tuple[Words, Words]:
    vocabulary = _vocabulary((50, 300, 3000)[number % 3])
    reference = dice.choices(vocabulary, k=dice.randrange(100, 401))
    hypothesis = _substituted(dice, reference, dice.choice((0.05, 0.1, 0.3, 0.5)), vocabulary)
    for _ in range(len(reference) // dice.choice((15, 30, 60))):
        _move(dice, hypothesis, 30)
    for _ in range(dice.randrange(20)):
        del hypothesis[dice.randrange(len(hypothesis))]
    return hypothesis, reference


def _substituted(dice: random.Random, words: Sequence[str], share: float, vocabulary: Words) -> Words:
    return [dice.choice(vocabulary) if dice.random() < share else word for word in words]


def _move(dice: random.Random, words: Words, distance: int) -> None:
    """Move a phrase."""
    start = dice.randrange(len(words))
    phrase = words[start : start + dice.randrange(1, 12)]
    del words[start : start + len(phrase)]
    target = min(len(words), max(0, start + dice.randint(-distance, distance)))
    words[target:target] = phrase


def _beam(dice: random.Random, number: int) -> tuple[Words, Words]:
    """Insert phrases on both sides and substitute words; edits plus the difference of lengths are mostly 44 to 56.

    The first pair exceeds the bound by one: 25 insertions after the first of 87 words, for which the beam finds 28.
    """
    if number == 0:
        return _vocabulary(87), ["w0", *(f"x{word}" for word in range(25)), *_vocabulary(87)[1:]]
    shared = _vocabulary(dice.randrange(30, 200)) if number % 3 else dice.choices(_vocabulary(60), k=150)
    total = dice.randrange(44, 57)
    longer = dice.choice((total // 2, dice.randrange(total // 2 + 1)))
    shorter = dice.choice((0, 0, dice.randrange(longer + 1)))
    sides = [list(shared), list(shared)]
    for place in dice.sample(range(len(shared)), min(len(shared), total - 2 * longer)):
        sides[0][place] = f"s{place}"
    for side, size, mark in zip(sides, (shorter, longer), "yx", strict=True):
        place = dice.choice((0, 0, len(side), dice.randrange(len(side))))
        side[place:place] = [f"{mark}{word}" for word in range(size)]
    if number % 4 == 0:
        _move(dice, sides[0], 20)
    if number % 2:
        sides.reverse()
    return sides[0], sides[1]


def _unequal(dice: random.Random, number: int) -> tuple[Words, Words]:
    vocabulary = _vocabulary((3, 20, 200)[number % 3])
    sides = [dice.choices(vocabulary, k=dice.randrange(1, 8)), dice.choices(vocabulary, k=dice.randrange(40, 400))]
    if number % 2:
        sides.reverse()
    return sides[0], sides[1]


def _huge(dice: random.Random, number: int) -> tuple[Words, Words]:
    """Move a few phrases near the end of thousands of words; in odd pairs, change so many words that the beam matters.

    All but a few words are new, so that there are few candidates.
    """
    reference = _vocabulary(2600)
    for place in dice.sample(range(2600), 20):
        reference[place] = "the"
    hypothesis = list(reference)
    for place in dice.sample(range(2600), (5, 60)[number % 2]):
        hypothesis[place] = "a"
    for _ in range(3):
        tail = hypothesis[2000:]
        _move(dice, tail, 30)
        hypothesis[2000:] = tail
    return hypothesis, reference


def plain_distance(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the smallest number of insertions, deletions and substitutions that turn one sequence into the other."""
    above = list(range(len(right) + 1))
    for row, one in enumerate(left, 1):
        costs = [row]
        for column, other in enumerate(right, 1):
            costs.append(min(above[column - 1] + (one != other), above[column] + 1, costs[-1] + 1))
        above = costs
    return above[-1]
