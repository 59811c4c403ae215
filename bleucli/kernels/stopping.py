"""How kernels stop early: Ctrl-C reaches only the main thread, but the threads that work for it must stop, too.

- `workers`: threads that stop when the thread that waits for them stops
- `heed_stop`: the check that kernels run from time to time, the native ones dozens of times a second
- `pieces`: cuts a long iterable, so that the python kernels can check in between
"""

from __future__ import annotations

from contextvars import ContextVar
from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager
    from typing import TypeVar

    Item = TypeVar("Item")

# Few enough to count within 30 milliseconds, so that Ctrl-C takes effect at once
PIECE = 1 << 16
_is_stopped: ContextVar[Callable[[], bool] | None] = ContextVar("is_stopped", default=None)


def heed_stop() -> None:
    """Raise KeyboardInterrupt if no thread waits for this thread's work any more."""
    is_stopped = _is_stopped.get()
    if is_stopped is not None and is_stopped():
        raise KeyboardInterrupt


def pieces(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Cut an iterable into lists of up to 65,536 items; before each, check whether to stop.

    >>> list(pieces("abc"))
    [['a', 'b', 'c']]
    """
    remaining = iter(items)
    while piece := list(islice(remaining, PIECE)):
        heed_stop()
        yield piece


def workers(jobs: int) -> AbstractContextManager[Executor]:
    """Return `jobs` threads; an exception in the `with` block stops the kernels that run there and cancels the rest.

    Ctrl-C does not wait for them: a thread in a library or a regular expression cannot check whether to stop.

    >>> with workers(2) as threads:
    ...     list(threads.map(abs, [-1, 2]))
    [1, 2]
    """
    from concurrent.futures import ThreadPoolExecutor
    from contextlib import contextmanager
    from threading import Event

    @contextmanager
    def stoppable() -> Iterator[Executor]:
        stopped = Event()
        threads = ThreadPoolExecutor(jobs, initializer=_is_stopped.set, initargs=(stopped.is_set,))
        try:
            yield threads
        except BaseException as error:
            stopped.set()
            threads.shutdown(wait=not isinstance(error, KeyboardInterrupt), cancel_futures=True)
            raise
        threads.shutdown()

    return stoppable()
