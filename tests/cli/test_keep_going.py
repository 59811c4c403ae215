"""--keep-going leaves out the systems that cannot be scored, and changes nothing else."""

from __future__ import annotations

import json
import os
import threading
from contextlib import contextmanager, suppress
from io import BytesIO
from xml.etree import ElementTree

import pytest
from conftest import THREE, needs_pipes, refused

from bleucli import reading
from bleucli.cli.main import run as run_command
from bleucli.cli.streams import Environment


def test_the_other_systems_are_scored(run, three_lines):
    answer = run("ref", "-i", "a", "short", "b", "latin", "missing", "-f", "csv", "--keep-going")
    assert answer.status == 2
    assert answer.out == run("ref", "-i", "a", "b", "-f", "csv").out
    *each, last = (line for line in answer.err.splitlines() if "warning" not in line)
    assert [line.partition(":")[0] for line in each] == ["bleu"] * 3
    parts = ("but short has 2", "latin, line 2, byte 15: 0xe9", "cannot read missing")
    for line, part in zip(each, parts, strict=True):
        assert line.startswith("bleu: error: ")
        assert part in line
    assert last == "bleu: error: 3 systems could not be scored (see above)"


def test_without_failures_nothing_changes(run, three_lines):
    assert run("ref", "-i", "a", "b", "--keep-going") == run("ref", "-i", "a", "b")


def test_no_file_is_written_with_only_some_systems(run, three_lines):
    answer = run("ref", "-i", "a", "short", "b", "-o", "scores.json", "--keep-going")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.endswith("1 system could not be scored (see above); scores.json was not written\n")
    assert not os.path.exists("scores.json")


def test_standard_output_is_not_a_file(run, three_lines):
    words = ("ref", "-i", "a", "short", "b", "-f", "csv", "--keep-going")
    assert run(*words, "-o", "-") == run(*words)
    gated = ("ref", "-i", "a", "b", "-f", "csv", "--fail-under", "101")
    assert run(*gated, "-o", "-") == run(*gated)


def test_a_history_gets_no_lines_about_only_some_systems(run, three_lines):
    answer = run("ref", "-i", "a", "short", "-f", "jsonl", "--append", "-o", "history.jsonl", "--keep-going")
    assert answer.err.endswith("1 system could not be scored (see above); nothing was added to history.jsonl\n")
    assert not os.path.exists("history.jsonl")


def test_a_failed_gate_does_not_hide_that_systems_are_missing(run, three_lines):
    answer = run("ref", "-i", "a", "short", "--fail-under", "99", "--keep-going")
    assert answer.status == 2
    assert "is under 99" in answer.err


def test_names_stay_with_their_systems(run, three_lines):
    words = ("-f", "jsonl", "--names", "one,two,three", "--keep-going")
    lines = run("ref", "-i", "a", "short", "b", *words).out.splitlines()
    assert [json.loads(line)["system"] for line in lines] == ["one", "three"]


def test_a_directory_is_left_out_like_a_missing_file(run, three_lines):
    os.mkdir("folder")
    os.symlink("nowhere", "dangling")
    answer = run("ref", "-i", "a", "folder", "dangling", "b", "-f", "csv", "--keep-going")
    assert answer.out == run("ref", "-i", "a", "b", "-f", "csv").out


def test_names_are_counted_before_a_system_is_left_out(run, three_lines):
    answer = run("ref", "-i", "a", "b", "short", "--names", "one,two", "--keep-going")
    refused(answer, "--names has 2 names for 3 systems")


@pytest.mark.parametrize("words", [("--sentence-level",), ("--segment-scores",)])
def test_keep_going_is_refused_where_nothing_can_be_left_out(run, three_lines, words):
    reference = () if "--segment-scores" in words else ("ref",)
    refused(run(*reference, "-i", "a", *words, "--keep-going"), f"{words[0]} cannot be combined with --keep-going: ")


# --- the answer is that of all systems, without those that failed


def of_all(run, *words):
    """Return what is printed for two systems of the same name, and what is printed if the second one fails."""
    whole = run("ref", "-i", "x/s", "y/s", *words, "--keep-going")
    with open("y/s", "a", encoding="utf-8") as file:
        file.write("one more\n")
    part = run("ref", "-i", "x/s", "y/s", *words, "--keep-going")
    return whole, part


