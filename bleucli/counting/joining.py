"""Items joined by their ids: sources that have the same items in another order, or only some of them.

- `Joining`: gives the blocks of all sources, each with the same items in the same order

While the ids of all sources agree, blocks are passed on as they are. From the first item on where they do not, all
that follows is read into memory, and put into the order of the references.
"""

from __future__ import annotations

from array import array
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from itertools import combinations, islice

from bleucli.counting.corpus import Source, in_step
from bleucli.errors import BleuError, IdsDifferError, LengthError
from bleucli.phrases import Turn, tell_count
from bleucli.text import Segments, length_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    Block = Sequence[Segments]
    Key = tuple[str, ...]

# What the kinds of ids identify, in the order of `bleucli.reading.jsonfields.ID_KINDS`
_KINDS = ("documents", "segments", "items")
# The number of segments in a block of joined items
_BLOCK = 4096
# The most ids that an error names, and the most characters of each
_SHOWN_IDS, _SHOWN_CHARACTERS = 3, 80


class Joining:
    """How items are joined.

    Args:
        partial: whether items that a source lacks are left out; otherwise, they are an error.
        left_out: the ids of items that are not scored, although sources may have them: of each kind, "" if it has none.

    Attributes:
        scored: the number of items that all sources have.
        items: the number of items that any source has.
        is_reordered: whether items were moved, so that they are not where they are in their files.
        hint: what a user should know about the ids, or "". All four are complete once all blocks have been read.
    """

    def __init__(self, partial: bool = False, left_out: Sequence[Key] = ()) -> None:
        self.partial = partial
        self.left_out = left_out
        self.scored = self.items = 0
        self.is_reordered = False
        self.hint = ""

    def join(self, sources: Sequence[Source], first_reference: int, may_be_empty: bool) -> Iterator[list[Block]]:
        """Give the blocks of all sources in step; the arguments and errors of `_join`."""
        return _join(self, sources, first_reference, may_be_empty)


