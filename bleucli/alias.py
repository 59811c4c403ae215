"""The place of the package named `sacrebleu`, and the version that it reports."""

import os

from bleucli._version import __version__

# The version of distributions that replace sacreBLEU
VERSION = f"2.6.0+bleucli.{__version__}"


def folder() -> str:
    """Return the folder that holds this package and nothing else.

    >>> os.listdir(folder())
    ['sacrebleu']
    """
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "as_sacrebleu", "path")
