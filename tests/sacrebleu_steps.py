"""A program with metrics that replace steps of sacreBLEU's, as public programs do. It prints one line of JSON per call.

`tests/as_sacrebleu/test_replaced_steps.py` runs it with sacreBLEU, and with the package of that name in bleucli.
"""

from __future__ import annotations

import json
import logging
import pickle
import random
import sys
from collections import Counter
from typing import ClassVar
from unittest import mock

import numpy as np
import regex
import sacrebleu
from sacrebleu.metrics import BLEU, CHRF, TER, helpers
from sacrebleu.metrics import bleu as bleu_module
from sacrebleu.metrics import chrf as chrf_module
from sacrebleu.metrics import ter as ter_module
from sacrebleu.metrics.base import Metric, Score, Signature
from sacrebleu.metrics.bleu import BLEUSignature
from sacrebleu.metrics.helpers import extract_all_char_ngrams, extract_all_word_ngrams
from sacrebleu.significance import PairedTest
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_base import BaseTokenizer

TEXT = "the The a cat cat's sat, on mat. naïve cafe\u0301 नमस्ते क्षेत्र 東京 e\u0301\u0323 (well) 3.5 x-y ! 🇩🇪 👩\u200d👧"
WORDS = [*TEXT.split(), "of", "of"]


def random_corpus(seed, segments=8):
    """Return three systems and two references that have something in common."""
    generator = random.Random(seed)
    reference = [generator.choices(WORDS, k=generator.randint(0, 14)) for _ in range(segments)]

    def changed(words):
        words = [generator.choice(WORDS) if generator.random() < 0.25 else word for word in words]
        if generator.random() < 0.3:
            generator.shuffle(words)
        return " ".join(words) + generator.choice(["", " ", "\u00a0"])

    return [[changed(words) for words in reference] for _ in range(3)], [
        [changed(words) for words in reference] for _ in range(2)
    ]


# --- the classes of three public programs, rebuilt


class GraphemeCHRF(CHRF):
    """chrF over grapheme clusters: every cluster becomes one character."""

    clusters: ClassVar = {}

    def _preprocess_segment(self, sent):
        found = regex.findall(r"\X", super()._preprocess_segment(sent))
        return "".join(
            one if len(one) == 1 else chr(0xF0000 + self.clusters.setdefault(one, len(self.clusters))) for one in found
        )


class CountedGraphemeCHRF(CHRF):
    """The same, but with n-grams that are tuples of clusters."""

    def ngrams(self, text):
        found = regex.findall(r"\X", "".join(text.split()))
        return [
            Counter(tuple(found[i : i + n]) for i in range(len(found) - n + 1)) for n in range(1, self.char_order + 1)
        ]

    def _extract_reference_info(self, refs):
        return {"ref_ngrams": [self.ngrams(ref) for ref in refs]}

    def _compute_segment_statistics(self, hypothesis, ref_kwargs):
        mine, best, top = self.ngrams(hypothesis), None, -1
        for ngrams in ref_kwargs["ref_ngrams"]:
            row = []
            for own, other in zip(mine, ngrams, strict=True):
                row += self._get_match_statistics(own, other)
            if (score := self._compute_f_score(row)) > top:
                best, top = row, score
        return best


class CrystalBLEU(BLEU):
    """BLEU without the most frequent n-grams."""

    def __init__(self, frequent=frozenset(), **options):
        self.frequent = frequent
        super().__init__(**options)

    def _extract_reference_info(self, refs):
        info = super()._extract_reference_info(refs)
        info["ref_ngrams"] = Counter({k: v for k, v in info["ref_ngrams"].items() if k not in self.frequent})
        return info

    def _compute_segment_statistics(self, hypothesis, ref_kwargs):
        ngrams, length = extract_all_word_ngrams(hypothesis, 1, self.max_ngram_order)
        row = [length, self._get_closest_ref_len(length, ref_kwargs["ref_lens"])]
        kept = {k: v for k, v in ngrams.items() if k not in self.frequent}
        for matching in (True, False):
            for n in range(1, self.max_ngram_order + 1):
                same = ((v, ref_kwargs["ref_ngrams"].get(k, 0)) for k, v in kept.items() if len(k) == n)
                row.append(sum(min(pair) if matching else pair[0] for pair in same))
        return row


class HyphenBLEU(BLEU):
    """BLEU with a preparation of its own."""

    def _preprocess_segment(self, sent):
        return super()._preprocess_segment(sent.replace("-", " - ")).replace("Th", "th")


