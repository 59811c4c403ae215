"""The registry of test sets: where each one is, which files hold its language pairs, and what to cite.

- `Registry`: all known test sets; `load` reads those of the package and those of the user
- `parse_test_set`: how facts, from JSON or TOML, become a record; errors name the key that is wrong
- `document_tags`, `packaged_path`: other data of the package

The facts about public test sets are in `registry.json`, next to this file. A test set is checked and becomes a record
only when it is used, so listing them is fast.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from bleucli import language_pairs
from bleucli.errors import BleuError
from bleucli.phrases import Turn, join_words, suggest
from bleucli.testsets import (
    DIGITS,
    JSON_LINES,
    PACKAGED,
    AllPairs,
    File,
    Items,
    Pair,
    Source,
    TestSet,
    cache,
    is_sum,
    is_web,
    last_component,
    local_path,
    problem_of,
)
from bleucli.testsets.cache import file_key, is_file_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn, TypeVar

    Kind = TypeVar("Kind")

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
        self._own: Collection[str] = ()  # the names of the user's test sets
        self._where = "registry.json"
        self._bibliography = bibliography
        self._own_bibliography: Mapping[str, str] = {}

    def add(self, own: Mapping[str, Any], bibliography: Mapping[str, str], where: str) -> None:
        """Add the test sets of a user's file."""
        for name, facts in own.items():
            if name in self:
                raise BleuError(f'{where}: testsets."{name}" is a public test set; give yours another name')
            if same := [one for one in self if one.lower() == name.lower()]:  # one folder on some disks
                raise BleuError(f'{where}: testsets."{name}" differs from {same[0]} only in case; give it another name')
            self._facts[name] = facts
        self._own, self._where, self._own_bibliography = own, where, bibliography

    def __iter__(self) -> Iterator[str]:
        return iter(self._facts)

    def __contains__(self, name: object) -> bool:
        return name in self._facts

    def __getitem__(self, name: str) -> TestSet:
        if name not in self._facts:
            listing = Turn("get_available_testsets()", "bleu --list")
            raise BleuError(f"there is no test set {name!r}; see ", listing, suggest(name, self))
        return parse_test_set(name, self._facts[name], self._where, packaged=name not in self._own)

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
        return str(self._facts[name].get("about", ""))

    def tell_verification(self, name: str) -> str:
        """Return what verifies the downloads of a known test set.

        >>> registry = load()
        >>> [registry.tell_verification(name) for name in ("wmt17", "flores200/dev", "wmt26", "demo")]
        ['MD5', 'SHA-256', 'first download', 'package']
        """
        sources = self._facts[name]["sources"]
        kinds = {"SHA-256" if one.get("sha256") else "MD5" if one.get("md5") else "first download" for one in sources}
        return " and ".join(sorted(kinds)) or "package"

    def pairs(self, name: str) -> Collection[str]:
        """Return the language pairs of a known test set."""
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
    """Read the registry; own: a TOML file with more test sets, None for the one that `BLEU_REGISTRY` names, if any."""
    facts = _read_once(_package_data, "registry.json")
    registry = Registry(facts["testsets"], facts["bibliography"])
    own = cache.registry() if own is None else own
    if own:
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


# --- from facts to records

_ITEM_KEYS = ("fields", "leave_out", "documents", "systems")
_SET_KEYS = (
    *("about", "format", "sources", "pairs", "languages", "files", "refs", "cite", "note", "segments"),
    *_ITEM_KEYS,
)
_SYSTEM_KEYS = ("url", "large", "names")
_SOURCE_KEYS = ("url", "sha256", "md5")
_PAIR_KEYS = ("files", "refs")
_FILE_KEYS = ("file", "source", "column", "field")
_NAME = re.compile(r"\w[\w.+-]*(/\w[\w.+-]*)*")
_LANGUAGE = "[A-Za-z]+(?:_[A-Za-z]+)*"
_PAIR = re.compile(f"{_LANGUAGE}-{_LANGUAGE}(-[A-Za-z0-9]+)*")
_WHOLE = re.compile(r"source:(\d{1,6})")
_FIELD = re.compile(r"[A-Za-z]\w*(:[\w.-]*)?")


