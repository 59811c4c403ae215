"""The command: `bleu`, or `python -m bleucli`."""

import os
import sys


def main() -> int:
    """Run the command on the words of the command line and return its exit status."""
    try:
        from bleucli.cli.commands import Status, run
        from bleucli.cli.streams import Environment

        status = run(sys.argv[1:], Environment.of_process())
        if status == Status.INTERRUPTED:
            import threading

            if threading.active_count() > 1:  # Python would wait for these threads, and nothing is left to write
                os._exit(status)
        return status
    except KeyboardInterrupt:  # before `run` can handle Ctrl-C, or while `run` ends
        return 130
    except Exception as error:  # such as a missing module; Python's status, 1, would mean that a gate failed
        from contextlib import suppress

        with suppress(Exception):  # stderr may be closed
            sys.stderr.write(f"bleu: error: bleu cannot run here ({error!r}); reinstall it\n")
        return 70  # as `Status` has it, which perhaps could not be imported


if __name__ == "__main__":
    sys.exit(main())
