"""Traces of files, programs and encodings in lines: how they are recognized, and how they are removed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from bleucli.inspection.lines import Lines, lines_with
from bleucli.optional_deps import load

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


def find_escapes(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines with escapes as in JSON, which the other line does not have."""
    return _ESCAPES(lines, others)


# A backslash between quotation marks is one that the text speaks of
_ESCAPES = lines_with(r"\\[nrt](?![\w\\])|(?<![\"'`])\\\"(?![\w\\])|\\n|\\u[\da-f]{4}", "\\")


# --- encodings

# What bytes of UTF-8 become in Latin-1 and Windows-1252: the first byte of a character, and the second one
_MOJIBAKE = re.compile(
    "[\u00c2-\u00f4\u0102\u010e\u0110\u0139\u0413-\u0421][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192"
    "\u02c6\u02dc\u2013\u2014\u2018-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]"
)


def find_mojibake(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines whose characters are bytes of UTF-8 in another encoding, unlike those of the other line."""
    if not _MOJIBAKE.search(lines.whole):
        return ()
    indexes = [index for index, text in enumerate(lines.texts) if _MOJIBAKE.search(text)]
    return [
        index for index in indexes if not _MOJIBAKE.search(others.texts[index]) and _is_mojibake(lines.texts[index])
    ]


def _is_mojibake(text: str) -> bool:
    return bool(load("ftfy.badness", "check").is_bad(text)) and decode_again(text) != text


def decode_again(text: str) -> str:
    """Return a line as it was before it was decoded in the wrong way."""
    return str(load("ftfy", "check").fix_encoding(text))


def find_form(lines: Lines, others: Lines) -> Sequence[int]:
    """Find lines with characters that NFC would compose, where the other line has none."""
    if lines.whole.isascii() or unicodedata.is_normalized("NFC", lines.whole):
        return ()
    texts, rest = lines.texts, others.texts
    return [n for n, text in enumerate(texts) if not _is_composed(text) and _is_composed(rest[n])]


def _is_composed(text: str) -> bool:
    return unicodedata.is_normalized("NFC", text)
