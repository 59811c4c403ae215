"""Files of statistics: they give back what was counted, from any shards, and other files are refused."""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
import tempfile
from itertools import pairwise

import pytest
from conftest import raised
from hypothesis import given
from hypothesis import strategies as st
from strategies import corpora, enough, every, examples

from bleucli import BLEU, CER, CHRF, TER, WER, statsfiles
from bleucli.counting import SystemStats
from bleucli.errors import BleuError
from bleucli.scale.statsfiles import Shard, Writer, check_references, find_files, read, write
from bleucli.scoring import score_counted
from bleucli.significance.comparison import Sampling

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed; there are no files to write")
pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed; there are no files to write")

ALL = {"bleu": BLEU(), "chrf": CHRF(), "chrf++": CHRF(word_order=2), "ter": TER(), "wer": WER(), "cer": CER()}
SYSTEMS = {
    "KIT": ["the cat sat on the mat", "it was not a surprise", "all of them ran home", "so it goes, he said"],
    "LIUM": ["a cat sat on a mat", "it was no big surprise", "they all ran to a home", "so it goes then, he said"],
}
REFERENCES = [["the cat sat on a mat", "it was no surprise", "they all ran home", "so it goes, she said"]]
TWO = [*REFERENCES, ["a cat sat there", "nobody was surprised", "all ran home", "so it went"]]


def count(metrics=ALL, references=REFERENCES, start=0, stop=None, systems=SYSTEMS):
    """Return statistics by system and metric, of some segments."""
    cut = slice(start, stop)
    return {
        system: {
            name: metric.corpus_stats(texts[cut], [stream[cut] for stream in references], keep_rows=True)
            for name, metric in metrics.items()
        }
        for system, texts in systems.items()
    }


def save(path, metrics=ALL, references=REFERENCES, start=0, stop=None, systems=SYSTEMS, **how):
    write(str(path), count(metrics, references, start, stop, systems), first=start, **how)
    return str(path)


def rewritten(path, change):
    """Change a table as another program would, which drops the metadata."""
    table = change(pq.read_table(path).replace_schema_metadata(None))
    pq.write_table(table, path, store_schema=False)
    return path


def all_stats(statistics, metrics=ALL, **how):
    """Return statistics by system and metric, as `count` does."""
    (part,) = statistics.count(metrics, **how)
    return {system.name: dict(zip(metrics, system.stats, strict=True)) for system in part.systems}


# --- what is written comes back


@pytest.mark.parametrize("references", [REFERENCES, TWO], ids=["one reference", "two"])
def test_all_statistics_come_back(tmp_path, references):
    statistics = read(save(tmp_path / "all.parquet", references=references))
    counted = count(references=references)
    assert (statistics.systems, list(statistics.metrics)) == (["KIT", "LIUM"], list(ALL))
    assert all_stats(statistics, keep_rows=True) == counted
    for system, by_metric in all_stats(statistics).items():
        for name, stats in by_metric.items():
            assert (stats.sums, stats.segments, stats.rows) == (counted[system][name].sums, 4, None)
            assert (stats.score().score, stats.signature()) == (
                counted[system][name].score().score,
                counted[system][name].signature(),
            )


def test_columns_are_those_of_the_layout(tmp_path):
    path = save(tmp_path / "s.parquet", {"ter": TER()}, columns={"testset": "wmt17", "doc": list("aabb")}, start=0)
    table = pq.read_table(path)
    assert table.column_names == [
        *("system", "testset", "doc", "segment", "refs"),
        *("ter.signature", "ter.edits", "ter.ref_len"),
    ]
    assert table["system"].to_pylist() == ["KIT"] * 4 + ["LIUM"] * 4
    assert table["segment"].to_pylist() == [0, 1, 2, 3] * 2
    assert table["ter.signature"].to_pylist()[0].startswith("TER|case:lc|tok:tercom|")
    assert pq.read_metadata(path).metadata[b"bleu.stats"] == b"1"


def test_a_million_segments_take_little_room(tmp_path):
    rng = random.Random(5)
    texts = [" ".join(rng.choices("abcdefgh", k=rng.randrange(1, 40))) for _ in range(enough(8) * 1000)]
    references = [rng.choice(texts) for _ in texts]
    stats = BLEU().corpus_stats(texts, [references], keep_rows=True)
    write(str(tmp_path / "s.parquet"), {"s": stats})
    assert read(str(tmp_path / "s.parquet")).stats(keep_rows=True) == stats
    assert os.path.getsize(tmp_path / "s.parquet") < 10 * len(texts) + 20_000


def test_one_metric_needs_no_name(tmp_path):
    path = str(tmp_path / "s.parquet")
    stats = CHRF(word_order=2).corpus_stats(SYSTEMS["KIT"], REFERENCES, keep_rows=True)
    write(path, {"KIT": stats})
    statistics = read(path)
    assert list(statistics.metrics) == ["chrf++"]
    assert statistics.stats(keep_rows=True) == stats
    write(path, {"KIT": [stats]})
    assert read(path).stats("KIT", "chrf++", keep_rows=True) == stats
    raised(["there is no system LIUM; choose one of KIT"], read(path).stats, "LIUM")
    save(path)
    raised(["there are 2 systems; choose one of KIT, LIUM"], read(path).stats)
    raised(["there are 6 metrics; choose one of bleu"], read(path).stats, "KIT")
    write(path, {"KIT": CHRF().corpus_stats([], [[]])})
    raised(["the files have no system; name files with at least one segment"], read(path).stats)


