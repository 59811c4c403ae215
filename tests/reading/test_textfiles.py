"""Text files in blocks: lines, columns, hints and errors are the same for any size of blocks."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import os
from unittest import mock

import pytest
from conftest import refused
from hypothesis import example, given
from hypothesis import strategies as st

from bleucli import reading
from bleucli.errors import BleuError
from bleucli.reading import TextFile
from bleucli.text import align

BOM = b"\xef\xbb\xbf"
SIZES = range(1, 8)
MIXED = (
    "the cat\nhello world\n",
    "no final newline\nhere",
    "\n\n\n",
    "blank\n\nlines \n\n",
    "crlf\r\nand a lone \r inside\r\n\r\n",
    "où 東京 😀 𠀀\n\u00e9\n😀",
    "next\x85line\u2028and\u2029paragraph\x0b\x0c\x1c\nb\n",
    "trailing \t\u3000\xa0\n \n",
    "a line much longer than any of the blocks, 東京 included, and no other",
    "\ufeffa mark\n\ufeffand another\n",
    "nul\0inside\n\0\n",
)
ENCODINGS = ("utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "gb18030", "utf-7", "utf-8-sig")


def may_be_text(text):
    """Return whether a text is not refused, as those are that begin like UTF-16."""
    try:
        reading.refuse_other_kinds(text.encode(), "a file")
    except BleuError:
        return False
    return True


texts = st.text(st.sampled_from("a é東😀\n\n\r\t\u2028\x85\ufeff\0"), max_size=30).filter(may_be_text)
sizes = st.sampled_from(SIZES)


def blocks_of(size):
    """Read files in blocks of `size` bytes."""
    return mock.patch.object(reading, "_BLOCK_BYTES", size)


def read(data, size=1 << 18, **options):
    """Return the columns of a file as lists of strings, and its hints."""
    file = TextFile("a file", stream=io.BytesIO(data), **options)
    with blocks_of(size):
        columns = [[] for _ in range(file.columns())]
        for block in file.blocks():
            for column, segments in zip(columns, block, strict=True):
                column.extend(segments)
    return columns, file.hints


def lines_of(text):
    """Return what a file's lines are by definition."""
    lines = text.split("\n")
    return [line.rstrip() for line in (lines if lines[-1] else lines[:-1])]


def error_of(data, size=1 << 18, **options):
    with pytest.raises(BleuError) as caught:
        read(data, size, **options)
    return str(caught.value)


def read_or_error(data, size=1 << 18, **options):
    try:
        return read(data, size, **options)
    except BleuError as error:
        return str(error)


# --- lines


@pytest.mark.parametrize("text", MIXED)
def test_only_newlines_end_lines_whatever_the_blocks(text):
    for size in (*SIZES, 1 << 18):
        (lines,), hints = read(text.encode(), size)
        assert lines == lines_of(text)
        assert bool(hints) == text.startswith("\ufeff")


@given(texts, sizes)
@example("\ufeff", 1)
@example("\ufeff\n", 2)
@example("a\n\ufeff", 3)
def test_small_blocks_make_the_lines_of_the_definition(text, size):
    (lines,), hints = read(text.encode(), size)
    assert lines == lines_of(text)
    assert len(hints) == text.startswith("\ufeff")


@given(texts, sizes, st.sampled_from([1, 2, 1000]))
def test_a_file_in_step_with_others_has_the_lines_of_the_definition(tmp_path_factory, text, size, among):
    path = tmp_path_factory.mktemp("files") / "text"
    path.write_bytes(text.encode())
    with blocks_of(size):
        blocks = TextFile("a file", str(path), among=among).blocks()
        assert [line for (block,) in blocks for line in block] == lines_of(text)


def test_files_in_step_are_cut_at_the_same_lines(write):
    widths = range(10, 50)
    files = [
        TextFile(f"{width}", write(f"{width}.txt", f"{'x' * width}\n" * 1000), among=len(widths)) for width in widths
    ]
    with blocks_of(1000):
        pieces = [len(columns[0][0]) for columns in align([file.blocks() for file in files], [""] * len(files))]
    assert sum(pieces) == 1000
    assert len(pieces) < 1000 / 16 + 2 * len(files)  # 16 of the longest lines at a time; each file has an end
    assert set(pieces[:20]) == {16}


