"""The kernels in plain Python: they define what the native ones compute, name for name.

`__all__` is the table of contents, and the only list of the kernels in Python.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from operator import itemgetter

from bleucli.errors import FieldCountError
from bleucli.kernels.python_edits import edit_distance, edited_words, ter_edits, ter_kinds_of_pair
from bleucli.kernels.python_ngrams import (
    chrf_counts,
    chrf_row,
    count_ngrams,
    f_score,
    group_stats,
    pairwise_bleu,
    pairwise_chrf,
    squared,
)
from bleucli.kernels.python_rows import (
    bleu_rows,
    check_rows,
    chrf_rows,
    draw_weights,
    render_rows,
    swapped_sums,
    weighted_sums,
)
from bleucli.kernels.stats import SegmentStats
from bleucli.kernels.stopping import heed_stop, pieces
from bleucli.text import Segments

__all__ = [  # noqa: RUF022 - grouped by purpose
    # lines
    "split_lines",
    "strip_trailing",
    # references
    "reference_counts",
    "count_line_ends",
    "drop_empty",
    # tokenizers
    "tokenize_13a",
    "tokenize_zh",
    "tokenize_intl",
    "unclassified_characters",
    "tokenize_char",
    # counting
    "ngram_stats",
    "group_stats",
    "chrf_stats",
    "ter_stats",
    "ter_kinds",
    "edit_stats",
    "column_sums",
    "count_ending",
    # scores of pairs
    "pairwise_bleu",
    "pairwise_chrf",
    # resampling
    "draw_weights",
    "weighted_sums",
    "swapped_sums",
    # scores
    "f_score",
    "bleu_rows",
    "chrf_rows",
    "render_rows",
]

# The bounds of a missing text
MISSING = (-1, -1)


def count_line_ends(data: bytes | memoryview, /) -> int:
    r"""Count the line feeds of UTF-8 text, or of a part of it.

    >>> count_line_ends(b"one\ntwo")
    1
    """
    return bytes(memoryview(data)).count(b"\n")


def split_lines(data: bytes, columns: int = 0, /) -> list[Segments]:
    r"""Cut UTF-8 text into its lines, or into tab-separated columns, without copying it.

    Only `\n` ends a line; the last line may lack it. Trailing white space of each text is left out.

    Args:
        data: whole lines.
        columns: the number of tab-separated fields on each line; 0 to treat tabs as white space.

    Returns:
        One `Segments` per column (one if `columns` is 0), all of them over `data`.

    Raises:
        ValueError: `columns` is negative.
        UnicodeDecodeError: `data` is not UTF-8.
        FieldCountError: a line has a different number of fields.

    >>> [list(column) for column in split_lines(b"a b \r\nc\n")]
    [['a b', 'c']]
    >>> [list(column) for column in split_lines(b"a\tb\nc\t\n", 2)]
    [['a', 'c'], ['b', '']]
    """
    if columns < 0:
        raise ValueError(f"columns {columns}; expected at least 0")
    data.decode("utf-8")
    bounds = [array("q") for _ in range(columns or 1)]
    start = 0
    lines = data.split(b"\n")
    for line, text in enumerate(lines if lines[-1] else lines[:-1]):
        heed_stop()
        fields = text.split(b"\t") if columns else [text]
        if columns and len(fields) != columns:
            raise FieldCountError(line, len(fields))
        for field, column in zip(fields, bounds, strict=True):
            column.extend((start, start + len(field.decode().rstrip().encode())))
            start += len(field) + 1
    return [Segments(data, column.tobytes()) for column in bounds]


def strip_trailing(segments: Segments, /) -> Segments:
    r"""Cut the trailing white space (as `str.rstrip` sees it) of every text, without copying.

    >>> list(strip_trailing(Segments.from_strings(["a \u3000\n", " b", None])))
    ['a', ' b', None]
    """
    bounds = array("q", segments.pairs)
    for index, text in enumerate(segments):
        if text is not None:
            bounds[2 * index + 1] = bounds[2 * index] + len(text.rstrip().encode())
    return Segments(segments.data, bounds.tobytes())


def drop_empty(segments: Segments, /) -> Segments:
    """Turn empty texts into missing ones.

    >>> list(drop_empty(Segments.from_strings(["a", "", None])))
    ['a', None, None]
    """
    bounds = array("q")
    for start, end in zip(segments.pairs[::2], segments.pairs[1::2], strict=True):
        bounds.extend((start, end) if start < end else MISSING)
    return Segments(segments.data, bounds.tobytes())


def reference_counts(references: Sequence[Segments], /) -> tuple[int, int, int]:
    """Count the references that each segment has.

    Args:
        references: one `Segments` per reference stream, all of one length, at least one stream.

    Returns:
        The fewest and the most references that a segment has (0, 0 without segments), and the index of the first
        segment without any, or -1 if there is none.

    >>> reference_counts([Segments.from_strings(["a", "b"]), Segments.from_strings(["c", None])])
    (1, 2, -1)
    """
    if not references:
        raise IndexError("no reference stream")
    _common_length(references)
    counts = [
        sum(start >= 0 for start in starts)
        for starts in zip(*(stream.pairs[::2] for stream in references), strict=True)
    ]
    if not counts:
        return 0, 0, -1
    return min(counts), max(counts), counts.index(0) if 0 in counts else -1


def _common_length(streams: Sequence[Segments]) -> int:
    length = len(streams[0])
    if any(len(stream) != length for stream in streams):
        raise ValueError("streams of different lengths")
    return length


def tokenize_13a(segments: Segments, /) -> Segments:
    """Tokenize as NIST's mteval-v13a does: decode entities, and split off ASCII punctuation except within numbers.

    One space separates tokens. White space at the start and end of a text is dropped.

    >>> list(tokenize_13a(Segments.from_strings(['It&apos;s "ok" (fine), 1,000.5 -5.'])))
    ['It & apos ; s " ok " ( fine ) , 1,000.5 -5 .']
    >>> list(tokenize_13a(Segments.from_strings(["x-5-6 a..b ...5", None])))
    ['x-5 - 6 a . . b . . . 5', None]
    """
    return _each(_tokenize_13a, segments)


# In this order, in which &amp;lt; becomes <
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
# mteval-v13a.pl, NormalizeText: each substitution is applied to the whole segment, in this order
_SUBSTITUTIONS_13A = (
    (re.compile(r"([{-~\[-` -&(-+:-@/])"), r" \1 "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)


def _tokenize_13a(text: str) -> str:
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in text:
        for entity, character in _ENTITIES:
            text = text.replace(entity, character)
    return split_punctuation(f" {text} ")  # so that a point at either end has a neighbour that is not a digit


def split_punctuation(text: str) -> str:
    """Apply the four substitutions of mteval-v13a and collapse white space.

    >>> split_punctuation(" $5.00- ")
    '$ 5.00 -'
    """
    for pattern, replacement in _SUBSTITUTIONS_13A:
        text = pattern.sub(replacement, text)
    return " ".join(text.split())


def tokenize_zh(segments: Segments, /) -> Segments:
    """Tokenize Chinese: put spaces around every Chinese character, and split off punctuation as 13a does.

    >>> list(tokenize_zh(Segments.from_strings(["“Hello” — it’s 5…ok 中文"])))
    ['“ Hello ” — it ’ s 5 … ok 中 文']
    """
    # Quirk: without the spaces that 13a adds, so a single point between a digit and an end of the text is not split off
    return _each(lambda text: split_punctuation(_CHINESE.sub(r" \1 ", text.strip())), segments)


# Quirk: sacreBLEU reads U+20000-2A6D6 and U+2F800-2FA1D as U+2001-2A6D and U+2F81-2FA1; published scores depend on it.
# So it splits off quotation marks and dashes from U+2010 on, but not the rare Chinese characters of these ranges.
_CHINESE = re.compile(
    "([\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\u2001-\u2a6d\u2f81-\u2fa1\uff00-\uffef\u2e80-\u2eff"
    "\u3000-\u303f\u31c0-\u31ef\u2f00-\u2fdf\u2ff0-\u2fff\u3100-\u312f\u31a0-\u31bf\ufe10-\ufe1f\ufe30-\ufe4f\u2600-\u26ff"
    "\u2700-\u27bf\u3200-\u33ff])"
)


NUMBER, PUNCTUATION, SYMBOL = 1, 2, 3


def tokenize_intl(segments: Segments, classes: bytes | bytearray, /) -> Segments:
    """Tokenize as NIST's mteval-v14 does: split off symbols, and punctuation that is not between numbers.

    A punctuation mark between a number and the start or end of a text stays, too.

    Args:
        segments: the texts.
        classes: for each of the 0x110000 code points 1 if its general category is N, 2 if P, 3 if S, else another
            number.

    >>> classes = bytearray(0x110000)
    >>> classes[ord("5")], classes[ord("%")], classes[ord("$")], classes[ord(",")] = 1, 2, 3, 2
    >>> list(tokenize_intl(Segments.from_strings(["a,$5% 5,5"]), classes))
    ['a , $ 5 % 5,5']
    """
    _check_classes(classes)
    return _each(lambda text: _tokenize_intl(text, classes), segments)


def _tokenize_intl(text: str, classes: bytes | bytearray) -> str:
    text = _substitute_pairs(text, classes, lambda a, b: a != NUMBER and b == PUNCTUATION, "{0} {1} ")
    text = _substitute_pairs(text, classes, lambda a, b: a == PUNCTUATION and b != NUMBER, " {0} {1}")
    text = "".join(f" {character} " if classes[ord(character)] == SYMBOL else character for character in text)
    return " ".join(text.split())


def _substitute_pairs(text: str, classes: bytes | bytearray, fits: Callable[[int, int], bool], replacement: str) -> str:
    """Replace two neighbours whose classes match, from left to right and no character twice, as `re.sub` does."""
    pieces = []
    at = 0
    while at < len(text):
        if at + 1 < len(text) and fits(classes[ord(text[at])], classes[ord(text[at + 1])]):
            pieces.append(replacement.format(text[at], text[at + 1]))
            at += 2
        else:
            pieces.append(text[at])
            at += 1
    return "".join(pieces)


def unclassified_characters(segments: Segments, classes: bytes | bytearray, /) -> str:
    """Return the characters that have no class yet, once each, in the order of their code points.

    Args:
        segments: the texts.
        classes: one number for each of the 0x110000 code points; 0 if it has no class yet.

    >>> classes = bytearray(0x110000)
    >>> classes[ord("a")] = 4
    >>> unclassified_characters(Segments.from_strings(["banana", None, "é"]), classes)
    'bné'
    """
    _check_classes(classes)
    texts = (text for text in segments if text is not None)
    return "".join(sorted({character for text in texts for character in text if not classes[ord(character)]}))


def _check_classes(classes: bytes | bytearray) -> None:
    if len(classes) != sys.maxunicode + 1:
        raise ValueError(f"classes of {len(classes)} bytes; expected one per code point")


def tokenize_char(segments: Segments, /) -> Segments:
    """Put a space between every two code points of a text.

    >>> list(tokenize_char(Segments.from_strings(["東京 1"])))
    ['東 京   1']
    """
    return _each(" ".join, segments)


def _each(tokenize: Callable[[str], str], segments: Segments) -> Segments:
    def tokenized(text: str | None) -> str | None:
        heed_stop()
        return None if text is None else tokenize(text)

    return Segments.from_strings(list(map(tokenized, segments)))


def ngram_stats(hypotheses: Segments, references: Sequence[Segments], max_order: int, /) -> SegmentStats:
    """Count the n-grams of each hypothesis and how many of them its references contain (Papineni et al. 2002, 2.1).

    Args:
        hypotheses: n texts; tokens are what white space (`str.split`) separates. A missing one counts as empty.
        references: one `Segments` per reference stream, each of n texts; missing ones are left out.
        max_order: N, the longest n-gram.

    Returns:
        n rows `[hyp_len, ref_len, correct_1..N, total_1..N]`: tokens of the hypothesis, tokens of the reference
        closest to it (the shorter of two equally close ones; 0 if there is none), n-grams matched (each at most as
            often as a single reference has it), and n-grams of the hypothesis.

    >>> hypotheses = Segments.from_strings(["the the the cat"])
    >>> references = [Segments.from_strings(["the cat"]), Segments.from_strings(["the big the cat"])]
    >>> ngram_stats(hypotheses, references, 2)[0]
    (4, 4, 3, 1, 4, 3)
    """
    if max_order < 1:
        raise ValueError(f"max_order {max_order}; expected at least 1")
    rows = array("q")
    for index in range(_common_length([hypotheses, *references])):
        heed_stop()
        tokens = (hypotheses[index] or "").split()
        candidates = [text.split() for stream in references if (text := stream[index]) is not None]
        rows.extend(_ngram_row(tokens, candidates, max_order))
    return SegmentStats(memoryview(rows), 2 + 2 * max_order)


def _ngram_row(hypothesis: list[str], references: list[list[str]], max_order: int) -> Iterator[int]:
    yield len(hypothesis)
    yield min(map(len, references), key=lambda length: (abs(length - len(hypothesis)), length), default=0)
    orders = range(1, max_order + 1)
    longest = min(max_order, len(hypothesis))
    for order in range(1, longest + 1):
        yield _clipped_matches(hypothesis, references, order)
    yield from [0] * (max_order - longest)
    yield from (max(0, len(hypothesis) - order + 1) for order in orders)


def _clipped_matches(hypothesis: list[str], references: list[list[str]], order: int) -> int:
    most: Counter[tuple[str, ...]] = Counter()
    for reference in references:
        most |= count_ngrams(reference, order)
    return (count_ngrams(hypothesis, order) & most).total()


def chrf_stats(
    hypotheses: Segments,
    references: Sequence[Segments],
    char_order: int,
    word_order: int,
    beta: float,
    whitespace: bool,
    eps_smoothing: bool,
    /,
) -> SegmentStats:
    """Count the character and word n-grams of each hypothesis, of its best reference, and those in both.

    Args:
        hypotheses: n texts; a missing one counts as empty.
        references: one `Segments` per reference stream, each of n texts; missing ones are left out.
        char_order: the longest character n-gram.
        word_order: the longest word n-gram, 0 for none.
        beta: as for `f_score`, which chooses the best reference; of equally good ones, the first is chosen.
        whitespace: whether character n-grams include white space.
        eps_smoothing: as for `f_score`.

    Returns:
        n rows of `hyp_count, ref_count, match` for the character orders, then for the word orders. hyp_count is 0 if
        the reference has no n-gram of that order; all numbers are 0 for a segment without references.

    >>> chrf_stats(Segments.from_strings(["ab c"]), [Segments.from_strings(["abd"])], 2, 1, 2, False, False)[0]
    (3, 3, 2, 2, 2, 1, 2, 1, 0)
    """
    if char_order < 0 or word_order < 0 or char_order + word_order < 1:
        raise ValueError(f"orders {char_order} and {word_order}; expected at least one n-gram")
    squared(beta)  # raises if it is not finite
    rows = array("q")
    for index in range(_common_length([hypotheses, *references])):
        heed_stop()
        texts = [text for stream in references if (text := stream[index]) is not None]
        hypothesis = chrf_counts(hypotheses[index] or "", char_order, word_order, whitespace)
        best, best_score = [0] * (3 * (char_order + word_order)), -1.0  # below any score: even 0 wins
        for text in texts:
            row = chrf_row(hypothesis, chrf_counts(text, char_order, word_order, whitespace))
            score = f_score(row, beta, eps_smoothing)
            if score > best_score:
                best, best_score = row, score
        rows.extend(best)
    return SegmentStats(memoryview(rows), 3 * (char_order + word_order))


def ter_stats(hypotheses: Segments, references: Sequence[Segments], /) -> SegmentStats:
    """Count the edits between each hypothesis and its references, and the length of the references.

    Args:
        hypotheses: n texts; words are what white space separates. A missing one counts as empty.
        references: one `Segments` per reference stream, each of n texts; missing ones are left out.

    Returns:
        n rows of two doubles: the fewest edits to any reference, and the average number of words of the references;
        both 0 for a segment without references.

    >>> ter_stats(Segments.from_strings(["b a c"]), [Segments.from_strings(["a b c d"])])[0]
    (2.0, 4.0)
    """
    rows = array("d")
    for index in range(_common_length([hypotheses, *references])):
        words = (hypotheses[index] or "").split()
        texts = [text.split() for stream in references if (text := stream[index]) is not None]
        edits = min((ter_edits(words, text) for text in texts), default=0)
        rows.extend((edits, sum(map(len, texts)) / len(texts) if texts else 0))
    return SegmentStats(memoryview(rows), 2)


def ter_kinds(hypotheses: Segments, references: Sequence[Segments], /) -> SegmentStats:
    """Count the edits between each hypothesis and the nearest of its references by their kinds.

    Args:
        hypotheses: as for `ter_stats`.
        references: as for `ter_stats`. Of several with the fewest edits, the first counts.

    Returns:
        n rows `[hits, substitutions, deletions, insertions, shifts]`; all 0 for a segment without references.

    >>> ter_kinds(Segments.from_strings(["b a c"]), [Segments.from_strings(["a b c d"])])[0]
    (3, 0, 0, 1, 1)
    """
    rows = array("q")
    for index in range(_common_length([hypotheses, *references])):
        words = (hypotheses[index] or "").split()
        texts = [text.split() for stream in references if (text := stream[index]) is not None]
        kinds = [ter_kinds_of_pair(words, text) for text in texts]
        nearest = min(kinds, key=lambda row: sum(row[1:]), default=(0,) * 5)
        rows.extend(nearest)
    return SegmentStats(memoryview(rows), 5)


def edit_stats(hypotheses: Segments, references: Sequence[Segments], characters: bool, /) -> SegmentStats:
    """Count the insertions, deletions and substitutions that turn each hypothesis into the nearest of its references.

    Args:
        hypotheses: n texts. A missing one counts as empty.
        references: one `Segments` per reference stream, each of n texts; missing ones are left out.
        characters: edit the characters of a text, without white space at its ends, instead of its words
            (`edited_words`).

    Returns:
        n rows `[edits, ref_len]`: the fewest edits to any reference, and the number of words or characters of the first
            reference that needs only these; both 0 for a segment without references.

    >>> hypotheses, references = (Segments.from_strings([text]) for text in ("a b x", "a b c d"))
    >>> edit_stats(hypotheses, [references], False)[0], edit_stats(hypotheses, [references], True)[0]
    ((2, 4), (3, 7))
    """
    split = str.strip if characters else edited_words
    rows = array("q")
    for index in range(_common_length([hypotheses, *references])):
        heed_stop()
        units = split(hypotheses[index] or "")
        texts = [split(text) for stream in references if (text := stream[index]) is not None]
        counts = [(edit_distance(units, text), len(text)) for text in texts]
        best = min(counts, key=itemgetter(0), default=(0, 0))
        rows.extend(best)
    return SegmentStats(memoryview(rows), 2)


def column_sums(stats: SegmentStats, /) -> tuple[int | float, ...]:
    """Add up the rows, in their order.

    Raises:
        OverflowError: a sum of integers, of all rows or of the first few, does not fit into 64 bits.

    >>> column_sums(SegmentStats(memoryview(array("q", [1, 2, 3, 4])), 2))
    (4, 6)
    """
    check_rows(stats)
    columns = (stats.data[column :: stats.columns] for column in range(stats.columns))
    return tuple(_sum(column, stats.data.format == "q") for column in columns)


def _sum(column: memoryview[int] | memoryview[float], is_whole: bool) -> int | float:
    total: int | float = 0 if is_whole else 0.0
    for piece in pieces(column):
        totals = list(accumulate(piece, initial=total))  # not sum(), which rounds differently from Python 3.12 on
        total = totals[-1]
        if is_whole and not (min(totals) >= -(2**63) and max(totals) < 2**63):
            raise OverflowError("a sum of statistics does not fit into 64 bits")
    return total


def count_ending(segments: Segments, ending: bytes, /) -> int:
    """Count the texts that end in `ending`.

    >>> count_ending(Segments.from_strings(["done .", "done.", None]), b" .")
    1
    """
    return sum(text is not None and text.encode().endswith(ending) for text in segments)