class _Table:
    """A table, and where it stands, for errors."""

    def __init__(self, value: object, at: str, keys: Sequence[str]) -> None:
        if not isinstance(value, dict):
            _refuse(at, "a table", value)
        for key in value:
            if key not in keys:
                raise BleuError(f"{at}: unknown key {key!r}; expected {', '.join(keys)}{suggest(key, keys)}")
        self.values, self.at = value, at

    def get(self, key: str, kind: type[Kind], expected: str, default: Kind | None = None) -> Kind:
        value = self.values.get(key, default)
        if value is None:
            raise BleuError(f"{self.at}: the key {key} is missing; expected {expected}")
        if not isinstance(value, kind):
            _refuse(f"{self.at}.{key}", expected, value)
        return value

    def strings(self, key: str) -> list[str]:
        values = self.get(key, list, "a list of strings", default=[])
        for value in values:
            if not isinstance(value, str):
                _refuse(f"{self.at}.{key}", "a list of strings", value)
        return values

    def number(self, key: str) -> int:
        value = self.values.get(key)
        # Not isinstance, since a bool is an int
        if type(value) is not int or not 0 <= value < 1_000_000:
            _refuse(f"{self.at}.{key}", "a whole number, 0 or more", value)
        return value


def _refuse(at: str, expected: str, value: object) -> NoReturn:
    raise BleuError(f"{at}: expected {expected}, found {value!r}")


def parse_test_set(name: str, facts: object, where: str, packaged: bool) -> TestSet:
    """Return the record of a test set from facts as in `registry.json`; where: the file's name, for errors.

    packaged: whether it comes with the package; only then may its files be in the package.

    >>> facts = {"format": "plain", "sources": [{"url": "https://data.example/a.tgz"}]}
    >>> facts["pairs"] = {"en-de": {"files": ["a.en", "a.de"]}}
    >>> parse_test_set("acme/news", facts, "acme.toml", packaged=False).pairs["en-de"].files[1]
    File(source=0, member='a.de', column=0, field='')
    """
    at = f'{where}: testsets."{name}"'
    folders = name.lower().split("/")  # in the cache, where models are in `models`, and downloads in `raw`
    if not _NAME.fullmatch(name) or folders[0] == "models" or "raw" in folders:
        what = "a name of letters, digits and . _ + - in parts between slashes, none called raw, the first not models"
        _refuse(at, what, name)
    from bleucli.testsets.formats import FORMATS  # here, because listing test sets needs no readers

    table = _Table(facts, at, _SET_KEYS)
    kind = table.get("format", str, "a string")
    if kind not in (*FORMATS, JSON_LINES) and not (packaged and kind == PACKAGED):
        _refuse(f"{at}.format", f"one of {', '.join((*FORMATS, JSON_LINES))}", kind)
    if isinstance(table.values.get("pairs"), list):
        table.values = table.values | _spell_out(table)
    values = table.get("sources", list, "a list")
    sources = [_parse_source(value, f"{at}.sources[{number}]") for number, value in enumerate(values)]
    if not packaged:  # for test sets of the package, scripts/check_registry does this
        check_names_of_downloads(sources, at)
    items = _parse_items(table, kind)
    labels = table.strings("refs")
    records: Mapping[str, Pair]
    if "languages" in table.values:
        records = _parse_languages(table, kind, sources)
    else:
        records = _parse_pairs(table, kind, labels, sources)
    about = table.get("about", str, "a string", default="")
    segments = table.number("segments") if "segments" in table.values else None
    return TestSet(name, about, kind, sources, records, table.strings("cite"), segments, items)


def _spell_out(table: _Table) -> dict[str, Any]:
    """Return a table for each language pair, and the sources that these need, if pairs are only listed.

    In addresses and paths, the name of a pair takes the place of `{pair}`.
    """
    files = table.get("files", list, "a list of files, which all pairs have")
    templates = table.get("sources", list, "a list")
    sources: list[Any] = []
    pairs = {}
    for pair in table.strings("pairs"):
        numbers = []
        for template in templates:
            source = template
            if isinstance(template, dict) and isinstance(url := template.get("url"), str):
                source = template | {"url": url.replace("{pair}", pair)}
            if source not in sources:
                sources.append(source)
            numbers.append(sources.index(source))
        pairs[pair] = {"files": [_spell_out_file(file, pair, numbers) for file in files]}
    return {"pairs": pairs, "sources": sources}


def _spell_out_file(file: object, pair: str, numbers: Sequence[int]) -> object:
    if not isinstance(file, str):
        return file
    whole = _WHOLE.fullmatch(file)
    if whole and int(whole[1]) < len(numbers):
        return f"source:{numbers[int(whole[1])]}"
    return file.replace("{pair}", pair)


def _parse_items(table: _Table, kind: str) -> Items | None:
    """Return how the objects of JSON Lines hold the texts; None in other formats."""
    if kind != JSON_LINES:
        for key in _ITEM_KEYS:
            if key in table.values:
                raise BleuError(f"{table.at}: {key} is only for {JSON_LINES}, not for {kind}; leave {key} out")
        return None
    fields = table.get("fields", dict, "a table of fields and their paths in an object")
    for name, path in fields.items():
        if not isinstance(path, str) or not path or not _FIELD.fullmatch(name):
            expected = "a field such as src, ref, ref:A or docid, and its path in an object"
            _refuse(f"{table.at}.fields.{name}", expected, path)
    if "src" not in fields or not any(name.partition(":")[0] == "ref" for name in fields):
        _refuse(f"{table.at}.fields", "src, and ref or ref:LABEL", list(fields))
    documents = table.get("documents", bool, "true or false", default=False)
    leave_out = table.get("leave_out", str, "a path in an object", default="")
    items = Items(fields, leave_out, documents)
    return items if "systems" not in table.values else _parse_outputs(table, items)


