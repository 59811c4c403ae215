"""The main job: score systems, or segments, and print."""

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count

from bleucli import evaluate, kernels
from bleucli.cli import metric_options, sampling, values
from bleucli.cli.arguments import MODES, has_gates
from bleucli.cli.delivery import deliver, spool
from bleucli.cli.progress import Progress
from bleucli.cli.streams import Environment, encode, shown
from bleucli.cli.texts import STDIN, Texts, names_of, read_as_jsonl
from bleucli.errors import BleuError, LengthError, UsageError
from bleucli.metrics import METRICS, Metric
from bleucli.output import FORMATS, render, shows_bold
from bleucli.output.layout import Layout
from bleucli.phrases import suggest, tell_count
from bleucli.results import Results, ScoreRecord
from bleucli.signature import Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from bleucli.cli.gating import Gates
    from bleucli.cli.messages import Messages
    from bleucli.cli.options import Options
    from bleucli.cli.provenance import Provenance
    from bleucli.significance.comparison import Sampling

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
        _check_like(options, dict(Signature([]).with_texts(names_of(options).items())))
    _gates(options)  # refuses what is not scored
    asked = None
    if _is_jsonl(options, environment):
        from bleucli.cli.provenance import Provenance

        asked = Provenance(words, environment)
    _check_append(options, asked is not None)
    if options.test_set is None:
        texts = Texts(options, environment, asked is not None)
    else:
        from bleucli.cli.testset_texts import TestSetTexts

        texts = TestSetTexts(options, environment, asked is not None)
    if options.like is not None and not options.skip_empty_refs and "empty" not in options.like.info:
        nrefs = texts.reference_count()
        _check_like(options, {} if nrefs is None else {"nrefs": str(nrefs)})
    try:
        if options.keep_going:
            for error in texts.leave_out():
                environment.say("error", str(error))
        else:
            texts.check_lengths()
        show = _print_segments if options.sentence_level else _print_systems
        passed = show(options, texts, environment, messages, asked)
    except LengthError as error:
        raise texts.explain(error) from None
    # Waiting for a pipe or a download takes no processor's time, and threads take more of it than anybody waits
    if kernels.reason and min(now - then for now, then in zip(_read_clocks(), start, strict=True)) > _PATIENCE:
        messages.note(f"this was slow: {kernels.reason}")
    if texts.left_out:
        kept = "" if options.output is None else f"; {shown(options.output)} was not written"
        raise BleuError(f"{tell_count(texts.left_out, 'system')} could not be scored, as said above{kept}")
    return passed


def _read_clocks() -> tuple[float, float]:
    """Return the seconds on the wall, and those that processors have worked for us."""
    return time.monotonic(), time.process_time()


# --- what is asked for


def _check(options: "Options") -> None:
    """Refuse options that have no such value or do not go together."""
    first = options.refs[0] if options.refs else ""
    if first.replace("-", "_") in (*MODES, "help") and not os.path.lexists(first):
        raise UsageError(f"there is no file {first}; did you mean bleu --{first}?")
    _check_test_set(options)
    jsonl = next((path for path in options.input or ["-"] if read_as_jsonl(path, options)), None)
    if options.segment_scores:
        _check_segment_scores(options, jsonl)
    elif options.test_set is None and not options.refs and jsonl is None:
        raise _no_references(list(map(shown, options.input or [])))
    values.check(options)
    if options.keep_going and (options.sentence_level or options.segment_scores):
        other = (
            "--sentence-level, which takes one" if options.sentence_level else "--segment-scores, without references"
        )
        raise UsageError(f"--keep-going leaves out systems that do not fit the references; not beside {other}")
    if options.num_refs is not None and len(options.refs) != 1:
        raise UsageError(f"--num-refs splits one reference file on tabs; {len(options.refs)} files were given")


def _no_references(systems: Sequence[str]) -> UsageError:
    """Return the error about systems without references, one of which may be meant as such."""
    if len(systems) < 2:
        return UsageError(
            "no references were given; name the reference file first: bleu ref.txt -i system.txt; see bleu --help"
        )
    from shlex import quote

    *others, last = systems
    more = " ..." if len(others) > 1 else ""
    return UsageError(
        f"no references were given: all files after -i are systems, {last} too; if it holds the references, write bleu"
        f" {quote(last)} -i {quote(others[0])}{more}"
    )


