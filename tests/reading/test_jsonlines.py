"""JSON Lines: hypotheses, references or both, one object per segment, with the scores that the API gives."""

from __future__ import annotations

import gzip
import json
import warnings
from io import BytesIO
from itertools import zip_longest

import pytest
from conftest import refused
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, texts

from bleucli.errors import BleuError
from bleucli.metrics.bleu import BLEU
from bleucli.reading import TextFile
from bleucli.reading.jsonfields import Fields, fields_named
from bleucli.reading.jsonlines import JsonLines, is_jsonl

SYSTEM = ["the cat sat on a mat", "hello there world", "so it goes, he said", "one more of them there"]
STREAMS = [
    ["the cat sat on the mat", "hello world", None, "one more of them here"],
    ["a cat sat on a mat", None, "so it goes, she said", "one more of those there"],
    [None, None, "it goes so", None],
]
ROWS = [list(row) for row in zip(*STREAMS, strict=True)]
HYPOTHESIS_FIELDS = ("candidate", "hypothesis", "prediction", "actual_output", "translation", "hyp")
# How errors list them
USUAL = "'candidate', 'hypothesis', 'prediction', 'actual_output', 'translation' or 'hyp'"
BLOCK = 1 << 20  # the size of blocks in which files are read
LONG = "x" * 900  # makes texts long; references as well, or each text would be searched for what it repeats


def jsonl(*objects):
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects)


def items(hypotheses=SYSTEM, rows=ROWS):
    return jsonl(*({"hypothesis": text, "references": row} for text, row in zip(hypotheses, rows, strict=True)))


def api_score(hypotheses=SYSTEM, streams=STREAMS):
    """Return what the API answers for the same texts: the score with ten decimals, and the signature."""
    metric = BLEU(force=True)
    score = metric.corpus_score(hypotheses, streams)
    return f"{score.score:.10f}\n", str(metric.get_signature())


def columns_of(data, **options):
    """Return the columns of every block of a file in memory, as lists."""
    file = TextFile("a file", stream=BytesIO(data if isinstance(data, bytes) else data.encode()))
    return [[list(column) for column in block] for block in JsonLines(file, **options).blocks()]


def rows_of(data, **options):
    """Return hypothesis and references of every segment, without the missing ones after the last."""
    rows = [list(row) for block in columns_of(data, **options) for row in zip(*block, strict=True)]
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
    "name", ["a.jsonl", "a.ndjson", "a.JSONL", "a.jsonl.gz", "a.ndjson.bz2", "a.jsonl.xz", "a.jsonl.zst", "a.json"]
)
def test_names_of_json_lines_are_known(name):
    assert is_jsonl(name)


@pytest.mark.parametrize("name", ["json", "a.txt", "jsonl", "a.jsonl.txt", "a.gz", "-", "a.jsonl/b"])
def test_files_with_other_names_are_text(name):
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
        ("hyp=out,refs=gold", Fields((("", "out"),), "gold")),
        ("refs=gold,hyp=out", Fields((("", "out"),), "gold")),
        ("hyp=out", Fields((("", "out"),))),
        ("refs=a=b", Fields(references="a=b")),
        ("refs=dc:title", Fields(references="dc:title")),
        ("hyp=a:out", Fields((("a", "out"),))),
        ("hyp=a:out.0,b:out.1,refs=gold", Fields((("a", "out.0"), ("b", "out.1")), "gold")),
        ("refs=gold,hyp=out.0,out.1", Fields((("out.0", "out.0"), ("out.1", "out.1")), "gold")),
        ("hyp=a:x:y,b:x=y", Fields((("a", "x:y"), ("b", "x=y")))),
        (r"hyp=dc\:title,a\:b\,c:d\,e", Fields(((r"dc:title", r"dc\:title"), ("a:b,c", r"d\,e")))),
    ],
)
def test_fields_can_be_named(text, fields):
    assert fields_named(text) == fields


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hyp",
        "hyp=",
        "out",
        "ref=a",
        "hyp=a,hyp=b",
        "hyp=a,",
        "refs=a,b",
        "refs=a,refs=b",
        "hyp=a:",
        "hyp=:a",
        "hyp=a,refs=",
        "hyp= ,refs=a",
        "hyp=a: ",
        ",",
    ],
)
def test_fields_named_in_another_form_are_refused(run, write, text):
    write("sys.jsonl", items())
    expected = "hyp=NAME,refs=NAME,id=NAME, or some of these; write hyp=a:NAME,b:NAME for several systems"
    expected += ", id=NAME+NAME for an id of two parts, id=none to join by position"
    expected += ", and group=NAME for the groups of bleu diversity"
    line = f"--jsonl-fields {text!r}; expected {expected}"
    assert run("-i", "sys.jsonl", "--jsonl-fields", text) == (2, "", f"bleu: error: {line}\n")


