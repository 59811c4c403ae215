"""Numbers of segments are compared before anything is scored."""

from __future__ import annotations

import gzip
import os
import re

import pytest
from conftest import THREE, refused
from strategies import every

from bleucli.cli.sources.lengths import Count, count_files, find_misfits
from bleucli.errors import LengthError
from bleucli.reading import TextFile, decompression


@pytest.fixture
def unscored(monkeypatch):
    """Fail the test if anything is scored."""

    def score(*_, **__):
        raise AssertionError("something was scored")

    monkeypatch.setattr("bleucli.cli.sources.texts.count", score)
    monkeypatch.setattr("bleucli.cli.sources.texts.count_blocks", score)


@pytest.mark.parametrize(
    ("content", "encoding", "count"),
    [
        (b"", "utf-8", 0),
        (b"\n", "utf-8", 1),
        (b"a\nb", "utf-8", 2),
        (b"a\r\x0bb\n\n", "utf-8", 2),
        (b"\xff\n\xfe", "utf-8", 2),
        ("a\nb\n".encode("utf-16"), "utf-16", 2),
        ("\u0a0a\nb".encode("utf-16"), "utf-16", 2),
        (b"\xff", "utf-16", None),
        (gzip.compress(b"a\nb\nc", mtime=0), "utf-8", 3),
        (gzip.compress(b"a\nb\nc" * 100, mtime=0)[:-9], "utf-8", None),
    ],
)
def test_lines_are_counted_as_they_are_read(write, content, encoding, count):
    file = TextFile("text", write("text", content), encoding=encoding)
    assert count_files([file], [0]) == ({} if count is None else {0: Count(count, True)})
    if count is not None and b"\xff\n" not in content:
        assert sum(len(block) for (block,) in file.blocks()) == count


def test_input_that_can_be_read_only_once_is_not_counted(folder):
    assert not count_files([TextFile("missing", "missing")], [0])
    read, written = os.pipe()
    with os.fdopen(read, "rb") as stream:
        os.close(written)
        assert not count_files([TextFile("a pipe", stream=stream)], [0])


def test_positions_are_those_of_systems_and_references(three_lines):
    systems, references = ([TextFile(name, name) for name in names] for names in (("a", "short", "b"), ("ref",)))
    ((place, error),) = find_misfits(systems, references)
    assert isinstance(error, LengthError)
    assert (place, error.longest, error.shortest, error.counts) == (1, 3, 1, (3, 2))


@pytest.mark.parametrize("words", [(), ("-m", "ter"), ("-f", "text"), ("-pbs",)])
def test_one_system_that_is_short_is_named_before_anything_is_scored(run, three_lines, unscored, words):
    line = refused(run("ref", "-i", "a", "b", "short", "c", "d", *words), "ref has 3 segments but short has 2 segments")
    assert "as well" not in line


def test_one_system_among_a_thousand_is_named(run, three_lines, write, unscored):
    names = [write(f"sys{number}", THREE) for number in range(1000)]
    write("sys700", "the cat sat\n")
    refused(run("ref", "-i", *names), "ref has 3 segments but sys700 has 1 segment", "line 2 of sys700")


def test_the_number_of_other_files_that_differ_is_given(run, three_lines, unscored):
    refused(run("ref", "-i", "short", "a", "long"), "but short has", "; 1 other file differs as well")
    refused(run("ref", "-i", "short", "long", "long", "a"), "was given twice")
    refused(run("ref", "-i", "a", "long"), "long has 4 segments but ref has 3 segments")


def test_references_are_compared_as_well(run, three_lines, unscored):
    refused(run("ref", "short", "-i", "a"), "ref has 3 segments but short has 2 segments")
    refused(run("ref", "-i", "empty", "a"), "empty is empty")


def test_one_extra_segment_is_noticed_in_a_single_system(run, three_lines, unscored):
    refused(run("ref", "-i", "long", "-sl"), "long has 4 segments but ref has 3")


def test_json_lines_are_counted_without_blank_lines_at_their_end(run, three_lines, write, unscored):
    write("two.jsonl", '{"hypothesis": "a"}\n{"hypothesis": "b"}\n\n \n')
    refused(run("ref", "-i", "two.jsonl"), "ref has 3 segments but two.jsonl has 2 segments")


@pytest.mark.parametrize("name", ["t.csv", "T.TSV"])
def test_a_table_that_is_read_as_text_is_pointed_out(run, three_lines, write, unscored, name):
    write(name, f"hyp,ref\n{THREE}")
    line = refused(run("ref", "-i", name), f"{name} has 4 segments but ref has 3 segments")
    assert line.endswith(f"; if {name} is a table, name it with --table\n")
    write(name, "a\n")
    assert "--table" not in refused(run("ref", "-i", name), f"ref has 3 segments but {name} has 1 segment")


def test_test_sets_are_compared_too(run, three_lines, unscored):
    demo = ("-t", "demo", "-l", "en-de")
    refused(run(*demo, "-i", "a", "b"), "demo/en-de has 100 segments but a has 3 segments", "; 1 other file differs as")


# --- texts that are far too long


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr("bleucli.text.PATIENCE", 0.1)
    monkeypatch.setattr("bleucli.cli.sources.lengths.PATIENCE", 0.1)
    monkeypatch.setattr("bleucli.cli.sources.lengths._SEARCH_SECONDS", 0.1)


