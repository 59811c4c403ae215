"""BLEU against the oracle, on the demo corpus and on arbitrary text; and where it differs on purpose, what we do.

`scripts/parity` does the same at full size, on real system outputs.
"""

import inspect
import warnings
from itertools import product

import numpy
import oracles
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import FRAGMENTS, SPACES, corpora, texts

import bleucli
from bleucli import BleuError, InputTypeError, kernels, tokenizers
from bleucli.segments import Segments

# hints to the user, which tests here are not about
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

TOKENIZERS = ("13a", "char", "none")
METHODS = ("exp", "floor", "add-k", "none")
ORDERS = range(1, 7)
SYSTEMS = ("strong", "weak")

options = st.fixed_dictionaries(
    {
        "tokenize": st.sampled_from(TOKENIZERS),
        "lowercase": st.booleans(),
        "smooth_method": st.sampled_from(METHODS),
        "smooth_value": st.one_of(st.none(), st.sampled_from([0, 0.01, 0.1, 0.5, 1, 2.5]), st.floats(0, 100)),
        "max_ngram_order": st.integers(1, 6),
        "effective_order": st.booleans(),
    }
)


def demo(name):
    return oracles.read_lines(oracles.DEMO, f"{name}.de.txt")


def assert_same(ours, theirs):
    assert oracles.same_score(ours, theirs), oracles.difference(ours, theirs)


def nrefs(metric):
    return str(metric.get_signature().info["nrefs"])


def our_statistics(metric, hypotheses, references):
    columns = [Segments.from_strings(stream) for stream in references]
    return list(metric.segment_stats(Segments.from_strings(hypotheses), columns))


def their_statistics(metric, hypotheses, references):
    """Return the rows `[hyp_len, ref_len, correct.., total..]` that the oracle counts, segment by segment."""
    rows = []
    for hypothesis, *candidates in zip(hypotheses, *references, strict=True):
        score = metric.sentence_score(hypothesis, [text for text in candidates if text is not None])
        rows.append((score.sys_len, score.ref_len, *score.counts, *score.totals))
    return rows


def kernel_statistics(module, tokenize, order, hypotheses, references):
    """Return the rows that one set of kernels counts."""
    tokenizer = {"13a": module.tokenize_13a, "char": module.tokenize_char, "none": lambda segments: segments}[tokenize]
    sides = [tokenizer(module.strip_trailing(Segments.from_strings(side))) for side in (hypotheses, *references)]
    return list(module.ngram_stats(sides[0], sides[1:], order))


# --- tokenizers


@pytest.mark.parametrize("name", TOKENIZERS)
@given(text=texts)
@settings(max_examples=200)
@example("")
@example("<skip<skipped>ped> -\n--\n\n &amp;lt; ..,,5-5")
def test_tokenizers_equal_the_oracles_string_for_string(name, text):
    (ours,) = tokenizers.get(name).tokenize(Segments.from_strings([text]))
    assert ours == oracles.tokenized(name, text)


@pytest.mark.parametrize("module", oracles.kernel_modules(), ids=lambda module: module.__name__)
def test_tokenizers_equal_the_oracles_for_every_two_fragments(module):
    pairs = [left + right for left, right in product(FRAGMENTS, repeat=2)]
    segments = Segments.from_strings(pairs)
    for name, tokenize in (("13a", module.tokenize_13a), ("char", module.tokenize_char)):
        assert list(tokenize(segments)) == [oracles.tokenized(name, text) for text in pairs]


@pytest.mark.parametrize("module", oracles.kernel_modules(), ids=lambda module: module.__name__)
def test_13a_equals_the_oracles_for_all_short_texts_of_the_characters_its_rules_name(module):
    pairs = ["".join(letters) for length in range(6) for letters in product("5.,-a", repeat=length)]
    assert list(module.tokenize_13a(Segments.from_strings(pairs))) == [oracles.tokenized("13a", text) for text in pairs]


@pytest.mark.parametrize("module", oracles.kernel_modules(), ids=lambda module: module.__name__)
def test_13a_equals_the_oracles_around_every_code_point_of_the_basic_plane(module):
    characters = [chr(code) for code in range(0x10000) if not 0xD800 <= code < 0xE000]
    pairs = [f"{character}.{character}" for character in characters]
    assert list(module.tokenize_13a(Segments.from_strings(pairs))) == [oracles.tokenized("13a", text) for text in pairs]


