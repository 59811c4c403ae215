"""`--scores` from files in another order than the texts: joined by ids, put in order by numbers, or refused."""

from __future__ import annotations

import csv
import io
import json
import random

import pytest
from conftest import refused

COUNT = 40
NAMES = [f"d{n * 7919 % 997:03}-{n}x" for n in range(COUNT)]
SCORES = [round(n * 0.0173 % 1, 4) for n in range(COUNT)]


def shuffled(seed, count=COUNT):
    order = list(range(count))
    random.Random(seed).shuffle(order)
    return order


@pytest.fixture
def texts(write):
    """Write references and outputs as text, and as items with ids, the outputs in another order."""
    write("r.txt", "".join(f"the cat {n} sat\n" for n in range(COUNT)))
    write("s.txt", "".join(f"the cat {n} ran\n" for n in range(COUNT)))
    write("r.jsonl", "".join(f'{{"id": "{NAMES[n]}", "ref": "the cat {n} sat"}}\n' for n in range(COUNT)))
    write("s.jsonl", "".join(f'{{"id": "{NAMES[n]}", "hyp": "the cat {n} ran"}}\n' for n in shuffled(1)))
    whole = ({"id": NAMES[n], "ref": f"the cat {n} sat", "hyp": f"the cat {n} ran"} for n in shuffled(1))
    write("whole.jsonl", "".join(f"{json.dumps(item)}\n" for item in whole))


def columns_of(answer):
    """Return the scores of COMET, segment by segment."""
    assert answer.status == 0, answer.err
    rows = list(csv.DictReader(io.StringIO(answer.out)))
    (column,) = [name for name in rows[0] if name.endswith(" COMET")]
    return [float(row[column]) for row in rows]


WIDE = ("-sl", "-f", "csv", "--rows", "wide", "-q")
TEXT = ("r.txt", "-i", "s.txt", *WIDE)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["id", "segment_id", "segId", "segment", "line", ""])
@pytest.mark.parametrize("first", ["0", "1", "seg_1", "seg_000"])
def test_numbers_of_segments_put_scores_in_order(run, write, texts, seed, name, first):
    prefix, number = ("seg_", first[4:]) if "_" in first else ("", first)
    ids = [f"{prefix}{n + int(number):0{len(number)}}" for n in range(COUNT)]
    write("c.csv", f"{name},COMET\n" + "".join(f"{ids[n]},{SCORES[n]}\n" for n in shuffled(seed)))
    assert columns_of(run(*TEXT, "--scores", "COMET=c.csv")) == SCORES


def test_comet_score_numbers_segments(run, write, texts):
    order = sorted(range(COUNT), key=str)  # as `sort` does
    write("c.txt", "".join(f"s.txt\tSegment {n}\tscore: {SCORES[n]}\n" for n in order))
    assert columns_of(run(*TEXT, "--scores", "COMET=c.txt")) == SCORES
    write("c.txt", "".join(f"s.txt\tSegment {n or 1}\tscore: {SCORES[n]}\n" for n in order))
    refused(
        run(*TEXT, "--scores", "COMET=c.txt"),
        "c.txt has the id '1' more than once, so its scores cannot be paired with segments; number the segments from 0"
        " or 1, or delete the ids if the scores are in order",
    )


def test_each_system_of_a_file_is_put_in_order(run, write, texts):
    rows = [(system, n) for system in "st" for n in range(COUNT)]
    random.Random(3).shuffle(rows)
    write("t.txt", "".join(f"a cat {n} ran\n" for n in range(COUNT)))
    write("c.tsv", "system\tseg_id\tscore\n" + "".join(f"{s}\t{n}\t{SCORES[n] + (s == 't')}\n" for s, n in rows))
    answer = run("r.txt", "-i", "s.txt", "t.txt", *WIDE, "--scores", "COMET=c.tsv")
    table = list(csv.DictReader(io.StringIO(answer.out)))
    assert [float(row["s COMET"]) for row in table] == SCORES
    assert [float(row["t COMET"]) for row in table] == [score + 1 for score in SCORES]


def test_lists_of_ids_and_scores_are_put_in_order(run, write, texts):
    order = shuffled(5)
    write("c.json", json.dumps({"id": order, "scores": [SCORES[n] for n in order], "mean_score": 0.5}))
    assert columns_of(run(*TEXT, "--scores", "COMET=c.json")) == SCORES


