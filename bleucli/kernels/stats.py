"""SegmentStats: the sufficient statistics of a metric, one row per segment."""

from __future__ import annotations

from bleucli.errors import BleuError
from bleucli.phrases import tell_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterator, Sequence
    from typing import Any, overload

    import numpy as np
    import pyarrow
    from numpy.typing import NDArray


class SegmentStats:
    """n rows of k numbers; the sum of all rows is the statistics of the corpus.

    Args:
        data: n * k numbers, row by row: signed 64-bit integers or doubles, in native byte order.
        columns: k, the number of numbers in a row.

    NumPy reads it without a copy: `numpy.asarray(stats)` has the shape (n, k). `stats[index]` is a row, as a tuple;
    `stats[start:stop]` shares the memory of these rows; `+` appends rows; `==` compares the type of the numbers, the
    number of columns, and the rows.

    Raises:
        BleuError: by `+`, if the columns or the types of the numbers differ; by a slice, if its step is not 1.
        IndexError: by `stats[index]` and `take`, if there is no such row.

    >>> stats = SegmentStats(memoryview(bytes(4 * 8)).cast("q"), 2)
    >>> len(stats), stats[0], len(stats[1:] + stats)
    (2, (0, 0), 3)
    """

    __slots__ = ("columns", "data")

    def __init__(self, data: memoryview[int] | memoryview[float], columns: int) -> None:
        self.data = data
        self.columns = columns

    def __len__(self) -> int:
        return len(self.data) // self.columns

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, index: int) -> tuple[int | float, ...]: ...
        @overload
        def __getitem__(self, index: slice) -> SegmentStats: ...

    def __getitem__(self, index: int | slice) -> tuple[int | float, ...] | SegmentStats:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                raise BleuError(f"a slice of SegmentStats with step {step}; expected step 1")
            return SegmentStats(self.data[start * self.columns : max(start, stop) * self.columns], self.columns)
        start = range(len(self))[index] * self.columns
        return tuple(self.data[start : start + self.columns])

    def __iter__(self) -> Iterator[tuple[int | float, ...]]:
        return map(self.__getitem__, range(len(self)))

    def __add__(self, other: SegmentStats) -> SegmentStats:
        if (self.columns, self.data.format) != (other.columns, other.data.format):
            raise BleuError(
                f"statistics of {self.columns} and {other.columns} columns are of different metrics;"
                " add statistics of one metric"
            )
        return self.join((self, other))

    def take(self, indexes: Sequence[int]) -> SegmentStats:
        """Return a copy of some rows.

        Args:
            indexes: the indexes of the rows, from 0; an index may be repeated.

        >>> from array import array
        >>> list(SegmentStats(memoryview(array("q", [1, 2, 3, 4])), 2).take([1, 0]))
        [(3, 4), (1, 2)]
        """
        from array import array

        rows = array(self.data.format)
        data, width = self.data.cast("B"), self.columns * self.data.itemsize
        for index in indexes:
            start = range(len(self))[index] * width
            rows.frombytes(data[start : start + width])
        return SegmentStats(memoryview(rows), self.columns)

    def sums_of(self, groups: Sequence[int]) -> SegmentStats:
        """Return the sums of the rows of each group, such as the segments of each document.

        Args:
            groups: for each row, the number of its group, from 0; every number up to the largest occurs.

        >>> from array import array
        >>> stats = SegmentStats(memoryview(array("q", [1, 2, 3, 4, 5, 6])), 2)
        >>> list(stats.sums_of([0, 1, 0]))
        [(6, 8), (3, 4)]
        """
        import numpy as np

        numbers = np.asarray(groups)
        rows = np.asarray(self)
        if (np.diff(numbers) < 0).any():  # groups that are not contiguous
            order = np.argsort(numbers, kind="stable")
            numbers, rows = numbers[order], rows[order]
        starts = np.flatnonzero(np.diff(numbers, prepend=-1))
        return SegmentStats.from_numpy(np.add.reduceat(rows, starts, axis=0))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SegmentStats):
            return NotImplemented
        return self.columns == other.columns and self.data.format == other.data.format and self.data == other.data

    __hash__ = None  # type: ignore[assignment]  # the rows can be changed

    @classmethod
    def join(cls, blocks: Sequence[SegmentStats]) -> SegmentStats:
        """Return the rows of all blocks, one after the other; at least one block is needed."""
        if len(blocks) == 1:
            return blocks[0]
        data = memoryview(b"".join(block.data for block in blocks))
        return cls(data.cast("q") if blocks[0].data.format == "q" else data.cast("d"), blocks[0].columns)

    def to_arrow(self, names: Sequence[str] | None = None) -> pyarrow.Table:
        """Return the rows as a pyarrow table, whose columns are 64-bit integers or doubles.

        Args:
            names: the names of the columns; by default `column_1` and so on. `Metric.column_names` returns those of a
                metric.

        Raises:
            BleuError: there are more or fewer names than columns; or pyarrow is not installed.

        >>> from array import array
        >>> SegmentStats(memoryview(array("q", [1, 2, 3, 4])), 2).to_arrow(["edits", "ref_len"]).to_pylist()
        [{'edits': 1, 'ref_len': 2}, {'edits': 3, 'ref_len': 4}]
        """
        from bleucli.optional_deps import load
        from bleucli.text.buffers import to_arrow

        pa = load("pyarrow", "arrow")
        names = [f"column_{n}" for n in range(1, self.columns + 1)] if names is None else list(names)
        if len(names) != self.columns:
            raise BleuError(
                f"{tell_count(len(names), 'name')} for statistics of {self.columns} columns; give one name per column"
            )
        import numpy as np

        rows = np.asarray(self)
        columns = [to_arrow(rows[:, place]) for place in range(self.columns)]
        return pa.table(columns, names=names)

    @classmethod
    def from_arrow(cls, table: pyarrow.Table) -> SegmentStats:
        """Return the rows of a table whose columns are numbers: integers if all columns have integers, else doubles.

        Raises:
            BleuError: a column has gaps or values that are not numbers; or integers of 2^63 or more, unless another
                column has doubles; or there is no column.

        >>> import pyarrow as pa
        >>> list(SegmentStats.from_arrow(pa.table({"edits": [1, 3], "ref_len": [2, 4]})))
        [(1, 2), (3, 4)]
        """
        import numpy as np

        from bleucli.text.buffers import to_numpy

        if not table.num_columns:
            raise BleuError("a table without columns holds no statistics; select some columns")
        for name, column in zip(table.column_names, table.columns, strict=True):
            if column.null_count or not str(column.type).startswith(("int", "uint", "float", "double")):
                content = "gaps" if column.null_count else f"values of type {column.type}"
                raise BleuError(f"the column {name} has {content}; expected a number in each row")
        kinds = {str(column.type) for column in table.columns}
        kind = np.int64 if all(name.startswith(("int", "uint")) for name in kinds) else np.float64
        rows = np.empty((table.num_rows, table.num_columns), kind)
        for place, column in enumerate(table.columns):
            numbers = to_numpy(column)
            if kind is np.int64 and len(numbers) and (largest := int(numbers.max())) >= 2**63:
                raise BleuError(f"the column {table.column_names[place]} has {largest}; expected integers below 2^63")
            rows[:, place] = numbers
        return cls.from_numpy(rows)

    @classmethod
    def from_numpy(cls, rows: NDArray[np.int64 | np.float64]) -> SegmentStats:
        """Return the rows of an array; the memory is shared if the array is contiguous.

        >>> import numpy as np
        >>> list(SegmentStats.from_numpy(np.array([[1, 2], [3, 4]], "q")))
        [(1, 2), (3, 4)]
        """
        import numpy as np

        # NumPy's 64-bit integers have another format than q on some platforms; a cast to q must go by way of bytes.
        # Python refuses to cast a memoryview whose shape has a zero.
        data = memoryview(np.ascontiguousarray(rows).data).cast("B") if rows.size else memoryview(b"")
        return cls(data.cast("q") if rows.dtype.kind == "i" else data.cast("d"), rows.shape[1])

    def __reduce__(self) -> tuple[Any, ...]:
        from array import array

        rows = array(self.data.format)
        rows.frombytes(self.data.tobytes())
        return _from_rows, (rows, self.columns)  # an array records its byte order; a memoryview cannot be pickled

    @property
    def __array_interface__(self) -> dict[str, object]:
        """The rows for NumPy, shape (n, k), without a copy."""
        kind = "i8" if self.data.format == "q" else "f8"
        return {"version": 3, "shape": (len(self), self.columns), "typestr": kind, "data": self.data}

    def __repr__(self) -> str:
        return f"<SegmentStats: {tell_count(len(self), 'row')} of {self.columns}>"


def _from_rows(rows: array[int] | array[float], columns: int) -> SegmentStats:
    return SegmentStats(memoryview(rows), columns)
