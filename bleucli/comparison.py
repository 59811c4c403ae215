"""How sure the scores of systems are, and which differences between them are real: results with tests added.

- `Sampling`: what is asked for
- `resampled`: intervals, p-values, rankings and the best of each column, from statistics of all segments
"""

from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from bleucli import resampling
from bleucli.resampling import Sample
from bleucli.results import SIGNIFICANT, Ranking, Results, ScoreRecord, SystemResult, Test

# Swapping fewer segments than these at random cannot be significant: 2 of 2^5 ways are as extreme as what was observed
_FEW = 6

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Sampling(NamedTuple):
        """How scores are resampled.

        method: "ci" for confidence intervals alone, "bs" for the paired bootstrap, "ar" for paired approximate
        randomization, against the first system. trials: resamples, or trials. seed: None for fresh random numbers.
        jobs: threads. all_pairs: test every pair of systems. all_best: find the systems that the test does not separate
        from the best one.
        """

        method: str
        trials: int
        seed: int | None = resampling.SEED
        jobs: int = 1
        all_pairs: bool = False
        all_best: bool = False

    Pair = tuple[int, int, int]  # a metric, and two systems
    Column = Sequence[ScoreRecord]
else:
    Sampling = namedtuple(
        "Sampling",
        "method trials seed jobs all_pairs all_best",
        defaults=(resampling.SEED, 1, False, False),
    )


def signature_fields(sampling: Sampling) -> list[tuple[str, str]]:
    """Return what a signature says of the resampling.

    >>> signature_fields(Sampling("ci", 1000))
    [('bs', '1000'), ('seed', '12345')]
    """
    method = "ar" if sampling.method == "ar" else "bs"
    return resampling.signature_fields(method, sampling.trials, sampling.seed)


def resampled(
    results: Results,
    samples: Sequence[Sequence[Sample]],
    sampling: Sampling,
    progress: Callable[[int, int], None] = resampling.unreported,
) -> Results:
    """Return results with what resampling finds.

    Args:
        results: scores of all systems by all metrics.
        samples: for each system its statistics by each metric.
        sampling: what to do.
        progress: called with the trials done and their number.
    """
    scores = _bootstrap_scores(samples, sampling, progress) if sampling.method != "ar" else []
    pairs = _pairs_to_test(results, sampling)
    same = {pair for pair in pairs if resampling.identical(*(sample.stats for sample in _sides(samples, pair)))}
    different = [pair for pair in pairs if pair not in same]
    if sampling.method == "ar":
        tested = _randomized(samples, different, sampling, progress)
    else:
        tested = [_bootstrapped(samples, scores, pair) for pair in different]
    p_values = dict.fromkeys(same, 1.0) | dict(zip(different, tested, strict=True))
    best = _best(results, p_values)

    def record(old: ScoreRecord, metric: int, number: int) -> ScoreRecord:
        pair = metric, 0, number
        interval = resampling.confidence_interval(scores[number][metric]) if scores else None
        return old._replace(
            interval=interval,
            p_value=p_values.get(pair),
            identical=pair in same,
            best=(metric, number) in best,
        )

    systems = [
        SystemResult(system.name, [record(old, metric, number) for metric, old in enumerate(system.scores)])
        for number, system in enumerate(results.systems)
    ]
    test = None if sampling.method == "ci" else Test(sampling.method, sampling.trials)
    rankings = [_ranking(column, metric, p_values) for metric, column in enumerate(_columns(results))]
    hints = [*results.hints, *_hints(results, samples, different)]
    return results._replace(systems=systems, hints=hints, test=test, rankings=rankings if sampling.all_pairs else ())


def _hints(results: Results, samples: Sequence[Sequence[Sample]], pairs: "Sequence[Pair]") -> Iterator[str]:
    """Name the pairs that differ in too few segments for a p-value to mean much."""
    for pair in pairs:
        metric, first, second = pair
        count = resampling.differing(*(sample.stats for sample in _sides(samples, pair)))
        if count < _FEW:
            names = f"{results.systems[first].name} and {results.systems[second].name}"
            told = f"{count} segment{'' if count == 1 else 's'} by {results.systems[0].scores[metric].name}"
            yield f"{names} differ in {told}, too few for a test: the p-value is too small to be believed"


