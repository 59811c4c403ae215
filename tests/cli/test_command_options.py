"""The options of the command: those of sacreBLEU, abbreviations, and messages about options."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import bleucli
from bleucli import kernels
from bleucli.cli.arguments import parse
from bleucli.cli.parser import parser
from bleucli.errors import UsageError


@pytest.fixture
def pair(pair):
    """Leave out notes, which other tests check."""
    return ("-q", *pair)


# sacreBLEU 2.6.0's short options
SHORT_OPTIONS = (
    *("-t", "-l", "-ol", "-i", "-nr", "-e", "-m", "-sl", "-s", "-sv", "-tok", "-lc", "-cc", "-cw", "-ci", "-cin"),
    *("-par", "-pbs", "-parn", "-pbsn", "-j", "-q", "-sh", "-b", "-w", "-d", "-nc", "-f", "-h", "-V"),
)
# The long options that `sacrebleu --help` of 2.6.0 lists; their abbreviations take precedence over those of ours
SACREBLEU_OPTIONS = [
    "--help",
    "--citation",
    "--cite",
    "--list",
    "--test-set",
    "--language-pair",
    "--origlang",
    "--subset",
    "--download",
    "--echo",
    "--input",
    "--num-refs",
    "--encoding",
    "--metrics",
    "--sentence-level",
    "--version",
    "--smooth-method",
    "--smooth-value",
    "--tokenize",
    "--lowercase",
    "--force",
    "--chrf-char-order",
    "--chrf-word-order",
    "--chrf-beta",
    "--chrf-whitespace",
    "--chrf-lowercase",
    "--chrf-eps-smoothing",
    "--ter-case-sensitive",
    "--ter-asian-support",
    "--ter-no-punct",
    "--ter-normalized",
    "--confidence",
    "--confidence-n",
    "--paired-ar",
    "--paired-bs",
    "--paired-ar-n",
    "--paired-bs-n",
    "--paired-jobs",
    "--quiet",
    "--short",
    "--score-only",
    "--width",
    "--detail",
    "--no-color",
    "--format",
]
KNOWN = {name for action in parser()._actions for name in action.option_strings}
BUILT = [option for option in SACREBLEU_OPTIONS if option in KNOWN]


def values_for(option):
    """Return words that an option takes and that are not its default."""
    action = next(action for action in parser()._actions if option in action.option_strings)
    if action.nargs == 0:
        return []
    value = list(action.choices)[-1] if action.choices else {int: "7", float: "0.5"}.get(action.type, "latin-1")
    return [value, value] if action.nargs == "+" else [value]


def unique_abbreviations(option):
    """List the beginnings of an option of sacreBLEU that no other one shares, the shortest first."""
    beginnings = [option[:end] for end in range(len("--") + 1, len(option) + 1)]
    meant = {name: [other for other in SACREBLEU_OPTIONS if other.startswith(name)] for name in beginnings}
    return [name for name in beginnings if meant[name] == [option] or name == option]


@pytest.mark.parametrize("option", BUILT)
def test_unique_abbreviations_of_sacrebleus_options_keep_their_meaning(option):
    values = values_for(option)
    in_full = parse([option, *values])
    assert in_full != parse([])
    for abbreviation in unique_abbreviations(option):
        assert parse([abbreviation, *values]) == in_full
        if len(values) == 1:
            assert parse([f"{abbreviation}={values[0]}"]) == in_full


def test_the_shortest_abbreviations_are_those_of_sacrebleu():
    shortest = {option: unique_abbreviations(option)[0] for option in BUILT}
    assert shortest.items() >= {
        ("--help", "--h"),
        ("--input", "--i"),
        ("--num-refs", "--nu"),
        ("--encoding", "--en"),
        ("--metrics", "--m"),
        ("--sentence-level", "--se"),
        ("--version", "--v"),
        ("--smooth-method", "--smooth-m"),
        ("--smooth-value", "--smooth-v"),
        ("--tokenize", "--to"),
        ("--lowercase", "--lo"),
        ("--force", "--forc"),
        ("--quiet", "--q"),
        ("--short", "--sh"),
        ("--score-only", "--sc"),
        ("--width", "--w"),
        ("--format", "--form"),
    }


@pytest.mark.parametrize("option", BUILT)
def test_ambiguous_abbreviations_are_refused(option):
    first = len(unique_abbreviations(option)[0])
    ends = [end for end in range(len("--") + 1, first) if option[:end] not in KNOWN]
    for end in ends:
        with pytest.raises(UsageError, match=f"{option[:end]} could mean .*{option}"):
            parse([option[:end], *values_for(option)])


def test_the_list_of_sacrebleus_options_is_complete():
    pytest.importorskip("sacrebleu")
    done = subprocess.run([sys.executable, "-m", "sacrebleu", "--help"], capture_output=True, text=True)
    usages = [line.strip() for line in done.stdout.splitlines() if line.startswith("  -")]
    names = {word.strip(",") for line in usages for word in line.split("  ")[0].split() if word.startswith("-")}
    assert names == {*SACREBLEU_OPTIONS, *SHORT_OPTIONS}


def test_every_option_of_sacrebleu_exists():
    assert {*SACREBLEU_OPTIONS, *SHORT_OPTIONS} <= set(KNOWN)


def test_an_abbreviation_of_no_option_or_of_several_is_refused(run, pair):
    for word in ("--ori", "--su", "--d", "-n", "-to"):
        answer = run(*pair, word, "13a")
        assert (answer.status, answer.out) == (2, "")
        assert re.fullmatch(rf"bleu: error: .*(?<![\w/-]){word}.*\n", answer.err)


@pytest.mark.parametrize("word", ["-V", "--version"])
def test_version_names_the_live_kernels(run, word):
    assert run(word) == (0, f"bleu {bleucli.__version__} ({kernels.live} kernels)\n", "")


@pytest.mark.parametrize("word", ["python", "reference"])  # `reference` is their former name
def test_the_python_kernels_can_be_chosen(command, word):
    answer = command("-V", variables={"BLEU_KERNELS": word})
    assert answer == (0, f"bleu {bleucli.__version__} (python kernels)\n", "")


@pytest.mark.parametrize("extra", [(), ("-f", "text"), ("ref.txt",), ("-sl",), ("-w", "-1"), ("--fail-under", "46")])
def test_python_dash_m_bleucli_answers_as_the_function_does(run, command, pair, extra):
    assert command(*pair, *extra) == run(*pair, *extra)