def _parse_outputs(table: _Table, items: Items) -> Items:
    outputs = _Table(table.values["systems"], f"{table.at}.systems", _SYSTEM_KEYS)
    addresses = [outputs.get(key, str, "an address", default="") for key in ("url", "large")]
    for key, address in zip(("url", "large"), addresses, strict=True):
        if (key == "url" or address) and ("{system}" not in address or not is_web(address)):
            _refuse(f"{outputs.at}.{key}", "an https: address with {system} in it", address)
    systems = outputs.strings("names")
    if {"docid", "segid"}.isdisjoint(items.fields):
        _refuse(f"{table.at}.fields", "docid or segid, by which outputs are found", list(items.fields))
    for system in systems:
        if not is_file_name(system) or system in items.fields:
            _refuse(f"{outputs.at}.names", "names that can be those of files, and are not those of fields", system)
    return items._replace(outputs=addresses[0], large_outputs=addresses[1], systems=systems)


def _parse_pairs(table: _Table, kind: str, labels: Sequence[str], sources: Sequence[Source]) -> dict[str, Pair]:
    pairs = table.get("pairs", dict, "a table")
    at = f"{table.at}.pairs"
    if not pairs:
        _refuse(at, "at least one language pair", pairs)
    if len({pair.lower() for pair in pairs}) < len(pairs):
        _refuse(at, "pairs that differ in more than case", list(pairs))
    archives = _find_archives(pairs, len(sources))
    records = {}
    for pair, value in pairs.items():
        records[pair] = _parse_pair(pair, value, kind, labels, archives, f"{at}.{pair}")
        highest = max(records[pair].needed_sources())
        if kind != PACKAGED and highest >= len(sources):
            _refuse(f"{at}.{pair}.files", f"a source below {len(sources)}, the number of sources", highest)
    return records


def _parse_languages(table: _Table, kind: str, sources: Sequence[Source]) -> AllPairs:
    """Return the pairs of a set that has one file of plain text for each language, in one archive."""
    languages = table.strings("languages")
    if len(languages) < 2 or not all(re.fullmatch(_LANGUAGE, one) for one in languages):
        _refuse(f"{table.at}.languages", "at least two codes such as en, eng_Latn or zh_CN", languages)
    if len({code.lower() for code in languages}) < len(languages):
        _refuse(f"{table.at}.languages", "codes that differ in more than case", languages)
    if kind != "plain" or len(sources) != 1 or "pairs" in table.values:
        raise BleuError(f"{table.at}: languages needs the format plain and one source, an archive, and takes no pairs")
    path = table.get("files", str, "a path with {language} in it")
    if "{language}" not in path:
        _refuse(f"{table.at}.files", "a path with {language} in it", path)
    _check_member(path, f"{table.at}.files")
    return AllPairs(languages, path)


def _parse_source(value: object, at: str) -> Source:
    table = _Table(value, at, _SOURCE_KEYS)
    url = table.get("url", str, "an address")
    sums = {key: table.get(key, str, "hexadecimal digits", default="") for key in DIGITS}
    if problem := problem_of(url) if url else "expected an address":
        _refuse(f"{at}.url", problem.removeprefix("expected "), url)
    for key, digits in DIGITS.items():
        if key in table.values and not is_sum(key, sums[key]):
            _refuse(f"{at}.{key}", f"{digits} hexadecimal digits", sums[key])
    return Source(url, **sums)


def check_names_of_downloads(sources: Sequence[Source], at: str) -> None:
    """Refuse two downloads that would have the same name in the cache and on a mirror."""
    numbers: dict[str, int] = {}
    for number, source in enumerate(sources):
        name = last_component(source.url)
        if not name:
            _refuse(f"{at}.sources[{number}].url", "an address that ends in a file's name", source.url)
        if (first := numbers.setdefault(file_key(name), number)) != number:
            expected = f"an address whose last part, the name of the download, is not that of sources[{first}]"
            _refuse(f"{at}.sources[{number}].url", expected, name)


def _find_archives(pairs: Mapping[str, Any], sources: int) -> list[int]:
    """Return the numbers of the downloads that are archives: those that no pair uses directly."""
    direct = set()
    for pair in pairs.values():
        files = pair.get("files") if isinstance(pair, dict) else None
        for value in files if isinstance(files, list) else ():
            path = value.get("file") if isinstance(value, dict) else value
            if isinstance(path, str) and (whole := _WHOLE.fullmatch(path)):
                direct.add(int(whole[1]))
    return [number for number in range(sources) if number not in direct]


