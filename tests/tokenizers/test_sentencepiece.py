"""The SentencePiece tokenizers, with a small model that is trained here and served on the loopback."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import random
import re
import subprocess
import sys
import threading
import warnings
from io import BytesIO

import oracles
import pytest
import sentencepiece
from conftest import SECONDS, sent_to
from hypothesis import given
from strategies import examples, texts
from web_server import Page, serving

from bleucli import BLEU, tokenizers
from bleucli.errors import BleuError, Note
from bleucli.testsets import last_component
from bleucli.text import Segments
from bleucli.tokenizers.libraries import ADDRESSES, SHA256, LocalModel, PublishedModel

WORDS = (
    "the",
    "cat",
    "sat",
    "on",
    "mat",
    "low",
    "lower",
    "lowest",
    "new",
    "newer",
    "東京",
    "に",
    "住む",
    "서울",
    "산다",
)
ODD = ["", " ", "  the  cat ", "the\u3000cat", "\u2028mat\x85", "a\0b", "\n", "unseen Žluťoučký kůň 𠀀 😀", "▁the ▁"]


def trained(kind):
    """Return a model of one kind, trained on nonsense."""
    rng, model = random.Random(3), BytesIO()
    sentences = iter([" ".join(rng.choices(WORDS, k=8)) for _ in range(400)])
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=sentences,
        model_writer=model,
        model_type=kind,
        vocab_size=60,
        hard_vocab_limit=False,
        num_threads=1,
        minloglevel=2,
    )
    return model.getvalue()


@pytest.fixture(scope="module")
def model_bytes():
    """Return a model."""
    return trained("unigram")


@pytest.fixture(scope="module")
def model(model_bytes):
    """Return the library itself, with that model."""
    processor = sentencepiece.SentencePieceProcessor()
    processor.LoadFromSerializedProto(model_bytes)
    return processor


@pytest.fixture(scope="module")
def model_path(model_bytes, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "tiny.model"
    path.write_bytes(model_bytes)
    return str(path)


pytestmark = pytest.mark.filterwarnings("ignore:no checksum is published for the model")


@pytest.fixture
def home(tmp_path, calm, monkeypatch, model_bytes):
    """Return an empty cache; there is no network but the loopback's."""
    monkeypatch.setenv("BLEU_HOME", str(tmp_path / "cache"))
    monkeypatch.setitem(SHA256, "flores200", hashlib.sha256(model_bytes).hexdigest())
    for name in ADDRESSES:
        monkeypatch.setitem(ADDRESSES, name, f"http://127.0.0.1:9/{last_component(ADDRESSES[name])}")
    return str(tmp_path / "cache")


@pytest.fixture
def web(home, web, model_bytes, monkeypatch):
    """Put all models on the server."""
    for name, address in ADDRESSES.items():
        monkeypatch.setitem(ADDRESSES, name, web.put(f"/{last_component(address)}", Page(model_bytes)))
    return web


@pytest.fixture
def cached(home, model_bytes):
    """Put a model into the cache, as sacreBLEU would, and return its path."""

    def put(name, content=model_bytes):
        path = os.path.join(home, "models", last_component(ADDRESSES[name]))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        return path

    return put


PUBLISHED = ("spm", "flores101", "flores200", "spBLEU-1K")


def pieces(model, text):
    return " ".join(model.EncodeAsPieces(text))


# --- tokens


def test_tokens_are_the_librarys_pieces(model, model_path):
    segments = ["the cat sat", "lowest newest", "東京に住む", *ODD]
    found = list(LocalModel(model_path).tokenize(Segments.from_strings(segments)))
    assert found == [pieces(model, text) for text in segments]
    assert "▁the ▁" in found[0]


@examples(150)
@given(text=texts)
def test_any_text_is_split_as_the_library_splits_it(text, model, model_path):
    tokens = list(tokenizers.get(f"spm:{model_path}").tokenize(Segments.from_strings([text])))
    assert tokens == [pieces(model, text)]


def test_missing_texts_stay_missing_and_order_is_kept(model, model_path):
    segments = [None, "the cat", None, "", "a mat", "the cat", None]
    found = list(LocalModel(model_path).tokenize(Segments.from_strings(segments)))
    assert found == [None if text is None else pieces(model, text) for text in segments]


def test_no_segments_give_no_tokens(model_path):
    assert list(LocalModel(model_path).tokenize(Segments.from_strings([]))) == []


