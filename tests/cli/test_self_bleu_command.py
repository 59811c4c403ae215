"""`bleu diversity`: input, groups, formats, and what is refused."""

from __future__ import annotations

import csv
import io
import json

import oracles
import pytest
from conftest import Terminal, refused, warnings_in

from bleucli import __version__, self_bleu
from bleucli.output import json_text

TEXTS = ["the cat sat on the mat", "the cat sat on a mat", "a dog sat on the mat", "it rains on the cat"]
LABELS = ["p", "q", "p", "q"]
LINES = "".join(f"{text}\n" for text in TEXTS)
SIGNATURE = "nrefs:3|case:mixed|eff:no|tok:13a|smooth:exp|version:"


def json_lines(*items):
    return "".join(f"{json.dumps(item)}\n" for item in items)


@pytest.fixture
def measure(run, write):
    """Measure the texts, which are in a file; return the object of the answer."""
    write("out.txt", LINES)
    write("groups.txt", "".join(f"{label}\n" for label in LABELS))

    def measure(*words, **more):
        answer = run(
            "diversity", *([] if words[:1] == ("out.jsonl",) or more else ["out.txt"]), "-w", "12", *words, **more
        )
        assert (answer.status, answer.err) == (0, ""), answer.err
        return json.loads(answer.out)

    return measure


def close(found, expected):
    """Return whether an answer has the figures that Python gives."""
    shares = [found[f"distinct-{order}"] for order in range(1, 5)]
    return abs(found["score"] - expected.score) < 1e-11 and all(
        (one is None) == (other is None) and (one is None or abs(one - other) < 1e-13)
        for one, other in zip(shares, expected.distinct, strict=True)
    )


# --- what is measured


def test_texts_come_from_a_file_or_standard_input(measure):
    found = measure()
    assert close(found, self_bleu(TEXTS))
    assert found["signature"].startswith(SIGNATURE)
    assert measure(stdin=LINES.encode()) == found


def test_each_score_is_that_of_sacrebleu_against_all_others(measure):
    oracle = oracles.BLEU()
    scores = [oracle.corpus_score([one], [[other] for other in TEXTS if other != one]).score for one in TEXTS]
    assert abs(measure()["score"] - sum(scores) / 4) < 1e-11


def test_groups_are_labels_one_per_line(measure):
    found = measure("--groups", "groups.txt")
    assert close(found, self_bleu(TEXTS, groups=LABELS))
    assert "groups = 2" in found["verbose_score"]
    assert found["nrefs"] == "1"


@pytest.mark.parametrize("labels", [LABELS, [7, 8, 7, 8]])
def test_groups_are_a_field_of_json_lines(measure, write, labels):
    items = [{"out": {"text": text}, "doc": {"id": label}} for text, label in zip(TEXTS, labels, strict=True)]
    write("out.jsonl", json_lines(*items))
    found = measure("out.jsonl", "--jsonl-fields", "hyp=out.text,group=doc.id")
    assert found == measure("--groups", "groups.txt")


def test_a_list_of_texts_is_one_group(measure, write):
    write("out.jsonl", json_lines({"output": TEXTS[:2]}, {"output": TEXTS[2:]}))
    found = measure("out.jsonl")
    assert close(found, self_bleu([TEXTS[:2], TEXTS[2:]]))
    assert "groups = 2" in found["verbose_score"]


def test_lists_of_one_label_are_one_group(measure, write):
    items = [{"id": "p", "output": TEXTS[:1]}, {"id": "p", "output": TEXTS[1:3]}, {"id": "p", "output": []}]
    write("out.jsonl", json_lines(*items, {"id": "p", "output": TEXTS[3]}))
    found = measure("out.jsonl", "--jsonl-fields", "group=id")
    assert close(found, self_bleu(TEXTS))


def test_a_group_without_texts_is_not_silently_dropped(run, write):
    items = [{"id": "p", "output": TEXTS[:2]}, {"id": "q", "output": []}, {"id": "r", "output": []}]
    write("out.jsonl", json_lines(*items))
    answer = run("diversity", "out.jsonl", "--jsonl-fields", "group=id")
    refused(answer, "out.jsonl, line 2: group q has no text; give at least two")


