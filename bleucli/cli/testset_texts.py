"""Scoring against a test set: its references, the part of it that is scored, and what the signature says of it."""

import os
from bisect import bisect_left
from collections import namedtuple
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import tee
from operator import itemgetter

from bleucli import evaluate
from bleucli.cli.delivery import refuse_overwriting
from bleucli.cli.streams import Environment
from bleucli.cli.testset_modes import files_of, names, pair_of
from bleucli.cli.texts import Texts, names_of
from bleucli.errors import BleuError, LengthError, UsageError
from bleucli.evaluate import Source
from bleucli.metrics import Metric
from bleucli.results import Detail, Results, ScoreRecord
from bleucli.segments import Segments
from bleucli.signature import Signature
from bleucli.testsets import fields, preparation, registry, selection
from bleucli.testsets.plain import CachedText
from bleucli.testsets.registry import TestSet
from bleucli.textfiles import TextFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import IO, NamedTuple

    class _Chosen(NamedTuple):
        """A test set, the paths of its fields, and the names of the references to score."""

        test_set: TestSet
        paths: Mapping[str, str]
        references: Sequence[str]

    Piece = Sequence[Sequence[Segments]]
else:
    _Chosen = namedtuple("_Chosen", "test_set paths references")


class TestSetTexts(Texts):
    """The systems of one run, and the references of one or several test sets in a row."""

    def __init__(self, options: "Namespace", environment: Environment) -> None:
        self._options = options
        self._registry = registry.load(options.registry)
        found = names(options.test_set, "scoring")
        self._pair = pair_of(options, self._registry, found)
        super().__init__(options, environment)
        self._sets = [self._chosen(name) for name in found]
        refuse_overwriting(options.output, [file for one in self._sets for file in files_of(one.test_set, one.paths)])
        self._references = [*self._reference_files()]
        self._pieces: Iterable[Piece] = ()
        self._known: selection.Marks | None = None

    def _chosen(self, name: str) -> "_Chosen":
        test_set = self._registry[name]
        paths = preparation.prepare(test_set, self._pair)
        return _Chosen(test_set, paths, preparation.scored_references(test_set, self._pair, list(paths)))

    def _reference_files(self) -> Iterator[TextFile]:
        counts = [len(one.references) for one in self._sets]
        if min(counts) != max(counts):
            told = ", ".join(f"{one.test_set.name} has {count}" for one, count in zip(self._sets, counts, strict=True))
            raise UsageError(f"test sets with different numbers of references cannot be scored as one: {told}")
        for place in zip(*(one.references for one in self._sets), strict=True):
            paths = [one.paths[field] for one, field in zip(self._sets, place, strict=True)]
            name = f"{self._options.test_set}/{self._pair}" + (f" {place[0]}" if counts[0] > 1 else "")
            if len(paths) == 1:
                yield CachedText(name, paths[0], mark="text")
            else:
                yield CachedText(name, stream=_InARow(paths), mark="text")  # type: ignore[arg-type]

    # --- the part that is scored

    def sources(self) -> tuple[list[Source], list[Source]]:
        """Return systems and references, reduced to the segments that the options ask for."""
        systems, references = super().sources()
        sources = [*systems, *references]
        options = self._options
        if options.origlang is None and options.subset is None and not options.detail:
            return systems, references
        self._pieces = evaluate.in_step(sources)
        if options.detail:
            self._pieces = list(self._pieces)
        numbers = None
        if options.origlang is not None or options.subset is not None:
            numbers = selection.chosen(self._marks(), options.origlang, options.subset, options.test_set)
        reduced = self._reduced(sources, numbers)
        return reduced[: len(systems)], reduced[len(systems) :]

    def _marks(self) -> selection.Marks:
        if self._known is None:
            self._known = self._read_marks()
        return self._known

    def _read_marks(self) -> selection.Marks:
        return selection.joined([selection.marks_of(one.test_set, one.paths) for one in self._sets])

    def _reduced(self, sources: Sequence[Source], numbers: Sequence[int] | None) -> list[Source]:
        pieces = (
            iter(self._pieces) if numbers is None else _taken(self._pieces, numbers, selection.count(self._marks()))
        )
        copies = tee(pieces, len(sources))
        return [
            source._replace(blocks=map(itemgetter(number), copy))
            for number, (source, copy) in enumerate(zip(sources, copies, strict=True))
        ]

    # --- what is said of it

    def signed(self, record: ScoreRecord) -> ScoreRecord:
        """Add the names of what was scored to a signature."""
        named = names_of(self._options).items()
        return record._replace(signature=Signature(record.signature).with_texts(named))

    def finished(self, results: Results, metrics: Sequence[Metric], jobs: int) -> Results:
        """Sign the results, and add the scores of parts of the test set if they are asked for."""
        details = self._details(metrics, jobs) if self._options.detail else None
        systems = []
        for number, system in enumerate(results.systems):
            scores = [self.signed(record) for record in system.scores]
            if details is not None:
                scores = [record._replace(details=details[number][place]) for place, record in enumerate(scores)]
            systems.append(system._replace(scores=scores))
        return results._replace(systems=systems)

    def _details(self, metrics: Sequence[Metric], jobs: int) -> list[list[list[Detail]]]:
        """Return the scores of the parts: for each system and metric, one a part."""
        systems, references = super().sources()
        columns = sum(len(source.names) for source in systems)
        found: list[list[list[Detail]]] = [[[] for _ in metrics] for _ in range(columns)]
        for group in selection.groups(self._marks(), self._options.origlang, self._options.subset):
            reduced = self._reduced([*systems, *references], group.segments)
            results = evaluate.score_systems(reduced[: len(systems)], reduced[len(systems) :], metrics, jobs)
            for system, places in zip(results.systems, found, strict=True):
                for record, details in zip(system.scores, places, strict=True):
                    details.append(Detail(group.origlang, group.kind, group.value, results.segments, record.score))
        return found

    def hints(self) -> list[str]:
        """Return what is to be said of the texts, once they were read."""
        hints = super().hints()
        if self._options.detail and self._marks().origlangs is None:
            hints.append(
                f"--detail: {self._options.test_set} does not tell in which language its segments were first written"
            )
        return hints

    def explained(self, error: LengthError) -> BleuError:
        """Add the likely cause to an error about different numbers of segments: another test set, if there is one."""
        explained = super().explained(error)
        files = zip((error.longest, error.shortest), error.counts, strict=True)
        count = next((count for file, count in files if file < len(self._systems)), None)
        twins = [] if count is None else list(self._with_count(count))
        return BleuError(f"{explained}; {' and '.join(twins)}") if twins else explained

    def _with_count(self, count: int) -> Iterator[str]:
        """Name the other test sets of this language pair that have so many segments, as far as is known here."""
        for name in self._registry.with_pair(self._pair):
            test_set = self._registry[name]
            if name not in {one.test_set.name for one in self._sets} and _count(test_set, self._pair) == count:
                yield f"{name} has {count}"


