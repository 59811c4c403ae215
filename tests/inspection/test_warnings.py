"""Warnings have one category, one text per kind, and numbers as attributes; they point at the caller's line."""

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys
import warnings
from string import ascii_lowercase

import pytest

import bleucli
from bleucli import BLEU, CER, TER, WER, BleuWarning, PairedTest
from bleucli.errors import Note
from bleucli.results.hints import Hint

TOKENIZED = ["the cat sat on the mat ."] * 150
CHINESE = ["东京是日本的首都也是最大的城市"] * 3
WORDS = [" ".join(random.Random(n).sample(ascii_lowercase, 12)) for n in range(200)]
SYSTEMS = [("a", TOKENIZED), ("b", TOKENIZED)]


def texts(count):
    return TOKENIZED[:count], [TOKENIZED[:count]]


CALLS = {
    "corpus_score": lambda: BLEU().corpus_score(*texts(150)),
    "corpus_bleu": lambda: bleucli.corpus_bleu(*texts(150)),
    "compute": lambda: bleucli.compute(predictions=TOKENIZED, references=TOKENIZED),
    "self_bleu": lambda: bleucli.self_bleu(TOKENIZED),
    "explain_corpus": lambda: bleucli.explain_corpus(*texts(150)),
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
        warnings.simplefilter("ignore", ResourceWarning)  # what an earlier test left open may be closed meanwhile
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


def numbered(count):
    return [f"the cat with the number {n} sat on the red mat in house {n * n}" for n in range(count)]


def changed(count, *places):
    """Return the numbered texts with another word at some places."""
    return [text.replace("red", "old") if n in places else text for n, text in enumerate(numbered(count))]


def compared(count, *places, **options):
    """Test a system that differs from another one at a few places."""
    references, options = numbered(count), {"test": "bs", "trials": 50, "seed": 1} | options
    systems = {
        "first": [f"{text} x" for text in references],
        "second": [f"{text} x" for text in changed(count, *places)],
    }
    return bleucli.evaluate_systems(systems, [references], **options)


def tied(trials):
    """Test two systems that each differ from the reference in one word of some segments."""
    systems = {"first": changed(40, *range(5)), "second": changed(40, *range(5, 18))}
    return bleucli.evaluate_systems(systems, [numbered(40)], test="ar", trials=trials, seed=1)


# For each kind of warning: its text, and two calls that give it with different numbers
KINDS = {
    "tokenized": (
        "many hypotheses end in ' .', so the text looks tokenized",
        lambda: BLEU().corpus_score(*texts(120)),
        lambda: BLEU().corpus_score(*texts(150)),
    ),
    "short": (
        "the output is much shorter than the references",
        lambda: BLEU().corpus_score(["a b c d"], [["a b c d e f g h"]]),
        lambda: BLEU().corpus_score(["a b c d e"], [["a b c d e f g h i j k l m"]]),
    ),
    "subwords": (
        "the text still has subword marks",
        lambda: BLEU().corpus_score(["a@@ b c d e f"] * 3, [["a@@ b c d e f"] * 3]),
        lambda: BLEU().corpus_score(["a@@ b c d e f"] * 4, [["a@@ b c d e f"] * 4]),
    ),
    "self-BLEU of short texts": (
        "many texts match others but have fewer than 4 tokens",
        lambda: bleucli.self_bleu(["a b c", "a b c", "d e", "d e"]),
        lambda: bleucli.self_bleu(["a b c", "a b c", "d e", "d e", "f", "f"]),
    ),
    "out of step": (
        "new is out of step with references[0] from some segment on",
        lambda: bleucli.evaluate_systems({"new": [*WORDS[:100], *WORDS[101:], "a"]}, [WORDS]),
        lambda: bleucli.evaluate_systems({"new": [*WORDS[:50], *WORDS[51:], "a"]}, [WORDS]),
    ),
    "few trials": (
        "so few trials cannot show significance at 0.05",
        lambda: compared(40, *range(20), trials=10),
        lambda: compared(40, *range(20), trials=15),
    ),
    "few segments": (
        "first and second differ in only a few segments by BLEU",
        lambda: compared(40, 3, 5),
        lambda: compared(40, 3, 5, 7),
    ),
    "ties": (
        "first and second: the p-value by BLEU as sacreBLEU computes it leaves out trials with exactly the observed",
        lambda: tied(2000),
        lambda: tied(3000),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_one_text_with_its_numbers_as_attributes_and_points_at_the_caller(kind):
    text, *calls = KINDS[kind]
    found = []
    for call in calls:
        given = [one for one in caught(call) if str(one.message).startswith(text)]
        assert len(given) == 1, caught(call)
        found += given
    one, other = (each.message for each in found)
    assert str(one) == str(other)
    assert one.numbers.keys() == other.numbers.keys()
    assert one.numbers != other.numbers
    assert one.detail != other.detail
    assert all(each.filename == __file__ for each in found)
    lines = {line for call in [*calls, compared, tied] for *_, line in call.__code__.co_lines()}
    assert {each.lineno for each in found} <= lines


def test_a_shift_is_counted_from_0_in_python():
    (found,) = caught(KINDS["out of step"][1])
    assert found.message.numbers == {"segment": 100, "offset": 1}
    assert found.message.detail == (
        "from segment 100 (counting from 0) on, new is out of step with references[0]: its segment 100 matches segment"
        " 101 there; look for a missing or doubled segment"
    )


def test_the_lengths_of_short_output_are_attributes():
    (found,) = caught(lambda: BLEU().corpus_score(["a b c d"], [["a b c d e f g h"]]))
    assert str(found.message) == (
        "the output is much shorter than the references; are translations missing or cut short?"
    )
    assert found.message.numbers == {"sys_len": 4, "ref_len": 8, "bp": pytest.approx(0.368, abs=1e-3)}
    assert found.message.detail.startswith("the output has 4 tokens but the references have 8 (BP = 0.368); are")


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
