"""Texts that are columns of tables, instead of text files.

- `TableSource`: --table, counted here
- `EngineSource`: --engine, counted on a cluster, from which only sums come back
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from bleucli.cli.sources.texts import Counted, Counting, Entry, Systems, TextSource, documents_in, keep_groups
from bleucli.counting import CorpusStats, Part, SystemStats, add_systems
from bleucli.counting.corpus import Corpus
from bleucli.errors import BleuError, UsageError
from bleucli.phrases import join_words, tell_count
from bleucli.reading.jsonfields import GUESSED_HYPOTHESES, GUESSED_REFERENCES, HYPOTHESES, REFERENCES
from bleucli.results import Input
from bleucli.scale import PLACES, SEGMENT, SYSTEM, Shard, label_of, tables
from bleucli.scale.arrow import Columns
from bleucli.scale.rows import Numbering
from bleucli.text import DOCUMENT
from bleucli.text.labels import group, number
from bleucli.text.wholefiles import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa

    from bleucli.cli.sources import TableArguments
    from bleucli.scale.engines import Survey, Work


class _Tables:
    """What is said about tables, wherever they are counted; rows: the number of rows of each file."""

    texts: Sequence[tuple[str, str]] = ()  # signatures say something about groups
    hints: Sequence[str] = ()
    systems: Systems
    rows: Mapping[str, int]

    def inputs(self) -> tuple[Mapping[str, Input], list[Input]]:
        """Return the first file for each system, and all files; those on this machine are hashed."""
        inputs = [Input("table", path, rows, "" if "://" in path else digest(path)) for path, rows in self.rows.items()]
        return dict.fromkeys(self.systems.names(), inputs[0]), inputs

    def overview(self, segments: int) -> str:
        """Return a line that names files and systems."""
        files = ", ".join(list(self.rows)[:3]) + ", ..." * (len(self.rows) > 3)
        return f"table {files}, {tell_count(segments, 'segment')}; systems {', '.join(self.systems.names())}"


def _find_columns(arguments: TableArguments) -> Columns:
    """Return the columns of texts: those that are named; else `hyp` and `ref`.

    Tables of other programs, such as CSV, may have the usual names of JSON Lines instead.
    """
    columns = arguments.columns or Columns()
    if arguments.columns is not None or not all(map(tables.kind_of, tables.find_tables(arguments.paths))):
        return columns
    names = tables.column_names(arguments.paths)
    (hypothesis,), (reference,) = columns.hypotheses.values(), columns.references
    hypothesis = _usual(names, [hypothesis, *HYPOTHESES], GUESSED_HYPOTHESES, "hypothesis")
    reference = _usual(names, [reference, *REFERENCES], GUESSED_REFERENCES, "reference")
    return Columns({hypothesis: hypothesis}, [reference])


def _usual(names: Sequence[str], usual: Sequence[str], guessed: Sequence[str], what: str) -> str:
    """Return the first of the usual names; without one, the only one of those that may mean something else.

    If there is none, return the most usual name, which others report as missing. what: what the column holds.

    >>> _usual(["output", "prediction"], ["hyp", "prediction"], ["output"], ""), _usual(["src"], ["hyp"], ["mt"], "")
    ('prediction', 'hyp')
    """
    certain = [name for name in usual if name in names]
    possible = certain or [name for name in guessed if name in names]
    if not certain and len(possible) > 1:
        fit = f"{join_words(possible)} could each be the {what}"
        raise BleuError(f"{fit}; name the columns with --columns hyp=NAME,refs=NAME")
    return possible[0] if possible else usual[0]


class TableSource(_Tables, TextSource):
    """The texts of tables: each column of hypotheses is a system; further columns are the references."""

    def __init__(self, arguments: TableArguments) -> None:
        columns = _find_columns(arguments)
        systems = Systems(arguments.names, lambda: list(map(Entry, columns.hypotheses)))
        super().__init__(systems, arguments.by, arguments.unit)
        self._columns = columns
        self._document = ""  # the column that names documents
        if arguments.needs_documents:
            self._document = documents_in(tables.column_names(arguments.paths), arguments.unit)
        keys = list(dict.fromkeys([*arguments.by, *([self._document] if self._document else [])]))
        self._table = tables.TextTable(arguments.paths, columns, keys, arguments.partial, arguments.has_scores)
        self._joining = self._table.joining
        self.rows = self._table.rows
        self._in_blocks = True
        self._of_block: Mapping[str, Sequence[Any]] = {}  # the labels of the segments of the current block
        self._met: list[Any] = []  # the documents of all segments counted so far
        self._numbering = Numbering()

    def _read(self) -> Corpus:
        """Return systems and references, which can be read once."""
        corpus = self._table.corpus()
        names = dict(zip(self._columns.hypotheses, self.systems.names(), strict=True))
        return corpus._replace(
            systems=[one._replace(names=[names[name] for name in one.names]) for one in corpus.systems]
        )

    def count(self, counting: Counting) -> Counted:
        """Count all systems; see `bleucli.cli.sources.Source.count`."""
        counts = super().count(counting)
        if self._joining is not None and self._joining.scored < self._joining.items:
            self.texts = [("partial", f"{self._joining.scored}of{self._joining.items}")]
        return counts

    def _labels_of_block(self, start: int, count: int) -> Mapping[str, Sequence[Any]]:
        self._of_block = self._table.labels.take(count)
        self._met += self._of_block[self._document] if self._document else ()
        return self._of_block

    def _documents(self, count: int) -> Sequence[int] | None:
        return number(self._met) if self._met and None not in self._met else None

    def labels(self, start: int, count: int) -> Mapping[str, Sequence[Any]]:
        """Return the groups of the segments of the current block."""
        if not self._by:
            return {}
        # Segments are numbered separately in each test set and for each system
        places = group(self._of_block, [column for column in self._by if column in (SYSTEM, *PLACES)], count)
        # As texts, since a block whose values are all missing does not show the type of the others
        columns = {name: [None if value is None else str(value) for value in self._of_block[name]] for name in self._by}
        return columns | {SEGMENT: self._numbering.number(places.items(), count)}

    def shards(self, first: int, rows: int) -> list[Shard]:
        """Return what statistics files say about where rows come from: the files, without checksums of columns."""
        return [Shard(name, first, rows, source=", ".join(self.rows)) for name in self.systems.names()]


class EngineSource(_Tables):
    """Tables that are counted on a cluster; only the sums come back.

    saved: the folder to which workers write the statistics of each segment; "" for none. command: the line that these
    files record.
    """

    def __init__(self, arguments: TableArguments, engine: str, saved: str, command: str) -> None:
        self._paths, columns, self._by, unit, *_ = arguments
        self._columns = columns or Columns()
        if arguments.partial:
            raise UsageError("--partial cannot be combined with --engine, which reads tables that have all columns")
        self._document = DOCUMENT if unit == DOCUMENT else ""  # the column of what is resampled as a whole
        # An engine may be the only one that can open an address
        if self._document and not any("://" in path for path in self._paths):
            self._document = documents_in(tables.column_names(self._paths), unit)
        self._keys = list(dict.fromkeys([*self._by, *([self._document] if self._document else [])]))
        self._engine = engine
        self._saved = saved
        self._command = command
        self.systems = Systems(arguments.names, lambda: list(map(Entry, self._columns.hypotheses)))
        self.rows = {}

    def count(self, counting: Counting) -> Counted:
        """Count all systems, on all rows or group by group, and return sums; see `bleucli.cli.sources.Source.count`."""
        from bleucli.scale import arrow
        from bleucli.scale.engines import Work

        names = self.systems.names()
        systems = dict(zip(names, self._columns.hypotheses.values(), strict=True))
        work = Work(counting.metrics, systems, self._columns.references, self._keys, self._saved, self._command)
        survey, sums = self._run(work)
        groups: dict[tuple[Any, ...], dict[str, SystemStats]] = {}
        for sums_of_group in arrow.scores(sums, survey.segments * len(names), work.metrics):
            keys = sums_of_group.keys
            # With --by system, the key is a label of the rows, and there is only one column of hypotheses
            name = names[0] if SYSTEM in self._by else keys[SYSTEM]
            of_group = groups.setdefault(tuple(label_of(keys[column]) for column in self._keys), {})
            stats = SystemStats(name, list(sums_of_group.stats.values()), None)
            # Engines distinguish NaN from null, and -0.0 from 0.0
            (of_group[name],) = add_systems([of_group[name]] if name in of_group else [], [stats])
        parts = [
            Part(list(zip(self._keys, values, strict=True)), [groups[values][name] for name in names])
            for values in survey.order
        ]
        parts = self._join_documents(parts) if self._document else parts
        return Counted(keep_groups(parts, counting.keeper), grouped=bool(self._by))

    def _join_documents(self, parts: Sequence[Part]) -> list[Part]:
        """Return the groups of --by, each with a row for each document; parts: what was counted of each document."""
        documents: dict[tuple[Any, ...], list[Part]] = {}
        for part in parts:
            labels = dict(part.labels)
            if labels[self._document] is None:
                raise BleuError(f"some rows have no {self._document}; give each row the name of its document")
            documents.setdefault(tuple(labels[name] for name in self._by), []).append(part)
        return [
            Part(
                list(zip(self._by, values, strict=True)),
                [
                    SystemStats(
                        systems[0].name,
                        [CorpusStats.of_documents(of) for of in zip(*(one.stats for one in systems), strict=True)],
                        None,
                    )
                    for systems in zip(*(part.systems for part in of_group), strict=True)
                ],
                range(len(of_group)),
            )
            for values, of_group in documents.items()
        ]

    def _run(self, work: Work) -> tuple[Survey, pa.Table]:
        """Count the tables with the engine, and return what it found."""
        import sys
        import warnings

        from bleucli.scale.engines import ENGINES, check_sums

        engine = ENGINES[self._engine]
        if self._engine == "spark":
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else workers run the first python3 on the path
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # warnings of the engine about itself
                survey = engine.survey(self._paths, self._columns, self._keys)
                self.rows = survey.rows
                work.prepare(survey.partitions)
                try:
                    sums = engine.count(work, survey.partitions) if survey.partitions else None
                    sums = check_sums(sums, next(iter(self.rows)))
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

    def shards(self, first: int, rows: int) -> list[Shard]:
        """Return what files of sums say about where their rows come from."""
        source = ", ".join(self._paths)
        return [Shard(name, 0, sum(self.rows.values()), source=source) for name in self.systems.names()]
