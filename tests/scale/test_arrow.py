"""Arrow batches become columns of statistics; their sums give the scores of the texts as a whole."""

from __future__ import annotations

import random
import subprocess
import sys
from itertools import pairwise

import pytest
from conftest import raised
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import corpora, examples

from bleucli import BLEU, CHRF, TER, WER, arrow, scale
from bleucli.kernels.stats import SegmentStats
from bleucli.metrics import METRICS, Metric
from bleucli.metrics.options import SKIP_EMPTY_REFS
from bleucli.metrics.score import Score

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed; there are no columns to count")
pc = pytest.importorskip("pyarrow.compute", reason="pyarrow is not installed; there are no columns to count")

HYPOTHESES = ["The cat sat on the mat.", "It was not a surprise.", "où 東京 😀 at night", "All of them ran home."]
REFERENCES = [
    ["The cat sat on a mat.", "It was no surprise.", "où 東京 😀 by night", "They all ran home."],
    ["A cat sat on the mat.", None, "東京 at night", None],
    [None, "Nobody was surprised.", None, "All ran home."],
]
KEYS = ["system", "testset"]
ALL = {
    "bleu": BLEU(),
    "chrf": CHRF(),
    "chrf++": CHRF(word_order=2),
    "ter": TER(),
    "wer": WER(),
    "cer": METRICS["cer"](),
}


def lists_of(streams):
    """Return the references of each segment."""
    return [[text for text in row if text is not None] for row in zip(*streams, strict=True)]


def batch_of(hypotheses=HYPOTHESES, references=REFERENCES, **columns):
    return pa.table(
        {
            "hyp": pa.array(hypotheses, pa.string()),
            "ref": pa.array(lists_of(references), pa.list_(pa.string())),
            **columns,
        }
    )