def test_sums_are_one_row_per_system(tmp_path):
    path = str(tmp_path / "sums.parquet")
    write(path, {name: BLEU().corpus_stats(texts, TWO) for name, texts in SYSTEMS.items()})
    assert pq.read_table(path).select(["system", "segments", "refs_min", "refs_max"]).to_pylist() == [
        {"system": name, "segments": 4, "refs_min": 2, "refs_max": 2} for name in SYSTEMS
    ]
    statistics = read(path)
    assert statistics.stats("LIUM").score().score == BLEU().corpus_score(SYSTEMS["LIUM"], TWO).score
    raised(
        ["sums.parquet holds sums", "save them with statsfiles.write(...)"], statistics.stats, "LIUM", keep_rows=True
    )
    raised(["sums.parquet was given twice"], read, path, path)
    for number, link in enumerate((os.link, os.symlink, shutil.copy)):
        link(path, tmp_path / f"{number}.parquet")
        raised([f"{number}.parquet was given twice", "the same bytes"], read, path, str(tmp_path / f"{number}.parquet"))


@pytest.mark.parametrize("given", [{"columns": {"domain": "news"}}, {"first": 4}])
def test_sums_are_written_without_columns_and_first(tmp_path, given):
    path = str(tmp_path / "sums.parquet")
    raised(
        ["no statistics have rows", "count with keep_rows=True"],
        write,
        path,
        {"KIT": BLEU().corpus_stats(["a"], [["a"]])},
        **given,
    )
    assert not os.path.exists(path)


def test_statistics_that_do_not_match_are_not_written_together(tmp_path):
    path = str(tmp_path / "s.parquet")
    kept, sums = (BLEU().corpus_stats(["a b"], [["a b"]], keep_rows=keep) for keep in (True, False))
    for systems, parts in (
        ({}, ["no system was given"]),
        ({"a": kept, "b": sums}, ["some statistics have rows"]),
        ({"a": kept, "b": kept + kept}, ["different numbers of segments"]),
        (
            {"a": kept, "b": CHRF().corpus_stats(["a"], [["a"]], keep_rows=True)},
            ["b and a were counted by different metrics"],
        ),
        ({"a": kept, "b": BLEU(lowercase=True).corpus_stats(["a"], [["a"]], keep_rows=True)}, ["different metrics"]),
    ):
        raised(parts, write, path, systems)
    assert not os.path.exists(path)
    raised(["cannot write", "no folder"], write, str(tmp_path / "no folder" / "s.parquet"), {"a": kept})


# --- shards


@pytest.mark.slow
@examples(40)
@given(corpus=corpora(max_segments=8), seed=st.integers(0, 1 << 30))
def test_shards_in_any_order_merged_or_not_are_the_whole(corpus, seed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("shards")
    rng = random.Random(seed)
    length = len(corpus.hypotheses)
    cuts = sorted([0, length, *(rng.randrange(length + 1) for _ in range(3))])  # some shards are empty
    systems = {"a": corpus.hypotheses, "b": corpus.hypotheses[::-1]}
    whole = count(references=corpus.references, systems=systems)
    paths = [
        save(folder / f"{n}.parquet", references=corpus.references, start=start, stop=stop, systems=systems)
        for n, (start, stop) in enumerate(pairwise(cuts))
    ]
    rng.shuffle(paths)
    assert all_stats(read(*paths), keep_rows=True) == whole
    while len(paths) > 1:
        target = str(folder / f"merged{len(paths)}.parquet")
        read(paths.pop(), paths.pop()).write(target)
        paths.insert(rng.randrange(len(paths) + 1), target)
    merged = read(*paths)
    assert all_stats(merged, keep_rows=True) == whole
    for system, by_metric in all_stats(merged).items():
        for name, stats in by_metric.items():
            assert stats.score().score == pytest.approx(whole[system][name].score().score, rel=1e-12)


@pytest.mark.parametrize("method", ["ar", "bs", "ci"])
def test_tests_from_uneven_shards_are_those_of_the_texts(tmp_path, method):
    paths = [save(tmp_path / f"{a}.parquet", start=a, stop=b) for a, b in ((0, 1), (1, 3), (3, 4))]
    (part,) = read(*paths[::-1]).count(ALL, keep_rows=True)
    (direct,) = read(save(tmp_path / "all.parquet")).count(ALL, keep_rows=True)
    sampling = Sampling(method, 200, all_pairs=method != "ci")
    results = [score_counted(one.systems, list(ALL.values()), sampling=sampling) for one in (part, direct)]
    assert results[0] == results[1]
    assert results[0].systems[1].scores[0].score == BLEU().corpus_score(SYSTEMS["LIUM"], REFERENCES).score


def test_systems_may_have_their_own_shards(tmp_path):
    paths = [
        save(tmp_path / f"{name}.{a}.parquet", start=a, stop=b, systems={name: texts})
        for name, texts in SYSTEMS.items()
        for a, b in ((2, 4), (0, 2))
    ]
    assert all_stats(read(*paths), keep_rows=True) == count()


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="the system does not list open files")
def test_many_shards_need_few_open_files(tmp_path):
    stats = BLEU().corpus_stats(["a b"], [["a b"]], keep_rows=True)
    for n in range(40):
        write(str(tmp_path / f"{n:02}.parquet"), {"a": stats}, first=n)
    before = len(os.listdir("/proc/self/fd"))
    statistics = read(str(tmp_path))
    assert statistics.stats(keep_rows=True).segments == 40
    statistics.write(str(tmp_path / "all.parquet"))
    assert len(os.listdir("/proc/self/fd")) <= before + 2


