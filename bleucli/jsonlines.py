r"""JSON Lines as blocks of segments: an object a segment, which holds hypotheses, references, or both.

- `is_jsonl`: whether a file's name says so
- `Fields`, `fields_named`: where in an object the texts are
- `JsonLines`: the texts of a file
"""

from collections.abc import Collection, Iterator, Sequence
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
    """Where in an object the texts are; what is not said is found under a usual name.

    A path leads into objects by the names of fields and into arrays by numbers from 0: `resps.0.text`. A field whose
    name is the whole path, dots included, comes first; a backslash takes the dot behind it as a part of a name.

    hypotheses: for each system of the file its name, "" for the file's own, and a path. references: a path, or "".
    """

    hypotheses: tuple[tuple[str, str], ...] = ()
    references: str = ""


# The usual names. Of the first ones the first that is present counts, whatever else there is
_HYPOTHESES = ("candidate", "hypothesis", "prediction", "actual_output", "translation")
_REFERENCES = ("references", "reference", "expected_output")
# These may mean something else, and are taken only where nothing else can be meant
_GUESSED_HYPOTHESES = ("mt", "output", "pred", "response")
_GUESSED_REFERENCES = ("target", "ref", "refs", "tgt_text")
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
    r"""Return what `hyp=PATH,refs=PATH` names; either part may be left out.

    Several hypotheses of one file are several systems, each with a name before a colon, else called by its path. A
    backslash takes the comma, the colon or the dot behind it as a part of a name.

    Raises:
        UsageError: it has another form, or two systems one name.

    >>> fields_named("hyp=filtered_resps.0,refs=doc.de")
    Fields(hypotheses=(('', 'filtered_resps.0'),), references='doc.de')
    >>> fields_named(r"hyp=a:out.0,b:out.1,dc\:title").hypotheses
    (('a', 'out.0'), ('b', 'out.1'), ('dc:title', 'dc\\:title'))
    """
    paths: dict[str, list[str]] = {}
    key = ""
    for part in _split(text, ","):
        begun, equals, rest = part.partition("=")
        begins = bool(equals) and begun in ("hyp", "refs")
        if begun in paths if begins else key != "hyp":
            raise _wrong_form(text)
        key, path = (begun, rest) if begins else (key, part)
        if not path:
            raise _wrong_form(text)
        paths.setdefault(key, []).append(path)
    named = paths.get("hyp", [])
    hypotheses = []
    for one in named:
        name, *behind = _split(one, ":")
        path = ":".join(behind) if behind else one
        if not name or not path:
            raise _wrong_form(text)
        hypotheses.append((_unescape(name) if behind or len(named) > 1 else "", path))
    names = [name for name, _ in hypotheses]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise UsageError(f"--jsonl-fields {text!r}: two systems would be called {repeated!r}; name each once")
    return Fields(tuple(hypotheses), *paths.get("refs", ()))


def _wrong_form(text: str) -> UsageError:
    return UsageError(
        f"--jsonl-fields {text!r}; expected hyp=NAME,refs=NAME, or one of the two; several systems are"
        " hyp=a:NAME,b:NAME"
    )


def _split(text: str, separator: str) -> list[str]:
    r"""Cut text at a character, but not where a backslash precedes it; backslashes stay.

    >>> _split(r"v1\.0.text", ".")
    ['v1\\.0', 'text']
    """
    parts, escaped = [""], False
    for character in text:
        if character == separator and not escaped:
            parts.append("")
        else:
            parts[-1] += character
        escaped = character == "\\" and not escaped
    return parts


def _unescape(text: str) -> str:
    """Return text without the backslashes that take the next character as it is."""
    import re

    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


