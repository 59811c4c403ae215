"""compare-mt's command: scores of two systems with bootstrap tests, and buckets of sentences."""

from __future__ import annotations

import random
import sys

import numpy as np
from compare_mt.compare_mt_main import main

folder = sys.argv[1]
scores = [f"score_type={kind},bootstrap=20,prob_thresh=0.05" for kind in ("sacrebleu", "bleu", "chrf")]
buckets = ["bucket_type=score,score_measure=sentbleu"]
files = [f"{folder}/{name}.txt" for name in ("ref", "a", "b")]
asked = ["--compare_scores", *scores, "--compare_sentence_buckets", *buckets]
sys.argv[1:] = [*files, "--src_file", f"{folder}/ref2.txt", *asked]
random.seed(1)
np.random.seed(1)
main()