@pytest.mark.parametrize(
    ("text", "fields"),
    {
        "hyp=a, refs=b": Fields((("", "a"),), "b"),
        " hyp = a:out.0 , b : out.1 ,\trefs= b c ": Fields((("a", "out.0"), ("b", "out.1")), "b c"),
        r"hyp=\ a\ , refs=b\\ ": Fields((("", r"\ a\ "),), r"b\\"),
    }.items(),
)
def test_space_around_names_does_not_count_unless_a_backslash_precedes_it(text, fields):
    assert fields_named(text) == fields


@pytest.mark.parametrize("text", ["hyp=a:x,a:y", "hyp=x,x", "hyp=a:x,b:y,a:z,refs=r"])
def test_two_systems_with_one_name_are_refused(run, text):
    line = refused(
        run("-i", "none.jsonl", "--jsonl-fields", text), "two systems would be called ", "; give each a name of its own"
    )
    assert f"--jsonl-fields {text!r}" in line


def test_named_fields_are_taken_and_no_others(run, write):
    objects = [
        {"out": text, "gold": row, "hypothesis": 1, "references": 2} for text, row in zip(SYSTEM, ROWS, strict=True)
    ]
    write("sys.jsonl", jsonl(*objects))
    assert score(run, "-i", "sys.jsonl", "--jsonl-fields", "hyp=out,refs=gold") == api_score()[0]


# --- names that are guessed

GUESSED_HYPOTHESES = (
    *("mt", "output", "pred", "response", "hypotheses", "generated_text", "generation", "completion", "model_output"),
    "filtered_resps",
)
GUESSED_REFERENCES = ("target", "ref", "refs", "tgt_text", "ground_truth", "gold", "answer")


@pytest.mark.parametrize("hypothesis", GUESSED_HYPOTHESES)
@pytest.mark.parametrize("references", GUESSED_REFERENCES)
def test_usual_names_are_guessed(run, write, hypothesis, references):
    objects = [{hypothesis: text, "src": "x", references: row} for text, row in zip(SYSTEM, ROWS, strict=True)]
    write("sys.jsonl", jsonl(*objects))
    assert score(run, "-i", "sys.jsonl") == api_score()[0]


@pytest.mark.parametrize("name", GUESSED_REFERENCES)
def test_a_guessed_reference_may_be_a_string_or_null(name):
    found = columns_of(jsonl({name: "a"}, {name: None}, {name: ["b", "c"]}), hypotheses=False)
    assert found == [[["a", None, "b"], [None, None, "c"]]]


@pytest.mark.parametrize("hypothesis", HYPOTHESIS_FIELDS)
@pytest.mark.parametrize("references", ["references", "reference", "expected_output"])
def test_nothing_is_guessed_where_a_known_name_is_present(hypothesis, references):
    others = dict.fromkeys((*GUESSED_HYPOTHESES, *GUESSED_REFERENCES), 5)
    line = jsonl({**others, hypothesis: "a", references: ["b"]})
    assert columns_of(line * 2) == [[["a"] * 2, ["b"] * 2]]


def test_a_known_name_that_is_missing_later_is_not_guessed():
    lines = jsonl({"prediction": "a", "output": "x", "ref": "r"}, {"output": "b", "ref": "r"})
    assert error_of(lines) == (
        f"a file, line 2: no hypothesis; expected {USUAL}, found 'output', 'ref'; name the field with --jsonl-fields"
        " hyp=NAME"
    )


def test_filtered_responses_are_the_first_of_each(run, write):
    objects = [{"filtered_resps": [text, "x"], "target": row} for text, row in zip(SYSTEM, ROWS, strict=True)]
    write("sys.jsonl", jsonl(*objects))
    assert score(run, "-i", "sys.jsonl") == api_score()[0]
    for wrong in ([], [["a"]], 5):
        assert "'filtered_resps' is" in error_of(jsonl({"filtered_resps": wrong, "target": "r"}))


