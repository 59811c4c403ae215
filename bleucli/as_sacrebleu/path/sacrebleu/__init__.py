"""bleucli under the name of sacreBLEU, for programs that import sacreBLEU.

Scores are those of sacreBLEU 2.6.0; signatures say `version:bleucli-...`, since bleucli made them. Hints go to the
logger `sacrebleu`, each once. Like sacreBLEU, this package cuts references of the wrong shape, but it says so; with
`BLEU_STRICT=1`, it raises an error instead.
"""

from __future__ import annotations

try:
    import bleucli._version
except ModuleNotFoundError:
    raise ImportError(
        f"this sacrebleu ({__file__}) belongs to bleucli, which is not installed for this Python; install bleucli, or"
        " remove the folder from PYTHONPATH"
    ) from None

from sacrebleu import names
from sacrebleu.compat import (
    corpus_bleu,
    corpus_chrf,
    corpus_ter,
    raw_corpus_bleu,
    sentence_bleu,
    sentence_chrf,
    sentence_ter,
)
from sacrebleu.dataset import DATASETS
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.metrics.helpers import extract_char_ngrams, extract_word_ngrams
from sacrebleu.utils import (
    SACREBLEU_DIR,
    download_test_set,
    get_available_testsets,
    get_langpairs_for_testset,
    get_reference_files,
    get_source_file,
    smart_open,
)
from sacrebleu.version import __version__

names.add_to(__name__)
__all__ = [
    "BLEU",
    "CHRF",
    "DATASETS",
    "SACREBLEU_DIR",
    "TER",
    "__version__",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "download_test_set",
    "extract_char_ngrams",
    "extract_word_ngrams",
    "get_available_testsets",
    "get_langpairs_for_testset",
    "get_reference_files",
    "get_source_file",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
    "smart_open",
]
