"""`-f card`: what a metric card asks for, in one JSON object."""

from __future__ import annotations

import json

import pytest
from conftest import refused
from sample_results import one, paired, ranked, record

from bleucli import BLEU, __version__
from bleucli.output import render
from bleucli.output.layout import Layout

REF, STRONG, WEAK = "reference.A.de.txt", "strong.de.txt", "weak.de.txt"
FEW = ("-cin", "50", "--paired-bs-n", "50", "--paired-ar-n", "50")
VERSION = f"bleucli-{__version__}"


@pytest.fixture
def card(run, demo_files):
    """Return the card of systems, parsed from JSON."""

    def card(*words):
        answer = run("-q", *words, "-f", "card")
        assert (answer.status, answer.err) == (0, "")
        return json.loads(answer.out)

    return card


def test_a_card_has_the_score_from_0_to_1_and_its_details(card):
    assert card(REF, "-i", STRONG) == {
        "bleu": 0.486,
        "brevity_penalty": 1.0,
        "precisions": [0.769, 0.553, 0.416, 0.314],
        "signature": f"nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:{VERSION}",
        "version": VERSION,
        "items": 100,
    }


def test_items_of_json_lines_bring_their_references(card, write):
    items = [
        {"hypothesis": "The dog bit the man.", "references": ["The dog bit the man.", "The dog had bit the man."]},
        {"hypothesis": "It was not surprising.", "references": ["It was not unexpected."]},
    ]
    write("items.jsonl", "".join(f"{json.dumps(item)}\n" for item in items))
    found = card("-i", "items.jsonl", "-w", "9")
    expected = BLEU().corpus_score(
        [item["hypothesis"] for item in items],
        [[item["references"][0] for item in items], ["The dog had bit the man.", None]],
    )
    assert found["bleu"] == round(expected.score / 100, 9)
    assert found["precisions"] == [round(precision / 100, 9) for precision in expected.precisions]
    assert (found["signature"][:9], found["items"]) == ("nrefs:var", 2)


def test_several_metrics_share_a_card(card):
    found = card(REF, "-i", STRONG, "-m", "ter", "chrf++", "bleu", "wer", "cer")
    assert list(found)[:7] == ["bleu", "brevity_penalty", "precisions", "chrf++", "ter", "wer", "cer"]
    assert list(found["signature"]) == ["bleu", "chrf++", "ter", "wer", "cer"]
    assert found["signature"]["chrf++"] == f"nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:{VERSION}"
    assert (found["version"], found["items"]) == (VERSION, 100)
    assert "chrf3" in card(REF, "-i", STRONG, "-m", "chrf", "--chrf-beta", "3")


def test_scale_and_width_may_be_chosen(run, card):
    found = card(REF, "-i", WEAK, "--scale", "100")
    precisions = "/".join(map(str, found["precisions"]))
    line = run(REF, "-i", WEAK, "-f", "text", "-q").out
    assert f" = {found['bleu']} {precisions} (BP = {found['brevity_penalty']:.3f} ratio" in line
    assert found["bleu"] == 11.5
    found = card(REF, "-i", WEAK, "-w", "5")
    assert len(str(found["bleu"])) == 7
    assert card(REF, "-i", WEAK, "--scale", "1") == card(REF, "-i", WEAK)


def test_the_brevity_penalty_is_a_factor_in_every_scale(card, write):
    write("ref", "a b c d e f\n")
    write("sys", "a b c d\n")
    for words in ((), ("--scale", "100"), ("-w", "2")):
        assert card("ref", "-i", "sys", *words)["brevity_penalty"] == 0.607
    assert card("ref", "-i", "sys", "-w", "4")["brevity_penalty"] == 0.6065


