"""What differs between formats: order, escapes, bold, colours. test_output_oracle.py compares with sacreBLEU."""

from __future__ import annotations

import csv
import io
import json
import re

import pandas
import pytest
from sample_results import HOSTILE, paired, ranked, record, results
from sample_results import one as one_system

from bleucli.output import FORMATS, documents, notes, paper, render
from bleucli.output.layout import Layout
from bleucli.prose.markup import visible

TABLES = ("latex", "markdown", "html", "rst", "csv", "tsv")
FULL, BOLD = Layout(), Layout(bold_best=True)


def lines_with(part, text):
    return [line for line in text.splitlines() if part in line]


# --- all formats


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("make", [one_system, paired, ranked])
def test_every_format_names_every_system_with_its_score(name, make):
    made = make()
    out = render(made, Layout(2), name)
    for system in made.systems:
        shown = system.name if len(made.systems) > 1 or name in (*TABLES, "junit", "paper") else system.scores[0].name
        escaped = {shown, documents.escape_rst(shown), paper.escape_markdown(shown)} | (
            {shown.lower()} if name == "card" else set()
        )
        assert any(word in out for word in escaped)
        assert f"{system.scores[0].score:.2f}".rstrip("0").rstrip(".") in out
    assert out.endswith("\n")
    assert not out.endswith("\n\n")


@pytest.mark.parametrize("name", FORMATS)
def test_no_format_but_text_is_coloured(name):
    assert ("\x1b[" in render(paired(), Layout(colour=True, bold_best=True), name)) == (name == "text")


@pytest.mark.parametrize("name", FORMATS)
def test_a_bare_score_is_a_number_in_every_format(name):
    assert render(one_system(), Layout(3, score_only=True), name) == "58.640\n"


@pytest.mark.parametrize("name", FORMATS)
def test_score_only_is_ignored_for_several_systems(name):
    assert render(paired(), Layout(score_only=True), name) == render(paired(), Layout(), name)


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_can_show_what_its_record_says(name):
    form, several = FORMATS[name], results({"weak": [record(11.35)], "strong": [record(58.6437, best=True)]})

    def matters(made=several, before=FULL, **asked):
        return render(made, before._replace(**asked), name) != render(made, before, name)

    for colour in (False, True):
        assert matters(before=Layout(colour=colour), bold_best=True) == form.shows_bold(colour)
    assert matters(caption="Scores") == form.captions
    assert matters(paired(), style="compact") == form.styles
    assert matters(sort=0) == form.sorts
    assert matters(short=True) == form.shortens
    assert matters(scale=1) == form.rescales
    assert matters(width=3) == form.rounds
    assert matters(paired(), width=3) == form.rounds_tests
    assert ("sys" in render(one_system(), Layout(), name)) == form.names_one
    two = results({"a": [record(1), record(2, "TER")]})
    assert render(two, Layout(score_only=True), name).startswith("[") == form.bare_lists


@pytest.mark.parametrize("name", ["text", "junit", *TABLES])
def test_signatures_are_given_in_every_format(name):
    assert "nrefs:1|bs:1000|case:mixed|version:bleucli-1" in render(paired(), Layout(), name)


@pytest.mark.parametrize("name", ["text", "latex", "markdown", "html", "rst", "junit"])
def test_short_signatures_are_given_where_people_read(name):
    assert "#:1|bs:1000|c:mixed|v:bleucli-1" in render(paired(), Layout(short=True), name)


@pytest.mark.parametrize("name", ["json", "jsonl", "csv", "tsv"])
def test_short_signatures_are_not_for_programs(name):
    assert render(paired(), Layout(short=True), name) == render(paired(), Layout(), name)


@pytest.mark.parametrize("name", ["text", "latex", "markdown", "html", "rst"])
def test_an_identical_system_is_called_so_and_has_no_star(name):
    out = render(paired(), Layout(), name)
    cells = out.split("c.txt")[1]
    assert cells.count("(identical)") == 2
    assert "p = 1.0000" not in out


@pytest.mark.parametrize("name", ["text", "latex", "markdown", "html", "rst"])
@pytest.mark.parametrize(("p_value", "starred"), [(0.05, True), (0.0500001, False), (1.0, False), (0.0, True)])
def test_a_star_is_for_p_values_up_to_0_05(name, p_value, starred):
    made = results({"a": [record(2.0)], "b": [record(1.0, p_value=p_value)]}, test=paired().test)
    out = render(made, Layout(), name).replace("\\*", "*")
    assert (f"(p = {p_value:.4f})*" in out) == starred
    assert f"(p = {p_value:.4f})" in out


