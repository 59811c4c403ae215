"""Which script and which language lines are in, and which were not translated.

- `find_scripts`: lines in another script than those of another text
- `Languages`: finds lines in another language, with py3langid, which the extra `check` installs
- `find_untranslated`: lines that are copies of the source
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from bleucli.inspection.lines import FEW, FEWEST, Lines
from bleucli.optional_deps import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Lines with fewer letters are too short to tell
_FEWEST_LETTERS = 8
# The share of the letters that must be in the script
_MOST = 0.8
# Japanese mixes several, and Chinese has one of them; full-width Latin letters have a name of their own
_SAME = {"HIRAGANA": "CJK", "KATAKANA": "CJK", "KATAKANA-HIRAGANA": "CJK", "BOPOMOFO": "CJK", "FULLWIDTH": "LATIN"}
# Lines with fewer bytes are too short to guess
_FEWEST_BYTES = 40
# The number of lines of the reference from which its language is guessed
_SAMPLE = 60
# The share of words that are frequent in the reference, below which a line may be in another language: in German 0.4 of
# all words are, and in English 0.05 of them are frequent in German
_STRANGE = 0.2
# A copy of the source is a mistake from this many words on, or bytes in scripts without spaces
_SENTENCE_WORDS, _SENTENCE_BYTES = 4, 40
# but not if the reference has this share of its words: languages may be closely related, and texts full of names
_COGNATE = 0.4
# Languages that py3langid often takes for one another
_ALIKE = [
    {"zh", "wuu", "yue", "lzh", "ja"},
    {"no", "nb", "nn", "da", "sv"},
    {"hr", "bs", "sr", "sh", "sl", "mk"},
    {"id", "ms", "jv", "su", "min"},
    {"cs", "sk"},
    {"uk", "ru", "be", "bg", "mk", "rue"},
    {"es", "gl", "pt", "ca", "ast", "an", "oc"},
    {"de", "lb", "nds", "bar", "gsw", "nl", "af"},
    {"hi", "mr", "ne", "bho", "mai"},
    {"fa", "ar", "ur", "arz", "azb", "ckb"},
    {"tr", "az", "tk", "crh"},
    {"fi", "et"},
    {"it", "co", "la", "scn"},
    {"fr", "wa", "br"},
]


@lru_cache(1 << 14)
def _script(letter: str) -> str:
    """Return the script of a letter, which begins its name in Unicode."""
    name = unicodedata.name(letter, "").partition(" ")[0]
    return _SAME.get(name, name)


def script_of(text: str) -> str:
    """Return the script of nearly all letters of a text; "" if there are few, or several scripts.

    >>> script_of("Вони живуть у Києві"), script_of("Sie wohnen in Kiew"), script_of("42")
    ('CYRILLIC', 'LATIN', '')
    """
    letters = [letter for letter in text if letter.isalpha()]
    if len(letters) < _FEWEST_LETTERS:
        return ""
    ((script, count),) = Counter(map(_script, letters)).most_common(1)
    return script if count >= _MOST * len(letters) else ""


def find_scripts(lines: Lines, others: Lines, suspects: Sequence[int]) -> list[int]:
    """Return those of some lines that are in another script than the lines of another text."""
    scripts = ((n, script_of(lines.texts[n]), script_of(others.texts[n])) for n in suspects)
    return [n for n, ours, theirs in scripts if ours and theirs and ours != theirs]


class Languages:
    """Finds lines in another language than that of a text, the target, which is guessed once."""

    target = ""
    _module: Any = None

    def find(self, lines: Lines, others: Lines, suspects: Sequence[int]) -> dict[str, list[int]]:
        """Return those of some lines that are in another language than the lines of another text, by language.

        Raises:
            BleuError: py3langid is not installed.
        """
        frequent = others.frequent_words
        strange = [n for n in suspects if not frequent or _is_strange(lines.texts[n], frequent)]
        if len(strange) < max(FEWEST, FEW * len(lines)):
            return {}
        self._module = self._module or load("py3langid", "check")
        self.target = self.target or self._guess_all(others.texts)
        by_language: dict[str, list[int]] = {}
        for n in strange if self.target else ():
            language = self._guess(lines.texts[n])
            if language and not are_alike(language, self.target):
                by_language.setdefault(language, [])
                # Where the reference, too, seems to be in another language, names and numbers mislead
                if are_alike(self._guess(others.texts[n]) or self.target, self.target):
                    by_language[language].append(n)
        return by_language

    def _guess(self, text: str) -> str:
        """Return the code of the language of a text, such as `de`; "" if it is too short to tell."""
        return "" if len(text.encode()) < _FEWEST_BYTES else str(self._module.classify(text)[0])

    def _guess_all(self, texts: Sequence[str]) -> str:
        """Return the language of most lines; "" if no language is that of most."""
        guesses = Counter(filter(None, map(self._guess, texts[:: max(1, len(texts) // _SAMPLE)])))
        language, count = next(iter(guesses.most_common(1)), ("", 0))
        return language if 2 * count > guesses.total() else ""


def _is_strange(text: str, frequent: set[str]) -> bool:
    """Return whether few of a line's words are frequent in its language."""
    words = text.lower().split()
    return len(words) >= FEWEST and sum(word in frequent for word in words) < _STRANGE * len(words)


def are_alike(one: str, other: str) -> bool:
    """Return whether two languages are the same, or so similar that short texts do not tell them apart.

    >>> are_alike("de", "de"), are_alike("cs", "sk"), are_alike("de", "en")
    (True, True, False)
    """
    return one == other or any({one, other} <= group for group in _ALIKE)


def find_untranslated(lines: Lines, sources: Lines, references: Sequence[Lines]) -> list[int]:
    """Return the lines that are sentences of the source, which no reference repeats, and the first has other words."""
    return [
        n
        for n, text in enumerate(sources.texts)
        if lines.texts[n].strip() == text.strip()
        and is_sentence(text)
        and not _is_cognate(text, references[0].texts[n])
        and not any(text.strip() == one.texts[n].strip() for one in references)
    ]


def is_sentence(text: str) -> bool:
    """Return whether a text is more than names, numbers or an address, which translations copy.

    >>> is_sentence("Kannada"), is_sentence("I went home again."), is_sentence("今天天气很好，我们去公园散步吧。")
    (False, True, True)
    """
    return len(text.split()) >= _SENTENCE_WORDS or (not text.isascii() and len(text.encode()) >= _SENTENCE_BYTES)


def _is_cognate(text: str, reference: str) -> bool:
    """Return whether a text has enough words of a reference to be a translation as well.

    >>> _is_cognate("Comando de teclado", "Comando do teclado"), _is_cognate("I went home again.", "Ich ging heim.")
    (True, False)
    """
    ours, theirs = ({*re.findall(r"\w+", line.casefold())} for line in (text, reference))
    return len(ours & theirs) >= _COGNATE * len(ours)
