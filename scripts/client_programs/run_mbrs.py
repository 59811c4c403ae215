"""mbrs: which of 32 candidates for a segment decoding chooses by sacreBLEU's metrics, and their expected scores."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

from mbrs.decoders import DecoderAggregateMBR, DecoderMBR
from mbrs.metrics import MetricBLEU, MetricChrF, MetricTER

# How many processes mbrs starts for each segment; 8 by default
WORKERS = os.cpu_count()


def candidates_of(texts: Sequence[str]) -> Iterator[str]:
    """Give each of four texts, and seven times more with a word left out."""
    for text in texts:
        words = text.split()
        yield text
        for eighth in range(1, 8):
            place = eighth * len(words) // 8
            yield " ".join(words[:place] + words[place + 1 :])


texts = []
for name in ("ref", "ref2", "a", "b"):
    with open(f"{sys.argv[1]}/{name}.txt", encoding="utf-8") as file:
        texts.append([line.strip() for line in file][:40])
segments = [list(candidates_of(translations)) for translations in zip(*texts)]
for kind in (MetricBLEU, MetricChrF, MetricTER):
    metric = kind(kind.Config(num_workers=WORKERS))
    decoders = [DecoderMBR(DecoderMBR.Config(), metric)]
    if kind is not MetricTER:
        decoders.append(DecoderAggregateMBR(DecoderAggregateMBR.Config(), metric))
    for decoder in decoders:
        for candidates in segments:
            found = decoder.decode(candidates, candidates, nbest=2)
            print(kind.__name__, type(decoder).__name__, found.idx, [float(score) for score in found.score])
    print(kind.__name__, metric.scores(texts[2], texts[0]).tolist())
    print(kind.__name__, metric.corpus_score(texts[2], [texts[0], texts[1]]))
