"""Items joined by their ids: sources that have the same items in another order, or only some of them.

- `Joining`: gives the blocks of all sources, each with the same items in the same order

While the ids of all sources agree, blocks are passed on as they are. From the first item on where they do not, all
that follows is read into memory, and put into the order of the references.
"""

from __future__ import annotations

from array import array
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice

from bleucli.counting.corpus import Lines, Source, in_step
from bleucli.errors import BleuError, IdsDifferError, LengthError
from bleucli.phrases import SHOWN_CHARACTERS, SHOWN_IDS, Turn, join_words, tell_ids
from bleucli.text import Segments, length_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    Block = Sequence[Segments]
    Key = tuple[str, ...]

# What the kinds of ids identify, in the order of `bleucli.reading.jsonfields.ID_KINDS`
_KINDS = ("documents", "segments", "items")
# The number of segments in a block of joined items
_BLOCK = 4096


class Joining:
    """How items are joined; what it says of them is complete once all blocks have been read.

    partial: whether items that a source lacks are left out; otherwise, they are an error. left_out: the ids of items
    that are not scored, although sources may have them: of each kind, "" if it has none. keeps_ids: whether to keep
    ids, for scores that have ids, too.

    Attributes:
        scored, items: the numbers of items that all sources have, and of those that have a reference.
        is_sorted: whether items were put into another order, which needs ids in every source.
        strangers: what systems have that has no reference, in a sentence for each; empty unless `partial`.
        hint: what a user should know about the ids, or "".
        lines: if items are put into another order or left out, the lines of each system, by its name, and those of the
            first reference as "".
        ids: by kind, the id of each item that was given, "" if it has none; empty unless `keeps_ids`.
    """

    def __init__(self, partial: bool = False, left_out: Sequence[Key] = ()) -> None:
        self.partial = partial
        self.left_out = left_out
        self.scored = self.items = 0
        self.is_sorted = False
        self.strangers: list[str] = []
        self.hint = ""
        self.lines: Mapping[str, Lines] = {}
        self.ids: Sequence[list[str]] = ()
        self.keeps_ids = False

    def keep(self, ids: Sequence[Block], order: Sequence[int]) -> None:
        """Keep the ids of a block; ids: of each source. order: the positions of sources; the first with ids counts."""
        if not self.keeps_ids:
            return
        count = next((len(columns[0]) for columns in ids if columns), 0)
        for kind, of_kind in enumerate(self.ids):
            column = next(
                (ids[n][kind] for n in order if len(ids[n]) > kind and _data_of(ids[n][kind]).strip(b"\n")), ()
            )
            of_kind.extend([text or "" for text in column] or [""] * count)

    def join(self, sources: Sequence[Source], first_reference: int, may_be_empty: bool) -> Iterator[list[Block]]:
        """Give the blocks of all sources, with the same items in the same order, and without the columns of ids.

        Sources are systems, then references; those without names have only labels, in the order of the references.
        first_reference: the position of the first reference, or the number of sources if systems bring theirs along.

        Raises:
            IdsDifferError: ids are missing, double or unknown; or they differ, and a source has none to join by.
            LengthError: sources without ids have different numbers of segments.

        >>> def source(label, texts, ids):
        ...     return Source(label, [label], iter([list(map(Segments.from_strings, (texts, ids)))]), ids=1)
        >>> system, reference = source("sys", ["a", "b"], ["1", "2"]), source("ref", ["B", "A"], ["2", "1"])
        >>> for blocks in Joining().join([system, reference], 1, False):
        ...     print([list(column) for block in blocks for column in block])
        [['b', 'a'], ['B', 'A']]
        """
        can_join = all(source.ids for source in sources if source.names)
        records = [_Record(source.blocks) for source in sources] if can_join else []
        if records:  # a stream that ends early may lack some items, so the others are waited for
            sources = [one._replace(blocks=of.read(), hurry=None) for one, of in zip(sources, records, strict=True)]
        total = 0
        self.ids = [[] for _ in _KINDS] if self.keeps_ids else ()
        order = [*range(first_reference, len(sources)), *range(first_reference)]
        all_ids = [_Ids() for _ in sources]
        measure = first_reference if first_reference < len(sources) else 0
        before: list[Block] = []  # the ids of the blocks that were given
        failure: BleuError | None = None
        try:
            for blocks in in_step(sources, may_be_empty):
                ids = [_ids(source, block) for source, block in zip(sources, blocks, strict=True)]
                difference = _find_difference(sources, ids, first_reference)
                if difference is not None:
                    failure = _differ(sources, ids, *difference, total)
                    if not records:
                        raise failure
                    break
                _add_ids(all_ids, ids)
                total += len(blocks[0][0])
                if records:
                    before.append(ids[measure])
                for record in records:
                    record.forget(total)
                self.scored = self.items = total
                self.keep(ids, order)
                yield [_without_ids(source, block) for source, block in zip(sources, blocks, strict=True)]
            else:
                _check_gaps(sources, all_ids)
                _check_kinds(self, sources, all_ids)
                return
        except LengthError as error:
            if not records:
                raise
            failure = error
        rest = [_whole(list(record.rest(total))) for record in records]
        _add_ids(all_ids, [_ids(source, columns) for source, columns in zip(sources, rest, strict=True)])
        common = set.intersection(*(own.kinds for source, own in zip(sources, all_ids, strict=True) if source.names))
        if not common:
            assert failure is not None
            raise failure
        _check_gaps(sources, all_ids)
        earlier = {key for columns in before for key in zip(*(columns[kind] for kind in sorted(common)), strict=True)}
        self.is_sorted = True
        # Systems that bring their references along have all of these together
        references = range(first_reference if first_reference < len(sources) else 0, len(sources))
        yield from _join_by_key(sources, rest, sorted(common), references, self, earlier, total)


