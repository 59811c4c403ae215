"""scripts/compare_commands: it respells lines, and finds whatever two packages do differently."""

from __future__ import annotations

import doctest
import os
import runpy
import shlex
import sys

import pytest
from conftest import ROOT

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")

# A package whose command prints, warns, fails and writes. A word of the line makes it do something else where it FAILS.
PACKAGE = """
import json
import os
import sys

FAILS = {fails}


def main():
    words = sys.argv[1:]
    fault = words[0] if FAILS else ""
    print("score", 12.35 if fault == "number" else 12.345, os.environ.get("NOTE", ""), sys.stdin.read())
    print(sys.stdout.isatty())
    if fault != "warning":
        text = "is" if fault == "message" else "looks"
        sys.stderr.write(f"bleu: warning: the text {{text}} tokenized\\n")
    if "-o" in words:
        with open(words[-1], "w") as file:
            file.write(json.dumps(["bleu", *words]) + "!" * (fault == "file"))
    return 3 if fault == "status" else 2
"""
FAULTS = ("number", "warning", "message", "status")
LINES = (
    *(f"bleu {fault}" for fault in FAULTS),
    *("bleu file -o out", "bleu file -o sys.txt", "bleu none -o out", "bleu none -o sys.txt", "bleu none"),
    *("bleu none < marks.short", "NOTE=here bleu none", "bleu none > /dev/tty", "bleu number > /dev/tty"),
)


@pytest.fixture(scope="module")
def script():
    """Return what scripts/compare_commands defines."""
    path = list(sys.path)
    sys.path.insert(0, os.path.join(ROOT, "scripts"))
    try:
        return runpy.run_path(os.path.join(ROOT, "scripts", "compare_commands"))
    finally:
        sys.path[:] = path


@pytest.mark.slow
def test_every_fault_is_found(script, tmp_path, monkeypatch):
    for name in ("base", "tree"):
        os.makedirs(tmp_path / name / "bleucli")
        (tmp_path / name / "bleucli" / "__init__.py").touch()
        (tmp_path / name / "bleucli" / "__main__.py").write_text(PACKAGE.format(fails=name == "tree"))
    monkeypatch.setattr(script["command_runner"], "LIBRARIES", ())
    monkeypatch.setattr(script["command_lines"], "FIRST", ["bleu none -o made"])
    monkeypatch.setitem(script["compare"].__globals__, "CHECKOUT", str(tmp_path / "tree"))
    kinds = dict.fromkeys(LINES, "all")
    cases = script["compare"](str(tmp_path / "base"), kinds, lambda words: [words], 2, str(tmp_path))
    by_line = dict(zip(("first", *LINES), cases, strict=True))
    judgments = {line: script["judge"](case) for line, case in by_line.items()}
    assert judgments == {line: "equal" if "none" in line or line == "first" else "different" for line in by_line}
    # What the package did got through
    warning = b"bleu: warning: the text looks tokenized\n"
    plain = by_line["bleu none"].base
    assert plain == script["Answer"](2, b"score 12.345  \nFalse\n", warning, {})
    assert by_line["bleu none < marks.short"].base.out == b"score 12.345  1\n2\n\nFalse\n"
    assert by_line["NOTE=here bleu none"].base.out == b"score 12.345 here \nFalse\n"
    shown = by_line["bleu none > /dev/tty"].base
    assert (sorted(shown.out.splitlines()), shown.err) == ([b"True", warning.strip(), b"score 12.345  "], b"")
    assert [list(by_line[line].base.files) for line in ("first", "bleu file -o out", "bleu file -o sys.txt")] == [
        *(["made"], ["out"], ["sys.txt"])
    ]


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("ref -i a -b", ["ref -i a -b"]),
        ("ref -i a --explain --line 2 -m ter", ["explain ref -i a --line 2 -m ter"]),
        ("--matrix m.toml -f csv", ["matrix m.toml -f csv"]),
        ("--self-bleu -i a b --groups g -w 3", ["diversity a b --groups g -w 3"]),
        ("--self-bleu", ["diversity"]),
        ("--serve 0 -q", ["serve 0 -q"]),
        ("ref -i a --versus-sacrebleu", ["versus-sacrebleu ref -i a"]),
        (
            "ref -i a b -w 3 --report p --add-scores c=x,y d=z -f csv",
            ["ref -i a b -w 3 -f csv", "report ref -i a b --scores c=x,y d=z -o p"],
        ),
        (
            "ref -i a -par --plot p --plot-kind k --plot-width 3in",
            ["ref -i a -par", "plot ref -i a -par --kind k --width 3in -o p"],
        ),
        (
            "ref -i a -m ter bleu --plot p",
            ["ref -i a -m ter bleu", "plot ref -i a -m ter -o p"],
        ),
        (
            "-t t -l l --origlang o -i a --save-stats p",
            ["-t t -l l --origlang o -i a", "count -t t -l l -i a -o p"],
        ),
        (
            "--stats a --by x -m bleu --save-stats p",
            ["--stats a --by x -m bleu", "count --stats a -o p"],
        ),
        (
            "ref -i a -ci -m ter --save-stats p --first-line 3",
            ["ref -i a -ci -m ter", "count ref -i a -m ter --first-line 3 -o p"],
        ),
        (
            "--stats a b --save-sums s --save-stats p",
            ["--stats a b", "count --stats a b -o p", "count --sums --stats a b -o s"],
        ),
        ("ref -i a --line 2", ["ref -i a --line 2"]),
    ],
)
def test_lines_are_spelled_with_commands(script, line, commands):
    assert [shlex.join(words) for words in script["respell"](line.split())] == commands


