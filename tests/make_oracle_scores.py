"""Write `oracle_scores.json`: the answers of the oracle, sacreBLEU 2.6.0, for texts that it needs minutes for.

    python tests/make_oracle_scores.py

Run it where the evaluation data are, WMT17's submissions included (see `evaluation_data`), and again whenever they, or
the pairs of `ter_pairs.py`, have changed. It runs only the oracle. The tests only read the file:

- `files`: the SHA-256 of each text, with single blanks for white space, on which no score here depends
- `scores`: for a system, its references, a metric and its options: the score of all segments, and that of the first
  `head` segments, which are enough work for the Python kernels
- `ter_pairs`, `ter_edits`: the SHA-256 of the pairs of `ter_pairs.py`, and the edits of each
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import Any

import evaluation_data
import oracles
import ter_pairs

HEAD = 100
# What is scored: metric, options, language pairs (all, if none are named)
CONFIGURATIONS: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("chrF", {}, ()),
    ("chrF", {"word_order": 2}, ()),
    ("TER", {}, ()),
    ("TER", {"normalized": True, "asian_support": True}, ("wmt22.en-ja", "wmt22.en-zh")),
]
METRICS = {"chrF": oracles.chrf, "TER": oracles.ter}


def tasks(folder: str) -> Iterator[dict[str, Any]]:
    """Give each row of the table, still without scores."""
    for metric, options, wanted in CONFIGURATIONS:
        for pair in wanted or sorted(name for name in os.listdir(folder) if name.startswith("wmt")):
            names = sorted(name.removesuffix(".txt") for name in os.listdir(os.path.join(folder, pair)))
            references = [name for name in names if name.startswith("ref")]
            for system in (name for name in names if name not in references):
                for chosen in [[name] for name in references] + ([references] if len(references) > 1 else []):
                    row = {"pair": pair, "system": system, "references": chosen, "metric": metric, "options": options}
                    yield row


def score_row(folder: str, row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with its scores."""
    hypotheses, *streams = (
        oracles.read_lines(folder, row["pair"], f"{name}.txt") for name in (row["system"], *row["references"])
    )
    metric = METRICS[row["metric"]](**row["options"])
    head = metric.corpus_score(hypotheses[:HEAD], [stream[:HEAD] for stream in streams])
    return row | {"score": metric.corpus_score(hypotheses, streams).score, "head_score": head.score}


def checksums(folder: str, rows: list[dict[str, Any]]) -> dict[str, str]:
    """Return the SHA-256 of each file that the rows were made from."""
    used = sorted({f"{row['pair']}/{name}.txt" for row in rows for name in (row["system"], *row["references"])})
    return {path: oracles.folded_sha256(os.path.join(folder, path)) for path in used}


def edits(kind: str) -> list[int]:
    """Return the oracle's edits of the pairs of a kind."""
    metric = oracles.ter()
    return [metric.sentence_score(hypothesis, [reference]).num_edits for hypothesis, reference in ter_pairs.pairs(kind)]


def render(table: dict[str, Any]) -> str:
    """Return JSON in which each entry of a long list or object is on its own line."""
    parts = []
    for key, value in table.items():
        text = json.dumps(value)
        if isinstance(value, dict):
            inner = ",\n".join(f"  {json.dumps(name)}: {json.dumps(item)}" for name, item in value.items())
            text = f"{{\n{inner}\n }}"
        elif isinstance(value, list):
            inner = ",\n".join(f"  {json.dumps(item)}" for item in value)
            text = f"[\n{inner}\n ]"
        parts.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main() -> int:
    folder = evaluation_data.FOLDER
    missing = [name for name in evaluation_data.CORPORA if name not in evaluation_data.present(folder)]
    if missing:
        print(f"make_oracle_scores: {folder} lacks files of {', '.join(missing)}", file=sys.stderr)
        return 2
    rows = [score_row(folder, row) for row in tasks(folder)]
    table = {
        "oracle": f"sacreBLEU {oracles.sacrebleu.__version__}",
        "head": HEAD,
        "files": checksums(folder, rows),
        "scores": rows,
        "ter_pairs": ter_pairs.checksum(),
        "ter_edits": {kind: edits(kind) for kind in ter_pairs.KINDS},
    }
    with open(oracles.STORED, "w", encoding="utf-8") as file:
        file.write(render(table))
    return 0


if __name__ == "__main__":
    sys.exit(main())
