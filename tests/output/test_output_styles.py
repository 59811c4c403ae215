"""Tables that fit a paper: styles, order of rows, captions, differences."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from conftest import refused
from sample_results import RANDOMIZATION, one, paired, ranked, record, results

import bleucli
from bleucli.output import FORMATS, render
from bleucli.output.layout import STYLES, Layout
from bleucli.results import Difference

TABLES = ("text", "latex", "markdown", "html", "rst")
COMPACT, STARS = Layout(style="compact"), Layout(style="stars")


def plain(out):
    """Return a table with plain characters in place of each format's escapes."""
    names = {r"\rlap{*}": "*", r"$\pm$": "±", r"$\uparrow$": "↑", r"$\downarrow$": "↓", r"$\Delta$": "Δ", "$-$": "−"}
    for entity, character in (names | {"{[}": "[", "{]}": "]", r"\*": "*", r"\±": "±", r"\)": ")", r"\[": "["}).items():
        out = out.replace(entity, character)
    return re.sub(r"&#(\d+);", lambda match: chr(int(match[1])), out).replace("\\]", "]")


def compared():
    """Return the results of a paired test with differences."""
    made = paired()
    first = made.systems[0].scores
    systems = [
        system._replace(
            scores=[
                one._replace(difference=Difference(one.score - old.score, -48.0, 1.25))
                for old, one in zip(first, system.scores, strict=True)
            ]
        )
        for system in made.systems[1:]
    ]
    return made._replace(systems=[made.systems[0], *systems])


@pytest.mark.parametrize("name", TABLES)
def test_compact_cells_have_half_widths_and_stars(name):
    out = plain(render(paired(), COMPACT, name))
    assert "58.6±8.7" in out
    assert "11.3±8.7*" in out
    assert "28.1±8.7*" not in out
    assert "(p =" not in out
    assert "identical" not in out


@pytest.mark.parametrize("name", TABLES)
def test_starred_cells_have_nothing_but_stars(name):
    out = plain(render(paired(), STARS, name))
    assert "11.3*" in out
    assert "28.1*" not in out
    assert "±" not in out
    assert "95" not in re.sub("BLEU: .*|To paste.*", "", out)


@pytest.mark.parametrize(("layout", "cell"), [(COMPACT, r"11.3$\pm$8.7\rlap{*}"), (STARS, r"11.3\rlap{*}")])
def test_stars_in_latex_have_no_width_that_would_move_the_figures(layout, cell):
    out = render(paired(), layout, "latex").partition("%")[0]
    assert [part.strip() for part in out.split("&") if "*" in part] == [cell]
    assert "rlap" not in render(paired(), Layout(), "latex")
    systems = {"a": [record(1.0)], "b": [record(2.0, p_value=0.01, differs=True, best=True)]}
    bold = render(results(systems, test=RANDOMIZATION), STARS._replace(bold_best=True), "latex")
    assert r"\textbf{2.0}\rlap{*}" in bold


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("style", ["full", "compact", "stars"])
def test_headings_say_which_direction_is_better(name, style):
    out = plain(render(paired(), Layout(style=style), name))
    assert ("BLEU ↑" in out and "TER ↓" in out) == ((name, style) != ("text", "full"))
    assert "↓" not in plain(render(results({"a": [record(1.0)._replace(higher_is_better=None)]}), COMPACT, name))


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("style", ["full", "compact", "stars"])
def test_the_explanation_of_a_table_is_about_what_the_table_shows(name, style):
    out = plain(render(paired(), Layout(style=style), name))
    if (name, style) != ("text", "full"):
        assert "* marks p ≤ 0.05" in out
        assert "p < 0.05" not in out
        assert "highlighted" not in out
        assert ("Identical: " in out) == (style == "full")
        assert ("After ±" in " ".join(out.split())) == (style == "compact")
    corrected = render(ranked(), Layout(style=style), name)
    if style != "full":
        assert "*" not in corrected.replace("\\*", "*").replace("{*}", "*")


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("style", ["compact", "stars"])
def test_score_and_ranks_are_in_one_table(name, style):
    out = plain(render(ranked(), Layout(style=style), name))
    assert "40.0 (1; 1)" in out
    assert "30.1 (2; 2–3)" in out
    assert "vs 1" not in out
    assert "Baseline" not in out, "nothing is compared with it alone"
    notes = " ".join(out.split())
    assert "In parentheses: the cluster, then the ranks, from 1 + the number" in notes
    assert "Systems in different clusters differ significantly" in notes


