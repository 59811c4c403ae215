"""Records behave like those of `typing.NamedTuple`, which type checkers take them for."""

from __future__ import annotations

import copy
import pickle
import typing

import pytest

from bleucli import records


class Ours(records.NamedTuple):
    """The fields of both."""

    name: str
    size: typing.Any
    tags: tuple[str, ...] = ()
    best: bool = False

    def label(self):
        return f"{self.name}:{self.size}"


class Original(typing.NamedTuple):
    """The fields of both."""

    name: str
    size: typing.Any
    tags: tuple[str, ...] = ()
    best: bool = False

    def label(self):
        return f"{self.name}:{self.size}"


CALLS = {
    "in order": (("a", 1), {}),
    "all in order": (("a", 1, ("x",), True), {}),
    "by name": ((), {"size": 1, "name": "a"}),
    "mixed": (("a",), {"best": True, "size": 1}),
    "one missing": (("a",), {}),
    "one unknown": (("a", 1), {"colour": "red"}),
    "an unknown field in place of a missing one": (("a",), {"colour": "red"}),
    "one twice": (("a", 1), {"name": "b"}),
    "too many": (("a", 1, (), True, 5), {}),
}


@pytest.mark.parametrize(("values", "named"), CALLS.values(), ids=CALLS)
def test_a_record_takes_the_fields_that_the_original_takes(values, named):
    try:
        expected = Original(*values, **named)
    except TypeError:
        with pytest.raises(TypeError, match="Ours takes name, size, tags, best"):
            Ours(*values, **named)
    else:
        assert tuple(Ours(*values, **named)) == tuple(expected)


@pytest.mark.parametrize(
    "ask",
    [
        lambda kind: kind("a", 1).name,
        lambda kind: kind("a", 1).label(),
        lambda kind: kind("a", 1) == ("a", 1, (), False),
        lambda kind: hash(kind("a", 1)),
        lambda kind: kind("a", 1)._asdict(),
        lambda kind: tuple(kind("a", 1)._replace(size=2, best=True)),
        lambda kind: type(kind("a", 1)._replace(size=2)) is kind,
        lambda kind: tuple(kind._make(["a", 1, (), True])),
        lambda kind: kind._fields,
        lambda kind: kind._field_defaults,
        lambda kind: kind.__match_args__,
        lambda kind: kind.__doc__,
        lambda kind: hasattr(kind("a", 1), "__dict__"),
        lambda kind: repr(kind("a", 1)).removeprefix(kind.__name__),
    ],
)
def test_a_record_answers_as_the_original_does(ask):
    assert ask(Ours) == ask(Original)


@pytest.mark.parametrize("kind", [Ours, Original])
def test_a_record_cannot_be_changed(kind):
    with pytest.raises(AttributeError):
        kind("a", 1).name = "b"
    with pytest.raises(AttributeError):
        kind("a", 1).other = "b"
    with pytest.raises((TypeError, ValueError)):
        kind("a", 1)._replace(colour="red")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_record_can_be_pickled(protocol):
    record = Ours("a", [1], best=True)
    again = pickle.loads(pickle.dumps(record, protocol))
    assert again == record
    assert type(again) is Ours


def test_a_record_can_be_copied():
    record = Ours("a", [1])
    assert copy.copy(record) == record
    assert copy.deepcopy(record).size is not record.size
