"""Gates: --fail-under, and --max-drop against an earlier answer or the first system; status 0, 1 or 2."""

import json
import os
import random

import pytest
from conftest import refused
from paired_samples import near, texts

from bleucli import gates
from bleucli.errors import BleuError
from bleucli.results import Results, ScoreRecord, SystemResult
from bleucli.signature import Signature

REF, STRONG, WEAK, NEAR = "reference.A.de.txt", "strong.de.txt", "weak.de.txt", "near.txt"
ALL = ("-m", "bleu", "chrf", "ter")
FEW = ("--paired-bs-n", "200", "--paired-ar-n", "200")
TESTS = ("--paired-bs", "--paired-ar")
FULL = ("-w", "17")


@pytest.fixture(autouse=True)
def systems(demo_files, write):
    """Put a system there that differs from the strong one in a few segments, and is a little better."""
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
    """Change the JSON in a file, which is an answer of one score."""
    with open(name, encoding="utf-8") as file:
        answer = json.load(file)
    change(answer)
    with open(name, "w", encoding="utf-8") as file:
        json.dump(answer, file)


def failed(answer, *lines):
    """Check that a gate failed with lines that begin so."""
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


def test_of_an_error_rate_what_is_over_the_bound_fails(score):
    answer = score(STRONG, WEAK, "-m", "ter", "--fail-under", "60")
    failed(answer, f"{WEAK}: TER ")
    assert "is over 60.0 (--fail-under)" in answer.err
    assert score(STRONG, WEAK, "-m", "ter", "--fail-under", "999").status == 0


def test_only_the_first_metric_counts(score):
    assert score(STRONG, "-m", "bleu", "ter", "--fail-under", "40").status == 0


@pytest.mark.parametrize("words", [("-ci", "-cin", "20"), ("-pbs", "-pbsn", "20"), ("-par", "-parn", "20")])
def test_the_baseline_of_a_test_may_fail_too(score, words):
    answer = score(WEAK, STRONG, *words, "--fail-under", "30")
    failed(answer, f"{'' if '-ci' in words else 'Baseline: '}{WEAK}: BLEU")
    assert json.loads(answer.out)[0]["BLEU"]["score"] < 30


def test_the_unrounded_score_is_compared_and_printed(score):
    exact = json.loads(score(STRONG, *FULL).out)["score"]
    assert score(STRONG, "-w", "0", "--fail-under", repr(exact)).status == 0
    failed(score(STRONG, "-w", "0", "--fail-under", repr(exact + 1e-9)), f"{STRONG}: BLEU {exact!r} is under")


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
    assert json.loads(answer.out)["name"] == "BLEU", "the answer is printed all the same"


def test_of_an_error_rate_a_rise_is_a_drop(score, baseline):
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


def test_several_systems_are_compared_with_the_only_one_there_was(score, baseline):
    old = baseline(STRONG, *FULL)
    failed(score(STRONG, NEAR, WEAK, "--baseline", old, "--max-drop", "10"), f"{WEAK}: BLEU")


def test_a_name_that_is_no_utf_8_is_found_again(score, write):
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
    "a list of nothing": "[null]",
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
def test_json_that_is_no_answer_is_refused(score, write, content):
    write("old.json", content)
    line = refused(score(STRONG, "--baseline", "old.json", "--max-drop", "1"), "old.json is JSON, but not an answer")
    assert "make it with -f json -o old.json" in line


@pytest.mark.parametrize(
    "content", ["", "BLEU = 48.6\n", "{", '{"name": "BLEU"}\n{"name": "BLEU"}\n', b"\xff\xfe{\0}\0"]
)
def test_what_is_no_json_is_refused(score, write, content):
    write("old.json", content)
    refused(
        score(STRONG, "--baseline", "old.json", "--max-drop", "1"), "old.json is not valid JSON", "-f json -o old.json"
    )


def test_a_file_that_cannot_be_read_is_refused(score):
    refused(score(STRONG, "--baseline", "none.json", "--max-drop", "1"), "cannot read none.json: No such file")
    refused(score(STRONG, "--baseline", ".", "--max-drop", "1"), "cannot read .: Is a directory")


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


def test_how_it_was_resampled_does_not_matter(score, baseline):
    old = baseline(STRONG, "-ci", "-cin", "20", *FULL)
    assert score(STRONG, "--baseline", old, "--max-drop", "0").status == 0
    assert score(STRONG, "-ci", "-cin", "30", "--baseline", old, "--max-drop", "0").status == 0


# --- earlier scores that were rounded


def test_attack_7_json_that_is_not_quite_an_answer_is_refused(score, write):
    """Rows j to n: scores without magnitude, and names that are not text or cannot be written."""
    one = '{"name": %s, "score": %s, "signature": "nrefs:1|tok:13a"}'
    for name, number in (("7", "1"), ("null", "1"), ("[]", "1"), ('"BLEU"', "[]")):
        write("old.json", one % (name, number))
        refused(score(STRONG, "--baseline", "old.json", "--max-drop", "1"), "old.json is JSON, but not an answer")
    for name in ("null", "5", "[]", "{}"):
        write("old.json", f'[{{"system": {name}, "BLEU": {one % (1, 1)}}}]')
        refused(score(STRONG, "--baseline", "old.json", "--max-drop", "1"), "old.json is JSON, but not an answer")
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
    """Issue 10.7: 33.862 is not worse than 33.9 if that is what it was rounded to."""
    for system in (STRONG, NEAR, WEAK):
        old = baseline(system, *words, "-w", str(width))
        answer = score(system, *words, "--baseline", old, "--max-drop", "1")
        assert (answer.status, answer.err) == (0, "")
        if width:
            assert score(system, *words, "--baseline", old, "--max-drop", "0").status == 0


