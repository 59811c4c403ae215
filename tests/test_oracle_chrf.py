"""chrF against the oracle, on the demo corpus, arbitrary text and real systems; and what we do where we differ.

The statistics of the oracle cannot be seen, but its scores can: of segments, and of corpora, which tell which of two
references that score the same a segment was compared with.
"""

import inspect
import json
import os
import random
import warnings
from collections import defaultdict
from fractions import Fraction
from functools import partial
from itertools import combinations, product

import oracles
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import FRAGMENTS, SPACES, Corpus, corpora, texts

import bleucli
from bleucli import BleuError, InputTypeError, kernels
from bleucli.errors import UsageError
from bleucli.kernels.python_f_score import EPSILON, f_score
from bleucli.segments import Segments

# hints to the user, which most tests here are not about
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

CHAR_ORDERS = range(9)
WORD_ORDERS = range(4)
BETAS = (0, 0.5, 1, 2, 2.0, 2.5, 3, 1e-7, 1000, 1e150)
SYSTEMS = ("strong", "weak")
SWITCHES = ("lowercase", "whitespace", "eps_smoothing")
FIELDS = ("name", "score", "char_order", "word_order", "beta")


def with_orders(chosen):
    """Take a pair of orders apart."""
    orders = chosen.pop("orders", None)
    return chosen | dict(zip(("char_order", "word_order"), orders or (), strict=False))


ORDERS = [orders for orders in product(CHAR_ORDERS, WORD_ORDERS) if any(orders)]
options = st.fixed_dictionaries(
    {
        "orders": st.sampled_from(ORDERS),
        "beta": st.sampled_from(BETAS),
        **dict.fromkeys(SWITCHES, st.booleans()),
    }
).map(with_orders)
pairs_of_texts = corpora(missing=False, max_segments=1)


def demo(name):
    return oracles.read_lines(oracles.DEMO, f"{name}.de.txt")


def both(chosen):
    return bleucli.CHRF(**chosen), oracles.chrf(**chosen)


def assert_same(ours, theirs):
    assert [getattr(ours, field) for field in FIELDS] == [getattr(theirs, field) for field in FIELDS]


def nrefs(metric):
    return str(metric.get_signature().info["nrefs"])


def rows_of(module, metric, hypotheses, references):
    """Return the statistics that one set of kernels counts for our metric."""
    hypotheses, *streams = (metric.prepare(Segments.from_strings(side)) for side in (hypotheses, *references))
    orders = (metric.char_order, metric.word_order, metric.beta)
    return list(module.chrf_stats(hypotheses, streams, *orders, metric.whitespace, metric.eps_smoothing))


def assert_segments_alike(metric, theirs, hypotheses, references):
    """Check that all kernels count the same, and that each segment's score is the oracle's."""
    first, *others = (rows_of(module, metric, hypotheses, references) for module in oracles.kernel_modules())
    assert all(rows == first for rows in others)
    columns = [Segments.from_strings(stream) for stream in references]
    assert list(metric.segment_stats(Segments.from_strings(hypotheses), columns)) == first
    for row, hypothesis, *candidates in zip(first, hypotheses, *references, strict=True):
        expected = theirs.sentence_score(hypothesis, [text for text in candidates if text is not None])
        assert_same(metric.score_from_stats(row), expected)


# --- statistics, and scores of segments


@given(corpus=corpora(), chosen=options)
@settings(max_examples=150)
def test_all_kernels_count_alike_and_segments_score_as_the_oracles(corpus, chosen):
    assert_segments_alike(*both(chosen), *corpus)


@pytest.mark.parametrize("space", SPACES)
def test_words_end_at_all_white_space(space):
    hypotheses, references = [f"{space}a{space}b, c{space}"] * 2, [[f"a b,{space}{space}c", "ab,c"]]
    for whitespace, word_order in product((False, True), (0, 2)):
        assert_segments_alike(*both({"whitespace": whitespace, "word_order": word_order}), hypotheses, references)