def _check_kinds(joining: Joining, sources: Sequence[Source], all_ids: Sequence[_Ids]) -> None:
    """Hint at ids that were not compared because they are of different kinds; all_ids: those of each source.

    Refuse this if items may be left out, and a source without ids.
    """
    kinds_of = [(source.label, own.kinds) for source, own in zip(sources, all_ids, strict=True) if source.names]
    bare = next((label for label, of in kinds_of if not of), "")
    if joining.partial and bare:
        raise IdsDifferError(f"{bare} has no ids to join by; leave out ", Turn("partial=True", "--partial"))
    strangers = [
        (one, other) for one, other in combinations(kinds_of, 2) if one[1] and other[1] and not one[1] & other[1]
    ]
    for one, other in strangers[:1]:
        ids = " but ".join(f"{label} has ids of {_KINDS[min(of)]}" for label, of in (one, other))
        if joining.partial:
            raise IdsDifferError(f"{ids}, so they cannot be joined; rename one of the fields")
        joining.hint = (
            f"{ids}, so lines are paired by their position; rename one of the fields to join them, or write"
            " --jsonl-fields id=none"
        )


class _Ids:
    """What is known of the ids of a source.

    Attributes:
        kinds: those that it has.
        gaps: by kind, the first lines without an id, counted from 0, and `counts`: how many there are.
    """

    def __init__(self) -> None:
        self.kinds: set[int] = set()
        self.gaps: dict[int, list[int]] = {}
        self.counts: dict[int, int] = {}
        self._lines = 0

    def add(self, ids: Block) -> None:
        for kind, column in enumerate(ids):
            data = _data_of(column)
            missing: Sequence[int] = ()
            if data.strip(b"\n"):
                self.kinds.add(kind)
            if not data:
                missing = range(len(column))
            elif b"\n\n" in data or b"\n" in (data[:1], data[-1:]):
                missing = [line for line, one in enumerate(data.split(b"\n")) if not one]
            if missing:
                first = self.gaps.setdefault(kind, [])
                first += [self._lines + line for line in missing[: SHOWN_IDS - len(first)]]
                self.counts[kind] = self.counts.get(kind, 0) + len(missing)
        self._lines += len(ids[0]) if ids else 0


def _add_ids(all_ids: Sequence[_Ids], ids: Sequence[Block]) -> None:
    for own, columns in zip(all_ids, ids, strict=True):
        own.add(columns)


