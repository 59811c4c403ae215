"""The registry: the facts about public test sets, and about a user's own."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys

import pytest
import sacrebleu.dataset
from conftest import raised, refused
from set_world import OURS_ALONE, tar

import bleucli
from bleucli.errors import BleuError
from bleucli.testsets import File, Pair, Source, registry
from bleucli.testsets.registry import parse_test_set as record_of

THEIRS = sacrebleu.dataset.DATASETS
FLORES = ("flores200/dev", "flores200/devtest")
SETS, PAIRS = 74, 579 + 2 * 204 * 203 + 2 * 55 + 31 + 23
SHA256, MD5 = "0" * 64, "f" * 32


@pytest.fixture(scope="module")
def known():
    return registry.load("")


def last(url):
    return url.rpartition("/")[2]


# --- public test sets


def test_all_test_sets_and_language_pairs_are_there(known):
    public = [name for name in known if name != "demo"]
    assert len(public) == SETS
    assert sum(len(known[name].pairs) for name in public) == PAIRS
    assert set(known) - OURS_ALONE == set(THEIRS)


def test_language_pairs_are_those_of_sacrebleu(known):
    for name, theirs in THEIRS.items():
        assert sorted(known[name].pairs) == sorted(theirs.langpairs), name


def test_addresses_and_checksums_are_those_of_sacrebleu(known):
    for name, theirs in THEIRS.items():
        checksums = dict(zip(theirs.data, theirs.md5 or (), strict=True))
        assert {source.url: source.md5 for source in known[name].sources} == checksums, name


def test_files_and_references_are_those_of_sacrebleu(known):
    cases = [(name, pair, files) for name, theirs in THEIRS.items() for pair, files in theirs.langpairs.items()]
    for name, pair, theirs in cases:
        paths = [theirs["path"]] if isinstance(theirs, dict) else theirs
        labels = theirs["refs"] if isinstance(theirs, dict) else THEIRS[name].kwargs.get("refs", [])
        assert list(map(str, _paths(known[name], pair))) == paths, (name, pair)
        assert known[name].pairs[pair].refs == labels, (name, pair)


def _paths(test_set, pair):
    """Return the paths of a pair's files as sacreBLEU writes them."""
    for file in test_set.pairs[pair].files:
        whole = f"{test_set.name.replace('/', '_')}.{last(test_set.sources[file.source].url)}"
        yield f"{file.column}:{file.member}" if test_set.format == "tsv" else file.member or whole


def bare(citation):
    r"""Return BibTeX without white space, abstract and what sacreBLEU's strings lost: backslashes, `\v`, a brace."""
    citation = re.sub(r"abstract\s*=\s*\{[^{}]*\},", "", citation)
    return "".join(citation.replace("\\v{", "{").replace("\\", "").split()).rstrip("}")


def test_citations_are_those_of_sacrebleu(known):
    for name, theirs in THEIRS.items():
        assert bare(known.citation(name)) == bare(theirs.citation or ""), name
        for text in known[name].cite and known.citation(name).split("\n\n@"):
            assert text.count("{") == text.count("}"), name


@pytest.mark.parametrize("name", ["wmt18", "wmt19"])
def test_document_tags_are_those_of_sacrebleu(name):
    assert registry.document_tags(name) == sacrebleu.dataset.SUBSETS[name]
    assert registry.document_tags("wmt17") == {}


def test_each_file_of_several_archives_is_in_the_archive_of_its_name(known):
    for pair, (files, _) in known["iwslt17"].pairs.items():
        for file in files:
            assert last(known["iwslt17"].sources[file.source].url) == f"{file.member.partition('/')[0]}.tgz", pair
    members = {file.member: file.source for file in known["wmt17/ms"].pairs["zh-en"].files}
    assert members["newstest2017-zhen-src.zh.sgm"] == 1
    assert sorted(members.values()) == [0, 0, 1, 1]


