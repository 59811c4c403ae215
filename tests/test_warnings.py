"""Warnings have one category, one text per kind, and numbers as attributes; they point at the caller's line."""

import os
import pickle
import subprocess
import sys
import warnings

import pytest

import bleucli
from bleucli import BLEU, CER, TER, WER, BleuWarning, PairedTest
from bleucli.errors import Note
from bleucli.hints import Hint

TOKENIZED = ["the cat sat on the mat ."] * 150
CHINESE = ["东京是日本的首都也是最大的城市"] * 3
SYSTEMS = [("a", TOKENIZED), ("b", TOKENIZED)]


def texts(count):
    return TOKENIZED[:count], [TOKENIZED[:count]]


CALLS = {
    "corpus_score": lambda: BLEU().corpus_score(*texts(150)),
    "corpus_bleu": lambda: bleucli.corpus_bleu(*texts(150)),
    "compute": lambda: bleucli.compute(predictions=TOKENIZED, references=TOKENIZED),
    "self_bleu": lambda: bleucli.self_bleu(TOKENIZED),
    "explain_difference": lambda: bleucli.explain_difference(TOKENIZED, TOKENIZED[::-1], [TOKENIZED]),
    "PairedTest": lambda: print(PairedTest(SYSTEMS, {"x": BLEU()}, [TOKENIZED], "ar", 5)()),
    "evaluate_systems": lambda: bleucli.evaluate_systems({"a": TOKENIZED}, [TOKENIZED]),
    "advice": lambda: BLEU(trg_lang="zh", tokenize="13a").corpus_score(["a b c d"], [["a b c d"]]),
    "corpus_ter": lambda: bleucli.corpus_ter(CHINESE, [CHINESE]),
    "corpus_wer": lambda: bleucli.corpus_wer(CHINESE, [CHINESE]),
    "a method of a subclass": lambda: type("Own", (BLEU,), {})().corpus_score(*texts(150)),
}


def caught(call):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return found


@pytest.mark.parametrize("name", CALLS)
def test_a_warning_points_at_the_line_that_caused_it(name):
    call = CALLS[name]
    (first, *_) = caught(call)
    assert first.category is BleuWarning
    assert issubclass(BleuWarning, UserWarning)
    assert first.filename == __file__
    assert first.lineno == call.__code__.co_firstlineno


def test_the_text_of_a_kind_is_constant_and_the_numbers_are_attributes():
    few, many = (caught(lambda count=count: BLEU().corpus_score(*texts(count)))[0].message for count in (120, 150))
    assert str(few) == str(many)
    assert str(few).startswith("many hypotheses end in ' .', so the text looks tokenized")
    assert few.numbers == {"hypotheses": 120}
    assert many.numbers == {"hypotheses": 150}
    assert many.detail.startswith("150 hypotheses end in ' .', so the text looks tokenized")


def test_the_lengths_of_short_output_are_attributes():
    (found,) = caught(lambda: BLEU().corpus_score(["a b c d"], [["a b c d e f g h"]]))
    assert str(found.message) == (
        "the output is much shorter than the references; are translations missing or cut short?"
    )
    assert found.message.numbers == {"sys_len": 4, "ref_len": 8, "bp": pytest.approx(0.368, abs=1e-3)}
    assert found.message.detail.startswith("the output has 4 tokens for 8 of the references (BP = 0.368); are")


def test_the_number_of_subword_marks_is_an_attribute():
    marked = ["a@@ b c d e f"] * 3
    found = caught(lambda: BLEU().corpus_score(marked, [marked]))[0].message
    assert str(found).startswith("the text still has subword marks (@@ or ▁)")
    assert found.numbers == {"marks": 3}


def test_the_system_is_named():
    found = caught(CALLS["PairedTest"])
    assert [str(one.message).partition(":")[0] for one in found] == ["a", "b"]
    assert found[0].message.detail.startswith("a: 150 hypotheses end")


@pytest.mark.parametrize(("action", "count"), [("default", 1), ("always", 3), ("ignore", 0), ("once", 1)])
def test_pythons_filter_decides_how_often(action, count, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "from bleucli import corpus_bleu\n"
        "for n in (120, 130, 140):\n"
        "    corpus_bleu(['a b c d .'] * n, [['a b c d .'] * n])\n"
    )
    command = [sys.executable, "-W", action, program]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": os.getcwd()})
    assert done.stderr.count("BleuWarning: many hypotheses end in ' .'") == count
    assert done.stderr.count(f"{program}:3: ") == count


def test_a_warning_can_be_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error", BleuWarning)
        with pytest.raises(BleuWarning, match="many hypotheses end"):
            BLEU().corpus_score(*texts(150))


def test_notes_have_the_category():
    assert issubclass(Note, BleuWarning)


@pytest.mark.parametrize("metric", [BLEU, TER, WER, CER])
def test_scoring_without_a_reason_to_warn_is_silent(metric):
    assert caught(lambda: metric().corpus_score(["the cat sat on the mat"], [["the cat sat on a mat"]])) == []


def test_hints_and_warnings_can_be_sent_to_other_processes():
    hint = Hint("2 of them", "some of them", them=2)
    again = pickle.loads(pickle.dumps(hint))
    assert (again, again.kind, again.numbers) == (hint, hint.kind, hint.numbers)
    warning = BleuWarning("some", "2", {"n": 2})
    assert vars(pickle.loads(pickle.dumps(warning))) == vars(warning)
