"""The data and the sentences of a report: the command's numbers, and no claim that its tests do not support."""

from __future__ import annotations

import json
import math
import os
import random
import re
import sys
import warnings
from html import unescape

import pytest
from conftest import ROOT, raised, refused
from oracles import read_lines

pytest.importorskip("jinja2", reason="Jinja2 is not installed; there are no pages")

import numpy as np

from bleucli import BLEU, CHRF, TER, BleuError, compare_systems, explain, explain_difference
from bleucli.counting import count
from bleucli.counting.corpus import of_strings
from bleucli.prose.ngrams import cover
from bleucli.report import charts, contents, page, passages, verdicts
from bleucli.results import Interval, Ranking, tell_ranks
from bleucli.scoring import score_counted
from bleucli.significance.comparison import rank_ranges

DEMO = os.path.join(ROOT, "bleucli", "testsets", "demo")
MINUS = "\N{MINUS SIGN}"
EPOCH = {"SOURCE_DATE_EPOCH": "0"}
FIVE = ("bleu", "chrf", "ter", "wer", "cer")


def demo(name):
    return read_lines(DEMO, f"{name}.de.txt")


def report_of(systems, references, metrics=None, trials=200, **options):
    """Return the report of systems, by name."""
    metrics = metrics or [BLEU(), CHRF(), TER()]
    corpus, again = of_strings(list(systems.items()), references).kept()
    counted = count(corpus, metrics, keep_rows=True, inspect=True)
    measured = [contents.of_metric(one, [s.stats[place] for s in counted]) for place, one in enumerate(metrics)]
    plan = contents.plan_of(None, len(systems))
    if plan.tests is not None:
        plan = plan._replace(tests=plan.tests._replace(trials=trials))
    return contents.make_report(score_counted(counted, metrics), measured, again, plan, **options)


@pytest.fixture(scope="module")
def whole():
    """Return the report of the demo's systems, and of a third, which is the better one made worse in some segments."""
    strong, weak = demo("strong"), demo("weak")
    mixed = [one if place % 3 else other for place, (one, other) in enumerate(zip(strong, weak, strict=True))]
    return report_of(
        {"weak": weak, "strong": strong, "mixed": mixed}, [demo("reference.A"), demo("reference.B")], trials=500
    )


