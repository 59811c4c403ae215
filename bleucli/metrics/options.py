"""A metric's options: each is declared once, in the table `options` of its class.

- `Option`: one option; the constructor's check, the signature and the command's options are derived from it
- `Configured`: the base of classes with a table of options
- `setting`, `is_setting`: an attribute of a metric that its scores depend on
- `SKIP_EMPTY_REFS`, `NORMALIZE`: the options that all metrics have; `SHARED` has both
- `case_option`: the option of metrics that can ignore case
"""

from __future__ import annotations

from _operator import attrgetter  # see CONTRIBUTING.md

from bleucli.errors import BleuError, UsageError
from bleucli.limits import read_number, real_number, string, truth_value, whole_number
from bleucli.phrases import suggest
from bleucli.results.signature import escape, place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, ClassVar, Self, TypeVar

    T = TypeVar("T")

# What an option decides: the statistics of a segment; which of its references they are for; or only the score
ROWS, CHOICE, SCORE = "rows", "choice", "score"
# The most digits of a whole number in a signature: no option needs more, and `int` refuses thousands of them
_MOST_DIGITS = 9
_NUMBERS = (int, float)


class _Table(dict):  # type: ignore[type-arg]
    """The forms that usual values have in signatures; those of others are made when they are looked up."""

    make: Callable[[Any], str]

    def __missing__(self, value: Any) -> str:
        return self.make(value)


