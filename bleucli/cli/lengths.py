"""Comparing numbers of segments before anything is scored.

- `check`: compare files that can be read twice
- `find_misfits`: find the texts whose numbers differ
- `compare`: compare two texts
- `explain`: add the likely cause, where texts differ
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bleucli.errors import BleuError, LengthError
from bleucli.phrases import tell_count
from bleucli.segments import length_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.jsonlines import JsonLines
    from bleucli.textfiles import TextFile


def check(systems: Sequence[TextFile | JsonLines], references: Sequence[TextFile | JsonLines]) -> None:
    """Compare files that can be read twice.

    Raises:
        BleuError: the numbers differ. The message is about the first file that does not fit, and counts the others.
    """
    misfits = list(find_misfits(systems, references))
    if not misfits:
        return
    (_, error), *others = misfits
    if others and isinstance(error, LengthError):
        told = tell_count(len(others), "other file differs as well", "other files differ as well")
        error = LengthError([*error.parts, f"; {told}"], error.longest, error.shortest, error.counts)
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
    counts = {place: count for place in order if (count := files[place].count()) is not None}
    if references and not any(place in counts for place in order[: len(references)]):
        return  # without a readable reference, it is unknown which system is right
    first, *others = counts or [0]
    for place in others:
        try:
            compare(files, (first, counts[first]), place, (counts[place], True))
        except BleuError as error:
            yield place, error


def compare(
    files: Sequence[TextFile | JsonLines], measure: tuple[int, int], place: int, counted: tuple[int, bool]
) -> None:
    """Compare a text's number of segments with that of the text it is measured against.

    Args:
        files: all texts.
        measure: the position of the text to measure against, and its number of segments.
        place: the position of the text to compare.
        counted: how many segments of it were counted, and whether these are all.

    Raises:
        BleuError: the numbers differ. Unless one text is empty, this is a `LengthError` with both positions.
    """
    first, count = measure
    if counted[0] == count:
        return
    places = (first, place)
    error = length_error([files[one].name for one in places], [(count, True), counted])
    if isinstance(error, LengthError):
        error.longest, error.shortest = places[error.longest], places[error.shortest]
    raise error


def explain(files: Sequence[TextFile | JsonLines], error: LengthError) -> BleuError:
    """Add the likely cause to an error about two of these files, where plain text shows it."""
    from bleucli.inspection.lengths import mismatch_cause
    from bleucli.jsonlines import JsonLines

    longer, shorter = files[error.longest], files[error.shortest]
    if isinstance(longer, JsonLines) or isinstance(shorter, JsonLines):
        return error
    more, fewer = longer.again(), shorter.again()
    count, least = error.counts
    if more is None or fewer is None or count is None:
        return error
    try:
        cause = mismatch_cause((longer.name, shorter.name), more, fewer, (count, least))
    except ValueError:  # a file has changed in the meantime, or is gone
        return error
    return BleuError(*error.parts, f"; likely cause: {cause}") if cause else error