@pytest.mark.parametrize("name", ["text", "latex", "markdown", "html", "rst"])
def test_intervals_without_a_test_are_in_the_cells(name):
    made = results({"a": [record(58.64, half_width=8.72)], "b": [record(11.35, half_width=3.0)]})
    out = render(made, Layout(), name)
    out = out.replace("$\\pm$", "±").replace("$\\mu$", "μ").replace("&#177;", "±").replace("&#956;", "μ")
    assert "11.3 (11.3 ± 3.0)" in out
    assert re.search(r"BLEU (\S+ )?\(μ ± 95% CI\)", out.replace("\\%", "%"))
    assert "p ≤" not in out
    assert "Paired" not in out


def test_a_name_is_shown_in_one_line():
    assert visible("a\nb\x1b[31m\u2028\uffff c") == r"a\nb\x1b[31m\u2028\uffff c"
    assert visible("\x00\x7f\x9b\u202e\u2066\ud800\udd00") == r"\x00\x7f\x9b\u202e\u2066\ud800\udd00"
    assert visible("\udc9b\udce9") == "\\x9b\udce9"  # bytes of a name: C1, and é in Latin-1
    for text in ("système 系统", "\u200d\u200c\u200f\ufeff\xa0", "\U0001f469\u200d\U0001f52c"):
        assert visible(text) == text


ACTING = "a\x1b]0;pwn\x07\x7f\x9b2J\u2028\u202egnp.txt"


@pytest.mark.parametrize("name", FORMATS)
def test_control_characters_of_names_never_reach_the_reader(name):
    for made in (paired((ACTING, "b\nc", f"{ACTING}2")), ranked(("a", "b\nc", ACTING))):
        out = render(made, Layout(), name)
        assert not set(ACTING) & set("\x00\x1b\x07\x7f\x9b\u2028\u202e") & set(out)
        assert "b\nc" not in out
        assert re.sub("[\n\t]", "", out).isprintable()


def test_json_gives_names_back_despite_escapes():
    out = render(paired(("a", "b", ACTING)), Layout(), "json")
    assert json.loads(out)[2]["system"] == ACTING
    assert r"\u009b2J\u2028\u202e" in out


# --- text


def test_one_score_is_followed_by_its_interval():
    made = one_system(record(58.64, half_width=8.72))
    assert render(made, Layout(2, short=True), "text").startswith(
        "BLEU|#:1|bs:1000|c:mixed|v:bleucli-1 = 58.64 (μ = 58.64 ± 8.72) 82.0/63.4/52.7/43.2 (BP"
    )
    assert render(made, Layout(2, score_only=True), "text") == "58.64 (μ = 58.64 ± 8.72)\n"


def test_an_interval_around_zero_is_an_interval():
    assert render(one_system(record(0.0, half_width=0.0)), Layout(score_only=True), "text") == "0.0 (μ = 0.0 ± 0.0)\n"


def test_colours_leave_the_table_as_it_is():
    for made in (paired(), ranked()):
        coloured = re.sub(r"\x1b\[[0-9]*m", "", render(made, Layout(colour=True, bold_best=True), "text"))
        assert re.sub(r"\n - Bold: [^\n]*(?:\n   [^\n]*)*", "", coloured) == render(made, Layout(), "text")


def test_colours_distinguish_parts():
    out = render(paired(), Layout(colour=True), "text")
    for yellow in ("Baseline: a.txt", "58.6 (58.6 ± 8.7)", "28.9 (28.9 ± 8.7)"):
        assert f"\x1b[33m{yellow}\x1b[0m" in out
    assert "\x1b[36mTER (μ ± 95% CI)\x1b[0m" in out
    assert "\x1b[31m(p = 0.2000)\x1b[0m" in out
    assert "\x1b[31m(identical)\x1b[0m" in out
    assert " (p = 0.0010)* " in out


def test_the_best_are_bold_only_on_a_terminal():
    assert render(paired(), BOLD, "text") == render(paired(), Layout(), "text")
    out = render(paired(), Layout(colour=True, bold_best=True), "text")
    assert re.findall(r"\x1b\[1m([^\x1b]*)\x1b\[22m", out) == ["58.6", "28.1", "58.6"]


