"""Which lines of two texts belong together, and where lines are missing or too many.

Lines that are translations of the same sentence share rare groups of letters. Where the lines of a text share more of
them with lines some way off than with their own, the text has moved.

- `Features`: the groups of letters in each line
- `align`: how far each line has moved; `Alignment`: the answer
- `Step`: a place where lines are missing, or too many
- `find_steps`: all places in two texts that may have different numbers of lines
- `steps_of`: those in texts of the same length, from how far each line has moved; `placed` corrects these distances
- `tell_steps`: what is wrong there, and what to do about it
- `Move`: lines that have moved together; `add_moves` collects them block by block; `steps_around` says where they begin
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, islice, pairwise

import numpy as np

from bleucli.phrases import COUNTED, Turn, join_words
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Numbers = NDArray[np.float64]

# Groups of this many letters are counted: 4 letters are most of a word, but 2 characters of Chinese are one
_GROUP = 4
_DENSE_GROUP = 2
# A group in more lines than this says little about which lines belong together
_MOST_LINES = 12
# The share of a line's rare groups that its counterpart must have, to be recognized as such
_LIKELY = 0.12
# A line is out of place if a line elsewhere shares this many times as much with it as its own
_TIMES = 2.5
# The same for a line by itself, which must have groups of this weight, and less than this share in its own place
_SURE = 0.3
_RICH = 60.0
_POOR = 0.06
# What it costs to assume that lines have moved: as much as this many lines with all groups in common
_SWITCH = 0.9
# The fewest lines that move together, and the share of these lines that must fit better there: well, and at all
_SHORTEST = 3
_MOST = 0.5
_SOME = 0.04
# Two pieces of the same distance are one if fewer lines are between them
_GAP = 8
# The most distances that are tried, and the fewest lines that suggest one
_DISTANCES = 24
_FEWEST = 2


class Features:
    """The groups of letters in the lines of a text, as hashes; case does not matter."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.lines = len(texts)
        # A text may have line breaks of its own
        whole = "\n".join([text.replace("\n", " ") if "\n" in text else text for text in texts])
        codes = np.frombuffer(whole.lower().encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.int64)
        dense = np.count_nonzero(codes > 0x2E7F) * 4 > len(codes)
        size = _DENSE_GROUP if dense else _GROUP
        count = max(0, len(codes) - size + 1)
        hashes = np.zeros(count, np.int64)
        is_whole = np.ones(count, bool)
        for place in range(size):
            part = codes[place : place + count]
            hashes = hashes * 1_000_003 + part
            is_whole &= part != 10
        line = np.zeros(len(codes), np.int64)
        if len(codes):
            np.cumsum(codes[:-1] == 10, out=line[1:])
        # 40 bits of hash and 23 of the line's number, so that a sort puts equal groups of a line side by side
        keys = ((hashes & ((1 << 40) - 1)) << 23) | line[:count]
        # Half of the groups are enough
        keys = np.sort(keys[is_whole & (hashes & (1 << 17) != 0)])
        self.keys: Integers = keys[np.concatenate([[True], keys[1:] != keys[:-1]])] if len(keys) else keys

    @property
    def groups(self) -> Integers:
        """The hash of each group of each line, sorted."""
        return self.keys >> 23

    @property
    def places(self) -> Integers:
        """The line of each of them."""
        return self.keys & ((1 << 23) - 1)


class Alignment(NamedTuple):
    """How far the lines of a text have moved."""

    distances: Integers  # for each line, how many lines later its counterpart is; 0 for a line in its place
    strays: Integers  # the indexes of lines whose counterpart is elsewhere without any order
    likeness: Numbers  # for each line, the share of its rare groups that the line in its place has, from 0 to 1
    chance: float  # the mean of what unrelated lines share
    counterparts: Integers  # for each stray, the index of its counterpart


