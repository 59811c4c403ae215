"""Connections that bring nothing are closed, so that they keep nobody from being served.

- `Connection`: one of uvicorn's, with a limit on how long a request may take to begin, and on their number
- `most_connections`: how many this process can have
"""

import asyncio
from typing import cast

from uvicorn.protocols.http.h11_impl import H11Protocol

_SECONDS_TO_BEGIN = 10.0
_MOST = 1024


def most_connections() -> int:
    """Return how many connections there may be: half as many as the process may open files, since it opens others.

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
    """A connection that is closed unless the whole head of a request arrives within some seconds."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, unless there are as many connections as there may be."""
        super().connection_made(transport)
        if len(self.connections) > most_connections():
            transport.abort()
        else:
            self._expect()

    def data_received(self, data: bytes) -> None:
        """Read what has come, and see whether a request has begun."""
        super().data_received(data)
        if self._awaits_request():
            self._expect()
        else:
            self._forget()

    def on_response_complete(self) -> None:
        """Go on after an answer."""
        super().on_response_complete()
        if self._awaits_request():
            self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._forget()
        super().connection_lost(exc)

    def _awaits_request(self) -> bool:
        # uvicorn says that it always has one, but it has none before the first request
        cycle = cast("object | None", self.cycle)
        return cycle is None or self.cycle.response_complete

    def _expect(self) -> None:
        """Give the next request its time; what comes bit by bit gets no more of it."""
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
