"""What goes in and out of the command: standard streams, environment variables, messages, and the answer.

- `Environment`: the world around one run
- `Messages`: notes, and warnings, which --strict turns into an error; `Bar`: progress
- `shown`, `encode`: names of files as text, and text as bytes
- `deliver`, `deliver_with`: write the answer once it is complete, or add it to a history
- `refuse_foreign`: add lines only to a history, not to any other file
- `protect`: no file that is read is written
- `Provenance`, `tell_command`: the command line that asked for the answer, and its time
"""

from __future__ import annotations

import os
import sys
import time

from bleucli.errors import BleuError, BleuWarning, Note, UsageError
from bleucli.phrases import in_command, tell_count
from bleucli.text import wholefiles
from bleucli.text.wholefiles import copy, descriptor_of, write_all, write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from io import TextIOWrapper
    from typing import IO, NoReturn

    from tqdm import tqdm

    from bleucli.results import Run

# Seconds of work before a bar is worth showing, and of scoring with slow kernels that are not worth a note
_PATIENCE = 1.0
_SLOWNESS = 2.0
# More bytes than any line of scores has. Other files may have no line breaks, and must not fill the memory.
_LONGEST_LINE = 1 << 24
# If a history cannot be locked
_ADVICE = "name a file on a file system that can lock files"


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
            from io import TextIOWrapper

            from tqdm import tqdm

            assert self._environment.stderr is not None
            self._text = TextIOWrapper(self._environment.stderr, "utf-8", "replace", newline="", write_through=True)
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


# --- the answer: to standard output, or to the file of --output


def deliver(chunks: Iterable[str | bytes], path: str | None, environment: Environment, append: bool = False) -> None:
    """Write the complete answer to a file, or to stdout if `path` is None; append: keep what the file already has."""
    with spool(chunk if isinstance(chunk, bytes) else encode(chunk) for chunk in chunks) as answer:
        if path is None and environment.stdout is None:
            raise BleuError("cannot write standard output: it is closed; name a file with --output")
        try:
            if path is not None and append:
                _append(answer, path)
            elif path is not None:
                write_file(answer, path)
            elif environment.stdout is not None:
                copy(answer, environment.stdout)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _unwritable("standard output" if path is None else shown(path), error) from None


def deliver_with(
    hints: Sequence[str], answer: Iterable[str], path: str | None, environment: Environment, messages: Messages
) -> None:
    """Write an answer, then the hints about it; making it may cause warnings as well, for which --strict refuses it."""

    def chunks() -> Iterator[str]:
        yield from answer
        messages.hold_back(hints)

    deliver(chunks(), path, environment)
    for hint in hints:
        messages.warn(hint)


def tell_withheld(path: str | None, append: bool) -> str:
    """Return the clause that says what happened to the file of an answer that is not written.

    >>> tell_withheld("scores.json", append=False)
    'scores.json was not written'
    """
    name = shown(str(path))
    return f"nothing was added to {name}" if append else f"{name} was not written"


def spool(chunks: Iterable[bytes]) -> IO[bytes]:
    """Return all chunks as one file, ready to be read; it stays in memory while it is small."""
    with wholefiles.Aside():
        return wholefiles.spool(chunks)


def _unwritable(name: str, error: OSError) -> BleuError:
    return BleuError(f"cannot write {name}: {error.strerror or error}; name a writable file with --output")


# --- a history


def refuse_foreign(path: str) -> None:
    """Refuse to add lines to a file that exists and is not a history."""
    if not os.path.isfile(path):
        return
    from bleucli.waiting import lock

    try:
        with open(path, "rb") as file:
            lock(file, shown(path), _ADVICE, shared=True)
            _check_history(file, shown(path))
    except OSError as error:
        raise _unwritable(shown(path), error) from None


