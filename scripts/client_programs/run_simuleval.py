"""SimulEval's command: it scores recorded translations."""

from __future__ import annotations

import json
import os
import sys

folder = os.path.join(sys.argv[1], "simuleval")
os.makedirs(folder, exist_ok=True)
texts = []
for name in ("ref", "a"):
    with open(f"{sys.argv[1]}/{name}.txt", encoding="utf-8") as file:
        texts.append([line.strip() for line in file])
with open(f"{folder}/instances.log", "w", encoding="utf-8") as log:
    for index, (reference, output) in enumerate(zip(*texts)):
        words = output.split()
        item = {
            "index": index,
            "prediction": output,
            "reference": reference,
            "source": reference.split(),
            "delays": list(range(1, len(words) + 1)),
            "elapsed": [0] * len(words),
            "prediction_length": len(words),
            "source_length": len(reference.split()),
        }
        print(json.dumps(item), file=log)
with open(f"{folder}/config.yaml", "w", encoding="utf-8") as config:
    config.write("source_type: text\ntarget_type: text\n")
words = ["--score-only", "--output", folder, "--quality-metrics", "BLEU", "--latency-metrics", "AL"]
code = "import sys; from simuleval.cli import main; sys.exit(main())"
os.execv(sys.executable, [sys.executable, "-c", code, *words])
