"""The tokenizer of TER: mimics tercom's, with sacreBLEU's options."""

import re
from collections.abc import Iterator

from bleucli.segments import Segments

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_ASIAN_PUNCTUATION = "\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb"
_FULLWIDTH_PUNCTUATION = "\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09"
# tercom's Normalizer: each substitution over the whole segment, in this order
_WESTERN = (
    (re.compile(r"([{-~\[-` -&(-+:-@/])"), r" \1 "),
    (re.compile(r"'s "), " 's "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
# Han; strokes and radicals; compatibility forms; enclosed letters and more; punctuation. Quirk: kana are left whole, as
# the rules for them never fire in sacreBLEU.
_ASIAN = tuple(
    (re.compile(f"([{ranges}])"), r" \1 ")
    for ranges in (
        "\u4e00-\u9fff\u3400-\u4dbf",
        "\u31c0-\u31ef\u2e80-\u2eff",
        "\u3300-\u33ff\uf900-\ufaff\ufe30-\ufe4f",
        "\u3200-\u3f22",
        _ASIAN_PUNCTUATION,
        _FULLWIDTH_PUNCTUATION,
    )
)
_PUNCTUATION = re.compile(r'[.,?:;!"()]')
_PUNCTUATION_WITH_ASIAN = re.compile(f'[.,?:;!"(){_ASIAN_PUNCTUATION}{_FULLWIDTH_PUNCTUATION}]')


class Tercom:
    """`tercom`: lowercases by default, and otherwise only splits on white space.

    Args:
        normalized: split punctuation off and decode entities.
        no_punct: delete punctuation.
        asian_support: do so with East Asian text too.
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
        self._substitutions = (*_WESTERN, *_ASIAN) if asian_support else _WESTERN
        self._deleted = (_PUNCTUATION_WITH_ASIAN if asian_support else _PUNCTUATION) if no_punct else None

    def tokenize(self, segments: Segments) -> Segments:
        """Return the segments with tokens separated by white space; those that are missing stay missing."""
        if not self.case_sensitive:
            segments = segments.lower()
        if not self.normalized and self._deleted is None:
            return segments
        return Segments.from_strings(list(self._each(segments)))

    def _each(self, segments: Segments) -> Iterator[str | None]:
        for text in segments:
            yield self._cut(text) if text else text

    def _cut(self, text: str) -> str:
        normalized = self._normalize(text) if self.normalized else text
        return " ".join((self._deleted.sub("", normalized) if self._deleted is not None else normalized).split())

    def _normalize(self, text: str) -> str:
        text = text.replace("\n-", "").replace("\n", " ")
        for entity, character in _ENTITIES:
            text = text.replace(entity, character)
        text = f" {text} "
        for pattern, replacement in self._substitutions:
            text = pattern.sub(replacement, text)
        return text
