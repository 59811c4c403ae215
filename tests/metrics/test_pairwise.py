"""Scores of all pairs: equal, to the last bit, to those of `sentence_score` of the same object."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from array import array
from pathlib import Path
from types import ModuleType

import numpy
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric_kinds import KINDS, demo
from strategies import FRAGMENTS, enough, examples, texts

from bleucli import BLEU, CER, CHRF, TER, WER, BleuError, InputTypeError, kernels
from bleucli.kernels import python
from bleucli.metrics import pairwise
from bleucli.text import Segments

PAGE = (Path(__file__).resolve().parent.parent.parent / "docs" / "python.md").read_text(encoding="utf-8")
METHODS = ("exp", "floor", "add-k", "none", "add-one", *(f"chen-cherry-{number}" for number in (1, 2, 3, 4, 5, 7)))
METRICS = st.one_of(
    st.builds(
        BLEU,
        lowercase=st.booleans(),
        tokenize=st.sampled_from(["13a", "char", "none", "intl", "zh"]),
        smooth_method=st.sampled_from(METHODS),
        smooth_value=st.sampled_from([None, 0, 1, 0.3, 1e100]),
        max_ngram_order=st.integers(1, 6),
        effective_order=st.booleans(),
    ),
    st.builds(
        CHRF,
        char_order=st.integers(1, 8),
        word_order=st.integers(0, 3),
        beta=st.sampled_from([0, 0.5, 1, 2, 3, 1e-7, 1e150]),
        lowercase=st.booleans(),
        whitespace=st.booleans(),
        eps_smoothing=st.booleans(),
    ),
    st.builds(TER, normalized=st.booleans(), no_punct=st.booleans(), asian_support=st.booleans()),
    st.builds(WER, lowercase=st.booleans()),
    st.builds(CER),
)
ALL = (BLEU(effective_order=True), CHRF(), CHRF(word_order=2), TER(normalized=True), WER(), CER())
NAMES = [metric.score_name() for metric in ALL]


@pytest.fixture(params=["native", "python"])
def either(request, monkeypatch):
    """Use the native kernels, then the Python ones."""
    for module in oracles.kernel_modules():
        if module.__name__.endswith(request.param.replace("native", "_native")):
            for name in python.__all__:
                monkeypatch.setattr(kernels, name, getattr(module, name))
            return
    pytest.skip("the native kernels were not built")


def looped(metric, hypotheses, references):
    """Return what a loop over `sentence_score` gives."""
    return [[metric.sentence_score(one, [other]).score for other in references] for one in hypotheses]


def assert_looped(metric, hypotheses, references=None, **options):
    found = metric.pairwise(hypotheses, references, **options)
    others = hypotheses if references is None else references
    expected = numpy.array(looped(metric, hypotheses, others), numpy.float64).reshape(len(hypotheses), len(others))
    assert found.dtype == numpy.float64
    assert found.shape == expected.shape
    assert found.tobytes() == expected.tobytes()


sentences = st.lists(st.sampled_from(FRAGMENTS), max_size=12).map(" ".join) | texts


# --- the matrix


@given(metric=METRICS, pool=st.lists(sentences, min_size=1, max_size=5), data=st.data())
@examples(600)
def test_each_score_is_that_of_the_pair(metric, pool, data):
    several = st.lists(st.sampled_from(pool), max_size=5)
    hypotheses, references = data.draw(several), data.draw(st.none() | several)
    assert_looped(metric, hypotheses, references)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_each_score_is_that_of_the_pair_with_all_options(kind, either):
    dice = random.Random(3)
    words = [*FRAGMENTS[40:90], "the", "cat", "sat"]
    lines = [" ".join(dice.choices(words, k=dice.randrange(14))) for _ in range(5)] + ["", "the cat sat on", "The cat"]
    for chosen in kind.grid[:: enough(16)]:
        assert_looped(kind.ours(**chosen), lines[3:], lines[:6])


@pytest.mark.parametrize("metric", ALL, ids=NAMES)
def test_systems_against_each_other_are_scored_as_a_loop_does(metric, either):
    lines = [line for name in ("strong", "weak") for line in demo(name)[:6]]
    assert_looped(metric, lines, demo("reference.A")[:6])
    assert_looped(metric, lines)


@pytest.mark.slow
@pytest.mark.parametrize("metric", [BLEU(effective_order=True), BLEU(tokenize="char"), CHRF(), CHRF(word_order=2)])
@pytest.mark.parametrize("name", ["wmt22.en-de", "wmt22.en-ja", "wmt22.en-zh", "wmt22.cs-uk"])
def test_outputs_of_all_systems_are_scored_as_a_loop_does(metric, name):
    """The outputs of all systems for a line, and its references, are an n-best list in the language's script."""
    import evaluation_data as data

    if missing := data.problem(data.FOLDER):
        pytest.skip(missing)
    columns = list(zip(*map(data.read_lines, data.paths(data.FOLDER, name)), strict=True))
    for number in random.Random(1).sample(range(len(columns)), 20):
        assert_looped(metric, list(columns[number]))


