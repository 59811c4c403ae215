"""The work of `POST /score`: texts in, scores out. It counts as the command does.

- `read_items`: the items in the body of a request; `read_texts`: their texts
- `score_items`: their score, or the score of each, as dictionaries
- `check_effort`: refuses texts that would take too long
"""

from __future__ import annotations

import json
from contextlib import suppress

from bleucli import kernels
from bleucli.counting import CorpusStats, count, count_blocks
from bleucli.counting.corpus import Corpus, Source
from bleucli.errors import BleuError, NotFoundError
from bleucli.metrics import Metric
from bleucli.phrases import tell_count
from bleucli.reading.jsonfields import Fields, place_of_references
from bleucli.reading.jsonlines import JsonItems
from bleucli.results import EDIT_KINDS, ScoreRecord
from bleucli.scoring import score_blocks
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

# Limits that keep a request within a few seconds: where shifts are searched for, the words of all texts; for other
# alignments, the characters of one text times those of the other; for n-grams, characters times orders
_MOST_WORDS = {"native": 20_000, "python": 200}
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


def read_items(body: bytes) -> list[Any]:
    """Return the items in the body of a request.

    >>> read_items(b'{"hypothesis": "a", "reference": "b"}')
    [{'hypothesis': 'a', 'reference': 'b'}]
    """
    expected = 'send an item, such as {"candidate": "a", "references": ["b"]}, or an array of items'
    try:
        items = json.loads(body.decode())
    except UnicodeDecodeError as error:
        raise BleuError(f"the body is not valid UTF-8 (byte {error.start + 1}); {expected}") from None
    except json.JSONDecodeError as error:
        raise BleuError(f"the body is not valid JSON (character {error.pos + 1}: {error.msg}); {expected}") from None
    except (ValueError, RecursionError):
        raise BleuError(f"the body has a number or nesting too large to read; {expected}") from None
    if not isinstance(items, list):
        return [items]
    if not items:
        raise BleuError(f"the array is empty; {expected}")
    return items


def score_items(items: Sequence[Any], metric: Metric, sentence_level: bool) -> list[dict[str, Any]]:
    """Return the score of all items, or of each of them with `sentence_level`."""
    check_effort(metric, blocks := read_texts("body", items))
    if sentence_level:
        _check_size(metric, len(items))
        scored = score_blocks(count_blocks(_corpus(iter(blocks)), [metric]))
        return [_tell(record, 1, []) for block in scored for record in block.scores[0][0].records()]
    stats = count_items(blocks, metric)
    hints = [*stats.hints(), *metric.advice]
    for python, ours in _SPELLINGS.items():
        hints = [hint.replace(python, ours) for hint in hints]
    return [_tell(stats.record(), stats.segments, hints)]


def read_texts(name: str, items: Sequence[Any]) -> list[list[Segments]]:
    """Return the texts of items, as blocks of hypotheses and references; name: what errors call them together."""
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
    each = 10 + 4 * metric.ngram_orders  # of each order: a precision, the matches, and the n-grams of both texts
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
    """Refuse texts that would take so long that other requests would have to wait."""
    if metric.shifts:  # even an empty text takes some time
        columns = (metric.make_alike(column) for block in blocks for column in block)
        texts = (text or "" for column in columns for text in metric.prepare(column))
        words, most = sum(max(1, len(text.split())) for text in texts), _MOST_WORDS[kernels.live]
        if words > most:
            raise BleuError(
                f"the texts have {tell_count(words, 'word')}, but {metric.name} takes at most {most} in one request;"
                f" {_ADVICE}"
            )
        return
    sizes = [[1 + len(text or "") for text in segment] for block in blocks for segment in zip(*block, strict=True)]
    if (
        metric.aligns
        and sum(size * sum(reference_sizes) for size, *reference_sizes in sizes) > _MOST_CELLS[kernels.live]
    ):
        raise BleuError(f"the texts are too long for {metric.name} to align them in one request; {_ADVICE}")
    if order := metric.ngram_orders:
        # Plain Python builds every n-gram, so the cost grows with the square of the order
        weight = order if kernels.live == "native" else order * max(1, order // 10)
        most = _MOST_NGRAMS // weight
        if (characters := sum(map(sum, sizes))) > most:
            raise BleuError(
                f"the texts have {characters} characters, but {metric.name} up to order {order} takes at most {most} in"
                f" one request; {_ADVICE}"
            )


def _tell(record: ScoreRecord, segments: int, warnings: Sequence[str]) -> dict[str, Any]:
    return {
        "name": record.name,
        "score": record.score,
        "higher_is_better": record.higher_is_better,
        "signature": record.signature.format(),
        "segments": segments,
        **{name: part for name, part in record.figures._asdict().items() if name not in EDIT_KINDS},
        "warnings": list(warnings),
    }