def test_parts_of_engines_are_distinguished_by_their_names(tmp_path):
    for name, (start, stop) in {"part-0": (0, 1), "part-1": (1, 4)}.items():
        write(str(tmp_path / f"{name}.parquet"), count(start=start, stop=stop), columns={"part": name})
    assert all_stats(read(str(tmp_path)), keep_rows=True) == count()


def test_test_sets_are_distinguished(tmp_path):
    for name in ("wmt16", "wmt17"):
        save(tmp_path / f"{name}.parquet", columns={"testset": name, "langpair": "en-de"})
    statistics = read(str(tmp_path / "*.parquet"))
    twice = {system: texts * 2 for system, texts in SYSTEMS.items()}
    assert all_stats(statistics, keep_rows=True) == count(systems=twice, references=[REFERENCES[0] * 2])
    groups = statistics.count({"bleu": BLEU()}, by=["testset"])
    assert [group.labels for group in groups] == [[("testset", "wmt16")], [("testset", "wmt17")]]
    assert all(group.systems[0].stats[0].sums == count()["KIT"]["bleu"].sums for group in groups)


def test_repeated_and_missing_segments_are_named(tmp_path):
    first, second, third = (save(tmp_path / f"{n}.parquet", start=n, stop=n + 1) for n in range(3))
    raised(["segment 0 (counting from 0) of KIT occurs twice (", "0.parquet, "], read(first, first).count, ALL)
    assert all_stats(read(first, second, third))
    raised(["segment 1 (counting from 0) of KIT is missing"], read(first, third).count, ALL)
    raised(["segments 0 to 1 (counting from 0) of KIT are missing"], read(third).count, ALL)
    last = save(tmp_path / "last.parquet", start=3, systems={"KIT.2": SYSTEMS["KIT"]})
    hint = ", or if KIT is the same system, save both under one name"
    raised(
        [f"segments 0 to 2 (counting from 0) of KIT.2 are missing; name all shards{hint}"],
        read(first, last).count,
        ALL,
    )
    alone = save(tmp_path / "alone.parquet", start=1, stop=3, systems={"KIT": SYSTEMS["KIT"]})
    raised(["segments 1 to 2 (counting from 0) of LIUM are missing, but KIT has them"], read(first, alone).count, ALL)
    save(tmp_path / "a.parquet", columns={"testset": "wmt16"})
    save(tmp_path / "b.parquet", columns={"testset": "wmt17"}, systems={"KIT": SYSTEMS["KIT"]})
    both = read(str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet"))
    raised(["segments 0 to 3 (counting from 0) of LIUM in wmt17 are missing, but KIT has them"], both.count, ALL)


@examples(60)
@given(data=st.data())
def test_the_order_of_rows_and_the_size_of_row_groups_do_not_matter(data, tmp_path_factory):
    path = save(tmp_path_factory.mktemp("s") / "s.parquet")
    table = pq.read_table(path)
    order = data.draw(st.permutations(range(len(table))))
    doubled = data.draw(st.booleans())
    table = table.take([*order, order[0]] if doubled else order)
    pq.write_table(table, path, row_group_size=data.draw(st.integers(1, 9)))
    if doubled:
        raised(["occurs twice"], read(path).count, ALL)
        return
    found = all_stats(read(path), keep_rows=True)
    assert found == count()


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ({"columns": {"domain": ["a"]}}, ["the column domain has 1 value for 4 segments; give one value per segment"]),
        ({"columns": {"domain": 3}}, ["the column domain: 3 is of type int; give a list"]),
        ({"columns": {"domain": [1, "a", 2, 3]}}, ["the column domain cannot be written", "give strings or numbers"]),
        ({"columns": {"domain": [1 << 70, 1, 2, 3]}}, ["the column domain cannot be written"]),
        ({"columns": {"refs": "a"}}, ["the column refs has the name of a column of statistics; rename it"]),
        ({"columns": {"segments": "a"}}, ["the column segments has the name of a column of statistics"]),
        ({"columns": {"bleu.match_1": "a"}}, ["the column bleu.match_1 has the name of a column of statistics"]),
        ({"columns": {"my.signature": "a"}}, ["the column my.signature has the name of a column of statistics"]),
        ({"columns": {"segment": "abcd"}}, ["the column segment: 'abcd' is of type str; give a list"]),
        ({"columns": {"segment": [0, 1, 2, "3"]}}, ["segment '3' is of type str; give a whole number"]),
        ({"columns": {"segment": [0.5, 1, 2, 3]}}, ["segment 0.5 is of type float; give a whole number"]),
        ({"columns": {"segment": [-1, 0, 1, 2]}}, ["segment -1; expected a number from 0"]),
        ({"columns": {"segment": [0, 1, 2, 1 << 64]}}, ["segment 18446744073709551616; expected a number from 0"]),
        ({"first": -1}, ["first -1; expected a number from 0"]),
        ({"first": 1 << 63}, ["first 9223372036854775808; expected a number from 0 to"]),
    ],
)
def test_columns_that_cannot_be_read_back_are_refused(tmp_path, arguments, parts):
    path = str(tmp_path / "s.parquet")
    raised(parts, write, path, count({"bleu": BLEU()}), **arguments)
    assert os.listdir(tmp_path) == []


