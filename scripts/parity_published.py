"""How `scripts/parity` compares our scores with those that the organizers of WMT22 published."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import oracles
from evaluation_data import PUBLISHED
from parity_corpora import REFERENCES, Group, texts
from parity_report import Report

import bleucli

# The tokenizers of the BLEU scores that were published
TOKENIZERS = {"en-de": "13a", "cs-uk": "13a", "en-ja": "char", "en-zh": "zh"}
# For each metric: what reads the published scores from a folder, and what makes our metric for a language pair
METRICS: dict[str, tuple[Callable[[str], Iterator[tuple[str, str, str, float]]], Callable[[str], Any]]] = {
    "BLEU": (oracles.published_bleu, lambda pair: bleucli.BLEU(tokenize=TOKENIZERS[pair])),
    "chrF": (oracles.published_chrf, lambda pair: bleucli.CHRF()),
}


def are_there(folder: str) -> bool:
    """Return whether a folder of evaluation data has published scores."""
    return os.path.isfile(os.path.join(folder, PUBLISHED))


def compare(folder: str, name: str) -> Report:
    """Compare our scores by a metric with all published ones."""
    report = Report()
    published, metric = METRICS[name]
    for pair, system, which, expected in published(folder):
        references = REFERENCES[f"wmt22.{pair}"][-1] if which == "all" else f"ref.{which}"
        found = metric(pair).corpus_score(*texts(folder, Group(f"wmt22.{pair}", system, references))).score
        what = f"{name}: published score"
        if report.differs(what, oracles.same(found, expected)):
            place = f"{pair} {system}, references {which}"
            report.show(what, [f"{place}: ours {found!r}, published {expected!r}"])
    return report
