"""`--engine`: the texts are columns of tables, which an engine counts on its cluster."""

from __future__ import annotations

import os
from collections.abc import Sequence

from bleucli import scoring
from bleucli.cli.saving import command_of
from bleucli.cli.streams import shown
from bleucli.cli.tabled import TabledTexts, columns_in_command, columns_of_groups
from bleucli.counting import SystemStats, add_systems
from bleucli.errors import BleuError, UsageError
from bleucli.results import Input, Results
from bleucli.scale import arrow
from bleucli.scale.engines import ENGINES, Work, check_sums
from bleucli.scale.layout import SYSTEM, Shard, label_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa

    from bleucli.cli.keeper import Keeper
    from bleucli.cli.options import Options
    from bleucli.cli.tabled import Labels
    from bleucli.metrics import Metric
    from bleucli.scale.engines import Survey
    from bleucli.significance.comparison import Sampling


class EnginedTexts(TabledTexts):
    """Tables that are counted on a cluster; only the sums come back.

    Args:
        options: the options of the command.
        words: the words of the command line, which statistics files record.

    Raises:
        UsageError: options contradict each other.
    """

    def __init__(self, options: Options, words: Sequence[str]) -> None:
        # This does not open the tables, unlike the base class: perhaps only the engine can reach them
        self._read_names(options)
        self._by = columns_of_groups(options)
        self._columns = columns_in_command(options, self._by)
        self._engine = str(options.engine)
        self._paths = list(map(shown, options.table or ()))
        # Workers may have other working directories
        self._saved = os.path.abspath(shown(options.save_stats)) if options.save_stats else ""
        if self._saved and options.save_sums and _is_inside(options.save_sums, str(options.save_stats)):
            raise UsageError(
                f"--save-sums {shown(options.save_sums)} is in the folder of --save-stats, whose files are read"
                " together; name a file elsewhere"
            )
        self._command = command_of(words)
        self._name_columns(self._columns)
        self._rows_of: Mapping[str, int] = {}  # number of rows by file

    def score(
        self,
        metrics: Sequence[Metric],
        jobs: int | None,
        sampling: Sampling | None,
        progress: Callable[[str, int, int], None],
        keep: Keeper | None = None,
        before: Sequence[SystemStats] = (),
    ) -> Results:
        """Score all systems, on all rows or group by group."""
        names = self._names()
        systems = dict(zip(names, self._columns.hypotheses.values(), strict=True))
        work = Work(metrics, systems, self._columns.references, self._by, self._saved, self._command)
        survey, sums = self._run(work)
        found: dict[Labels, dict[str, SystemStats]] = {}
        for group in arrow.scores(sums, survey.segments * len(names), work.metrics):
            # With --by system, the key is a label of the rows, and there is only one column of hypotheses
            name = names[0] if SYSTEM in self._by else group.keys[SYSTEM]
            of_group = found.setdefault(tuple(label_of(group.keys[column]) for column in self._by), {})
            counted = SystemStats(name, list(group.stats.values()), None)
            # Engines distinguish NaN from null, and -0.0 from 0.0
            (of_group[name],) = add_systems([of_group[name]] if name in of_group else [], [counted])
        groups = {values: [found[values][name] for name in names] for values in survey.order}
        if self._by:
            return self._score_groups(groups, metrics, None, progress, keep)
        if keep is not None:
            keep.keep_sums(groups[()], ())
        return scoring.score_counted(groups[()], metrics)

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
            told = next(iter(str(error).strip().splitlines()), "")[:300]
            raise BleuError(
                f"{self._engine} failed: {type(error).__name__}{told and f' ({told})'}; see its own messages"
            ) from error
        work.check_kept(survey.partitions)
        return survey, sums

    def inputs(self) -> tuple[list[Input], list[Input]]:
        """Return the first file for each row of the answer, and all files; those on this machine are hashed."""
        from hashlib import file_digest

        found = []
        for path, rows in self._rows_of.items():
            if "://" in path:
                found.append(Input("table", path, rows, ""))
                continue
            with open(path, "rb") as content:
                found.append(Input("table", path, rows, file_digest(content, "sha256").hexdigest()))
        return [found[0]] * len(self._rows), found

    def which_is_which(self, segments: int) -> str:
        """Return a line that names files and systems."""
        return self._tell_files(list(self._rows_of), segments)

    def shards(self, first: int, rows: int) -> list[Shard]:
        """Return what files of sums say about where their rows come from."""
        source = ", ".join(self._paths)
        return [Shard(name, 0, sum(self._rows_of.values()), source=source) for name in self._names()]


def _is_inside(path: str, folder: str) -> bool:
    return os.path.realpath(path).startswith(os.path.join(os.path.realpath(folder), ""))
