"""The page about many language pairs; `test_sentences` recomputes its sentences, tables and figures."""

from __future__ import annotations

import os
import random
import re
import textwrap
import warnings

import pytest
from browser import NARROW, WIDE, find_faults, watch
from conftest import refused, warnings_in

from bleucli import BleuError, compare_matrix, score_matrix
from bleucli.report import matrix
from bleucli.report.contents import plan_of
from bleucli.significance.comparison import Sampling

pytest.importorskip("jinja2", reason="Jinja2 is not installed; there are no pages")

SHARES = {"base": 0.3, "better": 0.05, "equal": 0.3}
PATTERNS = 'references = "{pair}.ref"\nsystems = "{pair}.{system}"\n'
BASELINE = 'baseline = "base"\n'


def texts_of(pairs=("de-en", "en-fr"), size=60, names=tuple(SHARES)):
    rng = random.Random(4)
    texts = {}
    for pair in pairs:
        lines = [" ".join(rng.choices("abcdefgh", k=rng.choice([5, 9]))) for _ in range(size)]
        systems = {
            name: [" ".join(word if rng.random() > SHARES[name] else "x" for word in line.split()) for line in lines]
            for name in names
        }
        texts[pair] = (systems, [lines])
    return texts


def write_texts(folder, texts, more=""):
    for pair, (systems, references) in texts.items():
        for name, lines in {**systems, "ref": references[0]}.items():
            with open(os.path.join(folder, f"{pair}.{name}"), "w", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in lines)
    path = os.path.join(folder, "m.toml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(PATTERNS + more)
    return path


@pytest.fixture
def matrix_file(folder):
    write_texts(str(folder), texts_of(), BASELINE)
    return "m.toml"


def read(path="x.html"):
    with open(path, encoding="utf-8") as file:
        return file.read()


def before_run(page):
    """Return the part of a page that does not depend on how it was made, and its data."""
    return page.partition("<h3>Command")[0].partition('<p class="quiet">bleucli')[0], re.search(
        'id="data">(.*?)</script>', page
    )[1]


@pytest.mark.parametrize(
    ("more", "words", "options"),
    [
        (BASELINE, ("-parn", "400", "-par", "-m", "bleu", "chrf"), {"metrics": ["bleu", "chrf"], "baseline": "base"}),
        ("", ("-parn", "400", "-par"), {}),
    ],
)
def test_the_command_writes_the_page_of_python(matrix_file, write, run, more, words, options):
    write(matrix_file, PATTERNS + more)
    answer = run("report", "--matrix", matrix_file, "-o", "x.html", *words)
    assert answer.status == 0
    assert warnings_in(answer) == []
    assert before_run(read()) == before_run(compare_matrix(matrix_file, trials=400, **options))
    assert before_run(read())[1] == before_run(compare_matrix(texts_of(), trials=400, **options))[1]
    assert f"bleu report --matrix {matrix_file} -o x.html" in read()
    assert len(re.findall("<tr><td>(?:system|reference)</td>", read())) == 8
    assert "<sup>" in read() if more else "<sup>" not in read()


def test_what_the_page_says_is_printed(matrix_file, run):
    answer = run("report", "--matrix", matrix_file, "-o", "x.html", "-m", "bleu", "ter", "-q")
    results = score_matrix(matrix_file, ["bleu", "ter"], test="ar", all_pairs=True)
    first, *others = matrix.tell(results, plan_of(Sampling("ar", 10000), 3))
    text = f"{first}\n\n" + "".join(f"- {one}\n" for one in others)
    assert " ".join(answer.out.split()) == " ".join(text.split())
    assert answer.out.startswith(textwrap.fill(first, 79, break_on_hyphens=False))
    assert max(map(len, answer.out.splitlines())) <= 79
    assert first.startswith("Average over 2 language pairs (120 segments): better is significantly better than both")
    assert [one.partition(":")[0] for one in others[2:]] == [
        *("Best BLEU", "Best TER", "de-en (60 segments, 1 reference)", "en-fr (60 segments, 1 reference)")
    ]


def test_a_single_pair_speaks_for_itself():
    results = score_matrix(texts_of(["de-en"]), test="ar", all_pairs=True, trials=400)
    (sentence,) = matrix.tell(results, plan_of(Sampling("ar", 400), 3))
    assert sentence.startswith("de-en (60 segments, 1 reference): better is significantly better than both")


def test_the_same_input_gives_the_same_bytes(matrix_file, run):
    pages = []
    for _ in range(2):
        assert run("report", "--matrix", matrix_file, "-o", "x.html", "-q").status == 0
        pages.append(read())
    assert pages[0] == pages[1]
    assert "http://" not in pages[0].replace("http://www.w3.org/2000/svg", "")


def test_the_bootstrap_brings_its_own_intervals(matrix_file, run):
    assert run("report", "--matrix", matrix_file, "-o", "x.html", "-q", "-pbs", "-pbsn", "500").status == 0
    results = score_matrix(matrix_file, test="bs", trials=500, all_pairs=True)
    plan = plan_of(Sampling("bs", 500), 3)
    assert before_run(read()) == before_run(matrix.render(results, "base", plan))
    assert "95% intervals by bootstrap (500 resamples, seed 12345). Paired bootstrap of every pair" in read()


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("ref.txt",), "references cannot be combined with --matrix: its file names the texts"),
        (("-i", "a.txt"), "--input cannot be combined with --matrix: its file names the texts"),
        (("--unit", "doc"), "--unit cannot be combined with --matrix: a matrix has no labels"),
        (("--by", "domain"), "--by cannot be combined with --matrix: a matrix has no groups"),
        (("--like", "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"), "--like cannot be combined"),
        (("-o", "m.toml"), "--output m.toml is also an input; name another file"),
    ],
)
def test_what_the_page_cannot_show_is_refused(matrix_file, run, words, part):
    refused(run("report", "--matrix", matrix_file, "-o", "x.html", *words), part)
    assert not os.path.exists("x.html")