def _check_test_set(options: "Options") -> None:
    if options.test_set is not None and options.refs:
        raise UsageError(f"references are taken either from --test-set {options.test_set} or from {options.refs[0]}")
    for name in ("origlang", "subset", "detail"):
        if options.test_set is None and getattr(options, name) not in (None, False):
            raise UsageError(f"--{name} needs a test set; name it with -t and -l")
    if options.detail and options.sentence_level:
        raise UsageError("--detail gives corpus scores; leave out --sentence-level")


def _check_segment_scores(options: "Options", jsonl: str | None) -> None:
    """Refuse, beside --segment-scores, what is about text; `jsonl` is a system in JSON Lines, if any."""
    if options.refs or options.test_set or options.metrics or options.sentence_level or options.like is not None:
        raise UsageError(
            "--segment-scores takes numbers as they are; leave out references, -t, -m, -sl and --like: bleu"
            " --segment-scores -i a.txt b.txt"
        )
    if jsonl is not None:
        name = STDIN if jsonl == "-" else shown(jsonl)
        raise UsageError(f"--segment-scores reads one number a line, but {name} is JSON Lines; give text files")


def _format(options: "Options", environment: Environment) -> str | None:
    """Return the format that was asked for, if any: by the option, else by the environment."""
    if options.format:
        return str(options.format)
    for variable in ("BLEU_FORMAT", "SACREBLEU_FORMAT"):
        value = environment.variables.get(variable)
        if value and value not in FORMATS:
            raise UsageError(f"{variable} is {value!r}; expected one of {', '.join(FORMATS)}{suggest(value, FORMATS)}")
        if value:
            return value
    return None


def _is_jsonl(options: "Options", environment: Environment) -> bool:
    """Return whether lines of jsonl are asked for; of segments only the option makes them."""
    return (options.format if options.sentence_level else _format(options, environment)) == "jsonl"


def _check_append(options: "Options", jsonl: bool) -> None:
    """Refuse to add to a file what are not lines of jsonl."""
    if options.score_only and (options.format == "jsonl" or options.append):
        raise UsageError("--score-only prints bare numbers, which are not lines of jsonl; leave it out")
    if options.append and options.output is None:
        raise UsageError("--append adds lines to a file; name it with --output")
    if options.append and not jsonl:
        raise UsageError("--append adds lines of jsonl, which other formats do not have; choose --format jsonl")


def _layout(options: "Options", environment: Environment, chosen: str) -> Layout:
    colour = options.output is None and not options.no_color and environment.shows_colour()
    bold = options.bold_best and shows_bold(chosen, colour)
    return Layout(options.width, options.short, options.score_only, colour, bold)


def _names_of_metrics(options: "Options") -> list[str]:
    """Return the metrics that were asked for, in the order in which they are printed; none where numbers are read."""
    wanted = options.metrics or [options.followed or "bleu"]
    return [] if options.segment_scores else [name for name in METRICS if name in wanted]


def _metrics(options: "Options") -> list[Metric]:
    names = _names_of_metrics(options)
    if options.followed and options.followed not in names:
        raise UsageError(f"--like is a signature of {options.followed}, which is not among the metrics; add it to -m")
    made = {name: metric_options.make(options, name) for name in names}
    if options.like is not None:
        from bleucli.cli import like

        like.check(made[options.followed], options.like)
    return list(made.values())


def _threads(jobs: int) -> int:
    return jobs or os.cpu_count() or 1


# --- modes


