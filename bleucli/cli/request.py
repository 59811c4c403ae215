"""What a run was asked for: its options are checked by their records, then read.

- `check`, `check_values`, `refuse_conflicts`, `refuse_lacks`: refuse options
- `find_idle`, `idle_in_mode`: options without effect; sacreBLEU's get a warning, ours are refused
- `format_of`, `layout_of`, `scale_of`: how scores are printed
- `names_of_metrics`, `make_metrics`: what is scored, and how
- `count_threads`: what else all commands ask
- `follow_like`: set the options as the signature of --like says; `check_like`: refuse texts that it does not name
- `tell_like`: what a run does not follow, and what only one of both signs
"""

from __future__ import annotations

import os

from bleucli import tokenizers
from bleucli.cli.commands import MODULES as COMMANDS
from bleucli.cli.commands import command_of
from bleucli.cli.options import (
    MODES,
    OPTIONS,
    RESAMPLING,
    THEIRS,
    flag_of,
    flags_of,
    has_gates,
    is_tested,
    target_language,
)
from bleucli.cli.sources.files import STDIN, read_as_jsonl
from bleucli.cli.streams import Environment, Messages, shown
from bleucli.errors import BleuError, UsageError
from bleucli.metrics import METRICS, VARIANTS, Metric, find_name
from bleucli.output import FORMATS, SEGMENT_FORMATS
from bleucli.output.layout import STYLES, Layout
from bleucli.phrases import join_words, suggest
from bleucli.reading import TextFile
from bleucli.results import DECIMALS
from bleucli.results.signature import RESAMPLING_KEYS, RUN_KEYS, TEXT_KEYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from bleucli.cli.options import Conditions, Options
    from bleucli.cli.options import Option as OptionOfCommand
    from bleucli.metrics.options import Option
    from bleucli.results.signature import Signature

# They say how the work is done, whatever it is, and are never without effect
_ALWAYS = {"annotate", "jobs", "quiet", "strict", "no_color", "output"}

# --- what is refused


def check(options: Options) -> None:
    """Refuse options that have wrong values or cannot be combined, and texts that cannot be scored."""
    refuse_conflicts(options)
    first = options.refs[0] if options.refs else ""
    if first.replace("-", "_") in (*MODES, "help") and not os.path.lexists(first):
        raise UsageError(f"there is no file {first}; did you mean bleu --{first}?")
    other = next((path for path in options.refs if path in COMMANDS and not os.path.lexists(path)), None)
    if other is not None:
        raise UsageError(f"there is no file {other}; the name of a command comes first: bleu {other} ...")
    if options.test_set is not None and options.refs:
        raise UsageError(
            f"references come from --test-set {options.test_set} or from {options.refs[0]}, not both; leave out one"
        )
    refuse_lacks(options)
    _check_texts(options)
    check_values(options)
    if options.num_refs is not None and len(options.refs) != 1:
        raise UsageError(f"--num-refs splits one reference file at tabs; {len(options.refs)} files were given")


def _records(options: Options) -> Iterator[tuple[str, OptionOfCommand]]:
    """Give the records of the options that are set, by their names; those of metrics are not among them."""
    for group in command_of(options.command).options.values():
        yield from ((name, option) for name, option in group.items() if options.has(name))


def refuse_conflicts(options: Options) -> None:
    """Refuse options that cannot be combined."""
    for name, option in _records(options):
        for reason, partners in (option.apart or {}).items():
            for partner in filter(options.has, partners.split()):
                remedy = "" if ";" in reason else "; leave out one of the two"
                message = f"{flag_of(partner)} cannot be combined with {flag_of(name)}"
                raise UsageError(f"{message}: {reason}{remedy}")


def refuse_lacks(options: Options) -> None:
    """Refuse options without the others that they need."""
    for name, option in _records(options):
        if message := _reason(option.lacks, options):
            raise UsageError(f"{flag_of(name)} {message}")


