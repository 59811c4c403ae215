"""Numbers instead of texts: what was counted earlier, and segment scores that something else has computed.

- `StatisticsSource`: `--stats`, files of statistics; `read_statistics`, `find_metrics`, `scores_in`: what they hold
- `NumberSource`: `--segment-scores`, files with a score for each segment
- `names_of_scores`, `read_scores`: `--scores`, columns beside those that are counted
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence

from bleucli.cli.sources.files import FileSource
from bleucli.cli.sources.texts import SIGNED, Counted, Counting, Entry, Systems, documents_in, keep_groups, signed
from bleucli.cli.streams import shown
from bleucli.counting import CorpusStats, Part, SystemStats
from bleucli.counting.corpus import in_step
from bleucli.errors import BleuError, LengthError, UsageError
from bleucli.limits import read_number
from bleucli.metrics import METRICS, Metric, name_of, segment_scores
from bleucli.metrics.segment_scores import LARGEST, Column, SegmentScores, column_of
from bleucli.phrases import list_names, tell_count
from bleucli.results import Input, name_row
from bleucli.results.hints import warn
from bleucli.results.naming import by_file, comes_from
from bleucli.results.signature import ELSEWHERE, Signature
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from bleucli.cli.sources import ScoreArguments, StatisticsArguments
    from bleucli.cli.sources.texts import File
    from bleucli.counting.corpus import Source
    from bleucli.reading.scorefiles import Ids, Item, ScoreFile
    from bleucli.scale import Shard
    from bleucli.scale.statsfiles import Statistics

# --- statistics of earlier runs


def read_statistics(paths: Sequence[str]) -> Statistics:
    """Return what the files of --stats hold."""
    from bleucli.scale import statsfiles

    return statsfiles.read(*map(shown, paths))


def find_metrics(statistics: Statistics, followed: str) -> list[str]:
    """Return the metrics that count if none are named: those of all files, or the one that --like names."""
    if not statistics.metrics:
        raise BleuError("the files have no metric in common; name files of the same metrics")
    if not any(statistics.metrics.values()):
        raise BleuError(f"{statistics.files[0]} holds no segments; choose another file")
    kinds = set(map(statistics.kind_of, statistics.metrics)) - {None}
    if not kinds and segment_scores.NAME in statistics.metrics:
        raise BleuError(f"{statistics.files[0]} holds segment scores from elsewhere; add --segment-scores")
    if not kinds:
        names = ", ".join(statistics.metrics)
        raise BleuError(f"{statistics.files[0]} has only metrics of your own ({names}); read it with statsfiles.read")
    return [name for name in METRICS if name in ({followed} if followed else kinds)]


def scores_in(statistics: Statistics) -> Iterator[tuple[str, SegmentScores]]:
    """Give the scores from elsewhere that all files have as metrics, each with its name in the files."""
    for stored, text in statistics.metrics.items():
        signature = Signature.parse(text) if text else None
        if signature is not None and ELSEWHERE in signature.info:
            yield stored, SegmentScores(signature.name, None, signature.info[ELSEWHERE] == "higher")


class StatisticsSource:
    """Systems whose statistics come from files; their texts are not needed.

    chosen: the metrics that were chosen, by their names in the files.
    """

    selection = None
    finds_parts = False

    def __init__(self, arguments: StatisticsArguments, statistics: Statistics) -> None:
        names, self._by, unit, self._is_tested, self._names_metrics = arguments
        self._statistics = statistics
        self.systems = Systems(names, lambda: list(map(Entry, statistics.systems)))
        self._documents = documents_in(statistics.columns, unit)
        self.chosen: dict[str, Metric] = {}
        self._columns: dict[str, Metric] = {}

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics that score, by their names in the files, then the scores that --scores adds."""
        return self.chosen | self._columns

    def add(self, columns: Sequence[SegmentScores]) -> None:
        """Add scores from elsewhere to those in the files."""
        names = dict(zip(self._statistics.systems, self.systems.names(), strict=True))
        for scores in columns:
            stored = name_of(scores)
            self._statistics.add(stored, scores.rename(names))
            self._columns[stored] = scores

    def choose(self, name: str, arguments: Mapping[str, Any], like: Signature | None) -> None:
        """Choose a metric of this name that has counted with these arguments, and as the signature says, if any."""
        stored, metric = self._statistics.choose(name, arguments, like, in_command=True)
        self.chosen[stored] = metric

    def choose_scores(self, name: str) -> None:
        """Choose scores from elsewhere by their name."""
        stored, metric = next((pair for pair in scores_in(self._statistics) if pair[1].name == name), ("", None))
        if metric is None:
            raise BleuError(
                f"{self._statistics.files[0]} has no {name}; it has {', '.join(self._statistics.metrics)}; save it with"
                " bleu count --scores"
            )
        self.chosen[stored] = metric

    def choose_numbers(self) -> None:
        """Choose what stands in for the metric of segment scores from elsewhere."""
        self._statistics.refuse_without("segment scores from elsewhere", lambda _, name: name == segment_scores.NAME)
        self.chosen = {segment_scores.NAME: SegmentScores()}

    def count(self, counting: Counting) -> Counted:
        """Read what was counted, on all segments together or group by group; see `bleucli.cli.sources.Source.count`."""
        parts = self._read_parts(counting.metrics, counting.keep_rows)
        if counting.keeper is not None:
            for part in parts:
                counting.keeper.keep_rows(part.systems)
        groups = keep_groups(parts, counting.keeper)
        if self._is_tested:
            from bleucli.scale.statsfiles import check_references

            for part in groups:
                try:
                    check_references(part.systems, self._statistics.shards())
                except BleuError as error:
                    group = name_row("", part.labels).strip()
                    raise BleuError(f"{group}: " if group else "", *error.parts) from None
        return Counted(groups, grouped=bool(self._by))

    def blocks(
        self, metrics: Sequence[Metric], jobs: int | None, with_texts: bool
    ) -> Iterator[tuple[None, list[SystemStats]]]:
        """Give the statistics of all systems, with rows; there are no texts."""
        (part,) = self._read_parts(metrics, keep_rows=True)
        yield None, list(part.systems)

    def only_system(self, metrics: Sequence[Metric], names: Sequence[str]) -> SystemStats:
        """Return what a test compares with: the only system, or, if `names` has one name, the system of that name."""
        (part,) = self._read_parts(metrics, keep_rows=True)
        systems = [system for system in part.systems if len(part.systems) == 1 or list(names) == [system.name]]
        if not systems:
            raise BleuError(
                f"{self._statistics.files[0]} has {tell_count(len(part.systems), 'system')}, but a test compares with"
                " one; save the statistics of one system alone, or use --names to give the new system the name of one"
                " of them"
            )
        return systems[0]

    def _read_parts(self, metrics: Sequence[Metric], keep_rows: bool) -> list[Part]:
        """Return what the files hold of each group, under the systems' names in scores."""
        documents = self._documents if keep_rows else ""
        parts = self._statistics.count(dict(zip(self.metrics, metrics, strict=True)), self._by, keep_rows, documents)
        if not parts:
            raise BleuError(f"{self._statistics.files[0]} holds no segments; choose another file")
        names = dict(zip(self._statistics.systems, self.systems.names(), strict=True))
        return [
            part._replace(systems=[system._replace(name=names[system.name]) for system in part.systems])
            for part in parts
        ]

    @property
    def texts(self) -> Sequence[tuple[str, str]]:
        """Which test sets and which language pair were scored, if the files say so."""
        values = ((column, self._statistics.values_met(column)) for column in SIGNED)
        return signed([(column, ",".join(dict.fromkeys(of))) for column, of in values if of])

    def inputs(self) -> tuple[Mapping[str, Input], list[Input]]:
        """Return for each system a file that has it, and all files."""
        files = {path: Input("statistics", path, rows, digest) for path, rows, digest in self._statistics.digests()}
        homes = [files[self._statistics.home(name)] for name in self._statistics.systems]
        return dict(zip(self.systems.names(), homes, strict=True)), list(files.values())

    def shards(self, first: int, rows: int) -> list[Shard]:
        """Return which texts the rows were made from, as far as the files say."""
        return self._statistics.shards()

    def overview(self, segments: int) -> str:
        """Return a line that names files and systems."""
        systems = ", ".join(self._statistics.systems)
        files = ", ".join(self._statistics.files[:3]) + ", ..." * (len(self._statistics.files) > 3)
        return f"statistics {files}, {tell_count(segments, 'segment')}; systems {systems}"

    @property
    def hints(self) -> Sequence[str]:
        """Hints about ways of counting that the files have but that were not used."""
        kind_of = self._statistics.kind_of
        kinds = {kind: name for name in self.chosen if (kind := kind_of(name)) is not None}
        hints = [
            f"the files hold {kinds[kind]} and {name}, and the first was used; to choose, give the options in"
            " which they differ"
            for name in self._statistics.metrics
            if name not in self.chosen and (kind := kind_of(name)) in kinds
        ]
        if not self._names_metrics:
            hints += [
                f"{path} has {name}, which other files lack, so it is left out"
                for name, path in self._statistics.left_out.items()
            ]
            hints += [
                f"the files hold {name}, which only Python can score, because it is a metric of your own"
                for name in self._statistics.metrics
                if kind_of(name) is None and name not in self.chosen
            ]
        return hints


