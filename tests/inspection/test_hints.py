"""Hints, notes and likely causes: what the command prints about texts that look wrong, and when it prints nothing.

Texts in step are random words: a system's text is the reference's with some of its words replaced.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import sys
import threading
import warnings
from io import BytesIO
from itertools import permutations
from string import ascii_lowercase
from time import process_time, sleep

import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import every, texts

import bleucli
from bleucli import reading, tokenizers
from bleucli.cli import streams
from bleucli.inspection import fit, lengths, marks
from bleucli.inspection.fit import find_shift
from bleucli.inspection.lengths import mismatch_cause
from bleucli.reading import TextFile
from bleucli.text import Segments
from bleucli.tokenizers.base import Untouched

REPLACED = 0.3
WHITE_SPACE = [chr(point) for point in range(sys.maxunicode + 1) if chr(point).isspace()]
SEEDS = range(8)

IDENTICAL = "is the same text as the reference"
TOKENIZED = "hypotheses end in ' .'"
SUBWORDS = "subword mark"
UNSPACED = "does not split into words"
SHORT = "are translations missing or cut short?"
ZERO = "BLEU is 0 since no word matches"
TOO_SHORT = "too short for n-grams of order"
OUT_OF_STEP = "is out of step with"
CAUSE = "; likely cause: "

SCRIPTS = {
    "Han": "明日去东京",
    "hiragana": "すもももももも",
    "katakana": "カタカナ",
    "Hangul": "한국어",
    "Thai": "ภาษาไทย",
    "Khmer": "ភាសាខ្មែរ",
    "Lao": "ພາສາລາວ",
    "Burmese": "မြန်မာဘာသာ",
}
ODD_ENDS = {
    "\r": "a lone carriage return",
    "\v": "a vertical tab",
    "\f": "a form feed",
    "\x85": "U+0085 (next line)",
    "\u2028": "U+2028 (line separator)",
    "\u2029": "U+2029 (paragraph separator)",
}


def lines(texts):
    return "".join(f"{text}\n" for text in texts)


@pytest.fixture
def score(run, write):
    """Score a system's lines against a reference's; return the hints.

    None of them is printed on standard output, or with -q.
    """

    def score(system, reference, *words):
        write("ref.txt", lines(reference))
        write("sys.txt", lines(system))
        answer = run("ref.txt", "-i", "sys.txt", "-b", *words)
        assert answer.status == 0
        assert re.fullmatch(r"\d+\.\d\n", answer.out)
        assert run("ref.txt", "-i", "sys.txt", "-b", "-q", *words) == (0, answer.out, "")
        return answer.err.splitlines()

    return score


def of(said, part):
    """Return the lines that hold `part`."""
    return [line for line in said if part in line]


def warned(part, hypotheses, references, **options):
    """Return the warnings of Python when a corpus is scored, if they hold `part`."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bleucli.BLEU(**options).corpus_score(hypotheses, [references])
    return [str(warning.message) for warning in caught if part in str(warning.message)]


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr("bleucli.reading._BLOCK_BYTES", 64)


# --- a hypothesis that is the reference


def test_a_system_that_is_the_reference_is_named(score):
    (line,) = of(score(["the cat sat on it", "so"], ["the cat sat on it", "so"]), IDENTICAL)
    assert line == f"bleu: warning: sys.txt {IDENTICAL} ref.txt; is it the system's output?"


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_system_that_differs_in_one_line_is_not_named(score, at):
    reference = ["the cat sat on it", "so", "it did"]
    system = [text + "!" * (index == at) for index, text in enumerate(reference)]
    assert not of(score(system, reference), IDENTICAL)


def test_trailing_white_space_is_not_a_difference(score):
    assert len(of(score(["the cat sat on it \t"], ["the cat sat on it\r"]), IDENTICAL)) == 1


@pytest.mark.parametrize("differs", [None, 0, 50, 99])
@pytest.mark.parametrize("jobs", ["1", "3"])
def test_all_blocks_must_equal_those_of_the_reference(score, small_blocks, differs, jobs):
    reference = [f"this is line {number}" for number in range(100)]
    system = ["another" if number == differs else text for number, text in enumerate(reference)]
    assert len(of(score(system, reference, "-J", jobs), IDENTICAL)) == (differs is None)


def test_equal_systems_and_references_among_several_are_named(run, write):
    for name, text in (("r1", "a b c d"), ("r2", "e f g h"), ("s1", "a b c x"), ("s2", "e f g h"), ("s3", "e f g x")):
        write(name, f"{text}\n")
    answer = run("r1", "r2", "-i", "s1", "s2", "s3")
    assert [line.split(";")[0] for line in of(answer.err.splitlines(), IDENTICAL)] == [
        f"bleu: warning: s2 {IDENTICAL} r2"
    ]


# --- which file is which


