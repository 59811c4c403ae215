"""Metrics of the functions for single segments, which are called in loops: each is made once.

- `metric_for`: the metric with some options
"""

from functools import lru_cache

from bleucli.errors import InputTypeError
from bleucli.metrics.base import Metric

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    MetricT = TypeVar("MetricT", bound=Metric)


def metric_for(kind: "type[MetricT]", *options: object) -> "MetricT":
    """Return a metric of a class with these options, in the constructor's order; the same while it is asked for.

    Raises:
        InputTypeError: an option of a type that none has.
    """
    try:
        return _make(kind, *options)  # type: ignore[return-value]
    except InputTypeError:
        raise
    except TypeError as error:
        raise InputTypeError(f"an option is of an {error}; give numbers, strings and truth values") from None


@lru_cache(maxsize=32, typed=True)
def _make(kind: type[Metric], *options: object) -> Metric:
    return kind(*options)
