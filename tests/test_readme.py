"""The README, followed word by word in an empty directory: each console block prints what it says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parent.parent / "README.md"
TEXT = README.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
PROSE = re.sub(r"^```.*?^```\n", "", TEXT, flags=re.MULTILINE | re.DOTALL)
MOST_LINES = 6  # of a paragraph, each of at most 100 characters


def commands(block: str) -> list[tuple[str, str]]:
    """Return each command of a block with the output under it."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [tuple(part.split("\n", 1)) for part in parts]


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    """Run a command in one directory for all blocks, with `bleu` and `python` on the path."""
    folder = tmp_path_factory.mktemp("readme")
    tools = tmp_path_factory.mktemp("bin")
    for name, words in (("bleu", "-m bleucli"), ("python", "")):
        (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n', encoding="utf-8")
        (tools / name).chmod(0o755)
    root = str(README.parent)
    environment = os.environ | {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": root}

    def run(command: str) -> str:
        done = subprocess.run(
            command, shell=True, cwd=folder, env=environment, capture_output=True, encoding="utf-8", timeout=60
        )
        return done.stdout + done.stderr

    return run


def test_the_readme_has_blocks_to_run():
    assert len(BLOCKS) >= 4


@pytest.mark.skipif(os.name == "nt", reason="the README's commands are for a POSIX shell")
def test_every_console_block_prints_what_it_says(shell):
    for block in BLOCKS:
        for command, expected in commands(block):
            if command.startswith(("scripts/", "git ", "pip ")):
                continue  # these set up what runs the tests
            assert shell(command) == expected, command


def test_no_paragraph_is_long():
    parts = re.split(r"\n\n|\n(?=- )", PROSE)
    paragraphs = [part for part in parts if not part.startswith("|")]
    assert [part for part in paragraphs if len(part.strip().splitlines()) > MOST_LINES] == []
    assert [line for part in paragraphs for line in part.splitlines() if len(line) > 100] == []


def test_the_contents_name_every_section():
    sections = re.findall(r"^## (.*)$", PROSE, re.MULTILINE)
    anchors = [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in sections]
    contents = re.findall(r"^- \[(.*)\]\(#(.*)\)$", PROSE, re.MULTILINE)
    assert contents == list(zip(sections, anchors, strict=True))


def test_the_first_screen_goes_from_nothing_to_a_number():
    first = "\n".join(TEXT.splitlines()[:24])
    assert "pip install" in first
    assert re.search(r"^\$ cat sys.txt \| bleu ref.txt -b\n[\d.]+$", first, re.MULTILINE)


def test_tables_compare_with_what_they_say():
    against_oracle, _, others = PROSE.partition("## How fast")[2].partition("| what | that |")
    assert others
    assert "against" not in against_oracle.partition("| what |")[2]
