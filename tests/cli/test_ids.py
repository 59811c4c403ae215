"""Ids in JSON Lines: files whose lines are in another order are joined by them."""

from __future__ import annotations

import json
import random
import re

import pytest
from conftest import refused
from hypothesis import given
from hypothesis import strategies as st
from strategies import every

from bleucli import CHRF
from bleucli.reading import TextFile
from bleucli.reading.jsonfields import Fields, encode_ids, names_of_ids
from bleucli.reading.jsonlines import JsonLines

TEXTS = ["the cat sat on the mat", "hello big wide world", "yes no maybe so then", "nobody knows the way home"]
KEYS = ["d1", "d2", "d3", "d4"]
REMEDY = "; put the lines of all files in the same order"


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


@pytest.mark.parametrize(
    "words",
    [
        ("ref.jsonl", "-i", "bad.jsonl", "-b"),
        ("ref.jsonl", "-i", "bad.jsonl", "-sl", "-b"),
        ("ref.jsonl", "-i", "good.jsonl", "bad.jsonl", "-m", "chrf", "-f", "csv"),
        ("ref.jsonl", "-i", "good.jsonl", "bad.jsonl", "--paired-ar", "-f", "csv"),
        ("ref.jsonl", "-i", "bad.jsonl", "--jsonl-fields", "hyp=hypothesis", "-b"),
        ("ref.jsonl", "-i", "bad.jsonl", "--keep-going", "-b"),
        ("good.jsonl", "-i", "bad.jsonl", "--jsonl-fields", "hyp=hypothesis,refs=hypothesis", "-b"),
        ("explain", "ref.jsonl", "-i", "bad.jsonl", "--line", "2"),
    ],
    ids=" ".join,
)
def test_items_in_another_order_are_joined(run, shuffled, words):
    right = run(*(word.replace("bad", "good") if "good.jsonl" not in words else word for word in words), "-q")
    answer = run(*words, "-q")
    assert answer.status == 0
    if "good.jsonl" not in words:
        assert answer.out == right.out.replace("good", "bad")
    else:
        scores = [
            re.findall(r"\b100\.0\b", line) for line in answer.out.splitlines() if "good" in line or "bad" in line
        ]
        assert all(scores) or answer.out == "100.0\n"


def test_the_rows_of_joined_items_are_those_of_the_references(run, shuffled):
    pytest.importorskip("pyarrow")
    assert run("count", "ref.jsonl", "-i", "bad.jsonl", "-o", "bad.parquet", "-q").status == 0
    assert run("count", "ref.jsonl", "-i", "good.jsonl", "-o", "good.parquet", "-q").status == 0
    assert run("--stats", "bad.parquet", "-sl", "-b", "-q").out == run("--stats", "good.parquet", "-sl", "-b", "-q").out


@pytest.mark.parametrize("bare", ["ref.txt", "bare.jsonl"])
def test_a_file_without_ids_cannot_be_joined(run, write, shuffled, bare):
    write("ref.txt", "".join(f"{text}\n" for text in TEXTS))
    words = ("ref.txt", "-i", "good.jsonl", "bad.jsonl")
    if bare == "bare.jsonl":
        words = ("ref.jsonl", "-i", "good.jsonl", "bare.jsonl", "bad.jsonl")
    measure = "good.jsonl" if bare == "ref.txt" else "ref.jsonl"
    line = f"bad.jsonl, line 2 has the id 'd3' but {measure} has 'd2', and {bare} has no such ids to join by"
    refused(run(*words), line + REMEDY, "--jsonl-fields id=none")
    assert run(*words, "--jsonl-fields", "id=none", "-q").status == 0


def test_standard_input_has_ids_too(run, folder, shuffled):
    data = (folder / "bad.jsonl").read_bytes()
    assert run("ref.jsonl", "--jsonl", "-b", "-q", stdin=data) == (0, "100.0\n", "")


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
    for words in (("a.jsonl", "b.jsonl", "c.jsonl"), ("a.jsonl", "b.jsonl", "c.jsonl", "--keep-going")):
        answer = run("-i", *words, "-q", "-f", "csv")
        assert [line.split(",")[1] for line in answer.out.splitlines()[1:]] == ["100.0"] * 3
    write("d.jsonl", "".join(json.dumps({**row, "reference": "other"}) + "\n" for row in rows[::-1]))
    refused(run("-i", "a.jsonl", "d.jsonl"), "the references differ from those in a.jsonl")


