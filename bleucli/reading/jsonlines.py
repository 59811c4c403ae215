r"""JSON Lines as blocks of segments: one object per segment, which holds hypotheses, references, or both.

A file may also hold one object over several lines, or an array of objects, which memory then holds at once.

- `is_jsonl`: whether a file holds JSON, by its name
- `JsonLines`: the texts of a file; `JsonItems`: the texts of objects that were parsed elsewhere
"""

from __future__ import annotations

from itertools import chain, zip_longest

from bleucli import kernels
from bleucli.errors import BleuError, NotFoundError
from bleucli.reading import TextFile
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from bleucli.reading.fastjson import Wanted
    from bleucli.reading.jsonfields import Fields, Path, UsualName

# A field of this name must hold an array; a bare string is a mistake
_PLURAL = "references"
_ENDINGS = (".jsonl", ".ndjson", ".json")
_PACKED_ENDINGS = (".gz", ".bz2", ".xz", ".zst")
_JSON_SPACE = " \t\r"
# The largest table of references in a block: its number of lines times the most references on a line
_BLOCK_TEXTS = 1 << 18
# How many times as large as usual each block is: a line holds several texts, and calls of the faster parser cost time
_BLOCK_FACTOR = 8
# From this many bytes on, the faster parser saves more time than its import takes
_PATIENCE = 1 << 24
# The most blank lines at the end of a file; a few packed kilobytes may hold thousands of millions
_MOST_BLANK = 1000
# After the faster parser refuses this many blocks in a row, it is no longer tried
_REFUSALS = 16


def is_jsonl(name: str) -> bool:
    """Return whether a file of this name holds JSON Lines, or one JSON value.

    >>> is_jsonl("sys.jsonl"), is_jsonl("sys.ndjson.gz"), is_jsonl("sys.json"), is_jsonl("json.txt")
    (True, True, True, False)
    """
    return _unpacked(name).endswith(_ENDINGS)


def _is_document(name: str) -> bool:
    """Return whether a file of this name may hold one JSON value instead of one per line."""
    return _unpacked(name).endswith(".json")


def _unpacked(name: str) -> str:
    """Return a name in lower case, without the ending of a compressed file."""
    name = name.lower()
    for ending in _PACKED_ENDINGS:
        name = name.removesuffix(ending)
    return name