def keyed(count):
    return {"system": ["a", "b"] * (count // 2), "testset": (["x"] * 3 + ["y"] * count)[:count]}


def dump(table, keys=()):
    """Return a table as rows, in the order of the keys."""
    return sorted(table.to_pylist(), key=lambda row: [repr(row[key]) for key in keys])


def close(one, other):
    """Return whether scores are equal, to 12 digits where they are not whole."""
    return one == pytest.approx(other, rel=1e-12, abs=1e-12)


# --- what is counted


@pytest.mark.parametrize("name", ALL)
def test_one_row_per_segment_holds_its_statistics(name):
    metric = ALL[name]
    table = arrow.stats_table(batch_of(), {name: metric}, rows=True)
    stats = metric.corpus_stats(HYPOTHESES, REFERENCES, keep_rows=True)
    columns = [f"{name}.{column}" for column in metric.column_names()]
    assert SegmentStats.from_arrow(table.select(columns)) == stats.rows
    assert table["refs_min"].to_pylist() == table["refs_max"].to_pylist() == list(stats.nrefs) == [2, 2, 2, 2]
    assert set(table[f"{name}.signature"].to_pylist()) == {scale.signature_of(metric)}


def test_columns_are_those_of_the_layout():
    table = arrow.stats_table(
        batch_of(system=["a"] * 4), [BLEU(), CHRF(char_order=1, word_order=1), TER()], keys=["system"]
    )
    assert table.column_names == [
        *("system", "segments", "refs_min", "refs_max"),
        *("bleu.signature", "bleu.hyp_len", "bleu.ref_len"),
        *(f"bleu.{what}_{order}" for what in ("match", "total") for order in range(1, 5)),
        *("chrf+.signature", "chrf+.hyp_c1", "chrf+.ref_c1", "chrf+.match_c1"),
        *("chrf+.hyp_w1", "chrf+.ref_w1", "chrf+.match_w1", "ter.signature", "ter.edits", "ter.ref_len"),
    ]
    kinds = dict(zip(table.column_names, map(str, table.schema.types), strict=True))
    assert kinds.pop("ter.ref_len") == "double"
    assert {kind for name, kind in kinds.items() if "." in name and "signature" not in name} == {"int64"}


@examples(60)
@given(corpus=corpora())
def test_scores_and_signatures_of_a_batch_are_those_of_its_texts(corpus):
    table = pa.table(
        {"hyp": corpus.hypotheses, **{f"r{n}": pa.array(s, pa.string()) for n, s in enumerate(corpus.references)}}
    )
    names = [name for name in table.column_names if name != "hyp"]
    (group,) = arrow.scores(arrow.stats_table(table, ALL, references=names), expected=len(table))
    for name, metric in ALL.items():
        stats = metric.corpus_stats(corpus.hypotheses, corpus.references)
        assert (group.scores[name].score, group.signatures[name]) == (stats.score().score, stats.signature())


@examples(60)
@given(corpus=corpora(max_segments=7), seed=st.integers(0, 1 << 30), data=st.data())
def test_any_shards_in_any_order_add_up_to_the_whole(corpus, seed, data):
    count = len(corpus.hypotheses)
    names = data.draw(st.lists(st.sampled_from("abc"), min_size=count, max_size=count))
    batch = batch_of(*corpus, system=names)
    whole = arrow.stats_table(batch, ALL, keys=["system"])
    rng = random.Random(seed)
    cuts = sorted([0, count, *(rng.randrange(count + 1) for _ in range(4))])  # some shards are empty
    parts = [batch.slice(a, b - a) for a, b in pairwise(cuts)]
    tables = [arrow.stats_table(part, ALL, keys=["system"]) for part in parts]
    while len(tables) > 1:
        rng.shuffle(tables)
        tables.append(arrow.merge(pa.concat_tables([tables.pop(), tables.pop()])))
    for found, expected in zip(dump(tables[0], ["system"]), dump(whole, ["system"]), strict=True):
        mean_length = found.pop("ter.ref_len"), expected.pop("ter.ref_len")
        assert close(*mean_length)  # a fraction for three references
        assert found == expected


def test_rows_may_be_added_up_later():
    by_row = arrow.stats_table(batch_of(**keyed(4)), ALL, keys=KEYS, rows=True)
    assert dump(arrow.merge(by_row), KEYS) == dump(arrow.stats_table(batch_of(**keyed(4)), ALL, keys=KEYS), KEYS)


def test_an_engine_may_add_up_in_its_own_way():
    by_row = arrow.stats_table(batch_of(system=["a", "b", "a", None]), ALL, keys=["system"], rows=True).to_pandas()
    sums = [name for name in by_row if "." in name and "signature" not in name]
    ways = {"segments": "sum", "refs_min": "min", "refs_max": "max", **dict.fromkeys(sums, "sum")}
    keys = ["system", *(name for name in by_row if "signature" in name)]
    summed = by_row.groupby(keys, observed=True, dropna=False).agg(ways).reset_index()
    found = {
        group.keys["system"]: group for group in arrow.scores(pa.Table.from_pandas(summed, preserve_index=False), 4)
    }
    for name, places in (("a", [0, 2]), ("b", [1]), (None, [3])):
        texts = [HYPOTHESES[n] for n in places], [[stream[n] for n in places] for stream in REFERENCES]
        expected = {key: metric.corpus_stats(*texts).score().score for key, metric in ALL.items()}
        assert {key: score.score for key, score in found[name].scores.items()} == expected


def test_an_empty_batch_gives_no_rows_and_the_same_columns():
    some, none = batch_of(**keyed(4)), batch_of(**keyed(4)).slice(0, 0)
    for rows in (True, False):
        table = arrow.stats_table(none, ALL, keys=KEYS, rows=rows)
        assert len(table) == 0
        whole = arrow.stats_table(some, ALL, keys=KEYS, rows=rows)
        assert table.schema == whole.schema
        assert dump(arrow.merge(pa.concat_tables([table, whole, table])), KEYS) == dump(arrow.merge(whole), KEYS)
    assert arrow.scores(table) == []


def test_references_may_be_several_columns_of_which_some_are_lists():
    singles, lists = REFERENCES[0], lists_of(REFERENCES[1:])
    table = pa.table({"hyp": HYPOTHESES, "first": singles, "others": lists})
    (found,) = arrow.scores(arrow.stats_table(table, ALL, references=["first", "others"]))
    (expected,) = arrow.scores(arrow.stats_table(batch_of(), ALL))
    assert (found.stats, found.signatures) == (expected.stats, expected.signatures)


def test_a_varying_number_of_references_is_signed():
    lists = [["a b c d e"], ["a b c d e", "f"], ["g"] * 3]
    table = pa.table({"hyp": ["a b c d e"] * 3, "ref": lists})
    (group,) = arrow.scores(arrow.stats_table(table, ["bleu"]))
    assert group.signatures["bleu"].info["nrefs"] == "var"
    assert arrow.stats_table(table, ["bleu"]).select(["segments", "refs_min", "refs_max"]).to_pylist() == [
        {"segments": 3, "refs_min": 1, "refs_max": 3}
    ]


def test_missing_references_are_left_out_as_in_texts():
    metric = BLEU(skip_empty_refs=True)
    table = pa.table({"hyp": ["a b c d", "e f g h"], "ref": [["a b c d", ""], ["", "e f g i"]]})
    (group,) = arrow.scores(arrow.stats_table(table, [metric]))
    texts = ["a b c d", "e f g h"], [["a b c d", ""], ["", "e f g i"]]
    assert group.scores["bleu"].score == metric.corpus_stats(texts[0], list(zip(*texts[1], strict=True))).score().score
    assert group.signatures["bleu"].info["empty"] == "missing"


# --- forms of columns

TEXT_TYPES = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
LIST_TYPES = [pa.list_, pa.large_list, lambda kind: pa.list_(kind, 2)]


@pytest.mark.parametrize("kind", TEXT_TYPES, ids=str)
def test_texts_may_be_of_any_type(kind):
    table = pa.table({"hyp": pa.array(HYPOTHESES).cast(kind), "ref": pa.array(REFERENCES[0]).cast(kind)})
    expected = pa.table({"hyp": HYPOTHESES, "ref": REFERENCES[0]})
    for start, count in ((0, 4), (1, 2), (3, 1), (2, 0)):  # slices share memory with rows that they do not contain
        parts = [one.slice(start, count) for one in (table, expected)]
        assert arrow.stats_table(parts[0], ALL).equals(arrow.stats_table(parts[1], ALL))


@pytest.mark.parametrize("listed", LIST_TYPES, ids=["list", "large_list", "fixed_size_list"])
@pytest.mark.parametrize("kind", TEXT_TYPES[:3], ids=str)
def test_references_may_be_lists_of_any_type(listed, kind):
    lists = [["a b", "c"], ["d", None], [None, "e f g"], ["h", "i"]]
    whole = pa.table({"hyp": HYPOTHESES, "ref": pa.array(lists, listed(pa.string())).cast(listed(kind))})
    expected = pa.table({"hyp": HYPOTHESES, "ref": lists})
    for start, count in ((0, 4), (1, 2), (3, 1)):
        parts = [one.slice(start, count) for one in (whole, expected)]
        assert arrow.stats_table(parts[0], ALL).equals(arrow.stats_table(parts[1], ALL))


def test_columns_in_chunks_that_differ_are_counted_as_one():
    table = pa.table(
        {
            "hyp": pa.chunked_array([HYPOTHESES[:1], HYPOTHESES[1:]]),
            "ref": pa.chunked_array([REFERENCES[0][:3], REFERENCES[0][3:]]),
        }
    )
    whole = pa.table({"hyp": HYPOTHESES, "ref": REFERENCES[0]})
    assert arrow.stats_table(table, ALL).equals(arrow.stats_table(whole, ALL))
    assert arrow.stats_table(whole.to_batches()[0], ALL).equals(arrow.stats_table(whole, ALL))


def test_batches_are_counted_in_blocks():
    repeated = pa.concat_tables([batch_of()] * 1100)  # more than are counted at once
    (group,) = arrow.scores(arrow.stats_table(repeated, ALL), expected=4400)
    for name, metric in ALL.items():
        stats = metric.corpus_stats(HYPOTHESES * 1100, [stream * 1100 for stream in REFERENCES])
        assert close(group.scores[name].score, stats.score().score)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
def test_no_text_is_copied(kind):
    def address(data):
        return pa.py_buffer(data).address

    plain = pa.array(["ab", None, "cd"], kind)
    (stream,) = arrow.read_references(plain, "ref")
    assert address(stream.data) == plain.buffers()[-1].address
    listed = pa.array([["ab", "cd"], ["ef"]], pa.list_(kind))
    for stream in arrow.read_references(listed.slice(1), "ref"):
        assert 0 <= address(stream.data) - listed.values.buffers()[-1].address < 6
    assert [list(stream) for stream in arrow.read_references(listed, "ref")] == [["ab", "ef"], ["cd", None]]


# --- metrics


def test_metrics_may_be_given_by_name_or_signature():
    signature = "BLEU|nrefs:1|case:lc|eff:no|tok:intl|smooth:exp|version:2.6.0"
    table = arrow.stats_table(batch_of(), ["chrf++", signature, TER(normalized=True)])
    assert scale.metrics_in(table.column_names) == ["chrf++", "bleu", "ter"]
    (group,) = arrow.scores(table)
    expected = BLEU(lowercase=True, tokenize="intl").corpus_stats(HYPOTHESES, REFERENCES)
    assert group.stats["bleu"] == expected
    assert group.stats["ter"] == TER(normalized=True).corpus_stats(HYPOTHESES, REFERENCES)


def test_two_configurations_of_one_metric_have_names():
    ways = {"bleu-char": BLEU(tokenize="char"), "bleu-intl": "BLEU|case:mixed|tok:intl"}
    (group,) = arrow.scores(arrow.stats_table(batch_of(), ways))
    assert {name: signature.info["tok"] for name, signature in group.signatures.items()} == {
        "bleu-char": "char",
        "bleu-intl": "intl",
    }
    raised(["two metrics would have the name bleu", "choose names"], arrow.stats_table, batch_of(), [BLEU(), BLEU()])


class Longer(Metric[Score]):
    name = "Longer"
    options = (SKIP_EMPTY_REFS,)

    def prepare(self, segments):
        return segments

    def compare(self, hypotheses, references):
        return WER().compare(hypotheses, references)

    def score_from_stats(self, sums):
        score = Score()
        score.name, score.score = self.name, sums[0]
        return score


def test_a_custom_metric_names_its_statistics():
    raised(["Longer does not name its statistics", "column_names()"], arrow.stats_table, batch_of(), [Longer()])

    class Named(Longer):
        def column_names(self):
            return ["edits", "words"]

    own = {"own": Named()}
    (group,) = arrow.scores(arrow.stats_table(batch_of(), own), metrics=own)
    assert group.scores["own"].score == WER().corpus_stats(HYPOTHESES, REFERENCES).sums[0]


def test_anything_but_metrics_is_refused():
    for metrics, parts in (
        ([], ["no metric was given"]),
        ({}, ["no metric was given"]),
        (3, ["metrics 3; give a list of names or metrics"]),
        (["blue"], ["metric 'blue'", "did you mean bleu?"]),
        ([3], ["metric 3", "give a name such as bleu"]),
        (
            {"bleu": BLEU(), "bleu-": BLEU(skip_empty_refs=True)},
            ["skip_empty_refs", "one table with it"],
        ),
    ):
        raised(parts, arrow.stats_table, batch_of(), metrics)


# --- what is refused


def test_a_missing_hypothesis_names_its_row_and_key():
    table = batch_of(["a", "b", None, "d"], **keyed(4))
    found = raised(
        ["hyp is null in row 2 (counting from 0; system a, testset x)"], arrow.stats_table, table, ["bleu"], keys=KEYS
    )
    assert "give a string" in found
    raised(["hyp is null in row 2 (counting from 0);"], arrow.stats_table, table, ["bleu"])


def test_a_segment_without_references_names_its_row_and_key():
    for lists in ([["a"], [], ["b"], ["c"]], [["a"], None, ["b"], ["c"]], [["a"], [None], ["b"], ["c"]]):
        table = pa.table({"hyp": HYPOTHESES, "ref": lists, **keyed(4)})
        raised(
            ["missing in row 1 (counting from 0; system b, testset x)"], arrow.stats_table, table, ["bleu"], keys=KEYS
        )
    table = pa.table({"hyp": HYPOTHESES * 2000, "ref": [*["a"] * 7999, None]})
    raised(["missing in row 7999 (counting from 0);"], arrow.stats_table, table, ["bleu"])


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"hypothesis": "hpy"}, ["there is no column hpy; the columns are hyp, ref", "did you mean hyp?"]),
        ({"references": ["ref", "ref2"]}, ["there is no column ref2", "did you mean ref?"]),
        ({"keys": ["system"]}, ["there is no column system"]),
        ({"hypothesis": "number"}, ["number 0 (counting from 0) is of type int, not a string"]),
        ({"references": "numbers"}, ["numbers 0 (counting from 0) is of type int, not a string"]),
        ({"keys": ["segments"]}, ["the column segments has the name of a column of statistics; rename it"]),
        ({"keys": ["number", "number"]}, ["the key number is given twice; name each column once"]),
        ({"keys": ["numbers"]}, ["the column numbers holds values of type list", "cannot make groups"]),
        ({"keys": ["numbers"], "rows": True}, ["the column numbers holds values of type list"]),
        ({"references": []}, ["no column of references was named; name at least one"]),
        ({"keys": ["bleu.x"]}, ["the column bleu.x has the name of a column of statistics"]),
    ],
)
def test_impossible_columns_are_refused(options, parts):
    table = batch_of(number=[1, 2, 3, 4], numbers=[[1]] * 4, segments=[1] * 4, **{"bleu.x": [1] * 4})
    if "columns are" in parts[0]:
        table = batch_of()
    raised(parts, arrow.stats_table, table, ["bleu"], **options)


