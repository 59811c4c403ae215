"""Gates: --fail-under, and --max-drop against an earlier answer or the first system; status 0, 1 or 2."""

from __future__ import annotations

import json
import os
import random
import xml.etree.ElementTree as ElementTree

import pytest
from conftest import needs_pipes, refused
from paired_samples import near, texts

from bleucli import gates
from bleucli.errors import BleuError
from bleucli.gates import Bound, Gates
from bleucli.gates.baselines import read_baseline
from bleucli.results import Results, ScoreRecord, SystemResult
from bleucli.results.signature import Signature

REF, STRONG, WEAK, NEAR = "reference.A.de.txt", "strong.de.txt", "weak.de.txt", "near.txt"
ALL = ("-m", "bleu", "chrf", "ter")
FEW = ("--paired-bs-n", "200", "--paired-ar-n", "200")
TESTS = ("--paired-bs", "--paired-ar")
FULL = ("-w", "17")


@pytest.fixture(autouse=True)
def systems(demo_files, write):
    """Add a system that differs from the strong one in a few segments, and is slightly better."""
    write(NEAR, "".join(f"{line}\n" for line in near(texts("strong"))))


@pytest.fixture
def score(run):
    """Run with a reference and without notes."""
    return lambda *words, **more: run("-q", REF, "-i", *words, **more)


@pytest.fixture
def baseline(score):
    """Write an answer to a file and return its name."""

    def baseline(*words):
        assert score(*words, "-o", "old.json").status == 0
        return "old.json"

    return baseline


def changed(name, change):
    """Change the JSON in a file, which is an answer with one score."""
    with open(name, encoding="utf-8") as file:
        answer = json.load(file)
    change(answer)
    with open(name, "w", encoding="utf-8") as file:
        json.dump(answer, file)


def failed(answer, *lines):
    """Check that a gate failed with lines that begin like these."""
    assert answer.status == 1
    found = answer.err.splitlines()
    assert len(found) == len(lines), found
    for line, start in zip(found, lines, strict=True):
        assert line.startswith(f"bleu: error: {start}"), line


# --- --fail-under


def test_any_system_under_the_bound_fails(score):
    assert score(STRONG, NEAR, WEAK, "--fail-under", "10").status == 0
    failed(score(STRONG, NEAR, WEAK, "--fail-under", "30"), f"{WEAK}: BLEU 11.5")
    failed(score(STRONG, NEAR, WEAK, "--fail-under", "99"), f"{STRONG}: BLEU", f"{NEAR}: BLEU", f"{WEAK}: BLEU")


def test_an_error_rate_over_the_bound_fails(score):
    answer = score(STRONG, WEAK, "-m", "ter", "--fail-under", "60")
    failed(answer, f"{WEAK}: TER ")
    assert "is over 60.0 (--fail-under)" in answer.err
    assert score(STRONG, WEAK, "-m", "ter", "--fail-under", "999").status == 0


def test_only_the_first_metric_counts(score):
    assert score(STRONG, "-m", "bleu", "ter", "--fail-under", "40").status == 0


@pytest.mark.parametrize("words", [("-ci", "-cin", "20"), ("-pbs", "-pbsn", "20"), ("-par", "-parn", "20")])
def test_the_baseline_of_a_test_may_fail_too(score, words):
    answer = score(WEAK, STRONG, *words, "--fail-under", "30")
    failed(answer, f"{WEAK}: BLEU")
    assert json.loads(answer.out)[0]["BLEU"]["score"] < 30


def test_the_unrounded_score_is_compared_and_printed(score):
    exact = json.loads(score(STRONG, *FULL).out)["score"]
    assert score(STRONG, "-w", "0", "--fail-under", repr(exact)).status == 0
    failed(score(STRONG, "-w", "0", "--fail-under", repr(exact + 1e-9)), f"{STRONG}: BLEU {exact!r} is under")


# --- gates by metric


def scores_of(score, system):
    """Return the unrounded scores of a system by metric."""
    found = json.loads(score(system, *ALL, *FULL).out)
    return dict(zip(("bleu", "chrf", "ter"), (one["score"] for one in found), strict=True))


def test_each_metric_has_its_own_bound(score):
    exact = scores_of(score, STRONG)
    just = ",".join(f"{name}={number!r}" for name, number in exact.items())
    assert score(STRONG, *ALL, "--fail-under", just).status == 0
    for name, called in (("bleu", "BLEU"), ("chrf", "chrF2"), ("ter", "TER")):
        worse = exact | {name: exact[name] + (-1e-9 if name == "ter" else 1e-9)}
        answer = score(STRONG, *ALL, "--fail-under", ",".join(f"{each}={number!r}" for each, number in worse.items()))
        direction = "over" if name == "ter" else "under"
        failed(answer, f"{STRONG}: {called} {exact[name]!r} is {direction} {worse[name]!r} (--fail-under)")
    failed(score(STRONG, WEAK, *ALL, "--fail-under", "chrf=50,ter=60"), f"{WEAK}: chrF2 ", f"{WEAK}: TER ")
    assert score(STRONG, WEAK, *ALL, "--fail-under", "ter=999").status == 0


@pytest.mark.parametrize("metric", ["wer", "cer"])
def test_error_rates_fail_above_their_bound(score, metric):
    words = ("-m", metric, "bleu", "--fail-under")
    assert score(STRONG, *words, f"{metric}=99").status == 0
    failed(score(STRONG, *words, f"{metric}=1"), f"{STRONG}: {metric.upper()} ")


def test_a_metric_with_options_is_named_without_them(score):
    failed(score(WEAK, "-m", "chrf", "-cw", "2", "--fail-under", "chrf=99"), f"{WEAK}: chrF2++ ")
    failed(score(WEAK, "--like", "chrF2|nc:6|nw:2", "--fail-under", "chrf=99"), f"{WEAK}: chrF2++ ")