def test_a_rule_marks_the_baseline_in_latex():
    lines = render(paired(), STARS, "latex").splitlines()
    assert [line.split("&")[0].strip() for line in lines[1:9]] == [
        *("\\toprule", "System", "\\midrule", "a.txt", "\\midrule", "b.txt", "c.txt", "\\bottomrule"),
    ]


@pytest.mark.parametrize("name", TABLES)
def test_sorted_rows_have_the_best_first_but_after_the_baseline(name):
    made = paired(("base", "zweite", "dritte"))

    def order(made, metric):
        out = render(made, Layout(sort=metric), name)
        return list(dict.fromkeys(re.findall("base|zweite|dritte", out)))

    assert order(made, None) == ["base", "zweite", "dritte"]
    assert order(made, 0) == ["base", "dritte", "zweite"]
    assert order(made, 1) == ["base", "zweite", "dritte"], "error rates: lower is better"
    assert order(made._replace(test=None), 1) == ["zweite", "base", "dritte"]
    assert order(ranked(("base", "zweite", "dritte")), 0) == ["zweite", "dritte", "base"]


def test_values_for_programs_are_sorted_as_well():
    rows = csv.DictReader(io.StringIO(render(paired(), Layout(sort=0), "csv")))
    assert [row["system"] for row in rows] == ["a.txt", "c.txt", "b.txt"]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("style", ["full", "compact", "stars"])
def test_differences_have_their_own_columns(name, style):
    out = plain(render(compared(), Layout(style=style, difference=True), name))
    assert out.index("BLEU") < out.index("ΔBLEU") < out.index("TER") < out.index("ΔTER")
    assert "−47.3 [−48.0, +1.2]" in out
    assert "Δ: the difference from the baseline, a.txt; in brackets, its 95% interval" in " ".join(out.split())
    assert "Δ" not in plain(render(compared(), Layout(style=style), name))


def test_differences_have_keys_for_programs():
    layout = Layout(difference=True)
    baseline, worse, _ = csv.DictReader(io.StringIO(render(compared(), layout, "csv")))
    assert (baseline["BLEU difference"], worse["BLEU difference"]) == ("", "-47.3")
    assert (worse["TER difference low"], worse["TER difference high"]) == ("-48.0", "1.2")
    baseline, worse, _ = json.loads(render(compared(), layout, "json"))
    assert baseline["BLEU"]["difference"] is None
    assert worse["BLEU"]["difference"] == {"value": 11.35 - 58.64, "low": -48.0, "high": 1.25}
    card = json.loads(render(compared(), layout, "card"))
    assert card["a.txt"]["bleu_difference"] is None
    assert card["b.txt"]["bleu_difference"] == -47.3
    assert card["b.txt"]["ter_difference_high"] == 1.2
    assert "difference" not in render(compared(), Layout(), "json") + render(compared(), Layout(), "card")


def test_a_difference_without_resamples_has_no_interval():
    made = compared()
    alone = [one._replace(difference=Difference(-1.0)) for one in made.systems[1].scores]
    made = made._replace(systems=[made.systems[0], made.systems[1]._replace(scores=alone)])
    out = render(made, Layout(difference=True), "markdown")
    assert "| −1.0 " in re.sub(" +", " ", out)
    assert "in brackets" not in out


