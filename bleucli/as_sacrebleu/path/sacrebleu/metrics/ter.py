"""TER."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bleucli.metrics.ter import TER as _TER
from bleucli.metrics.ter import TERScore as _TERScore
from sacrebleu.metrics.base import Metric, Score, Signature
from sacrebleu.metrics.lib_ter import translation_edit_rate
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer
from sacrebleu.utils import sum_of_lists

TERSignature = Signature


class TERScore(_TERScore, Score):
    """A TER score with sacreBLEU's attributes."""

    def __init__(self, score: float, num_edits: int, ref_length: float) -> None:
        super().__init__(score, num_edits, ref_length)
        self.complete()


class TER(Metric, _TER):
    """TER with sacreBLEU's private names."""

    _SIGNATURE_TYPE = TERSignature

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
        references: Sequence[Sequence[str]] | None = None,
    ) -> None:
        given = (normalized, no_punct, asian_support, case_sensitive)
        _TER.__init__(self, *given, self.keep_references(references))
        self.tokenizer = TercomTokenizer(*given)  # type: ignore[assignment]

    def score_from_stats(self, sums: Sequence[int | float]) -> TERScore:
        """Return the score of sums."""
        ours = super().score_from_stats(sums)
        return TERScore(ours.score, ours.num_edits, ours.ref_length)

    def _extract_corpus_statistics(self, hypotheses: Any, references: Any = None) -> list[list[int | float]]:
        rows = super()._extract_corpus_statistics(hypotheses, references)
        return [[int(edits), length] for edits, length in rows]

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