def test_each_metric_has_its_own_drop(score, baseline):
    old, new = scores_of(score, NEAR), scores_of(score, STRONG)
    baseline(NEAR, *ALL, *FULL)
    words = (STRONG, *ALL, "--baseline", "old.json", "--max-drop")
    drops = {name: new[name] - old[name] if name == "ter" else old[name] - new[name] for name in old}
    assert drops["bleu"] > 0
    enough = {name: max(0, drop) + 1e-9 for name, drop in drops.items()}
    assert score(*words, ",".join(f"{name}={drop!r}" for name, drop in enough.items())).status == 0
    failed(score(*words, f"chrf=9,bleu={drops['bleu'] - 1e-9!r},ter=9"), f"{STRONG}: BLEU ")
    assert score(*words, "chrf=9").status == 0, "the others have no gate"


def test_a_baseline_needs_only_what_is_compared(score, baseline):
    old = baseline(STRONG, "-m", "chrf", *FULL)
    assert score(STRONG, *ALL, "--baseline", old, "--max-drop", "chrf=0").status == 0
    refused(score(STRONG, *ALL, "--baseline", old, "--max-drop", "chrf=0,ter=1"), "old.json has no TER; it has chrF2")


def test_a_drop_may_be_a_share_of_the_baseline(score, baseline):
    old, new = scores_of(score, STRONG), scores_of(score, WEAK)
    baseline(STRONG, *ALL, *FULL)
    words = (WEAK, *ALL, "--baseline", "old.json", "--max-drop")
    share = 100 * (old["bleu"] - new["bleu"]) / old["bleu"]
    assert score(*words, f"bleu={share + 1e-6!r}%").status == 0
    answer = score(*words, f"bleu={share - 1e-6!r}%")
    failed(answer, f"{WEAK}: BLEU ")
    assert f" more than {share - 1e-6!r}% of {old['bleu']!r} = " in answer.err
    rise = 100 * (new["ter"] - old["ter"]) / old["ter"]
    assert score(*words, f"ter={rise + 1e-6!r}%").status == 0
    failed(score(*words, f"ter={rise - 1e-6!r}%"), f"{WEAK}: TER ")
    failed(score(*words, "2%"), f"{WEAK}: BLEU ", f"{WEAK}: chrF2 ", f"{WEAK}: TER ")
    assert score(*words, "999%").status == 0


def test_a_share_of_the_first_system_is_compared_too(score):
    answer = score(STRONG, WEAK, "-par", *FEW, "--max-drop", "bleu=2%")
    failed(answer, f"{WEAK}: BLEU ")
    assert ", p = 0.0050, more than 2% of 48." in answer.err
    assert " = 0.97" in answer.err
    assert score(STRONG, WEAK, "-par", *FEW, "--max-drop", "90%").status == 0
    assert score(STRONG, NEAR, "-par", *FEW, "--max-drop", "0%").status == 0


@pytest.mark.parametrize(
    ("number", "earlier", "share", "fell"),
    [
        (33.2, "33.9", 2, True),  # 0.7 is more than 0.678
        (33.3, "33.9", 2, False),
        (33.24, "33.9", 2, True),  # it would be written as 33.2
        (49.0, "50.0", 2, False),  # 1 is not more than 1
        (-0.51, "-0.5000000000001", 1, True),
        (-0.502, "-0.5000000000001", 1, False),  # a share of a negative score is taken of its absolute value
        (0.0, "0.0", 2, False),
        (5.0, "0.0", 2, False),
        (33.9, "33.9", 0, False),
        (33.84, "33.9", 0, True),
    ],
)
def test_a_share_is_taken_of_the_score_as_the_baseline_has_it(write, number, earlier, share, fell):
    assert bool(Scored(number).fell(write, earlier, share, percent=True)) is fell


def test_a_share_that_is_finer_than_the_baseline_is_refused(write):
    with pytest.raises(BleuError, match=r"rounded too far for --max-drop 0.1%; write the baseline with -w 9"):
        Scored(33.2).fell(write, "33.9", 0.1, percent=True)
    assert not Scored(33.9).fell(write, "33.9", 0.1, percent=True), "nothing was rounded"


def test_an_error_rate_of_0_may_not_rise_by_any_share(write):
    assert Scored(0.7, higher_is_better=False).fell(write, "0.0", 50, percent=True)
    assert not Scored(0.04, higher_is_better=False).fell(write, "0.0", 50, percent=True)


def test_numbers_that_were_read_have_gates_by_their_name(run, write):
    write("a.txt", "0.9\n0.7\n")
    write("b.txt", "0.5\n0.3\n")
    words = ("--segment-scores", "-q", "-i", "a.txt", "b.txt")
    failed(run(*words, "--fail-under", "score=0.5"), "b.txt: score 0.4 is under 0.5")
    refused(run(*words, "--fail-under", "bleu=0.5"), "'bleu' is not a metric; expected one of score")
    refused(run(*words, "--fail-under", "5", "--scale", "1"), "--scale has no effect: scores from elsewhere")


# --- gates without a metric


def notes(answer):
    return [line for line in answer.err.splitlines() if line.startswith("bleu: note: --")]


def test_a_bare_bound_applies_to_the_first_metric_named(run):
    words = (REF, "-i", STRONG, "-m", "ter", "bleu", "--fail-under")
    failed(run(*words, "20", "-q"), f"{STRONG}: TER ")
    answer = run(*words, "99", terminal=True)
    assert answer.status == 0
    assert notes(answer) == [
        "bleu: note: --fail-under 99.0 applies to TER only, the first metric named; to gate others as well, write"
        " --fail-under ter=99.0,bleu=X"
    ]
    assert notes(run(*words, "99", "-q", terminal=True)) == []
    assert notes(run(*words, "ter=99", terminal=True)) == []
    assert notes(run(REF, "-i", STRONG, "--fail-under", "1", terminal=True)) == []