AMBIGUOUS = {
    "hypotheses": (
        {"instruction": "x", "output": "gold", "response": "a", "ref": "r"},
        "'output' and 'response' could each be the hypothesis; name the field with --jsonl-fields hyp=NAME",
    ),
    "three hypotheses": (
        {"mt": "x", "pred": "gold", "response": "a", "ref": "r"},
        "'mt', 'pred' and 'response' could each be the hypothesis; name the field with --jsonl-fields hyp=NAME",
    ),
    "references": (
        {"mt": "a", "target": "r", "tgt_text": "r"},
        "'target' and 'tgt_text' could each be the reference; name the field with --jsonl-fields refs=NAME",
    ),
    "a hypothesis for a reference": (
        {"source": "x", "target": "mt", "ref": "r", "mt": "a"},
        "'target' and 'ref' could each be the reference; name the field with --jsonl-fields refs=NAME",
    ),
    "no hypothesis": (
        {"source": "x", "target": "a", "tgt": "b"},
        "no hypothesis; expected 'candidate', 'hypothesis', 'prediction', 'actual_output', 'translation', 'hyp', 'mt',"
        " 'output', 'pred', 'response', 'hypotheses', 'generated_text', 'generation', 'completion', 'model_output' or"
        " 'filtered_resps', found 'source', 'target', 'tgt'; name the field with --jsonl-fields hyp=NAME",
    ),
    "no reference": (
        {"src": "x", "mt": "a"},
        "no reference; expected 'references', 'reference', 'expected_output', 'target', 'ref', 'refs', 'tgt_text',"
        " 'ground_truth', 'gold' or 'answer', found 'src', 'mt'; name the field with --jsonl-fields refs=NAME",
    ),
}


@pytest.mark.parametrize(("item", "said"), AMBIGUOUS.values(), ids=AMBIGUOUS)
def test_ambiguous_fields_are_refused(run, write, item, said):
    write("sys.jsonl", jsonl(item))
    assert run("-i", "sys.jsonl") == (2, "", f"bleu: error: sys.jsonl, line 1: {said}\n")


@pytest.mark.parametrize("second", [{"mt": "b", "pred": "c"}, {"pred": "c"}, {"hypothesis": "c", "mt": "b"}])
def test_a_guess_applies_to_the_whole_file(second):
    other = next(name for name in second if name != "mt")
    expected = f"a file, line 2: 'mt' and '{other}' could each be the hypothesis; name the field"
    assert error_of(jsonl({"mt": "a", "ref": "r"}, second | {"ref": "r"})).startswith(expected)


def test_a_guessed_field_that_is_missing_is_named():
    expected = "a file, line 2: no hypothesis; expected 'mt', found 'ref'; name the field with --jsonl-fields hyp=NAME"
    assert error_of(jsonl({"mt": "a", "ref": "r"}, {"ref": "r"})) == expected


def test_a_named_field_of_hypotheses_does_not_stop_guessing_references():
    item = {"source": "x", "target": "a", "ref": "r"}
    assert columns_of(jsonl(item), fields=fields_named("hyp=target")) == [[["a"], ["r"]]]
    item = {"translation": {"en": "x", "de": "r"}, "output": "a"}
    assert columns_of(jsonl(item), fields=fields_named("refs=translation.de")) == [[["a"], ["r"]]]
    assert "no reference" in error_of(jsonl({"target": "a"}), fields=fields_named("hyp=target"))
    assert "no reference" in error_of(jsonl({"reference": ["a"]}), fields=fields_named("hyp=reference.0"))


def test_a_second_system_need_not_have_the_guessed_references(run, write):
    write("a.jsonl", jsonl(*({"mt": text, "ref": row} for text, row in zip(SYSTEM, ROWS, strict=True))))
    write("b.jsonl", jsonl(*({"output": text} for text in SYSTEM)))
    found = json.loads(run("-i", "a.jsonl", "b.jsonl", "-f", "json", "-w", "10", "-q").out)
    assert [f"{each['BLEU']['score']:.10f}\n" for each in found] == [api_score()[0]] * 2


# --- paths


@pytest.mark.parametrize(
    ("path", "item"),
    [
        ("out", {"out": "a"}),
        ("out.0", {"out": ["a", 5]}),
        ("out.1", {"out": [5, "a"]}),
        ("out.0.text", {"out": [{"text": "a"}]}),
        ("resps.0.0", {"resps": [["a"]]}),
        ("doc.de", {"doc": {"de": "a", "en": 5}}),
        ("doc.0", {"doc": {"0": "a"}}),
        ("doc.de", {"doc.de": "a", "doc": {"de": 5}}),
        (r"doc\.de", {"doc.de": "a", "doc": {"de": 5}}),
        (r"doc.v1\.0.text", {"doc": {"v1.0": {"text": "a"}, "v1": [{"text": 5}]}}),
        (r"c\:\\", {"c:\\": "a"}),
        (r"c\d", {"c\\d": "a"}),
        ("..", {"": {"": {"": "a"}}}),
        ("out.00", {"out": ["a"]}),
    ],
)
def test_a_path_leads_into_objects_and_arrays(path, item):
    assert columns_of(jsonl(item) * 2, fields=fields_named(f"refs={path}"), hypotheses=False) == [[["a"] * 2]]
    named = fields_named(f"hyp={path}" if ":" not in path else f"hyp=x:{path}")
    assert columns_of(jsonl(item) * 2, fields=named, references=False) == [[["a"] * 2]]


