"""`--report` and `--plot`: pictures of what was scored; `--add-scores` adds scores by other metrics."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bleucli.cli.delivery import spool
from bleucli.cli.options import flag_of
from bleucli.cli.provenance import Provenance
from bleucli.cli.streams import Environment, encode, shown
from bleucli.corpus import Source
from bleucli.counting import SystemStats, add_systems
from bleucli.errors import BleuError, UsageError
from bleucli.limits import LEAST_WIDTH, MOST_WIDTH
from bleucli.phrases import in_command, tell_count
from bleucli.results import Input
from bleucli.textfiles import TextFile
from bleucli.wholefiles import write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from bleucli.cli.keeper import Keeper
    from bleucli.cli.options import Options
    from bleucli.cli.texts import Texts
    from bleucli.metrics import Metric
    from bleucli.report.contents import Measured, Report
    from bleucli.results import Results
    from bleucli.significance.comparison import Sampling

KINDS = ("forest", "pairs", "lengths", "segments")
_WIDTH = re.compile(r"(\d+(?:\.\d+)?)(in|cm|mm|pt)")
# The point is TeX's: \the\columnwidth prints such points, of which an inch has 72.27, not 72
_INCHES = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72.27}
# The width of a column in most papers, in inches
_COLUMN = 3.3


def check(options: Options) -> None:
    """Refuse wrong values, options that lack --report or --plot, and a test against a file.

    Raises:
        UsageError: one of them is given.
    """
    asked = [name for name in ("report", "plot") if getattr(options, name) is not None]
    for name, needed in (("add_scores", "report"), ("plot_kind", "plot"), ("plot_width", "plot")):
        if getattr(options, name) is not None and getattr(options, needed) is None:
            raise UsageError(f"{flag_of(name)} is for --{needed}; add --{needed}, or leave out {flag_of(name)}")
    for name in asked:
        if options.baseline is not None and (options.paired_bs or options.paired_ar):
            raise UsageError(
                f"{flag_of(name)} shows texts, but a test against --baseline has none; leave out one of the two"
            )
    _check_files({flag_of(name): path for name in (*asked, "output") if (path := getattr(options, name)) is not None})
    if options.plot_width is not None:
        _read_width(options.plot_width)
    for word in options.add_scores or ():
        _read_added(word)


def _check_files(written: Mapping[str, str]) -> None:
    """Refuse `-`, a page whose name promises another format, and a figure whose format is unknown.

    written: the files by the options that name them.
    """
    for flag, path in written.items():
        if path == "-":
            raise UsageError(f"{flag} - is not a file; name one")
        # A stream or a pipe has no ending
        if flag == "--report" and _form_of(path) not in ("html", "htm", ""):
            raise UsageError(f"--report {shown(path)} would be a page in HTML; name a file that ends in .html")
        if flag == "--plot" and _form_of(path) not in ("pdf", "svg", "png"):
            raise UsageError(
                f"--plot {shown(path)} does not say which format; name a file that ends in .pdf, .svg or .png"
            )


def _form_of(path: str) -> str:
    return os.path.splitext(path)[1][1:].lower()


def _read_width(word: str) -> float:
    """Return a width in inches.

    >>> _read_width("3.3in"), round(_read_width("84mm"), 2)
    (3.3, 3.31)
    """
    match = _WIDTH.fullmatch(word.strip())
    inches = float(match[1]) * _INCHES[match[2]] if match else 0.0
    if not LEAST_WIDTH <= inches <= MOST_WIDTH:
        raise UsageError(
            f"--plot-width {word}; expected {LEAST_WIDTH:g}in to {MOST_WIDTH:g}in, or the same in cm, mm or pt, such as"
            " 84mm"
        )
    return inches


def _read_added(word: str) -> tuple[str, list[str]]:
    """Return the name of added scores, and their files.

    >>> _read_added("comet=a.comet,b.comet")
    ('comet', ['a.comet', 'b.comet'])
    """
    name, _, files = word.partition("=")
    paths = files.split(",")
    if not name or not all(paths):
        raise UsageError(
            f"--add-scores {shown(word)}; expected a name and a file for each system: comet=a.comet,b.comet"
        )
    return name, paths


class Reporting:
    """The pictures that one run makes beside its answer.

    Args:
        options: the options of the command.
        environment: the world around the command.
        words: the words of the command line, which the page shows.

    Attributes:
        hints: hints about the pictures.
    """

    def __init__(self, options: Options, environment: Environment, words: Sequence[str]) -> None:
        self._options = options
        self._environment = environment
        self._asked = Provenance(words, environment)
        self._counted: list[SystemStats] = []
        self._inputs: list[Input] = []
        self._files: dict[str, bytes] = {}
        self.hints: list[str] = []
        from bleucli.optional_deps import load
        from bleucli.report.figures import load_matplotlib

        load_matplotlib()  # a missing package is reported before anything is scored
        if options.report is not None:
            load("jinja2", "report")

    def start(self, texts: Texts, keep: Keeper | None) -> Reporting:
        """Make texts remember what is read; `self` is then called with each block, and passes it on to any `keep`."""
        texts.remember()
        self._texts = texts
        self._keep = keep
        return self

    def __call__(self, block: Sequence[SystemStats], labels: Sequence[tuple[str, Any]] = ()) -> None:
        """Keep the next segments of all systems."""
        self.keep_rows(block)
        if self._keep is not None:
            self._keep(block, labels)

    def keep_rows(self, block: Sequence[SystemStats]) -> None:
        """Keep the rows of the next segments."""
        self._counted = add_systems(self._counted, list(block))

    def keep_sums(self, systems: Sequence[SystemStats], labels: Sequence[tuple[str, Any]]) -> None:
        """Do nothing: groups are not shown."""

    def make(
        self,
        results: Results,
        metrics: Sequence[Metric],
        plan: Sampling | None,
        progress: Callable[[str, int, int], None],
    ) -> None:
        """Make the page and the figure, once everything has been scored.

        Args:
            results: the results as they are printed.
            metrics: the metrics that counted.
            plan: how the results were resampled.
            progress: called with what is counted, how many are done, and how many there are.
        """
        with _without_collection():
            report = self._gather(results, metrics, plan, progress)
            if self._options.report is not None:
                self._files["--report"] = encode(self._render(report))
            if self._options.plot is not None:
                self._files["--plot"] = self._draw(report)

    def _gather(
        self,
        results: Results,
        metrics: Sequence[Metric],
        plan: Sampling | None,
        progress: Callable[[str, int, int], None],
    ) -> Report:
        from bleucli.report import contents
        from bleucli.significance.resampling import random_seed
        from bleucli.threads import count_threads

        self._environment.limit_numpy()
        texts = self._texts
        selection = texts.select()
        lines = None if selection is None else selection.chosen
        count = self._counted[0].stats[0].segments
        measured = []
        for number, metric in enumerate(metrics):
            stats = [system.stats[number] for system in self._counted]
            measured.append(contents.of_metric(metric, stats if lines is None else [one.take(lines) for one in stats]))
        added = self._read_scores(count, lines, [one.name for one in measured], progress)
        names = texts.names_in("html")
        systems = [system._replace(name=name) for system, name in zip(results.systems, names, strict=True)]
        left_out = [f"{one.system} was left out: {one.reason}" for one in texts.unscored_in("html")]
        hints = list(dict.fromkeys([*left_out, *texts.hints(), *results.hints]))
        seed = random_seed(self._environment.variables)
        made = contents.make_report(
            results._replace(systems=systems, hints=hints),
            [*measured, *added],
            texts.read_again,
            contents.plan_of(plan, len(systems), count_threads(self._options.paired_jobs), seed),
            lines=lines,
            labels=texts.columns(0, count),
            sources=texts.sources(),
            progress=lambda done, total: progress("trials", done, total),
        )
        return made._replace(hints=list(map(in_command, made.hints)))

    def _read_scores(
        self,
        count: int,
        lines: Sequence[int] | None,
        taken: Sequence[str],
        progress: Callable[[str, int, int], None],
    ) -> list[Measured]:
        """Return the scores of --add-scores for the segments that were scored."""
        from bleucli.report.contents import of_numbers
        from bleucli.scale import segment_scores

        names = self._texts.names_in("html")
        found: list[Measured] = []
        for word in self._options.add_scores or ():
            name, paths = _read_added(shown(word))
            if name in [*taken, *(one.name for one in found)]:
                raise UsageError(f"--add-scores {name}=: other scores already have this name; choose another")
            if len(paths) != len(names):
                given = tell_count(len(paths), "file of scores", "files of scores")
                raise UsageError(
                    f"--add-scores {name}= has {given} for {tell_count(len(names), 'system')}; give one file per system"
                )
            files = [TextFile(path, path, mark="dropped", hashed=True) for path in paths]
            sources = [Source(file.name, [file.name], file.blocks(), hurry=file.hurry) for file in files]
            columns = []
            for source in sources:
                (numbers,) = segment_scores.read([source], progress).values()
                if len(numbers) != count:
                    raise BleuError(
                        f"{source.label} has {tell_count(len(numbers), 'score')}, but there are"
                        f" {tell_count(count, 'segment')}; give one score per segment, one per line"
                    )
                columns.append(numbers if lines is None else [numbers[line] for line in lines])
            found.append(of_numbers(name, columns))
            self._inputs += [Input("scores", file.name, count, file.sha256()) for file in files]
        return found

    def _render(self, report: Report) -> str:
        from bleucli.report import page

        run = self._asked.of_texts(self._texts)
        run = run._replace(references=[*run.references, *self._inputs])
        if not self._environment.variables.get("SOURCE_DATE_EPOCH"):
            run = run._replace(time=None)  # so that the same input gives the same bytes
        pair = dict(self._texts.texts_named()).get("langpair") or self._options.language_pair or ""
        origin, _, language = pair.partition("-")
        return page.render(report, run, language.replace("_", "-"), origin.replace("_", "-"))

    def _draw(self, report: Report) -> bytes:
        from bleucli.report import drawings, figures, sketches

        options = self._options
        kind = options.plot_kind or KINDS[0]
        if kind in ("pairs", "segments") and len(report.names) < 2:
            raise UsageError(f"--plot-kind {kind} compares systems, but only one was given; name more with -i")
        from bleucli.cli import request

        number = request.names_of_metrics(options).index(options.metrics[0]) if options.metrics else 0
        look = figures.paper(_COLUMN if options.plot_width is None else _read_width(options.plot_width))
        drawn = sketches.draw(report, kind, number, look)
        most = figures.MOST_SERIES
        if kind == "lengths" and len(report.names) > most:
            self.hints.append(
                f"--plot: a figure by length has room for {most} systems, so it shows only the {most} best of"
                f" {len(report.names)}; to choose them, name only these with -i"
            )
        if kind == "segments" and len(report.names) > 2:
            self.hints.append(
                f"--plot: a figure of segments compares two systems, so it shows only {report.names[0]} and"
                f" {report.names[1]}; to choose others, name only these with -i"
            )
        content, missing = drawings.save(drawn, _form_of(str(options.plot)))
        if missing:
            told = ", ".join(dict.fromkeys(missing))
            self.hints.append(
                f"--plot: no installed font has {told}; install one that does, or give other names with --names"
            )
        return content

    def save(self) -> None:
        """Write the page and the figure, each whole or not at all.

        Raises:
            BleuError: one cannot be written.
        """
        for option, content in self._files.items():
            _write(option, getattr(self._options, option.removeprefix("--")), content)


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


def _write(option: str, path: str, content: bytes) -> None:
    try:
        with spool([content]) as answer:
            write_file(answer, path)
    except OSError as error:
        raise BleuError(
            f"cannot write {shown(path)}: {error.strerror or error}; name a writable file with {option}"
        ) from None
