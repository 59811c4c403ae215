"""The user's own test sets: a TOML file with the same facts as `registry.json`, read into the same records."""

from __future__ import annotations

import os
from collections.abc import Mapping

from bleucli.errors import BleuError
from bleucli.testsets.addresses import is_web, local_path
from bleucli.testsets.entries import TestSet
from bleucli.testsets.facts import parse_test_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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
