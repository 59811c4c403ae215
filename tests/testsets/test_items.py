"""Test sets in JSON Lines, in the layouts of WMT25, WMT26 and WMT24++: documents, ids, what is left out, outputs."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random

import pytest
import sacrebleu
from conftest import refused
from oracles import DATA
from raw_files import note_of
from strategies import enough
from web_server import Page

import bleucli
from bleucli.errors import BleuError
from bleucli.reading.decompression import DamagedError
from bleucli.testsets import cache, formats, registry


def text(seed, sentence="Das {} ist Absatz Nummer {} von Dokument {} mit einigen Wörtern."):
    """Return a document of three paragraphs, the second with a line break in it."""
    rng = random.Random(seed)
    words = ["Haus", "Boot", "Feld", "Dorf"]
    lines = [sentence.format(rng.choice(words), n, seed) for n in range(4)]
    return f"{lines[0]}\n\n{lines[1]}\n{lines[2]}\n\n{lines[3]}"


def wmt25(pair, number, domain="news", **more):
    source, target = pair.split("-")
    return {
        "doc_id": f"{pair}_#_{domain}_#_{number:04}",
        "domain": domain,
        "src_lang": source,
        "tgt_lang": target,
        "src_text": text(number, "The {} is paragraph {} of document {} here."),
        "refs": {"refA": {"ref": text(number), "translator": "x"}},
        **more,
    }


def wmt26(pair, number, domain="news", **more):
    source, target = pair.split("-")
    return {
        "doc_id": f"WMT26_###_{domain}_###_{source}_###_{target}_###_doc.{number}",
        "domain": domain,
        "src_lang": source,
        "tgt_lang": target,
        "src_text": text(number, "The {} is paragraph {} of document {} here."),
        "video": None,
        "gold_transcript": text(number, "Spoken {} {} {} here.") if domain == "speech" else None,
        "refs": {"refA": text(number)},
        **more,
    }


def wmt24pp(number, is_bad=False, **more):
    return {
        "lp": "en-de_DE",
        "domain": "news" if number % 2 else "social",
        "document_id": f"doc.{number // 3}",
        "segment_id": number + 1,
        "is_bad_source": is_bad,
        "source": f"Source number {number} of them.",
        "target": f"Der Satz Nummer {number} von ihnen ist hier.",
        "original_target": f"Satz {number} davon.",
        **more,
    }


WMT25 = [
    *(wmt25("en-cs_CZ", n, ("news", "speech")[n % 2]) for n in range(6)),
    wmt25("en-cs_CZ", 6, refs={}),
    *(wmt25("en-sr_Latn_RS", n) for n in range(2)),
    *(wmt25("en-sr_Cyrl_RS", n) for n in range(3)),
    *(wmt25("en-de_DE", n, refs={}) for n in range(3)),
]
WMT26 = [
    *(wmt26("eng_Latn-ces_Latn", n, ("news", "speech")[n % 2]) for n in range(8)),
    *(wmt26("eng_Latn-ces_Latn", n, refs={}) for n in (8, 9)),
    *(wmt26("eng_Latn-tha_Thai", n) for n in range(4)),
]
WMT24PP = [wmt24pp(n, is_bad=n in (0, 7)) for n in range(12)]


def dump(objects):
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects).encode()


@pytest.fixture
def mirror(world, monkeypatch):
    """Serve the three sets as a mirror, offline otherwise; return the server."""
    for name, last, objects in (
        ("wmt25", "wmt25-genmt.jsonl", WMT25),
        ("wmt26", "wmt26-genmt.jsonl", WMT26),
        ("wmt24pp", "en-de_DE.jsonl", WMT24PP),
        ("wmt24pp/all", "en-de_DE.jsonl", WMT24PP),
    ):
        world.web.put(f"/mirror/{name}/{last}", Page(dump(objects)))
    monkeypatch.setenv("BLEU_MIRROR", f"{world.web.url}/mirror")
    return world.web


def hypotheses(objects, seed=1, every=3):
    """Return a submission: the references, with every third word gone in some documents."""
    rows = []
    for number, one in enumerate(objects):
        reference = text(int("".join(c for c in one["doc_id"].rpartition("_")[2] if c.isdigit())))
        words = reference.split(" ")
        kept = [word for place, word in enumerate(words) if number % every or place % 3]
        rows.append({"doc_id": one["doc_id"], "hypothesis": " ".join(kept), "metadata": {"seed": seed}})
    return rows


def of_pair(objects, target):
    return [one for one in objects if one["tgt_lang"] == target]


def expected(metric, rows, objects):
    """Return sacreBLEU's score of the documents that have a reference, in the order of the set."""
    texts = {row["doc_id"]: row["hypothesis"] for row in rows}
    scored = [one for one in objects if one["refs"] and one["doc_id"] in texts]
    return metric.corpus_score(
        [texts[one["doc_id"]].rstrip() for one in scored],
        [[text(int("".join(c for c in one["doc_id"].rpartition("_")[2] if c.isdigit()))) for one in scored]],
    ).score


# --- documents


