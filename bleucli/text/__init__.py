"""Segments: n texts in one UTF-8 buffer, the form in which text travels from the files to the kernels.

- `Segments`: the texts and their bounds
- `blocks_of_strings`: any iterable of strings, or a column of pyarrow or pandas, as `Segments` of bounded size
- `refuse_unordered`: an error for collections without an order
- `align`: several series cut into pieces of equal length
- `DOCUMENT`: the label of documents
"""

from __future__ import annotations

import sys
from _collections_abc import Iterable, Iterator  # see CONTRIBUTING.md
from itertools import accumulate, islice

from bleucli.errors import BleuError, InputTypeError, LengthError, NotWaitedFor
from bleucli.phrases import Turn, tell_count, tell_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Sequence
    from typing import Any, overload

# The label that names the document of a segment
DOCUMENT = "doc"
_BLOCK_STRINGS = 4096
_START = bytes(8)  # the bound 0
_BYTE_ORDER = sys.byteorder
# Types that need no further check: instances are lists of texts
_LISTS = frozenset((list, tuple))
# Iterable, but not lists of texts
_NO_LISTS = (str, bytes, set, frozenset, dict)
# Arrow's types of texts; the first ones, with the type of their offsets, are shared without copying
_OFFSETS = {"string": "i4", "large_string": "i8"}
_TEXTUAL = (*_OFFSETS, "string_view")
_encode = str.encode  # not a subclass's own method: the text is what the string holds


