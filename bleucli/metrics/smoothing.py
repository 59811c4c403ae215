"""Smoothing methods of BLEU: what stands in for the precision of an order without a match (Chen & Cherry 2014)."""

from bleucli.errors import BleuError
from bleucli.limits import read_number

# sacreBLEU 2.6.0: the methods, and the default values of those that have one
METHODS = ("exp", "floor", "add-k", "none")
DEFAULT_VALUES = {"floor": 0.1, "add-k": 1.0}
LARGEST_VALUE = 1e100  # beyond, precisions overflow


class Smoothing:
    """A smoothing method with its value.

    Args:
        method: `exp`, `floor`, `add-k` or `none`.
        value: what `floor` puts in the place of 0 matches and `add-k` adds; None for the method's default. The other
            methods have none and ignore it.

    >>> Smoothing("floor").signature
    'floor[0.10]'
    >>> Smoothing("exp").precisions([3, 0, 0], [5, 4, 3])
    [60.0, 12.5, 8.333333333333334]
    """

    def __init__(self, method: str, value: float | None = None) -> None:
        default = DEFAULT_VALUES.get(method)
        self.method = method
        self.value = 0.0 if default is None else default if value is None else value
        self.signature = method if default is None else f"{method}[{_decimals(self.value)}]"

    @classmethod
    def parse(cls, signed: str) -> "Smoothing":
        """Return the smoothing that a signature names, of sacreBLEU 1.x (`floor.0.01`) too.

        Raises:
            BleuError: there is no such smoothing.

        >>> Smoothing.parse("floor[0.1]").signature, Smoothing.parse("floor.0.01").signature
        ('floor[0.10]', 'floor[0.01]')
        """
        method, _, rest = signed.replace(".", "[", 1).partition("[") if "[" not in signed else signed.partition("[")
        try:
            value = read_number(rest.removesuffix("]")) if rest else None
        except ValueError:
            method = ""
        if method not in METHODS or not 0 <= (value or 0) <= LARGEST_VALUE:
            raise BleuError(f"smooth:{signed} in the signature is not a smoothing that can be followed here")
        if rest and method not in DEFAULT_VALUES:
            raise BleuError(f"smooth:{signed} in the signature, but {method} takes no value")
        return cls(method, value)

    def smoothed_counts(self, counts: list[float], totals: list[float]) -> tuple[list[float], list[float]]:
        """Return matches and n-grams by order, as they are or, with add-k, increased from the second order on."""
        if self.method != "add-k" or not self.value:
            return counts, totals
        return (
            counts[:1] + [count + self.value for count in counts[1:]],
            totals[:1] + [total + self.value for total in totals[1:]],
        )

    def precisions(self, counts: list[float], totals: list[float]) -> list[float]:
        """Return the precisions in percent, from order 1 up to the first without any n-gram.

        Args:
            counts: matches by order.
            totals: n-grams of the hypothesis by order.
        """
        found = []
        zeros = 0
        for count, total in zip(counts, totals, strict=True):
            if not total:
                break
            if count:
                found.append(100.0 * count / total)
            elif self.method == "exp":
                zeros += 1
                found.append(100.0 / (2**zeros * total))
            else:
                found.append(100.0 * self.value / total if self.method == "floor" else 0.0)
        return found


def _decimals(value: float) -> str:
    """Print a number with as many decimals as it has, two at least.

    >>> _decimals(1), _decimals(0.125), _decimals(1e-7)
    ('1.00', '0.125', '0.0000001')
    """
    decimals = 2
    while float(text := f"{value:.{decimals}f}") != value:
        decimals += 1
    return text
