"""Serves the calculator on a port until the user ends it.

- `serve`: the whole server in one call
- `bind`: listens on a port of 127.0.0.1
- `make_server`: answers the requests that arrive
"""

from __future__ import annotations

import errno
import socket
import sys

from bleucli.errors import UsageError
from bleucli.optional_deps import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    import uvicorn

EXTRA = "web"
ADDRESS = "127.0.0.1"
# How many connections are accepted at once: few enough that those above the limit are closed before the process may
# open no more files, which would stop the server for a second
_ACCEPTED = 64
# Seconds after which a thread lets others run: explanations are made in plain Python, and would hold up the rest
_TURN = 0.0005
# Seconds for running requests to finish once the server is told to end
_SECONDS_TO_END = 1


def serve(port: int, announce: Callable[[str], None], report: Callable[[BaseException], None]) -> None:
    """Serve the calculator until the process is told to end.

    Args:
        port: a port of 127.0.0.1; 0 for any free port.
        announce: called with the address once requests are accepted.
        report: called with each unexpected exception.

    Raises:
        KeyboardInterrupt: the user pressed Ctrl-C.
    """
    import logging

    for module in ("fastapi", "fastapi_offline", "h11", "uvicorn"):
        load(module, EXTRA)
    with bind(port) as listener:
        server = make_server(listener, report)
        announce(f"http://{ADDRESS}:{listener.getsockname()[1]}/")
        sys.setswitchinterval(_TURN)
        logging.getLogger("asyncio").addHandler(logging.NullHandler())  # or its tracebacks would go to the terminal
        server.run(sockets=[listener])


def bind(port: int) -> socket.socket:
    """Return a socket that listens on a port of 127.0.0.1; 0 stands for any free port."""
    # Only if the protocol is named does asyncio turn off Nagle's algorithm, which would delay answers by 40 ms
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if sys.platform != "win32":  # not on Windows, where this option would let two servers share a port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((ADDRESS, port))
        listener.listen()
    except OSError as error:
        listener.close()
        why = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be used ({error.strerror or error})"
        raise UsageError(
            f"port {port} of {ADDRESS} {why}; choose another: bleu serve PORT, or 0 for any free port"
        ) from None
    return listener


def make_server(listener: socket.socket, report: Callable[[BaseException], None]) -> uvicorn.Server:
    """Return a server for the connections of a socket that listens; report: as for `serve`."""
    import uvicorn

    from bleucli.web.api import make_app
    from bleucli.web.guard import Connection, Guard, Server

    port = listener.getsockname()[1]
    config = uvicorn.Config(
        Guard(make_app(), port, report),
        http=Connection,
        ws="none",
        lifespan="off",
        backlog=_ACCEPTED,
        log_config=None,
        log_level="critical",  # the answer itself says what is wrong with a request
        access_log=False,  # requests are private
        server_header=False,
        timeout_graceful_shutdown=_SECONDS_TO_END,
    )

    return Server(config)