@pytest.mark.parametrize("word_order", [1, 2, 3])
def test_punctuation_is_cut_off_words_as_by_the_oracle(word_order):
    hypotheses = ["".join(letters) for length in range(6) for letters in product("a.( ", repeat=length)]
    references = [["a . ( a. (a .. a"] * len(hypotheses)]
    assert_segments_alike(*both({"char_order": 1, "word_order": word_order}), hypotheses, references)


def test_all_other_characters_at_the_edges_of_words_are_the_oracles():
    characters = [chr(code) for code in (*range(1, 0x300), *range(0x2000, 0x2070), *range(0x3000, 0x3040), 0xFF0C)]
    characters += [character for character in FRAGMENTS if len(character) == 1]
    hypotheses = [text for c in characters for text in (f"{c}ab{c} {c}cd ef{c} {c}", f"{c} ab {c} {c} cd ef {c} {c}")]
    references = [hypotheses[1::2] + hypotheses[::2]]
    assert_segments_alike(*both({"char_order": 1, "word_order": 2}), hypotheses, references)


def test_lowercasing_equals_the_oracles_for_every_code_point_in_context():
    characters = [chr(code) for code in range(0x20000) if not 0xD800 <= code < 0xE000]
    changed = [character for character in characters if character.lower() != character]
    hypotheses = [f"x{character} {character}x Σ{character}." for character in (*changed, *FRAGMENTS)]
    references = [[text.lower() for text in hypotheses]]
    chosen = {"char_order": 2, "word_order": 1, "lowercase": True}
    assert_segments_alike(*both(chosen), hypotheses, references)


EMPTY = ("", " ", "\u3000\n", "a", "ab c.", ".", "Ab C")


@pytest.mark.parametrize("eps_smoothing", [False, True])
@pytest.mark.parametrize("whitespace", [False, True])
def test_empty_and_short_texts_score_as_the_oracles(eps_smoothing, whitespace):
    for char_order, word_order in product((1, 3, 6), (0, 2)):
        chosen = {"char_order": char_order, "word_order": word_order}
        ours, theirs = both(chosen | {"eps_smoothing": eps_smoothing, "whitespace": whitespace})
        for hypothesis, *candidates in product(EMPTY, EMPTY, EMPTY):
            for number in (1, 2):
                expected = theirs.sentence_score(hypothesis, candidates[:number])
                assert_same(ours.sentence_score(hypothesis, candidates[:number]), expected)


# --- scores


@given(corpus=corpora(), chosen=options)
@settings(max_examples=100)
@example(Corpus(["a", ""], [["", "a"], [None, ""]]), {"eps_smoothing": True})
@example(Corpus(["", ""], [["", ""]]), {"word_order": 2})
def test_corpus_score_equals_the_oracles(corpus, chosen):
    ours, theirs = both(chosen)
    assert_same(ours.corpus_score(*corpus), theirs.corpus_score(*corpus))
    assert nrefs(ours) == nrefs(theirs)


@given(corpus=pairs_of_texts, chosen=options)
@settings(max_examples=100)
def test_sentence_score_equals_the_oracles(corpus, chosen):
    (hypothesis,), candidates = corpus.hypotheses, [text for (text,) in corpus.references]
    ours, theirs = both(chosen)
    assert_same(ours.sentence_score(hypothesis, candidates), theirs.sentence_score(hypothesis, candidates))
    assert nrefs(ours) == nrefs(theirs) == str(len(candidates))


@given(hypothesis=texts, candidate=texts, chosen=options)
@settings(max_examples=100)
def test_sentence_score_of_unrelated_texts_equals_the_oracles(hypothesis, candidate, chosen):
    ours, theirs = both(chosen)
    assert_same(ours.sentence_score(hypothesis, [candidate]), theirs.sentence_score(hypothesis, [candidate]))


def test_a_perfect_score_is_100_and_no_more():
    for length, chosen in product(range(1, 40), [{}, {"word_order": 2}, {"beta": 3}, {"char_order": 7, "beta": 1}]):
        text = " ".join(map(str, range(length)))
        assert bleucli.CHRF(**chosen).sentence_score(text, [text]).score == 100.0