class StemTER(TER):
    """TER of the first letters of words."""

    def _preprocess_segment(self, sent):
        return " ".join(word[:3] for word in super()._preprocess_segment(sent).split())


# --- every step, in every way


class Halved:
    """A mixin that changes the last step."""

    def _compute_score_from_stats(self, stats):
        score = super()._compute_score_from_stats(stats)
        score.score /= 2
        return score


class HalvedBLEU(Halved, BLEU):
    pass


class HalvedHyphenBLEU(Halved, HyphenBLEU):
    def _aggregate_and_compute(self, stats):
        score = super()._aggregate_and_compute(list(stats))
        score.score -= 1
        return score


class HalvedTER(Halved, TER):
    pass


class Reweighted(CHRF):
    def _compute_f_score(self, statistics):
        return super()._compute_f_score(statistics) ** 2 / 100


class ManyMarks(CHRF):
    _PUNCTS: ClassVar = set("e.a")


class Split(CHRF):
    def _remove_punctuation(self, sent):
        return sent.replace(".", " . ").split()


class Generous(CHRF):
    @staticmethod
    def _get_match_statistics(hyp_ngrams, ref_ngrams):
        return [sum(hyp_ngrams.values()), sum(ref_ngrams.values()), len(hyp_ngrams.keys() & ref_ngrams.keys())]


class LongestReference(BLEU):
    def _get_closest_ref_len(self, hyp_len, ref_lens):
        return max(ref_lens)


class Unpunished(BLEU):
    @staticmethod
    def compute_bleu(correct, total, sys_len, ref_len, **options):
        return BLEU.compute_bleu(correct, total, sys_len, min(sys_len, ref_len), **options)


class FirstReference(BLEU):
    def _cache_references(self, references):
        return super()._cache_references([next(iter(references))])


class TwiceCounted(TER):
    def _extract_corpus_statistics(self, hypotheses, references):
        rows = super()._extract_corpus_statistics(hypotheses, references)
        return [[2 * edits, length] for edits, length in rows]


class OddSegments(BLEU):
    def _aggregate_and_compute(self, stats):
        return super()._aggregate_and_compute(stats[::2] if len(stats) > 2 else stats)


class FractionTER(TER):
    """Rows of fractions, and of another width."""

    def _compute_segment_statistics(self, hypothesis, ref_kwargs):
        edits, length = super()._compute_segment_statistics(hypothesis, ref_kwargs)
        return [edits / 4, length, 1]

    def _compute_score_from_stats(self, stats):
        score = super()._compute_score_from_stats(stats[:2])
        score.score += float(stats[2])
        return score


class MatchScore(Score):
    def __init__(self, score, matches):
        super().__init__("Match", score)
        self.matches = matches
        self._verbose = f"({matches})"


class MatchSignature(Signature):
    def __init__(self, args):
        super().__init__(args)
        self._abbr.update({"fold": "f"})
        self.info.update({"fold": args["fold"]})


class Match(Metric):
    """A metric of the program's own."""

    _SIGNATURE_TYPE = MatchSignature

    def __init__(self, fold=False, references=None):
        super().__init__()
        self.fold = fold
        if references is not None:
            self._ref_cache = self._cache_references(references)

    def _preprocess_segment(self, sent):
        return sent.strip().lower() if self.fold else sent

    def _extract_reference_info(self, refs):
        return {"texts": set(" ".join(refs).split())}

    def _compute_segment_statistics(self, hypothesis, ref_kwargs):
        return [len(ref_kwargs["texts"].intersection(hypothesis.split())), len(hypothesis.split())]

    def _aggregate_and_compute(self, stats):
        return self._compute_score_from_stats([sum(column) for column in zip(*stats, strict=True)])

    def _compute_score_from_stats(self, stats):
        return MatchScore(100 * float(stats[0]) / max(float(stats[1]), 1.0), int(stats[0]))


class FoldedSignature(BLEUSignature):
    def __init__(self, args):
        super().__init__(args)
        self._abbr["fold"] = "f"
        self.update("fold", args["folded"])


class SignedBLEU(BLEU):
    _SIGNATURE_TYPE = FoldedSignature
    folded = "yes"

    def __init__(self, **options):
        super().__init__(**options)
        self.folded = "yes"

    def _preprocess_segment(self, sent):
        return super()._preprocess_segment(sent).casefold()


class LateSignature(BLEUSignature):
    def __init__(self, args):
        super().__init__(args)
        self.update("docs", args["docs"])


class LateBLEU(BLEU):
    """A metric that knows what it signs only after it has scored."""

    _SIGNATURE_TYPE = LateSignature

    def corpus_score(self, hypotheses, references, n_bootstrap=1):
        score = super().corpus_score(hypotheses, references, n_bootstrap)
        self.docs = len(hypotheses)
        return score


