"""Printed sentences as claims: a parser that knows every kind of sentence, with one recomputation for each kind.

- `Place`: the kinds of sentences that may stand in one place, such as a page; `Place.sentence` adds a kind
- `Place.read`: judges a text sentence by sentence; a sentence of an unknown kind is a failure, too
- `Shown`, `ShownP`: a number and a p-value as they are printed
- `Tally`: how often each kind was read, and which sentences were untrue; `Tally.table` shows it

The kinds themselves, and random data to reach them, are in `sentences_*.py`; `scripts/sentences` prints the table.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import lru_cache

MINUS = "\N{MINUS SIGN}"
# How far a recomputed number may be from the printed one, beyond rounding
_NOISE = 1e-9


class Shown(str):
    """A number as printed.

    >>> Shown("1,234.50").value, Shown("0.12").of(0.1249), Shown("0.12").of(0.126), Shown("1e-05").of(1.2e-5)
    (1234.5, True, False, True)
    """

    @property
    def value(self):
        return float(self.replace(",", "").replace(MINUS, "-"))

    @property
    def unit(self):
        """The value of the last digit."""
        digits, _, power = self.partition("e")
        return 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))

    def of(self, number):
        """Return whether a number rounds to this."""
        return abs(number - self.value) <= 0.5 * self.unit + _NOISE * max(1, abs(number))


class ShownP(str):
    """A p-value as printed.

    >>> ShownP("p < 0.001").of(0.0004), ShownP("p = 0.043").of(0.0431), ShownP("p ≤ 0.002").of(0.0013)
    (True, True, True)
    >>> ShownP("p ≤ 0.001").of(0.0013), ShownP("p = 0.050").of(0.0504)  # the second one is not significant
    (False, False)
    """

    def of(self, number):
        """Return whether this says the truth about a p-value, and nothing else about its significance."""
        _, sign, text = self.split()
        limit = Shown(text)
        if sign == "<":
            return number < limit.value
        if (number <= 0.05) != (limit.value <= 0.05):
            return False
        if sign == "=":
            return limit.of(number)
        return limit.value - limit.unit < number + _NOISE and number <= limit.value + _NOISE


# By type of a placeholder: an expression, or the attribute of the world with the words that it may be
_NUMBER = rf"[+\-{MINUS}]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?"
_TYPES = {
    "number": _NUMBER,
    "points": rf"{_NUMBER} points?",
    "count": r"\d[\d,]*",
    "p": r"p [<=≤] \d\.\d+",
    "text": r".+?",
    "rest": r".+",
    "word": r"\S+",
}
_READ = {
    "number": Shown,
    "points": lambda text: Shown(text.partition(" ")[0]),
    "count": lambda text: int(text.replace(",", "")),
    "p": ShownP,
}
_PLACEHOLDER = re.compile(r"\{(\w+):((?:[^{}]|\{[^{}]*\})+)\}")


def split_list(text):
    """Return the parts of an enumeration.

    >>> split_list("a, b and c"), split_list("a or b")
    (['a', 'b', 'c'], ['a', 'b'])
    """
    return re.split(r", | and | or ", text)


@lru_cache(maxsize=100_000)
def _compile(template, systems, metrics):
    """Return an expression for a template, and the types of its placeholders.

    In a template, `{name:type}` is a placeholder, `[[...]]` may be missing, and `((a||b))` is a choice.
    """
    words = {"system": systems, "metric": metrics}
    types = {}

    def literal(text):
        escaped = re.escape(text)
        for mark, meaning in ((r"\[\[", "(?:"), (r"\]\]", ")?"), (r"\(\(", "(?:"), (r"\)\)", ")"), (r"\|\|", "|")):
            escaped = escaped.replace(mark, meaning)
        return escaped

    parts, last = [], 0
    for found in _PLACEHOLDER.finditer(template):
        name, kind = found.groups()
        types[name] = kind
        if kind.removesuffix("s") in words:
            either = "|".join(sorted(map(re.escape, words[kind.removesuffix("s")]), key=len, reverse=True)) or r"(?!)"
            expression = f"(?:{either})" + (rf"(?:(?:, | and | or )(?:{either}))*" if kind.endswith("s") else "")
        else:
            expression = _TYPES.get(kind, kind)
        parts += [literal(template[last : found.start()]), f"(?P<{name}>{expression})"]
        last = found.end()
    parts.append(literal(template[last:]))
    return re.compile(f"(?:{''.join(parts)})(?=\\s|$)", re.DOTALL), types


def _convert(kind, text, world):
    if text is None:
        return None
    if kind == "system":
        return world.names.index(text)
    if kind == "metric":
        return world.metrics.index(text)
    if kind == "systems":
        return list(map(world.names.index, split_list(text)))
    if kind == "metrics":
        return list(map(world.metrics.index, split_list(text)))
    return _READ.get(kind, str)(text)


def match(template, text, world):
    """Return the values of a template's placeholders in a text; None if the text has another form."""
    expression, types = _compile(template, tuple(sorted(world.names)), tuple(sorted(world.metrics)))
    found = expression.fullmatch(text)
    if found is None:
        return None
    return {name: _convert(kind, found[name], world) for name, kind in types.items()}


