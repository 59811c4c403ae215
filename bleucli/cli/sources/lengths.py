"""Which texts do not fit together, before anything is scored.

- `check`: compare files that can be read twice
- `find_misfits`: find the texts whose numbers of segments differ
- `count_files`: count the segments of files; `count_in_turns`: those of any texts
- `compare`: compare two texts
- `explain`: add the likely cause, where texts differ
- `Survey`: for --keep-going, find the systems that cannot be scored
"""

from __future__ import annotations

from itertools import accumulate

from bleucli.cli.sources.texts import source_of
from bleucli.counting.corpus import Corpus, Kept
from bleucli.errors import BleuError, IdsDifferError, LengthError, ReferencesDifferError
from bleucli.phrases import tell_count
from bleucli.reading.jsonlines import JsonLines
from bleucli.records import NamedTuple
from bleucli.text import PATIENCE, length_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from bleucli.cli.sources.texts import File
    from bleucli.counting.joining import Joining
    from bleucli.text import Segments

# Errors about two texts, of which either may be wrong
_MUTUAL = (LengthError, IdsDifferError, ReferencesDifferError)
# For how many seconds to look for the cause of different numbers
_SEARCH_SECONDS = 5.0


class Count(NamedTuple):
    """How many segments of a text were counted, and whether these are all."""

    segments: int
    is_whole: bool


def check(systems: Sequence[File], references: Sequence[File]) -> None:
    """Compare files that can be read twice."""
    misfits = list(find_misfits(systems, references))
    if not misfits:
        return
    (_, error), *rest = misfits
    if rest and isinstance(error, LengthError):
        remark = tell_count(len(rest), "other file differs as well", "other files differ as well")
        error = LengthError([*error.parts, f"; {remark}"], error.longest, error.shortest, error.counts)
    raise error


def find_misfits(systems: Sequence[File], references: Sequence[File]) -> Iterator[tuple[int, BleuError]]:
    """Give each text whose number of segments differs from that of the first reference, or else of the first system.

    Returns:
        The position of each text, counting systems before references, with what is wrong; references come first. A
        `LengthError` has the same positions. Texts that can be read only once are left out.
    """
    files = [*systems, *references]
    order = [*range(len(systems), len(files)), *range(len(systems))]
    if sum(file.is_file for file in files) < 2:  # there is nothing to compare
        return
    counts = count_files(files, order)
    if references and not any(place in counts for place in order[: len(references)]):
        return  # without a readable reference, it is unknown which system is right
    first, *rest = [place for place in order if place in counts] or [0]
    for place in rest:
        try:
            compare(files, (first, place), (counts[first], counts[place]))
        except BleuError as error:
            yield place, error


def count_files(files: Sequence[File], places: Sequence[int]) -> dict[int, Count]:
    """Count the segments of those files that can be read twice, as `count_in_turns` does; leave out unreadable files.

    places: the positions of those to count, in this order.
    """
    counts = count_in_turns({place: files[place].counts() for place in places if files[place].is_file})
    return {place: count for place, count in counts.items() if isinstance(count, Count)}


def count_in_turns(texts: Mapping[int, Iterator[int]]) -> dict[int, Count | BleuError]:
    """Count segments, without reading all of a text that is too long; return each count, or why a text cannot be read.

    A small packed file may hold thousands of millions of lines. So texts take turns, each for some seconds, and a text
    that already has more segments than another one has in all is not read further.

    texts: for each text, what gives its number of segments so far, as it is read.
    """
    from time import monotonic

    segments = dict.fromkeys(texts, 0)
    whole: set[int] = set()
    errors: dict[int, BleuError] = {}
    reading = dict(texts)
    while reading:
        for place, numbers in list(reading.items()):
            end = monotonic() + PATIENCE
            try:
                for number in numbers:
                    segments[place] = number
                    if monotonic() > end:
                        break
                else:
                    whole.add(place)
                    del reading[place]
            except BleuError as error:
                errors[place] = error
                del reading[place]
        least = min((segments[place] for place in whole), default=None)
        if least is not None:
            reading = {place: numbers for place, numbers in reading.items() if segments[place] <= least}
    return {place: errors.get(place) or Count(number, place in whole) for place, number in segments.items()}


