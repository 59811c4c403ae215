"""What all commands that score have in common, step by step, from options to an answer.

- `prepare`: refuse wrong options; follow --like, and the metrics in statistics files
- `open_source`, `open_rows`, `open_texts`: what is scored
- `metrics_of`, `plan_sampling`, `leave_out`: what is counted, and how it will be resampled
- `watch`: a bar for what takes long
- `score`: the scores of what was counted
- `compare_signatures`, `Remarks`, `refuse_failures`: what there is to say at the end

A command calls these in turn, and renders and delivers what they return.
"""

from __future__ import annotations

import os

from bleucli.cli import request
from bleucli.cli.options import RESAMPLING, flag_of
from bleucli.cli.sources import names_of, statistics_arguments, table_arguments, text_arguments
from bleucli.cli.sources.files import FileSource
from bleucli.cli.sources.texts import signed
from bleucli.cli.streams import Bar, Environment, Messages, Provenance, refuse_foreign, shown, tell_command
from bleucli.errors import BleuError, UsageError
from bleucli.metrics import METRICS
from bleucli.output import FORMATS
from bleucli.phrases import tell_count
from bleucli.results import Results, Run
from bleucli.results.segments import SegmentBlock, SegmentScores
from bleucli.results.signature import Signature
from bleucli.scoring import put_before, score_counted, score_groups, sign

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from bleucli.cli.options import Options
    from bleucli.cli.sources import Source
    from bleucli.cli.sources.scores import StatisticsSource
    from bleucli.cli.sources.tables import TableSource
    from bleucli.cli.sources.texts import Counted, Progress, Systems
    from bleucli.counting import SystemStats
    from bleucli.metrics import Metric
    from bleucli.metrics.segment_scores import SegmentScores as Column
    from bleucli.results import Input
    from bleucli.scale.statsfiles import Statistics
    from bleucli.significance.comparison import Sampling

    # Sources whose texts can be read, and those that have the statistics of each segment
    Texts = FileSource | TableSource
    Rows = Texts | StatisticsSource


def prepare(options: Options, messages: Messages) -> tuple[Options, Statistics | None]:
    """Return the options, with what --like says and the metrics of statistics files; and what these files hold."""
    request.check(options)
    if options.like is not None:
        options = request.follow_like(options, messages)
        texts = Signature([]).with_texts(names_of(options).items())
        request.check_like(options, dict(texts))  # before any download
    if options.stats is None:
        return options, None
    from bleucli.cli.sources import scores

    contents = scores.read_statistics(options.stats)
    if options.metrics is None and not options.segment_scores:
        saved = [] if options.followed else [metric.name for _, metric in scores.scores_in(contents)]
        options = options.replace(metrics=scores.find_metrics(contents, options.followed), saved_scores=saved)
    return options, contents


def provenance(options: Options, environment: Environment) -> Provenance | None:
    """Return what lines of jsonl say about the run, if these are asked for; refuse to add anything else to a file.

    For segments, only the option chooses the format, not the environment.
    """
    form = options.format if options.sentence_level else request.format_of(options, environment)
    is_jsonl = form in FORMATS and FORMATS[form].appends
    record = Provenance(options.words, environment) if is_jsonl else None
    if options.score_only and (is_jsonl or options.append):
        raise UsageError("--score-only prints bare numbers, which are not lines of jsonl; leave it out")
    if options.append and not is_jsonl:
        raise UsageError("--append adds lines of jsonl, not of other formats; choose --format jsonl")
    if options.append:
        refuse_foreign(str(options.output))
    return record


def open_source(
    options: Options, environment: Environment, hashed: bool, statistics: Statistics | None = None
) -> Source:
    """Return the source that the options name; nothing is counted yet.

    hashed: whether files are hashed as they are read, for `Source.inputs`.
    """
    if options.engine is not None:
        from bleucli.cli.sources.tables import EngineSource

        saves_rows = options.command == "count" and not options.sums
        # Workers may have other working directories
        folder = os.path.abspath(shown(str(options.output))) if saves_rows else ""
        return EngineSource(table_arguments(options), str(options.engine), folder, tell_command(options.words))
    return open_rows(options, environment, hashed, statistics)


