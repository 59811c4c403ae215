"""How a download attempt can fail; each text is the rest of a sentence that begins with the address."""

from __future__ import annotations


class Failed(Exception):
    """An address does not deliver the file, and another attempt would not help."""


class MissingFile(Failed):
    """An address has no such file."""


class WrongFile(Failed):
    """An address delivers a file other than the one wanted."""


class Interrupted(Failed):
    """An address did not deliver the whole file; another attempt may bring the rest."""


class Unreached(Interrupted):
    """A server does not answer; for a while, no other file is requested from it."""


class Refused(Interrupted):
    """A server refuses connections; another attempt in a few seconds would not help."""


class UnusablePart(Interrupted):
    """The server cannot continue an earlier attempt; another attempt may bring the whole file."""