def _check_gaps(sources: Sequence[Source], all_ids: Sequence[_Ids]) -> None:
    """Refuse lines without an id if others of the source, and of another, have one: these have a position only."""
    for source, ids in zip(sources, all_ids, strict=True):
        for kind in sorted(ids.kinds & ids.gaps.keys()):
            if sum(kind in other.kinds for other in all_ids) < 2:
                continue
            lines, count = [str(line + 1) for line in ids.gaps[kind]], ids.counts[kind]
            more = count - len(lines)
            listed = f"{', '.join(lines)} and {more} more" if more else join_words(lines)
            have = f"line {listed} has" if count == 1 else f"lines {listed} have"
            raise IdsDifferError(
                f"{source.label}, {have} no id, but other lines have one; give each line an id",
                Turn("", ", or write --jsonl-fields id=none to pair lines by their position"),
            )


class _Record:
    """The blocks of a source, of which those that may still be joined can be read again."""

    def __init__(self, blocks: Iterator[Block]) -> None:
        self._blocks = blocks
        self._held: deque[tuple[int, Block]] = deque()  # each with the number of segments before it
        self._segments = 0

    def read(self) -> Iterator[Block]:
        for block in self._blocks:
            self._held.append((self._segments, block))
            self._segments += len(block[0]) if block else 0
            yield block

    def forget(self, total: int) -> None:
        while self._held and self._held[0][0] + len(self._held[0][1][0]) <= total:
            self._held.popleft()

    def rest(self, total: int) -> Iterator[Block]:
        """Give what follows the first `total` segments."""
        for start, block in self._held:
            if block and start + len(block[0]) > total:
                yield [column[max(0, total - start) :] for column in block]
        yield from (block for block in self._blocks if block and len(block[0]))


def _ids(source: Source, block: Block) -> Block:
    """Return the ids in a block, one column for each kind; none if the source has none."""
    return block[source.place() :][: source.ids]


def _without_ids(source: Source, block: Block) -> Block:
    place = source.place()
    return [*block[:place], *block[place + source.ids :]] if source.ids else block


def _data_of(column: Segments) -> bytes:
    """Return the ids in a column, each in a line; nothing if no line has one."""
    return bytes(column.data[column.pairs[0] : column.pairs[-1]]) if column.data else b""


def _find_difference(
    sources: Sequence[Source], ids: Sequence[Block], first_reference: int
) -> tuple[int, int, int, int] | None:
    """Return the first item whose ids of one kind differ: its row, the kind, and the positions of two sources.

    References come first: a system that differs from them is wrong.
    """
    order = [*range(first_reference, len(sources)), *range(first_reference)]
    for kind in range(max(source.ids for source in sources)):
        columns: dict[bytes, int] = {}
        for place in order:
            if not ids[place] or not (column := ids[place][kind]).data:  # there are none of this kind
                continue
            data = _data_of(column)
            if data in columns:
                continue
            for other_data, other in columns.items():
                for row, pair in enumerate(zip(data.split(b"\n"), other_data.split(b"\n"), strict=True)):
                    if pair[0] != pair[1] and all(pair):
                        return row, kind, place, other
            columns[data] = place
    return None


def _differ(
    sources: Sequence[Source], ids: Sequence[Block], row: int, kind: int, place: int, other: int, total: int
) -> IdsDifferError:
    """Return the error about sources that cannot be joined, because one of them has no ids."""
    here, there = (repr(str(ids[one][kind][row])[:SHOWN_CHARACTERS]) for one in (place, other))
    pairs = [(source, columns) for source, columns in zip(sources, ids, strict=True) if source.names]
    bare = next((source.label for source, columns in pairs if not columns or not columns[kind].data), "")
    why = f", and {bare} has no such ids to join by" if bare else ""
    return IdsDifferError(
        f"{sources[place].label}, line {total + row + 1} has the id {here} but {sources[other].label} has {there}{why};"
        " put the lines of all files in the same order",
        Turn("", ", or write --jsonl-fields id=none if these fields do not identify segments"),
    )


def _whole(blocks: Sequence[Block]) -> Block:
    """Return blocks as one; columns that some of them lack are filled with missing texts."""
    width = max(map(len, blocks), default=0)
    missing = [Segments(b"", array("q", [-1, -1]).tobytes() * len(block[0])) for block in blocks]
    return [
        Segments.join([block[n] if n < len(block) else gap for block, gap in zip(blocks, missing, strict=True)])
        for n in range(width)
    ]


