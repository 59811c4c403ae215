"""Options that cannot be combined, or have no effect in a run.

- `refuse_conflicts`: refuse those that cannot be combined
- `of_scoring`, `of_mode`, `of_citing`: those without effect; sacreBLEU's get a warning, ours are refused

Options such as --quiet and --output are never refused here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bleucli.cli.arguments import MODES, has_gates
from bleucli.cli.options import RESAMPLING, flag_of, flags_of, target_language
from bleucli.cli.sources import reads_items
from bleucli.errors import UsageError
from bleucli.metrics import METRICS
from bleucli.output import FORMATS
from bleucli.tokenizers import DEFAULT, default_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.cli.options import Options
    from bleucli.output import Format

_ONLY_SUMS = (
    "only sums leave the engine; save the statistics of each segment with bleu count -o FOLDER, then run bleu --stats"
    " FOLDER"
)
# For each option, the options that cannot be combined with it, by the reason. A reason may say what to do, after a
# semicolon; otherwise, the message says to leave out one of the two.
CONFLICTS: Mapping[str, Mapping[str, Sequence[str]]] = {
    # other sources of texts
    "table": {
        "columns hold all texts": (
            *("refs", "input", "num_refs", "jsonl", "jsonl_fields", "partial", "test_set", "stats"),
        ),
        "columns hold all labels": ("labels", "label_names"),
        "documents are made of text files and test sets": ("level",),
        "all columns have the same length, so no system is left out": ("keep_going",),
        "columns hold hypotheses and references": ("segment_scores",),
    },
    "stats": {
        "the texts were read when the statistics were saved": (
            *("refs", "input", "num_refs", "jsonl", "jsonl_fields", "partial", "labels", "label_names", "level"),
            *("test_set", "keep_going", "columns"),
        ),
        "here, the parts of a test set are groups; write --by origlang domain instead": (
            *("origlang", "subset", "detail"),
        ),
    },
    "engine": {_ONLY_SUMS: ("sentence_level",)},
    "by": {
        "each group is scored by itself": (*("sentence_level", "segment_scores", "baseline"),),
    },
    "detail": {"--detail gives corpus scores": ("sentence_level",)},
    "partial": {"it scores what all have, so no system is left out": ("keep_going",)},
    "segment_scores": {
        "numbers are not texts": ("partial", "level"),
        "labels are those of texts": ("labels", "label_names", "unit"),
    },
    "keep_going": {
        "--sentence-level scores only one system": ("sentence_level",),
        "there are no references that a system could fail to match": ("segment_scores",),
    },
}
_HOW_IT_IS_DONE = frozenset({"annotate", "jobs", "quiet", "strict", "no_color", "output"})


def refuse_conflicts(options: Options) -> None:
    """Refuse options that cannot be combined.

    Raises:
        UsageError: two of them are given.
    """
    for name, reasons in CONFLICTS.items():
        if _is_given(options, name):
            for reason, partners in reasons.items():
                for partner in partners:
                    if _is_given(options, partner):
                        remedy = "" if ";" in reason else "; leave out one of the two"
                        message = f"{flag_of(partner)} cannot be combined with {flag_of(name)}"
                        raise UsageError(f"{message}: {reason}{remedy}")
    # The sums of documents are enough to resample these
    if options.engine is not None and options.unit != "doc":
        for name in (*(option for option, _ in RESAMPLING.values()), "paired_all"):
            if _is_given(options, name):
                message = f"{flag_of(name)} cannot be combined with --engine"
                raise UsageError(f"{message}: {_ONLY_SUMS}, or resample documents with --unit doc")


def _is_given(options: Options, name: str) -> bool:
    return getattr(options, name) not in (None, False, [])


class Run:
    """What is asked for: the metrics (none where numbers are read), the number of systems, and the format.

    The format is "" if no scores are printed.

    segments: whether each segment gets its own score. form: what the format can show; None where a command has none.
    """

    def __init__(self, metrics: frozenset[str], systems: int, form: str, segments: bool = False) -> None:
        self.metrics = metrics
        self.systems = systems
        self.format = form
        self.form = FORMATS.get(form)
        self.segments = segments


def of_mode(options: Options, mode: str) -> list[str]:
    """Return one line about the options that have no effect in a mode, or nothing if there are none.

    Raises:
        UsageError: one of them is ours.
    """
    idle = options.given - MODES[mode] - _HOW_IT_IS_DONE - {mode}
    return _tell(dict.fromkeys(sorted(idle), f"not used by {flag_of(mode)}"))


def of_citing(options: Options, metrics: Sequence[str]) -> list[str]:
    """Return one line about the options that do not change what --cite prints, or nothing if there are none.

    Raises:
        UsageError: one of them is ours.
    """
    run = Run(frozenset(metrics), 1, "json")
    flags = options.given & MODES["cite"]
    rules = list(_of_metrics(options, run))
    if not (options.paired_ar or options.paired_bs):
        rules.append(({"bold_best"}, "nothing is tested"))
    if not (options.confidence or options.paired_bs):
        rules.append(({"style", "difference"}, "there are no intervals"))
    return _tell({name: reason for names, reason in rules for name in sorted(names & flags)})


def of_scoring(options: Options, run: Run) -> list[str]:
    """Return one line about the options that have no effect on scores, or nothing if there are none.

    Args:
        options: the options, including those that --like set.
        run: what is asked for.

    Raises:
        UsageError: one of them is ours, or asks for something of ours that this run cannot give.
    """
    for name, reason in _contradictions(options, run):
        raise _refusal(name, reason)
    reasons: dict[str, str] = {}
    for names, reason in _rules(options, run):
        for name in sorted(options.given & names):
            reasons.setdefault(name, reason)
    return _tell(reasons)


def of_lowercase(names: Sequence[str]) -> str:
    """Return the hint about -lc where metrics other than BLEU are scored as well; `names` are their names.

    >>> of_lowercase(["chrf", "ter"])
    '-lc applies to BLEU only; chrF has --chrf-lowercase, TER lowercases without --ter-case-sensitive'
    """
    return f"-lc applies to BLEU only; {', '.join(map(_how_to_lowercase, names))}"


def _how_to_lowercase(name: str) -> str:
    """Say which option of a metric makes it distinguish upper from lower case, or ignore the difference."""
    option = next((option for option in METRICS[name].options if option.key == "case"), None)
    if option is None:
        return f"{METRICS[name].name} has no such option"
    return f"{METRICS[name].name} {'has' if option.words[True] == 'lc' else 'lowercases without'} {option.flags[0]}"


def _flag(name: str) -> str:
    return "REF" if name == "refs" else flag_of(name)


def _refusal(name: str, reason: str) -> UsageError:
    return UsageError(f"{_flag(name)} has no effect: {reason}; leave it out")


def _tell(reasons: dict[str, str]) -> list[str]:
    """Return one line about all options without effect, grouped by reason; nothing if there are none.

    Raises:
        UsageError: one of them is ours.

    >>> _tell({"chrf_beta": "chrF is not scored", "chrf_char_order": "chrF is not scored"})
    ['without effect: --chrf-beta, --chrf-char-order (chrF is not scored)']
    """
    if not reasons:
        return []
    from bleucli.cli.parser import parser  # rarely needed, and slow to make

    ours = frozenset(parser().ours)
    options: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        if _flag(name) in ours:
            raise _refusal(name, reason)
        options.setdefault(reason, []).append(_flag(name))
    parts = [f"{', '.join(names)} ({reason})" for reason, names in options.items()]
    return [f"without effect: {'; '.join(parts)}"]


def _contradictions(options: Options, run: Run) -> Iterator[tuple[str, str]]:
    """Give sacreBLEU's options that have no effect in combination with our own features, each with the reason."""
    if options.score_only and run.systems > 1:
        yield "score_only", "several systems are printed as a table"
    if options.score_only and options.by is not None:
        yield "score_only", "groups are printed as a table"
    if "format" in options.given and run.form is not None and not run.form.of_sacrebleu:
        if run.segments and not run.form.segments:
            yield "format", f"segments are printed as text, json or jsonl, not as {run.format}"
        if options.score_only:
            yield "format", f"bare scores are numbers, not {run.format}"


