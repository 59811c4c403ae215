"""Hints about mistakes that are counted while texts are scored: each kind, seeded, and what is said of it."""

from __future__ import annotations

import ast
import html
import os
import random
import re
import unicodedata
import warnings

import evaluation_data
import pytest
from sentences_drawn import corpora

import bleucli
from bleucli.inspection import fit
from bleucli.inspection.marks import suspicions
from bleucli.text import Segments

DRAW = random.Random(7)
NOUNS = ["Hund", "Katze", "Gärten", "Straße", "Büro", "Mädchen", "Löffel", "Fenster", "Schlüssel", "Äpfel", "Übung"]
VERBS = ["sieht", "hört", "grüßt", "fängt", "trägt", "kauft", "überholt"]


def drawn_line(draw):
    words = [draw.choice(NOUNS) if at % 2 else draw.choice([*VERBS, "und", "die", "für", "schöne"]) for at in range(14)]
    return f'Der {draw.choice(NOUNS)}, "der", {" ".join(words)} & Co.'


REFERENCE = [drawn_line(DRAW) for _ in range(400)]
OUTPUT = [re.sub("schöne|die", "neue", line) for line in REFERENCE]
TITLES = {
    "lower-case": "only lower-case letters",
    "upper-case": "only capital letters",
    "tags": "tags (such as <seg>)",
    "special-tokens": "special tokens of a model (such as </s>)",
    "mojibake": "UTF-8 that was read in another encoding (such as Ã¤ for ä)",
    "form": "letters and accents as separate characters (Unicode NFD)",
    "replacement": "U+FFFD (which stands for characters that were lost)",
    "entities": "HTML entities (such as &quot;)",
    "quoting": "the quotation marks of a CSV file",
    "numbers": "a line number at the start",
    "empty": "no text",
    "repeated": "the text of an earlier line (while the other side differs)",
    "script": "letters of another script (Cyrillic instead of Latin)",
    "enclosed": "quotation marks around the whole line (but not around the other side's)",
    "preamble": "a language model's words before the translation",
    "runaway": "the same words over and over",
    "markdown": "Markdown (such as **bold**)",
    "full-width": "full-width letters and digits (half-width on the other side)",
}
WIDE = {code: code + 0xFEE0 for code in range(ord("A"), ord("Z") + 1)}
# Each damage, and the shares of the lines (one in n) in which it is found
DAMAGES = {
    "lower-case": (lambda line, at: line.lower(), (1,)),
    "upper-case": (lambda line, at: line.upper(), (1,)),
    "tags": (lambda line, at: f'<seg id="{at + 1}">{line}</seg>', (1, 10, 50)),
    "special-tokens": (lambda line, at: f"<pad> {line}</s>", (1, 10, 50)),
    "mojibake": (lambda line, at: line.encode().decode("latin-1"), (1, 10, 50)),
    "form": (lambda line, at: unicodedata.normalize("NFD", line), (1, 10, 50)),
    "replacement": (lambda line, at: re.sub("[^ -~]", "\ufffd", line), (1, 10, 50)),
    "entities": (lambda line, at: html.escape(line), (1, 10, 50)),
    "quoting": (lambda line, at: '"{}"'.format(line.replace('"', '""')), (1, 10)),
    "numbers": (lambda line, at: f"{at + 1}\t{line}", (1,)),
    "empty": (lambda line, at: "", (10, 50, 400)),
    "repeated": (lambda line, at: OUTPUT[0] if at % 4 else line, (1,)),
    "enclosed": (lambda line, at: f"“{line}”", (1,)),
    "preamble": (lambda line, at: f"Here is the translation: {line}", (1,)),
    "runaway": (lambda line, at: line + " und so weiter" * 60, (1, 10)),
    "markdown": (lambda line, at: line.replace("Der", "**Der**"), (1, 10, 50)),
    "full-width": (lambda line, at: line.translate(WIDE), (1, 10, 50)),
    "script": (lambda line, at: f"Собака {at} бачить кота, а кіт не бачить собаки.", (1,)),
}
# What an example of a kind shows
SHOWN = {
    "tags": "<seg",
    "special-tokens": "<pad>",
    "mojibake": "Ã",
    "form": "\u0308",
    "replacement": "\ufffd",
    "entities": "&quot;",
    "quoting": '"',
    "preamble": "Here is",
    "markdown": "**Der**",
    "full-width": "\uff24",
}
CASES = [
    pytest.param(kind, share, marks=[pytest.mark.slow] * (share not in (shares[0], shares[-1])))
    for kind, (_, shares) in DAMAGES.items()
    for share in shares
]


def damage(kind, share, texts=OUTPUT):
    change = DAMAGES[kind][0]
    return [line if at % share else change(line, at) for at, line in enumerate(texts)]