@pytest.mark.parametrize(
    ("words", "stdin", "said"),
    [
        (("ref.txt", "-i", "sys.txt"), b"", "reference ref.txt, 3 segments; system sys.txt"),
        (("ref.txt", "-i", "sys.txt", "sys2.txt"), b"", "reference ref.txt, 3 segments; systems sys.txt, sys2.txt"),
        (("ref.txt", "ref2.txt", "-i", "sys.txt"), b"", "references ref.txt, ref2.txt, 3 segments; system sys.txt"),
        (("ref.txt", "ref2.txt"), b"a\nb\nc\n", "references ref.txt, ref2.txt, 3 segments; system standard input"),
        (("ref.txt", "-i", "sys.txt", "-f", "text"), b"", "reference ref.txt, 3 segments; system sys.txt"),
        (("ref.txt", "-i", "sys.txt", "-sl"), b"", "reference ref.txt, 3 segments; system sys.txt"),
    ],
)
def test_with_several_files_a_note_says_which_is_which(run, write, words, stdin, said):
    for name in ("ref.txt", "ref2.txt", "sys.txt", "sys2.txt"):
        write(name, f"one {name}\ntwo\nthree\n")
    answer = run(*words, stdin=stdin, terminal=True)
    assert answer.status == 0
    assert of(answer.err.splitlines(), "bleu: note: ") == [f"bleu: note: {said}"]
    assert "note" not in answer.out
    assert run(*words, "-q", stdin=stdin) == (0, answer.out, "")


def test_one_file_beside_standard_input_needs_no_note(run, write):
    write("ref.txt", "one\n")
    assert "note" not in run("ref.txt", stdin=b"one\n", terminal=True).err


# --- text that the tokenizer is not made for


@pytest.mark.parametrize("script", SCRIPTS)
def test_text_of_a_script_without_spaces_is_not_for_13a(score, script):
    text = SCRIPTS[script]
    assert len(of(score([text], [f"{text} x"]), UNSPACED)) == 1
    assert len(warned(UNSPACED, [text], ["x"])) == 1


@pytest.mark.parametrize("script", SCRIPTS)
def test_text_that_is_half_of_a_script_without_spaces_is_for_13a(score, script):
    text = SCRIPTS[script] + " " + "x" * len(SCRIPTS[script])
    assert not of(score([text], [f"{text} x"]), UNSPACED)
    assert not warned(UNSPACED, [text], ["x"])


@pytest.mark.parametrize("text", ["plain words", "žluťoučký kůň", "Доброе утро", "καλημέρα", "שלום", "مرحبا", "नमस्ते"])
def test_text_of_a_script_with_spaces_is_for_13a(score, text):
    assert not of(score([text], [f"{text} x"]), UNSPACED)


@pytest.mark.parametrize("name", ["zh", "char", "intl", "none", "ja-mecab", "ko-mecab"])
def test_only_13a_gets_a_hint_about_the_script(score, name):
    assert not of(score(["東京に行く"], ["東京に住む"], "-tok", name), UNSPACED)
    assert not warned(UNSPACED, ["東京に行く"], ["東京に住む"], tokenize=name)


def test_the_script_is_that_of_most_of_the_text_not_of_its_first_line(score):
    assert not of(score(["東京", "so it was"], ["東京", "so it is"]), UNSPACED)
    assert len(of(score(["so", "東京に行く"], ["so", "東京に住む"]), UNSPACED)) == 1


def test_the_script_of_one_column_is_not_that_of_another(run, write):
    write("ref.txt", "so it is\n" * 3)
    said = run("ref.txt", stdin="so it was\t東京に行く東京に行く東京に行く\n".encode() * 3).err.splitlines()
    assert [line.split(": ")[2] for line in of(said, UNSPACED)] == ["System 2"]


@pytest.mark.parametrize(
    ("pair", "spoken", "usual"),
    [("en-zh", "Chinese", "zh"), ("en-ja", "Japanese", "ja-mecab"), ("de-ko", "Korean", "ko-mecab")],
)
def test_an_unusual_tokenizer_for_a_language_gets_a_hint(score, pair, spoken, usual):
    for name in ("13a", "char"):
        (line,) = of(score(["a b c"], ["a b d"], "-l", pair, "-tok", name), "is not made for")
        assert f"{name} is not made for {spoken}; the usual tokenizers are {usual} and flores200 (-tok)" in line
        assert len(warned("is not made for", ["a"], ["a"], tokenize=name, trg_lang=pair[-2:])) == 1
    for words in (("-l", pair, "-tok", usual), ("-l", pair), ("-l", "en-de", "-tok", "13a"), ("-tok", "13a")):
        assert not of(score(["a b c"], ["a b d"], *words), "is not made for")
    assert not warned("is not made for", ["a"], ["a"], trg_lang=pair[-2:])


def test_a_sentencepiece_tokenizer_suits_every_language(score, monkeypatch):
    monkeypatch.setitem(tokenizers._ENTRIES, "flores200", untouched("flores200"))
    assert not of(score(["a b c"], ["a b d"], "-l", "en-zh", "-tok", "flores200"), "flores200")


def test_the_old_name_of_a_tokenizer_gets_a_hint(score, monkeypatch):
    for name in ("spm", "flores101"):
        monkeypatch.setitem(tokenizers._ENTRIES, name, untouched(name))
    (line,) = of(score(["a b c"], ["a b d"], "-tok", "spm"), "flores101")
    assert "the tokenizer spm is now called flores101" in line
    assert len(warned("is now called flores101", ["a"], ["a"], tokenize="spm")) == 1
    assert not of(score(["a b c"], ["a b d"], "-tok", "flores101"), "is now called")
    assert not warned("is now called", ["a"], ["a"], tokenize="flores101")


def untouched(name):
    """Return a tokenizer's entry in the table, with a tokenizer that needs no model in its place."""
    return tokenizers._ENTRIES[name]._replace(make=Untouched)