@pytest.fixture
def folders(three_lines):
    for name in "xy":
        os.mkdir(name)
        with open(f"{name}/s", "w", encoding="utf-8") as file:
            file.write(THREE)


@pytest.mark.parametrize("words", [("-f", "csv"), ("-f", "tsv"), ("-f", "csv", "--names", "one,two")])
def test_rows_are_those_of_a_run_without_failures(run, folders, words):
    whole, part = of_all(run, *words)
    assert part.status == 2
    assert part.out.splitlines() == whole.out.splitlines()[:2]


@pytest.mark.parametrize("words", [(), ("--names", "a,b"), ("-w", "3"), ("--name-by", "file"), ("-ci", "-cin", "5")])
def test_json_stays_an_array(run, folders, words):
    whole, part = of_all(run, *words)
    assert json.loads(part.out) == json.loads(whole.out)[:1]


def test_lines_stay_those_of_their_systems(run, folders):
    whole, part = (json.loads(answer.out.partition("\n")[0]) for answer in of_all(run, "-f", "jsonl"))
    assert whole["system"] == part["system"] == "x/s"
    assert [one["name"] for one in part["inputs"]] == ["x/s", "ref"]


@pytest.mark.parametrize("form", ["text", "latex", "markdown", "html", "rst"])
def test_a_table_stays_a_table(run, folders, form):
    whole, part = of_all(run, "-f", form)
    assert part.status == 2
    assert len(part.out.splitlines()) >= len(whole.out.splitlines()) - 2
    assert "x/s" in part.out
    assert "y/s" not in part.out


def test_bare_scores_are_refused_however_many_fail(run, folders):
    for answer in of_all(run, "-b"):
        refused(answer, "--score-only has no effect: several systems are printed as a table")


def test_options_are_refused_before_anything_is_left_out(run, three_lines):
    refused(run("ref", "-i", "a", "short", "--keep-going", "--bold-best"), "--bold-best has no effect")
    refused(run("ref", "-i", "a", "short", "--keep-going", "-tok", "zh", "-m", "nonsense"), "nonsense")
    refused(run("ref", "-i", "a", "short", "--keep-going", "--fail-under", "ter=3"), "which is not scored")


def test_a_gate_compares_systems_by_the_names_that_they_have(run, folders):
    run("ref", "-i", "x/s", "y/s", "-o", "before.json")
    for answer in of_all(run, "--baseline", "before.json", "--max-drop", "1", "-f", "csv"):
        assert answer.out.splitlines()[1].startswith("x/s,")
        assert "before.json" not in answer.err


# --- tests


PAIRED = pytest.mark.parametrize("test", [("-pbs", "-pbsn", "2"), ("-par", "-parn", "2")], ids=["bs", "ar"])


@PAIRED
def test_the_other_systems_are_tested(run, three_lines, test):
    answer = run("ref", "-i", "a", "short", "b", *test, "-f", "csv", "--keep-going")
    assert answer.status == 2
    assert [line.partition(",")[0] for line in answer.out.splitlines()] == ["system", "a", "b"]


@PAIRED
def test_without_a_baseline_no_test_can_be_run(run, three_lines, test):
    why = "but short has 2 segments", "; this system is the baseline, so no test can be run; leave out --paired-"
    refused(run("ref", "-i", "short", "a", "b", *test, "--keep-going"), *why)


@PAIRED
def test_a_single_remaining_system_is_not_tested(run, three_lines, test):
    why = "cannot read missing", "; only the baseline, a, is left, so no test can be run; leave out --paired-"
    refused(run("ref", "-i", "a", "missing", *test, "--keep-going"), *why)
    answer = run("ref", "-i", "a", "short", "missing", *test, "--keep-going")
    assert (answer.status, answer.out) == (2, "")
    first, last = answer.err.splitlines()
    assert "short has 2" in first
    assert "cannot read missing" in last
    assert why[1] in last


