"""Closes connections whose clients keep the server waiting, so that others can be served.

- `Connection`: uvicorn's, with limits on the time until a request begins and on the number of connections
- `most_connections`: the largest number of connections
"""

from __future__ import annotations

import asyncio
from typing import cast

from uvicorn.protocols.http.h11_impl import H11Protocol

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


class Connection(H11Protocol):
    """A connection that is closed unless the whole head of a request arrives within a few seconds.

    If there are too many, the one that has kept the server waiting longest makes room: a browser that has just
    connected must not wait until others give up.
    """

    _timer: asyncio.TimerHandle | None = None
    _since = 0.0  # when the client was last answered, or connected

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection; close another if there are too many."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._expect()
        if len(self.connections) > (most := most_connections()):
            others = [cast("Connection", one) for one in self.connections]
            alive = [one for one in others if not one.transport.is_closing()]
            waiting = sorted((one for one in alive if one._awaits_client()), key=lambda one: one._since)
            for one in waiting[: max(0, len(alive) - most)]:
                one.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Read what has arrived, and check whether a request has begun."""
        super().data_received(data)
        if self._awaits_request():
            self._expect()
        else:
            self._forget()

    def on_response_complete(self) -> None:
        """Wait for the next request after an answer."""
        super().on_response_complete()
        self._since = self.loop.time()
        if self._awaits_request():
            self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection, and stop its clock."""
        self._forget()
        super().connection_lost(exc)

    def _awaits_request(self) -> bool:
        # uvicorn's types promise a cycle, but there is none before the first request
        cycle = cast("object | None", self.cycle)
        return cycle is None or self.cycle.response_complete

    def _awaits_client(self) -> bool:
        return self._awaits_request() or self.cycle.more_body

    def _expect(self) -> None:
        """Start the clock for the next request; more bytes of the same request do not restart it."""
        if self._timer is None:
            self._timer = self.loop.call_later(_SECONDS_TO_BEGIN, self._give_up)

    def _forget(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        if self._awaits_request() and not self.transport.is_closing():
            self.transport.close()