@pytest.mark.parametrize("pair", ["en-cs", "en-cs_CZ", "eng_Latn-ces_Latn"])
@pytest.mark.parametrize("seed", range(3))
def test_a_submission_in_any_order_is_scored_in_one_command(mirror, run, write, pair, seed):
    objects = of_pair(WMT26, "ces_Latn")
    rows = hypotheses(WMT26)  # of all pairs, and of documents without a reference
    random.Random(seed).shuffle(rows)
    write("mine.jsonl", dump(rows))
    answer = run("-t", "wmt26", "-l", pair, "-i", "mine.jsonl", "-m", "chrf++", "bleu", "ter", "-w", "6")
    assert answer.status == 0, answer.err
    scores = {line["name"]: line for line in json.loads(answer.out)}
    for name, metric in (
        ("chrF2++", sacrebleu.CHRF(word_order=2)),
        ("BLEU", sacrebleu.BLEU()),
        ("TER", sacrebleu.TER()),
    ):
        assert scores[name]["score"] == round(expected(metric, rows, objects), 6), name
        assert scores[name]["signature"].startswith("nrefs:1|test:wmt26|lang:eng_Latn-ces_Latn|partial:8of10|")
    assert "note: wmt26/eng_Latn-ces_Latn: 2 of 10 segments left out, without a reference\n" in answer.err


@pytest.mark.parametrize("pair", ["en-cs", "en-cs_CZ"])
def test_several_sets_are_scored_as_one(mirror, run, write, pair):
    objects = [*of_pair(WMT25, "cs_CZ"), *of_pair(WMT26, "ces_Latn")]
    rows = hypotheses(objects)
    random.Random(pair).shuffle(rows)
    write("mine.jsonl", dump(rows))
    words = ("-t", "wmt25,wmt26", "-l", pair, "-i", "mine.jsonl", "-w", "6", "-q")
    answer = run(*words)
    assert answer.status == 0, answer.err
    answer = json.loads(answer.out)
    assert answer["score"] == round(expected(sacrebleu.BLEU(), rows, objects), 6)
    assert answer["signature"].startswith("nrefs:1|test:wmt25,wmt26|lang:en-cs_CZ|partial:14of17|")
    lines = [json.loads(line) for line in run(*words, "--by", "testset", "-f", "jsonl").out.splitlines()]
    assert [(line["system"], line["segments"]) for line in lines] == [
        ("mine testset=wmt25", 6),
        ("mine testset=wmt26", 8),
    ]
    write("one.jsonl", dump([row for row in rows if row["doc_id"].startswith("WMT26")]))
    alone = json.loads(run("-t", "wmt26", "-l", pair, "-i", "one.jsonl", "-w", "6", "-q").out)
    assert round(lines[1]["score"], 6) == alone["score"]
    part = json.loads(run(*words, "--subset", "speech").out)
    of_speech = [one for one in objects if one["domain"] == "speech"]
    assert part["score"] == round(expected(sacrebleu.BLEU(), rows, of_speech), 6)
    assert len(run(*words, "-sl", "-b").out.splitlines()) == 14


def test_a_submission_of_the_scored_documents_alone_has_the_same_score(mirror, run, write):
    rows = hypotheses(of_pair(WMT26, "ces_Latn"))
    write("all.jsonl", dump(rows))
    write("scored.jsonl", dump(rows[:8]))
    one, other = (run("-t", "wmt26", "-l", "en-cs", "-i", f"{name}.jsonl") for name in ("all", "scored"))
    assert one.out == other.out
    assert "partial:8of10" in one.out
    pytest.importorskip("pyarrow")
    assert run("count", "-t", "wmt26", "-l", "en-cs", "-i", "all.jsonl", "-o", "s.parquet", "-q").status == 0
    assert json.loads(run("--stats", "s.parquet").out) == json.loads(one.out)


def test_a_subset_needs_partial_and_is_signed(mirror, run, write):
    objects = of_pair(WMT26, "ces_Latn")
    rows = hypotheses(objects)
    write("part.jsonl", dump([rows[5], rows[9], rows[2]]))
    words = ("-t", "wmt26", "-l", "en-cs", "-i", "part.jsonl", "-m", "chrf", "-w", "6")
    refused(run(*words, "-q"), "part.jsonl lacks 6 ids", "or score what all have with --partial")
    answer = json.loads(run(*words, "--partial").out)
    assert answer["score"] == round(expected(sacrebleu.CHRF(), [rows[2], rows[5]], objects), 6)
    assert "|partial:2of10|" in answer["signature"]


def test_an_unknown_document_is_an_error(mirror, run, write):
    rows = hypotheses(of_pair(WMT26, "ces_Latn"))
    write("mine.jsonl", dump([*rows[1:], {**rows[0], "doc_id": "WMT26_###_news_###_eng_Latn_###_ces_Latn_###_x"}]))
    refused(run("-t", "wmt26", "-l", "en-cs", "-i", "mine.jsonl", "-q"), "lacks the id 'WMT26_###_news_###_eng_Latn_##")


