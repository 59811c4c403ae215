"""Codes of languages: which of them pick a tokenizer, and which are refused."""

from __future__ import annotations

import os
import pickle

import pytest
from conftest import raised, refused

import bleucli
from bleucli.testsets.registry import load
from bleucli.tokenizers import DEFAULT, default_for, languages

TEXT = "the cat sat on the mat\n"
ZH, JA, KO = "zh", "ja-mecab-0.996-IPA", "ko-mecab-0.996/ko-0.9.2-KO"
SIGNED = {
    **dict.fromkeys(("en-ZH", "EN-ZH", "en-Zh", "en-zh_CN", "en-zh-CN", "eng_Latn-zho_Hans"), ZH),
    **dict.fromkeys(("eng-zho", "en-zho-Hans", "en-chi", "en-cmn", "pt-BR-zh", "xx-zh"), ZH),
    **dict.fromkeys(("en-JA", "eng-jpn", "jpn_Jpan-jpn_Jpan", "zh-ja_JP"), JA),
    **dict.fromkeys(("en-KO", "eng-kor", "en-ko_KR"), KO),
    **dict.fromkeys(("zh-en", "en-DE", "en-de_AT", "en-ces", "en-ber", "en-ajp", "en-iw", "en-mul", "ja-qaa"), "13a"),
}
MEANT = {
    "en-jp": "jp is not a language code of ISO 639; did you mean ja?",
    "en-JP": "jp is not a language code of ISO 639; did you mean ja?",
    "en-cn": "cn is not a language code of ISO 639; did you mean zh?",
    "zh-CN": "cn is not a language code of ISO 639; did you mean zh?",
    "en-kr": "kr stands for Kanuri, which has no tokenizer of its own; did you mean ko?",
    "en-zht": "zht is not a language code of ISO 639; did you mean zh?",
    "en-CHS": "chs stands for Chumash, which has no tokenizer of its own; did you mean zh?",
    "en-cz": "cz is not a language code of ISO 639; did you mean cs?",
    "en-ua": "ua is not a language code of ISO 639; did you mean uk?",
    "en-ptb": "ptb is not a language code of ISO 639; did you mean pt?",
    "en-xx": "xx is not a language code of ISO 639; give one such as de or deu",
    "en-xxq": "xxq is not a language code of ISO 639; give one such as de or deu",
}


@pytest.fixture
def words(write):
    return (write("ref.txt", TEXT), "-i", write("sys.txt", TEXT), "-f", "text", "-q")


@pytest.mark.parametrize("pair", SIGNED)
def test_case_script_and_region_do_not_hide_a_language(run, words, pair):
    assert f"|tok:{SIGNED[pair]}|" in run(*words, "-l", pair).out


@pytest.mark.parametrize("pair", MEANT)
@pytest.mark.parametrize("more", [(), ("-m", "chrf"), ("-tok", "char"), ("diversity",)], ids=" ".join)
def test_what_is_not_a_language_is_refused(run, words, pair, more):
    told = (*words, *more) if more != ("diversity",) else ("diversity", words[2])
    line = refused(run(*told, "-l", pair), f"--language-pair {pair!r}: {MEANT[pair]}")
    assert line == f"bleu: error: --language-pair {pair!r}: {MEANT[pair]}\n"


@pytest.mark.parametrize(
    "pair", ["zh", "zh-Hans", "en-", "-zh", "en_zh", "en-chinese", "EN-ZH-CN", "en-zh ", "en-zh_cn"]
)
def test_what_is_not_a_pair_is_refused(run, words, pair):
    refused(run(*words, f"-l={pair}"), f"--language-pair {pair!r}; expected the form xx-YY, such as en-de")


def test_python_knows_the_same_languages():
    for pair, meant in MEANT.items():
        code = pair.partition("-")[2]
        raised([f"trg_lang {code!r}: {meant}"], bleucli.BLEU, trg_lang=code)
    for code, name in (("ZH", "zh"), ("zh-Hant", "zh"), ("JPN", "ja"), ("ko_KR", "ko"), ("De", "de"), ("", "")):
        metric = bleucli.BLEU(trg_lang=code)
        assert metric.trg_lang == name
        assert metric.tokenizer.signature.partition("-")[0] == default_for(name).partition("-")[0]
    with pytest.raises(languages.LanguageError) as caught:
        languages.find("jp")
    assert pickle.loads(pickle.dumps(caught.value)).meant == "ja"


@pytest.mark.parametrize("code", ["", "a", "d", "zz", "abcd", "d.", "(e", "ü", "日本", "a\n", "de\n", "12"])
def test_odd_codes_are_refused(code):
    raised([" is not a language code of ISO 639"], languages.find, code)


def test_test_sets_have_names_of_their_own(run, write, tmp_path):
    write(
        "q.toml",
        f'[testsets."q"]\nformat="plain"\nsources=[{{url="{write("src", TEXT)}"}},{{url="{write("r", TEXT)}"}}]\n'
        '[testsets."q".pairs.en-jp]\nfiles=["source:0","source:1"]\n'
        '[testsets."q".pairs.en-ZHO]\nfiles=["source:0","source:1"]\n',
    )
    write("sys.txt", TEXT)
    found = {
        pair: run("--registry", "q.toml", "-t", "q", "-l", pair, "-i", "sys.txt", "-f", "text", "-q").out
        for pair in ("en-jp", "en-ZHO")
    }
    assert "|tok:13a|" in found["en-jp"]
    assert "|tok:zh|" in found["en-ZHO"]
    refused(run("-t", "demo", "-l", "en-DA", "-i", "sys.txt"), "demo has no language pair 'en-DA'", "en-de")


def test_all_languages_of_test_sets_are_known():
    registry = load()
    pairs = {pair for name in registry for pair in registry.pairs(name)}
    targets = {target for pair in pairs if (target := languages.find_target(pair)) is not None}
    assert len(targets) > 100
    for target in targets:
        assert languages.find(target)


def test_the_table_has_each_code_once():
    with open(os.path.join(os.path.dirname(languages.__file__), "languages.txt"), encoding="ascii") as file:
        rows = [line.split() for line in file if not line.startswith("#")]
    codes = [start + end for start, ends in rows for end in ends]
    by_length = [[code for code in codes if len(code) == length] for length in (2, 3)]
    assert [len(part) for part in by_length] == [190, 8444]  # of ISO 639-1, 183 today
    assert codes == [code for part in by_length for code in sorted(set(part))]


def test_only_a_language_pair_reads_the_table(monkeypatch, run, words):
    monkeypatch.setattr(languages, "find", None)
    assert run(*words).status == 0
    assert bleucli.BLEU().trg_lang == ""
    assert default_for("") == DEFAULT