def test_anything_but_statistics_is_refused(tmp_path):
    path = str(tmp_path / "s.parquet")
    stats = count({"bleu": BLEU()})["KIT"]
    raised(["systems: found dict_values; give a dictionary"], write, path, {"KIT": stats}.values())
    raised(["the name of a system 1 is of type int; give a string"], write, path, {1: stats})
    for wrong in (3, {"bleu": 3}, [stats["bleu"], "a"]):
        raised(["the statistics of a system: found", "give what corpus_stats returns"], write, path, {"KIT": wrong})
    raised(["no file was given; name at least one"], read)
    raised(["is of type list; give a string or a path"], read, [path])


def test_paths_may_be_objects(tmp_path):
    path = tmp_path / "s.parquet"
    write(path, count())
    read(path).write(path)
    assert all_stats(read(path), keep_rows=True) == all_stats(read(str(path)), keep_rows=True) == count()


def test_a_writer_writes_what_it_is_for_once(tmp_path):
    path = str(tmp_path / "s.parquet")
    bleu, lower = BLEU(), BLEU(lowercase=True)
    parts = [bleu.corpus_stats(SYSTEMS["KIT"][:stop], [REFERENCES[0][:stop]], keep_rows=True) for stop in (3, 4)]
    writer = Writer([bleu])
    raised(["KIT have no rows"], writer.add, [SystemStats("KIT", [parts[0].without_rows()], None)])
    both = [SystemStats(name, [part], None) for name, part in zip(SYSTEMS, parts, strict=True)]
    raised(["the systems have different numbers of segments"], writer.add, both)
    for wrong in ([], [parts[0]] * 2):
        raised(["KIT were counted by other metrics"], writer.add, [SystemStats("KIT", wrong, None)])
    raised(["KIT were counted by other metrics"], Writer([lower]).add, both[:1])
    writer.add(both[:1])
    writer.save(path)
    for again in (writer.add, lambda _: writer.save(path)):
        raised(["a Writer writes one file, and this one has done so; make another"], again, both[:1])
    assert read(path).stats(keep_rows=True) == parts[0]


# --- what can be changed afterwards, and what cannot


def test_smoothing_and_effective_order_can_be_changed(tmp_path):
    statistics = read(save(tmp_path / "s.parquet"))
    for given_ in ({"smooth_method": "floor"}, {"smooth_method": "none", "effective_order": True}):
        name, metric = statistics.choose("bleu", given_)
        found = all_stats(statistics, {name: metric})["KIT"]["bleu"]
        expected = BLEU(**given_).corpus_stats(SYSTEMS["KIT"], REFERENCES)
        assert (found.score().score, found.signature()) == (expected.score().score, expected.signature())


def test_what_decides_a_row_cannot_be_changed(tmp_path):
    statistics = read(save(tmp_path / "s.parquet"))
    raised(
        ["has BLEU counted with tok:13a, not with tok:char", "count the texts again"],
        statistics.choose,
        "bleu",
        {"tokenize": "char"},
    )
    raised(["case:mixed, not with case:lc"], statistics.choose, "bleu", {"lowercase": True})
    raised(["norm:no, not with norm:yes"], statistics.choose, "ter", {"normalized": True})
    raised(["empty:none, not with empty:missing"], statistics.choose, "wer", {"skip_empty_refs": True})
    for kind, given_ in (("bleu", {"max_ngram_order": 2}), ("chrf", {"char_order": 5})):
        raised(["not with"], statistics.choose, kind, given_)
    raised(["match_5"], statistics.count, {"bleu": BLEU(max_ngram_order=5)})
    raised(["has no TER; it has bleu"], read(save(tmp_path / "b.parquet", {"bleu": BLEU()})).choose, "ter")


def test_beta_can_be_changed_unless_it_chooses_the_reference(tmp_path):
    for references, parts in ((REFERENCES, None), (TWO, ["beta:2, not with beta:3"])):
        statistics = read(save(tmp_path / "s.parquet", references=references))
        name, metric = statistics.choose("chrf", {"beta": 3})
        if parts:
            raised(parts, statistics.count, {name: metric})
        else:
            found = all_stats(statistics, {name: metric})["KIT"][name]
            assert found.score().score == CHRF(beta=3).corpus_score(SYSTEMS["KIT"], references).score
            assert found.signature().name == "" or str(found.signature())


def test_the_requested_one_of_two_configurations_is_used(tmp_path):
    ways = {"bleu": BLEU(), "bleu-char": BLEU(tokenize="char"), "chrf": CHRF(), "chrf++": CHRF(word_order=2)}
    statistics = read(save(tmp_path / "s.parquet", ways))
    assert statistics.choose("bleu")[0] == "bleu"
    assert statistics.choose("bleu", {"tokenize": "char"})[0] == "bleu-char"
    assert statistics.choose("chrf", {"word_order": 2})[0] == "chrf++"


