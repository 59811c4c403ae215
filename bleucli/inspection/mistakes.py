"""Mistakes in the lines of a text that another text in the same language does not have.

- `Lines`: some lines of a text
- `Mistake`: a kind of mistake: how its lines are recognized, what it is called, and what to do
- `MISTAKES`: all kinds that show in single lines or in a few thousand of them

A line is compared with the line of the other text, which may be right: what both sides have is not a mistake. So a
system is compared with the first reference, and a reference with the first system.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from html import unescape
from itertools import accumulate, takewhile

from bleucli.optional_deps import load
from bleucli.records import NamedTuple
from bleucli.text import typography


class Lines:
    """Some lines of a text.

    Args:
        texts: the lines.
        start: the index of the first one in the whole text.
    """

    def __init__(self, texts: Sequence[str], start: int = 0) -> None:
        self.texts = texts
        self.start = start
        self._having: dict[tuple[str, ...], list[int]] = {}
        self._where: dict[Callable[[str], bool], list[int]] = {}

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def whole(self) -> str:
        """All lines as one string, to look for something that few texts have."""
        return "\n".join(self.texts)

    @cached_property
    def lower(self) -> str:
        """All lines as one string in lower case."""
        return self.whole.lower()

    @cached_property
    def is_spaced(self) -> bool:
        """Whether the script puts spaces between words, or no such script is among the first characters."""
        return re.search(_UNSPACED, self.whole[:_SAMPLE]) is None

    @cached_property
    def frequent_words(self) -> set[str]:
        """The most frequent words, in lower case; none in a script without spaces."""
        counts = Counter(self.lower.split()) if self.is_spaced else Counter[str]()
        return {word for word, _ in counts.most_common(_FREQUENT)}

    @cached_property
    def _starts(self) -> list[int]:
        """Where each line starts in `whole`, and where the next one would."""
        return [0, *accumulate(len(text) + 1 for text in self.texts)]

    def having(self, *parts: str) -> list[int]:
        """Return the indexes of the lines that contain any of some strings."""
        if parts not in self._having:
            whole, starts = self.whole, self._starts
            indexes = set()
            for part in parts:
                place = whole.find(part)
                while place >= 0:
                    index = bisect_right(starts, place) - 1
                    indexes.add(index)
                    place = whole.find(part, starts[index + 1])
            self._having[parts] = sorted(indexes)
        return self._having[parts]

    def where(self, trait: Callable[[str], bool]) -> list[int]:
        """Return the indexes of the lines of which something is true."""
        if trait not in self._where:
            self._where[trait] = [index for index, text in enumerate(self.texts) if trait(text)]
        return self._where[trait]

    @cached_property
    def first_words(self) -> list[str]:
        """The first words of each line; "" for a line without others."""
        words = [text.split(None, _AFFIX) for text in self.texts]
        return ["" if len(one) <= _AFFIX else " ".join(one[:_AFFIX]) for one in words]

    @cached_property
    def last_words(self) -> list[str]:
        """The last words of each line; "" for a line without others."""
        words = [text.rsplit(None, _AFFIX) for text in self.texts]
        return ["" if len(one) <= _AFFIX else " ".join(one[1:]) for one in words]

    def is_tag(self, tag: str) -> bool:
        """Return whether what looks like a tag is one: it has attributes, is closed, or need not be in HTML."""
        name = tag.strip("</>").split()[0].lower()
        return "=" in tag or "/" in tag or name in _UNCLOSED or f"</{name}" in self.lower


# The number of characters that tell which script a text has
_SAMPLE = 20_000
# The number of words that make up a large part of any text in a language
_FREQUENT = 100


class Mistake(NamedTuple):
    """A kind of mistake.

    Attributes:
        kind: its name, one word.
        title: what the lines have, as a noun.
        remedy: what to do, in one sentence.
        find: returns the indexes of the lines of a text that have it, while those of another text do not.
        repair: returns the line without the mistake; None if no program can do that.
        on_both_sides: whether the remedy is applied to the other texts as well.
        share: the share of lines from which on it is a mistake; fewer are a peculiarity of some texts.
        is_proven: whether only a higher score after the remedy shows that it is a mistake.
        is_convention: whether both sides may be right, so that it is never an error, nor worth a word if it costs
            nothing.
        is_in_sources: whether it may be part of a text that is translated, and is then not a mistake.
        is_trait: tells whether a line has it by itself, if good texts have such lines: only a text with far more of
            them than the other one has a mistake.
        sign: a pattern that shows where in a line it is, if `repair` does not.
        choose_repair: returns `repair` for the lines of a text and those of another one, if it depends on them.
    """

    kind: str
    title: str
    remedy: str
    find: Callable[[Lines, Lines], Sequence[int]]
    repair: Callable[[str], str] | None = None
    on_both_sides: bool = False
    share: float = 0.0
    is_proven: bool = False
    is_convention: bool = False
    is_in_sources: bool = False
    is_trait: Callable[[str], bool] | None = None
    sign: str = ""
    choose_repair: Callable[[Lines, Lines], Callable[[str], str]] | None = None

    def place(self, text: str) -> int:
        """Return where the mistake is in a line that has it; 0 if it is not in one place."""
        if self.sign:
            match = re.search(self.sign, text)
            return match.start() if match else 0
        repaired = text if self.repair is None else self.repair(text)
        return next((n for n, (one, other) in enumerate(zip(text, repaired, strict=False)) if one != other), 0)


def cut(text: str, place: int, size: int) -> str:
    """Return the part of a text around a place: at most `size` characters, two fifths of which precede the place.

    >>> cut("b" * 200 + "!", 200, 10), cut("b!" + "b" * 200, 1, 10), cut("b!", 1, 10)
    ('…bbbbbbbb!', 'b!bbbbbbb…', 'b!')
    """
    start = min(max(0, place - 2 * size // 5), max(0, len(text) - size))
    part = text[start : start + size]
    if start:
        part = f"…{part[1:]}"
    return part if start + size >= len(text) else f"{part[:-1]}…"


def _sign(pattern: str, *parts: str) -> Callable[[Lines, Lines], Sequence[int]]:
    """Return a function that finds the lines in which a pattern matches, unless it matches in the other line, too.

    parts: strings, one of which is in every match: lines without any of them are not searched.
    """
    search = re.compile(pattern, re.MULTILINE).search

    def find(lines: Lines, others: Lines) -> Sequence[int]:
        texts, rest = lines.texts, others.texts
        # Where the other line is empty, it does not tell what belongs there
        return [n for n in lines.having(*parts) if search(texts[n]) and not search(rest[n]) and rest[n]]

    return find


# --- traces of files and programs

_ENTITY = r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,6}|#[xX][\da-fA-F]{1,5});"
# Names that are also comparisons, or smileys, are not tags: a tag is closed, and begins with a letter
_TAG = r"</?[A-Za-z][\w:-]*(?:\s+[\w:-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*\s*/?>"
# Codes of languages, as models put them before or after a text; in a text, they belong to something else
_CODE = (
    r"(?:[a-z]{2}_[A-Z]{2}|[a-z]{3}_(?:Arab|Armn|Beng|Cyrl|Deva|Ethi|Geor|Grek|Gujr|Guru|Hang|Hans|Hant|Hebr|Jpan|Khmr"
    r"|Knda|Laoo|Latn|Mlym|Mymr|Olck|Orya|Sinh|Taml|Telu|Tfng|Thai|Tibt))"
)
_SPECIAL = (
    r"</?s>|<(?:pad|unk|eos|bos|mask|sep|cls|extra_id_\d+|start_of_turn|end_of_turn|2[a-z]{2})>|\[(?:PAD|UNK|SEP|CLS|MASK"
    r"|INST|/INST)\]|<\|[\w ]+\|>|<｜[^<>｜]+｜>|\b__[a-z]{2,3}__(?=\s|$)|⁇|^pad (?=\S)"
    rf"|^{_CODE}(?=\s)|(?<=\s){_CODE}$"
)
_INVISIBLE_MARKS = [
    chr(code)
    for codes in (range(9), (0xB, 0xC), range(0xE, 0x20), (0x7F, 0xAD, 0x200B, 0xFEFF), range(0x202A, 0x202F))
    for code in codes
] + [chr(code) for code in (*range(0x2060, 0x2065), *range(0x2066, 0x206A))]
_INVISIBLE = f"[{''.join(_INVISIBLE_MARKS)}]"
_SUBWORD = r"@@(?= |$)|▁|(?<=\s)##(?=[^\W\d_])|[ĠĊ](?=\w)|(?<=\w)</w>"
_MARKDOWN = r"\*\*[^*\s](?:[^*]*[^*\s])?\*\*|^#{1,6} \S|^```|(?<!\w)`[^`\s]+`(?!\w)|\[[^\]]+\]\(https?:"
_LOST = re.compile(r"\?(?<=[^\W\d_]\?)[^\W\d_]|\?{3,}")


def _find_tags(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines with tags; `<file>`, which is not closed, is part of the text, or a translation of such a part."""
    texts, rest = lines.texts, others.texts
    return [
        n for n in _TAGS(lines, others) if "<" not in rest[n] and any(map(lines.is_tag, re.findall(_TAG, texts[n])))
    ]


