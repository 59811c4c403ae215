"""What hypothesis draws texts and corpora from: all of Unicode, and what tokenizers stumble over.

- `texts`: one text
- `corpora`: hypotheses and references that share much, some references missing
- `examples`, `enough`: how many to try: a sixteenth by default, all with BLEU_TEST_EXAMPLES=all, as in `.ci/run`
- `every`: parameters of a test, of which only some are tried unless slow tests are
"""

from __future__ import annotations

import os
from collections import namedtuple
from collections.abc import Iterable

import pytest
from hypothesis import settings
from hypothesis import strategies as st

# What `str.split` treats as white space, and what only looks like it
SPACES = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2003\u200a\u2028\u2029\u202f\u205f\u3000"
NO_SPACES = "\0\x1b\u180e\u200b\u200d\u2060\ufeff"
FRAGMENTS = (
    *SPACES,
    *NO_SPACES,
    *"٣৪५²½Ⅷ𝟜0059",
    *("é", "e\u0301", "\u0300", "a\u20dd", "\ufe0f", "ñ", "ȷ\u0323\u0307"),
    *("👍🏽", "👩\u200d👩\u200d👧", "🇩🇪", "𠀀", "\U0010ffff", "\uffff", "\ud7ff", "\ue000"),
    *("&quot;", "&amp;", "&lt;", "&gt;", "&amp;lt;", "&amp;amp;", "&apos;", "&", "&amp", "&LT;", ";", "&l&lt;t;"),
    *("<skipped>", "<skip<skipped>ped>", "<skipped", "-\n", "--\n", "-\r\n", "-<skipped>\n", "\n-", "-", "---"),
    *("..,,5-5", "...", ".", ",", "5.", ".5", "5-", "-5", "1,000.5", "$5.00-", "x-5-6", ",.", "5..5", "3.a", "٣.٣"),
    *r"""!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~""",
    *("“", "”", "—", "…", "«", "。", "、", "¿", "€", "№"),
    *("Σ", "σ", "ς", "ΑΣ", "ΑΣ.", "Σ\u0301", "İ", "I", "ı", "ß", "ẞ", "ǅ", "K", "Å", "Ⴀ", "Ꭰ", "𐐀"),
    *("the", "cat", "The", "dog", "中文", "東京", "ไทย", "नमस्ते", "שלום", "مرحبا"),
)
characters = st.characters(exclude_categories=["Cs"])
texts = st.lists(st.one_of(st.sampled_from(FRAGMENTS), characters), max_size=20).map("".join)


def examples(count: int) -> settings:
    """Return the settings to try `count` examples, or a sixteenth of them."""
    return settings(max_examples=max(enough(count), 10))


def enough(count: int) -> int:
    """Return how many of `count` random cases to try: at least one."""
    return count if os.environ.get("BLEU_TEST_EXAMPLES") == "all" else max(count // 16, 1)


def every(step: int, cases: Iterable[object]) -> list[object]:
    """Return the cases of one parameter; all but each `step`-th are marked slow."""
    return [pytest.param(case, marks=[pytest.mark.slow] * (n % step > 0)) for n, case in enumerate(cases)]


Corpus = namedtuple("Corpus", "hypotheses references")


@st.composite
def corpora(draw: st.DrawFn, missing: bool = True, max_streams: int = 3, max_segments: int = 4) -> Corpus:
    """Draw n hypotheses and streams of n references; no segment lacks all of them."""
    words = draw(st.lists(texts, min_size=1, max_size=4))
    spaces = st.sampled_from([" ", " ", " ", "", "  ", "\u3000", "\t", "-\n"])
    sentence = st.lists(st.tuples(st.sampled_from(words), spaces), max_size=9).map(
        lambda pairs: "".join(word + space for word, space in pairs)
    )
    text = st.one_of(sentence, sentence, sentence, texts)
    count = draw(st.integers(1, max_segments))
    streams = draw(st.integers(1, max_streams))
    hypotheses = draw(st.lists(text, min_size=count, max_size=count))
    reference = st.one_of(text, text, text, st.none()) if missing else text
    rows = [
        draw(
            st.lists(reference, min_size=streams, max_size=streams).filter(lambda row: any(r is not None for r in row))
        )
        for _ in range(count)
    ]
    return Corpus(hypotheses, [list(stream) for stream in zip(*rows, strict=True)])
