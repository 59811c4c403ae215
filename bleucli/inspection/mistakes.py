"""Mistakes in the lines of a text that another text in the same language does not have.

- `Mistake`: a kind of mistake: how its lines are recognized, what it is called, and what to do
- `MISTAKES`: all kinds that show in single lines or in a few thousand of them
- `Sign`: a kind of mistake in an output, counted while it is scored; `count_signs` counts those of a block, `add_signs`
  adds the next block, and `tell_signs` gives hints

How lines are recognized and repaired stands in `traces` and `writing`.

A line is compared with the line of the other text, which may be right: what both sides have is not a mistake. So a
system is compared with the first reference, and a reference with the first system.

`bleu check` examines everything. While texts are scored, a quick look (`marks.suspicions`) decides which blocks are
examined for which kinds, so that right texts cost next to nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from html import unescape

from bleucli.inspection import traces, writing
from bleucli.inspection.lines import AFFIX, Lines, cut, lines_with
from bleucli.inspection.marks import find_script
from bleucli.phrases import Turn, in_command, tell_count, tell_place
from bleucli.records import NamedTuple
from bleucli.results.hints import Hint
from bleucli.text import Segments, typography


class Mistake(NamedTuple):
    """A kind of mistake."""

    kind: str  # its name, one word
    title: str  # what the lines have, as a noun
    remedy: str  # what to do, in one sentence
    # Returns the indexes of the lines of a text that have it, while those of another text do not
    find: Callable[[Lines, Lines], Sequence[int]]
    repair: Callable[[str], str] | None = None  # returns the line without the mistake; None if no program can do that
    on_both_sides: bool = False  # the remedy is applied to the other texts as well
    share: float = 0.0  # the share of lines from which on it is a mistake; fewer are a peculiarity of some texts
    is_proven: bool = False  # only a higher score after the remedy shows that it is a mistake
    # Both sides may be right, so that it is never an error, nor worth a word if it costs nothing
    is_convention: bool = False
    is_in_sources: bool = False  # it may be part of a text that is translated, and is then not a mistake
    # Tells whether a line has it by itself, if good texts have such lines: only a text with far more of them than the
    # other one has a mistake
    is_trait: Callable[[str], bool] | None = None
    sign: str = ""  # a pattern that shows where in a line it is, if `repair` does not
    # Returns `repair` for the lines of a text and those of another one, if it depends on them
    choose_repair: Callable[[Lines, Lines], Callable[[str], str]] | None = None

    def place(self, text: str) -> int:
        """Return where the mistake is in a line that has it; 0 if it is not in one place."""
        if self.sign:
            match = re.search(self.sign, text)
            return match.start() if match else 0
        repaired = text if self.repair is None else self.repair(text)
        return next((n for n, (one, other) in enumerate(zip(text, repaired, strict=False)) if one != other), 0)


def _convention(kind: str, marks: str) -> Mistake:
    """Return the record of a kind of typography in which two texts may differ; marks: what it is about."""
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
        f"other {marks} than the reference",
        f"score all systems with --normalize {kind}, or write them as the reference does",
        find,
        lambda text: str(typography.normalize([text], kind)[0]),
        True,
        share=0.003,
        is_convention=True,
    )


def _case(
    kind: str, title: str, change: str, find: Callable[[Lines, Lines], Sequence[int]], is_trait: Callable[[str], bool]
) -> Mistake:
    """Return the record of a text in another case; change: what was done to it."""
    remedy = f"use the output before it was {change}; if that is lost, score all systems with -lc"
    return Mistake(kind, title, remedy, find, str.lower, True, share=0.01, is_trait=is_trait)


def _affix(kind: str, place: str, at_end: bool, sign: str = "") -> Mistake:
    """Return the record of words that many lines share at their start or end."""
    title = f"the same words at the {place} (but not on the other side)"
    find, choose = partial(traces.find_affix, at_end=at_end), partial(traces.strip_affix, at_end=at_end)
    return Mistake(kind, title, "remove these words", find, choose_repair=choose, is_proven=True, sign=sign)


MISTAKES = (
    _convention("quotes", "quotation marks"),
    *(_convention(kind, kind) for kind in ("apostrophes", "dashes", "ellipses", "spaces")),
    Mistake("empty", "no text", "find out why nothing was written there, and fill these lines", writing.find_empty),
    Mistake(
        "mojibake",
        "UTF-8 that was read in another encoding (such as Ã¤ for ä)",
        "write the file again as UTF-8, or repair it with ftfy",
        traces.find_mojibake,
        traces.decode_again,
    ),
    Mistake(
        "replacement",
        "U+FFFD (which stands for characters that were lost)",
        "decode the original output as UTF-8: the lost characters cannot be recovered from this file",
        lines_with("\ufffd", "\ufffd"),
        sign="\ufffd",
    ),
    Mistake(
        "lost",
        "question marks for letters (where characters were lost)",
        "write the original output as UTF-8: the lost characters cannot be recovered from this file",
        traces.find_lost,
        share=0.01,
        sign=traces.LOST.pattern,
    ),
    Mistake(
        "form",
        "letters and accents as separate characters (Unicode NFD)",
        "convert outputs and references to Unicode NFC",
        traces.find_form,
        lambda text: unicodedata.normalize("NFC", text),
        True,
    ),
    Mistake(
        "entities",
        "HTML entities (such as &quot;)",
        "decode them, as html.unescape does",
        lines_with(traces.ENTITY, "&"),
        unescape,
        is_in_sources=True,
    ),
    Mistake(
        "special-tokens",
        "special tokens of a model (such as </s>)",
        "decode without special tokens (skip_special_tokens=True)",
        lines_with(traces.SPECIAL, "<", "[", "_", "⁇", "pad "),
        lambda text: re.sub(r"\s+", " ", re.sub(traces.SPECIAL, " ", text)).strip(),
        is_in_sources=True,
    ),
    Mistake(
        "tags",
        "tags (such as <seg>)",
        "remove the tags and keep the text between them",
        traces.find_tags,
        lambda text: re.sub(traces.TAG, "", text).strip(),
        is_in_sources=True,
    ),
    Mistake(
        "quoting",
        "the quotation marks of a CSV file",
        "read the file with a CSV reader, and write only the text",
        traces.find_quoting,
        traces.unquote,
        is_in_sources=True,
    ),
    Mistake(
        "enclosed",
        "quotation marks around the whole line (but not around the other side's)",
        "remove them: a model, a prompt or a CSV file put them there",
        traces.find_enclosed,
        lambda text: text.strip()[1:-1],
        is_in_sources=True,
    ),
    Mistake(
        "numbers",
        "a line number at the start",
        "remove the column of line numbers",
        traces.find_numbers,
        traces.strip_number,
    ),
    Mistake(
        "escapes",
        r"escapes (such as \n)",
        "decode them, as a JSON reader does",
        lines_with(traces.ESCAPE, "\\"),
        lambda text: re.sub(r"\\[nrt]", " ", text).replace('\\"', '"'),
        is_in_sources=True,
    ),
    Mistake(
        "preamble",
        "a language model's words before the translation",
        "keep only the translation",
        traces.find_preambles,
        traces.strip_preamble,
    ),
    Mistake(
        "markdown",
        "Markdown (such as **bold**)",
        "remove the marks",
        traces.find_markdown,
        traces.strip_markdown,
        share=0.003,
        is_in_sources=True,
    ),
    _affix("prefix", "start", False),
    _affix("suffix", "end", True, rf"(?:\S+\s+){{{AFFIX - 1}}}\S+\s*$"),
    Mistake(
        "subwords",
        "marks of subword segmentation (such as @@)",
        "join subwords to words: merge the pieces as the model's own tokenizer does",
        lines_with(traces.SUBWORD, "@@", "▁", "##", "Ġ", "Ċ", "</w>"),
        traces.join_subwords,
        is_in_sources=True,
    ),
    Mistake(
        "tokenized",
        "spaces before full stops and commas (as tokenizers put them)",
        "detokenize the text",
        writing.find_tokenized,
        writing.attach,
        share=0.01,
    ),
    Mistake(
        "spaced",
        "spaces between characters (in a script without spaces)",
        "remove these spaces",
        writing.find_spaced,
        lambda text: writing.APART.sub("", text),
        share=0.003,
    ),
    Mistake(
        "letters",
        "spaces between letters",
        "use the output before its letters were separated: where words begin cannot be recovered from this file",
        writing.find_letters,
        share=0.003,
    ),
    _case("lower-case", "only lower-case letters", "lower-cased", writing.find_lower, writing.is_lower),
    _case("upper-case", "only capital letters", "capitalized", writing.find_upper, writing.is_upper),
    _case("title-case", "a capital at the start of each word", "capitalized", writing.find_title, writing.is_title),
    Mistake(
        "punctuation",
        "no punctuation",
        "use the output before punctuation was removed",
        writing.find_bare,
        share=0.02,
        is_trait=writing.is_bare,
    ),
    Mistake(
        "half-width",
        "half-width punctuation (full-width on the other side)",
        "convert outputs and references to the same width",
        writing.find_narrow,
        writing.narrow,
        True,
        share=0.05,
    ),
    Mistake(
        "full-width",
        "full-width letters and digits (half-width on the other side)",
        "convert outputs and references to the same width, as Unicode NFKC does",
        writing.find_wide,
        writing.narrow,
        True,
        share=0.01,
    ),
    Mistake(
        "invisible",
        "invisible characters",
        "remove them",
        lines_with(traces.INVISIBLE, *traces.INVISIBLE_MARKS),
        lambda text: re.sub(traces.INVISIBLE, "", text),
        share=0.003,
        is_in_sources=True,
    ),
    Mistake(
        "runaway",
        "the same words over and over",
        "translate these lines again, with another seed, beam or penalty of repetition",
        writing.find_runaway,
        writing.cut_run,
    ),
    Mistake(
        "repeated",
        "the text of an earlier line (while the other side differs)",
        "find out where the file was written twice, and translate these lines again",
        writing.find_repeated,
        share=0.01,
        is_in_sources=True,
    ),
    Mistake(
        "cut",
        "an end in mid-sentence",
        "raise the limit of the length (max_new_tokens), and translate these lines again",
        writing.find_cut,
        share=0.002,
        is_in_sources=True,
    ),
)


# --- while texts are scored

_BY_KIND = {mistake.kind: mistake for mistake in MISTAKES}
# The share of the segments from which on a kind is worth a hint; kinds that are not listed: any segment
_SHARES = {
    **dict.fromkeys(("special-tokens", "tags", "entities", "mojibake", "form", "quoting", "replacement"), 0.015),
    **dict.fromkeys(("preamble", "runaway", "markdown", "full-width"), 0.015),
    **dict.fromkeys(("lower-case", "upper-case", "numbers", "script"), 0.5),
    "repeated": 0.05,
    "enclosed": 0.3,
}
# The most characters of an example
_EXAMPLE = 60
_MORE = Turn("bleucli.check_texts says more", "bleu check says more")
_EMPTY_REMEDY = Turn(
    "fill them, or set skip_empty_refs=True if they stand for missing references",
    "fill them, or give --skip-empty-refs if they stand for missing references",
)


class Sign(NamedTuple):
    """A kind of mistake in a text."""

    segments: int  # in how many it is
    first: int  # the index of the first of these
    example: str  # the part of its text that shows the mistake
    detail: str = ""  # more about it


def count_signs(ours: Segments, theirs: Segments, start: int, kinds: Sequence[str]) -> dict[str, Sign]:
    """Return the mistakes of some kinds in a block of output; start: the index of its first segment.

    theirs: the first references, of which some may be missing. What both sides have is not a mistake.

    >>> count_signs(Segments.from_strings(["a", "<b>c</b>"]), Segments.from_strings(["a", "c"]), 10, ["tags"])
    {'tags': Sign(segments=1, first=11, example='<b>c</b>', detail='')}
    """
    lines, others = (Lines([text or "" for text in side], start) for side in (ours, theirs))
    signs = {}
    # What a quick look finds may be something else: special tokens look like tags, misread text has other letters, and
    # CSV files have quotation marks around lines
    more = {"tags": "special-tokens", "script": "mojibake", "enclosed": "quoting"}
    for kind in dict.fromkeys([*kinds, *(more[kind] for kind in kinds if kind in more)]):
        detail, texts, place = "", lines.texts, 0
        if kind == "script":
            indexes, detail = _find_script(lines, others)
        elif kind == "mojibake":
            misread = [index for index, text in enumerate(texts) if _is_misread(text)]
            indexes = [index for index in misread if not _is_misread(others.texts[index])]
            place = next((n for n, one in enumerate(texts[indexes[0]]) if not one.isascii()), 0) if indexes else 0
        elif kind == "empty-reference":
            texts = others.texts
            present = theirs.pairs[::2].tolist()
            indexes = [index for index in _BY_KIND["empty"].find(others, lines) if present[index] >= 0]
        else:
            indexes = list(_BY_KIND[kind].find(lines, others))
            place = _BY_KIND[kind].place(texts[indexes[0]]) if indexes else 0
        if indexes:
            example = cut(texts[indexes[0]], place, _EXAMPLE)
            signs[kind] = Sign(len(indexes), start + indexes[0], example, detail)
    for kind, other in more.items():
        if kind in signs and other in signs and 2 * signs[other].segments > signs[kind].segments:
            del signs[kind]
    return signs


def add_signs(signs: Mapping[str, Sign], more: Mapping[str, Sign]) -> dict[str, Sign]:
    """Return the mistakes of a part and the next one together."""
    both = dict(signs)
    for kind, sign in more.items():
        before = both.get(kind)
        both[kind] = sign if before is None else before._replace(segments=before.segments + sign.segments)
    return both


def tell_signs(
    signs: Mapping[str, Sign], segments: int, name: str, reference: str, skips_empty: bool = False
) -> Iterator[Hint]:
    """Give a hint for each kind of mistake that is in enough segments.

    segments: the number of all segments. skips_empty: whether empty references count as missing.
    """
    for kind, sign in signs.items():
        if sign.segments < _SHARES.get(kind, 0) * segments or (kind == "empty-reference" and skips_empty):
            continue
        whose = name
        if kind == "script":
            what, remedy = f"letters of another script ({sign.detail})", "look whether both files are the right ones"
        elif kind == "empty-reference":
            whose, what, remedy = reference, "no text, while the output has some", _EMPTY_REMEDY
        else:
            what, remedy = _BY_KIND[kind].title, _BY_KIND[kind].remedy
        has = "has" if sign.segments == 1 else "have"
        many = f"{sign.segments} of {tell_count(segments, 'segment')} of {whose} {has} {what}, first "
        example = f" ({sign.example!r})" if sign.example else ""
        yield Hint(
            f"{many}{tell_place('segment', sign.first)}{example}; {remedy}; {_MORE}",
            f"segments of {whose} have {what}; {remedy}; {_MORE}",
            f"{many}line {sign.first + 1}{example}; {in_command(remedy)}; {_MORE.command}",
            segments=sign.segments,
            first=sign.first,
        )


def _find_script(lines: Lines, others: Lines) -> tuple[list[int], str]:
    """Return all lines if most letters of a text are of another script than those of the other one, and how so."""
    ours, theirs = (find_script(side.whole.encode()) for side in (lines, others))
    if not ours or not theirs or ours == theirs:
        return [], ""
    return [index for index, text in enumerate(lines.texts) if text.strip()], f"{ours} instead of {theirs}"


def _is_misread(text: str) -> bool:
    """Return whether a text is UTF-8 that was read as Latin-1 or Windows-1252: as such, its bytes are UTF-8 again.

    >>> _is_misread("f\u00c3\u00bcr"), _is_misread("f\u00fcr"), _is_misread("for")
    (True, False, False)
    """
    if text.isascii():
        return False
    for encoding in ("latin-1", "cp1252"):
        try:
            text.encode(encoding).decode()
        except UnicodeError:
            continue
        return True
    return False
