"""`--stats`: read statistics files instead of texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bleucli.cli.sources import (
    SIGNED,
    Counted,
    Counting,
    Entry,
    StatisticsArguments,
    Systems,
    documents_in,
    keep_groups,
    signed,
)
from bleucli.cli.streams import shown
from bleucli.counting import SystemStats
from bleucli.errors import BleuError
from bleucli.metrics import METRICS, Metric, name_of, segment_scores
from bleucli.metrics.segment_scores import SegmentScores
from bleucli.phrases import tell_count
from bleucli.results import Input, name_row
from bleucli.results.signature import ELSEWHERE, Signature
from bleucli.scale import Shard, statsfiles
from bleucli.scale.statsfiles import Statistics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def read(paths: Sequence[str]) -> Statistics:
    """Return what the files of --stats hold."""
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


def find_scores(statistics: Statistics) -> list[str]:
    """Return the names of the scores from elsewhere that all files have."""
    return [metric.name for _, metric in _scores_in(statistics)]


def _scores_in(statistics: Statistics) -> Iterator[tuple[str, SegmentScores]]:
    """Give the scores from elsewhere as metrics, each with its name in the files."""
    for stored, text in statistics.metrics.items():
        signature = Signature.parse(text) if text else None
        if signature is not None and ELSEWHERE in signature.info:
            yield stored, SegmentScores(signature.name, None, signature.info[ELSEWHERE] == "higher")


class StatisticsSource:
    """Systems whose statistics come from files; their texts are not needed.

    Args:
        arguments: what is scored of the files.
        statistics: what they hold.

    Attributes:
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
        stored, metric = next((pair for pair in _scores_in(self._statistics) if pair[1].name == name), ("", None))
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
            for part in groups:
                try:
                    statsfiles.check_references(part.systems, self._statistics.shards())
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

    def _read_parts(self, metrics: Sequence[Metric], keep_rows: bool) -> list[statsfiles.Part]:
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
