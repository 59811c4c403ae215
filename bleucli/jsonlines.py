r"""JSON Lines as blocks of segments: an object a segment, which holds a hypothesis, references, or both.

- `is_jsonl`: whether a file's name says so
- `Fields`, `fields_named`: which fields of an object hold the texts
- `JsonLines`: the texts of a file
"""

from collections import namedtuple
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from json import JSONDecoder

from bleucli import kernels
from bleucli.errors import BleuError, UsageError
from bleucli.segments import Segments
from bleucli.textfiles import TextFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Fields(NamedTuple):
        """The fields that hold the texts; of several the first one present counts."""

        hypothesis: tuple[str, ...] = ("candidate", "hypothesis", "prediction", "actual_output", "translation")
        references: tuple[str, ...] = ("references", "reference", "expected_output")

else:
    Fields = namedtuple(
        "Fields",
        "hypothesis references",
        defaults=(
            ("candidate", "hypothesis", "prediction", "actual_output", "translation"),
            ("references", "reference", "expected_output"),
        ),
    )

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
        file: its lines.
        fields: where in an object the texts are.
        hypotheses: whether to take the hypotheses.
        references: whether to take the references.
        demanded: whether each object must have a field of references, be it null.

    Attributes:
        name: for messages.
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
        self.name = file.name
        self.hints = file.hints
        self._file = file
        self._fields = fields
        self._hypotheses = hypotheses
        self._references = references
        self._demanded = demanded
        self._blank = 0
        self._decode = JSONDecoder().raw_decode

    def columns(self) -> int:
        """Return 1: a JSON Lines file is one system, or one set of references for each segment."""
        return 1

    def blocks(self) -> Iterator[list[Segments]]:
        """Read the file; each block is a `Segments` of hypotheses, if they are taken, and as many of references as needed.

        The number of references may differ from block to block: as many as a segment in it has.

        Raises:
            BleuError: the file cannot be read, or a line is not what it should be.
        """
        for before, lines in self._file.lines():
            objects = self._objects(lines, before + 1)
            hypotheses = [self._hypothesis(*pair) for pair in objects] if self._hypotheses else []
            references = [self._reference_row(*pair) for pair in objects] if self._references else []
            first = before + 1
            for count in _portions(references) if self._references else [len(objects)]:
                columns = [hypotheses[:count]] if self._hypotheses else []
                columns += zip_longest(*references[:count])
                yield [self._segments(column, first) for column in columns]
                del hypotheses[:count], references[:count]
                first += count