def test_references_at_a_path_may_vary_in_number():
    lines = jsonl({"doc": {"de": ["a", "b"]}}, {"doc": {"de": "c"}}, {"doc": {"de": None}}, {"doc": {"de": []}})
    found = columns_of(lines, fields=fields_named("refs=doc.de"), hypotheses=False)
    assert found == [[["a", "c", None, None], ["b", None, None, None]]]


LOST = {
    "no field": ({"id": 1, "ref": 2}, "no hypothesis; expected 'out.0.text', found 'id', 'ref'"),
    "a string": ({"out": "a"}, "no hypothesis; expected 'out.0.text', found 'out', a string"),
    "null": ({"out": None}, "no hypothesis; expected 'out.0.text', found 'out', null"),
    "an object": ({"out": {"a.b": 1}}, "no hypothesis; expected 'out.0.text', found 'out' with 'a.b'"),
    "an empty object": ({"out": {}}, "no hypothesis; expected 'out.0.text', found 'out' with no field"),
    "an array too short": ({"out": []}, "no hypothesis; expected 'out.0.text', found 'out', an array of length 0"),
    "an array of arrays": (
        {"out": [["a", "b"]]},
        "no hypothesis; expected 'out.0.text', found 'out.0', an array of length 2",
    ),
}


@pytest.mark.parametrize(("item", "said"), LOST.values(), ids=LOST)
def test_a_path_that_leads_nowhere_is_named_with_the_fields_that_were_found(run, write, item, said):
    write("sys.jsonl", jsonl({"out": [{"text": "a"}], "ref": "b"}, item | {"ref": "b"}))
    line = f"bleu: error: sys.jsonl, line 2: {said}; name the field with --jsonl-fields hyp=NAME\n"
    assert run("-i", "sys.jsonl", "--jsonl-fields", "hyp=out.0.text") == (2, "", line)


@pytest.mark.parametrize("step", ["-1", "+0", "٠", "9" * 5000, "x"])
def test_elements_of_an_array_are_numbered_from_0(step):
    fields = fields_named(f"hyp=out.{step}")
    assert "found 'out', an array of length 1; name" in error_of(jsonl({"out": ["a"], "ref": "b"}), fields=fields)


@pytest.mark.parametrize("name", ["a.b", "a ", " a", "a \t ", "a:b,c", "a\\", "a=b"])
def test_the_path_that_an_error_names_leads_to_the_text(name):
    texts = jsonl({"out": {name: "a"}, "ref": "b"})
    path = error_of(texts, fields=fields_named("hyp=out")).partition("--jsonl-fields ")[2]
    assert rows_of(texts, fields=fields_named(path)) == [["a", "b"]]


def test_a_path_must_lead_to_text(run, write):
    write("sys.jsonl", jsonl({"out": [["a"]], "ref": "b"}))
    line = refused(run("-i", "sys.jsonl", "--jsonl-fields", "hyp=out.0"), "sys.jsonl, line 1: 'out.0' is an array;")
    assert line.endswith("name the path: --jsonl-fields hyp=out.0.0\n")
    write("sys.jsonl", jsonl({"out": ["a"], "doc": {"de": 5}}))
    words = ("-i", "sys.jsonl", "--jsonl-fields", "hyp=out.0,refs=doc.de")
    refused(run(*words), "line 1: 'doc.de' is a number; expected a string or an array of strings\n")


def test_references_of_a_second_system_may_be_left_out_but_not_lost(run, write):
    write("a.jsonl", jsonl({"mt": "a b", "doc": {"de": "a b"}}))
    words = ("-i", "a.jsonl", "b.jsonl", "--jsonl-fields", "refs=doc.de", "-q")
    write("b.jsonl", jsonl({"mt": "a b"}))
    assert run(*words).status == 0
    write("b.jsonl", jsonl({"mt": "a b", "doc": {"en": "a b"}}))
    refused(run(*words), "b.jsonl, line 1: no reference; expected 'doc.de', found 'doc' with 'en'")


# --- several systems of one file

WORSE = [text.replace("the", "a") for text in SYSTEM]


def two_systems(**more):
    rows = zip(SYSTEM, WORSE, ROWS, strict=True)
    return jsonl(*({"out": [one, other], "gold": row, **more} for one, other, row in rows))


def scores_by_name(answer):
    assert answer.status == 0, answer.err
    return {each["system"]: f"{each['BLEU']['score']:.10f}\n" for each in json.loads(answer.out)}


@pytest.mark.parametrize("extra", [(), ("-J", "2")])
def test_several_hypotheses_are_several_systems(run, write, extra):
    write("sys.jsonl", two_systems())
    words = ("-f", "json", "-w", "10", "-q", *extra)
    expected = {"a": api_score()[0], "b": api_score(WORSE)[0]}
    named = ("--jsonl-fields", "hyp=a:out.0,b:out.1,refs=gold")
    assert scores_by_name(run("-i", "sys.jsonl", *named, *words)) == expected
    assert scores_by_name(run("--jsonl", *named, *words, stdin=two_systems().encode())) == expected
    unnamed = run("-i", "sys.jsonl", "--jsonl-fields", "refs=gold,hyp=out.0,out.1", *words)
    assert scores_by_name(unnamed) == {"out.0": expected["a"], "out.1": expected["b"]}


