"""Characters made alike: the tables against Unicode's data, and texts against a plain definition."""

from __future__ import annotations

import re
import unicodedata
from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bleucli
from bleucli import kernels
from bleucli.errors import InputTypeError, UsageError
from bleucli.text import Segments
from bleucli.text.typography import (
    KINDS,
    TYPOGRAPHY,
    _is_composed,
    characters,
    normalize,
    normalize_all,
    normalize_segments,
    read_kinds,
)

CHARACTER_KINDS = [kind for kind in KINDS if characters(kind)]
# Letters with marks, sigmas, half-width kana, jamo, and every character of the tables
ALPHABET = "aB.- \n'\"ΣİẞÉ\u0301\u0307\u0327\u3099\uff76\uff9e\uff9f\u30cf\u1100\u1161\u11a8\U0001f600" + "".join(
    sorted({character for kind in CHARACTER_KINDS for character in characters(kind)})
)
TEXTS = st.lists(st.none() | st.text(st.sampled_from(ALPHABET), max_size=12), max_size=6)
SOME_KINDS = st.sets(st.sampled_from(KINDS)).map(lambda kinds: ",".join(kind for kind in KINDS if kind in kinds))


def plain(text: str, kinds: str) -> str:
    """Do what the documentation says, the slow way."""
    for kind in filter(None, kinds.split(",")):
        text = "".join(characters(kind).get(character, character) for character in text)
        if kind == "widths":
            text = re.sub("[\u3040-\u30ff][\u3099\u309a]", lambda match: unicodedata.normalize("NFC", match[0]), text)
        if kind == "nfc":
            text = unicodedata.normalize("NFC", text)
        if kind == "case":
            text = text.lower()
    return text


@given(TEXTS, SOME_KINDS)
def test_texts_are_normalized_as_the_documentation_says(texts, kinds):
    expected = [None if text is None else plain(text, kinds) for text in texts]
    assert normalize(texts, kinds) == expected
    assert list(normalize_segments(Segments.from_strings(texts), kinds)) == expected


@given(TEXTS, SOME_KINDS)
def test_normalizing_twice_changes_nothing_more(texts, kinds):
    once = normalize(texts, kinds)
    assert normalize(once, kinds) == once


@given(TEXTS)
def test_all_texts_are_alike_and_those_that_change_in_more_than_case_are_named(texts):
    whole, changed = normalize_all(Segments.from_strings(texts))
    alike = normalize(texts, "typography")
    assert list(whole) == normalize(alike, "case")
    assert changed == [place for place, (old, new) in enumerate(zip(texts, alike, strict=True)) if old != new]


@given(TEXTS, st.booleans())
def test_lines_of_files_are_made_alike_as_they_stand(texts, is_open):
    data = "\n".join([(text or "").replace("\n", "") + " \r"[: len(text or "") % 3] for text in texts])
    (lines,) = kernels.split_lines(data.encode() if is_open else f"{data}\n".encode())
    whole, changed = normalize_all(lines)
    alike = normalize(lines, "typography")
    assert list(whole) == normalize(alike, "case")
    assert changed == [place for place, (old, new) in enumerate(zip(lines, alike, strict=True)) if old != new]


@pytest.mark.parametrize("point", range(0x80, 0x250))
def test_each_latin_letter_gets_its_small_letter(point):
    texts = [f"{chr(point)}A{chr(point)}", "É×ÀÞß÷", None]
    assert list(normalize_all(Segments.from_strings(texts))[0]) == normalize(texts, "typography,case")


def test_what_composes_with_the_character_before_it_is_looked_at():
    """A text is composed if each character is, unless there is one of these."""
    forms = (unicodedata.decomposition(chr(point)) for point in range(0x110000))
    points = {int(point, 16) for form in forms if not form.startswith("<") for point in form.split()[1:]}
    points.update(range(0x1161, 0x1176), range(0x11A8, 0x11C3))  # jamo compose by a rule
    assert all(unicodedata.combining(chr(point)) or 0x900 <= point < 0x2000 or point >= 0x11000 for point in points)
    assert max(points) < 0x1F000


@given(
    st.text(
        st.one_of(st.characters(codec="utf-8"), st.sampled_from("a\u00e9\u0301\u0327\u1100\u1161\uac00\u11a8\u212b"))
    )
)
def test_composed_texts_are_recognized(text):
    foreign = {one for one in text if not one.isascii()}
    assert _is_composed(text.encode(), foreign) == unicodedata.is_normalized("NFC", text)


