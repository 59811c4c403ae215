"""BLEU in one call, with sacreBLEU's names and arguments.

- `corpus_bleu`, `raw_corpus_bleu`: the score of a system's output, or of output that is already tokenized
- `sentence_bleu`: the score of a segment
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bleucli import tokenizers
from bleucli.metrics.base import metric_for
from bleucli.metrics.bleu import BLEU, MAX_NGRAM_ORDER, BLEUScore
from bleucli.metrics.smoothing import DEFAULT_VALUES


def corpus_bleu(
    hypotheses: Iterable[str | None],
    references: Iterable[Iterable[str | None]],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str | Callable[[str], str] = tokenizers.DEFAULT,
    use_effective_order: bool = False,
    *,
    tokenize_name: str = "",
    jobs: int = 1,
) -> BLEUScore:
    """Score a system's output.

    Args:
        hypotheses: n strings.
        references: streams: one list of n strings for each reference set; None is a missing reference.
        smooth_method, smooth_value, force, lowercase, tokenize, tokenize_name: as for `BLEU`.
        use_effective_order: as `effective_order` of `BLEU`.
        jobs: the number of threads, 0 for all usable processors; it never changes a score.

    Returns:
        BLEU in percent, with its parts.

    Raises:
        BleuError: lengths differ, a segment has no reference, or an option has an invalid value.
        InputTypeError: something other than strings, or a list of the wrong shape.

    >>> corpus_bleu(["the cat sat down"], [["the cat sat down there"]]).score
    77.88007830714052
    """
    metric = BLEU(
        lowercase,
        force,
        tokenize,
        smooth_method,
        smooth_value,
        effective_order=use_effective_order,
        tokenize_name=tokenize_name,
    )
    return metric.corpus_score(hypotheses, references, jobs=jobs)


def raw_corpus_bleu(
    hypotheses: Iterable[str | None],
    references: Iterable[Iterable[str | None]],
    smooth_value: float | None = DEFAULT_VALUES["floor"],
    *,
    jobs: int = 1,
) -> BLEUScore:
    """Score text that is already tokenized by white space, with `floor` smoothing and effective order.

    Args:
        hypotheses: n strings.
        references: streams, each of n strings; None is a missing reference.
        smooth_value: how many matches to assume for an order without a match.
        jobs: the number of threads, 0 for all usable processors; it never changes a score.

    Returns:
        BLEU in percent, with its parts.

    Raises:
        BleuError: lengths differ, or a segment has no reference.
        InputTypeError: something other than strings, or a list of the wrong shape.

    >>> raw_corpus_bleu(["the cat"], [["the cat"]]).score
    100.0
    """
    return corpus_bleu(hypotheses, references, "floor", smooth_value, True, False, "none", True, jobs=jobs)


def sentence_bleu(
    hypothesis: str,
    references: Iterable[str | None],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: str | Callable[[str], str] = tokenizers.DEFAULT,
    use_effective_order: bool = True,
    *,
    tokenize_name: str = "",
) -> BLEUScore:
    """Score one segment, by default with effective order.

    Args:
        hypothesis: the system's output, a string.
        references: strings; None is a missing reference.
        smooth_method, smooth_value, lowercase, tokenize, use_effective_order, tokenize_name: as for `corpus_bleu`.

    Returns:
        BLEU in percent, with its parts.

    Raises:
        BleuError: there is no reference, or an option has an invalid value.
        InputTypeError: something other than strings, or a bare string as references.

    >>> sentence_bleu("the cat sat", ["the cat sat"]).score
    100.0
    """
    options = {"tokenize_name": tokenize_name} if tokenize_name else {}
    metric = metric_for(
        BLEU, lowercase, True, tokenize, smooth_method, smooth_value, MAX_NGRAM_ORDER, use_effective_order, **options
    )
    return metric.sentence_score(hypothesis, references)
