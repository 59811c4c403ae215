"""Scoring step by step, for metrics of which a program replaced a step.

- `STEPS`: the names of the steps
- `Watched`: the class of metric classes, which notices steps that a program replaces later
- `own_steps`, `find`, `find_step`: the steps of a class of this package; the first one that another class replaced
- `corpus_score`, `sentence_score`, `corpus_statistics`: what sacreBLEU does with a metric's methods, in its order
- `resampled`: the scores of resamples
- `ByStep`: such a metric in a paired test
"""

from __future__ import annotations

from abc import ABCMeta
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bleucli.counting import CorpusStats
from bleucli.counting.corpus import of_one, of_strings, system_of
from bleucli.errors import BleuError, InputTypeError
from bleucli.kernels.stats import SegmentStats
from bleucli.limits import MOST_TRIALS, whole_number
from bleucli.metrics.score import Score
from bleucli.results import Description

# The methods that sacreBLEU's scoring calls on a metric, and the attributes that these read
STEPS = (
    "_check_corpus_score_args",
    "_check_sentence_score_args",
    "_extract_corpus_statistics",
    "_cache_references",
    "_preprocess_segment",
    "_extract_reference_info",
    "_compute_segment_statistics",
    "_aggregate_and_compute",
    "_compute_score_from_stats",
    "_get_closest_ref_len",
    "compute_bleu",
    "_get_match_statistics",
    "_compute_f_score",
    "_remove_punctuation",
    "_PUNCTS",
)
# The attributes of an object that a program may replace
REPLACEABLE = frozenset({*STEPS, "tokenizer"})


class Watched(ABCMeta):
    """The class of metric classes: if a program sets a step of one later, it and its subclasses know."""

    def __setattr__(cls, name: str, value: object) -> None:
        """Set an attribute."""
        super().__setattr__(name, value)
        _look_again(cls, name)

    def __delattr__(cls, name: str) -> None:
        """Delete an attribute."""
        super().__delattr__(name)
        _look_again(cls, name)


def _look_again(cls: Any, name: str) -> None:
    if name in STEPS:
        cls._step = find_step(cls)
        for subclass in cls.__subclasses__():
            _look_again(subclass, name)


def own_steps(cls: type) -> dict[str, object]:
    """Return the steps of a class, those that it inherits included."""
    return {name: find(cls, name) for name in STEPS}


def find_step(cls: Any) -> str:
    """Return the name of the first step in which a class differs from this package's, "" if there is none."""
    return next((name for name, step in cls._own_steps.items() if find(cls, name) is not step), "")


def find(cls: type, name: str) -> object:
    """Return an attribute of a class as it was defined there, or in a base; None if there is none."""
    return next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)


def corpus_score(
    metric: Any, hypotheses: Any, references: Any, n_bootstrap: int = 1, *, seed: Any = "environment", jobs: int = 1
) -> Any:
    """Return the score of a system's output; arguments and errors as in `bleucli.metrics.Metric.corpus_score`."""
    n_bootstrap = whole_number("n_bootstrap", n_bootstrap, 1, MOST_TRIALS)
    whole_number("jobs", jobs, 0)
    hypotheses, references = _check(metric, hypotheses, references)
    metric._check_corpus_score_args(hypotheses, references)
    rows = metric._extract_corpus_statistics(hypotheses, references)
    score = metric._aggregate_and_compute(rows)
    metric.n_bootstrap = metric.seed = None
    sampling: list[tuple[str, str]] = []
    if n_bootstrap > 1:
        from bleucli.significance import resampling

        number = resampling.choose_seed(seed)
        if not hasattr(score, "estimate_ci"):
            raise InputTypeError(
                f"{type(metric).__name__} returned a score of type {type(score).__name__}; for a confidence interval,"
                " return a Score of sacrebleu.metrics.base"
            )
        sampling = resampling.signature_fields("bs", n_bootstrap, number)
        metric.n_bootstrap, metric.seed = n_bootstrap, dict(sampling)["seed"]
        score.estimate_ci(resampled(rows, metric, n_bootstrap, number))
    return _signed(metric, score, sampling)


def sentence_score(metric: Any, hypothesis: str, references: Iterable[str | None]) -> Any:
    """Return the score of one segment; arguments and errors as in `bleucli.metrics.Metric.sentence_score`."""
    texts = references if isinstance(references, list | tuple | str) else list(references)
    metric._check_sentence_score_args(hypothesis, texts)
    of_one(hypothesis, texts)  # for its errors
    rows = metric._extract_corpus_statistics([hypothesis], [[text] for text in texts])
    return _signed(metric, metric._aggregate_and_compute(rows), [])


