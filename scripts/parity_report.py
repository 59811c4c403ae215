"""What `scripts/parity` found: comparisons counted, the first differences shown, the oracle's scores recorded."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import oracles
from parity_corpora import Group

# How many differences of each kind are shown
SHOWN = 5


class Report:
    """What was compared, how often, how often it differed, and the first differences."""

    def __init__(self) -> None:
        self.compared: Counter[str] = Counter()
        self.different: Counter[str] = Counter()
        self.examples: dict[str, list[str]] = {}
        # what could not be compared, by reason
        self.left_out: Counter[str] = Counter()
        # the oracle's scores of whole corpora, by group, metric and options in JSON
        self.recorded: dict[tuple[Group, str, str], float] = {}

    def differs(self, what: str, equal: bool) -> bool:
        """Count one comparison, and return whether it is a difference to show."""
        self.compared[what] += 1
        self.different[what] += not equal
        return not equal

    def show(self, what: str, messages: Iterable[str]) -> None:
        """Keep a difference, if it is among the first."""
        self.examples[what] = [*self.examples.get(what, ()), *messages][:SHOWN]

    def scores(self, what: str, ours: Any, theirs: Any, where: Callable[..., str], *place: object) -> None:
        """Compare two scores; `where` turns `place` into a description of where they come from."""
        if self.differs(what, oracles.same_score(ours, theirs)):
            self.show(what, [f"{where(*place)}: {oracles.difference(ours, theirs)}"])

    def texts(self, what: str, ours: str, theirs: str, where: Callable[..., str], *place: object) -> None:
        """Compare two texts; the first line that differs is shown."""
        if self.differs(what, ours == theirs):
            # None after the last line, so that there is a first difference even if one text continues the other
            pairs = zip([*ours.split("\n"), None], [*theirs.split("\n"), None], strict=False)
            line, expected = next((a, b) for a, b in pairs if a != b)
            self.show(what, [f"{where(*place)}: ours {line!r}, expected {expected!r}"])

    def record(self, group: Group, metric: str, options: dict[str, Any], score: float) -> None:
        """Keep the oracle's score of a whole corpus; `options` are those other than the default."""
        self.recorded[group, metric, json.dumps(options)] = score

    def add(self, other: Report) -> None:
        """Add what another process compared."""
        self.compared.update(other.compared)
        self.different.update(other.different)
        self.left_out.update(other.left_out)
        self.recorded.update(other.recorded)
        for what, messages in other.examples.items():
            self.show(what, messages)

    def __str__(self) -> str:
        """Return the table and the first differences."""
        rows = [("compared", "number", "different")]
        rows += [(what, f"{number:,}", f"{self.different[what]:,}") for what, number in self.compared.items()]
        rows.append(("all", f"{self.compared.total():,}", f"{self.different.total():,}"))
        lines = [f"{what:<42} {number:>12} {different:>10}" for what, number, different in rows]
        lines += [f"not compared: {number:,}, since {reason}" for reason, number in self.left_out.items()]
        for what, messages in self.examples.items():
            lines += ["", f"{what}, the first of {self.different[what]:,} differences:"]
            lines += [f"  {message}" for message in messages]
        return "\n".join(lines)