def test_labels_of_lines_are_those_of_their_lists(measure, write):
    write("out.jsonl", json_lines({"output": TEXTS[:2]}, {"output": TEXTS[2:]}))
    write("one.txt", "p\np\n")
    assert close(measure("out.jsonl", "--groups", "one.txt"), self_bleu(TEXTS))


def test_references_in_json_lines_are_left_alone(measure, write):
    write("out.jsonl", json_lines(*({"output": text, "references": 5} for text in TEXTS)))
    assert close(measure("out.jsonl"), self_bleu(TEXTS))


def test_several_hypotheses_of_one_file_are_several_systems(measure, write):
    items = [{"a": text, "b": [text.upper(), "the cat"]} for text in TEXTS]
    write("out.jsonl", json_lines(*items))
    first, second = measure("out.jsonl", "--jsonl-fields", "hyp=a,b", "-q")
    assert (first["system"], second["system"]) == ("a", "b")
    assert close(first["Self-BLEU"], self_bleu(TEXTS))
    assert close(second["Self-BLEU"], self_bleu([item["b"] for item in items]))


def test_columns_of_standard_input_are_systems(measure):
    first, second = measure(stdin="".join(f"{text}\t{text[::-1]}\n" for text in TEXTS).encode())
    assert close(first["Self-BLEU"], self_bleu(TEXTS))
    assert close(second["Self-BLEU"], self_bleu([text[::-1] for text in TEXTS]))


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (("-lc", "-tok", "char"), {"lowercase": True, "tokenize": "char"}),
        (("-l", "en-zh"), {"trg_lang": "zh"}),
        (("-s", "floor", "-sv", "0.3", "--max-ngram-order", "2"), {"smooth_method": "floor", "smooth_value": 0.3}),
        (("-s", "chen-cherry-4"), {"smooth_method": "chen-cherry-4"}),
        (("--like", "Self-BLEU|nrefs:3|case:lc|eff:yes|tok:intl"), {"tokenize": "intl", "effective_order": True}),
    ],
)
def test_options_are_those_of_bleu(measure, words, options):
    order = {"max_ngram_order": 2} if "--max-ngram-order" in words else {}
    case = {"lowercase": True} if "--like" in words else {}
    expected = self_bleu(TEXTS, **options, **order, **case)
    found = measure(*words)
    assert close(found, expected)
    assert found["signature"] == str(expected.signature)


def test_empty_texts_are_texts(measure, write):
    write("out.txt", "\n\na b\n")
    found = measure()
    assert close(found, self_bleu(["", "", "a b"]))
    assert found["distinct-3"] is None


# --- what is printed


def test_text_is_one_line_with_the_distinct_ngrams(run, write):
    write("out.txt", LINES)
    answer = run("diversity", "out.txt", "-f", "text")
    expected = self_bleu(TEXTS)
    assert answer.out == f"Self-BLEU|{expected.signature} = {expected.score:.1f} {expected.verbose}\n"
    assert run("diversity", "out.txt", "-b", "-w", "3").out == f"{expected.score:.3f}\n"


@pytest.mark.parametrize("form", ["text", "markdown", "html", "rst", "latex"])
def test_tables_have_one_row_per_system_with_its_distinct_ngrams(run, write, form):
    write("a.txt", LINES)
    write("b.txt", LINES.upper())
    answer = run("diversity", "a.txt", "b.txt", "-f", form, "-q")
    expected = self_bleu(TEXTS)
    assert answer.status == 0
    shares = [f"{share:.3f}" for share in expected.distinct]
    rows = [line for line in answer.out.splitlines() if all(share in line for share in shares)]
    assert len(rows) == 2
    assert all(f"{expected.score:.1f}" in row for row in rows)
    assert "dist-4" in answer.out
    assert SIGNATURE.partition("|")[0] in answer.out.replace("\\", "")


@pytest.mark.parametrize(
    ("groups", "others"),
    [("p\nq\np\nq\n", "1 other"), ("p\n" * 4, "3 others"), ("p\nq\nq\nq\np\n", "the others of its")],
)
def test_papers_say_what_texts_were_compared_with_and_what_to_cite(run, write, groups, others):
    write("out.txt", LINES + LINES[: LINES.index("\n") + 1] * (groups.count("\n") - 4))
    write("groups.txt", groups)
    words = ("diversity", "out.txt", "--groups", "groups.txt", "-q", "-f")
    told = (
        "We report Self-BLEU (Zhu et al., 2018) and distinct n-grams of orders 1 to 4 (Li et al., 2016), computed with"
        f" bleucli {__version__}, which follows sacreBLEU (Post, 2018). Each text is scored against {others}"
    )
    assert told in run(*words, "latex").out
    paper = run(*words, "paper").out
    assert told in paper.replace("\n", " ")
    assert f"- Compared: each text with {others}" in paper
    assert not any(word in paper for word in ("segments", "references", "Significance:"))
    assert "- Yaoming Zhu" in paper
    assert "- Jiwei Li" in paper