def _check(metric: Any, hypotheses: Any, references: Any) -> tuple[Any, Any]:
    """Return texts in lists of equal length, with bleucli's errors for those that cannot be scored."""
    if not isinstance(hypotheses, str | Sequence):
        hypotheses = list(hypotheses)
    hypotheses, references = metric._fit(hypotheses, references)
    if references is not None:
        streams = [texts if isinstance(texts, str | Sequence) else list(texts) for texts in references]
        for _ in of_strings([("", hypotheses)], streams).pieces():
            pass
        return hypotheses, streams
    for _ in system_of(hypotheses).blocks:
        pass
    if metric._ref_cache is None:
        raise InputTypeError("references is None; give them here, or to the metric's constructor")
    return hypotheses, None


def _signed(metric: Any, score: Any, sampling: Sequence[tuple[str, str]]) -> Any:
    """Return a score with its signature, if the number of references is known."""
    if metric._nrefs is not None:
        metric._remember(metric._nrefs, sampling)
        if isinstance(score, Score):
            score.made = metric.get_signature()
    return score


def corpus_statistics(metric: Any, hypotheses: Sequence[str], references: Any) -> list[Any]:
    """Return the statistics of each segment, as the metric's methods count them."""
    cache = metric._ref_cache if references is None else metric._cache_references(references)
    if len(cache) != len(hypotheses):
        raise BleuError(
            f"{len(hypotheses)} hypotheses, but {len(cache)} segments with references; give the same number"
        )
    return [
        metric._compute_segment_statistics(metric._preprocess_segment(text), info)
        for text, info in zip(hypotheses, cache, strict=True)
    ]


def resampled(rows: Any, metric: Any, resamples: int, seed: int | None) -> list[Any]:
    """Return the scores of resamples, from sums in single precision, as in sacreBLEU."""
    import numpy as np

    numbers = np.array(rows, np.float32)
    generator = np.random.default_rng(seed)
    drawn = generator.choice(len(numbers), size=(resamples, len(numbers)), replace=True)
    return [metric._compute_score_from_stats(numbers[indexes].sum(0)) for indexes in drawn]


class ByStep:
    """A metric in a paired test, for one system, which is scored through the metric's own methods.

    It has what a paired test asks of a `bleucli.counting.Measure` that has counted.
    """

    counts_ties = False

    def __init__(self, metric: Any, method: str) -> None:
        self._metric = metric
        self._score: Any = None
        self.higher_is_better = getattr(metric, "higher_is_better", True)
        self.scores_from_stats = self.scores_of_resamples if method == "bs" else self.scores_of_swaps

    def count(self, hypotheses: Any, references: Any) -> CorpusStats:
        """Return the statistics of a system."""
        metric = self._metric
        hypotheses, references = _check(metric, hypotheses, references)
        rows = metric._extract_corpus_statistics(hypotheses, references)
        score = metric._aggregate_and_compute(rows)
        if not isinstance(score, Score):
            raise InputTypeError(
                f"{type(metric).__name__} returned a score of type {type(score).__name__}; for a paired test, return a"
                " Score of sacrebleu.metrics.base"
            )
        self._score = score
        numbers = [number for row in rows for number in row]
        kind = "q" if all(hasattr(number, "__index__") for number in numbers) else "d"
        stats = SegmentStats(memoryview(array(kind, numbers)), len(rows[0]))
        measure: Any = self  # it has all that is asked of it once everything is counted
        return CorpusStats.of_rows(measure, stats, array("i", [1]) * len(rows))

    def check_sum(self, segments: int) -> None:
        """Accept every number of segments."""

    def hints(self, stats: object) -> list[str]:
        """Return nothing: hints of the original metric need not be true of this one."""
        return []

    def describe(self, info: Mapping[str, str]) -> Description:
        """Return nothing: what may be said of the original metric need not be true of this one."""
        return Description()

    def score_from_stats(self, sums: object) -> Any:
        """Return the score of the system, which was made from all its rows."""
        return self._score

    def sign(self, score: object, fewest: int, most: int, sampling: object = ()) -> None:
        """Leave the score as it is."""

    def signature(self, fewest: int, most: int, sampling: Iterable[tuple[str, str]] = ()) -> Any:
        """Return the metric's signature, with the test's fields after the number of references."""
        self._metric._remember(self._metric._nrefs, list(sampling))
        return self._metric.get_signature()

    def scores_of_swaps(self, sums: SegmentStats) -> Any:
        """Return the scores of trials that swap segments."""
        return self._scores(sums, lambda row: self._metric._aggregate_and_compute(row[None]))

    def scores_of_resamples(self, sums: SegmentStats) -> Any:
        """Return the scores of resamples, from sums in single precision, as in sacreBLEU."""
        return self._scores(sums, lambda row: self._metric._compute_score_from_stats(row.astype("float32")))

    def _scores(self, sums: SegmentStats, score: Callable[[Any], Any]) -> Any:
        import numpy as np

        return np.array([score(row).score for row in np.asarray(sums)], np.float64)


def for_resamples(sample: Any) -> Any:
    """Return the sample of a system with the function that scores resamples."""
    metric = getattr(sample.scores_from_stats, "__self__", None)
    return sample._replace(scores_from_stats=metric.scores_of_resamples) if isinstance(metric, ByStep) else sample
