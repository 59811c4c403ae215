"""The faster parser of JSON Lines: files give the same texts and errors with it as without it."""

from __future__ import annotations

import json
import random
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import every, examples

from bleucli import reading
from bleucli.errors import BleuError
from bleucli.reading import TextFile, fastjson, jsonlines
from bleucli.reading.fastjson import Wanted
from bleucli.reading.jsonfields import Fields
from bleucli.reading.jsonlines import JsonLines

pytest.importorskip("pyarrow", reason="pyarrow is not installed; install bleucli[arrow]")

GOOD = b'{"hypothesis": "a b", "references": ["c", null]}\n'
# First lines of a file; they decide where the parser looks in later lines
FIRST = (
    GOOD,
    b'{"candidate": "a", "reference": "b"}\n',
    b'{"prediction": "a", "references": ["b"]}\n',
    b'{"output": "a", "ref": "b"}\n',
    b'{"translation": "a", "expected_output": ["b"]}\n',
)
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


class Pieces:
    """A stream that is read in given pieces, each of them a block."""

    def __init__(self, *pieces):
        self.pieces = [piece for piece in pieces if piece]

    def read(self, size):
        return self.pieces.pop(0) if self.pieces else b""


def outcome(*pieces, **options):
    """Return what is read from a file: the texts, or the error."""
    lines = JsonLines(TextFile("a file", stream=Pieces(*pieces), mark="dropped"), **options)
    try:
        blocks = [[list(column) for column in block] for block in lines.blocks()]
    except BleuError as error:
        return str(error)
    return blocks, lines.segments, lines.brings_references


def read_both(data, first=GOOD, **options):
    """Read a first line and more; return the answers with the faster parser after that line, and without it."""
    before = jsonlines._PATIENCE
    try:
        jsonlines._PATIENCE = -1
        fast = outcome(first, data, **options)
        jsonlines._PATIENCE = sys.maxsize
        return fast, outcome(first, data, **options)
    finally:
        jsonlines._PATIENCE = before


@pytest.mark.parametrize(
    "line",
    [
        b'{"hypothesis": %s, "references": ["c"]}',
        b'{"hypothesis": "a", "references": [%s]}',
        b'{"hypothesis": "a", "references": %s}',
        b'{"hypothesis": "a", "references": ["c"], "id": %s}',
        b'{"hypothesis": "a", "references": ["c"], %s: 1}',
        b'{"hypothesis": "a", "references": ["c"], "candidate": %s}',
        b'{"hypothesis": "a", "references": ["c"], "prediction": %s, "reference": %s}',
        b'{"hypothesis": "a", "references": ["c"], "hypothesis": %s}',
        b'{"hypothesis": "a", "references": ["c"], "id": {"x": [%s], "hypothesis": %s, %s: 1}}',
        b'{"hypothesis": "a", "references": [["c", %s]]}',
        b'{"hypothesis": "a", "references": ["c"]} %s',
        b'{"hypothesis": "a", "references": ["c"]} %s }',
        b'%s {"hypothesis": "a", "references": ["c"]}',
        b"%s",
    ],
)
def test_odd_values_are_read_or_refused_in_the_same_way(line):
    for value in ODD:
        fast, slow = read_both(GOOD * 2 + line.replace(b"%s", value) + b"\n" + GOOD)
        assert fast == slow, value


@pytest.mark.parametrize("values", [ODD[::2], pytest.param(ODD[1::2], marks=pytest.mark.slow)])
@pytest.mark.parametrize("first", every(3, [b'"x"', b"null", b"1.5", b"7", b"{}"]))
def test_odd_ids_are_read_or_refused_in_the_same_way(first, values):
    texts = b'{"hypothesis": "a", "references": ["c"], %s}\n'
    start = texts.replace(b"%s", b'"doc_id": "d", "id": ' + first)
    for value in values:
        for fields in (b'"doc_id": "d", "id": %s', b'"id": 3, "docid": %s', b'"doc_id": %s', b'%s: "b"', b'"ID": %s'):
            data = start * 2 + texts.replace(b"%s", fields.replace(b"%s", value)) + start
            for options in ({}, {"hypotheses": False}, {"references": False}):
                fast, slow = read_both(data, start, identified=True, **options)
                assert fast == slow


