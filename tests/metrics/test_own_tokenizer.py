"""A custom tokenizer gives the scores of text that was tokenized beforehand, signed with the tokenizer's name."""

from __future__ import annotations

import pickle

import pytest

import bleucli
from bleucli import BLEU, BleuError, metric_from_signature
from bleucli.errors import InputTypeError, UsageError

HYPOTHESES = ["A well-known fact.", "Nobody was there, was it?", "A well-known fact."]
REFERENCES = [["A well-known fact!", "Nobody was there; was it?", "The well-known facts."]]


def split_hyphens(text):
    return text.replace("-", " - ")


def own(**options):
    return BLEU(tokenize=split_hyphens, tokenize_name="hyphens-1", **options)


def before(texts):
    return list(map(split_hyphens, texts))


@pytest.mark.parametrize("options", [{}, {"lowercase": True}, {"trg_lang": "zh"}, {"max_ngram_order": 2}])
@pytest.mark.parametrize("jobs", [1, 2])
def test_scores_are_those_of_text_that_was_tokenized_beforehand(options, jobs, recwarn):
    plain = BLEU(tokenize="none", force=True, **{key: value for key, value in options.items() if key != "trg_lang"})
    expected = plain.corpus_score(before(HYPOTHESES), [before(REFERENCES[0])])
    recwarn.clear()
    metric = own(**options)
    score = metric.corpus_score(HYPOTHESES, REFERENCES, jobs=jobs)
    assert (score.score, score.counts, score.totals) == (expected.score, expected.counts, expected.totals)
    assert metric.get_signature().info["tok"] == metric.tokenizer_signature == "hyphens-1"
    assert not [one for one in recwarn if "not made for" in str(one.message)]


def test_everything_that_takes_tokenize_takes_a_function():
    named = {"tokenize": split_hyphens, "tokenize_name": "hyphens-1"}
    expected = own().corpus_score(HYPOTHESES, REFERENCES).score
    assert bleucli.corpus_bleu(HYPOTHESES, REFERENCES, **named).score == expected
    for_each = list(map(list, zip(*REFERENCES, strict=True)))
    found = bleucli.compute(predictions=HYPOTHESES, references=for_each, **named)
    assert found["score"] == expected
    assert "|tok:hyphens-1|" in found["signature"]
    assert bleucli.sentence_bleu(HYPOTHESES[0], [REFERENCES[0][0]], **named).totals[0] == 5
    assert "tok:hyphens-1" in str(bleucli.self_bleu(HYPOTHESES, **named).signature)
    assert bleucli.explain(HYPOTHESES[0], [REFERENCES[0][0]], **named).signature.info["tok"] == "hyphens-1"
    assert bleucli.explain_difference(HYPOTHESES, REFERENCES[0], REFERENCES, **named).scores[0] == expected
    assert own(references=REFERENCES).corpus_score(HYPOTHESES, None).score == expected
    assert own().best(HYPOTHESES)


def test_a_repeated_text_is_tokenized_once_per_block():
    seen = []
    BLEU(tokenize=lambda text: seen.append(text) or text, tokenize_name="spy").corpus_score(HYPOTHESES, REFERENCES)
    assert sorted(seen) == sorted({*HYPOTHESES, *REFERENCES[0]})


def test_the_function_is_asked_again_for_a_line_that_it_has_seen():
    lines: list[str] = []
    tokenizer = BLEU(tokenize=lambda line: lines.append(line) or line, tokenize_name="noting").tokenizer
    assert [tokenizer("a b"), tokenizer("a b")] == ["a b", "a b"] == lines


@pytest.mark.parametrize("tokens", [["a", "b"], None, b"a b", 5])
def test_a_function_that_does_not_return_strings_is_refused_in_one_line(tokens):
    metric = BLEU(tokenize=lambda text: tokens if text == "bad" else text, tokenize_name="lists")
    kind = type(tokens).__name__
    for texts, message in (
        (
            (["good", "bad"], [["a", "b"]]),
            f"hypotheses, segment 1 .counting from 0. was tokenized to a value of type {kind} by lists; return",
        ),
        ((["good"], [["bad"]]), f"references, segment 0 .counting from 0. was tokenized to a value of type {kind}"),
    ):
        with pytest.raises(BleuError, match=message) as caught:
            metric.corpus_score(*texts)
        assert "\n" not in str(caught.value)
        assert '" ".join(tokens)' in str(caught.value)
    with pytest.raises(BleuError, match=f"segment 0 .counting from 0. was tokenized to a value of type {kind}"):
        metric.sentence_score("bad", ["a"])
    with pytest.raises(BleuError, match=f"segment 0 .counting from 0. was tokenized to a value of type {kind}"):
        metric.tokenizer("bad")


def test_tokens_that_are_not_text_are_refused_with_the_number_of_the_segment():
    """The number was that of the text in its block, and the advice was about reading files."""
    metric = BLEU(tokenize=lambda text: text.replace("bad", "\ud800"), tokenize_name="cut")
    texts = [*map(str, range(5000)), "bad"]
    with pytest.raises(BleuError) as caught:
        metric.corpus_score(texts, [[*texts[:-1], "good"]])
    told = "segment 5000 (counting from 0) was tokenized to text with a lone surrogate by cut; return valid text"
    assert str(caught.value) == f"hypotheses, {told}"
    with pytest.raises(BleuError, match=r"^group 1: reference 0 .counting from 0. was tokenized to text with a lone"):
        list(metric.pairwise_groups([["a"], ["b"]], [["a"], ["bad"]]))


