"""docs/api.md has every public name and says what the docstrings say. Its examples run with those of other pages."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import bleucli

CHECKOUT = Path(__file__).resolve().parent.parent.parent
PAGE = (CHECKOUT / "docs" / "api.md").read_text(encoding="utf-8")
SECTIONS = [
    "Scoring",
    "Metrics",
    "Comparing",
    "Explanations",
    "Checks",
    "Published scores",
    "Segments",
    "Statistics",
    "Test sets",
]
SECTIONS += ["Errors and warnings"]
ENTRIES = {part.partition("\n")[0].strip("#` "): part for part in re.split(r"^(?=###+ )", PAGE, flags=re.MULTILINE)[1:]}


def test_the_page_agrees_with_the_docstrings():
    done = subprocess.run(
        [sys.executable, CHECKOUT / "scripts" / "api_page", "--check"],
        env=os.environ | {"COLUMNS": "80"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_contents_come_first_and_name_every_section():
    contents = re.findall(r"^- \[(.*)\]\(#(.*)\)$", PAGE.partition("\n## ")[0], re.MULTILINE)
    assert [title for title, _ in contents] == SECTIONS == re.findall(r"^## (.*)$", PAGE, re.MULTILINE)


def test_every_public_name_has_one_entry():
    headings = re.findall(r"^### `bleucli\.(\w+)`$", PAGE, re.MULTILINE)
    assert sorted(headings) == sorted(bleucli.__all__), "put new names into OUTLINE of scripts/api_page"


def test_an_entry_has_a_signature_a_docstring_and_an_example():
    for name in set(bleucli.__all__) - {"__version__"}:
        entry, value = ENTRIES[f"bleucli.{name}"], getattr(bleucli, name)
        assert inspect.getdoc(value).partition("\n")[0].split(" ")[0] in entry, name
        assert "\n>>> " in entry, name
        if inspect.isfunction(value):
            assert f"```python\n{name}(" in entry, name
            assert "\nRaises:\n" in entry, name
            if inspect.signature(value).parameters:
                assert "\nArguments:\n" in entry, name


def test_an_example_runs_alone():
    """The example of each entry imports what it uses."""
    for name, entry in ENTRIES.items():
        for example in re.findall(r"```python\n(>>> .*?)\n```", entry, re.DOTALL):
            code = "\n".join(line[4:] for line in example.splitlines() if line.startswith((">>> ", "... ")))
            first = code.partition("\n")[0]
            assert first.startswith(("from ", "import ", "raise ")), (name, first)
