"""-f jsonl: one shape in every mode, exact numbers, what was read and when; --append; --baseline, which reads it."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest
from conftest import COMMAND, needs_pipes, process_environment, refused
from paired_samples import METRICS, near, samples_of, texts
from sample_results import paired, ranked

from bleucli import BLEU, CHRF, TER
from bleucli.cli.streams import mask_credentials
from bleucli.output import json_text, render
from bleucli.output.layout import Layout
from bleucli.significance.resampling import bootstrap

REF, STRONG, WEAK, NEAR = "reference.A.de.txt", "strong.de.txt", "weak.de.txt", "near.txt"
SYSTEMS = (STRONG, NEAR, WEAK)
ALL = ("-m", "bleu", "chrf", "ter", "wer", "cer")
FEW = ("--paired-bs-n", "60", "--paired-ar-n", "60", "--confidence-n", "60")
DEMO = ("-t", "demo", "-l", "en-de")
WMT = ("-t", "wmt22", "-l", "en-de")
WRITERS = 20
VALIDATOR = jsonschema.Draft202012Validator(json_text.schema())

# Every mode, with its standard input
MODES = {
    "one system": (REF, "-i", STRONG),
    "several systems and metrics": (REF, "-i", *SYSTEMS, *ALL),
    "two references": (REF, "reference.B.de.txt", "-i", STRONG, *ALL),
    "segments": (REF, "-i", STRONG, "-sl"),
    "segments by chrF": (REF, "-i", STRONG, "-sl", "-m", "chrf", "-J", "2"),
    "segments of a part": (*WMT, "--subset", "news", "-i", "wmt.txt", "-sl", "-m", "ter"),
    "parts": (*WMT, "-i", "wmt.txt", "other.txt", "--detail", *ALL),
    "a part": (*WMT, "--subset", "news", "-i", "wmt.txt"),
    "a test set": (*DEMO, "-i", STRONG),
    "intervals": (REF, "-i", *SYSTEMS, "-ci", *ALL),
    "bootstrap": (REF, "-i", *SYSTEMS, "-pbs", *ALL),
    "randomization": (REF, "-i", *SYSTEMS, "-par", *ALL),
    "all pairs": (REF, "-i", *SYSTEMS, "-par", "--paired-all", *ALL),
    "all pairs by bootstrap": (REF, "-i", *SYSTEMS, "-pbs", "--paired-all"),
    "a test with parts": (*WMT, "-i", "wmt.txt", "other.txt", "-pbs", "--detail"),
    "numbers": ("--segment-scores", "-i", "a.num", "b.num"),
    "tested numbers": ("--segment-scores", "-i", "a.num", "b.num", "-pbs"),
    "all pairs of numbers": ("--segment-scores", "-i", "a.num", "b.num", "-par", "--paired-all"),
    "add-k": (REF, "-i", STRONG, "-s", "add-k", "--max-ngram-order", "2"),
    "JSON Lines": ("-i", "items.jsonl", "more.jsonl", "-par"),
}

pytestmark = pytest.mark.usefixtures("demo_files")


@pytest.fixture(autouse=True)
def more_files(demo_files, write):
    """Write a system that differs from the strong one in a few segments, numbers, and JSON Lines."""
    write(NEAR, "".join(f"{line}\n" for line in near(texts("strong"))))
    write("wmt.txt", "Eins ist es hier A\nZwei davon\nDrei A Worte\nNeun davon A auch\nZehn ist eine Zahl\nNur A das\n")
    write("other.txt", "Eins\nZwei davon\nDrei A Worte\nNeun\nZehn ist eine Zahl\nNur A\n")
    write("a.num", "0.5\n0.25\n1\n0.125\n" * 5)
    write("b.num", "0.75\n0.5\n1\n0\n" * 5)
    write(
        "items.jsonl",
        '{"hypothesis": "a b c d", "references": ["a b c d", "a b"]}\n{"hypothesis": "x", "reference": "y"}\n',
    )
    write("more.jsonl", '{"hypothesis": "a b c"}\n{"hypothesis": "y"}\n')


def lines_of(text):
    """Return the objects in lines, each checked against the schema."""
    found = [json.loads(line) for line in text.split("\n")[:-1]]
    for line in found:
        VALIDATOR.validate(line)
    return found


@pytest.fixture
def lines(run):
    """Return the objects that a run prints; it must print nothing on stderr."""

    def lines(*words, **more):
        answer = run("-q", *words, *FEW, "-f", "jsonl", **more)
        assert (answer.status, answer.err) == (0, "")
        assert answer.out.endswith("\n")
        return lines_of(answer.out)

    return lines


# --- the shape


def test_there_is_one_schema_and_it_demands_every_key():
    schema = json_text.schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["required"] == list(schema["properties"])
    assert schema["additionalProperties"] is False
    assert schema["properties"]["schema"]["const"] == json_text.SHAPE


@pytest.mark.parametrize("words", MODES.values(), ids=MODES)
def test_every_mode_has_one_shape(lines, library, words):
    for line in lines(*words):
        assert list(line) == json_text.schema()["required"]


@pytest.mark.parametrize("make", [paired, ranked])
def test_results_without_a_run_have_the_same_shape(make):
    for line in lines_of(render(make(), Layout(), "jsonl")):
        assert (line["command"], line["inputs"], line["time"]) == (None, None, None)


def test_a_line_that_is_not_of_this_shape_is_not_valid(lines):
    (line,) = lines(REF, "-i", STRONG)
    for key, value in {"score": "48.6", "p_value": 2, "segment": 0, "time": "today", "signature": {}, "x": 1}.items():
        assert not VALIDATOR.is_valid(line | {key: value})
    for key in line:
        assert not VALIDATOR.is_valid({name: value for name, value in line.items() if name != key})


def test_there_is_a_line_for_each_system_and_metric(lines):
    found = [(line["system"], line["metric"]) for line in lines(REF, "-i", *SYSTEMS, *ALL)]
    metrics = ("BLEU", "chrF2", "TER", "WER", "CER")
    assert found == [(system, metric) for system in ("strong.de", "near", "weak.de") for metric in metrics]


def test_names_are_the_same_with_and_without_a_test(lines):
    plain, tested = lines(REF, "-i", *SYSTEMS), lines(REF, "-i", *SYSTEMS, "-par")
    assert [line["system"] for line in plain] == [line["system"] for line in tested]
    assert [line["baseline"] for line in plain] == [False] * 3
    assert [line["baseline"] for line in tested] == [True, False, False]
    assert tested[2]["test"] == {"method": "ar", "trials": 60, "unit": "segment", "baseline": "strong.de"}


@pytest.mark.parametrize("variables", [{"BLEU_FORMAT": "jsonl"}, {"SACREBLEU_FORMAT": "jsonl"}])
def test_the_environment_may_ask_for_jsonl(run, variables):
    (line,) = lines_of(run("-q", REF, "-i", STRONG, variables=variables).out)
    assert line["system"] == "strong.de"


# --- the numbers


def test_numbers_are_those_of_the_api_to_the_last_bit(lines):
    found = {line["metric"]: line for line in lines(REF, "-i", STRONG, *ALL, "-w", "0")}
    score = BLEU().corpus_score(texts("strong"), [texts("reference.A")])
    bleu = found["BLEU"]
    assert bleu["score"] == score.score
    assert (bleu["precisions"], bleu["counts"], bleu["totals"]) == (score.precisions, score.counts, score.totals)
    assert (bleu["brevity_penalty"], bleu["hypothesis_length"]) == (score.bp, score.sys_len)
    assert bleu["reference_length"] == score.ref_len
    ter = TER().corpus_score(texts("strong"), [texts("reference.A")])
    assert [found["TER"][key] for key in ("score", "edits", "reference_length")] == [
        *(ter.score, ter.num_edits, ter.ref_length),
    ]
    assert [line["higher_is_better"] for line in found.values()] == [True, True, False, False, False]
    assert found["CER"]["edits"] > found["WER"]["edits"] > 0


def test_chrf_follows_from_its_counts(lines):
    (line,) = lines(REF, "-i", STRONG, "-m", "chrf", "-cw", "2")
    assert len(line["counts"]) == len(line["totals"]) == len(line["reference_totals"]) == 8
    sums = [
        number for row in zip(line["totals"], line["reference_totals"], line["counts"], strict=True) for number in row
    ]
    assert CHRF(word_order=2).score_from_stats(sums).score == line["score"]


def test_segments_are_those_of_the_api(lines):
    found = lines(REF, "-i", STRONG, "-sl")
    pairs = zip(texts("strong"), texts("reference.A"), strict=True)
    scores = [BLEU(effective_order=True).sentence_score(one, [other]) for one, other in pairs]
    assert [line["segment"] for line in found] == list(range(1, len(scores) + 1))
    assert [(line["score"], line["counts"]) for line in found] == [(score.score, score.counts) for score in scores]
    assert {line["segments"] for line in found} == {1}


def test_segments_of_a_part_keep_their_numbers(lines, library):
    words = (*WMT, "-i", "wmt.txt", "-sl")
    whole = {line["segment"]: line["score"] for line in lines(*words)}
    part = {line["segment"]: line["score"] for line in lines(*words, "--subset", "news")}
    assert 0 < len(part) < len(whole)
    assert part.items() <= whole.items()


def test_the_last_segment_says_what_the_run_was(lines, library):
    words = (*WMT, "-i", "wmt.txt", "-sl", "--subset", "news")
    (*others, line) = lines(*words)
    assert {(other["command"], other["inputs"], other["time"]) for other in others} == {(None, None, None)}
    assert line["command"][:2] == ["bleu", "-q"]
    assert line["time"] is not None
    assert line["inputs"][0] == {
        "role": "system",
        "name": "wmt.txt",
        "segments": 6,
        "sha256": digest(content("wmt.txt")),
    }


def test_the_signature_is_that_of_json_key_by_key(run, lines):
    for words in ((), ("-ci",), ("-lc", "-tok", "intl")):
        (line,) = lines(REF, "-i", STRONG, *words)
        signature = json.loads(run("-q", REF, "-i", STRONG, *words, *FEW).out)["signature"]
        assert "|".join(f"{key}:{value}" for key, value in line["signature"].items()) == signature


def test_parts_are_those_of_json(run, lines, library):
    words = (*WMT, "-i", "wmt.txt", "--detail")
    (line,) = lines(*words)
    expected = json.loads(run("-q", *words, "-w", "17", "-f", "json").out)["details"]
    assert expected
    assert [part["score"] for part in line["parts"]] == [part["score"] for part in expected]
    assert [part["segments"] for part in line["parts"]] == [part["sentences"] for part in expected]


@pytest.mark.parametrize("test", ["-pbs", "-par"])
def test_p_values_and_intervals_are_those_of_json(run, lines, test):
    words = (REF, "-i", *SYSTEMS, "-m", "bleu", "ter", test, "--paired-all")
    answer = json.loads(run("-q", *words, *FEW).out)
    expected = [score for system in answer for key, score in system.items() if key != "system"]
    for line, one in zip(lines(*words), expected, strict=True):
        assert [line[key] for key in ("score", "cluster")] == [one[key] for key in ("score", "cluster")]
        assert (line["baseline"], line["test"]["baseline"]) == (False, None), "every pair is tested"
        if line["difference"] is None:  # that is the first system
            assert line["p_value"] is one["p_value"] is None
        else:  # that of json is sacreBLEU's, without ties
            assert line["p_value"] == one["p_values"][SYSTEMS[0]]["p"] >= one["p_value"]
        interval = line["interval"] or {"mean": None, "half_width": None}
        assert list(interval.values()) == [one["mean"], one["ci"]]
        pairs = [{"p": pair["p_value"], "corrected": pair["corrected"]} for pair in line["pairs"]]
        assert pairs == list(one["p_values"].values())


def test_the_difference_from_the_baseline_has_the_interval_of_the_resamples(lines):
    found = lines(REF, "-i", *SYSTEMS, "-m", "bleu", "chrf", "ter", "-pbs")
    rows = samples_of()
    for metric in range(len(METRICS)):
        baseline, *others = bootstrap([row[metric] for row in rows], 60)
        of_metric = found[metric::3]
        assert of_metric[0]["difference"] is None
        for line, scores in zip(of_metric[1:], others, strict=True):
            gaps = sorted((scores - baseline).tolist())
            difference = line["difference"]
            assert difference["value"] == line["score"] - of_metric[0]["score"]
            assert [difference["low"], difference["high"]] == [gaps[1], gaps[58]], "2.5% of 60, rounded down, are 1"


def test_without_a_bootstrap_the_difference_has_no_interval(lines):
    first, *others = lines(REF, "-i", *SYSTEMS, "-par")
    assert first["difference"] is None
    for line in others:
        assert line["difference"] == {"value": line["score"] - first["score"], "low": None, "high": None}
    assert [line["difference"] for line in lines(REF, "-i", *SYSTEMS, "-ci")] == [None] * 3


def test_a_copy_of_the_baseline_is_identical(lines, write):
    write("same.txt", "".join(f"{line}\n" for line in texts("strong")))
    _, line = lines(REF, "-i", STRONG, "same.txt", "-pbs")
    assert (line["identical"], line["p_value"]) == (True, 1.0)
    assert line["difference"] == {"value": 0.0, "low": 0.0, "high": 0.0}


# --- where they come from


def digest(data):
    return hashlib.sha256(data).hexdigest()


def content(name):
    with open(name, "rb") as file:
        return file.read()


def test_inputs_are_the_system_its_baseline_and_the_references(lines):
    first, second, _ = lines(REF, "-i", *SYSTEMS, "-par")
    named = [(one["role"], one["name"], one["segments"], one["sha256"]) for one in second["inputs"]]
    systems = [("system", name, 100, digest(content(name))) for name in (NEAR, STRONG)]
    reference = ("reference", REF, 100, digest(content(REF)))
    assert named == [*systems, reference]
    assert [one["name"] for one in first["inputs"]] == [STRONG, REF]
    assert [[one["name"] for one in line["inputs"]] for line in lines(REF, "-i", *SYSTEMS)][1] == [NEAR, REF]


@pytest.mark.parametrize("words", [(), ("-sl",), ("-J", "2")])
@pytest.mark.parametrize("behind", [b"", b"x" * 700_000])
def test_bytes_are_hashed_as_they_are(lines, write, words, behind):
    """Bytes that follow the end of a gzip file count too, though they are not part of the text."""
    write("sys.gz", gzip.compress(content(STRONG)) + behind)
    line = lines(REF, "-i", "sys.gz", *words)[-1]
    assert line["inputs"][0] == {
        "role": "system",
        "name": "sys.gz",
        "segments": 100,
        "sha256": digest(content("sys.gz")),
    }
    assert line["inputs"][1]["sha256"] == digest(content(REF))


def test_columns_of_standard_input_are_one_input(lines):
    piped = "".join(f"{one}\t{other}\n" for one, other in zip(texts("strong"), texts("weak"), strict=True)).encode()
    first, second = lines(REF, stdin=piped)
    assert first["inputs"] == second["inputs"]
    assert (first["inputs"][0]["name"], first["inputs"][0]["sha256"]) == ("standard input", digest(piped))
    assert [line["system"] for line in (first, second)] == ["System 1", "System 2"]


def test_json_lines_are_system_and_reference(lines):
    _, line = lines("-i", "items.jsonl", "more.jsonl")
    expected = [("system", "more.jsonl", 2), ("reference", "items.jsonl", 2)]
    assert [(one["role"], one["name"], one["segments"]) for one in line["inputs"]] == expected
    assert line["inputs"][1]["sha256"] == digest(content("items.jsonl"))


def test_a_test_set_is_an_input(lines):
    (line,) = lines(*DEMO, "-i", STRONG)
    references = [one for one in line["inputs"] if one["role"] == "reference"]
    assert [one["segments"] for one in references] == [100]
    assert references[0]["name"].startswith("demo/en-de")


def test_many_files_are_hashed_in_pieces(lines, monkeypatch):
    monkeypatch.setattr("bleucli.reading._MOST_OPEN", 1)
    monkeypatch.setattr("bleucli.reading._BLOCK_BYTES", 1000)
    for line in lines(REF, "-i", *SYSTEMS):
        assert [one["sha256"] for one in line["inputs"]] == [digest(content(one["name"])) for one in line["inputs"]]


@pytest.mark.parametrize(
    "words", [("-f", "json"), ("-f", "text"), ("-f", "csv"), ("-b",), ("-sl",), ("-sl", "-f", "json")]
)
def test_nothing_is_hashed_for_other_formats(run, monkeypatch, words):
    def fail():
        raise AssertionError("hashed")

    monkeypatch.setattr("hashlib.sha256", fail)
    assert run("-q", REF, "-i", STRONG, *words).status == 0


def test_a_line_has_the_command_line(lines):
    (line,) = lines(REF, "-i", STRONG)
    assert line["command"] == ["bleu", "-q", REF, "-i", STRONG, *FEW, "-f", "jsonl"]


@pytest.mark.parametrize(
    ("word", "masked"),
    {
        "https://me:secret@data.example/x": "https://***@data.example/x",
        "--mirror=https://token@data.example": "--mirror=https://***@data.example",
        "https://data.example/a@b": "https://data.example/a@b",
        "me@data.example": "me@data.example",
    }.items(),
)
def test_passwords_are_masked(word, masked):
    assert mask_credentials(word) == masked


def test_the_time_is_utc_or_that_of_the_source(lines, run):
    (line,) = lines(REF, "-i", STRONG, variables={"SOURCE_DATE_EPOCH": "1700000000"})
    assert line["time"] == "2023-11-14T22:13:20Z"
    (line,) = lines(REF, "-i", STRONG)
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", line["time"])
    for wrong in ("x", "-1", "1.5", "9" * 30, "9" * 5000, "٣"):
        answer = run(REF, "-i", STRONG, "-f", "jsonl", variables={"SOURCE_DATE_EPOCH": wrong})
        assert len(refused(answer, "SOURCE_DATE_EPOCH is '", "seconds since 1970")) < 200
    assert run(REF, "-i", STRONG, variables={"SOURCE_DATE_EPOCH": "x"}).status == 0


def test_the_same_run_at_the_same_time_prints_the_same(run):
    words = ("-q", REF, "-i", *SYSTEMS, "-pbs", *FEW, "-f", "jsonl")
    variables = {"SOURCE_DATE_EPOCH": "0"}
    assert run(*words, variables=variables) == run(*words, variables=variables)


@pytest.mark.skipif(sys.platform != "linux", reason="file names need not be UTF-8 there")
def test_a_name_that_is_not_utf8_is_escaped_and_given_back(run):
    name = b"s\xff\x1b.txt"
    os.link(STRONG, name)
    answer = run("-q", REF, "-i", name, "-f", "jsonl")
    (line,) = lines_of(answer.out)
    assert answer.out.isascii() or answer.out.isprintable()
    assert os.fsencode(line["inputs"][0]["name"]) == name
    assert os.fsencode(line["system"]) == b"s\xff\x1b"


# --- options


def test_options_without_effect_get_a_warning(run):
    answer = run(REF, "-i", STRONG, WEAK, "-f", "jsonl", "-w", "3", "-sh")
    assert "--short (jsonl always has long signatures)" in answer.err
    refused(run(REF, "-i", STRONG, WEAK, "-f", "jsonl", "--bold-best"), "--bold-best has no effect: jsonl has no bold")
    assert "--width (jsonl is not rounded)" in answer.err


WRONG = {
    "bare": (("-f", "jsonl", "-b"), "--score-only prints bare numbers"),
    "no file": (("-f", "jsonl", "--append"), "--append adds lines to a file; name it with --output"),
    "stdout": (("-f", "jsonl", "--append", "-o", "-"), "--append adds lines to a file"),
    "another format": (("--append", "-o", "h.jsonl"), "--append adds lines of jsonl"),
    "csv": (("-f", "csv", "--append", "-o", "h.jsonl"), "--append adds lines of jsonl"),
    "lines of text": (("-sl", "--append", "-o", "h.jsonl"), "--append adds lines of jsonl"),
    "an input": (("-f", "jsonl", "--append", "-o", STRONG), "is also an input"),
    "a folder": (("-f", "jsonl", "--append", "-o", "."), "cannot write ."),
    "nowhere": (("-f", "jsonl", "--append", "-o", "none/h.jsonl"), "cannot write none/h.jsonl"),
}


@pytest.mark.parametrize(("words", "part"), WRONG.values(), ids=WRONG)
def test_wrong_use_is_refused(run, words, part):
    before = sorted(os.listdir())
    refused(run(REF, "-i", STRONG, *words), part)
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize("mode", [("--list",), ("--help",), ("--version",), (*DEMO, "--echo", "src")])
def test_other_modes_cannot_add_to_a_history(run, write, mode):
    write("h.jsonl", "{}\n")
    refused(run(*mode, "--append", "-o", "h.jsonl"), "--append adds scores to a history, but this mode has none")
    assert content("h.jsonl") == b"{}\n"


# --- a history


@pytest.fixture
def append(run):
    return lambda *words, **more: run("-q", REF, "-f", "jsonl", "--append", "-o", "h.jsonl", "-i", *words, **more)


def history():
    return lines_of(content("h.jsonl").decode())


def test_lines_are_added_at_the_end(append):
    assert append(STRONG) == (0, "", "")
    first = content("h.jsonl")
    assert append(WEAK, NEAR, *ALL) == (0, "", "")
    assert append(STRONG, "-sl") == (0, "", "")
    assert content("h.jsonl").startswith(first)
    assert len(history()) == 1 + 10 + 100
    assert not [name for name in os.listdir() if name.startswith(".bleu-")]


def test_without_append_a_file_is_replaced(append, run):
    append(STRONG)
    assert run("-q", REF, "-i", WEAK, "-f", "jsonl", "-o", "h.jsonl").status == 0
    assert [line["system"] for line in history()] == ["weak.de"]


FOREIGN = {
    "text": "Guten Morgen\nGute Nacht\n",
    "JSON": '{\n "name": "BLEU"\n}\n',
    "JSON in a line": '{"name": "BLEU", "score": 1}\n',
    "other JSON Lines": '{"schema": "other/1"}\n',
    "a later shape": '{"schema": "bleucli/scores-2"}\n',
    "a number": "48.6\n",
    "an empty line": "\n",
    "bytes": b"\xff\xfe\x00\n",
    "deep": "[" * 100_000 + "\n",
    "no line": "x" * 5_000_000,
}


@pytest.mark.parametrize("foreign", FOREIGN.values(), ids=FOREIGN)
def test_nothing_is_added_to_what_is_not_a_history(append, write, foreign):
    write("h.jsonl", foreign)
    before = content("h.jsonl")
    refused(append(STRONG), "h.jsonl has lines that -f jsonl did not write; name another file with --output")
    assert content("h.jsonl") == before


def test_nothing_is_added_after_an_incomplete_line(append, write):
    append(STRONG)
    write("h.jsonl", content("h.jsonl") + b'{"schema": "bleu')
    before = content("h.jsonl")
    refused(append(STRONG), "the last line of h.jsonl is incomplete", "delete that line, or end it with a line break")
    assert content("h.jsonl") == before


def test_a_foreign_file_is_refused_before_anything_is_scored(run, write):
    write("h.jsonl", "x\n")
    words = ("none.txt", "-i", "none.sys", "-f", "jsonl", "--append", "-o", "h.jsonl")
    refused(run(*words), "h.jsonl has lines that -f jsonl did not write")


def test_a_file_that_becomes_foreign_meanwhile_stays_as_it_is(append, monkeypatch):
    def check_and_change(path):
        with open(path, "w", encoding="utf-8") as file:
            file.write("x\n")

    monkeypatch.setattr("bleucli.cli.pipeline.refuse_foreign", check_and_change)
    refused(append(STRONG), "h.jsonl has lines that -f jsonl did not write")
    assert content("h.jsonl") == b"x\n"


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_histories_that_other_programs_have_rewritten_are_read_and_added_to(append, write, line_end, mark):
    append(STRONG)
    rewritten = json.dumps(json.loads(content("h.jsonl")), separators=(",", ":"), sort_keys=True).encode()
    write("h.jsonl", mark + rewritten + line_end)
    assert append(STRONG).status == 0
    assert content("h.jsonl").startswith(mark + rewritten + line_end + b'{"schema": ')
    assert append(STRONG, "--baseline", "h.jsonl", "--max-drop", "0") == (0, "", "")


def test_an_empty_file_becomes_a_history(append, write):
    write("h.jsonl", "")
    assert append(STRONG).status == 0
    assert len(history()) == 1


def test_a_gate_that_fails_adds_nothing(append):
    append(STRONG)
    answer = append(WEAK, "--fail-under", "40")
    assert (answer.status, answer.out) == (1, "")
    assert answer.err.splitlines()[1:] == ["bleu: error: nothing was added to h.jsonl, because a gate failed"]
    assert len(history()) == 1


def test_lines_that_cannot_be_written_whole_are_not_added(append, monkeypatch):
    append(STRONG)
    before = content("h.jsonl")

    def sync(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", sync)
    refused(append(WEAK), "cannot write h.jsonl: No space left on device")
    assert content("h.jsonl") == before


@needs_pipes
def test_a_device_is_written_to(run):
    answer = run("-q", REF, "-f", "jsonl", "--append", "-o", "/dev/null", "-i", STRONG)
    assert answer == (0, "", "")


@pytest.mark.slow
def test_the_lines_of_twenty_writers_at_once_stay_whole(folder):
    """Ten of them write one line per segment, which is more than a pipe or a page takes at once."""
    processes = [
        subprocess.Popen(
            (*COMMAND, "-q", REF, "-i", STRONG, "-f", "jsonl", "--append", "-o", "h.jsonl", "--names", f"run{number}")
            + (("-sl",) if number % 2 else ALL),
            env=process_environment({}),
            stderr=subprocess.PIPE,
        )
        for number in range(WRITERS)
    ]
    for process in processes:
        _, err = process.communicate(timeout=300)
        assert (process.returncode, err) == (0, b"")
    found = history()
    for number in range(WRITERS):
        places = [place for place, line in enumerate(found) if line["system"] == f"run{number}"]
        assert len(places) == (100 if number % 2 else 5)
        assert places[-1] - places[0] == len(places) - 1, "one run's lines are adjacent"


# --- as a baseline


@pytest.fixture
def score(run):
    return lambda *words, **more: run("-q", REF, "-i", *words, **more)


def test_an_unchanged_score_is_not_a_drop(score, append):
    append(*SYSTEMS, *ALL)
    answer = score(*SYSTEMS, *ALL, "--baseline", "h.jsonl", "--max-drop", "0")
    assert (answer.status, answer.err) == (0, "")


def test_a_drop_in_the_last_digit_is_noticed(score, write):
    (line,) = lines_of(score(STRONG, "-f", "jsonl").out)
    write("h.jsonl", json.dumps(line | {"score": line["score"] * (1 + 2**-52)}) + "\n")
    assert score(STRONG, "--baseline", "h.jsonl", "--max-drop", "0").status == 1
    assert score(STRONG, "--baseline", "h.jsonl", "--max-drop", "1e-9").status == 0


def test_a_score_that_is_a_whole_number_is_exact_too(score, write):
    (line,) = lines_of(score(STRONG, "-f", "jsonl").out)
    write("h.jsonl", json.dumps(line | {"score": 49}) + "\n")
    answer = score(STRONG, "--baseline", "h.jsonl", "--max-drop", "0.01")
    assert (answer.status, "rounded" in answer.err) == (1, False)


def test_systems_are_found_by_name_whatever_the_format(score, append):
    append(STRONG, WEAK)
    for form in ("json", "text", "csv", "jsonl"):
        words = ("-f", form, "--baseline", "h.jsonl", "--max-drop", "0")
        assert score(WEAK, STRONG, *words).status == 0
        answer = score(WEAK, *words, "--names", "strong.de")
        assert (answer.status, answer.err.count("strong.de: BLEU ")) == (1, 1)
    refused(score(NEAR, "--baseline", "h.jsonl", "--max-drop", "0"), "h.jsonl has no system near", "strong.de, weak.de")


def test_a_single_system_is_compared_whatever_its_name(score, append):
    append(STRONG)
    assert score(WEAK, "--baseline", "h.jsonl", "--max-drop", "1").status == 1


def test_the_latest_score_of_a_history_with_the_same_signature_counts(score, append):
    append(STRONG, "--names", "s")
    append(WEAK, "--names", "s")
    append(STRONG, "-lc", "--names", "s")
    words = (WEAK, "--names", "s", "--baseline", "h.jsonl", "--max-drop", "0")
    assert score(*words).status == 0
    assert score(*words, "-lc").status == 1
    answer = score(*words, "-tok", "char")
    refused(answer, "h.jsonl has BLEU|nrefs:1|case:lc|", "score both in the same way")


def test_a_history_is_compared_with_and_added_to_in_one_run(append):
    append(STRONG, "--names", "s")
    assert append(STRONG, "--names", "s", "--baseline", "h.jsonl", "--max-drop", "0") == (0, "", "")
    assert append(WEAK, "--names", "s", "--baseline", "h.jsonl", "--max-drop", "0").status == 1
    assert len(history()) == 2


def test_a_history_without_scores_to_compare_is_refused(score, append, write):
    words = (STRONG, "--baseline", "h.jsonl", "--max-drop", "0")
    append(STRONG, "-sl")
    refused(score(*words), "h.jsonl has only scores of segments")
    os.remove("h.jsonl")
    append(STRONG)
    good = content("h.jsonl").decode()
    for bad in ("{", "[]", "null", "{}", good[:-40], good.replace('"score": ', '"score": "x", "y": '), '{"schema": 1}'):
        write("h.jsonl", f"{good}\n{bad}\n")
        refused(score(*words), "h.jsonl, line 3 is not a line of bleu -f jsonl")


# --- the package


def test_data_files_are_installed_with_the_package(root):
    """Also checked in the wheel, by .ci/run."""
    project = Path(root) / "pyproject.toml"
    if not project.exists():
        pytest.skip("installed without its checkout")
    installed = tomllib.loads(project.read_text(encoding="utf-8"))["tool"]["setuptools"]["package-data"]
    assert installed["bleucli.output"] == ["scores.schema.json"]
    others = {".py", ".pyc", ".so", ".pyd", ".c", ".h"}
    for path in (Path(root) / "bleucli").rglob("*.*"):
        if path.is_file() and path.suffix not in others and path.name != ".DS_Store":
            packages = [(name, Path(root, *name.split("."))) for name in installed]
            assert any(path in folder.glob(one) for name, folder in packages for one in installed[name]), path
