"""`bleu diversity`: how much the texts of each system differ, by self-BLEU and distinct n-grams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bleucli.cli import pipeline, request
from bleucli.cli.commands import MESSAGES, Command, take
from bleucli.cli.options import OPTIONS, Option, Options
from bleucli.cli.sources import text_arguments
from bleucli.cli.sources.files import Files, checked, entry_of, input_of, read_as_jsonl
from bleucli.cli.sources.texts import Systems
from bleucli.cli.streams import Environment, Messages, deliver, shown
from bleucli.errors import BleuError, UsageError
from bleucli.metrics.bleu import BLEU
from bleucli.metrics.self_bleu import NAME, SelfBLEU, measure
from bleucli.output import FORMATS, render
from bleucli.phrases import tell_count
from bleucli.reading import TextFile
from bleucli.reading.jsonfields import Fields
from bleucli.reading.jsonlines import JsonLines, is_jsonl
from bleucli.reading.jsonsamples import SampleLines, Samples
from bleucli.results import Results, Run, SystemResult
from bleucli.results.hints import about
from bleucli.text import Segments

# A junit report is about gates, which self-BLEU does not have
_FORMATS = tuple(name for name, form in FORMATS.items() if not form.reports_gates)
DIVERSITY = Command(
    ("bleu diversity TEXT... [--groups FILE] [options]", "cat TEXT | bleu diversity [options]"),
    "Measure how much texts differ, without references.",
    take(
        *("encoding", "jsonl", "cite", "mirror", "allow_http", "jobs", "language_pair", "like"),
        *("score_only", "width", "scale", "short", "names", "name_by", "style", "caption", "label"),
        *("no_color", "output", "append", *MESSAGES),
        input=Option("[TEXT ...]", "files with one text per line; without any, standard input"),
        groups=Option(
            "--groups FILE", "one label per line: compare texts with the same label, and print the mean of all groups"
        ),
        jsonl_fields=OPTIONS["jsonl_fields"]._replace(
            help="the fields that hold the texts and their groups, or paths such as out.0",
            spelling="--jsonl-fields hyp=NAME,group=NAME",
        ),
        format=OPTIONS["format"]._replace(help="%(choices)s (default: json)", choices=_FORMATS),
    ),
    ("input", "groups", "jsonl_fields", "language_pair", "format", "score_only", "width", "names", "output"),
    metrics=("bleu",),
)


def diversity(options: Options, environment: Environment, messages: Messages) -> bool:
    """Measure each system, and return True."""
    if options.groups is not None and is_jsonl(options.groups):
        raise UsageError(
            f"--groups reads a text file with one label per line, but {shown(options.groups)} is JSON Lines; if the"
            " texts are JSON Lines too, name the field of their groups with --jsonl-fields group=NAME"
        )
    options, _ = pipeline.prepare(options, messages)
    provenance = pipeline.provenance(options, environment)
    texts = SampleTexts(options, environment, provenance is not None)
    form = request.format_of(options, environment) or "json"
    if form not in _FORMATS:
        raise UsageError(f"self-BLEU cannot be shown as {form}; choose one of {', '.join(_FORMATS)}")
    layout = request.layout_of(options, environment, form)
    idle = request.find_idle(options, len(texts.systems), form)
    (metric,) = request.make_metrics(options)
    assert isinstance(metric, BLEU)
    measures = list(texts.measure(metric))
    for one in measures:
        request.check_like(options, dict(one.signature))
    names = texts.systems.names("json")
    hints = [*idle, *texts.hints(), *_hints(names, measures), *metric.advice]
    remarks = pipeline.Remarks(options, messages, dict(measures[0].signature), hints)
    pairs = zip(texts.systems.names(form), measures, strict=True)
    systems = [SystemResult(name, [one.record()], segments=len(one.scores)) for name, one in pairs]
    results = Results(systems, len(measures[0].scores), [])
    if provenance is None:
        answer = [render(results, layout, form)]
    else:  # each line of jsonl has the number of texts and the file of one system
        run = provenance.of(texts.run())
        answer = [
            render(Results([_spread(system)], len(one.scores), [], run=run._replace(systems=[origin])), layout, form)
            for system, one, origin in zip(systems, measures, run.systems, strict=True)
        ]
    deliver(answer, options.output, environment, options.append)
    remarks.say()
    messages.note_slowness()
    return True


def _spread(system: SystemResult) -> SystemResult:
    """Return a system with a separate score for each share, since a line of jsonl has one score."""
    (record,) = system.scores
    shares = [record._replace(name=name, score=share, verbose="") for name, share in record.shares if share is not None]
    return SystemResult(system.name, [record, *shares])


def _hints(names: Sequence[str], measures: Sequence[SelfBLEU]) -> Iterator[str]:
    """Give the hints about the texts of each system, and about all of them."""
    for name, one in zip(names, measures, strict=True):
        yield from (about(name, hint) for hint in one.hints)
    by_size = {one.signature.info["nrefs"]: name for name, one in zip(names, measures, strict=True)}
    if len(by_size) > 1:
        (few, first), (many, other), *_ = by_size.items()
        yield (
            f"{NAME} rises with the number of texts, which differs between systems (nrefs:{few} of {first},"
            f" nrefs:{many} of {other}); compare the same number of texts"
        )


class SampleTexts:
    """The systems of one run; the texts of each may be divided into groups."""

    def __init__(self, options: Options, environment: Environment, hashed: bool = False) -> None:
        arguments = text_arguments(options, hashed)
        opener = Files(arguments, environment.stdin)
        self._may_be_split = options.input is None  # as in scoring, tabs separate systems only on standard input
        columns = None if self._may_be_split else 0

        def read(path: str) -> TextFile | JsonLines:
            file = opener.open(path, columns)
            return SampleLines(file, opener.fields or Fields()) if read_as_jsonl(path, arguments.jsonl) else file

        self._files = list(map(read, opener.systems))
        opener.check(self._files, [])
        self.systems = Systems(arguments.names, lambda: list(map(entry_of, self._files)))
        self._groups: TextFile | None = None
        if options.groups is not None:
            path = options.groups
            self._groups = TextFile(shown(path), path, encoding=options.encoding, mark="dropped", hashed=hashed)
        plain = next((file.name for file in self._files if not isinstance(file, JsonLines)), "")
        is_grouped = opener.fields is not None and opener.fields.group
        if is_grouped and self._groups is not None:
            raise UsageError("--groups and --jsonl-fields group= both name groups; leave out one of the two")
        if is_grouped and plain:
            raise UsageError(
                f"--jsonl-fields group= names groups in JSON Lines, but {plain} is a text file; leave out one of them"
            )

    def measure(self, metric: BLEU) -> Iterator[SelfBLEU]:
        """Give, for each system, how much its texts differ; one file is in memory at a time."""
        names = iter(self.systems.names())
        labels = None if self._groups is None else _read_labels(self._groups)
        for file in self._files:
            if isinstance(file, SampleLines):
                columns = file.read_samples(labels)
                self._check_labels(file, labels)
            elif self._may_be_split:
                blocks = list(self._read(file, labels))
                columns = [Samples(column, labels) for column in zip(*blocks, strict=True)] or [Samples([], labels)]
            else:  # block by block, so that the texts are not there twice
                columns = [Samples((block for (block,) in self._read(file, labels)), labels)]
            for samples in columns:
                yield measure(metric, samples.blocks, samples.labels, next(names))

    def _read(self, file: TextFile | JsonLines, labels: Sequence[str] | None) -> Iterator[Sequence[Segments]]:
        yield from checked(file, file.blocks())
        self._check_labels(file, labels)

    def _check_labels(self, file: TextFile | JsonLines, labels: Sequence[str] | None) -> None:
        if labels is not None and self._groups is not None and len(labels) != file.segments:
            lines = f"{tell_count(len(labels), 'line')} but {file.name} has {file.segments}"
            raise BleuError(f"{self._groups.name} has {lines}; give one label for each line")

    def run(self) -> Run:
        """Return the records of each system's file and of the file of groups, once they have been read."""
        systems = [input_of(file, "system") for file in self._files for _ in range(file.columns())]
        return Run(systems, [] if self._groups is None else [input_of(self._groups, "groups")])

    def hints(self) -> list[str]:
        """Return the hints about the files, once they have been read."""
        return [hint for file in self._files for hint in file.hints]


def _read_labels(file: TextFile) -> list[str]:
    """Return the labels in a file, one per line."""
    labels = [label or "" for (block,) in file.blocks() for label in block]
    if not labels:
        raise BleuError(f"{file.name} is empty; give one label per line")
    if "" in labels:
        raise BleuError(f"{file.name}, line {labels.index('') + 1} is blank; give one label per line")
    return labels
