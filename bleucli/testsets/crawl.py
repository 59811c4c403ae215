"""Cut connections that deliver too little in a minute, so that no download crawls on for ever.

Timeouts alone do not suffice: a server may go on sending one byte every few seconds, even within a header.
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from requests import Session

SECONDS_OF_WATCH = 60.0
LEAST_BYTES = 60_000  # in that time; a modem of 1998 managed five times as many


class Watch:
    """Checks from time to time how much has arrived; a context for one attempt.

    Attributes:
        received: the number of bytes of the body that have arrived; the reader counts them.
        is_cut: whether too little arrived, so that the connections were cut.
    """

    def __init__(self) -> None:
        self.received = 0
        self.is_cut = False
        self._sockets: list[socket.socket] = []
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look, name="bleu-watch", daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()
        for one in self._sockets:
            one.close()

    def add(self, connection: socket.socket) -> None:
        """Watch a connection by a copy of its socket, since TLS replaces the original."""
        with self._lock:
            self._sockets.append(connection.dup())
            if self.is_cut:
                self._cut()

    def _look(self) -> None:
        before = 0
        while not self._end.wait(SECONDS_OF_WATCH):
            if self.received - before < LEAST_BYTES:
                with self._lock:
                    self.is_cut = True
                    self._cut()
                return
            before = self.received

    def _cut(self) -> None:
        for one in self._sockets:
            with suppress(OSError):  # it is already closed
                # Unlike `close`, this wakes the thread that waits for data
                one.shutdown(socket.SHUT_RDWR)


def mount(session: Session, watch: Watch) -> None:
    """Let a session report each connection that it makes, also through a proxy (but not SOCKS)."""
    from requests.adapters import HTTPAdapter
    from urllib3 import ProxyManager
    from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

    pools = {"http": _watch_pool(HTTPConnectionPool, watch), "https": _watch_pool(HTTPSConnectionPool, watch)}

    class Adapter(HTTPAdapter):
        def init_poolmanager(self, *args: Any, **options: Any) -> None:
            super().init_poolmanager(*args, **options)
            self.poolmanager.pool_classes_by_scheme = pools

        def proxy_manager_for(self, *args: Any, **options: Any) -> Any:
            manager = super().proxy_manager_for(*args, **options)
            if isinstance(manager, ProxyManager):
                manager.pool_classes_by_scheme = pools
            return manager

    for scheme in ("http://", "https://"):
        session.mount(scheme, Adapter())


def _watch_pool(pool: Any, watch: Watch) -> Any:
    class Connection(pool.ConnectionCls):  # type: ignore[misc]
        def _new_conn(self) -> socket.socket:
            connection: socket.socket = super()._new_conn()
            watch.add(connection)
            return connection

    return type(pool.__name__, (pool,), {"ConnectionCls": Connection})
