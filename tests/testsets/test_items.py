"""Test sets in JSON Lines, in the layouts of WMT25, WMT26 and WMT24++: documents, ids, what is left out, outputs."""

from __future__ import annotations

import json
import random

import pytest
import sacrebleu
from conftest import refused
from web_server import Page

import bleucli
from bleucli.errors import BleuError


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


def test_a_submission_of_the_scored_documents_alone_has_the_same_score(mirror, run, write):
    rows = hypotheses(of_pair(WMT26, "ces_Latn"))
    write("all.jsonl", dump(rows))
    write("scored.jsonl", dump(rows[:8]))
    one, other = (run("-t", "wmt26", "-l", "en-cs", "-i", f"{name}.jsonl") for name in ("all", "scored"))
    assert one.out == other.out
    assert "partial:8of10" in one.out


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
    refused(run(*words, "-i", "mine.jsonl"), "wmt25/en-de_DE has no references, so nothing can be scored; --echo src")
    assert len(run(*words, "--echo", "src").out.splitlines()) == 3
    with pytest.raises(BleuError, match="wmt25/en-de_DE has no references"):
        bleucli.get_reference_files("wmt25", "en-de")


def test_thai_documents_need_another_tokenizer_but_not_for_chrf(mirror, run, write):
    write("mine.jsonl", dump(hypotheses(WMT26)))
    words = ("-t", "wmt26", "-l", "en-th", "-i", "mine.jsonl")
    refused(run(*words), "Thai has no spaces between words")
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