@pytest.mark.parametrize(
    "fields", [Fields((("", "a"),), "b"), Fields((("x", "a"), ("y", "b")), "a"), Fields((), "b.c")]
)
def test_odd_values_of_named_fields_are_read_or_refused_in_the_same_way(fields):
    first = b'{"a": "c", "b": "d", "output": "e", "b.c": "f"}\n'
    for value in ODD:
        lines = b'{"a": %s, "b": %s}\n{"a": "c", "b": %s}\n'.replace(b"%s", value)
        for data in (lines, lines.replace(b'"b"', b'"b.c"'), lines.replace(b'"a"', rb'"\u0061"')):
            fast, slow = read_both(data, first, fields=fields)
            assert fast == slow, value


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
        b"{}\n",
        b'{"hypothesis": "a",\n"references": ["b"]}\n{"hypothesis": "a", "references": ["b"]}{}\n',
        b'{"hypothesis": "a", "references": [{}\n{}]}\n',
        GOOD + GOOD[:-1] + b"\0}\n",
        GOOD + GOOD[:-1] + b"\0}",
        GOOD + GOOD.replace(b'"hypothesis"', rb'"\u0063andidate": "x", "hypothesis"'),
        GOOD + GOOD.replace(b'"hypothesis"', b'"hypothesis": "x", "hypothesis"'),
        GOOD + GOOD.replace(b'"hypothesis"', rb'"hypothesi\u0073"'),
        GOOD + GOOD.replace(b'"hypothesis"', rb'"hypothesis\u0000": "x", "hypothesis"'),
        GOOD + GOOD.replace(b'"c", null', b""),
        GOOD + GOOD.replace(b'["c", null]', b"null"),
        GOOD + GOOD.replace(b'"references"', b'"reference"'),
        GOOD + GOOD.replace(b'["c", null]', b'"c"'),
        GOOD.replace(b"a b", b"a" * (1 << 21)) * 2,
        GOOD.replace(b"a b", b'" }\n{ "') * 2,
        GOOD * 9 + GOOD.replace(b'"c"', b",".join([b'"d"'] * 40000)),
        GOOD + GOOD.replace(b"a b", b"a\\nb") + GOOD.replace(b"a b", b"a \\u2028 "),
    ],
)
def test_odd_lines_are_read_or_refused_in_the_same_way(data):
    fast, slow = read_both(data)
    assert fast == slow


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(["hypothesis", "candidate", "prediction", "references", "reference", "output", "ref", "id"])
ITEMS = st.lists(st.lists(st.tuples(NAMES, VALUES | st.text(max_size=5)), max_size=5), min_size=1, max_size=4)


@given(ITEMS, st.booleans(), st.sampled_from(FIRST))
@examples(300)
def test_everything_that_python_writes_is_read_in_the_same_way(items, escaped, first):
    pairs = (
        [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=escaped)}" for name, value in item] for item in items
    )
    data = "".join(f"{{{', '.join(item)}}}\n" for item in pairs).encode("utf-8", "surrogatepass")
    fast, slow = read_both(data, first)
    assert fast == slow


@given(st.lists(st.sampled_from(ODD[:-16]), min_size=1, max_size=3), st.integers(0, 2**32))
@example([b"1"], 0)
@examples(300)
def test_damaged_lines_are_read_or_refused_in_the_same_way(values, seed):
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


TEXTS = st.text(st.characters(codec="utf-8"), max_size=9)