def test_a_single_hypothesis_may_have_a_name(run, write):
    write("sys.jsonl", two_systems())
    write("other.txt", "".join(f"{text}\n" for text in WORSE))
    words = ("-i", "sys.jsonl", "other.txt", "--jsonl-fields", "hyp=a:out.0,refs=gold", "-f", "json", "-w", "10", "-q")
    assert scores_by_name(run(*words)) == {"a": api_score()[0], "other.txt": api_score(WORSE)[0]}


def test_systems_of_several_files_have_the_files_names_before_theirs(run, write):
    write("1.jsonl", two_systems())
    write("2.jsonl", two_systems())
    words = ("-i", "1.jsonl", "2.jsonl", "--jsonl-fields", "hyp=a:out.0,b:out.1,refs=gold", "-f", "json", "-w", "10")
    answer = run(*words, terminal=True)
    good, bad = api_score()[0], api_score(WORSE)[0]
    assert scores_by_name(answer) == {"1.jsonl:a": good, "1.jsonl:b": bad, "2.jsonl:a": good, "2.jsonl:b": bad}
    assert "reference 1.jsonl (references), 4 segments; systems 1.jsonl (a, b), 2.jsonl (a, b)\n" in answer.err


def test_the_first_of_several_systems_is_the_baseline_of_a_test(run, write):
    write("sys.jsonl", two_systems())
    named = ("--jsonl-fields", "hyp=a:out.0,b:out.1,refs=gold")
    found = json.loads(run("-i", "sys.jsonl", *named, "-par", "-parn", "10", "-q").out)
    assert [each["system"] for each in found] == ["Baseline: a", "b"]
    assert found[0]["BLEU"]["p_value"] is None


def test_several_systems_of_json_lines_are_scored_against_references_of_text(run, write):
    write("sys.jsonl", two_systems(gold=5))
    write("ref.txt", "".join(f"{text or ''}\n" for text in STREAMS[0]))
    words = ("ref.txt", "-i", "sys.jsonl", "--jsonl-fields", "hyp=a:out.0,b:out.1", "-f", "json", "-w", "10", "-q")
    streams = [[text or "" for text in STREAMS[0]]]
    assert scores_by_name(run(*words)) == {"a": api_score(SYSTEM, streams)[0], "b": api_score(WORSE, streams)[0]}


def test_several_systems_are_not_scored_by_segment(run, write):
    write("sys.jsonl", two_systems())
    words = ("-i", "sys.jsonl", "--jsonl-fields", "hyp=a:out.0,b:out.1,refs=gold", "-sl")
    refused(run(*words), "--sentence-level takes one system and one metric as text; leave out the others")


def test_a_system_named_like_a_file_is_refused(run, write):
    write("sys.jsonl", two_systems())
    write("b", "".join(f"{text}\n" for text in WORSE))
    words = ("-i", "sys.jsonl", "b", "--jsonl-fields", "hyp=a:out.0,b:out.1,refs=gold")
    refused(run(*words), "two systems would be called 'b'")


def test_several_systems_in_many_blocks_are_scored_as_the_api_does(run, write):
    count = 2 * BLOCK // 1000
    one = [f"{number} {SYSTEM[number % 4]} {LONG}." for number in range(count)]
    other = [f"{number} {WORSE[number % 4]} {LONG}." for number in range(count)]
    rows = [[f"{text} {LONG}" for text in ROWS[number % 4] if text] for number in range(count)]
    streams = list(zip_longest(*rows))
    lines = zip(one, other, rows, strict=True)
    write("sys.jsonl", jsonl(*({"out": {"a": a, "b": b}, "ref": row} for a, b, row in lines)))
    words = ("-i", "sys.jsonl", "--jsonl-fields", "hyp=a:out.a,b:out.b", "-f", "json", "-w", "10", "-q")
    assert scores_by_name(run(*words)) == {"a": api_score(one, streams)[0], "b": api_score(other, streams)[0]}


# --- as lm-evaluation-harness writes its samples


