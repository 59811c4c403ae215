"""BLEU."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from math import exp, log
from typing import Any

from bleucli.metrics.bleu import BLEU as _BLEU
from bleucli.metrics.bleu import MAX_NGRAM_ORDER
from bleucli.metrics.bleu import BLEUScore as _BLEUScore
from sacrebleu.metrics.base import Metric, Score, Signature, sacrelogger
from sacrebleu.metrics.helpers import extract_all_word_ngrams
from sacrebleu.tokenizers import HOMES as _TOKENIZERS
from sacrebleu.tokenizers import tokenizer_of
from sacrebleu.utils import my_log, sum_of_lists

BLEUSignature = Signature


def _get_tokenizer(name: str) -> Any:
    """Return the class of a tokenizer."""
    module, kind = _TOKENIZERS[name].split(".")
    return getattr(import_module(f"sacrebleu.tokenizers.{module}"), kind)


class BLEUScore(_BLEUScore, Score):
    """A BLEU score with sacreBLEU's attributes."""

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
        super().__init__(score, counts, totals, precisions, bp, sys_len, ref_len)
        self.complete(prec_str=self.prec_str)


class BLEU(Metric, _BLEU):
    """BLEU with sacreBLEU's private names."""

    _SIGNATURE_TYPE = BLEUSignature
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
        _BLEU.__init__(
            self,
            lowercase,
            force,
            tokenize,
            smooth_method,
            smooth_value,
            max_ngram_order,
            effective_order,
            trg_lang,
            self.keep_references(references),
        )
        self._force = force
        self.tokenizer = tokenizer_of(self.tokenizer)

    @property
    def tokenizer_signature(self) -> str:
        """The name of the tokenizer in signatures."""
        named = self.tokenizer.signature
        return named() if callable(named) else named

    def _check_language(self, code: str) -> str:
        """Return the code as it is: sacreBLEU takes any, and gives all but three of them the usual tokenizer."""
        return str(self.check("trg_lang", code))

    def score_from_stats(self, sums: Sequence[int | float]) -> BLEUScore:
        """Return the score of sums; a perfect match is 100.00000000000004, with the rounding error of sacreBLEU."""
        ours = super().score_from_stats(sums)
        # sacreBLEU adds the value as it was given, by default the whole number 1
        if self.smooth_method == "add-k" and not isinstance(self.smooth_value, float):
            ours.counts, ours.totals = list(map(int, ours.counts)), list(map(int, ours.totals))
        score = ours.score
        if score == 100.0:  # ours is cut to 100, so compute it again
            orders = self.averaged_orders(ours.totals)
            score = exp(sum(map(log, ours.precisions[:orders])) / orders)
        return BLEUScore(score, ours.counts, ours.totals, ours.precisions, ours.bp, ours.sys_len, ours.ref_len)

    def _get_closest_ref_len(self, hyp_len: int, ref_lens: Sequence[int]) -> int:
        return min(ref_lens, key=lambda length: (abs(length - hyp_len), length))

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        ngrams, lengths = None, []
        for ref in refs:
            found, length = extract_all_word_ngrams(ref, 1, self.max_ngram_order)
            ngrams = found if ngrams is None else ngrams | found
            lengths.append(length)
        return {"ref_ngrams": ngrams, "ref_lens": lengths}

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[int | float]:
        ngrams, length = extract_all_word_ngrams(hypothesis, 1, self.max_ngram_order)
        # The reference counts are the highest in any one reference, so the lesser count is the clipped one
        correct, total = [0] * self.max_ngram_order, [0] * self.max_ngram_order
        for ngram, count in ngrams.items():
            total[len(ngram) - 1] += count
            correct[len(ngram) - 1] += min(count, ref_kwargs["ref_ngrams"][ngram])
        return [length, self._get_closest_ref_len(length, ref_kwargs["ref_lens"]), *correct, *total]
