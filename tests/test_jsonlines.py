"""JSON Lines: hypotheses, references or both from one object a segment, as the API scores the same texts."""

import gzip
import json
import warnings
from io import BytesIO
from itertools import zip_longest

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, texts

from bleucli.errors import BleuError
from bleucli.jsonlines import Fields, JsonLines, fields_named, is_jsonl
from bleucli.metrics.bleu import BLEU
from bleucli.textfiles import TextFile

SYSTEM = ["the cat sat on a mat", "hello there world", "so it goes, he said", "one more of them there"]
STREAMS = [
    ["the cat sat on the mat", "hello world", None, "one more of them here"],
    ["a cat sat on a mat", None, "so it goes, she said", "one more of those there"],
    [None, None, "it goes so", None],
]
ROWS = [list(row) for row in zip(*STREAMS, strict=True)]
HYPOTHESIS_FIELDS = ("candidate", "hypothesis", "prediction", "actual_output", "translation")
BLOCK = 1 << 18  # files are read in blocks of so many bytes


def jsonl(*objects):
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects)


def items(hypotheses=SYSTEM, rows=ROWS):
    return jsonl(*({"hypothesis": text, "references": row} for text, row in zip(hypotheses, rows, strict=True)))


def api_score(hypotheses=SYSTEM, streams=STREAMS):
    """Return what the API says of the same texts: score with ten decimals, signature."""
    metric = BLEU(force=True)
    score = metric.corpus_score(hypotheses, streams)
    return f"{score.score:.10f}\n", str(metric.get_signature())


def columns_of(data, **options):
    """Return the columns of every block of a file in memory, as lists."""
    file = TextFile("a file", stream=BytesIO(data if isinstance(data, bytes) else data.encode()))
    return [[list(column) for column in block] for block in JsonLines(file, **options).blocks()]


def rows_of(data):
    """Return hypothesis and references of every segment, without the missing ones behind the last."""
    rows = [list(row) for block in columns_of(data) for row in zip(*block, strict=True)]
    for row in rows:
        while row[-1] is None:
            row.pop()
    return rows


def error_of(data, **options):
    with pytest.raises(BleuError) as caught:
        columns_of(data, **options)
    return str(caught.value)


def score(run, *words, **options):
    answer = run(*words, "-b", "-w", "10", "-q", **options)
    assert answer.err == ""
    return answer.out


# --- names and fields


@pytest.mark.parametrize(
    "name", ["a.jsonl", "a.ndjson", "a.JSONL", "a.jsonl.gz", "a.ndjson.bz2", "a.jsonl.xz", "a.jsonl.zst"]
)
def test_names_of_json_lines_are_known(name):
    assert is_jsonl(name)


@pytest.mark.parametrize("name", ["a.json", "a.txt", "jsonl", "a.jsonl.txt", "a.gz", "-", "a.jsonl/b"])
def test_other_names_are_of_text(name):
    assert not is_jsonl(name)


@pytest.mark.parametrize("field", HYPOTHESIS_FIELDS)
def test_the_first_field_of_hypotheses_that_is_present_counts(field):
    later = HYPOTHESIS_FIELDS[HYPOTHESIS_FIELDS.index(field) :]
    found = columns_of(jsonl({name: name for name in reversed(later)}), references=False)
    assert found == [[[field]]]


@pytest.mark.parametrize("field", ["references", "reference", "expected_output"])
@pytest.mark.parametrize(
    ("value", "row"),
    [(["a", "b"], ["a", "b"]), (["a", None, "c"], ["a", None, "c"]), (["a"], ["a"]), (None, [None]), ([], [None])],
)
def test_references_may_be_an_array_or_null(field, value, row):
    assert columns_of(jsonl({field: value}), hypotheses=False) == [[[text] for text in row]]


@pytest.mark.parametrize("field", ["reference", "expected_output"])
def test_a_single_reference_may_be_a_string(field):
    assert columns_of(jsonl({field: "a"}), hypotheses=False) == [[["a"]]]


