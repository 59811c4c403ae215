"""The command with files of statistics: they give the same answers as the texts themselves."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import COMMAND, needs_signals, process_environment, refused, warnings_in
from strategies import enough, every

from bleucli import BLEU, statsfiles
from bleucli.output import FORMATS
from bleucli.text.buffers import open_file

pytest.importorskip("pyarrow", reason="pyarrow is not installed; there are no files to write")
pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed; there are no files to write")

WORDS = tuple("the cat sat on a mat and dogs ran off to see what had been said by Anna in town".split())  # noqa: SIM905
EPOCH = {"SOURCE_DATE_EPOCH": "1"}
ALL = ("bleu", "chrf", "ter", "wer", "cer")


@pytest.fixture
def corpus(write):
    """Write a reference and two systems that differ from it here and there; return how many lines these have."""
    rng = random.Random(3)
    reference = [[rng.choice(WORDS) for _ in range(rng.randrange(4, 15))] for _ in range(60)]
    write("ref.txt", "".join(f"{' '.join(line)}.\n" for line in reference))
    for name, rate in (("a.txt", 0.2), ("b.txt", 0.35)):
        lines = ([rng.choice(WORDS) if rng.random() < rate else word for word in line] for line in reference)
        write(name, "".join(f"{' '.join(line)}.\n" for line in lines))
    return len(reference)


@pytest.fixture
def both(run, corpus):
    """Save the statistics of two systems; return a function that scores the texts, then these statistics."""
    answer = run("count", "ref.txt", "-i", "a.txt", "b.txt", "-m", *ALL, "-o", "s.parquet", "-q")
    assert (answer.status, answer.err) == (0, "")

    def both(*words, metrics=ALL):
        chosen = ("-m", *metrics) if metrics else ()
        texts = run("ref.txt", "-i", "a.txt", "b.txt", *chosen, *words, variables=EPOCH)
        return texts, run("--stats", "s.parquet", *chosen, *words, variables=EPOCH)

    return both


def cut(name, *bounds):
    """Write the lines between bounds to separate files."""
    with open(name, encoding="utf-8") as file:
        lines = file.readlines()
    for start, end in pairwise(bounds):
        with open(f"{name}.{start}", "w", encoding="utf-8") as file:
            file.writelines(lines[start:end])


# --- as from texts

QUESTIONS = {
    "scores": (),
    "decimals": ("-w", "4", "--short"),
    "interval": ("--confidence", "-cin", "50"),
    "bootstrap": ("--paired-bs", "-pbsn", "60"),
    "randomization": ("--paired-ar", "-parn", "60"),
    "ranking": ("--paired-ar", "-parn", "60", "--paired-all", "--bold-best"),
    "scale": ("--scale", "1"),
    "names": ("--names", "one,two"),
    "gate": ("--fail-under", "bleu=99"),
}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("question", every(3, QUESTIONS))
def test_answers_are_those_of_the_texts_in_every_format(both, form, question):
    from_texts, from_files = both(*QUESTIONS[question], "-f", form)
    if form == "jsonl":
        told = [[json.loads(line) for line in answer.out.splitlines()] for answer in (from_texts, from_files)]
        for line in [*told[0], *told[1]]:
            del line["command"], line["inputs"]
        assert told[0] == told[1]
        assert (from_texts.status, from_texts.err) == (from_files.status, from_files.err)
    else:
        assert from_files == from_texts


@pytest.mark.parametrize("metric", [*ALL, "chrf++"])
def test_segments_are_scored_as_from_texts(run, corpus, metric):
    words = ("-m", metric, "-sl")
    assert run("count", "ref.txt", "-i", "a.txt", "-m", metric, "-o", "s.parquet").status == 0
    for more in ((), ("-f", "json"), ("-b",)):
        assert run("--stats", "s.parquet", *words, *more) == run("ref.txt", "-i", "a.txt", *words, *more)


def test_lines_of_segments_name_the_file(run, corpus):
    run("count", "ref.txt", "-i", "a.txt", "-o", "s.parquet")
    lines = [json.loads(line) for line in run("--stats", "s.parquet", "-sl", "-f", "jsonl").out.splitlines()]
    assert [line["segment"] for line in lines] == list(range(1, corpus + 1))
    assert {line["system"] for line in lines} == {"a"}
    (one,) = lines[-1]["inputs"]
    assert (one["role"], one["name"], one["segments"], len(one["sha256"])) == ("statistics", "s.parquet", corpus, 64)


def test_without_m_all_counted_metrics_are_scored(both, run):
    _, answer = both("-f", "csv", metrics=())
    assert answer.out.splitlines()[0].startswith("system,BLEU,chrF2,TER,WER,CER,")
    run("count", "ref.txt", "-i", "a.txt", "-m", "ter", "-o", "ter.parquet")
    assert run("--stats", "ter.parquet").out == run("ref.txt", "-i", "a.txt", "-m", "ter").out


def test_segment_scores_do_not_need_effective_order_beforehand(run, corpus):
    run("count", "ref.txt", "-i", "a.txt", "-o", "s.parquet")
    assert run("--stats", "s.parquet", "-sl") == run("ref.txt", "-i", "a.txt", "-sl")
    refused(run("--stats", "s.parquet", "-sl", "-m", "ter"), "s.parquet has no TER; it has bleu")


def test_several_references_and_jsonl_are_kept_as_they_are(run, corpus, write):
    items = [{"hypothesis": "a b c d", "references": ["a b c d", "a"]}, {"hypothesis": "e f g h", "reference": "e f g"}]
    write("i.jsonl", "".join(json.dumps(item) + "\n" for item in items))
    direct = run("-i", "i.jsonl", "-m", "bleu", "chrf", "-q")
    run("count", "-i", "i.jsonl", "-m", "bleu", "chrf", "-o", "s.parquet", "-q")
    assert "nrefs:var" in direct.out
    assert run("--stats", "s.parquet", "-q") == direct
    refused(run("--stats", "s.parquet", "--chrf-beta", "3"), "beta:2, not with beta:3")


def test_options_that_only_decide_the_score_can_be_changed(both):
    for words in (("-s", "floor"), ("-s", "add-k", "-sv", "2"), ("-sl", "-s", "none"), ("--chrf-beta", "3")):
        if "-sl" not in words:
            from_texts, from_files = both(*words, "-f", "csv", metrics=("bleu", "chrf"))
            assert from_files == from_texts


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (("-tok", "char"), ["BLEU counted with tok:13a, not with tok:char"]),
        (("-lc",), ["case:mixed, not with case:lc"]),
        (("-m", "ter", "--ter-normalized"), ["TER counted with norm:no"]),
        (("--skip-empty-refs",), ["empty:none, not with empty:missing"]),
        (("--max-ngram-order", "2"), ["ngram:4"]),
        (("-m", "chrf++"), ["nw:0, not with nw:2"]),
        (("--like", "BLEU|nrefs:1|tok:intl"), ["tok:13a, not with tok:intl"]),
        (("ref.txt",), ["references cannot be combined with --stats"]),
        (("-i", "a.txt"), ["--input cannot be combined with --stats"]),
        (("--detail",), ["--detail cannot be combined with --stats", "--by origlang domain"]),
        (("-t", "demo", "-l", "en-de"), ["--test-set cannot be combined with --stats"]),
        (("--keep-going",), ["--keep-going cannot be combined with --stats"]),
        (("--by", "domain"), ["there is no column domain to group by; there are none"]),
        (("--by", "x", "x"), ["--by names x twice"]),
        (("--by", "x", "-sl"), ["--sentence-level cannot be combined with --by: each group"]),
        (("--by", "x", "-f", "paper"), ["--by cannot be shown as paper"]),
        (("--segment-scores",), ["s.parquet has no segment scores from elsewhere; it has bleu"]),
    ],
)
def test_options_that_need_texts_are_refused(both, run, words, parts):
    refused(run(*words, "--stats", "s.parquet"), *parts)


@pytest.mark.parametrize("variable", ["BLEU_FORMAT", "SACREBLEU_FORMAT"])
def test_a_format_from_the_environment_is_refused_like_the_option(run, corpus, variable):
    run("count", "ref.txt", "-i", "a.txt", "-o", "s.parquet")
    answer = run("--stats", "s.parquet", "--by", "system", variables={variable: "paper"})
    refused(answer, "--by cannot be shown as paper")


def test_options_about_texts_get_a_warning(both):
    _, answer = both("--force", "-l", "en-zh", "-e", "latin-1")
    (line,) = warnings_in(answer)
    assert "without effect" in line
    for name in ("--force", "--language-pair", "--encoding"):
        assert name in line


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ((), ["bleu count writes a file; name it with -o, such as -o stats.parquet"]),
        (("-o", "-"), ["bleu count writes a file; name it with -o, such as -o stats.parquet"]),
        (("--first-line", "0", "-o", "s.parquet"), ["--first-line 0; expected the number of a line"]),
        (("--first-line", "3", "--sums", "-o", "s.parquet"), ["--first-line cannot be combined with --sums: sums do"]),
        (("--first-line", "3", "--stats", "x", "-o", "s.parquet"), ["--first-line cannot be combined with --stats"]),
        (("--first-line", "3", "-t", "x", "-o", "s.parquet"), ["--first-line cannot be combined with --test-set"]),
        (("-o", ""), ["--output is empty"]),
        (("-o", "a.txt"), ["--output a.txt is also an input"]),
        (("--sums", "-o", "ref.txt"), ["--output ref.txt is also an input"]),
        (("-o", "s.parquet", "--keep-going"), ["has no option --keep-going; see bleu count --help all"]),
        (("-o", "no/s.parquet"), ["cannot write no/s.parquet"]),
        (("--by", "system", "-o", "s.parquet"), ["segments have no label 'system'; there are none"]),
    ],
)
def test_what_cannot_be_saved_is_refused(run, corpus, words, parts):
    refused(run("count", "ref.txt", "-i", "a.txt", *words), *parts)
    assert not os.path.exists("s.parquet")


@pytest.mark.parametrize("word", ["--save-stats", "--save-sums", "--first-line"])
def test_options_that_have_moved_name_the_command(run, corpus, word):
    more = {"--save-sums": " --sums", "--first-line": " --first-line N"}.get(word, "")
    told = f"{word} has moved to a command; write bleu count REF -i SYSTEM -o FILE{more}\n"
    refused(run("ref.txt", "-i", "a.txt", word, "3"), told)


def test_statistics_may_be_thrown_away(run, corpus):
    for more in ((), ("--sums",)):
        assert run("count", "ref.txt", "-i", "a.txt", "-o", os.devnull, *more).status == 0


def test_what_was_written_is_noted_and_nothing_is_printed(run, corpus):
    answer = run("count", "ref.txt", "-i", "a.txt", "-m", "bleu", "ter", "-o", "s.parquet", terminal=True)
    assert (answer.status, answer.out) == (0, "")
    assert answer.err.endswith("bleu: note: wrote s.parquet: bleu, ter\n")
    answer = run("count", "--stats", "s.parquet", "-o", "t.parquet", terminal=True)
    assert answer == (0, "", "bleu: note: wrote t.parquet: 1 file merged\n")
    assert run("count", "ref.txt", "-i", "a.txt", "-q", "-o", "s.parquet", terminal=True) == (0, "", "")


@pytest.mark.parametrize(
    "words", [("-m", "bleu"), ("--by", "system"), ("--names", "A,B"), ("-tok", "char"), ("-l", "en-de"), ("-J", "1")]
)
def test_a_merger_refuses_what_would_change_nothing(both, run, words):
    refused(run("count", "--stats", "s.parquet", "-o", "t.parquet", *words), "has no effect: files are merged as they")
    assert not os.path.exists("t.parquet")


def test_a_merger_keeps_metrics_of_other_programs(run, both):
    table = pq.read_table("s.parquet")
    columns = ["mine" + name.removeprefix("bleu") if name.startswith("bleu.") else name for name in table.column_names]
    own = table.rename_columns(columns)
    place = columns.index("mine.signature")
    texts = [text.as_py().replace("BLEU", "MINE", 1) for text in own["mine.signature"]]
    pq.write_table(own.set_column(place, "mine.signature", [texts]), "own.parquet")
    assert run("count", "--stats", "own.parquet", "-o", "t.parquet") == (0, "", "")
    assert pq.read_table("t.parquet").to_pylist() == pq.read_table("own.parquet").to_pylist()


def test_statistics_that_are_read_are_replaced_only_by_those_of_all_files(both, run):
    before = Path("s.parquet").read_bytes()
    for words in (("count", "--sums"), ()):
        for name in ("s.parquet", "[s].parquet", "."):
            refused(run(*words, "--stats", name, "-o", "s.parquet"), "s.parquet is also an input")
    assert Path("s.parquet").read_bytes() == before
    assert run("count", "--stats", "s.parquet", "-o", "s.parquet").status == 0


def test_nothing_is_saved_without_an_answer(run, corpus, write):
    write("short.txt", "one\n")
    refused(run("count", "ref.txt", "-i", "short.txt", "-o", "s.parquet"), "has 1 segment")
    write("tokenized.txt", "a b .\n" * corpus)
    answer = run("count", "ref.txt", "-i", "tokenized.txt", "--strict", "-o", "s.parquet")
    assert (answer.status, answer.out) == (2, "")
    assert not os.path.exists("s.parquet")


# --- shards


def test_shards_are_the_whole_in_any_order(run, corpus, both):
    bounds = (0, 7, 8, 40, corpus)
    for name in ("ref.txt", "a.txt", "b.txt"):
        cut(name, *bounds)
    for start in bounds[:-1]:
        words = ("-i", f"a.txt.{start}", f"b.txt.{start}", "--names", "a.txt,b.txt", "--first-line", str(start + 1))
        answer = run("count", f"ref.txt.{start}", *words, "-m", *ALL, "-q", "-o", f"shard{start}.parquet")
        assert (answer.status, answer.err) == (0, "")
    files = [f"shard{start}.parquet" for start in bounds[:-1]]
    for question in QUESTIONS.values():
        whole, _ = both(*question, "-f", "csv")
        assert run("--stats", *files[::-1], "-m", *ALL, *question, "-f", "csv") == whole
    # A pattern is resolved before any question is answered, so the last question is enough
    assert run("--stats", "shard*.parquet", "-m", *ALL, *question, "-f", "csv") == whole
    assert run("count", "--stats", *files, "-o", "all.parquet", "-q").status == 0
    assert run("--stats", "all.parquet", "--paired-ar").out == both("--paired-ar")[0].out
    refused(run("--stats", *files, files[1]), "segment 8 of a.txt occurs twice (shard7.parquet, shard7.parquet)")
    refused(run("--stats", files[0], *files[2:]), "segment 8 of a.txt is missing")
    refused(run("count", "--stats", files[0], *files[2:], "-o", "x"), "segment 8 of a.txt is missing")
    refused(run("--stats", files[0], files[3]), "segments 8 to 40 of a.txt are missing")


def test_files_that_do_not_belong_together_are_refused(run, both, write, corpus):
    run("count", "ref.txt", "-i", "a.txt", "-lc", "-o", "lc.parquet", "--names", "c")
    refused(run("--stats", "s.parquet", "lc.parquet", "-m", "bleu"), "lc.parquet has BLEU with case:lc but s.parquet")
    run("count", "ref.txt", "-i", "a.txt", "-o", "mixed.parquet", "--names", "c")
    merged = run("count", "--stats", "mixed.parquet", "lc.parquet", "-o", "x")
    refused(merged, "lc.parquet has BLEU with case:lc but mixed.parquet")
    with open("ref.txt", encoding="utf-8") as file:
        lines = file.readlines()
    write("other.txt", "".join([*lines[:9], "something else\n", *lines[10:]]))
    run("count", "other.txt", "-i", "a.txt", "-m", *ALL, "-o", "other.parquet", "--names", "c")
    for metric in ALL:
        answer = run("--stats", "s.parquet", "other.parquet", "--paired-ar", "-m", metric)
        assert "the references of a.txt and c differ, starting at segment " in refused(answer)
    words = ("-i", "b.txt", "--names", "d", "-o", "d.parquet")
    write("same.txt", "".join([lines[0].replace("a", "e"), *lines[1:]]))
    run("count", "same.txt", *words, "-m", "bleu")  # which has the same lengths
    assert "differ, starting at segment 1" in refused(
        run("--stats", "s.parquet", "d.parquet", "--paired-bs", "-m", "bleu")
    )


# --- sums and groups


def test_texts_that_were_summed_twice_are_refused(run, corpus):
    cut("ref.txt", 0, 20, corpus)
    cut("a.txt", 0, 20, corpus)
    for start in (0, 20):
        words = (f"ref.txt.{start}", "-i", f"a.txt.{start}", "--names", "a")
        run("count", *words, "--sums", "-o", f"{start}.parquet")
        run("count", *words, "-o", f"rows{start}.parquet")
    assert run("count", "--stats", "0.parquet", "20.parquet", "-o", "all.parquet").status == 0
    whole = run("--stats", "0.parquet", "20.parquet", "-f", "csv")
    assert whole.out == run("ref.txt", "-i", "a.txt", "--names", "a", "-f", "csv").out
    assert run("--stats", "all.parquet", "-f", "csv") == whole
    told = "20.parquet both have statistics of a on the same texts; name one of them"
    refused(run("--stats", "all.parquet", "20.parquet"), f"all.parquet and {told}")
    refused(run("--stats", "0.parquet", "rows20.parquet", "20.parquet"), f"rows20.parquet and {told}")


def test_a_test_of_one_system_says_where_the_other_is_named(run, corpus):
    run("count", "ref.txt", "-i", "a.txt", "-o", "s.parquet")
    refused(run("--stats", "s.parquet", "--paired-ar"), "name the baseline first: --stats baseline.parquet system.parq")
    run("count", "ref.txt", "-i", "b.txt", "-o", "b.parquet")
    assert run("--stats", "s.parquet", "b.parquet", "--paired-ar").status == 0


def test_the_file_that_lacks_a_metric_is_named(run, corpus, write):
    run("count", "ref.txt", "-i", "a.txt", "-m", "bleu", "ter", "-o", "1.parquet")
    run("count", "ref.txt", "-i", "a.txt", "-m", "ter", "--first-line", str(corpus + 1), "-o", "2.parquet")
    run("count", "ref.txt", "-i", "a.txt", "-m", "chrf", "--first-line", str(2 * corpus + 1), "-o", "3.parquet")
    refused(run("--stats", "1.parquet", "2.parquet", "-m", "bleu"), "2.parquet has no BLEU; it has ter")
    refused(run("--stats", "2.parquet", "1.parquet", "-m", "bleu"), "2.parquet has no BLEU; it has ter")
    refused(run("--stats", "1.parquet", "3.parquet"), "the files have no metric in common; name files of the same")
    refused(
        run("--stats", "1.parquet", "--segment-scores"), "1.parquet has no segment scores from elsewhere; it has bleu"
    )
    statsfiles.write("0.parquet", {"a": BLEU().corpus_stats([], [[]])})
    for words in ((), ("-m", "bleu"), ("-m", "ter")):
        refused(run("--stats", "0.parquet", *words), "0.parquet holds no segments; choose another file")
    words = ("0.parquet", "1.parquet", "-m", "bleu")
    refused(run("--stats", *words, "-tok", "char"), "1.parquet has BLEU counted with tok:13a, not with tok:char")


def test_sums_give_the_same_scores(both, run):
    run("count", "ref.txt", "-i", "a.txt", "b.txt", "-m", *ALL, "--sums", "-o", "sums.parquet", "-q")
    assert len(pq.read_table("sums.parquet")) == 2
    assert run("--stats", "sums.parquet", "-f", "csv").out == both("-f", "csv")[0].out
    refused(run("--stats", "sums.parquet", "--paired-ar"), "sums.parquet holds sums")
    refused(run("--stats", "sums.parquet", "sums.parquet"), "sums.parquet was given twice")


@pytest.fixture
def own_set(run, write, monkeypatch, tmp_path):
    """Write a test set whose documents have languages and domains, and two systems; return how to name it."""
    monkeypatch.setenv("BLEU_HOME", str(tmp_path / "cache"))
    rng = random.Random(8)
    lines = [" ".join(rng.choices(WORDS, k=9)) for _ in range(12)]
    documents = "".join(
        f'<doc id="d{n}" origlang="{"en" if n % 2 else "de"}" domain="{"news" if n % 3 else "social"}"><src lang="en">'
        f'<seg id="1">s {n}</seg></src><ref lang="de" translator="A"><seg id="1">{line}</seg></ref></doc>'
        for n, line in enumerate(lines)
    )
    write("own.xml", f"<dataset><collection>{documents}</collection></dataset>\n")
    about = '[testsets."own/set"]\nabout = "made"\nformat = "wmt-xml"\nrefs = ["A"]\nsources = [{ url = "own.xml" }]\n'
    write("own.toml", about + '[testsets."own/set".pairs.en-de]\nfiles = ["source:0"]\n')
    for name in ("a.txt", "b.txt"):
        write(name, "".join(" ".join(rng.choice([w, w, "x"]) for w in line.split()) + "\n" for line in lines))
    return ("--registry", "own.toml", "-t", "own/set", "-l", "en-de")


def test_groups_of_a_test_set_are_the_details(run, own_set):
    run("count", *own_set, "-i", "a.txt", "-m", *ALL, "-o", "s.parquet", "-q")
    detailed = run(*own_set, "-i", "a.txt", "-m", *ALL, "--detail", "-f", "jsonl", "-q")
    parts = {line["metric"]: line["parts"] for line in map(json.loads, detailed.out.splitlines())}
    found = {}
    for by in (("origlang",), ("origlang,domain",), ("origlang", "domain", "system")):
        for line in map(json.loads, run("--stats", "s.parquet", "--by", *by, "-f", "jsonl", "-q").out.splitlines()):
            key = line["signature"]["origlang"], line["signature"].get("domain", "ALL")
            found[line["metric"], *key] = line["segments"], line["score"]
            assert (line["signature"]["test"], line["signature"]["lang"]) == ("own/set", "en-de")
    assert found == {
        (metric, part["origlang"], part["value"]): (part["segments"], pytest.approx(part["score"], rel=1e-12))
        for metric, of_metric in parts.items()
        for part in of_metric
    }


def test_a_test_set_is_signed_as_from_its_texts(run, own_set):
    words = ("-m", "bleu", "-f", "json")
    direct = run(*own_set, "-i", "a.txt", *words, "-q")
    run("count", *own_set, "-i", "a.txt", "-m", "bleu", "-o", "s.parquet", "-q")
    assert '"signature": "nrefs:1|test:own/set|lang:en-de|' in direct.out
    assert run("--stats", "s.parquet", *words, "-q").out == direct.out
    table = pq.read_table("s.parquet").to_pylist()[3]
    assert [table[name] for name in ("docid", "origlang", "domain", "segment")] == ["d3", "en", "social", 3]


def test_all_of_a_test_set_is_saved(run, own_set):
    part = run(*own_set, "-i", "a.txt", "--origlang", "en", "-f", "json", "-q")
    refused(run("count", *own_set, "-i", "a.txt", "--origlang", "en", "-o", "x"), "has no option --origlang")
    run("count", *own_set, "-i", "a.txt", "-q", "-o", "s.parquet")
    assert len(pq.read_table("s.parquet")) == 12
    direct = run(*own_set, "-i", "a.txt", "-f", "json", "-q")
    assert run("--stats", "s.parquet", "-f", "json", "-q") == direct
    (_, english) = json.loads(run("--stats", "s.parquet", "--by", "origlang", "-f", "json", "-q").out)
    assert english["system"] == "a.txt origlang=en"
    assert english["BLEU"] == json.loads(part.out)


def test_segments_of_several_test_sets_are_labelled_and_numbered_by_test_set(run, own_set, write):
    with open("own.toml") as file:
        text = file.read()
    write("own.toml", text + text.replace("own/set", "own/other"))
    words = ["own/set,own/other" if word == "own/set" else word for word in own_set]
    with open("a.txt") as file:
        write("twice.txt", file.read() * 2)
    run("count", *words, "-i", "twice.txt", "-q", "-o", "s.parquet")
    rows = pq.read_table("s.parquet").to_pylist()
    assert [(row["testset"], row["segment"]) for row in rows] == [
        (name, number) for name in ("own/set", "own/other") for number in range(12)
    ]
    alone = json.loads(run(*own_set, "-i", "a.txt", "-f", "json", "-w", "9", "-q").out)["score"]
    answer = run(*words, "-i", "twice.txt", "--by", "testset", "-f", "json", "-w", "9", "-q")
    systems = [(row["system"], row["BLEU"]["score"]) for row in json.loads(answer.out)]
    assert systems == [(f"twice.txt testset={name}", alone) for name in ("own/set", "own/other")]


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "paper"])
def test_groups_have_rows_in_every_format(run, own_set, form):
    run("count", *own_set, "-i", "a.txt", "b.txt", "-m", "bleu", "chrf", "-o", "s.parquet", "-q")
    answer = run("--stats", "s.parquet", "--by", "domain", "-f", form, "-ci", "-cin", "20", "-q")
    assert (answer.status, answer.err) == (0, "")
    if form in ("csv", "tsv"):
        mark = "," if form == "csv" else "\t"
        head, *rows = [line.split(mark) for line in answer.out.splitlines()]
        assert head[:4] == ["system", "domain", "segments", "BLEU"]
        assert [row[:3] for row in rows] == [
            [name, of, n] for of, n in (("social", "4"), ("news", "8")) for name in "ab"
        ]
    else:
        escaped = answer.out.replace("\\_", "_").replace("&#x27;", "'")
        assert "domain=social" in escaped or "domain:social" in escaped


def test_groups_are_gated_and_summed(run, own_set):
    run("count", *own_set, "-i", "a.txt", "-o", "s.parquet", "-q")
    assert run("count", "--stats", "s.parquet", "--by", "domain", "--sums", "-o", "g.parquet", "-q") == (0, "", "")
    answer = run("--stats", "s.parquet", "--by", "domain", "--fail-under", "100", "-q")
    assert answer.status == 1
    assert "a.txt domain=social: BLEU" in answer.err
    assert run("--stats", "g.parquet", "--by", "domain", "-q") == run("--stats", "s.parquet", "--by", "domain", "-q")
    columns = pq.read_table("g.parquet").select(["system", "domain", "segments"]).to_pylist()
    assert columns == [{"system": "a.txt", "domain": of, "segments": n} for of, n in (("social", 4), ("news", 8))]
    refused(run("--stats", "s.parquet", "--by", "domian"), "did you mean domain?")


# --- baselines of gates


def test_a_gate_compares_with_a_file_of_statistics(run, corpus):
    for words in ((), ("--paired-ar",), ("--paired-bs",)):
        run("count", "ref.txt", "-i", "a.txt", "-m", "bleu", "ter", "-o", "old.parquet", "-q")
        gate = ("-m", "bleu", "ter", "--baseline", "old.parquet", "--max-drop", "0.5", *words, "-q")
        worse, same = run("ref.txt", "-i", "b.txt", *gate), run("ref.txt", "-i", "a.txt", *gate)
        assert (worse.status, same.status) == (1, 0)
        assert "b.txt: BLEU " in worse.err
        assert "b.txt: TER " in worse.err
        run("count", "ref.txt", "-i", "b.txt", "-m", "bleu", "ter", "-o", "new.parquet")
        stored = run("--stats", "new.parquet", *gate)
        assert (stored.status, stored.out, stored.err) == worse


def test_a_test_against_a_file_is_that_of_both_texts(run, corpus):
    run("count", "ref.txt", "-i", "a.txt", "-m", "bleu", "chrf", "-o", "old.parquet")
    for test in ("--paired-ar", "--paired-bs"):
        direct = run("ref.txt", "-i", "a.txt", "b.txt", "-m", "bleu", "chrf", test, "--max-drop", "9", "-f", "csv")
        gate = (test, "--max-drop", "9", "-f", "csv", "-m", "bleu", "chrf", "--baseline", "old.parquet")
        found = run("ref.txt", "-i", "b.txt", *gate)
        assert found.out.replace("old.parquet,", "a,") == direct.out
    line = json.loads(run("ref.txt", "-i", "b.txt", *gate, "-f", "jsonl").out.splitlines()[-1])
    assert [one["role"] for one in line["inputs"]] == ["system", "statistics", "reference"]


def test_columns_that_are_tested_against_a_file_are_not_called_baseline(run, corpus):
    run("count", "ref.txt", "-i", "a.txt", "-o", "old.parquet", "-q")
    with open("a.txt", encoding="utf-8") as a, open("b.txt", encoding="utf-8") as b:
        columns = "".join(f"{one[:-1]}\t{two}" for one, two in zip(a, b, strict=True))
    answer = run("ref.txt", "--paired-ar", "--baseline", "old.parquet", "--max-drop", "99", stdin=columns.encode())
    names = [system["system"] for system in json.loads(answer.out)]
    assert names == ["Baseline: old.parquet", "System 1", "System 2"]


def test_a_name_chooses_among_the_systems_of_a_baseline_for_texts_and_statistics(run, corpus):
    run("count", "ref.txt", "-i", "a.txt", "b.txt", "--names", "A,B", "-o", "old.parquet", "-q")
    gate = ("--baseline", "old.parquet", "--paired-ar", "--max-drop", "99", "-f", "csv")
    for name, same in (("A", "b.txt"), ("B", "a.txt")):
        run("count", "ref.txt", "-i", same, "--names", "C", "-o", "new.parquet", "-q")
        refused(run("--stats", "new.parquet", *gate), "has 2 systems", "use --names")
        answer = run("ref.txt", "-i", same, *gate, "--names", name)
        assert answer.status == 0
        assert run("--stats", "new.parquet", *gate, "--names", name) == answer
        run("count", "ref.txt", "-i", same, "--names", name, "-o", "new.parquet", "-q")
        assert run("--stats", "new.parquet", *gate) == answer


@pytest.mark.parametrize("test", [(), ("--paired-ar",)])
def test_a_bound_judges_only_what_is_scored_now(test, run, corpus, write):
    write("old.txt", "nothing like it\n" * 60)
    with open("ref.txt", encoding="utf-8") as file:
        write("perfect.txt", file.read())
    run("count", "ref.txt", "-i", "old.txt", "--names", "one", "-o", "old.parquet", "-q")
    gate = ("--names", "one", "--baseline", "old.parquet", "--max-drop", "1", "--fail-under", "50", *test, "-q")
    assert run("ref.txt", "-i", "perfect.txt", *gate).status == 0
    failed = run("ref.txt", "-i", "old.txt", *gate)
    assert (failed.status, failed.err.count("is under 50")) == (1, 1)


def test_a_baseline_that_cannot_be_compared_is_refused(run, corpus, write):
    gate = ("--baseline", "old.parquet", "--max-drop", "1")
    run("count", "ref.txt", "-i", "a.txt", "b.txt", "-o", "old.parquet")
    refused(run("ref.txt", "-i", "a.txt", "--names", "c", *gate), "old.parquet has no system c; it has a.txt, b.txt")
    refused(run("ref.txt", "-i", "a.txt", "--names", "c", *gate, "--paired-ar"), "has 2 systems", "compares with one")
    assert run("ref.txt", "-i", "b.txt", *gate, "--paired-ar").status == 0  # the system of that name
    refused(run("ref.txt", "-i", "a.txt", "-m", "ter", *gate), "old.parquet has no TER")
    run("count", "ref.txt", "-i", "a.txt", "-tok", "char", "-o", "old.parquet")
    refused(run("ref.txt", "-i", "a.txt", *gate), "tok:char", "tok:13a")
    refused(run("ref.txt", "-i", "a.txt", *gate, "--paired-ar"), "tok:char", "tok:13a", "count both in the same way")
    run("count", "ref.txt", "-i", "a.txt", "--sums", "-o", "old.parquet")
    assert run("ref.txt", "-i", "a.txt", *gate).status == 0
    refused(run("ref.txt", "-i", "a.txt", *gate, "--paired-ar"), "old.parquet holds sums")
    cut("ref.txt", 0, 5)
    cut("a.txt", 0, 5)
    run("count", "ref.txt.0", "-i", "a.txt.0", "-o", "old.parquet")
    refused(run("ref.txt", "-i", "a.txt", *gate, "--paired-ar"), "old.parquet has 5 segments but a.txt has 60")
    refused(
        run("ref.txt", "-i", "a.txt", *gate),
        "old.parquet has BLEU with a file with SHA-256 ",
        "... as reference, but the new score uses ref.txt (SHA-256 ",
        "score both with the same references",
    )


def test_a_system_with_the_name_of_its_baseline_is_refused(run, corpus):
    run("count", "ref.txt", "-i", "a.txt", "-o", "old.parquet")
    words = ("ref.txt", "-i", "b.txt", "--names", "old.parquet", "--baseline", "old.parquet", "--max-drop", "99")
    refused(run(*words, "--paired-ar"), "two systems would be called 'old.parquet'; name systems with --names")
    assert run(*words).status == 0


# --- scores from elsewhere


def test_scores_from_elsewhere_are_kept_as_they_are(run, write):
    write("a.num", "0.1\n0.25\n-3\n1e-9\n")
    write("b.num", "0.2\n0.25\n-2\n1e-7\n")
    words = ("--segment-scores", "-i", "a.num", "b.num")
    assert run("count", *words, "-o", "s.parquet") == (0, "", "")
    for question in (
        (),
        ("-w", "9"),
        ("-ci",),
        ("--paired-ar", "--paired-all"),
        ("--paired-bs",),
        ("--fail-under", "9"),
    ):
        assert run("--segment-scores", "--stats", "s.parquet", *question) == run(*words, *question)
    refused(run("--stats", "s.parquet"), "holds segment scores from elsewhere; add --segment-scores")


@pytest.mark.parametrize("test", [(), ("--paired-ar",), ("--paired-bs",)])
def test_scores_from_elsewhere_are_gated_by_a_file_of_such_scores(run, write, test):
    write("old.num", "".join(f"{n}.5\n" for n in range(40)))
    write("new.num", "".join(f"{n}\n" for n in range(40)))
    run("count", "--segment-scores", "-i", "old.num", "-o", "old.parquet")
    gate = ("--baseline", "old.parquet", *test, "-f", "csv")
    worse = run("--segment-scores", "-i", "new.num", *gate, "--max-drop", "0.2")
    assert (worse.status, "new.num: score 19.5 is worse than 20.0 by 0.5" in worse.err) == (1, True)
    fine = run("--segment-scores", "-i", "new.num", *gate, "--max-drop", "0.6", "-q")
    assert (fine.status, fine.err) == (0, "")
    if test:
        direct = run("--segment-scores", "-i", "old.num", "new.num", *test, "-f", "csv")
        assert fine.out.replace("old.parquet,", "old.num,") == direct.out
        run("count", "--segment-scores", "-i", "new.num", "-o", "new.parquet")
        assert run("--segment-scores", "--stats", "new.parquet", *gate, "--max-drop", "0.6").out == fine.out
        write("short.num", "1\n")
        refused(
            run("--segment-scores", "-i", "short.num", *gate, "--max-drop", "1"),
            "old.parquet has 40 segments but short.num has 1",
        )
    write("ref.txt", "a\n")
    run("count", "ref.txt", "-i", "ref.txt", "-o", "old.parquet")
    refused(run("--segment-scores", "-i", "new.num", *gate, "--max-drop", "1"), "old.parquet has no segment scores")


# --- runs that are killed


@needs_signals
@pytest.mark.slow
def test_a_kill_leaves_no_file_or_the_old_one(tmp_path, write):
    rng = random.Random(50)
    lines = [" ".join(rng.choices(WORDS, k=12)) for _ in range(20_000)]
    write("ref.txt", "".join(f"{line}\n" for line in lines))
    write("a.txt", "".join(f"{line}\n" for line in lines[::-1]))
    words = (*COMMAND, "count", "ref.txt", "-i", "a.txt", "-m", "bleu", "chrf", "-q", "-o", "s.parquet")
    options = {"env": process_environment(()), "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    begun = time.monotonic()
    subprocess.run(words, check=True, **options)
    whole = time.monotonic() - begun
    with open("s.parquet", "rb") as file:
        old = file.read()
    finished = 0
    for moment in range(50):
        is_new = moment % 2
        if is_new and os.path.exists("s.parquet"):
            os.unlink("s.parquet")
        process = subprocess.Popen(words, **options)
        time.sleep(rng.uniform(0.3, 1.15) * whole)
        process.send_signal(signal.SIGKILL)
        finished += process.wait() == 0
        if os.path.exists("s.parquet"):
            with open("s.parquet", "rb") as file:
                assert file.read() == old  # the same bytes each time, so that an incomplete file would be noticed
        else:
            assert is_new
            with open("s.parquet", "wb") as file:
                file.write(old)
    assert finished < 50


def test_pandas_is_not_imported(run, corpus):
    run("count", "ref.txt", "-i", "a.txt", "-o", "s.parquet")
    program = (
        "import runpy, sys\nsys.argv = ['bleu', *{}]\ntry:\n    runpy.run_module('bleucli', run_name='__main__')\n"
        "finally:\n    print('pandas' in sys.modules, file=sys.stderr)\n"
    )
    for words in (["--stats", "s.parquet", "-ci"], ["count", "ref.txt", "-i", "a.txt", "--sums", "-o", "g.parquet"]):
        done = subprocess.run(
            [sys.executable, "-c", program.format(words)], capture_output=True, text=True, env=process_environment(())
        )
        assert (done.returncode, done.stderr) == (0, "False\n")


def test_a_name_that_is_not_utf8_is_kept_as_far_as_possible(run, corpus):
    shutil.copy("a.txt", b"a\xff.txt")
    assert run("count", "ref.txt", "-i", b"a\xff.txt", "-o", "s.parquet").status == 0
    assert run("--stats", "s.parquet").out == run("ref.txt", "-i", "a.txt").out


def test_the_same_texts_give_the_same_bytes(run, corpus):
    contents = []
    for _ in range(2):
        run("count", "ref.txt", "-i", "a.txt", "-o", "s.parquet", "-J", "2")
        with open("s.parquet", "rb") as file:
            contents.append(file.read())
    assert contents[0] == contents[1]


def test_without_pyarrow_the_error_says_what_to_type(run, corpus, monkeypatch):
    run("count", "ref.txt", "-i", "a.txt", "-o", "s.parquet")
    for module in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, module, None)
    refused(run("--stats", "s.parquet"), "pip install 'bleucli[arrow]'")
    refused(run("count", "ref.txt", "-i", "a.txt", "-o", "t.parquet"), "pip install 'bleucli[arrow]'")
    assert run("ref.txt", "-i", "a.txt").status == 0


def test_a_large_corpus_is_saved_block_by_block(run, write):
    count = enough(8) * 20_000
    write("ref.txt", "the cat sat on the mat\nso it goes, he said\n" * count)
    write("a.txt", "the cat sat on a mat\nso it goes, said he\n" * count)
    direct = run("ref.txt", "-i", "a.txt", "-m", "bleu", "chrf")
    run("count", "ref.txt", "-i", "a.txt", "-m", "bleu", "chrf", "-o", "s.parquet")
    assert pq.ParquetFile("s.parquet").num_row_groups == -(-2 * count // (1 << 17))
    assert run("--stats", "s.parquet", "-m", "bleu", "chrf") == direct


def test_each_small_file_is_opened_twice_to_be_merged(monkeypatch, run, folder):
    for first, line in enumerate(["a b c d e", "f g h i j"]):
        stats = BLEU().corpus_stats([line], [[line]], keep_rows=True)
        statsfiles.write(f"{first}.parquet", {"sys": stats}, first=first)
    paths = []

    def count(path):
        paths.append(path)
        return open_file(path)

    monkeypatch.setattr("bleucli.scale.files.open_file", count)
    assert run("count", "--stats", "0.parquet", "1.parquet", "-o", "all.parquet").status == 0
    assert sorted(paths) == ["0.parquet"] * 2 + ["1.parquet"] * 2  # what it holds, and its rows


@pytest.mark.parametrize("rows", [1, 3, 1 << 17])
def test_what_is_merged_does_not_depend_on_what_is_kept(monkeypatch, run, folder, rows):
    monkeypatch.setattr("bleucli.scale.statsfiles.ROWS", rows)
    expected = []
    for first, line in enumerate(["a b c d e", "f g h i j", "k l m n o"]):
        stats = BLEU().corpus_stats([line], [[line]], keep_rows=True)
        statsfiles.write(f"{first}.parquet", {"sys": stats}, first=first)
        expected += pq.read_table(f"{first}.parquet").to_pylist()
    assert run("count", "--stats", "2.parquet", "0.parquet", "1.parquet", "-o", "all.parquet").status == 0
    merged = pq.read_table("all.parquet").to_pylist()
    assert sorted(merged, key=lambda row: row["segment"]) == expected
    groups = [pq.ParquetFile("all.parquet").metadata.row_group(n).num_rows for n in range(3 if rows == 1 else 1)]
    assert groups == ([1, 1, 1] if rows == 1 else [3])
