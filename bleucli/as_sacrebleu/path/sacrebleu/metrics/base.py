"""What the metrics of this package add to those of bleucli: sacreBLEU's private names, its logger and its tolerance.

- `Score`, `Signature`, `Metric`: the bases
- `fit`: cut references of the wrong shape as sacreBLEU does, and say so
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from bleucli.errors import InputTypeError
from bleucli.hints import Hint
from bleucli.metrics.base import Metric as _Metric
from bleucli.metrics.base import metric_for
from bleucli.metrics.score import Score as _Score
from bleucli.results import Interval
from bleucli.segments import Segments
from bleucli.signature import Signature
from sacrebleu.logger import sacrelogger
from sacrebleu.version import __version__

__all__ = ["Metric", "Score", "Signature", "__version__", "sacrelogger"]


# The kinds of warnings that were already given
_said: set[str] = set()
_SHAPE = (
    "only the first {} of {} segments are scored, as in sacreBLEU, because the numbers of references and hypotheses"
    " differ: {}; expected a list of streams, each with one reference per hypothesis (BLEU_STRICT=1 makes this an"
    " error)"
)


class Score(_Score):
    """A score with the attributes of sacreBLEU's."""

    def __init__(self, name: str, score: float) -> None:
        self.name = name
        self.score = score
        self.complete()

    def complete(self, **more: object) -> None:
        """Set the attributes that sacreBLEU's scores have in addition to ours, so that `vars` shows them.

        Without an interval, `_mean` and `_ci` are -1.
        """
        vars(self).update(_mean=-1.0, _ci=-1.0, _verbose=self.verbose, **more)

    def set_interval(self, interval: Interval) -> None:
        """Keep a confidence interval under both of its names."""
        self.interval = interval
        self._mean, self._ci = interval

    def estimate_ci(self, scores: Sequence[_Score]) -> None:
        """Set the confidence interval from the scores of resamples."""
        import numpy as np

        from bleucli.significance.resampling import confidence_interval

        self.set_interval(confidence_interval(np.array([score.score for score in scores])))


def say(text: str, kind: str = "") -> None:
    """Warn on the logger, once per process for each `kind`; by default, the kind is the text."""
    if (kind or text) not in _said:
        _said.add(kind or text)
        sacrelogger.warning(text)


def is_strict() -> bool:
    """Return whether references of the wrong shape raise an error."""
    return os.environ.get("BLEU_STRICT", "") not in ("", "0")


def fit(hypotheses: Iterable[str | None], references: Iterable[Iterable[str | None]] | None) -> tuple[Any, Any]:
    """Return hypotheses and references of equal length, cut to the shortest where they differ, as in sacreBLEU.

    A string in place of a list is read as a list of characters, as in sacreBLEU.
    """
    if references is None or is_strict():
        return hypotheses, references
    try:
        streams = list(references)
    except TypeError:
        return hypotheses, references  # another check reports what is wrong with it
    sized = [hypotheses, *streams]
    if not streams or not all(hasattr(texts, "__len__") and hasattr(texts, "__getitem__") for texts in sized):
        return hypotheses, streams
    lengths = [len(texts) for texts in sized]  # type: ignore[arg-type]
    shortest = min(lengths)
    if max(lengths) == shortest and not any(isinstance(texts, str) for texts in sized):
        return hypotheses, streams
    if shortest:  # otherwise there is nothing left to score, which is an error anyway
        say(_SHAPE.format(shortest, max(lengths), _tell_shape(sized, lengths)), "shape")
    return list(sized[0])[:shortest], [list(texts)[:shortest] for texts in streams]


def _tell_shape(sized: list[Any], lengths: list[int]) -> str:
    """Return what is wrong with the shape, and how to correct it."""
    of_one = set(lengths[1:])
    if any(isinstance(texts, str) for texts in sized):
        return "there are strings instead of lists of strings, so characters are scored; write [references]"
    if len(sized) - 1 == lengths[0] and len(of_one) == 1:
        lists = "is 1 list" if lengths[0] == 1 else f"are {lengths[0]} lists"
        return f"there {lists} of {lengths[1]}, one list per segment; write list(zip(*references))"
    counts = ", ".join(map(str, lengths[1:]))
    return f"there are {lengths[0]} hypotheses, and lists of {counts} references"


