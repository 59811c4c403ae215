"""Finished results, made by hand, for the tests of renderers."""

from __future__ import annotations

from bleucli.metrics import METRICS
from bleucli.results import Interval, Ranking, Results, ScoreRecord, SystemResult, Test
from bleucli.results.signature import Signature

# every character that has a meaning in one of the formats
HOSTILE = r"a_b%c&d#e$f{g}~h^i\j.txt"
BOOTSTRAP, RANDOMIZATION = Test("bs", 1000), Test("ar", 10000)
SIGNATURE = Signature([("nrefs", "1"), ("bs", "1000"), ("case", "mixed"), ("version", "bleucli-1")])
VERBOSE = "82.0/63.4/52.7/43.2 (BP = 1.000 ratio = 1.008 hyp_len = 266 ref_len = 264)"


def record(score, name="BLEU", half_width=None, **more):
    """Return a score, with the interval `score ± half_width` if that is given.

    >>> record(58.64, half_width=2).interval
    Interval(mean=58.64, half_width=2)
    """
    interval = None if half_width is None else Interval(score, half_width)
    made_by = next((metric for metric in METRICS.values() if metric.read_name(name) is not None), None)
    if made_by is not None:
        more["describe"] = made_by.describe
    return ScoreRecord(name, score, VERBOSE if name == "BLEU" else "", SIGNATURE, name != "TER", interval, **more)


def results(systems, **more):
    """Return results of systems' names, each with its scores."""
    return Results([SystemResult(name, list(scores)) for name, scores in systems.items()], 20, [], **more)


def one(*records, name="sys.txt"):
    """Return results of one system."""
    return results({name: records or [record(58.64)]})


def paired(names=("a.txt", "b.txt", "c.txt"), half_width=8.72):
    """Return results of a paired test of three systems: the second is worse, the third is the baseline again.

    >>> [score.p_value for system in paired().systems for score in system.scores]
    [None, None, 0.001, 0.2, 1.0, 1.0]
    """
    scores = [
        (record(58.64, half_width=half_width, best=True), record(28.88, "TER", half_width)),
        (
            record(11.35, half_width=half_width, p_value=0.001, differs=True),
            record(28.06, "TER", half_width, p_value=0.2, best=True),
        ),
        (
            record(58.64, half_width=half_width, p_value=1.0, identical=True, best=True),
            record(28.88, "TER", half_width, p_value=1.0, identical=True),
        ),
    ]
    test = RANDOMIZATION if half_width is None else BOOTSTRAP
    return results(dict(zip(names, scores, strict=True)), test=test)


def ranked(names=("a.txt", "b.txt", "c.txt")):
    """Return results of all pairs of three systems: the second wins, the first and the third share a cluster."""
    scores = [(record(30.04),), (record(40.0, best=True),), (record(30.06),)]
    p_values = [[None, 0.01, 0.5], [0.01, None, 0.02], [0.5, 0.02, None]]
    corrected = [[None, 0.03, 0.5], [0.03, None, 0.04], [0.5, 0.04, None]]
    ranking = Ranking("BLEU", p_values, corrected, [2, 1, 2], [(2, 3), (1, 1), (2, 3)])
    return results(dict(zip(names, scores, strict=True)), test=BOOTSTRAP, rankings=[ranking])
