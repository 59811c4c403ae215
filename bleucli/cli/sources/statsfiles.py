"""`--stats`: read statistics files instead of texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bleucli.cli.sources import Counted, Entry, Systems, columns_of_groups, documents_in
from bleucli.cli.sources.tables import TEXTS, signed
from bleucli.cli.streams import shown
from bleucli.counting import SystemStats
from bleucli.errors import BleuError
from bleucli.metrics import METRICS, Metric
from bleucli.phrases import tell_count
from bleucli.results import Input
from bleucli.scale import segment_scores, statsfiles
from bleucli.scale.layout import SYSTEM, Shard
from bleucli.scale.statsfiles import Statistics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.cli.options import Options
    from bleucli.cli.sources import Keeper, Progress


def read(paths: Sequence[str]) -> Statistics:
    """Return what the files of --stats hold."""
    return statsfiles.read(*map(shown, paths))


def follow(options: Options, statistics: Statistics) -> Options:
    """Return the options, with the metrics of the files if none are named."""
    if options.metrics is not None or options.segment_scores:
        return options
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
    if options.followed:
        kinds = {options.followed}
    return options.replace(metrics=[name for name in METRICS if name in kinds])


class StatisticsSource:
    """Systems whose statistics come from files; their texts are not needed."""

    def __init__(self, options: Options, statistics: Statistics) -> None:
        self._statistics = statistics
        self.systems = Systems(options, lambda: list(map(Entry, statistics.systems)))
        self._are_chosen = "metrics" in options.given or options.segment_scores or bool(options.followed)
        self._by = [column for column in columns_of_groups(options) if column != SYSTEM]
        self._documents = documents_in(statistics.columns, options)
        self._is_tested = options.paired_ar or options.paired_bs
        self._are_numbers = options.segment_scores
        self._stored: dict[str, Metric] = {}  # by their names in the files

    def metrics(self, options: Options, names: Sequence[str]) -> list[Metric]:
        """Return the metrics of these names that have counted, with the options that were asked for.

        Without names, return what stands in for the metric of segment scores from elsewhere.

        Raises:
            BleuError: the files lack one of them.
        """
        if options.segment_scores:
            self._statistics.refuse_without(
                "segment scores from elsewhere", lambda _, name: name == segment_scores.NAME
            )
            self._stored = {segment_scores.NAME: segment_scores.Given()}
        for name in names:
            arguments = dict(options.of_metric(name))
            for option in METRICS[name].options:
                if option.loads and option.dest not in options.given:  # what --like says about it is compared later
                    arguments.pop(option.name, None)
            if options.sentence_level and any(option.name == "effective_order" for option in METRICS[name].options):
                arguments["effective_order"] = True
            if options.skip_empty_refs:
                arguments["skip_empty_refs"] = True
            like = options.like if name == options.followed else None
            stored, metric = self._statistics.choose(name, arguments, like, in_command=True)
            self._stored[stored] = metric
        return list(self._stored.values())

    def names_of_metrics(self, metrics: Sequence[Metric]) -> Mapping[str, Metric]:
        """Return the metrics by their names in the files."""
        return dict(zip(self._stored, metrics, strict=True))

    def count(
        self,
        metrics: Sequence[Metric],
        jobs: int | None,
        keep_rows: bool,
        progress: Progress,
        keeper: Keeper | None = None,
    ) -> Counted:
        """Read what was counted, on all segments together or group by group; see `Source.count`."""
        parts = self._read_parts(metrics, keep_rows or self._are_numbers)
        if keeper is not None:
            for part in parts:
                keeper.keep_rows(part.systems)
                keeper.keep_sums(part.systems, part.labels)
        groups = [
            part._replace(labels=[(column, "" if value is None else str(value)) for column, value in part.labels])
            for part in parts
        ]
        if self._is_tested and not self._by:
            statsfiles.check_references(groups[0].systems, self._statistics.shards())
        return Counted(groups, grouped=bool(self._by), are_numbers=self._are_numbers)

    def blocks(self, metric: Metric, jobs: int | None) -> Iterator[list[SystemStats]]:
        """Give the statistics of the only system, with rows."""
        (part,) = self._read_parts([metric], keep_rows=True)
        yield list(part.systems)

    def selection(self) -> None:
        """Return None: files of statistics are scored as a whole."""

    def only_system(self, metrics: Sequence[Metric], names: Sequence[str]) -> SystemStats:
        """Return what a test compares with: the only system, or, if `names` has one name, the system of that name.

        Raises:
            BleuError: there are several, or the file has only sums.
        """
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
        documents = self._documents if keep_rows and not self._are_numbers else ""
        parts = self._statistics.count(self.names_of_metrics(metrics), self._by, keep_rows, documents)
        if not parts:
            raise BleuError(f"{self._statistics.files[0]} holds no segments; choose another file")
        names = dict(zip(self._statistics.systems, self.systems.names(), strict=True))
        return [
            part._replace(systems=[system._replace(name=names[system.name]) for system in part.systems])
            for part in parts
        ]

    def texts(self) -> Mapping[str, str]:
        """Return which test sets and which language pair were scored, if the files say so, as signatures name them."""
        return signed(self.columns())

    def columns(self) -> list[tuple[str, str]]:
        """Return which test sets and which language pair were scored, if the files say so."""
        values = ((column, self._statistics.values_met(column)) for column in TEXTS)
        return [(column, ",".join(dict.fromkeys(of))) for column, of in values if of]

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

    def hints(self) -> list[str]:
        """Return hints about ways of counting that the files have but that were not used."""
        kind_of = self._statistics.kind_of
        kinds = {kind_of(name): name for name in self._stored}
        hints = [
            f"the files hold {kinds[kind_of(name)]} and {name}, and the first was used; to choose, give the options in"
            " which they differ"
            for name in self._statistics.metrics
            if name not in self._stored and kind_of(name) in kinds
        ]
        if not self._are_chosen:
            hints += [
                f"{path} has {name}, which other files lack, so it is left out"
                for name, path in self._statistics.left_out.items()
            ]
            hints += [
                f"the files hold {name}, which only Python can score, because it is a metric of your own"
                for name in self._statistics.metrics
                if kind_of(name) is None
            ]
        return hints
