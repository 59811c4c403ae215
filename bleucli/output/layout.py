"""How scores are printed, whatever the format.

- `Layout`: what was asked for
- `marked_names`: the systems' names, with the baseline's mark
"""

from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.results import Results

# sacreBLEU 2.6.0: what the first system is called in paired tests
_BASELINE = "Baseline"


class Layout(NamedTuple):
    """How a score is printed."""

    width: int = 1  # decimals
    short: bool = False  # signatures with short keys
    score_only: bool = False  # the number alone
    colour: bool = False  # for a terminal
    bold_best: bool = False  # the best of each column in bold, in formats that have it; text only with colour


def marked_names(results: "Results") -> list[str]:
    """Return the systems' names; in a paired test the first one is marked as the baseline."""
    names = [system.name for system in results.systems]
    if results.test is not None and names[0] != _BASELINE:
        names[0] = f"{_BASELINE}: {names[0]}"
    return names
