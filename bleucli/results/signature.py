"""The signature: an ordered record of how a score was made, printed after the score and parsed back from papers."""

from __future__ import annotations

from bleucli._version import __version__
from bleucli.errors import BleuError, InputTypeError
from bleucli.limits import string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, Self

# Long and short names of the keys, as sacreBLEU 2.6.0 prints them and in its order; `correction`, `ngram`, `normalize`
# and `empty` are ours. Two short names have two meanings each; the value shows which one (see `format`, _long_name). A
# metric's table of options says which keys its signature has.
_SHORT = {
    "nrefs": "#",
    "bs": "bs",
    "ar": "ar",
    "seed": "rs",
    "correction": "cr",
    "unit": "u",
    "test": "t",
    "lang": "l",
    "origlang": "o",
    "subset": "S",
    "partial": "p",
    "level": "lv",
    "case": "c",
    "eff": "e",
    "tok": "tok",
    "smooth": "s",
    "nc": "nc",
    "nw": "nw",
    "space": "s",
    "norm": "nr",
    "punct": "pn",
    "asian": "as",
    "ngram": "n",
    "normalize": "nm",
    "empty": "em",
    "version": "v",
}
_PLACES = {key: place for place, key in enumerate(_SHORT)}
# `numrefs`, `numchars` and `numwords` are those of sacreBLEU 1.x
_LONG = {short: long for long, short in _SHORT.items()} | {
    "s": "smooth",
    "numrefs": "nrefs",
    "numchars": "nc",
    "numwords": "nw",
}
_EXPECTED = "expected one such as BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
# Keys that say how scores were resampled and tested, not how they were computed
RESAMPLING_KEYS = ("bs", "ar", "seed", "correction", "unit")
# Keys about the program and the tests of a run; then keys about the scored texts
RUN_KEYS = ("version", *RESAMPLING_KEYS)
TEXT_KEYS = ("nrefs", "test", "lang", "origlang", "subset", "partial", "level")
_BEFORE_TEXTS = ("nrefs", *RESAMPLING_KEYS)
VERSION = f"bleucli-{__version__}"
# The key of scores that another tool computed: whether higher is better
ELSEWHERE = "scores"


# What may surround a signature that was copied from a page: white space and quotation marks, plain and typographic
_AROUND = " \t\r\n\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\"'`´“”„‟‘’‚‛«»‹›"
# sacreBLEU 1.x: the tokenizer of TER, which is followed by TER's settings; and truth values
_TERCOM = "tercom"
_TRUTH = ("yes", "no", "true", "false")


_new = object.__new__


