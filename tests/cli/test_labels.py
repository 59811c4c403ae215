"""Labels of segments: parts, documents and groups of texts, as a file of labels, JSON Lines or a test set name them."""

from __future__ import annotations

import csv
import io
import json
import random
import subprocess

import pytest
from conftest import COMMAND, needs_pipes, process_environment, refused
from sacrebleu.metrics import BLEU, CHRF, TER

from bleucli import evaluate_systems

WORDS = ["the", "cat", "sat", "on", "a", "mat", "and", "dog", "ran", "through", "hall", "with", "big", "red", "hat"]
COUNT = 24
RANDOM = random.Random(7)
REFERENCES = [" ".join(RANDOM.choices(WORDS, k=RANDOM.randrange(5, 12))) for _ in range(COUNT)]
SYSTEMS = {
    name: [" ".join(w if RANDOM.random() > rate else RANDOM.choice(WORDS) for w in text.split()) for text in REFERENCES]
    for name, rate in (("a", 0.3), ("b", 0.4))
}
LABELS = {
    "doc": [f"d{n // 3}" for n in range(COUNT)],
    "domain": ["news" if n // 3 % 2 else "talk" for n in range(COUNT)],
    "origlang": ["en" if n // 6 % 2 else "de" for n in range(COUNT)],
    "country": ["US" if n % 3 else "UK" for n in range(COUNT)],
}
HEADER = "\t".join(LABELS) + "\n"
ROWS = ["\t".join(row) + "\n" for row in zip(*LABELS.values(), strict=True)]


@pytest.fixture
def labelled(write):
    """Write texts and their labels, as text, and as JSON Lines in the same order and in another."""

    def lines(texts):
        return "".join(f"{text}\n" for text in texts)

    write("labels.tsv", HEADER + "".join(ROWS))
    write("bare.tsv", "".join(ROWS))
    write("ref.txt", lines(REFERENCES))
    order = RANDOM.sample(range(COUNT), COUNT)
    for name, texts in {"ref": REFERENCES, **SYSTEMS}.items():
        write(f"{name}.txt", lines(texts))
        rows = [
            {"id": n, "doc_id": LABELS["doc"][n], "domain": LABELS["domain"][n], "text": text}
            for n, text in enumerate(texts)
        ]
        field = "reference" if name == "ref" else "hypothesis"
        rows = [{field: row.pop("text"), **row} for row in rows]
        write(f"{name}.jsonl", lines(map(json.dumps, rows)))
        write(f"{name}-bare.jsonl", lines(json.dumps({field: row[field]}) for row in rows))
        write(f"{name}-shuffled.jsonl", lines(json.dumps(rows[n]) for n in order))


def rows_of(answer):
    """Return the rows of an answer in CSV."""
    assert answer.status == 0, answer.err
    return list(csv.DictReader(io.StringIO(answer.out)))


def of_label(name, value, texts):
    """Return the texts whose segments have a label."""
    return [text for text, label in zip(texts, LABELS[name], strict=True) if label == value]


def documents_of(texts):
    """Return texts joined by document."""
    names = list(dict.fromkeys(LABELS["doc"]))
    return [" ".join(of_label("doc", name, texts)) for name in names]


@pytest.fixture
def part(write):
    """Write the texts of the segments that have a label, and return the words that score them."""

    def write_part(name, value):
        for file, texts in {"ref": REFERENCES, **SYSTEMS}.items():
            write(f"part/{file}.txt", "".join(f"{text}\n" for text in of_label(name, value, texts)))
        return ("part/ref.txt", "-i", "part/a.txt", "part/b.txt")

    return write_part


WAYS = {
    "a header": ("ref.txt", "-i", "a.txt", "b.txt", "--labels", "labels.tsv"),
    "named columns": (
        *("ref.txt", "-i", "a.txt", "b.txt", "--labels", "bare.tsv"),
        *("--label-names", "doc,domain,origlang,country"),
    ),
    "JSON Lines": ("ref.jsonl", "-i", "a.jsonl", "b.jsonl"),
    "references in JSON Lines": ("ref.jsonl", "-i", "a.txt", "b.txt"),
    "a system in JSON Lines": ("ref.txt", "-i", "a.jsonl", "b.txt"),
    "another order": ("ref.jsonl", "-i", "a-shuffled.jsonl", "b-shuffled.jsonl"),
    "JSON Lines and labels": ("ref-bare.jsonl", "-i", "a-bare.jsonl", "b-bare.jsonl", "--labels", "labels.tsv"),
}


@pytest.mark.parametrize("words", WAYS.values(), ids=WAYS.keys())
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_groups_have_the_scores_of_their_segments_alone(run, labelled, folder, part, words, jobs):
    (folder / "part").mkdir()
    options = ("-m", "bleu", "chrf", "ter", "-w", "9", "-q", "-f", "csv")
    rows = rows_of(run(*words, "--by", "domain", "-J", jobs, *options))
    assert [row["domain"] for row in rows] == ["talk", "talk", "news", "news"]
    for domain in ("talk", "news"):
        alone = rows_of(run(*part("domain", domain), *options))
        ours = [row for row in rows if row["domain"] == domain]
        for row, expected in zip(ours, alone, strict=True):
            assert {key: row[key] for key in ("BLEU", "chrF2", "TER")} == {
                key: expected[key] for key in ("BLEU", "chrF2", "TER")
            }
            assert row["segments"] == str(COUNT // 2)
            assert row["BLEU signature"] == expected["BLEU signature"].replace("nrefs:1", f"nrefs:1|domain:{domain}")


def test_groups_are_in_every_format(run, labelled):
    words = ("ref.txt", "-i", "a.txt", "--labels", "labels.tsv", "--by", "domain", "-q")
    scores = [row["BLEU"] for row in rows_of(run(*words, "-f", "csv"))]
    lines = [json.loads(line) for line in run(*words, "-f", "jsonl").out.splitlines()]
    assert [f"{line['score']:.1f}" for line in lines] == scores
    text = run(*words, "-f", "text").out
    for domain, score in zip(("talk", "news"), scores, strict=True):
        line = next(line for line in text.splitlines() if f"domain={domain} " in line)
        assert score in line


# What a test of groups prints, in all formats that show groups
FORMATS_OF_GROUPS = ["text", "json", "jsonl", "csv", "tsv", "latex", "markdown", "html", "rst", "card", "junit"]
TESTS_OF_GROUPS = {
    "randomization": ("--paired-ar", "--paired-ar-n", "400"),
    "the bootstrap": ("--paired-bs", "--paired-bs-n", "400"),
    "all pairs": ("--paired-ar", "--paired-ar-n", "400", "--paired-all"),
    "documents": ("--paired-ar", "--paired-ar-n", "400", "--unit", "doc"),
}


@pytest.mark.parametrize("test", TESTS_OF_GROUPS.values(), ids=TESTS_OF_GROUPS.keys())
@pytest.mark.parametrize("words", [WAYS["a header"], WAYS["another order"]], ids=" ".join)
def test_each_group_is_tested_by_itself(run, labelled, words, test):
    options = ("-m", "bleu", "ter", "-w", "9", "-q", "-f", "csv", "--difference", *test)
    rows = rows_of(run(*words, "--by", "domain", *options))
    assert [row["domain"] for row in rows] == ["talk", "talk", "news", "news"]
    baselines = [] if "--paired-all" in test else ["true", "false"] * 2
    assert [row["baseline"] for row in rows if "baseline" in row] == baselines
    for domain in ("talk", "news"):
        labels = ("--labels", "labels.tsv") if "--labels" not in words else ()
        alone = rows_of(run("ref.txt", "-i", "a.txt", "b.txt", *labels, *words[4:], "--subset", domain, *options))
        ours = [row for row in rows if row["domain"] == domain]
        for row, expected in zip(ours, alone, strict=True):
            named = ("system", "signature", " p vs ")  # what systems are called differs
            columns = [column for column in expected if not any(name in column for name in named)]
            assert {column: row[column] for column in columns} == {column: expected[column] for column in columns}
            p_values, expected_values = (
                [value for column, value in one.items() if " p vs " in column] for one in (row, expected)
            )
            assert p_values == expected_values
            assert len(p_values) == (4 if "--paired-all" in test else 0)


@pytest.mark.parametrize("form", FORMATS_OF_GROUPS)
def test_tested_groups_are_in_every_format(run, labelled, form):
    words = (*WAYS["a header"], "--by", "domain", "--paired-ar", "--paired-ar-n", "400", "-q")
    rows = rows_of(run(*words, "-f", "csv"))
    answer = run(*words, "-f", form)
    assert answer.status == 0
    if form == "jsonl":
        lines = [json.loads(line) for line in answer.out.splitlines()]
        assert [line["test"]["baseline"] for line in lines] == ["a domain=talk"] * 2 + ["a domain=news"] * 2
        assert [str(line["p_value"] or "") for line in lines] == [row["BLEU p_value"] for row in rows]
        assert [line["segments"] for line in lines] == [COUNT // 2] * 4
    elif form == "json":
        items = json.loads(answer.out)
        names = ["Baseline: a.txt domain=talk", "b.txt domain=talk", "Baseline: a.txt domain=news", "b.txt domain=news"]
        assert [item["system"] for item in items] == names
    elif form == "card":
        cards = json.loads(answer.out)
        assert [str(card["bleu_p_value"] or "") for card in cards.values()] == [row["BLEU p_value"] for row in rows]
        assert [card["items"] for card in cards.values()] == [COUNT // 2] * 4
    elif form in ("text", "latex", "markdown", "html", "rst"):
        tables = answer.out.split("domain=")[1:3]
        assert [table[:4] for table in tables] == ["talk", "news"]
        for table, pair in zip(tables, (rows[:2], rows[2:]), strict=True):
            shown = float(table.split("(p = ")[1].split(")")[0])
            # These print sacreBLEU's p-values, which leave out ties
            assert shown == pytest.approx(float(pair[1]["BLEU p_value"]), abs=0.006)
            assert all(row["BLEU"] in table for row in pair)


def test_a_gate_compares_with_the_baseline_of_the_group(run, labelled):
    words = (*WAYS["a header"], "--by", "domain", "--paired-ar", "--paired-ar-n", "400", "-q")
    rows = rows_of(run(*words, "-f", "csv", "-w", "9"))
    verdicts = run(*words, "-f", "junit", "--max-drop", "0.1").out
    for first, second in (rows[:2], rows[2:]):
        assert f'classname="a.txt domain={first["domain"]}"' not in verdicts  # nothing judges a baseline
        drop = float(first["BLEU"]) - float(second["BLEU"])
        fails = drop > 0.1 and float(second["BLEU p_value"]) <= 0.05
        assert (f"b.txt domain={first['domain']}: BLEU" in verdicts) == fails


def test_groups_with_other_systems_are_not_tested(run, labelled, write):
    pytest.importorskip("pyarrow")
    write("others.tsv", HEADER + "".join(row.replace("talk", "chat") for row in ROWS))
    for name, labels in (("a", "labels.tsv"), ("b", "others.tsv")):
        words = ("ref.txt", "-i", f"{name}.txt", "--labels", labels)
        assert run("count", *words, "-o", f"{name}.parquet", "-q").status == 0
    refused(
        run("--stats", "a.parquet", "b.parquet", "--by", "domain", "--paired-ar"),
        "the system b.txt, but a test needs the same systems in every group",
    )


PARTS = [
    (("--subset", "news"), "subset:news", lambda n: LABELS["domain"][n] == "news"),
    (("--subset", "country:US"), "subset:country:US", lambda n: LABELS["country"][n] == "US"),
    (("--origlang", "en"), "origlang:en", lambda n: LABELS["origlang"][n] == "en"),
    (("--origlang", "non-en"), "origlang:non-en", lambda n: LABELS["origlang"][n] != "en"),
    (
        ("--origlang", "de", "--subset", "talk"),
        "origlang:de|subset:talk",
        lambda n: LABELS["origlang"][n] == "de" and LABELS["domain"][n] == "talk",
    ),
]


@pytest.mark.parametrize(("options", "signature", "belongs"), PARTS, ids=[" ".join(part[0]) for part in PARTS])
def test_a_part_is_scored_and_signed(run, labelled, options, signature, belongs):
    words = ("ref.txt", "-i", "a.txt", "--labels", "labels.tsv", *options, "-w", "9", "-q")
    (row,) = rows_of(run(*words, "-f", "csv"))
    chosen = [n for n in range(COUNT) if belongs(n)]
    hypotheses, references = ([texts[n] for n in chosen] for texts in (SYSTEMS["a"], REFERENCES))
    assert float(row["BLEU"]) == pytest.approx(BLEU().corpus_score(hypotheses, [references]).score, abs=1e-9)
    assert row["BLEU signature"].startswith(f"nrefs:1|{signature}|case:mixed")
    scores = run(*words, "-sl", "-b").out.split()
    expected = BLEU(effective_order=True)
    assert [float(score) for score in scores] == pytest.approx(
        [expected.sentence_score(text, [REFERENCES[n]]).score for n, text in zip(chosen, hypotheses, strict=True)],
        abs=1e-9,
    )


def test_detail_gives_each_part(run, labelled):
    answer = run("ref.txt", "-i", "a.txt", "--labels", "labels.tsv", "--detail", "-f", "text", "-q", "-w", "4")
    lines = answer.out.splitlines()[1:]
    assert len(lines) == 10
    for line in lines:
        words, score = line.rsplit("BLEU = ", 1)
        marks = dict(word.split("=") for word in words.split() if word != ":")
        chosen = [
            n
            for n in range(COUNT)
            if LABELS["origlang"][n] == marks["origlang"]
            and all(marks.get(name, "ALL") in ("ALL", LABELS[name][n]) for name in ("domain", "country"))
        ]
        assert int(marks["sentences"]) == len(chosen)
        hypotheses, references = ([texts[n] for n in chosen] for texts in (SYSTEMS["a"], REFERENCES))
        assert float(score) == pytest.approx(BLEU().corpus_score(hypotheses, [references]).score, abs=1e-4)


@pytest.mark.parametrize("words", [WAYS["a header"], WAYS["JSON Lines"], WAYS["another order"]], ids=" ".join)
def test_documents_are_scored_as_joined_strings(run, labelled, words):
    references = documents_of(REFERENCES)
    metrics = {"BLEU": BLEU(), "chrF2": CHRF(), "TER": TER()}
    rows = rows_of(run(*words, "--level", "doc", "-m", "bleu", "chrf", "ter", "-w", "12", "-q", "-f", "csv"))
    for row, texts in zip(rows, SYSTEMS.values(), strict=True):
        for name, metric in metrics.items():
            assert float(row[name]) == pytest.approx(metric.corpus_score(documents_of(texts), [references]).score)
            assert row[f"{name} signature"].startswith("nrefs:1|level:doc|case:")
    one = tuple(word for word in words if not word.startswith("b"))
    for flag, metric in (("bleu", BLEU(effective_order=True)), ("chrf", CHRF()), ("ter", TER())):
        answer = run(*one, "--level", "doc", "-m", flag, "-sl", "-b", "-w", "12", "-q")
        pairs = zip(documents_of(SYSTEMS["a"]), references, strict=True)
        expected = [metric.sentence_score(text, [reference]).score for text, reference in pairs]
        assert [float(score) for score in answer.out.split()] == pytest.approx(expected)


def test_statistics_of_documents_say_so(run, labelled):
    pytest.importorskip("pyarrow")
    words = ("ref.txt", "-i", "a.txt", "--labels", "labels.tsv")
    plain = run(*words, "--level", "doc", "-q", "-f", "csv").out
    for options in ((), ("--sums",)):
        assert run("count", *words, "--level", "doc", *options, "-o", "doc.parquet", "-q").status == 0
        assert run("--stats", "doc.parquet", "-q", "-f", "csv").out == plain
    assert run("count", *words, "-o", "segments.parquet", "-q").status == 0
    assert run("count", *words, "--level", "doc", "-o", "doc.parquet", "-q").status == 0
    refused(run("--stats", "doc.parquet", "segments.parquet"), "of whole documents")


@pytest.mark.parametrize("words", [WAYS["a header"], WAYS["JSON Lines"], WAYS["another order"]], ids=" ".join)
@pytest.mark.parametrize(("option", "test"), [("--paired-ar", "ar"), ("--paired-bs", "bs")])
def test_documents_are_resampled_as_in_python(run, labelled, words, option, test):
    trials = (f"{option}-n", "200")
    rows = rows_of(run(*words, "--unit", "doc", option, *trials, "-w", "12", "-q", "-f", "csv"))
    results = evaluate_systems(
        SYSTEMS, [REFERENCES], test=test, trials=200, seed=12345, labels={"doc": LABELS["doc"]}, unit="doc"
    )
    assert float(rows[1]["BLEU p_value"]) == results.systems[1].scores[0].p_value
    assert "|unit:doc|" in rows[0]["BLEU signature"]


def test_a_test_says_what_documents_would_change(run, labelled):
    answer = run(*WAYS["a header"], "--paired-ar", "--paired-ar-n", "400")
    assert "by documents as by segments; to resample whole documents, add --unit doc" in answer.err
    answer = run(*WAYS["JSON Lines"], "--paired-ar", "--paired-ar-n", "400", "--jsonl-fields", "id=none")
    assert "--unit doc" not in answer.err


def test_a_field_doc_may_hold_the_whole_sample(run, write):
    for name, field, texts in (("ref", "reference", REFERENCES), *((n, "hypothesis", t) for n, t in SYSTEMS.items())):
        rows = ({"doc_id": n, "doc": {"question": "?"}, field: text} for n, text in enumerate(texts))
        write(f"{name}.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert run("ref.jsonl", "-i", "a.jsonl", "b.jsonl", "--paired-ar", "--paired-ar-n", "400", "-q").status == 0


def changed(row, column, value, rows=ROWS):
    """Return rows with another value in one place."""
    words = rows[row].rstrip("\n").split("\t")
    words[column] = value
    return [*rows[:row], "\t".join(words) + "\n", *rows[row + 1 :]]


@pytest.mark.parametrize(
    ("content", "options", "error"),
    [
        ("", ("--by", "domain"), "labels.tsv is empty"),
        (HEADER, ("--by", "domain"), "labels.tsv is empty"),
        ("".join(ROWS), ("--by", "domain"), "no label 'domain'; there are d0, talk, de, UK"),
        (HEADER + "".join(ROWS), ("--by", "domains"), "did you mean domain?"),
        (HEADER + "".join(ROWS[:-1]), ("--by", "domain"), "line 24 of labels.tsv is missing"),
        (HEADER + "".join([*ROWS, ROWS[0]]), ("--by", "domain"), "labels.tsv has 25 segments but a.txt has 24"),
        (
            HEADER + "".join([*ROWS[:3], "d\tx\n"]),
            ("--by", "domain"),
            "line 5: expected 4 tab-separated fields, found 2",
        ),
        (HEADER.replace("domain", "doc") + "".join(ROWS), ("--by", "doc"), "two columns 'doc' in its first line"),
        (HEADER.replace("domain", "") + "".join(ROWS), ("--by", "doc"), "a column without a name"),
        (HEADER.replace("domain", "system") + "".join(ROWS), ("--by", "system"), "a label cannot be called system"),
        (HEADER.replace("domain", "level") + "".join(ROWS), ("--by", "level"), "a column of that name; rename yours"),
        (
            HEADER + "".join(ROWS),
            ("--by", "domain", "--label-names", "doc,domain"),
            "has 4 columns, but --label-names has 2 names",
        ),
        (
            HEADER + "".join(ROWS),
            ("--by", "domain", "--label-names", "doc,domain,origlang,country"),
            "labels.tsv has the names of its columns in its first line; leave out --label-names",
        ),
        (HEADER + "".join(ROWS), (), "--labels has no effect"),
        (HEADER + "".join(ROWS), ("--unit", "doc"), "--unit has no effect: nothing is resampled"),
        (HEADER + "".join(ROWS), ("--subset", "sport"), "labels.tsv has no segment of subset 'sport'"),
        (HEADER + "".join(ROWS), ("--level", "doc", "--subset", "sport"), "has no segment of subset 'sport'; it has"),
        (HEADER + "".join(ROWS), ("--level", "doc", "--origlang", "fr"), "the original languages de, en"),
        (
            (HEADER + "".join(ROWS)).replace("origlang", "language"),
            ("--level", "doc", "--origlang", "en"),
            "labels.tsv does not say which language its segments were first written in",
        ),
        (HEADER + "".join(changed(4, 0, "")), ("--level", "doc"), "segment 5 has no document"),
        (HEADER + "".join(changed(4, 0, "")), ("--unit", "doc", "--confidence"), "segment 5 has no document"),
        (HEADER + "".join(changed(9, 0, "d0")), ("--level", "doc"), "document d0 goes on at segment 10"),
        ("topic\n" + "x\n" * COUNT, ("--level", "doc"), "no label 'doc'; there are topic"),
        ("topic\n" + "x\n" * COUNT, ("--unit", "doc", "--confidence"), "which document a segment belongs to"),
    ],
)
def test_wrong_labels_are_refused(run, write, labelled, content, options, error):
    write("labels.tsv", content)
    refused(run("ref.txt", "-i", "a.txt", "--labels", "labels.tsv", *options), error)


@pytest.mark.parametrize("change", [b"\r\n", b"bom", b"gz"])
def test_labels_may_be_written_in_many_ways(run, write, labelled, change):
    import gzip

    data = (HEADER + "".join(ROWS)).encode()
    ways = {b"\r\n": data.replace(b"\n", b"\r\n"), b"bom": b"\xef\xbb\xbf" + data, b"gz": gzip.compress(data)}
    write("other.tsv.gz", ways[change]) if change == b"gz" else write("other.tsv.gz", gzip.compress(ways[change]))
    words = ("ref.txt", "-i", "a.txt", "--by", "domain", "-q", "-f", "csv", "--labels")
    assert run(*words, "other.tsv.gz") == run(*words, "labels.tsv")


def test_files_with_different_labels_are_refused(run, write, labelled, folder):
    words = ("ref.jsonl", "-i", "a.jsonl", "--by", "domain")
    write("a.jsonl", (folder / "a.jsonl").read_text().replace('"talk"', '"sport"', 1))
    refused(run(*words), "segment 1 has the domain 'sport' in a.jsonl, but 'talk' in ref.jsonl")
    refused(
        run("ref-shuffled.jsonl", "-i", "b.jsonl", "--by", "domain", "--labels", "labels.tsv"),
        "in b.jsonl, but",
        "in the order of the references",
    )


def test_a_label_that_no_item_has_is_refused(run, labelled):
    refused(run("ref-bare.jsonl", "-i", "a-bare.jsonl", "--by", "domain"), "no segment has a label 'domain'")
    refused(run("ref.txt", "-i", "a.txt", "--by", "domain"), "segments have no label 'domain'; there are none")


def test_a_segment_without_a_label_is_in_a_group_of_its_own(run, write, labelled):
    write("labels.tsv", HEADER + "".join(changed(0, 1, "")))
    rows = rows_of(run("ref.txt", "-i", "a.txt", "--labels", "labels.tsv", "--by", "domain", "-q", "-f", "csv"))
    assert [(row["domain"], row["segments"]) for row in rows] == [("", "1"), ("talk", "11"), ("news", "12")]


def test_json_lines_leave_a_test_set_its_own_labels(run, write, demo_files, folder):
    texts = (folder / "strong.de.txt").read_text().splitlines()
    write("strong.jsonl", "".join(json.dumps({"hypothesis": text}) + "\n" for text in texts))
    words = ("-t", "demo", "-l", "en-de", "--by", "langpair", "-q", "-f", "csv", "--names", "x", "-i")
    rows = rows_of(run(*words, "strong.jsonl"))
    assert [row["langpair"] for row in rows] == ["en-de"]
    assert rows == rows_of(run(*words, "strong.de.txt"))


@needs_pipes
def test_labels_of_a_pipe_are_read_once(labelled, folder):
    data = (folder / "labels.tsv").read_bytes()
    words = [*COMMAND, "ref.txt", "-i", "a.txt", "--labels", "/dev/stdin", "-q"]
    environment = process_environment({})
    grouped = subprocess.run([*words, "--by", "domain"], input=data, capture_output=True, env=environment, check=True)
    assert b"domain:news" in grouped.stdout
    part = subprocess.run([*words, "--subset", "news"], input=data, capture_output=True, env=environment, check=True)
    file = [*COMMAND, "ref.txt", "-i", "a.txt", "--labels", "labels.tsv", "-q", "--subset", "news"]
    assert part.stdout == subprocess.run(file, capture_output=True, env=environment, check=True).stdout


def test_labels_do_not_come_from_standard_input(run, labelled):
    refused(run("ref.txt", "-i", "a.txt", "--by", "domain", "--labels", "-"), "--labels cannot read standard input")


LINES = ("ref.jsonl", "-i", "a.jsonl")
SHUFFLED = ("ref.jsonl", "-i", "a-shuffled.jsonl")


@pytest.mark.parametrize("words", [LINES, SHUFFLED, ("ref.jsonl", "-i", "a.txt")], ids=" ".join)
@pytest.mark.parametrize(("options", "signature", "belongs"), PARTS[:1], ids=["--subset news"])
def test_fields_of_json_lines_name_parts(run, labelled, words, options, signature, belongs):
    expected = ("ref.txt", "-i", "a.txt", "--labels", "labels.tsv")
    for more in (("-f", "csv", "--names", "x"), ("-sl", "-b"), ("--by", "doc", "-f", "csv", "--names", "x")):
        assert run(*words, *options, "-w", "9", "-q", *more) == run(*expected, *options, "-w", "9", "-q", *more)
    tests = ("--paired-ar", "--paired-ar-n", "300", "--unit", "doc", "-f", "csv", "-q", "--names", "x,y")
    both = (*expected[:3], "b.txt", *expected[3:])
    assert run(*words, "b.jsonl", *options, *tests) == run(*both, *options, *tests)


def test_detail_of_json_lines_is_that_of_labels(run, labelled):
    words = ("--detail", "-f", "text", "-q", "-w", "4")
    answer = run(*SHUFFLED, *words)
    assert [line.partition(":")[0].split() for line in answer.out.splitlines()[1:]] == [
        ["origlang=", "domain=ALL"],
        ["origlang=", "domain=news"],
        ["origlang=", "domain=talk"],
    ]
    for line, name in zip(answer.out.splitlines()[2:], ("news", "talk"), strict=True):
        of_part = [of_label("domain", name, texts) for texts in (SYSTEMS["a"], REFERENCES)]
        score = BLEU().corpus_score(of_part[0], [of_part[1]]).score
        assert float(line.rsplit(" = ", 1)[1]) == pytest.approx(score, abs=1e-4)
    silent = run("ref-bare.jsonl", "-i", "a-bare.jsonl", "--detail")
    assert "--detail: ref-bare.jsonl, a-bare.jsonl does not say which language its segments" in silent.err
    error = "ref-bare.jsonl, a-bare.jsonl does not say which domain its segments belong to"
    refused(run("ref-bare.jsonl", "-i", "a-bare.jsonl", "--subset", "news"), error)


DOCUMENTS = [WAYS["a header"], WAYS["JSON Lines"], WAYS["another order"]]


@pytest.mark.parametrize("words", DOCUMENTS, ids=" ".join)
def test_documents_have_parts(run, labelled, words):
    def score(name):
        part = [documents_of_label(name, texts) for texts in (SYSTEMS["a"], REFERENCES)]
        return BLEU().corpus_score(part[0], [part[1]]).score

    words = (*words[:3], "--level", "doc", *words[4:], "-q", "-w", "9")
    for name in ("news", "talk"):
        (row,) = rows_of(run(*words, "--subset", name, "-f", "csv"))
        assert float(row["BLEU"]) == pytest.approx(score(name), abs=1e-9)
        assert row["BLEU signature"].startswith(f"nrefs:1|subset:{name}|level:doc|case")
        segments = run(*words, "--subset", name, "-sl", "-b", "-m", "chrf").out.split()
        assert len(segments) == len(documents_of_label(name, REFERENCES))
    lines = run(*words, "--detail", "-f", "text").out.splitlines()[1:]
    sizes = [int(line.partition("sentences=")[2].split()[0]) for line in lines if "domain=ALL" in line]
    assert sum(sizes) == len(documents_of(REFERENCES))


def documents_of_label(domain, texts):
    """Return the documents of a domain as texts."""
    names = dict.fromkeys(LABELS["doc"])
    domains = dict(zip(LABELS["doc"], LABELS["domain"], strict=True))
    return [" ".join(of_label("doc", name, texts)) for name in names if domains[name] == domain]


@pytest.mark.parametrize("words", DOCUMENTS, ids=" ".join)
def test_documents_are_grouped_and_tested(run, labelled, words):
    words = (*words, "--level", "doc", "--by", "domain", "--paired-ar", "--paired-ar-n", "300", "-q")
    rows = rows_of(run(*words, "-f", "csv", "-w", "9"))
    assert [(row["domain"], row["segments"]) for row in rows] == [
        (name, str(len(documents_of_label(name, REFERENCES)))) for name in ("talk", "talk", "news", "news")
    ]
    for row, (name, texts) in zip(rows, ((n, t) for n in ("talk", "news") for t in SYSTEMS.values()), strict=True):
        score = BLEU().corpus_score(documents_of_label(name, texts), [documents_of_label(name, REFERENCES)]).score
        assert float(row["BLEU"]) == pytest.approx(score, abs=1e-9)


@pytest.mark.parametrize("form", FORMATS_OF_GROUPS)
def test_each_document_is_in_every_format(run, labelled, form):
    words = ("ref.txt", "-i", "a.txt", "--labels", "labels.tsv", "--level", "doc", "-m", "chrf", "-q")
    scores = run(*words, "-sl", "-b", "-w", "9").out.split()
    rows = rows_of(run(*words, "--by", "doc", "-f", "csv", "-w", "9"))
    assert [row["chrF2"] for row in rows] == scores
    assert [row["doc"] for row in rows] == list(dict.fromkeys(LABELS["doc"]))
    answer = run(*words, "--by", "doc", "-f", form)
    assert answer.status == 0
    for row in rows:
        assert row["doc"] in answer.out
    of_segments = run(*words, "-sl", "-f", form)
    assert of_segments.status == 0
    if form not in ("text", "json", "jsonl"):  # these print a line for each
        assert of_segments.out == answer.out
        words = (*words[:-3], "-m", "bleu", "--scale", "100", "-w", "4", "-q")
        table = run(*words, "-sl", "-f", form).out
        scores = run(*words, "-sl", "-b").out.split()
        # JSON leaves out zeros at the end
        assert all((f'"bleu": {float(score)!r}' if form == "card" else score) in table for score in scores)
