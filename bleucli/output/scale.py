"""Results on a scale from 0 to 1: everything that is in percent is divided by 100.

- `rescale`: all scores of results
- `rescale_record`: one score
"""

from __future__ import annotations

from bleucli.results import Difference, Interval, Results, ScoreRecord, SystemResult, in_scale


def rescale(results: Results, scale: int) -> Results:
    """Return results on a scale: scores, intervals, differences, parts, and the scores that gates judge."""
    if scale == 100:
        return results
    matrix = results.matrix
    return results._replace(
        systems=[_rescale_system(system, scale) for system in results.systems],
        matrix=matrix and matrix._replace(averages=[_rescale_system(one, scale) for one in matrix.averages]),
        verdicts=[verdict._replace(score=rescale_record(verdict.score, scale)) for verdict in results.verdicts],
    )


def _rescale_system(system: SystemResult, scale: int) -> SystemResult:
    return system._replace(scores=[rescale_record(record, scale) for record in system.scores])


def rescale_record(record: ScoreRecord, scale: int) -> ScoreRecord:
    """Return a score on a scale, together with everything about it that is in percent.

    >>> from bleucli import BLEU
    >>> record = rescale_record(BLEU().corpus_stats(["a b c d e"], [["a b c d f"]]).record(), 1)
    >>> round(record.score, 3), record.verbose[:23]
    (0.669, '0.800/0.750/0.667/0.500')
    """
    if scale == 100:
        return record
    interval, difference, precisions = record.interval, record.difference, record.figures.precisions
    if interval is not None:
        interval = Interval(in_scale(interval.mean, scale), in_scale(interval.half_width, scale))
    if difference is not None:
        low, high = (bound if bound is None else in_scale(bound, scale) for bound in (difference.low, difference.high))
        difference = Difference(in_scale(difference.value, scale), low, high)
    if precisions is not None:
        precisions = [in_scale(precision, scale) for precision in precisions]
    return record._replace(
        score=in_scale(record.score, scale),
        verbose=_rescale_verbose(record, scale),
        interval=interval,
        details=[part._replace(score=in_scale(part.score, scale)) for part in record.details],
        figures=record.figures._replace(precisions=precisions),
        difference=difference,
    )


def _rescale_verbose(record: ScoreRecord, scale: int) -> str:
    """Return the text that follows a score, with precisions from 0 to 1, with three decimals."""
    precisions = record.figures.precisions or ()
    percent = "/".join(f"{precision:.1f}" for precision in precisions)
    if not percent or not record.verbose.startswith(percent):
        return record.verbose
    return "/".join(f"{in_scale(precision, scale):.3f}" for precision in precisions) + record.verbose[len(percent) :]