def open_rows(options: Options, environment: Environment, hashed: bool, statistics: Statistics | None = None) -> Rows:
    """Return the source that the options name, which is not an engine."""
    if statistics is None:
        return open_texts(options, environment, hashed)
    from bleucli.cli.sources.scores import StatisticsSource

    return StatisticsSource(statistics_arguments(options), statistics)


def open_texts(options: Options, environment: Environment, hashed: bool = False) -> Texts:
    """Return the texts that the options name, unread."""
    if options.table is not None:
        from bleucli.cli.sources.tables import TableSource

        return TableSource(table_arguments(options))
    arguments = text_arguments(options, hashed)
    if options.test_set is not None:
        from bleucli.cli.sources.testsets import TestSetSource

        which = options.test_set, options.language_pair, options.registry
        return TestSetSource(arguments, *which, environment.stdin)
    if options.segment_scores:
        from bleucli.cli.sources.scores import NumberSource

        return NumberSource(arguments, environment.stdin)
    return FileSource(arguments, environment.stdin)


def check_references(options: Options, source: Source) -> None:
    """Refuse references that --like does not name, if their number is known before anything is read."""
    # If empty references are skipped, segments may have fewer references than there are files
    if options.like is None or options.skip_empty_refs or "empty" in options.like.info:
        return
    nrefs = source.reference_count() if isinstance(source, FileSource) else None
    request.check_like(options, {} if nrefs is None else {"nrefs": str(nrefs)})


def metrics_of(options: Options, source: Source) -> tuple[list[Metric], Sequence[Input]]:
    """Return the metrics that count, then the scores of --scores, and a record of each file that holds these.

    A signature of --like that they cannot reproduce is refused.
    """
    columns, files = columns_of(options, source)
    if options.stats is None:
        metrics = request.make_metrics(options)
    else:
        from bleucli.cli.sources.scores import StatisticsSource

        assert isinstance(source, StatisticsSource)
        metrics = request.check_metrics(options, choose_metrics(options, source, options.saved_scores))
    return [*metrics, *columns], files


def columns_of(options: Options, source: Source) -> tuple[Sequence[Column], Sequence[Input]]:
    """Return the scores that --scores names as metrics, and a record of each file that holds them."""
    if not options.scores:
        return [], []
    from bleucli.cli.sources import score_arguments, scores

    columns, files = scores.read_scores(score_arguments(options), source.systems)
    if isinstance(source, scores.StatisticsSource):
        source.add(columns)
    return columns, files


def edit_counters(options: Options, metrics: Sequence[Metric]) -> tuple[Sequence[Metric], dict[int, int]]:
    """Return what --edit-counts adds after the metrics, and, for each that has it, the places of both."""
    if not options.edit_counts:
        return [], {}
    from bleucli.metrics.edit_kinds import EditKinds

    places = [place for place, metric in enumerate(metrics) if metric.aligns]
    counters = [EditKinds(metrics[place]) for place in places]
    return counters, {place: len(metrics) + number for number, place in enumerate(places)}


def choose_metrics(options: Options, source: StatisticsSource, scores: Sequence[str]) -> list[Metric]:
    """Return the metrics, and the scores of these names, in statistics files, with the options that were asked for."""
    if options.segment_scores:
        source.choose_numbers()
    for name in request.names_of_metrics(options):
        arguments = dict(options.of_metric(name))
        for option in METRICS[name].options:
            if option.loads and option.dest not in options.given:  # what --like says about it is compared later
                arguments.pop(option.name, None)
            if option.name == "effective_order" and options.sentence_level:
                arguments[option.name] = True
        if options.skip_empty_refs:
            arguments["skip_empty_refs"] = True
        if options.normalize:
            arguments["normalize"] = options.normalize
        source.choose(name, arguments, options.like if name == options.followed else None)
    for name in scores:
        source.choose_scores(name)
    return list(source.chosen.values())


