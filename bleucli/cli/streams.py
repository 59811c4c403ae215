"""The world around the command: standard streams, environment variables, and messages on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from bleucli.text.wholefiles import write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from io import TextIOWrapper
    from typing import IO


class Environment:
    """The world around one run of the command; tests replace it.

    Args:
        stdin, stdout, stderr: binary streams; None for one that is closed.
        variables: the environment variables.

    Attributes:
        annotates: whether errors and warnings are also written as annotations, which GitHub shows beside a change.
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

    def shows_colour(self) -> bool:
        """Return whether stdout is a terminal on which colours are wanted."""
        return self._shows_colour(self.stdout)

    def columns(self) -> int | None:
        """Return the width of the terminal that stdout goes to; None if there is none or its width is unknown."""
        if self.stdout is None or not self.stdout.isatty():
            return None
        try:
            return os.get_terminal_size(self.stdout.fileno()).columns or None
        except OSError:
            return None

    def _shows_colour(self, stream: IO[bytes] | None) -> bool:
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
        if colour is not None and self._shows_colour(self.stderr):
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


def shown(name: str) -> str:
    """Return a file name from the command line as text that `encode` turns back into the name's own bytes."""
    return os.fsencode(name).decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Return UTF-8; file names that are not UTF-8 come out as they went in."""
    return text.encode("utf-8", "surrogateescape")