def test_a_bare_drop_applies_to_all_metrics(run, baseline):
    words = (REF, "-i", STRONG, *ALL, "--baseline", baseline(STRONG, *ALL, *FULL), "--max-drop")
    expected = (
        "--max-drop 2% applies to BLEU and chrF2 and TER; to set them separately, write --max-drop"
        " bleu=2%,chrf=2%,ter=2%"
    )
    assert notes(run(*words, "2%", terminal=True)) == [f"bleu: note: {expected}"]
    assert notes(run(*words, "ter=2%", terminal=True)) == []


# --- what is scored

UNKNOWN = {
    "no metric": (("--fail-under", "blue=3"), "'blue' is not a metric; expected one of bleu, chrf, ter, wer, cer"),
    "no metric's drop": (("-pbs", "--max-drop", "bleu=1,x=2"), "'x' is not a metric; expected one of bleu, chrf, ter"),
    "not scored": (
        ("--fail-under", "bleu=1,ter=60"),
        "--fail-under is about TER, which is not scored; add it: -m bleu ter",
    ),
    "a variant that is not scored": (
        ("--fail-under", "chrf++=3"),
        "is about chrf++, which is not scored; add it: -m bleu",
    ),
    "another variant": (("-m", "bleu", "chrf", "--fail-under", "chrf+=3"), "not scored; add it: -m bleu chrf+\n"),
    "one metric twice": (("-m", "chrf++", "--fail-under", "chrf=99,chrf++=1"), "--fail-under has two bounds for chrf"),
    "no such drop": (
        ("-pbs", "--max-drop", "chrf=2%"),
        "--max-drop is about chrF, which is not scored; add it: -m bleu",
    ),
    "followed": (
        ("--like", "chrF2|nc:6", "--fail-under", "bleu=1"),
        "is about BLEU, which is not scored; add it: -m chrf",
    ),
}


@pytest.mark.parametrize(("words", "said"), UNKNOWN.values(), ids=UNKNOWN)
def test_a_bound_on_a_metric_that_is_not_scored_is_refused_before_scoring(run, words, said):
    refused(run("none.txt", "-i", "none.sys", "none.too", *words), said)


FORMS = {
    "a word": "chrf=x",
    "two numbers": "1,2",
    "a number and a metric": "40,ter=60",
    "no number": "chrf=",
    "no metric": "=5",
    "an end": "chrf=5,",
    "nothing": "",
    "signs": "==",
}


@pytest.mark.parametrize("value", FORMS.values(), ids=FORMS)
def test_malformed_bounds_are_refused(score, value):
    expected = f"--fail-under {value!r}; expected a score, or scores by metric: chrf=55,ter=60"
    refused(score(STRONG, "--fail-under", value), expected)
    expected = (
        f"--max-drop {value!r}; expected a number, or numbers by metric: bleu=0.3,ter=2% (of the baseline's score)"
    )
    refused(score(STRONG, WEAK, "-pbs", "--max-drop", value), expected)


def test_a_share_is_for_drops(score):
    refused(score(STRONG, "--fail-under", "2%"), "--fail-under '2%'; expected a score")
    refused(score(STRONG, "--fail-under", "bleu=2%"), "--fail-under 'bleu=2%'; expected a score")


@pytest.mark.parametrize("value", ["ter=1,bleu=2,ter=3", "bleu=1,bleu=1"])
def test_two_bounds_of_a_metric_are_refused(score, value):
    refused(score(STRONG, "--fail-under", value), f"--fail-under {value!r} has two bounds for ", "; give one")


# --- from Python


def test_python_judges_in_one_call():
    record = ScoreRecord("chrF2", 54.6, "", Signature([("nc", "6")]), True)
    error = ScoreRecord("TER", 54.6, "", Signature([("norm", "no")]), False)
    results = Results([SystemResult("sys.txt", [record, error])], 100, [])
    bounds = gates.read_bounds(gates.FAIL_UNDER, "chrf=54.6,ter=54.5")
    verdicts = Gates(bounds, metrics=("chrf", "ter")).judge(results)
    assert [(one.system, one.score, one.gate) for one in verdicts] == [
        ("sys.txt", record, "--fail-under 54.6"),
        ("sys.txt", error, "--fail-under 54.5"),
    ]
    assert [one.failure for one in verdicts] == ["", "sys.txt: TER 54.6 is over 54.5 (--fail-under)"]
    assert Gates({"": Bound(55)}).judge(results)[0].failure.startswith("sys.txt: chrF2 54.6 is under")
    assert Gates().judge(results) == []


# --- a report of gates


def cases(text):
    """Return the cases of a report: system, name, and why it failed, None if it did not."""
    root = ElementTree.fromstring(text.encode())
    found = [(case, suite) for suite in root for case in suite]
    assert {root.tag, *(suite.tag for suite in root), *(case.tag for case, _ in found)} <= {
        *("testsuites", "testsuite", "testcase")
    }
    for element in (root, *root):
        inside = list(element.iter("testcase"))
        assert int(element.get("tests")) == len(inside)
        assert int(element.get("failures")) == len([case for case in inside if case.find("failure") is not None])
        assert int(element.get("skipped")) == len([case for case in inside if case.find("skipped") is not None])
    why = [case.find("failure") for case, _ in found]
    return [
        (suite.get("name"), case.get("name"), None if failure is None else failure.get("message"))
        for (case, suite), failure in zip(found, why, strict=True)
    ]