# --- segment scores by something else


class NumberSource(FileSource):
    """Files of one number per line, or other text, for --segment-scores: what something else has computed."""

    def count(self, counting: Counting) -> Counted:
        """Read the numbers; see `bleucli.cli.sources.Source.count`."""
        (metric,) = counting.metrics
        are_numbers = all(_begins_with_number(file) for file in self._files)
        if are_numbers:  # the lines of other layouts are not all scores
            self._check_lengths()
        try:
            sources = self._sources()
            names = [name for source in sources for name in source.names]
            groups = [sources] if are_numbers else [[source] for source in sources]
            rows = [column for group in groups for column in _read_columns(group, counting)]
        except LengthError as error:
            raise self.explain(error) from None
        segments = len(rows[0].rows)
        SegmentScores(columns=dict(zip(names, rows, strict=True))).check_count(segments)
        nrefs = array("i", bytes(4 * segments))  # there are no references
        systems = [
            SystemStats(name, [CorpusStats.of_rows(metric, column.rows, nrefs)], None)
            for name, column in zip(names, rows, strict=True)
        ]
        if counting.keeper is not None:
            counting.keeper.keep_rows(systems)
            counting.keeper.keep_sums(systems, ())
        return Counted([Part((), systems)])


def _begins_with_number(file: File) -> bool:
    """Return whether a regular file begins with a line that is just a number; True for a pipe, which is read once."""
    from bleucli.reading import scorefiles

    block = next(file.twin().blocks(), None) if file.is_file else None
    return block is None or scorefiles.is_number(block[0][0] or "")


