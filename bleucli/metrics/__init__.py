"""The metrics, by the name that the command knows them under, in the order in which it prints them."""

from bleucli.metrics.base import Metric
from bleucli.metrics.bleu import BLEU, BLEUScore
from bleucli.metrics.chrf import CHRF, CHRFScore
from bleucli.metrics.ter import TER, TERScore

METRICS: dict[str, type[Metric]] = {"bleu": BLEU, "chrf": CHRF, "ter": TER}

__all__ = ["BLEU", "CHRF", "METRICS", "TER", "BLEUScore", "CHRFScore", "Metric", "TERScore"]