@pytest.mark.parametrize(("pair", "target"), [("en-sr_Latn", "sr_Latn_RS"), ("en-sr_Cyrl", "sr_Cyrl_RS")])
def test_scripts_are_pairs_of_their_own(mirror, run, write, pair, target):
    rows = hypotheses(WMT25)
    write("mine.jsonl", dump(rows))
    answer = json.loads(run("-t", "wmt25", "-l", pair, "-i", "mine.jsonl", "-w", "6", "-q").out)
    assert answer["score"] == round(expected(sacrebleu.BLEU(), rows, of_pair(WMT25, target)), 6)
    assert f"|lang:en-{target}|case" in answer["signature"]


def test_a_pair_without_references_says_so(mirror, run, write):
    write("mine.jsonl", dump(hypotheses(WMT25)))
    words = ("-t", "wmt25", "-l", "en-de")
    refused(
        run(*words, "-i", "mine.jsonl", "-q"), "wmt25/en-de_DE has no references, so nothing can be scored; --echo src"
    )
    assert len(run(*words, "--echo", "src").out.splitlines()) == 3
    with pytest.raises(BleuError, match="wmt25/en-de_DE has no references"):
        bleucli.get_reference_files("wmt25", "en-de")


def test_thai_documents_need_another_tokenizer_but_not_for_chrf(mirror, run, write):
    write("mine.jsonl", dump(hypotheses(WMT26)))
    words = ("-t", "wmt26", "-l", "en-th", "-i", "mine.jsonl")
    refused(run(*words, "-q"), "Thai has no spaces between words")
    assert run(*words, "-m", "chrf").status == 0
    assert run(*words, "-tok", "char").status == 0


def test_texts_without_ids_are_taken_in_order(mirror, run, write):
    rows = hypotheses(of_pair(WMT26, "ces_Latn"))[:8]
    write("plain.txt", "".join(" ".join(row["hypothesis"].split()) + "\n" for row in rows))
    write("mine.jsonl", dump(rows))
    plain = run("-t", "wmt26", "-l", "en-cs", "-i", "plain.txt", "-w", "6")
    assert (
        json.loads(plain.out)["score"]
        == json.loads(run("-t", "wmt26", "-l", "en-cs", "-i", "mine.jsonl", "-w", "6").out)["score"]
    )
    lines = "".join(row["hypothesis"] + "\n" for row in rows)
    write("lines.txt", lines)
    words = ("-t", "wmt26", "-l", "en-cs", "-i", "lines.txt", "-q")
    line = refused(run(*words), "has 8 segments", f"has {lines.count(chr(10))} segments")
    assert line.endswith("; segments of wmt26 are documents with line breaks; give JSON Lines\n")
    write("lines.txt", "one line\n" * 10)
    assert refused(run(*words)).endswith("; 2 segments of wmt26 must be left out; JSON Lines with ids may have them\n")


def test_two_submissions_are_tested_document_by_document(mirror, run, write):
    objects = of_pair(WMT26, "ces_Latn")
    write("a.jsonl", dump(hypotheses(objects)))
    write("b.jsonl", dump(list(reversed(hypotheses(objects, every=2)))))
    answer = run("-t", "wmt26", "-l", "en-cs", "-i", "a.jsonl", "b.jsonl", "--paired-ar", "--unit", "doc", "-q")
    assert answer.status == 0
    assert "|unit:doc|test:wmt26|" in answer.out


def test_labels_of_the_set_follow_the_join(mirror, run, write):
    objects = of_pair(WMT26, "ces_Latn")
    rows = hypotheses(objects)
    shuffled = [rows[place] for place in (7, 1, 4, 3, 0, 2, 9, 6, 5, 8)]
    write("mine.jsonl", dump(shuffled))
    answer = run("-t", "wmt26", "-l", "en-cs", "-i", "mine.jsonl", "--by", "domain", "-w", "6", "-q")
    groups = {row["BLEU"]["domain"]: row["BLEU"]["score"] for row in json.loads(answer.out)}
    assert groups == {
        domain: round(expected(sacrebleu.BLEU(), rows, [one for one in objects if one["domain"] == domain]), 6)
        for domain in ("news", "speech")
    }
    parts = [
        run("-t", "wmt26", "-l", "en-cs", "-i", "mine.jsonl", "--subset", one, "-b", "-w", "6", "-q")
        for one in ("news", "speech")
    ]
    assert [float(part.out) for part in parts] == [
        round(expected(sacrebleu.BLEU(), rows, [one for one in objects if one["domain"] == domain]), 6)
        for domain in ("news", "speech")
    ]


# --- segments, some of which are left out


def test_bad_sources_of_wmt24pp_are_left_out_and_said(mirror, run, write):
    scored = [one for one in WMT24PP if not one["is_bad_source"]]
    write("mine.txt", "".join(one["target"].replace("ihnen", "uns") + "\n" for one in scored))
    answer = run("-t", "wmt24pp", "-l", "en-de", "-i", "mine.txt", "-w", "6")
    score = sacrebleu.BLEU().corpus_score(
        [one["target"].replace("ihnen", "uns") for one in scored], [[one["target"] for one in scored]]
    )
    line = json.loads(answer.out)
    assert line["score"] == round(score.score, 6)
    assert line["signature"].startswith("nrefs:1|test:wmt24pp|lang:en-de_DE|partial:10of12|case:mixed")
    assert "note: wmt24pp/en-de_DE: 2 of 12 segments left out, marked as is_bad_source\n" in answer.err


