"""The SentencePiece tokenizers: spBLEU's (`flores101`, `flores200`, `spBLEU-1K`) and local models (`spm:PATH`).

Segments are split into the pieces of a model. Models with a name are downloaded into the cache; those that sacreBLEU
has downloaded there are used, too.
"""

from __future__ import annotations

import os
from functools import lru_cache

from bleucli.errors import BleuError
from bleucli.optional_deps import load
from bleucli.testsets.fetch import fetch_model, model_path, trust_model
from bleucli.text import Segments
from bleucli.tokenizers.base import OfLines
from bleucli.tokenizers.distinct import tokenize_distinct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


# The addresses that sacreBLEU 2.6.0 uses: Goyal et al. 2022 (FLORES-101), NLLB Team 2022 (FLORES-200), and spBLEU-1K,
# for a thousand languages, many of them African.
ADDRESSES = {
    "flores101": "https://dl.fbaipublicfiles.com/fairseq/models/flores/sacrebleu_tokenizer_spm.model",
    "flores200": "https://tinyurl.com/flores200sacrebleuspm",
    "spBLEU-1K": "https://www.dlnlp.ai/spBLEU-1K/spbleu-1k_tokenizer_spm.model",
}
# Published checksums. The model of flores200 is that of NLLB-200, whose checksum is widely listed; for the others, the
# first download is trusted, and any later file must be the same.
SHA256 = {"flores200": "14bb8dfb35c0ffdea7bc01e56cea38b9e3d5efcdcb9c251d6b40538e1aab555a"}
_NEW_NAMES = {"spm": "flores101"}


class LocalModel(OfLines):
    """`spm:PATH`: the model in a file.

    Attributes:
        signature: `spm-` and the first 8 hexadecimal digits of the file's SHA-256.
    """

    _remedy = "give the path of a .model file"

    def __init__(self, path: str) -> None:
        self._given = os.path.abspath(path)  # absolute for pickles, since workers may run in another folder
        try:
            status = os.stat(path)
        except (OSError, ValueError) as error:
            raise _unreadable(path, error) from None
        # Size and time of the file tell whether the model is already loaded
        self._model, self._digest = _load_model(path, self._remedy, status.st_size, status.st_mtime_ns)
        self.signature = f"spm-{self._digest[:8]}"

    def tokenize(self, segments: Segments) -> Segments:
        """Return the segments with a space between pieces."""
        # One thread, since `jobs` decides how many there are
        return tokenize_distinct(
            segments, lambda texts: map(" ".join, self._model.EncodeAsPieces(texts, num_threads=1))
        )

    def __reduce__(self) -> tuple[object, tuple[type[LocalModel], str, str]]:
        return _load_same, (
            type(self),
            self._given,
            self._digest,
        )  # the other process loads the model: it is too large to be pickled


class PublishedModel(LocalModel):
    """`flores101`, `flores200`, `spBLEU-1K`, or `spm`: a model that is downloaded once and never changes.

    Attributes:
        signature: the name; for an old name, the present one.
    """

    _remedy = "delete it; it will then be downloaded again"

    def __init__(self, name: str) -> None:
        current = _NEW_NAMES.get(name, name)
        load("sentencepiece", "spm")  # fail here rather than after a download
        path = fetch_model(ADDRESSES[current], name=current, sha256=SHA256.get(current, ""))
        super().__init__(path)
        self._given = name
        if current not in SHA256:
            trust_model(path, self._digest, name=current)
        self.signature = current


def path_of(name: str) -> str:
    """Return the path of a `PublishedModel` in the cache."""
    return model_path(ADDRESSES[_NEW_NAMES.get(name, name)])


def _load_same(kind: type[LocalModel], path: str, digest: str) -> LocalModel:
    """Load the model of a pickle."""
    tokenizer = kind(path)
    if tokenizer._digest != digest:
        raise BleuError(f"the SentencePiece model {path} differs from the one in the pickle; restore the old file")
    return tokenizer


@lru_cache(maxsize=2)
def _load_model(path: str, remedy: str, size: int, time: int) -> tuple[Any, str]:
    """Return a model and the SHA-256 of its file; `remedy` says what to do if the file is not a model."""
    from hashlib import sha256

    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise _unreadable(path, error) from None
    model = load("sentencepiece", "spm").SentencePieceProcessor()
    try:
        model.LoadFromSerializedProto(content)
    except RuntimeError:
        raise BleuError(f"{path} is not a SentencePiece model, or is damaged; {remedy}") from None
    return model, sha256(content).hexdigest()


def _unreadable(path: str, error: Exception) -> BleuError:
    why = getattr(error, "strerror", None) or error
    return BleuError(f"cannot read the SentencePiece model {path}: {why}; give the path of a .model file")
