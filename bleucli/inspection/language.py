"""Which script and which language lines are in.

- `script_of`: the script of most letters of a text
- `Languages`: guesses languages with py3langid, which the extra `check` installs
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from bleucli.optional_deps import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

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


class Languages:
    """Guesses the languages of lines.

    Raises:
        BleuError: py3langid is not installed.
    """

    def __init__(self) -> None:
        self._module: ModuleType = load("py3langid", "check")

    def guess(self, text: str) -> str:
        """Return the code of the language of a text, such as `de`; "" if it is too short to tell."""
        if len(text.encode()) < _FEWEST_BYTES:
            return ""
        return str(self._module.classify(text)[0])

    def guess_all(self, texts: Sequence[str]) -> str:
        """Return the language of most lines; "" if no language is that of most."""
        guesses = Counter(filter(None, map(self.guess, texts[:: max(1, len(texts) // _SAMPLE)])))
        if not guesses:
            return ""
        ((language, count),) = guesses.most_common(1)
        return language if 2 * count > guesses.total() else ""


def are_alike(one: str, other: str) -> bool:
    """Return whether two languages are the same, or so similar that short texts do not tell them apart.

    >>> are_alike("de", "de"), are_alike("cs", "sk"), are_alike("de", "en")
    (True, True, False)
    """
    return one == other or any({one, other} <= group for group in _ALIKE)