class Option:
    """An option of a metric.

    Args:
        name: the name of the constructor's argument, and of the attribute that keeps its value.
        kind: the type of its values: bool, int, float or str.
        default: None if the default depends on other options; only then may a caller give None.
        flags: the command's flags, the long form first, the short one last; none for an option that only Python has.
        help: a text for the command's help, which adds the default.
        least, most: the bounds of a number.
        choices: the allowed words; if empty, any word is allowed.
        reads: the type of values that the command accepts, if that is narrower than `kind`.
        ours: whether sacreBLEU lacks the flag.
        shared: whether the command itself declares the flag, because the flag does more than this option.
        loads: whether making the metric may load or download something that the value names.
        key: the key in signatures; "" for an option that has no key of its own.
        words: the values in signatures for False and for True; "" leaves the key out.
        hidden: whether signatures leave out the default.
        absent: the value that a missing key stands for, if that is not the default.
        sign: takes a metric, and returns the value for its signature; "" leaves the key out.
        restate: takes a value from a signature, and returns it in today's form.
        read: takes a value from a signature, and whether its numbers are exact (sacreBLEU's have two decimals); returns
            the constructor's arguments.
        in_name: whether the value is part of the score's name instead of its signature.
        decides: `ROWS`; `SCORE` for an option that can still be changed after counting; `CHOICE` for one that can be
            changed unless segments have several references, because it decides which of them counts.
        stand_in: for an option that loads something: takes a metric and a value from a signature, and makes the metric
            sign that value without loading anything.

    >>> order = Option("order", int, 4, ("--order",), "longest n-gram", least=1, most=9, key="n")
    >>> order.check(12, "order")
    Traceback (most recent call last):
    ...
    bleucli.errors.UsageError: order 12; expected a number from 1 to 9
    >>> order.help, order.read("5", True)
    ('longest n-gram (default: 4)', {'order': 5})
    >>> Option("model", str, "", key="model").read("large%7Cold", True)
    {'model': 'large|old'}
    """

    def __init__(
        self,
        name: str,
        kind: type,
        default: Any,
        flags: tuple[str, ...] = (),
        help: str = "",  # noqa: A002
        *,
        least: float = 0,
        most: float = 0,
        choices: Sequence[str] = (),
        reads: type | None = None,
        ours: bool = False,
        shared: bool = False,
        loads: bool = False,
        key: str = "",
        words: tuple[str, str] = ("no", "yes"),
        hidden: bool = False,
        absent: str | None = None,
        sign: Callable[[Any], str] | None = None,
        restate: Callable[[str], str] | None = None,
        read: Callable[[str, bool], dict[str, Any]] | None = None,
        in_name: bool = False,
        decides: str = ROWS,
        stand_in: Callable[[Any, str], None] | None = None,
    ) -> None:
        self.name = name
        self.kind = kind
        self.default = default
        self.flags = flags
        has_default = default is not None and default != "" and kind is not bool
        self.help = f"{help} (default: {default})".lstrip() if has_default else help
        self.least = least
        self.most = most
        self.choices = choices
        self.reads = reads or kind
        self.ours = ours
        self.shared = shared
        self.loads = loads
        self.key = key
        self.words = words
        self.hidden = hidden
        self.absent = self._signed(default) if absent is None else absent
        self.table = None if sign else self._make_table()
        self.sign = sign
        self.restate = restate or self._restate
        self.read = read or self._read
        self.in_name = in_name
        self.decides = decides
        self.stand_in = stand_in

    @property
    def dest(self) -> str:
        """The long flag as the name of an attribute: chrf_beta for --chrf-beta."""
        return self.flags[0].removeprefix("--").replace("-", "_") if self.flags else ""

    def check(self, value: Any, spelling: str) -> Any:
        """Return a value as `kind`; `spelling` is the name of the option in errors."""
        if value is self.default:  # None, if the default depends on other options
            return value
        if self.kind is bool:
            return truth_value(spelling, value)
        if self.kind is int:
            return whole_number(spelling, value, int(self.least), int(self.most))
        if self.kind is float:
            number = real_number(spelling, value)
            if not self.least <= number <= self.most:
                raise UsageError(f"{spelling} {number}; expected a number from {self.least:g} to {self.most:g}")
            return number
        word = string(spelling, value)
        if self.choices and word not in self.choices:
            raise UsageError(
                f"{spelling} {word!r}; choose one of {', '.join(self.choices)}{suggest(word, self.choices)}"
            )
        if self.key and self.default and not word:
            raise UsageError(f"{spelling} is empty, which a signature cannot express; give a value")
        return word

    def label(self, in_command: bool) -> str:
        """Return the name of the option, in the command or in Python."""
        return self.flags[0] if in_command and self.flags else self.name

    def spell(self, in_command: bool) -> str:
        """Return how to turn the option on or give it a value, in the command or in Python.

        >>> SKIP_EMPTY_REFS.spell(in_command=True), SKIP_EMPTY_REFS.spell(in_command=False)
        ('--skip-empty-refs', 'skip_empty_refs=True')
        """
        if in_command and self.flags:
            return self.flags[-1]
        return f"{self.name}=True" if self.kind is bool else f"{self.name}=..."

    def _signed(self, value: Any) -> str:
        if value is None:
            return ""
        if self.kind is bool:
            return self.words[value]
        if self.kind is str:
            if not value or value.isalnum():  # there is nothing to escape, so nothing is imported
                return str(value)
            from urllib.parse import quote

            return quote(value, safe="/:,;()[]@+-_.~")
        return str(self.kind(value))  # 2 is accepted as a float, and signed as 2.0

    def _make_table(self) -> _Table:
        """Return a table of the forms of values, because each segment's score is signed."""
        usual: dict[type, Sequence[Any]] = {bool: (False, True), int: range(10), str: ("",)}
        table = _Table({value: self._signed(value) for value in usual.get(self.kind, ())})
        table.make = self._signed
        if self.hidden:
            table[self.default] = ""
        return table

    def _restate(self, text: str) -> str:
        return self._signed(_float(text)) if self.kind is float and _float(text) is not None else text

    def _read(self, text: str, exact: bool) -> dict[str, Any]:
        value: object
        if self.kind is bool:
            value = text == self.words[True] if text in self.words else None
            expected = " or ".join(filter(None, self.words))
        elif self.default is None and not text:
            return {self.name: None}
        elif self.kind is str:
            from urllib.parse import unquote

            value, expected = unquote(text), ""
        elif self.kind is float:
            value, expected = _float(text), "a number"
        else:
            is_whole = text.removeprefix("-").isdigit() and text.isascii() and len(text) <= _MOST_DIGITS
            value, expected = int(text) if is_whole else None, "a whole number"
        if value is None:
            raise BleuError(f"{self.key}:{text} in the signature; expected {expected}")
        return {self.name: value}


def _float(text: str) -> float | None:
    """Return a number from a signature; None if the text is not a number."""
    try:
        return read_number(text)
    except ValueError:
        return None


SKIP_EMPTY_REFS = Option(
    "skip_empty_refs",
    bool,
    False,
    ("--skip-empty-refs",),
    "treat empty references as missing",
    ours=True,
    shared=True,
    key="empty",
    words=("", "missing"),
)


def _restate_kinds(text: str) -> str:
    from bleucli.text.typography import read_kinds

    return read_kinds(text, "normalize of the signature") if text else ""


# Not `norm`, which is TER's key for `normalized`
NORMALIZE = Option(
    "normalize",
    str,
    "",
    ("--normalize",),
    "make typography alike on both sides: quotes,dashes,... or typography for all",
    ours=True,
    shared=True,
    key="normalize",
    restate=_restate_kinds,
)
SHARED = (SKIP_EMPTY_REFS, NORMALIZE)


def case_option(*flags: str, ours: bool = False) -> Option:
    """Return the option of metrics that can ignore case."""
    about, words = "compare without regard to case", ("mixed", "lc")
    return Option("lowercase", bool, False, flags, about, ours=ours, key="case", words=words)


def _give(value: str) -> Callable[[object], str]:
    return lambda metric: value


class _Setting(property):
    """The kind of property that `setting` returns."""