def test_a_hint_that_is_not_about_one_system_is_printed_once(run, write):
    for name in ("ref.txt", "s1", "s2", "s3"):
        write(name, f"a b c d {name}\n")
    said = run("ref.txt", "-i", "s1", "s2", "s3", "-l", "en-zh", "-tok", "13a").err.splitlines()
    assert len(of(said, "13a is not made for Chinese")) == 1


# --- text whose subwords were not joined


@pytest.mark.parametrize("text", ["an un@@ usual word", "▁an unusual word"])
def test_leftovers_of_subwords_get_a_hint(score, text):
    (line,) = of(score([text], ["an unusual word"]), SUBWORDS)
    assert "sys.txt: the text still has 1 subword mark " in line
    assert len(warned(SUBWORDS, [text], ["an unusual word"])) == 1


@pytest.mark.parametrize("text", ["plain", "an@@usual", "mail@@", "@ @ a", "_an _un", "a @@", "__init__"])
def test_what_only_looks_like_subwords_gets_no_hint(score, text):
    assert not of(score([text], ["an unusual word"]), SUBWORDS)
    assert not warned(SUBWORDS, [text], ["an unusual word"])


@pytest.mark.parametrize(("count", "marked"), [(19, True), (20, False)])
def test_a_rare_mark_is_not_a_leftover(score, small_blocks, count, marked):
    text = ["plain words"] * (count - 1) + ["some@@ thing"]
    assert len(of(score(text, ["something"] * count), SUBWORDS)) == marked
    assert len(warned(SUBWORDS, text, ["something"] * count)) == marked


def test_subwords_in_one_column_are_not_those_of_another(run, write):
    write("ref.txt", "something unusual\n" * 3)
    said = run("ref.txt", stdin=b"something unusual\tsome@@ thing un@@ usual\n" * 3).err.splitlines()
    assert [line.split(": ")[2] for line in of(said, SUBWORDS)] == ["System 2"]


@pytest.mark.parametrize(("count", "marked"), [(100, True), (99, False)])
def test_a_hundred_lines_that_end_in_a_lone_period_are_tokenized(score, small_blocks, count, marked):
    text = ["It is so ."] * count + ["It is so."] * 50
    reference = ["It is so."] * len(text)
    assert len(of(score(text, reference), TOKENIZED)) == marked
    assert len(warned(TOKENIZED, text, reference)) == marked


def test_force_suppresses_the_hint_about_tokenized_text(score):
    text, reference = ["It is so ."] * 100, ["It is so."] * 100
    assert not of(score(text, reference, "--force"), TOKENIZED)
    assert not warned(TOKENIZED, text, reference, force=True)


# --- output that is too short, scores of 0


def test_a_strong_brevity_penalty_gets_a_hint(score):
    (line,) = of(score(["a b"], ["a b c"]), SHORT)
    assert "sys.txt: the output has 2 tokens but the references have 3 (BP = 0.607)" in line
    assert len(warned(SHORT, ["a b"], ["a b c"])) == 1


def test_a_weak_brevity_penalty_gets_no_hint(score):
    assert not of(score(["a b c"], ["a b c d"]), SHORT)  # BP = 0.717
    assert not warned(SHORT, ["a b c"], ["a b c d"])


def test_a_score_of_0_without_any_match_is_explained(score):
    assert len(of(score(["a b c d"], ["e f g h"]), ZERO)) == 1
    assert len(warned(ZERO, ["a b c d"], ["e f g h"])) == 1


def test_a_score_with_one_match_is_not_explained(score):
    assert not of(score(["a b c d"], ["e f g d"]), ZERO)
    assert not warned(ZERO, ["a b c d"], ["e f g d"])


@pytest.mark.parametrize(("order", "text"), [(4, "a b c"), (2, "a")])
def test_text_too_short_for_the_longest_n_grams_is_explained(score, order, text):
    said = score([text, text], [text, f"{text} x"], "--max-ngram-order", str(order))
    assert len(of(said, f"{TOO_SHORT} {order}")) == 1
    assert len(warned(TOO_SHORT, [text], [text], max_ngram_order=order)) == 1


def test_one_segment_as_long_as_the_order_is_enough(score):
    assert not of(score(["a b c", "a b c d"], ["a b c", "a b c e"]), TOO_SHORT)
    assert not warned(TOO_SHORT, ["a b c d"], ["a b c e"])
    assert not warned(TOO_SHORT, ["a b c"], ["a b c"], effective_order=True)


def test_one_thing_is_named_in_the_singular(score, run, write):
    (line,) = of(score(["w@@ ord"], ["an unusual word"]), SUBWORDS)
    assert "still has 1 subword mark (@@ or ▁)" in line
    (line,) = of(score(["word"], ["an unusual word"]), SHORT)
    assert "the output has 1 token but the references have 3" in line
    write("strong.txt", "a b c d e\nf g h i\n")
    write("weak.txt", "a b c d x\nf g h x\n")
    answer = run("strong.txt", "-i", "weak.txt", "strong.txt", "-par", "-parn", "1", "-f", "markdown")
    assert "bleu: warning: 1 trial cannot show significance at 0.05" in answer.err
    assert "- Paired approximate randomization, 1 trial: each system is compared" in answer.out
    segments = bleucli.Segments.from_strings(["a"])
    metric = bleucli.BLEU()
    assert repr(segments) == "<Segments: 1 text>"
    assert repr(metric.segment_stats(segments, [segments])) == "<SegmentStats: 1 row of 10>"
    assert repr(metric.corpus_stats(["a"], [["a"]])).startswith("<CorpusStats: 1 segment, ")
    with pytest.raises(bleucli.BleuError, match="1 list of 2 strings for 1 hypothesis: "):
        metric.corpus_score(["a"], [["a", "b"]])


