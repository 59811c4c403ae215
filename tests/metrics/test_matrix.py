"""`bleu matrix`: many language pairs in one table, each with the scores that it gets when scored alone."""

from __future__ import annotations

import csv
import html
import io
import json
import os
import random
import re
import warnings
from functools import partial
from glob import glob

import numpy as np
import pytest
from conftest import raised, refused, sent_to, warnings_in
from evaluation_data import CORPORA, FOLDER, PUBLIC, problem
from hypothesis import given
from hypothesis import strategies as st

import bleucli
from bleucli import BLEU, CHRF, BleuWarning
from bleucli.counting.threads import usable_processors
from bleucli.matrix.plan import read_plan
from bleucli.output import FORMATS, render
from bleucli.output.layout import Layout

# Folders as WMT published them: the repositories wmt22-news-systems to wmt24-news-systems, there under txt/
WMT22 = """\
references = "references/generaltest2022.{pair}.ref.*.{target}"
systems = "system-outputs/generaltest2022.{pair}.hyp.{system}.{target}"
"""
WMT23 = WMT22.replace("2022", "2023")
WMT24 = """\
references = "references/{pair}.ref?.txt"
systems = "system-outputs/{pair}/{system}.txt"
"""
LAYOUTS = {
    "wmt22": (WMT22, "references/generaltest2022.{0}.ref.{1}.{2}", "system-outputs/generaltest2022.{0}.hyp.{1}.{2}"),
    "wmt23": (WMT23, "references/generaltest2023.{0}.ref.ref{1}.{2}", "system-outputs/generaltest2023.{0}.hyp.{1}.{2}"),
    "wmt24": (WMT24, "references/{0}.ref{1}.txt", "system-outputs/{0}/{1}.txt"),
}
GERMAN = ("Der Hund beißt den Mann im Park.", "Es war nicht überraschend.", "Das Wetter ist heute sehr schön.")
CHINESE = ("狗在公园里咬了那个人。", "这并不令人惊讶。", "今天的天气非常好。")
TEXTS = {
    ("en-de", "ref", "A"): GERMAN,
    ("en-de", "ref", "B"): ("Im Park beißt der Hund den Mann.", *GERMAN[1:]),
    ("en-de", "sys", "GPT-4.5"): ("Der Hund biss den Mann im Park.", *GERMAN[1:]),
    ("en-de", "sys", "ONLINE_B"): (*GERMAN[:2], "Heute ist das Wetter sehr schön."),
    ("en-zh", "ref", "A"): CHINESE,
    ("en-zh", "sys", "GPT-4.5"): ("狗在公园里咬了人。", *CHINESE[1:]),
    ("cs-uk", "ref", "A"): ("Собака вкусив людину в парку.", "Це не дивно.", "Сьогодні дуже гарна погода."),
    ("cs-uk", "sys", "ONLINE_B"): ("Собака кусає людину в парку.", "Це не дивно.", "Сьогодні гарна погода."),
    ("cs-uk", "sys", "GPT-4.5"): ("Пес вкусив людину в парку.", "Це не дивно.", "Сьогодні дуже гарна погода."),
}


MIXED = "1 (cs-uk and en-zh) and 2 (en-de)"
MIXED_HINT = (
    f"the averages mix language pairs with different numbers of references: {MIXED}; give each pair the same number"
)


def lay_out(layout, texts=TEXTS):
    """Write a folder as WMT published it, and the file that reads it; return the paths by pair, kind and name."""
    pattern, references, systems = LAYOUTS[layout]
    paths = {}
    for (pair, kind, name), lines in texts.items():
        path = (references if kind == "ref" else systems).format(pair, name, pair[3:])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
        paths[pair, kind, name] = path
    with open("matrix.toml", "w", encoding="utf-8") as file:
        file.write(pattern)
    return paths


@pytest.fixture
def wmt24(folder):
    """Write a folder in WMT24's layout."""
    return lay_out("wmt24")


@pytest.fixture
def matrix(write):
    """Write the TOML file of a matrix."""
    return lambda *lines: write("matrix.toml", "".join(f"{line}\n" for line in lines))


def lines_of(answer):
    """Return the objects of jsonl by pair, system and metric; and, separately, the averages."""
    found = {}
    for line in map(json.loads, answer.out.splitlines()):
        system, pair = line["system"].split(" pair=")
        found[pair, system, line["metric"]] = line
    means = {key[1:]: found.pop(key) for key in list(found) if key[0] == "average"}
    return found, means


# --- the scores


WORDS = (("-m", "bleu", "chrf", "ter"), ("-lc", "-s", "floor", "-m", "bleu"), ("-m", "chrf++", "wer"), ("-tok", "char"))


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_pair_has_the_scores_and_signatures_of_the_plain_command(run, folder, layout, words):
    paths = lay_out(layout)
    scored, _ = lines_of(run("matrix", "matrix.toml", *words, "-f", "jsonl", "-q"))
    expected = {}
    for pair in ("en-de", "en-zh", "cs-uk"):
        references = sorted(path for (of, kind, _), path in paths.items() if (of, kind) == (pair, "ref"))
        outputs = {path: name for (of, kind, name), path in paths.items() if (of, kind) == (pair, "sys")}
        language = ["-l", pair] if "bleu" in words or "-tok" in words else []
        plain = run(*references, "-i", *outputs, *language, *words, "-f", "jsonl", "-q", "--name-by", "path")
        for line in map(json.loads, plain.out.splitlines()):
            expected[pair, outputs[line["system"]], line["metric"]] = line
    assert scored.keys() == expected.keys()
    for key, line in scored.items():
        for name in line.keys() - {"system", "command", "time", "inputs"}:
            assert line[name] == expected[key][name], (key, name)
        assert {one["name"] for one in line["inputs"]} <= {one["name"] for one in expected[key]["inputs"]}
        assert len(line["inputs"]) == 1 + int(line["signature"]["nrefs"])


@pytest.mark.slow
@pytest.mark.skipif(problem(FOLDER) != "", reason=problem(FOLDER) or "there is evaluation data")
def test_the_pairs_of_wmt22_have_the_scores_of_the_plain_command(run, matrix):
    matrix(f'references = "{FOLDER}/wmt22.{{pair}}/ref.*.txt"', f'systems = "{FOLDER}/wmt22.{{pair}}/{{system}}.txt"')
    words = ("-m", "bleu", "chrf", "-f", "jsonl", "-q")
    for jobs in ("1", "2"):
        scored, means = lines_of(run("matrix", "matrix.toml", *words, "-J", jobs))
        count = 0
        for name in PUBLIC:
            references, systems = (
                [os.path.join(FOLDER, name, f"{one}.txt") for one in names] for names in CORPORA[name]
            )
            pair = name.removeprefix("wmt22.")
            for line in map(json.loads, run(*references, "-i", *systems, "-l", pair, *words).out.splitlines()):
                found = scored[pair, line["system"], line["metric"]]
                assert all(found[key] == line[key] for key in ("score", "signature", "segments", "precisions"))
                count += 1
        assert count == len(scored)
        assert not means  # no system has output for all four pairs


@pytest.mark.skipif(problem(FOLDER) != "", reason=problem(FOLDER) or "there is evaluation data")
def test_the_pairs_of_wmt22_have_averages_of_systems_with_all_pairs(matrix):
    lines = [f'references = "{FOLDER}/wmt22.{{pair}}/ref.A.txt"', f'systems = "{FOLDER}/wmt22.{{pair}}/{{system}}.txt"']
    matrix(*lines, 'pairs = ["en-zh", "en-de"]', 'names = ["Online-B", "LanguageX"]')
    results = bleucli.score_matrix("matrix.toml", ["bleu"])
    published = {"en-de": 33.4, "en-zh": 44.5}  # compared only to check that the mean is that of these two
    scores = [row.scores[0].score for row in results.systems if row.name.startswith("Online-B ")]
    (mean,) = results.averages
    assert len(scores) == len(published)
    assert mean.scores[0].score == pytest.approx(sum(scores) / 2, rel=1e-15)
    assert mean.scores[0].signature.info["tok"] == "zh,13a"


