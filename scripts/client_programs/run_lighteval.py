"""lighteval: its corpus metrics for translation; it passes lists of the wrong shape to sacreBLEU."""

from __future__ import annotations

import sys

from lighteval.metrics.metrics_corpus import CorpusLevelTranslationMetric
from lighteval.metrics.sample_preparator import GenerativeCorpusMetricInput

texts = []
for name in ("ref", "a"):
    with open(f"{sys.argv[1]}/{name}.txt", encoding="utf-8") as file:
        texts.append([line.strip() for line in file])
items = [GenerativeCorpusMetricInput(golds=[reference], preds=[output]) for reference, output in zip(*texts)]
for kind in ("bleu", "chrf", "chrf++", "ter"):
    print(kind, CorpusLevelTranslationMetric(kind).compute_corpus(items))
