"""Results as an object that answers: by name, as a table, as a data frame; and what it says of names that are wrong."""

from __future__ import annotations

import pickle
import warnings

import pytest
from conftest import raised

import bleucli
from bleucli import BLEU, TER, CorpusStats

REFERENCE = [f"the cat with the number {n} sat on the mat" for n in range(20)]
SYSTEMS = {
    "old": [text.replace("the mat", "a mat") for text in REFERENCE],
    "new": [text.replace("the mat", "a mat") if n % 3 else text for n, text in enumerate(REFERENCE)],
}


def results_of(metrics=("bleu", "chrf++"), **options):
    with warnings.catch_warnings(action="ignore"):
        return bleucli.evaluate_systems(SYSTEMS, [REFERENCE], metrics, **options)


def matrix():
    texts = {"en-de": ({"A": ["gut so"], "B": ["so"]}, [["gut so"]]), "en-fr": ({"A": ["bon"]}, [["bon"]])}
    with warnings.catch_warnings(action="ignore"):
        return bleucli.score_matrix(texts, ["chrf"])


def test_scores_are_found_by_name():
    results = results_of()
    for system in SYSTEMS:
        assert results[system] is next(one for one in results.systems if one.name == system)
        for place, names in enumerate((("BLEU", "bleu", "Bleu"), ("chrF2++", "chrf++", "CHRF2++"))):
            record = results[system].scores[place]
            for name in names:
                assert results[system][name] is record
                assert results.score(system, name) == record.score
    assert results_of(["ter"]).score("old") == results_of(["ter"])["old"]["TER"].score


def test_metrics_that_differ_only_in_case_are_told_apart():
    numbers = {name: [1.0] * 20 for name in SYSTEMS}
    results = results_of(["wer"], scores={"XCOMET": numbers})
    assert results.score("old", "xcomet") == results.score("old", "XCOMET") == 1.0


def test_records_keep_their_fields_by_number():
    results = results_of()
    assert next(iter(results)) is results.systems
    assert results[0] is results.systems
    assert results["old"][0] == "old"
    assert pickle.loads(pickle.dumps(results_of(["ter"], n_bootstrap=10)._replace(hints=[])))["old"]["TER"].score > 0


@pytest.mark.parametrize(
    ("ask", "part"),
    [
        (lambda r: r["olt"], "there is no system 'olt'; choose from old, new; did you mean old?"),
        (lambda r: r["old"]["comet"], "old has no score 'comet'; it has BLEU, chrF2++"),
        (lambda r: r["old"]["chrf"], "old has no score 'chrf'; it has BLEU, chrF2++"),
        (lambda r: r.score("old"), "old has 2 scores; name one of BLEU, chrF2++"),
        (lambda r: r.score("old", "BLEU", pair="en-de"), "there is no system 'old' pair=en-de; choose from old, new"),
    ],
)
def test_wrong_names_are_refused(ask, part):
    raised([part], ask, results_of())


def test_two_scores_of_one_name_are_not_guessed():
    results = results_of([BLEU(), BLEU(lowercase=True)])
    raised(["old has 2 scores called 'bleu'; it has BLEU, BLEU"], lambda: results["old"]["bleu"])


def test_rows_of_a_matrix_are_found_by_their_pair():
    results = matrix()
    assert results.score("A", "chrf", pair="en-de") == results["A pair=en-de"]["chrF2"].score
    assert results.score("A", "chrf", pair="average") == results.averages[0].scores[0].score
    assert results["B"].pair == "en-de"
    raised(["3 groups have a system 'A'; name one, such as pair='en-de'"], lambda: results["A"])


def test_results_print_as_a_table():
    lines = str(results_of(test="ar", trials=199)).splitlines()
    assert lines[0].split() == ["System", "BLEU", "chrF2++"]
    assert lines[2].split() == ["old", "78.25", "83.71"]
    assert lines[3].split()[:3] == ["new", "85.94", "p"]
    assert lines[4:6] == ["", "Paired approximate randomization, 199 trials: against old; * p ≤ 0.05, nominal"]
    assert lines[6].startswith("BLEU: nrefs:1|ar:199|")
    assert repr(results_of()) == str(results_of())
    assert len({len(line) for line in lines[:3]}) == 1
    rows = str(matrix()).splitlines()
    assert rows[0].split() == ["System", "Pair", "chrF2"]
    assert rows[2].split() == ["A", "en-de", "100.00"]
    assert rows[-1].split() == ["A", "average", "100.00"]


def test_scores_from_elsewhere_have_four_decimals_in_the_table():
    scores = {"COMET": {"old": [0.77184] * 20, "new": [0.78] * 20}, "ESA": {"old": [71.2] * 20, "new": [80.0] * 20}}
    table = str(results_of(["bleu"], scores=scores))
    assert "0.7718" in table
    assert "0.7800" in table
    assert "71.20" in table


def test_names_cannot_act_on_a_terminal():
    with warnings.catch_warnings(action="ignore"):
        results = bleucli.evaluate_systems({"a\x1b[31m": ["x"]}, [["x"]])
    assert "a\\x1b[31m" in str(results)


def test_pandas_takes_the_rows():
    pandas = pytest.importorskip("pandas")
    results = results_of(test="ar", trials=19)
    pandas.testing.assert_frame_equal(results.to_pandas(), pandas.DataFrame(results.rows()))


def test_without_pandas_one_line_says_what_to_type(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    raised(["pandas is not installed; type: pip install pandas"], results_of().to_pandas)


def test_statistics_add_up_by_their_class():
    parts = [TER().corpus_stats([text], [[other]]) for text, other in zip(SYSTEMS["old"], REFERENCE, strict=True)]
    assert CorpusStats.sum(parts) == sum(parts)
    assert CorpusStats.sum(iter(parts[:1])) == parts[0]
    raised(["there are no parts to add; give at least one"], CorpusStats.sum, [])
    raised(["a part of type int; give what metric.corpus_stats returns"], CorpusStats.sum, [parts[0], 3])
    raised(["cannot be added"], CorpusStats.sum, [parts[0], BLEU().corpus_stats(["a"], [["a"]])])
    assert CorpusStats[bleucli.TERScore] is not None


def test_dir_shows_what_is_public():
    assert {name for name in dir(bleucli) if not name.startswith("__")} == {*bleucli.__all__} - {"__version__"}
    assert {"score", "system", "to_pandas", "to_dict", "rows", "systems"} <= {*dir(results_of())}
