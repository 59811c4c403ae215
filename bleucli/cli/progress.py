"""Progress on a terminal's stderr, for work that takes longer than a second."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from bleucli.cli.streams import Environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from io import TextIOWrapper
    from typing import NoReturn

    from tqdm import tqdm

    from bleucli.cli.options import Options

# Seconds of work before a bar is worth showing
_PATIENCE = 1.0


class Progress:
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

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def watch(options: Options, environment: Environment) -> AbstractContextManager[Callable[[str, int, int], None]]:
    """Return a bar if someone watches, and otherwise something that shows nothing, for a `with` statement."""
    if options.quiet or not environment.is_watched():
        return nullcontext(lambda *_: None)
    return Progress(environment)