def _check_texts(options: Options) -> None:
    """Refuse texts without references, and JSON Lines where numbers are read."""
    # An option that cannot be combined with references brings its own
    brings_own = any(
        "refs" in names.split() for _, option in _records(options) for names in (option.apart or {}).values()
    )
    if brings_own or "refs" not in command_of(options.command).records():
        return
    paths = options.input or ["-"]
    jsonl = next((path for path in paths if read_as_jsonl(path, options.jsonl)), None)
    if options.segment_scores:
        other = jsonl or next((path for path in paths if path.endswith(".parquet")), None)
        if other is not None:
            name = STDIN if other == "-" else shown(other)
            raise UsageError(
                f"--segment-scores reads lines of text, but {name} is JSON or Parquet; read it beside texts: bleu REF"
                " -i SYSTEM --scores NAME=FILE"
            )
    elif options.test_set is None and not options.refs and jsonl is None:
        raise _no_references(list(map(shown, options.input or [])))


def _no_references(systems: Sequence[str]) -> UsageError:
    """Return the error about systems without references; one of the systems may be meant as the reference."""
    if len(systems) < 2:
        return UsageError(
            "no references were given; name the reference file first: bleu ref.txt -i system.txt; see bleu --help"
        )
    from shlex import quote

    *rest, last = systems
    more = " ..." if len(rest) > 1 else ""
    return UsageError(
        f"no references were given: all files after -i are systems, {last} too; if it holds the references, write bleu"
        f" {quote(last)} -i {quote(rest[0])}{more}"
    )


def check_values(options: Options) -> None:
    """Refuse values that options cannot have."""
    flags = [flag_of(name) for name, _ in RESAMPLING.values() if options.has(name)]
    if len(flags) > 1:
        raise UsageError(f"{' and '.join(flags)} cannot be combined; choose one (--paired-bs also gives intervals)")
    for name, option in _records(options):
        value = getattr(options, name)
        if option.bounds is not None:
            least, most, what = option.bounds
            if not least <= value <= most:
                raise UsageError(f"{option.flags[0]} {value}; expected {what} from {least} to {most}")
        if message := _reason(option.wrong, options):
            raise UsageError(f"{option.flags[0]} {message}")
    if has_gates(options):
        _check_gates(options)
    tokenizer = options.of_metric("bleu").get("tokenize")
    if tokenizer is not None:
        tokenizers.check_name(tokenizer)
    TextFile("", encoding=options.encoding)  # refuses an unknown encoding; no file is opened
    if options.jsonl_fields is not None:
        from bleucli.reading.jsonfields import fields_named

        fields_named(options.jsonl_fields)
    target_language(options.language_pair, any(map(options.has, ("test_set", "list", "download"))))
    for name in filter(options.of_metric, METRICS):  # what a value names is not loaded
        make_metric(options, name, [option for option in METRICS[name].options if option.loads])


def _check_gates(options: Options) -> None:
    """Refuse values that bounds cannot have, and a baseline without the statistics that a test needs."""
    from bleucli import gates
    from bleucli.gates import baselines

    if options.fail_under is not None:
        gates.read_bounds(gates.FAIL_UNDER, options.fail_under)
    bounds = None if options.max_drop is None else gates.read_bounds(gates.MAX_DROP, options.max_drop)
    if options.baseline is None or bounds is None or not is_tested(options):
        return
    try:
        has_rows = baselines.is_statistics(options.baseline)
    except OSError as error:
        raise BleuError(
            f"cannot read {shown(options.baseline)}: {error.strerror or error}; name a file that bleu count wrote"
        ) from None
    if not has_rows:
        test = "--paired-bs" if options.paired_bs else "--paired-ar"
        raise UsageError(
            f"--baseline holds only scores, but {test} needs the earlier output itself; leave out one of them, or give"
            f" both outputs: -i old.txt new.txt {test} --max-drop {gates.format_bounds(bounds)}, or a baseline that"
            " bleu count wrote"
        )


# --- what has no effect


def find_idle(options: Options, systems: int, form: str, segments: bool = False) -> list[str]:
    """Return one line about the options that have no effect on scores, or nothing if there are none.

    form: the format, "" if no scores are printed. segments: whether each segment gets its own score.
    """
    if options.given <= {"refs", "input", "format"}:  # these always have an effect
        return []
    kind = FORMATS.get(form) or SEGMENT_FORMATS.get(form)
    run = options.replace(scored=names_of_metrics(options), systems=systems, format=form, form=kind, segments=segments)
    records = {name: option for name, option in _records(options) if name in options.given}
    for name, option in records.items():
        if reason := _reason(option.contrary, run):
            raise _refusal(name, reason)
    return _tell(run, dict(_idle_of_metrics(run)) | {name: _reason(one.idle, run) for name, one in records.items()})


