"""The README and the pages of docs/, followed word by word: console blocks print what they show; links have targets."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from doctest import ELLIPSIS, OutputChecker
from pathlib import Path

import pytest
from strategies import every

CHECKOUT = Path(__file__).resolve().parent.parent.parent
README = CHECKOUT / "README.md"
DOCS = sorted((CHECKOUT / "docs").glob("*.md"))
PAGES = {str(path.relative_to(CHECKOUT)): path.read_text(encoding="utf-8") for path in [README, *DOCS]}
MOST_LINES = 250  # of the README
MOST_LINES_OF_A_PARAGRAPH = 6
PREPARE = ("scripts/", "pip ")  # commands that set up the environment, which the tests already have
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
of_each_page = pytest.mark.parametrize("page", PAGES)

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the commands are for a POSIX shell")


def commands(page: str) -> list[tuple[str, str]]:
    """Return each command of a page's console blocks with the output under it."""
    blocks = [text for kind, text in BLOCK.findall(PAGES[page]) if kind == "console"]
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [tuple(part.split("\n", 1)) for part in parts]


def prose(page: str) -> str:
    return BLOCK.sub("", PAGES[page])


def anchors(page: str) -> list[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles]


@pytest.fixture(scope="module")
def follow(tmp_path_factory):
    """Run a page's commands in a folder, with `bleu` and `python` on the path, and check what they print."""
    tools = tmp_path_factory.mktemp("bin")
    for name, words in (("bleu", "-m bleucli"), ("python", "")):
        (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n', encoding="utf-8")
        (tools / name).chmod(0o755)
    environment = os.environ | {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(CHECKOUT)}

    def follow(page, folder):
        for command, expected in commands(page):
            if not command.startswith(PREPARE):
                done = subprocess.run(
                    command, shell=True, cwd=folder, env=environment, capture_output=True, encoding="utf-8", timeout=60
                )
                found = done.stdout + done.stderr
                assert OutputChecker().check_output(expected, found, ELLIPSIS), f"$ {command}\n{found}"
        return folder

    return follow


@pytest.fixture(scope="module")
def folder_of_the_readme(follow, tmp_path_factory):
    """Return an empty folder in which the README was followed."""
    return follow("README.md", tmp_path_factory.mktemp("readme"))


@pytest.mark.parametrize("page", every(len(PAGES), sorted(PAGES, key=lambda page: page != "README.md")))
def test_every_console_block_prints_what_it_says(page, folder_of_the_readme, follow, tmp_path):
    if page != "README.md":  # the other pages continue from the README
        follow(page, shutil.copytree(folder_of_the_readme, tmp_path, dirs_exist_ok=True))


def test_there_are_blocks_to_run():
    assert sum(len(commands(page)) for page in PAGES) > 40


@of_each_page
def test_every_link_leads_somewhere(page):
    for path, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", prose(page)):
        target = (CHECKOUT / page).parent / path if path else CHECKOUT / page
        assert target.resolve().is_file(), path
        if anchor:
            assert anchor in anchors(str(target.resolve().relative_to(CHECKOUT)))


def test_the_readme_leads_to_every_page():
    linked = set(re.findall(r"\]\((docs/[\w.-]*)\)", PAGES["README.md"].partition("## Read on")[2]))
    assert linked == PAGES.keys() - {"README.md"}


@of_each_page
def test_contents_name_every_section(page):
    sections = re.findall(r"^## (.*)$", prose(page), re.MULTILINE)
    contents = re.findall(r"^- \[(.*)\]\(#.*\)$", prose(page), re.MULTILINE)
    assert contents in ([], sections)


@of_each_page
def test_no_paragraph_is_long(page):
    parts = [part.strip() for part in re.split(r"\n\n|\n(?=- )", prose(page))]
    paragraphs = [part for part in parts if not part.startswith("|")]
    assert [part for part in paragraphs if len(part.splitlines()) > MOST_LINES_OF_A_PARAGRAPH] == []
    assert [line for part in paragraphs for line in part.splitlines() if len(line) > 120] == []


def test_the_files_for_many_language_pairs_are_those_of_their_page():
    examples = [text for kind, text in BLOCK.findall(PAGES["README.md"]) if kind == "toml"]
    of_page = [text for kind, text in BLOCK.findall(PAGES["docs/matrix.md"]) if kind == "toml"]
    assert of_page == [*examples, examples[-1].replace("22", "23")]


def test_the_readme_is_short():
    assert len(PAGES["README.md"].splitlines()) <= MOST_LINES


def test_the_first_screen_goes_from_nothing_to_a_number():
    first = "\n".join(PAGES["README.md"].splitlines()[:24])
    assert "pip install" in first
    assert re.search(r"^\$ cat sys.txt \| bleu ref.txt -b\n[\d.]+$", first, re.MULTILINE)


def test_tables_compare_with_the_programs_that_they_name():
    against_oracle, _, others = PAGES["docs/speed.md"].partition("| what | compared with |")
    assert others
    assert "against" not in against_oracle.partition("| what |")[2]
