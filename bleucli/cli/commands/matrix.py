"""`bleu matrix FILE`: score many language pairs, and test the systems, in one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from bleucli.cli import pipeline, request
from bleucli.cli.commands import MESSAGES, Command, take
from bleucli.cli.options import OPTIONS, Option, Options
from bleucli.cli.scoring import Answer, gates_of
from bleucli.cli.sources import score_arguments, text_arguments
from bleucli.cli.sources.files import FileSource
from bleucli.cli.sources.texts import Entry, NameArguments, Systems
from bleucli.cli.streams import Environment, Messages, protect, shown
from bleucli.errors import Naming, UsageError
from bleucli.matrix import Task, agree, find_language, score_pairs
from bleucli.matrix.plan import Pair, read_plan
from bleucli.metrics import Metric
from bleucli.output import FORMATS
from bleucli.results import PAIR, Input, Results, Run, name_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.metrics.segment_scores import SegmentScores
    from bleucli.significance.comparison import Sampling

MATRIX = Command(
    ("bleu matrix FILE [options]",),
    "Score many language pairs in one table.",
    take(
        *("encoding", "keep_going", "mirror", "allow_http", "cite", "metrics", "jobs"),
        *("confidence", "confidence_n", "paired_bs", "paired_ar", "paired_bs_n", "paired_ar_n", "paired_all"),
        *("paired_jobs", "width", "scale", "short", "bold_best", "style", "sort", "difference"),
        *("caption", "label"),
        *("no_color", "output", "append", "fail_under", *MESSAGES),
        matrix=Option("[FILE]", "a TOML file with patterns for references and systems"),
        scores=OPTIONS["scores"]._replace(
            spelling="--scores NAME=PATTERN ...",
            help="segment scores of another metric as a column: files such as comet/{pair}.{system}.txt, or one for a"
            " pair",
            apart=None,
        ),
        format=OPTIONS["format"]._replace(help="%(choices)s (default: json)", choices=(*FORMATS,)),
    ),
    ("matrix", "metrics", "keep_going", "format", "bold_best", "sort", "confidence", "fail_under", "output"),
)

# The option of commands that show a matrix in their own way
MATRIX_OPTION = Option(
    "--matrix FILE",
    "take many language pairs instead; the file, in TOML, is that of bleu matrix",
    apart={
        "its file names the texts": "refs input num_refs jsonl jsonl_fields partial table columns test_set"
        " origlang subset registry language_pair names name_by",
        "a matrix has no labels": "labels label_names level unit",
        "language pairs have signatures of their own": "like",
    },
)


def matrix(options: Options, environment: Environment, messages: Messages) -> bool:
    """Score all pairs, and return whether all gates were passed."""
    if options.matrix is None:
        raise UsageError("no file is named; write bleu matrix FILE, with a TOML file that says where the texts are")
    options, _ = pipeline.prepare(options, messages)
    gates = gates_of(options, environment)
    provenance = pipeline.provenance(options, environment)
    matrix = Matrix(options, environment, hashed=provenance is not None)
    rows = matrix.rows
    answer = Answer(options, environment, messages, gates, provenance, rows)
    idle = request.find_idle(options, len(rows), answer.form)
    plan = pipeline.plan_sampling(options, environment, answer.layout.bold_best, len(matrix.systems))
    results = matrix.score(plan, report=answer.report_failures)
    hints = [*idle, *matrix.hints(), *results.hints]
    # A p-value is made from the text of the baseline, too
    run = partial(matrix.run, 1 if results.has_baseline() else 0)
    return answer.give(results, rows.names, run, hints, lambda segments: "")


class Matrix:
    """The language pairs that a TOML file names, each with a source of its own.

    rows: the outputs of all pairs. systems: the names of all systems, in the order of the table. has_baseline: whether
    the file names the first one as the baseline. pairs: the source of each pair. files: by pair, the files of scores
    from elsewhere, once it is scored.
    """

    def __init__(self, options: Options, environment: Environment, hashed: bool) -> None:
        self._options, self._environment = options, environment
        self._plan = read_plan(shown(str(options.matrix)))
        self.systems, self.has_baseline = self._plan.systems, self._plan.has_baseline
        self.pairs: dict[str, FileSource] = {}
        self.files: dict[str, Sequence[Input]] = {}
        self._of_pairs: dict[str, Options] = {}
        for pair in self._plan.pairs:
            paths = list(pair.systems.values())
            of_pair = options.replace(refs=pair.references, input=paths, scores=_words_of(options, pair))
            self._of_pairs[pair.name] = of_pair
            arguments = text_arguments(of_pair, hashed=hashed)
            names = NameArguments(list(pair.systems))
            self.pairs[pair.name] = FileSource(arguments._replace(names=names), environment.stdin)
            of_scores = [path for _, files in score_arguments(of_pair).columns for path, _ in files]
            protect(options.output, [*pair.references, *of_scores])
        self.rows = Outputs([name_row(name, [(PAIR, pair.name)]) for pair in self._plan.pairs for name in pair.systems])

    def score(
        self,
        sampling: Sampling | None,
        intervals: Sampling | None = None,
        report: Callable[[Results], None] | None = None,
    ) -> Results:
        """Read and score all pairs; with --keep-going, leave out the outputs that cannot be scored.

        sampling, intervals: as for `score_pairs`. report: as for `pipeline.leave_out`.
        """
        options = self._options
        request.make_metrics(options)  # refuses wrong options of metrics before anything is read
        if options.keep_going:
            first = 0
            for source in self.pairs.values():
                source.survey()
                self.rows.failures |= {first + place: error for place, error in source.systems.failures.items()}
                first += len(source.systems)
            pipeline.say_left_out(options, self.rows, self._environment, report)
        follows = request.follows_language(options)
        metrics: dict[str, list[Metric]] = {}
        tasks = []
        scores: dict[str, Sequence[SegmentScores]] = {}
        for pair in self._plan.pairs:
            with Naming(pair.name):
                source = self.pairs[pair.name]
                scores[pair.name], self.files[pair.name] = pipeline.columns_of(self._of_pairs[pair.name], source)
        columns = agree(scores)
        for pair in self._plan.pairs:
            language = find_language(pair.name, pair.language, follows)
            if language not in metrics:  # a metric needs only the target, which picks the tokenizer
                target = f"xx-{language}" if language else None
                metrics[language] = request.make_metrics(options.replace(language_pair=target))
            tasks.append(Task(pair.name, self.pairs[pair.name].corpus(), [*metrics[language], *columns[pair.name]]))
        with pipeline.watch(options, self._environment) as progress:
            return score_pairs(
                tasks,
                self.systems,
                jobs=request.count_threads(options.jobs),
                sampling=sampling,
                intervals=intervals,
                progress=progress,
            )

    def hints(self) -> list[str]:
        """Return what there is to say of the files, once they are read."""
        return [*self._plan.hints, *(hint for source in self.pairs.values() for hint in source.hints)]

    def run(self, shared: int = 0) -> Run:
        """Return what was read, and what each row was made from: its output, and what belongs to its pair.

        shared: how many of the first outputs of a pair are part of each of its rows.
        """
        inputs = []
        for name, source in self.pairs.items():
            systems, references = source.inputs()
            inputs.append((systems, [*references, *self.files.get(name, ())]))
        return Run(
            [system for systems, _ in inputs for system in systems.values()],
            [reference for _, references in inputs for reference in references],
            of_rows=[
                [system, *list(systems.values())[:shared], *references]
                for systems, references in inputs
                for system in systems.values()
            ],
        )


class Outputs(Systems):
    """The rows of a matrix, whose names are the same in every format."""

    unit = "output"  # the same system may have other outputs that are scored

    def __init__(self, rows: Sequence[str]) -> None:
        super().__init__(NameArguments(), lambda: list(map(Entry, rows)))
        self._rows = rows

    def _placed(self, form: str | None) -> list[tuple[str, int]]:
        return [(name, place) for place, name in enumerate(self._rows)]


def _words_of(options: Options, pair: Pair) -> list[str] | None:
    """Return the values of --scores for a language pair: its name and those of its systems in place of the patterns."""
    if options.scores is None:
        return None
    words = []
    for word in options.scores:
        name, equals, pattern = word.partition("=")
        if pattern and "{pair}" not in pattern:  # else each pair would get the scores of the same segments
            raise UsageError(
                f"--scores {name}: {pattern!r} does not tell language pairs apart; put {{pair}} in place of their names"
            )
        pattern = pattern.replace("{pair}", pair.name)
        if "{system}" in pattern:
            pattern = ",".join(pattern.replace("{system}", system) for system in pair.systems)
        words.append(f"{name}{equals}{pattern}")
    return words
