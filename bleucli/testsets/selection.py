"""Parts of a test set: segments by original language, by domain, and by country.

- `Marks`: what is known about each segment
- `marks_of`: the marks, read from a test set's fields
- `choose`, `find`, `groups`: the segments that options ask for
- `subsets_of`: the names of the subsets that a tag stands for
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from bleucli.errors import BleuError, UsageError
from bleucli.phrases import Turn
from bleucli.records import NamedTuple
from bleucli.testsets import TestSet
from bleucli.testsets.preparation import read_field
from bleucli.testsets.registry import document_tags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Marks(NamedTuple):
    """What is known about each segment; None if the test set does not say."""

    origlangs: Sequence[str] | None  # the language in which it was first written
    tags: Sequence[str] | None  # a domain, or COUNTRY-domain[-detail]
    subsets: Sequence[Sequence[str]] | None  # the names of the subsets it belongs to


class Group(NamedTuple):
    """Segments that share an original language, a domain or a country."""

    origlang: str  # the language in which they were first written
    kind: str  # "domain" or "country"
    value: str  # which one, or ALL
    segments: Sequence[int]  # their numbers, from 0


# What to do if files of the cache do not match, perhaps after a killed run of sacreBLEU
AGAIN = "remove its folder from the cache; it will be made again"
_COUNTRY = "country:"
_NOT = "non-"
_ORIGLANG, _SUBSET = Turn("origlang", "--origlang"), Turn("subset", "--subset")


def marks_of(test_set: TestSet, paths: Mapping[str, str]) -> Marks:
    """Read what is known about the segments of a language pair; paths: those of its fields."""

    def column(name: str) -> list[str] | None:
        if name not in paths:
            return None
        return ["" if value is None else str(value) for value in read_field(test_set, paths[name], name)]

    origlangs = column("origlang")
    if not any(origlangs or ()):  # the field is empty in IWSLT's files
        origlangs = None
    if (tags := column("domain")) is not None:
        return Marks(origlangs, tags, [[tag] if tag else [] for tag in tags])
    of_documents = document_tags(test_set.name)
    if not of_documents:
        return Marks(origlangs, None, None)
    tags = [of_documents.get(document, "") for document in column("docid") or ()]
    return Marks(origlangs, tags, [subsets_of(tag) for tag in tags])


def subsets_of(tag: str) -> list[str]:
    """Return the subsets that a document with a tag belongs to.

    >>> subsets_of("OTHER-world-ID"), subsets_of("")
    (['country:OTHER', 'world'], [])
    """
    country, _, rest = tag.partition("-")
    return [f"{_COUNTRY}{country}", rest.partition("-")[0]] if rest else []


def count(marks: Marks) -> int:
    """Return the number of segments that have marks; 0 if nothing is known."""
    counts = {len(column) for column in marks if column is not None}
    if len(counts) > 1:
        raise BleuError(
            "the test set has original languages and domains for different numbers of segments"
            f" ({', '.join(map(str, sorted(counts)))}); {AGAIN}"
        )
    return max(counts, default=0)


def join(parts: Sequence[Marks]) -> Marks:
    """Return the marks of several test sets, one after the other; marks that one of them lacks are left out."""
    columns: list[list[Any] | None] = []
    for of_parts in zip(*parts, strict=True):
        is_complete = all(column is not None for column in of_parts)
        columns.append(list(chain.from_iterable(of_parts)) if is_complete else None)
    return Marks(*columns)


def choose(marks: Marks, origlang: str | None, subset: str | None, name: str) -> list[int]:
    """Return the numbers of the segments with an original language and a tag; name: of the test set, for errors.

    origlang: a language, or `non-` and a language; None for all. subset: a regular expression to search for in the
    tags, with or without `country:` before it; None for all.

    >>> choose(Marks(["en", "de", "en"], ["US-crime", "GB-sport", ""], None), "en", "^US", "wmt18")
    [0]
    """
    segments = find(marks, origlang, subset, name)
    if not segments:
        parts = [] if origlang is None else [f"origlang {origlang}"]
        parts += [] if subset is None else [f"subset {subset!r}"]
        alternatives = [] if origlang is None else [_languages(marks)]
        alternatives += [] if subset is None else [_subset_names(marks)]
        raise BleuError(f"{name} has no segment of {' and '.join(parts)}; it has the {' and the '.join(alternatives)}")
    return segments


def find(marks: Marks, origlang: str | None, subset: str | None, name: str) -> list[int]:
    """Return the numbers that `choose` returns, or none."""
    of_origlang = set(_find_origlang(marks, origlang, name))
    return [number for number in _find_tag(marks, subset, name) if number in of_origlang]


def _find_origlang(marks: Marks, origlang: str | None, name: str) -> list[int]:
    if origlang is None:
        return list(range(count(marks)))
    if marks.origlangs is None:
        raise UsageError(_ORIGLANG, f": {name} does not say which language its segments were first written in")
    language, is_same = origlang.removeprefix(_NOT), not origlang.startswith(_NOT)
    if not language:
        raise UsageError(_ORIGLANG, f" {origlang!r} names no language; {name} has the {_languages(marks)}")
    return [number for number, one in enumerate(marks.origlangs) if (one == language) is is_same]


def _find_tag(marks: Marks, subset: str | None, name: str) -> list[int]:
    if subset is None:
        return list(range(count(marks)))
    if marks.tags is None:
        raise UsageError(_SUBSET, f": {name} does not say which domain its segments belong to")
    expression = subset.removeprefix(_COUNTRY)
    if not expression:
        raise UsageError(_SUBSET, f" {subset!r} names no subset; {name} has the {_subset_names(marks)}")
    try:
        pattern = re.compile(expression)
    except (re.error, OverflowError) as error:  # a number of repetitions may be too large
        raise UsageError(_SUBSET, f" {subset!r} is not a regular expression: {error}") from None
    except RecursionError:
        raise UsageError(_SUBSET, f" {subset!r} is nested too deeply; write a simpler regular expression") from None
    return [number for number, tag in enumerate(marks.tags) if pattern.search(tag)]


def _languages(marks: Marks) -> str:
    return f"original languages {', '.join(sorted(set(marks.origlangs or ())))}"


def _subset_names(marks: Marks) -> str:
    return f"subsets {', '.join(sorted({name for names in marks.subsets or () for name in names}))}"


def groups(marks: Marks, origlang: str | None, subset: str | None) -> Iterator[Group]:
    """Give the segments of each original language and, within it, of each domain and country; as for `choose`.

    If domains are known but original languages are not, the language is "", as sacreBLEU prints it. A subset takes the
    place of the domains and countries.
    """
    segments = count(marks)
    if marks.origlangs is None and marks.subsets is None:
        return
    languages = [""] * segments if marks.origlangs is None else marks.origlangs
    names_of: Sequence[Sequence[str]] = marks.subsets or [[]] * segments
    if subset is not None:
        tagged = set(_find_tag(marks, subset, ""))
        names_of = [[subset] if number in tagged else [] for number in range(segments)]
    by_language: dict[str, list[int]] = {}
    for number in _find_origlang(marks, origlang, ""):
        by_language.setdefault(languages[number], []).append(number)
    for language, numbers in sorted(by_language.items()):
        yield Group(language, "domain", "ALL", numbers)
        members: dict[str, list[int]] = {}
        for number in numbers:
            for name in names_of[number]:
                members.setdefault(name, []).append(number)
        for name, part in sorted(members.items()):
            kind = "country" if name.startswith(_COUNTRY) else "domain"
            yield Group(language, kind, name.removeprefix(_COUNTRY), part)
