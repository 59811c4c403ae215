"""Compressed files and streams: recognized by content, read as the texts that they hold, and refused when damaged."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import subprocess
import sys
import tracemalloc
from collections import namedtuple
from itertools import pairwise
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from bleucli.errors import BleuError
from bleucli.reading import TextFile, _may_be_packed, decompression

REFERENCE = b"the cat sat on the mat\nhello world\n"
SYSTEM = b"the cat sat on a mat\nhello there world\n"
SCORE = "45.9\n"
LINE = b"a" * 999 + b"\n"

Kind = namedtuple("Kind", "name ending pack")


def zstd_compress(data):
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1})
    zstandard = pytest.importorskip("zstandard", reason="zstandard is not installed; install bleucli[zstd]")
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


KINDS = (
    Kind("gzip", ".gz", gzip.compress),
    Kind("bzip2", ".bz2", bz2.compress),
    Kind("xz", ".xz", lzma.compress),
    Kind("zstd", ".zst", zstd_compress),
)
each_kind = pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])


@given(st.binary(max_size=20))
def test_each_start_of_a_packed_file_is_examined(rest):
    for codec in decompression._CODECS:
        for start in codec.starts:
            assert _may_be_packed(start + rest)


class Chunks:
    """A stream that gives its chunks one by one, as a pipe may."""

    def __init__(self, chunks):
        self.chunks = [chunk for chunk in chunks if chunk]

    def read(self, size):
        assert size > 0
        if not self.chunks:
            return b""
        if isinstance(self.chunks[0], Exception):
            raise self.chunks.pop(0)
        return self.chunks.pop(0)


def cut(data, places):
    """Cut bytes at some places, given as shares of their length.

    >>> cut(b"abcd", [0.5])
    [b'ab', b'cd']
    """
    at = [0, *sorted(int(place * len(data)) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(at)]


def lines_of(*chunks):
    """Return the lines of a file with these chunks, and the hints about it."""
    file = TextFile("a file", stream=Chunks(chunks))
    return [line for _, lines in file.lines() for line in lines], file.hints


def error_of(*chunks):
    with pytest.raises(BleuError) as caught:
        lines_of(*chunks)
    return str(caught.value)


def lines(data):
    return data.decode().split("\n")[:-1]


# --- what is compressed is read as what it holds


@each_kind
@pytest.mark.parametrize("ending", ["own", "", ".txt", ".gz"])
def test_a_compressed_file_is_scored_by_its_text_whatever_its_name(run, write, kind, ending):
    ending = kind.ending if ending == "own" else ending
    write(f"ref{ending}", kind.pack(REFERENCE))
    write(f"sys{ending}", kind.pack(SYSTEM))
    assert run(f"ref{ending}", "-i", f"sys{ending}", "-b", "-q") == (0, SCORE, "")


@each_kind
def test_compressed_standard_input_is_scored_by_its_text(run, write, kind):
    write("ref.txt", REFERENCE)
    for words in (("ref.txt", "-b"), ("ref.txt", "-i", "-", "-b", "-q")):
        assert run(*words, stdin=kind.pack(SYSTEM)) == (0, SCORE, "")


@each_kind
def test_a_compressed_pipe_is_scored(command, write, kind):
    write("ref.txt", REFERENCE)
    write("sys", kind.pack(SYSTEM))
    assert command("ref.txt", "-b", shell='cat sys | "$@"') == (0, SCORE, "")


def test_plain_files_with_names_of_compressed_ones_are_read_as_text(run, write):
    for kind in KINDS:
        write(f"ref{kind.ending}", REFERENCE)
        write(f"sys{kind.ending}", SYSTEM)
        assert run(f"ref{kind.ending}", "-i", f"sys{kind.ending}", "-b", "-q") == (0, SCORE, "")


@pytest.mark.parametrize("text", ["BZh9 is not bzip2", "(µ", "P*M", "7zXZ", "B", "BZh9", "BZh91AY&S"])
def test_text_that_starts_almost_like_a_compressed_file_is_text(text):
    assert lines_of(text.encode()) == ([text], [])
    assert lines_of(*(bytes([byte]) for byte in text.encode())) == ([text], [])


@each_kind
def test_columns_of_compressed_standard_input_are_systems(run, write, kind):
    write("ref.txt", "a b c d\ne f g h\n")
    answer = run("ref.txt", "-f", "json", "-q", stdin=kind.pack(b"a b c d\tx\ne f g h\ty\n"))
    assert answer.status == 0
    assert '"System 2"' in answer.out


@each_kind
def test_an_encoding_and_a_mark_are_those_of_the_text_within(run, write, kind):
    write("ref.txt", "\ufeffé b c d\n".encode("utf-16"))
    write("sys.gz", kind.pack("\ufeffé b c d\n".encode("utf-16")))
    assert run("ref.txt", "-i", "sys.gz", "-e", "utf-16", "-b", "-q") == (0, "100.0\n", "")
    assert lines_of(kind.pack(b"\xef\xbb\xbfa\n")) == (
        ["\ufeffa"],
        [
            "a file starts with a byte-order mark, which is scored as text, as in sacreBLEU; encoding='utf-8-sig' drops"
            " it"
        ],
    )


@each_kind
def test_a_wrong_byte_within_is_named_by_its_place_in_the_text(kind):
    error = error_of(kind.pack(b"fine\nbad \xff\n"))
    assert error == "a file, line 2, byte 9: 0xff is not valid utf-8; name the encoding with encoding=..."


@each_kind
def test_a_compressed_file_of_nothing_is_empty(run, write, kind):
    write("ref.txt", REFERENCE)
    write("sys.txt", kind.pack(b""))
    answer = run("ref.txt", "-i", "sys.txt")
    assert answer == (2, "", "bleu: error: sys.txt is empty; expected one segment per line, at least one\n")


@each_kind
@examples(60)
@given(
    texts=st.lists(st.text("ab é東\n", max_size=40).map(str.encode), min_size=1, max_size=5),
    places=st.lists(st.floats(0, 1), max_size=8),
)
def test_members_and_chunks_of_any_size_hold_the_same_text(kind, texts, places):
    whole = b"".join(texts)
    packed = b"".join(map(kind.pack, texts))
    assert lines_of(*cut(packed, places)) == lines_of(whole)


@each_kind
def test_a_file_read_byte_by_byte_in_many_members_is_whole(kind):
    packed = b"".join(kind.pack(line) for line in SYSTEM.splitlines(keepends=True) * 3)
    assert lines_of(*(packed[at : at + 1] for at in range(len(packed)))) == (lines(SYSTEM * 3), [])


@each_kind
def test_a_text_of_many_blocks_is_whole(kind):
    text = b"".join(b"%d %s\n" % (number, LINE[: number % 977]) for number in range(3000))
    assert lines_of(kind.pack(text)) == (lines(text), [])


def test_skippable_frames_of_zstd_hold_nothing():
    frame = zstd_compress(SYSTEM)
    skipped = [bytes([number]) + b"*M\x18\x05\0\0\0hello" for number in (0x50, 0x5F)]
    assert lines_of(skipped[0] + frame + skipped[1] + frame) == (lines(SYSTEM * 2), [])


# --- damage


@each_kind
def test_a_file_that_is_cut_anywhere_is_refused(kind):
    packed = kind.pack(SYSTEM)
    for end in range(decompression.LONGEST_START, len(packed)):
        error = error_of(packed[:end])
        assert error == f"a file is a damaged {kind.name} file: it is cut short; compress or download it again"


@each_kind
def test_a_file_that_is_cut_in_its_second_member_is_refused(kind):
    packed = kind.pack(SYSTEM)
    for end in range(decompression.LONGEST_START, len(packed), 5):
        error = error_of(packed + packed[:end])
        assert error == f"a file is a damaged {kind.name} file: it is cut short; compress or download it again"


@each_kind
@pytest.mark.parametrize("words", [("-i", "sys.txt"), ("-i", "sys.txt", "-sl"), ("-i", "sys.txt", "-J", "2")])
def test_a_damaged_file_is_refused_in_one_line_with_its_name(run, write, kind, words):
    packed = bytearray(kind.pack(SYSTEM * 10))
    write("ref.txt", REFERENCE * 10)
    packed[-7 if kind.name in ("gzip", "bzip2") else len(packed) // 2] ^= 0xFF
    write("sys.txt", bytes(packed))
    line = f"sys.txt is a damaged {kind.name} file: its data are inconsistent; compress or download it again"
    assert run("ref.txt", *words) == (2, "", f"bleu: error: {line}\n")


@each_kind
def test_damaged_standard_input_is_named(run, write, kind):
    write("ref.txt", REFERENCE)
    line = f"standard input is a damaged {kind.name} file: it is cut short; compress or download it again"
    assert run("ref.txt", stdin=kind.pack(SYSTEM)[:-3]) == (2, "", f"bleu: error: {line}\n")


def test_damage_is_reported_rather_than_different_lengths(run, write):
    write("ref.txt", LINE * 2000)
    write("sys.gz", gzip.compress(LINE * 2000)[:-20])
    answer = run("ref.txt", "-i", "sys.gz")
    assert answer.err == "bleu: error: sys.gz is a damaged gzip file: it is cut short; compress or download it again\n"


@each_kind
@examples(60)
@given(place=st.floats(0, 1, exclude_max=True), bits=st.integers(1, 255))
def test_a_changed_byte_changes_no_text_unnoticed(kind, place, bits):
    packed = bytearray(kind.pack(SYSTEM))
    start = decompression.LONGEST_START
    packed[start + int(place * (len(packed) - start))] ^= bits
    try:
        found = lines_of(bytes(packed))[0]
    except BleuError as error:
        found = str(error)
    messages = f"a damaged {kind.name} file", "too much memory", "unpacked, is not text"
    assert found == lines(SYSTEM) or any(message in found for message in messages)


@each_kind
def test_a_device_that_breaks_down_is_not_taken_for_damage(kind):
    packed = kind.pack(SYSTEM)
    error = error_of(packed[:20], OSError(5, "Input/output error"))
    assert error == "cannot read a file: Input/output error; give a readable text file"


# --- what follows

FOLLOWING = {
    "nothing": (b"", "", ""),
    "zeros": (bytes(512), "bzip2", "zstd"),
    "zeros that are not a multiple of four": (bytes(5), "bzip2", "xz zstd"),
    "something else": (b"something else", "gzip bzip2", "xz zstd"),
    "zeros and something else": (bytes(8) + b"something", "gzip bzip2", "xz zstd"),
    "a little": (b"x", "gzip bzip2", "xz zstd"),
}


@each_kind
@pytest.mark.parametrize(("behind", "left_out", "refused"), FOLLOWING.values(), ids=FOLLOWING)
@pytest.mark.parametrize("apart", [False, True])
def test_data_after_the_end_are_treated_as_the_command_line_tools_do(kind, behind, left_out, refused, apart):
    packed = kind.pack(SYSTEM)
    chunks = [packed, *([b"%c" % byte for byte in behind] if apart else [behind])] if apart else [packed + behind]
    if kind.name in refused.split():
        error = error_of(*chunks)
        assert (
            error == f"a file is a damaged {kind.name} file: other data follow its end; compress or download it again"
        )
        return
    hints = (
        [f"a file: the data after the end of the {kind.name} data were left out"]
        if kind.name in left_out.split()
        else []
    )
    assert lines_of(*chunks) == (lines(SYSTEM), hints)


@pytest.mark.parametrize("kind", [KINDS[0], KINDS[2]], ids=["gzip", "xz"])
def test_a_member_after_zeros_is_read(kind):
    packed = kind.pack(SYSTEM)
    assert lines_of(packed + bytes(8) + packed) == (lines(SYSTEM * 2), [])


@pytest.mark.parametrize("kind", KINDS[:2], ids=["gzip", "bzip2"])
def test_a_warning_says_that_data_were_left_out(run, write, kind):
    write("ref.txt", REFERENCE)
    write("sys.txt", kind.pack(SYSTEM) + b"garbage")
    answer = run("ref.txt", "-i", "sys.txt", "-b")
    assert (answer.status, answer.out) == (0, SCORE)
    assert f"bleu: warning: sys.txt: the data after the end of the {kind.name} data were left out\n" in answer.err


# --- memory and modules


@pytest.mark.parametrize("size", [1 << 24, pytest.param(1 << 26, marks=pytest.mark.slow)])
@each_kind
def test_a_bomb_is_unpacked_in_small_pieces(kind, size):
    packed = kind.pack(LINE * (size // len(LINE)))
    assert len(packed) < size // 400
    tracemalloc.start()
    try:
        file = TextFile("a file", stream=io.BytesIO(packed))
        longest = max(sum(map(len, lines)) for _, lines in file.lines())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert longest <= 1 << 19
    assert peak < min(size, 1 << 25)


def test_a_window_that_is_too_large_is_refused(run, write):
    write("ref.txt", REFERENCE)
    write("sys.xz", lzma.compress(SYSTEM))
    with mock.patch.object(decompression, "_XZ_MEMORY", 1000):
        answer = run("ref.txt", "-i", "sys.xz")
    line = "sys.xz takes too much memory to unpack (its xz window is too large); unpack it first"
    assert answer == (2, "", f"bleu: error: {line}\n")


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python has zstd built in")
def test_zstd_without_its_package_is_refused_with_what_to_type(run, write, monkeypatch):
    write("ref.txt", REFERENCE)
    write("sys.zst", b"(\xb5/\xfd, the rest of which is not looked at")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    answer = run("ref.txt", "-i", "sys.zst")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith("bleu: error: sys.zst is a zstd file, but the module zstandard is not installed")
    assert answer.err.endswith("pip install 'bleucli[zstd]'\n")


@pytest.mark.parametrize(("kind", "module"), [(KINDS[1], "bz2"), (KINDS[2], "lzma")], ids=["bzip2", "xz"])
def test_a_python_built_without_a_library_says_so(run, write, monkeypatch, kind, module):
    write("ref.txt", REFERENCE)
    write("sys.txt", kind.pack(SYSTEM))
    monkeypatch.setitem(sys.modules, module, None)
    line = f"sys.txt is a {kind.name} file, and this Python was built without {kind.name}; unpack it first"
    assert run("ref.txt", "-i", "sys.txt") == (2, "", f"bleu: error: {line}\n")


def test_nothing_is_imported_for_plain_text(write, root):
    write("a.txt", SYSTEM)
    code = (
        f"import sys; sys.path.insert(0, {root!r}); from bleucli.reading import TextFile;"
        "print(*TextFile('a', 'a.txt').lines());"
        "print({'zlib', 'bz2', 'lzma', 'zstandard', 'compression', 'json'} & set(sys.modules))"
    )
    done = subprocess.run((sys.executable, "-S", "-c", code), capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "set()"
