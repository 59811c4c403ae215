"""`bleu plot`: a figure for a paper."""

from __future__ import annotations

import os
import re

from bleucli.cli import pipeline, request
from bleucli.cli.commands import MESSAGES, SCORED, TESTS, TEXTS, Command, take
from bleucli.cli.commands.matrix import MATRIX, Matrix
from bleucli.cli.commands.report import compare
from bleucli.cli.delivery import deliver
from bleucli.cli.options import OPTIONS, Option, is_tested
from bleucli.cli.streams import Environment, shown
from bleucli.errors import UsageError
from bleucli.limits import LEAST_WIDTH, MOST_WIDTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from bleucli.cli.options import Options
    from bleucli.cli.streams import Messages
    from bleucli.report.contents import Report

_KINDS = ("forest", "pairs", "lengths", "segments")
COMMAND = Command(
    ("bleu plot REF... -i SYSTEM... -o FIGURE.pdf [options]", "bleu plot --matrix FILE -o FIGURE.pdf [options]"),
    "Draw a figure for a paper.",
    take(
        *(*TEXTS, "origlang", "subset", "keep_going", *SCORED, "scores", *TESTS, *MESSAGES),
        output=OPTIONS["output"]._replace(help="the figure: a file that ends in .pdf, .svg or .png"),
        kind=Option("--kind KIND", "%(choices)s (default: forest, scores with intervals)", choices=_KINDS),
        figure_width=Option(
            "--width WIDTH",
            "width of the figure, such as 3.3in or 84mm (default: 3.3in, one column; of a matrix, 6.6in)",
        ),
        metrics=OPTIONS["metrics"]._replace(help="%(choices)s (default: bleu); a figure shows one"),
        matrix=MATRIX._replace(apart={**(MATRIX.apart or {}), "a matrix has one kind of figure": "kind"}),
    ),
    ("output", "kind", "figure_width", "matrix", "input", "test_set", "language_pair", "metrics", "paired_ar", "names"),
)
_FORMATS = ("pdf", "svg", "png")
_WIDTH = re.compile(r"(\d+(?:\.\d+)?)(in|cm|mm|pt)")
# The point is TeX's: \the\columnwidth prints such points, of which an inch has 72.27, not 72
_INCHES = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72.27}


def run(options: Options, environment: Environment, messages: Messages) -> bool:
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
    number = len(options.scores or ())  # scores from elsewhere come after BLEU
    compare(options, environment, messages, lambda report, *_: _draw(report, kind, number, inches, form))
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


def _draw(report: Report, kind: str, number: int, inches: float | None, form: str) -> tuple[bytes, list[str]]:
    """Return a figure as a file, and hints about what it cannot show.

    Args:
        report: what it shows.
        kind: one of `_KINDS`.
        number: the metric's, from 0.
        inches: its width; None for that of a column.
        form: the format of the file, such as "pdf".
    """
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
    content, missing = plots.save(plots.draw(report, kind, number, inches or plots.WIDTH), form)
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

    start = pipeline.read_clocks()
    options, _ = pipeline.prepare(options, messages)
    matrix = Matrix(options, environment, hashed=False)
    is_alone = len(matrix.systems) == 1
    if not is_tested(options):  # the paired bootstrap has intervals as well
        options = options.replace(paired_bs=not is_alone, confidence=is_alone)
    options = options.replace(paired_all=is_tested(options) and not matrix.has_baseline)
    idle = request.find_idle(options, len(matrix.rows), "")
    sampling = pipeline.plan_sampling(options, environment, False, len(matrix.systems))
    request.make_metrics(options)  # refuses wrong options of metrics before anything is read
    matrix.leave_out()
    results = matrix.score(sampling)
    metric = results.systems[0].scores[-1].name  # scores from elsewhere come after BLEU
    width = 2 * plots.WIDTH if inches is None else inches
    content, missing = plots.save(plots.matrix(results, metric, width=width), form)
    hints = _tell_missing(missing, "rename the systems' files")
    remarks = pipeline.Remarks(options, messages, {}, [*idle, *matrix.hints(), *results.hints, *hints])
    deliver([content], options.output, environment)
    remarks.say()
    pipeline.note_slowness(start, messages)
    pipeline.refuse_failures(matrix.rows)
