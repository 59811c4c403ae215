"""From a test set's name to the files of its fields: download, unpack, read and write what is missing.

- `prepare`: the fields of a language pair and their paths
- `scored_references`: which of them are scored by default
- `known_fields`: the names of the fields, as far as they are known without reading a file

A field is one file, with one segment per line and the name that sacreBLEU gives it. A first look, without a lock, finds
the files that exist, in every cache; one process at a time makes the others.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from bleucli.errors import BleuError
from bleucli.phrases import tell_count
from bleucli.reading.decompression import DamagedError
from bleucli.testsets import cache
from bleucli.testsets.formats import FORMATS, METADATA, PACKAGED, File, TestSet
from bleucli.testsets.registry import packaged_path

# The order of fields, if no file gives it; systems, which have names of their own, stand in place of ""
_ORDER = ("src", "ref", *METADATA, "", "domain")


def prepare(test_set: TestSet, pair: str) -> dict[str, str]:
    """Return the path of each field of a language pair, in order; every file exists and is complete.

    Raises:
        BleuError: a file is missing and cannot be downloaded, or is damaged or wrong.
    """
    if test_set.format == PACKAGED:
        return {file.field: packaged_path(file.member) for file in test_set.pairs[pair].files}
    for folder in ("", *cache.cache_directories()[1:]):
        if names := _find_fields(test_set, pair, folder):
            return cache.paths_of(test_set.name, pair, names, folder)
    _make(test_set, pair)
    return cache.paths_of(test_set.name, pair, _find_fields(test_set, pair))


def scored_references(test_set: TestSet, pair: str, names: Sequence[str]) -> list[str]:
    """Return the names of the references that are scored by default.

    Args:
        test_set: the record of the test set.
        pair: one of its language pairs.
        names: the names of its fields.

    Raises:
        BleuError: the pair has none of the references that the test set names.
    """
    references = [name for name in names if name == "ref" or name.startswith("ref:")]
    labels = test_set.pairs[pair].refs
    if not labels:
        return references
    defaults = [f"ref:{label}" if label else "ref" for label in labels]
    scored = [name for name in defaults if name in references]
    if not scored:
        raise BleuError(
            f"{test_set.name}/{pair} has none of the references {', '.join(defaults)}, only {', '.join(references)}"
        )
    return scored


def known_fields(test_set: TestSet, pair: str) -> list[str]:
    """Return the names of the fields, if they are known before the files are read; else none."""
    record = test_set.pairs[pair]
    if test_set.format == PACKAGED:
        return [file.field for file in record.files]
    return FORMATS[test_set.format].fields(test_set, record)


# --- what is there


def _find_fields(test_set: TestSet, pair: str, folder: str = "") -> list[str]:
    """Return the names of the fields if all their files exist, else none; folder: a cache that is only read."""
    names = known_fields(test_set, pair) or _read_order(test_set.name, pair, folder)
    if not names:
        file = test_set.pairs[pair].files[0]
        # Of another cache, only whole downloads are used
        raw = _download_path(test_set, file.source, folder) if folder else _raw_path(test_set, file)
        if os.path.isfile(raw) and os.access(cache.raw_folder(test_set.name, folder), os.W_OK):
            return []
        names = _list_fields(test_set.name, pair, folder)  # the download is gone, or cannot be unpacked again
        if not {"src", "docid", "origlang"} <= set(names):  # the format always has these
            return []
    return names if all(map(os.path.isfile, cache.paths_of(test_set.name, pair, names, folder).values())) else []


def _order_path(name: str, pair: str, folder: str = "") -> str:
    """Return the path of the ordered list of fields, for formats that do not name them; sacreBLEU has no such file."""
    return os.path.join(cache.raw_folder(name, folder), f"{cache.field_prefix(name, pair)}fields")


def _read_order(name: str, pair: str, folder: str) -> list[str]:
    """Return the names of the fields from their list; none if there is no list."""
    from bleucli.testsets.cachefiles import read_start

    names = read_start(_order_path(name, pair, folder))
    return names.decode("utf-8", "replace").splitlines() if names else []


def _list_fields(name: str, pair: str, folder: str) -> list[str]:
    """Return the names of the fields whose files exist; systems are in alphabetical order."""
    prefix = cache.field_prefix(name, pair)
    try:
        files = sorted(os.listdir(cache.folder(name, folder)))
    except (FileNotFoundError, NotADirectoryError):
        return []
    names = [file.removeprefix(prefix) for file in files if file.startswith(prefix)]
    return sorted((f"ref:{name[4:]}" if name.startswith("ref-") else name for name in names), key=_rank)


def _rank(field: str) -> int:
    """Return a key that sorts a field among the others.

    >>> sorted(["Online-A", "docid", "domain", "ref:A", "src"], key=_rank)
    ['src', 'ref:A', 'docid', 'Online-A', 'domain']
    """
    kind = field.partition(":")[0]
    return _ORDER.index(kind if kind in _ORDER else "")


def _download_path(test_set: TestSet, source: int, folder: str = "") -> str:
    return cache.download_path(test_set.name, test_set.sources[source].url, folder)


def _raw_path(test_set: TestSet, file: File) -> str:
    return _member_paths(test_set)[file.source, file.member] if file.member else _download_path(test_set, file.source)


def _member_paths(test_set: TestSet) -> dict[tuple[int, str], str]:
    """Return the path of each archive member, by the number of its archive and its path in it; no two share one."""
    members = list(dict.fromkeys((file.source, file.member) for file in test_set.files() if file.member))
    downloads = [os.path.basename(_download_path(test_set, number)) for number in range(len(test_set.sources))]
    names = (member for _, member in members)
    paths = cache.keep_apart(names, lambda member, number: f"archive-{number}/{member}", downloads)
    raw = cache.raw_folder(test_set.name)
    return {key: os.path.join(raw, *path.split("/")) for key, path in zip(members, paths, strict=True)}


# --- what is made


def _make(test_set: TestSet, pair: str) -> None:
    """Make all fields of a language pair, unless another process has done so while we waited."""
    from bleucli.testsets.cachefiles import disk_errors, hold_lock, make_folder

    raw = cache.raw_folder(test_set.name)
    with disk_errors(raw):
        make_folder(raw)
        with hold_lock(os.path.join(raw, f"{test_set.name.replace('/', '_')}.lock")):
            if _find_fields(test_set, pair):
                return
            _bring(test_set, pair)
            try:
                paths = [_raw_path(test_set, file) for file in test_set.pairs[pair].files]
                columns = FORMATS[test_set.format].read(test_set, test_set.pairs[pair], paths)
            except DamagedError as error:
                raise BleuError(f"{error.name} {error.what}; delete {raw}; it will then be downloaded again") from None
            _check_columns(columns, test_set, pair)
            _write(columns, test_set, pair)


def _bring(test_set: TestSet, pair: str) -> None:
    """Download the files of a language pair, and unpack them."""
    from bleucli.testsets.fetch import fetch

    for number in test_set.pairs[pair].needed_sources():
        target = _download_path(test_set, number)
        files = [file for file in test_set.pairs[pair].files if file.source == number]
        # Members that were unpacked before; reading them shows whether they are complete
        unpacked = FORMATS[test_set.format].shows_end and all(os.path.isfile(_raw_path(test_set, one)) for one in files)
        if unpacked and not os.path.isfile(target):
            continue
        fetch(test_set.sources[number], target, name=test_set.name, is_recorded=True)
        _unpack(test_set, number, target, [file.member for file in files if file.member])


def _unpack(test_set: TestSet, number: int, archive: str, members: Sequence[str]) -> None:
    """Unpack the members for all language pairs, so that the archive is read only once; `members` must be there."""
    from bleucli.testsets.archives import extract
    from bleucli.testsets.cachefiles import Draft, remove

    if not members:
        return
    places = {member: path for (source, member), path in _member_paths(test_set).items() if source == number}
    mark = f"{archive}.unpacked"
    if os.path.islink(mark) or not os.path.isfile(mark):  # a killed run of sacreBLEU may have left half a file
        for path in filter(os.path.isfile, places.values()):
            remove(path)
    try:
        extract(archive, places, name=test_set.name)
    except BleuError:
        # The missing file may belong to another pair
        extract(archive, {member: places[member] for member in members}, name=test_set.name)
    else:
        with Draft(mark) as draft:
            draft.keep()


def _check_columns(columns: Mapping[str, Sequence[str]], test_set: TestSet, pair: str) -> None:
    """Refuse columns that cannot be those of a test set."""
    counts = {name: len(column) for name, column in columns.items()}
    if not counts["src"]:
        raise BleuError(f"{test_set.name}/{pair} has no segments; check that its format is {test_set.format}")
    for name, count in counts.items():
        if FORMATS[test_set.format].is_parallel and count != counts["src"]:
            raise BleuError(
                f"{test_set.name}/{pair}: the source has {tell_count(counts['src'], 'line')}, but {name} has {count};"
                " name files whose lines belong together"
            )


def _write(columns: Mapping[str, Sequence[str]], test_set: TestSet, pair: str) -> None:
    """Write all fields, first under other names. `src` gets its own name last: if it exists, so do the others."""
    from bleucli.testsets.cachefiles import Draft

    places = cache.paths_of(test_set.name, pair, list(columns))
    files = [(places[field], segments) for field, segments in columns.items()]
    if FORMATS[test_set.format].names_fields:
        files.append((_order_path(test_set.name, pair), list(columns)))
    with ExitStack() as stack:
        drafts = []
        for path, lines in files:
            draft = stack.enter_context(Draft(path, cache.raw_folder(test_set.name)))
            draft.file.writelines(f"{line}\n".encode() for line in lines)
            draft.close()
            drafts.append(draft)
        for draft in reversed(drafts):
            draft.keep()