class JsonLines:
    r"""A JSON Lines file.

    Args:
        file: its lines, without a byte-order mark, which JSON does not allow.
        fields: where in an object the texts are, if not under usual names.
        hypotheses: whether to take the hypotheses.
        references: whether to take the references.
        demanded: whether each object must have a field of references, be it null.

    Attributes:
        demanded: likewise.
        name: for messages.
        systems: the names of its systems, none if there is but one without a name.
        with_references: whether the references are taken.
        hints: what a user should know about the file; complete once all blocks were read.
        segments: how many were read so far.
        brings_references: whether one was taken so far.

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
        self.systems = [name for name, _ in fields.hypotheses if name]
        self._file = file
        self._hypotheses: Sequence[_Path | _UsualName] = ()
        if hypotheses:
            elsewhere = _first_names(fields.references)
            usual = _UsualName("hypothesis", _HYPOTHESES, _GUESSED_HYPOTHESES, elsewhere)
            self._hypotheses = [_Path("hypothesis", path) for _, path in fields.hypotheses] or [usual]
        elsewhere = {name for _, path in fields.hypotheses for name in _first_names(path)}
        self._references = (
            _Path("reference", fields.references)
            if fields.references
            else _UsualName("reference", _REFERENCES, _GUESSED_REFERENCES, elsewhere)
        )
        self._wanted = (fields, hypotheses, references)
        self.with_references = references
        self.demanded = demanded
        self._blank = 0
        self.segments = 0
        self.brings_references = False
        self._decode = JSONDecoder().raw_decode

    def columns(self) -> int:
        """Return the number of its systems; references count as 1, a set of them for each segment."""
        return len(self._hypotheses) or 1

    def twin(self) -> "JsonLines":
        """Return the same regular file, unread."""
        return JsonLines(self._file.twin(), *self._wanted, self.demanded)

    def count(self) -> int | None:
        """Return how many segments a regular file has, blank lines at its end aside: see `TextFile`."""
        read = self._file.again() if self._file.is_file else None
        try:
            return None if read is None else sum(text != "" for block in read() for text in block)
        except BleuError:
            return None

    def sha256(self) -> str:
        """Return the SHA-256 of the file: see `TextFile`."""
        return self._file.sha256()

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file: see `TextFile`."""
        return self._file.is_file

    def hurry(self) -> None:
        """Wait no longer for a stream that has nothing to read: see `TextFile`."""
        self._file.hurry()

    def blocks(self) -> Iterator[list[Segments]]:
        """Read the file; each block is a `Segments` of hypotheses a system, if they are taken, then references, if so.

        There are as many of references as a segment of the block has, at least one; the next block may have another
        number of them.

        Raises:
            BleuError: the file cannot be read, or a line is not what it should be.
        """
        for before, lines in self._file.lines():
            line = before + 1
            items = list(self._items(lines, line))
            self.segments += len(items)
            texts = [
                [self._hypothesis(place, item, number) for number, item in enumerate(items, line)]
                for place in self._hypotheses
            ]
            rows = [self._row(item, number) for number, item in enumerate(items, line) if self.with_references]
            self.brings_references = self.brings_references or any(text is not None for row in rows for text in row)
            for start, end in _cut_rows(rows) if self.with_references else [(0, len(items))]:
                columns = [self._segments(system[start:end], "hypothesis", line + start) for system in texts]
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

    def _hypothesis(self, place: "_Path | _UsualName", item: "dict[str, Any]", number: int) -> str:
        try:
            field, text = place.find(item)
        except _NotFoundError as reason:
            raise self._not_found(number, "hyp", reason) from None
        if type(text) is str:
            return text
        raise self._wrong_type(number, field, text, "a string" + _advise_path("hyp", field, text))

    def _row(self, item: "dict[str, Any]", number: int) -> list[str | None]:
        """Return the references in an object; at least one, which may be missing."""
        try:
            field, value = self._references.find(item)
        except _NotFoundError as reason:
            if reason.may_be_left_out and not self.demanded:
                return [None]
            raise self._not_found(number, "refs", reason) from None
        return self._check_row(value, field, number) or [None]

    def _check_row(self, value: "Any", field: str, number: int) -> list[str | None]:
        if type(value) is list:
            for text in value:
                if type(text) is not str and text is not None:
                    raise self._wrong_type(number, field, text, "a string or null", "holds")
            return value
        if value is None:
            return [None]
        if type(value) is str and field != _PLURAL:
            return [value]
        wanted = "an array of strings" if field == _PLURAL else "a string or an array of strings"
        raise self._wrong_type(number, field, value, wanted + _advise_path("refs", field, value))

    def _wrong_type(self, number: int, field: str, value: object, wanted: str, holds: str = "is") -> BleuError:
        return BleuError(f"{self.name}, line {number}: {_quote(field)} {holds} {_kind(value)}; expected {wanted}")

    def _not_found(self, number: int, key: str, reason: "_NotFoundError") -> BleuError:
        return BleuError(f"{self.name}, line {number}: {reason}; name the field with --jsonl-fields {key}=NAME")

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


# --- where in an object a text is


