"""What papers say of scores: what to cite for them, and how often people agree with them.

- `Paper`: a publication; the constants after it are those for metrics, tokenizers, smoothing and tests. They are in
  `papers.bib`, each under a comment with the short name of the place where it appeared.
- `cite`: how a sentence cites papers
- `TOKENIZERS`, `find_tokenizer`, `TESTS`: which papers belong to which
- `Curve`: how often people agree with a metric's order of two systems, by the difference of their scores (Kocmi et al.
  2024); `tell_agreement`: the same in a sentence
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from math import exp

from bleucli.records import NamedTuple
from bleucli.results.signature import RUN_KEYS


class Paper(NamedTuple):
    """A publication.

    short: how a sentence cites it. full: the same as an item in a list of references. bibtex: its BibTeX entry, whose
    key is that of the ACL Anthology, if it has the paper.
    """

    short: str
    full: str
    bibtex: str


def _read_papers() -> dict[str, Paper]:
    """Return the papers of `papers.bib` by their keys."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "papers.bib"), encoding="utf-8") as file:
        blocks = file.read().rstrip().split("\n\n")
    papers = {}
    for block in blocks:
        comment, _, entry = block.partition("\n")
        venue = comment.removeprefix("%").strip()  # a report has none
        fields = dict(re.findall(r"^  (\w+) = \{+(.*?)\}+,$", entry, re.MULTILINE))
        authors = fields["author"].split(" and ")
        # The last name, but all of the name of a team, which has two braces
        names = authors if "author = {{" in entry else [author.rpartition(" ")[2] for author in authors]
        short = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
        full = f"{', '.join(authors)} ({fields['year']}): {fields['title']}. "
        full += f"{venue}. {fields['url']}" if venue else fields["url"]
        key = entry.partition("{")[2].partition(",")[0]
        papers[key] = Paper(f"{short}, {fields['year']}", full, entry)
    return papers


def cite(papers: Sequence[Paper]) -> str:
    """Return papers as a sentence cites them, with a blank before; "" for none.

    >>> cite([MECAB, SENTENCEPIECE])
    ' (Kudo et al., 2004; Kudo and Richardson, 2018)'
    """
    return f" ({'; '.join(paper.short for paper in papers)})" if papers else ""


class Tokenizer(NamedTuple):
    """A tokenizer: its signature, or the start of it, which then ends in a hyphen; what it is; what to cite."""

    start: str
    about: str
    papers: Sequence[Paper] = ()


_PAPERS = _read_papers()
BLEU = _PAPERS["papineni-etal-2002-bleu"]
CHRF = _PAPERS["popovic-2015-chrf"]
CHRF_WORDS = _PAPERS["popovic-2017-chrf"]
TER = _PAPERS["snover-etal-2006-study"]
EDIT_DISTANCE = _PAPERS["levenshtein-1966-binary"]
SACREBLEU = _PAPERS["post-2018-call"]
SMOOTHING = _PAPERS["chen-cherry-2014-systematic"]
MECAB = _PAPERS["kudo-etal-2004-applying"]
SENTENCEPIECE = _PAPERS["kudo-richardson-2018-sentencepiece"]
FLORES_101 = _PAPERS["goyal-etal-2022-flores"]
FLORES_200 = _PAPERS["nllb-2022-language"]
TOUCAN = _PAPERS["elmadany-etal-2024-toucan"]
SELF_BLEU = _PAPERS["zhu-etal-2018-texygen"]
DISTINCT = _PAPERS["li-etal-2016-diversity"]
BOOTSTRAP = _PAPERS["koehn-2004-statistical"]
RANDOMIZATION = _PAPERS["riezler-maxwell-2005-pitfalls"]
STEP_DOWN = _PAPERS["romano-wolf-2005-exact"]
AGREEMENT = _PAPERS["kocmi-etal-2024-navigating"]
# Those of BLEU; the first that matches counts
TOKENIZERS = (
    Tokenizer("13a", "13a, the tokenizer of mteval-v13a, which WMT uses"),
    Tokenizer("intl", "intl, the tokenizer of mteval-v14 for international text"),
    Tokenizer("zh", "zh: Chinese characters one by one, 13a for the rest"),
    Tokenizer("char", "char: every character is a token"),
    Tokenizer("none", "none: white space separates tokens"),
    Tokenizer("ja-mecab-", "MeCab with the IPA dictionary", (MECAB,)),
    Tokenizer("ko-mecab-", "mecab-ko, a MeCab for Korean, with mecab-ko-dic", (MECAB,)),
    Tokenizer("flores101", "the SentencePiece model of FLORES-101 (spBLEU)", (FLORES_101, SENTENCEPIECE)),
    Tokenizer("flores200", "the SentencePiece model of FLORES-200 (spBLEU)", (FLORES_200, SENTENCEPIECE)),
    Tokenizer("spBLEU-1K", "the SentencePiece model of spBLEU-1K", (TOUCAN, SENTENCEPIECE)),
    Tokenizer("spm-", "a custom SentencePiece model, named by the start of its SHA-256", (SENTENCEPIECE,)),
)
# By method
TESTS = {"bs": BOOTSTRAP, "ar": RANDOMIZATION}


def find_tokenizer(value: str) -> Tokenizer | None:
    """Return the tokenizer that signatures of BLEU call `value`; None if it is a custom one."""
    return next(
        (one for one in TOKENIZERS if value == one.start or (one.start.endswith("-") and value.startswith(one.start))),
        None,
    )


# --- how often people agree

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

    usual: the keys and values that the settings must have. others: keys whose values the caller judges.

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

    share: in percent of pairs of systems. pair: both systems, in words.

    >>> print(tell_agreement("BLEU", 64.2, "A and B"))
    Where two systems differ as much by BLEU as A and B, people agree with their order in about 64% of pairs (Kocmi et\
 al., 2024).
    """
    if share is None:
        return ""
    source = cite([AGREEMENT])
    start = f"Where two systems differ as much by {name} as {pair}"
    return f"{start}, people agree with their order {tell_share(share)}{source}."
