"""The tokenizers; `sacrebleu.names` lists the modules where programs look for them.

- `BaseTokenizer`: the base of all, and of a program's own
- `HOMES`: the module and class of each, by name
- `tokenizer_of`: the tokenizer of this package that corresponds to one of bleucli's
- `is_ours`: whether a tokenizer does what this package's do, so that kernels may do it
- `name_of`: the name of a tokenizer in signatures
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any

from bleucli import tokenizers
from bleucli.metrics.ter import Tercom
from bleucli.text import Segments
from bleucli.tokenizers.base import OfLines
from sacrebleu import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    SPM_MODELS: dict[str, dict[str, str]]

names.add_to(__name__)
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


class BaseTokenizer:
    """A tokenizer of bleucli with the methods of sacreBLEU's: calling it with a line returns the line's tokens.

    A program's own tokenizer is derived from this class, and overrides `__call__` and `signature`.
    """

    # As in bleucli, whose tokenizer has the function
    __slots__ = ("__call__", "__dict__", "__weakref__")

    __call__: Any
    _name = ""

    def __new__(cls, *arguments: object, **options: object) -> Self:
        """Return a tokenizer that loads nothing so far."""
        tokenizer = super().__new__(cls)
        _set_call(tokenizer, tokenizer._call_first)
        return tokenizer

    def _call_first(self, line: str) -> str:
        """Return what bleucli's tokenizer returns; from now on, its function is called directly."""
        tokens: str = self._ours(line)
        _set_call(self, self._ours.__call__)
        return tokens

    @cached_property
    def _ours(self) -> Any:
        if not self._name:
            raise NotImplementedError(f"{type(self).__name__} does not define __call__ and signature")
        return tokenizers.get(self._name)

    def signature(self) -> str:
        """Return its name in signatures."""
        name: str = self._ours.signature
        return name

    def tokenize(self, segments: Segments) -> Segments:
        """Return segments with their tokens separated by white space."""
        tokens: Segments = self._ours.tokenize(segments)
        return tokens

    def __getstate__(self) -> dict[str, object]:
        return vars(self)


# What calling a tokenizer does unless a program replaces it
standard_call: Any = BaseTokenizer.__call__
_set_call = standard_call.__set__
_standard_signature = BaseTokenizer.signature


def is_ours(tokenizer: object) -> bool:
    """Return whether calling a tokenizer does what this package's tokenizers do, so that kernels may do it."""
    return getattr(type(tokenizer), "__call__", None) is standard_call  # noqa: B004 # which one, not whether


def name_of(tokenizer: Any) -> str:
    """Return the name of a tokenizer in signatures: what it says itself, or else the name of its class or function."""
    try:
        if getattr(type(tokenizer), "signature", None) is _standard_signature:
            return tokenizer._ours.signature  # what the method returns, without calling it
        signature = getattr(tokenizer, "signature", None)
        name = signature() if callable(signature) else signature
    except NotImplementedError:
        name = None
    if type(name) is str and name:
        return name
    return str(name or getattr(tokenizer, "__name__", type(tokenizer).__name__))


def tokenizer_of(ours: Any) -> Any:
    """Return the tokenizer that corresponds to one of bleucli's, but has the methods of sacreBLEU's."""
    module, kind = _home_of(ours.signature)
    # A program may replace the class at any time
    return _adapt(getattr(module, kind), ours) if module else ours


@lru_cache(maxsize=32)
def _home_of(signature: str) -> tuple[Any, str]:
    """Return the module and the name of the class of a tokenizer; no module for a model of the user's own."""
    # Versions follow the names of some
    mecab = (home for home in ("ja-mecab", "ko-mecab") if signature.startswith(home))
    name = signature if signature in HOMES else next(mecab, "")
    module, _, kind = HOMES.get(name, "").partition(".")
    return (import_module(f"{__name__}.{module}") if module else None), kind


# Shared like bleucli's own tokenizers; those with models are made for each metric, and few of them are kept
@lru_cache(maxsize=8)
def _adapt(kind: Any, ours: Any) -> Any:
    tokenizer = kind.__new__(kind)
    tokenizer._ours = ours
    return tokenizer


class TercomTokenizer(BaseTokenizer):
    """`tercom`, TER's."""

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
    ) -> None:
        self._ours = Tercom(normalized, no_punct, asian_support, case_sensitive)


class _Regexp(OfLines):
    signature = "re"

    def tokenize(self, segments: Segments) -> Segments:
        from bleucli.kernels.python import split_punctuation
        from bleucli.tokenizers.libraries import tokenize_distinct

        return tokenize_distinct(segments, lambda texts: map(split_punctuation, texts))


class TokenizerRegexp(BaseTokenizer):
    """Split off ASCII punctuation except within numbers, as `13a` does after it has decoded entities."""

    def __init__(self) -> None:
        self._ours = _Regexp()


class TokenizerSPM(BaseTokenizer):
    """A published model of SentencePiece by its name."""

    _name = "spm"

    def __init__(self, key: str | None = None) -> None:
        self._ours = tokenizers.get(self._name if key is None else key)


# The other classes differ only in the name of bleucli's tokenizer
for _name, _home in HOMES.items():
    _module, _, _kind = _home.partition(".")
    if _kind != "TokenizerSPM":
        _base = TokenizerSPM if _module == "tokenizer_spm" else BaseTokenizer
        _members = {"_name": _name, "__module__": f"{__name__}.{_module}", "__doc__": f"`{_name}`."}
        globals()[_kind] = type(_kind, (_base,), _members)

if not TYPE_CHECKING:
    # Made when a program first asks for it: bleucli's module of SentencePiece takes time to import
    def __getattr__(name: str) -> Any:
        if name != "SPM_MODELS":
            return names.attribute_of(__name__, name)
        from bleucli.tokenizers.libraries import ADDRESSES

        models = {"spm": {"url": ADDRESSES["flores101"], "signature": "flores101"}}
        models |= {name: {"url": address, "signature": name} for name, address in ADDRESSES.items()}
        return globals().setdefault("SPM_MODELS", models)
