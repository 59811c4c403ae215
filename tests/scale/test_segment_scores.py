"""--segment-scores: means, intervals and tests of numbers, one per line, against plain NumPy; and refused lines."""

from __future__ import annotations

import json
import re
from statistics import fmean

import numpy as np
import pytest
from conftest import refused
from paired_samples import (
    numbers,
    plain_bootstrap,
    plain_bootstrap_p_value,
    plain_interval,
    plain_randomization_p_value,
)

from bleucli import __version__, output

FORMATS = ("text", "json", "jsonl", "latex", "markdown", "html", "rst", "csv", "tsv", "card", "paper")
FEW = ("-cin", "150", "-pbsn", "150", "-parn", "150")
COUNT = 90


def values(seed, mean=0.7):
    return np.random.default_rng(seed).normal(mean, 0.1, size=COUNT).tolist()


COLUMNS = {"a.txt": values(1), "b.txt": values(2, 0.73), "c.txt": values(3, 0.8)}


@pytest.fixture
def files(write):
    """Write the columns and return their names."""
    return [write(name, "".join(f"{number!r}\n" for number in column)) for name, column in COLUMNS.items()]


@pytest.fixture
def scores(run, files):
    """Run the command with scores of segments, and return its JSON."""

    def scores(*words, **more):
        answer = run("-q", "--segment-scores", *words, **more)
        assert (answer.status, answer.err) == (0, "")
        return json.loads(answer.out)

    return scores


# --- figures


def test_a_score_is_the_mean(scores):
    for name, column in COLUMNS.items():
        assert scores("-i", name, "-w", "15")["score"] == pytest.approx(fmean(column), rel=1e-14)


def test_each_of_several_systems_has_a_mean(scores, files):
    found = [(system["system"], system["score"]["score"]) for system in scores("-i", *files, "-w", "15")]
    assert found == [(name, pytest.approx(fmean(column), rel=1e-14)) for name, column in COLUMNS.items()]


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "jsonl"])
@pytest.mark.parametrize(
    ("lines", "words", "printed"),
    [
        (("0.7800", "0.7718"), (), "0.772"),
        (("0.7800", "0.7718"), ("-w", "1"), "0.8"),
        (("-0.12345", "0.25"), (), "0.123"),
        (("0.7800", "71.2345"), (), "71.2"),
        (("71.2345", "81.2"), ("-w", "2"), "71.23"),
    ],
)
def test_means_up_to_1_have_three_decimals_and_others_one(run, write, form, lines, words, printed):
    paths = [write(f"{name}.comet", f"{line}\n{line}\n") for name, line in zip("ab", lines, strict=True)]
    answer = run("-q", "--segment-scores", "-i", *paths, "-f", form, *words)
    assert answer.status == 0
    assert re.search(rf"(?<![\d.]){re.escape(printed)}(?!\d)", answer.out)


def test_an_interval_is_that_of_plain_resampling(scores):
    answer = scores("-i", "b.txt", "-ci", "-cin", "150", "-w", "15")
    mean, half_width = plain_interval(plain_bootstrap(numbers(COLUMNS["b.txt"]), 150, 12345).tolist())
    assert answer["confidence_mean"] == pytest.approx(mean, rel=1e-12)
    assert answer["confidence_var"] == pytest.approx(half_width, rel=1e-12)
    assert answer["signature"] == f"bs:150|seed:12345|version:bleucli-{__version__}"


@pytest.mark.parametrize("seed", ["12345", "1", "0"])
@pytest.mark.parametrize(
    ("test", "formula"), [("-pbs", plain_bootstrap_p_value), ("-par", plain_randomization_p_value)]
)
def test_p_values_are_those_of_the_formulas(scores, files, test, formula, seed):
    baseline, *others = scores("-i", *files, test, *FEW, variables={"BLEU_SEED": seed})
    assert baseline["system"] == "Baseline: a.txt"
    assert baseline["score"]["p_value"] is None
    for system in others:
        samples = numbers(COLUMNS["a.txt"]), numbers(COLUMNS[system["system"]])
        assert system["score"]["p_value"] == formula(*samples, 150, int(seed))


