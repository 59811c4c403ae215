"""Paired tests from Python, with the arguments and results of sacreBLEU's `PairedTest`.

Functions on statistics, without systems and metrics, are in `bleucli.significance.resampling`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from bleucli.counting import SystemStats, count
from bleucli.counting.corpus import Corpus, check_shape, of_strings, system_of
from bleucli.counting.threads import count_threads
from bleucli.errors import BleuError, InputTypeError, UsageError
from bleucli.limits import MOST_TRIALS, string, whole_number
from bleucli.phrases import tell_count
from bleucli.prose.markup import html_table
from bleucli.results import Results, ScoreRecord, SystemResult
from bleucli.results.hints import about, warn
from bleucli.results.signature import Signature
from bleucli.significance import comparison, resampling
from bleucli.significance.comparison import Sampling
from bleucli.significance.resampling import Sample

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.counting import CorpusStats, Measure
    from bleucli.significance.resampling import Seed

_DEFAULT_TRIALS = {"bs": resampling.RESAMPLES, "ar": resampling.TRIALS}


class Result(NamedTuple):
    """A system's score by one metric, with the results of the test.

    p_value: that of the difference from the baseline; None for the baseline itself. mean: the mean of the resamples'
    scores. ci: half the width of their 95% confidence interval. Both are None without a bootstrap.
    """

    score: float
    p_value: float | None = None
    mean: float | None = None
    ci: float | None = None


class PairedScores(NamedTuple):
    """The results of a paired test.

    signatures: by the names of the scores. scores: the names of the systems under "System", then one column per score.
    """

    signatures: dict[str, Signature]
    scores: dict[str, list[str] | list[Result]]

    def _repr_html_(self) -> str:
        rows = [
            [cell if isinstance(cell, str) else _tell(cell) for cell in row]
            for row in zip(*self.scores.values(), strict=True)
        ]
        return html_table(
            list(self.scores), rows, [(f"{name}:", str(signature)) for name, signature in self.signatures.items()]
        )


class PairedTest:
    """Compare systems with the first of them, the baseline.

    Args:
        named_systems: pairs of a name and n strings, the baseline first.
        metrics: a dictionary of metrics, by names of your choice. The results use the names of the scores, or yours if
            two scores have the same name.
        references: streams, each of n strings; None if the metrics have their own references.
        test_type: "ar" for paired approximate randomization, "bs" for the paired bootstrap.
        n_samples: the number of trials; 0 for 10000 (ar) or 1000 (bs).
        n_ar_confidence: with "ar", the number of resamples for additional confidence intervals: -1 for none, 0 for
            1000.
        n_jobs: the number of threads; 0 for all processors.
        seed: a whole number from 0; None for a new seed each time. "environment" stands for `BLEU_SEED`, or else
            `SACREBLEU_SEED`, or else 12345.

    Raises:
        BleuError: there are fewer than two systems, texts have different numbers of segments, or an argument is out of
            range.
        InputTypeError: an argument has the wrong type.

    >>> from bleucli import BLEU
    >>> references = [["the cat sat on the mat", "a dog ran down the street"]]
    >>> systems = [("baseline", ["the cat sat on a mat", "a dog ran"]), ("new", references[0])]
    >>> signatures, scores = PairedTest(systems, {"BLEU": BLEU()}, references, "bs", n_samples=100)()
    >>> scores["System"], str(signatures["BLEU"]).split("|")[:3]
    (['baseline', 'new'], ['nrefs:1', 'bs:100', 'seed:12345'])
    """

    def __init__(
        self,
        named_systems: Iterable[tuple[str, Iterable[str]]],
        metrics: Mapping[str, Measure],
        references: Iterable[Iterable[str | None]] | None,
        test_type: str = "ar",
        n_samples: int = 0,
        n_ar_confidence: int = -1,
        n_jobs: int = 1,
        *,
        seed: Seed = "environment",
    ) -> None:
        if string("test_type", test_type) not in _DEFAULT_TRIALS:
            raise UsageError(f"test_type {test_type!r}; expected 'ar' or 'bs'")
        n_samples = _number_of_trials("n_samples", n_samples, 0, unless=1 if test_type == "bs" else None)
        n_ar_confidence = _number_of_trials("n_ar_confidence", n_ar_confidence, -1, unless=1)
        self._systems = _check_systems(named_systems)
        self._metrics = _check_metrics(metrics)
        self._references = None
        if references is not None:
            self._references = list(map(_as_list, check_shape(self._systems[0][1], references)))
        self._jobs = count_threads(n_jobs, "n_jobs")
        self._sampling = Sampling(
            test_type, n_samples or _DEFAULT_TRIALS[test_type], resampling.choose_seed(seed), self._jobs
        )
        self._resamples = 0
        if test_type == "ar" and n_ar_confidence >= 0:
            self._resamples = n_ar_confidence or resampling.RESAMPLES

    def __call__(self) -> PairedScores:
        """Return the signatures by score, and a table: the systems' names under "System", then one column per score."""
        statistics = self._count(list(self._metrics.values()))
        for system in statistics:
            for hint in [hint for stats in system.stats for hint in stats.hints()]:
                self.tell(about(system.name, hint))
        for hint in [hint for metric in self._metrics.values() for hint in metric.advice]:
            self.tell(hint)
        fields = resampling.signature_fields(self._sampling.method, self._sampling.trials, self._sampling.seed)
        if self._resamples:
            fields = [("bs", str(self._resamples)), *fields]
        systems = [SystemResult(system.name, [stats.record(fields) for stats in system.stats]) for system in statistics]
        samples = [[self._sample(stats) for stats in system.stats] for system in statistics]
        results = Results(systems, statistics[0].stats[0].segments, [])
        results = comparison.resample(results, samples, self._sampling)
        if self._resamples:
            results = self._with_intervals(results, samples)
        signatures: dict[str, Signature] = {}
        table: dict[str, list[str] | list[Result]] = {"System": [name for name, _ in self._systems]}
        names = [record.name for record in results.systems[0].scores]
        for number, name in enumerate(names if len(set(names)) == len(names) else self._metrics):
            records = [system.scores[number] for system in results.systems]
            signatures[name] = statistics[0].stats[number].signature(fields)
            table[name] = list(map(_result, records))
        return PairedScores(signatures, table)

    def tell(self, hint: str) -> None:
        """Issue a hint as a warning."""
        warn(hint)

    def _count(self, metrics: Sequence[Measure]) -> list[SystemStats]:
        """Count all systems by some metrics, with the given references or those of each metric."""
        if self._references is not None:
            return count(of_strings(self._systems, self._references), metrics, jobs=self._jobs, keep_rows=True)
        columns = []
        for metric in metrics:
            systems = [system_of(texts, name) for name, texts in self._systems]
            corpus = Corpus(systems, [metric.cached_references()], prepared=True)
            columns.append(count(corpus, [metric], jobs=self._jobs, keep_rows=True))
        return [
            SystemStats(name, [column[number].stats[0] for column in columns], None)
            for number, (name, _) in enumerate(self._systems)
        ]

    def _sample(self, stats: CorpusStats) -> Sample:
        return comparison.sample_of(stats)

    def _with_intervals(self, results: Results, samples: Sequence[Sequence[Sample]]) -> Results:
        """Add confidence intervals.

        As in sacreBLEU, the draws for the baseline start from the seed; all others come after those of the trials.
        """
        skip = self._sampling.trials * len(samples[0][0].stats)
        systems = []
        for number, (system, row) in enumerate(zip(results.systems, samples, strict=True)):
            resamples = resampling.bootstrap(
                row, self._resamples, self._sampling.seed, jobs=self._jobs, skip=skip if number else 0
            )
            records = [
                record._replace(interval=resampling.confidence_interval(scores))
                for record, scores in zip(system.scores, resamples, strict=True)
            ]
            systems.append(system._replace(scores=records))
        return results._replace(systems=systems)


