"""Tests of resampling whole documents, of scoring documents as texts, and of groups from Python."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import numpy as np
import pytest
import sacrebleu
from conftest import ROOT, raised
from paired_samples import demo_systems
from paired_samples import texts as demo_texts

from bleucli import BLEU, CHRF, TER, evaluate_systems
from bleucli.errors import InputTypeError, Note, UsageError
from bleucli.results import Results
from bleucli.significance.comparison import Sampling, compare_units, sample_of
from bleucli.significance.resampling import standard_error

WORDS = ["the", "cat", "sat", "on", "a", "mat", "dog", "ran", "home", "today"]


@pytest.fixture(scope="module")
def corpus():
    """Return references, two systems and labels: 12 documents of 1 to 6 segments, each with words of its own."""
    rng = random.Random(31)
    references, better, worse, documents = [], [], [], []
    for document in range(12):
        words = rng.sample(WORDS, 5)
        for _ in range(rng.randint(1, 6)):
            text = [rng.choice(words) for _ in range(rng.randint(4, 12))]
            references.append(" ".join(text))
            better.append(" ".join(word if rng.random() < 0.85 else "x" for word in text))
            worse.append(" ".join(word if rng.random() < 0.75 else "x" for word in text))
            documents.append(f"d{document}")
    domains = ["news" if name in {"d0", "d3", "d4", "d7", "d9"} else "talk" for name in documents]
    return references, {"worse": worse, "better": better}, {"doc": documents, "domain": domains}


def rows_by_document(metric, texts, references, documents):
    """Sum the rows of each document, plainly."""
    rows = np.asarray(metric.corpus_stats(texts, [references], keep_rows=True).rows)
    names = list(dict.fromkeys(documents))
    return np.array([sum(row for row, name in zip(rows, documents, strict=True) if name == one) for one in names])


def score(metric, sums):
    return metric.score_from_stats(tuple(int(number) for number in sums)).score


@pytest.mark.parametrize("metric", [BLEU(), CHRF(), TER()], ids=lambda metric: metric.name)
def test_the_bootstrap_draws_documents_as_numpy_does(corpus, metric):
    references, systems, labels = corpus
    results = evaluate_systems(systems, [references], metric, test="bs", trials=200, seed=7, labels=labels, unit="doc")
    rows = [rows_by_document(metric, texts, references, labels["doc"]) for texts in systems.values()]
    count = len(rows[0])
    draws = np.random.default_rng(7).integers(0, count, (200, count))
    scores = [np.array([score(metric, of[draw].sum(axis=0)) for draw in draws]) for of in rows]
    for system, of in zip(results.systems, scores, strict=True):
        assert system.scores[0].interval.mean == pytest.approx(of.mean(), abs=1e-12)
    observed = abs(score(metric, rows[0].sum(axis=0)) - score(metric, rows[1].sum(axis=0)))
    differences = abs(scores[1] - scores[0])
    exceeding = int((differences - differences.mean() > observed).sum())
    assert results.systems[1].scores[0].sacrebleu_p_value == (exceeding + 1) / 201


@pytest.mark.parametrize("metric", [BLEU(), CHRF(), TER()], ids=lambda metric: metric.name)
def test_randomization_exchanges_documents_as_numpy_does(corpus, metric):
    references, systems, labels = corpus
    results = evaluate_systems(systems, [references], metric, test="ar", trials=200, seed=7, labels=labels, unit="doc")
    left, right = (rows_by_document(metric, texts, references, labels["doc"]) for texts in systems.values())
    observed = abs(score(metric, left.sum(axis=0)) - score(metric, right.sum(axis=0)))
    exceeding = 0
    for swapped in np.random.default_rng(7).integers(2, size=(200, len(left), 1), dtype=bool):
        one = np.where(swapped, right, left).sum(axis=0)
        other = np.where(swapped, left, right).sum(axis=0)
        exceeding += abs(score(metric, one) - score(metric, other)) > observed
    assert results.systems[1].scores[0].sacrebleu_p_value == (exceeding + 1) / 201


def test_scores_are_those_of_all_segments_and_the_signature_names_the_unit(corpus):
    references, systems, labels = corpus
    plain = evaluate_systems(systems, [references], test="ar", trials=100, seed=7)
    results = evaluate_systems(systems, [references], test="ar", trials=100, seed=7, labels=labels, unit="doc")
    assert [system.scores[0].score for system in results.systems] == [one.scores[0].score for one in plain.systems]
    assert str(results.systems[0].scores[0].signature).startswith("nrefs:1|ar:100|seed:7|unit:doc|case:mixed")
    assert results.test.unit == "doc"
    assert results.score_item(1, 0)["test"]["unit"] == "doc"


def test_documents_of_one_segment_are_segments(corpus):
    references, systems, _ = corpus
    names = [str(number) for number in range(len(references))]
    arguments = {"test": "bs", "trials": 100, "all_pairs": True, "seed": 7}
    plain = evaluate_systems(systems, [references], **arguments)
    results = evaluate_systems(systems, [references], labels={"doc": names}, unit="doc", **arguments)
    for one, other in zip(plain.systems, results.systems, strict=True):
        assert one.scores[0]._replace(signature=None, describe=None) == other.scores[0]._replace(
            signature=None, describe=None
        )
    assert plain.rankings == results.rankings


def test_segments_of_a_document_need_not_follow_one_another(corpus):
    references, systems, labels = corpus
    order = random.Random(5).sample(range(len(references)), len(references))
    # Documents are counted as they first occur, and the draws with them, so only sums are compared
    metric = BLEU()
    stats = metric.corpus_stats([systems["better"][n] for n in order], [[references[n] for n in order]], keep_rows=True)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(labels["doc"][n] for n in order))}
    sums = np.asarray(stats.rows.sums_of([numbers[labels["doc"][n]] for n in order]))
    expected = rows_by_document(metric, systems["better"], references, labels["doc"])
    assert sorted(map(tuple, sums)) == sorted(map(tuple, expected))


def test_the_standard_error_is_the_jackknife_of_the_difference(corpus):
    references, systems, _ = corpus
    metric = CHRF()
    samples = [sample_of(metric.corpus_stats(texts, [references], keep_rows=True)) for texts in systems.values()]
    rows = [np.asarray(sample.stats) for sample in samples]
    differences = [
        score(metric, rows[0].sum(axis=0) - rows[0][place]) - score(metric, rows[1].sum(axis=0) - rows[1][place])
        for place in range(len(references))
    ]
    mean = sum(differences) / len(differences)
    variance = sum((one - mean) ** 2 for one in differences) * (len(differences) - 1) / len(differences)
    assert standard_error(samples[1], samples[0]) == pytest.approx(variance**0.5, rel=1e-9)


def test_the_note_gives_the_ratio_of_the_standard_errors(corpus):
    references, systems, labels = corpus
    with pytest.warns(Note) as notes:
        evaluate_systems(systems, [references], ["chrf", "bleu"], test="ar", trials=200, labels=labels)
    (note,) = [one.message for one in notes if "standard error" in str(one.message)]
    metric = CHRF()
    stats = [metric.corpus_stats(texts, [references], keep_rows=True) for texts in systems.values()]
    numbers = [int(name[1:]) for name in labels["doc"]]
    by_segments = standard_error(*map(sample_of, stats))
    by_documents = standard_error(*(sample_of(one, numbers) for one in stats))
    assert note.detail == (
        f"by chrF2, the standard error of the difference between worse and better is {by_documents / by_segments:.2f}"
        " times as large by documents as by segments; to resample whole documents, use unit='doc'"
    )


def test_the_jackknife_agrees_with_the_bootstrap(corpus):
    references, systems, labels = corpus
    numbers = [int(name[1:]) for name in labels["doc"]]
    metric = CHRF()
    stats = metric.corpus_stats(systems["better"], [references], keep_rows=True)
    from bleucli import resampling

    for sample in (sample_of(stats), sample_of(stats, numbers)):
        (scores,) = resampling.bootstrap([sample], 4000, 1)
        assert standard_error(sample) == pytest.approx(scores.std(), rel=0.15)


def test_the_note_is_about_the_pair_of_interest(corpus):
    references, systems, labels = corpus
    metric = CHRF()
    copies = {"A": systems["worse"], "B": systems["better"], "C": references, "D": ["x"] * len(references)}
    samples = [[sample_of(metric.corpus_stats(texts, [references], keep_rows=True))] for texts in copies.values()]
    results = evaluate_systems(copies, [references], metric)
    numbers = [int(name[1:]) for name in labels["doc"]]

    def pair(sampling, of: Results = results):
        return str(compare_units(of, samples, numbers, sampling))

    assert "between A and C is" in pair(Sampling("ar", 100))
    assert "between C and B is" in pair(Sampling("bs", 100, all_pairs=True))
    assert "the score of A is" in pair(Sampling("ci", 100))


def test_too_few_documents_are_named_as_documents(corpus):
    references, systems, _ = corpus
    names = [str(number % 5) for number in range(len(references))]
    with pytest.warns(UserWarning, match="a few documents: no difference in fewer than 6 documents can be significant"):
        results = evaluate_systems(systems, [references], test="ar", trials=1000, labels={"doc": names}, unit="doc")
    assert results.systems[1].scores[0].p_value >= 2 / 2**5


@pytest.mark.parametrize("test", [None, "bs"])
def test_groups_are_scored_as_if_alone(corpus, test):
    references, systems, labels = corpus
    arguments = {"test": test, "trials": 100, "seed": 3, "unit": "doc"} if test else {}
    results = evaluate_systems(systems, [references], ["bleu", "chrf"], labels=labels, by="domain", **arguments)
    assert [dict(system.labels)["domain"] for system in results.systems] == ["news", "news", "talk", "talk"]
    for place, domain in enumerate(("news", "talk")):
        chosen = [n for n, name in enumerate(labels["domain"]) if name == domain]
        alone = evaluate_systems(
            {name: [texts[n] for n in chosen] for name, texts in systems.items()},
            [[references[n] for n in chosen]],
            ["bleu", "chrf"],
            labels={"doc": [labels["doc"][n] for n in chosen]},
            **arguments,
        )
        for one, other in zip(results.systems[2 * place :], alone.systems, strict=False):
            assert [(s.score, s.p_value, s.interval) for s in one.scores] == [
                (s.score, s.p_value, s.interval) for s in other.scores
            ]
            assert one.segments == len(chosen)


def joined(texts, documents):
    """Join the texts of each document by spaces, plainly."""
    return [
        " ".join(text for text, name in zip(texts, documents, strict=True) if name == one)
        for one in dict.fromkeys(documents)
    ]


@pytest.mark.parametrize(
    ("metric", "oracle"),
    [
        (BLEU(), sacrebleu.BLEU()),
        (CHRF(word_order=2), sacrebleu.CHRF(word_order=2)),
        (TER(), sacrebleu.TER()),
    ],
    ids=["bleu", "chrf++", "ter"],
)
def test_documents_are_scored_as_sacrebleu_scores_joined_texts(corpus, metric, oracle):
    references, systems, labels = corpus
    second = [f"{text} again" for text in references]
    results = evaluate_systems(systems, [references, second], metric, labels=labels, level="doc")
    streams = [joined(stream, labels["doc"]) for stream in (references, second)]
    for system, texts in zip(results.systems, systems.values(), strict=True):
        expected = oracle.corpus_score(joined(texts, labels["doc"]), streams)
        assert system.scores[0].score == expected.score
        assert "|level:doc|" in str(system.scores[0].signature)
    assert results.segments == 12


def test_a_reference_that_lacks_a_segment_is_missing_for_its_document(corpus):
    references, systems, labels = corpus
    second = [None if labels["doc"][n] == "d2" and n % 2 else f"{text} again" for n, text in enumerate(references)]
    assert None in second
    results = evaluate_systems(systems, [references, second], labels=labels, level="doc")
    whole = [
        None if name == "d2" else text
        for name, text in zip(
            dict.fromkeys(labels["doc"]), joined([text or "" for text in second], labels["doc"]), strict=True
        )
    ]
    expected = sacrebleu.BLEU().corpus_score(
        joined(systems["better"], labels["doc"]), [joined(references, labels["doc"]), whole]
    )
    assert results.systems[1].scores[0].score == expected.score
    assert str(results.systems[1].scores[0].signature).startswith("nrefs:var|level:doc")


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ({"unit": "doc", "test": "ar"}, ["unit doc", "is not known", "labels={'doc': [...]}"]),
        ({"unit": "doc"}, ["unit is for tests and intervals"]),
        ({"unit": "page", "test": "ar"}, ["unit 'page'", "'segment' or 'doc'"]),
        ({"level": "page"}, ["level 'page'", "'segment' or 'doc'"]),
        ({"level": "doc"}, ["no label 'doc'", "there are none"]),
        ({"by": "domain"}, ["no label 'domain'", "there are none"]),
        ({"by": "domian", "labels": {"domain": ["a"] * 2}}, ["did you mean domain?"]),
        ({"labels": {"doc": ["a"]}}, ["system A has 2 segments but labels['doc'] has 1 segment"]),
        ({"labels": {"doc": ["a"]}, "level": "doc"}, ["labels['doc'] has 1 segment"]),
        ({"labels": {"doc": "ab"}}, ["doc label", "string"]),
        ({"labels": {"doc": [1, 2]}}, ["doc label 0 (counting from 0) is of type int"]),
        ({"labels": ["a", "b"]}, ["labels: found list"]),
    ],
)
def test_wrong_arguments_are_refused(arguments, parts):
    systems = {"A": ["one", "two"], "B": ["one", "two"]}
    raised(parts, evaluate_systems, systems, [["one", "two"]], **arguments)
    with pytest.raises((UsageError, InputTypeError, ValueError)):
        evaluate_systems(systems, [["one", "two"]], **arguments)


def test_a_document_that_goes_on_after_another_is_refused():
    labels = {"doc": ["a", "b", "a"]}
    parts = ["document a goes on at segment 2 (counting from 0)", "one after the other"]
    raised(parts, evaluate_systems, {"A": ["x"] * 3}, [["x"] * 3], labels=labels, level="doc")


def run_script(data, *options):
    environment = os.environ | {"BLEU_EVALUATION_DATA": str(data)}
    script = os.path.join(ROOT, "scripts", "documents")
    return subprocess.run([sys.executable, script, *options], env=environment, capture_output=True, text=True)


def test_the_script_measures_both_units(tmp_path):
    assert run_script(tmp_path).returncode == 2
    folder = tmp_path / "wmt24.en-de"
    folder.mkdir()
    systems = dict(demo_systems())
    other = [text.partition(" ")[2] if n % 3 else text for n, text in enumerate(systems["strong"])]
    for name, lines in {**systems, "other": other, "ref.A": demo_texts("reference.A")}.items():
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    documents = [f"d{segment * segment % 23}" for segment in range(100)]  # which do not follow one another
    (folder / "docs.tsv").write_text("".join(f"news\t{name}\n" for name in documents), encoding="utf-8")
    answer = run_script(tmp_path, "--repetitions", "2", "--trials", "20")
    assert answer.stdout.startswith(f"wmt24.en-de, 100 segments, {len(set(documents))} documents; BLEU: ")
    rows = [line.split(" | ")[:3] for line in answer.stdout.splitlines() if " ± " in line]
    corrected = ["ar, max-T", "bs, max-T", "ar, Holm", "bs, Holm"]
    assert rows == [
        [f"| {null}", test, "2" if test in ("ar", "bs") else "4"]
        for null in ("centred", "swapped", "simulated")
        for test in ("ar", "bs", *(corrected if null != "swapped" else ()))
    ]
