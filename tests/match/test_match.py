"""`match_score` and `bleu match` find settings by the scores that these give, and each command prints its score."""

from __future__ import annotations

import csv
import json
import os
import random
import re
import shlex
import subprocess
import sys
from collections import Counter

import pytest
from evaluation_data import CORPORA, FOLDER, PUBLISHED, problem, read_lines
from strategies import every

from bleucli import BLEU, CHRF, TER, BleuError, InputTypeError, kernels
from bleucli.match import match_score
from bleucli.match.programs import COMPOUNDS, MIXED, OF_TORCHMETRICS, ways
from bleucli.tokenizers import is_ready

WORDS = [
    "Haus",
    "haus",
    "Der",
    "der",
    "Baum.",
    "Baum",
    "ist",
    "gut",
    "well-known",
    "3.5",
    "(ja)",
    "Straße",
    "…",
    "Ende!",
]


def corpus(segments=40, seed=3):
    """Return an output and two references."""
    choose = random.Random(seed)
    references = [[" ".join(choose.choices(WORDS, k=choose.randint(3, 12))) for _ in range(segments)] for _ in range(2)]
    output = []
    for line in references[0]:
        words = [word if choose.random() < 0.8 else choose.choice(WORDS) for word in line.split()]
        output.append(" ".join(words[: len(words) - choose.randint(0, 1)] or words))
    return output, references


OUTPUT, REFERENCES = corpus()


def settings_of(matches):
    return [(match, setting) for match in matches.matches or matches.nearest for setting in match.settings]


METRICS = [
    *(BLEU(), BLEU(lowercase=True), BLEU(tokenize="intl", smooth_method="floor")),
    *(BLEU(tokenize="none", max_ngram_order=2), BLEU(tokenize="char", lowercase=True, smooth_method="add-k")),
    *(BLEU(effective_order=True), CHRF(), CHRF(word_order=2), CHRF(word_order=2, beta=3, lowercase=True)),
    *(CHRF(whitespace=True, eps_smoothing=True), CHRF(word_order=1, beta=1), TER(), TER(normalized=True)),
    TER(no_punct=True, case_sensitive=True),
]
CASES = every(6, [(metric, streams) for streams in ((0, 1), (0,), (1,)) for metric in METRICS])


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_a_setting_is_found_by_its_score(case):
    metric, streams = case
    score = metric.corpus_score(OUTPUT, [REFERENCES[n] for n in streams]).score
    matches = match_score(f"{score:.6f}", OUTPUT, REFERENCES)
    signature = f"{metric.score_name()}|{metric.get_signature()}"
    against = "" if len(streams) == 2 else f"REF{streams[0] + 1}.txt"
    assert (signature, against) in [(setting.signature, setting.against) for _, setting in settings_of(matches)]
    assert all(f"{match.score:.6f}" == f"{score:.6f}" for match in matches.matches)


def test_missing_references_are_left_out_and_their_stream_is_not_tried_alone():
    streams = [REFERENCES[0], [None if n % 3 else text for n, text in enumerate(REFERENCES[1])]]
    for metric in (BLEU(), CHRF(), TER()):
        score = metric.corpus_score(OUTPUT, streams).score
        matches = match_score(f"{score:.6f}", OUTPUT, streams, metrics=metric.name)
        signatures = [setting.signature for _, setting in settings_of(matches)]
        assert f"{metric.score_name()}|{metric.get_signature()}" in signatures
        assert {setting.against for _, setting in settings_of(matches)} <= {"", "REF1.txt"}


def test_the_commonest_comes_first():
    score = BLEU().corpus_score(OUTPUT, REFERENCES[:1]).score
    first, *_ = match_score(f"{score:.1f}", OUTPUT, REFERENCES[:1]).matches
    assert first.settings[0].title == "sacreBLEU's BLEU"
    titles = [setting.title for setting in first.settings]
    assert titles.index("sacreBLEU's BLEU") < titles.index("torchmetrics' sacre_bleu_score")
    words = BLEU(tokenize="none", smooth_method="none").corpus_score(OUTPUT, [REFERENCES[1]]).score
    programs = [one.program for one in match_score(f"{words:.2f}", OUTPUT, [REFERENCES[1]]).matches[0].settings]
    assert programs.index("multi-bleu.perl") < programs.index("torchmetrics")


