"""The systems and references that `scripts/parity` compares scores of."""

import os
import random
from collections import namedtuple
from functools import lru_cache

import oracles

SYSTEMS = {
    "wmt17.en-de": ("KIT", "LIUM-NMT", "PROMT-Rule-based", "SYSTRAN", "online-B", "uedin-nmt"),
    "wmt22.en-de": ("JDExploreAcademy", "Online-B", "Online-W", "OpenNMT"),
    "wmt22.en-zh": ("LanguageX", "Online-A", "Online-B"),
    "wmt22.en-ja": ("KYB", "NT5", "Online-B"),
    "wmt22.cs-uk": ("AMU", "HuaweiTSC", "Online-G"),
}
REFERENCES = {
    "wmt17.en-de": ("ref",),
    "wmt22.en-de": ("ref.A", "ref.B", "ref.A ref.B"),
    "wmt22.en-zh": ("ref.A", "ref.B", "ref.A ref.B"),
    "wmt22.en-ja": ("ref.A",),
    "wmt22.cs-uk": ("ref.A",),
}
# Behind the name of a reference: a part of its segments is missing
PARTLY = "?"
MISSING = 0.1

# A system and its references
Group = namedtuple("Group", "pair system references")


def groups(partly: bool = False) -> list[Group]:
    """Return each system with each choice of references, the slowest first; `partly`: also with some missing."""
    found = [
        Group(pair, system, references)
        for pair, choices in REFERENCES.items()
        for references in choices + ((f"{choices[-1]}{PARTLY}",) if partly and " " in choices[-1] else ())
        for system in SYSTEMS[pair]
    ]
    return sorted(found, key=lambda group: (-group.references.count(" "), group))


@lru_cache(maxsize=16)
def lines(folder: str, pair: str, name: str) -> list[str | None]:
    """Return the segments of a file of the data directory; with `PARTLY` behind its name, some of them."""
    found = oracles.read_lines(folder, pair, f"{name.removesuffix(PARTLY)}.txt")
    if not name.endswith(PARTLY):
        return found
    dice = random.Random(f"{pair} {name}")
    return [None if dice.random() < MISSING else text for text in found]


def texts(folder: str, group: Group) -> tuple[list[str], list[list[str | None]]]:
    """Return hypotheses and reference streams."""
    streams = [lines(folder, group.pair, name) for name in group.references.split()]
    return lines(folder, group.pair, group.system), streams


def share(group: Group, items: list, thorough: bool = False) -> list:
    """Return what falls to a system when each is taken by one system of its language pair; or all, if thorough."""
    systems = SYSTEMS[group.pair]
    return items if thorough else items[systems.index(group.system) :: len(systems)]


def first_reference(group: Group) -> bool:
    """Return whether a system is compared with the reference that there is for all."""
    return group.references == REFERENCES[group.pair][0]


def urgency(group: Group) -> tuple[bool, int]:
    """Return a key to sort by: first the reference that there is for all, of each language pair one system."""
    return not first_reference(group), SYSTEMS[group.pair].index(group.system)


def checksums(folder: str, chosen: list[Group]) -> dict[str, str]:
    """Return the SHA-256 of each file that some groups consist of."""
    names = {(pair, name) for pair, system, references in chosen for name in (system, *references.split())}
    paths = sorted({f"{pair}/{name.removesuffix(PARTLY)}.txt" for pair, name in names})
    return {path: oracles.sha256_of(os.path.join(folder, path)) for path in paths}
