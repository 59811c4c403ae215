"""How other programs make BLEU of the same n-grams: NLTK, Hugging Face's evaluate, torchmetrics and multi-bleu.perl.

They differ from sacreBLEU in the length of the references, in the n-grams of short segments, and where an order has no
match. All of it was observed by running them, on texts made for that.

- `Counts`: what they make scores of; `count_block`: the counts of some segments
- `nltk`, `evaluate`, `torchmetrics`, `multi_bleu`: the scores in percent
- `read_bytes`, `split_compounds`: what `multi-bleu.perl` takes for words
- `Way`: one way to score, with its command; `ways`: those that use some tokens
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import exp, log
from shlex import join, quote

from bleucli.metrics.bleu import MAX_NGRAM_ORDER, brevity_penalty
from bleucli.metrics.smoothing import chen_cherry
from bleucli.phrases import join_words
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# White space for Python, but not for Perl in bytes; each becomes a character of its own, of Unicode's private use area
_NO_SPACES = "\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
_NO_SPACES += "\u2028\u2029\u202f\u205f\u3000"
_STAND_INS = {ord(mark): 0xF8A0 + number for number, mark in enumerate(_NO_SPACES)}
# What users of Moses' script did to English-German before it, after Vaswani et al. (2017): split compounds at hyphens
_COMPOUND = re.compile(r"(\S)-(\S)")
_SPLIT = r"\1 ##AT##-##AT## \2"
_SPLIT_IN_PERL = "s{(\\S)-(\\S)}{$1 ##AT##-##AT## $2}g"
_ASCII_LOWER = {ord(letter): ord(letter.lower()) for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


class Counts(NamedTuple):
    """What a corpus has, summed over its segments.

    hypothesis: tokens of the output. closest: tokens of the references closest in length, the shorter of two. first:
    the same, the first of two. shortest: tokens of the shortest references. matches, totals: n-grams by order, up to 4.
    raised: `totals`, with at least one n-gram of each order in each segment.
    """

    hypothesis: int
    closest: int
    first: int
    shortest: int
    matches: Sequence[int]
    totals: Sequence[int]
    raised: Sequence[int]

    def plus(self, other: Counts) -> Counts:
        """Return the counts of both together.

        >>> Counts(4, 5, 5, 5, [1], [4], [4]).plus(Counts(1, 1, 1, 1, [1], [1], [1]))[:2]
        (5, 6)
        """
        pairs = zip(self, other, strict=True)
        sums = [
            [one + more for one, more in zip(ours, theirs, strict=True)]
            if isinstance(ours, Sequence) and isinstance(theirs, Sequence)
            else ours + theirs  # type: ignore[operator]
            for ours, theirs in pairs
        ]
        return Counts(*sums)  # type: ignore[arg-type]


def count_block(rows: NDArray[np.int64], lengths: NDArray[np.int64]) -> Counts:
    """Return the counts of some segments.

    rows: those of BLEU of order 4, made with all references. lengths: for each reference, n lengths in tokens; -1 where
    it is missing.
    """
    import numpy as np

    ours, theirs = rows[:, 0], np.where(lengths < 0, np.iinfo(np.int64).max // 4, lengths)
    nearest = np.argmin(np.abs(theirs - ours), axis=0)
    first = np.take_along_axis(theirs, nearest[None], axis=0)
    totals = rows[:, 2 + MAX_NGRAM_ORDER :]
    sums = rows.sum(axis=0).tolist()
    return Counts(
        sums[0],
        sums[1],
        int(first.sum()),
        int(theirs.min(axis=0).sum()),
        sums[2 : 2 + MAX_NGRAM_ORDER],
        sums[2 + MAX_NGRAM_ORDER :],
        np.maximum(totals, 1).sum(axis=0).tolist(),
    )


def _mean(shares: Sequence[float], order: int) -> float:
    """Return the geometric mean of precisions; the product leaves out those that are 0, the root does not."""
    return exp(sum(log(share) for share in shares if share) / order)


def nltk(counts: Counts, order: int = MAX_NGRAM_ORDER, method: int = 0) -> float:
    """Return the score of `corpus_bleu` with equal weights; method: that of `SmoothingFunction`, from 0 to 4.

    It counts at least one n-gram of each order in each segment. Without smoothing, an order without a match has the
    smallest number that is not 0.

    >>> counts = Counts(7, 7, 7, 7, [7, 5, 4, 3], [7, 5, 4, 3], [7, 6, 5, 4])
    >>> round(nltk(counts), 2), round(evaluate(counts), 2)
    (84.09, 100.0)
    """
    if not counts.matches[0]:
        return 0.0
    matches, totals = counts.matches[:order], counts.raised[:order]
    if method:
        shares = chen_cherry(method, matches, totals, counts.hypothesis, order)
    else:
        shares = [count / total or sys.float_info.min for count, total in zip(matches, totals, strict=True)]
    return 100 * brevity_penalty(counts.hypothesis, counts.closest) * _mean(shares, order)


def evaluate(counts: Counts, order: int = MAX_NGRAM_ORDER, smooth: bool = False) -> float:
    """Return the score of Hugging Face's `bleu`; smooth: add 1 to matches and n-grams of all orders.

    It compares lengths with the shortest reference.
    """
    more = int(smooth)
    pairs = zip(counts.matches[:order], counts.totals[:order], strict=True)
    shares = [(count + more) / (total + more) if total + more else 0.0 for count, total in pairs]
    return 100 * brevity_penalty(counts.hypothesis, counts.shortest) * _mean(shares, order) if all(shares) else 0.0


def torchmetrics(counts: Counts, order: int = MAX_NGRAM_ORDER, smooth: bool = False) -> float:
    """Return the score of `bleu_score` or `sacre_bleu_score`; smooth: add 1 from order 2 on, if each order has a match.

    Of two references that are equally close in length, it takes the first.
    """
    matches, totals = counts.matches[:order], counts.totals[:order]
    if not all(matches):
        return 0.0
    added = [int(smooth and number > 0) for number in range(order)]
    shares = [(count + more) / (total + more) for count, total, more in zip(matches, totals, added, strict=True)]
    return 100 * brevity_penalty(counts.hypothesis, counts.first) * _mean(shares, order)


def multi_bleu(counts: Counts) -> float:
    """Return the score of `multi-bleu.perl`: BLEU without smoothing."""
    if not all(counts.matches):
        return 0.0
    shares = [count / total for count, total in zip(counts.matches, counts.totals, strict=True)]
    return 100 * brevity_penalty(counts.hypothesis, counts.closest) * _mean(shares, MAX_NGRAM_ORDER)


def read_bytes(text: str, lowercase: bool) -> str:
    r"""Return a text whose words are those of `multi-bleu.perl`; lowercase: with `-lc`.

    That program reads bytes: only ASCII's white space separates words, and `-lc` changes only ASCII's letters.

    >>> len(read_bytes("a\xa0b c", False).split()), read_bytes("ÄB", True)
    (2, 'Äb')
    """
    text = text.translate(_STAND_INS)
    return text.translate(_ASCII_LOWER) if lowercase else text


def split_compounds(text: str) -> str:
    """Return a text for `multi-bleu.perl` with compounds split at hyphens.

    >>> split_compounds("a well-known fact")
    'a well ##AT##-##AT## known fact'
    """
    return _COMPOUND.sub(_SPLIT, read_bytes(text, False))


# --- in words

# Tokens that only multi-bleu.perl has
BYTES, COMPOUNDS = "bytes", "compounds"
# Texts as they are, in lower case, and with tokens in lower case: torchmetrics lowercases after tokenizing
MIXED, LOWER, LAST = "mixed", "lower", "last"
# How uncommon it is to publish BLEU by a program, and to depart from its defaults: see `bleucli.match`
_COSTS = {"evaluate": 1.2, "multi-bleu.perl": 1.4, "NLTK": 1.6, "torchmetrics": 1.8}
UNUSUAL = 2.0
# Tokenizers for which torchmetrics' sacre_bleu_score needs no other package
OF_TORCHMETRICS = ("13a", "intl", "char", "zh")
MULTI_BLEU = "multi-bleu.perl"


class Way(NamedTuple):
    """One way to score.

    cost: how uncommon it is. program: as in `bleucli.match.Setting`. title: the program and its settings in a
    few words. score: the score of counts, in percent. command: takes the files of the references, that of the system,
    and what a perfect score is (100 or 1); returns the command.
    """

    cost: float
    program: str
    title: str
    score: Callable[[Counts], float]
    command: Callable[[Sequence[str], str, int], str]


def ways(tokens: str, case: str) -> Iterator[Way]:
    """Give the ways of other programs to score some tokens.

    tokens: the name of a tokenizer, `BYTES` or `COMPOUNDS`. case: `MIXED`, `LOWER` or `LAST`.

    >>> [way.title for way in ways(BYTES, LOWER)]
    ['multi-bleu.perl -lc']
    """
    if tokens in (BYTES, COMPOUNDS):
        yield _way_of_perl(case == LOWER, tokens == COMPOUNDS)
        return
    for order in range(MAX_NGRAM_ORDER, 0, -1):
        for method in range(5) if tokens == "none" and case != LAST else ():
            yield _way_of_nltk(case == LOWER, order, method)
        for smooth in (False, True):
            if tokens in ("13a", "none") and case != LAST:
                yield _way_of_evaluate(tokens, case == LOWER, order, smooth)
            if tokens == "none" or (tokens in OF_TORCHMETRICS and case != LOWER):
                yield _way_of_torchmetrics(tokens, case != MIXED, order, smooth)


def _way(
    program: str,
    departures: int,
    title: str,
    parts: Sequence[str],
    score: Callable[[Counts], float],
    command: Callable[[Sequence[str], str, int], str],
) -> Way:
    """Return a way; departures: from the usual settings. parts: of the title."""
    title = f"{title} with {join_words(parts)}" if parts else title
    return Way(_COSTS[program] + UNUSUAL * departures, program, title, score, command)


def _run_python(imports: str, line: str, call: str, references: Sequence[str], system: str, scale: int) -> str:
    """Return a command that prints the score which a call of Python returns.

    imports: a statement. line: what becomes of a line of the files, `line`. call: an expression of the output `h` and
    the references `r`, which has a list for each segment.
    """
    read = f'h, *r = [[{line} for line in open(f, encoding="utf-8", newline="\\n")] for f in sys.argv[1:]]'
    score = call if scale == 1 else f"100 * {call}"
    program = f"import sys; {imports}; {read}; r = list(map(list, zip(*r))); print({score})"
    return f"python3 -c {quote(program)} {join([system, *references])}"


def _line(lowercase: bool, then: str) -> str:
    return f"line{'.lower()' if lowercase else ''}.{then}"


# Cuts the end of a line, which is not part of the text
_WHOLE = r'rstrip("\n")'


def _way_of_nltk(lowercase: bool, order: int, method: int) -> Way:
    parts = [f"n-grams up to {order}"] if order < MAX_NGRAM_ORDER else []
    arguments = f", [1/{order}] * {order}" if order < MAX_NGRAM_ORDER else ""
    if method:
        parts.append(f"method{method}")
        arguments += f", smoothing_function=SmoothingFunction().method{method}"
    departures = len(parts) + lowercase
    parts += ["words in lower case"] if lowercase else []
    imports = "from nltk.translate.bleu_score import *"
    command = partial(_run_python, imports, _line(lowercase, "split()"), f"corpus_bleu(r, h{arguments})")
    score = partial(nltk, order=order, method=method)
    return _way("NLTK", departures, "NLTK's corpus_bleu", parts, score, command)


def _way_of_evaluate(tokens: str, lowercase: bool, order: int, smooth: bool) -> Way:
    parts = [f"max_order={order}"] if order < MAX_NGRAM_ORDER else []
    parts += ["smooth=True"] if smooth else []
    parts += ["tokenizer=str.split"] if tokens == "none" else []
    call = f'evaluate.load("bleu").compute({", ".join(["predictions=h", "references=r", *parts])})["bleu"]'
    departures = len(parts) + lowercase
    parts += ["texts in lower case"] if lowercase else []
    command = partial(_run_python, "import evaluate", _line(lowercase, _WHOLE), call)
    score = partial(evaluate, order=order, smooth=smooth)
    return _way("evaluate", departures, "Hugging Face's bleu", parts, score, command)


def _way_of_torchmetrics(tokens: str, lowercase: bool, order: int, smooth: bool) -> Way:
    is_bare = tokens == "none"  # bleu_score separates words only at spaces, and leaves case alone
    function = "bleu_score" if is_bare else "sacre_bleu_score"
    parts = [f"n_gram={order}"] if order < MAX_NGRAM_ORDER else []
    parts += ["smooth=True"] if smooth else []
    parts += [] if tokens in ("none", "13a") else [f'tokenize="{tokens}"']
    parts += ["lowercase=True"] if lowercase and not is_bare else []
    call = f"float({function}({', '.join(['h', 'r', *parts])}))"
    departures = len(parts) + (lowercase and is_bare)
    parts += ["texts in lower case"] if lowercase and is_bare else []
    imports = f"from torchmetrics.functional.text import {function}"
    command = partial(_run_python, imports, _line(lowercase and is_bare, _WHOLE), call)
    score = partial(torchmetrics, order=order, smooth=smooth)
    return _way("torchmetrics", departures, f"torchmetrics' {function}", parts, score, command)


def _way_of_perl(lowercase: bool, splits: bool) -> Way:
    option = " -lc" if lowercase else ""

    def command(references: Sequence[str], system: str, scale: int) -> str:
        copy = f"perl -pe {quote(_SPLIT_IN_PERL)}" if splits else "cat"
        steps, reference, output = [], quote(references[0]), quote(system)
        if splits or len(references) > 1:
            # The program reads REF, and then REF0, REF1 and so on, as long as there is one. The number of references is
            # part of the name, so that none is left over from a command with more of them
            reference = f"multi-bleu.{len(references)}ref"
            steps = [f"{copy} {quote(file)} > {reference}{number}" for number, file in enumerate(references)]
        if splits:
            output = "multi-bleu.out"
            steps.append(f"{copy} {quote(system)} > {output}")
        return " && ".join([*steps, f"perl multi-bleu.perl{option} {reference} < {output}"])

    title = f"multi-bleu.perl{option}{' after splitting compounds at hyphens' if splits else ''}"
    return _way(MULTI_BLEU, lowercase + splits, title, [], multi_bleu, command)
