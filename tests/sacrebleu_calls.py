"""A program that imports sacrebleu as real ones do, and prints what it gets: one line of JSON per call.

`tests/as_sacrebleu/test_as_sacrebleu.py` runs it with sacreBLEU, and with the package of that name in bleucli.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import logging
import multiprocessing
import pickle
import random
import sys
from functools import partial

import numpy as np
import sacrebleu
from sacrebleu import significance, utils
from sacrebleu.metrics import BLEU, CHRF, METRICS, TER, helpers, lib_ter
from sacrebleu.metrics.bleu import _get_tokenizer
from sacrebleu.tokenizers import tokenizer_re

HYPOTHESES = ["The dog bit the man.", "It wasn't surprising, was it?", "The man bit him first, (twice)!"]
REFERENCES = [
    ["The dog bit the man.", "It was not unexpected.", "The man had bitten the dog."],
    ["A dog bit a man.", "Nobody was surprised, was it?", "It's the man who bit him, first."],
]
LINES = [
    "",
    " ",
    " Hello, world's 1,000.5 &amp; end.",
    "a  b\tc",
    "東京に住む。AI",
    "«Ja», 5% von $5",
    "x\u00a0y ",
    "end. ",
]
OPTIONS = [
    *(
        partial(BLEU),
        partial(BLEU, lowercase=True, tokenize="intl"),
        partial(BLEU, smooth_method="floor", smooth_value=0.2),
    ),
    *(partial(BLEU, effective_order=True, max_ngram_order=2), partial(BLEU, smooth_method="add-k", trg_lang="zh")),
    *(partial(BLEU, trg_lang="ZH"), partial(BLEU, trg_lang="jp"), partial(BLEU, trg_lang="zh_CN")),
    *(partial(CHRF), partial(CHRF, word_order=2, beta=3), partial(CHRF, eps_smoothing=True, whitespace=True)),
    *(partial(CHRF, char_order=2, lowercase=True), partial(TER), partial(TER, normalized=True, case_sensitive=True)),
    *(partial(TER, no_punct=True), partial(TER, normalized=True, asian_support=True)),
]
WRONG_SHAPES = {
    "one list per segment": [list(row) for row in zip(*REFERENCES, strict=False)],
    "one reference in one list per segment": [[text] for text in REFERENCES[0]],
    "flat": REFERENCES[0],
    "a string": REFERENCES[0][0],
    "short": [REFERENCES[0][:2]],
    "long": [[*REFERENCES[0], "more"]],
    "uneven": [REFERENCES[0], REFERENCES[1][:1]],
}
found = {}


def plain(value):
    """Return a value in a form that JSON can hold."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):
        return value.item()
    if type(value).__module__.startswith("sacrebleu.metrics") and hasattr(value, "score"):
        return {"vars": plain(vars(value)), "text": str(value)}
    return value if isinstance(value, (str, int, float, type(None))) else str(value)


def note(label, value):
    found[label] = plain(value)


def score_one(metric, pair):
    return metric.sentence_score(*pair).score


