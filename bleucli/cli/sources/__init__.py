"""Where what is scored comes from: text files, test sets, tables, statistics files, engines.

Each source answers four questions: what its systems are called, what they counted, where they came from, and what is
wrong with them. Everything after counting is the same for all sources.

- `TextArguments`, `TestSetArguments`, `TableArguments`, `StatisticsArguments`, `NameArguments`: what the options say
  about them, as records. The functions that make these are the only ones here that see the options
- `Source`: what each source provides; `Rows`, `Texts`: what some provide beside that
- `Counting`, `Counted`: how a source is to count, and what it counted
- `Systems`, made from `Entry`s: what its systems are called, and which of them are left out

`bleucli.cli.pipeline` opens the one that the options name.
"""

from __future__ import annotations

import os
from itertools import chain

from bleucli.cli.options import asks_for_resampling
from bleucli.cli.streams import shown
from bleucli.counting import Part, SystemStats
from bleucli.errors import BleuError, UsageError
from bleucli.output import FORMATS
from bleucli.records import NamedTuple
from bleucli.results import Unscored, name_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Protocol

    from bleucli.cli.options import Options
    from bleucli.counting.corpus import Corpus, Piece
    from bleucli.metrics import Metric
    from bleucli.results import Input
    from bleucli.scale import Shard
    from bleucli.scale.arrow import Columns
    from bleucli.scoring import Selection

    Progress = Callable[[str, int, int], None]

    class Keeper(Protocol):
        """Takes statistics while they are counted, to save or to show them."""

        def keep_rows(self, block: Sequence[SystemStats]) -> None:
            """Take the rows of the next segments of all systems."""

        def keep_sums(self, systems: Sequence[SystemStats], labels: Sequence[tuple[str, Any]]) -> None:
            """Add to the sums of a group."""

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

    class Rows(Source, Protocol):
        """A source that has the statistics of each segment.

        finds_parts: whether only texts that have been read say which part is scored.
        """

        finds_parts: bool

        def blocks(
            self, metrics: Sequence[Metric], jobs: int | None, with_texts: bool
        ) -> Iterator[tuple[Piece | None, list[SystemStats]]]:
            """Give the statistics of all systems, with rows, block by block, and the texts, if these are wanted."""

        @property
        def selection(self) -> Selection | None:
            """The part of the corpus that is scored; None for everything."""

    class Texts(Rows, Protocol):
        """A source whose texts can be read: files, test sets and tables.

        remembers: whether texts that are counted are kept in a temporary file, for `read_again`.
        """

        remembers: bool
        read_again: Callable[[], Corpus]

        def corpus(self) -> Corpus:
            """Return systems and references, which can be read once."""

        def labels(self, start: int, count: int) -> Mapping[str, Sequence[Any]]:
            """Return what is known of some segments beside their texts: columns, with a label for each segment."""

        @property
        def sources(self) -> Callable[[], Iterator[str]] | None:
            """A function that gives the source of every segment; None where there is no source."""

        def explain(self, error: BleuError) -> BleuError:
            """Return an error; one about different numbers of segments with its likely cause, if that can be told."""


# --- what the options say

# The most commas in the name of a file of scores
_MOST_COMMAS = 9


class NameArguments(NamedTuple):
    """How systems are called.

    names: those that are asked for, in order. by: whether files give their paths or their names; None for what the
    format shows. has_baseline: whether the first system is the baseline of a test.
    """

    names: Sequence[str] | None = None
    by: str | None = None
    has_baseline: bool = False