def test_all_segments_of_wmt24pp_are_a_set_of_their_own(mirror, run, write):
    write("all.txt", "".join(one["target"] + "\n" for one in WMT24PP))
    answer = run("-t", "wmt24pp/all", "-l", "en-de", "-i", "all.txt", "-q")
    assert json.loads(answer.out)["signature"].startswith("nrefs:1|test:wmt24pp/all|lang:en-de_DE|case:mixed")
    line = refused(run("-t", "wmt24pp", "-l", "en-de", "-i", "all.txt", "-q"), "all.txt has 12 segments")
    assert line.endswith(
        "; wmt24pp/all has 12; 2 segments of wmt24pp must be left out; JSON Lines with ids may have them\n"
    )


@pytest.mark.parametrize("ids", [("segment_id",), ("document_id", "segment_id")])
def test_segments_with_ids_may_include_bad_ones(mirror, run, write, ids):
    rows = [{"hypothesis": one["target"], **{name: one[name] for name in ids}} for one in WMT24PP]
    random.Random(3).shuffle(rows)
    write("mine.jsonl", dump(rows))
    answer = run("-t", "wmt24pp", "-l", "en-de", "-i", "mine.jsonl", "-q")
    assert json.loads(answer.out)["score"] == 100.0
    assert "|partial:10of12|" in answer.out


def test_segments_are_echoed_as_lines_and_round_trip(mirror, run):
    words = ("-t", "wmt24pp", "-l", "en-de")
    scored = [one for one in WMT24PP if not one["is_bad_source"]]
    echo = run(*words, "--echo", "docid", "segid", "src", "ref", "ref:original")
    assert echo.out == "".join(
        "\t".join(
            map(str, (one[name] for name in ("document_id", "segment_id", "source", "target", "original_target")))
        )
        + "\n"
        for one in scored
    )
    assert run(*words, "-b", stdin=run(*words, "--echo", "ref").out.encode()).out == "100.0\n"
    assert run(*words, "--echo", "src", "--subset", "news").out == "".join(
        one["source"] + "\n" for one in scored if one["domain"] == "news"
    )


def test_the_default_reference_of_wmt24pp_is_the_post_edited_one(mirror):
    (path,) = bleucli.get_reference_files("wmt24pp", "en-de")
    assert path == bleucli.get_source_file("wmt24pp", "en-de_DE") == cache.path_of("wmt24pp", "en-de_DE", "jsonl")
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    assert [row["ref"] for row in rows] == [one["target"] for one in WMT24PP if not one["is_bad_source"]]
    assert bleucli.get_segments("wmt24pp", "en-de", subset="news") == [
        place for place, row in enumerate(rows) if row["domain"] == "news"
    ]


# --- texts with line breaks


def test_documents_are_echoed_as_json_lines_that_can_be_scored(mirror, run, write):
    words = ("-t", "wmt26", "-l", "en-cs")
    objects = of_pair(WMT26, "ces_Latn")[:8]
    answer = run(*words, "--echo", "docid", "src", "transcript")
    assert [json.loads(line) for line in answer.out.splitlines()] == [
        {"docid": one["doc_id"], "src": one["src_text"], "transcript": one["gold_transcript"]} for one in objects
    ]
    assert run(*words, "--echo", "docid", "ref").out.splitlines()[0] == json.dumps(
        {"docid": objects[0]["doc_id"], "ref:refA": objects[0]["refs"]["refA"]}, ensure_ascii=False
    )
    write("refs.jsonl", run(*words, "--echo", "docid", "ref").out)
    answer = run(*words, "-i", "refs.jsonl", "--jsonl-fields", r"hyp=ref\:refA", "-b", "-q")
    assert answer.out == "100.0\n"


def test_line_breaks_reach_every_metric_as_in_sacrebleu(mirror, run, write):
    objects = of_pair(WMT26, "ces_Latn")[:8]
    rows = [{"doc_id": one["doc_id"], "hypothesis": one["refs"]["refA"].replace("\n", " ")} for one in objects]
    write("mine.jsonl", dump(rows))
    answer = run("-t", "wmt26", "-l", "en-cs", "-i", "mine.jsonl", "-m", "bleu", "chrf", "ter", "-w", "6", "-q")
    references = [[one["refs"]["refA"] for one in objects]]
    assert [line["score"] for line in json.loads(answer.out)] == [
        round(metric.corpus_score([row["hypothesis"] for row in rows], references).score, 6)
        for metric in (sacrebleu.BLEU(), sacrebleu.CHRF(), sacrebleu.TER())
    ]


# --- outputs of systems, which are fetched only when they are asked for