def test_a_report_has_a_case_for_each_system_metric_and_gate(score, baseline):
    old = baseline(STRONG, *ALL, *FULL)
    gated = ("--fail-under", "bleu=30,ter=99", "--baseline", old, "--max-drop", "chrf=2%")
    answer = score(STRONG, WEAK, *ALL, *gated, "-f", "junit")
    assert answer.status == 1
    found = cases(answer.out)
    assert [(system, name) for system, name, _ in found] == [
        (system, name)
        for system in (STRONG, WEAK)
        for name in ("BLEU --fail-under 30.0", "TER --fail-under 99.0", "chrF2 --max-drop 2%")
    ]
    failures = [why for _, _, why in found if why]
    assert sorted(answer.err.splitlines()) == sorted(f"bleu: error: {why}" for why in failures)
    assert [why.split(" ")[1] for why in failures] == ["BLEU", "chrF2"]


def test_a_report_of_passed_gates_has_no_failures(score):
    answer = score(STRONG, "--fail-under", "30", "-f", "junit")
    assert (answer.status, answer.err) == (0, "")
    assert cases(answer.out) == [(STRONG, "BLEU --fail-under 30.0", None)]


def test_a_report_without_gates_skips_every_score(score):
    answer = score(STRONG, WEAK, "-m", "bleu", "ter", "-f", "junit")
    assert (answer.status, answer.err) == (0, "")
    assert cases(answer.out) == [(system, name, None) for system in (STRONG, WEAK) for name in ("BLEU", "TER")]
    assert answer.out.count('<skipped message="no gate"/>') == 4


def test_a_report_shows_scores_as_text_does(score):
    for words in ((), ("-w", "3"), ("-sh",), ("-ci", "-cin", "20")):
        line = score(STRONG, *words, "-f", "text").out.rstrip()
        answer = score(STRONG, *words, "-f", "junit", "--fail-under", "1")
        assert ElementTree.fromstring(answer.out.encode()).find(".//system-out").text == line


def test_a_report_is_written_where_a_gate_fails_too(score, run):
    answer = score(WEAK, "--fail-under", "30", "-f", "junit", "-o", "report.xml")
    assert (answer.status, answer.out) == (1, "")
    with open("report.xml", encoding="utf-8") as file:
        assert cases(file.read())[0][2].startswith(f"{WEAK}: BLEU 11.5")
    answer = run(REF, "-i", WEAK, "--fail-under", "30", "-q", variables={"BLEU_FORMAT": "junit"})
    assert len(cases(answer.out)) == 1


def test_a_report_of_a_test_leaves_out_the_baseline(score):
    answer = score(STRONG, WEAK, "-par", *FEW, "--max-drop", "1", "-f", "junit")
    assert [(system, name) for system, name, _ in cases(answer.out)] == [(WEAK, "BLEU --max-drop 1.0")]


def test_a_report_has_no_bare_scores_and_no_details(score):
    refused(
        score(STRONG, "--fail-under", "1", "-f", "junit", "-b"),
        "--format has no effect: bare scores are numbers, not junit",
    )
    assert score(STRONG, "--fail-under", "99", "-f", "junit", "-b", "-o", "out.xml").status == 2
    assert not os.path.exists("out.xml")


def test_bare_scores_are_not_a_report_whatever_the_environment_says(score):
    words = (STRONG, "--fail-under", "99", "-b", "-o", "score.txt")
    for variables in ({}, {"BLEU_FORMAT": "junit"}):
        answer = score(*words, variables=variables)
        assert answer.status == 1
        assert "score.txt was not written" in answer.err
        assert not os.path.exists("score.txt")


# --- annotations


def annotations(answer):
    return [line for line in answer.err.splitlines() if line.startswith("::")]


def test_failed_gates_are_annotated_for_github(score):
    answer = score(STRONG, WEAK, *ALL, "--fail-under", "bleu=30,ter=60", "--annotate", "github")
    plain = score(STRONG, WEAK, *ALL, "--fail-under", "bleu=30,ter=60")
    assert (answer.status, answer.out) == (1, plain.out)
    told = [line.removeprefix("bleu: error: ") for line in plain.err.splitlines()]
    assert annotations(answer) == [
        f"::error title={WEAK}%3A {name}::{line}" for name, line in zip(("BLEU", "TER"), told, strict=True)
    ]
    assert [line for line in answer.err.splitlines() if not line.startswith("::")] == plain.err.splitlines()
    assert annotations(score(STRONG, "--fail-under", "bleu=30", "--annotate", "github")) == []


WRONG_WORDS = {
    "no such option": ("--hlep", "--annotate", "github"),
    "no such value": ("--annotate=github", "-f", "jsn"),
    "abbreviated": ("-w", "x", "--anno", "github"),
    "nothing to score": ("--an=github",),
}


@pytest.mark.parametrize("words", WRONG_WORDS.values(), ids=WRONG_WORDS)
def test_errors_in_the_command_line_are_annotated(run, words):
    answer = run(*words)
    error, annotation = answer.err.splitlines()
    assert (answer.status, annotation) == (2, error.replace("bleu: error: ", "::error title=bleu::"))


@pytest.mark.parametrize("words", [("--hlep",), ("--hlep", "--", "--annotate", "github"), ("-f", "x", "--a", "github")])
def test_other_errors_are_not_annotated(run, words):
    assert annotations(run(*words)) == []


def test_warnings_are_annotated_unless_they_are_hidden(run):
    words = (REF, "-i", REF, "-m", "ter", "-cw", "2", "--annotate", "github")
    answer = run(*words)
    warnings = [line.partition("warning: ")[2] for line in answer.err.splitlines() if "bleu: warning: " in line]
    assert len(warnings) > 1
    assert annotations(answer) == [f"::warning title=bleu::{line.replace('%', '%25')}" for line in warnings]
    assert annotations(run(*words, "-q")) == []
    assert annotations(run("--version", "-w", "1", "--annotate", "github"))[0].startswith("::warning title=bleu::")