def plan_sampling(options: Options, environment: Environment, bold: bool, systems: int) -> Sampling | None:
    """Return how to resample the scores of this number of systems, or None; bold: whether the best will be bold."""
    method = next((name for name, (option, _) in RESAMPLING.items() if getattr(options, option)), None)
    if method is None:
        return None
    if (options.paired_bs or options.paired_ar) and systems < 2:
        test = "--paired-bs" if options.paired_bs else "--paired-ar"
        remedy = "name the baseline first: -i baseline.txt system.txt"
        if options.stats is not None:
            remedy = "name the baseline first: --stats baseline.parquet system.parquet"
        elif options.table is not None:
            remedy = "name the baseline first: --columns hyp=BASELINE,SYSTEM"
        elif options.has("matrix"):
            remedy = "add another to the TOML file"
        raise UsageError(f"{test} compares systems, but only one was given; {remedy}")
    from bleucli.counting.threads import count_threads
    from bleucli.significance.comparison import Sampling
    from bleucli.significance.resampling import random_seed

    environment.limit_numpy()
    return Sampling(
        method,
        getattr(options, RESAMPLING[method][1]),
        random_seed(environment.variables),
        count_threads(options.paired_jobs),
        options.paired_all,
        bold and method != "ci",  # only a test shows which scores do not differ from the best
        options.unit or "segment",
    )


def leave_out(
    options: Options, source: Source, environment: Environment, report: Callable[[Results], None] | None = None
) -> None:
    """With --keep-going, leave out the systems that cannot be scored, and say what is wrong with each.

    report: writes a report of failures, if one is asked for, where no system is scored.
    """
    if not options.keep_going:
        return
    if isinstance(source, FileSource):  # --keep-going is refused beside others
        source.leave_out(reported=report is not None)
    say_left_out(options, source.systems, environment, report)


def say_left_out(
    options: Options, systems: Systems, environment: Environment, report: Callable[[Results], None] | None
) -> None:
    """Say what is wrong with the systems that are left out; report: as for `leave_out`."""
    errors = dict(systems.failures)
    if not errors:
        return
    names = systems.names("json")
    test = next((flag_of(name) for name in ("paired_bs", "paired_ar") if getattr(options, name)), "")
    hindrance = ""
    if not names and len(errors) == 1:
        hindrance = errors.popitem()[1].in_command()
    elif not names:
        hindrance = f"none of the {len(systems)} {systems.unit}s could be scored (see above)"
    elif (systems.has_baseline and 0 in errors) or (test and options.baseline is None and len(names) == 1):
        why = f"only the baseline, {names[0]}, is left" if systems.has_baseline else f"only {names[0]} is left"
        if systems.has_baseline and 0 in errors:
            why = "this system is the baseline"
        reason = errors.pop(0 if 0 in errors else max(errors))
        hindrance = f"{reason.in_command()}; {why}, so no test can be run; leave out {test} for scores without a test"
    for error in errors.values():
        environment.say("error", error.in_command())
    if hindrance:
        if report is not None:
            report(Results([], 0, []))
        raise BleuError(hindrance)


def watch(options: Options, environment: Environment) -> Bar:
    """Return a bar, which shows if someone watches, for a `with` statement."""
    return Bar(environment, is_hidden=options.quiet or not environment.is_watched())


