"""`bleu count`: write what is counted to a file, to be scored, tested or added up later; merge such files."""

from __future__ import annotations

from bleucli.cli import pipeline, request
from bleucli.cli.commands import MESSAGES, SCORED, TEXTS, Command, take
from bleucli.cli.options import OPTIONS, Option, flag_of
from bleucli.cli.sources import columns_of_groups
from bleucli.cli.sources.texts import Counting, columns_of
from bleucli.cli.streams import Environment, shown, tell_command
from bleucli.counting import Part, SystemStats, add_systems
from bleucli.errors import UsageError
from bleucli.metrics import Metric, metric_that_counted
from bleucli.phrases import tell_count
from bleucli.scale import PARTIAL
from bleucli.scale.rows import Writer, write_sums

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from bleucli.cli.options import Options
    from bleucli.cli.sources import Source
    from bleucli.cli.streams import Messages

    # Takes the first segment of a block, and how many there are; returns columns of labels
    Labels = Callable[[int, int], Mapping[str, Sequence[object] | str]]

COUNT = Command(
    ("bleu count REF... -i SYSTEM... -o FILE [options]", "bleu count --stats FILE... -o FILE [--sums]"),
    "Save statistics for later, or merge them.",
    take(
        *(*TEXTS, "stats", "by", "engine", "scores", "segment_scores"),
        *(*SCORED, *MESSAGES),
        sums=Option("--sums", "keep only sums: one row per system, or per group of --by"),
        first_line=Option(
            "--first-line N",
            "this shard begins at line N of the whole text",
            bounds=(1, 1000000000000000, "the number of a line"),
        ),
        output=OPTIONS["output"]._replace(help="write Parquet for --stats to this file; with --engine, a folder"),
    ),
    ("output", "sums", "first_line", "input", "stats", "table", "engine", "test_set", "language_pair", "metrics"),
)
# Where lines have no numbers, and why
_UNNUMBERED = {
    "sums": "sums do not say which segments they are of",
    "stats": "the texts were read when the statistics were saved",
    "engine": "the engine counts all files together",
    "test_set": "it is for shards of your own files, but a test set is whole",
}


def count(options: Options, environment: Environment, messages: Messages) -> bool:
    """Count texts or merge files, and return True."""
    if options.output is None:
        raise UsageError("bleu count writes a file; name it with -o, such as -o stats.parquet")
    for name, reason in _UNNUMBERED.items():
        if options.first_line is not None and getattr(options, name):
            raise UsageError(f"--first-line cannot be combined with {flag_of(name)}: {reason}; leave it out")
    if options.stats is not None and not options.sums:
        _merge(options, messages)
        return True

    options, statistics = pipeline.prepare(options, messages)
    if options.table is not None:
        _refuse_columns_of_statistics(columns_of_groups(options))
    source: Source
    labels = None
    if statistics is None and options.engine is None:
        source = texts = pipeline.open_texts(options, environment, hashed=True)
        labels = texts.labels
    else:
        source = pipeline.open_source(options, environment, True, statistics)
    pipeline.check_references(options, source)
    idle = request.find_idle(options, len(source.systems), "")
    metrics, _ = pipeline.metrics_of(options, source)
    saving = _Saving(options, source, labels, metrics)
    with pipeline.watch(options, environment) as progress:
        counts = source.count(Counting(metrics, request.count_threads(options.jobs), False, progress, saving))
        results = pipeline.score(counts, metrics, source.texts, None, progress)
    signature = pipeline.compare_signatures(options, results)
    # Numbers from elsewhere are saved as they are
    of_results = [] if options.segment_scores else results.hints
    remarks = pipeline.Remarks(options, messages, signature, [*idle, *source.hints, *of_results])
    saving.save(tell_command(options.words))
    note = f"wrote {shown(str(options.output))}: {', '.join(saving.metrics)}"
    remarks.say(lambda: source.overview(saving.segments), [note])
    messages.note_slowness()
    return True