def test_the_first_field_of_references_that_is_present_counts():
    both = jsonl(
        {"expected_output": "c", "reference": "b", "references": ["a"]}, {"expected_output": "c", "reference": "b"}
    )
    assert columns_of(both, hypotheses=False) == [[["a", "b"]]]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("hyp=out,refs=gold", Fields(("out",), ("gold",))),
        ("refs=gold,hyp=out", Fields(("out",), ("gold",))),
        ("hyp=out", Fields(("out",))),
        ("refs=a=b", Fields(references=("a=b",))),
    ],
)
def test_fields_can_be_named(text, fields):
    assert fields_named(text) == fields


@pytest.mark.parametrize("text", ["", "hyp", "hyp=", "out", "ref=a", "hyp=a,hyp=b", "hyp=a,"])
def test_fields_named_in_another_form_are_refused(run, write, text):
    write("sys.jsonl", items())
    line = f"--jsonl-fields {text!r}; expected hyp=NAME,refs=NAME, or one of the two"
    assert run("-i", "sys.jsonl", "--jsonl-fields", text) == (2, "", f"bleu: error: {line}\n")


def test_named_fields_are_taken_and_no_others(run, write):
    objects = [
        {"out": text, "gold": row, "hypothesis": 1, "references": 2} for text, row in zip(SYSTEM, ROWS, strict=True)
    ]
    write("sys.jsonl", jsonl(*objects))
    assert score(run, "-i", "sys.jsonl", "--jsonl-fields", "hyp=out,refs=gold") == api_score()[0]


# --- the ways to give them


def test_hypotheses_and_references_come_from_one_file(run, write):
    write("sys.jsonl", items())
    assert score(run, "-i", "sys.jsonl") == api_score()[0]


def test_hypotheses_and_references_come_from_standard_input(run):
    for words in (("--jsonl",), ("--jsonl", "-i", "-")):
        assert score(run, *words, stdin=items().encode()) == api_score()[0]


def test_hypotheses_and_references_come_through_a_pipe(command, write):
    write("sys", items())
    answer = command("--jsonl", "-b", "-w", "10", "-q", shell='cat sys | "$@"')
    assert answer == (0, api_score()[0], "")


def test_compressed_json_lines_are_read(run, write):
    write("sys.jsonl.gz", gzip.compress(items().encode()))
    assert score(run, "-i", "sys.jsonl.gz") == api_score()[0]
    assert score(run, "--jsonl", stdin=gzip.compress(items().encode())) == api_score()[0]


def test_only_hypotheses_are_taken_where_references_are_given(run, write):
    write("sys.jsonl", jsonl(*({"hypothesis": text, "references": 5} for text in SYSTEM)))
    write("ref.txt", "".join(f"{text or ''}\n" for text in STREAMS[0]))
    expected = api_score(SYSTEM, [[text or "" for text in STREAMS[0]]])[0]
    assert score(run, "ref.txt", "-i", "sys.jsonl") == expected
    with open("sys.jsonl", "rb") as stream:
        assert score(run, "ref.txt", "--jsonl", stdin=stream) == expected


def test_only_references_are_taken_from_a_reference_file(run, write):
    write("refs.jsonl", jsonl(*({"hypothesis": 5, "references": row} for row in ROWS)))
    write("sys.txt", "".join(f"{text}\n" for text in SYSTEM))
    assert score(run, "refs.jsonl", "-i", "sys.txt") == api_score()[0]
    assert score(run, "refs.jsonl", "-i", "sys.txt", "-J", "2") == api_score()[0]
    with open("refs.jsonl", "rb") as stream:
        assert score(run, "-", "--jsonl", "-i", "sys.txt", stdin=stream) == api_score()[0]


def test_references_may_come_from_text_and_json_lines_together(run, write):
    write("refs.jsonl", jsonl(*({"references": row[1:]} for row in ROWS)))
    write("ref.txt", "".join(f"{text or ''}\n" for text in STREAMS[0]))
    write("sys.txt", "".join(f"{text}\n" for text in SYSTEM))
    for words in (("refs.jsonl", "ref.txt"), ("ref.txt", "refs.jsonl")):
        assert score(run, *words, "-i", "sys.txt", "--skip-empty-refs") == api_score()[0]


