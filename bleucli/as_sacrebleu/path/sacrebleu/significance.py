"""Paired tests."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bleucli.counting import CorpusStats, SystemStats
from bleucli.errors import InputTypeError
from bleucli.kernels.stats import SegmentStats
from bleucli.metrics.score import Score as _Score
from bleucli.results import Results
from bleucli.significance import paired_test, resampling
from bleucli.significance.paired_test import Result
from bleucli.significance.resampling import Sample
from sacrebleu.metrics.base import Metric, Score, Signature, check_texts, fit, resample, say
from sacrebleu.utils import sacrelogger

__all__ = ["Metric", "PairedTest", "Result", "Score", "Signature", "estimate_ci", "sacrelogger"]


class StepStats(CorpusStats):
    """The statistics of a system by a metric that is scored step by step, with the score that its methods give."""

    system_score: _Score

    @classmethod
    def count(cls, metric: Any, hypotheses: Any, references: Any) -> StepStats:
        """Return the statistics of a system's output."""
        hypotheses, references = check_texts(metric, hypotheses, references)
        rows = metric._extract_corpus_statistics(hypotheses, references)
        score = metric._aggregate_and_compute(rows)
        if not isinstance(score, _Score):
            raise InputTypeError(
                f"{type(metric).__name__} returned a score of type {type(score).__name__}; for a paired test, return a"
                " Score of sacrebleu.metrics.base"
            )
        numbers = [number for row in rows for number in row]
        kind = "q" if all(hasattr(number, "__index__") for number in numbers) else "d"
        matrix = SegmentStats(memoryview(array(kind, numbers)), len(rows[0]))
        stats: Any = cls.of_rows(metric, matrix, array("i", [1]) * len(rows))
        stats.system_score = score
        return stats

    def score(self) -> _Score:
        """Return the score of the system, which need not be that of the sums."""
        return self.system_score

    def signature(self, sampling: Sequence[tuple[str, str]] = ()) -> Any:
        """Return the metric's signature, with the test's fields after the number of references."""
        metric: Any = self.metric
        metric._remember(metric._nrefs, list(sampling))
        return metric.get_signature()

    def hints(self) -> list[str]:
        """Return nothing: hints of the original metric need not be true of this one."""
        return []

    def sample(self, method: str) -> Sample:
        """Return a sample for a bootstrap ("bs") or a randomization test ("ar")."""
        assert self.rows is not None
        score_rows = self._score_resamples if method == "bs" else self._score_swaps
        return Sample(self.rows, score_rows, score=self.system_score.score)

    def _score_swaps(self, sums: SegmentStats) -> Any:
        metric: Any = self.metric
        return _score_rows(sums, lambda row: metric._aggregate_and_compute(row[None]))

    def _score_resamples(self, sums: SegmentStats) -> Any:
        """Return the scores of resamples, from sums in single precision, as in sacreBLEU."""
        metric: Any = self.metric
        return _score_rows(sums, lambda row: metric._compute_score_from_stats(row.astype("float32")))


def _for_bootstrap(sample: Sample) -> Sample:
    stats = getattr(sample.scores_from_stats, "__self__", None)
    return stats.sample("bs") if isinstance(stats, StepStats) else sample


def _score_rows(sums: SegmentStats, score: Callable[[Any], Any]) -> Any:
    import numpy as np

    return np.array([score(row).score for row in np.asarray(sums)], np.float64)


class PairedTest(paired_test.PairedTest):
    """A paired test that sends hints to the logger and accepts references longer than the systems' output."""

    _DEFAULT_SAMPLES = {"ar": resampling.TRIALS, "bs": resampling.RESAMPLES}

    def __init__(
        self,
        named_systems: Iterable[tuple[str, Iterable[str]]],
        metrics: Mapping[str, Any],
        references: Iterable[Iterable[str | None]] | None,
        test_type: str = "ar",
        n_samples: int = 0,
        n_ar_confidence: int = -1,
        n_jobs: int = 1,
    ) -> None:
        systems = named_systems if isinstance(named_systems, dict | str) else list(named_systems)
        first = systems[0] if isinstance(systems, list) and systems else None
        if references is not None and isinstance(first, tuple | list) and len(first) == 2:  # bleucli refuses the rest
            streams = list(references)
            length = len(list(first[1])) if hasattr(first[1], "__len__") else None
            if length is not None and all(hasattr(one, "__len__") and len(one) >= length for one in streams):  # type: ignore[arg-type]
                streams = fit(first[1], streams)[1]
            references = streams
        super().__init__(systems, metrics, references, test_type, n_samples, n_ar_confidence, n_jobs)

    def _count(self, metrics: Sequence[Any]) -> list[SystemStats]:
        """Count all systems: by kernels, or step by step where a program replaced a step of a metric."""
        by_step = [isinstance(metric, Metric) and bool(metric.replaced_step()) for metric in metrics]
        by_kernel = [metric for metric, own in zip(metrics, by_step, strict=True) if not own]
        systems = super()._count(by_kernel) if by_kernel else [SystemStats(name, [], None) for name, _ in self._systems]
        for number, (_, texts) in enumerate(self._systems):
            rest = iter(systems[number].stats)
            stats = [
                StepStats.count(metric, texts, self._references) if own else next(rest)
                for metric, own in zip(metrics, by_step, strict=True)
            ]
            systems[number] = systems[number]._replace(stats=stats)
        return systems

    def _sample(self, stats: CorpusStats) -> Sample:
        return stats.sample(self._sampling.method) if isinstance(stats, StepStats) else super()._sample(stats)

    def _with_intervals(self, results: Results, samples: Sequence[Sequence[Sample]]) -> Results:
        """Add confidence intervals; where a program replaced a step, resamples are not scored like trials."""
        rows = [[_for_bootstrap(sample) for sample in row] for row in samples]
        return super()._with_intervals(results, rows)

    def tell(self, hint: str) -> None:
        """Send a hint to the logger."""
        say(hint)


def estimate_ci(scores: Any) -> tuple[float, float]:
    """Return the mean of the resamples' scores, and half the width of their 95% interval."""
    mean, half_width = resampling.confidence_interval(scores)
    return mean, half_width


def _compute_p_value(stats: Any, real_difference: float) -> float:
    """Return the share of trials whose difference exceeds the real one; the real one counts as a trial.

    Quirk: in sacreBLEU, trials with exactly the real difference do not count.
    """
    return (int((stats > real_difference).sum()) + 1) / (len(stats) + 1)


def _bootstrap_resample(
    stats: Sequence[Sequence[int | float]], metric: Any, n_samples: int = 1000
) -> tuple[str, list[Any]]:
    """Return the seed, and the scores of resamples."""
    seed = resampling.random_seed()
    return str(seed), resample(stats, metric, n_samples, seed)