def close():
    """Return results of a test that found next to no difference."""
    difference = Difference(-0.04, -0.34, 0.03)
    rows = [(record(0.04),), (record(-0.04, p_value=0.9, half_width=0.04, difference=difference),)]
    return results({"a": rows[0], "b": rows[1]}, test=paired().test)


@pytest.mark.parametrize("name", [*TABLES, "paper"])
@pytest.mark.parametrize("style", ["full", "compact", "stars"])
def test_numbers_that_round_to_zero_have_no_sign(name, style):
    out = plain(render(close(), Layout(style=style, difference=True), name))
    assert "0.0 [−0.3, 0.0]" in out
    assert not re.search(r"[-−+]0\.0\b", out.partition("\n\n")[0])


@pytest.mark.parametrize("name", ["json", "jsonl", "csv", "tsv", "card"])
def test_numbers_that_round_to_zero_have_no_sign_for_programs(name):
    made = close()
    out = render(made, Layout(difference=True), name) + render(made._replace(systems=made.systems[1:]), Layout(), name)
    assert "-0.0," not in out
    assert "-0.0\t" not in out
    assert "-0.3" in out


def test_negative_scores_have_a_real_minus_sign_in_tables():
    made = one(record(-3.24, half_width=0.5))
    assert "$-$3.2±0.5" in render(made, Layout(style="compact"), "latex").replace("$\\pm$", "±")
    assert "−3.2±0.5" in render(made, Layout(style="compact"), "markdown")
    assert ",-3.2," not in render(made, Layout(), "markdown")
    assert "-3.2" in render(made, Layout(), "csv")


def test_captions_are_where_each_format_has_them():
    layout = Layout(caption="50% of <a_b>", label="tab:one")
    out = render(paired(), layout, "latex")
    assert out.startswith("\\begin{table*}\n\\centering\n\\begin{tabular}"), "wider than a column"
    assert "\\caption{50\\% of \\textless{}a\\_b\\textgreater{}}\n\\label{tab:one}\n\\end{table*}\n%" in out
    out = render(paired(), layout._replace(style="compact"), "latex")
    assert out.startswith("\\begin{table}\n\\centering\n\\begin{tabular}")
    assert "\n\\end{table}\n%" in out
    out = render(ranked(), layout, "html")
    assert out.startswith('<table id="tab:one">\n<caption>50% of &lt;a_b&gt;</caption>')
    assert out.count("<caption>") == 2
    out = render(paired(), layout, "rst")
    assert out.startswith(".. table:: 50% of <a\\_b>\n   :name: tab:one\n\n   ====")


def test_docutils_reads_caption_label_and_cells():
    docutils = pytest.importorskip("docutils.core")
    layout = Layout(style="compact", bold_best=True, difference=True, caption="50% of a_b", label="tab:one")
    out = render(compared(), layout, "rst")
    page = docutils.publish_string(out, writer="html5", settings_overrides={"halt_level": 2}).decode()
    assert "<caption>50% of a_b</caption>" in page
    assert "<strong>58.6</strong>±8.7" in page
    assert "11.3±8.7*" in page


# --- from Python


