"""--edit-counts: which edits WER, CER and TER count, in every format for programs."""

from __future__ import annotations

import csv
import json
from io import StringIO

import pytest
from conftest import refused
from hypothesis import given
from hypothesis import strategies as st

from bleucli import CER, TER, WER
from bleucli.results import EDIT_KINDS

REFERENCES = ["the cat sat on the mat", "hello there world", "d a b c", ""]
OTHERS = ["a cat sat on a mat", "hello world", "a b c d", "x"]
SYSTEMS = {"a": ["the cat sat on a mat", "hello world", "a b c d", "x y"], "b": ["mat", "", "d a b c", ""]}
METRICS = {"TER": TER(), "WER": WER(), "CER": CER()}
WORDS = ("ref.txt", "-i", "a.txt", "b.txt", "-m", "wer", "cer", "ter", "bleu", "--edit-counts", "-q")
LINES = st.lists(st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=7).map(" ".join), min_size=1, max_size=4)


@pytest.fixture(autouse=True)
def files(write):
    for name, lines in (("ref", REFERENCES), ("ref2", OTHERS), *SYSTEMS.items()):
        write(f"{name}.txt", "".join(f"{line}\n" for line in lines))
    write("labels.tsv", "domain\nx\nx\ny\ny\n")


def counts_of(system, metric, segments=slice(None), references=(REFERENCES,)):
    streams = [stream[segments] for stream in references]
    return METRICS[metric].edit_counts(SYSTEMS[system][segments], streams)._asdict()


def test_csv_has_a_column_for_each_kind(run):
    rows = list(csv.DictReader(StringIO(run(*WORDS, "-f", "csv").out)))
    assert not [name for name in rows[0] if name.endswith(" shifts") and not name.startswith("TER")]
    assert "BLEU hits" not in rows[0]
    for row in rows:
        for metric in METRICS:
            counts = counts_of(row["system"], metric)
            assert {name: float(row[f"{metric} {name}"]) for name in counts} == counts
            edits = sum(counts[name] for name in EDIT_KINDS[1:] if name in counts)
            assert int(row[f"{metric} edits"]) == edits


def test_json_and_its_lines_have_them_too(run):
    for item in json.loads(run(*WORDS, "--name-by", "file").out):
        for metric in METRICS:
            counts = counts_of(item["system"], metric)
            assert counts.items() <= item[metric].items()
        assert "hits" not in item["BLEU"]
    for line in map(json.loads, run(*WORDS, "-f", "jsonl").out.splitlines()):
        if line["metric"] in METRICS:
            assert counts_of(line["system"], line["metric"]).items() <= line.items()
        else:
            assert {line[name] for name in EDIT_KINDS} == {None}
    assert json.loads(run("ref.txt", "-i", "a.txt", "-m", "wer", "-f", "jsonl", "-q").out)["hits"] is None


def test_segments_groups_and_tests_have_them(run):
    for line in map(json.loads, run(*WORDS, "-sl", "-f", "jsonl").out.splitlines()):
        if line["metric"] in METRICS:
            place = slice(line["segment"] - 1, line["segment"])
            assert counts_of(line["system"], line["metric"], place).items() <= line.items()
    grouped = run(*WORDS, "--labels", "labels.tsv", "--by", "domain", "-f", "csv").out
    for row in csv.DictReader(StringIO(grouped)):
        part = slice(0, 2) if row["domain"] == "x" else slice(2, 4)
        assert int(row["WER hits"]) == counts_of(row["system"], "WER", part)["hits"]
    plain = [word for word in WORDS if word != "--edit-counts"]
    for test in ("-par", "-pbs"):
        both = [
            [json.loads(line) for line in run(*words, test, "--paired-all", "-f", "jsonl").out.splitlines()]
            for words in (plain, WORDS)
        ]
        for one, other in zip(*both, strict=True):
            changed = {key for key in one if one[key] != other[key]} - {"command", "time"}
            assert changed == (
                set(EDIT_KINDS) - ({"shifts"} if one["metric"] != "TER" else set())
                if one["metric"] in METRICS
                else set()
            )


def test_the_reference_with_the_fewest_edits_counts(run):
    words = ("ref.txt", "ref2.txt", "-i", "a.txt", "-m", "ter", "wer", "--edit-counts", "-f", "jsonl", "-q")
    for line in map(json.loads, run(*words).out.splitlines()):
        assert counts_of("a", line["metric"], references=(REFERENCES, OTHERS)).items() <= line.items()


@given(LINES, st.data())
def test_kinds_add_up_to_the_edits_and_lengths_of_the_score(lines, data):
    others = st.lists(st.sampled_from([*lines, "", "a b", "b a d"]), min_size=len(lines), max_size=len(lines))
    references = [data.draw(others), data.draw(others)]
    for metric in METRICS.values():
        score = metric.corpus_score(lines, references)
        hits, substitutions, deletions, insertions, *shifts, length = metric.edit_counts(lines, references)
        assert substitutions + deletions + insertions + sum(shifts) == score.num_edits
        assert length == score.ref_length
        if metric.name != "TER":
            assert hits + substitutions + deletions == length


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("--stats", "x"), "--stats cannot be combined with --edit-counts: the texts were read when"),
        (("-sl", "-f", "csv"), "--edit-counts has no effect: segments have them only in jsonl"),
        (
            ("-f", "latex"),
            "--edit-counts has no effect: latex does not show parts of scores, as json, jsonl, csv and tsv do",
        ),
    ],
)
def test_where_there_are_no_counts_this_is_said(run, words, part):
    texts = () if "--stats" in words else ("ref.txt", "-i", "a.txt")
    refused(run(*texts, "-m", "wer", "--edit-counts", *words), part)