def score(
    counts: Counted,
    metrics: Sequence[Metric],
    texts: Sequence[tuple[str, str]],
    plan: Sampling | None,
    progress: Progress,
    before: Sequence[SystemStats] = (),
) -> Results:
    """Score what a source counted; texts: `Source.texts`; before: what was counted earlier, to be tested against."""
    if counts.grouped:
        results = score_groups(counts.parts, metrics, sampling=plan, progress=progress)
        results = results._replace(hints=list(dict.fromkeys([*counts.hints, *results.hints])))
    else:
        results = score_counted(
            put_before(before, counts.parts[0].systems),
            metrics,
            references=counts.references,
            sampling=plan,
            selection=counts.selection,
            documents=counts.parts[0].documents,
            progress=progress,
        )
    return sign(results, lambda system: dict([*texts, *signed(system.labels)]))


def sign_blocks(blocks: Iterable[SegmentBlock], texts: Sequence[tuple[str, str]]) -> Iterator[SegmentBlock]:
    """Give scores of segments whose signatures say which texts were scored; texts: `Source.texts`."""

    def sign_scores(scores: SegmentScores) -> SegmentScores:
        signatures = {nrefs: signature.with_texts(texts) for nrefs, signature in scores.signatures.items()}
        return scores._replace(signatures=signatures)

    for block in blocks:
        yield block._replace(scores=[list(map(sign_scores, of)) for of in block.scores]) if texts else block


def run_of(source: Source, counts: Counted, scores: Sequence[Input] = ()) -> Run:
    """Return what the rows of an answer were made from; scores: the files of scores from elsewhere."""
    systems, references = source.inputs()
    return Run([systems[system.name] for part in counts.parts for system in part.systems], [*references, *scores])


def compare_signatures(options: Options, results: Results) -> dict[str, str]:
    """Compare all scores with the signature of --like; return the signature of the first one, empty without --like."""
    if options.like is None:
        return {}
    number = request.names_of_metrics(options).index(options.followed)
    signatures = [dict(system.scores[number].signature) for system in results.systems]
    for signature in signatures:
        request.check_like(options, signature)
    return signatures[0]


class Remarks:
    """What there is to say beside an answer. With --strict, warnings forbid the answer, so make this before writing it.

    signature: that of the score, which is compared with the one of --like; may be empty without --like.
    """

    def __init__(
        self, options: Options, messages: Messages, signature: Mapping[str, str], hints: Iterable[str]
    ) -> None:
        self._options, self._messages = options, messages
        self._hints: list[str] = [*hints]
        self._notes: list[str] = []
        if options.like is not None:
            warnings, self._notes = request.tell_like(options, signature)
            self._hints += warnings
        self._hints += _note_lowercase(options)
        messages.hold_back(self._hints)

    def say(self, overview: Callable[[], str] | None = None, notes: Iterable[str] = ()) -> None:
        """Write the notes and the warnings.

        overview: says which files are references and which are systems, where this may be unclear. notes: more of them.
        """
        is_unclear = len(self._options.refs) + len(self._options.input or []) > 1
        files = [overview()] if overview is not None and is_unclear else []
        for note in (*files, *self._notes, *notes):
            self._messages.note(note)
        for hint in self._hints:
            self._messages.warn(hint)


def _note_lowercase(options: Options) -> list[str]:
    """Return the hint that -lc is only for BLEU, if other metrics are scored as well, and what these have instead."""
    names = [name for name in request.names_of_metrics(options) if name != "bleu"]
    if not options.of_metric("bleu").get("lowercase") or not names:
        return []
    advice = []
    for metric in map(METRICS.__getitem__, names):
        option = next((option for option in metric.options if option.key == "case"), None)
        has = "has" if option is None or option.words[True] == "lc" else "lowercases without"
        advice.append(f"{metric.name} {has} {'no such option' if option is None else option.flags[0]}")
    return [f"-lc applies to BLEU only; {', '.join(advice)}"]


def refuse_failures(systems: Systems, withheld: str = "") -> None:
    """Fail if systems were left out; withheld: a clause that says what was not written because of that."""
    if systems.failures:
        failures = f"{tell_count(systems.count_unscored(), systems.unit)} could not be scored (see above)"
        raise BleuError(f"{failures}; {withheld}" if withheld else failures)
