"""`bleu report`, `bleu plot`, `bleu serve`: a page that compares systems, a figure for a paper, a page that scores.

- `REPORT`, `PLOT`, `SERVE`: what these commands take; `report`, `plot`, `serve` do it
- `_compare`: scores and compares systems, for a page or a figure
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from bleucli.cli import pipeline, request
from bleucli.cli.commands import MESSAGES, SCORED, TESTS, TEXTS, Command, take
from bleucli.cli.commands.matrix import MATRIX_OPTION, Matrix
from bleucli.cli.options import OPTIONS, Option, is_tested
from bleucli.cli.sources import columns_of_groups
from bleucli.cli.sources.texts import Counting, refuse_empty
from bleucli.cli.streams import Environment, Messages, Provenance, deliver, shown
from bleucli.errors import UsageError
from bleucli.limits import LEAST_WIDTH, MOST_WIDTH, read_whole_number
from bleucli.phrases import in_command
from bleucli.prose.markup import readable
from bleucli.text.labels import find, group, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from bleucli.cli.options import Options
    from bleucli.cli.pipeline import Texts
    from bleucli.counting import SystemStats
    from bleucli.report.contents import Measured, Report
    from bleucli.results import Run

_TEXTS = (*TEXTS, "origlang", "subset", "keep_going", *SCORED, "scores", *TESTS, *MESSAGES)

# --- a page that compares systems

REPORT = Command(
    (
        "bleu report REF... -i SYSTEM... -o PAGE.html [options]",
        "bleu report --matrix FILE -o PAGE.html [options]",
    ),
    "Compare systems on an HTML page.",
    take(
        *_TEXTS,
        by=OPTIONS["by"]._replace(help=f"also {OPTIONS['by'].help}, with a test of each"),
        output=OPTIONS["output"]._replace(
            help="the page: scores, tests, figures, segments; what it says in words is also printed"
        ),
        matrix=MATRIX_OPTION._replace(apart={**(MATRIX_OPTION.apart or {}), "a matrix has no groups": "by"}),
    ),
    ("output", "matrix", "scores", "input", "test_set", "language_pair", "metrics", "paired_ar", "paired_bs", "names"),
)
_LINE_WIDTH = 79


def report(options: Options, environment: Environment, messages: Messages) -> bool:
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

    def trace(run: Run) -> Run:
        run = provenance.of(run)
        # Without a time, unless one is set, the same input gives the same bytes
        return run if environment.variables.get("SOURCE_DATE_EPOCH") else run._replace(time=None)

    if options.matrix is not None:
        _report_matrix(options, environment, messages, trace)
        return True
    lines: list[str] = []

    def render(report: Report, texts: Texts, read: Callable[[], Run]) -> tuple[str, list[str]]:
        from bleucli.report import page, verdicts

        lines.extend(_print(verdicts.tell(report)))
        pair = dict(texts.texts).get("lang") or options.language_pair or ""
        origin, _, language = pair.partition("-")
        return page.render(report, trace(read()), language.replace("_", "-"), origin.replace("_", "-")), []

    _compare(options, environment, messages, render, is_page=True, lines=lines)
    return True


def _report_matrix(options: Options, environment: Environment, messages: Messages, trace: Callable[[Run], Run]) -> None:
    """Write the page about many language pairs, and print its verdicts."""
    from bleucli.counting.threads import count_threads
    from bleucli.report import matrix as pages
    from bleucli.report.contents import plan_of
    from bleucli.significance.resampling import random_seed

    options, _ = pipeline.prepare(options, messages)
    matrix = Matrix(options, environment, hashed=True)
    idle = request.find_idle(options, len(matrix.rows), "")
    choice = pipeline.plan_sampling(options, environment, False, len(matrix.systems))
    environment.limit_numpy()
    jobs, seed = count_threads(options.paired_jobs), random_seed(environment.variables)
    plan = plan_of(choice, len(matrix.systems), jobs, seed, resamples=options.confidence_n)
    results = matrix.score(plan.tests or plan.intervals, plan.intervals)
    left_out = [f"{one.system} was left out: {one.reason}" for one in matrix.rows.unscored("html")]
    hints = [*matrix.hints(), *results.hints]
    baseline = matrix.systems[0] if matrix.has_baseline else None
    results = results._replace(hints=list(map(in_command, [*left_out, *hints])))
    content = pages.render(results, baseline, plan, trace(matrix.run()))
    remarks = pipeline.Remarks(options, messages, {}, [*idle, *hints])
    deliver([content], options.output, environment)
    remarks.say()
    deliver(_print(pages.tell(results, plan)), None, environment)
    messages.note_slowness()
    pipeline.refuse_failures(matrix.rows)


def _print(paragraphs: Sequence[str]) -> Iterator[str]:
    """Give the lines of a text whose first paragraph sums up the others."""
    from textwrap import fill

    for place, paragraph in enumerate(map(readable, paragraphs)):
        start = "- " if place else ""
        text = fill(
            paragraph,
            _LINE_WIDTH,
            initial_indent=start,
            subsequent_indent=" " * len(start),
            break_long_words=False,
            break_on_hyphens=False,
        )
        yield f"{text}\n" if place else f"{text}\n\n"


# --- a figure for a paper

_KINDS = ("forest", "pairs", "lengths", "segments")
PLOT = Command(
    ("bleu plot REF... -i SYSTEM... -o FIGURE.pdf [options]", "bleu plot --matrix FILE -o FIGURE.pdf [options]"),
    "Draw a figure for a paper.",
    take(
        *_TEXTS,
        output=OPTIONS["output"]._replace(help="the figure: a file that ends in .pdf, .svg or .png"),
        kind=Option("--kind KIND", "%(choices)s (default: forest, scores with intervals)", choices=_KINDS),
        figure_width=Option(
            "--width WIDTH",
            "width of the figure, such as 3.3in or 84mm (default: 3.3in, one column; of a matrix, 6.6in)",
        ),
        metrics=OPTIONS["metrics"]._replace(help="%(choices)s (default: bleu); a figure shows one"),
        matrix=MATRIX_OPTION._replace(apart={**(MATRIX_OPTION.apart or {}), "a matrix has one kind of figure": "kind"}),
    ),
    ("output", "kind", "figure_width", "matrix", "input", "test_set", "language_pair", "metrics", "paired_ar", "names"),
)
_FORMATS = ("pdf", "svg", "png")
_WIDTH = re.compile(r"(\d+(?:\.\d+)?)(in|cm|mm|pt)")
# The point is TeX's: \the\columnwidth prints such points, of which an inch has 72.27, not 72
_INCHES = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72.27}


def plot(options: Options, environment: Environment, messages: Messages) -> bool:
    """Draw the figure, and return True."""
    from bleucli.report.plots import load_matplotlib

    if options.output is None:
        raise UsageError("bleu plot writes a figure; name it with -o, such as -o figure.pdf")
    form = os.path.splitext(options.output)[1][1:].lower()
    if form not in _FORMATS:
        raise UsageError(
            f"--output {shown(options.output)} does not say which format; name a file that ends in .pdf, .svg or .png"
        )
    inches = None if options.figure_width is None else _read_width(options.figure_width)
    if len(options.metrics or ()) > 1:
        raise UsageError(f"bleu plot shows one metric; leave out {' and '.join(options.metrics[1:])}")
    if len(options.scores or ()) + len(options.metrics or ()) > 1:
        raise UsageError("bleu plot shows one metric; name one with -m, or one with --scores")
    load_matplotlib()  # a missing package is reported before anything is scored

    if options.matrix is not None:
        _plot_matrix(options, environment, messages, inches, form)
        return True
    kind = options.kind or _KINDS[0]
    metric = len(options.scores or ())  # scores from elsewhere come after BLEU
    _compare(options, environment, messages, lambda report, *_: _draw(report, kind, metric, inches, form))
    return True


def _read_width(word: str) -> float:
    """Return a width in inches.

    >>> _read_width("3.3in"), round(_read_width("84mm"), 2)
    (3.3, 3.31)
    """
    match = _WIDTH.fullmatch(word.strip())
    inches = float(match[1]) * _INCHES[match[2]] if match else 0.0
    if not LEAST_WIDTH <= inches <= MOST_WIDTH:
        raise UsageError(
            f"--width {word}; expected {LEAST_WIDTH:g}in to {MOST_WIDTH:g}in, or the same in cm, mm or pt, such as 84mm"
        )
    return inches


def _draw(report: Report, kind: str, metric: int, inches: float | None, form: str) -> tuple[bytes, list[str]]:
    """Return a figure as a file, and hints about what it cannot show; inches: its width, None for that of a column."""
    from bleucli.report import plots

    if kind in ("pairs", "segments") and len(report.names) < 2:
        raise UsageError(f"--kind {kind} compares systems, but only one was given; name more with -i")
    hints = []
    if kind == "lengths" and len(report.names) > plots.MOST_SERIES:
        most = plots.MOST_SERIES
        hints.append(
            f"a figure by length has room for {most} systems, so it shows only the {most} best of"
            f" {len(report.names)}; to choose them, name only these with -i"
        )
    if kind == "segments" and len(report.names) > 2:
        hints.append(
            f"a figure of segments compares two systems, so it shows only {report.names[0]} and {report.names[1]}; to"
            " choose others, name only these with -i"
        )
    content, missing = plots.save(plots.draw(report, kind, metric, inches or plots.WIDTH), form)
    return content, [*hints, *_tell_missing(missing, "give other names with --names")]


def _tell_missing(characters: Sequence[str], remedy: str) -> list[str]:
    """Return the hint about characters that no font has, if there are any; remedy: what else to do."""
    if not characters:
        return []
    return [f"no installed font has {', '.join(dict.fromkeys(characters))}; install one that does, or {remedy}"]


def _plot_matrix(
    options: Options, environment: Environment, messages: Messages, inches: float | None, form: str
) -> None:
    """Score a matrix, and draw it; inches, form: as for `_draw`."""
    from bleucli.report import plots

    options, _ = pipeline.prepare(options, messages)
    matrix = Matrix(options, environment, hashed=False)
    is_alone = len(matrix.systems) == 1
    if not is_tested(options):  # the paired bootstrap has intervals as well
        options = options.replace(paired_bs=not is_alone, confidence=is_alone)
    options = options.replace(paired_all=is_tested(options) and not matrix.has_baseline)
    idle = request.find_idle(options, len(matrix.rows), "")
    results = matrix.score(pipeline.plan_sampling(options, environment, False, len(matrix.systems)))
    metric = results.systems[0].scores[-1].name  # scores from elsewhere come after BLEU
    width = 2 * plots.WIDTH if inches is None else inches
    content, missing = plots.save(plots.matrix(results, metric, width=width), form)
    hints = _tell_missing(missing, "rename the systems' files")
    remarks = pipeline.Remarks(options, messages, {}, [*idle, *matrix.hints(), *results.hints, *hints])
    deliver([content], options.output, environment)
    remarks.say()
    messages.note_slowness()
    pipeline.refuse_failures(matrix.rows)


# --- what pages and figures show


def _compare(
    options: Options,
    environment: Environment,
    messages: Messages,
    render: Callable[[Report, Texts, Callable[[], Run]], tuple[str | bytes, list[str]]],
    is_page: bool = False,
    lines: Sequence[str] = (),
) -> None:
    """Score and compare systems, and write what shows that; warn and note what there is to say.

    render: returns the content of the file, and hints about it; called with a function that returns what was read.
    is_page: whether the content has the checksums of the texts, and counts and tests with typography alike, too. lines:
    what is printed in the end.
    """
    from bleucli.counting.threads import count_threads
    from bleucli.report import contents
    from bleucli.significance.resampling import random_seed

    options, _ = pipeline.prepare(options, messages)
    texts = pipeline.open_texts(options, environment, hashed=is_page)
    pipeline.check_references(options, texts)
    idle = request.find_idle(options, len(texts.systems), "")
    plan = pipeline.plan_sampling(options, environment, False, len(texts.systems))
    metrics, files = pipeline.metrics_of(options, texts)
    pipeline.leave_out(options, texts, environment)
    texts.remembers = True
    rows = _Rows(texts, columns_of_groups(options))
    with pipeline.watch(options, environment) as progress:
        jobs = request.count_threads(options.jobs)
        counts = texts.count(Counting(metrics, jobs, plan is not None, progress, rows, grouped=False))
        results = pipeline.score(counts, metrics, texts.texts, plan, progress)
        with _without_collection():
            environment.limit_numpy()
            selection = texts.selection
            indexes = None if selection is None else selection.indexes
            documents = counts.parts[0].documents
            if documents is not None and indexes is not None:
                documents = number([documents[index] for index in indexes])
            size = rows.totals.segments

            def measure() -> Iterator[Measured]:
                systems = rows.totals.take()
                for place, metric in enumerate(metrics):
                    stats = [system.stats[place] for system in systems]
                    stats = stats if indexes is None else [one.take(indexes) for one in stats]
                    yield contents.of_metric(metric, stats)

            names = texts.systems.names("html")
            left_out = [f"{one.system} was left out: {one.reason}" for one in texts.systems.unscored("html")]
            report = contents.make_report(
                results._replace(
                    systems=[one._replace(name=name) for one, name in zip(results.systems, names, strict=True)],
                    hints=list(dict.fromkeys([*left_out, *texts.hints, *results.hints])),
                ),
                measure(),
                texts.read_again,
                contents.plan_of(
                    plan,
                    len(results.systems),
                    count_threads(options.paired_jobs),
                    random_seed(environment.variables),
                    options.unit or "segment",
                    options.confidence_n,
                ),
                lines=indexes,
                labels=texts.labels(0, size),
                sources=texts.sources,
                documents=documents,
                typography=is_page,
                sections=rows.groups(range(size) if indexes is None else indexes),
                progress=lambda done, total: progress("trials", done, total),
            )
            report = report._replace(hints=list(map(in_command, report.hints)))
            content, hints = render(report, texts, lambda: pipeline.run_of(texts, counts, files))
    signature = pipeline.compare_signatures(options, results)
    remarks = pipeline.Remarks(options, messages, signature, [*idle, *texts.hints, *results.hints, *hints])
    deliver([content], options.output, environment)
    remarks.say(lambda: texts.overview(results.segments))
    if lines:
        deliver(lines, None, environment)
    messages.note_slowness()
    pipeline.refuse_failures(texts.systems)


class _Rows:
    """Keeps the statistics of each segment, and the labels that make groups."""

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


# --- the calculator, until the user stops it

_PORT = "8765"
_LARGEST_PORT = 65535
SERVE = Command(
    ("bleu serve [PORT] [options]",),
    "Serve a page that scores as you type.",
    take(
        *("output", *MESSAGES),
        port=Option("[PORT]", f"the port (default: {_PORT}; 0: any free port)"),
    ),
    ("port", "quiet", "output"),
    metrics=(),
)


def serve(options: Options, environment: Environment, messages: Messages) -> bool:
    """Print the address of the calculator, and serve it until Ctrl-C."""
    from bleucli.web import server

    text = _PORT if options.port is None else options.port
    try:
        port = read_whole_number(text)
    except ValueError:
        port = -1
    if not 0 <= port <= _LARGEST_PORT:
        raise UsageError(f"PORT {text!r}; expected a port from 1 to {_LARGEST_PORT}, or 0 for any free port")

    def announce(address: str) -> None:
        deliver([f"{address}\n"], options.output, environment)
        messages.note("the calculator is at this address, for this machine only; Ctrl-C stops it")

    server.serve(port, announce, environment.say_fault)
    return True
