"""-sl of several systems and metrics: one table of every segment, in each format, with the scores of the library."""

from __future__ import annotations

import csv
import json
import re
from io import StringIO
from itertools import product

import pytest
from conftest import refused

import bleucli
from bleucli import BLEU, CHRF, TER
from bleucli.errors import BleuError
from bleucli.output.segments import Table, render_csv, render_lines, render_parquet
from bleucli.results.segments import SegmentBlock, SegmentScores

REFERENCES = ["the cat sat on the mat", "hello there, world", "it was not a good day", "one more of them here"]
SYSTEMS = {
    "a": ["the cat sat on a mat", "hello world", "it was a bad day", "one more of those"],
    "b": ["a cat is on the mat", 'say "hello", world', "it was not a day", ""],
}
METRICS = {"BLEU": BLEU(effective_order=True), "chrF2": CHRF(), "TER": TER()}
LABELS = {"doc": ["x", "x", "y", "y"], "domain": ["news", "chat", "news", "chat"]}
COMET = {"a": [0.125, 0.25, 0.5, 1], "b": [1, 0.5, 0.25, 0.125]}
WORDS = ("ref.txt", "-i", "a.txt", "b.txt", "-m", "bleu", "chrf", "ter", "-sl")


def write_lines(write, name, lines):
    write(name, "".join(f"{line}\n" for line in lines))


@pytest.fixture(autouse=True)
def files(write):
    write_lines(write, "ref.txt", REFERENCES)
    for name, texts in SYSTEMS.items():
        write_lines(write, f"{name}.txt", texts)
        write_lines(write, f"{name}.comet", COMET[name])
    write_lines(write, "labels.tsv", ["doc\tdomain", *map("\t".join, zip(*LABELS.values(), strict=True))])


def score_of(system, metric, segment):
    if metric == "COMET":
        return COMET[system][segment]
    return METRICS[metric].sentence_score(SYSTEMS[system][segment], [REFERENCES[segment]]).score


def rows_of(text, delimiter=","):
    return list(csv.DictReader(StringIO(text), delimiter=delimiter))