def _count(test_set: TestSet, pair: str) -> int | None:
    """Return the number of segments of a language pair, None if it is not known without a download."""
    if test_set.segments is not None:
        return test_set.segments
    path = fields.path_of(test_set.name, pair, "src")
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return file.read().count(b"\n")


def _taken(pieces: "Iterable[Piece]", numbers: Sequence[int], count: int) -> "Iterator[Piece]":
    """Reduce pieces of text to the segments with these numbers, which ascend.

    Raises:
        BleuError: there are not as many segments as marks.
    """
    start = 0
    for piece in pieces:
        end = start + len(piece[0][0])
        here = [number - start for number in numbers[bisect_left(numbers, start) : bisect_left(numbers, end)]]
        yield [[selection.take(column, here) for column in block] for block in piece]
        start = end
    if start != count:
        raise BleuError(f"the test set has {start} segments but marks of {count}; {selection.ANEW}")


class _InARow:
    """Files one behind the other, as a binary stream."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = list(reversed(paths))
        self._file = self._next()

    def _next(self) -> "IO[bytes] | None":
        return open(self._paths.pop(), "rb", buffering=0) if self._paths else None

    def read(self, size: int) -> bytes:
        """Return the next bytes, nothing at the end."""
        while self._file is not None:
            if chunk := self._file.read(size):
                return chunk
            self._file.close()
            self._file = self._next()
        return b""
