"""The registry of test sets: where each one is, which files hold its language pairs, and what to cite.

- `Registry`: all known test sets; `load` reads those of the package and those of the user
- `document_tags`, `packaged_path`: other data of the package

The facts about public test sets are in `registry.json`, next to this file. A test set is checked and becomes a record
only when it is used, so listing them is fast.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from bleucli import language_pairs
from bleucli.errors import BleuError
from bleucli.phrases import Turn, join_words, suggest
from bleucli.testsets import cache
from bleucli.testsets.formats import AllPairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from bleucli.testsets.formats import Pair, TestSet

_HERE = os.path.dirname(os.path.abspath(__file__))


class Registry:
    """All known test sets, by name.

    >>> registry = load()
    >>> len(list(registry)), "wmt14/full" in registry
    (75, True)
    >>> registry["wmt14/full"].sources[0].md5
    'a8cd784e006feb32ac6f3d9ec7eb389a'
    """

    def __init__(self, facts: Mapping[str, Any], bibliography: Mapping[str, str]) -> None:
        self._facts = dict(facts)
        self._own: dict[str, TestSet] = {}
        self._bibliography = bibliography
        self._own_bibliography: Mapping[str, str] = {}

    def add(self, own: Sequence[TestSet], bibliography: Mapping[str, str], where: str) -> None:
        """Add the test sets of a user's file."""
        for test_set in own:
            if test_set.name in self:
                raise BleuError(f'{where}: testsets."{test_set.name}" is a public test set; give yours another name')
            if same := [name for name in self if name.lower() == test_set.name.lower()]:  # one folder on some disks
                raise BleuError(
                    f'{where}: testsets."{test_set.name}" differs from {same[0]} only in case; give it another name'
                )
            self._own[test_set.name] = test_set
        self._own_bibliography = bibliography

    def __iter__(self) -> Iterator[str]:
        yield from self._facts
        yield from self._own

    def __contains__(self, name: object) -> bool:
        return name in self._facts or name in self._own

    def __getitem__(self, name: str) -> TestSet:
        """Return a test set."""
        if name in self._own:
            return self._own[name]
        if name not in self._facts:
            listing = Turn("get_available_testsets()", "bleu --list")
            raise BleuError(f"there is no test set {name!r}; see ", listing, suggest(name, self))
        from bleucli.testsets.facts import parse_test_set

        return parse_test_set(name, self._facts[name], "registry.json", packaged=True)

    def pair(self, name: str, pair: str) -> tuple[TestSet, Pair]:
        """Return a test set and one of its language pairs."""
        test_set = self[name]
        if pair not in test_set.pairs:
            alike = self._find_alike(name, pair)
            if len(alike) > 1:
                raise BleuError(f"the test set {name} has {join_words(alike)}; name one of them instead of {pair}")
            similar = "" if self.is_large(name) else suggest(pair, test_set.pairs)
            is_brief = not similar and (len(test_set.pairs) < 9 or self.is_large(name))
            pairs = f"; it has {self.tell_pairs(name)}" if is_brief else ""
            listing = Turn(f"get_langpairs_for_testset({name!r})", f"bleu --list -t {name}")
            raise BleuError(f"the test set {name} has no language pair {pair!r}{pairs}; see ", listing, similar)
        return test_set, test_set.pairs[pair]

    def spell_pair(self, name: str, pair: str) -> str:
        """Return a language pair as a test set spells it; the pair itself if there is none, or several may be meant.

        >>> load().spell_pair("demo", "eng_Latn-de_DE"), load().spell_pair("demo", "en-fr")
        ('en-de', 'en-fr')
        """
        if name not in self or pair in self.pairs(name):
            return pair
        alike = self._find_alike(name, pair)
        return alike[0] if len(alike) == 1 else pair

    def _find_alike(self, name: str, pair: str) -> list[str]:
        pairs = self.pairs(name)
        return language_pairs.find_alike(pair, pairs.near(pair) if isinstance(pairs, AllPairs) else pairs)

    def about(self, name: str) -> str:
        """Return a description of a known test set in one line."""
        return self._own[name].about if name in self._own else str(self._facts[name]["about"])

    def tell_verification(self, name: str) -> str:
        """Return what verifies the downloads of a known test set.

        >>> registry = load()
        >>> [registry.tell_verification(name) for name in ("wmt17", "flores200/dev", "wmt26", "demo")]
        ['MD5', 'SHA-256', 'first download', 'package']
        """
        if name in self._own:
            sources = [source._asdict() for source in self._own[name].sources]
        else:
            sources = self._facts[name]["sources"]
        kinds = {"SHA-256" if one.get("sha256") else "MD5" if one.get("md5") else "first download" for one in sources}
        return " and ".join(sorted(kinds)) or "package"

    def pairs(self, name: str) -> Collection[str]:
        """Return the language pairs of a known test set."""
        if name in self._own:
            return self._own[name].pairs
        facts = self._facts[name]
        pairs: Collection[str] = AllPairs(facts["languages"], "") if "languages" in facts else facts["pairs"]
        return pairs

    def is_large(self, name: str) -> bool:
        """Return whether a known test set has a pair of every two languages, too many to list."""
        return isinstance(self.pairs(name), AllPairs)

    def tell_pairs(self, name: str) -> str:
        """Return the language pairs of a known test set in words.

        >>> load().tell_pairs("wmt20/tworefs"), load().tell_pairs("flores200/dev")
        ('de-en, en-de, en-zh, ru-en, zh-en', '41412 pairs of 204 languages, such as ace_Arab-ace_Latn')
        """
        pairs = self.pairs(name)
        if isinstance(pairs, AllPairs):
            return f"{len(pairs)} pairs of {len(pairs.languages)} languages, such as {next(iter(pairs))}"
        return ", ".join(pairs)

    def pairs_to_download(self, name: str) -> Collection[str]:
        """Return the language pairs of a known test set, unless they are too many to make files for all of them."""
        if self.is_large(name):
            raise BleuError(f"{name} has {self.tell_pairs(name)}; name one with ", Turn("langpair='...'", "-l"))
        return self.pairs(name)

    def with_pair(self, *pairs: str) -> list[str]:
        """Return the test sets that have any of the language pairs, in any spelling."""
        return [
            name for name in self if any(pair in self.pairs(name) or self._find_alike(name, pair) for pair in pairs)
        ]

    def in_either_direction(self, pair: str) -> list[str]:
        """Return the test sets that have a language pair or its reverse, in any spelling."""
        source, target = language_pairs.split(pair) or pair.partition("-")[::2]
        return self.with_pair(pair, f"{target}-{source}")

    def citation(self, name: str) -> str:
        """Return what to cite for a test set, as BibTeX; "" if that is not known."""
        # The user's keys may be the same as public ones
        entries = self._own_bibliography if name in self._own else self._bibliography
        return "\n\n".join(entries[key].strip() for key in self[name].cite)


