"""From a test set's name to the files of its fields: download, unpack, read and write what is missing.

- `prepare`: the fields of a language pair and their paths; `prepare_output`: that of a system's output
- `read_field`: the texts of a field
- `scored_references`: which of them are scored by default; `read_left_out`: which segments are not scored
- `known_fields`: the names of the fields, as far as they are known without reading a file

A field is one file, with one segment per line and the name that sacreBLEU gives it. Test sets in JSON Lines have one
file for all fields of a language pair (see `items`). A first look, without a lock, finds the files that exist, in every
cache; one process at a time makes the others.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

from bleucli.errors import BleuError, Note
from bleucli.phrases import tell_count
from bleucli.reading.decompression import DamagedError
from bleucli.testsets import PACKAGED, File, Items, Source, TestSet, cache, is_web, last_component
from bleucli.testsets.formats import (
    FORMATS,
    IDS,
    METADATA,
    fields_of,
    lines_of,
    read_fields,
    read_items,
    read_objects,
    read_output,
    read_texts,
)
from bleucli.testsets.registry import packaged_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Git LFS, https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md: the start and the most bytes of a pointer
_POINTER, _POINTER_BYTES = b"version https://git-lfs.github.com/spec/v1\n", 1024
# The order of fields, if no file gives it; systems, which have names of their own, stand in place of ""
_ORDER = ("src", "ref", *METADATA, "", "domain")


def prepare(test_set: TestSet, pair: str) -> dict[str, str]:
    """Return the path of each field of a language pair, in order; every file exists and is complete."""
    if test_set.format == PACKAGED:
        return {file.field: packaged_path(file.member) for file in test_set.pairs[pair].files}
    for folder in ("", *cache.cache_directories()[1:]):
        if names := _find_fields(test_set, pair, folder):
            return _paths(test_set, pair, names, folder)
    _make(test_set, pair)
    return _paths(test_set, pair, _find_fields(test_set, pair))


def _paths(test_set: TestSet, pair: str, names: Sequence[str], folder: str = "") -> dict[str, str]:
    if test_set.items is not None:
        return dict.fromkeys(names, cache.path_of(test_set.name, pair, "jsonl", folder))
    return cache.paths_of(test_set.name, pair, names, folder)


def read_field(test_set: TestSet, path: str, name: str) -> list[Any]:
    """Return the texts of a field without trailing white space; in test sets in JSON Lines, its values."""
    if test_set.items is None:
        return read_texts(path)
    return [item.get(name) for _, item in read_objects(path)]  # None for each object that lacks it


def scored_references(test_set: TestSet, pair: str, paths: Mapping[str, str]) -> list[str]:
    """Return the names of the references that are scored by default; paths: those of all fields."""
    references = [name for name in paths if name == "ref" or name.startswith("ref:")]
    # Segments without a reference are left out, unless all are
    if test_set.items is not None and not any(
        read_field(test_set, paths[one], one)[:1] != [None] for one in references
    ):
        raise BleuError(
            f"{test_set.name}/{pair} has no references, so nothing can be scored; --echo src prints its texts"
        )
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
    if test_set.items is not None:
        return list(test_set.items.fields)
    return fields_of(test_set, record)


def read_left_out(test_set: TestSet, pair: str, paths: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the ids of the segments that are not scored, each with the reason; see `items.read`."""
    if test_set.items is None:
        return []
    path = _left_out_path(test_set, pair, os.path.dirname(paths["src"]))
    return [item for _, item in read_objects(path)]


def _left_out_path(test_set: TestSet, pair: str, folder: str) -> str:
    return os.path.join(folder, "raw", f"{cache.field_prefix(test_set.name, pair)}left-out.jsonl")


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
    return names if all(map(os.path.isfile, _paths(test_set, pair, names, folder).values())) else []


def _order_path(name: str, pair: str, folder: str = "") -> str:
    """Return the path of the ordered list of fields, for formats that do not name them; sacreBLEU has no such file."""
    return os.path.join(cache.raw_folder(name, folder), f"{cache.field_prefix(name, pair)}fields")


def _read_order(name: str, pair: str, folder: str) -> list[str]:
    """Return the names of the fields from their list; none if there is no list."""
    names = cache.read_start(_order_path(name, pair, folder))
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
    with _work_alone(test_set.name):
        if _find_fields(test_set, pair):
            return
        recorded = _bring(test_set, pair)
        name, paths = test_set.name, [_raw_path(test_set, file) for file in test_set.pairs[pair].files]
        # Each with its lines; that of the source, or of all fields, is the first
        files: list[tuple[str, Iterable[str]]]
        if test_set.items is None:
            columns = read_fields(test_set, pair, paths)
            _check_columns(columns, test_set, pair)
            places = cache.paths_of(name, pair, list(columns))
            files = [(places[field], segments) for field, segments in columns.items()]
            files += [(_order_path(name, pair), list(columns))] if FORMATS[test_set.format].names_fields else []
        else:
            rows, left_out = read_items(test_set, pair, paths[0])
            _check_columns({"src": rows}, test_set, pair)
            files = [
                (cache.path_of(name, pair, "jsonl"), lines_of(rows)),
                (_left_out_path(test_set, pair, cache.folder(name)), lines_of(left_out)),
            ]
        _write(files, name)
        _note_records(name, recorded)


