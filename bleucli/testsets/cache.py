"""The cache: which folder it is, where its files are, and the environment variables about it, read only here.

- `cache_directory`, `cache_directories`, `choose_directories`, `twins_of`: the folders
- `mirror`, `use_mirror`, `offline`, `allows_http`, `allow_http`, `registry`: what else users decide
- `folder`, `raw_folder`, `path_of`, `paths_of`, `download_path`, `field_prefix`: the files of a test set, with the same
  names as in sacreBLEU, in the cache that is written to or in `cache`
- `keep_apart`, `file_key`, `is_file_name`: names that are distinct, or possible, on every system
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from bleucli.testsets.sources import last_component

# Limits of a label that is part of a file's name, on every system: the most bytes, with room for the test set's name
# before it, and the characters that it must not have
MOST_NAME_BYTES = 100
UNSAFE = frozenset('/\\<>"|?*')


def cache_directory() -> str:
    """Return the folder that downloads are written to, the first of `cache_directories`."""
    return cache_directories()[0]


def cache_directories() -> list[str]:
    """Return the folders of downloads: the one to write to, and any other to read from.

    These are `$BLEU_HOME`, or `$SACREBLEU`, or the platform's and `~/.sacrebleu`; see `choose_directories`.
    A cache that sacreBLEU filled is used unchanged.
    """
    return choose_directories(_variables(), os.path.expanduser("~"), sys.platform, os.path.isdir)


def twins_of(path: str) -> list[str]:
    """Return the places of a file of the cache in the caches that are only read."""
    own, *twins = cache_directories()
    inside = path.removeprefix(os.path.join(own, ""))
    return [] if inside == path else [os.path.join(twin, inside) for twin in twins]


def _variables() -> Mapping[str, str]:
    return os.environ


_first: list[str] = []  # mirrors that take precedence over the variable's; the last one counts


@contextmanager
def use_mirror(url: str | None) -> Iterator[None]:
    """Use a mirror within the block instead of the one that `BLEU_MIRROR` names; None for the one in use so far."""
    _first.append(mirror() if url is None else url)
    try:
        yield
    finally:
        _first.pop()


def mirror() -> str:
    """Return the address that is tried before any other (`BLEU_MIRROR`), or ""."""
    return _first[-1] if _first else os.path.expanduser(_variables().get("BLEU_MIRROR", ""))


_insecure: list[bool] = []


@contextmanager
def allow_http(allowed: bool) -> Iterator[None]:
    """Set whether redirections from https to http are followed within the block."""
    _insecure.append(allowed)
    try:
        yield
    finally:
        _insecure.pop()


def allows_http() -> bool:
    """Return whether redirections from https to http may be followed."""
    return any(_insecure)


def registry() -> str:
    """Return the path of the user's own registry of test sets (`BLEU_REGISTRY`), or ""."""
    return os.path.expanduser(_variables().get("BLEU_REGISTRY", ""))


def offline() -> bool:
    """Return whether the network must not be used (`BLEU_OFFLINE`, unless it is empty or 0)."""
    return _variables().get("BLEU_OFFLINE", "") not in ("", "0")


def choose_directories(
    variables: Mapping[str, str], home: str, platform: str, exists: Callable[[str], bool]
) -> list[str]:
    """Decide on the folders of downloads: the one to write to, and any other to read from.

    Once the platform's folder exists, it is the one to write to, so that the cache does not move when another program
    makes `~/.sacrebleu`.

    Args:
        variables: those of the environment; an empty one counts as unset.
        home: the user's home directory.
        platform: as in `sys.platform`.
        exists: whether a folder exists.

    >>> choose_directories({"SACREBLEU": "/data/sacrebleu"}, "/home/ada", "linux", lambda folder: False)
    ['/data/sacrebleu']
    >>> choose_directories({"BLEU_HOME": "~/bleu"}, "/home/ada", "linux", lambda folder: True)
    ['/home/ada/bleu']
    >>> choose_directories({}, "/home/ada", "linux", lambda folder: True)
    ['/home/ada/.cache/bleu', '/home/ada/.sacrebleu']
    """
    if own := variables.get("BLEU_HOME"):
        if own == "~" or own.startswith("~/"):  # no shell has expanded it, as in a Dockerfile or a systemd unit
            return [home + own[1:]]
        return [os.path.expanduser(own)]
    # Quirk: sacreBLEU takes a tilde in its variable as the name of a folder, and we share its cache
    if own := variables.get("SACREBLEU"):
        return [own]
    if platform == "win32":
        folder = variables.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif platform == "darwin":
        folder = os.path.join(home, "Library", "Caches")
    else:
        folder = variables.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(folder):  # the XDG specification says to ignore a relative path
            folder = os.path.join(home, ".cache")
    ours = os.path.join(folder, "bleu")
    return list(filter(exists, (ours, os.path.join(home, ".sacrebleu")))) or [ours]


# --- the files of a test set


def folder(name: str, cache: str = "") -> str:
    """Return the folder of a test set."""
    return os.path.join(cache or cache_directory(), *name.split("/"))


def raw_folder(name: str, cache: str = "") -> str:
    """Return the folder for the downloads of a test set."""
    return os.path.join(folder(name, cache), "raw")


def path_of(name: str, pair: str, field: str, cache: str = "") -> str:
    """Return the path of a field, which is the same as in sacreBLEU."""
    return os.path.join(folder(name, cache), f"{field_prefix(name, pair)}{field.replace(':', '-')}")


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
    distinct = []
    for name in names:
        free, number = name, 1
        while file_key(free) in keys:
            number += 1
            free = other(name, number)
        keys.add(file_key(free))
        distinct.append(free)
    return distinct


def file_key(name: str) -> str:
    """Return a key that is equal for names that mean the same file on some system: macOS and Windows ignore case."""
    if name.isascii():
        return name.lower().rstrip(". ")
    from unicodedata import normalize

    # Unicode's canonical caseless matching (section 3.13): casefold expects decomposed characters
    return normalize("NFC", normalize("NFD", name).casefold()).rstrip(". ")


def is_file_name(name: str) -> bool:
    """Return whether the name of a translator or system can be part of a file's name on every system.

    >>> is_file_name("Online-A"), is_file_name("a/b"), is_file_name("")
    (True, False, False)
    """
    return 0 < len(name.encode()) <= MOST_NAME_BYTES and name.isprintable() and UNSAFE.isdisjoint(name)


def download_path(name: str, url: str, cache: str = "") -> str:
    """Return the path of a download."""
    return os.path.join(raw_folder(name, cache), f"{name.replace('/', '_')}.{last_component(url)}")


def field_prefix(name: str, pair: str) -> str:
    """Return what the names of all fields of a language pair begin with."""
    return f"{name.replace('/', '_')}.{pair}."