def _check_systems(named_systems: Iterable[tuple[str, Iterable[str]]]) -> list[tuple[str, Iterable[str]]]:
    pairs = list(named_systems) if isinstance(named_systems, Iterable) else [named_systems]
    # Sets have no first system, and a dictionary gives only its keys
    if isinstance(named_systems, set | frozenset | dict) or not all(
        isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[0], str) for pair in pairs
    ):
        raise InputTypeError(
            "named_systems: expected pairs of a name and a list of strings; write [(name, texts), ...]"
        )
    if len(pairs) < 2:
        raise BleuError(f"{tell_count(len(pairs), 'system')}; a paired test needs the baseline and at least one other")
    return [(name, _as_list(texts)) for name, texts in pairs]


def _check_metrics(metrics: Mapping[str, Measure]) -> dict[str, Measure]:
    if not isinstance(metrics, Mapping) or not all(
        hasattr(metric, "block_stats") and not isinstance(metric, type) for metric in metrics.values()
    ):
        raise InputTypeError('metrics: expected a dictionary of metrics; write {"BLEU": BLEU()}')
    if not metrics or "System" in metrics:
        raise BleuError("metrics: expected at least one metric, and none named System, the name of the first column")
    return dict(metrics)


def _number_of_trials(name: str, value: int, least: int, unless: int | None) -> int:
    """Return a checked number of trials; unless: another number to refuse, such as a single resample."""
    number = whole_number(name, value, least, MOST_TRIALS)
    if number == unless:
        raise UsageError(f"{name} {number}; expected a number from {least} to {MOST_TRIALS}, but not {unless}")
    return number


def _as_list(texts: Any) -> Any:
    """Return an iterator as a list, because every metric reads it; anything else is checked later."""
    return list(texts) if isinstance(texts, Iterator) else texts


def _result(record: ScoreRecord) -> Result:
    mean, half_width = record.interval or (None, None)
    p_value = record.p_value if record.sacrebleu_p_value is None else record.sacrebleu_p_value
    return Result(record.score, p_value, mean, half_width)


def _tell(result: Result) -> str:
    text = f"{result.score:.2f}"
    if result.mean is not None and result.ci is not None:
        text += f" (μ = {result.mean:.2f} ± {result.ci:.2f})"
    # No star: the p-value is sacreBLEU's, which may be low only because it leaves out ties
    return text if result.p_value is None else f"{text} p = {result.p_value:.4f}"
