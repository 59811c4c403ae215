"""The main job: score systems, or segments, and print."""

import time
from collections.abc import Callable, Iterable, Sequence

from bleucli import kernels
from bleucli.cli import request, sampling
from bleucli.cli.arguments import has_gates
from bleucli.cli.delivery import deliver
from bleucli.cli.progress import Progress
from bleucli.cli.streams import Environment, shown
from bleucli.cli.texts import Texts, names_of
from bleucli.errors import BleuError, LengthError, UsageError
from bleucli.metrics import METRICS
from bleucli.output import render
from bleucli.phrases import tell_count
from bleucli.results import Results, Run
from bleucli.signature import Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.baselines import Baseline
    from bleucli.cli.before import Before
    from bleucli.cli.gating import Gates
    from bleucli.cli.messages import Messages
    from bleucli.cli.options import Options
    from bleucli.cli.provenance import Provenance
    from bleucli.cli.reporting import Reporting
    from bleucli.cli.saving import Saving
    from bleucli.cli.texts import Keeper
    from bleucli.counting import SystemStats
    from bleucli.results import Verdict
    from bleucli.significance.comparison import Sampling
    from bleucli.statsfiles import Statistics

# Seconds that nobody minds to wait for slow kernels
_PATIENCE = 2.0


def score(options: "Options", environment: Environment, messages: "Messages", words: Sequence[str]) -> bool:
    """Score and print; return whether all gates were passed.

    Args:
        options: what is asked for.
        environment: the world around.
        messages: of this run.
        words: of the command line, for formats that tell it.

    Raises:
        BleuError: options or texts are not what they should be, or the answer cannot be written.
    """
    start = _read_clocks()
    _check(options)
    if options.like is not None:  # before anything is downloaded
        from bleucli.cli import like

        options = like.follow(options, options.like)
        request.check_like(options, dict(Signature([]).with_texts(names_of(options).items())))
    options, statistics = _read_statistics(options)
    gates = _gates(options, environment)
    saving = _saving(options, words)
    reporting = _reporting(options, environment, words)
    asked = None
    if request.is_jsonl(options, environment):
        from bleucli.cli.provenance import Provenance

        asked = Provenance(words, environment)
    request.check_append(options, asked is not None)
    if options.self_bleu:
        from bleucli.cli import diversity

        diversity.print_self_bleu(options, environment, messages, asked)
        _note_slowness(start, messages)
        return True
    hashed = any(one is not None for one in (asked, options.baseline, saving, options.report))
    texts = _open_texts(options, environment, hashed, statistics, words)
    try:
        if not options.keep_going:
            texts.check_lengths()
        passed = True
        if options.explain:
            from bleucli.cli import explaining

            explaining.print_explanations(options, texts, environment, messages)
        elif options.sentence_level:
            from bleucli.cli import segment_scoring

            segment_scoring.print_segments(options, texts, environment, messages, asked, saving)
        else:
            passed = _print_systems(options, texts, environment, messages, asked, gates, saving, reporting)
    except LengthError as error:
        raise texts.explain(error) from None
    _note_slowness(start, messages)
    if texts.failures:
        is_withheld = options.output is not None and request.format_of(options, environment) != "junit"
        told = f"{tell_count(texts.count_unscored(), 'system')} could not be scored, as said above"
        raise BleuError(f"{told}; {_tell_withheld(options)}" if is_withheld else told)
    return passed


def _check(options: "Options") -> None:
    """Refuse options that have no such value or do not go together."""
    if options.self_bleu:
        from bleucli.cli import diversity

        diversity.check(options)
    request.check(options)
    if any(getattr(options, name) is not None for name in ("report", "plot", "add_scores", "plot_kind", "plot_width")):
        from bleucli.cli import reporting

        reporting.check(options)
    if options.explain or options.line is not None:
        from bleucli.cli import explaining

        explaining.check(options)


