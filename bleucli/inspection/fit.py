"""Whether a system's output fits its references line by line, examined in blocks.

- `Fit`: findings about a system's output so far, which add up
- `is_identical`: whether hypotheses equal their references
- `find_shift`: from which line on, and by how much, a text is ahead of another
"""

from __future__ import annotations

from itertools import accumulate

from bleucli import kernels
from bleucli.inspection.marks import suspicions
from bleucli.phrases import tell_place
from bleucli.records import NamedTuple
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bleucli.inspection.mistakes import Sign

# Texts are compared by their character trigrams, which work for all scripts
_ORDER = 3
# Their columns in the rows of `ngram_stats`: two lengths, the matches of each order, the totals of each order
_MATCHES, _TOTALS = 1 + _ORDER, 1 + 2 * _ORDER
# The number of lines at the end of a block that are compared to find out whether it is shifted, and the fewest that
# a block needs for this
SAMPLE = 64
ENOUGH = 16
# Shares of trigrams that match, measured on WMT's systems: a translation and its reference 0.28 (Japanese) to 0.62
# (Ukrainian), unrelated lines 0.01 (Chinese) to 0.11 (German). Blocks with at least the first share are in step, and
# not examined further; moved lines must have at least the second one
_SURELY_RELATED = 0.35
RELATED = 0.15
# A shifted block must match this many times as well as it does by chance, and this share of its lines must match better
TIMES_CHANCE = 2
_MOST = 0.7
# The shifts that are tried, in lines
_OFFSETS = (1, -1, 2, -2)


class Fit(NamedTuple):
    """How a system's output fits its references; the findings of blocks add up."""

    same: Sequence[bool]  # for each reference, whether the output is equal to it
    shifted: tuple[int, int] | None  # the index of the first segment out of step, and by how many it is; None: none is
    segments: int  # how many there are
    signs: Mapping[str, Sign]  # mistakes in them by kind, as `count_signs` returns them

    def join(self, other: Fit) -> Fit:
        """Return the findings for this part and the next one together."""
        # zip stops at the shorter list: a reference that one part lacks is not the same as the output
        same = [a and b for a, b in zip(self.same, other.same, strict=False)]
        signs: Mapping[str, Sign] = self.signs or other.signs
        if self.signs and other.signs:
            from bleucli.inspection.mistakes import add_signs

            signs = add_signs(self.signs, other.signs)
        return Fit(same, self.shifted or other.shifted, self.segments + other.segments, signs)

    def hints(self, name: str, references: Sequence[str], skips_empty: bool = False) -> Iterator[str]:
        """Say what looks wrong with a system's output; skips_empty: whether empty references count as missing."""
        has_plain_names = bool(references) and not any("ref" in one.lower() for one in references)
        is_swapped = has_plain_names and is_named_like_reference(name)
        if self.shifted is None and not self.signs and not is_swapped and not any(self.same):
            return
        from bleucli.results.hints import Hint  # plain scoring seldom has one

        if is_swapped:
            swapped = f"{name} is named like a reference, and {references[0]} is not; are they in each other's place?"
            yield Hint(swapped, command=f"{swapped} References come before -i, systems after it")
        if self.signs:
            from bleucli.inspection.mistakes import tell_signs

            reference = references[0] if references else "the reference"
            yield from tell_signs(self.signs, self.segments, name, reference, skips_empty)
        for reference, same in zip(references, self.same, strict=False):
            if same:
                start, question = f"{name} is the same text as", "is it the system's output?"
                yield Hint(f"{start} {reference}; {question}", command=f"{start} the reference {reference}; {question}")
        if self.shifted is not None:
            index, offset = self.shifted
            line, whose = index + 1, f"{name} is out of step with {references[0]}"
            yield Hint(
                f"from {tell_place('segment', index)} on, {whose}: its segment {index} matches segment {index + offset}"
                " there; look for a missing or doubled segment",
                f"{whose} from some segment on; look for a missing or doubled segment",
                f"from line {line} on, {whose}: its line {line} matches line {line + offset} there; look for a missing"
                " or doubled line",
                segment=index,
                offset=offset,
            )