def setting(name: str) -> Any:
    """Return an attribute of a metric that its scores depend on.

    Setting or deleting it calls `Metric._change`, so that signatures of earlier scores stay as they are. The value is
    kept under the same name with an underscore. Constructors and counting use that one.
    """
    kept = f"_{name}"

    def change(metric: Any, value: object) -> None:
        metric._change(name, value)

    def delete(metric: Any) -> None:  # as `unittest.mock` does before it puts the old value back
        if hasattr(type(metric), kept):
            raise AttributeError(f"{name} of a metric cannot be deleted, since the class has a default; set it")
        metric._change(name, None)
        delattr(metric, kept)

    return _Setting(attrgetter(kept), change, delete)


def is_setting(attribute: object) -> bool:
    """Return whether an attribute of a class is a setting."""
    return isinstance(attribute, _Setting)


class Configured:
    """Base of classes that have a name and a table of options."""

    name: str
    options: ClassVar[Sequence[Option]] = SHARED
    # Keys of the signature with a constant value
    constants: ClassVar[Sequence[tuple[str, str]]] = ()
    # Whether messages name options as the command does
    in_command = False
    # How the scores of sacreBLEU 1.x may differ although all settings are the same, for a warning; "" if they do not
    former_difference = ""
    _by_name: ClassVar[Mapping[str, Option]]
    # For each key of signatures: the attribute, the table of its values, and a function if there is no table
    _signers: ClassVar[Sequence[tuple[str, str, _Table | None, Any]]]
    # Whether a class leaves `signature_fields` as it is
    _signs_by_table: ClassVar[bool]

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        cls._by_name = {option.name: option for option in cls.options}
        kept = {name: f"_{name}" for name in cls._by_name if is_setting(getattr(cls, name, None))}
        signers: list[tuple[str, str, _Table | None, Any]] = [
            (option.key, kept.get(option.name, option.name), option.table, option.sign)
            for option in cls.options
            if option.key
        ]
        signers += [(key, "", None, _give(escape(value))) for key, value in cls.constants]
        cls._signers = sorted(signers, key=lambda field: place_of(field[0]))
        cls._signs_by_table = cls.signature_fields is Configured.signature_fields

    def __repr__(self) -> str:
        """Return the call that makes the metric, with options that differ from the defaults and without references."""
        values = {option.name: getattr(self, option.name, option.default) for option in self.options}
        arguments = [
            f"{name}={getattr(value, '__name__', repr(value))}"  # a function's name
            for name, value in values.items()
            if value != self._by_name[name].default
        ]
        return f"{type(self).__name__}({', '.join(arguments)})"

    def signature_fields(self) -> list[tuple[str, str]]:
        """Return the keys and values between `nrefs` and `version` in signatures, from the table of options."""
        fields: dict[str, str] = {}
        self._add_fields(fields)
        return list(fields.items())

    def _add_fields(self, fields: dict[str, str]) -> None:
        for key, name, table, sign in self._signers:
            value = sign(self) if table is None else table[getattr(self, name)]
            if value:
                fields[key] = value

    def score_name(self) -> str:
        """Return the name of the scores, which may show options."""
        return self.name

    @classmethod
    def read_name(cls, name: str) -> dict[str, Any] | None:
        """Return the constructor's arguments that the name of a score shows; None if the name is another metric's."""
        return {} if name == cls.name else None

    @classmethod
    def restate_former(cls, info: Mapping[str, str]) -> dict[str, str]:
        """Return the keys and values of a signature of sacreBLEU 1.x as this metric signs the same settings today."""
        return dict(info)

    @classmethod
    def of_command(cls, **values: Any) -> Self:
        """Make a metric whose messages, including the constructor's errors, name options as the command does."""
        metric = cls.__new__(cls)
        metric.in_command = True
        metric.__init__(**values)  # type: ignore[misc]
        return metric

    def check(self, name: str, value: T) -> T:
        """Return the value of an option if it is valid."""
        option = self._by_name[name]
        if value is option.default or (value is True and option.kind is bool):
            return value
        # The usual types are looked at here: metrics for sentences are made in loops
        kind = type(value)
        is_number = option.kind in _NUMBERS if kind is int else kind is float is option.kind
        if is_number and option.least <= value <= option.most:  # type: ignore[operator]
            return value
        if kind is str is option.kind and value and (not option.choices or value in option.choices):
            return value
        result: T = option.check(value, option.label(self.in_command))
        return result

    def label(self, name: str) -> str:
        """Return the name of an option in messages: `beta` in Python, `--chrf-beta` in the command."""
        return self._by_name[name].label(self.in_command)

    def spell(self, name: str) -> str:
        """Return how to give an option, for messages: `effective_order=True`, or `-sl` in the command."""
        return self._by_name[name].spell(self.in_command)