def test_the_paired_bootstrap_gives_each_its_interval(scores, files):
    for system, column in zip(scores("-i", *files, "-pbs", *FEW), COLUMNS.values(), strict=True):
        expected = plain_interval(plain_bootstrap(numbers(column), 150, 12345).tolist())
        assert (system["score"]["mean"], system["score"]["ci"]) == pytest.approx(expected, rel=1e-12)


def test_every_pair_can_be_tested(scores, files):
    answer = scores("-i", *files, "-par", "--paired-all", *FEW)
    pairs = [("a.txt", "b.txt"), ("a.txt", "c.txt"), ("b.txt", "c.txt")]
    p_values = [plain_randomization_p_value(*(numbers(COLUMNS[name]) for name in pair), 150, 12345) for pair in pairs]
    found = {system["system"].removeprefix("Baseline: "): system["score"]["p_values"] for system in answer}
    for p_value, (one, other) in zip(p_values, pairs, strict=True):
        assert found[one][other]["p"] == p_value
        assert p_value <= found[one][other]["corrected"] <= 1
    assert "|correction:max-t|" in answer[0]["score"]["signature"]
    assert answer[2]["score"]["cluster"] == 1


@pytest.mark.parametrize("words", [("-ci",), ("-pbs",), ("-par",)])
def test_blocks_and_threads_change_no_byte(run, files, monkeypatch, words):
    line = ("-q", "--segment-scores", "-i", *files, *words, *FEW, "-w", "15")
    expected = run(*line)
    monkeypatch.setattr("bleucli.reading._BLOCK_BYTES", 100)
    monkeypatch.setattr("bleucli.significance.resampling._TRIALS_HELD", 7)
    for jobs in ((), ("-j", "2"), ("-J", "2")):
        assert run(*line, *jobs) == expected


def test_equal_numbers_with_different_digits_are_identical(scores, write):
    write("x.txt", "1\n2.50\n-0.25\n")
    write("y.txt", "1e0\n 2.5 \n-.25\r\n")
    for test in ("-pbs", "-par"):
        assert scores("-i", "x.txt", "y.txt", test, *FEW)[1]["score"]["p_value"] == 1.0


# --- input


def test_columns_of_standard_input_are_systems(scores, files):
    rows = zip(*COLUMNS.values(), strict=True)
    piped = "".join("\t".join(map(repr, row)) + "\n" for row in rows).encode()
    answer = scores("-pbs", *FEW, stdin=piped)
    assert [system["system"] for system in answer] == ["Baseline", "System 1", "System 2"]
    assert [system["score"] for system in answer] == [system["score"] for system in scores("-i", *files, "-pbs", *FEW)]


def test_patterns_and_compressed_files_are_read(scores, write):
    import gzip

    write("z.txt", gzip.compress(b"1\n2\n"))
    write("y.txt", "3\n4\n")
    assert [system["score"]["score"] for system in scores("-i", "[yz].txt")] == [3.5, 1.5]


@pytest.mark.parametrize(
    "text", ["", "x", "nan", "NaN", "inf", "-Infinity", "1_000", "1,5", "1e400", "1e101", "0x10", "1 2"]
)
@pytest.mark.parametrize("line", [1, 3, 90])
def test_a_line_that_is_not_a_number_is_named(run, files, write, text, line):
    lines = [repr(number) for number in COLUMNS["a.txt"]]
    lines[line - 1] = text
    write("bad.txt", "".join(f"{one}\n" for one in lines))
    answer = run("--segment-scores", "-i", "a.txt", "bad.txt")
    if line > 1:
        refused(answer, f"bad.txt, line {line}: {text!r} is not a number", "expected one score per line")
    else:  # it may begin another layout
        refused(answer, "bad.txt")


def test_a_line_is_named_in_a_later_block_too(run, write, monkeypatch):
    monkeypatch.setattr("bleucli.reading._BLOCK_BYTES", 16)
    write("bad.txt", "0.5\n" * 40 + "oops\n" + "0.5\n" * 9)
    refused(run("--segment-scores", "-i", "bad.txt"), "bad.txt, line 41: 'oops' is not a number")


def test_a_bad_column_is_named(run):
    refused(run("--segment-scores", stdin=b"1\t2\n3\tx\n"), "System 2, line 2: 'x'")


