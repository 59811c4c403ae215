"""Checks of the values of options, whether or not these have an effect."""

from __future__ import annotations

from bleucli import tokenizers
from bleucli.cli import metric_options
from bleucli.cli.arguments import asks_for_resampling, has_gates
from bleucli.cli.commands import command_of
from bleucli.cli.options import Options, flag_of
from bleucli.cli.streams import shown
from bleucli.errors import BleuError, UsageError
from bleucli.output.layout import is_label
from bleucli.reading import TextFile


def check(options: Options) -> None:
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
        from bleucli.cli import sampling

        sampling.check(options)
    tokenizer = options.of_metric("bleu").get("tokenize")
    if tokenizer is not None:
        tokenizers.check_name(tokenizer)
    TextFile("", encoding=options.encoding)  # refuses an unknown encoding; no file is opened
    if options.jsonl_fields is not None:
        from bleucli.reading.jsonfields import fields_named

        fields_named(options.jsonl_fields)
    of_test_set = options.test_set is not None or options.list or options.download is not None
    metric_options.target_language(options.language_pair, of_test_set)
    metric_options.check(options)


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
