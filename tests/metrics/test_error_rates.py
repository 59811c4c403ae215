"""WER and CER: jiwer's numbers with any white space, and what jiwer does not have: several references."""

from __future__ import annotations

import json
import random
from array import array

import jiwer
import pytest
from conftest import warnings_in
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import FRAGMENTS, NO_SPACES, SPACES, corpora, examples, texts

import bleucli
from bleucli import CER, WER, PairedTest, Segments, metric_from_signature
from bleucli.kernels.stats import SegmentStats

pytestmark = pytest.mark.filterwarnings(
    "ignore:WER counts words between spaces", "ignore:WER splits words at spaces only"
)

ORACLES = {WER: jiwer.wer, CER: jiwer.cer}
VERSION = f"version:bleucli-{bleucli.__version__}"
FORMATS = ("json", "text", "markdown", "rst", "csv", "tsv", "latex", "html")
each_metric = pytest.mark.parametrize("metric", ORACLES)
words = st.lists(st.sampled_from(["the", "cat", "The", "a", "東京", "é", "e\u0301", *SPACES, *NO_SPACES]), max_size=12)
spaced = st.one_of(words.map("".join), words.map(" ".join), texts)
pairs = st.lists(st.tuples(spaced, spaced), min_size=1, max_size=5)


def expected(metric, references, hypotheses):
    return 100.0 * ORACLES[metric](list(references), list(hypotheses))


@each_metric
@given(pairs)
@examples(400)
@example([("a\tb", "a b")])
@example([("a\t\tb", "a b")])
@example([("a\u00a0b c", "a b c")])
@example([("a\u3000\u3000b", "a b")])
@example([(" \ta  b\x1f ", "a b")])
@example([("a\x85b", "a b"), ("", "")])
def test_scores_are_those_of_jiwer(metric, drawn):
    hypotheses, references = zip(*drawn, strict=True)
    score = metric().corpus_score(hypotheses, [references])
    assert score.score == expected(metric, references, hypotheses)
    process = (jiwer.process_words if metric is WER else jiwer.process_characters)(list(references), list(hypotheses))
    assert score.num_edits == process.substitutions + process.deletions + process.insertions
    assert score.ref_length == process.hits + process.substitutions + process.deletions


@each_metric
def test_every_two_fragments_are_scored_as_jiwer_does(metric):
    drawn = [f"{left}{right}x{right}{left}{right}y" for left in FRAGMENTS for right in FRAGMENTS[::7]]
    plain = [" ".join(text.split()) for text in drawn]
    assert metric().corpus_score(drawn, [plain]).score == expected(metric, plain, drawn)


@each_metric
@pytest.mark.parametrize(
    ("hypotheses", "references", "score"),
    [
        (["", ""], ["", ""], 0.0),
        (["a", "b"], ["", ""], 200.0),
        (["a"], [" \t "], 100.0),
        ([""], ["a"], 100.0),
        (["a", "b"], ["a", ""], 100.0),
    ],
)
def test_empty_texts_are_scored_as_jiwer_does(metric, hypotheses, references, score):
    """In jiwer, references without a word have the length 1."""
    assert metric().corpus_score(hypotheses, [references]).score == score == expected(metric, references, hypotheses)


@each_metric
@pytest.mark.parametrize("length", [63, 64, 65, 128, 129, 200])
def test_long_texts_are_scored_as_jiwer_does(metric, length):
    reference = " ".join(f"w{number % 90}" for number in range(length))
    hypotheses = [
        reference.replace("w1", "x"),
        " ".join(reference.split()[::-1]),
        reference[5:],
        f"so {reference}",
        reference[: length // 2],
    ]
    for hypothesis in hypotheses:
        assert metric().corpus_score([hypothesis], [[reference]]).score == expected(metric, [reference], [hypothesis])


# --- several references


@each_metric
@given(corpora())
@examples(100)
def test_the_first_reference_with_the_fewest_edits_counts(metric, corpus):
    found = metric().segment_stats(
        Segments.from_strings(corpus.hypotheses), [Segments.from_strings(stream) for stream in corpus.references]
    )
    for row, hypothesis, *candidates in zip(found, corpus.hypotheses, *corpus.references, strict=True):
        scores = [metric().sentence_score(hypothesis, [text]) for text in candidates if text is not None]
        best = min(scores, key=lambda score: score.num_edits)
        assert row == (best.num_edits, best.ref_length)


def test_the_length_is_that_of_the_reference_that_counts():
    score = WER().sentence_score("a b", ["a", "a b c d", "a c d"])
    assert (score.num_edits, score.ref_length, score.score) == (1, 1, 100.0)
    score = WER().corpus_score(["a b", "c"], [["a", None], ["a b c", "c d"]])
    assert (score.num_edits, score.ref_length) == (2, 3)


def test_an_empty_reference_can_count_as_missing():
    texts = ["a b"], [[" "], ["a b c d e f"]]
    assert WER().corpus_score(*texts).num_edits == 2
    assert WER(skip_empty_refs=True).corpus_score(*texts).num_edits == 4


@each_metric
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), min_size=1))
@examples(100)
def test_many_rows_are_scored_as_each_is(metric, rows):
    stats = SegmentStats(memoryview(array("q", [number for row in rows for number in row])), 2)
    assert metric().scores_from_stats(stats).tolist() == [metric().score_from_stats(row).score for row in rows]


