"""The command with test sets: lists, citations, texts, scores, signatures, and errors."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import subprocess
import sys

import pytest
import sacrebleu
from conftest import HEAVY, refused
from set_world import OURS_ALONE, PAIRS, SEGMENTS, oracle, tar, wmt_xml
from web_server import Page

import bleucli
from bleucli import Signature
from bleucli.cli import arguments
from bleucli.testsets import cache, registry

DEMO = ("-t", "demo", "-l", "en-de")
UNUSED = HEAVY | {
    *("urllib.request", "xml", "pyexpat", "tarfile", "zipfile", "tomllib", "difflib"),
    *(f"bleucli.testsets.{name}" for name in ("archives", "cachefiles", "fetch", "network", "wmt_xml")),
}


@pytest.fixture
def demo(root):
    """Return the text of a file of the demo corpus."""

    def demo(name):
        with open(os.path.join(root, "bleucli", "testsets", "demo", name), "rb") as file:
            return file.read()

    return demo


# --- lists


def test_the_list_names_every_test_set_as_sacrebleu_does(run):
    lines = run("--list").out.splitlines()
    assert lines[0] == "The available test sets are:"
    names = [line.partition(" ")[0] for line in lines[1:]]
    assert sorted(names) == names
    assert set(names) == {*sacrebleu.get_available_testsets(), *OURS_ALONE}
    assert all(re.fullmatch(r".{30}: \S.*", line) for line in lines[1:])


def test_the_list_of_a_pair_has_both_directions(run):
    answer = run("--list", "-l", "km-en")
    heading, *lines = answer.out.splitlines()
    assert heading == "The available test sets for km-en are:"
    assert [line for line in lines if line.split()[0] not in OURS_ALONE] == [
        "wmt20                         : WMT 2020 news task, official test sets [MD5]"
    ]
    assert {line.split()[0] for line in lines} == {"flores200/dev", "flores200/devtest", "ntrex", "wmt20"}
    assert run("--list", "-l", "en-km").out == answer.out.replace("km-en", "en-km")


def test_the_list_of_a_test_set_has_pairs_and_fields(world, run):
    names = ("wmt17", "wmt20/tworefs", "wmt17/ms", "wmt08", "iwslt17", "multi30k/2018", "mtnt2019")
    commands = [(["--list", "-t", name], "") for name in names]
    for (words, _), theirs in zip(commands, oracle(world.cache, world.sources, commands), strict=True):
        assert sorted(run(*words).out.splitlines()) == sorted(theirs.out.splitlines())
    assert world.web.requests == []


def test_the_list_of_one_pair_is_one_line(run):
    assert run("--list", *DEMO).out == "en-de: src, ref:A, ref:B, strong, weak\n"
    assert run("--list", "-t", "wmt17", "-l", "en-zh").out == "en-zh: src, ref, docid, genre, origlang\n"


def test_listing_something_unknown_is_an_error(run):
    refused(run("--list", "-l", "en-dee"), "no test set has the language pair 'en-dee'", "; did you mean en-de or ")
    refused(run("--list", "-t", "wmt1"), "there is no test set 'wmt1'", "; did you mean wmt")
    refused(
        run("--list", "-t", "wmt17", "-l", "de-fr"), "the test set wmt17 has no language pair 'de-fr'", "; did you mean"
    )


# --- citations


def test_what_to_cite_is_bibtex(run):
    answer = run("--cite", "-t", "multi30k/2018")
    assert answer.status == 0
    assert [line.partition("{")[0] for line in answer.out.splitlines() if line.startswith("@")] == [
        "@InProceedings"
    ] * 2
    assert run("--citation", "-t", "wmt17").out.startswith("@InProceedings{bojar-EtAl:2017:WMT1,\n")
    both = run("--cite", "-t", "wmt17,wmt18").out
    assert both == run("--cite", "-t", "wmt17").out + "\n" + run("--cite", "-t", "wmt18").out


def test_nothing_to_cite_is_an_error(run):
    refused(run("--cite", "-t", "wmt22"), "no citation of wmt22 is known; cite its name and address")
    assert run("--cite", "-t", "wmt22", "-m", "ter").out.endswith(
        "\n% no citation of wmt22 is known; cite its name and address\n"
    )


def test_the_command_lists_and_downloads_what_the_options_of_sacrebleu_do(run):
    assert run("testsets").out == run("--list").out
    assert run("testsets", "-l", "km-en").out == run("--list", "-l", "km-en").out
    assert run("testsets", "wmt17", "-l", "en-zh").out == run("--list", "-t", "wmt17", "-l", "en-zh").out
    assert run("testsets", "demo", "--download") == (0, "", "")
    assert run("testsets", "demo", "-o", "list") == (0, "", "")
    with open("list", encoding="utf-8") as file:
        assert file.read() == "en-de: src, ref:A, ref:B, strong, weak\n"
    refused(run("testsets", "--download"), "--download needs the name of a test set; see bleu testsets")
    refused(run("testsets", ""), "NAME is empty; name a test set")
    refused(run("testsets", "nosuch"), "there is no test set 'nosuch'")
    refused(run("testsets", "demo", "wmt17"), "wmt17 is one argument too many; see bleu testsets --help all")
    refused(run("testsets", "demo", "--echo", "src"), "has no option --echo; see bleu testsets --help all")


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        ((), "papineni-etal-2002-bleu post-2018-call bleucli"),
        (("-m", "chrf++", "ter"), "popovic-2017-chrf snover-etal-2006-study post-2018-call bleucli"),
        (("-m", "wer", "cer"), "levenshtein-1966-binary bleucli"),
        (
            ("-m", "bleu", "-l", "en-ja", "--paired-ar", "--paired-all"),
            "papineni-etal-2002-bleu kudo-etal-2004-applying post-2018-call riezler-maxwell-2005-pitfalls"
            " romano-wolf-2005-exact bleucli",
        ),
        (
            ("-tok", "flores200", "-s", "floor", "-ci"),
            "papineni-etal-2002-bleu nllb-2022-language kudo-richardson-2018-sentencepiece chen-cherry-2014-systematic"
            " post-2018-call koehn-2004-statistical bleucli",
        ),
        (
            ("--paired-ar", "--bold-best"),
            "papineni-etal-2002-bleu post-2018-call riezler-maxwell-2005-pitfalls romano-wolf-2005-exact bleucli",
        ),
        (("-ci", "--style", "compact"), "papineni-etal-2002-bleu post-2018-call koehn-2004-statistical bleucli"),
        (("diversity",), "zhu-etal-2018-texygen li-etal-2016-diversity post-2018-call bleucli"),
        (("--segment-scores", "--paired-bs"), "koehn-2004-statistical bleucli"),
        (("-t", "wmt17", "-m", "bleu"), "papineni-etal-2002-bleu post-2018-call bleucli bojar-EtAl:2017:WMT1"),
    ],
)
def test_metrics_and_tests_have_citations_without_a_network(run, monkeypatch, words, keys):
    monkeypatch.setenv("BLEU_OFFLINE", "1")
    answer = run(*words, "--cite")
    assert (answer.status, answer.err) == (0, "")
    assert re.findall(r"^@\w+\{(.*),$", answer.out, re.MULTILINE) == keys.split()


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (("ref.txt", "-i", "a.txt", "b.txt"), ("-m", "bleu", "ter")),
        (("ref.txt", "-i", "a.txt", "b.txt", "--names", "a,b"), ("--paired-bs", "--skip-empty-refs")),
        (
            ("ref.tsv", "-nr", "2", "-e", "latin-1", "-i", "a.txt"),
            (
                "-l",
                "en-zh",
            ),
        ),
        (("-i", "a.jsonl", "--jsonl-fields", "hyp=x"), ("-m", "chrf++")),
        (("--table", "a.parquet", "--columns", "hyp=x"), ("-m", "chrf++")),
        (("-i", "a.comet", "b.comet"), ("--segment-scores", "--paired-ar")),
    ],
)
def test_cite_beside_files_is_about_the_run(run, folder, files, words):
    """The files, which do not exist, are not read: any command that scores may have --cite at its end."""
    answer = run(*files, *words, "--cite")
    assert (answer.status, answer.err) == (0, "")
    assert answer.out == run(*words, "--cite").out
    assert answer.out.count("@") >= 2
    assert run("diversity", "a.txt", "--cite").out == run("diversity", "--cite").out


def test_cite_beside_a_system_and_a_test_set_is_about_both(run):
    answer = run("-t", "wmt17", "-l", "en-de", "-i", "sys.txt", "--cite")
    keys = re.findall(r"^@\w+\{(.*),$", answer.out, re.MULTILINE)
    assert keys == ["papineni-etal-2002-bleu", "post-2018-call", "bleucli", "bojar-EtAl:2017:WMT1"]


def test_cite_does_not_guess_which_metrics_saved_statistics_have(run):
    refused(run("--stats", "a.parquet", "--cite"), "--stats has no effect: not used by --cite")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--bold-best",), "--bold-best has no effect: nothing is tested"),
        (("--style", "compact"), "--style has no effect: there are no intervals"),
        (("--difference",), "--difference has no effect: there are no intervals"),
        (
            ("--segment-scores", "-m", "bleu"),
            "--segment-scores takes numbers as they are; leave out references, -t, -m",
        ),
    ],
)
def test_options_that_do_not_change_citations_are_refused(run, words, told):
    refused(run("--cite", *words), told)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("-m", "ter", "-tok", "zh"), "--tokenize (BLEU is not scored)"),
        (("-m", "ter", "-s", "floor", "-l", "en-zh"), "--smooth-method (BLEU is not scored); --language-pair"),
        (("-m", "bleu", "--chrf-word-order", "2"), "--chrf-word-order (chrF is not scored)"),
    ],
)
def test_options_that_do_not_change_citations_get_a_warning(run, words, told):
    answer = run("--cite", *words)
    assert answer.status == 0
    assert answer.err.startswith(f"bleu: warning: without effect: {told}")
    assert run("--cite", *words, "--strict").status != 0


def test_python_cites_what_results_were_made_with():
    systems = {"a": ["x y", "z"] * 10, "b": ["x y", "y"] * 10}
    results = bleucli.evaluate_systems(systems, [["x", "z"] * 10], ["wer"], test="bs", trials=20)
    assert re.findall(r"^@\w+\{(.*),$", bleucli.cite(results), re.MULTILINE) == [
        *("levenshtein-1966-binary", "koehn-2004-statistical", "bleucli"),
    ]
    assert "romano-wolf-2005-exact" in bleucli.cite(results, bold_best=True)


# --- texts


def test_the_demo_set_echoes_its_files(run, demo):
    for field, name in (
        ("src", "source.en"),
        ("ref", "reference.A.de"),
        ("ref:B", "reference.B.de"),
        ("weak", "weak.de"),
    ):
        assert run(*DEMO, "--echo", field).out.encode() == demo(f"{name}.txt")
    together = run(*DEMO, "--echo", "src", "strong").out.splitlines()
    columns = (run(*DEMO, "--echo", field).out.splitlines() for field in ("src", "strong"))
    assert together == ["\t".join(pair) for pair in zip(*columns, strict=True)]
    assert run(*DEMO, "--echo", "all").out.splitlines()[0].count("\t") == 4


def test_test_sets_are_echoed_one_after_the_other(world, run):
    both = run("-t", "wmt17,wmt18", "-l", "en-de", "--echo", "src", "docid").out
    assert both == "".join(run("-t", name, "-l", "en-de", "--echo", "src", "docid").out for name in ("wmt17", "wmt18"))


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (
            (*DEMO, "--echo", "srcc"),
            ["demo/en-de has no field 'srcc'; it has src, ref:A", "--list -t demo; did you mean src?"],
        ),
        ((*DEMO, "--echo", "ref:C"), ["no field 'ref:C'", "; did you mean ref:"]),
        (("--echo", "src"), ["--echo needs a test set; name it with -t, see bleu --list"]),
        (("-t", "demo", "--echo", "src"), ["a test set needs a language pair; name it with -l: demo has en-de"]),
        (
            ("-t", "demo", "-l", "de-en", "--echo", "src"),
            ["the test set demo has no language pair 'de-en'; it has en-de; see bleu --list -t demo"],
        ),
        (("-t", "demoo", "-l", "en-de", "--echo", "src"), ["there is no test set 'demoo'", "; did you mean demo"]),
        (
            ("-t", "demo,demo", "-l", "en-de", "--echo", "src"),
            ["--test-set demo,demo names a test set twice; name each one once"],
        ),
        (("-t", "demo,", "-l", "en-de", "--echo", "src"), ["there is no test set ''; see bleu --list"]),
    ],
)
def test_texts_that_do_not_exist_are_an_error(words, parts, run):
    refused(run(*words), *parts)


def test_texts_are_written_to_a_file_whole(run, folder):
    assert run(*DEMO, "--echo", "src", "-o", "src.txt").out == ""
    assert (folder / "src.txt").read_text().count("\n") == 100
    refused(run(*DEMO, "--echo", "nope", "-o", "other.txt"))
    assert not (folder / "other.txt").exists()


# --- downloads


def test_a_download_fetches_all_pairs_or_one(world, run):
    answer = run("--download", "iwslt17", "-l", "en-fr")
    assert (answer.status, answer.out, answer.err) == (0, "", "")
    assert world.web.paths == ["/iwslt17/en-fr.tgz", "/iwslt17/fr-en.tgz"]
    assert run("--download", "iwslt17").status == 0
    assert len(world.web.paths) == 12
    assert os.path.isfile(cache.path_of("iwslt17", "ja-en", "ref"))
    assert run("--download", "iwslt17").status == 0
    assert len(world.web.paths) == 12


def test_a_download_of_nothing_is_an_error(run):
    refused(run("--download", "nope"), "there is no test set 'nope'")
    refused(run("--download", ""), "there is no test set ''")
    refused(run("--download", "wmt17", "-l", "xx-yy"), "the test set wmt17 has no language pair 'xx-yy'")


@pytest.mark.parametrize("words", [("--download", "demo"), ("--list", "-t", "demo")], ids=lambda words: words[0])
def test_an_empty_pair_does_not_stand_for_all_pairs(words, run):
    refused(run(*words, "-l", ""), "the test set demo has no language pair ''; it has en-de")


def test_the_mirror_is_tried_first_and_only_for_this_run(world, run):
    assert run("--download", "wmt17", "-l", "en-de", "--mirror", f"{world.web.url}/mirror/").status == 0
    assert world.web.paths == ["/mirror/wmt17/test.tgz", "/wmt17/test.tgz"]
    world.web.requests.clear()
    run("--download", "wmt18", "-l", "en-de")
    assert world.web.paths == ["/wmt18/test.tgz"]


def test_http_in_place_of_https_is_allowed_for_this_run_only(run, monkeypatch):
    seen, load = [], registry.load
    monkeypatch.setattr(registry, "load", lambda own: seen.append(cache.allows_http()) or load(own))
    for words in ((), ("--allow-http",), (), ("--mirror", "/srv/mirror")):
        assert run("--list", *words).status == 0
    assert seen == [False, True, False, False]


def test_offline_names_what_is_missing_and_uses_what_is_there(world, run, monkeypatch):
    monkeypatch.setenv("BLEU_OFFLINE", "1")
    refused(run("-t", "wmt17", "-l", "en-de", "--echo", "src"), "wmt17 needs ", "BLEU_OFFLINE forbids downloading it")
    monkeypatch.setenv("BLEU_OFFLINE", "0")
    before = run("-t", "wmt17", "-l", "en-de", "--echo", "all").out
    monkeypatch.setenv("BLEU_OFFLINE", "1")
    assert run("-t", "wmt17", "-l", "en-de", "--echo", "all").out == before != ""


# --- scores


def signature(answer):
    return answer.out.partition(" = ")[0]


def test_a_score_against_the_demo_set_is_that_against_its_file(run, demo, demo_files):
    files = run("reference.A.de.txt", "-i", "strong.de.txt", "-f", "text", "-q")
    answer = run(*DEMO, "-f", "text", stdin=demo("strong.de.txt"))
    assert answer.out == files.out.replace("nrefs:1|", "nrefs:1|test:demo|lang:en-de|")
    assert run(*DEMO, "-i", "strong.de.txt", "-f", "text", "-q").out == answer.out


def test_signatures_name_the_texts_where_sacrebleu_had_them(run, demo):
    words = (*DEMO, "-f", "text", "-q", "-m", "bleu", "chrf", "ter")
    for line in run(*words, stdin=demo("weak.de.txt")).out.splitlines():
        assert "|nrefs:1|test:demo|lang:en-de|case:" in line
    for line in run(*words, "-sh", stdin=demo("weak.de.txt")).out.splitlines():
        assert "|#:1|t:demo|l:en-de|c:" in line
    answer = json.loads(run(*DEMO, stdin=demo("weak.de.txt")).out)
    assert list(answer)[4:8] == ["nrefs", "test", "lang", "case"]
    assert (answer["test"], answer["lang"]) == ("demo", "en-de")


def test_a_signature_with_test_set_can_be_followed(run, demo):
    first = run(*DEMO, "-f", "text", "-lc", "-tok", "intl", stdin=demo("weak.de.txt"))
    again = run(*DEMO, "-f", "text", "--like", signature(first), stdin=demo("weak.de.txt"))
    assert again.out == first.out


@pytest.mark.parametrize(
    ("signature", "words", "told"),
    [
        ("test:wmt17|lang:en-de", (), "asks for test:wmt17, but this run has test:demo;"),
        ("BLEU+c.mixed+l.en-de+#.1+s.exp+t.wmt17+tok.13a+v.1.5.1", (), "test:wmt17"),
        ("test:demo|lang:de-en", (), "asks for lang:de-en, but this run has lang:en-de;"),
        ("nrefs:2|test:demo|lang:en-de", (), "asks for nrefs:2, but this run has nrefs:1;"),
        ("nrefs:1|t:demo|o:en", ("--origlang", "de"), "asks for origlang:en, but this run has origlang:de;"),
        ("S:US%7CGB", ("--subset", "US|FR"), "asks for subset:US%7CGB, but this run has subset:US%7CFR;"),
    ],
)
@pytest.mark.parametrize("extra", [(), ("-sl",), ("-m", "bleu", "chrf")])
def test_a_signature_of_other_texts_is_refused_before_any_is_prepared(run, monkeypatch, signature, words, told, extra):
    """The signature and this run name different texts."""
    if "nrefs:2" not in signature:
        monkeypatch.setattr("bleucli.testsets.preparation.prepare", None)
    answer = run(*DEMO, *words, *extra, "--like", signature)
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert told in answer.err


def test_texts_that_only_the_signature_or_only_the_score_names_are_told(run, demo, demo_files):
    signed = "BLEU|nrefs:1|test:demo|origlang:en|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"
    answer = run(*DEMO, "-f", "text", "--like", signed, stdin=demo("weak.de.txt"), terminal=True)
    assert answer.status == 0
    assert answer.err.count("bleu: note: the signature of --like ") == 1
    assert answer.err.count("bleu: warning: the signature of --like ") == 2
    assert "warning: the signature of --like has version:2.6.0, but this score has version:" in answer.err
    assert "warning: the signature of --like has origlang:en, but this run does not; its texts may be" in answer.err
    assert "note: the signature of --like does not have lang, which is en-de here\n" in answer.err
    files = run("reference.A.de.txt", "-i", "weak.de.txt", "--like", signed, terminal=True)
    assert "warning: the signature of --like has test:demo and origlang:en, but this run does not;" in files.err


def test_control_characters_in_lists_of_test_sets_do_not_reach_a_terminal(run, write):
    write(
        "own.toml",
        '[testsets."a\\u001b[2J"]\nabout = "\\u009bred"\nformat = "plain"\nsources = [{ url = "s" }, { url = "r" }]\n'
        '[testsets."a\\u001b[2J".pairs.en-de]\nfiles = ["source:0", "source:1"]\n',
    )
    answer = run("--registry", "own.toml", "--list")
    assert (answer.out + answer.err).replace("\n", "").isprintable()


def test_control_characters_are_escaped_in_signatures():
    signature = Signature([("case", "lc")]).with_texts([("test", "a\x1b[2J"), ("subset", "é\x9b\u202e|b%")])
    assert str(signature) == "test:a%1B[2J|subset:é%C2%9B%E2%80%AE%7Cb%25|case:lc"
    assert Signature.parse(str(signature)) == signature


@pytest.mark.parametrize("subset", ["US|GB", "US%7CGB", "100%"])
def test_a_part_has_the_same_name_with_and_without_escapes(run, subset):
    """Signatures of version 1.x escape nothing; ours escape `%` and `|`."""
    ours = str(Signature([]).with_texts([("subset", subset)]))
    for asked in (ours, f"BLEU+{ours.replace(':', '.')}", f"BLEU+subset.{subset}" if subset == "US|GB" else ours):
        answer = run(*DEMO, "--subset", subset, "--like", asked, stdin=b"")
        assert "--like" not in answer.err


def test_each_segment_is_signed_too(run, demo):
    answer = run(*DEMO, "-sl", stdin=demo("weak.de.txt"))
    assert answer.out.count("BLEU|nrefs:1|test:demo|lang:en-de|case:mixed|eff:yes|") == 100


@pytest.mark.parametrize(("pair", "tokenizer"), [("en-zh", "zh"), ("zh-en", "13a")])
def test_the_target_language_picks_the_tokenizer(pair, tokenizer, world, run):
    answer = run("-t", "wmt17/improved", "-l", pair, "-f", "text", "-q", stdin=b"x\n" * SEGMENTS)
    assert f"|lang:{pair}|" in answer.out
    assert f"|tok:{tokenizer}|" in answer.out
    named = run("-t", "wmt17/improved", "-l", pair, "-f", "text", "-q", "-tok", "char", stdin=b"x\n" * SEGMENTS)
    assert "|tok:char|" in named.out


def test_several_references_are_scored(world, run):
    answer = run("-t", "wmt20/tworefs", "-l", "de-en", "-f", "text", "-q", stdin=b"x\n" * SEGMENTS)
    assert answer.out.startswith("BLEU|nrefs:2|test:wmt20/tworefs|lang:de-en|")


def test_a_segment_that_a_translator_left_out_is_an_empty_or_a_missing_reference(world, run):
    words = ("-t", "wmt21/AB", "-l", "en-de", "-f", "text", "-q")
    assert run(*words, stdin=b"x\n" * 6).out.startswith("BLEU|nrefs:2|")
    assert run(*words, "--skip-empty-refs", stdin=b"x\n" * 6).out.startswith("BLEU|nrefs:var|")


SCORED = ("wmt17", "wmt16", "wmt17/ms", "wmt22", "wmt21/AB", "iwslt17", "multi30k/2018", "mtnt2019")


def words_to_score(name):
    return ["-t", name, "-l", PAIRS[name], "-f", "text", "-m", "bleu", "chrf", "ter"]


@pytest.fixture(scope="module")
def theirs(served, tmp_path_factory):
    """Return sacreBLEU's scores of each test set's own source, slightly changed, and that text."""
    home, sources = str(tmp_path_factory.mktemp("oracle")), served[1]
    echoed = oracle(home, sources, [(["-t", name, "-l", PAIRS[name], "--echo", "src"], "") for name in SCORED])
    texts = [one.out.replace("one", "1").replace("\r", " ").replace("\t", " ") for one in echoed]
    answers = oracle(home, sources, [(words_to_score(name), text) for name, text in zip(SCORED, texts, strict=True)])
    return {name: (text, answer) for name, text, answer in zip(SCORED, texts, answers, strict=True)}


@pytest.mark.parametrize("name", SCORED)
def test_scores_are_those_of_sacrebleu(name, world, theirs, run):
    source, theirs = theirs[name]
    ours = run(*words_to_score(name), "-q", stdin=source.encode())
    texts = f"test:{name}|lang:{PAIRS[name]}|"
    assert [line.strip() for line in _unversioned(ours.out.replace(texts, "")).splitlines()] == [
        line.strip() for line in _unversioned(theirs.out).splitlines()
    ]
    assert ours.out.count(texts) == 3


def _unversioned(text):
    return re.sub(r"\|version:\S+", "", text)


def test_json_lines_are_scored_against_a_test_set(run, write, demo):
    items = [json.dumps({"hypothesis": line}) for line in demo("weak.de.txt").decode().splitlines()]
    write("sys.jsonl", "".join(f"{item}\n" for item in items))
    assert run(*DEMO, "-i", "sys.jsonl", "-q").out == run(*DEMO, "-q", stdin=demo("weak.de.txt")).out


def test_the_encoding_applies_only_to_the_system(run, demo):
    text = demo("weak.de.txt")
    answer = run(*DEMO, "-e", "utf-16", "-f", "text", "-q", stdin=text.decode().encode("utf-16"))
    assert answer.out == run(*DEMO, "-f", "text", "-q", stdin=text).out


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("ref.txt", *DEMO), "references come from --test-set demo or from ref.txt"),
        (("-t", "demo"), "a test set needs a language pair; name it with -l: demo has en-de"),
        (("-t", "demo", "-l", "ende"), "pair 'ende'; see bleu --list -t demo; did you mean en-de?"),
        (("-t", "", "-l", "en-de"), "scoring needs a test set; name it with -t, see bleu --list"),
        ((*DEMO, "-nr", "2"), "--num-refs splits one reference file at tabs; 0 files were given"),
    ],
)
def test_options_that_cannot_be_combined_are_an_error(words, part, run, pair):
    refused(run(*words, stdin=b"x\n"), part)


def test_test_sets_with_different_numbers_of_references_cannot_be_joined(world, run, monkeypatch):
    refused(
        run("-t", "wmt22,wmt21/AB", "-l", "en-de", stdin=b"x\n" * 12),
        "different numbers of references cannot be scored as one: wmt22 has 1, wmt21/AB has 2",
    )
    refused(
        run("-t", "wmt17,mtnt2019", "-l", "en-de", stdin=b"x\n"), "the test set mtnt2019 has no language pair 'en-de'"
    )


# --- another number of segments


def test_the_test_set_that_has_the_other_count_is_named(world, run):
    run("--download", "wmt22", "-l", "en-de")
    answer = run("-t", "wmt17", "-l", "en-de", stdin=b"x\n" * 6)
    refused(answer, f"wmt17/en-de has {SEGMENTS} segments but standard input has 6 segments", "; wmt22 has 6\n")


def test_a_count_that_no_test_set_has_suggests_none(world, run):
    answer = run("-t", "wmt17", "-l", "en-de", stdin=b"x\n" * 3)
    refused(answer, "standard input has 3 segments", "give one line for each segment")
    assert "wmt22" not in answer.err


def test_a_count_that_the_registry_knows_needs_no_download(world, run):
    answer = run("-t", "wmt17", "-l", "en-de", stdin=b"x\n" * 100)
    missing = f"line {SEGMENTS + 1} of wmt17/en-de is missing; give one line for each segment; "
    refused(answer, f"standard input has 100 segments but wmt17/en-de has {SEGMENTS}", missing, "; demo has 100\n")


# --- a user's own

REGISTRY = """
[testsets."acme/support"]
about   = "ACME support tickets, 2026"
format  = "{kind}"
refs    = ["A"]
sources = [{sources}]