def test_dictionaries_and_rows_have_the_averages_that_the_command_prints(run, wmt24):
    printed = [json.loads(line) for line in run("matrix", "matrix.toml", "-f", "jsonl", "-q").out.splitlines()]
    results = bleucli.score_matrix("matrix.toml")
    found = results.to_dict()["scores"]
    run_keys = {"command": None, "inputs": None, "time": None}
    assert found == [line | run_keys for line in printed]
    table = [(f"{row['system']} pair={row['pair']}", row["metric"], row["score"]) for row in results.rows()]
    assert table == [(line["system"], line["metric"], line["score"]) for line in printed]
    assert table[-1][0] == "GPT-4.5 pair=average"


def test_averages_are_means_over_all_pairs_where_none_is_missing(run, wmt24):
    scored, means = lines_of(run("matrix", "matrix.toml", "-m", "bleu", "ter", "-f", "jsonl", "-q"))
    assert means.keys() == {("GPT-4.5", "BLEU"), ("GPT-4.5", "TER")}
    for (system, metric), line in means.items():
        scores = [scored[pair, system, metric]["score"] for pair in ("cs-uk", "en-de", "en-zh")]
        assert line["score"] == pytest.approx(sum(scores) / 3, rel=1e-15)
        assert line["segments"] == 9
    assert means["GPT-4.5", "BLEU"]["signature"]["tok"] == "13a,zh"
    assert means["GPT-4.5", "BLEU"]["signature"]["nrefs"] == "1,2"


def test_threads_never_change_a_number(run, wmt24):
    answers = [run("matrix", "matrix.toml", "-f", "csv", "-m", "bleu", "ter", "-J", jobs) for jobs in "128"]
    assert answers[0] == answers[1] == answers[2]


# --- what is printed


def test_a_table_has_a_row_for_each_system_and_a_column_for_each_pair(run, wmt24):
    answer = run("matrix", "matrix.toml", "-f", "markdown")
    signed = f"case:mixed|eff:no|tok:{{}}|smooth:exp|version:bleucli-{bleucli.__version__}`"
    assert answer.out.splitlines() == [
        "|    BLEU ↑ |  cs-uk  |  en-de  |  en-zh  |  Average  |",
        "|----------:|:-------:|:-------:|:-------:|:---------:|",
        "|   GPT-4.5 |  89.2   |  83.2   |  86.4   |   86.3    |",
        "| ONLINE\\_B |  59.7   |  74.8   |         |           |",
        "",
        "- The average is the mean over the 3 language pairs, for systems with output for each.",
        "- The average BLEU mixes scores by different tokenizers: 13a and zh.",
        f"- The averages mix language pairs with different numbers of references: {MIXED}.",
        f"- BLEU, cs-uk: `nrefs:1|{signed.format('13a')}",
        f"- BLEU, en-de: `nrefs:2|{signed.format('13a')}",
        f"- BLEU, en-zh: `nrefs:1|{signed.format('zh')}",
    ]
    assert warnings_in(answer) == [
        "bleu: warning: left blank because there is no output: en-zh by ONLINE_B",
        f"bleu: warning: {MIXED_HINT}",
    ]


@pytest.mark.parametrize("name", ["text", "markdown", "latex", "html", "rst", "paper"])
def test_every_table_says_that_averages_mix_pairs_with_one_and_with_two_references(run, wmt24, name):
    told = " ".join(html.unescape(run("matrix", "matrix.toml", "-f", name, "-q", "-m", "bleu", "ter").out).split())
    assert told.count(f"The averages mix language pairs with different numbers of references: {MIXED}.") == 1


def test_nothing_is_said_of_references_where_no_average_mixes_them(run, wmt24):
    with open("matrix.toml", "a", encoding="utf-8") as file:
        file.write('pairs = ["en-de"]\n')
    assert "mix language pairs" not in "".join(run("matrix", "matrix.toml", "-f", "markdown")[1:])
    lay_out("wmt24")
    os.remove("references/en-de.refB.txt")
    assert "mix language pairs" not in "".join(run("matrix", "matrix.toml", "-f", "markdown")[1:])
    lay_out("wmt24")
    os.remove("system-outputs/en-zh/GPT-4.5.txt")
    with open("system-outputs/en-zh/other.txt", "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in CHINESE)
    answer = run("matrix", "matrix.toml", "-f", "markdown")
    assert "There are no averages" in answer.out
    assert "mix language pairs" not in answer.out + answer.err


@given(st.dictionaries(st.sampled_from(["en-de", "cs-uk", "de-fr", "fr-it", "it-es"]), st.integers(1, 3), min_size=2))
def test_what_is_said_of_references_is_true(counts):
    texts = {pair: ({"A": ["a b c d e"]}, [["a b c d e"]] * count) for pair, count in counts.items()}
    with warnings.catch_warnings(action="ignore"):
        results = bleucli.score_matrix(texts, ["bleu", "chrf"])
    said = [hint for hint in results.hints if "numbers of references" in hint]
    assert bool(said) == (len(set(counts.values())) > 1)
    for hint in said:
        groups = re.findall(r"(\d) \(([^)]*)\)", hint)
        told = {pair: int(count) for count, pairs in groups for pair in re.split(", | and ", pairs)}
        assert told == counts
        assert hint.partition("references: ")[2].partition(";")[0] in render(results, Layout(), "markdown")


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "jsonl"])
def test_every_format_has_all_scores(run, wmt24, name):
    answer = run("matrix", "matrix.toml", "-m", "bleu", "chrf", "-f", name, "-w", "4", "--scale", "100", "-q")
    assert answer.status == 0, answer.err
    scored, means = lines_of(run("matrix", "matrix.toml", "-m", "bleu", "chrf", "-f", "jsonl", "-q"))
    wanted = [*scored.values(), *(means.values() if name != "junit" else [])]
    for line in wanted:
        assert re.search(rf"\b{line['score']:.4f}".rstrip("0"), answer.out), line["system"]


def test_json_and_csv_have_the_pair_in_its_own_field(run, wmt24):
    found = json.loads(run("matrix", "matrix.toml", "-q").out)
    assert [(row["system"], row["pair"]) for row in found[-2:]] == [("GPT-4.5", "en-zh"), ("GPT-4.5", "average")]
    rows = list(csv.DictReader(io.StringIO(run("matrix", "matrix.toml", "-q", "-f", "csv").out)))
    assert [(row["system"], row["pair"]) for row in rows] == [(row["system"], row["pair"]) for row in found]
    assert [float(row["BLEU"]) for row in rows] == [row["BLEU"]["score"] for row in found]


def test_the_best_of_each_column_is_bold(run, wmt24):
    table = run("matrix", "matrix.toml", "-f", "rst", "--bold-best", "-q").out
    assert re.search(r"GPT-4.5 +\*\*89.2\*\* +\*\*83.2\*\* +\*\*86.4\*\* +\*\*86.3\*\*", table)


def test_scores_from_0_to_1_have_averages_in_that_scale(run, wmt24):
    table = run("matrix", "matrix.toml", "-f", "markdown", "--scale", "1", "-q").out
    assert re.search(r"\| +GPT-4.5 \| +0.892 +\| +0.832 +\| +0.864 +\| +0.863 +\|", table)


def test_styles_apply_to_language_pairs_too(run, wmt24):
    words = ("-f", "markdown", "-q", "-ci", "-cin", "20")
    table = run("matrix", "matrix.toml", "--style", "compact", *words, variables={"BLEU_SEED": "1"}).out
    assert re.search(r"^\| BLEU ↑ +\| +cs-uk +\| +en-de +\|", table)
    assert re.search(r"^\| GPT-4.5 +\| +89.2±\d+.\d +\|", table, re.MULTILINE)


@pytest.mark.parametrize(("metric", "first"), [("bleu", "b"), ("ter", "b")])
def test_systems_are_sorted_by_their_averages_and_those_without_come_last(run, folder, metric, first):
    texts = {key: lines for key, lines in TEXTS.items() if key[1] == "ref"}
    for pair, reference in (("en-de", GERMAN), ("en-zh", CHINESE)):
        texts[pair, "sys", "a"] = ("x", *reference[1:])
        texts[pair, "sys", "b"] = reference
    texts["en-de", "sys", "0"] = GERMAN
    del texts["cs-uk", "ref", "A"]
    lay_out("wmt24", texts)
    words = ("matrix", "matrix.toml", "-q", "-m", "bleu", "ter", "--sort", metric)
    assert re.findall(r"^\| +(\w+) \|", run(*words, "-f", "markdown").out, re.MULTILINE)[:3] == [first, "a", "0"]
    rows = list(csv.DictReader(io.StringIO(run(*words, "-f", "csv").out)))
    assert [row["pair"] + row["system"] for row in rows] == [
        *("en-deb", "en-dea", "en-de0", "en-zhb", "en-zha", "averageb", "averagea"),
    ]


