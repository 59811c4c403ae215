"""Why a segment, or a system on a corpus, has its score.

- `explain`: a segment, from strings; `explain_segment`: from a metric and texts; `Explanation`: the result
- `explain_corpus`: a corpus, from strings; `explain_scores`: from a corpus and metrics; `CorpusExplanation`: the result
- `Influence`, `count_rows`, `score_without`, `read_segments`, `tell_texts`: what `differences.py` needs as well
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import floor, log10

from bleucli.counting import CorpusStats, SystemStats, count
from bleucli.counting.corpus import HYPOTHESES, Corpus, of_one, of_strings
from bleucli.counting.threads import count_threads
from bleucli.errors import BleuError, InputTypeError, SegmentError
from bleucli.kernels.stats import SegmentStats
from bleucli.limits import whole_number
from bleucli.metrics import METRICS, Metric, find_metric, typography
from bleucli.metrics.bleu import MAX_NGRAM_ORDER
from bleucli.metrics.score import MOST_DECIMALS
from bleucli.phrases import tell_count
from bleucli.prose.blocks import Block, Heading, Paragraph, Words, as_html, as_text
from bleucli.prose.ngrams import mark_matches
from bleucli.records import NamedTuple
from bleucli.results.hints import about, warn
from bleucli.results.signature import Signature
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from bleucli.metrics.typography import Alike

    Chooser = Callable[[int], Sequence[int] | None]
    # Indexes of rows, and their influences
    Ranked = list[tuple[int, float]]

# How far a score may be from the one that its parts give, because of rounding; relative to scores above 1
_ROUNDING = 1e-9
# How many segments are listed by default that improve the score, and how many that worsen it
MOST = 5
# Smaller influences, in points, and smaller differences between influences, are rounding errors
_NOISE = 1e-9
# The most columns of an excerpt: with its label, it fits one line of a terminal
_EXCERPT = 60


class Explanation(NamedTuple):
    """Why a segment has its score: `print` shows it as text, notebooks show it as HTML.

    Attributes:
        name: the name of the score.
        score: the score of the segment alone, in percent.
        signature: how the score was made.
        hypothesis: the system's output.
        references: the references, without missing ones.
        line: index of the segment in its corpus, from 0; None for a single segment.
        parts: the parts of the score: `BLEUParts`, `CHRFParts`, `TERParts` or `ErrorRateParts`. Their indexes count
            from 0.

    >>> from bleucli import explain
    >>> why = explain("the cat sat", ["the cat lay"], "ter")
    >>> why.name, round(why.score, 1), str(why).splitlines()[-1].partition("|")[0]
    ('TER', 33.3, 'TER')
    """

    name: str
    score: float
    signature: Signature
    hypothesis: str
    references: Sequence[str]
    line: int | None
    parts: Any

    def tell(self, width: int = 2, short: bool = False) -> list[Block]:
        """Return the blocks of text and HTML; width: decimals of the score, short: short keys in the signature."""
        return [*self.parts.tell(self.name, self.score, width), *tell_signature(self.name, self.signature, short)]

    def as_data(self) -> dict[str, Any]:
        """Return everything as dictionaries, lists, numbers and strings, for JSON.

        `line` counts from 1, as in text and on the command line. The indexes `reference` and `closest_reference`, and
        `start` and `position` of shifts, count from 0.
        """
        return {
            "name": self.name,
            "score": self.score,
            "signature": str(self.signature),
            "line": None if self.line is None else self.line + 1,
            "hypothesis": self.hypothesis,
            "references": list(self.references),
            **as_data(self.parts),
        }

    def __str__(self) -> str:
        return as_text(self.tell()).rstrip("\n")

    def _repr_html_(self) -> str:
        return as_html(self.tell())


def tell_signature(name: str, signature: Signature, short: bool) -> list[Block]:
    """Return a line that says how scores were made."""
    return [Heading("Signature"), Paragraph(f"{name}|{signature.format(short)}")]


def as_data(value: Any) -> Any:
    """Return records as dictionaries and sequences as lists, at every depth."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {key: as_data(one) for key, one in value._asdict().items()}
    return [as_data(one) for one in value] if isinstance(value, list | tuple) else value


def freeze(value: Any) -> Any:
    """Replace lists by tuples in records and sequences, at every depth, so that they cannot be changed."""
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return value._make(map(freeze, value))
    return tuple(map(freeze, value)) if isinstance(value, list | tuple) else value