def outputs(objects, word):
    return dump([{"doc_id": one["doc_id"], "hypothesis": f"{word} {one['src_text']}"} for one in objects])


@pytest.fixture
def of_systems(mirror, monkeypatch):
    """Serve outputs: one plainly, one in Git LFS, at the addresses of the registry as they are on the server."""
    read = registry._package_data

    def with_sources(name):
        data = read(name)
        if name == "registry.json":
            systems = data["testsets"]["wmt26"]["systems"]
            systems["url"] = f"{mirror.url}/raw/{{system}}.jsonl"
            systems["large"] = f"{mirror.url}/large/{{system}}.jsonl"
        return data

    monkeypatch.setattr(registry, "_package_data", with_sources)
    objects = list(reversed(WMT26))
    large = outputs(objects, "large")
    digits = hashlib.sha256(large).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digits}\nsize {len(large)}\n"
    mirror.put("/raw/GPT%205.5.jsonl", Page(outputs(objects, "small")))
    mirror.put("/raw/HW-TSC.jsonl", Page(pointer.encode()))
    mirror.put("/large/HW-TSC.jsonl", Page(large))
    mirror.put("/raw/Yandex.jsonl", Page(outputs(of_pair(WMT26, "tha_Thai"), "other")))
    mirror.requests.clear()
    return mirror


def test_outputs_are_fields_that_are_fetched_when_asked_for(of_systems, run):
    words = ("-t", "wmt26", "-l", "en-cs")
    objects = of_pair(WMT26, "ces_Latn")[:8]
    listed = run("--list", *words).out
    assert listed.startswith("eng_Latn-ces_Latn: src, ref:refA, docid, domain, transcript, AMI, AdaptiveMT, ")
    assert of_systems.requests == []
    assert run(*words, "--echo", "all").status == 0
    assert [one for one in of_systems.paths if one.startswith(("/raw", "/large"))] == []
    answer = run(*words, "--echo", "docid", "GPT 5.5", "HW-TSC")
    assert [json.loads(line) for line in answer.out.splitlines()] == [
        {"docid": one["doc_id"], "GPT 5.5": f"small {one['src_text']}", "HW-TSC": f"large {one['src_text']}"}
        for one in objects
    ]
    assert [one for one in of_systems.paths if one.startswith(("/raw", "/large"))] == [
        "/raw/GPT%205.5.jsonl",
        "/raw/HW-TSC.jsonl",
        "/large/HW-TSC.jsonl",
    ]
    of_systems.requests.clear()
    assert run(*words, "--echo", "docid", "GPT 5.5", "HW-TSC").out == answer.out
    assert of_systems.requests == []


def test_echoed_outputs_are_scored(of_systems, run, write):
    words = ("-t", "wmt26", "-l", "en-cs")
    write("two.jsonl", run(*words, "--echo", "docid", "GPT 5.5", "HW-TSC").out)
    answer = run(*words, "-i", "two.jsonl", "--jsonl-fields", "hyp=GPT 5.5,HW-TSC", "-q", "-m", "chrf")
    assert [row["system"] for row in json.loads(answer.out)] == ["GPT 5.5", "HW-TSC"]


def test_a_system_without_the_pair_or_unknown_is_an_error(of_systems, run):
    words = ("-t", "wmt26", "-l", "en-cs", "--echo")
    refused(run(*words, "Yandex", "-q"), "Yandex has no output for this language pair; choose another system")
    refused(run(*words, "GPT 5.6", "-q"), "wmt26/eng_Latn-ces_Latn has no field 'GPT 5.6'", "did you mean GPT 5.5")


def test_a_large_output_that_differs_from_its_pointer_is_refused(of_systems, run):
    of_systems.put("/large/HW-TSC.jsonl", Page(outputs(WMT26, "other")))
    words = ("-t", "wmt26", "-l", "en-cs", "--echo", "HW-TSC", "-q")
    refused(run(*words), "/large/HW-TSC.jsonl sent a file with the sha256 ", "it was deleted")
    # A mirror may have the pointer only, or the output itself
    of_systems.put("/mirror/wmt26/HW-TSC.jsonl", Page(outputs(WMT26, "own")))
    assert run("-t", "wmt26", "-l", "en-th", "--echo", "HW-TSC", "-q").status == 2  # the pointer was recorded


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda rows: [*rows, rows[0]], "there are two outputs of GPT 5.5 for one segment"),
        (lambda rows: [{**rows[0], "hypothesis": 3}, *rows[1:]], "line 1: 'hypothesis' is a number; expected a string"),
        (lambda rows: [{"hypothesis": "x"}], "GPT 5.5 has no output for this language pair"),
    ],
)
def test_a_damaged_output_is_an_error(of_systems, run, damage, message):
    rows = [json.loads(line) for line in outputs(WMT26, "x").splitlines()]
    of_systems.put("/raw/GPT%205.5.jsonl", Page(dump(damage(rows))))
    refused(run("-t", "wmt26", "-l", "en-cs", "--echo", "GPT 5.5", "-q"), message)


