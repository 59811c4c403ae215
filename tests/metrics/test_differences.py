"""Why two systems differ: shares that add up to the difference, and what each segment contributes to it."""

from __future__ import annotations

import itertools
import json
import math
import os
import pickle
import random

import evaluation_data
import pytest
from conftest import ROOT, refused
from oracles import read_lines, real_data
from strategies import enough

from bleucli import BLEU, CHRF, TER, WER, BleuError, explain_difference
from bleucli.counting.corpus import of_strings
from bleucli.metrics.differences import explain_differences
from bleucli.prose.blocks import Formula

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # hints about short texts
DEMO = os.path.join(ROOT, "bleucli", "testsets", "demo")
METHODS = [("exp", None), ("floor", None), ("floor", 0.02), ("add-k", None), ("add-k", 0.5), ("none", None)]


def demo(*names):
    return [read_lines(DEMO, f"{name}.de.txt") for name in names]


def check_shares(found, metric=None):
    """Check that shares add up to the difference, and that each is what the formula says."""
    assert found.why_not_shared == ""
    a, b = found.scores
    assert abs(math.fsum(share.points for share in found.shares) - (b - a)) <= 1e-12 * max(1.0, abs(a), abs(b))
    assert found.difference == b - a
    order = len(found.shares) - 1
    mean = (b - a) / math.log(b / a) if abs(b - a) > 0.01 else (a + b) / 2
    assert math.isclose(found.logarithmic_mean, mean, rel_tol=1e-6)
    for share, root in zip(found.shares, [1] + [order] * order, strict=True):
        points = found.logarithmic_mean * math.log(share.second / share.first) / root
        assert math.isclose(share.points, points, rel_tol=1e-9, abs_tol=1e-12)
    for place, score in enumerate(found.scores):
        penalty, *precisions = (share[1 + place] for share in found.shares)
        assert math.isclose(100 * penalty * math.prod(p ** (1 / order) for p in precisions), score, rel_tol=1e-12)


def check_influences(metric, systems, streams, picked):
    """Check influences against scores of the corpus without the segment."""
    found = explain_difference(*systems, streams, metric, most=len(systems[0]))
    assert found.segments == len(systems[0])
    assert len(found.influences) == found.moving
    assert all(one.influence for one in found.influences)
    sizes = [abs(one.influence) for one in found.influences]
    assert sizes == sorted(sizes, reverse=True)
    influences = {one.line: one.influence for one in found.influences}
    whole = [metric.corpus_score(system, streams).score for system in systems]
    assert list(found.scores) == whole
    for line in picked:
        left = [stream[:line] + stream[line + 1 :] for stream in streams]
        first, second = (metric.corpus_score(system[:line] + system[line + 1 :], left).score for system in systems)
        expected = (whole[1] - whole[0]) - (second - first)
        if metric.name == "TER":
            assert abs(influences.get(line, 0.0) - expected) <= 1e-12
        else:
            assert influences.get(line, 0.0) == expected


@pytest.fixture
def few_trials(monkeypatch):
    """Let a test of shares, which are the same for any number of trials, run few."""
    monkeypatch.setattr("bleucli.metrics.differences.TRIALS", 10)


@pytest.mark.usefixtures("few_trials")
@pytest.mark.parametrize(("method", "value"), METHODS)
def test_shares_add_up_to_the_difference(method, value):
    weak, strong = demo("weak", "strong")
    references = demo("reference.A", "reference.B")
    for first, second in ((weak, strong), (strong, weak)):
        found = explain_difference(first, second, references, smooth_method=method, smooth_value=value)
        check_shares(found)
        assert [share.factor for share in found.shares] == ["BP", "p1", "p2", "p3", "p4"]
        assert (found.scores[1] - found.scores[0] > 0) == (second is strong)


@pytest.mark.usefixtures("few_trials")
def test_shares_of_random_corpora_add_up():
    draw = random.Random(5)
    shared = 0
    for _ in range(enough(1600)):
        n = draw.randint(1, 4)
        systems = [[" ".join(draw.choices("aabbcd", k=draw.randint(0, 9))) for _ in range(n)] for _ in range(3)]
        method, value = draw.choice(METHODS)
        found = explain_difference(
            *systems[:2],
            systems[2:],
            tokenize="none",
            smooth_method=method,
            smooth_value=value,
            max_ngram_order=draw.randint(1, 4),
            effective_order=draw.random() < 0.5,
        )
        if found.why_not_shared:
            assert not found.shares
            assert found.logarithmic_mean is None
            continue
        shared += 1
        check_shares(found)
    assert shared > 10