def test_lowercasing_equals_the_oracles_for_every_code_point_in_context():
    characters = [chr(code) for code in range(0x20000) if not 0xD800 <= code < 0xE000]
    changed = [character for character in characters if character.lower() != character]
    hypotheses = [f"x{character} {character}x Σ{character}." for character in (*changed, *FRAGMENTS)]
    references = [text.lower() for text in hypotheses]
    ours = our_statistics(bleucli.BLEU(lowercase=True), hypotheses, [references])
    assert ours == their_statistics(oracles.bleu(lowercase=True), hypotheses, [references])


@pytest.mark.parametrize(
    ("upper", "lower"), [("ΟΔΟΣ", "οδος"), ("ΟΔΟΣ.", "οδος."), ("ΣΑ", "σα"), ("İ", "i̇"), ("Å", "å"), ("ẞ", "ß")]
)
def test_lowercasing_follows_unicode(upper, lower):
    assert bleucli.BLEU(lowercase=True, tokenize="none").sentence_score(upper, [lower]).counts[0] == 1


# --- statistics


@given(corpus=corpora(), tokenize=st.sampled_from(TOKENIZERS), order=st.integers(1, 6))
@settings(max_examples=120)
def test_native_reference_and_oracle_count_alike(corpus, tokenize, order):
    expected = their_statistics(
        oracles.bleu(tokenize=tokenize, max_ngram_order=order), corpus.hypotheses, corpus.references
    )
    for module in oracles.kernel_modules():
        found = kernel_statistics(module, tokenize, order, corpus.hypotheses, corpus.references)
        assert found == expected, module.__name__


@given(corpus=corpora(), chosen=options)
@settings(max_examples=120)
def test_segment_stats_equal_the_oracles(corpus, chosen):
    ours = our_statistics(bleucli.BLEU(**chosen), corpus.hypotheses, corpus.references)
    # add-k leaves smoothed counts in the oracle's score
    plain = oracles.bleu(**{**chosen, "smooth_method": "none", "smooth_value": None})
    assert ours == their_statistics(plain, corpus.hypotheses, corpus.references)


@pytest.mark.parametrize("space", SPACES)
def test_tokens_end_at_all_white_space(space):
    for tokenize in TOKENIZERS:
        hypotheses, references = [f"{space}a{space}b c{space}"], [[f"a b{space}{space}c"]]
        ours = our_statistics(bleucli.BLEU(tokenize=tokenize), hypotheses, references)
        assert ours == their_statistics(oracles.bleu(tokenize=tokenize), hypotheses, references)


# --- scores


@given(corpus=corpora(), chosen=options)
@settings(max_examples=200)
def test_corpus_score_equals_the_oracles(corpus, chosen):
    ours, theirs = bleucli.BLEU(**chosen), oracles.bleu(**chosen)
    assert_same(
        ours.corpus_score(corpus.hypotheses, corpus.references),
        theirs.corpus_score(corpus.hypotheses, corpus.references),
    )
    assert nrefs(ours) == nrefs(theirs)


@given(corpus=corpora(missing=False, max_segments=1), chosen=options)
@settings(max_examples=200)
def test_sentence_score_equals_the_oracles(corpus, chosen):
    (hypothesis,), candidates = corpus.hypotheses, [text for (text,) in corpus.references]
    ours, theirs = bleucli.BLEU(**chosen), oracles.bleu(**chosen)
    assert_same(ours.sentence_score(hypothesis, candidates), theirs.sentence_score(hypothesis, candidates))


@given(hypothesis=texts, candidate=texts, chosen=options)
@settings(max_examples=200)
def test_sentence_score_of_unrelated_texts_equals_the_oracles(hypothesis, candidate, chosen):
    ours, theirs = bleucli.BLEU(**chosen), oracles.bleu(**chosen)
    assert_same(ours.sentence_score(hypothesis, [candidate]), theirs.sentence_score(hypothesis, [candidate]))


