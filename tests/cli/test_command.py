"""The command's answers, against strings written by hand: see `command_answers`."""

from __future__ import annotations

import json
import math
import os

import pytest
from command_answers import (
    JSON,
    JSON_OF_TWO,
    PERFECT,
    SEGMENT_SIGNATURE,
    SEGMENTS,
    SHORT_SIGNATURE,
    SIGNATURE,
    TABLE,
    TEXT,
    VERBOSE,
    VERBOSE_1,
    VERSION,
)

import bleucli


@pytest.fixture
def pair(pair):
    """Leave out notes, which other tests check."""
    return ("-q", *pair)


# --- one system


def test_json_is_the_default(run, pair):
    assert run(*pair) == (0, JSON, "")


def test_json_is_an_object_with_the_signature_keys_in_order(run, pair):
    assert run(*pair, "-f", "json") == (0, JSON, "")
    keys = ["name", "score", "signature", "verbose_score", "nrefs", "case", "eff", "tok", "smooth", "version"]
    assert list(json.loads(JSON)) == keys


def test_text_is_one_line(run, pair):
    assert run(*pair, "-f", "text") == (0, TEXT, "")


def test_short_changes_the_signature_of_text(run, pair):
    assert run(*pair, "-f", "text", "-sh") == (0, f"BLEU|{SHORT_SIGNATURE} = 45.9 {VERBOSE}\n", "")


def test_short_does_not_change_json(run, pair):
    assert run(*pair, "--short") == (0, JSON, "")


@pytest.mark.parametrize("form", [(), ("-f", "text"), ("-f", "json")])
def test_score_only_prints_only_the_number(run, pair, form):
    assert run(*pair, "-b", *form) == (0, "45.9\n", "")


@pytest.mark.parametrize(("width", "score"), [("0", "46"), ("1", "45.9"), ("2", "45.91"), ("6", "45.914977")])
def test_width_is_the_number_of_decimals_of_the_score_and_of_nothing_else(run, pair, width, score):
    assert run(*pair, "-b", "-w", width).out == f"{score}\n"
    assert run(*pair, "-f", "text", "-w", width).out == f"BLEU|{SIGNATURE} = {score} {VERBOSE}\n"
    assert json.loads(run(*pair, "-w", width).out)["score"] == float(score)
    assert json.loads(run(*pair, "-w", width).out)["verbose_score"] == VERBOSE


def test_text_prints_all_decimals_and_json_a_number(run, pair):
    words = ("-q", "ref.txt", "-i", "ref.txt", "-w", "3")
    assert run(*words, "-f", "text").out == f"BLEU|{SIGNATURE} = 100.000 {PERFECT}\n"
    assert ' "score": 100.0,\n' in run(*words).out


def test_a_thousand_decimals_can_be_printed(run, pair):
    assert len(run(*pair, "-b", "-w", "1000").out) == len("45.\n") + 1000


def test_options_of_bleu_reach_the_score_and_the_signature(run, write):
    write("ref.txt", "The cat\n")
    write("sys.txt", "the dog\n")
    words = ("ref.txt", "-i", "sys.txt", "-f", "text", "-lc", "-tok", "none", "-s", "floor", "-sv", "0.125")
    # 1/2 and 0.125/1
    signature = f"nrefs:1|case:lc|eff:no|tok:none|smooth:floor[0.125]|ngram:2|version:{VERSION}"
    line = f"BLEU|{signature} = 25.0 50.0/12.5 (BP = 1.000 ratio = 1.000 hyp_len = 2 ref_len = 2)\n"
    assert run(*words, "--max-ngram-order", "2").out == line


def test_a_metric_named_twice_is_computed_once(run, pair):
    assert run(*pair, "-m", "bleu", "bleu") == (0, JSON, "")


@pytest.mark.parametrize("method", ["floor", "add-k"])
def test_json_holds_no_infinity_however_strong_the_smoothing(run, write, method):
    write("ref.txt", "a b c d e\n")
    write("sys.txt", "a x b y c\n")
    words = ("ref.txt", "-i", "sys.txt", "-q", "-s", method, "-sv")
    answer = run(*words, "1e100")
    assert answer.status == 0
    assert math.isfinite(json.loads(answer.out, parse_constant=pytest.fail)["score"])
    assert run(*words, "1e101")[:2] == (2, "")


