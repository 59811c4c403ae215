"""`bleu` without the name of another command: score, judge by gates, and print one answer.

- `run`: the command; with --sentence-level, it prints one score per segment
- `Answer`: how results become an answer, which `bleu matrix` shares
- `Before`: `--baseline` with a statistics file, an earlier output to compare with or test against
"""

from __future__ import annotations

from itertools import chain, islice

from bleucli.cli import pipeline, request
from bleucli.cli.options import has_gates
from bleucli.cli.sources import statistics_arguments
from bleucli.cli.sources.texts import SIGNED, Counting, NameArguments, TextSource
from bleucli.cli.streams import Environment, deliver, shown, tell_withheld
from bleucli.errors import UsageError
from bleucli.output import FORMATS, render, segment_renderer, segment_tabulator
from bleucli.results import DECIMALS, Input, Results, Run, name_row
from bleucli.results.segments import SegmentBlock
from bleucli.scoring import report_nothing, score_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from bleucli.cli.options import Options
    from bleucli.cli.pipeline import Rows
    from bleucli.cli.sources.texts import Systems
    from bleucli.cli.streams import Messages, Provenance
    from bleucli.counting import SystemStats
    from bleucli.gates import Gates
    from bleucli.gates.baselines import Baseline
    from bleucli.results import Verdict
    from bleucli.results.segments import SegmentScores
    from bleucli.results.signature import Signature


def run(options: Options, environment: Environment, messages: Messages) -> bool:
    """Score and print; return whether all gates were passed."""
    options, statistics = pipeline.prepare(_group_documents(options), messages)
    gates = gates_of(options, environment)
    provenance = pipeline.provenance(options, environment)
    # Both record the checksums of the files, or compare them with earlier ones
    hashed = provenance is not None or options.baseline is not None
    if options.sentence_level:
        rows = pipeline.open_rows(options, environment, hashed, statistics)
        pipeline.check_references(options, rows)
        _print_segments(options, rows, environment, messages, provenance)
        messages.note_slowness()
        return True
    source = pipeline.open_source(options, environment, hashed, statistics)
    pipeline.check_references(options, source)
    answer = Answer(options, environment, messages, gates, provenance, source.systems)
    before = answer.before
    # In a test, the earlier output is the baseline, which comes first
    earlier = [] if before is None else [before.system(source.systems.names("json"))]
    systems = len(earlier) + len(source.systems)
    idle = request.find_idle(options, systems, answer.form)
    plan = pipeline.plan_sampling(options, environment, answer.layout.bold_best, systems)
    metrics, files = pipeline.metrics_of(options, source)
    counters, places = pipeline.edit_counters(options, metrics)
    metrics += counters
    pipeline.leave_out(options, source, environment, answer.report_failures)
    with pipeline.watch(options, environment) as progress:
        counts = source.count(Counting(metrics, request.count_threads(options.jobs), plan is not None, progress))
        results = pipeline.score(counts, metrics, source.texts, plan, progress, earlier)
    if places:
        from bleucli.metrics.edit_kinds import attach

        results = attach(results, places)
    if answer.layout.bold_best and plan is None:  # resampling has marked the best already
        from bleucli.results import mark_best

        results = mark_best(results)

    def names_in(form: str) -> list[str]:
        names = dict(zip(source.systems.names(), source.systems.names(form), strict=True))
        rows = (name_row(names[system.name], part.labels) for part in counts.parts for system in part.systems)
        return [*(system.name for system in earlier), *rows]

    def read() -> Run:
        run = pipeline.run_of(source, counts, files)
        return run if before is None else run._replace(systems=[before.input(), *run.systems])

    hints = [*idle, *source.hints, *results.hints]
    return answer.give(results, names_in, read, hints, source.overview, [one.name for one in earlier])


def _group_documents(options: Options) -> Options:
    """Return options that print documents as groups where -sl asks for each, but the format shows no single texts."""
    form = FORMATS.get(options.format or "text")
    if not options.sentence_level or options.level != "doc" or options.by is not None or form is None or form.segments:
        return options
    if options.rows is not None or options.texts:  # tables of segments have these
        return options
    settings = dict(options.of_metrics)
    if "bleu" in request.names_of_metrics(options):  # which has effective order where single texts are scored
        settings["bleu"] = {**options.of_metric("bleu"), "effective_order": True}
    return options.replace(sentence_level=False, by=["doc"], of_metrics=settings)