@pytest.mark.parametrize(("form", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_a_wide_table_has_a_column_for_each_system_and_metric(run, form, delimiter):
    answer = run(*WORDS, "-f", form, "-q", "--labels", "labels.tsv", "--scores", "COMET=a.comet,b.comet", "--texts")
    assert (answer.status, answer.err) == (0, "")
    rows = rows_of(answer.out, delimiter)
    names = [*METRICS, "COMET"]
    expected = ["segment", "doc", "domain", "reference"]
    expected += [column for system in SYSTEMS for column in (system, *(f"{system} {metric}" for metric in names))]
    assert list(rows[0]) == expected
    for segment, row in enumerate(rows):
        assert row["segment"] == str(segment + 1)
        assert (row["doc"], row["domain"]) == (LABELS["doc"][segment], LABELS["domain"][segment])
        assert row["reference"] == REFERENCES[segment]
        for system in SYSTEMS:
            assert row[system] == SYSTEMS[system][segment]
            for metric in names:
                assert float(row[f"{system} {metric}"]) == score_of(system, metric, segment)


def test_a_long_table_has_a_row_for_each_score(run):
    rows = rows_of(run(*WORDS, "-f", "csv", "-q", "--rows", "long", "--labels", "labels.tsv", "--texts").out)
    assert list(rows[0]) == ["segment", "doc", "domain", "reference", "system", "output", "metric", "score"]
    expected = [
        (str(segment + 1), LABELS["doc"][segment], REFERENCES[segment], system, SYSTEMS[system][segment], metric)
        for segment, system, metric in product(range(4), SYSTEMS, METRICS)
    ]
    keys = ("segment", "doc", "reference", "system", "output", "metric")
    assert [tuple(row[key] for key in keys) for row in rows] == expected
    assert [float(row["score"]) for row in rows] == [
        score_of(system, metric, segment) for segment, system, metric in product(range(4), SYSTEMS, METRICS)
    ]


@pytest.mark.parametrize(("form", "delimiter"), [("csv", ","), ("tsv", "\t")])
@pytest.mark.parametrize("rows", ["wide", "long"])
def test_texts_with_marks_of_tables_are_read_back_as_they_are(run, write, form, delimiter, rows):
    texts = ['a\rb "c"', "a\r\rb", "\ta,b\x00", "'=1\u2028\x0bx"]
    write("ref.txt", "".join(f"{text}\n" for text in texts))
    write("a.txt", "".join(f"{text}\n" for text in reversed(texts)))
    answer = run("ref.txt", "-i", "a.txt", "-sl", "-f", form, "--rows", rows, "--texts", "-q")
    assert answer.status == 0
    header, *cells = csv.reader(StringIO(answer.out, newline=""), delimiter=delimiter)
    read = [dict(zip(header, row, strict=True)) for row in cells]
    assert [row["reference"] for row in read] == texts
    assert [row["output" if rows == "long" else "a"] for row in read] == texts[::-1]
    assert answer.out.startswith(delimiter.join(header) + "\n")


@pytest.mark.parametrize("rows", ["wide", "long"])
def test_parquet_has_the_columns_of_csv_in_types_of_their_own(run, rows):
    parquet = pytest.importorskip("pyarrow.parquet")
    words = (*WORDS, "--rows", rows, "--labels", "labels.tsv", "--texts")
    assert run(*words, "-f", "parquet", "-o", "x.parquet", "-q") == (0, "", "")
    table = parquet.read_table("x.parquet")
    texts = rows_of(run(*words, "-f", "csv", "-q").out)
    assert table.column_names == list(texts[0])
    assert [{name: str(value) for name, value in row.items()} for row in table.to_pylist()] == texts
    scores = [name for name in table.column_names if name.split(" ")[-1] in (*METRICS, "score")]
    assert {str(table.schema.field(name).type) for name in scores} == {"double"}
    assert str(table.schema.field("segment").type) == "int64"
    signatures = json.loads(parquet.read_metadata("x.parquet").metadata[b"signatures"])
    assert signatures == {name: str(metric.signature(1, 1)) for name, metric in METRICS.items()}


def test_wide_lines_have_objects_of_systems(run):
    words = ("-f", "jsonl", "--rows", "wide", "-q")
    lines = [json.loads(line) for line in run(*WORDS, *words).out.splitlines()]
    assert lines == [
        {
            "segment": segment + 1,
            "systems": {
                system: {metric: score_of(system, metric, segment) for metric in METRICS} for system in SYSTEMS
            },
        }
        for segment in range(4)
    ]
    lines = [json.loads(line) for line in run(*WORDS, *words, "--labels", "labels.tsv", "--texts").out.splitlines()]
    assert [line["labels"] for line in lines] == [
        {"doc": doc, "domain": domain} for doc, domain in zip(*LABELS.values(), strict=True)
    ]
    assert [line["references"] for line in lines] == [[text] for text in REFERENCES]
    assert [line["systems"]["b"]["output"] for line in lines] == SYSTEMS["b"]


def test_long_lines_are_those_of_each_system_and_metric(run):
    lines = [json.loads(line) for line in run(*WORDS, "-f", "jsonl", "-q").out.splitlines()]
    found = [(line["segment"], line["system"], line["metric"], line["score"]) for line in lines]
    assert found == [
        (segment + 1, system, metric, score_of(system, metric, segment))
        for segment, system, metric in product(range(4), SYSTEMS, METRICS)
    ]
    assert [line["command"] is None for line in lines] == [True] * (len(lines) - 1) + [False]
    assert [one["name"] for one in lines[-1]["inputs"]] == ["a.txt", "b.txt", "ref.txt"]


def test_decimals_and_scale_are_those_asked_for(run):
    (row, *_) = rows_of(run(*WORDS, "-f", "csv", "-q", "-w", "2", "--scores", "COMET=a.comet,b.comet").out)
    assert row["a BLEU"] == f"{score_of('a', 'BLEU', 0):.2f}"
    assert row["a COMET"] == "0.12"
    (row, *_) = rows_of(run(*WORDS, "-f", "csv", "-q", "--scale", "1", "--scores", "COMET=a.comet,b.comet").out)
    assert float(row["a BLEU"]) == score_of("a", "BLEU", 0) / 100
    assert row["a COMET"] == "0.125"


def test_notes_say_the_signatures(run):
    said = run(*WORDS, "-f", "csv", terminal=True).err
    for name, metric in METRICS.items():
        assert f"{name}: {metric.signature(1, 1)}\n" in said


def test_parts_of_texts_keep_their_numbers_and_texts(run):
    words = ("--labels", "labels.tsv", "--subset", "news", "-f", "csv", "-q", "--texts")
    rows = rows_of(run(*WORDS, *words).out)
    assert [(row["segment"], row["domain"], row["a"]) for row in rows] == [
        ("1", "news", SYSTEMS["a"][0]),
        ("3", "news", SYSTEMS["a"][2]),
    ]
    assert [float(row["b chrF2"]) for row in rows] == [score_of("b", "chrF2", 0), score_of("b", "chrF2", 2)]


def test_documents_are_rows_too(run):
    rows = rows_of(
        run(*WORDS, "--labels", "labels.tsv", "--level", "doc", "-f", "csv", "--rows", "wide", "-q", "--texts").out
    )
    assert [(row["segment"], row["doc"], row["a"]) for row in rows] == [
        ("1", "x", " ".join(SYSTEMS["a"][:2])),
        ("2", "y", " ".join(SYSTEMS["a"][2:])),
    ]


def test_statistics_give_the_same_table(run):
    pytest.importorskip("pyarrow")
    words = ("ref.txt", "-i", "a.txt", "b.txt", "-m", "bleu", "chrf", "--scores", "COMET=a.comet,b.comet")
    assert run("count", *words, "-o", "x.parquet", "-q").status == 0
    table = run("--stats", "x.parquet", "-sl", "-f", "csv", "-q", "-m", "bleu", "chrf").out
    expected = run("ref.txt", "-i", "a.txt", "b.txt", "-m", "bleu", "chrf", "-sl", "-f", "csv", "-q").out
    assert [list(map(str, row.values())) for row in rows_of(table)] == [
        list(map(str, row.values())) for row in rows_of(expected)
    ]


def test_names_with_control_characters_are_escaped(run, write):
    rows = rows_of(run(*WORDS, "-f", "csv", "-q", "--names", "x\x1b[1m,y").out)
    assert [name for name in rows[0] if name.startswith("x")] == [f"x\\x1b[1m {metric}" for metric in METRICS]


def test_many_blocks_are_one_table(run, write):
    for name in ("ref", "a", "b"):
        lines = [
            f"{text} {number}"
            for number in range(9000)
            for text in ((REFERENCES if name == "ref" else SYSTEMS[name])[0],)
        ]
        write_lines(write, f"{name}.txt", [f"{line} {'word ' * 40}" for line in lines])
    whole = run("ref.txt", "-i", "a.txt", "b.txt", "-sl", "-f", "csv", "-q", "-J", "2").out
    rows = rows_of(whole)
    assert [row["segment"] for row in rows] == [str(number) for number in range(1, 9001)]
    single = run("ref.txt", "-i", "b.txt", "-sl", "-f", "jsonl", "-q").out.splitlines()
    assert [float(row["b BLEU"]) for row in rows] == [json.loads(line)["score"] for line in single]
    assert sum(json.loads(line)["command"] is not None for line in single) == 1


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ((), "takes one system and one metric as text; leave out the others, or add -f csv, tsv, jsonl or parquet"),
        (("-f", "markdown"), "--sentence-level cannot be shown as markdown; choose -f csv, tsv, jsonl or parquet for"),
        (("-f", "json"), "takes one system and one metric as json; leave out the others"),
        (("-f", "jsonl", "--texts"), "--texts has no room in long lines of jsonl; add --rows wide"),
        (("-f", "csv", "--scores", "COMET=a.comet,short"), "short has 2 scores, but there are 4 segments"),
        (
            ("-f", "csv", "--names", "a,a BLEU", "--texts"),
            "the table would have two columns 'a BLEU'; name the systems",
        ),
        (("-f", "csv", "-b"), "several systems are printed as a table"),
        (("-f", "csv", "--by", "doc", "--labels", "labels.tsv"), "each group is scored by itself"),
    ],
)
def test_what_a_table_cannot_show_is_refused(run, write, words, part):
    write("short", "0.5\n0.5\n")
    refused(run(*WORDS, *words), part)


