"""All metrics against the oracle, on the demo corpus, arbitrary text and real systems.

Tests of a single metric are in `test_oracle_bleu`, `test_oracle_chrf` and `test_oracle_ter`. `scripts/parity` does the
same at full size, on real system outputs.
"""

from __future__ import annotations

import warnings
from itertools import islice, product

import metric_kinds
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric_kinds import (
    BLEU,
    CHRF,
    KINDS,
    ONE,
    SEVERAL,
    SYSTEMS,
    TER,
    TWO,
    assert_same,
    assert_same_signature,
    assert_segments_alike,
    both,
    demo,
    nrefs,
    parameters,
)
from strategies import FRAGMENTS, SPACES, Corpus, corpora, examples, texts

import bleucli
from bleucli import BleuError, InputTypeError, kernels

# the tests here are not about hints
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

of_each_metric = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
of_each_system = pytest.mark.parametrize("system", SYSTEMS)


def with_each(name):
    """Run a test with each metric and each of its options of one kind."""
    cases = [(kind, chosen) for kind in KINDS for chosen in getattr(kind, name)]
    return pytest.mark.parametrize(("kind", "chosen"), cases, ids=[f"{kind.name}-{chosen}" for kind, chosen in cases])


def sentence_of(corpus):
    """Return the hypothesis and the references of a corpus of one segment."""
    return corpus.hypotheses[0], [text for (text,) in corpus.references]


# --- statistics, and scores of segments


@of_each_metric
@given(corpus=corpora(max_streams=4), data=st.data(), width=st.integers(0, 9), score_only=st.booleans())
@examples(200)
def test_corpora_are_counted_scored_signed_and_printed_as_the_oracle_does(kind, corpus, data, width, score_only):
    chosen = data.draw(kind.options)
    assert_segments_alike(kind, chosen, *corpus)
    metrics = both(kind, chosen)
    ours, theirs = (metric.corpus_score(*corpus) for metric in metrics)
    assert_same(ours, theirs)
    assert (str(ours), repr(ours)) == (str(theirs), repr(theirs))
    for signature in ("", "nrefs:1|case:mixed"):
        arguments = {"width": width, "score_only": score_only, "signature": signature}
        assert ours.format(**arguments) == theirs.format(**arguments)
    assert nrefs(metrics[0]) == nrefs(metrics[1])
    if not chosen.get("smooth_value") or chosen["smooth_value"] == round(chosen["smooth_value"], 2):
        # the oracle's signature has two decimals
        assert_same_signature(*metrics, chosen.get("max_ngram_order", 4))


@of_each_metric
@given(hypothesis=texts, candidates=st.lists(texts, min_size=1, max_size=3), data=st.data())
@examples(100)
def test_sentence_score_of_unrelated_texts_equals_the_oracles(kind, hypothesis, candidates, data):
    ours, theirs = both(kind, data.draw(kind.options))
    assert_same(ours.sentence_score(hypothesis, candidates), theirs.sentence_score(hypothesis, candidates))
    assert nrefs(ours) == nrefs(theirs) == str(len(candidates))


@of_each_metric
def test_words_end_at_all_white_space(kind):
    shapes = [("{0}a{0}b c{0}", "a b{0}{0}c"), ("{0}a{0}b, c{0}", "a b,{0}{0}c")]
    shapes += [("a{0}-b", "a{0} -b"), ("a.{0}", "a .")]
    pairs = [(one.format(space), other.format(space)) for space in SPACES for one, other in shapes]
    hypotheses, references = (list(side) for side in zip(*pairs, strict=True))
    for chosen in kind.spacing:
        assert_segments_alike(kind, chosen, hypotheses, [references])


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
@of_each_metric
def test_lowercasing_equals_the_oracles_for_every_code_point_in_context(kind, step):
    characters = [chr(code) for code in range(0x20000) if not 0xD800 <= code < 0xE000]
    changed = [character for character in characters if character.lower() != character][::step]
    hypotheses = [f"x{character} {character}x Σ{character}." for character in (*changed, *FRAGMENTS)]
    for chosen in kind.lowercasing:
        assert_segments_alike(kind, chosen, hypotheses, [[text.lower() for text in hypotheses]])


