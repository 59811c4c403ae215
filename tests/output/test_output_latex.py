"""What `-f latex` prints, compiled by pdflatex. With BLEU_TEST_LATEX=1, tests fail if it is not installed."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import warnings

import pytest
from sample_results import BOOTSTRAP, HOSTILE, one, paired, ranked, record, results

import bleucli
from bleucli.output import documents, render
from bleucli.output.layout import Layout

DOCUMENT = "%s\n%s\\usepackage{booktabs}\n\\begin{document}\n%s\n\\end{document}\n"
NAMES = (
    *(HOSTILE, "*star*", "[bracket]", "a--b---c,,d", "?`!`''``\"quoted\"", "<a>|b|{c", "}", "\\", "%", "~^", "- -"),
    *(
        "系统.txt",
        "Ωmega",
        "e\u0301",
        "caf\xe9 na\xefve",
        "a\nb\tc",
        "\udcff",
        "$x_1^2$",
        "\\end{tabular}",
        "^^M",
        "^^41",
    ),
)


def need(program, package):
    """Skip the test if a program is missing; fail if the program is required."""
    if shutil.which(program) is None:
        if os.environ.get("BLEU_TEST_LATEX") == "1":
            pytest.fail(f"there is no {program}, and BLEU_TEST_LATEX=1 demands it")
        pytest.skip(f"there is no {program} (Debian and Ubuntu: apt install {package})")


@pytest.fixture
def pdflatex(tmp_path):
    """Compile a part of a document and return what pdflatex says."""
    need("pdflatex", "texlive-latex-recommended")

    def compile_(body, preamble="", kind="\\documentclass{article}"):
        source = tmp_path / "paper.tex"
        source.write_bytes((DOCUMENT % (kind, preamble, body)).encode("utf-8", "surrogateescape"))
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", source.name]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120)
        said = done.stdout.decode("utf-8", "replace")
        assert done.returncode == 0, said[-2000:]
        assert (tmp_path / "paper.pdf").stat().st_size > 0
        assert "Missing character" not in (tmp_path / "paper.log").read_text("utf-8", "replace")
        return said

    return compile_


def tables():
    """Give tables of all kinds, with names that LaTeX could stumble over."""
    hostile = (HOSTILE, "[b]*.txt", "*系--é.txt")
    styles = [Layout(style=style, sort=0, difference=True, caption=HOSTILE) for style in ("compact", "stars")]
    for layout in (Layout(), Layout(3, bold_best=True), *styles):
        yield render(one(record(58.64), record(28.88, "TER"), record(1.0, "chrF2++"), name=HOSTILE), layout, "latex")
        yield render(one(record(58.64, half_width=8.7), name=HOSTILE), layout, "latex")
        yield render(paired(hostile), layout, "latex")
        yield render(paired(hostile, half_width=None), layout, "latex")
        yield render(ranked(hostile), layout, "latex")


@pytest.mark.slow
@pytest.mark.parametrize(
    "preamble", ["", "\\usepackage[T1]{fontenc}\n", "\\usepackage[utf8]{inputenc}\n"], ids=["plain", "T1", "utf8"]
)
def test_tables_of_all_kinds_compile(pdflatex, preamble):
    pdflatex("\n".join(tables()), preamble)


@pytest.mark.slow
def test_tables_compile_inside_a_table_environment(pdflatex):
    bare = (table for table in tables() if not table.startswith(("\\begin{table}", "\\begin{table*}")))
    pdflatex("\n".join(f"\\begin{{table}}\\centering\n{table}\\caption{{x}}\n\\end{{table}}" for table in bare))


@pytest.mark.slow
@pytest.mark.parametrize("style", ["compact", "stars"])
def test_three_metrics_and_a_test_fit_into_a_column(pdflatex, style):
    def row(p_value):
        scores = ("BLEU", 38.41), ("chrF2", 64.62), ("TER", 49.93)
        return [record(score, name, 1.02, p_value=p_value, best=p_value is None) for name, score in scores]

    made = results({"Online-B": row(None), "JDExplore": row(0.01), "Online-W": row(0.04)}, test=BOOTSTRAP)
    layout = Layout(style=style, bold_best=True, caption="Scores.", label="tab:scores")
    column = "\\documentclass[twocolumn]{article}"
    table = render(made, layout, "latex")
    assert "Overfull" not in pdflatex(f"See Table~\\ref{{tab:scores}}.\n{table}", kind=column)
    full = render(made, layout._replace(style="full"), "latex")
    assert "Overfull" in pdflatex(f"Text.\n{full}", kind=column)


def many_pairs(pairs, systems, **options):
    """Return the table of some language pairs, tested by the bootstrap, as a file that LaTeX reads."""
    rng = random.Random(pairs)
    lines = [" ".join(rng.choices("abcdefgh", k=7)) for _ in range(12)]
    outputs = {
        name: [" ".join(word if rng.random() < 0.7 else "x" for word in line.split()) for line in lines]
        for name in systems
    }
    texts = {f"en-{code}": (outputs, [lines]) for code in LANGUAGES[:pairs]}
    with warnings.catch_warnings(action="ignore"):
        made = bleucli.score_matrix(texts, ["bleu", "chrf"], test="bs", trials=40, bold_best=True)
    return render(made, Layout(bold_best=True, **options), "latex")


LANGUAGES = ("de", "fr", "es", "it", "pt", "nl", "cs", "pl", "uk", "ru", "hr", "is")


@pytest.mark.slow
@pytest.mark.parametrize("style", ["full", "compact", "stars"])
@pytest.mark.parametrize("pairs", [2, 3, 12])
def test_tables_of_language_pairs_fit_the_page(pdflatex, pairs, style):
    table = many_pairs(
        pairs, ("Online-B", "JDExploreAcademy", "Lan-Bridge"), style=style, difference=True, caption="Scores."
    )
    page = "\\usepackage[textwidth=397pt,columnsep=17pt]{geometry}\n"  # NeurIPS has the narrowest
    assert "Overfull" not in pdflatex(f"Text.\n{table}", page)
    page = "\\usepackage[textwidth=455pt,columnsep=17pt]{geometry}\n"  # ACL
    assert "Overfull" not in pdflatex(f"Text.\n{table}", page, "\\documentclass[twocolumn]{article}")


def test_wide_tables_are_broken_between_pairs():
    table = many_pairs(12, ("A", "B"), style="compact", caption="Scores.")
    assert table.startswith("\\begin{table*}")
    assert "resizebox" not in table
    headers = re.findall(r"^ (?:BLEU|chrF2) .*&.*$", table, re.MULTILINE)
    assert [sum(f"en-{code} " in header for header in headers) for code in LANGUAGES] == [2] * 12
    assert 2 < len(headers) < 12
    columns = [header.count("&") for header in headers]
    assert max(columns) - min(columns) <= 2, "no part has only a few columns"
    bare = many_pairs(12, ("A", "B"), style="compact")
    assert "% Wider than a column: if the page has two, put it into table*.\n" in bare
    small = many_pairs(2, ("A", "B"), style="stars", caption="Scores.")
    assert small.startswith("\\begin{table}\n")
    assert len(re.findall(r"begin\{tabular\}", small)) == 2, "one for each metric"


@pytest.mark.slow
def test_any_name_compiles(pdflatex):
    generator = random.Random(20261121)  # the same names each time
    characters = [chr(code) for code in (*range(0x250), *range(0x2010, 0x2030), 0x20AC, 0x3B1, 0x7CFB, 0x1F600)]
    names = [*NAMES, *("".join(generator.choices(characters, k=12)) for _ in range(300))]
    pdflatex("\\newpage\n".join(render(one(name=name), Layout(), "latex") for name in names))


@pytest.mark.slow
@pytest.mark.parametrize("preamble", ["", "\\usepackage[T1]{fontenc}\n"], ids=["OT1", "T1"])
def test_every_letter_that_is_left_as_it_is_compiles(pdflatex, preamble):
    pdflatex("\n\n".join(sorted(documents._LETTERS)), preamble)


@pytest.mark.slow
def test_an_invalid_document_does_not_compile(pdflatex):
    with pytest.raises(AssertionError, match="Missing"):
        pdflatex("a_b")


@pytest.mark.slow
def test_a_name_is_printed_as_it_is(pdflatex, tmp_path):
    need("pdftotext", "poppler-utils")
    pdflatex(render(one(name=HOSTILE + "[x]--*é"), Layout(), "latex"), "\\usepackage[T1]{fontenc}\n")
    shown = subprocess.run(["pdftotext", tmp_path / "paper.pdf", "-"], capture_output=True, check=True).stdout.decode()
    assert re.sub(r"\s", "", HOSTILE + "[x]--*é") in re.sub(r"\s", "", shown)