def test_the_language_makes_its_tokenizer_the_commonest():
    output, references = ["我喜欢 猫 和狗。", "今天天气很好"], [["我喜欢猫和狗。", "今天的天气很好"]]
    score = BLEU(tokenize="zh").corpus_score(output, references).score
    (first, *_) = match_score(f"{score:.4f}", output, references, language="zh").matches
    assert first.settings[0].title == "sacreBLEU's BLEU with tok:zh"
    thai = match_score("50", ["แมว"], [["แมว"]], language="th")
    assert any("-tok 13a" in setting.command or setting.command for _, setting in settings_of(thai))


def test_the_nearest_where_nothing_matches():
    matches = match_score("3.14159", OUTPUT, REFERENCES)
    assert (matches.matches, len(matches.nearest)) == ([], 5)
    distances = [abs(match.score - 3.14159) for match in matches.nearest]
    assert distances == sorted(distances)
    assert len({round(match.score, 7) for match in matches.nearest}) == 5


def test_a_number_up_to_1_is_a_fraction():
    score = BLEU().corpus_score(OUTPUT, REFERENCES).score
    assert match_score(f"{score / 100:.4f}", OUTPUT, REFERENCES).matches[0].settings[0].title == "sacreBLEU's BLEU"
    assert match_score("0.5", OUTPUT, REFERENCES, scale=100).matches == []
    assert match_score(1, ["a"], [["a"]], metrics="chrf").matches[0].score == 100


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"number": "27,3"}, "the number '27,3'; expected one such as 27.3, as it was printed; write 27.3"),
        ({"number": "27.3 %"}, "the number '27.3 %'; expected one such as 27.3, as it was printed; write 27.3"),
        ({"number": "027.3"}, "the number '027.3'; expected one such as 27.3"),
        ({"number": "1,234,5"}, "the number '1,234,5'; expected one such as 27.3"),
        ({"number": "-1"}, "expected one such as 27.3"),
        ({"number": "nan"}, "expected one such as 27.3"),
        ({"number": "1." + "0" * 13}, "round it to 12"),
        ({"metrics": "wer"}, "wer cannot be matched; choose from bleu, chrf, ter"),
        ({"metrics": "chrf++"}, "chrf tries chrf+ and chrf++ as well"),
        ({"metrics": "rouge"}, "unknown metric 'rouge'"),
        ({"metrics": []}, "no metric was given; name at least one"),
        ({"language": "xx"}, "language 'xx'"),
        ({"scale": 10}, "scale 10; expected 1"),
        ({"references": [["a"]]}, "but"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(BleuError, match=re.escape(message)):
        match_score(**{"number": "27.3", "hypotheses": OUTPUT, "references": REFERENCES} | arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"number": None}, "number: NoneType; give the number as it was printed"),
        ({"metrics": 3}, "metrics 3; give a list of names"),
        ({"language": 3}, "language 3 is of type int; give a string"),
    ],
)
def test_wrong_types(arguments, message):
    with pytest.raises(InputTypeError, match=re.escape(message)):
        match_score(**{"number": "27.3", "hypotheses": OUTPUT, "references": REFERENCES} | arguments)


# --- the command


@pytest.fixture
def texts(write):
    for name, lines in (("sys.txt", OUTPUT), ("a.txt", REFERENCES[0]), ("b b.txt", REFERENCES[1])):
        write(name, "".join(f"{line}\n" for line in lines))


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_each_command_of_bleu_prints_its_number_and_signature(run, texts, case):
    metric, streams = case
    number = f"{metric.corpus_score(OUTPUT, [REFERENCES[n] for n in streams]).score:.3f}"
    data = json.loads(run("match", number, "a.txt", "b b.txt", "-i", "sys.txt", "-f", "json").out)
    settings = [setting for match in data["matches"] for setting in match["settings"] if setting["signature"]]
    assert settings
    for setting in settings[:4]:
        name, *words = shlex.split(setting["command"])
        assert name == "bleu"
        score = json.loads(run(*words).out)
        assert (f"{score['score']:.3f}", f"{score['name']}|{score['signature']}") == (number, setting["signature"])


