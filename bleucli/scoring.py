"""From a corpus and metrics to results: counting, then arithmetic on what was counted.

- `score_systems`: corpus scores of one or several systems, with tests
- `score_counted`: the same from statistics, wherever they were counted
- `score_blocks`: the scores of segments, from statistics, block by block
- `score_groups`: scores of systems on groups of segments
- `fit_scales`: results in which scores from elsewhere say which scale they fit
- `sign`: results whose signatures say which texts were scored
- `plan_intervals`: how scores are resampled for intervals; `plan_sampling`: the same, or for a test
"""

from __future__ import annotations

from bleucli.counting import CorpusStats, Part, SystemStats, count
from bleucli.counting.corpus import Corpus
from bleucli.errors import BleuError, SegmentError, UsageError
from bleucli.metrics import Metric
from bleucli.phrases import Turn, tell_count
from bleucli.records import NamedTuple
from bleucli.results import Detail, Results, ScoreRecord, SystemResult, name_row, scale_of
from bleucli.results.segments import SegmentBlock, SegmentScores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from bleucli.counting.corpus import Piece
    from bleucli.results import Ranking
    from bleucli.results.signature import Signature
    from bleucli.significance.comparison import Sampling
    from bleucli.significance.resampling import Seed


class Subset(NamedTuple):
    """Segments with something in common, by their indexes; the other fields as in `results.Detail`."""

    origlang: str
    kind: str
    value: str
    segments: Sequence[int]


class Selection(NamedTuple):
    """Which segments of a corpus to score.

    indexes: theirs, in ascending order; None for all. parts: subsets of segments that also get a score.
    check: called with the number of all segments; may raise an error.
    """

    indexes: Sequence[int] | None
    parts: Sequence[Subset]
    check: Callable[[int], None]


def report_nothing(what: str, done: int, total: int) -> None:
    """Ignore progress."""


def score_systems(
    corpus: Corpus,
    metrics: Sequence[Metric],
    *,
    jobs: int | None = 1,
    sampling: Sampling | None = None,
    by: Sequence[str] = (),
) -> Results:
    """Score every system with every metric.

    jobs: the number of threads; None for all usable processors if there is enough text. sampling: how to resample
    scores, for which the statistics of all segments are kept. by: the labels to group segments by.

    >>> from bleucli import BLEU
    >>> from bleucli.counting.corpus import of_strings
    >>> corpus = of_strings([("weak", ["a b c x"]), ("strong", ["a b c d"])], [["a b c d"]])
    >>> [(system.name, round(system.scores[0].score, 1)) for system in score_systems(corpus, [BLEU()]).systems]
    [('weak', 59.5), ('strong', 100.0)]
    """
    from bleucli.text import DOCUMENT
    from bleucli.text.labels import number

    references = corpus.reference_names()
    systems = count(corpus, metrics, jobs=jobs, keep_rows=sampling is not None or bool(by), inspect=True)
    labels = corpus.labels.columns if corpus.labels is not None else {}
    if not by:
        documents = number(labels[DOCUMENT]) if DOCUMENT in labels else None
        return score_counted(systems, metrics, references=references, sampling=sampling, documents=documents)
    from bleucli.counting.groups import Grouping

    grouping = Grouping(by, sampling is not None, "segment" if sampling is None else sampling.unit)
    grouping.add(systems, labels)
    hints = score_counted([system.without_rows() for system in systems], metrics, references=references).hints
    results = score_groups(grouping.parts(), metrics, sampling=sampling)
    return results._replace(hints=list(dict.fromkeys([*hints, *results.hints])))


def plan_intervals(n_bootstrap: int, seed: Seed, jobs: int) -> Sampling | None:
    """Return how to resample scores for confidence intervals; None for a single resample, which gives none.

    n_bootstrap: the number of resamples, up to 10,000,000. seed: see `bleucli.significance.resampling.choose_seed`.
    """
    from bleucli.limits import MOST_TRIALS, whole_number

    n_bootstrap = whole_number("n_bootstrap", n_bootstrap, 1, MOST_TRIALS)
    if n_bootstrap == 1 and seed == "environment":
        return None
    from bleucli.significance.comparison import Sampling
    from bleucli.significance.resampling import choose_seed

    seed_value = choose_seed(seed)  # even where no seed is needed, an invalid one is an error
    return Sampling("ci", n_bootstrap, seed_value, jobs) if n_bootstrap != 1 else None


