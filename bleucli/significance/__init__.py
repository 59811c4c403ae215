"""How certain a score is, and whether a difference between systems is real.

- `PairedTest`: paired tests from Python, with the arguments and results of sacreBLEU's class
- `resampling`: the parts of these tests as functions of statistics
- `max_t`: p-values of all pairs of systems, corrected for their number
- `comparison`: adds intervals, p-values, rankings and the best score of each column to results, and says which
  differences a test finds

>>> import bleucli
>>> bleucli.significance.PairedTest is bleucli.PairedTest
True

`PairedTest`, `PairedScores` and `Result` are loaded when they are first used, because they import the metrics.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.significance.paired_test import PairedScores, PairedTest, Result

__all__ = ["PairedScores", "PairedTest", "Result"]


if not TYPE_CHECKING:  # hidden from type checkers, so that they report misspelt names

    def __getattr__(name: str) -> object:
        if name in __all__:
            from bleucli.significance import paired_test

            return getattr(paired_test, name)
        raise AttributeError(f"module 'bleucli.significance' has no attribute {name!r}")