class TextArguments(NamedTuple):
    """Which files hold the texts, how they are read, and what is scored of them.

    references, systems: paths; "-" is standard input, which is read if `systems` is None. names: see `NameArguments`.
    are_paired: whether the first system may occur again among the others. has_test_set: whether the references are
    those of a test set. is_diversity: whether `bleu diversity` reads texts without references. hashed: whether files
    are hashed as they are read. output: the file that is written, which must not be one of them. more: further files
    that are read, for which one pipe would not be enough. The other fields are the values of the options that their
    names name: `num_refs`, `jsonl_fields` and so on; `by` has single names. needs_documents: whether documents are
    looked for. resamples: whether scores are resampled. pair: the language pair, or "". has_scores: whether there are
    segment scores of other metrics, which may be joined with the texts by ids.
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


class TestSetArguments(NamedTuple):
    """Which test sets hold the references.

    name: one name, or several with commas. pair: the language pair. registry: a file with more test sets.
    """

    name: str
    pair: str | None
    registry: str | None


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
    has_baseline = (options.paired_ar or options.paired_bs) and not options.paired_all and options.baseline is None
    return NameArguments(names, options.name_by, has_baseline)


def text_arguments(options: Options, hashed: bool = False) -> TextArguments:
    """Return which files hold the texts, and how they are read."""
    added = [file for _, files in score_arguments(options).columns for file, _ in files]
    return TextArguments(
        options.refs,
        options.input,
        name_arguments(options),
        options.encoding,
        are_paired=options.paired_ar or options.paired_bs,
        has_test_set=bool(options.test_set),
        is_diversity=options.command == "diversity",
        hashed=hashed,
        output=options.output,
        more=[*added, *filter(None, [options.baseline, options.labels])],
        num_refs=options.num_refs,
        jsonl=bool(options.jsonl),
        jsonl_fields=options.jsonl_fields,
        partial=options.partial,
        segment_scores=options.segment_scores,
        labels=options.labels,
        label_names=[] if options.label_names is None else shown(options.label_names).split(","),
        by=columns_of_groups(options),
        unit=options.unit or "segment",
        joins_documents=options.level == "doc",
        # Statistics may be resampled later
        needs_documents=options.command == "count" or "doc" in (options.level, options.unit),
        resamples=asks_for_resampling(options),
        pair=options.language_pair or "",
        origlang=options.origlang,
        subset=options.subset,
        detail=options.detail,
        has_scores=bool(added),
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


def test_set_arguments(options: Options) -> TestSetArguments:
    """Return which test sets hold the references."""
    return TestSetArguments(str(options.test_set), options.language_pair, options.registry)


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
        are_tested=options.paired_ar or options.paired_bs,
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


# --- what is known of the texts

# Columns whose values signatures name, each with its key in the signature
JOINED = "joined"  # as in `bleucli.scale`, which plain scoring does not import
SIGNED = {"testset": "test", "langpair": "lang", "partial": "partial", JOINED: "level"}


def signed(labels: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return what a signature says about a group of segments: keys, each with its value.

    >>> signed([("system", "KIT"), ("testset", "wmt17"), ("domain", "news")])
    [('test', 'wmt17'), ('domain', 'news')]
    """
    return [(SIGNED.get(column, column), value) for column, value in labels if column != "system"]