class Scored:
    """Results of one system, with a score that is chosen."""

    def __init__(self, number, higher_is_better=True):
        record = ScoreRecord("BLEU", number, "", Signature([("tok", "13a")]), higher_is_better)
        self.results = Results([SystemResult("new.txt", [record])], 1, [])

    def fell(self, write, earlier, bound):
        write("old.json", f'{{"name": "BLEU", "score": {earlier}, "signature": "tok:13a"}}')
        baseline = gates.read_baseline("old.json", "old.json")
        return [*gates.find_drops(self.results, baseline, bound)]


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
    """Issue 10.7: a drop of 0.05 must not pass because nobody could see it. A whole number may be rounded to one."""
    with pytest.raises(BleuError, match=r"rounded too far for --max-drop .*; write the baseline with -w 9"):
        Scored(number).fell(write, earlier, bound)


def test_the_other_scores_of_an_answer_show_its_decimals(score, baseline):
    """BLEU 34.00 of an answer with two decimals is 34.0 in JSON."""
    old = baseline(STRONG, *ALL, "-w", "2")
    with open(old, encoding="utf-8") as file:
        answer = json.load(file)
    answer[0]["score"] = float(round(answer[0]["score"]))
    with open(old, "w", encoding="utf-8") as file:
        json.dump(answer, file)
    result = score(STRONG, *ALL, "--baseline", old, "--max-drop", "0.02")
    failed(result, f"{STRONG}: BLEU 48.57 is worse than 49.0 by 0.43 since old.json, more than 0.02")


def test_a_drop_that_would_not_be_seen_is_hinted_at(run, baseline):
    words = (REF, "-i", STRONG, "--baseline", "old.json", "--max-drop")
    baseline(STRONG)
    hint = "bleu: warning: strong.de.txt: BLEU is 48.6, as in old.json; a drop behind its last digit is not seen"
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
def test_a_drop_that_may_be_chance_passes(score, write, test):
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


def test_of_several_metrics_every_one_that_fell_is_named(score):
    failed(score(STRONG, WEAK, *ALL, "-par", *FEW, "--max-drop", "30"), f"{WEAK}: BLEU", f"{WEAK}: TER")


@pytest.mark.parametrize("test", TESTS)
def test_an_earlier_answer_and_a_test_exclude_each_other(score, baseline, test):
    """Issue 10.6: scores alone cannot give a p-value; what can is named, and works."""
    old = baseline(STRONG, *FULL)
    words = (test, *FEW, "--max-drop", "1")
    cure = f"-i old.txt new.txt {test} --max-drop 1.0"
    refused(score(STRONG, WEAK, *words, "--baseline", old), "--baseline has scores alone", cure)
    failed(score(STRONG, WEAK, *words), f"{WEAK}: BLEU")
    assert score(STRONG, NEAR, *words).status == 0


# --- options

WRONG = {
    "a drop that is no number": (("--max-drop", "x", "-pbs"), ("--max-drop", "'x'")),
    "a drop of nan": (("--max-drop", "nan", "-pbs"), ("--max-drop nan",)),
    "a negative drop": (("--max-drop", "-1", "-pbs"), ("--max-drop -1.0; expected a number from 0 on",)),
    "a drop from nothing": (("--max-drop", "1"), ("--max-drop needs an earlier answer", "--paired-ar")),
    "a drop from intervals": (("--max-drop", "1", "-ci"), ("--max-drop needs an earlier answer",)),
    "a baseline without a drop": (("--baseline", "old.json"), ("--baseline is for --max-drop",)),
    "a drop by segment": (("--max-drop", "1", "--baseline", "x", "-sl"), ("--max-drop", "--sentence-level")),
    "a bound of nan": (("--fail-under", "nan"), ("--fail-under nan",)),
}


@pytest.mark.parametrize(("words", "parts"), WRONG.values(), ids=WRONG)
def test_wrong_use_is_refused(score, words, parts):
    refused(score(STRONG, WEAK, *words), *parts)


def test_a_file_is_not_written_where_a_gate_fails(score, baseline):
    old = baseline(STRONG, *FULL)
    assert score(WEAK, "--baseline", old, "--max-drop", "1", "-o", "new.json").status == 1
    assert not os.path.exists("new.json")
    assert score(STRONG, "--baseline", old, "--max-drop", "1", "-o", "new.json").status == 0
    assert os.path.exists("new.json")


def test_a_baseline_is_not_overwritten(score, baseline):
    old = baseline(STRONG)
    refused(score(STRONG, "--baseline", old, "--max-drop", "1", "-o", old), "--output old.json is also read")


def test_both_gates_speak(score, baseline):
    old = baseline(STRONG, *FULL)
    answer = score(WEAK, "--baseline", old, "--max-drop", "1", "--fail-under", "30")
    failed(answer, f"{WEAK}: BLEU 11.", f"{WEAK}: BLEU 11.")


def test_errors_come_before_gates(score):
    refused(score(STRONG, "none.txt", "--fail-under", "99"), "none.txt")


@pytest.mark.parametrize("test", TESTS)
def test_a_gate_that_rests_on_the_bootstrap_is_warned_of(run, test):
    answer = run(REF, "-i", WEAK, STRONG, test, *FEW, "--max-drop", "1")
    assert answer.status == 0
    assert ("--max-drop rests on --paired-bs, which takes 11-14 % of chance" in answer.err) == (test == "--paired-bs")