def test_different_configurations_are_not_added(tmp_path):
    one = save(tmp_path / "a.parquet", {"bleu": BLEU()}, start=0, stop=2)
    other = save(tmp_path / "b.parquet", {"bleu": BLEU(lowercase=True)}, start=2)
    statistics = read(one, other)
    found = raised(
        ["b.parquet has BLEU with case:lc but ", "a.parquet with case:mixed", "cannot be added"],
        statistics.count,
        dict([statistics.choose("bleu")]),
    )
    assert found.count("BLEU") == 1
    floor = save(tmp_path / "c.parquet", {"bleu": BLEU(smooth_method="floor")}, start=2)
    assert all_stats(read(one, floor), {"bleu": BLEU()})["KIT"]["bleu"].segments == 4  # rows are alike


def test_a_tokenizer_that_is_not_installed_is_not_needed(tmp_path):
    path = save(tmp_path / "s.parquet", {"bleu": BLEU()})
    rewritten(
        path,
        lambda table: table.set_column(
            table.column_names.index("bleu.signature"),
            "bleu.signature",
            pa.array(["BLEU|case:mixed|eff:no|tok:ja-mecab-9.9-XYZ|smooth:exp|version:x"] * 8),
        ),
    )
    statistics = read(path)
    stats = statistics.stats("KIT")
    assert stats.signature().info["tok"] == "ja-mecab-9.9-XYZ"
    assert stats.score().score == BLEU().corpus_score(SYSTEMS["KIT"], REFERENCES).score
    raised(["the tokenizer ja-mecab-9.9-XYZ is known only by name"], stats.metric.corpus_score, ["a"], [["a"]])


# --- groups


def test_groups_are_by_columns(tmp_path):
    path = save(tmp_path / "s.parquet", columns={"doc": list("abba"), "year": [1, 1, 2, 2]})
    statistics = read(path)
    assert statistics.columns == ["doc", "year"]
    for by, expected in (
        (["doc"], {("a",): [0, 3], ("b",): [1, 2]}),
        (["doc", "year"], {("a", 1): [0], ("b", 1): [1], ("b", 2): [2], ("a", 2): [3]}),
    ):
        for keep_rows in (False, True):
            groups = statistics.count(ALL, by=by, keep_rows=keep_rows)
            assert {tuple(value for _, value in group.labels) for group in groups} == expected.keys()
            for group in groups:
                places = expected[tuple(value for _, value in group.labels)]
                for system in group.systems:
                    for stats, name in zip(system.stats, ALL, strict=True):
                        taken = count()[system.name][name].take(places)
                        assert stats.sums == taken.sums
                        assert stats.rows == (taken.rows if keep_rows else None)
    raised(["no column domain to group by; there are doc, year"], statistics.count, ALL, by=["domain"])


def test_groups_of_many_columns_are_distinguished(tmp_path):
    count, keys = 2, 64
    hypotheses, references = SYSTEMS["KIT"][:count], [REFERENCES[0][:count]]
    stats = BLEU().corpus_stats(hypotheses, references, keep_rows=True)
    columns = {f"key{n}": ["a", "b"] if not n else ["c", None] for n in range(keys)}
    write(str(tmp_path / "s"), {"KIT": stats}, columns=columns)
    parts = read(str(tmp_path / "s")).count({"bleu": BLEU()}, by=list(columns))
    assert [part.systems[0].stats[0] for part in parts] == [
        BLEU().corpus_stats(hypotheses[n : n + 1], [references[0][n : n + 1]]) for n in range(count)
    ]


def test_sums_of_groups_are_groups_again(tmp_path):
    path = save(tmp_path / "s.parquet", columns={"doc": list("abba")})
    groups = read(path).count(ALL, by=["doc"])
    statsfiles.write_sums(str(tmp_path / "sums.parquet"), groups, ALL)
    sums = read(str(tmp_path / "sums.parquet"))
    assert sums.count(ALL, by=["doc"]) == groups
    assert {name: stats["bleu"].sums for name, stats in all_stats(sums).items()} == {
        name: stats["bleu"].sums for name, stats in count().items()
    }


# --- other programs


def test_columns_of_other_programs_are_kept(tmp_path):
    paths = [save(tmp_path / f"{n}.parquet", start=n, stop=n + 2, columns={"doc": ["a", "b"]}) for n in (0, 2)]
    rewritten(paths[1], lambda table: table.append_column("rating", pa.array([1.5, 2.5] * 2)))
    merged = str(tmp_path / "all.parquet")
    read(*paths).write(merged)
    assert set(pq.read_table(merged)["rating"].to_pylist()) == {None, 1.5, 2.5}
    assert all_stats(read(merged), keep_rows=True) == count()


def test_a_file_that_pandas_has_rewritten_is_read(tmp_path):
    path = save(tmp_path / "s.parquet", columns={"doc": list("aabb")})
    frame = pq.read_table(path).to_pandas()
    frame[frame["doc"] == "a"].to_parquet(path)
    assert all_stats(read(path), keep_rows=True) == count(stop=2)


# --- files that are not what they should be