class OwnTokenizer(BaseTokenizer):
    def signature(self):
        return "own"

    def __call__(self, line):
        return " ".join(line.replace("a", " a ").split())


class Louder(Tokenizer13a):
    def signature(self):
        return "louder"

    def __call__(self, line):
        return super().__call__(line.upper())


def set_on_object(metric):
    standard = metric._compute_segment_statistics

    def counted(hypothesis, ref_kwargs):
        return [number + 1 for number in standard(hypothesis, ref_kwargs)]

    metric._compute_segment_statistics = counted
    return metric


def loud(metric):
    """Return a metric whose object has a step that calls the one of its class, which may call `super()`."""
    standard = metric._preprocess_segment
    metric._preprocess_segment = lambda text: standard(text).upper()
    return metric


def with_own_score(metric):
    standard = metric.compute_bleu
    metric.compute_bleu = lambda **counts: standard(**{**counts, "ref_len": 2 * counts["ref_len"]})
    return metric


def with_tokenizer(metric, tokenizer):
    metric.tokenizer = tokenizer
    return metric


def with_references(make):
    """Return references first and a step later: the references were prepared without it."""

    def made(references=None):
        metric = make() if references is None else make(references=references)
        metric._preprocess_segment = lambda text: text.replace("a", "e")
        return metric

    return made


FREQUENT = {("the",), ("of",), ("of", "of"), ("a",)}
METRICS = {
    "grapheme": GraphemeCHRF,
    "grapheme, word order": lambda **given: GraphemeCHRF(word_order=2, lowercase=True, **given),
    "counted grapheme": CountedGraphemeCHRF,
    "crystal": lambda **given: CrystalBLEU(FREQUENT, **given),
    "crystal, effective": lambda **given: CrystalBLEU(FREQUENT, effective_order=True, lowercase=True, **given),
    "hyphens": HyphenBLEU,
    "stems": StemTER,
    "normalized stems": lambda **given: StemTER(normalized=True, **given),
    "halved": HalvedBLEU,
    "halved hyphens": HalvedHyphenBLEU,
    "halved TER": HalvedTER,
    "reweighted": lambda **given: Reweighted(word_order=1, **given),
    "marks": lambda **given: ManyMarks(word_order=2, **given),
    "split": lambda **given: Split(word_order=2, whitespace=True, **given),
    "generous": Generous,
    "longest": LongestReference,
    "unpunished": lambda **given: Unpunished(smooth_method="floor", **given),
    "first": FirstReference,
    "twice": TwiceCounted,
    "odd": OddSegments,
    "fractions": FractionTER,
    "match": Match,
    "folded match": lambda **given: Match(fold=True, **given),
    "signed": SignedBLEU,
    "object": lambda **given: set_on_object(BLEU(**given)),
    "object, chrF": lambda **given: set_on_object(CHRF(**given)),
    "object, TER": lambda **given: set_on_object(TER(**given)),
    "object, hyphens": lambda **given: loud(HyphenBLEU(**given)),
    "object, normalized TER": lambda **given: loud(TER(normalized=True, **given)),
    "object, punctuation": lambda **given: loud(CHRF(word_order=2, lowercase=True, **given)),
    "object, score": lambda **given: with_own_score(BLEU(**given)),
    "own tokenizer, loud": lambda **given: with_tokenizer(loud(BLEU(**given)), OwnTokenizer()),
    "tokenizer, loud": lambda **given: loud(with_tokenizer(BLEU(**given), Tokenizer13a())),
    "set later": with_references(BLEU),
    "set later, TER": with_references(TER),
    "own tokenizer": lambda **given: with_tokenizer(BLEU(**given), OwnTokenizer()),
    "own tokenizer, lowercase": lambda **given: with_tokenizer(BLEU(lowercase=True, **given), OwnTokenizer()),
    "louder": lambda **given: with_tokenizer(BLEU(**given), Louder()),
    "function": lambda **given: with_tokenizer(BLEU(**given), lambda text: text.replace("c", " c")),
    "tokenizer of TER": lambda **given: with_tokenizer(TER(**given), OwnTokenizer()),
    "13a for none": lambda **given: with_tokenizer(BLEU(tokenize="none", **given), Tokenizer13a()),
}
lines = []


