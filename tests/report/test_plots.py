"""Figures for papers and notebooks: from Python, and by `bleu plot`."""

from __future__ import annotations

import os
import random
import re
import warnings
from itertools import pairwise

import pytest
from conftest import ROOT, raised, refused, warnings_in
from oracles import read_lines
from sample_results import record

pytest.importorskip("matplotlib", reason="matplotlib is not installed; there are no figures")

from bleucli import BLEU, CHRF, BleuError, score_matrix
from bleucli.report import plots
from bleucli.results import Ranking, Results, SystemResult, Test, tell_ranks
from bleucli.significance.comparison import rank_ranges

DEMO = os.path.join(ROOT, "bleucli", "testsets", "demo")
TEXTS = ("reference.A.de.txt", "reference.B.de.txt", "-i", "weak.de.txt", "strong.de.txt", "-q")


@pytest.fixture(scope="module")
def stats():
    references = [read_lines(DEMO, "reference.A.de.txt")]
    return {
        name: BLEU().corpus_stats(read_lines(DEMO, f"{name}.de.txt"), references, keep_rows=True)
        for name in ("weak", "strong")
    }


@pytest.mark.parametrize("kind", ["forest", "pairs", "lengths", "segments"])
@pytest.mark.parametrize(
    ("ending", "start"),
    [
        ("svg", b"<?xml"),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in (("pdf", b"%PDF"), ("png", b"\x89PNG"))),
    ],
)
def test_the_command_draws(demo_files, run, kind, ending, start):
    files = []
    for name in ("one", "other"):
        assert run("plot", *TEXTS, "-o", f"{name}.{ending}", "--kind", kind, "--width", "84mm") == (0, "", "")
        with open(f"{name}.{ending}", "rb") as file:
            files.append(file.read())
    assert files[0].startswith(start)
    assert files[0] == files[1]
    if ending == "svg":
        assert "strong.de" in files[0].decode() if kind != "segments" else b"weak.de" in files[0]
        assert float(re.search(rb'width="([\d.]+)pt"', files[0])[1]) == pytest.approx(84 / 25.4 * 72, abs=0.01)


# --- settings of the user's other figures

# Each makes other figures, or a failure; each of the others makes remarks on stderr
SETTINGS = ("text.usetex: True", "savefig.bbox: tight", "font.size: 30", "path.sketch: 5, 100, 2")
MISTAKES = ("backend: nope", "a line without a colon")


@pytest.fixture
def pictures(pair, write, folder, command):
    """Make a page and a figure, with a home of its own; return what is in them."""
    other = write("other.txt", "the cat sat on the mat\nhello world\n")

    def make():
        # In a new cache, matplotlib would look at every font again
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        home = {"HOME": str(folder), "XDG_CONFIG_HOME": "", "MPLCONFIGDIR": "", "XDG_CACHE_HOME": cache}
        words = (*pair, other, "-q", "-o")
        told = command("report", *words, "page.html", variables=home)
        assert (told.status, told.err) == (0, "")
        assert command("plot", *words, "figure.pdf", variables=home) == (0, "", "")
        return [(folder / name).read_bytes() for name in ("page.html", "figure.pdf")]

    return make


@pytest.mark.slow
def test_settings_for_other_figures_change_nothing(pictures, folder):
    plain = pictures()
    here, at_home = folder / "matplotlibrc", folder / ".config" / "matplotlib" / "matplotlibrc"
    at_home.parent.mkdir(parents=True, exist_ok=True)
    for place, lines in ((here, SETTINGS), (here, MISTAKES), (at_home, (*SETTINGS, *MISTAKES))):
        place.write_text("\n".join(lines), encoding="utf-8")
        assert pictures() == plain, lines
        place.unlink()