def run_shell(command, folder):
    """Return what a command prints that runs other programs."""
    command = re.sub("^python3", shlex.quote(sys.executable), command)
    answer = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=True)
    return answer.stdout


@pytest.mark.slow
def test_the_command_of_nltk_prints_its_number(run, texts, tmp_path, monkeypatch):
    from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu

    words = [[line.lower().split() for line in stream] for stream in REFERENCES]
    method = SmoothingFunction().method2
    output = [line.lower().split() for line in OUTPUT]
    number = 100 * corpus_bleu(list(zip(*words, strict=True)), output, [1 / 3] * 3, smoothing_function=method)
    data = json.loads(run("match", f"{number:.6f}", "a.txt", "b b.txt", "-i", "sys.txt", "-f", "json").out)
    (setting,) = [one for match in data["matches"] for one in match["settings"] if one["program"] == "NLTK"]
    assert setting["title"] == "NLTK's corpus_bleu with n-grams up to 3, method2 and words in lower case"
    assert float(run_shell(setting["command"], os.getcwd())) == pytest.approx(number, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("streams", [("a.txt",), ("a.txt", "b b.txt")])
def test_the_commands_of_multi_bleu_print_their_numbers(run, texts, streams, write):
    from test_programs import multi_bleu_script

    with open(multi_bleu_script(), encoding="utf-8") as script:
        write("multi-bleu.perl", script.read())
    seen = set()
    for number in range(1, 10_000, 7):
        answer = run("match", f"{number / 100:.2f}", *streams, "-i", "sys.txt", "-f", "json", "-m", "bleu")
        data = json.loads(answer.out)
        for match in data["matches"] + data["nearest"]:
            for setting in match["settings"]:
                if setting["program"] == "multi-bleu.perl" and setting["title"] not in seen:
                    seen.add(setting["title"])
                    printed = run_shell(setting["command"], os.getcwd())
                    assert printed.startswith(f"BLEU = {match['score']:.2f},")
        if len(seen) == 3:
            return
    raise AssertionError(seen)


@pytest.mark.slow
def test_a_command_of_multi_bleu_reads_no_reference_of_an_earlier_one(tmp_path):
    from test_programs import multi_bleu_script

    with open(multi_bleu_script(), encoding="utf-8") as script:
        (tmp_path / "multi-bleu.perl").write_text(script.read())
    (tmp_path / "sys.txt").write_text("a well-known fact about cats\n")
    (tmp_path / "other.txt").write_text("another well-known fact about cats\n")
    (way,) = ways(COMPOUNDS, MIXED)
    alone, both, again = (
        run_shell(way.command(references, "sys.txt", 100), tmp_path)
        for references in (["other.txt"], ["other.txt", "sys.txt"], ["other.txt"])
    )
    assert both.startswith("BLEU = 100.00,")
    assert again == alone != both


def test_the_answer_says_what_it_counted(run, texts):
    number = f"{BLEU().corpus_score(OUTPUT, REFERENCES).score:.1f}"
    words = ["match", number, "a.txt", "b b.txt", "-i", "sys.txt"]
    answer = run(*words)
    data = json.loads(run(*words, "-f", "json").out)
    assert (answer.status, answer.err) == (0, "")
    scores, tried = len(data["matches"]), data["tried"]
    number_of_scores = "1 score" if scores == 1 else f"{scores} scores"
    verb = "prints" if scores == 1 else "print"
    heading = f"{number_of_scores} of {tried} settings {verb} as {number}, the commonest first\n"
    assert answer.out.startswith(heading)
    for rank, match in enumerate(data["matches"], 1):
        first, *others = match["settings"]
        assert f"{match['score']:.1f}" == number
        lines = " ".join(answer.out.partition(f"\n{rank}. ")[2].partition(f"\n{rank + 1}. ")[0].split())
        against = f", against {first['against']} alone" if first["against"] else ""
        assert lines.startswith(f"{match['name']} {match['score']:.3f}: {first['title']}{against} ")
        assert " ".join(first["command"].split()) in lines
        assert first["signature"] in lines
        assert ("The same score: " in lines) == bool(others)
        if len(others) > 5:
            assert f"and {len(others) - 5} more setting" in lines
    nearest = run("match", "3.14", *words[2:])
    assert nearest.status == 1
    assert nearest.out.startswith(f"none of {tried} settings prints as 3.14; the nearest first\n")


def test_commands_name_the_file_that_a_pattern_matches(run, texts):
    (match, *_) = json.loads(run("match", "1", "a.txt", "-i", "sy?.txt", "-f", "json").out)["matches"]
    assert all("sy?" not in setting["command"] and "sys.txt" in setting["command"] for setting in match["settings"])


def test_scores_are_shown_on_the_scale_of_the_number(run, texts):
    score = BLEU().corpus_score(OUTPUT, REFERENCES).score / 100
    answer = run("match", f"{score:.4f}", "a.txt", "b b.txt", "-i", "sys.txt")
    assert f"\n1. BLEU {score:.6f}: sacreBLEU's BLEU\n" in answer.out


def test_texts_are_counted_once_for_each_way_to_read_them_not_for_each_setting(monkeypatch):
    calls = Counter()

    def counting(name, function):
        def count(*arguments):
            calls[name] += 1
            return function(*arguments)

        return count

    for name in ("ngram_stats", "chrf_stats", "ter_stats"):
        monkeypatch.setattr(kernels, name, counting(name, getattr(kernels, name)))
    tried = match_score("28.3", OUTPUT, REFERENCES[:1]).tried
    ready = filter(is_ready, ("13a", "none", "intl", "char", "flores200", "flores101"))
    readings = sum(2 + (name in OF_TORCHMETRICS) for name in ready)  # which also lowercases tokens, not texts
    readings += 3  # by multi-bleu.perl: plain, in lower case, and with compounds split
    assert calls == {
        "ngram_stats": readings,
        "chrf_stats": 4,  # two cases, with and without white space
        "ter_stats": 8,  # three switches; the one for East Asian text makes no difference
    }
    assert tried > 10 * calls.total()


def test_what_was_not_tried_is_named():
    ready = {name for name in ("flores200", "flores101") if is_ready(name)}
    sentence = " ".join(match_score("1.5", OUTPUT, REFERENCES).untried)
    assert all((name in sentence) != (name in ready) for name in ("flores200", "flores101"))
    assert ("scoring once with a tokenizer downloads its model" in sentence) == (len(ready) < 2)
    assert match_score("1.5", OUTPUT, REFERENCES, metrics=["ter"]).untried == []


def test_settings_with_the_same_score_are_named_by_what_differs(run, texts):
    number = f"{BLEU().corpus_score(OUTPUT, REFERENCES[:1]).score:.6f}"
    out = " ".join(run("match", number, "a.txt", "-i", "sys.txt").out.split())
    same = out.partition("The same score: ")[2]
    plain = BLEU(smooth_method="none").corpus_score(OUTPUT, REFERENCES[:1]).score
    assert f"{plain:.6f}" == number
    assert "smooth:none" in same
    assert "Hugging Face's bleu" in same
    assert "eff:yes" in same


@pytest.mark.slow
def test_html_and_test_sets(run, tmp_path, write):
    from bleucli import get_reference_files

    (reference,) = get_reference_files("demo", "en-de")[:1]
    folder = os.path.dirname(reference)
    system = os.path.join(folder, "weak.de.txt")
    score = json.loads(run("-t", "demo", "-l", "en-de", "-i", system, "-w", "4").out)
    words = ["match", f"{score['score']:.4f}", "-t", "demo", "-l", "en-de", "-i", system]
    data = json.loads(run(*words, "-f", "json").out)
    first = data["matches"][0]["settings"][0]
    assert first["signature"] == f"BLEU|{score['signature']}"
    assert first["command"] == shlex.join(["bleu", *words[2:], "-w", "4"])
    other = next(one for one in data["matches"][0]["settings"] if one["program"] == "evaluate")
    echo, _, rest = other["command"].partition(" > ref.txt && ")
    assert run(*shlex.split(echo)[1:]).out.splitlines() == read_lines(reference)
    assert rest.endswith(f"{shlex.quote(system)} ref.txt")
    assert "<h4" in run(*words, "-f", "html").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no number is given; write bleu match 27.3 REF -i SYSTEM"),
        (["a.txt", "-i", "sys.txt"], "27.3, as it was printed; write it before the references"),
        (["27.3", "a.txt"], "no system is named; write bleu match 27.3 REF -i SYSTEM"),
        (["27.3", "-i", "sys.txt"], "no references are named; write bleu match 27.3 REF -i SYSTEM"),
        (
            ["27.3", "a.txt", "-i", "sys.txt", "b.txt"],
            "b.txt is one argument too many; bleu match takes one system after -i",
        ),
        (["27.3", "a.txt", "-i", "-"], "prints commands that read the texts again"),
        (["27.3", "pipe", "-i", "sys.txt"], "prints commands that read the texts again"),
        (["27.3", "a.txt", "-i", "s*.txt"], "-i has a pattern for 2 files; name one system"),
        (["27.3", "a.txt", "-i", "none*.txt"], "no file matches none*.txt"),
        (["27.3", "a.txt", "-i", "s.jsonl"], "s.jsonl is JSON Lines, which other programs do not read"),
        (["27.3", "a.txt", "-i", "sys.txt.gz"], "sys.txt.gz is packed, and other programs do not unpack it"),
        (["27.3", "a.txt", "-i", "latin.txt"], "latin.txt is not UTF-8, which the other programs expect; convert it"),
        (["27.3", "a.txt", "-i", "sys.txt", "--registry", "x"], "--registry has no effect: no test set is named"),
        (["27.3", "a.txt", "-i", "sys.txt", "-tok", "none"], "has no option -tok"),
        (["27.3", "a.txt", "-i", "sys.txt", "--scale", "7"], "--scale 7; expected 1, for scores from 0 to 1, or 100"),
        (["27.3", "a.txt", "-i", "short.txt"], "a.txt has 40 segments but short.txt has 1"),
    ],
)
def test_errors_of_the_command(run, texts, write, words, message):
    import gzip

    write("s.jsonl", "{}\n")
    write("latin.txt", b"caf\xe9\n")
    write("short.txt", "a\n")
    if hasattr(os, "mkfifo"):
        os.mkfifo("pipe")
    elif "pipe" in words:
        pytest.skip("the system has no named pipes")
    with gzip.open("sys.txt.gz", "wt") as file:
        file.write("a\n")
    answer = run("match", *words)
    assert (answer.status, answer.out) == (2, "")
    assert message in answer.err
    assert answer.err.count("\n") == 1