def test_scores_from_elsewhere_have_a_table(matrix_file, run):
    rng = random.Random(2)
    numbers = {}
    for pair in ("de-en", "en-fr"):
        for name in SHARES:
            numbers[pair, name] = [round(rng.uniform(0.2, 0.9), 4) for _ in range(60)]
            with open(f"{pair}.{name}.comet", "w", encoding="utf-8") as file:
                file.writelines(f"{number}\n" for number in numbers[pair, name])
    names = f"names = {list(SHARES)}\n".replace("'", '"')
    with open(matrix_file, "a", encoding="utf-8") as file:
        file.write(names)
    words = ("--scores", "COMET={pair}.{system}.comet", "-o", "x.html", "-q")
    assert run("report", "--matrix", matrix_file, *words).status == 0
    table = read().partition('aria-label="Table of COMET"')[2].partition("</table>")[0]
    found = re.findall(r"<td[^>]*>(\d\.\d+)<", table)
    means = {key: sum(column) / 60 for key, column in numbers.items()}
    order = re.findall(r'<th scope="row">(\w+)', table)
    expected = []
    for name in order:
        both = means["de-en", name], means["en-fr", name]
        expected += [f"{one:.3f}" for one in (*both, sum(both) / 2)]
    assert found == expected


def test_the_number_of_resamples_is_that_of_intervals_unless_the_test_gives_them(matrix_file, run):
    answer = run("report", "--matrix", matrix_file, "-o", "x.html", "-par", "-cin", "50")
    assert warnings_in(answer) == []
    assert "95% intervals by bootstrap (50 resamples, seed 12345). Paired approximate randomization" in read()
    answer = run("report", "--matrix", matrix_file, "-o", "x.html", "-pbs", "-cin", "50")
    told = "without effect: --confidence-n (a paired bootstrap has intervals of its own)"
    assert warnings_in(answer) == [f"bleu: warning: {told}"]


def test_outputs_that_cannot_be_scored_are_named(matrix_file, write, run):
    write("en-fr.better", "one line\n")
    refused(run("report", "--matrix", matrix_file, "-o", "x.html", "-q"), "en-fr.better")
    assert not os.path.exists("x.html")
    answer = run("report", "--matrix", matrix_file, "-o", "x.html", "-q", "--keep-going")
    assert answer.status == 2
    assert answer.err.splitlines()[-1] == "bleu: error: 1 output could not be scored (see above)"
    assert "<li>better pair=en-fr was left out: " in read()