@given(
    lengths=st.tuples(st.integers(0, 60), st.integers(0, 60)),
    matches=st.lists(st.integers(0, 12), min_size=1, max_size=6),
    method=st.sampled_from(METHODS),
    value=st.none() | st.floats(0, 50),
    eff=st.booleans(),
)
@settings(max_examples=300)
def test_score_from_stats_equals_the_oracles_formula(lengths, matches, method, value, eff):
    order = len(matches)
    totals = [max(0, lengths[0] - n) for n in range(order)]
    # nothing matches without its words; orders without a match need not be neighbours here
    matches = [max(matches), *matches[1:]]
    counts = [min(count, total) for count, total in zip(matches, totals, strict=True)]
    sums = (*lengths, *counts, *totals)
    metric = bleucli.BLEU(smooth_method=method, smooth_value=value, max_ngram_order=order, effective_order=eff)
    assert_same(metric.score_from_stats(sums), oracles.score_from_sums(sums, order, method, value, eff))


@pytest.mark.parametrize("length", range(7))
@pytest.mark.parametrize("method", METHODS)
def test_texts_shorter_than_the_longest_ngram_score_as_the_oracles(length, method):
    text = " ".join("abcdef"[:length])
    for order, eff, candidate in product(ORDERS, (False, True), (text, f"{text} g", "g", "")):
        chosen = {"smooth_method": method, "max_ngram_order": order, "effective_order": eff}
        ours, theirs = bleucli.BLEU(**chosen), oracles.bleu(**chosen)
        assert_same(ours.sentence_score(text, [candidate]), theirs.sentence_score(text, [candidate]))


# --- the demo corpus


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("references", ["A", "B", "AB", "AA"])
def test_demo_corpus_scores_and_signs_as_the_oracle(system, references):
    hypotheses, streams = demo(system), [demo(f"reference.{name}") for name in references]
    for tokenize, lowercase, method in product(TOKENIZERS, (False, True), METHODS):
        chosen = {"tokenize": tokenize, "lowercase": lowercase, "smooth_method": method}
        ours, theirs = bleucli.BLEU(**chosen), oracles.bleu(**chosen)
        assert_same(ours.corpus_score(hypotheses, streams), theirs.corpus_score(hypotheses, streams))
        for short in (False, True):
            expected = oracles.our_signature(theirs.get_signature().format(short))
            assert oracles.without_version(ours.get_signature().format(short)) == expected


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("eff", [False, True])
def test_demo_corpus_scores_as_the_oracle_at_every_order(system, order, eff):
    hypotheses, streams = demo(system), [demo("reference.A"), demo("reference.B")]
    for method in METHODS:
        chosen = {"smooth_method": method, "max_ngram_order": order, "effective_order": eff}
        ours, theirs = bleucli.BLEU(**chosen), oracles.bleu(**chosen)
        assert_same(ours.corpus_score(hypotheses, streams), theirs.corpus_score(hypotheses, streams))


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("tokenize", TOKENIZERS)
def test_demo_sentences_score_as_the_oracles(system, tokenize):
    first, second = demo("reference.A"), demo("reference.B")
    for lowercase, method in product((False, True), METHODS):
        chosen = {"tokenize": tokenize, "lowercase": lowercase, "smooth_method": method, "effective_order": True}
        ours, theirs = bleucli.BLEU(**chosen), oracles.bleu(**chosen)
        for hypothesis, *candidates in zip(demo(system), first, second, strict=True):
            assert_same(ours.sentence_score(hypothesis, candidates), theirs.sentence_score(hypothesis, candidates))


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("tokenize", TOKENIZERS)
def test_skip_empty_refs_is_the_oracle_with_missing_references(system, tokenize):
    hypotheses, first, second = demo(system), demo("reference.A"), demo("reference.B")
    assert "" in second
    ours = bleucli.BLEU(tokenize=tokenize, skip_empty_refs=True)
    theirs = oracles.bleu(tokenize=tokenize)
    assert_same(
        ours.corpus_score(hypotheses, [first, second]),
        theirs.corpus_score(hypotheses, [first, [text or None for text in second]]),
    )
    expected = oracles.our_signature(theirs.get_signature().format()).replace("|version", "|empty:missing|version")
    assert expected.startswith("nrefs:var|")
    assert oracles.without_version(ours.get_signature().format()) == expected


def test_an_empty_reference_counts_unless_skip_empty_refs_is_given():
    hypotheses, streams = ["a b", ""], [["a b c", "d e"], ["a", ""]]
    plain, skipping = bleucli.BLEU(), bleucli.BLEU(skip_empty_refs=True)
    assert plain.corpus_score(hypotheses, streams).ref_len == 1
    assert skipping.corpus_score(hypotheses, streams).ref_len == 3
    assert_same(plain.corpus_score(hypotheses, streams), oracles.bleu().corpus_score(hypotheses, streams))
    assert (nrefs(plain), nrefs(skipping)) == ("2", "var")


