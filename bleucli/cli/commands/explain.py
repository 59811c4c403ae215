"""`bleu explain`, `bleu check`, `bleu match`: what made a score, what spoils texts, which settings give a number.

The answers are texts with sections, as text, HTML or JSON.
"""

from __future__ import annotations

from contextlib import suppress
from shlex import join, quote

from bleucli.cli import pipeline, request
from bleucli.cli.commands import MESSAGES, SCORED, TEXTS, Command, take
from bleucli.cli.options import OPTIONS, Option, target_language
from bleucli.cli.sources import names_of, text_arguments
from bleucli.cli.sources.files import FileSource, find_pipe, find_systems
from bleucli.cli.streams import Environment, Messages, deliver, shown
from bleucli.errors import LengthError, OneSegmentError, UsageError
from bleucli.metrics import Metric
from bleucli.output import EXPLANATION_FORMATS, render_explanations
from bleucli.phrases import tell_count
from bleucli.reading import TextFile
from bleucli.reading.jsonlines import is_jsonl
from bleucli.results.findings import Finding, Findings
from bleucli.results.signature import Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bleucli.cli.options import Options
    from bleucli.cli.pipeline import Texts
    from bleucli.match import Inputs
    from bleucli.metrics.differences import DifferenceExplanation
    from bleucli.metrics.explanations import CorpusExplanation, Explanation
    from bleucli.output import Explained

_FORMAT = OPTIONS["format"]._replace(help="%(choices)s (default: text)", choices=EXPLANATION_FORMATS)


def _choose_format(options: Options, environment: Environment, what: str) -> str:
    """Return the format of the answer; what: what it shows, as a plural."""
    form = request.format_of(options, environment) or "text"
    if form not in EXPLANATION_FORMATS:
        raise UsageError(f"{what} cannot be shown in {form}; choose -f text, html or json")
    return form


def _deliver(sections: Sequence[Explained], options: Options, environment: Environment, form: str) -> None:
    layout = request.layout_of(options, environment, form)
    columns = environment.columns() if options.output is None else None
    deliver([render_explanations(sections, layout, form, columns)], options.output, environment)


# --- why a corpus or a segment has its score, or why two systems differ

EXPLAIN = Command(
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
        format=_FORMAT,
    ),
    ("line", "input", "metrics", "test_set", "language_pair", "format", "sentence_level", "width", "output"),
)


def explain(options: Options, environment: Environment, messages: Messages) -> bool:
    """Explain a system's score, or the difference between two systems, by each metric; return True."""
    options, _ = pipeline.prepare(options, messages)
    source = pipeline.open_texts(options, environment)
    pipeline.check_references(options, source)
    try:
        form = _choose_format(options, environment, "explanations")
        systems = len(source.systems)
        if systems > 2:
            raise UsageError(f"bleu explain takes one system, or two to compare; {systems} were given")
        metrics = request.make_metrics(options)
        idle = request.find_idle(options, systems, form)
        explanations: Sequence[Explanation | CorpusExplanation | DifferenceExplanation]
        if systems == 1:
            explanations, segments = _explain_system(options, source, metrics)
        else:
            explanations, segments = _explain_difference(options, environment, source, metrics, form)
        explanations = [
            one._replace(signature=Signature(one.signature).with_texts(source.texts)) for one in explanations
        ]
        names = request.names_of_metrics(options)
        info = dict(explanations[names.index(options.followed)].signature) if options.like else {}
        request.check_like(options, info)
        hints = [*idle, *(advice for metric in metrics for advice in metric.advice), *source.hints]
        remarks = pipeline.Remarks(options, messages, info, hints)
        _deliver(explanations, options, environment, form)
        remarks.say(lambda: source.overview(segments))
    except OneSegmentError as error:
        remedy = "choose one with --line N, or another method" if len(source.systems) == 1 else "choose another method"
        raise UsageError(f"{error.parts[0]}; {remedy}") from None
    except LengthError as error:
        raise source.explain(error) from None
    messages.note_slowness()
    return True


