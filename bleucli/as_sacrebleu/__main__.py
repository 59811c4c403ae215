"""Run a program with the package `sacrebleu` of bleucli: python -m bleucli.as_sacrebleu PROGRAM ARGS..."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from bleucli.alias import folder

_USAGE = """usage: python -m bleucli.as_sacrebleu PROGRAM [ARG ...]
       python -m bleucli.as_sacrebleu -m MODULE [ARG ...]

Run a Python program or command that imports sacrebleu. The program and every process that it starts get
bleucli's package of that name. BLEU_STRICT=1 makes references of the wrong shape an error.
"""
# Python's options that have a value; -c and -m end the options
_WITH_VALUE = "WXcm"


def main(words: list[str]) -> int:
    """Replace this process by the program that the words name, with PYTHONPATH set; return a status if it stays."""
    if words in (["-h"], ["--help"]):
        sys.stdout.write(_USAGE)
        return 0
    if words in ([], ["-m"]):
        sys.stderr.write(_USAGE)
        return 2
    from shutil import which

    arguments, program = words, words[0]
    command = [sys.executable, *arguments]
    if not program.startswith("-") and not program.endswith((".py", ".pyc")) and not os.path.isdir(program):
        path = which(program)
        if path is None and not os.path.exists(program):
            return _fail(f"there is no program {program}; give a file, a command, or -m MODULE")
        if path:
            command = arguments = [path, *words[1:]]
    if problem := _problem_of(arguments):
        return _fail(problem)
    # In the environment, so that processes which the program starts use the package, too
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (folder(), os.environ.get("PYTHONPATH"))))
    sys.stdout.flush()  # what is buffered would be lost
    if os.name == "nt":  # on Windows, a process cannot be replaced
        import subprocess

        return subprocess.run(command, check=False).returncode  # noqa: S603 # the user names the program
    return os.execv(command[0], command)  # noqa: S606


def _fail(problem: str) -> int:
    sys.stderr.write(f"as_sacrebleu: error: {problem}\n")
    return 2


def _problem_of(words: Sequence[str]) -> str:
    """Return why Python, with these words, would not find the package, and what to do; "" if it finds it."""
    from importlib.machinery import PathFinder

    flags, program = _read_options(words)
    if ignored := {"E", "I"}.intersection(flags):
        return f"with -{min(ignored)}, Python ignores PYTHONPATH, which names bleucli's package; leave the option out"
    if {"P", "I"}.intersection(flags) or os.environ.get("PYTHONSAFEPATH"):
        return ""
    place = os.getcwd()
    if program:
        path = os.path.realpath(program)
        place = path if os.path.isdir(path) else os.path.dirname(path)
    spec = PathFinder.find_spec("sacrebleu", [place])
    # A folder without __init__.py does not hide a package
    if spec is None or spec.origin is None or os.path.samefile(place, folder()):
        return ""
    where = "the program's folder" if program else "the current folder"
    return (
        f"Python would import {spec.origin} instead of bleucli's package, since it searches {where} first; add -P"
        " before the other words, which keeps it from that, or move the program"
    )


def _read_options(words: Sequence[str]) -> tuple[str, str]:
    """Return the letters of Python's options, and the path of the program; "" for -c, -m and standard input.

    >>> _read_options(["-P", "-Werror", "-X", "dev", "tool.py", "-v"]), _read_options(["-Pm", "pytest", "-x"])
    (('PWX', 'tool.py'), ('Pm', ''))
    """
    flags, rest = "", list(words)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        word = rest.pop(0)
        if word.startswith("--"):
            if word == "--check-hash-based-pycs":
                del rest[:1]
            continue
        for number, letter in enumerate(word[1:], 1):
            flags += letter
            if letter in "cm":
                return flags, ""
            if letter in _WITH_VALUE:
                if number == len(word) - 1:
                    del rest[:1]
                break
    return flags, rest[0] if rest and rest[0] != "-" else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
