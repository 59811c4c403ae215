"""`bleu report`: a page that compares systems; its verdicts are also printed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from bleucli.cli import request
from bleucli.cli.commands import MESSAGES, SCORED, TESTS, TEXTS, Command, take
from bleucli.cli.delivery import deliver
from bleucli.cli.options import OPTIONS, Option
from bleucli.cli.progress import watch
from bleucli.cli.provenance import Provenance
from bleucli.cli.streams import Environment, shown
from bleucli.cli.system_scoring import compare_signatures, leave_out, note_lowercase, plan_sampling
from bleucli.cli.texts import Texts
from bleucli.corpus import Source
from bleucli.counting import SystemStats, add_systems
from bleucli.errors import BleuError, UsageError
from bleucli.markup import readable
from bleucli.phrases import in_command, tell_count
from bleucli.records import NamedTuple
from bleucli.results import Input
from bleucli.textfiles import TextFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from bleucli.cli.messages import Messages
    from bleucli.cli.options import Options
    from bleucli.report.contents import Measured, Report
    from bleucli.results import Results
    from bleucli.significance.comparison import Sampling

    Progress = Callable[[str, int, int], None]

COMMAND = Command(
    ("bleu report REF... -i SYSTEM... -o PAGE.html [options]",),
    "Compare systems on an HTML page.",
    take(
        *(*TEXTS, "origlang", "subset", "keep_going", *SCORED, *TESTS, *MESSAGES),
        output=OPTIONS["output"]._replace(
            help="the page: scores, tests, figures, segments; what it says in words is also printed"
        ),
        add_scores=Option(
            ("--add-scores",),
            "segment scores of another metric: one file per system, one number per line, higher is better",
            nargs="+",
            metavar="NAME=FILE,FILE",
            once=True,
        ),
    ),
    ("output", "add_scores", "input", "test_set", "language_pair", "metrics", "paired_ar", "paired_bs", "names"),
)
_WIDTH = 79


def run(options: Options, environment: Environment, messages: Messages, words: Sequence[str]) -> bool:
    """Write the page, print its verdicts, and return True.

    Raises:
        BleuError: no file is named, a package is missing, something is wrong with options or texts, or the page cannot
            be written.
    """
    from bleucli.cli import scoring
    from bleucli.optional_deps import load
    from bleucli.report.figures import load_matplotlib

    path = options.output
    if path is None:
        raise UsageError("bleu report writes a page; name it with -o, such as -o page.html")
    # A stream or a pipe has no ending
    if os.path.splitext(path)[1].lower() not in (".html", ".htm", ""):
        raise UsageError(f"--output {shown(path)} would be a page in HTML; name a file that ends in .html")
    added = [_read_word(shown(word)) for word in options.add_scores or ()]
    # Before anything is scored
    load_matplotlib()
    load("jinja2", "report")
    asked = Provenance(words, environment)

    def write(options: Options, texts: Texts, environment: Environment, messages: Messages) -> None:
        from bleucli.report import page, verdicts

        with watch(options, environment) as progress:
            scores = score(options, texts, environment, progress)
            tools, inputs = _read_scores(added, scores, texts, progress)
            with without_collection():
                report = compare(scores, options, texts, environment, progress, tools)
                run = asked.of_texts(texts)
                run = run._replace(references=[*run.references, *inputs])
                if not environment.variables.get("SOURCE_DATE_EPOCH"):
                    run = run._replace(time=None)  # so that the same input gives the same bytes
                pair = dict(texts.texts_named()).get("langpair") or options.language_pair or ""
                origin, _, language = pair.partition("-")
                content = page.render(report, run, language.replace("_", "-"), origin.replace("_", "-"))
        finish(content, [], scores, options, texts, environment, messages)
        deliver(_lines_of(verdicts.tell(report)), None, environment)

    return scoring.score(options, environment, messages, words, write, hashed=True)


def _lines_of(paragraphs: Sequence[str]) -> Iterator[str]:
    """Give the lines of a text whose first paragraph sums up the others."""
    from textwrap import fill

    for number, paragraph in enumerate(map(readable, paragraphs)):
        start = "- " if number else ""
        text = fill(
            paragraph,
            _WIDTH,
            initial_indent=start,
            subsequent_indent=" " * len(start),
            break_long_words=False,
            break_on_hyphens=False,
        )
        yield f"{text}\n" if number else f"{text}\n\n"


# --- what pages and figures show


class Scores(NamedTuple):
    """The scores of all systems.

    results: the scores. measured: the statistics of the segments that they are of, by metric. plan: how they were
    resampled, if at all. segments: the number of segments that were read. lines: those that are scored; None for all.
    idle: hints about options without effect.
    """

    results: Results
    measured: Sequence[Measured]
    plan: Sampling | None
    segments: int
    lines: Sequence[int] | None
    idle: Sequence[str]


def score(options: Options, texts: Texts, environment: Environment, progress: Progress) -> Scores:
    """Score systems, and make their texts readable again.

    Raises:
        BleuError: options cannot be combined, or something is wrong with the texts.
    """
    from bleucli.report.contents import of_metric

    idle = request.find_idle(options, texts.count_systems(), "", False)
    plan = plan_sampling(options, environment, False, texts.count_systems())
    metrics = request.make_metrics(options, texts)
    if options.keep_going:
        leave_out(options, texts, environment, None)
    texts.remember()
    rows = _Rows()
    results = texts.score(metrics, request.count_threads(options.jobs), plan, progress, rows)
    environment.limit_numpy()
    selection = texts.select()
    lines = None if selection is None else selection.chosen
    measured = []
    for number, metric in enumerate(metrics):
        stats = [system.stats[number] for system in rows.systems]
        measured.append(of_metric(metric, stats if lines is None else [one.take(lines) for one in stats]))
    return Scores(results, measured, plan, rows.systems[0].stats[0].segments, lines, idle)


def compare(
    scores: Scores,
    options: Options,
    texts: Texts,
    environment: Environment,
    progress: Progress,
    tools: Sequence[Measured] = (),
) -> Report:
    """Return what a page or a figure shows; tools: the segments by the scores of other tools."""
    from bleucli.report import contents
    from bleucli.significance.resampling import random_seed
    from bleucli.threads import count_threads

    names = texts.names_in("html")
    systems = [system._replace(name=name) for system, name in zip(scores.results.systems, names, strict=True)]
    left_out = [f"{one.system} was left out: {one.reason}" for one in texts.unscored_in("html")]
    hints = list(dict.fromkeys([*left_out, *texts.hints(), *scores.results.hints]))
    seed = random_seed(environment.variables)
    report = contents.make_report(
        scores.results._replace(systems=systems, hints=hints),
        [*scores.measured, *tools],
        texts.read_again,
        contents.plan_of(scores.plan, len(systems), count_threads(options.paired_jobs), seed),
        lines=scores.lines,
        labels=texts.columns(0, scores.segments),
        sources=texts.sources(),
        progress=lambda done, total: progress("trials", done, total),
    )
    return report._replace(hints=list(map(in_command, report.hints)))


def finish(
    content: str | bytes,
    remarks: Sequence[str],
    scores: Scores,
    options: Options,
    texts: Texts,
    environment: Environment,
    messages: Messages,
) -> None:
    """Write the file, and say what there is to say: remarks are hints about the file.

    Raises:
        BleuError: the texts are not those that --like names, --strict allows no warning, or the file cannot be written.
    """
    signed = compare_signatures(options, scores.results, request.names_of_metrics(options))
    hints = [*scores.idle, *texts.hints(), *scores.results.hints, *remarks]
    hints += [*request.find_differences(signed, options), *note_lowercase(options)]
    messages.hold_back(hints)
    deliver([content], options.output, environment)
    request.note_files(texts, scores.results.segments, options, messages)
    request.note_texts(signed, options, messages)
    for hint in hints:
        messages.warn(hint)


class _Rows:
    """Keeps the statistics of each segment."""

    def __init__(self) -> None:
        self.systems: list[SystemStats] = []

    def __call__(self, block: Sequence[SystemStats], labels: Sequence[tuple[str, Any]] = ()) -> None:
        """Keep the next segments of all systems."""
        self.keep_rows(block)

    def keep_rows(self, block: Sequence[SystemStats]) -> None:
        """Keep the rows of the next segments."""
        self.systems = add_systems(self.systems, list(block))

    def keep_sums(self, systems: Sequence[SystemStats], labels: Sequence[tuple[str, Any]]) -> None:
        """Do nothing: groups are not shown."""


@contextmanager
def without_collection() -> Iterator[None]:
    """Pause the garbage collector: it would walk over all texts again and again, and find next to nothing."""
    import gc

    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


# --- scores of other tools


def _read_word(word: str) -> tuple[str, list[str]]:
    """Return the name of added scores, and their files.

    >>> _read_word("comet=a.comet,b.comet")
    ('comet', ['a.comet', 'b.comet'])
    """
    name, _, files = word.partition("=")
    paths = files.split(",")
    if not name or not all(paths):
        raise UsageError(f"--add-scores {word}; expected a name and a file for each system: comet=a.comet,b.comet")
    return name, paths


def _read_scores(
    added: Sequence[tuple[str, list[str]]], scores: Scores, texts: Texts, progress: Progress
) -> tuple[list[Measured], list[Input]]:
    """Return the scores of other tools for the segments that were scored, and the records of the files that have them.

    added: names and files.
    """
    from bleucli import segment_scores
    from bleucli.report.contents import of_numbers

    names = texts.names_in("html")
    inputs = []
    tools: list[Measured] = []
    for name, paths in added:
        if name in [one.name for one in (*scores.measured, *tools)]:
            raise UsageError(f"--add-scores {name}=: other scores already have this name; choose another")
        if len(paths) != len(names):
            given = tell_count(len(paths), "file of scores", "files of scores")
            raise UsageError(
                f"--add-scores {name}= has {given} for {tell_count(len(names), 'system')}; give one file per system"
            )
        files = [TextFile(path, path, mark="dropped", hashed=True) for path in paths]
        columns = []
        for file in files:
            source = Source(file.name, [file.name], file.blocks(), hurry=file.hurry)
            (numbers,) = segment_scores.read([source], progress).values()
            if len(numbers) != scores.segments:
                raise BleuError(
                    f"{source.label} has {tell_count(len(numbers), 'score')}, but there are"
                    f" {tell_count(scores.segments, 'segment')}; give one score per segment, one per line"
                )
            columns.append(numbers if scores.lines is None else [numbers[line] for line in scores.lines])
        tools.append(of_numbers(name, columns))
        inputs += [Input("scores", file.name, scores.segments, file.sha256()) for file in files]
    return tools, inputs
