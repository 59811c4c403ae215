"""The names of systems.

- `name_systems`: names that a user gives
- `by_file`: names of files, without folders and known endings
- `comes_from`: whether a name comes from a path
- `name_column`, `mark_baseline`, `unmark_baseline`: names as in sacreBLEU
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

from bleucli.errors import UsageError
from bleucli.phrases import tell_count

# Endings that name the form of a file, not its content; one of each kind is left out
_PACKED = (".gz", ".bz2", ".xz", ".zst")
_PLAIN = (".txt", ".text", ".tsv", ".jsonl", ".ndjson")
# sacreBLEU 2.6.0: the name of the first system in paired tests, and the mark before its name
_BASELINE = "Baseline"
_MARK = f"{_BASELINE}: "


def name_systems(systems: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return names that a user gives systems, in their order, if each has one of its own.

    >>> name_systems(["a/out.txt", "b/out.txt"], ["old"])
    Traceback (most recent call last):
    ...
    bleucli.errors.UsageError: names has 1 name for 2 systems; give each system a name, in their order
    """
    if len(names) != len(systems):
        mismatch = f"names has {tell_count(len(names), 'name')} for {tell_count(len(systems), 'system')}"
        raise UsageError(f"{mismatch}; give each system a name, in their order")
    for name, count in Counter(names).items():
        if not name:
            raise UsageError("names has an empty name; give each system a name, in their order")
        if count > 1:
            raise UsageError(f"names has {name!r} for {count} systems; give each system a name of its own")
    return list(names)


def by_file(paths: Sequence[str], taken: Sequence[str] = ()) -> list[str]:
    """Return files' names without folders and known endings, such as `.txt.gz`.

    If two would be equal, they keep as many folders as needed; if they are still equal, they keep their endings.

    taken: names that are already taken: a file gets one of them only if it is the file's path.

    >>> by_file(["out/a.de.txt", "out/b.de.txt.gz"])
    ['a.de', 'b.de']
    >>> by_file(["old/a.txt", "new/a.txt", "new/b.txt", "c.txt", "c.gz"])
    ['old/a', 'new/a', 'b', 'c.txt', 'c.gz']
    >>> by_file(["old/a.txt"], taken=["a"])
    ['old/a']
    """
    parts = [path.replace(os.sep, "/").split("/") for path in paths]
    depths = [1] * len(paths)  # how many parts of each path are kept; one more than it has: the path as it was given
    while True:
        names = [
            path if count > len(steps) else "/".join([*steps[-count:-1], _without_endings(steps[-1])])
            for path, steps, count in zip(paths, parts, depths, strict=True)
        ]
        counts = Counter([*names, *taken])
        alike = [n for n, name in enumerate(names) if counts[name] > 1 and depths[n] <= len(parts[n])]
        if not alike:
            return names
        for number in alike:
            depths[number] += 1


def _without_endings(name: str) -> str:
    for endings in (_PACKED, _PLAIN):
        ending = next((ending for ending in endings if name.lower().endswith(ending)), "")
        name = name[: len(name) - len(ending)] or name
    return name


def comes_from(name: str, path: str) -> bool:
    """Return whether a name is that of a file, with any number of its folders, with or without its ending.

    >>> comes_from("a", "old/a.txt"), comes_from("old/a", "x/old/a.txt"), comes_from("old/a.txt", "old/a.txt")
    (True, True, True)
    >>> comes_from("ours", "old/a.txt"), comes_from("", "old/a.txt")
    (False, False)
    """
    path = path.replace(os.sep, "/")
    return bool(name) and any(f"/{one}".endswith(f"/{name}") for one in (path, _without_endings(path)))


def name_column(number: int) -> str:
    """Return the name of a system that is a column of standard input; in paired tests, numbers start at 0.

    >>> name_column(0), name_column(1)
    ('Baseline', 'System 1')
    """
    return f"System {number}" if number else _BASELINE


def mark_baseline(names: Sequence[str]) -> list[str]:
    """Return systems' names with a mark before the first; columns keep their names, of which the first is `Baseline`.

    >>> mark_baseline(["a.txt", "b.txt"]), mark_baseline(["Baseline", "System 1"])
    (['Baseline: a.txt', 'b.txt'], ['Baseline', 'System 1'])
    """
    return list(names) if _are_columns(names) else [f"{_MARK}{names[0]}", *names[1:]]


def unmark_baseline(names: Sequence[str]) -> list[str]:
    """Return the names that marked systems have outside tests; columns then have numbers from 1 on.

    >>> unmark_baseline(["Baseline: a.txt", "b.txt"]), unmark_baseline(["Baseline", "System 1"])
    (['a.txt', 'b.txt'], ['System 1', 'System 2'])
    """
    if _are_columns(names):
        return [name_column(number) for number, _ in enumerate(names, 1)]
    return [names[0].removeprefix(_MARK), *names[1:]]


def _are_columns(names: Sequence[str]) -> bool:
    """Return whether the names are those of all columns of standard input in a paired test."""
    return list(names) == [name_column(number) for number, _ in enumerate(names)]