def test_tables_of_segments_need_segments(run):
    texts = ("ref.txt", "-i", "a.txt")
    refused(run(*texts, "-f", "parquet"), "--format parquet is for segments; add --sentence-level")
    refused(run(*texts, "--rows", "long", "-f", "csv"), "--rows is for tables of segments; add --sentence-level")
    refused(run(*texts, "--texts", "-f", "csv"), "--texts is for tables of segments; add --sentence-level")
    refused(run("--stats", "x", "--texts", "-sl", "-f", "csv"), "--texts", "statistics have no texts")


def test_references_that_vary_are_refused_in_tables_of_texts():
    scores = SegmentScores("BLEU", [50.0])
    blocks = [SegmentBlock([1], ["a"], [[scores]], {}, [["r"]] * count, [["h"]]) for count in (1, 2)]
    for render in (render_csv, render_parquet):
        with pytest.raises(BleuError, match="the number of references changes from one segment to another"):
            list(render(blocks, Table(wide=True)))
    lines = list(render_lines(blocks, Table(wide=True)))
    assert [json.loads(line)["references"] for line in lines] == [["r"], ["r", "r"]]


# --- from Python


class Gap:
    name = "gap"
    higher_is_better = False

    def segment_scores(self, hypotheses, references):
        return [abs(len(text) - len(reference)) for text, reference in zip(hypotheses, references[0], strict=True)]


