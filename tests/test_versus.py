"""--versus-sacrebleu runs both commands, and --sacrebleu-path says where the package of that name is."""

import os
import re
from importlib import metadata

import pytest

from bleucli.alias import folder
from bleucli.cli import versus

TABLE = r"""
       sacreBLEU 2\.6\.0  bleu \S+
BLEU +(\S+) +\1
chrF2 +(\S+) +\2
time +\S+ s +\S+ s  \S+ times

2 scores, compared with 9 decimals: all equal
"""


def test_the_folder_is_printed(run):
    assert run("--sacrebleu-path") == (0, f"{folder()}\n", "")
    assert os.path.isfile(os.path.join(folder(), "sacrebleu", "__init__.py"))


def test_numbers_and_times_are_side_by_side(run, pair):
    answer = run(*pair, "-m", "bleu", "chrf", "--versus-sacrebleu")
    assert (answer.status, answer.err) == (0, "")
    assert re.fullmatch(TABLE[1:], answer.out)


def test_both_commands_read_stdin(run, pair):
    reference, _, system = pair
    with open(system, "rb") as file:
        answer = run(reference, "--versus", stdin=file.read())
    assert "1 score, compared with 9 decimals: all equal" in answer.out


def test_equal_segments_are_counted(run, pair):
    answer = run(*pair, "-sl", "-m", "chrf", "--versus-sacrebleu")
    assert "line 1" not in answer.out
    assert "2 scores, compared with 9 decimals: all equal" in answer.out


def test_p_values_of_several_systems_are_compared(run, pair, write):
    write("other.txt", "a cat\nhello world\n")
    answer = run(*pair, "other.txt", "-par", "-parn", "20", "--versus-sacrebleu")
    assert re.search(r"^other\.txt BLEU p +(\S+) +\1$", answer.out, re.MULTILINE)
    assert "3 scores" in answer.out


def test_a_difference_is_shown_and_makes_the_check_fail(run, pair, monkeypatch):
    def found(module, words, stdin, by_segment):
        return versus.Run({"BLEU": 1.0 if module == "sacrebleu" else 2.0}, 1.0)

    monkeypatch.setattr(versus, "_run", found)
    answer = run(*pair, "--versus-sacrebleu")
    assert answer.status == 1
    assert re.search(r"^BLEU +1 +2  differs$", answer.out, re.MULTILINE)
    assert "1 score, compared with 9 decimals: 1 differ" in answer.out


@pytest.mark.parametrize("found", ["", "2.6.0+bleucli.0.2.0"])
def test_without_sacrebleu_the_error_says_what_to_install(run, pair, monkeypatch, found):
    def version(name):
        if not found:
            raise metadata.PackageNotFoundError(name)
        return found

    monkeypatch.setattr(metadata, "version", version)
    answer = run(*pair, "--versus-sacrebleu")
    assert (answer.status, answer.out) == (2, "")
    assert "needs sacreBLEU beside bleucli" in answer.err
    assert "pip install sacrebleu==2.6.0" in answer.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("-b",), "--versus-sacrebleu prints its own table; leave out one of the two"),
        (("--self-bleu",), "--self-bleu has no effect: not used by --versus-sacrebleu"),
        (("-m", "chrf++"), "sacreBLEU refuses this"),
    ],
)
def test_combinations_that_cannot_be_compared_are_refused(run, pair, words, told):
    answer = run(*pair, "--versus-sacrebleu", *words)
    assert answer.status == 2
    assert told in answer.err