[testsets."acme/support".pairs.en-de]
files = {files}
"""


@pytest.fixture
def own(world, write):
    """Write a registry with one test set and return the words to score against it."""

    def own(kind, files, *contents, signed=True):
        tables = []
        for name, content in contents:
            url = world.web.put(f"/own/{name}", Page(content))
            checksum = f', sha256 = "{hashlib.sha256(content).hexdigest()}"' if signed else ""
            tables.append(f'{{ url = "{url}"{checksum} }}')
        write("acme.toml", REGISTRY.format(kind=kind, files=json.dumps(files), sources=", ".join(tables)))
        return ("--registry", "acme.toml", "-t", "acme/support", "-l", "en-de")

    return own


def test_a_users_own_xml_is_read(own, run):
    words = own("wmt-xml", ["support/en-de.xml"], ("support.tgz", tar({"support/en-de.xml": wmt_xml()})))
    assert run(*words, "--echo", "src").out.startswith("One first line.\n")
    answer = run(*words, "-f", "text", "--origlang", "en", "-q", stdin=b"x\n" * 6)
    assert answer.out.startswith("BLEU|nrefs:1|test:acme/support|lang:en-de|origlang:en|case:")
    assert (
        "acme/support                  : ACME support tickets, 2026 [SHA-256]\n"
        in run("--registry", "acme.toml", "--list").out
    )


def test_a_users_own_text_needs_no_archive(own, run):
    words = own("plain", ["source:0", "source:1"], ("a.en.gz", gzip.compress(b"one\ntwo\n")), ("a.de", b"eins\nzwei\n"))
    assert run(*words, "--echo", "all").out == "one\teins\ntwo\tzwei\n"


def test_a_users_own_table_has_columns(own, run):
    files = [{"file": "source:0", "column": 0}, {"file": "source:0", "column": 2}]
    listed = "[{ file = 'source:0', column = 0 }, { file = 'source:0', column = 2 }]"
    words = own("tsv", files, ("a.tsv", b"one\tx\teins\ntwo\ty\t\n"))
    with open("acme.toml") as file:
        text = file.read().replace(json.dumps(files), listed)
    with open("acme.toml", "w") as file:
        file.write(text)
    assert run(*words, "--echo", "all").out == "one\teins\ntwo\t\n"


def test_a_users_own_files_may_be_beside_the_registry(own, run, write):
    words = own("plain", ["source:0", "source:1"])
    write("a.en", "one\n")
    write("a.de", "eins\n")
    with open("acme.toml") as file:
        text = file.read().replace("sources = []", 'sources = [{ url = "a.en" }, { url = "a.de" }]')
    with open("acme.toml", "w") as file:
        file.write(text)
    assert run(*words, "--echo", "all").out == "one\teins\n"


def test_a_later_change_of_an_unsigned_file_is_refused(own, run, world):
    words = own("plain", ["source:0", "source:1"], ("a.en", b"one\n"), ("a.de", b"eins\n"), signed=False)
    assert run(*words, "--echo", "ref").out == "eins\n"
    for name in ("src", "ref"):
        os.remove(cache.path_of("acme/support", "en-de", name))
    os.remove(cache.download_path("acme/support", f"{world.web.url}/own/a.de"))
    world.web.put("/own/a.de", Page(b"zwei\n"))
    refused(run(*words, "--echo", "ref"), "acme/support", hashlib.sha256(b"eins\n").hexdigest())


def _example_of_the_page(root, name):
    with open(os.path.join(root, "docs", "testsets.md"), encoding="utf-8") as file:
        examples = re.findall(r"^```toml\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)
    (example,) = (example for example in examples if example.startswith(f'[testsets."{name}"]'))
    return example


def test_the_recipe_for_flores_plus_is_read(root, world, run, write):
    codes = ("eng_Latn", "deu_Latn", "fra_Latn")
    write("flores_plus.tgz", tar({f"devtest/{code}.txt": f"Text of {code}\n" for code in codes}))
    write("flores.toml", _example_of_the_page(root, "flores-plus/devtest"))
    words = ("--registry", "flores.toml", "-t", "flores-plus/devtest")
    assert run(*words, "-l", "fr-de", "--echo", "all").out == "Text of fra_Latn\tText of deu_Latn\n"


def test_the_example_in_json_lines_is_read(root, world, run, write):
    objects = [
        {"lp": "en-de", "id": "a", "domain": "x", "text": {"en": "One\ntwo", "reference": "Eins\nzwei"}},
        {"lp": "en-de", "id": "b", "domain": "x", "text": {"en": "Three", "reference": "Drei"}, "skip": True},
        {"lp": "en-fr", "id": "c", "domain": "x", "text": {"en": "Four", "reference": "Quatre"}},
    ]
    write("talks.jsonl", "".join(json.dumps(one) + "\n" for one in objects))
    write("acme.toml", _example_of_the_page(root, "acme/talks"))
    words = ("--registry", "acme.toml", "-t", "acme/talks", "-l", "en-de", "--echo", "all")
    assert run(*words).out == '{"src": "One\\ntwo", "ref:A": "Eins\\nzwei", "docid": "a", "domain": "x"}\n'


def test_the_example_of_the_page_is_read(root, world, run, write, monkeypatch):
    example = _example_of_the_page(root, "acme/support")
    archive = tar({"support/en-de.xml": wmt_xml()})
    world.web.put("/mirror/acme/support/support.tgz", Page(archive))
    write("acme.toml", example.replace("SHA256", hashlib.sha256(archive).hexdigest()))
    monkeypatch.setenv("BLEU_MIRROR", f"{world.web.url}/mirror")
    words = ("--registry", "acme.toml", "-t", "acme/support", "-l", "en-de")
    assert run(*words, "--echo", "src", "ref:B").out.startswith("One first line.\tEins ist es B\n")
    assert world.web.paths == ["/mirror/acme/support/support.tgz"]
    assert "test:acme/support" in run(*words, stdin=b"x\n" * 6).out


def test_the_reason_of_a_failed_download_is_not_that_of_an_earlier_exception(own, world, monkeypatch):
    own("plain", ["source:0", "source:1"], ("cut.en", b"one\n"), ("cut.de", b"eins\n"))
    world.web.put("/own/cut.en", Page(b"x" * 100, cut=10))
    monkeypatch.setenv("BLEU_REGISTRY", "acme.toml")
    try:
        raise ValueError("something else")
    except ValueError:  # the caller may be handling this exception
        with pytest.raises(bleucli.BleuError, match="broke off after 10 of 100 bytes"):
            bleucli.get_source_file("acme/support", "en-de")


def test_a_registry_of_the_environment_is_read(own, run, monkeypatch):
    own("plain", ["source:0", "source:1"], ("a.en", b"one\n"), ("a.de", b"eins\n"))
    monkeypatch.setenv("BLEU_REGISTRY", "acme.toml")
    assert run("-t", "acme/support", "-l", "en-de", "--echo", "ref").out == "eins\n"


# --- options


@pytest.mark.parametrize(
    "words",
    [
        ("--test", "demo", "--lang", "en-de", "--ech", "src"),
        ("--test-s=demo", "--language=en-de", "--echo", "src"),
    ],
)
def test_abbreviations_keep_their_meaning(words, run):
    assert run(*words).out == run(*DEMO, "--echo", "src").out != ""


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("--orig", "--origlang"),
        ("--su", "--subset"),
        ("--det", "--detail"),
        ("--dow", "--download"),
        ("--li", "--list"),
    ],
)
def test_abbreviations_of_new_options_are_those_of_sacrebleu(short, long):
    values = [] if long in ("--detail", "--list") else ["x"]
    assert arguments.parse([short, *values]) == arguments.parse([long, *values]) != arguments.parse([])


# --- what is imported


def imported(root, *words):
    code = "import sys; from bleucli.__main__ import main; main(); print(*sys.modules, file=sys.stderr)"
    environment = {**os.environ, "PYTHONPATH": root}
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, *words], input=b"x\n" * 100, env=environment, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.decode().splitlines()[-1].split())


@pytest.mark.parametrize(
    "words", [(*DEMO, "-q"), (*DEMO, "-q", "-b"), (*DEMO, "--echo", "all"), ("--list",), ("--list", *DEMO)]
)
def test_nothing_heavy_is_imported_where_nothing_is_downloaded(words, root):
    modules = imported(root, *words)
    assert "bleucli.testsets.registry" in modules
    assert UNUSED.isdisjoint(modules)


def test_files_are_scored_without_reading_the_registry(root, pair):
    assert "bleucli.testsets" not in imported(root, "ref.txt", "-i", "ref.txt", "-b", "-q")