def idle_in_mode(options: Options, mode: str) -> list[str]:
    """Return a line about options that a mode does not use, and one about those that change nothing of --cite."""
    beside = set(str(OPTIONS[mode].beside).split())
    idle = options.given - beside - _ALWAYS - {mode}
    lines = _tell(options, dict.fromkeys(idle, f"not used by {flag_of(mode)}"))
    if mode != "cite":
        return lines
    run = options.replace(scored=names_of_metrics(options))
    reasons = dict(_idle_of_metrics(run))
    reasons["language_pair"] = _reason(OPTIONS["language_pair"].idle, run)
    if not is_tested(options):
        reasons["bold_best"] = "nothing is tested"
    if not (options.confidence or options.paired_bs):
        reasons |= dict.fromkeys(("difference", "style"), "there are no intervals")
    return lines + _tell(options, {name: reason for name, reason in reasons.items() if name in beside})


def _reason(conditions: Conditions | None, run: Options) -> str:
    """Return what the first condition says that is true, or ""."""
    return next((text.format_map(vars(run)) for text, is_true in (conditions or {}).items() if is_true(run)), "")


def _idle_of_metrics(run: Options) -> Iterator[tuple[str, str]]:
    """Give the options of metrics that were given without effect, each with the reason."""
    from bleucli.metrics.smoothing import DEFAULT_VALUES

    if not run.scored:
        yield from ((name, "no texts are compared") for name in ("lowercase", "normalize", "skip_empty_refs"))
    for name in METRICS:
        if name not in run.scored and run.of_metric(name):
            # -lc has a hint of its own
            yield from ((one, f"{METRICS[name].name} is not scored") for one in flags_of(name) if one != "lowercase")
    method = run.of_metric("bleu").get("smooth_method", flags_of("bleu")["smooth_method"].default)
    if "bleu" in run.scored and method not in DEFAULT_VALUES:
        yield "smooth_value", f"smoothing {method} takes no value"
    if "bleu" in run.scored and run.stats is not None:
        yield "force", "the texts were read when the statistics were saved"


def _tell(options: Options, reasons: Mapping[str, str]) -> list[str]:
    """Return one line about all options without effect, grouped by reason; nothing if there are none.

    reasons: by the names of options, which need not be given; "" for one that has an effect.
    """
    names: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        if reason and name in options.given:
            names.setdefault(reason, []).append(name)
    if not names:
        return []
    theirs = THEIRS | {name for metric in METRICS for name, option in flags_of(metric).items() if not option.ours}
    parts = []
    for reason, idle in names.items():
        for name in sorted(idle):
            if name not in theirs:
                raise _refusal(name, reason)
        parts.append(f"{', '.join(map(_flag, sorted(idle)))} ({reason})")
    return [f"without effect: {'; '.join(parts)}"]


def _flag(name: str) -> str:
    return "REF" if name == "refs" else flag_of(name)


def _refusal(name: str, reason: str) -> UsageError:
    return UsageError(f"{_flag(name)} has no effect: {reason}; leave it out")


# --- what is asked for


def format_of(options: Options, environment: Environment) -> str | None:
    """Return the format that the option, or else the environment, asks for, if any.

    Bare scores have no format but json: a script may ask for them whatever its environment says.
    """
    if options.format:
        return str(options.format)
    for variable in ("BLEU_FORMAT", "SACREBLEU_FORMAT"):
        value = environment.variables.get(variable)
        if value and value not in FORMATS:
            raise UsageError(f"{variable} is {value!r}; expected one of {', '.join(FORMATS)}{suggest(value, FORMATS)}")
        if value:
            return "text" if options.score_only and not FORMATS[value].bare_lists else value
    return None


def layout_of(options: Options, environment: Environment, form: str) -> Layout:
    """Return how scores are laid out in a format."""
    colour = options.output is None and not options.no_color and environment.shows_colour(environment.stdout)
    bold = options.bold_best and FORMATS[form].shows_bold(colour)
    scale = scale_of(options, form)
    return Layout(
        width=DECIMALS[scale] if options.width is None else options.width,
        short=options.short,
        score_only=options.score_only,
        colour=colour,
        bold_best=bold,
        scale=scale,
        style=options.style or STYLES[0],
        sort=sorting_metric(options),
        difference=options.difference,
        caption=options.caption or "",
        label=options.label or "",
        columns=environment.columns() if options.output is None else None,
    )


