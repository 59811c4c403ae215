"""`--save-stats` and `--save-sums`: write what was counted to files."""

from __future__ import annotations

from collections.abc import Sequence

from bleucli.cli.provenance import mask_credentials
from bleucli.cli.streams import shown
from bleucli.cli.tabled import columns_of_groups, refuse_columns_of_statistics
from bleucli.counting import add_systems
from bleucli.scale.rows import Part, Writer, write_sums

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from bleucli.cli.options import Options
    from bleucli.cli.texts import Texts
    from bleucli.counting import SystemStats
    from bleucli.metrics import Metric


class Saving:
    """The files that one run writes beside its answer.

    Args:
        options: the options of the command, which name the files.
        words: the words of the command line, which the files record.
    """

    def __init__(self, options: Options, words: Sequence[str]) -> None:
        self._options = options
        self._command = command_of(words)
        self._first = (options.first_line or 1) - 1

    def start(self, texts: Texts, metrics: Sequence[Metric]) -> Saving:
        """Prepare for what these metrics count; `self` is then called with each block.

        Raises:
            UsageError: a column of groups has the name of a column of statistics.
        """
        self._texts = texts
        self._metrics: Mapping[str, Metric] = texts.name_metrics(metrics)
        refuse_columns_of_statistics(columns_of_groups(self._options), list(self._metrics))
        # With --stats, `save` copies the rows from file to file; with --engine, workers write them
        is_counted_here = self._options.stats is None and self._options.engine is None
        is_counted_now = self._options.save_stats is not None and is_counted_here
        self._writer = Writer(self._metrics, self._first) if is_counted_now else None
        self._sums: dict[tuple[tuple[str, Any], ...], list[SystemStats]] = {}
        self._done = 0
        return self

    def __call__(self, block: Sequence[SystemStats], labels: Sequence[tuple[str, Any]] = ()) -> None:
        """Keep the next segments of all systems; `labels` are those of the group that they belong to."""
        self.keep_rows(block)
        self.keep_sums(block, labels)

    def keep_rows(self, block: Sequence[SystemStats]) -> None:
        """Keep the rows of the next segments."""
        count = block[0].stats[0].segments
        if self._writer is not None:
            self._writer.add(block, self._texts.columns(self._done, count))
        self._done += count

    def keep_sums(self, systems: Sequence[SystemStats], labels: Sequence[tuple[str, Any]]) -> None:
        """Add to the sums of a group."""
        if self._options.save_sums is not None:
            sums = [system.without_rows() for system in systems]
            self._sums[tuple(labels)] = add_systems(self._sums.get(tuple(labels), []), sums)

    def save(self) -> None:
        """Write the files, each whole or not at all.

        Raises:
            BleuError: one cannot be written.
        """
        shards = self._texts.shards(self._first, self._done)
        path = shown(self._options.save_stats or "")
        if self._writer is not None:
            self._writer.save(path, shards, self._command)
        elif path and self._options.engine is None:  # the engine's workers have written their files already
            from bleucli.cli.stored import StoredTexts

            assert isinstance(self._texts, StoredTexts)
            self._texts.write_stats(path, self._command)
        if self._options.save_sums is not None:
            named = dict(self._texts.texts_named())
            parts = [Part(list((named | dict(labels)).items()), systems) for labels, systems in self._sums.items()]
            path = shown(self._options.save_sums)
            write_sums(path, parts, self._metrics, shards=shards, command=self._command)


def command_of(words: Sequence[str]) -> str:
    """Return the command line as files record it."""
    from shlex import join

    return join(["bleu", *(mask_credentials(shown(word)) for word in words)])