def _merge(options: Options, messages: Messages) -> None:
    """Write the rows of all files to one file, once it is clear that they belong together; --scores adds columns."""
    idle = options.given - {"stats", "output", "scores", *MESSAGES}
    if idle:
        raise UsageError(f"{flag_of(min(idle))} has no effect: files are merged as they are; leave it out")
    from bleucli.cli.sources import statistics_arguments
    from bleucli.cli.sources.scores import StatisticsSource, read_statistics

    statistics = read_statistics(options.stats)
    statistics.keep_small()
    ours = {name: text for name, text in statistics.metrics.items() if statistics.kind_of(name) is not None}
    source = StatisticsSource(statistics_arguments(options), statistics)
    pipeline.columns_of(options, source)
    statistics.count({**{name: metric_that_counted(text) for name, text in ours.items()}, **source.metrics})
    messages.hold_back(())
    path = shown(str(options.output))
    statistics.write(path, tell_command(options.words))
    messages.note(f"wrote {path}: {tell_count(len(statistics.files), 'file')} merged")


class _Saving:
    """What was counted, on its way to a file.

    labels: returns what is known of some segments beside their texts; None where no rows are written here. metrics:
    those that count, by their names in the file. segments: how many were counted so far.
    """

    def __init__(self, options: Options, source: Source, labels: Labels | None, metrics: Sequence[Metric]) -> None:
        self._path = shown(str(options.output))
        self._source, self._labels = source, labels
        self.metrics: Mapping[str, Metric]  # by the names that they get in the file: those that they have, or their own
        if options.stats is not None:
            from bleucli.cli.sources.scores import StatisticsSource

            assert isinstance(source, StatisticsSource)
            self.metrics = dict(zip(source.metrics, metrics, strict=True))
        else:
            from bleucli.scale import make_metrics

            self.metrics = make_metrics(metrics)
        self._first = (options.first_line or 1) - 1
        _refuse_columns_of_statistics(columns_of_groups(options), list(self.metrics))
        self._sums: dict[tuple[tuple[str, Any], ...], list[SystemStats]] | None = {} if options.sums else None
        # With --engine, the workers write the rows
        self._writer = None if options.sums or labels is None else Writer(self.metrics, self._first)
        # How many items are left out is known only in the end, so the rows of what may be a part of them wait for it
        self._waits = options.partial or options.test_set is not None
        self._waiting: list[tuple[Sequence[SystemStats], Mapping[str, Sequence[object] | str]]] = []
        self.segments = 0

    def keep_rows(self, block: Sequence[SystemStats]) -> None:
        """Keep the rows of the next segments."""
        count = block[0].stats[0].segments
        if self._writer is not None and self._labels is not None:
            self._waiting.append((block, self._labels(self.segments, count)))
            if not self._waits:
                self._write_waiting({})
        self.segments += count

    def _write_waiting(self, columns: Mapping[str, str]) -> None:
        """Write the rows that wait; columns: further ones, with one value for all segments."""
        assert self._writer is not None
        for block, labels in self._waiting:
            self._writer.add(block, {**labels, **columns})
        self._waiting.clear()

    def keep_sums(self, systems: Sequence[SystemStats], labels: Sequence[tuple[str, Any]]) -> None:
        """Add to the sums of a group."""
        if self._sums is not None:
            sums = [system.without_rows() for system in systems]
            self._sums[tuple(labels)] = add_systems(self._sums.get(tuple(labels), []), sums)

    def save(self, command: str) -> None:
        """Write the file, whole or not at all; it records the command line."""
        shards = self._source.shards(self._first, self.segments)
        if self._writer is not None:
            partial = columns_of(self._source.texts).get(PARTIAL)
            self._write_waiting({} if partial is None else {PARTIAL: partial})
            self._writer.save(self._path, shards, command)
        if self._sums is not None:
            columns = columns_of(self._source.texts)
            parts = [Part(list((columns | dict(labels)).items()), systems) for labels, systems in self._sums.items()]
            write_sums(self._path, parts, self.metrics, shards=shards, command=command)


def _refuse_columns_of_statistics(by: Sequence[str], metrics: Sequence[str] = ()) -> None:
    """Refuse to save groups by a column that would be taken for statistics; metrics: their names in the file."""
    from bleucli.scale import REFERENCES, SEGMENT, is_reserved

    for column in by:
        if column in (SEGMENT, REFERENCES) or is_reserved(column, metrics):
            raise UsageError(f"--by {column}: files of statistics have a column of that name already; rename yours")