def explain(
    hypothesis: str | Iterable[str],
    references: Iterable[str | None] | Iterable[Iterable[str | None]],
    metric: str | Metric = "bleu",
    *,
    line: int | None = None,
    **options: Any,
) -> Explanation:
    """Say why a segment has its score.

    Args:
        hypothesis: the system's output, a string; with `line`, one string per segment.
        references: strings; with `line`, streams of them, as `corpus_score` takes them.
        metric: `bleu`, `chrf`, `chrf+`, `chrf++`, `ter`, `wer` or `cer`, or a metric.
        line: index of the segment to explain in a corpus, from 0.
        options: the metric's options, if `metric` is a name.

    Returns:
        The score of the segment alone, from 0 to 100 (error rates and some smoothing methods may exceed that), and its
        components as `parts`. In the parts of BLEU, precisions are in percent and the brevity penalty is from 0 to 1;
        in those of chrF, precision and recall are from 0 to 1.

    Raises:
        BleuError: there is no such metric or line, or the metric counts in its own way, which cannot be explained.
        InputTypeError: something other than strings, or a list of the wrong shape.

    >>> explanation = explain("the cat is on the mat", ["there is a cat on the mat"])
    >>> [(order.matches, order.total) for order in explanation.parts.orders]
    [(5, 6), (2, 5), (1, 4), (0, 3)]
    >>> round(explanation.score, 2), round(explanation.parts.brevity_penalty, 3)
    (29.06, 0.846)
    >>> explain(["a b", "a b c"], [["a b", "a c"]], "ter", line=1).score
    50.0
    """
    scorer = find_metric(metric, options)
    if line is None:
        if not isinstance(hypothesis, str):
            kind = type(hypothesis).__name__
            raise InputTypeError(
                f"hypothesis {hypothesis!r:.40} is of type {kind}; give a string, or line= to choose a segment, or call"
                " explain_corpus"
            )
        return explain_segment(scorer, *of_one(hypothesis, references))  # type: ignore[arg-type]
    line = whole_number("line", line, 0)
    corpus = of_strings([("", hypothesis)], references)  # type: ignore[arg-type]
    texts, segments = pick(corpus, [line])
    if line not in texts:
        raise BleuError(f"line {line} is beyond the end of {tell_count(segments, 'segment')}; lines count from 0")
    ours, theirs = texts[line]
    return explain_segment(scorer, ours, theirs, line)


def explain_segment(
    metric: Metric,
    hypotheses: Segments,
    references: Sequence[Segments],
    line: int | None = None,
    name: str = "hypothesis",
) -> Explanation:
    """Say why a segment has its score.

    hypotheses: a single text, or one per system, of which only the first is used. references: streams, each with a
    single text. line: index of the segment in its corpus. name: the name of the system, for errors.
    """
    hypotheses = hypotheses[:1]
    prepared = metric.prepare_references(references, line or 0)
    (row,) = metric.block_stats(hypotheses, prepared, line or 0, name)
    try:
        score = metric.score_from_stats(row)
    except SegmentError as error:
        raise error.locate(line or 0, name) from None
    present = [stream[0] for stream in prepared.streams]
    pairs = [(stream[0] or "", text) for stream, text in zip(references, present, strict=True) if text is not None]
    text, theirs = metric.prepare(metric.make_alike(hypotheses))[0] or "", [text for _, text in pairs]
    parts, counts = explaining_module(metric).take_apart(metric, text, theirs, score)
    check_parts(metric, parts if counts == tuple(row) else None, score)
    signature = metric.signature(prepared.most, prepared.most)
    texts = [reference for reference, _ in pairs]
    return Explanation(score.name, score.score, signature, hypotheses[0] or "", tuple(texts), line, freeze(parts))


def explaining_module(metric: Metric) -> Any:
    """Return the module that takes a metric's scores apart."""
    if not metric.explained_by:
        names = ", ".join(one.name for one in METRICS.values() if one.explained_by)
        raise BleuError(f"{type(metric).__name__} cannot be explained; choose one of {names}")
    from importlib import import_module

    return import_module(f"{__package__}.{metric.explained_by}")


def check_parts(metric: object, parts: Any, score: Any) -> None:
    """Refuse parts from which another score follows; parts: None if other numbers were counted."""
    if parts is None or abs(parts.recalculate() - score.score) > _ROUNDING * max(1.0, score.score):
        raise BleuError(f"{type(metric).__name__} counts in its own way, which cannot be explained")