def test_python_renders_what_the_command_prints(score, folder):
    lines = {name: (folder / name).read_text().splitlines() for name in ("ref", "bad", "good")}
    systems = {name: lines[name] for name in ("bad", "good")}
    metrics = ["bleu", "ter"]
    made = bleucli.evaluate_systems(systems, [lines["ref"]], metrics, test="bs", trials=20)
    words = ("-m", *metrics, "-pbs", "-pbsn", "20", "-q")
    more = ("--sort", "ter", "--difference", "--caption", "Two systems.", "--label", "tab:two")
    for name in ("latex", "html", "rst"):
        asked = score(*words, "-f", name, "--style", "compact", *more).out
        own = {"style": "compact", "sort": "TER", "difference": True, "caption": "Two systems.", "label": "tab:two"}
        assert bleucli.render_table(made, name, **own) == asked
    plain = bleucli.evaluate_systems(systems, [lines["ref"]], metrics)
    ranked = bleucli.evaluate_systems(systems, [lines["ref"]], metrics, test="ar", all_pairs=True, trials=399)
    against = bleucli.evaluate_systems(systems, [lines["ref"]], metrics, test="ar", bold_best=True, trials=399)
    randomized = ("-par", "-parn", "399")
    for name in ("latex", "markdown", "html", "rst"):
        for made, test in ((plain, ()), (ranked, (*randomized, "--paired-all")), (against, randomized)):
            asked = score("-m", *metrics, *test, "-q", "-f", name, "--bold-best", "--scale", "1", "-sh").out
            assert bleucli.render_table(made, name, bold_best=True, scale=1, short=True) == asked


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"name": "csv"}, "name='csv'; expected one of text, latex, markdown, html, rst"),
        ({"style": "tiny"}, "style='tiny'; expected one of full, compact, stars"),
        ({"style": "stars"}, "style='stars'; expected results of a paired test"),
        ({"difference": True}, "difference=True; expected results of a paired test"),
        ({"sort": "chrF2"}, "sort='chrF2'; expected one of BLEU"),
        ({"caption": "x"}, "caption=... for markdown; expected one of latex, html, rst"),
        ({"name": "rst", "caption": 3}, "caption=3; expected a text"),
        ({"name": "rst", "caption": " \n"}, "caption=' \\n'; expected a text"),
        ({"name": "latex", "caption": "x", "label": 3}, "label=3; expected a caption, and a label such as"),
        ({"name": "text", "bold_best": True}, "bold_best=True for text; expected one of latex, markdown, html, rst"),
        ({"scale": 10}, "scale=10; expected 100, or 1 for scores from 0 to 1"),
        ({"scale": True}, "scale=True; expected 100, or 1"),
        ({"width": -1}, "width=-1; expected a number of decimals from 0 to 1000"),
        ({"width": "2"}, "width='2'; expected a number of decimals from 0 to 1000"),
        ({"name": "latex", "label": "x"}, "label='x'; expected a caption, and a label such as"),
        ({"name": "latex", "caption": "x", "label": "a b"}, "label='a b'; expected a caption, and a label such as"),
    ],
)
def test_python_refuses_what_a_table_cannot_have(words, told):
    with pytest.raises(bleucli.BleuError, match=re.escape(told)):
        bleucli.render_table(results({"a": [record(1.0)]}), **words)


def test_python_has_no_bold_type_without_the_test_that_decides_it():
    references = [["a b c d e", "f g h i j"]]
    systems = {"weak": ["a b c x", "f g x i"], "fair": ["a b c d", "f g h i"]}
    tested = bleucli.evaluate_systems(systems, references, test="ar", trials=99)
    told = "bold_best=True after a test against a baseline; expected results of evaluate_systems(..., bold_best=True)"
    with pytest.raises(bleucli.BleuError, match=re.escape(told)):
        bleucli.render_table(tested, bold_best=True)
    with pytest.raises(bleucli.BleuError, match="bold_best is for a test; add test='ar', or leave bold_best out"):
        bleucli.evaluate_systems(systems, references, bold_best=True)


@pytest.mark.parametrize("function", [bleucli.render_table, bleucli.cite])
@pytest.mark.parametrize(
    ("given", "told"),
    [
        (None, "results of type NoneType; give what evaluate_systems or score_matrix returns"),
        ({"scores": []}, "results of type dict; give what evaluate_systems"),
        (bleucli.corpus_ter(["a"], [["a"]]), "results of type TERScore; give what evaluate_systems"),
        (results({}), "the results have no system; give results of at least one system"),
    ],
)
def test_only_results_are_rendered_and_cited(function, given, told):
    with pytest.raises(bleucli.BleuError, match=re.escape(told)):
        function(given)


# --- stars


# Two systems that each differ from the reference in one word of some segments: many trials have the same difference
TIED = [f"the cat with the number {number} sat on the red mat" for number in range(40)]