def test_lines_that_wait_for_the_next_block_are_not_one_long_line(write, monkeypatch):
    monkeypatch.setattr(reading, "_LINE_BYTES", 60)
    lines = ["", "", "", "", "x" * 25, "y" * 25, "z" * 25, "a" * 25, "b"]
    path = write("text", "".join(f"{line}\n" for line in lines))
    with blocks_of(32):
        blocks = list(TextFile("text", path, among=2).blocks())
    assert [line for (block,) in blocks for line in block] == lines


def test_none_of_many_files_stays_open(write, monkeypatch):
    opened = []
    really_open = reading._open_raw
    monkeypatch.setattr(reading, "_open_raw", lambda path: opened.append(really_open(path)) or opened[-1])
    write("ref.txt", "one\ntwo\nthree\n")
    with blocks_of(4):
        for (block,) in TextFile("ref.txt", "ref.txt", among=1000).blocks():
            assert len(block) > 0
            assert all(file.closed for file in opened)
    assert len(opened) == 5


def test_a_file_that_is_replaced_during_reading_is_refused(write):
    write("ref.txt", "one\ntwo\nthree\n")
    write("new.txt", "eins\nzwei\ndrei\n")
    with blocks_of(4):
        blocks = TextFile("ref.txt", "ref.txt", among=1000).blocks()
        next(blocks)
        os.replace("new.txt", "ref.txt")
        with pytest.raises(BleuError, match=r"cannot read ref.txt: another file has taken its place; give"):
            list(blocks)


def test_an_empty_file_has_no_lines():
    assert read(b"")[0] == [[]]
    assert read(BOM, mark="dropped")[0] == [[]]
    assert read(b"\n")[0] == [[""]]


@pytest.mark.parametrize("size", SIZES)
def test_a_block_is_as_long_as_asked_for_and_one_line_longer_at_most(size):
    data = b"".join(b"x" * (n % 9) + b"\n" for n in range(100))
    with blocks_of(size):
        blocks = [block.data for (block,) in TextFile("a file", stream=io.BytesIO(data)).blocks()]
    assert b"".join(blocks) == data
    assert max(map(len, blocks)) <= size + 9
    assert all(block.endswith(b"\n") for block in blocks)


def test_a_file_is_not_read_further_than_asked_for():
    stream = io.BytesIO(b"one\ntwo\nthree\nfour\n" * 100)
    with blocks_of(8):
        blocks = TextFile("a file", stream=stream).blocks()
        assert list(next(blocks)[0])[:2] == ["one", "two"]
        assert stream.tell() < 100


def test_a_long_line_takes_time_in_proportion():
    data = b"word " * 200_000 + b"\nend\n"
    (lines,), _ = read(data, 64)
    assert [len(line) for line in lines] == [999_999, 3]


def test_a_stream_stays_open_and_a_file_is_closed(write, monkeypatch):
    stream = io.BytesIO(b"a\n")
    list(TextFile("stdin", stream=stream).blocks())
    assert not stream.closed
    opened = []
    really_open = reading._open_raw
    monkeypatch.setattr(reading, "_open_raw", lambda path: opened.append(really_open(path)) or opened[-1])
    list(TextFile("ref.txt", write("ref.txt", "a\n")).blocks())
    assert [file.closed for file in opened] == [True]


# --- byte-order marks


@pytest.mark.parametrize("size", SIZES)
def test_a_byte_order_mark_is_text_and_noted_even_if_blocks_cut_it(size):
    assert read(BOM + b"a b\nc\n", size) == (
        [["\ufeffa b", "c"]],
        [
            "a file starts with a byte-order mark, which is scored as text, as in sacreBLEU; encoding='utf-8-sig' drops"
            " it",
        ],
    )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("options", [{"mark": "dropped"}, {"encoding": "utf-8-sig"}], ids=str)
def test_a_byte_order_mark_is_dropped_in_data_and_by_the_encoding_that_has_one(size, options):
    assert read(BOM + b"a b\nc\n", size, **options) == ([["a b", "c"]], [])


def test_a_byte_order_mark_may_be_text_without_a_hint():
    assert read(BOM + b"a\n", mark="text") == ([["\ufeffa"]], [])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("start", [b"", BOM[:1], BOM[:2], b"a" + BOM, b"\n" + BOM])