def plain(value):
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, np.ndarray):
        return [str(value.dtype), value.tolist()]
    if isinstance(value, np.generic):
        return value.item()
    if hasattr(value, "score"):
        return {**{key: plain(one) for key, one in vars(value).items() if key[0] != "_"}, "text": str(value)}
    return value if isinstance(value, (str, int, float, type(None))) else str(value)


def note(label, value):
    lines.append([label, plain(value)])


def close(number):
    """Return a number that sacreBLEU makes in single precision."""
    return None if number is None else {"single": float(number)}


def score_all(label, make, corpus, resamples=10):
    systems, references = corpus
    metric = make()
    note(f"{label}: corpus", [metric.corpus_score(systems[0], references), metric.num_refs])
    note(f"{label}: one reference", [metric.corpus_score(systems[1], references[:1]), metric.num_refs])
    note(
        f"{label}: sentences",
        [metric.sentence_score(text, list(rest)) for text, *rest in zip(systems[2], *references, strict=True)],
    )
    note(f"{label}: rows", metric._extract_corpus_statistics(systems[0], references))
    kept = make(references=references)
    note(f"{label}: kept", [kept.corpus_score(system, None) for system in systems])
    score = metric.corpus_score(systems[0], references, n_bootstrap=resamples)
    note(f"{label}: resampled", [score.score, close(score._mean), close(score._ci), metric.n_bootstrap, metric.seed])
    if not label.startswith(("own tokenizer", "tokenizer", "louder", "13a for none", "function")):
        note(f"{label}: signature", [metric.get_signature(), metric.get_signature().format(short=True)])
    named = list(zip("abc", systems, strict=True))
    for kind, confidence in (("bs", -1), ("ar", -1), ("ar", 5)):
        other = {"CHRF": CHRF()} if isinstance(metric, TER) else {"TER": TER()}
        for metrics, given in (({"M": make()} | other, references), ({"M": kept}, None)):
            signatures, table = PairedTest(named, metrics, given, kind, resamples, confidence)()
            column = list(table)[1]
            results = [[one.score, one.p_value, close(one.mean), close(one.ci)] for one in table[column]]
            note(f"{label}: {kind} {confidence} {len(metrics)}", [column, results, len(signatures)])


def classes(count, first=0):
    for label, make in METRICS.items():
        for seed in range(first, first + count):
            score_all(f"{label}" if not seed else f"{label} {seed}", make, random_corpus(seed))


def real(segments, *paths):
    """Score the first segments of real texts; the first two paths are those of references."""
    texts = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            texts.append([line.rstrip("\n") for line in file][:segments])
    most = Counter(ngram for text in texts[0] for ngram in extract_all_word_ngrams(text, 1, 4)[0])
    frequent = {ngram for ngram, _ in most.most_common(100)}
    makes = {
        "grapheme": GraphemeCHRF,
        "crystal": lambda **given: CrystalBLEU(frequent, **given),
        "hyphens": HyphenBLEU,
        "stems": StemTER,
    }
    for label, make in makes.items():
        score_all(label, make, (texts[2:], texts[:2]), resamples=5)


def calls(*_):
    """Write down which methods are called, in which order, with which arguments."""
    names = "_check_corpus_score_args _check_sentence_score_args _extract_corpus_statistics _cache_references"
    names += " _preprocess_segment _extract_reference_info _compute_segment_statistics _aggregate_and_compute"
    names += " _compute_score_from_stats _get_closest_ref_len _compute_f_score _remove_punctuation"

    def noted(name, method):
        def call(self, *given, **named):
            note(name, [given, named, self.n_bootstrap])
            return method(self, *given, **named)

        return call

    systems, references = random_corpus(1, 3)
    for base in (BLEU, CHRF, TER):
        own = {name: noted(name, getattr(base, name)) for name in names.split() if hasattr(base, name)}
        kind = type("Noted", (base,), own)
        options = {"word_order": 2} if base is CHRF else {}
        metric = kind(**options)
        metric.corpus_score(systems[0], references)
        metric.corpus_score(systems[0], references, n_bootstrap=2)
        metric.sentence_score(systems[0][0], [references[0][0]])
        kept = kind(references=references, **options)
        kept.corpus_score(systems[0], None)
        kept.corpus_score(systems[0], references[:1])
        metric._extract_corpus_statistics(systems[0], references)


