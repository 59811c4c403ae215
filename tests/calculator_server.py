"""The calculator's server, in a thread of the tests, on a free port."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field

from bleucli.web import server

TYPE_CHECKING = False
if TYPE_CHECKING:
    import httpx

_SECONDS = 300


@dataclass
class Calculator:
    """A running server: its port, its address, a client of it, and the faults that it reported."""

    port: int
    client: httpx.Client
    faults: list[BaseException] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The address, without a slash at its end."""
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def calculating():
    """Serve the calculator."""
    import httpx

    with server.bind(0) as listener:
        port = listener.getsockname()[1]
        # No certificates: loading them takes longer than many tests
        client = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=_SECONDS, verify=False, trust_env=False)
        calculator = Calculator(port, client)
        answering = server.make_server(listener, calculator.faults.append)
        thread = threading.Thread(target=answering.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield calculator
        finally:
            client.close()
            answering.should_exit = True
            thread.join()