def test_what_is_not_a_byte_order_mark_stays(size, start):
    if start in (BOM[:1], BOM[:2]):
        assert "line 1, byte 0: 0xef" in error_of(start + b"a\n", size)
    else:
        assert read(start + b"a\n", size) == ([(start + b"a").decode().split("\n")], [])


@pytest.mark.parametrize("options", [{"mark": "dropped"}, {"encoding": "utf-8-sig"}], ids=str)
def test_only_the_first_byte_order_mark_is_dropped(options):
    assert read(BOM + BOM + b"a\n", **options)[0] == [["\ufeffa"]]


# --- encodings


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("text", MIXED)
def test_every_encoding_is_read_whatever_the_blocks(encoding, text):
    data = text.encode(encoding)
    for size in (*SIZES, 1 << 18):
        assert read(data, size, encoding=encoding)[0] == [lines_of(text)]


@pytest.mark.parametrize(
    ("encoding", "text"), [("latin-1", "é\x85\nà\n"), ("shift_jis", "東京\nabc ｱ\n"), ("iso2022_jp", "東京 a\nb\n")]
)
def test_encodings_of_fewer_characters_are_read_whatever_the_blocks(encoding, text):
    for size in (*SIZES, 1 << 18):
        assert read(text.encode(encoding), size, encoding=encoding)[0] == [lines_of(text)]


@pytest.mark.parametrize(("encoding", "mark"), [("utf-16-le", codecs.BOM_UTF16_LE), ("utf-16-be", codecs.BOM_UTF16_BE)])
def test_a_mark_that_the_encoding_leaves_is_text_and_noted(encoding, mark):
    for size in SIZES:
        columns, hints = read(mark + "a\nb\n".encode(encoding), size, encoding=encoding)
        assert columns == [["\ufeffa", "b"]]
        assert [hint.rpartition("; ")[2] for hint in hints] == ["delete it if it is there by mistake"]


@pytest.mark.parametrize("mark", [codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])
def test_the_mark_that_belongs_to_utf_16_gets_no_hint(mark):
    data = mark + "a\nb\n".encode("utf-16-le" if mark == codecs.BOM_UTF16_LE else "utf-16-be")
    assert read(data, encoding="utf-16") == ([["a", "b"]], [])


@pytest.mark.parametrize(
    ("encoding", "data", "place"),
    [
        ("utf-8", b"ab\nc\xffd\n", "line 2, byte 4: 0xff"),
        ("utf-8", "é\nab".encode() + b"\xe6\x9d\n", "line 2, byte 5: 0xe6"),
        ("utf-8", b"ab\ncd\n\xf0\x9f\x98", "line 3, byte 6: 0xf0"),
        ("utf-8", BOM + b"a\n\xff", "line 2, byte 5: 0xff"),
        ("gb18030", "東京\nab".encode("gb18030") + b"\xff\n", "line 2, byte 7: 0xff"),
        ("shift_jis", "東京\nab".encode("shift_jis") + b"\xff\n", "line 2, byte 7: 0xff"),
        ("iso2022_jp", "東京\nab".encode("iso2022_jp") + b"\xff\n", "line 2, byte 13: 0xff"),
        ("utf-16", "\ufeffab\nc".encode("utf-16-le") + b"\0\xdca\0", "line 2, byte 10: 0x00"),
        ("utf-16", "\ufeffab\nc".encode("utf-16-be") + b"\xdc\0\0a", "line 2, byte 10: 0xdc"),
        ("utf-32-le", "ab\nc".encode("utf-32-le") + b"\0\0\x11\0", "line 2, byte 16: 0x00"),
        ("ascii", b"a\nb\x80\n", "line 2, byte 3: 0x80"),
    ],
)
def test_a_wrong_byte_is_named_by_line_and_offset_whatever_the_blocks(encoding, data, place):
    for size in (*SIZES, 1 << 18):
        message = error_of(data, size, encoding=encoding)
        assert message == f"a file, {place} is not valid {encoding}; name the encoding with encoding=..."


@given(st.binary(max_size=12), st.sampled_from([*ENCODINGS, "shift_jis", "iso2022_jp", "ascii"]), sizes)
def test_arbitrary_bytes_are_read_or_refused(data, encoding, size):
    answer = read_or_error(data, size, encoding=encoding)
    assert isinstance(answer, tuple) or answer.startswith("a file")


