"""Packages that only some uses need: imported late, with an error that ends with what to type."""

from __future__ import annotations

from bleucli.errors import BleuError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def load(module: str, extra: str) -> ModuleType:
    """Import and return a module that one of bleucli's extras installs.

    >>> load("math", "ja").sqrt(9)
    3.0
    >>> load("no_such_module", "ja")
    Traceback (most recent call last):
    ...
    bleucli.errors.BleuError: the module no_such_module is not installed; type: pip install 'bleucli[ja]'
    """
    try:
        return __import__(module, fromlist=["__name__"])  # a tenth of the time of `importlib` where it is imported
    except ImportError as error:
        # Either the module or its package is missing, or importing it fails, perhaps because it lacks another module
        missing = isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}.")
        why = "is not installed" if missing else f"cannot be imported ({' '.join(str(error).split())})"
        raise BleuError(f"the module {module} {why}; type: pip install 'bleucli[{extra}]'") from None