@pytest.mark.parametrize("metric", ALL, ids=NAMES)
@pytest.mark.parametrize("jobs", [2, 5])
def test_threads_change_nothing(metric, jobs):
    lines, references = demo("strong")[:7], demo("reference.A")[:5]
    assert (metric.pairwise(lines, references, jobs=jobs) == metric.pairwise(lines, references)).all()
    assert (metric.pairwise(lines, jobs=jobs) == metric.pairwise(lines)).all()
    assert (metric.expected(lines, references, jobs=jobs) == metric.expected(lines, references)).all()


def test_empty_lists_have_no_scores():
    assert CHRF().pairwise([], ["a"]).shape == (0, 1)
    assert BLEU().pairwise(["a", "b"], []).shape == (2, 0)
    assert TER().pairwise([]).shape == (0, 0)
    assert list(WER().pairwise_groups([])) == []
    assert [scores.shape for scores in WER().pairwise_groups([[], ["a"]], [["b", "c"], []])] == [(0, 2), (1, 0)]


def test_a_matrix_can_be_changed():
    scores = CHRF().pairwise(["a", "b"])
    numpy.fill_diagonal(scores, 0)
    assert not scores.any()


def test_columns_of_pyarrow_and_pandas_are_taken():
    pyarrow, pandas = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    lines = demo("strong")[:5]
    expected = CHRF().pairwise(lines)
    for column in (
        pyarrow.array(lines),
        pyarrow.chunked_array([lines[:2], lines[2:]]),
        pandas.Series(lines),
        iter(lines),
    ):
        assert (CHRF().pairwise(column) == expected).all()


def test_the_signature_is_that_of_one_reference():
    metric = CHRF()
    metric.pairwise(["a"], ["a"])
    assert metric.get_signature().info["nrefs"] == "1"


# --- subclasses


class Halved(BLEU):
    """Another score."""

    def score_from_stats(self, sums):
        score = super().score_from_stats(sums)
        score.score /= 2
        return score


class Stemmed(CHRF):
    """Other texts."""

    def prepare(self, segments):
        return super().prepare(Segments.from_strings([text[:3] for text in segments]))


class Uncounted(CHRF):
    """Other counts."""

    def compare(self, hypotheses, references):
        return super().compare(hypotheses, references._replace(streams=[hypotheses]))


class OtherReferences(BLEU):
    """References that are prepared in another way."""

    def prepare_reference(self, segments):
        return super().prepare(Segments.from_strings([text.upper() for text in segments]))


@pytest.mark.parametrize("kind", [Halved, Stemmed, Uncounted, OtherReferences])
def test_changes_by_a_subclass_take_effect(kind):
    lines = ["the cat sat on the mat", "THE CAT sat on a mat", "it rains"]
    assert_looped(kind(), lines, lines[::-1])
    assert_looped(kind(), lines)


# --- groups