def test_commands_that_take_the_place_of_one_line_do_the_same_together(script):
    answer = script["Answer"]
    scores, page = answer(0, b"1\n", b"a\nb\n", {"out": b"1"}), answer(1, b"verdict\n", b"a\nc\n", {"page": b"2"})
    assert script["combine"]([scores, page]) == answer(1, b"1\n", b"a\nb\nc\n", {"out": b"1", "page": b"2"})


def test_the_table_counts_every_line(script):
    line, answer = script["Line"](["-b"]), script["Answer"](0, b"1\n", b"", {})
    other = answer._replace(out=b"2\n", files={"out": b"3"})
    cases = [script["Case"](kind, line, [line], answer, tree) for kind, tree in (("a", answer), ("b", other))]
    judgments = list(map(script["judge"], cases))
    assert judgments == ["equal", "different"]
    _, *rows = script["summarize"](cases, judgments)
    assert [row.split() for row in rows] == [
        ["a", *"11000100"],
        ["b", *"11000001"],
        ["all", *"22000101"],
    ]
    assert list(script["diff"](cases[1])) == [
        *("--- bleu -b", "+++ bleu -b", "stdout:", "@@ -1 +1 @@", "-1", "+2"),
        *("out:", "@@ -1 +1 @@", "-not written", "+3"),
    ]


@pytest.mark.parametrize(
    ("words", "before", "after", "reasons"),
    [
        (
            "-m wer -par --paired-all -f jsonl",
            '{"score": 5.5, "baseline": true, "cluster": 1, "parts": 0}',
            '{"score": 5.5, "baseline": false, "hits": null, "cluster": 2, "rank": {"first": 1}, "parts": 0}',
            [
                *("-f jsonl has keys for edits", "a test of all pairs gives ranks"),
                *("a test of all pairs has no baseline", "corrected p-values are those of Romano & Wolf (2005)"),
            ],
        ),
        (
            "--paired-all -f csv",
            "system,baseline,BLEU\na b,true,5.5\n",
            "system,BLEU,BLEU rank first,BLEU p vs a\na b,5.5,1,\n",
            [
                *("a test of all pairs gives ranks", "a test of all pairs has no baseline"),
                "csv has the p-values of all pairs",
            ],
        ),
        (
            "-par -f text",
            "a 5.5\n---\nPaired test\n---\nold\n\n---\nMetric signatures\n---\nx\n",
            "a 5.5\n-----\nPaired test, 1 trial\n-----\nnew\n\n---\nMetric signatures\n---\nx\n",
            ["a test is explained in our own words"],
        ),
        ("-f rst", "a  5.5\n\n\n\nb", "a  5.5\n\nb", ["tables in reStructuredText are one line apart"]),
        (
            "--matrix m -f text",
            "│ a │ 5.5 (5.0 ± 1.0) │ 6.5 │",
            "│ a │ 5.5 (5.0 ± 1.0) │ 6.5 (6.0 ± 1.0) │",
            ["averages are resampled, too"],
        ),
        (
            "--plot p",
            '<svg ><text x="1">a</text><text x="1">5.5</text>',
            '<svg ><text x="2">a</text><text x="2">5.5 (1–2)</text>',
            ["figures of scores show ranks"],
        ),
    ],
)
def test_a_change_explains_what_it_changed_and_no_other_number(script, words, before, after, reasons):
    line = script["Line"](words.split())

    def judge(after):
        base, tree = (script["Answer"](0, text.encode(), b"", {}) for text in (before, after))
        return script["judge"](script["Case"]("", line, [line], base, tree))

    assert judge(after) == script["AND"].join(reasons)
    assert judge(after.replace("5.5", "5.6")) == "different"
    assert judge(before.replace(" ", "  ")) == "different"


def test_the_lines_are_always_the_same_and_of_all_kinds(script):
    lines = script["command_lines"].lines(1)
    assert lines == script["command_lines"].lines(1)
    assert len(lines) > 3000
    assert all(script["parse"](line).words is not None for line in lines)
    assert {"two options", "formats", "mistakes", "mixtures", "test sets"} <= set(lines.values())


def test_the_examples_of_the_script_are_true(script):
    names = ("values_of", "respell", "parse")
    examples = [test for name in names for test in doctest.DocTestFinder().find(script[name], name, globs=dict(script))]
    assert len([test for test in examples if test.examples]) == len(names)
    assert doctest.testmod(script["command_lines"]).failed == 0
    for example in examples:
        assert doctest.DocTestRunner().run(example).failed == 0
