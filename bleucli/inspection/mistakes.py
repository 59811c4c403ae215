"""Mistakes in the lines of a text that another text in the same language does not have.

- `Mistake`: a kind of mistake: how its lines are recognized, what it is called, and what to do
- `MISTAKES`: all kinds that show in single lines or in a few thousand of them

How lines are recognized and repaired stands in `traces` and `writing`.

A line is compared with the line of the other text, which may be right: what both sides have is not a mistake. So a
system is compared with the first reference, and a reference with the first system.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from html import unescape

from bleucli.inspection import traces, writing
from bleucli.inspection.lines import AFFIX, Lines, lines_with
from bleucli.records import NamedTuple
from bleucli.text import typography


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
    Mistake(
        "prefix",
        "the same words at the start (but not on the other side)",
        "remove these words",
        traces.find_affix(False),
        choose_repair=traces.strip_affix(False),
        is_proven=True,
    ),
    Mistake(
        "suffix",
        "the same words at the end (but not on the other side)",
        "remove these words",
        traces.find_affix(True),
        choose_repair=traces.strip_affix(True),
        is_proven=True,
        sign=rf"(?:\S+\s+){{{AFFIX - 1}}}\S+\s*$",
    ),
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