def packed(data, times):
    """Return a gzip file with many members, which unpacks to `data` repeated."""
    return gzip.compress(data, mtime=0) * times


@pytest.mark.parametrize("words", [(), ("-sl",), ("--keep-going",)], ids=" ".join)
def test_a_small_packed_file_with_very_many_lines_is_not_read_to_its_end(impatient, run, three_lines, write, words):
    write("many.gz", packed(b"\n" * 1_000_000, 300))
    for names in (("ref", "-i", "many.gz"), ("many.gz", "-i", "ref")):
        line = refused(run(*names, *words), "line 4 of ref is missing; give one line for each segment")
        count = re.search(r"many.gz has at least (\d+) segments but ref has 3 segments", line)
        assert count is not None
        assert 3 < int(count[1]) < 300_000_000


@pytest.mark.parametrize("words", [(), ("-sl",), ("-m", "chrf", "-ci", "-cin", "9")], ids=" ".join)
def test_packed_files_are_unpacked_once(monkeypatch, run, three_lines, write, words):
    for name in ("ref", "a"):
        write(f"{name}.gz", gzip.compress(b"one line\nanother\nand a third one\n"))
    expected = run("ref.gz", "-i", "a.gz", "-q", *words)
    unpack, names = decompression.unpack, []

    def count(chunks, codec, name, hints):
        names.append(name)
        return unpack(chunks, codec, name, hints)

    monkeypatch.setattr(decompression, "unpack", count)
    assert run("ref.gz", "-i", "a.gz", "-q", *words) == expected
    assert sorted(names) == ["a.gz", "ref.gz"]


@pytest.mark.parametrize("words", [(), ("-sl",), ("--by", "doc", "--labels", "labels")], ids=" ".join)
@pytest.mark.parametrize(
    "texts",
    [
        {"ref": b"a\nb\nc\n", "a": b"a\nb\n", "b": b"a\n"},
        {"ref": b"a\nb\nc\n", "a": b"\xff\nb\n"},
        {"ref": b"a\n\xff\nc\n", "a": b"a\n\n\n\n"},
        {"ref": b"a\nb\n", "a": b""},
        {"ref": b"a\nb\n", "a": b"\xff\nb\n"},
    ],
)
def test_errors_about_packed_files_are_those_about_plain_ones(run, write, texts, words):
    write("labels", "doc\n" + "x\n" * 4)
    lines = []
    for pack, ending in ((bytes, ""), (gzip.compress, ".gz")):
        ref, *systems = [write(name + ending, pack(text)) for name, text in texts.items()]
        lines.append(refused(run(ref, "-i", *(systems[:1] if words == ("-sl",) else systems), *words)))
    assert lines[1].replace(".gz", "") == lines[0]


@pytest.mark.slow
def test_a_file_is_counted_to_its_end_while_it_may_have_as_many_lines_as_another(monkeypatch, run, three_lines, write):
    monkeypatch.setattr("bleucli.cli.sources.lengths.PATIENCE", -1.0)  # each turn is over after one chunk
    for name, lines in (("a.gz", 2_000_000), ("b.gz", 2_000_000), ("c", 2_000_001)):
        write(name, gzip.compress(b"a\n" * lines, mtime=0))
    refused(run("a.gz", "-i", "c", "b.gz"), "c has 2000001 segments but a.gz has 2000000")
    assert run("a.gz", "-i", "b.gz", "-q", "-b").status == 0


def test_the_cause_is_not_searched_for_without_end(monkeypatch, run, three_lines, write):
    write("many", "\n" * 1_000_000)
    cause = "; likely cause: the last 999997 lines of many are empty"
    monkeypatch.setattr("bleucli.cli.sources.lengths._SEARCH_SECONDS", 60.0)  # whatever else the machine does
    assert cause in refused(run("ref", "-i", "many"))
    monkeypatch.setattr("bleucli.cli.sources.lengths._SEARCH_SECONDS", -1.0)
    assert cause not in refused(run("ref", "-i", "many"), "many has 1000000 segments but ref has 3 segments")


@pytest.mark.parametrize("times", [1, 5], ids=["in one block", "over several blocks"])
def test_json_lines_may_not_end_in_very_many_blank_lines(run, write, times):
    item = b'{"hypothesis": "a b c d", "reference": "a b c d"}\n'
    write("one.jsonl", item * 2)
    write("few.jsonl", item * 2 + b"\n" * 1000)
    write(
        "many.jsonl.gz", gzip.compress(item * 2) + packed(b"\n" * 1001, 1) + packed(b"\n" * 1_000_000, 9 * (times - 1))
    )
    assert run("-i", "few.jsonl", "-q", "-b").out == "100.0\n"
    for words in (("many.jsonl.gz",), ("one.jsonl", "many.jsonl.gz")):
        refused(run("-i", *words), "many.jsonl.gz, line 3 is blank; give one object per line")


@pytest.mark.parametrize(
    "words", every(3, [("ref", "-i", "long.gz"), ("long.gz", "-i", "ref"), ("ref",)]), ids=" ".join
)
def test_an_endless_line_does_not_fill_the_memory(run, three_lines, write, words):
    data = gzip.compress(b"a\nb\n") + packed(b"x" * 1_000_000, 70)
    write("long.gz", data)
    name = "long.gz" if "long.gz" in words else "standard input"
    refused(run(*words, stdin=data), f"{name}, line 3 is longer than 64 MiB; give one segment per line")