class Metric(_Metric[Any]):
    """A metric with sacreBLEU's private names."""

    _SIGNATURE_TYPE = Signature
    n_bootstrap: int | None = None
    seed: str | None = None
    _texts: Any = None

    def __init_subclass__(cls, **options: object) -> None:
        own = {"scores_from_stats": cls.scores_from_stats, "score_pairs": cls.score_pairs}
        super().__init_subclass__(**options)
        # This package's own classes only give scores another type, so bleucli's fast ways stay right for them
        if cls.__module__.startswith("sacrebleu."):
            for name, function in own.items():
                setattr(cls, name, function)

    @classmethod
    def like(cls, *options: object) -> Any:
        """Return a metric with these options; calls with the same options return the same metric."""
        return metric_for(cls, *options)

    def keep_references(self, references: Sequence[Sequence[str | None]] | None) -> Any:
        """Return the references that the metric was made with, cut to equal length."""
        if references is None:
            return None
        streams = [list(texts) for texts in references]
        self._texts = fit(streams[0], streams)[1] if streams else streams
        return self._texts

    @property
    def _ref_cache(self) -> list[Any] | None:
        return None if self._texts is None else self._cache_references(self._texts)

    @property
    def num_refs(self) -> int:
        """The number of references per segment; -1 if it varied."""
        return -1 if self._nrefs == "var" else int(self._nrefs or 0)

    def tell(self, hints: Sequence[str]) -> None:
        """Give hints to the logger, each once."""
        for hint in hints:
            say(hint, hint.kind if isinstance(hint, Hint) else hint)

    def corpus_score(self, hypotheses: Any, references: Any, n_bootstrap: int = 1, **ours: Any) -> Any:
        """Return the score of a system's output."""
        score = super().corpus_score(*self._fit(hypotheses, references), n_bootstrap=n_bootstrap, **ours)
        if self.n_bootstrap is not None:  # setting an attribute takes as long as counting a sentence
            self.n_bootstrap = self.seed = None
        if score.interval is not None:
            score.set_interval(score.interval)
            sampling = dict(self._sampling)
            self.n_bootstrap, self.seed = n_bootstrap, sampling.get("seed")
        return score

    def segment_stats(self, hypotheses: Any, references: Any, **ours: Any) -> Any:
        """Return a row of statistics for each segment."""
        if isinstance(hypotheses, Segments):
            return super().segment_stats(hypotheses, references, **ours)
        return super().segment_stats(*self._fit(hypotheses, references), **ours)

    def _fit(self, hypotheses: Any, references: Any) -> tuple[Any, Any]:
        if references is not None or self._texts is None:
            return fit(hypotheses, references)
        cut, streams = fit(hypotheses, self._texts)
        # Prepared references can be used only if nothing was cut
        return (hypotheses, None) if streams == self._texts else (cut, streams)

    # --- private names of sacreBLEU that programs use

    def _extract_corpus_statistics(self, hypotheses: Any, references: Any = None) -> list[list[int | float]]:
        self._nrefs = self._count_references(references) if references is not None else self._nrefs
        return [list(row) for row in self.segment_stats(hypotheses, references)]

    @staticmethod
    def _count_references(references: Any) -> str:
        counts = {sum(text is not None for text in texts) for texts in zip(*references, strict=False)}
        return str(counts.pop()) if len(counts) == 1 else "var"

    def _compute_score_from_stats(self, stats: Sequence[int | float]) -> Any:
        return self.score_from_stats(stats)

    def _aggregate_and_compute(self, stats: Iterable[Sequence[int | float]]) -> Any:
        sums = [sum(column) for column in zip(*stats, strict=True)]
        if not sums:  # the class of sacreBLEU's error
            raise IndexError("list index out of range: there are no statistics")
        return self.score_from_stats(sums)

    def _preprocess_segment(self, sent: str) -> str:
        (text,) = self.prepare(Segments.from_strings([sent]))
        return text or ""

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        """Return what counting needs from references; each metric has its own version."""
        raise NotImplementedError

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[int | float]:
        """Return the statistics of a segment; each metric has its own version."""
        raise NotImplementedError

    def _cache_references(self, references: Iterable[Iterable[str | None]]) -> list[dict[str, Any]]:
        rows = [[text for text in texts if text is not None] for texts in zip(*references, strict=False)]
        counts = {len(row) for row in rows}
        self._nrefs = str(counts.pop()) if len(counts) == 1 else "var"
        return [self._extract_reference_info([self._preprocess_segment(text) for text in row]) for row in rows]

    def _check_sentence_score_args(self, hyp: object, refs: object) -> None:
        if not isinstance(hyp, str):
            raise InputTypeError(f"{self.name}: the argument `hyp` should be a string")
        if isinstance(refs, str) or not isinstance(refs, Iterable):
            raise InputTypeError(f"{self.name}: the argument `refs` should be a sequence of strings")

    def _check_corpus_score_args(self, hyps: object, refs: object) -> None:
        for name, given in (("hyps", hyps), ("refs", refs)):
            if isinstance(given, str) or not isinstance(given, Iterable):
                raise InputTypeError(f"{self.name}: `{name}` should be a sequence")
