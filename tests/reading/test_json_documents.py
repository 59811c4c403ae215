"""JSON as one value per file, references by name, ids by path, and the items of a language pair."""

from __future__ import annotations

import gzip
import json

import pytest
from conftest import refused

PAIRS = ("en-cs", "en-de", "en-cs", "en-zh_CN", "en-zh_TW", "en-cs")
ITEMS = [
    {
        "id": n,
        "lp": pair,
        "hypothesis": f"{pair} the text number {n} was here",
        "reference": f"{pair} the text {n} is here",
    }
    for n, pair in enumerate(PAIRS)
]
LINES = "".join(json.dumps(item) + "\n" for item in ITEMS)
PRETTY = json.dumps(ITEMS, indent=2)


@pytest.fixture
def score(run, write):
    """Return what the command prints for a file of this content; the options follow."""

    def score(content, *options, name="sys.json"):
        return run("-i", write(name, content), *options, "-w", "9", "-b", "-q")

    return score


@pytest.mark.parametrize(
    "content",
    [
        LINES,
        json.dumps(ITEMS),
        PRETTY,
        PRETTY.replace("\n", "\r\n"),
        "\ufeff" + PRETTY,
        f" \n\n{PRETTY}\n\n",
        "[\n" + ",\n".join(map(json.dumps, ITEMS)) + "\n]\n",
    ],
    ids=["lines", "array", "pretty", "CRLF", "BOM", "blank lines around it", "array of lines"],
)
def test_an_array_has_the_score_of_its_items_as_lines(score, content):
    expected = score(LINES, name="sys.jsonl")
    assert expected.status == 0
    assert score(content) == expected
    assert score(gzip.compress(content.encode()), name="sys.json.gz") == expected
    assert score(content, "-l", "en-cs") == score(LINES, "-l", "en-cs", name="sys.jsonl")


@pytest.mark.parametrize("indent", [None, 2])
def test_a_file_may_hold_a_single_object(score, indent):
    assert score(json.dumps(ITEMS[0], indent=indent)) == score(json.dumps(ITEMS[0]) + "\n", name="sys.jsonl")


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("", "sys.json is empty"),
        ("\n \n", "sys.json is empty"),
        ("[]", "sys.json is empty"),
        ("{}", "sys.json, item 1: no hypothesis"),
        ("null", "sys.json, item 1: null, not an object; give an array of objects, or one object per line"),
        (json.dumps([*ITEMS, 7]), "sys.json, item 7: a number, not an object"),
        (json.dumps([ITEMS]), "sys.json, item 1: an array, not an object"),
        (json.dumps([*ITEMS, {**ITEMS[0], "hypothesis": 7}], indent=2), "item 7: 'hypothesis' is a number"),
        (json.dumps({"data": ITEMS}), "found 'data'"),
        (PRETTY[:-40], "sys.json, line 36: invalid JSON (character "),
        (json.dumps(ITEMS[0], indent=1) * 2, "sys.json, line 6: invalid JSON (more than one value)"),
        (f"{json.dumps(ITEMS[0], indent=1)}\n{json.dumps(ITEMS[1])}", "line 7: invalid JSON (more than one value)"),
        (json.dumps(ITEMS) * 2, "more than one value"),
        ("[" * 100_000, "nested too deeply"),
        ("1" * 6000, "a number with too many digits"),
    ],
)
def test_other_json_is_refused(score, content, error):
    refused(score(content), error)


NAMED = [
    {"hypothesis": "a b c d e", "refs": {"refA": {"ref": "a b c d e", "by": "X"}, "refB": "a b c d f"}},
    {"hypothesis": "f g h i j", "refs": {"refA": {"ref": "f g h i k", "by": "Y"}, "refB": "f g h i j"}},
]


def lines_with(references):
    """Return the items of NAMED with other references."""
    return "".join(json.dumps({**item, "refs": refs}) + "\n" for item, refs in zip(NAMED, references, strict=True))


@pytest.mark.parametrize(
    ("options", "references"),
    [
        ((), [["a b c d e", "a b c d f"], ["f g h i k", "f g h i j"]]),
        (("--jsonl-fields", "refs=refs.refA"), ["a b c d e", "f g h i k"]),
        (("--jsonl-fields", "refs=refs.refA.ref"), ["a b c d e", "f g h i k"]),
        (("--jsonl-fields", "refs=refs.refB"), ["a b c d f", "f g h i j"]),
    ],
)
def test_references_by_name_are_those_of_an_array(score, options, references):
    expected = score(lines_with(references), name="sys.jsonl")
    assert expected.status == 0
    assert score(json.dumps(NAMED, indent=1), *options) == expected


def test_a_name_that_an_item_lacks_is_refused(score):
    refused(score(json.dumps(NAMED), "--jsonl-fields", "refs=refs.refC"), "found 'refs' with 'refA', 'refB'")