def scores():
    pairs = [(h, list(r)) for h, *r in zip(HYPOTHESES, *REFERENCES, strict=True)]
    for number, make in enumerate(OPTIONS):
        metric = make()
        note(f"corpus {number}", metric.corpus_score(HYPOTHESES, REFERENCES))
        note(f"signature {number}", [metric.get_signature(), metric.get_signature().format(short=True)])
        note(
            f"sentence {number}",
            [metric.sentence_score(*pair) for pair in pairs],
        )
        note(f"perfect {number}", metric.corpus_score(HYPOTHESES, [HYPOTHESES]))
        note(f"missing {number}", metric.corpus_score(HYPOTHESES, [REFERENCES[0], [None, "", None]]))
        kept = make(references=REFERENCES)
        note(f"kept {number}", [kept.corpus_score(HYPOTHESES, None), kept._ref_cache, kept.num_refs])
        rows = metric._extract_corpus_statistics(HYPOTHESES, REFERENCES)
        note(f"rows {number}", rows)
        note(f"from rows {number}", [metric._aggregate_and_compute(rows), metric._compute_score_from_stats(rows[0])])
        note(f"prepared {number}", [metric._preprocess_segment(line) for line in LINES])
        cached = metric._cache_references(REFERENCES)
        note(f"cached {number}", cached)
        prepared = [metric._preprocess_segment(text) for text in HYPOTHESES]
        note(
            f"by hand {number}",
            [metric._compute_segment_statistics(h, c) for h, c in zip(prepared, cached, strict=False)],
        )
        again = pickle.loads(pickle.dumps(metric))
        note(f"pickled {number}", again.corpus_score(HYPOTHESES, REFERENCES))
        score = metric.corpus_score(HYPOTHESES, REFERENCES, n_bootstrap=20)
        note(
            f"resampled {number}",
            [round(float(score._mean), 3), round(float(score._ci), 3), metric.n_bootstrap, metric.seed],
        )
        note(f"json {number}", score.format(2, is_json=True, signature=str(metric.get_signature())))


def shapes():
    for label, references in WRONG_SHAPES.items():
        for make in (BLEU, CHRF, TER):
            metric = make()
            note(f"{label} {make.__name__}", [metric.corpus_score(HYPOTHESES, references), metric.get_signature()])
        note(f"{label} function", sacrebleu.corpus_bleu(HYPOTHESES, references, lowercase=True))


def functions():
    note(
        "functions", [getattr(sacrebleu, f"corpus_{name}")(HYPOTHESES, REFERENCES) for name in ("bleu", "chrf", "ter")]
    )
    pairs = [(h, list(r)) for h, *r in zip(HYPOTHESES, *REFERENCES, strict=False)]
    for name in ("bleu", "chrf", "ter"):
        note(f"sentence_{name}", [getattr(sacrebleu, f"sentence_{name}")(*pair) for pair in pairs])
    note("raw", sacrebleu.raw_corpus_bleu(HYPOTHESES, REFERENCES))
    note(
        "compute_bleu",
        [BLEU.compute_bleu([3, 2, 1, 0], [4, 3, 2, 1], 4, 5), BLEU.compute_bleu([1] * 4, [1] * 4, 4, 5, "exp")],
    )
    note(
        "tokenizers", {name: [_get_tokenizer(name)()(line) for line in LINES] for name in ("none", "13a", "zh", "intl")}
    )
    note(
        "tokenizer names", {name: _get_tokenizer(name)().signature() for name in ("none", "13a", "zh", "intl", "char")}
    )
    note("char", [_get_tokenizer("char")()(line).split() for line in LINES])
    note("helpers", [
        helpers.extract_all_word_ngrams("a b a", 1, 2), helpers.extract_word_ngrams(["a", "b", "a"], 2),
        helpers.extract_char_ngrams("a b c", 2), helpers.extract_char_ngrams("a b c", 2, True),
        helpers.extract_all_char_ngrams("ab c", 2), CHRF()._remove_punctuation("Hi, (you) there!! a, 'b' ... ."),
        CHRF._get_match_statistics(helpers.extract_char_ngrams("aab", 1), helpers.extract_char_ngrams("ac", 1)),
        CHRF(char_order=2)._compute_f_score([3, 4, 2, 2, 2, 0]),
        lib_ter.translation_edit_rate(list("abcd"), list("bcda")),
        utils.my_log(0.0), utils.my_log(2.0), utils.sum_of_lists([[1, 2], [3, 4]]),
        utils.args_to_dict(argparse.Namespace(bleu_x=1, c=3), "bleu", True), sorted(METRICS),
    ])  # fmt: skip