def test_skip_empty_refs_takes_white_space_for_empty():
    ours = bleucli.BLEU(skip_empty_refs=True).corpus_score(["a b", "c d"], [["a b", "c d"], [" \u3000\n", ""]])
    assert_same(ours, oracles.bleu().corpus_score(["a b", "c d"], [["a b", "c d"]]))


# --- references


def test_missing_references_are_left_out_as_by_the_oracle():
    hypotheses = ["a b c d", "e f g h", "i j"]
    for streams, expected in (
        ([["a b c d", None, "i"], [None, "e f g", None]], "1"),
        ([["a b c d", "e f", "i"], [None, "e f g", None]], "var"),
        ([["a b c d", "e f", "i"], ["a", "e f g", "i j"]], "2"),
        ([["a", None, "i"], ["a", "e f g", "i j"], ["b", "h", None]], "var"),
    ):
        ours, theirs = bleucli.BLEU(), oracles.bleu()
        assert_same(ours.corpus_score(hypotheses, streams), theirs.corpus_score(hypotheses, streams))
        assert nrefs(ours) == nrefs(theirs) == expected


def test_nrefs_of_a_sentence_is_the_number_of_its_references():
    for candidates in (["a"], ["a", "b"], ["a", "", "c"]):
        ours, theirs = bleucli.BLEU(), oracles.bleu()
        ours.sentence_score("a", candidates)
        theirs.sentence_score("a", candidates)
        assert nrefs(ours) == nrefs(theirs) == str(len(candidates))


def test_references_given_to_the_object_serve_all_systems():
    streams = [demo("reference.A"), [text or None for text in demo("reference.B")]]
    ours, theirs = bleucli.BLEU(references=streams), oracles.bleu(references=streams)
    for system in SYSTEMS:
        assert_same(ours.corpus_score(demo(system), None), theirs.corpus_score(demo(system), None))
        assert nrefs(ours) == nrefs(theirs) == "var"


def test_corpora_of_many_blocks_score_as_the_oracles():
    hypotheses = [f"{number} the cat sat on mat {number % 7}" for number in range(9001)]
    streams = [[f"{number} the cat sat on the mat {number % 5}" for number in range(9001)]]
    expected = oracles.bleu().corpus_score(hypotheses, streams)
    assert_same(bleucli.BLEU().corpus_score(hypotheses, streams), expected)
    assert_same(bleucli.BLEU(references=streams).corpus_score(hypotheses, None), expected)


# --- the functions of the same name


functions = st.fixed_dictionaries(
    {},
    optional={
        "smooth_method": st.sampled_from(METHODS),
        "smooth_value": st.none() | st.floats(0, 10),
        "lowercase": st.booleans(),
        "tokenize": st.sampled_from(TOKENIZERS),
        "use_effective_order": st.booleans(),
    },
)


@given(corpus=corpora(), chosen=functions)
@settings(max_examples=100)
def test_corpus_bleu_equals_the_oracles(corpus, chosen):
    assert_same(bleucli.corpus_bleu(*corpus, **chosen), oracles.corpus_bleu(*corpus, **chosen))


@given(corpus=corpora(missing=False, max_segments=1), chosen=functions)
@settings(max_examples=100)
def test_sentence_bleu_equals_the_oracles(corpus, chosen):
    (hypothesis,), candidates = corpus.hypotheses, [text for (text,) in corpus.references]
    assert_same(
        bleucli.sentence_bleu(hypothesis, candidates, **chosen), oracles.sentence_bleu(hypothesis, candidates, **chosen)
    )


@given(corpus=corpora(), values=st.lists(st.none() | st.floats(0, 10), max_size=1))
@settings(max_examples=100)
def test_raw_corpus_bleu_equals_the_oracles(corpus, values):
    assert_same(bleucli.raw_corpus_bleu(*corpus, *values), oracles.raw_corpus_bleu(*corpus, *values))


@pytest.mark.parametrize("name", ["corpus_bleu", "sentence_bleu", "raw_corpus_bleu"])
def test_functions_have_the_oracles_parameters_and_defaults(name):
    ours, theirs = (inspect.signature(getattr(module, name)) for module in (bleucli, oracles))
    assert [(p.name, p.default) for p in ours.parameters.values()] == [
        (p.name, p.default) for p in theirs.parameters.values()
    ]