def observe(hypotheses: Segments, references: Sequence[Segments], start: int, earlier: Fit | None = None) -> Fit:
    """Examine a block of a system's output; its first line has the index `start`.

    earlier: the findings so far; once the output is out of step, later blocks are not searched for a shift.
    """
    shifted = earlier.shifted if earlier else None
    if shifted is None and (shift := find_shift(hypotheses, references[0])):
        shifted = start + shift[0], shift[1]
    signs: Mapping[str, Sign] = {}
    if kinds := suspicions(hypotheses, references[0]):
        from bleucli.inspection.mistakes import count_signs

        signs = count_signs(hypotheses, references[0], start, kinds)
    same = [is_identical(hypotheses, reference) for reference in references]
    return Fit(same, shifted, len(hypotheses), signs)


def is_named_like_reference(name: str) -> bool:
    """Return whether the name of a file says that it holds references.

    >>> [is_named_like_reference(name) for name in ("data/ref.de.txt", "reference2.txt", "refined.txt")]
    [True, True, False]
    """
    word = name.rpartition("/")[2].lower().partition(".")[0].rstrip("0123456789")
    return word in ("ref", "refs", "reference", "references")


def is_identical(left: Segments, right: Segments) -> bool:
    """Return whether all texts are equal; the first difference ends the comparison.

    >>> is_identical(Segments.from_strings(["a", "b"]), Segments.from_strings(["a", "b"]))
    True
    """
    # The first texts nearly always differ, and take less time than what lists all bounds
    return [*left[:1]] == [*right[:1]] and all(a == b for a, b in zip(left, right, strict=True))


def find_shift(hypotheses: Segments, references: Segments) -> tuple[int, int] | None:
    """Find out whether the end of a block of hypotheses fits the references better if it is moved by some lines.

    Returns:
        The index of the first shifted hypothesis, and how many lines later its reference is (negative: earlier); None
        if all are in step.
    """
    if len(hypotheses) < ENOUGH:
        return None
    if share(match_trigrams(hypotheses[-ENOUGH:], references[-ENOUGH:], 0)) >= _SURELY_RELATED:
        return None
    tail = hypotheses[-SAMPLE:], references[-SAMPLE:]
    in_step = match_trigrams(*tail, 0)
    if share(in_step) >= _SURELY_RELATED:
        return None
    matches = {offset: match_trigrams(*tail, offset) for offset in _OFFSETS}
    offset = max(_OFFSETS, key=lambda offset: share(matches[offset]))
    enough = max(RELATED, TIMES_CHANCE * share(in_step))
    # Most lines, not just a few, match better when they are moved
    gains = [there[0] > here[0] for there, here in zip(matches[offset], in_step[max(0, -offset) :], strict=False)]
    if share(matches[offset]) < enough or sum(gains) < _MOST * len(gains):
        return None
    return _first_shifted(hypotheses, references, offset), offset


def match_trigrams(hypotheses: Segments, references: Segments, offset: int) -> list[tuple[int, int]]:
    """Return matches and trigrams of each hypothesis against the reference `offset` lines further on."""
    if offset > 0:
        hypotheses, references = hypotheses[:-offset], references[offset:]
    elif offset < 0:
        hypotheses, references = hypotheses[-offset:], references[:offset]
    characters = kernels.tokenize_char(hypotheses), [kernels.tokenize_char(references)]
    stats = kernels.ngram_stats(*characters, _ORDER)
    numbers: list[int] = stats.data.tolist()
    return list(zip(numbers[_MATCHES :: stats.columns], numbers[_TOTALS :: stats.columns], strict=True))


def share(rows: Sequence[tuple[int, int]]) -> float:
    """Return the share of trigrams that match."""
    return sum(matches for matches, _ in rows) / max(1, sum(total for _, total in rows))


def _first_shifted(hypotheses: Segments, references: Segments, offset: int) -> int:
    """Return the first shifted line: moving it and all later ones by `offset` gains the most matches."""
    in_step = [matches for matches, _ in match_trigrams(hypotheses, references, 0)]
    shifted = [matches for matches, _ in match_trigrams(hypotheses, references, offset)]
    first = max(0, -offset)  # the line of shifted[0]
    gains = [there - here for there, here in zip(shifted, in_step[first:], strict=False)]
    behind = list(accumulate(reversed(gains)))[::-1]  # what moving each line and all later ones gains
    return first + behind.index(max(behind))
