"""The work of `POST /score`: texts in, scores out. It counts as the command does.

- `read_items`: the items in the body of a request; `read_texts`: their texts
- `score_items`: their score, or the score of each, as dictionaries
- `check_effort`: refuses texts that would take too long
- `ITEM`, `Score`, `Failure`: the input and the answers, for the page of the API
"""

from __future__ import annotations

import json
from contextlib import suppress

from pydantic import BaseModel, ConfigDict, Field

from bleucli import kernels
from bleucli.counting import CorpusStats, count
from bleucli.counting.corpus import Corpus, Source
from bleucli.errors import BleuError, NotFoundError
from bleucli.metrics import BLEU, CHRF, TER, Metric
from bleucli.phrases import tell_count
from bleucli.reading.jsonfields import (
    GUESSED_HYPOTHESES,
    GUESSED_REFERENCES,
    HYPOTHESES,
    REFERENCES,
    Fields,
    place_of_references,
)
from bleucli.reading.jsonlines import JsonItems
from bleucli.results import ScoreRecord
from bleucli.scoring import score_segments
from bleucli.text import Segments
from bleucli.web.choices import Choices

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

# Limits that keep a request within a few seconds: for TER, which searches for shifts, the words of all texts; for other
# alignments, the characters of one text times those of the other; for n-grams, characters times orders
_MOST_TER_WORDS = {"native": 20_000, "python": 200}
_MOST_CELLS = {"native": 25_000_000_000, "python": 10_000_000}
_MOST_NGRAMS = 10_000_000
# References cost time even if they are empty: each is a column of a table, in which each item is a row
_MOST_REFERENCES = 1_000
_MOST_TABLE = 250_000
# The most numbers in an answer: other requests wait while Python writes it
_MOST_NUMBERS = 300_000
_ADVICE = "send less at a time, or use the command"
# How warnings name options in Python, and how this endpoint names them
_SPELLINGS = {"effective_order=True": "sentence_level=true", " or trg_lang=...": ""}
_TEXTS = {"type": "array", "items": {"type": ["string", "null"]}}
_ONE_OR_MORE = {"type": ["string", "array", "null"], "items": _TEXTS["items"]}