@given(metric=METRICS, groups=st.lists(st.tuples(*[st.lists(sentences, max_size=3)] * 2), max_size=4))
@examples(150)
def test_each_group_is_scored_by_itself(metric, groups):
    hypotheses, references = [list(one) for one, _ in groups], [list(other) for _, other in groups]
    found = list(metric.pairwise_groups(iter(hypotheses), references))
    assert [scores.tobytes() for scores in found] == [metric.pairwise(*group).tobytes() for group in groups]
    assert [scores.shape for scores in found] == [(len(one), len(other)) for one, other in groups]
    found = list(metric.pairwise_groups(hypotheses, jobs=2))
    assert [scores.tobytes() for scores in found] == [metric.pairwise(one).tobytes() for one in hypotheses]


def test_many_groups_are_read_as_they_are_asked_for():
    read = []

    def groups():
        for number in range(10_000):
            read.append(number)
            yield [f"candidate {number}", "candidate"]

    found = CHRF().pairwise_groups(groups())
    assert not read
    assert next(found)[0, 0] == 100
    assert len(read) < 3000
    assert sum(1 for _ in found) == 9999


def test_large_groups_are_scored_one_after_the_other(monkeypatch):
    monkeypatch.setattr(pairwise, "_BATCH_PAIRS", 10)
    lines = demo("strong")[:12]
    lists = [lines[:4], lines[4:5], lines[5:], []]
    for jobs in (1, 2):
        found = CHRF().pairwise_groups(lists, lists[::-1], jobs=jobs)
        expected = [CHRF().pairwise(*pair) for pair in zip(lists, lists[::-1], strict=True)]
        assert all((one == other).all() for one, other in zip(found, expected, strict=True))


def test_lists_of_pyarrow_and_pandas_are_taken():
    pyarrow, pandas = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    lines = demo("strong")[:6]
    lists = [lines[:3], [], lines[3:5], lines[5:]]
    expected = [scores.tolist() for scores in CHRF().pairwise_groups(lists)]
    chunked = pyarrow.chunked_array([lists[:1], lists[1:]])
    large = pyarrow.array(lists, pyarrow.large_list(pyarrow.large_string()))
    nested = pandas.Series([numpy.array(texts, object) for texts in lists])
    for column in (
        pyarrow.array(lists),
        pyarrow.array([["x"], *lists])[1:],
        chunked,
        large,
        nested,
        tuple(map(tuple, lists)),
    ):
        assert [scores.tolist() for scores in CHRF().pairwise_groups(column)] == expected


# --- means


@pytest.mark.parametrize("metric", ALL, ids=NAMES)
def test_the_expected_score_is_the_mean_of_the_row(metric, either):
    lines, references = demo("strong")[:9], demo("reference.A")[:5]
    scores = metric.pairwise(lines, references)
    assert metric.expected(lines, references) == pytest.approx(scores.mean(axis=1), rel=1e-12)
    assert metric.expected(lines, references).tolist() == [sum(row, 0.0) / 5 for row in map(plain_sum, scores.tolist())]
    weights = [0.5, 0, 2, 1e-3, 7]
    expected = numpy.average(scores, axis=1, weights=weights)
    for given_weights in (weights, array("d", weights), numpy.array(weights), iter(weights), [20 * w for w in weights]):
        assert metric.expected(lines, references, given_weights) == pytest.approx(expected, rel=1e-12)
    assert (metric.expected(lines, references, [3] * 5) == metric.expected(lines, references)).all()
    assert metric.expected(lines) == pytest.approx(metric.pairwise(lines).mean(axis=1), rel=1e-12)


def plain_sum(row):
    """Return the sum of a row, added up from left to right; from Python 3.12 on, sum() compensates for rounding."""
    total = 0.0
    for score in row:
        total += score
    return [total]


def test_the_best_is_the_highest_score_or_the_lowest_error_rate():
    candidates = ["a dog sat", "the cat sat", "the cat sat", "the cat sits"]
    assert CHRF().best(candidates, ["the cat sat"]) == (1, 100.0)
    assert TER().best(candidates, ["the cat sat"]) == (1, 0.0)
    assert CER().best(candidates, ["the cat sat", "a dog sat"], weights=[1, 3]).index == 0
    best = CHRF().best(candidates)
    assert best.index == 1
    assert best.score == CHRF().expected(candidates)[1]
    assert BLEU(effective_order=True).best(["x", "y"], ["z"]) == (0, 0.0)