def test_the_class_has_the_oracles_first_seven_parameters_and_their_defaults():
    ours, theirs = (inspect.signature(function).parameters for function in (bleucli.BLEU, oracles.BLEU))
    first = [(p.name, p.default) for p in list(theirs.values())[:7]]
    assert [(p.name, p.default) for p in list(ours.values())[:7]] == first


# --- signatures and score lines


@given(chosen=options)
@settings(max_examples=120)
def test_signatures_equal_the_oracles(chosen):
    value = chosen["smooth_value"]
    chosen = chosen | {"smooth_value": None if value is None else round(value, 2)}
    ours, theirs = bleucli.BLEU(**chosen), oracles.bleu(**chosen)
    ours.sentence_score("a", ["b"])
    theirs.sentence_score("a", ["b"])
    expected = oracles.our_signature(theirs.get_signature().format(), chosen["max_ngram_order"])
    assert oracles.without_version(ours.get_signature().format()) == expected
    assert oracles.without_version(str(ours.get_signature())) == expected


@given(corpus=corpora(), chosen=options, width=st.integers(0, 9), score_only=st.booleans())
@settings(max_examples=120)
def test_score_lines_equal_the_oracles(corpus, chosen, width, score_only):
    ours = bleucli.BLEU(**chosen).corpus_score(*corpus)
    theirs = oracles.bleu(**chosen).corpus_score(*corpus)
    assert str(ours) == str(theirs)
    assert ours.prec_str == theirs.prec_str
    for signature in ("", "nrefs:1|tok:13a"):
        arguments = {"width": width, "score_only": score_only, "signature": signature}
        assert ours.format(**arguments) == theirs.format(**arguments)


def test_score_objects_have_the_oracles_fields():
    ours, theirs = bleucli.sentence_bleu("a b c", ["a b d e"]), oracles.sentence_bleu("a b c", ["a b d e"])
    for field in ("name", "score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len", "ratio", "prec_str"):
        assert getattr(ours, field) == getattr(theirs, field), field


# --- where we differ on purpose (spec/decisions.md): what we do


@pytest.mark.parametrize(
    ("hypotheses", "streams"),
    [(["a", "b"], [["a"]]), (["a", "b"], [["a", "b", "c"]]), (["a", "b"], [["a", "b"], ["a", "b", "c"]])],
)
def test_corpus_score_refuses_unequal_lengths(hypotheses, streams):
    with pytest.raises(BleuError, match=r"has \d segments? but .* has \d segments?"):
        bleucli.BLEU().corpus_score(hypotheses, streams)


@pytest.mark.parametrize("count", [1, 3])
def test_corpus_score_refuses_lengths_unequal_to_those_of_its_own_references(count):
    metric = bleucli.BLEU(references=[["a", "b"]])
    with pytest.raises(BleuError, match=r"has \d segments? but .* has \d segments?"):
        metric.corpus_score(["a"] * count, None)


def test_a_segment_without_any_reference_is_named():
    with pytest.raises(BleuError, match="segment 3 "):
        bleucli.BLEU().corpus_score(["a", "b", "c"], [["a", None, None], ["a", "b", None]])
    with pytest.raises(BleuError, match="segment 5001 "):
        bleucli.BLEU().corpus_score(["a"] * 6000, [["a"] * 5000 + [None] * 1000])
    with pytest.raises(BleuError, match=r"segment 2 .*missing"):
        bleucli.BLEU(references=[["a", None]])
    with pytest.raises(BleuError, match=r"segment 2 .*empty"):
        bleucli.BLEU(skip_empty_refs=True).corpus_score(["a", "b"], [["a", ""]])
    with pytest.raises(BleuError, match="missing"):
        bleucli.BLEU().sentence_score("a", [None])


@pytest.mark.parametrize("order", [1, 2, 3, 5, 6])
def test_the_signature_names_an_order_that_is_not_4(order):
    metric = bleucli.BLEU(max_ngram_order=order)
    metric.sentence_score("a", ["a"])
    assert f"|smooth:exp|ngram:{order}|version:" in str(metric.get_signature())
    assert f"|s:exp|n:{order}|v:" in metric.get_signature().format(short=True)