class Answer:
    """How results become an answer; systems: those that are scored.

    before: the earlier output that systems are tested against, if any. report_failures: writes a report of systems that
    are left out, where the format has one; None elsewhere.
    """

    def __init__(
        self,
        options: Options,
        environment: Environment,
        messages: Messages,
        gates: Gates | None,
        provenance: Provenance | None,
        systems: Systems,
    ) -> None:
        self._options = options
        self._environment = environment
        self._messages = messages
        self._gates = gates
        self._provenance = provenance
        self._systems = systems
        form = request.format_of(options, environment) or ("text" if options.detail else "json")
        if options.detail and not FORMATS[form].details:
            raise UsageError(f"--detail cannot be shown in {form}; choose -f text, json or jsonl")
        if options.detail and options.score_only and FORMATS[form].bare_lists:
            raise UsageError(
                "--detail cannot be shown in the bare scores of -f json -b; leave out -b, or choose -f text"
            )
        if options.by is not None and not FORMATS[form].groups:
            raise UsageError(
                f"--by cannot be shown as {form}, which describes one set of segments; choose another format"
            )
        self.form = form
        self.layout = request.layout_of(options, environment, self.form)
        self._baseline, self.before = _read_baseline(options)
        self._reports_gates = FORMATS[self.form].reports_gates
        self.report_failures = self._write if self._reports_gates else None

    def _write(self, results: Results) -> None:
        """Write results, and which systems are left out."""
        form: str | None = self.form
        if self._reports_gates:  # in the names that gates use
            form = None if self._baseline is None else self._baseline.form
        results = results._replace(unscored=self._systems.unscored(form))
        options = self._options
        deliver([render(results, self.layout, self.form)], options.output, self._environment, options.append)

    def give(
        self,
        results: Results,
        names_in: Callable[[str], list[str]],
        read: Callable[[], Run],
        hints: Sequence[str],
        overview: Callable[[int], str],
        earlier: Sequence[str] = (),
    ) -> bool:
        """Judge results by the gates, and print them; return whether all were passed, or fail if systems were left out.

        names_in: returns what the rows are called in a format. read: returns what they were made from. overview:
        returns a line that says what was read, for a number of segments. earlier: the names of systems that were scored
        earlier, and are not judged.
        """
        options = self._options
        signature = pipeline.compare_signatures(options, results)
        if options.segment_scores and options.width is not None and results.systems[0].scores[0].scale == 1:
            # Beside scores in percent, those from 0 to 1 have two decimals more
            self.layout = self.layout._replace(width=options.width + DECIMALS[100] - DECIMALS[1])
        judged = results
        if self._baseline is not None:  # gates look up scores by the names and checksums that the baseline has
            judged = _rename(results, names_in(self._baseline.form))._replace(run=read())
        gates = self._gates
        verdicts: Sequence[Verdict] = ()
        cautions: list[str] = []
        if gates is not None:
            verdicts = [one for one in gates.judge(judged, self._baseline) if one.system not in earlier]
            cautions = list(gates.hints(judged, self._baseline))
        remarks = pipeline.Remarks(options, self._messages, signature, [*hints, *cautions])
        failed = [verdict for verdict in verdicts if verdict.failure]
        # No file is written if gates failed or systems were left out, unless it says so
        is_withheld = bool(failed or self._systems.failures) and options.output is not None and not self._reports_gates
        withheld = tell_withheld(options.output, options.append) if is_withheld else ""
        if not withheld:
            run = None if self._provenance is None else self._provenance.of(read())
            rows = judged if self._reports_gates else _rename(results, names_in(self.form))
            self._write(rows._replace(verdicts=verdicts, run=run))
        notes = gates.notes([record.name for record in results.systems[0].scores]) if gates else ()
        remarks.say(lambda: overview(results.segments), notes)
        for verdict in failed:
            self._environment.say("error", verdict.failure, f"{verdict.system}: {verdict.score.name}")
        if withheld and not self._systems.failures:  # these are reported below
            self._environment.say("error", f"{withheld}, because a gate failed")
        self._messages.note_slowness()
        pipeline.refuse_failures(self._systems, withheld)
        return not failed


