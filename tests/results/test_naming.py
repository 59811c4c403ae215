"""Names of systems: by path, by file, or as the user says; with the mark of the baseline, or a field for it."""

from __future__ import annotations

import csv
import io
import json

import pytest
from conftest import refused
from hypothesis import given
from hypothesis import strategies as st

from bleucli.errors import UsageError
from bleucli.results.naming import by_file, mark_baseline, name_column, name_systems, unmark_baseline

BY_PATH = ("json", "text", "latex")
BY_FILE = ("csv", "tsv", "markdown", "html", "rst")
TEST = ("--paired-ar", "--paired-ar-n", "10")
PARTS = st.sampled_from(["a", "b", "a.txt", "a.gz", "b.txt.gz", ".txt", ".", ".."])
PATHS = st.lists(st.lists(PARTS, min_size=1, max_size=3).map("/".join), min_size=1, max_size=6, unique=True)


@pytest.fixture
def systems(write, folder):
    """Write references and two systems with the same name; return the words to score them."""
    for place in ("old", "new"):
        (folder / place).mkdir()
    write("ref.txt", "the cat sat on the mat\nhello world\n")
    write("old/out.txt", "the cat sat on a mat\nhello there world\n")
    write("new/out.txt", "the cat sat on the mat\nhello there world\n")
    write("other.txt", "the cat\nhello\n")
    return ("-q", "ref.txt", "-i", "old/out.txt", "new/out.txt", "other.txt")


def rows(answer, delimiter=","):
    assert (answer.status, answer.err) == (0, "")
    return list(csv.DictReader(io.StringIO(answer.out, newline=""), delimiter=delimiter))


def names(answer):
    assert (answer.status, answer.err) == (0, "")
    return [system["system"] for system in json.loads(answer.out)]


# --- files


@pytest.mark.parametrize(
    ("path", "name"),
    {
        "out/sys.txt": "sys",
        "sys.de.txt.gz": "sys.de",
        "/tmp/a/sys.jsonl.zst": "sys",
        "sys.TXT": "sys",
        "sys.txt.txt": "sys.txt",
        "sys.gz.txt": "sys.gz",
        "sys.en-de": "sys.en-de",
        "sys.comet": "sys.comet",
        ".txt": ".txt",
        "standard input": "standard input",
        "System 1": "System 1",
    }.items(),
)
def test_names_of_files_leave_out_the_folder_and_known_endings(path, name):
    assert by_file([path]) == [name]


def test_folders_stay_only_where_two_names_would_be_equal():
    assert by_file(["x/old/a.txt", "x/new/a.txt", "x/new/b.txt"]) == ["old/a", "new/a", "b"]
    assert by_file(["1/s/a.txt", "2/s/a.txt"]) == ["1/s/a", "2/s/a"]
    assert by_file(["a.txt", "s/a.txt"]) == ["a.txt", "s/a"]
    assert by_file(["a.txt", "a.txt.gz", "a"]) == ["a.txt", "a.txt.gz", "a"]
    assert by_file(["x/a.txt", "b.txt"], taken=["a", "b"]) == ["x/a", "b.txt"]


@given(PATHS)
def test_no_two_files_have_the_same_name(paths):
    assert len(set(by_file(paths))) == len(paths)


def test_each_system_gets_a_name_of_its_own():
    assert name_systems(["x/a.txt", "b"], ["one", "two"]) == ["one", "two"]
    for wrong in (["one"], ["one", "one"], ["one", ""], []):
        with pytest.raises(UsageError, match="names"):
            name_systems(["x/a.txt", "b"], wrong)


# --- the command


@pytest.mark.parametrize("form", BY_PATH)
def test_sacrebleus_formats_name_paths(run, systems, form):
    answer = run(*systems, "-f", form)
    assert answer == run(*systems, "-f", form, "--name-by", "path")
    assert "old/out.txt" in answer.out


@pytest.mark.parametrize("form", BY_FILE)
def test_all_other_formats_name_files(run, systems, form):
    answer = run(*systems, "-f", form)
    assert answer == run(*systems, "-f", form, "--name-by", "file")
    assert "old/out" in answer.out
    assert ".txt" not in answer.out
    assert "old/out.txt" in run(*systems, "-f", form, "--name-by", "path").out


@pytest.mark.parametrize("form", [*BY_PATH, *BY_FILE])
@pytest.mark.parametrize("test", [(), TEST])
def test_given_names_are_in_every_format(run, systems, form, test):
    answer = run(*systems, "-f", form, *test, "--names", "first, zweite,系3")
    assert answer.status == 0
    for name in ("first", "zweite", "U+7CFB3" if form == "latex" else "&#31995;3" if form == "html" else "系3"):
        assert name in answer.out
    assert "/out" not in answer.out
    assert ("Baseline: first" in answer.out) == (bool(test) and form not in ("csv", "tsv"))