def _rules(options: Options, run: Run) -> Iterator[tuple[set[str] | frozenset[str], str]]:
    """Give the options that have no effect in this run, in sets, each with the reason."""
    yield from _of_metrics(options, run)
    is_compared = options.command in ("plot", "report")  # always by intervals and tests
    for option, trials in RESAMPLING.values():
        if not getattr(options, option):
            is_own = is_compared and option == "confidence"
            yield {trials}, "a paired test has intervals of its own" if is_own else f"it needs {flag_of(option)}"
    if not is_compared and not any(getattr(options, option) for option, _ in RESAMPLING.values()):
        yield {"paired_jobs", "unit"}, "nothing is resampled"
    yield from _of_sources(options)
    if options.test_set is None and "tokenize" not in options.of_metric("bleu"):
        yield {"mirror", "allow_http"}, "nothing is downloaded"
    if run.form is None:
        return
    yield from _of_layout(options, run, run.form)
    if options.command == "explain":
        yield from _of_explanations(run, run.form)
    if reason := _why_not_bold(options, run, run.form):
        yield {"bold_best"}, reason
    yield from _of_tables(options, run, run.form)


def _of_sources(options: Options) -> Iterator[tuple[set[str], str]]:
    if options.test_set is None:
        yield {"registry"}, "no test set is named"
        if options.labels is None and not reads_items(options):
            yield {"detail"}, "only a test set, named with -t and -l, --labels or JSON Lines say which parts there are"
    readers = {"by", "unit", "level", *(option for option, _ in RESAMPLING.values())}
    if options.test_set is None:  # which has its own parts
        readers |= {"origlang", "subset", "detail"}
    if not options.command and options.given.isdisjoint(readers):
        yield {"labels"}, "nothing reads labels: --by, --unit doc, --level doc and parts do"
    if options.table is not None:
        yield {"encoding"}, "text in tables is UTF-8"
    if options.engine is not None:
        yield {"jobs"}, f"{options.engine} decides how many workers there are"
    if options.stats is not None:
        yield {"language_pair", "encoding", "force"}, "the texts were read when the statistics were saved"


