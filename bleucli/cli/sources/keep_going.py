"""`--keep-going`: find the systems that cannot be scored, before any of them is scored.

This reads each text once, except systems in JSON Lines whose references or ids are compared with those of others. A
text that cannot be read again, such as standard input, is kept in a temporary file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bleucli.cli.sources.lengths import Count, compare, count_files, count_in_turns
from bleucli.counting.corpus import Corpus, Kept, Source
from bleucli.counting.joining import Joining
from bleucli.errors import BleuError, IdsDifferError, LengthError, ReferencesDifferError
from bleucli.reading import TextFile
from bleucli.reading.jsonlines import JsonLines
from bleucli.text import Segments

# Errors about two texts, of which either may be wrong
_MUTUAL = (LengthError, IdsDifferError, ReferencesDifferError)


class Survey:
    """Reads texts to find out which systems can be scored.

    Args:
        systems, references: unread texts; where there are no references, systems in JSON Lines contain them.
        joining: how items are joined; None if texts have no ids.

    Attributes:
        kept: the blocks of texts that cannot be read again.
    """

    def __init__(
        self,
        systems: Sequence[TextFile | JsonLines],
        references: Sequence[TextFile | JsonLines],
        joining: Joining | None = None,
    ) -> None:
        self._systems = systems
        self._joining = joining or Joining()
        self._files = [*systems, *references]
        self.kept: dict[TextFile | JsonLines, Kept] = {}
        self._counts: dict[int, Count | BleuError] = {}

    def find_failures(self) -> dict[int, BleuError]:
        """Return what is wrong with systems, by position.

        Raises:
            BleuError: the references are wrong, or it is unknown whether they are. A `LengthError` has the positions of
                both texts, counting the systems first, then the references.
        """
        measure = len(self._systems)  # the first reference, if there is one
        if measure == len(self._files):
            return self._find_disagreements()
        files = {place: file for place, file in enumerate(self._files) if file.is_file}
        self._counts = count_in_turns({place: _sizes(self._read(file)) for place, file in files.items()})
        count = self._count(measure)
        for place in range(measure + 1, len(self._files)):
            compare(self._files, (measure, place), (count, self._count(place)))
        failures: dict[int, BleuError] = {}
        identified = [place for place in range(measure, len(self._files)) if isinstance(self._files[place], JsonLines)]
        for place in range(len(self._systems)):
            system = self._systems[place]
            is_joined = (
                isinstance(system, JsonLines) and system.identified and measure + len(identified) == len(self._files)
            )
            try:
                if not is_joined:  # joining says more about items that are missing
                    compare(self._files, (measure, place), (count, self._count(place, count.segments)))
                if identified and isinstance(system, JsonLines):
                    self._read_in_step([place], identified)
            except BleuError as error:
                failures[place] = error
        return failures

    def _find_disagreements(self) -> dict[int, BleuError]:
        """Compare systems with the first one that has references and can be read; return what is wrong with each.

        Raises:
            BleuError: no other system agrees with that one, so it is unknown which is right.
        """
        failures: dict[int, BleuError] = {}
        counts = count_files(self._systems, range(len(self._systems)))
        self._counts = {place: count for place, count in counts.items() if not count.is_whole}
        first = self._find_measure(failures)
        if first is None:
            if len(failures) < len(self._systems):  # no system has references for the others
                raise next(iter(failures.values()))
            return failures
        measure, count = first
        rest = [place for place in range(len(self._systems)) if place != measure and place not in failures]
        differing = []
        for place in rest:
            try:
                if isinstance(self._systems[place], JsonLines):
                    self._read_in_step([measure, place])
                else:
                    compare(self._files, (measure, place), (count, self._count(place, count.segments)))
            except BleuError as error:
                failures[place] = error
                differing += [error] if isinstance(error, _MUTUAL) else []
        if differing and all(place in failures for place in rest):
            name = self._systems[measure].name
            raise BleuError(
                *differing[0].parts, f"; no other system agrees with {name}, whose references would be used"
            )
        return dict(sorted(failures.items()))

    def _find_measure(self, failures: dict[int, BleuError]) -> tuple[int, Count] | None:
        """Return the position of the first system with references, and its number of segments; None if there is none.

        Args:
            failures: gets what is wrong with earlier systems that should have references.
        """
        for place, file in enumerate(self._systems):
            if isinstance(file, JsonLines):
                file.demanded = True  # the others may rely on its references, so each object must have the field
                try:
                    count = self._count(place)
                    if count.segments:
                        return place, count
                    failures[place] = BleuError(f"{file.name} is empty; expected one object per line, at least one")
                except BleuError as error:
                    failures[place] = error
        return None

    def _count(self, place: int, most: int | None = None) -> Count:
        """Read a text and count its segments, unless this was done.

        Args:
            place: the position of the text.
            most: a text that cannot be read again may have no end; it is read only until it has more segments than
                this.
        """
        known = self._counts.get(place)
        if isinstance(known, BleuError):
            raise known
        if known is not None:
            return known
        count = 0
        file = self._files[place]
        for block in self._read(file):
            count += len(block[0])
            if most is not None and count > most and not file.is_file:
                return Count(count, False)
        return Count(count, True)

    def _read(self, file: TextFile | JsonLines) -> Iterator[Sequence[Segments]]:
        """Give the blocks of a text. A file that can be read again is read as a twin, and stays unread for scoring."""
        if file.is_file:
            return file.twin().blocks()
        if file not in self.kept:
            self.kept[file] = Kept(file.blocks())
            return self.kept[file].read()
        return self.kept[file].read_again()

    def _read_in_step(self, systems: Sequence[int], references: Sequence[int] = ()) -> None:
        """Read some of the texts in step, which compares numbers of segments, ids, and references that systems bring.

        Raises:
            BleuError: a `LengthError`, `IdsDifferError` or `ReferencesDifferError`, or a text cannot be read.
        """
        places = [*systems, *references]
        files = [self._files[place] for place in places]
        sources = [
            Source(
                file.name,
                [file.name] * file.columns(),
                self._read(file),
                file.name if place in systems and not references else "",
                file.hurry,
                file.id_columns if isinstance(file, JsonLines) else 0,
                file.labels if isinstance(file, JsonLines) else (),
                place in systems,
            )
            for place, file in zip(places, files, strict=True)
        ]
        joining = Joining(self._joining.partial, self._joining.left_out)
        try:
            for _ in Corpus(sources[: len(systems)], sources[len(systems) :], joining=joining).pieces():
                pass
        except LengthError as error:
            raise LengthError(error.parts, places[error.longest], places[error.shortest], error.counts) from None


def _sizes(blocks: Iterator[Sequence[Segments]]) -> Iterator[int]:
    """Give the number of segments so far, block by block."""
    count = 0
    for block in blocks:
        count += len(block[0])
        yield count