def pick(corpus: Corpus, lines: Iterable[int]) -> tuple[dict[int, tuple[Segments, list[Segments]]], int]:
    """Read a corpus; return some of its segments by their indexes, and the number of all segments.

    A segment has one text per system and per reference, each a `Segments` of one text. Lines beyond the end are left
    out. Memory holds only one block and the picked segments.
    """
    numbers = sorted(set(lines))
    texts = {}
    segments = 0
    for piece in corpus.pieces():
        size = len(piece.hypotheses[0])
        for line in numbers:
            if piece.start <= line < piece.start + size:
                place = line - piece.start
                ours = Segments.from_strings([system[place] for system in piece.hypotheses])
                theirs = [Segments.from_strings([stream[place]]) for stream in piece.references]
                texts[line] = ours, theirs
        segments = piece.start + size
    return texts, segments


class Influence(NamedTuple):
    """The influence of one segment on a score, or on the difference of two.

    line: its index, from 0; text and data count from 1. influence: the score, or the difference, with all segments
    minus the one without this segment, in points. hypotheses: the output of each system. references: those that are not
    missing.
    """

    line: int
    influence: float
    hypotheses: Sequence[str]
    references: Sequence[str]


class CorpusExplanation(NamedTuple):
    """Why a system's score on a corpus is what it is: `print` shows it as text, notebooks show it as HTML.

    Attributes:
        name: the name of the score.
        score: the score, in percent.
        signature: how the score was made.
        higher_is_better: false for error rates.
        segments: the number of segments.
        parts: the parts of the score: `BLEUSums`, `CHRFSums`, `TERSums` or `ErrorRateSums`.
        moving: how many segments have an influence on the score, of more than 1e-9 points.
        gains: the segments that improve the score most, the strongest first.
        losses: the segments that worsen the score most, the strongest first.
        alike: the score with typography alike in output and references, and with case ignored as well.

    Lines count from 0 here (`gains[0].line`), and from 1 in text, HTML and data. Of equal influences, the first segment
    comes first. A corpus of one segment has no influences, as there is no score without it.

    >>> from bleucli import explain_corpus
    >>> why = explain_corpus(["a b c d", "e x"], [["a b c d", "e f"]], "wer")
    >>> why.parts.num_edits, why.parts.reference_length, round(why.score, 1)
    (1, 6, 16.7)
    >>> [(one.line, round(one.influence, 1)) for one in (*why.gains, *why.losses)]
    [(0, -33.3), (1, 16.7)]
    """

    name: str
    score: float
    signature: Signature
    higher_is_better: bool
    segments: int
    parts: Any
    moving: int
    gains: Sequence[Influence]
    losses: Sequence[Influence]
    alike: Sequence[Alike]

    def tell(self, width: int = 2, short: bool = False) -> list[Block]:
        """Return the blocks of text and HTML; width: decimals of the score, short: short keys in the signature."""
        width = whole_number("width", width, 0, MOST_DECIMALS)
        return [*self._tell(width), *tell_signature(self.name, self.signature, short)]

    def _tell(self, width: int) -> Iterator[Block]:
        yield Heading(f"{self.name} = {self.score:.{width}f} on {tell_count(self.segments, 'segment')}")
        if not self.higher_is_better:
            yield Paragraph(f"{self.name} is an error rate: lower is better.")
        yield from self.parts.tell(self.name, self.score, width)
        yield from typography.tell_score(self.name, self.score, self.alike, width)
        if self.segments == 1 or not self.moving:
            yield Heading("Segments that move the score")
            alone = "There is only one segment, so no score without it can be compared."
            yield Paragraph(alone if self.segments == 1 else "No segment moves the score.")
        elif self.gains or self.losses:
            yield from self._tell_influences(width + 2)

    def _tell_influences(self, width: int) -> Iterator[Block]:
        yield Heading("Segments that move the score")
        yield Paragraph(
            "Influence: the score of all segments minus the score without this one, in points. Influences need not add"
            " up to the score."
        )
        # At least two digits of each influence
        least = min(abs(one.influence) for one in (*self.gains, *self.losses))
        width = max(width, 1 - floor(log10(least)))
        for verb, role, segments in (("improve", "good", self.gains), ("worsen", "bad", self.losses)):
            if not segments:
                yield Paragraph(f"No segment {verb}s {self.name}.")
                continue
            yield Heading(f"Segments that {verb} {self.name} most: {len(segments)} of {self.segments}")
            for segment in segments:
                yield Heading(f"line {segment.line + 1}: {segment.influence:+.{width}f}", role)
                yield from tell_texts(["output"], segment, _EXCERPT)

    def as_data(self) -> dict[str, Any]:
        """Return everything as dictionaries, lists, numbers and strings, for JSON; `line` counts from 1."""
        return {
            "name": self.name,
            "score": self.score,
            "signature": str(self.signature),
            "higher_is_better": self.higher_is_better,
            "segments": self.segments,
            **as_data(self.parts),
            "alike": as_data(self.alike),
            "moving": self.moving,
            "gains": [{**as_data(one), "line": one.line + 1} for one in self.gains],
            "losses": [{**as_data(one), "line": one.line + 1} for one in self.losses],
        }

    def __str__(self) -> str:
        return as_text(self.tell()).rstrip("\n")

    def _repr_html_(self) -> str:
        return as_html(self.tell())