def test_text_without_a_match_is_not_also_called_too_short(score):
    assert not of(score(["a b c"], ["x y z"]), TOO_SHORT)


# --- slow kernels


@pytest.fixture
def missing(monkeypatch):
    """Pretend that the native kernels are missing; shorten the time until the note about slow work."""
    monkeypatch.setattr("bleucli.kernels.reason", "the native kernels were not built")
    monkeypatch.setattr("bleucli.cli.streams._SLOWNESS", 0.25)


def work(seconds):
    end = process_time() + seconds
    while process_time() < end:
        pass


SLOW = ["bleu: note: this was slow: the native kernels were not built"]


@pytest.mark.parametrize("extra", every(2, [(), ("-sl",)]))
def test_slow_kernels_are_named_where_a_user_had_to_wait(run, write, missing, monkeypatch, extra):
    write("ref.txt", "the cat sat on the mat\n")
    words = ("ref.txt", "-b", *extra)
    sentence = b"the cat sat on a mat\n"
    assert run(*words, stdin=sentence, terminal=True).err == ""
    assert run(*words, stdin=WaitedFor(sentence, lambda: sleep(0.3)), terminal=True).err == ""
    assert run(*words, stdin=WaitedFor(sentence, lambda: work(0.3)), terminal=True).err.splitlines() == SLOW
    assert run(*words, "-q", stdin=WaitedFor(sentence, lambda: work(0.3)), terminal=True).err == ""
    assert run(*words, "--strict", stdin=WaitedFor(sentence, lambda: work(0.3))).status == 0
    monkeypatch.setattr("bleucli.kernels.reason", "")
    assert run(*words, stdin=WaitedFor(sentence, lambda: work(0.3)), terminal=True).err == ""


def test_two_seconds_pass_before_slow_kernels_are_named():
    assert streams._SLOWNESS == 2


class WaitedFor(BytesIO):
    """A stream that does something before it gives its data."""

    def __init__(self, data, action):
        super().__init__(data)
        self.action = action

    def read(self, size=-1):
        action, self.action = self.action, lambda: None
        action()
        return super().read(size)

    def readinto(self, buffer):
        action, self.action = self.action, lambda: None
        action()
        return super().readinto(buffer)


# --- all hints


def test_good_text_gets_no_hint(run, write):
    write("ref.txt", "the cat sat on the mat\n")
    assert run("ref.txt", "-b", stdin=b"the cat sat on a mat\n").err == ""
    assert not warned("", ["the cat sat on a mat"], ["the cat sat on the mat"])


@pytest.mark.parametrize("form", ["json", "text"])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_every_hint_is_printed_once_however_many_blocks_there_are(run, write, small_blocks, form, jobs):
    write("ref.txt", "東京 u v w x y z .\n" * 150)
    write("sys.txt", "東京東京@@ .\n" * 150)
    words = ("ref.txt", "-i", "sys.txt", "-l", "en-ja", "-tok", "13a", "-f", form, "-J", jobs)
    answer = run(*words)
    said = answer.err.splitlines()
    for part in (TOKENIZED, SUBWORDS, UNSPACED, SHORT, "is not made for Japanese"):
        assert len(of(said, part)) == 1, part
    assert len(said) == 5
    assert run(*words, "-q") == (0, answer.out, "")
    assert form == "text" or json.loads(answer.out)["name"] == "BLEU"


def test_the_hints_of_several_systems_name_theirs(run, write):
    write("ref.txt", "a b c\n")
    write("short.txt", "a\n")
    write("wrong.txt", "x y z\n")
    said = run("ref.txt", "-i", "short.txt", "wrong.txt").err.splitlines()
    assert [line.split(": ")[2] for line in of(said, SHORT)] == ["short.txt"]
    assert [line.split(": ")[2] for line in of(said, ZERO)] == ["wrong.txt"]


# --- texts out of step


def noise(rng, count):
    """Return `count` lines of random words."""
    return [" ".join(rng.choices(WORDS, k=rng.randint(8, 25))) for _ in range(count)]


def translated(rng, texts):
    """Return the texts with some of their words replaced."""
    return [
        " ".join(rng.choice(WORDS) if rng.random() < REPLACED else word for word in text.split(" ")) for text in texts
    ]


WORDS = ["".join(random.Random(seed).choices(ascii_lowercase, k=2 + seed % 8)) for seed in range(4000)]


def pair_of(count, seed=0):
    """Return a reference and a system, in step."""
    rng = random.Random(seed)
    reference = noise(rng, count)
    return reference, translated(rng, reference)


@pytest.fixture(scope="module")
def corpus():
    return pair_of(200)


def dropped(texts, line, count=1):
    """Leave out `count` lines from `line` on, and add others at the end."""
    return texts[: line - 1] + texts[line - 1 + count :] + noise(random.Random(1), count)


def doubled(texts, line, count=1):
    """Repeat `count` lines from `line` on, and leave out as many at the end."""
    return (texts[: line - 1 + count] + texts[line - 1 :])[: len(texts)]