class Unknown(Exception):
    """A sentence of a kind without a recomputation."""


class Kind:
    """A kind of sentence: its name, its forms, and a function that returns whether it is true in a world."""

    def __init__(self, name, templates, check):
        self.name, self.templates, self.check = name, templates, check


class Place:
    """Where sentences are printed: all kinds that may stand there."""

    def __init__(self, name):
        self.name, self.kinds = name, []

    def sentence(self, name, *templates):
        """Add a kind of sentence; the decorated function takes the world and the values of the placeholders."""

        def add(check):
            self.kinds.append(Kind(f"{self.name}: {name}", templates, check))
            return check

        return add

    def read(self, text, world, tally):
        """Judge every sentence of a text in a world; where several kinds fit, the one with the longest sentence counts.

        Raises:
            Unknown: no kind fits.
        """
        rest = text.strip()
        while rest:
            fits = []
            for kind in self.kinds:
                for template in kind.templates:
                    expression, types = _compile(template, tuple(sorted(world.names)), tuple(sorted(world.metrics)))
                    if found := expression.match(rest):
                        fits.append((found.end(), kind, types, found))
            if not fits:
                raise Unknown(f"{self.name}: {rest}")
            end, kind, types, found = max(fits, key=lambda fit: fit[0])
            values = {name: _convert(of, found[name], world) for name, of in types.items()}
            tally.add(kind.name, bool(kind.check(world, **values)), rest[:end], world)
            rest = rest[end:].strip()


class Tally:
    """How often each kind of sentence was read, and the untrue ones."""

    def __init__(self, *places):
        self.reached = Counter({kind.name: 0 for place in places for kind in place.kinds})
        self.worlds = defaultdict(set)
        self.untrue = defaultdict(list)
        self.drawn = Counter()
        self.texts = set()

    def add(self, kind, is_true, sentence, world):
        self.reached[kind] += 1
        self.worlds[kind].add(id(world))
        self.texts.add(sentence)
        if not is_true:
            self.untrue[kind].append((sentence, f"{world!s:.1000}"))

    def see(self, blocks):
        """Take note of all texts of an explanation, also of those that are not sentences."""
        for block in blocks:
            for field in block:
                parts = field if isinstance(field, list | tuple) else [field]
                self.texts.update(part for part in parts if isinstance(part, str))

    def missed(self):
        """Return the kinds that no text reached."""
        return [kind for kind, count in self.reached.items() if not count]

    def told(self):
        """Return the untrue sentences, some of each kind."""
        return "\n".join(
            f"{kind}: {sentence!r} in {world}" for kind, found in self.untrue.items() for sentence, world in found[:3]
        )

    def table(self):
        """Return the table: kind of sentence, texts drawn in its place, times reached, untrue."""
        rows = [("kind of sentence", "drawn", "reached", "untrue")]
        for kind, count in self.reached.items():
            drawn, untrue = self.drawn[kind.partition(":")[0]], self.untrue.get(kind, ())
            rows.append((kind, str(drawn), str(count), str(len(untrue))))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join(cell.ljust(width) if place == 0 else cell.rjust(width) for place, (cell, width) in cells)
            for cells in (list(enumerate(zip(row, widths, strict=True))) for row in rows)
        )