def _bootstrap_scores(
    samples: Sequence[Sequence[Sample]], sampling: Sampling, progress: Callable[[int, int], None]
) -> "list[list[resampling.Scores]]":
    """Return the scores of resamples by system and metric."""
    flat = [sample for row in samples for sample in row]
    found = iter(resampling.bootstrap(flat, sampling.trials, sampling.seed, jobs=sampling.jobs, progress=progress))
    return [[next(found) for _ in row] for row in samples]


def _columns(results: Results) -> list[list[ScoreRecord]]:
    """Return the scores by metric."""
    return [list(column) for column in zip(*(system.scores for system in results.systems), strict=True)]


def _pairs_to_test(results: Results, sampling: Sampling) -> "list[Pair]":
    """Return the pairs, the first of the two systems standing first in the results."""
    count = len(results.systems)
    if sampling.method == "ci":
        return []
    if sampling.all_pairs:
        return [
            (metric, *pair)
            for metric in range(len(results.systems[0].scores))
            for pair in combinations(range(count), 2)
        ]
    wanted = {(metric, 0, number) for metric in range(len(results.systems[0].scores)) for number in range(1, count)}
    if sampling.all_best:
        for metric, column in enumerate(_columns(results)):
            top = ranked(column)[0]
            wanted |= {(metric, min(top, number), max(top, number)) for number in range(count) if number != top}
    return sorted(wanted)


def ranked(column: "Column") -> list[int]:
    """Return the numbers of the systems, the best one first; those with equal scores in their own order."""
    return sorted(range(len(column)), key=lambda number: column[number].score, reverse=column[0].higher_is_better)


def _sides(samples: Sequence[Sequence[Sample]], pair: "Pair") -> tuple[Sample, Sample]:
    metric, first, second = pair
    return samples[first][metric], samples[second][metric]


def _bootstrapped(
    samples: Sequence[Sequence[Sample]], scores: "Sequence[Sequence[resampling.Scores]]", pair: "Pair"
) -> float:
    metric, first, second = pair
    difference = resampling.difference(*_sides(samples, pair))
    return resampling.bootstrap_p_value(scores[first][metric], scores[second][metric], difference)


def _randomized(
    samples: Sequence[Sequence[Sample]],
    pairs: "Sequence[Pair]",
    sampling: Sampling,
    progress: Callable[[int, int], None],
) -> list[float]:
    if not pairs:
        return []
    sides = [_sides(samples, pair) for pair in pairs]
    return resampling.randomization_p_values(
        sides, sampling.trials, sampling.seed, jobs=sampling.jobs, progress=progress
    )


def _best(results: Results, p_values: "dict[Pair, float]") -> set[tuple[int, int]]:
    """Return metric and number of the systems than which none is better, as far as the tests tell."""
    found = set()
    for metric, column in enumerate(_columns(results)):
        top = ranked(column)[0]
        for number, record in enumerate(column):
            first, second = sorted((top, number))
            if record.score == column[top].score or p_values.get((metric, first, second), 0.0) > SIGNIFICANT:
                found.add((metric, number))
    return found


def _ranking(column: "Column", metric: int, p_values: "dict[Pair, float]") -> Ranking:
    tested = {pair: p_value for pair, p_value in p_values.items() if pair[0] == metric}
    corrected = dict(zip(tested, resampling.holm(list(tested.values())), strict=True))
    table = _table(len(column), corrected)
    return Ranking(column[0].name, _table(len(column), tested), table, clusters(ranked(column), table))


def _table(count: int, p_values: "dict[Pair, float]") -> list[list[float | None]]:
    table: list[list[float | None]] = [[None] * count for _ in range(count)]
    for (_, first, second), p_value in p_values.items():
        table[first][second] = table[second][first] = p_value
    return table


def clusters(order: Sequence[int], p_values: Sequence[Sequence[float | None]]) -> list[int]:
    """Return each system's cluster, from 1: a new one starts where a system differs significantly from all above.

    Args:
        order: the systems' numbers, the best one first.
        p_values: a row and a column a system.

    >>> clusters([1, 0, 2], [[None, 0.2, 0.01], [0.2, None, 0.01], [0.01, 0.01, None]])
    [1, 1, 2]
    """
    found = [1] * len(order)
    for place, number in enumerate(order[1:], 1):
        differs = all((p_values[number][above] or 0.0) <= SIGNIFICANT for above in order[:place])
        found[number] = found[order[place - 1]] + differs
    return found
