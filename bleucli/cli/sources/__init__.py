"""Where what is scored comes from: text files, test sets, tables, statistics files, engines.

Each source answers four questions: what its systems are called, what they counted, where they came from, and what is
wrong with them. Everything after counting is the same for all sources.

- `TextArguments`, `ScoreArguments`, `TableArguments`, `StatisticsArguments`: what the options say about them, as
  records. The functions that make these are the only ones here that see the options
- `Source`: what each source provides

`bleucli.cli.pipeline` opens the one that the options name.
"""

from __future__ import annotations

import os

from bleucli.cli.options import asks_for_resampling, is_tested
from bleucli.cli.sources.texts import NameArguments
from bleucli.cli.streams import shown
from bleucli.errors import UsageError
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Protocol

    from bleucli.cli.options import Options
    from bleucli.cli.sources.texts import Counted, Counting, Systems
    from bleucli.results import Input
    from bleucli.scale import Shard
    from bleucli.scale.arrow import Columns

    class Source(Protocol):
        """Where what is scored comes from."""

        systems: Systems

        @property
        def texts(self) -> Sequence[tuple[str, str]]:
            """What signatures say about the texts: keys, each with its value."""

        @property
        def hints(self) -> Sequence[str]:
            """The hints about what was read, once that is done."""

        def count(self, counting: Counting) -> Counted:
            """Count all systems."""

        def inputs(self) -> tuple[Mapping[str, Input], list[Input]]:
            """Return what was read of each system, by its name in scores, and what else was read."""

        def shards(self, first: int, rows: int) -> list[Shard]:
            """Return what statistics files say about where rows come from, once everything has been read.

            first: the index of the first segment in the whole. rows: how many there are.
            """

        def overview(self, segments: int) -> str:
            """Return a line that says what was read; segments: how many were scored."""


# --- what the options say

# The most commas in the name of a file of scores
_MOST_COMMAS = 9


class TextArguments(NamedTuple):
    """Which files hold the texts, how they are read, and what is scored of them.

    references, systems: paths; "-" is standard input, which is read if `systems` is None. are_paired: whether the first
    system may occur again among the others. has_test_set: whether the references are those of a test set. is_diversity:
    whether `bleu diversity` reads texts without references. hashed: whether files are hashed as they are read. output:
    the file that is written, which must not be one of them. more: further files that are read, for which one pipe would
    not be enough. needs_documents: whether documents are looked for. has_scores: whether there are segment scores of
    other metrics, which may be joined with the texts by ids. The other fields are the values of options.
    """

    references: Sequence[str]
    systems: Sequence[str] | None
    names: NameArguments
    encoding: str
    are_paired: bool = False
    has_test_set: bool = False
    is_diversity: bool = False
    hashed: bool = False
    output: str | None = None
    more: Sequence[str] = ()
    num_refs: int | None = None
    jsonl: bool = False
    jsonl_fields: str | None = None
    partial: bool = False
    segment_scores: bool = False
    labels: str | None = None
    label_names: Sequence[str] = ()
    by: Sequence[str] = ()
    unit: str = "segment"
    joins_documents: bool = False
    needs_documents: bool = False
    resamples: bool = False
    pair: str = ""
    origlang: str | None = None
    subset: str | None = None
    detail: bool = False
    has_scores: bool = False


class ScoreArguments(NamedTuple):
    """Which files hold segment scores of other metrics.

    columns: for each kind of scores, its name, perhaps with a direction, and its files: a path, and the column in it,
    or "". are_items: whether the texts are items of JSON Lines. ids: what `--jsonl-fields id=` names, or "".
    """

    columns: Sequence[tuple[str, Sequence[tuple[str, str]]]]
    are_items: bool
    ids: str = ""


class TableArguments(NamedTuple):
    """Which tables hold the texts, and which columns, if they are named.

    by: the columns that make groups. unit, partial: as in `TextArguments`. needs_documents: whether documents are
    looked for. has_scores: as in `TextArguments`.
    """

    paths: Sequence[str]
    columns: Columns | None
    by: Sequence[str]
    unit: str
    needs_documents: bool
    names: NameArguments
    partial: bool = False
    has_scores: bool = False


class StatisticsArguments(NamedTuple):
    """What is scored of statistics files.

    by: the columns that make groups. unit: as in `TextArguments`. are_tested: whether systems are tested against the
    first one. names_metrics: whether the metrics are named, so that nothing is said about others.
    """

    names: NameArguments
    by: Sequence[str]
    unit: str
    are_tested: bool
    names_metrics: bool


def name_arguments(options: Options) -> NameArguments:
    """Return how systems are called."""
    names = None if options.names is None else [name.strip() for name in shown(options.names).split(",")]
    # A test with --baseline has that file as its baseline
    has_baseline = is_tested(options) and not options.paired_all and options.baseline is None
    return NameArguments(names, options.name_by, has_baseline)


