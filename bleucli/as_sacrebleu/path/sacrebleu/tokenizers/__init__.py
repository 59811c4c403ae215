"""The tokenizers, each in its own module.

- `HOMES`: the module and class of each, by name
- `tokenizer_of`: the tokenizer of this package that corresponds to one of bleucli's
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sacrebleu.tokenizers.tokenizer_base import BaseTokenizer

HOMES = {
    "none": "tokenizer_none.NoneTokenizer",
    "zh": "tokenizer_zh.TokenizerZh",
    "13a": "tokenizer_13a.Tokenizer13a",
    "intl": "tokenizer_intl.TokenizerV14International",
    "char": "tokenizer_char.TokenizerChar",
    "ja-mecab": "tokenizer_ja_mecab.TokenizerJaMecab",
    "ko-mecab": "tokenizer_ko_mecab.TokenizerKoMecab",
    "spm": "tokenizer_spm.TokenizerSPM",
    "flores101": "tokenizer_spm.Flores101Tokenizer",
    "flores200": "tokenizer_spm.Flores200Tokenizer",
    "spBLEU-1K": "tokenizer_spm.spBLEU1KTokenizer",
}

__all__ = ["HOMES", "BaseTokenizer", "tokenizer_of"]


def tokenizer_of(ours: Any) -> Any:
    """Return the tokenizer that corresponds to one of bleucli's, but has the methods of sacreBLEU's."""
    name = ours.signature
    if name not in HOMES:  # versions follow the names of some
        name = next((home for home in ("ja-mecab", "ko-mecab") if name.startswith(home)), "")
    if not name:  # the user's own model
        return ours
    module, _, kind = HOMES[name].partition(".")
    made = getattr(import_module(f"sacrebleu.tokenizers.{module}"), kind)
    return made.around(ours)