def test_a_cut_output_says_what_to_delete(of_systems, run):
    of_systems.put("/raw/GPT%205.5.jsonl", Page(gzip.compress(outputs(WMT26, "x"))[:-9]))
    line = refused(run("-t", "wmt26", "-l", "en-cs", "--echo", "GPT 5.5", "-q"), "is a damaged gzip file")
    assert line.endswith(f"delete {cache.raw_folder('wmt26')}; it will then be downloaded again\n")


def test_a_segment_without_output_is_null(of_systems, run):
    of_systems.put("/raw/GPT%205.5.jsonl", Page(outputs(WMT26[1:], "x")))
    lines = run("-t", "wmt26", "-l", "en-cs", "--echo", "GPT 5.5", "-q").out.splitlines()
    assert lines[0] == '{"GPT 5.5": null}'
    assert len(lines) == 8


# --- what nobody verifies


def test_the_first_download_is_recorded_and_a_later_one_must_be_the_same(mirror, run, world):
    answer = run("-t", "wmt26", "-l", "en-cs", "--echo", "domain")
    assert answer.err == note_of("wmt26", "wmt26-genmt.jsonl", dump(WMT26))
    record = os.path.join(cache.raw_folder("wmt26"), "wmt26.wmt26-genmt.jsonl.sha256")
    with open(record, encoding="utf-8") as file:
        assert file.read().split()[0] == hashlib.sha256(dump(WMT26)).hexdigest()
    os.remove(record.removesuffix(".sha256"))
    os.remove(cache.path_of("wmt26", "eng_Latn-ces_Latn", "jsonl"))
    mirror.put("/mirror/wmt26/wmt26-genmt.jsonl", Page(dump(WMT26[1:])))
    refused(
        run("-t", "wmt26", "-l", "en-cs", "--echo", "domain"),
        "sent a file with the sha256",
        "if the change is intended",
    )


def test_the_list_says_what_verifies_each_set(run):
    lines = run("--list").out.splitlines()[1:]
    kinds = {line.split()[0]: line.rpartition("[")[2].rstrip("]") for line in lines}
    assert kinds["wmt25"] == kinds["wmt26"] == kinds["wmt24pp"] == kinds["wmt24pp/all"] == "first download"
    assert kinds["flores200/devtest"] == kinds["ntrex"] == "SHA-256"
    assert kinds["demo"] == "package"
    rest = set(kinds) - {
        "wmt25",
        "wmt26",
        "wmt24pp",
        "wmt24pp/all",
        "flores200/dev",
        "flores200/devtest",
        "ntrex",
        "demo",
    }
    assert {kinds[name] for name in rest} == {"MD5"}


# --- what is wrong with a file


BAD = wmt26("eng_Latn-ces_Latn", 1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{}\n", "wmt26-genmt.jsonl, line 1: 'src_text', the field src, is missing; expected a string"),
        (b"[]\n", "line 1: an array, not an object; give one object per line"),
        (b"<html>\n", "line 1: invalid JSON"),
        (dump([BAD]) + b"\xff\n", "line 2, byte "),
        (dump([{**BAD, "src_text": ["a"]}]), "line 1: 'src_text', the field src, is an array; expected a string"),
        (dump([{**BAD, "refs": {"refA": 7}}]), "line 1: 'refs.refA', the field ref:refA, is a number; expected a str"),
        (dump([{**BAD, "doc_id": {}}]), "line 1: 'doc_id', the field docid, is an object; expected a string"),
        (
            json.dumps({**BAD, "refs": {"refA": "\ud800"}}).encode() + b"\n",
            "line 1: the field ref:refA holds half a character, a lone surrogate; repair the file",
        ),
        (b"", "wmt26/eng_Latn-ces_Latn has no segments; check that its format is jsonl"),
        (dump(of_pair(WMT26, "tha_Thai")), "wmt26/eng_Latn-ces_Latn has no segments"),
        (b"[" * 200_000, "nested too deeply"),
    ],
)
def test_a_wrong_file_is_named_with_its_line(mirror, run, content, message):
    mirror.put("/mirror/wmt26/wmt26-genmt.jsonl", Page(content))
    refused(run("-t", "wmt26", "-l", "en-cs", "--echo", "src"), message)
    assert not os.path.exists(cache.path_of("wmt26", "eng_Latn-ces_Latn", "jsonl"))


def test_a_bomb_of_json_lines_is_refused(mirror, run, monkeypatch):
    monkeypatch.setattr("bleucli.testsets.GROWTH_FROM_BYTES", 1 << 16)
    bomb = gzip.compress(dump([{**BAD, "src_text": "a" * 1_000_000}]))
    mirror.put("/mirror/wmt26/wmt26-genmt.jsonl", Page(bomb))
    refused(run("-t", "wmt26", "-l", "en-cs", "--echo", "src"), "times its own size, which no test set does")


def test_line_ends_and_separators_of_unicode_stay_in_texts(mirror, run):
    odd = "a\u2028b\x85c\r\nd\x1ee\tf"
    mirror.put("/mirror/wmt26/wmt26-genmt.jsonl", Page(dump([{**BAD, "src_text": odd}])))
    answer = run("-t", "wmt26", "-l", "en-cs", "--echo", "src", "-q")
    assert json.loads(answer.out) == {"src": odd}