def retyped(change):
    """Return what changes the columns of a table by their names."""
    return lambda table: pa.table({name: change(name, table.column(name)) for name in table.column_names})


def numbers_as(kind):
    return retyped(lambda _, column: column.cast(kind) if pa.types.is_integer(column.type) else column)


def texts_as(kind):
    return retyped(lambda _, column: column.cast(pa.string()).cast(kind) if "string" in str(column.type) else column)


@pytest.mark.parametrize(
    "change",
    every(
        3,
        [
            *map(
                numbers_as,
                (pa.int16(), pa.uint32(), pa.float64(), pa.float32(), pa.decimal128(20, 0), pa.large_string()),
            ),
            *map(texts_as, (pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary())),
        ],
    ),
)
def test_other_programs_may_change_the_types_of_numbers_and_texts(tmp_path, change):
    save(tmp_path / "1", stop=2)
    rewritten(tmp_path / "1", change)
    save(tmp_path / "2", start=2)
    expected = [str(stats.signature()) for stats in count()["KIT"].values()]
    for files in (["1", "2"], ["2", "1"]):
        statistics = read(*(str(tmp_path / name) for name in files))
        for found in (all_stats(statistics), all_stats(statistics, keep_rows=True)):
            assert [str(stats.signature()) for stats in found["KIT"].values()] == expected  # nrefs:1, not nrefs:1.0
            assert [stats.sums for stats in found["LIUM"].values()] == [
                stats.sums for stats in count()["LIUM"].values()
            ]
        assert found == count()
    read(str(tmp_path / "1")).write(str(tmp_path / "1"))
    assert all_stats(read(*(str(tmp_path / name) for name in "12")), keep_rows=True) == count()


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint8(), pa.string()])
def test_other_programs_may_store_fractions_as_integers_where_all_are_whole(tmp_path, kind):
    save(tmp_path / "1", stop=2)
    rewritten(tmp_path / "1", retyped(lambda name, column: column.cast(kind) if name == "ter.ref_len" else column))
    statistics = read(str(tmp_path / "1"), save(tmp_path / "2", start=2))
    assert all_stats(statistics, keep_rows=True) == count()
    assert all_stats(statistics)["KIT"]["ter"].sums == count()["KIT"]["ter"].sums


@pytest.mark.parametrize("kind", [pa.uint8(), pa.uint32(), pa.uint64()])
def test_rows_in_another_order_are_sorted_by_segments_of_any_type(tmp_path, kind):
    path = rewritten(save(tmp_path / "s.parquet"), lambda table: table.take([3, 1, 0, 2, 4, 6, 5, 7]))
    rewritten(path, numbers_as(kind))
    assert all_stats(read(path), keep_rows=True) == count()


def put(column, values):
    return lambda table: table.set_column(table.column_names.index(column), column, pa.array(values))


@pytest.mark.parametrize(
    ("column", "values", "parts"),
    [
        ("bleu.match_1", [1, 2, 3, -1] * 2, ["bleu.match_1", "negative"]),
        ("bleu.match_1", [1.0, 2.5, 3, 1] * 2, ["bleu.match_1", "whole numbers", "double"]),
        ("bleu.match_1", [[1]] * 8, ["bleu.match_1", "whole numbers", "list"]),
        ("ter.ref_len", [1.0, float("nan")] * 4, ["ter.ref_len", "not finite"]),
        ("ter.ref_len", ["a"] * 8, ["ter.ref_len", "numbers", "string"]),
        ("refs", ["one"] * 8, ["refs", "whole numbers", "string"]),
        ("segment", [0.5, 1, 2, 3] * 2, ["segment", "whole numbers", "double"]),
        ("segment", [-1, 0, 1, 2] * 2, ["segment", "negative"]),
        ("bleu.match_1", [2**60] * 8, ["bleu.match_1", "in row 0 (counting from 0), which is too large"]),
        ("bleu.match_1", pa.array([2**63] * 8, pa.uint64()), ["type uint64", "whole numbers below 2^63"]),
        ("refs", [2**31] * 8, ["refs", "in row 0 (counting from 0), which is too large"]),
    ],
)
def test_impossible_counts_are_refused(tmp_path, column, values, parts):
    path = rewritten(save(tmp_path / "a", metrics={name: ALL[name] for name in ("bleu", "ter")}), put(column, values))
    raised([*parts, path], read(path).count, {"bleu": BLEU(), "ter": TER()})


def test_a_system_that_pandas_stored_as_missing_has_the_usual_name(tmp_path):
    path = save(tmp_path / "a", metrics={"bleu": BLEU()}, systems={"KIT": SYSTEMS["KIT"]})
    for values in ([float("nan")] * 4, [None] * 4, [float("nan"), None] * 2):
        rewritten(path, put("system", values))
        assert read(path).stats("system") == read(path).stats()


@pytest.mark.parametrize("name", ["refs", "system", "bleu.match_1", "domain"])
def test_a_repeated_column_is_refused(tmp_path, name):
    path = save(tmp_path / "a", metrics={"bleu": BLEU()}, columns={"domain": "news"})
    rewritten(path, lambda table: table.append_column(name, table.column(name)))
    raised([f"{path} has 2 columns {name}; rename all but one"], read, path)