def mark(texts, *places):
    return [text.replace("red", "old") if number in places else text for number, text in enumerate(texts)]


@pytest.fixture(scope="module", params=["ar", "bs"])
def doubtful(request):
    """Return results of which sacreBLEU's p-value is significant, but not the one of this package."""
    few = [*range(5)], [*range(5, 18)]
    if request.param == "bs":
        few = [], [*range(5)]
    systems = {"a": mark(TIED, *few[0]), "b": mark(TIED, *few[1])}
    with pytest.warns(bleucli.BleuWarning, match="not significant|can be significant"):
        made = bleucli.evaluate_systems(systems, [TIED], test=request.param, trials=3000, bold_best=True)
    record = made.systems[1].scores[0]
    assert record.sacrebleu_p_value <= 0.05 < record.p_value
    return made


@pytest.mark.parametrize("name", [*TABLES, "paper"])
@pytest.mark.parametrize("style", STYLES)
def test_a_star_follows_the_p_value_that_is_printed(doubtful, name, style):
    of_sacrebleu = name in ("text", "latex") and style == "full"
    text = plain(render(doubtful, Layout(style=style), name))
    record = doubtful.systems[1].scores[0]
    told = re.sub(r"\s+%?\s*", " ", text)
    assert bool(re.search(r"(\d|\(p = 0\.\d{4}\))\*", text)) == of_sacrebleu
    shown = {f"(p = {p_value:.4f})": p_value for p_value in (record.sacrebleu_p_value, record.p_value)}
    expected = record.sacrebleu_p_value if of_sacrebleu else record.p_value
    assert {p_value for cell, p_value in shown.items() if cell in text} == ({expected} if style == "full" else set())
    reason = "p is above 0.05 if trials with exactly the observed difference count"
    if doubtful.test.method == "bs":
        reason = "no difference in fewer than 6 segments can be significant"
    doubt = "the star follows sacreBLEU, but the difference is not significant"
    assert f"b by BLEU: {doubt if of_sacrebleu else 'no star here, unlike in sacreBLEU'}, because {reason}." in told


def test_bold_type_programs_and_notebooks_have_the_p_value_of_this_package(doubtful):
    record = doubtful.systems[1].scores[0]
    assert record.best
    assert doubtful.rows()[1]["p_value"] == doubtful.to_dict()["scores"][1]["p_value"] == record.p_value
    assert f"p = {record.p_value:.4f}<" in doubtful._repr_html_()
    for name in ("csv", "tsv", "card"):
        assert repr(record.p_value) in render(doubtful, Layout(), name)
    assert f'"p_value": {record.p_value!r}' in render(doubtful, Layout(), "jsonl")
    assert f'"p_value": {record.sacrebleu_p_value!r}' in render(doubtful, Layout(), "json")


@pytest.mark.slow
def test_the_command_stars_a_single_word_only_in_the_formats_of_sacrebleu(command, write):
    write("ref.txt", "\n".join(TIED) + "\n")
    write("old.txt", "\n".join(mark(TIED, *range(9))) + "\n")
    write("new.txt", "\n".join(mark(TIED, *range(10))) + "\n")
    words = ("ref.txt", "-i", "old.txt", "new.txt", "--paired-ar", "--paired-ar-n", "300")
    for name, star in {"text": True, "latex": True, "markdown": False, "paper": False, "html": False}.items():
        answer = command(*words, "-f", name)
        out = plain(answer.out)
        assert ("(p = 0.0033)*" in out) == star, name
        assert ("(p = 1.0000)" in out) != star, name
        assert "new.txt differ in only 1 segment by BLEU; no difference in fewer than 6 segments" in answer.err