def align(left: Features, right: Features) -> Alignment:
    """Find out which lines of the right text belong to those of the left one; both have the same number of lines."""
    weights, totals, left_kept, right_kept = _weigh(left, right)
    in_place = _share_in_place(left_kept, right_kept, weights, left.lines)
    safe = np.maximum(totals, 1e-9)
    likeness = in_place / safe
    # Unrelated lines, some way off
    distant = right_kept[0], (right_kept[1] + 17) % max(1, left.lines)
    chance = float(_share_in_place(left_kept, distant, weights, left.lines).sum() / max(1e-9, totals.sum()))
    is_unlike = likeness < max(_LIKELY, 0.4 * float(np.median(likeness)))
    suspects = is_unlike & (totals > 0)
    pairs = _pairs(left_kept, right_kept, weights, suspects)
    none = np.zeros(0, np.int64)
    distances = np.zeros(left.lines, np.int64)
    if not len(pairs[0]):
        return Alignment(distances, none, likeness, chance, none)
    one, other, shared = pairs
    share = shared / safe[one]
    is_better = (share >= _LIKELY) & (share > _TIMES * likeness[one]) & (one != other)
    one, other, share = one[is_better], other[is_better], share[is_better]
    moves = other - one
    values, counts = np.unique(moves, return_counts=True)
    frequent = values[np.argsort(-counts)][:_DISTANCES]
    frequent = frequent[np.sort(counts)[::-1][:_DISTANCES] >= _FEWEST]
    if len(frequent):
        candidates = np.concatenate([[0], frequent])
        gains = np.zeros((left.lines, len(candidates)))
        gains[:, 0] = likeness
        all_one, all_other, all_shared = pairs
        for column, distance in enumerate(candidates[1:].tolist(), 1):
            is_there = all_other - all_one == distance
            gains[all_one[is_there], column] = (all_shared / safe[all_one])[is_there]
        # Lines that are not suspects are in place, and were not compared with others
        gains[~suspects & (likeness > 0), 1:] = 0
        distances = candidates[_without_gaps(_without_chance(_best_path(gains), gains))]
    # The best counterpart of each line that is still out of place
    order = np.lexsort((-share, one))
    first = order[np.unique(one[order], return_index=True)[1]]
    is_stray = distances[one[first]] == 0
    is_sure = (share[first] >= _SURE) & (totals[one[first]] >= _RICH) & (likeness[one[first]] < _POOR)
    is_sure &= is_unlike[other[first]]  # a line that has its counterpart in its own place is nobody else's
    strays, counterparts = one[first][is_stray & is_sure], other[first][is_stray & is_sure]
    return Alignment(distances, strays, likeness, chance, counterparts)


def _weigh(
    left: Features, right: Features
) -> tuple[Any, Numbers, tuple[Integers, Integers], tuple[Integers, Integers]]:
    """Return a weight for each rare group, the sum for each left line, and the rare groups of both texts.

    Groups are numbered from 0.
    """
    groups, counts = np.unique(np.concatenate([left.groups, right.groups]), return_counts=True)
    is_rare = counts <= 2 * _MOST_LINES
    weights = np.log((left.lines + right.lines + 1) / counts)

    def keep(features: Features) -> tuple[Integers, Integers]:
        numbers = np.searchsorted(groups, features.groups)
        rare = is_rare[numbers]
        return numbers[rare], features.places[rare]

    left_kept, right_kept = keep(left), keep(right)
    totals = np.bincount(left_kept[1], weights[left_kept[0]], left.lines).astype(np.float64)
    return weights, totals, left_kept, right_kept


