"""Scoring against a test set: its references, the part of it that is scored, and what the signature says about it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO

from bleucli.cli.sources.files import FileSource
from bleucli.cli.streams import protect
from bleucli.counting.corpus import Source
from bleucli.errors import BleuError, LengthError, Note, UsageError
from bleucli.phrases import tell_count
from bleucli.reading import TextFile
from bleucli.reading.jsonfields import Fields
from bleucli.reading.jsonlines import JsonLines
from bleucli.records import NamedTuple
from bleucli.results.hints import warn
from bleucli.testsets import TestSet, cache, is_web, local_path, preparation, registry
from bleucli.testsets.formats import IDS, REASON, CachedText, read_lines, read_objects
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any

    from bleucli.cli.sources import TextArguments
    from bleucli.testsets.selection import Marks


# The fields of a test set in JSON Lines that are labels
_LABELS = ("docid", "segid", "origlang", "genre", "domain")


class _Chosen(NamedTuple):
    """A test set, its name of the pair, the paths of its fields, and the names of the references to score."""

    test_set: TestSet
    pair: str
    paths: Mapping[str, str]
    references: Sequence[str]


class TestSetSource(FileSource):
    """The systems of one run, and the references of one test set or of several, one after the other.

    name: that of the test set, or several with commas. own_sets: a file with more test sets.
    """

    def __init__(
        self, arguments: TextArguments, name: str, pair: str | None, own_sets: str | None, stdin: IO[bytes] | None
    ) -> None:
        self._name = name
        self._registry = registry.load(own_sets)
        test_sets = list(map(self._registry.__getitem__, names(name, "scoring")))
        self._pair = pair_of(pair, self._registry, [test_sets[0].name])
        in_items = [one.name for one in test_sets if one.items is not None]
        self._has_items = bool(in_items)
        if in_items and len(in_items) < len(test_sets):
            other = next(one.name for one in test_sets if one.items is None)
            raise UsageError(
                f"{in_items[0]} is a test set in JSON Lines, but {other} is not, so they cannot be scored as one; score"
                " them separately"
            )
        # Test sets spell pairs in several ways
        pairs = [self._registry.spell_pair(one.name, self._pair) for one in test_sets]
        for test_set, pair in zip(test_sets, pairs, strict=True):
            self._registry.pair(test_set.name, pair)  # refuses a pair that it does not have
        # One file may have items of all of them
        arguments = arguments._replace(pair=",".join(dict.fromkeys(pairs)))
        super().__init__(arguments, stdin, has_ids=self._has_items)
        self._sets = []
        for test_set, pair in zip(test_sets, pairs, strict=True):
            paths = preparation.prepare(test_set, pair)
            references = preparation.scored_references(test_set, pair, paths)
            self._sets.append(_Chosen(test_set, pair, paths, references))
        protect(arguments.output, [file for one in self._sets for file in files_of(one.test_set, one.paths)])
        self._left_out = [
            item for one in self._sets for item in preparation.read_left_out(one.test_set, one.pair, one.paths)
        ]
        # Outputs may have them
        if self._joining is not None:
            self._joining.left_out = [(*(str(item.get(name, "")) for name in IDS), "") for item in self._left_out]
        for reason, count in Counter(item[REASON] for item in self._left_out).items():
            total = tell_count(self._size() + len(self._left_out), "segment")
            warn(f"{self._name}/{self._pair}: {count} of {total} left out, {reason}", Note)
        self.references = [*self._reference_files()]
        self._known: Marks | None = None
        self._name_of_marks = name
        if all("src" in one.paths for one in self._sets):
            # With --partial, only joining tells which items are scored
            self.sources = None if self._has_items and arguments.partial else self._read_sources
        self._of_segments: dict[str, Sequence[object]] | None = None

    def _size(self) -> int:
        """Return the number of segments of test sets in JSON Lines that are scored."""
        return sum(len(preparation.read_field(one.test_set, one.paths["src"], "src")) for one in self._sets)

    def _reference_files(self) -> Iterator[TextFile | JsonLines]:
        counts = [len(one.references) for one in self._sets]
        if min(counts) != max(counts):
            each = ", ".join(f"{one.test_set.name} has {count}" for one, count in zip(self._sets, counts, strict=True))
            raise UsageError(
                f"test sets with different numbers of references cannot be scored as one: {each}; score them separately"
            )
        for place in zip(*(one.references for one in self._sets), strict=True):
            paths = [one.paths[field] for one, field in zip(self._sets, place, strict=True)]
            name = f"{self._name}/{self._pair}" + (f" {place[0]}" if counts[0] > 1 else "")
            if self._has_items:
                row = None if len(paths) == 1 else _items_in_a_row(self._sets, place)
                yield JsonLines(
                    CachedText(name, paths[0], stream=row, mark="dropped", hashed=self._arguments.hashed),
                    Fields(references=place[0]),
                    hypotheses=False,
                    identified=self._joining is not None,
                    labels=[
                        *(label for label in _LABELS if all(label in one.paths for one in self._sets)),
                        *(["testset"] if row is not None else []),
                    ],
                )
            elif len(paths) == 1:
                yield CachedText(name, paths[0], mark="text", hashed=self._arguments.hashed)
            else:
                texts = []
                for path in paths:
                    with open(path, "rb") as file:
                        texts.append(file.read())
                row = BytesIO(b"".join(texts))
                yield CachedText(name, stream=row, mark="text", hashed=self._arguments.hashed)

    # --- the part that is scored

    def _check_count(self, segments: int) -> None:
        """Refuse parts of a test set of which some segments were left out."""
        if self._joining is not None and self._joining.scored < self._joining.items:
            raise UsageError(
                "--partial leaves out segments, so parts of the test set would not be whole; leave out --partial, or"
                " --origlang, --subset and --detail"
            )
        super()._check_count(segments)

    def _marks(self) -> Marks:
        if self._arguments.joins_documents:  # those of documents are read with the texts
            return super()._marks()
        return self._marks_of_segments()

    def _marks_of_segments(self) -> Marks:
        from bleucli.testsets import selection

        if self._known is None:
            self._known = selection.join([selection.marks_of(one.test_set, one.paths) for one in self._sets])
        return self._known

    def labels(self, start: int, count: int) -> Mapping[str, Sequence[Any]]:
        """Return what is known of some segments: test set, place in it, document, language, domain."""
        if self._has_items:  # these labels are read with the references
            set_and_pair = {"testset": [self._name] * count, "langpair": [self._pair] * count}
            # Of several sets, each item says which it is of
            return set_and_pair | dict(super().labels(start, count))
        if self._arguments.joins_documents:  # what is known of segments was joined with their texts
            return {name: of for name, of in super().labels(start, count).items() if name != "segment"}
        if self._of_segments is None:
            self._of_segments = self._read_columns()
        columns = {name: values[start : start + count] for name, values in self._of_segments.items()}
        for name, labels in super().labels(start, count).items():
            pairs = zip(columns.get(name, labels), labels, strict=True)  # JSON Lines may lack what the test set has
            columns[name] = [own if one is None else one for own, one in pairs]
        return columns

    def _label_sources(self) -> list[Source]:
        """Return the labels that come with the texts; of documents, these are all, because they are joined as well."""
        sources = super()._label_sources()
        if self._arguments.joins_documents and not self._has_items:
            columns = self._read_columns()
            block = [Segments.from_strings(list(map(str, values))) for values in columns.values()]
            sources.append(Source(self._name, [], iter([block]), labels=list(columns)))
        return sources

    def _read_columns(self) -> dict[str, Sequence[object]]:
        from bleucli.testsets import selection

        counts = [sum(1 for _ in read_lines(one.paths[one.references[0]])) for one in self._sets]
        names = [one.test_set.name for one in self._sets]
        columns: dict[str, Sequence[object]] = {
            "testset": [name for name, count in zip(names, counts, strict=True) for _ in range(count)],
            "langpair": [self._pair] * sum(counts),
            "segment": [index for count in counts for index in range(count)],
        }
        marks = self._marks_of_segments()
        if all("docid" in one.paths for one in self._sets):
            columns["docid"] = [line.rstrip() for one in self._sets for line in read_lines(one.paths["docid"])]
        if marks.origlangs is not None:
            columns["origlang"] = marks.origlangs
        if marks.subsets is not None:
            # A segment belongs to a domain and, in some test sets, to a country, which is written country:XX
            columns["domain"] = [next((name for name in of if ":" not in name), "") for of in marks.subsets]
            columns["country"] = [
                next((name.partition(":")[2] for name in of if ":" in name), "") for of in marks.subsets
            ]
            if not any(columns["country"]):
                del columns["country"]
        if any(len(values) != sum(counts) for values in columns.values()):
            raise BleuError(f"the fields of {self._name} have different lengths; {selection.AGAIN}")
        return columns

    def _read_sources(self) -> Iterator[str]:
        if self._has_items:
            texts = [preparation.read_field(one.test_set, one.paths["src"], "src") for one in self._sets]
            return iter([text for of_set in texts for text in of_set])
        return (line.rstrip("\r\n") for one in self._sets for line in read_lines(one.paths["src"]))

    # --- what is said about the texts

    @property
    def texts(self) -> Sequence[tuple[str, str]]:
        """The names of what is scored, and how many segments were, if some were left out."""
        texts = {"test": self._name, "lang": self._pair}
        of_texts = dict(super().texts)
        if self._left_out:
            counts = (self._joining.scored, self._joining.items) if self._joining and self._joining.items else ()
            scored, items = counts or (self._size(),) * 2
            texts["partial"] = f"{scored}of{items + len(self._left_out)}"
            of_texts.pop("partial", None)
        return list((texts | of_texts).items())

    def explain(self, error: BleuError) -> BleuError:
        """Add the likely cause to an error about different numbers of segments: another test set, if one fits."""
        explained = super().explain(error)
        if not isinstance(error, LengthError):
            return explained
        files = zip((error.longest, error.shortest), error.counts, strict=True)
        count = next((count for file, count in files if file < len(self._files)), None)
        scored = {one.test_set.name for one in self._sets}
        twins = [
            f"{name} has {count}"
            for name in self._registry.with_pair(self._pair)
            if name not in scored and count is not None and self._count(name) == count
        ]
        more = [f"; {' and '.join(twins)}"] if twins else []
        (one, *_) = self._sets
        if self._left_out and self._size() + len(self._left_out) in error.counts:
            left_out = tell_count(len(self._left_out), "segment")
            more.append(f"; {left_out} of {one.test_set.name} must be left out; JSON Lines with ids may have them")
        elif one.test_set.items is not None and one.test_set.items.documents:
            more.append(f"; segments of {one.test_set.name} are documents with line breaks; give JSON Lines")
        with_twins = BleuError(*explained.parts, *more)
        with_twins.remedy = explained.remedy
        return with_twins

    def _count(self, name: str) -> int | None:
        """Return the number of segments of the pair in another test set, or None if only a download could tell."""
        test_set = self._registry[name]
        if test_set.segments is not None:
            return test_set.segments
        pair = self._registry.spell_pair(name, self._pair)
        path = cache.path_of(test_set.name, pair, "src" if test_set.items is None else "jsonl")
        if not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            return file.read().count(b"\n")


def _items_in_a_row(sets: Sequence[_Chosen], references: Sequence[str]) -> IO[bytes]:
    """Return the items of several test sets as one stream, each with the name of its set.

    references: for each set, the field of a reference; the stream has it under the first of these names.
    """
    import json

    lines = []
    for one, name in zip(sets, references, strict=True):
        for _, item in read_objects(one.paths[name]):
            of_set = {references[0]: item.get(name), "testset": one.test_set.name}
            lines.append(json.dumps({**item, **of_set}) + "\n")
    return BytesIO("".join(lines).encode())


# --- what the options name


def names(test_set: str | None, what: str) -> list[str]:
    """Return the names in the value of `--test-set`.

    >>> names("wmt17,wmt18", "--echo")
    ['wmt17', 'wmt18']
    """
    if not test_set:
        raise UsageError(f"{what} needs a test set; name it with -t, see bleu --list")
    words = test_set.split(",")
    if len(set(words)) < len(words):
        raise UsageError(f"--test-set {test_set} names a test set twice; name each one once")
    return words


def files_of(test_set: TestSet, paths: Mapping[str, str]) -> list[str]:
    """Return the files of a test set's fields, and the downloads that they were made from."""
    sources = [local_path(source.url) for source in test_set.sources if not is_web(source.url)]
    return [*paths.values(), *sources]


def pair_of(pair: str | None, sets: registry.Registry, test_sets: list[str]) -> str:
    """Return the language pair that is named; every test set must have it."""
    if pair is None:
        pairs = sets.tell_pairs(sets[test_sets[0]].name)
        raise UsageError(f"a test set needs a language pair; name it with -l: {test_sets[0]} has {pairs}")
    for name in test_sets:
        sets.pair(name, pair)
    return pair
