"""The scores of many language pairs, each scored and tested as if it were alone, and the averages of these scores.

- `score_matrix`: files or strings, from Python; `compare_matrix`: the page about them
- `score_pairs`: corpora, whatever they come from
- `plan`: which files a TOML file names, by pair and system
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import fsum

from bleucli import scoring
from bleucli.counting import SystemStats, count_corpora
from bleucli.counting.corpus import Corpus, Source, of_strings
from bleucli.counting.threads import count_threads, usable_processors
from bleucli.errors import BleuError, InputTypeError, Naming, UsageError
from bleucli.limits import string
from bleucli.matrix.plan import Pair, read_plan
from bleucli.metrics import METRICS, Metric, find_metric, list_metrics, segment_scores
from bleucli.phrases import Turn
from bleucli.reading import TextFile
from bleucli.records import NamedTuple
from bleucli.results import AVERAGE, PAIR, Results, ScoreRecord, SystemResult, mark_best, name_row, tell_references
from bleucli.results.hints import about, warn
from bleucli.results.signature import Signature
from bleucli.tokenizers import DEFAULT, default_for, languages, two_letters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.metrics.segment_scores import SegmentScores
    from bleucli.results import Ranking
    from bleucli.significance.comparison import Sampling
    from bleucli.significance.resampling import Sample, Seed

    # Those of one pair, as `evaluate_systems` takes them
    Scores = Mapping[str, Mapping[str, Sequence[float]] | Sequence[Sequence[float]]]
    Texts = Mapping[str, tuple[Mapping[str, Iterable[str]], Iterable[Iterable[str | None]]]]


class Task(NamedTuple):
    """What to score for one language pair: its systems and references, and the metrics for its target language."""

    pair: str
    corpus: Corpus
    metrics: Sequence[Metric]


def score_matrix(
    matrix: str | os.PathLike[str] | Texts,
    metrics: str | Metric | Iterable[str | Metric] = ("bleu",),
    *,
    test: str | None = None,
    baseline: str | None = None,
    all_pairs: bool = False,
    bold_best: bool = False,
    trials: int | None = None,
    n_bootstrap: int = 1,
    seed: Seed = "environment",
    encoding: str = "utf-8",
    jobs: int | None = None,
    scores: Mapping[str, Scores] | None = None,
) -> Results:
    """Score many language pairs, as `bleu matrix` does.

    Args:
        matrix: the path of a TOML file with patterns; or a dictionary with a tuple for each language pair, such as
            `en-de` or `en-zh-CN`: the systems (for each name, n strings) and the references (streams of n strings).
        metrics: names such as `bleu`, or metrics such as `BLEU(lowercase=True)`. BLEU uses the tokenizer of each target
            language, unless it is made with `tokenize` or `trg_lang`.
        test: as for `evaluate_systems`. Each language pair is tested as if it were alone. Averages are tested, too: a
            trial or resample draws the segments of each pair independently of those of the others.
        baseline: the system that the test compares all others with, which needs texts for every pair; None for the
            first one.
        all_pairs: test every pair of systems, as for `evaluate_systems`.
        bold_best: as for `evaluate_systems`, for each language pair and for averages.
        trials: as for `evaluate_systems`.
        n_bootstrap: resamples for a confidence interval of each score and average, up to 10,000,000; 1 for none.
        seed: of the trials and resamples, as for `evaluate_systems`. The average of pair k, from 0, has the random
            numbers of `numpy.random.default_rng([seed, k])`.
        encoding: the encoding of the text files that the TOML file names.
        jobs: the number of threads, which share the texts of all pairs; 0 for all processors, None for all if there is
            enough text. It never changes a score.
        scores: for each language pair, segment scores that something else has computed, as for `evaluate_systems`:
            `{"en-de": {"COMET": {"A": [0.85, ...], ...}}, ...}`. They are columns beside those of the metrics.

    Returns:
        A row for each pair and system, labelled with the pair; `averages` has a row of means for each system that has
        texts for every pair. With a test, each pair is one of `groups()`. `bleucli.render_table` makes a table of the
        results. Hints are given as warnings, and in `hints`.

    Raises:
        BleuError: the file or its patterns are wrong, texts of a pair have different numbers of segments, there is no
            such metric, or a test lacks what it needs. An error about the texts of a pair begins with the name of the
            pair.
        InputTypeError: something other than strings, or a value of the wrong shape.

    >>> german = {"A": ["Das ist gut so."], "B": ["Das ist so gut."]}, [["Das ist gut so."]]
    >>> chinese = {"A": ["这很好。"]}, [["这很好。"]]
    >>> results = score_matrix({"en-de": german, "en-zh": chinese})
    >>> [(row.name, round(row.scores[0].score, 1)) for row in results.systems]
    [('A pair=en-de', 100.0), ('B pair=en-de', 26.9), ('A pair=en-zh', 100.0)]
    >>> [(row.name, row.scores[0].score, row.scores[0].signature.info["tok"]) for row in results.averages]
    [('A pair=average', 100.0, '13a,zh')]
    >>> comet = {"en-de": {"COMET": {"A": [0.75], "B": [0.5]}}, "en-zh": {"COMET": {"A": [0.25]}}}
    >>> score_matrix({"en-de": german, "en-zh": chinese}, scores=comet).score("A", "COMET", pair="average")
    0.5
    """
    threads = None if jobs is None else count_threads(jobs)
    texts = _open_matrix(matrix, metrics, baseline, encoding, scores)
    sampling = scoring.plan_sampling(
        *(len(texts.systems), test, baseline, all_pairs, bold_best, trials, n_bootstrap, seed),
        threads or usable_processors(),
    )
    return texts.score(threads, sampling)


def compare_matrix(
    matrix: str | os.PathLike[str] | Texts,
    metrics: str | Metric | Iterable[str | Metric] = ("bleu",),
    *,
    baseline: str | None = None,
    trials: int | None = None,
    seed: Seed = "environment",
    encoding: str = "utf-8",
    jobs: int | None = None,
    scores: Mapping[str, Scores] | None = None,
) -> str:
    """Return an HTML page about many language pairs, the same as `bleu report --matrix` writes.

    Args:
        matrix: as for `score_matrix`.
        metrics: as for `score_matrix`.
        baseline: the system with which daggers compare all others; None for the one that the TOML file names, if any.
        trials: the number of trials of the paired approximate randomization, up to 10,000,000; None for 10,000.
        seed: of the trials and resamples, as for `score_matrix`.
        encoding: as for `score_matrix`.
        jobs: as for `score_matrix`.
        scores: as for `score_matrix`.

    Raises:
        BleuError: as for `score_matrix`; or Jinja2 is not installed.
        InputTypeError: as for `score_matrix`.

    >>> import warnings
    >>> texts = {"A": ["the cat sat on the mat"], "B": ["the cat sat on a mat"]}, [["the cat sat on the mat"]]
    >>> with warnings.catch_warnings(action="ignore"):  # one segment can show nothing
    ...     page = compare_matrix({"de-en": texts, "fr-en": texts}, baseline="B", trials=100)
    >>> page[page.index("<h1>") : page.index("</h1>")]
    '<h1>Average over 2 language pairs (2 segments): A has the best BLEU, but cannot be told apart from B.'
    """
    from bleucli.limits import MOST_TRIALS, whole_number
    from bleucli.report.contents import plan_of
    from bleucli.report.matrix import render
    from bleucli.significance.comparison import Sampling
    from bleucli.significance.resampling import TRIALS, choose_seed

    threads = None if jobs is None else count_threads(jobs)
    number = TRIALS if trials is None else whole_number("trials", trials, 1, MOST_TRIALS)
    texts = _open_matrix(matrix, metrics, baseline, encoding, scores)
    test = Sampling("ar", number, choose_seed(seed), threads or usable_processors())
    plan = plan_of(test, len(texts.systems))
    results = texts.score(threads, plan.tests or plan.intervals, plan.intervals)
    return render(results, texts.baseline, plan)


class _Texts(NamedTuple):
    """A matrix whose texts are not read yet.

    systems: the names of all systems, in the order of the table. baseline: the first of them, if it is named as the
    baseline. hints: what there is to say of the patterns. files: those that are read, which have more to say then.
    """

    tasks: Sequence[Task]
    systems: Sequence[str]
    baseline: str | None
    hints: Sequence[str]
    files: Sequence[TextFile]

    def score(self, threads: int | None, sampling: Sampling | None, intervals: Sampling | None = None) -> Results:
        """Read and score all texts, and give the hints as warnings; arguments: those of `score_pairs`."""
        results = score_pairs(self.tasks, self.systems, jobs=threads, sampling=sampling, intervals=intervals)
        hints = [*self.hints, *(hint for file in self.files for hint in file.hints), *results.hints]
        for hint in hints:
            warn(hint)
        return results._replace(hints=hints)


def _open_matrix(
    matrix: str | os.PathLike[str] | Texts,
    metrics: str | Metric | Iterable[str | Metric],
    baseline: str | None,
    encoding: str,
    scores: Mapping[str, Scores] | None,
) -> _Texts:
    """Return a matrix; arguments: as for `score_matrix`."""
    scorers, encoding = list(map(find_metric, list_metrics(metrics))), string("encoding", encoding)
    corpora: list[tuple[str, str, Corpus]] = []
    files: list[TextFile] = []
    systems: Sequence[str] = []
    hints: Sequence[str] = ()
    first = None
    if isinstance(matrix, str | os.PathLike):
        plan = read_plan(os.fspath(matrix))
        systems, hints = plan.systems, plan.hints
        first = systems[0] if plan.has_baseline else None
        for one in plan.pairs:
            corpus, files_of_pair = _open(one, encoding)
            corpora.append((one.name, one.language, corpus))
            files += files_of_pair
    else:
        if encoding != "utf-8":
            raise UsageError(f"encoding {encoding!r:.40} is for files, but the matrix has strings; leave encoding out")
        for pair, language, (of_pair, references) in _check_texts(matrix):
            systems = [*systems, *(name for name in of_pair if name not in systems)]
            with Naming(pair):
                corpora.append((pair, language, of_strings(list(of_pair.items()), references)))
    if baseline is not None:
        if baseline not in systems:
            raise UsageError(f"baseline {baseline!r:.40}; choose one of the systems: {', '.join(systems)}")
        systems = [baseline, *(name for name in systems if name != baseline)]
    columns = _columns_of(scores, {pair: corpus.system_names() for pair, _, corpus in corpora})
    follows = any(map(_follows_language, scorers))
    by_language: dict[str, list[Metric]] = {}
    tasks = []
    for pair, code, corpus in corpora:
        language = find_language(pair, code, follows)
        if language not in by_language:
            by_language[language] = [
                type(one)(**{option.name: getattr(one, option.name) for option in one.options} | {"trg_lang": language})
                if _follows_language(one)
                else one
                for one in scorers
            ]
        tasks.append(Task(pair, corpus, [*by_language[language], *columns[pair]]))
    return _Texts(tasks, systems, baseline or first, hints, files)


def _columns_of(scores: object, systems: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[SegmentScores]]:
    """Return an argument `scores` as metrics of each pair; systems: those of each pair."""
    if scores is None:
        return dict.fromkeys(systems, ())
    if not isinstance(scores, Mapping):
        raise InputTypeError('scores: expected segment scores by pair; write {"en-de": {"COMET": {"system": [...]}}}')
    if unknown := next((str(pair) for pair in scores if pair not in systems), ""):
        raise BleuError(f"scores has {unknown!r}, which is not a language pair; choose from {', '.join(systems)}")
    columns = {}
    for pair, names in systems.items():
        with Naming(pair):
            columns[pair] = segment_scores.of_mapping(scores.get(pair, {}), names)
    return agree(columns)


def agree(columns: Mapping[str, Sequence[SegmentScores]]) -> dict[str, list[SegmentScores]]:
    """Return the scores of each pair in the same order and with the same direction.

    Numbers of errors may be negative, so that higher ones are better, and all be 0 for a pair.
    """
    first, *_ = columns
    names = [scores.name for scores in columns[first]]
    by_name = {pair: {scores.name: scores for scores in of} for pair, of in columns.items()}
    for pair, of in by_name.items():
        for one, other in ((first, pair), (pair, first)):
            if missing := next((name for name in by_name[one] if name not in by_name[other]), ""):
                raise BleuError(f"{other}: there are no scores {missing}, which {one} has; give each pair the same")
        for name, scores in of.items():
            if scores.higher_is_better != by_name[first][name].higher_is_better:
                if not segment_scores.counts_errors(name) or any(of[name].has_errors() for of in by_name.values()):
                    raise BleuError(
                        f"{pair}: {name} has another direction than for {first}; say the same for each pair"
                    )
                for of_pair in by_name.values():
                    of_pair[name].higher_is_better = True
    return {pair: [of[name] for name in names] for pair, of in by_name.items()}


def find_language(pair: str, code: str, follows: bool) -> str:
    """Return the target language of a pair.

    code: that of its target. follows: whether a metric follows the language; if not, the language of a pair may be
    unknown, "".
    """
    try:
        return languages.find(code)
    except languages.LanguageError as error:
        if not follows:
            return ""
        hint = f" (did you mean {error.meant}?)" if error.meant else ""
        remedy = Turn("BLEU(tokenize=...)", "-tok")
        raise UsageError(f"{pair}: {error.why}{hint}; rename the pair, or name a tokenizer with ", remedy) from None


def _follows_language(metric: Metric) -> bool:
    """Return whether the target language chooses the metric's tokenizer: it is BLEU, and names no other."""
    # The constructors of classes derived from BLEU may have other arguments
    return type(metric) is METRICS["bleu"] and not any(getattr(metric, name) for name in ("tokenize", "trg_lang"))


