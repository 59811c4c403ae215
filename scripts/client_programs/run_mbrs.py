"""mbrs: expected scores of candidates by sacreBLEU's metrics, and the candidates that decoding chooses."""

from __future__ import annotations

import sys

from mbrs.decoders import DecoderMBR
from mbrs.metrics import MetricBLEU, MetricChrF, MetricTER

texts = []
for name in ("ref", "ref2", "a", "b"):
    with open(f"{sys.argv[1]}/{name}.txt", encoding="utf-8") as file:
        texts.append([line.strip() for line in file][:40])
for kind in (MetricBLEU, MetricChrF, MetricTER):
    metric = kind(kind.Config())
    decoder = DecoderMBR(DecoderMBR.Config(), metric)
    for candidates in zip(*texts):
        found = decoder.decode(list(candidates), list(candidates), nbest=2)
        print(kind.__name__, found.idx, [float(score) for score in found.score])
    print(kind.__name__, metric.scores(texts[2], texts[0]).tolist())
    print(kind.__name__, metric.corpus_score(texts[2], [texts[0], texts[1]]))
