"""Both kernels give the same answer, or raise the same error, where only direct callers can go.

Every kernel is called with nothing at all, empty and missing texts, numbers below those that make sense, and lengths
that do not fit.
"""

from __future__ import annotations

import inspect
import random
from array import array
from itertools import islice, product
from math import inf, nan, nextafter

import pytest

from bleucli.kernels import python
from bleucli.kernels.stats import SegmentStats
from bleucli.text import Segments

native = pytest.importorskip("bleucli.kernels._native", reason="the native kernels were not built")

# The most calls of one kernel; of more, these are drawn at random
MOST = 6000


def stats_of(kind, columns, *numbers):
    return SegmentStats(memoryview(array(kind, numbers)), columns)


NOTHING, EMPTY, MISSING, ONE, TWO = map(Segments.from_strings, ([], [""], [None], ["a b"], ["a b", "c"]))
TEXTS = [NOTHING, EMPTY, MISSING, ONE, TWO]
STREAMS = [[], *([one] for one in TEXTS), [ONE, EMPTY], [ONE, MISSING], [ONE, TWO]]
WORDS = [array("Q"), array("Q", [0x123456789ABCDEF0]), bytes(9)]
STATS = [
    *(stats_of("q", 1), stats_of("d", 2), stats_of("q", 1, 1, 2), stats_of("q", 2, 1, -2), stats_of("d", 1, 1.5, -0.0)),
    *(stats_of("q", 1, 2**63 - 1), stats_of("q", 1, -(2**63)), stats_of("q", 2, 1), stats_of("i", 1, 1)),
]
# Where the digits of doubles are decided: powers and what is next to them, ties, and what 128 bits cannot hold
NUMBERS = [
    *(sign * number for number in (0.0, 5e-324, 1e-7, 0.05, 1e15, 1e16, 1e300, inf, nan) for sign in (1, -1)),
    *(
        nextafter(base**power, to)
        for base in (2.0, 10.0)
        for power in range(-11, 32, 3)
        for to in (0, base**power, inf)
    ),
    *(0.125, 0.25, 0.35, 2.5, 0.5, 1.5, 65536 + 1 / 4096, 100 / 3, 200 / 3, 9.95, 99.95, 999999999.9999999),
]
EDGES = {
    "data": [b"", b"\n", b"a\tb\n", b"\xff"],
    "columns": [-(2**63), -1, 0, 1, 2],
    "segments": TEXTS,
    "texts": TEXTS,
    "hypotheses": TEXTS,
    "references": STREAMS,
    "classes": [b"", bytes(0x110000)],
    "ending": [b"", b"b"],
    "max_order": [-1, 0, 1, 3],
    "groups": [array("q", sizes) for sizes in ([], [0], [1], [2], [0, 1], [-1, 2], [-(2**63)])],
    "char_order": [-1, 0, 2],
    "word_order": [-1, 0, 1],
    "beta": [0, -2, 1e200, float("nan")],
    "whitespace": [False, True],
    "eps_smoothing": [False, True],
    "characters": [False, True],
    "stats": STATS,
    "left": STATS,
    "right": STATS,
    "words": WORDS,
    "half": [-1, 0, 1, 3],
    "resamples": [-1, 0, 1, 2],
    "first": [-1, 0, 1, 64, 65],
    "trials": [-1, 0, 1, 2, 64],
    "sizes": [array("q", sizes) for sizes in ([], [1], [0, 0], [1, 0], [0, 1], [1, 1], [2, 1], [-1, 1])],
    "weights": [None, array("d"), array("d", [-1]), array("d", [1, 2])],
    "scores": [array("d"), array("d", [7]), array("d", [7, 7])],
    "smooth_method": ["exp", "floor", "add-k", "none", "no method"],
    "smooth_value": [-1.0, 0.0, 0.5, float("nan")],
    "effective_order": [False, True],
    "pieces": [
        *([], [b"text"], ["text"], [b"a", []], [[b"a", b"b"]], [[b"a"], b"-", [b"c"]], [[b"a"], [b"a", b"b"]]),
        *([(array(kind), 1)] for kind in "dqiIfb"),
        *([(array("d", [number]), decimals)] for number in NUMBERS for decimals in (-1, 0, 1, 9, 10, 400)),
        *([(array(kind, [-1, 0, 2**31 - 1]), 1), [b"a", b"b", b"c"], b"\n"] for kind in "qi"),
        [(array("q", [-(2**63), 2**63 - 1, 10]), -1), b"\n", (memoryview(array("d", range(6)))[::2], 2)],
        *([(memoryview(bytes(16)).cast("d", (1, 2)), 1)], [(array("d", [1, 2]), 1), (array("q", [1]), 1)]),
    ],
}
# Where a parameter of this name is something else
OTHERS = {
    "draw_weights": {"segments": [-1, 0, 1, 2, 2**32]},
    "weighted_sums": {"weights": list(map(bytes, range(5)))},
    "pairwise_bleu": {"references": TEXTS},
    "pairwise_chrf": {"references": TEXTS},
    "bleu_rows": {
        "stats": [
            *STATS,
            *(stats_of("q", 4), stats_of("d", 4, 1, 1, 1, 1), stats_of("q", 5, 1, 1, 1, 1, 1)),
            *(
                stats_of("q", 4, *row)
                for row in ((0, 0, 0, 0), (1, 2, 0, 1), (1, 2, 1, 1), (1, 1, 2, 1), (-1, 1, 0, 1))
            ),
            *(stats_of("q", 6, *row) for row in ((1, 0, 1, 0, 1, 0), (2, 1, 1, 0, 2, 1), (3, 3, 0, 1, 3, 2))),
        ],
    },
    "chrf_rows": {
        "stats": [*STATS, *(stats_of("q", 3, *row) for row in ((0, 0, 0), (1, 0, 0), (2, 1, 1), (-1, 1, 1)))],
    },
    "f_score": {"stats": [[], [1], [0, 0, 0], [1, 0, 0], [-1, 1, 1], [2, 1, 1, 0, 0, 0], [float("nan"), 1, 1]]},
}


def calls(name):
    edges = EDGES | OTHERS.get(name, {})
    every = [edges[parameter] for parameter in inspect.signature(getattr(python, name)).parameters]
    found = list(islice(product(*every), MOST + 1))
    if len(found) <= MOST:
        return found
    dice = random.Random(1)
    return [tuple(map(dice.choice, every)) for _ in range(MOST)]


def answer(function, arguments):
    # Kernels that fill an array get one of their own
    own = [one[:] if isinstance(one, array) and one.typecode == "d" else one for one in arguments]
    try:
        return repr(plain(function(*own)))
    except Exception as error:
        return repr(error)


def plain(value):
    if isinstance(value, SegmentStats):
        return value.columns, value.data.format, list(value)
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if isinstance(value, list):
        return list(map(plain, value))
    return list(value) if isinstance(value, Segments) else value


@pytest.mark.parametrize("name", python.__all__)
def test_both_kernels_agree_at_the_edges(name):
    for arguments in calls(name):
        found, expected = (answer(getattr(module, name), arguments) for module in (native, python))
        assert found == expected, arguments