@pytest.mark.parametrize("wrong", [{"references": 5}, {"references": [["x"]]}, {"hypothesis": 3}, {"first": "0"}])
def test_notes_of_other_programs_about_texts_are_ignored(tmp_path, wrong):
    path = save(tmp_path / "a", metrics={"bleu": BLEU()})
    note = {"system": "KIT", "first": 0, "rows": 4, "hypothesis": "h", "references": ["r"]}
    for sums in (False, True):
        if sums:
            stats = {name: of["bleu"].without_rows() for name, of in count({"bleu": BLEU()}).items()}
            write(path, stats)
        for shard in (note, note | wrong):
            table = pq.read_table(path)
            pq.write_table(table.replace_schema_metadata({"bleu.shards": json.dumps([shard])}), path)
            statistics = read(path)
            assert len(statistics.shards()) == (shard == note)
            check_references(statistics.count({"bleu": BLEU()})[0].systems, statistics.shards())


def test_systems_and_signatures_must_be_texts(tmp_path):
    path = rewritten(save(tmp_path / "a", metrics={"bleu": BLEU()}), put("system", [{"name": "KIT"}] * 8))
    raised(["system", "struct", "strings", path], read, path)
    path = rewritten(save(tmp_path / "b", metrics={"bleu": BLEU()}), put("bleu.signature", [["BLEU"]] * 8))
    raised(["signature of a metric", path], read, path)


def test_columns_that_are_called_like_signatures_are_kept(tmp_path):
    path = rewritten(save(tmp_path / "a"), lambda table: table.append_column("pgp.signature", pa.array([[1]] * 8)))
    assert all_stats(read(path), keep_rows=True) == count()
    read(path).write(path)
    assert pq.read_table(path).column("pgp.signature").to_pylist() == [[1]] * 8


def test_columns_with_one_name_and_two_types_are_not_merged(tmp_path):
    paths = [save(tmp_path / "1", stop=2), save(tmp_path / "2", start=2)]
    for path, value in zip(paths, ("a", [1]), strict=True):
        rewritten(path, lambda table, value=value: table.append_column("mine", pa.array([value] * len(table))))
    raised(["mine", "rename"], read(*paths).write, str(tmp_path / "all"))


def test_files_are_found_in_folders_and_by_patterns(tmp_path):
    (tmp_path / "in").mkdir()
    for name in ("b.parquet", "a.parquet", "_SUCCESS", ".hidden.parquet", "in/c.parquet"):
        (tmp_path / name).write_bytes(b"")
    assert [os.path.relpath(path, tmp_path) for path in find_files([str(tmp_path)])] == [
        "a.parquet",
        "b.parquet",
        "in/c.parquet",
    ]
    assert find_files([str(tmp_path / "*.parquet")]) == [str(tmp_path / name) for name in ("a.parquet", "b.parquet")]
    raised(["no file matches", "z*.parquet"], find_files, [str(tmp_path / "z*.parquet")])
    assert find_files([str(tmp_path / "i*")]) == find_files([str(tmp_path / "in")])
    (tmp_path / "_temporary" / "0").mkdir(parents=True)  # of a task that Spark has not committed
    (tmp_path / "_temporary" / "0" / "c.parquet").write_bytes(b"")
    assert len(find_files([str(tmp_path)])) == 3
    (tmp_path / "empty").mkdir()
    raised(["has no file that ends in .parquet"], find_files, [str(tmp_path / "empty")])


def test_files_without_statistics_are_refused(tmp_path):
    path = str(tmp_path / "s.parquet")
    raised(["there is no file", "s.parquet"], read, path)
    (tmp_path / "s.parquet").write_bytes(b"a line\n")
    assert raised(["s.parquet is not a Parquet file; name a file written with statsfiles.write"], read, path)
    for content in (b"", b"PAR1", b"PAR1" * 100):
        (tmp_path / "s.parquet").write_bytes(content)
        with pytest.raises(
            BleuError, match=r"s\.parquet is not a complete Parquet file .*; write it again with "
        ) as caught:
            read(path)
        assert str(caught.value).endswith(" statsfiles.write")
        assert caught.value.in_command().endswith(" bleu count")
    pq.write_table(pa.table({"a": [1]}), path)
    raised(["holds no statistics: it lacks segments, refs_min, refs_max"], read, path)
    rewritten(save(path), lambda table: table.drop_columns(["refs"]))
    raised(["it lacks refs"], read, path)


def test_a_later_layout_is_refused_and_a_later_minor_version_is_read(tmp_path):
    path = save(tmp_path / "s.parquet")
    for layout, parts in (("2", ["has layout 2", "install a newer bleu"]), ("x", ["has layout x"]), ("1.7", None)):
        table = pq.read_table(path)
        pq.write_table(table.replace_schema_metadata({"bleu.stats": layout}), path)
        if parts:
            raised(parts, read, path)
        else:
            assert all_stats(read(path)) == all_stats(read(save(tmp_path / "t.parquet")))