def _print_segments(
    options: Options,
    source: Rows,
    environment: Environment,
    messages: Messages,
    provenance: Provenance | None,
) -> None:
    """Score each segment by itself, and print a line for each, or a table of all systems and metrics."""
    from collections import Counter

    form = options.format or "text"
    tabulate = segment_tabulator(form)
    metrics, files = pipeline.metrics_of(options, source)
    counters, places = pipeline.edit_counters(options, metrics)
    _check_format(options, environment, form, 1 if tabulate is not None else len(metrics) * len(source.systems))
    idle = request.find_idle(options, len(source.systems), form, True)
    blocks = source.blocks([*metrics, *counters], request.count_threads(options.jobs), options.texts)
    if source.finds_parts or options.partial:  # what is scored is known once all texts have been read
        blocks = iter(list(blocks))
    scores = pipeline.sign_blocks(score_blocks(blocks, source.selection), source.texts)
    if places:
        from bleucli.metrics.edit_kinds import attach_each

        scores = attach_each(scores, places)
    wide = options.rows == "wide" or (options.rows is None and form != "jsonl")
    if tabulate is not None and (wide or form != "jsonl"):
        scores = _add_labels(scores, options, source)
    first = next(scores)
    followed = request.names_of_metrics(options).index(options.followed) if options.like is not None else 0
    counts: dict[str, int] = {}  # number of segments by number of references
    remarks: list[pipeline.Remarks] = []
    signatures: dict[str, str] = {}

    # The answer is written only after its last line is made, so an error after the loop still holds it back
    def tally() -> Iterator[SegmentBlock]:
        names = source.systems.names(form) if tabulate is not None else first.systems
        for block in chain((first,), scores):
            of_metric = block.scores[0][followed]
            for nrefs, number in Counter(of_metric.nrefs).items():
                name = of_metric.signatures[nrefs].info.get("nrefs", "")
                counts[name] = counts.get(name, 0) + number
            yield block._replace(systems=names)
        signatures.update({one.name: _signature_of(one, counts).format() for one in first.scores[0]})
        signature = dict(_signature_of(first.scores[0][followed], counts))
        request.check_like(options, signature)
        remarks.append(pipeline.Remarks(options, messages, signature, [*idle, *source.hints]))

    if tabulate is None:
        layout, render_block = request.layout_of(options, environment, "text"), segment_renderer(form)
        lines: Iterable[str | bytes] = (render_block(block.scores[0][0], layout) for block in tally())
    else:
        from bleucli.output.segments import Table

        def read() -> Run:
            systems, references = source.inputs()
            assert provenance is not None
            return provenance.of(Run([], references, of_rows=[[*systems.values(), *references, *files]]))

        scale = request.scale_of(options, form if form in FORMATS else None)
        lines = tabulate(tally(), Table(wide, options.width, scale, read, signatures))
    deliver(lines, options.output, environment, options.append)
    # Other lines have signatures of their own
    is_unsigned = tabulate is not None and (wide or form != "jsonl")
    notes = [f"{name}: {signature}" for name, signature in signatures.items()] if is_unsigned else []
    remarks[0].say(lambda: source.overview(sum(counts.values())), notes)


def _check_format(options: Options, environment: Environment, form: str, scores: int) -> None:
    """Refuse a format that cannot show segments; scores: how many lines without a table would have to show at once."""
    if scores != 1:
        is_shown = form in FORMATS and FORMATS[form].segments
        what = f"takes one system and one metric as {form}; leave out the others, or add"
        raise UsageError(
            f"--sentence-level {what if is_shown else f'cannot be shown as {form}; choose'} -f csv, tsv, jsonl or"
            " parquet for a table of all"
        )
    if form == "parquet" and options.output is None and environment.columns() is not None:
        raise UsageError("Parquet is not for a terminal; name a file with --output")
    request.format_of(options, environment)  # called to refuse a wrong format; only the option chooses that of segments