def text_arguments(options: Options, hashed: bool = False) -> TextArguments:
    """Return which files hold the texts, and how they are read."""
    added = [file for _, files in score_arguments(options).columns for file, _ in files]
    as_given = ("encoding", "output", "num_refs", "jsonl_fields", "partial", "segment_scores", "labels")
    parts = ("origlang", "subset", "detail")
    return TextArguments(
        options.refs,
        options.input,
        name_arguments(options),
        are_paired=is_tested(options),
        has_test_set=bool(options.test_set),
        is_diversity=options.command == "diversity",
        hashed=hashed,
        more=[*added, *filter(None, [options.baseline, options.labels])],
        jsonl=bool(options.jsonl),
        label_names=[] if options.label_names is None else shown(options.label_names).split(","),
        by=columns_of_groups(options),
        unit=options.unit or "segment",
        joins_documents=options.level == "doc",
        # Statistics may be resampled later
        needs_documents=options.command == "count" or "doc" in (options.level, options.unit),
        resamples=asks_for_resampling(options),
        pair=options.language_pair or "",
        has_scores=bool(added),
        **{name: getattr(options, name) for name in (*as_given, *parts)},
    )


def score_arguments(options: Options) -> ScoreArguments:
    """Return which files hold segment scores of other metrics."""
    columns = []
    for word in options.scores or ():
        name, _, paths = word.partition("=")
        files = []
        rest = paths.split(",")
        while rest:
            # Names of files may have commas: the longest that exists is one file
            ends = range(min(len(rest), 1 + _MOST_COMMAS), 1, -1)
            names = {end: _split_column(",".join(rest[:end])) for end in ends}
            whole = (end for end, (path, column) in names.items() if os.path.lexists(path) and "," not in column)
            end = next(whole, 1)
            files.append(_split_column(",".join(rest[:end])))
            rest = rest[end:]
        if not name or not all(path for path, _ in files):
            raise UsageError(f"--scores {shown(word)}; expected a name and files: COMET=a.comet,b.comet")
        columns.append((shown(name), files))
    are_items, ids = False, ""
    if columns:
        from bleucli.reading.jsonfields import fields_named
        from bleucli.reading.jsonlines import is_jsonl

        ids = fields_named(options.jsonl_fields).ids if options.jsonl_fields else ""
        are_items = any(options.jsonl if path == "-" else is_jsonl(path) for path in options.input or ["-"])
    return ScoreArguments(columns, are_items, ids)


def _split_column(path: str) -> tuple[str, str]:
    """Return the path of a file, and the column that is named after it, or ""."""
    file, colon, column = path.rpartition(":")
    has_column = colon and file and column and not os.path.lexists(path) and os.path.lexists(file)
    return (file, shown(column)) if has_column else (path, "")


def table_arguments(options: Options) -> TableArguments:
    """Return which tables hold the texts."""
    from bleucli.scale import SYSTEM
    from bleucli.scale.tables import columns_named

    by = columns_of_groups(options)
    columns = None if options.columns is None else columns_named(shown(options.columns))
    if SYSTEM in by and columns is not None and len(columns.hypotheses) > 1:
        raise UsageError("--by system is for systems that are rows, but here they are columns; leave out system")
    paths, unit = list(map(shown, options.table or ())), options.unit or "segment"
    needs_documents = asks_for_resampling(options) or options.unit is not None
    names, has_scores = name_arguments(options), bool(options.scores)
    return TableArguments(paths, columns, by, unit, needs_documents, names, options.partial, has_scores)


def statistics_arguments(options: Options) -> StatisticsArguments:
    """Return what is scored of statistics files."""
    from bleucli.scale import SYSTEM

    return StatisticsArguments(
        name_arguments(options),
        [column for column in columns_of_groups(options) if column != SYSTEM],
        options.unit or "segment",
        are_tested=is_tested(options),
        names_metrics="metrics" in options.given or options.segment_scores or bool(options.followed),
    )


def columns_of_groups(options: Options) -> list[str]:
    """Return the columns of --by; commas may separate them as well."""
    columns = [column for word in options.by or () for column in shown(word).split(",") if column]
    if options.by is not None and not columns:
        raise UsageError("--by names no column; name at least one, or leave it out")
    if len(set(columns)) < len(columns):
        raise UsageError(f"--by names {max(columns, key=columns.count)} twice; name each column once")
    return columns


def names_of(options: Options) -> dict[str, str]:
    """Return what a signature says about the texts: which test set and which part of it; nothing for files."""
    if options.test_set is None:
        return {}
    info = {
        "test": options.test_set,
        "lang": options.language_pair,
        "origlang": options.origlang,
        "subset": options.subset,
    }
    return {key: value for key, value in info.items() if value is not None}
