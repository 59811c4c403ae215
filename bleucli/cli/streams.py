"""Where the command reads and writes: standard streams, the file of --output, and what to say on stderr."""

import os
import stat
import sys
from collections.abc import Iterable, Mapping
from errno import EACCES, EISDIR

from bleucli.errors import BleuError, UsageError
from bleucli.markup import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from io import TextIOWrapper
    from typing import IO

_SPOOL_BYTES = 1 << 20


class Environment:
    """The world around one run of the command; tests replace it.

    Args:
        stdin, stdout, stderr: binary streams; None for one that is closed.
        variables: the environment's.
    """

    def __init__(
        self,
        stdin: "IO[bytes] | None",
        stdout: "IO[bytes] | None",
        stderr: "IO[bytes] | None",
        variables: Mapping[str, str],
    ) -> None:
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.variables = variables

    @classmethod
    def of_process(cls) -> "Environment":
        """Return this process's own, unbuffered, so that nothing is left to fail behind our back."""
        return cls(_raw(sys.stdin, "rb"), _raw(sys.stdout, "wb"), _raw(sys.stderr, "wb"), os.environ)

    def shows_colour(self) -> bool:
        """Return whether stdout is a terminal on which colours are wanted."""
        return self.stdout is not None and self.stdout.isatty() and not self.variables.get("NO_COLOR")

    def say(self, kind: str, text: str) -> None:
        """Write `bleu: kind: text` to stderr, in one line, whatever names it has."""
        colours = {"error": "31", "warning": "33"}
        if kind in colours and self.stderr is not None and self.stderr.isatty() and not self.variables.get("NO_COLOR"):
            kind = f"\033[{colours[kind]}m{kind}\033[0m"
        self._talk(f"bleu: {kind}: {visible(text)}\n")

    def say_fault(self, error: BaseException) -> None:
        """Say that the program itself failed, and where if `BLEU_TRACEBACK` is set."""
        cure = "report it with what BLEU_TRACEBACK=1 shows"
        if self.variables.get("BLEU_TRACEBACK", "") not in ("", "0"):
            from traceback import format_exception

            lines = "".join(format_exception(error)).splitlines()
            self._talk("".join(f"{visible(line)}\n" for line in lines))
            cure = "report it with the lines above"
        told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        self.say("error", f"a fault of bleu itself ({told}); {cure}")

    def stderr_text(self) -> "TextIOWrapper":
        """Return stderr, which is not closed, for those who write text; detach it in the end, else it closes stderr."""
        from io import TextIOWrapper

        assert self.stderr is not None
        return TextIOWrapper(self.stderr, "utf-8", "replace", newline="", write_through=True)

    def limit_numpy(self) -> None:
        """Let NumPy, if it is imported later, start without threads for linear algebra, which nobody uses here."""
        if self.variables is os.environ:
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    def _talk(self, text: str) -> None:
        if self.stderr is None:
            return
        try:
            _write_all(self.stderr, encoded(text))
        except OSError:  # nobody listens
            return


def _raw(stream: "IO[str] | None", mode: str) -> "IO[bytes] | None":
    """Return a standard stream without buffer or encoding; None if it is closed."""
    if stream is None:
        return None
    return open(stream.fileno(), mode, buffering=0, closefd=False)


