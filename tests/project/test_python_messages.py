"""What errors and warnings say to a program: they count from 0, and name arguments, not options of the command."""

from __future__ import annotations

import inspect
import re
import warnings

import pytest

import bleucli
from bleucli import BLEU, CER, CHRF, TER, WER, BleuError

HYPOTHESES = ["the cat sat on the mat", "a dog ran down the street"]
REFERENCES = [["the cat sat on a mat", "a dog ran down the road"]]
SHARED = {"hypotheses": HYPOTHESES, "references": REFERENCES}
SEGMENT = {"hypothesis": HYPOTHESES[0], "references": REFERENCES[0][:1]}
SYSTEMS = {"old": HYPOTHESES, "new": REFERENCES[0]}
SIGNATURE = "BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:2.0.0"
STATS = BLEU().corpus_stats(**SHARED, keep_rows=True)

# What is called, with valid arguments; a test replaces each argument in turn with each of the values below
CALLS = {
    **{
        f"corpus_{name}": (getattr(bleucli, f"corpus_{name}"), SHARED) for name in ("bleu", "chrf", "ter", "wer", "cer")
    },
    **{f"sentence_{name}": (getattr(bleucli, f"sentence_{name}"), SEGMENT) for name in ("bleu", "chrf", "ter", "wer")},
    **{kind.__name__: (kind, {}) for kind in (BLEU, CHRF, TER, WER, CER)},
    "raw_corpus_bleu": (bleucli.raw_corpus_bleu, SHARED),
    "corpus_score": (BLEU().corpus_score, SHARED),
    "sentence_score": (CHRF().sentence_score, SEGMENT),
    "corpus_stats": (TER().corpus_stats, SHARED),
    "segment_stats": (BLEU().segment_stats, SHARED),
    "pairwise": (CHRF().pairwise, {"hypotheses": HYPOTHESES, "references": HYPOTHESES}),
    "pairwise_groups": (lambda **given: list(CHRF().pairwise_groups(**given)), {"hypotheses": [HYPOTHESES]}),
    "expected": (CHRF().expected, {"hypotheses": HYPOTHESES}),
    "best": (BLEU().best, {"hypotheses": HYPOTHESES}),
    "take": (STATS.take, {"indexes": [0]}),
    "compute": (bleucli.compute, {"predictions": HYPOTHESES, "references": [["a b"], ["c"]]}),
    "self_bleu": (bleucli.self_bleu, {"samples": HYPOTHESES * 2}),
    "explain": (bleucli.explain, {"hypothesis": HYPOTHESES, "references": REFERENCES, "line": 1}),
    "explain_corpus": (bleucli.explain_corpus, SHARED),
    "explain_difference": (
        bleucli.explain_difference,
        {"first": HYPOTHESES, "second": REFERENCES[0], "references": REFERENCES},
    ),
    "evaluate_systems": (bleucli.evaluate_systems, {"systems": SYSTEMS, "references": REFERENCES, "trials": 20}),
    "check_texts": (bleucli.check_texts, {"systems": SYSTEMS, "references": REFERENCES}),
    "match_score": (bleucli.match_score, {"number": 27.3, "hypotheses": HYPOTHESES, "references": REFERENCES}),
    "score_matrix": (bleucli.score_matrix, {"matrix": {"en-de": (SYSTEMS, REFERENCES)}}),
    "PairedTest": (
        bleucli.PairedTest,
        {"named_systems": [*SYSTEMS.items()], "metrics": {"BLEU": BLEU()}, "references": REFERENCES, "n_samples": 20},
    ),
    "metric_from_signature": (bleucli.metric_from_signature, {"signature": SIGNATURE}),
    "get_segments": (bleucli.get_segments, {"test_set": "demo", "langpair": "en-de"}),
    "get_source_file": (bleucli.get_source_file, {"test_set": "demo", "langpair": "en-de"}),
    "get_reference_files": (bleucli.get_reference_files, {"test_set": "demo", "langpair": "en-de"}),
    "get_langpairs_for_testset": (bleucli.get_langpairs_for_testset, {"testset": "demo"}),
    "render_table": (bleucli.render_table, {"results": bleucli.evaluate_systems(SYSTEMS, REFERENCES)}),
}
TEXT = ["", "x", "zh", "13a", "bleu", "\udc80", "nrefs:1|tok:nope", SIGNATURE]
NUMBERS = [None, True, 0, -1, 1.5, float("nan"), 3j, 10**6]
LISTS = [
    [],
    [1],
    [None],
    ["a"],
    ["a", None],
    [["a"]],
    [[]],
    [[None, None]],
    [["a", "b"], ["c"]],
    [["a", 1]],
    [b"a", b"b"],
]
OTHERS = [b"x", {}, {"a": 1}, {"a": ["a"]}, {1: ["a"]}, {"a", "b"}, ("a", ["b"]), [("a", ["b"])], object(), len]
WRONG = [*TEXT, *NUMBERS, *LISTS, *OTHERS]
# An option of the command, a call of it, or a number that counts from 1
OF_THE_COMMAND = re.compile(r"(?<![\w-])--?[a-z][\w-]*|\bbleu --?\w|(, |from )line [1-9]|\b(stream|column) [1-9]")