def test_threads_share_a_tokenizer_and_get_the_same_tokens(model, model_path):
    tokenizer = LocalModel(model_path)
    rng = random.Random(5)
    blocks = [[" ".join(rng.choices(WORDS, k=9)) for _ in range(300)] for _ in range(6)]
    found = [None] * len(blocks)

    def tokenize(part):
        found[part] = list(tokenizer.tokenize(Segments.from_strings(blocks[part])))

    threads = [threading.Thread(target=tokenize, args=(part,)) for part in range(len(blocks))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[pieces(model, text) for text in block] for block in blocks]


# --- local models


def test_the_signature_of_a_local_model_is_its_checksum(model_bytes, model_path):
    assert LocalModel(model_path).signature == f"spm-{hashlib.sha256(model_bytes).hexdigest()[:8]}"


def test_a_pickled_metric_does_not_hold_its_model(model_path, monkeypatch, tmp_path):
    monkeypatch.chdir(os.path.dirname(model_path))
    metric = BLEU(tokenize=f"spm:{os.path.basename(model_path)}")
    sent = pickle.dumps(metric)
    assert len(sent) < 2000
    monkeypatch.chdir(tmp_path)  # a worker runs elsewhere
    texts = (["the cat sat on"], [["the cat sat on it"]])
    assert pickle.loads(sent).corpus_score(*texts).score == metric.corpus_score(*texts).score


def test_a_pickled_metric_refuses_another_model(model_bytes, tmp_path):
    path = tmp_path / "mine.model"
    path.write_bytes(model_bytes)
    sent = pickle.dumps(BLEU(tokenize=f"spm:{path}"))
    path.write_bytes(trained("char"))
    with pytest.raises(BleuError, match=r"^the SentencePiece model .*mine\.model differs from the one in the pickle"):
        pickle.loads(sent)


def test_a_model_that_was_replaced_is_loaded_again(model_bytes, tmp_path):
    path = tmp_path / "mine.model"
    path.write_bytes(model_bytes)
    before = LocalModel(str(path)).signature
    path.write_bytes(trained("char"))
    assert LocalModel(str(path)).signature != before


@pytest.mark.parametrize(("path", "why"), [("none.model", "No such file"), (".", "Is a directory"), ("a\0b", "null")])
def test_a_local_model_that_cannot_be_read_gives_one_line(path, why, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BleuError, match=rf"^cannot read the SentencePiece model .*{why}.*; give the path of"):
        tokenizers.get(f"spm:{path}")


@pytest.mark.parametrize("content", [b"", b"<html>not found</html>", b"\x00" * 100])
def test_a_cached_file_that_is_not_a_model_gives_one_line_with_the_advice_to_delete_it(content, cached):
    path = cached("flores101", content)
    with pytest.raises(BleuError) as caught:
        tokenizers.get("flores101")
    assert str(caught.value).startswith(f"{path} is not a SentencePiece model")
    assert "delete it" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_error_about_a_local_file_that_is_not_a_model_does_not_say_to_delete_it(tmp_path):
    (tmp_path / "my.txt").write_bytes(b"my only copy")
    with pytest.raises(BleuError, match=r"my\.txt is not a SentencePiece model, or is damaged; give the path of"):
        LocalModel(str(tmp_path / "my.txt"))


