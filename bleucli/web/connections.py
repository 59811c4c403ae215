"""Closes connections whose clients keep the server waiting, so that others can be served.

uvicorn has a limit on connections, but it refuses new ones, so that idle ones could keep all others out; and it has no
limit on the time until a request begins.

- `Server`: uvicorn's, with a limit on that time
- `Connection`: uvicorn's, which makes room for itself if there are too many
- `most_connections`: the largest number of connections
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable
from typing import cast

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

# How many connections the system keeps until the server accepts them
BACKLOG = 1024
_SECONDS_TO_BEGIN = 10.0
_MOST = 1024


def most_connections() -> int:
    """Return the largest number of connections: half the files that the process may open, up to 1024; 256 on Windows.

    >>> 0 < most_connections() <= 1024
    True
    """
    try:
        from resource import RLIMIT_NOFILE, getrlimit
    except ImportError:  # Windows
        return _MOST // 4
    limit, _ = getrlimit(RLIMIT_NOFILE)
    return _MOST if limit < 0 else max(1, min(_MOST, limit // 2))


class Server(uvicorn.Server):
    """A server that closes connections on which the whole head of a request does not arrive within a few seconds."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen; asyncio would keep no more connections waiting than it accepts at once."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(BACKLOG)

    async def on_tick(self, counter: int) -> bool:
        """Close connections; uvicorn calls this ten times a second."""
        for connection in _alive(self.server_state.connections):
            if connection.awaits_request() and connection.loop.time() - connection.since > _SECONDS_TO_BEGIN:
                connection.transport.close()
        return await super().on_tick(counter)


class Connection(H11Protocol):
    """A connection that makes room for itself if there are too many.

    The one that has kept the server waiting longest is closed: a browser that has just connected must not wait until
    others give up.
    """

    since = 0.0  # when the client was last answered, or connected

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection; close another if there are too many."""
        super().connection_made(transport)
        self.since = self.loop.time()
        if len(self.connections) > (most := most_connections()):
            alive = _alive(self.connections)
            waiting = sorted((one for one in alive if one.awaits_client()), key=lambda one: one.since)
            for one in waiting[: max(0, len(alive) - most)]:
                one.transport.abort()

    def on_response_complete(self) -> None:
        """Wait for the next request after an answer."""
        super().on_response_complete()
        self.since = self.loop.time()

    def awaits_request(self) -> bool:
        """Return whether no request has begun since the last answer."""
        # uvicorn's types promise a cycle, but there is none before the first request
        cycle = cast("object | None", self.cycle)
        return cycle is None or self.cycle.response_complete

    def awaits_client(self) -> bool:
        """Return whether the client has to send something, a request or the rest of its body."""
        return self.awaits_request() or self.cycle.more_body


def _alive(connections: Iterable[object]) -> list[Connection]:
    """Return the connections that are not about to close."""
    every = [cast("Connection", one) for one in connections]
    return [one for one in every if not one.transport.is_closing()]