def test_keep_going_leaves_out_a_system_with_other_items(run, lines, shuffled):
    lines("other.jsonl", doc_id=["d1", "d2", "d3", "x"])
    answer = run("ref.jsonl", "-i", "good.jsonl", "bad.jsonl", "other.jsonl", "-q", "-f", "csv", "--keep-going")
    assert answer.status == 2
    assert [line.split(",")[:2] for line in answer.out.splitlines()[1:]] == [["good", "100.0"], ["bad", "100.0"]]
    assert "other.jsonl lacks the id 'd4', which ref.jsonl has" in answer.err


@pytest.mark.parametrize("bare", ["bare.jsonl", "bare.txt"])
@pytest.mark.parametrize("place", [1, 2, 3])
def test_keep_going_leaves_out_systems_without_ids_where_others_have_another_order(
    run, write, lines, shuffled, bare, place
):
    write("bare.txt", "".join(f"{text}\n" for text in TEXTS))
    systems = ["good.jsonl", "bad.jsonl"]
    systems.insert(place - 1, bare)
    answer = run("ref.jsonl", "-i", *systems, "-q", "-f", "csv", "--keep-going")
    assert answer.status == 2
    assert [line.split(",")[:2] for line in answer.out.splitlines()[1:]] == [["good", "100.0"], ["bad", "100.0"]]
    assert f"and {bare} has no such ids to join by" in answer.err
    assert run("ref.jsonl", "-i", "good.jsonl", bare, "-q", "-f", "csv", "--keep-going").status == 0


