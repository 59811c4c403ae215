"""The main mode: score systems by corpus metrics, judge them by gates, and print one answer about all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bleucli.cli import request
from bleucli.cli.arguments import asks_for_resampling
from bleucli.cli.delivery import deliver, tell_withheld
from bleucli.cli.options import flag_of
from bleucli.cli.streams import Environment, shown
from bleucli.cli.texts import Texts
from bleucli.errors import BleuError, UsageError
from bleucli.output import render
from bleucli.results import Results, Run, decimals_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.baselines import Baseline
    from bleucli.cli.before import Before
    from bleucli.cli.gating import Gates
    from bleucli.cli.keeper import Keeper
    from bleucli.cli.messages import Messages
    from bleucli.cli.options import Options
    from bleucli.cli.provenance import Provenance
    from bleucli.cli.reporting import Reporting
    from bleucli.cli.saving import Saving
    from bleucli.counting import SystemStats
    from bleucli.results import Verdict
    from bleucli.significance.comparison import Sampling


def print_systems(
    options: Options,
    texts: Texts,
    environment: Environment,
    messages: Messages,
    asked: Provenance | None,
    gates: Gates | None,
    saving: Saving | None,
    reporting: Reporting | None,
) -> bool:
    """Score systems and print them; return whether all gates were passed.

    Args:
        options: what is asked for.
        texts: systems and references.
        environment: the world around the command.
        messages: the notes and warnings of this run.
        asked: the command line and its time, for a format that shows them.
        gates: what judges the scores.
        saving: what saves the statistics.
        reporting: what makes a page or a figure.

    Raises:
        BleuError: options cannot be combined, something is wrong with the texts, or the answer cannot be written.
    """
    chosen = _choose_format(options, environment)
    layout = request.layout_of(options, environment, chosen)
    baseline, before = _read_baseline(options)
    form = None if baseline is None else baseline.form  # the format in which gates name systems
    # In a test, the earlier output is the baseline, which comes first
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
    if options.segment_scores and options.width is None:
        layout = layout._replace(width=decimals_of(system.scores[0].score for system in results.systems))
    names = request.names_of_metrics(options)
    signed = _compare_signatures(options, results, names)
    judged = results
    if form is not None:  # gates look up scores by the names and checksums that the baseline has
        judged = _rename(results, names_in(form))._replace(run=Run(*texts.inputs()))
    earlier = [system.name for system in then]
    verdicts, gate_hints = gates.judge(judged, baseline, earlier) if gates else ((), [])
    hints = [*idle, *texts.hints(), *results.hints, *gate_hints, *request.find_differences(signed, options)]
    others = [name for name in names if name != "bleu"]
    if options.of_metric("bleu").get("lowercase") and others:
        from bleucli.cli import effects

        hints.append(effects.of_lowercase(others))
    messages.hold_back(hints)
    _save(saving, reporting)
    failed = [verdict for verdict in verdicts if verdict.failure]
    # Failures do not withhold a report of gates: it names the systems that failed, too
    is_withheld = chosen != "junit" and (failed or texts.failures)
    is_for_file = options.output is not None
    if not (is_for_file and is_withheld):
        run = _tell_run(asked, texts, before)
        named = judged if chosen == "junit" else _rename(results, names_in(chosen))  # junit finds verdicts by name
        write(named._replace(verdicts=verdicts, run=run))
    request.note_files(texts, results.segments, options, messages)
    request.note_texts(signed, options, messages)
    for note in gates.notes([record.name for record in results.systems[0].scores]) if gates else ():
        messages.note(note)
    for hint in hints:
        messages.warn(hint)
    _say_failures(failed, environment)
    if is_for_file and is_withheld and not texts.failures:  # `scoring.score` reports failures
        environment.say("error", f"{tell_withheld(options.output, options.append)}, because a gate failed")
    return not failed


def _compare_signatures(options: Options, results: Results, names: Sequence[str]) -> dict[str, str]:
    """Compare all scores with the signature of --like; return the signature of the first one, empty without --like.

    Raises:
        UsageError: a score has other texts. Groups may have different ones.
    """
    if options.like is None:
        return {}
    number = names.index(options.followed)
    signed = [dict(system.scores[number].signature) for system in results.systems]
    for one in signed:
        request.check_like(options, one)
    return signed[0]


def _save(saving: Saving | None, reporting: Reporting | None) -> None:
    """Write the files that are asked for beside the answer."""
    if saving is not None:
        saving.save()
    if reporting is not None:
        reporting.save()


def _read_baseline(options: Options) -> tuple[Baseline | None, Before | None]:
    """Return the earlier answer that scores are compared with, or the earlier output that they are tested against."""
    if options.baseline is None:
        return None, None
    from bleucli.baselines import is_statistics, read_baseline

    try:
        has_rows = is_statistics(options.baseline)
    except OSError:  # reading the answer reports the error
        has_rows = False
    if not has_rows:
        return read_baseline(options.baseline, shown(options.baseline)), None
    from bleucli.cli.before import Before

    before = Before(options)
    return (None, before) if before.is_tested else (before.answer(), None)


def _tell_run(asked: Provenance | None, texts: Texts, before: Before | None) -> Run | None:
    """Return what a format says about the run, if it says anything."""
    if asked is None:
        return None
    run = asked.of_texts(texts)
    return run if before is None else run._replace(systems=[before.input(), *run.systems])


def _say_failures(failed: Iterable[Verdict], environment: Environment) -> None:
    for verdict in failed:
        environment.say("error", verdict.failure, f"{verdict.system}: {verdict.score.name}")


def _choose_format(options: Options, environment: Environment) -> str:
    chosen = request.format_of(options, environment) or ("text" if options.detail else "json")
    if options.detail and chosen not in ("json", "jsonl", "text"):
        raise UsageError(f"--detail cannot be shown in {chosen}; choose -f text, json or jsonl")
    if options.detail and options.score_only and chosen == "json":
        raise UsageError("--detail cannot be shown in the bare scores of -f json -b; leave out -b, or choose -f text")
    if options.by is not None and chosen == "paper":
        raise UsageError("--by cannot be shown as paper, which describes one set of segments; choose another format")
    return chosen


def _rename(results: Results, names: Sequence[str]) -> Results:
    """Return results with these names of systems."""
    systems = [system._replace(name=name) for system, name in zip(results.systems, names, strict=True)]
    return results._replace(systems=systems)


def _results(
    options: Options,
    texts: Texts,
    environment: Environment,
    bold: bool,
    report: Callable[[Results], None] | None,
    saving: Saving | None,
    before: Sequence[SystemStats],
    reporting: Reporting | None,
) -> Results:
    """Score the systems. Options and names are checked for all systems as given, before any of them is left out.

    Args:
        options: what is asked for.
        texts: systems and references.
        environment: the world around the command.
        bold: whether the best of each column will be bold.
        report: writes the report of failures, if one is asked for, where no system is scored.
        saving: what saves the statistics.
        before: what was counted earlier, to be tested against.
        reporting: what makes a page or a figure.
    """
    plan = _plan(options, environment, bold, len(before) + texts.count_systems())
    metrics = request.make_metrics(options, texts)
    if options.keep_going:
        _leave_out(options, texts, environment, report)

    def score(progress: Callable[[str, int, int], None]) -> Results:
        if options.segment_scores:
            return _score_numbers(texts, plan, progress, saving, before)
        keep: Keeper | None = None if saving is None else saving.start(texts, metrics)
        if reporting is not None:
            keep = reporting.start(texts, keep)
        results = texts.score(metrics, request.count_threads(options.jobs), plan, progress, keep, before)
        if reporting is not None:
            reporting.make(results, metrics, plan, progress)
            results = results._replace(hints=[*results.hints, *reporting.hints])
        return results

    if options.quiet or not environment.is_watched():
        return _mark_best(score(lambda *_: None), bold, plan)
    from bleucli.cli.progress import Progress

    with Progress(environment) as progress:
        return _mark_best(score(progress), bold, plan)


def _plan(options: Options, environment: Environment, bold: bool, systems: int) -> Sampling | None:
    """Return how to resample the scores of this number of systems, or None."""
    if not asks_for_resampling(options):
        return None
    from bleucli.cli import sampling

    plan = sampling.plan(options, environment, bold)
    sampling.check_systems(options, systems)
    return plan


def _score_numbers(
    texts: Texts,
    sampling: Sampling | None,
    progress: Callable[[str, int, int], None],
    saving: Saving | None,
    before: Sequence[SystemStats],
) -> Results:
    """Return the mean of each system's segment scores, which come from elsewhere."""
    from bleucli import scoring
    from bleucli.scale import segment_scores

    counted = segment_scores.stats_of(texts.numbers(progress))
    if saving is not None:
        saving.start(texts, [segment_scores.Given()])(counted)
    columns = segment_scores.columns_of(scoring.put_before(before, counted))
    return segment_scores.score_columns(columns, sampling, progress)


