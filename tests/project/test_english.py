"""`scripts/check_english` finds every turn in its table, in any place, and the checkout has none."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys

import pytest

SCRIPT = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "scripts", "check_english"
)
CHECK = runpy.run_path(SCRIPT)
TURNS, find_turns = CHECK["TURNS"], CHECK["find_turns"]


@pytest.mark.parametrize(("pattern", "before", "after"), TURNS, ids=[before for _, before, _ in TURNS])
def test_a_turn_is_in_its_example_and_in_no_replacement(pattern, before, after):
    assert re.search(pattern, before)
    assert before in [found[2] for found in find_turns(before)]
    assert list(find_turns(after)) == []


# english: quoted
TURN = "acme.toml is no TOML"


@pytest.mark.parametrize(
    "text",
    [
        "acme.toml is\nno TOML",
        "    # acme.toml is\n    # no TOML",
        " * acme.toml is\n * no TOML",
        "// acme.toml is\n  // no TOML",
        'f"acme.toml is"\n    f" no TOML"',
        "'acme.toml is '\n    'no TOML'",
    ],
)
def test_a_turn_is_found_across_lines(text):
    assert [(line, before) for line, _, before, _ in find_turns(f"\n{text}\n")] == [(2, TURN)]


def test_names_of_tests_are_checked():
    text = "def test_acme_is_no_toml():"  # english: quoted
    assert [before for _, _, before, _ in find_turns(text)] == [TURN]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (f"# {TURN}  # english: quoted", 0),
        (f"<!-- english: quoted -->\n{TURN}", 0),
        (f"# english: quoted\n# something else\n# {TURN}", 1),
        (f"# {TURN}\n# english: quoted", 1),
    ],
)
def test_quotations_are_left_alone(text, count):
    assert len(list(find_turns(text))) == count


def test_a_turn_is_printed_with_its_place_and_a_replacement(tmp_path):
    (tmp_path / "clean.md").write_text("acme.toml is not valid TOML\n", encoding="utf-8")
    (tmp_path / "turns.md").write_text(f"\n{TURN}, and\nprints a line each\n", encoding="utf-8")  # english: quoted
    command = [sys.executable, SCRIPT, "clean.md", "turns.md"]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (answer.returncode, answer.stderr) == (1, "")
    assert [line.partition(" ")[0] for line in answer.stdout.splitlines()] == ["turns.md:2:", "turns.md:3:"]
    assert 'instead of "acme.toml is no TOML" write "acme.toml is not valid TOML"' in answer.stdout  # english: quoted


@pytest.mark.slow
def test_the_checkout_is_clean():
    paths = {os.path.relpath(path, os.path.dirname(os.path.dirname(SCRIPT))) for path in CHECK["checked_files"]()}
    assert paths > {"README.md", "bleucli/errors.py", "bleucli/kernels/native/grams.c", "scripts/test", ".ci/run"}
    answer = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True)
    assert (answer.stdout, answer.stderr, answer.returncode) == ("", "", 0)