def test_half_a_model_is_refused(model_bytes, cached):
    path = cached("flores101", model_bytes[: len(model_bytes) // 2])
    with pytest.raises(BleuError, match=f"^{re.escape(path)} is not a SentencePiece model"):
        tokenizers.get("flores101")
    assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]


# --- models that have a name


@pytest.mark.parametrize("name", [*ADDRESSES, "spm"])
def test_a_model_is_downloaded_once_into_the_cache(name, web, home, model):
    for _ in range(2):
        tokenizer = tokenizers.get(name)
        assert list(tokenizer.tokenize(Segments.from_strings(["the cat"]))) == [pieces(model, "the cat")]
    assert len(web.requests) == 1
    record = [] if name == "flores200" else [f"{web.paths[0][1:]}.sha256"]
    assert sorted(os.listdir(os.path.join(home, "models"))) == [web.paths[0][1:], *record]


def test_models_are_where_the_oracle_looks_for_them():
    assert {name: last_component(address) for name, address in ADDRESSES.items()} == {
        "flores101": "sacrebleu_tokenizer_spm.model",
        "flores200": "flores200sacrebleuspm",
        "spBLEU-1K": "spbleu-1k_tokenizer_spm.model",
    }
    assert all(address.startswith("https://") for address in ADDRESSES.values())


def test_the_mirror_has_models_under_their_names(home, model_bytes, monkeypatch):
    with serving() as server:
        server.put("/m/flores101/sacrebleu_tokenizer_spm.model", Page(model_bytes))
        monkeypatch.setenv("BLEU_MIRROR", f"{server.url}/m")
        assert tokenizers.get("spm").signature == "flores101"


def test_offline_names_the_model_that_is_missing(home, monkeypatch):
    monkeypatch.setenv("BLEU_OFFLINE", "1")
    with pytest.raises(BleuError, match=r"^spBLEU-1K needs .*spbleu-1k_tokenizer_spm\.model, which is missing"):
        tokenizers.get("spBLEU-1K")


def test_the_list_says_which_models_are_not_downloaded(cached):
    def states():
        return {name: state for name, _, state in tokenizers.listing() if name in PUBLISHED}

    assert states() == dict.fromkeys(PUBLISHED, "model not downloaded")
    assert not any(map(tokenizers.is_ready, PUBLISHED))
    cached("flores101")
    expected = dict.fromkeys(PUBLISHED, "model not downloaded") | {"spm": "installed", "flores101": "installed"}
    assert states() == expected
    assert [name for name in PUBLISHED if tokenizers.is_ready(name)] == ["spm", "flores101"]


def test_signatures_are_the_current_names(cached):
    cached("flores101")
    cached("flores200")
    cached("spBLEU-1K")
    names = ("flores101", "flores200", "spBLEU-1K", "spm")
    found = {name: PublishedModel(name).signature for name in names}
    assert found == {"flores101": "flores101", "flores200": "flores200", "spBLEU-1K": "spBLEU-1K", "spm": "flores101"}


def test_without_the_extra_nothing_is_downloaded_and_the_error_ends_in_what_to_type(
    web, model_bytes, tmp_path, monkeypatch
):
    (tmp_path / "mine.model").write_bytes(model_bytes)
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    for name in ("flores200", f"spm:{tmp_path / 'mine.model'}"):
        with pytest.raises(BleuError, match=r"type: pip install 'bleucli\[spm\]'$"):
            tokenizers.get(name)
    assert web.requests == []


# --- always the same model

SHORT = "the cat sat on the mat"


def note_of(found):
    return [str(one.message) for one in found if issubclass(one.category, Note)]


def test_the_first_model_is_recorded_with_a_note_and_another_one_is_refused(web, cached, home, model_bytes):
    digest, other = hashlib.sha256(model_bytes).hexdigest(), trained("char")
    with pytest.warns(Note) as found:
        tokenizers.get("flores101")
    (note,) = note_of(found)
    assert note.startswith(f"no checksum is published for the model flores101; the sha256 of this one, {digest}, is")
    with warnings.catch_warnings(action="error"):
        tokenizers.get("flores101")
    path = cached("flores101", other)
    with pytest.raises(BleuError) as caught:
        tokenizers.get("flores101")
    for part in (path, digest, hashlib.sha256(other).hexdigest(), f"if the change is intended, delete {path}.sha256"):
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)
    os.remove(f"{path}.sha256")
    with pytest.warns(Note, match=hashlib.sha256(other).hexdigest()):
        tokenizers.get("flores101")


def test_a_model_that_was_deleted_comes_back_as_it_was_or_not_at_all(web, home, model_bytes):
    tokenizers.get("spBLEU-1K")
    path = os.path.join(home, "models", last_component(ADDRESSES["spBLEU-1K"]))
    os.remove(path)
    web.put(f"/{last_component(path)}", Page(trained("char")))
    with pytest.raises(BleuError, match=r"had .*, and scores with both would have the same signature"):
        tokenizers.get("spBLEU-1K")
    web.put(f"/{last_component(path)}", Page(model_bytes))
    os.remove(path)
    assert tokenizers.get("spBLEU-1K").signature == "spBLEU-1K"


def test_a_model_that_sacrebleu_put_there_is_recorded_when_it_is_first_used(cached):
    path = cached("flores101")
    with pytest.warns(Note, match="is recorded, and no other file will be accepted"):
        tokenizers.get("flores101")
    assert os.path.exists(f"{path}.sha256")


