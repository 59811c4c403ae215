"""`--scores`: segment scores of other metrics, as columns beside those that are counted.

- `names_of`: what they are called
- `read`: the scores as metrics, and what was read
"""

from __future__ import annotations

from collections.abc import Sequence

from bleucli.cli.sources import ScoreArguments, Systems
from bleucli.cli.streams import shown
from bleucli.errors import BleuError, UsageError
from bleucli.metrics import segment_scores
from bleucli.metrics.segment_scores import SegmentScores, column_of
from bleucli.phrases import tell_count
from bleucli.reading import scorefiles
from bleucli.results import Input
from bleucli.results.hints import warn
from bleucli.results.naming import by_file, comes_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.reading.scorefiles import ScoreFile


def names_of(arguments: ScoreArguments) -> list[str]:
    """Return the names of the scores."""
    names = [segment_scores.read_name(word)[0] for word, _ in arguments.columns]
    segment_scores.check_names(names)
    return names


def read(arguments: ScoreArguments, systems: Systems) -> tuple[list[SegmentScores], list[Input]]:
    """Return the scores as metrics, and a record of each file."""
    titles = names_of(arguments)  # refuses wrong names before any file is read
    names = systems.names()
    aliases = list(zip(names, systems.paths(), systems.names("json"), systems.names("jsonl"), strict=True))
    metrics, inputs = [], []
    for title, (word, paths) in zip(titles, arguments.columns, strict=True):
        if len(paths) not in (1, len(names)):
            count = tell_count(len(paths), "file of scores", "files of scores")
            number = tell_count(len(names), "system")
            raise UsageError(f"--scores {title} has {count} for {number}; give one per system, or one for all")
        files_of_scores = [scorefiles.read(path, shown(path), title, column, arguments.ids) for path, column in paths]
        is_alone = len(paths) == len(names)
        columns = {}
        homes: dict[tuple[str, str, str], str] = {}  # by file, column and system, the first that has these scores
        for place, of_system in enumerate(aliases):
            file = files_of_scores[place if is_alone else 0]
            label, key = _find(file, of_system, is_alone)
            others = [] if _is_named(key, of_system) else [other[0] for other in aliases if _is_named(key, other)]
            if others:
                raise BleuError(
                    f"{label} has the scores of {others[0]}, but is in the place of {names[place]}; give each system"
                    " its own scores"
                )
            items = file.systems[key]
            first = homes.setdefault((*paths[place if is_alone else 0], label), names[place])
            if first != names[place]:
                warn(f"--scores {title}: {first} and {names[place]} have the same scores, those of {label}")
            # A list of scores belongs to one item of JSON Lines, which may be a document, or to several lines of text
            column = column_of(label, items if arguments.are_items else scorefiles.flatten(items))
            ids = file.ids[key]
            if ids.unused:
                warn(
                    f"--scores {title}: {label} has {ids.unused}, which may number the segments, in another order than"
                    " its lines; call it segment if scores are to follow it"
                )
            of_scores = ids.columns if arguments.are_items else scorefiles.repeat(ids.columns, items)
            columns[names[place]] = column._replace(
                is_alone=is_alone, ids=of_scores, fault=ids.fault, is_sorted=ids.is_sorted
            )
        metrics.append(segment_scores.make(word, columns))
        segments = len(columns[names[0]].rows)
        inputs += [Input("scores", file.label, segments, file.sha256) for file in files_of_scores]
    return metrics, inputs


def _find(file: ScoreFile, names: Sequence[str], is_alone: bool) -> tuple[str, str]:
    """Return what errors call the scores of a system, and what the file calls the system.

    Args:
        file: the file with the scores.
        names: what the system is called in scores, its path, and what it is called in formats.
        is_alone: whether the file has the scores of this system only.
    """
    if is_alone and len(file.systems) == 1:
        return file.label, next(iter(file.systems))
    keys = [key for key in file.systems if _is_named(key, names)]
    if len(keys) == 1:
        return f"{file.label}, {keys[0]}", keys[0]
    there = ", ".join(filter(None, file.systems))
    if not there:
        raise BleuError(f"{file.label} does not say which system has which score; give one file per system")
    raise BleuError(
        f"{file.label} has scores of {there}, but {'several' if keys else 'none'} of {names[0]}; name one of these with"
        f" {file.label}:COLUMN, or name systems with --names"
    )


def _is_named(key: str, names: Sequence[str]) -> bool:
    """Return whether a key of a file of scores stands for a system.

    >>> _is_named("out/KIT.txt", ["ours", "KIT.txt", "ours"]), _is_named("KIT", ["ours", "a/KIT.txt", "ours"])
    (True, True)
    >>> _is_named("metrics.ours", ["ours", "KIT.txt", "ours"]), _is_named("NRC", ["ours", "a/KIT.txt", "ours"])
    (True, False)
    """
    leaf = key.rpartition(".")[2]  # of a path in an object
    if key in names or leaf in names or comes_from(key, names[1]):
        return True
    return by_file([key]) in (by_file([names[1]]), by_file([names[0]]))
