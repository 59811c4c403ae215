"""The calculator's server, in a thread of the tests, on a free port."""

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field

from bleucli.web import server


@dataclass
class Calculator:
    """A server that runs: its port, its address, and the faults that it reported."""

    port: int
    faults: list[BaseException] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The address, without a slash at its end."""
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def calculating():
    """Serve the calculator."""
    with server.bind(0) as listener:
        calculator = Calculator(listener.getsockname()[1])
        answering = server.make_server(listener, calculator.faults.append)
        thread = threading.Thread(target=answering.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield calculator
        finally:
            answering.should_exit = True
            thread.join()
