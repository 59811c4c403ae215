"""`NamedTuple`: like `typing.NamedTuple`, but at a tenth of the cost.

Every run of the command pays for its imports: `typing` would add a third to the time of `bleu --version`, and its
`NamedTuple` compiles code for each class. Type checkers see the original.

>>> class Interval(NamedTuple):
...     mean: float
...     half_width: float = 0.0
>>> mean, half_width = Interval(53.9)
>>> Interval(53.9)._replace(half_width=1.5)
Interval(mean=53.9, half_width=1.5)
"""

from __future__ import annotations

__all__ = ["NamedTuple"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from operator import itemgetter

    class _Kind(type):
        """The type of record classes: annotated names in the body become fields."""

        def __new__(cls, name, bases, body):
            kind = super().__new__(cls, name, bases, {"__slots__": (), **body})
            if fields := tuple(kind.__annotations__):
                kind._fields = kind.__match_args__ = fields
                kind._field_defaults = {field: body[field] for field in fields if field in body}
                for index, field in enumerate(fields):
                    setattr(kind, field, property(itemgetter(index)))
            return kind

    class NamedTuple(tuple, metaclass=_Kind):
        """The base of records; see `typing.NamedTuple`."""

        def __new__(cls, *values, **named):
            """Make a record from its fields, in order or by name."""
            if named or len(values) != len(cls._fields):
                given = dict(zip(cls._fields, values, strict=False))
                whole = cls._field_defaults | given | named
                if len(values) > len(given) or given.keys() & named.keys() or whole.keys() != set(cls._fields):
                    raise TypeError(f"{cls.__name__} takes {', '.join(cls._fields)}")
                values = [whole[field] for field in cls._fields]
            return tuple.__new__(cls, values)

        @classmethod
        def _make(cls, values):
            return cls(*values)

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def _replace(self, **named):
            return type(self)(**{**self._asdict(), **named})

        def __getnewargs__(self):
            return tuple(self)

        def __repr__(self):
            return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._asdict().items())})"