def replaced(*_):
    """Replace functions of modules and methods of classes for a while."""
    systems, references = random_corpus(2)
    standard = bleu_module._get_tokenizer

    def both(label, metric):
        note(label, [metric().corpus_score(systems[0], references), metric().sentence_score(systems[0][0], ["a cat"])])

    bleu_module._get_tokenizer = lambda name: OwnTokenizer if name == "none" else standard(name)
    both("known name", lambda: BLEU(tokenize="none"))
    both("another name", BLEU)
    note("function", [sacrebleu.corpus_bleu(systems[0], references, tokenize="none")])
    note("sentence", [sacrebleu.sentence_bleu(systems[0][0], ["a cat"], tokenize="none")])
    note("signature", [BLEU(tokenize="none", references=references).get_signature()])
    bleu_module._get_tokenizer = standard
    both("back", lambda: BLEU(tokenize="none"))
    note("sentence back", [sacrebleu.sentence_bleu(systems[0][0], ["a cat"], tokenize="none")])
    bleu_module._TOKENIZERS["mine"] = "tokenizer_char.TokenizerChar"
    both("more names", lambda: BLEU(tokenize="mine"))
    note("names", list(BLEU.TOKENIZERS))
    del bleu_module._TOKENIZERS["mine"]
    bleu_module.extract_all_word_ngrams = lambda line, *orders: extract_all_word_ngrams(line.lower(), *orders)
    both("words", BLEU)
    bleu_module.extract_all_word_ngrams = extract_all_word_ngrams
    chrf_module.extract_all_char_ngrams = lambda line, *more: extract_all_char_ngrams(line[::-1] + "x", *more)
    both("characters", CHRF)
    chrf_module.extract_all_char_ngrams = extract_all_char_ngrams
    helper, helpers.extract_char_ngrams = helpers.extract_char_ngrams, lambda line, n, *_: Counter(line.split() * n)
    both("helper", CHRF)
    helpers.extract_char_ngrams = helper
    edits, ter_module.translation_edit_rate = ter_module.translation_edit_rate, lambda a, b: (len(a), len(b))
    both("edits", TER)
    ter_module.translation_edit_rate = edits
    call, Tokenizer13a.__call__ = Tokenizer13a.__call__, lambda self, line: line[1:]
    both("tokenizer", BLEU)
    Tokenizer13a.__call__ = call
    for base, name in ((BLEU, "_preprocess_segment"), (CHRF, "_preprocess_segment"), (TER, "_preprocess_segment")):

        class Later(base):
            pass

        method = getattr(base, name)
        setattr(base, name, lambda self, sent, method=method: method(self, sent).replace("t", "a"))
        both(f"class {base.__name__}", base)
        both(f"subclass of {base.__name__}", Later)
        function = getattr(sacrebleu, f"sentence_{base.__name__.lower()}")
        note(f"function of {base.__name__}", [function("a cat", ["a caa"])])
        setattr(base, name, method)
        both(f"class {base.__name__} again", base)
        both(f"subclass of {base.__name__} again", Later)
        both(f"object of {base.__name__}", lambda base=base: loud(base()))
        metric = loud(base())
        both(f"object of {base.__name__}, replaced", lambda metric=metric: metric)
        del metric._preprocess_segment
        both(f"object of {base.__name__}, again", lambda metric=metric: metric)
    for kind, step in ((BLEU, "_extract_reference_info"), (CHRF, "_PUNCTS"), (TER, "_compute_segment_statistics")):
        metric = kind(**({"word_order": 1} if kind is CHRF else {}))
        with mock.patch.object(metric, step, "!" if step == "_PUNCTS" else lambda *_: 1 / 0):
            note(f"patched {step}", [step in vars(metric)])
        both(f"no longer patched {step}", lambda metric=metric: metric)
        function = vars(kind)["_compute_segment_statistics"]
        kind._compute_segment_statistics = lambda self, *given, function=function: [1, *function(self, *given)[1:]]
        both(f"function in the dictionary of {kind.__name__}", kind)
        kind._compute_segment_statistics = function
        both(f"{kind.__name__} again", kind)
    late = LateBLEU()
    note("late", [late.corpus_score(systems[0], references), late.get_signature()])
    metric = CHRF(lowercase=True, word_order=1)
    metric.corpus_score(systems[0], references)
    note("dictionary", [str(chrf_module.CHRFSignature({**vars(metric), "num_refs": 2}))])
    with mock.patch.object(metric, "lowercase", False):
        both("patched option", lambda: metric)
    both("no longer patched option", lambda: metric)
    halved = pickle.loads(pickle.dumps(HalvedBLEU()))
    both("pickled", lambda: halved)


if __name__ == "__main__":
    sys.tracebacklimit = 0  # no traceback may show sacreBLEU's source
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    part, *given = sys.argv[1:]
    globals()[part](*(int(word) if word.isdigit() else word for word in given))
    for line in lines:
        print(json.dumps(line, ensure_ascii=False, sort_keys=True))
