"""The time that a Python call takes for a few segments: sacreBLEU's, bleucli's, and bleucli's as `sacrebleu`.

Each package has a process of its own; they time the same calls by turns. `scripts/benchmark` prints the table.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections import namedtuple
from collections.abc import Iterator, Mapping, Sequence

ONE, SEGMENTS = (1,), (1, 5, 50)
# The fewest rounds, and their least time in seconds: a disturbance must not last for all rounds of a short call
ROUNDS, LEAST_TIME = 7, 0.5
# How many segments one round scores: enough for the clock, few enough for a table of two hundred rows
ROUND_SEGMENTS = 100

# title: the call; `h` stands for the hypotheses, `r` for the streams of references. setup: what happens once before.
# code: the call. corpus: where its texts are. segments: the numbers of segments. repeats: whether the references stay.
Call = namedtuple("Call", "title setup code corpus segments repeats")
# Microseconds per call: sacreBLEU's, bleucli's, and the drop-in's
Times = namedtuple("Times", "theirs ours dropped_in")

# Reads requests, one JSON array per line, and answers each with a time. No text is scored twice, except references that
# are to stay: sacreBLEU keeps the tokens of each text that it has seen.
WORKER = """
import json, sys, time
from {package} import *
from {package}.metrics import BLEU, CHRF, TER
texts, calls, number = {{}}, {{}}, 0
def read(path):
    if path not in texts:
        with open(path, encoding="utf-8") as file:
            texts[path] = file.read().split("\\n")[:50]
    return texts[path]
for request in sys.stdin:
    setup, code, paths, segments, times, repeats = json.loads(request)
    ours, theirs = ([line for line in read(path)[:segments]] for path in paths)
    number += 1
    fixed = [f"{{line}} r{{number}}" for line in theirs]
    batches = []
    for _ in range(times):
        number += 1
        r = fixed if repeats else [f"{{line}} {{number}}" for line in theirs]
        batches.append(([f"{{line}} {{number}}" for line in ours], [r]))
    names = globals() | {{"r": [fixed]}}
    exec(setup, names)
    call = eval(f"lambda h, r: ({{code}})", names)
    call(["a"] * segments, [fixed])
    start = time.perf_counter()
    for h, r in batches:
        call(h, r)
    print((time.perf_counter() - start) / times * 1e6, flush=True)