def _any_of(schemas: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {"anyOf": [{"required": [name], "properties": {name: schema}} for name, schema in schemas.items()]}


# An item, as JSON Schema
ITEM: dict[str, Any] = {
    "type": "object",
    "description": (
        "One segment, as in a line of JSON Lines. The output is in the first of these fields that is present:"
        f" {', '.join(HYPOTHESES)}; the references are in the first of {', '.join(REFERENCES)}. null is a missing"
        " reference. If these fields are missing, the output may be in"
        f" {' or '.join(GUESSED_HYPOTHESES)}, and the references in {' or '.join(GUESSED_REFERENCES)}; an item with two"
        " of one kind is refused. Other fields are ignored."
    ),
    "allOf": [
        _any_of({name: {"type": "string"} for name in (*HYPOTHESES, *GUESSED_HYPOTHESES)}),
        _any_of(
            {"references": {**_TEXTS, "type": ["array", "null"]}}
            | {name: {**_ONE_OR_MORE} for name in (*REFERENCES[1:], *GUESSED_REFERENCES)}
        ),
    ],
    "examples": [{"candidate": "the cat is on the mat", "references": ["there is a cat on the mat"]}],
}


class Score(BaseModel):
    """A score, unrounded, and its parts; parts that its metric does not have are null."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(examples=["BLEU"])
    score: float = Field(description="in percent; of a segment or of all items together")
    higher_is_better: bool
    signature: str = Field(examples=["nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:bleucli-0.2.1"])
    segments: int = Field(ge=1)
    precisions: list[float] | None = Field(description="of n-grams, in percent, by order, smoothed")
    counts: list[float] | None = Field(
        description="n-grams that match, by order; for chrF, first those of characters, then those of words"
    )
    totals: list[float] | None = Field(description="n-grams of the output, in the same order")
    reference_totals: list[float] | None = Field(description="the same for the references; only chrF has them")
    brevity_penalty: float | None = Field(description="from 0 to 1; only BLEU has one")
    hypothesis_length: float | None = Field(description="in tokens; only BLEU has one")
    reference_length: float | None = Field(
        description="in tokens, words or characters; of several references, the one that counts, or TER's average"
    )
    edits: int | None = Field(description="to the reference with the fewest edits; only TER, WER and CER have them")
    warnings: list[str] = Field(description="what the command would warn about")


class Failure(BaseModel):
    """Why there is no answer, in one sentence: what was given, what was expected, what to do."""

    model_config = ConfigDict(extra="forbid")

    error: str


def read_items(body: bytes) -> list[Any]:
    """Return the items in the body of a request.

    Raises:
        BleuError: the body is not JSON, or has no item.

    >>> read_items(b'{"hypothesis": "a", "reference": "b"}')
    [{'hypothesis': 'a', 'reference': 'b'}]
    """
    expected = 'send an item, such as {"candidate": "a", "references": ["b"]}, or an array of items'
    try:
        found = json.loads(body.decode())
    except UnicodeDecodeError as error:
        raise BleuError(f"the body is not valid UTF-8 (byte {error.start + 1}); {expected}") from None
    except json.JSONDecodeError as error:
        raise BleuError(f"the body is not valid JSON (character {error.pos + 1}: {error.msg}); {expected}") from None
    except (ValueError, RecursionError):
        raise BleuError(f"the body has a number or nesting too large to read; {expected}") from None
    if not isinstance(found, list):
        return [found]
    if not found:
        raise BleuError(f"the array is empty; {expected}")
    return found


def score_items(items: Sequence[Any], choices: Choices) -> list[dict[str, Any]]:
    """Return the score of all items, or of each of them.

    Raises:
        BleuError: an item is not valid, cannot be scored, or would take too long.
    """
    check_effort(choices.metric, blocks := read_texts("body", items))
    if choices.sentence_level:
        _check_size(choices.metric, len(items))
        records = score_segments(_corpus(iter(blocks)), choices.metric)
        return [_tell(record, 1, []) for record in records]
    stats = count_items(blocks, choices.metric)
    hints = [*stats.hints(), *choices.metric.advice]
    for python, ours in _SPELLINGS.items():
        hints = [hint.replace(python, ours) for hint in hints]
    return [_tell(stats.record(), stats.segments, hints)]


def read_texts(name: str, items: Sequence[Any]) -> list[list[Segments]]:
    """Return the texts of items, as blocks of hypotheses and references; name: what errors call all of them together.

    Raises:
        BleuError: an item is not valid, or there are too many references.
    """
    place, most = place_of_references(Fields()), 1
    for number, item in enumerate(items, 1):
        count = 1
        if isinstance(item, dict):
            with suppress(NotFoundError):  # reading it says so below
                _, value = place.find(item)
                count = len(value) if isinstance(value, list) else 1
        if count > _MOST_REFERENCES:
            raise BleuError(
                f"{name}, item {number} has {count} references, but one request takes at most {_MOST_REFERENCES} of one"
                f" item; {_ADVICE}"
            )
        most = max(most, count)
    if len(items) * (1 + most) > _MOST_TABLE:
        raise BleuError(
            f"there are {len(items)} items, some with {tell_count(most, 'reference')}, but one request takes at most"
            f" {_MOST_TABLE // (1 + most)} such items; {_ADVICE}"
        )
    return list(JsonItems(name, items).blocks())


def _check_size(metric: Metric, items: int) -> None:
    """Refuse a request whose answer would have so many numbers that other requests would wait too long."""
    order = metric.max_ngram_order if isinstance(metric, BLEU) else 0
    order += metric.char_order + metric.word_order if isinstance(metric, CHRF) else 0
    each = 10 + 4 * order  # of each order: a precision, the matches, and the n-grams of both texts
    if items * each > _MOST_NUMBERS:
        raise BleuError(
            f"there are {items} items, but one request scores at most {_MOST_NUMBERS // each} one by one; send fewer at"
            " a time, or use the command"
        )


def count_items(blocks: Sequence[Sequence[Segments]], metric: Metric) -> CorpusStats:
    """Return the statistics of items, given as blocks of hypotheses and references."""
    ((_, (stats,), _),) = count(_corpus(iter(blocks)), [metric])
    return stats


def _corpus(blocks: Iterator[Sequence[Segments]]) -> Corpus:
    return Corpus([Source("body", ["body"], blocks, references="references")], [])


def check_effort(metric: Metric, blocks: Sequence[Sequence[Segments]]) -> None:
    """Refuse texts that would take so long that other requests would have to wait.

    Raises:
        BleuError: the texts are too long; the message gives the limit for one request.
    """
    if isinstance(metric, TER):  # even an empty text takes some time
        texts = (text or "" for block in blocks for column in block for text in metric.prepare(column))
        words, most = sum(max(1, len(text.split())) for text in texts), _MOST_TER_WORDS[kernels.live]
        if words > most:
            raise BleuError(
                f"the texts have {tell_count(words, 'word')}, but TER takes at most {most} in one request; {_ADVICE}"
            )
        return
    sizes = [[1 + len(text or "") for text in segment] for block in blocks for segment in zip(*block, strict=True)]
    if isinstance(metric, BLEU | CHRF):
        order = metric.counted_order if isinstance(metric, BLEU) else metric.char_order + metric.word_order
        # Plain Python builds every n-gram, so the cost grows with the square of the order
        weight = order if kernels.live == "native" else order * max(1, order // 10)
        most = _MOST_NGRAMS // max(1, weight)
        if sum(map(sum, sizes)) > most:
            raise BleuError(
                f"the texts have {sum(map(sum, sizes))} characters, but {metric.name} up to order {order} takes at most"
                f" {most} in one request; {_ADVICE}"
            )
    elif sum(size * sum(others) for size, *others in sizes) > _MOST_CELLS[kernels.live]:
        raise BleuError(f"the texts are too long for {metric.name} to align them in one request; {_ADVICE}")


def _tell(record: ScoreRecord, segments: int, warnings: Sequence[str]) -> dict[str, Any]:
    return {
        "name": record.name,
        "score": record.score,
        "higher_is_better": record.higher_is_better,
        "signature": record.signature.format(),
        "segments": segments,
        **record.figures._asdict(),
        "warnings": list(warnings),
    }