def test_the_command_and_its_report_say_that_few_segments_cannot_differ(command, write):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed; there are no figures")
    pytest.importorskip("jinja2", reason="Jinja2 is not installed; there are no pages")
    write("ref.txt", "\n".join(TIED[:5]) + "\n")
    write("old.txt", "no\n" * 5)
    write("new.txt", "\n".join(mark(TIED[:5], 3)) + "\n")
    words = ("ref.txt", "-i", "old.txt", "new.txt", "--paired-ar")
    answer, report = command(*words, "--paired-all"), command("report", *words, "-o", "r.html")
    told = "5 segments: no difference in fewer than 6 segments can be significant at 0.05"
    for run in (answer, report):
        assert run.status == 0
        assert run.err.count(told) == 1
    with open("r.html", encoding="utf-8") as file:
        assert told in file.read()
    assert [row["BLEU"]["cluster"] for row in json.loads(answer.out)] == [1, 1]


def test_without_doubt_no_sentence_speaks_of_it():
    references = [[f"the cat with the number {number} sat on the mat" for number in range(30)]]
    systems = {"a": references[0], "b": [text.replace("the", "a") for text in references[0]]}
    made = bleucli.evaluate_systems(systems, references, test="ar", trials=300)
    for name in (*TABLES, "paper"):
        text = plain(render(made, Layout(), name))
        assert "follows sacreBLEU, but" not in text
        assert "no star here" not in text


@pytest.mark.parametrize("test", ["ar", "bs"])
def test_a_lower_error_rate_comes_first_and_has_the_star(test):
    reference = [f"the cat with the number {number} sat on the mat" for number in range(30)]
    systems = {
        "base": [text.replace("the mat", "a mat") for text in reference],
        "worse": [text.replace("the mat", "a big rug") for text in reference],
        "better": [text if number % 2 else text.replace("the", "a", 1) for number, text in enumerate(reference)],
    }
    made = bleucli.evaluate_systems(systems, [reference], ["ter"], test=test, bold_best=True, trials=500)
    names = re.findall(r"^\| (?:Baseline: )?(\w+)", bleucli.render_table(made, style="stars", sort="TER"), re.MULTILINE)
    assert names == ["System", "base", "better", "worse"]
    assert [score.best for system in made.systems for score in system.scores] == [False, False, True]


# --- as options


@pytest.fixture
def score(run, write):
    """Score two systems, the second of which is worse."""
    lines = [f"the cat sat on mat number {number}, and then it slept\n" for number in range(12)]
    write("ref", "".join(lines))
    write("good", "".join(lines[:6] + [line.replace("then it", "it") for line in lines[6:]]))
    write("bad", "".join(line.replace("cat", "dog") for line in lines))

    def score(*words):
        return run("ref", "-i", "bad", "good", *words)

    return score


def test_the_command_has_styles_and_sorts(score):
    words = ("-m", "bleu", "ter", "-par", "-parn", "200", "-f", "markdown", "-q")
    out = score(*words, "--style", "stars", "--difference").out
    assert re.search(r"\| good +\| +89\.2 +\| +\+6\.5 +\| +4\.5\\\* +\| +−4\.5 +\|", out), out
    for name in ("ter", "TER"):
        out = score("-m", "bleu", "ter", "-f", "csv", "--sort", name).out
        assert re.findall("^(?:good|bad)", out, re.MULTILINE) == ["good", "bad"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("-f", "csv", "--sort", "chrf"), "--sort 'chrf' is not scored; choose one of bleu"),
        (("-m", "chrf", "-f", "csv", "--sort", "chrf++"), "--sort 'chrf++' is not scored; choose one of chrf"),
        (("-f", "rst", "--style", "stars"), "--style stars marks what a paired test finds; add --paired-ar"),
        (("-f", "rst", "--difference"), "--difference needs a paired test; add --paired-bs"),
        (("-f", "latex", "--caption", "x", "--label", "a b"), "--label 'a b'; expected a letter, then letters"),
        (("-f", "latex", "--label", "x"), "--label refers to a table with a caption; add --caption"),
        (("-f", "latex", "--caption", ""), "--caption is empty; give it a value"),
        (("-f", "markdown", "--caption", "x"), "--caption has no effect: markdown has no captions"),
    ],
)
def test_options_that_a_table_cannot_have_are_refused(score, words, told):
    refused(score(*words), told)


