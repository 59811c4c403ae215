"""A web server on the loopback that does what servers do: it breaks off, stalls, forgets, redirects and lies.

- `serving`: start one, for a `with` block
- `Page`: its answer to a request
"""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer


@dataclass
class Page:
    """The answer to one request.

    Args:
        content: the whole file.
        status: the status of the answer; if it is not 200, the content is still the body.
        headers: further ones.
        cut: break off after this many bytes of the body.
        stall: fall silent after this many bytes of the body; -1: before the headers.
        length: the Content-Length to announce; None for the true one, -1 for none.
        chunked: send the body in chunks, whose end is marked.
        piece, pause: send `piece` bytes at a time, and wait `pause` seconds after each.
        raw: send these bytes instead of a proper answer.
        dripping: after `raw` (by default, a header that does not end), send one byte every hundredth of a second.
    """

    content: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    stall: int | None = None
    length: int | None = None
    chunked: bool = False
    piece: int = 1 << 16
    pause: float = 0.0
    dripping: bool = False
    raw: bytes = b""


@dataclass
class Request:
    """A request that came, and how many bytes of a body were sent."""

    path: str
    headers: dict[str, str]
    sent: int = 0


class WebServer:
    """The answers to give, and the requests that came.

    Attributes:
        requests: the requests, in the order of their arrival.
        stop: set when the test ends; stalled answers wait for it.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.requests: list[Request] = []
        self.stop = threading.Event()
        self._pages: dict[str, list[Page]] = {}
        self._lock = threading.Lock()

    def put(self, path: str, *pages: Page) -> str:
        """Answer requests for a path with the pages in turn, and all further ones with the last; return the address."""
        self._pages[path] = list(pages)
        return self.url + path

    def take(self, request: Request) -> Page:
        """Note a request and return its answer."""
        with self._lock:
            self.requests.append(request)
            pages = self._pages.get(request.path, [Page(b"nothing here", 404)])
            return pages.pop(0) if len(pages) > 1 else pages[0]

    def wait_for(self, count: int) -> int:
        """Wait for a number of requests, and return how many came; clients may give up before they are noted."""
        end = time.monotonic() + 60
        while len(self.requests) < count and time.monotonic() < end:
            time.sleep(0.01)
        return len(self.requests)

    @property
    def paths(self) -> list[str]:
        """The paths that were requested."""
        return [request.path for request in self.requests]


class _Handler(BaseHTTPRequestHandler):
    web: WebServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        request = Request(self.path, dict(self.headers))
        page = self.web.take(request)
        if page.stall == -1:
            self.web.stop.wait(60)
            return
        if page.raw or page.dripping:
            self._send_raw(page)
            return
        self._send_headers(page)
        self._send_body(page, request)

    def do_CONNECT(self) -> None:
        self.do_GET()

    def _send_headers(self, page: Page) -> None:
        self.send_response(page.status)
        for name, value in page.headers.items():
            self.send_header(name, value)
        length = len(page.content) if page.length is None else page.length
        if page.chunked:
            self.send_header("Transfer-Encoding", "chunked")
        elif length >= 0:
            self.send_header("Content-Length", str(length))
        self.send_header("Connection", "close")
        self.end_headers()

    def _send_raw(self, page: Page) -> None:
        self.close_connection = True
        try:
            self.wfile.write(page.raw or b"HTTP/1.1 200 OK\r\nX: ")
            while page.dripping and not self.web.stop.wait(0.01):
                self.wfile.write(b"x")
        except OSError:  # the client went away
            return

    def _send_body(self, page: Page, request: Request) -> None:
        body = page.content
        end = min(len(body), *(limit for limit in (page.cut, page.stall, len(body)) if limit is not None))
        try:
            while request.sent < end:
                piece = body[request.sent : min(request.sent + page.piece, end)]
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece) if page.chunked else piece)
                request.sent += len(piece)
                if page.pause:
                    self.web.stop.wait(page.pause)
            if page.chunked and end == len(body):
                self.wfile.write(b"0\r\n\r\n")
        except OSError:  # the client went away, as some tests want
            return
        if page.stall is not None:
            self.web.stop.wait(60)

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def server_bind(self) -> None:
        TCPServer.server_bind(self)  # HTTPServer's asks the network for the name of this machine
        self.server_name, self.server_port = self.server_address[:2]  # type: ignore[assignment]


@contextmanager
def serving(secure: ssl.SSLContext | None = None) -> Iterator[WebServer]:
    """Serve on a free port of the loopback; by https, as localhost, if a certificate is given."""
    handler = type("Handler", (_Handler,), {})
    server = _Server(("127.0.0.1", 0), handler)
    where = f"http://127.0.0.1:{server.server_port}" if secure is None else f"https://localhost:{server.server_port}"
    web = handler.web = WebServer(where)  # type: ignore[attr-defined]
    if secure:
        server.socket = secure.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield web
    finally:
        web.stop.set()
        server.shutdown()
        server.server_close()
        thread.join()