FORMS = {
    "csv": lambda rows: "id,COMET\n" + "".join(f"{one},{score}\n" for one, score in rows),
    "tsv": lambda rows: "COMET\tid\n" + "".join(f"{score}\t{one}\n" for one, score in rows),
    "jsonl": lambda rows: "".join(f'{{"id": "{one}", "score": {score}}}\n' for one, score in rows),
    "json": lambda rows: json.dumps([{"meta": {"COMET": score}, "id": one} for one, score in rows]),
}


@pytest.mark.parametrize("jobs", [(), ("-J", "2")])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("form", FORMS)
def test_ids_of_texts_join_scores(run, write, texts, form, seed, jobs):
    write(f"c.{form}", FORMS[form]([(NAMES[n], SCORES[n]) for n in shuffled(seed)]))
    scores = ("--scores", f"COMET=c.{form}", *jobs)
    assert columns_of(run("r.jsonl", "-i", "s.jsonl", *WIDE, *scores)) == SCORES
    in_order = [SCORES[n] for n in shuffled(1)]
    assert columns_of(run("-i", "whole.jsonl", *WIDE, *scores)) == in_order
    write("r2.txt", "".join(f"the cat {n} sat\n" for n in shuffled(1)))
    assert columns_of(run("r2.txt", "-i", "s.jsonl", *WIDE, *scores)) == in_order


def test_items_that_not_all_files_have_are_left_out_of_scores_too(run, write, texts):
    with open("s.jsonl", encoding="utf-8") as file:
        kept = file.readlines()[5:]
    write("s.jsonl", "".join(kept))
    write("c.csv", FORMS["csv"]([(NAMES[n], SCORES[n]) for n in shuffled(2)]))
    answer = run("r.jsonl", "-i", "s.jsonl", *WIDE, "--partial", "--scores", "COMET=c.csv")
    left = {json.loads(line)["id"] for line in kept}
    assert columns_of(answer) == [score for name, score in zip(NAMES, SCORES, strict=True) if name in left]
    write("c.csv", FORMS["csv"]([(NAMES[n], SCORES[n]) for n in shuffled(2) if NAMES[n] not in left]))
    answer = run("r.jsonl", "-i", "s.jsonl", "--partial", "--scores", "COMET=c.csv")
    refused(answer, "c.csv has no id in common with the texts")


