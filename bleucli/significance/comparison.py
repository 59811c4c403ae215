"""How certain scores are, and which differences between systems are real: results with tests added.

- `Sampling`: what to resample, and how
- `resample`: intervals, p-values, rankings and the best of each column, from the statistics of all segments
- `resample_means`: the same for means of scores over several corpora
- `compare_units`: how much the standard error depends on what is resampled, segments or whole documents
- `measure`: what a test set can show, the smallest difference between two systems that a test finds there
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from bleucli.phrases import Turn, tell_count
from bleucli.records import NamedTuple
from bleucli.results import (
    FEWEST_DIFFERING,
    FEWEST_SEGMENTS,
    SIGNIFICANT,
    UNITS,
    Difference,
    Power,
    Ranking,
    Results,
    ScoreRecord,
    Test,
)
from bleucli.results.hints import Hint
from bleucli.significance import max_t, resampling
from bleucli.significance.resampling import Sample, differing, score_of, standard_error

# Corrected p-values need more trials: the smallest possible one should be at most this share of `SIGNIFICANT`
_FINE = 1 / 20
# A two-sided test at 0.05 finds a difference of 2.80 standard errors with a probability of 0.8: the quantiles of the
# normal distribution at 0.975 and at 0.8 (Cohen 1988)
_STANDARD_ERRORS = 1.959964 + 0.841621

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.counting import CorpusStats

    Pair = tuple[int, int, int]  # a metric, and two systems
    Column = Sequence[ScoreRecord]
    Table = list[list[float | None]]


class Sampling(NamedTuple):
    """How scores are resampled.

    method: "ci" for confidence intervals alone; to test every other system against the first one, "bs" for the paired
    bootstrap, "ar" for paired approximate randomization. trials: the number of resamples or trials. seed: None for
    fresh random numbers. jobs: the number of threads. all_pairs: test every pair of systems, and rank them. all_best:
    find the systems that a test of every pair cannot distinguish from the best one. unit: what is drawn or exchanged as
    a whole, "segment" or "doc".
    """

    method: str
    trials: int
    seed: int | None = resampling.SEED
    jobs: int = 1
    all_pairs: bool = False
    all_best: bool = False
    unit: str = "segment"

    @property
    def compares_all(self) -> bool:
        """Whether every pair is tested; finding the best needs it because the top system was chosen by its score."""
        return self.method != "ci" and (self.all_pairs or self.all_best)


# The result for systems with equal statistics. No trial exceeds their difference of 0, so sacreBLEU gives them the
# smallest possible p-value: it calls a system significantly different from itself
_SAME = max_t.PairTest(1.0, 1.0, 1.0)


def signature_fields(sampling: Sampling) -> list[tuple[str, str]]:
    """Return what a signature says about the resampling.

    >>> signature_fields(Sampling("ci", 1000))
    [('bs', '1000'), ('seed', '12345')]
    >>> signature_fields(Sampling("ar", 10000, all_pairs=True, unit="doc"))
    [('ar', '10000'), ('seed', '12345'), ('correction', 'max-t'), ('unit', 'doc')]
    """
    method = "ar" if sampling.method == "ar" else "bs"
    fields = resampling.signature_fields(method, sampling.trials, sampling.seed)
    fields += [("correction", max_t.CORRECTION)] if sampling.all_pairs else []
    return [*fields, ("unit", sampling.unit)] if sampling.unit != "segment" else fields


def sample_of(stats: CorpusStats, documents: Sequence[int] | None = None) -> Sample:
    """Return a sample from a system's statistics, which must have rows.

    documents: the number of each segment's document, for one row per document instead of one per segment.
    """
    rows = stats.rows
    assert rows is not None
    if documents is not None:
        rows = rows.sums_of(documents)
    return Sample(rows, stats.metric.scores_from_stats, stats.metric.counts_ties)


def compare_two(first: CorpusStats, second: CorpusStats, sampling: Sampling) -> float:
    """Return the p-value of the difference between two systems by a metric; it counts trials with this difference.

    The statistics have rows, and the test is "ar".

    >>> from bleucli import TER
    >>> texts = ["a b c", "d e f", "g h i", "j k l", "m n o", "p q r"]
    >>> first, second = (TER().corpus_stats(one, [texts], keep_rows=True) for one in (texts, ["x"] * 6))
    >>> compare_two(first, first, Sampling("ar", 100)), round(compare_two(first, second, Sampling("ar", 1000)), 2)
    (1.0, 0.04)
    """
    corpora = [[[sample_of(first)], [sample_of(second)]]]
    pair = 0, 0, 1
    test = _compare_with_first(corpora, [], sampling, resampling.report_nothing)[pair]
    return 1.0 if _are_identical(corpora, pair) else _at_least_possible(test, _count_differing(corpora, pair)).inclusive


def compare_units(
    results: Results, samples: Sequence[Sequence[Sample]], documents: Sequence[int], sampling: Sampling
) -> Hint | None:
    """Return a note about how much larger the standard error is by documents than by segments.

    It is about the first metric: after a test, about the difference between the baseline and the best other system, or
    between the two best if every pair was tested; otherwise about the first system's score.

    samples: for each system, one sample per metric, with a row per segment. documents: the number of each segment's
    document.

    Returns:
        None if there is one document, each segment is one, or the standard error by segments is 0.
    """
    column = [system.scores[0] for system in results.systems]
    first, second = 0, None
    if sampling.method != "ci":
        first, second = main_pair(column, sampling.all_pairs)
    pair = [samples[first][0], *([] if second is None else [samples[second][0]])]
    whole = [one._replace(stats=one.stats.sums_of(documents)) for one in pair]
    if not 2 <= len(whole[0].stats) < len(pair[0].stats):
        return None
    by_segments, by_documents = standard_error(*pair), standard_error(*whole)
    if not by_segments:
        return None
    ratio = by_documents / by_segments
    names = [results.systems[number].name for number in (first, second) if number is not None]
    what = f"the difference between {' and '.join(names)}" if len(names) == 2 else f"the score of {names[0]}"
    start = f"by {column[0].name}, the standard error of {what} is"
    end = "times as large by documents as by segments; to resample whole documents, "
    remedy = Turn("use unit='doc'", "add --unit doc")
    return Hint(
        f"{start} {ratio:.2f} {end}{remedy}",
        f"{start} x {end}{remedy}",
        f"{start} {ratio:.2f} {end}{remedy.command}",
        ratio=ratio,
    )


def resample(
    results: Results,
    samples: Sequence[Sequence[Sample]],
    sampling: Sampling,
    progress: Callable[[int, int], None] = resampling.report_nothing,
    *,
    power: bool = True,
) -> Results:
    """Return results with intervals, p-values, differences and rankings added.

    samples: for each system of the results, one sample per metric, with a row for each unit of `sampling`. progress:
    called with the number of trials done, and the number of all trials. power: whether to say which differences a test
    finds.
    """
    return resample_means(results, [samples], sampling, progress, power=power)


def resample_means(
    results: Results,
    corpora: Sequence[Sequence[Sequence[Sample]]],
    sampling: Sampling,
    progress: Callable[[int, int], None] = resampling.report_nothing,
    *,
    power: bool = True,
) -> Results:
    """Return results of means over corpora with the same added; each corpus is resampled independently of the others.

    results: the means of the scores over the corpora. Other arguments: as for `resample`, one list of samples for each
    corpus.
    """
    samples = corpora[0]  # of the only corpus, or of one that has the same systems and metrics as the others
    scores = _bootstrap_scores(corpora, sampling, progress) if sampling.method != "ar" else []
    count = len(results.systems)
    columns = [list(column) for column in zip(*(system.scores for system in results.systems), strict=True)]
    if sampling.method == "ci":
        tests = {}
    elif sampling.compares_all:
        tests = _compare_all(corpora, scores, sampling, progress)
    else:
        tests = _compare_with_first(corpora, scores, sampling, progress)
    same = {pair for pair in tests if _are_identical(corpora, pair)}
    differing = {pair: _count_differing(corpora, pair) for pair in tests}
    tests = {pair: _SAME if pair in same else _at_least_possible(test, differing[pair]) for pair, test in tests.items()}
    p_values = {pair: test.inclusive for pair, test in tests.items()}
    corrected = {pair: test.corrected for pair, test in tests.items()} if sampling.compares_all else {}
    tables = [_table(count, metric, corrected) for metric in range(len(columns))]
    best: list[set[int]] = [set() for _ in columns]
    if sampling.method == "ci" or sampling.compares_all:  # a test against the first system does not find the best
        best = list(map(_best, columns, tables))

    powers: list[tuple[int, Power] | None] = [None] * len(columns)
    if power and sampling.method != "ci" and len(corpora) == 1:
        powers = [
            measure(results, metric, [row[metric] for row in samples], sampling.all_pairs, sampling.unit)
            for metric, _ in enumerate(columns)
        ]

    def has_sacrebleu(metric: int) -> bool:
        return len(corpora) == 1 and not samples[0][metric].ties

    def record(old: ScoreRecord, metric: int, number: int) -> ScoreRecord:
        pair = metric, 0, number
        difference = None
        if pair in tests:
            difference = Difference(old.score - columns[metric][0].score)
            if scores:
                low, high = resampling.difference_interval(scores[0][metric], scores[number][metric])
                difference = difference._replace(low=low, high=high)
        return old._replace(
            interval=resampling.confidence_interval(scores[number][metric]) if scores else None,
            p_value=p_values.get(pair),
            identical=pair in same,
            best=number in best[metric],
            differs=pair in tests and p_values[pair] <= SIGNIFICANT,
            difference=difference,
            power=of_pair[1] if (of_pair := powers[metric]) is not None and of_pair[0] == number else None,
            # sacreBLEU has no means
            sacrebleu_p_value=tests[pair].p_value if pair in tests and has_sacrebleu(metric) else None,
        )

    systems = [
        system._replace(scores=[record(old, metric, number) for metric, old in enumerate(system.scores)])
        for number, system in enumerate(results.systems)
    ]
    test = None if sampling.method == "ci" else Test(sampling.method, sampling.trials, sampling.unit)
    rankings = [
        Ranking(
            column[0].name,
            _table(count, metric, p_values),
            table,
            clusters(rank(column), table),
            rank_ranges(column, table),
        )
        for metric, (column, table) in enumerate(zip(columns, tables, strict=True))
    ]
    # Tables of all pairs show every pair, all others only comparisons with the first system
    comparisons = {
        pair: test for pair, test in tests.items() if pair not in same and (sampling.all_pairs or pair[1] == 0)
    }
    few = {pair: differing[pair] for pair in comparisons if differing[pair] < FEWEST_SEGMENTS}
    hints = [
        *results.hints,
        *_trial_hints(sampling),
        *_few_hints(results, UNITS[sampling.unit], sum(len(one[0][0].stats) for one in corpora), few),
    ]
    if not sampling.all_pairs:  # those tables have only p-values that count ties
        without_ties = (pair for pair in comparisons if pair not in few and has_sacrebleu(pair[0]))
        hints += _tie_hints(results, {pair: comparisons[pair] for pair in without_ties})
    return results._replace(systems=systems, hints=hints, test=test, rankings=rankings if sampling.all_pairs else ())


def _at_least_possible(test: max_t.PairTest, differing: int) -> max_t.PairTest:
    """Return a test whose p-values, except the one of sacreBLEU, are at least the smallest that an exact test can have.

    Of the 2^n ways to swap the n segments in which the systems differ, 2 give the observed difference: none of them
    swapped, and all of them. Estimates from random trials may be lower.

    >>> _at_least_possible(max_t.PairTest(0.001, 0.001, 0.04), 5)
    PairTest(p_value=0.001, inclusive=0.0625, corrected=0.0625)
    """
    least = 2.0 ** (1 - differing)
    return test._replace(inclusive=max(test.inclusive, least), corrected=max(test.corrected, least))


def _trial_hints(sampling: Sampling) -> Iterator[str]:
    """Warn of too few trials to support a conclusion."""
    if sampling.method == "ci":
        return
    largest = SIGNIFICANT * _FINE if sampling.compares_all else SIGNIFICANT
    if 1 / (sampling.trials + 1) > largest:
        effect = f"cannot show significance at {SIGNIFICANT}"
        if 1 / (sampling.trials + 1) <= SIGNIFICANT:
            effect = "give only rough corrected p-values"
        text = f"{{}} {effect}; use at least {round(1 / largest) - 1}"
        trials = tell_count(sampling.trials, "trial")
        yield Hint(text.format(trials), text.format("so few trials"), trials=sampling.trials)


def _tie_hints(results: Results, tests: dict[Pair, max_t.PairTest]) -> Iterator[str]:
    """Name the pairs that are significant only if trials with exactly the observed difference are not counted."""
    for pair, test in tests.items():
        metric = results.systems[0].scores[pair[0]].name
        if test.p_value <= SIGNIFICANT < test.inclusive:
            reason = "leaves out trials with exactly the observed difference; with them, it is"
            about = f"{_tell_pair(results, pair)}: the p-value by {metric} as sacreBLEU computes it"
            yield Hint(
                f"{about}, {test.p_value:.4f}, {reason} {test.inclusive:.4f}, which is not significant",
                f"{about} {reason} not significant",
                p_value=test.p_value,
                inclusive=test.inclusive,
            )


def _few_hints(results: Results, unit: str, units: int, few: dict[Pair, int]) -> Iterator[str]:
    """Say where so few units differ that no difference can be significant.

    unit: a segment or a document. units: how many there are. few: how many differ, by pair.
    """
    rest = f"no difference in fewer than {FEWEST_SEGMENTS} {unit}s can be significant at {SIGNIFICANT}"
    if few and units < FEWEST_SEGMENTS:
        yield Hint(f"{tell_count(units, unit)}: {rest}", f"a few {unit}s: {rest}", segments=units)
        return
    for metric, record in enumerate(results.systems[0].scores if results.systems else ()):
        pairs = [pair for pair in few if pair[0] == metric]
        for pair in pairs[:1]:
            more = f" (and {tell_count(len(pairs) - 1, 'other pair')})" if len(pairs) > 1 else ""
            names = _tell_pair(results, pair)
            yield Hint(
                f"{names} differ in only {tell_count(few[pair], unit)} by {record.name}{more}; {rest}",
                f"{names} differ in only a few {unit}s by {record.name}; {rest}",
                segments=few[pair],
            )


def _tell_pair(results: Results, pair: Pair) -> str:
    _, first, second = pair
    return f"{results.systems[first].bare_name} and {results.systems[second].bare_name}"


def _seeds(sampling: Sampling, corpora: Sequence[object]) -> list[resampling.Entropy]:
    """Return a seed for each corpus; those of several give random numbers that are independent of one another."""
    if len(corpora) == 1 or sampling.seed is None:
        return [sampling.seed] * len(corpora)
    return [[sampling.seed, place] for place, _ in enumerate(corpora)]


def _bootstrap_scores(
    corpora: Sequence[Sequence[Sequence[Sample]]], sampling: Sampling, progress: Callable[[int, int], None]
) -> list[list[resampling.Scores]]:
    """Return the scores of resamples by system and metric, or their means over several corpora."""
    total: list[resampling.Scores] = []
    for samples, seed in zip(corpora, _seeds(sampling, corpora), strict=True):
        flat = [sample for row in samples for sample in row]
        scores = resampling.bootstrap(flat, sampling.trials, seed, jobs=sampling.jobs, progress=progress)
        total = [whole + part for whole, part in zip(total, scores, strict=True)] if total else scores
    each = iter(total)
    return [[next(each) / len(corpora) for _ in row] for row in corpora[0]]


def rank(column: Column) -> list[int]:
    """Return the numbers of the systems, best first; systems with equal scores keep their order."""
    return sorted(range(len(column)), key=lambda number: column[number].score, reverse=bool(column[0].higher_is_better))


def _sides(corpora: Sequence[Sequence[Sequence[Sample]]], pair: Pair) -> list[tuple[Sample, Sample]]:
    """Return the samples of two systems by a metric, of each corpus."""
    metric, first, second = pair
    return [(samples[first][metric], samples[second][metric]) for samples in corpora]


def _count_differing(corpora: Sequence[Sequence[Sequence[Sample]]], pair: Pair) -> int:
    return sum(differing(one.stats, other.stats) for one, other in _sides(corpora, pair))


def _compare_with_first(
    corpora: Sequence[Sequence[Sequence[Sample]]],
    scores: Sequence[Sequence[resampling.Scores]],
    sampling: Sampling,
    progress: Callable[[int, int], None],
) -> dict[Pair, max_t.PairTest]:
    """Test every system against the first one, the baseline; identical systems need no random numbers."""
    samples = corpora[0]
    pairs = [(metric, 0, number) for metric in range(len(samples[0])) for number in range(1, len(samples))]
    same = [pair for pair in pairs if _are_identical(corpora, pair)]
    pairs = [pair for pair in pairs if pair not in same]
    if sampling.method == "ar" and len(corpora) > 1:
        return dict.fromkeys(same, _SAME) | _randomize_means(corpora, pairs, sampling, progress)
    sides = [_sides(corpora, pair)[0] for pair in pairs]
    results: list[tuple[float, float]] = []
    if sampling.method == "ar" and pairs:
        results = resampling.randomize(sides, sampling.trials, sampling.seed, jobs=sampling.jobs, progress=progress)
    elif pairs:
        for pair in pairs:
            metric, _, number = pair
            gaps = [score_of(one) - score_of(other) for one, other in _sides(corpora, pair)]
            gap = abs(sum(gaps) / len(gaps))
            p_value = resampling.bootstrap_p_value(scores[0][metric], scores[number][metric], gap)
            results.append((p_value, p_value))
    # The third p-value, the corrected one, is not used
    tests = {pair: max_t.PairTest(*p_values, 1.0) for pair, p_values in zip(pairs, results, strict=True)}
    return dict.fromkeys(same, _SAME) | tests


def _are_identical(corpora: Sequence[Sequence[Sequence[Sample]]], pair: Pair) -> bool:
    return all(resampling.identical(one.stats, other.stats) for one, other in _sides(corpora, pair))


def _randomize_means(
    corpora: Sequence[Sequence[Sequence[Sample]]],
    pairs: Sequence[Pair],
    sampling: Sampling,
    progress: Callable[[int, int], None],
) -> dict[Pair, max_t.PairTest]:
    """Test pairs by their means over the corpora, one metric after the other."""
    results: dict[Pair, max_t.PairTest] = {}
    metrics = len(corpora[0][0])
    for metric in range(metrics):
        of_metric = [pair for pair in pairs if pair[0] == metric]
        if not of_metric:
            continue

        def report(done: int, trials: int, before: int = metric) -> None:
            progress(before * trials + done, metrics * trials)

        tests = max_t.randomize_means(
            [[row[metric] for row in samples] for samples in corpora],
            [(first, second) for _, first, second in of_metric],
            sampling.trials,
            _seeds(sampling, corpora),
            jobs=sampling.jobs,
            progress=report,
        )
        results |= zip(of_metric, tests, strict=True)
    return results


def _compare_all(
    corpora: Sequence[Sequence[Sequence[Sample]]],
    scores: Sequence[Sequence[resampling.Scores]],
    sampling: Sampling,
    progress: Callable[[int, int], None],
) -> dict[Pair, max_t.PairTest]:
    samples = corpora[0]
    pairs = [(metric, *pair) for metric in range(len(samples[0])) for pair in combinations(range(len(samples)), 2)]
    if sampling.method == "ar":
        return _randomize_means(corpora, pairs, sampling, progress)
    results: list[max_t.PairTest] = []
    for metric in range(len(samples[0]) if pairs else 0):
        columns = [[row[metric] for row in one] for one in corpora]
        results += max_t.bootstrap_means(columns, [row[metric] for row in scores])
    return dict(zip(pairs, results, strict=True))


def _table(count: int, metric: int, p_values: dict[Pair, float]) -> Table:
    """Return the p-values by one metric, one row and one column per system; None where nothing was tested."""
    table: Table = [[None] * count for _ in range(count)]
    for (other, first, second), p_value in p_values.items():
        if other == metric:
            table[first][second] = table[second][first] = p_value
    return table


def _best(column: Column, p_values: Table) -> set[int]:
    """Return the systems with the best score, and those that the test of all pairs cannot tell apart from it."""
    top = rank(column)[0]
    return {
        number
        for number, record in enumerate(column)
        if record.score == column[top].score or (p_values[top][number] or 0.0) > SIGNIFICANT
    }


def rank_ranges(column: Column, p_values: Table) -> list[tuple[int, int]]:
    """Return the first and the last rank that the tests allow each system, from 1.

    They are 1 + the number of systems that are significantly better, and the number of all systems minus the number of
    those that are significantly worse. Clusters say less: a chain of ties joins systems that differ significantly.

    >>> from bleucli.results import ScoreRecord
    >>> from bleucli.results.signature import Signature
    >>> column = [ScoreRecord("BLEU", score, "", Signature([]), True) for score in (30.0, 31.0, 32.0)]
    >>> rank_ranges(column, [[None, 0.2, 0.01], [0.2, None, 0.2], [0.01, 0.2, None]])
    [(2, 3), (1, 3), (1, 2)]
    """
    order = rank(column)
    ranks = [(1, len(order))] * len(order)
    for place, number in enumerate(order):
        apart = [
            other
            for other in order
            if (p := p_values[number][other]) is not None
            and p <= SIGNIFICANT
            and column[other].score != column[number].score
        ]
        better = sum(other in order[:place] for other in apart)
        ranks[number] = (1 + better, len(order) - (len(apart) - better))
    return ranks


def clusters(order: Sequence[int], p_values: Table) -> list[int]:
    """Return each system's cluster, from 1: systems of different clusters always differ significantly.

    The first cluster therefore has every system that the test cannot distinguish from the best one. order: the systems'
    numbers, best first.

    >>> clusters([1, 0, 2], [[None, 0.2, 0.01], [0.2, None, 0.01], [0.01, 0.01, None]])
    [1, 1, 2]
    """
    numbers = [1] * len(order)
    cluster, lowest = 1, 0  # lowest: the last place that is tied with any place so far
    for place, number in enumerate(order):
        if place > lowest:
            cluster += 1
        numbers[number] = cluster
        ties = [
            below for below in range(place + 1, len(order)) if (p_values[number][order[below]] or 0.0) > SIGNIFICANT
        ]
        lowest = max([lowest, place, *ties])
    return numbers


# --- what a test set can show


def main_pair(column: Column, all_pairs: bool) -> tuple[int, int]:
    """Return the two systems that matter most: the two best, or the baseline, the first, and the best of the others."""
    best = [number for number in rank(column) if all_pairs or number]
    return (best[0], best[1]) if all_pairs else (0, best[0])


def measure(
    results: Results, metric: int, samples: Sequence[Sample], all_pairs: bool, unit: str
) -> tuple[int, Power] | None:
    """Return what a test shows of the two systems that matter most: the number of the second one, and the figures.

    metric: its number. samples: the statistics of all systems by this metric, with a row for each unit.

    Returns:
        None if there is only one system, or if too few units differ for an estimate.
    """
    if len(results.systems) < 2:  # a group that only one system has
        return None
    first, second = main_pair([system.scores[metric] for system in results.systems], all_pairs)
    pair = samples[first], samples[second]
    count = differing(*(one.stats for one in pair))
    if count < FEWEST_DIFFERING:
        return None
    smallest = _STANDARD_ERRORS * standard_error(*pair)
    difference = abs(score_of(pair[0]) - score_of(pair[1]))
    return second, Power(first, smallest, difference, len(pair[0].stats), count, unit)