@pytest.mark.usefixtures("few_trials")
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("length", [740, 1420])
def test_shares_of_a_tiny_score_add_up(length, turned):
    words = " ".join(["a", *(f"w{number}" for number in range(length))])
    systems = ["a x", words] if turned else [words, "a x"]
    found = explain_difference([systems[0]], [systems[1]], [[words]], smooth_method="add-k")
    assert sum(share.points for share in found.shares) == pytest.approx(found.difference, abs=1e-12)
    assert abs(found.difference) > 90


def test_equal_scores_have_shares_of_0():
    weak, *references = demo("weak", "reference.A")
    found = explain_difference(weak, weak, references)
    check_shares(found)
    assert found.difference == 0
    assert found.logarithmic_mean == found.scores[0]
    assert all(share.points == 0 for share in found.shares)
    assert (found.moving, found.influences) == (0, ())
    assert found.as_data()["influences"] == []
    text = str(found)
    assert "No segment moves the difference." in text
    assert "line " not in text


def test_no_segments_are_listed_if_none_are_asked_for():
    found = explain_difference(*demo("weak", "strong"), demo("reference.A"), most=0)
    assert found.influences == ()
    assert found.moving > 10
    assert "egments" not in str(found)


def test_shares_that_favour_the_second_system_are_named_and_coloured():
    systems, streams = (["a b c d e", "a b c d"], ["a b c d", "a b c d"]), [["a b c d e", "a b c d"]]
    for metric, better in (("bleu", "A plus favours the second"), ("wer", "A minus favours the second")):
        for pair, role in ((systems, "bad"), (systems[::-1], "good")):
            found = explain_difference(*pair, streams, metric)
            assert better in " ".join(str(found).split())
            heading = next(block for block in found.tell() if getattr(block, "text", "").startswith("line 1:"))
            assert heading.role == role


@pytest.mark.usefixtures("few_trials")
@pytest.mark.parametrize("width", [0, 1, 2, 4, 7])
def test_a_calculator_gives_the_points_that_are_shown(width):
    draw = random.Random(8)
    checked = 0
    for _ in range(enough(200)):
        systems = [[" ".join(draw.choices("aabbcd", k=draw.randint(3, 9))) for _ in range(3)] for _ in range(3)]
        blocks = explain_difference(*systems[:2], systems[2:], tokenize="none", smooth_method="floor").tell(width)
        (table,) = [block for block in blocks if getattr(block, "header", [""])[0] == "factor"] or [None]
        if table is None:
            continue
        (formula,) = [block for block in blocks if isinstance(block, Formula)]
        mean = float(formula.lines[-1].split()[2].rstrip(","))
        for factor, first, second, points in table.rows[:-1]:
            value = mean * math.log(float(second) / float(first)) / (1 if factor == "BP" else 4)
            assert float(f"{value:.{width + 2}f}") == float(points)
            checked += 1
    assert checked > 50


REASONS = {
    "a score of 0": ((["x y"], ["a b c d"], [["a b c d"]]), {}, "The score of the first system is 0"),
    "the other score": ((["a b c d"], ["x y"], [["a b c d"]]), {}, "The score of the second system is 0"),
    "both": ((["x"], ["y"], [["a"]]), {}, "Both scores are 0"),
    "orders": (
        (["a b"], ["a b c"], [["a b c"]]),
        {"effective_order": True},
        "the score of the first system averages 2 precisions, that of the second system 3",
    ),
    "method": (
        (["a b c d"], ["a b c"], [["a b c d"]]),
        {"smooth_method": "add-one"},
        "only with exp, floor, add-k or none smoothing, not with add-one",
    ),
}


@pytest.mark.parametrize(("texts", "options", "told"), REASONS.values(), ids=REASONS)
def test_the_reason_for_missing_shares_is_given(texts, options, told):
    found = explain_difference(*texts, **options)
    assert told in found.why_not_shared
    assert (found.shares, found.logarithmic_mean) == ((), None)
    assert told in " ".join(str(found).split())
    assert len(found.influences) == found.moving == (found.difference != 0)


class Odd(BLEU):
    def score_from_stats(self, sums):
        score = super().score_from_stats(sums)
        score.score = score.score**2 / 100
        return score