ODD = ("", " ", "\u3000\n", "a", "ab c.", ".", "Ab C")


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.slow)])
@with_each("odd")
def test_empty_and_short_texts_score_as_the_oracles(kind, chosen, step):
    ours, theirs = both(kind, chosen)
    for hypothesis, *candidates in (*product(ODD, repeat=2), *islice(product(ODD, repeat=3), 0, None, step)):
        assert_same(ours.sentence_score(hypothesis, candidates), theirs.sentence_score(hypothesis, candidates))
    for corpus in (
        Corpus(["", "a"], [["", ""]]),
        Corpus(["", ""], [["", ""]]),
        Corpus(["a", ""], [["", "a"], [None, ""]]),
        Corpus(["a", ""], [["", "a b"], [None, ""], ["a", None]]),
    ):
        assert_same(ours.corpus_score(*corpus), theirs.corpus_score(*corpus))


# --- scores


@pytest.mark.parametrize(
    ("kind", "chosen"),
    [
        *((BLEU, chosen) for chosen in BLEU.grid[-24:]),
        *((CHRF, chosen) for chosen in ({}, {"word_order": 2}, {"beta": 3}, {"char_order": 7, "beta": 1})),
    ],
)
def test_a_perfect_score_is_exactly_100(kind, chosen):
    metric = kind.ours(**chosen | ({"effective_order": True} if kind is BLEU else {}))
    for length in range(1, 40):
        text = " ".join(map(str, range(length)))
        assert metric.sentence_score(text, [text]).score <= 100.0
        if kind is CHRF:
            assert metric.sentence_score(text, [text]).score == 100.0


@pytest.mark.parametrize("block", [256, pytest.param(4096, marks=pytest.mark.slow)])
@of_each_metric
def test_corpora_of_many_blocks_score_as_the_oracles(kind, block, monkeypatch):
    monkeypatch.setattr("bleucli.text._BLOCK_STRINGS", block)
    count = block * 11 // 10
    hypotheses = [f"{number} the cat's mat {number % 7}." for number in range(count)]
    streams = [[f"{number} the mat's cat {number % 5}." for number in range(count)]]
    chosen = {"bleu": {}, "chrf": {"char_order": 3}, "ter": {"normalized": True}}[kind.name]
    expected = kind.oracle(**chosen).corpus_score(hypotheses, streams)
    assert_same(kind.ours(**chosen).corpus_score(hypotheses, streams), expected)
    assert_same(kind.ours(**chosen, references=streams).corpus_score(hypotheses, None), expected)


# --- the demo corpus


def check_demo_corpus(kind, chosen, texts, step=1):
    for system, references in texts:
        ours, theirs = both(kind, chosen)
        corpus = demo(system)[::step], [demo(f"reference.{name}")[::step] for name in references]
        assert_same(ours.corpus_score(*corpus), theirs.corpus_score(*corpus))
        assert_same_signature(ours, theirs, chosen.get("max_ngram_order", 4))


@with_each("sample")
def test_a_part_of_the_demo_corpus_scores_and_signs_as_the_oracle(kind, chosen):
    check_demo_corpus(kind, chosen, [("strong", "A"), ("weak", "AB")], step=3)


@of_each_metric
def test_equal_references_score_and_sign_as_the_oracle(kind):
    check_demo_corpus(kind, {}, [("strong", "AA"), ("weak", "B")])


@pytest.mark.slow
@with_each("grid")
def test_demo_corpus_scores_and_signs_as_the_oracle_with_all_options(kind, chosen):
    check_demo_corpus(kind, chosen, [("strong", "A"), ("weak", "AB"), *([] if kind is TER else [("strong", "AB")])])


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.slow)])
@with_each("few")
@of_each_system
def test_demo_sentences_score_as_the_oracles(kind, chosen, system, step):
    streams = [demo("reference.A")[::step], [text or None for text in demo("reference.B")[::step]]]
    assert_segments_alike(kind, chosen, demo(system)[::step], streams)


# --- references


