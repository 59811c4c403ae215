"""The faster parser of JSON Lines: files give the same texts and errors with it as without it."""

import json
import random
import sys
from io import BytesIO

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import examples

from bleucli import fastjson, jsonlines
from bleucli.errors import BleuError
from bleucli.jsonfields import Fields
from bleucli.jsonlines import JsonLines
from bleucli.jsonsamples import SampleLines
from bleucli.textfiles import TextFile

pytest.importorskip("msgspec", reason="msgspec is not installed; install bleucli[json]")

GOOD = b'{"hypothesis": "a b", "references": ["c", null]}\n'
# What parsers of JSON are known to disagree about
ODD = (
    *(b"NaN", b"-Infinity", b"1E400", b"-1E-400", b"1e5", b"-0", b"-0.0", b"01", b"+1", b"1.", b".5", b"-", b"0x1"),
    *(b"18446744073709551616", b"-" + b"9" * 40, b"9" * 4300, b"9" * 4301, b"9" * 30 + b"e9", b"1" * 400 + b".5"),
    *(rb'"\ud800"', rb'"\udc00\ud800"', rb'"\ud83d\ude00"', rb'"\ud83d\u0041"', rb'"\u00e9"', rb'"\u0000"', rb'"\U"'),
    *(rb'"\x41"', rb'"\/"', rb'"\u12"', rb'"\u 123"', rb'"\u+123"', b'"\t"', b'"\x01"', b'"\x7f"', b'"\x00"', b'"\r"'),
    *(b'"\xff"', b'"\xed\xa0\x80"', b'"\xc0\x80"', b'"\xf4\x90\x80\x80"', b'"\xef\xbb\xbf"', "\u2028".encode(), b"'a'"),
    *(b'"\xe2\x80\xa8 \xc2\x85"', b"[1,]", b"[,]", b"[1 2]", b'{"a":1,}', b"{1: 2}", b'{"a" "b"}', b"[", b"}", b"]"),
    *(b'{"a": 1, "a": 2}', b"true", b"True", b"nul", b"/* */ 1", b"1 // 2", b"\x0c1", b"\xc2\xa01", b"", b'"', b"\\"),
    *(b"[" * depth + b"]" * depth for depth in (99, 100, 101, 199, 201, 900, 960, 980, 990, 1000, 1024, 5000)),
    *(b'{"a":' * depth + b"1" + b"}" * depth for depth in (100, 250, 980, 1000)),
)


def outcome(data, kind=JsonLines, **options):
    """Return what is read of a file: the texts, or the error."""
    file = TextFile("a file", stream=BytesIO(data), mark="dropped")
    try:
        if kind is SampleLines:
            return [(list(map(list, blocks)), labels) for blocks, labels in SampleLines(file, **options).read_samples()]
        return [[list(column) for column in block] for block in JsonLines(file, **options).blocks()]
    except BleuError as error:
        return str(error)


def read_both(data, **options):
    """Return what is read of a file with the faster parser, from its first line on, and without it."""
    before = jsonlines._PATIENCE
    try:
        jsonlines._PATIENCE = -1
        fast = outcome(data, **options)
        jsonlines._PATIENCE = sys.maxsize
        return fast, outcome(data, **options)
    finally:
        jsonlines._PATIENCE = before


@pytest.mark.parametrize("value", ODD, ids=lambda value: repr(value)[:40])
@pytest.mark.parametrize(
    "line",
    [
        b'{"hypothesis": %s, "references": ["c"]}',
        b'{"hypothesis": "a", "references": [%s]}',
        b'{"hypothesis": "a", "references": %s}',
        b'{"hypothesis": "a", "references": ["c"], "id": %s}',
        b'{"hypothesis": "a", "references": ["c"], %s: 1}',
        b'{"hypothesis": "a", "references": ["c"]} %s',
        b'%s {"hypothesis": "a", "references": ["c"]}',
        b"%s",
    ],
)
def test_odd_values_are_read_or_refused_alike(line, value):
    fast, slow = read_both(GOOD * 2 + line.replace(b"%s", value) + b"\n" + GOOD)
    assert fast == slow