@pytest.mark.parametrize("name", [".a", "[0]", "a.b", "0", "1", "a b", "key_sum", ""])
def test_keys_may_have_any_name(name):
    table = arrow.stats_table(batch_of(**{name: ["x", "y", "x", "y"]}), ["ter"], keys=name)
    assert [(group.keys, group.segments) for group in arrow.scores(table)] == [({name: "x"}, 2), ({name: "y"}, 2)]


def test_anything_but_a_table_is_refused():
    raised(["batch: found dict; give a pyarrow table or record batch"], arrow.stats_table, {"hyp": ["a"]}, ["bleu"])


def test_a_repeated_column_is_refused():
    table = pa.table([HYPOTHESES, HYPOTHESES, REFERENCES[0]], names=["hyp", "hyp", "ref"])
    raised(["there are 2 columns hyp"], arrow.stats_table, table, ["bleu"])


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([1, 2, None]), st.booleans()), min_size=1, max_size=60)
)
@examples(60)
@example([*[("b", 2, True)] * 5, *[(name, number, True) for name in "abc" for number in (1, 2)], ("a", None, False)])
def test_groups_come_in_order_of_first_appearance(rows):
    columns = dict(zip(("k", "l", "m"), map(list, zip(*rows, strict=True)), strict=True))
    table = pa.table({"hyp": ["a"] * len(rows), "ref": ["a"] * len(rows), **columns})
    for keys in (["k"], ["k", "l"], ["m", "l", "k"]):
        order = list(dict.fromkeys(zip(*(columns[key] for key in keys), strict=True)))
        counted = arrow.stats_table(table, ["ter"], keys=keys)
        parts = [arrow.stats_table(table.slice(start, 7), ["ter"], keys=keys) for start in range(0, len(rows), 7)]
        for found in (counted, arrow.merge(counted), arrow.merge(pa.concat_tables(parts))):
            assert list(zip(*(found.column(key).to_pylist() for key in keys), strict=True)) == order
        assert [tuple(of.keys.values()) for of in arrow.scores(pa.concat_tables(parts))] == order