def samples(responses):
    """Return the lines of `--log_samples` for a translation task, with the `responses` for each document."""
    lines = []
    for number, (texts_of_one, reference) in enumerate(zip(responses, STREAMS[0], strict=True)):
        prompt = f"English phrase: {number}\nGerman phrase:"
        lines.append(
            {
                "doc_id": number,
                "doc": {
                    "src": f"source {number}",
                    "ref": reference or "x",
                    "translation": {"en": "", "de": reference or "x"},
                },
                "target": reference or "x",
                "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": {"until": ["\n"], "do_sample": False}}},
                "resps": [texts_of_one],
                "filtered_resps": texts_of_one[:1],
                "filter": "take_first",
                "metrics": ["bleu", "ter", "chrf"],
                "doc_hash": f"{number:064x}",
                "prompt_hash": f"{number:064x}",
                "target_hash": f"{number:064x}",
                "bleu": [[reference or "x", texts_of_one[0]]],
                "ter": [[reference or "x", texts_of_one[0]]],
                "chrf": [[reference or "x", texts_of_one[0]]],
            }
        )
    return jsonl(*lines)


REFERENCES = [text or "x" for text in STREAMS[0]]


@pytest.mark.parametrize(
    "fields",
    [
        "hyp=filtered_resps.0",
        "hyp=filtered_resps.0,refs=doc.ref",
        "hyp=resps.0.0,refs=doc.translation.de",
        "refs=target,hyp=resps.0.0",
    ],
)
def test_samples_of_a_harness_are_scored(run, write, fields):
    write("samples_wmt16-en-de_2026-11-22T03-31-59.123456.jsonl", samples([[text] for text in SYSTEM]))
    found = score(run, "-i", "samples_wmt16-en-de_2026-11-22T03-31-59.123456.jsonl", "--jsonl-fields", fields)
    assert found == api_score(SYSTEM, [REFERENCES])[0]


def test_repeated_samples_of_a_harness_are_several_systems(run, write):
    write("samples.jsonl", samples(zip(SYSTEM, WORSE, strict=True)))
    words = ("-i", "samples.jsonl", "--jsonl-fields", "hyp=a:resps.0.0,b:resps.0.1", "-f", "json", "-w", "10", "-q")
    expected = {"a": api_score(SYSTEM, [REFERENCES])[0], "b": api_score(WORSE, [REFERENCES])[0]}
    assert scores_by_name(run(*words)) == expected


def test_samples_of_a_harness_need_no_path(run, write):
    write("samples.jsonl", samples([[text] for text in SYSTEM]))
    assert score(run, "-i", "samples.jsonl") == api_score(SYSTEM, [REFERENCES])[0]


def test_the_error_about_samples_without_filtered_responses_lists_their_fields(run, write):
    write("samples.jsonl", samples([[text] for text in SYSTEM]).replace('"filtered_resps"', '"filtered"'))
    refused(
        run("-i", "samples.jsonl"),
        "samples.jsonl, line 1: no hypothesis; expected 'candidate', ",
        " or 'filtered_resps', found 'doc_id', 'doc', 'target', 'arguments', 'resps', 'filtered', ",
        "name the field with --jsonl-fields hyp=NAME",
    )


# --- where the texts come from


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


def test_references_come_from_the_first_json_lines_file_in_any_place(run, write):
    write("a.txt", "".join(f"{text}\n" for text in SYSTEM))
    write("b.jsonl", items())
    found = json.loads(run("-i", "a.txt", "b.jsonl", "-f", "json", "-w", "10", "-q").out)
    assert [f"{each['BLEU']['score']:.10f}\n" for each in found] == [api_score()[0]] * 2


def test_a_note_says_which_file_is_reference_and_which_is_system(run, write):
    write("a.jsonl", items())
    write("b.jsonl", items())
    answer = run("-i", "a.jsonl", "b.jsonl", "-f", "json", terminal=True)
    assert "reference a.jsonl (references), 4 segments; systems a.jsonl, b.jsonl\n" in answer.err


def test_a_system_equal_to_the_references_beside_it_is_a_warning(run, write):
    write("a.jsonl", items(SYSTEM, [[text] for text in SYSTEM]))
    assert "a.jsonl is the same text as the reference a.jsonl (references)" in run("-i", "a.jsonl", "-b").err


# --- the same numbers as the API's


def test_a_varying_number_of_references_is_signed(run, write):
    write("sys.jsonl", items())
    found = json.loads(run("-i", "sys.jsonl", "-q").out)
    assert found["nrefs"] == "var"
    assert found["signature"] == api_score()[1]