# --- several systems


def test_several_systems_make_a_table(run, pair):
    assert run(*pair, "ref.txt", "-f", "text") == (0, TABLE, "")


def test_short_changes_the_signatures_under_a_table(run, pair):
    assert run(*pair, "ref.txt", "-f", "text", "-sh") == (0, TABLE.replace(SIGNATURE, SHORT_SIGNATURE), "")


def test_a_table_has_as_many_decimals_as_asked_for(run, pair):
    out = run(*pair, "ref.txt", "-f", "text", "-w", "3").out
    assert "│  sys.txt │ 45.915  │\n" in out
    assert "│  ref.txt │ 100.000 │\n" in out


def test_several_systems_in_json_are_an_array_of_objects(run, pair):
    assert run(*pair, "ref.txt", "-f", "json") == (0, JSON_OF_TWO, "")
    assert run(*pair, "ref.txt") == (0, JSON_OF_TWO, "")


def test_systems_are_named_as_they_were_given(run, pair):
    systems = json.loads(run(*pair, "./ref.txt", "-f", "json").out)
    assert [system["system"] for system in systems] == ["sys.txt", "./ref.txt"]


def test_columns_of_standard_input_are_numbered_systems(run, write):
    write("ref.txt", "the cat sat on the mat\nhello world\n")
    columns = b"the cat sat on a mat\tthe cat sat on the mat\nhello there world\thello world\n"
    table = TABLE.replace(" sys.txt", "System 1").replace(" ref.txt", "System 2")
    assert run("-q", "ref.txt", "-f", "text", stdin=columns) == (0, table, "")
    names = [system["system"] for system in json.loads(run("ref.txt", "-f", "json", stdin=columns).out)]
    assert names == ["System 1", "System 2"]


def test_a_trailing_empty_column_is_a_system_of_its_own(run, write):
    write("ref.txt", "a\nb\n")
    systems = json.loads(run("ref.txt", "-f", "json", "-tok", "none", stdin=b"a\t\nb\t\n").out)
    assert [system["system"] for system in systems] == ["System 1", "System 2"]
    assert "hyp_len = 0" in systems[1]["BLEU"]["verbose_score"]


def test_tabs_of_a_named_file_are_white_space(run, write):
    write("ref.txt", "a b c d\n")
    write("sys.txt", "a\tb\tc\td\n")
    for source in ("sys.txt", "-"):
        assert run("ref.txt", "-i", source, "-b", stdin=b"a\tb\tc\td\n")[:2] == (0, "100.0\n")


# --- one score per segment


def test_sentence_level_prints_one_line_per_segment(run, pair):
    assert run(*pair, "-sl") == (0, SEGMENTS, "")
    assert run(*pair, "-sl", "-f", "text") == (0, SEGMENTS, "")
    assert run("ref.txt", "-sl", stdin=b"the cat sat on a mat\nhello there world") == (0, SEGMENTS, "")


def test_sentence_level_with_short_signatures(run, pair):
    out = run(*pair, "-sl", "-sh").out
    assert out == SEGMENTS.replace(SEGMENT_SIGNATURE, SHORT_SIGNATURE.replace("e:no", "e:yes"))


@pytest.mark.parametrize("form", [(), ("-f", "text"), ("-f", "json")])
def test_sentence_level_with_score_only_prints_one_number_per_line(run, pair, form):
    assert run(*pair, "-sl", "-b", "-w", "2", *form) == (0, "53.73\n34.67\n", "")


def test_sentence_level_in_json_is_json_lines(run, pair):
    answer = run(*pair, "-sl", "-f", "json")
    first, second = map(json.loads, answer.out.splitlines())
    assert (first["score"], first["verbose_score"]) == (53.7, VERBOSE_1)
    assert (second["score"], second["signature"], second["eff"]) == (34.7, SEGMENT_SIGNATURE, "yes")
    assert list(first) == list(json.loads(JSON))