def _read_statistics(options: "Options") -> "tuple[Options, Statistics | None]":
    """Return what the files of --stats hold, if any are named, and options with their metrics if none are."""
    if options.stats is None:
        return options, None
    from bleucli.cli import stored

    statistics = stored.read(options.stats)
    return stored.follow(options, statistics), statistics


def _saving(options: "Options", words: Sequence[str]) -> "Saving | None":
    """Return what keeps statistics, if that is asked for; words: of the command line."""
    if options.save_stats is None and options.save_sums is None:
        return None
    from bleucli.cli.saving import Saving

    return Saving(options, words)


def _reporting(options: "Options", environment: Environment, words: Sequence[str]) -> "Reporting | None":
    """Return what makes a page or a figure, if that is asked for; words: of the command line."""
    if options.report is None and options.plot is None:
        return None
    from bleucli.cli.reporting import Reporting

    return Reporting(options, environment, words)


def _open_texts(
    options: "Options",
    environment: Environment,
    hashed: bool,
    statistics: "Statistics | None",
    words: Sequence[str],
) -> Texts:
    """Return the texts, unread; refuse what --like is not about, if they tell so already.

    statistics: that stand in their place. words: of the command line.
    """
    if statistics is not None:
        from bleucli.cli.stored import StoredTexts

        return StoredTexts(options, environment, statistics)
    if options.engine is not None:
        from bleucli.cli.engined import EnginedTexts

        return EnginedTexts(options, environment, words)
    if options.table is not None:
        from bleucli.cli.tabled import TabledTexts

        return TabledTexts(options, environment)
    if options.test_set is None:
        texts = Texts(options, environment, hashed)
    else:
        from bleucli.cli.testset_texts import TestSetTexts

        texts = TestSetTexts(options, environment, hashed)
    if options.like is not None and not options.skip_empty_refs and "empty" not in options.like.info:
        nrefs = texts.reference_count()
        request.check_like(options, {} if nrefs is None else {"nrefs": str(nrefs)})
    return texts


def _note_slowness(start: tuple[float, float], messages: "Messages") -> None:
    """Say why the kernels are slow, if they are and that was felt; start: what the clocks showed."""
    # Waiting for a pipe or a download takes no processor's time, and threads take more of it than anybody waits
    if kernels.reason and min(now - then for now, then in zip(_read_clocks(), start, strict=True)) > _PATIENCE:
        messages.note(f"this was slow: {kernels.reason}")


def _read_clocks() -> tuple[float, float]:
    """Return the seconds on the wall, and those that processors have worked for us."""
    return time.monotonic(), time.process_time()


# --- systems


def _print_systems(
    options: "Options",
    texts: Texts,
    environment: Environment,
    messages: "Messages",
    asked: "Provenance | None",
    gates: "Gates | None",
    saving: "Saving | None",
    reporting: "Reporting | None",
) -> bool:
    chosen = _choose_format(options, environment)
    layout = request.layout_of(options, environment, chosen)
    baseline, before = _read_baseline(options, environment)
    form = None if baseline is None else baseline.form  # in which systems are judged
    then = [] if before is None else [before.system(texts.names_in("json"))]
    idle = request.find_idle(options, len(then) + texts.count_systems(), chosen, False)

    def names_in(form: str) -> list[str]:
        return [*(system.name for system in then), *texts.names_in(form)]

    def write(results: Results) -> None:
        unscored = texts.unscored_in(form if chosen == "junit" else chosen)
        deliver(
            [render(results._replace(unscored=unscored), layout, chosen)], options.output, environment, options.append
        )

    report = write if chosen == "junit" else None
    results = _results(options, texts, environment, layout.bold_best, report, saving, then, reporting)
    names = request.names_of_metrics(options)
    signed = dict(results.systems[0].scores[names.index(options.followed)].signature) if options.like else {}
    request.check_like(options, signed)
    judged = results
    if form is not None:
        judged = _rename(results, names_in(form))._replace(run=Run(*texts.inputs()))
    verdicts, gate_hints = gates.judge(judged, baseline) if gates else ((), [])
    hints = [*idle, *texts.hints(), *results.hints, *gate_hints]
    others = [name for name in names if name != "bleu"]
    if options.of_metric("bleu").get("lowercase") and others:
        hints.append(f"-lc applies to BLEU only; {', '.join(map(_how_to_lowercase, others))}")
    messages.hold_back(hints)
    _save(saving, reporting)
    failed = [verdict for verdict in verdicts if verdict.failure]
    is_withheld = chosen != "junit" and (failed or texts.failures)  # a report is about what failed
    is_for_file = options.output is not None
    if not (is_for_file and is_withheld):
        run = _tell_run(asked, texts, before)
        named = judged if chosen == "junit" else _rename(results, names_in(chosen))  # verdicts say who is judged
        write(named._replace(verdicts=verdicts, run=run))
    request.note_files(texts, results.segments, options, messages)
    request.note_differences(signed, options, messages)
    for note in gates.notes([record.name for record in results.systems[0].scores]) if gates else ():
        messages.note(note)
    for hint in hints:
        messages.warn(hint)
    _say_failures(failed, environment)
    if is_for_file and is_withheld and not texts.failures:  # else that is said with how many were
        environment.say("error", f"{_tell_withheld(options)}, as a gate failed")
    return not failed


