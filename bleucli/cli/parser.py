"""The parser, and the pages of help that it makes.

Long options may be abbreviated. An abbreviation that is unique among sacreBLEU's options keeps its meaning, whatever we
add. The options of metrics come from the tables beside the metrics' classes. These tables are read only where a word
may be such an option: importing all metrics takes time, and would slow down modes such as listing test sets.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from bleucli.cli import commands
from bleucli.cli.options import OPTIONS, THEIRS, VALUES, Option, flags_of
from bleucli.cli.streams import shown
from bleucli.errors import UsageError
from bleucli.phrases import suggest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from bleucli.cli.commands import Command

_METAVARS = {bool: "", int: "N", float: "X", str: "NAME"}
# Options of earlier versions, and what to write instead
_FORMER = {
    "--add-scores": "bleu report REF -i SYSTEM -o PAGE.html --scores NAME=FILE",
    "--explain": "bleu explain REF -i SYSTEM",
    "--first-line": "bleu count REF -i SYSTEM -o FILE --first-line N",
    "--matrix": "bleu matrix FILE",
    "--plot": "bleu plot REF -i SYSTEM -o FIGURE.pdf",
    "--plot-kind": "bleu plot REF -i SYSTEM -o FIGURE.pdf --kind KIND",
    "--plot-width": "bleu plot REF -i SYSTEM -o FIGURE.pdf --width WIDTH",
    "--report": "bleu report REF -i SYSTEM -o PAGE.html",
    "--save-stats": "bleu count REF -i SYSTEM -o FILE",
    "--save-sums": "bleu count REF -i SYSTEM -o FILE --sums",
    "--self-bleu": "bleu diversity TEXT",
    "--serve": "bleu serve PORT",
    "--versus-sacrebleu": "bleu versus-sacrebleu REF -i SYSTEM",
}


class Layout(argparse.HelpFormatter):
    """A page of help that shows the value of an option only once: `--input, -i SYSTEM...`."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28)

    def _split_lines(self, text: str, width: int) -> list[str]:
        """Break lines only at spaces, so that the name of an option stays whole."""
        from textwrap import wrap

        return wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = {"+": f"{action.metavar}...", "?": f"[{action.metavar}]"}.get(str(action.nargs), action.metavar)
        return f"{', '.join(action.option_strings)} {value}"


