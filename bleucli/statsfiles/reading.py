"""Reading files of statistics: which there are, whether they are sound, and their columns.

- `find_files`: files, those in folders, and those that patterns match
- `StatsFile`: one of them
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from bleucli import arrow
from bleucli.errors import BleuError
from bleucli.optional_deps import load
from bleucli.statsfiles.layout import ENDING, LAYOUT, LAYOUT_KEY, REFERENCES, SEGMENT, SHARDS_KEY, VERSION_KEY, Shard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa

ANEW = "write it anew with --save-stats"


def find_files(paths: Iterable[str], endings: Sequence[str] = (ENDING,)) -> list[str]:
    """Return files: those in folders, in the order of their names, and those that patterns match.

    Raises:
        BleuError: a folder has none, or a pattern matches none.
    """
    found: list[str] = []
    for path in paths:
        if os.path.isdir(path):
            inside = [
                os.path.join(folder, name)
                for folder, _, names in os.walk(path)
                for name in names
                if name.endswith(tuple(endings)) and name[0] not in "._"  # what engines leave beside their parts
            ]
            if not inside:
                raise BleuError(f"the folder {path} has no file that ends in {' or '.join(endings)}; name another")
            found += sorted(inside)
        elif any(sign in path for sign in "*?[") and not os.path.lexists(path):
            from glob import glob

            matches = sorted(glob(path, recursive=True))
            if not matches:
                raise BleuError(f"no file matches {path}; name the files")
            found += matches
        else:
            found.append(path)
    return found


class StatsFile:
    """A file of statistics, its columns known and nothing else read.

    Attributes:
        columns: their names. is_summed: a row is a group, not a segment. signatures: by metric, those that rows have.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        with self._opened() as file:
            known = file.metadata
            self.columns: list[str] = file.schema_arrow.names
        self.rows: int = known.num_rows
        self.metadata = {
            key.decode("utf-8", "replace"): value.decode("utf-8", "replace")
            for key, value in (known.metadata or {}).items()
        }
        self._check_layout()
        self.is_summed = SEGMENT not in self.columns
        self.signatures: dict[str, list[str]] = {}
        for name in arrow.metrics_in(self.columns):
            self.signatures[name] = [one for one in self.values_of(f"{name}.{arrow.SIGNATURE}") if one is not None]

    @contextmanager
    def _opened(self) -> "Iterator[Any]":
        """Open the file for a while, for there may be many; turn what pyarrow says of it into one line."""
        pa, parquet = load("pyarrow", "arrow"), load("pyarrow.parquet", "arrow")
        try:
            with parquet.ParquetFile(self.path, page_checksum_verification=True) as file:
                yield file
        except FileNotFoundError:
            raise BleuError(f"there is no file {self.path}; name files of statistics") from None
        except (pa.ArrowException, OSError, ValueError) as error:
            if isinstance(error, BleuError):
                raise
            if isinstance(error, OSError) and error.errno:
                raise BleuError(f"cannot read {self.path}: {os.strerror(error.errno)}; name another file") from None
            told = " ".join(str(error).split()) or type(error).__name__
            raise BleuError(f"{self.path} is not a whole Parquet file ({told[:200]}); {ANEW}") from None

    def _check_layout(self) -> None:
        """Refuse what is not a file of statistics, or is of a later version."""
        layout = self.metadata.get(LAYOUT_KEY, LAYOUT)
        major = layout.partition(".")[0]
        if not major.isdecimal() or int(major) > int(LAYOUT):
            writer = self.metadata.get(VERSION_KEY, "")
            raise BleuError(
                f"{self.path} has layout {layout} of statistics{writer and f', by bleu {writer}'}, and this version"
                f" reads {LAYOUT}; install a newer bleu"
            )
        needed = (SEGMENT, REFERENCES) if SEGMENT in self.columns else tuple(arrow.COUNTS)
        missing = [name for name in needed if name not in self.columns]
        if missing or not arrow.metrics_in(self.columns):
            lacks = ", ".join(missing) or "the signature of a metric"
            raise BleuError(f"{self.path} holds no statistics: it lacks {lacks}; {ANEW}")

    @property
    def keys(self) -> list[str]:
        """The columns that tell rows apart."""
        return [name for name in arrow.keys_in(self.columns) if name not in (SEGMENT, REFERENCES)]

    def read(self, columns: Sequence[str]) -> "pa.Table":
        """Return whole columns."""
        with self._opened() as file:
            return file.read(columns=list(columns))

    def values_of(self, column: str) -> "list[Any]":
        """Return the values of a column, each once."""
        found: dict[Any, None] = {}
        with self._opened() as file:
            place = next(n for n in range(len(file.schema.names)) if file.schema.column(n).path == column)
            for number in range(file.num_row_groups):
                known = file.metadata.row_group(number).column(place).statistics
                if known is not None and known.has_min_max and known.min == known.max and known.null_count == 0:
                    found[known.min] = None  # the only one; nothing need be read
                else:
                    table = file.read_row_group(number, [column], use_threads=False)
                    found |= dict.fromkeys(table.column(0).unique().to_pylist())
        return list(found)

    def row_groups(self, columns: Sequence[str] | None) -> "Iterator[pa.Table]":
        """Give some columns, or all, of one row group after the other."""
        wanted = None if columns is None else list(columns)
        with self._opened() as file:
            for number in range(file.num_row_groups):
                yield file.read_row_group(number, wanted, use_threads=False)

    def shards(self) -> list[Shard]:
        """Return from what the rows were made; nothing if that was lost, as other programs lose it."""
        import json

        try:
            found = json.loads(self.metadata.get(SHARDS_KEY, "[]"))
            return [Shard(**one) for one in found]
        except (TypeError, ValueError):
            return []