@of_each_metric
def test_missing_references_are_left_out_as_the_oracle_does(kind):
    hypotheses = ["a b c d", "e f g h", "i j"]
    for streams, expected in (
        ([["a b c d", None, "i"], [None, "e f g", None]], "1"),
        ([["a b c d", "e f", "i"], [None, "e f g", None]], "var"),
        ([["a b c d", "e f", "i"], ["a", "e f g", "i j"]], "2"),
        ([["a", None, "i"], ["a", "e f g", "i j"], ["b", "h", None]], "var"),
    ):
        for chosen in kind.few:
            ours, theirs = both(kind, chosen)
            assert_same(ours.corpus_score(hypotheses, streams), theirs.corpus_score(hypotheses, streams))
            assert nrefs(ours) == nrefs(theirs) == expected


@of_each_metric
def test_references_given_to_the_object_serve_all_systems(kind):
    streams = [demo("reference.A")[::4], [text or None for text in demo("reference.B")[::4]]]
    for chosen in kind.few:
        ours, theirs = both(kind, chosen | {"references": streams})
        for system in SYSTEMS:
            output = demo(system)[::4]
            assert_same(ours.corpus_score(output, None), theirs.corpus_score(output, None))
            assert nrefs(ours) == nrefs(theirs) == "var"


@of_each_system
@of_each_metric
def test_skip_empty_refs_is_the_oracle_with_missing_references(kind, system):
    first, second = demo("reference.A"), demo("reference.B")
    assert "" in second
    for chosen in kind.few if kind is BLEU else kind.few[:1]:
        ours, theirs = both(kind, chosen)
        ours = kind.ours(**chosen, skip_empty_refs=True)
        found = ours.corpus_score(demo(system), [first, second])
        assert_same(found, theirs.corpus_score(demo(system), [first, [text or None for text in second]]))
        expected = oracles.our_signature(theirs.get_signature().format()).replace("|version", "|empty:missing|version")
        assert expected.startswith("nrefs:var|")
        assert oracles.without_version(ours.get_signature().format()) == expected


@of_each_metric
def test_skip_empty_refs_treats_white_space_as_empty(kind):
    metric = kind.ours(skip_empty_refs=True)
    found = metric.corpus_score(["a b", "c d"], [["a b", "c d"], [" \u3000\n", ""]])
    assert_same(found, kind.oracle().corpus_score(["a b", "c d"], [["a b", "c d"]]))


@of_each_metric
def test_as_many_streams_as_segments_are_treated_as_streams(kind):
    hypotheses, streams = ["a b", "c d"], [["a x", "c d"], ["a b", "c x"]]
    ours, theirs = both(kind, {})
    assert_same(ours.corpus_score(hypotheses, streams), theirs.corpus_score(hypotheses, streams))


# --- the functions of the same name


def functions(kind, name):
    return [getattr(module, f"{name}_{kind.name}") for module in (bleucli, oracles)]


@of_each_metric
@given(corpus=corpora(missing=False, max_segments=1), data=st.data(), count=st.integers(0, 5))
@examples(100)
def test_functions_equal_the_oracles(kind, corpus, data, count):
    chosen, values = data.draw(kind.functions), data.draw(kind.values)[:count]
    for name, arguments in (("corpus", corpus), ("sentence", sentence_of(corpus))):
        ours, theirs = functions(kind, name)
        assert_same(ours(*arguments, **chosen), theirs(*arguments, **chosen))
        assert_same(ours(*arguments, *values), theirs(*arguments, *values))


@of_each_metric
def test_functions_for_corpora_leave_out_missing_references_as_the_oracles(kind):
    ours, theirs = functions(kind, "corpus")
    corpus = ["a b c d", "e f g h"], [["a b c", None], [None, "e f"], ["b d", "e g h"]]
    assert_same(ours(*corpus), theirs(*corpus))


@pytest.mark.parametrize("name", ["corpus", "sentence"])
@of_each_metric
def test_functions_have_the_oracles_parameters_and_defaults(kind, name):
    ours, theirs = functions(kind, name)
    assert parameters(ours) == parameters(theirs)


@of_each_metric
def test_the_class_has_the_oracles_parameters_and_defaults_first(kind):
    assert parameters(kind.ours)[: kind.parameters] == parameters(kind.oracle)[: kind.parameters]


# --- signatures and score lines


