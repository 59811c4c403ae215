"""chrF and chrF++."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from string import punctuation
from typing import Any

from bleucli import kernels
from bleucli.metrics.chrf import CHRF as _CHRF
from bleucli.metrics.chrf import CHRFScore as _CHRFScore
from bleucli.metrics.chrf import name_with
from sacrebleu.metrics.base import Metric, Score, Signature
from sacrebleu.metrics.helpers import extract_all_char_ngrams, extract_word_ngrams
from sacrebleu.utils import sum_of_lists

# What is replaced where a program sets a function of this module
_all_char_ngrams, _word_ngrams = extract_all_char_ngrams, extract_word_ngrams


class CHRFSignature(Signature):
    """A signature of chrF."""

    _signed = _CHRF


class CHRFScore(_CHRFScore, Score):
    """A chrF score with sacreBLEU's attributes."""

    verbose = ""

    def __init__(self, score: float, char_order: int, word_order: int, beta: int) -> None:
        self.name = name_with(beta, word_order)
        self.score = score
        self.char_order = char_order
        self.word_order = word_order
        self.beta = beta
        self._mean = self._ci = -1.0
        self._verbose = ""


class CHRF(Metric, _CHRF):
    """chrF with sacreBLEU's private names."""

    _SIGNATURE_TYPE = CHRFSignature
    _PUNCTS = set(punctuation)

    @cached_property
    def order(self) -> int:
        """The number of orders of n-grams."""
        return self.char_order + self.word_order

    def replaced_step(self) -> str:
        """Return the name of a step that a program replaced, "" if kernels may score the metric."""
        if extract_all_char_ngrams is _all_char_ngrams and extract_word_ngrams is _word_ngrams:
            return self._step
        return "extract_all_char_ngrams or extract_word_ngrams"

    def score_from_stats(self, sums: Sequence[int | float]) -> CHRFScore:
        """Return the score of sums."""
        score = kernels.f_score(sums, self.beta, self.eps_smoothing)
        return CHRFScore(score, self.char_order, self.word_order, self.beta)  # type: ignore[arg-type]

    def _compute_score_from_stats(self, stats: Sequence[int | float]) -> CHRFScore:
        if not self._replaces("_compute_f_score"):
            return self.score_from_stats(stats)
        return CHRFScore(self._compute_f_score(stats), self.char_order, self.word_order, self.beta)  # type: ignore[arg-type]

    def _compute_f_score(self, statistics: Sequence[int | float]) -> float:
        return kernels.f_score(statistics, self.beta, self.eps_smoothing)

    @staticmethod
    def _get_match_statistics(hyp_ngrams: Counter[Any], ref_ngrams: Counter[Any]) -> list[int]:
        # Quirk: n-grams of an order that the reference lacks do not count, as in the kernels
        reference = sum(ref_ngrams.values())
        matches = sum(min(count, ref_ngrams[ngram]) for ngram, count in hyp_ngrams.items() if ngram in ref_ngrams)
        return [sum(hyp_ngrams.values()) if reference else 0, reference, matches]

    def _remove_punctuation(self, sent: str) -> list[str]:
        """Return the words; a punctuation mark at the end of a word, or else at its start, is split off."""
        words = []
        for word in sent.split():
            if len(word) > 1 and word[-1] in self._PUNCTS:
                words += [word[:-1], word[-1]]
            elif len(word) > 1 and word[0] in self._PUNCTS:
                words += [word[0], word[1:]]
            else:
                words.append(word)
        return words

    def _all_ngrams(self, text: str) -> list[Counter[str]]:
        words = self._remove_punctuation(text) if self.word_order else []
        ngrams = extract_all_char_ngrams(text, self.char_order, self.whitespace)
        return ngrams + [extract_word_ngrams(words, n) for n in range(1, self.word_order + 1)]

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        return {"ref_ngrams": [self._all_ngrams(ref) for ref in refs]}

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[int | float]:
        ngrams = self._all_ngrams(hypothesis)
        best: list[int | float] = []
        highest = -1.0
        for reference in ref_kwargs["ref_ngrams"]:
            pairs = zip(ngrams, reference, strict=True)
            row: list[int | float] = [number for pair in pairs for number in self._get_match_statistics(*pair)]
            score = self._compute_f_score(row)
            if score > highest:  # of equal ones the first, as in the kernels
                best, highest = row, score
        return best