def test_cut_files_are_refused(tmp_path):
    path = save(tmp_path / "s.parquet")
    whole = (tmp_path / "s.parquet").read_bytes()
    for length in range(0, len(whole), max(len(whole) // enough(200), 1)):
        (tmp_path / "s.parquet").write_bytes(whole[:length])
        raised(["s.parquet is not a complete Parquet file"], read, path)


def test_a_wrong_byte_among_the_rows_never_changes_a_score(tmp_path):
    path = save(tmp_path / "s.parquet")
    whole = (tmp_path / "s.parquet").read_bytes()
    footer = int.from_bytes(whole[-8:-4], "little") + 8
    expected = all_stats(read(path))
    rng = random.Random(1)
    told = []
    for _ in range(enough(400)):
        changed = bytearray(whole)
        changed[rng.randrange(4, len(whole) - footer)] ^= 1 << rng.randrange(8)
        (tmp_path / "s.parquet").write_bytes(changed)
        try:
            assert all_stats(read(path)) == expected
        except BleuError as error:
            told.append(str(error))
    assert len(told) > enough(400) / 2
    assert all("s.parquet" in line and "\n" not in line for line in told)


def test_gaps_and_missing_columns_are_refused(tmp_path):
    path = save(tmp_path / "s.parquet", {"bleu": BLEU(), "chrf": CHRF()})
    rewritten(path, lambda table: table.drop_columns(["bleu.match_2"]))
    raised(["s.parquet has no column bleu.match_2"], read(path).count, {"bleu": BLEU()})
    names = ["chrf.ref_c1", "chrf.signature"]
    for name, parts in zip(
        names, (["the column chrf.ref_c1 of", "has gaps"], ["has rows that chrf has not counted"]), strict=True
    ):
        save(path, {"chrf": CHRF()})
        rewritten(
            path,
            lambda table, name=name: table.set_column(
                table.column_names.index(name), name, pa.array([*table[name].to_pylist()[:-1], None])
            ),
        )
        raised(parts, read(path).count, {"chrf": CHRF()})


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
def test_a_full_folder_of_temporary_files_gives_one_line(tmp_path, monkeypatch):
    path = save(tmp_path / "s.parquet")
    before = (tmp_path / "s.parquet").read_bytes()
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda: open("/dev/full", "r+b", buffering=0))  # noqa: SIM115
    parts = ["cannot write a temporary file: No space left on device", "TMPDIR"]
    raised(parts, save, path)
    raised(parts, write, path, {"KIT": BLEU().corpus_stats(SYSTEMS["KIT"], REFERENCES)})  # sums
    raised(parts, read(path).write, path)
    assert (tmp_path / "s.parquet").read_bytes() == before


def test_files_of_other_metrics_are_not_merged(tmp_path):
    one, other = (
        save(tmp_path / "a.parquet", {"bleu": BLEU()}, stop=2),
        save(tmp_path / "b.parquet", {"bleu": BLEU(), "ter": TER()}, start=2),
    )
    statistics = read(one, other)
    assert list(statistics.metrics) == ["bleu"]
    assert all_stats(statistics, {"bleu": BLEU()})["KIT"]["bleu"].segments == 4
    raised(["a.parquet has no ter, which ", "b.parquet has"], statistics.write, str(tmp_path / "c.parquet"))
    assert not (tmp_path / "c.parquet").exists()


# --- references


def test_references_that_differ_are_noticed_before_a_test(tmp_path):
    other = [[*REFERENCES[0][:2], "they walked", REFERENCES[0][3]]]
    one = save(tmp_path / "a.parquet", systems={"KIT": SYSTEMS["KIT"]})
    for name, metric in ALL.items():
        two = save(tmp_path / "b.parquet", {name: metric}, other, systems={"LIUM": SYSTEMS["LIUM"]})
        (part,) = read(one, two).count({name: metric}, keep_rows=True)
        raised(
            ["the references of KIT and LIUM differ, starting at segment 2 (counting from 0)"],
            check_references,
            part.systems,
        )
    (part,) = read(save(tmp_path / "c.parquet")).count(ALL, keep_rows=True)
    check_references(part.systems)


def test_digests_distinguish_similar_references(tmp_path):
    paths = [
        save(
            tmp_path / f"{name}.parquet",
            {"bleu": BLEU()},
            systems={name: SYSTEMS[name]},
            shards=[Shard(name, 0, 4, "", [digest])],
        )
        for name, digest in (("KIT", "12"), ("LIUM", "34"))
    ]
    statistics = read(*paths)
    assert [shard.references for shard in statistics.shards()] == [["12"], ["34"]]
    (part,) = statistics.count({"bleu": BLEU()}, keep_rows=True)
    check_references(part.systems)
    raised(["differ, starting at segment 0 (counting from 0)"], check_references, part.systems, statistics.shards())


def test_the_origin_of_rows_is_kept_when_files_are_merged(tmp_path):
    shards = [Shard("KIT", n, 2, f"{n}" * 64, ["r"], f"sys.{n}.txt") for n in (0, 2)]
    paths = [
        save(tmp_path / f"{one.first}.parquet", start=one.first, stop=one.first + 2, shards=[one]) for one in shards
    ]
    read(*paths).write(str(tmp_path / "all.parquet"), "bleu --stats")
    assert read(str(tmp_path / "all.parquet")).shards() == [one._replace(references=["r"]) for one in shards]


# --- what must be installed


def test_without_pyarrow_the_error_says_what_to_type(monkeypatch, tmp_path):
    path = save(tmp_path / "s.parquet")
    for module in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, module, None)
    for call in (lambda: read(path), lambda: save(path)):
        raised(["pip install 'bleucli[arrow]'"], call)
