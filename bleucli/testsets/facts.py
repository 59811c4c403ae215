"""Turn the facts about test sets, from JSON or TOML, into records; errors name the key that is wrong.

- `parse_test_set`: one test set
- `read_registry`: those of a user's TOML file, which has the same facts as `registry.json`
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from bleucli.errors import BleuError
from bleucli.phrases import suggest
from bleucli.testsets.cache import file_key
from bleucli.testsets.formats import FORMATS, PACKAGED, File, Pair, TestSet
from bleucli.testsets.sources import DIGITS, Source, is_sum, is_web, last_component, local_path, problem_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn, TypeVar

    Kind = TypeVar("Kind")

_SET_KEYS = ("about", "format", "sources", "pairs", "refs", "cite", "note", "segments")
_SOURCE_KEYS = ("url", "sha256", "md5")
_PAIR_KEYS = ("files", "refs")
_FILE_KEYS = ("file", "source", "column", "field")
_NAME = re.compile(r"\w[\w.+-]*(/\w[\w.+-]*)*")
_PAIR = re.compile(r"[A-Za-z]+-[A-Za-z]+(-[A-Za-z0-9]+)*")
_WHOLE = re.compile(r"source:(\d{1,6})")


def parse_test_set(name: str, facts: object, where: str, packaged: bool) -> TestSet:
    """Return the record of a test set.

    Args:
        name: the name of the test set.
        facts: as in `registry.json`.
        where: the file's name, for errors.
        packaged: whether it comes with the package; only then may its files be in the package.

    Raises:
        BleuError: a key is missing or unknown, or has an invalid value.

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
    table = _expect_table(facts, at, _SET_KEYS)
    kind = _expect(table, "format", str, at, "a string")
    if kind not in FORMATS and not (packaged and kind == PACKAGED):
        _refuse(f"{at}.format", f"one of {', '.join(FORMATS)}", kind)
    listed = _expect(table, "sources", list, at, "a list")
    sources = [_parse_source(one, f"{at}.sources[{number}]") for number, one in enumerate(listed)]
    if not packaged:  # for test sets of the package, scripts/check_registry does this
        check_names_of_downloads(sources, at)
    pairs = _expect(table, "pairs", dict, at, "a table")
    if not pairs:
        _refuse(f"{at}.pairs", "at least one language pair", pairs)
    if len({pair.lower() for pair in pairs}) < len(pairs):
        _refuse(f"{at}.pairs", "pairs that differ in more than case", list(pairs))
    labels = _expect_strings(table, "refs", at)
    archives = _find_archives(pairs, len(sources))
    records = {}
    for pair, value in pairs.items():
        found = records[pair] = _parse_pair(pair, value, kind, labels, archives, f"{at}.pairs.{pair}")
        highest = max(found.needed_sources())
        if kind != PACKAGED and highest >= len(sources):
            _refuse(f"{at}.pairs.{pair}.files", f"a source below {len(sources)}, the number of sources", highest)
    about = _expect(table, "about", str, at, "a string", default="")
    segments = _expect_number(table, "segments", at) if "segments" in table else None
    return TestSet(name, about, kind, sources, records, _expect_strings(table, "cite", at), segments)


def _refuse(at: str, expected: str, found: object) -> NoReturn:
    raise BleuError(f"{at}: expected {expected}, found {found!r}")


def _expect_table(value: object, at: str, keys: Sequence[str]) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        _refuse(at, "a table", value)
    for key in value:
        if key not in keys:
            raise BleuError(f"{at}: unknown key {key!r}; expected {', '.join(keys)}{suggest(key, keys)}")
    return value


def _expect(
    table: Mapping[str, Any], key: str, kind: type[Kind], at: str, what: str, default: Kind | None = None
) -> Kind:
    value = table.get(key, default)
    if value is None:
        raise BleuError(f"{at}: the key {key} is missing; expected {what}")
    if not isinstance(value, kind):
        _refuse(f"{at}.{key}", what, value)
    return value


def _expect_strings(table: Mapping[str, Any], key: str, at: str) -> list[str]:
    values = _expect(table, key, list, at, "a list of strings", default=[])
    for value in values:
        if not isinstance(value, str):
            _refuse(f"{at}.{key}", "a list of strings", value)
    return values


def _parse_source(value: object, at: str) -> Source:
    table = _expect_table(value, at, _SOURCE_KEYS)
    source = Source(
        _expect(table, "url", str, at, "an address"),
        _expect(table, "sha256", str, at, "hexadecimal digits", default=""),
        _expect(table, "md5", str, at, "hexadecimal digits", default=""),
    )
    if problem := problem_of(source.url) if source.url else "expected an address":
        _refuse(f"{at}.url", problem.removeprefix("expected "), source.url)
    for key, digits in DIGITS.items():
        if key in table and not is_sum(key, table[key]):
            _refuse(f"{at}.{key}", f"{digits} hexadecimal digits", table[key])
    return source


def check_names_of_downloads(sources: Sequence[Source], at: str) -> None:
    """Refuse two downloads that would have the same name in the cache and on a mirror.

    Raises:
        BleuError: two of them have the same name.
    """
    known: dict[str, int] = {}
    for number, source in enumerate(sources):
        name = last_component(source.url)
        if not name:
            _refuse(f"{at}.sources[{number}].url", "an address that ends in a file's name", source.url)
        if (first := known.setdefault(file_key(name), number)) != number:
            expected = f"an address whose last part, the name of the download, is not that of sources[{first}]"
            _refuse(f"{at}.sources[{number}].url", expected, name)


