"""argparse as the command needs it: errors of ours, and groups that know which options sacreBLEU has."""

import argparse
from collections.abc import Callable

from bleucli.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Parser(argparse.ArgumentParser):
    """A parser whose errors are ours: one line, raised. It knows which options sacreBLEU has."""

    def __init__(self, **how: "Any") -> None:
        super().__init__(**how)
        self.ours: list[str] = []

    def flags(self) -> list[str]:
        """Return all that may be written before a value."""
        return [flag for action in self._actions for flag in action.option_strings]

    def group(self, title: str) -> "tuple[Callable[..., object], Callable[..., object]]":
        """Return what adds an option of sacreBLEU's to a group, and what adds one of ours; a new group is the last."""
        groups = {group.title: group for group in self._action_groups}
        group = groups.get(title) or self.add_argument_group(title)

        def add_ours(*flags: str, **how: "Any") -> None:
            self.ours.append(flags[0])
            group.add_argument(*flags, **how)

        return group.add_argument, add_ours

    def error(self, message: str) -> "argparse.NoReturn":  # type: ignore[name-defined]
        """Raise what argparse would print."""
        raise UsageError(f"{message}; see bleu --help")

    def _get_values(self, action: argparse.Action, arg_strings: "list[str]") -> "Any":
        """Refuse `--option=--`: argparse before Python 3.13 deletes such a value, and then has none."""
        if action.option_strings and "--" in arg_strings:
            raise UsageError(f"{action.option_strings[0]} is --; expected a value (a file of that name is ./--)")
        return super()._get_values(action, arg_strings)
