"""How `scripts/parity` compares BLEU with the oracle's."""

from __future__ import annotations

import random
import warnings
from collections import namedtuple
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import oracles
from parity_corpora import Group, groups, texts
from parity_report import Report

import bleucli
from bleucli import kernels
from bleucli.text import Segments

TOKENIZERS = ("13a", "char", "none")
# Further tokenizers, compared only on the language that each is meant for
TOKENIZERS_OF = {
    "wmt22.en-zh": ("zh",),
    "wmt22.en-ja": ("ja-mecab",),
    "wmt22.en-de": ("intl",),
    "wmt22.cs-uk": ("intl",),
}
METHODS = ("exp", "floor", "add-k", "none")
ORDERS = range(1, 7)
MOST = ORDERS[-1]
# Numbers of segments where both sides run end to end in each configuration: for sentence_score, for corpus_score
SENTENCES, WINDOW = 5, 30

# All options of BLEU that decide a score
Configuration = namedtuple(
    "Configuration", "tokenize lowercase smooth_method smooth_value max_ngram_order effective_order"
)
DEFAULT = Configuration("13a", False, "exp", None, 4, False)


def configurations(tokenize: str, lowercase: bool) -> list[Configuration]:
    """Return every smoothing method, order and choice of effective order."""
    rest = product(METHODS, ORDERS, (False, True))
    return [Configuration(tokenize, lowercase, method, None, order, eff) for method, order, eff in rest]


def tokenizers_of(pair: str) -> tuple[str, ...]:
    """Return the tokenizers that texts of a language pair are compared with."""
    return TOKENIZERS + TOKENIZERS_OF.get(pair, ())


def random_configuration(dice: random.Random, pair: str) -> Configuration:
    """Draw a configuration, sometimes with a smoothing value other than the default."""
    return Configuration(
        dice.choice(tokenizers_of(pair)),
        dice.random() < 0.5,
        dice.choice(METHODS),
        dice.choice([None, None, 0.0, 0.01, 0.25, 0.5, 1.0, 3.0]),
        dice.choice(ORDERS),
        dice.random() < 0.5,
    )


def describe(group: Group, configuration: Configuration, what: str = "") -> str:
    """Return where a difference was found."""
    options = ", ".join(f"{name}={value!r}" for name, value in configuration._asdict().items())
    return f"{group.pair} {group.system}, {group.references}, {options}{what}"


def not_default(configuration: Configuration) -> dict[str, Any]:
    """Return the options that differ from the default."""
    pairs = zip(Configuration._fields, configuration, DEFAULT, strict=True)
    return {name: value for name, value, default in pairs if value != default}


def our_metric(configuration: Configuration) -> bleucli.BLEU:
    """Return our metric."""
    return bleucli.BLEU(force=True, **configuration._asdict())


def oracle_metric(configuration: Configuration) -> Any:
    """Return the oracle's metric."""
    return oracles.bleu(force=True, **configuration._asdict())


def oracle_score(configuration: Configuration, row: Sequence[int]) -> Any:
    """Return the oracle's score of statistics up to the highest order."""
    return oracles.score_from_sums(
        row,
        configuration.max_ngram_order,
        configuration.smooth_method,
        configuration.smooth_value,
        configuration.effective_order,
    )


# --- one system against its references