def test_keep_going_leaves_out_a_system_without_ids_where_others_bring_references(run, write):
    rows = [{"id": key, "hypothesis": text, "reference": text} for key, text in zip(KEYS, TEXTS, strict=True)]
    write("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    write("b.jsonl", "".join(json.dumps(row) + "\n" for row in rows[::-1]))
    write("c.jsonl", "".join(json.dumps({"hypothesis": row["hypothesis"]}) + "\n" for row in rows))
    answer = run("-i", "a.jsonl", "b.jsonl", "c.jsonl", "-q", "-f", "csv", "--keep-going")
    assert [line.split(",")[:2] for line in answer.out.splitlines()[1:]] == [["a", "100.0"], ["b", "100.0"]]
    assert "c.jsonl has no such ids to join by" in answer.err


@pytest.mark.parametrize(
    ("ours", "theirs", "joined", "error"),
    [
        ({"doc_id": ["a", "b", "c", "d"]}, {"docid": ["a", "b", "d", "c"]}, True, ""),
        ({"docId": [1, 2, 3, 4]}, {"document_id": ["1", "2", "3", "4"]}, False, ""),
        ({"seg_id": [1, 2, 3, 4]}, {"segment_id": [1, 3, 2, 4]}, True, ""),
        ({"doc_id": ["a"] * 4, "segid": [0, 1, 2, 3]}, {"doc_id": ["a"] * 4, "segid": [0, 2, 1, 3]}, True, ""),
        ({"doc_id": ["a"] * 4, "segid": [0, 1, 2, 3]}, {"doc_id": ["a"] * 4}, False, ""),
        ({"doc_id": ["a", "b", "c", "d"]}, {"segid": [0, 1, 2, 3]}, False, ""),
        ({"id": ["a", "", None, "d"]}, {"id": ["a", "b", "c", "d"]}, False, "ref.jsonl, lines 2 and 3 have no id, but"),
        ({"id": ["a", "", None, "d"]}, {"id": ["a", "b", "c", "e"]}, False, "ref.jsonl, lines 2 and 3 have no id"),
        ({"id": ["", "", None, ""]}, {"id": ["a", "b", "c", "e"]}, False, ""),
        ({"id": [0.5, [1], True, {}]}, {"id": ["a", "b", "c", "e"]}, False, ""),
        (
            {"custom_id": KEYS, "id": ["x1", "x2", "x3", "x4"]},
            {"custom_id": KEYS, "id": ["y", "z", "w", "v"]},
            False,
            "",
        ),
        ({"custom_id": KEYS, "id": ["x1", "x2", "x3", "x4"]}, {"id": KEYS[::-1]}, True, ""),
        ({"id": ["a\nb", "c", "d", "e"]}, {"id": ["a", "b\nc", "d", "e"]}, False, " lacks 2 ids ('"),
        ({"id": ["\ud800", "c", "d", "e"]}, {"id": ["\ud800", "c", "d", "e"]}, False, ""),
        ({"url": KEYS}, {"url": KEYS[::-1]}, False, ""),
    ],
)
def test_ids_of_the_same_kind_are_joined(run, lines, ours, theirs, joined, error):
    lines("ref.jsonl", "reference", **ours)
    lines("sys.jsonl", **theirs)
    for words in (("ref.jsonl", "-i", "sys.jsonl"), ("sys.jsonl", "-i", "ref.jsonl")):
        fields = () if words[0] == "ref.jsonl" else ("--jsonl-fields", "hyp=reference,refs=hypothesis")
        answer = run(*words, *fields, "-q", "-b")
        if error:
            refused(answer, error)
        else:
            assert answer.status == 0
            # Texts have the ids of their positions, so joined texts are different ones
            assert (answer.out == "100.0\n") != joined


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
    lines("right.jsonl", texts=texts, doc_id=keys)
    keys[at], keys[at + 1] = keys[at + 1], keys[at]
    texts[at], texts[at + 1] = texts[at + 1], texts[at]
    lines("sys.jsonl", texts=texts, doc_id=keys)
    words = ("ref.jsonl", "-i", "sys.jsonl", "-q", "-sl", "-b", "-m", "chrf")
    assert run(*words) == run(*("right.jsonl" if word == "sys.jsonl" else word for word in words))
    keys[at] = "new"
    lines("sys.jsonl", texts=texts, doc_id=keys)
    refused(run(*words), f"sys.jsonl lacks the id 'doc-{at + 1:08}', which ref.jsonl has; add what is missing")


def mutated(rng, rows, kind):
    """Return items with one kind of damage, and what the error says."""
    rows = list(rows)
    at = rng.randrange(len(rows))
    if kind == "missing":
        del rows[at]
        return rows, " lacks the id "
    if kind == "double":
        rows.insert(rng.randrange(len(rows) + 1), rows[at])
        return rows, "more than once"
    rows.insert(rng.randrange(len(rows) + 1), {"id": "unknown", "hypothesis": "x"})
    return rows, "'unknown'"


@pytest.mark.parametrize("part", every(5, range(10)))
def test_shuffled_subset_and_damaged_files_give_the_right_score_or_an_error(run, write, part):
    rng = random.Random(part)
    for _ in range(100):
        count = rng.randrange(2, 9)
        texts = [" ".join(rng.choices("abcdef", k=rng.randrange(4, 9))) for _ in range(2 * count)]
        references = [{"id": f"i{n}", "reference": text} for n, text in enumerate(texts[:count])]
        hypotheses = [{"id": f"i{n}", "hypothesis": text} for n, text in enumerate(texts[count:])]
        order = rng.sample(range(count), count)
        shuffled = [hypotheses[n] for n in order]
        write("ref.jsonl", "".join(json.dumps(row) + "\n" for row in references))
        write("sys.jsonl", "".join(json.dumps(row) + "\n" for row in shuffled))
        metric = CHRF()
        score = metric.corpus_score(texts[count:], [texts[:count]]).score
        words = ("ref.jsonl", "-i", "sys.jsonl", "-m", "chrf", "-b", "-q", "-w", "12")
        assert float(run(*words).out) == pytest.approx(score, abs=1e-11)
        kind = rng.choice(["missing", "double", "unknown"])
        damaged, error = mutated(rng, shuffled, kind)
        write("sys.jsonl", "".join(json.dumps(row) + "\n" for row in damaged))
        if len(damaged) and [row["id"] for row in damaged] != [row["id"] for row in references]:
            refused(run(*words), error)
        common = [n for n in range(count) if f"i{n}" in {row["id"] for row in damaged}]
        if kind != "double" and common:
            part_score = metric.corpus_score([texts[count + n] for n in common], [[texts[n] for n in common]]).score
            answer = run(*words, "--partial")
            assert float(answer.out) == pytest.approx(part_score, abs=1e-11)


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


@pytest.fixture
def some(lines):
    """Write references, and two systems that lack other items; one has an item without a reference."""
    lines("ref.jsonl", "reference", doc_id=KEYS)
    lines("a.jsonl", texts=["the dog sat on the mat", *TEXTS[1:3]], doc_id=KEYS[:3])
    lines("b.jsonl", texts=["a mat", TEXTS[2], "a cat sat on a mat"], doc_id=["x", "d3", "d1"])


def test_statistics_say_how_many_items_were_counted(run, some):
    pytest.importorskip("pyarrow")
    words = ("ref.jsonl", "-i", "a.jsonl", "b.jsonl", "--partial")
    plain = run(*words, "-q", "-f", "csv")
    assert plain.out.count("nrefs:1|partial:2of4|") == 2
    for options in ((), ("--sums",)):
        assert run("count", *words, *options, "-o", "s.parquet", "-q").status == 0
        assert run("--stats", "s.parquet", "-q", "-f", "csv") == plain
    assert run("count", *words, "-o", "s.parquet", "-q").status == 0
    tested = run("--stats", "s.parquet", "-q", "-f", "csv", "--paired-ar", "--paired-ar-n", "99")
    assert tested == run(*words, "-q", "-f", "csv", "--paired-ar", "--paired-ar-n", "99")
    assert run("count", "--stats", "s.parquet", "-o", "merged.parquet", "-q").status == 0
    assert run("--stats", "merged.parquet", "-q", "-f", "csv") == plain


def test_statistics_of_different_items_are_not_compared(run, some):
    pytest.importorskip("pyarrow")
    for name in "ab":
        assert run("count", "ref.jsonl", "-i", f"{name}.jsonl", "--partial", "-o", f"{name}.parquet", "-q").status == 0
    told = "some rows are of partial:3of4, and others of partial:2of4; scores can be compared only if"
    refused(run("--stats", "a.parquet", "b.parquet"), told)
    assert "|partial:3of4|" in run("--stats", "a.parquet", "-q").out


def test_ids_of_several_parts_are_joined(run, lines):
    documents, segments = ["a", "a", "b", "b"], [0, 1, 0, 1]
    lines("ref.jsonl", "reference", document=documents, part=segments)
    order = [2, 0, 3, 1]
    ids = {"document": [documents[n] for n in order], "part": [segments[n] for n in order]}
    lines("sys.jsonl", texts=[TEXTS[n] for n in order], **ids)
    words = ("ref.jsonl", "-i", "sys.jsonl", "-q", "-b", "--jsonl-fields")
    assert run(*words, "id=document+part") == (0, "100.0\n", "")
    refused(run(*words, "id=document"), "sys.jsonl has 2 ids ('b', 'a') more than once")
    refused(run(*words, "id=document+"), "id=document+ has a part without a name; name up to 3 fields")
    refused(run(*words, "id=a+b+c+d"), "id=a+b+c+d has 4 parts; name up to 3 fields")
    refused(run(*words, "id=document+segment"), "line 1: no id; expected 'segment'")
    lines("plus.jsonl", **{"a+b": KEYS})
    lines("ref-plus.jsonl", "reference", **{"a+b": KEYS[::-1]})
    assert run("ref-plus.jsonl", "-i", "plus.jsonl", "-q", "-b", "--jsonl-fields", r"id=a\+b").out != "100.0\n"


def test_items_of_several_pairs_need_a_choice_and_take_one(run, write):
    rows = [{"doc_id": f"{lp} {n}", "lp": lp, "reference": TEXTS[n]} for lp in ("en-cs", "en-de") for n in range(4)]
    write("ref.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    write("sys.jsonl", "".join(json.dumps({"doc_id": f"en-de {n}", "hypothesis": TEXTS[n]}) + "\n" for n in range(4)))
    told = "with --partial; ref.jsonl has items of en-cs and en-de: choose one pair with -l"
    refused(run("ref.jsonl", "-i", "sys.jsonl", "-m", "chrf"), "sys.jsonl lacks 4 ids", told)
    answer = run("ref.jsonl", "-i", "sys.jsonl", "-l", "en-de", "-m", "chrf", "-b")
    assert (answer.status, answer.out) == (0, "100.0\n")
    assert "without effect" not in answer.err