CLUSTERS = "Systems in different clusters differ significantly; some in the same cluster may differ, too."
ALLOWED = (
    "Ranks: from 1 + the number of systems that are significantly better to the number of systems that are not"
    " significantly worse."
)
EVERY_PAIR = (
    "every system is compared with every other; systems differ at p ≤ 0.05,"
    " corrected for the number of pairs by step-down max-T (Romano & Wolf 2005)"
)
NOTES = "\n".join(notes.wrap(" - ", [f"Paired bootstrap resampling, 1000 resamples: {EVERY_PAIR}.", ALLOWED, CLUSTERS]))
RANKS = f"""\
BLEU: ranks, and p-values of all pairs, corrected (step-down max-T); * marks p ≤ 0.05
╒══════════╤═══════╤════════╤═════════╤═══════════╤═════════╤═════════╤═════════╕
│   System │  No.  │  BLEU  │  Ranks  │  Cluster  │  vs 1   │  vs 2   │  vs 3   │
╞══════════╪═══════╪════════╪═════════╪═══════════╪═════════╪═════════╪═════════╡
│    b.txt │   1   │  40.0  │    1    │     1     │         │ 0.0400* │ 0.0300* │
├──────────┼───────┼────────┼─────────┼───────────┼─────────┼─────────┼─────────┤
│    c.txt │   2   │  30.1  │   2–3   │     2     │ 0.0400* │         │ 0.5000  │
├──────────┼───────┼────────┼─────────┼───────────┼─────────┼─────────┼─────────┤
│    a.txt │   3   │  30.0  │   2–3   │     2     │ 0.0300* │ 0.5000  │         │
╘══════════╧═══════╧════════╧═════════╧═══════════╧═════════╧═════════╧═════════╛

-------------------------------------------
Paired bootstrap resampling, 1000 resamples
-------------------------------------------
{NOTES}

-----------------
Metric signatures
-----------------
 - BLEU       nrefs:1|bs:1000|case:mixed|version:bleucli-1
"""


@pytest.mark.parametrize("name", ["text", "latex", "markdown", "html", "rst"])
def test_the_explanation_says_what_is_corrected(name):
    nominal, bold = render(paired(), Layout(), name), render(paired(), Layout(colour=True, bold_best=True), name)
    assert "not corrected" in nominal
    assert "max-T" not in nominal
    assert "not corrected" in bold
    assert "max-T" in bold
    corrected = render(ranked(), Layout(), name)
    assert "not corrected" not in corrected
    assert "max-T" in corrected


def test_a_ranking_is_a_table_with_the_best_first():
    table, _, rest = render(ranked(), Layout(), "text").partition("\n\n")
    assert re.findall(r"[abc]\.txt", table) == ["a.txt", "b.txt", "c.txt"]
    assert rest == RANKS


def test_error_rates_rank_upwards():
    (ranking,) = ranked().rankings
    ranking = ranking._replace(name="TER", clusters=[1, 1, 1], ranks=[(1, 3)] * 3)
    scores = {"a": [record(3.0, "TER")], "b": [record(1.0, "TER")], "c": [record(2.0, "TER")]}
    made = results(scores, test=paired().test, rankings=[ranking])
    found = re.findall(r"│ +([abc]) │", render(made, Layout(), "text"))
    assert found == ["a", "b", "c", "b", "c", "a"]


# --- json


def test_the_interval_is_between_signature_and_verbose_score():
    found = json.loads(render(one_system(record(58.644, half_width=8.718)), Layout(2), "json"))
    assert list(found)[:6] == [
        *("name", "score", "signature", "confidence_mean", "confidence_var", "confidence"),
    ]
    assert (found["confidence_mean"], found["confidence_var"]) == (58.64, 8.72)
    assert found["confidence"] == "μ = 58.64 ± 8.72"
    assert list(found)[6] == "verbose_score"


def test_bare_scores_with_intervals_are_strings_in_json():
    made = one_system(record(58.64, half_width=8.72), record(28.88, "TER", half_width=7.0))
    out = render(made, Layout(score_only=True), "json")
    assert out == '[\n"58.6 (μ = 58.6 ± 8.7)",\n"28.9 (μ = 28.9 ± 7.0)"\n]\n'
    assert render(made, Layout(score_only=True, colour=True), "json") == out