def test_large_and_small_weights_do_not_overflow():
    for weights in ([1e308, 1e308], [5e-324, 5e-324]):
        assert CHRF().expected(["a"], ["a", "b"], weights).tolist() == [50.0]


# --- errors


def fails(kind, message, function, *arguments, **options):
    with pytest.raises(kind) as caught:
        list(function(*arguments, **options))
    assert str(caught.value) == message
    assert "\n" not in message


@pytest.mark.parametrize("name", ["pairwise", "expected"])
def test_texts_that_cannot_be_scored_are_named(name):
    score = getattr(CHRF(), name)
    missing = "{} 1 (counting from 0) is None; give a string, which may be empty"
    fails(InputTypeError, missing.format("hypothesis"), score, ["a", None], ["a"])
    fails(InputTypeError, missing.format("reference"), score, ["a"], ["a", None])
    fails(
        InputTypeError,
        "hypothesis 0 (counting from 0) is of type int, not a string; give one string per segment",
        score,
        [1],
        ["a"],
    )
    fails(InputTypeError, "reference: a bare string where a list of strings belongs; write [text]", score, ["a"], "a")
    skipping = getattr(CHRF(skip_empty_refs=True), name)
    empty = "reference 1 (counting from 0) is empty, and empty references are skipped; leave it out"
    fails(BleuError, empty, skipping, ["a"], ["a", " ", "b"])
    fails(BleuError, empty, skipping, ["a", ""])
    no_score = "hypothesis 1 against reference 0 (counting from 0) has no match of order 3, which chen-cherry-6 needs"
    sixth = getattr(BLEU(smooth_method="chen-cherry-6"), name)
    for jobs in (1, 2):
        fails(BleuError, f"{no_score}; choose another smoothing method", sixth, ["a b c", "b"], ["a b c"], jobs=jobs)
    fails(BleuError, "jobs -1; expected a number from 0 to 1024", score, ["a"], ["b"], jobs=-1)


FINITE = "give finite numbers that are not negative, such as probabilities (exponentiate logarithms first)"


def test_groups_that_cannot_be_scored_are_named():
    score = CHRF().pairwise_groups
    missing = "group 1: {} 0 (counting from 0) is None; give a string, which may be empty"
    fails(InputTypeError, missing.format("hypothesis"), score, [["a", "b"], [None]])
    fails(InputTypeError, missing.format("reference"), score, [["a", "b"], ["a"]], [["c"], [None]])
    fails(
        InputTypeError,
        "group 1: reference 0 (counting from 0) is of type int, not a string; give one string per segment",
        score,
        [["a"], ["b"]],
        [["a"], [1]],
    )
    kind = "references: group 0 (counting from 0) is of type str, not a list; give one list for each group"
    fails(InputTypeError, kind, score, [["a"]], ["a"])
    kind = "hypotheses: group 1 (counting from 0) is of type NoneType, not a list; give one list for each group"
    fails(InputTypeError, kind, score, [["a"], None])
    fails(InputTypeError, "hypotheses: expected a list of lists of strings, one for each group", score, "abc")
    fails(
        BleuError, "references has 1 group but hypotheses has more; give the same number", score, [["a"]] * 3, [["a"]]
    )
    fails(BleuError, "hypotheses has 0 groups but references has more; give the same number", score, [], [["a"]])
    empty = "group 1: reference 0 (counting from 0) is empty, and empty references are skipped; leave it out"
    fails(BleuError, empty, CHRF(skip_empty_refs=True).pairwise_groups, [["a"], ["b"]], [["a"], [""]])
    pair = "group 1: hypothesis 0 against reference 1 (counting from 0)"
    no_score = f"{pair} has no match of order 3, which chen-cherry-6 needs"
    sixth = BLEU(smooth_method="chen-cherry-6").pairwise_groups
    lists = [["a b c"], ["a b c"]], [["a b c"], ["a b c", "c"]]
    fails(BleuError, f"{no_score}; choose another smoothing method", sixth, *lists)
    with pytest.raises(BleuError, match="jobs -1"):
        score([], jobs=-1)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1], "weights of the shape (1,) for 2 references; give one number for each"),
        ([[1, 2]], "weights of the shape (1, 2) for 2 references; give one number for each"),
        ([0.5, -1.5], f"weight 1 (counting from 0) is -1.5; {FINITE}"),
        ([float("nan"), 1], f"weight 0 (counting from 0) is nan; {FINITE}"),
        ([0, 0], "all weights are 0; give at least one reference a weight above 0"),
        (["a", "b"], "weights: expected a list of numbers, one for each reference"),
        (["1", "2"], "weights: expected a list of numbers, one for each reference"),
        ([10**400, 1], "weights: expected a list of numbers, one for each reference"),
        (numpy.array([1j, 2]), "weights: expected a list of numbers, one for each reference"),
        (3, "weights: expected a list of numbers, one for each reference"),
    ],
)
def test_impossible_weights_are_refused(weights, message):
    fails(BleuError, message, CHRF().expected, ["a"], ["a", "b"], weights)