def test_several_systems_may_bring_the_same_references(run, write):
    worse = [text.replace("the", "a") for text in SYSTEM]
    write("a.jsonl", items())
    write(
        "b.jsonl",
        jsonl(*({"prediction": text, "references": [*row, None]} for text, row in zip(worse, ROWS, strict=True))),
    )
    write("c.jsonl", jsonl(*({"candidate": text} for text in worse)))
    write("d.txt", "".join(f"{text}\n" for text in worse))
    names = ["a.jsonl", "b.jsonl", "c.jsonl", "d.txt"]
    found = json.loads(run("-i", *names, "-f", "json", "-w", "10", "-q").out)
    assert [each["system"] for each in found] == names
    assert [f"{each['BLEU']['score']:.10f}\n" for each in found] == [api_score()[0], *[api_score(worse)[0]] * 3]


def test_references_come_from_the_first_json_lines_wherever_it_stands(run, write):
    write("a.txt", "".join(f"{text}\n" for text in SYSTEM))
    write("b.jsonl", items())
    found = json.loads(run("-i", "a.txt", "b.jsonl", "-f", "json", "-w", "10", "-q").out)
    assert [f"{each['BLEU']['score']:.10f}\n" for each in found] == [api_score()[0]] * 2


def test_what_is_reference_and_what_is_system_is_told(run, write):
    write("a.jsonl", items())
    write("b.jsonl", items())
    answer = run("-i", "a.jsonl", "b.jsonl", "-f", "json", terminal=True)
    assert "reference a.jsonl (references), 4 segments; systems a.jsonl, b.jsonl\n" in answer.err


def test_a_system_equal_to_the_references_beside_it_is_a_warning(run, write):
    write("a.jsonl", items(SYSTEM, [[text] for text in SYSTEM]))
    assert "a.jsonl is the same text as the reference a.jsonl (references)" in run("-i", "a.jsonl", "-b").err


# --- the same numbers as the API's


def test_references_of_varying_number_are_signed_so(run, write):
    write("sys.jsonl", items())
    found = json.loads(run("-i", "sys.jsonl", "-q").out)
    assert found["nrefs"] == "var"
    assert found["signature"] == api_score()[1]


def test_references_of_one_number_are_counted(run, write):
    write("sys.jsonl", items(SYSTEM, [["a", "b c"]] * 4))
    assert json.loads(run("-i", "sys.jsonl", "-q").out)["nrefs"] == "2"


@pytest.mark.parametrize("extra", [(), ("-J", "3")])
def test_each_segment_is_scored_against_its_own_references(run, write, extra):
    write("sys.jsonl", items())
    lines = run("-i", "sys.jsonl", "-sl", "-f", "json", "-w", "10", "-q", *extra).out.splitlines()
    metric = BLEU(effective_order=True)
    for line, text, row in zip(lines, SYSTEM, ROWS, strict=True):
        found = json.loads(line)
        present = [reference for reference in row if reference is not None]
        assert found["score"] == pytest.approx(metric.sentence_score(text, present).score, abs=1e-10)
        assert found["nrefs"] == str(len(present))


