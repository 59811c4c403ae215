"""What all modes that score share: checks of options, the format, the metrics, and the notes about them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from bleucli import tokenizers
from bleucli.cli.arguments import MODES, asks_for_resampling, has_gates
from bleucli.cli.commands import MODULES as COMMANDS
from bleucli.cli.commands import command_of
from bleucli.cli.delivery import refuse_foreign
from bleucli.cli.options import RESAMPLING, flag_of, target_language
from bleucli.cli.sources import reads_items
from bleucli.cli.sources.paths import STDIN, read_as_jsonl
from bleucli.cli.streams import Environment, shown
from bleucli.errors import BleuError, UsageError
from bleucli.metrics import METRICS, VARIANTS, Metric, find_name
from bleucli.output import FORMATS
from bleucli.output.layout import STYLES, Layout, is_label
from bleucli.phrases import suggest
from bleucli.reading import TextFile
from bleucli.results import DECIMALS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.cli.messages import Messages
    from bleucli.cli.options import Options
    from bleucli.metrics.options import Option

# The name at the beginning of signatures of self-BLEU
_SELF_BLEU = "Self-BLEU"
# Options that can be combined with one another: where no others are given, the table of conflicts need not be imported
_HARMLESS = frozenset({"refs", "input", "metrics", "jobs", "format", "score_only", "width"})


def check(options: Options) -> None:
    """Refuse options that have wrong values or cannot be combined."""
    if not options.given <= _HARMLESS:
        from bleucli.cli import effects

        effects.refuse_conflicts(options)
    first = options.refs[0] if options.refs else ""
    if first.replace("-", "_") in (*MODES, "help") and not os.path.lexists(first):
        raise UsageError(f"there is no file {first}; did you mean bleu --{first}?")
    other = next((path for path in options.refs if path in COMMANDS and not os.path.lexists(path)), None)
    if other is not None:
        raise UsageError(f"there is no file {other}; the name of a command comes first: bleu {other} ...")
    if options.like is not None and options.like.name == _SELF_BLEU and options.command != "diversity":
        raise UsageError("--like is a signature of self-BLEU; write bleu diversity TEXT --like ...")
    _check_test_set(options)
    _check_source(options)
    check_values(options)
    if options.num_refs is not None and len(options.refs) != 1:
        raise UsageError(f"--num-refs splits one reference file at tabs; {len(options.refs)} files were given")


def _check_source(options: Options) -> None:
    """Refuse texts without references, and options about another source than the one that is read."""
    if options.matrix is not None:  # the file of a matrix names the texts
        return
    if options.engine is not None and options.table is None:
        raise UsageError("--engine counts the tables that --table names; add --table, or leave out --engine")
    if options.table is not None:
        return
    if options.columns is not None:
        raise UsageError("--columns names columns of --table; add --table, or leave out --columns")
    if options.stats is not None:
        if options.segment_scores:
            check_segment_scores(options)
        return
    jsonl = next((path for path in options.input or ["-"] if read_as_jsonl(path, options.jsonl)), None)
    if options.segment_scores:
        check_segment_scores(options, jsonl)
    elif options.test_set is None and not options.refs and jsonl is None and options.command != "diversity":
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


def _check_test_set(options: Options) -> None:
    if options.test_set is not None and options.refs:
        raise UsageError(
            f"references come from --test-set {options.test_set} or from {options.refs[0]}, not both; leave out one"
        )
    for name in ("origlang", "subset"):
        is_known = options.test_set is not None or options.labels is not None or reads_items(options)
        if not is_known and getattr(options, name) is not None:
            raise UsageError(
                f"{flag_of(name)} needs a test set, named with -t and -l, labels, named with --labels, or JSON Lines"
            )
    if options.label_names is not None and options.labels is None:
        raise UsageError("--label-names names the columns of --labels; add --labels FILE")


def check_segment_scores(options: Options, jsonl: str | None = None) -> None:
    """Refuse options about text beside --segment-scores; `jsonl` is a system in JSON Lines, if any."""
    if options.refs or options.test_set or options.metrics or options.sentence_level or options.like is not None:
        raise UsageError(
            "--segment-scores takes numbers as they are; leave out references, -t, -m, -sl and --like: bleu"
            " --segment-scores -i a.txt b.txt"
        )
    if jsonl is not None:
        name = STDIN if jsonl == "-" else shown(jsonl)
        raise UsageError(f"--segment-scores reads one number per line, but {name} is JSON Lines; give text files")


def check_values(options: Options) -> None:
    """Refuse values that options cannot have.

    Raises:
        BleuError: a value is wrong; the message names the option, or what it is about.
    """
    command = command_of(options.command)
    for name, option in (pair for group in command.options.values() for pair in group.items()):
        value = getattr(options, name)
        if option.bounds is None or value is None:
            continue
        least, most, what = option.bounds
        if not least <= value <= most:
            raise UsageError(f"{option.flags[0]} {value}; expected {what} from {least} to {most}")
    if options.scale not in (None, 1, 100):
        raise UsageError(f"--scale {options.scale}; expected 1, for scores from 0 to 1, or 100")
    if options.line is not None and options.line < 1:
        raise UsageError(f"--line {options.line}; expected the number of a line, from 1")
    if options.names is not None and options.name_by is not None:
        raise UsageError("--names already names the systems; leave out --name-by")
    _check_label(options)
    _check_gates(options)
    if asks_for_resampling(options):
        _check_resampling(options)
    tokenizer = options.of_metric("bleu").get("tokenize")
    if tokenizer is not None:
        tokenizers.check_name(tokenizer)
    TextFile("", encoding=options.encoding)  # refuses an unknown encoding; no file is opened
    if options.jsonl_fields is not None:
        from bleucli.reading.jsonfields import fields_named

        fields_named(options.jsonl_fields)
    of_test_set = options.test_set is not None or options.list or options.download is not None
    target_language(options.language_pair, of_test_set)
    _check_metrics(options)


def _check_resampling(options: Options) -> None:
    """Refuse options of resampling that cannot be combined, or need others.

    Raises:
        UsageError: one of them is given.
    """
    flags = [flag_of(option) for option, _ in RESAMPLING.values() if getattr(options, option)]
    if len(flags) > 1:
        raise UsageError(f"{' and '.join(flags)} cannot be combined; choose one (--paired-bs also gives intervals)")
    if options.sentence_level and flags:
        raise UsageError(f"{flags[0]} needs a corpus score; leave out --sentence-level")
    is_compared = options.command in ("plot", "report")  # always by intervals and tests
    if options.unit is not None and not (flags or is_compared):
        raise UsageError("--unit is for tests and intervals; add --paired-ar, --paired-bs or --confidence")
    if options.paired_all and not (options.paired_bs or options.paired_ar):
        raise UsageError("--paired-all needs a paired test; add --paired-bs or --paired-ar")
    if options.difference and not (options.paired_bs or options.paired_ar):
        raise UsageError("--difference needs a paired test; add --paired-bs, which has intervals, or --paired-ar")
    if options.style == "stars" and not (options.paired_bs or options.paired_ar):
        raise UsageError("--style stars marks what a paired test finds; add --paired-ar, or choose --style compact")


def _check_metrics(options: Options) -> None:
    """Refuse values that an option of a metric cannot have, without loading what the value names."""
    for name in METRICS:
        if options.of_metric(name):
            make_metric(options, name, [option for option in METRICS[name].options if option.loads])


def _check_label(options: Options) -> None:
    if options.label is None:
        return
    if not is_label(options.label):
        raise UsageError(f"--label {options.label!r}; expected a letter, then letters, digits and : . _ -")
    if options.caption is None:
        raise UsageError("--label refers to a table with a caption; add --caption, or leave --label out")


def _check_gates(options: Options) -> None:
    """Refuse gates that have a wrong value, or lack something that they need."""
    if not has_gates(options):
        return
    from bleucli import gates

    if options.fail_under is not None:
        _check_bounds(options, gates.FAIL_UNDER, options.fail_under)
    max_drop = None if options.max_drop is None else _check_bounds(options, gates.MAX_DROP, options.max_drop)
    if options.baseline is not None and max_drop is None:
        raise UsageError("--baseline needs --max-drop; say by how much a score may be worse")
    test = next((flag_of(name) for name in ("paired_bs", "paired_ar") if getattr(options, name)), None)
    if options.baseline is not None and test is not None and not _has_statistics(options.baseline):
        raise UsageError(
            f"--baseline holds only scores, but {test} needs the earlier output itself; leave out one of them, or give"
            f" both outputs: -i old.txt new.txt {test} --max-drop {max_drop}, or a baseline that bleu count wrote"
        )
    if max_drop is not None and options.baseline is None and test is None:
        raise UsageError("--max-drop needs an earlier answer (--baseline FILE) or a paired test (--paired-ar)")


def _has_statistics(path: str) -> bool:
    """Return whether a baseline has statistics, which a test needs.

    Raises:
        BleuError: it cannot be read.
    """
    from bleucli.gates.baselines import is_statistics

    try:
        return is_statistics(path)
    except OSError as error:
        raise BleuError(
            f"cannot read {shown(path)}: {error.strerror or error}; name a file that bleu count wrote"
        ) from None


def _check_bounds(options: Options, option: str, value: str) -> str:
    """Refuse a value that is not a bound of a gate; return the bounds that it sets."""
    from bleucli import gates

    bounds = gates.read_bounds(option, value)
    if options.sentence_level:
        raise UsageError(f"{option} needs a corpus score; leave out --sentence-level")
    return gates.format_bounds(bounds)


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


def is_jsonl(options: Options, environment: Environment) -> bool:
    """Return whether lines of jsonl are asked for; for segments, only the option counts, not the environment."""
    form = options.format if options.sentence_level else format_of(options, environment)
    return form is not None and FORMATS[form].appends


def check_append(options: Options, jsonl: bool) -> None:
    """Refuse to add anything but lines of jsonl to a file."""
    if options.score_only and (jsonl or options.append):
        raise UsageError("--score-only prints bare numbers, which are not lines of jsonl; leave it out")
    if options.append and options.output is None:
        raise UsageError("--append adds lines to a file; name it with --output")
    if options.append and not jsonl:
        raise UsageError("--append adds lines of jsonl, not of other formats; choose --format jsonl")
    if options.append:
        refuse_foreign(str(options.output))


def layout_of(options: Options, environment: Environment, form: str) -> Layout:
    """Return how scores are laid out in a format."""
    colour = options.output is None and not options.no_color and environment.shows_colour()
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
    """Return the index, among the metrics that are scored, of the one that --sort names; None without --sort.

    Raises:
        UsageError: it is not among them.
    """
    if options.sort is None:
        return None
    names = names_printed(options)
    word = find_name(options.sort) or options.sort.lower()
    name, preset = VARIANTS.get(word, (word, {}))
    if name not in names or any(options.of_metric(name).get(key) != value for key, value in preset.items()):
        raise UsageError(f"--sort {options.sort!r} is not scored; choose one of {', '.join(names)}")
    return names.index(name)


def scale_of(options: Options, form: str | None) -> int:
    """Return the scale of the scores in a format, and of the bounds of gates: 1 or 100."""
    if options.segment_scores:  # scores from elsewhere are printed as they are
        return 100
    return options.scale or (100 if form is None or options.score_only else FORMATS[form].scale)


def names_of_metrics(options: Options) -> list[str]:
    """Return the names of the metrics that were asked for, in the order in which they are printed.

    With --segment-scores, there are none.
    """
    words = options.metrics or [options.followed or "bleu"]
    return [] if options.segment_scores else [name for name in METRICS if name in words]


def follows_language(options: Options) -> bool:
    """Return whether the target language chooses a tokenizer."""
    return "bleu" in names_of_metrics(options) and options.of_metric("bleu").get("tokenize") is None


def names_printed(options: Options) -> list[str]:
    """Return what `names_of_metrics` returns, or, with --segment-scores, the name of those scores."""
    if options.segment_scores:
        from bleucli.scale import segment_scores

        return [segment_scores.NAME]
    return names_of_metrics(options)


def make_metric(options: Options, name: str, without: Iterable[Option] = ()) -> Metric:
    """Make the metric of this name, configured as the options ask.

    Args:
        options: the options of the command.
        name: its name in `METRICS`.
        without: options that are left at their defaults.
    """
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
        from bleucli.scale import segment_scores

        return [segment_scores.Given()]
    return check_metrics(options, [make_metric(options, name) for name in names_of_metrics(options)])


def check_metrics(options: Options, metrics: list[Metric]) -> list[Metric]:
    """Return metrics, in the order of their names; refuse a signature of --like that they cannot reproduce."""
    if options.like is None:
        return metrics
    names = names_of_metrics(options)
    if options.followed not in names:
        raise UsageError(f"--like is a signature of {options.followed}, which is not among the metrics; add it to -m")
    from bleucli.cli import like

    like.check(metrics[names.index(options.followed)], options.like)
    return metrics


def count_threads(jobs: int | None) -> int | None:
    """Return the number of threads that --jobs asks for, or None if it was not given."""
    if jobs is None:
        return None
    from bleucli.counting import threads

    return threads.count_threads(jobs)


def check_like(options: Options, info: Mapping[str, str]) -> None:
    """Refuse texts that --like does not name, as soon as something is known about them."""
    if options.like is not None:
        from bleucli.cli import like

        like.check_texts(options.like, info)


def find_idle(options: Options, systems: int, form: str, segments: bool = False) -> list[str]:
    """Return one line about options without effect, or nothing; the other arguments are those of `effects.Run`."""
    if options.given <= {"refs", "input", "format"}:  # these always have an effect
        return []
    from bleucli.cli import effects

    return effects.of_scoring(options, effects.Run(frozenset(names_of_metrics(options)), systems, form, segments))


def note_files(overview: Callable[[int], str], segments: int, options: Options, messages: Messages) -> None:
    """Note which files are references and which are systems, where this may be unclear.

    overview: returns a line that says so. segments: how many were scored.
    """
    if len(options.refs) + len(options.input or []) > 1:
        messages.note(overview(segments))


def find_differences(signature: Mapping[str, str], options: Options) -> list[str]:
    """Return warnings about what is not as the signature of --like says; `signature` is that of the score."""
    if options.like is None:
        return []
    from bleucli.cli import like

    return list(like.warnings(signature, options.like, options.followed))


def note_texts(signature: Mapping[str, str], options: Options, messages: Messages) -> None:
    """Note what the signature of --like does not say about the texts; `signature` is that of the score."""
    if options.like is None:
        return
    from bleucli.cli import like

    for note in like.notes(signature, options.like):
        messages.note(note)
