"""How `scripts/parity` compares TER with the oracle's.

The oracle is slow. It computes corpus scores itself only on a part of each corpus, and on the whole corpus for one
system of a language pair. Elsewhere, the expected score is the quotient of the sums of its edits and reference lengths
over all sentences.
"""

from __future__ import annotations

import random
from collections import namedtuple
from collections.abc import Sequence
from itertools import product
from typing import Any

import oracles
import parity_segments
from parity_corpora import SYSTEMS, Group, first_reference, groups, share, texts
from parity_report import Report
from parity_segments import Comparison, Kind, Options

import bleucli

KIND = Kind("TER", bleucli.TER, oracles.ter, ("num_edits", "ref_length"))
SWITCHES = ("normalized", "no_punct", "asian_support", "case_sensitive")
DEFAULT: Options = {}
COMBINATIONS: list[Options] = [
    {name: True for name, on in zip(SWITCHES, switches, strict=True) if on}
    for switches in product((False, True), repeat=len(SWITCHES))
]
# Chinese and Japanese cut into characters make long segments, for which the oracle needs minutes. Of the combinations
# that do so, only this one is compared on every sentence, and only for the first system of the language pair
SLOW = {"wmt22.en-zh": dict.fromkeys(SWITCHES, True), "wmt22.en-ja": {"normalized": True, "asian_support": True}}
# How many segments are compared where not all are, and how many make up a corpus that the oracle itself scores; below,
# the same for slow combinations
PART, CORPUS_PART = 150, 60
SLOW_PART, SLOW_CORPUS_PART = 60, 10
# How many combinations besides the default are compared where a system has further references
FURTHER = 3

# The oracle's score of a corpus, summed over its sentences
Sum = namedtuple("Sum", "score num_edits ref_length")


def is_slow(group: Group, options: Options) -> bool:
    """Return whether the oracle takes long."""
    return group.pair in SLOW and "normalized" in options and "asian_support" in options


def summed(scores: Sequence[Any]) -> Sum:
    """Return the score of a corpus, given the oracle's scores of its sentences.

    >>> summed([Sum(50.0, 1, 2), Sum(0.0, 0, 2)])
    Sum(score=25.0, num_edits=1, ref_length=4)
    """
    edits, length = sum(score.num_edits for score in scores), sum(score.ref_length for score in scores)
    # The oracle divides first; 100 * edits / length could be rounded differently
    return Sum(100 * (edits / length), edits, length)


def on_every_sentence(group: Group, thorough: bool) -> list[Options]:
    """Return the combinations in which every sentence of a system is compared, besides the default."""
    if not first_reference(group):
        return []
    usual = [options for options in COMBINATIONS[1:] if not is_slow(group, options)]
    slow = [options for options in COMBINATIONS if is_slow(group, options)]
    if group.system != SYSTEMS[group.pair][0]:
        slow = []
    elif not thorough:
        slow = [options for options in slow if options == SLOW[group.pair]]
    return share(group, usual, thorough) + slow


def on_some_sentences(group: Group, seed: int, thorough: bool) -> list[Options]:
    """Return the combinations in which a part of a system's sentences is compared."""
    done = on_every_sentence(group, thorough)
    rest = [options for options in COMBINATIONS[1:] if options not in done]
    return rest if first_reference(group) or thorough else random.Random(f"{seed} {group}").sample(rest, FURTHER)


def compare_combination(comparison: Comparison, options: Options) -> None:
    """Compare every sentence, and the corpus with their sum."""
    expected = summed(comparison.sentences(options))
    found = KIND.ours(**options).corpus_score(comparison.hypotheses, comparison.streams)
    comparison.check("corpus_score", found, expected, options, comparison.place)
    if comparison.whole:
        comparison.report.record(comparison.group, KIND.name, options, expected.score)


def compare_group(folder: str, group: Group, seed: int, thorough: bool) -> Report:
    """Compare a system."""
    report = Report()
    dice = random.Random(f"{seed} {group}")
    comparison = Comparison(report, KIND, group, texts(folder, group))
    for options in [DEFAULT, *on_every_sentence(group, thorough)]:
        compare_combination(comparison, options)
    for options in on_some_sentences(group, seed, thorough):
        compare_combination(comparison.pick(dice, SLOW_PART if is_slow(group, options) else PART), options)
    for options in COMBINATIONS:
        comparison.pick(dice, SLOW_CORPUS_PART if is_slow(group, options) else CORPUS_PART).corpus(options)
    if group.system == SYSTEMS[group.pair][-1] and first_reference(group):
        comparison.corpus(DEFAULT)
    return report


def compare_sample(folder: str, dice: random.Random, count: int, size: int) -> Report:
    """Compare random systems in random combinations."""

    def choose(group: Group) -> tuple[Options, int]:
        options = dice.choice(COMBINATIONS)
        return options, size // 5 if is_slow(group, options) else size

    chosen = dice.choices(groups(folder, partly=True), k=count)
    return parity_segments.compare_sample(KIND, folder, chosen, choose, dice)