def columns_of(texts: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return what statistics files say about all segments together: columns, each with its value.

    >>> columns_of([("test", "wmt17"), ("lang", "en-de"), ("subset", "news")])
    {'testset': 'wmt17', 'langpair': 'en-de'}
    """
    values = dict(texts)
    return {column: values[key] for column, key in SIGNED.items() if key in values}


def documents_in(columns: Sequence[str], unit: str) -> str:
    """Return the column that names documents; "" if there is none and documents are not the unit."""
    from bleucli.text import DOCUMENT
    from bleucli.text.labels import DOCUMENT_NAMES

    name = next((name for name in (DOCUMENT, *DOCUMENT_NAMES) if name in columns), "")
    if unit == DOCUMENT and not name:
        choices = ", ".join(columns) or "none"
        raise UsageError(f"--unit doc needs a column {DOCUMENT} that names documents; there are {choices}")
    return name


# --- what is counted


class Counting(NamedTuple):
    """How systems are to be counted.

    metrics: at least one. jobs: the number of threads; None for all usable processors if there is enough text.
    keep_rows: whether what is returned has the statistics of each segment. progress: called with what is counted, how
    many are done, and how many there are (0: unknown). keeper: takes the statistics as well. grouped: whether groups
    are counted if they are asked for; otherwise, all segments are counted together.
    """

    metrics: Sequence[Metric]
    jobs: int | None
    keep_rows: bool
    progress: Progress
    keeper: Keeper | None = None
    grouped: bool = True


class Counted(NamedTuple):
    """What a source counted.

    parts: one for each group, or a single one without labels. grouped: whether groups were asked for. references: what
    the references are called, for hints. selection: the part that is scored; None for everything. hints: those about
    all groups together.
    """

    parts: Sequence[Part]
    grouped: bool = False
    references: Sequence[str] = ()
    selection: Selection | None = None
    hints: Sequence[str] = ()

    def row_names(self, names: Mapping[str, str]) -> list[str]:
        """Return the names of the answer's rows; names: those of systems, by their names in scores."""
        return [name_row(names[system.name], part.labels) for part in self.parts for system in part.systems]


def keep_groups(parts: Sequence[Part], keeper: Keeper | None) -> list[Part]:
    """Give a keeper the sums of groups, and return the groups with labels as texts."""
    if keeper is not None:
        for part in parts:
            keeper.keep_sums(part.systems, part.labels)
    return [part._replace(labels=[(c, "" if v is None else str(v)) for c, v in part.labels]) for part in parts]


# --- what systems are called


class Entry(NamedTuple):
    """What brings systems along: a file, or a column of a table.

    path: its name. columns: how many systems it has. names: what it calls them, if it does. is_jsonl: whether its
    systems are fields of JSON Lines, which other files may have as well.
    """

    path: str
    columns: int = 1
    names: Sequence[str] = ()
    is_jsonl: bool = False


class Systems:
    """The systems of one source.

    Args:
        arguments: how they are called.
        entries: returns what brings systems along. It is called only when names are needed, since the columns of
            standard input are known only after its first block has been read.

    Attributes:
        has_baseline: whether the first system is the baseline of a test.
        failures: what is wrong with entries that are left out, by position.
    """

    unit = "system"  # what messages call one of them

    def __init__(self, arguments: NameArguments, entries: Callable[[], Sequence[Entry]]) -> None:
        self._entries = entries
        self._names, self._by, self.has_baseline = arguments
        self.failures: dict[int, BleuError] = {}

    def __len__(self) -> int:
        """Return the number of systems that were given."""
        return sum(entry.columns for entry in self._entries())

    def paths(self) -> list[str]:
        """Return for each system that was given the name of what brings it along."""
        return [entry.path for entry in self._entries() for _ in range(entry.columns)]

    def count_unscored(self) -> int:
        """Return how many systems are left out."""
        entries = self._entries()
        return sum(entries[place].columns for place in self.failures)

    def names(self, form: str | None = None) -> list[str]:
        """Return the names of the scored systems: those in a format, or else those in scores and hints."""
        return [name for name, place in self._placed(form) if place not in self.failures]

    def unscored(self, form: str | None) -> list[Unscored]:
        """Return the systems that are left out; form: as for `names`."""
        placed = [(name, self.failures.get(place)) for name, place in self._placed(form)]
        return [Unscored(name, error.in_command()) for name, error in placed if error is not None]

    def _placed(self, form: str | None) -> list[tuple[str, int]]:
        """Return the names of all systems, each with the position of its entry."""
        if form is None or self._names is not None or self._by is not None:
            names = self._unique_names()
        elif form in FORMATS and FORMATS[form].of_sacrebleu:
            names = self._labels(0 if self.has_baseline else 1)  # sacreBLEU 2.6.0: the first column is the baseline
        else:
            names = self._labels(1, by_file=True)
        places = [place for place, entry in enumerate(self._entries()) for _ in range(entry.columns)]
        return list(zip(names, places, strict=True))

    def _unique_names(self) -> list[str]:
        names, labels = self._labels(1), self._labels(0 if self.has_baseline else 1)
        if self._names is not None:
            from bleucli.results.naming import name_systems

            try:
                names = labels = name_systems(names, self._names)
            except UsageError as error:
                raise UsageError(f"--{error.in_command()}") from None
        elif self._by == "file":
            names = labels = self._labels(1, by_file=True)
        if self.has_baseline:
            from bleucli.results.naming import mark_baseline

            labels = mark_baseline(labels)
        # A file may have the same name as a column, standard input or the baseline
        repeated = find_repeated(names) or find_repeated(labels)
        if repeated:
            raise UsageError(
                f"two systems would be called {min(repeated)!r}; rename a file, or name systems with --names"
            )
        return names

    def _labels(self, first: int, by_file: bool = False) -> list[str]:
        """Return a label for each system: the path of its file, or its name or number if the file has several.

        Args:
            first: the first number.
            by_file: whether paths lose folders and known endings; names and numbers stay as they are.
        """
        entries = self._entries()
        paths = [entry.path for entry in entries]
        several = sum(entry.is_jsonl for entry in entries) > 1
        of_columns: list[Sequence[str]] = []
        for entry in entries:
            columns = entry.names
            if not columns and entry.columns > 1:
                from bleucli.results.naming import name_column

                columns = list(map(name_column, range(first, first + entry.columns)))
            of_columns.append(columns)
        if by_file:
            from bleucli.results.naming import by_file as name_files

            paths = name_files(paths, list(chain.from_iterable(of_columns)))
        labels: list[str] = []
        for path, entry, columns in zip(paths, entries, of_columns, strict=True):
            prefix = f"{path}:" if several and entry.is_jsonl else ""
            labels += [f"{prefix}{column}" for column in columns] or [path]
        return labels


def find_repeated(names: Sequence[str]) -> list[str]:
    """Return the names that occur more than once."""
    if len({*names}) == len(names):  # nearly always
        return []
    from collections import Counter

    return [name for name, count in Counter(names).items() if count > 1]