def test_the_largest_numbers_add_up(scores, write):
    write("x.txt", "1e100\n" * 500)
    write("y.txt", "-1e100\n" * 500)
    found = scores("-i", "x.txt", "y.txt", "-pbs", *FEW)
    assert [system["score"]["score"] for system in found] == [1e100, -1e100]


def test_different_lengths_are_refused(run, files, write):
    write("short.txt", "0.5\n")
    for words in ((), ("-pbs",), ("-par",)):
        answer = run("--segment-scores", "-i", "a.txt", "short.txt", *words)
        refused(answer, "a.txt has 90 segments", "short.txt has 1 segment", "line 2 of short.txt is missing")


def test_an_empty_file_is_refused(run, write):
    write("empty.txt", "")
    refused(run("--segment-scores", "-i", "empty.txt"), "empty.txt", "empty")


WRONG = {
    "references": (("a.txt", "-i", "b.txt"), "leave out references"),
    "a metric": (("-i", "a.txt", "-m", "bleu"), "-m"),
    "scores of segments": (("-i", "a.txt", "-sl"), "-sl"),
    "a signature": (("-i", "a.txt", "--like", "BLEU|tok:13a"), "--like"),
    "one system to test": (("-i", "a.txt", "-pbs"), "only one was given"),
    "no seed": (("-i", "a.txt", "-ci"), "BLEU_SEED"),
}


@pytest.mark.parametrize(("words", "part"), WRONG.values(), ids=WRONG)
def test_wrong_use_is_refused(run, files, words, part):
    refused(run("--segment-scores", *words, variables={"BLEU_SEED": "x"} if "-ci" in words else {}), part)


def test_json_and_parquet_are_refused(run, files, write):
    write("x.jsonl", '{"hypothesis": "1", "reference": "2"}\n')
    for words, name in (
        (("-i", "x.jsonl"), "x.jsonl"),
        (("-i", "a.txt", "x.jsonl"), "x.jsonl"),
        (("--jsonl",), "standard input"),
        (("-i", "a.txt", "x.parquet"), "x.parquet"),
    ):
        refused(
            run("--segment-scores", *words),
            f"--segment-scores reads lines of text, but {name} is JSON or Parquet; read it beside texts: bleu REF -i"
            " SYSTEM --scores NAME=FILE",
        )


@pytest.mark.parametrize("words", [(), ("-ci", *FEW)])
def test_layouts_of_text_are_read_as_scores_reads_them(scores, files, write, words):
    column = COLUMNS["a.txt"]
    order = sorted(range(len(column)), key=str)
    layouts = {
        "comet": "".join(f"s.txt\tSegment {n}\tscore: {column[n]!r}\n" for n in order) + "s.txt\tscore: 0.5\n",
        "csv": "segment,quality\n" + "".join(f"{n + 1},{column[n]!r}\n" for n in order),
        "seg.score": "".join(f"KIT\t{number!r}\n" for number in column),
    }
    expected = scores("-i", "a.txt", *words, "-w", "15")
    for name, text in layouts.items():
        write(name, text)
        assert scores("-i", name, *words, "-w", "15") == expected
    both = scores("-i", "comet", "a.txt", "-par", *FEW)  # which have different numbers of lines
    assert both[0]["score"]["score"] == both[1]["score"]["score"]


def test_different_numbers_of_scores_are_refused_in_other_layouts_too(run, files, write):
    write("x", "score\n0.5\n0.25\n")
    count = len(COLUMNS["a.txt"])
    refused(run("--segment-scores", "-i", "a.txt", "x"), f"x has 2 scores, but there are {count} segments; give one")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("KIT\t0.5\nNRC\t0.25\n", "x has scores of KIT, NRC; give a file for each system"),
        ("Segment 0\tscore: 0.5\nSegment 0\tscore: 0.25\n", "x has the id '0' more than once, so its scores cannot"),
        ("a,b\n", "there are no segments to score; expected at least one"),
        ("KIT\t0.5\nKIT\tNone\n", "x: the score of segment 2 is missing; give each segment a score"),
        ("[0.5, 1]\n", "x is JSON; read it beside texts: bleu REF -i SYSTEM --scores NAME=x"),
        ("id;score\n1;0.5\n", "x begins with 'id;score'; put commas or tabs between columns"),
    ],
)
def test_wrong_layouts_are_refused(run, write, text, message):
    write("x", text)
    refused(run("--segment-scores", "-i", "x"), message)


