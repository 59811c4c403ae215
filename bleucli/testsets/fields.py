"""The fields of a language pair as files in the cache: one file per field, one segment per line, sacreBLEU's names.

- `folder`, `raw_folder`, `path_of`, `paths_of`, `download_path`, `member_paths`: where files are, in the cache that is
  written to, or in `cache`
- `write`: all fields of a pair, each written completely or not at all
- `list_fields`: the fields of a pair whose files exist, if the format does not name them
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from bleucli.testsets.cache import cache_directory

# The order of fields, if no file gives it
_FIRST = ("src", "ref")
_METADATA = ("docid", "genre", "origlang")


def folder(name: str, cache: str = "") -> str:
    """Return the folder of a test set."""
    return os.path.join(cache or cache_directory(), *name.split("/"))


def raw_folder(name: str, cache: str = "") -> str:
    """Return the folder for the downloads of a test set."""
    return os.path.join(folder(name, cache), "raw")


def path_of(name: str, pair: str, field: str, cache: str = "") -> str:
    """Return the path of a field, which is the same as in sacreBLEU."""
    return os.path.join(folder(name, cache), f"{_prefix(name, pair)}{field.replace(':', '-')}")


def paths_of(name: str, pair: str, names: Sequence[str], cache: str = "") -> dict[str, str]:
    """Return the path of each field; no two fields share one on any system.

    Of two fields with the same path (`ref:A`, and a system `ref-A`), the later one gets another path.
    """
    paths = keep_apart([path_of(name, pair, field, cache) for field in names], lambda path, number: f"{path}~{number}")
    return dict(zip(names, paths, strict=True))


def keep_apart(names: Iterable[str], other: Callable[[str, int], str], taken: Iterable[str] = ()) -> list[str]:
    """Return names that stay distinct even where case, Unicode forms and final dots make no difference.

    Args:
        names: the desired names.
        other: makes another name from one that is taken and a number from 2 on.
        taken: names that are already taken.

    >>> keep_apart(["ref-A", "B", "ref-a", "b."], lambda name, number: f"{name}~{number}")
    ['ref-A', 'B', 'ref-a~2', 'b.~2']
    """
    keys = {file_key(name) for name in taken}
    found = []
    for name in names:
        free, number = name, 1
        while file_key(free) in keys:
            number += 1
            free = other(name, number)
        keys.add(file_key(free))
        found.append(free)
    return found


def file_key(name: str) -> str:
    """Return a key that is equal for names that mean the same file on some system: macOS and Windows ignore case."""
    if name.isascii():
        return name.lower().rstrip(". ")
    from unicodedata import normalize

    # Unicode's canonical caseless matching (section 3.13): casefold expects decomposed characters
    return normalize("NFC", normalize("NFD", name).casefold()).rstrip(". ")


def download_path(name: str, url: str, cache: str = "") -> str:
    """Return the path of a download."""
    from bleucli.testsets.addresses import last_component

    return os.path.join(raw_folder(name, cache), f"{name.replace('/', '_')}.{last_component(url)}")


def member_paths(name: str, members: Iterable[tuple[int, str]], downloads: Iterable[str]) -> dict[tuple[int, str], str]:
    """Return the path of each member of an archive; no two members share one, even in different archives.

    Args:
        name: the name of the test set.
        members: for each, the number of its archive and its path in it.
        downloads: the addresses of the test set's downloads, which are in the same folder.
    """
    raw, known = raw_folder(name), list(dict.fromkeys(members))
    taken = [os.path.basename(download_path(name, url)) for url in downloads]
    paths = keep_apart([member for _, member in known], lambda member, number: f"archive-{number}/{member}", taken)
    return {one: os.path.join(raw, *path.split("/")) for one, path in zip(known, paths, strict=True)}


def _prefix(name: str, pair: str) -> str:
    return f"{name.replace('/', '_')}.{pair}."


def _order_path(name: str, pair: str, cache: str = "") -> str:
    """Return the path of the ordered list of fields, for formats that do not name them; sacreBLEU has no such file."""
    return os.path.join(raw_folder(name, cache), f"{_prefix(name, pair)}fields")


def write(name: str, pair: str, columns: Mapping[str, Sequence[str]], with_order: bool) -> None:
    """Write all fields of a language pair.

    They are first written under other names. `src` gets its own name last: if it exists, so do the others.

    Args:
        name: the name of the test set.
        pair: the language pair.
        columns: the segments of each field.
        with_order: also write the list of fields.

    Raises:
        OSError: a file cannot be written.
    """
    from contextlib import ExitStack

    from bleucli.testsets.cachefiles import Draft

    places = paths_of(name, pair, list(columns))
    files = [(places[field], segments) for field, segments in columns.items()]
    if with_order:
        files.append((_order_path(name, pair), list(columns)))
    with ExitStack() as drafts:
        written = []
        for path, lines in files:
            draft = drafts.enter_context(Draft(path, raw_folder(name)))
            draft.file.writelines(f"{line}\n".encode() for line in lines)
            draft.close()
            written.append(draft)
        for draft in reversed(written):
            draft.keep()


def read_order(name: str, pair: str, cache: str = "") -> list[str]:
    """Return the names of the fields from their list; none if there is no list."""
    from bleucli.testsets.cachefiles import read_start

    written = read_start(_order_path(name, pair, cache))
    return written.decode("utf-8", "replace").splitlines() if written else []


def list_fields(name: str, pair: str, cache: str = "") -> list[str]:
    """Return the names of the fields whose files exist; systems are in alphabetical order."""
    prefix = _prefix(name, pair)
    try:
        names = [one.removeprefix(prefix) for one in sorted(os.listdir(folder(name, cache))) if one.startswith(prefix)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    fields = [f"ref:{one[4:]}" if one.startswith("ref-") else one for one in names]
    return sorted(fields, key=_rank)


def _rank(field: str) -> int:
    """Return a key that sorts a field among the others.

    >>> sorted(["Online-A", "docid", "domain", "ref:A", "src"], key=_rank)
    ['src', 'ref:A', 'docid', 'Online-A', 'domain']
    """
    kinds = (*_FIRST, *_METADATA, "", "domain")
    kind = field.partition(":")[0]
    return kinds.index(kind if kind in kinds else "")
