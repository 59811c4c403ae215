"""`--engine`: the texts are columns of tables, which an engine counts on its cluster."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from bleucli.cli.provenance import command_of
from bleucli.cli.sources import Counted, Entry, Systems, columns_of_groups, grouped
from bleucli.cli.sources.tables import (
    columns_in_command,
    hashed_inputs,
    name_tables,
)
from bleucli.cli.streams import shown
from bleucli.counting import Part, SystemStats, add_systems
from bleucli.errors import BleuError
from bleucli.results import Input
from bleucli.scale import arrow
from bleucli.scale.engines import ENGINES, Work, check_sums
from bleucli.scale.layout import SYSTEM, Shard, label_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa

    from bleucli.cli.options import Options
    from bleucli.cli.sources import Keeper, Progress
    from bleucli.metrics import Metric
    from bleucli.scale.engines import Survey


class EngineSource:
    """Tables that are counted on a cluster; only the sums come back.

    Args:
        options: the options of the command.
        words: the words of the command line, which statistics files record.

    Raises:
        UsageError: options contradict each other.
    """

    def __init__(self, options: Options, words: Sequence[str]) -> None:
        self._by = columns_of_groups(options)
        self._columns = columns_in_command(options, self._by)
        self._engine = str(options.engine)
        self._paths = list(map(shown, options.table or ()))
        # Workers may have other working directories
        saves_rows = options.command == "count" and not options.sums
        self._saved = os.path.abspath(shown(str(options.output))) if saves_rows else ""
        self._command = command_of(words)
        self.systems = Systems(options, lambda: list(map(Entry, self._columns.hypotheses)))
        self._rows_of: Mapping[str, int] = {}  # number of rows by file

    def count(
        self,
        metrics: Sequence[Metric],
        jobs: int | None,
        keep_rows: bool,
        progress: Progress,
        keeper: Keeper | None = None,
    ) -> Counted:
        """Count all systems, on all rows or group by group, and return sums; see `Source.count`."""
        names = self.systems.names()
        systems = dict(zip(names, self._columns.hypotheses.values(), strict=True))
        work = Work(metrics, systems, self._columns.references, self._by, self._saved, self._command)
        survey, sums = self._run(work)
        groups: dict[tuple[Any, ...], dict[str, SystemStats]] = {}
        for group in arrow.scores(sums, survey.segments * len(names), work.metrics):
            # With --by system, the key is a label of the rows, and there is only one column of hypotheses
            name = names[0] if SYSTEM in self._by else group.keys[SYSTEM]
            of_group = groups.setdefault(tuple(label_of(group.keys[column]) for column in self._by), {})
            stats = SystemStats(name, list(group.stats.values()), None)
            # Engines distinguish NaN from null, and -0.0 from 0.0
            (of_group[name],) = add_systems([of_group[name]] if name in of_group else [], [stats])
        parts = [
            Part(list(zip(self._by, values, strict=True)), [groups[values][name] for name in names])
            for values in survey.order
        ]
        if self._by:
            return grouped(parts, (), keeper)
        if keeper is not None:
            keeper.keep_sums(parts[0].systems, ())
        return Counted(parts)

    def _run(self, work: Work) -> tuple[Survey, pa.Table]:
        """Count the tables with the engine, and return what it found.

        Raises:
            BleuError: something is wrong with the texts, or the engine failed.
        """
        import sys
        import warnings

        engine = ENGINES[self._engine]
        if self._engine == "spark":
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else workers run the first python3 on the path
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # warnings of the engine about itself
                survey = engine.survey(self._paths, self._columns, self._by)
                self._rows_of = survey.rows
                work.prepare(survey.partitions)
                try:
                    sums = check_sums(engine.count(work, survey.partitions) if survey.partitions else None)
                except BaseException:
                    work.discard(survey.partitions)
                    raise
        except BleuError:
            raise
        except Exception as error:  # engines raise exceptions of many kinds
            reason = next(iter(str(error).strip().splitlines()), "")[:300]
            raise BleuError(
                f"{self._engine} failed: {type(error).__name__}{reason and f' ({reason})'}; see its own messages"
            ) from error
        work.check_kept(survey.partitions)
        return survey, sums

    def texts(self) -> Mapping[str, str]:
        """Return nothing: what signatures say of tables is about groups."""
        return {}

    def columns(self) -> list[tuple[str, str]]:
        """Return nothing: what is known of rows is known of each by itself."""
        return []

    def inputs(self) -> tuple[Mapping[str, Input], list[Input]]:
        """Return the first file for each system, and all files; those on this machine are hashed."""
        return hashed_inputs(self.systems.names(), self._rows_of)

    def shards(self, first: int, rows: int) -> list[Shard]:
        """Return what files of sums say about where their rows come from."""
        source = ", ".join(self._paths)
        return [Shard(name, 0, sum(self._rows_of.values()), source=source) for name in self.systems.names()]

    def hints(self) -> list[str]:
        """Return the hints about the files: there are none."""
        return []

    def overview(self, segments: int) -> str:
        """Return a line that names files and systems."""
        return name_tables(list(self._rows_of), self.systems, segments)