@pytest.mark.parametrize(
    ("pair", "numbers"),
    [
        ("en-cs", [0, 2, 5]),
        ("eng-ces", [0, 2, 5]),
        ("eng_Latn-ces_Latn", [0, 2, 5]),
        ("en-cs_CZ", [0, 2, 5]),
        ("en-de", [1]),
        ("en-zh_TW", [4]),
        ("eng-zho_Hant", [4]),
        ("en-zh_CN", [3]),
    ],
)
@pytest.mark.parametrize("bare", [False, True], ids=["all have pairs", "one has none"])
def test_the_items_of_a_pair_are_those_of_a_file_of_their_own(score, pair, numbers, bare):
    others = [{"hypothesis": "any one of them", "reference": "any one of them"}] if bare else []
    chosen = "".join(json.dumps(item) + "\n" for item in [*(ITEMS[n] for n in numbers), *others])
    content = LINES + "".join(json.dumps(item) + "\n" for item in others)
    expected = score(chosen, "-l", pair, name="own.jsonl")
    assert expected.status == 0
    assert score(content, "-l", pair, name="sys.jsonl") == expected


def test_references_of_many_pairs_serve_a_system_of_one(run, write):
    write("ref.jsonl", LINES)
    write("cs.jsonl", "".join(json.dumps(ITEMS[n]) + "\n" for n in (5, 0, 2)))
    write("own.jsonl", "".join(json.dumps(ITEMS[n]) + "\n" for n in (0, 2, 5)))
    expected = run("own.jsonl", "-i", "cs.jsonl", "-b", "-q", "-w", "9")
    assert expected.status == 0
    assert run("ref.jsonl", "-i", "cs.jsonl", "-l", "en-cs", "-b", "-q", "-w", "9") == expected


def test_a_pair_that_may_mean_several_is_refused(score):
    refused(score(PRETTY, "-l", "en-zh"), "item 5: en-zh may mean 'en-zh_CN' and 'en-zh_TW' here; name one of them")
    refused(score(LINES, "-l", "en-zh", name="sys.jsonl"), "line 5: en-zh may mean 'en-zh_CN' and 'en-zh_TW'")
    refused(
        score(PRETTY, "-l", "en-fr"), "no object of the language pair en-fr; it has en-cs, en-de, en-zh_CN, en-zh_TW"
    )


@pytest.fixture
def keyed(write):
    """Write references and a system in another order, with ids inside an object."""
    texts = [f"some text {n} goes here" for n in range(4)]
    write("ref.jsonl", "".join(json.dumps({"meta": {"key": n}, "reference": texts[n]}) + "\n" for n in range(4)))
    rows = [{"meta": {"key": n}, "hypothesis": texts[n]} for n in (2, 1, 0, 3)]
    write("sys.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    write("bare.jsonl", "".join(json.dumps({"hypothesis": row["hypothesis"]}) + "\n" for row in rows))


@pytest.mark.parametrize("patience", [None, -1], ids=["by Python's parser", "by the faster parser"])
@pytest.mark.parametrize(
    ("system", "path", "error"),
    [
        ("sys.jsonl", "meta.key", ""),
        ("sys.jsonl", "meta.other", "line 1: no id; expected 'meta.other', found 'meta' with 'key'"),
        ("sys.jsonl", "meta", "line 1: 'meta' is an object; expected a string or a whole number"),
        ("bare.jsonl", "meta.key", "bare.jsonl, line 1: no id; expected 'meta.key', found 'hypothesis'"),
    ],
)
def test_ids_at_a_path_join_items_or_are_missed(monkeypatch, run, keyed, patience, system, path, error):
    if patience is not None:
        pytest.importorskip("pyarrow", reason="pyarrow is not installed; install bleucli[arrow]")
        monkeypatch.setattr("bleucli.reading.jsonlines._PATIENCE", patience)
    answer = run("ref.jsonl", "-i", system, "--jsonl-fields", f"id={path}", "-b", "-q")
    if error:
        refused(answer, error)
    else:
        assert answer == (0, "100.0\n", "")


@pytest.mark.parametrize("name", ["x.jsonl", "x.ndjson"])
@pytest.mark.parametrize("indent", [None, 1, 4])
def test_a_value_over_several_lines_is_read_from_json_lines_too(run, write, name, indent):
    row = {"doc_id": "a", "hypothesis": "the cat sat on a mat", "reference": "the cat sat on the mat"}
    plain = run("-i", write("plain.jsonl", json.dumps(row) + "\n"), "-q", "-b")
    for value in (row, [row]):
        assert run("-i", write(name, json.dumps(value, indent=indent)), "-q", "-b") == plain
    write("refs.txt", "the cat sat on the mat\n")
    words = ("refs.txt", "-i", name, "--jsonl-fields", "hyp=hypothesis", "-q", "-b")
    assert run(*words) == plain
    assert run("refs.txt", "--jsonl", "-q", "-b", stdin=json.dumps([row], indent=2).encode()) == plain
    write(name, json.dumps(row, indent=indent)[:-3])
    refused(run("-i", name), f"{name}, line 4: invalid JSON" if indent else "invalid JSON")


def test_an_array_on_one_line_of_json_lines_is_read(score):
    expected = score(LINES, name="sys.jsonl")
    assert score(json.dumps(ITEMS), name="array.jsonl") == expected
    assert score(json.dumps(ITEMS) + "\n", name="array.jsonl") == expected
    refused(score("[1]\n[2]\n", name="array.jsonl"), "array.jsonl, line 1: an array, not an object")


def test_other_text_is_not_json_whatever_its_number_of_lines(run, write):
    write("refs.txt", "one\ntwo\n")
    write("sys.jsonl", "hyp,ref\na,one\nb,two\n")
    refused(run("refs.txt", "-i", "sys.jsonl"), "sys.jsonl, line 1: invalid JSON (character 1: Expecting value)")