def sorting_metric(options: Options) -> int | None:
    """Return the index, among the metrics that are scored, of the one that --sort names; None without --sort."""
    if options.sort is None:
        return None
    names = names_printed(options)
    word = find_name(options.sort) or options.sort
    name, preset = VARIANTS.get(word, (word, {}))
    name = next((one for one in names if one.lower() == name.lower()), "")
    if not name or any(options.of_metric(name).get(key) != value for key, value in preset.items()):
        raise UsageError(f"--sort {options.sort!r} is not scored; choose one of {', '.join(names)}")
    return names.index(name)


def scale_of(options: Options, form: str | None) -> int:
    """Return the scale of the scores in a format, and of the bounds of gates: 1 or 100."""
    if options.segment_scores:  # scores from elsewhere are printed as they are
        return 100
    return options.scale or (100 if form is None or options.score_only else FORMATS[form].scale)


def names_of_metrics(options: Options) -> list[str]:
    """Return the names of the metrics that were asked for, in printed order; none with --segment-scores."""
    words = options.metrics or [options.followed or "bleu"]
    return [] if options.segment_scores else [name for name in METRICS if name in words]


def follows_language(options: Options) -> bool:
    """Return whether the target language chooses a tokenizer."""
    return "bleu" in names_of_metrics(options) and options.of_metric("bleu").get("tokenize") is None


def names_printed(options: Options) -> list[str]:
    """Return what `names_of_metrics` returns, then the names of scores from elsewhere."""
    if options.segment_scores:
        from bleucli.metrics import segment_scores

        return [segment_scores.NAME]
    return [*names_of_metrics(options), *names_of_scores(options)]


def names_of_scores(options: Options) -> list[str]:
    """Return the names of the scores from elsewhere: those that files of statistics have, and those of --scores."""
    saved = list(options.saved_scores)
    if not options.scores:
        return saved
    from bleucli.cli.sources import score_arguments, scores

    return saved + scores.names_of_scores(score_arguments(options))


def make_metric(options: Options, name: str, without: Iterable[Option] = ()) -> Metric:
    """Make the metric of this name, configured as the options ask; without: options that are left at their defaults."""
    shared = {
        "effective_order": options.sentence_level,
        "skip_empty_refs": options.skip_empty_refs,
        "normalize": options.normalize,
        "trg_lang": target_language(options.language_pair, options.test_set is not None),
    }
    # --like may set the shared options too; where it does not, the command's own flags count
    settings = options.of_metric(name)
    values = dict(settings) | {
        option.name: settings.get(option.name) or shared[option.name]
        for option in METRICS[name].options
        if option.shared
    }
    for option in without:
        values.pop(option.name, None)
    return METRICS[name].of_command(**values)


def make_metrics(options: Options) -> list[Metric]:
    """Make the metrics that were asked for; refuse a signature of --like that they cannot reproduce."""
    if options.segment_scores:
        from bleucli.metrics.segment_scores import SegmentScores

        return [SegmentScores()]
    return check_metrics(options, [make_metric(options, name) for name in names_of_metrics(options)])


def check_metrics(options: Options, metrics: list[Metric]) -> list[Metric]:
    """Return metrics, in the order of their names; refuse a signature of --like that they cannot reproduce."""
    if options.like is None:
        return metrics
    names = names_of_metrics(options)
    if options.followed not in names:
        raise UsageError(f"--like is a signature of {options.followed}, which is not among the metrics; add it to -m")
    from bleucli.metrics import reading

    try:
        reading.refuse_other(metrics[names.index(options.followed)], options.like)
    except BleuError as error:
        raise UsageError(f"--like {error.in_command()}") from None
    return metrics


def count_threads(jobs: int | None) -> int | None:
    """Return the number of threads that --jobs asks for, or None if it was not given."""
    if jobs is None:
        return None
    from bleucli.counting import threads

    return threads.count_threads(jobs)


# --- `--like SIGNATURE`: score in the way that a published signature describes


