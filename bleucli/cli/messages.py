"""What is said beside the answer: notes, warnings, which --strict turns into an error, and progress."""

from __future__ import annotations

import time
from collections.abc import Iterable

from bleucli.cli.streams import Environment
from bleucli.errors import BleuError, BleuWarning, Note
from bleucli.phrases import in_command, tell_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from io import TextIOWrapper
    from typing import NoReturn

    from tqdm import tqdm

# Seconds of work before a bar is worth showing
_PATIENCE = 1.0


class Messages:
    """The notes and warnings of one run.

    Args:
        environment: the world around the command, with its stderr.
        quiet: say nothing.
        strict: hold back the answer if there is a warning.
    """

    def __init__(self, environment: Environment, quiet: bool, strict: bool) -> None:
        self._environment = environment
        self._quiet = quiet
        self._strict = strict
        self._warnings = 0

    def note(self, text: str) -> None:
        """Write a note if stderr is a terminal; elsewhere it would end up in what programs read."""
        if not self._quiet and self._environment.is_watched():
            self._environment.say("note", text)

    def warn(self, text: str) -> None:
        """Write a warning, unless --quiet; it is counted in any case."""
        self._warnings += 1
        if not self._quiet:
            self._environment.say("warning", in_command(text))

    def hear(self, warning: Warning | str) -> None:
        """Show a warning from Python's `warnings`; a note, too, is worth reading in a log: it says why a run waits."""
        text = warning.detail if isinstance(warning, BleuWarning) else str(warning)
        if not isinstance(warning, Note):
            self.warn(text)
        elif not self._quiet:
            self._environment.say("note", in_command(text))

    def hold_back(self, hints: Iterable[str]) -> None:
        """With --strict, raise an error if there are warnings; call it once all are known, before writing the answer.

        Args:
            hints: warnings that were not shown yet; with --strict, they are shown here.
        """
        if not self._strict:
            return
        for hint in hints:
            self.warn(hint)
        if self._warnings:
            count = tell_count(self._warnings, "warning")
            raise BleuError(f"{count}, and --strict allows none; fix the warnings, or leave out --strict")


class Bar:
    """A bar that appears after a second; call it with what is counted, how many are done, and how many there are.

    Use it in a `with` statement: the bar disappears at the end.
    """

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._start = time.monotonic()
        self._bar: tqdm[NoReturn] | None = None
        self._text: TextIOWrapper | None = None

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show how far the work is; `total` is 0 where it is unknown."""
        if time.monotonic() - self._start < _PATIENCE:
            return
        if self._bar is None or self._bar.unit != f" {what}":
            self.close()
            from tqdm import tqdm

            self._text = self._environment.stderr_text()
            self._bar = tqdm(
                total=total or None,
                unit=f" {what}",
                unit_scale=True,
                leave=False,
                dynamic_ncols=True,
                file=self._text,
            )
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is None or self._text is None:
            return
        self._bar.close()
        self._text.detach()  # otherwise it would close stderr when it is freed
        self._bar = self._text = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