def _open(pair: Pair, encoding: str) -> tuple[Corpus, list[TextFile]]:
    """Return the texts of a pair, and their files: references, then outputs."""
    paths = [*pair.references, *pair.systems.values()]
    files = [TextFile(path, path, encoding=encoding, among=len(paths)) for path in paths]
    names = [*pair.references, *pair.systems]
    sources = [
        Source(file.name, [name], file.blocks(), hurry=file.hurry) for file, name in zip(files, names, strict=True)
    ]
    references = len(pair.references)
    return Corpus(sources[references:], sources[:references]), files


def _check_texts(
    matrix: object,
) -> Iterator[tuple[str, str, tuple[Mapping[str, Iterable[str]], Iterable[Iterable[str]]]]]:
    """Give the name, the target language and the texts of each pair."""
    if not isinstance(matrix, Mapping) or not matrix:
        raise InputTypeError('matrix: expected a path, or texts by pair; write {"en-de": (systems, references)}')
    for pair, texts in matrix.items():
        language = languages.find_target(pair) if isinstance(pair, str) else None
        if language is None:
            raise InputTypeError(
                f"matrix: {pair!r:.40} is not the name of a language pair; write one such as 'en-de' or 'en-zh-CN'"
            )
        first, _, second = pair.partition("-")
        if _may_have_region(first, second):
            raise InputTypeError(
                f"matrix: {pair!r} could be a pair, or a target with its region; write"
                f" '{first}-{second.lower()}' for the pair, or '{first}_{second}' for the target"
            )
        if not (isinstance(texts, tuple) and len(texts) == 2 and isinstance(texts[0], Mapping) and texts[0]):
            raise InputTypeError(f"matrix: {pair}: expected a tuple: systems by name, and reference streams")
        if not all(isinstance(name, str) and name for name in texts[0]):
            raise InputTypeError(f"matrix: {pair}: expected systems by name, found {list(texts[0])!r:.60}")
        yield pair, language, texts