def load(own: str | None = None) -> Registry:
    """Read the registry.

    Args:
        own: a TOML file with more test sets; None for the one that `BLEU_REGISTRY` names, if any.
    """
    facts = _read_once(_package_data, "registry.json")
    registry = Registry(facts["testsets"], facts["bibliography"])
    own = cache.registry() if own is None else own
    if own:
        from bleucli.testsets.facts import read_registry

        registry.add(*read_registry(own), where=own)
    return registry


def document_tags(name: str) -> Mapping[str, str]:
    """Return the tags of a test set's documents, `COUNTRY-domain[-detail]`; empty if it has none.

    >>> document_tags("wmt18")["rt.com.68098"]
    'US-crime'
    """
    tags: Mapping[str, str] = _read_once(_package_data, "document_tags.json").get(name, {})
    return tags


def packaged_path(name: str) -> str:
    """Return the path of a packaged file of the demo set."""
    return os.path.join(_HERE, "demo", name)


# Reading takes a millisecond, and programs ask for test sets in loops
@lru_cache(maxsize=2)
def _read_once(read: Callable[[str], Any], name: str) -> Any:
    return read(name)


def _package_data(name: str) -> Any:
    import json

    with open(os.path.join(_HERE, name), encoding="utf-8") as file:
        return json.load(file)