@pytest.mark.parametrize("extra", [(), ("-J", "2"), ("-J", "0")])
def test_a_file_of_many_blocks_is_scored_as_the_api_does(run, write, extra):
    count = 3 * BLOCK // 1000
    hypotheses = [f"{number} {SYSTEM[number % 4]} {'x' * 900}." for number in range(count)]
    rows = [[f"{number} {text}" for text in ROWS[number % 4] if text][: 1 + number % 2] for number in range(count)]
    rows[count // 2 :] = [row[:1] for row in rows[count // 2 :]]
    streams = [[row[0] for row in rows], [row[1] if len(row) > 1 else None for row in rows]]
    write("sys.jsonl", items(hypotheses, rows))
    assert score(run, "-i", "sys.jsonl", *extra) == api_score(hypotheses, streams)[0]
    write("other.jsonl", items(hypotheses[::-1], rows))
    answer = run("-i", "sys.jsonl", "other.jsonl", "-f", "json", "-q", *extra)
    assert len(json.loads(answer.out)) == 2
    write("shorter.jsonl", items(hypotheses[:-1], rows[:-1]))
    answer = run("-i", "sys.jsonl", "shorter.jsonl", "-f", "json", *extra)
    assert answer.err == (
        f"bleu: error: sys.jsonl has {count} segments but shorter.jsonl has {count - 1} segments: line {count} of"
        " shorter.jsonl is missing; give one line for each segment\n"
    )


@pytest.mark.parametrize("size", [1 << 10, pytest.param(1 << 16, marks=pytest.mark.slow)])
def test_few_rows_of_many_references_do_not_make_a_wide_table_of_all(size, monkeypatch):
    monkeypatch.setattr("bleucli.jsonlines._BLOCK_TEXTS", size)
    rows = [["a"], ["b"] * (size + 9), ["c"], ["d"], ["e"] * (size * 5 // 8), ["f"] * 2]
    blocks = columns_of(items(["h"] * 6, rows))
    assert sum(len(block) * len(block[0]) for block in blocks) < 3 * size
    found = [[text for text in row if text is not None] for block in blocks for row in zip(*block[1:], strict=True)]
    assert found == rows


@examples(60)
@given(
    segments=st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=5),
    ascii_only=st.booleans(),
    end=st.sampled_from(["\n", "\r\n", " \n"]),
    last=st.sampled_from(["", "\n", "\n\n \n"]),
)
def test_any_texts_are_scored_as_the_api_does(segments, ascii_only, end, last):
    objects = [{"id": 5, "hypothesis": hypothesis, "references": row} for hypothesis, row in segments]
    data = end.join(json.dumps(each, ensure_ascii=ascii_only) for each in objects) + last
    found = rows_of(data)
    assert found == [[text.rstrip() for text in (hypothesis, *row)] for hypothesis, row in segments]
    assert score_of(found) == score_of([hypothesis, *row] for hypothesis, row in segments)


def score_of(rows):
    hypotheses, *streams = zip_longest(*rows)
    with warnings.catch_warnings(action="ignore"):
        return BLEU().corpus_score(hypotheses, streams).score


# --- errors, each in one line

WRONG_LINES = {
    "cut": ('{"hypothesis": "a"', "invalid JSON (character 19: Expecting ',' delimiter); give one object a line"),
    "a word": ("nonsense", "invalid JSON (character 1: Expecting value); give one object a line"),
    "a word behind a space": (" nonsense", "invalid JSON (character 2: Expecting value); give one object a line"),
    "two objects": ("{} {}", "invalid JSON (character 4: more than one value); give one object a line"),
    "a raw tab": ('{"a\t": 1}', "invalid JSON (character 4: Invalid control character at); give one object a line"),
    "nested": ("[" * 100_000, "invalid JSON (nested too deeply); give one object a line"),
    "digits": ('{"a": ' + "9" * 5000 + "}", "invalid JSON (a number with too many digits); give one object a line"),
    "array": ("[]", "an array, not an object; give one object a line"),
    "string": ('"a"', "a string, not an object; give one object a line"),
    "null": ("null", "null, not an object; give one object a line"),
    "true": ("true", "a truth value, not an object; give one object a line"),
    "number": ("1.5", "a number, not an object; give one object a line"),
    "no field": (
        "{}",
        "no hypothesis; expected 'candidate' or 'hypothesis' or 'prediction' or 'actual_output' or 'translation', found"
        " no field; name the field with --jsonl-fields hyp=NAME",
    ),
    "no hypothesis": (
        '{"id": 1, "two\\nlines": 2, "\\ud800": 3}',
        "no hypothesis; expected 'candidate' or 'hypothesis' or 'prediction' or 'actual_output' or 'translation', found"
        r" 'id', 'two\nlines', '\ud800'; name the field with --jsonl-fields hyp=NAME",
    ),
    "no reference": (
        jsonl({"hypothesis": "a", **{str(number) * 50: 0 for number in range(10)}}).rstrip(),
        "no reference; expected 'references' or 'reference' or 'expected_output', found 'hypothesis', "
        + "".join(f"'{str(number) * 40}...', " for number in range(7))
        + "...; name the field with --jsonl-fields refs=NAME",
    ),
    "null hypothesis": ('{"hypothesis": null}', "'hypothesis' is null; expected a string"),
    "array of hypotheses": ('{"candidate": ["a"]}', "'candidate' is an array; expected a string"),
    "number as hypothesis": ('{"prediction": 3}', "'prediction' is a number; expected a string"),
    "string of references": (
        '{"hypothesis": "a", "references": "a"}',
        "'references' is a string; expected an array of strings",
    ),
    "object as reference": (
        '{"hypothesis": "a", "reference": {}}',
        "'reference' is an object; expected a string or an array of strings",
    ),
    "number among references": (
        '{"hypothesis": "a", "references": ["a", 1]}',
        "'references' holds a number; expected a string or null",
    ),
    "array among references": (
        '{"hypothesis": "a", "expected_output": [["a"]]}',
        "'expected_output' holds an array; expected a string or null",
    ),
    "lone surrogate": (
        '{"hypothesis": "a\\ud800", "references": []}',
        "the hypothesis holds a lone surrogate (\\ud800), which is not text; write both halves of the character",
    ),
    "lone surrogate in a reference": (
        '{"hypothesis": "a", "references": ["a", null, "\\udc80b"]}',
        "the reference holds a lone surrogate (\\udc80), which is not text; write both halves of the character",
    ),
}


@pytest.mark.parametrize(("line", "said"), WRONG_LINES.values(), ids=WRONG_LINES)
def test_a_wrong_line_is_named_with_its_number(run, write, line, said):
    write("sys.jsonl", items() + line + "\n" + items())
    assert run("-i", "sys.jsonl") == (2, "", f"bleu: error: sys.jsonl, line 5: {said}\n")
    answer = run("--jsonl", "-sl", stdin=(items() + line).encode())
    assert answer == (2, "", f"bleu: error: standard input, line 5: {said}\n")


@pytest.mark.parametrize(
    ("line", "said"),
    [pytest.param(*case, marks=[pytest.mark.slow] * (n % 4 > 0)) for n, case in enumerate(WRONG_LINES.values())],
    ids=WRONG_LINES,
)
def test_a_wrong_line_in_a_later_block_is_named_with_its_number(line, said):
    count = 2 * BLOCK // 100
    good = jsonl(*[{"hypothesis": "a" * 80, "reference": "b"}] * count)
    assert error_of(good + line) == f"a file, line {count + 1}: {said}"


@pytest.mark.parametrize("blank", ["\n", " \t\r\n", "\n\n"])
def test_a_blank_line_within_is_refused(blank):
    assert error_of(items() + blank + items()) == "a file, line 5 is blank; give one object a line"
    assert error_of(blank + items()) == "a file, line 1 is blank; give one object a line"


def test_a_blank_line_at_the_end_of_a_block_is_refused():
    line = jsonl({"hypothesis": "a", "reference": "b" * 1000})
    many = line * (BLOCK // len(line))
    padded = many[:-1] + " " * (BLOCK - len(many) - 1) + "\n\n"
    assert len(padded) == BLOCK
    assert "is blank; give one object a line" in error_of(padded + line)
    assert sum(len(block[0]) for block in columns_of(padded + "\n")) == BLOCK // len(line)


@pytest.mark.parametrize("last", ["\n", "\n\n", "\n \r\n\t", ""])
def test_blank_lines_at_the_end_are_left_out(last):
    assert rows_of(items().rstrip() + last) == rows_of(items())


@pytest.mark.parametrize("content", ["", "\n", "\n\n"])
def test_a_file_of_nothing_is_empty(run, write, content):
    write("sys.jsonl", content)
    line = "bleu: error: sys.jsonl is empty; expected one segment a line, at least one\n"
    assert run("-i", "sys.jsonl") == (2, "", line)


def test_a_byte_that_is_not_utf_8_is_named(run, write):
    write("sys.jsonl", b'{"hypothesis": "a", "reference": "b"}\n{"hypothesis": "\xff"}\n')
    line = "sys.jsonl, line 2, byte 54: 0xff is not valid utf-8; name the encoding with --encoding"
    assert run("-i", "sys.jsonl") == (2, "", f"bleu: error: {line}\n")


@pytest.mark.parametrize("references", [None, [], [None]])
def test_a_segment_whose_references_are_all_missing_is_named(run, write, references):
    write("sys.jsonl", items(SYSTEM, [*ROWS[:2], references, ROWS[3]]))
    line = "all references of segment 3 are missing; give at least one, or leave it out"
    assert run("-i", "sys.jsonl") == (2, "", f"bleu: error: {line}\n")


@pytest.mark.parametrize("changed", [["another"], ["the cat sat on the mat", "a cat sat on a mat", "and more"]])
def test_other_references_in_a_second_system_are_named(run, write, changed):
    write("a.jsonl", items())
    write("b.jsonl", items(SYSTEM, [ROWS[0], None, changed, ROWS[3]]))
    line = "b.jsonl, line 3: other references than in a.jsonl; give the same in every file, or in a.jsonl alone"
    assert run("-i", "a.jsonl", "b.jsonl") == (2, "", f"bleu: error: {line}\n")
    assert run("-i", "a.jsonl", "b.jsonl", "-J", "2") == (2, "", f"bleu: error: {line}\n")


WRONG_USE = {
    "text without references": (
        ("-i", "sys.txt"),
        "no references were given; name the reference file first: bleu ref.txt -i system.txt; see bleu --help",
    ),
    "--jsonl without standard input": (
        ("-i", "sys.jsonl", "--jsonl"),
        "--jsonl is about standard input, which is not read; name other files .jsonl or .ndjson",
    ),
    "fields of no JSON Lines": (
        ("sys.txt", "-i", "sys.txt", "--jsonl-fields", "hyp=a"),
        "--jsonl-fields, but no JSON Lines are read; name files .jsonl or .ndjson, or add --jsonl",
    ),
    "columns of JSON Lines": (
        ("sys.jsonl", "-nr", "2", "-i", "sys.txt"),
        "--num-refs splits a text file; sys.jsonl is JSON Lines",
    ),
    "several systems by segment": (
        ("-i", "sys.jsonl", "sys.txt", "-sl"),
        "--sentence-level takes one system and one metric",
    ),
}


@pytest.mark.parametrize(("words", "said"), WRONG_USE.values(), ids=WRONG_USE)
def test_wrong_use_is_refused(run, write, words, said):
    write("sys.jsonl", items())
    write("sys.txt", "".join(f"{text}\n" for text in SYSTEM))
    assert run(*words) == (2, "", f"bleu: error: {said}\n")


@pytest.mark.parametrize("mode", [(), ("-sl",)])
def test_json_lines_that_are_taken_for_text_are_told_of(mode, run, write):
    write("ref.txt", "a b c d e\n" * 2)
    write("sys.txt", '{"hypothesis": "a b c d e"}\n' * 2)
    said = "looks like JSON Lines, but was taken for plain text;"
    piped = run("ref.txt", *mode, stdin=b'{"hypothesis": "a b c d e"}\n' * 2)
    assert f"standard input {said} add --jsonl if it is\n" in piped.err
    named = run("ref.txt", "-i", "sys.txt", *mode)
    assert f"sys.txt {said} name it .jsonl if it is\n" in named.err
    assert piped.out == named.out == run("ref.txt", "-i", "sys.txt", "-q", *mode).out
    assert said not in run("ref.txt", *mode, stdin=b"{a b c d e}\n" * 2).err
    assert said not in run("ref.txt", "--jsonl", *mode, stdin=b'{"hypothesis": "a b c d e"}\n' * 2).err