def _join(
    joining: Joining, sources: Sequence[Source], first_reference: int, may_be_empty: bool
) -> Iterator[list[Block]]:
    """Give the blocks of all sources, with the same items in the same order, and without the columns of ids.

    Args:
        joining: how items are joined, and where to count them.
        sources: systems, then references. Sources without names have only labels, in the order of the references.
        first_reference: the position of the first reference, or the number of sources if systems bring theirs along.
        may_be_empty: as for `bleucli.text.align`.

    Raises:
        IdsDifferError: ids are missing, double or unknown; or ids differ, and a source without ids has a position only.
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
    done = 0
    kinds = [set[int]() for _ in sources]  # of the ids that each source has
    measure = first_reference if first_reference < len(sources) else 0
    before: list[Block] = []  # the ids of the blocks that were given
    failure: BleuError | None = None
    try:
        for blocks in in_step(sources, may_be_empty):
            ids = [_ids(source, block) for source, block in zip(sources, blocks, strict=True)]
            _note_kinds(kinds, ids)
            difference = _find_difference(sources, ids, first_reference)
            if difference is not None:
                failure = _differ(sources, ids, *difference, done)
                if not records:
                    raise failure
                break
            done += len(blocks[0][0])
            if records:
                before.append(ids[measure])
            for record in records:
                record.forget(done)
            joining.scored = joining.items = done
            yield [_without_ids(source, block) for source, block in zip(sources, blocks, strict=True)]
        else:
            _check_kinds(joining, sources, kinds)
            return
    except LengthError as error:
        if not records:
            raise
        failure = error
    joining.is_reordered = True
    rest = [_whole(list(record.rest(done))) for record in records]
    _note_kinds(kinds, [_ids(source, columns) for source, columns in zip(sources, rest, strict=True)])
    common = set.intersection(*(of for source, of in zip(sources, kinds, strict=True) if source.names))
    if not common:
        assert failure is not None
        raise failure
    met = {key for columns in before for key in zip(*(columns[kind] for kind in sorted(common)), strict=True)}
    yield from _join_by_key(sources, rest, sorted(common), measure, joining, met, done)


def _check_kinds(joining: Joining, sources: Sequence[Source], kinds: Sequence[set[int]]) -> None:
    """Hint at ids that were not compared because they are of different kinds.

    Args:
        joining: gets the hint.
        sources: all of them.
        kinds: those of the ids that each source has.

    Raises:
        IdsDifferError: items may be left out, but a source has no ids to join by.
    """
    named = [(source.label, of) for source, of in zip(sources, kinds, strict=True) if source.names]
    bare = next((label for label, of in named if not of), "")
    if joining.partial and bare:
        raise IdsDifferError(f"{bare} has no ids to join by; leave out ", Turn("partial=True", "--partial"))
    strangers = [(one, other) for one, other in combinations(named, 2) if one[1] and other[1] and not one[1] & other[1]]
    for one, other in strangers[:1]:
        ids = " but ".join(f"{label} has ids of {_KINDS[min(of)]}" for label, of in (one, other))
        if joining.partial:
            raise IdsDifferError(f"{ids}, so they cannot be joined; rename one of the fields")
        joining.hint = (
            f"{ids}, so lines are paired by their position; rename one of the fields to join them, or write"
            " --jsonl-fields id=none"
        )


def _note_kinds(kinds: Sequence[set[int]], ids: Sequence[Block]) -> None:
    """Add the kinds of ids that each source has in a block."""
    for of, columns in zip(kinds, ids, strict=True):
        of.update(kind for kind, column in enumerate(columns) if column.data)


class _Record:
    """The blocks of a source, of which those that may still be joined can be read again."""

    def __init__(self, blocks: Iterator[Block]) -> None:
        self._blocks = blocks
        self._held: deque[tuple[int, Block]] = deque()  # each with the number of segments before it
        self._segments = 0

    def read(self) -> Iterator[Block]:
        """Give the blocks, and remember them."""
        for block in self._blocks:
            self._held.append((self._segments, block))
            self._segments += len(block[0]) if block else 0
            yield block

    def forget(self, done: int) -> None:
        """Forget blocks of which all segments are among the first `done`."""
        while self._held and self._held[0][0] + len(self._held[0][1][0]) <= done:
            self._held.popleft()

    def rest(self, done: int) -> Iterator[Block]:
        """Give what follows the first `done` segments."""
        for start, block in self._held:
            if block and start + len(block[0]) > done:
                yield [column[max(0, done - start) :] for column in block]
        yield from (block for block in self._blocks if block and len(block[0]))


def _ids(source: Source, block: Block) -> Block:
    """Return the ids in a block, one column for each kind; none if the source has none."""
    return block[source.place() :][: source.ids]


def _without_ids(source: Source, block: Block) -> Block:
    place = source.place()
    return [*block[:place], *block[place + source.ids :]] if source.ids else block


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
            data = bytes(column.data[column.pairs[0] : column.pairs[-1]])
            if data in columns:
                continue
            for other_data, other in columns.items():
                for row, pair in enumerate(zip(data.split(b"\n"), other_data.split(b"\n"), strict=True)):
                    if pair[0] != pair[1] and all(pair):
                        return row, kind, place, other
            columns[data] = place
    return None


def _differ(
    sources: Sequence[Source], ids: Sequence[Block], row: int, kind: int, place: int, other: int, done: int
) -> IdsDifferError:
    """Return the error about sources that cannot be joined, because one of them has no ids."""
    here, there = (repr(str(ids[one][kind][row])[:_SHOWN_CHARACTERS]) for one in (place, other))
    named = [(source, columns) for source, columns in zip(sources, ids, strict=True) if source.names]
    bare = next((source.label for source, columns in named if not columns or not columns[kind].data), "")
    why = f", and {bare} has no such ids to join by" if bare else ""
    return IdsDifferError(
        f"{sources[place].label}, line {done + row + 1} has the id {here} but {sources[other].label} has {there}{why};"
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
    measure: int,
    joining: Joining,
    met: set[Key],
    done: int,
) -> Iterator[list[Block]]:
    """Give what is left of all sources in the same order.

    Args:
        sources: as in `_join`.
        rest: what is left of each source.
        kinds: the kinds of ids that all sources have.
        measure: the position of the source that gives the order.
        joining: as in `_join`.
        met: the keys of the items that have been given.
        done: the number of these.
    """
    left_out = {tuple(ids[kind] for kind in kinds) for ids in joining.left_out}
    rows: dict[int, dict[Key, int]] = {}
    for number, (source, columns) in enumerate(zip(sources, rest, strict=True)):
        if source.names:
            ids = _ids(source, columns)
            keys = list(zip(*(ids[kind] for kind in kinds), strict=True)) if ids else []
            numbers = _number(source, keys, met, done)
            rows[number] = {key: row for key, row in numbers.items() if key not in left_out}
    order = list(rows[measure])
    for number, source in enumerate(sources):
        if not source.names and rest[number] and len(rest[number][0]) != len(order):
            counts = [(done + len(order), True), (done + len(rest[number][0]), True)]
            raise length_error([sources[measure].label, source.label], counts)
    if joining.partial:
        common = set(order).intersection(*rows.values())
        union = set(order).union(*rows.values())
        if not done and not common:
            raise IdsDifferError("the files have no id in common; give files of the same test set")
        joining.scored, joining.items = done + len(common), done + len(union)
    else:
        for number, of in rows.items():
            _compare(sources[measure].label, rows[measure], sources[number].label, of)
        common = set(order)
        joining.scored = joining.items = done + len(order)
    texts = [_without_ids(source, columns) for source, columns in zip(sources, rest, strict=True)]
    kept = (row for row, key in enumerate(order) if key in common)
    while chunk := list(islice(kept, _BLOCK)):
        keys = [order[row] for row in chunk]
        places = [[rows[n][key] for key in keys] if n in rows else chunk for n in range(len(sources))]
        yield [[column.gather(of) for column in columns] for columns, of in zip(texts, places, strict=True)]


def _number(source: Source, keys: Sequence[Key], met: set[Key], done: int) -> dict[Key, int]:
    """Return the row of each key; met: those of the `done` items before.

    Raises:
        IdsDifferError: a key occurs twice, or lacks an id.
    """
    rows = {key: row for row, key in enumerate(keys)}
    for key, row in rows.items():
        if not all(key):
            raise IdsDifferError(
                f"{source.label}, line {done + row + 1} has no id, but its lines have another order than those of"
                " others; give each line an id",
            )
    double = [key for key, count in Counter(keys).items() if count > 1 or key in met]
    if double:
        raise IdsDifferError(
            f"{source.label} has {_name(double)} more than once, so its lines cannot be joined with those of others,"
            " which have another order; give each line an id of its own",
        )
    return rows


def _compare(measure: str, expected: dict[Key, int], label: str, rows: dict[Key, int]) -> None:
    """Refuse a source with other items than the one that gives the order.

    Raises:
        IdsDifferError: it lacks an item, or has an unknown one.
    """
    missing = [key for key in expected if key not in rows]
    unknown = [key for key in rows if key not in expected]
    if missing or unknown:
        here, there = (label, measure) if missing else (measure, label)
        raise IdsDifferError(
            f"{here} lacks {_name(missing or unknown)}, which {there} has; add what is missing, or score what all have"
            " with ",
            Turn("partial=True", "--partial"),
        )


def _name(keys: Sequence[Key]) -> str:
    """Return how many ids there are, and the first of them.

    >>> _name([("a",), ("b",), ("c",), ("d",), ("e", "1")])
    "5 ids ('a', 'b', 'c' and 2 more)"
    """
    names = [repr("/".join(key)[:_SHOWN_CHARACTERS]) for key in keys]
    if len(names) == 1:
        return f"the id {names[0]}"
    more = len(names) - _SHOWN_IDS
    listed = ", ".join(names[:_SHOWN_IDS]) + (f" and {more} more" if more > 0 else "")
    return f"{tell_count(len(names), 'id')} ({listed})"