class Comparison:
    """A system and its references, compared in one configuration after the other."""

    def __init__(self, report: Report, group: Group, hypotheses: list[str], streams: list[list[str]]) -> None:
        self.report = report
        self.group = group
        self.hypotheses = hypotheses
        self.streams = streams

    def describe(self, configuration: Configuration, index: int | None = None) -> str:
        """Return where a difference was found: the segment, or the corpus."""
        place = f", {len(self.hypotheses)} segments" if index is None else f", line {index + 1}"
        return describe(self.group, configuration, place)

    def oracle_rows(self, configuration: Configuration) -> list[tuple[int, ...]]:
        """Return what the oracle counts in each segment: `[hyp_len, ref_len, correct_1..6, total_1..6]`."""
        metric = oracle_metric(configuration._replace(smooth_method="none", max_ngram_order=MOST))
        segments = zip(self.hypotheses, *self.streams, strict=True)
        scores = [metric.sentence_score(hypothesis, references) for hypothesis, *references in segments]
        return [(score.sys_len, score.ref_len, *score.counts, *score.totals) for score in scores]

    def statistics(self, configuration: Configuration, rows: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """Compare our statistics up to the configuration's order, and return them."""
        order = configuration.max_ngram_order
        hypotheses, *references = [Segments.from_strings(column) for column in (self.hypotheses, *self.streams)]
        found = list(our_metric(configuration).segment_stats(hypotheses, references))
        for index, (ours, row) in enumerate(zip(found, rows, strict=True)):
            theirs = (*row[: 2 + order], *row[2 + MOST : 2 + MOST + order])
            if self.report.differs("BLEU: statistics of a segment", ours == theirs):
                place = self.describe(configuration, index)
                self.report.show("BLEU: statistics of a segment", [f"{place}: ours {ours}, oracle's {theirs}"])
        return found

    def scores(self, configuration: Configuration, ours: list[tuple[int, ...]], theirs: list[tuple[int, ...]]) -> None:
        """Compare the scores of all segments and of the corpus, each side's from its own statistics."""
        metric = our_metric(configuration)
        for index, (row, expected) in enumerate(zip(ours, theirs, strict=True)):
            found = metric.score_from_stats(row)
            expected_score = oracle_score(configuration, expected)
            self.report.scores("BLEU: score of a segment", found, expected_score, self.describe, configuration, index)
        sums = tuple(map(sum, zip(*ours, strict=True)))
        expected_score = oracle_score(configuration, tuple(map(sum, zip(*theirs, strict=True))))
        self.report.record(self.group, "BLEU", not_default(configuration), expected_score.score)
        found = metric.score_from_stats(sums)
        self.report.scores("BLEU: score of a corpus", found, expected_score, self.describe, configuration)
        if kernels.live == "native":  # the python kernels take half a second for each corpus
            found = metric.corpus_score(self.hypotheses, self.streams)
            self.report.scores("BLEU: corpus_score", found, expected_score, self.describe, configuration)

    def sentences(self, configuration: Configuration, rows: list[tuple[int, ...]], picked: Iterable[int]) -> None:
        """Compare our sentence_score with the oracle's formula on the oracle's statistics."""
        metric = our_metric(configuration)
        for index in picked:
            found = metric.sentence_score(self.hypotheses[index], [stream[index] for stream in self.streams])
            expected = oracle_score(configuration, rows[index])
            self.report.scores("BLEU: sentence_score", found, expected, self.describe, configuration, index)

    def sentences_end_to_end(self, configuration: Configuration, picked: Iterable[int]) -> None:
        """Compare our sentence_score with the oracle's own."""
        ours, theirs = our_metric(configuration), oracle_metric(configuration)
        for index in picked:
            references = [stream[index] for stream in self.streams]
            found = ours.sentence_score(self.hypotheses[index], references)
            expected = theirs.sentence_score(self.hypotheses[index], references)
            self.report.scores("BLEU: sentence_score, end to end", found, expected, self.describe, configuration, index)

    def corpus_end_to_end(self, configuration: Configuration) -> None:
        """Compare our corpus_score, its text and its signature with the oracle's own."""
        ours, theirs = our_metric(configuration), oracle_metric(configuration)
        found = ours.corpus_score(self.hypotheses, self.streams)
        expected = theirs.corpus_score(self.hypotheses, self.streams)
        self.report.scores("BLEU: corpus_score, end to end", found, expected, self.describe, configuration)
        self.report.texts("BLEU: score in text", str(found), str(expected), self.describe, configuration)
        for short in (False, True):
            signature = oracles.our_signature(theirs.get_signature().format(short), configuration.max_ngram_order)
            signed = oracles.without_version(ours.get_signature().format(short))
            self.report.texts("BLEU: signature", signed, signature, self.describe, configuration)

    def window(self, dice: random.Random, size: int | None) -> Comparison:
        """Return the comparison of `size` adjacent segments, drawn at random."""
        start = 0 if size is None else dice.randrange(len(self.hypotheses) - size)
        part = slice(start, None if size is None else start + size)
        return Comparison(self.report, self.group, self.hypotheses[part], [stream[part] for stream in self.streams])


def compare_group(folder: str, group: Group, tokenize: str, seed: int) -> Report:
    """Compare a system in all configurations with a tokenizer."""
    warnings.simplefilter("ignore")
    report = Report()
    dice = random.Random(f"{seed} {group} {tokenize}")
    comparison = Comparison(report, group, *texts(folder, group))
    for lowercase in (False, True):
        chosen = configurations(tokenize, lowercase)
        rows = comparison.oracle_rows(chosen[0])
        # Smoothing and effective order do not change what is counted
        ours = {order: comparison.statistics(chosen[0]._replace(max_ngram_order=order), rows) for order in ORDERS}
        for number, configuration in enumerate(chosen):
            comparison.scores(configuration, ours[configuration.max_ngram_order], rows)
            # Together, the configurations cover each segment once
            comparison.sentences(configuration, rows, range(number, len(rows), len(chosen)))
            comparison.sentences_end_to_end(configuration, dice.sample(range(len(rows)), SENTENCES))
            comparison.window(dice, WINDOW).corpus_end_to_end(configuration)
        comparison.corpus_end_to_end(dice.choice(chosen))
    return report


def compare_sample(folder: str, dice: random.Random, count: int, size: int | None) -> Report:
    """Compare random systems in random configurations: some sentences, and corpora of `size` adjacent segments."""
    warnings.simplefilter("ignore")
    report = Report()
    for group in sorted(dice.choices(groups(folder), k=count)):
        comparison = Comparison(report, group, *texts(folder, group))
        configuration = random_configuration(dice, group.pair)
        comparison.sentences_end_to_end(configuration, dice.sample(range(len(comparison.hypotheses)), SENTENCES))
        comparison.window(dice, size).corpus_end_to_end(configuration)
    return report
