"""Paired tests from Python: the oracle's scores, draws and p-values with the same seed; arguments of every shape.

Scores, and the counts that p-values come from, are equal. Means and half-widths are equal up to the oracle's single
precision (`test_resampling` compares ours with sums of integers).
"""

from __future__ import annotations

import os
import random
import warnings

import oracles
import pytest
import sacrebleu.significance
from paired_samples import METRICS, demo_systems, near, texts
from strategies import enough

import bleucli
from bleucli import BLEU, CHRF, TER, BleuError, InputTypeError, PairedTest
from bleucli.significance import Result

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

ORACLES = {"BLEU": oracles.bleu, "chrF2": oracles.chrf, "TER": oracles.ter}
SEEDS = ("12345", "1", "7")
FIRST_SEED = [SEEDS[0], *(pytest.param(seed, marks=pytest.mark.slow) for seed in SEEDS[1:])]
WMT17 = ("KIT", "LIUM-NMT", "PROMT-Rule-based", "SYSTRAN", "online-B", "uedin-nmt")
WMT22 = ("JDExploreAcademy", "Online-B", "Online-W", "OpenNMT")
A, B = "reference.A", "reference.B"


@pytest.fixture(autouse=True)
def no_seed(monkeypatch):
    for name in ("BLEU_SEED", "SACREBLEU_SEED"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def seeded(monkeypatch):
    """Set the seed of our tests and of the oracle's."""

    def seeded(seed):
        monkeypatch.setenv("BLEU_SEED", seed)
        monkeypatch.setenv("SACREBLEU_SEED", seed)

    return seeded


def ours(systems, references, test, trials=0, confidence=-1, jobs=1, names=tuple(METRICS)):
    metrics = {name: METRICS[name](references=references) for name in names}
    return PairedTest(systems, metrics, None, test, trials, confidence, jobs)()


def theirs(systems, references, test, trials=0, confidence=-1, names=tuple(METRICS)):
    metrics = {name: ORACLES[name](references=references) for name in names}
    return sacrebleu.significance.PairedTest(systems, metrics, None, test, trials, confidence)()


def exceeding(result, trials):
    """Return the count that a p-value comes from."""
    return None if result.p_value is None else round(result.p_value * (trials + 1) - 1, 6)


def assert_same(systems, references, test, trials, confidence=-1, names=tuple(METRICS)):
    """Compare signatures, names and all figures; return ours."""
    signatures, table = ours(systems, references, test, trials, confidence, names=names)
    their_signatures, their_table = theirs(systems, references, test, trials, confidence, names=names)
    assert list(table) == list(their_table)
    assert table["System"] == their_table["System"]
    count = trials or {"bs": 1000, "ar": 10000}[test]
    for name in list(table)[1:]:
        long, short = (signatures[name].format(short) for short in (False, True))
        assert oracles.without_version(long) == oracles.without_version(their_signatures[name].format())
        assert oracles.without_version(short) == oracles.without_version(their_signatures[name].format(short=True))
        for found, expected in zip(table[name], their_table[name], strict=True):
            assert oracles.same(found.score, expected.score)
            assert exceeding(found, count) == exceeding(expected, count), (name, found, expected)
            assert oracles.near(found.mean, expected.mean, oracles.SINGLE_PRECISION), (name, found, expected)
            assert oracles.near(found.ci, expected.ci, oracles.OF_DIFFERENCES), (name, found, expected)
    return table


# --- the oracle's draws


@pytest.mark.parametrize("seed", FIRST_SEED)
@pytest.mark.parametrize("test", ["bs", "ar"])
def test_the_demo_corpus_is_drawn_as_the_oracle_draws_it(seeded, test, seed):
    seeded(seed)
    table = assert_same(demo_systems(), [texts(A)], test, 400)
    assert len({result.p_value for name in METRICS for result in table[name]}) > 3, "some differ more than others"


@pytest.mark.slow
@pytest.mark.parametrize("test", ["bs", "ar"])
def test_the_usual_numbers_of_trials_are_the_oracles(test):
    assert_same(demo_systems(25), [texts(A, 25)], test, 0)


@pytest.mark.parametrize("count", [2, 33, *(pytest.param(count, marks=pytest.mark.slow) for count in (3, 31, 32))])
@pytest.mark.parametrize("test", ["bs", "ar"])
def test_few_segments_are_drawn_as_the_oracle_draws_them(test, count):
    strong, weak = texts("strong", count), texts("weak", count)
    assert_same([("strong", strong), ("weak", weak), ("near", near(strong))], [texts(A, count)], test, 101)


@pytest.mark.parametrize("test", ["bs", "ar"])
def test_two_references_are_drawn_as_the_oracle_draws_them(test):
    assert_same(demo_systems(40), [texts(A, 40), texts(B, 40)], test, 100)


@pytest.mark.parametrize("confidence", [-1, 0, 40])
@pytest.mark.parametrize("seed", FIRST_SEED)
def test_intervals_beside_randomization_are_the_oracles(seeded, seed, confidence):
    seeded(seed)
    table = assert_same(demo_systems(33), [texts(A, 33)], "ar", 101, confidence)
    assert (table["BLEU"][1].ci is None) == (confidence == -1)


@pytest.mark.parametrize("trials", [10, 31, 32, 33, 64])
def test_intervals_start_where_the_oracles_trials_end(trials):
    assert_same(demo_systems(7), [texts(A, 7)], "ar", trials, 60)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", METRICS)
def test_a_score_has_the_oracles_interval(seeded, name, seed):
    seeded(seed)
    metric, oracle = METRICS[name](), ORACLES[name]()
    score = metric.corpus_score(texts("strong"), [texts(A)], n_bootstrap=300)
    expected = oracle.corpus_score(texts("strong"), [texts(A)], n_bootstrap=300)
    assert score.format(width=3).split(")")[0] == expected.format(width=3).split(")")[0]
    signature, expected_signature = (str(one.get_signature()) for one in (metric, oracle))
    assert oracles.without_version(signature) == oracles.without_version(expected_signature)
    assert f"bs:300|seed:{seed}" in signature


def real_systems(pair, names, count=None):
    folder = os.path.join(oracles.real_data(pair), pair)
    return [(name, oracles.read_lines(folder, f"{name}.txt")[:count]) for name in names]


def real_references(pair, names, count=None):
    return [lines for _, lines in real_systems(pair, names, count)]


@pytest.mark.slow
@pytest.mark.parametrize("test", ["bs", "ar"])
@pytest.mark.parametrize("seed", SEEDS)
def test_real_systems_are_drawn_as_the_oracle_draws_them(seeded, seed, test):
    seeded(seed)
    systems = real_systems("wmt17.en-de", WMT17[:3], 60)
    assert_same(systems, real_references("wmt17.en-de", ["ref"], 60), test, 200)


@pytest.mark.slow
@pytest.mark.parametrize("test", ["bs", "ar"])
def test_real_systems_with_two_references_are_drawn_as_the_oracle_draws_them(test):
    systems = real_systems("wmt22.en-de", WMT22[:3], 60)
    assert_same(systems, real_references("wmt22.en-de", ["ref.A", "ref.B"], 60), test, 200)


@pytest.mark.heavy
@pytest.mark.slow
@pytest.mark.parametrize("test", ["bs", "ar"])
def test_all_systems_of_wmt17_are_drawn_as_the_oracle_draws_them(test):
    systems = real_systems("wmt17.en-de", WMT17)
    assert_same(systems, real_references("wmt17.en-de", ["ref"]), test, 0)


@pytest.mark.heavy
@pytest.mark.slow
@pytest.mark.parametrize("test", ["bs", "ar"])
@pytest.mark.parametrize("seed", SEEDS[1:])
def test_500_segments_of_wmt_are_drawn_as_the_oracle_draws_them(seeded, seed, test):
    seeded(seed)
    assert_same(real_systems("wmt17.en-de", WMT17, 500), real_references("wmt17.en-de", ["ref"], 500), test, 0)
    references = real_references("wmt22.en-de", ["ref.A", "ref.B"], 500)
    assert_same(real_systems("wmt22.en-de", WMT22, 500), references, test, 0)


# --- tiny corpora, where trials tie with what was observed, and every kind of options

WORDS = ["the", "cat", "sat", "on", "a", "mat", "dog", "ran", ".", ",", "it's"]


def tiny_corpus(rng):
    """Make two systems that share much with each other and with one or two references."""
    count = rng.choice([1, 2, 3, 4, 6, 9, 15])
    references = [
        [" ".join(rng.choices(WORDS, k=rng.randint(number == 0, 9))) for _ in range(count)]
        for number in range(rng.choice([1, 2]))
    ]

    def system():
        return [
            " ".join(rng.choice([word, word, word, "zz"]) for word in line.split() if rng.random() > 0.2)
            if rng.random() < 0.7
            else line
            for line in references[0]
        ]

    return [("a", system()), ("b", system())], references


def any_options(rng):
    smoothing = rng.choice(["exp", "floor", "add-k", "none"])
    return {
        "BLEU": {
            "smooth_method": smoothing,
            "effective_order": rng.random() < 0.5,
            "max_ngram_order": rng.choice([2, 4]),
        },
        "chrF2": {"word_order": rng.choice([0, 2]), "eps_smoothing": rng.random() < 0.5, "beta": rng.choice([1, 2, 3])},
        "TER": {"normalized": rng.random() < 0.5},
    }


def made(metrics, options, references):
    return {name: metrics[name](references=references, **own) for name, own in options.items()}


@pytest.mark.parametrize("test", ["bs", "ar"])
@pytest.mark.parametrize("seed", range(enough(25)))
def test_trials_that_tie_are_counted_as_the_oracle_counts_them(seed, test):
    rng = random.Random(seed)
    systems, references = tiny_corpus(rng)
    options = any_options(rng)
    arguments = (test, 200, rng.choice([-1, 20]))
    _, found = PairedTest(systems, made(METRICS, options, references), None, *arguments)()
    _, expected = sacrebleu.significance.PairedTest(systems, made(ORACLES, options, references), None, *arguments)()
    for name in list(expected)[1:]:
        for one, other in zip(found[name], expected[name], strict=True):
            assert one.p_value == 1 or exceeding(one, 200) == exceeding(other, 200)
            assert oracles.same(one.score, other.score)
            assert oracles.near(one.mean, other.mean, oracles.SINGLE_PRECISION)
            assert oracles.near(one.ci, other.ci, oracles.OF_DIFFERENCES) or abs(one.ci - other.ci) < 1e-5


# --- what differs from the oracle on purpose


@pytest.mark.parametrize("test", ["bs", "ar"])
def test_identical_systems_have_p_1(test):
    strong = texts("strong", 30)
    systems = [("a", strong), ("b", strong), ("c", [f"{line}  " for line in strong])]
    _, table = ours(systems, [texts(A, 30)], test, 50)
    for name in METRICS:
        assert [result.p_value for result in table[name]] == [None, 1.0, 1.0]


@pytest.mark.parametrize("test", ["bs", "ar"])
def test_zero_is_a_seed_for_every_system(monkeypatch, test):
    arguments = (demo_systems(40), [texts(A, 40)], test, 300, 20)
    usual = ours(*arguments)
    monkeypatch.setenv("BLEU_SEED", "0")
    zero = ours(*arguments)
    assert zero[1] == ours(*arguments)[1]
    assert "seed:0" in str(zero[0]["BLEU"])
    for number in range(3):
        assert [zero[1][name][number] for name in METRICS] != [usual[1][name][number] for name in METRICS]


def test_without_a_seed_each_run_draws_differently_and_is_signed_so(monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", "none")
    found = [ours(demo_systems(40), [texts(A, 40)], "bs", 50) for _ in range(2)]
    assert "|bs:50|seed:none|" in str(found[0][0]["BLEU"])
    assert found[0][1] != found[1][1]


def test_our_variable_takes_precedence(monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", "1")
    monkeypatch.setenv("BLEU_SEED", "7")
    assert "seed:7" in str(ours(demo_systems(9), [texts(A, 9)], "bs", 9)[0]["TER"])


def test_an_invalid_seed_is_refused(monkeypatch):
    monkeypatch.setenv("BLEU_SEED", "x")
    with pytest.raises(BleuError, match="BLEU_SEED is 'x'; expected a whole number from 0, or none"):
        ours(demo_systems(9), [texts(A, 9)], "bs", 9)
    with pytest.raises(BleuError, match="BLEU_SEED"):
        BLEU().corpus_score(["a"], [["a"]], n_bootstrap=5)


# --- arguments


def small(test="ar", **more):
    return {
        "named_systems": [("base", ["the cat sat", "a dog ran", "so it goes"]), ("new", ["the cat", "a dog", "it is"])],
        "metrics": {"BLEU": BLEU(smooth_method="floor"), "chrF": CHRF()},
        "references": [["the cat sat", "a dog ran", "so it goes"]],
        "test_type": test,
        "n_samples": 50,
    } | more


def test_the_answer_is_signatures_and_a_table_by_score():
    signatures, table = PairedTest(**small("bs"))()
    assert list(table) == ["System", "BLEU", "chrF2"]
    assert list(signatures) == ["BLEU", "chrF2"]
    baseline, system = table["chrF2"]
    assert Result._fields == ("score", "p_value", "mean", "ci")
    assert (baseline.score, baseline.p_value, baseline.mean, baseline.ci) == (100.0, None, 100.0, 0.0)
    assert 0 < system.p_value <= 1
    assert all(type(number) is float for number in system)


def test_calling_twice_gives_the_same_answer():
    test = PairedTest(**small(n_ar_confidence=20))
    assert test() == test()


def test_the_package_exports_the_paired_test():
    assert bleucli.PairedTest is PairedTest


@pytest.mark.parametrize("test", ["bs", "ar"])
def test_texts_in_every_container_give_the_same_answer(test):
    numpy, pandas, pyarrow = (pytest.importorskip(name) for name in ("numpy", "pandas", "pyarrow"))
    expected = PairedTest(**small(test))()
    arguments = small()
    for shape in (tuple, iter, lambda lines: (line for line in lines), numpy.array, pandas.Series, pyarrow.array):
        systems = [(name, shape(lines)) for name, lines in arguments["named_systems"]]
        references = [shape(lines) for lines in arguments["references"]]
        for outer in (list, tuple, iter):
            found = PairedTest(**small(test, named_systems=outer(systems[:]), references=outer(references)))
            assert found() == expected
            systems = [(name, shape(lines)) for name, lines in arguments["named_systems"]]
            references = [shape(lines) for lines in arguments["references"]]


def test_references_may_be_those_of_the_metrics():
    references = small()["references"]
    metrics = {"BLEU": BLEU(smooth_method="floor", references=references), "chrF": CHRF(references=references)}
    assert PairedTest(**small(references=None, metrics=metrics))() == PairedTest(**small())()


def test_some_references_may_be_missing():
    both = [["the cat sat", None, "so it goes"], [None, "a dog ran", None]]
    signatures, table = PairedTest(**small(references=both, metrics={"TER": TER()}))()
    assert table["TER"][0].score == 0.0
    assert str(signatures["TER"]).startswith("nrefs:1|ar:50|seed:12345|")


def test_threads_change_nothing():
    expected = PairedTest(**small("bs"))()[1]
    for jobs in (0, 2, 3):
        assert PairedTest(**small("bs", n_jobs=jobs))()[1] == expected


def test_scores_of_the_same_name_have_the_given_names():
    plain, lower = CHRF(), CHRF(lowercase=True)
    for metrics in ({"chrF2": plain, "lower": lower}, {"lower": lower, "chrF2": plain}, {"BLEU": lower, "x": plain}):
        signatures, table = PairedTest(**small(metrics=metrics))()
        assert list(table) == ["System", *metrics]
        for name, metric in metrics.items():
            assert signatures[name].info["case"] == ("lc" if metric.lowercase else "mixed")


def test_warnings_tell_users_what_they_should_know():
    systems = [("base", ["the cat"] * 3), ("new", ["nothing here"] * 3)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        PairedTest(**small(named_systems=systems, metrics={"BLEU": BLEU()}))()
    messages = [str(warning.message) for warning in caught]
    assert any(message.startswith("new: BLEU is 0") for message in messages)
    assert {warning.filename for warning in caught} == {__file__}


def test_warnings_tell_users_which_options_have_no_effect():
    systems, references = [("a", ["a b"]), ("b", ["a c"])], [["a b"]]
    with pytest.warns(UserWarning, match="^asian_support=True does nothing without normalized=True or no_punct=True$"):
        PairedTest(systems, {"TER": TER(asian_support=True)}, references, "ar", 20)()


def test_texts_that_can_be_read_only_once_are_kept_for_the_next_call():
    arguments = small()
    systems = {name: iter(texts) for name, texts in arguments["named_systems"]}
    references = {"a": iter(arguments["references"][0])}
    test = PairedTest(**small(named_systems=systems.items(), references=references.values()))
    assert test() == test() == PairedTest(**arguments)()


WRONG = {
    "another test": ({"test_type": "t-test"}, BleuError, "test_type 't-test'; expected 'ar' or 'bs'"),
    "no system": ({"named_systems": []}, BleuError, "0 systems; a paired test needs the baseline and at least one"),
    "one system": ({"named_systems": [("a", ["b"] * 3)]}, BleuError, "1 system; a paired test needs"),
    "names alone": ({"named_systems": ["ab", "cd"]}, InputTypeError, "named_systems: expected pairs"),
    "a dictionary": ({"named_systems": {"ab": ["x"], "cd": ["y"]}}, InputTypeError, "named_systems: expected pairs"),
    "no pairs": ({"named_systems": 5}, InputTypeError, "named_systems: expected pairs"),
    "a name that is not a string": (
        {"named_systems": [(1, ["x"]), (2, ["y"])]},
        InputTypeError,
        "named_systems: expected",
    ),
    "a bare string": ({"named_systems": [("a", "xyz"), ("b", "xyz")]}, InputTypeError, "a bare string where a list"),
    "no metric": ({"metrics": {}}, BleuError, "metrics: expected at least one"),
    "a list of metrics": ({"metrics": [BLEU()]}, InputTypeError, "metrics: expected a dictionary"),
    "names of metrics": ({"metrics": {"BLEU": "BLEU"}}, InputTypeError, "metrics: expected a dictionary"),
    "a metric called System": ({"metrics": {"System": BLEU()}}, BleuError, "none named System"),
    "no references": ({"references": None}, InputTypeError, "references is None; give them here"),
    "a flat list": ({"references": ["abc", "def", "ghi"]}, InputTypeError, "write [references]"),
    "one reference": ({"references": "abc"}, InputTypeError, "expected a list of streams"),
    "too few references": ({"references": [["a", "b"]]}, BleuError, "system base has 3 segments but"),
    "a short system": (
        {"named_systems": [("a", ["x"] * 3), ("short", ["x"] * 2)]},
        BleuError,
        "has 3 segments but system short has 2 segments",
    ),
    "no segments": ({"named_systems": [("a", []), ("b", [])], "references": [[]]}, BleuError, ""),
    "a missing text": (
        {"named_systems": [("a", ["x", None, "y"])] * 2},
        InputTypeError,
        "hypothesis 1 (counting from 0)",
    ),
    "negative trials": ({"n_samples": -1}, BleuError, "n_samples -1; expected a number from 0 to 10000000"),
    "half a trial": ({"n_samples": 0.5}, BleuError, "n_samples 0.5 is of type float; give a whole number"),
    "one resample": (
        {"n_samples": 1, "test_type": "bs"},
        BleuError,
        "n_samples 1; expected a number from 0 to 10000000, but not 1",
    ),
    "one for intervals": ({"n_ar_confidence": 1}, BleuError, "n_ar_confidence 1; expected a number from -1"),
    "negative for intervals": ({"n_ar_confidence": -2}, BleuError, "n_ar_confidence -2; expected a number"),
    "negative threads": ({"n_jobs": -1}, BleuError, "n_jobs -1; expected a number from 0 to 1024"),
}


@pytest.mark.parametrize(("arguments", "error", "message"), WRONG.values(), ids=WRONG)
def test_impossible_arguments_are_refused(arguments, error, message):
    with pytest.raises(error) as caught:
        PairedTest(**small(**arguments))()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


# --- intervals of one score


@pytest.mark.parametrize("resamples", [0, -1])
def test_too_few_resamples_for_an_interval_are_refused(resamples):
    with pytest.raises(BleuError, match=f"n_bootstrap {resamples}; expected a number from 1 to"):
        BLEU().corpus_score(["a b"], [["a b"]], n_bootstrap=resamples)


def test_an_interval_belongs_to_the_score_that_asked_for_it():
    metric = BLEU()
    score = metric.corpus_score(texts("strong"), [texts(A)], n_bootstrap=20)
    assert score.interval.half_width > 0
    assert str(metric.get_signature()).startswith("nrefs:1|bs:20|seed:12345|case:mixed|")
    assert metric.corpus_score(texts("strong"), [texts(A)]).interval is None
    assert "bs:" not in str(metric.get_signature())
    metric.corpus_score(texts("strong"), [texts(A)], n_bootstrap=20)
    metric.sentence_score("a b c d", ["a b c d"])
    assert "bs:" not in str(metric.get_signature())


def test_an_interval_is_printed_even_if_its_mean_is_0():
    score = BLEU().corpus_score(["a b c d", "e f g h"], [["i j k l", "m n o p"]], n_bootstrap=10)
    assert "(μ = 0.00 ± 0.00)" in str(score)