@PAIRED
@pytest.mark.parametrize("order", [("short", "a"), ("a", "short")])
def test_a_single_remaining_system_is_tested_against_a_file(run, three_lines, order, test):
    run("count", "ref", "-i", "b", "-o", "one.parquet", "-q")
    gate = (*test, "--baseline", "one.parquet", "--max-drop", "99", "-f", "csv", "-q")
    tested = run("ref", "-i", "a", *gate)
    answer = run("ref", "-i", *order, *gate, "--keep-going")
    assert (tested.status, answer.status, answer.out) == (0, 2, tested.out)
    first, last = answer.err.splitlines()
    assert "but short has 2 segments" in first
    assert last.endswith("1 system could not be scored (see above)")
    only = run("ref", "-i", "short", "missing", *gate, "--keep-going")
    assert (only.status, only.out) == (2, "")
    assert only.err.endswith("none of the 2 systems could be scored (see above)\n")


# --- nothing can be scored


def test_each_system_is_named_if_all_fail(run, three_lines):
    answer = run("ref", "-i", "short", "latin", "missing", "--keep-going", "-f", "csv")
    assert (answer.status, answer.out) == (2, "")
    *each, last = answer.err.splitlines()
    for line, name in zip(each, ("short", "latin", "missing"), strict=True):
        assert name in line
    assert last == "bleu: error: none of the 3 systems could be scored (see above)"


def test_the_only_system_ends_the_run_as_without_the_option(run, three_lines):
    for name in ("short", "latin", "missing", "empty"):
        assert run("ref", "-i", name, "--keep-going") == run("ref", "-i", name)
    assert run("ref", "--keep-going", stdin=b"") == run("ref", stdin=b"")
    assert run("ref", "a", "--keep-going", stdin=b"") == run("ref", "a", stdin=b"")


@pytest.mark.parametrize(
    ("references", "why"),
    [
        (("ref", "short"), "ref has 3 segments but short has 2"),
        (("ref", "latin"), "latin, line 2"),
        (("no",), "read no"),
    ],
)
def test_wrong_references_end_the_run(run, three_lines, references, why):
    refused(run(*references, "-i", "a", "missing", "b", "--keep-going"), why)


# --- what can be read only once


@pytest.mark.parametrize("text", [b"the cat sat\n", b"", THREE.encode() + b"more\n", b"a\xff\nb\nc\n"])
def test_standard_input_is_left_out_too(run, three_lines, text):
    for systems in (("a", "-", "b"), ("-", "a", "b")):
        answer = run("ref", "-i", *systems, "-f", "csv", "--keep-going", stdin=text)
        assert answer.status == 2
        assert answer.out == run("ref", "-i", "a", "b", "-f", "csv").out
        first, last = (line for line in answer.err.splitlines() if "warning" not in line)
        assert "standard input" in first
        assert last.endswith("1 system could not be scored (see above)")


def test_standard_input_that_fits_is_scored_and_noted(run, three_lines):
    systems = ("-i", "a", "-", "short", "-f", "jsonl")
    answer = run("ref", *systems, "--keep-going", stdin=THREE.encode())
    alone = run("ref", *systems[:3], *systems[4:], stdin=THREE.encode())
    ours, theirs = ([json.loads(line) for line in one.out.splitlines()] for one in (answer, alone))
    for line in (*ours, *theirs):
        del line["command"], line["time"]
    assert ours == theirs
    assert len(ours) == 2


def test_standard_input_with_a_byte_order_mark_gets_one_hint(run, three_lines):
    answer = run("ref", "-i", "a", "-", "--keep-going", stdin=b"\xef\xbb\xbf" + THREE.encode())
    assert answer.status == 0
    assert answer.err.count("byte-order mark") == 1


def test_reading_an_endless_text_stops_early(run, three_lines):
    class Endless(BytesIO):
        def read(self, size=-1):
            return b"a line\n" * 1000

    out, err = BytesIO(), BytesIO()
    words = ["ref", "-i", "a", "-", "b", "-f", "csv", "--keep-going"]
    assert run_command(words, Environment(Endless(), out, err, {})) == 2
    assert "standard input has at least 1000 segments but ref has 3 segments" in err.getvalue().decode()
    assert out.getvalue().decode() == run("ref", "-i", "a", "b", "-f", "csv").out


