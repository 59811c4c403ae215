"""TER."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bleucli.metrics.ter import TER as _TER
from bleucli.metrics.ter import TERScore as _TERScore
from sacrebleu.metrics.base import Metric, Score, Signature, Tokenized
from sacrebleu.metrics.lib_ter import translation_edit_rate
from sacrebleu.tokenizers import TercomTokenizer, standard_call
from sacrebleu.utils import sum_of_lists

# What is replaced where a program sets a function of this module
_edit_rate = translation_edit_rate


class TERSignature(Signature):
    """A signature of TER."""

    _signed = _TER


class TERScore(_TERScore, Score):
    """A TER score with sacreBLEU's attributes."""

    verbose = ""

    def __init__(self, score: float, num_edits: int, ref_length: float) -> None:
        self.name = "TER"
        self.score = score
        self.num_edits = num_edits
        self.ref_length = ref_length
        self._mean = self._ci = -1.0
        self._verbose = ""


class TER(Tokenized, _TER):
    """TER with sacreBLEU's private names."""

    _SIGNATURE_TYPE = TERSignature
    _make_tokenizer = TercomTokenizer
    score_class = TERScore

    def replaced_step(self) -> str:
        """Return the name of a step that a program replaced, "" if kernels may score the metric."""
        if type(self.tokenizer).__call__ is standard_call and translation_edit_rate is _edit_rate:
            return self._step
        return self._step or "tokenizer or translation_edit_rate"

    def _add_fields(self, fields: dict[str, str]) -> None:
        _TER._add_fields(self, fields)
        if type(self.tokenizer).__call__ is not standard_call or self._tokenizer_name:
            fields["tok"] = self.tokenizer_signature

    def _extract_corpus_statistics(self, hypotheses: Any, references: Any = None) -> list[list[int | float]]:
        rows = super()._extract_corpus_statistics(hypotheses, references)
        return rows if self.replaced_step() else [[int(edits), length] for edits, length in rows]

    def _preprocess_segment(self, sent: str) -> str:
        # sacreBLEU's tokenizer collapses white space, which ours leaves to the counting
        return " ".join(super()._preprocess_segment(sent).split())

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        # Quirk: references come here tokenized, and are tokenized once more; see `prepare_reference`
        return {"ref_words": [self._preprocess_segment(ref).split() for ref in refs]}

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[int | float]:
        words, references = hypothesis.split(), ref_kwargs["ref_words"]
        # Quirk: the fewest edits to any reference, but the average length of all of them
        edits = min(translation_edit_rate(words, reference)[0] for reference in references)
        return [edits, sum(map(len, references)) / len(references)]
