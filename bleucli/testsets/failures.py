"""How an attempt to download can fail; the text of each is the end of a sentence that begins with the address."""


class Failed(Exception):
    """An address does not give the file, and asking again would not help."""


class MissingFile(Failed):
    """An address has no such file."""


class WrongFile(Failed):
    """An address gives another file than the one that is wanted."""


class Interrupted(Failed):
    """An address did not give the whole file; the rest may come if it is asked again."""


class Unreached(Interrupted):
    """Nobody answers at an address; whoever asks for the next file need not try as long."""


class Refused(Interrupted):
    """Nobody listens at an address, and says so at once; asking again in a few seconds would not help."""


class UnusablePart(Interrupted):
    """What an earlier attempt left is of no use to this server; the whole file may come if it is asked again."""
