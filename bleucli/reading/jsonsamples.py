"""JSON Lines as samples: an object holds, for each system, a text, or a list of texts that form a group.

Harnesses that let a model generate several texts for each prompt write such files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bleucli.errors import BleuError
from bleucli.phrases import tell_count
from bleucli.reading import TextFile
from bleucli.reading.jsonfields import Fields, Path, UsualName, advise_path, kind, quote
from bleucli.reading.jsonlines import JsonLines
from bleucli.records import NamedTuple
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Samples(NamedTuple):
    """A system's texts in blocks, and the label of each text's group; None if all texts are one group."""

    blocks: Iterable[Segments]
    labels: Sequence[str] | None


class SampleLines(JsonLines):
    r"""A JSON Lines file of samples; references in it are ignored.

    >>> from io import BytesIO
    >>> stream = BytesIO(b'{"output": ["a", "b"]}\n{"output": ["c", "d"]}\n')
    >>> [(blocks, labels)] = SampleLines(TextFile("stdin", stream=stream)).read_samples()
    >>> list(map(list, blocks)), labels
    ([['a', 'b', 'c', 'd']], ['line 1', 'line 1', 'line 2', 'line 2'])
    """

    def __init__(self, file: TextFile, fields: Fields = Fields()) -> None:  # noqa: B008 - it cannot be changed
        super().__init__(file, fields, references=False)
        self._group = Path("group", fields.group) if fields.group else None

    def read_samples(self, labels: Sequence[str] | None = None) -> list[Samples]:
        """Return the samples of each system. Without labels, each list in an object is a group, named after its line.

        labels: the label of each object's group, if another file has the labels; if there are too few, the last one is
        used for all others.
        """
        columns: list[tuple[list[Segments], list[str | None]]] = [([], []) for _ in self._hypotheses]
        empty: dict[str, int] = {}
        for before, items in self._read_items():
            self.segments += len(items)
            for place, (blocks, text_labels) in zip(self._hypotheses, columns, strict=True):
                texts: list[str] = []
                numbers: list[int] = []
                for number, item in enumerate(items, before + 1):
                    field, samples = self._samples(place, item, number)
                    label = self._label(item, number, labels) or self._label_of_list(field, samples, number)
                    if isinstance(samples, str):
                        samples = [samples]
                    if not samples:
                        empty.setdefault(str(label), number)
                    if text_labels and samples and (label is None) != (text_labels[-1] is None):
                        raise self._mixed(number, field, label is None)
                    texts += samples
                    numbers += [number] * len(samples)
                    text_labels.extend([label] * len(samples))
                blocks.append(self._segments(texts, "hypothesis", numbers))
        for _, text_labels in columns:
            lacking = empty.keys() - set(text_labels)
            if lacking:
                number, label = min((empty[label], label) for label in lacking)
                raise BleuError(f"{self.name}, line {number}: group {label} has no text; give at least two")
        return [
            Samples(blocks, [label or "" for label in text_labels] if any(text_labels) else None)
            for blocks, text_labels in columns
        ]

    def _samples(self, place: Path | UsualName, item: dict[str, Any], number: int) -> tuple[str, str | list[str]]:
        """Return the name of the field that holds a text or a list of texts, and what it holds."""
        field, value = self._find(place, item, number, "hyp")
        if type(value) is str:
            return field, value
        if type(value) is not list:
            expected = "a string or an array of strings" + advise_path("hyp", field, value)
            raise self._wrong_type(number, field, value, expected)
        for text in value:
            if type(text) is not str:
                expected = "strings" + (advise_path("hyp", field, value) if type(text) is list else "")
                raise self._wrong_type(number, field, text, expected, "holds")
        return field, value

    def _label(self, item: dict[str, Any], number: int, labels: Sequence[str] | None) -> str | None:
        if labels is not None:
            return labels[min(number, len(labels)) - 1]
        if self._group is None:
            return None
        field, label = self._find(self._group, item, number, "group")
        if type(label) is int:
            return str(label)
        if type(label) is not str:
            raise self._wrong_type(number, field, label, "a string or a whole number")
        if not label:
            raise BleuError(f"{self._at(number)}: {quote(field)} is empty; give each group a label")
        return label

    def _label_of_list(self, field: str, samples: str | list[str], number: int) -> str | None:
        """Return the label of a group that is a list in an object; None for a bare text."""
        if isinstance(samples, str):
            return None
        if len(samples) < 2:
            raise BleuError(
                f"{self._at(number)}: {quote(field)} holds {tell_count(len(samples), 'text')}; self-BLEU compares"
                " the texts of a list, so give at least two, or name groups with --jsonl-fields group=NAME"
            )
        return f"line {number}"

    def _mixed(self, number: int, field: str, is_text: bool) -> BleuError:
        now, before = (kind(""), kind([])) if is_text else (kind([]), kind(""))
        return BleuError(
            f"{self._at(number)}: {quote(field)} is {now}, but {before} on earlier lines; use the same type on all"
            " lines, or name groups with --jsonl-fields group=NAME"
        )