@given(st.binary(max_size=12), sizes)
def test_arbitrary_bytes_are_read_or_refused_in_the_same_way_whatever_the_blocks(data, size):
    assert read_or_error(data, size) == read_or_error(data)


@pytest.mark.parametrize("name", ["utf-8", "UTF8", "utf_8", "U8"])
def test_utf_8_has_all_its_names(name):
    assert "is not valid utf-8;" in error_of(b"\xff\n", encoding=name)


@pytest.mark.parametrize("name", ["", "klingon", "hex", "undefined", "é", "\udcff"])
def test_an_unknown_encoding_is_refused_before_anything_is_read(name):
    with pytest.raises(BleuError, match="unknown encoding"):
        TextFile("a file", "nofile", encoding=name)


# --- columns


@pytest.mark.parametrize(
    ("data", "columns"),
    [
        (b"", [[]]),
        (b"a\nb\n", [["a", "b"]]),
        (b"\n\n", [["", ""]]),
        (b"a\tb\nc\td\n", [["a", "c"], ["b", "d"]]),
        (b"a\tb\r\nc\td\r\n", [["a", "c"], ["b", "d"]]),
        (b"a \tb\tc \n\t\t", [["a", ""], ["b", ""], ["c", ""]]),
        (b"a\t\nb\t\n", [["a", "b"], ["", ""]]),
        (b"\t", [[""], [""]]),
        (BOM + b"a\tb\n", [["\ufeffa"], ["b"]]),
        ("où est\t東京 😀\nun\tdeux".encode(), [["où est", "un"], ["東京 😀", "deux"]]),
    ],
)
def test_the_first_line_decides_the_columns_whatever_the_blocks(data, columns):
    for size in (*SIZES, 1 << 18):
        assert read(data, size, columns=None)[0] == columns


def test_columns_can_be_asked_for_twice_and_nothing_is_lost():
    file = TextFile("a file", stream=io.BytesIO(b"a\tb\nc\td\n"), columns=None)
    assert (file.columns(), file.columns()) == (2, 2)
    assert [[list(column) for column in block] for block in file.blocks()] == [[["a", "c"], ["b", "d"]]]


def test_blocks_find_the_columns_without_being_asked():
    file = TextFile("a file", stream=io.BytesIO(b"a\tb\n"), columns=None)
    assert [[list(column) for column in block] for block in file.blocks()] == [[["a"], ["b"]]]


@pytest.mark.parametrize("columns", [0, 1])
def test_tabs_are_white_space_where_there_is_one_column(columns):
    for size in SIZES:
        assert read(b"a\tb \t\n\tc\n", size, columns=columns)[0] == [["a\tb", "\tc"]]


@pytest.mark.parametrize(
    ("data", "line", "found"), [(b"a\tb\nc\n", 2, 1), (b"a\tb\nc\td\ne\tf\tg\n", 3, 3), (b"\n", 1, 1)]
)
def test_another_number_of_fields_is_named_by_its_line_whatever_the_blocks(data, line, found):
    for size in (*SIZES, 1 << 18):
        message = error_of(data, size, columns=2)
        assert message.startswith(f"a file, line {line}: expected 2 tab-separated fields, found {found};")


@given(st.lists(st.lists(st.text("aé😀 \r", max_size=4), min_size=3, max_size=3), min_size=1, max_size=5), sizes)
def test_three_columns_are_three_columns(rows, size):
    data = "".join("\t".join(row) + "\n" for row in rows).encode()
    columns = [[row[number].rstrip() for row in rows] for number in range(3)]
    assert read(data, size, columns=3)[0] == columns
    assert read(data, size, columns=None)[0] == columns


# --- files of other kinds

