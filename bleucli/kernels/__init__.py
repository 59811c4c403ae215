"""The loops that take the time, from one of two sources: compiled (`_native`) or plain Python (`python`).

Both compute the same, function by function; `python` says what. The environment's `BLEU_KERNELS` chooses, once:
`auto` (default: native where it was built), `native` (or fail), `python`. `live` tells which it is, and `reason` why
`auto` did not take the native ones.
"""

import os

from bleucli.errors import KernelError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from bleucli.kernels.python import (
        chrf_stats,
        column_sums,
        count_ending,
        distinct_characters,
        drop_empty,
        ngram_stats,
        reference_counts,
        split_lines,
        strip_trailing,
        ter_stats,
        tokenize_13a,
        tokenize_char,
        tokenize_intl,
        tokenize_zh,
    )
    from bleucli.kernels.python_f_score import f_score
    from bleucli.kernels.python_resampling import draw_weights, swapped_sums, weighted_sums

__all__ = [
    "CODE_POINTS",
    "chrf_stats",
    "column_sums",
    "count_ending",
    "distinct_characters",
    "draw_weights",
    "drop_empty",
    "f_score",
    "live",
    "ngram_stats",
    "reason",
    "reference_counts",
    "split_lines",
    "strip_trailing",
    "swapped_sums",
    "ter_stats",
    "tokenize_13a",
    "tokenize_char",
    "tokenize_intl",
    "tokenize_zh",
    "weighted_sums",
]


def _load_native() -> "tuple[ModuleType | None, str]":
    """Return the native kernels, or None and why they cannot be used."""
    try:
        import bleucli.kernels._native as native
    except ImportError as error:
        return None, _why_missing(error)
    from bleucli.kernels.sources import checksum

    sources = checksum()
    if sources not in (None, native.checksum):
        return (
            None,
            "the native kernels were built from other C sources than these; run scripts/test to build them anew",
        )
    return native, ""


def _why_missing(error: ImportError) -> str:
    import sysconfig

    if sysconfig.get_config_var("Py_GIL_DISABLED"):  # where the limited API, by which they are compiled, is not there
        return "there are no native kernels for free-threaded Python; use one with the global interpreter lock"
    return f"the native kernels were not built ({error}); install a C compiler and install bleucli again"


def _choose(wanted: str) -> "tuple[ModuleType, str, str]":
    """Return the kernels, `native` or `python`, and why `auto` had to make do with the latter."""
    if wanted == "reference":  # as the python kernels were called before 0.2
        wanted = "python"
    if wanted not in ("auto", "native", "python"):
        raise KernelError(f"BLEU_KERNELS is {wanted!r}; expected auto, native or python")
    found, why = _load_native() if wanted != "python" else (None, "")
    if found is not None:
        return found, "native", ""
    if wanted == "native":
        raise KernelError(f"BLEU_KERNELS is native, but {why}")
    from bleucli.kernels import python

    return python, "python", why


CODE_POINTS = 0x110000  # the size of the table that tokenize_intl takes

_kernels, live, reason = _choose(os.environ.get("BLEU_KERNELS") or "auto")
if not TYPE_CHECKING:
    chrf_stats = _kernels.chrf_stats
    column_sums = _kernels.column_sums
    count_ending = _kernels.count_ending
    distinct_characters = _kernels.distinct_characters
    draw_weights = _kernels.draw_weights
    drop_empty = _kernels.drop_empty
    f_score = _kernels.f_score
    ngram_stats = _kernels.ngram_stats
    reference_counts = _kernels.reference_counts
    split_lines = _kernels.split_lines
    strip_trailing = _kernels.strip_trailing
    swapped_sums = _kernels.swapped_sums
    ter_stats = _kernels.ter_stats
    tokenize_13a = _kernels.tokenize_13a
    tokenize_char = _kernels.tokenize_char
    tokenize_intl = _kernels.tokenize_intl
    tokenize_zh = _kernels.tokenize_zh
    weighted_sums = _kernels.weighted_sums
