"""How scores are printed, whatever the format."""

from bleucli.records import NamedTuple


class Layout(NamedTuple):
    """How a score is printed."""

    width: int = 1  # decimals
    short: bool = False  # signatures with short keys
    score_only: bool = False  # the number alone
    colour: bool = False  # for a terminal
    bold_best: bool = False  # the best of each column in bold, in formats that have it; text only with colour
