"""Files of labels: one line per segment, with tab-separated columns such as document and domain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from bleucli.errors import BleuError
from bleucli.phrases import tell_count
from bleucli.reading import TextFile
from bleucli.text import Segments


def read(file: TextFile, names: Sequence[str] = ()) -> tuple[list[str], Iterator[list[Segments]]]:
    r"""Return the names of the columns, and the labels in blocks, one `Segments` per column.

    Args:
        file: a file with as many columns as its first line has, and without a byte-order mark.
        names: the names of the columns; none if the first line has them.

    Raises:
        BleuError: the file is empty or cannot be read, or a column has no name, or that of another one.

    >>> from io import BytesIO
    >>> file = TextFile("labels.tsv", stream=BytesIO(b"doc\tdomain\na\tnews\nb\ttalk\n"), columns=None)
    >>> names, blocks = read(file)
    >>> names, [[list(column) for column in block] for block in blocks]
    (['doc', 'domain'], [[['a', 'b'], ['news', 'talk']]])
    """
    count = file.columns()
    blocks = file.blocks()
    if not names:
        first = next(blocks, None)
        if first is None:
            raise BleuError(f"{file.name} is empty; expected names of labels in its first line")
        names = [column[0] or "" for column in first]
        blocks = chain([[column[1:] for column in first]], blocks)
    elif len(names) != count:
        columns, labels = tell_count(count, "column"), tell_count(len(names), "name")
        raise BleuError(f"{file.name} has {columns}, but --label-names has {labels}; name each column")
    else:
        first = next(blocks, None)
        if first is not None:
            if [column[0] for column in first] == list(names):
                raise BleuError(f"{file.name} has the names of its columns in its first line; leave out --label-names")
            blocks = chain([first], blocks)
    wrong = next((name for place, name in enumerate(names) if not name or name in names[:place]), None)
    if wrong is not None:
        what = f"two columns {wrong!r}" if wrong else "a column without a name"
        raise BleuError(f"{file.name} has {what} in its first line; give each column a name of its own")
    return list(names), blocks