@given(
    st.lists(st.tuples(TEXTS, st.lists(TEXTS | st.none(), max_size=4) | TEXTS, VALUES), min_size=1, max_size=5),
    st.booleans(),
    st.sampled_from([b"\n", b"\r\n"]),
)
@examples(300)
def test_good_lines_are_read_in_the_same_way(rows, escaped, end):
    items = [{"id": extra, "hypothesis": text, "reference": given} for text, given, extra in rows]
    data = b"".join(json.dumps(item, ensure_ascii=escaped).encode("utf-8", "surrogatepass") + end for item in items)
    for first in ('"c"', '["c"]'):
        fast, slow = read_both(data, f'{{"hypothesis": "a", "reference": {first}}}\n'.encode())
        assert fast == slow


WANTED = Wanted(["hypothesis"], "references", True, ["candidate"])


@pytest.mark.parametrize(
    ("line", "taken"),
    [
        (GOOD, True),
        (GOOD[:-1], True),
        (GOOD.replace(b"\n", b"\r\n"), True),
        (GOOD.replace(b"a b", rb"\u00e9 \ud83d\ude00 \u003c \" \\ \/"), True),
        (GOOD.replace(b"{", b'{"id": {"x": [1, null, 2e9]}, '), True),
        (GOOD.replace(b"a b", b"[" * 300), True),
        (GOOD.replace(b"a b", b"[" * 450), False),
        (GOOD.replace(b"{", b'{"id": ' + b"[" * 200000 + b"]" * 200000 + b", "), False),
        (GOOD.replace(b"{", b'{"id": ' + b"9" * 641 + b", "), False),
        (GOOD.replace(b"{", b'{"candidate": 1, '), False),
        (GOOD.replace(b"{", rb'{"c\u0061ndidate": 1, '), False),
        (b" " + GOOD, False),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_the_faster_parser_takes_plain_lines(line, taken):
    assert (fastjson.read(GOOD + line, WANTED, 9) is not None) == taken


@pytest.mark.parametrize(
    ("line", "taken"),
    [
        (GOOD, True),
        (GOOD.replace(b"\n", b"\r\n"), True),
        (GOOD.replace(b"a b", b"[" * 450), True),
        (GOOD.replace(b"a b", rb"\ud83d\ude00"), True),
        (GOOD.replace(b"a b", rb"\ud83d"), False),
        (GOOD.replace(b"a b", b"\xff"), False),
        (GOOD.replace(b"{", b'{"id": 1, '), False),
        (GOOD.replace(b"{", b'{"candidate": "a", '), False),
        (GOOD.replace(b"{", rb'{"c\u0061ndidate": "a", '), False),
        (GOOD.replace(b"{", b'{"id": ' + b"[" * 200000 + b"]" * 200000 + b", "), False),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_unexpected_fields_are_left_to_the_other_parser(line, taken):
    assert (fastjson.read(GOOD + line, WANTED._replace(alone=True), 9) is not None) == taken


def test_lists_of_very_different_lengths_are_left_to_the_other_parser():
    assert fastjson.read(GOOD * 3, WANTED, 6) is not None
    assert fastjson.read(GOOD * 3, WANTED, 5) is None


@pytest.mark.slow
@pytest.mark.parametrize(("size", "asked"), [(1 << 20, False), (1 << 25, True)])
def test_only_long_files_use_the_faster_parser(monkeypatch, size, asked):
    blocks = []
    monkeypatch.setattr(fastjson, "read", lambda data, *_: blocks.append(data))
    lines = size // len(GOOD)
    _, segments, _ = outcome(GOOD, *[GOOD * 10000] * (lines // 10000))
    assert segments == 1 + lines // 10000 * 10000
    assert len(blocks) == (jsonlines._REFUSALS if asked else 0)


@pytest.mark.slow
@pytest.mark.parametrize(("times", "asked"), [(300000, 0), (400000, jsonlines._REFUSALS)])
def test_the_faster_parser_reads_all_but_the_first_block_of_long_files(monkeypatch, tmp_path, times, asked):
    path = tmp_path / "a.jsonl"
    path.write_bytes(GOOD * times)
    blocks = []
    monkeypatch.setattr(fastjson, "read", lambda data, *_: blocks.append(data))
    monkeypatch.setattr(jsonlines, "_BLOCK_FACTOR", 2)
    lines = JsonLines(TextFile("a file", str(path)))
    next(found := lines.blocks())
    assert not blocks
    assert sum(len(block[0]) for block in found) == times - 2 * reading._BLOCK_BYTES // len(GOOD)
    assert len(blocks) == asked


def test_files_in_which_other_fields_come_late_are_still_read_fast(monkeypatch):
    read, asked = fastjson.read, []

    def read_and_note(data, wanted, most):
        columns = read(data, wanted, most)
        asked.append((wanted.alone, columns is not None))
        return columns

    monkeypatch.setattr(jsonlines, "_PATIENCE", -1)
    monkeypatch.setattr(fastjson, "read", read_and_note)
    other = GOOD.replace(b"{", b'{"id": 1, ')
    _, segments, _ = outcome(GOOD, GOOD, other, GOOD, other)
    assert segments == 5
    assert asked == [(True, True), (True, False), (False, True), (False, True)]


@pytest.mark.parametrize("first", [b'"x"', b"7"])
def test_ids_of_one_type_are_read_fast(monkeypatch, first):
    read, columns = fastjson.read, []
    monkeypatch.setattr(jsonlines, "_PATIENCE", -1)
    monkeypatch.setattr(fastjson, "read", lambda *arguments: columns.append(read(*arguments)) or columns[-1])
    line = GOOD.replace(b"{", b'{"segid": %s, "id": "y", "other": 1, ' % first)
    blocks, *_ = outcome(line, line * 2, identified=True)
    ids = [["", ""], [first.decode().strip('"')] * 2, ["y", "y"]]
    assert blocks[1] == [["a b"] * 2, *ids, ["c"] * 2, [None] * 2]
    assert [[list(column) for column in found] for found in columns] == [blocks[1]]


def test_files_are_read_without_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.json", None)
    monkeypatch.delattr("pyarrow.json", raising=False)
    fastjson._parser.cache_clear()
    try:
        assert fastjson.read(GOOD, WANTED, 9) is None
        fast, slow = read_both(GOOD)
        assert fast == slow == ([[["a b"], ["c"], [None]]] * 2, 2, True)
    finally:
        fastjson._parser.cache_clear()


@pytest.mark.parametrize("other", ["lp", "Lang-Pair", "src_lang", "note", ""])
@pytest.mark.parametrize("key", ["1", "en-cs_#_1", r"en-cs_\u00231", r"en-cs\u005f#1", "_1#"])
def test_objects_of_a_language_pair_are_the_same(monkeypatch, other, key):
    uses = []
    monkeypatch.setattr(fastjson, "read", lambda *words, read=fastjson.read: uses.append(words) or read(*words))
    first = b'{"hypothesis": "a", "reference": "a", "id": "0"}\n'
    more = f'{{"hypothesis": "b", "reference": "b", "id": "{key}"' + (f', "{other}": "en-cs"' if other else "") + "}\n"
    fast, slow = read_both(more.encode(), first, identified=True, pair="en-de")
    assert fast == slow
    # It reads only what cannot name a pair
    assert bool(uses) == (key in ("1", "_1#"))


def test_only_objects_of_a_language_pair_are_read():
    rows = [
        f'{{"hypothesis": "{n}", "reference": "b", "id": "en-{"cs" if n % 2 else "de"}_#_{n}"}}\n' for n in range(9)
    ]
    for answer in read_both("".join(rows[1:]).encode(), rows[0].encode(), identified=True, pair="en-de"):
        assert [text for block in answer[0] for text in block[0]] == ["0", "2", "4", "6", "8"]
