"""The place of the package named `sacrebleu`, and the version that it reports."""

from __future__ import annotations

import os

from bleucli._version import __version__

# The version of distributions that replace sacreBLEU: a local version (PEP 440), so `sacrebleu==2.6.0` accepts it
VERSION = f"2.6.0+bleucli.{__version__}"


def folder() -> str:
    """Return the folder that holds the package named `sacrebleu` and nothing else, for PYTHONPATH.

    >>> os.listdir(folder())
    ['sacrebleu']
    """
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "as_sacrebleu", "path")