@pytest.fixture
def step(run, write):
    """Score a system's lines against a reference's; return the hints about lines out of step."""

    def step(system, reference, *words):
        write("ref.txt", lines(reference))
        write("sys.txt", lines(system))
        return of(run("ref.txt", "-i", "sys.txt", "-b", "-tok", "none", *words).err.splitlines(), OUT_OF_STEP)

    return step


def out_of_step(line, there):
    return (
        f"bleu: warning: from line {line} on, sys.txt {OUT_OF_STEP} ref.txt: its line {line} matches line {there}"
        " there;"
        " look for a missing or doubled line"
    )


@pytest.mark.parametrize(
    ("damage", "line", "count", "from_line", "there"),
    [
        (dropped, 100, 1, 100, 101),
        (dropped, 100, 2, 100, 102),
        (dropped, 1, 1, 1, 2),
        (doubled, 100, 1, 101, 100),
        (doubled, 100, 2, 102, 100),
        (doubled, 1, 1, 2, 1),
    ],
)
def test_a_missing_or_extra_line_is_found(score, corpus, damage, line, count, from_line, there):
    reference, system = corpus
    said = score(damage(system, line, count), reference)
    assert of(said, OUT_OF_STEP) == [out_of_step(from_line, there)]


def test_a_line_missing_in_the_middle_of_three_thousand_is_found(step):
    reference, system = pair_of(3000)
    assert step(dropped(system, 1500), reference) == [out_of_step(1500, 1501)]


def test_a_reference_that_lacks_a_line_is_found_too(step, corpus):
    reference, system = corpus
    (line,) = step(system, dropped(reference, 100))
    assert line in (out_of_step(100, 99), out_of_step(101, 100))  # line 100 of the system fits neither


@pytest.mark.slow
def test_a_line_missing_in_the_second_block_of_a_big_file_is_found(step):
    reference, system = pair_of(8000)
    assert sum(map(len, system[:5900])) > reading._BLOCK_BYTES
    assert step(dropped(system, 6000), reference) == [out_of_step(6000, 6001)]


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_the_first_block_that_is_out_of_step_is_named(step, monkeypatch, jobs):
    monkeypatch.setattr("bleucli.reading._BLOCK_BYTES", 1 << 14)
    reference, system = pair_of(500)
    assert step(dropped(system, 210), reference, "-J", jobs) == [out_of_step(210, 211)]


@pytest.mark.parametrize("line", range(150, 190, 13))
def test_a_line_missing_shortly_before_the_end_of_a_block_is_found_nearby(step, monkeypatch, line):
    monkeypatch.setattr("bleucli.reading._BLOCK_BYTES", 1 << 14)
    reference, system = pair_of(300)
    (said,) = step(dropped(system, line), reference)
    assert 0 <= int(said.split()[4]) - line < fit.SAMPLE


def test_each_system_out_of_step_is_named(run, write, corpus):
    reference, system = corpus
    write("ref.txt", lines(reference))
    write("good.txt", lines(system))
    write("bad.txt", lines(dropped(system, 90)))
    said = of(run("ref.txt", "-i", "good.txt", "bad.txt").err.splitlines(), OUT_OF_STEP)
    assert said == [out_of_step(90, 91).replace("sys.txt", "bad.txt")]


def test_texts_in_step_are_not_out_of_step(step, corpus):
    reference, system = corpus
    assert step(system, reference) == []


def found(system, reference):
    return find_shift(Segments.from_strings(system), Segments.from_strings(reference))


@pytest.mark.parametrize("count", [16, 17, 20, 40, 63, 64, 65, 200])
def test_short_texts_out_of_step_are_found_from_sixteen_lines_on(count):
    reference, system = pair_of(count)
    assert found(dropped(system, 3), reference) == (2, 1)
    assert found(doubled(system, 3), reference) == (3, -1)


@pytest.mark.parametrize("count", [*range(1, 21), 64, 300])
def test_texts_of_any_length_in_step_raise_no_false_alarm(count):
    for seed in SEEDS:
        reference, system = pair_of(count, seed)
        assert found(system, reference) is None
        assert found(reference, reference) is None
        assert found(noise(random.Random(seed), count), reference) is None


@pytest.mark.parametrize("count", [*range(1, 21), 30, 64, 300])
def test_shuffled_lines_raise_no_false_alarm(count):
    for seed in range(40 if count <= 20 else 4):
        reference, system = pair_of(count, seed)
        random.Random(-seed).shuffle(system)
        assert found(system, reference) is None, seed


@pytest.mark.parametrize("count", [5, 16, 20, 64, 500])
@pytest.mark.parametrize("each", [1, 2, 3, 7])
def test_repeated_lines_raise_no_false_alarm(count, each):
    reference, system = pair_of(each)
    for one, other in ((system, reference), (reference, system), (noise(random.Random(9), each), reference)):
        assert found(one * count, other * count) is None
        runs = [[text for text in texts for _ in range(count)] for texts in (one, other)]
        assert found(*runs) is None


@pytest.mark.parametrize("filler", ["", "a", "..."])
def test_lines_without_much_text_raise_no_false_alarm(filler):
    reference, system = pair_of(100)
    for count in (1, 36, 37, 90, 100):
        assert found(system[: 100 - count] + [filler] * count, reference) is None
        assert found(system, reference[: 100 - count] + [filler] * count) is None
    assert found([filler] * 50, [filler] * 50) is None


@given(st.lists(texts, max_size=40))
def test_a_text_is_never_out_of_step_with_itself(some):
    assert found(some, some) is None