# --- references that score the same

# Short texts, of which many score the same for different reasons
SHORT_TEXTS = ["".join(letters) for length in range(1, 6) for letters in product("ab .", repeat=length)]
FILLER = ("abab ab. b", "ab abb. bb a")
HYPOTHESES_A_CONFIGURATION = 16
TIES_A_HYPOTHESIS = 60
TIED = [
    {},
    {"beta": 1},
    {"whitespace": True},
    {"word_order": 2},
    {"word_order": 3, "beta": 1},
    {"char_order": 4, "word_order": 3, "beta": 3},
    {"char_order": 0, "word_order": 3},
    {"char_order": 0, "word_order": 2, "beta": 0.7, "eps_smoothing": True},
    {"beta": 0},
    {"word_order": 1, "beta": 2.5},
    {"beta": 0.3, "eps_smoothing": True},
    {"eps_smoothing": True},
    {"word_order": 3, "eps_smoothing": True},
    {"char_order": 4, "word_order": 2, "beta": 1, "eps_smoothing": True},
    {"char_order": 7, "word_order": 1, "beta": 3, "whitespace": True, "eps_smoothing": True},
]


def exact_score(row, beta, eps_smoothing):
    """Return the F-score without rounding."""
    orders = [tuple(map(Fraction, row[start : start + 3])) for start in range(0, len(row), 3)]
    factor, epsilon = Fraction(beta) ** 2, Fraction(EPSILON)
    if eps_smoothing:
        ratios = [(m / h if h else epsilon, m / r if r else epsilon) for h, r, m in orders]
        scores = [(1 + factor) * p * r / (factor * p + r) if p or r else epsilon for p, r in ratios]
        return sum(scores) / len(scores)
    effective = [(m / h, m / r) for h, r, m in orders if h and r]
    precision, recall = (sum(side) for side in zip(*effective, strict=True)) if effective else (0, 0)
    return (1 + factor) * precision * recall / (factor * precision + recall) if precision else Fraction(0)


def ties(dice, metric, hypothesis):
    """Give pairs of references that score exactly the same, with different statistics."""
    rows = rows_of(kernels, metric, [hypothesis] * len(SHORT_TEXTS), [SHORT_TEXTS])
    groups = defaultdict(list)
    for row, text in dict(zip(rows, SHORT_TEXTS, strict=True)).items():
        groups[exact_score(row, metric.beta, metric.eps_smoothing)].append((row, text))
    found = [pair for group in groups.values() for pair in combinations(group, 2)]
    return dice.sample(found, min(len(found), TIES_A_HYPOTHESIS))


@pytest.mark.parametrize("number", range(len(TIED)), ids=lambda number: "-".join(TIED[number]) or "default")
def test_of_references_that_score_the_same_the_oracles_is_chosen(number):
    dice = random.Random(number)
    ours, theirs = both(TIED[number])
    (filler,) = rows_of(kernels, ours, [FILLER[0]], [[FILLER[1]]])
    decided = 0
    for hypothesis in dice.sample(SHORT_TEXTS, HYPOTHESES_A_CONFIGURATION):
        for pair in ties(dice, ours, hypothesis):
            sums = [[a + b for a, b in zip(row, filler, strict=True)] for row, _ in pair]
            one, other = (ours.score_from_stats(sum_).score for sum_ in sums)
            if one == other:
                continue  # the choice cannot be seen
            for (_, first), (_, second) in (pair, pair[::-1]):
                corpus = [hypothesis, FILLER[0]], [[first, FILLER[1]], [second, FILLER[1]]]
                assert_same(ours.corpus_score(*corpus), theirs.corpus_score(*corpus))
                decided += 1
    assert decided > 30


def test_many_of_these_ties_are_decided_by_the_last_bit():
    dice, metric = random.Random(0), bleucli.CHRF(word_order=2)
    tied = [pair for hypothesis in dice.sample(SHORT_TEXTS, 10) for pair in ties(dice, metric, hypothesis)]
    scores = [[f_score(row, metric.beta, False) for row, _ in pair] for pair in tied]
    assert sum(one != other for one, other in scores) > 20
    assert sum(one == other for one, other in scores) > 20


