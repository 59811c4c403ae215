"""The formats of test sets: how files hold the texts of a language pair.

- `FORMATS`, `fields_of`, `read_fields`: how each format is read; JSON Lines, which have no fixed fields, are apart
- `read_lines`, `read_texts`, `read_column`: plain text and tab-separated columns, one line per segment
- `read_sgml`: the SGML files of WMT until 2020, and the XML files of IWSLT, read line by line, without unescaping
- `read_wmt_xml`: the XML files of WMT since 2021, with expat
- `read_items`, `read_output`: JSON Lines, an object for each segment or document, often of many language pairs in one
  file; and the output of a system for them
- `lines_of`, `read_objects`: the file that the cache keeps of each of these pairs
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from bleucli import language_pairs
from bleucli.errors import BleuError
from bleucli.limits import read_whole_number
from bleucli.phrases import tell_count
from bleucli.reading import TextFile
from bleucli.reading.jsonfields import Fields, find_value, kind, names_of_ids, quote
from bleucli.reading.jsonlines import JsonLines
from bleucli.records import NamedTuple
from bleucli.testsets import MOST_FILE_BYTES, Items, Pair, TestSet, check_size
from bleucli.testsets.cache import MOST_NAME_BYTES, UNSAFE, is_file_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any, NoReturn
    from xml.parsers.expat import XMLParserType

    Item = dict[str, Any]

# The fields of SGML files in addition to the texts
METADATA = ("docid", "genre", "origlang")


class Format(NamedTuple):
    """How files hold the texts of a language pair."""

    read: Callable[[str, int], list[str]]  # the segments in a file, or in a column of it
    has_metadata: bool = False  # the file of the source has `METADATA`, too
    # one file has all fields and names them, so they are known only after reading; that fails if it is cut short
    names_fields: bool = False
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


# --- the XML of WMT: source, references by translator, and systems, document by document. Entity declarations are
# refused: without them, a file can neither be a bomb nor include others.


class _Document(NamedTuple):
    """A document: its attributes, and the texts of each stream by segment number."""

    attributes: dict[str, str]
    streams: dict[str, dict[int, str]]


_SOURCE = "src"
# The attribute that distinguishes the streams of a kind
_LABELS = {"ref": "translator", "hyp": "system"}
_KINDS = (_SOURCE, *_LABELS)
# The number of bytes to read at once, and the length of the longest tag
_PIECE_BYTES = 1 << 17
_LONGEST_TAG = 1 << 20


def read_wmt_xml(path: str) -> dict[str, list[str]]:
    """Return the segments of each field of a language pair, document by document, sorted by number.

    The fields are `src`, `ref:LABEL` for each translator (`ref` for one without a label), `docid`, `origlang`, each
    system, and `domain` if documents have one.
    """
    # As in sacreBLEU, test suites are left out
    documents = [document for document in _read_documents(path) if "testsuite" not in document.attributes]
    streams = dict.fromkeys(stream for document in documents for stream in document.streams)
    references = [stream for stream in streams if _kind_of(stream) == "ref"]
    systems = [stream for stream in streams if _kind_of(stream) == "hyp"]
    if not references:
        raise BleuError(f"{path}: expected documents with references, found none")
    attributes = {"docid": "id", "origlang": "origlang"}  # the attribute of a document that each field repeats
    last = {"domain": "domain"} if any("domain" in document.attributes for document in documents) else {}
    fields = [_SOURCE, *map(_field_of, references), *attributes, *map(_field_of, systems), *last]
    attributes |= last
    _check_names([*map(_field_of, references)], [*map(_field_of, systems)], path)
    columns: dict[str, list[str]] = {field: [] for field in fields}
    for document in documents:
        texts = {stream: document.streams.get(stream, {}) for stream in (_SOURCE, *references, *systems)}
        # As in sacreBLEU, segments without any reference are left out
        numbers = [number for number in sorted(texts[_SOURCE]) if any(texts[one].get(number) for one in references)]
        for stream, segments in texts.items():
            columns[_field_of(stream)] += [" ".join(segments.get(number, "").split()) for number in numbers]
        for field, attribute in attributes.items():
            columns[field] += [" ".join(document.attributes.get(attribute, "").split())] * len(numbers)
    return columns


def _check_names(references: list[str], systems: list[str], path: str) -> None:
    for name in (*references, *systems):
        if not is_file_name(name):
            raise BleuError(
                f"{path}: a translator or system is called {name!r}, which cannot be a field's name; expected 1 to"
                f" {MOST_NAME_BYTES} bytes without control characters and {' '.join(sorted(UNSAFE))}"
            )
    for name in systems:
        if name in (_SOURCE, "docid", "origlang", "domain", *references):
            raise BleuError(f"{path}: a system is called {name!r}, which is the name of another field; rename it")


# The name of a stream is its kind and label, such as `ref:A` or `hyp:Online-B`; without a label, `src` or `ref`


def _kind_of(stream: str) -> str:
    return stream.partition(":")[0]


def _field_of(stream: str) -> str:
    """Return the name of a stream's field.

    >>> _field_of("src"), _field_of("ref:A"), _field_of("hyp:Online-B")
    ('src', 'ref:A', 'Online-B')
    """
    return stream.partition(":")[2] if _kind_of(stream) == "hyp" else stream


def _read_documents(path: str) -> Iterator[_Document]:
    from xml.parsers.expat import ExpatError, ParserCreate

    from bleucli.reading.decompression import DamagedError

    parser = ParserCreate()
    parser.buffer_text = True
    documents: list[_Document] = []
    _refuse_entities(parser, path)
    _collect(parser, path, documents)
    try:
        with open(path, "rb") as file:
            _parse_xml(file, parser, path)
    except ExpatError as error:
        raise DamagedError(path, f"is not well-formed XML: {error}") from None
    except BleuError:
        raise
    except (LookupError, ValueError) as error:  # Python does not know the encoding, or expat cannot use it
        raise BleuError(f"{path} is in an unsupported encoding ({error}); expected UTF-8") from None
    except OSError as error:
        raise BleuError(f"cannot read {path}: {error.strerror or error}") from None
    yield from documents


def _parse_xml(file: IO[bytes], parser: XMLParserType, path: str) -> None:
    """Read a file in pieces; with each piece, expat reads an unfinished tag again, so tags must be short."""
    size = 0
    while piece := file.read(_PIECE_BYTES):
        parser.Parse(piece, False)
        size += len(piece)
        if size - parser.CurrentByteIndex > _LONGEST_TAG:
            raise BleuError(
                f"{path}, line {parser.CurrentLineNumber}: a tag or comment is longer than {_LONGEST_TAG} bytes, longer"
                " than in any test set; check where the file comes from"
            )
    parser.Parse(b"", True)


def _refuse_entities(parser: XMLParserType, path: str) -> None:
    def refuse(*_: object) -> NoReturn:
        raise BleuError(
            f"{path}, line {parser.CurrentLineNumber}: an entity is declared or unknown, which no test set needs; check"
            " where the file comes from"
        )

    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    parser.SkippedEntityHandler = refuse


def _collect(parser: XMLParserType, path: str, documents: list[_Document]) -> None:
    """Make the parser add each document that it reads."""
    texts: dict[int, str] | None = None  # of the current stream
    number = 0
    pieces: list[str] | None = None  # of the segment's text, up to the first element within it

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal texts, number, pieces
        if name == "seg":
            number, pieces = _parse_number(attributes, parser, path), []
            parser.CharacterDataHandler = pieces.append
        elif pieces is not None:
            parser.CharacterDataHandler = None  # Quirk: a segment's text ends where an element within it begins
        elif name == "doc":
            documents.append(_Document(attributes, {}))
        elif name in _KINDS and documents:
            label = attributes.get(_LABELS.get(name, ""), "")
            stream = f"{name}:{label}" if label or name == "hyp" else name
            texts = documents[-1].streams.setdefault(stream, {})

    def end(name: str) -> None:
        nonlocal texts, pieces
        if name == "seg":
            if texts is not None and pieces is not None:
                texts[number] = "".join(pieces)
            parser.CharacterDataHandler = pieces = None
        elif name in _KINDS:
            texts = None

    parser.StartElementHandler = start
    parser.EndElementHandler = end


def _parse_number(attributes: dict[str, str], parser: XMLParserType, path: str) -> int:
    try:
        return read_whole_number(attributes.get("id", ""))
    except ValueError:
        raise BleuError(
            f"{path}, line {parser.CurrentLineNumber}: a segment has the id {attributes.get('id', '')!r}, not a number"
        ) from None


# --- JSON Lines. The cache keeps one file for each language pair: an object for each segment that is scored, in the
# order of the test set, with the fields of the test set under their names. So texts keep their line breaks.


IDS = ("docid", "segid")
REASON = "why"


class _Lines(JsonLines):
    """A JSON Lines file of any objects."""

    def objects(self) -> Iterator[tuple[str, Item]]:
        for before, objects in self._read_items():
            for number, item in enumerate(objects, before + 1):
                yield self._at(number), item


def read_objects(path: str) -> Iterator[tuple[str, Item]]:
    """Give the objects of a file, each with its place for errors."""
    file = CachedText(path, path, mark="dropped")
    file.check_size()
    return _Lines(CachedText(path, path, mark="dropped")).objects()


def read_items(test_set: TestSet, pair: str, path: str) -> tuple[list[Item], list[Item]]:
    """Return the fields of each segment, and of each object that is left out its ids and the reason; None: no text.

    Objects that the test set marks as left out, and those without any reference that is scored, are left out. If no
    object has a reference, all are kept.
    """
    items = test_set.items
    assert items is not None
    objects = list(_of_pair(items, pair, path))
    rows = [_row(item, items, place) for place, item in objects]
    labels = test_set.pairs[pair].refs
    references = [f"ref:{label}" if label else "ref" for label in labels] or list(filter(_is_reference, items.fields))
    has_reference = [any(row.get(name) for name in references) for row in rows]
    scored, left_out = [], []
    for (_, item), row, one in zip(objects, rows, has_reference, strict=True):
        reason = "" if one or not any(has_reference) else "without a reference"
        if items.leave_out and find_value(item, items.leave_out):
            reason = f"marked as {items.leave_out}"
        if reason:
            left_out.append({name: row[name] for name in IDS if name in row} | {REASON: reason})
        else:
            scored.append(row)
    return scored, left_out


def _is_reference(field: str) -> bool:
    return field.partition(":")[0] == "ref"


def _of_pair(items: Items, pair: str, path: str) -> Iterator[tuple[str, Item]]:
    """Give the objects of a language pair, and those that do not say which pair they belong to."""
    languages, spelling = language_pairs.split(pair), ""
    assert languages is not None
    for place, item in read_objects(path):
        key = find_value(item, items.fields.get("docid", ""))
        of_item = language_pairs.of_item(item, key if isinstance(key, str) else "")
        if of_item is not None:
            if not all(map(language_pairs.are_alike, languages, of_item)):
                continue
            spelling = spelling or "-".join(of_item)
            if spelling != "-".join(of_item):
                both = f"{spelling!r:.60} and {'-'.join(of_item)!r:.60}"
                raise BleuError(f"{place}: {pair} may mean {both} here; name one of them in the registry")
        yield place, item


def _row(item: Item, items: Items, place: str) -> Item:
    row: Item = {}
    for name, path in items.fields.items():
        value = find_value(item, path)
        if isinstance(value, dict) and isinstance(value.get("ref"), str):  # WMT25: a text, and who translated it
            value = value["ref"]
        is_text = name == "src" or _is_reference(name)
        if isinstance(value, str):
            _check_text(value, name, place)
        elif value is None and name != "src":
            pass
        elif isinstance(value, int | float) and not is_text:
            value = str(value).lower() if isinstance(value, bool) else value
        else:
            what = kind(value) if value is not None else "missing"
            raise BleuError(f"{place}: {quote(path)}, the field {name}, is {what}; expected a string")
        row[name] = value
    return row


def _check_text(text: str, name: str, place: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BleuError(
            f"{place}: the field {name} holds half a character, a lone surrogate; repair the file"
        ) from None


def read_output(rows: Sequence[Mapping[str, Any]], path: str, name: str) -> list[str | None]:
    """Return a system's output for the segments of a language pair; None where it has none.

    rows: the ids of the segments. path: its file, which may have the output of other pairs. name: for errors.
    """
    numbers = {tuple(str(row[one]) for one in row): number for number, row in enumerate(rows)}
    kinds = list(rows[0]) if rows else []
    texts: list[str | None] = [None] * len(rows)
    for place, item in read_objects(path):
        fields = dict(zip(IDS, names_of_ids(item, Fields()), strict=False))
        number = numbers.get(tuple(str(item.get(fields[one], "")) for one in kinds))
        if number is None:
            continue
        text = item.get("hypothesis")
        if not isinstance(text, str):
            raise BleuError(f"{place}: 'hypothesis' is {kind(text)}; expected a string")
        if texts[number] is not None:
            raise BleuError(f"{place}: there are two outputs of {name} for one segment")
        _check_text(text, name, place)
        texts[number] = text
    if not any(text is not None for text in texts):
        raise BleuError(f"{name} has no output for this language pair; choose another system")
    return texts


# --- files of the cache


def lines_of(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    r"""Give objects as JSON Lines.

    >>> list(lines_of([{"docid": "a", "src": "One\n\nmore"}, {"docid": "b", "src": None}]))
    ['{"docid": "a", "src": "One\\n\\nmore"}', '{"docid": "b", "src": null}']
    """
    import json

    return (json.dumps(row, ensure_ascii=False) for row in rows)


# --- all formats

FORMATS = {
    "sgml": Format(lambda path, _: read_sgml(path), has_metadata=True),  # and the XML files of IWSLT
    "wmt-xml": Format(lambda *_: [], names_fields=True),  # see `read_wmt_xml`
    "plain": Format(lambda path, _: read_texts(path), is_parallel=True),
    "tsv": Format(read_column, is_parallel=True),
}


def fields_of(test_set: TestSet, pair: Pair) -> list[str]:
    """Return the names of the fields, as far as they are known before reading."""
    if FORMATS[test_set.format].names_fields:
        return []
    references = len(pair.files) - 1
    names = ["ref"] if references == 1 else [f"ref:{number}" for number in range(references)]
    return ["src", *names, *(METADATA if _has_metadata(test_set) else ())]


def _has_metadata(test_set: TestSet) -> bool:
    return FORMATS[test_set.format].has_metadata and not test_set.name.startswith("wmt08")  # as in sacreBLEU 2.6.0


def read_fields(test_set: TestSet, pair: str, paths: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Return the segments of each field of a language pair; paths: those of its files."""
    form, record = FORMATS[test_set.format], test_set.pairs[pair]
    if form.names_fields:
        return read_wmt_xml(paths[0])
    columns = [form.read(path, file.column) for path, file in zip(paths, record.files, strict=True)]
    fields = dict(zip(fields_of(test_set, record), columns, strict=False))  # metadata come last
    return fields | (_read_metadata(paths[0]) if _has_metadata(test_set) else {})
