"""Where lines of an output are missing, or too many, by comparison with a reference.

- `Step`: such a place
- `find_steps`: all places in two texts that may have different numbers of lines
- `steps_of`: those in texts of the same length, from how far each line has moved; `placed` corrects these distances
- `tell_steps`: what is wrong there, and what to do about it
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, islice, pairwise

from bleucli.inspection.alignment import Features, align
from bleucli.phrases import COUNTED, Turn, join_words
from bleucli.records import NamedTuple

# The number of lines that are aligned together
_LINES = 4096
# The mean share of rare groups that lines in their places have, and how many times that of unrelated lines it is
_RELATED, _TIMES_CHANCE = 0.08, 3
# The last lines, which must fit if lines are missing or too many after them
_LAST = 20
# How far from where lines begin to be out of step a line may be that is there twice
_NEAR = 8
# The largest share of the lines that may be missing or too many: more is chance, as where texts repeat themselves
_MOST_LINES = 0.2
# The most places that are named
_MOST_NAMED = 8


class Step(NamedTuple):
    """Lines that are missing in an output, or too many.

    line: the index of the output's line before which lines are missing, or of the first that is too many. reference:
    the index of the first line of the reference that has no output, or before which the output has too many. size: how
    many are missing; negative if they are too many.
    """

    line: int
    reference: int
    size: int


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
    return steps if is_related and sum(abs(step.size) for step in steps) <= _MOST_LINES * line else []


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
    """Return where lines begin to be out of step.

    Args:
        distances: for each line of the output, how many lines later its counterpart is.

    >>> steps_of([0, 0, 1, 1, 1, 0])
    [Step(line=2, reference=2, size=1), Step(line=5, reference=6, size=-1)]
    """
    pairs = enumerate(pairwise([0, *distances]))
    return [Step(line, line + before, after - before) for line, (before, after) in pairs if after != before]


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