def test_systems_of_one_pair_are_sorted_by_its_scores(run, folder):
    systems = {("en-de", "sys", "a"): ("x", *GERMAN[1:]), ("en-de", "sys", "b"): GERMAN}
    lay_out("wmt24", {("en-de", "ref", "A"): GERMAN, **systems})
    words = ("matrix", "matrix.toml", "-q", "-f", "csv")
    for metric in ("bleu", "ter"):
        rows = csv.DictReader(io.StringIO(run(*words, "-m", metric, "--sort", metric).out))
        assert [row["system"] for row in rows] == ["b", "a"]


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_a_pair_alone_is_compared_with_its_row_in_a_matrix(run, wmt24, form):
    assert run("matrix", "matrix.toml", "-q", "-f", form, "-o", "old").status == 0
    texts = (wmt24["cs-uk", "ref", "A"], "-i", wmt24["cs-uk", "sys", "ONLINE_B"])
    words = (*texts, "--max-drop", "0", "--baseline", "old", "-q", "--names")
    assert run(*words, "ONLINE_B pair=cs-uk").status == 0
    refused(run(*words, "ONLINE_B"), "old has no system ONLINE_B; it has ", "ONLINE_B pair=cs-uk, ")


def test_one_caption_and_label_cover_all_tables(run, wmt24):
    words = ("-m", "bleu", "ter", "-f", "latex", "-q", "--caption", "All pairs", "--label", "tab:all")
    table = run("matrix", "matrix.toml", *words).out
    assert table.count("\\begin{tabular}") == 2
    assert table.count("\\caption{All pairs}\n\\label{tab:all}") == 1


def test_a_matrix_of_one_pair_has_no_averages(run, wmt24, matrix):
    matrix(*WMT24.splitlines(), 'pairs = ["en-zh"]')
    answer = run("matrix", "matrix.toml", "-f", "text")
    assert "Average" not in answer.out
    assert "en-zh" in answer.out
    assert answer.err == ""


def test_there_is_no_column_of_averages_if_no_system_has_all_pairs(run, wmt24):
    os.unlink("system-outputs/en-de/GPT-4.5.txt")
    answer = run("matrix", "matrix.toml", "-f", "text", "-q")
    assert "Average" not in answer.out
    assert "There are no averages, because no system has a score for every language pair." in answer.out


def test_scores_and_averages_have_intervals(run, wmt24):
    answer = run("matrix", "matrix.toml", "-ci", "-cin", "20", "-f", "markdown", "-q", variables={"BLEU_SEED": "1"})
    assert len(re.findall(r"\d \(\d+\.\d ± \d+\.\d\)", answer.out)) == 6


def test_the_paper_says_what_applies_to_which_pairs(run, wmt24):
    answer = run("matrix", "matrix.toml", "-f", "paper", "-q")
    for sentence in (
        "We report BLEU (Papineni et al., 2002) on 3 language pairs, computed with bleucli",
        "Each segment of cs-uk and en-zh has one reference.\nEach segment of en-de has 2 references.\n",
        "For cs-uk and en-de, BLEU is case-sensitive and uses the 13a tokenizer,",
        "For en-zh, BLEU is case-sensitive and uses the zh tokenizer,",
        "- References, cs-uk and en-zh: one reference each\n",
        "- Tokenizer, en-zh: zh: Chinese characters one by one, 13a for the rest\n",
    ):
        assert sentence in answer.out


def test_tables_wider_than_the_terminal_are_broken_between_pairs(wmt24):
    results = bleucli.score_matrix("matrix.toml", ["bleu", "ter"], n_bootstrap=5)
    whole = render(results, Layout(), "text")
    assert render(results, Layout(columns=200), "text") == whole
    for style in ("full", "compact"):
        broken = render(results, Layout(columns=36, style=style), "text")
        tables = broken.partition("\n\n-")[0].splitlines()
        assert max(map(len, tables)) <= 36
        heads = [line.replace("│", " ").replace("↑", " ").split() for line in tables if "BLEU" in line]
        assert [pair for head in heads for pair in head[1:]] == ["cs-uk", "en-de", "en-zh", "Average"]
        assert len(heads) > 1
    narrow = render(results, Layout(columns=1), "text").splitlines()
    assert sum("BLEU" in line and "│" in line for line in narrow) == 4
    assert render(results, Layout(columns=36), "markdown") == render(results, Layout(), "markdown")


def test_the_command_breaks_tables_at_the_width_of_its_terminal(run, wmt24):
    pytest.importorskip("pty")
    from fcntl import ioctl
    from struct import pack
    from termios import TIOCSWINSZ

    shown = {}
    for width in (35, 200):
        leader, follower = os.openpty()
        ioctl(follower, TIOCSWINSZ, pack("HHHH", 24, width, 0, 0))
        with os.fdopen(follower, "wb", buffering=0) as terminal:
            assert run("matrix", "matrix.toml", "-f", "text", "-q", stdout=terminal).status == 0
        shown[width] = sent_to(leader).decode()
    assert [shown[width].count("╒") for width in (35, 200)] == [2, 1]


def test_what_to_cite_follows_the_targets(run, write, matrix):
    for pair in ("en-de", "en-ja"):
        write(f"{pair}.ref", "a\n")
        write(f"{pair}.out", "a\n")
    matrix('references = "{pair}.ref"', 'systems = "{pair}.ou{system}"')
    answer = run("matrix", "matrix.toml", "--cite", "-m", "bleu", "chrf")
    assert (answer.status, answer.err) == (0, "")
    assert answer.out == run("--cite", "-l", "en-ja", "-m", "bleu", "chrf").out
    assert answer.out != run("--cite", "-m", "bleu", "chrf").out
    chosen = run("matrix", "matrix.toml", "--cite", "-tok", "intl")
    assert chosen.out == run("--cite", "-tok", "intl").out
    refused(run("matrix", "none.toml", "--cite"), "cannot read none.toml")


# --- which files


def test_references_are_not_systems_and_patterns_start_at_the_folder_of_the_file(run, folder):
    lay_out("wmt24")
    os.rename("references", "system-outputs/references")
    for (pair, kind, name), lines in TEXTS.items():
        if kind == "ref":
            os.rename(f"system-outputs/references/{pair}.ref{name}.txt", f"system-outputs/{pair}/ref.{name}.txt")
            assert lines
    (folder / "below").mkdir()
    with open("below/own.toml", "w", encoding="utf-8") as file:
        file.write(
            'references = "../system-outputs/{pair}/ref.*.txt"\nsystems = "../system-outputs/{pair}/{system}.txt"\n'
        )
    plan = read_plan(os.path.join("below", "own.toml"))
    assert plan.systems == ["GPT-4.5", "ONLINE_B"]
    assert [len(pair.references) for pair in plan.pairs] == [1, 2, 1]