def test_settings_that_matplotlib_refuses_are_an_error_in_one_line(demo_files, folder, command):
    words = ("plot", *TEXTS, "-o", "figure.pdf")
    refused(command(*words, variables={"MPLBACKEND": "nope"}), "matplotlib refuses your settings", "MPLBACKEND")
    (folder / "matplotlibrc").write_bytes(b"\xff")
    refused(
        command(*words), "matplotlib refuses your settings ('utf-8' codec can't decode", "fix the file matplotlibrc"
    )


def test_a_style_of_the_caller_reaches_no_figure_and_stays_as_it_is(stats):
    import matplotlib as mpl

    plain = plots.save(plots.forest(plots.compare(stats, trials=99)), "pdf")
    style = {"text.usetex": True, "savefig.bbox": "tight", "font.size": 30.0, "axes.grid": True}
    with mpl.rc_context(style):
        assert plots.save(plots.forest(plots.compare(stats, trials=99)), "pdf") == plain
        assert {name: mpl.rcParams[name] for name in style} == style


def test_the_metric_that_is_named_is_drawn(demo_files, run):
    assert run("plot", *TEXTS, "-m", "ter", "-o", "x.svg").status == 0
    with open("x.svg", encoding="utf-8") as file:
        drawn = file.read()
    assert ">TER</text>" in drawn
    assert ">BLEU</text>" not in drawn


def test_without_m_the_metric_of_like_is_drawn(demo_files, run):
    signature = "chrF2|nrefs:2|case:mixed|eff:yes|nc:6|nw:0|space:no"
    assert run("plot", *TEXTS, "--like", signature, "-o", "x.svg").status == 0
    with open("x.svg", encoding="utf-8") as file:
        assert ">chrF2</text>" in file.read()


def test_numbers_in_figures_are_those_of_results(stats):
    results = plots.compare(stats, trials=100)
    for width in (2.5, 3.3, 7.0):
        figure = plots.forest(results, width=width)
        assert figure.get_figwidth() == width
        told = [text.get_text() for text in figure.axes[0].texts]
        scores = sorted((system.scores[0].score for system in results.systems), reverse=True)
        assert told == [f"{score:.2f} ({rank})" for rank, score in enumerate(scores, 1)]
    (cell, _) = (text.get_text() for text in plots.pairs(results).axes[0].texts)
    assert cell.startswith(f"+{scores[0] - scores[1]:.1f}\n")
    points = next(line for line in plots.segments(stats).axes[0].lines if len(line.get_xdata()) == 100)
    rows = BLEU(effective_order=True).scores_from_stats(stats["weak"].rows)
    assert list(points.get_xdata()) == list(rows)
    lines = plots.lengths(stats, [len(text.split()) for text in read_lines(DEMO, "reference.A.de.txt")]).axes[0].lines
    assert len(lines) == 2


@pytest.mark.slow
def test_figures_of_pairs_are_readable_at_40_systems():
    names = [f"system {number}" for number in range(40)]
    scores = [record(30.0 - number / 4) for number in range(40)]
    table = [[None if a == b else 0.2 if abs(a - b) < 4 else 0.001 for b in range(40)] for a in range(40)]
    ranking = Ranking("BLEU", table, table, [1] * 40, rank_ranges(scores, table))
    systems = [SystemResult(name, [score]) for name, score in zip(names, scores, strict=True)]
    figure = plots.pairs(Results(systems, 100, [], Test("ar", 99), [ranking]))
    figure.draw_without_rendering()
    (axes,) = figure.axes
    for labels, side in ((axes.get_yticklabels(), "y0"), (axes.get_xticklabels(), "x0")):
        boxes = [label.get_window_extent() for label in labels]
        assert all(label.get_fontsize() >= 6 for label in labels)
        for one, other in pairwise(sorted(boxes, key=lambda box: getattr(box, side))):
            assert not one.overlaps(other)
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        f"{name}  {place}" for place, name in enumerate(names, 1)
    ]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", *map(str, range(5, 41, 5))]