@needs_pipes
def test_pipes_are_read_once(run, three_lines):
    os.mkfifo("pipe")
    for text, names in ((THREE, ["a", "pipe", "b"]), ("the cat sat\n", ["a", "b"])):
        with fed("pipe", text):
            answer = run("ref", "-i", "a", "pipe", "b", "-f", "csv", "--keep-going")
        assert answer.status == (0 if len(names) == 3 else 2)
        assert [line.partition(",")[0] for line in answer.out.splitlines()] == ["system", *names]


@needs_pipes
def test_references_may_be_a_pipe(run, three_lines):
    os.mkfifo("pipe")
    with fed("pipe", THREE):
        answer = run("pipe", "-i", "a", "short", "b", "-f", "csv", "--keep-going")
    assert answer.out == run("ref", "-i", "a", "b", "-f", "csv").out
    assert "pipe has 3 segments but short has 2" in answer.err


@contextmanager
def fed(pipe, text):
    """Write text into a named pipe while the test goes on."""
    writer = threading.Thread(target=write_into, args=(pipe, text), daemon=True)
    writer.start()
    yield
    writer.join(10)
    assert not writer.is_alive()


def write_into(pipe, text):
    with suppress(BrokenPipeError), open(pipe, "w", encoding="utf-8") as file:
        file.write(text)


def test_several_test_sets_in_a_row_can_be_read_again(run, three_lines, write):
    segment = '<seg id="1">{0}</seg>'
    document = "<doc id='d'><src lang='en'><p>{0}</p></src><ref lang='de' translator='A'><p>{0}</p></ref></doc>"
    write("own.xml", f"<dataset>{document.format(segment.format('a b c d'))}</dataset>")
    own = ['[testsets."own/set"]', 'about = "made for this"', 'format = "wmt-xml"', 'refs = ["A"]']
    pair = ['sources = [{ url = "own.xml" }]', '[testsets."own/set".pairs.en-de]', 'files = ["source:0"]']
    write("own.toml", "\n".join([*own, *pair, ""]))
    demo = run("-t", "demo", "-l", "en-de", "--echo", "ref").out
    write("good", f"{demo}a b c d\n")
    write("bad", demo)
    sets = ("-t", "demo,own/set", "-l", "en-de", "--registry", "own.toml")
    answer = run(*sets, "-i", "good", "bad", "-f", "csv", "--keep-going", variables={"BLEU_HOME": "cache"})
    assert answer.status == 2
    assert "demo,own/set/en-de has 101 segments but bad has 100" in answer.err
    assert "good,100.0" in answer.out


# --- references that systems bring


def lines(*pairs):
    return "".join(json.dumps({"hypothesis": one, "reference": other}) + "\n" for one, other in pairs)


@pytest.fixture
def harness(write):
    """Write systems in JSON Lines that bring references."""
    right = ("a b c d", "a b c d"), ("e f g h", "e f g h")
    for name in ("one", "two", "three"):
        write(f"{name}.jsonl", lines(*right))
    write("other.jsonl", lines(right[0], ("e f g h", "x y z")))
    write("cut.jsonl", lines(right[0]))
    write("bare.jsonl", '{"hypothesis": "a"}\n{"hypothesis": "b"}\n')
    write("broken.jsonl", lines(right[0]) + "{\n")
    write("empty.jsonl", "")


@pytest.mark.parametrize("wrong", ["other", "cut", "broken", "missing", "empty"])
def test_a_system_with_other_references_is_left_out(run, harness, wrong):
    answer = run("-i", "one.jsonl", f"{wrong}.jsonl", "two.jsonl", "-f", "csv", "--keep-going")
    assert answer.status == 2
    assert answer.out == run("-i", "one.jsonl", "two.jsonl", "-f", "csv").out
    assert f"{wrong}.jsonl" in answer.err.splitlines()[0]


def test_a_system_may_bring_no_references(run, harness):
    words = ("-i", "one.jsonl", "bare.jsonl", "two.jsonl", "-f", "csv")
    assert run(*words, "--keep-going") == run(*words)