def test_flores_has_a_pair_of_every_two_languages(known):
    for name, segments in zip(FLORES, (997, 1012), strict=True):
        pairs = known.pairs(name)
        assert len(pairs) == len(set(pairs)) == 204 * 203
        assert len(known[name].files()) == 204
        assert known[name].segments == segments
        split = name.partition("/")[2]
        assert known[name].pairs["zho_Hant-eng_Latn"].files == [
            File(0, f"flores200_dataset/{split}/{language}.{split}") for language in ("zho_Hant", "eng_Latn")
        ]
        for missing in ("eng_Latn-eng_Latn", "eng-deu", "eng_Latn", ""):
            assert missing not in known[name].pairs


@pytest.mark.parametrize(
    ("pair", "spelled"),
    [
        ("en-de", "eng_Latn-deu_Latn"),
        ("eng-zho-TW", "eng_Latn-zho_Hant"),
        ("en-zh_CN", "eng_Latn-zho_Hans"),
        ("en-mn", "eng_Latn-khk_Cyrl"),
        ("lv-et", "lvs_Latn-est_Latn"),
        ("en-kas_Deva", "eng_Latn-kas_Deva"),
        ("en-ks", "en-ks"),
        ("en-xx", "en-xx"),
        ("en-en", "en-en"),
    ],
)
def test_flores_has_its_pairs_under_the_codes_of_others(pair, spelled, known):
    assert known.spell_pair("flores200/devtest", pair) == spelled


def test_errors_about_a_set_of_all_pairs_are_short(run, write):
    write("sys", "a\n")
    summary = "41412 pairs of 204 languages, such as ace_Arab-ace_Latn"
    flores = ("-t", "flores200/devtest", "-i", "sys")
    refused(run(*flores), f"name it with -l: flores200/devtest has {summary}")
    refused(run(*flores, "-l", "en-xx"), f"no language pair 'en-xx'; it has {summary}; see bleu --list")
    refused(run(*flores, "-l", "en-ks"), "has eng_Latn-kas_Arab and eng_Latn-kas_Deva; name one of them instead of en-")
    refused(run("--download", "flores200/dev"), f"flores200/dev has {summary}; name one with -l")
    raised([f"{summary}; name one with langpair='...'"], bleucli.download_test_set, "flores200/dev")
    answer = run("--list", "-t", "flores200/dev")
    assert answer.out.startswith("XX-YY: src, ref; XX and YY are two of ace_Arab, ace_Latn, acm_Arab, ")
    assert answer.out.endswith(", zul_Latn\n")
    assert run("--list", "-t", "flores200/dev", "-l", "en-de").out == "eng_Latn-deu_Latn: src, ref\n"
    assert "\nflores200/devtest " in run("--list", "-l", "en-ast_Latn").out


def test_flores_is_read_from_its_archive(run, write, monkeypatch, tmp_path):
    monkeypatch.setenv("BLEU_HOME", str(tmp_path / "cache"))
    texts = {"eng_Latn": "One.\nTwo.\n", "deu_Latn": "Eins ist es.\nZwei davon hier.\n", "lvs_Latn": "Viens\nDivi\n"}
    members = {f"./flores200_dataset/devtest/{code}.devtest": text for code, text in texts.items()}
    facts = registry._package_data("registry.json")
    archive = tar(members)
    facts["testsets"]["flores200/devtest"]["sources"][0]["sha256"] = hashlib.sha256(archive).hexdigest()
    monkeypatch.setattr(registry, "_package_data", lambda name: facts)
    folder = tmp_path / "mirror" / "flores200" / "devtest"
    folder.mkdir(parents=True)
    (folder / "flores200_dataset.tar.gz").write_bytes(archive)
    monkeypatch.setenv("BLEU_MIRROR", str(tmp_path / "mirror"))
    write("sys", texts["deu_Latn"])
    answer = run("-t", "flores200/devtest", "-l", "en-de", "-i", "sys", "-f", "text")
    assert answer.out.startswith("BLEU|nrefs:1|test:flores200/devtest|lang:eng_Latn-deu_Latn|case:mixed|")
    assert " = 100.0 " in answer.out
    assert run("-t", "flores200/devtest", "-l", "lv-de", "--echo", "src", "ref").out == (
        "Viens\tEins ist es.\nDivi\tZwei davon hier.\n"
    )
    refused(
        run("-t", "flores200/devtest", "-l", "en-fr", "--echo", "src"), "has no member 'flores200_dataset/devtest/fra_"
    )