# --- real systems

on_real_systems = pytest.mark.skipif(problem(FOLDER) != "", reason=problem(FOLDER) or "there is evaluation data")


@pytest.mark.slow
@on_real_systems
def test_published_scores_are_among_the_first_three():
    """All 63 scores that the organizers of WMT22 published for these systems, rounded to one decimal."""
    with open(os.path.join(FOLDER, PUBLISHED), encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert len(rows) >= 30
    for row in rows:
        kind, which = row["metric"].split("-")
        name = f"wmt22.{row['pair']}"
        streams = CORPORA[name].references
        references = [read_lines(FOLDER, name, f"{stream}.txt") for stream in streams]
        number = f"{float(row['score']):.1f}"
        matches = match_score(number, read_lines(FOLDER, name, f"{row['system']}.txt"), references)
        tokenizer = {"zh": "zh", "ja": "char"}.get(row["pair"][-2:], "13a")
        setting = "nc:6|nw:0|space:no" if kind == "chrf" else f"case:mixed|eff:no|tok:{tokenizer}|smooth:exp|version"
        start = "chrF2|" if kind == "chrf" else "BLEU|"
        against = "" if which == "all" or len(streams) == 1 else f"REF{streams.index(f'ref.{which}') + 1}.txt"
        first_three = [one for match in matches.matches[:3] for one in match.settings]
        assert any(
            one.signature.startswith(start)
            and setting in one.signature
            and "case:mixed|eff:yes" in one.signature + "case:mixed|eff:yes" * (kind == "bleu")
            and one.against == against
            for one in first_three
        ), row
