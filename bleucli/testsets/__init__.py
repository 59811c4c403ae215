"""Test sets, which are downloaded once, completely or not at all. A small one, `demo`, comes with the package.

This module has what the others share, as immutable records: `TestSet` with its `Pair`s, `File`s and `Items`; `Source`
and `Checksum`; addresses; and sizes. In the order in which to read the others:

- `registry`: the test sets by name, public or the user's own; how their facts become records
- `cache`: where files are, and how they are written safely where other users may write, too
- `fetch`, `network`: how a file is downloaded, verified and put in its place; one request
- `archives`: how the files that are wanted are unpacked
- `formats`: a reader for each format
- `preparation`: from a test set's name to the files of its fields
- `selection`: parts of a test set
- `access`: the functions that programs call
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from bleucli.errors import BleuError
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from urllib.parse import SplitResult

# The format of files that come with the package, which are already fields: there is nothing to read
PACKAGED = "packaged"
# The format of JSON Lines, whose objects hold all fields
JSON_LINES = "jsonl"


class Checksum(NamedTuple):
    """What the bytes of a download hash to."""

    kind: str  # sha256 or md5
    digits: str  # hexadecimal, lower case
    record: str = ""  # the file that it was read from, if any


class Source(NamedTuple):
    """A download."""

    url: str
    sha256: str = ""  # in hexadecimal digits, as is md5; "" if unknown
    md5: str = ""

    def checksum(self) -> Checksum | None:
        """Return the stronger of the published checksums; None if there is none.

        >>> Source("a.tgz", md5="D41D8CD98F00B204E9800998ECF8427E").checksum().digits
        'd41d8cd98f00b204e9800998ecf8427e'
        """
        kind, digits = ("sha256", self.sha256) if self.sha256 else ("md5", self.md5)
        if not digits:
            return None
        if not is_sum(kind, digits):
            raise BleuError(
                f"{digits!r} is not a valid {kind}; expected {DIGITS[kind]} hexadecimal digits, as {kind}sum prints"
                " them"
            )
        return Checksum(kind, digits.lower())


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


class Items(NamedTuple):
    """How the objects of JSON Lines hold the texts of a test set."""

    fields: Mapping[str, str]  # of each field, the path in an object
    leave_out: str = ""  # the path of what marks objects that are not scored, "" if nothing does
    documents: bool = False  # whether texts are documents with line breaks, which --echo prints as JSON Lines
    outputs: str = ""  # the address of a system's output, with {system} in place of its name; "" if there are none
    large_outputs: str = ""  # the same for outputs that are too large for the first address (Git LFS)
    systems: Sequence[str] = ()  # the names of the systems


class AllPairs(Mapping[str, Pair]):
    """Every two of many languages as language pairs, which are made only when they are asked for.

    languages: their codes, without hyphens. files: the path of a language's file, with `{language}` for its code.

    >>> pairs = AllPairs(["eng_Latn", "deu_Latn", "fra_Latn"], "devtest/{language}.devtest")
    >>> len(pairs), next(iter(pairs)), "deu_Latn-deu_Latn" in pairs
    (6, 'eng_Latn-deu_Latn', False)
    >>> pairs["fra_Latn-eng_Latn"].files[0]
    File(source=0, member='devtest/fra_Latn.devtest', column=0, field='')
    """

    def __init__(self, languages: Sequence[str], files: str) -> None:
        self.languages = languages
        self._codes = frozenset(languages)
        self._files = files

    def __getitem__(self, pair: str) -> Pair:
        source, _, target = pair.partition("-")
        if source == target or not {source, target} <= self._codes:
            raise KeyError(pair)
        return Pair([self.file(source), self.file(target)], [])

    def __iter__(self) -> Iterator[str]:
        return (f"{source}-{target}" for source in self.languages for target in self.languages if source != target)

    def __len__(self) -> int:
        return len(self.languages) * (len(self.languages) - 1)

    def file(self, language: str) -> File:
        """Return the file of a language."""
        return File(0, self._files.replace("{language}", language))

    def near(self, pair: str) -> list[str]:
        """Return the pairs whose languages another spelling may mean; see `bleucli.language_pairs.find_alike`."""
        from bleucli import language_pairs

        languages = language_pairs.split(pair) or ("", "")
        sources, targets = ([c for c in self.languages if language_pairs.are_alike(one, c)] for one in languages)
        return [f"{source}-{target}" for source in sources for target in targets if source != target]


class TestSet(NamedTuple):
    """A test set."""

    name: str
    about: str
    format: str  # one of `FORMATS`, PACKAGED or JSON_LINES
    sources: Sequence[Source]
    pairs: Mapping[str, Pair]
    cite: Sequence[str]  # keys of the bibliography
    segments: int | None  # the number of segments of every pair; None if unknown
    items: Items | None = None  # only for JSON Lines

    def files(self) -> list[File]:
        """Return the files of all language pairs."""
        if isinstance(self.pairs, AllPairs):
            return [self.pairs.file(language) for language in self.pairs.languages]
        return [file for pair in self.pairs.values() for file in pair.files]


# --- checksums

# The number of hexadecimal digits of each kind
DIGITS = {"sha256": 64, "md5": 32}


def is_sum(kind: str, digits: str) -> bool:
    """Return whether a text can be a checksum of a kind, by its number of hexadecimal digits.

    >>> is_sum("md5", "D41D8CD98F00B204E9800998ECF8427E"), is_sum("md5", "D41D")
    (True, False)
    """
    return len(digits) == DIGITS[kind] and set(digits) <= set("0123456789abcdefABCDEF")


def record_of(path: str) -> str:
    """Return where the checksum of a download is recorded, in the format of the program `sha256sum`."""
    return f"{path}.sha256"


# --- sizes: far larger than those of any known test set, yet too small to fill memory or disk

# Twenty million sentences of a hundred bytes in one file
MOST_FILE_BYTES = 1 << 31
MOST_BYTES = 1 << 33  # for a download, and for all members of an archive together
# Packing shrinks text to a tenth, or to a fiftieth if twenty systems say nearly the same; it shrinks a bomb to a
# thousandth
MOST_GROWTH = 250
GROWTH_FROM_BYTES = 1 << 26  # less does no harm, however well it is packed


def too_large(path: str, what: str) -> BleuError:
    """Return the error about a file that unpacks into more than any test set has."""
    return BleuError(f"{path} holds {what}, which no test set does; nothing was unpacked; check where it comes from")


def check_size(size: int, packed: int, path: str, most: int) -> None:
    """Refuse a file of `packed` bytes that unpacks into `size` bytes, if that is more than it can honestly hold."""
    if size > most:
        raise too_large(path, f"over {most} bytes")
    if size > max(GROWTH_FROM_BYTES, MOST_GROWTH * packed):
        raise too_large(path, f"over {MOST_GROWTH} times its own size")


# --- addresses


def is_web(address: str) -> bool:
    """Return whether an address is on the network.

    >>> is_web("https://example.org/a"), is_web("file:///data/a"), is_web("data/a")
    (True, False, False)
    """
    return address.lower().startswith(("https://", "http://"))


def last_component(address: str) -> str:
    """Return the last path component, which is the name of the download in the cache.

    >>> last_component("https://example.org/data/test%20set.tgz?raw=1"), last_component("data/test set.tgz")
    ('test%20set.tgz', 'test set.tgz')
    """
    path = _split(address).path if is_web(address) else local_path(address)
    return path.replace("\\", "/").rpartition("/")[2]


def local_path(address: str) -> str:
    """Return the path that a plain path or a `file:` address stands for.

    >>> local_path("file:///data/test%20set.tgz"), local_path("data/50%.tgz")
    ('/data/test set.tgz', 'data/50%.tgz')
    """
    if not address.lower().startswith("file:"):
        return address
    from urllib.request import url2pathname

    return url2pathname(_split(address).path)


def problem_of(address: str) -> str:
    """Return why nothing can be downloaded from an address, or "" if the address looks valid.

    >>> problem_of("https://example.org/a.tgz"), problem_of("file:///data/a.tgz"), problem_of("data/a.tgz")
    ('', '', '')
    >>> problem_of("ftp://example.org/a.tgz")
    'expected an https:, http: or file: address, or a path'
    """
    if not address or min(address) < " ":  # urlsplit would silently remove some control characters
        return "expected an address without control characters"
    is_file = address.lower().startswith("file:")
    if not is_file and not is_web(address):
        return "expected an https:, http: or file: address, or a path" if "://" in address else ""
    try:
        parts = _split(address)
        host, has_server = parts.netloc.lower(), bool(parts.hostname) and (is_file or parts.port != 0)
    except ValueError:  # such as http://[ and http://server:port
        host, has_server = address, False
    if is_file:
        return "" if host in ("", "localhost") else "expected a file: address without a host (file:///path)"
    return "" if has_server else "expected an address with the name of a server"


def _split(address: str) -> SplitResult:
    from urllib.parse import urlsplit

    return urlsplit(address)


def hide_credentials(address: str) -> str:
    """Return an address as messages show it: without a user's name and password, and `file:` without %-escapes.

    >>> hide_credentials("https://ada:secret@example.org/a.tgz"), hide_credentials("data/a@b.tgz")
    ('https://example.org/a.tgz', 'data/a@b.tgz')
    """
    if not is_web(address):
        if not address.lower().startswith("file:"):
            return address
        from urllib.parse import unquote

        return unquote(address)
    return re.sub("(?<=://)[^/?#]*@", "", address)