def plan_sampling(
    count: int,
    test: str | None,
    baseline: str | None,
    all_pairs: bool,
    bold_best: bool,
    trials: int | None,
    n_bootstrap: int,
    seed: Seed,
    threads: int,
) -> Sampling | None:
    """Return how to resample scores, or None.

    count: the number of systems. threads: their number. Other arguments: see `bleucli.evaluate_systems`.
    """
    from bleucli.limits import MOST_TRIALS, truth_value, whole_number

    all_pairs, bold_best = truth_value("all_pairs", all_pairs), truth_value("bold_best", bold_best)
    n_bootstrap = whole_number("n_bootstrap", n_bootstrap, 1, MOST_TRIALS)
    if test is None:
        idle = {
            "baseline": baseline is not None,
            "all_pairs": all_pairs,
            "bold_best": bold_best,
            "trials": trials is not None,
        }
        for name, is_given in idle.items():
            if is_given:
                raise UsageError(f"{name} is for a test; add test='ar', or leave {name} out")
    elif test not in ("bs", "ar"):
        raise UsageError(f"test {test!r:.40}; choose 'bs' (paired bootstrap), 'ar' (randomization) or None")
    elif n_bootstrap != 1:
        raise UsageError("n_bootstrap is for scores without a test; leave it out (test='bs' has intervals anyway)")
    elif count < 2:
        raise BleuError(f"test={test!r} compares systems, but only one was given; give at least two")
    if test is None:
        return plan_intervals(n_bootstrap, seed, threads)
    from bleucli.significance.comparison import Sampling
    from bleucli.significance.resampling import RESAMPLES, TRIALS, choose_seed

    seed_value = choose_seed(seed)
    if trials is None:
        trials = RESAMPLES if test == "bs" else TRIALS
    else:
        trials = whole_number("trials", trials, 2 if test == "bs" else 1, MOST_TRIALS)
    return Sampling(test, trials, seed_value, threads, all_pairs, bold_best)


def put_before(before: Sequence[SystemStats], systems: Sequence[SystemStats]) -> list[SystemStats]:
    """Return systems that were counted earlier, followed by those counted now."""
    if not before:
        return list(systems)
    then, now = before[0], systems[0]
    for one, other in zip(then.stats, now.stats, strict=True):
        if one.metric.configuration() != other.metric.configuration():
            ways = [f"{signature.name}|{signature}" for signature in (one.signature(), other.signature())]
            raise BleuError(f"{then.name} has {ways[0]}, but {now.name} has {ways[1]}; count both in the same way")
        if one.segments != other.segments:
            raise BleuError(
                f"{then.name} has {tell_count(one.segments, 'segment')} but {now.name} has {other.segments}; a test"
                " needs the same segments of both"
            )
    from bleucli.scale.files import check_references

    check_references([then, now])
    return [*before, *systems]


def score_counted(
    systems: Sequence[SystemStats],
    metrics: Sequence[Metric],
    *,
    references: Sequence[str] = (),
    sampling: Sampling | None = None,
    selection: Selection | None = None,
    documents: Sequence[int] | None = None,
    progress: Callable[[str, int, int], None] = report_nothing,
) -> Results:
    """Score systems from their statistics.

    systems: with rows if they are resampled or parts of them are scored. references: their names, for hints about
    texts. selection: which segments to score; None for all, without scores of parts. documents: the number of each
    segment's document, if documents are known: what `sampling` may resample. progress: called with what is resampled,
    how many are done, and how many there are.
    """
    hints = [hint for system in systems for hint in _hints(system, references)]
    hints += [hint for metric in metrics for hint in metric.advice]
    fields: Sequence[tuple[str, str]] = ()
    if sampling is not None:
        from bleucli.significance import comparison

        fields = comparison.signature_fields(sampling)
    statistics = [
        (system.name, system.stats, [_select(stats, selection) for stats in system.stats]) for system in systems
    ]
    rows = [
        SystemResult(name, [_record(*both, fields, selection) for both in zip(whole, subset, strict=True)])
        for name, whole, subset in statistics
    ]
    results = fit_scales(Results(rows, statistics[0][2][0].segments, hints))
    if sampling is None:
        return results
    if documents is not None and selection is not None and selection.indexes is not None:
        documents = [documents[index] for index in selection.indexes]
    from bleucli.text.labels import number

    whole = None
    if sampling.unit == "doc":
        if documents is None:
            raise UsageError(
                "unit doc resamples whole documents, but the document of a segment is not known; ",
                Turn("give labels={'doc': [...]}", "give a column doc with --labels"),
            )
        whole = number(documents)
    samples = [[comparison.sample_of(stats, whole) for stats in subset] for _, _, subset in statistics]
    if documents is not None and whole is None:
        from bleucli.errors import Note
        from bleucli.results.hints import warn

        note = comparison.compare_units(results, samples, number(documents), sampling)
        if note is not None:
            warn(note, Note)
    return comparison.resample(results, samples, sampling, lambda done, total: progress("trials", done, total))


