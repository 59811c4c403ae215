"""Signs of input that does not suit a metric, counted block by block.

- `subword_marks`: leftovers of subword segmentation
- `unspaced_letters`: letters of scripts that put no spaces between words
- `unspaced_stretches`: those of these letters that are in long stretches without spaces
- `tell_unspaced`: what that means for a metric that counts words
- `joining_breaks`: line breaks in texts that join words, where only spaces separate them
- `is_json_object`: whether a text is a line of JSON Lines
"""

from __future__ import annotations

from collections.abc import Sequence

from bleucli.text import Segments

# The marks of subword-nmt and SentencePiece
_SUBWORD_MARKS = (b"@@ ", "▁".encode())
# Letters of Thai, Lao, Burmese, Hangul, Khmer, kana and Han begin, in UTF-8, with a byte that is not one of these.
# Hangul belongs here because the spaces of Korean separate phrases rather than words.
_SPACED_BYTES = bytes(range(0xE0))
_UNSPACED = (
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
# More letters than nearly all words have
_STRETCH = 8
# The number of bytes of a block that are enough to recognize its script
_SAMPLE_BYTES = 4096


def subword_marks(segments: Segments) -> int:
    """Count the marks that subword segmentation leaves.

    >>> subword_marks(Segments.from_strings(["an un@@ usu@@ al word", "▁so", "plain"]))
    3
    """
    text = _stretch(segments)
    return sum(text.count(mark) for mark in _SUBWORD_MARKS)


def unspaced_letters(segments: Segments) -> tuple[int, int]:
    """Count, at the start of the block, the letters of scripts without spaces between words, and all letters.

    >>> unspaced_letters(Segments.from_strings(["東京 so"]))
    (2, 4)
    """
    letters = "".join(_words(segments))
    if _are_all_spaced(letters):
        return 0, len(letters)
    import re

    return len(re.findall(_UNSPACED, letters)), len(letters)


def unspaced_stretches(segments: Segments) -> tuple[int, int]:
    """Count, at the start of the block, the unspaced letters that stand together in long stretches, and all letters.

    Text that is split into words has few such stretches, and so has Korean.

    >>> unspaced_stretches(Segments.from_strings(["東京都に住んでいる so", "東 京"]))
    (9, 13)
    """
    words = _words(segments)
    letters = sum(map(len, words))
    if _are_all_spaced("".join(words)):
        return 0, letters
    import re

    unspaced = [len(stretch) for word in words for stretch in re.findall(f"{_UNSPACED}{{{_STRETCH},}}", word)]
    return sum(unspaced), letters


def tell_unspaced(metric: str, signs: Sequence[int]) -> str:
    """Return what is wrong with counting words in text without spaces; "" if it has them.

    Args:
        metric: the name of the metric that counts them.
        signs: sums of what `unspaced_stretches` returns, if known.

    >>> tell_unspaced("WER", (9, 13)), tell_unspaced("WER", (0, 13))
    ('WER counts words between spaces, but most of the output has no spaces between words', '')
    """
    unspaced, letters = signs or (0, 0)
    if 2 * unspaced <= letters:
        return ""
    return f"{metric} counts words between spaces, but most of the output has no spaces between words"


def joining_breaks(segments: Segments) -> tuple[int, int]:
    r"""Count the line breaks in texts that have no other white space beside them, and the texts with such breaks.

    jiwer splits words at spaces, and takes several white-space characters for a space, but not a single line break.

    >>> joining_breaks(Segments.from_strings(["one\ntwo\nthree", "one\n\ntwo", "one \ntwo\n", None]))
    (2, 1)
    """
    if _are_lines(segments):
        return 0, 0
    import re

    breaks = [len(re.findall(r"(?<=\S)\n(?=\S)", text)) for text in segments if text is not None and "\n" in text]
    return sum(breaks), sum(map(bool, breaks))


def _are_lines(segments: Segments) -> bool:
    """Return whether all line breaks in the buffer are between the texts, which nearly always are lines of a file."""
    data, pairs = bytes(segments.data), segments.pairs
    if b"\n" not in data:
        return True
    is_cut = len(pairs) > 2 and 0 <= pairs[0] <= pairs[-1] and b"\n" in data[pairs[1] : pairs[2]]
    return is_cut and data.count(b"\n", pairs[0], pairs[-1]) == len(segments) - 1


def _words(segments: Segments) -> list[str]:
    return _stretch(segments, _SAMPLE_BYTES).decode("utf-8", "ignore").split()


def _are_all_spaced(letters: str) -> bool:
    """Return whether a quick check finds no such script; compiling the expression would take much longer."""
    return letters.isascii() or not letters.encode().translate(None, _SPACED_BYTES)


def is_json_object(text: str) -> bool:
    """Return whether a text is a JSON object, like the lines of JSON Lines.

    >>> is_json_object('{"hypothesis": "a"}'), is_json_object("{a}"), is_json_object("1")
    (True, False, False)
    """
    if not text.startswith("{"):
        return False
    import json

    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _stretch(segments: Segments, limit: int = -1) -> bytes:
    """Return at most `limit` bytes of the texts, including the bytes between them if they are lines of a file."""
    pairs = segments.pairs
    # The bytes between texts may belong to something else: a missing text, or other columns of a table
    is_one = len(pairs) == 2 and pairs[0] >= 0
    if not is_one and (
        len(pairs) < 4 or min(pairs[0], pairs[2], pairs[-2]) < 0 or b"\t" in bytes(segments.data[pairs[1] : pairs[2]])
    ):
        return "\n".join([text for text in segments if text is not None]).encode()[: limit if limit >= 0 else None]
    end = pairs[-1] if limit < 0 else min(pairs[-1], pairs[0] + limit)
    return bytes(segments.data[pairs[0] : end])
