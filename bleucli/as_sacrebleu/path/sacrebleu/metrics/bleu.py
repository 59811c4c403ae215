"""BLEU."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from bleucli.metrics.base import metric_for
from bleucli.metrics.bleu import BLEU as _BLEU
from bleucli.metrics.bleu import FORMATS, MAX_NGRAM_ORDER
from bleucli.metrics.bleu import BLEUScore as _BLEUScore
from bleucli.metrics.smoothing import Smoothing
from bleucli.tokenizers import DEFAULT, default_for
from sacrebleu.metrics.base import Metric, Score, Signature, Tokenized, sacrelogger
from sacrebleu.metrics.helpers import extract_all_word_ngrams
from sacrebleu.tokenizers import HOMES, standard_call, tokenizer_of
from sacrebleu.utils import my_log, sum_of_lists

# Programs add tokenizers of their own
_TOKENIZERS = dict(HOMES)


def _get_tokenizer(name: str) -> Any:
    """Return the class of a tokenizer."""
    module, kind = _TOKENIZERS[name].split(".")
    return getattr(import_module(f"sacrebleu.tokenizers.{module}"), kind)


# What is replaced where a program sets a function of this module
_standard_tokenizer, _all_word_ngrams = _get_tokenizer, extract_all_word_ngrams


def _is_standard(name: object) -> bool:
    """Return whether the name of a tokenizer still means this package's own."""
    if _get_tokenizer is not _standard_tokenizer:
        return False
    return not isinstance(name, str) or _TOKENIZERS.get(name) == HOMES.get(name)


class BLEUSignature(Signature):
    """A signature of BLEU."""

    _signed = _BLEU

    @classmethod
    def _fields(cls, args: dict[str, Any]) -> list[tuple[str, Any]]:
        if "smoothing" not in args:  # not made by our metric
            args = args | {"smoothing": Smoothing(args["smooth_method"], args.get("smooth_value"))}
        return super()._fields(args)