def _print_segments(
    options: "Options", texts: Texts, environment: Environment, messages: "Messages", asked: "Provenance | None"
) -> bool:
    from bleucli.output import json_text
    from bleucli.output.lines import score_line

    metrics = _metrics(options)
    corpus = texts.corpus()
    if len(metrics) != 1 or len(corpus.system_names()) != 1:
        raise UsageError("--sentence-level takes one system and one metric")
    _format(options, environment)  # refuses a wrong one; only the option makes JSON of segments
    render = json_text.score_line if options.format == "json" else score_line
    selection = texts.select()
    scores = evaluate.score_segments(corpus, metrics[0], jobs=_threads(options.jobs), selection=selection)
    records = map(texts.sign, scores)
    layout = _layout(options, environment, "text")
    first = next(records)
    counts: dict[str, int] = {}  # segments by their number of references

    hints = _without_effect(options, 1, options.format or "text", True)

    def counted() -> Iterator[ScoreRecord]:
        for record in chain((first,), records):
            nrefs = dict(record.signature)["nrefs"]
            counts[nrefs] = counts.get(nrefs, 0) + 1
            yield record
        _check_like(options, dict(first.signature) | _nrefs(counts))
        hints.extend(texts.hints())
        messages.hold_back(hints)

    if asked is None:
        lines: Iterator[str] = (render(record, layout) for record in counted())
    else:
        chosen = None if selection is None else selection.chosen
        lines = _lines_of_segments(counted(), chosen, texts, asked)
    deliver(lines, options.output, environment, options.append)
    _note_files(texts, sum(counts.values()), options, messages)
    _note_differences(dict(first.signature) | _nrefs(counts), options, messages)
    for hint in hints:
        messages.warn(hint)
    return True


def _lines_of_segments(
    records: Iterator[ScoreRecord], chosen: Sequence[int] | None, texts: Texts, asked: "Provenance"
) -> Iterator[str]:
    """Give the lines of jsonl; they end in what is known of the texts, once all of them were read."""
    from bleucli.output import jsonl_text

    (system,) = texts.names_in("jsonl")
    indexes: Iterable[int] = count() if chosen is None else chosen
    numbered = zip(records, indexes, strict=False)  # records first: they are read to their end
    heads = (jsonl_text.segment_head(record, index + 1, system) for record, index in numbered)
    with spool(map(encode, heads)) as kept:
        yield from jsonl_text.with_run(map(bytes.decode, kept), asked.of_texts(texts))


def _nrefs(counts: Mapping[str, int]) -> dict[str, str]:
    """Return what the signature of a corpus says of segments with so many references."""
    return {"nrefs": next(iter(counts)) if len(counts) == 1 else "var"}


def _check_like(options: "Options", known: Mapping[str, str]) -> None:
    """Refuse other texts than --like names, as soon as something is known of them."""
    if options.like is not None:
        from bleucli.cli import like

        like.check_texts(options.like, known)


def _print_systems(
    options: "Options", texts: Texts, environment: Environment, messages: "Messages", asked: "Provenance | None"
) -> bool:
    chosen = _format(options, environment) or ("text" if options.detail else "json")
    if options.detail and chosen not in ("json", "jsonl", "text"):
        raise UsageError(f"--detail cannot be shown in {chosen}; choose -f text or -f json")
    if options.detail and options.score_only and chosen == "json":
        raise UsageError("--detail cannot be shown in the bare scores of -f json -b; leave out -b, or choose -f text")
    layout = _layout(options, environment, chosen)
    baseline = None
    if options.baseline is not None:
        from bleucli.gates import read_baseline

        baseline = read_baseline(options.baseline, shown(options.baseline))
    idle = _without_effect(options, texts.count_systems(), chosen, False)
    results = _results(options, texts, environment, layout.bold_best)
    names = _names_of_metrics(options)
    signed = dict(results.systems[0].scores[names.index(options.followed)].signature) if options.like else {}
    _check_like(options, signed)
    judged = results if baseline is None else _rename(results, texts.names_in(baseline.form))
    gates = _gates(options)
    verdicts, gate_hints = gates.judge(judged, baseline) if gates else ((), [])
    hints = [
        *idle,
        *texts.hints(),
        *results.hints,
        *gate_hints,
    ]
    others = [name for name in names if name != "bleu"]
    if options.of_metric("bleu").get("lowercase") and others:
        hints.append(f"-lc applies to BLEU only; {', '.join(map(_how_to_lowercase, others))}")
    messages.hold_back(hints)
    failed = [verdict for verdict in verdicts if verdict.failure]
    is_withheld = texts.left_out > 0 or (failed and chosen != "junit")  # a report is about what failed
    if options.output is None or not is_withheld:
        run = None if asked is None else asked.of_texts(texts)
        named = judged if chosen == "junit" else _rename(results, texts.names_in(chosen))  # verdicts say who is judged
        named = named._replace(verdicts=verdicts, run=run)
        deliver([render(named, layout, chosen)], options.output, environment, options.append)
    _note_files(texts, results.segments, options, messages)
    _note_differences(signed, options, messages)
    for note in gates.notes([record.name for record in results.systems[0].scores]) if gates else ():
        messages.note(note)
    for hint in hints:
        messages.warn(hint)
    for verdict in failed:
        environment.say("error", verdict.failure, f"{verdict.system}: {verdict.score.name}")
    return not failed