"""


# How metrics are made, and which corpus they score if it is not the German one
METRICS = {
    **dict.fromkeys(("BLEU()", "BLEU(lowercase=True)", "BLEU(smooth_method='floor')")),
    **dict.fromkeys(f"BLEU(tokenize='{name}')" for name in ("none", "13a", "intl", "char")),
    "BLEU(tokenize='zh')": "wmt22.en-zh",
    **dict.fromkeys(("BLEU(tokenize='ja-mecab')", "BLEU(tokenize='ko-mecab')"), "wmt22.en-ja"),
    **dict.fromkeys(("CHRF()", "CHRF(word_order=2)", "CHRF(whitespace=True)", "CHRF(lowercase=True)")),
    **dict.fromkeys(("TER()", "TER(normalized=True)", "TER(no_punct=True)", "TER(case_sensitive=True)")),
    "TER(normalized=True, asian_support=True)": "wmt22.en-zh",
}
# Further options, for constructors alone
MADE = (
    "BLEU(effective_order=True)",
    "BLEU(max_ngram_order=2)",
    "BLEU(smooth_method='add-k', smooth_value=2)",
    "BLEU(trg_lang='de')",
    *("CHRF(6, 2)", "CHRF(char_order=4)", "CHRF(beta=3)", "CHRF(beta=0.5)", "CHRF(eps_smoothing=True)"),
    *("CHRF(word_order=2, beta=3)", "CHRF(word_order=2, lowercase=True)", "CHRF(5, 1, 3, True, True, True)"),
    "TER(True, True, True, True)",
)


def calls(german: str) -> Iterator[Call]:
    """Give all calls; german: the corpus of those that suit most languages."""
    for name in ("bleu", "chrf", "ter"):
        yield Call(f"sentence_{name}", "", f"sentence_{name}(h[0], r[0])", german, ONE, False)
        yield Call(f"corpus_{name}", "", f"corpus_{name}(h, r)", german, SEGMENTS, False)
    yield Call("raw_corpus_bleu", "", "raw_corpus_bleu(h, r)", german, SEGMENTS, False)
    counts = "BLEU.compute_bleu([3, 2, 1, 0], [4, 3, 2, 1], 4, 5, smooth_method='exp')"
    yield Call("BLEU.compute_bleu", "", counts, german, ONE, False)
    score, against = "metric.corpus_score(h, r)", "corpus_score(h, None)"
    for kind in ("BLEU", "CHRF", "TER"):
        metric, cached = f"metric = {kind}()", f"{kind}(references=r)"
        signed = f"str({score}), str(metric.get_signature())"
        yield Call(
            f"{kind}().corpus_score, made for each call", "", f"{kind}().corpus_score(h, r)", german, SEGMENTS, False
        )
        yield Call(f"{kind}().corpus_score, with its signature", metric, signed, german, SEGMENTS, False)
        yield Call(f"{kind}().corpus_score, the same references", metric, score, german, SEGMENTS, True)
        yield Call(f"{cached}.corpus_score", f"metric = {cached}", f"metric.{against}", german, SEGMENTS, False)
        yield Call(f"{cached}.corpus_score, made for each call", "", f"{cached}.{against}", german, SEGMENTS, False)
        scored = f"{metric}; score = metric.corpus_score(['a b c d e'], [['a b c d e f']])"
        signed = f"{scored}; signature = metric.get_signature()"
        yield Call(f"{kind}().get_signature", scored, "metric.get_signature()", german, ONE, False)
        yield Call(f"str({kind}().get_signature())", scored, "str(metric.get_signature())", german, ONE, False)
        yield Call(f"{kind}'s signature.format", signed, "signature.format(short=True)", german, ONE, False)
        yield Call(f"str({kind}'s score)", scored, "str(score)", german, ONE, False)
        yield Call(f"{kind}'s score.format, score only", scored, "score.format(score_only=True)", german, ONE, False)
        as_json = "score.format(signature=str(signature), is_json=True)"
        yield Call(f"{kind}'s score.format as JSON", signed, as_json, german, ONE, False)
    for make, corpus in METRICS.items():
        texts, metric = corpus or german, f"metric = {make}"
        yield Call(make, "", make, german, ONE, False)
        yield Call(f"{make}.sentence_score", metric, "metric.sentence_score(h[0], r[0])", texts, ONE, False)
        yield Call(f"{make}.corpus_score", metric, score, texts, SEGMENTS, False)
        if "tokenize=" in make or make.startswith("TER"):
            yield Call(f"{make}.tokenizer", metric, "metric.tokenizer(h[0])", texts, ONE, False)
            same = f"{metric}; line = r[0][0]"
            yield Call(f"{make}.tokenizer, the same line", same, "metric.tokenizer(line)", texts, ONE, False)
    for make in MADE:
        yield Call(make, "", make, german, ONE, False)


def compare(
    texts: Mapping[str, tuple[str, str]], german: str, python: str, wanted: Sequence[str]
) -> Iterator[tuple[Call, int, Times]]:
    """Give each call, the number of segments, and the least times of some rounds in which the packages alternate.

    Args:
        texts: for each corpus, the paths of a system's output and of a reference.
        german: the corpus of calls whose tokenizer suits any language.
        python: an interpreter that has both packages.
        wanted: give only calls whose title contains one of these.
    """
    # The current directory may be a checkout, whose package is not the one that was installed
    plain = os.environ | {"PYTHONSAFEPATH": "1"}
    command = [python, "-m", "bleucli", "--sacrebleu-path"]
    folder = subprocess.run(command, capture_output=True, text=True, check=True, env=plain).stdout.strip()
    dropped_in = plain | {"PYTHONPATH": os.pathsep.join(filter(None, [folder, plain.get("PYTHONPATH")]))}
    kinds = (("sacrebleu", plain), ("bleucli", plain), ("sacrebleu", dropped_in))
    workers = [start(python, package, environment) for package, environment in kinds]
    for call in calls(german):
        for segments in call.segments if any(text in call.title for text in wanted) else ():
            times = max(4, ROUND_SEGMENTS // segments)
            request = [call.setup, call.code, texts[call.corpus], segments, times, call.repeats]
            rounds: list[list[float]] = []
            end = time.monotonic() + LEAST_TIME
            while len(rounds) < ROUNDS or time.monotonic() < end:
                rounds.append([ask(worker, request) for worker in workers])
            yield call, segments, Times(*map(min, zip(*rounds, strict=True)))
    for worker in workers:
        worker.communicate()


def start(python: str, package: str, environment: Mapping[str, str]) -> subprocess.Popen[str]:
    """Start the process that times the calls of a package."""
    code = WORKER.format(package=package)
    pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
    return subprocess.Popen([python, "-c", code], stdin=pipe, stdout=pipe, stderr=quiet, text=True, env=environment)


def ask(worker: subprocess.Popen[str], request: list[object]) -> float:
    """Return the microseconds that a worker needs for a call."""
    worker.stdin.write(json.dumps(request) + "\n")
    worker.stdin.flush()
    answer = worker.stdout.readline()
    if not answer:
        raise SystemExit(f"benchmark: {request[1]} after {request[0] or 'nothing'} failed")
    return float(answer)
