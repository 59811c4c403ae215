"""A package named `sacrebleu`, off the path unless asked for, so that programs that import sacreBLEU run unchanged.

- `python -m bleucli.as_sacrebleu PROGRAM ARGS...`, or `-m MODULE ARGS...`: runs a program with it
- `folder`: where it is, for `PYTHONPATH=$(bleu --sacrebleu-path)`
- `VERSION`: the version that it says it has, and that of an alias distribution

The package is in `path/sacrebleu`: the modules of sacreBLEU 2.6.0, with its public names and those private ones that
programs were seen to use.
"""

import os

from bleucli._version import __version__

VERSION = f"2.6.0+bleucli.{__version__}"


def folder() -> str:
    """Return the folder that holds the package, and nothing else.

    >>> import os
    >>> os.listdir(folder())
    ['sacrebleu']
    """
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "path")