LANGUAGES = """
[testsets."acme/wiki"]
format    = "plain"
sources   = [{ url = "wiki.tgz" }]
files     = "wiki/{language}.txt"
languages = ["en", "de", "zh_CN"]
"""


def test_a_users_own_set_may_have_all_pairs_of_its_languages(own, run, write, monkeypatch, tmp_path):
    monkeypatch.setenv("BLEU_HOME", str(tmp_path / "cache"))
    path = own(LANGUAGES)
    (tmp_path / "wiki.tgz").write_bytes(
        tar({f"wiki/{code}.txt": f"text of {code}\n" for code in ("en", "de", "zh_CN")})
    )
    answer = run("--registry", path, "-t", "acme/wiki", "-l", "zh-en", "--echo", "src", "ref")
    assert (answer.status, answer.out) == (0, "text of zh_CN\ttext of en\n")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"en", ', "3, ", "languages: expected a list of strings, found 3"),
        ('["en", "de", "zh_CN"]', '["en"]', "languages: expected at least two codes such as en"),
        ('"en"', '"e-n"', "languages: expected at least two codes such as en"),
        ('"en"', '"DE"', "languages: expected codes that differ in more than case"),
        ("{language}", "text", "files: expected a path with {language} in it, found 'wiki/text.txt'"),
        ("wiki/{", "../{", "files: expected a path that stays inside the archive"),
        ('"plain"', '"tsv"', "languages needs the format plain and one source, an archive, and takes no pairs"),
        ('{ url = "wiki.tgz" }', "", "languages needs the format plain and one source"),
        ("languages", "pairs = {}\nlanguages", "languages needs the format plain and one source"),
    ],
)
def test_a_wrong_set_of_all_pairs_is_refused(old, new, message, own):
    raised(
        [f'testsets."acme/wiki".{message}'.replace('".languages n', '": languages n')],
        registry.load,
        own(LANGUAGES.replace(old, new, 1)),
    )


def test_the_registry_checks_itself(root):
    done = subprocess.run(
        [sys.executable, os.path.join(root, "scripts", "check_registry")], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{SETS + 1} test sets, {PAIRS + 1} language pairs, 0 problems" in done.stdout


def test_a_registry_that_lacks_a_fact_fails_its_check(root, tmp_path):
    read = registry._package_data
    facts = {**read("registry.json"), "document_tags": read("document_tags.json")}
    facts["testsets"].pop("demo")
    facts["testsets"]["wmt17"]["sources"][0]["md5"] = MD5
    (tmp_path / "facts.json").write_text(json.dumps(facts))
    command = [sys.executable, os.path.join(root, "scripts", "check_registry"), str(tmp_path / "facts.json")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "test set wmt17: " in done.stdout
    assert "test set wmt16: " not in done.stdout


# --- functions


def test_functions_know_what_sacrebleu_knows():
    assert set(bleucli.get_available_testsets()) - OURS_ALONE == set(sacrebleu.get_available_testsets())
    for name in THEIRS:
        assert sorted(bleucli.get_langpairs_for_testset(name)) == sorted(sacrebleu.get_langpairs_for_testset(name))
    assert bleucli.get_langpairs_for_testset("nope") == sacrebleu.get_langpairs_for_testset("nope") == []


@pytest.mark.parametrize("pair", ["en-de", "km-en", "en-km", "xx-yy"])
def test_the_test_sets_of_a_pair_are_those_of_sacrebleu(pair):
    theirs = sacrebleu.utils.get_available_testsets_for_langpair(pair)
    assert set(bleucli.get_available_testsets_for_langpair(pair)) - OURS_ALONE == set(theirs)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("wmt1", "en-de"), "there is no test set 'wmt1'; see get_available_testsets(); did you mean wmt"),
        (("zzz", "en-de"), "there is no test set 'zzz'; see get_available_testsets()"),
        (("WMT17", "en-de"), "there is no test set 'WMT17'; see get_available_testsets(); did you mean wmt17"),
        (
            ("wmt17", "en-dee"),
            "the test set wmt17 has no language pair 'en-dee'; see get_langpairs_for_testset('wmt17'); did you"
            " mean en-de",
        ),
    ],
)
def test_unknown_names_are_an_error_with_the_nearest_names(words, message):
    for function in (bleucli.get_source_file, bleucli.get_reference_files, bleucli.download_test_set):
        with pytest.raises(BleuError) as caught:
            function(*words)
        assert str(caught.value).startswith(message)