def test_there_must_be_something_to_choose_from():
    fails(BleuError, "references is empty; give at least one text", CHRF().expected, ["a"], [])
    fails(BleuError, "hypotheses is empty; give at least one text", CHRF().best, [])
    fails(BleuError, "hypotheses is empty; give at least one text", CHRF().best, [], ["a"])


# --- the adapter for mbrs in docs/python.md


class Tensor:
    """The part of torch's tensors that the adapter uses."""

    def __init__(self, numbers):
        self.numbers = numbers

    def float(self):
        return self.numbers.astype("float32")


class MetricChrF:
    """What mbrs documents about its metrics: they are made from a `Config`, and score all pairs."""

    class Config:
        """Their options."""

    def __init__(self, cfg):
        self.cfg = cfg

    def pairwise_scores(self, hypotheses, references, source=None):
        raise NotImplementedError


def test_the_adapter_of_the_page_gives_all_scores(monkeypatch):
    """A stand-in with the documented interface of mbrs takes its place: mbrs needs torch and gigabytes of models."""
    modules = {"torch": {"from_numpy": Tensor}, "mbrs": {}, "mbrs.metrics": {"MetricChrF": MetricChrF}}
    for name, contents in modules.items():
        module = ModuleType(name)
        vars(module).update(contents)
        monkeypatch.setitem(sys.modules, name, module)
    blocks = re.findall(r"^```python\n(import torch\n.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    names = {}
    exec(blocks[0], names)
    metric = names["PairwiseChrF"](names["PairwiseChrF"].Config())
    lines = demo("strong")[:4]
    found = metric.pairwise_scores(lines, lines[:3], source=None)
    assert found.dtype == numpy.float32
    assert (found == CHRF().pairwise(lines, lines[:3]).astype("float32")).all()
    assert len(blocks) == 1


# --- memory

PEAK = """
import random, resource, sys
from bleucli import CHRF
dice = random.Random(1)
words = ["".join(dice.choices("abcdefghijklmnopqrstuvwxyz", k=dice.randrange(2, 9))) for _ in range(3000)]
texts = [" ".join(dice.choices(words, k=25)) for _ in range(8000)]
CHRF().pairwise(texts[:2], texts[:2])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
getattr(CHRF(), sys.argv[1])(texts[:2000], texts)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory has other units")
@pytest.mark.parametrize(("name", "most"), [("expected", 150), ("pairwise", 150 + 128)])
def test_2000_hypotheses_and_8000_references_take_bounded_memory(name, most):
    """Most n-grams of random words occur in few texts, which takes the most memory; the matrix has 128 MB."""
    if kernels.live != "native":
        pytest.skip("the python kernels take an hour")
    done = subprocess.run([sys.executable, "-c", PEAK, name], capture_output=True, text=True, check=True)
    assert int(done.stdout) / 1024 < most


def test_a_list_that_is_used_again_for_the_next_group_is_read_in_time():
    """Groups were read ahead without a copy, so all groups of a batch were scored as the last of them."""

    def reused():
        texts = []
        for words in ("the cat", "a dog", "it rains"):
            texts[:] = [words]
            yield texts

    references = [["the cat"], ["a dog"], ["it rains"]]
    assert [scores.tolist() for scores in CHRF().pairwise_groups(reused(), references)] == [[[100.0]]] * 3