@pytest.mark.parametrize("folder", ["wmt17.en-de", "wmt22.cs-uk", "wmt22.en-de", "wmt22.en-ja", "wmt22.en-zh"])
def test_real_systems_are_in_step_and_a_missing_line_is_found(folder):
    place = os.path.join(oracles.real_data(folder), folder)
    reference, *others = sorted(os.listdir(place), key=lambda name: not name.startswith("ref"))
    references = oracles.read_lines(place, reference)
    for name in others:
        system = oracles.read_lines(place, name)
        for start in range(0, len(system), 400):
            stretch = system[start : start + 400], references[start : start + 400]
            assert found(*stretch) is None, (name, start)
        shifted = found(system[800:900] + system[901:1001], references[800:1000])
        assert shifted is not None, name
        assert (abs(shifted[0] - 100) <= 3, shifted[1]) == (True, 1), name


# --- different numbers of lines: the likely cause


@pytest.fixture
def cause(run, write):
    """Score texts of different lengths, from files and from standard input; return the likely cause in the error."""

    def cause(system, reference, *words):
        write("ref.txt", reference)
        write("sys.txt", system)
        data = system if isinstance(system, bytes) else system.encode()
        one = refusal(run("ref.txt", "-i", "sys.txt", *words))
        other = refusal(run("ref.txt", *words, stdin=data))
        assert other.replace("standard input", "sys.txt") == one
        return one.partition(CAUSE)[2].removesuffix("\n")

    return cause


def refusal(answer):
    """Return the one line on stderr."""
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.count("\n") == 1
    assert re.match(r"bleu: error: .* has \d+ segments? but .* has \d+ segments?: line \d+ of ", answer.err)
    return answer.err


@pytest.mark.parametrize("character", ODD_ENDS, ids=ascii)
def test_a_character_that_ends_lines_elsewhere_is_named_with_file_and_line(cause, character):
    parted = f"one\ntwo{character}three\n"
    said = f"contains {ODD_ENDS[character]}, at which other tools end a line"
    assert cause(parted, "one\ntwo\nthree\n") == f"line 2 of sys.txt {said}"
    assert cause(parted, "one\n") == f"line 2 of sys.txt {said}"
    assert cause("one\ntwo\nthree\n", parted) == f"line 2 of ref.txt {said}"
    assert cause("one\n", parted) == f"line 2 of ref.txt {said}"


@pytest.mark.parametrize("character", ["\x1c", "\x1e", "\u00a0", "\u3000", "\0", "\u200b"], ids=ascii)
def test_a_character_that_does_not_end_lines_is_not_named(cause, character):
    assert "contains" not in cause(f"one\ntwo{character}three\n", "one\ntwo\nthree\n")


def test_carriage_returns_at_the_ends_of_lines_are_not_to_blame(cause):
    assert cause("one\r\ntwo\r\n", "one\r\ntwo\r\nthree\r\n") == ""


def test_empty_lines_that_are_as_many_as_the_other_text_lacks_are_named(cause):
    assert cause("one\n\ntwo\n\nthree\n", "one\ntwo\nthree\n") == (
        "2 lines of sys.txt are empty, the first of them line 2"
    )
    assert cause("one\ntwo\n", "one\n \ntwo\n") == "line 2 of ref.txt is empty"
    assert "empty" not in cause("one\n\ntwo\n", "one\n")
    assert "empty" not in cause("one\n\ntwo\n", "one\n\n")


def text_of(lines, size=2):
    """Return a function that reads lines in blocks."""
    blocks = [Segments.from_strings(lines[start : start + size]) for start in range(0, len(lines), size)]
    return lambda: iter(blocks)


def test_the_first_of_two_such_characters_in_a_line_is_named():
    for first, second in permutations(ODD_ENDS, 2):
        texts = text_of(["a", "b"]), text_of([f"a{first}b{second}c"])
        assert f"contains {ODD_ENDS[first]}," in mismatch_cause(("ref.txt", "sys.txt"), *texts, (2, 1))


@pytest.mark.parametrize(
    ("tail", "said"),
    [
        ("\n", "the last line of ref.txt is empty"),
        ("\n\n\n", "the last 3 lines of ref.txt are empty"),
        (" \n\u3000\r\n", "the last 2 lines of ref.txt are empty"),
    ],
)
def test_empty_lines_at_the_end_are_named(cause, tail, said):
    assert cause("one\ntwo\n", f"one\ntwo\n{tail}") == said
    assert cause(f"one\ntwo\n{tail}", "one\ntwo\n") == said.replace("ref.txt", "sys.txt")


def without(texts, line, count=1):
    return texts[: line - 1] + texts[line - 1 + count :]


@pytest.mark.parametrize(
    ("line", "count", "said"),
    [
        (100, 1, "line 100 of ref.txt seems to have no counterpart in sys.txt"),
        (100, 3, "from about line 100 on, 3 lines of ref.txt seem to have no counterpart in sys.txt"),
        (1, 1, "line 1 of ref.txt seems to have no counterpart in sys.txt"),
        (199, 1, "line 199 of ref.txt seems to have no counterpart in sys.txt"),
    ],
)
def test_lines_that_are_missing_are_named(cause, corpus, line, count, said):
    reference, system = corpus
    assert cause(lines(without(system, line, count)), lines(reference)) == said