# --- options, signatures, functions


@each_metric
def test_lowercase_lowercases_both_sides(metric):
    texts = ["THE Cat"], [["the CAT"]]
    assert metric(lowercase=True).corpus_score(*texts).score == 0
    assert metric().corpus_score(*texts).score > 0


@each_metric
def test_signatures_say_what_decides_the_score(metric):
    made = metric(lowercase=True, skip_empty_refs=True)
    score = made.corpus_score(["a b"], [["a c"]])
    assert str(made.get_signature()) == f"nrefs:1|case:lc|empty:missing|{VERSION}"
    again = metric_from_signature(f"{score.name}|{made.get_signature()}")
    assert type(again) is metric
    assert again.signature_fields() == made.signature_fields()
    assert str(metric().signature(1, 2)) == f"nrefs:var|case:mixed|{VERSION}"


def test_a_signature_without_a_name_is_for_another_metric():
    assert metric_from_signature("nrefs:1|case:lc").name == "BLEU"


def test_functions_are_shorthands():
    texts = ["The cat", "sat"], [["the cat", "sits"]]
    for metric, corpus, sentence, kind in (
        (WER, bleucli.corpus_wer, bleucli.sentence_wer, bleucli.WERScore),
        (CER, bleucli.corpus_cer, bleucli.sentence_cer, bleucli.CERScore),
    ):
        for lowercase in (False, True):
            assert str(corpus(*texts, lowercase)) == str(metric(lowercase).corpus_score(*texts))
            score = sentence("The cat", ["the cat"], lowercase)
            assert str(score) == str(metric(lowercase).sentence_score("The cat", ["the cat"]))
            assert type(score) is kind


# --- the command


@pytest.fixture
def files(write):
    write("ref", "the cat sat on the mat\nhello there world\nit rains\n")
    write("sys", "the cat sat on a mat\nhello world\nit rains\n")
    write("sys2", "a cat sits on a mat\nhello over there world\nit RAINS\n")


def test_the_command_scores_wer_and_cer(files, run):
    answer = run("ref", "-i", "sys", "-m", "wer", "cer", "-f", "text", "-q")
    assert answer.out == f"WER|nrefs:1|case:mixed|{VERSION} = 18.2\nCER|nrefs:1|case:mixed|{VERSION} = 19.1\n"
    _, second = json.loads(run("ref", "-i", "sys", "-m", "bleu", "cer", "-w", "3").out)
    assert (second["name"], second["score"]) == ("CER", 19.149)


@pytest.mark.parametrize("layout", FORMATS)
def test_every_format_shows_wer_and_cer(files, run, layout):
    answer = run("ref", "-i", "sys", "sys2", "-m", "bleu", "wer", "cer", "-f", layout, "-q")
    assert answer.status == 0
    for text in ("WER", "CER", "18.2", "19.1"):
        assert text in answer.out


@pytest.mark.parametrize("name", ["wer", "cer"])
def test_the_command_scores_as_a_published_signature_says(files, run, name):
    line = run("ref", "-i", "sys2", "-m", name, f"--{name}-lowercase", "-f", "text", "-q").out
    assert "case:lc" in line
    assert run("ref", "-i", "sys2", "--like", line.strip(), "-f", "text", "-q").out == line


@pytest.mark.parametrize("name", ["wer", "cer"])
def test_segments_are_scored(files, run, name):
    made = {"wer": WER, "cer": CER}[name]()
    pairs = [("the cat sat on a mat", "the cat sat on the mat"), ("hello world", "hello there world"), ("a", "a")]
    lines = run("ref", "-i", "sys", "-m", name, "-sl", "-f", "text", "-b", "-w", "4").out.splitlines()
    assert lines == [f"{made.sentence_score(ours, [theirs]).score:.4f}" for ours, theirs in pairs]