def test_an_equal_number_of_references_is_signed(run, write):
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
    hypotheses = [f"{number} {SYSTEM[number % 4]} {LONG}." for number in range(count)]
    rows = [[f"{number} {text} {LONG}" for text in ROWS[number % 4] if text] for number in range(count)]
    rows = [row[: 1 + number % 2] for number, row in enumerate(rows)]
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
    monkeypatch.setattr("bleucli.reading.jsonlines._BLOCK_TEXTS", size)
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
    "cut": ('{"hypothesis": "a"', "invalid JSON (character 19: Expecting ',' delimiter); give one object per line"),
    "a word": ("nonsense", "invalid JSON (character 1: Expecting value); give one object per line"),
    "a word after a space": (" nonsense", "invalid JSON (character 2: Expecting value); give one object per line"),
    "two objects": ("{} {}", "invalid JSON (character 4: more than one value); give one object per line"),
    "a raw tab": ('{"a\t": 1}', "invalid JSON (character 4: Invalid control character at); give one object per line"),
    "nested": ("[" * 100_000, "invalid JSON (nested too deeply); give one object per line"),
    "digits": ('{"a": ' + "9" * 5000 + "}", "invalid JSON (a number with too many digits); give one object per line"),
    "array": ("[]", "an array, not an object; give one object per line"),
    "string": ('"a"', "a string, not an object; give one object per line"),
    "null": ("null", "null, not an object; give one object per line"),
    "true": ("true", "true or false, not an object; give one object per line"),
    "number": ("1.5", "a number, not an object; give one object per line"),
    "no field": (
        "{}",
        f"no hypothesis; expected {USUAL}, found no field; name the field with --jsonl-fields hyp=NAME",
    ),
    "no hypothesis": (
        '{"id": 1, "two\\nlines": 2, "\\ud800": 3}',
        f"no hypothesis; expected {USUAL}, found"
        r" 'id', 'two\nlines', '\ud800'; name the field with --jsonl-fields hyp=NAME",
    ),
    "no reference": (
        jsonl({"hypothesis": "a", **{str(number) * 50: 0 for number in range(10)}}).rstrip(),
        "no reference; expected 'references', 'reference' or 'expected_output', found 'hypothesis', "
        + "".join(f"'{str(number) * 40}...', " for number in range(7))
        + "...; name the field with --jsonl-fields refs=NAME",
    ),
    "null hypothesis": ('{"hypothesis": null}', "'hypothesis' is null; expected a string"),
    "array of hypotheses": (
        '{"candidate": ["a"]}',
        "'candidate' is an array; expected a string; if the text is inside, name the path: --jsonl-fields"
        " hyp=candidate.0",
    ),
    "object as hypothesis": (
        '{"translation": {"d.e:": "a"}}',
        "'translation' is an object; expected a string; if the text is inside, name the path: --jsonl-fields"
        r" hyp=translation.d\.e\:",
    ),
    "empty array of hypotheses": ('{"candidate": []}', "'candidate' is an array; expected a string"),
    "number as hypothesis": ('{"prediction": 3}', "'prediction' is a number; expected a string"),
    "string of references": (
        '{"hypothesis": "a", "references": "a"}',
        "'references' is a string; expected an array of strings",
    ),
    "object as reference": (
        '{"hypothesis": "a", "reference": {}}',
        "'reference' is an object; expected a string or an array of strings",
    ),
    "object of references": (
        '{"hypothesis": "a", "expected_output": {"de": ["b"]}}',
        "'expected_output' is an object; expected a string or an array of strings; if the text is inside, name the"
        " path: --jsonl-fields refs=expected_output.de",
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
    [pytest.param(*case, marks=[pytest.mark.slow] * (n % 8 > 0)) for n, case in enumerate(WRONG_LINES.values())],
    ids=WRONG_LINES,
)
def test_a_wrong_line_in_a_later_block_is_named_with_its_number(line, said):
    count = 2 * BLOCK // 100
    good = jsonl(*[{"hypothesis": "a" * 80, "reference": "b"}] * count)
    assert error_of(good + line) == f"a file, line {count + 1}: {said}"


@pytest.mark.parametrize("blank", ["\n", " \t\r\n", "\n\n"])
def test_a_blank_line_within_is_refused(blank):
    assert error_of(items() + blank + items()) == "a file, line 5 is blank; give one object per line"
    assert error_of(blank + items()) == "a file, line 1 is blank; give one object per line"


