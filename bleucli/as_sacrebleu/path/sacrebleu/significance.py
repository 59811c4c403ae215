"""Paired tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bleucli.significance import paired_test, resampling
from bleucli.significance.paired_test import Result
from sacrebleu.logger import sacrelogger
from sacrebleu.metrics.base import Metric, Score, Signature, fit, say

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
    import numpy as np

    rows, seed = np.asarray(stats), resampling.random_seed()
    generator = np.random.default_rng(seed)
    drawn = generator.choice(len(rows), size=(n_samples, len(rows)), replace=True)
    return str(seed), [metric._compute_score_from_stats(rows[indexes].sum(0)) for indexes in drawn]
