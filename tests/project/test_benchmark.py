"""scripts/benchmark: it measures the rows that the pages show, and writes their figures there."""

from __future__ import annotations

import os
import runpy
import shutil
import sys

import pytest
from conftest import ROOT
from evaluation_data import FOLDER, german, problem

pytestmark = pytest.mark.skipif(not hasattr(os, "posix_spawn"), reason="the system has no posix_spawn")


@pytest.fixture(scope="module")
def benchmark():
    """Return what scripts/benchmark defines."""
    path = list(sys.path)
    try:
        return runpy.run_path(os.path.join(ROOT, "scripts", "benchmark"))
    finally:
        sys.path[:] = path


def rows_of(path):
    """Return the cells of each row of a page's tables, by title."""
    with open(path, encoding="utf-8") as file:
        rows = [line.strip("| \n").split(" | ") for line in file if line.startswith("| ")]
    return {title: cells for title, *cells in rows}


@pytest.mark.skipif(bool(problem(FOLDER)) or not german(FOLDER).startswith("wmt17"), reason="needs WMT17")
def test_the_page_has_the_rows_that_are_measured(benchmark):
    assert {row.what for row in benchmark["rows"](FOLDER, "")} == benchmark["titles"](benchmark["SPEED"])


def test_the_readme_has_figures_of_the_page(benchmark):
    speed, readme = rows_of(benchmark["SPEED"]), rows_of(benchmark["README"])
    both = [title for title in benchmark["titles"](benchmark["README"]) if title in speed]
    assert len(both) >= 4
    assert [readme[title] for title in both] == [speed[title][:3] for title in both]


def test_figures_are_written_below_their_titles(benchmark, write):
    page = write(
        "page.md", "| what | a |\n| --- | --- |\n| x | 1 |\n| y | 2 |\n\n<!-- measured -->\nonce\n<!-- /measured -->\n"
    )
    benchmark["write_figures"](page, {"x": ["x", "3", "4"], "z": ["z", "5", "6"]}, "today\n")
    with open(page, encoding="utf-8") as file:
        text = file.read()
    assert text == "| what | a |\n| --- | --- |\n| x | 3 |\n| y | 2 |\n\n<!-- measured -->\ntoday\n<!-- /measured -->\n"


def test_the_table_of_calls_is_replaced_without_its_rows_being_titles(benchmark, write):
    page = write("page.md", "| x | 1 |\n<!-- calls -->\n| `old` | 1 |\n<!-- /calls -->\n| y | 2 |\n")
    benchmark["write_calls"](page, ["| call |", "| `new` |"])
    with open(page, encoding="utf-8") as file:
        text = file.read()
    assert text == "| x | 1 |\n<!-- calls -->\n\n| call |\n| `new` |\n\n<!-- /calls -->\n| y | 2 |\n"
    assert benchmark["titles"](page) == {"x", "y"}


def test_calls_are_timed_with_both_packages_and_as_sacrebleu(benchmark, write):
    texts = {name: (write("hyp.txt", "a b\n" * 50), write("ref.txt", "a c\n" * 50)) for name in ("here", "wmt22.en-zh")}
    times = list(benchmark["benchmark_calls"].compare(texts, "here", sys.executable, ["raw_corpus_bleu"]))
    assert [segments for _, segments, _ in times] == [1, 5, 50]
    assert all(0 < time < 1e6 for _, _, of_three in times for time in of_three)


def test_the_page_has_the_calls_that_are_timed(benchmark):
    with open(benchmark["SPEED"], encoding="utf-8") as file:
        table = file.read().partition(benchmark["CALLS_START"])[2].partition(benchmark["CALLS_END"])[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| `")]
    titles = [
        (f"`{call.title}`", str(segments))
        for call in benchmark["benchmark_calls"].calls("")
        for segments in call.segments
    ]
    assert [(title, segments) for title, segments, *_ in rows] == titles
    assert all(float(ratio) >= 1 for _, _, _, _, *ratios in rows for ratio in ratios)


def test_peak_memory_is_that_of_the_command_only(benchmark):
    ballast = bytearray(1) * 200_000_000
    found = benchmark["run"](["python", "-c", "pass"], os.path.dirname(sys.executable), "auto")
    assert 1 < found.megabytes < 100
    assert found.seconds > 0
    assert len(ballast) == 200_000_000


def test_a_command_that_fails_ends_the_run(benchmark):
    with pytest.raises(SystemExit, match="ended with status 3"):
        benchmark["run"](["python", "-c", "raise SystemExit(3)"], os.path.dirname(sys.executable), "auto")


def test_the_installed_package_is_measured(benchmark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bleucli.py").write_text("raise SystemExit(4)")
    benchmark["run"](["python", "-c", "import bleucli"], os.path.dirname(sys.executable), "auto")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
def test_instructions_are_those_of_the_command(benchmark):
    tools = os.path.dirname(sys.executable)
    count = benchmark["count_instructions"]
    bare, more = (count(["python", "-c", code], tools) for code in ("pass", "for _ in range(10 ** 6): pass"))
    assert 10**7 < bare < 2 * 10**8
    assert 10**7 < more - bare < 10**9