def shown(name: str) -> str:
    """Return a file name from the command line as text that `encoded` turns into the name's own bytes."""
    return os.fsencode(name).decode("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    """Return UTF-8; file names that are no UTF-8 come out as they went in."""
    return text.encode("utf-8", "surrogateescape")


def deliver(chunks: Iterable[str], path: str | None, environment: Environment) -> None:
    """Write the answer to `path`, whole or not at all, or else to stdout, once it is complete.

    Raises:
        BleuError: it cannot be written.
        BrokenPipeError: nobody reads stdout any more.
    """
    with _spooled(chunks) as answer:
        # Opening stdout's own file anew would cut off what others wrote to it
        if path == "-" or (path is not None and is_file_of(environment.stdout, path)):
            path = None
        if path is not None and not _is_special(path):
            _replace_file(answer, path)
            return
        try:
            if path is None:
                _copy(answer, environment.stdout)
            else:
                with open(path, "wb", buffering=0) as target:
                    _copy(answer, target)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _unwritable(path or "standard output", error) from None


def is_file_of(stream: "IO[bytes] | None", path: str) -> bool:
    """Return whether a standard stream is connected to the file or device of that name."""
    if stream is None:
        return False
    try:
        return os.path.samestat(os.stat(path), os.fstat(stream.fileno()))
    except OSError:  # no such file, or a stream without descriptor
        return False


def refuse_overwriting(output: str | None, inputs: Iterable[str]) -> None:
    """Refuse an answer that would go to a file which is read.

    Raises:
        UsageError: it would.
    """
    if output is None or not os.path.isfile(output):
        return
    for path in inputs:
        if path != "-" and os.path.exists(path) and os.path.samefile(path, output):
            raise UsageError(f"--output {shown(output)} is also read; name another file")


def _is_special(path: str) -> bool:
    """Return whether something stands there that cannot be replaced: a device, a pipe."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    if stat.S_ISDIR(mode):
        raise BleuError(f"cannot write {shown(path)}: Is a directory; name a file with --output")
    return not stat.S_ISREG(mode)


def _spooled(chunks: Iterable[str]) -> "IO[bytes]":
    """Return the whole answer, ready to be read; in memory while it is small."""
    from io import BytesIO

    memory = BytesIO()
    remaining = iter(chunks)
    for chunk in remaining:
        memory.write(encoded(chunk))
        if memory.tell() > _SPOOL_BYTES:
            return _on_disk(memory.getvalue(), remaining)
    memory.seek(0)
    return memory


def _on_disk(start: bytes, chunks: Iterable[str]) -> "IO[bytes]":
    from tempfile import TemporaryFile

    try:
        file = TemporaryFile()  # noqa: SIM115 - closed by whoever reads it
        file.write(start)
        file.writelines(map(encoded, chunks))
        file.seek(0)
    except OSError as error:
        raise _unwritable("a temporary file", error) from None
    return file


def _copy(answer: "IO[bytes]", target: "IO[bytes] | None") -> None:
    if target is None:
        raise BleuError("cannot write standard output: it is closed; name a file with --output")
    while piece := answer.read(_SPOOL_BYTES):
        _write_all(target, piece)


def _write_all(target: "IO[bytes]", data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[target.write(rest) or 0 :]


def _replace_file(answer: "IO[bytes]", name: str) -> None:
    """Write a new file beside the old one, then put it in its place; links are followed, the old one's mode is kept."""
    try:
        if name.endswith(os.sep):
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        path = os.path.realpath(name)
        if os.path.exists(path) and not os.access(path, os.W_OK):
            raise PermissionError(EACCES, os.strerror(EACCES))
        _write_and_rename(answer, path)
    except OSError as error:
        raise _unwritable(shown(name), error) from None


def _write_and_rename(answer: "IO[bytes]", path: str) -> None:
    mode = stat.S_IMODE(os.stat(path).st_mode) if os.path.exists(path) else None
    # A name of its own, for it may be left by a killed run; short, for the file's own may be as long as names can be
    beside = os.path.join(os.path.dirname(path), f".bleu-{os.urandom(8).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(beside, flags, 0o666 if mode is None else 0o600), "wb", buffering=0) as file:
            _copy(answer, file)
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(beside, mode)
        os.replace(beside, path)
    except BaseException:
        if os.path.lexists(beside):
            os.unlink(beside)
        raise


def _unwritable(name: str, error: OSError) -> BleuError:
    return BleuError(f"cannot write {name}: {error.strerror or error}; name a file that can be written with --output")
