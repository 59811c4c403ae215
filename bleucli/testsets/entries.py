"""The facts that the registry has about a test set, as immutable records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bleucli.records import NamedTuple

# The fields of SGML files in addition to the texts
METADATA = ("docid", "genre", "origlang")


class Source(NamedTuple):
    """A download."""

    url: str
    sha256: str = ""  # in hexadecimal digits, as is md5; "" if unknown
    md5: str = ""


class File(NamedTuple):
    """A file with the texts of one or more fields."""

    source: int  # the number of its download, from 0
    member: str  # its path in an archive, "" for the download itself
    column: int = 0  # the column of a tsv file, from 0
    field: str = ""  # the field that a packaged file holds


class Pair(NamedTuple):
    """A language pair."""

    files: Sequence[File]  # the source first
    refs: Sequence[str]  # the labels of the references to score, where the file names them

    def needed_sources(self) -> list[int]:
        """Return the numbers of the downloads that the pair needs, each once."""
        return list(dict.fromkeys(file.source for file in self.files))


class TestSet(NamedTuple):
    """A test set."""

    name: str
    about: str
    format: str  # one of `formats.FORMATS`, or PACKAGED
    sources: Sequence[Source]
    pairs: Mapping[str, Pair]
    cite: Sequence[str]  # keys of the bibliography
    segments: int | None  # the number of segments of every pair; None if unknown


def reference_names(count: int) -> list[str]:
    """Return the names of the fields of `count` references.

    >>> reference_names(1), reference_names(2)
    (['ref'], ['ref:0', 'ref:1'])
    """
    return ["ref"] if count == 1 else [f"ref:{number}" for number in range(count)]