# --- a user's own

OWN = """
[testsets."acme/support"]
about   = "ACME support tickets, 2026"
format  = "wmt-xml"
refs    = ["A"]
cite    = ["acme"]
sources = [{ url = "https://data.acme.example/support.tgz", sha256 = "SHA256" }]

[testsets."acme/support".pairs.en-de]
files = ["support/en-de.xml"]

[bibliography]
acme = "@misc{acme}"
""".replace("SHA256", SHA256)


@pytest.fixture
def own(tmp_path):
    """Write a registry and return its path."""

    def own(text):
        path = tmp_path / "acme.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return own


def test_a_users_own_test_set_is_listed_with_the_public_ones(own, monkeypatch):
    known = registry.load(own(OWN))
    found = known["acme/support"]
    assert found.sources == [Source("https://data.acme.example/support.tgz", SHA256, "")]
    assert found.pairs["en-de"] == Pair([File(0, "support/en-de.xml")], ["A"])
    assert known.citation("acme/support") == "@misc{acme}"
    assert len(list(known)) == SETS + 2
    monkeypatch.setenv("BLEU_REGISTRY", own(OWN))
    assert "acme/support" in bleucli.get_available_testsets()


def test_a_key_of_the_users_bibliography_changes_no_public_citation(own):
    key = "bojar-EtAl:2017:WMT1"
    known = registry.load(own(OWN.replace('["acme"]', f'["{key}"]').replace("acme = ", f'"{key}" = ')))
    assert known.citation("acme/support") == "@misc{acme}"
    assert known.citation("wmt17") == registry.load().citation("wmt17") != "@misc{acme}"


def test_paths_start_at_the_folder_of_the_registry(own, tmp_path, monkeypatch):
    text = OWN.replace("https://data.acme.example/support.tgz", "sets/support.tgz")
    assert registry.load(own(text))["acme/support"].sources[0].url == str(tmp_path / "sets" / "support.tgz")
    monkeypatch.chdir("/")
    for address in ("/data/support.tgz", "file:///data/support.tgz"):
        text = OWN.replace("https://data.acme.example/support.tgz", address)
        assert registry.load(own(text))["acme/support"].sources[0].url == address


