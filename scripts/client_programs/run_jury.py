"""jury: its SacreBLEU, chrF and TER, with one reference and with several."""

from __future__ import annotations

import sys

from jury import Jury

texts = {}
for name in ("ref", "ref2", "a"):
    with open(f"{sys.argv[1]}/{name}.txt", encoding="utf-8") as file:
        texts[name] = [line.strip() for line in file]
jury = Jury(metrics=["sacrebleu", "chrf", "ter"], run_concurrent=False)
for references in ([[text] for text in texts["ref"]], [list(row) for row in zip(texts["ref"], texts["ref2"])]):
    for name, value in jury(predictions=[[text] for text in texts["a"]], references=references).items():
        print(name, value)
