"""`--scale 1`: scores from 0 to 1 in every format, and gates in the same scale."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from conftest import refused
from option_pairs import write_files

import bleucli
from bleucli.gates import Bound, Gates
from bleucli.output import FORMATS, render
from bleucli.output.layout import Layout
from bleucli.results import Detail, Difference, Figures, Interval, Results, ScoreRecord, SystemResult
from bleucli.results.signature import Signature

REF, STRONG, WEAK = "reference.A.de.txt", "strong.de.txt", "weak.de.txt"
ALL = ("-m", "bleu", "chrf", "ter")
FEW = ("-cin", "50", "--paired-bs-n", "50", "--paired-ar-n", "50")


@pytest.fixture
def score(run, demo_files):
    """Run with a reference and without notes."""
    return lambda *words, **more: run("-q", REF, "-i", *words, **more)


def numbers(answer):
    """Return the scores in JSON."""
    found = json.loads(answer.out)
    return [one["score"] for one in (found if isinstance(found, list) else [found])]


# --- what is printed


def test_scores_have_three_decimals_and_the_signature_stays(score):
    hundred, one = score(STRONG, "-f", "text"), score(STRONG, "-f", "text", "--scale", "1")
    assert hundred.out.partition(" = ")[0] == one.out.partition(" = ")[0]
    assert hundred.out.partition(" = ")[2].startswith("48.6 76.9/55.3/41.6/31.4 (BP = 1.000 ratio = 1.040 ")
    assert one.out.partition(" = ")[2].startswith("0.486 0.769/0.553/0.416/0.314 (BP = 1.000 ratio = 1.040 ")
    assert score(STRONG, "-b", "--scale", "1").out == "0.486\n"
    assert score(STRONG, "-b", "--scale", "1", "-w", "1").out == "0.5\n"


def test_the_usual_scale_may_be_named(score):
    for words in (("-f", "text"), ("-f", "json"), (WEAK, "-f", "csv"), ("-b",), ("-sl",)):
        assert score(STRONG, *words, "--scale", "100") == score(STRONG, *words)


def test_every_metric_is_divided_by_a_hundred(score):
    metrics = ("-m", "bleu", "chrf", "ter", "wer", "cer", "-w", "15")
    hundred, one = (numbers(score(WEAK, *metrics, *words)) for words in ((), ("--scale", "1")))
    assert [round(number / 100, 15) for number in hundred] == one


def test_json_says_its_scale(score):
    assert json.loads(score(STRONG, "--scale", "1").out)["scale"] == 1
    assert "scale" not in json.loads(score(STRONG).out)


def test_an_error_rate_may_exceed_1(run, write):
    write("ref", "a\n")
    write("sys", "b c d\n")
    assert run("ref", "-i", "sys", "-m", "ter", "-b", "--scale", "1").out == "3.000\n"


def test_segments_are_scored_from_0_to_1(score):
    plain = [float(line) for line in score(STRONG, "-sl", "-b", "-w", "12").out.split()]
    scaled = score(STRONG, "-sl", "-b", "--scale", "1").out.split()
    assert scaled == [f"{number / 100:.3f}" for number in plain]
    lines = score(STRONG, "-sl", "-f", "json", "--scale", "1").out.splitlines()
    assert [json.loads(line)["score"] for line in lines] == list(map(float, scaled))
    assert json.loads(lines[0])["scale"] == 1


def test_tables_have_scores_and_intervals_in_the_scale(score):
    words = (WEAK, *ALL, "-pbs", *FEW, "-w", "9")
    hundred, one = (
        next(csv.DictReader(io.StringIO(score(STRONG, *words, *more, "-f", "csv").out)))
        for more in ((), ("--scale", "1", "-w", "11"))
    )
    for key, value in hundred.items():
        if re.search("p_value|signature|system|baseline", key):
            assert one[key] == value
        else:
            assert float(one[key]) == pytest.approx(float(value) / 100, abs=1e-10)


def test_parts_of_a_test_set_are_in_the_scale(run, folder, monkeypatch):
    monkeypatch.setenv("BLEU_HOME", str(folder / "cache"))
    write_files()
    words = ("--registry", "own.toml", "-t", "own/set", "-l", "en-zh", "-i", "sys.txt", "--detail", "-tok", "13a")
    hundred = re.findall(r"BLEU = (\S+)", run(*words, "-w", "12").out)
    assert len(hundred) > 3
    assert re.findall(r"BLEU = (\S+)", run(*words, "--scale", "1").out) == [
        f"{float(number) / 100:.3f}" for number in hundred
    ]
    parts = json.loads(run(*words, "--scale", "1", "-f", "json").out)["details"]
    assert [part["score"] for part in parts] == [round(float(number) / 100, 3) for number in hundred]


def test_unrounded_scores_of_a_test_are_in_the_scale(score):
    hundred, one = (
        json.loads(score(STRONG, WEAK, "-pbs", *FEW, "-f", "json", *words).out) for words in ((), ("--scale", "1"))
    )
    for before, after in zip(hundred, one, strict=True):
        assert all(after["BLEU"][key] == before["BLEU"][key] / 100 for key in ("score", "mean", "ci"))
        assert after["BLEU"]["p_value"] == before["BLEU"]["p_value"]


def everything():
    """Return results in which every number in percent is 50 or -50."""
    details = [Detail("en", "domain", "ALL", 3, 50.0)]
    figures = Figures([50.0], [1], [2], None, 0.5, 2, 2)
    record = ScoreRecord("BLEU", 50.0, "50.0 (BP = 0.500)", Signature([("nrefs", "1")]), True, Interval(50.0, 50.0))
    record = record._replace(details=details, figures=figures, difference=Difference(-50.0, -50.0, None), p_value=0.5)
    return Results([SystemResult("a", [record])], 3, [])


@pytest.mark.parametrize("name", FORMATS)
def test_no_format_has_a_percentage_left(name):
    shown = render(everything(), Layout(3, scale=1), name)
    assert ("50.0" in shown) == (name == "jsonl")
    assert name == "jsonl" or re.search(r"\b0\.50?0?\b", shown)


def test_text_after_a_score_stays_unless_it_begins_with_the_precisions():
    record = everything().systems[0].scores[0]._replace(verbose="as it is, 50.0")
    made = everything()._replace(systems=[SystemResult("a", [record._replace(details=[])])])
    assert render(made, Layout(3, scale=1), "text") == "BLEU|nrefs:1 = 0.500 (μ = 0.500 ± 0.500) as it is, 50.0\n"


# --- gates


@pytest.mark.parametrize(("bound", "status"), [("0.485", 0), ("0.487", 1), ("bleu=0.4,ter=0.35", 0), ("ter=0.34", 1)])
def test_scores_are_gated_in_the_scale(score, bound, status):
    answer = score(STRONG, *ALL, "--scale", "1", "--fail-under", bound)
    assert answer.status == status
    assert (answer.err == "") == (status == 0)


def test_failures_are_printed_in_the_scale(score):
    answer = score(STRONG, "--scale", "1", "--fail-under", "0.5", "-f", "junit")
    assert re.fullmatch(r"bleu: error: strong.de.txt: BLEU 0\.48\d+ is under 0\.5 \(--fail-under\)\n", answer.err)
    assert 'name="BLEU --fail-under 0.5"' in answer.out
    assert "= 0.486 0.769/" in answer.out


@pytest.mark.parametrize(("word", "kind"), [("--fail-under", "above"), ("--max-drop", "not below")])
def test_a_bound_of_the_other_scale_is_refused(score, word, kind):
    more = ("--baseline", "none") if word == "--max-drop" else ()
    line = (
        f"{word} 40.0 is {kind} 1, but bounds have the scale of the printed scores, here 0 to 1; write 0.4, or choose"
        " --scale 100"
    )
    refused(score(STRONG, "--scale", "1", word, "40", *more), line)


def test_a_drop_of_the_whole_scale_is_refused(score):
    line = "--max-drop 1.0 is not below 1, but bounds have the scale of the printed scores, here 0 to 1; write 0.01, or"
    refused(score(STRONG, "--scale", "1", "--baseline", "none", "--max-drop", "1"), line)


def test_the_bound_of_an_error_rate_may_be_above_1(score):
    assert score(STRONG, "--scale", "1", "-m", "ter", "bleu", "--fail-under", "1.5").status == 0
    assert score(STRONG, "--scale", "1", "-m", "ter", "bleu", "--fail-under", "ter=1.5,bleu=0.1").status == 0
    assert score(STRONG, "--scale", "1", "-m", "ter", "bleu", "--fail-under", "bleu=1.5").status == 2


def test_a_share_of_the_baseline_has_no_scale(score):
    score(STRONG, "-o", "old.json")
    assert score(STRONG, "--scale", "1", "--baseline", "old.json", "--max-drop", "50%").status == 0


@pytest.mark.parametrize("then", [(), ("--scale", "1")])
@pytest.mark.parametrize("now", [(), ("--scale", "1")])
@pytest.mark.parametrize("width", [(), ("-w", "9"), ("-w", "17")])
def test_a_baseline_of_either_scale_is_compared_in_the_other(score, then, now, width):
    assert score(STRONG, *ALL, *then, *width, "-o", "old.json").status == 0
    gate = ("--baseline", "old.json", "--max-drop")
    assert score(STRONG, *ALL, *now, *gate, "0").status == 0
    answer = score(WEAK, *now, *gate, "0.3" if now else "30")
    assert answer.status == 1
    expected = r"11\.5\d* is worse than 48\.\d+ by 37\.\d+ since old.json, more than 30\.0"
    if now:
        expected = r"0\.115\d* is worse than 0\.48\d+ by 0\.37\d* since old.json, more than 0\.3"
    assert re.search(rf"BLEU {expected} \(--max-drop\)", answer.err)


def test_drops_are_printed_in_the_scale(score):
    score(STRONG, "-w", "3", "-o", "old.json")
    answer = score(WEAK, "--scale", "1", "--baseline", "old.json", "--max-drop", "2%")
    expected = (
        r"BLEU 0\.11\d{3} is worse than 0\.48\d{3} by 0\.37\d+ since old.json, more than 2% of 0\.48\d+ = 0\.0097\d+ "
    )
    assert re.search(expected, answer.err)
    answer = score(STRONG, WEAK, "--scale", "1", "-par", *FEW, "--max-drop", "0.1")
    assert re.search(r"BLEU 0\.11\d+ is worse than 0\.48\d+ by 0\.37\d+, p = 0.0196, more than 0.1 ", answer.err)


def test_the_hint_about_a_drop_smaller_than_the_last_digit_is_in_the_scale(run, score):
    score(STRONG, "--scale", "1", "-o", "old.json")
    answer = run(REF, "-i", STRONG, "--scale", "1", "--baseline", "old.json", "--max-drop", "0")
    assert "BLEU is 0.486, as in old.json; a drop smaller than its last digit goes unnoticed" in answer.err


@pytest.mark.parametrize(
    ("earlier", "score", "bound", "fell"),
    [
        ("0.339", 33.862, 0.001, False),
        ("0.339", 33.85000001, 0.0, False),
        ("0.339", 33.84, 0.0, True),
        ("0.339", 33.74, 0.001, True),
        ("0.34", 33.97, 0.0, False),  # which may have been 0.340
        ("0.5", 49.0, 0.005, None),  # or 0.5, or 0.50
        ("0.5", 49.0, 0.02, False),
        ("0.5", 44.0, 0.02, True),
        ("0.338621234567891", 33.862123456789, 0.0, True),
        ("0.339", 33.84, 0.0005, None),
    ],
)
def test_scores_are_compared_in_the_decimals_of_a_baseline_from_0_to_1(write, earlier, score, bound, fell):
    from bleucli.errors import BleuError
    from bleucli.gates.baselines import read_baseline

    write("old.json", f'{{"name": "BLEU", "score": {earlier}, "scale": 1, "signature": "tok:13a"}}')
    record = ScoreRecord("BLEU", score, "", Signature([("tok", "13a")]), True)
    results = Results([SystemResult("new.txt", [record])], 1, [])

    def judged():
        return Gates(max_drop={"": Bound(bound)}, scale=1).judge(results, read_baseline("old.json", "old.json"))

    if fell is None:
        with pytest.raises(BleuError, match="rounded too far"):
            judged()
    else:
        assert bool(judged()[0].failure) is fell


@pytest.mark.parametrize("scale", ["2", '"1"', "null", "100"])
def test_a_baseline_of_an_unknown_scale_is_not_an_answer(write, score, scale):
    write("old.json", f'{{"name": "BLEU", "score": 0.3, "scale": {scale}, "signature": "tok:13a"}}')
    refused(score(STRONG, "--baseline", "old.json", "--max-drop", "1"), "old.json is JSON, but bleu -f json did not")


def test_a_baseline_of_both_scales_is_refused(write, score):
    one = '{"name": "BLEU", "score": 0.3, "scale": 1, "signature": "tok:13a"}'
    write("old.json", f"[{one}, {one.replace('BLEU', 'TER').replace(chr(34) + 'scale' + chr(34) + ': 1, ', '')}]")
    refused(
        score(STRONG, "--baseline", "old.json", "--max-drop", "1"), "old.json has scores from 0 to 1 and scores from"
    )


# --- what is refused


@pytest.mark.parametrize("value", ["10", "0", "-1", "1000"])
def test_another_scale_is_refused(score, value):
    refused(score(STRONG, f"--scale={value}"), f"--scale {value}; expected 1, for scores from 0 to 1, or 100")


@pytest.mark.parametrize("value", ["1.0", "one", ""])
def test_anything_but_a_whole_number_is_refused(score, value):
    refused(score(STRONG, "--scale", value), f"--scale {value!r}; expected a whole number")


@pytest.mark.parametrize("value", [[1], 10, True])
def test_a_table_refuses_another_scale(value):
    results = bleucli.evaluate_systems({"a": ["a b"]}, [["a b"]], "ter")
    with pytest.raises(bleucli.BleuError, match=r"^scale=.*; expected 100, or 1 for scores from 0 to 1$"):
        bleucli.render_table(results, scale=value)


def test_histories_hold_one_scale(score):
    refused(
        score(STRONG, "--scale", "1", "-f", "jsonl"), "--scale has no effect: jsonl always has scores from 0 to 100"
    )
    refused(score(STRONG, "--scale", "1", variables={"BLEU_FORMAT": "jsonl"}), "--scale has no effect: jsonl always")
