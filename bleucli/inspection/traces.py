"""Traces of models, files, programs and encodings in lines: how they are recognized, and how they are removed."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from os.path import commonprefix

from bleucli.inspection.lines import AFFIX, Lines, lines_with
from bleucli.optional_deps import load

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


def find_affix(lines: Lines, others: Lines, at_end: bool) -> Sequence[int]:
    """Find lines that start, or end, with words that many lines of only this text share."""
    affixes, many = _shared_affixes(lines, others, at_end)
    return [index for index, affix in enumerate(affixes) if affix in many] if many else ()


def strip_affix(lines: Lines, others: Lines, at_end: bool) -> Callable[[str], str]:
    """Return how to remove such words: as many as all lines with the first three share."""

    def shared_words(texts: Sequence[str]) -> list[str]:
        lists = [text.split()[:: -1 if at_end else 1] for text in texts]
        shared = commonprefix(lists)  # noqa: RUF071 # of words, not paths
        return list(shared[: min(map(len, lists)) - 1])  # a word is left of the shortest line

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


# --- traces of files and programs

ENTITY = r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,6}|#[xX][\da-fA-F]{1,5});"
# Names that are also comparisons, or smileys, are not tags: a tag is closed, and begins with a letter
TAG = r"</?[A-Za-z][\w:-]*(?:\s+[\w:-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*\s*/?>"
# Codes of languages, as models put them before or after a text; in a text, they belong to something else
_CODE = (
    r"(?:[a-z]{2}_[A-Z]{2}|[a-z]{3}_(?:Arab|Armn|Beng|Cyrl|Deva|Ethi|Geor|Grek|Gujr|Guru|Hang|Hans|Hant|Hebr|Jpan|Khmr"
    r"|Knda|Laoo|Latn|Mlym|Mymr|Olck|Orya|Sinh|Taml|Telu|Tfng|Thai|Tibt))"
)
SPECIAL = (
    r"</?s>|<(?:pad|unk|eos|bos|mask|sep|cls|extra_id_\d+|start_of_turn|end_of_turn|2[a-z]{2})>|\[(?:PAD|UNK|SEP|CLS|MASK"
    r"|INST|/INST)\]|<\|[\w ]+\|>|<｜[^<>｜]+｜>|\b__[a-z]{2,3}__(?=\s|$)|⁇|^pad (?=\S)"
    rf"|^{_CODE}(?=\s)|(?<=\s){_CODE}$"
)
INVISIBLE_MARKS = [
    chr(code)
    for codes in (range(9), (0xB, 0xC), range(0xE, 0x20), (0x7F, 0xAD, 0x200B, 0xFEFF), range(0x202A, 0x202F))
    for code in codes
] + [chr(code) for code in (*range(0x2060, 0x2065), *range(0x2066, 0x206A))]
INVISIBLE = f"[{''.join(INVISIBLE_MARKS)}]"
SUBWORD = r"@@(?= |$)|▁|(?<=\s)##(?=[^\W\d_])|[ĠĊ](?=\w)|(?<=\w)</w>"
_BACKTICKS = r"(?<!\w)`[^`\s]+`(?!\w)"
_MARKDOWN = rf"\*\*[^*\s](?:[^*]*[^*\s])?\*\*|^#{{1,6}} \S|^```|{_BACKTICKS}|\[[^\]]+\]\(https?:"
# As in JSON; a backslash between quotation marks is one that the text speaks of
ESCAPE = r"\\[nrt](?![\w\\])|(?<![\"'`])\\\"(?![\w\\])|\\n|\\u[\da-f]{4}"
LOST = re.compile(r"\?(?<=[^\W\d_]\?)[^\W\d_]|\?{3,}")


def find_tags(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines with tags; `<file>`, which is not closed, is part of the text, or a translation of such a part."""
    texts, rest = lines.texts, others.texts
    return [n for n in _TAGS(lines, others) if "<" not in rest[n] and any(map(lines.is_tag, re.findall(TAG, texts[n])))]


_TAGS = lines_with(TAG, "<")


