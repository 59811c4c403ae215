r"""JSON Lines as blocks of segments: an object a segment, which holds a hypothesis, references, or both.

- `is_jsonl`: whether a file's name says so
- `Fields`, `fields_named`: which fields of an object hold the texts
- `JsonLines`: the texts of a file
"""

from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest

from bleucli import kernels
from bleucli.errors import BleuError, UsageError
from bleucli.records import NamedTuple
from bleucli.segments import Segments
from bleucli.textfiles import TextFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Fields(NamedTuple):
    """The fields that hold the texts; of several the first one present counts."""

    hypothesis: tuple[str, ...] = ("candidate", "hypothesis", "prediction", "actual_output", "translation")
    references: tuple[str, ...] = ("references", "reference", "expected_output")


# Under this name an array is expected, and a bare string is a mistake
_PLURAL = "references"
_ENDINGS = (".jsonl", ".ndjson")
_PACKED_ENDINGS = (".gz", ".bz2", ".xz", ".zst")
_JSON_SPACE = " \t\r"
_BLOCK_TEXTS = 1 << 16
_SHOWN_FIELDS, _SHOWN_CHARACTERS = 8, 40
_KINDS = {dict: "an object", list: "an array", str: "a string", bool: "a truth value", type(None): "null"}


def is_jsonl(name: str) -> bool:
    """Return whether a file of this name holds JSON Lines.

    >>> is_jsonl("sys.jsonl"), is_jsonl("sys.ndjson.gz"), is_jsonl("sys.json")
    (True, True, False)
    """
    name = name.lower()
    for ending in _PACKED_ENDINGS:
        name = name.removesuffix(ending)
    return name.endswith(_ENDINGS)


def fields_named(text: str) -> Fields:
    """Return the fields that `hyp=NAME,refs=NAME` names; either part may be left out.

    Raises:
        UsageError: it has another form.

    >>> fields_named("hyp=output,refs=gold")
    Fields(hypothesis=('output',), references=('gold',))
    """
    names = {}
    for part in text.split(","):
        key, equals, name = part.partition("=")
        if key not in ("hyp", "refs") or not equals or not name or key in names:
            raise UsageError(f"--jsonl-fields {text!r}; expected hyp=NAME,refs=NAME, or one of the two")
        names[key] = (name,)
    standard = Fields()
    return Fields(names.get("hyp", standard.hypothesis), names.get("refs", standard.references))