def test_a_blank_line_at_the_end_of_a_block_is_refused():
    line = jsonl({"hypothesis": "a", "reference": "b" * 1000})
    many = line * (BLOCK // len(line))
    padded = many[:-1] + " " * (BLOCK - len(many) - 1) + "\n\n"
    assert len(padded) == BLOCK
    assert "is blank; give one object per line" in error_of(padded + line)
    assert sum(len(block[0]) for block in columns_of(padded + "\n")) == BLOCK // len(line)


@pytest.mark.parametrize("last", ["\n", "\n\n", "\n \r\n\t", ""])
def test_blank_lines_at_the_end_are_left_out(last):
    assert rows_of(items().rstrip() + last) == rows_of(items())


@pytest.mark.parametrize("content", ["", "\n", "\n\n"])
def test_a_file_of_blank_lines_is_empty(run, write, content):
    write("sys.jsonl", content)
    line = "bleu: error: sys.jsonl is empty; expected one segment per line, at least one\n"
    assert run("-i", "sys.jsonl") == (2, "", line)


def test_a_byte_that_is_not_utf_8_is_named(run, write):
    write("sys.jsonl", b'{"hypothesis": "a", "reference": "b"}\n{"hypothesis": "\xff"}\n')
    line = "sys.jsonl, line 2, byte 54: 0xff is not valid utf-8; name the encoding with --encoding"
    assert run("-i", "sys.jsonl") == (2, "", f"bleu: error: {line}\n")


@pytest.mark.parametrize("references", [None, [], [None]])
def test_a_segment_whose_references_are_all_missing_is_named(run, write, references):
    write("sys.jsonl", items(SYSTEM, [*ROWS[:2], references, ROWS[3]]))
    line = "all references of segment 3 are missing; give at least one, or leave out the segment"
    assert run("-i", "sys.jsonl") == (2, "", f"bleu: error: {line}\n")


@pytest.mark.parametrize("changed", [["another"], ["the cat sat on the mat", "a cat sat on a mat", "and more"]])
def test_other_references_in_a_second_system_are_named(run, write, changed):
    write("a.jsonl", items())
    write("b.jsonl", items(SYSTEM, [ROWS[0], None, changed, ROWS[3]]))
    line = (
        "b.jsonl, line 3: the references differ from those in a.jsonl; give the same references in every file, or only"
        " in a.jsonl"
    )
    assert run("-i", "a.jsonl", "b.jsonl") == (2, "", f"bleu: error: {line}\n")
    assert run("-i", "a.jsonl", "b.jsonl", "-J", "2") == (2, "", f"bleu: error: {line}\n")


WRONG_USE = {
    "text without references": (
        ("-i", "sys.txt"),
        "no references were given; name the reference file first: bleu ref.txt -i system.txt; see bleu --help",
    ),
    "--jsonl without standard input": (
        ("-i", "sys.jsonl", "--jsonl"),
        "--jsonl is for standard input, which is not read; rename files to end in .jsonl instead",
    ),
    "fields without JSON Lines": (
        ("sys.txt", "-i", "sys.txt", "--jsonl-fields", "hyp=a"),
        "--jsonl-fields has no effect: no file is JSON Lines; rename files to end in .jsonl, or add --jsonl",
    ),
    "fields without JSON Lines beside a test set": (
        ("-t", "demo", "-l", "en-de", "-i", "sys.txt", "--jsonl-fields", "hyp=a"),
        "--jsonl-fields has no effect: no file is JSON Lines; rename files to end in .jsonl, or add --jsonl",
    ),
    "hypotheses of text": (
        ("sys.jsonl", "-i", "sys.txt", "--jsonl-fields", "hyp=a"),
        "--jsonl-fields hyp= has no effect: no system is JSON Lines; leave it out",
    ),
    "references beside those of text": (
        ("sys.txt", "-i", "sys.jsonl", "--jsonl-fields", "hyp=a,refs=b"),
        "--jsonl-fields refs= has no effect: no references come from JSON Lines; leave it out",
    ),
    "columns of JSON Lines": (
        ("sys.jsonl", "-nr", "2", "-i", "sys.txt"),
        "--num-refs splits a text file, but sys.jsonl is JSON Lines; leave out --num-refs",
    ),
    "several systems by segment": (
        ("-i", "sys.jsonl", "sys.txt", "-sl"),
        "--sentence-level takes one system and one metric as text; leave out the others, or add -f csv, tsv, jsonl or"
        " parquet for a table of all",
    ),
}


@pytest.mark.parametrize(("words", "said"), WRONG_USE.values(), ids=WRONG_USE)
def test_wrong_use_is_refused(run, write, words, said):
    write("sys.jsonl", items())
    write("sys.txt", "".join(f"{text}\n" for text in SYSTEM))
    assert run(*words) == (2, "", f"bleu: error: {said}\n")


@pytest.mark.parametrize("mode", [(), ("-sl",)])
def test_json_lines_that_are_taken_for_text_get_a_warning(mode, run, write):
    write("ref.txt", "a b c d e\n" * 2)
    write("sys.txt", '{"hypothesis": "a b c d e"}\n' * 2)
    said = "looks like JSON Lines, but was read as plain text;"
    piped = run("ref.txt", *mode, stdin=b'{"hypothesis": "a b c d e"}\n' * 2)
    assert f"standard input {said} if it is, add --jsonl\n" in piped.err
    named = run("ref.txt", "-i", "sys.txt", *mode)
    assert f"sys.txt {said} if it is, rename it to end in .jsonl\n" in named.err
    assert piped.out == named.out == run("ref.txt", "-i", "sys.txt", "-q", *mode).out
    assert said not in run("ref.txt", *mode, stdin=b"{a b c d e}\n" * 2).err
    assert said not in run("ref.txt", "--jsonl", *mode, stdin=b'{"hypothesis": "a b c d e"}\n' * 2).err
