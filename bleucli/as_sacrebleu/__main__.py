"""Run a program with the package `sacrebleu` of bleucli: python -m bleucli.as_sacrebleu PROGRAM ARGS..."""

from __future__ import annotations

import os
import sys

from bleucli.alias import folder

_USAGE = """usage: python -m bleucli.as_sacrebleu PROGRAM [ARG ...]
       python -m bleucli.as_sacrebleu -m MODULE [ARG ...]

Run a Python program or command that imports sacrebleu. The program and every process that it starts get
bleucli's package of that name. BLEU_STRICT=1 makes references of the wrong shape an error.
"""


def main(words: list[str]) -> int:
    """Replace this process by the program that the words name, with PYTHONPATH set; return a status if it stays."""
    if words in (["-h"], ["--help"]):
        sys.stdout.write(_USAGE)
        return 0
    if words in ([], ["-m"]):
        sys.stderr.write(_USAGE)
        return 2
    from shutil import which

    command = [sys.executable, *words]
    program = words[0]
    if not program.startswith("-") and not program.endswith((".py", ".pyc")) and not os.path.isdir(program):
        found = which(program)
        if found is None and not os.path.exists(program):
            sys.stderr.write(
                f"as_sacrebleu: error: there is no program {program}; give a file, a command, or -m MODULE\n"
            )
            return 2
        command = [found, *words[1:]] if found else command
    # In the environment, so that processes which the program starts use the package, too
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (folder(), os.environ.get("PYTHONPATH"))))
    sys.stdout.flush()  # what is buffered would be lost
    if os.name == "nt":  # on Windows, a process cannot be replaced
        import subprocess

        return subprocess.run(command, check=False).returncode  # noqa: S603 # the user names the program
    return os.execv(command[0], command)  # noqa: S606


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
