"""The texts of one run of the command: systems and references, their names, and their scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice

from bleucli import scoring
from bleucli.cli import lengths
from bleucli.cli.files import STDIN, Files, find_repeated, read_as_jsonl
from bleucli.cli.streams import Environment, shown
from bleucli.corpus import Corpus, Kept, Source
from bleucli.errors import BleuError, LengthError, UsageError
from bleucli.inspection.marks import is_json_object
from bleucli.jsonlines import JsonLines
from bleucli.output import names_by_path
from bleucli.phrases import tell_count
from bleucli.results import Input, ScoreRecord, Unscored
from bleucli.segments import Segments
from bleucli.textfiles import TextFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from bleucli.cli.keeper import Keeper
    from bleucli.cli.options import Options
    from bleucli.counting import SystemStats
    from bleucli.metrics import Metric
    from bleucli.results import Results
    from bleucli.scale.layout import Shard
    from bleucli.scoring import Selection
    from bleucli.significance.comparison import Sampling


class Texts:
    """The text files of one run: systems and references.

    Modules that score something else instead, such as tables or statistics files, derive their classes from this one.

    Args:
        options: the options of the command, which name the files.
        environment: the world around the command, with its standard input.
        hashed: whether files are hashed as they are read, for `inputs`.

    Attributes:
        failures: what is wrong with the files of systems that are left out, by position.
        has_baseline: whether the first system is the baseline of a test.
        unit: what messages call one of those that are scored or left out.
    """

    unit = "system"
    has_baseline = False
    _remembers = False
    _again: Callable[[], Corpus]

    def __init__(self, options: Options, environment: Environment, hashed: bool = False) -> None:
        self._hashed = hashed
        self._read_names(options)
        self._files = Files(options, environment, hashed)
        self._remedy = self._files.remedy
        paths = self._files.systems
        first = next((path for path in paths if read_as_jsonl(path, options)), None)
        own = not (options.refs or options.test_set)
        # A single file has nothing to compare its ids with
        self._identified = sum(read_as_jsonl(path, options) for path in [*options.refs, *paths]) > 1
        # As in sacreBLEU, tabs separate systems only on standard input, and references only with --num-refs
        columns, split = options.num_refs or 0, None if options.input is None else 0
        self._references = [self._read(path, options, columns, hypotheses=False) for path in options.refs]
        self._given = [self._read(path, options, split, references=own, demanded=path == first) for path in paths]
        self._systems = self._given  # without those that --keep-going leaves out
        self.failures: dict[int, BleuError] = {}
        # The blocks of files that were read and cannot be read again
        self._kept: Mapping[TextFile | JsonLines, Kept] = {}
        self._files.check(self._given, self._references)

    def _read_names(self, options: Options) -> None:
        """Note what the options say about the names of systems."""
        names = None if options.names is None else shown(options.names).split(",")
        self._given_names = names and [name.strip() for name in names]
        self._name_by = options.name_by
        # A test with --baseline has that file as its baseline
        self.has_baseline = (options.paired_ar or options.paired_bs) and options.baseline is None

    def _read(self, path: str, options: Options, columns: int | None, **wanted: bool) -> TextFile | JsonLines:
        file = self._files.open(path, columns)
        if not read_as_jsonl(path, options):
            return file
        return JsonLines(file, self._files.fields, identified=self._identified, **wanted)

    def references(self) -> list[Source]:
        """Return the reference streams; a file whose number of references may vary comes last."""
        return [
            Source(file.name, [file.name] * file.columns(), self._blocks(file), hurry=file.hurry, ids=_id_columns(file))
            for file in self._ordered_references()
        ]

    def _ordered_references(self) -> list[TextFile | JsonLines]:
        return sorted(self._references, key=lambda file: isinstance(file, JsonLines))

    def systems(self) -> list[Source]:
        """Return the systems by the names that were asked for, or else by paths of files and numbers of columns."""
        names = iter(self._select_scored(self._names()))
        return [
            Source(
                file.name,
                list(islice(names, file.columns())),
                self._blocks(file, self._remedy),
                _own_references(file),
                file.hurry,
                _id_columns(file),
            )
            for file in self._systems
        ]

    def _blocks(self, file: TextFile | JsonLines, remedy: str = "") -> Iterator[Sequence[Segments]]:
        """Give the blocks of a file, and hint at JSON Lines that are read as text; `remedy` is for an empty file.

        Raises:
            BleuError: the file is empty, and there is a remedy.
        """
        kept = self._kept.get(file)
        blocks = file.blocks() if kept is None else kept.read_again()
        for first in blocks:
            if isinstance(file, TextFile) and is_json_object(next(iter(first[0][:1]), None) or ""):
                how = "add --jsonl" if file.name == STDIN else "rename it to end in .jsonl"
                file.hints.append(f"{file.name} looks like JSON Lines, but was read as plain text; if it is, {how}")
            yield first
            break
        else:
            if remedy:
                raise BleuError(f"{file.name} is empty; {remedy}")
        yield from blocks

    def count_systems(self) -> int:
        """Return the number of systems that were given; columns of one file are several systems."""
        return sum(file.columns() for file in self._given)

    def count_unscored(self) -> int:
        """Return how many systems are left out."""
        return sum(self._given[place].columns() for place in self.failures)

    def _names(self) -> list[str]:
        names, shown = self._labels(1), self._labels(0 if self.has_baseline else 1)
        if self._given_names is not None:
            from bleucli.naming import name_systems

            try:
                names = shown = name_systems(names, self._given_names)
            except UsageError as error:
                raise UsageError(f"--{error.in_command()}") from None
        elif self._name_by == "file":
            names = shown = self._labels(1, by_file=True)
        if self.has_baseline:
            from bleucli.naming import mark_baseline

            shown = mark_baseline(shown)
        equal = find_repeated(names) or find_repeated(shown)
        if equal:  # a file may have the same name as a column, standard input or the baseline
            raise UsageError(f"two systems would be called {min(equal)!r}; rename a file, or name systems with --names")
        return names

    def _labels(self, first: int, by_file: bool = False) -> list[str]:
        """Return a label for each system: the path of its file, or its name or number if the file has several.

        Args:
            first: the first number.
            by_file: whether paths lose folders and known endings; names and numbers stay as they are.
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
        """Return the names of the scored systems in a format: those that were asked for, or those usual there."""
        return self._select_scored(self._names_in(form))

    def _names_in(self, form: str) -> list[str]:
        if self._given_names is not None or self._name_by is not None:
            return self._names()
        if not names_by_path(form):
            return self._labels(1, by_file=True)
        return self._labels(0 if self.has_baseline else 1)  # sacreBLEU 2.6.0: the first column is the baseline

    def inputs(self) -> tuple[list[Input], list[Input]]:
        """Return the records of each system's file and of the references, once all have been read and hashed."""
        bringing = [file for file in self._systems if isinstance(file, JsonLines) and file.brings_references]
        return (
            [input_of(file, "system") for file in self._systems for _ in range(file.columns())],
            [input_of(file, "reference") for file in (*self._references, *bringing)],
        )

    def inputs_of_rows(self) -> list[list[Input]] | None:
        """Return what each row of the answer was made from, unless that is one system and all references."""
        return None

    def check_lengths(self) -> None:
        """Compare the numbers of segments, where files can be read twice.

        Raises:
            BleuError: two differ.
        """
        if not self._remedy:  # otherwise a reference may be meant as the system, which shows if stdin is empty
            lengths.check(self._systems, self._ordered_references())

    def explain(self, error: LengthError) -> BleuError:
        """Add the likely cause to an error about different numbers of segments, where plain text shows it."""
        return lengths.explain([*self._systems, *self._ordered_references()], error)

    def leave_out(self, reported: bool = False) -> None:
        """Leave out the systems that cannot be scored, for --keep-going.

        The names of the systems, and their number, stay those that were given.

        Args:
            reported: whether a report names what is left out, even if that is the only file of systems.

        Raises:
            BleuError: the references are wrong; or the only file of systems is wrong, and not reported.
        """
        self._names()  # refuses wrong names before any text is read
        # Without a system in the words, the references may be what is wrong
        if len(self._given) == 1 and (not reported or self._remedy):
            self.check_lengths()
        else:
            self.survey()

    def survey(self) -> None:
        """Read all texts to see which systems can be scored, and leave out the others.

        Raises:
            BleuError: the references are wrong.
        """
        from bleucli.cli.keep_going import Survey

        survey = Survey(self._given, self._ordered_references())
        for place, error in survey.find_failures().items():
            self.failures[place] = self.explain(error) if isinstance(error, LengthError) else error
        self._kept = survey.kept
        self._systems = [file for place, file in enumerate(self._given) if place not in self.failures]

    def unscored_in(self, form: str | None) -> list[Unscored]:
        """Return the systems that were left out; `form`: the format whose names to use, None for those of scoring."""
        names = self._names() if form is None else self._names_in(form)
        errors = [self.failures.get(place) for place, file in enumerate(self._given) for _ in range(file.columns())]
        return [
            Unscored(name, error.in_command()) for name, error in zip(names, errors, strict=True) if error is not None
        ]

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

    def sources(self) -> Callable[[], Iterator[str]] | None:
        """Return a function that gives the source of every segment; None where there is no source, as for files."""
        return None

    def score(
        self,
        metrics: Sequence[Metric],
        jobs: int | None,
        sampling: Sampling | None,
        progress: Callable[[str, int, int], None],
        keep: Keeper | None = None,
        before: Sequence[SystemStats] = (),
    ) -> Results:
        """Score all systems; the arguments are those of `scoring.score_systems`."""
        corpus = self.corpus()
        if self._remembers:
            corpus, self._again = corpus.kept()
        results = scoring.score_systems(
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

    def numbers(self, progress: Callable[[str, int, int], None]) -> Mapping[str, array[float]]:
        """Return the scores of --segment-scores, by system."""
        from bleucli.scale import segment_scores

        return segment_scores.read(self.systems(), progress)

    def counted_by(self, options: Options, names: Sequence[str]) -> Mapping[str, Metric]:
        """Return the metrics that have counted already, by name: none where there are texts."""
        return {}

    def columns(self, start: int, count: int) -> Mapping[str, Sequence[object] | str]:
        """Return what statistics files say about segments beside their statistics: nothing where files are scored."""
        return {}

    def shards(self, first: int, rows: int) -> list[Shard]:
        """Return what statistics files say about where rows come from, once all files have been read and hashed.

        first: the index of the first segment in the whole; rows: how many there are.
        """
        from bleucli.scale.layout import Shard

        systems, references = self.inputs()
        digests = [one.sha256 for one in references]
        # A checksum of JSON Lines does not identify the references alone
        if any(one.sha256 in digests for one in systems):
            digests = []
        named = zip(self._select_scored(self._names()), systems, strict=True)
        return [Shard(name, first, rows, one.sha256, digests, one.name) for name, one in named]

    def texts_named(self) -> list[tuple[str, str]]:
        """Return what statistics files say about all segments together: nothing where files are scored."""
        return []

    def name_metrics(self, metrics: Sequence[Metric]) -> Mapping[str, Metric]:
        """Return the metrics by the names that they get in statistics files."""
        from bleucli.scale.layout import make_metrics

        return make_metrics(metrics)

    def score_segments(self, metric: Metric, jobs: int | None, keep: Keeper | None = None) -> Iterator[ScoreRecord]:
        """Score each segment of the only system."""
        found = scoring.score_segments(self.corpus(), metric, jobs=jobs, selection=self.select(), keep=keep)
        return map(self.sign, found)

    def select(self) -> Selection | None:
        """Return the part of the corpus that is scored: everything, where files are scored."""
        return None

    def reference_count(self) -> int | None:
        """Return how many references each segment has if none is missing; None if only reading can tell."""
        if self._own_references() or any(isinstance(file, JsonLines) for file in self._references):
            return None
        return sum(file.columns() for file in self._references)

    def sign(self, record: ScoreRecord) -> ScoreRecord:
        """Return a score with what its signature says about the texts: nothing where files are scored."""
        return record

    def which_is_which(self, segments: int) -> str:
        """Return a line that says which files are references and which are systems."""
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

    def hints(self) -> list[str]:
        """Return the hints about the files, once they have been read."""
        return [hint for file in (*self._references, *self._systems) for hint in file.hints]


def names_of(options: Options) -> dict[str, str]:
    """Return what a signature says about the texts: which test set and which part of it; nothing for files."""
    if options.test_set is None:
        return {}
    named = {
        "test": options.test_set,
        "lang": options.language_pair,
        "origlang": options.origlang,
        "subset": options.subset,
    }
    return {key: value for key, value in named.items() if value is not None}


def input_of(file: TextFile | JsonLines, role: str) -> Input:
    """Return the record of a file that was read and hashed."""
    return Input(role, file.name, file.segments, file.sha256())


def _id_columns(file: TextFile | JsonLines) -> int:
    """Return how many columns of ids a file has in each block."""
    return file.id_columns if isinstance(file, JsonLines) else 0


def _own_references(file: TextFile | JsonLines) -> str:
    """Return the name of the references that come with a system, or ""."""
    return f"{file.name} (references)" if isinstance(file, JsonLines) and file.with_references else ""