class Whole:
    name = "whole"
    higher_is_better = True

    def corpus_score(self, hypotheses, references):
        return 1.0


def test_python_has_the_same_table(run):
    pytest.importorskip("pandas")
    words = (*WORDS, "-f", "csv", "-q", "--labels", "labels.tsv", "--scores", "COMET=a.comet,b.comet")
    table = bleucli.evaluate_segments(
        SYSTEMS, [REFERENCES], ["bleu", "chrf", TER()], scores={"COMET": COMET}, labels=LABELS, jobs=2
    )
    for wide in (True, False):
        expected = rows_of(run(*words, "--rows", "wide" if wide else "long").out)
        assert [{name: str(value) for name, value in row.items()} for row in table.rows(wide)] == expected
        assert table.to_pandas(wide).to_dict("records") == table.rows(wide)
    assert {name: str(signature) for name, signature in table.signatures.items() if name != "COMET"} == {
        name: str(metric.signature(1, 1)) for name, metric in METRICS.items()
    }
    assert repr(table) == "<SegmentTable: 4 segments, a, b by BLEU, chrF2, TER, COMET>"
    gaps = bleucli.evaluate_segments(SYSTEMS, [REFERENCES], Gap())
    assert gaps["b"]["gap"] == [3.0, 0.0, 5.0, 21.0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((SYSTEMS, [REFERENCES], Whole()), "whole has no segment_scores, so it cannot score segments; leave it out"),
        ((SYSTEMS, [REFERENCES], [BLEU(), BLEU()]), "two metrics give scores of the same name"),
        ((SYSTEMS, [REFERENCES[:3]]), "segments"),
        (({}, [REFERENCES]), "no system was given"),
        (({"a": "text"}, [REFERENCES]), "a bare string where a list of strings belongs"),
        ((SYSTEMS, [REFERENCES], "bleu", {"doc": ["x"]}), "labels['doc'] has 1 labels for 4 segments"),
    ],
)
def test_wrong_arguments_are_refused(arguments, said):
    systems, references, metrics, labels = (*arguments, "bleu", None)[:4] if len(arguments) < 4 else arguments
    with pytest.raises(BleuError, match=re.escape(said)):
        bleucli.evaluate_segments(systems, references, metrics, labels=labels)


def test_an_unknown_system_is_named():
    table = bleucli.evaluate_segments(SYSTEMS, [REFERENCES])
    with pytest.raises(BleuError, match="there is no system 'c'; choose from a, b"):
        table["c"]