def test_files_of_different_sizes_are_described_by_a_range(run, write):
    write("a.txt", LINES)
    write("b.txt", LINES * 2)
    assert "Each text is scored against 3 to 7 others." in run("diversity", "a.txt", "b.txt", "-f", "latex").out


def test_systems_of_different_sizes_have_their_own_items_and_signatures(run, write):
    write("a.txt", LINES)
    write("b.txt", LINES * 2)
    words = ("diversity", "a.txt", "b.txt", "-q", "-f")
    cards = json.loads(run(*words, "card").out)
    assert [card["items"] for card in cards.values()] == [4, 8]
    paper = run(*words, "paper").out
    assert "  - Signature, a: `nrefs:3|" in paper
    assert "  - Signature, b: `nrefs:7|" in paper
    assert paper.count("  - Tokenizer: 13a") == 1


def test_columns_are_the_same_whatever_the_texts_are(run, write):
    write("empty.txt", "\n\n")
    header, row = run("diversity", "empty.txt", "-f", "csv").out.splitlines()
    assert header.split(",")[:7] == ["system", "segments", "Self-BLEU", *(f"distinct-{order}" for order in range(1, 5))]
    assert row.split(",")[:7] == ["empty", "2", "0.0", "", "", "", ""]


def test_a_card_has_the_distinct_ngrams(run, write):
    write("out.txt", LINES)
    card = json.loads(run("diversity", "out.txt", "-f", "card").out)
    expected = self_bleu(TEXTS)
    assert card["self-bleu"] == round(expected.score / 100, 3)
    assert [card[f"distinct-{order}"] for order in range(1, 5)] == [round(share, 3) for share in expected.distinct]
    assert card["items"] == len(TEXTS)