@pytest.mark.parametrize("words", [("-ci", "-cin", "20"), ("-pbs", "-pbsn", "20"), ("-par", "-parn", "20")])
def test_intervals_and_tests_work(files, run, words):
    systems = ("sys", "sys2") if words[0][:2] == "-p" else ("sys",)
    answer = run("ref", "-i", *systems, "-m", "wer", "cer", *words)
    assert answer.status == 0, answer.err
    assert "WER" in answer.out
    assert "CER" in answer.out


def test_a_gate_knows_that_less_is_better(files, run):
    assert run("ref", "-i", "sys", "-m", "wer", "--fail-under", "20").status == 0
    assert run("ref", "-i", "sys", "-m", "wer", "--fail-under", "18").status == 1


def test_a_paired_test_of_a_copy_finds_nothing():
    output = ["the cat", "sat on", "a mat"]
    systems = [("a", output), ("b", list(output))]
    _, table = PairedTest(systems, {"WER": WER(), "CER": CER()}, [["the cat", "sat", "the mat"]], "ar", 50)()
    assert [table[name][1].p_value for name in ("WER", "CER")] == [1.0, 1.0]


# --- hints


def test_a_hint_says_that_lowercase_applies_to_bleu_only(files, run):
    said = run("ref", "-i", "sys", "-m", "bleu", "wer", "-lc").err
    assert "-lc applies to BLEU only; WER has --wer-lowercase\n" in said
    assert "WER" not in run("ref", "-i", "sys", "-m", "bleu", "ter", "-lc").err