@pytest.mark.parametrize("method", ["floor", "add-k"])
@pytest.mark.parametrize(
    ("value", "printed"),
    [(1, "1.00"), (0.1, "0.10"), (0.125, "0.125"), (1e-7, "0.0000001"), (0, "0.00"), (2.5, "2.50")],
)
def test_smoothing_values_are_signed_with_all_their_decimals(method, value, printed):
    metric = bleucli.BLEU(smooth_method=method, smooth_value=value)
    metric.sentence_score("a", ["a"])
    assert metric.get_signature().info["smooth"] == f"{method}[{printed}]"


@pytest.mark.parametrize("method", ["exp", "none"])
def test_smoothing_values_are_ignored_where_the_method_has_none(method):
    plain, valued = bleucli.BLEU(smooth_method=method), bleucli.BLEU(smooth_method=method, smooth_value=0.7)
    assert str(plain.sentence_score("a b c", ["a d"])) == str(valued.sentence_score("a b c", ["a d"]))
    assert str(plain.get_signature()) == str(valued.get_signature())


def test_a_perfect_score_is_100_and_no_more():
    for length in range(1, 40):
        text = " ".join(map(str, range(length)))
        for method, order in product(METHODS, ORDERS):
            metric = bleucli.BLEU(smooth_method=method, max_ngram_order=order, effective_order=True)
            assert metric.sentence_score(text, [text]).score <= 100.0
    assert oracles.bleu().sentence_score("a b c d", ["a b c d"]).score > 100.0
    assert bleucli.BLEU().sentence_score("a b c d", ["a b c d"]).score == 100.0


def test_a_floor_over_1_may_score_over_100_as_in_the_oracle():
    chosen = {"smooth_method": "floor", "smooth_value": 12.5}
    ours = bleucli.BLEU(**chosen).sentence_score("a b c d", ["a c b"])
    assert ours.score > 395
    assert_same(ours, oracles.bleu(**chosen).sentence_score("a b c d", ["a c b"]))


@pytest.mark.parametrize("text", ["\ud800", "a\udfff", "\udce4b", "\ud83d\ude00"])
def test_lone_surrogates_are_refused(text):
    for refused in (
        lambda: bleucli.BLEU().sentence_score(text, ["a"]),
        lambda: bleucli.BLEU().sentence_score("a", ["a", text]),
        lambda: bleucli.BLEU().corpus_score(["a", text], [["a", "b"]]),
        lambda: bleucli.BLEU(lowercase=True).corpus_score(["a", "b"], [["a", "b"], [None, text]]),
    ):
        with pytest.raises(BleuError, match="surrogate"):
            refused()


@pytest.mark.parametrize("error", [ValueError, TypeError, InputTypeError, BleuError])
def test_a_bare_string_where_a_list_belongs_is_a_value_error_and_a_type_error(error):
    for refused in (
        lambda: bleucli.BLEU().sentence_score("a b", "a b"),
        lambda: bleucli.BLEU().corpus_score("a", [["a"]]),
        lambda: bleucli.BLEU().corpus_score(["a"], ["a"]),
        lambda: bleucli.BLEU().corpus_score(["a"], "a"),
        lambda: bleucli.BLEU(references=["a"]),
        lambda: bleucli.sentence_bleu("a b", "a b"),
        lambda: bleucli.corpus_bleu(["a"], ["a"]),
        lambda: bleucli.raw_corpus_bleu(["a"], ["a"]),
    ):
        with pytest.raises(error):
            refused()


def test_lists_of_references_a_segment_are_refused_with_both_readings():
    rows = [["a", "x"], ["b", "y"], ["c", "z"]]
    for references in (rows, [tuple(row) for row in rows], iter(rows)):
        with pytest.raises(InputTypeError, match="3 lists of 2 strings for 3 hypotheses") as caught:
            bleucli.BLEU().corpus_score(["a", "b", "c"], references)
        assert "one list a segment" in str(caught.value)
        assert "streams" in str(caught.value)
        assert "2 lists of 3 strings" in str(caught.value)


def test_as_many_streams_as_segments_are_taken_for_streams():
    hypotheses, streams = ["a b", "c d"], [["a x", "c d"], ["a b", "c x"]]
    assert_same(bleucli.BLEU().corpus_score(hypotheses, streams), oracles.bleu().corpus_score(hypotheses, streams))


