"""Checks of arguments: whether they have the right type and are within bounds.

- `read_number`, `read_whole_number`: numbers in texts
- `whole_number`, `real_number`, `truth_value`, `string`, `file_path`: the value of an argument; errors name it
"""

from __future__ import annotations

from _operator import index
from math import isfinite, log10

from bleucli.errors import InputTypeError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import Any

# Higher orders of n-grams would waste memory, since hardly any segment is that long, even in characters
LARGEST_ORDER = 1000
MOST_TRIALS = 10**7
# The most bits of a whole number that a message prints
_MOST_BITS = 128
MOST_THREADS = 1024
# The bounds of a figure's width, in inches
LEAST_WIDTH, MOST_WIDTH = 1.0, 30.0


def read_number(text: str) -> float:
    """Return the decimal number that an ASCII text holds; it may have an exponent.

    Raises:
        ValueError: the text is not a decimal number. 1_000 and inf, which Python accepts, are not.

    >>> read_number("-0.25"), read_number("1e-3")
    (-0.25, 0.001)
    """
    number = float(text)
    if not text.isascii() or "_" in text or not isfinite(number):
        raise ValueError(f"not a decimal number: {text!r}")
    return number


def read_whole_number(text: str) -> int:
    """Return the whole number that an ASCII text holds.

    Raises:
        ValueError: the text is not a whole number. 1_000, which Python accepts, is not.
    """
    if not text.isascii() or "_" in text:
        raise ValueError(f"not a whole number: {text!r}")
    return int(text)


def whole_number(what: str, value: Any, smallest: int, largest: int | None = None) -> int:
    """Return a value as an integer; `largest` is None if there is no bound.

    >>> whole_number("n-gram order", 0, 1, 1000)
    Traceback (most recent call last):
    ...
    bleucli.errors.UsageError: n-gram order 0; expected a number from 1 to 1000
    """
    if isinstance(value, bool):
        raise _wrong_type(what, value, "a whole number")
    try:
        number = index(value)
    except TypeError:
        raise _wrong_type(what, value, "a whole number") from None
    if number < smallest or (largest is not None and number > largest):
        expected = f"from {smallest}" if largest is None else f"from {smallest} to {largest}"
        raise UsageError(f"{what} {_tell(number)}; expected a number {expected}")
    return number


def _tell(number: int) -> str:
    """Return a whole number, or its order of magnitude if it is very large: Python prints only some thousand digits.

    >>> _tell(-7), _tell(10**5000)
    ('-7', 'about 1e5000')
    """
    if number.bit_length() <= _MOST_BITS:
        return str(number)
    return f"about {'-' if number < 0 else ''}1e{round(number.bit_length() * log10(2))}"


def real_number(what: str, value: Any) -> float:
    """Return a value as an integer if it is one, else as a double.

    >>> real_number("beta", "2")
    Traceback (most recent call last):
    ...
    bleucli.errors.InputTypeError: beta '2' is of type str; give a number
    """
    if isinstance(value, bool | str | bytes):  # Python would convert these to numbers
        raise _wrong_type(what, value, "a number")
    try:
        double = float(value)
        return index(value) if hasattr(value, "__index__") else double
    except OverflowError:
        raise UsageError(f"{what} is too large for a floating-point number; give a smaller one") from None
    except (TypeError, ValueError):
        raise _wrong_type(what, value, "a number") from None


def truth_value(what: str, value: Any) -> bool:
    """Return a truth value of Python or NumPy as Python's; 0 and 1 count as truth values.

    >>> truth_value("lowercase", "no")
    Traceback (most recent call last):
    ...
    bleucli.errors.InputTypeError: lowercase 'no' is of type str; give True or False
    """
    try:
        if value in (False, True):
            return bool(value)
    except (TypeError, ValueError):  # an array with several values, or a missing value of pandas
        pass
    raise _wrong_type(what, value, "True or False")


def string(what: str, value: str) -> str:
    """Return a value if it is a string."""
    if not isinstance(value, str):
        raise _wrong_type(what, value, "a string")
    return value


def file_path(value: str | os.PathLike[str]) -> str:
    """Return the path of a file as a string.

    >>> file_path(3)  # type: ignore[arg-type]
    Traceback (most recent call last):
    ...
    bleucli.errors.InputTypeError: path 3 is of type int; give a string or a path
    """
    path = value.__fspath__() if hasattr(value, "__fspath__") else value
    if not isinstance(path, str):
        raise _wrong_type("path", value, "a string or a path")
    return path


def _wrong_type(what: str, value: object, expected: str) -> InputTypeError:
    return InputTypeError(f"{what} {value!r:.40} is of type {type(value).__name__}; give {expected}")
