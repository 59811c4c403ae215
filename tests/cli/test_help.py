"""How the command documents itself: the first screen, every option, the manual page, and completion in shells."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest

from bleucli.cli.commands import MODULES
from bleucli.cli.parser import parser


def options_of(command=""):
    """Return all options of a command; "": those of scoring."""
    return {flag for action in parser(command)._actions for flag in action.option_strings}


OPTIONS = options_of()
SHARE = {
    "manual": "share/man/man1/bleu.1",
    "bash": "share/bash-completion/completions/bleu",
    "zsh": "share/zsh/site-functions/_bleu",
}


@pytest.fixture
def eighty_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("word", ["-h", "--help"])
def test_help_fits_80_columns_and_48_lines(run, eighty_columns, word):
    answer = run(word)
    lines = answer.out.splitlines()
    assert (answer.status, answer.err) == (0, "")
    assert lines[0].startswith("usage: bleu REF... ")
    assert len(lines) <= 48
    assert max(map(len, lines)) < 80
    assert len(re.findall(r"^  --", answer.out, re.MULTILINE)) == 10
    assert answer.out.count("\n  cat sys.txt | bleu ref.txt") == 1
    assert "bleu --help all" in answer.out
    assert "1 a gate or check failed, no setting gives a number, or\nsacreBLEU's numbers differ, 2 wrong" in answer.out


def test_the_examples_of_help_name_options_that_exist(run):
    examples = run("-h").out.partition("examples:")[2].partition("Exit status")[0]
    words = {word for word in examples.split() if word.startswith("-")}
    assert {"-i", "-m", "--paired-ar", "-t", "-l", "-f"} <= words
    assert words <= OPTIONS | options_of("explain")


@pytest.mark.parametrize("command", MODULES)
def test_the_help_of_a_command_is_one_screen_and_lists_only_what_it_takes(run, eighty_columns, command):
    answer = run(command, "--help")
    lines = answer.out.splitlines()
    assert (answer.status, answer.err) == (0, "")
    assert lines[0].startswith(f"usage: bleu {command} ")
    assert len(lines) <= 40
    assert max(map(len, lines)) < 80
    assert f"\nmore: bleu {command} --help all\n" in answer.out
    whole = run(command, "--help", "all").out
    assert max(map(len, whole.splitlines())) < 80
    flags = {flag for row in re.findall(r"(?m)^  (-[\w-]+(?:, -[\w-]+)*)", whole) for flag in row.split(", ")}
    assert flags == options_of(command)


def test_help_lists_the_commands(run, eighty_columns):
    page = run("--help").out
    for command in MODULES:
        assert f"\n  bleu {command} " in page


@pytest.mark.parametrize("word", ["-h", "--help"])
def test_help_all_names_every_option_in_groups(run, eighty_columns, word):
    answer = run(word, "all")
    assert (answer.status, answer.err) == (0, "")
    assert set(re.findall(r"(?<![\w-])-[\w-]+", answer.out)) >= OPTIONS
    assert max(map(len, answer.out.splitlines())) < 80
    assert not re.search(r"\w-$", answer.out, re.MULTILINE), "the name of an option is broken"
    for group in ("what to score:", "how to score:", "BLEU:", "what to print:"):
        assert f"\n{group}\n" in answer.out


def test_help_needs_no_files_and_wins_over_wrong_ones(run):
    assert run("nofile", "-w", "-1", "-h").status == 0


# --- what is made when the package is built


@pytest.fixture(scope="module")
def pages(root, tmp_path_factory):
    """Return the paths of the pages, as a build makes them."""
    pytest.importorskip("shtab")
    pytest.importorskip("argparse_manpage")
    folder = tmp_path_factory.mktemp("build")
    words = [sys.executable, "setup.py", "-q", "build_pages", "--build-base", str(folder)]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {name: folder / path for name, path in SHARE.items()}


def test_the_pages_name_every_option(pages):
    for page in pages.values():
        text = re.sub(r"\\f[BIR]", " ", page.read_text(encoding="utf-8")).replace("\\-", "-")
        names = set(re.findall(r"(?<![\w-])-[\w-]+", text))
        assert names >= OPTIONS.union(*map(options_of, MODULES)) - {"--help", "-h"}, page


def test_the_manual_says_what_each_command_takes(pages):
    text = re.sub(r"\\f[BIR]", " ", pages["manual"].read_text(encoding="utf-8")).replace("\\-", "-")
    sections = dict(re.findall(r"(?ms)^\.SS bleu ([\w-]+)\n(.*?)(?=^\.S[SH]|\Z)", text))
    assert list(sections) == list(MODULES)
    for command, section in sections.items():
        long = {flag for flag in options_of(command) if flag.startswith("--")} - {"--citation"}
        named = set(re.findall(r"(?<![\w-])--[\w-]+", section))
        assert long <= named, command
        assert named <= OPTIONS | options_of(command), command


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
def test_the_manual_is_formatted_without_a_warning(pages):
    words = ["groff", "-man", "-Tutf8", "-ww", "-P-c", str(pages["manual"])]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "REF... [-i SYSTEM...] [options]" in done.stdout


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
def test_bash_completes_options_metrics_and_formats(pages):
    script = """
. "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_shtab_bleu 2>/dev/null; printf '%s\\n' "${COMPREPLY[@]}"
"""

    def complete(*words):
        done = subprocess.run(
            ["bash", "-c", script, "bash", str(pages["bash"]), "bleu", *words],
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.split()

    assert complete("--paired-a") == ["--paired-ar", "--paired-ar-n", "--paired-all"]
    assert complete("-m", "") == ["bleu", "chrf", "chrf+", "chrf++", "ter", "wer", "cer"]
    assert complete("-f", "la") == ["latex"]
    assert complete("--wid") == ["--width"]
    assert complete("-o", f"{pages['bash']}"[:-1]) == [str(pages["bash"])]
    assert complete("repo") == ["report"]
    assert complete("ref.txt", "repo") == complete("report", "repo") == []  # only the first word is a command
    assert complete("report", "--sco") == ["--scores"]
    assert complete("report", "--fo") == ["--force"]
    assert complete("versus-sacrebleu", "--pai") == [f"--paired-{end}" for end in ("bs", "ar", "bs-n", "ar-n", "jobs")]
    assert complete("plot", "--kind", "") == ["forest", "pairs", "lengths", "segments"]
    assert complete("ref.txt", "report", "--bold") == ["--bold-best"]


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_reads_the_completion(pages):
    subprocess.run(["zsh", "-n", str(pages["zsh"])], check=True, env=os.environ | {"ZDOTDIR": "/nonexistent"})


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_completes_commands_and_their_options(pages):
    script = """
_arguments() { print -rl -- ${@[3,-1]} }
_describe() { print -rl -- ${(P)2} }
compdef() { }
page=$1; shift; words=(bleu "$@"); CURRENT=$(( $# + 1 )); . $page
"""

    def complete(*words):
        environment = os.environ | {"ZDOTDIR": "/nonexistent"}
        done = subprocess.run(
            ["zsh", "-f", "-c", script, "zsh", str(pages["zsh"]), *words],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        return set(re.findall(r"^(-[\w-]+|[\w-]+(?=:))", done.stdout, re.MULTILINE))

    first = complete("")
    assert set(MODULES) <= first
    assert first >= OPTIONS - {"--help", "-h", "--version", "-V"}
    for command in MODULES:
        options = complete(command, "")
        assert options >= options_of(command) - {"--help", "-h"}, command
        assert not options & (OPTIONS - options_of(command)), command
    assert complete("ref.txt", "") >= OPTIONS - {"--help", "-h", "--version", "-V"}
