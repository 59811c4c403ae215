"""Paired tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bleucli.counting import CorpusStats, SystemStats
from bleucli.results import Results
from bleucli.significance import paired_test, resampling
from bleucli.significance.paired_test import Result
from bleucli.significance.resampling import Sample
from sacrebleu.metrics import steps
from sacrebleu.metrics.base import Metric, Score, Signature, fit, say
from sacrebleu.utils import sacrelogger

__all__ = ["Metric", "PairedTest", "Result", "Score", "Signature", "estimate_ci", "sacrelogger"]


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
        own = [isinstance(metric, Metric) and bool(metric.replaced_step()) for metric in metrics]
        if not any(own):
            return super()._count(metrics)
        kernels = [metric for metric, by_step in zip(metrics, own, strict=True) if not by_step]
        counted = super()._count(kernels) if kernels else [SystemStats(name, [], None) for name, _ in self._systems]
        systems = []
        for (name, texts), system in zip(self._systems, counted, strict=True):
            others = iter(system.stats)
            stats = [
                steps.ByStep(metric, self._sampling.method).count(texts, self._references) if by_step else next(others)
                for metric, by_step in zip(metrics, own, strict=True)
            ]
            systems.append(SystemStats(name, stats, system.fit))
        return systems

    def _sample(self, stats: CorpusStats) -> Sample:
        """Return a sample; the score of a metric with steps of the program's own need not be that of the sums."""
        sample = super()._sample(stats)
        return sample._replace(score=stats.score().score) if isinstance(stats.metric, steps.ByStep) else sample

    def _with_intervals(self, results: Results, samples: Sequence[Sequence[Sample]]) -> Results:
        """Add confidence intervals; where a program replaced a step, resamples are not scored like trials."""
        rows = [[steps.for_resamples(sample) for sample in row] for row in samples]
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
    return str(seed), steps.resampled(stats, metric, n_samples, seed)
