"""The systems and references whose scores `scripts/parity` compares."""

from __future__ import annotations

import random
from collections import namedtuple
from functools import lru_cache

from evaluation_data import CORPORA, present, read_lines

SYSTEMS = {pair: corpus.systems for pair, corpus in CORPORA.items()}
# Each reference alone, and all together
REFERENCES = {pair: (*names, *([" ".join(names)] if len(names) > 1 else [])) for pair, (names, _) in CORPORA.items()}
# A suffix to the name of a reference: a part of its segments is missing
PARTLY = "?"
MISSING = 0.1

# A system and its references
Group = namedtuple("Group", "pair system references")


def groups(folder: str, partly: bool = False) -> list[Group]:
    """Return each system with each choice of references, the slowest first; `partly`: also with segments missing."""
    found = [
        Group(pair, system, references)
        for pair in present(folder)
        for references in choices_of_references(pair, partly)
        for system in SYSTEMS[pair]
    ]
    return sorted(found, key=lambda group: (-group.references.count(" "), group))


def choices_of_references(pair: str, partly: bool) -> tuple[str, ...]:
    """Return the references of a language pair, each alone and all together; `partly`: also with segments missing."""
    choices = REFERENCES[pair]
    return (*choices, f"{choices[-1]}{PARTLY}") if partly and " " in choices[-1] else choices


@lru_cache(maxsize=16)
def lines(folder: str, pair: str, name: str) -> list[str | None]:
    """Return the segments of a file in the data directory; with `PARTLY` after its name, only some of them."""
    found = read_lines(folder, pair, f"{name.removesuffix(PARTLY)}.txt")
    if not name.endswith(PARTLY):
        return found
    dice = random.Random(f"{pair} {name}")
    return [None if dice.random() < MISSING else text for text in found]


def texts(folder: str, group: Group) -> tuple[list[str], list[list[str | None]]]:
    """Return hypotheses and reference streams."""
    streams = [lines(folder, group.pair, name) for name in group.references.split()]
    return lines(folder, group.pair, group.system), streams


def share(group: Group, items: list, thorough: bool = False) -> list:
    """Return a system's share of items that are divided among the systems of a language pair; all, if `thorough`."""
    systems = SYSTEMS[group.pair]
    return items if thorough else items[systems.index(group.system) :: len(systems)]


def first_reference(group: Group) -> bool:
    """Return whether a system is compared with the reference that all systems have."""
    return group.references == REFERENCES[group.pair][0]


def urgency(group: Group) -> tuple[bool, int]:
    """Return a sort key: the reference that all systems have comes first, and the language pairs take turns."""
    return not first_reference(group), SYSTEMS[group.pair].index(group.system)


def files_of(group: Group) -> list[str]:
    """Return the paths of the files that a group consists of, below the folder of the data."""
    names = (group.system, *group.references.split())
    return [f"{group.pair}/{name.removesuffix(PARTLY)}.txt" for name in names]
