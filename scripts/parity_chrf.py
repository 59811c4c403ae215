"""How `scripts/parity` compares chrF with the oracle's."""

from __future__ import annotations

import random
from itertools import chain

import oracles
import parity_segments
from parity_corpora import Group, first_reference, groups, share, texts
from parity_report import Report
from parity_segments import Comparison, Kind, Options

import bleucli

KIND = Kind("chrF", bleucli.CHRF, oracles.chrf, ("name", "char_order", "word_order", "beta"))
SWITCHES = ("lowercase", "whitespace", "eps_smoothing")
DEFAULT: Options = {}
PLUS: Options = {"word_order": 2}
# Each changes one option of the default, or leaves only words; the default and chrF++ come first
ONE_BY_ONE: list[Options] = [
    *({"char_order": order} for order in (1, 2, 3, 4, 5, 7, 8)),
    *({"word_order": order} for order in (1, 3)),
    *({"beta": beta} for beta in (0, 0.5, 1, 3)),
    {"char_order": 0, "word_order": 2},
    *({name: True} for name in SWITCHES),
]
# Numbers of random configurations: per language pair, for every sentence; per system, for its corpus only
MIXED, CORPUS_ONLY = 8, 2
# How many configurations besides the first two are compared where a system has further references
FURTHER = 2


def random_options(dice: random.Random) -> Options:
    """Draw a configuration."""
    orders = {
        "char_order": dice.randint(1, 8),
        "word_order": dice.randint(0, 3),
        "beta": dice.choice((0, 0.7, 1, 2, 3)),
    }
    return orders | {name: True for name in SWITCHES if dice.random() < 0.5}


def chosen_options(group: Group, seed: int, thorough: bool) -> list[Options]:
    """Return the configurations in which every sentence of a system is compared."""
    dice = random.Random(f"{seed} {group.pair}")
    rest = [*ONE_BY_ONE, *(random_options(dice) for _ in range(MIXED))]
    if first_reference(group):
        rest = share(group, rest, thorough)
    elif not thorough:
        rest = random.Random(f"{seed} {group}").sample(rest, FURTHER)
    return [DEFAULT, PLUS, *rest]


def compare_group(folder: str, group: Group, seed: int, thorough: bool) -> Report:
    """Compare a system: every sentence and the corpus."""
    report = Report()
    dice = random.Random(f"{seed} {group} corpus only")
    comparison = Comparison(report, KIND, group, texts(folder, group))
    chosen = chosen_options(group, seed, thorough)
    for options in chosen:
        comparison.sentences(options)
    for options in chain(chosen, (random_options(dice) for _ in range(CORPUS_ONLY))):
        comparison.corpus(options)
    return report


def compare_sample(folder: str, dice: random.Random, count: int, size: int) -> Report:
    """Compare random systems in random configurations."""

    def choose(_: Group) -> tuple[Options, int]:
        return dice.choice([DEFAULT, PLUS, *ONE_BY_ONE, *(random_options(dice) for _ in range(MIXED))]), size

    chosen = dice.choices(groups(folder, partly=True), k=count)
    return parity_segments.compare_sample(KIND, folder, chosen, choose, dice)