class Signature:
    """The settings that determine a score, and nothing else, as keys and values in order.

    Two signatures are equal if they print the same; the name does not count.

    Args:
        fields: pairs of a key and its value, in order.
        name: the name of the metric, "" if unknown.

    Attributes:
        info: the values by key, in order; it may be changed.
        name: as above.
        is_former: whether sacreBLEU 1.x made it.

    Raises:
        InputTypeError: `fields` are not pairs.

    >>> signature = Signature([("nrefs", "1"), ("case", "mixed"), ("tok", "13a")])
    >>> str(signature)
    'nrefs:1|case:mixed|tok:13a'
    >>> signature.format(short=True)
    '#:1|c:mixed|tok:13a'
    >>> Signature.parse("BLEU|#:1|c:mixed|tok:13a") == signature
    True

    Keys that a program adds are printed before the version. Truth values become `yes` and `no`; None is left out:

    >>> signature = Signature.parse("nrefs:1|case:mixed|version:2.6.0")
    >>> signature.update("sorted", True)
    >>> signature.info["note"] = None
    >>> signature
    nrefs:1|case:mixed|sorted:yes|version:2.6.0
    """

    def __init__(self, fields: Iterable[tuple[str, str]], name: str = "") -> None:
        try:
            self.info: dict[str, Any] = dict(fields)
        except (TypeError, ValueError):
            raise InputTypeError(
                "a signature is made of (key, value) pairs; write Signature([(key, value), ...]), or"
                " Signature.parse(text)"
            ) from None
        self._made = len(self.info)  # keys that are added later come before the version
        self.name = name

    is_former = False
    # The short names of keys
    _abbr: Mapping[str, str] = _SHORT

    @classmethod
    def of(cls, info: dict[str, Any], name: str) -> Self:
        """Return a signature with these values by key, which it keeps; `__init__` takes pairs, as sacreBLEU's does not.

        >>> Signature.of({"nrefs": "1"}, "BLEU")
        nrefs:1
        """
        signature = _new(cls)
        signature.info = info
        signature._made = len(info)
        signature.name = name
        return signature

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Parse a signature, long or short, from sacreBLEU 1.x, sacreBLEU 2.x or bleucli; or a whole score line.

        Quotation marks around it do not count, nor do blanks around its parts, which pages and papers may add.

        Raises:
            InputTypeError: it is not a string.
            BleuError: a part is not of the form `key:value`, or a key occurs twice.

        >>> str(Signature.parse("BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a+version.1.4.14 = 26.1 57.9/31.9"))
        'case:mixed|nrefs:1|smooth:exp|tok:13a|version:1.4.14'
        """
        signature = string("signature", text).strip(_AROUND).partition(" = ")[0].strip(_AROUND)
        old = ":" not in signature  # sacreBLEU 1.x: plus signs between keys, and a dot before each value
        parts = [part.strip() for part in signature.split("+" if old else "|")]
        name = parts.pop(0) if ("." if old else ":") not in parts[0] else ""
        fields: dict[str, str] = {}
        for part in parts:
            key, mark, value = part.partition("." if old else ":")
            value = value.strip()
            key = _long_name(key.strip(), value)
            if not mark or not key:
                raise BleuError(f"{part!r} in the signature {text!r} is not of the form key:value; {_EXPECTED}")
            if key in fields:
                raise BleuError(f"the signature {text!r} has {key} twice, as {key}:{fields[key]} and {part}; keep one")
            fields[key] = value
        if not fields:
            raise BleuError(f"{text!r} is not a signature; {_EXPECTED}")
        result = cls(fields.items(), name)
        result.is_former = fields["version"].startswith("1.") if "version" in fields else old
        return result

    def with_texts(self, texts: Iterable[tuple[str, str]]) -> Signature:
        """Return the signature with keys that name the scored texts, in the place where sacreBLEU puts them.

        A `|`, which separates keys, becomes `%7C`. Percent signs and invisible characters are escaped in the same way.

        >>> signature = Signature([("nrefs", "1"), ("case", "mixed")])
        >>> str(signature.with_texts([("test", "wmt17"), ("lang", "en-de"), ("subset", "US|GB")]))
        'nrefs:1|test:wmt17|lang:en-de|subset:US%7CGB|case:mixed'
        """
        fields = list(self)
        start = sum(key in _BEFORE_TEXTS for key, _ in fields)
        safe = [(escape(key), escape(value)) for key, value in texts]
        return Signature([*fields[:start], *safe, *fields[start:]], self.name)

    def format(self, short: bool = False) -> str:
        """Return the signature in one line; short: abbreviate the keys."""
        if not short:
            return "|".join([f"{key}:{value if type(value) is str else _tell(value)}" for key, value in self._items()])
        abbreviations, parts = self._abbr, []
        for key, value in self._items():
            name = abbreviations.get(key, key)
            if name == "tok" and value == _TERCOM:
                name = "t"
            parts.append(f"{name}:{value if type(value) is str else _tell(value)}")
        return "|".join(parts)

    def __str__(self) -> str:
        return self.format()

    __repr__ = __str__  # as in sacreBLEU, since programs log it

    def update(self, key: str, value: object) -> None:
        """Set the value of a key; a new key is printed before the version."""
        self.info[key] = value

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Give keys and values as they are printed."""
        for key, value in self._items():
            yield key, value if type(value) is str else _tell(value)

    def _items(self) -> Iterable[tuple[str, Any]]:
        """Return the keys that are printed, in this order, and their values."""
        info = self.info
        if None in info.values():
            info = {key: value for key, value in info.items() if value is not None}
        if len(self.info) > self._made:
            keys = list(self.info)
            if keys[self._made - 1] == "version":
                keys.append(keys.pop(self._made - 1))
            return [(key, info[key]) for key in keys if key in info]
        return info.items()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Signature) and list(self) == list(other)  # the name does not count

    def __hash__(self) -> int:
        return hash(self.format())

    def __deepcopy__(self, memo: object) -> Self:
        other = _new(type(self))
        vars(other).update(vars(self), info=dict(self.info))  # no value changes in itself
        return other


def _tell(value: object) -> str:
    """Return a value that a program set as it is printed."""
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def read_parts(text: str) -> dict[str, str]:
    """Return the keys and values of a printed signature as written, long or short; none if it is empty.

    >>> read_parts("#:1|c:mixed")
    {'#': '1', 'c': 'mixed'}
    """
    parts = [part.partition(":") for part in text.split("|")] if text else []
    for key, mark, value in parts:
        if not key or not mark:
            raise BleuError(
                f"{f'{key}{mark}{value}'!r} in the signature {text!r} is not of the form key:value; {_EXPECTED}"
            )
    return {key: value for key, _, value in parts}


def place_of(key: str) -> int:
    """Return the place of a key in the order of keys; unknown keys come last.

    >>> sorted(["tok", "stem", "case"], key=place_of)
    ['case', 'tok', 'stem']
    """
    return _PLACES.get(key, len(_PLACES))


def escape(value: str) -> str:
    """Return a value as it is written in a signature.

    >>> escape("US|GB"), escape("13a")
    ('US%7CGB', '13a')
    """
    if value.isprintable() and "%" not in value and "|" not in value:
        return value
    import re

    from bleucli.prose.markup import C0, UNSEEN

    # Characters that would be invisible, or would change when read back
    return re.sub(f"[%|{C0}{UNSEEN}]", lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), value)


def _long_name(key: str, value: str) -> str:
    if key == "t" and value.partition("-")[0] == _TERCOM:
        return "tok"
    if key == "s" and value.lower() in _TRUTH:
        return "space"
    return _LONG.get(key, key)
