"""The command line that asked for scores, and its time, for formats that show them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from bleucli.cli.streams import Environment, shown
from bleucli.errors import BleuError, UsageError
from bleucli.results import Run

# User and password in an address; the password may contain @
_CREDENTIALS = re.compile(r"(?<=://)[^/?#\s]*@")


class Provenance:
    """A command line and its time.

    Args:
        words: the words of the command line.
        environment: if its variables have `SOURCE_DATE_EPOCH`, that is the time.
    """

    def __init__(self, words: Sequence[str], environment: Environment) -> None:
        self._command = ["bleu", *(mask_credentials(shown(word)) for word in words)]
        self._time = time_of(environment.variables)

    def of(self, run: Run) -> Run:
        """Return the record of a run with the command and its time."""
        far = next((one.name for one in run.references if one.role == "table" and not one.sha256), None)
        if far is not None:
            raise BleuError(f"cannot compute the SHA-256 of {far}, which is not on this machine; choose another format")
        return run._replace(command=self._command, time=self._time)


def command_of(words: Sequence[str]) -> str:
    """Return the command line as statistics files record it."""
    from shlex import join

    return join(["bleu", *(mask_credentials(shown(word)) for word in words)])


def mask_credentials(word: str) -> str:
    """Return a word of the command line with user and password in an address masked.

    >>> mask_credentials("--mirror=https://me:secret@data.example/sets")
    '--mirror=https://***@data.example/sets'
    """
    return _CREDENTIALS.sub("***@", word)


def time_of(variables: Mapping[str, str]) -> str:
    """Return the time in UTC: that of `SOURCE_DATE_EPOCH` if it is set, else the present.

    >>> time_of({"SOURCE_DATE_EPOCH": "0"})
    '1970-01-01T00:00:00Z'
    """
    import time

    epoch = variables.get("SOURCE_DATE_EPOCH", "")
    try:
        if epoch and not (epoch.isascii() and epoch.isdigit()):
            raise ValueError
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(epoch) if epoch else None))
    except (ValueError, OverflowError, OSError):
        value = epoch if len(epoch) <= 40 else f"{epoch[:40]}..."
        raise UsageError(f"SOURCE_DATE_EPOCH is {value!r}; expected a whole number of seconds since 1970") from None