def _explain_system(
    options: Options, source: Texts, metrics: Sequence[Metric]
) -> tuple[Sequence[Explanation | CorpusExplanation], int]:
    """Return each metric's explanation of a system's score, and the number of segments.

    The score is that of the corpus, unless it has a single segment or an option asks for one.
    """
    from bleucli.metrics.explanations import explain_scores, explain_segment, pick

    corpus = source.corpus()
    if options.line is None and not options.sentence_level:
        corpus, read_again = corpus.kept()
        _, segments = pick(corpus, [])
        if segments > 1:
            jobs, choose = request.count_threads(options.jobs), _chooser(source)
            return list(explain_scores(read_again(), read_again, metrics, jobs=jobs, choose=choose)), segments
        corpus = read_again()
    (name,) = corpus.system_names()
    index = 0 if options.line is None else options.line - 1
    texts, segments = pick(corpus, [index])
    indexes = _chooser(source)(segments)
    if options.line is None and segments > 1:
        raise UsageError(
            f"--sentence-level is for one segment, but {name} has {segments} segments; choose one with --line N"
        )
    if index not in texts:
        raise UsageError(
            f"--line {options.line} is beyond the end of {name}, which has {tell_count(segments, 'segment')}"
        )
    if indexes is not None and index not in indexes:
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
    options: Options, environment: Environment, source: Texts, metrics: Sequence[Metric], form: str
) -> tuple[Sequence[DifferenceExplanation], int]:
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


# --- what is wrong with references and outputs, and what it costs

CHECK = Command(
    ("bleu check REF... -i SYSTEM... [--source FILE] [options]", "bleu check -t SET -l PAIR -i SYSTEM... [options]"),
    "Find mistakes in texts that would distort a score.",
    take(
        *(*TEXTS, "origlang", "subset", *SCORED, *MESSAGES, "width", "no_color", "output"),
        source=Option("--source FILE", "the texts that were translated, one per line, to find copies of them"),
        metrics=OPTIONS["metrics"]._replace(help="the metric in whose points costs are measured (default: bleu)"),
        format=_FORMAT,
        strict=OPTIONS["strict"]._replace(help="exit with 1 if there is any finding, not only for errors"),
        annotate=OPTIONS["annotate"]._replace(help="%(choices)s: also print findings as annotations"),
    ),
    ("input", "source", "test_set", "language_pair", "metrics", "format", "strict", "annotate", "output"),
)


def check(options: Options, environment: Environment, messages: Messages) -> bool:
    """Print what is wrong; return False if that includes an error, or anything with --strict."""
    from bleucli.check import check_corpus

    options, _ = pipeline.prepare(options, messages)
    form = _choose_format(options, environment, "findings")
    metric, *rest = request.make_metrics(options)
    if rest:
        raise UsageError("bleu check measures costs by one metric; name one after -m")
    source = pipeline.open_texts(options, environment)
    failures = list(_leave_out(source))
    if source.systems.names():
        with pipeline.watch(options, environment) as progress:
            try:
                findings = check_corpus(
                    source.corpus(),
                    metric,
                    _read_source(options, source),
                    lambda done: progress("segments", done, 0),
                )
            except LengthError as error:
                raise source.explain(error) from None
    else:
        signature = metric.signature(1, 1)
        findings = Findings([], 0, [], f"{signature.name}|{signature}", [])
    findings = findings._replace(findings=[*failures, *findings.findings])
    _deliver([findings], options, environment, form)
    for hint in source.hints:
        messages.warn(hint)
    if environment.annotates:
        for finding in findings.findings:
            environment.say(finding.severity, finding.sentence(), f"bleu check: {finding.kind}")
    return not findings.findings if options.strict else not findings.count("error")


def _leave_out(source: Texts) -> Iterator[Finding]:
    """Leave out the systems that cannot be compared with the references, and say why."""
    if not isinstance(source, FileSource):
        return
    source.locates = True
    source.leave_out(reported=True)
    remedies = {error.in_command(): error.remedy for error in source.systems.failures.values()}
    for system, reason in source.systems.unscored("json"):
        correct = remedies[reason] or "correct this first"
        remedy = f"it was not checked any further; {correct}, and check it again"
        yield Finding("unscored", "error", system, reason, remedy, 0, None, "", None)


def _read_source(options: Options, source: Texts) -> Iterator[str] | None:
    """Return the texts that were translated: those of --source, or those of the test set; None if neither is there."""
    if options.source is None:
        return None if source.sources is None else source.sources()
    if options.source == "-":
        raise UsageError("--source cannot read standard input; save the texts in a file, and name it")
    file = TextFile(shown(options.source), options.source, encoding=options.encoding, mark="dropped")
    return (text or "" for (block,) in file.blocks() for text in block)


# --- which settings give a number

