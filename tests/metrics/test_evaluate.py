"""`evaluate_systems`: the command's numbers from strings, with one call, as dictionaries and as tables."""

from __future__ import annotations

import json

import jsonschema
import pandas
import pytest
from metric_kinds import demo
from sample_results import one, paired, ranked, record, results

import bleucli
from bleucli import BLEU, CHRF, BleuError, Results, evaluate_systems
from bleucli.errors import InputTypeError, LengthError, UsageError
from bleucli.output import json_text
from bleucli.results import Detail, SystemResult, Unscored, Verdict

SYSTEMS = {name: demo(name) for name in ("strong", "weak")}
REFERENCES = [demo("reference.A")]
TWO = [*REFERENCES, demo("reference.B")]
ALL = ["bleu", "chrf", "ter", "wer", "cer"]
FILES = ("strong.de.txt", "weak.de.txt")
RUN = ("command", "inputs", "time")

# What is asked of Python, and of the command
ASKED = {
    "scores": ({}, ()),
    "all metrics": ({"metrics": ALL}, ("-m", *ALL)),
    "intervals": ({"n_bootstrap": 50}, ("-ci", "--confidence-n", "50")),
    "bootstrap": ({"test": "bs", "trials": 50, "metrics": ALL}, ("-pbs", "--paired-bs-n", "50", "-m", *ALL)),
    "randomization": ({"test": "ar", "trials": 50}, ("-par", "--paired-ar-n", "50")),
    "default trials": ({"test": "bs"}, ("-pbs",)),
    "all pairs": (
        {"test": "ar", "trials": 99, "all_pairs": True, "metrics": ["bleu", "ter"]},
        ("-par", "--paired-ar-n", "99", "--paired-all", "-m", "bleu", "ter"),
    ),
    "threads": ({"test": "ar", "trials": 50, "jobs": 2}, ("-par", "--paired-ar-n", "50")),
    "two references": ({"references": TWO}, ()),
}

pytestmark = [pytest.mark.usefixtures("demo_files"), pytest.mark.filterwarnings("ignore::UserWarning")]


def evaluate(systems=SYSTEMS, references=REFERENCES, **more):
    return evaluate_systems(systems, references, **more)


@pytest.mark.parametrize("name", ASKED)
def test_dictionaries_are_the_commands_json(run, name):
    asked, words = ASKED[name]
    files = ("reference.A.de.txt", "reference.B.de.txt")[: len(asked.get("references", REFERENCES))]
    answer = run("-q", *files, "-i", *FILES, *words, "-f", "jsonl")
    assert answer.status == 0, answer.err
    expected = [json.loads(line) | dict.fromkeys(RUN) for line in answer.out.splitlines()]
    systems = {f"{name}.de": texts for name, texts in SYSTEMS.items()}
    found = evaluate(systems, **asked).to_dict()
    assert json.loads(json.dumps(found["scores"])) == found["scores"] == expected
    assert [list(line) for line in found["scores"]] == [list(line) for line in expected]
    validator = jsonschema.Draft202012Validator(json_text.schema())
    for line in found["scores"]:
        validator.validate(line)


@pytest.mark.parametrize("name", ASKED)
def test_rows_are_what_pandas_and_polars_take(name):
    import polars

    results = evaluate(**ASKED[name][0])
    rows = results.rows()
    assert {tuple(row) for row in rows} == {tuple(rows[0])}
    assert not [value for row in rows for value in row.values() if isinstance(value, list | dict | tuple)]
    scores = [(system.name, one.name, one.score) for system in results.systems for one in system.scores]
    for table in (pandas.DataFrame(rows), polars.DataFrame(rows)):
        assert list(table.columns) == list(rows[0])
        assert list(zip(*(table[key].to_list() for key in ("system", "metric", "score")), strict=True)) == scores
    assert polars.DataFrame(rows).to_dicts() == rows
    wide = pandas.DataFrame(rows).pivot(index="system", columns="metric", values="score")
    assert wide.loc["weak", "BLEU"] == results.systems[1].scores[0].score


def test_rows_have_only_columns_with_values():
    start, end = ["system", "metric", "score", "segments"], ["signature"]
    bleu = ["brevity_penalty", "hypothesis_length", "reference_length"]
    interval = ["interval_mean", "interval_half_width"]
    difference = ["baseline", "difference"]
    assert list(evaluate().rows()[0]) == [*start, *bleu, *end]
    assert list(evaluate(metrics="chrf").rows()[0]) == [*start, *end]
    assert list(evaluate(n_bootstrap=10).rows()[0]) == [*start, *interval, *bleu, *end]
    randomized = evaluate(test="ar", trials=20)
    assert list(randomized.rows()[0]) == [*start, *difference, "p_value", "identical", *bleu, *end]
    first, second = randomized.rows()
    assert (first["baseline"], first["difference"], first["p_value"]) == (True, None, None)
    assert second["difference"] == pytest.approx(second["score"] - first["score"])
    bootstrapped = list(evaluate(test="bs", trials=20, all_pairs=True).rows()[0])  # there is no baseline
    both, ranking = ["difference_low", "difference_high"], ["rank_first", "rank_last", "cluster"]
    assert bootstrapped == [*start, *interval, "difference", *both, "p_value", "identical", *ranking, *bleu, *end]
    assert results({}).rows() == []