def explain_corpus(
    hypotheses: Iterable[str],
    references: Iterable[Iterable[str | None]],
    metric: str | Metric = "bleu",
    *,
    most: int = MOST,
    jobs: int = 1,
    **options: Any,
) -> CorpusExplanation:
    """Say why a system's score on a corpus is what it is: from which sums it follows, and which segments move it.

    Args:
        hypotheses: the system's output, n strings.
        references: streams, each of n strings; None is a missing reference.
        metric, options: as for `explain`.
        most: how many segments to list that improve the score, and how many that worsen it.
        jobs: the number of threads, 0 for all usable processors; it never changes a score.

    Returns:
        The score, and the numbers that it is computed from as `parts`, with the units of `explain`. The segments that
        improve or worsen the score most have their lines, from 0, and their influences, in points: the score of all
        segments minus the score without this one.

    Raises:
        BleuError: lengths differ, a segment has no reference, there is no such metric, or the metric counts in its own
            way, which cannot be explained.
        InputTypeError: something other than strings, or a list of the wrong shape.

    >>> references = [["the cat sat on the mat", "a dog is in the garden", "it was a cold and rainy day"]]
    >>> hypotheses = ["the cat sat on the mat", "a dog is in the house", "it was a cold and wet day"]
    >>> why = explain_corpus(hypotheses, references, most=1)
    >>> [(order.matches, order.total) for order in why.parts.orders], round(why.parts.brevity_penalty, 3)
    ([(17, 19), (13, 16), (10, 13), (7, 10)], 1.0)
    >>> round(why.score, 2), [(one.line, round(one.influence, 2)) for one in (*why.gains, *why.losses)]
    (79.1, [(0, 9.52), (2, -8.97)])
    """
    most, jobs = whole_number("most", most, 0), count_threads(jobs)
    scorer = find_metric(metric, options)
    for hint in scorer.advice:
        warn(hint)
    return explain_scores(*of_strings([("", hypotheses)], references).kept(), [scorer], most, jobs=jobs)[0]


def explain_scores(
    corpus: Corpus,
    read_again: Callable[[], Corpus],
    metrics: Sequence[Metric],
    most: int = MOST,
    *,
    jobs: int | None = 1,
    choose: Chooser | None = None,
) -> list[CorpusExplanation]:
    """Say why a system's score on a corpus is what it is, by each metric.

    corpus: with one system; read_again: gives it a second time, for the texts of the segments that are listed. most:
    how many segments to list that improve a score, and how many that worsen it. jobs: the number of threads; None for
    all usable processors if the corpus is large enough. choose: takes the number of segments, and returns the indexes
    of those to score, or None for all.
    """
    modules = [explaining_module(metric) for metric in metrics]
    ((name, columns, _),), lines = count_rows(corpus, metrics, jobs, choose)
    answers = []
    for module, (stats, variants) in zip(modules, typography.in_threes(columns), strict=True):
        try:
            score, alike = stats.score(), typography.measure([variants])
        except SegmentError as error:  # a smoothing method may not be defined for the only segment
            raise error.locate(lines[0], name) from None
        try:
            parts = module.take_sums_apart(stats.metric, stats, score)
        except ValueError:  # a derived class may count more numbers, or fewer
            parts = None
        check_parts(stats.metric, parts, score)
        answers.append((stats, score, alike, parts, *_rank(stats, score.score, most)))
    texts = read_segments(read_again(), [lines[row] for *_, gains, losses in answers for row, _ in (*gains, *losses)])

    def tell(ranks: Ranked) -> tuple[Influence, ...]:
        return tuple(Influence(lines[row], points, *texts[lines[row]]) for row, points in ranks)

    return [
        CorpusExplanation(
            score.name,
            float(score.score),
            stats.signature(),
            stats.metric.higher_is_better,
            stats.segments,
            freeze(parts),
            moving,
            tell(gains),
            tell(losses),
            tuple(alike),
        )
        for stats, score, alike, parts, moving, gains, losses in answers
    ]