def messages(call):
    """Return what a call says."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call()
        except BleuError as error:
            return [str(error)]
        except (TypeError, AttributeError, ValueError, KeyError, OSError):  # of a value that no message is about
            return []
    return [text for one in caught for text in (str(one.message), getattr(one.message, "detail", ""))]


def test_words_of_the_command_are_recognized():
    for text in ("use --force if", "with -tok zh", "see bleu --list", "from line 5 on", "reference stream 1"):
        assert OF_THE_COMMAND.search(text)
    assert not OF_THE_COMMAND.search("jobs -1; en-de has n-grams; p = 1e-5; segment 4 (counting from 0); line= to")


@pytest.mark.parametrize("name", CALLS)
def test_no_message_speaks_as_the_command_does(name):
    function, right = CALLS[name]
    inspected = {"pairwise_groups": CHRF().pairwise_groups}.get(name, function)
    parameters = [one.name for one in inspect.signature(inspected).parameters.values() if one.kind != one.VAR_KEYWORD]
    told = {
        text: f"{name}({parameter}={wrong!r:.40})"
        for parameter in parameters
        if parameter not in ("jobs", "n_jobs", "trials", "n_bootstrap", "n_samples", "n_ar_confidence")
        for wrong in WRONG
        for text in messages(lambda parameter=parameter, wrong=wrong: function(**{**right, parameter: wrong}))
    }
    assert len(told) > 1
    assert not {text: where for text, where in told.items() if OF_THE_COMMAND.search(text)}


def test_texts_that_do_not_fit_together_are_counted_from_0():
    with pytest.raises(
        BleuError, match=r"has 2 segments but references\[1\] has 1 segment: segment 1 \(counting from 0\)"
    ):
        bleucli.corpus_bleu(HYPOTHESES, [*REFERENCES, ["a"]])
    with pytest.raises(BleuError, match=r"segment 1 \(counting from 0\)"):
        bleucli.corpus_bleu(HYPOTHESES, [["a", None]])


@pytest.mark.parametrize("metric", [BLEU, TER, WER])
def test_a_hint_about_the_tokenizer_names_arguments(metric):
    texts = ["东京是日本的首都也是最大的城市"] * 3
    told = messages(lambda: metric().corpus_score(texts, [texts]))
    assert told
    assert not [text for text in told if OF_THE_COMMAND.search(text)]


def test_a_file_of_a_matrix_in_another_encoding_is_refused_with_a_remedy(tmp_path):
    (tmp_path / "ref.en-de").write_text("schön\n", encoding="latin-1")
    (tmp_path / "A.en-de").write_text("schön\n", encoding="utf-8")
    path = tmp_path / "matrix.toml"
    path.write_text('pairs = ["en-de"]\nreferences = "ref.{pair}"\nsystems = "{system}.{pair}"\n')
    with pytest.raises(BleuError) as caught:
        bleucli.score_matrix(path)
    assert "is not valid utf-8; name the encoding with encoding=..." in str(caught.value)
    assert "; name the encoding with --encoding" in caught.value.in_command()


def test_a_comparison_says_that_a_system_is_out_of_step():
    texts = [f"a b c d{number % 7} e f{number % 3} g{number}" for number in range(60)]
    page = bleucli.compare_systems({"a": texts, "b": [*texts[1:], "x"]}, [texts], trials=20)
    assert "b is out of step with references[0]: its segment 0 matches segment 1 there" in page