def _read_columns(sources: Sequence[Source], counting: Counting) -> list[Column]:
    """Return the scores in files that are read in step."""
    from bleucli.reading import scorefiles

    names = [name for source in sources for name in source.names]
    columns: list[Any] = [array("d") for _ in names]
    lines = 0
    for pieces in in_step(sources):
        texts = [text for piece in pieces for text in piece]
        for place, (name, block) in enumerate(zip(names, texts, strict=True)):
            if not lines and not scorefiles.is_number(block[0] or ""):
                columns[place] = []  # all lines of another layout
            is_plain = isinstance(columns[place], array)
            columns[place].extend(_numbers(block, name, lines) if is_plain else [text or "" for text in block])
        lines += len(texts[0])
        counting.progress("segments", lines, 0)
    pairs = zip(names, columns, strict=True)
    return [column_of(name, of) if isinstance(of, array) else _of_lines(name, of) for name, of in pairs]


def _of_lines(name: str, lines: Sequence[str]) -> Column:
    """Return the scores in lines that are not just numbers."""
    from bleucli.reading import scorefiles

    if lines[0].lstrip().startswith(("{", "[")):  # of MetricX, perhaps, of which lower scores are better
        raise BleuError(f"{name} is JSON; read it beside texts: bleu REF -i SYSTEM --scores NAME={name}")
    systems = scorefiles.of_lines(lines, name, segment_scores.NAME)
    if len(systems) > 1:
        raise BleuError(f"{name} has scores of {', '.join(systems)}; give a file for each system")
    (scores,) = systems.values()
    return _column(name, scores.items, scores.ids)