def test_a_named_id_and_two_parts_join_scores(run, write, texts):
    items = [{"d": f"d{n % 4}", "s": n // 4, "hyp": f"the cat {n} ran", "ref": "the cat sat"} for n in range(COUNT)]
    write("two.jsonl", "".join(f"{json.dumps(item)}\n" for item in items))
    write("c.csv", "s,d,COMET\n" + "".join(f"{n // 4},d{n % 4},{SCORES[n]}\n" for n in shuffled(4)))
    assert columns_of(run("-i", "two.jsonl", *WIDE, "--jsonl-fields", "id=d+s", "--scores", "COMET=c.csv")) == SCORES
    write("three.jsonl", "".join(json.dumps({**one, "doc_id": one["d"], "segid": one["s"]}) + "\n" for one in items))
    write("c.csv", "seg_id,docid,COMET\n" + "".join(f"{n // 4},d{n % 4},{SCORES[n]}\n" for n in shuffled(4)))
    assert columns_of(run("-i", "three.jsonl", *WIDE, "--scores", "COMET=c.csv")) == SCORES


def test_ids_that_are_ignored_pair_by_position(run, write, texts):
    write("c.csv", FORMS["csv"]([(NAMES[n], SCORES[n]) for n in shuffled(2)]))
    words = ("-i", "whole.jsonl", *WIDE, "--jsonl-fields", "id=none", "--scores", "COMET=c.csv")
    assert columns_of(run(*words)) == [SCORES[n] for n in shuffled(2)]


def test_wmt_names_documents_by_the_end_of_their_ids(run, write):
    names = [f"en-cs_CZ_#_speech_#_vid__{n}-a{n}" for n in range(COUNT)]
    for name, field in (("r", "ref"), ("s", "hyp")):
        write(f"{name}.jsonl", "".join(f'{{"doc_id": "{one}", "{field}": "a b"}}\n' for one in names))
    own = [f'{{"document_id": "_{n}-a{n}", "metric_scores": {{"COMET": [{SCORES[n]}]}}}}\n' for n in range(COUNT)]
    for lines in (own, [own[n] for n in shuffled(3)]):
        write("c.jsonl", "".join(lines))
        assert columns_of(run("r.jsonl", "-i", "s.jsonl", *WIDE, "--scores", "COMET=c.jsonl")) == SCORES


def test_ids_that_end_alike_need_different_scores(run, write):
    texts = [{"id": one, "hyp": "a b", "ref": "a b"} for one in ("x_1", "y_1", "x_2")]
    write("s.jsonl", "".join(f"{json.dumps(item)}\n" for item in texts))
    write("c.csv", FORMS["csv"]([("1", 0.5), ("2", 0.25)]))
    answer = run("-i", "s.jsonl", "--scores", "COMET=c.csv")
    refused(answer, "c.csv has the same score for 2 ids ('x_1', 'y_1'); give each its own")
    write("s.jsonl", "".join(f"{json.dumps(item)}\n" for item in [texts[2], {**texts[0], "id": None}]))
    answer = run("-i", "s.jsonl", "--scores", "COMET=c.csv")
    refused(answer, "segment 2 has no id to find its score in c.csv by; give each segment an id")


def test_pages_join_scores_by_ids(run, write, texts):
    pytest.importorskip("jinja2")
    write("c.csv", FORMS["csv"]([(NAMES[n], SCORES[n]) for n in shuffled(2)]))
    page = run("report", "r.jsonl", "-i", "s.jsonl", "-o", "p.html", "-q", "--scores", "COMET=c.csv")
    assert page.status == 0, page.err
    assert f"{sum(SCORES) / COUNT:.3f} COMET" in page.out
    other = run("report", "r.txt", "-i", "s.txt", "-o", "q.html", "-q", "--scores", "COMET=o.csv")
    assert other.status == 2
    write("o.csv", FORMS["csv"](ROWS))
    assert run("report", "r.txt", "-i", "s.txt", "-o", "q.html", "-q", "--scores", "COMET=o.csv").out == page.out


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_columns_of_the_table_of_the_texts_stay_beside_them(run, write, kind):
    """Ids that are numbers in another order are those of both."""
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    order = shuffled(6)
    columns = {
        "id": order,
        "hyp": [f"the cat {n} ran" for n in order],
        "ref": [f"the cat {n} sat" for n in order],
        "COMET": [SCORES[n] for n in order],
    }
    if kind == "parquet":
        parquet.write_table(pa.table(columns), "t.parquet", row_group_size=7)
    else:
        rows = zip(*columns.values(), strict=True)
        write("t.csv", "id,hyp,ref,COMET\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    write("other.csv", "id,COMET\n" + "".join(f"{n},{SCORES[n]}\n" for n in shuffled(7)))
    for scores in (f"t.{kind}", "other.csv"):
        answer = run("--table", f"t.{kind}", *WIDE, "--scores", f"COMET={scores}")
        assert columns_of(answer) == columns["COMET"]
    by = run("--table", f"t.{kind}", "--by", "id", "--scores", f"COMET=t.{kind}", "-f", "csv", "-w", "4", "-q")
    assert [float(row["COMET"]) for row in csv.DictReader(io.StringIO(by.out))] == columns["COMET"]


def test_scores_beside_statistics_are_put_in_order(run, write, texts):
    pytest.importorskip("pyarrow")
    assert run("count", "r.txt", "-i", "s.txt", "-q", "-o", "s.parquet").status == 0
    write("c.csv", "id,COMET\n" + "".join(f"{n},{SCORES[n]}\n" for n in shuffled(3)))
    assert columns_of(run("--stats", "s.parquet", *WIDE, "--scores", "COMET=c.csv")) == SCORES


ROWS = list(zip(NAMES, SCORES, strict=True))
NUMBERED = [(str(n), score) for n, score in enumerate(SCORES)]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (ROWS[1:], f"c.csv lacks the id '{NAMES[0]}', which the texts have; add the scores"),
        ([*ROWS, ("z", 0.5)], "c.csv has the id 'z', which the texts lack; delete the scores"),
        (
            [*ROWS[2:], ROWS[2], ROWS[1]],
            f"c.csv has the id '{NAMES[2]}' more than once, so scores cannot be joined with segments, which have"
            " another order; give each an id of its own",
        ),
        (
            [(f"x{one}", score) for one, score in ROWS],
            f"c.csv has no id in common with the texts: 'x{NAMES[0]}' is the first there, but '{NAMES[0]}' here; give"
            " both the same ids, or delete those of the scores if these are in the order of the segments",
        ),
        (
            [*ROWS[:3], ("", 0.5), *ROWS[4:]],
            "c.csv, score 4 has no id, but others have one; give each score an id, or delete the column id if the"
            " scores are in the order of the segments",
        ),
    ],
)
def test_ids_that_cannot_be_joined_are_refused(run, write, texts, rows, message):
    write("c.csv", FORMS["csv"](rows))
    assert refused(run("r.jsonl", "-i", "s.jsonl", "--scores", "COMET=c.csv"), message)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (NUMBERED[:7] + NUMBERED[8:], "has 39 scores, but there are 40 segments; it lacks the id '7'; give one score"),
        ([*NUMBERED, NUMBERED[3]], "c.csv has the id '3' more than once, so its scores cannot be paired with segments"),
        ([*NUMBERED[:3], NUMBERED[4], *NUMBERED[4:]], "c.csv has the id '4' more than once"),
        (
            [NUMBERED[1], NUMBERED[0], *NUMBERED[3:], ("40", 1)],
            "c.csv lacks the id '2', so its scores cannot be paired",
        ),
        ([*NUMBERED[:5], *NUMBERED[6:], ("40", 1)], "c.csv lacks the id '5', so its scores cannot be paired"),
        ([("900", 1), *NUMBERED[1:]], "c.csv has ids that are not in order, so its scores cannot be paired"),
    ],
)
def test_numbers_that_are_not_those_of_segments_are_refused(run, write, texts, rows, message):
    write("c.csv", FORMS["csv"](rows))
    assert refused(run("r.txt", "-i", "s.txt", "--scores", "COMET=c.csv"), message)