def _rank(stats: CorpusStats, score: float, most: int) -> tuple[int, Ranked, Ranked]:
    """Return how many segments move the score, those that improve it most, and those that worsen it most."""
    rows = stats.rows
    if rows is None or stats.segments == 1:
        return 0, [], []
    import numpy as np

    rest = np.array(stats.sums, rows.data.format) - np.asarray(rows)
    influences = score - stats.metric.scores_from_stats(SegmentStats.from_numpy(rest))
    best = 1 if stats.metric.higher_is_better else -1
    both: list[Ranked] = []
    for sign in (best, -best) if most else ():
        sizes = sign * influences
        least = np.partition(sizes, -most)[-most] if most < len(sizes) else 0.0
        candidates = np.flatnonzero(sizes > max(least, _NOISE) - _NOISE).tolist()
        ranks = [(row, score - score_without(stats, rows[row])) for row in candidates]
        ranks.sort(key=lambda one: (-abs(round(one[1] / _NOISE)), one[0]))
        both.append([one for one in ranks[:most] if abs(one[1]) > _NOISE])
    gains, losses = both or ([], [])
    return int((abs(influences) > _NOISE).sum()), gains, losses


# --- what explanations of differences need as well


def count_rows(
    corpus: Corpus, metrics: Sequence[Metric], jobs: int | None, choose: Chooser | None
) -> tuple[list[SystemStats], Sequence[int]]:
    """Count the segments that are scored, and warn of what looks wrong; arguments as for `explain_scores`.

    Returns:
        The statistics of each system by each metric and its variants (`typography.in_threes`), with rows; and the line
        of each row.
    """
    systems = count(corpus, typography.with_variants(metrics), jobs=jobs, keep_rows=True)
    for name, columns, _ in systems:
        for hint in [hint for stats, _ in typography.in_threes(columns) for hint in stats.hints()]:
            warn(hint if name == HYPOTHESES else about(name, hint))
    segments = systems[0].stats[0].segments
    indexes = None if choose is None else choose(segments)
    if indexes is None:
        return systems, range(segments)
    return [system._replace(stats=[stats.take(indexes) for stats in system.stats]) for system in systems], indexes


def score_without(stats: CorpusStats, row: Sequence[int | float]) -> float:
    """Return the score without a segment, given its row; 0 if there is no other segment."""
    if stats.segments == 1:
        return 0.0
    # Rows are additive, so nothing is counted again
    rest = [total - number for total, number in zip(stats.sums, row, strict=True)]
    return float(stats.metric.score_from_stats(rest).score)


def read_segments(corpus: Corpus, lines: Iterable[int]) -> Mapping[int, tuple[Sequence[str], Sequence[str]]]:
    """Return the outputs and the references of some segments, without missing ones, by line."""
    texts, _ = pick(corpus, lines)
    return {
        line: (tuple(map(str, ours)), tuple(text for (text,) in theirs if text is not None))
        for line, (ours, theirs) in texts.items()
    }


def tell_texts(labels: Sequence[str], segment: Influence, columns: int = 0) -> Iterator[Words]:
    """Show the output of each system, with its matches marked, and the references.

    labels: what each system is called. columns: the most columns of an excerpt; 0 for the whole texts.
    """
    references = [text.split() for text in segment.references]
    texts = [
        (label.ljust(len("reference")), mark_matches(text.split(), references, "", MAX_NGRAM_ORDER))
        for label, text in zip(labels, segment.hypotheses, strict=True)
    ]
    texts += [("reference", [(word, "") for word in words]) for words in references]
    for label, words in texts:
        yield Words(label, *(_cut(words, columns) if columns else (words,)))


def _cut(words: Sequence[tuple[str, str]], columns: int) -> tuple[Sequence[tuple[str, str]], str]:
    """Return the words that fit, with their roles, and "..." if there are more; a long word may be cut itself.

    >>> _cut([("the", ""), ("cat", "match")], 6), _cut([("concatenation", "")], 6)
    (([('the', '')], '...'), ([('concat', '')], '...'))
    """
    room = columns
    for place, (word, role) in enumerate(words):
        # Characters from Hangul on, most of which are East Asian, count as two columns
        size = len(word) + sum(sign >= "\u1100" for sign in word)
        if size > room:
            part = [(word[: len(word) * room // size], role)] if room > columns // 2 else []
            return [*words[:place], *part], "..."
        room -= size + 1
    return words, ""
