"""Names of metrics: those of the command, those that scores have in tables, in upper and lower case, everywhere."""

from __future__ import annotations

import csv
import io

import pytest
from conftest import refused

import bleucli
from bleucli.errors import UsageError
from bleucli.metrics import METRICS, VARIANTS, find_metric, find_name, tell_unknown
from bleucli.web.models import read_query

NAMES = [*METRICS, *VARIANTS]
TEXTS = {"a": ["the cat sat on the mat", "hello there, world"], "b": ["the cat sat on a mat", "hello, world"]}
REFERENCES = [["the cat sat on the mat", "hello, world"]]
# What people write instead of a name, with the words that the command suggests and the metric that these make
MEANT = {
    "bleu4": ("-m bleu", "BLEU(max_ngram_order=4)", bleucli.BLEU()),
    "BLEU-4": ("-m bleu", "BLEU(max_ngram_order=4)", bleucli.BLEU()),
    "bleu-2": ("-m bleu --max-ngram-order 2", "BLEU(max_ngram_order=2)", bleucli.BLEU(max_ngram_order=2)),
    "BLEU_1": ("-m bleu --max-ngram-order 1", "BLEU(max_ngram_order=1)", bleucli.BLEU(max_ngram_order=1)),
    "chrF3": ("-m chrf --chrf-beta 3", "CHRF(beta=3)", bleucli.CHRF(beta=3)),
    "chrf1+": ("-m chrf+ --chrf-beta 1", "CHRF(beta=1, word_order=1)", bleucli.CHRF(beta=1, word_order=1)),
    "CHRF4++": ("-m chrf++ --chrf-beta 4", "CHRF(beta=4, word_order=2)", bleucli.CHRF(beta=4, word_order=2)),
}


def printed(name):
    return find_metric(name).score_name()


@pytest.fixture
def files(write):
    write("ref.txt", "".join(f"{line}\n" for line in REFERENCES[0]))
    for name, lines in TEXTS.items():
        write(f"{name}.txt", "".join(f"{line}\n" for line in lines))
    return ("ref.txt", "-i", "a.txt", "b.txt", "-q")


@pytest.mark.parametrize("name", NAMES)
def test_a_printed_name_means_the_metric_that_prints_it(name):
    for word in (name, printed(name)):
        for written in (word, word.upper(), word.lower(), word.title()):
            assert find_name(written) == name
            assert repr(find_metric(written)) == repr(find_metric(name))


@pytest.mark.parametrize("name", NAMES)
def test_the_command_takes_the_names_of_its_columns_everywhere(run, files, name):
    word, expected = printed(name), run(*files, "-m", name, "-f", "csv")
    assert expected.status == 0
    assert word in next(csv.reader(io.StringIO(expected.out)))
    for written in (word, word.upper(), name.upper()):
        assert run(*files, "-m", written, "-f", "csv") == expected
        assert run(*files, "-m", name, written, "-f", "csv") == expected  # the same metric
        assert run(*files, "-m", name, "-f", "csv", "--sort", written) == run(
            *files, "-m", name, "-f", "csv", "--sort", name
        )
        gate = ("--fail-under", f"{written}=1000,{written.swapcase()}=1000")
        refused(run(*files, "-m", name, *gate), f"--fail-under has two bounds for {find_metric(name).name.lower()}")
        bound = 0 if find_metric(name).higher_is_better else 1000
        assert run(*files, "-m", name, "--fail-under", f"{written}={bound}").status == 0


@pytest.mark.parametrize("name", NAMES)
def test_python_takes_the_names_of_its_rows(name):
    word = printed(name)
    results = bleucli.evaluate_systems(TEXTS, REFERENCES, [word])
    assert [row["metric"] for row in results.rows()] == [word, word]
    assert results == bleucli.evaluate_systems(TEXTS, REFERENCES, name)
    matrix = {"en-zh": (TEXTS, REFERENCES)}
    assert bleucli.score_matrix(matrix, [word]) == bleucli.score_matrix(matrix, [name])


@pytest.mark.parametrize("name", NAMES)
def test_the_server_takes_them_and_gives_the_same_numbers(name):
    queries = [read_query([("metric", word), ("sentence_level", "true")]) for word in (name, printed(name))]
    assert repr(queries[0].make_metric()) == repr(queries[1].make_metric())


@pytest.mark.parametrize("word", MEANT)
def test_what_is_suggested_does_what_was_meant(run, files, word):
    words, call, metric = MEANT[word]
    answer = run(*files, "-m", word)
    refused(answer, words)
    names = {"BLEU": bleucli.BLEU, "CHRF": bleucli.CHRF}
    assert f"give {call} instead" in tell_unknown(word)
    assert repr(eval(call, names)) == repr(metric)
    rows = list(csv.DictReader(io.StringIO(run(*files, *words.split(), "-f", "csv", "-w", "9").out)))
    expected = [metric.corpus_score(texts, REFERENCES) for texts in TEXTS.values()]
    assert [row[expected[0].name] for row in rows] == [f"{score.score:.9f}" for score in expected]


@pytest.mark.parametrize("word", ["rouge", "ROUGE-L", "wmt22-comet-da", "BERTScore", "metricx", "meteor"])
def test_a_metric_of_other_tools_is_answered_with_what_exists(run, files, word):
    listed = ", ".join(["bleu", "chrf", "chrf+", "chrf++", "ter", "wer", "cer"])
    refused(
        run(*files, "-m", word),
        f"choose from {listed}; ",
        f"write bleu REF -i SYSTEM --scores {word}=FILE, or, without texts, bleu --segment-scores FILE",
    )
    with pytest.raises(UsageError, match=r"choose from bleu, .*; .*scores={'.*': \.\.\.} to evaluate_systems$"):
        bleucli.evaluate_systems(TEXTS, REFERENCES, [word])
    assert "--segment-scores" in run("--help", "all").out
    assert "--scores" in run("report", "--help", "all").out