@given(
    hypotheses=st.lists(st.text("ab ", min_size=1, max_size=6), min_size=2, max_size=4),
    streams=st.integers(2, 4).flatmap(
        lambda n: st.lists(st.lists(st.text("ab ", max_size=6), min_size=4, max_size=4), min_size=n, max_size=n)
    ),
    chosen=options,
)
@settings(max_examples=200)
def test_many_short_references_score_as_the_oracles(hypotheses, streams, chosen):
    ours, theirs = both(chosen)
    corpus = hypotheses, [stream[: len(hypotheses)] for stream in streams]
    assert_same(ours.corpus_score(*corpus), theirs.corpus_score(*corpus))


# --- the demo corpus


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("char_order", CHAR_ORDERS)
def test_demo_corpus_scores_as_the_oracle_at_every_order(system, char_order):
    hypotheses, streams = demo(system), [demo("reference.A"), demo("reference.B")]
    for word_order in WORD_ORDERS if char_order else WORD_ORDERS[1:]:
        ours, theirs = both({"char_order": char_order, "word_order": word_order})
        assert_same(ours.corpus_score(hypotheses, streams), theirs.corpus_score(hypotheses, streams))


@pytest.mark.parametrize("references", ["A", "AB"])
@pytest.mark.parametrize("beta", BETAS)
def test_demo_corpus_scores_and_signs_as_the_oracle(references, beta):
    hypotheses, streams = demo("weak"), [demo(f"reference.{name}") for name in references]
    for values in product((False, True), repeat=len(SWITCHES)):
        chosen = dict(zip(SWITCHES, values, strict=True))
        ours, theirs = both({**chosen, "word_order": 2, "beta": beta})
        assert_same(ours.corpus_score(hypotheses, streams), theirs.corpus_score(hypotheses, streams))
        assert_same_signature(ours, theirs)


@pytest.mark.parametrize("system", SYSTEMS)
def test_demo_sentences_score_as_the_oracles(system):
    streams = [demo("reference.A"), [text or None for text in demo("reference.B")]]
    for chosen in ({}, {"word_order": 2}, {"eps_smoothing": True}, {"lowercase": True, "whitespace": True, "beta": 1}):
        assert_segments_alike(*both(chosen), demo(system), streams)


# --- references


def test_missing_references_are_left_out_as_by_the_oracle():
    hypotheses = ["a b c d", "e f g h", "i j"]
    for streams, expected in (
        ([["a b c d", None, "i"], [None, "e f g", None]], "1"),
        ([["a b c d", "e f", "i"], [None, "e f g", None]], "var"),
        ([["a b c d", "e f", "i"], ["a", "e f g", "i j"]], "2"),
        ([["a", None, "i"], ["a", "e f g", "i j"], ["b", "h", None]], "var"),
    ):
        ours, theirs = both({"word_order": 2})
        assert_same(ours.corpus_score(hypotheses, streams), theirs.corpus_score(hypotheses, streams))
        assert nrefs(ours) == nrefs(theirs) == expected


def test_references_given_to_the_object_serve_all_systems():
    streams = [demo("reference.A"), [text or None for text in demo("reference.B")]]
    for chosen in ({}, {"lowercase": True, "word_order": 2}):
        ours, theirs = both(chosen | {"references": streams})
        for system in SYSTEMS:
            assert_same(ours.corpus_score(demo(system), None), theirs.corpus_score(demo(system), None))
            assert nrefs(ours) == nrefs(theirs) == "var"