def _save(saving: "Saving | None", reporting: "Reporting | None") -> None:
    """Write what is asked for beside the answer."""
    if saving is not None:
        saving.save()
    if reporting is not None:
        reporting.save()


def _read_baseline(options: "Options", environment: Environment) -> "tuple[Baseline | None, Before | None]":
    """Return the earlier answer that scores are compared with, or the earlier output that they are tested against."""
    if options.baseline is None:
        return None, None
    from bleucli.baselines import is_statistics, read_baseline

    if not is_statistics(options.baseline):
        return read_baseline(options.baseline, shown(options.baseline)), None
    from bleucli.cli.before import Before

    before = Before(options, environment)
    return (None, before) if before.is_tested else (before.answer(), None)


def _tell_run(asked: "Provenance | None", texts: Texts, before: "Before | None") -> Run | None:
    """Return what a format tells of the run, if it does."""
    if asked is None:
        return None
    run = asked.of_texts(texts)
    return run if before is None else run._replace(systems=[before.input(), *run.systems])


def _tell_withheld(options: "Options") -> str:
    name = shown(str(options.output))
    return f"nothing was added to {name}" if options.append else f"{name} was not written"


def _say_failures(failed: "Iterable[Verdict]", environment: Environment) -> None:
    for verdict in failed:
        environment.say("error", verdict.failure, f"{verdict.system}: {verdict.score.name}")


def _choose_format(options: "Options", environment: Environment) -> str:
    chosen = request.format_of(options, environment) or ("text" if options.detail else "json")
    if options.detail and chosen not in ("json", "jsonl", "text"):
        raise UsageError(f"--detail cannot be shown in {chosen}; choose -f text or -f json")
    if options.detail and options.score_only and chosen == "json":
        raise UsageError("--detail cannot be shown in the bare scores of -f json -b; leave out -b, or choose -f text")
    return chosen


def _rename(results: Results, names: Sequence[str]) -> Results:
    """Return results in which the systems have these names."""
    systems = [system._replace(name=name) for system, name in zip(results.systems, names, strict=True)]
    return results._replace(systems=systems)


def _gates(options: "Options", environment: Environment) -> "Gates | None":
    """Return the gates that are asked for, if any are."""
    if not has_gates(options):
        return None
    from bleucli.cli.gating import Gates

    return Gates(options, _gated_metrics(options), request.scale_of(options, request.format_of(options, environment)))


def _gated_metrics(options: "Options") -> list[str]:
    """Return what gates call the metrics, in the order in which they are printed."""
    if options.segment_scores:
        from bleucli import segment_scores

        return [segment_scores.NAME]
    return request.names_of_metrics(options)