def _may_have_region(first: str, second: str) -> bool:
    """Return whether `first-second` may also be a target with its region, which would need another tokenizer.

    >>> _may_have_region("zh", "CN"), _may_have_region("en", "ZH"), _may_have_region("de", "AT")
    (True, False, False)
    """
    if not (first.islower() and second.isupper() and len(second) == 2):
        return False
    return default_for(two_letters(first)) != DEFAULT == default_for(two_letters(second))


def score_pairs(
    tasks: Sequence[Task],
    systems: Sequence[str],
    *,
    jobs: int | None = 1,
    sampling: Sampling | None = None,
    intervals: Sampling | None = None,
    progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Results:
    """Score language pairs as `score_matrix`; each gets the scores that it would get alone.

    systems: the names of all systems, in the order of the table. The first one is the baseline of a test. sampling: as
    for `scoring.score_systems`. intervals: how to resample for intervals, if `sampling` gives none. progress: called
    with what is scored, how many are done, and of how many.
    """
    by_system: dict[str, list[SystemResult]] = {name: [] for name in systems}
    rows: list[SystemResult] = []
    hints: dict[str, list[str]] = {}
    segments = 0
    test = None
    # A pair whose outputs --keep-going leaves out is not scored, but keeps its column
    queue = [task for task in tasks if task.corpus.systems]
    counts = count_corpora(queue, jobs=jobs, keep_rows=sampling is not None, inspect=True)
    stats_of_pairs: list[dict[str, SystemStats]] = []
    rankings: list[Ranking] = []
    has_baseline = sampling is not None and sampling.method != "ci" and not sampling.all_pairs
    lacking = next((task.pair for task in queue if has_baseline and systems[0] not in task.corpus.system_names()), "")
    if lacking:
        raise UsageError(
            f"{lacking}: there is no output by {systems[0]}, the baseline of the test; ",
            Turn("name another as baseline", 'name another with baseline = "NAME" in the TOML file'),
            ", or leave out the pair",
        )
    for number, (task, stats) in enumerate(zip(queue, counts, strict=True), 1):
        by_name = {one.name: one for one in stats}
        in_order = [by_name[name] for name in systems if name in by_name]
        with Naming(task.pair):
            references = task.corpus.reference_names()
            result = scoring.score_counted(in_order, task.metrics, references=references, sampling=sampling)
            result = _with_intervals(result, [by_name], intervals)
        if sampling is None:  # otherwise, resampling has already marked the best
            result = mark_best(result)
        else:
            stats_of_pairs.append(by_name)
            rankings += result.rankings
        scores = {system.name: system.scores for system in result.systems}
        for name, of in by_system.items():
            if name in scores:
                of.append(_row(name, task.pair, scores[name], result.segments))
                rows.append(of[-1])
        test = result.test
        for hint in dict.fromkeys(result.hints):
            hints.setdefault(hint, []).append(task.pair)
        segments += result.segments
        progress("pairs", number, len(queue))
    pairs = [task.pair for task in tasks]
    messages = [hint if len(of) == len(pairs) > 1 else about(", ".join(of), hint) for hint, of in hints.items()]
    whole = []
    if len(pairs) > 1:
        # Averages over different pairs could not be compared
        whole = [_average(name, of) for name, of in by_system.items() if len(of) == len(pairs)]
    if whole and (mixture := tell_references(rows)):
        messages.append(
            f"the averages mix language pairs with different numbers of references: {mixture}; give each pair the same"
            " number"
        )
    means = Results(whole, segments, [])
    if sampling is None or not whole:
        means = mark_best(means)
    else:
        from bleucli.significance.comparison import resample_means

        samples = _samples(means, stats_of_pairs)
        means = resample_means(means, samples, sampling, lambda done, total: progress("trials", done, total))
    means = _with_intervals(means, stats_of_pairs, intervals)
    messages += [about(AVERAGE, hint) for hint in means.hints if hint not in messages]
    rankings += means.rankings
    return scoring.fit_scales(
        Results(rows, segments, messages, test, rankings, averages=means.systems, pairs=pairs, names=systems)
    )


def _with_intervals(results: Results, pairs: Sequence[Mapping[str, SystemStats]], sampling: Sampling | None) -> Results:
    """Return the scores of a pair, or the averages, with intervals, if these are wanted and the test has given none.

    pairs: what each pair counted, by system.
    """
    if sampling is None or not results.systems or results.systems[0].scores[0].interval is not None:
        return results
    from bleucli.significance.comparison import resample_means

    resampled = resample_means(results, _samples(results, pairs), sampling).systems
    systems = []
    for system, other in zip(results.systems, resampled, strict=True):
        both = zip(system.scores, other.scores, strict=True)
        systems.append(system._replace(scores=[one._replace(interval=drawn.interval) for one, drawn in both]))
    return results._replace(systems=systems)


def _samples(results: Results, pairs: Sequence[Mapping[str, SystemStats]]) -> list[list[list[Sample]]]:
    """Return what each pair counted, for resampling: a row for each system of the results."""
    from bleucli.significance.comparison import sample_of

    return [[list(map(sample_of, of[row.bare_name].stats)) for row in results.systems] for of in pairs]


def _row(name: str, pair: str, scores: list[ScoreRecord], segments: int) -> SystemResult:
    labels = [(PAIR, pair)]
    return SystemResult(name_row(name, labels), scores, labels, segments)


def _average(name: str, rows: Sequence[SystemResult]) -> SystemResult:
    """Return the means of a system's scores over all pairs; a mean's signature has all values of each key."""
    means = []
    for records in zip(*(row.scores for row in rows), strict=True):
        values: dict[str, dict[str, None]] = {}
        for record in records:
            for key, value in record.signature:
                values.setdefault(key, {})[value] = None
        signature = Signature([(key, ",".join(items)) for key, items in values.items()])
        # The sum is exact before it is rounded, so the order of the pairs does not matter
        mean = fsum(record.score for record in records) / len(records)
        first = records[0]
        means.append(ScoreRecord(first.name, mean, "", signature, first.higher_is_better, scale=first.scale))
    return _row(name, AVERAGE, means, sum(row.segments or 0 for row in rows))