def test_ids_of_other_kinds_are_refused(run, write, texts):
    write("c.csv", "doc_id,seg_id,COMET\n" + "".join(f"d,{name},{score}\n" for name, score in ROWS))
    refused(
        run("r.jsonl", "-i", "s.jsonl", "--scores", "COMET=c.csv"),
        "c.csv has other ids than the texts; give the fields of ids the same name in both, or delete the ids if scores"
        " are in the order of the segments",
    )


def test_double_ids_in_the_same_order_are_paired(run, write):
    """Segments of a document share its id."""
    items = [{"doc_id": f"d{n // 8}", "hyp": f"a {n} b", "ref": "a b"} for n in range(COUNT)]
    write("s.jsonl", "".join(f"{json.dumps(item)}\n" for item in items))
    write("c.csv", "doc_id,COMET\n" + "".join(f"d{n // 8},{SCORES[n]}\n" for n in range(COUNT)))
    words = ("-i", "s.jsonl", *WIDE, "--scores", "COMET=c.csv")
    assert columns_of(run(*words)) == SCORES
    write("c.csv", "doc_id,COMET\n" + "".join(f"d{n // 8},{SCORES[n]}\n" for n in reversed(range(COUNT))))
    refused(run(*words), "c.csv has 5 ids ('d4', 'd3', 'd2' and 2 more) more than once")


def test_a_note_says_that_ids_show_no_order(run, write, texts):
    write("c.csv", FORMS["csv"](ROWS))
    answer = run("r.txt", "-i", "s.txt", "--scores", "COMET=c.csv")
    note = "c.csv has ids, but the texts have none, so scores are paired with segments by their position"
    assert (answer.status, answer.err) == (0, f"bleu: note: {note}\n")
    for ids in (range(COUNT), range(5, 5 + COUNT)):
        write("c.csv", FORMS["csv"](zip(ids, SCORES, strict=True)))
        assert run("r.txt", "-i", "s.txt", "--scores", "COMET=c.csv").err == ""