def test_one_key_cannot_be_counted_in_two_ways():
    tables = [
        arrow.stats_table(batch_of(system=["a"] * 4), {"bleu": one}, keys=["system"])
        for one in (BLEU(), BLEU(lowercase=True))
    ]
    raised(
        ["statistics of system a with BLEU|case:mixed|", "and with BLEU|case:lc|", "cannot be added"],
        arrow.merge,
        pa.concat_tables(tables),
    )


def test_two_keys_can_be_counted_in_two_ways():
    pairs = [("en-de", BLEU()), ("en-zh", BLEU(tokenize="zh"))]
    tables = [arrow.stats_table(batch_of(pair=[pair] * 4), {"bleu": one}, keys=["pair"]) for pair, one in pairs]
    found = {group.keys["pair"]: group.stats["bleu"] for group in arrow.scores(pa.concat_tables(tables))}
    assert found == {pair: one.corpus_stats(HYPOTHESES, REFERENCES) for pair, one in pairs}


def test_lost_and_doubled_rows_are_noticed():
    table = arrow.stats_table(batch_of(), ["bleu"])
    assert len(arrow.scores(table, expected=4)) == 1
    raised(["cover 4 segments, but 5 were expected", "lost"], arrow.scores, table, expected=5)
    raised(
        ["cover 8 segments, but 4 were expected", "doubled"], arrow.scores, pa.concat_tables([table, table]), expected=4
    )


