"""BLEU as functions under the names of other packages.

- `corpus_bleu`, `raw_corpus_bleu`, `sentence_bleu`: sacreBLEU's
- `compute`: that of Hugging Face's `evaluate`
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from bleucli import tokenizers
from bleucli.counting import count
from bleucli.counting.corpus import Corpus, Source, refuse_missing
from bleucli.counting.threads import count_threads
from bleucli.errors import BleuError, InputTypeError
from bleucli.metrics.base import metric_for
from bleucli.metrics.bleu import BLEU, MAX_NGRAM_ORDER, BLEUScore
from bleucli.metrics.smoothing import DEFAULT_VALUES
from bleucli.phrases import tell_count, tell_place
from bleucli.text import Segments, blocks_of_strings, refuse_unordered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class Computed(TypedDict):
        """What `compute` returns."""

        score: float
        counts: list[float]
        totals: list[float]
        precisions: list[float]
        bp: float
        sys_len: int
        ref_len: int
        signature: str


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
    arguments = (lowercase, force, tokenize, smooth_method, smooth_value, MAX_NGRAM_ORDER, use_effective_order)
    if isinstance(tokenize, str):  # a function may hold a large model, which should not outlive the call
        metric = metric_for(BLEU, *arguments, **({"tokenize_name": tokenize_name} if tokenize_name else {}))
    else:
        metric = BLEU(*arguments, tokenize_name=tokenize_name)
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
        hypotheses, references, jobs: as for `corpus_bleu`.
        smooth_value: how many matches to assume for an order without a match.

    Returns:
        BLEU in percent, with its parts.

    Raises:
        BleuError, InputTypeError: as for `corpus_bleu`.

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


_ADVICE = "give the references of each prediction"
# Marks the end of the references, since no item is this object
_END = object()


def compute(
    *,
    predictions: Iterable[str],
    references: Iterable[str | Iterable[str | None]],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str | Callable[[str], str] | None = None,
    use_effective_order: bool = False,
    max_ngram_order: int = MAX_NGRAM_ORDER,
    trg_lang: str = "",
    skip_empty_refs: bool = False,
    tokenize_name: str = "",
    jobs: int = 1,
) -> Computed:
    """Return the BLEU score of a system's output under the keys of Hugging Face's `evaluate`, with its signature.

    Args:
        predictions: n strings.
        references: for each prediction, a list of references, or a string if there is only one. The lists may have
            different lengths. None is a missing reference.
        smooth_method, smooth_value, force, lowercase, tokenize, tokenize_name: as for `BLEU`.
        use_effective_order: as `effective_order` of `BLEU`.
        max_ngram_order, trg_lang, skip_empty_refs: as for `BLEU`.
        jobs: the number of threads, 0 for all usable processors; it never changes a score.

    Returns:
        `score`, in percent; `counts`, the n-grams that match, `totals`, all n-grams, and `precisions`, in percent, each
        a list by order from 1; `bp`, the brevity penalty, from 0 to 1; `sys_len` and `ref_len`, in tokens; `signature`.

    Raises:
        BleuError: predictions and references differ in number, or a prediction has no reference.
        InputTypeError: something other than strings.

    >>> answer = compute(predictions=["a b c d e"], references=[["a b c d f", "a b c d e f"]])
    >>> round(answer["score"], 2), answer["counts"], answer["ref_len"], answer["signature"].partition("|")[0]
    (100.0, [5, 4, 3, 2], 5, 'nrefs:2')
    """
    metric = BLEU(
        lowercase,
        force,
        tokenize,
        smooth_method,
        smooth_value,
        max_ngram_order,
        use_effective_order,
        trg_lang,
        skip_empty_refs=skip_empty_refs,
        tokenize_name=tokenize_name,
    )
    source = Source("predictions", ["predictions"], _blocks(predictions, references), "references")
    ((_, (stats,), _),) = count(Corpus([source], []), [metric], jobs=count_threads(jobs))
    metric.tell([*stats.hints(), *metric.advice])
    score = stats.score()
    return {
        "score": score.score,
        "counts": score.counts,
        "totals": score.totals,
        "precisions": score.precisions,
        "bp": score.bp,
        "sys_len": score.sys_len,
        "ref_len": score.ref_len,
        "signature": str(stats.signature()),
    }


def _blocks(
    predictions: Iterable[str], references: Iterable[str | Iterable[str | None]]
) -> Iterator[Sequence[Segments]]:
    """Give blocks of predictions, with as many columns of references as the longest item of the block has."""
    if isinstance(references, str | bytes) or not isinstance(references, Iterable):
        raise InputTypeError("references: expected the references of each prediction; write [[reference], ...]")
    refuse_unordered(references, "references")
    if hasattr(references, "columns"):  # it would give the names of its columns
        raise InputTypeError("references: a table where one column belongs; give the column, such as frame[name]")
    if not isinstance(predictions, str | bytes):  # strings are refused below
        _check_lengths(predictions, references)
    remaining = iter(getattr(references, "to_pylist", lambda: references)())  # pyarrow's items are not strings
    start = 0
    for block in blocks_of_strings(predictions, "prediction"):
        refuse_missing(block, start, "prediction")
        items = [_list_references(item, number) for number, item in enumerate(islice(remaining, len(block)), start)]
        if len(items) < len(block):
            raise _wrong_length(start + len(block), str(start + len(items)), "at least ")
        # At least one column, so that a prediction without any reference is reported
        columns = [
            [item[place] if place < len(item) else None for item in items] for place in range(max(1, *map(len, items)))
        ]
        yield [block, *(Segments.from_strings(column, "reference of prediction", start) for column in columns)]
        start += len(block)
    if not start:
        raise BleuError("there are no predictions to score; expected at least one")
    if next(remaining, _END) is not _END:
        raise _wrong_length(start, f"at least {start + 1}")


def _check_lengths(predictions: object, references: object) -> None:
    """Refuse lists of different lengths before anything is counted; if they are streams, tell how to transpose them."""
    try:
        n, k = len(predictions), len(references)  # type: ignore[arg-type]
    except TypeError:  # an iterator has no length
        return
    if n == k:
        return
    lengths = {len(item) for item in references if isinstance(item, list | tuple)}  # type: ignore[attr-defined]
    is_streams = lengths == {n}
    advice = "these are streams of references, so write list(zip(*references))" if is_streams else _ADVICE
    raise _wrong_length(n, str(k), advice=advice)


def _wrong_length(predictions: int, items: str, least: str = "", advice: str = _ADVICE) -> BleuError:
    return BleuError(f"{least}{tell_count(predictions, 'prediction')}, but references for {items}; {advice}")


def _list_references(item: str | Iterable[str | None], number: int) -> Sequence[str | None]:
    if isinstance(item, str):
        return [item]
    if isinstance(item, bytes | dict | set | frozenset) or not isinstance(item, Iterable):
        kind = type(item).__name__
        raise InputTypeError(
            "the references of ", tell_place("prediction", number), f" are of type {kind}; give a list of strings"
        )
    return list(item)