def test_texts_may_share_bytes_and_leave_gaps():
    data = "x\u2014y\u2026".encode()
    bounds = array("q", [4, 8, 0, 5, -1, -1, 2, 2, 0, 8]).tobytes()
    segments = Segments(memoryview(data), memoryview(bounds))
    assert list(normalize_segments(segments, "dashes,ellipses")) == ["y...", "x-y", None, "", "x-y..."]
    assert normalize_all(segments)[1] == [0, 1, 4]
    assert list(normalize_all(segments)[0]) == ["y...", "x-y", None, "", "x-y..."]


def test_texts_without_such_characters_are_not_copied():
    for segments in Segments.from_strings(["plain", None, ""]), Segments.from_strings(["Z\u00fcrich"]):
        assert normalize_segments(segments, ",".join(TYPOGRAPHY)) is segments


@pytest.mark.parametrize("kind", CHARACTER_KINDS)
def test_tables_hold_what_their_unicode_properties_say(kind):
    for old, new in characters(kind).items():
        name, category = unicodedata.name(old), unicodedata.category(old)
        folded = unicodedata.normalize("NFKC", old)
        if kind == "quotes":
            assert re.search("QUOTATION|PRIME|CORNER BRACKET|APOSTROPHE", name)
            assert new == ("'" if re.search("SINGLE|^PRIME$|APOSTROPHE", name) else '"')
        elif kind == "apostrophes":
            assert re.search("APOSTROPHE|RIGHT SINGLE QUOTATION MARK|^ACUTE ACCENT$", name)
            assert new == "'"
        elif kind == "dashes":
            assert category == "Pd" or name == "MINUS SIGN"
            assert new == "-"
        elif kind == "ellipses":
            assert new == (folded if folded != old else "...")
        elif kind == "spaces":
            assert category == "Zs"
            assert new == " "
        elif kind == "invisible":
            assert category == "Cf"
            assert new == ""
        else:
            assert 0xFF00 <= ord(old) <= 0xFFEF
            assert re.search("FULLWIDTH|HALFWIDTH", name)
            assert re.sub("<.*> ", "", unicodedata.decomposition(old)) == f"{ord(new):04X}"


def test_no_space_mark_and_width_is_missing():
    every = list(map(chr, range(0x110000)))
    assert {character for character in every if unicodedata.category(character) == "Zs"} == {*characters("spaces"), " "}
    marks = {character for character in every if re.search(r"\bQUOTATION MARK\b", unicodedata.name(character, ""))}
    # Ornaments are pictures; the medieval ones and tags are for special uses
    assert {c for c in marks - {*characters("quotes"), '"'} if not re.search("ORNAMENT|TAG ", unicodedata.name(c))} <= {
        "\u276e",
        "\u276f",
    }
    forms = {chr(point) for point in range(0xFF00, 0xFFF0) if unicodedata.name(chr(point), "")}
    assert forms == {*characters("widths")}


def test_names_are_put_in_order_and_checked():
    assert read_kinds(" case ,quotes,quotes") == "quotes,case"
    assert read_kinds("typography") == ",".join(TYPOGRAPHY)
    assert read_kinds("case,typography") == ",".join(KINDS)
    with pytest.raises(UsageError, match=r"^--normalize 'dots'; choose among quotes, .*, typography, with commas"):
        read_kinds("dots", "--normalize")
    with pytest.raises(UsageError, match="did you mean dashes"):
        read_kinds("quotes,dashs")
    with pytest.raises(InputTypeError, match=r"^normalize is of type list, not a string"):
        read_kinds(["quotes"])


def test_the_public_function_takes_any_texts():
    assert bleucli.normalize(iter(["\u201eJa\u201c \u2013 \u2026", None])) == ['"Ja" - ...', None]
    with pytest.raises(InputTypeError, match="a bare string"):
        bleucli.normalize("text")


# --- the documentation

PAGE = Path(__file__).resolve().parents[2] / "docs" / "typography.md"
SHOWN = {"nothing": "", "U+0020 space": " "}


@pytest.mark.parametrize("kind", [kind for kind in CHARACTER_KINDS if kind != "widths"])
def test_the_page_lists_every_character_and_what_it_becomes(kind):
    section = PAGE.read_text(encoding="utf-8").partition(f"### `{kind}`\n")[2].partition("\n#")[0]
    rows = re.findall(r"^\| U\+(\w+) \| (.+?) \| (.+) \|$", section, re.MULTILINE)
    table = {chr(int(point, 16)): SHOWN.get(new, new.strip("`")) for point, _, new in rows}
    assert table == characters(kind)
    assert [name for _, name, _ in rows] == [unicodedata.name(character) for character in table]
    assert list(table) == sorted(table)


def test_the_page_lists_every_kind_in_order():
    rows = re.findall(r"^\| `(\w+)` \| ", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert tuple(rows) == (*KINDS, "typography")