def test_sentence_level_counts_the_references_of_each_segment(run, pair, write):
    write("more.txt", "hello cat\n\n")
    words = ("ref.txt", "more.txt", "-i", "sys.txt", "-f", "json", "--skip-empty-refs")
    lines = run(*words, "-sl").out.splitlines()
    assert [json.loads(line)["nrefs"] for line in lines] == ["2", "1"]
    assert json.loads(run(*words).out)["nrefs"] == "var"


# --- gates


@pytest.mark.parametrize("bound", ["-1", "0", "45.9", "45.914976"])
def test_a_score_that_is_not_under_the_bound_passes(run, pair, bound):
    assert run(*pair, "--fail-under", bound) == (0, JSON, "")


@pytest.mark.parametrize("bound", ["45.915", "46", "100.1", "1e9"])
def test_a_score_under_the_bound_is_printed_and_fails(run, pair, bound):
    answer = run(*pair, "--fail-under", bound)
    assert (answer.status, answer.out) == (1, JSON)
    assert answer.err.startswith("bleu: error: sys.txt: BLEU 45.914976")
    assert answer.err.count("\n") == 1


def test_a_score_at_the_bound_passes(run, pair):
    assert run("-q", "ref.txt", "-i", "ref.txt", "-b", "--fail-under", "100") == (0, "100.0\n", "")


def test_a_failed_gate_shows_enough_digits_to_distinguish_score_and_bound(run, pair):
    score = bleucli.corpus_bleu(
        ["the cat sat on a mat", "hello there world"], [["the cat sat on the mat", "hello world"]]
    ).score
    bound = math.nextafter(score, 101)
    line = run(*pair, "--fail-under", repr(bound)).err
    assert repr(score) in line
    assert repr(bound) in line
    assert run(*pair, "--fail-under", repr(score)).status == 0


def test_one_system_under_the_bound_is_enough_to_fail(run, pair):
    answer = run("-q", "ref.txt", "-i", "ref.txt", "sys.txt", "--fail-under", "50")
    assert answer.status == 1
    assert "sys.txt: BLEU" in answer.err
    assert "ref.txt: BLEU" not in answer.err


def test_every_system_under_the_bound_is_named(run, pair):
    lines = run("-q", "ref.txt", "-i", "ref.txt", "sys.txt", "--fail-under", "101").err.splitlines()
    assert [line.split(":")[2] for line in lines] == [" ref.txt", " sys.txt"]


def test_a_failed_gate_writes_no_output_file(run, pair, write):
    assert run(*pair, "--fail-under", "46", "-o", "out.txt").status == 1
    assert not os.path.exists("out.txt")
    write("out.txt", "old\n")
    assert run(*pair, "--fail-under", "46", "-o", "out.txt").status == 1
    with open("out.txt", encoding="utf-8") as file:
        assert file.read() == "old\n"
    assert run(*pair, "--fail-under", "45", "-o", "out.txt") == (0, "", "")
    with open("out.txt", encoding="utf-8") as file:
        assert file.read() == JSON


def test_quiet_does_not_hide_a_failed_gate(run, pair):
    answer = run(*pair, "--fail-under", "46", "-q")
    assert answer.status == 1
    assert answer.err.startswith("bleu: error: sys.txt: BLEU")


# --- threads


@pytest.mark.parametrize(
    "jobs", ["3", *(pytest.param(jobs, marks=pytest.mark.slow) for jobs in ("0", "1", "2", "100"))]
)
@pytest.mark.parametrize("extra", [(), ("-sl",), ("-f", "text", "-tok", "char"), ("-i", "sys.txt", "ref2.txt")])
def test_threads_do_not_change_the_answer(run, write, small_blocks, jobs, extra):
    write("ref.txt", "".join(f"the {n} cats sat on {n % 7} mats .\n" for n in range(300)))
    write("ref2.txt", "".join(f"{n} cats sat on the {n % 5} mats\n" for n in range(300)))
    write("sys.txt", "".join(f"the {n} cats sat on the {n % 3} mats .\n" for n in range(300)))
    words = ("ref.txt", "ref2.txt", *(() if "-i" in extra else ("-i", "sys.txt")), *extra)
    answer = run(*words)
    assert answer.status == 0
    assert run(*words, "-J", jobs) == answer
