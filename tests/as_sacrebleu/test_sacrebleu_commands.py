"""Command lines with sacreBLEU's options, run by both commands: they print the same, except for what is named here.

Differences that the documentation names: the version in signatures; the note that p-values are nominal; LaTeX, which is
a table for papers here; the object of a score in JSON of several systems; `test:` and `lang:` in signatures of
test sets; `-sl -f json`, for which sacreBLEU prints text; and what only one of the two refuses.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil

import pytest
from oracles import DEMO, oracle_command, outputs
from set_world import OURS_ALONE
from strategies import every

SEGMENTS = 12
# One system: ref.txt or others, in a folder with the files that `corpus` makes
ONE_SYSTEM = """
ref.txt -i a.txt
ref.txt -i a.txt -b
ref.txt -i a.txt -b -w 3
ref.txt -i a.txt -w 0
ref.txt -i a.txt -f text
ref.txt -i a.txt -f json
ref.txt -i a.txt -f text -sh
ref.txt -i a.txt -f json -sh -w 4
ref.txt -i a.txt --format text --short --width 2
ref.txt -i a.txt -lc -f text
ref.txt -i a.txt --lowercase -f json
ref.txt -i a.txt -lc -m bleu chrf -f text
ref.txt -i a.txt -tok none -f text
ref.txt -i a.txt -tok 13a -f text
ref.txt -i a.txt -tok intl -f text
ref.txt -i a.txt -tok zh -f text
ref.txt -i a.txt -tok char -f text
ref.txt -i a.txt --tokenize intl -lc -f json
ref.txt -i a.txt -l en-de -f text
ref.txt -i a.txt -l en-zh -f text
ref.txt -i a.txt --language-pair de-en -tok none -f json
ref.txt -i a.txt -s exp -f text
ref.txt -i a.txt -s floor -f text
ref.txt -i a.txt -s floor -sv 0.01 -f text
ref.txt -i a.txt -s add-k -f text
ref.txt -i a.txt -s add-k -sv 2 -f json
ref.txt -i a.txt -s none -f text
ref.txt -i a.txt --smooth-method floor --smooth-value 0.5 -tok char -f text
ref.txt -i a.txt --force -f text
ref.txt -i a.txt -q -f text
ref.txt -i a.txt --quiet -f json
ref.txt -i a.txt -m bleu
ref.txt -i a.txt -m chrf
ref.txt -i a.txt -m ter
ref.txt -i a.txt -m bleu chrf ter
ref.txt -i a.txt -m bleu chrf ter -f text
ref.txt -i a.txt -m ter chrf bleu -f text -sh
ref.txt -i a.txt -m bleu chrf -b
ref.txt -i a.txt -m chrf ter -b -w 4 -f text
ref.txt -i a.txt --metrics chrf bleu -f json -w 3
ref.txt -i a.txt -m chrf -cc 4 -f text
ref.txt -i a.txt -m chrf -cw 2 -f text
ref.txt -i a.txt -m chrf --chrf-word-order 1 --chrf-char-order 3 -f json
ref.txt -i a.txt -m chrf --chrf-beta 1 -f text
ref.txt -i a.txt -m chrf --chrf-beta 3 -cw 2 -f text
ref.txt -i a.txt -m chrf --chrf-whitespace -f text
ref.txt -i a.txt -m chrf --chrf-lowercase -f text
ref.txt -i a.txt -m chrf --chrf-eps-smoothing -f text
ref.txt -i a.txt -m chrf --chrf-eps-smoothing --chrf-whitespace -cw 2 -f json
ref.txt -i a.txt -m ter --ter-case-sensitive -f text
ref.txt -i a.txt -m ter --ter-no-punct -f text
ref.txt -i a.txt -m ter --ter-normalized -f text
ref.txt -i a.txt -m ter --ter-normalized --ter-asian-support -f text
ref.txt -i a.txt -m ter --ter-asian-support --ter-no-punct -f json
ref.txt -i a.txt -m ter --ter-normalized --ter-no-punct --ter-case-sensitive -f text
ref.txt -i a.txt -sl
ref.txt -i a.txt -sl -b
ref.txt -i a.txt -sl -f text -w 3
ref.txt -i a.txt -sl -m chrf
ref.txt -i a.txt -sl -m ter -b
ref.txt -i a.txt -sl -s floor -sv 0.1 -tok intl
ref.txt -i a.txt -sl -sh
ref.txt -i a.txt --sentence-level -m chrf -cw 2
ref.txt -i a.txt -sl -m ter --ter-normalized -w 2
ref.txt ref2.txt -i a.txt -sl -m chrf -b
ref.txt ref2.txt -i a.txt
ref.txt ref2.txt -i a.txt -f text -m bleu chrf ter
tabs.txt -nr 2 -i a.txt -f text
tabs.txt --num-refs 2 -i a.txt -m chrf -f json
ref.txt -i a.txt -ci -cin 50
ref.txt -i a.txt -ci -cin 50 -f text -m bleu chrf ter
ref.txt -i a.txt -ci -cin 50 -b
ref.txt -i a.txt --confidence --confidence-n 20 -m chrf -b -w 3 -f text
latin.ref -i latin.txt -e latin-1 -f text
latin.ref -i latin.txt --encoding latin-1 -m chrf -sl
ref.txt.gz -i a.txt.gz -f text
"""
ON_STDIN = """
ref.txt
ref.txt -b
ref.txt -f text -m bleu chrf ter
ref.txt -sl -m chrf
ref.txt ref2.txt -lc -f text
tabs.txt -nr 2 -sl -b
"""
SEVERAL_SYSTEMS = """
ref.txt -i a.txt b.txt -f text
ref.txt -i a.txt b.txt c.txt -m bleu chrf ter -f text
ref.txt -i a.txt b.txt -f text -sh -w 3
ref.txt -i a.txt b.txt -m chrf -cw 2 -f text -w 0
ref.txt ref2.txt -i a.txt b.txt -lc -f text
ref.txt -i a.txt b.txt -pbs -pbsn 50 -f text
ref.txt -i a.txt b.txt c.txt --paired-bs --paired-bs-n 20 -m bleu ter -f text -sh
ref.txt -i a.txt b.txt -par -parn 50 -f text
ref.txt -i a.txt b.txt c.txt --paired-ar --paired-ar-n 20 -m bleu chrf ter -f text -w 3
ref.txt -i a.txt b.txt -par -parn 20 -j 2 -f text
ref.txt -i a.txt b.txt -q -f text
"""
# For several systems, our JSON has another form than sacreBLEU's, but contains everything that is in it
IN_JSON = """
ref.txt -i a.txt b.txt
ref.txt -i a.txt b.txt -m chrf ter -w 3
ref.txt -i a.txt b.txt -m bleu -pbs -pbsn 20
ref.txt -i a.txt b.txt -m bleu -par -parn 20
"""
# Commands that need no download
OF_TEST_SETS = """
--list -t wmt17
--list -t wmt20
--list -l en-de
--list -l zh-en
--list
"""
REFUSED_BY_BOTH = """
ref.txt -i a.txt -sl -m bleu chrf ter
ref.txt ref2.txt -i a.txt -sl -m bleu ter
ref.txt -i short.txt
ref.txt -i a.txt -m none
ref.txt -i a.txt -tok none-such
ref.txt -i missing.txt
-t wmt17 -i a.txt
"""


def lines_of(text):
    return text.strip().splitlines()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Make the files that the command lines name."""
    folder = tmp_path_factory.mktemp("corpus")
    texts = {}
    for name, origin in (("ref", "reference.A"), ("ref2", "reference.B"), ("a", "strong"), ("b", "weak")):
        with open(os.path.join(DEMO, f"{origin}.de.txt"), encoding="utf-8") as file:
            texts[name] = file.read().splitlines()[:SEGMENTS]
        (folder / f"{name}.txt").write_text("\n".join(texts[name]) + "\n", encoding="utf-8")
    texts["c"] = [*texts["a"][:4], *texts["b"][4:]]
    (folder / "c.txt").write_text("\n".join(texts["c"]) + "\n", encoding="utf-8")
    (folder / "short.txt").write_text("one\n", encoding="utf-8")
    (folder / "tabs.txt").write_text(
        "".join(f"{one}\t{other}\n" for one, other in zip(texts["ref"], texts["ref2"], strict=True)), encoding="utf-8"
    )
    (folder / "latin.ref").write_bytes("\n".join(texts["ref"]).encode("latin-1", "replace") + b"\n")
    (folder / "latin.txt").write_bytes("\n".join(texts["a"]).encode("latin-1", "replace") + b"\n")
    for name in ("ref.txt", "a.txt"):
        with gzip.open(folder / f"{name}.gz", "wb") as file:
            file.write((folder / name).read_bytes())
    return folder