def compare(files: Sequence[File], places: tuple[int, int], counts: tuple[Count, Count]) -> None:
    """Compare the numbers of segments of the texts at two places."""
    if counts[0].segments == counts[1].segments or not any(count.is_whole for count in counts):
        return
    error = length_error([files[place].name for place in places], counts)
    if isinstance(error, LengthError):
        error.longest, error.shortest = places[error.longest], places[error.shortest]
    raise error


def explain(files: Sequence[File], error: LengthError, locates: bool = False) -> BleuError:
    """Add the likely cause to an error about two of these files, where plain text shows it.

    locates: whether all places where lines are missing or too many are searched for, and a remedy names them.
    """
    from bleucli.inspection.lengths import mismatch_cause

    longer, shorter = files[error.longest], files[error.shortest]
    if isinstance(longer, JsonLines) or isinstance(shorter, JsonLines):
        return error
    more, fewer = longer.again(), shorter.again()
    count, least = error.counts
    if more is None or fewer is None or count is None:
        return error
    remedies: list[str] = []

    def locate() -> str:
        from bleucli.inspection.alignment import find_steps, tell_steps

        # Systems come before references
        texts = sorted([(error.longest, more), (error.shortest, fewer)], key=lambda text: text[0])
        lines = [(text or "" for segments in read() for text in segments) for _, read in texts]
        steps = find_steps(*lines)
        if not steps:
            return ""
        message, remedy = tell_steps(steps, *(files[place].name for place, _ in texts))
        remedies.append(remedy.command)
        return message.command

    names, search = (longer.name, shorter.name), {"locate": locate} if locates else {}
    try:
        cause = mismatch_cause(names, _in_time(more), _in_time(fewer), (count, least), **search)
    except ValueError:  # a file has changed in the meantime, or is gone, or the search takes too long
        return error
    causes = [f"; likely cause: {cause}"] if cause else []
    if longer.name.lower().endswith((".csv", ".tsv")):  # the line with the names of columns makes it longer
        causes.append(f"; if {longer.name} is a table, name it with --table")
    explained = BleuError(*error.parts, *causes) if causes else error
    explained.remedy = "".join(remedies)
    return explained


def _in_time(read: Callable[[], Iterator[Segments]]) -> Callable[[], Iterator[Segments]]:
    """Return a function that reads the same text, but raises a ValueError once the search has taken too long."""
    from time import monotonic

    end = monotonic() + _SEARCH_SECONDS

    def read_in_time() -> Iterator[Segments]:
        for block in read():
            if monotonic() > end:
                raise ValueError
            yield block

    return read_in_time


# --- --keep-going


