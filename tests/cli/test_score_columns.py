"""`--scores`: segment scores of other metrics as columns in every job, against plain NumPy; and what is refused."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from statistics import fmean

import numpy as np
import pytest
from conftest import raised, refused
from paired_samples import (
    numbers,
    plain_bootstrap,
    plain_bootstrap_p_value,
    plain_difference_interval,
    plain_interval,
    plain_randomization_p_value,
)

import bleucli

COUNT = 60
SYSTEMS = ("a", "b", "c")
FEW = ("-cin", "150", "-pbsn", "150", "-parn", "150")
MEANS = {"a": 0.75, "b": 0.76, "c": 0.79}
COMET = {name: np.random.default_rng(n).normal(MEANS[name], 0.1, COUNT).tolist() for n, name in enumerate(SYSTEMS)}
ERRORS = {name: [round(25 * abs(1 - score), 2) for score in scores] for name, scores in COMET.items()}
WORDS = ["the", "cat", "sat", "on", "a", "mat", "while", "it", "was", "very", "hot", "and", "dry", "outside"]


def texts(system):
    """Return texts in which each system has other words."""
    return [
        " ".join(
            word if (n * 7 + place * 5 + len(system) + ord(system[0])) % 9 else "x" for place, word in enumerate(WORDS)
        )
        for n in range(COUNT)
    ]


@pytest.fixture
def files(write):
    """Write a reference, three systems and their scores; return the words that score them."""
    write("ref.txt", f"{' '.join(WORDS)}\n" * COUNT)
    for name in SYSTEMS:
        write(f"{name}.txt", "".join(f"{text}\n" for text in texts(name)))
        write(f"{name}.comet", "".join(f"{score!r}\n" for score in COMET[name]))
        write(f"{name}.err", "".join(f"{score!r}\n" for score in ERRORS[name]))
    return ("ref.txt", "-i", *(f"{name}.txt" for name in SYSTEMS), "-q")


COLUMN = ("--scores", "COMET=a.comet,b.comet,c.comet")
BOTH = (*COLUMN, "MetricX=a.err,b.err,c.err")


def lines(answer):
    """Return the objects of `-f jsonl` by system and metric."""
    assert (answer.status, answer.err) == (0, "")
    items = map(json.loads, answer.out.splitlines())
    return {(item["system"], item["metric"]): item for item in items}


# --- figures


@pytest.mark.parametrize("seed", ["12345", "1"])
@pytest.mark.parametrize(
    ("test", "formula"), [("-pbs", plain_bootstrap_p_value), ("-par", plain_randomization_p_value)]
)
def test_means_and_p_values_are_those_of_plain_numpy(run, files, test, formula, seed):
    items = lines(run(*files, *BOTH, test, *FEW, "-f", "jsonl", variables={"BLEU_SEED": seed}))
    for name, columns, higher in (("COMET", COMET, True), ("MetricX", ERRORS, False)):
        for system in SYSTEMS:
            item = items[system, name]
            assert item["score"] == fmean(columns[system])
            assert item["higher_is_better"] is higher
            if system == "a":
                assert (item["baseline"], item["p_value"]) == (True, None)
                continue
            samples = numbers(columns["a"]), numbers(columns[system])
            assert item["p_value"] == formula(*samples, 150, int(seed))
            if test == "-pbs":
                low, high = plain_difference_interval(*samples, 150, int(seed))
                bounds = item["difference"]["low"], item["difference"]["high"]
                assert bounds == (pytest.approx(low, abs=1e-12), pytest.approx(high, abs=1e-12))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_p_values_of_means_are_those_of_another_implementation(seed):
    """SciPy's permutation test of paired samples, which shares no code with this package: equal within its randomness.

    Scores are coarse, as human ratings are, so that differences often tie. Google's mt-metrics-eval, whose tests of
    means exchange scores in the same way, is not in package indexes.
    """
    from scipy import stats

    draw, trials = np.random.default_rng(seed), 9999
    left = draw.integers(0, 101, 200).astype(float)
    right = np.clip(left + draw.integers(-25, 28, 200), 0, 100)

    def difference(one, other, axis):
        return np.mean(one, axis=axis) - np.mean(other, axis=axis)

    theirs = stats.permutation_test(
        (left, right), difference, permutation_type="samples", vectorized=True, n_resamples=trials, rng=draw
    ).pvalue
    systems, scores = {"a": ["x"] * 200, "b": ["x"] * 200}, {"ESA": {"a": left.tolist(), "b": right.tolist()}}
    results = bleucli.evaluate_systems(systems, [["x"] * 200], scores=scores, test="ar", trials=trials)
    ours = results["b"]["ESA"].p_value
    deviation = math.sqrt(2 * max(ours, theirs) * (1 - min(ours, theirs)) / trials)
    assert ours == pytest.approx(theirs, abs=4 * deviation)
    assert 0.0005 < ours < 0.9


def test_other_columns_stay_as_they_are_without_scores(run, files):
    words = (*files, "-m", "bleu", "chrf", "-par", *FEW, "-f", "jsonl")
    alone, beside = lines(run(*words)), lines(run(*words, *BOTH))

    def strip(item):
        return {key: value for key, value in item.items() if key not in ("command", "inputs", "time")}

    assert {key: strip(item) for key, item in alone.items()} == {key: strip(beside[key]) for key in alone}


def test_intervals_are_those_of_plain_numpy(run, files):
    items = lines(run(*files, *COLUMN, "-ci", *FEW, "-f", "jsonl"))
    for system in SYSTEMS:
        mean, half_width = plain_interval(plain_bootstrap(numbers(COMET[system]), 150, 12345).tolist())
        interval = items[system, "COMET"]["interval"]
        assert interval == {"mean": pytest.approx(mean), "half_width": pytest.approx(half_width)}


def test_all_pairs_and_clusters_are_those_of_scores_alone(run, files):
    words = ("-par", "--paired-all", *FEW, "-f", "jsonl", "--names", "a,b,c")
    beside = lines(run(*files, *COLUMN, *words))
    alone = lines(run("--segment-scores", "-i", "a.comet", "b.comet", "c.comet", "-q", *words))
    for system in SYSTEMS:
        for key in ("score", "p_value", "cluster", "pairs", "difference"):
            assert beside[system, "COMET"][key] == alone[system, "score"][key]


def test_groups_and_documents_have_their_own_means(run, files, write):
    write("labels.tsv", "doc\tdomain\n" + "".join(f"d{n // 6}\t{'xy'[n % 2]}\n" for n in range(COUNT)))
    rows = csv.DictReader(
        io.StringIO(run(*files, *COLUMN, "--labels", "labels.tsv", "--by", "domain", "-f", "csv", "-w", "7").out)
    )
    for row in rows:
        column = COMET[row["system"]]
        assert float(row["COMET"]) == pytest.approx(fmean(column["xy".index(row["domain"]) :: 2]), abs=1e-9)
    items = lines(run(*files, *COLUMN, "--labels", "labels.tsv", "--unit", "doc", "-par", *FEW, "-f", "jsonl"))
    sums = {name: [sum(column[n : n + 6]) for n in range(0, COUNT, 6)] for name, column in COMET.items()}
    for system in ("b", "c"):
        expected = plain_randomization_p_value(numbers(sums["a"]), numbers(sums[system]), 150, 12345)
        assert items[system, "COMET"]["p_value"] == expected


def test_documents_of_several_paragraphs_weigh_as_many_scores(run, files, write):
    """As WMT publishes them: one item per document, each with a list of scores."""
    items = [[0.5], [0.25, 0.75], [1.0, 0.0, 0.5]]
    write("r.jsonl", "".join(f'{{"doc_id": "d{n}", "ref": "x y z w"}}\n' for n in range(3)))
    write("s.jsonl", "".join(f'{{"doc_id": "d{n}", "hypothesis": "x y z w"}}\n' for n in range(3)))
    scores = "".join(f'{{"document_id": "d{n}", "metric_scores": {{"COMET": {of}}}}}\n' for n, of in enumerate(items))
    write("scores.jsonl", scores)
    answer = run("r.jsonl", "-i", "s.jsonl", "--scores", "COMET=scores.jsonl", "-f", "jsonl", "-q")
    (item,) = [json.loads(line) for line in answer.out.splitlines() if '"COMET"' in line]
    assert (item["score"], item["segments"]) == (fmean(score for of in items for score in of), 3)
    write("r.txt", "x y z w\n" * 6)
    answer = run("r.txt", "-i", "r.txt", "--scores", "COMET=scores.jsonl", "-b", "-q")
    assert answer.out == "[\n100.0,\n0.500\n]\n"


# --- formats


@pytest.mark.parametrize("form", ["text", "json", "csv", "tsv", "latex", "markdown", "html", "rst", "card", "paper"])
@pytest.mark.parametrize(("words", "comet"), [((), 3), (("-w", "2"), 4), (("-w", "0"), 2), (("--scale", "1"), 3)])
def test_scores_from_0_to_1_have_two_decimals_more(run, files, form, words, comet):
    """0.7800 and 0.7718 must not both be 0.8."""
    out = run(*files, *BOTH, "-f", form, *words).out
    errors = {(): 1, ("-w", "2"): 2, ("-w", "0"): 0, ("--scale", "1"): 1}[words]
    if form == "card":  # where all other scores range from 0 to 1
        comet, errors = {(): (3, 1), ("-w", "2"): (2, 0), ("-w", "0"): (0, 0), ("--scale", "1"): (3, 1)}[words]
    for system in SYSTEMS:
        for column, width in ((COMET, comet), (ERRORS, errors)):
            text = f"{fmean(column[system]):.{width}f}"
            text = repr(float(text)) if form in ("json", "card") else text
            assert re.search(rf"(?<![\d.]){re.escape(text)}(?!\d)", out), text


def test_bold_and_sorted_by_direction(run, files):
    answer = run(*files, *BOTH, "--bold-best", "-f", "markdown", "--sort", "metricx")
    rows = [line for line in answer.out.splitlines() if line.startswith("|")]
    assert "COMET ↑" in rows[0]
    assert "MetricX ↓" in rows[0]
    assert [row.split("|")[1].strip() for row in rows[2:]] == sorted(SYSTEMS, key=lambda name: fmean(ERRORS[name]))
    best = f"**{min(map(fmean, ERRORS.values())):.1f}**"
    assert [best in row for row in rows[2:]] == [True, False, False]


def test_a_paper_asks_for_what_to_cite(run, files):
    out = run(*files, *BOTH, "-par", *FEW, "-f", "paper").out
    assert "We report BLEU (Papineni et al., 2002) on 60 segments" in out
    assert (
        "COMET is the mean of the scores of segments, computed with \\[the metric's paper, model and version\\]." in out
    )
    assert "- MetricX: the metric's paper, model and version\n" in out
    assert "scores:lower" in out


def test_files_are_among_the_inputs(run, files):
    import hashlib

    item = lines(run(*files, *COLUMN, "-f", "jsonl"))["a", "BLEU"]
    inputs = {one["name"]: one for one in item["inputs"] if one["role"] == "scores"}
    assert list(inputs) == ["a.comet", "b.comet", "c.comet"]
    with open("b.comet", "rb") as file:
        assert inputs["b.comet"]["sha256"] == hashlib.sha256(file.read()).hexdigest()


# --- one file for all systems


def test_one_file_may_have_all_systems(run, files, write):
    expected = run(*files, *COLUMN, "-par", *FEW).out
    prints = "".join(
        f"out/{name}.txt\tSegment {n}\tscore: {score!r}\n" for name in SYSTEMS for n, score in enumerate(COMET[name])
    )
    write("all.txt", prints + "".join(f"out/{name}.txt\tscore: 0.5\n" for name in SYSTEMS))
    write("all.seg.score", "".join(f"{name}\t{score!r}\n" for name in SYSTEMS for score in COMET[name]))
    rows = zip(*COMET.values(), strict=True)
    write("all.csv", "a,b,c\n" + "".join(f"{','.join(map(repr, row))}\n" for row in rows))
    write(
        "all.json", json.dumps({f"{name}.txt": [{"mt": "x", "COMET": one} for one in COMET[name]] for name in SYSTEMS})
    )
    for path in ("all.txt", "all.seg.score", "all.csv", "all.json"):
        assert run(*files, "--scores", f"COMET={path}", "-par", *FEW).out == expected
    for path in ("all.csv", "all.seg.score"):
        named = run(*files, "--scores", f"COMET={path}:a,{path}:b,{path}:c", "-par", *FEW)
        assert named.out == expected
    refused(
        run(*files, "--scores", "COMET=all.seg.score:a,all.seg.score:B,x"), "all.seg.score has no B; it has a, b, c"
    )


def test_names_of_files_may_have_commas(run, files, write):
    """The longest name that exists is one file."""
    expected = run(*files, *COLUMN, "-f", "csv").out
    for old, new in (("a.comet", "a,x.comet"), ("b.comet", "b,1,2.comet")):
        os.rename(old, new)
    assert run(*files, "--scores", "COMET=a,x.comet,b,1,2.comet,c.comet", "-f", "csv").out == expected
    os.rename("b,1,2.comet", "b.comet")
    write("a", "0.5\n")  # the longer name counts
    assert run(*files, "--scores", "COMET=a,x.comet,b.comet,c.comet", "-f", "csv").out == expected
    rows = "".join(",".join(map(repr, row)) + "\n" for row in zip(*COMET.values(), strict=True))
    write("all,3.csv", f"x,y,z\n{rows}")
    named = ",".join(f"all,3.csv:{column}" for column in "xyz")
    assert run(*files, "--scores", f"COMET={named}", "-f", "csv").out == expected
    missing = run(*files, "--scores", "COMET=a,y.comet,b.comet,c.comet")
    refused(missing, "--scores COMET has 4 files of scores for 3 systems; give one per system, or one for all")


# --- other jobs


def test_statistics_keep_scores(run, files):
    pytest.importorskip("pyarrow")
    assert run("count", *files, *BOTH, "-o", "s.parquet").status == 0
    for words in (("-par", *FEW, "-f", "csv"), ("-ci", *FEW, "-f", "markdown"), ("-f", "text")):
        direct = run(*files, *BOTH, *words)
        assert run("--stats", "s.parquet", "-q", *words).out == direct.out
    assert "COMET" not in run("--stats", "s.parquet", "-m", "bleu", "-q").out
    assert run("count", "ref.txt", "-i", "a.txt", "-q", "--scores", "COMET=a.comet", "-o", "a.parquet").status == 0
    gate = ("--baseline", "a.parquet", "-par", *FEW, "-q")
    fine = run("ref.txt", "-i", "c.txt", "--scores", "COMET=c.comet", *gate, "--max-drop", "COMET=0.001,bleu=100")
    assert (fine.status, fine.err) == (0, "")
    refused(
        run("ref.txt", "-i", "c.txt", "--scores", "XCOMET=c.comet", *gate, "--max-drop", "9"),
        "a.parquet has no XCOMET; it has bleu, comet; save it with bleu count --scores",
    )
    refused(
        run("ref.txt", "-i", "c.txt", "--scores", "COMET:lower=c.comet", *gate, "--max-drop", "9"),
        "a.parquet has COMET|scores:higher",
        "has COMET|scores:lower",
    )


def test_gates_judge_scores_on_their_own_scale(run, files):
    one = ("ref.txt", "-i", "a.txt", "--scores", "COMET=a.comet", "-q")
    worse = ("ref.txt", "-i", "a.txt", "--names", "a.txt", "-q", "--scores")
    for scale in ((), ("--scale", "1")):
        answer = run(*one, *scale, "--fail-under", "COMET=0.9")
        assert answer.status == 1
        assert f"a.txt: COMET {fmean(COMET['a'])!r} is under 0.9 (--fail-under)" in answer.err
        assert run(*one, *scale, "-o", "before.json").status == 0
        same = run(*one, *scale, "--baseline", "before.json", "--max-drop", "0")
        assert same.status == 0, same.err
        drop = round(fmean(COMET["a"]), 3) - round(fmean([score - 0.05 for score in COMET["a"]]), 3)
        with open("low.comet", "w", encoding="utf-8") as file:
            file.writelines(f"{score - 0.05!r}\n" for score in COMET["a"])
        lower = run(*worse, "COMET=low.comet", *scale, "--baseline", "before.json", "--max-drop", "COMET=0.02")
        assert lower.status == 1
        assert f"by {drop:.3f} since before.json, more than 0.02 (--max-drop)" in lower.err
        assert (
            run(*worse, "COMET=low.comet", *scale, "--baseline", "before.json", "--max-drop", "COMET=0.06").status == 0
        )


def test_systems_that_are_left_out_keep_the_scores_of_the_others(run, files, write):
    write("b.txt", "short\n")
    answer = run(*files, *COLUMN, "--keep-going", "-f", "jsonl")
    assert answer.status == 2
    scores = {
        one["system"]: one["score"] for one in map(json.loads, answer.out.splitlines()) if one["metric"] == "COMET"
    }
    assert scores == {name: fmean(COMET[name]) for name in "ac"}


def test_figures_and_pages_show_scores(run, files):
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    plots = run("plot", *files, *COLUMN, "-o", "f.svg", *FEW[4:])
    assert (plots.status, plots.err) == (0, "")
    with open("f.svg", encoding="utf-8") as file:
        assert "COMET" in file.read()
    page = run("report", *files, *BOTH, "-o", "p.html", *FEW[4:])
    assert page.status == 0
    assert "c has the best BLEU, COMET and MetricX" in page.out.replace("\n", " ")
    with open("p.html", encoding="utf-8") as file:
        html = file.read()
    assert html.count("MetricX") > html.count("a.err")
    assert "scores:lower" in html


def test_a_matrix_has_scores_of_each_pair(run, files, write):
    """One file per pair and system, or one per pair; the averages are those of the pairs."""
    os.makedirs("comet")
    for pair, shift in (("en-de", 0.0), ("en-fr", 0.1)):
        write(f"{pair}.ref", f"{' '.join(WORDS)}\n" * COUNT)
        for name in "ab":
            write(f"{pair}.{name}.out", "".join(f"{text}\n" for text in texts(name)))
            write(f"comet/{pair}.{name}", "".join(f"{score - shift!r}\n" for score in COMET[name]))
        write(f"comet/{pair}", "".join(f"{name}\t{score - shift!r}\n" for name in "ab" for score in COMET[name]))
    write("m.toml", 'references = "{pair}.ref"\nsystems = "{pair}.{system}.out"\n')
    words = ("matrix", "m.toml", "-f", "jsonl", "-q", "--scores")
    for pattern in ("comet/{pair}.{system}", "comet/{pair}"):
        items = [json.loads(line) for line in run(*words, f"COMET={pattern}").out.splitlines()]
        scores = {item["system"]: item["score"] for item in items if item["metric"] == "COMET"}
        for name in "ab":
            means = [fmean(COMET[name]), fmean([score - 0.1 for score in COMET[name]])]
            assert scores[f"{name} pair=en-de"] == pytest.approx(means[0])
            assert scores[f"{name} pair=en-fr"] == pytest.approx(means[1])
            assert scores[f"{name} pair=average"] == pytest.approx(fmean(means))
        roles = [one["role"] for item in items if item["system"] == "a pair=en-de" for one in item["inputs"]]
        assert "scores" in roles
    table = run("matrix", "m.toml", "--scores", "COMET=comet/{pair}", "-f", "markdown", "-q", "--bold-best").out
    assert f"**{max(fmean(COMET['a']), fmean(COMET['b'])):.3f}**" in table
    refused(run(*words, "COMET=comet/{pair}.x"), "en-de: ", "comet/en-de.x")
    for name in ("comet/en-fr", "comet/en-fr.b"):
        with open(name) as file:
            before = file.read()
        pattern = "COMET=comet/{pair}" if name == "comet/en-fr" else "COMET=comet/{pair}.{system}"
        refused(run(*words, pattern, "-o", name), f"--output {name} is also an input; name another file")
        with open(name) as file:
            assert file.read() == before
    refused(
        run(*words, "COMET=comet/en-de.{system}"),
        "--scores COMET: 'comet/en-de.{system}' does not tell language pairs apart; put {pair} in place of their names",
    )


def matrix_of(pairs):
    """Return texts of some language pairs, with the words of their references."""
    return {pair: ({name: texts(name) for name in "ab"}, [[" ".join(WORDS)] * COUNT]) for pair in pairs}


@pytest.mark.parametrize("options", [{}, {"test": "ar", "trials": 60}, {"n_bootstrap": 40}], ids=str)
def test_python_scores_a_matrix_as_the_command_does(run, folder, write, options):
    scores = {
        pair: {name: {one: [score - shift for score in of[one]] for one in "ab"} for name, of in both}
        for pair, shift in (("en-de", 0.0), ("en-fr", 0.1))
        for both in [(("COMET", COMET), ("MetricX", ERRORS))]
    }
    results = bleucli.score_matrix(matrix_of(scores), scores=scores, **options)
    for pair, of_pair in scores.items():
        write(f"{pair}.ref", f"{' '.join(WORDS)}\n" * COUNT)
        for name in "ab":
            write(f"{pair}.{name}.out", "".join(f"{text}\n" for text in texts(name)))
            for title, columns in of_pair.items():
                write(f"{title}.{pair}.{name}", "".join(f"{score!r}\n" for score in columns[name]))
    write("m.toml", 'references = "{pair}.ref"\nsystems = "{pair}.{system}.out"\n')
    assert list(bleucli.score_matrix("m.toml", scores=scores, **options).rows()) == list(results.rows())
    words = {"test": ("-par", "-parn", "60"), "n_bootstrap": ("-ci", "-cin", "40")}.get(next(iter(options), ""), ())
    patterns = [f"{title}={title}.{{pair}}.{{system}}" for title in ("COMET", "MetricX")]
    answer = run("matrix", "m.toml", "-f", "jsonl", "-q", *words, "--scores", *patterns)
    items = lines(answer)
    assert len(items) == len(results.rows()) == 18
    for system in (*results.systems, *results.averages):
        for record in system.scores:
            item = items[system.name, record.name]
            assert (item["score"], item["p_value"]) == (record.score, record.p_value)
            assert dict(record.signature) == item["signature"]


def test_a_page_about_a_matrix_has_scores():
    pytest.importorskip("jinja2")
    scores = {pair: {"COMET": {name: COMET[name] for name in "ab"}} for pair in ("en-de", "en-fr")}
    page = bleucli.compare_matrix(matrix_of(scores), trials=50, scores=scores)
    assert "COMET" in page
    assert f"{fmean(COMET['b']):.3f}" in page


def test_errors_that_are_negative_for_a_pair_are_negative_for_all(run, write):
    """A pair without errors has only zeros, which do not show the direction."""
    zeros, errors = [0.0] * COUNT, [-score for score in ERRORS["a"]]
    of_pairs = {"en-de": [zeros, zeros], "en-fr": [errors, zeros]}
    results = bleucli.score_matrix(matrix_of(of_pairs), scores={pair: {"MQM": of} for pair, of in of_pairs.items()})
    assert {row.scores[1].higher_is_better for row in (*results.systems, *results.averages)} == {True}
    for pair, columns in of_pairs.items():
        write(f"{pair}.ref", f"{' '.join(WORDS)}\n" * COUNT)
        for name, column in zip("ab", columns, strict=True):
            write(f"{pair}.{name}.out", "".join(f"{text}\n" for text in texts(name)))
            write(f"{pair}.{name}.mqm", "".join(f"{score!r}\n" for score in column))
    write("m.toml", 'references = "{pair}.ref"\nsystems = "{pair}.{system}.out"\n')
    items = lines(run("matrix", "m.toml", "-f", "jsonl", "-q", "--scores", "MQM={pair}.{system}.mqm"))
    assert {item["higher_is_better"] for item in items.values()} == {True}


@pytest.mark.parametrize(
    ("scores", "part"),
    [
        ([], 'scores: expected segment scores by pair; write {"en-de": {"COMET": {"system": [...]}}}'),
        ({"en-cs": {}}, "scores has 'en-cs', which is not a language pair; choose from en-de, en-fr"),
        (
            {"en-fr": {"X": [[1.0] * COUNT] * 2}},
            "en-de: there are no scores X, which en-fr has; give each pair the same",
        ),
        (
            {"en-de": {"X": [[1.0] * COUNT] * 2}},
            "en-fr: there are no scores X, which en-de has; give each pair the same",
        ),
        ({"en-de": {"X": {"a": [1.0]}}}, "en-de: scores['X'] has no 'b'; give the scores of each system"),
        (
            {"en-de": {"X": [[1.0]] * 2}, "en-fr": {"X": [[1.0] * COUNT] * 2}},
            "en-de: scores['X']['a'] has 1 score, but there are 60 segments; give one score per segment",
        ),
        (
            {"en-de": {"X:lower": [[1.0] * COUNT] * 2}, "en-fr": {"X": [[1.0] * COUNT] * 2}},
            "en-fr: X has another direction than for en-de; say the same for each pair",
        ),
        (
            {"en-de": {"MQM": [[1.0] * COUNT] * 2}, "en-fr": {"MQM": [[-1.0] * COUNT] * 2}},
            "en-fr: MQM has another direction than for en-de; say the same for each pair",
        ),
    ],
)
def test_wrong_scores_of_a_matrix_are_refused(scores, part):
    raised([part], bleucli.score_matrix, matrix_of(["en-de", "en-fr"]), scores=scores)


# --- direction


@pytest.mark.parametrize(
    ("name", "column", "higher"),
    [
        ("COMET", [0.5, 0.7], True),
        ("MetricX-24", [0.5, 0.7], False),
        ("MetricX-24", [-0.5, -0.7], True),
        ("MetricX-24:higher", [0.5, 0.7], True),
        ("MQM", [5, 0], False),
        ("MQM", [-5, 0], True),
        ("ESA", [60, 85], True),
        ("mine", [3, 4], True),
        ("mine:lower", [3, 4], False),
    ],
)
def test_names_and_words_say_which_way_is_better(run, write, name, column, higher):
    write("r.txt", "a b\nc d\n")
    write("x.score", "".join(f"{number}\n" for number in column))
    answer = run("r.txt", "-i", "r.txt", "--scores", f"{name}=x.score", "-f", "jsonl", "-q")
    (item,) = [json.loads(line) for line in answer.out.splitlines() if '"BLEU"' not in line]
    assert (item["metric"], item["higher_is_better"]) == (name.partition(":")[0], higher)
    assert item["signature"]["scores"] == ("higher" if higher else "lower")


# --- what is refused


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (("COMET",), ["--scores COMET; expected a name and files: COMET=a.comet,b.comet"]),
        (("=a.comet",), ["expected a name and files"]),
        (("COMET=a.comet,",), ["expected a name and files"]),
        (
            ("COMET=a.comet,b.comet",),
            ["--scores COMET has 2 files of scores for 3 systems; give one per system, or one"],
        ),
        (("COMET=a.comet",), ["a.comet does not say which system has which score; give one file per system"]),
        (("COMET:up=a.comet,b.comet,c.comet",), ["'COMET:up'; after a colon, expected lower or higher: COMET:lower"]),
        (("bleu=a.comet,b.comet,c.comet",), ["scores 'bleu': this name has another meaning here; choose another"]),
        (("Segments=a.comet,b.comet,c.comet",), ["scores 'Segments': this name has another meaning here"]),
        (("system=a.comet,b.comet,c.comet",), ["scores 'system': this name has another meaning here"]),
        (("x|y=a.comet,b.comet,c.comet",), ["expected a name such as COMET or COMET:lower, without = , | and quotes"]),
        (("x=a.comet,b.comet,c.comet", "X=a.comet,b.comet,c.comet"), ["other scores already have this name"]),
        (("COMET=a.comet,none,c.comet",), ["none", "No such file"]),
        (
            ("COMET=a.comet,short,c.comet",),
            ["short has 2 scores, but there are 60 segments; give one score per segment"],
        ),
        (("COMET=a.comet,long,c.comet",), ["long has 61 scores, but there are 60 segments"]),
        (("COMET=a.comet,gap,c.comet",), ["gap: the score of segment 2 is missing; give each segment a score"]),
        (
            ("COMET=a.comet,bad,c.comet",),
            ["bad, line 2: 'oops' is not a number from -1e100 to 1e100; expected one score per segment"],
        ),
        (("COMET=a.comet,huge,c.comet",), ["huge: segment 1 has 1e+101; expected a number from -1e100 to 1e100"]),
        (
            ("COMET=a.comet,c.any,b.any",),
            ["c.any has the scores of c.txt, but is in the place of b.txt; give each system its own scores"],
        ),
        (
            ("MQM=a.comet,minus,c.comet",),
            ["scores 'MQM': some are above 0 and some below, so it is not clear which way is better; write MQM:lower"],
        ),
        (("COMET=pairs",), ["pairs has scores of a, x, but none of b.txt; name one of these with pairs:COLUMN"]),
    ],
)
def test_wrong_scores_are_refused(run, files, write, words, parts):
    write("short", "0.5\n0.5\n")
    write("long", "0.5\n" * 61)
    write("gap", "0.5\nNone\n" + "0.5\n" * 58)
    write("bad", "0.5\noops\n" + "0.5\n" * 58)
    write("huge", "1e101\n" + "0.5\n" * 59)
    write("pairs", "a\t0.5\nx\t0.5\n")
    write("minus", "-0.5\n" * 60)
    for name in ("b", "c"):
        write(f"{name}.any", f"{name}\t0.5\n" * 60)
    for command in ((), ("report", "-o", "p.html")):
        refused(run(*command, *files, "--scores", *words), *parts)


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (
            ("-sl",),
            "--sentence-level takes one system and one metric as text; leave out the others, or add -f csv, tsv",
        ),
        (("--segment-scores",), "--segment-scores cannot be combined with --scores: it reads scores instead of texts"),
    ],
)
def test_jobs_without_scores_say_why(run, files, words, part):
    refused(run(*files, *COLUMN, *words), part)


def test_scores_join_what_an_engine_has_counted(run, files, tmp_path):
    pytest.importorskip("dask.bag")
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {"ref": [" ".join(WORDS)] * COUNT, **{name: texts(name) for name in SYSTEMS}}
    pq.write_table(pa.table(columns), "texts.parquet")
    table = ("--table", "texts.parquet", "--columns", "hyp=a,b,c,refs=ref")
    assert run("count", *table, "--engine", "dask", "-o", "counts", "-q").status == 0
    answer = run("--stats", "counts", *COLUMN, "-par", *FEW, "-q", "-f", "csv")
    assert answer.out == run(*files, *COLUMN, "-par", *FEW, "-f", "csv").out


def test_engines_say_why(run):
    refused(
        run("--table", "t.parquet", "--engine", "dask", "--scores", "a=b"),
        "--engine cannot be combined with --scores: workers have no scores, but bleu count --engine saves counts, and"
        " bleu --stats --scores adds scores to them",
    )


@pytest.fixture
def shards(run, files, write):
    """Write the statistics of the texts without scores, in two files with a column `half`."""
    write("halves.tsv", "half\n" + "".join(f"{2 * n // COUNT}\n" for n in range(COUNT)))
    for number, part in enumerate((slice(0, 25), slice(25, COUNT))):
        for name in SYSTEMS:
            write(f"{number}-{name}.txt", "".join(f"{text}\n" for text in texts(name)[part]))
        write(f"{number}-ref.txt", f"{' '.join(WORDS)}\n" * len(texts("a")[part]))
        write(f"{number}-halves.tsv", "half\n" + "".join(f"{2 * n // COUNT}\n" for n in range(COUNT)[part]))
        paths = [f"{number}-{name}.txt" for name in SYSTEMS]
        words = (f"{number}-ref.txt", "-i", *paths, "--names", ",".join(SYSTEMS), "-q")
        labels = ("--labels", f"{number}-halves.tsv", "--by", "half")
        first = str(1 + 25 * number)
        assert run("count", *words, *labels, "--first-line", first, "-o", f"{number}.parquet").status == 0
    return ("--stats", "1.parquet", "0.parquet", "-q")


@pytest.mark.parametrize(
    "words", [(), ("-par", *FEW), ("-par", "--paired-all", *FEW), ("--by", "half"), ("-sl", "--rows", "wide")], ids=str
)
def test_scores_beside_statistics_are_those_beside_texts(run, files, shards, words):
    labels = ("--labels", "halves.tsv") if "half" in words else ()
    direct = run(*files, *BOTH, *labels, *words, "-f", "csv").out
    assert run(*shards, *BOTH, *words, "-f", "csv").out == direct
    assert run("count", *shards[:3], *BOTH, "-o", "whole.parquet").status == 0
    assert run("--stats", "whole.parquet", *words, "-f", "csv", "-q").out == direct


@pytest.mark.parametrize("kind", ["float64", "string"])
def test_scores_are_beside_statistics_whose_segments_have_another_type(run, files, shards, kind):
    import pyarrow.parquet as pq

    for number in (0, 1):
        table = pq.read_table(f"{number}.parquet")
        place = table.column_names.index("segment")
        pq.write_table(table.set_column(place, "segment", table.column(place).cast(kind)), f"{number}.parquet")
    assert run(*shards, *BOTH, "-f", "csv").out == run(*files, *BOTH, "-f", "csv").out


def test_scores_beside_statistics_of_several_test_sets_follow_one_another(run, shards):
    import pyarrow as pa
    import pyarrow.parquet as pq

    for name in ("new", "old"):  # each has all segments
        table = pa.concat_tables([pq.read_table(f"{n}.parquet") for n in (0, 1)])
        pq.write_table(table.append_column("testset", pa.array([name] * len(table))), f"{name}.parquet")
    write_scores = [*COMET["a"], *(1 - score for score in COMET["a"])]
    for name in SYSTEMS:
        with open(f"{name}.both", "w", encoding="utf-8") as file:
            file.write("".join(f"{score!r}\n" for score in write_scores))
    words = ("--stats", "old.parquet", "new.parquet", "--scores", "COMET=a.both,b.both,c.both", "-q", "-f", "jsonl")
    groups = [json.loads(line) for line in run(*words, "--by", "testset").out.splitlines()]
    means = {line["system"]: line["score"] for line in groups if line["metric"] == "COMET"}
    assert means["a testset=old"] == pytest.approx(fmean(COMET["a"]))
    assert means["a testset=new"] == pytest.approx(1 - fmean(COMET["a"]))


@pytest.mark.parametrize("command", [(), ("count", "-o", "x.parquet")])
def test_wrong_scores_beside_statistics_are_refused(run, shards, write, command):
    write("short", "0.5\n" * 59)
    for words, part in (
        (
            ("COMET=short,b.comet,c.comet",),
            "short has 59 scores, but there are 60 segments; give one score per segment",
        ),
        (("BLEU=a.comet,b.comet,c.comet",), "scores 'BLEU': this name has another meaning here"),
    ):
        refused(run(*command, *shards[:3], "--scores", *words), part)
    assert run("count", *shards, *COLUMN, "-o", "saved.parquet").status == 0
    again = run(*command, "--stats", "saved.parquet", *COLUMN)
    refused(again, "saved.parquet has comet already; choose another name for these scores")
    assert run("count", *shards, "--sums", "-o", "sums.parquet").status == 0
    sums = run("--stats", "sums.parquet", *COLUMN)
    refused(sums, "sums.parquet holds sums, but scores are those of segments; name files of segments")


def test_scores_beside_damaged_statistics_are_refused_as_the_statistics_are(run, shards):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table("0.parquet")
    for number, damage in enumerate((None, -1)):
        segments = [damage, *table.column("segment").to_pylist()[1:]]
        place = table.column_names.index("segment")
        pq.write_table(table.set_column(place, "segment", pa.array(segments, pa.int64())), f"bad{number}.parquet")
        words = ("--stats", f"bad{number}.parquet", "1.parquet", "-q")
        assert refused(run(*words, *COLUMN), f"bad{number}.parquet") == refused(run(*words))


def test_saved_scores_are_not_called_metrics_of_your_own(run, shards):
    assert run("count", *shards, *COLUMN, "-o", "saved.parquet").status == 0
    answer = run("--stats", "saved.parquet")
    assert "COMET" in answer.out
    assert "metric of your own" not in answer.err


# The items of a reference and of two systems, in the order of their files: all of them, and only some
SAME_ITEMS = {"r": "abcdef", "s": "abfdce", "t": "abcdef"}
SOME_ITEMS = {"r": "abcdef", "s": "abfdc", "t": "abxefc"}


@pytest.mark.parametrize("jobs", [("-J", "1"), ("-J", "2")])
@pytest.mark.parametrize(("items", "more"), [(SAME_ITEMS, ()), (SOME_ITEMS, ("--partial",))])
def test_scores_follow_items_that_are_joined_by_their_ids(run, write, items, more, jobs):
    """Those of one system are in the order of its file; those of all systems in one file, in that of the reference."""
    values = {name: {item: ord(item) / 128 + place for item in "abcdefx"} for place, name in enumerate("st")}
    for name, order in items.items():
        field = "refs" if name == "r" else "hyp"
        write(f"{name}.jsonl", "".join(f'{{"id": "{item}", "{field}": "{item} y"}}\n' for item in order))
        if name != "r":
            write(f"{name}.comet", "".join(f"{values[name][item]!r}\n" for item in order))
    rows = "".join(f"{values['s'][item]!r},{values['t'][item]!r}\n" for item in items["r"])
    write("all.csv", f"s.jsonl,t.jsonl\n{rows}")
    words = ("r.jsonl", "-i", "s.jsonl", "t.jsonl", "-q", *more, *jobs)
    common = [item for item in items["r"] if all(item in order for order in items.values())]
    for scores in ("COMET=s.comet,t.comet", "COMET=all.csv"):
        means = lines(run(*words, "--scores", scores, "-f", "jsonl"))
        for name in "st":
            assert means[name, "COMET"]["score"] == fmean(values[name][item] for item in common)
        table = csv.DictReader(io.StringIO(run(*words, "--scores", scores, "-sl", "-f", "csv", "--rows", "wide").out))
        assert [float(row["s COMET"]) for row in table] == [values["s"][item] for item in common]
    write("short.comet", "0.5\n")
    short = run(*words, "--scores", "COMET=short.comet,t.comet")
    refused(short, f"short.comet has 1 score, but there are {len(items['s'])} segments; give one score per segment")


@pytest.mark.parametrize("count", [2, 4, 5])
def test_scores_are_counted_if_items_are_missing_only_at_the_end(run, write, count):
    for name, field, order in (("r", "refs", "abcde"), ("s", "hyp", "abc")):
        write(f"{name}.jsonl", "".join(f'{{"id": "{item}", "{field}": "{item} y"}}\n' for item in order))
    write("s.comet", "0.5\n" * count)
    answer = run("r.jsonl", "-i", "s.jsonl", "--partial", "--scores", "COMET=s.comet")
    refused(answer, f"s.comet has {count} scores, but there are 3 segments; give one score per segment")


def test_the_option_of_earlier_versions_says_what_to_write(run):
    refused(
        run("ref.txt", "-i", "a.txt", "--add-scores", "c=x"), "write bleu report REF -i SYSTEM -o PAGE.html --scores"
    )


# --- Python


def results_of(**options):
    systems = {name: texts(name) for name in SYSTEMS}
    return bleucli.evaluate_systems(systems, [[" ".join(WORDS)] * COUNT], **options)


def test_python_gives_the_same_scores(run, files):
    items = lines(run(*files, *BOTH, "-par", *FEW, "-f", "jsonl"))
    results = results_of(scores={"COMET": COMET, "MetricX": list(ERRORS.values())}, test="ar", trials=150)
    for system in results.systems:
        for record in system.scores:
            item = items[system.name, record.name]
            assert (record.score, record.p_value) == (item["score"], item["p_value"])
            assert dict(record.signature) == item["signature"]


class Lengths:
    """A metric of another library."""

    name = "Lengths"
    higher_is_better = False

    def segment_scores(self, hypotheses, references):
        return [abs(len(one) - len(other)) ** 0.5 for one, other in zip(hypotheses, references[0], strict=True)]


class Whole:
    """A metric of another library that only scores whole systems."""

    name = "Whole"
    higher_is_better = True

    def corpus_score(self, hypotheses, references):
        return sum(map(len, hypotheses))


def test_any_object_can_be_a_metric():
    results = results_of(metrics=["bleu", Lengths()], test="ar", trials=150)
    for system in results.systems:
        record = system.scores[1]
        gaps = Lengths().segment_scores(texts(system.name), [[" ".join(WORDS)] * COUNT])
        assert (record.name, record.score, record.higher_is_better) == ("Lengths", fmean(gaps), False)
        if system.name != "a":
            first = Lengths().segment_scores(texts("a"), [[" ".join(WORDS)] * COUNT])
            assert record.p_value == plain_randomization_p_value(numbers(first), numbers(gaps), 150, 12345)
    results = results_of(metrics=[Whole(), "bleu", Lengths()])
    assert [record.name for record in results.systems[0].scores] == ["Whole", "BLEU", "Lengths"]
    assert results.systems[1].scores[0].score == sum(map(len, texts("b")))
    assert results_of(metrics=Lengths()).systems[0].scores[0].name == "Lengths"


class Changing(Lengths):
    def segment_scores(self, hypotheses, references):
        for texts_of in (hypotheses, *references):
            texts_of[:] = [""] * len(texts_of)
        return [0.0] * len(hypotheses)


class ChangingWhole(Whole):
    def corpus_score(self, hypotheses, references):
        Changing().segment_scores(hypotheses, references)
        return 0.0


def test_metrics_that_change_their_texts_change_no_other_score():
    given, references = {name: texts(name) for name in SYSTEMS}, [[" ".join(WORDS)] * COUNT]
    expected = [system.scores[0].score for system in bleucli.evaluate_systems(given, references, "bleu").systems]
    results = bleucli.evaluate_systems(given, references, [Changing(), ChangingWhole(), "bleu"])
    assert [system.scores[2].score for system in results.systems] == expected
    assert (given, references) == ({name: texts(name) for name in SYSTEMS}, [[" ".join(WORDS)] * COUNT])


class Silent(Lengths):
    def segment_scores(self, hypotheses, references):
        return None


class Endless(Whole):
    def corpus_score(self, hypotheses, references):
        return math.nan


class Nameless(Lengths):
    name = None


class Mute:
    name = "Mute"
    higher_is_better = True


class Undirected(Lengths):
    higher_is_better = None


class Short(Lengths):
    def segment_scores(self, hypotheses, references):
        return [1.0]


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"scores": []}, 'scores: expected segment scores by tool; write {"COMET": {"system": [...], ...}}'),
        ({"scores": {"COMET": {"a": [1.0]}}}, "scores['COMET'] has no 'b'; give the scores of each system"),
        (
            {"scores": {"COMET": COMET | {"d": []}}},
            "scores['COMET'] has 'd', which is not a system; choose from a, b, c",
        ),
        ({"scores": {"COMET": COMET | {"b": 3}}}, "scores['COMET']['b'] is not a list; give one number per segment"),
        ({"scores": {"COMET": COMET | {"b": [0.5]}}}, "scores['COMET']['b'] has 1 score, but there are 60 segments"),
        ({"scores": {"COMET": [[1.0]]}}, "there are 3 systems; give one list of scores per system"),
        ({"scores": {"COMET": COMET, "comet": COMET}}, "scores 'COMET': other scores already have this name"),
        ({"scores": {"chrF2": COMET}}, "scores 'chrF2': this name has another meaning here"),
        ({"metrics": [Nameless()]}, "has no name; set name to a name"),
        (
            {"metrics": [Mute()]},
            "a metric of type Mute has no method that scores; give it segment_scores(hypotheses, references) or"
            " corpus_score(hypotheses, references)",
        ),
        ({"metrics": [Undirected()]}, "has no higher_is_better; set higher_is_better to True or False"),
        ({"metrics": [Short()]}, "Lengths of a: segment_scores returned 1 score for 60 segments"),
        ({"metrics": [Silent()]}, "segment_scores of Lengths returned None; give one number per segment"),
        ({"metrics": [Endless(), "bleu"]}, "corpus_score of Whole is nan for a; give a finite number"),
        ({"metrics": [Whole(), "bleu"], "test": "ar"}, "Whole only has corpus_score, which gives no tests"),
        ({"metrics": [Whole()]}, "needs another metric beside it; give it segment_scores, or leave it out"),
        ({"metrics": [Lengths()], "level": "doc", "labels": {"doc": ["d"] * COUNT}}, "level 'doc' joins texts"),
    ],
)
def test_wrong_arguments_are_refused(options, part):
    raised([part], results_of, **options)


def test_documents_in_python_have_the_mean_of_their_segments():
    labels = {"doc": [f"d{n // 7}" for n in range(COUNT)]}
    results = results_of(scores={"COMET": COMET}, level="doc", labels=labels)
    for system in SYSTEMS:
        assert math.isclose(results.score(system, "COMET"), sum(COMET[system]) / COUNT, rel_tol=1e-12)


# --- tables and documents


def test_a_table_takes_scores_from_its_own_columns_and_from_files(run, write):
    pytest.importorskip("pyarrow")
    from pyarrow import parquet, table

    texts = {
        "ref": ["a b c d e", "f g h i", "j k l m"],
        "x": ["a b c d", "f g h", "j k l m"],
        "y": ["a b", "f g h i", "j"],
    }
    scores = {"x": [0.5, 0.25, 0.75], "y": [0.125, 0.5, 0.25]}
    parquet.write_table(table(texts | {"comet": scores["x"]}), "t.parquet")
    write("y.comet", "".join(f"{score}\n" for score in scores["y"]))
    for name, lines in texts.items():
        write(f"{name}.txt", "".join(f"{line}\n" for line in lines))
    words = ("--scores", "COMET=t.parquet:comet,y.comet", "-q", "--paired-ar")
    for more in (("-f", "csv"), ("-f", "json", "--name-by", "file")):
        of_files = run("ref.txt", "-i", "x.txt", "y.txt", *words, *more)
        assert of_files.status == 0
        assert run("--table", "t.parquet", "--columns", "hyp=x,y", *words, *more) == of_files
    words = [word for word in words if word != "--paired-ar"]
    assert (
        run("--table", "t.parquet", "--columns", "hyp=x,y", *words, "-sl", "-f", "csv").out
        == run("ref.txt", "-i", "x.txt", "y.txt", *words, "-sl", "-f", "csv").out
    )


DOCUMENTS = ("--labels", "labels.tsv", "--level", "doc", "--scores", "COMET=s.comet", "-q")


@pytest.fixture
def documents(write):
    """Return a function that writes a reference, scores, and the document of each line."""

    def write_all(lines, scores, numbers):
        write("ref.txt", "".join(f"{line}\n" for line in lines))
        write("s.comet", "".join(f"{score}\n" for score in scores))
        write("labels.tsv", "doc\n" + "".join(f"d{number}\n" for number in numbers))

    return write_all


def means_of_documents(answer):
    return [float(line.split(",")[-1]) for line in answer.out.splitlines()[1:]]


@pytest.mark.parametrize("jobs", [(), ("-J", "2")])
def test_documents_have_the_mean_of_their_segments(run, write, documents, jobs):
    lines = [f"word {number} of the text" for number in range(9)]
    numbers = [0, 0, 0, 1, 2, 2, 2, 2, 3]
    scores = [0.5, 0.25, 1, 0, 0.125, 0.5, 0.75, 1, 0.25]
    documents(lines, scores, numbers)
    write("s.txt", "".join(f"{line} more\n" for line in lines))
    words = ("ref.txt", "-i", "s.txt", *DOCUMENTS, *jobs)
    (_, whole) = json.loads(run(*words, "-w", "9").out)
    assert whole["score"] == round(sum(scores) / len(scores), 11)
    groups = [[score for score, of in zip(scores, numbers, strict=True) if of == number] for number in range(4)]
    means = means_of_documents(run(*words, "-sl", "-f", "csv", "--rows", "wide"))
    assert means == [sum(own) / len(own) for own in groups]
    write("short.comet", "0.5\n" * 8)
    short = [word if word != "COMET=s.comet" else "COMET=short.comet" for word in words]
    refused(run(*short), "short.comet has 8 scores, but there are 9 segments; give one score per segment")
    assert run(*words, "-ci", "-cin", "20").status == 0


def test_documents_over_many_blocks_keep_their_scores(run, documents):
    count = range(20000)
    documents([f"word {n} of the text {'x ' * 60}" for n in count], [n % 7 for n in count], [n // 13 for n in count])
    answer = run("ref.txt", "-i", "ref.txt", *DOCUMENTS, "-sl", "-f", "csv", "--rows", "wide")
    parts = [[n % 7 for n in count[start : start + 13]] for start in range(0, 20000, 13)]
    assert means_of_documents(answer) == [sum(part) / len(part) for part in parts]


def test_a_column_that_may_number_segments_is_noted(run, files, write):
    rows = [(n, score) for n, score in enumerate(COMET["a"], 1)][::-1]
    for name in ("sid", "segment"):
        write(f"{name}.csv", f"{name},score\n" + "".join(f"{n},{score!r}\n" for n, score in rows))
    words = ["ref.txt", "-i", "a.txt", "-sl", "-f", "csv", "--scores"]
    note = (
        "bleu: warning: sid.csv has sid, which may number the segments, in another order than its"
        " lines; call it segment if scores are to follow it\n"
    )
    assert run(*words, "COMET=sid.csv").err.endswith(note)
    assert "may number" not in run(*words, "COMET=segment.csv").err
    assert "may number" not in run(*words, "COMET=sid.csv", "--jsonl-fields", "id=none").err
    write("sorted.csv", "sid,score\n" + "".join(f"{n},{score!r}\n" for n, score in rows[::-1]))
    assert "may number" not in run(*words, "COMET=sorted.csv").err
    note = "ids.csv has segment, which does not number all segments, so scores are paired by their position\n"
    for n, is_noted in (("17b", True), ("x", True), ("", True), ("17", False), ("the cat ran", False)):
        write("ids.csv", f"segment,score\n{n},{rows[43][1]!r}\n" + "".join(f"{n},{x!r}\n" for n, x in rows if n != 17))
        answer = run(*words, "COMET=ids.csv")
        assert (answer.status, answer.err.endswith(f"bleu: warning: {note}")) == (0, is_noted)


@pytest.mark.parametrize("jobs", [(), ("-J", "2")])
@pytest.mark.parametrize("field", ["hypothesis", "mt"])
def test_scores_of_other_outputs_are_noted(run, files, write, monkeypatch, field, jobs):
    monkeypatch.setattr("bleucli.reading._BLOCK_BYTES", 500)
    own = texts("a")
    orders = {"own": own, "spaced": [f" {text.replace(' ', '  ')}" for text in own], "reversed": own[::-1]}
    # Half of the segments may differ, since programs change texts before they score them
    orders |= {f"{half}": [f"x{text}" if n < half else text for n, text in enumerate(own)] for half in (30, 31)}
    for name, outputs in orders.items():
        rows = [{field: text, "prediction": score} for text, score in zip(outputs, COMET["a"], strict=True)]
        write(f"{name}.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
        answer = run("ref.txt", "-i", "a.txt", *jobs, "--scores", f"COMET={name}.jsonl")
        others = sum(one.split() != other.split() for one, other in zip(own, outputs, strict=True))
        note = (
            f"bleu: warning: {name}.jsonl has other outputs than a.txt has in {others} of {COUNT} segments; check that"
            " these scores are its own, and in its order\n"
        )
        assert (answer.status, answer.err) == (0, note if 2 * others > COUNT else "")


def test_the_same_scores_of_two_systems_are_noted(run, files, write):
    write("all.csv", "a,b\n" + "0.5,0.25\n" * COUNT)
    words = [word for word in files[:-2] if word != "-q"]
    for scores, source in (("a.comet,a.comet", "a.comet"), ("all.csv:a,all.csv:a", "all.csv")):
        answer = run(*words, "--scores", f"COMET={scores}")
        assert answer.err == f"bleu: warning: --scores COMET: a.txt and b.txt have the same scores, those of {source}\n"
    for scores in ("all.csv:a,all.csv:b", "all.csv", "a.comet,b.comet"):
        assert "same scores" not in run(*words, "--scores", f"COMET={scores}").err


def test_what_a_test_can_show_has_more_decimals_than_the_scores(run, files):
    answer = run(*files, *COLUMN, "--paired-ar", "-f", "markdown")
    sentence = next(line for line in answer.out.splitlines() if line.startswith("- COMET: with 60 segments"))
    smallest, difference = re.search(
        r"finds a difference of ([\d.]+) .* observed difference, ([\d.]+),", sentence
    ).groups()
    differences = np.subtract(COMET["c"], COMET["a"])  # c is the best of the others
    assert difference == f"{abs(differences.mean()):.4f}"
    # 2.80 standard errors by the jackknife, which for a mean are its usual standard errors
    assert smallest == f"{2.8015852 * differences.std(ddof=1) / math.sqrt(COUNT):.4f}"
