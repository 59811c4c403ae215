"""Ids in JSON Lines: files whose lines are in another order are not compared line by line."""

from __future__ import annotations

import json
import random

import pytest
from conftest import refused
from hypothesis import given
from hypothesis import strategies as st

from bleucli.reading import TextFile
from bleucli.reading.jsonfields import Fields, encode_ids, names_of_ids
from bleucli.reading.jsonlines import JsonLines

TEXTS = ["the cat sat on the mat", "hello big wide world", "yes no maybe so then", "nobody knows the way home"]
KEYS = ["d1", "d2", "d3", "d4"]
REMEDY = "; put the lines of both in the same order, or rename the field if it does not identify segments"


@pytest.fixture
def lines(write):
    """Write a JSON Lines file with a text on each line, and ids by the names of their fields."""

    def write_lines(name, field="hypothesis", texts=TEXTS, **ids):
        rows = [dict(zip([*ids, field], row, strict=True)) for row in zip(*ids.values(), texts, strict=True)]
        return write(name, "".join(json.dumps(row) + "\n" for row in rows))

    return write_lines


@pytest.fixture
def shuffled(lines):
    """Write references, systems with the same ids, in the same order and in another, and one without ids."""
    order = [0, 2, 1, 3]
    lines("ref.jsonl", "reference", doc_id=KEYS)
    lines("good.jsonl", doc_id=KEYS)
    lines("bad.jsonl", texts=[TEXTS[n] for n in order], doc_id=[KEYS[n] for n in order])
    lines("bare.jsonl")
    return "bad.jsonl, line 2 has the id 'd3' but {} has 'd2'" + REMEDY


