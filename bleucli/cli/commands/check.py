"""`bleu check`: what is wrong with references and outputs, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator

from bleucli.cli import pipeline, request
from bleucli.cli.commands import MESSAGES, SCORED, TEXTS, Command, take
from bleucli.cli.options import OPTIONS, Option, Options
from bleucli.cli.sources.files import FileSource
from bleucli.cli.streams import Environment, Messages, shown
from bleucli.errors import LengthError, UsageError
from bleucli.output import EXPLANATION_FORMATS
from bleucli.results.findings import Finding, Findings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.cli.sources import Texts

COMMAND = Command(
    ("bleu check REF... -i SYSTEM... [--source FILE] [options]", "bleu check -t SET -l PAIR -i SYSTEM... [options]"),
    "Find mistakes in texts that would distort a score.",
    take(
        *(*TEXTS, "origlang", "subset", *SCORED, *MESSAGES, "width", "no_color", "output"),
        source=Option("--source FILE", "the texts that were translated, one per line, to find copies of them"),
        metrics=OPTIONS["metrics"]._replace(help="the metric in whose points costs are measured (default: bleu)"),
        format=OPTIONS["format"]._replace(help="%(choices)s (default: text)", choices=EXPLANATION_FORMATS),
        strict=OPTIONS["strict"]._replace(help="exit with 1 if there is any finding, not only for errors"),
        annotate=OPTIONS["annotate"]._replace(help="%(choices)s: also print findings as annotations"),
    ),
    ("input", "source", "test_set", "language_pair", "metrics", "format", "strict", "annotate", "output"),
)


def run(options: Options, environment: Environment, messages: Messages) -> bool:
    """Print what is wrong; return False if that includes an error, or anything with --strict."""
    from bleucli.check import check_corpus

    options, _ = pipeline.prepare(options, messages)
    form = pipeline.choose_explanation_format(options, environment, "findings")
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
    pipeline.deliver_explanations([findings], options, environment, form)
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
    from bleucli.reading import TextFile

    file = TextFile(shown(options.source), options.source, encoding=options.encoding, mark="dropped")
    return (text or "" for (block,) in file.blocks() for text in block)
