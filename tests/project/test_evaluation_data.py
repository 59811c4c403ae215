"""Evaluation data as users make them, from a mirror on the loopback; and the scripts that read them."""

from __future__ import annotations

import hashlib
import os
import random
import re
import runpy
import shutil
import subprocess
import sys
from functools import cache
from itertools import chain
from xml.sax.saxutils import escape

import evaluation_data
import oracles
import pytest
from evaluation_data import CORPORA, PUBLIC, PUBLISHED, VARIABLE, paths, present, read_lines
from set_world import tar
from web_server import Page

# More than scripts/parity takes at once
SEGMENTS = 320
OF_A_DOCUMENT = 40
TOP = "wmt22-news-systems-1.1"
SCORES = f"{TOP}/scores/automatic-scores.tsv"
ARCHIVE = "/mirror/wmt22/v1.1.tar.gz"
LETTERS = {
    "de": "abcdefghijklmnopqrstuvwxyzäöüß",
    "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
    "ja": "あいうえおかきくけこさしすせそたちつてと日本語文",
    "zh": "的一是不了人我在有他这为之大来以个中上们",
}
# The text of another system, and of a test suite
UNWANTED = "unwanted"


# --- an archive as that of WMT22


@cache
def corpus_texts(name):
    """Return the texts of each file of a corpus: a reference, and texts similar to it."""
    dice = random.Random(name)
    letters = LETTERS[name[-2:]]
    words = ["".join(dice.choices(letters, k=dice.randint(1, 9))) for _ in range(400)]
    first = [[dice.choice(words) for _ in range(dice.randint(3, 9))] for _ in range(SEGMENTS)]
    references, systems = CORPORA[name]
    changed = {
        one: [" ".join(dice.choice(words) if dice.random() < 0.3 else word for word in text) for text in first]
        for one in (*references[1:], *systems)
    }
    return {references[0]: list(map(" ".join, first))} | changed


def wmt_xml(name):
    """Return the XML file of a language pair: white space is odd, a system and a document are unwanted."""
    texts = corpus_texts(name)
    references, systems = CORPORA[name]
    streams = {'src lang="en"': [f"source {number}" for number in range(SEGMENTS)]}
    streams |= {f'ref lang="x" translator="{one.removeprefix("ref.")}"': texts[one] for one in references}
    streams |= {f'hyp system="{one}" language="x"': texts[one] for one in systems}
    streams['hyp system="Lan-Bridge" language="x"'] = [UNWANTED] * SEGMENTS
    documents = [document(f'id="d{at}"', streams, at, OF_A_DOCUMENT) for at in range(0, SEGMENTS, OF_A_DOCUMENT)]
    suite = document('id="s" testsuite="s"', {head: [UNWANTED] for head in streams}, 0, 1)
    return f"<?xml version='1.0' encoding='utf-8'?>\n<dataset>\n{''.join([*documents, suite])}</dataset>\n"


def document(attributes, streams, start, count):
    parts = []
    for head, texts in streams.items():
        segments = enumerate(texts[start : start + count], 1)
        lines = [f'<seg id="{number}">{escape(text).replace(" ", "  ", 1)} </seg>' for number, text in segments]
        parts += [f"<{head}>", "<p>", *lines, "</p>", f"</{head.partition(' ')[0]}>"]
    return "\n".join([f"<doc {attributes}>", *parts, "</doc>", ""])


def xml_members():
    """Return the XML files of an archive, by path in it."""
    return {f"{TOP}/xml/wmttest2022.{name[-5:]}.all.xml": wmt_xml(name) for name in PUBLIC}


def score_rows():
    """Return the scores that the organizers published: those to compare, and others."""
    yield "pair", "system", "id", "is_constrained", "metric", "score"
    for pair, system, tokenize in (("en-de", "OpenNMT", "13a"), ("en-ja", "KYB", "char")):
        texts = corpus_texts(f"wmt22.{pair}")
        everything = [texts[one] for one in CORPORA[f"wmt22.{pair}"].references]
        for which, references in (("all", everything), ("A", everything[:1])):
            for name, metric in (("bleu", oracles.bleu(tokenize=tokenize)), ("chrf", oracles.chrf())):
                score = metric.corpus_score(texts[system], references).score
                yield pair, system, "1", "TRUE", f"{name}-{which}", repr(score)
        yield pair, system, "1", "TRUE", "COMET-A", "0.5"
    yield "en-de", "Lan-Bridge", "2", "FALSE", "bleu-A", "1.0"
    yield "cs-en", "Online-B", "3", "FALSE", "bleu-A", "1.0"
    yield "en-zh", "Online-B", "3", "FALSE", "chrf-all", "1.0"


