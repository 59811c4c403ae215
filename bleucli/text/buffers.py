"""Conversion of numbers and texts to pyarrow and back, through their buffers; and files for pyarrow.

pyarrow's own conversions always import pandas if it is installed, which takes half a second.

- `to_arrow`, `to_numpy`: numbers
- `text_array`: texts
- `lists_as_streams`: lists of texts
- `open_file`: a file on this machine, whatever its name
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from bleucli.optional_deps import load
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa
    from numpy.typing import NDArray

# NumPy's types by Arrow's names
_KINDS = {
    **{f"int{bits}": f"i{bits // 8}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"u{bits // 8}" for bits in (8, 16, 32, 64)},
    "float": "f4",
    "double": "f8",
}


def to_arrow(numbers: NDArray[Any]) -> pa.Array:
    """Return numbers as a pyarrow array that shares their memory.

    >>> import numpy as np
    >>> to_arrow(np.array([1, 2, 3])).type
    DataType(int64)
    """
    pa = load("pyarrow", "arrow")
    import numpy as np

    kinds = {"i1": pa.int8(), "i4": pa.int32(), "i8": pa.int64(), "f8": pa.float64()}
    whole = np.ascontiguousarray(numbers)
    return pa.Array.from_buffers(kinds[whole.dtype.str[1:]], len(whole), [None, pa.py_buffer(whole)])


def to_numpy(column: pa.Array | pa.ChunkedArray) -> NDArray[Any]:
    """Return the numbers of a column without gaps; a single chunk is shared, not copied.

    >>> import pyarrow as pa
    >>> to_numpy(pa.chunked_array([[1, 2], [3]])).tolist()
    [1, 2, 3]
    """
    import numpy as np

    kind = np.dtype(_KINDS[str(column.type)])
    chunks = [
        np.frombuffer(chunk.buffers()[1], kind)[chunk.offset : chunk.offset + len(chunk)]
        for chunk in getattr(column, "chunks", [column])
        if len(chunk)
    ]
    return chunks[0] if len(chunks) == 1 else np.concatenate([np.zeros(0, kind), *chunks])


def text_array(texts: Sequence[str | None]) -> pa.Array:
    """Return texts as a pyarrow array; bytes of file names that are not valid UTF-8 become escapes.

    >>> text_array(["a", None, "東京"]).to_pylist()
    ['a', None, '東京']
    """
    pa = load("pyarrow", "arrow")
    import numpy as np

    # Arrow's layout of texts: one bit per text, set if it is there; n + 1 offsets; the bytes of all texts
    encoded = [b"" if text is None else text.encode("utf-8", "backslashreplace") for text in texts]
    ends = np.cumsum([0, *map(len, encoded)]).astype(np.int64)
    there = np.packbits(np.array([text is not None for text in texts], bool), bitorder="little")
    buffers = [pa.py_buffer(there), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(encoded), buffers).cast(pa.string())


def lists_as_streams(lists: pa.Array, texts: Segments) -> list[Segments]:
    """Return a column of lists of texts as streams: as many as the longest list has texts, but at least one.

    lists: of the type `list` or `large_list`; texts: its `values`.
    """
    import numpy as np

    bounds = np.frombuffer(texts.bounds, np.int64).reshape(-1, 2)
    ends = to_numpy(lists.offsets).astype(np.int64)
    lengths = np.diff(ends)
    if lists.null_count:  # Arrow lets a null list have values
        lengths[np.array(lists.is_null().to_pylist())] = 0
    places = np.arange(max(int(lengths.max(initial=0)), 1))[:, None]
    has = places < lengths
    # streams[k, i] are the bounds of the text k of the list i, -1 where that list is shorter
    streams = np.full((*has.shape, 2), -1, np.int64)
    streams[has] = bounds[(ends[:-1] + places)[has]]
    return [Segments(texts.data, stream.tobytes()) for stream in streams]


def open_file(path: str) -> pa.NativeFile:
    """Open a file of this machine for pyarrow.

    By its path alone, pyarrow takes a file `s3:a.parquet` for an address, and refuses a name that is not valid UTF-8.
    """
    return load("pyarrow", "arrow").OSFile(os.fsencode(path))