def test_one_line_missing_among_three_thousand_is_named(run, write):
    reference, system = pair_of(3000)
    write("ref.txt", lines(reference))
    said = refusal(run("ref.txt", "-tok", "none", stdin=lines(without(system, 1500)).encode()))
    assert said.endswith(f"{CAUSE}line 1500 of ref.txt seems to have no counterpart in standard input\n")


@pytest.mark.parametrize("line", [1, 2, 31, 32, 33, 64, 300, 352, 353, 400])
@pytest.mark.parametrize("count", [1, 3, 40])
def test_lines_that_are_missing_are_found_batch_by_batch(monkeypatch, line, count):
    monkeypatch.setattr(lengths, "_BATCH_LINES", 32)
    monkeypatch.setattr(lengths, "SAMPLE", 16)
    reference, system = pair_of(440)
    texts = text_of(reference, 50), text_of(without(system, line, count), 37)
    said = mismatch_cause(("ref.txt", "sys.txt"), *texts, (440, 440 - count))
    if line + count - 1 == 440:
        assert not said
    else:
        found = f"line {line} of ref.txt" if count == 1 else f"from about line {line} on, {count} lines of ref.txt"
        assert said.startswith(found)


def test_lines_too_long_to_be_compared_are_left_alone(monkeypatch):
    monkeypatch.setattr(lengths, "_BATCH_BYTES", 1000)
    reference, system = pair_of(100)
    texts = text_of(reference), text_of(without(system, 50))
    assert mismatch_cause(("ref.txt", "sys.txt"), *texts, (100, 99)) == ""


@pytest.mark.slow
def test_the_cause_takes_no_more_memory_than_the_score(command, write):
    write("ref.txt", "a\n" * 600_000 + "the end\n")
    write("sys.txt", "a\n" * 600_000)
    limited = 'ulimit -v 180000; exec "$@"'
    assert command("ref.txt", "-i", "ref.txt", "-q", shell=limited).status == 0
    said = refusal(command("ref.txt", "-i", "sys.txt", shell=limited))
    assert "ref.txt has 600001 segments but sys.txt has 600000 segments" in said


@pytest.mark.slow
def test_the_cause_takes_no_more_time_than_the_score(write, run):
    reference, system = pair_of(3000)
    write("ref.txt", lines(reference) * 50)
    write("sys.txt", lines(without(system * 50, 77_777)))
    write("short.txt", lines((reference * 50)[:-1]))
    start = process_time()
    assert run("short.txt", "-i", "sys.txt", "-q").status == 0
    scored = process_time()
    said = refusal(run("ref.txt", "-i", "sys.txt"))
    assert said.endswith("line 77777 of ref.txt seems to have no counterpart in sys.txt\n")
    assert process_time() - scored < 2 * (scored - start) + 1


def test_a_line_that_the_reference_lacks_is_named(cause, corpus):
    reference, system = corpus
    said = "line 100 of sys.txt seems to have no counterpart in ref.txt"
    assert cause(lines(system), lines(without(reference, 100))) == said


def test_a_doubled_line_is_named(cause, corpus):
    reference, system = corpus
    said = cause(lines(system[:60] + system[59:]), lines(reference))
    assert re.fullmatch("line 6[01] of sys.txt seems to have no counterpart in ref.txt", said)


@pytest.mark.parametrize(("first", "second"), [(50, 150), (75, 90), (25, 195), (1, 200)])
def test_lines_that_are_missing_at_two_places_are_not_named(cause, corpus, first, second):
    reference, system = corpus
    assert cause(lines(without(without(system, second), first)), lines(reference)) == ""


def test_two_lines_that_are_missing_at_one_place_are_named(cause, corpus):
    reference, system = corpus
    said = cause(lines(without(without(system, 100), 99)), lines(reference))
    assert said == "from about line 99 on, 2 lines of ref.txt seem to have no counterpart in sys.txt"


def test_lines_that_are_missing_a_few_lines_apart_are_not_named_exactly(cause, corpus):
    reference, system = corpus
    said = cause(lines(without(without(system, 103), 98)), lines(reference))
    found = re.fullmatch("from about line (.*) on, 2 lines of ref.txt seem to have no counterpart in sys.txt", said)
    assert 97 < int(found[1]) < 104


def test_lines_that_are_missing_at_the_end_need_no_other_cause(cause, corpus):
    reference, system = corpus
    assert cause(lines(system[:150]), lines(reference[:151])) == ""
    assert cause(lines(system[:150]), lines(reference)) == ""


def test_unrelated_texts_have_no_likely_cause(cause, corpus):
    reference, _ = corpus
    assert cause(lines(noise(random.Random(5), 150)), lines(reference[:151])) == ""
    assert cause(lines(noise(random.Random(5), 3)), lines(reference[:4])) == ""


@pytest.mark.parametrize("extra", [("-sl",), ("-q",), ("-J", "2"), ("-o", "score.txt"), ("-m", "ter", "chrf")])
def test_the_cause_is_given_in_every_mode(cause, folder, extra):
    assert cause("one\n", "one\n\n", *extra) == "the last line of ref.txt is empty"
    assert not (folder / "score.txt").exists()


def test_the_two_files_that_differ_most_are_compared(run, write):
    for name, content in (("r1", "a\nb\n"), ("r2", "a\nb\n\n"), ("s1", "a\nb\n"), ("s2", "a\nb\n")):
        write(name, content)
    assert refusal(run("r1", "r2", "-i", "s1", "s2")).endswith(f"{CAUSE}the last line of r2 is empty\n")
    assert refusal(run("r1", "-i", "s1", "s2", "r2")).endswith(f"{CAUSE}the last line of r2 is empty\n")