@pytest.fixture(scope="module")
def archive():
    """Return an archive of the layout of WMT22's."""
    return tar(xml_members() | {SCORES: "".join("\t".join(row) + "\n" for row in score_rows())})


@pytest.fixture
def mirror(world, archive, monkeypatch):
    """Serve `wmt22` from a mirror on the loopback only; yield a function that puts an archive there."""

    def serve(content=archive):
        md5 = hashlib.md5(content).hexdigest()
        monkeypatch.setitem(world.sources, "wmt22", [{"url": f"{world.web.url}/gone/v1.1.tar.gz", "md5": md5}])
        world.web.put(ARCHIVE, Page(content, headers={"ETag": '"1"'}))
        return world.web

    monkeypatch.setenv("BLEU_MIRROR", f"{world.web.url}/mirror")
    serve()
    return serve


@pytest.fixture
def functions_of(root, monkeypatch):
    """Return the functions of a script, in this process."""
    monkeypatch.setattr(sys, "path", sys.path[:])
    return lambda name: runpy.run_path(os.path.join(root, "scripts", name))


@pytest.fixture
def make(functions_of, folder, capsys):
    """Run `scripts/evaluation_data data` in process; return status, standard output and standard error."""
    main = functions_of("evaluation_data")["main"]

    def make():
        status = main(["data"])
        return status, *capsys.readouterr()

    return make


def refused(answer, *parts):
    status, out, err = answer
    assert (status, out) == (1, "")
    assert err.startswith("evaluation_data: ")
    assert err.count("\n") == 1, err
    for part in parts:
        assert part in err


def files_in(folder):
    found = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]
    return {os.path.relpath(path, folder): open(path, "rb").read() for path in found}


# --- the script


def test_a_folder_is_made_as_the_scripts_want_it(mirror, make):
    status, out, err = make()
    assert (status, out, err) == (0, f"{VARIABLE}={os.path.abspath('data')}\n", "")
    assert evaluation_data.problem("data") == ""
    assert present("data") == list(PUBLIC)
    expected = {os.path.relpath(path, "data") for name in PUBLIC for path in paths("data", name)}
    assert set(files_in("data")) == expected | {PUBLISHED}
    for name in PUBLIC:
        for one, texts in corpus_texts(name).items():
            assert read_lines("data", name, f"{one}.txt") == texts
    published = [line.split("\t") for line in read_lines("data", PUBLISHED)]
    assert [row[:2] for row in published[1:]] == [["en-de", "OpenNMT"]] * 4 + [["en-ja", "KYB"]] * 4
    assert published[0][-1] == "score"


def test_a_second_call_makes_no_request_and_changes_nothing(mirror, make):
    make()
    before = files_in("data")
    stamps = {path: os.stat(os.path.join("data", path)).st_mtime_ns for path in before}
    mirror().requests.clear()
    assert make()[0] == 0
    assert mirror().requests == []
    assert files_in("data") == before
    assert {path: os.stat(os.path.join("data", path)).st_mtime_ns for path in before} == stamps


@pytest.mark.slow
def test_a_call_makes_what_is_missing_and_leaves_the_rest(mirror, make, world):
    make()
    before = files_in("data")
    os.remove(os.path.join("data", "wmt22.en-de", "OpenNMT.txt"))
    os.remove(os.path.join("data", PUBLISHED))
    shutil.rmtree(os.path.join("data", "wmt22.en-ja"))
    shutil.rmtree(world.cache)
    assert make()[0] == 0
    assert files_in("data") == before


