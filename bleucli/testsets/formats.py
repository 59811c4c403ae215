"""The formats of test sets, by name, each with a record of how its files hold the texts of a language pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bleucli.records import NamedTuple
from bleucli.testsets import plain
from bleucli.testsets.entries import METADATA, Pair, TestSet, reference_names


class Format(NamedTuple):
    """How files hold the texts of a language pair."""

    fields: Callable[[TestSet, Pair], list[str]]  # the names of the fields, as far as they are known before reading
    # takes the paths of the pair's files, and returns the segments of each field
    read: Callable[[TestSet, Pair, Sequence[str]], Mapping[str, Sequence[str]]]
    names_fields: bool = False  # one file has all fields and names them, so they are known only after reading
    shows_end: bool = False  # a file that is cut short cannot be read, so files need no check
    has_columns: bool = False  # a file has several columns, and the test set says which one
    is_parallel: bool = False  # all files have the same number of lines, and lines with the same number belong together


def _fields_of_files(_: TestSet, pair: Pair) -> list[str]:
    return ["src", *reference_names(len(pair.files) - 1)]


def _read_plain(test_set: TestSet, pair: Pair, paths: Sequence[str]) -> Mapping[str, Sequence[str]]:
    return dict(zip(_fields_of_files(test_set, pair), map(plain.read_texts, paths), strict=True))


def _read_tsv(test_set: TestSet, pair: Pair, paths: Sequence[str]) -> Mapping[str, Sequence[str]]:
    columns = [plain.read_columns(path, [file.column])[0] for path, file in zip(paths, pair.files, strict=True)]
    return dict(zip(_fields_of_files(test_set, pair), columns, strict=True))


def _has_metadata(test_set: TestSet) -> bool:
    return not test_set.name.startswith("wmt08")  # as in sacreBLEU 2.6.0


def _fields_of_sgml(test_set: TestSet, pair: Pair) -> list[str]:
    return _fields_of_files(test_set, pair) + (list(METADATA) if _has_metadata(test_set) else [])


def _read_sgml(test_set: TestSet, _: Pair, paths: Sequence[str]) -> Mapping[str, Sequence[str]]:
    from bleucli.testsets import sgml

    return sgml.read(paths, _has_metadata(test_set))


def _read_xml(_: TestSet, __: Pair, paths: Sequence[str]) -> Mapping[str, Sequence[str]]:
    from bleucli.testsets import wmt_xml

    return wmt_xml.read(paths[0])


FORMATS = {
    "sgml": Format(_fields_of_sgml, _read_sgml),  # and the XML files of IWSLT
    "wmt-xml": Format(lambda *_: [], _read_xml, names_fields=True, shows_end=True),
    "plain": Format(_fields_of_files, _read_plain, is_parallel=True),
    "tsv": Format(_fields_of_files, _read_tsv, has_columns=True, is_parallel=True),
}
# Files that come with the package are already fields: there is nothing to read
PACKAGED = "packaged"