def _parse_pair(name: str, value: object, kind: str, labels: Sequence[str], archives: Sequence[int], at: str) -> Pair:
    from bleucli.testsets.formats import FORMATS

    if not _PAIR.fullmatch(name):
        _refuse(at, "a language pair of the form xx-YY", name)
    table = _Table(value, at, _PAIR_KEYS)
    values = table.get("files", list, "a list of files")
    files = [_parse_file(one, kind, archives, f"{at}.files[{number}]") for number, one in enumerate(values)]
    names_fields = kind in FORMATS and FORMATS[kind].names_fields
    is_whole = names_fields or kind == JSON_LINES
    if is_whole and len(files) != 1:
        _refuse(f"{at}.files", "one file", values)
    if not is_whole and len(files) < 2:
        _refuse(f"{at}.files", "the source and at least one reference", values)
    refs = table.strings("refs") or labels
    if names_fields and not refs:
        _refuse(f"{at}.refs", "the labels of the references to score, here or for the whole test set", refs)
    return Pair(files, refs)


def _parse_file(value: object, kind: str, archives: Sequence[int], at: str) -> File:
    table = _Table(value if isinstance(value, dict) else {"file": value}, at, _FILE_KEYS)
    path = table.values.get("file")
    if not isinstance(path, str) or not path:
        _refuse(at, "a path in an archive, or source:0 for the first download itself", path)
    whole = _WHOLE.fullmatch(path)
    for key, of, has_effect in (
        ("column", "tsv", kind == "tsv"),
        ("field", PACKAGED, kind == PACKAGED),
        ("source", "a file in an archive", not whole and kind != PACKAGED),
    ):
        if key in table.values and not has_effect:
            raise BleuError(f"{at}: {key} is only for {of}, not for {path!r} of the format {kind}; leave {key} out")
    column = table.number("column") if kind == "tsv" else 0
    if whole:
        return File(int(whole[1]), "", column)
    if kind == PACKAGED:
        return File(0, path, 0, table.get("field", str, "a field"))
    _check_member(path, at)
    if "source" in table.values:
        return File(table.number("source"), path, column)
    if not archives:
        raise BleuError(
            f"{at}: no download can be the archive of this file, since pairs use each download itself; add the archive"
            " to sources"
        )
    if len(archives) > 1:
        raise BleuError(
            f"{at}: {len(archives)} downloads are archives, any of which may hold the file; give the number of one,"
            " counted from 0: { file = ..., source = 0 }"
        )
    return File(archives[0], path, column)


def _check_member(path: str, at: str) -> None:
    if not {"", ".", ".."}.isdisjoint(path.split("/")) or any(one in "\\:" or one < " " for one in path):
        _refuse(at, "a path that stays inside the archive", path)


# --- the user's file


def read_registry(path: str) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    """Return the facts about test sets in a user's file, whose paths may be relative, and a bibliography by key."""
    from bleucli.reading import read_toml

    table = read_toml(path, "the registry ")
    unknown = [key for key in table if key not in ("testsets", "bibliography")]
    facts = table.get("testsets")
    if unknown or not isinstance(facts, dict) or not facts:
        what = f"found {unknown[0]!r}" if unknown else "there is none"
        raise BleuError(f'{path}: expected tables of the form [testsets."name"], {what}')
    folder = os.path.dirname(os.path.abspath(path))
    sets = {}
    records = [parse_test_set(name, values, path, packaged=False) for name, values in facts.items()]
    for name, values in facts.items():
        sources = [source | {"url": _make_absolute(source["url"], folder)} for source in values["sources"]]
        sets[name] = values | {"sources": sources}
    bibliography = table.get("bibliography", {})
    if not isinstance(bibliography, dict) or not all(isinstance(text, str) for text in bibliography.values()):
        raise BleuError(f"{path}: bibliography: expected a table of strings, found {bibliography!r}")
    for name, key in ((record.name, key) for record in records for key in record.cite):
        if key not in bibliography:
            at = f'{path}: testsets."{name}".cite'
            raise BleuError(f"{at}: there is no bibliography.{key}; add it, or remove {key} from cite")
    return sets, bibliography


def _make_absolute(address: str, folder: str) -> str:
    """Return an address that does not depend on the working directory.

    >>> _make_absolute("sets/a.tgz", "/data"), _make_absolute("https://data.example/a.tgz", "/data")
    ('/data/sets/a.tgz', 'https://data.example/a.tgz')
    """
    if is_web(address) or "://" in address or address.lower().startswith("file:"):
        return address
    return os.path.join(folder, os.path.expanduser(local_path(address)))
