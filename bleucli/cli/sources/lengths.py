"""Comparing numbers of segments before anything is scored.

- `check`: compare files that can be read twice
- `find_misfits`: find the texts whose numbers differ
- `count_files`: count the segments of files; `count_in_turns`: those of any texts
- `compare`: compare two texts
- `explain`: add the likely cause, where texts differ
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from bleucli.errors import BleuError, LengthError
from bleucli.phrases import tell_count
from bleucli.records import NamedTuple
from bleucli.text import PATIENCE, length_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.reading import TextFile
    from bleucli.reading.jsonlines import JsonLines
    from bleucli.text import Segments

# For how many seconds to look for the cause of different numbers
_SEARCH_SECONDS = 5.0


class Count(NamedTuple):
    """How many segments of a text were counted, and whether these are all."""

    segments: int
    is_whole: bool


def check(systems: Sequence[TextFile | JsonLines], references: Sequence[TextFile | JsonLines]) -> None:
    """Compare files that can be read twice.

    Raises:
        BleuError: the numbers differ. The message is about the first file that does not fit, and counts the others.
    """
    misfits = list(find_misfits(systems, references))
    if not misfits:
        return
    (_, error), *rest = misfits
    if rest and isinstance(error, LengthError):
        remark = tell_count(len(rest), "other file differs as well", "other files differ as well")
        error = LengthError([*error.parts, f"; {remark}"], error.longest, error.shortest, error.counts)
    raise error


def find_misfits(
    systems: Sequence[TextFile | JsonLines], references: Sequence[TextFile | JsonLines]
) -> Iterator[tuple[int, BleuError]]:
    """Give each text whose number of segments differs from that of the first reference, or else of the first system.

    Args:
        systems: texts; those that can be read only once are left out.
        references: texts, too; those that can be read only once are left out.

    Returns:
        The position of each text, counting systems before references, with what is wrong; references come first. A
        `LengthError` has the same positions.
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


def count_files(files: Sequence[TextFile | JsonLines], places: Sequence[int]) -> dict[int, Count]:
    """Count the segments of those files that can be read twice, as `count_in_turns` does; leave out unreadable files.

    Args:
        files: all files.
        places: the positions of those to count, in this order.
    """
    counts = count_in_turns({place: files[place].counts() for place in places if files[place].is_file})
    return {place: count for place, count in counts.items() if isinstance(count, Count)}


def count_in_turns(texts: Mapping[int, Iterator[int]]) -> dict[int, Count | BleuError]:
    """Count segments, without reading all of a text that is too long.

    A small packed file may hold thousands of millions of lines. So texts take turns, each for some seconds, and a text
    that already has more segments than another one has in all is not read further.

    Args:
        texts: for each text, what gives its number of segments so far, as it is read.

    Returns:
        The count of each text, or why it cannot be read.
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


def compare(files: Sequence[TextFile | JsonLines], places: tuple[int, int], counts: tuple[Count, Count]) -> None:
    """Compare the numbers of segments of two texts.

    Args:
        files: all texts.
        places: the positions of two texts.
        counts: how many segments of each were counted.

    Raises:
        BleuError: the numbers differ. Unless one text is empty, this is a `LengthError` with both positions.
    """
    if counts[0].segments == counts[1].segments or not any(count.is_whole for count in counts):
        return
    error = length_error([files[place].name for place in places], counts)
    if isinstance(error, LengthError):
        error.longest, error.shortest = places[error.longest], places[error.shortest]
    raise error


def explain(files: Sequence[TextFile | JsonLines], error: LengthError) -> BleuError:
    """Add the likely cause to an error about two of these files, where plain text shows it."""
    from bleucli.inspection.lengths import mismatch_cause
    from bleucli.reading.jsonlines import JsonLines

    longer, shorter = files[error.longest], files[error.shortest]
    if isinstance(longer, JsonLines) or isinstance(shorter, JsonLines):
        return error
    more, fewer = longer.again(), shorter.again()
    count, least = error.counts
    if more is None or fewer is None or count is None:
        return error
    try:
        cause = mismatch_cause((longer.name, shorter.name), _in_time(more), _in_time(fewer), (count, least))
    except ValueError:  # a file has changed in the meantime, or is gone, or the search takes too long
        return error
    return BleuError(*error.parts, f"; likely cause: {cause}") if cause else error


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
