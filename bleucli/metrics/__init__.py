"""The metrics, by the name that the command knows them under."""

from bleucli.metrics.base import Metric
from bleucli.metrics.bleu import BLEU, BLEUScore

METRICS: dict[str, type[Metric]] = {"bleu": BLEU}

__all__ = ["BLEU", "METRICS", "BLEUScore", "Metric"]
