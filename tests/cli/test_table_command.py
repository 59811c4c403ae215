"""--table: columns of Parquet and Arrow IPC files get the scores that the same texts get in text files."""

from __future__ import annotations

import csv
import json
import os
import random
import re
import sys
from errno import ELOOP
from pathlib import Path
from zipfile import ZipFile

import pytest
from conftest import refused, warnings_in

import bleucli
from bleucli import statsfiles
from bleucli.output import FORMATS
from bleucli.results.signature import Signature

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed; there are no tables to read")
pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed; there are no tables to read")

WORDS = tuple("the cat sat on a mat and dogs ran off to see what had been said by Anna in town".split())  # noqa: SIM905
COUNT = 40
ALL = ("bleu", "chrf", "ter", "wer", "cer")


def sentences(rng, count=COUNT):
    return [" ".join(rng.choices(WORDS, k=rng.randrange(4, 12))) for _ in range(count)]


@pytest.fixture
def columns(write):
    """Write texts as text files; return them as columns, with what groups them."""
    rng = random.Random(4)
    found = {name: sentences(rng) for name in ("hyp", "mt")}
    found["ref"] = [" ".join(rng.choice([word, word, "x"]) for word in line.split()) for line in found["hyp"]]
    found["ref2"] = sentences(rng)
    for name, texts in found.items():
        write(f"{name}.txt", "".join(f"{text}\n" for text in texts))
    return found | {"system": ["A", "B"] * (COUNT // 2), "year": [2023 + n // 20 for n in range(COUNT)]}


@pytest.fixture
def parts(columns, folder):
    """Write a folder of tables, of which one is empty, in row groups of a few rows; return its name."""
    table = pa.table(columns)
    (folder / "parts").mkdir()
    for name, start, stop in (("a", 0, 7), ("b", 7, 7), ("c", 7, COUNT)):
        pq.write_table(table.slice(start, stop - start), f"parts/{name}.parquet", row_group_size=5)
    return "parts"


def same(answer, other, *names):
    """Return whether two answers are the same except for the names of systems."""
    shown = [text for one in (answer, other) for text in (one.out, one.err)]
    for name in names:
        shown = [text.replace(f"{name}.txt", name) for text in shown]
    return answer.status == other.status and shown[:2] == shown[2:]


@pytest.mark.parametrize("form", [form for form in FORMATS if form not in ("jsonl", "latex")])
@pytest.mark.parametrize("question", [(), ("-ci", "-cin", "30"), ("-J", "2"), ("--scale", "1")])
def test_columns_are_scored_as_texts(run, parts, form, question):
    words = ("-m", *ALL, "-f", form, *question)
    assert same(run("--table", parts, *words), run("ref.txt", "-i", "hyp.txt", *words), "hyp", "ref")


def test_several_columns_are_several_systems_and_references(run, parts):
    words = ("-m", *ALL, "--paired-ar", "-parn", "50", "-f", "csv")
    told = ("--columns", "hyp=hyp,mt,refs=ref,ref2")
    direct = run("ref.txt", "ref2.txt", "-i", "hyp.txt", "mt.txt", *words)
    assert same(run("--table", parts, *told, *words), direct)
    named = run("--table", parts, "--columns", "refs=ref,ref2,hyp=one:hyp,two:mt", *words)
    assert named.out == direct.out.replace("hyp,", "one,").replace("mt,", "two,")
    assert run("--table", parts, *told, *words, "--names", "one,two").out == named.out


def test_segments_are_scored_and_explained(run, parts):
    for words in (("-sl",), ("-sl", "-m", "ter", "-f", "json")):
        assert same(run("--table", parts, *words), run("ref.txt", "-i", "hyp.txt", *words), "hyp")
    explained = run("explain", "ref.txt", "-i", "hyp.txt", "--line", "9")
    assert same(run("explain", "--table", parts, "--line", "9"), explained, "hyp")


def test_references_may_be_lists(run, columns, folder):
    pairs = zip(columns["ref"], columns["ref2"], strict=True)
    lists = [list(pair) if n % 3 else [pair[0]] for n, pair in enumerate(pairs)]
    pq.write_table(pa.table({"hyp": columns["hyp"], "ref": lists}), "t.parquet")
    with open("t.jsonl", "w", encoding="utf-8") as file:
        file.writelines(
            json.dumps({"hypothesis": text, "references": references}) + "\n"
            for text, references in zip(columns["hyp"], lists, strict=True)
        )
    answer = run("--table", "t.parquet", "-m", *ALL)
    assert "nrefs:var" in answer.out
    assert answer == run("-i", "t.jsonl", "-m", *ALL)


@pytest.mark.parametrize("ending", ["arrow", "feather", "ipc", "stream.arrow"])
def test_arrow_files_are_tables(run, columns, parts, ending):
    table = pa.table(columns)
    opened = pa.ipc.new_stream if ending.startswith("stream") else pa.ipc.new_file
    with opened(f"t.{ending}", table.schema) as file:
        file.write_table(table, max_chunksize=9)
    for words in ((), ("--by", "year", "-f", "csv")):
        assert run("--table", f"t.{ending}", *words) == run("--table", parts, *words)


@pytest.mark.parametrize("name", ["t.pq", "part-00000", "t.PARQUET"])
def test_parquet_files_may_have_any_ending(run, columns, parts, name):
    pq.write_table(pa.table(columns), name)
    for words in ((), ("--by", "year", "-f", "csv")):
        assert run("--table", name, *words) == run("--table", parts, *words)
    Path(name).write_bytes(Path(name).read_bytes()[:-9])
    refused(run("--table", name), f"{name} is not a complete Parquet file")


@pytest.mark.parametrize("ending", ["arrow", "stream.arrow", "parquet"])
def test_damaged_tables_are_refused_or_read_but_never_crash(run, columns, write, ending):
    """Parquet files have checksums. Arrow files have none, and offsets mapped from them may point anywhere."""
    table = pa.table(columns | {"refs": [[text] for text in columns["ref"]]})
    if ending == "parquet":
        pq.write_table(table, "t.parquet", write_page_checksum=True)
    else:
        opened = pa.ipc.new_stream if ending.startswith("stream") else pa.ipc.new_file
        with opened(f"t.{ending}", table.schema) as file:
            file.write_table(table)
    content = Path(f"t.{ending}").read_bytes()
    words = ("--table", f"t.{ending}", "--columns", "refs=refs", "--by", "year", "-q")
    whole = run(*words)
    rng = random.Random(7)
    for place in rng.sample(range(len(content)), 100):
        write(f"t.{ending}", content[:place] + bytes([content[place] ^ 1 << rng.randrange(8)]) + content[place + 1 :])
        answer = run(*words)
        assert answer.status in (0, 2), answer
        if answer.status:
            assert answer.err.count("\n") == 1
        elif ending == "parquet":
            assert answer == whole


# --- groups


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_each_group_is_scored_by_itself(run, parts, columns, write, jobs):
    answer = run("--table", parts, "--by", "year,system", "-m", *ALL, "-f", "jsonl", "-J", jobs, "-q")
    lines = [json.loads(line) for line in answer.out.splitlines()]
    groups = list(dict.fromkeys(zip(columns["year"], columns["system"], strict=True)))
    assert len(lines) == len(groups) * len(ALL)
    for year, system in groups:
        places = [n for n in range(COUNT) if (columns["year"][n], columns["system"][n]) == (year, system)]
        for name in ("hyp", "ref"):
            write(f"some.{name}", "".join(f"{columns[name][n]}\n" for n in places))
        direct = run("some.ref", "-i", "some.hyp", "-m", *ALL, "-f", "jsonl", "-q")
        expected = [json.loads(line) for line in direct.out.splitlines()]
        found = [line for line in lines if line["system"] == f"hyp year={year} system={system}"]
        for one, other in zip(found, expected, strict=True):
            assert one["signature"].pop("year") == str(year)
            for name in ("metric", "score", "segments", "signature", "counts", "edits"):
                assert one[name] == other[name]


def test_groups_have_their_own_columns(run, parts):
    answer = run("--table", parts, "--by", "system", "year", "-f", "csv", "-ci", "-cin", "20", "--columns", "hyp=mt")
    head, *rows = [line.split(",") for line in answer.out.splitlines()]
    assert head[:4] == ["system", "year", "segments", "BLEU"]
    assert [row[:3] for row in rows] == [[s, y, "10"] for y in ("2023", "2024") for s in "AB"]
    refused(run("--table", parts, "--by", "system", "--columns", "hyp=hyp,mt"), "but here they are columns")


def test_statistics_of_tables_are_saved_with_their_groups(run, parts):
    words = ("-m", "bleu", "ter", "-q")
    by = ("--by", "system,year")
    saved = run("--table", parts, *by, *words, "-f", "csv")
    assert run("count", "--table", parts, *by, *words, "-o", "s.parquet") == (0, "", "")
    assert run("count", "--table", parts, *by, *words, "--sums", "-o", "g.parquet") == (0, "", "")
    found = run("--stats", "s.parquet", "--by", "year", "-f", "csv", *words)
    assert sorted(found.out.splitlines()) == sorted(saved.out.splitlines())
    assert run("--stats", "g.parquet", "--by", "year", "-f", "csv", *words) == saved
    assert statsfiles.read("s.parquet").systems == ["A", "B"]
    assert run("--stats", "s.parquet", "--paired-ar", "-m", "bleu", "-q").status == 2  # other references
    plain = run("--table", parts, *words)
    run("count", "--table", parts, *words, "-o", "t.parquet")
    assert run("--stats", "t.parquet", *words) == plain


def test_null_and_nan_are_one_group_wherever_they_are(run, columns):
    values = [1.5, float("nan"), None, 0.0] * (COUNT // 4)
    table = pa.table(columns | {"weight": values})
    for number, start in enumerate(range(0, COUNT, 10)):
        pq.write_table(table.slice(start, 10), f"n{number}.parquet", row_group_size=3)
    answer = run("--table", "n?.parquet", "--by", "weight", "-f", "csv")
    run("count", "--table", "n?.parquet", "--by", "weight", "-o", "s.parquet")
    assert [line.split(",")[1:3] for line in answer.out.splitlines()[1:]] == [["1.5", "10"], ["", "20"], ["0.0", "10"]]
    assert run("--stats", "s.parquet", "--by", "weight", "-f", "csv") == answer
    stats = pq.read_table("s.parquet")
    place = stats.column_names.index("weight")
    for number, start in enumerate(range(0, COUNT, 10)):  # as pandas would write it
        part = stats.slice(start, 10).set_column(place, "weight", pa.array(values[start : start + 10]))
        pq.write_table(part, f"s{number}.parquet", row_group_size=3)
    assert run("--stats", "s[0-9].parquet", "--by", "weight", "-f", "csv") == answer


@pytest.mark.parametrize(
    ("name", "values", "words", "parts_of_line"),
    [
        ("tags", [["a"]], (), ["the column tags of t.parquet", "list", "cannot make groups"]),
        ("segments", ["a"], (), ["the column segments makes groups, but the answer has"]),
        ("BLEU", ["a"], (), ["the column BLEU makes groups, but the answer has"]),
        ("score", ["a"], (), ["the column score makes groups, but the answer has"]),
        ("BLEU signature", ["a"], ("-f", "csv"), ["the column BLEU signature makes groups, but the answer has"]),
        ("case", ["a"], (), ["the column case makes groups, but the answer has"]),
        ("seed", ["a"], ("--confidence",), ["the column seed makes groups, but the answer has"]),
        ("refs_min", ["a"], ("count",), ["--by refs_min: files of statistics have a column"]),
        ("bleu.hyp_len", ["a"], ("count",), ["--by bleu.hyp_len: files of statistics have a col"]),
        ("ter.edits", ["a"], ("count", "-m", "ter", "--sums"), ["--by ter.edits: files of statistics have"]),
        ("my.signature", ["a"], ("count", "--sums"), ["--by my.signature: files of statistics have a col"]),
        (",", ["a"], (), ["--by names no column; name at least one, or leave it out"]),
    ],
)
def test_columns_that_cannot_make_groups_are_refused(run, columns, name, values, words, parts_of_line):
    pq.write_table(pa.table(columns | {name: values * COUNT}), "t.parquet")
    refused(run(*words, "--table", "t.parquet", "--by", name, "-o", "out"), *parts_of_line)


def test_groups_of_the_same_name_are_refused_where_a_format_has_only_names(run, columns):
    pq.write_table(pa.table(columns | {"domain": ["", None] * (COUNT // 2)}), "t.parquet")
    words = ("--table", "t.parquet", "--by", "domain")
    assert len(run(*words, "-f", "csv").out.splitlines()) == 3
    for form in ("card", "junit"):
        refused(run(*words, "-f", form), f"more than one group is called hyp domain=, but {form} tells groups apart")


def test_a_signature_with_an_unusual_column_can_be_read_back(run, columns):
    pq.write_table(pa.table(columns | {"a|b": ["c|d"] * COUNT}), "t.parquet")
    answer = run("--table", "t.parquet", "--by", "a|b", "-f", "json", "-q")
    assert Signature.parse(json.loads(answer.out)["signature"]).info["a%7Cb"] == "c%7Cd"


def test_every_group_has_the_texts_that_a_signature_names(run, columns):
    pq.write_table(pa.table(columns | {"testset": ["one", "two"] * (COUNT // 2)}), "t.parquet")
    words = ("--table", "t.parquet", "--by", "testset", "--like")
    for asked, other in (("one", "two"), ("two", "one")):
        refused(run(*words, f"BLEU|test:{asked}|tok:13a"), f"asks for test:{asked}, but this run has test:{other}")
    assert run(*words, "BLEU|tok:13a", "-q").status == 0


def test_a_repeated_column_is_refused(run, columns):
    table = pa.table(columns)
    pq.write_table(table.append_column("hyp", table.column("ref")), "t.parquet")
    refused(run("--table", "t.parquet"), "t.parquet has 2 columns hyp; rename all but one")


def test_hints_about_texts_are_printed_once(run, folder):
    table = pa.table({"hyp": ["a b c d e ."] * 200, "ref": ["a b c d f ."] * 200, "n": [1, 2] * 100})
    pq.write_table(table, "t.parquet")
    (line,) = warnings_in(run("--table", "t.parquet", "--by", "n"))
    assert "200 hypotheses end in ' .'" in line
    assert [line] == warnings_in(run("--table", "t.parquet"))


# --- what is refused


def test_a_table_is_not_written_over(run, parts):
    path = f"{parts}/a.parquet"
    before = Path(path).read_bytes()
    for words in ((), ("count",), ("count", "--sums")):
        refused(run(*words, "--table", parts, "-o", path), f"--output {path} is also an input")
    assert Path(path).read_bytes() == before


@pytest.mark.parametrize(
    ("words", "parts_of_line"),
    [
        (("--columns", "hyp=hpy"), ["a.parquet has no column hpy; it has hyp, mt,", "did you mean hyp?"]),
        (("--columns", "refs=reference"), ["has no column reference", "--columns hyp=NAME,refs=NAME"]),
        (("--columns", "hyp=year"), ["year 1 is of type int, not a string"]),
        (("--columns", "hyp"), ["--columns 'hyp'; expected hyp=COLUMN,refs=COLUMN"]),
        (("--columns", "source=hyp"), ["--columns 'source=hyp'; expected"]),
        (("--columns", "hyp=a:hyp,a:mt"), ["leaves a system without a name, or names one twice"]),
        (("--paired-bs",), ["name the baseline first: --columns hyp=BASELINE,SYSTEM"]),
        (("--by", "yaer"), ["has no column yaer", "did you mean year?"]),
        (("--by", "year", "--paired-ar"), ["name the baseline first: --columns hyp=BASELINE,SYSTEM"]),
        (("ref.txt",), ["references cannot be combined with --table"]),
        (("-i", "hyp.txt"), ["--input cannot be combined with --table"]),
        (("--stats", "s.parquet"), ["--stats cannot be combined with --table"]),
    ],
)
def test_options_that_do_not_fit_a_table_are_refused(run, parts, words, parts_of_line):
    refused(run(*words, "--table", parts), *parts_of_line)


def test_columns_without_a_table_are_refused(run, columns):
    refused(run("ref.txt", "-i", "hyp.txt", "--columns", "hyp=a"), "--columns names columns of --table")


def test_a_missing_text_is_named_with_its_file_row_and_key(run, columns, folder):
    columns["hyp"][9] = None
    columns["ref"][12] = None
    pq.write_table(pa.table(columns), "t.parquet", row_group_size=5)
    refused(
        run("--table", "t.parquet", "--by", "system,year"), "hyp is null in t.parquet, row 10 (system B, year 2023)"
    )
    words = ("--columns", "hyp=mt")
    refused(run("--table", "t.parquet", *words), "all references are missing in t.parquet, row 13; give at least one")


def test_files_that_are_not_tables_are_refused(run, columns, write, folder):
    refused(run("--table", "none.parquet"), "there is no file none.parquet")
    for name, kind in (
        ("x.parquet", "complete Parquet file"),
        ("x.arrow", "complete Arrow IPC file"),
        ("x.bin", "table; expected"),
    ):
        write(name, b"")
        refused(run("--table", name), f"{name} is not a {kind}")
    for name, message in (
        ("x.parquet", "Parquet; give the file the ending of its format"),
        ("x.arrow", "Arrow IPC; give the file the ending of its format"),
        ("x.bin", "a table; expected a file whose name ends in"),
    ):
        write(name, b"a line\n" * 9)
        refused(run("--table", name), f"{name} is not {message}")
    pq.write_table(pa.table(columns), "t.parquet")
    with open("t.parquet", "rb") as file:
        content = file.read()
    write("t.parquet", content[:40] + bytes(200) + content[240:])
    refused(run("--table", "t.parquet"), "t.parquet is not a complete Parquet file")
    os.symlink("loop.parquet", "loop.parquet")
    refused(run("--table", "loop.parquet"), f"cannot read loop.parquet: {os.strerror(ELOOP)}; name another table")
    pq.write_table(pa.table(columns).slice(0, 0), "t.parquet")
    refused(run("--table", "t.parquet"), "t.parquet is empty; expected at least one row")
    for hyp, ref in (([1], ["a"]), (["a"], [1]), (["a"], [[1]])):
        pq.write_table(pa.table({"hyp": hyp, "ref": ref}), "t.parquet")
        name = "hyp" if hyp == [1] else "ref"
        refused(run("--table", "t.parquet"), f"t.parquet, {name} 1 is of type int, not a string; give one string per")
    statsfiles.write("s.parquet", {"a": bleucli.BLEU().corpus_stats(columns["hyp"], [columns["ref"]], keep_rows=True)})
    refused(run("--table", "s.parquet"), "s.parquet has no column hyp; it holds statistics: read it with --stats")


# --- columns of texts in different files


@pytest.fixture
def apart(columns, folder):
    """Write references and two systems to files of their own, in different orders, and all of them to one file."""
    count = len(columns["hyp"])
    ids = {"doc_id": [f"d{n // 4}" for n in range(count)], "seg_id": [n % 4 for n in range(count)]}
    rng = random.Random(3)

    def write(name, *names, rows=range(count), **more):
        table = {**ids, **{one: columns[one] for one in names}}
        table = {one: [of[n] for n in rows] for one, of in table.items()} | more
        pq.write_table(pa.table(table), f"{name}.parquet", row_group_size=7)

    os.mkdir("refs")
    write("refs/1", "ref", "year", rows=range(10))
    write("refs/2", "ref", "year", rows=range(10, count))
    write("a", "hyp", rows=rng.sample(range(count), count))
    write("b", "mt", rows=rng.sample(range(count), count))
    write("whole", "ref", "hyp", "mt", "year")
    return write


SYSTEMS_APART = ("--table", "refs", "a.parquet", "b.parquet", "--columns", "hyp=hyp,mt,refs=ref")
TOGETHER = ("--table", "whole.parquet", "--columns", "hyp=hyp,mt,refs=ref")


@pytest.mark.parametrize(
    "options",
    [
        ("-m", "bleu", "chrf", "ter"),
        ("--by", "year"),
        ("--paired-ar", "--paired-ar-n", "200", "--unit", "doc"),
        ("--paired-bs", "--paired-bs-n", "200", "--by", "year"),
    ],
    ids=" ".join,
)
def test_tables_with_different_columns_are_joined_by_ids(run, apart, options):
    words = (*options, "-f", "csv", "-w", "9", "-q")
    expected = run(*TOGETHER, *words)
    assert expected.status == 0
    assert run(*SYSTEMS_APART, *words) == expected
    # A file may also have the references beside one system
    apart("a", "ref", "hyp", "year")
    assert run("--table", "a.parquet", "b.parquet", *SYSTEMS_APART[-2:], *words) == expected


def test_rows_that_are_missing_double_or_unknown_are_errors(run, apart, columns):
    count = len(columns["hyp"])
    apart("b", "mt", rows=[*range(1, count)])
    refused(run(*SYSTEMS_APART), "b.parquet lacks the id 'd0/0', which refs/1.parquet, refs/2.parquet has")
    partial = run(*SYSTEMS_APART, "--partial", "-f", "csv", "-w", "9")
    assert f"|partial:{count - 1}of{count}|" in partial.out
    assert f"1 of {count} items left out" in partial.err
    apart("rest", "ref", "hyp", "mt", rows=range(1, count))
    rest = run("--table", "rest.parquet", *SYSTEMS_APART[-2:], "-f", "csv", "-w", "9", "-q").out
    assert partial.out.replace(f"partial:{count - 1}of{count}|", "") == rest
    assert run("count", *SYSTEMS_APART, "--partial", "-o", "s.parquet", "-q").status == 0
    assert run("--stats", "s.parquet", "-f", "csv", "-w", "9", "-q").out == partial.out
    apart("b", "mt", rows=[0, *range(count)])
    refused(run(*SYSTEMS_APART), "b.parquet has the id 'd0/0' more than once")
    apart("b", "mt", doc_id=[f"e{n}" for n in range(count)])
    refused(run(*SYSTEMS_APART, "--partial"), "the files have no id in common")
    refused(run(*TOGETHER, "--partial"), "--partial joins tables by their ids, but each table has all columns")


def test_tables_without_ids_are_not_joined(run, apart, columns):
    pq.write_table(pa.table({"mt": columns["mt"]}), "b.parquet")
    refused(run(*SYSTEMS_APART), "has no column ", "name the columns of texts with --columns hyp=NAME,refs=NAME")
    refused(
        run(*SYSTEMS_APART[:3], "--columns", "hyp=hyp,hpy,refs=ref"), "no table has a column hpy; they have doc_id,"
    )


# --- tables of other programs

TEXTS = [("The cat sat.", "The cat sat down."), ('He said "no",\nand left.', "He left."), ("été 東京", "été à 東京")]


def write_table(name, header=("hyp", "ref"), rows=TEXTS):
    """Write a table in the form that the ending of its name says."""
    with open(name, "w", encoding="utf-8", newline="") as file:
        if name.endswith(".json"):
            json.dump([dict(zip(header, row, strict=True)) for row in rows], file)
        else:
            csv.writer(file, delimiter="," if name.lower().endswith(".csv") else "\t").writerows([header, *rows])


def expected(*words):
    """Return the scores of the same texts as Parquet."""
    pq.write_table(pa.table({"hyp": [one for one, _ in TEXTS], "ref": [other for _, other in TEXTS]}), "e.parquet")
    return ("--table", "e.parquet", "-m", "bleu", "chrf", "-q", *words)


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.json", "T.CSV"])
def test_csv_tsv_and_json_are_tables(run, folder, name):
    write_table(name)
    assert run("--table", name, "-m", "bleu", "chrf", "-q") == run(*expected())
    write_table(name, ("source", "KIT"), TEXTS)
    refused(
        run("--table", name), f"{name} has no column hyp; it has source, KIT; name the columns of texts with --columns"
    )
    named = run("--table", name, "--columns", "hyp=source,refs=KIT", "-m", "bleu", "chrf", "-q")
    assert named == run(*expected())


@pytest.mark.parametrize(
    "header", [("prediction", "reference"), ("mt", "target"), ("hypothesis", "ref"), ("hyp", "references")]
)
def test_usual_names_of_columns_are_guessed(run, folder, header):
    write_table("t.csv", header)
    assert run("--table", "t.csv", "-m", "bleu", "chrf", "-q") == run(*expected())
    write_table("t.csv", ("mt", "output"))
    refused(
        run("--table", "t.csv"), "mt and output could each be the hypothesis; name the columns with --columns hyp=NAME"
    )


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.json"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_the_start_of_a_table_shows_its_encoding_and_compression(run, folder, name, encoding):
    from gzip import compress

    write_table(name)
    data = Path(name).read_text(encoding="utf-8").encode(encoding)
    for content in (data, compress(data)) if encoding == "utf-8-sig" else (data,):
        Path(name).write_bytes(content)
        assert run("--table", name, "-m", "bleu", "chrf", "-q") == run(*expected())


def test_lines_may_end_as_on_old_computers_and_cells_may_be_long(run, folder):
    long = "a " * 100_000
    for name, between in (("t.csv", ","), ("t.tsv", "\t")):
        for end in ("\r", "\r\n", "\n"):
            rows = ("hyp", "ref"), ("a b c d", "a b c e"), (long, long)
            Path(name).write_bytes("".join(between.join(row) + end for row in rows).encode() + 2 * end.encode())
            assert run("--table", name, "-m", "wer", "-b", "-q").out == f"{100 / 100_004:.1f}\n"


def test_tsv_may_be_quoted_or_not(run, write):
    hyp = ["It was late.", '"He came home.', 'And he left."', "The end is near.", '"Yes."', 'an 8" disc', "", "a, b"]
    ref = ["It was late.", "He came home early.", "And he left again.", '"The end" is near.', '"Yes!"', '8"', "x", "c"]
    write("hyp.txt", "".join(f"{text}\n" for text in hyp))
    write("ref.txt", "".join(f"{text}\n" for text in ref))
    scores = run("ref.txt", "-i", "hyp.txt", "-m", "bleu", "wer", "-f", "text", "-q").out
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL, None):
        with open("t.tsv", "w", newline="") as file:
            if quoting is None:  # as `paste` does
                file.writelines(f"{one}\t{other}\n" for one, other in zip(["hyp", *hyp], ["ref", *ref], strict=True))
            else:
                rows = zip(["hyp", *hyp], ["ref", *ref], strict=True)
                csv.writer(file, delimiter="\t", quoting=quoting).writerows(rows)
        assert run("--table", "t.tsv", "-m", "bleu", "wer", "-f", "text", "-q").out == scores, quoting


@pytest.mark.parametrize(
    ("rows", "form"),
    [
        ([["Code: f", "Steps:\n\t- one\n\t- two"], ["A dog.", "A dog."]], {}),  # pandas, a tab in each line of a cell
        ([["It was late.", "a, b?"], ["x", "y"]], {"special": '",\t\r\n'}),  # Excel
        ([["It was late.", "a, b?"], ["x", 'a "b"']], {"escape": '\\"'}),  # R
    ],
)
def test_tsv_that_may_be_quoted_is_never_read_as_other_texts(run, rows, form):
    special, escape = form.get("special", '"\t\r\n'), form.get("escape", '""')
    header = '"hyp"\t"ref"' if "escape" in form else "hyp\tref"
    always = "escape" in form
    lines = [
        "\t".join(f'"{cell.replace(chr(34), escape)}"' if always or set(cell) & set(special) else cell for cell in row)
        for row in rows
    ]
    Path("t.tsv").write_text("\n".join([header, *lines, ""]))
    answer = run("--table", "t.tsv", "-m", "wer", "-sl", "-f", "csv", "--texts")
    assert answer.status == 2
    assert re.search("may be part of texts, or quote cells; save it as CSV|not valid TSV", answer.err), answer.err


def test_pasted_lines_that_a_program_may_have_quoted_are_refused(run):
    Path("t.tsv").write_text('hyp\tref\n"He came home.\tHe came home early.\nAnd he left."\tAnd he left.\n')
    refused(
        run("--table", "t.tsv"),
        "t.tsv has quotation marks that may be part of texts, or quote cells; save it as CSV, JSON or Parquet",
    )


def test_a_spreadsheet_is_a_table(run, folder):
    from openpyxl import Workbook

    book = Workbook()
    for row in (("hyp", "ref"), *TEXTS):
        book.active.append(row)
    book.save("t.xlsx")
    assert run("--table", "t.xlsx", "-m", "bleu", "chrf", "-q") == run(*expected())
    whole = Path("t.xlsx").read_bytes()
    with ZipFile("t.xlsx") as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    for damaged in ("[Content_Types].xml", "xl/workbook.xml", "xl/worksheets/sheet1.xml"):
        with ZipFile("t.xlsx", "w") as archive:
            for name, content in contents.items():
                archive.writestr(name, content[: len(content) // 2] if name == damaged else content)
        refused(run("--table", "t.xlsx"), "t.xlsx is not a complete XLSX file with a sheet of cells; save it again")
    at = whole.index(b"xl/worksheets/sheet1.xml") + 40
    Path("t.xlsx").write_bytes(whole[:at] + bytes(20) + whole[at + 20 :])
    refused(run("--table", "t.xlsx"), "t.xlsx is not a complete XLSX file with a sheet of cells; save it again")
    charts = Workbook()
    charts.remove(charts.active)
    charts.create_chartsheet()
    charts.save("t.xlsx")
    refused(run("--table", "t.xlsx"), "t.xlsx is not a complete XLSX file with a sheet of cells; save it again")
    Path("t.xlsx").write_bytes(b"PK no")
    refused(run("--table", "t.xlsx"), "t.xlsx is not a complete XLSX file")


def test_without_openpyxl_one_line_says_what_to_type(run, write, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    write("t.xlsx", b"PK")
    refused(run("--table", "t.xlsx"), "t.xlsx needs openpyxl; type: pip install openpyxl, or save the sheet as .csv")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.csv", "", "t.csv is empty; expected at least one row"),
        ("t.csv", "hyp,ref\n", "t.csv is empty; expected at least one row"),
        ("t.json", "[]", "t.json is empty; expected at least one row"),
        ("t.csv", "hyp,ref\na,b,c\n", "t.csv, row 2 has 3 cells, but the first row has 2"),
        ("t.csv", 'hyp,ref\n"a,b\n', "t.csv, line 2: not valid CSV (unexpected end of data)"),
        ("t.csv", b"hyp,ref\n\xff,b\n", "t.csv, line 2, byte 8: 0xff is not valid utf-8; save it as UTF-8"),
        ("t.json", '{"hyp": "a"}\n', "t.json is not an array of objects; write [{"),
        ("t.json", "[1]", "t.json is not an array of objects"),
        ("t.json", '[{"hyp": "a"', "t.json is not valid JSON ("),
    ],
)
def test_damaged_tables_of_other_programs_are_refused(run, write, name, text, message):
    write(name, text)
    refused(run("--table", name), message)


def test_references_in_json_may_be_lists_and_missing(run, folder):
    rows = [("a b c d", ["a b c d", "x"]), ("e f g h", ["e f g h", None])]
    write_table("t.json", ("hyp", "refs"), rows)
    assert run("--table", "t.json", "-b", "-q") == (0, "100.0\n", "")
    write_table("t.json", ("hyp", "refs"), [("a", None), ("b", ["b"])])
    refused(run("--table", "t.json"), "all references are missing in t.json, row 1")


@pytest.mark.parametrize(
    ("references", "message"),
    [
        ([["a"], "b"], "item 2: 'refs' is a string; expected an array of strings"),
        (["a", ["b", 3]], "item 1: 'refs' is a string; expected an array of strings"),
        ([["a"], ["b", 3]], "item 2: 'refs' holds a number; expected a string"),
        (["a", {"de": "b"}], "item 2: 'refs' is an object; expected a string"),
        ([float("nan"), "b"], "item 1: 'refs' is a number; expected a string"),
        (["a", True], "item 2: 'refs' is true or false; expected a string"),
    ],
)
def test_values_of_json_that_are_not_text_are_only_labels(run, write, references, message):
    items = [{"hyp": "a", "ref": "a", "refs": one} for one in references]
    write("t.json", json.dumps(items))
    refused(run("--table", "t.json", "--columns", "hyp=hyp,refs=refs"), f"t.json, {message}")
    assert run("--table", "t.json").status == 0
    write("t.json", json.dumps([item | {"year": year} for item, year in zip(items, (1, 2), strict=True)]))
    assert "year=1" in run("--table", "t.json", "--by", "year", "-f", "text").out


def test_numbers_and_dates_in_a_spreadsheet_are_not_text(run, folder):
    from datetime import date

    from openpyxl import Workbook

    for value, what in ((42, "a number"), (date(2026, 1, 2), "a date or time"), (True, "true or false")):
        book = Workbook()
        for row in (("hyp", "ref"), ("a", "a"), (None, None), (value, "a")):
            book.active.append(row)
        book.save("t.xlsx")
        refused(run("--table", "t.xlsx"), f"t.xlsx, row 4: 'hyp' is {what}; expected a string")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("t.csv", b"hyp;ref\na;b\n", "t.csv has columns between semicolons; save it with commas between them"),
        ("t.csv", b'"hyp";"ref"\n"a";"b, c"\n', "t.csv has columns between semicolons; save it with commas between"),
        ("t.csv", b"hyp|ref\na|b\n", "t.csv has columns between vertical bars; save it with commas between them"),
        ("t.tsv", b"hyp,ref\na,b\n", "t.tsv has columns between commas; save it with tabs between them"),
        (
            "t.json",
            b'[{"hyp": "\\ud800 a"}]',
            r"t.json: '\ud800 a' holds a lone surrogate (\ud800), which is not",
        ),
        (
            "t.json",
            b'[{"\\ud800": "a"}]',
            r"t.json: '\ud800' holds a lone surrogate (\ud800), which is not",
        ),
        (
            "t.csv",
            b'[{"hyp": "' + b"a" * 999,
            't.csv has no column hyp; it has [{"hyp": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...; name',
        ),
        (
            "t.csv",
            b"a," * 99 + b"b\n",
            "t.csv has no column hyp; it has a, a, a, a, a, a, a, a, a, ...; name the columns",
        ),
        ("t.csv", b"%PDF-1.7\n" + bytes(9), "t.csv is a PDF; save its text as plain text"),
        ("t.csv", b"PK\x03\x04" + bytes(200), "t.csv is a ZIP archive, as .xlsx is; give the file the ending of its"),
        ("t.csv", b"ARROW1" + bytes(200), "t.csv is Arrow IPC; give the file the ending of its format"),
        ("t.csv", b"hyp,ref\na,b\n\nc,d\n", "t.csv, row 3 has 0 cells, but the first row has 2; give each row a cell"),
        ("t.csv", b"hyp,ref\na\n", "t.csv, row 2 has 1 cell, but the first row has 2; give each row a cell for each"),
        ("t.csv", b'hyp,ref\n"a,b\n', 't.csv, line 2: not valid CSV (unexpected end of data); put "" for each'),
        ("t.xlsx", b"no ZIP archive", "t.xlsx is not a complete XLSX file with a sheet of cells; save"),
        *(
            (
                name,
                data,
                f"{name} is not a table; expected a file whose name ends in .parquet, .arrow, .csv, .tsv, .tab,",
            )
            for name, data in (
                ("t.jsonl", b'{"hyp": "a", "ref": "a"}\n'),
                ("t.txt", b"hyp,ref\na,b\n"),
                ("t.docx", b"PK\x03\x04" + bytes(200)),
                ("t.pdf", b"%PDF-1.7\n" * 9),
            )
        ),
    ],
)
def test_files_that_are_not_tables_say_what_to_do(run, write, name, data, message):
    pytest.importorskip("openpyxl")
    write(name, data)
    refused(run("--table", name), message)
