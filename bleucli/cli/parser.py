"""argparse as the command needs it: made from records, with our errors."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from bleucli.cli.streams import shown
from bleucli.errors import UsageError
from bleucli.limits import read_number, read_whole_number
from bleucli.phrases import suggest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn

    from bleucli.cli.options import Option


# Types of values other than text, each with what a value should be
_READERS: dict[Any, tuple[Callable[[str], float], str]] = {
    int: (read_whole_number, "a whole number"),
    float: (read_number, "a number"),
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

    def __call__(self, parser: object, found: argparse.Namespace, values: object, flag: str | None = None) -> None:
        """Keep the values.

        Raises:
            UsageError: the option was given before.
        """
        if hasattr(found, self.dest) and getattr(found, self.dest) is not self.default:
            raise UsageError(f"{flag} was given twice; give all its values after one {flag}")
        setattr(found, self.dest, values)


class Parser(argparse.ArgumentParser):
    """A parser that raises errors of one line, and that knows which options sacreBLEU has."""

    def __init__(self, **how: Any) -> None:
        super().__init__(formatter_class=Layout, **how)
        self.ours: list[str] = []

    def flags(self) -> list[str]:
        """Return all flags."""
        return [flag for action in self._actions for flag in action.option_strings]

    def add(self, heading: str, name: str, option: Option) -> None:
        """Add an option under a heading; a new heading comes last.

        Absent options get no value, so that only those that were given are read.

        name: what the values that are read have it under.
        """
        groups = {group.title: group for group in self._action_groups}
        group = groups.get(heading) or self.add_argument_group(heading)
        if not option.flags:
            group.add_argument(
                name, nargs=option.nargs, metavar=option.metavar, default=argparse.SUPPRESS, help=option.help
            )
            return
        how: dict[str, Any] = {"dest": name, "default": argparse.SUPPRESS, "help": option.help}
        if option.kind is bool:
            how["action"] = "store_true"
        else:
            how |= {"type": option.kind, "nargs": option.nargs, "metavar": option.metavar, "choices": option.choices}
            how |= {"const": option.const} if option.nargs == "?" else {}
            how |= {"action": Once} if option.once else {}
        group.add_argument(*option.flags, **how)
        if not option.theirs:
            self.ours.append(option.flags[0])

    def read(self, words: Sequence[str]) -> dict[str, Any]:
        """Return the values that the words give to options, by the names of the options.

        Raises:
            UsageError: an option does not exist or has a wrong value, or a file name is in the wrong place.
        """
        found, left = self.parse_known_args(words)
        for word in left:
            if word[:1] == "-" and word not in ("-", "--"):
                self.refuse(word)
        if left:
            raise UsageError(
                f"{shown(left[-1])} is separated from the other references; name all references together,"
                " and systems after -i"
            )
        return vars(found)

    def refuse(self, word: str) -> NoReturn:
        """Raise the error about an option that does not exist; it names those that may be meant."""
        name = shown(word.partition("=")[0])
        alike = [flag for flag in self.flags() if flag.startswith("--") == name.startswith("--")]
        raise UsageError(f"there is no option {name}; see bleu --help all{suggest(name, alike)}")

    def error(self, message: str) -> NoReturn:
        """Reword and raise what argparse would print, such as `argument --quiet/-q: ignored explicit argument 'x'`."""
        told = message.removeprefix("argument ").replace(": ignored explicit argument", " takes no value, but has")
        raise UsageError(f"{told}; see bleu --help all")

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        """Refuse what is not a number where one is expected."""
        if action.type not in _READERS:
            return arg_string
        read, expected = _READERS[action.type]
        try:
            return read(arg_string)
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
