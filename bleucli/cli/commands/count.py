"""`bleu count`: write what is counted to a file, to be scored, tested or added up later; merge such files."""

from __future__ import annotations

from bleucli import statsfiles
from bleucli.cli import request, stored
from bleucli.cli.commands import MESSAGES, SCORED, TEXTS, Command, take
from bleucli.cli.options import OPTIONS, Option, flag_of
from bleucli.cli.progress import watch
from bleucli.cli.provenance import command_of
from bleucli.cli.streams import Environment, shown
from bleucli.cli.system_scoring import compare_signatures, note_lowercase
from bleucli.cli.tabled import columns_of_groups, refuse_columns_of_statistics
from bleucli.cli.texts import Texts
from bleucli.counting import SystemStats, add_systems
from bleucli.errors import UsageError
from bleucli.metrics import Metric, metric_that_counted
from bleucli.phrases import tell_count
from bleucli.statsfiles import Part, Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from bleucli.cli.messages import Messages
    from bleucli.cli.options import Options

COMMAND = Command(
    ("bleu count REF... -i SYSTEM... -o FILE [options]", "bleu count --stats FILE... -o FILE [--sums]"),
    "Save statistics for later, or merge them.",
    take(
        *(*TEXTS, "stats", "by", "engine", "segment_scores"),
        *(*SCORED, *MESSAGES),
        sums=Option(("--sums",), "keep only sums: one row per system, or per group of --by", bool),
        first_line=Option(
            ("--first-line",),
            "this shard begins at line N of the whole text",
            int,
            metavar="N",
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


def run(options: Options, environment: Environment, messages: Messages, words: Sequence[str]) -> bool:
    """Count texts or merge files, and return True.

    Raises:
        BleuError: no file is named, something is wrong with options or texts, or the file cannot be written.
    """
    from bleucli.cli import scoring

    if options.output is None:
        raise UsageError("bleu count writes a file; name it with -o, such as -o stats.parquet")
    for name, reason in _UNNUMBERED.items():
        if options.first_line is not None and getattr(options, name):
            raise UsageError(f"--first-line cannot be combined with {flag_of(name)}: {reason}; leave it out")
    if options.stats is not None and not options.sums:
        _merge(options, messages, words)
        return True

    def count(options: Options, texts: Texts, environment: Environment, messages: Messages) -> None:
        _count(options, texts, environment, messages, command_of(words))

    return scoring.score(options, environment, messages, words, count, hashed=True)


def _merge(options: Options, messages: Messages, words: Sequence[str]) -> None:
    """Write the rows of all files to one file, once it is clear that they belong together."""
    idle = options.given - {"stats", "output", *MESSAGES}
    if idle:
        raise UsageError(f"{flag_of(min(idle))} has no effect: files are merged as they are; leave it out")
    statistics = stored.read(options.stats)
    ours = {name: text for name, text in statistics.metrics.items() if statistics.kind_of(name) is not None}
    statistics.count({name: metric_that_counted(text) for name, text in ours.items()})
    messages.hold_back(())
    path = shown(str(options.output))
    statistics.write(path, command_of(words))
    messages.note(f"wrote {path}: {tell_count(len(statistics.files), 'file')} merged")


def _count(options: Options, texts: Texts, environment: Environment, messages: Messages, command: str) -> None:
    """Count what the metrics need, and write it."""
    idle = request.find_idle(options, texts.count_systems(), "", False)
    with watch(options, environment) as progress:
        if options.segment_scores:
            from bleucli import segment_scores

            systems = segment_scores.stats_of(texts.numbers(progress))
            metrics: list[Metric] = [segment_scores.Given()]
            saving = _Saving(options, texts, metrics)
            saving(systems)
            signed, hints = {}, [*idle, *texts.hints()]
        else:
            metrics = request.make_metrics(options, texts)
            saving = _Saving(options, texts, metrics)
            results = texts.score(metrics, request.count_threads(options.jobs), None, progress, saving)
            signed = compare_signatures(options, results, request.names_of_metrics(options))
            hints = [*idle, *texts.hints(), *results.hints, *request.find_differences(signed, options)]
            hints += note_lowercase(options)
    messages.hold_back(hints)
    saving.save(command)
    request.note_files(texts, saving.segments, options, messages)
    request.note_texts(signed, options, messages)
    messages.note(f"wrote {shown(str(options.output))}: {', '.join(texts.name_metrics(metrics))}")
    for hint in hints:
        messages.warn(hint)


class _Saving:
    """What was counted, on its way to a file.

    Args:
        options: the options of the command.
        texts: where the segments come from.
        metrics: the metrics that count.

    Raises:
        UsageError: a column of groups has the name of a column of statistics.
    """

    def __init__(self, options: Options, texts: Texts, metrics: Sequence[Metric]) -> None:
        self._path = shown(str(options.output))
        self._texts = texts
        self._metrics: Mapping[str, Metric] = texts.name_metrics(metrics)
        self._first = (options.first_line or 1) - 1
        refuse_columns_of_statistics(columns_of_groups(options), list(self._metrics))
        self._sums: dict[tuple[tuple[str, Any], ...], list[SystemStats]] | None = {} if options.sums else None
        # With --engine, the workers write the rows
        self._writer = None if options.sums or options.engine is not None else Writer(self._metrics, self._first)
        self.segments = 0

    def __call__(self, block: Sequence[SystemStats], labels: Sequence[tuple[str, Any]] = ()) -> None:
        """Keep the next segments of all systems; `labels` are those of the group that they belong to."""
        self.keep_rows(block)
        self.keep_sums(block, labels)

    def keep_rows(self, block: Sequence[SystemStats]) -> None:
        """Keep the rows of the next segments."""
        count = block[0].stats[0].segments
        if self._writer is not None:
            self._writer.add(block, self._texts.columns(self.segments, count))
        self.segments += count

    def keep_sums(self, systems: Sequence[SystemStats], labels: Sequence[tuple[str, Any]]) -> None:
        """Add to the sums of a group."""
        if self._sums is not None:
            sums = [system.without_rows() for system in systems]
            self._sums[tuple(labels)] = add_systems(self._sums.get(tuple(labels), []), sums)

    def save(self, command: str) -> None:
        """Write the file, whole or not at all; it records the command line.

        Raises:
            BleuError: it cannot be written.
        """
        shards = self._texts.shards(self._first, self.segments)
        if self._writer is not None:
            self._writer.save(self._path, shards, command)
        if self._sums is not None:
            named = dict(self._texts.texts_named())
            parts = [Part(list((named | dict(labels)).items()), systems) for labels, systems in self._sums.items()]
            statsfiles.write_sums(self._path, parts, self._metrics, shards=shards, command=command)