class Survey:
    """Reads texts to find out which systems can be scored, for --keep-going.

    This reads each text once, except systems in JSON Lines whose references or ids are compared with those of others. A
    text that cannot be read again, such as standard input, is kept in a temporary file: its blocks are in `kept`.
    """

    def __init__(self, systems: Sequence[File], references: Sequence[File], joining: Joining | None = None) -> None:
        self._systems = systems
        self._joining = joining
        self._files = [*systems, *references]
        self.kept: dict[File, Kept] = {}
        self._counts: dict[int, Count | BleuError] = {}

    def find_failures(self) -> dict[int, BleuError]:
        """Return what is wrong with systems, by position; raise an error about the references.

        A `LengthError` has the positions of both texts, counting the systems first, then the references.
        """
        references = range(len(self._systems), len(self._files))
        failures: dict[int, BleuError] = {}
        measure, count = self._find_measure(references, failures)
        if measure is None:
            return failures
        first = [] if references else [measure]  # the system whose references are used
        identified = [place for place in references if isinstance(self._files[place], JsonLines)]
        rest = [place for place in range(len(self._systems)) if place != measure and place not in failures]
        sorted_systems: list[int] = []  # those whose items have another order
        for place in rest:
            system = self._systems[place]
            has_items = isinstance(system, JsonLines)
            # Joining says more about items that are missing
            is_joined = isinstance(system, JsonLines) and system.identified and len(identified) == len(references)
            try:
                if not ((has_items and first) or is_joined):
                    compare(self._files, (measure, place), (count, self._count(place, count.segments)))
                if has_items and (first or identified) and self._read_in_step([*first, place], identified):
                    sorted_systems.append(place)
            except BleuError as error:
                failures[place] = error
        mutual = [failures[place] for place in rest if isinstance(failures.get(place), _MUTUAL)]
        if first and mutual and all(place in failures for place in rest):
            name = self._systems[measure].name
            raise BleuError(*mutual[0].parts, f"; no other system agrees with {name}, whose references would be used")
        if sorted_systems:  # systems without ids cannot follow them
            for place in (place for place in rest if place not in (*failures, *sorted_systems)):
                try:
                    self._read_in_step([*first, sorted_systems[0], place], identified)
                except BleuError as error:
                    failures[place] = error
        return dict(sorted(failures.items()))

    def _find_measure(
        self, references: Sequence[int], failures: dict[int, BleuError]
    ) -> tuple[int, Count] | tuple[None, Count]:
        """Return the position of the text that systems are compared with, and its number of segments.

        That is the first reference, or else the first system that brings references; None if none can be read.
        failures: gets what is wrong with earlier systems that should have references.
        """
        if references:
            files = {place: file for place, file in enumerate(self._files) if file.is_file}
            self._counts = count_in_turns(
                {place: accumulate(len(block[0]) for block in self._read(file)) for place, file in files.items()}
            )
            measure, *rest = references
            count = self._count(measure)
            for place in rest:
                compare(self._files, (measure, place), (count, self._count(place)))
            return measure, count
        counts = count_files(self._systems, range(len(self._systems)))
        self._counts = {place: count for place, count in counts.items() if not count.is_whole}
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
        if len(failures) < len(self._systems):  # no system has references for the others
            raise next(iter(failures.values()))
        return None, Count(0, True)

    def _count(self, place: int, most: int | None = None) -> Count:
        """Read a text and count its segments, unless this was done.

        most: a text that cannot be read again may have no end; it is read only until it has more segments than this.
        """
        earlier = self._counts.get(place)
        if isinstance(earlier, BleuError):
            raise earlier
        if earlier is not None:
            return earlier
        count = 0
        file = self._files[place]
        for block in self._read(file):
            count += len(block[0])
            if most is not None and count > most and not file.is_file:
                return Count(count, False)
        return Count(count, True)

    def _read(self, file: File) -> Iterator[Sequence[Segments]]:
        """Give the blocks of a text. A file that can be read again is read as a twin, and stays unread for scoring."""
        if file.is_file:
            return file.twin().blocks()
        if file not in self.kept:
            self.kept[file] = Kept(file.blocks())
            return self.kept[file].read()
        return self.kept[file].read_again()

    def _read_in_step(self, systems: Sequence[int], references: Sequence[int] = ()) -> bool:
        """Compare numbers of segments, ids and references; return whether items were put into another order."""
        from bleucli.counting.joining import Joining

        places = [*systems, *references]
        files = [self._files[place] for place in places]
        sources = [
            source_of(
                file,
                [file.name] * file.columns(),
                self._read(file),
                file.name if place in systems and not references else "",
                place in systems,
            )
            for place, file in zip(places, files, strict=True)
        ]
        try:
            joining = Joining() if self._joining is None else Joining(self._joining.partial, self._joining.left_out)
            for _ in Corpus(sources[: len(systems)], sources[len(systems) :], joining=joining).pieces():
                pass
        except LengthError as error:
            raise LengthError(error.parts, places[error.longest], places[error.shortest], error.counts) from None
        return joining.is_sorted
