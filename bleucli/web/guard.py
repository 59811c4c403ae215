"""Decides which requests and connections are served, and adds the headers that all answers have.

The server is only for this machine. A page from elsewhere must not reach it through a browser on this machine. Such a
page could use a host name that leads to 127.0.0.1 (DNS rebinding); the header `Host` shows that. Or it could send
requests to this address; the header `Origin` shows that.

Connections whose clients keep the server waiting are closed, so that others can be served. uvicorn has a limit on
connections, but it refuses new ones, so that idle ones could keep all others out; and it has no limit on the time until
a request begins.

- `Guard`: wraps the application
- `read_body`: reads the body of a request, bounded in size and time
- `Server`, `Connection`, `most_connections`: uvicorn's, with limits on the time until a request begins, and on numbers
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterable
from typing import cast

import uvicorn
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from uvicorn.protocols.http.h11_impl import H11Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 1_000_000
# How many bytes of a body that is too large are read and discarded, so that the sender gets to read the answer
_DISCARDED_BYTES = 16 * MOST_BYTES
_SECONDS_FOR_BODY = 30.0
# How many connections the system keeps until the server accepts them
BACKLOG = 1024
_SECONDS_TO_BEGIN = 10.0
_MOST_CONNECTIONS = 1024
_HOSTS = ("127.0.0.1", "localhost", "[::1]")
_HEADERS = (
    ("cache-control", "no-store"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
)
# Swagger UI sets styles of elements, and has images in its style sheet
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'{styles}; img-src 'self'{images}; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
POLICY = _POLICY.format(styles="", images="")
DOCS_POLICY = _POLICY.format(styles=" 'unsafe-inline'", images=" data:")


class Guard:
    """An application that refuses requests for other hosts and from other origins, and reports its own faults.

    port: the server's. report: called with each unexpected exception.
    """

    def __init__(self, app: ASGIApp, port: int, report: Callable[[BaseException], None]) -> None:
        self._app = app
        self._report = report
        self._addresses = [f"{host}:{port}" for host in _HOSTS] + ([*_HOSTS] if port == 80 else [])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        policy = DOCS_POLICY if scope["path"] == "/docs" else POLICY
        headers = [(name.encode(), value.encode()) for name, value in (*_HEADERS, ("content-security-policy", policy))]
        started = False

        async def answer(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = [*message.get("headers", ()), *headers]
            await send(message)

        status, reason = self._refusal(scope)
        if reason:
            await _refuse(answer, status, reason)
            return
        try:
            await self._app(scope, receive, answer)
        except Exception as error:
            self._report(error)
            if not started:
                await _refuse(answer, 500, tell_fault(error))

    def _refusal(self, scope: Scope) -> tuple[int, str]:
        """Return the status and the reason for refusing a request; 0 and "" if it is not refused."""
        headers = [(name, value.decode("latin-1")) for name, value in scope["headers"]]
        host = next((value for name, value in headers if name == b"host"), "")  # h11 refuses a request with two
        here = f"this server answers only at http://{self._addresses[0]}/"
        if host.lower() not in self._addresses:
            return 403, f"the request is for the host {host!r:.80}; {here}"
        for name, value in headers:
            if name == b"origin" and value.lower() != f"http://{host.lower()}":
                return 403, f"the request comes from a page of {value!r:.80}; {here}"
        return 0, ""


def tell_fault(error: BaseException) -> str:
    """Return what a browser or a program is told about an unexpected exception."""
    return f"bleu itself failed ({type(error).__name__}); see the server's terminal"


async def _refuse(send: Send, status: int, reason: str) -> None:
    body = json.dumps({"error": reason}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def read_body(request: Request) -> bytes:
    """Return the body of a request; refuse one that is not JSON, is too large, or does not arrive in time."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, f"the body is of type {kind or 'unknown'!r:.80}; send application/json")
    try:
        async with asyncio.timeout(_SECONDS_FOR_BODY):
            return await _collect(request)
    except TimeoutError:
        if int(request.headers.get("content-length", 0)) > MOST_BYTES:
            raise _too_large() from None
        raise HTTPException(
            408, f"the body did not arrive within {_SECONDS_FOR_BODY:g} seconds; send it without pauses"
        ) from None
    except ClientDisconnect:
        raise HTTPException(400, "the body ended early; send all of it") from None


async def _collect(request: Request) -> bytes:
    # h11 has checked that the length is a number
    if int(request.headers.get("content-length", 0)) > _DISCARDED_BYTES:
        raise _too_large()
    pieces, size = [], 0
    async for piece in request.stream():
        size += len(piece)
        if size <= MOST_BYTES:
            pieces.append(piece)
        else:
            pieces.clear()
        if size > _DISCARDED_BYTES:
            break
    if size > MOST_BYTES:
        raise _too_large()
    return b"".join(pieces)


def _too_large() -> HTTPException:
    return HTTPException(413, f"the body has more than {MOST_BYTES:,} bytes; send less at a time, or use the command")


def most_connections() -> int:
    """Return the largest number of connections: half the files that the process may open, up to 1024; 256 on Windows.

    >>> 0 < most_connections() <= 1024
    True
    """
    try:
        from resource import RLIMIT_NOFILE, getrlimit
    except ImportError:  # Windows
        return _MOST_CONNECTIONS // 4
    limit, _ = getrlimit(RLIMIT_NOFILE)
    return _MOST_CONNECTIONS if limit < 0 else max(1, min(_MOST_CONNECTIONS, limit // 2))


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
