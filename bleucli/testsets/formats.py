"""The formats of test sets: what a test set is, and how its files hold the texts of a language pair.

- `TestSet`, `Pair`, `File`, `Items`: the facts that the registry has about a test set, as immutable records
- `AllPairs`: the language pairs of a set that is parallel in all its languages
- `FORMATS`: how each format is read
- `read_lines`, `read_texts`, `read_column`: plain text and tab-separated columns, one line per segment
- `read_sgml`: the SGML files of WMT until 2020, and the XML files of IWSLT, read line by line, without unescaping

Two formats have readers of their own: the XML files of WMT since 2021 (`wmt_xml`), and JSON Lines (`items`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from bleucli.errors import BleuError
from bleucli.phrases import tell_count
from bleucli.reading import TextFile
from bleucli.records import NamedTuple
from bleucli.testsets.sources import MOST_FILE_BYTES, Source, check_size

# The fields of SGML files in addition to the texts
METADATA = ("docid", "genre", "origlang")
# The format of files that come with the package, which are already fields: there is nothing to read
PACKAGED = "packaged"
# The format of JSON Lines, whose objects hold all fields; `items` reads it
JSON_LINES = "jsonl"


class File(NamedTuple):
    """A file with the texts of one or more fields."""

    source: int  # the number of its download, from 0
    member: str  # its path in an archive, "" for the download itself
    column: int = 0  # the column of a tsv file, from 0
    field: str = ""  # the field that a packaged file holds


class Pair(NamedTuple):
    """A language pair."""

    files: Sequence[File]  # the source first
    refs: Sequence[str]  # the labels of the references to score, where the file names them

    def needed_sources(self) -> list[int]:
        """Return the numbers of the downloads that the pair needs, each once."""
        return list(dict.fromkeys(file.source for file in self.files))


class Items(NamedTuple):
    """How the objects of JSON Lines hold the texts of a test set."""

    fields: Mapping[str, str]  # of each field, the path in an object
    leave_out: str = ""  # the path of what marks objects that are not scored, "" if nothing does
    documents: bool = False  # whether texts are documents with line breaks, which --echo prints as JSON Lines
    outputs: str = ""  # the address of a system's output, with {system} in place of its name; "" if there are none
    large_outputs: str = ""  # the same for outputs that are too large for the first address (Git LFS)
    systems: Sequence[str] = ()  # the names of the systems


class AllPairs(Mapping[str, Pair]):
    """Every two of many languages as language pairs, which are made only when they are asked for.

    Args:
        languages: their codes, without hyphens.
        files: the path of a language's file in the archive, with `{language}` in place of its code.

    >>> pairs = AllPairs(["eng_Latn", "deu_Latn", "fra_Latn"], "devtest/{language}.devtest")
    >>> len(pairs), next(iter(pairs)), "deu_Latn-deu_Latn" in pairs
    (6, 'eng_Latn-deu_Latn', False)
    >>> pairs["fra_Latn-eng_Latn"].files[0]
    File(source=0, member='devtest/fra_Latn.devtest', column=0, field='')
    """

    def __init__(self, languages: Sequence[str], files: str) -> None:
        self.languages = languages
        self._codes = frozenset(languages)
        self._files = files

    def __getitem__(self, pair: str) -> Pair:
        source, _, target = pair.partition("-")
        if source == target or not {source, target} <= self._codes:
            raise KeyError(pair)
        return Pair([self.file(source), self.file(target)], [])

    def __iter__(self) -> Iterator[str]:
        return (f"{source}-{target}" for source in self.languages for target in self.languages if source != target)

    def __len__(self) -> int:
        return len(self.languages) * (len(self.languages) - 1)

    def file(self, language: str) -> File:
        """Return the file of a language."""
        return File(0, self._files.replace("{language}", language))

    def near(self, pair: str) -> list[str]:
        """Return the pairs whose languages another spelling may mean; see `bleucli.language_pairs.find_alike`."""
        from bleucli import language_pairs

        languages = language_pairs.split(pair) or ("", "")
        sources, targets = ([c for c in self.languages if language_pairs.are_alike(one, c)] for one in languages)
        return [f"{source}-{target}" for source in sources for target in targets if source != target]


class TestSet(NamedTuple):
    """A test set."""

    name: str
    about: str
    format: str  # one of `FORMATS`, PACKAGED or JSON_LINES
    sources: Sequence[Source]
    pairs: Mapping[str, Pair]
    cite: Sequence[str]  # keys of the bibliography
    segments: int | None  # the number of segments of every pair; None if unknown
    items: Items | None = None  # only for JSON Lines

    def files(self) -> list[File]:
        """Return the files of all language pairs."""
        if isinstance(self.pairs, AllPairs):
            return [self.pairs.file(language) for language in self.pairs.languages]
        return [file for pair in self.pairs.values() for file in pair.files]


class Format(NamedTuple):
    """How files hold the texts of a language pair."""

    fields: Callable[[TestSet, Pair], list[str]]  # the names of the fields, as far as they are known before reading
    # takes the name of the pair and the paths of its files, and returns the segments of each field
    read: Callable[[TestSet, str, Sequence[str]], Mapping[str, Sequence[str]]]
    names_fields: bool = False  # one file has all fields and names them, so they are known only after reading
    shows_end: bool = False  # a file that is cut short cannot be read, so files need no check
    has_columns: bool = False  # a file has several columns, and the test set says which one
    is_parallel: bool = False  # all files have the same number of lines, and lines with the same number belong together


# --- plain text


class CachedText(TextFile):
    """A text file of the cache: in UTF-8 and, when unpacked, no larger than a test set can be."""

    remedy = "delete the folder of its test set in the cache; it will be made again"

    def check_size(self) -> None:
        """Read the text once without keeping it: its lines may take many times its size in memory."""
        for _ in self._chunks():
            pass

    def _chunks(self) -> Iterator[bytes]:
        packed = os.path.getsize(self._path) if self._path and self.is_file else None
        size = 0
        for chunk in super()._chunks():
            size += len(chunk)
            if packed is not None:
                check_size(size, packed, self.name, MOST_FILE_BYTES)
            yield chunk


def read_lines(path: str) -> Iterator[str]:
    r"""Give the unchanged lines of a file, compressed or not; only `\n` ends a line."""
    CachedText(path, path).check_size()
    for _, lines in CachedText(path, path, mark="text").lines():
        yield from lines


def read_texts(path: str) -> list[str]:
    """Return the segments of a file of plain text: its lines without trailing white space."""
    return [line.rstrip() for line in read_lines(path)]


def read_column(path: str, number: int) -> list[str]:
    """Return a column of a file of tab-separated values, by its number from 0."""
    column = []
    for place, line in enumerate(read_lines(path), 1):
        cells = line.split("\t")
        if len(cells) <= number:
            columns = tell_count(number + 1, "tab-separated column")
            raise BleuError(f"{path}, line {place}: expected at least {columns}, found {len(cells)}")
        column.append(cells[number])
    return column


# --- SGML

_ATTRIBUTES = {name: re.compile(rf'\b{name}="([^"]*)"') for name in METADATA}


def read_sgml(path: str) -> list[str]:
    """Return the segments of a file; one whose name ends in neither .sgm nor .xml is plain text."""
    if not path.endswith((".sgm", ".xml")):
        return read_texts(path)
    return [segment(line) for line in read_lines(path) if _is_segment(line)]


def _is_segment(line: str) -> bool:
    return line.startswith("<seg ")


def segment(line: str) -> str:
    """Return the text between the first tag of a line and its last `</seg>`, with single spaces.

    Quirk: a line without `</seg>` is taken whole, with its tag; text after `</seg>` is added to the segment.

    >>> segment('<seg id="1">  Tom &amp; <b>Jerry</b>. </seg>'), segment('<seg id="2">cut')
    ('Tom &amp; <b>Jerry</b>.', '<seg id="2">cut')
    """
    text, end, behind = line.rpartition("</seg>")
    if end and ">" in text:
        line = text.partition(">")[2] + behind
    return " ".join(line.split())


def _read_metadata(path: str) -> dict[str, list[str]]:
    """Return, for each segment, the attributes of its document.

    Quirk: a document that lacks an attribute inherits that of the previous document.
    """
    columns: dict[str, list[str]] = {name: [] for name in METADATA}
    values: dict[str, str] = {}
    for line in read_lines(path):
        if line.startswith("<doc "):
            matches = {name: pattern.search(line) for name, pattern in _ATTRIBUTES.items()}
            values |= {name: match[1] for name, match in matches.items() if match}
        elif _is_segment(line):
            for name, column in columns.items():
                column.append(values.get(name, ""))
    return columns


# --- all formats


def _fields_of_files(_: TestSet, pair: Pair) -> list[str]:
    references = len(pair.files) - 1
    return ["src", "ref"] if references == 1 else ["src", *(f"ref:{number}" for number in range(references))]


def _fields_of_sgml(test_set: TestSet, pair: Pair) -> list[str]:
    return _fields_of_files(test_set, pair) + (list(METADATA) if _has_metadata(test_set) else [])


def _has_metadata(test_set: TestSet) -> bool:
    return not test_set.name.startswith("wmt08")  # as in sacreBLEU 2.6.0


def _read_plain(test_set: TestSet, pair: str, paths: Sequence[str]) -> dict[str, list[str]]:
    return dict(zip(_fields_of_files(test_set, test_set.pairs[pair]), map(read_texts, paths), strict=True))


def _read_tsv(test_set: TestSet, pair: str, paths: Sequence[str]) -> dict[str, list[str]]:
    record = test_set.pairs[pair]
    columns = [read_column(path, file.column) for path, file in zip(paths, record.files, strict=True)]
    return dict(zip(_fields_of_files(test_set, record), columns, strict=True))


def _read_sgml(test_set: TestSet, pair: str, paths: Sequence[str]) -> dict[str, list[str]]:
    columns = dict(zip(_fields_of_files(test_set, test_set.pairs[pair]), map(read_sgml, paths), strict=True))
    return columns | (_read_metadata(paths[0]) if _has_metadata(test_set) else {})


def _read_xml(_: TestSet, __: str, paths: Sequence[str]) -> dict[str, list[str]]:
    from bleucli.testsets import wmt_xml

    return wmt_xml.read(paths[0])


FORMATS = {
    "sgml": Format(_fields_of_sgml, _read_sgml),  # and the XML files of IWSLT
    "wmt-xml": Format(lambda *_: [], _read_xml, names_fields=True, shows_end=True),
    "plain": Format(_fields_of_files, _read_plain, is_parallel=True),
    "tsv": Format(_fields_of_files, _read_tsv, has_columns=True, is_parallel=True),
}