@pytest.mark.parametrize("system", SYSTEMS)
def test_skip_empty_refs_is_the_oracle_with_missing_references(system):
    first, second = demo("reference.A"), demo("reference.B")
    assert "" in second
    ours, theirs = bleucli.CHRF(skip_empty_refs=True), oracles.chrf()
    found = ours.corpus_score(demo(system), [first, second])
    assert_same(found, theirs.corpus_score(demo(system), [first, [text or None for text in second]]))
    expected = oracles.without_version(theirs.get_signature().format()).replace("|version", "|empty:missing|version")
    assert expected.startswith("nrefs:var|")
    assert oracles.without_version(ours.get_signature().format()) == expected


def test_corpora_of_many_blocks_score_as_the_oracles():
    hypotheses = [f"{number} the cat sat {number % 7}" for number in range(4500)]
    streams = [[f"{number} the mat sat {number % 5}" for number in range(4500)]]
    expected = oracles.chrf(char_order=3).corpus_score(hypotheses, streams)
    assert_same(bleucli.CHRF(char_order=3).corpus_score(hypotheses, streams), expected)
    assert_same(bleucli.CHRF(char_order=3, references=streams).corpus_score(hypotheses, None), expected)


# --- the functions of the same name


functions = st.fixed_dictionaries(
    {},
    optional={
        "orders": st.sampled_from(ORDERS),
        "beta": st.sampled_from(BETAS),
        "remove_whitespace": st.booleans(),
        "eps_smoothing": st.booleans(),
    },
).map(with_orders)
values = st.tuples(st.integers(1, 8), st.integers(0, 3), st.sampled_from(BETAS), st.booleans(), st.booleans())


@given(corpus=corpora(), chosen=functions)
@settings(max_examples=60)
def test_corpus_chrf_equals_the_oracles(corpus, chosen):
    assert_same(bleucli.corpus_chrf(*corpus, **chosen), oracles.corpus_chrf(*corpus, **chosen))


@given(corpus=pairs_of_texts, chosen=functions)
@settings(max_examples=60)
def test_sentence_chrf_equals_the_oracles(corpus, chosen):
    sentence = corpus.hypotheses[0], [text for (text,) in corpus.references]
    assert_same(bleucli.sentence_chrf(*sentence, **chosen), oracles.sentence_chrf(*sentence, **chosen))


@given(corpus=pairs_of_texts, values=values, count=st.integers(0, 5))
@settings(max_examples=60)
def test_arguments_may_be_given_by_position(corpus, values, count):
    sentence = corpus.hypotheses[0], [text for (text,) in corpus.references]
    assert_same(bleucli.corpus_chrf(*corpus, *values[:count]), oracles.corpus_chrf(*corpus, *values[:count]))
    assert_same(bleucli.sentence_chrf(*sentence, *values[:count]), oracles.sentence_chrf(*sentence, *values[:count]))


@pytest.mark.parametrize("name", ["corpus_chrf", "sentence_chrf"])
def test_functions_have_the_oracles_parameters_and_defaults(name):
    ours, theirs = (inspect.signature(getattr(module, name)) for module in (bleucli, oracles))
    assert [(p.name, p.default) for p in ours.parameters.values()] == [
        (p.name, p.default) for p in theirs.parameters.values()
    ]


def test_the_class_has_the_oracles_parameters_and_defaults_first():
    ours, theirs = (inspect.signature(function).parameters for function in (bleucli.CHRF, oracles.CHRF))
    expected = [(p.name, p.default) for p in theirs.values()]
    assert [(p.name, p.default) for p in list(ours.values())[: len(expected)]] == expected


# --- signatures and score lines


def assert_same_signature(ours, theirs):
    for short in (False, True):
        expected = oracles.without_version(theirs.get_signature().format(short))
        assert oracles.without_version(ours.get_signature().format(short)) == expected
    assert oracles.without_version(str(ours.get_signature())) == oracles.without_version(str(theirs.get_signature()))


@given(corpus=corpora(), chosen=options)
@settings(max_examples=60)
def test_signatures_equal_the_oracles(corpus, chosen):
    ours, theirs = both(chosen)
    for metric in (ours, theirs):
        metric.corpus_score(*corpus)
    assert_same_signature(ours, theirs)