def _column(label: str, items: list[Item], ids: Ids, are_items: bool = False) -> Column:
    """Return scores; are_items: whether each list of scores belongs to one item of JSON Lines."""
    from bleucli.reading import scorefiles

    if ids.unused:
        warn(f"{label} has {ids.unused}")
    # Such an item may be a document; otherwise, each score belongs to a line of text
    column = column_of(label, items if are_items else scorefiles.flatten(items))
    of_scores = ids.columns if are_items else scorefiles.repeat(ids.columns, items)
    return column._replace(ids=of_scores, fault=ids.fault, is_sorted=ids.is_sorted, texts=ids.texts)


def _numbers(texts: Segments, name: str, start: int) -> Iterator[float]:
    """Give the numbers in lines; start: how many lines precede them."""
    for line, text in enumerate(texts, start + 1):
        try:
            number = read_number(text or "")
        except ValueError:
            number = float("nan")
        if not -LARGEST <= number <= LARGEST:
            raise BleuError(
                f"{name}, line {line}: {text!r} is not a number from -1e100 to 1e100; expected one score per line"
            )
        yield number


def names_of_scores(arguments: ScoreArguments) -> list[str]:
    """Return the names of the scores."""
    names = [segment_scores.read_name(word)[0] for word, _ in arguments.columns]
    segment_scores.check_names(names)
    return names


def read_scores(arguments: ScoreArguments, systems: Systems) -> tuple[list[SegmentScores], list[Input]]:
    """Return the scores as metrics, and a record of each file."""
    from bleucli.reading import scorefiles

    titles = names_of_scores(arguments)  # refuses wrong names before any file is read
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
            ids = file.ids[key]
            column = _column(label, items, ids, arguments.are_items)
            columns[names[place]] = column._replace(is_alone=is_alone)
        metrics.append(segment_scores.make(word, columns))
        segments = len(columns[names[0]].rows)
        inputs += [Input("scores", file.label, segments, file.sha256) for file in files_of_scores]
    return metrics, inputs


def _find(file: ScoreFile, names: Sequence[str], is_alone: bool) -> tuple[str, str]:
    """Return what errors call the scores of a system, and what the file calls the system.

    names: what the system is called in scores, its path, and what it is called in formats. is_alone: whether the file
    has the scores of this system only.
    """
    if is_alone and len(file.systems) == 1:
        return file.label, next(iter(file.systems))
    keys = [key for key in file.systems if _is_named(key, names)]
    if len(keys) == 1:
        return f"{file.label}, {keys[0]}", keys[0]
    there = list_names(filter(None, file.systems))
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
    >>> _is_named("metrics.v1.5", ["v1.5", "KIT.txt", "v1.5"]), _is_named("NRC", ["ours", "a/KIT.txt", "ours"])
    (True, False)
    """
    is_end = any(f".{key}".endswith(f".{name}") for name in names)  # of a path in an object
    if is_end or comes_from(key, names[1]):
        return True
    return by_file([key]) in (by_file([names[1]]), by_file([names[0]]))