def find_markdown(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines with Markdown; backticks are none where the other line has as many quotation marks in their place."""
    texts, rest = lines.texts, others.texts
    return [
        n
        for n in _MARKED(lines, others)
        if re.search(_MARKDOWN, re.sub(_BACKTICKS, "", texts[n]), re.MULTILINE)
        or _quotes(rest[n]) < _quotes(texts[n]) + 2 * len(re.findall(_BACKTICKS, texts[n]))
    ]


_MARKED = lines_with(_MARKDOWN, "**", "#", "`", "](http")


def _quotes(text: str) -> int:
    return sum(one in _QUOTES for one in text)


def strip_markdown(text: str) -> str:
    """Return a line without marks for bold type, headings and code."""
    text = re.sub(r"\*\*([^*]+)\*\*", r"\1", text)
    text = re.sub(r"^#{1,6} |^```\w*|```$", "", text)
    return re.sub(r"`([^`]+)`", r"\1", text)


def join_subwords(text: str) -> str:
    """Return a line with subwords joined to words."""
    if "▁" in text:
        return text.replace(" ", "").replace("▁", " ").strip()
    if "Ġ" in text:
        return text.replace(" ", "").replace("Ġ", " ").strip()
    return re.sub(r"@@ |@@$|\s##(?=[^\W\d_])|(?<=\w)</w>", "", text)


def find_lost(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines with question marks between letters, or several in a row, which the other line does not have."""
    texts, rest = lines.texts, others.texts
    return [n for n in lines.having("?") if rest[n] and _has_lost(texts[n]) and not _has_lost(rest[n])]


def _has_lost(text: str) -> bool:
    # A capital letter begins the next sentence
    return any(match[0][-1] == "?" or match[0][-1].islower() for match in LOST.finditer(text))


def find_quoting(lines: Lines, others: Lines) -> Sequence[int]:
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


def find_enclosed(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines in quotation marks whose counterparts are not, where there are many."""
    rest = others.texts
    indexes = [n for n in lines.where(_is_enclosed) if rest[n] and _is_open(rest[n].strip())]
    return indexes if len(indexes) > max(_QUOTED * len(lines), 1) else ()


def unquote(text: str) -> str:
    """Return what stands in a field of a CSV file; the line itself if it is none."""
    line = text.strip()
    return line[1:-1].replace('""', '"') if len(line) > 2 and line[0] == line[-1] == '"' else text


_NUMBER = re.compile(r"\s*[\[(#]?(\d+)(?:\t| ?[|.:)\]]+ | \|\|\| )\s*(?=\S)|\s*(\d+)\s+(?=\S)")


def find_numbers(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines that begin with their own number, counted from 0 or 1, which the other line does not begin with."""
    by_offset: dict[int, list[int]] = {}
    for index, text in enumerate(lines.texts):
        if text[:1].isdigit() or text[:1] in " [(#":
            match = _NUMBER.match(text)
            if match and not others.texts[index].lstrip().startswith(number := match[1] or match[2]):
                by_offset.setdefault(int(number) - index - lines.start, []).append(index)
    # Any number may stand at the start of a line by chance, but not the line's own
    return max((by_offset.get(offset, []) for offset in (0, 1)), key=len)


def strip_number(text: str) -> str:
    """Return a line without a number at its start."""
    match = _NUMBER.match(text)
    return text[match.end() :] if match else text


# --- encodings

# What bytes of UTF-8 become in Latin-1 and Windows-1252: the first byte of a character, and the second one
_MOJIBAKE = re.compile(
    "[\u00c2-\u00f4\u0102\u010e\u0110\u0139\u0413-\u0421][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192"
    "\u02c6\u02dc\u2013\u2014\u2018-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]"
)


def find_mojibake(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines whose characters are bytes of UTF-8 in another encoding, unlike those of the other line."""
    texts, rest = lines.texts, others.texts
    indexes = [n for n in lines.matching(_MOJIBAKE) if not _MOJIBAKE.search(rest[n])]
    return [n for n in indexes if load("ftfy.badness", "check").is_bad(texts[n]) and decode_again(texts[n]) != texts[n]]


def decode_again(text: str) -> str:
    """Return a line as it was before it was decoded in the wrong way."""
    return str(load("ftfy", "check").fix_encoding(text))


def find_form(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines with characters that NFC would compose, where the other line has none."""
    if lines.whole.isascii() or unicodedata.is_normalized("NFC", lines.whole):
        return ()
    is_composed = partial(unicodedata.is_normalized, "NFC")
    return [n for n, text in enumerate(lines.texts) if not is_composed(text) and is_composed(others.texts[n])]
