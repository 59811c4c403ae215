"""The fields of a language pair as files in the cache: one a field, one segment a line, named as sacreBLEU names them.

- `folder`, `raw_folder`, `path_of`, `download_path`: where things lie
- `write`: all fields of a pair, each whole or not at all
- `listed`: the fields of a pair that are there, where the format does not tell
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress

from bleucli.testsets.cache import cache_directory

# Where no file tells the order
_FIRST = ("src", "ref")
_METADATA = ("docid", "genre", "origlang")


def folder(name: str) -> str:
    """Return the folder of a test set."""
    return os.path.join(cache_directory(), *name.split("/"))


def raw_folder(name: str) -> str:
    """Return the folder of what was downloaded for a test set."""
    return os.path.join(folder(name), "raw")


def path_of(name: str, pair: str, field: str) -> str:
    """Return the path of a field."""
    return os.path.join(folder(name), f"{_prefix(name, pair)}{field.replace(':', '-')}")


def download_path(name: str, url: str) -> str:
    """Return the path of a download."""
    from bleucli.testsets.addresses import last_component

    return os.path.join(raw_folder(name), f"{name.replace('/', '_')}.{last_component(url)}")


def _prefix(name: str, pair: str) -> str:
    return f"{name.replace('/', '_')}.{pair}."


def _order_path(name: str, pair: str) -> str:
    """Return the path of a list of the fields, in order, of a pair whose format does not tell them; ours alone."""
    return os.path.join(raw_folder(name), f"{_prefix(name, pair)}fields")


def write(name: str, pair: str, columns: Mapping[str, Sequence[str]], with_order: bool) -> None:
    """Write all fields of a language pair.

    They are written beside their places first; `src` gets its name last, so that where it is, the others are. A folder
    that a killed run left is used again.

    Args:
        name: of the test set.
        pair: of languages.
        columns: the segments of each field.
        with_order: also write which fields there are.

    Raises:
        OSError: the disk cannot take them.
    """
    beside = os.path.join(raw_folder(name), f"{_prefix(name, pair)}new")
    os.makedirs(beside, exist_ok=True)
    try:
        places = {}
        for number, (field, segments) in enumerate(columns.items()):
            written = os.path.join(beside, str(number))
            _write_lines(written, segments)
            places[written] = path_of(name, pair, field)
        if with_order:
            written = os.path.join(beside, "fields")
            _write_lines(written, list(columns))
            places[written] = _order_path(name, pair)
        for written, place in reversed(places.items()):
            os.replace(written, place)
    finally:
        _remove(beside)


def _write_lines(path: str, lines: Sequence[str]) -> None:
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)
        file.flush()
        os.fsync(file.fileno())


def _remove(beside: str) -> None:
    with suppress(OSError):
        for left in os.listdir(beside):
            os.remove(os.path.join(beside, left))
        os.rmdir(beside)


def in_order(name: str, pair: str) -> list[str]:
    """Return the names of the fields as they were written down, empty if they were not."""
    try:
        with open(_order_path(name, pair), encoding="utf-8", newline="\n") as file:
            return file.read().splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return []


def listed(name: str, pair: str) -> list[str]:
    """Return the names of the fields whose files are there; systems in alphabetical order."""
    prefix = _prefix(name, pair)
    try:
        names = [one.removeprefix(prefix) for one in sorted(os.listdir(folder(name))) if one.startswith(prefix)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    fields = [f"ref:{one[4:]}" if one.startswith("ref-") else one for one in names]
    return sorted(fields, key=_rank)


def _rank(field: str) -> int:
    """Return where a field stands among the others.

    >>> sorted(["Online-A", "docid", "domain", "ref:A", "src"], key=_rank)
    ['src', 'ref:A', 'docid', 'Online-A', 'domain']
    """
    kinds = (*_FIRST, *_METADATA, "", "domain")
    kind = field.partition(":")[0]
    return kinds.index(kind if kind in kinds else "")
