"""The scores of many language pairs: each those of its pair alone, and their averages.

- `score_matrix`: files or strings, from Python
- `score_pairs`: corpora, whatever they come from
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import fsum

from bleucli import scoring
from bleucli.corpus import Corpus, Source, of_strings
from bleucli.errors import InputTypeError
from bleucli.hints import about, warn
from bleucli.matrix.plan import Pair, read_plan, target_of
from bleucli.metrics import METRICS, VARIANTS, Metric, find_metric
from bleucli.records import NamedTuple
from bleucli.results import AVERAGE, PAIR, Matrix, Results, ScoreRecord, SystemResult, name_row
from bleucli.signature import Signature
from bleucli.textfiles import TextFile
from bleucli.threads import count_threads, in_order, usable_processors
from bleucli.tokenizers import two_letters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bleucli.significance.comparison import Sampling

    Texts = Mapping[str, tuple[Mapping[str, Iterable[str]], Iterable[Iterable[str | None]]]]


class Task(NamedTuple):
    """What is to be scored of one language pair: its systems, by their names, with metrics of their own."""

    pair: str
    corpus: Corpus
    metrics: Sequence[Metric]


def score_matrix(
    matrix: "str | os.PathLike[str] | Texts", metrics: "Sequence[str | Metric]" = ("bleu",), *, jobs: int | None = None
) -> Results:
    """Score many language pairs, as `--matrix` does.

    Args:
        matrix: the path of a TOML file with patterns; or a dictionary with a tuple for each language pair, such as
            `en-de` or `en-zh-CN`: the systems (for each name, n strings) and the references (streams of n strings).
        metrics: names such as `bleu`, whose tokenizer follows the target language; or metrics, which are used as they
            are for all pairs.
        jobs: threads, which share the pairs; 0 for all processors, None for all if there is enough text.

    Returns:
        A row for each pair and system, labelled with the pair; `matrix` has the pairs, the systems and the averages of
        the systems that have texts for every pair. `bleucli.render_table` makes a table of it. Hints are given as
        warnings, and in `hints`.

    Raises:
        BleuError: the file or its patterns are wrong, texts of a pair have different numbers of segments, or there is
            no such metric.
        InputTypeError: something other than strings, or a value of the wrong shape.

    >>> german = {"A": ["Das ist gut so."], "B": ["Das ist so gut."]}, [["Das ist gut so."]]
    >>> chinese = {"A": ["这很好。"]}, [["这很好。"]]
    >>> results = score_matrix({"en-de": german, "en-zh": chinese})
    >>> [(row.name, round(row.scores[0].score, 1)) for row in results.systems]
    [('A pair=en-de', 100.0), ('B pair=en-de', 26.9), ('A pair=en-zh', 100.0)]
    >>> [(row.name, row.scores[0].score, row.scores[0].signature.info["tok"]) for row in results.matrix.averages]
    [('A pair=average', 100.0, '13a,zh')]
    """
    if isinstance(metrics, str) or not isinstance(metrics, Iterable):
        raise InputTypeError("metrics: expected a list of names or metrics; write ['bleu']")
    wanted = list(metrics)
    if not wanted:
        raise InputTypeError("metrics: expected a list of names or metrics; write ['bleu']")
    if isinstance(matrix, str | os.PathLike):
        plan = read_plan(os.fspath(matrix))
        systems, hints = plan.systems, list(plan.hints)
        files = [_open_files(pair) for pair in plan.pairs]
        corpora = [(pair.name, pair.language, _corpus_of(*of)) for pair, of in zip(plan.pairs, files, strict=True)]
    else:
        systems, corpora, hints, files = [], [], [], []
        for pair, language, (of_pair, references) in _check_texts(matrix):
            systems += [name for name in of_pair if name not in systems]
            corpora.append((pair, language, of_strings(list(of_pair.items()), references)))
    made: dict[str, list[Metric]] = {}
    for _, language, _ in corpora:
        if language not in made:
            made[language] = [_make_metric(one, language) for one in wanted]
    tasks = [Task(pair, corpus, made[language]) for pair, language, corpus in corpora]
    results = score_pairs(tasks, systems, jobs=None if jobs is None else count_threads(jobs))
    hints += [hint for references, outputs in files for file in (*references, *outputs.values()) for hint in file.hints]
    hints += results.hints
    for hint in hints:
        warn(hint)
    return results._replace(hints=hints)


def _make_metric(metric: "str | Metric", language: str) -> Metric:
    """Return a metric; of a name the one that suits a target language."""
    base, _ = VARIANTS.get(metric, (metric, {})) if isinstance(metric, str) else ("", {})
    follows = base in METRICS and any(option.name == "trg_lang" for option in METRICS[base].options)
    return find_metric(metric, {"trg_lang": two_letters(language)} if follows else None)


def _open_files(pair: Pair) -> tuple[list[TextFile], dict[str, TextFile]]:
    among = len(pair.references) + len(pair.systems)
    references = [TextFile(path, path, among=among) for path in pair.references]
    return references, {name: TextFile(path, path, among=among) for name, path in pair.systems.items()}


def _corpus_of(references: Sequence[TextFile], outputs: Mapping[str, TextFile]) -> Corpus:
    return Corpus(
        [Source(file.name, [name], file.blocks(), hurry=file.hurry) for name, file in outputs.items()],
        [Source(file.name, [file.name], file.blocks(), hurry=file.hurry) for file in references],
    )


def _check_texts(
    matrix: object,
) -> Iterator[tuple[str, str, tuple[Mapping[str, Iterable[str]], Iterable[Iterable[str]]]]]:
    """Give the name, the target language and the texts of each pair.

    Raises:
        InputTypeError: they are of another shape.
    """
    if not isinstance(matrix, Mapping) or not matrix:
        raise InputTypeError('matrix: expected a path, or texts by pair; write {"en-de": (systems, references)}')
    for pair, texts in matrix.items():
        language = target_of(pair) if isinstance(pair, str) else None
        if language is None:
            raise InputTypeError(
                f"matrix: {pair!r:.40} is not the name of a language pair; write one such as 'en-de' or 'en-zh-CN'"
            )
        if not (isinstance(texts, tuple) and len(texts) == 2 and isinstance(texts[0], Mapping) and texts[0]):
            raise InputTypeError(f"matrix: {pair}: expected a tuple of systems by name, and reference streams")
        if not all(isinstance(name, str) and name for name in texts[0]):
            raise InputTypeError(f"matrix: {pair}: expected systems by name, found {list(texts[0])!r:.60}")
        yield pair, language, texts


def score_pairs(
    tasks: Sequence[Task],
    systems: Sequence[str],
    *,
    jobs: int | None = 1,
    sampling: "Sampling | None" = None,
    progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Results:
    """Score language pairs; each has the scores that it has alone.

    Args:
        tasks: at least one.
        systems: the names of all systems, in the order of the table.
        jobs: threads, which share the pairs; None for all processors, once that pays.
        sampling: as for `scoring.score_systems`, with intervals alone.
        progress: called with what is counted, how many are done, and of how many.

    Raises:
        BleuError: texts of a pair have different numbers of segments; or as for `scoring.score_systems`.
    """
    from bleucli.significance.comparison import mark_best

    inner = max(1, (usable_processors() if jobs is None else jobs) // len(tasks))

    def score(task: Task) -> Results:
        if not task.corpus.systems:
            return Results([], 0, [])
        found = scoring.score_systems(task.corpus, task.metrics, jobs=inner, sampling=sampling)
        return found if sampling is not None else mark_best(found)  # resampling has done so

    by_system: dict[str, list[SystemResult]] = {name: [] for name in systems}
    rows: list[SystemResult] = []
    hints: dict[str, list[str]] = {}
    segments = 0
    for done, (task, found) in enumerate(in_order(score, tasks, jobs), 1):
        scores = {system.name: system.scores for system in found.systems}
        for name, of in by_system.items():
            if name in scores:
                of.append(_row(name, task.pair, scores[name], found.segments))
                rows.append(of[-1])
        for hint in dict.fromkeys(found.hints):
            hints.setdefault(hint, []).append(task.pair)
        segments += found.segments
        progress("pairs", done, len(tasks))
    pairs = [task.pair for task in tasks]
    told = [hint if len(of) == len(pairs) > 1 else about(", ".join(of), hint) for hint, of in hints.items()]
    whole = []
    if len(pairs) > 1:
        complete = {name: of for name, of in by_system.items() if len(of) == len(pairs) and _have_same_metrics(of)}
        whole = [_average(name, of) for name, of in complete.items()]
    averages = mark_best(Results(whole, segments, [])).systems if whole else []
    return Results(rows, segments, told, matrix=Matrix(pairs, systems, averages))


def _row(name: str, pair: str, scores: list[ScoreRecord], segments: int) -> SystemResult:
    labels = [(PAIR, pair)]
    return SystemResult(name_row(name, labels), scores, labels, segments)


def _have_same_metrics(rows: Sequence[SystemResult]) -> bool:
    return len({tuple(record.name for record in row.scores) for row in rows}) == 1


def _average(name: str, rows: Sequence[SystemResult]) -> SystemResult:
    """Return the means of a system's scores over all pairs."""
    scores = [_mean(records) for records in zip(*(row.scores for row in rows), strict=True)]
    return _row(name, AVERAGE, scores, sum(row.segments or 0 for row in rows))


def _mean(records: Sequence[ScoreRecord]) -> ScoreRecord:
    """Return the mean of scores; its signature has all values of each key."""
    values: dict[str, dict[str, None]] = {}
    for record in records:
        for key, value in record.signature:
            values.setdefault(key, {})[value] = None
    signature = Signature([(key, ",".join(found)) for key, found in values.items()])
    mean = fsum(record.score for record in records) / len(records)
    return ScoreRecord(records[0].name, mean, "", signature, records[0].higher_is_better)
