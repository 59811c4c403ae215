"""BLEU in one call, with sacreBLEU's names and arguments.

- `corpus_bleu`, `raw_corpus_bleu`: the score of a system's output, or of output that is tokenized already
- `sentence_bleu`: the score of a segment
"""

from collections.abc import Iterable

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
    tokenize: str = tokenizers.DEFAULT,
    use_effective_order: bool = False,
) -> BLEUScore:
    """Score a system's output; the arguments are those of `BLEU` and of `BLEU.corpus_score`.

    >>> corpus_bleu(["the cat sat down"], [["the cat sat down there"]]).score
    77.88007830714052
    """
    metric = BLEU(lowercase, force, tokenize, smooth_method, smooth_value, effective_order=use_effective_order)
    return metric.corpus_score(hypotheses, references)


def raw_corpus_bleu(
    hypotheses: Iterable[str | None],
    references: Iterable[Iterable[str | None]],
    smooth_value: float | None = DEFAULT_VALUES["floor"],
) -> BLEUScore:
    """Score text that is tokenized already: white space separates tokens, smoothing is `floor`, order effective.

    >>> raw_corpus_bleu(["the cat"], [["the cat"]]).score
    100.0
    """
    return corpus_bleu(hypotheses, references, "floor", smooth_value, True, False, "none", True)


def sentence_bleu(
    hypothesis: str,
    references: Iterable[str | None],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: str = tokenizers.DEFAULT,
    use_effective_order: bool = True,
) -> BLEUScore:
    """Score one segment, by default with effective order.

    >>> sentence_bleu("the cat sat", ["the cat sat"]).score
    100.0
    """
    metric = metric_for(
        BLEU, lowercase, True, tokenize, smooth_method, smooth_value, MAX_NGRAM_ORDER, use_effective_order
    )
    return metric.sentence_score(hypothesis, references)
