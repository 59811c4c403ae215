"""ragas: BLEU and chrF of single answers; some have several sentences, which it splits."""

from __future__ import annotations

import asyncio
import sys

from ragas.dataset_schema import SingleTurnSample
from ragas.metrics import BleuScore, ChrfScore

texts = []
for name in ("ref", "a"):
    with open(f"{sys.argv[1]}/{name}.txt", encoding="utf-8") as file:
        texts.append([line.strip() for line in file][:60])


async def main():
    pairs = [*zip(*texts), *zip(*(map(" ".join, zip(lines[::2], lines[1::2])) for lines in texts))]
    for reference, response in pairs:
        sample = SingleTurnSample(response=response, reference=reference)
        print([await metric().single_turn_ascore(sample) for metric in (BleuScore, ChrfScore)])


asyncio.run(main())