def test_groups_shares_and_parts_are_in_rows_and_dictionaries():
    system = SystemResult("KIT doc=a", [record(50.0)], labels=[("doc", "a")], segments=3)
    (row,) = Results([system], 9, []).rows()
    assert (row["system"], row["doc"], row["segments"]) == ("KIT", "a", 3)
    (row,) = one(record(50.0, "Self-BLEU", shares=[("distinct-1", 0.5), ("distinct-2", None)])).rows()
    assert row["distinct-1"] == 0.5
    assert "distinct-2" not in row
    (found,) = one(record(50.0, details=[Detail("en", "domain", "news", 3, 40.0)])).to_dict()["scores"]
    assert found["parts"] == [{"origlang": "en", "kind": "domain", "value": "news", "segments": 3, "score": 40.0}]
    assert [row["cluster"] for row in ranked().rows()] == [2, 1, 2]
    assert [(row["rank_first"], row["rank_last"]) for row in ranked().rows()] == [(2, 3), (1, 1), (2, 3)]
    assert [row["identical"] for row in paired().rows()] == [False] * 4 + [True] * 2


@pytest.mark.parametrize("column", ["metric", "score", "cluster", "signature", "distinct-1"])
def test_a_group_column_called_like_a_key_of_rows_is_refused(column):
    scores = [record(50.0, shares=[("distinct-1", 0.5)])]
    grouped = Results([SystemResult(f"KIT {column}=a", scores, labels=[(column, "a")], segments=3)], 9, [])
    with pytest.raises(BleuError, match=rf"^the column {column} makes groups, but rows have a column of that name"):
        grouped.rows()
    named = [SystemResult("mt system=KIT", scores, labels=[("system", "KIT")], segments=3)]
    assert Results(named, 3, []).rows()[0]["system"] == "KIT"  # as in the command's tables
    assert grouped.to_dict()["scores"][0]["system"] == f"KIT {column}=a"


def test_dictionaries_have_verdicts_and_systems_without_scores():
    score = record(50.0)
    judged = one(score)._replace(
        verdicts=[Verdict("sys.txt", score, "--min-score 60", "BLEU 50.0 is below 60")],
        unscored=[Unscored("short.txt", "short.txt has 2 lines, ref.txt has 3")],
    )
    found = json.loads(json.dumps(judged.to_dict()))
    assert found["verdicts"] == [
        {"system": "sys.txt", "metric": "BLEU", "gate": "--min-score 60", "failure": "BLEU 50.0 is below 60"}
    ]
    assert found["unscored"] == [{"system": "short.txt", "reason": "short.txt has 2 lines, ref.txt has 3"}]
    assert evaluate().to_dict().keys() == found.keys()


def test_the_baseline_comes_first():
    results = evaluate(test="ar", trials=20, baseline="weak")
    assert [system.name for system in results.systems] == ["weak", "strong"]
    assert [row["baseline"] for row in results.rows()] == [True, False]
    assert results.to_dict()["scores"][1]["test"] == {
        "method": "ar",
        "trials": 20,
        "unit": "segment",
        "baseline": "weak",
    }


def test_metrics_are_names_or_objects():
    metric = BLEU(lowercase=True)
    results = evaluate(metrics=[metric, "bleu", CHRF(word_order=2)])
    assert [one.name for one in results.systems[0].scores] == ["BLEU", "BLEU", "chrF2++"]
    assert results.systems[0].scores[0].score == metric.corpus_score(SYSTEMS["strong"], REFERENCES).score
    assert [one.name for one in evaluate(metrics=CHRF()).systems[0].scores] == ["chrF2"]
    own = BLEU(tokenize=str.lower, tokenize_name="lower")
    assert evaluate(metrics=own).systems[0].scores[0].signature.info["tok"] == "lower"


def test_two_metrics_of_one_name_have_their_own_rankings():
    metrics = [BLEU(), BLEU(max_ngram_order=1)]
    together = evaluate(metrics=metrics, test="ar", trials=50, all_pairs=True).to_dict()["scores"]
    for place, metric in enumerate(metrics):
        alone = evaluate(metrics=metric, test="ar", trials=50, all_pairs=True).to_dict()["scores"]
        assert [one["pairs"] for one in together[place::2]] == [one["pairs"] for one in alone]


