"""How `scripts/parity` compares chrF and TER: end to end, every sentence, and whole corpora."""

from __future__ import annotations

import random
import warnings
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

import oracles
from parity_corpora import Group, texts
from parity_report import Report

from bleucli.text import Segments

# A metric: its name, our class and the oracle's, and the attributes that must be equal besides the score
Kind = namedtuple("Kind", "name ours oracle fields")
Options = dict[str, Any]


class Comparison:
    """A system and its references, compared in one configuration after the other."""

    def __init__(
        self,
        report: Report,
        kind: Kind,
        group: Group,
        texts: tuple[list[str], list[list[str | None]]],
        numbers: Sequence[int] | None = None,
    ) -> None:
        warnings.simplefilter("ignore")
        self.report = report
        self.kind = kind
        self.group = group
        self.hypotheses, self.streams = texts
        self.numbers = range(len(self.hypotheses)) if numbers is None else numbers
        self.whole = numbers is None

    def pick(self, dice: random.Random, size: int) -> Comparison:
        """Return the comparison of `size` random segments."""
        numbers = sorted(dice.sample(range(len(self.hypotheses)), min(size, len(self.hypotheses))))
        hypotheses, *streams = ([column[n] for n in numbers] for column in (self.hypotheses, *self.streams))
        return Comparison(self.report, self.kind, self.group, (hypotheses, streams), [self.numbers[n] for n in numbers])

    def describe(self, options: Options, place: str) -> str:
        """Return where a difference was found."""
        return f"{self.group.pair} {self.group.system}, {self.group.references}, {options}, {place}"

    def check(self, what: str, ours: Any, theirs: Any, options: Options, place: str) -> None:
        """Compare two scores."""
        name, fields = f"{self.kind.name}: {what}", ("score", *self.kind.fields)
        found, expected = ([getattr(score, field) for field in fields] for score in (ours, theirs))
        if self.report.differs(name, found == expected):
            pairs = zip(fields, found, expected, strict=True)
            wrong = "; ".join(f"{field}: ours {a!r}, oracle's {b!r}" for field, a, b in pairs if a != b)
            self.report.show(name, [f"{self.describe(options, place)}: {wrong}"])

    def sentences(self, options: Options) -> list[Any]:
        """Compare each segment, by `sentence_score` and by its statistics; return the oracle's scores."""
        ours, theirs = self.kind.ours(**options), self.kind.oracle(**options)
        columns = [Segments.from_strings(column) for column in (self.hypotheses, *self.streams)]
        rows = ours.segment_stats(columns[0], columns[1:])
        scores = []
        segments = zip(self.numbers, rows, self.hypotheses, *self.streams, strict=True)
        for number, row, hypothesis, *references in segments:
            expected = theirs.sentence_score(hypothesis, [text for text in references if text is not None])
            place = f"line {number + 1}"
            self.check("sentence_score", ours.sentence_score(hypothesis, references), expected, options, place)
            self.check("score of a segment's statistics", ours.score_from_stats(row), expected, options, place)
            scores.append(expected)
        return scores

    def corpus(self, options: Options) -> None:
        """Compare the corpus end to end: score, text and signature."""
        ours, theirs = self.kind.ours(**options), self.kind.oracle(**options)
        found, expected = (metric.corpus_score(self.hypotheses, self.streams) for metric in (ours, theirs))
        self.check("corpus_score, end to end", found, expected, options, self.place)
        if self.whole:
            self.report.record(self.group, self.kind.name, options, expected.score)
        what = f"{self.kind.name}: score in text"
        self.report.texts(what, str(found), str(expected), self.describe, options, self.place)
        for short in (False, True):
            signed, signature = (
                oracles.without_version(metric.get_signature().format(short)) for metric in (ours, theirs)
            )
            what = f"{self.kind.name}: signature"
            self.report.texts(what, signed, signature, self.describe, options, self.place)

    @property
    def place(self) -> str:
        """The number of segments."""
        return f"{len(self.hypotheses)} segments"


def compare_sample(
    kind: Kind, folder: str, chosen: list[Group], choose: Callable[[Group], tuple[Options, int]], dice: random.Random
) -> Report:
    """Compare some segments of each system as a corpus, and half of them one by one.

    Args:
        kind: the kind of metric.
        folder: the folder of the data.
        chosen: the systems.
        choose: gives the configuration and the number of segments for a system.
        dice: the random generator that draws the segments.
    """
    report = Report()
    for group in sorted(chosen):
        options, size = choose(group)
        part = Comparison(report, kind, group, texts(folder, group)).pick(dice, size)
        part.corpus(options)
        part.pick(dice, size // 2).sentences(options)
    return report