def _join_by_key(
    sources: Sequence[Source],
    rest: Sequence[Block],
    kinds: Sequence[int],
    references: range,
    joining: Joining,
    earlier: set[Key],
    total: int,
) -> Iterator[list[Block]]:
    """Give what is left of all sources in the same order.

    rest: what is left of each. kinds: the kinds of ids that all have. references: the positions of the sources that
    have references; the first one gives the order. earlier: the keys of the items that have been given, `total` of
    them.
    """
    measure = references[0]
    left_out = {tuple(ids[kind] for kind in kinds) for ids in joining.left_out}
    rows: dict[int, dict[Key, int]] = {}
    for number, (source, columns) in enumerate(zip(sources, rest, strict=True)):
        if source.names:
            ids = _ids(source, columns)
            keys = list(zip(*(ids[kind] for kind in kinds), strict=True)) if ids else []
            numbers = _number(source, keys, earlier, total)
            rows[number] = {key: row for key, row in numbers.items() if key not in left_out}
    order = list(rows[measure])
    for number, source in enumerate(sources):
        if not source.names and rest[number] and len(rest[number][0]) != len(order):
            counts = [(total + len(order), True), (total + len(rest[number][0]), True)]
            raise length_error([sources[measure].label, source.label], counts)
    if joining.partial:
        common = _find_common(joining, sources, rows, references, total)
    else:
        for number, of in rows.items():
            _compare(sources[measure].label, rows[measure], sources[number].label, of)
        common = set(order)
        joining.scored = joining.items = total + len(order)
    texts = [_without_ids(source, columns) for source, columns in zip(sources, rest, strict=True)]
    lines = {n: Lines(total + (len(rest[n][0]) if rest[n] else 0), array("q", range(total))) for n in rows}
    # Systems come before references, and may have the same names
    by_name = {name: of for n, of in reversed(lines.items()) for name in sources[n].names}
    joining.lines = {**by_name, "": lines[measure]}
    matches = (row for row, key in enumerate(order) if key in common)
    while chunk := list(islice(matches, _BLOCK)):
        keys = [order[row] for row in chunk]
        places = [[rows[n][key] for key in keys] if n in rows else chunk for n in range(len(sources))]
        for n, own in lines.items():
            own.places.extend([total + row for row in places[n]])
        joining.keep([[column.gather(places[measure]) for column in _ids(sources[measure], rest[measure])]], [0])
        yield [[column.gather(of) for column in columns] for columns, of in zip(texts, places, strict=True)]


def _find_common(
    joining: Joining, sources: Sequence[Source], rows: Mapping[int, Mapping[Key, int]], references: range, total: int
) -> set[Key]:
    """Return the keys that all sources have, at least one; note how many are left out. rows: by position."""
    common = set(rows[references[0]]).intersection(*rows.values())
    if not total and not common:
        raise IdsDifferError("the files have no id in common; give files of the same test set")
    items: set[Key] = set().union(*(of for place, of in rows.items() if place in references))
    joining.scored, joining.items = total + len(common), total + len(items)
    joining.strangers = [
        f"{sources[place].label} has {tell_ids(map('/'.join, unknown))}, which no reference has"
        for place, of in rows.items()
        if (unknown := [key for key in of if key not in items])
    ]
    return common


def _number(source: Source, keys: Sequence[Key], earlier: set[Key], total: int) -> dict[Key, int]:
    """Return the row of each key, which must occur once; earlier: those of the `total` items before."""
    rows = {key: row for row, key in enumerate(keys)}
    double = [key for key, count in Counter(keys).items() if count > 1 or key in earlier]
    if double:
        raise IdsDifferError(
            f"{source.label} has {tell_ids(map('/'.join, double))} more than once, so its lines cannot be"
            " joined with those of others, which have another order; give each line an id of its own"
        )
    return rows


def _compare(measure: str, expected: dict[Key, int], label: str, rows: dict[Key, int]) -> None:
    """Refuse a source that lacks an item of the one that gives the order, or has another one."""
    missing = [key for key in expected if key not in rows]
    unknown = [key for key in rows if key not in expected]
    if missing or unknown:
        here, there = (label, measure) if missing else (measure, label)
        raise IdsDifferError(
            f"{here} lacks {tell_ids(map('/'.join, missing or unknown))}, which {there} has; add what is"
            " missing, or score what all have with ",
            Turn("partial=True", "--partial"),
        )