class BLEUScore(_BLEUScore, Score):
    """A BLEU score with sacreBLEU's attributes."""

    prec_str = ""
    verbose = Score.verbose

    def __init__(
        self,
        score: float,
        counts: list[float],
        totals: list[float],
        precisions: list[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        # Without a call of bleucli's constructor: a score takes hardly longer to make than that
        self.name = "BLEU"
        self.score = score
        self.counts = counts
        self.totals = totals
        self.precisions = precisions
        self.bp = bp
        self.sys_len = sys_len
        self.ref_len = ref_len
        self.ratio = ratio = sys_len / ref_len if ref_len else 0
        self._mean = self._ci = -1.0
        self._verbose = text = FORMATS[len(precisions)][1] % (*precisions, bp, ratio, sys_len, ref_len)
        self.prec_str = text.partition(" ")[0]


class BLEU(Tokenized, _BLEU):
    """BLEU with sacreBLEU's private names."""

    _SIGNATURE_TYPE = BLEUSignature
    score_class = BLEUScore
    _round = staticmethod(float)  # type: ignore[assignment]
    TOKENIZERS = _TOKENIZERS.keys()  # type: ignore[assignment]
    SMOOTH_DEFAULTS = {"none": None, "floor": 0.1, "add-k": 1, "exp": None}
    _TOKENIZER_MAP = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = MAX_NGRAM_ORDER,
        effective_order: bool = False,
        trg_lang: str = "",
        references: Sequence[Sequence[str]] | None = None,
    ) -> None:
        name = tokenize
        if name is None:
            name = default_for(str(trg_lang)) if trg_lang else DEFAULT
        # The first question is that of `_is_standard`, without a call
        is_plain = type(name) is str and _get_tokenizer is _standard_tokenizer and name in HOMES
        standard = _TOKENIZERS.get(name) is HOMES[name] if is_plain else _is_standard(name)
        ours = tokenize if standard else "none"
        _BLEU.__init__(
            self, lowercase, force, ours, smooth_method, smooth_value, max_ngram_order, effective_order, trg_lang
        )
        self._force = force
        if standard:
            self.tokenizer = tokenizer_of(self.tokenizer)
        else:
            self.tokenizer, self.advice = _get_tokenizer(name)(), ()
        if references is not None:
            self._keep(references)

    @classmethod
    def like(cls, *options: Any) -> Any:
        """Return a metric with these options; calls with the same options return the same metric."""
        # A tokenizer of the program's own may be another one at the next call
        return metric_for(cls, *options) if _is_standard(options[2]) else cls(*options)

    def replaced_step(self) -> str:
        """Return the name of a step that a program replaced, "" if kernels may score the metric."""
        if self.compute_bleu is not _compute_bleu:
            return self._step or "compute_bleu"
        if type(self.tokenizer).__call__ is standard_call and extract_all_word_ngrams is _all_word_ngrams:
            return self._step
        return self._step or "tokenizer or extract_all_word_ngrams"

    @staticmethod
    def compute_bleu(
        correct: Sequence[int | float],
        total: Sequence[int | float],
        sys_len: int,
        ref_len: int,
        smooth_method: str = "none",
        smooth_value: float | None = None,
        effective_order: bool = False,
        max_ngram_order: int = MAX_NGRAM_ORDER,
    ) -> BLEUScore:
        """Return the score of counts; arguments and errors are those of `bleucli.BLEU.compute_bleu`."""
        order = max_ngram_order
        metric: Any = metric_for(BLEU, False, True, DEFAULT, smooth_method, smooth_value, order, effective_order)
        return metric._score(correct, total, sys_len, ref_len)

    def _compute_score_from_stats(self, stats: Sequence[int | float]) -> Any:
        if self.compute_bleu is _compute_bleu:
            return self.score_from_stats(stats)
        order = self.max_ngram_order
        return self.compute_bleu(
            correct=stats[2 : 2 + order],
            total=stats[2 + order :],
            sys_len=int(stats[0]),
            ref_len=int(stats[1]),
            smooth_method=self.smooth_method,
            smooth_value=self.smooth_value,
            effective_order=self.effective_order,
            max_ngram_order=order,
        )

    def _check_language(self, code: str) -> str:
        """Return the code as it is: sacreBLEU takes any, and gives all but three of them the usual tokenizer."""
        return str(self.check("trg_lang", code))

    def _increase(self, counts: list[float], totals: list[float]) -> tuple[list[float], list[float]]:
        """Return matches and n-grams with what add-k adds: the caller's value, by default the whole number 1."""
        counts, totals = super()._increase(counts, totals)
        if isinstance(self.smooth_value, float):
            return counts, totals
        return list(map(int, counts)), list(map(int, totals))

    def _get_closest_ref_len(self, hyp_len: int, ref_lens: Sequence[int]) -> int:
        return min(ref_lens, key=lambda length: (abs(length - hyp_len), length))

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        ngrams, lengths = None, []
        for ref in refs:
            counts, length = extract_all_word_ngrams(ref, 1, self.max_ngram_order)
            ngrams = counts if ngrams is None else ngrams | counts  # the highest count of each in any one reference
            lengths.append(length)
        return {"ref_ngrams": ngrams, "ref_lens": lengths}

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[int | float]:
        ngrams, length = extract_all_word_ngrams(hypothesis, 1, self.max_ngram_order)
        # The lesser count is the clipped one
        correct, total = [0] * self.max_ngram_order, [0] * self.max_ngram_order
        for ngram, count in ngrams.items():
            total[len(ngram) - 1] += count
            correct[len(ngram) - 1] += min(count, ref_kwargs["ref_ngrams"][ngram])
        return [length, self._get_closest_ref_len(length, ref_kwargs["ref_lens"]), *correct, *total]


# What is replaced where a program sets this function of a class or an object
_compute_bleu = BLEU.compute_bleu