def test_several_patterns_are_read_and_a_choice_keeps_its_order(run, wmt24, matrix):
    os.makedirs("ours")
    with open("ours/uk.txt", "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in TEXTS["cs-uk", "ref", "A"])
    matrix(
        'references = "references/{pair}.refA.txt"',
        'systems = ["system-outputs/{pair}/{system}.txt", "[o]urs/{target}.txt"]',
    )
    refused(run("matrix", "matrix.toml"), "does not tell systems apart; put {system} in place of their names")
    os.makedirs("ours/cs-uk")
    os.rename("ours/uk.txt", "ours/cs-uk/big.txt")
    matrix(
        'references = "references/{source}-{target}.refA.txt"',
        'systems = ["system-outputs/{pair}/{system}.txt", "[!x]urs/**/{pair}/{system}.txt"]',
        'pairs = ["en-de", "cs-uk"]',
        'names = ["big", "GPT-4.5"]',
    )
    plan = read_plan("matrix.toml")
    assert [pair.name for pair in plan.pairs] == ["en-de", "cs-uk"]
    assert plan.systems == ["big", "GPT-4.5"]
    assert plan.hints == ["left blank because there is no output: en-de by big"]


def test_references_by_target_serve_every_source(run, write, matrix):
    write("zho_Hans.ref", "\n".join(CHINESE))
    for source in ("eng_Latn", "deu_Latn"):
        write(f"{source}-zho_Hans.A", "\n".join(CHINESE))
    matrix('references = "{target}.ref"', 'systems = "{pair}.{system}"')
    results = bleucli.score_matrix("matrix.toml")
    assert results.pairs == ["deu_Latn-zho_Hans", "eng_Latn-zho_Hans"]
    assert {row.scores[0].signature.info["tok"] for row in results.systems} == {"zh"}


def test_pairs_without_references_or_outputs_are_left_out_and_named(run, wmt24):
    os.unlink("references/en-zh.refA.txt")
    os.rename("references/cs-uk.refA.txt", "references/cs-pl.refA.txt")
    answer = run("matrix", "matrix.toml", "-f", "csv")
    assert {row["pair"] for row in csv.DictReader(io.StringIO(answer.out))} == {"en-de"}
    assert warnings_in(answer) == [
        "bleu: warning: matrix.toml: left out because there are no references: cs-uk, en-zh",
        "bleu: warning: matrix.toml: left out because there are no outputs: cs-pl",
    ]
    assert run("matrix", "matrix.toml", "--strict").status == 2


REFS, SYSTEMS = WMT24.splitlines()


@pytest.mark.parametrize(
    ("lines", "parts"),
    [
        ((REFS,), ("matrix.toml: systems: expected a pattern such as", "found none")),
        ((REFS, "systems = 3"), ("matrix.toml: systems: expected a pattern such as", "found 3")),
        ((REFS, "systems = []"), ("matrix.toml: systems: expected a pattern such as", "found []")),
        ((REFS, SYSTEMS, "tokenizer = 'zh'"), ("matrix.toml: unknown key 'tokenizer'; expected references, systems",)),
        ((REFS, SYSTEMS, "pair = ['en-de']"), ("unknown key 'pair'", "did you mean pairs?")),
        ((REFS, "systems = "), ("matrix.toml is not valid TOML: ",)),
        ((REFS, SYSTEMS.replace("{pair}", "{langs}")), ("systems: unknown {langs} in", "choose from {pair}, {source}")),
        (
            (REFS, SYSTEMS.replace("{pair}", "*")),
            ("does not tell language pairs apart; put {pair} in place of their names",),
        ),
        ((REFS.replace("ref?", "{system}"), SYSTEMS), ("references: ", "tells systems apart; leave out {system}")),
        ((REFS, SYSTEMS.replace("outputs", "output")), ("systems: no file matches system-output/{pair}/{system}.txt",)),
        (
            (REFS.replace("ref?", "*").replace("{pair}", "e{pair}"), SYSTEMS),
            ("of 6 similar files, none has a pair",),
        ),
        ((REFS, SYSTEMS, "pairs = 'en-de'"), ("pairs: expected a list of one or more strings, found 'en-de'",)),
        ((REFS, SYSTEMS, "pairs = []"), ("pairs: expected a list of one or more strings, found []",)),
        ((REFS, SYSTEMS, "pairs = ['en-da']"), ("no output for the pair en-da; did you mean en-de or en-zh?",)),
        ((REFS, SYSTEMS, "names = ['GPT-4']"), ("names: there is no output of GPT-4; did you mean GPT-4.5?",)),
        ((REFS, SYSTEMS, "names = ['GPT-4.5', 'GPT-4.5']"), ("names: GPT-4.5 is listed twice; name each once",)),
        (
            (REFS, f"systems = ['{SYSTEMS[11:-1]}', '{SYSTEMS[11:-5]}*']"),
            ("systems: two patterns match system-outputs",),
        ),
        ((REFS, SYSTEMS.replace(".txt", ".*")), ("are both", "matches only one of them")),
        ((REFS, SYSTEMS.replace("{system}", "[z-a]{system}")), ("is not a valid pattern: bad character range",)),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(run, wmt24, matrix, lines, parts):
    if "are both" in parts:
        os.link("system-outputs/en-de/GPT-4.5.txt", "system-outputs/en-de/GPT-4.5.out")
    if "of 6 similar files, none has a pair" in parts:
        for name in ("e1.A.txt", "e2.A.txt", "e3.A.txt"):
            os.link("references/en-de.refA.txt", f"references/{name.replace('.A', '-x.A')}")
    matrix(*lines)
    refused(run("matrix", "matrix.toml"), *parts)


def test_a_file_that_cannot_be_read_is_refused(run, write):
    refused(run("matrix", "matrix.toml"), "cannot read matrix.toml: No such file or directory")
    write("matrix.toml", b"references = '\xff'")
    refused(run("matrix", "matrix.toml"), "matrix.toml is not valid TOML: 'utf-8' codec")
    write("matrix.toml", "a = " + "[" * 10000)
    refused(run("matrix", "matrix.toml"), "matrix.toml is not valid TOML: ")
    refused(run("matrix", ""), "FILE is empty; name a TOML file")


def test_json_lines_are_refused(run, wmt24, matrix):
    os.rename("system-outputs/en-de/GPT-4.5.txt", "system-outputs/en-de/GPT-4.5.jsonl")
    matrix(REFS, SYSTEMS.replace(".txt", ".json*"))
    refused(run("matrix", "matrix.toml"), "GPT-4.5.jsonl is JSON Lines, but a matrix reads only text files")


def test_the_file_is_not_overwritten(run, wmt24):
    refused(run("matrix", "matrix.toml", "-o", "matrix.toml"), "--output matrix.toml is also an input")
    refused(run("matrix", "matrix.toml", "-o", wmt24["en-de", "ref", "A"]), "is also an input")


# --- what a pair lacks


def test_another_number_of_segments_is_an_error_that_names_the_file(run, wmt24, write):
    write("system-outputs/en-de/GPT-4.5.txt", "Der Hund.\n")
    parts = ["system-outputs/en-de/GPT-4.5.txt has 1 segment"]
    refused(run("matrix", "matrix.toml"), *parts)
    raised(parts, bleucli.score_matrix, "matrix.toml")


def test_an_output_that_cannot_be_scored_is_blank_with_keep_going(run, wmt24, write):
    write("system-outputs/en-de/GPT-4.5.txt", "Der Hund.\n")
    write("system-outputs/en-zh/GPT-4.5.txt", b"\xff\n" * 3)
    answer = run("matrix", "matrix.toml", "--keep-going", "-f", "markdown")
    assert answer.status == 2
    assert re.search(r"GPT-4.5 \| +89.2 +\| +\| +\|\n", answer.out)
    errors = [line for line in answer.err.splitlines() if "error" in line]
    assert "system-outputs/en-de/GPT-4.5.txt" in errors[0]
    assert "system-outputs/en-zh/GPT-4.5.txt" in errors[1]
    assert errors[2].startswith("bleu: error: 2 outputs could not be scored (see above)")
    junit = run("matrix", "matrix.toml", "--keep-going", "-f", "junit")
    assert junit.out.count("<error ") == 2
    for error in errors[:2]:
        assert error.removeprefix("bleu: error: ") in html.unescape(junit.out)  # counted as the command counts
    for path in glob("system-outputs/*/*.txt"):
        write(path, "Der Hund.\n")
    none = run("matrix", "matrix.toml", "--keep-going")
    assert none.err.endswith("bleu: error: none of the 5 outputs could be scored (see above)\n")


def test_a_paper_names_only_pairs_that_have_scores(run, wmt24, write):
    write(wmt24["en-zh", "sys", "GPT-4.5"], "\n")
    out = run("matrix", "matrix.toml", "-q", "--keep-going", "-f", "paper").out
    assert "We report BLEU (Papineni et al., 2002) on 2 language pairs, " in out
    assert "- Language pairs: cs-uk, en-de\n" in out
    assert "There are no averages, because no system has a score for every language pair." in out


@pytest.mark.parametrize(
    ("counts", "lines"),
    [((3, 3), ["- Segments of each pair: 3"]), ((3, 4), ["- Segments, en-de: 3", "- Segments, en-fr: 4"])],
)
def test_a_paper_says_how_many_segments_each_pair_has(run, write, counts, lines):
    for pair, count in zip(("en-de", "en-fr"), counts, strict=True):
        write(f"{pair}.ref", "a b c d e\n" * count)
        write(f"{pair}.a.out", "a b c d\n" * count)
    write("m.toml", 'references = "{pair}.ref"\nsystems = "{pair}.{system}.out"\n')
    paper = run("matrix", "m.toml", "-m", "chrf", "-f", "paper", "-q").out
    assert [line for line in paper.splitlines() if line.startswith("- Segments")] == lines


def test_wrong_references_are_an_error_with_keep_going_too(run, wmt24, write):
    write("references/en-de.refB.txt", "Der Hund.\n")
    refused(run("matrix", "matrix.toml", "--keep-going"), "references/en-de.refB.txt")


@pytest.mark.parametrize(
    "words",
    [
        ("-sl",),
        ("-b",),
        ("-l", "en-de"),
        ("-t", "wmt22"),
        ("--names", "a,b"),
        ("--like", "case:mixed|eff:no|tok:13a|smooth:exp"),
        ("-nr", "2"),
        ("--baseline", "before.json", "--max-drop", "1"),
        ("-i", "sys.txt"),
    ],
    ids=" ".join,
)
def test_options_that_make_no_sense_beside_a_matrix_do_not_exist(run, wmt24, words):
    refused(run("matrix", "matrix.toml", *words), f"has no option {words[0]}; see bleu matrix --help all")


def test_formats_of_segments_do_not_exist(run, wmt24):
    refused(run("matrix", "matrix.toml", "-f", "parquet"), "--format 'parquet'; choose from json, jsonl, ")
    assert "(default: json)" in run("matrix", "--help").out


def test_a_matrix_is_one_file(run, wmt24):
    refused(run("matrix", "matrix.toml", "ref.txt"), "ref.txt is one argument too many; see bleu matrix --help all")
    refused(run("matrix"), "no file is named; write bleu matrix FILE")
    refused(run("-q", "matrix", "matrix.toml"), "no file matrix; the name of a command comes first: bleu matrix ...")
    refused(run("--matrix", "matrix.toml"), "--matrix has moved to a command; write bleu matrix FILE")


def test_a_file_with_the_name_of_a_command_is_written_as_a_path(run, pair, write):
    write("matrix", "the cat sat on the mat\nhello there\n")
    assert run("./matrix", "-i", "sys.txt", "-b").status == 0
    answer = run("matrix", "absent.toml", terminal=True)
    assert "note: matrix is the command here; for the file of that name, write ./matrix\n" in answer.err


def test_a_gate_judges_every_output(run, wmt24):
    answer = run("matrix", "matrix.toml", "--fail-under", "60", "-q")
    assert answer.status == 1
    assert "ONLINE_B pair=cs-uk" in answer.err
    assert answer.err.count("\n") == 1


# --- hints and names


def test_hints_name_the_pairs(run, wmt24):
    answer = run("matrix", "matrix.toml", "-tok", "13a", "-f", "csv")
    assert (
        "bleu: warning: en-zh: 13a is not made for Chinese; the usual tokenizers are zh and flores200 (-tok)"
        in answer.err
    )


def test_names_are_escaped_in_every_table(run, folder):
    texts = {(pair, kind, name.replace("ONLINE_B", "A&B | $x$")): lines for (pair, kind, name), lines in TEXTS.items()}
    lay_out("wmt24", texts)
    assert r"A\&B \textbar{} \$x\$ &" in run("matrix", "matrix.toml", "-f", "latex", "-q").out
    assert r"A\&B \| \$x\$ |" in run("matrix", "matrix.toml", "-f", "markdown", "-q").out
    assert "A&amp;B | $x$</td>" in run("matrix", "matrix.toml", "-f", "html", "-q").out


# --- from Python


def strings(*pairs):
    """Return the texts of pairs, as `score_matrix` takes them."""
    return {
        pair: (
            {name: list(lines) for (of, kind, name), lines in TEXTS.items() if (of, kind) == (pair, "sys")},
            [list(lines) for (of, kind, _), lines in TEXTS.items() if (of, kind) == (pair, "ref")],
        )
        for pair in pairs
    }


def test_one_call_gives_what_the_command_prints(run, wmt24):
    results = bleucli.score_matrix("matrix.toml", ["bleu", "chrf"], jobs=2)
    for name in ("text", "latex", "markdown", "html", "rst", "csv", "json", "card", "paper"):
        printed = run("matrix", "matrix.toml", "-m", "bleu", "chrf", "-f", name, "-q", "-w", "2", "--scale", "100").out
        assert render(results, Layout(width=2), name) == printed
    assert results.hints == ["left blank because there is no output: en-zh by ONLINE_B", MIXED_HINT]


def test_strings_have_the_scores_of_files(wmt24):
    of_files = bleucli.score_matrix("matrix.toml", ["bleu", "chrf++"])
    of_strings = bleucli.score_matrix(strings("cs-uk", "en-de", "en-zh"), ["bleu", "chrf++"])
    assert {row.name: row for row in of_strings.systems} == {row.name: row for row in of_files.systems}
    assert of_strings.averages == of_files.averages


def test_a_metric_is_used_as_it_is(wmt24):
    results = bleucli.score_matrix(strings("en-de", "en-zh"), [BLEU(tokenize="char"), CHRF()])
    assert {row.scores[0].signature.info["tok"] for row in results.systems} == {"char"}


def test_a_notebook_shows_pairs_and_averages(wmt24):
    shown = bleucli.score_matrix("matrix.toml")._repr_html_()
    assert shown.count("<tr>") == 1 + 5 + 1
    assert "<td>GPT-4.5</td><td>average</td>" in shown
    assert "tok:zh" in shown


@pytest.mark.parametrize(
    ("matrix", "parts"),
    [
        ({}, ("matrix: expected a path, or texts by pair",)),
        (3, ("matrix: expected a path, or texts by pair",)),
        ({"en-de": [GERMAN]}, ("matrix: en-de: expected a tuple: systems by name, and reference streams",)),
        ({"en-de": ({}, [GERMAN])}, ("matrix: en-de: expected a tuple: systems by name, and reference streams",)),
        ({"en-de": ({"A": GERMAN}, GERMAN)}, ("references",)),
        ({"en-de": ({"A": GERMAN[:2]}, [GERMAN])}, ("system A", "2")),
    ],
)
def test_other_shapes_are_refused(matrix, parts):
    raised(parts, bleucli.score_matrix, matrix)


def test_metrics_are_given_as_to_evaluate_systems(wmt24):
    texts = strings("en-de", "en-zh")
    for metrics in ("bleu", BLEU(), iter(["bleu"])):
        assert bleucli.score_matrix(texts, metrics).systems == bleucli.score_matrix(texts, ["bleu"]).systems
    raised(["no metric was given; name at least one"], bleucli.score_matrix, texts, [])
    raised(["metrics None; give a list of names or metrics"], bleucli.score_matrix, texts, None)
    raised(["metric 3; give a name such as bleu"], bleucli.score_matrix, texts, [3])
    raised(["metric 'blue'", "did you mean bleu?"], bleucli.score_matrix, texts, ["blue"])


def test_python_reads_files_in_any_encoding(wmt24):
    expected = bleucli.score_matrix("matrix.toml")
    for path in wmt24.values():
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-16") as file:
            file.write(text)
    assert bleucli.score_matrix("matrix.toml", encoding="utf-16") == expected
    message = "save it as UTF-8, or name the encoding of all files with encoding='utf-16'"
    raised([message], bleucli.score_matrix, "matrix.toml")
    raised(["unknown encoding 'utf-3'"], bleucli.score_matrix, "matrix.toml", encoding="utf-3")
    raised(["encoding 3 is of type int; give a string"], bleucli.score_matrix, "matrix.toml", encoding=3)
    told = "encoding 'latin-1' is for files, but the matrix has strings"
    raised([told], bleucli.score_matrix, strings("en-de"), encoding="latin-1")


def test_a_hint_about_a_byte_order_mark_says_how_python_drops_it(wmt24):
    with open(wmt24["en-de", "sys", "GPT-4.5"], encoding="utf-8") as file:
        text = file.read()
    with open(wmt24["en-de", "sys", "GPT-4.5"], "w", encoding="utf-8-sig") as file:
        file.write(text)
    with pytest.warns(BleuWarning, match="byte-order mark, .*; encoding='utf-8-sig' drops it"):
        bleucli.score_matrix("matrix.toml")


def test_a_configured_bleu_has_the_tokenizer_of_each_target(run, wmt24):
    made = bleucli.score_matrix("matrix.toml", [BLEU(lowercase=True, smooth_method="floor", smooth_value=0.2)])
    scored, means = lines_of(run("matrix", "matrix.toml", "-lc", "-s", "floor", "-sv", "0.2", "-f", "jsonl", "-q"))
    for row in made.systems:
        system, pair = row.name.split(" pair=")
        assert scored[pair, system, "BLEU"]["score"] == row.scores[0].score
        assert scored[pair, system, "BLEU"]["signature"] == dict(row.scores[0].signature)
    assert means["GPT-4.5", "BLEU"]["signature"] == dict(made.averages[0].scores[0].signature)
    assert made.averages[0].scores[0].signature.info["tok"] == "13a,zh"
    for metric in (BLEU(trg_lang="de"), BLEU(tokenize="13a"), type("Own", (BLEU,), {})()):
        found = bleucli.score_matrix(strings("en-zh"), metric)
        assert found.systems[0].scores[0].signature.info["tok"] == "13a"


def test_intervals_are_those_of_the_command_and_of_each_pair_alone(run, wmt24):
    results = bleucli.score_matrix("matrix.toml", ["bleu", "chrf"], n_bootstrap=30, seed=7, jobs=2)
    words = ("-m", "bleu", "chrf", "-ci", "-cin", "30", "-f", "jsonl", "-q")
    scored, _ = lines_of(run("matrix", "matrix.toml", *words, variables={"BLEU_SEED": "7"}))
    for row in results.systems:
        system, pair = row.name.split(" pair=")
        for score in row.scores:
            assert scored[pair, system, score.name]["interval"] == score.interval._asdict()
            assert score.signature.info["bs"] == "30"
    systems, references = strings("en-de")["en-de"]
    alone = bleucli.evaluate_systems(systems, references, ["bleu", "chrf"], n_bootstrap=30, seed=7)
    of_pair = [row.scores for row in results.systems if row.name.endswith("en-de")]
    assert [[score.interval for score in scores] for scores in of_pair] == [
        [score.interval for score in row.scores] for row in alone.systems
    ]
    for number, mean in enumerate(results.averages[0].scores):
        drawn = sum(draws_of(pair, place, number, 30, 7) for place, pair in enumerate(PAIRS)) / len(PAIRS)
        assert tuple(mean.interval) == pytest.approx((drawn.mean(), (max(drawn) - min(drawn)) / 2))


PAIRS = ("cs-uk", "en-de", "en-zh")  # in the order of the table


def draws_of(pair, place, number, resamples, seed):
    """Return the scores of the resamples of GPT-4.5, by NumPy's own draws and without our sums."""
    systems, references = strings(pair)[pair]
    lines = systems["GPT-4.5"]
    metric = (BLEU(trg_lang=pair[3:]), CHRF())[number]
    draws = np.random.default_rng([seed, place]).integers(len(lines), size=(resamples, len(lines)))
    return np.array(
        [
            metric.corpus_score([lines[n] for n in draw], [[one[n] for n in draw] for one in references]).score
            for draw in draws
        ]
    )


@pytest.mark.parametrize(
    ("arguments", "part"),
    [({"n_bootstrap": 0}, "n_bootstrap"), ({"seed": -1}, "seed"), ({"jobs": -1}, "jobs"), ({"seed": "x"}, "seed 'x'")],
    ids=str,
)
def test_wrong_numbers_are_refused(wmt24, arguments, part):
    with pytest.raises(bleucli.BleuError, match=part):
        bleucli.score_matrix("matrix.toml", **arguments)


def test_errors_name_the_pair_and_exceptions_note_it():
    german, chinese = ({"A": GERMAN}, [GERMAN]), ({"A": CHINESE[:2]}, [CHINESE])
    for jobs in (None, 1, 2):
        raised(
            ["en-zh: references has 3 segments but system A has 2"],
            bleucli.score_matrix,
            {"en-de": german, "en-zh": chinese},
            jobs=jobs,
        )

        def fail(text):
            return text if text in GERMAN else 1 / 0

        own = BLEU(tokenize=fail, tokenize_name="own")
        with pytest.raises(ZeroDivisionError) as caught:
            bleucli.score_matrix({"en-de": german, "en-zh": ({"A": CHINESE}, [CHINESE])}, own, jobs=jobs)
        assert caught.value.__notes__ == ["in en-zh"]
    raised(["en-zh: references: expected a list of streams"], bleucli.score_matrix, {"en-zh": ({"A": ["a"]}, ["a"])})


def test_threads_work_on_several_pairs_at_once(wmt24):
    from threading import Barrier

    both = Barrier(2, timeout=60)  # broken unless two threads are at work on the first blocks of two pairs
    met = set()

    def meet(text):
        if text not in met:
            met.add(text)
            both.wait()
        return text

    texts = {pair: ({"A": [first] * 1000}, [[first] * 1000]) for pair, first in (("en-de", "a"), ("en-fr", "b"))}
    metric = BLEU(tokenize=meet, tokenize_name="own")
    found = bleucli.score_matrix(texts, metric, jobs=2)
    assert len(found.systems) == 2
    met.clear()
    if usable_processors() > 1:
        bleucli.score_matrix(texts, metric)


@pytest.mark.parametrize("pair", ["zh-CN", "ja-JP", "ko-KR"])
def test_a_target_with_a_region_is_not_taken_for_a_pair(pair):
    parts = [f"matrix: {pair!r} could be a pair, or a target with its region; write '{pair.lower()}' for the pair"]
    parts += [f", or '{pair.replace('-', '_')}' for the target"]
    raised(parts, bleucli.score_matrix, {pair: ({"A": CHINESE}, [CHINESE])})


def test_the_error_about_an_unknown_name_lists_the_known_ones(run, wmt24, matrix):
    matrix(*WMT24.splitlines(), 'names = ["Foo"]')
    refused(run("matrix", "matrix.toml"), "names: there is no output of Foo; choose from GPT-4.5, ONLINE_B")


def test_names_of_pairs_and_systems_are_checked():
    texts = {"A": ["a"]}, [["a"]]
    for pair in ("", 3, "average"):  # the label of the means
        raised([f"matrix: {pair!r} is not the name of a language pair"], bleucli.score_matrix, {pair: texts})
    for name in ("", 3):
        raised(["en-de: expected systems by name"], bleucli.score_matrix, {"en-de": ({name: ["a"]}, [["a"]])})


@pytest.mark.parametrize(
    "pair",
    ["en-zh", "en-ZH", "EN-zho", "zh", "zh-Hans", "en-zh-CN", "en-zh_CN", "en-zho-Hans", "en-zho-Hans-CN", "en-US-ZH"],
)
def test_the_target_of_a_name_chooses_the_tokenizer(pair):
    (row,) = bleucli.score_matrix({pair: ({"A": CHINESE}, [CHINESE])}).systems
    assert (row.name, row.scores[0].score) == (f"A pair={pair}", pytest.approx(100))
    assert row.scores[0].signature.info["tok"] == "zh"


@pytest.mark.parametrize("pair", ["pt-BR-de", "pt_BR-de", "zho-Hans-de", "de", "en-de-AT"])
def test_the_source_of_a_name_chooses_nothing(pair):
    (row,) = bleucli.score_matrix({pair: ({"A": GERMAN}, [GERMAN])}).systems
    assert row.scores[0].signature.info["tok"] == "13a"


@pytest.mark.parametrize(
    "pair",
    ["en→zh", "en-zh (news)", "EN-ZH-CN", "en-zh-hans", "en-Chinese", "en_zh", "en-", "-zh", "en-zh\n"],
)
def test_a_name_whose_target_is_uncertain_is_refused(pair):
    parts = [f"matrix: {pair!r} is not the name of a language pair; write one such as 'en-de' or 'en-zh-CN'"]
    raised(parts, bleucli.score_matrix, {pair: ({"A": CHINESE}, [CHINESE])})


def test_a_target_that_is_not_a_language_is_refused_where_it_picks_a_tokenizer(run, wmt24):
    os.rename("system-outputs/en-zh", "system-outputs/en-cn")
    os.rename("references/en-zh.refA.txt", "references/en-cn.refA.txt")
    said = "en-cn: cn is not a language code of ISO 639 (did you mean zh?); rename the pair, or name a tokenizer with "
    words = ("matrix", "matrix.toml", "-f", "csv", "-q")
    refused(run(*words), f"{said}-tok")
    refused(run(*words, "-m", "ter", "bleu"), f"{said}-tok")
    refused(run("matrix", "matrix.toml", "--cite", "-m", "bleu"), f"{said}-tok")
    assert "|tok:char|" in run(*words, "-tok", "char").out
    assert run(*words, "-m", "chrf", "ter").status == 0
    raised([f"{said}BLEU(tokenize=...)"], bleucli.score_matrix, "matrix.toml")
    texts = {"en-cn": ({"A": CHINESE}, [CHINESE])}
    for metric in ("bleu", BLEU(lowercase=True)):
        raised([said], bleucli.score_matrix, texts, ["ter", metric])
    for metric in ("chrf", BLEU(tokenize="zh"), BLEU(trg_lang="zh")):
        with warnings.catch_warnings(action="ignore"):
            assert bleucli.score_matrix(texts, metric).systems[0].scores[0].score == pytest.approx(100)


def test_files_may_have_the_target_in_capitals(run, wmt24, matrix):
    os.rename("system-outputs/en-zh", "system-outputs/en-ZH")
    os.rename("references/en-zh.refA.txt", "references/en-ZH.refA.txt")
    found = {row.name: row.scores[0] for row in bleucli.score_matrix("matrix.toml").systems}
    assert found["GPT-4.5 pair=en-ZH"].signature.info["tok"] == "zh"
    assert "tok:zh" in run("matrix", "matrix.toml", "-f", "csv", "-q").out


def test_a_hint_about_averages_says_so():
    references = ["the dog bit the man", "it was not unexpected", "he left"]
    texts = {
        "en-de": ({"a": references, "b": references}, [references]),
        "en-fr": ({"a": references, "b": ["the cat", "it was", "she left"]}, [references]),
    }
    results = bleucli.score_matrix(texts, "chrf", test="ar", trials=200)
    rest = "no difference in fewer than 6 segments can be significant at 0.05"
    assert results.hints[-2:] == [
        f"en-fr: 3 segments: {rest}",
        f"average: a and b differ in only 3 segments by chrF2; {rest}",
    ]


def test_hints_are_warnings_at_the_line_of_the_caller(wmt24):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        here = test_hints_are_warnings_at_the_line_of_the_caller.__code__.co_firstlineno + 4
        of_files = bleucli.score_matrix("matrix.toml")
        tokenized = ["the cat sat on the mat ."] * 150
        of_strings = bleucli.score_matrix({"de-en": ({"A": tokenized}, [tokenized])})
    assert {(one.category, one.filename) for one in caught} == {(BleuWarning, __file__)}
    assert {one.lineno for one in caught} == {here, here + 2}
    assert [one.message.detail for one in caught] == [*of_files.hints, *of_strings.hints]
    (counted,) = [one.message for one in caught if one.message.numbers]
    assert counted.numbers == {"hypotheses": 150}
    assert str(counted).startswith("de-en: A: many hypotheses end in ' .'")


def test_a_pair_called_average_is_refused(run, wmt24, matrix):
    for pair, name in (("en-de", "de"), ("en-zh", "average")):
        os.rename(f"system-outputs/{pair}", f"system-outputs/{name}")
        os.rename(f"references/{pair}.refA.txt", f"references/{name}.refA.txt")
    lines = [line.replace("{pair}", "{target}") for line in WMT24.splitlines()]
    matrix(*lines)
    refused(
        run("matrix", "matrix.toml"),
        "matrix.toml: systems: system-outputs/average/GPT-4.5.txt has average in place of a language pair",
        "rename the file, or list the other pairs under pairs",
    )
    matrix(*lines, 'pairs = ["de"]')
    assert run("matrix", "matrix.toml", "-q").status == 0


def test_metrics_may_be_any_iterable():
    texts = {"A": ["a b c d"]}, [["a b c d"]]
    found = bleucli.score_matrix({"en-de": texts, "en-zh": texts}, iter(["bleu", "ter"]))
    assert [[score.name for score in row.scores] for row in found.systems] == [["BLEU", "TER"]] * 2
    assert [score.score for score in found.averages[0].scores] == [100.0, 0.0]


def test_a_null_character_is_not_part_of_a_pattern(run, write):
    write("null.toml", 'references = "ref\\u0000/{pair}.txt"\nsystems = "{pair}/{system}.txt"\n')
    refused(run("matrix", "null.toml"), "null.toml: references: 'ref\\x00/{pair}.txt' has a null character")


# --- tests


def noise(size, seed):
    """Return texts of two language pairs with three systems, of which the last lacks output for the second pair."""
    rng = random.Random(seed)

    def worse(line, share):
        return " ".join(word if rng.random() > share else "x" for word in line.split())

    texts = {}
    for pair in ("en-de", "en-fr"):
        reference = [" ".join(rng.choices("abcdefgh", k=rng.choice([5, 9]))) for _ in range(size)]
        systems = {name: [worse(line, share) for line in reference] for name, share in SHARES.items()}
        texts[pair] = ({name: systems[name] for name in SHARES if (name, pair) != ("last", "en-fr")}, [reference])
        size += 3
    return texts


SHARES = {"middle": 0.2, "top": 0.1, "last": 0.3}


@pytest.mark.parametrize("test", ["ar", "bs"])
@pytest.mark.parametrize("all_pairs", [False, True])
def test_a_pair_has_the_tests_that_it_gets_alone(test, all_pairs):
    texts, options = noise(20, 1), {"test": test, "trials": 300, "all_pairs": all_pairs, "bold_best": True, "seed": 3}
    results = bleucli.score_matrix(texts, ["bleu", "ter"], **options)
    *groups, averages = results.with_averages().groups()
    for group, (pair, (systems, references)) in zip(groups, texts.items(), strict=True):
        alone = bleucli.evaluate_systems(systems, references, ["bleu", "ter"], **options)
        for row, expected in zip(group.systems, alone.systems, strict=True):
            assert (row.bare_name, row.pair) == (expected.name, pair)
            assert [one._replace(describe=None) for one in row.scores] == [
                one._replace(describe=None) for one in expected.scores
            ]
        assert list(group.rankings) == list(alone.rankings)
    assert [row.bare_name for row in averages.systems] == ["middle", "top"]
    assert len(averages.rankings) == 2 * all_pairs


def swapped(one, other, rng, trials):
    """Return the outputs of both systems in each trial, of which some have changed places."""
    for swaps in rng.integers(2, size=(trials, len(one)), dtype=bool):
        pairs = [(b, a) if swap else (a, b) for a, b, swap in zip(one, other, swaps, strict=True)]
        yield [a for a, _ in pairs], [b for _, b in pairs]


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
def test_an_average_is_tested_by_swaps_within_each_pair(metric):
    texts = noise(15, 2)
    results = bleucli.score_matrix(texts, metric, test="ar", trials=120, seed=9)
    scorer = bleucli.metrics.find_metric(metric)
    gaps, lead = np.zeros(120), 0.0
    for place, (systems, references) in enumerate(texts.values()):
        score = partial(scorer.corpus_score, references=references)
        trials = swapped(systems["middle"], systems["top"], np.random.default_rng([9, place]), 120)
        gaps += [(score(b).score - score(a).score) / 2 for a, b in trials]
        lead += (score(systems["top"]).score - score(systems["middle"]).score) / 2
    (record,) = results.averages[1].scores
    assert record.difference.value == pytest.approx(lead)
    assert record.p_value == (int((abs(gaps) >= abs(lead) - 1e-9).sum()) + 1) / 121


def test_an_average_is_tested_by_draws_within_each_pair():
    texts = noise(15, 2)
    results = bleucli.score_matrix(texts, "chrf", test="bs", trials=120, seed=9)
    scores = np.zeros((2, 120))
    for place, (systems, references) in enumerate(texts.values()):
        size = len(references[0])
        for number, draw in enumerate(np.random.default_rng([9, place]).integers(size, size=(120, size))):
            stream = [references[0][n] for n in draw]
            for row, name in enumerate(("middle", "top")):
                scores[row, number] += CHRF().corpus_score([systems[name][n] for n in draw], [stream]).score / 2
    first, second = (row.scores[0] for row in results.averages)
    gaps = scores[1] - scores[0]
    exceeding = abs(gaps) - abs(gaps).mean() > second.score - first.score
    assert second.p_value == (int(exceeding.sum()) + 1) / 121
    assert (second.difference.low, second.difference.high) == pytest.approx((sorted(gaps)[3], sorted(gaps)[-4]))
    assert second.interval.mean == pytest.approx(scores[1].mean())


def write_noise(size=40, seed=1):
    for pair, (systems, (reference,)) in noise(size, seed).items():
        os.makedirs(pair)
        for name, lines in {**systems, "ref": reference}.items():
            with open(os.path.join(pair, f"{name}.txt"), "w") as file:
                file.writelines(f"{line}\n" for line in lines)
    return 'references = "{pair}/ref.txt"', 'systems = "{pair}/{system}.txt"'


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html", "rst"])
def test_tables_have_daggers_and_bold_type(run, folder, matrix, form):
    matrix(*write_noise(80), 'baseline = "middle"')
    words = ("matrix", "matrix.toml", "--paired-bs", "--style", "compact", "--bold-best", "--difference", "-f", form)
    out = html.unescape(run(*words, "-q").out)
    for character, written in {"†": r"\rlap{$^\dagger$}", "±": r"$\pm$", "Δ": r"$\Delta$"}.items():
        out = out.replace(written, character)
    lines = [line for line in re.sub(r"</td>\n", " ", out).splitlines() if "±" in line]
    middle, top, last = (next(line for line in lines if name in line) for name in SHARES)
    assert (middle.count("†"), top.count("†"), last.count("†")) == (0, 3, 1)
    bold = {"latex": r"\textbf{", "html": "<strong>"}.get(form, "**")
    assert top.count(bold) == {"text": 0, "markdown": 6, "rst": 6}.get(form, 3)
    assert bold not in middle + last
    assert "ΔAverage" in out
    assert re.search(r"\+\d+\.\d .*\+\d+\.\d, \+\d+\.\d", top.replace("{", "").replace("}", "")), "with its interval"


def test_rows_for_programs_say_which_system_is_the_baseline(run, folder, matrix):
    matrix(*write_noise(), 'baseline = "top"')
    rows = list(csv.DictReader(io.StringIO(run("matrix", "matrix.toml", "-par", "-f", "csv", "-q").out)))
    assert [(row["pair"], row["system"], row["baseline"]) for row in rows] == [
        *(("en-de", "top", "true"), ("en-de", "last", "false"), ("en-de", "middle", "false")),
        *(("en-fr", "top", "true"), ("en-fr", "middle", "false")),
        *(("average", "top", "true"), ("average", "middle", "false")),
    ]
    assert all((row["BLEU p_value"] == "") == (row["system"] == "top") for row in rows)
    items = json.loads(run("matrix", "matrix.toml", "-par", "-f", "json", "-q").out)
    assert [item["system"] for item in items if item["pair"] == "average"] == ["Baseline: top", "middle"]
    lines = list(map(json.loads, run("matrix", "matrix.toml", "-par", "-f", "jsonl", "-q").out.splitlines()))
    assert [one["name"] for one in lines[1]["inputs"]] == ["en-de/last.txt", "en-de/top.txt", "en-de/ref.txt"]
    assert lines[-1]["test"]["baseline"] == "top pair=average"


def test_rankings_have_columns_for_all_systems_and_follow_the_order(run, folder, matrix):
    matrix(*write_noise())
    words = ("matrix", "matrix.toml", "-par", "--paired-ar-n", "500", "--paired-all", "-q", "-f")
    rows = list(csv.DictReader(io.StringIO(run(*words, "csv").out)))
    assert "baseline" not in rows[0]
    assert [bool(row["BLEU p vs last"]) for row in rows] == [False, True, True, *[False] * 4]
    ranks = {(row["system"], row["pair"]): (row["BLEU cluster"], row["BLEU rank first"]) for row in rows}
    for more in ((), ("--sort", "bleu")):
        table = run(*words, "markdown", *more).out
        assert "Baseline" not in table
        for (system, pair), (cluster, first) in ranks.items():
            header, *lines = [line.split("|")[1:-1] for line in table.splitlines() if line.startswith("|")]
            column = [cell.strip().lower() for cell in header].index(pair)
            (cell,) = [line[column] for line in lines if line[0].strip() == system]
            assert f" ({cluster}; {first}" in cell
    assert [line.split()[1] for line in run(*words, "markdown", "--sort", "bleu").out.splitlines()[2:5]] == [
        *("top", "middle", "last")
    ]


def test_the_baseline_stays_on_top(run, folder, matrix):
    matrix(*write_noise())
    words = ("matrix", "matrix.toml", "-par", "--paired-ar-n", "50", "-q", "-f", "markdown", "--sort", "bleu")
    refused(
        run(*words),
        "en-fr: there is no output by last, the baseline of the test; name another with baseline = ",
        " in the TOML file, or leave",
    )
    matrix('references = "{pair}/ref.txt"', 'systems = "{pair}/{system}.txt"', 'baseline = "middle"')
    assert [line.split()[1:3] for line in run(*words).out.splitlines()[2:5]] == [
        *(["Baseline:", "middle"], ["top", "|"], ["last", "|"])
    ]


@pytest.mark.parametrize(
    ("value", "remedy"),
    [('"midle"', "; did you mean middle?"), ('"x"', "; choose from last, middle, top"), ("3", ""), ('["middle"]', "")],
)
def test_a_baseline_is_one_of_the_systems(run, folder, matrix, value, remedy):
    matrix(*write_noise(), f"baseline = {value}")
    found = value.replace('"', "'") + remedy
    refused(run("matrix", "matrix.toml", "-q"), f"baseline: expected the name of a system, found {found}\n")


@pytest.mark.parametrize("test", ["-par", "-pbs"])
def test_a_single_system_is_not_tested(run, folder, matrix, test):
    matrix(*write_noise(), 'names = ["top"]')
    refused(
        run("matrix", "matrix.toml", test), "compares systems, but only one was given; add another to the TOML file"
    )


def test_averages_are_said_to_be_tested_only_where_they_are(run, folder, matrix):
    matrix(*write_noise(), 'names = ["top", "middle"]', 'baseline = "top"')
    words = ("matrix", "matrix.toml", "-f", "markdown", "-q", "-par", "--paired-ar-n", "50")
    assert "Averages are tested, too: the outputs of each language pair are exchanged" in run(*words).out
    (folder / "en-fr" / "middle.txt").unlink()
    assert "Averages are" not in run(*words).out


def test_python_names_the_baseline():
    texts = noise(10, 1)
    results = bleucli.score_matrix(texts, test="ar", trials=400, baseline="top")
    assert [(row.bare_name, row.pair) for row in results.systems][:2] == [("top", "en-de"), ("middle", "en-de")]
    assert [row.scores[0].p_value is None for row in results.averages] == [True, False]
    for arguments, part in (
        ({"test": "ar", "baseline": "none"}, "baseline 'none'; choose one of the systems: middle, top, last"),
        ({"test": "ar", "baseline": "last"}, "en-fr: there is no output by last, the baseline"),
        ({"baseline": "top"}, "baseline is for a test"),
        ({"test": "xx"}, "test 'xx'"),
        ({"trials": 5}, "trials is for a test"),
    ):
        with pytest.raises(bleucli.BleuError, match=part):
            bleucli.score_matrix(texts, **arguments)
    with pytest.raises(bleucli.BleuError, match="compares systems, but only one was given"):
        bleucli.score_matrix({"en-de": ({"top": ["a"]}, [["a"]])}, test="ar")


def test_a_system_that_is_alone_in_a_pair_has_no_test():
    texts = noise(20, 1)
    texts["en-fr"] = ({"middle": texts["en-fr"][0]["middle"]}, texts["en-fr"][1])
    for options in ({"test": "ar"}, {"test": "bs"}, {"test": "ar", "all_pairs": True}):
        results = bleucli.score_matrix(texts, trials=400, **options)
        assert results.systems[-1].scores[0].p_value is None
        assert [row.bare_name for row in results.averages] == ["middle"]
        assert render(results, Layout(style="compact"), "markdown").count("\n| middle") + 1