def test_a_figure_of_segments_says_which_systems_it_leaves_out(demo_files, run):
    words = ("reference.A.de.txt", "-i", "weak.de.txt", "strong.de.txt", "reference.B.de.txt", "--names", "a,b,c")
    drawn = ("-o", "x.svg", "--kind", "segments")
    (told,) = (line for line in warnings_in(run("plot", *words, *drawn)) if "a figure" in line)
    assert told == (
        "bleu: warning: a figure of segments compares two systems, so it shows only a and b; to choose others,"
        " name only these with -i"
    )
    assert not any("a figure" in line for line in warnings_in(run("plot", *words[:4], *drawn)))


def test_legends_name_every_system(stats):
    named = {"_best": stats["weak"], "": stats["strong"], "other": stats["weak"]}
    lengths = [len(text.split()) for text in read_lines(DEMO, "reference.A.de.txt")]
    (legend,) = plots.lengths(named, lengths).legends
    assert [text.get_text() for text in legend.get_texts()] == list(named)


def test_the_best_of_many_systems_are_drawn_each_in_its_own_way(stats):
    named = {f"system {number}": stats["weak" if number else "strong"] for number in range(10)}
    figure = plots.lengths(named, [len(text.split()) for text in read_lines(DEMO, "reference.A.de.txt")])
    lines = figure.axes[0].lines
    assert len(lines) == len(figure.legends[0].get_texts()) == plots.MOST_SERIES
    assert len({line.get_color() for line in lines}) == len({line.get_marker() for line in lines}) == len(lines)


def test_what_cannot_be_drawn_is_refused(stats):
    plain = Results(plots.compare(stats, trials=10).systems, 100, [])
    raised(("not tested",), plots.pairs, plain)
    raised(("there is no metric TER", "BLEU"), plots.forest, plain, "TER")
    twice = Results([system._replace(scores=system.scores * 2) for system in plain.systems], 100, [])
    raised(("more than one metric is called BLEU",), plots.forest, twice, "BLEU")
    raised(("compares two systems",), plots.segments, {"one": stats["weak"]})
    raised(("2 lengths for 100 segments",), plots.lengths, stats, [1, 2])
    bare = BLEU().corpus_stats(["a"], [["a"]])
    raised(("has no rows", "keep_rows=True"), plots.compare, {"one": bare})
    other = CHRF().corpus_stats(read_lines(DEMO, "weak.de.txt"), [read_lines(DEMO, "weak.de.txt")], keep_rows=True)
    raised(("not counted with the same metric",), plots.compare, {**stats, "third": other})
    raised(("no system",), plots.compare, {})


