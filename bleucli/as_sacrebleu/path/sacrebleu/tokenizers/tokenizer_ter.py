"""TER's tokenizer."""

from __future__ import annotations

from bleucli.tokenizers.tercom import Tercom
from sacrebleu.tokenizers.tokenizer_base import BaseTokenizer

__all__ = ["BaseTokenizer", "TercomTokenizer"]


class TercomTokenizer(BaseTokenizer):
    """`tercom`."""

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
    ) -> None:
        self._ours = Tercom(normalized, no_punct, asian_support, case_sensitive)
