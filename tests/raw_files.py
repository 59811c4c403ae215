"""Files of the cache, as tests of downloads write, read and list them directly."""

from __future__ import annotations

import hashlib
import os


def put(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def beside(target):
    """Return the names in the folder of a download."""
    folder = os.path.dirname(target)
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def note_of(name, file, data):
    """Return the note of the command about the first download of a file without a published checksum."""
    digits = hashlib.sha256(data).hexdigest()
    return (
        f"bleu: note: no checksum is published for {name}; the sha256 of {file}, {digits}, is recorded, and no other"
        " file will be accepted\n"
    )