@contextmanager
def _work_alone(name: str) -> Iterator[None]:
    """Make this the only process that makes files of a test set, and name what to delete if a download is damaged."""
    raw = cache.raw_folder(name)
    with cache.disk_errors(raw):
        cache.make_folder(raw)
        with cache.hold_lock(os.path.join(raw, f"{name.replace('/', '_')}.lock")):
            try:
                yield
            except DamagedError as error:
                raise BleuError(f"{error.name} {error.what}; delete {raw}; it will then be downloaded again") from None


def _note_records(name: str, recorded: Mapping[str, str]) -> None:
    """Note that nobody says what downloads should be; recorded: the SHA-256 of each address."""
    from bleucli.results.hints import warn

    for url, digits in recorded.items():
        if is_web(url) and digits:
            warn(
                f"no checksum is published for {name}; the sha256 of {last_component(url)}, {digits}, is recorded, and"
                " no other file will be accepted",
                Note,
            )


def _bring(test_set: TestSet, pair: str) -> dict[str, str]:
    """Download the files of a language pair, and unpack them; return what `fetch` returns by address."""
    from bleucli.testsets.fetch import fetch

    recorded: dict[str, str] = {}
    for number in test_set.pairs[pair].needed_sources():
        target = _download_path(test_set, number)
        files = [file for file in test_set.pairs[pair].files if file.source == number]
        # Members that were unpacked before; reading them shows whether they are complete
        form = FORMATS.get(test_set.format)
        unpacked = form and form.names_fields and all(os.path.isfile(_raw_path(test_set, one)) for one in files)
        if unpacked and not os.path.isfile(target):
            continue
        source = test_set.sources[number]
        recorded[source.url] = fetch(source, target, name=test_set.name, is_recorded=True)
        _unpack(test_set, number, target, [file.member for file in files if file.member])
    return recorded


def prepare_output(test_set: TestSet, pair: str, paths: Mapping[str, str], system: str) -> str:
    """Return the path of a system's output for a language pair in JSON Lines, which is downloaded only now."""
    record = test_set.items
    assert record is not None
    name = f"{system}.jsonl"
    for folder in ("", *cache.cache_directories()[1:]):
        if os.path.isfile(path := cache.path_of(test_set.name, pair, name, folder)):
            return path
    path = cache.path_of(test_set.name, pair, name)
    with _work_alone(test_set.name):
        if not os.path.isfile(path):
            download = _bring_output(test_set.name, record, system)
            ids = {field: read_field(test_set, paths[field], field) for field in IDS if field in paths}
            rows = [dict(zip(ids, of, strict=True)) for of in zip(*ids.values(), strict=True)]
            texts = read_output(rows, download, system)
            lines = lines_of(row | {system: text} for row, text in zip(rows, texts, strict=True))
            _write([(path, lines)], test_set.name)
    return path


def _bring_output(name: str, record: Items, system: str) -> str:
    """Download a system's output, and return its path. Large files are elsewhere, and a pointer is in their place."""
    from urllib.parse import quote

    from bleucli.testsets.fetch import fetch

    url, large = (address.replace("{system}", quote(system)) for address in (record.outputs, record.large_outputs))
    target = cache.download_path(name, url)
    _note_records(name, {url: fetch(Source(url), target, name=name, is_recorded=True)})
    with open(target, "rb") as file:
        start = file.read(_POINTER_BYTES)
    pointer = re.search(rb"^oid sha256:([0-9a-f]{64})$", start, re.MULTILINE) if start.startswith(_POINTER) else None
    if not large or pointer is None:
        return target
    fetch(Source(large, pointer[1].decode()), f"{target}.lfs", name=name)
    return f"{target}.lfs"


def _unpack(test_set: TestSet, number: int, archive: str, members: Sequence[str]) -> None:
    """Unpack the members for all language pairs, so that the archive is read only once; `members` must be there."""
    from bleucli.testsets.archives import extract

    if not members:
        return
    places = {member: path for (source, member), path in _member_paths(test_set).items() if source == number}
    mark = f"{archive}.unpacked"
    if os.path.islink(mark) or not os.path.isfile(mark):  # a killed run of sacreBLEU may have left half a file
        for path in filter(os.path.isfile, places.values()):
            cache.remove(path)
    try:
        extract(archive, places, name=test_set.name)
    except BleuError:
        # The missing file may belong to another pair
        extract(archive, {member: places[member] for member in members}, name=test_set.name)
    else:
        with cache.Draft(mark) as draft:
            draft.keep()


def _check_columns(columns: Mapping[str, Sequence[Any]], test_set: TestSet, pair: str) -> None:
    counts = {name: len(column) for name, column in columns.items()}
    if not counts["src"]:
        raise BleuError(f"{test_set.name}/{pair} has no segments; check that its format is {test_set.format}")
    for name, count in counts.items():
        if test_set.items is None and FORMATS[test_set.format].is_parallel and count != counts["src"]:
            raise BleuError(
                f"{test_set.name}/{pair}: the source has {tell_count(counts['src'], 'line')}, but {name} has {count};"
                " name files whose lines belong together"
            )


def _write(files: Sequence[tuple[str, Iterable[str]]], name: str) -> None:
    """Write files, first under other names. The first gets its own name last: if it exists, so do the others."""
    with ExitStack() as stack:
        drafts = []
        for path, lines in files:
            draft = stack.enter_context(cache.Draft(path, cache.raw_folder(name)))
            draft.file.writelines(f"{line}\n".encode() for line in lines)
            draft.close()
            drafts.append(draft)
        for draft in reversed(drafts):
            draft.keep()
