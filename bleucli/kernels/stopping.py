"""How kernels stop early: Ctrl-C reaches only the main thread, but the threads that work for it must stop, too.

- `Workers`: threads that stop when the thread that waits for them stops
- `heed_stop`: the check that kernels run from time to time, the native ones dozens of times a second
- `pieces`: cuts a long iterable, so that the python kernels can check in between
"""

from __future__ import annotations

from contextvars import ContextVar
from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from queue import SimpleQueue
    from threading import Thread
    from typing import Any, Self, TypeVar

    Item = TypeVar("Item")
    Result = TypeVar("Result")

# Few enough to count within 30 milliseconds, so that Ctrl-C takes effect at once
PIECE = 1 << 16
# For how many seconds a thread waits for work before it looks whether the program has ended
_PATIENCE = 0.5
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


class Workers:
    """Up to `jobs` threads; an exception in the `with` block stops the kernels that run there and drops what waits.

    Ctrl-C does not wait for them: a thread in a library or a regular expression cannot check whether to stop.

    >>> with Workers(2) as workers:
    ...     results = [workers.start(abs, number) for number in (1, -2)]
    ...     [wait() for wait in results]
    [1, 2]
    """

    # Not a ThreadPoolExecutor, which imports logging: a run would begin and end 10 milliseconds later

    def __init__(self, jobs: int) -> None:
        from queue import SimpleQueue
        from threading import current_thread

        self._jobs = jobs
        self._owner = current_thread()
        self._threads: list[Thread] = []
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._is_over = False

    def __enter__(self) -> Self:
        return self

    def start(self, work: Callable[[Item], Result], item: Item) -> Callable[[], Result]:
        """Let a thread work on an item; the function that is returned waits for the result.

        Raises:
            RuntimeError: no thread can be started, as in containers that limit processes or memory.
        """
        from queue import SimpleQueue
        from threading import Thread

        if len(self._threads) < self._jobs:
            thread = Thread(target=self._serve)
            thread.start()
            self._threads.append(thread)
        answers: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

        def do() -> None:
            try:
                answers.put((work(item), None))
            except BaseException as error:  # it goes to the thread that waits
                answers.put((None, error))

        def wait() -> Result:
            result: Result
            result, error = answers.get()
            if error is not None:
                raise error
            return result

        self._tasks.put(do)
        return wait

    def _serve(self) -> None:
        """Do what waits, in a thread, until the block ends, or the program with the block still open."""
        from queue import Empty
        from threading import main_thread

        _is_stopped.set(lambda: self._is_over)
        # Python waits for this thread before it ends, and for another one that waits for results
        while main_thread().is_alive() or self._owner.is_alive():
            try:
                do = self._tasks.get(timeout=_PATIENCE)
            except Empty:
                continue
            if do is None or self._is_over:
                return
            do()

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        self._is_over = error is not None
        for _ in range(self._jobs):  # Ctrl-C may come between the start of a thread and its place in the list
            self._tasks.put(None)
        if not isinstance(error, KeyboardInterrupt):
            for thread in self._threads:
                thread.join()