class Once(argparse.Action):
    """An option that may be given only once: argparse would silently replace the first values with the second ones."""

    def __call__(self, parser: object, namespace: argparse.Namespace, values: object, flag: str | None = None) -> None:
        """Keep the values, unless the option was given before."""
        if hasattr(namespace, self.dest) and getattr(namespace, self.dest) is not self.default:
            raise UsageError(f"{flag} was given twice; give all its values after one {flag}")
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """A parser that raises errors of one line, and that knows which options sacreBLEU has."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=Layout, **settings)
        self.ours: list[str] = []

    def flags(self) -> list[str]:
        """Return all flags."""
        return [flag for action in self._actions for flag in action.option_strings]

    def add(self, heading: str, name: str, option: Option, kind: type | None = None, theirs: bool = False) -> None:
        """Add an option under a heading; a new heading comes last.

        Absent options get no value, so that only those that were given are read. kind: the type of the value, if the
        record does not say it. theirs: whether sacreBLEU has the option, too.
        """
        groups = {group.title: group for group in self._action_groups}
        group = groups.get(heading) or self.add_argument_group(heading)
        settings: dict[str, Any] = {"default": argparse.SUPPRESS, "help": option.help}
        if option.metavar:
            settings |= {"nargs": option.nargs, "metavar": option.metavar}
        else:
            settings["action"] = "store_true"
        if not option.flags:
            group.add_argument(name, **settings)
            return
        if option.metavar:
            settings |= {"type": kind or option.kind, "choices": option.choices}
            settings |= {"action": Once} if option.once else {}
        group.add_argument(*option.flags, dest=name, **settings)
        if not theirs:
            self.ours.append(option.flags[0])

    def read(self, words: Sequence[str]) -> dict[str, Any]:
        """Return the values that the words give to options, by the names of the options."""
        namespace, rest = self.parse_known_args(words)
        for word in rest:
            if word[:1] == "-" and word not in ("-", "--"):
                self.refuse(word)
        if rest and not any(action.dest == "refs" for action in self._actions):
            raise UsageError(f"{shown(rest[0])} is one argument too many; see {self.prog} --help all")
        if rest and any("-i" in action.option_strings and action.nargs is None for action in self._actions):
            raise UsageError(
                f"{shown(rest[-1])} is one argument too many; {self.prog} takes one system after -i: name it there,"
                " and all references before it"
            )
        if rest:
            raise UsageError(
                f"{shown(rest[-1])} is separated from the other references; name all references together,"
                " and systems after -i"
            )
        return vars(namespace)

    def refuse(self, word: str) -> NoReturn:
        """Raise the error about an option that does not exist; it names those that may be meant."""
        name = shown(word.partition("=")[0])
        if name in _FORMER:
            raise UsageError(f"{name} has moved to a command; write {_FORMER[name]}")
        alike = [flag for flag in self.flags() if flag.startswith("--") == name.startswith("--")]
        raise UsageError(f"{self.prog} has no option {name}; see {self.prog} --help all{suggest(name, alike)}")

    def error(self, message: str) -> NoReturn:
        """Reword and raise what argparse would print, such as `argument --quiet/-q: ignored explicit argument 'x'`."""
        text = message.removeprefix("argument ").replace(": ignored explicit argument", " takes no value, but has")
        raise UsageError(f"{text}; see {self.prog} --help all")

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        """Refuse what is not a number where one is expected."""
        kind: Any = action.type or str
        convert, expected = VALUES[kind]
        try:
            return convert(arg_string)
        except ValueError:
            raise UsageError(f"{action.option_strings[0]} {arg_string!r}; expected {expected}") from None

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is not among the choices, and suggest one, even if commas join several values."""
        choices = action.choices
        if choices is None or value in choices:
            return
        flag = action.option_strings[0]
        parts = [part for part in value.lower().split(",") if part]
        if action.nargs == "+" and len(parts) > 1 and all(part in choices for part in parts):
            raise UsageError(f"{flag} {value} has commas instead of spaces; did you mean {flag} {' '.join(parts)}?")
        if hasattr(choices, "tell_wrong"):
            raise UsageError(f"{flag} {value!r}; ", choices.tell_wrong(value))
        raise UsageError(f"{flag} {value!r}; choose from {', '.join(choices)}{suggest(value, choices)}")

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Refuse `--option=--`: before Python 3.13, argparse deletes such a value and is left without one."""
        if action.option_strings and "--" in arg_strings:
            raise UsageError(f"{action.option_strings[0]}=--; expected a value (for a file of that name, write ./--)")
        return super()._get_values(action, arg_strings)


def _parser_of(name: str, command: Command) -> Parser:
    """Return the parser of all options of a command except those of metrics."""
    top = Parser(
        prog=f"bleu {name}".rstrip(),
        usage="\n       ".join(command.usage),
        description=command.about,
        epilog="Exit status: 0 success, 1 a gate or check failed, no setting gives a number, or\n"
        "sacreBLEU's numbers differ, 2 wrong usage or input, 70 bleu itself failed\n"
        "(BLEU_TRACEBACK=1 shows where), 130 interrupted.",
        allow_abbrev=False,
        add_help=False,
    )
    for heading, options in command.options.items():
        for option_name, option in options.items():
            top.add(heading, option_name, option, theirs=option_name in THEIRS)
    return top


def read(words: Sequence[str], name: str) -> tuple[dict[str, Any], list[str], list[str]]:
    """Return the values that the words give to options, all flags, and the metrics whose flags these include."""
    command = commands.command_of(name)
    top = _parser_of(name, command)
    metrics: list[str] = []
    end = words.index("--") if "--" in words else len(words)
    flags = [word.partition("=")[0] for word in words[:end] if word[:1] == "-" and word != "-"]
    # Options of other commands: argparse could read -sl as -s l
    foreign = {flag for option in OPTIONS.values() for flag in option.flags} if name else set()
    if command.metrics == () and not set(flags) <= set(top.flags()):  # -tok could be read as -t ok
        from bleucli.metrics import METRICS

        foreign |= {flag for metric in METRICS for option in flags_of(metric).values() for flag in option.flags}
    for flag in filter(foreign.difference(top.flags()).__contains__, flags):
        top.refuse(flag)
    if not set(flags) <= set(top.flags()):  # a word may be an abbreviation, or an option of a metric
        metrics = _add_flags_of_metrics(top, command.metrics, lambda: set(flags) <= set(top.flags()))
        theirs = [flag for flag in top.flags() if flag.startswith("--") and flag not in top.ours]
        words = _spell_out(words, theirs, top.ours)
        # Words that only begin a short option, such as -to, which argparse could read as -tok or as -t o
        for word in words[:end]:
            flag = word.partition("=")[0]
            begins = flag[:1] == "-" and flag != "-" and any(option.startswith(flag) for option in top.flags())
            if begins and flag not in top.flags():
                top.refuse(word)
    return top.read(words), top.flags(), metrics


def _spell_out(words: Sequence[str], *options: Sequence[str]) -> list[str]:
    """Write abbreviated long options in full; one that is unique in an earlier group keeps its meaning.

    >>> _spell_out(["--enc=latin-1", "--m", "bleu", "--", "--enc"], ["--encoding", "--metrics"], ["--max-drop"])
    ['--encoding=latin-1', '--metrics', 'bleu', '--', '--enc']
    """
    end = words.index("--") if "--" in words else len(words)
    result = list(words)
    for place, word in enumerate(words[:end]):
        name, equals, value = word.partition("=")
        # A flag in full is not an abbreviation of a longer one, such as --list of --list-tokenizers
        candidates = (
            [flag for flag in group if flag == name] or [flag for flag in group if flag.startswith(name)]
            for group in options
        )
        flags = next(filter(None, candidates), []) if word.startswith("--") else []
        if len(flags) > 1:
            raise UsageError(f"{name} could mean {' or '.join(flags)}; write more of it")
        if flags:
            result[place] = flags[0] + equals + value
    return result


def _add_flags_of_metrics(
    top: Parser, names: Sequence[str] | None, suffices: Callable[[], bool] = lambda: False
) -> list[str]:
    """Add the flags of metrics, in groups after the general ones for scoring, and return their names.

    names: those of the metrics; None for all, and for the flags that all metrics share. suffices: called after each
    metric; once it returns True, the other metrics, which are slow to import, are left out.
    """
    if names is not None and not names:
        return []
    from bleucli.metrics import METRICS
    from bleucli.metrics.options import NORMALIZE, SKIP_EMPTY_REFS

    metrics = []
    if names is None:
        top.add("what to score", SKIP_EMPTY_REFS.dest, Option(SKIP_EMPTY_REFS.flags[0], SKIP_EMPTY_REFS.help))
        top.add("how to score", NORMALIZE.dest, Option(f"{NORMALIZE.flags[0]} KINDS", NORMALIZE.help))
    # argparse can only append groups: take the later ones off, and put them back at the end
    groups = top._action_groups
    place = [group.title for group in groups].index("how to score") + 1
    rest = groups[place:]
    del groups[place:]
    for name in METRICS if names is None else names:
        for dest, option in flags_of(name).items():
            kind = bool if option.kind is bool else option.reads
            spelling = " ".join((*option.flags, _METAVARS[kind])).rstrip()
            top.add(METRICS[name].name, dest, Option(spelling, option.help), kind, not option.ours)
        metrics.append(name)
        if suffices():
            break
    groups += rest
    return metrics


def parser(name: str = "") -> Parser:
    """Return the parser of all options of a command, including those of metrics."""
    command = commands.command_of(name)
    top = _parser_of(name, command)
    _add_flags_of_metrics(top, command.metrics)
    return top


def first_screen(top: Parser, name: str) -> str:
    """Return the page of `--help`: what most people need, in 80 columns and fewer than 50 lines."""
    command = commands.command_of(name)
    page = top._get_formatter()
    page.add_usage(top.usage, [], [])
    page.add_text(top.description)
    page.start_section("often used")
    actions = {action.dest: action for action in top._actions}
    page.add_arguments([actions[option] for option in command.often])
    page.end_section()
    text = f"{page.format_help()}\n"
    if name:
        return f"{text}more: bleu {name} --help all\n\n{top.epilog}\n"
    lines = "".join(f"  bleu {other:<20} {commands.command_of(other).about}\n" for other in commands.MODULES)
    return f"{text}commands, each with its own --help:\n{lines}\n{command.ending}\n{top.epilog}\n"
