"""What pages, explanations, tables, papers, gates and the calculator say is recomputed, and it is true."""

from __future__ import annotations

import ast
import os
import random
import re
import warnings
from functools import cache

import pytest
from strategies import enough

pytest.importorskip("jinja2", reason="Jinja2 is not installed; there are no pages")
pytest.importorskip("fastapi", reason="FastAPI is not installed; there is no calculator")

import evaluation_data
from conftest import ROOT
from sample_results import paired
from sentences import Place, Tally, Unknown
from sentences_drawn import PLACES, WAYS, corpora, draw_worlds, judge_all, read_corpus
from sentences_pages import PAGE, drawn_report

from bleucli import evaluate_systems, gates
from bleucli.metrics.bleu import BANDS

# The modules whose sentences are judged
MODULES = (
    *(
        "report/verdicts",
        "report/matrix",
        "metrics/explanations",
        "metrics/differences",
        "metrics/explain_bleu",
        "metrics/explain_chrf",
    ),
    *("metrics/explain_edits", "output/notes", "output/paper"),
    *("metrics/edit_kinds", "metrics/bleu", "metrics/chrf", "metrics/ter"),
)
# What metrics say of themselves; the rest of their modules is help, hints and errors
DESCRIBING = {"describe", "_SMOOTHINGS", "remarks", "_reasons", "BANDS"}


@pytest.mark.parametrize("name", WAYS)
def test_random_worlds_are_described_truly(name):
    tally = Tally(*PLACES)
    draw_worlds(name, enough(WAYS[name].count) // (1 if enough(16) > 1 else 2), tally)
    assert not tally.untrue, tally.told()
    assert any(tally.reached.values())


@pytest.mark.slow
def test_every_kind_of_sentence_comes_up_and_none_is_untrue():
    tally = judge_all(progress=lambda _: None)
    assert not tally.untrue, tally.told()
    assert not tally.missed()
    bands = [words for _, _, words in BANDS]  # a table of the calculator's page
    unread = [
        f"{module}: {phrase}"
        for module in MODULES
        for phrase in phrases_of(module)
        if not any(phrase.strip() in text for text in tally.texts) and phrase not in bands
    ]
    assert not unread, "\n".join(unread)


@pytest.mark.slow
@pytest.mark.skipif(bool(evaluation_data.problem(evaluation_data.FOLDER)), reason="there are no evaluation data")
def test_pages_about_real_systems_are_true():
    tally = Tally(PAGE)
    for _, references, systems in corpora(evaluation_data.FOLDER):
        read_corpus(references, systems, tally)
    assert not tally.untrue, tally.told()
    assert tally.drawn["page"] > 30


# A warning about the bootstrap names the share of differences that it finds between equally good systems
ERRS = re.compile(r"equally good systems in (\d+)-(\d+)% of tests \([^:]+: (\d+)(?:-(\d+))?%\)")


def equal_systems(draw, size=200):
    """Return two systems that draw each segment from the same two texts, and the references."""
    words = "abcdefghijklmnopqrst"
    references = [" ".join(draw.choices(words, k=draw.randint(6, 20))) for _ in range(size)]
    outputs = [
        [" ".join(word if draw.random() > 0.35 else draw.choice(words) for word in text.split()) for text in references]
        for _ in range(2)
    ]
    return {name: [draw.choice(outputs)[at] for at in range(size)] for name in "ab"}, [references]


@cache
def share_of_errors(method, families=600):
    """Return in how many percent of tests two equally good systems differ significantly."""
    found = 0
    for seed in range(families):
        with warnings.catch_warnings(action="ignore"):
            results = evaluate_systems(*equal_systems(random.Random(seed)), test=method, all_pairs=True, trials=1000)
        found += results.rankings[0].p_values[0][1] <= 0.05
    return 100 * found / families


def check_errors(hint):
    """Check the shares in a hint; they were measured on other texts, and are measured here with a deviation of 1.3."""
    low, high, least, most = (int(number) if number else None for number in ERRS.search(hint).groups())
    assert low - 4 <= share_of_errors("bs") <= high + 4, hint
    assert least - 4 <= share_of_errors("ar") <= (most or least) + 4, hint


@pytest.mark.slow
def test_a_gate_says_how_often_the_bootstrap_errs():
    results = paired()
    (hint,) = gates.Gates({}, {"": gates.Bound(0.1)}, ["BLEU", "TER"]).hints(results)
    check_errors(hint)


def test_an_unknown_sentence_and_an_untrue_one_are_found():
    w = drawn_report(random.Random(2), 2)
    tally = Tally(PAGE)
    with pytest.raises(Unknown, match="page: This page is the best page"):
        PAGE.read("This page is the best page.", w, tally)
    PAGE.read(f"7 systems, {len(w.report.lines)} segments, {', '.join(w.metrics)}", w, tally)
    assert "7 systems" in tally.told()
    assert tally.table().splitlines()[1].split()[-3:] == ["0", "0", "0"]
    assert tally.missed()


def test_of_several_kinds_the_longest_sentence_counts():
    place = Place("here")
    place.sentence("short", "It is {n:count}.")(lambda w, n: False)
    place.sentence("long", "It is {n:count}. Or {k:count}.")(lambda w, n, k: n < k)
    w, tally = drawn_report(random.Random(1)), Tally(place)
    place.read("It is 2. Or 1,000.", w, tally)
    assert tally.reached == {"here: short": 0, "here: long": 1}
    assert tally.table()
    assert not tally.untrue  # the table adds nothing to it: the script's status depends on it


def name_of(node):
    """Return what a function, or a constant of a module, is called; "" for other parts of the code."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return node.name if isinstance(node, ast.FunctionDef) else ""


def phrases_of(module):
    """Return the longer parts of the strings that a module prints: neither documentation nor errors."""
    with open(os.path.join(ROOT, "bleucli", f"{module}.py"), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    if any(isinstance(node, ast.FunctionDef) and node.name == "describe" for node in ast.walk(tree)):
        tree = ast.Module([node for node in ast.walk(tree) if name_of(node) in DESCRIBING], [])
    left_out = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            left_out.update(map(id, ast.walk(node)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield from (part for part in re.split(r"\{[^{}]*\}|\n", node.value) if part.count(" ") > 3)
