"""The loops that take the time, in two versions: compiled (`_native`) and plain Python (`python`).

Both have the same functions with the same results; `python` documents them. The environment variable `BLEU_KERNELS`
chooses once: `auto` (the default: native if built), `native` (or fail), `python`. `live` names the choice, and `reason`
says why `auto` did not choose the native kernels.

A kernel is a function of `python`, named in its `__all__`. Its twin in `native/` is declared in `kernels.h`, has a
function `py_NAME` in one of the files `bind_*.c`, and a row in `functions.h`. The build finds the C files by itself;
tests and `scripts/fuzz` compare the two versions.
"""

from __future__ import annotations

import os
import sys

from bleucli.errors import KernelError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def _load_native() -> tuple[ModuleType | None, str]:
    """Return the native kernels, or None and the reason why they cannot be used."""
    try:
        import bleucli.kernels._native as native
    except ImportError as error:
        return None, _why_missing(error)
    if not os.path.isdir(os.path.join(os.path.dirname(__file__), "native")):  # nothing to compare in an installed wheel
        return native, ""
    from bleucli.kernels.sources import checksum

    if checksum() not in (None, native._checksum):
        return None, "the native kernels do not match the C sources in this checkout; run scripts/test to rebuild them"
    return native, ""


def _why_missing(error: ImportError) -> str:
    import sysconfig

    if sysconfig.get_config_var("Py_GIL_DISABLED"):  # such a Python lacks the limited API that the kernels need
        return "there are no native kernels for free-threaded Python; use a Python with the global interpreter lock"
    return f"the native kernels were not built ({error}); install a C compiler and install bleucli again"


def _choose(kind: str) -> tuple[str, str]:
    """Return `native` or `python`, and the reason if `auto` can choose only `python`."""
    if kind == "reference":  # the name of the python kernels before 0.2
        kind = "python"
    if kind not in ("auto", "native", "python"):
        raise KernelError(f"BLEU_KERNELS is {kind!r}; expected auto, native or python")
    if kind == "python":
        return "python", ""
    native, why = _load_native()
    if native is None and kind == "native":
        raise KernelError(f"BLEU_KERNELS is native, but {why}")
    return ("native", "") if native is not None else ("python", why)


CODE_POINTS = sys.maxunicode + 1  # the length of the `classes` for tokenize_intl

live, reason = _choose(os.environ.get("BLEU_KERNELS") or "auto")
if TYPE_CHECKING or live == "python":
    from bleucli.kernels.python import *  # noqa: F403 - its __all__
else:
    from bleucli.kernels._native import *  # noqa: F403 - the same names
