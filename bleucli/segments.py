"""Segments: n texts in one UTF-8 buffer, the form in which text travels from the files to the kernels.

- `Segments`: the texts and their bounds
- `blocks_of_strings`: any iterable of strings as a series of `Segments` of bounded size
- `align`: several series cut into pieces of equal length
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice

from bleucli.errors import BleuError, InputTypeError, LengthError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import overload

_BLOCK_STRINGS = 4096


class Segments:
    """n texts as slices of one UTF-8 buffer; a text may be missing.

    Args:
        data: the UTF-8 bytes of all texts, in any arrangement.
        bounds: 2n signed 64-bit integers in native byte order (16n bytes), start and end of each text in `data`; -1
            and -1 for a missing one.

    Texts may share bytes and leave gaps, so that the lines of a file, its columns, a subset or a slice need
    no copy of the text.

    >>> segments = Segments.from_strings(["The cat sat.", None, ""])
    >>> len(segments), list(segments)
    (3, ['The cat sat.', None, ''])
    >>> list(segments[1:])
    [None, '']
    """

    __slots__ = ("bounds", "data")

    def __init__(self, data: bytes, bounds: bytes | memoryview) -> None:
        self.data = data
        self.bounds = bounds

    @classmethod
    def from_strings(cls, texts: Sequence[str | None], what: str = "text", first: int = 1) -> "Segments":
        """Encode `texts`; `what` and `first` (the number of the first one) appear in errors.

        Raises:
            InputTypeError: an element is neither a string nor None.
            BleuError: an element holds a lone surrogate, which UTF-8 cannot express.
        """
        try:
            if len(texts) == 1:
                data = texts[0].encode()  # type: ignore[union-attr]
                return cls(data, array("q", (0, len(data))).tobytes())
            encoded = [text.encode() for text in texts]  # type: ignore[union-attr]
            ends = array("q", accumulate(map(len, encoded)))
            bounds = array("q", bytes(16 * len(ends)))
            bounds[1::2] = ends
            bounds[2::2] = ends[:-1]
        except (AttributeError, TypeError, UnicodeEncodeError):
            encoded, bounds = _encode_one_by_one(texts, what, first)
        return cls(b"".join(encoded), bounds.tobytes())

    @property
    def pairs(self) -> memoryview:
        """The bounds as a flat sequence of 2n integers."""
        return memoryview(self.bounds).cast("q")

    def __len__(self) -> int:
        return len(self.bounds) // 16

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, index: int) -> str | None: ...
        @overload
        def __getitem__(self, index: slice) -> "Segments": ...

    def __getitem__(self, index: int | slice) -> "str | Segments | None":
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                raise InputTypeError(f"a slice of Segments with step {step}; only neighbours (step 1) can be taken")
            return Segments(self.data, memoryview(self.bounds)[16 * start : 16 * max(start, stop)])
        index = range(len(self))[index]
        start, end = self.pairs[2 * index : 2 * index + 2]
        return None if start < 0 else str(self.data[start:end], "utf-8")

    def __iter__(self) -> Iterator[str | None]:
        return map(self.__getitem__, range(len(self)))

    def __repr__(self) -> str:
        return f"<Segments: {len(self)} texts>"


def _encode_one_by_one(texts: Sequence[object], what: str, first: int) -> tuple[list[bytes], "array[int]"]:
    """Encode texts some of which may be missing; name the one that is no text."""
    encoded, bounds, end = [], array("q"), 0
    for number, text in enumerate(texts, first):
        if text is None:
            bounds.extend((-1, -1))
            continue
        if not isinstance(text, str):
            raise InputTypeError(f"{what} {number} is {_kind(text)}, not a string; give one string a segment")
        try:
            piece = text.encode()
        except UnicodeEncodeError as error:
            raise BleuError(
                f"{what} {number} holds a lone surrogate (U+{ord(text[error.start]):04X}, character {error.start + 1}),"
                " which is no text; decode the input without errors='surrogateescape'"
            ) from None
        encoded.append(piece)
        bounds.extend((end, end + len(piece)))
        end += len(piece)
    return encoded, bounds


def _kind(value: object) -> str:
    return f"of type {type(value).__name__}"


def blocks_of_strings(texts: Iterable[str | None], what: str) -> Iterator[Segments]:
    """Cut an iterable of strings into `Segments` of at most 4096 texts.

    Raises:
        InputTypeError: `texts` is a bare string, or cannot be iterated, or holds something else than strings.

    >>> [len(block) for block in blocks_of_strings(map(str, range(5000)), "hypothesis")]
    [4096, 904]
    """
    if isinstance(texts, str | bytes):
        raise InputTypeError(f"{what}: a bare string where a list of strings belongs; write [text]")
    try:
        remaining = iter(texts)
    except TypeError:
        raise InputTypeError(f"{what}: {_kind(texts)}, which is no list of strings") from None
    first = 1
    while batch := list(islice(remaining, _BLOCK_STRINGS)):
        yield Segments.from_strings(batch, what, first)
        first += len(batch)


def align(series: Sequence[Iterator[Sequence[Segments]]], names: Sequence[str]) -> Iterator[list[Sequence[Segments]]]:
    """Walk through several series of blocks in step: each piece holds the same segments of every series.

    Args:
        series: each gives blocks; a block is one `Segments` a column, all of one length.
        names: of the series, for the error.

    Raises:
        LengthError: the series do not have the same number of segments.
        BleuError: one has none at all.

    >>> left = iter([[Segments.from_strings(["a", "b", "c"])]])
    >>> right = iter([[Segments.from_strings(["x"])], [Segments.from_strings(["y", "z"])]])
    >>> [[list(columns[0]) for columns in piece] for piece in align([left, right], ["left", "right"])]
    [[['a'], ['x']], [['b', 'c'], ['y', 'z']]]
    """
    blocks: list[Sequence[Segments]] = [()] * len(series)
    done = 0
    while True:
        for number, source in enumerate(series):
            if not _height(blocks[number]):
                blocks[number] = next((block for block in source if _height(block)), ())
        count = min(map(_height, blocks))
        if not count:
            break
        yield [[column[:count] for column in block] for block in blocks]
        blocks = [[column[count:] for column in block] for block in blocks]
        done += count
    _check_all_ended(series, names, blocks, done)


def _height(block: Sequence[Segments]) -> int:
    return len(block[0]) if block else 0


def _check_all_ended(
    series: Sequence[Iterator[Sequence[Segments]]],
    names: Sequence[str],
    blocks: Sequence[Sequence[Segments]],
    done: int,
) -> None:
    counts = [done + _height(block) + sum(map(_height, rest)) for rest, block in zip(series, blocks, strict=True)]
    if max(counts) == min(counts) > 0:
        return
    shortest = counts.index(min(counts))
    if not counts[shortest]:
        raise BleuError(f"{names[shortest]} is empty; expected one segment a line, at least one")
    longest = counts.index(max(counts))
    raise LengthError(
        f"{names[longest]} has {_plural(counts[longest])} but {names[shortest]} has {_plural(counts[shortest])}: "
        f"line {counts[shortest] + 1} of {names[shortest]} is missing; give one line for each segment",
        longest,
        shortest,
    )


def _plural(count: int) -> str:
    return f"{count} segment{'' if count == 1 else 's'}"