@pytest.mark.slow
def test_a_download_that_breaks_off_leaves_no_text_and_the_next_call_makes_all(mirror, make, archive):
    mirror().put(ARCHIVE, Page(archive, headers={"ETag": '"1"'}, cut=len(archive) // 2), Page(b"", 404))
    refused(make(), "wmt22")
    assert not os.path.exists("data")
    mirror()
    assert make()[0] == 0
    assert evaluation_data.problem("data") == ""


@pytest.mark.parametrize("name", ["OpenNMT.txt", "ref.A.txt", PUBLISHED])
def test_a_file_whose_writing_was_interrupted_is_written_again(mirror, make, monkeypatch, name):
    replace = os.replace

    def interrupt(source, target, **how):
        if os.path.basename(target) == name:
            with open(source, "r+b") as file:
                file.truncate(100)
            raise KeyboardInterrupt
        replace(source, target, **how)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", interrupt)
        status, out, err = make()
    assert (status, out) == (130, "")
    assert err == "evaluation_data: interrupted; run it again to continue\n"
    assert not [path for path in files_in("data") if os.path.basename(path) == name]
    assert make()[0] == 0
    assert [path for path in files_in("data") if not path.endswith((".txt", ".tsv"))] == []
    assert read_lines("data", "wmt22.en-de", "OpenNMT.txt") == corpus_texts("wmt22.en-de")["OpenNMT"]


def test_a_mirror_that_has_nothing_gives_one_line(mirror, make):
    mirror().put(ARCHIVE, Page(b"", 404))
    refused(make(), "404", "wmt22")


@pytest.mark.slow
def test_a_system_that_the_archive_lacks_gives_one_line(mirror, make):
    german = f"{TOP}/xml/wmttest2022.en-de.all.xml"
    mirror(tar(xml_members() | {german: wmt_xml("wmt22.en-de").replace("OpenNMT", "Other")}))
    refused(make(), "wmt22/en-de has no field OpenNMT, only src, ref:A, ref:B")


@pytest.mark.slow
def test_texts_can_be_used_if_the_archive_lacks_scores(mirror, make):
    mirror(tar(xml_members()))
    refused(make(), f"has no member '{SCORES}'")
    assert evaluation_data.problem("data") == ""


@pytest.mark.slow
def test_scores_of_another_layout_are_refused(mirror, make):
    mirror(tar(xml_members() | {SCORES: "pair\tscore\n"}))
    refused(make(), "line 1: expected 6 columns, found 2")
    assert PUBLISHED not in files_in("data")


def test_a_place_that_cannot_be_a_folder_gives_one_line(mirror, make, write):
    write("data", "a file\n")
    refused(make(), "data")


# --- what reads them


@pytest.fixture
def data(folder):
    """Return a folder of evaluation data without published scores."""
    for name in PUBLIC:
        os.makedirs(os.path.join("data", name))
        for one, texts in corpus_texts(name).items():
            with open(os.path.join("data", name, f"{one}.txt"), "w", encoding="utf-8") as file:
                file.writelines(f"{text}\n" for text in texts)
    return os.path.abspath("data")


def run_script(root, name, *words, **variables):
    """Run a script on the data; return status, standard output and standard error."""
    unset = {name: value for name, value in os.environ.items() if name != VARIABLE}
    done = subprocess.run(
        [sys.executable, os.path.join(root, "scripts", name), *words],
        env=unset | variables,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
def test_the_scripts_run_on_data_made_by_the_script(mirror, make, root):
    make()
    named = {VARIABLE: "data"}
    status, out, err = run_script(root, "parity", "--sample", "1", **named)
    assert (status, err) == (0, ""), out
    assert f"{os.path.abspath('data')}: wmt22.en-de, wmt22.en-zh, wmt22.en-ja, wmt22.cs-uk\n" in out
    assert re.search(r"^BLEU: published score +4 +0$", out, re.MULTILINE)
    assert re.search(r"^chrF: published score +4 +0$", out, re.MULTILINE)
    assert re.search(r"^all +[1-9]\d\d+ +0$", out, re.MULTILINE)

    recorded = os.path.join(root, "tests", "parity_scores.json")
    status, out, err = run_script(root, "parity", "--recorded", recorded, **named)
    assert status == 2
    assert "was made from other texts: wmt22.cs-uk/" in err

    status, out, err = run_script(
        root, "familywise", "--only", "errors", "--repetitions", "1", "--segments", "20", "--trials", "20", **named
    )
    assert (status, err) == (0, "")
    assert out.startswith(f"4 systems of wmt22.en-de, {SEGMENTS} segments\n")


def test_missing_published_scores_are_named_and_the_rest_is_compared(functions_of, data, capsys):
    assert list(functions_of("parity")["_published_tasks"](data, ["bleu", "chrf"])) == []
    assert f"the scores that WMT22 published, because {data} has no {PUBLISHED}." in capsys.readouterr().out


def test_a_large_corpus_has_no_line_twice_and_is_always_the_same(root, data):
    for name in ("first", "second"):
        assert run_script(root, "large_corpus", "3000", name, **{VARIABLE: "data"}) == (0, "", "")
    assert files_in("first") == files_in("second")
    for name in ("hyp.txt", "ref.txt"):
        lines = read_lines("first", name)
        assert (len(lines), len(set(lines))) == (3000, 3000)


def test_a_large_corpus_is_made_of_the_systems_and_their_references(root, functions_of, data):
    assert run_script(root, "large_corpus", "1280", "large", **{VARIABLE: "data"})[0] == 0
    own_word = functions_of("large_corpus")["own_word"]
    made = []
    for number, pair in enumerate(zip(*(read_lines("large", f"{name}.txt") for name in ("hyp", "ref")), strict=True)):
        words = [line.split() for line in pair]
        for line in words:
            line.remove(own_word(number))
        made.append(tuple(map(" ".join, words)))
    texts = corpus_texts("wmt22.en-de")
    real = [zip(texts[one], texts["ref.A"], strict=True) for one in CORPORA["wmt22.en-de"].systems]
    assert sorted(made) == sorted(chain(*real))


def test_the_benchmark_measures_the_data_that_exist_and_names_them(functions_of, data):
    rows = functions_of("benchmark")["rows"](data, "made")
    titles = [row.what for row in rows]
    assert not [title for title in titles if "wmt17" in title]
    assert f"BLEU, wmt22.en-de, {SEGMENTS} lines" in titles
    assert "BLEU, 1,000,000 lines of wmt22.en-de" in titles
    assert "4 systems of wmt22.en-de, `-m bleu chrf`" in titles
    is_of_oracle = functions_of("benchmark")["is_of_oracle"]
    others = {row.theirs[0] for row in rows if row.theirs and not is_of_oracle(row)}
    assert others == {"bleu", "python"}
    named = {word for row in rows for word in (*row.theirs, *row.ours) if word.startswith(data)}
    assert named
    assert [path for path in named if not os.path.isfile(path)] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "words"),
    [("parity", ()), ("benchmark", ()), ("familywise", ()), ("large_corpus", ("1", "large"))],
)
def test_scripts_that_find_no_data_say_how_to_make_them(root, folder, script, words):
    (folder / "empty").mkdir()
    status, out, err = run_script(root, script, *words, **{VARIABLE: "empty"})
    assert (status, out) == (2, "")
    assert err == (
        f"{script}: {folder / 'empty'} lacks files of {', '.join(PUBLIC)}; make evaluation data with"
        f" scripts/evaluation_data DIR, and name DIR in {VARIABLE}\n"
    )


# --- where evaluation data are looked for


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, os.path.join(os.path.dirname(evaluation_data.CHECKOUT), "shared", "data")),
        ({VARIABLE: ""}, os.path.join(os.path.dirname(evaluation_data.CHECKOUT), "shared", "data")),
        ({VARIABLE: "/srv/data"}, "/srv/data"),
        ({VARIABLE: "~/data"}, os.path.expanduser("~/data")),
    ],
)
def test_the_folder_is_the_one_that_is_named_or_lies_beside_the_checkout(variables, expected):
    unset = {name: value for name, value in os.environ.items() if name != VARIABLE}
    code = "import evaluation_data; print(evaluation_data.FOLDER)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=unset | {"PYTHONPATH": os.path.dirname(evaluation_data.__file__)} | variables,
        capture_output=True,
        text=True,
    )
    assert done.stdout == f"{expected}\n"


@pytest.mark.parametrize(("named", "outcome"), [("", pytest.skip.Exception), ("x", pytest.fail.Exception)])
def test_tests_are_skipped_without_data_but_fail_where_a_named_folder_has_none(folder, monkeypatch, named, outcome):
    monkeypatch.setattr(oracles, "DATA", str(folder))
    monkeypatch.setenv(VARIABLE, named)
    with pytest.raises(outcome, match="lacks files of wmt22"):
        oracles.real_data()