def _find_archives(pairs: Mapping[str, Any], sources: int) -> list[int]:
    """Return the numbers of the downloads that are archives: those that no pair uses directly."""
    taken = set()
    for pair in pairs.values():
        files = pair.get("files") if isinstance(pair, dict) else None
        for value in files if isinstance(files, list) else ():
            path = value.get("file") if isinstance(value, dict) else value
            if isinstance(path, str) and (whole := _WHOLE.fullmatch(path)):
                taken.add(int(whole[1]))
    return [number for number in range(sources) if number not in taken]


def _parse_pair(name: str, value: object, kind: str, labels: Sequence[str], archives: Sequence[int], at: str) -> Pair:
    if not _PAIR.fullmatch(name):
        _refuse(at, "a language pair of the form xx-YY", name)
    table = _expect_table(value, at, _PAIR_KEYS)
    values = _expect(table, "files", list, at, "a list of files")
    files = [_parse_file(one, kind, archives, f"{at}.files[{number}]") for number, one in enumerate(values)]
    names_fields = kind != PACKAGED and FORMATS[kind].names_fields
    if names_fields and len(files) != 1:
        _refuse(f"{at}.files", "one file", values)
    if not names_fields and len(files) < 2:
        _refuse(f"{at}.files", "the source and at least one reference", values)
    refs = _expect_strings(table, "refs", at) or labels
    if names_fields and not refs:
        _refuse(f"{at}.refs", "the labels of the references to score, here or for the whole test set", refs)
    return Pair(files, refs)


def _parse_file(value: object, kind: str, archives: Sequence[int], at: str) -> File:
    table = _expect_table(value if isinstance(value, dict) else {"file": value}, at, _FILE_KEYS)
    path = table.get("file")
    if not isinstance(path, str) or not path:
        _refuse(at, "a path in an archive, or source:0 for the first download itself", path)
    whole = _WHOLE.fullmatch(path)
    has_columns = kind != PACKAGED and FORMATS[kind].has_columns
    for key, of, has_effect in (
        ("column", "tsv", has_columns),
        ("field", PACKAGED, kind == PACKAGED),
        ("source", "a file in an archive", not whole and kind != PACKAGED),
    ):
        if key in table and not has_effect:
            raise BleuError(f"{at}: {key} is only for {of}, not for {path!r} of the format {kind}; leave {key} out")
    column = _expect_number(table, "column", at) if has_columns else 0
    if whole:
        return File(int(whole[1]), "", column)
    if kind == PACKAGED:
        return File(0, path, 0, _expect(table, "field", str, at, "a field"))
    if not {"", ".", ".."}.isdisjoint(path.split("/")) or any(one in "\\:" or one < " " for one in path):
        _refuse(at, "a path that stays inside the archive", path)
    return File(_choose_archive(table, archives, at), path, column)


def _choose_archive(table: Mapping[str, Any], archives: Sequence[int], at: str) -> int:
    if "source" in table:
        return _expect_number(table, "source", at)
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
    return archives[0]


def _expect_number(table: Mapping[str, Any], key: str, at: str) -> int:
    value = table.get(key)
    # Not isinstance, since a bool is an int
    if type(value) is not int or not 0 <= value < 1_000_000:
        _refuse(f"{at}.{key}", "a whole number, 0 or more", value)
    return value


# --- the user's file


def read_registry(path: str) -> tuple[list[TestSet], Mapping[str, str]]:
    """Read a file of test sets; paths in it may be relative to its folder.

    Returns:
        The test sets, and a bibliography by key.

    Raises:
        BleuError: the file cannot be read, is not valid TOML, or has a wrong key or value.
    """
    table = _parse_toml(path)
    unknown = [key for key in table if key not in ("testsets", "bibliography")]
    sets = table.get("testsets")
    if unknown or not isinstance(sets, dict) or not sets:
        found = f"found {unknown[0]!r}" if unknown else "there is none"
        raise BleuError(f'{path}: expected tables of the form [testsets."name"], {found}')
    folder = os.path.dirname(os.path.abspath(path))
    found_sets = []
    for name, facts in sets.items():
        test_set = parse_test_set(name, facts, path, packaged=False)
        sources = [source._replace(url=_make_absolute(source.url, folder)) for source in test_set.sources]
        found_sets.append(test_set._replace(sources=sources))
    return found_sets, _check_bibliography(table.get("bibliography", {}), found_sets, path)


def _parse_toml(path: str) -> dict[str, Any]:
    import tomllib

    try:
        with open(path, "rb") as file:
            return tomllib.loads(file.read().decode("utf-8-sig"))  # Windows editors write a byte-order mark
    except OSError as error:
        raise BleuError(f"cannot read the registry {path}: {error.strerror or error}") from None
    except RecursionError:
        raise BleuError(f"{path} is not valid TOML: it is nested too deeply") from None
    except ValueError as error:  # from TOML, from UTF-8, or from a number with thousands of digits
        raise BleuError(f"{path} is not valid TOML: {error}") from None


def _make_absolute(address: str, folder: str) -> str:
    """Return an address that does not depend on the working directory.

    >>> _make_absolute("sets/a.tgz", "/data"), _make_absolute("https://data.example/a.tgz", "/data")
    ('/data/sets/a.tgz', 'https://data.example/a.tgz')
    """
    if is_web(address) or "://" in address or address.lower().startswith("file:"):
        return address
    return os.path.join(folder, os.path.expanduser(local_path(address)))


def _check_bibliography(value: object, sets: list[TestSet], path: str) -> Mapping[str, str]:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise BleuError(f"{path}: bibliography: expected a table of strings, found {value!r}")
    for found in sets:
        for key in found.cite:
            if key not in value:
                at = f'{path}: testsets."{found.name}".cite'
                raise BleuError(f"{at}: there is no bibliography.{key}; add it, or remove {key} from cite")
    return value
