"""A cache of ours and one of sacreBLEU: both are read, one is written, and neither moves when the other appears."""

from __future__ import annotations

import os
import shutil
import sys

import pytest
from conftest import refused
from raw_files import content, note_of
from web_server import Page

from bleucli.cli.commands import versus

pytestmark = pytest.mark.skipif(
    sys.platform in ("win32", "darwin"), reason="the platform's folder is found in another way there"
)

REGISTRY = """
[testsets."acme/{name}"]
format = "plain"
sources = [{{ url = "{url}/{name}.src.gz" }}, {{ url = "{url}/{name}.ref" }}]
[testsets."acme/{name}".pairs.en-de]
files = ["source:0", "source:1"]
"""
OURS, THEIRS = os.path.join(".cache", "bleu"), ".sacrebleu"


def files_below(folder):
    """Return the content of each file below a folder."""
    paths = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]
    return {os.path.relpath(path, folder): content(path) for path in paths}


@pytest.fixture
def bleu(folder, web, command, write, calm):
    """Run the command with test sets of a server and a home of its own; with `offline`, it may not use the server."""
    import gzip

    for name in ("x", "y"):
        web.put(f"/{name}.src.gz", Page(gzip.compress(f"one {name}\n".encode(), mtime=0)))
        web.put(f"/{name}.ref", Page(f"eins {name}\n".encode()))
    write("acme.toml", "".join(REGISTRY.format(name=name, url=web.url) for name in ("x", "y")))

    def bleu(*words, offline=False):
        home = {"HOME": str(folder), "XDG_CACHE_HOME": "", "BLEU_REGISTRY": "acme.toml"}
        return command(*words, variables=home | ({"BLEU_OFFLINE": "1"} if offline else {}))

    return bleu


def notes(name, *kinds):
    """Return the notes about the first downloads of a test set."""
    import gzip

    data = {"src.gz": gzip.compress(f"one {name}\n".encode(), mtime=0), "ref": f"eins {name}\n".encode()}
    return "".join(note_of(f"acme/{name}", f"{name}.{kind}", data[kind]) for kind in kinds or data)


def echo(name):
    return ("-t", f"acme/{name}", "-l", "en-de", "--echo", "src", "ref")


@pytest.mark.slow
def test_the_cache_does_not_move_when_sacrebleu_makes_its_own(bleu):
    assert bleu(*echo("x")) == (0, "one x\teins x\n", notes("x"))
    os.mkdir(THEIRS)
    assert bleu(*echo("x"), offline=True) == (0, "one x\teins x\n", "")
    assert bleu(*echo("y")) == (0, "one y\teins y\n", notes("y"))
    assert os.listdir(THEIRS) == []
    assert sorted(os.listdir(os.path.join(OURS, "acme"))) == ["x", "y"]


def test_the_cache_of_sacrebleu_is_used_where_it_is_the_only_one(bleu):
    os.mkdir(THEIRS)
    assert bleu(*echo("x")) == (0, "one x\teins x\n", notes("x"))
    assert os.listdir(os.path.join(THEIRS, "acme")) == ["x"]
    assert not os.path.exists(OURS)


@pytest.fixture
def theirs(bleu, web):
    """Put one test set into the cache of sacreBLEU, and another into ours; no request was made yet."""
    bleu(*echo("y"))
    os.rename(OURS, "ours")
    os.mkdir(THEIRS)
    bleu(*echo("x"))
    os.rename("ours", OURS)
    web.requests.clear()
    return os.path.join(THEIRS, "acme", "x")


def test_what_sacrebleu_has_is_read_from_there_and_nothing_is_written(bleu, theirs):
    before = files_below(THEIRS), files_below(OURS)
    assert bleu(*echo("x"), offline=True) == (0, "one x\teins x\n", "")
    assert (files_below(THEIRS), files_below(OURS)) == before


def test_a_download_that_sacrebleu_has_is_not_requested_again(bleu, theirs, web):
    for name in ("acme_x.en-de.src", "acme_x.en-de.ref"):
        os.remove(os.path.join(theirs, name))
    before = files_below(THEIRS)
    assert bleu(*echo("x"), offline=True) == (0, "one x\teins x\n", "")
    assert files_below(THEIRS) == before
    shutil.rmtree(THEIRS)
    assert bleu(*echo("x"), offline=True) == (0, "one x\teins x\n", "")
    assert web.requests == []
    record = os.path.join(OURS, "acme", "x", "raw", "acme_x.x.ref.sha256")
    assert record.removeprefix(OURS) in {f"{os.sep}{name}" for name in files_below(OURS)}


def test_a_download_of_sacrebleu_that_has_changed_is_not_used(bleu, theirs, write, web):
    for name in ("acme_x.en-de.src", "acme_x.en-de.ref"):
        os.remove(os.path.join(theirs, name))
    write(os.path.join(theirs, "raw", "acme_x.x.ref"), "zwei x\n")
    refused(bleu(*echo("x"), offline=True), "acme/x needs ", "which is missing, and BLEU_OFFLINE forbids")
    assert bleu(*echo("x")) == (0, "one x\teins x\n", "")
    assert web.paths == ["/x.ref"]
    # What was recorded there still counts: a server that changed the file is found out
    shutil.rmtree(os.path.join(OURS, "acme", "x"))
    web.put("/x.ref", Page(b"drei x\n"))
    refused(bleu(*echo("x")), f"{THEIRS}{os.sep}", "holds the checksum of its first download")


def test_sacrebleu_itself_is_given_the_cache_that_has_the_test_sets(folder, calm, monkeypatch):
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    ours, theirs = str(folder / OURS), str(folder / THEIRS)
    os.makedirs(os.path.join(ours, "wmt17", "improved"))
    os.makedirs(os.path.join(theirs, "wmt18"))
    os.makedirs(os.path.join(theirs, "wmt17"))
    sets = (None, "wmt17/improved", "wmt18", "wmt17,wmt18", "wmt19")
    assert list(map(versus._choose_cache, sets)) == [ours, ours, theirs, theirs, ours]


def test_a_model_of_sacrebleu_is_used(folder, write, pair, command, calm):
    sentencepiece = pytest.importorskip("sentencepiece")
    from io import BytesIO

    model = BytesIO()
    lines = iter(["the cat sat on the mat"] * 9)
    options = {"vocab_size": 30, "hard_vocab_limit": False, "minloglevel": 2}
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=lines, model_writer=model, **options)
    os.makedirs(OURS)
    os.makedirs(os.path.join(THEIRS, "models"))
    name = "sacrebleu_tokenizer_spm.model"
    write(os.path.join(THEIRS, "models", name), model.getvalue())
    variables = {"HOME": str(folder), "XDG_CACHE_HOME": "", "BLEU_OFFLINE": "1"}
    answer = command(*pair, "-tok", "flores101", "-b", variables=variables)
    assert answer.status == 0
    assert "is recorded, and no other file will be accepted" in answer.err
    assert os.listdir(os.path.join(THEIRS, "models")) == [name]
    # Both caches now have it, and the checksum counts for both
    write(os.path.join(THEIRS, "models", name), b"another model")
    assert command(*pair, "-tok", "flores101", "-b", variables=variables) == (0, answer.out, "")