def hints_of(output, reference=REFERENCE, **options):
    """Return the hints of the library, those that say where to read on."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        bleucli.evaluate_systems({"ours": output}, [reference], bleucli.BLEU(**options))
    details = [one.message.detail for one in found]
    return [detail for detail in details if detail.endswith("bleucli.check_texts says more")]


@pytest.mark.parametrize(("kind", "share"), CASES)
def test_a_mistake_is_counted_and_named(kind, share):
    output = damage(kind, share)
    (hint,) = hints_of(output)
    findings = bleucli.check_texts({"ours": output}, [REFERENCE]).findings
    changed = [at for at, (ours, line) in enumerate(zip(output, OUTPUT, strict=True)) if ours != line]
    many, first = len(changed), changed[0]
    if kind not in ("script", "mojibake"):  # which `bleu check` calls another language, or leaves to ftfy
        finding = next(one for one in findings if one.kind == kind)
        if kind == "repeated":  # of the lines that were changed, those whose references differ
            many, first = finding.segments, finding.first
        assert (finding.segments, finding.first) == (many, first)
        assert f"; {finding.remedy}; " in hint
    has = "has" if many == 1 else "have"
    assert hint.startswith(f"{many} of 400 segments of ours {has} {TITLES[kind]}, first segment {first} ")
    if not output[first]:
        assert hint.startswith("; ", hint.index("(counting from 0)") + len("(counting from 0)"))
        return
    example = ast.literal_eval(hint[hint.index("(counting from 0) (") + 19 : hint.rindex("); ", 0, hint.rindex("; "))])
    part = example.removeprefix("…").removesuffix("…")
    assert part in output[first]
    assert len(example) == min(60, len(output[first]))
    assert SHOWN.get(kind, "") in part


def test_right_texts_have_no_hints_and_are_not_examined():
    assert hints_of(OUTPUT) == []
    assert suspicions(Segments.from_strings(OUTPUT), Segments.from_strings(REFERENCE)) == []


@pytest.mark.parametrize("kind", [kind for kind in DAMAGES if kind not in ("empty", "repeated")])
def test_what_the_references_have_as_well_is_not_a_mistake(kind):
    assert hints_of(damage(kind, 1), damage(kind, 1, REFERENCE)) == []


def test_empty_references_are_named_unless_they_count_as_missing():
    reference = ["" if at % 100 == 7 else line for at, line in enumerate(REFERENCE)]
    (hint,) = hints_of(OUTPUT, reference)
    assert hint.startswith(
        "4 of 400 segments of references[0] have no text, while the output has some, first segment 7 ("
    )
    assert "fill them, or set skip_empty_refs=True if they stand for missing references" in hint
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        metric = bleucli.BLEU(skip_empty_refs=True)
        bleucli.evaluate_systems({"ours": OUTPUT}, [reference, REFERENCE], metric)
    assert not any("have no text" in one.message.detail for one in found)
    both = ["" if at % 100 == 7 else line for at, line in enumerate(OUTPUT)]
    assert hints_of(both, reference) == []


@pytest.mark.parametrize("kind", DAMAGES)
def test_blocks_add_up(kind):
    output, lengths = damage(kind, 1 if kind != "empty" else 10), (1, 130, 400)
    whole = fit.observe(Segments.from_strings(output), [Segments.from_strings(REFERENCE)], 0)
    for length in lengths:
        total = None
        for start in range(0, 400, length):
            block = [Segments.from_strings(texts[start : start + length]) for texts in (output, REFERENCE)]
            part = fit.observe(block[0], [block[1]], start)
            total = part if total is None else total.join(part)
        assert total.segments == 400
        if length > 100 and kind != "repeated":
            assert total.signs[kind] == whole.signs[kind]


def test_the_command_names_lines_and_where_to_read_on(run, write):
    reference = write("ref.txt", "\n".join(REFERENCE) + "\n")
    system = write("sys.txt", "\n".join(damage("entities", 10)) + "\n")
    answer = run(reference, "-i", system, "-b")
    assert answer.status == 0
    text = " ".join(answer.err.split())
    assert "40 of 400 segments of sys.txt have HTML entities (such as &quot;), first line 1 (" in text
    assert text.endswith("; decode them, as html.unescape does; bleu check says more")


def test_files_that_seem_to_be_in_each_others_place_are_named(run, write):
    reference = write("ref.de.txt", "\n".join(REFERENCE) + "\n")
    system, other = write("sys.txt", "\n".join(OUTPUT) + "\n"), write("ref2.txt", "\n".join(OUTPUT) + "\n")
    words = "ref.de.txt is named like a reference, and sys.txt is not; are they in each other's place?"
    assert words in " ".join(run(system, "-i", reference, "-b").err.split())
    assert "each other" not in run(reference, "-i", system, "-b").err
    assert "each other" not in run(reference, "-i", other, "-b").err


@pytest.mark.slow
@pytest.mark.skipif(bool(evaluation_data.problem(evaluation_data.FOLDER)), reason="there are no evaluation data")
def test_few_real_systems_have_hints():
    """Those that do have what the hint says: ONLINE-B has entities, and Aya23 left out a segment."""
    hints = []
    for name, references, systems in corpora(evaluation_data.FOLDER):
        for system, texts in systems.items():
            sides = [Segments.from_strings(side) for side in (texts, references[0])]
            hints += [(name, system, kind) for kind in fit.observe(sides[0], sides[1:], 0).signs if kind != "repeated"]
    told = {(os.path.basename(name), system) for name, system, kind in hints if kind in ("entities", "empty")}
    assert {("wmt24.en-de", "ONLINE-B"), ("wmt24.en-de", "Aya23")} <= told


def test_words_that_run_away_may_end_with_punctuation():
    output = [line if at % 10 else line + " bitte." * 60 for at, line in enumerate(OUTPUT)]
    assert any("the same words over and over" in hint for hint in hints_of(output))
    findings = bleucli.check_texts({"ours": output}, [REFERENCE]).findings
    assert [finding.segments for finding in findings if finding.kind == "runaway"] == [len(output[::10])]
