"""SentencePiece, with the models of spBLEU."""

from __future__ import annotations

from bleucli import tokenizers
from bleucli.tokenizers.sentencepiece import ADDRESSES
from sacrebleu.dataset import SACREBLEU_DIR
from sacrebleu.tokenizers import BaseTokenizer

SPM_MODELS = {
    "spm": {"url": ADDRESSES["flores101"], "signature": "flores101"},
    **{name: {"url": address, "signature": name} for name, address in ADDRESSES.items()},
}


class TokenizerSPM(BaseTokenizer):
    """A published model by its name."""

    def __init__(self, key: str = "spm") -> None:
        self._ours = tokenizers.get(key)


class Flores101Tokenizer(TokenizerSPM):
    """`flores101`."""

    def __init__(self) -> None:
        super().__init__("flores101")


class Flores200Tokenizer(TokenizerSPM):
    """`flores200`."""

    def __init__(self) -> None:
        super().__init__("flores200")


class spBLEU1KTokenizer(TokenizerSPM):  # the name in sacreBLEU
    """`spBLEU-1K`."""

    def __init__(self) -> None:
        super().__init__("spBLEU-1K")