AT = 'testsets."acme/support"'


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"wmt-xml"', '"xml"', f"{AT}.format: expected one of sgml, wmt-xml, plain, tsv, jsonl, found 'xml'"),
        ('"wmt-xml"', '"packaged"', f"{AT}.format: expected one of sgml, wmt-xml, plain, tsv, jsonl, found 'packaged'"),
        ('format  = "wmt-xml"', "", f"{AT}: the key format is missing"),
        ('["A"]', '"A"', f"{AT}.refs: expected a list of strings, found 'A'"),
        ('["A"]', "[]", f"{AT}.pairs.en-de.refs: expected the labels of the references to score"),
        (SHA256, "0123", f"{AT}.sources[0].sha256: expected 64 hexadecimal digits, found '0123'"),
        ("https://data.acme.example/support.tgz", "", f"{AT}.sources[0].url: expected an address, found ''"),
        ('["support/en-de.xml"]', "[]", f"{AT}.pairs.en-de.files: expected one file"),
        ('["support/en-de.xml"]', "[3]", f"{AT}.pairs.en-de.files[0]: expected a path in an archive"),
        (
            "support/en-de.xml",
            "../en-de.xml",
            f"{AT}.pairs.en-de.files[0]: expected a path that stays inside the archive",
        ),
        (
            "support/en-de.xml",
            "/en-de.xml",
            f"{AT}.pairs.en-de.files[0]: expected a path that stays inside the archive",
        ),
        ("support/en-de.xml", "source:1", f"{AT}.pairs.en-de.files: expected a source below 1, the number of sources"),
        ("pairs.en-de", "pairs.ende", f"{AT}.pairs.ende: expected a language pair of the form xx-YY"),
        ('"acme/support"', '"acme/../support"', 'testsets."acme/../support": expected a name of letters, digits'),
        ('"acme/support"', '"acme/raw"', 'testsets."acme/raw": expected a name of letters, digits'),
        ('"acme/support"', '"models/a"', 'testsets."models/a": expected a name of letters, digits'),
        ('"acme/support"', '"WMT17"', 'testsets."WMT17" differs from wmt17 only in case; give it another name'),
        (
            "https://data.acme.example/support.tgz",
            "ftp://a/b",
            f"{AT}.sources[0].url: expected an https:, http: or file:",
        ),
        (
            "https://data.acme.example/support.tgz",
            "http://[",
            f"{AT}.sources[0].url: expected an address with the name of a server",
        ),
        ('"acme/support"', '"wmt17"', 'testsets."wmt17" is a public test set; give yours another name'),
        ('["acme"]', '["other"]', f"{AT}.cite: there is no bibliography.other"),
        ('"@misc{acme}"', "3", "bibliography: expected a table of strings"),
        ("[bibliography]", "[citations]", "expected tables of the form [testsets.\"name\"], found 'citations'"),
    ],
)
def test_an_error_in_a_users_registry_is_named_by_file_and_key(old, new, message, own):
    assert old in OWN
    path = own(OWN.replace(old, new))
    with pytest.raises(BleuError) as caught:
        registry.load(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "meant"),
    [("about ", "abuot ", "about"), ("sha256", "sha1", "sha256"), ("url", "uri", "url"), ("files ", "file ", "files")],
)
def test_an_unknown_key_is_named_with_the_one_that_may_be_meant(old, new, meant, own):
    path = own(OWN.replace(old, new))
    raised([f"unknown key '{new.split()[0]}'; expected ", f"; did you mean {meant}"], registry.load, path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[testsets", "{path} is not valid TOML: "),
        ("a = " + "[" * 100_000, "{path} is not valid TOML: it is nested too deeply"),
        ("x = " + "{a = " * 3000, "{path} is not valid TOML: it is nested too deeply"),
        ("x = " + "9" * 10_000, "{path} is not valid TOML: Exceeds the limit"),
        ("", '{path}: expected tables of the form [testsets."name"], there is none'),
        ("testsets = 3", '{path}: expected tables of the form [testsets."name"], there is none'),
        ("[testsets]\na = 3", '{path}: testsets."a": expected a table, found 3'),
    ],
)
def test_a_file_of_another_kind_is_refused(text, message, own):
    path = own(text)
    with pytest.raises(BleuError) as caught:
        registry.load(path)
    assert str(caught.value).startswith(message.format(path=path))