@pytest.mark.parametrize(
    ("name", "title", "message"),
    [
        ("100%.txt", "100%25.txt", "100%25.txt"),
        ("a,b:c.txt", "a%2Cb%3Ac.txt", "a,b:c.txt"),
        ("a\r\n::error::b", "a%0D%0A%3A%3Aerror%3A%3Ab", "a%0D%0A::error::b"),
        ("a\x1b[31m", r"a\x1b[31m", r"a\x1b[31m"),
        ("%0A::x", "%250A%3A%3Ax", "%250A::x"),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="names that Windows does not allow")
def test_names_cannot_inject_annotations(score, write, name, title, message):
    with open(WEAK, encoding="utf-8") as file:
        write(name, file.read())
    (line,) = annotations(score(name, "--fail-under", "30", "--annotate", "github"))
    assert line.startswith(f"::error title={title}%3A BLEU::{message}: BLEU 11.5")


def test_errors_that_end_the_command_are_annotated_too(run):
    answer = run("none.txt", "-i", STRONG, "--annotate", "github")
    assert answer.status == 2
    line = answer.err.splitlines()[0].removeprefix("bleu: error: ")
    assert annotations(answer) == [f"::error title=bleu::{line}"]


def test_annotations_are_only_for_github(score):
    refused(score(STRONG, "--annotate", "gitlab"), "--annotate", "'gitlab'", "github")


# --- against an earlier answer


def test_the_same_score_passes(score, baseline):
    old = baseline(STRONG, *FULL)
    assert score(STRONG, "--baseline", old, "--max-drop", "0").status == 0
    assert score(STRONG, "--baseline", old, "--max-drop", "0").err == ""


def test_a_better_score_passes(score, baseline):
    assert score(STRONG, "--baseline", baseline(WEAK, *FULL), "--max-drop", "0").status == 0


def test_a_drop_by_more_than_the_bound_fails(score, baseline):
    old = baseline(NEAR, *FULL)
    drop = json.loads(score(NEAR, *FULL).out)["score"] - json.loads(score(STRONG, *FULL).out)["score"]
    assert drop > 0
    assert score(STRONG, "--baseline", old, "--max-drop", repr(drop + 1e-9)).status == 0
    answer = score(STRONG, "--baseline", old, "--max-drop", repr(drop - 1e-9))
    failed(answer, f"{STRONG}: BLEU ")
    assert "since old.json, more than" in answer.err
    assert json.loads(answer.out)["name"] == "BLEU", "the answer is still printed"


def test_a_rise_of_an_error_rate_is_a_drop(score, baseline):
    old = baseline(NEAR, "-m", "ter", *FULL)
    assert score(STRONG, "-m", "ter", "--baseline", old, "--max-drop", "0").status == 0
    old = baseline(STRONG, "-m", "ter", *FULL)
    failed(score(WEAK, "-m", "ter", "--baseline", old, "--max-drop", "5"), f"{WEAK}: TER ")


def test_every_metric_is_compared(score, baseline):
    old = baseline(STRONG, *ALL, *FULL)
    names = ("BLEU", "chrF2", "TER")
    failed(score(WEAK, *ALL, "--baseline", old, "--max-drop", "5"), *(f"{WEAK}: {name} " for name in names))
    assert score(STRONG, *ALL, "--baseline", old, "--max-drop", "0").status == 0
    assert score(STRONG, "-m", "chrf", "--baseline", old, "--max-drop", "0").status == 0


def test_several_systems_are_compared_by_name(score, baseline):
    old = baseline(STRONG, WEAK, *FULL)
    assert score(WEAK, "--baseline", old, "--max-drop", "0").status == 0
    assert score(WEAK, STRONG, "--baseline", old, "--max-drop", "0").status == 0
    old = baseline(STRONG, WEAK, "-pbs", *FEW)
    assert score(STRONG, WEAK, "--baseline", old, "--max-drop", "0").status == 0


@pytest.mark.parametrize("first", ["Baseline", "Baseline: x", "Baseline: Baseline"])
@pytest.mark.parametrize("words", [(), ("-pbs", *FEW), ("-ci", "-cin", "20")])
def test_systems_named_like_the_mark_of_a_baseline_are_found_by_name(score, baseline, first, words):
    old = baseline(STRONG, WEAK, NEAR, *words, "--names", f"{first},System 1,b")
    compared = ("--baseline", old, "--max-drop", "0")
    assert score(STRONG, WEAK, *compared, "--names", f"{first},System 1").status == 0
    failed(score(WEAK, *compared, "--names", first), f"{first}: BLEU 11.5")
    refused(score(STRONG, *compared, "--names", "x"), f"old.json has no system x; it has {first}, System 1, b")


def test_several_systems_are_compared_with_the_only_one_there_was(score, baseline):
    old = baseline(STRONG, *FULL)
    failed(score(STRONG, NEAR, WEAK, "--baseline", old, "--max-drop", "10"), f"{WEAK}: BLEU")


def test_a_name_that_is_not_utf_8_is_found_again(score, write):
    name = os.fsdecode(b"caf\xe9.txt")
    with open(STRONG, encoding="utf-8") as file:
        write(name, file.read())
    assert score(name, WEAK, *FULL, "-o", "old.json").status == 0
    assert score(name, WEAK, "--baseline", "old.json", "--max-drop", "0").err == ""


# --- what an earlier answer must be

NO_ANSWERS = {
    "a number": "48.6",
    "a list of numbers": "[48.6, 50.1]",
    "text": '"BLEU"',
    "nothing": "null",
    "an empty list": "[]",
    "an empty object": "{}",
    "a list of null": "[null]",
    "a list of systems without scores": '[{"system": "strong.de.txt", "BLEU": 48.6}]',
    "the score as text": '{"name": "BLEU", "score": "48.6", "signature": "tok:13a"}',
    "the score true": '{"name": "BLEU", "score": true, "signature": "tok:13a"}',
    "no score": '{"name": "BLEU", "signature": "tok:13a"}',
    "no signature": '{"name": "BLEU", "score": 48.6}',
    "the signature a number": '{"name": "BLEU", "score": 48.6, "signature": 5}',
    "the score NaN": '{"name": "BLEU", "score": NaN, "signature": "tok:13a"}',
    "the score infinite": '{"name": "BLEU", "score": -Infinity, "signature": "tok:13a"}',
    "the score huge": '{"name": "BLEU", "score": 1e999, "signature": "tok:13a"}',
    "the score too huge": '{"name": "BLEU", "score": 1e99999999999999999999, "signature": "tok:13a"}',
    "too deep": "[" * 100000,
}


@pytest.mark.parametrize("content", NO_ANSWERS.values(), ids=NO_ANSWERS)
def test_json_that_is_not_an_answer_is_refused(score, write, content):
    write("old.json", content)
    line = refused(score(STRONG, "--baseline", "old.json", "--max-drop", "1"), "old.json is JSON, but bleu -f json")
    assert "make it with -f json -o old.json" in line


@pytest.mark.parametrize(
    "content", ["", "BLEU = 48.6\n", "{", '{"name": "BLEU"}\n{"name": "BLEU"}\n', b"\xff\xfe{\0}\0"]
)
def test_invalid_json_is_refused(score, write, content):
    write("old.json", content)
    refused(
        score(STRONG, "--baseline", "old.json", "--max-drop", "1"), "old.json is not valid JSON", "-f json -o old.json"
    )


def test_a_file_that_cannot_be_read_is_refused(score):
    refused(score(STRONG, "--baseline", "none.json", "--max-drop", "1"), "cannot read none.json: No such file")
    refused(score(STRONG, "--baseline", ".", "--max-drop", "1"), "cannot read .: Is a directory")
    for test in TESTS:
        words = ("--baseline", "none.parquet", "--max-drop", "1", test)
        refused(score(STRONG, *words), "cannot read none.parquet: No such file", "name a file that bleu count wrote")


@needs_pipes
def test_an_earlier_answer_can_be_read_from_a_pipe(score, baseline):
    ours, theirs = os.pipe()
    with open(baseline(STRONG), "rb") as file:
        os.write(theirs, file.read())
    os.close(theirs)
    failed(score(WEAK, "--baseline", f"/dev/fd/{ours}", "--max-drop", "1"), f"{WEAK}: BLEU")
    os.close(ours)


@pytest.mark.parametrize(
    ("name", "form"), [("x.json", "json"), ("x", "json"), ("x.jsonl", "jsonl"), ("x.NDJSON", "jsonl")]
)
def test_the_advised_command_makes_the_file(score, write, name, form):
    words = ("--baseline", name, "--max-drop", "0")
    assert refused(score(STRONG, *words), f"cannot read {name}").endswith(f"make it with -f {form} -o {name}\n")
    for content in ("", "x", "[]"):
        write(name, content)
        assert refused(score(STRONG, *words)).endswith(f"; make it with -f {form} -o {name}\n")
    assert score(STRONG, "-f", form, "-w", "9", "-o", name).status == 0
    assert score(STRONG, *words).status == 0


def test_a_metric_that_is_missing_is_named(score, baseline):
    old = baseline(STRONG, "-m", "bleu", "ter")
    refused(score(STRONG, *ALL, "--baseline", old, "--max-drop", "1"), "old.json has no chrF2; it has BLEU, TER")


def test_a_system_that_is_missing_is_named(score, baseline):
    old = baseline(STRONG, WEAK, "-pbs", *FEW)
    for words in ((NEAR,), (STRONG, NEAR), (NEAR, STRONG)):
        line = refused(score(*words, "--baseline", old, "--max-drop", "1"), f"it has {STRONG}, {WEAK}")
        assert f"{NEAR};" in line


@pytest.mark.parametrize("words", [("-lc",), ("-tok", "char"), ("-s", "floor"), ("--max-ngram-order", "2")])
def test_another_signature_is_an_error(score, baseline, words):
    old = baseline(STRONG)
    line = refused(score(STRONG, *words, "--baseline", old, "--max-drop", "90"), "score both in the same way")
    assert "old.json has BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp, but this is BLEU|" in line


def test_other_references_are_another_signature(run, baseline):
    words = ("-q", REF, "reference.B.de.txt", "-i", STRONG, "--baseline", baseline(STRONG), "--max-drop", "9")
    refused(run(*words), "has BLEU|nrefs:1|", "this is BLEU|nrefs:2|")


def test_another_version_is_accepted(score, baseline):
    old = baseline(STRONG, *FULL)
    changed(old, lambda one: one.update(signature=one["signature"].replace("version:bleucli-", "version:0")))
    assert score(STRONG, "--baseline", old, "--max-drop", "0").status == 0


def test_resampling_need_not_be_the_same(score, baseline):
    old = baseline(STRONG, "-ci", "-cin", "20", *FULL)
    assert score(STRONG, "--baseline", old, "--max-drop", "0").status == 0
    assert score(STRONG, "-ci", "-cin", "30", "--baseline", old, "--max-drop", "0").status == 0


# --- earlier scores that were rounded


def test_json_that_is_almost_an_answer_is_refused(score, write):
    """Names that are not text and scores that are not numbers are refused; a zero with an exponent is accepted."""
    one = '{"name": %s, "score": %s, "signature": "nrefs:1|tok:13a"}'
    for name, number in (("7", "1"), ("null", "1"), ("[]", "1"), ('"BLEU"', "[]")):
        write("old.json", one % (name, number))
        refused(score(STRONG, "--baseline", "old.json", "--max-drop", "1"), "old.json is JSON, but bleu -f json")
    for name in ("null", "5", "[]", "{}"):
        write("old.json", f'[{{"system": {name}, "BLEU": {one % (1, 1)}}}]')
        refused(score(STRONG, "--baseline", "old.json", "--max-drop", "1"), "old.json is JSON, but bleu -f json")
    write("old.json", f'[{{"system": "\\ud800", "BLEU": {one % (1, 1)}}}]'.replace('"name": 1', '"name": "BLEU"'))
    line = refused(score(STRONG, "--baseline", "old.json", "--max-drop", "1"), "old.json has no system strong.de.txt")
    assert r"it has \ud800" in line
    write("old.json", json.dumps({"name": "BLEU", "score": "?", "signature": signature(score)}).replace('"?"', "0e400"))
    assert score(STRONG, "--baseline", "old.json", "--max-drop", "1").status == 0


def signature(score):
    return json.loads(score(STRONG).out)["signature"]


@pytest.mark.parametrize("width", [0, 1, 2, 3, 9, 14, 17])
@pytest.mark.parametrize("words", [(), ("-m", "ter"), ALL])
def test_an_unchanged_score_has_not_fallen_however_its_baseline_was_rounded(score, baseline, width, words):
    """33.862 is not worse than 33.9 if that is what it was rounded to."""
    for system in (STRONG, NEAR, WEAK):
        old = baseline(system, *words, "-w", str(width))
        answer = score(system, *words, "--baseline", old, "--max-drop", "1")
        assert (answer.status, answer.err) == (0, "")
        if width:
            assert score(system, *words, "--baseline", old, "--max-drop", "0").status == 0


class Scored:
    """Results of one system, with a given score."""

    def __init__(self, number, higher_is_better=True):
        record = ScoreRecord("BLEU", number, "", Signature([("tok", "13a")]), higher_is_better)
        self.results = Results([SystemResult("new.txt", [record])], 1, [])

    def fell(self, write, earlier, bound, percent=False):
        write("old.json", f'{{"name": "BLEU", "score": {earlier}, "signature": "tok:13a"}}')
        baseline = read_baseline("old.json", "old.json")
        return [one for one in Gates(max_drop={"": Bound(bound, percent)}).judge(self.results, baseline) if one.failure]


@pytest.mark.parametrize(
    ("number", "earlier", "bound", "fell"),
    [
        (33.862, "33.9", 0.1, False),
        (33.85000001, "33.9", 0.0, False),
        (33.84, "33.9", 0.0, True),
        (33.84, "33.9", 0.1, False),  # in floats 33.9 - 33.8 is more than 0.1
        (33.74, "33.9", 0.1, True),
        (33.862, "33.90", 0.0, False),
        (33.97, "34.0", 0.0, False),
        (34.2, "34", 0.0, False),
        (33.4, "34", 0.5, True),
        (33.4, "34.0", 0.6, False),
        (50.0, "50.0", 0.01, False),  # exactly the same, so nothing was rounded
        (100.0, "100.0", 1e-9, False),
        (33.8621, "33.8625", 0.0004, False),
        (33.8620, "33.8625", 0.0004, True),
        (33.862123456789, "33.8621234567891", 0.0, True),
        (33.862123456789, "33.8621234567891", 1e-12, False),
        (33.862123456789, "33.8621234567891", 1e-14, True),
        (0.0, "0.0", 0.0, False),
        (0.1, "0.2", 0.1, False),
    ],
)
def test_scores_are_compared_in_the_baselines_decimals(write, number, earlier, bound, fell):
    assert bool(Scored(number).fell(write, earlier, bound)) is fell


def test_error_rates_are_compared_in_the_baselines_decimals(write):
    assert not Scored(33.94, higher_is_better=False).fell(write, "33.9", 0.0)
    assert not Scored(34.04, higher_is_better=False).fell(write, "33.9", 0.1)
    assert Scored(34.06, higher_is_better=False).fell(write, "33.9", 0.1)


@pytest.mark.parametrize(
    ("number", "earlier", "bound"),
    [
        (33.862, "33.9", 0.05),
        (33.84, "33.9", 0.05),
        (33.9625, "33.96", 1e-3),
        (33.6, "34.0", 0.1),
        (33.97, "34.0", 0.05),
    ],
)
def test_a_bound_that_is_finer_than_the_baseline_is_refused(write, number, earlier, bound):
    """A drop of 0.05 must not pass because rounding hides it. A whole number may be a rounded one."""
    with pytest.raises(BleuError, match=r"rounded too far for --max-drop .*; write the baseline with -w 9"):
        Scored(number).fell(write, earlier, bound)


def test_the_other_scores_of_an_answer_show_its_decimals(score, baseline):
    """In JSON, a BLEU score of 34.00 is 34.0, even in an answer with two decimals."""
    old = baseline(STRONG, *ALL, "-w", "2")
    with open(old, encoding="utf-8") as file:
        answer = json.load(file)
    answer[0]["score"] = float(round(answer[0]["score"]))
    with open(old, "w", encoding="utf-8") as file:
        json.dump(answer, file)
    result = score(STRONG, *ALL, "--baseline", old, "--max-drop", "0.02")
    failed(result, f"{STRONG}: BLEU 48.57 is worse than 49.0 by 0.43 since old.json, more than 0.02")


def test_a_drop_that_rounding_may_hide_gets_a_warning(run, baseline):
    words = (REF, "-i", STRONG, "--baseline", "old.json", "--max-drop")
    baseline(STRONG)
    hint = "bleu: warning: strong.de.txt: BLEU is 48.6, as in old.json; a drop smaller than its last digit"
    assert hint in run(*words, "0").err
    assert "old.json" not in run(*words, "1").err
    baseline(STRONG, *FULL)
    assert "old.json" not in run(*words, "0").err


def test_systems_from_standard_input_are_compared_column_by_column(run):
    """In a paired test the first column is called Baseline, so that System 1 is the second."""
    lines = list(zip(texts("strong"), texts("weak"), strict=True))
    both = "".join(f"{one}\t{other}\n" for one, other in lines).encode()
    assert run(REF, "-q", "-pbs", *FEW, "-o", "old.json", stdin=both).status == 0
    assert run(REF, "-q", "--baseline", "old.json", "--max-drop", "0", stdin=both).status == 0


# --- against the first system


def test_a_significant_drop_below_the_first_system_fails(score):
    for test in TESTS:
        answer = score(STRONG, WEAK, test, *FEW, "--max-drop", "1")
        failed(answer, f"{WEAK}: BLEU ")
        assert ", p = 0.0050, more than 1.0 (--max-drop)" in answer.err
        assert json.loads(answer.out)[1]["BLEU"]["p_value"] == 1 / 201


def test_a_drop_within_the_bound_passes(score):
    assert score(STRONG, WEAK, "-pbs", *FEW, "--max-drop", "60").status == 0
    assert score(WEAK, STRONG, "-pbs", *FEW, "--max-drop", "0").status == 0


@pytest.mark.parametrize("test", TESTS)
def test_a_drop_that_may_be_due_to_chance_passes(score, write, test):
    for seed in (1, 2):
        rng = random.Random(seed)
        dropped = [" ".join(word for word in line.split() if rng.random() > 0.1) for line in texts("strong")]
        write(f"{seed}.txt", "".join(f"{line}\n" for line in dropped))
    worse, better = sorted(("1.txt", "2.txt"), key=lambda name: json.loads(score(name, *FULL).out)["score"])
    answer = score(better, worse, test, *FEW, "--max-drop", "0")
    first, second = (system["BLEU"] for system in json.loads(answer.out))
    assert first["score"] > second["score"]
    assert second["p_value"] > 0.05
    assert answer.status == 0


def test_every_metric_that_fell_is_named(score):
    failed(score(STRONG, WEAK, *ALL, "-par", *FEW, "--max-drop", "30"), f"{WEAK}: BLEU", f"{WEAK}: TER")


@pytest.mark.parametrize("test", TESTS)
def test_an_earlier_answer_and_a_test_exclude_each_other(score, baseline, test):
    """Scores alone cannot give a p-value. The message names an option that can, and that option works."""
    old = baseline(STRONG, *FULL)
    words = (test, *FEW, "--max-drop", "1")
    cure = f"-i old.txt new.txt {test} --max-drop 1.0"
    refused(score(STRONG, WEAK, *words, "--baseline", old), "--baseline holds only scores", cure)
    failed(score(STRONG, WEAK, *words), f"{WEAK}: BLEU")
    assert score(STRONG, NEAR, *words).status == 0


# --- options

WRONG = {
    "a drop that is not a number": (("--max-drop", "x", "-pbs"), ("--max-drop", "'x'")),
    "a drop of nan": (("--max-drop", "nan", "-pbs"), ("--max-drop 'nan'; expected a number",)),
    "a negative drop": (("--max-drop", "-1", "-pbs"), ("--max-drop -1.0; expected 0 or more",)),
    "a drop of minus zero": (("--max-drop", "-0", "-pbs"), ("--max-drop -0.0; expected 0 or more",)),
    "a drop without a baseline": (("--max-drop", "1"), ("--max-drop needs an earlier answer", "--paired-ar")),
    "a drop from intervals": (("--max-drop", "1", "-ci"), ("--max-drop needs an earlier answer",)),
    "a baseline without a drop": (("--baseline", "old.json"), ("--baseline needs --max-drop",)),
    "a drop by segment": (("--max-drop", "1", "--baseline", "x", "-sl"), ("--max-drop", "--sentence-level")),
    **{
        f"a bound of {number}": (("--fail-under", number), (f"--fail-under '{number}'; expected a score",))
        for number in ("nan", "inf", "1_000", "\u0664\u0660", "bleu=0x10", "1e999")
    },
    "no metric, in capitals": (("--fail-under", "BLUE=50"), ("'BLUE' is not a metric", "; did you mean bleu?")),
}


@pytest.mark.parametrize(("words", "parts"), WRONG.values(), ids=WRONG)
def test_wrong_use_is_refused(score, words, parts):
    refused(score(STRONG, WEAK, *words), *parts)


def test_a_file_is_not_written_where_a_gate_fails(score, baseline):
    old = baseline(STRONG, *FULL)
    words = ("--baseline", old, "--max-drop", "1")
    failed(score(WEAK, *words, "-o", "new.json"), f"{WEAK}: BLEU ", "new.json was not written, because a gate failed")
    assert not os.path.exists("new.json")
    failed(score(WEAK, *words), f"{WEAK}: BLEU ")
    assert score(WEAK, *words, "-o", "-") == score(WEAK, *words), "that is not a file"
    failed(score(WEAK, *words, "-f", "junit", "-o", "report.xml"), f"{WEAK}: BLEU ")
    assert score(STRONG, "--baseline", old, "--max-drop", "1", "-o", "new.json").status == 0
    assert os.path.exists("new.json")


def test_a_baseline_is_not_overwritten(score, baseline):
    old = baseline(STRONG)
    refused(score(STRONG, "--baseline", old, "--max-drop", "1", "-o", old), "--output old.json is also an input")


def test_both_gates_report(score, baseline):
    old = baseline(STRONG, *FULL)
    answer = score(WEAK, "--baseline", old, "--max-drop", "1", "--fail-under", "30")
    failed(answer, f"{WEAK}: BLEU 11.", f"{WEAK}: BLEU 11.")


def test_errors_come_before_gates(score):
    refused(score(STRONG, "none.txt", "--fail-under", "99"), "none.txt")


@pytest.mark.parametrize("test", TESTS)
def test_a_gate_that_rests_on_the_bootstrap_gets_a_warning(run, test):
    answer = run(REF, "-i", WEAK, STRONG, test, *FEW, "--max-drop", "1")
    assert answer.status == 0
    told = "--max-drop rests on --paired-bs, which finds a significant difference between equally good systems in 10"
    assert (told in answer.err) == (test == "--paired-bs")