def _add_labels(blocks: Iterable[SegmentBlock], options: Options, source: Rows) -> Iterator[SegmentBlock]:
    """Give blocks of scores with what is known of their segments: labels, and the source where texts are shown."""
    if not isinstance(source, TextSource):
        yield from blocks
        return
    # Signatures say what all segments share
    hidden = {"segment", *SIGNED} - ({"testset"} if "," in (options.test_set or "") else set())
    shows_source = options.texts and source.sources is not None and options.level != "doc"
    lines, position = source.sources() if shows_source and source.sources is not None else iter(()), 0
    for block in blocks:
        start, end = block.numbers[0] - 1, block.numbers[-1]
        labels = {name: column for name, column in source.labels(start, end - start).items() if name not in hidden}
        if shows_source:
            labels["source"] = list(islice(lines, start - position, end - position))
            position = end
        places = [number - 1 - start for number in block.numbers]
        yield block._replace(
            labels={
                name: [None if label is None else str(label) for label in (column[at] for at in places)]
                for name, column in labels.items()
            }
        )


def _signature_of(scores: SegmentScores, counts: Mapping[str, int]) -> Signature:
    """Return the signature of all segments' scores; counts: the number of segments by number of references."""
    from copy import copy

    signature = copy(scores.signatures[scores.nrefs[0]])
    if "nrefs" in signature.info and len(counts) > 1:
        signature.info = signature.info | {"nrefs": "var"}
    return signature


def gates_of(options: Options, environment: Environment) -> Gates | None:
    """Return the gates that are asked for, if any."""
    if not has_gates(options):
        return None
    from bleucli.gates import Gates

    return Gates.read(
        options.fail_under,
        options.max_drop,
        request.names_printed(options),
        request.scale_of(options, request.format_of(options, environment)),
        options.metrics[0] if options.metrics else "",
        options.of_metrics,
    )


def _read_baseline(options: Options) -> tuple[Baseline | None, Before | None]:
    """Return the earlier answer that scores are compared with, or the earlier output that they are tested against."""
    if options.baseline is None:
        return None, None
    from bleucli.gates.baselines import is_statistics, read_baseline

    try:
        has_rows = is_statistics(options.baseline)
    except OSError:  # reading the answer reports the error
        has_rows = False
    if not has_rows:
        return read_baseline(options.baseline, shown(options.baseline)), None
    before = Before(options)
    return (None, before) if before.is_tested else (before.answer(), None)


class Before:
    """What a statistics file, the value of `--baseline`, says about an earlier output.

    is_tested: whether the systems that are scored now are tested against it.
    """

    def __init__(self, options: Options) -> None:
        from bleucli.cli.sources import scores

        self.is_tested = options.paired_bs or options.paired_ar
        self._path = shown(str(options.baseline))
        self._statistics = scores.read_statistics([str(options.baseline)])
        # What the options say about names, groups and tests is about the systems that are scored now
        arguments = statistics_arguments(options)._replace(names=NameArguments(), by=(), are_tested=False)
        self._source = scores.StatisticsSource(arguments, self._statistics)
        self._metrics = pipeline.choose_metrics(options, self._source, request.names_of_scores(options))

    def answer(self) -> Baseline:
        """Return the scores of the earlier output in the form of an earlier answer."""
        from bleucli.gates.baselines import baseline_of

        counts = self._source.count(Counting(self._metrics, 1, False, report_nothing))
        results = pipeline.score(counts, self._metrics, self._source.texts, None, report_nothing)
        shards = self._statistics.shards()
        systems = [shard.system for shard in shards]
        # The checksums of a shard's references do not identify the references of the whole
        references = {shard.system: shard.references for shard in shards if systems.count(shard.system) == 1}
        return baseline_of(results, self._path, references)

    def system(self, names: Sequence[str]) -> SystemStats:
        """Return the earlier output that systems with these names are tested against."""
        if self._path in names:
            raise UsageError(f"two systems would be called {self._path!r}; name systems with --names")
        return self._source.only_system(self._metrics, names)._replace(name=self._path)

    def input(self) -> Input:
        """Return the record of the file, as one of the inputs."""
        ((path, rows, digest),) = self._statistics.digests()
        return Input("statistics", path, rows, digest)


def _rename(results: Results, names: Sequence[str]) -> Results:
    """Return results with these names of systems."""
    systems = [system._replace(name=name) for system, name in zip(results.systems, names, strict=True)]
    return results._replace(systems=systems)