class JsonLines:
    r"""A JSON Lines file.

    Args:
        file: the file, without a byte-order mark, which JSON does not allow.
        fields: the places of texts in an object; None for the usual names.
        hypotheses: whether to take the hypotheses.
        references: whether to take the references.
        demanded: whether each object must have a field of references, even if it is null.
        identified: whether to take the ids as well: those that `fields` names, or those under usual names.
        labels: the names of fields to take as labels.
        pair: a language pair, such as `en-de`, or several spellings of one, with commas between them: only its objects
            are taken, and those that do not say which they belong to; "" for all.

    Attributes:
        demanded, identified, labels: as above.
        name: for messages.
        systems: the names of the systems in the file; empty if there is only one, without a name.
        with_references: whether the references are taken.
        hints, is_file, is_packed, sha256, hurry: those of the file.
        segments: the number of segments read so far.
        brings_references: whether any reference was found so far.

    >>> from io import BytesIO
    >>> stream = BytesIO(b'{"hypothesis": "a", "references": ["b", "c"]}\n{"hypothesis": "d", "reference": "e"}\n')
    >>> [list(map(list, block)) for block in JsonLines(TextFile("stdin", stream=stream)).blocks()]
    [[['a', 'd'], ['b', 'e'], ['c', None]]]
    """

    def __init__(
        self,
        file: TextFile,
        fields: Fields | None = None,
        hypotheses: bool = True,
        references: bool = True,
        demanded: bool = True,
        identified: bool = False,
        labels: Sequence[str] = (),
        pair: str = "",
    ) -> None:
        from json import JSONDecoder

        from bleucli.reading.jsonfields import (
            NO_IDS,
            Fields,
            Path,
            paths_of_ids,
            place_of_references,
            places_of_hypotheses,
        )

        fields = fields or Fields()
        self.name = file.name
        self.hints = file.hints
        self.is_file, self.is_packed, self.sha256, self.hurry = file.is_file, file.is_packed, file.sha256, file.hurry
        self.systems = [name for name, _ in fields.hypotheses if name]
        self._file = file
        file.block_factor = _BLOCK_FACTOR
        self._hypotheses: Sequence[Path | UsualName] = places_of_hypotheses(fields, references) if hypotheses else ()
        self._references = place_of_references(fields)
        self._wanted = (fields, hypotheses, references)
        self.with_references = references
        self.demanded = demanded
        self.identified = identified and fields.ids != NO_IDS
        self.labels = labels
        self._pair = pair
        self._other_pairs: dict[str, None] = {}  # those of objects that were left out
        self._taken_pair: tuple[str, str] | None = None
        # By the names of an object's fields: those of ids, and whether others may hold a language pair
        self._shapes: dict[tuple[str, ...], tuple[Sequence[str], bool]] = {}
        self._is_document = _is_document(file.name)
        self._place = "line"  # what errors call the place of an object
        self._ids: Sequence[str] = ()  # of each kind, the field that the first object with ids has
        self._paths_of_ids = [Path("id", path) for path in paths_of_ids(fields)] if self.identified else []
        self._blank = 0
        self.segments = 0
        self.brings_references = False
        self._decode = JSONDecoder().raw_decode
        self._example: dict[str, Any] | None = None  # the last object that was parsed
        self._bytes = 0
        self._size = 0
        self._refusals = 0
        self._has_others = False  # whether an object may have fields that are not wanted

    def columns(self) -> int:
        """Return the number of systems in the file; 1 for a file of references."""
        return len(self._hypotheses) or 1

    def twin(self) -> JsonLines:
        """Return the same regular file, unread."""
        return JsonLines(self._file.twin(), *self._wanted, self.demanded, self.identified, self.labels, self._pair)

    @property
    def id_columns(self) -> int:
        """How many columns of ids follow the hypotheses in each block."""
        from bleucli.reading.jsonfields import ID_KINDS

        return len(ID_KINDS) if self.identified else 0

    def counts(self) -> Iterator[int]:
        """Count the segments of a regular file, without blank lines at its end: see `TextFile`."""
        count = 0
        blocks = self._file.twin().blocks()
        first = next(blocks, None)
        line = "" if first is None else (next(iter(first[0])) or "").strip()
        # If the first line is not an object, lines may not be items, and reading the file may raise an error
        if self._is_document or self._pair or line == "{" or not line.startswith("{"):
            for columns in self.twin().blocks():
                count += len(columns[0])
                yield count
            return
        for (block,) in chain([] if first is None else [first], blocks):
            objects = sum(text != "" for text in block)
            count += objects
            yield count
            if not objects and len(block) > _MOST_BLANK:  # reading the file raises the error
                return

    def blocks(self) -> Iterator[list[Segments]]:
        """Read the file in blocks: one `Segments` of hypotheses per system, then those of ids and references, if taken.

        There is a column for each kind of id; an id that is missing is an empty text.
        If references are taken, a block has as many `Segments` of them as any of its segments needs, at least one; the
        next block may have more or fewer.
        """
        lines = self._file.encoded_lines()
        if not self._is_document:
            first = next(lines, None)
            line = b"" if first is None else first[1].partition(b"\n")[0].strip()
            # No line of JSON Lines is a single bracket, or an array
            self._is_document = line == b"{" or line.startswith(b"[")
            lines = chain([] if first is None else [first], lines)
        if self._is_document:
            yield from self._blocks_of_pair(self._parse_document(b"".join(data for _, data in lines)), 0)
        else:
            self._size = self._file.size()
            for before, data in lines:
                columns = self._read_at_once(data)
                if columns is None:
                    yield from self._blocks_of_pair(self._parse(data, before), before)
                else:
                    yield columns
        if self._other_pairs and not self.segments:
            pairs = ", ".join(self._other_pairs)
            raise BleuError(f"{self.name} has no object of the language pair {self._pair}; it has {pairs}")

    def _blocks_of_pair(self, items: list[dict[str, Any]], before: int) -> Iterator[list[Segments]]:
        """Give the columns of those objects that belong to the pair, if one is asked for; before: the lines before."""
        rows = [(item, number) for number, item in enumerate(items, before + 1) if self._is_of_pair(item, number)]
        if rows:
            yield from self._blocks_of([item for item, _ in rows], [number for _, number in rows])

    def pairs(self) -> list[str]:
        """Return the language pairs of the objects of a regular file, as the objects spell them."""
        from bleucli import language_pairs
        from bleucli.reading.jsonfields import find_value, names_of_ids

        pairs: dict[str, None] = {}
        for item in chain.from_iterable(items for _, items in self.twin()._read_items()):
            ids = (find_value(item, name) for name in names_of_ids(item, self._wanted[0]) if name)
            if pair := language_pairs.of_item(item, next((one for one in ids if isinstance(one, str)), "")):
                pairs.setdefault("-".join(pair))
        return list(pairs)

    def _parse_document(self, data: bytes) -> list[dict[str, Any]]:
        """Return the objects of a file that is one JSON value: an object, or an array of objects.

        Files with one object per line are often named .json, too, and one with a single object in several lines .jsonl.
        """
        from json import JSONDecodeError

        text = "\n".join(self._file.decode_lines(data))
        start = len(text) - len(text.lstrip(_JSON_SPACE + "\n"))
        if start == len(text):
            return []
        first, more, _ = text[start:].partition("\n")
        try:
            value, end = self._decode(text, start)
        except JSONDecodeError as reason:
            if more and first.rstrip(_JSON_SPACE).startswith("{") and first.rstrip(_JSON_SPACE).endswith("}"):
                return self._parse(data, 0)
            raise self._invalid(reason.lineno, f"character {reason.colno}: {reason.msg}") from None
        except (ValueError, RecursionError):
            value, end = self._with_space_before(text[start:], 1)  # which raises the right error
        if rest := text[end:].lstrip(_JSON_SPACE + "\n"):
            if "\n" not in text[start:end]:
                return self._parse(data, 0)
            raise self._invalid(text.count("\n", 0, len(text) - len(rest)) + 1, "more than one value")
        self._place = "item"
        items = value if isinstance(value, list) else [value]
        for number, item in enumerate(items, 1):
            if not isinstance(item, dict):
                raise self._no_object(number, item)
        return items

    def _is_of_pair(self, item: dict[str, Any], number: int) -> bool:
        """Return whether an object belongs to the language pair that is taken, or does not say which it belongs to."""
        if not self._pair:
            return True
        from bleucli import language_pairs
        from bleucli.reading.jsonfields import find_value, names_of_ids

        names = tuple(item)
        if names not in self._shapes:
            ids = [name for name in names_of_ids(item, self._wanted[0]) if name]
            self._shapes[names] = ids, language_pairs.may_tell(names)
        of_ids, may_tell = self._shapes[names]
        key = next((one for name in of_ids if isinstance(one := find_value(item, name), str)), "")
        if not may_tell and "_#" not in key:  # of long files, nearly all
            return True
        pair = language_pairs.of_item(item, key)
        spellings = self._pair.split(",")
        languages = language_pairs.split(spellings[0])
        if pair is None or languages is None or (len(spellings) > 1 and "-".join(pair) in spellings):
            return True
        if not all(map(language_pairs.are_alike, languages, pair)):
            self._other_pairs.setdefault("-".join(pair))
            return False
        self._taken_pair = self._taken_pair or pair
        if pair != self._taken_pair:
            pairs = " and ".join(f"{'-'.join(one)!r:.60}" for one in (self._taken_pair, pair))
            raise BleuError(f"{self._at(number)}: {self._pair} may mean {pairs} here; name one of them with -l")
        return True

    def _read_at_once(self, data: bytes) -> list[Segments] | None:
        """Return the columns of a block by the faster parser; None if Python's parser must read it."""
        self._bytes += len(data)
        # After a blank line, `_items` must read on: only more blank lines may follow
        is_plain = not (self.labels or (self.identified and self._wanted[0].ids))
        if not is_plain or max(self._bytes, self._size) < _PATIENCE or self._blank or self._refusals == _REFUSALS:
            return None
        shape = self._find_wanted()
        if shape is None:
            return None
        from bleucli.reading import fastjson

        if self._pair and (not shape.alone or fastjson.has_ids_of_pairs(data)):
            return None
        columns = fastjson.read(data, shape, _BLOCK_TEXTS)
        self._has_others = self._has_others or columns is None  # other fields may be why it refused the block
        self._refusals = self._refusals + 1 if columns is None else 0
        if columns is not None:
            self.segments += len(columns[0])
            references = columns[len(self._hypotheses) + self.id_columns :]
            self.brings_references = self.brings_references or any(max(column.pairs) >= 0 for column in references)
        return columns

    def _find_wanted(self) -> Wanted | None:
        """Return what to read if all objects are like the last one that was parsed; None while this is unknown."""
        places = [*self._hypotheses, *([self._references] if self.with_references else [])]
        settled_names = [place.settled_name() for place in places]
        names = [name for name, _ in settled_names]
        if self._example is None or not all(names):
            return None
        references = names.pop() if self.with_references else ""
        kind = type(self._example.get(references))
        if references and kind not in (str, list):
            return None
        ids = [(name, type(self._example.get(name, ""))) for name in self._ids]
        if not {kind for _, kind in ids} <= {str, int}:
            return None
        from bleucli.reading.fastjson import Wanted

        names_of = {name for _, names_of in settled_names for name in names_of}
        alone = not self._has_others and self._example.keys() <= {*names, references, *(name for name, _ in ids)}
        return Wanted(names, references, kind is list, names_of, alone, ids)

    def _blocks_of(self, items: list[dict[str, Any]], numbers: Sequence[int]) -> Iterator[list[Segments]]:
        """Give the columns of objects; here and below, `numbers` are those of their lines."""
        self.segments += len(items)
        texts = [self._find_hypotheses(place, items, numbers) for place in self._hypotheses]
        ids = self._find_ids(items, numbers)
        labels = [self._find_labels(name, items, numbers) for name in self.labels]
        rows = self._find_rows(items, numbers) if self.with_references else []
        self.brings_references = self.brings_references or any(text is not None for row in rows for text in row)
        for start, end in _cut_rows(rows) if self.with_references else [(0, len(items))]:
            lines = numbers[start:end]
            columns = [self._segments(system[start:end], "hypothesis", lines) for system in texts]
            columns += [column[start:end] for column in (*ids, *labels)]
            references = zip_longest(*rows[start:end])
            yield columns + [self._segments(column, "reference", lines) for column in references]

    def _read_items(self) -> Iterator[tuple[int, list[dict[str, Any]]]]:
        """Give blocks of objects, each with the number of lines before it."""
        return ((before, self._parse(data, before)) for before, data in self._file.encoded_lines())

    def _parse(self, data: bytes, before: int) -> list[dict[str, Any]]:
        items = list(self._items(self._file.decode_lines(data), before + 1))
        self._example = items[-1] if items else None
        return items

    def _items(self, lines: list[str], first: int) -> Iterator[dict[str, Any]]:
        """Parse lines; blank ones are allowed only at the end of the file."""
        for number, line in enumerate(lines, first):
            try:
                item, end = self._decode(line)
            except (ValueError, RecursionError):
                item, end = self._with_space_before(line, number)
            if end < len(line) and (rest := line[end:].lstrip(_JSON_SPACE)):
                raise self._invalid(number, f"character {len(line) - len(rest) + 1}: more than one value")
            if end == 0 and number - (self._blank or number) < _MOST_BLANK:
                self._blank = self._blank or number
            elif self._blank:  # only some blank lines at the end are allowed
                raise BleuError(f"{self._at(self._blank)} is blank; give one object per line")
            elif not isinstance(item, dict):
                raise self._no_object(number, item)
            else:
                yield item

    def _at(self, number: int) -> str:
        return f"{self.name}, {self._place} {number}"

    @property
    def _remedy(self) -> str:
        return f"give {'an array of objects, or ' if self._is_document else ''}one object per line"

    def _no_object(self, number: int, item: object) -> BleuError:
        from bleucli.reading.jsonfields import kind

        return BleuError(f"{self._at(number)}: {kind(item)}, not an object; {self._remedy}")

    def _with_space_before(self, line: str, number: int) -> tuple[Any, int]:
        """Parse a line that may begin with space; return the value and where it ends, 0 for a blank line."""
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
        return BleuError(f"{self._at(number)}: invalid JSON ({why}); {self._remedy}")

    def _find_hypotheses(
        self, place: Path | UsualName, items: list[dict[str, Any]], numbers: Sequence[int]
    ) -> list[str]:
        name = place.common_name(items)
        texts: list[Any] = [] if name is None else [item.get(name) for item in items]
        if {*map(type, texts)} == {str}:  # nearly always
            place.find(items[0])  # which may settle where to look on later lines
            return texts
        return [self._hypothesis(place, item, number) for number, item in zip(numbers, items, strict=True)]

    def _hypothesis(self, place: Path | UsualName, item: dict[str, Any], number: int) -> str:
        field, text = self._find(place, item, number, "hyp")
        if type(text) is str:
            return text
        from bleucli.reading.jsonfields import LISTED

        if field == LISTED and type(text) is list and text and type(text[0]) is str:
            return text[0]
        raise self._wrong_type(number, field, text, "a string", key="hyp")

    def _find_ids(self, items: list[dict[str, Any]], numbers: Sequence[int]) -> list[Segments]:
        if not self.identified:
            return []
        from bleucli.reading.jsonfields import encode_ids, names_of_ids

        fields = self._wanted[0]
        if not any(self._ids):  # the first object shows where ids are, unless it has none
            shapes = {tuple(item): item for item in reversed(items)}
            self._ids = next(
                (names for item in reversed(shapes.values()) if any(names := names_of_ids(item, fields))), []
            )
        values: list[list[Any]] = [
            [self._id(path, item, number) for item, number in zip(items, numbers, strict=True)]
            for path in self._paths_of_ids
        ]
        if not values:
            values = [[item.get(name) for item in items] if name else [] for name in self._ids]
        columns = [kernels.split_lines(encode_ids(column))[0] if column else _no_ids(len(items)) for column in values]
        return [*columns, *[_no_ids(len(items))] * (self.id_columns - len(columns))]

    def _id(self, path: Path, item: dict[str, Any], number: int) -> str | int:
        """Return the id at a path that the user named, so each object must have it."""
        field, value = self._find(path, item, number, "id")
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
            return value
        raise self._wrong_type(number, field, value, "a string or a whole number, not empty", key="id")

    def _find_labels(self, name: str, items: list[dict[str, Any]], numbers: Sequence[int]) -> Segments:
        from bleucli.reading.jsonfields import label_in

        labels: list[str | None] = []
        for item, number in zip(items, numbers, strict=True):
            label = label_in(item, name)
            if not isinstance(label, str | int | float | None) or isinstance(label, bool):
                raise self._wrong_type(number, name, label, "a string or a number")
            labels.append(None if label is None else str(label))
        return self._segments(labels, "label", numbers)

    def _find_rows(self, items: list[dict[str, Any]], numbers: Sequence[int]) -> list[list[str | None]]:
        name = self._references.common_name(items)
        rows: list[Any] = [] if name is None else [item.get(name) for item in items]
        kinds = {*map(type, rows)}
        if kinds == {list} and {*map(type, chain.from_iterable(rows))} <= {str, type(None)}:  # nearly always
            self._references.find(items[0])
            return [row or [None] for row in rows]
        if kinds == {str} and name != _PLURAL:
            self._references.find(items[0])
            return [[text] for text in rows]
        return [self._row(item, number) for number, item in zip(numbers, items, strict=True)]

    def _row(self, item: dict[str, Any], number: int) -> list[str | None]:
        """Return the references in an object; at least one, which may be missing."""
        try:
            field, value = self._references.find(item)
        except NotFoundError as reason:
            if reason.may_be_left_out and not self.demanded:
                return [None]
            raise self._not_found(number, "refs", reason) from None
        if type(value) is list:
            for text in value:
                if type(text) is not str and text is not None:
                    raise self._wrong_type(number, field, text, "a string or null", "holds")
            return value or [None]
        if value is None or (type(value) is str and field != _PLURAL):
            return [value]
        if type(value) is dict and value and field != _PLURAL and (texts := _texts_by_name(value)) is not None:
            return texts
        kinds = "an array of strings" if field == _PLURAL else "a string or an array of strings"
        raise self._wrong_type(number, field, value, kinds, key="refs")

    def _wrong_type(
        self, number: int, field: str, value: object, wanted: str, holds: str = "is", key: str = ""
    ) -> BleuError:
        """Return the error about a value; key: the one of --jsonl-fields that could name a path into the value."""
        from bleucli.reading.jsonfields import advise_path, kind, quote

        advice = advise_path(key, field, value) if key else ""
        return BleuError(f"{self._at(number)}: {quote(field)} {holds} {kind(value)}; expected {wanted}{advice}")

    def _not_found(self, number: int, key: str, reason: NotFoundError) -> BleuError:
        return BleuError(f"{self._at(number)}: {reason}; name the field with --jsonl-fields {key}=NAME")

    def _find(self, place: Path | UsualName, item: dict[str, Any], number: int, key: str) -> tuple[str, Any]:
        """Return a field and what it holds; key: the one of --jsonl-fields that names it."""
        try:
            return place.find(item)
        except NotFoundError as reason:
            raise self._not_found(number, key, reason) from None

    def _segments(self, texts: Sequence[str | None], what: str, numbers: Sequence[int]) -> Segments:
        try:
            strings = [text for text in texts if text is not None]
            if len(strings) == len(texts):
                data = "\n".join([*strings, ""]).encode()
                if kernels.count_line_ends(data) == len(texts):  # no text has several lines, so a faster way works
                    return kernels.split_lines(data)[0]
            return kernels.strip_trailing(Segments.from_strings(texts))
        except (BleuError, UnicodeEncodeError):
            number, character = next(
                (number, character)
                for number, text in zip(numbers, texts, strict=True)
                for character in text or ""
                if "\ud800" <= character <= "\udfff"
            )
            raise BleuError(
                f"{self._at(number)}: the {what} holds a lone surrogate (\\u{ord(character):04x}), which is not"
                " text; write both halves of the character"
            ) from None