def edits():
    """Edits and their traces, of random words; then one step of 13a, on random lines."""
    generator = random.Random(5)
    for number in range(300):
        letters = "abcdefgh"[: generator.randint(1, 8)]
        most = 70 if number % 30 == 0 else 12
        reference, words = (generator.choices(letters, k=generator.randint(0, most)) for _ in range(2))
        if number % 2 and reference:
            place = generator.randrange(len(reference))
            words = reference[place:] + reference[:place]
        distance = lib_ter.BeamEditDistance(reference)
        edits, trace = distance(words)
        flipped = lib_ter._flip_trace(trace)
        answer = [edits, trace, flipped, lib_ter.trace_to_alignment(flipped), lib_ter.trace_to_alignment(trace)]
        answer.append(list(lib_ter._find_shifted_pairs(words, reference)))
        answer.append(lib_ter.translation_edit_rate(words, reference))
        if words and reference:
            start = generator.randrange(len(words))
            size = generator.randint(1, len(words) - start)
            answer.append(lib_ter._perform_shift(words, start, size, generator.randint(0, len(words))))
            answer.append(lib_ter._shift(words, reference, distance, generator.choice([0, 0, 990])))
        note(f"edits {number}", answer)
    try:
        lib_ter.trace_to_alignment("x")
    except Exception:
        note("unknown operation", "refused")
    tokenizer = tokenizer_re.TokenizerRegexp()
    characters = "ab5 .,-&;'\"()/\n\t<>{}~é中\u00a0$"
    texts = ["".join(generator.choices(characters, k=generator.randint(0, 25))) for _ in range(200)]
    note("13a's last step", [tokenizer.signature(), [tokenizer(text) for text in texts]])


def tests():
    systems = [("Baseline: base", HYPOTHESES), ("other", REFERENCES[1])]
    for kind in ("bs", "ar"):
        signatures, table = significance.PairedTest(systems, {"BLEU": BLEU(), "TER": TER()}, REFERENCES[:1], kind, 50)()
        note(f"test {kind}", [signatures, [[round(one.score, 9), one.p_value] for one in table["BLEU"] + table["TER"]]])
        if kind == "ar":
            told = io.StringIO()
            with contextlib.redirect_stdout(told):
                given = argparse.Namespace(
                    format="text", width=2, short=False, paired_ar=True, paired_bs=False, paired_ar_n=50
                )
                utils.Color.ENABLE_COLORS = False
                utils.print_results_table(table, signatures, given)
            note("table", told.getvalue())
    note("interval", significance.estimate_ci(np.arange(40.0)))
    note("p-value", significance._compute_p_value(np.array([1.0, -3.0, 2.5, 4.0]), 2.5))
    seed, scores = significance._bootstrap_resample(
        BLEU()._extract_corpus_statistics(HYPOTHESES, REFERENCES), BLEU(), 5
    )
    note("resamples", [seed, [round(float(score.score), 4) for score in scores]])  # resampled in single precision
    score = BLEU().corpus_score(HYPOTHESES, REFERENCES)
    score.estimate_ci(scores)
    note("estimated", [round(float(score._mean), 4), round(float(score._ci), 4)])


def test_sets():
    note("sets", [list(sacrebleu.DATASETS), sacrebleu.get_available_testsets()])
    note("pairs", {name: [list(one.langpairs), one.md5] for name, one in sacrebleu.DATASETS.items()})
    note(
        "pairs of sets",
        [sacrebleu.get_langpairs_for_testset("wmt17"), utils.get_available_testsets_for_langpair("en-de")],
    )


def workers():
    pairs = [(h, list(r)) for h, *r in zip(HYPOTHESES, *REFERENCES, strict=False)]
    for way in ("fork", "spawn"):
        if way in multiprocessing.get_all_start_methods():
            with multiprocessing.get_context(way).Pool(2) as pool:
                note(way, pool.map(partial(score_one, CHRF(word_order=2)), pairs))


if __name__ == "__main__":
    sys.tracebacklimit = 0  # no traceback may show sacreBLEU's source
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    for part in sys.argv[1:]:
        globals()[part]()
    for label, value in found.items():
        print(json.dumps([label, value], ensure_ascii=False))