def test_scores_of_another_formula_have_no_shares():
    found = explain_difference(["a b c d e"], ["a b c d x"], [["a b c d e"]], Odd())
    assert found.shares == ()
    assert "Odd computes its scores in its own way" in found.why_not_shared


@pytest.mark.usefixtures("few_trials")
@pytest.mark.parametrize("metric", [BLEU(), BLEU(smooth_method="add-k"), CHRF(word_order=2), TER(), WER()])
def test_influence_is_the_difference_that_the_segment_makes(metric):
    systems, streams = demo("weak", "strong"), demo("reference.A", "reference.B")
    check_influences(metric, systems, streams, random.Random(1).sample(range(len(systems[0])), 12))


def test_the_influence_of_a_single_segment_is_the_difference():
    found = explain_difference(["a b c d e"], ["a b c d"], [["a b c d e"]])
    (one,) = found.influences
    assert one == (0, found.difference, ("a b c d e", "a b c d"), ("a b c d e",))
    assert isinstance(hash(found), int)


def test_other_metrics_have_only_influences():
    systems, references = demo("weak", "strong"), demo("reference.A")
    for name in ("chrf", "ter", "wer", "cer", "chrf++"):
        found = explain_difference(*systems, references, name, most=3)
        assert (found.shares, found.why_not_shared) == ((), "")
        assert len(found.influences) == 3
        assert ("lower is better" in str(found)) == (name in ("ter", "wer", "cer"))


def test_texts_may_be_iterators_and_references_missing():
    found = explain_difference(
        iter(["a b", "c d"]), iter(["a x", "c d"]), [iter(["a b", "c"]), iter([None, "c d"])], "wer", most=1
    )
    assert found.influences == ((0, 25.0, ("a b", "a x"), ("a b",)),)


