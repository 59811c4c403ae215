"""CER, character error rate: WER with characters in place of words; the numbers are those of jiwer 4.

`CER` is the metric; `corpus_cer` and `sentence_cer` are shorthands for it.
"""

from __future__ import annotations

from collections.abc import Iterable

from bleucli.metrics.base import metric_for
from bleucli.metrics.options import SHARED
from bleucli.metrics.wer import ErrorRate, ErrorRateScore, lowercase_option


class CERScore(ErrorRateScore):
    """A CER score in percent: edits per hundred characters of the references.

    Attributes:
        score: in percent; it may exceed 100.
        num_edits: insertions, deletions and substitutions.
        ref_length: in characters, including the spaces between words.

    >>> from bleucli import CER
    >>> score = CER().sentence_score("a cat", ["the cat"])
    >>> score.num_edits, score.ref_length, round(score.score, 1)
    (3, 7, 42.9)
    """

    name = "CER"


class CER(ErrorRate[CERScore]):
    """Character error rate as jiwer computes it; see `ErrorRate` for what is counted. Spaces between words count.

    Args:
        lowercase: compare without regard to case.
        references: streams, to be prepared once for several systems.
        skip_empty_refs: treat an empty reference as missing.
        normalize: what to make alike in output and references, as for `normalize`.

    >>> CER().corpus_score(["The dog bit the man."], [["The dog had bit the man."]])
    CER = 16.67
    """

    name = "CER"
    aligns = "character"
    characters = True
    score_class = CERScore
    options = (lowercase_option("--cer-lowercase"), *SHARED)


def corpus_cer(
    hypotheses: Iterable[str | None],
    references: Iterable[Iterable[str | None]],
    lowercase: bool = False,
    *,
    jobs: int = 1,
) -> CERScore:
    """Score a system's output.

    Args:
        hypotheses: n strings.
        references: streams, each of n strings; None is a missing reference.
        lowercase: compare without regard to case.
        jobs: the number of threads, 0 for all usable processors; it never changes a score.

    Returns:
        CER in percent, which may exceed 100, with edits and the reference length in characters.

    Raises:
        BleuError: lengths differ, a segment has no reference, or an option has an invalid value.
        InputTypeError: something other than strings, or a list of the wrong shape.

    >>> corpus_cer(["the cat sat"], [["the hat sat!"]]).num_edits
    2
    """
    return CER(lowercase).corpus_score(hypotheses, references, jobs=jobs)


def sentence_cer(hypothesis: str, references: Iterable[str | None], lowercase: bool = False) -> CERScore:
    """Score one segment.

    Args:
        hypothesis: the system's output, a string.
        references: strings; None is a missing reference.
        lowercase: compare without regard to case.

    Returns:
        CER in percent, which may exceed 100, with edits and the reference length in characters.

    Raises:
        BleuError: there is no reference, or an option has an invalid value.
        InputTypeError: something other than strings, or a bare string as references.

    >>> sentence_cer("the cat sat", ["the cat sat"]).score
    0.0
    """
    return metric_for(CER, lowercase).sentence_score(hypothesis, references)