@given(corpus=corpora(), chosen=options, width=st.integers(0, 9), score_only=st.booleans())
@settings(max_examples=100)
def test_score_lines_equal_the_oracles(corpus, chosen, width, score_only):
    ours, theirs = (metric.corpus_score(*corpus) for metric in both(chosen))
    assert str(ours) == str(theirs)
    assert repr(ours) == repr(theirs)
    for signature in ("", "nrefs:1|case:mixed"):
        arguments = {"width": width, "score_only": score_only, "signature": signature}
        assert ours.format(**arguments) == theirs.format(**arguments)


# --- the command

ONE = "reference.A.de.txt -i strong.de.txt"
TWO = "reference.A.de.txt reference.B.de.txt -i weak.de.txt"
SEVERAL = "reference.A.de.txt -i strong.de.txt weak.de.txt -f text"
LINES = [
    f"{ONE} -m chrf",
    f"{ONE} -m chrf -f text -w 0",
    f"{TWO} -m chrf -w 4 -sh",
    f"{ONE} --metrics chrf --format text --short --width 3",
    f"{ONE} -m chrf -b",
    f"{ONE} -m chrf -b -w 9 -f text",
    f"{TWO} -m chrf -cc 4 -f text -w 5",
    f"{TWO} -m chrf -cw 2",
    f"{TWO} -m chrf --chrf-char-order 8 --chrf-word-order 3 -f text -w 5",
    f"{TWO} -m chrf --chrf-beta 3 -f text -w 5",
    f"{TWO} -m chrf --chrf-beta 0 -f text -w 5",
    f"{TWO} -m chrf --chrf-beta 100000000000 -w 5",
    f"{TWO} -m chrf -cc 0 -cw 1 -f text -w 5",
    f"{TWO} -m chrf -cc 0 -cw 2 -sh -w 5",
    f"{TWO} -m chrf -cc 0 -cw 3 --chrf-eps-smoothing -f text -w 5",
    f"{TWO} -m chrf -cc 0 -cw 2 -sl -w 3",
    f"{ONE} -m chrf -cc 0 -cw 2 --chrf-beta 0 -sl",
    f"{TWO} -m chrf --chrf-whitespace -f text -w 5",
    f"{TWO} -m chrf --chrf-lowercase -f text -w 5",
    f"{TWO} -m chrf --chrf-eps-smoothing -f text -w 5",
    f"{TWO} -m chrf -cc 3 -cw 1 --chrf-beta 1 --chrf-white --chrf-low --chrf-eps -sh -f text -w 5",
    f"{ONE} -m chrf -sl",
    f"{TWO} -m chrf -sl -sh -cw 2 -w 3",
    f"{TWO} -m chrf -sl -b -w 6 --chrf-eps-smoothing",
    f"{SEVERAL} -m chrf",
    f"{SEVERAL} -m chrf -cw 2 -w 3 -sh",
    f"{ONE} -m bleu chrf ter",
    f"{ONE} -m bleu chrf ter -f text",
    f"{TWO} -m ter chrf bleu -f text -w 3",
    f"{TWO} -m ter bleu chrf bleu ter",
    f"{ONE} -m chrf chrf -f text",
    f"{ONE} -m chrf bleu -f text -sh -cw 2",
    f"{ONE} -m bleu chrf ter -b",
    f"{ONE} -m ter chrf -b -f text -w 4",
    f"{TWO} -m bleu chrf ter -lc -tok char -f text -sh",
    f"{TWO} -m bleu chrf ter --chrf-lowercase --ter-case-sensitive -s floor -f text",
    f"{SEVERAL} -m ter chrf bleu",
    f"{SEVERAL} -m bleu ter -w 2 -sh",
    f"{SEVERAL} -m bleu chrf ter -b -q",
]


@pytest.mark.parametrize("line", LINES)
def test_the_command_prints_what_the_oracles_does(run, demo_files, line):
    ours, theirs = oracles.outputs(run, line)
    assert ours == theirs


