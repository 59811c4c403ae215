"""The world around the command: standard streams, environment variables, and what is said on stderr.

- `Environment`: the world around one run
- `Messages`: notes, and warnings, which --strict turns into an error; `Bar`: progress
- `shown`, `encode`: names of files as text, and text as bytes
"""

from __future__ import annotations

import os
import sys
import time

from bleucli.errors import BleuError, BleuWarning, Note
from bleucli.phrases import in_command, tell_count
from bleucli.text.wholefiles import write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from io import TextIOWrapper
    from typing import IO, NoReturn

    from tqdm import tqdm

# Seconds of work before a bar is worth showing, and of scoring with slow kernels that are not worth a note
_PATIENCE = 1.0
_SLOWNESS = 2.0


class Environment:
    """The world around one run of the command; tests replace it.

    stdin, stdout, stderr: binary streams; None for one that is closed. annotates: whether errors and warnings are also
    written as annotations, which GitHub shows beside a change.
    """

    def __init__(
        self,
        stdin: IO[bytes] | None,
        stdout: IO[bytes] | None,
        stderr: IO[bytes] | None,
        variables: Mapping[str, str],
    ) -> None:
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.variables = variables
        self.annotates = False

    @classmethod
    def of_process(cls) -> Environment:
        """Return the environment of this process; streams are unbuffered, so that no write fails unnoticed at exit."""
        return cls(_raw(sys.stdin, "rb"), _raw(sys.stdout, "wb"), _raw(sys.stderr, "wb"), os.environ)

    def is_watched(self) -> bool:
        """Return whether stderr is a terminal."""
        return self.stderr is not None and self.stderr.isatty()

    def columns(self) -> int | None:
        """Return the width of the terminal that stdout goes to; None if there is none or its width is unknown."""
        if self.stdout is None or not self.stdout.isatty():
            return None
        try:
            return os.get_terminal_size(self.stdout.fileno()).columns or None
        except OSError:
            return None

    def shows_colour(self, stream: IO[bytes] | None) -> bool:
        """Return whether a stream is a terminal on which colours are wanted."""
        if stream is None or not stream.isatty() or self.variables.get("NO_COLOR"):
            return False
        if sys.platform == "win32":  # consoles there need this to show colours
            from colorama import just_fix_windows_console

            just_fix_windows_console()
        return True

    def say(self, kind: str, text: str, title: str = "bleu") -> None:
        """Write `bleu: kind: text` to stderr, as one line whatever the text contains; `title` is the annotation's."""
        colour = {"error": "red", "warning": "yellow"}.get(kind)
        label = kind
        if colour is not None and self.shows_colour(self.stderr):
            from bleucli.prose.theme import paint

            label = paint(colour, kind)
        self._talk(f"bleu: {label}: {_visible(text)}\n")
        if self.annotates and colour is not None:
            # https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
            escapes = {ord("%"): "%25", ord("\r"): "%0D", ord("\n"): "%0A"}
            message = _visible(text.translate(escapes))
            title = _visible(title.translate(escapes | {ord(":"): "%3A", ord(","): "%2C"}))
            self._talk(f"::{kind} title={title}::{message}\n")

    def say_fault(self, error: BaseException) -> None:
        """Say that the program itself failed, with the traceback if `BLEU_TRACEBACK` is set."""
        cure = "report it with what BLEU_TRACEBACK=1 shows"
        if self.variables.get("BLEU_TRACEBACK", "") not in ("", "0"):
            from traceback import format_exception

            lines = "".join(format_exception(error)).splitlines()
            self._talk("".join(f"{_visible(line)}\n" for line in lines))
            cure = "report it with the lines above"
        cause = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        self.say("error", f"bleu itself failed ({cause}); {cure}")

    def stderr_text(self) -> TextIOWrapper:
        """Return stderr, which must be open, as a stream of text; detach it at the end, or it will close stderr."""
        from io import TextIOWrapper

        assert self.stderr is not None
        return TextIOWrapper(self.stderr, "utf-8", "replace", newline="", write_through=True)

    def limit_numpy(self) -> None:
        """Let NumPy, if it is imported later, start without threads for linear algebra, which is not used here."""
        if self.variables is os.environ:  # tests have other variables, and must not change those of the process
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    def _talk(self, text: str) -> None:
        if self.stderr is None:
            return
        try:
            write_all(self.stderr, encode(text))
        except OSError:  # stderr is closed
            return


def _visible(text: str) -> str:
    if text.isprintable():  # nearly always; this saves importing the module
        return text
    from bleucli.prose.markup import visible

    return visible(text)


def _raw(stream: IO[str] | None, mode: str) -> IO[bytes] | None:
    """Return a standard stream without buffer and encoding; None if it is closed."""
    if stream is None:
        return None
    return open(stream.fileno(), mode, buffering=0, closefd=False)


class Messages:
    """The notes and warnings of one run; strict: they hold back the answer."""

    def __init__(self, environment: Environment, quiet: bool, strict: bool) -> None:
        self._environment = environment
        self._quiet = quiet
        self._strict = strict
        self._warnings = 0
        self._start = self._clocks()

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

        hints: warnings that were not shown yet; with --strict, they are shown here.
        """
        if not self._strict:
            return
        for hint in hints:
            self.warn(hint)
        if self._warnings:
            count = tell_count(self._warnings, "warning")
            raise BleuError(f"{count}, and --strict allows none; fix the warnings, or leave out --strict")

    def note_slowness(self) -> None:
        """Note why the kernels are slow, if that was noticeable."""
        from bleucli import kernels

        # The shorter time counts: waiting for a pipe or a download takes no processor time, and threads together take
        # more processor time than the user waits
        times = zip(self._clocks(), self._start, strict=True)
        if kernels.reason and min(now - then for now, then in times) > _SLOWNESS:
            self.note(f"this was slow: {kernels.reason}")

    @staticmethod
    def _clocks() -> tuple[float, float]:
        """Return the seconds of wall-clock time and of processor time."""
        return time.monotonic(), time.process_time()


class Bar:
    """A bar that appears after a second; call it with what is counted, how many are done, and how many there are.

    Use it in a `with` statement: the bar disappears at the end.
    """

    def __init__(self, environment: Environment, is_hidden: bool = False) -> None:
        self._environment = environment
        self._is_hidden = is_hidden
        self._start = time.monotonic()
        self._bar: tqdm[NoReturn] | None = None
        self._text: TextIOWrapper | None = None

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show how far the work is; `total` is 0 where it is unknown."""
        if self._is_hidden or time.monotonic() - self._start < _PATIENCE:
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


def shown(name: str) -> str:
    """Return a file name from the command line as text that `encode` turns back into the name's own bytes."""
    return os.fsencode(name).decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Return UTF-8; file names that are not UTF-8 come out as they went in."""
    return text.encode("utf-8", "surrogateescape")