@of_each_metric
def test_parts_of_scores_are_of_the_oracles_types(kind):
    scores = [metric.corpus_score(["a b", "c"], [["a", "c d"], ["a b", "c"]]) for metric in both(kind, {})]
    ours, theirs = ({name: type(part) for name, part in metric_kinds.parts(score).items()} for score in scores)
    assert ours == theirs


# --- the command

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
    f"{ONE} -m ter",
    f"{TWO} -m ter -w 7",
    f"{ONE} -m ter -f text -sh",
    f"{TWO} -m ter -b -w 5",
    f"{TWO} -m ter --ter-norm --ter-no-p --ter-asian --ter-case",
    f"{TWO} -m ter -f text -w 4 --ter-normalized",
    f"{TWO} -m ter -f text -w 4 --ter-no-punct",
    f"{TWO} -m ter -f text -w 4 --ter-asian-support",
    f"{TWO} -m ter -f text -w 4 --ter-case-sensitive",
    f"{TWO} -m ter -f text -w 4 --ter-a --ter-no-p",
    f"{ONE} -m ter -sl",
    f"{TWO} -m ter -sl -sh -w 3",
    f"{TWO} -m ter -sl -b -w 6 --ter-normalized",
    f"{SEVERAL} -m ter",
    f"{SEVERAL} -m ter -w 3 -sh --ter-no-punct",
    f"{ONE} -m ter ter",
    f"{ONE} -m ter bleu -f text -w 2",
    f"{TWO} -m ter bleu -b --ter-case-sensitive",
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
    f"{SEVERAL} -m bleu chrf ter -q",
]


@pytest.mark.parametrize(
    "line", [pytest.param(line, marks=[pytest.mark.slow] * (n % 3 > 0)) for n, line in enumerate(LINES)]
)
def test_the_command_prints_what_the_oracles_command_prints(run, demo_files, line):
    ours, theirs = oracles.outputs(run, line)
    assert ours == theirs


@pytest.mark.parametrize("extra", ["-m chrf", "-m ter bleu chrf -f text -w 2", "-m chrf -sl -b"])
def test_the_command_reads_standard_input_and_columns_as_the_oracles_command_does(run, demo_files, write, extra):
    rows = zip(demo("reference.A"), demo("weak"), demo("reference.B"), strict=True)
    write("refs.tsv", "".join("\t".join(text or "-" for text in row) + "\n" for row in rows))
    stdin = "".join(f"{text}\n" for text in demo("strong")).encode()
    ours, theirs = oracles.outputs(run, f"refs.tsv -nr 3 {extra}", stdin)
    assert ours == theirs


# --- where we differ on purpose (spec/decisions.md): what we do


@pytest.mark.parametrize(
    ("hypotheses", "streams"),
    [(["a", "b"], [["a"]]), (["a", "b"], [["a", "b", "c"]]), (["a", "b"], [["a", "b"], ["a", "b", "c"]])],
)
@of_each_metric
def test_corpus_score_refuses_unequal_lengths(kind, hypotheses, streams):
    with pytest.raises(BleuError, match=r"has \d segments? but .* has \d segments?"):
        kind.ours().corpus_score(hypotheses, streams)


@pytest.mark.parametrize("count", [1, 3])
@of_each_metric
def test_corpus_score_refuses_lengths_unequal_to_those_of_its_own_references(kind, count):
    metric = kind.ours(references=[["a", "b"]])
    with pytest.raises(BleuError, match=r"has \d segments? but .* has \d segments?"):
        metric.corpus_score(["a"] * count, None)


@of_each_metric
def test_a_segment_without_any_reference_is_named(kind):
    with pytest.raises(BleuError, match=r"segment 2 .counting from 0."):
        kind.ours().corpus_score(["a", "b", "c"], [["a", None, None], ["a", "b", None]])
    with pytest.raises(BleuError, match=r"segment 5000 .counting from 0."):
        kind.ours().corpus_score(["a"] * 6000, [["a"] * 5000 + [None] * 1000])
    with pytest.raises(BleuError, match=r"segment 1 .counting from 0..*missing"):
        kind.ours(references=[["a", None]])
    with pytest.raises(BleuError, match=r"segment 1 .counting from 0..*empty"):
        kind.ours(skip_empty_refs=True).corpus_score(["a", "b"], [["a", ""]])
    with pytest.raises(BleuError, match="missing"):
        kind.ours().sentence_score("a", [None])


