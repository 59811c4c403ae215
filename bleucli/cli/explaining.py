"""The mode of --explain: why a segment has its score, or why two systems differ."""

from bleucli.cli import request
from bleucli.cli.delivery import deliver
from bleucli.cli.streams import Environment
from bleucli.cli.texts import Texts, names_of
from bleucli.errors import UsageError
from bleucli.metrics import Metric
from bleucli.output.explained import FORMATS, render
from bleucli.phrases import tell_count
from bleucli.signature import Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.cli.messages import Messages
    from bleucli.cli.options import Options
    from bleucli.metrics.explanations import Explanation

# What asks for something else than the way to a score
_OTHERS = {
    "confidence": "which resamples scores",
    "paired_bs": "which tests scores",
    "paired_ar": "which tests scores",
    "detail": "which scores parts of a test set",
    "score_only": "which prints the score alone",
    "keep_going": "which leaves systems out",
    "fail_under": "which is a gate",
    "max_drop": "which is a gate",
    "baseline": "which is for gates",
    "append": "which adds scores to a history",
    "segment_scores": "whose scores are made elsewhere",
}


def check(options: "Options") -> None:
    """Refuse options that do not go together with --explain, and --line without it."""
    if not options.explain:
        raise UsageError("--line names the segment that --explain explains; add --explain")
    for name, why in _OTHERS.items():
        if getattr(options, name) not in (None, False):
            raise UsageError(f"--explain does not go with --{name.replace('_', '-')}, {why}; leave out one of the two")
    _check_format(options.format)


def _check_format(chosen: str | None) -> None:
    if chosen is not None and chosen not in FORMATS:
        raise UsageError(f"--explain cannot be shown in {chosen}; choose -f text, html or json")


def print_explanations(options: "Options", texts: Texts, environment: Environment, messages: "Messages") -> None:
    """Explain a segment of one system by each metric, and print that.

    Raises:
        BleuError: it is not clear which segment is meant, texts are not what they should be, or the answer cannot be
            written.
    """
    chosen = request.format_of(options, environment)
    _check_format(chosen)
    systems = texts.count_systems()
    if systems > 1:
        raise UsageError(f"--explain takes one system; {systems} were given")
    metrics = request.make_metrics(options)
    idle = request.find_idle(options, systems, chosen or "text", False)
    explained, segments = _explain_segment(options, texts, metrics)
    signed = {}
    for place, one in enumerate(explained):
        signature = Signature(one.signature).with_texts(names_of(options).items())
        explained[place] = one._replace(signature=signature)
        if request.names_of_metrics(options)[place] == options.followed:
            signed = dict(signature)
    request.check_like(options, signed)
    hints = [*idle, *(advice for metric in metrics for advice in metric.advice), *texts.hints()]
    messages.hold_back(hints)
    layout = request.layout_of(options, environment, chosen or "text")
    columns = environment.columns() if options.output is None else None
    deliver([render(explained, layout, chosen or "text", columns)], options.output, environment)
    request.note_files(texts, segments, options, messages)
    request.note_differences(signed, options, messages)
    for hint in hints:
        messages.warn(hint)


def _explain_segment(options: "Options", texts: Texts, metrics: "list[Metric]") -> "tuple[list[Explanation], int]":
    """Return the explanation of the segment that is asked for by each metric, and how many segments there are."""
    from bleucli.metrics.explanations import explain_segment, pick

    corpus, selection = texts.corpus(), texts.select()
    (name,) = corpus.system_names()
    index = 0 if options.line is None else options.line - 1
    found, segments = pick(corpus, [index])
    if selection is not None:
        selection.check(segments)
    if options.line is None and segments > 1:
        raise UsageError(f"{name} has {segments} segments; choose the one to explain with --line N")
    if index not in found:
        raise UsageError(
            f"--line {options.line} is beyond the end of {name}, which has {tell_count(segments, 'segment')}"
        )
    if selection is not None and selection.chosen is not None and index not in selection.chosen:
        raise UsageError(f"line {index + 1} is not in the part that is chosen; name another, or choose another part")
    line = None if options.line is None else index
    return [explain_segment(metric, *found[index], line, name) for metric in metrics], segments
