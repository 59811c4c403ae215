"""Codes of languages, as ISO 639 has them: `de`, `deu`, perhaps with a script and a region: `zh_Hant`, `zh-TW`.

- `find`: the language that a code names
- `find_target`: the target language of a pair
- `is_unspaced`, `refuse_unspaced`: recognize and refuse languages without spaces and without a tokenizer
- `LanguageError`: there is no such language
"""

from __future__ import annotations

import os
import re
from functools import lru_cache

from bleucli import language_pairs
from bleucli.errors import UsageError
from bleucli.tokenizers import two_letters

# Codes of small languages that nearly always stand for a larger one, whose tokenizer would be missed
_CONFUSED = {
    "kr": ("Kanuri", "ko"),
    "chs": ("Chumash", "zh"),
    "cht": ("Chol\u00f3n", "zh"),
    "jap": ("Jaru\u00e1ra", "ja"),
}
# Codes of countries that are not codes of languages: what is meant
_MEANT = {
    "cn": "zh",
    "hk": "zh",
    "jp": "ja",
    "cz": "cs",
    "dk": "da",
    "gr": "el",
    "ua": "uk",
    "us": "en",
    "vn": "vi",
}
# The most characters of a wrong code in an error
_SHOWN_CHARACTERS = 40
_FORM = re.compile("[a-z]{2,3}")
# qaa to qtz are for private use (ISO 639-2)
_PRIVATE = re.compile("q[a-t][a-z]")
# Languages that are written without spaces between words, and have no tokenizer here
_UNSPACED = {
    **dict.fromkeys(("th", "tha"), "Thai"),
    **dict.fromkeys(("km", "khm"), "Khmer"),
    **dict.fromkeys(("lo", "lao"), "Lao"),
    **dict.fromkeys(("my", "mya", "bur"), "Burmese"),
    **dict.fromkeys(("bo", "bod", "tib"), "Tibetan"),
}


class LanguageError(UsageError):
    """A code does not name a language, or hardly ever names the one that is meant.

    why: what is wrong with the code. meant: the code that is probably meant, "" if unknown.
    """

    def __init__(self, why: str, meant: str) -> None:
        super().__init__(f"{why}; {f'did you mean {meant}?' if meant else 'give one such as de or deu'}")
        self.why = why
        self.meant = meant

    def __reduce__(self) -> tuple[type[LanguageError], tuple[str, str]]:
        return type(self), (self.why, self.meant)


@lru_cache(maxsize=64)
def find(code: str) -> str:
    """Return the language that a code names: in lower case, without script and region.

    If it has its own tokenizer, the code has two letters.

    Raises:
        LanguageError: there is no such language.

    >>> find("ZH_Hant"), find("jpn"), find("pt-BR"), find("ces")
    ('zh', 'ja', 'pt', 'ces')
    >>> find("jp")
    Traceback (most recent call last):
    ...
    bleucli.tokenizers.languages.LanguageError: jp is not a language code of ISO 639; did you mean ja?
    """
    language = two_letters(code.partition("-")[0])
    if language in _CONFUSED:
        namesake, suggestion = _CONFUSED[language]
        raise LanguageError(f"{language} stands for {namesake}, which has no tokenizer of its own", suggestion)
    if _is_code(language):
        return language
    start = language[:2] if len(language) == 3 else ""  # Windows and others write zht, ptb and the like
    suggestion = _MEANT.get(language) or _MEANT.get(start) or (start if _is_code(start) else "")
    name = language if _FORM.fullmatch(language) else repr(code[:_SHOWN_CHARACTERS])
    raise LanguageError(f"{name} is not a language code of ISO 639", suggestion)


def find_target(pair: str) -> str | None:
    """Return the code of the target language of a pair; None if this is not the name of a pair.

    >>> find_target("en-de"), find_target("en-zh-CN"), find_target("pt-BR-de"), find_target("de")
    ('de', 'zh_CN', 'de', 'de')
    >>> find_target("en-zh (news)")
    """
    languages = language_pairs.split(pair)
    return languages and languages[1]


def is_unspaced(language: str) -> bool:
    """Return whether a language has no spaces between words, and no tokenizer of its own.

    >>> is_unspaced("tha"), is_unspaced("zh")
    (True, False)
    """
    return language in _UNSPACED


def refuse_unspaced(language: str, option: str) -> None:
    """Refuse a language in which the usual tokenizer would take whole sentences for words.

    language: as `find` returns it. option: how to choose another tokenizer: an option, or a parameter.
    """
    if language in _UNSPACED:
        raise UsageError(
            f"{_UNSPACED[language]} has no spaces between words, so the usual tokenizer, 13a, would take sentences for"
            f" words; choose flores200 or char ({option}), or score chrF"
        )


def _is_code(language: str) -> bool:
    """Return whether a code in lower case is in the table, or for private use."""
    if not _FORM.fullmatch(language):
        return False
    with open(os.path.join(os.path.dirname(__file__), "languages.txt"), encoding="ascii") as file:
        line = re.search(rf"^{language[:-1]} (.*)$", file.read(), re.MULTILINE)
    return _PRIVATE.fullmatch(language) is not None or (line is not None and language[-1] in line[1])
