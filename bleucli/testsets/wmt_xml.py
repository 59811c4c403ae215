"""The XML files of WMT since 2021: source, references by translator, and systems, document by document.

They are read with expat. Entity declarations are refused: without them, a file can neither be a bomb nor include
others.
"""

from __future__ import annotations

from collections.abc import Iterator

from bleucli.errors import BleuError
from bleucli.limits import read_whole_number
from bleucli.reading.decompression import DamagedError
from bleucli.records import NamedTuple
from bleucli.testsets.cache import MOST_NAME_BYTES, UNSAFE, is_file_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, NoReturn
    from xml.parsers.expat import XMLParserType


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


def read(path: str) -> dict[str, list[str]]:
    """Read a language pair.

    Returns:
        The segments of each field, document by document, sorted by number: `src`, `ref:LABEL` for each translator
        (`ref` for one without a label), `docid`, `origlang`, each system, and `domain` if documents have one.
    """
    # As in sacreBLEU, test suites are left out
    documents = [document for document in _read_documents(path) if "testsuite" not in document.attributes]
    streams = dict.fromkeys(stream for document in documents for stream in document.streams)
    references = [stream for stream in streams if _kind(stream) == "ref"]
    systems = [stream for stream in streams if _kind(stream) == "hyp"]
    if not references:
        raise BleuError(f"{path}: expected documents with references, found none")
    attributes = {"docid": "id", "origlang": "origlang"}  # the attribute of a document that each field repeats
    last = {"domain": "domain"} if any("domain" in document.attributes for document in documents) else {}
    fields = [_SOURCE, *map(_field, references), *attributes, *map(_field, systems), *last]
    attributes |= last
    _check_names([*map(_field, references)], [*map(_field, systems)], path)
    columns: dict[str, list[str]] = {field: [] for field in fields}
    for document in documents:
        texts = {stream: document.streams.get(stream, {}) for stream in (_SOURCE, *references, *systems)}
        # As in sacreBLEU, segments without any reference are left out
        numbers = [number for number in sorted(texts[_SOURCE]) if any(texts[one].get(number) for one in references)]
        for stream, segments in texts.items():
            columns[_field(stream)] += [" ".join(segments.get(number, "").split()) for number in numbers]
        for field, attribute in attributes.items():
            columns[field] += [" ".join(document.attributes.get(attribute, "").split())] * len(numbers)
    return columns


def _check_names(references: list[str], systems: list[str], path: str) -> None:
    """Refuse names of translators and systems that cannot be fields' names."""
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


def _kind(stream: str) -> str:
    return stream.partition(":")[0]


def _field(stream: str) -> str:
    """Return the name of a stream's field.

    >>> _field("src"), _field("ref:A"), _field("hyp:Online-B")
    ('src', 'ref:A', 'Online-B')
    """
    return stream.partition(":")[2] if _kind(stream) == "hyp" else stream


# --- expat


def _read_documents(path: str) -> Iterator[_Document]:
    from xml.parsers.expat import ExpatError, ParserCreate

    parser = ParserCreate()
    parser.buffer_text = True
    documents: list[_Document] = []
    _refuse_entities(parser, path)
    _collect(parser, path, documents)
    try:
        with open(path, "rb") as file:
            _parse(file, parser, path)
    except ExpatError as error:
        raise DamagedError(path, f"is not well-formed XML: {error}") from None
    except BleuError:
        raise
    except (LookupError, ValueError) as error:  # Python does not know the encoding, or expat cannot use it
        raise BleuError(f"{path} is in an unsupported encoding ({error}); expected UTF-8") from None
    except OSError as error:
        raise BleuError(f"cannot read {path}: {error.strerror or error}") from None
    yield from documents


def _parse(file: IO[bytes], parser: XMLParserType, path: str) -> None:
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