@pytest.mark.parametrize("extra", ["-m chrf", "-m ter bleu chrf -f text -w 2", "-m chrf -sl -b"])
def test_the_command_reads_standard_input_and_columns_of_references_as_the_oracles(run, demo_files, write, extra):
    rows = zip(demo("reference.A"), demo("weak"), demo("reference.B"), strict=True)
    write("refs.tsv", "".join("\t".join(text or "-" for text in row) + "\n" for row in rows))
    stdin = "".join(f"{text}\n" for text in demo("strong")).encode()
    ours, theirs = oracles.outputs(run, f"refs.tsv -nr 3 {extra}", stdin)
    assert ours == theirs


def warnings_in(answer):
    return [line for line in answer.err.splitlines() if line.startswith("bleu: warning: ")]


@pytest.mark.parametrize("extra", ["-m bleu chrf", "-m ter bleu", "-m ter chrf bleu -f text", "-m chrf ter"])
def test_lowercasing_with_several_metrics_is_warned_of_as_it_is_that_of_bleu(run, demo_files, extra):
    for systems in (ONE, SEVERAL):
        words = f"{systems} {extra}".split()
        (warning,) = warnings_in(run(*words, "-lc"))
        assert "-lc is BLEU's alone" in warning
        assert warnings_in(run(*words)) == warnings_in(run(*words, "-lc", "-q")) == []


@pytest.mark.parametrize("extra", ["-m bleu -lc", "-m bleu bleu -lc", "-m chrf --chrf-lowercase"])
def test_lowercasing_with_one_metric_is_not_warned_of(run, demo_files, extra):
    assert warnings_in(run(*ONE.split(), *extra.split())) == []


def test_lowercasing_for_bleu_does_not_change_the_others(run, demo_files):
    words = f"{TWO} -m bleu chrf ter".split()
    plain, lower = (json.loads(run(*words, *extra).out) for extra in ((), ("-lc",)))
    assert plain[0] != lower[0]
    assert plain[1:] == lower[1:]


# --- where we differ on purpose (spec/decisions.md): what we do


def refused(chosen, kind, words):
    """Check that the class and both functions refuse options in such words."""
    texts = "a", ["a"]
    for function in (
        bleucli.CHRF,
        partial(bleucli.corpus_chrf, *([text] for text in texts)),
        partial(bleucli.sentence_chrf, *texts),
    ):
        with pytest.raises(kind, match=words) as caught:
            function(**chosen)
        assert type(caught.value) is kind
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("word_order", [{"word_order": 2}, {"word_order": 0}, {}])
@pytest.mark.parametrize("char_order", [-1, 1001, 10**30])
def test_character_orders_that_cannot_be_are_refused(char_order, word_order):
    refused({"char_order": char_order, **word_order}, UsageError, f"^char_order {char_order}; expected .* 0 to 1000")


@pytest.mark.parametrize("word_order", [-1, 1001, 10**30])
def test_word_orders_that_cannot_be_are_refused(word_order):
    refused({"word_order": word_order}, UsageError, f"^word_order {word_order}; expected .* 0 to 1000")


def test_no_order_at_all_is_refused():
    refused({"char_order": 0}, UsageError, "^char_order 0 and word_order 0; expected at least 1")


@pytest.mark.parametrize("beta", [-1, -0.5, -2, 1e151, 10**400, float("inf"), float("-inf"), float("nan")])
def test_a_beta_that_cannot_be_is_refused(beta):
    refused({"beta": beta}, UsageError, "^beta .*; expected a number from 0 to 1e.150")


@pytest.mark.parametrize("wrong", ["6", b"6", None, [6], True, {}, 1j])
@pytest.mark.parametrize("name", ["char_order", "word_order", "beta"])
def test_values_of_a_wrong_type_are_refused_by_name(name, wrong):
    match = "unhashable|" if isinstance(wrong, list | dict) else ""
    refused({name: wrong}, InputTypeError, f"{match}^{name} .* is of type {type(wrong).__name__}; give a")


@pytest.mark.parametrize("name", ["char_order", "word_order"])
def test_orders_that_are_not_whole_are_refused(name):
    refused({name: 2.0}, InputTypeError, "2.0 is of type float; give a whole number")