@pytest.mark.parametrize(
    "kind",
    [list, tuple, iter, numpy.array, lambda texts: dict.fromkeys(texts).keys(), lambda texts: (text for text in texts)],
)
def test_any_iterable_of_strings_is_taken(kind):
    hypotheses, first, second = ["the cat", "a dog sat"], ["the cat sat", "a dog"], ["cat", "the dog sat"]
    expected = bleucli.BLEU().corpus_score(hypotheses, [first, second])
    assert_same(expected, oracles.bleu().corpus_score(hypotheses, [first, second]))
    assert str(bleucli.BLEU().corpus_score(kind(hypotheses), (kind(first), kind(second)))) == str(expected)
    assert str(bleucli.BLEU().corpus_score(kind(hypotheses), iter([kind(first), kind(second)]))) == str(expected)
    sentence = bleucli.BLEU().sentence_score(hypotheses[0], kind([first[0], second[0]]))
    assert_same(sentence, oracles.bleu().sentence_score(hypotheses[0], [first[0], second[0]]))


@pytest.mark.parametrize(
    "chosen",
    [
        {"smooth_method": "floor", "smooth_value": -0.1},
        {"smooth_method": "add-k", "smooth_value": -1},
        {"smooth_method": "floor", "smooth_value": float("nan")},
        {"smooth_method": "laplace"},
        {"max_ngram_order": 0},
        {"tokenize": "14a"},
    ],
)
def test_values_that_an_option_cannot_have_are_refused(chosen):
    with pytest.raises(BleuError):
        bleucli.BLEU(**chosen)


WRONG_TYPES = {
    "max_ngram_order": ("2", b"2", 2.0, None, True, [2]),
    "smooth_value": ("x", "0.1", b"1", True, [1], {}, 1j),
    "tokenize": (5, b"13a", ["13a"], False),
    "trg_lang": (5, ["de"], b"de"),
}


@pytest.mark.parametrize(("name", "wrong"), [(name, wrong) for name, values in WRONG_TYPES.items() for wrong in values])
def test_values_of_a_wrong_type_are_refused(name, wrong):
    for method in ("exp", "floor", "add-k"):
        with pytest.raises(InputTypeError, match=f" is of type {type(wrong).__name__}; give a") as caught:
            bleucli.BLEU(smooth_method=method, **{name: wrong})
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("chosen", [{"smooth_value": [1]}, {"smooth_method": ["exp"]}, {"tokenize": {}}])
def test_sentence_bleu_refuses_values_that_cannot_be_looked_up(chosen):
    with pytest.raises(InputTypeError, match="unhashable"):
        bleucli.sentence_bleu("a", ["a"], **chosen)


def test_sentence_bleu_refuses_values_of_a_wrong_type_also_after_equal_ones_of_the_right_type():
    assert bleucli.sentence_bleu("a b", ["a b"], "floor", 1).score == 100.0
    with pytest.raises(InputTypeError, match=r"^smooth_value True is of type bool"):
        bleucli.sentence_bleu("a b", ["a b"], "floor", True)


def test_numbers_of_numpy_are_taken():
    metric = bleucli.BLEU(max_ngram_order=numpy.int64(2), smooth_method="floor", smooth_value=numpy.float64(0.5))
    metric.corpus_score(["a b"], [["a c"]])
    assert "smooth:floor[0.50]|ngram:2|" in str(metric.get_signature())


@pytest.mark.parametrize("streams", [[], [[]]])
def test_no_segments_are_refused(streams):
    with pytest.raises(BleuError):
        bleucli.BLEU().corpus_score([], streams)


@pytest.mark.parametrize(("count", "force", "warned"), [(99, False, False), (100, False, True), (100, True, False)])
def test_text_that_looks_tokenized_is_warned_of(count, force, warned):
    hypotheses = ["It is done ."] * count + ["It is done.", "It is done .\n", "."]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bleucli.BLEU(force=force).corpus_score(hypotheses, [hypotheses])
    assert any("tokenized" in str(warning.message) for warning in caught) == warned


def test_single_sentences_do_not_warn(caplog):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bleucli.BLEU().sentence_score("It is done .", ["It is done ."])
    assert not caplog.records


def test_the_oracle_is_the_version_that_the_specification_names():
    assert oracles.sacrebleu.__version__ == oracles.VERSION
    assert kernels.live in ("native", "python")