def test_names_are_drawn_as_they_are(stats):
    names = ["$\\alpha$ </text><script>", "x" * 60]
    systems = dict(zip(names, stats.values(), strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        svg = plots.save(plots.forest(plots.compare(systems, trials=10)), "svg")[0].decode()
    assert "$\\alpha$ &lt;/text&gt;" in svg
    assert "x" * 60 not in svg
    assert "\N{HORIZONTAL ELLIPSIS}" in svg


def test_a_name_without_a_font_gets_a_hint(demo_files, run):
    answer = run("plot", *TEXTS[:-1], "--names", "a,\U00013000", "-o", "x.pdf")
    assert answer.status == 0
    (told,) = (line for line in warnings_in(answer) if "font" in line)
    assert "no installed font has \U00013000" in told


def test_a_figure_that_leaves_out_systems_gets_a_hint(demo_files, write, run):
    names = [f"{number}.txt" for number in range(9)]
    for name in names:
        write(name, "".join(f"{line}\n" for line in read_lines(DEMO, "weak.de.txt")))
    words = ("plot", "reference.A.de.txt", "-i", *names, "-o", "x.svg")
    (told,) = (line for line in warnings_in(run(*words, "--kind", "lengths")) if "a figure" in line)
    assert "it shows only the 8 best of 9" in told
    assert not any("a figure" in line for line in warnings_in(run(*words)))


def test_series_can_be_distinguished_without_colour():
    looks = [plots.series(place, 8.0) for place in range(plots.MOST_SERIES)]
    for kind in ("color", "marker", "linestyle"):
        assert len({str(one[kind]) for one in looks}) == plots.MOST_SERIES


@pytest.mark.parametrize(
    ("draw", "told"),
    [
        (lambda stats: plots.compare([stats]), "stats: expected statistics by name; write"),
        (lambda stats: plots.compare({"a": 1}), "stats: expected statistics by name; write"),
        (
            lambda stats: plots.compare(stats, trials=10**12),
            "trials 1000000000000; expected a number from 1 to 10000000",
        ),
        (lambda stats: plots.forest({}), "results of type dict; give what plots.compare or evaluate_systems returns"),
        (lambda stats: plots.forest(Results([], 0, [])), "the results have no system"),
        (lambda stats: plots.segments(stats, width=0), "width 0; expected inches, from 1 to 30"),
        (lambda stats: plots.segments(stats, width=float("nan")), "width nan; expected inches, from 1 to 30"),
        (lambda stats: plots.segments(stats, width="3in"), "width '3in' is of type str; give a number"),
        (lambda stats: plots.lengths(stats, None), "of_segments: expected a list of lengths"),
        (lambda stats: plots.lengths(stats, [1, None]), "length None is of type NoneType; give a whole number"),
        (lambda stats: plots.lengths(stats, iter([1.5])), "length 1.5 is of type float; give a whole number"),
        (lambda stats: plots.lengths(stats, [-1]), "length -1; expected a number from 0"),
        (lambda stats: plots.lengths(stats, iter([1, 2])), "2 lengths for 100 segments; give one for each"),
    ],
)
def test_arguments_of_figures_are_checked(stats, draw, told):
    with pytest.raises(BleuError) as caught:
        draw(stats)
    assert str(caught.value).startswith(told)


def matrix_texts():
    rng = random.Random(5)
    lines = [" ".join(rng.choices("abcdefgh", k=7)) for _ in range(30)]
    shares = {"base": 0.3, "equal": 0.3, "better": 0.1}
    outputs = {
        name: [" ".join(word if rng.random() > share else "x" for word in line.split()) for line in lines]
        for name, share in shares.items()
    }
    return {"en-de": (outputs, [lines]), "en-fr": ({name: outputs[name] for name in ("base", "better")}, [lines])}


def matrix_of(**options):
    texts = matrix_texts()
    with warnings.catch_warnings(action="ignore"):
        return score_matrix(texts, ["bleu", "chrf"], **options)


def test_a_figure_of_a_matrix_shows_each_pair_and_the_averages():
    results = matrix_of(test="bs", trials=400)
    figure = plots.matrix(results, "chrF2", width=7)
    assert [axes.get_title() for axes in figure.axes] == ["en-de", "en-fr", "average"]
    for axes, group in zip(figure.axes, results.with_averages().groups(), strict=True):
        records = [row.scores[1] for row in group.systems]
        assert [text.get_text() for text in axes.texts] == [f"{one.score:.1f}" for one in records]
        points = [line for line in axes.lines if line.get_marker() in "os" and len(line.get_xdata()) == 1]
        assert [line.get_xdata()[0] for line in points] == [one.score for one in records]
        assert [line.get_ydata()[0] for line in points] == [results.names.index(row.bare_name) for row in group.systems]
        assert [line.get_marker() for line in points] == ["s", *"o" * (len(records) - 1)]
        hollow = [line.get_markerfacecolor() == "white" for line in points]
        assert hollow == [False, *(not one.differs for one in records[1:])]
        bounds = [tuple(line.get_xdata()) for line in axes.lines if line.get_marker() == "|"]
        assert bounds == [one.interval.bounds for one in records]
    assert figure.axes[0].get_yticklabels()[2].get_text() == "better"
    assert any(line.get_markerfacecolor() == "white" for line in figure.axes[0].lines)


def test_a_figure_of_a_matrix_has_ranks_and_breaks_into_rows():
    results = matrix_of(test="ar", trials=400, all_pairs=True)
    figure = plots.matrix(results, "BLEU", width=2)
    ranks = results.groups()[0].rankings[0].ranks
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert [text.partition(" ")[2] for text in texts] == [f"({tell_ranks(both)})" for both in ranks]
    assert [axes.get_subplotspec().rowspan.start for axes in figure.axes] == [0, 0, 1]
    assert not any(line.get_marker() == "s" for line in figure.axes[0].lines), "there is no baseline"
    plots.matrix(matrix_of(), "BLEU")
    with pytest.raises(BleuError, match="no language pairs; give what score_matrix returns"):
        plots.matrix(Results([SystemResult("a", [record(50.0)])], 3, []))


def test_the_rows_of_a_figure_of_a_matrix_have_as_many_panels():
    texts = {"a": ["a b c d"], "b": ["a b c e"]}, [["a b c d"]]
    with warnings.catch_warnings(action="ignore"):
        results = score_matrix({f"en-{target}": texts for target in ("cs", "de", "fr", "ru", "uk")})
    for width, across in ((9, 6), (6.6, 3), (3.3, 3), (2, 2), (1, 1)):
        panels = plots.matrix(results, width=width).axes
        assert [axes.get_subplotspec().colspan.start for axes in panels] == [*range(across)] * (6 // across), width


@pytest.mark.parametrize("size", [14, 26])
def test_a_figure_of_many_systems_and_pairs_fits_a_page(size):
    texts = {f"{number}": ["a b c d" if number % 2 else "a b c e"] for number in range(size)}, [["a b c d"]]
    with warnings.catch_warnings(action="ignore"):
        results = score_matrix({f"en-{target}": texts for target in ("cs", "de", "es", "fi", "fr", "hi", "ja", "ru")})
    figure = plots.matrix(results)
    assert figure.get_figheight() == 9
    rows = figure.axes[0]
    figure.draw_without_rendering()
    step = abs(rows.transData.transform((0, 1))[1] - rows.transData.transform((0, 0))[1]) / figure.dpi * 72
    scores = [text for axes in figure.axes for text in axes.texts]
    assert len(scores) == 9 * size
    assert all(4.5 < text.get_fontsize() <= step for text in (*scores, *rows.get_yticklabels()))
    assert all(text.get_position()[0] > 1 for text in scores), "beside the panel"


@pytest.fixture
def matrix_file(write):
    """Write the texts of a matrix, and the file that names them."""
    for pair, (outputs, references) in matrix_texts().items():
        for name, lines in {**outputs, "ref": references[0]}.items():
            write(f"{pair}.{name}", "".join(f"{line}\n" for line in lines))
    return write("m.toml", PATTERNS + BASELINE)


PATTERNS = 'references = "{pair}.ref"\nsystems = "{pair}.{system}"\n'
BASELINE = 'baseline = "base"\n'


@pytest.mark.parametrize(
    ("more", "words", "options"),
    [
        (BASELINE, (), {"test": "bs", "trials": 1000}),
        (BASELINE, ("--width", "4in"), {"test": "bs", "trials": 1000}),
        (BASELINE, ("-pbsn", "400"), {"test": "bs", "trials": 400}),
        (BASELINE, ("-par", "-parn", "400"), {"test": "ar", "trials": 400}),
        ("", ("--paired-bs", "-pbsn", "400"), {"test": "bs", "trials": 400, "all_pairs": True}),
        ("", ("-par", "-parn", "400"), {"test": "ar", "trials": 400, "all_pairs": True}),
        ('names = ["base"]\n', ("-cin", "50"), {"n_bootstrap": 50}),
    ],
)
def test_the_command_draws_a_matrix_as_python_does(matrix_file, write, run, more, words, options):
    write(matrix_file, PATTERNS + more)
    width = 4 if "--width" in words else 2 * plots.WIDTH
    answer = run("plot", "--matrix", matrix_file, "-m", "chrf", "-o", "x.svg", *words)
    with warnings.catch_warnings(action="ignore"):
        results = score_matrix(matrix_file, "chrf", **options)
    assert (answer.status, answer.out) == (0, "")
    assert warnings_in(answer) == [f"bleu: warning: {hint}" for hint in results.hints]
    is_alone = "names" in more
    assert any("no output: en-fr by equal" in hint for hint in results.hints) != is_alone
    assert results.has_baseline() == (more == BASELINE)
    assert all(row.scores[0].interval for row in results.systems) == ("-par" not in words)
    with open("x.svg", "rb") as file:
        assert file.read() == plots.save(plots.matrix(results, width=width), "svg")[0]


def test_a_matrix_of_scores_from_elsewhere_is_drawn(matrix_file, write, run):
    os.mkdir("comet")
    for pair in ("en-de", "en-fr"):
        write(f"comet/{pair}", "".join(f"{name}\t0.5\n" for name in ("base", "equal", "better") for _ in range(30)))
    os.unlink("en-de.equal")
    assert run("plot", "--matrix", matrix_file, "--scores", "COMET=comet/{pair}", "-o", "x.svg", "-q").status == 0
    with open("x.svg", encoding="utf-8") as file:
        drawn = file.read()
    assert ">COMET</text>" in drawn
    assert ">0.5000</text>" in drawn
    assert ">BLEU</text>" not in drawn


def test_a_matrix_is_drawn_without_outputs_that_cannot_be_scored(matrix_file, write, run):
    write("en-fr.better", "one line\n")
    refused(run("plot", "--matrix", matrix_file, "-o", "x.svg", "-q"), "en-fr.better")
    assert not os.path.exists("x.svg")
    answer = run("plot", "--matrix", matrix_file, "-o", "x.svg", "-q", "--keep-going")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.splitlines()[-1] == "bleu: error: 1 output could not be scored (see above)"
    with open("x.svg", encoding="utf-8") as file:
        assert file.read().count(">better</text>") == 1


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("ref.txt",), "references cannot be combined with --matrix: its file names the texts"),
        (("-i", "a.txt"), "--input cannot be combined with --matrix: its file names the texts"),
        (("-l", "en-de"), "--language-pair cannot be combined with --matrix"),
        (("--unit", "doc"), "--unit cannot be combined with --matrix: a matrix has no labels"),
        (("--kind", "forest"), "--kind cannot be combined with --matrix: a matrix has one kind of figure"),
        (("-m", "bleu", "chrf"), "bleu plot shows one metric; leave out chrf"),
        (("--strict",), "1 warning, and --strict allows none"),
    ],
)
def test_what_a_figure_of_a_matrix_cannot_show_is_refused(matrix_file, run, words, part):
    answer = run("plot", "--matrix", matrix_file, "-o", "x.svg", *words)
    assert (answer.status, answer.out) == (2, "")
    assert part in answer.err.splitlines()[-1]
    assert not os.path.exists("x.svg")


def test_a_figure_of_a_matrix_says_which_options_have_no_effect(matrix_file, run):
    answer = run("plot", "--matrix", matrix_file, "-o", "x.svg", "-cin", "50", "-par", "-parn", "50")
    told = "without effect: --confidence-n (a matrix that is tested by approximate randomization has no intervals)"
    assert f"bleu: warning: {told}" in answer.err.splitlines()
    answer = run("plot", "--matrix", matrix_file, "-o", "x.svg", "-cin", "50", "-pbsn", "400")
    told = "without effect: --confidence-n (a paired bootstrap has intervals of its own)"
    assert [line for line in warnings_in(answer) if "without effect" in line] == [f"bleu: warning: {told}"]
    refused(run("plot", "--matrix", "", "-o", "x.svg"), "FILE is empty")


def test_the_file_of_a_matrix_is_not_overwritten(matrix_file, write, run):
    with open(matrix_file, "rb") as file:
        write("m.svg", file.read())
    refused(run("plot", "--matrix", "m.svg", "-o", "m.svg", "-q"), "--output m.svg is also an input")