class JsonItems(JsonLines):
    """Objects that were parsed elsewhere; their texts and errors are those of the same objects in JSON Lines.

    name: what errors call all of them together.

    >>> [list(map(list, block)) for block in JsonItems("body", [{"hypothesis": "a", "reference": "b"}]).blocks()]
    [[['a'], ['b']]]
    >>> list(JsonItems("body", [{"hypothesis": 1}]).blocks())
    Traceback (most recent call last):
    ...
    bleucli.errors.BleuError: body, item 1: 'hypothesis' is a number; expected a string
    """

    def __init__(self, name: str, items: Sequence[Any]) -> None:
        super().__init__(TextFile(name))
        self._given = items

    def _at(self, number: int) -> str:
        return f"{self.name}, item {number}"

    def _no_object(self, number: int, item: object) -> BleuError:
        from bleucli.reading.jsonfields import kind

        return BleuError(f"{self._at(number)}: {kind(item)}, not an object; give objects with texts")

    def _wrong_type(
        self, number: int, field: str, value: object, wanted: str, holds: str = "is", key: str = ""
    ) -> BleuError:
        return super()._wrong_type(number, field, value, wanted, holds)  # no option names a path here

    def _not_found(self, number: int, key: str, reason: NotFoundError) -> BleuError:
        return BleuError(f"{self._at(number)}: {reason}; rename the field")

    def blocks(self) -> Iterator[list[Segments]]:
        """Give the texts of the objects; see `JsonLines`."""
        for number, item in enumerate(self._given, 1):
            if not isinstance(item, dict):
                raise self._no_object(number, item)
        yield from self._blocks_of(list(self._given), range(1, len(self._given) + 1))


