"""`bleu serve [PORT]`: the calculator, until the user stops it."""

from __future__ import annotations

from bleucli.cli.commands import MESSAGES, Command, take
from bleucli.cli.delivery import deliver
from bleucli.cli.options import Option, Options
from bleucli.cli.streams import Environment, Messages
from bleucli.errors import UsageError
from bleucli.limits import read_whole_number

_PORT = "8765"
_LARGEST_PORT = 65535
COMMAND = Command(
    ("bleu serve [PORT] [options]",),
    "Serve a page that scores as you type.",
    take(
        *("output", *MESSAGES),
        port=Option("[PORT]", f"the port (default: {_PORT}; 0: any free port)"),
    ),
    ("port", "quiet", "output"),
    metrics=(),
)


def run(options: Options, environment: Environment, messages: Messages) -> bool:
    """Print the address of the calculator, and serve it.

    Raises:
        KeyboardInterrupt: the user pressed Ctrl-C.
    """
    from bleucli.web import server

    port = _read_port(_PORT if options.port is None else options.port)

    def announce(address: str) -> None:
        deliver([f"{address}\n"], options.output, environment)
        messages.note("the calculator is at this address, for this machine only; Ctrl-C stops it")

    server.serve(port, announce, environment.say_fault)
    return True


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
        raise UsageError(f"PORT {text!r}; expected a port from 1 to {_LARGEST_PORT}, or 0 for any free port")
    return port
