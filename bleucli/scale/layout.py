"""The layout of files of statistics: the names of columns and metadata, and what the rows were made from."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bleucli._version import __version__
from bleucli.records import NamedTuple
from bleucli.scale.arrow import SIGNATURE

# The version of the layout; files with a later one are refused
LAYOUT = "1"
ENDING = ".parquet"
SYSTEM, SEGMENT, REFERENCES = "system", "segment", "refs"
# The columns that identify segments in addition to their index, in this order
PLACES = ("testset", "langpair", "part")
# The metadata: the layout, the program that wrote the file, the command, and the texts that each shard was made from
LAYOUT_KEY, VERSION_KEY, COMMAND_KEY, SHARDS_KEY = "bleu.stats", "bleu.version", "bleu.command", "bleu.shards"


class Shard(NamedTuple):
    """What some rows of a file were made from.

    Attributes:
        system: the name of their system.
        first: the index, from 0, of the first segment.
        rows: the number of segments.
        hypothesis: the SHA-256 of the system's file, "" if unknown.
        references: the SHA-256 of each file of references; empty if unknown.
        source: the path of the table that held the texts, "" if there was none.
    """

    system: str
    first: int
    rows: int
    hypothesis: str = ""
    references: Sequence[str] = ()
    source: str = ""


def counts_in(columns: Sequence[str]) -> dict[str, list[str]]:
    """Return which columns of statistics there may be, by what comes before the last dot: the name of a metric.

    >>> counts_in(["system", "bleu.signature", "bleu.hyp_len", "doc.id"])
    {'bleu': ['hyp_len'], 'doc': ['id']}
    """
    found: dict[str, list[str]] = {}
    for column in columns:
        name, _, count = column.rpartition(".")
        if name and count != SIGNATURE:
            found.setdefault(name, []).append(count)
    return found


def metadata(shards: Sequence[Shard], command: str) -> dict[str, str]:
    """Return the metadata of a file."""
    shown = command.encode("utf-8", "backslashreplace").decode()  # names of files need not be UTF-8
    told = {LAYOUT_KEY: LAYOUT, VERSION_KEY: __version__, COMMAND_KEY: shown}
    return {**told, SHARDS_KEY: json.dumps([shard._asdict() for shard in shards])}


def label_of(value: object) -> object:
    """Return a value to group by; NaN, which pandas uses for missing values, becomes None.

    >>> label_of(float("nan")), label_of(0.5), label_of("nan")
    (None, 0.5, 'nan')
    """
    return None if value != value else value  # only NaN differs from itself
