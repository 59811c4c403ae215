"""`--stats`: read statistics files instead of texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from bleucli import scoring
from bleucli.cli.streams import shown
from bleucli.cli.tabled import TEXTS, columns_of_groups, signed
from bleucli.cli.texts import Texts
from bleucli.counting import SystemStats
from bleucli.errors import BleuError
from bleucli.metrics import METRICS, Metric
from bleucli.phrases import tell_count
from bleucli.results import Input, Results, ScoreRecord, name_row
from bleucli.scale import segment_scores, statsfiles
from bleucli.scale.layout import SYSTEM, Shard
from bleucli.scale.statsfiles import Statistics
from bleucli.signature import Signature
from bleucli.textfiles import TextFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from typing import Any

    from bleucli.cli.keeper import Keeper
    from bleucli.cli.options import Options
    from bleucli.significance.comparison import Sampling


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
        others = ", ".join(statistics.metrics)
        raise BleuError(f"{statistics.files[0]} has only metrics of your own ({others}); read it with statsfiles.read")
    if options.followed:
        kinds = {options.followed}
    return options.replace(metrics=[name for name in METRICS if name in kinds])


class StoredTexts(Texts):
    """Systems whose statistics come from files; their texts are not needed."""

    def __init__(self, options: Options, statistics: Statistics) -> None:
        self._read_names(options)
        self._statistics = statistics
        # Only the names of these files are used; no file of texts is opened
        self._given = [TextFile(name) for name in statistics.systems]
        self._systems = self._given
        self._references = []
        self._kept = {}
        self._remedy = ""
        self._are_chosen = "metrics" in options.given or options.segment_scores or bool(options.followed)
        self.failures: dict[int, BleuError] = {}
        self._by = [column for column in columns_of_groups(options) if column != SYSTEM]
        self._stored: dict[str, Metric] = {}  # by their names in the files
        # For each row of the answer: the index of its system, and its group; scoring finds the groups
        self._rows: list[tuple[int, Sequence[tuple[str, str]]]] = [(n, ()) for n in range(len(self._given))]

    def counted_by(self, options: Options, names: Sequence[str]) -> Mapping[str, Metric]:
        """Return the metrics that have counted, with the options that were asked for."""
        found = {}
        for name in names:
            given = dict(options.of_metric(name))
            for option in METRICS[name].options:
                if option.loads and option.dest not in options.given:  # what --like says about it is compared later
                    given.pop(option.name, None)
            if options.sentence_level and any(option.name == "effective_order" for option in METRICS[name].options):
                given["effective_order"] = True
            if options.skip_empty_refs:
                given["skip_empty_refs"] = True
            like = options.like if name == options.followed else None
            stored, found[name] = self._statistics.choose(name, given, like, in_command=True)
            self._stored[stored] = found[name]
        return found

    def numbers(self, progress: Callable[[str, int, int], None]) -> Mapping[str, array[float]]:
        """Return the segment scores from elsewhere, by system."""
        (part,) = self._read_parts(self.choose_numbers(), keep_rows=True)
        return segment_scores.columns_of(part.systems)

    def choose_numbers(self) -> list[Metric]:
        """Return what stands in for the metric of segment scores from elsewhere.

        Raises:
            BleuError: the files have no such scores.
        """
        self._statistics.refuse_without("segment scores from elsewhere", lambda _, name: name == segment_scores.NAME)
        given = segment_scores.Given()
        self._stored = {segment_scores.NAME: given}
        return [given]

    def name_metrics(self, metrics: Sequence[Metric]) -> Mapping[str, Metric]:
        """Return the metrics by their names in the files."""
        return dict(zip(self._stored, metrics, strict=True))

    def score(
        self,
        metrics: Sequence[Metric],
        jobs: int | None,
        sampling: Sampling | None,
        progress: Callable[[str, int, int], None],
        keep: Keeper | None = None,
        before: Sequence[SystemStats] = (),
    ) -> Results:
        """Score all systems, on all segments together or group by group."""
        parts = self._read_parts(metrics, keep_rows=sampling is not None)
        if keep is not None:
            for part in parts:
                keep(part.systems, part.labels)
        groups = [([(column, _tell(value)) for column, value in part.labels], part.systems) for part in parts]
        self._rows = [(self._number(system), labels) for labels, systems in groups for system in systems]
        if self._by:
            results = scoring.score_groups(groups, metrics, sampling=sampling, progress=progress)
        else:
            counted = scoring.put_before(before, parts[0].systems)
            if sampling is not None and sampling.method != "ci":
                statsfiles.check_references(counted, self._statistics.shards())
            results = scoring.score_counted(counted, metrics, sampling=sampling, progress=progress)
        systems = [
            system._replace(scores=[self._sign(record, system.labels) for record in system.scores])
            for system in results.systems
        ]
        return results._replace(systems=systems)

    def read_only_system(self, metrics: Sequence[Metric], names: Sequence[str]) -> SystemStats:
        """Return what a test compares with: the only system, or, if `names` has one name, the system of that name.

        Raises:
            BleuError: there are several, or the file has only sums.
        """
        (part,) = self._read_parts(metrics, keep_rows=True)
        found = [system for system in part.systems if len(part.systems) == 1 or list(names) == [system.name]]
        if not found:
            raise BleuError(
                f"{self._statistics.files[0]} has {tell_count(len(part.systems), 'system')}, but a test compares with"
                " one; save the statistics of one system alone, or use --names to give the new system the name of one"
                " of them"
            )
        return found[0]

    def _read_parts(self, metrics: Sequence[Metric], keep_rows: bool) -> list[statsfiles.Part]:
        parts = self._statistics.count(self.name_metrics(metrics), self._by, keep_rows)
        if not parts:
            raise BleuError(f"{self._statistics.files[0]} holds no segments; choose another file")
        names = dict(zip(self._statistics.systems, self._names(), strict=True))
        return [
            part._replace(systems=[system._replace(name=names[system.name]) for system in part.systems])
            for part in parts
        ]

    def _number(self, system: SystemStats) -> int:
        return self._names().index(system.name)

    def score_segments(self, metric: Metric, jobs: int | None, keep: Keeper | None = None) -> Iterator[ScoreRecord]:
        """Score each segment of the only system."""
        (part,) = self._read_parts([metric], keep_rows=True)
        if keep is not None:
            keep(part.systems, part.labels)
        return (self._sign(record, ()) for record in scoring.score_rows([list(part.systems)]))

    def _sign(self, record: ScoreRecord, labels: Sequence[tuple[str, str]]) -> ScoreRecord:
        """Add to a signature which test set and which group of segments was scored."""
        told = signed(self.texts_named())
        told |= signed(labels)
        return record._replace(signature=Signature(record.signature).with_texts(told.items()))

    def texts_named(self) -> list[tuple[str, str]]:
        """Return which test sets and which language pair were scored, if the files say so."""
        found = ((column, self._statistics.values_met(column)) for column in TEXTS)
        return [(column, ",".join(dict.fromkeys(values))) for column, values in found if values]

    def names_in(self, form: str) -> list[str]:
        """Return the names of the answer's rows in a format."""
        names = super().names_in(form)
        return [name_row(names[number], labels) for number, labels in self._rows]

    def check_lengths(self) -> None:
        """Do nothing: reading the statistics finds missing segments."""

    def inputs(self) -> tuple[list[Input], list[Input]]:
        """Return for each row a file that has its system, and all files."""
        found = {path: Input("statistics", path, rows, digest) for path, rows, digest in self._statistics.digests()}
        return [found[self._statistics.home(name)] for name in self._systems_of_rows()], list(found.values())

    def _systems_of_rows(self) -> list[str]:
        return [self._statistics.systems[number] for number, _ in self._rows]

    def shards(self, first: int, rows: int) -> list[Shard]:
        """Return which texts the rows were made from, as far as the files say."""
        return self._statistics.shards()

    def write_stats(self, path: str, command: str) -> None:
        """Write everything that the files hold to one file."""
        self._statistics.write(path, command)

    def which_is_which(self, segments: int) -> str:
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

    def reference_count(self) -> None:
        """Return None: the number is known only after the statistics are read."""


def _tell(value: Any) -> str:
    return "" if value is None else str(value)