def _share_in_place(
    left: tuple[Integers, Integers], right: tuple[Integers, Integers], weights: Numbers, lines: int
) -> Numbers:
    """Return the weight of the groups that each left line shares with the right line of the same number."""
    size = lines + 1
    ours, theirs = left[0] * size + left[1], right[0] * size + right[1]
    both = ours[np.isin(ours, theirs, assume_unique=True)]
    return np.bincount(both % size, weights[both // size], lines).astype(np.float64)


def _pairs(
    left: tuple[Integers, Integers], right: tuple[Integers, Integers], weights: Numbers, suspects: NDArray[np.bool_]
) -> tuple[Integers, Integers, Numbers]:
    """Return all pairs of a suspect left line and a right line that share rare groups, and the weight of these."""
    is_suspect = suspects[left[1]]
    groups, places = left[0][is_suspect], left[1][is_suspect]
    order = np.argsort(right[0], kind="stable")
    right_groups, right_places = right[0][order], right[1][order]
    start = np.searchsorted(right_groups, groups)
    end = np.searchsorted(right_groups, groups, "right")
    lengths = end - start
    if not lengths.sum():
        none = np.zeros(0, np.int64)
        return none, none, np.zeros(0)
    ones = np.repeat(places, lengths)
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    others = right_places[np.repeat(start, lengths) + within]
    keys, inverse = np.unique((ones << 23) | others, return_inverse=True)
    shared = np.bincount(inverse, np.repeat(weights[groups], lengths)).astype(np.float64)
    return keys >> 23, keys & ((1 << 23) - 1), shared


def _best_path(gains: Numbers) -> Integers:
    """Return the best column for each row: the sum of what is there, less `_SWITCH` for each change of the column."""
    best = gains[0].copy()
    best[1:] -= _SWITCH
    origins = np.zeros(gains.shape, np.int64)
    stay = np.arange(gains.shape[1])
    for row in range(1, len(gains)):
        top = int(best.argmax())
        switched = best[top] - _SWITCH
        stays = best >= switched
        origins[row] = np.where(stays, stay, top)
        best = np.where(stays, best, switched) + gains[row]
    path = np.zeros(len(gains), np.int64)
    path[-1] = int(best.argmax())
    for row in range(len(gains) - 1, 0, -1):
        path[row - 1] = origins[row][path[row]]
    return path


def _without_chance(path: Integers, gains: Numbers) -> Integers:
    """Return the path with 0 for pieces that may fit by chance: short ones, and those where most lines do not."""
    edges = np.concatenate([[0], np.flatnonzero(np.diff(path)) + 1, [len(path)]])
    lengths = np.diff(edges)
    rows = np.arange(len(path))
    there = gains[rows, path]
    is_better = (there > _TIMES * gains[:, 0]) & (there > _SOME)
    shares = np.add.reduceat(is_better, edges[:-1]) / lengths
    return np.where(np.repeat((lengths >= _SHORTEST) & (shares >= _MOST), lengths), path, 0)


def _without_gaps(path: Integers) -> Integers:
    """Return the path without short gaps in a piece: a few lines of a piece may be alike in their places, too."""
    path = path.copy()
    edges = np.concatenate([[0], np.flatnonzero(np.diff(path)) + 1, [len(path)]]).tolist()
    for before, first, end in zip(edges, edges[1:-1], edges[2:], strict=False):
        if end < len(path) and end - first < _GAP and path[before] == path[end] != 0 == path[first]:
            path[first:end] = path[end]
    return path


# --- lines that are missing or too many

# The number of lines that are aligned together
_LINES = 4096
# The mean share of rare groups that lines in their places have, and how many times that of unrelated lines it is
_RELATED, _TIMES_CHANCE = 0.08, 3
# The last lines, which must fit if lines are missing or too many after them
_LAST = 20
# How far from where lines begin to be out of step a line may be that is there twice
_NEAR = 8
# The largest share of the lines that may be missing or too many: more is chance, as where texts repeat themselves
_MOST_MISSING = 0.2
# The most places that are named
_MOST_NAMED = 8


class Step(NamedTuple):
    """Lines that are missing in an output, or too many."""

    line: int  # the index of the output's line before which lines are missing, or of the first that is too many
    reference: int  # that of the first line of the reference without output, or before which the output has too many
    size: int  # how many are missing; negative if they are too many


def find_steps(output: Iterator[str], reference: Iterator[str]) -> list[Step]:
    """Return where lines of an output are missing or too many; none if the texts do not fit otherwise.

    >>> lines = [f"Sentence {n * n} speaks of {n * 17} birds and {n * n * 7} trees" for n in range(60)]
    >>> find_steps(iter([*lines[:20], *lines[21:40], *lines[39:]]), iter(lines))
    [Step(line=20, reference=20, size=1), Step(line=39, reference=40, size=-1)]
    """
    steps: list[Step] = []
    # The output's next line, how far its counterpart is, and what was read of the reference
    line = distance = total = 0
    ours: list[str] = []
    theirs: list[str] = []
    likeness: list[float] = []
    chance = 0.0
    while ours := [*ours, *islice(output, _LINES - len(ours))]:
        more = list(islice(reference, max(0, _LINES - len(theirs))))
        theirs, total = theirs + more, total + len(more)
        size = max(len(ours), min(len(theirs), _LINES))
        features = Features(_filled(ours, size))
        distances = align(features, Features(_filled(theirs, size))).distances[: len(ours)].tolist()
        # Moves that begin at the end of a block are seen only in the next one
        end = len(ours) if len(ours) < _LINES else _LINES - _LINES // 8
        moves = placed(distances, ours, theirs)[:end]
        steps += [Step(line + one.line, line + distance + one.reference, one.size) for one in steps_of(moves)]
        beside = [theirs[n + move] if 0 <= n + move < len(theirs) else "" for n, move in enumerate(moves)]
        fit = align(features, Features(_filled(beside, size)))
        likeness += fit.likeness[:end].tolist()
        chance += fit.chance * end
        used = end + moves[-1]
        total += sum(1 for _ in islice(reference, max(0, used - len(theirs))))
        ours, theirs = ours[end:], theirs[used:]
        line, distance = line + end, distance + moves[-1]
    total += sum(1 for _ in reference)
    rest = total - line - distance  # lines of the reference after the counterpart of the last line
    if rest:
        steps.append(Step(line + min(0, rest), min(total, line + distance), rest))
    last = likeness[: line + min(0, rest)][-_LAST:]
    fit_of_all, fit_of_last = (sum(some) / max(1, len(some)) for some in (likeness, last))
    is_related = min(fit_of_all, fit_of_last) >= max(_RELATED, _TIMES_CHANCE * chance / max(1, line))
    return steps if is_related and sum(abs(step.size) for step in steps) <= _MOST_MISSING * line else []


def _filled(texts: Sequence[str], size: int) -> list[str]:
    return [*texts[:size], *[""] * (size - len(texts))]


def placed(distances: Sequence[int], output: Sequence[str], reference: Sequence[str]) -> list[int]:
    """Return how far each line has moved, where moves begin a few lines off from a line that is there twice.

    Neighbours may be so much alike that letters alone do not show where a move begins.

    >>> placed([0, 0, 0, 0, -1], ["a", "b", "b", "c", "d"], ["a", "b", "c", "d", "e"])
    [0, 0, -1, -1, -1]
    """
    changes = [0] * (len(distances) + 1)
    for step in steps_of(distances):
        ours, theirs, here, there = output, reference, step.line, step.reference
        if step.size > 0:
            ours, theirs, here, there = theirs, ours, there, here
        count = abs(step.size)
        places = (
            move
            for move in sorted(range(-_NEAR, _NEAR + 1), key=abs)
            if _is_doubled(ours, here + move, count) and not _is_doubled(theirs, there + move, count)
        )
        changes[min(max(0, step.line + next(places, 0)), len(distances))] += step.size
    return list(accumulate(changes[:-1]))


def _is_doubled(texts: Sequence[str], place: int, count: int) -> bool:
    """Return whether some lines are those before them once more, or one line several times.

    >>> _is_doubled(["a", "b", "a", "b"], 2, 2), _is_doubled(["a", "a", "a"], 1, 2), _is_doubled(["a", "b", "c"], 1, 2)
    (True, True, False)
    """
    lines = texts[place : place + count]
    if place < 1 or len(lines) < count or not any(lines):
        return False
    return lines == texts[max(0, place - count) : place] or {*lines} == {texts[place - 1]}


def steps_of(distances: Sequence[int]) -> list[Step]:
    """Return where lines begin to be out of step; distances: as in `Alignment`.

    >>> steps_of([0, 0, 1, 1, 1, 0])
    [Step(line=2, reference=2, size=1), Step(line=5, reference=6, size=-1)]
    """
    pairs = enumerate(pairwise([0, *distances]))
    return [Step(line, line + before, after - before) for line, (before, after) in pairs if after != before]


class Move(NamedTuple):
    """Lines that have moved by the same distance."""

    first: int  # the index of the first one
    stop: int  # that after the last one
    distance: int

    def goes_on(self, start: int, first: int) -> bool:
        """Return whether lines from `first` on may go on with this move, which is of a block before that of `start`.

        >>> [Move(*move).goes_on(4096, 4096) for move in ((4000, 4094, 2), (4000, 4010, 2), (4096, 4100, 2))]
        [True, False, False]
        """
        return self.stop <= start and first - self.stop <= abs(self.distance) + _NEAR


def add_moves(moves: list[Move], distances: Sequence[int], start: int) -> None:
    """Add the moves of a block, whose first line has the index `start`, to those of the blocks before."""
    edges = [0, *(n for n, (one, other) in enumerate(pairwise(distances), 1) if one != other), len(distances)]
    for first, stop in pairwise(edges):
        if (distance := distances[first]) != 0:
            # It goes on from the block before, at whose end some counterparts are in this block
            if moves and moves[-1].distance == distance and moves[-1].goes_on(start, start + first):
                moves[-1] = moves[-1]._replace(stop=start + stop)
            else:
                moves.append(Move(start + first, start + stop, distance))


def steps_around(moves: Sequence[Move], segments: int) -> list[Step]:
    """Return where lines are missing or too many, so that lines move as far as they did."""
    steps = []
    before = end_before = 0
    for first, stop, distance in [*moves, Move(segments, segments, 0)]:
        if before and (first > end_before or not distance):  # what follows is in its place again
            end = min(end_before, segments - max(0, before))
            steps.append(Step(end, end + before, -before))
            before = 0
        if distance != before:
            steps.append(Step(first, first + before, distance - before))
        before, end_before = distance, stop
    return steps


def tell_steps(steps: Sequence[Step], output: str, reference: str) -> tuple[Turn, Turn]:
    """Return what is wrong, and what to do about it; output, reference: the names of the texts.

    >>> steps = [Step(20, 20, 1), Step(39, 40, -1), Step(70, 71, 3)]
    >>> message, remedy = tell_steps(steps, "sys.txt", "ref.txt")
    >>> message.command
    'lines 21 and 72 to 74 of ref.txt seem to have no counterpart in sys.txt, and line 40 of sys.txt none in ref.txt'
    >>> remedy.command
    'delete line 40 of sys.txt, then insert the outputs of lines 21 and 72 to 74 of ref.txt as lines 21 and 72 to 74'
    """
    missing = [(step.reference, step.size) for step in steps if step.size > 0]
    added = [(step.line, -step.size) for step in steps if step.size < 0]
    messages, remedies = [], []
    for first in (0, 1):  # Python and the command
        absent, more = (_tell_lines(of, first) for of in (missing, added))
        verbs = ["seem" if sum(size for _, size in of) > 1 else "seems" for of in (missing, added)]
        parts = []
        if missing:
            parts.append(f"{absent} of {reference} {verbs[0]} to have no counterpart in {output}")
        if added:
            none = "none" if missing else f"{verbs[1]} to have no counterpart"
            parts.append(f"{more} of {output} {none} in {reference}")
        suffix = "" if first else COUNTED
        messages.append(", and ".join(parts) + suffix)
        deletions = [f"delete {more} of {output}"] if added else []
        outputs = f"the output{'s' if verbs[0] == 'seem' else ''} of {absent} of {reference}"
        insertions = [f"insert {outputs} as {absent}" if deletions else f"insert {outputs} as {absent} of {output}"]
        remedies.append(", then ".join([*deletions, *(insertions if missing else [])]) + suffix)
    return Turn(*messages), Turn(*remedies)


def _tell_lines(pieces: Sequence[tuple[int, int]], first: int) -> str:
    """Return the numbers of lines; pieces: the index of the first line, and how many there are. first: that of line 0.

    >>> _tell_lines([(4, 1)], 1), _tell_lines([(4, 1), (8, 3)], 1)
    ('line 5', 'lines 5 and 9 to 11')
    """
    numbers = [
        f"{place + first}" if size == 1 else f"{place + first} to {place + first + size - 1}" for place, size in pieces
    ]
    more = len(numbers) - _MOST_NAMED
    names = [*numbers[:_MOST_NAMED], *([f"those at {more} more places"] if more > 0 else [])]
    noun = "line" if sum(size for _, size in pieces) == 1 else "lines"
    return f"{noun} {join_words(names)}" if names else ""