def test_a_model_in_a_cache_that_is_not_ours_is_used(cached, monkeypatch):
    path = cached("flores101")
    os.mkdir(f"{path}.lock")  # works like a folder without permission to write, even for root
    with pytest.warns(Note, match="could not be recorded"):
        assert tokenizers.get("flores101").signature == "flores101"


def test_the_model_of_flores200_is_the_published_one(web, cached, home, model_bytes, monkeypatch):
    cached("flores200", trained("char"))  # half a download, or another model: the right one is fetched
    tokenizers.get("flores200")
    assert len(web.requests) == 1
    assert os.listdir(os.path.join(home, "models")) == ["flores200sacrebleuspm"]
    monkeypatch.setitem(SHA256, "flores200", "0" * 64)
    with pytest.raises(BleuError, match=f"sent a file with the sha256 .*, expected {'0' * 64}"):
        tokenizers.get("flores200")


def test_the_known_checksum_is_that_of_nllb():
    known = "14bb8dfb35c0ffdea7bc01e56cea38b9e3d5efcdcb9c251d6b40538e1aab555a"
    words = [sys.executable, "-c", "from bleucli.tokenizers.libraries import SHA256; print(SHA256)"]
    assert str({"flores200": known}) in subprocess.run(words, capture_output=True, text=True, timeout=SECONDS).stdout


@pytest.mark.skipif(os.name != "posix", reason="there are no pseudo-terminals")
def test_the_command_prints_the_checksum_of_a_model_once_to_a_terminal(cached, command, write):
    path = cached("flores101")
    write("ref.txt", f"{SHORT}\n")
    words = ("ref.txt", "-i", "ref.txt", "-tok", "flores101", "-b")

    def said(*more):
        terminal, stderr = os.openpty()
        assert command(*words, *more, stderr=stderr)[:2] == (0, "100.0\n")
        os.close(stderr)
        return sent_to(terminal).decode()

    told = "bleu: note: no checksum is published for the model flores101; the sha256 of this one"
    assert [told in said() for _ in range(2)] == [True, False]
    os.remove(f"{path}.sha256")
    assert said("-q") == ""


def test_the_command_prints_the_checksum_of_a_first_model_in_logs_too(cached, command, pair, model_bytes):
    cached("flores101")
    digest = hashlib.sha256(model_bytes).hexdigest()
    words = (*pair, "-tok", "flores101", "-b")
    note = (
        f"bleu: note: no checksum is published for the model flores101; the sha256 of this one, {digest}, is recorded,"
        " and no other file will be accepted\n"
    )
    assert command(*words, "--strict").err == note
    assert command(*words).err == ""


# --- the oracle, with the same models in its cache

ORACLE = """
import json, sys
from sacrebleu.metrics import BLEU
given = json.load(sys.stdin)
for name in given["names"]:
    metric = BLEU(tokenize=name)
    score = metric.corpus_score(given["hypotheses"], [given["references"]])
    numbers = [score.score, score.counts, score.totals, score.sys_len, score.ref_len]
    print(json.dumps([*numbers, str(metric.get_signature())]))
"""


@pytest.mark.filterwarnings("ignore:the tokenizer spm")
def test_scores_and_signatures_are_the_oracles(cached, home):
    for name, kind in zip(ADDRESSES, ("char", "unigram", "bpe"), strict=True):
        cached(name, trained(kind))
    names = [*ADDRESSES, "spm"]
    rng = random.Random(11)
    references = [" ".join(rng.choices(WORDS, k=9)) for _ in range(40)] + ODD
    hypotheses = [" ".join(rng.sample(words := text.split(" "), len(words))) for text in references]
    for name, theirs in zip(names, _oracles_answers(home, names, hypotheses, references), strict=True):
        metric = BLEU(tokenize=name)
        ours = metric.corpus_score(hypotheses, [references])
        assert oracles.same(ours.score, theirs[0])
        assert [ours.counts, ours.totals, ours.sys_len, ours.ref_len] == theirs[1:5]
        assert oracles.without_version(str(metric.get_signature())) == oracles.without_version(theirs[5])


def _oracles_answers(home, names, hypotheses, references):
    given = json.dumps({"names": names, "hypotheses": hypotheses, "references": references})
    done = subprocess.run(
        [sys.executable, "-c", ORACLE],
        input=given,
        env={**os.environ, "SACREBLEU": home},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]
