"""The tokens of passages as numbers, so that NumPy can count them.

- `Tokens`: all texts of a page; `number_tokens` makes them
- `find_keys`: the places of numbers among sorted keys
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain

from bleucli.records import NamedTuple
from bleucli.report.passages import Passages, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


class Stream(NamedTuple):
    """One text of each passage, token by token.

    words: the number of each token. passages: the number of its passage, ascending. lengths: the tokens per passage.
    """

    words: Numbers
    passages: Numbers
    lengths: Numbers


class Tokens(NamedTuple):
    """The tokens of all passages.

    vocabulary: the different tokens; their numbers are their places in it. references: the first reference of each
    passage, the second, and so on; a passage with fewer references has no tokens there. hypotheses: one per system.
    """

    vocabulary: Sequence[str]
    references: Sequence[Stream]
    hypotheses: Sequence[Stream]


def number_tokens(passages: Passages) -> Tokens:
    """Return the tokens of all passages.

    >>> from bleucli.report.passages import Passage
    >>> texts = [Text("a b", "a b", "11"), Text("b b", "b b", "11")]
    >>> tokens = number_tokens(Passages([Passage(0, None, texts[:1], texts[1:])], "", 4, False, ""))
    >>> tokens.vocabulary, tokens.references[0].words.tolist(), tokens.hypotheses[0].words.tolist()
    (['a', 'b'], [0, 1], [1, 1])
    """
    import numpy as np

    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__  # a new token gets the next number

    def read(texts: Iterator[Text | None]) -> Stream:
        split = [[] if text is None else text.tokens.split() for text in texts]
        lengths = np.fromiter(map(len, split), np.int64, len(split))
        words = np.fromiter(map(numbers.__getitem__, chain.from_iterable(split)), np.int64)
        return Stream(words, np.repeat(np.arange(len(split)), lengths), lengths)

    held = passages.passages
    most = max(len(passage.references) for passage in held)
    references = [
        read(passage.references[place] if place < len(passage.references) else None for passage in held)
        for place in range(most)
    ]
    systems = range(len(held[0].hypotheses))
    hypotheses = [read(passage.hypotheses[place] for passage in held) for place in systems]
    return Tokens(list(numbers), references, hypotheses)


def find_keys(keys: Numbers, wanted: Numbers) -> Numbers:
    """Return the place of each wanted number among keys, which are ascending and distinct; -1 if it is missing.

    >>> import numpy as np
    >>> find_keys(np.array([2, 5]), np.array([5, 3, 2])).tolist()
    [1, -1, 0]
    """
    import numpy as np

    if not len(keys):
        return np.full(len(wanted), -1)
    places = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
    return np.where(keys[places] == wanted, places, -1)
