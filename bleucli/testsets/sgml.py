"""The SGML files of WMT until 2020, and the XML files of IWSLT: read line by line, without unescaping."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bleucli.testsets.entries import METADATA, reference_names
from bleucli.testsets.plain import read_lines
from bleucli.testsets.plain import read_texts as plain_texts

_ATTRIBUTES = {name: re.compile(rf'\b{name}="([^"]*)"') for name in METADATA}


def read(paths: Sequence[str], metadata: bool) -> dict[str, list[str]]:
    """Read a language pair.

    Args:
        paths: the paths of the source and the references; one that ends in neither .sgm nor .xml is plain text.
        metadata: whether to read the fields in `METADATA` from the source.

    Returns:
        The segments of each field.

    Raises:
        BleuError: a file cannot be read.
    """
    columns = {"src": read_texts(paths[0])}
    columns |= {name: read_texts(path) for name, path in zip(reference_names(len(paths) - 1), paths[1:], strict=True)}
    return columns | (_read_metadata(paths[0]) if metadata else {})


def read_texts(path: str) -> list[str]:
    """Return the segments of a file."""
    if not path.endswith((".sgm", ".xml")):
        return plain_texts(path)
    return [segment(line) for line in read_lines(path) if _is_segment(line)]


def _is_segment(line: str) -> bool:
    return line.startswith("<seg ")


def segment(line: str) -> str:
    """Return the text between the first tag of a line and its last `</seg>`, with single spaces.

    Quirk: a line without `</seg>` is taken whole, with its tag; text after `</seg>` is added to the segment.

    >>> segment('<seg id="1">  Tom &amp; <b>Jerry</b>. </seg>'), segment('<seg id="2">cut')
    ('Tom &amp; <b>Jerry</b>.', '<seg id="2">cut')
    """
    text, end, behind = line.rpartition("</seg>")
    if end and ">" in text:
        line = text.partition(">")[2] + behind
    return " ".join(line.split())


def _read_metadata(path: str) -> dict[str, list[str]]:
    """Return, for each segment, the attributes of its document.

    Quirk: a document that lacks an attribute inherits that of the previous document.
    """
    columns: dict[str, list[str]] = {name: [] for name in METADATA}
    values: dict[str, str] = {}
    for line in read_lines(path):
        if line.startswith("<doc "):
            found = {name: pattern.search(line) for name, pattern in _ATTRIBUTES.items()}
            values |= {name: match[1] for name, match in found.items() if match}
        elif _is_segment(line):
            for name, column in columns.items():
                column.append(values.get(name, ""))
    return columns