KINDS = {
    "docx": (
        b"PK\x03\x04\x14\0\0\0\x08\0",
        "is a ZIP archive, as .docx and .xlsx are; save its text as plain text, one segment per line, or name a table"
        " (.xlsx) with --table",
    ),
    "pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n", "is a PDF; save its text as plain text, one segment per line"),
    "parquet": (b"PAR1\x15\x04\x15\0", "is a Parquet table; name it with --table instead"),
    "utf-16": (
        "\ufeffone\ntwo\n".encode("utf-16-le"),
        "is UTF-16, as PowerShell writes it, not UTF-8; save it as UTF-8, or add -e utf-16 if all files are",
    ),
    "utf-16 of others": ("\ufeffone\ntwo\n".encode("utf-16-be"), "is UTF-16, as PowerShell writes it, not UTF-8"),
    "utf-16 without a mark": (
        "one\ntwo\n".encode("utf-16-le"),
        "is UTF-16, as PowerShell writes it, not UTF-8; save it as UTF-8, or add -e utf-16-le if",
    ),
    "utf-16 of others without a mark": (
        "one\ntwo\n".encode("utf-16-be"),
        "is UTF-16, as PowerShell writes it, not UTF-8; save it as UTF-8, or add -e utf-16-be if",
    ),
    "utf-16 of Chinese": (
        "一座城市\n上海\n".encode("utf-16-le"),
        "is UTF-16, as PowerShell writes it, not UTF-8; save it as UTF-8, or add -e utf-16-le if",
    ),
    "utf-16 of Chinese of others": (
        "一座城市\n上海\n".encode("utf-16-be"),
        "is UTF-16, as PowerShell writes it, not UTF-8; save it as UTF-8, or add -e utf-16-be if",
    ),
    "utf-16 of Russian": (
        "раз\nдва\n".encode("utf-16-le"),
        "is UTF-16, as PowerShell writes it, not UTF-8; save it as UTF-8, or add -e utf-16-le if",
    ),
    "utf-16 of Russian of others": (
        "раз\nдва\n".encode("utf-16-be"),
        "is UTF-16, as PowerShell writes it, not UTF-8; save it as UTF-8, or add -e utf-16-be if",
    ),
    "utf-32": (
        "\ufeffone\ntwo\n".encode("utf-32-le"),
        "is UTF-32, not UTF-8; save it as UTF-8, or add -e utf-32 if all files are",
    ),
    "utf-32 of others": ("\ufeffone\ntwo\n".encode("utf-32-be"), "is UTF-32, not UTF-8; save it as UTF-8"),
    "arrow": (b"ARROW1\0\0\xff\xff\xff\xff\x08\1\0\0", "is an Arrow table; name it with --table instead"),
    "arrow stream": (b"\xff\xff\xff\xff\x08\1\0\0", "is not text; save its text as plain text, one segment per line"),
    "doc": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0\0\0", "is not text; save its text as plain text"),
    "npy": (b"\x93NUMPY\1\0v\0{'descr': '<U9', 'shape': (2,)}\n", "is not text; save its text as plain text"),
    "png": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is not text; save its text as plain text"),
    "tar": (b"sys.txt".ljust(100, b"\0") + b"0000644\0".ljust(400, b"\0"), "is not text; save its text as plain text"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_files_that_cannot_be_text_say_what_they_are(run, write, kind):
    data, message = KINDS[kind]
    write("text", "one\ntwo\n")
    write("other", data)
    refused(run("text", "-i", "other"), f"other {message}")
    refused(run("other", "-i", "text"), f"other {message}")
    refused(run("text", stdin=data), f"standard input {message}")
    refused(run("text", stdin=gzip.compress(data)), f"standard input, unpacked, {message}")


def test_files_that_are_packed_twice_say_so(run, write):
    write("text", "one\ntwo\n")
    write("text.gz.bz2", bz2.compress(gzip.compress(b"one\ntwo\n")))
    refused(run("text", "-i", "text.gz.bz2"), "text.gz.bz2 is packed twice; unpack it first")


@pytest.mark.parametrize(
    "line",
    [
        "%PDF is a format",
        "PAR1 lies here",
        "ARROW1 as well",
        "PK\x03 or so",
        "%PDF-1.7 été",
        "é\0",
        "nul\0nul\0",
        "é\0\0\0\0",
    ],
)
def test_text_that_begins_like_other_files_is_text(run, write, line):
    write("text", f"{line}\n")
    assert run("text", "-i", "text", "-b", "-q", "-m", "cer") == (0, "0.0\n", "")


@pytest.mark.parametrize("kind", ["utf-16", "utf-32"])
def test_utf_16_is_read_where_it_is_named(run, write, kind):
    write("text", KINDS[kind][0])
    assert run("text", "-i", "text", "-b", "-q", "-m", "cer", "-e", kind) == (0, "0.0\n", "")


def test_a_zero_byte_in_another_encoding_is_not_utf_16():
    """Without line ends in UTF-16, pairs of bytes may be any characters."""
    assert not reading.utf16_in("Un café\0, un thé\n".encode("latin-1"))