def _leave_out(
    options: Options, texts: Texts, environment: Environment, report: Callable[[Results], None] | None
) -> None:
    """Leave out the systems that cannot be scored, and say what is wrong with each.

    Raises:
        BleuError: none is left, or those that are left do not allow the test that was asked for.
    """
    texts.leave_out(reported=report is not None)
    errors = dict(texts.failures)
    if not errors:
        return
    scored = texts.names_in("json")
    test = next((flag_of(name) for name in ("paired_bs", "paired_ar") if getattr(options, name)), "")
    hindrance = ""
    if not scored and len(errors) == 1:
        hindrance = errors.popitem()[1].in_command()
    elif not scored:
        hindrance = f"none of the {texts.count_systems()} {texts.unit}s could be scored (see above)"
    elif texts.has_baseline and (0 in errors or len(scored) == 1):
        why = "this system is the baseline" if 0 in errors else f"only the baseline, {scored[0]}, is left"
        reason = errors.pop(0 if 0 in errors else max(errors))
        hindrance = f"{reason.in_command()}; {why}, so no test can be run; leave out {test} for scores without a test"
    for error in errors.values():
        environment.say("error", error.in_command())
    if hindrance:
        if report is not None:
            report(Results([], 0, []))
        raise BleuError(hindrance)


def _mark_best(results: Results, bold: bool, plan: Sampling | None) -> Results:
    """Return results with the best of each column marked, if it will be bold; resampling has set the marks already."""
    if plan is not None or not bold or results.matrix is not None:  # a matrix marks the best of each pair itself
        return results
    from bleucli.results import mark_best

    return mark_best(results)