@pytest.mark.parametrize("wrong", ["bare", "broken", "missing", "empty"])
def test_the_first_system_that_can_be_read_brings_the_references(run, harness, wrong):
    answer = run("-i", f"{wrong}.jsonl", "one.jsonl", "two.jsonl", "-f", "csv", "--keep-going")
    assert answer.status == 2
    assert answer.out == run("-i", "one.jsonl", "two.jsonl", "-f", "csv").out


@pytest.mark.parametrize("wrong", ["other", "cut"])
def test_references_that_no_other_system_has_end_the_run(run, harness, wrong):
    why = f"no other system agrees with {wrong}.jsonl, whose references would be used"
    for others in (("one.jsonl",), ("one.jsonl", "two.jsonl", "three.jsonl"), ("one.jsonl", "missing.jsonl")):
        line = refused(run("-i", f"{wrong}.jsonl", *others, "--keep-going"), why)
        assert ("line 2 of cut.jsonl is missing" in line) == (wrong == "cut")
        assert "counting from 0" not in line


def test_standard_input_may_bring_the_references(run, harness):
    with open("one.jsonl", "rb") as file:
        text = file.read()
    words = ("-i", "-", "two.jsonl", "other.jsonl", "three.jsonl", "--jsonl", "-f", "csv", "--keep-going")
    answer = run(*words, stdin=text)
    assert answer.status == 2
    assert [line.partition(",")[0] for line in answer.out.splitlines()] == ["system", "standard input", "two", "three"]


def test_systems_of_one_file_fail_together(run, three_lines, write):
    write("many.jsonl", '{"out": ["a", "b"]}\n{"out": ["c", "d"]}\n')
    fields = ("--jsonl-fields", "hyp=x:out.0,y:out.1")
    answer = run("ref", "-i", "a", "many.jsonl", "b", *fields, "-f", "junit", "--keep-going")
    assert answer.err.endswith("2 systems could not be scored (see above)\n")
    names = [suite.get("name") for suite in ElementTree.fromstring(answer.out) if suite.get("errors") == "1"]
    assert names == ["x", "y"]


# --- reports


def test_a_report_has_an_error_for_each_system_that_is_left_out(run, three_lines):
    answer = run("ref", "-i", "short", "a", "missing", "b", "--fail-under", "101", "-f", "junit", "--keep-going")
    assert answer.status == 2
    root = ElementTree.fromstring(answer.out)
    assert [root.get(key) for key in ("tests", "failures", "errors", "skipped")] == ["4", "2", "2", "0"]
    errors = {case.get("classname"): case.find("error") for case in root.iter("testcase")}
    assert [name for name, error in errors.items() if error is not None] == ["short", "missing"]
    assert "short has 2 segments" in errors["short"].get("message") == errors["short"].text


def test_a_report_is_written_where_systems_are_left_out_and_where_all_are(run, three_lines):
    for systems, errors in ((("a", "short"), "1"), (("short", "missing"), "2"), (("short",), "1"), (("missing",), "1")):
        answer = run("ref", "-i", *systems, "-f", "junit", "-o", "report.xml", "--keep-going")
        assert (answer.status, answer.out) == (2, "")
        assert "not written" not in answer.err
        assert ElementTree.parse("report.xml").getroot().get("errors") == errors
        os.remove("report.xml")
    for name in ("short", "latin", "missing", "empty"):
        assert run("ref", "-i", name, "-f", "junit", "--keep-going").err == run("ref", "-i", name).err
    refused(run("no", "-i", "a", "-f", "junit", "--keep-going"), "read no")
    refused(run("ref", "a", "-f", "junit", "--keep-going"), "if a is the system's output, write -i a")


def test_each_text_is_read_once_before_it_is_scored(run, three_lines, monkeypatch):
    opened = []
    read = reading._open_raw
    monkeypatch.setattr(reading, "_open_raw", lambda path: opened.append(path) or read(path))
    run("ref", "-i", "a", "b", "c", "--keep-going")
    assert sorted(opened) == sorted(["ref", "a", "b", "c"] * 2)
