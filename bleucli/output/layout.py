"""How scores are printed, whatever the format.

- `Layout`: what was asked for
- `marked_names`: the systems' names, with the baseline's mark
"""

from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.results import Results


class Layout(NamedTuple):
    """How a score is printed."""

    width: int = 1  # decimals
    short: bool = False  # signatures with short keys
    score_only: bool = False  # the number alone
    colour: bool = False  # for a terminal
    bold_best: bool = False  # the best of each column in bold, in formats that have it; text only with colour
    scale: int = 100  # what a perfect score is, 100 or 1; jsonl has 100 always

    def share(self, share: float) -> str:
        """Return a share, from 0 to 1, with two decimals more than scores have if these are in percent.

        >>> Layout(width=1).share(0.5714)
        '0.571'
        """
        return f"{share:.{self.width + (2 if self.scale == 100 else 0)}f}"


def marked_names(results: "Results") -> list[str]:
    """Return the systems' names; in a paired test the first one is marked as the baseline."""
    names = [system.name for system in results.systems]
    if results.test is None:
        return names
    from bleucli.naming import mark_baseline

    return mark_baseline(names)
