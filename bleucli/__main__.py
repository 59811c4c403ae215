"""The command: `bleu`, or `python -m bleucli`."""

from __future__ import annotations

import atexit
import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

# After this many new objects, Python searches for garbage. With Python's own number, 700 (2000 from Python 3.13 on), a
# small job would search the modules that it imports again and again, which takes a tenth of its time and finds nothing.
_OBJECTS_PER_SEARCH = 20_000
# Freeing this many bytes at once tells glibc to keep memory that is freed (M_MMAP_THRESHOLD in mallopt(3)). Otherwise
# it returns the memory of each block of text to the system, and gets it back for the next one: a tenth of the time.
_KEPT_BYTES = 1 << 23


def main() -> int:
    """Run the command on the words of the command line and return its exit status."""
    try:
        gc.set_threshold(_OBJECTS_PER_SEARCH)
        bytes(_KEPT_BYTES)  # takes microseconds, since nothing is written to it
        from bleucli.cli.main import Status, run
        from bleucli.cli.streams import Environment

        status = run(sys.argv[1:], Environment.of_process())
        if status == Status.INTERRUPTED:
            import threading

            if threading.active_count() > 1:  # Python would wait for these threads, and nothing is left to write
                os._exit(status)
        gc.freeze()  # Python searches once more before it ends; now it leaves out the modules
        return status
    except KeyboardInterrupt:  # before `run` can handle Ctrl-C, or while `run` ends
        return 130
    except Exception as error:  # such as a missing module; Python's status, 1, would mean that a gate failed
        from contextlib import suppress

        with suppress(Exception):  # stderr may be closed
            sys.stderr.write(f"bleu: error: bleu cannot run here ({error!r}); reinstall it\n")
        return 70  # as `Status` has it, which perhaps could not be imported


def command() -> NoReturn:
    """Run the command and end the process, as the installed script does.

    Python would first free every object, which takes a twentieth of a small job's time. So the process ends at once,
    unless something may be left to do: by threads, functions registered for the end, or a profiler.
    """
    status = main()
    try:
        is_observed = sys.getprofile() is not None or sys.gettrace() is not None
        threading = sys.modules.get("threading")
        has_threads = threading is not None and threading.active_count() > 1
        if not (is_observed or atexit._ncallbacks() or has_threads):
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:
                    stream.flush()
            os._exit(status)
    except (KeyboardInterrupt, OSError):  # Python says what it could not flush
        pass
    sys.exit(status)


if __name__ == "__main__":
    command()