MATCH = Command(
    ("bleu match NUMBER REF... -i SYSTEM [options]", "bleu match NUMBER -t SET -l PAIR -i SYSTEM [options]"),
    "Find the settings that give a published number.",
    take(
        *("refs", "test_set", "registry", "mirror", "allow_http", "language_pair", "no_color", "output", *MESSAGES),
        number=Option("[NUMBER]", "the number as it was printed, such as 27.3; write it before the references"),
        input=OPTIONS["input"]._replace(spelling="--input -i SYSTEM", help="the system's output", once=True),
        metrics=OPTIONS["metrics"]._replace(
            help="which scores it may be (default: bleu chrf ter)", choices=("bleu", "chrf", "ter")
        ),
        scale=OPTIONS["scale"]._replace(
            help="what a perfect score is, 100 or 1 (default: 1 for a number up to 1, else 100)", idle=None
        ),
        format=_FORMAT,
    ),
    ("number", "input", "test_set", "language_pair", "metrics", "scale", "format", "output"),
    metrics=(),
)


def match(options: Options, environment: Environment, messages: Messages) -> bool:
    """Print the settings that give the number; return False if none does."""
    from bleucli.match import METRICS_MATCHED, check_number, match_corpus

    if options.number is None:
        raise UsageError("no number is given; write bleu match 27.3 REF -i SYSTEM")
    check_number(options.number)
    remedy = f"write bleu match {options.number.strip()} REF -i SYSTEM"
    if options.input is None:
        raise UsageError(f"no system is named; {remedy}")
    if not options.refs and options.test_set is None:
        raise UsageError(f"no references are named; {remedy}")
    options, _ = pipeline.prepare(options.replace(input=[options.input]), messages)
    options = options.replace(input=find_systems(text_arguments(options)))
    if len(options.input) > 1:
        raise UsageError(f"-i has a pattern for {len(options.input)} files; name one system")
    form = _choose_format(options, environment, "settings")
    _refuse_unsuited([*options.refs, *options.input])
    idle = request.find_idle(options, 1, form)
    source = pipeline.open_texts(options, environment)
    corpus = source.corpus()
    with pipeline.watch(options, environment) as progress:
        try:
            matches = match_corpus(
                corpus,
                options.number,
                _inputs_of(options, corpus.reference_names()),
                metrics=options.metrics or METRICS_MATCHED,
                language=target_language(options.language_pair),
                scale=options.scale,
                progress=lambda done: progress("segments", done, 0),
            )
        except LengthError as error:
            raise source.explain(error) from None
    hints = [*idle, *source.hints]
    messages.hold_back(hints)
    _deliver([matches], options.replace(scale=None), environment, form)
    for hint in hints:
        messages.warn(hint)
    return bool(matches.matches)


def _refuse_unsuited(paths: Sequence[str]) -> None:
    """Refuse texts that cannot be read again, and files that the other programs cannot read."""
    for path in paths:
        if path == "-" or find_pipe(path) is not None:
            raise UsageError("bleu match prints commands that read the texts again; save them in files, and name these")
        if is_jsonl(path):
            raise UsageError(f"{shown(path)} is JSON Lines, which other programs do not read; give text files")
        if TextFile(shown(path), path).is_packed():
            raise UsageError(f"{shown(path)} is packed, and other programs do not unpack it; unpack it first")
        with suppress(OSError), open(path, "rb") as file:  # reading the text reports other errors
            try:
                file.read().decode()
            except UnicodeDecodeError:
                raise UsageError(
                    f"{shown(path)} is not UTF-8, which the other programs expect; convert it first: iconv -f ENCODING"
                    " -t UTF-8"
                ) from None


def _inputs_of(options: Options, names: Sequence[str]) -> Inputs:
    """Return what commands call the texts; names: those of the references."""
    from bleucli.match import Inputs

    (system,) = options.input
    if options.test_set is None:
        return Inputs(options.refs, options.refs, [""] * len(options.refs), system)
    which = ["-t", options.test_set, "-l", options.language_pair]
    if options.registry is not None:
        which += ["--registry", options.registry]
    # With several references, a name ends in that of the field, such as `ref:A`
    fields = [name.rpartition(" ")[2] for name in names] if len(names) > 1 else ["ref"]
    files = [f"{field.replace(':', '.')}.txt" for field in fields]
    made_by = [
        f"bleu {join([*which, '--echo', field])} > {quote(file)}" for field, file in zip(fields, files, strict=True)
    ]
    language = target_language(options.language_pair)
    return Inputs(which, files, made_by, system, list(names_of(options).items()), language)