class _NotFoundError(Exception):
    """Why an object does not tell a text; may_be_left_out: it does not have the field, and nothing like it."""

    def __init__(self, why: str, may_be_left_out: bool = False) -> None:
        super().__init__(why)
        self.may_be_left_out = may_be_left_out


class _Path:
    """A path that was named; `what` it leads to, for errors."""

    def __init__(self, what: str, path: str) -> None:
        self._what = what
        self._path = path
        self._steps = [_unescape(step) for step in _split(path, ".")]

    def find(self, item: "dict[str, Any]") -> "tuple[str, Any]":
        """Return the path, for messages, and what stands there.

        Raises:
            _NotFoundError: nothing does.
        """
        if self._path in item:
            return self._path, item[self._path]
        value: Any = item
        for depth, step in enumerate(self._steps):
            if type(value) is dict and step in value:
                value = value[step]
            elif type(value) is list and (index := _index(step)) is not None and index < len(value):
                value = value[index]
            else:
                raise self._not_found(value, depth)
        return self._path, value

    def _not_found(self, value: object, depth: int) -> _NotFoundError:
        """Return an error about what stands `depth` steps along the path, and does not lead further."""
        place = _quote(".".join(_split(self._path, ".")[:depth]))
        if isinstance(value, dict):
            found = f"{place} with {_list_names(value)}" if depth else _list_names(value)
        else:
            found = f"{place}, {_kind(value)}" + (f" of {len(value)}" if isinstance(value, list) else "")
        return _NotFoundError(f"no {self._what}; expected {_quote(self._path)}, found {found}", depth == 0)


class _UsualName:
    """A name that nobody had to name.

    Args:
        what: is found, for errors.
        known: of these, the first that an object has counts.
        guessed: a file that has none of those may have one of these; if it has several, nobody knows which is meant.
        elsewhere: names under which something else was found, so that they are not meant.
    """

    def __init__(self, what: str, known: Sequence[str], guessed: Sequence[str], elsewhere: Collection[str]) -> None:
        self._what = what
        self._known = [name for name in known if name not in elsewhere]
        self._guessed = [name for name in guessed if name not in elsewhere]
        self._guess = ""

    def find(self, item: "dict[str, Any]") -> "tuple[str, Any]":
        """Return the name of a field and what it holds.

        Raises:
            _NotFoundError: there is none, or several that were guessed.
        """
        if not self._guess:
            for name in self._known:
                if name in item:
                    self._guessed = []  # nor is anything guessed in the objects to come
                    return name, item[name]
        names = [*self._known, *self._guessed]
        found = [name for name in names if name in item]
        if not found:
            expected = " or ".join(map(_quote, [self._guess] if self._guess else names))
            raise _NotFoundError(f"no {self._what}; expected {expected}, found {_list_names(item)}", True)
        possible = dict.fromkeys([*filter(None, [self._guess]), *found])  # one was guessed on an earlier line
        if len(possible) > 1:
            each = " and ".join(map(_quote, possible))
            raise _NotFoundError(f"{each} may each be the {self._what}, and only one can be")
        (self._guess,) = found
        return self._guess, item[self._guess]


def _index(step: str) -> int | None:
    return int(step) if step.isascii() and step.isdigit() and len(step) < 10 else None


def _first_names(path: str) -> set[str]:
    """Return the names of fields that a path may begin with; "" has none."""
    return {path, _unescape(_split(path, ".")[0])} if path else set()


def _advise_path(key: str, field: str, value: object) -> str:
    """Return what to do about a value that is not text but may hold some, "" if it cannot.

    >>> _advise_path("hyp", "filtered_resps", ["Hallo"])
    '; if the text is inside, name the path: --jsonl-fields hyp=filtered_resps.0'
    """
    import re

    inside = next(iter(value), "") if isinstance(value, dict) else "0" if isinstance(value, list) and value else ""
    step = re.sub(r"([\\.,:])", r"\\\1", inside)
    return f"; if the text is inside, name the path: --jsonl-fields {key}={field}.{step}" if inside else ""


def _list_names(item: "dict[str, Any]") -> str:
    found = ", ".join(map(_quote, islice(item, _SHOWN_FIELDS))) + (", ..." if len(item) > _SHOWN_FIELDS else "")
    return found or "no field"


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "a number")


def _quote(field: str) -> str:
    """Return a field's name in quotes, cut if it is long, with escapes for what cannot be printed."""
    return repr(field if len(field) <= _SHOWN_CHARACTERS else field[:_SHOWN_CHARACTERS] + "...")