# --- gates


def test_gates_apply_to_means(run, files):
    line = ("-q", "--segment-scores", "-i")
    assert run(*line, "c.txt", "--fail-under", "0.75").status == 0
    failed = run(*line, *files, "--fail-under", "0.75")
    assert failed.status == 1
    assert [error.split()[2] for error in failed.err.splitlines()] == ["a.txt:", "b.txt:"]
    assert run(*line, "c.txt", "-w", "17", "-o", "old.json").status == 0
    assert run(*line, "c.txt", "--baseline", "old.json", "--max-drop", "0").status == 0
    failed = run(*line, "a.txt", "--baseline", "old.json", "--max-drop", "0.05")
    assert failed.status == 1
    assert failed.err.startswith("bleu: error: a.txt: score 0.")


@pytest.mark.parametrize("test", ["-pbs", "-par"])
def test_only_a_significant_drop_fails(run, files, write, test):
    noisy = [number + 0.5 * (-1) ** place - 0.001 for place, number in enumerate(COLUMNS["a.txt"])]
    write("noisy.txt", "".join(f"{number!r}\n" for number in noisy))
    assert run("-q", "--segment-scores", "-i", "a.txt", "noisy.txt", test, *FEW, "--max-drop", "0").status == 0
    assert run("-q", "--segment-scores", "-i", "c.txt", "a.txt", test, *FEW, "--max-drop", "0").status == 1


# --- formats


@pytest.mark.parametrize("words", [(), ("-ci",), ("-pbs",), ("-par", "--paired-all", "--bold-best")])
@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_the_means(run, files, form, words):
    words = tuple(word for word in words if word != "--bold-best" or output.FORMATS[form].shows_bold())
    unrounded = form == "jsonl" or (form == "json" and words not in ((), ("-ci",)))
    answer = run("-q", "--segment-scores", "-i", *files, *words, *FEW, "-w", "3", "-f", form)
    assert (answer.status, answer.err) == (0, "")
    for name, column in COLUMNS.items():
        assert (name if output.FORMATS[form].of_sacrebleu else name.removesuffix(".txt")) in answer.out
        assert (repr(fmean(column))[:10] if unrounded else f"{fmean(column):.3f}") in answer.out


def test_one_system_is_one_line_of_text(run, write):
    write("x.txt", "1\n2\n6\n")
    version = f"version:bleucli-{__version__}"
    assert run("--segment-scores", "-i", "x.txt", "-f", "text").out == f"score|{version} = 3.0\n"
    assert run("--segment-scores", "-i", "x.txt", "-b").out == "3.0\n"
    mean, half_width = plain_interval(plain_bootstrap(numbers([1.0, 2.0, 6.0]), 1000, 12345).tolist())
    assert run("--segment-scores", "-i", "x.txt", "-b", "-ci").out == f"3.0 (μ = {mean:.1f} ± {half_width:.1f})\n"


# --- coarse scores, for which many trials equal the observed difference


@pytest.fixture
def judgements(write):
    """Write 500 judgements of two systems: of 20 disagreements, 14 favour the first one, so that p = 0.115."""
    write("a.txt", "1\n" * 14 + "0\n" * 6 + "1\n" * 480)
    write("b.txt", "0\n" * 14 + "1\n" * 6 + "1\n" * 480)


@pytest.mark.parametrize("words", [(), ("--paired-all",)])
def test_trials_that_equal_the_difference_are_counted(scores, judgements, words):
    _, other = scores("-i", "a.txt", "b.txt", "-par", *words)
    assert other["score"]["p_value"] == pytest.approx(0.1153, abs=0.01)


def test_coarse_scores_are_neither_starred_nor_fail_a_gate(run, judgements):
    words = ("--segment-scores", "-i", "a.txt", "b.txt", "-par", "-f", "markdown", "--max-drop", "0", "-q")
    answer = run(*words)
    assert (answer.status, answer.err) == (0, "")
    assert ")\\*" not in answer.out
