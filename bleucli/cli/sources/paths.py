"""The text files that a command line names: finding them and opening them."""

from __future__ import annotations

import os
import stat

from bleucli.cli.sources import TextArguments, find_repeated
from bleucli.cli.streams import shown
from bleucli.counting.corpus import Source
from bleucli.errors import BleuError, UsageError
from bleucli.reading import TextFile
from bleucli.reading.jsonlines import JsonLines, is_jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import IO, Any

    from bleucli.reading.jsonfields import Fields
    from bleucli.text import Segments

    File = TextFile | JsonLines

STDIN = "standard input"


class Files:
    """The text files that one command line names; standard input is opened at most once.

    Args:
        arguments: what names them.
        stdin: standard input; None if it is closed.

    Attributes:
        systems: the paths of the systems; "-" is standard input.
        remedy: a clause that says what to do if the systems are empty, or "".
        fields: the fields of hypotheses and references in JSON Lines, where --jsonl-fields names them.
    """

    def __init__(self, arguments: TextArguments, stdin: IO[bytes] | None) -> None:
        self._arguments = arguments
        self._stdin = stdin
        self._is_stdin_taken = False
        self.systems = find_systems(arguments)
        self.fields: Fields | None = None
        if arguments.jsonl_fields is not None:
            from bleucli.reading.jsonfields import fields_named

            self.fields = fields_named(arguments.jsonl_fields)
        # For empty standard input: people often name references and system without -i
        references = arguments.references
        last = shown(references[-1]) if arguments.systems is None and len(references) > 1 else "-"
        self.remedy = f"if {last} is the system's output, write -i {last}" if last != "-" else ""

    def open(self, path: str, columns: int | None) -> TextFile:
        """Return a file, still unread; `columns` as for `TextFile`."""
        arguments = self._arguments
        form: dict[str, Any] = {
            "encoding": arguments.encoding,
            "columns": columns,
            # sacreBLEU reads a byte-order mark as text; before numbers and JSON, it must be removed
            "mark": "dropped" if arguments.segment_scores or read_as_jsonl(path, arguments.jsonl) else "noted",
            "among": len(self.systems) + len(arguments.references),
            "hashed": arguments.hashed,
        }
        if path != "-":
            return TextFile(shown(path), path, **form)
        if self._is_stdin_taken:
            raise UsageError("standard input can be read only once; name files for the others")
        if self._stdin is None:
            remedy = self.remedy or "pipe the system's output in, or name it with -i"
            raise BleuError(f"standard input is closed; {remedy}")
        if self._stdin.isatty():
            words = "diversity" if arguments.is_diversity else "ref.txt"
            expected = f"expected the system's output on standard input: cat system.txt | bleu {words}"
            raise BleuError(f"nothing was piped in; {self.remedy or expected}")
        self._is_stdin_taken = True
        return TextFile(STDIN, stream=self._stdin, **form)

    def check(self, systems: Sequence[File], references: Sequence[File]) -> None:
        """Refuse options that fit none of these files, a pipe given twice, and outputs that would replace a system."""
        arguments = self._arguments
        self._refuse_repeated_pipe([*arguments.references, *self.systems, *arguments.more])
        if arguments.num_refs is not None and isinstance(references[0], JsonLines):
            raise UsageError(
                f"--num-refs splits a text file, but {references[0].name} is JSON Lines; leave out --num-refs"
            )
        if arguments.jsonl and not self._is_stdin_taken:
            raise UsageError("--jsonl is for standard input, which is not read; rename files to end in .jsonl instead")
        if self.fields is not None:
            of_systems = [file for file in systems if isinstance(file, JsonLines)]
            of_references = any(isinstance(file, JsonLines) for file in references)
            if not of_systems and not of_references:
                raise UsageError(
                    "--jsonl-fields has no effect: no file is JSON Lines; rename files to end in .jsonl, or add --jsonl"
                )
            if self.fields.hypotheses and not of_systems:
                raise UsageError("--jsonl-fields hyp= has no effect: no system is JSON Lines; leave it out")
            if self.fields.references and not of_references and not any(file.with_references for file in of_systems):
                raise UsageError("--jsonl-fields refs= has no effect: no references come from JSON Lines; leave it out")
            is_alone = sum(isinstance(file, JsonLines) for file in (*systems, *references)) < 2
            if self.fields.ids and is_alone and not (arguments.pair or arguments.has_scores):
                raise UsageError(
                    "--jsonl-fields id= has no effect: fewer than two files are JSON Lines, so nothing is joined; leave"
                    " it out"
                )
            if self.fields.group and not arguments.is_diversity:
                raise UsageError("--jsonl-fields group= is for bleu diversity; leave out group=")
        if arguments.output is not None:
            from bleucli.cli.delivery import protect

            # In the paths of systems, patterns have been replaced by files
            protect(arguments.output, self.systems, self._stdin if self._is_stdin_taken else None)

    def _refuse_repeated_pipe(self, paths: Sequence[str]) -> None:
        """Refuse paths that lead to the same pipe: whatever one of them reads is lost to the other, which waits."""
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


def read_as_jsonl(path: str, jsonl: bool) -> bool:
    """Return whether the file that this path names is read as JSON Lines; jsonl: whether standard input is."""
    return jsonl if path == "-" else is_jsonl(path)


def source_of(
    file: File,
    names: Sequence[str],
    blocks: Iterator[Sequence[Segments]],
    references: str = "",
    has_hypotheses: bool = True,
) -> Source:
    """Return a file as a source of texts; the arguments are as for `Source`."""
    ids, labels = (file.id_columns, file.labels) if isinstance(file, JsonLines) else (0, ())
    return Source(file.name, names, blocks, references, file.hurry, ids, labels, has_hypotheses)


def find_pipe(file: str | IO[bytes] | None) -> tuple[int, int] | None:
    """Return the device and inode of a pipe or socket; None for any other file, and for none."""
    try:
        status = os.stat(file if isinstance(file, str) else file.fileno()) if file is not None else None
    except (OSError, ValueError):  # opening the file reports the error; a stream in memory has no number
        return None
    if status is None or not (stat.S_ISFIFO(status.st_mode) or stat.S_ISSOCK(status.st_mode)):
        return None
    return status.st_dev, status.st_ino


def find_systems(arguments: TextArguments) -> list[str]:
    """Return the files of the systems, with patterns replaced by the files that match."""
    systems: list[str] = []
    for path in arguments.systems or ["-"]:
        matches = [path]
        # A pattern that the shell has not replaced
        if any(sign in path for sign in "*?[") and not os.path.lexists(path):
            from glob import glob

            matches = sorted(glob(path))
            if not matches:
                raise UsageError(f"no file matches {shown(path)}; name the systems' files")
        systems += matches
    if arguments.are_paired and len(set(systems)) > 1:  # the baseline may also match a pattern: -i baseline.txt *.txt
        systems = systems[:1] + [path for path in systems[1:] if path != systems[0]]
    repeated = find_repeated(systems)
    if repeated:
        raise UsageError(f"system {shown(min(repeated))} was given twice; name each system once")
    return systems
