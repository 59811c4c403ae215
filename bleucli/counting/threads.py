"""Work that several threads share, with the results in order.

- `in_order`: do the work
- `count_threads`: the number of threads asked for
- `usable_processors`: the number of processors for this process
"""

from __future__ import annotations

import os
from itertools import chain
from math import ceil, inf
from time import monotonic

from bleucli.errors import BleuError
from bleucli.limits import MOST_THREADS, whole_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeVar

    Item = TypeVar("Item")
    Result = TypeVar("Result")

# From this many seconds of work on, threads pay off: importing the modules that start them takes half as long
_PATIENCE = 0.03
_CGROUPS = "/sys/fs/cgroup"


def in_order(
    work: Callable[[Item], Result], items: Iterable[Item], jobs: int | None, patience: float | None = None
) -> Iterator[tuple[Item, Result]]:
    """Give each item with its result, in the order of the items; only a few items are in progress at once.

    Items are read in the thread that takes the results. jobs: the number of threads. None: one per usable processor, if
    there is enough work and they can be started; patience: for how many seconds to work before that.

    >>> list(in_order(str, [1, 2], jobs=2))
    [(1, '1'), (2, '2')]
    """
    remaining, must_start = iter(items), jobs is not None
    if jobs is None:
        end = monotonic() + (_PATIENCE if patience is None else patience)
        for item in remaining:
            if monotonic() >= end:
                remaining = chain([item], remaining)
                break
            yield item, work(item)
        else:
            return
        jobs = usable_processors()
    if jobs > 1:
        from collections import deque

        from bleucli.kernels.stopping import Workers

        waiting: deque[tuple[Item, Callable[[], Result]]] = deque()
        with Workers(jobs) as workers:
            for item in remaining:
                try:
                    waiting.append((item, workers.start(work, item)))
                except RuntimeError as error:
                    if must_start:
                        raise BleuError(f"cannot start {jobs} threads ({error}); ask for fewer, such as 1") from None
                    remaining = chain([item], remaining)
                    break
                if len(waiting) > 2 * jobs:  # enough that no thread waits, and few enough that memory is bounded
                    first, wait = waiting.popleft()
                    yield first, wait()
            for first, wait in waiting:
                yield first, wait()
    # One thread was asked for, or no more can start
    yield from ((item, work(item)) for item in remaining)


def count_threads(jobs: int, name: str = "jobs") -> int:
    """Return how many threads an argument asks for; 0 stands for one per usable processor.

    >>> count_threads(3)
    3
    """
    return whole_number(name, jobs, 0, MOST_THREADS) or usable_processors()


def usable_processors() -> int:
    """Return how many processors this process may use, by its affinity and the quota of its control groups.

    >>> 1 <= usable_processors() <= os.cpu_count()
    True
    """
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = min(_quotas(), default=inf)
    return max(1, processors if quota == inf else min(processors, ceil(quota)))


def _quotas() -> Iterator[float]:
    """Give the quota, in processors, of each control group that contains this process and has a quota.

    Source: cgroups(7) for version 1, and cpu.max of the kernel's Control Group v2.
    """
    for line in _read("/proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        while True:
            if controllers:  # version 1
                folder = f"{_CGROUPS}/cpu{path.rstrip('/')}"
                numbers = [_read(f"{folder}/cpu.cfs_quota_us"), _read(f"{folder}/cpu.cfs_period_us")]
            else:
                numbers = _read(f"{_CGROUPS}{path.rstrip('/')}/cpu.max").split()
            try:
                quota, period = map(int, numbers)
            except ValueError:  # "max", or no such file
                quota = period = 0
            if quota > 0 and period > 0:
                yield quota / period
            if path in ("", "/"):
                break
            path = os.path.dirname(path)


def _read(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return ""