def test_bare_scores_without_intervals_are_numbers_in_json():
    made = one_system(record(58.64), record(28.88, "TER"))
    assert render(made, Layout(score_only=True), "json") == "[\n58.6,\n28.9\n]\n"


def test_several_systems_without_a_test_have_the_keys_of_one():
    scores = [record(58.644, half_width=8.718)]
    several = json.loads(render(results({"a": scores, "b": scores}), Layout(2), "json"))
    alone = json.loads(render(one_system(*scores), Layout(2), "json"))
    assert several == [{"system": "a", "BLEU": alone}, {"system": "b", "BLEU": alone}]


def test_tested_systems_have_unrounded_numbers_and_a_p_value():
    baseline, worse, again = json.loads(render(paired(), Layout(), "json"))
    assert list(baseline["BLEU"])[:6] == ["name", "score", "signature", "p_value", "mean", "ci"]
    assert [worse["BLEU"][key] for key in ("score", "p_value", "mean", "ci")] == [11.35, 0.001, 11.35, 8.72]
    assert (baseline["system"], baseline["TER"]["p_value"], again["TER"]["p_value"]) == ("Baseline: a.txt", None, 1.0)


def test_randomization_without_resamples_has_no_mean():
    _, worse, _ = json.loads(render(paired(half_width=None), Layout(), "json"))
    assert [worse["BLEU"][key] for key in ("p_value", "mean", "ci")] == [0.001, None, None]


def test_a_ranking_gives_each_system_its_cluster_and_p_values():
    first, second, _ = json.loads(render(ranked(), Layout(), "json"))
    assert (first["BLEU"]["cluster"], second["BLEU"]["cluster"]) == (2, 1)
    assert (first["system"], first["BLEU"]["rank"]) == ("a.txt", {"first": 2, "last": 3})
    assert first["BLEU"]["p_values"] == {"b.txt": {"p": 0.01, "corrected": 0.03}, "c.txt": {"p": 0.5, "corrected": 0.5}}


# --- comma-separated and tab-separated values


@pytest.mark.parametrize(("name", "separator"), [("csv", ","), ("tsv", "\t")])
def test_pandas_reads_columns_of_numbers(name, separator):
    table = pandas.read_csv(io.StringIO(render(paired(), Layout(2), name)), sep=separator)
    assert list(table["system"]) == ["a.txt", "b.txt", "c.txt"]
    assert list(table["baseline"]) == [True, False, False]
    assert list(table["BLEU"]) == [58.64, 11.35, 58.64]
    assert list(table["TER ci"]) == [8.72, 8.72, 8.72]
    assert list(table["BLEU p_value"].fillna(-1)) == [-1, 0.001, 1.0]


def test_only_columns_with_values_are_printed():
    def header(made):
        return render(made, Layout(), "csv").split("\n")[0]

    assert header(one_system()) == "system,BLEU,BLEU signature"
    assert header(paired(half_width=None)) == (
        "system,baseline,BLEU,BLEU p_value,TER,TER p_value,BLEU signature,TER signature"
    )
    ranks, pairs = "BLEU rank first,BLEU rank last", "BLEU p vs a.txt,BLEU p vs b.txt,BLEU p vs c.txt"
    assert header(ranked()) == f"system,BLEU,{ranks},BLEU cluster,{pairs},BLEU signature"


def test_a_table_of_values_has_nothing_around_it():
    assert render(ranked(), Layout(), "tsv").splitlines() == [
        "system\tBLEU\tBLEU rank first\tBLEU rank last\tBLEU cluster\tBLEU p vs a.txt\tBLEU p vs b.txt"
        "\tBLEU p vs c.txt\tBLEU signature",
        "a.txt\t30.0\t2\t3\t2\t\t0.03\t0.5\tnrefs:1|bs:1000|case:mixed|version:bleucli-1",
        "b.txt\t40.0\t1\t1\t1\t0.03\t\t0.04\tnrefs:1|bs:1000|case:mixed|version:bleucli-1",
        "c.txt\t30.1\t2\t3\t2\t0.5\t0.04\t\tnrefs:1|bs:1000|case:mixed|version:bleucli-1",
    ]


