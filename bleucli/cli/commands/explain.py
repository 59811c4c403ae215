"""`bleu explain`: why a corpus or a segment has its score, or why two systems differ."""

from __future__ import annotations

from bleucli.cli import pipeline, request
from bleucli.cli.commands import MESSAGES, SCORED, TEXTS, Command, take
from bleucli.cli.options import OPTIONS, Option
from bleucli.cli.streams import Environment
from bleucli.errors import LengthError, OneSegmentError, UsageError
from bleucli.metrics import Metric
from bleucli.output import EXPLANATION_FORMATS
from bleucli.phrases import tell_count
from bleucli.results.signature import Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bleucli.cli.options import Options
    from bleucli.cli.sources import Texts
    from bleucli.cli.streams import Messages
    from bleucli.counting.corpus import Corpus
    from bleucli.metrics.differences import DifferenceExplanation
    from bleucli.metrics.explanations import CorpusExplanation, Explanation

    Explained = Explanation | CorpusExplanation | DifferenceExplanation


COMMAND = Command(
    (
        "bleu explain REF... -i SYSTEM [options]",
        "bleu explain REF... -i SYSTEM --line N [options]",
        "bleu explain REF... -i SYSTEM SYSTEM [options]",
    ),
    "Explain a score, or why two systems differ.",
    take(
        *(*TEXTS, "origlang", "subset", *SCORED, *MESSAGES, "width", "short", "no_color", "output"),
        line=Option(
            "--line N",
            "the segment to explain, counted from 1 (default: the whole corpus)",
            wrong={"{line}; expected the number of a line, from 1": lambda run: run.line < 1},
        ),
        sentence_level=OPTIONS["sentence_level"]._replace(help="explain BLEU of the segment with effective order"),
        format=OPTIONS["format"]._replace(help="%(choices)s (default: text)", choices=EXPLANATION_FORMATS),
    ),
    ("line", "input", "metrics", "test_set", "language_pair", "format", "sentence_level", "width", "output"),
)


def run(options: Options, environment: Environment, messages: Messages) -> bool:
    """Explain, and return True."""
    start = pipeline.read_clocks()
    options, _ = pipeline.prepare(options, messages)
    source = pipeline.open_texts(options, environment)
    pipeline.check_references(options, source)
    try:
        _print_explanations(options, source, environment, messages)
    except OneSegmentError as error:
        remedy = "choose one with --line N, or another method" if len(source.systems) == 1 else "choose another method"
        raise UsageError(f"{error.parts[0]}; {remedy}") from None
    except LengthError as error:
        raise source.explain(error) from None
    pipeline.note_slowness(start, messages)
    return True


def _print_explanations(options: Options, source: Texts, environment: Environment, messages: Messages) -> None:
    """Explain a system's score, or the difference between two systems, by each metric, and print that."""
    form = pipeline.choose_explanation_format(options, environment, "explanations")
    systems = len(source.systems)
    if systems > 2:
        raise UsageError(f"bleu explain takes one system, or two to compare; {systems} were given")
    metrics = request.make_metrics(options)
    idle = request.find_idle(options, systems, form)
    explanations: list[Explained]
    if systems == 1:
        explanations, segments = _explain_system(options, source, metrics)
    else:
        explanations, segments = _explain_difference(options, environment, source, metrics, form)
    signatures = [Signature(explanation.signature).with_texts(source.texts) for explanation in explanations]
    explanations = [
        explanation._replace(signature=signature)
        for explanation, signature in zip(explanations, signatures, strict=True)
    ]
    names = request.names_of_metrics(options)
    info = dict(signatures[names.index(options.followed)]) if options.like else {}
    request.check_like(options, info)
    hints = [*idle, *(advice for metric in metrics for advice in metric.advice), *source.hints]
    remarks = pipeline.Remarks(options, messages, info, hints)
    pipeline.deliver_explanations(explanations, options, environment, form)
    remarks.say(lambda: source.overview(segments))


def _explain_system(options: Options, source: Texts, metrics: list[Metric]) -> tuple[list[Explained], int]:
    """Return each metric's explanation of a system's score, and the number of segments.

    The score is that of the corpus, unless it has a single segment or an option asks for one.
    """
    from bleucli.metrics.explanations import pick

    corpus = source.corpus()
    if options.line is None and not options.sentence_level:
        corpus, read_again = corpus.kept()
        _, segments = pick(corpus, [])
        if segments > 1:
            from bleucli.metrics.explanations import explain_scores

            jobs, choose = request.count_threads(options.jobs), _chooser(source)
            return list(explain_scores(read_again(), read_again, metrics, jobs=jobs, choose=choose)), segments
        corpus = read_again()
    return _explain_segment(options, corpus, source, metrics)


def _explain_segment(
    options: Options, corpus: Corpus, source: Texts, metrics: list[Metric]
) -> tuple[list[Explained], int]:
    """Return each metric's explanation of the requested segment, or the only one, and the number of segments."""
    from bleucli.metrics.explanations import explain_segment, pick

    (name,) = corpus.system_names()
    index = 0 if options.line is None else options.line - 1
    texts, segments = pick(corpus, [index])
    selection = source.selection
    if selection is not None:
        selection.check(segments)
    if options.line is None and segments > 1:
        raise UsageError(
            f"--sentence-level is for one segment, but {name} has {segments} segments; choose one with --line N"
        )
    if index not in texts:
        raise UsageError(
            f"--line {options.line} is beyond the end of {name}, which has {tell_count(segments, 'segment')}"
        )
    if selection is not None and selection.indexes is not None and index not in selection.indexes:
        raise UsageError(
            f"line {index + 1} is not in the chosen part of the test set; name another line, or choose another part"
        )
    line = None if options.line is None else index
    return [explain_segment(metric, *texts[index], line, name) for metric in metrics], segments


def _chooser(source: Texts) -> Callable[[int], Sequence[int] | None]:
    """Return a function that takes the number of segments, checks it, and returns the indexes of those to score."""

    def choose(segments: int) -> Sequence[int] | None:
        selection = source.selection
        if selection is None:
            return None
        selection.check(segments)
        return selection.indexes

    return choose


def _explain_difference(
    options: Options, environment: Environment, source: Texts, metrics: list[Metric], form: str
) -> tuple[list[Explained], int]:
    """Return each metric's explanation of why two systems differ, and the number of segments."""
    from bleucli.metrics.differences import explain_differences
    from bleucli.significance.resampling import random_seed

    if options.line is not None:
        raise UsageError("--line is for one system, but two are compared over all segments; leave it out")
    if options.sentence_level:
        raise UsageError("--sentence-level takes one system, but two are compared by corpus scores; leave it out")
    jobs, choose = request.count_threads(options.jobs), _chooser(source)
    environment.limit_numpy()
    seed = random_seed(environment.variables)
    explanations = explain_differences(source.corpus(), metrics, jobs=jobs, choose=choose, seed=seed)
    names = tuple(source.systems.names(form))
    return [one._replace(systems=names) for one in explanations], explanations[0].segments