def follow_like(options: Options, messages: Messages) -> Options:
    """Return the options; the signature, restated as today's if it is from sacreBLEU 1.x, sets those not given."""
    from bleucli.metrics import reading

    published: Signature = options.like
    try:
        name = reading.metric_of(published, METRICS)
        signature = reading.restate(published, METRICS[name])
        values = {**reading.values_of(METRICS[name], signature), **options.of_metric(name)}
    except BleuError as error:
        raise UsageError(f"--like: {error.in_command()}") from None
    if options.command == "diversity" and name != "bleu":
        raise UsageError(
            f"--like is a signature of {METRICS[name].name}, but bleu diversity measures only self-BLEU; leave it out"
        )
    for key in ("case", "tok"):
        if key in published.info and key not in signature.info:
            item = f"{key}:{published.info[key]}"
            messages.note(
                f"the signature of --like has {item}, which {METRICS[name].name} of sacreBLEU 1.x did not use"
            )
    theirs = values.pop("normalize", "")
    return options.replace(
        like=signature,
        followed=name,
        of_metrics={**options.of_metrics, name: values},
        skip_empty_refs=options.skip_empty_refs or values["skip_empty_refs"],
        normalize=options.normalize or theirs,
    )


def check_like(options: Options, info: Mapping[str, str]) -> None:
    """Refuse texts that --like does not name, as soon as something is known about them.

    info: keys of this run's signature, not necessarily all.
    """
    if options.like is None:
        return
    theirs = options.like.info
    for key in TEXT_KEYS:
        text = _text(theirs, key)
        if text is not None and _text(info, key) not in (None, text):
            raise UsageError(
                f"--like asks for {key}:{theirs[key]}, but this run has {key}:{info[key]}; score the texts and"
                " references that the signature names"
            )


def _text(info: Mapping[str, str], key: str) -> str | None:
    """Return what a signature says about the texts, unescaped; older signatures, without escapes, stay as they are.

    >>> _text({"subset": "US%7CGB"}, "subset"), _text({"subset": "US|GB"}, "subset"), _text({}, "subset")
    ('US|GB', 'US|GB', None)
    """
    value = info.get(key)
    if value is None or "%" not in value:
        return value
    from urllib.parse import unquote

    return unquote(value)


def tell_like(options: Options, ours: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return what to warn of, where this run does not or may not follow --like, and what to note of its texts.

    ours: this run's signature, which `check_like` has accepted.
    """
    from bleucli.metrics import reading
    from bleucli.metrics.smoothing import DEFAULT_VALUES, Smoothing

    signature, metric = options.like, METRICS[options.followed]
    theirs, warnings = signature.info, []
    # sacreBLEU signs the value of smoothing with two decimals; where a default has that form, the default is assumed
    smooth = theirs.get("smooth", "")
    usual = [Smoothing(method).signature for method in DEFAULT_VALUES]
    if smooth not in usual and not reading.is_exact(signature):
        warnings.append(f"smooth:{smooth} in the signature of --like may have been rounded to two decimals")
    for option in metric.options:
        if option.in_name and not signature.name:
            flag = option.label(in_command=True)
            warnings.append(f"the signature of --like does not name its metric; {flag} {option.default} is assumed")
    for key in RUN_KEYS:
        if key in theirs and key in ours and theirs[key] != ours[key]:
            former = metric.former_difference if signature.is_former and key == "version" else ""
            warnings.append(
                f"the signature of --like has {key}:{theirs[key]}, but this score has {key}:{ours[key]}"
                f"{former and f'; {former}'}"
            )
    texts = [f"{key}:{theirs[key]}" for key in TEXT_KEYS if key in theirs and key not in ours]
    if texts:
        warnings.append(
            f"the signature of --like has {join_words(texts)}, but this run does not; its texts may be others"
        )
    trials = [f"{key}:{theirs[key]}" for key in RESAMPLING_KEYS if key in theirs and key not in ours]
    if trials:
        warnings.append(
            f"the signature of --like has {join_words(trials)}, but this score was not resampled in that way; to do so,"
            " use --confidence or a paired test"
        )
    notes = [
        f"the signature of --like does not have {key}, which is {ours[key]} here"
        for key in TEXT_KEYS
        if key in ours and key not in theirs
    ]
    return warnings, notes