# --- a user's own

OWN = """
[testsets."acme/talks"]
format    = "jsonl"
documents = true
sources   = [{ url = "talks.jsonl" }]
files     = ["source:0"]
pairs     = ["en-de", "en-fr"]
fields    = { src = "text.en", "ref:A" = "text.a", "ref:B" = "text.b", docid = "id" }
leave_out = "skip"
"""
TALKS = [
    {"lp": "en-de_DE", "id": 1, "text": {"en": "One\ntwo", "a": "Eins zwei drei vier", "b": "Eine zwei drei vier"}},
    {"lp": "en-de_DE", "id": 2, "text": {"en": "Three", "a": None, "b": "Drei sind es hier"}},
    {"lp": "en-de_DE", "id": 3, "text": {"en": "Four", "a": "Vier sind es hier", "b": "Vier"}, "skip": 1},
    {"lp": "en-fr_FR", "id": 4, "text": {"en": "Five", "a": "Cinq ou six ici", "b": None}},
]


def test_a_users_own_set_in_json_lines(run, write, monkeypatch, tmp_path):
    monkeypatch.setenv("BLEU_HOME", str(tmp_path / "cache"))
    write("talks.jsonl", dump(TALKS))
    write("acme.toml", OWN)
    words = ("--registry", "acme.toml", "-t", "acme/talks", "-l", "en-de")
    write(
        "mine.jsonl",
        dump([{"doc_id": 2, "hypothesis": "Drei sind es hier"}, {"doc_id": 1, "hypothesis": "Eins zwei drei vier"}]),
    )
    answer = run(*words, "-i", "mine.jsonl")
    assert json.loads(answer.out)["score"] == 100.0
    assert "nrefs:var|test:acme/talks|lang:en-de|partial:2of3" in answer.out
    assert answer.err == "bleu: note: acme/talks/en-de: 1 of 3 segments left out, marked as skip\n"
    assert run(*words, "--echo", "docid", "ref:A").out == (
        '{"docid": 1, "ref:A": "Eins zwei drei vier"}\n{"docid": 2, "ref:A": null}\n'
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"jsonl"', '"plain"', "fields is only for jsonl, not for plain; leave fields out"),
        ('src = "text.en", ', "", "fields: expected src, and ref or ref:LABEL"),
        ('"ref:A" = "text.a", "ref:B" = "text.b", ', "", "fields: expected src, and ref or ref:LABEL"),
        ('"text.en"', "7", "fields.src: expected a field such as src, ref, ref:A or docid, and its path in an object"),
        ('["source:0"]', '["source:1"]', "pairs.en-de.files: expected a source below 1"),
        ('["source:0"]', '["source:0", "source:0"]', "pairs.en-de.files: expected one file"),
        ("= true", "= 1", "documents: expected true or false, found 1"),
        ("leave_out", 'systems = { url = "out/{system}.jsonl" }\nleave_out', "systems.url: expected an https: address"),
        (
            "leave_out",
            'systems = { url = "https://a.example/x.jsonl" }\nleave_out',
            "systems.url: expected an https: ad",
        ),
        (
            "leave_out",
            'systems = { url = "https://a.example/{system}", names = ["a/b"] }\nleave_out',
            "systems.names: expected names that can be those of files",
        ),
        (
            "leave_out",
            'systems = { url = "https://a.example/{system}", names = ["docid"] }\nleave_out',
            "systems.names: expected names that can be those of files",
        ),
        (
            ', docid = "id" }\n',
            ' }\nsystems = { url = "https://a.example/{system}", names = ["x"] }\n',
            "fields: expected docid or segid, by which outputs are found",
        ),
    ],
)
def test_an_error_in_a_registry_is_named_by_its_key(write, tmp_path, old, new, message):
    assert old in OWN
    path = write("acme.toml", OWN.replace(old, new, 1))
    with pytest.raises(BleuError) as caught:
        registry.load(path)
    assert f'testsets."acme/talks".{message}' in str(caught.value).replace('": fields is', '".fields is')


def test_objects_of_two_pairs_that_may_be_meant_are_an_error(run, write, monkeypatch, tmp_path):
    monkeypatch.setenv("BLEU_HOME", str(tmp_path / "cache"))
    write("talks.jsonl", dump([TALKS[0], {**TALKS[1], "lp": "en-de_AT"}]))
    write("acme.toml", OWN)
    refused(
        run("--registry", "acme.toml", "-t", "acme/talks", "-l", "en-de", "--echo", "src"),
        "line 2: en-de may mean 'en-de_DE' and 'en-de_AT' here; name one of them in the registry",
    )


def test_sets_in_json_lines_are_scored_alone(mirror, run, write):
    write("sys", "a\n")
    refused(run("-t", "wmt26,wmt25", "-l", "cs-vi", "-i", "sys"), "the test set wmt25 has no language pair")
    refused(run("-t", "wmt26,demo", "-l", "en-cs", "-i", "sys"), "wmt26 is a test set in JSON Lines, but demo is not")


