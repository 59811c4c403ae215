"""`NamedTuple`: like `typing.NamedTuple`, but at a tenth of the cost; `Record`: one whose items have names.

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

__all__ = ["NamedTuple", "Record"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple, Self, dataclass_transform

    @dataclass_transform(frozen_default=True)
    class Record:
        """A record whose items have names of their own; type checkers do not take it for a tuple."""

        def __getitem__(self, key: Any, /) -> Any:
            """Return an item."""

        def _replace(self, **named: Any) -> Self:
            """Return a copy with some fields replaced."""

        def _asdict(self) -> dict[str, Any]:
            """Return the fields by name."""

else:
    from _operator import itemgetter

    class _Kind(type):
        """The type of record classes: annotated names in the body become fields."""

        def __new__(cls, name, bases, body):
            fields = tuple(body.get("__annotations__", ()))
            if not fields:
                return super().__new__(cls, name, bases, {"__slots__": (), **body})
            defaults = {field: body[field] for field in fields if field in body}
            names = {"__match_args__": fields, "_fields": fields, "_field_defaults": defaults}
            names["_values"] = tuple([defaults.get(field, _ABSENT) for field in fields])
            # The fields up to the last one without a default
            names["_required"] = max([0, *(place for place, field in enumerate(fields, 1) if field not in defaults)])
            getters = {field: property(itemgetter(index)) for index, field in enumerate(fields)}
            return super().__new__(cls, name, bases, {"__slots__": (), **body, **names, **getters})

    # The value of a field that has to be named
    _ABSENT = object()

    class NamedTuple(tuple, metaclass=_Kind):
        """The base of records; see `typing.NamedTuple`."""

        def __new__(cls, *values, **named):
            """Make a record from its fields, in order or by name."""
            fields, place = cls._fields, len(values)
            if named or place != len(fields):
                values += tuple(map(named.pop, fields[place:], cls._values[place:]))
                if named or place > len(fields) or any(value is _ABSENT for value in values[place : cls._required]):
                    raise TypeError(f"{cls.__name__} takes {', '.join(fields)}")
            return tuple.__new__(cls, values)

        @classmethod
        def _make(cls, values):
            return cls(*values)

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def _replace(self, **named):
            values = tuple(map(named.pop, self._fields, self))
            if named:
                raise TypeError(f"{type(self).__name__} takes {', '.join(self._fields)}")
            return tuple.__new__(type(self), values)

        def __getnewargs__(self):
            return tuple(self)

        def __repr__(self):
            return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._asdict().items())})"

    Record = NamedTuple
