"""Decides which requests are answered, and adds the headers that all answers have.

The server is only for this machine. A page from elsewhere must not reach it through a browser on this machine. Such a
page could use a host name that leads to 127.0.0.1 (DNS rebinding); the header `Host` shows that. Or it could send
requests to this address; the header `Origin` shows that.

- `Guard`: wraps the application
- `read_body`: reads the body of a request, bounded in size and time
"""

from __future__ import annotations

import asyncio
import json

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 1_000_000
# How many bytes of a body that is too large are read and discarded, so that the sender gets to read the answer
_DISCARDED_BYTES = 16 * MOST_BYTES
_SECONDS_FOR_BODY = 30.0
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

    Args:
        app: the application that answers the other requests.
        port: the port of the server.
        report: called with each unexpected exception.
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
    """Return the body of a request, which must be JSON.

    Raises:
        HTTPException: the body has another type, is too large, or did not arrive in time.
    """
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
