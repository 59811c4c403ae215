"""The tokenizer of TER: mimics tercom's, with sacreBLEU's options."""

from __future__ import annotations

import re
from functools import cache

from bleucli.text import Segments
from bleucli.tokenizers.base import OfLines

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_ASIAN_PUNCTUATION = "\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb"
_FULLWIDTH_PUNCTUATION = "\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09"
# tercom's Normalizer: ASCII symbols are split off, then each substitution is applied to the whole text, in this order
_SYMBOLS = r"([{-~\[-` -&(-+:-@/])"
_WESTERN = (
    (r"'s ", r" 's "),
    (r"([^0-9])([.,])", r"\1 \2 "),
    (r"([.,])([^0-9])", r" \1 \2"),
    (r"([0-9])(-)", r"\1 \2 "),
)
# Han; strokes and radicals; compatibility forms; enclosed letters and more; punctuation. One pass for all of them gives
# the same tokens as sacreBLEU's rules one after the other, which only add spaces. Quirk: kana are not split, since the
# rules for them never fire in sacreBLEU.
_ASIAN = (
    "([\u4e00-\u9fff\u3400-\u4dbf\u31c0-\u31ef\u2e80-\u2eff\u3300-\u33ff\uf900-\ufaff\ufe30-\ufe4f\u3200-\u3f22"
    f"{_ASIAN_PUNCTUATION}{_FULLWIDTH_PUNCTUATION}])"
)
_PUNCTUATION = r'[.,?:;!"()]'
_PUNCTUATION_WITH_ASIAN = f'[.,?:;!"(){_ASIAN_PUNCTUATION}{_FULLWIDTH_PUNCTUATION}]'
_LINE_END = "\n"
_compile = cache(re.compile)


class Tercom(OfLines):
    """`tercom`: lowercases by default, and otherwise only splits on white space.

    Args:
        normalized: split punctuation off and decode entities.
        no_punct: remove punctuation.
        asian_support: treat East Asian punctuation in the same way and, with `normalized`, split Han characters.
        case_sensitive: keep case.

    >>> list(Tercom(normalized=True).tokenize(Segments.from_strings(["It's 1,000.5 (net)."])))
    ["it 's 1,000.5 ( net ) ."]
    """

    signature = "tercom"

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
    ) -> None:
        self.case_sensitive = case_sensitive
        self.normalized = normalized
        self.no_punct = no_punct
        self.asian_support = asian_support

    def tokenize(self, segments: Segments) -> Segments:
        """Return the segments with tokens separated by white space; missing ones stay missing."""
        if not self.case_sensitive:
            segments = segments.lower()
        if not self.normalized and not self.no_punct:
            return segments
        texts = list(segments)
        cut = iter(self._cut([text for text in texts if text is not None]))
        return Segments.from_strings([None if text is None else next(cut) for text in texts])

    def split_line(self, line: str) -> str:
        """Return a line with its tokens separated by white space; errors are those of `tokenize`."""
        try:
            line.encode()  # refuses lone surrogates
        except (AttributeError, UnicodeEncodeError):
            return super().split_line(line)  # it says what is wrong
        text = line if self.case_sensitive else line.lower()
        if self.normalized:
            return self._cut([text])[0]
        if self.no_punct:
            return " ".join(_compile(self._marks()).sub("", text).split())
        return text

    def _marks(self) -> str:
        return _PUNCTUATION_WITH_ASIAN if self.asian_support else _PUNCTUATION

    def _cut(self, texts: list[str]) -> list[str]:
        """Tokenize all texts at once: one per line, spaces around each, so that no rule sees more than one of them."""
        if not texts:
            return []
        # Quirk: a line feed and the hyphen after it are deleted; 13a deletes a hyphen and the line feed after it
        lines = [text.replace("\n-", "") if self.normalized else text for text in texts]
        text_of_lines = f" {f' {_LINE_END} '.join([line.replace(_LINE_END, ' ') for line in lines])} "
        if self.normalized:
            text = text_of_lines
            for entity, character in _ENTITIES:
                text = text.replace(entity, character)
            text = _space_out(_SYMBOLS, text)
            for pattern, replacement in _WESTERN:
                text = _compile(pattern).sub(replacement, text)
            text_of_lines = _space_out(_ASIAN, text) if self.asian_support else text
        if self.no_punct:
            text_of_lines = _compile(self._marks()).sub("", text_of_lines)
        return [" ".join(line.split()) for line in text_of_lines.split(_LINE_END)]


def _space_out(characters: str, text: str) -> str:
    """Put a space on both sides of certain characters.

    >>> _space_out(_ASIAN, "ab東")
    'ab 東 '
    """
    return " ".join(_compile(characters).split(text))