@pytest.mark.parametrize("streams", [[], [[]]])
@of_each_metric
def test_no_segments_are_refused(kind, streams):
    with pytest.raises(BleuError):
        kind.ours().corpus_score([], streams)


@pytest.mark.parametrize("text", ["\ud800", "a\udfff", "\udce4b", "\ud83d\ude00"])
@pytest.mark.parametrize(
    ("kind", "chosen"),
    [
        *((kind, {}) for kind in KINDS),
        *((BLEU, {"lowercase": True}), (CHRF, {"lowercase": True})),
        *((TER, {"normalized": True}), (TER, {"normalized": True, "case_sensitive": True})),
    ],
)
def test_lone_surrogates_are_refused(kind, chosen, text):
    sentence, _ = functions(kind, "sentence")
    for refused in (
        lambda: kind.ours(**chosen).sentence_score(text, ["a"]),
        lambda: kind.ours(**chosen).sentence_score("a", ["a", text]),
        lambda: sentence("a", ["a", text]),
        lambda: kind.ours(**chosen).corpus_score(["a", text], [["a", "b"]]),
        lambda: kind.ours(**chosen).corpus_score(["a", "b"], [["a", "b"], [None, text]]),
    ):
        with pytest.raises(BleuError, match="surrogate"):
            refused()


@pytest.mark.parametrize("error", [ValueError, TypeError, InputTypeError, BleuError])
@of_each_metric
def test_a_bare_string_where_a_list_belongs_is_a_value_error_and_a_type_error(kind, error):
    (corpus, _), (sentence, _) = (functions(kind, name) for name in ("corpus", "sentence"))
    for refused in (
        lambda: kind.ours().sentence_score("a b", "a b"),
        lambda: kind.ours().corpus_score("a", [["a"]]),
        lambda: kind.ours().corpus_score(["a"], ["a"]),
        lambda: kind.ours().corpus_score(["a"], "a"),
        lambda: kind.ours(references=["a"]),
        lambda: sentence("a b", "a b"),
        lambda: corpus(["a"], ["a"]),
    ):
        with pytest.raises(error):
            refused()


@pytest.mark.parametrize(
    ("kind", "chosen"),
    [
        *((BLEU, chosen) for chosen in ({"smooth_value": [1]}, {"smooth_method": ["exp"]}, {"tokenize": {}})),
        *((TER, {name: [True]}) for name in metric_kinds.TER_SWITCHES),
    ],
)
def test_functions_for_sentences_refuse_values_that_cannot_be_looked_up(kind, chosen):
    with pytest.raises(InputTypeError, match="unhashable"):
        functions(kind, "sentence")[0]("a", ["a"], **chosen)


@of_each_metric
def test_single_sentences_do_not_warn(kind, caplog):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kind.ours().sentence_score("It is done .", ["It is done ."])
        if kind is not BLEU:
            kind.ours().corpus_score(["It is done ."] * 200, [["It is done ."] * 200])
    assert not caplog.records


# --- real systems


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "metric", "chosen"),
    [
        (CHRF, "chrF", {}),
        (CHRF, "chrF", {"word_order": 2}),
        (TER, "TER", {}),
        (TER, "TER", {"normalized": True, "asian_support": True}),
    ],
)
def test_real_systems_score_as_the_oracle_did(kind, metric, chosen):
    metric_, head = kind.ours(**chosen), oracles.stored()["head"]
    step = 4 if kind is TER and kernels.live != "native" else 1
    for row, hypotheses, streams in islice(oracles.stored_scores(metric, chosen), None, None, step):
        found = metric_.corpus_score(hypotheses[:head], [stream[:head] for stream in streams]).score
        assert found == row["head_score"], row
        if kernels.live == "native":  # the Python kernels would take minutes
            found = metric_.corpus_score(hypotheses, streams).score
            assert found == row["score"], row


def test_the_oracle_is_the_version_that_the_specification_names():
    assert oracles.sacrebleu.__version__ == oracles.VERSION
