"""Mistakes in outputs that are counted while they are scored, and what to say of them.

A quick look (`marks.suspicions`) decides which blocks are examined for which kinds, so that right texts cost next to
nothing. `bleu check` examines everything, with the same definitions.

- `Sign`: a kind of mistake in a text; `count` counts those of a block, `add` adds the next block
- `tell`: hints
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bleucli.inspection.lines import Lines, cut
from bleucli.inspection.marks import find_script
from bleucli.inspection.mistakes import MISTAKES
from bleucli.phrases import Turn, in_command, tell_count, tell_place
from bleucli.records import NamedTuple
from bleucli.results.hints import Hint
from bleucli.text import Segments

_BY_KIND = {mistake.kind: mistake for mistake in MISTAKES}
# The share of the segments from which on a kind is worth a hint; kinds that are not listed: any segment
_SHARES = {
    **dict.fromkeys(("special-tokens", "tags", "entities", "mojibake", "form", "quoting", "replacement"), 0.015),
    **dict.fromkeys(("preamble", "runaway", "markdown", "full-width"), 0.015),
    **dict.fromkeys(("lower-case", "upper-case", "numbers", "script"), 0.5),
    "repeated": 0.05,
    "enclosed": 0.3,
}
# The most characters of an example
_EXAMPLE = 60
_MORE = Turn("bleucli.check_texts says more", "bleu check says more")
_EMPTY_REMEDY = Turn(
    "fill them, or set skip_empty_refs=True if they stand for missing references",
    "fill them, or give --skip-empty-refs if they stand for missing references",
)


class Sign(NamedTuple):
    """A kind of mistake in a text."""

    segments: int  # in how many it is
    first: int  # the index of the first of these
    example: str  # the part of its text that shows the mistake
    detail: str = ""  # more about it


def count(ours: Segments, theirs: Segments, start: int, kinds: Sequence[str]) -> dict[str, Sign]:
    """Return the mistakes of some kinds in a block of output; start: the index of its first segment.

    theirs: the first references, of which some may be missing. What both sides have is not a mistake.

    >>> count(Segments.from_strings(["a", "<b>c</b>"]), Segments.from_strings(["a", "c"]), 10, ["tags"])
    {'tags': Sign(segments=1, first=11, example='<b>c</b>', detail='')}
    """
    lines, others = (Lines([text or "" for text in side], start) for side in (ours, theirs))
    signs = {}
    # What a quick look finds may be something else: special tokens look like tags, misread text has other letters, and
    # CSV files have quotation marks around lines
    more = {"tags": "special-tokens", "script": "mojibake", "enclosed": "quoting"}
    for kind in dict.fromkeys([*kinds, *(more[kind] for kind in kinds if kind in more)]):
        detail, texts, place = "", lines.texts, 0
        if kind == "script":
            indexes, detail = _find_script(lines, others)
        elif kind == "mojibake":
            misread = [index for index, text in enumerate(texts) if _is_misread(text)]
            indexes = [index for index in misread if not _is_misread(others.texts[index])]
            place = next((n for n, one in enumerate(texts[indexes[0]]) if not one.isascii()), 0) if indexes else 0
        elif kind == "empty-reference":
            texts = others.texts
            present = theirs.pairs[::2].tolist()
            indexes = [index for index in _BY_KIND["empty"].find(others, lines) if present[index] >= 0]
        else:
            indexes = list(_BY_KIND[kind].find(lines, others))
            place = _BY_KIND[kind].place(texts[indexes[0]]) if indexes else 0
        if indexes:
            example = cut(texts[indexes[0]], place, _EXAMPLE)
            signs[kind] = Sign(len(indexes), start + indexes[0], example, detail)
    for kind, other in more.items():
        if kind in signs and other in signs and 2 * signs[other].segments > signs[kind].segments:
            del signs[kind]
    return signs


def add(signs: Mapping[str, Sign], more: Mapping[str, Sign]) -> dict[str, Sign]:
    """Return the mistakes of a part and the next one together."""
    both = dict(signs)
    for kind, sign in more.items():
        before = both.get(kind)
        both[kind] = sign if before is None else before._replace(segments=before.segments + sign.segments)
    return both


def tell(
    signs: Mapping[str, Sign], segments: int, name: str, reference: str, skips_empty: bool = False
) -> Iterator[Hint]:
    """Give a hint for each kind of mistake that is in enough segments.

    segments: the number of all segments. skips_empty: whether empty references count as missing.
    """
    for kind, sign in signs.items():
        if sign.segments < _SHARES.get(kind, 0) * segments or (kind == "empty-reference" and skips_empty):
            continue
        whose = name
        if kind == "script":
            what, remedy = f"letters of another script ({sign.detail})", "look whether both files are the right ones"
        elif kind == "empty-reference":
            whose, what, remedy = reference, "no text, while the output has some", _EMPTY_REMEDY
        else:
            what, remedy = _BY_KIND[kind].title, _BY_KIND[kind].remedy
        has = "has" if sign.segments == 1 else "have"
        many = f"{sign.segments} of {tell_count(segments, 'segment')} of {whose} {has} {what}, first "
        example = f" ({sign.example!r})" if sign.example else ""
        yield Hint(
            f"{many}{tell_place('segment', sign.first)}{example}; {remedy}; {_MORE}",
            f"segments of {whose} have {what}; {remedy}; {_MORE}",
            f"{many}line {sign.first + 1}{example}; {in_command(remedy)}; {_MORE.command}",
            segments=sign.segments,
            first=sign.first,
        )


def _find_script(lines: Lines, others: Lines) -> tuple[list[int], str]:
    """Return all lines if most letters of a text are of another script than those of the other one, and how so."""
    ours, theirs = (find_script(side.whole.encode()) for side in (lines, others))
    if not ours or not theirs or ours == theirs:
        return [], ""
    return [index for index, text in enumerate(lines.texts) if text.strip()], f"{ours} instead of {theirs}"


def _is_misread(text: str) -> bool:
    """Return whether a text is UTF-8 that was read as Latin-1 or Windows-1252: as such, its bytes are UTF-8 again.

    >>> _is_misread("f\u00c3\u00bcr"), _is_misread("f\u00fcr"), _is_misread("for")
    (True, False, False)
    """
    if text.isascii():
        return False
    for encoding in ("latin-1", "cp1252"):
        try:
            text.encode(encoding).decode()
        except UnicodeError:
            continue
        return True
    return False