def test_what_is_not_a_table_of_statistics_is_refused():
    raised(["lacks segments, refs_min, refs_max"], arrow.merge, batch_of())
    table = arrow.stats_table(batch_of(), ["bleu"])
    raised(["lacks the signature of a metric"], arrow.scores, table.drop_columns(["bleu.signature"]))
    raised(["there is no column bleu.match_2"], arrow.scores, table.drop_columns(["bleu.match_2"]))


# --- rows of statistics


def test_statistics_of_segments_become_a_table_and_back():
    for metric in ALL.values():
        rows = metric.corpus_stats(HYPOTHESES, REFERENCES, keep_rows=True).rows
        table = rows.to_arrow(metric.column_names())
        assert table.column_names == metric.column_names()
        assert SegmentStats.from_arrow(table) == rows
        assert list(SegmentStats.from_arrow(rows[:0].to_arrow())) == []
    assert rows.to_arrow().column_names == ["column_1", "column_2"]


def test_integers_that_do_not_fit_into_rows_are_refused():
    columns = {"a": pa.array([1], pa.int8()), "b": pa.array([2**63 - 1], pa.uint64())}
    assert list(SegmentStats.from_arrow(pa.table(columns))) == [(1, 2**63 - 1)]
    columns["b"] = pa.array([2**63], pa.uint64())
    raised(["the column b has 9223372036854775808; expected"], SegmentStats.from_arrow, pa.table(columns))
    assert list(SegmentStats.from_arrow(pa.table(columns | {"a": [0.5]}))) == [(0.5, 2.0**63)]


def test_other_tables_are_not_taken_for_statistics():
    raised(["the column a has gaps"], SegmentStats.from_arrow, pa.table({"a": [1, None]}))
    raised(["the column a has values of type string"], SegmentStats.from_arrow, pa.table({"a": ["1"]}))
    raised(["without columns"], SegmentStats.from_arrow, pa.table({}))
    raised(["1 name for statistics of 2 columns"], SegmentStats(memoryview(bytes(16)).cast("q"), 2).to_arrow, ["a"])


# --- what must be installed


def test_the_module_imports_nothing_heavy():
    program = "import sys, bleucli.scale.arrow; print(sorted({'pyarrow', 'numpy', 'pandas'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "[]\n"


def test_without_pyarrow_the_error_says_what_to_type(monkeypatch):
    batch = batch_of()
    rows = BLEU().corpus_stats(HYPOTHESES, REFERENCES, keep_rows=True).rows
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for call in (lambda: arrow.stats_table(batch, ["bleu"]), lambda: arrow.scores(batch), rows.to_arrow):
        raised(["the module pyarrow ", "pip install 'bleucli[arrow]'"], call)
