"""Numbers as sentences and figures show them, so that what is shown never contradicts what is said.

- `show`: a number that does not look like zero; `show_above`: two numbers of which the first is larger
- `round_p`, `show_p`: p-values that stay on their side of the limit of significance
- `show_cell`: a difference and its p-value, for the figure of all pairs
"""

from __future__ import annotations

from bleucli.results import SIGNIFICANT

# More decimals than this are written as powers of ten
_MOST_DECIMALS = 4
# Differences between floating-point numbers end before this many decimals
_ALL_DECIMALS = 17


def show(value: float, sign: str = "", decimals: int = 1) -> str:
    """Return a number with enough decimals not to look like zero.

    >>> show(1.25), show(0.04, "+"), show(0.0), show(-0.0004), show(0.00002)
    ('1.2', '+0.04', '0.0', '-0.0004', '2e-05')
    """
    for places in range(decimals, max(decimals, _MOST_DECIMALS) + 1):
        text = f"{value:{sign}.{places}f}"
        if not value or float(text):
            return text
    return f"{value:{sign}.0e}"


def show_above(larger: float, smaller: float, decimals: int) -> tuple[str, str]:
    """Return two numbers with enough decimals to show that the first one is larger.

    >>> show_above(1.234, 1.231, 2), show_above(2.0, 1.0, 2)
    (('1.234', '1.231'), ('2.00', '1.00'))
    """
    while decimals < _ALL_DECIMALS and f"{larger:.{decimals}f}" == f"{smaller:.{decimals}f}":
        decimals += 1
    return show(larger, decimals=decimals), show(smaller, decimals=decimals)


def round_p(value: float, up: bool = False) -> str:
    """Return a p-value with three decimals, or with more if it would otherwise change its significance.

    >>> round_p(0.04321), round_p(0.0504), round_p(0.0013), round_p(0.0013, up=True)
    ('0.043', '0.0504', '0.001', '0.002')
    """
    from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Decimal

    exact = Decimal(repr(value))
    for decimals in range(3, _ALL_DECIMALS):
        rounded = exact.quantize(Decimal(1).scaleb(-decimals), ROUND_CEILING if up else ROUND_HALF_EVEN)
        if (rounded <= Decimal(repr(SIGNIFICANT))) == (value <= SIGNIFICANT):
            return f"{rounded:f}"
    return repr(value)


def show_p(value: float, up: bool = False) -> str:
    """Return a p-value as papers print it; up: round up, and say that it is a bound.

    >>> show_p(0.00001), show_p(0.04321), show_p(1.0), show_p(0.0013, up=True)
    ('p < 0.001', 'p = 0.043', 'p = 1.000', 'p ≤ 0.002')
    """
    return "p < 0.001" if value < 0.001 else f"p {'≤' if up else '='} {round_p(value, up)}"


def show_cell(lead: float, p_value: float, decimals: int) -> tuple[str, str]:
    """Return by how much a system is better, and the p-value, both as short as cells need.

    >>> show_cell(-0.64, 0.0301, 1), show_cell(12.0, 0.0001, 1)
    (('−0.6', 'p=.030'), ('+12.0', 'p<.001'))
    """
    certainty = "p<.001" if p_value < 0.001 else f"p={round_p(p_value)}".replace("0.", ".", 1)
    return f"{lead:+.{decimals}f}".replace("-", "\N{MINUS SIGN}"), certainty
