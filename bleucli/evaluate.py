"""Systems given as strings, scored in one call of Python.

- `evaluate_systems`: scores of systems, with tests
- `evaluate_segments`: scores of each segment
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite

from bleucli.counting.corpus import Corpus, Source, check_shape, check_systems, of_strings
from bleucli.errors import BleuError, InputTypeError, UsageError
from bleucli.limits import real_number
from bleucli.metrics import Metric, find_metric, list_metrics, segment_scores
from bleucli.phrases import suggest
from bleucli.results import Results, ScoreRecord
from bleucli.results.segments import SegmentTable
from bleucli.scoring import fit_scales, plan_sampling, score_blocks, score_systems, sign
from bleucli.text import blocks_of_strings
from bleucli.text.labels import Labels
from bleucli.text.typography import read_kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from bleucli.metrics.segment_scores import CorpusMetric, SegmentMetric
    from bleucli.significance.resampling import Seed

    AnyMetric = str | Metric | SegmentMetric | CorpusMetric


def evaluate_systems(
    systems: Mapping[str, Iterable[str]],
    references: Iterable[Iterable[str | None]],
    metrics: AnyMetric | Iterable[AnyMetric] = ("bleu",),
    *,
    scores: Mapping[str, Mapping[str, Sequence[float]] | Sequence[Sequence[float]]] | None = None,
    test: str | None = None,
    baseline: str | None = None,
    all_pairs: bool = False,
    bold_best: bool = False,
    trials: int | None = None,
    n_bootstrap: int = 1,
    seed: Seed = "environment",
    jobs: int = 1,
    labels: Mapping[str, Iterable[str]] | None = None,
    by: str | Sequence[str] = (),
    unit: str = "segment",
    level: str = "segment",
    normalize: str = "",
) -> Results:
    """Score systems by metrics, and test their differences, as the command does.

    Args:
        systems: for each system's name, n strings.
        references: streams: one list of n strings for each reference set; None is a missing reference.
        metrics: names (`bleu`, `chrf`, `chrf+`, `chrf++`, `ter`, `wer`, `cer`), metrics such as `BLEU(lowercase=True)`,
            or any objects with `name`, `higher_is_better`, and `segment_scores(hypotheses, references)`, which returns
            a score for each segment, or `corpus_score(hypotheses, references)`, which is called without a test.
        scores: segment scores that something else has computed: for each name, n numbers for each system, by its name
            or in the order of the systems. A system's score is their mean. Higher is better, except for error rates,
            MetricX and MQM, unless these are negative; `"NAME:lower"` and `"NAME:higher"` say so.
        test: "bs" for the paired bootstrap, "ar" for paired approximate randomization, None for no test.
        baseline: the system that the test compares all others with; None for the first one. The baseline comes first in
            the results.
        all_pairs: test every pair of systems, and rank them; the results then also have p-values that are corrected for
            the number of pairs.
        bold_best: with a test against a baseline, also test every pair of systems, to find the best one by each metric
            and those that the test cannot distinguish from it. `render_table(bold_best=True)` needs this.
        trials: the number of trials or resamples of the test, up to 10,000,000; None for 1,000 (bs) or 10,000 (ar).
        n_bootstrap: without a test, the number of resamples for a 95% confidence interval of each score, up to
            10,000,000; 1 for no intervals. The paired bootstrap always gives intervals.
        seed: the seed of the trials and resamples, a whole number from 0; None for a new seed each time. "environment"
            stands for `BLEU_SEED`, or else `SACREBLEU_SEED`, or else 12345.
        jobs: the number of threads, 0 for all usable processors; it never changes a result.
        labels: what is known of each segment, by name: n strings each. `doc` names documents.
        by: the label, or labels, to score by: one row for each system and group of segments that share them.
        unit: what tests and intervals resample as a whole: "segment", as sacreBLEU does, or "doc" for documents, whose
            segments depend on one another.
        level: what is scored as one text: a "segment", or the segments of a "doc" (document), joined by spaces (Liu et
            al. 2020). The segments of a document must follow one another.
        normalize: which typography to make alike in outputs and references before metrics count, such as
            "quotes,dashes" or "typography" (see `normalize`); only for metrics of this package.

    Returns:
        Scores in percent with their signatures, and what the test found. `to_dict()` returns them for JSON, and
        `rows()` for `pandas.DataFrame` and `polars.DataFrame`; notebooks show a table. Hints are given as warnings, and
        are also in `hints`.

    Raises:
        BleuError: there is no system or metric, lengths differ, a segment has no reference or lacks a label, or
            arguments contradict each other.
        InputTypeError: a text is not a string, a list has the wrong shape, or another argument has the wrong type.

    >>> references = [[f"the cat with the number {n} sat on the mat" for n in range(20)]]
    >>> systems = {
    ...     "old": [f"the cat with the number {n} sat on a mat" for n in range(20)],
    ...     "new": [f"the cat with the number {n} sat on {'a' if n % 3 else 'the'} mat" for n in range(20)],
    ... }
    >>> comet = {"old": [0.71 + n / 100 for n in range(20)], "new": [0.72 + n / 100 for n in range(20)]}
    >>> scores = {"COMET": comet}
    >>> results = evaluate_systems(systems, references, ["bleu", "chrf"], scores=scores, test="ar", trials=1000)
    >>> for row in results.rows():
    ...     print(row["system"], row["metric"], round(row["score"], 1), row["p_value"] and round(row["p_value"], 3))
    old BLEU 78.3 None
    old chrF2 83.6 None
    old COMET 0.8 None
    new BLEU 85.9 0.016
    new chrF2 89.4 0.016
    new COMET 0.8 0.001

    Segments of a document depend on one another, so whole documents are resampled:

    >>> documents = {"doc": [f"page {n // 2}" for n in range(20)]}
    >>> results = evaluate_systems(systems, references, test="ar", trials=1000, labels=documents, unit="doc")
    >>> round(results.systems[1].scores[0].p_value, 3)
    0.017

    Some differences are only typography:

    >>> results = evaluate_systems({"ours": ["a \N{EN DASH} b c"]}, [["a - b c"]], normalize="dashes")
    >>> (score,) = results.systems[0].scores
    >>> round(score.score, 1), dict(score.signature)["normalize"]
    (100.0, 'dashes')
    """
    from bleucli.counting.threads import count_threads

    threads = count_threads(jobs)
    choices: list[Any] = list_metrics(metrics)  # type: ignore[arg-type]
    names = _order_systems(systems, baseline)
    sampling = plan_sampling(len(names), test, baseline, all_pairs, bold_best, trials, n_bootstrap, seed, threads)
    columns = segment_scores.of_mapping(scores, list(systems))
    foreign = [place for place, one in enumerate(choices) if segment_scores.is_foreign(one)]
    if foreign:  # texts are read more than once
        systems = {name: list(systems[name]) for name in names}
        references = [list(stream) for stream in check_shape(systems[names[0]], references)]
    corpus = of_strings([(name, systems[name]) for name in names], references)
    from bleucli.results.hints import warn

    if unit != "segment" and sampling is None:
        raise UsageError("unit is for tests and intervals; add test='ar', or n_bootstrap=1000")
    if sampling is not None:
        sampling = sampling._replace(unit=_choice("unit", unit))
    is_joined = _choice("level", level) == "doc"
    corpus = _label(corpus, {} if labels is None else labels)
    if is_joined:
        if foreign:
            raise UsageError(
                "level 'doc' joins texts that a metric of another library has scored; leave out one of them"
            )
        from bleucli.counting.groups import join_documents

        corpus = corpus._replace(documents=join_documents)
    # Metrics of other libraries that only score whole systems, by their places
    whole = {place: choices[place] for place in foreign if not hasattr(choices[place], "segment_scores")}
    scorers = [_make_metric(one, systems, references) for place, one in enumerate(choices) if place not in whole]
    scorers = _normalizing(scorers, normalize, bool(columns or foreign))
    scorers += columns
    segment_scores.check_names([one.name for one in scorers if not one.in_percent])
    if whole and (sampling is not None or by or not scorers):
        name, _ = segment_scores.describe_foreign(next(iter(whole.values())))
        raise UsageError(
            f"{name} only has corpus_score, which gives no tests, intervals or groups, and needs another metric beside"
            " it; give it segment_scores, or leave it out"
        )
    results = score_systems(
        corpus,
        scorers,
        jobs=threads,
        sampling=sampling,
        by=[by] if isinstance(by, str) else list(by),
    )
    if whole:
        results = _add_whole(results, whole, systems, references)
    for hint in results.hints:
        warn(hint)
    return sign(results, lambda _: {"level": "doc"}) if is_joined else results


def evaluate_segments(
    systems: Mapping[str, Iterable[str]],
    references: Iterable[Iterable[str | None]],
    metrics: AnyMetric | Iterable[AnyMetric] = ("bleu",),
    *,
    scores: Mapping[str, Mapping[str, Sequence[float]] | Sequence[Sequence[float]]] | None = None,
    labels: Mapping[str, Iterable[str]] | None = None,
    jobs: int = 1,
) -> SegmentTable:
    """Score every segment of systems by metrics, as `bleu -sl` does.

    Args:
        systems: for each system's name, n strings.
        references: streams: one list of n strings for each reference set; None is a missing reference.
        metrics: as for `evaluate_systems`; objects of other libraries need `segment_scores`. `"bleu"` stands for BLEU
            with effective order, as is usual for single segments.
        scores: segment scores that something else has computed, as for `evaluate_systems`.
        labels: what is known of each segment, by name: n strings each.
        jobs: the number of threads, 0 for all usable processors; it never changes a result.

    Returns:
        A table: `table["system"]["BLEU"]` is a list of n scores in percent; `rows()` and `to_pandas()` make rows of it.

    Raises:
        BleuError: there is no system or metric, lengths differ, or a segment has no reference.
        InputTypeError: a text is not a string, a list has the wrong shape, or another argument has the wrong type.

    >>> systems = {"old": ["the cat sat on a mat", "it was fine"], "new": ["the cat sat on the mat", "it was good"]}
    >>> references = [["the cat sat on the mat", "it was good"]]
    >>> comet = {"old": [0.5, 0.25], "new": [1, 0.75]}
    >>> table = evaluate_segments(systems, references, ["chrf", "wer"], scores={"COMET": comet})
    >>> for row in table.rows(wide=True):
    ...     print(row["segment"], round(row["old chrF2"], 1), row["new WER"], row["old COMET"])
    1 66.0 0.0 0.5
    2 33.6 0.0 0.25
    """
    from bleucli.counting import count_blocks
    from bleucli.counting.threads import count_threads

    threads = count_threads(jobs)
    choices: list[Any] = list_metrics(metrics)  # type: ignore[arg-type]
    texts: dict[str, Any] = {name: _readable_twice(system) for name, system in check_systems(systems).items()}
    streams: list[Any] = list(map(_readable_twice, check_shape(next(iter(texts.values())), references)))
    for one in choices:
        if segment_scores.is_foreign(one) and not hasattr(one, "segment_scores"):
            name, _ = segment_scores.describe_foreign(one)
            raise UsageError(f"{name} has no segment_scores, so it cannot score segments; leave it out")
    scorers = [
        find_metric(one).for_segments() if isinstance(one, str) else _make_metric(one, texts, streams)
        for one in choices
    ]
    scorers += segment_scores.of_mapping(scores, list(texts))
    segment_scores.check_names([one.name for one in scorers if not one.in_percent])
    columns: dict[str, dict[str, list[float]]] = {}
    nrefs: set[int] = set()
    for block in score_blocks(count_blocks(of_strings(texts.items(), streams), scorers, jobs=threads)):
        nrefs.update(block.scores[0][0].nrefs)
        for name, of_system in zip(block.systems, block.scores, strict=True):
            for one in of_system:
                columns.setdefault(name, {}).setdefault(one.name, []).extend(one.scores)
    names = list(first := columns[next(iter(texts))])
    if len(names) < len(scorers):
        raise UsageError("two metrics give scores of the same name; score with one, then with the other")
    signatures = [one.signature(min(nrefs), max(nrefs)) for one in scorers]
    segments = len(first[names[0]])
    lists = {name: list(column) for name, column in ({} if labels is None else labels).items()}
    for name, column in lists.items():
        if len(column) != segments:
            raise BleuError(f"labels[{name!r}] has {len(column)} labels for {segments} segments; give one per segment")
    return SegmentTable(columns, dict(zip(names, signatures, strict=True)), lists)


def _readable_twice(texts: object) -> object:
    """Return texts, in a list if they could be read only once."""
    return list(texts) if isinstance(texts, Iterator) else texts


def _make_metric(metric: Any, systems: Mapping[str, Any], references: Any) -> Metric:
    """Return the metric that a name, a metric or an object of another library stands for."""
    if segment_scores.is_foreign(metric):
        return segment_scores.of_object(metric, systems, references)
    if hasattr(metric, "higher_is_better") and not isinstance(metric, Metric | type):
        methods = "segment_scores(hypotheses, references) or corpus_score(hypotheses, references)"
        raise InputTypeError(f"a metric of type {type(metric).__name__} has no method that scores; give it {methods}")
    return find_metric(metric)


def _normalizing(metrics: list[Metric], normalize: str, has_others: bool) -> list[Metric]:
    """Return metrics that make typography alike; has_others: whether there are scores of something else as well."""
    kinds = read_kinds(normalize)
    if not kinds:
        return metrics
    if has_others:
        raise UsageError("normalize is for metrics of this package; score the others in a call of their own")
    return [metric.normalizing(kinds) for metric in metrics]


def _add_whole(
    results: Results, metrics: Mapping[int, Any], systems: Mapping[str, Any], references: Iterable[Any]
) -> Results:
    """Return results with the scores of metrics that only score whole systems; metrics: by their places."""
    rows = []
    for system in results.systems:
        records = list(system.scores)
        for place, metric in metrics.items():
            name, higher = segment_scores.describe_foreign(metric)
            answer = metric.corpus_score(list(systems[system.name]), [list(stream) for stream in references])
            score = real_number(f"corpus_score of {name}", getattr(answer, "score", answer))
            if not isfinite(score):
                raise BleuError(f"corpus_score of {name} is {score} for {system.name}; give a finite number")
            signature = segment_scores.SegmentScores(name, {}, higher).signature(0, 0)
            records.insert(place, ScoreRecord(name, float(score), "", signature, higher, scale=100))
        rows.append(system._replace(scores=records))
    return fit_scales(results._replace(systems=rows))


def _choice(name: str, value: object) -> str:
    if value not in ("segment", "doc"):
        raise UsageError(f"{name} {value!r:.40}; choose 'segment' or 'doc' (document)")
    return str(value)


def _label(corpus: Corpus, labels: Mapping[str, Iterable[str]]) -> Corpus:
    if not isinstance(labels, Mapping):
        raise InputTypeError(f"labels: found {type(labels).__name__}; give lists of strings by name: {{'doc': [...]}}")
    sources = [
        Source(
            f"labels[{name!r}]", [], ([block] for block in blocks_of_strings(column, f"{name} label")), labels=[name]
        )
        for name, column in labels.items()
    ]
    return corpus._replace(systems=[*corpus.systems, *sources], labels=Labels(labels))


def _order_systems(systems: object, baseline: str | None) -> list[str]:
    names = list(check_systems(systems))
    if baseline is None:
        return names
    if baseline not in names:
        suggestion = suggest(baseline, names) if isinstance(baseline, str) else ""
        raise UsageError(f"baseline {baseline!r:.40}; choose one of the systems: {', '.join(names)}{suggestion}")
    return [baseline, *(name for name in names if name != baseline)]