def _append(answer: IO[bytes], name: str) -> None:
    """Add to the end of a file, under a lock, so that the lines of several writers stay whole."""
    if os.path.exists(name) and not os.path.isfile(name):  # a device or a pipe, which has no content to check
        write_file(answer, name)
        return
    from bleucli.waiting import lock

    with open(name, "a+b", buffering=0) as file:
        lock(file, shown(name), _ADVICE)
        _check_history(file, shown(name))
        end = file.seek(0, os.SEEK_END)
        descriptor = descriptor_of(name)
        try:
            if descriptor is None:
                copy(answer, file)
            else:  # so that what the shell writes next comes after it
                os.lseek(descriptor, 0, os.SEEK_END)
                write_file(answer, name)
            os.fsync(file.fileno())
        except BaseException:  # also after Ctrl-C: half a line would make the history unreadable
            file.truncate(end)
            raise


def _check_history(file: IO[bytes], name: str) -> None:
    """Refuse a file that is neither empty nor made of lines of jsonl."""
    from bleucli.output.json_text import is_ours

    if not file.seek(0, os.SEEK_END):
        return
    # Unbuffered, reading a line would take one call per byte
    with open(file.fileno(), "rb", closefd=False) as buffered:
        buffered.seek(-1, os.SEEK_END)
        last = buffered.read(1)
        buffered.seek(0)
        first = buffered.readline(_LONGEST_LINE)
    if not is_ours(first):
        raise BleuError(f"{name} has lines that -f jsonl did not write; name another file with --output")
    if last != b"\n":
        raise BleuError(
            f"the last line of {name} is incomplete, as if a run was killed; delete that line, or end it with a line"
            " break"
        )


# --- no file that is read


def protect(output: str | None, inputs: Iterable[str], stdin: IO[bytes] | None = None) -> None:
    """Refuse to write a file that is read; stdin: standard input, if it is read."""
    if output is None:
        return
    for path in inputs if os.path.isfile(output) else ():
        if path != "-" and os.path.exists(path) and os.path.samefile(path, output):
            raise UsageError(f"--output {shown(output)} is also an input; name another file")
    try:
        is_stdin = stdin is not None and os.path.samestat(os.stat(output), os.fstat(stdin.fileno()))
    except OSError:  # the file does not exist, or the stream has no descriptor
        return
    if is_stdin and os.path.isfile(output):
        raise UsageError(f"--output {shown(output)} is also the standard input; name another file")


# --- the command line that asked for scores, and its time, for formats that show them


class Provenance:
    """A command line and its time, which is that of `SOURCE_DATE_EPOCH` if the environment has it."""

    def __init__(self, words: Sequence[str], environment: Environment) -> None:
        self._command = ["bleu", *(mask_credentials(shown(word)) for word in words)]
        self._time = _time_of(environment.variables)

    def of(self, run: Run) -> Run:
        """Return the record of a run with the command and its time."""
        far = next((one.name for one in run.references if one.role == "table" and not one.sha256), None)
        if far is not None:
            raise BleuError(f"cannot compute the SHA-256 of {far}, which is not on this machine; choose another format")
        return run._replace(command=self._command, time=self._time)


def tell_command(words: Sequence[str]) -> str:
    """Return the command line as statistics files record it."""
    from shlex import join

    return join(["bleu", *(mask_credentials(shown(word)) for word in words)])


def mask_credentials(word: str) -> str:
    """Return a word of the command line with user and password in an address masked.

    >>> mask_credentials("--mirror=https://me:secret@data.example/sets")
    '--mirror=https://***@data.example/sets'
    """
    import re

    return re.sub(r"(?<=://)[^/?#\s]*@", "***@", word)  # the password may contain @


def _time_of(variables: Mapping[str, str]) -> str:
    """Return the time in UTC: that of `SOURCE_DATE_EPOCH` if it is set, else the present.

    >>> _time_of({"SOURCE_DATE_EPOCH": "0"})
    '1970-01-01T00:00:00Z'
    """
    import time

    epoch = variables.get("SOURCE_DATE_EPOCH", "")
    try:
        if epoch and not (epoch.isascii() and epoch.isdigit()):
            raise ValueError
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(epoch) if epoch else None))
    except (ValueError, OverflowError, OSError):
        value = epoch if len(epoch) <= 40 else f"{epoch[:40]}..."
        raise UsageError(f"SOURCE_DATE_EPOCH is {value!r}; expected a whole number of seconds since 1970") from None
