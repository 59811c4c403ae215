"""The layout of files of statistics: what columns and metadata are called, and from what rows were made."""

import json
from collections.abc import Sequence

from bleucli._version import __version__
from bleucli.records import NamedTuple

# The layout; a file of a later one is not understood
LAYOUT = "1"
ENDING = ".parquet"
SYSTEM, SEGMENT, REFERENCES = "system", "segment", "refs"
# What tells segments apart beside their index, and in which order these columns stand
PLACES = ("testset", "langpair", "part")
# What metadata tells: the layout, who wrote the file, by which command, and of each shard what texts it was made from
LAYOUT_KEY, VERSION_KEY, COMMAND_KEY, SHARDS_KEY = "bleu.stats", "bleu.version", "bleu.command", "bleu.shards"


class Shard(NamedTuple):
    """From what some rows of a file were made: which system's, the index of the first, how many; SHA-256 of texts."""

    system: str
    first: int
    rows: int
    hypothesis: str = ""
    references: Sequence[str] = ()
    source: str = ""


def metadata(shards: Sequence[Shard], command: str) -> dict[str, str]:
    """Return what the metadata of a file tell."""
    shown = command.encode("utf-8", "backslashreplace").decode()  # names of files need not be UTF-8
    told = {LAYOUT_KEY: LAYOUT, VERSION_KEY: __version__, COMMAND_KEY: shown}
    return {**told, SHARDS_KEY: json.dumps([shard._asdict() for shard in shards])}


def label_of(value: object) -> object:
    """Return a value that makes a group: NaN, which pandas puts where nothing is, as None.

    >>> label_of(float("nan")), label_of(0.5), label_of("nan")
    (None, 0.5, 'nan')
    """
    return None if value != value else value