class JsonLines:
    r"""A JSON Lines file.

    Args:
        file: its lines, without a byte-order mark, which JSON does not allow.
        fields: where in an object the texts are.
        hypotheses: whether to take the hypotheses.
        references: whether to take the references.
        demanded: whether each object must have a field of references, be it null.

    Attributes:
        name: for messages.
        with_references: whether the references are taken.
        hints: what a user should know about the file; complete once all blocks were read.

    >>> from io import BytesIO
    >>> stream = BytesIO(b'{"hypothesis": "a", "references": ["b", "c"]}\n{"hypothesis": "d", "reference": "e"}\n')
    >>> [list(map(list, block)) for block in JsonLines(TextFile("stdin", stream=stream)).blocks()]
    [[['a', 'd'], ['b', 'e'], ['c', None]]]
    """

    def __init__(
        self,
        file: TextFile,
        fields: Fields = Fields(),  # noqa: B008 - it cannot be changed
        hypotheses: bool = True,
        references: bool = True,
        demanded: bool = True,
    ) -> None:
        from json import JSONDecoder

        self.name = file.name
        self.hints = file.hints
        self._file = file
        self._fields = fields
        self._hypotheses = hypotheses
        self.with_references = references
        self._demanded = demanded
        self._blank = 0
        self._decode = JSONDecoder().raw_decode

    def columns(self) -> int:
        """Return 1: a JSON Lines file is one system, or one set of references for each segment."""
        return 1

    def hurry(self) -> None:
        """Wait no longer for a stream that has nothing to read: see `TextFile`."""
        self._file.hurry()

    def blocks(self) -> Iterator[list[Segments]]:
        """Read the file; each block is a `Segments` of hypotheses, if they are taken, then references, if they are.

        There are as many of references as a segment of the block has, at least one; the next block may have another
        number of them.

        Raises:
            BleuError: the file cannot be read, or a line is not what it should be.
        """
        for before, lines in self._file.lines():
            line = before + 1
            items = list(self._items(lines, line))
            texts = [self._hypothesis(item, number) for number, item in enumerate(items, line) if self._hypotheses]
            rows = [self._row(item, number) for number, item in enumerate(items, line) if self.with_references]
            for start, end in _cut_rows(rows) if self.with_references else [(0, len(items))]:
                columns = [self._segments(texts[start:end], "hypothesis", line + start)] if self._hypotheses else []
                references = zip_longest(*rows[start:end])
                yield columns + [self._segments(column, "reference", line + start) for column in references]

    def _items(self, lines: list[str], first: int) -> "Iterator[dict[str, Any]]":
        """Parse lines; blank ones may stand at the end of the file only."""
        for number, line in enumerate(lines, first):
            item = self._item(line, number)
            if item is None:
                self._blank = self._blank or number
            elif self._blank:
                raise BleuError(f"{self.name}, line {self._blank} is blank; give one object a line")
            else:
                yield item

    def _item(self, line: str, number: int) -> "dict[str, Any] | None":
        """Parse a line; return None for a blank one."""
        try:
            value, end = self._decode(line)
        except (ValueError, RecursionError):
            value, end = self._with_space_before(line, number)
        if end < len(line) and (rest := line[end:].lstrip(_JSON_SPACE)):
            raise self._invalid(number, f"character {len(line) - len(rest) + 1}: more than one value")
        if end == 0:
            return None
        if not isinstance(value, dict):
            raise BleuError(f"{self.name}, line {number}: {_kind(value)}, not an object; give one object a line")
        return value

    def _with_space_before(self, line: str, number: int) -> "tuple[Any, int]":
        """Parse a line that is not JSON from its first character on, and return its end: 0 for a blank one."""
        from json import JSONDecodeError

        start = len(line) - len(line.lstrip(_JSON_SPACE))
        if start == len(line):
            return None, 0
        try:
            return self._decode(line, start)
        except JSONDecodeError as reason:
            raise self._invalid(number, f"character {reason.pos + 1}: {reason.msg}") from None
        except ValueError:
            raise self._invalid(number, "a number with too many digits") from None
        except RecursionError:
            raise self._invalid(number, "nested too deeply") from None

    def _invalid(self, number: int, why: str) -> BleuError:
        return BleuError(f"{self.name}, line {number}: invalid JSON ({why}); give one object a line")

    def _hypothesis(self, item: "dict[str, Any]", number: int) -> str:
        for field in self._fields.hypothesis:
            if field in item:
                text = item[field]
                if type(text) is str:
                    return text
                raise self._wrong_type(number, field, text, "a string")
        raise self._no_field(number, "hypothesis", self._fields.hypothesis, item)

    def _row(self, item: "dict[str, Any]", number: int) -> list[str | None]:
        """Return the references in an object; at least one, which may be missing."""
        for field in self._fields.references:
            if field in item:
                return self._check_row(item[field], field, number) or [None]
        if self._demanded:
            raise self._no_field(number, "reference", self._fields.references, item)
        return [None]

    def _check_row(self, value: "Any", field: str, number: int) -> list[str | None]:
        if type(value) is list:
            for text in value:
                if type(text) is not str and text is not None:
                    raise self._wrong_type(number, field, text, "a string or null", "holds ")
            return value
        if value is None:
            return [None]
        if type(value) is str and field != _PLURAL:
            return [value]
        wanted = "an array of strings" if field == _PLURAL else "a string or an array of strings"
        raise self._wrong_type(number, field, value, wanted)

    def _wrong_type(self, number: int, field: str, value: object, wanted: str, holds: str = "is ") -> BleuError:
        return BleuError(f"{self.name}, line {number}: {_quote(field)} {holds}{_kind(value)}; expected {wanted}")

    def _no_field(self, number: int, what: str, fields: tuple[str, ...], item: "dict[str, Any]") -> BleuError:
        found = ", ".join(map(_quote, islice(item, _SHOWN_FIELDS))) + (", ..." if len(item) > _SHOWN_FIELDS else "")
        key = "hyp" if what == "hypothesis" else "refs"
        return BleuError(
            f"{self.name}, line {number}: no {what}; expected {' or '.join(map(_quote, fields))}, found"
            f" {found or 'no field'}; name the field with --jsonl-fields {key}=NAME"
        )

    def _segments(self, texts: Sequence[str | None], what: str, first: int) -> Segments:
        try:
            return kernels.strip_trailing(Segments.from_strings(texts))
        except BleuError:
            number, character = next(
                (number, character)
                for number, text in enumerate(texts, first)
                for character in text or ""
                if "\ud800" <= character <= "\udfff"
            )
            raise BleuError(
                f"{self.name}, line {number}: the {what} holds a lone surrogate (\\u{ord(character):04x}), which is not"
                " text; write both halves of the character"
            ) from None


def _cut_rows(rows: Sequence[Sequence[str | None]]) -> Iterator[tuple[int, int]]:
    """Cut rows of references so that few long ones do not make a wide table of all.

    >>> list(_cut_rows([["a"] * 2, ["a"] * 40000, ["a"], ["a"]]))
    [(0, 1), (1, 2), (2, 4)]
    """
    start = width = 0
    for index, row in enumerate(rows):
        width = max(width, len(row))
        if width * (index + 1 - start) > _BLOCK_TEXTS and index > start:
            yield start, index
            start, width = index, len(row)
    yield start, len(rows)


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "a number")


def _quote(field: str) -> str:
    """Return a field's name in quotes, cut if it is long, with escapes for what cannot be printed."""
    return repr(field if len(field) <= _SHOWN_CHARACTERS else field[:_SHOWN_CHARACTERS] + "...")