def test_values_are_quoted_where_they_must_be():
    for name in ("=1+1", "+cmd", "@SUM(A1)", "-2", "=HYPERLINK(1)"):  # programs look systems up by their names
        assert render(one_system(name=name), Layout(), "csv").splitlines()[1].partition(",")[0] == name
    out = render(one_system(name='a,"b"'), Layout(), "csv")
    assert list(csv.reader(io.StringIO(out, newline="")))[1][:2] == ['a,"b"', "58.6"]


# --- LaTeX, Markdown, HTML, reStructuredText


LATEX_ROW = r"a\_b\%c\&d\#e\$f\{g\}\textasciitilde{}h\textasciicircum{}i\textbackslash{}j.txt & 58.6 \\"
MARKDOWN_ROW = r"| a\_b%c\&d#e\$f{g}\~h^i\\j.txt |   58.6   |"


def test_names_are_escaped():
    made = one_system(name=HOSTILE)
    assert LATEX_ROW in re.sub(" +", " ", render(made, Layout(), "latex"))
    assert lines_with("58.6", render(made, Layout(), "markdown")) == [MARKDOWN_ROW]
    assert ">a_b%c&amp;d#e$f{g}~h^i\\j.txt</td>" in render(made, Layout(), "html")
    assert lines_with("58.6", render(made, Layout(), "rst")) == [r"a\_b%c&d#e$f{g}~h^i\\j.txt  58.6"]


def test_the_best_are_bold():
    bold = {"latex": r"\\textbf{([^}]*)}", "html": "<strong>(.*?)</strong>", "markdown": r"\*\*(.*?)\*\*"}
    bold["rst"] = bold["markdown"]
    for name, pattern in bold.items():
        assert re.findall(pattern, render(paired(), BOLD, name)) == ["58.6", "28.1", "58.6"]
        assert re.findall(pattern, render(paired(), Layout(), name)) == []
        assert re.findall(pattern, render(ranked(), BOLD, name)) == ["40.0", "40.0"]
    for name in ("json", "jsonl", "csv", "tsv"):
        assert render(paired(), BOLD, name) == render(paired(), Layout(), name)


def test_everything_but_tables_is_a_comment_in_latex():
    for made in (one_system(), paired(), ranked()):
        out = render(made, Layout(), "latex")
        outside = re.sub(r"\\begin{tabular}.*?\\end{tabular}", "", out, flags=re.DOTALL)
        assert all(line.startswith("%") or line in ("", "\\bigskip") for line in outside.splitlines())
        assert out.startswith("\\begin{tabular}{r")


@pytest.mark.parametrize(
    ("name", "escaped"),
    {
        "*a*": "{*}a*",
        "[a]": "{[}a{]}",
        "a--b---c": "a-{}-b-{}-{}-c",
        "<a>|b": r"\textless{}a\textgreater{}\textbar{}b",
        "?`a''\"b\"": "?{`}a{'}{'}{\\char34}b{\\char34}",
        "e\u0301.txt": "é.txt",
        "系λ.txt": "U+7CFBU+03BB.txt",
    }.items(),
)
def test_latex_sets_a_name_as_it_is(name, escaped):
    assert documents.escape_latex(name) == escaped


def test_a_comment_says_which_letters_latex_does_not_know():
    assert render(one_system(name="系.txt"), Layout(), "latex").endswith(
        "%\n% Letters that LaTeX does not know without a package:\n%  - U+7CFB.txt is 系.txt\n"
    )
    assert "Letters" not in render(one_system(name="é.txt"), Layout(), "latex")


def test_html_is_ascii_in_any_page():
    out = render(paired(("é", "系", "c")), Layout(), "html")
    assert out.isascii()
    assert "&#31995;</td>" in out
    assert documents.escape_html("a<b>'&") == "a&lt;b&gt;'&amp;"


def test_columns_of_rst_are_as_wide_as_docutils_counts():
    rows = render(one_system(name="系统e\u0301"), Layout(), "rst").splitlines()
    assert rows[0] == "======  ======", "System is wider than the name"
    assert rows[3] == "系统e\u0301   58.6"


@pytest.mark.parametrize(
    ("name", "escaped"),
    {
        "- a": r"\- a",
        "1. a": r"1\. a",
        "(iv) a": r"(iv\) a",
        "a:: b::": r"a:\: b:\:",
        "====": r"\====",
        "|a|_": r"\|a\|\_",
        "a.b": "a.b",
    }.items(),
)
def test_rst_treats_a_name_as_text(name, escaped):
    assert documents.escape_rst(name) == escaped
