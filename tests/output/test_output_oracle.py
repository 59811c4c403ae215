"""What several systems and intervals look like: byte for byte as the oracle prints them, except for versions.

Our records are made from other output of the oracle: scores and intervals, with twelve decimals, from its JSON of
each system alone; p-values from its text, with the four decimals that it prints.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from functools import lru_cache

import pytest
from oracles import DEMO, oracle_command, without_version
from strategies import every

from bleucli.output import render
from bleucli.output.layout import Layout
from bleucli.results import Interval, Results, ScoreRecord, SystemResult
from bleucli.results import Test as PairedTest
from bleucli.results.signature import Signature

SEGMENTS = 20
SYSTEMS = ("strong.txt", "weak.txt", "near.txt")
METRICS = ("-m", "bleu", "chrf", "ter")
TESTS = {
    "none": (),
    "bootstrap": ("--paired-bs", "--paired-bs-n", "100"),
    "randomization": ("--paired-ar", "--paired-ar-n", "100"),
}
RECORDS = {"none": None, "bootstrap": PairedTest("bs", 100), "randomization": PairedTest("ar", 100)}
INTERVAL = ("-ci", "-cin", "100")
MORE_WIDTHS = pytest.param(Layout(0), marks=pytest.mark.slow)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Make a folder with a reference, two systems, and one that differs from the first in two segments."""
    folder = tmp_path_factory.mktemp("corpus")
    for name, origin in (("ref.txt", "reference.A"), ("strong.txt", "strong"), ("weak.txt", "weak")):
        with open(os.path.join(DEMO, f"{origin}.de.txt"), encoding="utf-8") as file:
            (folder / name).write_text("".join(file.readlines()[:SEGMENTS]), encoding="utf-8")
    lines = (folder / "strong.txt").read_text(encoding="utf-8").splitlines()
    lines[2], lines[6] = lines[2].split()[0] + " anders", lines[6].replace("die", "das")
    (folder / "near.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(folder)


@lru_cache(maxsize=64)
def oracle(folder, *words):
    """Return what the oracle prints, versions left out."""
    run = oracle_command(("ref.txt", *words), folder)
    assert run.returncode == 0, f"sacrebleu ref.txt {' '.join(words)} failed"
    return without_version(run.stdout.decode())


def scores_of(folder, system, words, resampled):
    """Return a system's records, with intervals or without, from the oracle's JSON."""
    confidence = INTERVAL if resampled else ()
    found = json.loads(oracle(folder, "-i", system, *words, *confidence, "-w", "12", "-f", "json"))
    return [record_of(score, resampled) for score in (found if isinstance(found, list) else [found])]


def record_of(found, resampled):
    interval = Interval(found["confidence_mean"], found["confidence_var"]) if resampled else None
    signature = Signature.parse(found["signature"])
    return ScoreRecord(
        found["name"], found["score"], found.get("verbose_score", ""), signature, found["name"] != "TER", interval
    )


def p_values_of(text):
    """Return the p-values in a table, row by row."""
    return [float(value) for value in re.findall(r"\(p = ([0-9.]+)\)", text)]


def signed(records, text):
    """Give records the signatures that are printed below the table."""
    signatures = dict(re.findall(r"^ - (\S+) +(\S+:\S*)$", text, re.MULTILINE))
    return [record._replace(signature=Signature.parse(signatures[record.name])) for record in records]


@lru_cache(maxsize=64)
def results_of(folder, test, words=METRICS):
    """Return the oracle's scores of three systems, as our results."""
    text = oracle(folder, "-i", *SYSTEMS, *words, *TESTS[test], "-f", "text")
    p_values = iter(p_values_of(text))
    systems = []
    for index, name in enumerate(SYSTEMS):
        records = signed(scores_of(folder, name, words, test == "bootstrap"), text)
        if test != "none" and index > 0:
            records = [record._replace(p_value=next(p_values)) for record in records]
        systems.append(SystemResult(name, records))
    assert next(p_values, None) is None
    return Results(systems, SEGMENTS, [], RECORDS[test])


# --- one system


@pytest.mark.parametrize("layout", [Layout(3), Layout(short=True), MORE_WIDTHS])
@pytest.mark.parametrize("words", every(2, [METRICS, ("-m", "bleu")]), ids=["three", "one metric"])
@pytest.mark.parametrize("name", ["text", "json"])
def test_one_system_with_an_interval_looks_like_the_oracles(corpus, layout, words, name):
    made = Results([SystemResult("strong.txt", scores_of(corpus, "strong.txt", words, True))], SEGMENTS, [])
    short = ("-sh",) if layout.short else ()
    theirs = oracle(corpus, "-i", "strong.txt", *words, *INTERVAL, "-w", str(layout.width), *short, "-f", name)
    assert without_version(render(made, layout, name)) == theirs


@pytest.mark.parametrize("words", [("-m", "bleu"), METRICS], ids=["one metric", "three"])
@pytest.mark.parametrize("name", ["text", "json"])
def test_a_bare_score_with_an_interval_looks_like_the_oracles(corpus, words, name):
    made = Results([SystemResult("strong.txt", scores_of(corpus, "strong.txt", words, True))], SEGMENTS, [])
    theirs = oracle(corpus, "-i", "strong.txt", *words, *INTERVAL, "-b", "-f", name)
    ours = render(made, Layout(score_only=True), name)
    if words is METRICS and name == "json":
        assert ours.replace('"', "") == theirs, "ours is JSON"
        assert json.loads(ours)[0] == "58.6 (μ = 58.5 ± 9.1)"
    else:
        assert ours == theirs


# --- several systems


@pytest.mark.parametrize("layout", [pytest.param(Layout(), marks=pytest.mark.slow), Layout(3, short=True), MORE_WIDTHS])
@pytest.mark.parametrize("test", TESTS)
def test_several_systems_look_like_the_oracles(corpus, test, layout):
    short = ("-sh",) if layout.short else ()
    words = ("-i", *SYSTEMS, *METRICS, *TESTS[test], "-w", str(layout.width), *short, "-f", "text")
    assert without_version(render(results_of(corpus, test), layout, "text")) == oracle(corpus, *words)


@pytest.mark.parametrize("test", ["bootstrap", "randomization"])
def test_the_explanation_of_a_test_is_in_other_words(corpus, test):
    """It had been taken over word for word, even "highlighted in red" where nothing is."""

    def runs(text):
        """Return every run of five words under the table."""
        words = re.findall(r"[a-z]+", text.partition("\n---")[2].partition("Metric signatures")[0].lower())
        return {tuple(words[at : at + 5]) for at in range(len(words) - 4)}

    words = ("ref.txt", "-i", *SYSTEMS, *METRICS, *TESTS[test], "-f", "text")
    theirs = runs(oracle_command(words, corpus).stdout.decode())
    ours = render(results_of(corpus, test), Layout(), "text")
    assert theirs
    assert not runs(ours) & theirs
    assert "highlighted" not in ours


def test_some_p_values_are_significant_and_some_are_not(corpus):
    p_values = [record.p_value for system in results_of(corpus, "bootstrap").systems for record in system.scores]
    assert {p is not None and p <= 0.05 for p in p_values[3:]} == {True, False}


def test_score_only_changes_nothing_for_several_systems(corpus):
    theirs = oracle(corpus, "-i", *SYSTEMS, *METRICS, "-b", "-f", "text")
    assert without_version(render(results_of(corpus, "none"), Layout(score_only=True), "text")) == theirs


@pytest.mark.parametrize("test", TESTS)
def test_the_table_of_latex_is_the_oracles_with_arrows_and_the_rest_are_comments(corpus, test):
    theirs = oracle(corpus, "-i", *SYSTEMS, *METRICS, *TESTS[test], "-f", "latex")
    theirs, _, _ = theirs.partition("\n\n")
    ours = without_version(render(results_of(corpus, test), Layout(), "latex"))
    table, _, comments = ours.partition("\n%\n")
    assert "\\footnote{" in comments.partition("% To paste into the text")[2]
    assert re.findall(r"(\w+) \$\\(\w+)arrow\$", table) == [("BLEU", "up"), ("chrF2", "up"), ("TER", "down")]
    without_arrows = re.sub(r" \$\\\w+arrow\$", "", table)
    assert unpadded(without_arrows) == unpadded(theirs).replace("±", r"$\pm$").replace("μ", r"$\mu$")
    assert "highlighted" not in comments
    assert "p < 0.05" not in comments


def unpadded(table):
    return re.sub(" +", " ", table)


@pytest.mark.parametrize("test", ["bootstrap", "randomization"])
def test_tested_systems_have_the_oracles_keys_and_numbers_in_json(corpus, test):
    bleu = ("-m", "bleu")  # the oracle fails for other metrics
    theirs = json.loads(oracle(corpus, "-i", *SYSTEMS, *bleu, *TESTS[test], "-f", "json"))
    ours = json.loads(render(results_of(corpus, test, bleu), Layout(), "json"))
    for system, expected in zip(ours, theirs, strict=True):
        assert system["system"] == expected["system"]
        for key, value in expected["BLEU"].items():
            assert system["BLEU"][key] == pytest.approx(value, abs=0.00005)
        assert [key for key in system["BLEU"] if key in expected["BLEU"]] == list(expected["BLEU"])


def test_only_the_line_of_an_identical_system_differs(corpus):
    shutil.copy(os.path.join(corpus, "strong.txt"), os.path.join(corpus, "same.txt"))
    theirs = oracle(corpus, "-i", "strong.txt", "same.txt", "-m", "bleu", *TESTS["bootstrap"], "-f", "text")
    baseline = signed(scores_of(corpus, "strong.txt", ("-m", "bleu"), True), theirs)
    same = [record._replace(p_value=1.0, identical=True) for record in baseline]
    systems = [SystemResult("strong.txt", baseline), SystemResult("same.txt", same)]
    ours = without_version(render(Results(systems, SEGMENTS, [], RECORDS["bootstrap"]), Layout(), "text"))
    assert "(p = 0.0099)* " in theirs
    assert ours.replace(" (identical)  ", "(p = 0.0099)* ") == theirs


# --- colours

_ON_A_TERMINAL = """
import os, pty, sys
pid, terminal = pty.fork()
if not pid:
    os.execv(sys.executable, [sys.executable, "-m", "sacrebleu", *sys.argv[1:]])
with os.fdopen(terminal, "rb") as stream:
    out = b""
    try:
        while piece := stream.read1(65536):
            out += piece
    except OSError: # Linux: the other end has closed
        pass
sys.stdout.buffer.write(out.replace(b"\\r\\n", b"\\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def on_a_terminal(folder, *words):
    """Return what the oracle prints on a terminal: without its messages, the last reset, and versions."""
    variables = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    variables |= {"TERM": "xterm", "PYTHONUTF8": "1"}
    command = [sys.executable, "-c", _ON_A_TERMINAL, "ref.txt", "-q", *words]
    run = subprocess.run(command, cwd=folder, env=variables, capture_output=True, timeout=600, check=True)
    lines = run.stdout.decode().removesuffix("\x1b[0m").splitlines(keepends=True)
    return without_version("".join(line for line in lines if not line.startswith("sacreBLEU:")))


@pytest.mark.skipif(os.name != "posix", reason="there are no pseudo-terminals")
@pytest.mark.parametrize("test", TESTS)
def test_several_systems_have_the_oracles_colours(corpus, test):
    theirs = on_a_terminal(corpus, "-i", *SYSTEMS, *METRICS, *TESTS[test], "-f", "text")
    assert "\x1b[36m" in theirs
    assert without_version(render(results_of(corpus, test), Layout(colour=True), "text")) == theirs


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="there are no pseudo-terminals")
@pytest.mark.parametrize("words", [(), ("-b",)], ids=["line", "score alone"])
def test_an_interval_has_the_oracles_colours(corpus, words):
    theirs = on_a_terminal(corpus, "-i", "strong.txt", *METRICS, *INTERVAL, *words, "-f", "text")
    made = Results([SystemResult("strong.txt", scores_of(corpus, "strong.txt", METRICS, True))], SEGMENTS, [])
    ours = render(made, Layout(colour=True, score_only=bool(words)), "text")
    assert ours.count("\x1b[36m") == 3
    assert without_version(ours) == theirs
