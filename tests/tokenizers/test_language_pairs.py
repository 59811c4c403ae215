"""Tests of language codes: how pairs are written, which tokenizer they choose, and what is refused."""

from __future__ import annotations

import json
import os

import pytest
from conftest import refused
from oracles import DATA

from bleucli import BLEU, language_pairs
from bleucli.errors import UsageError
from bleucli.testsets import registry


@pytest.mark.parametrize(
    "pair",
    ["en-zh", "en-ZH", "en-zh_CN", "en-zh-Hant", "eng-zho", "eng_Latn-zho_Hans", "en-zho", "en-zh_Hant_TW", "en-chi"],
)
def test_every_spelling_of_chinese_chooses_its_tokenizer(run, write, pair):
    write("ref", "猫坐在垫子上。\n")
    write("sys", "猫坐在椅子上。\n")
    assert "|tok:zh|" in json.loads(run("ref", "-i", "sys", "-l", pair).out)["signature"]


def test_a_region_of_czech_is_czech(run, write):
    write("ref", "a\n")
    assert "|tok:13a|" in json.loads(run("ref", "-i", "ref", "-l", "en-cs_CZ", "-q").out)["signature"]


@pytest.mark.parametrize(("code", "meant"), [("jp", "ja"), ("cn", "zh"), ("kr", "ko"), ("cz", "cs"), ("ua", "uk")])
def test_codes_of_countries_are_refused_with_what_is_meant(run, write, code, meant):
    write("ref", "a\n")
    refused(run("ref", "-i", "ref", "-l", f"en-{code}"), f"did you mean {meant}?")


UNSPACED = {
    "Thai": ("th", "tha", "tha_Thai", "th_TH"),
    "Khmer": ("km", "khm", "khm_Khmr"),
    "Lao": ("lo", "lao", "lao_Laoo"),
    "Burmese": ("my", "mya", "mya_Mymr", "bur"),
    "Tibetan": ("bo", "bod", "bod_Tibt", "tib"),
}


@pytest.mark.parametrize(
    ("name", "code"), [(name, code) for name, codes in UNSPACED.items() for code in codes], ids=lambda one: one
)
def test_languages_without_spaces_and_tokenizer_are_refused_for_bleu(run, write, name, code):
    write("ref", "a\n")
    line = refused(
        run("ref", "-i", "ref", "-l", f"en-{code}"), f"{name} has no spaces between words", "flores200", "chrF"
    )
    assert "(-tok)" in line
    with pytest.raises(UsageError, match=rf"{name} has no spaces .* \(tokenize=...\)"):
        BLEU(trg_lang=code)
    assert run("ref", "-i", "ref", "-l", f"en-{code}", "-tok", "char", "-q").status == 0
    assert run("ref", "-i", "ref", "-l", f"en-{code}", "-m", "chrf", "-q").status == 0
    assert BLEU(trg_lang=code, tokenize="13a").tokenizer.signature == "13a"


def test_a_test_set_with_such_a_target_is_refused_too(run, write, monkeypatch, tmp_path):
    monkeypatch.setenv("BLEU_HOME", str(tmp_path / "cache"))
    write("sys", "abcd\n")
    write("ref", "abcd\n")
    write(
        "own.toml",
        '[testsets."own/khmer"]\nformat = "plain"\nsources = [{url = "sys"}, {url = "ref"}]\n'
        '[testsets."own/khmer".pairs.en-km]\nfiles = ["source:0", "source:1"]\n',
    )
    words = ("--registry", "own.toml", "-t", "own/khmer", "-l", "en-km", "-i", "sys", "-q")
    refused(run(*words), "Khmer has no spaces between words")
    assert run(*words, "-tok", "char", "-b").out == "100.0\n"


@pytest.mark.parametrize("pair", ["en-de", "eng-deu", "eng_Latn-deu_Latn", "EN-DE", "en-de_DE", "eng-ger"])
def test_a_test_set_has_its_pair_under_every_spelling(run, demo_files, pair):
    assert json.loads(run("-t", "demo", "-l", pair, "-i", "strong.de.txt").out)["signature"].startswith(
        "nrefs:1|test:demo|lang:en-de|case"
    )
    assert run("-t", "demo", "-l", pair, "--echo", "src").out == run("-t", "demo", "-l", "en-de", "--echo", "src").out


@pytest.mark.parametrize("folder", ["wmt25.en-cs", "wmt26.eng-ces", "wmt26.eng-tha"])
def test_ids_of_real_submissions_tell_their_pair(folder):
    place = os.path.join(DATA, folder)
    if not os.path.isdir(place):
        pytest.skip("the evaluation data are not here")
    pairs = set()
    for name in os.listdir(place):
        if name.startswith("scores."):
            continue
        with open(os.path.join(place, name), encoding="utf-8") as file:
            pairs |= {language_pairs.of_item({}, json.loads(line)["doc_id"]) for line in file}
    (pair,) = pairs
    source, target = folder.partition(".")[2].split("-")
    assert language_pairs.are_alike(source, pair[0])
    assert language_pairs.are_alike(target, pair[1])


@pytest.mark.parametrize(
    ("item", "key", "pair"),
    [
        ({"langpair": "en-de"}, "", ("en", "de")),
        ({"languagePair": "eng-deu"}, "", ("eng", "deu")),
        ({"source_language": "en", "target_language": "pt-BR"}, "", ("en", "pt_BR")),
        ({"lp": 7}, "12", None),
        ({"lp": "all"}, "a_#_b", None),
        ({"src_lang": "en"}, "", None),
        ({}, "dialogue_#_12", None),
        ({}, "WMT26_###_news", None),
    ],
)
def test_fields_and_ids_tell_the_pair_or_nothing(item, key, pair):
    assert language_pairs.of_item(item, key) == pair


def test_codes_of_both_tables_are_alike():
    pairs = [entry.split(":") for entry in language_pairs._CODES.split()]
    assert len(pairs) == 183
    for short, longer in pairs:
        for long in longer.split(","):
            assert language_pairs.are_alike(short, long)
            assert language_pairs.are_alike(long, short)


@pytest.mark.parametrize(
    ("pair", "spelled"),
    [
        ("en-fr", "eng-fra"),
        ("eng_Latn-fra_Latn", "eng-fra"),
        ("en-fr_FR", "eng-fra"),
        ("en-fr_CA", "eng-fra-CA"),
        ("en-zh_CN", "eng-zho-CN"),
        ("eng_Latn-zho_Hant", "eng-zho-TW"),
        ("en-zh-Hans", "eng-zho-CN"),
        ("eng_Latn-khk_Cyrl", "eng-mon"),
        ("eng_Latn-azj_Latn", "eng-aze-Latn"),
        ("en-sr_Latn_RS", "eng-srp-Latn"),
        ("en-fil_PH", "eng-fil"),
        ("en-de", "eng-deu"),
    ],
)
def test_ntrex_has_its_pairs_under_the_codes_of_others(pair, spelled):
    assert registry.load("").spell_pair("ntrex", pair) == spelled


@pytest.mark.parametrize("pair", ["en-zh", "en-sr"])
def test_a_pair_that_may_be_several_is_an_error_that_names_them(run, write, pair):
    write("sys", "a\n")
    line = refused(run("-t", "ntrex", "-l", pair, "-i", "sys"), f"instead of {pair}")
    assert {"en-zh": "eng-zho-CN and eng-zho-TW", "en-sr": "eng-srp-Cyrl and eng-srp-Latn"}[pair] in line
