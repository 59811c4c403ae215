"""BLEU for papers: sacreBLEU's numbers and signatures, many times faster.

>>> import bleucli
>>> hypotheses = ["The dog bit the man.", "It wasn't surprising."]
>>> references = [["The dog bit the man.", "It was not unexpected."]]
>>> round(bleucli.corpus_bleu(hypotheses, references).score, 2)
63.98

Names are resolved when they are first used, so that importing the package costs next to nothing.
"""

from bleucli._version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.errors import BleuError, InputTypeError
    from bleucli.metrics.bleu import BLEU, BLEUScore, corpus_bleu, raw_corpus_bleu, sentence_bleu
    from bleucli.signature import Signature

_HOMES = {
    "BLEU": "bleucli.metrics.bleu",
    "BLEUScore": "bleucli.metrics.bleu",
    "BleuError": "bleucli.errors",
    "InputTypeError": "bleucli.errors",
    "Signature": "bleucli.signature",
    "corpus_bleu": "bleucli.metrics.bleu",
    "raw_corpus_bleu": "bleucli.metrics.bleu",
    "sentence_bleu": "bleucli.metrics.bleu",
}

__all__ = [
    "BLEU",
    "BLEUScore",
    "BleuError",
    "InputTypeError",
    "Signature",
    "__version__",
    "corpus_bleu",
    "raw_corpus_bleu",
    "sentence_bleu",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    if name == "metrics":
        return import_module("bleucli.metrics")
    raise AttributeError(f"module 'bleucli' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