def test_an_explanation_can_be_pickled_shown_and_given_as_data():
    found = explain_difference(["<b>a</b> b c d"], ["a b c d"], [["a b c d"]], names=("old", "new"))
    assert pickle.loads(pickle.dumps(found)) == found
    html = found._repr_html_()
    assert "&lt;b&gt;a&lt;/b&gt;" in html
    assert "<b>a" not in html
    data = json.loads(json.dumps(found.as_data()))
    assert data["systems"] == ["old", "new"]
    assert data["influences"][0]["line"] == 1
    assert data["signature"].startswith("nrefs:1|")


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((["a"], ["a", "b"], [["a"]]), {}, "has 1 segment"),
        ((["a"], ["a"], [["a"]]), {"names": ("x", "x")}, "give two different names"),
        ((["a"], ["a"], [["a"]]), {"names": "xy"}, "give two different names"),
        ((["a"], ["a"], [["a"]]), {"names": None}, "give two different names"),
        ((["a"], ["a"], [["a"]]), {"names": {"x", "y"}}, "give two different names"),
        ((["a"], ["a"], [["a"]]), {"names": (1, 2)}, "names 1 is of type int; give a string"),
        ((["a"], ["a"], [["a"]]), {"most": -1}, "most -1; expected a number from 0"),
        ((["a"], ["a"], [["a"]], "blue"), {}, "metric 'blue'; choose from"),
        ((["a", "b"], ["a", "b"], [["a", "b"]]), {"smooth_method": "chen-cherry-5"}, "defined for single segments"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_line(arguments, options, message):
    with pytest.raises(BleuError, match=message) as caught:
        explain_difference(*arguments, **options)
    assert "\n" not in str(caught.value)


# --- real systems


@pytest.fixture(scope="module")
def wmt17():
    """Return the reference and the outputs of the six systems of WMT17 en-de."""
    folder = real_data(os.path.join("wmt17.en-de", "KIT.txt"))
    names = (*evaluation_data.CORPORA["wmt17.en-de"].references, *evaluation_data.CORPORA["wmt17.en-de"].systems)
    return [read_lines(folder, f"wmt17.en-de/{name}.txt") for name in names]


@pytest.mark.slow
def test_shares_add_up_on_every_pair_of_wmt17(wmt17):
    reference, *systems = wmt17
    for method, value in METHODS:
        for first, second in itertools.combinations(systems, 2):
            check_shares(
                explain_difference(first, second, [reference], smooth_method=method, smooth_value=value, most=0)
            )


@pytest.mark.slow
@pytest.mark.parametrize("metric", [BLEU(), CHRF(), TER()])
def test_influence_is_that_of_scoring_again_for_200_segments(wmt17, metric):
    reference, *systems = wmt17
    picked = random.Random(7).sample(range(len(reference)), 200)
    check_influences(metric, [systems[0], systems[-1]], [reference], picked)


# --- the command


def test_the_command_explains_two_systems(run, demo_files):
    words = ("explain", "reference.A.de.txt", "-i", "weak.de.txt", "strong.de.txt")
    weak, strong, reference = demo("weak", "strong", "reference.A")
    expected = explain_difference(weak, strong, [reference], names=("weak.de.txt", "strong.de.txt"))
    answer = run(*words, "-w", "2")
    assert (answer.status, answer.err) == (0, "")
    assert answer.out == f"{expected}\n"
    assert json.loads(run(*words, "-f", "json").out) == json.loads(json.dumps(expected.as_data()))
    assert "--width (JSON of explanations is not rounded)" in run(*words, "-f", "json", "-w", "2").err
    named = run(*words, "--names", "old,new", "-m", "ter", "bleu", "-f", "json")
    assert [(one["name"], one["systems"]) for one in json.loads(named.out)] == [
        ("BLEU", ["old", "new"]),
        ("TER", ["old", "new"]),
    ]
    assert run(*words, "-J", "2").out == run(*words).out


def test_a_part_of_a_corpus_is_explained_by_the_lines_of_the_whole():
    (weak, strong), (reference,) = demo("weak", "strong"), demo("reference.A")
    chosen = list(range(0, len(weak), 3))
    corpus = of_strings([("first", weak), ("second", strong)], [reference])
    (found,) = explain_differences(corpus, [BLEU()], len(weak), choose=lambda count: chosen[:count])
    part = [[text[line] for line in chosen] for text in (weak, strong, reference)]
    expected = explain_difference(*part[:2], part[2:], most=len(weak))
    assert found.segments == len(chosen)
    assert found._replace(influences=()) == expected._replace(influences=())
    assert [one.line for one in found.influences] == [chosen[one.line] for one in expected.influences]
    assert [one[1:] for one in found.influences] == [one[1:] for one in expected.influences]


def test_systems_are_explained_on_a_test_set(run, demo_files):
    words = ("explain", "-t", "demo", "-l", "en-de", "-i", "weak.de.txt", "strong.de.txt")
    assert "BLEU|nrefs:1|test:demo|lang:en-de|" in run(*words).out
    data = json.loads(run(*words, "-f", "json").out)
    assert data["signature"].startswith("nrefs:1|test:demo|lang:en-de|")
    lines = demo("weak")[0]
    assert len(data["influences"]) == 10
    assert all(one["hypotheses"][0] == lines[one["line"] - 1] for one in data["influences"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("strong.de.txt", "reference.B.de.txt"), "bleu explain takes one system, or two to compare; 3 were given"),
        (("strong.de.txt", "--line", "3"), "--line is for one system, but two are compared over all segments"),
        (("strong.de.txt", "-sl"), "--sentence-level takes one system, but two are compared by corpus scores"),
        (("strong.de.txt", "-s", "chen-cherry-5"), "is defined for single segments"),
        (("strong.de.txt", "-par"), "has no option -par; see bleu explain --help all"),
    ],
)
def test_bad_input_gets_one_line(run, demo_files, words, message):
    refused(run("explain", "reference.A.de.txt", "-i", "weak.de.txt", *words), message)


def test_texts_of_different_lengths_are_refused(run, write):
    for name, count in (("ref", 3), ("a", 3), ("b", 2)):
        write(name, "x\n" * count)
    refused(run("explain", "ref", "-i", "a", "b"), "b has 2 segments")


def test_one_segment_and_few_orders_are_told_as_they_are():
    told = " ".join(str(explain_difference(["a b c x"], ["a b c d"], [["a b c d"]], max_ngram_order=1)).split())
    assert "BLEU is a product, BP × p1, so" in told
    assert "points of p1 likewise" in told
    assert "do not add up" not in told
    texts = ["a b c x", "e f g h"], ["a b c d", "e f g h"], [["a b c d", "e f g h"]]
    told = " ".join(str(explain_difference(*texts, max_ngram_order=2)).split())
    assert "BLEU is a product, BP × (p1 × p2)^(1/2), so" in told
    assert "Influences need not add up to the difference." in told
