"""Options that had no effect: told in one line, lest somebody believes that they had one.

That is said of options that decide numbers or how they are printed, not of those that say how the work is done.
"""

from collections.abc import Iterator

from bleucli.cli.arguments import MODES
from bleucli.cli.metric_options import flags_of
from bleucli.cli.sampling import METHODS
from bleucli.metrics import METRICS
from bleucli.output import shows_bold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.cli.options import Options

_HOW_IT_IS_DONE = frozenset({"jobs", "quiet", "strict", "no_color", "output"})


class Run:
    """What was done: the metrics, none where numbers were read; the number of systems; and the format.

    segments: one score each. colour: on a terminal.
    """

    def __init__(self, metrics: frozenset[str], systems: int, chosen: str, segments: bool, colour: bool) -> None:
        self.metrics = metrics
        self.systems = systems
        self.format = chosen
        self.segments = segments
        self.colour = colour


def of_mode(options: "Options", mode: str) -> list[str]:
    """Return what to say, in one line, of options that have no effect in a mode; nothing if all have one."""
    idle = options.given - MODES[mode] - _HOW_IT_IS_DONE - {mode}
    return told(dict.fromkeys(sorted(idle), f"not with --{mode.replace('_', '-')}"))


def of_scoring(options: "Options", run: Run) -> list[str]:
    """Return what to say, in one line, of options that had no effect on scores; nothing if all had one.

    Args:
        options: with what --like has set.
        run: what was done.
    """
    reasons: dict[str, str] = {}
    for names, reason in _rules(options, run):
        for name in sorted(options.given & names):
            reasons.setdefault(name, reason)
    return told(reasons)


def told(reasons: dict[str, str]) -> list[str]:
    """Return one line for all options without effect, by reason; nothing for none.

    >>> told({"chrf_beta": "chrF is not scored", "chrf_char_order": "chrF is not scored"})
    ['without effect: --chrf-beta, --chrf-char-order (chrF is not scored)']
    """
    options: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        options.setdefault(reason, []).append("REF" if name == "refs" else f"--{name.replace('_', '-')}")
    parts = [f"{', '.join(names)} ({reason})" for reason, names in options.items()]
    return [f"without effect: {'; '.join(parts)}"] if parts else []


def _rules(options: "Options", run: Run) -> "Iterator[tuple[set[str] | frozenset[str], str]]":
    """Give the options that have no effect in this run, each set with the reason."""
    yield from _of_metrics(options, run)
    for asked, trials, _ in METHODS.values():
        if not getattr(options, asked):
            yield {trials}, f"without --{asked.replace('_', '-')}"
    if not any(getattr(options, asked) for asked, _, _ in METHODS.values()):
        yield {"paired_jobs"}, "nothing is resampled"
    if options.test_set is None:
        yield {"registry"}, "no test set is named"
    if options.test_set is None and "tokenize" not in options.of_metric("bleu"):
        yield {"mirror", "allow_http"}, "nothing is downloaded"
    yield from _of_layout(options, run)


def _of_metrics(options: "Options", run: Run) -> "Iterator[tuple[set[str] | frozenset[str], str]]":
    from bleucli.metrics.smoothing import DEFAULT_VALUES

    if not run.metrics:
        yield {"skip_empty_refs", "lowercase"}, "no texts are compared"
    for name in METRICS:
        if name not in run.metrics and options.of_metric(name):
            idle = flags_of(name).keys() - {"lowercase"}  # -lc has a hint of its own
            yield idle, f"{METRICS[name].name} is not scored"
    if "smooth_value" in options.given:
        method = options.of_metric("bleu").get("smooth_method", flags_of("bleu")["smooth_method"].default)
        if method not in DEFAULT_VALUES:
            yield {"smooth_value"}, f"smoothing {method} takes none"
    if options.test_set is None and "bleu" not in run.metrics:
        yield {"language_pair"}, "it picks BLEU's tokenizer, and BLEU is not scored"


def _of_layout(options: "Options", run: Run) -> "Iterator[tuple[set[str], str]]":
    bare = options.score_only and run.systems == 1
    if options.score_only and not bare:
        yield {"score_only"}, "several systems have a table"
    if run.segments and run.format not in ("json", "jsonl", "text"):
        yield {"format"}, "segments are printed as text or JSON"
    elif bare and run.format not in ("json", "text"):
        yield {"format"}, "bare scores have none"
    if bare:
        yield {"short", "bold_best"}, "bare scores stand alone"
    if run.format in ("json", "jsonl", "csv", "tsv"):
        yield {"short"}, f"{run.format} has long signatures"
    if run.segments or not shows_bold(run.format, run.colour):
        yield {"bold_best"}, f"{'text without colours' if run.format == 'text' else run.format} has no bold"
    if run.format == "text" and run.systems == 1:
        yield {"bold_best"}, "there is no table"
    if run.format == "json" and (options.paired_bs or options.paired_ar):
        yield {"width"}, "JSON of a test is not rounded"
    if run.format == "jsonl" and not bare:
        yield {"width"}, "jsonl is not rounded"