def test_a_seed_is_signed(monkeypatch):
    assert evaluate(n_bootstrap=5, seed=7).systems[0].scores[0].signature.info["seed"] == "7"
    assert evaluate(test="ar", trials=5, seed=None).systems[0].scores[0].signature.info["seed"] == "none"
    monkeypatch.setenv("BLEU_SEED", "99")
    assert evaluate(test="bs", trials=5).systems[0].scores[0].signature.info["seed"] == "99"


def test_texts_may_be_iterators_and_references_missing():
    found = evaluate({name: iter(texts) for name, texts in SYSTEMS.items()}, [iter(REFERENCES[0])])
    assert found.rows() == evaluate().rows()
    second = [None] * len(REFERENCES[0])
    assert evaluate(references=[*REFERENCES, second]).rows()[0]["score"] == evaluate().rows()[0]["score"]


def test_hints_are_warnings_that_point_at_the_caller():
    with pytest.warns(UserWarning, match=r"^copy is the same text as references\[0\]; is it") as caught:
        results = evaluate({"copy": REFERENCES[0]})
    assert [warning.message.detail for warning in caught] == results.hints == results.to_dict()["hints"]
    with pytest.warns(UserWarning, match="same text") as caught:
        evaluate_systems({"copy": REFERENCES[0]}, REFERENCES)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("more", "kind", "message"),
    [
        ({"systems": {}}, BleuError, "no system was given"),
        ({"systems": [("a", ["x"])]}, InputTypeError, "systems: expected lists of strings by name"),
        ({"systems": {5: ["x"]}}, InputTypeError, "systems: expected lists of strings by name"),
        ({"systems": {"": ["x"]}}, InputTypeError, "systems: expected lists of strings by name"),
        ({"systems": {"a": "text"}}, InputTypeError, "bare string"),
        ({"systems": {"a": [None]}, "references": [["x"]]}, InputTypeError, "hypothesis 0 (counting from 0)"),
        ({"systems": {"a": ["x"], "b": ["x", "y"]}, "references": [["x"]]}, LengthError, "system b"),
        ({"references": REFERENCES[0]}, InputTypeError, "write [references]"),
        ({"references": []}, BleuError, "no references were given"),
        ({"references": None}, InputTypeError, "expected a list of streams"),
        (
            {"systems": {"a": ["x", "y", "z"]}, "references": [["a", "b"]] * 3},
            InputTypeError,
            "write list(zip(*references))",
        ),
        ({"metrics": []}, BleuError, "no metric was given"),
        ({"metrics": 5}, InputTypeError, "metrics 5"),
        ({"metrics": {"bleu": 1}}, InputTypeError, "metrics {'bleu': 1}; give a list of names or metrics"),
        ({"metrics": {"bleu"}}, InputTypeError, "metrics {'bleu'}; give a list of names or metrics"),
        ({"metrics": ["blue"]}, UsageError, "did you mean bleu?"),
        ({"test": "br"}, UsageError, "test 'br'; choose 'bs'"),
        ({"test": 5}, UsageError, "test 5; choose 'bs'"),
        ({"test": ["ar"]}, UsageError, "choose 'bs'"),
        ({"trials": 10}, UsageError, "trials is for a test; add test='ar'"),
        ({"baseline": "weak"}, UsageError, "baseline is for a test; add test='ar'"),
        ({"all_pairs": True}, UsageError, "all_pairs is for a test; add test='ar'"),
        ({"test": "ar", "baseline": "week"}, UsageError, "baseline 'week'; choose one of the systems: strong, weak"),
        ({"test": "ar", "trials": 0}, UsageError, "trials 0; expected a number from 1"),
        ({"test": "bs", "trials": 1}, UsageError, "trials 1; expected a number from 2"),
        ({"test": "ar", "trials": "9"}, InputTypeError, "trials '9'"),
        ({"test": "ar", "n_bootstrap": 9}, UsageError, "n_bootstrap is for scores without a test; leave it out"),
        ({"n_bootstrap": 0}, UsageError, "n_bootstrap 0; expected a number from 1"),
        ({"test": "ar", "systems": {"a": ["x"]}}, BleuError, "test='ar' compares systems, but only one was given"),
        ({"seed": "x"}, InputTypeError, "seed 'x'; give a whole number"),
        ({"jobs": -1}, UsageError, "jobs -1"),
        ({"all_pairs": "yes", "test": "ar"}, InputTypeError, "all_pairs 'yes'"),
    ],
)
def test_impossible_arguments_are_refused_in_one_line(more, kind, message):
    with pytest.raises(kind) as caught:
        evaluate(**more)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_evaluate_systems_and_its_results_are_public_names():
    assert {"evaluate_systems", "Results"} <= set(bleucli.__all__)