def _of_metrics(options: Options, run: Run) -> Iterator[tuple[set[str] | frozenset[str], str]]:
    from bleucli.metrics.smoothing import DEFAULT_VALUES

    if not run.metrics:
        yield {"skip_empty_refs", "normalize", "lowercase"}, "no texts are compared"
    for name in METRICS:
        if name not in run.metrics and options.of_metric(name):
            idle = flags_of(name).keys() - {"lowercase"}  # -lc has a hint of its own
            yield idle, f"{METRICS[name].name} is not scored"
    if "smooth_value" in options.given:
        method = options.of_metric("bleu").get("smooth_method", flags_of("bleu")["smooth_method"].default)
        if method not in DEFAULT_VALUES:
            yield {"smooth_value"}, f"smoothing {method} takes no value"
    if options.test_set is None:
        if "bleu" not in run.metrics:
            yield {"language_pair"}, "it picks BLEU's tokenizer, and BLEU is not scored"
        has_tokenizer = "tokenize" in options.of_metric("bleu")
        # If the language has its own tokenizer, a hint compares it with the one that was named
        if has_tokenizer and default_for(target_language(options.language_pair)) == DEFAULT:
            by = "--tokenize" if "tokenize" in options.given else "--like"
            yield {"language_pair"}, f"it picks BLEU's tokenizer, which {by} names"


def _of_layout(options: Options, run: Run, form: Format) -> Iterator[tuple[set[str], str]]:
    if run.segments and not form.segments:
        yield {"format"}, "segments are printed as text or JSON"
    elif options.score_only and form.of_sacrebleu and form.captions:
        yield {"format"}, "bare scores have no format"
    if options.score_only:
        yield {"short"}, "bare scores have no signature"
    if not form.shortens:
        yield {"short"}, f"{run.format} always has long signatures"
    is_test = options.paired_bs or options.paired_ar
    if form.rounds and not form.rounds_tests and is_test and not options.detail:  # parts are rounded
        yield {"width"}, "JSON of a test is not rounded"
    if not form.rounds and not options.score_only:
        yield {"width"}, f"{run.format} is not rounded"
    if not form.rescales and not options.score_only:
        yield {"scale"}, f"{run.format} always has scores from 0 to 100, so that histories can be compared"
    if options.segment_scores:
        yield {"scale"}, "scores from elsewhere are printed as they are"
    is_nameless = options.score_only or options.command == "explain" or not form.names_one
    if run.systems == 1 and is_nameless and not has_gates(options) and options.by is None:
        yield {"names", "name_by"}, "a single score is printed without a name"


def _of_tables(options: Options, run: Run, form: Format) -> Iterator[tuple[set[str], str]]:
    """Give the options about tables where no table, or none of that kind, is printed."""
    if reason := _why_no_table(options, run, form):
        yield {"style", "sort", "difference", "caption", "label"}, reason
    if not form.styles:
        yield {"style"}, f"{run.format} has only one style"
    if not form.sorts:
        yield {"sort"}, f"{run.format} is not a table"
    if not form.captions:
        yield {"caption", "label"}, f"{run.format} has no captions"
    if form.reports_gates:
        yield {"difference"}, f"{run.format} has only the scores that gates judge"


def _of_explanations(run: Run, form: Format) -> Iterator[tuple[set[str], str]]:
    if form.by_row:
        yield {"width"}, "JSON of explanations is not rounded"
    if "bleu" not in run.metrics:
        yield {"sentence_level"}, "it turns on BLEU's effective order, and BLEU is not scored"


def _why_not_bold(options: Options, run: Run, form: Format) -> str:
    """Return why nothing can be bold, or "" if something can.

    Text has bold type only on a terminal. Elsewhere, --bold-best is accepted too: a script may not know where it runs.
    """
    is_table = not (options.score_only or run.segments)
    if is_table and not form.shows_bold(not options.no_color):
        return f"{run.format}{' without colours' if form.bold == 'coloured' else ''} has no bold"
    return _why_no_table(options, run, form)


def _why_no_table(options: Options, run: Run, form: Format) -> str:
    """Return why scores are not printed in a table, whatever the format, or "" if they are."""
    if options.score_only:
        return "bare scores are not a table"
    if run.segments:
        return "segments are not a table"
    is_line = form.is_table and not form.tabulates_one
    return "there is no table" if is_line and run.systems == 1 and options.by is None else ""
