"""Work that several threads share, with its results in order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from bleucli.errors import BleuError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concurrent.futures import Executor, Future
    from typing import TypeVar

    Item = TypeVar("Item")
    Result = TypeVar("Result")


def in_order(work: "Callable[[Item], Result]", items: "Iterable[Item]", jobs: int) -> "Iterator[tuple[Item, Result]]":
    """Give each item with its result, in the order of the items; at most a few items are under way at once.

    Raises:
        BleuError: the system does not start so many threads.

    >>> list(in_order(str, [1, 2], jobs=2))
    [(1, '1'), (2, '2')]
    """
    if jobs == 1:
        yield from ((item, work(item)) for item in items)
        return
    from bleucli.kernels.stopping import workers

    waiting: deque[tuple[Item, Future[Result]]] = deque()
    with workers(jobs) as threads:
        for item in items:
            waiting.append((item, _submit(threads, work, item, jobs)))
            if len(waiting) > 2 * jobs:
                first, future = waiting.popleft()
                yield first, future.result()
        for first, future in waiting:
            yield first, future.result()


def _submit(threads: "Executor", work: "Callable[[Item], Result]", item: "Item", jobs: int) -> "Future[Result]":
    try:
        return threads.submit(work, item)
    except RuntimeError as error:  # a limit on processes or memory, as containers have them
        threads.shutdown(wait=False, cancel_futures=True)
        raise BleuError(f"cannot start {jobs} threads ({error}); ask for fewer, or for 1") from None
