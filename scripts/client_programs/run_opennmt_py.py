"""OpenNMT-py: its scorers."""

from __future__ import annotations

import sys

from onmt.scorers.bleu import BleuScorer
from onmt.scorers.ter import TerScorer

texts = {}
for name in ("ref", "a", "b"):
    with open(f"{sys.argv[1]}/{name}.txt", encoding="utf-8") as file:
        texts[name] = [line.strip() for line in file]
for kind in (BleuScorer, TerScorer):
    for system in ("a", "b"):
        print(kind.__name__, kind(None).compute_score(texts[system], texts["ref"]))
