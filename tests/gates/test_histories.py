"""Histories as baselines: which earlier score a new one is compared with, by system, file and references."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import tracemalloc

import portalocker
import pytest
from conftest import COMMAND, process_environment, refused
from paired_samples import texts

from bleucli.errors import BleuError
from bleucli.gates import Bound, Gates
from bleucli.gates.baselines import read_baseline
from bleucli.output import render
from bleucli.output.layout import Layout
from bleucli.results import Input, Results, Run, ScoreRecord, SystemResult
from bleucli.results.signature import Signature

REF, OTHER, STRONG, WEAK = "reference.A.de.txt", "reference.B.de.txt", "strong.de.txt", "weak.de.txt"
COMPARED = ("--baseline", "h.jsonl", "--max-drop", "0")
DROPPED = ("--baseline", "h.jsonl", "--max-drop", "99")
OTHERS = "score both with the same references"

pytestmark = pytest.mark.usefixtures("demo_files")


@pytest.fixture
def score(run):
    return lambda *words, **more: run("-q", *words, **more)


@pytest.fixture
def append(score):
    def append(*words, **more):
        answer = score(*words, "-f", "jsonl", "--append", "-o", "h.jsonl", **more)
        assert answer == (0, "", "")

    return append


@pytest.fixture
def folders(folder):
    """Make folders, each with the strong system as s.txt, and a history in w with the weak one."""
    for name in "xyzw":
        (folder / name).mkdir()
        shutil.copy(WEAK if name == "w" else STRONG, folder / name / "s.txt")


def change_history(change):
    """Rewrite each line of the history."""
    with open("h.jsonl", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    for line in lines:
        change(line)
    with open("h.jsonl", "w", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(line)}\n" for line in lines)


# --- references


def test_other_references_are_an_error_that_names_both(score, append):
    append(REF, "-i", STRONG)
    line = refused(score(OTHER, "-i", STRONG, *DROPPED), OTHERS)
    assert f"h.jsonl has BLEU with {REF} (SHA-256 " in line
    assert f"as reference, but the new score uses {OTHER} (SHA-256 " in line
    assert score(REF, "-i", STRONG, *COMPARED).status == 0


def test_a_reference_that_has_changed_is_another_one(score, append):
    append(REF, "-i", STRONG)
    shutil.copy(OTHER, REF)
    refused(score(REF, "-i", STRONG, *DROPPED), f"has BLEU with {REF} (SHA-256 ", OTHERS)


def test_references_may_have_other_names_and_another_order(score, append):
    append(REF, OTHER, "-i", STRONG)
    os.rename(REF, "x.txt")
    assert score(OTHER, "x.txt", "-i", STRONG, *COMPARED).status == 0
    shutil.copy(STRONG, "y.txt")
    refused(score(OTHER, "y.txt", "-i", STRONG, *DROPPED), f"with {REF} (SHA-256 ", f" and {OTHER} (SHA-256 ", OTHERS)


def test_the_latest_score_with_the_same_references_counts(score, append):
    append(REF, "-i", STRONG)
    append(OTHER, "-i", WEAK, "--names", "strong.de")
    assert score(REF, "-i", WEAK, "--names", "strong.de", *COMPARED).status == 1
    assert score(OTHER, "-i", WEAK, "--names", "strong.de", *COMPARED).status == 0


def test_every_way_to_give_references_is_compared(score, append):
    append(REF, "-i", STRONG)
    for words in (("-f", "text"), ("-f", "jsonl"), ("-f", "junit"), ("-b",), ("-ci", "-cin", "10")):
        refused(score(OTHER, "-i", STRONG, *words, *DROPPED), OTHERS)


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line.update(inputs=None),
        lambda line: line.update(inputs=[]),
        lambda line: line.pop("inputs"),
        lambda line: [one.pop("sha256") for one in line["inputs"]],
        lambda line: line["inputs"][1].update(sha256=None),
        lambda line: line["inputs"].pop(1),
    ],
)
def test_references_whose_digest_is_not_known_are_not_compared(score, append, change):
    append(REF, "-i", STRONG)
    change_history(change)
    assert score(OTHER, "-i", STRONG, *DROPPED).status == 0


@pytest.mark.parametrize("inputs", [5, [5], {"role": "x"}, [{"role": "system"}], [{"role": 1, "name": "x"}]])
def test_malformed_inputs_in_a_history_are_refused(score, append, inputs):
    append(REF, "-i", STRONG)
    change_history(lambda line: line.update(inputs=inputs))
    refused(score(REF, "-i", STRONG, *COMPARED), "h.jsonl, line 1 is not a line of bleu -f jsonl")


def test_a_baseline_in_json_has_no_digests(score):
    assert score(REF, "-i", STRONG, "-w", "9", "-o", "old.json").status == 0
    assert score(OTHER, "-i", STRONG, "--baseline", "old.json", "--max-drop", "99").status == 0


def test_references_from_standard_input_are_compared(score, append, folder):
    ours, theirs = (folder.joinpath(name).read_bytes() for name in (REF, OTHER))
    append("-", "-i", STRONG, stdin=ours)
    assert score("-", "-i", STRONG, *COMPARED, stdin=ours).status == 0
    assert score(REF, "-i", STRONG, *COMPARED).status == 0
    refused(score("-", "-i", STRONG, *DROPPED, stdin=theirs), "the new score uses standard input (SHA-256 ", OTHERS)


def test_compressed_references_are_compared_as_they_are(score, append, write):
    write("r.gz", gzip.compress("".join(f"{line}\n" for line in texts("reference.A")).encode()))
    append("r.gz", "-i", STRONG)
    assert score("r.gz", "-i", STRONG, *COMPARED).status == 0
    refused(score(OTHER, "-i", STRONG, *DROPPED), OTHERS)


def test_references_of_a_test_set_are_compared(score, append):
    words = ("-t", "demo", "-l", "en-de", "-i", STRONG)
    append(*words)
    assert score(*words, *COMPARED).status == 0
    change_history(lambda line: line["inputs"][1].update(sha256="0" * 64))
    refused(score(*words, *DROPPED), "h.jsonl has BLEU with demo/en-de", OTHERS)


def items(hypotheses, references):
    rows = zip(hypotheses, references, strict=True)
    lines = (json.dumps({"hypothesis": one, "reference": other}) for one, other in rows)
    return "".join(f"{line}\n" for line in lines)


def test_references_in_one_file_with_the_output_are_not_compared(score, append, write):
    """The digest of the file changes with the output."""
    references = texts("reference.A")
    write("old.jsonl", items(texts("weak"), references))
    write("new.jsonl", items(texts("strong"), references))
    append("-i", "old.jsonl")
    assert score("-i", "new.jsonl", *COMPARED).status == 0
    piped = items(texts("strong"), references).encode()
    assert score("--jsonl", "-i", "-", *COMPARED, stdin=piped).status == 0


def test_references_that_another_system_brings_along_are_not_compared(score, append, write):
    for name, system in (("a", "weak"), ("b", "strong")):
        write(f"{name}.jsonl", items(texts(system), texts("reference.A")))
        write(f"{name}.more.jsonl", "".join(json.dumps({"hypothesis": line}) + "\n" for line in texts(system)))
    append("-i", "a.jsonl", "a.more.jsonl", "--names", "x,y")
    assert score("-i", "b.jsonl", "b.more.jsonl", "--names", "x,y", *COMPARED).status == 0


def test_references_in_separate_json_lines_are_compared(score, append, write):
    for name in ("reference.A", "reference.B"):
        write(f"{name}.jsonl", "".join(json.dumps({"reference": line}) + "\n" for line in texts(name)))
    append("reference.A.jsonl", "-i", STRONG)
    assert score("reference.A.jsonl", "-i", STRONG, *COMPARED).status == 0
    refused(score("reference.B.jsonl", "-i", STRONG, *DROPPED), OTHERS)


def test_references_that_are_scored_as_well_are_compared(score, append):
    append(REF, "-i", STRONG, REF)
    assert score(REF, "-i", STRONG, REF, *COMPARED).status == 0
    refused(score(OTHER, "-i", STRONG, *DROPPED), OTHERS)


def test_nothing_is_hashed_without_a_baseline(score, monkeypatch):
    monkeypatch.setattr("hashlib.sha256", lambda: pytest.fail("hashed"))
    assert score(REF, "-i", STRONG, "--fail-under", "1").status == 0


def test_python_compares_references_where_the_run_is_known(write):
    record = ScoreRecord("BLEU", 48.5, "", Signature([("tok", "13a")]), True)

    def results(digest):
        inputs = Input("system", "s.txt", 1, "1" * 64), Input("reference", "r.txt", 1, digest)
        return Results([SystemResult("s", [record])], 1, [], run=Run([inputs[0]], [inputs[1]]) if digest else None)

    write("h.jsonl", render(results("2" * 64), Layout(), "jsonl"))
    old = read_baseline("h.jsonl", "h.jsonl")
    gate = Gates(max_drop={"": Bound(0.0)})
    for digest in ("", "2" * 64):
        assert [one.failure for one in gate.judge(results(digest), old)] == [""]
    with pytest.raises(BleuError, match=OTHERS):
        gate.judge(results("3" * 64), old)


# --- which system


def test_an_answer_about_one_system_is_compared_with_any_system(score, append):
    """The everyday use: the last release's output against this one's."""
    append(REF, "-i", STRONG, "-m", "bleu", "ter")
    assert score(REF, "-i", WEAK, *COMPARED).status == 1
    append(REF, "-i", STRONG, "-m", "chrf")
    assert score(REF, "-i", WEAK, "-m", "chrf", *COMPARED).status == 1


def test_in_a_history_systems_are_found_by_name(score, append):
    for _ in range(2):
        append(REF, "-i", STRONG)
    line = refused(score(REF, "-i", WEAK, *DROPPED), "h.jsonl has no system weak.de; it has strong.de;")
    assert line.endswith("give its name with --names; otherwise add the new system first, without --baseline\n")
    assert score(REF, "-i", WEAK, *COMPARED, "--names", "strong.de").status == 1
    append(REF, "-i", WEAK)
    assert score(REF, "-i", WEAK, *COMPARED).status == 0


def test_a_system_without_a_name_is_not_compared_with_others(score, append):
    append(REF, "-i", STRONG, WEAK)
    change_history(lambda line: line.update(system=line["system"].replace("strong.de", "")))
    assert score(REF, "-i", WEAK, *COMPARED).status == 0
    refused(score(REF, "-i", STRONG, *COMPARED), "h.jsonl has no system strong.de; it has ")


def test_only_a_few_of_many_systems_are_named(score, append, write):
    names = [f"s{number}" for number in range(12)]
    for name in names:
        shutil.copy(STRONG, f"{name}.txt")
    append(REF, "-i", *(f"{name}.txt" for name in names))
    refused(score(REF, "-i", WEAK, *DROPPED), "it has s0, s1, s2, s3, s4, s5, s6, s7, s8, ...;")


def test_files_of_one_name_are_distinguished_by_their_folders(score, append, folders):
    append(REF, "-i", "w/s.txt")
    append(REF, "-i", "x/s.txt")
    append(REF, "-i", "w/s.txt")
    assert score(REF, "-i", "w/s.txt", *COMPARED).status == 0, "compared with x/s.txt, which is better"
    assert score(REF, "-i", "./x//s.txt", *COMPARED).status == 0
    shutil.copy(WEAK, "x/s.txt")
    assert score(REF, "-i", "x/s.txt", *COMPARED).status == 1
    line = refused(score(REF, "-i", "y/s.txt", *DROPPED), "h.jsonl has several systems named s, from w/s.txt and x/")
    assert line.endswith("this one is from y/s.txt: give each system its own name with --names\n")
    piped = b"x\n" * 100
    refused(score(REF, *COMPARED, "--names", "s", stdin=piped), "systems named s", "this one is from standard input")


def test_a_file_that_moved_is_the_same_system(score, append, folders):
    for _ in range(2):
        append(REF, "-i", "x/s.txt")
    assert score(REF, "-i", "y/s.txt", *COMPARED).status == 0
    assert score(REF, "-i", "w/s.txt", *COMPARED).status == 1


def test_a_given_name_is_the_same_system_wherever_its_file_is(score, append, folders):
    for name in "xyz":
        append(REF, "-i", f"{name}/s.txt", "--names", "prod")
    assert score(REF, "-i", "w/s.txt", "--names", "prod", *COMPARED).status == 1
    assert score(REF, "-i", "y/s.txt", "--names", "prod", *COMPARED).status == 0


def test_paths_as_names_are_never_mistaken(score, append, folders):
    for name in "xw":
        append(REF, "-i", f"{name}/s.txt", "--name-by", "path")
    assert score(REF, "-i", "w/s.txt", "--name-by", "path", *COMPARED).status == 0
    refused(score(REF, "-i", "y/s.txt", "--name-by", "path", *COMPARED), "no system y/s.txt; it has x/s.txt, w/s.txt;")


def test_columns_of_standard_input_are_found_by_number(score, append):
    piped = "".join(f"{one}\t{other}\n" for one, other in zip(texts("strong"), texts("weak"), strict=True)).encode()
    for _ in range(2):
        append(REF, stdin=piped)
    assert score(REF, *COMPARED, stdin=piped).status == 0


def test_systems_of_one_file_of_json_lines_are_found_by_name(score, append, write):
    rows = zip(texts("strong"), texts("weak"), texts("reference.A"), strict=True)
    items = "".join(json.dumps({"out": [one, other], "ref": ref}) + "\n" for one, other, ref in rows)
    write("old.jsonl", items)
    write("new.jsonl", items)
    fields = ("--jsonl-fields", "hyp=a:out.0,b:out.1,refs=ref")
    for name in ("old.jsonl", "new.jsonl"):
        append("-i", name, *fields)
    assert score("-i", "new.jsonl", *fields, *COMPARED).status == 0


# --- files


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="others may not write to a locked file there")
def test_a_line_that_is_being_added_is_waited_for(append):
    append(REF, "-i", STRONG)
    with open("h.jsonl", "a+b", buffering=0) as file:
        portalocker.lock(file, portalocker.LockFlags.EXCLUSIVE)
        file.seek(0)
        line = file.readline()
        file.write(line[:99])
        words = (*COMMAND, "-q", REF, "-i", STRONG, "-b", *COMPARED)
        reader = subprocess.Popen(words, env=process_environment({}), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        with pytest.raises(subprocess.TimeoutExpired):
            reader.wait(1)
        file.write(line[99:])
    out, _ = reader.communicate(timeout=60)
    assert (reader.returncode, out) == (0, b"48.6\n")


@pytest.mark.parametrize(
    "damage", ["{", "[1", "\0", '{"schema": 1}', '{"schema": "bleucli/scores-2"}', "NaN", "[" * 100_000]
)
def test_a_damaged_line_is_named(score, append, damage):
    append(REF, "-i", STRONG)
    with open("h.jsonl", "a", encoding="utf-8") as file:
        file.write(f"{damage}\n")
    refused(score(REF, "-i", STRONG, *COMPARED), "h.jsonl, line 2 is not a line of bleu -f jsonl; delete it")


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e999", "1e99999999999999999999", "null", "true", '"1"', "[]"]
)
def test_a_score_that_is_not_a_number_is_refused(score, append, number):
    append(REF, "-i", STRONG)
    with open("h.jsonl", encoding="utf-8") as file:
        line = re.sub(r'"score": [^,]+', f'"score": {number}', file.read())
    with open("h.jsonl", "w", encoding="utf-8") as file:
        file.write(line)
    refused(score(REF, "-i", STRONG, *COMPARED), "h.jsonl, line 1 is not a line of bleu -f jsonl")


def test_a_long_history_is_read_line_by_line(score, append):
    """Of scores that were made in the same way, only the latest one is kept."""
    append(REF, "-i", STRONG)
    with open("h.jsonl", encoding="utf-8") as file:
        line = json.loads(file.read())
    tracemalloc.start()
    try:
        with open("h.jsonl", "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line | {"score": number / 100}) + "\n" for number in range(1000))
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        old = read_baseline("h.jsonl", "h.jsonl")
        assert tracemalloc.get_traced_memory()[1] - before < os.path.getsize("h.jsonl") / 4
    finally:
        tracemalloc.stop()
    (scores,) = (metrics["BLEU"] for metrics in old.systems.values())
    assert [float(one.score) for one in scores] == [9.99]
    refused(score(REF, "-i", WEAK, *COMPARED), "no system weak.de")
