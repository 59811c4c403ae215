"""JoeyNMT: the metrics of its validation, which log sacreBLEU's signature."""

from __future__ import annotations

import sys

from joeynmt.metrics import bleu, chrf

texts = {}
for name in ("ref", "a", "b"):
    with open(f"{sys.argv[1]}/{name}.txt", encoding="utf-8") as file:
        texts[name] = [line.strip() for line in file]
for system in ("a", "b"):
    for options in ({}, {"tokenize": "intl", "lowercase": True}, {"tokenize": "char"}):
        print("bleu", options, bleu(texts[system], texts["ref"], **options))
    for options in ({}, {"word_order": 2}, {"char_order": 3, "beta": 1}):
        print("chrf", options, chrf(texts[system], texts["ref"], **options))
