"""`bleu report`: a page that compares systems; its verdicts are also printed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from bleucli.cli import pipeline, request
from bleucli.cli.commands import MESSAGES, SCORED, TESTS, TEXTS, Command, take
from bleucli.cli.commands.matrix import MATRIX, Matrix
from bleucli.cli.delivery import deliver
from bleucli.cli.options import OPTIONS
from bleucli.cli.provenance import Provenance
from bleucli.cli.sources import Counting, columns_of_groups
from bleucli.cli.sources.files import refuse_empty
from bleucli.cli.streams import Environment, shown
from bleucli.errors import UsageError
from bleucli.phrases import in_command
from bleucli.prose.markup import readable
from bleucli.text.labels import find, group

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from bleucli.cli.options import Options
    from bleucli.cli.sources import Texts
    from bleucli.cli.streams import Messages
    from bleucli.counting import SystemStats
    from bleucli.metrics import Metric
    from bleucli.report.contents import Report
    from bleucli.results import Results, Run
    from bleucli.significance.comparison import Sampling

    Progress = Callable[[str, int, int], None]

COMMAND = Command(
    (
        "bleu report REF... -i SYSTEM... -o PAGE.html [options]",
        "bleu report --matrix FILE -o PAGE.html [options]",
    ),
    "Compare systems on an HTML page.",
    take(
        *(*TEXTS, "origlang", "subset", "keep_going", *SCORED, "scores", *TESTS, *MESSAGES),
        by=OPTIONS["by"]._replace(help=f"also {OPTIONS['by'].help}, with a test of each"),
        output=OPTIONS["output"]._replace(
            help="the page: scores, tests, figures, segments; what it says in words is also printed"
        ),
        matrix=MATRIX._replace(apart={**(MATRIX.apart or {}), "a matrix has no groups": "by"}),
    ),
    ("output", "matrix", "scores", "input", "test_set", "language_pair", "metrics", "paired_ar", "paired_bs", "names"),
)
_WIDTH = 79


def run(options: Options, environment: Environment, messages: Messages) -> bool:
    """Write the page, print its verdicts, and return True."""
    from bleucli.optional_deps import load

    path = options.output
    if path is None:
        raise UsageError("bleu report writes a page; name it with -o, such as -o page.html")
    # A stream or a pipe has no ending
    if os.path.splitext(path)[1].lower() not in (".html", ".htm", ""):
        raise UsageError(f"--output {shown(path)} would be a page in HTML; name a file that ends in .html")
    load("jinja2", "report")
    provenance = Provenance(options.words, environment)
    if options.matrix is not None:
        _report_matrix(options, environment, messages, provenance)
        return True

    lines: list[str] = []

    def render(report: Report, texts: Texts, read: Callable[[], Run]) -> tuple[str, list[str]]:
        from bleucli.report import page, verdicts

        lines.extend(_print(verdicts.tell(report)))
        run = _trace(provenance, read(), environment)
        pair = dict(texts.texts).get("lang") or options.language_pair or ""
        origin, _, language = pair.partition("-")
        return page.render(report, run, language.replace("_", "-"), origin.replace("_", "-")), []

    compare(options, environment, messages, render, hashed=True, typography=True, say=lambda: lines)
    return True


def _trace(provenance: Provenance, run: Run, environment: Environment) -> Run:
    """Return what a page says of the run; without a time, unless one is set, the same input gives the same bytes."""
    run = provenance.of(run)
    return run if environment.variables.get("SOURCE_DATE_EPOCH") else run._replace(time=None)


def _report_matrix(options: Options, environment: Environment, messages: Messages, provenance: Provenance) -> None:
    """Write the page about many language pairs, and print its verdicts."""
    from bleucli.counting.threads import count_threads
    from bleucli.report import matrix as pages
    from bleucli.report.contents import plan_of
    from bleucli.significance.resampling import random_seed

    start = pipeline.read_clocks()
    options, _ = pipeline.prepare(options, messages)
    matrix = Matrix(options, environment, hashed=True)
    idle = request.find_idle(options, len(matrix.rows), "")
    choice = pipeline.plan_sampling(options, environment, False, len(matrix.systems))
    environment.limit_numpy()
    jobs, seed = count_threads(options.paired_jobs), random_seed(environment.variables)
    plan = plan_of(choice, len(matrix.systems), jobs, seed, resamples=options.confidence_n)
    request.make_metrics(options)  # refuses wrong options of metrics before anything is read
    matrix.leave_out()
    results = matrix.score(plan.tests or plan.intervals, plan.intervals)
    left_out = [f"{one.system} was left out: {one.reason}" for one in matrix.rows.unscored("html")]
    hints = [*matrix.hints(), *results.hints]
    baseline = matrix.systems[0] if matrix.has_baseline else None
    results = results._replace(hints=list(map(in_command, [*left_out, *hints])))
    content = pages.render(results, baseline, plan, _trace(provenance, matrix.run(), environment))
    remarks = pipeline.Remarks(options, messages, {}, [*idle, *hints])
    deliver([content], options.output, environment)
    remarks.say()
    deliver(_print(pages.tell(results, plan)), None, environment)
    pipeline.note_slowness(start, messages)
    pipeline.refuse_failures(matrix.rows)


def _print(paragraphs: Sequence[str]) -> Iterator[str]:
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


def compare(
    options: Options,
    environment: Environment,
    messages: Messages,
    render: Callable[[Report, Texts, Callable[[], Run]], tuple[str | bytes, list[str]]],
    hashed: bool = False,
    typography: bool = False,
    say: Callable[[], Sequence[str]] = list,
) -> None:
    """Score and compare systems, and write what shows that; warn and note what there is to say.

    Args:
        options: what is asked for.
        environment: the world around the command.
        messages: the notes and warnings of this run.
        render: returns the content of the file, and hints about it; called with a function that returns what was read.
        hashed: whether the content has the checksums of the texts.
        typography: whether to count and test again with typography alike.
        say: returns lines for standard output.
    """
    start = pipeline.read_clocks()
    options, _ = pipeline.prepare(options, messages)
    texts = pipeline.open_texts(options, environment, hashed)
    pipeline.check_references(options, texts)
    idle = request.find_idle(options, len(texts.systems), "")
    plan = pipeline.plan_sampling(options, environment, False, len(texts.systems))
    columns, files = pipeline.columns_of(options, texts)
    metrics = [*request.make_metrics(options), *columns]
    pipeline.leave_out(options, texts, environment)
    texts.remembers = True
    rows = _Rows(texts, columns_of_groups(options))
    with pipeline.watch(options, environment) as progress:
        counting = Counting(
            metrics, request.count_threads(options.jobs), plan is not None, progress, rows, grouped=False
        )
        counts = texts.count(counting)
        results = pipeline.score(counts, metrics, texts.texts, plan, progress)
        with _without_collection():
            environment.limit_numpy()
            parts = metrics, rows, results, plan, counts.parts[0].documents
            report = _make_report(options, environment, texts, *parts, progress, typography)
            content, hints = render(report, texts, lambda: pipeline.run_of(texts, counts, files))
    signature = pipeline.compare_signatures(options, results)
    remarks = pipeline.Remarks(options, messages, signature, [*idle, *texts.hints, *results.hints, *hints])
    deliver([content], options.output, environment)
    remarks.say(lambda: texts.overview(results.segments))
    if lines := say():
        deliver(lines, None, environment)
    pipeline.note_slowness(start, messages)
    pipeline.refuse_failures(texts.systems)


class _Rows:
    """Keeps the statistics of each segment, and the labels that make groups.

    Args:
        texts: knows the labels.
        by: which ones make groups.
    """

    def __init__(self, texts: Texts, by: Sequence[str]) -> None:
        from bleucli.report.contents import KeptRows

        self.totals = KeptRows()
        self._texts = texts
        self._labels: dict[str, list[Any]] = {name: [] for name in by}

    def keep_rows(self, block: Sequence[SystemStats]) -> None:
        """Keep the rows of the next segments."""
        if self._labels:
            labels = self._texts.labels(self.totals.segments, block[0].stats[0].segments)
            for name in self._labels:
                self._labels[name] += find(labels, name)
        self.totals.add(list(block))

    def keep_sums(self, systems: Sequence[SystemStats], labels: Sequence[tuple[str, Any]]) -> None:
        """Do nothing: the sums are those of the rows."""

    def groups(self, lines: Sequence[int]) -> Mapping[str, Sequence[int]]:
        """Return the groups of some segments: by name, their indexes in `lines`; none without labels."""
        if not self._labels:
            return {}
        from bleucli.report.contents import name_groups

        by = list(self._labels)
        refuse_empty(self._labels, by)
        labels = {name: [column[line] for line in lines] for name, column in self._labels.items()}
        return name_groups(group(labels, by, len(lines)), by)


def _make_report(
    options: Options,
    environment: Environment,
    texts: Texts,
    metrics: Sequence[Metric],
    counts: _Rows,
    results: Results,
    plan: Sampling | None,
    documents: Sequence[int] | None,
    progress: Progress,
    typography: bool,
) -> Report:
    """Return what pages and figures show.

    Args:
        options: what is asked for.
        environment: the world around the command.
        texts: systems and references, which were read once.
        metrics: those that counted.
        counts: the statistics of all segments, and their groups.
        results: the scores.
        plan: how these were resampled.
        documents: the number of each segment's document, if documents are known.
        progress: called with what is done, how many are done, and how many there are.
        typography: whether to count and test again with typography alike.
    """
    from bleucli.counting.threads import count_threads
    from bleucli.report import contents
    from bleucli.significance.resampling import random_seed
    from bleucli.text.labels import number

    selection = texts.selection
    lines = None if selection is None else selection.indexes
    count = counts.totals.segments

    def measure() -> Iterator[contents.Measured]:
        systems = counts.totals.take()
        for place, metric in enumerate(metrics):
            stats = [system.stats[place] for system in systems]
            yield contents.of_metric(metric, stats if lines is None else [one.take(lines) for one in stats])

    rows = zip(results.systems, texts.systems.names("html"), strict=True)
    left_out = [f"{one.system} was left out: {one.reason}" for one in texts.systems.unscored("html")]
    hints = list(dict.fromkeys([*left_out, *texts.hints, *results.hints]))
    seed = random_seed(environment.variables)
    report = contents.make_report(
        results._replace(systems=[system._replace(name=name) for system, name in rows], hints=hints),
        measure(),
        texts.read_again,
        contents.plan_of(
            plan,
            len(results.systems),
            count_threads(options.paired_jobs),
            seed,
            options.unit or "segment",
            options.confidence_n,
        ),
        lines=lines,
        labels=texts.labels(0, count),
        sources=texts.sources,
        documents=documents if documents is None or lines is None else number([documents[line] for line in lines]),
        typography=typography,
        sections=counts.groups(range(count) if lines is None else lines),
        progress=lambda done, total: progress("trials", done, total),
    )
    return report._replace(hints=list(map(in_command, report.hints)))


@contextmanager
def _without_collection() -> Iterator[None]:
    """Pause the garbage collector: it would walk over all texts again and again, and find next to nothing."""
    import gc

    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
