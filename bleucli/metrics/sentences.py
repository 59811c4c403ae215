"""Metrics of the functions for single segments, which are called in loops: each is made once.

- `metric_for`: the metric with some options
"""

from functools import lru_cache

from bleucli.errors import InputTypeError
from bleucli.metrics.base import Metric

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec, TypeVar

    MetricT = TypeVar("MetricT", bound=Metric)
    P = ParamSpec("P")


def metric_for(kind: "Callable[P, MetricT]", *options: "P.args", **named: "P.kwargs") -> "MetricT":
    """Return a metric of a class with these options, the same as long as it is asked for.

    Raises:
        InputTypeError: an option of a type that none has.
    """
    try:
        return _make(kind, *options, **named)  # type: ignore[return-value, arg-type]
    except InputTypeError:
        raise
    except TypeError as error:
        raise InputTypeError(f"an option is of an {error}; give numbers, strings and truth values") from None


@lru_cache(maxsize=32, typed=True)
def _make(kind: "Callable[..., Metric]", *options: object, **named: object) -> Metric:
    return kind(*options, **named)