# What an answer may have beside its groups: keys of rows and scores, and what follows a metric's name in columns
_KEYS = (
    *("segments", "baseline", "name", "score", "scale", "signature", "verbose_score"),
    *("confidence", "confidence_mean", "confidence_var", "level", "partial", "unit"),
)
_ENDS = ("", " mean", " ci", " signature")
# What it has in addition after a test
_TEST_KEYS = ("p_value", "p_values", "mean", "ci", "difference", "cluster")
_TEST_ENDS = (" p_value", " cluster", " difference", " difference low", " difference high")


def score_groups(
    groups: Iterable[Part],
    metrics: Sequence[Metric],
    *,
    sampling: Sampling | None = None,
    progress: Callable[[str, int, int], None] = report_nothing,
) -> Results:
    """Score systems on groups of segments, each group by itself: one row for each group and system.

    groups: what was counted of each; labels are texts. Nothing is compared across groups. Other arguments: as for
    `score_counted`.
    """
    from bleucli.results.hints import about

    systems: list[SystemResult] = []
    rankings: list[Ranking] = []
    test = None
    segments = 0
    hints = advice = [hint for metric in metrics for hint in metric.advice]
    is_test = sampling is not None and sampling.method != "ci"
    keys_of_answer, ends = [*_KEYS, *(_TEST_KEYS if is_test else ())], [*_ENDS, *(_TEST_ENDS if is_test else ())]
    names = {*keys_of_answer, *(f"{metric.score_name()}{end}" for metric in metrics for end in ends)}
    for labels, block, documents in groups:
        # The note about documents, which a test by segments gets, is about a whole corpus
        whole = documents if sampling is not None and sampling.unit == "doc" else None
        if is_test:
            _check_systems(systems, labels, block)
        results = score_counted(block, metrics, sampling=sampling, documents=whole, progress=progress)
        test = results.test
        segments += max(system.stats[0].segments for system in block)
        rankings += results.rankings
        keys = {key for system in results.systems for record in system.scores for key in record.signature.info}
        for column, _ in labels:
            if column in names | keys:
                raise BleuError(
                    f"the column {column} makes groups, but the answer has a column of that name; rename yours"
                )
        for system, stats in zip(results.systems, block, strict=True):
            name = name_row(system.name, labels)
            systems.append(system._replace(name=name, labels=labels, segments=stats.stats[0].segments))
        group = name_row("", labels).strip()
        hints = [*hints, *(about(group, hint) for hint in results.hints if hint not in advice)]
    return fit_scales(Results(systems, segments, hints, test, rankings))


def _check_systems(
    before: Sequence[SystemResult], labels: Sequence[tuple[str, str]], block: Sequence[SystemStats]
) -> None:
    """Refuse a group that has other systems than the groups before."""
    systems = [system.name for system in block]
    expected = list(dict.fromkeys(system.bare_name for system in before)) or systems
    if systems != expected:
        group = name_row("", labels).strip()
        wrong = min({*systems} ^ {*expected})
        which = "lacks" if wrong in expected else "alone has"
        raise BleuError(
            f"the group {group} {which} the system {wrong}, but a test needs the same systems in every group; leave out"
            " the test, or the system"
        )


def fit_scales(results: Results) -> Results:
    """Return results in which scores from elsewhere say which scale they fit: one for each column."""
    first = results.systems[0].scores if results.systems else []
    scales: list[int | None] = [None] * len(first)
    for place, record in enumerate(first):
        if record.scale is not None:
            scales[place] = scale_of(system.scores[place].score for system in results.systems)
    if scales == [None] * len(scales):
        return results

    def fit(rows: Sequence[SystemResult]) -> list[SystemResult]:
        return [
            row._replace(scores=[one._replace(scale=scale) for one, scale in zip(row.scores, scales, strict=True)])
            for row in rows
        ]

    return results._replace(systems=fit(results.systems), averages=fit(results.averages))


