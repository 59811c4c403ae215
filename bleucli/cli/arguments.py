"""The words of the command line, read into a record.

Most command lines are plain: options in full, each followed by its values. These are read here. All others are left to
the parser, whose making takes longer than scoring a small text: abbreviations, options of metrics, and errors.
"""

from __future__ import annotations

import os
from itertools import chain

from bleucli.cli import commands
from bleucli.cli.options import MODES, OPTIONS, VALUES, Option, Options, flag_of, flags_of
from bleucli.cli.streams import shown
from bleucli.errors import UsageError
from bleucli.phrases import suggest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

# What word processors turn hyphens into
_DASHES = "\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{FIGURE DASH}\N{EN DASH}\N{EM DASH}\N{MINUS SIGN}"


def parse(words: Sequence[str], name: str = "") -> Options:
    """Read the words that follow the name of a command; name: "" for scoring, which has none.

    >>> parse(["ref.txt", "--inp", "sys.txt", "-b"]).input
    ['sys.txt']
    """
    # A last -- ends the options, but argparse would read it as a file
    if "--" in words and words.index("--") == len(words) - 1:
        words = words[:-1]
    records = commands.command_of(name).records()
    settings = _read_plain(words, records)
    flags: Iterable[str] = chain.from_iterable(option.flags for option in records.values())
    of_metrics: dict[str, dict[str, Any]] = {}  # by metric, arguments of its constructor
    if settings is None:
        from bleucli.cli import parser

        settings, flags, metrics = parser.read(words, name)
        for metric in metrics:
            for dest, option in flags_of(metric).items():
                if dest in settings:
                    of_metrics.setdefault(metric, {})[option.name] = settings[dest]
    values = {name: option.absent_value() for name, option in (records | OPTIONS).items()}
    values |= {name: settings[name] for name in (*records, "skip_empty_refs", "normalize") if name in settings}
    _refuse_slips(values, flags)
    if values["metrics"] is not None:
        values["metrics"], of_metrics = _resolve_names(values["metrics"], of_metrics)
    if values["like"] is not None:
        from bleucli.results.signature import Signature

        values["like"] = Signature.parse(values["like"])
    if values["output"] == "-":
        values["output"] = None
    return Options(values | {"command": name, "given": frozenset(settings), "of_metrics": of_metrics, "followed": ""})


def _read_plain(words: Sequence[str], records: Mapping[str, Option]) -> dict[str, Any] | None:
    """Return the values that the words give to options, as the parser reads them; None if the parser has to read them.

    >>> from bleucli.cli.options import OPTIONS
    >>> _read_plain(["ref.txt", "-i", "a.txt", "b.txt", "-w", "2", "-b"], OPTIONS)
    {'refs': ['ref.txt'], 'input': ['a.txt', 'b.txt'], 'width': 2, 'score_only': True}
    >>> _read_plain(["ref.txt", "--inp", "a.txt"], OPTIONS) is _read_plain(["-w", "two"], OPTIONS) is None
    True
    """
    names = _names_of(filter(_is_flag, words), records)
    if names is None:
        return None
    settings: dict[str, Any] = {}
    start = 0
    while start < len(words):
        flag = words[start] if _is_flag(words[start]) else ""
        name = names.get(flag)
        if name is None:
            return None
        option = records[name]
        start += flag != ""
        if option.kind is bool:
            settings[name] = True
            continue
        end = start
        while end < len(words) and not _is_flag(words[end]):
            end += 1
        if flag and option.nargs is None:
            end = min(end, start + 1)
        elif (flag and option.nargs != "+") or (name in settings and (option.once or not flag)):
            return None
        values = words[start:end]
        if not values or not (option.choices is None or all(value in option.choices for value in values)):
            return None
        try:
            items = [VALUES[option.kind][0](value) for value in values]
        except ValueError:
            return None
        settings[name] = items if option.nargs else items[0]
        start = end
    return settings