@pytest.mark.parametrize("value", ODD, ids=lambda value: repr(value)[:40])
def test_labels_of_groups_are_the_same(value):
    line = b'{"output": "a", "prompt": %s}\n{"output": "b", "prompt": %s}\n'.replace(b"%s", value)
    fast, slow = read_both(line, kind=SampleLines, fields=Fields((("", "output"),), group="prompt"))
    assert fast == slow


@pytest.mark.parametrize(
    "data",
    [
        b'{"hypothesis":\n"a", "reference": "b"} {"hypothesis": "a", "reference": "b"}\n',
        b'{"hypothesis": "a", "reference": "b"}{"hypothesis": "a", "reference": "b"}\n\n',
        GOOD + b"\n" + GOOD,
        GOOD + b"\n \r\n",
        GOOD + b"\t",
        b"\xef\xbb\xbf" + GOOD,
        GOOD + b"\xef\xbb\xbf" + GOOD,
        GOOD.replace(b"\n", b"\r\n") * 3,
        GOOD[:-1],
        b"[" + GOOD[:-1] + b"]\n",
        b'"text"\n' + GOOD,
        b"",
        b"\n",
        GOOD + GOOD.replace(b"a b", b"a\\nb") + GOOD.replace(b"a b", b"a \\u2028 "),
    ],
)
def test_odd_lines_are_read_or_refused_alike(data):
    fast, slow = read_both(data)
    assert fast == slow


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(["hypothesis", "candidate", "prediction", "references", "reference", "output", "ref", "id"])
ITEMS = st.lists(st.lists(st.tuples(NAMES, VALUES | st.text(max_size=5)), max_size=5), min_size=1, max_size=4)


@given(ITEMS, st.booleans())
@examples(300)
def test_all_that_python_writes_is_read_alike(items, escaped):
    pairs = (
        [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=escaped)}" for name, value in item] for item in items
    )
    data = "".join(f"{{{', '.join(item)}}}\n" for item in pairs).encode("utf-8", "surrogatepass")
    fast, slow = read_both(data)
    assert fast == slow


@given(st.lists(st.sampled_from(ODD[:-16]), min_size=1, max_size=3), st.integers(0, 2**32))
@example([b"1"], 0)
@examples(300)
def test_damaged_lines_are_read_or_refused_alike(values, seed):
    generator = random.Random(seed)
    lines = [b'{"hypothesis": "a \xc3\xa9", "references": ["c", null, %s]}\n'.replace(b"%s", one) for one in values]
    data = bytearray(b"".join(lines))
    for _ in range(generator.randrange(4)):
        at = generator.randrange(len(data))
        data[at : at + generator.randrange(2)] = generator.choice(
            [b"", b'"', b"\\", b"{", b"]", b",", b"\n", b"0", b" "]
        )
    fast, slow = read_both(bytes(data))
    assert fast == slow


def test_the_faster_parser_takes_plain_lines_and_no_deep_ones():
    assert fastjson.parse([GOOD]) == [json.loads(GOOD)]
    deep = b'{"a": ' + b"[" * 450 + b"]" * 450 + b"}"
    assert fastjson.parse([GOOD, deep]) is None


@pytest.mark.parametrize(("lines", "asked"), [(1000, False), (40000, True)])
def test_long_files_alone_ask_it(monkeypatch, lines, asked):
    blocks = []
    monkeypatch.setattr(fastjson, "parse", blocks.append)
    assert sum(len(block[0]) for block in outcome(GOOD * lines)) == lines
    assert bool(blocks) == asked


def test_files_are_read_without_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "msgspec.json", None)
    fastjson._decoder.cache_clear()
    try:
        assert fastjson.parse([GOOD]) is None
        fast, slow = read_both(GOOD * 2)
        assert fast == slow == [[["a b"] * 2, ["c"] * 2, [None] * 2]]
    finally:
        fastjson._decoder.cache_clear()
