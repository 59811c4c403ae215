"""Words that a language model or a prompt puts around a text: how they are recognized, and how they are removed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import takewhile

from bleucli.inspection.lines import AFFIX, Lines

# --- a language model's own words

# How models begin, in the languages that evaluations translate into
_BEGINNINGS = (
    "(?:sure|certainly|of course|okay|ok|absolutely)\\b",
    "(?:here|below)(?: is|'s|’s| are)?\\b",
    "(?:the |my |your )?(?:\\w+ )?translat(?:ion|ed)\\b",
    "(?:hier ist|hier folgt|natürlich|gerne|sicher|(?:die |deutsche |ins deutsche )*übersetz\\w+)\\b",
    "(?:voici|bien sûr|traduction)\\b",
    "(?:aquí (?:está|tienes)|por supuesto|claro|traducción)\\b",
    "(?:ecco|certo|certamente|traduzione)\\b",
    "(?:aqui está|com certeza|tradução)\\b",
    "(?:zde je|tady je|samozřejmě|jistě|překlad)\\b",
    "(?:oto|oczywiście|tłumaczenie)\\b",
    "(?:вот|конечно|перевод)\\b",
    "(?:ось|звичайно|звісно|переклад)\\b",
    "(?:hier is|natuurlijk|vertaling|här är|översättning)\\b",
    "以下是|这是|当然|好的|翻译|译文|翻譯|譯文|以下は|もちろん|翻訳|訳文|はい、",
    "다음은|물론|번역|นี่คือ|แน่นอน|คำแปล",
)
_OPENINGS = re.compile(rf"[\s\"'“„«*_`#>]*(?:{'|'.join(_BEGINNINGS)})[^:：\n]{{0,80}}[:：]\s*[\"*`]*\s*", re.IGNORECASE)
# Openings that also begin ordinary sentences are one only where the word for a translation follows
_TRANSLATION = (
    *("transl", "übersetz", "tradu", "traduz", "překlad", "tłumacz", "перев", "перекл", "vertal", "översätt"),
    *("翻", "译", "譯", "訳", "번역", "แปล"),
)


def _is_about_translation(text: str) -> bool:
    return any(stem in text for stem in _TRANSLATION)


def _opening(text: str) -> str:
    match = _OPENINGS.match(text)
    return match[0] if match and _is_about_translation(match[0].lower()) else ""


def find_preambles(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines in which a model introduces its translation, and the other line does not speak of one."""
    if not _is_about_translation(lines.lower):
        return ()
    return [
        index
        for index, text in enumerate(lines.texts)
        if _opening(text) and not _is_about_translation(others.texts[index][:80].lower())
    ]


def strip_preamble(text: str) -> str:
    """Return what follows a model's introduction; the line itself if nothing does."""
    rest = text[len(_opening(text)) :]
    return rest.strip().strip('"*`“”') or text


# --- words that repeat at the start or the end of lines

# The fewest lines that share them, and how many times as many they must be as those that share words on the other side
_SHARING = 8
_MORE_FREQUENT = 2
# The words stand for others if this share of their counterparts has a word that is this many times as rare elsewhere
_OF_PHRASE = 0.3
_RARER = 3


def _is_phrase(others: Lines, indexes: Sequence[int], at_end: bool) -> bool:
    """Return whether some lines share words, anywhere or at their start or end, that are rare in the others."""
    least = max(2, _OF_PHRASE * len(indexes))

    def frequent(words: Sequence[Sequence[str]], fewest: float) -> int:
        here = Counter(word for n in indexes for word in words[n])
        all_lines = Counter(word for line in words for word in line if word in here)
        scale = _RARER * len(indexes) / (len(words) - len(indexes))
        return sum(n for word, n in here.items() if n >= fewest and n > scale * (all_lines[word] - n))

    words = [[*{*text.split()}] for text in others.texts]
    outer = [text.split()[-1:] if at_end else text.split(None, 1)[:1] for text in others.texts]
    return frequent(words, least) > 0 or frequent(outer, 2) >= least


def _shared_affixes(lines: Lines, others: Lines, at_end: bool) -> tuple[list[str], set[str]]:
    """Return for each line its first words, or its last ones, and which of these many lines of only this text share.

    Texts such as Bibles begin many lines alike; the other text tells how many are natural.
    Where the counterparts of most of these lines share words, too, both are a phrase of the text.
    """
    affixes, theirs = (side.last_words if at_end else side.first_words for side in (lines, others))
    counts, their_counts = Counter(affixes), Counter(theirs)
    del counts[""], their_counts[""]
    least = max(_SHARING, len(lines) / 100, _MORE_FREQUENT * max(their_counts.values(), default=0))
    groups: dict[str, list[int]] = {
        affix: [] for affix, count in counts.items() if count >= least and count > 8 * their_counts[affix]
    }
    if not groups:
        return affixes, set()
    for index, affix in enumerate(affixes):
        if affix in groups:
            groups[affix].append(index)
    lengths, their_lengths = ([len(text.split()) for text in side.texts] for side in (lines, others))
    rest = [index for index, affix in enumerate(affixes) if affix not in groups]
    ratio = sum(lengths[n] for n in rest) / max(1, sum(their_lengths[n] for n in rest)) if rest else 1.0

    def is_added(indexes: Sequence[int]) -> bool:
        phrases = Counter(theirs[n] for n in indexes if theirs[n])
        if 2 * max(phrases.values(), default=0) >= len(indexes):
            return False
        if 2 * len(indexes) > len(lines):
            return True
        if _is_phrase(others, indexes, at_end):
            return False
        # Words that were added make lines longer than those that only say something else
        excess = sum(lengths[n] - ratio * their_lengths[n] for n in indexes)
        return 2 * excess >= AFFIX * len(indexes)

    return affixes, {affix for affix, indexes in groups.items() if is_added(indexes)}


def find_affix(at_end: bool) -> Callable[[Lines, Lines], Sequence[int]]:
    """Return a function that finds lines that start, or end, with words that many lines of only this text share."""

    def find(lines: Lines, others: Lines) -> Sequence[int]:
        affixes, many = _shared_affixes(lines, others, at_end)
        return [index for index, affix in enumerate(affixes) if affix in many] if many else ()

    return find


def strip_affix(at_end: bool) -> Callable[[Lines, Lines], Callable[[str], str]]:
    """Return a function that returns how to remove such words: as many as all lines with the first three share."""

    def shared_words(texts: Sequence[str]) -> list[str]:
        lists = [text.split()[:: -1 if at_end else 1] for text in texts]
        # What the first and the last one in alphabetical order share, all share; a word is left of the shortest line
        pairs = zip(min(lists), max(lists), [None] * (min(map(len, lists)) - 1), strict=False)
        return [one for one, _, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)]

    def choose(lines: Lines, others: Lines) -> Callable[[str], str]:
        affixes, many = _shared_affixes(lines, others, at_end)
        lengths: dict[str, int] = {}
        for affix in many:
            indexes = [index for index, one in enumerate(affixes) if one == affix]
            ours, theirs = (shared_words([side.texts[index] for index in indexes]) for side in (lines, others))
            # Words that the other lines share as well belong to the text
            common = next(size for size in range(len(theirs), -1, -1) if ours[len(ours) - size :] == theirs[:size])
            length = max(AFFIX, len(ours) - common)
            lengths.update({lines.texts[index]: length for index in indexes})

        def strip(text: str) -> str:
            length = lengths.get(text, 0)
            return text.rsplit(None, length)[0] if at_end else text.split(None, length)[-1]

        return strip

    return choose