def _names_of(flags: Iterable[str], records: Mapping[str, Option]) -> dict[str, str | None] | None:
    """Return the option that each flag means, if any; "" stands for the arguments. None if the parser has to read them.

    Only the flags that are used are looked up: most command lines have few, or none.
    """
    arguments = [name for name, option in records.items() if option.spelling[0] != "-"]
    if len(arguments) > 1 or any(records[name].nargs != "*" for name in arguments):
        return None
    names: dict[str, str | None] = {"": next(iter(arguments), None)}
    for flag in flags:
        names[flag] = next((name for name, option in records.items() if flag in option.spelling.split()), None)
    return names


def _is_flag(word: str) -> bool:
    """Return whether a word looks like an option."""
    return word[:1] == "-" and word != "-"


def _refuse_slips(values: Mapping[str, Any], flags: Iterable[str]) -> None:
    """Refuse empty names, which unset variables in scripts leave, and options that begin with a typographic dash."""
    if values.get("matrix") == "":
        raise UsageError("FILE is empty; name a TOML file")
    if values.get("groups") == "":
        raise UsageError("--groups is empty; give it a value, or leave it out")
    for name in ("baseline", "output", "registry", "caption", "mirror"):
        if values[name] == "" or (name == "caption" and str(values[name]).isspace()):
            raise UsageError(f"{flag_of(name)} is empty; give it a value, or leave it out")
    for word in (*values["refs"], *(values["input"] or ())):
        if not word:
            raise UsageError("a file name is empty; name a file (is a variable unset?)")
        if word[0] in _DASHES and not os.path.lexists(word):
            bare, flags = word.lstrip(_DASHES), list(flags)
            flag = next((flag for flag in flags if flag.lstrip("-") == bare), None)
            advice = f"; did you mean {flag}?" if flag else suggest(bare, flags)
            raise UsageError(f"there is no file {shown(word)}, and options begin with a hyphen, not a dash{advice}")


def asks_for_annotations(words: Sequence[str]) -> bool:
    """Return whether --annotate is among the words, even if others are wrong, so that errors about those are annotated.

    >>> asks_for_annotations(["--hlep", "--annotate", "github"]), asks_for_annotations(["--", "--annotate=github"])
    (True, False)
    """
    end = words.index("--") if "--" in words else len(words)
    for word, following in zip(words[:end], [*words[1:end], ""], strict=False):
        name, equals, value = word.partition("=")
        # --a could also mean --append
        if len(name) > len("--a") and "--annotate".startswith(name) and (value if equals else following) == "github":
            return True
    return False


def mode_of(options: Options) -> str:
    """Return the mode in `MODES` that the options ask for, or "" if they ask for scores."""
    return next(filter(options.has, MODES), "")


def _resolve_names(
    words: Sequence[str], settings: Mapping[str, dict[str, Any]]
) -> tuple[list[str], dict[str, dict[str, Any]]]:
    """Return the named metrics, and the arguments of all constructors, including those that a name implies.

    >>> _resolve_names(["bleu", "chrf++"], {"chrf": {"beta": 3}})
    (['bleu', 'chrf'], {'chrf': {'beta': 3, 'word_order': 2}})
    """
    from bleucli.metrics import METRICS, VARIANTS, find_name

    variants: dict[str, str] = {}
    arguments = dict(settings)
    for word in map(find_name, words):
        name, preset = VARIANTS.get(word, (word, {}))
        other = variants.setdefault(name, word)
        if other != word:
            raise UsageError(
                f"-m {other} and {word} are the same metric with different options; score with one, then with the other"
            )
        for key, value in preset.items():
            contrary = settings.get(name, {}).get(key, value)
            if contrary != value:
                flag = next(option.flags[0] for option in METRICS[name].options if option.name == key)
                raise UsageError(f"-m {word} means {flag} {value}, not {contrary}; leave out one of the two")
            arguments[name] = {**arguments.get(name, {}), key: value}
    return list(variants), arguments