# --- real submissions


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir(os.path.join(DATA, "wmt26.eng-ces")), reason="the evaluation data are not here")
@pytest.mark.parametrize(
    ("name", "data", "pair", "reference", "system"),
    [
        ("wmt25", "wmt25.en-cs", "en-cs_CZ", "Laniqo", "CUNI-SFT"),
        ("wmt26", "wmt26.eng-ces", "eng_Latn-ces_Latn", "HW-TSC", "CUNI-MH-v3"),
        ("wmt26", "wmt26.eng-tha", "eng_Latn-tha_Thai", "TransCore", "SCIR-TG-MT"),
    ],
)
def test_real_submissions_have_the_scores_of_sacrebleu(mirror, run, write, name, data, pair, reference, system):
    """One system stands for the reference of another."""

    def read(one):
        with open(os.path.join(DATA, data, f"{one}.jsonl"), encoding="utf-8") as file:
            return {row["doc_id"]: row for row in map(json.loads, file)}

    references, rows = read(reference), list(read(system).values())
    random.Random(1).shuffle(rows)
    source, target = pair.split("-")
    objects = [
        {"doc_id": key, "src_lang": source, "tgt_lang": target, "src_text": "x", "refs": {"refA": row["hypothesis"]}}
        for key, row in references.items()
    ]
    mirror.put(f"/mirror/{name}/{name}-genmt.jsonl", Page(dump(objects)))
    write("mine.jsonl", dump(rows))
    words = ("-t", name, "-l", pair, "-i", "mine.jsonl", "-w", "6", "-q", "-m", "bleu", "chrf++", "-tok", "char")
    answer = run(*words)
    assert answer.status == 0, answer.err
    texts = {row["doc_id"]: row["hypothesis"] for row in rows}
    columns = [texts[key] for key in references], [[row["hypothesis"] for row in references.values()]]
    assert [line["score"] for line in json.loads(answer.out)] == [
        round(metric.corpus_score(*columns).score, 6)
        for metric in (sacrebleu.BLEU(tokenize="char"), sacrebleu.CHRF(word_order=2))
    ]


def test_keep_going_leaves_out_a_system_that_lacks_documents(mirror, run, write):
    rows = hypotheses(of_pair(WMT26, "ces_Latn"))
    write("whole.jsonl", dump(rows))
    write("part.jsonl", dump(rows[3:]))
    answer = run("-t", "wmt26", "-l", "en-cs", "-i", "whole.jsonl", "part.jsonl", "--keep-going", "-f", "text")
    assert "│ whole.jsonl │" in answer.out
    assert "part.jsonl │" not in answer.out
    assert "part.jsonl lacks 3 ids" in answer.err


def test_parts_need_the_whole_output(mirror, run, write):
    rows = hypotheses(of_pair(WMT26, "ces_Latn"))
    write("part.jsonl", dump(rows[3:]))
    words = ("-t", "wmt26", "-l", "en-cs", "-i", "part.jsonl", "--partial", "-q")
    assert run(*words).status == 0
    refused(run(*words, "--subset", "news"), "--partial")


def test_documents_with_their_segments_as_one(mirror, run, write):
    write("mine.jsonl", dump(hypotheses(of_pair(WMT26, "ces_Latn"))))
    words = ("-t", "wmt26", "-l", "en-cs", "-i", "mine.jsonl", "-q", "-w", "6")
    whole, joined = (json.loads(run(*words, *more).out) for more in ((), ("--level", "doc")))
    assert whole["score"] == joined["score"]
    assert "|partial:8of10|level:doc|" in joined["signature"]


@pytest.mark.parametrize("seed", range(enough(800)))
def test_a_damaged_file_is_read_or_refused_in_one_line(tmp_path, seed):
    rng = random.Random(seed)
    content = bytearray(dump(WMT26))
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(content))
        damage = rng.choice([b"", b"\n", b'"', b"\\", b"{", b"[]", b"\xff", b"null", rng.randbytes(3)])
        content[place : place + rng.choice((0, 1, 40))] = damage
    content = content[: rng.choice((len(content), rng.randrange(len(content))))]
    (tmp_path / "a.jsonl").write_bytes(content)
    test_set = registry.load("")["wmt26"]
    message, rows = "", []
    try:
        rows, _ = formats.read_items(test_set, "eng_Latn-ces_Latn", str(tmp_path / "a.jsonl"))
    except (BleuError, DamagedError) as error:
        message = str(error)
    assert "\n" not in message
    read = {row["docid"]: row for row in rows}
    for one in WMT26[:8] if not message else ():
        if dump([one]) in content:  # it is not damaged, nor left out
            assert read[one["doc_id"]] == {
                "src": one["src_text"],
                "ref:refA": one["refs"]["refA"],
                "docid": one["doc_id"],
                "domain": one["domain"],
                "transcript": one["gold_transcript"],
            }
    assert all(line.encode() for line in formats.lines_of(rows))
