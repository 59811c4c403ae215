"""From a test set's name to the files of its fields: download, unpack, read and write what is missing.

- `prepare`: the fields of a language pair and their paths
- `scored_references`: which of them are scored by default

A first look, without a lock, finds the files that exist, in every cache; one process at a time makes the others.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from bleucli.errors import BleuError
from bleucli.phrases import tell_count
from bleucli.reading.decompression import DamagedError
from bleucli.testsets import fields
from bleucli.testsets.cache import cache_directories
from bleucli.testsets.entries import File, Pair, TestSet
from bleucli.testsets.formats import FORMATS, PACKAGED
from bleucli.testsets.registry import packaged_path


def prepare(test_set: TestSet, pair: str) -> dict[str, str]:
    """Return the path of each field of a language pair, in order; every file exists and is complete.

    Raises:
        BleuError: a file is missing and cannot be downloaded, or is damaged or wrong.
    """
    if test_set.format == PACKAGED:
        return {file.field: packaged_path(file.member) for file in test_set.pairs[pair].files}
    for cache in ("", *cache_directories()[1:]):
        if names := _find_fields(test_set, pair, cache):
            return fields.paths_of(test_set.name, pair, names, cache)
    _make(test_set, pair)
    return fields.paths_of(test_set.name, pair, _find_fields(test_set, pair))


def scored_references(test_set: TestSet, pair: str, known: Sequence[str]) -> list[str]:
    """Return the names of the references that are scored by default.

    Args:
        test_set: the record of the test set.
        pair: one of its language pairs.
        known: the names of its fields.

    Raises:
        BleuError: the pair has none of the references that the test set names.
    """
    references = [name for name in known if name == "ref" or name.startswith("ref:")]
    labels = test_set.pairs[pair].refs
    if not labels:
        return references
    wanted = [f"ref:{label}" if label else "ref" for label in labels]
    found = [name for name in wanted if name in references]
    if not found:
        raise BleuError(
            f"{test_set.name}/{pair} has none of the references {', '.join(wanted)}, only {', '.join(references)}"
        )
    return found


# --- what is there


def known_fields(test_set: TestSet, pair: str) -> list[str]:
    """Return the names of the fields, if they are known before the files are read; else none."""
    found = test_set.pairs[pair]
    if test_set.format == PACKAGED:
        return [file.field for file in found.files]
    return FORMATS[test_set.format].fields(test_set, found)


def _find_fields(test_set: TestSet, pair: str, cache: str = "") -> list[str]:
    """Return the names of the fields if all their files exist, else none; cache: as in `fields`."""
    names = known_fields(test_set, pair) or fields.read_order(test_set.name, pair, cache)
    if not names:
        file = test_set.pairs[pair].files[0]
        # Of another cache, only whole downloads are used
        raw = _download_path(test_set, file, cache) if cache else _raw_path(test_set, file)
        if os.path.isfile(raw) and os.access(fields.raw_folder(test_set.name, cache), os.W_OK):
            return []
        names = fields.list_fields(test_set.name, pair, cache)  # the download is gone, or cannot be unpacked again
        if not {"src", "docid", "origlang"} <= set(names):  # the format always has these
            return []
    return names if all(map(os.path.isfile, fields.paths_of(test_set.name, pair, names, cache).values())) else []


def _raw_path(test_set: TestSet, file: File) -> str:
    return _member_paths(test_set)[file.source, file.member] if file.member else _download_path(test_set, file)


def _download_path(test_set: TestSet, file: File, cache: str = "") -> str:
    return fields.download_path(test_set.name, test_set.sources[file.source].url, cache)


def _member_paths(test_set: TestSet) -> Mapping[tuple[int, str], str]:
    """Return the path of each archive member that the test set needs."""
    members = [(file.source, file.member) for pair in test_set.pairs.values() for file in pair.files if file.member]
    return fields.member_paths(test_set.name, members, [source.url for source in test_set.sources])


# --- what is made


def _make(test_set: TestSet, pair: str) -> None:
    """Make all fields of a language pair, unless another process has done so while we waited."""
    from bleucli.testsets.cachefiles import disk_errors, make_folder
    from bleucli.testsets.locks import hold_lock

    raw = fields.raw_folder(test_set.name)
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
            fields.write(test_set.name, pair, columns, with_order=FORMATS[test_set.format].names_fields)


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


def _bring(test_set: TestSet, pair: str) -> None:
    """Download the files of a language pair, and unpack them."""
    from bleucli.testsets.download import fetch_source

    for number in test_set.pairs[pair].needed_sources():
        source = test_set.sources[number]
        target = fields.download_path(test_set.name, source.url)
        files = [file for file in test_set.pairs[pair].files if file.source == number]
        # Members that were unpacked before; reading them shows whether they are complete
        unpacked = FORMATS[test_set.format].shows_end and all(os.path.isfile(_raw_path(test_set, one)) for one in files)
        if unpacked and not os.path.isfile(target):
            continue
        fetch_source(source, target, name=test_set.name)
        _unpack(test_set, test_set.pairs[pair], number, target)


def _unpack(test_set: TestSet, pair: Pair, number: int, archive: str) -> None:
    """Unpack the members for all language pairs, so that the archive is read only once."""
    from bleucli.testsets.archives import extract
    from bleucli.testsets.cachefiles import Draft, remove

    everything = {member: path for (source, member), path in _member_paths(test_set).items() if source == number}
    wanted = {file.member: everything[file.member] for file in pair.files if file.member and file.source == number}
    if not wanted:
        return
    mark = f"{archive}.unpacked"
    if os.path.islink(mark) or not os.path.isfile(mark):  # a killed run of sacreBLEU may have left half a file
        for path in filter(os.path.isfile, everything.values()):
            remove(path)
    try:
        extract(archive, everything, name=test_set.name)
    except BleuError:
        extract(archive, wanted, name=test_set.name)  # the missing file may belong to another pair
    else:
        with Draft(mark) as draft:
            draft.keep()