@pytest.fixture
def texts(corpus, folder):
    """Put the files where the commands run."""
    for name in os.listdir(corpus):
        shutil.copy(corpus / name, name)


def test_there_are_many_command_lines():
    lists = (ONE_SYSTEM, ON_STDIN, SEVERAL_SYSTEMS, IN_JSON, OF_TEST_SETS, REFUSED_BY_BOTH)
    assert len({line for text in lists for line in lines_of(text)}) >= 90


@pytest.mark.parametrize("line", every(3, [*lines_of(ONE_SYSTEM), *lines_of(SEVERAL_SYSTEMS)]))
def test_both_commands_print_the_same(run, texts, line):
    ours, theirs = outputs(run, line)
    assert ours == theirs


@pytest.mark.parametrize("line", lines_of(ON_STDIN))
def test_both_commands_print_the_same_for_stdin(run, texts, corpus, line):
    ours, theirs = outputs(run, line, (corpus / "a.txt").read_bytes())
    assert ours == theirs


@pytest.mark.parametrize("line", lines_of(IN_JSON))
def test_json_of_several_systems_has_all_that_sacrebleus_has(run, texts, line):
    ours, theirs = (json.loads(text) for text in outputs(run, line))
    assert [row["system"] for row in ours] == [row["system"] for row in theirs]
    for row, other in zip(ours, theirs, strict=True):
        for name, value in other.items():
            if name == "system":
                continue
            if isinstance(value, dict):
                assert {key: row[name][key] for key in ("p_value",)} == {"p_value": value["p_value"]}
                assert row[name]["score"] == value["score"]
            else:
                shown = row[name].get("confidence") or ""
                assert float(value.split()[0]) == row[name]["score"]
                assert value.partition("(")[2].rstrip(")") == shown


def first_words(text):
    """Return the first word of each line of a list."""
    return [line.split()[0].rstrip(":") for line in text.splitlines() if line[:1].islower()]


@pytest.mark.parametrize("line", lines_of(OF_TEST_SETS))
def test_both_commands_list_the_same_but_for_sets_of_ours(run, texts, line):
    ours, theirs = run(*line.split()), oracle_command(line.split(), os.getcwd())
    assert ours.status == theirs.returncode == 0
    told = first_words(theirs.stdout.decode())
    assert len(told) > 1
    assert sorted(set(first_words(ours.out)) - OURS_ALONE) == sorted(told)


@pytest.mark.parametrize("line", lines_of(REFUSED_BY_BOTH))
def test_both_commands_refuse_the_same_lines(run, texts, line):
    ours, theirs = run(*line.split()), oracle_command(line.split(), os.getcwd())
    assert (ours.status, ours.out) == (2, "")
    assert theirs.returncode != 0