def sign(results: Results, texts_of: Callable[[SystemResult], Mapping[str, str]]) -> Results:
    """Return results whose signatures say which texts were scored; texts_of: returns that for a system, by key."""
    from bleucli.results.signature import Signature

    def sign_system(system: SystemResult) -> SystemResult:
        if not (texts := texts_of(system)):
            return system
        signatures = [Signature(record.signature).with_texts(texts.items()) for record in system.scores]
        pairs = zip(system.scores, signatures, strict=True)
        return system._replace(scores=[record._replace(signature=signature) for record, signature in pairs])

    return results._replace(systems=list(map(sign_system, results.systems)))


def _select(stats: CorpusStats, selection: Selection | None) -> CorpusStats:
    if selection is None:
        return stats
    selection.check(stats.segments)
    return stats if selection.indexes is None else stats.take(selection.indexes)


def _record(
    whole: CorpusStats, subset: CorpusStats, sampling: Sequence[tuple[str, str]], selection: Selection | None
) -> ScoreRecord:
    details = []
    for part in selection.parts if selection is not None else ():
        sums = whole.take(part.segments)
        details.append(Detail(part.origlang, part.kind, part.value, sums.segments, sums.score().score))
    return subset.record(sampling)._replace(details=details)


def _hints(system: SystemStats, references: Sequence[str]) -> Iterator[str]:
    if system.fit is not None:
        yield from system.fit.hints(system.name, references, getattr(system.stats[0].metric, "skip_empty_refs", False))
    for stats in system.stats:
        for hint in stats.hints():
            from bleucli.results.hints import about  # imported only here, since plain scoring seldom has hints

            yield about(system.name, hint)


def score_blocks(
    blocks: Iterable[tuple[Piece | None, Sequence[SystemStats]]], selection: Selection | None = None
) -> Iterator[SegmentBlock]:
    """Score each segment by itself, for all systems and metrics, block by block.

    blocks: the statistics of all systems, with rows, as `bleucli.counting.count_blocks` gives them; with the texts, if
    these are wanted.
    """
    start = 0
    subset = None if selection is None or selection.indexes is None else set(selection.indexes)
    signatures: list[dict[int, Signature]] = []
    for texts, systems in blocks:
        indexes: Sequence[int] = range(start, start + systems[0].stats[0].segments)
        start += len(indexes)
        places = None
        if subset is not None:
            places = [place for place, index in enumerate(indexes) if index in subset]
            indexes = [indexes[place] for place in places]
        if not indexes:
            continue
        signatures = signatures or [{} for _ in systems[0].stats]
        scores = [
            [
                _score_each(stats, indexes, places, name, of_metric)
                for stats, of_metric in zip(of_metrics, signatures, strict=True)
            ]
            for name, of_metrics, _ in systems
        ]
        block = SegmentBlock([index + 1 for index in indexes], [system.name for system in systems], scores)
        if texts is not None:
            references, outputs = (
                [column if places is None else [column[place] for place in places] for column in map(list, columns)]
                for columns in (texts.references, texts.hypotheses)
            )
            block = block._replace(references=references, outputs=outputs)
        yield block
    if selection is not None:
        selection.check(start)


def _score_each(
    stats: CorpusStats,
    indexes: Sequence[int],
    places: Sequence[int] | None,
    name: str,
    signatures: dict[int, Signature],
) -> SegmentScores:
    """Return the score of each segment of a block.

    indexes: of the segments to score, in the text; places: the same in the block, None for all segments. name: the name
    of the system, for errors. signatures: those of the metric so far, by the number of references; new ones are added.
    """
    rows, nrefs, metric = stats.rows, stats.nrefs, stats.metric
    assert rows is not None
    assert nrefs is not None
    if places is not None:
        from array import array

        rows, nrefs = rows.take(places), array("i", [nrefs[place] for place in places])
    try:
        scores = metric.score_columns(rows)
    except SegmentError as error:
        place = error.number - 1
        raise error.locate(indexes[place] - place, name) from None
    for number in {*nrefs} - signatures.keys():
        signatures[number] = metric.signature(number, number)
    return scores._replace(
        higher_is_better=metric.higher_is_better,
        nrefs=nrefs,
        signatures=signatures,
        scale=None if metric.in_percent else 100,
    )
