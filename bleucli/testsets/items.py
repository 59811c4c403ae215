"""Test sets in JSON Lines: an object for each segment or document, often of many language pairs in one file.

The cache keeps one file for each language pair, again in JSON Lines: an object for each segment that is scored, in the
order of the test set, with the fields of the test set under their names. So texts keep their line breaks.

- `read`: the segments of a language pair, from the file of the test set
- `read_output`: a system's output for them, from its own file
- `lines_of`, `read_objects`, `read_field`: a file of the cache, written and read
- `IDS`, `REASON`: the fields that identify a segment, and why an object is left out
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from bleucli import language_pairs
from bleucli.errors import BleuError
from bleucli.reading.jsonfields import Fields, find_value, kind, names_of_ids, quote
from bleucli.reading.jsonlines import JsonLines
from bleucli.testsets.formats import CachedText, Items, TestSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Item = dict[str, Any]

IDS = ("docid", "segid")
REASON = "why"


class _Lines(JsonLines):
    """A JSON Lines file of any objects."""

    def objects(self) -> Iterator[tuple[str, Item]]:
        """Give the objects, each with its place for errors."""
        for before, objects in self._read_items():
            for number, item in enumerate(objects, before + 1):
                yield self._at(number), item


def read_objects(path: str) -> Iterator[tuple[str, Item]]:
    """Give the objects of a file, each with its place for errors."""
    file = CachedText(path, path, mark="dropped")
    file.check_size()
    return _Lines(CachedText(path, path, mark="dropped")).objects()


def read(test_set: TestSet, pair: str, path: str) -> tuple[list[Item], list[Item]]:
    """Read a language pair.

    Objects that the test set marks as left out, and those without any reference that is scored, are left out. If no
    object has a reference, all are kept.

    Returns:
        The fields of each segment, and of each object that is left out its ids and the reason. A missing text is None.
    """
    items = test_set.items
    assert items is not None
    objects = list(_of_pair(items, pair, path))
    rows = [_row(item, items, place) for place, item in objects]
    labels = test_set.pairs[pair].refs
    references = [f"ref:{label}" if label else "ref" for label in labels] or list(filter(_is_reference, items.fields))
    has_reference = [any(row.get(name) for name in references) for row in rows]
    scored, left_out = [], []
    for (_, item), row, one in zip(objects, rows, has_reference, strict=True):
        reason = "" if one or not any(has_reference) else "without a reference"
        if items.leave_out and find_value(item, items.leave_out):
            reason = f"marked as {items.leave_out}"
        if reason:
            left_out.append({name: row[name] for name in IDS if name in row} | {REASON: reason})
        else:
            scored.append(row)
    return scored, left_out


def _is_reference(field: str) -> bool:
    return field.partition(":")[0] == "ref"


def _of_pair(items: Items, pair: str, path: str) -> Iterator[tuple[str, Item]]:
    """Give the objects of a language pair, and those that do not say which pair they belong to."""
    languages, spelling = language_pairs.split(pair), ""
    assert languages is not None
    for place, item in read_objects(path):
        key = find_value(item, items.fields.get("docid", ""))
        of_item = language_pairs.of_item(item, key if isinstance(key, str) else "")
        if of_item is not None:
            if not all(map(language_pairs.are_alike, languages, of_item)):
                continue
            spelling = spelling or "-".join(of_item)
            if spelling != "-".join(of_item):
                both = f"{spelling!r:.60} and {'-'.join(of_item)!r:.60}"
                raise BleuError(f"{place}: {pair} may mean {both} here; name one of them in the registry")
        yield place, item


def _row(item: Item, items: Items, place: str) -> Item:
    row: Item = {}
    for name, path in items.fields.items():
        value = find_value(item, path)
        if isinstance(value, dict) and isinstance(value.get("ref"), str):  # WMT25: a text, and who translated it
            value = value["ref"]
        is_text = name == "src" or _is_reference(name)
        if isinstance(value, str):
            _check_text(value, name, place)
        elif value is None and name != "src":
            pass
        elif isinstance(value, int | float) and not is_text:
            value = str(value).lower() if isinstance(value, bool) else value
        else:
            what = kind(value) if value is not None else "missing"
            raise BleuError(f"{place}: {quote(path)}, the field {name}, is {what}; expected a string")
        row[name] = value
    return row


def _check_text(text: str, name: str, place: str) -> None:
    """Refuse a text that cannot be written in UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BleuError(
            f"{place}: the field {name} holds half a character, a lone surrogate; repair the file"
        ) from None


def read_output(rows: Sequence[Mapping[str, Any]], path: str, name: str) -> list[str | None]:
    """Return a system's output for the segments of a language pair; None where it has none.

    Args:
        rows: the ids of the segments.
        path: the file of the system's output, which may have that of other pairs.
        name: what errors call the output.
    """
    numbers = {tuple(str(row[one]) for one in row): number for number, row in enumerate(rows)}
    kinds = list(rows[0]) if rows else []
    texts: list[str | None] = [None] * len(rows)
    for place, item in read_objects(path):
        fields = dict(zip(IDS, names_of_ids(item, Fields()), strict=False))
        number = numbers.get(tuple(str(item.get(fields[one], "")) for one in kinds))
        if number is None:
            continue
        text = item.get("hypothesis")
        if not isinstance(text, str):
            raise BleuError(f"{place}: 'hypothesis' is {kind(text)}; expected a string")
        if texts[number] is not None:
            raise BleuError(f"{place}: there are two outputs of {name} for one segment")
        _check_text(text, name, place)
        texts[number] = text
    if not any(text is not None for text in texts):
        raise BleuError(f"{name} has no output for this language pair; choose another system")
    return texts


# --- files of the cache


def lines_of(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    r"""Give objects as JSON Lines.

    >>> list(lines_of([{"docid": "a", "src": "One\n\nmore"}, {"docid": "b", "src": None}]))
    ['{"docid": "a", "src": "One\\n\\nmore"}', '{"docid": "b", "src": null}']
    """
    import json

    return (json.dumps(row, ensure_ascii=False) for row in rows)


def read_field(path: str, name: str) -> list[Any]:
    """Return a field of a file of the cache; None for each object that lacks it."""
    return [item.get(name) for _, item in read_objects(path)]