def data_in(html):
    """Return what the script of a page reads."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)[1])


# --- numbers


def test_rows_in_temporary_files_are_those_that_were_counted():
    systems = {"weak": demo("weak"), "strong": demo("strong")}
    whole = count(of_strings(list(systems.items()), [demo("reference.A")]), [BLEU(), TER()], keep_rows=True)
    kept = contents.KeptRows()
    for start in range(0, len(demo("weak")), 7):
        block = {name: texts[start : start + 7] for name, texts in systems.items()}
        corpus = of_strings(list(block.items()), [demo("reference.A")[start : start + 7]])
        more = count(corpus, [BLEU(), TER()], keep_rows=True)
        kept.add([one._replace(stats=[one.stats[0], one.stats[1].without_rows()]) for one in more])
        assert kept.segments == min(start + 7, len(demo("weak")))
    systems = kept.take()
    for one, other in zip(systems, whole, strict=True):
        assert one.stats[0] == other.stats[0]
        assert one.stats[1] == other.stats[1].without_rows()
    assert kept.take() == []


def test_data_written_in_parts_are_those_written_at_once():
    data = {"long": [["</script>", n] for n in range(450)], "short": [1], "none": [], "text": "&", "more": {"a": None}}
    assert "".join(page._write_json(data)) == page.safe_json(data)


def test_numbers_are_those_of_the_command(run, demo_files):
    texts = ("reference.A.de.txt", "reference.B.de.txt", "-i", "weak.de.txt", "strong.de.txt", "-m", *FIVE)
    seen = run("report", *texts, "-o", "seen.html", "-q", variables=EPOCH)
    assert (seen.status, seen.err) == (0, "")
    with open("seen.html", encoding="utf-8") as file:
        html = file.read()
    table = re.search(r'<table id="table".*?</table>', html, re.DOTALL)[0]
    rows = re.findall(r'<tr><th scope="row">(weak|strong)\.de</th>(.*?)</tr>', table, re.DOTALL)
    shown = {name: re.findall(r"<td[^>]*>(.*?)</td>", cells) for name, cells in rows}
    intervals = json.loads(run(*texts, "-ci", "-q", "-w", "12").out)
    tests = json.loads(run(*texts, "-par", "--paired-all", "-q").out)
    for one, other in zip(intervals, tests, strict=True):
        name = re.search(r"(weak|strong)", one["system"])[1]
        cells = iter(shown[name])
        for metric in list(one)[1:]:
            score, interval, p_value, ranks, cluster = (next(cells) for _ in range(5))
            assert score == f"{one[metric]['score']:.2f}"
            assert interval == f"{one[metric]['confidence_mean']:.2f} ± {one[metric]['confidence_var']:.2f}"
            (corrected,) = (found["corrected"] for found in other[metric]["p_values"].values())
            assert p_value in ("\N{EN DASH}", f"{corrected:.4f}")
            assert int(cluster) == other[metric]["cluster"]
            assert ranks == tell_ranks(tuple(other[metric]["rank"].values()))
            plain = one[metric]["signature"].replace("|bs:1000|seed:12345", "")
            assert f"{metric}|{plain}" in html
    data = data_in(html)
    called = {"bleu": "BLEU", "chrf": "chrF2", "ter": "TER", "cer": "CER", "wer": "WER"}
    places = {one["name"]: place for place, one in enumerate(data["columns"])}
    for number, name in enumerate(("weak", "strong")):
        for word in FIVE:
            words = ("reference.A.de.txt", "reference.B.de.txt", "-i", f"{name}.de.txt", "-m", word, "-sl", "-q")
            found = [json.loads(line)["score"] for line in run(*words, "-f", "jsonl").out.splitlines()]
            assert np.allclose(data["scores"][places[called[word]]][number], found, rtol=0, atol=0.00501)


def test_influences_and_shares_are_those_of_explain(whole):
    references = [demo("reference.A"), demo("reference.B")]
    for place, metric in enumerate((BLEU(), CHRF(), TER())):
        found = explain_difference(demo("weak"), demo("strong"), references, metric, most=100)
        column = whole.columns[place]
        influences = column.influences[1] - column.influences[0]
        for segment in found.influences:
            assert math.isclose(influences[segment.line], segment.influence, abs_tol=1e-9)
        assert np.count_nonzero(abs(influences) > 1e-9) == found.moving
        pair = whole.pair(1, 0)
        assert [share.factor for share in pair.shares[place]] == [share.factor for share in found.shares]
        for ours, theirs in zip(pair.shares[place], found.shares, strict=True):
            assert math.isclose(ours.points, theirs.points, abs_tol=1e-12)


def test_groups_are_scored_by_themselves(whole):
    grouping = whole.groups[0]
    assert (grouping.kind, sum(grouping.sizes)) == ("length", 100)
    references = [demo("reference.A"), demo("reference.B")]
    for group in range(len(grouping.labels)):
        chosen = [line for line in range(100) if grouping.of[line] == group]
        assert len(chosen) == grouping.sizes[group]
        for place, metric in enumerate((BLEU(), CHRF(), TER())):
            stats = metric.corpus_stats(demo("strong"), references, keep_rows=True).take(chosen)
            assert math.isclose(grouping.scores[place][1][group], stats.score().score, rel_tol=1e-12)
    lengths = [explain(demo("weak")[line], [demo("reference.A")[line]]).parts.reference_length for line in range(100)]
    for line, length in enumerate(lengths):
        label = grouping.labels[grouping.of[line]]
        bounds = [int(number) for number in re.findall(r"\d+", label)]
        low, high = (0, bounds[0] - 1) if label.startswith("fewer") else (bounds[0], (bounds[1:] or [10**9])[0])
        assert low <= length <= high


def test_segments_are_counted_where_they_are_better(whole):
    pair = whole.pair(0, 1)
    for place, column in enumerate(whole.columns):
        gaps = column.segment_scores[1] - column.segment_scores[0]
        better = (gaps > 0) if column.higher_is_better else (gaps < 0)
        assert pair.wins[place][2] == better.sum()
        assert sum(pair.wins[place]) == sum(pair.counts[place]) == 100
        assert len(pair.counts[place]) == contents.BINS


def test_tests_are_not_run_twice(whole):
    plan = contents.plan_of(None, 2)
    systems = {"weak": demo("weak"), "strong": demo("strong")}
    corpus, again = of_strings(list(systems.items()), [demo("reference.A")]).kept()
    (counted, metrics) = count(corpus, [BLEU()], keep_rows=True), [BLEU()]
    measured = [contents.of_metric(BLEU(), [system.stats[0] for system in counted])]
    tested = score_counted(counted, metrics, sampling=plan.tests)
    marked = tested._replace(rankings=[Ranking("BLEU", [[None, 0.5]] * 2, [[None, 0.5]] * 2, [7, 7], [(1, 2)] * 2)])
    report = contents.make_report(marked, measured, again, plan)
    assert report.columns[0].ranking.clusters == [7, 7]
    assert all(isinstance(record.interval, Interval) for record in report.columns[0].records)


def test_scores_from_elsewhere_are_beside_metrics(write, run):
    write("ref.txt", "a b c d e\nf g h i j\nk l m n o\n")
    write("a.txt", "a b c d e\nf g h i x\nk l m n o\n")
    write("b.txt", "a b c d x\nf g h i y\nk l m x o\n")
    write("a.comet", "1\n2\n3\n")
    write("b.comet", "0.5\n2\n2.5\n")
    words = ("report", "ref.txt", "-i", "a.txt", "b.txt", "-o", "x.html", "--scores")
    assert run(*words, "comet=a.comet,b.comet", "-q").status == 0
    with open("x.html", encoding="utf-8") as file:
        data = data_in(file.read())
    assert [column["name"] for column in data["columns"]] == ["BLEU", "comet"]
    assert data["scores"][1] == [[1, 2, 3], [0.5, 2, 2.5]]
    # the mean without a segment: (6 - 1) / 2 of the first
    assert data["influences"][1][0] == [2 - 2.5, 2 - 2, 2 - 1.5]
    refused(
        run(*words, "comet=a.comet,b.comet,b.comet"), "3 files of scores for 2 systems; give one per system, or one"
    )
    refused(run(*words, "comet=a.comet"), "a.comet does not say which system has which score; give one file per system")
    write("b.comet", "0.5\n2\n")
    refused(run(*words, "comet=a.comet,b.comet"), "b.comet has 2 scores, but there are 3 segments")
    refused(run(*words, "BLEU=a.comet,a.comet"), "scores 'BLEU': this name has another meaning here; choose another")
    refused(run(*words, "a=a.comet,b.comet", "A=a.comet,b.comet"), "scores 'a': other scores already have this name")


@pytest.mark.parametrize(("factor", "decimals"), [(1, 3), (100, 1)])
def test_scores_from_elsewhere_up_to_1_have_more_decimals(write, run, factor, decimals):
    """A lead of 0.008 must not look like 0.01, nor two scores of 0.780 and 0.772 like 0.8 and 0.8."""
    write("ref.txt", "a b c d e\nf g h i j\n" * 10)
    write("a.txt", "a b c d e\nf g h i x\n" * 10)
    write("b.txt", "a b c d x\nf g h i y\n" * 10)
    first, second = [0.7912, 0.7688], [0.7903, 0.7533]
    write("a.comet", "".join(f"{value * factor}\n" for value in first) * 10)
    write("b.comet", "".join(f"{value * factor}\n" for value in second) * 10)
    words = ("report", "ref.txt", "-i", "a.txt", "b.txt", "-o", "x.html", "--scores", "comet=a.comet,b.comet", "-q")
    assert run(*words).status == 0
    with open("x.html", encoding="utf-8") as file:
        page = file.read()
    data = data_in(page)
    best, other = (sum(values) / 2 * factor for values in (first, second))
    assert f"by comet: {best:.{decimals}f}, " in page or f"best comet, {best:.{decimals}f}, " in page
    assert f"by {best - other:.{decimals + 1}f} points of comet" in data["pairs"][0]["told"][1]
    assert f"<td>{best:.{decimals + 1}f}</td>" in page.replace(' class="best"', "").replace("<b>", "").replace(
        "</b>", ""
    )
    assert data["columns"][1]["decimals"] == decimals
    assert data["columns"][0]["decimals"] == 1
    assert data["scores"][1][0][:2] == [round(value * factor, decimals + 1) for value in first]
    (rows,) = (rows[1:] for caption, rows in tables_in(page).items() if caption.startswith("comet with 95% intervals"))
    assert [row[:2] for row in rows] == [["a", f"{best:.{decimals + 1}f}"], ["b", f"{other:.{decimals + 1}f}"]]


def test_systems_that_are_left_out_are_named(write, run):
    write("ref.txt", "a b c d e\nf g h i j\n")
    write("a.txt", "a b c d e\nf g h i x\n")
    write("b.txt", "a b c d x\nf g h i y\n")
    write("short.txt", "a b c d x\n")
    answer = run("report", "ref.txt", "-i", "a.txt", "short.txt", "b.txt", "--keep-going", "-o", "x.html")
    assert (answer.status, answer.out.partition(" ")[0]) == (2, "a")
    assert answer.err.endswith("bleu: error: 1 system could not be scored (see above)\n")
    with open("x.html", encoding="utf-8") as file:
        html = file.read()
    assert "<li>short was left out: ref.txt has 2 segments but short.txt has 1 segment" in html
    assert data_in(html)["names"] == ["a", "b"]


def test_a_single_segment_has_a_report(write, run):
    write("ref.txt", "a b c d e\n")
    write("a.txt", "a b c d e\n")
    write("b.txt", "a b c d x\n")
    assert run("report", "ref.txt", "-i", "a.txt", "b.txt", "-o", "x.html", "-q").status == 0
    assert run("plot", "ref.txt", "-i", "a.txt", "b.txt", "-o", "x.svg", "--kind", "lengths", "-q") == (0, "", "")


def test_a_test_set_brings_sources(demo_files, run):
    words = ("report", "-t", "demo", "-l", "en-de", "-i", "weak.de.txt", "strong.de.txt", "-o", "x.html", "-q")
    assert run(*words).status == 0
    with open("x.html", encoding="utf-8") as file:
        html = file.read()
    data = data_in(html)
    assert [one["source"] for one in data["segments"]] == read_lines(DEMO, "source.en.txt")
    assert (data["language"], data["origin"]) == ("de", "en")
    assert "test:demo|lang:en-de" in html


def test_python_makes_the_same_page(demo_files, run):
    names = ("weak", "strong")
    words = ("reference.A.de.txt", "-i", "weak.de.txt", "strong.de.txt", "--names", "weak,strong", "-m", "bleu", "ter")
    assert run("report", *words, "-o", "x.html", "-q").status == 0
    with open("x.html", encoding="utf-8") as file:
        html = file.read()
    ours = compare_systems({name: demo(name) for name in names}, [demo("reference.A")], ["bleu", "ter"])
    assert data_in(ours) == data_in(html)
    assert ours.partition('<section id="made"')[0] == html.partition('<section id="made"')[0]
    scores = {"rated": [[1.0] * 100, [2.0] * 100]}
    sources = [f"source {line}" for line in range(100)]
    both = {name: demo(name) for name in names}
    data = data_in(compare_systems(both, [demo("reference.A")], sources=sources, scores=scores, trials=10))
    assert [one["source"] for one in data["segments"]] == sources
    assert [one["name"] for one in data["columns"]] == ["BLEU", "rated"]
    raised(("no system",), compare_systems, {}, [demo("reference.A")])
    raised(("100 segments",), compare_systems, both, [demo("reference.A")], sources=["one"])
    raised(("2 systems",), compare_systems, both, [demo("reference.A")], scores={"rated": [[1.0] * 100]})


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"systems": [demo("weak")]}, 'systems: expected lists of strings by name; write {"name": [...], ...}'),
        ({"systems": {1: demo("weak")}}, 'systems: expected lists of strings by name; write {"name": [...], ...}'),
        ({"metrics": []}, "no metric was given; name at least one"),
        ({"metrics": {"bleu": BLEU()}}, "metrics {'bleu': BLEU()}; give a list of names or metrics"),
        ({"trials": 10**12}, "trials 1000000000000; expected a number from 1 to 10000000"),
        ({"sources": "x" * 100}, "source: a bare string where a list of strings belongs; write [text]"),
        ({"sources": []}, "there are 100 segments; give one source per segment"),
        ({"sources": iter(["one"])}, "there are 100 segments; give one source per segment"),
        ({"sources": [3] * 100}, "source 0 (counting from 0) is of type int, not a string"),
        ({"scores": [[1.0] * 100] * 2}, "scores: expected segment scores by tool; write"),
        ({"scores": {3: [[1.0] * 100] * 2}}, "scores: expected segment scores by tool; write"),
        ({"scores": {"rated": [1.0, 2.0]}}, "the scores of rated are not lists of numbers"),
        ({"scores": {"rated": 5}}, "the scores of rated are not lists of numbers"),
    ],
)
def test_arguments_of_a_page_are_checked(given, told):
    """A string of sources was shown as one letter per segment, and an empty list of them was ignored."""
    systems = {name: demo(name) for name in ("weak", "strong")}
    with pytest.raises(BleuError) as caught:
        compare_systems(**{"systems": systems, "references": [demo("reference.A")], **given})
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (float("nan"), ": the score of segment 3 (counting from 0) is missing; give each segment a score, or leave"),
        (float("-inf"), ": segment 3 (counting from 0) has -inf; expected a number from -1e100 to 1e100"),
        (-1e101, ": segment 3 (counting from 0) has -1e+101; expected a number from -1e100 to 1e100"),
        ("q", ": segment 3 (counting from 0) has 'q', which is not a number; give one per segment"),
        (10**400, ": segment 3 (counting from 0) has 1000"),
        (None, ": the score of segment 3 (counting from 0) is missing; give each"),
        ([], ": segment 3 (counting from 0) has no score; give each segment a score"),
        ({}, ": segment 3 (counting from 0) has {}, which is not a number"),
    ],
)
def test_scores_of_other_tools_must_be_numbers(wrong, told):
    both = {name: demo(name) for name in ("weak", "strong")}
    scores = {"rated": [[1.0] * 100, [1.0] * 3 + [wrong] + [1.0] * 96]}
    with pytest.raises(BleuError) as raised:
        compare_systems(both, [demo("reference.A")], scores=scores)
    assert str(raised.value).startswith(f"scores['rated']['strong']{told}")


# --- figures


def tables_in(html):
    """Return the tables of the figures on a page: the rows by caption."""
    figures = re.findall(r"<figcaption[^>]*>(.*?)</figcaption>(.*?)</figure>", html, re.DOTALL)
    return {
        unescape(caption): [
            [unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
            for row in re.findall(r"<tr>(.*?)</tr>", rest, re.DOTALL)
        ]
        for caption, rest in figures
    }


def test_figures_say_how_many_systems_they_leave_out():
    report = report_of({f"system {number}": demo("weak") for number in range(9)}, [demo("reference.A")], [BLEU()], 20)
    limited = [chart for chart in charts.of_systems(report) if "Only the 8 best of 9 systems" in chart.caption]
    assert [chart.caption.partition(". ")[0] for chart in limited] == [
        "BLEU by length of the reference in tokens",
        "F1 of tokens by how often they occur in the first references",
        "Number of segments by how much longer the output is than the first reference",
        "Number of segments by their BLEU",
    ]
    assert all(chart.data["systems"] == list(range(8)) == list(range(len(chart.data["values"]))) for chart in limited)


def test_tables_have_the_numbers_of_figures(whole):
    """Every number that the script draws is in the table of the figure, for readers without JavaScript."""
    tables = tables_in(page.render(whole))
    names = whole.names
    for chart in charts.of_systems(whole):
        header, *rows = tables[chart.caption]
        data = chart.data
        if data["kind"] == "forest":
            drawn = [[names[system], *(f"{one:.2f}" for one in ends[:3])] for system, *ends in data["rows"]]
            assert [row[:4] for row in rows] == drawn
            column = whole.columns[chart.metric]
            assert [row[0] for row in rows] == [names[system] for system in column.order()]
            for name, score, low, high, ranks, cluster in rows:
                record, interval = (one := column.records[names.index(name)]), one.interval
                assert score == f"{record.score:.2f}"
                assert low == f"{interval.mean - interval.half_width:.2f}"
                assert high == f"{interval.mean + interval.half_width:.2f}"
                assert int(cluster) == column.ranking.clusters[names.index(name)]
                assert ranks == tell_ranks(column.ranking.ranks[names.index(name)])
            assert data["ranks"] == [row[4] for row in rows]
        elif data["kind"] == "pairs":
            assert header == ["", *(names[system] for system in data["systems"])]
            for (name, *cells), drawn in zip(rows, data["cells"], strict=True):
                assert cells == ["" if cell is None else " ".join(cell[1:]) for cell in drawn]
                assert drawn[header.index(name) - 1] is None
        else:
            assert header[-len(names) :] == names
            assert len(rows) == len(data["labels"])
            assert [row[0] for row in rows] == list(data["labels"])
            if data["sizes"] is not None:
                assert [row[1] for row in rows] == [f"{size:,}" for size in data["sizes"]]
            columns = list(zip(*rows, strict=True))[-len(names) :]
            for shown, drawn in zip(columns, data["values"], strict=True):
                assert np.allclose([float(one.replace(",", "")) for one in shown], drawn, rtol=1e-5, atol=0.00501)
    grouping = whole.groups[0]
    (chart,) = (one for one in charts.of_systems(whole) if one.caption.startswith("BLEU by length"))
    assert np.allclose(chart.data["values"], grouping.scores[0], rtol=1e-5)


def test_tables_of_two_systems_count_every_segment(whole):
    first, second = whole.columns[0].order()[:2]
    for one, other in ((first, second), (second, first)):
        both, gaps = charts.of_pair(whole, whole.pair(one, other), one, other)
        counts = np.array([list(map(int, row[1:])) for row in both.table[1:]])
        assert counts.sum() == sum(int(row[1]) for row in gaps.table[1:]) == 100
        scores = whole.columns[0].segment_scores
        assert counts[0].sum() == (scores[one] < 10).sum()
        assert counts[:, -1].sum() == (scores[other] >= 90).sum()
        higher = sum(int(row[1]) for row in gaps.table[1:] if not row[0].startswith(MINUS))
        assert higher == ((scores[other] - scores[one]) > 100 / contents.BINS).sum()


def test_shares_of_the_first_pair_are_in_the_page(whole):
    html = page.render(whole)
    table = re.search(r'id="shares-table".*?</table>', html, re.DOTALL)[0]
    rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall("<tr>(.*?)</tr>", table, re.DOTALL)]
    first, second = data_in(html)["pair"]
    assert rows[0] == ["factor", whole.names[first], whole.names[second], "points"]
    pair = whole.pair(first, second)
    sign = 1 if pair.first == first else -1
    shown = [float(row[3].replace(MINUS, "-")) for row in rows[1:]]
    assert np.allclose(shown[:-1], [sign * share.points for share in pair.shares[0]], rtol=0, atol=0.000501)
    assert math.isclose(shown[-1], -whole.columns[0].lead(first, second), abs_tol=0.000501)
    for row, share in zip(rows[1:], pair.shares[0], strict=False):
        assert row[:3] == [share.factor, *(f"{one:.4f}" for one in (share.first, share.second)[::sign])]


def test_figures_show_names_and_numbers_as_they_are():
    references = [["the cat sat on the mat", "a dog is in the garden"]]
    systems = {
        "step-0.0001": ["the cat sat on the mat", "a dog is in the house"],
        'step-0.0002 <b id="x" href="#y">': references[0],
        "#010101 url(#z)": ["the cat", "a dog"],
    }
    html = compare_systems(systems, references, trials=100)
    (table,) = (rows for caption, rows in tables_in(html).items() if caption.startswith("BLEU with 95% intervals"))
    assert {row[0] for row in table[1:]} == systems.keys()
    (told, *_) = data_in(html)["pairs"][0]["told"]
    assert "p = 0.00" not in told
    assert re.search(r"\(p = \d\.\d{3}, corrected", told)


def test_huge_scores_cause_no_warnings():
    references = [["a b c d", "e f g h"]]
    systems = {"first": references[0], "second": references[0]}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compare_systems(systems, references, scores={"other": [[1e20, 1e20]] * 2}, trials=100)
    assert caught == []


def test_a_report_needs_no_matplotlib_and_a_figure_says_what_to_type(run, demo_files, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    words = ("reference.A.de.txt", "-i", "weak.de.txt", "strong.de.txt", "-q")
    assert run("report", *words, "-o", "x.html").status == 0
    refused(
        run("plot", *words, "-o", "x.pdf"), "the module matplotlib is not installed; type: pip install 'bleucli[plot]'"
    )


# --- words


def with_p_values(report, table, clusters):
    """Return a report whose first metric has these corrected p-values."""
    column = report.columns[0]
    ranking = Ranking(column.name, table, table, clusters, rank_ranges(column.records, table))
    return report._replace(columns=[column._replace(ranking=ranking), *report.columns[1:]])


def square(first, second, third):
    return [[None, first, second], [first, None, third], [second, third, None]]


def test_verdicts_say_what_tests_support(whole):
    # strong > mixed > weak by BLEU: 1, 2, 0
    assert whole.columns[0].order() == [1, 2, 0]
    sure = with_p_values(whole, square(0.001, 0.01, 0.02), [3, 1, 2])
    verdict = verdicts.judge(sure, sure.columns[0])
    assert verdict.is_clear
    assert re.match(r"strong leads by BLEU: [\d.]+, significantly better than both other systems", verdict.headline)
    assert "p ≤ 0.020 in every comparison" in verdict.details
    assert "3 systems in 3 clusters (1: strong; 2: mixed; 3: weak)" in verdict.details
    half = with_p_values(whole, square(0.001, 0.3, 0.2), [2, 1, 1])
    verdict = verdicts.judge(half, half.columns[0])
    assert not verdict.is_clear
    assert verdict.headline.endswith("but cannot be told apart from mixed")
    assert "significantly" not in verdict.headline
    unsure = with_p_values(whole, square(0.2, 0.3, 0.4), [1, 1, 1])
    verdict = verdicts.judge(unsure, unsure.columns[0])
    assert verdict.headline.endswith("but cannot be told apart from mixed or weak")
    assert "All 3 systems are in one cluster: no two of them differ significantly." in verdict.details
    for one, tied in ((half, "mixed"), (unsure, "mixed or weak")):
        summary = verdicts.summarize(one._replace(columns=one.columns[:1]))
        assert summary == f"strong has the best BLEU, but cannot be told apart from {tied}."
    alone = sure._replace(columns=sure.columns[:1])
    assert verdicts.summarize(alone) == ("strong is significantly better than both other systems by BLEU.")


def test_two_systems_are_compared_as_far_as_tests_support_it(whole):
    pair = whole.pair(0, 1)
    sure = with_p_values(whole, square(0.001, 0.01, 0.02), [3, 1, 2])
    assert verdicts.compare(sure, pair, sure.columns[0]).startswith("strong is better than weak by ")
    unsure = with_p_values(whole, square(0.06, 0.01, 0.02), [1, 1, 1])
    assert "cannot be told apart by BLEU" in verdicts.compare(unsure, pair, unsure.columns[0])


def test_equal_systems_are_called_equal():
    texts = demo("weak")
    report = report_of({"one": texts, "other": texts}, [demo("reference.A")])
    verdict = verdicts.judge(report, report.columns[0])
    assert re.fullmatch(r"one and other have the same BLEU, [\d.]+", verdict.headline)
    assert verdict.details == ""
    assert verdicts.compare(report, report.pairs[0], report.columns[0]) == "one and other have the same BLEU."
    assert verdicts.find_weaknesses(report, report.pairs[0], 0) == []
    assert verdicts.summarize(report) == "one and other have the same BLEU, chrF2 and TER."
    assert report.leads == []
    page.render(report)


def test_a_shared_lead_does_not_count_as_a_lead(whole):
    def share(report, number, scores, table):
        """Return a report with other scores and p-values by a metric."""
        column = report.columns[number]
        records = [record._replace(score=score) for record, score in zip(column.records, scores, strict=True)]
        columns = list(report.columns)
        columns[number] = column._replace(
            records=records, ranking=Ranking(column.name, table, table, [1, 1, 1], [(1, 3)] * 3)
        )
        return report._replace(columns=columns)

    # weak and strong have the same BLEU, and mixed has less
    bleu = share(whole._replace(columns=whole.columns[:2]), 0, [30.0, 30.0, 29.0], square(1.0, 0.3, 0.2))
    verdict = verdicts.judge(bleu, bleu.columns[0])
    assert verdict.headline == "weak and strong share the best BLEU, 30.0, but weak cannot be told apart from mixed"
    assert verdict.details.startswith("mixed is 1.00 point behind; p = 0.300, so their order may be due to chance.")
    apart = share(bleu, 0, [30.0, 30.0, 29.0], square(1.0, 0.01, 0.02))
    assert verdicts.judge(apart, apart.columns[0]).headline == "weak and strong share the best BLEU, 30.0"
    assert verdicts.judge(apart, apart.columns[0]).details.startswith("mixed is 1.00 point behind; p = 0.010. ")
    # By chrF2, strong leads, surely or not; no metric disagrees with that
    sure = share(bleu, 1, [50.0, 60.0, 55.0], square(0.01, 0.3, 0.02))
    told = "by chrF2 it is significantly better than both other systems, but by BLEU it cannot be told apart from"
    lead = "strong has the best chrF2 and shares the best BLEU with weak"
    assert verdicts.summarize(sure) == f"{lead}; {told} weak or mixed."
    unsure = share(bleu, 1, [50.0, 60.0, 55.0], square(0.2, 0.3, 0.2))
    assert verdicts.summarize(unsure) == f"{lead}, but cannot be told apart from weak or mixed."
    equal = share(bleu, 0, [30.0, 30.0, 30.0], square(1.0, 1.0, 1.0))
    assert verdicts.summarize(share(equal, 1, [50.0, 60.0, 55.0], square(0.2, 0.3, 0.2))) == (
        "strong has the best chrF2 and shares the best BLEU with weak and mixed, but cannot be told apart from weak or"
        " mixed."
    )
    both = share(bleu, 1, [60.0, 60.0, 55.0], square(1.0, 0.3, 0.2))
    assert verdicts.summarize(both) == "weak and strong share the best BLEU and chrF2."
    # mixed leads by chrF2
    other = share(bleu, 1, [50.0, 55.0, 60.0], square(0.2, 0.3, 0.2))
    assert verdicts.summarize(other) == (
        "The metrics disagree on the best system: weak and strong by BLEU; mixed by chrF2. By no metric is the best one"
        " significantly better than all others."
    )
    other = share(bleu, 1, [50.0, 55.0, 60.0], square(0.2, 0.01, 0.02))
    assert verdicts.summarize(other) == (
        "mixed is significantly better than both other systems by chrF2; by BLEU weak and strong are ahead, but cannot"
        " be told apart from mixed."
    )


def test_a_single_system_is_compared_with_nothing():
    report = report_of({"one": demo("weak")}, [demo("reference.A")])
    assert "better" not in verdicts.summarize(report).replace("compare them", "")
    html = page.render(report)
    assert 'id="two"' not in html
    assert 'id="first"' not in html


def test_metrics_that_disagree_are_named(whole):
    column = whole.columns[1]
    reversed_ = column._replace(
        name="other", higher_is_better=not column.higher_is_better, ranking=whole.columns[0].ranking
    )
    report = whole._replace(columns=[whole.columns[0], reversed_])
    told = verdicts.find_disagreements(report)
    assert len(told) == 3
    assert all("BLEU" in one and "other" in one for one in told)
    table = square(0.001, 0.3, 0.2)
    both = report._replace(columns=[with_p_values(report, table, [2, 1, 1]).columns[0], report.columns[1]])
    unsure = reversed_._replace(
        ranking=Ranking("other", square(0.2, 0.2, 0.2), square(0.2, 0.2, 0.2), [1, 1, 1], [(1, 3)] * 3)
    )
    both = both._replace(columns=[both.columns[0], unsure])
    assert verdicts.find_disagreements(both)[0].endswith("; only the difference by BLEU is significant.")
    assert verdicts.find_disagreements(both)[1].endswith("; no difference is significant.")
    sure = both.columns[0].ranking
    both = both._replace(columns=[both.columns[0], unsure._replace(ranking=sure)])
    assert re.search(
        r"; the differences by (BLEU and other|other and BLEU) are significant, so these metrics truly disagree\.$",
        verdicts.find_disagreements(both)[0],
    )
    assert verdicts.find_disagreements(whole._replace(columns=whole.columns[:1])) == []


def test_weaknesses_are_of_the_worse_system(whole):
    for number, column in enumerate(whole.columns):
        for pair in whole.pairs:
            worse = pair.second if column.lead(pair.first, pair.second) > 0 else pair.first
            for told in verdicts.find_weaknesses(whole, pair, number):
                assert told.startswith(whole.names[worse])


def test_weaknesses_are_shares_of_the_output():
    # The longer output has more words of the references, but loses by precision
    references = [["a b c d e f g h i j", "k l m n o p"]]
    short = ["a b c d e f g h", "k l m n o"]
    long = ["a b c d e f g h i x x x x x x", "k l m n o p y y y y y"]
    report = report_of({"short": short, "long": long}, references, [BLEU()])
    (told, *_) = verdicts.find_weaknesses(report, report.pair(0, 1), 0)[1:]
    assert told.startswith("long has a lower precision of words (p1), which costs it ")
    assert ", and of phrases of 2 to 4 words (p2 to p4), which costs it " in told
    pairs = report_of({"short": short, "long": long}, references, [BLEU(max_ngram_order=2)])
    (told, *_) = verdicts.find_weaknesses(pairs, pairs.pair(0, 1), 0)[1:]
    assert ", and of phrases of 2 words (p2), which costs it " in told


def test_a_brevity_penalty_may_cost_more_than_the_difference():
    references = [["a b c d e f g h i j k l"]]
    report = report_of({"short": ["a b c d e f g"], "other": ["a b c d e f g h x y z z"]}, references, [BLEU()])
    (told, *_) = verdicts.find_weaknesses(report, report.pair(0, 1), 0)
    first, second = map(float, re.findall(r"[\d.]+(?=, more than| points? of the)", told))
    assert first > second
    assert "more than the" in told


def test_small_groups_are_left_out_of_the_weakest_and_said_to_be():
    # By far the worst group has only five segments
    references = [[*["a b c d e f"] * 25, *["a b c d e f g h i j k l"] * 25, *["a b " * 11] * 5]]
    worse = [*["a b c d e x"] * 25, *["a b c x e f g x i j k l"] * 25, *["x y"] * 5]
    report = report_of({"one": references[0], "two": worse}, references, [BLEU()])
    (told,) = (told for told in verdicts.find_weaknesses(report, report.pair(0, 1), 0) if "furthest" in told)
    assert re.match(r"two is furthest behind on references of .*, of all groups with at least 20 segments: ", told)


# --- n-grams


def test_ngrams_are_counted_as_they_match(whole):
    references = [demo("reference.A"), demo("reference.B")]
    for lead in random.Random(1).sample(whole.leads, min(5, len(whole.leads))):
        for number, name in enumerate(("weak", "strong")):
            right = 0
            for line, text in enumerate(demo(name)):
                parts = explain(text, [stream[line] for stream in references]).parts
                for one in parts.orders[len(lead.ngram) - 1].ngrams:
                    right += one.matches if tuple(one.ngram) == tuple(lead.ngram) else 0
            assert right == lead.matches[number]


def test_odds_choose_ngrams():
    references = [["a b c d", "a b x y", "q r"]]
    report = report_of({"one": ["a b c d", "a b x y", "z"], "two": ["z", "z", "q r"]}, references, [BLEU()])
    found = {" ".join(lead.ngram): (lead.matches, lead.total) for lead in report.leads}
    assert found["a b"] == ([2, 0], 2)
    assert "q" not in found  # a difference of one match may be due to chance
    (lead,) = (lead for lead in report.leads if lead.ngram == ("a", "b"))
    assert [place for place, _ in lead.places] == [0, 1]
    assert passages.odds(2, 0) == 3


def test_ngrams_are_parts_of_others_word_by_word(whole):
    def named(*phrases):
        leads = [passages.Lead(tuple(phrase.split()), (0, 9 - n, 0), 9, []) for n, phrase in enumerate(phrases)]
        return list(verdicts.find_weaknesses(whole._replace(leads=leads, groups=[]), whole.pair(0, 1), 2))[-1]

    assert whole.columns[2].lead(0, 1) < 0
    # The letter of "a" is in "again", and in the "against" of every number, but the word is not
    assert named("again", "a").endswith(": \u201cagain\u201d (0 against 9), \u201ca\u201d (0 against 8).")
    assert named("in a garden", "a garden", "in").endswith(": \u201cin a garden\u201d (0 against 9).")
    assert named("a garden", "in", "in a garden").endswith(", \u201cin\u201d (0 against 8).")
    assert named("in garden", "in a garden").endswith(", \u201cin a garden\u201d (0 against 8).")


# --- profiles


def test_profiles_have_the_counts_of_the_texts():
    references = [["a b c", "a b", "a"]]
    report = report_of({"one": ["a b c", "a x", ""], "two": ["a b", "a b b b", "a"]}, references, [BLEU()])
    frequency, gap, scores = charts.profiles(report)
    assert frequency.title.startswith("F1 of tokens by how often")
    assert (frequency.labels, frequency.sizes) == (["1", "2", "3…4"], [1, 2, 3])
    # c once; b twice, of which the first system has one and the second 4, 2 of them right; a three times
    expected = [[100, 200 * 1 / (1 + 2), 200 * 2 / (2 + 3)], [0, 200 * 2 / (4 + 2), 100]]
    assert np.allclose(frequency.values, expected)
    assert dict(zip(gap.labels, gap.values.T.tolist(), strict=True)) == {
        f"<{MINUS}5": [0, 0],
        f"{MINUS}5…{MINUS}3": [0, 0],
        f"{MINUS}2…{MINUS}1": [1, 1],
        "0": [2, 1],
        "1…2": [0, 1],
        "3…5": [0, 0],
        "≥6": [0, 0],
    }
    assert scores.values.sum(axis=1).tolist() == [3, 3]
    assert scores.values[0][-1] == (report.columns[0].segment_scores[0] >= 90).sum()


# --- passages


def test_a_small_page_keeps_the_most_informative_segments(whole):
    references = [demo("reference.A")]
    systems = {"weak": demo("weak"), "strong": demo("strong")}
    report = report_of(systems, references, [BLEU()], room=30 * 400)
    held = [one.place for one in report.passages.passages]
    assert 10 <= len(held) < 60
    assert held == sorted(set(held))
    assert "drawn at random" in report.passages.why
    influences = abs(np.ptp(report.columns[0].influences, axis=0))
    assert set(np.argsort(-influences)[: len(held) // 3].tolist()) <= set(held)
    again = report_of(systems, references, [BLEU()], room=30 * 400)
    assert held == [one.place for one in again.passages.passages]
    html = page.render(report)
    assert len(data_in(html)["segments"]) == len(held)
    assert "This page holds" in html
    assert report.columns[0].records == report_of(systems, references, [BLEU()]).columns[0].records


@pytest.mark.parametrize(
    ("text", "tokens", "lowercase", "lengths"),
    [
        ("a b", "a b", False, "11"),
        (" a  b ", "a b", False, "11"),
        ("ab", "a b", False, "11"),
        ("a b", "ab", False, ""),  # white space inside a token
        ("Ab", "ab", True, "2"),
        ("Ab", "ab", False, ""),
        ("\U0001f600!", "\U0001f600 !", False, "21"),
        ("\u732b\u72ac", "\u732b \u72ac", False, "11"),
        ("&amp; x", "& x", False, ""),
        ("", "", False, ""),
        ("x" * 61, "x" * 61, False, "Z"),
        ("x" * 63, "x" * 63, False, "_"),
        ("x" * 64, "x" * 64, False, ""),
    ],
)
def test_tokens_are_found_in_texts(text, tokens, lowercase, lengths):
    assert passages.spell_lengths(text, tokens, lowercase) == lengths


@pytest.mark.slow
def test_as_many_n_grams_are_marked_on_the_page_as_match(whole):
    """The marks of a text are those of the calculator and of explanations, in every order."""
    references = [demo("reference.A"), demo("reference.B")]
    for passage in whole.passages.passages:
        for number, name in enumerate(("weak", "strong")):
            text = passage.hypotheses[number]
            parts = explain(demo(name)[passage.place], [stream[passage.place] for stream in references]).parts
            matching = {order.order: {gram.ngram: gram.matches for gram in order.ngrams} for order in parts.orders}
            covered = cover(text.tokens.split(), matching)
            bits = [passages._DIGITS.index(digit) for digit in text.matches]
            assert bits == [sum(1 << (order - 1) for order in orders) for orders in covered]
            assert sum(one & 1 for one in bits) == parts.orders[0].matches


# --- the page as text


def test_text_never_becomes_markup(write, run):
    nasty = "</script><script>alert(1)</script> <!-- --> \" ' & ]]> <img src=x onerror=alert(1)> {{ 7 * 7 }}"
    write("ref.txt", f"{nasty}\nplain words stand here now\n")
    write("a.txt", f"{nasty} a\nplain words stand here\n")
    write("b.txt", f"b {nasty}\nplain words here\n")
    names = '</title><b>x,"><script>y'
    answer = run("report", "ref.txt", "-i", "a.txt", "b.txt", "-o", "x.html", "--names", names, "-q")
    assert answer.status == 0
    with open("x.html", encoding="utf-8") as file:
        html = file.read()
    assert html.count("<script") == html.count("</script>") == 2
    assert "<!--" not in html
    assert "<img" not in html
    assert "<b>x" not in html
    assert "{{ 7 * 7 }}" in html
    assert data_in(html)["segments"][0]["references"][0][0] == nasty
    assert data_in(html)["names"] == names.split(",")


@pytest.mark.skipif(os.name != "posix", reason="names of files are Unicode here")
def test_names_that_are_not_text_are_escaped(write, run):
    write("ref.txt", "a b c d\n")
    names = [os.fsdecode(b"caf\xe9.txt"), "x\x1b[31m\u202ey.txt"]
    for name in names:
        write(name, "a b c d\n")
        write(f"{name}.score", "1\n")
    scores = f"{os.fsdecode(bytes([0xE9]))}={','.join(f'{name}.score' for name in names)}"
    words = ("ref.txt", "-i", *names, "-q")
    assert run("plot", *words, "-o", "x.png").status == 0
    answer = run("report", *words, "--scores", scores, "-o", "x.html")
    assert answer.status == 0
    assert answer.out.startswith("caf\\xe9 and x\\x1b[31m\\u202ey have the same BLEU and \\xe9.\n\n")
    with open("x.html", encoding="utf-8") as file:
        html = file.read()
    assert not re.search("[\x1b\u202e\ud800-\udfff]", html)
    assert r"<h1>caf\xe9 and x\x1b[31m\u202ey have the same BLEU and \xe9.</h1>" in html
    assert data_in(html)["names"] == [r"caf\xe9", r"x\x1b[31m\u202ey"]
    page = compare_systems({"b\udce9": ["a"], "\ud800\0": ["a"]}, [["a"]], trials=10)
    assert r"<h1>b\xe9 and \ud800\x00 have the same BLEU.</h1>" in page


def test_the_same_input_gives_the_same_bytes(demo_files, run):
    words = ("reference.A.de.txt", "-i", "weak.de.txt", "strong.de.txt", "-q")
    pages = []
    for variables in ({}, {}, EPOCH):
        assert run("report", *words, "-o", "x.html", variables=variables).status == 0
        assert run("plot", *words, "-o", "x.svg", variables=variables).status == 0
        with open("x.html", "rb") as page_file, open("x.svg", "rb") as figure:
            pages.append((page_file.read(), figure.read()))
    assert pages[0] == pages[1]
    assert b"1970-01-01T00:00:00Z" in pages[2][0]
    assert b"1970" not in pages[0][0]


def test_identifiers_are_unique_and_nothing_is_loaded(whole):
    html = page.render(whole)
    found = re.findall(r'\sid="([^"]+)"', html)
    assert len(found) == len(set(found))
    referred = set(
        re.findall(
            r'(?:href="#|url\(#|aria-labelledby="|for="|aria-describedby=")([^")]+)', html.partition('id="data"')[0]
        )
    )
    for names in referred:
        assert set(names.split()) <= set(found), names
    assert not re.findall(r'(?:src|href)="(?!#)[^"]*"', html.partition('id="data"')[0].replace("http://www.w3.org", ""))
    assert "default-src 'none'" in html.replace("&#39;", "'")


@pytest.mark.parametrize("name", ["page.htm", "PAGE.HTML", "page", ".page"])
def test_a_page_may_have_other_names_that_promise_nothing_else(run, pair, name):
    assert run("report", *pair, "-q", "-o", name).status == 0
    with open(name, encoding="utf-8") as file:
        assert file.read(15).lower() == "<!doctype html>"


# --- what is refused


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        *(
            (
                ("report", "-o", f"x.{ending}"),
                (f"--output x.{ending} would be a page in HTML; name a file that ends in .html",),
            )
            for ending in ("md", "pdf", "json", "html.gz", "1")
        ),
        (("plot", "-o", "x.bmp"), ("--output x.bmp does not say which format", ".pdf, .svg or .png")),
        (("plot", "-o", "x.pdf", "--width", "3 miles"), ("--width 3 miles; expected",)),
        (("plot", "-o", "x.pdf", "--width", "99in"), ("--width 99in; expected",)),
        (("plot", "-o", "x.pdf", "-m", "chrf", "bleu", "ter"), ("bleu plot shows one metric; leave out bleu and ter",)),
        (("report", "-o", "x.html", "--scores", "a"), ("expected a name and files: COMET=a.comet,b.comet",)),
        (("report",), ("bleu report writes a page; name it with -o, such as -o page.html",)),
        (("report", "-o", "-"), ("bleu report writes a page; name it with -o, such as -o page.html",)),
        (("plot",), ("bleu plot writes a figure; name it with -o, such as -o figure.pdf",)),
        (("report", "-o", "weak.de.txt"), ("--output weak.de.txt is also an input",)),
        (("report", "-o", ""), ("--output is empty",)),
        (("plot", "-o", "x.pdf", "--kind", "pairs"), ("compares systems, but only one was given",)),
        (("report", "-o", "nowhere/x.html"), ("cannot write nowhere/x.html", "with --output")),
        *(
            ((command, "-o", name, option), (f"has no option {option}; see bleu {command} --help all",))
            for command, name in (("report", "x.html"), ("plot", "x.pdf"))
            for option in ("-sl", "--segment-scores", "--fail-under", "--stats", "--engine", "--baseline", "-w")
        ),
        (("plot", "-o", "x.pdf", "--by", "domain"), ("bleu plot has no option --by; see bleu plot --help all",)),
        (("report", "-o", "x.html", "--by", "domain"), ("segments have no label 'domain'; there are none",)),
        (("plot", "-o", "x.svg", "--add-scores", "a=b"), ("--add-scores has moved to a command; write bleu report",)),
        (
            ("plot", "-o", "x.svg", "--scores", "a=b", "-m", "chrf"),
            ("bleu plot shows one metric; name one with -m, or",),
        ),
    ],
)
def test_combinations_that_make_no_sense_are_refused(demo_files, run, words, parts):
    command, *others = words
    refused(run(command, "reference.A.de.txt", "-i", "weak.de.txt", *others), *parts)


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("--report", "bleu report REF -i SYSTEM -o PAGE.html"),
        ("--add-scores", "bleu report REF -i SYSTEM -o PAGE.html --scores NAME=FILE"),
        ("--plot", "bleu plot REF -i SYSTEM -o FIGURE.pdf"),
        ("--plot-kind", "bleu plot REF -i SYSTEM -o FIGURE.pdf --kind KIND"),
        ("--plot-width", "bleu plot REF -i SYSTEM -o FIGURE.pdf --width WIDTH"),
    ],
)
def test_options_that_have_moved_name_the_command(pair, run, option, told):
    refused(run(*pair, option, "x"), f"{option} has moved to a command; write {told}\n")


# --- the verdicts that are printed


def test_the_verdicts_of_the_page_are_printed(demo_files, run):
    words = ("reference.A.de.txt", "-i", "weak.de.txt", "strong.de.txt", "reference.B.de.txt", "-m", "bleu", "ter")
    answer = run("report", *words, "-o", "x.html", "-q")
    assert max(map(len, answer.out.splitlines())) < 80
    summary, rest = answer.out.split("\n\n")
    paragraphs = [summary, *rest.removeprefix("- ").split("\n- ")]
    with open("x.html", encoding="utf-8") as file:
        html = file.read()
    page = unescape(re.sub("<[^>]*>", "", re.sub("</(?:h1|li)>", "\n", html)))
    lines = {" ".join(line.split()) for line in page.splitlines()}
    assert len(paragraphs) >= 3
    for paragraph in paragraphs:
        assert " ".join(paragraph.split()) in lines


DOMAINS = ["news" if line % 3 else "talk" for line in range(100)]
DOCUMENTS = [f"d{line // 4}" for line in range(100)]
GROUPED = {
    "segments": ("-cin", "200"),
    "documents": ("-cin", "200", "--unit", "doc"),
    "the bootstrap": ("--paired-bs", "--paired-bs-n", "200"),
}


@pytest.mark.parametrize("options", GROUPED.values(), ids=GROUPED.keys())
def test_a_page_has_a_table_for_each_group_and_prints_its_verdict(demo_files, write, run, options):
    rows = "".join(f"{name}\t{domain}\n" for name, domain in zip(DOCUMENTS, DOMAINS, strict=True))
    write("labels.tsv", f"doc\tdomain\n{rows}")
    texts = ("reference.A.de.txt", "-i", "weak.de.txt", "strong.de.txt", "--labels", "labels.tsv")
    words = ("report", *texts, "-m", "bleu", "ter", *options, "-q")
    answer = run(*words, "--by", "domain", "-o", "x.html")
    assert answer.status == 0, answer.err
    with open("x.html", encoding="utf-8") as file:
        html = file.read()
    _, *sections = html.partition('<section id="groups"')[2].partition("</section>")[0].split("<h3>")
    assert [section.partition(" ")[0] for section in sections] == ["domain=talk", "domain=news"]
    printed = " ".join(answer.out.split())
    for domain, section in zip(("talk", "news"), sections, strict=True):
        size = f"{DOMAINS.count(domain)} segments"
        assert f'<span class="quiet">{size}</span>' in section
        # The group says what a page about it alone says
        alone = run(*words, "--subset", domain, "-o", "y.html")
        summary = " ".join(alone.out.partition("\n\n")[0].split())
        assert f"- domain={domain} ({size}): {summary}" in printed
        assert f"<p>{summary}</p>" in section
        with open("y.html", encoding="utf-8") as file:
            page = file.read()
        table = page.partition('<table id="table"')[2].partition("</table>")[0]
        assert section.partition("<thead>")[2].partition("</table>")[0] == table.partition("<thead>")[2]


def test_python_makes_the_same_page_with_groups(demo_files, write, run):
    rows = "".join(f"{name}\t{domain}\n" for name, domain in zip(DOCUMENTS, DOMAINS, strict=True))
    write("labels.tsv", f"doc\tdomain\n{rows}")
    words = ("reference.A.de.txt", "-i", "weak.de.txt", "strong.de.txt", "--names", "weak,strong")
    options = ("--labels", "labels.tsv", "--by", "domain", "--unit", "doc")
    assert run("report", *words, *options, "-o", "x.html", "-q").status == 0
    with open("x.html", encoding="utf-8") as file:
        html = file.read()
    outputs, labels = {name: demo(name) for name in ("weak", "strong")}, {"doc": DOCUMENTS, "domain": DOMAINS}
    ours = compare_systems(outputs, [demo("reference.A")], labels=labels, by="domain", unit="doc")
    assert ours.partition('<section id="made"')[0] == html.partition('<section id="made"')[0]
    raised(("labels['doc'] has 1",), compare_systems, outputs, [demo("reference.A")], labels={"doc": ["a"]})
    raised(("unit 'page'; choose",), compare_systems, outputs, [demo("reference.A")], labels=labels, unit="page")
    raised(("no label 'topic'",), compare_systems, outputs, [demo("reference.A")], labels=labels, by="topic")


@pytest.mark.parametrize("word", ["-ci", "--confidence", "--paired-all"])
def test_options_about_what_pages_and_figures_always_have_are_refused(demo_files, run, word):
    words = ("reference.A.de.txt", "-i", "weak.de.txt", "strong.de.txt", word)
    refused(run("report", *words, "-o", "x.html"), f"has no option {word}; see bleu report --help all")
    refused(run("plot", *words, "-o", "x.svg"), f"has no option {word}; see bleu plot --help all")


def test_intervals_on_a_page_may_come_from_fewer_resamples(demo_files, run):
    texts = ("reference.A.de.txt", "-i", "weak.de.txt", "strong.de.txt", "-cin", "20", "-q")
    for more in ((), ("-par",)):
        assert run("report", *texts, "-o", "x.html", *more).status == 0
        with open("x.html", encoding="utf-8") as file:
            html = file.read()
        for system in json.loads(run(*texts, "-ci", "-w", "12").out):
            score = system["BLEU"]
            assert f"{score['confidence_mean']:.2f} ± {score['confidence_var']:.2f}<" in html


def test_groups_say_what_is_left_with_typography_alike():
    pytest.importorskip("jinja2", reason="Jinja2 is not installed; there are no pages")
    numbers = range(60)
    reference = [f"\u201eDas Haus {n} steht am Fluss {n * 7}\u201c, sagt der Mann." for n in numbers]
    systems = {
        "curly": [text.replace("der Mann", "er" if n % 2 else "DER MANN") for n, text in enumerate(reference)],
        "straight": [text.replace("\u201e", '"').replace("\u201c", '"').replace("am", "beim") for text in reference],
    }
    domains = {"domain": ["news" if n < 40 else "talk" for n in numbers]}
    html = compare_systems(systems, [reference], trials=1000, labels=domains, by="domain")
    _, news, _ = html.partition('<section id="groups"')[2].partition("</section>")[0].split("<h3>")
    part = {name: texts[:40] for name, texts in systems.items()}
    plain, alike = (
        [BLEU(normalize=way).corpus_score(texts, [reference[:40]]).score for texts in part.values()]
        for way in ("", "typography")
    )
    assert plain[0] > plain[1]
    assert (
        f"curly has the best BLEU; with typography alike, its lead over straight is {alike[0] - alike[1]:.2f} points of"
        f" BLEU instead of {plain[0] - plain[1]:.2f}, which is not a significant lead."
    ) in news
    both = [BLEU(normalize="typography,case").corpus_score(texts, [reference]).score for texts in systems.values()]
    assert f"With case ignored as well, BLEU is {both[0]:.2f} for curly and {both[1]:.2f} for straight." in html