@pytest.mark.parametrize(
    ("words", "other"),
    [
        (("ref.jsonl", "-i", "bad.jsonl"), "ref.jsonl"),
        (("ref.jsonl", "-i", "bad.jsonl", "-sl"), "ref.jsonl"),
        (("ref.jsonl", "-i", "good.jsonl", "bare.jsonl", "bad.jsonl", "-m", "chrf"), "ref.jsonl"),
        (("ref.jsonl", "-i", "good.jsonl", "bad.jsonl", "--paired-ar"), "ref.jsonl"),
        (("explain", "ref.jsonl", "-i", "good.jsonl", "bad.jsonl"), "ref.jsonl"),
        (("ref.jsonl", "-i", "bad.jsonl", "--jsonl-fields", "hyp=hypothesis"), "ref.jsonl"),
        (("ref.txt", "-i", "good.jsonl", "bad.jsonl"), "good.jsonl"),
        (("count", "ref.jsonl", "-i", "bad.jsonl", "-o", "s.parquet"), "ref.jsonl"),
        (("ref.jsonl", "-i", "bad.jsonl", "--keep-going"), "ref.jsonl"),
        (("good.jsonl", "-i", "bad.jsonl", "--jsonl-fields", "hyp=hypothesis,refs=hypothesis"), "good.jsonl"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_another_order_is_an_error_that_names_both_ids(run, write, shuffled, words, other):
    write("ref.txt", "".join(f"{text}\n" for text in TEXTS))
    refused(run(*words), shuffled.format(other))


def test_standard_input_has_ids_too(run, folder, shuffled):
    data = (folder / "bad.jsonl").read_bytes()
    line = shuffled.replace("bad.jsonl", "standard input", 1).format("ref.jsonl")
    refused(run("ref.jsonl", "--jsonl", stdin=data), line)


@pytest.mark.parametrize("system", ["good.jsonl", "bare.jsonl"])
def test_the_same_order_and_files_without_ids_are_scored(run, shuffled, system):
    assert run("ref.jsonl", "-i", system, "-q", "-b") == (0, "100.0\n", "")


def test_a_single_file_may_have_any_ids(run, write):
    row = '{"doc_id": "a", "id": 1, "hypothesis": "a b c d", "reference": "a b c d"}\n'
    write("one.jsonl", row * 2)
    assert run("-i", "one.jsonl", "-q", "-b") == (0, "100.0\n", "")


def test_systems_that_bring_references_are_compared(run, write):
    rows = [{"id": key, "hypothesis": text, "reference": text} for key, text in zip(KEYS, TEXTS, strict=True)]
    write("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    write("b.jsonl", "".join(json.dumps({**row, "reference": None}) + "\n" for row in rows[::-1]))
    write("c.jsonl", "".join(json.dumps({**row, "reference": None}) + "\n" for row in rows))
    said = "b.jsonl, line 1 has the id 'd4' but a.jsonl has 'd1'"
    refused(run("-i", "a.jsonl", "b.jsonl"), said)
    answer = run("-i", "a.jsonl", "b.jsonl", "c.jsonl", "-q", "-f", "csv", "--keep-going")
    assert [line.split(",")[:2] for line in answer.out.splitlines()[1:]] == [["a", "100.0"], ["c", "100.0"]]
    assert said in answer.err


def test_keep_going_leaves_out_the_system_in_another_order(run, shuffled):
    answer = run("ref.jsonl", "-i", "good.jsonl", "bad.jsonl", "bare.jsonl", "-q", "-f", "csv", "--keep-going")
    assert answer.status == 2
    assert [line.split(",")[:2] for line in answer.out.splitlines()[1:]] == [["good", "100.0"], ["bare", "100.0"]]
    assert shuffled.format("ref.jsonl") in answer.err


@pytest.mark.parametrize(
    ("ours", "theirs", "differ"),
    [
        ({"doc_id": ["a", "b", "c", "d"]}, {"docid": ["a", "b", "d", "c"]}, True),
        ({"docId": [1, 2, 3, 4]}, {"document_id": ["1", "2", "3", "4"]}, False),
        ({"seg_id": [1, 2, 3, 4]}, {"segment_id": [1, 3, 2, 4]}, True),
        ({"doc_id": ["a"] * 4, "segid": [0, 1, 2, 3]}, {"doc_id": ["a"] * 4, "segid": [0, 2, 1, 3]}, True),
        ({"doc_id": ["a"] * 4, "segid": [0, 1, 2, 3]}, {"doc_id": ["a"] * 4}, False),
        ({"doc_id": ["a", "b", "c", "d"]}, {"segid": [0, 1, 2, 3]}, False),
        ({"id": ["a", "", None, "d"]}, {"id": ["a", "b", "c", "d"]}, False),
        ({"id": ["a", "", None, "d"]}, {"id": ["a", "b", "c", "e"]}, True),
        ({"id": [0.5, [1], True, {}]}, {"id": ["a", "b", "c", "e"]}, False),
        ({"custom_id": KEYS, "id": ["x1", "x2", "x3", "x4"]}, {"custom_id": KEYS, "id": ["y", "z", "w", "v"]}, False),
        ({"custom_id": KEYS, "id": ["x1", "x2", "x3", "x4"]}, {"id": KEYS[::-1]}, True),
        ({"id": ["a\nb", "c", "d", "e"]}, {"id": ["a", "b\nc", "d", "e"]}, True),
        ({"id": ["\ud800", "c", "d", "e"]}, {"id": ["\ud800", "c", "d", "e"]}, False),
        ({"url": KEYS}, {"url": KEYS[::-1]}, False),
    ],
)
def test_ids_of_the_same_kind_are_compared(run, lines, ours, theirs, differ):
    lines("ref.jsonl", "reference", **ours)
    lines("sys.jsonl", **theirs)
    for words in (("ref.jsonl", "-i", "sys.jsonl"), ("sys.jsonl", "-i", "ref.jsonl")):
        fields = () if words[0] == "ref.jsonl" else ("--jsonl-fields", "hyp=reference,refs=hypothesis")
        answer = run(*words, *fields, "-q", "-b")
        if differ:
            refused(answer, " has the id ", REMEDY)
        else:
            assert answer == (0, "100.0\n", "")


def test_a_field_that_an_option_names_is_not_an_id(run, lines):
    lines("ref.jsonl", "reference", id=KEYS)
    lines("sys.jsonl", "id")
    assert run("ref.jsonl", "-i", "sys.jsonl", "--jsonl-fields", "hyp=id", "-q", "-b") == (0, "100.0\n", "")


@pytest.mark.parametrize("size", [300, pytest.param(60_000, marks=pytest.mark.slow)], ids=["one block", "many blocks"])
@pytest.mark.parametrize("patience", [None, -1], ids=["by Python's parser", "by the faster parser"])
def test_two_lines_that_are_exchanged_are_found_anywhere(monkeypatch, run, lines, size, patience):
    if patience is not None:
        pytest.importorskip("pyarrow", reason="pyarrow is not installed; install bleucli[arrow]")
        monkeypatch.setattr("bleucli.reading.jsonlines._PATIENCE", patience)
        monkeypatch.setattr("bleucli.reading.jsonlines._BLOCK_FACTOR", 1)
    rng = random.Random(size)
    keys = [f"doc-{number:08}" for number in range(size)]
    texts = ["a b c d " + "e " * rng.randrange(30) for _ in keys]
    lines("ref.jsonl", "reference", texts=[f"{text} and a longer line" for text in texts], doc_id=keys)
    at = size - 2
    keys[at], keys[at + 1] = keys[at + 1], keys[at]
    lines("sys.jsonl", texts=texts, doc_id=keys)
    refused(run("ref.jsonl", "-i", "sys.jsonl"), f"line {at + 1} has the id 'doc-{at + 1:08}' but ref.jsonl has")


@given(st.lists(st.one_of(st.text(), st.integers(), st.none(), st.floats(), st.booleans())))
def test_there_is_a_line_for_each_id(values):
    rows = encode_ids(values).split(b"\n")
    assert rows.pop() == b""
    assert len(rows) == len(values)
    for value, row in zip(values, rows, strict=True):
        if type(value) in (str, int) and "\n" not in str(value):
            assert row == str(value).encode(errors="backslashreplace")


def test_names_are_those_of_the_first_object():
    assert names_of_ids({"Doc-ID": 1, "segid": 2, "ITEM_ID": 3, "id": 4}, Fields()) == ["Doc-ID", "segid", "ITEM_ID"]
    assert names_of_ids({"doc_id": 1}, Fields((("", "doc_id.x"),))) == ["", "", ""]


def test_ids_are_not_read_where_nothing_is_compared(folder, lines):
    lines("ref.jsonl", "reference", doc_id=KEYS)
    file = JsonLines(TextFile("ref.jsonl", "ref.jsonl"), hypotheses=False)
    assert [len(block) for block in file.blocks()] == [1]
