"""The mode of --serve: the calculator, until the user stops it."""

from __future__ import annotations

from bleucli.cli.delivery import deliver
from bleucli.cli.streams import Environment
from bleucli.errors import UsageError
from bleucli.limits import read_whole_number
from bleucli.web import server

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from bleucli.cli.messages import Messages
    from bleucli.cli.options import Options

_LARGEST_PORT = 65535


def serve(options: Options, environment: Environment, messages: Messages, idle: Sequence[str]) -> None:
    """Print the address of the calculator, and serve it.

    Args:
        options: what is asked for.
        environment: the world around the command.
        messages: the notes and warnings of this run.
        idle: warnings about options that have no effect.

    Raises:
        BleuError: the port is invalid or cannot be used, or the extra is not installed.
        KeyboardInterrupt: the user pressed Ctrl-C.
    """
    port = _read_port(str(options.serve))
    messages.hold_back(idle)

    def announce(address: str) -> None:
        deliver([f"{address}\n"], options.output, environment)
        for line in idle:
            messages.warn(line)
        messages.note("the calculator is at this address, for this machine only; Ctrl-C stops it")

    server.serve(port, announce, environment.say_fault)


def _read_port(text: str) -> int:
    """Return the port that was asked for.

    >>> _read_port("8000")
    8000
    """
    try:
        port = read_whole_number(text)
    except ValueError:
        port = -1
    if not 0 <= port <= _LARGEST_PORT:
        raise UsageError(f"--serve {text!r}; expected a port from 1 to {_LARGEST_PORT}, or 0 for any free port")
    return port