def test_numbers_of_numpy_are_taken():
    numpy = pytest.importorskip("numpy")
    chosen = {"char_order": numpy.int64(3), "word_order": numpy.uint8(1), "beta": numpy.int32(2)}
    assert str(bleucli.sentence_chrf("ab cd", ["ab ce"], **chosen)) == str(
        bleucli.sentence_chrf("ab cd", ["ab ce"], 3, 1)
    )
    assert str(bleucli.sentence_chrf("ab", ["ab"], beta=numpy.float32(2.5))) == "chrF2.5 = 100.00"


def test_equal_betas_of_two_types_have_each_its_own_name():
    scores = [bleucli.sentence_chrf("ab", ["ab"], beta=beta).name for beta in (2, 2.0, 0, 0.0, -0.0, 2)]
    assert scores == ["chrF2", "chrF2.0", "chrF0", "chrF0.0", "chrF0.0", "chrF2"]


@pytest.mark.parametrize(
    ("hypotheses", "streams"),
    [(["a", "b"], [["a"]]), (["a", "b"], [["a", "b", "c"]]), (["a", "b"], [["a", "b"], ["a", "b", "c"]])],
)
def test_corpus_score_refuses_unequal_lengths(hypotheses, streams):
    with pytest.raises(BleuError, match=r"has \d segments? but .* has \d segments?"):
        bleucli.CHRF().corpus_score(hypotheses, streams)


def test_a_segment_without_any_reference_is_named():
    with pytest.raises(BleuError, match="segment 3 "):
        bleucli.CHRF().corpus_score(["a", "b", "c"], [["a", None, None], ["a", "b", None]])
    with pytest.raises(BleuError, match="missing"):
        bleucli.CHRF().sentence_score("a", [None])


@pytest.mark.parametrize("text", ["\ud800", "a\udfff", "\udce4b"])
def test_lone_surrogates_are_refused(text):
    for refused in (
        lambda: bleucli.CHRF().sentence_score(text, ["a"]),
        lambda: bleucli.sentence_chrf("a", ["a", text]),
        lambda: bleucli.CHRF(lowercase=True).corpus_score(["a", text], [["a", "b"]]),
    ):
        with pytest.raises(BleuError, match="surrogate"):
            refused()


def test_single_sentences_and_corpora_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bleucli.CHRF().sentence_score("It is done .", ["It is done ."])
        bleucli.CHRF().corpus_score(["It is done ."] * 200, [["It is done ."] * 200])


# --- real systems


def real_corpus(folder, pair, system, references):
    return [oracles.read_lines(folder, pair, f"{name}.txt") for name in (system, *references)]


@pytest.mark.slow
def test_scores_are_those_that_the_organisers_of_wmt22_published():
    folder = oracles.real_data()
    rows = list(oracles.published_chrf(folder))
    assert len(rows) == 30
    for pair, system, what, expected in rows if kernels.live == "native" else rows[::8]:
        present = [name for name in "AB" if os.path.exists(os.path.join(folder, f"wmt22.{pair}", f"ref.{name}.txt"))]
        references = [f"ref.{name}" for name in (present if what == "all" else what)]
        hypotheses, *streams = real_corpus(folder, f"wmt22.{pair}", system, references)
        found = bleucli.CHRF().corpus_score(hypotheses, streams).score
        assert found == expected, (pair, system, what)


@pytest.mark.slow
@pytest.mark.parametrize("chosen", [{}, {"word_order": 2}], ids=["chrF", "chrF++"])
def test_real_systems_score_as_the_oracle_did(chosen):
    metric, head = bleucli.CHRF(**chosen), oracles.stored()["head"]
    for row, hypotheses, streams in oracles.stored_scores("chrF", chosen):
        found = metric.corpus_score(hypotheses[:head], [stream[:head] for stream in streams]).score
        assert found == row["head_score"], row
        if kernels.live == "native":  # those in Python would need minutes
            found = metric.corpus_score(hypotheses, streams).score
            assert found == row["score"], row