def test_a_key_that_has_no_effect_is_refused(own):
    at = f"{AT}.pairs.en-de.files[1]"
    for form, file, key, message in (
        ("plain", '{ file = "a.de", column = 1 }', "column", "is only for tsv, not for 'a.de' of the format plain"),
        ("tsv", '{ file = "source:0", source = 0, column = 1 }', "source", "is only for a file in an archive"),
        ("plain", '{ file = "a.de", field = "ref" }', "field", "is only for packaged"),
    ):
        first = '{ file = "source:0", column = 0 }' if form == "tsv" else '"a.en"'
        text = OWN.replace("wmt-xml", form).replace('["support/en-de.xml"]', f"[{first}, {file}]")
        with pytest.raises(BleuError) as caught:
            registry.load(own(text))
        assert f"{at}: {key} {message}" in str(caught.value)
        assert str(caught.value).endswith(f"; leave {key} out")


def test_pairs_that_differ_in_case_are_refused(own):
    text = OWN.replace("[bibliography]", '[testsets."acme/support".pairs.en-DE]\nfiles = ["b.xml"]\n[bibliography]')
    with pytest.raises(BleuError, match="expected pairs that differ in more than case"):
        registry.load(own(text))


def test_a_missing_registry_is_named(tmp_path, run):
    with pytest.raises(BleuError, match=r"^cannot read the registry .*acme.toml: No such file or directory$"):
        registry.load(str(tmp_path / "acme.toml"))
    answer = run("--registry", "acme.toml", "--list")
    assert (answer.status, answer.err) == (
        2,
        "bleu: error: cannot read the registry acme.toml: No such file or directory\n",
    )


def test_several_archives_need_numbers():
    sources = [{"url": "https://a.example/a.tgz"}, {"url": "https://a.example/b.tgz"}]
    facts = {"format": "plain", "sources": sources, "pairs": {"en-de": {"files": ["a.en", "a.de"]}}}
    with pytest.raises(BleuError, match=r"files\[0\]: 2 downloads are archives, any of .*; give the number of one"):
        record_of("acme", facts, "acme.toml", packaged=False)
    facts["pairs"]["en-de"]["files"] = [{"file": "a.en", "source": 0}, {"file": "a.de", "source": 1}]
    assert [file.source for file in record_of("acme", facts, "acme.toml", packaged=False).pairs["en-de"].files] == [
        0,
        1,
    ]
    facts["pairs"]["en-de"]["files"] = ["a.en", "source:1"]
    assert [file.source for file in record_of("acme", facts, "acme.toml", packaged=False).pairs["en-de"].files] == [
        0,
        1,
    ]


def test_a_file_in_an_archive_needs_an_archive():
    facts = {"format": "plain", "sources": [{"url": "a.txt"}], "pairs": {"en-de": {"files": ["source:0", "a.de"]}}}
    with pytest.raises(BleuError, match=r"files\[1\]: no download can be the archive .*; add the archive to sources$"):
        record_of("acme", facts, "acme.toml", packaged=False)


def test_two_downloads_of_the_same_name_are_refused():
    sources = [{"url": "https://a.example/en/a.txt"}, {"url": "https://a.example/de/a.txt"}]
    facts = {"format": "plain", "sources": sources, "pairs": {"en-de": {"files": ["source:0", "source:1"]}}}
    with pytest.raises(BleuError, match=r"sources\[1\].url: .* the name of the download, is not that of sources\[0\]"):
        record_of("acme", facts, "acme.toml", packaged=False)
    sources[1]["url"] = "https://a.example/de/"
    with pytest.raises(BleuError, match=r"sources\[1\].url: expected an address that ends in a file's name"):
        record_of("acme", facts, "acme.toml", packaged=False)


def test_a_table_needs_columns():
    facts = {
        "format": "tsv",
        "sources": [{"url": "https://a.example/a.tgz"}],
        "pairs": {"en-de": {"files": ["a", "a"]}},
    }
    with pytest.raises(BleuError, match=r"files\[0\].column: expected a whole number, 0 or more, found None"):
        record_of("acme", facts, "acme.toml", packaged=False)