def _rename(results: Results, names: Sequence[str]) -> Results:
    """Return results in which the systems have these names."""
    systems = [system._replace(name=name) for system, name in zip(results.systems, names, strict=True)]
    return results._replace(systems=systems)


def _gates(options: "Options") -> "Gates | None":
    """Return the gates that are asked for, if any are."""
    if not has_gates(options):
        return None
    from bleucli.cli.gating import Gates

    return Gates(options, _gated_metrics(options))


def _gated_metrics(options: "Options") -> list[str]:
    """Return what gates call the metrics, in the order in which they are printed."""
    if options.segment_scores:
        from bleucli import segment_scores

        return [segment_scores.NAME]
    return _names_of_metrics(options)


def _how_to_lowercase(name: str) -> str:
    """Return what the option of a metric is that tells upper from lower case, or does not.

    >>> _how_to_lowercase("chrf"), _how_to_lowercase("ter")
    ('chrF has --chrf-lowercase', 'TER lowercases unless --ter-case-sensitive')
    """
    option = next((option for option in METRICS[name].options if option.key == "case"), None)
    if option is None:
        return f"{METRICS[name].name} has no such option"
    return f"{METRICS[name].name} {'has' if option.words[True] == 'lc' else 'lowercases unless'} {option.flags[0]}"


def _results(options: "Options", texts: Texts, environment: Environment, bold: bool) -> Results:
    plan = sampling.plan(options, environment, bold)
    corpus = texts.corpus()
    sampling.check_systems(options, len(corpus.system_names()))
    with Progress(environment, options.quiet) as progress:
        if options.segment_scores:
            from bleucli import segment_scores

            return _mark_best(segment_scores.score(corpus.systems, plan, progress), bold, plan)
        metrics, jobs = _metrics(options), _threads(options.jobs)
        results = evaluate.score_systems(
            corpus, metrics, jobs=jobs, sampling=plan, selection=texts.select(), progress=progress
        )
    systems = [system._replace(scores=list(map(texts.sign, system.scores))) for system in results.systems]
    return _mark_best(results._replace(systems=systems), bold, plan)


def _mark_best(results: Results, bold: bool, plan: "Sampling | None") -> Results:
    """Return results with the best of each column marked if it is to be bold; resampling has done so."""
    if plan is not None or not bold:
        return results
    from bleucli.significance.comparison import mark_best

    return mark_best(results)


def _without_effect(options: "Options", *asked: "Any") -> list[str]:
    """Say which options have no effect, in one line or none; `asked` is what `effects.Run` takes behind the metrics."""
    if options.given <= {"refs", "input"}:  # texts always have one
        return []
    from bleucli.cli import effects

    return effects.of_scoring(options, effects.Run(frozenset(_names_of_metrics(options)), *asked))


def _note_files(texts: Texts, segments: int, options: "Options", messages: "Messages") -> None:
    if len(options.refs) + len(options.input or []) > 1:
        messages.note(texts.which_is_which(segments))


def _note_differences(signed: Mapping[str, str], options: "Options", messages: "Messages") -> None:
    if options.like is None:
        return
    from bleucli.cli import like

    for note in like.notes(signed, options.like, options.followed):
        messages.note(note)
