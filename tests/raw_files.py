"""Files of the cache, as tests of downloads write, read and list them directly."""

from __future__ import annotations

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
