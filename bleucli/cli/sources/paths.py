"""The text files that a command line names: finding them and opening them."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence

from bleucli.cli.sources import find_repeated
from bleucli.cli.streams import Environment, shown
from bleucli.errors import BleuError, UsageError
from bleucli.reading import TextFile
from bleucli.reading.jsonlines import JsonLines, is_jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any

    from bleucli.cli.options import Options
    from bleucli.reading.jsonfields import Fields

STDIN = "standard input"


class Files:
    """The text files that one command line names; standard input is opened at most once.

    Args:
        options: the options of the command.
        environment: the world around the command, with its standard input.
        hashed: whether files are hashed as they are read.

    Attributes:
        systems: the paths of the systems; "-" is standard input.
        remedy: a clause that says what to do if the systems are empty, or "".
        fields: the fields of hypotheses and references in JSON Lines, where --jsonl-fields names them.

    Raises:
        UsageError: a pattern matches nothing, or a file is named twice.
    """

    def __init__(self, options: Options, environment: Environment, hashed: bool = False) -> None:
        self._options = options
        self._stdin = environment.stdin
        self._is_stdin_taken = False
        self._hashed = hashed
        self.systems = _find_systems(options.input or ["-"], options.paired_ar or options.paired_bs)
        self.fields: Fields | None = None
        if options.jsonl_fields is not None:
            from bleucli.reading.jsonfields import fields_named

            self.fields = fields_named(options.jsonl_fields)
        # For empty standard input: people often name references and system without -i
        last = shown(options.refs[-1]) if options.input is None and len(options.refs) > 1 else "-"
        self.remedy = f"if {last} is the system's output, write -i {last}" if last != "-" else ""

    def open(self, path: str, columns: int | None) -> TextFile:
        """Return a file, still unread; `columns` as for `TextFile`.

        Raises:
            BleuError: standard input is closed, opened already, or a terminal.
        """
        # sacreBLEU reads a byte-order mark as text; before numbers and JSON, it must be removed
        data = self._options.segment_scores or read_as_jsonl(path, self._options)
        form: dict[str, Any] = {
            "encoding": self._options.encoding,
            "columns": columns,
            "mark": "dropped" if data else "noted",
            "among": len(self.systems) + len(self._options.refs),
            "hashed": self._hashed,
        }
        if path != "-":
            return TextFile(shown(path), path, **form)
        if self._is_stdin_taken:
            raise UsageError("standard input can be read only once; name files for the others")
        if self._stdin is None:
            remedy = self.remedy or "pipe the system's output in, or name it with -i"
            raise BleuError(f"standard input is closed; {remedy}")
        if self._stdin.isatty():
            words = "diversity" if self._options.command == "diversity" else "ref.txt"
            expected = f"expected the system's output on standard input: cat system.txt | bleu {words}"
            raise BleuError(f"nothing was piped in; {self.remedy or expected}")
        self._is_stdin_taken = True
        return TextFile(STDIN, stream=self._stdin, **form)

    def open_labels(self, path: str) -> TextFile:
        """Return the file of labels, still unread."""
        if path == "-":
            raise UsageError("--labels cannot read standard input; save the labels in a file, and name it")
        return TextFile(shown(path), path, encoding=self._options.encoding, columns=None, mark="dropped")

    def check(self, systems: Sequence[TextFile | JsonLines], references: Sequence[TextFile | JsonLines]) -> None:
        """Refuse options that fit none of these files, a pipe given twice, and outputs that would replace a system.

        Raises:
            UsageError: naming the option.
        """
        options = self._options
        added = [path for word in options.add_scores or () for path in word.partition("=")[2].split(",")]
        self._refuse_repeated_pipe(
            [*options.refs, *self.systems, *added, *filter(None, [options.baseline, options.labels])]
        )
        if options.num_refs is not None and isinstance(references[0], JsonLines):
            raise UsageError(
                f"--num-refs splits a text file, but {references[0].name} is JSON Lines; leave out --num-refs"
            )
        if options.jsonl and not self._is_stdin_taken:
            raise UsageError("--jsonl is for standard input, which is not read; rename files to end in .jsonl instead")
        if self.fields is not None:
            _check_fields(self.fields, systems, references)
            is_alone = sum(isinstance(file, JsonLines) for file in (*systems, *references)) < 2
            if self.fields.ids and is_alone and options.language_pair is None:
                raise UsageError(
                    "--jsonl-fields id= has no effect: fewer than two files are JSON Lines, so nothing is joined; leave"
                    " it out"
                )
            if self.fields.group and options.command != "diversity":
                raise UsageError("--jsonl-fields group= is for bleu diversity; leave out group=")
        if options.output is not None:
            from bleucli.cli.delivery import protect

            # In the paths of systems, patterns have been replaced by files
            protect(options, self.systems, self._stdin if self._is_stdin_taken else None)

    def _refuse_repeated_pipe(self, paths: Sequence[str]) -> None:
        """Refuse paths that lead to the same pipe: whatever one of them reads is lost to the other, which waits.

        Raises:
            UsageError: naming both paths.
        """
        pipes: dict[tuple[int, int], str] = {}
        for path in paths:
            pipe = find_pipe(self._stdin if path == "-" else path)
            if pipe is None:
                continue
            name = STDIN if path == "-" else shown(path)
            if pipe in pipes:
                other = pipes[pipe]
                what = f"{name} is a pipe that was given twice" if name == other else f"{other} and {name} are one pipe"
                raise UsageError(f"{what}, but a pipe can be read only once; save its text to a file, and name that")
            pipes[pipe] = name


def read_as_jsonl(path: str, options: Options) -> bool:
    """Return whether the file that this path names is read as JSON Lines."""
    return bool(options.jsonl) if path == "-" else is_jsonl(path)


def find_pipe(file: str | IO[bytes] | None) -> tuple[int, int] | None:
    """Return the device and inode of a pipe or socket; None for any other file, and for none."""
    try:
        status = os.stat(file if isinstance(file, str) else file.fileno()) if file is not None else None
    except (OSError, ValueError):  # opening the file reports the error; a stream in memory has no number
        return None
    if status is None or not (stat.S_ISFIFO(status.st_mode) or stat.S_ISSOCK(status.st_mode)):
        return None
    return status.st_dev, status.st_ino


def _check_fields(
    fields: Fields, systems: Sequence[TextFile | JsonLines], references: Sequence[TextFile | JsonLines]
) -> None:
    """Refuse --jsonl-fields if no file is JSON Lines, and those of its parts that no file uses."""
    of_systems = [file for file in systems if isinstance(file, JsonLines)]
    of_references = any(isinstance(file, JsonLines) for file in references)
    if not of_systems and not of_references:
        raise UsageError(
            "--jsonl-fields has no effect: no file is JSON Lines; rename files to end in .jsonl, or add --jsonl"
        )
    if fields.hypotheses and not of_systems:
        raise UsageError("--jsonl-fields hyp= has no effect: no system is JSON Lines; leave it out")
    if fields.references and not of_references and not any(file.with_references for file in of_systems):
        raise UsageError("--jsonl-fields refs= has no effect: no references come from JSON Lines; leave it out")


def _find_systems(paths: Sequence[str], paired: bool) -> list[str]:
    """Return the files of the systems, with patterns replaced by the files that match.

    Raises:
        UsageError: a pattern matches nothing, or a file is given twice.
    """
    systems: list[str] = []
    for path in paths:
        matches = [path]
        # A pattern that the shell has not replaced
        if any(sign in path for sign in "*?[") and not os.path.lexists(path):
            from glob import glob

            matches = sorted(glob(path))
            if not matches:
                raise UsageError(f"no file matches {shown(path)}; name the systems' files")
        systems += matches
    if paired and len(set(systems)) > 1:  # the baseline may also match a pattern: -i baseline.txt *.txt
        systems = systems[:1] + [path for path in systems[1:] if path != systems[0]]
    repeated = find_repeated(systems)
    if repeated:
        raise UsageError(f"system {shown(min(repeated))} was given twice; name each system once")
    return systems