def _how_to_lowercase(name: str) -> str:
    """Return what the option of a metric is that tells upper from lower case, or does not.

    >>> _how_to_lowercase("chrf"), _how_to_lowercase("ter")
    ('chrF has --chrf-lowercase', 'TER lowercases unless --ter-case-sensitive')
    """
    option = next((option for option in METRICS[name].options if option.key == "case"), None)
    if option is None:
        return f"{METRICS[name].name} has no such option"
    return f"{METRICS[name].name} {'has' if option.words[True] == 'lc' else 'lowercases unless'} {option.flags[0]}"


def _results(
    options: "Options",
    texts: Texts,
    environment: Environment,
    bold: bool,
    report: "Callable[[Results], None] | None",
    saving: "Saving | None",
    before: "Sequence[SystemStats]",
    reporting: "Reporting | None",
) -> Results:
    """Score; options and names are checked as the systems were given, before any of them is left out.

    Args:
        options: what is asked for.
        texts: systems and references.
        environment: the world around.
        bold: the best of each column will be.
        report: writes a report of what failed, where one is asked for and no system can be scored.
        saving: keeps the statistics.
        before: what was counted earlier, to be tested against.
        reporting: makes a page or a figure.
    """
    plan = sampling.plan(options, environment, bold)
    sampling.check_systems(options, len(before) + texts.count_systems())
    metrics = request.make_metrics(options, texts)
    if options.keep_going:
        _leave_out(options, texts, environment, report)
    with Progress(environment, options.quiet) as progress:
        if options.segment_scores:
            return _mark_best(_score_numbers(texts, plan, progress, saving), bold, plan)
        keep: Keeper | None = None if saving is None else saving.start(texts, metrics)
        if reporting is not None:
            keep = reporting.start(texts, keep)
        results = texts.score(metrics, request.count_threads(options.jobs), plan, progress, keep, before)
        if reporting is not None:
            reporting.make(results, metrics, plan, progress)
            results = results._replace(hints=[*results.hints, *reporting.hints])
    return _mark_best(results, bold, plan)


def _score_numbers(
    texts: Texts, sampling: "Sampling | None", progress: "Callable[[str, int, int], None]", saving: "Saving | None"
) -> Results:
    """Return the means of numbers that others gave to segments."""
    from bleucli import segment_scores

    columns = texts.numbers(progress)
    if saving is not None:
        saving.start(texts, [segment_scores.Given()])(segment_scores.stats_of(columns))
    return segment_scores.score_columns(columns, sampling, progress)


def _leave_out(
    options: "Options", texts: Texts, environment: Environment, report: "Callable[[Results], None] | None"
) -> None:
    """Leave out the systems that cannot be scored, and say what is wrong with each.

    Raises:
        BleuError: none is left, or those that are left cannot be tested.
    """
    texts.leave_out()
    errors = dict(texts.failures)
    if not errors:
        return
    scored = texts.names_in("json")
    test = next((f"--{name.replace('_', '-')}" for name in ("paired_bs", "paired_ar") if getattr(options, name)), "")
    hindrance = ""
    if not scored:
        hindrance = f"none of the {texts.count_systems()} systems could be scored, as said above"
    elif test and (0 in errors or len(scored) == 1):
        why = "it is the baseline" if 0 in errors else f"only the baseline, {scored[0]}, is left"
        reason = errors.pop(0 if 0 in errors else max(errors))
        hindrance = f"{reason}; {why}, so no test can be run; leave out {test} for scores without a test"
    for error in errors.values():
        environment.say("error", str(error))
    if hindrance:
        if report is not None:
            report(Results([], 0, []))
        raise BleuError(hindrance)


def _mark_best(results: Results, bold: bool, plan: "Sampling | None") -> Results:
    """Return results with the best of each column marked if it is to be bold; resampling has done so."""
    if plan is not None or not bold:
        return results
    from bleucli.significance.comparison import mark_best

    return mark_best(results)
