"""lm-evaluation-harness: a task defined here, answered with recorded lines, and scored by its corpus metrics."""

from __future__ import annotations

import json
import os
import sys

import lm_eval
from lm_eval.api.model import LM
from lm_eval.api.task import ConfigurableTask

folder = sys.argv[1]
texts = {}
for name in ("ref", "a"):
    with open(f"{folder}/{name}.txt", encoding="utf-8") as file:
        texts[name] = [line.strip() for line in file]
with open(f"{folder}/task.jsonl", "w", encoding="utf-8") as file:
    for number, reference in enumerate(texts["ref"]):
        print(json.dumps({"source": str(number), "target": reference}), file=file)


class Recorded(LM):
    """A model that answers with recorded lines."""

    def generate_until(self, requests, **_):
        return [texts["a"][int(request.args[0])] for request in requests]

    def loglikelihood(self, requests, **_):
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


config = {
    "task": "recorded",
    "dataset_path": "json",
    "dataset_kwargs": {"data_files": {"test": f"{folder}/task.jsonl"}},
    "test_split": "test",
    "output_type": "generate_until",
    "doc_to_text": "{{source}}",
    "doc_to_target": "{{target}}",
    "generation_kwargs": {"until": ["\n"]},
    "metric_list": [{"metric": name} for name in ("bleu", "chrf", "ter")],
}
os.environ["HF_DATASETS_OFFLINE"] = "1"
found = lm_eval.simple_evaluate(
    Recorded(), tasks=[ConfigurableTask(config=config)], bootstrap_iters=20, log_samples=False
)
for name, value in sorted(found["results"]["recorded"].items()):
    print(name, value)
