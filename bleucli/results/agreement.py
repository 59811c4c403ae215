"""How often people agree with a metric's order of two systems, by the difference of their scores (Kocmi et al. 2024).

- `Curve`: the share of pairs of systems, fitted for one metric with one setting
- `tell_agreement`: the same in a sentence
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp

from bleucli.records import NamedTuple
from bleucli.results.signature import RUN_KEYS

# Below the first, the curves mean nothing; beyond the second, they are nearly flat
CHANCE, HIGHEST = 50.0, 80.0

# Keys of signatures that leave scores as they are
_OF_RUNS = ("test", "lang", *RUN_KEYS)


class Curve(NamedTuple):
    """The curve of one metric, `height / (1 + exp(-slope * difference))`.

    name: that of the scores it was fitted for. height: the limit, in percent of pairs. slope: per point.

    >>> curve = Curve("BLEU", 88.3333, 0.96639)
    >>> [round(curve.share(difference), 1) for difference in (0.1, -1.0, 2.0, 10.0)]
    [50.0, 64.0, 77.2, 80.0]
    """

    name: str
    height: float
    slope: float

    def share(self, difference: float) -> float:
        """Return the share of pairs in percent, from 50 (chance, or worse) to 80 (or more); difference: in points."""
        return min(max(self.height / (1 + exp(-self.slope * abs(difference))), CHANCE), HIGHEST)


def measures_systems(info: Mapping[str, str], usual: Mapping[str, str], *others: str) -> bool:
    """Return whether scores are of whole outputs with the usual settings, not of groups of segments or of documents.

    Args:
        info: the keys and values of the signature.
        usual: those that the settings must have.
        others: keys whose values the caller judges.

    >>> usual = {"nrefs": "1", "case": "mixed"}
    >>> measures_systems({**usual, "version": "x"}, usual), measures_systems({**usual, "domain": "news"}, usual)
    (True, False)
    """
    has_others = all(key in info for key in others)
    return has_others and usual.items() <= info.items() and info.keys() <= {*usual, *others, *_OF_RUNS}


def tell_share(share: float) -> str:
    """Return a share in words.

    >>> tell_share(50.0), tell_share(64.2), tell_share(80.0)
    ('no more often than by chance', 'in about 64% of pairs', 'in more than 80% of pairs')
    """
    if share <= CHANCE:
        return "no more often than by chance"
    return f"in {'more than' if share >= HIGHEST else 'about'} {share:.0f}% of pairs"


def tell_agreement(name: str, share: float | None, pair: str) -> str:
    """Return how often people agree with the order of two systems; "" if that is not known.

    Args:
        name: that of the scores.
        share: in percent of pairs of systems.
        pair: both systems, in words.

    >>> print(tell_agreement("BLEU", 64.2, "A and B"))
    Where two systems differ as much by BLEU as A and B, people agree with their order in about 64% of pairs (Kocmi et\
 al., 2024).
    """
    from bleucli.results import citations

    if share is None:
        return ""
    source = citations.cite([citations.AGREEMENT])
    start = f"Where two systems differ as much by {name} as {pair}"
    return f"{start}, people agree with their order {tell_share(share)}{source}."