class Segments:
    """n texts as slices of one UTF-8 buffer; a text may be missing.

    Args:
        data: the UTF-8 bytes of all texts, in any arrangement.
        bounds: 2n signed 64-bit integers in native byte order (16n bytes): the start and the end of each text in
            `data`, in bytes; -1 and -1 for a missing text. Bounds are not checked.

    Raises:
        IndexError: by `segments[index]`, if there is no such text.
        InputTypeError: by `segments[start:stop:step]`, if the step is not 1.

    Texts may share bytes and leave gaps, so the lines of a file, its columns, a subset or a slice need no copy of the
    text.

    >>> segments = Segments.from_strings(["The cat sat.", None, ""])
    >>> len(segments), list(segments)
    (3, ['The cat sat.', None, ''])
    >>> list(segments[1:])
    [None, '']
    """

    __slots__ = ("bounds", "data")

    def __init__(self, data: bytes | memoryview, bounds: bytes | memoryview) -> None:
        self.data = data
        self.bounds = bounds

    @classmethod
    def from_strings(cls, texts: Sequence[str | None], what: str = "text", first: int = 0) -> Segments:
        """Return strings as `Segments`.

        Args:
            texts: a list of strings; None is a missing text.
            what: what errors call a text.
            first: the index of the first text, from which errors count.

        Raises:
            InputTypeError: an element is neither a string nor None, or `texts` is not a list.
            BleuError: an element holds a lone surrogate, which UTF-8 cannot express.
        """
        if type(texts) not in _LISTS and isinstance(texts, _NO_LISTS):
            raise _no_list(texts, what)
        try:
            if type(texts) not in _LISTS and hasattr(texts, "__len__"):
                texts = list(texts)  # a column of pandas is looked up by labels, not by places
            if len(texts) == 1 and (text := texts[0]) is not None:  # scores of sentences call this once per text
                data = _encode(text)
                return cls(data, _START + len(data).to_bytes(8, _BYTE_ORDER))
            missing: list[int] = []
            try:
                encoded = list(map(_encode, texts))  # type: ignore[arg-type]
            except TypeError:  # something is not a string; to ask each text whether it is one takes longer
                encoded = [b"" if text is None else _encode(text) for text in texts]
                missing = [n for n, text in enumerate(texts) if text is None]
        except (TypeError, UnicodeEncodeError):
            raise _no_text(texts, what, first) from None
        return cls.from_bytes(encoded, missing)

    @classmethod
    def from_bytes(cls, texts: Sequence[bytes | memoryview], missing: Iterable[int] = ()) -> Segments:
        """Return texts in UTF-8 as `Segments`; missing: the indexes of those that are missing.

        >>> list(Segments.from_bytes([b"a", b"", b"b"], [1]))
        ['a', None, 'b']
        """
        import array  # takes a quarter of the time of `from array import array`

        lengths = list(accumulate(map(len, texts)))  # from an iterator, an array would take twice as long
        ends = array.array("q", lengths)
        bounds = array.array("q", bytes(16 * len(ends)))
        bounds[1::2] = ends
        bounds[2::2] = ends[:-1]  # each text starts where the one before it ends
        for index in missing:
            bounds[2 * index] = bounds[2 * index + 1] = -1
        return cls(b"".join(texts), bounds.tobytes())

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
        def __getitem__(self, index: slice) -> Segments: ...

    def __getitem__(self, index: int | slice) -> str | Segments | None:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                raise InputTypeError(f"a slice of Segments with step {step}; expected step 1")
            return Segments(self.data, memoryview(self.bounds)[16 * start : 16 * max(start, stop)])
        index = range(len(self))[index]
        start, end = self.pairs[2 * index : 2 * index + 2]
        return None if start < 0 else str(self.data[start:end], "utf-8")

    def __iter__(self) -> Iterator[str | None]:
        data, bounds = self.data, self.pairs.tolist()
        for start, end in zip(bounds[::2], bounds[1::2], strict=True):
            yield None if start < 0 else str(data[start:end], "utf-8")

    @classmethod
    def join(cls, blocks: Sequence[Segments] | Iterator[Segments]) -> Segments:
        """Return the texts of all blocks, one after the other; an iterator may give blocks that nobody else holds.

        >>> list(Segments.join([Segments.from_strings(["a", None]), Segments.from_strings(["b"])]))
        ['a', None, 'b']
        """
        if not isinstance(blocks, Iterator) and len(blocks) == 1:
            return blocks[0]
        from array import array

        bounds, data = array("q"), bytearray()
        for block in blocks:
            pairs, start = block.pairs.tolist(), len(data)
            bounds.extend([bound + start if bound >= 0 else bound for bound in pairs])
            end = max([0, *pairs])  # tokenizers leave as much room again after the last text
            data += memoryview(block.data)[:end]
        return cls(bytes(data), bounds.tobytes())

    def take(self, indexes: Sequence[int]) -> Segments:
        """Return some texts, in the order of their indexes, without copying them.

        Raises:
            IndexError: there is no such text.

        >>> list(Segments.from_strings(["a", "b", "c"]).take([2, 0]))
        ['c', 'a']
        """
        from array import array

        pairs, places = self.pairs, range(len(self))
        whole = [places[index] for index in indexes]  # twice a small number of NumPy's would overflow
        return Segments(self.data, array("q", [pairs[2 * i + side] for i in whole for side in (0, 1)]).tobytes())

    def gather(self, indexes: Sequence[int]) -> Segments:
        """Return some texts, in the order of their indexes, copied into a buffer of their own.

        Raises:
            IndexError: there is no such text.

        >>> gathered = Segments.from_strings(["a", None, "c"]).gather([2, 1])
        >>> list(gathered), gathered.data
        (['c', None], b'c')
        """
        pairs, places = self.pairs, range(len(self))
        whole = [2 * places[index] for index in indexes]
        starts = [pairs[index] for index in whole]
        texts = [self.data[start : pairs[index + 1]] for index, start in zip(whole, starts, strict=True)]
        return Segments.from_bytes(texts, [place for place, start in enumerate(starts) if start < 0])

    def lower(self) -> Segments:
        """Return each text lowercased as `str.lower` does.

        >>> list(Segments.from_strings(["ΣΑΣ İ", None]).lower())
        ['σας i̇', None]
        """
        data = bytes(self.data)
        if data.isascii():  # otherwise, lengths in bytes may change, and a sigma depends on the letters around it
            return Segments(data.lower(), self.bounds)
        if len(self.bounds) == 16:  # one text, as in scores of sentences
            start, end = self.pairs
            return Segments.from_strings([None if start < 0 else str(data[start:end], "utf-8").lower()])
        return Segments.from_strings([None if text is None else text.lower() for text in self])

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy only the part of the buffer that holds the texts."""
        from array import array

        bounds = self.pairs.tolist()
        start = min(bounds, default=0)
        if start < 0:  # a text is missing
            start = min((bound for bound in bounds if bound >= 0), default=0)
        data = bytes(self.data[start : max([0, *bounds])])
        if start > 0:
            bounds = [bound - start if bound >= 0 else bound for bound in bounds]
        return _of_array, (data, array("q", bounds))

    def __repr__(self) -> str:
        return f"<Segments: {tell_count(len(self), 'text')}>"


def _of_array(data: bytes, bounds: array[int]) -> Segments:
    return Segments(data, bounds.tobytes())


def _no_text(texts: Sequence[object], what: str, first: int) -> BleuError:
    """Return an error that names the first element that is not a text."""
    try:
        index, text = next(pair for pair in enumerate(texts, first) if not _is_text(pair[1]))
    except (TypeError, StopIteration):  # not even a list
        return _no_list(texts, what)
    if not isinstance(text, str):
        return InputTypeError(tell_place(what, index), f" is {_kind(text)}, not a string; give one string per segment")
    at, character = next(pair for pair in enumerate(text) if not _is_text(pair[1]))
    flaw = f"holds a lone surrogate (U+{ord(character):04X}, character"
    return BleuError(
        Turn(f"{what} {index} {flaw} {at}, both counting from 0)", f"{what} {index + 1} {flaw} {at + 1})"),
        ", which is not text; decode the input without errors='surrogateescape'",
    )


def _is_text(value: object) -> bool:
    if isinstance(value, str):
        return not any("\ud800" <= character <= "\udfff" for character in value)
    return value is None


def _kind(value: object) -> str:
    return f"of type {type(value).__name__}"


def _no_list(texts: object, what: str) -> InputTypeError:
    if isinstance(texts, str | bytes):
        return InputTypeError(f"{what}: a bare string where a list of strings belongs; write [text]")
    if isinstance(texts, _NO_LISTS):
        return InputTypeError(
            f"{what}: a {type(texts).__name__}, whose order is not that of the segments; give a list of strings"
        )
    return InputTypeError(f"{what}: {_kind(texts)}; expected a list of strings")


def refuse_unordered(texts: object, what: str) -> None:
    """Refuse a set, whose order changes from run to run, and a dictionary, which iterates over its keys."""
    if isinstance(texts, set | frozenset | dict):
        raise _no_list(texts, what)


def blocks_of_strings(texts: Iterable[str | None], what: str) -> Iterator[Segments]:
    """Cut an iterable of strings into `Segments` of at most 4096 texts.

    The iterable may be a pyarrow array or chunked array, or a pandas Series or Index, whose nulls (None, NaN,
    `pandas.NA`) are missing texts. Columns of Arrow's types `string` and `large_string` are not copied, even if pandas
    holds them.

    >>> [len(block) for block in blocks_of_strings(map(str, range(5000)), "hypothesis")]
    [4096, 904]
    """
    if type(texts) is list or type(texts) is tuple:  # most texts are, and sentences should not wait for the rest
        for first in range(0, len(texts), _BLOCK_STRINGS):
            yield Segments.from_strings(texts[first : first + _BLOCK_STRINGS], what, first)
        return
    if isinstance(texts, _NO_LISTS):
        raise _no_list(texts, what)
    if _is_of("pyarrow", ("Array", "ChunkedArray"), texts):
        yield from _blocks_of_arrow(texts, what)
        return
    if _is_of("pandas", ("Series", "Index", "DataFrame"), texts):
        yield from _blocks_of_pandas(texts, what)
        return
    try:
        # An object that has only __getitem__ is read at once, since reading it may show that it is not a list
        remaining = iter(texts if isinstance(texts, Iterable) else list(texts))
    except TypeError:
        raise _no_list(texts, what) from None
    first = 0
    while batch := list(islice(remaining, _BLOCK_STRINGS)):
        yield Segments.from_strings(batch, what, first)
        first += len(batch)


# --- columns of pyarrow and pandas; a caller who has one has already imported the module


def _is_of(module: str, classes: Sequence[str], value: object) -> bool:
    loaded = sys.modules.get(module)
    return loaded is not None and any(isinstance(value, getattr(loaded, name, ())) for name in classes)


def _blocks_of_pandas(column: Any, what: str) -> Iterator[Segments]:
    if hasattr(column, "columns"):
        raise InputTypeError(f"{what}: a DataFrame where one column belongs; write frame[name]")
    if _is_of("pandas", ("ArrowDtype",), column.dtype) or getattr(column.dtype, "storage", "").startswith("pyarrow"):
        yield from _blocks_of_arrow(column.array.__arrow_array__(), what)
        return
    texts = column.to_numpy(dtype=object)
    missing = sys.modules["pandas"].isna(texts)
    for start in range(0, len(texts), _BLOCK_STRINGS):
        block = texts[start : start + _BLOCK_STRINGS].tolist()
        for index in missing[start : start + _BLOCK_STRINGS].nonzero()[0]:
            block[index] = None
        yield Segments.from_strings(block, what, start)


def _blocks_of_arrow(column: Any, what: str) -> Iterator[Segments]:
    first = 0
    for chunk in getattr(column, "chunks", [column]):
        for start in range(0, len(chunk), _BLOCK_STRINGS):
            block = chunk.slice(start, _BLOCK_STRINGS)
            yield of_arrow(block, what, first)
            first += len(block)


def of_arrow(texts: Any, what: str, first: int = 0) -> Segments:
    """Return the texts of an Arrow array; those of `string` and `large_string` are shared, others are copied.

    texts: not a chunked array; nulls are missing texts. what: what errors call a text. first: the index of the first
    text, from which errors count.
    """
    try:
        texts.validate(full=True)
    except ValueError as error:
        raise BleuError(
            tell_place(what, first),
            f" or a later one is not valid Arrow text ({error}); encode the column as UTF-8",
        ) from None
    # Only arrays with plain offsets can be shared, so dictionaries and views are copied into one
    values = texts.dictionary if hasattr(texts, "dictionary") else texts
    if str(values.type) in _TEXTUAL and str(texts.type) not in _OFFSETS:
        texts = texts.cast("large_string")
    if str(texts.type) in _OFFSETS:
        return share_arrow(texts)
    return Segments.from_strings(texts.to_pylist(), what, first)


def share_arrow(texts: Any) -> Segments:
    """Return `Segments` over the bytes of a valid Arrow array of `string` or `large_string`.

    Its buffers are n bits that mark present texts, n + 1 offsets, and the UTF-8 bytes.
    """
    if not len(texts):
        return Segments(b"", b"")
    import numpy as np

    present, offsets, data = texts.buffers()
    first, last = texts.offset, texts.offset + len(texts)
    ends = np.frombuffer(offsets, _OFFSETS[str(texts.type)])[first : last + 1].astype(np.int64)
    start, end = int(ends[0]), int(ends[-1])
    bounds = np.stack((ends[:-1] - start, ends[1:] - start), axis=1)
    if texts.null_count:
        bits = np.frombuffer(present, np.uint8)[first // 8 : (last + 7) // 8]
        there = np.unpackbits(bits, bitorder="little")[first % 8 :][: len(texts)]
        bounds[there == 0] = -1
    return Segments(memoryview(data)[start:end] if data else b"", bounds.tobytes())


# --- several series in step

# For how many seconds to go on counting the segments of a text that is known to be too long: it may be endless
PATIENCE = 3.0


def align(
    series: Sequence[Iterator[Sequence[Segments]]],
    names: Sequence[str],
    hurry: Callable[[], None] = lambda: None,
    may_be_empty: bool = False,
) -> Iterator[list[Sequence[Segments]]]:
    """Walk through several series of blocks in step: each piece holds the same segments of every series.

    Args:
        series: each gives blocks; a block has one `Segments` per column, all of one length.
        names: the names of the series, for the error.
        hurry: called once the series are known to differ in length. From then on they are read only to count
            segments for the error, and may raise `NotWaitedFor`.
        may_be_empty: whether all series may have no segments.

    Raises:
        LengthError: the series do not have the same number of segments. Counting stops after some seconds.

    >>> left = iter([[Segments.from_strings(["a", "b", "c"])]])
    >>> right = iter([[Segments.from_strings(["x"])], [Segments.from_strings(["y", "z"])]])
    >>> [[list(columns[0]) for columns in piece] for piece in align([left, right], ["left", "right"])]
    [[['a'], ['x']], [['b', 'c'], ['y', 'z']]]
    """
    blocks: list[Sequence[Segments]] = [()] * len(series)
    start = 0
    while True:
        for number, source in enumerate(series):
            if not _height(blocks[number]):
                blocks[number] = next((block for block in source if _height(block)), ())  # empty blocks are skipped
        heights = list(map(_height, blocks))
        count = min(heights)
        if not count:
            break
        if count == max(heights):  # nothing has to be cut
            yield blocks
            blocks = [()] * len(series)
        else:
            yield [[column[:count] for column in block] for block in blocks]
            blocks = [[column[count:] for column in block] for block in blocks]
        start += count
    if (start or may_be_empty) and not any(map(_height, blocks)):
        return
    hurry()
    raise length_error(names, _count_rest(series, start, list(map(_height, blocks))))


def _height(block: Sequence[Segments]) -> int:
    return len(block[0]) if block else 0


def _count_rest(
    series: Sequence[Iterator[Sequence[Segments]]], start: int, ahead: Sequence[int]
) -> list[tuple[int, bool]]:
    """Read series to their ends, but stop after some seconds.

    start: how many segments all of them gave. ahead: how many more each one gave; 0 if it has ended.

    Returns:
        For each series, the number of segments found, and whether it has no more.
    """
    from time import monotonic

    end = monotonic() + PATIENCE
    counts = []
    for source, height in zip(series, ahead, strict=True):
        count, ended = start + height, not height
        try:
            while not ended and monotonic() < end:
                block = next(source, None)
                ended = block is None
                count += _height(block or ())
        except NotWaitedFor:
            pass
        counts.append((count, ended))
    return counts


def length_error(names: Sequence[str], counts: Sequence[tuple[int, bool]]) -> BleuError:
    """Return the error about texts of different lengths, a `LengthError` unless one of them is empty.

    counts: for each text, the number of segments found, and whether it has no more (true of the shortest).
    """
    shortest = min((number for number, (_, ended) in enumerate(counts) if ended), key=lambda number: counts[number][0])
    least = counts[shortest][0]
    if not least:
        return BleuError(
            f"{names[shortest]} is empty; expected ",
            Turn("one text for each segment", "one segment per line"),
            ", at least one",
        )
    longest = max(range(len(counts)), key=lambda number: counts[number][0])
    count, ended = counts[longest]
    return LengthError(
        (
            f"{names[longest]} has {'' if ended else 'at least '}{tell_count(count, 'segment')} but {names[shortest]}",
            f" has {tell_count(least, 'segment')}: ",
            Turn(tell_place("segment", least), tell_place("line", least).command),
            f" of {names[shortest]} is missing; give one ",
            Turn("text", "line"),
            " for each segment",
        ),
        longest,
        shortest,
        (count if ended else None, least),
    )