@pytest.mark.parametrize(("form", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_tables_for_programs_have_a_column_for_each_order(run, write, form, delimiter):
    write("a.txt", LINES)
    write("b.txt", "a\nb\n")
    answer = run("diversity", "a.txt", "b.txt", "-f", form, "-w", "2", "-q")
    first, second = csv.DictReader(io.StringIO(answer.out), delimiter=delimiter)
    expected = self_bleu(TEXTS)
    assert first["Self-BLEU"] == f"{expected.score:.2f}"
    assert first["distinct-4"] == f"{expected.distinct[3]:.4f}"
    assert (second["system"], second["distinct-1"], second["distinct-2"]) == ("b", "1.0000", "")


def test_a_table_fits_into_80_columns(run, write):
    write("old.txt", LINES)
    write("new.txt", LINES)
    table, _, rest = run("diversity", "old.txt", "new.txt", "-f", "text").out.partition("\n\n")
    assert max(map(len, table.splitlines())) <= 80
    assert rest.count("Self-BLEU ") == 1


def test_where_numbers_of_texts_differ_each_system_is_signed_and_a_warning_says_so(run, write):
    write("a.txt", LINES)
    write("b.txt", LINES * 2)
    answer = run("diversity", "a.txt", "b.txt", "-f", "markdown")
    assert "- Self-BLEU, a: `nrefs:3|" in answer.out
    assert "- Self-BLEU, b: `nrefs:7|" in answer.out
    (line,) = warnings_in(answer)
    assert line.endswith(
        "which differs between systems (nrefs:3 of a.txt, nrefs:7 of b.txt); compare the same number of texts"
    )


def test_lines_of_jsonl_are_valid_and_a_history_takes_them(run, write, folder):
    import jsonschema

    write("a.txt", LINES)
    write("b.txt", LINES * 2)
    write("groups.txt", "p\n" * 4)
    words = ("-f", "jsonl", "-q", "--append", "-o", "history.jsonl")
    assert run("diversity", "a.txt", "b.txt", *words).status == 0
    assert run("diversity", "a.txt", "--groups", "groups.txt", *words).status == 0
    with open("history.jsonl", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    for line in lines:
        jsonschema.validate(line, json_text.schema())
    first = lines[::5]
    assert [(line["system"], line["segments"], line["signature"]["nrefs"]) for line in first] == [
        ("a", 4, "3"),
        ("b", 8, "7"),
        ("a", 4, "3"),
    ]
    expected = self_bleu(TEXTS)
    assert [line["metric"] for line in lines[:5]] == ["Self-BLEU", *(f"distinct-{order}" for order in range(1, 5))]
    assert [line["score"] for line in lines[:5]] == [expected.score, *expected.distinct]
    assert {line["higher_is_better"] for line in lines} == {None}
    assert [[one["role"] for one in line["inputs"]] for line in first] == [["system"], ["system"], ["system", "groups"]]


@pytest.mark.parametrize("form", ["jsonl", "junit", "csv"])
def test_a_bare_score_is_the_same_whatever_the_environment_says(run, write, form):
    write("out.txt", LINES)
    words = ("diversity", "out.txt", "-b")
    assert run(*words, variables={"BLEU_FORMAT": form}) == run(*words)


def test_names_are_those_that_were_given(run, write):
    write("a.txt", LINES)
    write("b.txt", LINES)
    answer = run("diversity", "a.txt", "b.txt", "--names", "old,new", "-q")
    assert [system["system"] for system in json.loads(answer.out)] == ["old", "new"]


def test_texts_that_do_not_fit_the_tokenizer_get_a_warning(run, write):
    write("out.txt", "他喜欢看书。\n他喜欢电影。\n")
    (line,) = warnings_in(run("diversity", "out.txt"))
    assert "out.txt: most letters belong to a script that 13a does not split" in line
    assert run("diversity", "out.txt", "-l", "en-zh").err == ""


def test_texts_that_are_too_short_for_their_score_get_a_warning(run, write):
    write("out.txt", "Yes.\nYes.\n")
    (line,) = warnings_in(run("diversity", "out.txt"))
    assert line.endswith(
        "have fewer than 4 tokens, so their score is 0, as if they were different; choose a lower --max-ngram-order"
    )
    answer = run("diversity", "out.txt", "--max-ngram-order", "2", "-b")
    assert (answer.out, answer.err) == ("100.0\n", "")


# --- what is refused


@pytest.mark.parametrize(
    ("words", "error"),
    [
        *(
            (words, f"has no option {words[0]}; see bleu diversity --help all")
            for words in (
                *(("-i", "out.txt"), ("-t", "demo", "-l", "en-de"), ("--subset", "news"), ("-m", "ter"), ("-sl",)),
                *(("--paired-ar",), ("--confidence",), ("--fail-under", "5"), ("--bold-best",), ("--keep-going",)),
                *(("--skip-empty-refs",), ("--segment-scores",), ("--sort", "bleu"), ("--chrf-beta", "3")),
            )
        ),
        (("-f", "junit"), "--format 'junit'; choose from json, jsonl, text, latex, markdown, "),
        (("--names", "a"), "--names has no effect: a single score is printed without a name; leave it out"),
        (("--jsonl-fields", "group=id"), "--jsonl-fields has no effect: no file is JSON Lines"),
        (("--groups", "none.txt"), "cannot read none.txt: No such file or directory"),
        (("--groups", "few.txt"), "few.txt has 2 lines but out.txt has 4; give one label for each line"),
        (("--groups", "blank.txt"), "blank.txt, line 2 is blank; give one label per line"),
        (("--groups", "empty.txt"), "empty.txt is empty; give one label per line"),
        (("--groups", "lone.txt"), "out.txt, group q: 1 text; self-BLEU compares texts, so give at least two"),
        (
            ("--groups", "x.jsonl"),
            "--groups reads a text file with one label per line, but x.jsonl is JSON Lines; if the",
        ),
        (("--groups", ""), "--groups is empty; give it a value, or leave it out"),
        (("--groups", "few.txt", "-o", "few.txt"), "--output few.txt is also an input; name another file"),
        (("empty.txt",), "empty.txt: 0 texts; self-BLEU compares texts, so give at least two"),
        (("one.txt",), "one.txt: 1 text; self-BLEU compares texts, so give at least two"),
        (("--like", "BLEU|nrefs:1|case:mixed|tok:13a"), "--like asks for nrefs:1, but this run has nrefs:3"),
        (
            ("--like", "chrF2|nc:6"),
            "--like is a signature of chrF, but bleu diversity measures only self-BLEU; leave it out",
        ),
        (("--like", "nrefs:1|nc:6"), "--like is a signature of chrF, but bleu diversity measures only self-BLEU"),
    ],
)
def test_options_that_do_not_fit_are_refused(run, write, words, error):
    write("out.txt", LINES)
    for name, content in (("few", "p\np\n"), ("blank", "p\n \np\np\n"), ("lone", "p\np\np\nq\n"), ("empty", "")):
        write(f"{name}.txt", content)
    write("one.txt", "a b\n")
    given = [] if words[0][0] != "-" else ["out.txt"]
    refused(run("diversity", *given, *words), error)


@pytest.mark.parametrize(
    ("items", "fields", "error"),
    [
        ([{"output": ["a"]}], (), "line 1: 'output' holds 1 text; self-BLEU compares the texts of a list, so give at"),
        ([{"output": []}], (), "line 1: 'output' holds 0 texts; self-BLEU compares the texts of a list"),
        ([{"output": ["a", None]}], (), "line 1: 'output' holds null; expected strings"),
        ([{"output": [["a", "b"]]}], (), "expected strings; if the text is inside, name the path: --jsonl-fields hyp="),
        ([{"output": 5}], (), "line 1: 'output' is a number; expected a string or an array of strings"),
        ([{"output": {"text": "a"}}], (), "--jsonl-fields hyp=output.text"),
        (
            [{"output": ["a", "b"]}, {"output": "c"}],
            (),
            "line 2: 'output' is a string, but an array on earlier lines; use",
        ),
        (
            [{"output": "c"}, {"output": ["a", "b"]}],
            (),
            "line 2: 'output' is an array, but a string on earlier lines; use",
        ),
        ([{"output": "a"}], ("group=id",), "line 1: no group; expected 'id', found 'output'; name the field with"),
        ([{"output": "a", "id": None}], ("group=id",), "line 1: 'id' is null; expected a string or a whole number"),
        ([{"output": "a", "id": True}], ("group=id",), "line 1: 'id' is true or false; expected a string or a whole"),
        ([{"output": "a", "id": ""}], ("group=id",), "line 1: 'id' is empty; give each group a label"),
        ([{"output": "a", "id": 1}], ("refs=id",), "--jsonl-fields refs= has no effect: no references come from JSON"),
        ([{"output": ["a", "\ud800"]}], (), "line 1: the hypothesis holds a lone surrogate"),
        (
            [{"output": "a"}],
            ("group=id", "--groups", "g"),
            "--groups and --jsonl-fields group= both name groups; leave",
        ),
        ([{"output": "a", "id": 1}], ("group=id", "t"), "names groups in JSON Lines, but t is a text"),
    ],
)
def test_wrong_items_are_refused(run, write, items, fields, error):
    write("x.jsonl", json_lines(*items))
    write("t", "a\n")
    field, *more = fields or ("",)
    files = ["x.jsonl", *(word for word in more if word == "t")]
    options = ["--jsonl-fields", field, *(word for word in more if word != "t")] if field else []
    refused(run("diversity", *files, *options), error)


def test_options_of_self_bleu_are_refused_elsewhere(run, write):
    write("ref.txt", LINES)
    write("out.jsonl", json_lines(*({"output": text, "id": 1} for text in TEXTS)))
    refused(run("ref.txt", "-i", "ref.txt", "--groups", "g"), "has no option --groups")
    refused(run("-i", "ref.txt", "--self-bleu"), "--self-bleu has moved to a command; write bleu diversity TEXT")
    fields = ("--jsonl-fields", "group=id")
    refused(run("ref.txt", "-i", "out.jsonl", *fields), "group= is for bleu diversity; leave out group=")
    like = ("--like", "Self-BLEU|nrefs:3|case:mixed|tok:13a")
    refused(
        run("ref.txt", "-i", "ref.txt", *like), "--like is a signature of self-BLEU; write bleu diversity TEXT --like"
    )
    refused(run("diversity", "--list"), "has no option --list")
    refused(run("diversity", stdin=Terminal()), "cat system.txt | bleu diversity")