def _texts_by_name(value: dict[str, Any]) -> list[str | None] | None:
    """Return the references in an object; None if it holds something else.

    >>> _texts_by_name({"refA": {"ref": "a", "by": "X"}, "refB": "b"}), _texts_by_name({"ref": "a", "by": {}})
    (['a', 'b'], ['a'])
    """
    if type(value.get("ref")) is str:
        return [value["ref"]]
    texts = [one.get("ref") if type(one) is dict else one for one in value.values()]
    return texts if all(type(text) is str or text is None for text in texts) and any(texts) else None


def _no_ids(count: int) -> Segments:
    return Segments(b"", bytes(16 * count))


def _cut_rows(rows: Sequence[Sequence[str | None]]) -> Iterator[tuple[int, int]]:
    """Cut rows of references into blocks, so that a few long rows do not make one wide table of all.

    >>> list(_cut_rows([["a"] * 2, ["a"] * 200000, ["a"], ["a"]]))
    [(0, 1), (1, 2), (2, 4)]
    """
    start = width = 0
    if rows and len(rows) * max(map(len, rows)) <= _BLOCK_TEXTS:  # nearly always
        yield 0, len(rows)
        return
    for index, row in enumerate(rows):
        width = max(width, len(row))
        if width * (index + 1 - start) > _BLOCK_TEXTS and index > start:
            yield start, index
            start, width = index, len(row)
    yield start, len(rows)