def test_the_baseline_is_a_mark_for_readers_and_a_field_for_programs(run, systems):
    tested = rows(run(*systems, "-f", "csv", *TEST))
    assert [(row["system"], row["baseline"]) for row in tested] == [
        *(("old/out", "true"), ("new/out", "false"), ("other", "false")),
    ]
    plain = rows(run(*systems, "-f", "tsv"), "\t")
    assert [row["system"] for row in plain] == [row["system"] for row in tested]
    assert "baseline" not in plain[0]
    assert names(run(*systems, *TEST)) == ["Baseline: old/out.txt", "new/out.txt", "other.txt"]
    assert "| Baseline: old/out |" in run(*systems, "-f", "markdown", *TEST).out


def test_columns_of_standard_input_keep_their_numbers_in_a_test(run, systems):
    piped = b"the cat sat on a mat\tthe cat sat on the mat\nhello there world\thello world\n"
    words = ("-q", "ref.txt")
    for test in ((), TEST):
        assert [row["system"] for row in rows(run(*words, "-f", "csv", *test, stdin=piped))] == ["System 1", "System 2"]
    assert names(run(*words, *TEST, stdin=piped)) == ["Baseline", "System 1"]
    assert names(run(*words, *TEST, "--names", "a,b", stdin=piped)) == ["Baseline: a", "b"]
    answer = run(*words, "--paired-ar", "--fail-under", "99", stdin=piped)
    assert [line.split(": BLEU")[0] for line in answer.err.splitlines()] == ["bleu: error: System 1"]


@given(st.lists(st.sampled_from(["Baseline", "Baseline: a", "Baseline: Baseline", "a", "System 1", "System 2"])))
def test_a_mark_can_be_removed_again(names):
    columns = [name_column(number) for number in range(len(names))]
    if names and names != columns:
        assert unmark_baseline(mark_baseline(names)) == names


def test_names_work_for_json_lines_test_sets_and_scores_of_segments(run, write):
    write("a.jsonl", '{"hypothesis": "a b c d", "reference": "a b c d e"}\n')
    write("b.jsonl", '{"hypothesis": "a b c e"}\n')
    assert names(run("-q", "-i", "a.jsonl", "b.jsonl", "--names", "x,y")) == ["x", "y"]
    write("a.txt", "Danke\n" * 100)
    write("b.txt", "Ja\n" * 100)
    test_set = ("-q", "-t", "demo", "-l", "en-de", "-i", "a.txt", "b.txt")
    assert names(run(*test_set, "--name-by", "file")) == ["a", "b"]
    write("a.txt", "1\n2\n")
    write("b.txt", "3\n4\n")
    answer = run("-q", "--segment-scores", "-i", "a.txt", "b.txt", "--names", "x,y", "--paired-bs", "-pbsn", "10")
    assert names(answer) == ["Baseline: x", "y"]


@pytest.mark.parametrize("named", [(), ("--name-by", "file")])
def test_names_from_fields_are_never_shortened(run, write, folder, named):
    line = '{"out": ["a b c d", "a b c e", "a b"], "gold": "a b c d e"}\n'
    for name in ("one", "two"):
        write(f"{name}.jsonl", line)
    (folder / "old").mkdir()
    write("old/x.txt", "a b c\n")
    fields = ("--jsonl-fields", "hyp=my.sys.txt:out.0,lab/x:out.1,x:out.2,refs=gold", "-f", "csv", "-q", *named)
    found = rows(run("-i", "one.jsonl", "old/x.txt", *fields))
    assert [row["system"] for row in found] == ["my.sys.txt", "lab/x", "x", "old/x"]
    found = rows(run("-i", "one.jsonl", "two.jsonl", *fields))
    each = ("my.sys.txt", "lab/x", "x")
    assert [row["system"] for row in found] == [f"{name}:{system}" for name in ("one", "two") for system in each]


def test_messages_have_names_without_the_mark(run, systems):
    answer = run(*systems, "--names", "one,two,three", *TEST, "--fail-under", "99")
    found = [line.partition(": BLEU")[0] for line in answer.err.splitlines()]
    assert (answer.status, found) == (1, [f"bleu: error: {name}" for name in ("one", "two", "three")])


WRONG = {
    "too few": (("--names", "a,b"), "--names has 2 names for 3 systems; give each system a name"),
    "too many": (("--names", "a,b,c,d"), "--names has 4 names for 3 systems"),
    "one twice": (("--names", "a,b,a"), "--names has 'a' for 2 systems"),
    "an empty one": (("--names", "a,,b"), "--names has an empty name"),
    "both": (("--names", "a,b,c", "--name-by", "file"), "leave out --name-by"),
    "another way": (("--name-by", "size"), "--name-by"),
    "the mark of another": ((*TEST, "--names", "a,Baseline: a,b"), "two systems would be called 'Baseline: a'"),
}


@pytest.mark.parametrize(("words", "part"), WRONG.values(), ids=WRONG)
def test_wrong_names_are_refused(run, systems, words, part):
    refused(run(*systems, *words), part)


def test_too_many_names_for_one_system_are_counted_in_english(run, systems):
    answer = run("ref.txt", "-i", "other.txt", "-f", "csv", "--names", "a,b")
    refused(answer, "--names has 2 names for 1 system; give each system a name")


def test_a_repeated_baseline_needs_no_second_name(run, systems):
    words = (*systems, "old/out.txt", *TEST)
    assert names(run(*words, "--names", "a,b,c")) == ["Baseline: a", "b", "c"]