# --- two metrics of the same name


def two_of_a_name(**words):
    """Return results by two metrics that are both called BLEU and disagree about the better system."""
    references = [[f"the cat with the Number {number} sat on the mat" for number in range(20)]]
    systems = {
        "old": [text.replace("the cat", "The cat").replace("Number", "number") for text in references[0]],
        "new": [text.replace("the mat", "a mat") for text in references[0]],
    }
    return bleucli.evaluate_systems(systems, references, [bleucli.BLEU(), bleucli.BLEU(lowercase=True)], **words)


@pytest.fixture(scope="module")
def ranked_twice():
    return two_of_a_name(test="ar", all_pairs=True, trials=500)


def test_clusters_are_beside_the_scores_of_their_own_metric(ranked_twice):
    assert [one.clusters for one in ranked_twice.rankings] == [[2, 1], [1, 2]]
    for name in TABLES:
        found = plain(bleucli.render_table(ranked_twice, name, style="compact"))
        for told in (r"old\W.*52\.5 \(2; 2\)\W.*100\.0 \(1; 1\)", r"new\W.*78\.3 \(1; 1\)\W.*78\.3 \(2; 2\)"):
            assert re.search(told, found.replace("</td>\n", " "), re.DOTALL), name


@pytest.mark.parametrize("name", TABLES)
def test_each_ranking_has_the_scores_of_its_own_metric(ranked_twice, name):
    found = plain(bleucli.render_table(ranked_twice, name))
    # of all scores, then of the ranking by each metric, best first
    assert re.findall(r"\b(52\.5|78\.3|100\.0)\b", found) == [
        *("52.5", "100.0", "78.3", "78.3"),
        *("78.3", "52.5"),
        *("100.0", "78.3"),
    ]


@pytest.mark.parametrize("words", [{}, {"test": "ar", "trials": 400}, {"test": "ar", "trials": 400, "all_pairs": True}])
@pytest.mark.parametrize("name", FORMATS)
def test_a_format_has_the_scores_of_both_metrics_or_says_that_it_cannot(name, words):
    made = two_of_a_name(**words)
    if FORMATS[name].by_metric != "never":
        told = f"more than one metric is called BLEU, but {name} tells metrics apart by their names; score with one"
        with pytest.raises(bleucli.BleuError, match=told):
            render(made, Layout(), name)
    else:
        found = render(made, Layout(), name)
        # jsonl does not round
        assert all(re.search(score, found) for score in (r"\b52\.[45]", r"\b78\.[23]", r"\b(100\.0|99\.99)"))


def test_one_system_has_two_scores_with_one_name_in_json():
    made = results({"a": [record(1.0), record(2.0)]})
    assert [one["score"] for one in json.loads(render(made, Layout(), "json"))] == [1.0, 2.0]
    with pytest.raises(bleucli.BleuError, match="more than one metric is called BLEU, but csv"):
        render(made, Layout(), "csv")


@pytest.mark.parametrize("sort", ["BLEU", "bleu"])
def test_a_name_that_two_metrics_share_does_not_sort(sort):
    made = results({"a": [record(1.0), record(2.0)], "b": [record(2.0), record(1.0)]})
    told = f"sort='{sort}', but more than one metric is called BLEU; leave sort out, or score with one"
    with pytest.raises(bleucli.BleuError, match=told):
        bleucli.render_table(made, sort=sort)


def test_sort_takes_a_name_in_any_case():
    made = results({"a": [record(1.0), record(9.0, "TER")], "b": [record(2.0), record(3.0, "TER")]})
    assert bleucli.render_table(made, sort="ter") == bleucli.render_table(made, sort="TER")
    assert bleucli.render_table(made, sort="ter") != bleucli.render_table(made)