def test_the_cause_is_found_in_compressed_text(cause):
    assert cause(gzip.compress(b"one\rtwo\n"), gzip.compress(b"one\ntwo\n")).startswith("line 1 of sys.txt contains")


def test_the_cause_is_found_in_other_encodings(cause):
    texts = "é\n".encode("utf-16"), "é\n\n".encode("utf-16")
    assert cause(*texts, "-e", "utf-16") == "the last line of ref.txt is empty"


def test_the_cause_is_found_in_named_pipes(run, folder):
    contents = {"ref.pipe": b"one\n\n", "sys.pipe": b"one\n"}
    threads = [threading.Thread(target=write_pipe, args=item) for item in contents.items()]
    for name in contents:
        os.mkfifo(name)
    for thread in threads:
        thread.start()
    answer = run("ref.pipe", "-i", "sys.pipe")
    for thread in threads:
        thread.join()
    assert refusal(answer).endswith(f"{CAUSE}the last line of ref.pipe is empty\n")


def write_pipe(name, content):
    with open(name, "wb") as pipe:
        pipe.write(content)


def test_columns_with_another_number_of_lines_are_refused_without_a_cause(run, write):
    write("ref.txt", "one\ntwo\n\n")
    assert CAUSE not in refusal(run("ref.txt", stdin=b"one\tone\ntwo\ttwo\n"))
    write("ref.txt", "one\tone\ntwo\ttwo\n\t\n")
    assert CAUSE not in refusal(run("ref.txt", "-nr", "2", stdin=b"one\ntwo\n"))


def test_a_column_alone_is_plain_text(run, write):
    write("ref.txt", "one\ntwo\n\n")
    said = refusal(run("ref.txt", "-nr", "1", stdin=b"one\ntwo\n"))
    assert said.endswith(f"{CAUSE}the last line of ref.txt is empty\n")


def test_json_lines_of_another_number_are_refused_without_a_cause(run, write):
    write("ref.txt", "one\n\n")
    write("sys.jsonl", '{"hypothesis": "one"}\n')
    assert CAUSE not in refusal(run("ref.txt", "-i", "sys.jsonl"))


# --- reading again what was read


def read_again(**source):
    """Read a file to its end, then once more; return its lines, if they could be read again."""
    file = TextFile("a file", **source)
    for _ in file.blocks():
        pass
    again = file.again()
    return None if again is None else [line for block in again() for line in block]


@pytest.mark.parametrize("data", [b"one\ntwo \r\n", b"\xef\xbb\xbfone\ntwo", gzip.compress(b"one\ntwo\n", mtime=0)])
def test_files_and_streams_can_be_read_again(write, small_blocks, data):
    expected = ["\ufeffone" if data.startswith(b"\xef") else "one", "two"]
    assert read_again(path=write("ref.txt", data)) == expected
    assert read_again(stream=BytesIO(data)) == expected
    assert read_again(stream=BytesIO(data), columns=None) == expected
    assert read_again(stream=BytesIO(data), columns=1) == expected


def test_columns_are_not_read_again(write):
    assert read_again(path=write("ref.txt", "a\tb\n"), columns=2) is None
    assert read_again(stream=BytesIO(b"a\tb\n"), columns=None) is None


@pytest.mark.parametrize("size", [1, 63, 64, 65, 1000])
def test_only_the_part_of_a_stream_that_was_kept_is_read_again(write, monkeypatch, size):
    monkeypatch.setattr(reading, "_AGAIN_BYTES", 64)
    monkeypatch.setattr(reading, "_BLOCK_BYTES", 16)
    data = b"x" * (size - 1) + b"\n"
    assert read_again(stream=BytesIO(data)) == (["x" * (size - 1)] if size <= 64 else None)
    assert read_again(path=write("ref.txt", data)) == ["x" * (size - 1)]


@pytest.mark.parametrize("later", [None, "new\n", "one\ntwo\nthree\nfour\n"])
def test_a_file_that_has_changed_since_is_refused_without_a_cause(write, run, monkeypatch, later):
    write("ref.txt", "one\n\n")
    write("sys.txt", "one\n")

    def changed(file):
        if os.path.exists("ref.txt"):
            os.unlink("ref.txt")
        if later is not None:
            write("ref.txt", later)
        return again(file)

    again = TextFile.again
    monkeypatch.setattr(TextFile, "again", changed)
    assert CAUSE not in refusal(run("ref.txt", "-i", "sys.txt"))


def test_the_quick_check_for_scripts_without_spaces_overlooks_no_letter():
    letters = re.findall(marks._UNSPACED, "".join(map(chr, {*range(sys.maxunicode + 1)} - {*range(0xD800, 0xE000)})))
    assert len(letters) > 80_000
    assert not any(map(marks._are_all_spaced, letters))
    assert marks._are_all_spaced("Größe „so“ – ой")


@given(texts, st.integers(0, 3))
def test_letters_are_those_between_white_space_of_any_kind(text, cut):
    data = f"{text}{'é'.join(WHITE_SPACE)}東".encode()
    data = data[: len(data) - cut]
    segments = Segments(data, Segments.from_strings(["x" * len(data)]).bounds)
    assert marks._letters(segments) == "".join(data[:4096].decode("utf-8", "ignore").split())