def test_gates_use_the_scale_that_is_printed(run, demo_files):
    words = (REF, "-i", STRONG, "-f", "card", "-q", "--fail-under")
    assert run(*words, "0.48").status == 0
    assert run(*words, "0.49").status == 1
    assert run(*words, "48", "--scale", "100").status == 0
    assert run(*words, "49", "--scale", "100").status == 1
    told = "--fail-under 48.0 is above 1, but bounds have the scale of the printed scores, here 0 to 1; write 0.48, or"
    refused(run(*words, "48"), f"{told} choose --scale 100")
    bare = (REF, "-i", STRONG, "-b", "-q", "--fail-under", "48")
    assert run(*bare, variables={"BLEU_FORMAT": "card"}).status == 0


def test_intervals_follow_their_scores(card):
    found = card(REF, "-i", STRONG, "-ci", *FEW, "-m", "bleu", "ter")
    assert list(found)[:8] == [
        *("bleu", "bleu_mean", "bleu_ci", "brevity_penalty", "precisions", "ter", "ter_mean", "ter_ci")
    ]
    assert 0 < found["bleu_ci"] < 0.2 < found["bleu_mean"] < 1


def test_several_systems_are_cards_by_name(card):
    found = card(REF, "-i", STRONG, WEAK, "-pbs", *FEW, "--paired-all")
    assert list(found) == ["strong.de", "weak.de"]
    assert not any("baseline" in one for one in found.values()), "every pair is tested"
    assert [one["bleu_p_value"] is None for one in found.values()] == [True, False]
    assert [one["bleu_cluster"] for one in found.values()] == [1, 2]
    tested = card(REF, "-i", STRONG, WEAK, "-pbs", *FEW)
    assert [one["baseline"] for one in tested.values()] == [True, False]
    plain = card(REF, "-i", STRONG, WEAK, "--names", "old,new")
    assert plain == {"old": card(REF, "-i", STRONG), "new": card(REF, "-i", WEAK)}


def test_a_system_that_is_left_out_does_not_change_the_shape(run, demo_files):
    answer = run(REF, "-i", STRONG, "missing", "--keep-going", "-f", "card", "-q")
    assert answer.status == 2
    assert list(json.loads(answer.out)) == ["strong.de"]


def test_scores_from_elsewhere_keep_their_scale(run, write):
    write("a", "0.5\n2\n")
    assert json.loads(run("--segment-scores", "-i", "a", "-f", "card", "-w", "2").out) == {
        "score": 1.25,
        "signature": f"version:{VERSION}",
        "version": VERSION,
        "items": 2,
    }


def test_python_renders_results_as_a_card_without_scaling_them():
    shown = json.loads(render(one(record(58.64), record(28.88, "TER")), Layout(2), "card"))
    assert (shown["bleu"], shown["ter"], shown["items"], shown["version"]) == (58.64, 28.88, 20, "bleucli-1")
    assert "precisions" not in shown
    assert list(json.loads(render(paired(), Layout(), "card"))) == ["a.txt", "b.txt", "c.txt"]
    assert [one["bleu_cluster"] for one in json.loads(render(ranked(), Layout(), "card")).values()] == [2, 1, 2]


def test_options_that_a_card_does_not_have_are_refused(run, demo_files):
    words = (REF, "-i", STRONG, "-f", "card")
    refused(
        run(*words, "-sl"),
        "--format has no effect: segments are printed as text, json, jsonl, csv, tsv or parquet, not as card",
    )
    refused(run(*words, "-b"), "--format has no effect: bare scores are numbers, not card")
    refused(run(*words, "--bold-best"), "--bold-best has no effect: card has no bold")
    refused(run(*words, "--names", "a"), "--names has no effect: a single score is printed without a name")
    refused(run("-t", "demo", "-l", "en-de", "-i", STRONG, "-f", "card", "-d"), "--detail cannot be shown in card")


def test_a_format_of_the_environment_leaves_bare_scores_in_percent(run, demo_files):
    assert run(REF, "-i", STRONG, "-b", variables={"BLEU_FORMAT": "card"}).out == "48.6\n"