def test_errors_of_the_function_reach_the_caller():
    def fail(text):
        raise LookupError("no such dictionary")

    with pytest.raises(LookupError, match="no such dictionary"):
        BLEU(tokenize=fail, tokenize_name="broken").corpus_score(HYPOTHESES, REFERENCES)


@pytest.mark.parametrize("name", ["a|b", "a:b", "a b", "a\tb", "a\u00a0b", "50%", "a\nb", "\u202ea"])
def test_names_that_a_signature_cannot_express_are_refused(name):
    with pytest.raises(UsageError, match="choose a name without blanks"):
        BLEU(tokenize=str, tokenize_name=name)


@pytest.mark.parametrize(
    "name", [*BLEU.TOKENIZERS, "13A", "tercom", "ja-mecab-0.996-IPA", "spm-0a1b2c3d", "SPM-x", "ko-mecab-mine"]
)
def test_names_of_built_in_tokenizers_are_refused(name):
    with pytest.raises(UsageError, match="names a built-in tokenizer; choose another name"):
        BLEU(tokenize=str, tokenize_name=name)


def test_a_function_needs_a_name_and_a_name_a_function():
    with pytest.raises(UsageError, match=r"needs a name for signatures; give tokenize_name='\.\.\.'"):
        BLEU(tokenize=str)
    for tokenize in (None, "13a"):
        with pytest.raises(UsageError, match="'mine' is for a tokenizer of your own"):
            BLEU(tokenize=tokenize, tokenize_name="mine")
    with pytest.raises(InputTypeError, match="tokenize_name"):
        BLEU(tokenize=str, tokenize_name=5)
    with pytest.raises(InputTypeError, match="tokenize 5 is of type int"):
        BLEU(tokenize=5)


def test_a_metric_can_be_pickled_if_its_function_can():
    metric = pickle.loads(pickle.dumps(own()))
    assert metric.corpus_score(HYPOTHESES, REFERENCES).score == own().corpus_score(HYPOTHESES, REFERENCES).score
    stats = own().corpus_stats(HYPOTHESES, REFERENCES)
    assert pickle.loads(pickle.dumps(stats)) == stats
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(BLEU(tokenize=lambda text: text, tokenize_name="lambda"))


def test_statistics_with_the_same_name_of_tokenizer_add_up():
    stats = own().corpus_stats(HYPOTHESES, REFERENCES)
    assert (stats + own().corpus_stats(HYPOTHESES, REFERENCES)).segments == 6
    with pytest.raises(BleuError, match="cannot be added"):
        stats + BLEU().corpus_stats(HYPOTHESES, REFERENCES)


def test_saved_statistics_are_scored_without_the_function(tmp_path):
    from bleucli import statsfiles

    path = str(tmp_path / "own.parquet")
    stats = own().corpus_stats(HYPOTHESES, REFERENCES, keep_rows=True)
    statsfiles.write(path, {"sys": stats})
    again = statsfiles.read(path).stats()
    assert again.score().score == stats.score().score
    assert str(again.signature()) == str(stats.signature())


def test_metric_from_signature_says_what_to_do():
    metric = own(lowercase=True)
    score = metric.corpus_score(HYPOTHESES, REFERENCES).score
    signature = f"BLEU|{metric.get_signature()}"
    with pytest.raises(
        BleuError, match=r"unknown tokenizer 'hyphens-1' in the signature; .*tokenize=FUNCTION\)"
    ) as caught:
        metric_from_signature(signature)
    assert "\n" not in str(caught.value)
    again = metric_from_signature(signature, tokenize=split_hyphens)
    assert again.corpus_score(HYPOTHESES, REFERENCES).score == score
    assert str(again.get_signature()) == str(metric.get_signature())
    with pytest.raises(BleuError, match=r"^spm-0a1b2c3d names a SentencePiece model.*'spm:PATH'"):
        metric_from_signature("BLEU|nrefs:1|tok:spm-0a1b2c3d")
    with pytest.raises(UsageError, match="'13a' names a built-in tokenizer"):
        metric_from_signature("BLEU|nrefs:1|tok:13a", tokenize=split_hyphens)
    with pytest.raises(InputTypeError, match="a signature of chrF, which takes no tokenizer"):
        metric_from_signature("chrF2|nrefs:1|nc:6", tokenize=split_hyphens)


def test_papers_do_not_confuse_a_custom_tokenizer_with_a_built_in_one_of_that_name():
    from bleucli.output import paper
    from bleucli.output.layout import Layout
    from bleucli.results import Results, SystemResult

    metric = BLEU(tokenize=str, tokenize_name="character")
    stats = metric.corpus_stats(HYPOTHESES, REFERENCES)
    results = Results([SystemResult("sys", [stats.record()])], 3, [])
    assert dict(paper.facts_of(results, 0))["Tokenizer"] == "character, a custom tokenizer"
    assert not any("sacreBLEU" in sentence for sentence in paper.sentences(results, Layout()))


def test_metric_from_signature_accepts_only_functions_as_tokenizers():
    signature = "nrefs:1|case:mixed|eff:no|tok:hyphens|smooth:exp|version:bleucli-0.2.0"
    with pytest.raises(InputTypeError, match="tokenize 3 is of type int; give a function"):
        metric_from_signature(signature, tokenize=3)
