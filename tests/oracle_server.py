"""Run the oracle's command many times: this process loads it once, and each run is a fork of this process.

Started by `oracles`. A line of JSON on standard input is a command: its words, its folder, its variables, and the files
that are its standard streams; the answer is a line with its exit status.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import sys
from contextlib import suppress

SECONDS = 600


def run(words):
    """Do what `python -m sacrebleu` does."""
    sys.argv = ["sacrebleu", *words]
    runpy.run_module("sacrebleu", run_name="__main__", alter_sys=True)


def become(words, folder, variables, streams):
    """Run a command in a process that does nothing else."""
    signal.alarm(SECONDS)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    for number, (path, flags) in enumerate(zip(streams, (os.O_RDONLY, os.O_WRONLY, os.O_WRONLY), strict=True)):
        os.dup2(os.open(path, flags), number)
    sys.stdin, sys.stdout, sys.stderr = (open(number, mode, closefd=False) for number, mode in enumerate("rww"))  # noqa: SIM115
    leave_after(lambda: run(words))


def leave_after(command):
    """Run a command as the last thing that this process does, and leave with its status."""
    status = 0
    try:
        command()
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        status = end.code or 0
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # unloading everything takes as long as a score


def serve():
    commands, answers = open(os.dup(0)), open(os.dup(1), "w")  # noqa: SIM115
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(0, 1)
    sys.tracebacklimit = 0  # no traceback may show the oracle's source
    with suppress(SystemExit):
        run(["--version"])  # loads it
    sys.stdin = sys.stdout = None  # closes what the oracle opened, before other files get the same descriptors
    for line in commands:
        child = os.fork()
        if not child:
            become(**json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), file=answers, flush=True)


if __name__ == "__main__":
    serve()
