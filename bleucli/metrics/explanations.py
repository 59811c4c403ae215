"""Why a segment has its score.

- `explain`: for strings; `explain_segment`: for a metric and prepared texts
- `Explanation`: the result, as data, as text and as HTML
- `pick`: some segments of a corpus
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bleucli.counting.corpus import Corpus, of_one, of_strings
from bleucli.errors import BleuError, InputTypeError, SegmentError
from bleucli.limits import whole_number
from bleucli.metrics import METRICS, Metric, find_metric
from bleucli.phrases import tell_count
from bleucli.prose.blocks import Heading, Paragraph, as_html, as_text
from bleucli.records import NamedTuple
from bleucli.results.signature import Signature
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from bleucli.metrics.explain_bleu import BLEUParts
    from bleucli.metrics.explain_chrf import CHRFParts
    from bleucli.metrics.explain_ter import TERParts
    from bleucli.metrics.explain_wer import ErrorRateParts
    from bleucli.prose.blocks import Block

# How far a score may be from the one that its parts give, because of rounding; relative to scores above 1
_ROUNDING = 1e-9


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
    parts: BLEUParts | CHRFParts | TERParts | ErrorRateParts

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

    Args:
        metric: the metric that scores it.
        hypotheses: a single text, or one text per system, of which only the first is used.
        references: streams, each with a single text.
        line: index of the segment in its corpus.
        name: the name of the system, for errors.

    Raises:
        BleuError: the segment cannot be scored, or the metric counts in its own way, which cannot be explained.
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
    text, theirs = metric.prepare(hypotheses)[0] or "", [text for _, text in pairs]
    parts, counts = explaining_module(metric).take_apart(metric, text, theirs, score)
    check_parts(metric, parts if counts == tuple(row) else None, score)
    signature = metric.signature(prepared.most, prepared.most)
    texts = [reference for reference, _ in pairs]
    return Explanation(score.name, score.score, signature, hypotheses[0] or "", tuple(texts), line, freeze(parts))


def explaining_module(metric: Metric) -> Any:
    """Return the module that takes a metric's scores apart.

    Raises:
        BleuError: no module does.
    """
    if not metric.explained_by:
        names = ", ".join(one.name for one in METRICS.values() if one.explained_by)
        raise BleuError(f"{type(metric).__name__} cannot be explained; choose one of {names}")
    from importlib import import_module

    return import_module(f"{__package__}.{metric.explained_by}")


def check_parts(metric: object, parts: Any, score: Any) -> None:
    """Refuse parts from which another score follows; parts: None if other numbers were counted.

    Raises:
        BleuError: the metric, of a derived class, counts or scores in another way, which the parts would misrepresent.
    """
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
