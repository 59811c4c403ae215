"""The README, followed word by word in an empty directory: each console block prints what it says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parent.parent / "README.md"
BLOCKS = re.findall(r"^```console\n(.*?)^```", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


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