def test_wer_of_a_script_without_spaces_hints_at_cer(write, run):
    write("ref", "東京都に住んでいます。\n" * 3)
    write("sys", "東京都に住んでいる。\n" * 3)
    assert "most of the output has no spaces between words; use CER" in run("ref", "-i", "sys", "-m", "wer").err
    assert "use CER" not in run("ref", "-i", "sys", "-m", "cer").err


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["a\nb"], "1 line break in 1 text joins two words into one"),
        (["a\nb\nc d", "a\n\nb", "e\nf"], "3 line breaks in 2 texts each join two words into one"),
        (["a\n\nb", "a \nb", "a\r\nb", "\na b\n"], ""),
    ],
)
def test_wer_hints_at_line_breaks_that_join_words(write, run, texts, said):
    references = [text.replace("\n", " ") for text in texts]
    rows = [{"hypothesis": text, "reference": other} for text, other in zip(texts, references, strict=True)]
    write("sys.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    err = run("-i", "sys.jsonl", "-m", "wer").err
    assert (f"so {said}; replace line breaks by spaces, or use TER\n" if said else "") in err
    assert ("line break" in err) == bool(said)
    # jiwer agrees: these are the edits of the texts that get the hint
    assert (WER().corpus_score(texts, [references]).score > 0) == bool(said)
    assert jiwer.wer(references, texts) * 100 == WER().corpus_score(texts, [references]).score
    assert "line break" not in run("-i", "sys.jsonl", "-m", "ter", "cer").err


@pytest.mark.parametrize(
    ("references", "said"),
    [
        (["a\nb", "c"], "1 line break in 1 reference joins two words into one"),
        (["a\nb\nc", "d\ne"], "3 line breaks in 2 references each join two words into one"),
        (["a\n\nb", "a \nb"], ""),
    ],
)
def test_wer_hints_at_line_breaks_of_references_alone(write, run, references, said):
    texts = [text.replace("\n", " ") for text in references]
    rows = [{"hypothesis": text, "reference": other} for text, other in zip(texts, references, strict=True)]
    write("sys.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    err = run("-i", "sys.jsonl", "-m", "wer").err
    assert (f"so {said}; replace line breaks by spaces, or use TER\n" if said else "") in err
    assert ("line break" in err) == bool(said)
    assert (WER().corpus_score(texts, [references]).score > 0) == bool(said)


UNSPACED = {"Chinese": "我们明天早上去东京看朋友", "Japanese": "東京都に住んでいます", "Thai": "ฉันรักภาษาไทยมากที่สุด"}
BOTH = ("--ter-asian-support", "--ter-normalized")
NO_WORDS = "TER counts words between spaces, but most of the output has no spaces between words; use "


@pytest.mark.parametrize("script", UNSPACED)
def test_ter_of_a_script_without_spaces_hints_at_options_that_split_it(write, run, script):
    write("ref", f"{UNSPACED[script]}。\n" * 3)
    write("sys", f"{UNSPACED[script]}\n" * 3)
    for words in ((), BOTH[:1], BOTH[1:], (*BOTH[:1], "--ter-no-punct")):
        said = warnings_in(run("ref", "-i", "sys", "-m", "ter", *words))
        told = f"{NO_WORDS}{BOTH[0]} with {BOTH[1]}, which split Chinese characters, or CER"
        assert f"bleu: warning: sys: {told}" in said, words
    said = [line for line in warnings_in(run("ref", "-i", "sys", "-m", "ter", *BOTH)) if NO_WORDS in line]
    assert said == ([f"bleu: warning: sys: {NO_WORDS}CER"] if script == "Thai" else [])
    with pytest.warns(UserWarning, match="use asian_support=True with normalized=True, which split"):
        bleucli.TER().corpus_score([UNSPACED[script]], [["x"]])


@pytest.mark.parametrize(
    "text", ["the cat sat on the mat", "저는 서울에 살고 있습니다", "我们 明天 早上 去 东京", "", "3.14 %"]
)
def test_ter_of_words_needs_no_hint(write, run, text):
    write("ref", f"{text} .\n")
    write("sys", f"{text}\n")
    for words in ((), BOTH):
        assert NO_WORDS not in run("ref", "-i", "sys", "-m", "ter", *words).err


@pytest.mark.parametrize(
    "text",
    ["東京 都 に 住ん で いる 。", "저는 서울에 살고 있습니다", "the cat", "", "東京都に住んでいる " + "abc " * 9],
)
def test_words_between_spaces_need_no_hint(text, recwarn):
    WER().corpus_score([text], [["x"]])
    assert not recwarn.list


def test_ties_count_in_tests_of_metrics_that_sacrebleu_does_not_have(run, write):
    """Three segments make no difference significant. If ties did not count, as in sacreBLEU, this one would be."""
    ref = write("ref.txt", "a b c d\ne f g h\ni j k l\n")
    systems = write("one.txt", "a b c d\ne f g h\ni j k l\n"), write("two.txt", "a x x x\ny y g h\ni j z z\n")
    answer = run(ref, "-i", *systems, "-m", "wer", "--paired-ar", "-f", "json", "-q")
    assert json.loads(answer.out)[1]["WER"]["p_value"] > 0.05


def test_a_signature_without_a_name_is_not_taken_for_another_metrics(run, write):
    signature = bleucli.WER().corpus_stats(["a"], [["a"]]).signature()
    assert type(bleucli.metric_from_signature(signature)) is bleucli.WER
    with pytest.raises(bleucli.BleuError, match="put the name first"):
        bleucli.metric_from_signature(str(signature))
    chrf = bleucli.CHRF(beta=3)
    chrf.corpus_score(["a"], [["a"]])
    assert bleucli.metric_from_signature(chrf.get_signature()).beta == 3


def counts_of(answer):
    """Return jiwer's counts in the order of ours."""
    kinds = answer.hits, answer.substitutions, answer.deletions, answer.insertions
    return (*kinds, answer.hits + answer.substitutions + answer.deletions)


def drawn_corpus(draw):
    """Return outputs and references of a few segments, near each other or not, with many equal words."""
    letters = "abcdefghijklmnopqrst"[: draw.choice([2, 3, 6, 20])]
    references, outputs = [], []
    for _ in range(draw.randint(1, 4)):
        reference = draw.choices(letters, k=draw.randint(1, draw.choice([3, 9, 40])))
        noise = draw.choice([0.1, 0.4, 1.0])
        output = []
        for word in reference:
            output += [
                draw.choice(letters) if draw.random() < noise else word for _ in draw.choice(["x", "x", "", "xx"])
            ]
        references.append(" ".join(reference))
        outputs.append(" ".join(output) or "z")
    return outputs, references


@pytest.mark.parametrize(
    "corpora", [pytest.param(200, id="some"), pytest.param(6000, id="all", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(("metric", "process"), [(WER, jiwer.process_words), (CER, jiwer.process_characters)])
def test_counts_of_edits_are_those_of_jiwer(metric, process, corpora):
    draw = random.Random(corpora)
    for _ in range(corpora):
        outputs, references = drawn_corpus(draw)
        counts = metric().edit_counts(outputs, [references])
        assert counts == counts_of(process(references, outputs))
        score = metric().corpus_score(outputs, [references])
        edits = counts.substitutions + counts.deletions + counts.insertions
        assert (edits, counts.reference_length) == (score.num_edits, score.ref_length)


def test_counts_are_those_to_the_reference_with_the_fewest_edits():
    references = [["a b c d", "e f"], [None, "e g h"]]
    assert WER().edit_counts(["a b x d", "e g"], references) == (4, 2, 0, 0, 6)
    assert WER(lowercase=True).edit_counts(["A"], [["a"]]) == (1, 0, 0, 0, 1)
    assert WER().edit_counts(["A"], [["a"]]) == (0, 1, 0, 0, 1)
    assert CER().edit_counts([" ab "], [["abc"]]) == (2, 0, 1, 0, 3)
    assert WER().edit_counts([""], [["a b"]]) == (0, 0, 2, 0, 2)