def test_a_single_system_is_compared_with_nothing(folder, run):
    write_texts(str(folder), texts_of(names=("better",)))
    answer = run("report", "--matrix", "m.toml", "-o", "x.html", "-q", "-cin", "50")
    assert answer.status == 0
    assert answer.out.startswith("Average over 2 language pairs (120 segments): better scores ")
    assert "(50 resamples, seed 12345)" in read()
    assert 'class="best"' not in read()
    refused(run("report", "--matrix", "m.toml", "-o", "x.html", "-par"), "compares systems, but only one was given")


def test_names_never_become_markup(run):
    systems, references = texts_of(("de-en",))["de-en"]
    names = ("</script><b>", 'a"&<i>', "b\u202e|")
    with warnings.catch_warnings(action="ignore"):
        page = compare_matrix({"de-en": (dict(zip(names, systems.values(), strict=True)), references)}, trials=99)
    assert not re.search("<b>(?!.*</b>)|<i>|\u202e", page.replace("<b>{", ""))
    assert page.count("</script>") == 2
    assert "b\\u202e|" in page


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"trials": 0}, "trials 0; expected a number from 1 to 10000000"),
        ({"baseline": "none"}, "baseline 'none'; choose one of the systems: base, better, equal"),
        ({"metrics": []}, "no metric was given; name at least one"),
        ({"encoding": "utf-16"}, "encoding 'utf-16' is for files, but the matrix has strings"),
    ],
)
def test_arguments_are_checked(options, told):
    with pytest.raises(BleuError) as caught:
        compare_matrix(texts_of(), **options)
    assert str(caught.value).startswith(told)


# --- in a browser


@pytest.fixture(scope="module")
def page_address(tmp_path_factory):
    """Return the address of a page about twelve pairs and two metrics."""
    pairs = [f"en-{target}" for target in ("cs", "de", "es", "fi", "fr", "hi", "is", "lt", "ru", "sv", "uk", "zh")]
    texts = texts_of(pairs, size=12)
    del texts["en-zh"][0]["equal"]
    path = tmp_path_factory.mktemp("page") / "x.html"
    with warnings.catch_warnings(action="ignore"):
        path.write_text(compare_matrix(texts, ["bleu", "ter"], baseline="base", trials=199), encoding="utf-8")
    return f"file://{path}"


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [NARROW, WIDE])
def test_axe_finds_no_fault_and_nothing_overflows(chromium, page_address, size, theme):
    with watch(chromium, page_address, size, theme) as watched:
        watched.page.wait_for_selector("svg")
        assert find_faults(watched.page) == []
        assert watched.page.evaluate("document.documentElement.scrollWidth") <= size[0]
        assert watched.said == []
        assert watched.asked == [page_address]


@pytest.mark.slow
def test_each_figure_is_drawn_with_its_baseline(chromium, page_address):
    with watch(chromium, page_address) as watched:
        page = watched.page
        assert page.locator("figure svg").count() == 2 * 13
        for figure in page.locator("figure").all():
            rows = figure.locator("tbody tr").count()
            drawn = figure.locator("path.marker").evaluate_all("all => all.map((one) => one.getAttribute('d'))")
            assert len(drawn) == rows
            assert sum("h7v7h-7z" in one for one in drawn) == figure.locator("path.zero").count() == 1
            assert not figure.locator("table").is_visible()
        widths = page.locator("svg").evaluate_all("all => all.map((one) => one.viewBox.baseVal.width)")
        assert len(set(widths)) == 1, "letters are as large everywhere"
        first = page.locator("svg").first.bounding_box()["width"]
        page.set_viewport_size({"width": 400, "height": 700})
        page.wait_for_timeout(400)
        assert page.locator("svg").first.bounding_box()["width"] < first
        # The names stay in view while the table is scrolled
        table = page.locator(".scroll").first
        table.evaluate("(one) => one.scrollTo(300, 0)")
        assert page.locator(".matrix tbody th").first.bounding_box()["x"] == table.bounding_box()["x"]


@pytest.mark.slow
def test_without_javascript_the_numbers_are_in_tables(chromium, page_address):
    with watch(chromium, page_address, java_script_enabled=False) as watched:
        assert watched.page.locator("svg").count() == 0
        assert all(one.is_visible() for one in watched.page.locator("figure table").all())