_TAGS = _sign(_TAG, "<")
# Tags that HTML does not close
_UNCLOSED = {"br", "hr", "img", "input", "li", "link", "meta", "option", "p", "td", "th", "tr", "wbr"}


def _strip_markdown(text: str) -> str:
    text = re.sub(r"\*\*([^*]+)\*\*", r"\1", text)
    text = re.sub(r"^#{1,6} |^```\w*|```$", "", text)
    return re.sub(r"`([^`]+)`", r"\1", text)


def _join_subwords(text: str) -> str:
    if "▁" in text:
        return text.replace(" ", "").replace("▁", " ").strip()
    if "Ġ" in text:
        return text.replace(" ", "").replace("Ġ", " ").strip()
    return re.sub(r"@@ |@@$|\s##(?=[^\W\d_])|(?<=\w)</w>", "", text)


def _find_lost(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines with question marks between letters, or several in a row, which the other line does not have."""
    texts, rest = lines.texts, others.texts
    return [n for n in lines.having("?") if rest[n] and _has_lost(texts[n]) and not _has_lost(rest[n])]


def _has_lost(text: str) -> bool:
    # A capital letter begins the next sentence
    return any(match[0][-1] == "?" or match[0][-1].islower() for match in _LOST.finditer(text))


def _find_quoting(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines that begin and end with quotation marks, with each quotation mark inside doubled, as in CSV."""
    if '"' not in lines.whole:
        return ()
    certain, possible = [], []
    for index, text in enumerate(lines.texts):
        line = text.strip()
        if len(line) > 2 and line[0] == line[-1] == '"' and '"' not in line[1:-1].replace('""', ""):
            other = others.texts[index].strip()
            if '""' in line[1:-1] and '""' not in other:
                certain.append(index)
            elif _is_open(other):
                possible.append(index)
    # Quotation marks around a line may be a matter of translation, doubled ones are not
    return sorted([*certain, *possible]) if certain and len(possible) > max(_QUOTED * len(lines), 1) else certain


_QUOTED = 0.05
_QUOTES = {*"\"'“”„«»‘’‚‹›「」『』《》〝〟", "''", "``"}
_PAIRS = {*('""', "''", "“”", "„“", "„”", "””", "«»", "»«", "‘’", "‚‘", "‹›", "「」", "『』", "``")}


def _is_open(text: str) -> bool:
    """Return whether a line neither begins nor ends with a quotation mark."""
    return text[:1] not in _QUOTES and text[-1:] not in _QUOTES


def _is_enclosed(text: str) -> bool:
    """Return whether quotation marks are around a line, and not around two parts of it."""
    line = text.strip()
    return len(line) > 2 and line[0] + line[-1] in _PAIRS and not {line[0], line[-1]}.intersection(line[1:-1])


def _find_enclosed(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines in quotation marks whose counterparts are not, where there are many."""
    rest = others.texts
    indexes = [n for n in lines.where(_is_enclosed) if rest[n] and _is_open(rest[n].strip())]
    return indexes if len(indexes) > max(_QUOTED * len(lines), 1) else ()


def _unquote(text: str) -> str:
    line = text.strip()
    return line[1:-1].replace('""', '"') if len(line) > 2 and line[0] == line[-1] == '"' else text


_NUMBER = re.compile(r"\s*[\[(#]?(\d+)(?:\t| ?[|.:)\]]+ | \|\|\| )\s*(?=\S)|\s*(\d+)\s+(?=\S)")


def _find_numbers(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines that begin with their own number, counted from 0 or 1, which the other line does not begin with."""
    by_offset: dict[int, list[int]] = {}
    for index, text in enumerate(lines.texts):
        if text[:1].isdigit() or text[:1] in " [(#":
            match = _NUMBER.match(text)
            if match and not others.texts[index].lstrip().startswith(number := match[1] or match[2]):
                by_offset.setdefault(int(number) - index - lines.start, []).append(index)
    # Any number may stand at the start of a line by chance, but not the line's own
    return max((by_offset.get(offset, []) for offset in (0, 1)), key=len)


def _strip_number(text: str) -> str:
    match = _NUMBER.match(text)
    return text[match.end() :] if match else text


def _find_escapes(lines: Lines, others: Lines) -> Sequence[int]:
    return _ESCAPES(lines, others)


# A backslash between quotation marks is one that the text speaks of
_ESCAPES = _sign(r"\\[nrt](?![\w\\])|(?<![\"'`])\\\"(?![\w\\])|\\n|\\u[\da-f]{4}", "\\")


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


def _find_preambles(lines: Lines, others: Lines) -> Sequence[int]:
    if not _is_about_translation(lines.lower):
        return ()
    return [
        index
        for index, text in enumerate(lines.texts)
        if _opening(text) and not _is_about_translation(others.texts[index][:80].lower())
    ]


def _strip_preamble(text: str) -> str:
    rest = text[len(_opening(text)) :]
    return rest.strip().strip('"*`“”') or text


# --- words that repeat at the start or the end of lines

# The fewest lines that share them; how many times as many they must be as the lines that share words on the other side;
# and the words that are compared
_SHARING = 8
_MORE_FREQUENT = 2
# The words stand for others if this share of their counterparts has a word that is this many times as rare elsewhere
_OF_PHRASE = 0.3
_RARER = 3
_AFFIX = 3


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
        return 2 * excess >= _AFFIX * len(indexes)

    return affixes, {affix for affix, indexes in groups.items() if is_added(indexes)}


def _find_affix(at_end: bool) -> Callable[[Lines, Lines], Sequence[int]]:
    """Return a function that finds lines that start, or end, with words that many lines of only this text share."""

    def find(lines: Lines, others: Lines) -> Sequence[int]:
        affixes, many = _shared_affixes(lines, others, at_end)
        return [index for index, affix in enumerate(affixes) if affix in many] if many else ()

    return find


def _strip_affix(at_end: bool) -> Callable[[Lines, Lines], Callable[[str], str]]:
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
            length = max(_AFFIX, len(ours) - common)
            lengths.update({lines.texts[index]: length for index in indexes})

        def strip(text: str) -> str:
            length = lengths.get(text, 0)
            return text.rsplit(None, length)[0] if at_end else text.split(None, length)[-1]

        return strip

    return choose


# --- encodings

# What bytes of UTF-8 become in Latin-1 and Windows-1252: the first byte of a character, and the second one
_MOJIBAKE = re.compile(
    "[\u00c2-\u00f4\u0102\u010e\u0110\u0139\u0413-\u0421][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192"
    "\u02c6\u02dc\u2013\u2014\u2018-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]"
)


def _find_mojibake(lines: Lines, others: Lines) -> Sequence[int]:
    if not _MOJIBAKE.search(lines.whole):
        return ()
    indexes = [index for index, text in enumerate(lines.texts) if _MOJIBAKE.search(text)]
    return [
        index for index in indexes if not _MOJIBAKE.search(others.texts[index]) and _is_mojibake(lines.texts[index])
    ]


def _is_mojibake(text: str) -> bool:
    return bool(load("ftfy.badness", "check").is_bad(text)) and _decode_again(text) != text


def _decode_again(text: str) -> str:
    return str(load("ftfy", "check").fix_encoding(text))


def _find_form(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines with characters that NFC would compose, where the other line has none."""
    if lines.whole.isascii() or unicodedata.is_normalized("NFC", lines.whole):
        return ()
    texts, rest = lines.texts, others.texts
    return [n for n, text in enumerate(texts) if not _is_composed(text) and _is_composed(rest[n])]


def _is_composed(text: str) -> bool:
    return unicodedata.is_normalized("NFC", text)


# --- letters

_WORDY = 3  # words from which on case says something
_TITLE = 6  # the same for capitals at the start of words


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def _find_lower(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines in lower case whose counterparts have a capital other than the first letter of the line.

    Parts of a sentence, which good texts have as lines as well, do not write names without capitals.
    """
    if not lines.where(_is_lower):
        return ()
    texts, rest = lines.texts, [text.lstrip()[1:] for text in others.texts]
    indexes = [n for n in lines.where(_is_lower) if rest[n] != rest[n].lower()]
    names = ({word.lower() for word in _INNER.findall(rest[n]) if word.istitle()} for n in indexes)
    sure = sum(not words.isdisjoint(_WORD.findall(texts[n])) for n, words in zip(indexes, names, strict=True))
    return indexes if sure > _SURE * len(indexes) else ()


# A word in the middle of a sentence; and the share of lines that must have one of the other line's without its capital
_INNER, _WORD = re.compile(r"(?<=\w )[^\W\d_]{3,}"), re.compile(r"[^\W\d_]{3,}")
_SURE = 0.3


def _is_lower(text: str) -> bool:
    return text.islower() and _is_cased(text)


def _find_upper(lines: Lines, others: Lines) -> Sequence[int]:
    rest = others.texts
    return [n for n in lines.where(_is_upper) if not rest[n].isupper() and rest[n] != rest[n].upper()]


def _is_upper(text: str) -> bool:
    return text.isupper() and _is_cased(text)


def _is_cased(text: str) -> bool:
    """Return whether a line has several words, and most of its letters are in a script with case."""
    return len(text.split()) >= _WORDY and 2 * sum(one.lower() != one.upper() for one in text) > _letters(text)


def _find_title(lines: Lines, others: Lines) -> Sequence[int]:
    return [n for n in lines.where(_is_title) if not _is_title(others.texts[n])]


def _is_title(text: str) -> bool:
    if not text[:1].isupper() or text.isupper():
        return False
    count = 0
    for word in text.split():
        if word[0].isalpha():
            if not word[0].isupper():
                return False
            count += 1
    return count >= _TITLE


# --- spaces and punctuation

_UNSPACED = "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u0e00-\u0e7f]"
_APART = re.compile(rf"(?<={_UNSPACED})[ \u3000](?={_UNSPACED})")
_TOGETHER = re.compile(rf"{_UNSPACED}(?={_UNSPACED})")


def _find_spaced(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines in which many spaces part characters of scripts without spaces."""
    if lines.is_spaced or not _APART.search(lines.whole):
        return ()
    indexes = []
    for index, text in enumerate(lines.texts):
        apart = len(_APART.findall(text))
        if (
            apart >= 2
            and apart > 0.15 * (apart + len(_TOGETHER.findall(text)))
            and apart > 3 * len(_APART.findall(others.texts[index]))
        ):
            indexes.append(index)
    return indexes


_LOOSE = re.compile(r"(?<=\S) [.,;:!?)\]]+(?= |$)|(?<= )(?:n't|'s|'re|'ve|'ll|'m)(?= |$)| @-@ |&apos;s")
_LOOSE_SURE = re.compile(r"(?<=\S) [.,](?= |$)| @-@ ")


def _find_tokenized(lines: Lines, others: Lines) -> Sequence[int]:
    texts, rest = lines.texts, others.texts
    return [
        n for n in lines.having(" .", " ,", " @-@ ") if _LOOSE_SURE.search(texts[n]) and not _LOOSE_SURE.search(rest[n])
    ]


def _attach(text: str) -> str:
    text = re.sub(r" @-@ ", "-", text)
    text = re.sub(r" ([.,;:!?)\]%]+)(?= |$)", r"\1", text)
    text = re.sub(r"([(\[]) ", r"\1", text)
    return re.sub(r" (n't|'s|'re|'ve|'ll|'m)(?= |$)", r"\1", text)


def _find_letters(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines in which most words are single letters."""
    return [n for n in lines.where(_is_spelled) if not _is_spelled(others.texts[n])]


def _is_spelled(text: str) -> bool:
    if text[1:2] != " " and text[3:4] != " ":
        return False
    words = text.split()
    return len(words) >= _SPELLED and sum(len(word) == 1 for word in words) > 0.7 * len(words)


_SPELLED = 8  # words from which on they say something
_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3002: 0x2E, 0x3001: 0x2C, 0x3000: 0x20}
_WIDE_MARKS = re.compile("[\uff01-\uff0f\uff1a-\uff20\u3001\u3002]")
_WIDE_LETTERS = re.compile("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]")
_NARROW_MARKS = re.compile(rf"(?<={_UNSPACED})[,.!?;:]|(?<={_UNSPACED})[()]")


def _find_narrow(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines with half-width punctuation after characters of Chinese or Japanese, and no full-width one."""
    if lines.is_spaced or not _NARROW_MARKS.search(lines.whole):
        return ()
    return [
        index
        for index, text in enumerate(lines.texts)
        if _NARROW_MARKS.search(text) and not _WIDE_MARKS.search(text) and _WIDE_MARKS.search(others.texts[index])
    ]


def _find_wide(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines with full-width letters and digits."""
    if not _WIDE_LETTERS.search(lines.whole):
        return ()
    return [
        index
        for index, text in enumerate(lines.texts)
        if _WIDE_LETTERS.search(text) and not _WIDE_LETTERS.search(others.texts[index])
    ]


def _narrow(text: str) -> str:
    return text.translate(_WIDE)


_MARKS = re.compile(r"[^\w\s]")


def _find_bare(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines without any punctuation, where the other line has several marks."""
    return [n for n in lines.where(_is_bare) if len(_MARKS.findall(others.texts[n])) > 1]


def _is_bare(text: str) -> bool:
    return text != "" and not _MARKS.search(text)


# --- lines that are missing, too long or too short


def _find_empty(lines: Lines, others: Lines) -> Sequence[int]:
    return [n for n, text in enumerate(lines.texts) if not text.strip() and others.texts[n].strip()]


# A row of words, or of characters where there are no spaces, that repeats this many times, of at most this many of them
_REPEATS = 6
_LONGEST_REPEAT = 12
# Longer words are not words; the first characters of a line tell whether it runs away
_LONGEST_WORD = 60
_START = 3000


class _Run(NamedTuple):
    """Words that repeat: those before them, those that repeat, and those after them, with what stands between words."""

    before: Sequence[str]
    repeated: Sequence[str]
    after: Sequence[str]
    space: str

    def length(self) -> int:
        return len(self.space.join(self.repeated))


def _longest_run(text: str) -> _Run | None:
    """Return the longest row of words or characters that repeats over and over; None if there is none.

    >>> _longest_run("so it goes on and on and on and on and on and on and on").length()
    44
    """
    import numpy as np

    words, space = text[:_START].split(" "), " "
    if len(words) < _REPEATS or max(map(len, words)) > _LONGEST_WORD:
        words, space = list(text[:_START]), ""
    numbers = {word: number for number, word in enumerate(words)}
    row = np.array([numbers[word] for word in words])
    best = (0, 0)
    for period in range(1, min(_LONGEST_REPEAT, len(words) // _REPEATS) + 1):
        # A row of words that are equal to those a period later ends before the first word that is not
        ends = np.concatenate([[-1], np.flatnonzero(row[period:] != row[:-period]), [len(words) - period]])
        lengths = np.diff(ends) - 1
        longest = int(lengths.argmax())
        start, length = int(ends[longest]) + 1, int(lengths[longest])
        if length >= (_REPEATS - 1) * period and length + period > best[1] - best[0]:
            best = (start, start + length + period)
    repeated = words[slice(*best)]
    # People, too, write dots and sooooo
    if len({one for one in repeated if one.isalnum()}) < (1 if space else 2):
        return None
    return _Run(words[: best[0]], repeated, [*words[best[1] :], text[_START:]], space)


def _find_runaway(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines that are far longer than the other one because they repeat something over and over."""
    indexes = []
    for index, text in enumerate(lines.texts):
        other = others.texts[index]
        if len(text) > 1.3 * len(other) + 20 and (run := _longest_run(text)) is not None:
            length, theirs = run.length(), _longest_run(other)
            if length >= 20 and length > 0.25 * len(text) and (theirs is None or length > 4 * theirs.length()):
                indexes.append(index)
    return indexes


def _cut_run(text: str) -> str:
    run = _longest_run(text)
    if run is None:
        return text
    period = next(n for n in range(1, _LONGEST_REPEAT + 1) if run.repeated[n:] == run.repeated[:-n])
    return run.space.join([*run.before, *run.repeated[:period], *run.after]).rstrip()


def _find_repeated(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines that are equal to an earlier one, while the other text differs, and says something else."""
    first: dict[str, int] = {}
    by_text: dict[str, list[int]] = {}
    for index, text in enumerate(lines.texts):
        before = first.setdefault(text, index)
        if not text or before == index:
            continue
        other = others.texts[index]
        if _are_different(others.texts[before], other) and _are_different(text, other, min):
            by_text.setdefault(text, []).append(index)
    # Short lines may be repeated in the source
    enough = max(10, len(lines) // 100)
    groups = [group for text, group in by_text.items() if len(text.encode()) >= 40 or len(group) >= enough]
    return sorted(index for group in groups for index in group)


def _are_different(one: str, other: str, size: Callable[[int, int], int] = max) -> bool:
    """Return whether two lines share less than half of the words of the longer one, or of the shorter one (`min`).

    >>> [_are_different("And he said:", "And he said: Let us go home.", size) for size in (max, min)]
    [True, False]
    """
    left, right = set(one.casefold().split()), set(other.casefold().split())
    if len(left) < 3 or len(right) < 3:  # scripts without spaces
        left, right = set(one), set(other)
    return 2 * len(left & right) < size(len(left), len(right))


_ENDS = frozenset(".!?…。！？।؟:;\"'”“»’」』)]】）～")


def _is_ended(text: str) -> bool:
    """Return whether a line ends with punctuation."""
    return text.rstrip()[-1:] in _ENDS


def _find_cut(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines that end in mid-sentence, earlier than the other one, which ends with punctuation."""
    theirs = others.where(_is_ended)
    if 2 * len(theirs) <= len(others):
        return ()
    ended, texts, rest = {*lines.where(_is_ended)}, lines.texts, others.texts
    without = [n for n in theirs if n not in ended and texts[n]]
    indexes = [n for n in without if len(texts[n]) < 0.8 * len(rest[n])]
    # A text that leaves out full stops does so in lines of any length
    whole = len(without) - len(indexes)
    if len(indexes) >= _OFTEN_CUT * len(lines) and len(indexes) > whole:
        return indexes
    # A limit of the length leaves many different lines with the same number of characters or words
    sizes = Counter(size for text in {lines.texts[n] for n in indexes} for size in _sizes(text))
    return indexes if sizes and sizes.most_common(1)[0][1] >= max(5, len(indexes) / 2) else ()


# The share of lines, from which on they need not have the same length; on WMT's systems, 0.011 end without punctuation
_OFTEN_CUT = 0.02


def _sizes(text: str) -> Iterator[tuple[str, int]]:
    """Give the numbers of characters and of words of a line, where they are too large to be often equal by chance."""
    words = len(text.split())
    if len(text) >= 20:
        yield "characters", len(text.rstrip())
    if words >= 8:
        yield "words", words


# --- conventions


def _convention(kind: str, title: str) -> Mistake:
    """Return the record of a kind of typography in which two texts may differ."""
    table = typography.characters(kind)
    alike = {*table, *table.values()}
    rare = [*table]

    def find(lines: Lines, others: Lines) -> Sequence[int]:
        texts, rest = lines.texts, others.texts
        return [
            n
            for n in sorted({*lines.having(*rare), *others.having(*rare)})
            if (ours := alike.intersection(texts[n])) and (theirs := alike.intersection(rest[n])) and not ours & theirs
        ]

    return Mistake(
        kind,
        title,
        f"score all systems with --normalize {kind}, or write them as the reference does",
        find,
        lambda text: str(typography.normalize([text], kind)[0]),
        True,
        share=0.003,
        is_convention=True,
    )


CONVENTIONS = (
    _convention("quotes", "other quotation marks than the reference"),
    _convention("apostrophes", "other apostrophes than the reference"),
    _convention("dashes", "other dashes than the reference"),
    _convention("ellipses", "other ellipses than the reference"),
    _convention("spaces", "other spaces than the reference"),
)
MISTAKES = (
    *CONVENTIONS,
    Mistake("empty", "no text", "find out why nothing was written there, and fill these lines", _find_empty),
    Mistake(
        "mojibake",
        "UTF-8 that was read in another encoding (such as Ã¤ for ä)",
        "write the file again as UTF-8, or repair it with ftfy",
        _find_mojibake,
        _decode_again,
    ),
    Mistake(
        "replacement",
        "U+FFFD (which stands for characters that were lost)",
        "decode the original output as UTF-8: the lost characters cannot be recovered from this file",
        _sign("\ufffd", "\ufffd"),
        sign="\ufffd",
    ),
    Mistake(
        "lost",
        "question marks for letters (where characters were lost)",
        "write the original output as UTF-8: the lost characters cannot be recovered from this file",
        _find_lost,
        share=0.01,
        sign=_LOST.pattern,
    ),
    Mistake(
        "form",
        "letters and accents as separate characters (Unicode NFD)",
        "convert outputs and references to Unicode NFC",
        _find_form,
        lambda text: unicodedata.normalize("NFC", text),
        True,
    ),
    Mistake(
        "entities",
        "HTML entities (such as &quot;)",
        "decode them, as html.unescape does",
        _sign(_ENTITY, "&"),
        unescape,
        is_in_sources=True,
    ),
    Mistake(
        "special-tokens",
        "special tokens of a model (such as </s>)",
        "decode without special tokens (skip_special_tokens=True)",
        _sign(_SPECIAL, "<", "[", "_", "⁇", "pad "),
        lambda text: re.sub(r"\s+", " ", re.sub(_SPECIAL, " ", text)).strip(),
        is_in_sources=True,
    ),
    Mistake(
        "tags",
        "tags (such as <seg>)",
        "remove the tags and keep the text between them",
        _find_tags,
        lambda text: re.sub(_TAG, "", text).strip(),
        is_in_sources=True,
    ),
    Mistake(
        "quoting",
        "the quotation marks of a CSV file",
        "read the file with a CSV reader, and write only the text",
        _find_quoting,
        _unquote,
        is_in_sources=True,
    ),
    Mistake(
        "enclosed",
        "quotation marks around the whole line (but not around the other side's)",
        "remove them: a model, a prompt or a CSV file put them there",
        _find_enclosed,
        lambda text: text.strip()[1:-1],
        is_in_sources=True,
    ),
    Mistake("numbers", "a line number at the start", "remove the column of line numbers", _find_numbers, _strip_number),
    Mistake(
        "escapes",
        r"escapes (such as \n)",
        "decode them, as a JSON reader does",
        _find_escapes,
        lambda text: re.sub(r"\\[nrt]", " ", text).replace('\\"', '"'),
        is_in_sources=True,
    ),
    Mistake(
        "preamble",
        "a language model's words before the translation",
        "keep only the translation",
        _find_preambles,
        _strip_preamble,
    ),
    Mistake(
        "markdown",
        "Markdown (such as **bold**)",
        "remove the marks",
        _sign(_MARKDOWN, "**", "#", "`", "](http"),
        _strip_markdown,
        share=0.003,
        is_in_sources=True,
    ),
    Mistake(
        "prefix",
        "the same words at the start (but not on the other side)",
        "remove these words",
        _find_affix(False),
        choose_repair=_strip_affix(False),
        is_proven=True,
    ),
    Mistake(
        "suffix",
        "the same words at the end (but not on the other side)",
        "remove these words",
        _find_affix(True),
        choose_repair=_strip_affix(True),
        is_proven=True,
        sign=rf"(?:\S+\s+){{{_AFFIX - 1}}}\S+\s*$",
    ),
    Mistake(
        "subwords",
        "marks of subword segmentation (such as @@)",
        "join subwords to words: merge the pieces as the model's own tokenizer does",
        _sign(_SUBWORD, "@@", "▁", "##", "Ġ", "Ċ", "</w>"),
        _join_subwords,
        is_in_sources=True,
    ),
    Mistake(
        "tokenized",
        "spaces before full stops and commas (as tokenizers put them)",
        "detokenize the text",
        _find_tokenized,
        _attach,
        share=0.01,
    ),
    Mistake(
        "spaced",
        "spaces between characters (in a script without spaces)",
        "remove these spaces",
        _find_spaced,
        lambda text: _APART.sub("", text),
        share=0.003,
    ),
    Mistake(
        "letters",
        "spaces between letters",
        "use the output before its letters were separated: where words begin cannot be recovered from this file",
        _find_letters,
        share=0.003,
    ),
    Mistake(
        "lower-case",
        "only lower-case letters",
        "use the output before it was lower-cased; if that is lost, score all systems with -lc",
        _find_lower,
        str.lower,
        True,
        share=0.01,
        is_trait=_is_lower,
    ),
    Mistake(
        "upper-case",
        "only capital letters",
        "use the output before it was capitalized; if that is lost, score all systems with -lc",
        _find_upper,
        str.lower,
        True,
        share=0.01,
        is_trait=_is_upper,
    ),
    Mistake(
        "title-case",
        "a capital at the start of each word",
        "use the output before it was capitalized; if that is lost, score all systems with -lc",
        _find_title,
        str.lower,
        True,
        share=0.01,
        is_trait=_is_title,
    ),
    Mistake(
        "punctuation",
        "no punctuation",
        "use the output before punctuation was removed",
        _find_bare,
        share=0.02,
        is_trait=_is_bare,
    ),
    Mistake(
        "half-width",
        "half-width punctuation (full-width on the other side)",
        "convert outputs and references to the same width",
        _find_narrow,
        _narrow,
        True,
        share=0.05,
    ),
    Mistake(
        "full-width",
        "full-width letters and digits (half-width on the other side)",
        "convert outputs and references to the same width, as Unicode NFKC does",
        _find_wide,
        _narrow,
        True,
        share=0.01,
    ),
    Mistake(
        "invisible",
        "invisible characters",
        "remove them",
        _sign(_INVISIBLE, *_INVISIBLE_MARKS),
        lambda text: re.sub(_INVISIBLE, "", text),
        share=0.003,
        is_in_sources=True,
    ),
    Mistake(
        "runaway",
        "the same words over and over",
        "translate these lines again, with another seed, beam or penalty of repetition",
        _find_runaway,
        _cut_run,
    ),
    Mistake(
        "repeated",
        "the text of an earlier line (while the other side differs)",
        "find out where the file was written twice, and translate these lines again",
        _find_repeated,
        share=0.01,
        is_in_sources=True,
    ),
    Mistake(
        "cut",
        "an end in mid-sentence",
        "raise the limit of the length (max_new_tokens), and translate these lines again",
        _find_cut,
        share=0.002,
        is_in_sources=True,
    ),
)
