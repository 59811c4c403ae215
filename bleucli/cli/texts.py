"""The text files of one run of the command: which are systems, which references, and how they are read."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice

from bleucli import evaluate
from bleucli.cli.delivery import is_file_of, refuse_overwriting
from bleucli.cli.lengths import find_misfits
from bleucli.cli.streams import Environment, shown
from bleucli.corpus import Corpus, Kept, Source
from bleucli.errors import BleuError, LengthError, UsageError
from bleucli.inspection.marks import is_json_object
from bleucli.jsonlines import JsonLines, is_jsonl
from bleucli.output import names_by_path
from bleucli.phrases import tell_count
from bleucli.results import Input, ScoreRecord, Unscored
from bleucli.segments import Segments
from bleucli.textfiles import TextFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from typing import Any, Protocol

    from bleucli.cli.options import Options
    from bleucli.counting import SystemStats
    from bleucli.evaluate import Selection
    from bleucli.jsonfields import Fields
    from bleucli.metrics import Metric
    from bleucli.results import Results
    from bleucli.significance.comparison import Sampling
    from bleucli.statsfiles import Shard

    class Keeper(Protocol):
        """What keeps statistics beside the answer; see `saving.Saving`."""

        def __call__(self, block: Sequence[SystemStats], labels: Sequence[tuple[str, Any]] = ()) -> None:
            """Keep the next segments of all systems, which are those of a group."""

        def keep_rows(self, block: Sequence[SystemStats]) -> None:
            """Keep the rows of the next segments."""

        def keep_sums(self, systems: Sequence[SystemStats], labels: Sequence[tuple[str, Any]]) -> None:
            """Add to the sums of a group."""


STDIN = "standard input"


class Texts:
    """The text files of one run: systems and references; hashed: as they are read, for `inputs`.

    Attributes:
        failures: what is wrong with the files of systems that are left out, by their positions.
    """

    _remembers = False
    _again: "Callable[[], Corpus]"

    def __init__(self, options: "Options", environment: Environment, hashed: bool = False) -> None:
        self._environment = environment
        self._hashed = hashed
        self._stdin_taken = False
        self._read_names(options)
        paths = _system_paths(options.input or ["-"], self._paired)
        split = None if options.input is None else 0
        columns = options.num_refs or 0
        self._fields = None
        if options.jsonl_fields is not None:
            from bleucli.jsonfields import fields_named

            self._fields = fields_named(options.jsonl_fields)
        self._count = len(paths) + len(options.refs)
        # where nothing comes in: people name references and system without -i
        last = shown(options.refs[-1]) if options.input is None and len(options.refs) > 1 else "-"
        self._remedy = f"if {last} is the system's output, write -i {last}" if last != "-" else ""
        self._references = [self._read(path, options, columns, hypotheses=False) for path in options.refs]
        first = next((path for path in paths if read_as_jsonl(path, options)), None)
        own = not (options.refs or options.test_set)
        self._given = [self._read(path, options, split, references=own, demanded=path == first) for path in paths]
        self._systems = self._given  # but for those that --keep-going leaves out
        self.failures: dict[int, BleuError] = {}
        self._kept: Mapping[TextFile | JsonLines, Kept] = {}  # what was read already and cannot be read again
        self._check_jsonl_options(options)
        refuse_overwriting(options.output, paths)  # patterns are files by now
        if self._stdin_taken and options.output is not None and is_file_of(environment.stdin, options.output):
            raise UsageError(f"--output {shown(options.output)} is also read, as standard input; name another file")

    def _read_names(self, options: "Options") -> None:
        """Note what the options say of the names of systems."""
        names = None if options.names is None else shown(options.names).split(",")
        self._given_names = names and [name.strip() for name in names]
        self._name_by = options.name_by
        self._paired = options.paired_ar or options.paired_bs

    def _read(self, path: str, options: "Options", columns: int | None, **wanted: bool) -> TextFile | JsonLines:
        file = self._open(path, options, columns)
        return JsonLines(file, self._fields, **wanted) if read_as_jsonl(path, options) else file

    def _check_jsonl_options(self, options: "Options") -> None:
        if options.num_refs is not None and isinstance(self._references[0], JsonLines):
            raise UsageError(f"--num-refs splits a text file; {self._references[0].name} is JSON Lines")
        if options.jsonl and not self._stdin_taken:
            raise UsageError("--jsonl is about standard input, which is not read; name other files .jsonl or .ndjson")
        if self._fields is not None:
            self._check_jsonl_fields(self._fields)
            if self._fields.group and not options.self_bleu:
                raise UsageError("--jsonl-fields group= is for --self-bleu; add it, or leave group= out")

    def _check_jsonl_fields(self, fields: "Fields") -> None:
        """Refuse fields of files that are not JSON Lines, or are not read for what is in these fields."""
        systems = [file for file in self._systems if isinstance(file, JsonLines)]
        references = any(isinstance(file, JsonLines) for file in self._references)
        if not systems and not references:
            raise UsageError(
                "--jsonl-fields has no effect: no file is JSON Lines; name files .jsonl or .ndjson, or add --jsonl"
            )
        if fields.hypotheses and not systems:
            raise UsageError("--jsonl-fields hyp= has no effect: no system is JSON Lines; leave it out")
        if fields.references and not references and not any(file.with_references for file in systems):
            raise UsageError("--jsonl-fields refs= has no effect: no references come from JSON Lines; leave it out")

    def _open(self, path: str, options: "Options", columns: int | None) -> TextFile:
        data = options.segment_scores or read_as_jsonl(path, options)
        form: dict[str, Any] = {
            "encoding": options.encoding,
            "columns": columns,
            "mark": "dropped" if data else "noted",
            "among": self._count,
            "hashed": self._hashed,
        }
        if path != "-":
            return TextFile(shown(path), path, **form)
        stdin = self._environment.stdin
        if self._stdin_taken:
            raise UsageError("standard input can be read once only; give files for the others")
        if stdin is None:
            remedy = self._remedy or "pipe the system's output in, or name it with -i"
            raise BleuError(f"standard input is closed; {remedy}")
        if stdin.isatty():
            words = "--self-bleu" if options.self_bleu else "ref.txt"
            expected = f"expected the system's output on standard input: cat system.txt | bleu {words}"
            raise BleuError(f"nothing was piped in; {self._remedy or expected}")
        self._stdin_taken = True
        return TextFile(STDIN, stream=stdin, **form)

    def references(self) -> list[Source]:
        """Return the reference streams; those last that may come in different numbers."""
        return [
            Source(file.name, [file.name] * file.columns(), self._blocks(file), hurry=file.hurry)
            for file in self._ordered_references()
        ]

    def _ordered_references(self) -> list[TextFile | JsonLines]:
        return sorted(self._references, key=lambda file: isinstance(file, JsonLines))

    def systems(self) -> list[Source]:
        """Return the systems, under the names that were asked for, or else files by path and columns by number."""
        names = iter(self._select_scored(self._names()))
        return [
            Source(
                file.name,
                list(islice(names, file.columns())),
                self._blocks(file, self._remedy),
                _own_references(file),
                file.hurry,
            )
            for file in self._systems
        ]

    def _blocks(self, file: TextFile | JsonLines, remedy: str = "") -> Iterator[Sequence[Segments]]:
        """Give the blocks of a file, and hint at JSON Lines that are taken for text; remedy: for a file without any.

        Raises:
            BleuError: there is none, but a remedy.
        """
        kept = self._kept.get(file)
        blocks = file.blocks() if kept is None else kept.read_again()
        for first in blocks:
            if isinstance(file, TextFile) and is_json_object(next(iter(first[0][:1]), None) or ""):
                how = "add --jsonl" if file.name == STDIN else "name it .jsonl"
                file.hints.append(f"{file.name} looks like JSON Lines, but was taken for plain text; {how} if it is")
            yield first
            break
        else:
            if remedy:
                raise BleuError(f"{file.name} is empty; {remedy}")
        yield from blocks

    def count_systems(self) -> int:
        """Return the number of systems that were given: several may be columns of one file."""
        return sum(file.columns() for file in self._given)

    def count_unscored(self) -> int:
        """Return how many of them are left out."""
        return sum(self._given[place].columns() for place in self.failures)

    def _names(self) -> list[str]:
        names, shown = self._labels(1), self._labels(0 if self._paired else 1)
        if self._given_names is not None:
            from bleucli.naming import name_systems

            try:
                names = shown = name_systems(names, self._given_names)
            except UsageError as error:
                raise UsageError(f"--{error}") from None
        elif self._name_by == "file":
            names = shown = self._labels(1, by_file=True)
        if self._paired:
            from bleucli.naming import mark_baseline

            shown = mark_baseline(shown)
        equal = _find_repeated(names) or _find_repeated(shown)
        if equal:  # a file has the name of a column, of standard input or of the baseline
            raise UsageError(f"two systems would be called {min(equal)!r}; rename a file, or name systems with --names")
        return names

    def _labels(self, first: int, by_file: bool = False) -> list[str]:
        """Return what tells the systems apart: of files the path, of several in one file their names or numbers.

        Args:
            first: what the numbers begin with.
            by_file: whether files go without folders and known endings; names and numbers stay as they are.
        """
        files = [file.name for file in self._given]
        several = sum(isinstance(file, JsonLines) for file in self._given) > 1
        of_columns = []
        for file in self._given:
            named = file.systems if isinstance(file, JsonLines) else []
            if not named and file.columns() > 1:
                from bleucli.naming import name_column

                named = list(map(name_column, range(first, first + file.columns())))
            of_columns.append(named)
        if by_file:
            from bleucli import naming

            files = naming.by_file(files, list(chain.from_iterable(of_columns)))
        labels: list[str] = []
        for name, file, columns in zip(files, self._given, of_columns, strict=True):
            prefix = f"{name}:" if several and isinstance(file, JsonLines) else ""
            labels += [f"{prefix}{column}" for column in columns] or [name]
        return labels

    def names_in(self, form: str) -> list[str]:
        """Return what the systems that are scored are called in a format: as was asked for, or as is usual there."""
        return self._select_scored(self._names_in(form))

    def _names_in(self, form: str) -> list[str]:
        if self._given_names is not None or self._name_by is not None:
            return self._names()
        if not names_by_path(form):
            return self._labels(1, by_file=True)
        return self._labels(0 if self._paired else 1)  # sacreBLEU 2.6.0: the first column is the baseline

    def inputs(self) -> tuple[list[Input], list[Input]]:
        """Return what was read of each system, and of the references, once all was read and hashed."""
        bringing = [file for file in self._systems if isinstance(file, JsonLines) and file.brings_references]
        return (
            [input_of(file, "system") for file in self._systems for _ in range(file.columns())],
            [input_of(file, "reference") for file in (*self._references, *bringing)],
        )

    def check_lengths(self) -> None:
        """Compare the numbers of segments, where files can be read twice.

        Raises:
            BleuError: two differ. The first one is named, and how many others there are.
        """
        if self._remedy:  # a reference may be meant as the system, which is seen when nothing comes in
            return
        misfits = list(find_misfits(self._systems, self._ordered_references()))
        if not misfits:
            return
        (_, error), *others = misfits
        if others and isinstance(error, LengthError):
            told = tell_count(len(others), "other file differs as well", "other files differ as well")
            error = LengthError(f"{error}; {told}", error.longest, error.shortest, error.counts)
        raise error

    def leave_out(self) -> None:
        """Leave out the systems that cannot be scored, for --keep-going.

        What systems are called, and how many there are, stays as they were given.

        Raises:
            BleuError: the references are wrong, or the only file of systems is.
        """
        self._names()  # those that cannot be are refused first
        if len(self._given) == 1:
            self.check_lengths()
            return
        from bleucli.cli.keep_going import Survey

        survey = Survey(self._given, self._ordered_references())
        for place, error in survey.find_failures().items():
            self.failures[place] = self.explain(error) if isinstance(error, LengthError) else error
        self._kept = survey.kept
        self._systems = [file for place, file in enumerate(self._given) if place not in self.failures]

    def unscored_in(self, form: str | None) -> list[Unscored]:
        """Return the systems that were left out, as they are called in a format; None: while they are scored."""
        names = self._names() if form is None else self._names_in(form)
        errors = [self.failures.get(place) for place, file in enumerate(self._given) for _ in range(file.columns())]
        return [Unscored(name, str(error)) for name, error in zip(names, errors, strict=True) if error is not None]

    def _select_scored(self, names: Sequence[str]) -> list[str]:
        """Return the names of the systems that are not left out."""
        places = [place for place, file in enumerate(self._given) for _ in range(file.columns())]
        return [name for name, place in zip(names, places, strict=True) if place not in self.failures]

    def corpus(self) -> Corpus:
        """Return systems and references."""
        return Corpus(self.systems(), self.references())

    def remember(self) -> None:
        """Keep the texts that are scored, in a temporary file, for `read_again`."""
        self._remembers = True

    def read_again(self) -> Corpus:
        """Return the texts that were scored, as often as needed."""
        return self._again()

    def sources(self) -> "Callable[[], Iterator[str]] | None":
        """Return what gives the source of every segment; None where there is none, as of files."""
        return None

    def score(
        self,
        metrics: "Sequence[Metric]",
        jobs: int | None,
        sampling: "Sampling | None",
        progress: "Callable[[str, int, int], None]",
        keep: "Keeper | None" = None,
        before: "Sequence[SystemStats]" = (),
    ) -> "Results":
        """Score all systems; arguments as of `evaluate.score_systems`."""
        corpus = self.corpus()
        if self._remembers:
            corpus, self._again = corpus.kept()
        results = evaluate.score_systems(
            corpus,
            metrics,
            jobs=jobs,
            sampling=sampling,
            selection=self.select(),
            progress=progress,
            keep=keep,
            before=before,
        )
        systems = [system._replace(scores=list(map(self.sign, system.scores))) for system in results.systems]
        return results._replace(systems=systems)

    def numbers(self, progress: "Callable[[str, int, int], None]") -> "Mapping[str, array[float]]":
        """Return the numbers of --segment-scores, by system."""
        from bleucli import segment_scores

        return segment_scores.read(self.systems(), progress)

    def counted_by(self, options: "Options", names: "Sequence[str]") -> "Mapping[str, Metric]":
        """Return the metrics, by name, that have counted already: none where there are texts."""
        return {}

    def columns(self, start: int, count: int) -> "Mapping[str, Sequence[object] | str]":
        """Return what statistics files say of segments beside their statistics: nothing of files."""
        return {}

    def shards(self, first: int, rows: int) -> "list[Shard]":
        """Return what statistics files say of where rows come from, once all was read and hashed.

        first: the index of the first segment in the whole; rows: how many there are.
        """
        from bleucli.statsfiles import Shard

        systems, references = self.inputs()
        digests = [one.sha256 for one in references]
        if any(one.sha256 in digests for one in systems):  # that of JSON Lines says nothing of the references alone
            digests = []
        named = zip(self._select_scored(self._names()), systems, strict=True)
        return [Shard(name, first, rows, one.sha256, digests, one.name) for name, one in named]

    def texts_named(self) -> list[tuple[str, str]]:
        """Return what statistics files say of all segments: nothing of files."""
        return []

    def name_metrics(self, metrics: "Sequence[Metric]") -> "Mapping[str, Metric]":
        """Return the metrics by what they are to be called in files of statistics."""
        from bleucli import arrow

        return arrow.make_metrics(metrics)

    def score_segments(self, metric: "Metric", jobs: int | None, keep: "Keeper | None" = None) -> Iterator[ScoreRecord]:
        """Score each segment of the only system."""
        found = evaluate.score_segments(self.corpus(), metric, jobs=jobs, selection=self.select(), keep=keep)
        return map(self.sign, found)

    def select(self) -> "Selection | None":
        """Return what is scored of the corpus: all of a file."""
        return None

    def reference_count(self) -> int | None:
        """Return how many references each segment has if none is missing; None if only reading can tell."""
        if self._own_references() or any(isinstance(file, JsonLines) for file in self._references):
            return None
        return sum(file.columns() for file in self._references)

    def sign(self, record: ScoreRecord) -> ScoreRecord:
        """Return a score with what its signature has to say of the texts: nothing of files."""
        return record

    def which_is_which(self, segments: int) -> str:
        """Return a line that tells references and systems apart."""
        references = ", ".join([file.name for file in self._references] or self._own_references()[:1])
        told = [
            f"{file.name} ({', '.join(file.systems)})" if isinstance(file, JsonLines) and file.systems else file.name
            for file in self._systems
        ]
        systems = ", ".join(told)
        count = sum(file.columns() if isinstance(file, JsonLines) else 1 for file in self._systems)
        many = "s" if len(self._references) > 1 else "", "s" if count > 1 else ""
        counted = tell_count(segments, "segment")
        before = f"reference{many[0]} {references}, {counted}" if references else counted
        return f"{before}; system{many[1]} {systems}"

    def _own_references(self) -> list[str]:
        return [name for file in self._systems if (name := _own_references(file))]

    def explain(self, error: LengthError) -> BleuError:
        """Add the likely cause to an error about different numbers of segments, where it can be seen in plain text."""
        from bleucli.inspection.lengths import mismatch_cause

        files = [*self._systems, *self._ordered_references()]
        longer, shorter = files[error.longest], files[error.shortest]
        if isinstance(longer, JsonLines) or isinstance(shorter, JsonLines):
            return error
        more, fewer = longer.again(), shorter.again()
        count, least = error.counts
        if more is None or fewer is None or count is None:
            return error
        try:
            cause = mismatch_cause((longer.name, shorter.name), more, fewer, (count, least))
        except ValueError:  # a file has changed by now, or is gone
            return error
        return BleuError(f"{error}; likely cause: {cause}") if cause else error

    def hints(self) -> list[str]:
        """Return what is to be said of the files, once they were read."""
        return [hint for file in (*self._references, *self._systems) for hint in file.hints]


def names_of(options: "Options") -> dict[str, str]:
    """Return what a signature says of the texts: of a test set, which one and which part of it; nothing of files."""
    if options.test_set is None:
        return {}
    named = {
        "test": options.test_set,
        "lang": options.language_pair,
        "origlang": options.origlang,
        "subset": options.subset,
    }
    return {key: value for key, value in named.items() if value is not None}


def read_as_jsonl(path: str, options: "Options") -> bool:
    """Return whether what that path on the command line names is taken for JSON Lines."""
    return bool(options.jsonl) if path == "-" else is_jsonl(path)


def input_of(file: TextFile | JsonLines, role: str) -> Input:
    """Return what is told of a file that was read, and hashed."""
    return Input(role, file.name, file.segments, file.sha256())


def _own_references(file: TextFile | JsonLines) -> str:
    """Return what to call the references that a system brings along, or ""."""
    return f"{file.name} (references)" if isinstance(file, JsonLines) and file.with_references else ""


def _find_repeated(names: Sequence[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


def _system_paths(paths: Sequence[str], paired: bool) -> list[str]:
    """Return the files of the systems: patterns as what they match; with a baseline, that one only once.

    Raises:
        UsageError: a pattern matches nothing, or a file is given twice.
    """
    found: list[str] = []
    for path in paths:
        matches = [path]
        if any(sign in path for sign in "*?[") and not os.path.lexists(path):  # a pattern that no shell has replaced
            from glob import glob

            matches = sorted(glob(path))
            if not matches:
                raise UsageError(f"no file matches {shown(path)}; name the systems' files")
        found += matches
    if paired:
        found = found[:1] + [path for path in found[1:] if path != found[0]]
    repeated = _find_repeated(found)
    if repeated:
        raise UsageError(f"system {shown(min(repeated))} was given twice; name each system once")
    return found
