"""Readers of test sets' files give the same text as sacreBLEU, field by field, and nothing else."""

from __future__ import annotations

import os
import random
import re

import pytest
from set_world import DOCUMENTS, PAIRS, SEGMENTS, oracle, wmt_xml

import bleucli
from bleucli.errors import BleuError
from bleucli.testsets import cache, formats, preparation

# The numbers of segments and systems in a large file
MANY_SEGMENTS, MANY_SYSTEMS = 2000, 12


@pytest.fixture(scope="module")
def theirs(served, tmp_path_factory):
    """Return what sacreBLEU lists and echoes for each test set, and its cache."""
    home = str(tmp_path_factory.mktemp("oracle"))
    words = [["-t", name, "-l", pair] for name, pair in PAIRS.items()]
    listed = oracle(home, served[1], [([*one, "--list"], "") for one in words])
    echoed = oracle(
        home, served[1], [([*one, "--echo", field], "") for one in words for field in ("all", "src", "ref")]
    )
    assert all(answer.status == 0 for answer in (*listed, *echoed))
    names = dict(zip(PAIRS, (_fields(answer.out) for answer in listed), strict=True))
    singly = [([*one, "--echo", field], "") for one in words for field in names[one[1]]]
    texts = oracle(home, served[1], singly)
    columns = {(one[1], one[-1]): answer.out for (one, _), answer in zip(singly, texts, strict=True)}
    return home, names, columns, dict(zip(PAIRS, echoed[::3], strict=True))


def _fields(line):
    return line.rstrip("\n").partition(": ")[2].split(", ")


def echoed(run, name, *wanted, pair=None):
    answer = run("-t", name, "-l", pair or PAIRS[name], "--echo", *wanted)
    assert (answer.status, answer.err) == (0, "")
    return answer.out


# --- the same as sacreBLEU


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_every_field_is_what_sacrebleu_reads(name, library, theirs, run):
    _, names, columns, _ = theirs
    for field in names[name]:
        assert echoed(run, name, field) == columns[name, field], field


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_fields_side_by_side_are_printed_as_sacrebleu_does(name, library, theirs, run):
    _, names, _, together = theirs
    assert echoed(run, name, *names[name]) == together[name].out
    ours = run("--list", "-t", name, "-l", PAIRS[name])
    listed = _fields(ours.out)
    assert sorted(listed) == sorted(names[name])
    assert echoed(run, name, "all") == echoed(run, name, *listed)


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_the_files_in_the_cache_are_those_of_sacrebleu(name, world, theirs, run):
    home, names, _, _ = theirs
    echoed(run, name, "src")
    for field in names[name]:
        ours = cache.path_of(name, PAIRS[name], field)
        relative = os.path.relpath(ours, world.cache)
        with open(ours, "rb") as mine, open(os.path.join(home, relative), "rb") as other:
            assert mine.read() == other.read(), relative


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_a_cache_that_sacrebleu_filled_is_used_without_a_download(name, world, theirs, run, monkeypatch):
    home, names, columns, _ = theirs
    monkeypatch.setenv("BLEU_HOME", home)
    for field in names[name]:
        assert echoed(run, name, field) == columns[name, field]
    assert world.web.requests == []


def test_a_cache_that_we_filled_is_used_by_sacrebleu_without_a_download(world, run):
    words = [["-t", name, "-l", pair, "--echo", "src"] for name, pair in PAIRS.items()]
    ours = [run(*line).out for line in words]
    world.web.requests.clear()
    answers = oracle(world.cache, world.sources, [(line, "") for line in words])
    assert [answer.out for answer in answers] == ours
    assert world.web.requests == []


def test_another_pair_of_a_set_that_we_downloaded_is_there_for_sacrebleu_too(world, run):
    echoed(run, "wmt17/improved", "src")
    (answer,) = oracle(world.cache, world.sources, [(["-t", "wmt17/improved", "-l", "zh-en", "--echo", "src"], "")])
    assert answer.status == 0
    assert answer.out == echoed(run, "wmt17/improved", "src", pair="zh-en")


def test_the_output_of_a_system_that_lacks_a_document_stays_in_step(tmp_path):
    text = wmt_xml().replace(
        '<hyp system="Online-A" language="de">\n<p><seg id="1">Nur A hat', '<x system="">\n<p><seg id="1">'
    )
    text = re.sub(r"(<x [^/]*?(?:/(?!hyp)[^/]*?)*?)</hyp>", r"\1</x>", text)
    (tmp_path / "a.xml").write_text(text)
    columns = formats.read_wmt_xml(str(tmp_path / "a.xml"))
    assert len(columns["Online-A"]) == len(columns["src"]) == 6
    assert columns["Online-A"][-1] == ""


# --- what sacreBLEU does not read


def test_a_segment_without_text_is_an_empty_line(tmp_path):
    (tmp_path / "a.xml").write_text(wmt_xml().replace('<seg id="9">Nine of them too</seg>', '<seg id="9"/>'))
    assert formats.read_wmt_xml(str(tmp_path / "a.xml"))["src"][3] == ""


def test_a_missing_segment_of_a_system_is_an_empty_line(tmp_path):
    (tmp_path / "a.xml").write_text(wmt_xml().replace('<seg id="2">Zwei davon</seg>', ""))
    assert formats.read_wmt_xml(str(tmp_path / "a.xml"))["Some System"][1] == ""


def test_a_segment_ends_where_an_element_in_it_begins(tmp_path):
    (tmp_path / "a.xml").write_text(wmt_xml().replace("Nine of them too", "Nine <b>of</b> them<!-- too -->"))
    assert formats.read_wmt_xml(str(tmp_path / "a.xml"))["src"][3] == "Nine"


def test_fields_keep_the_order_of_the_file(world, run):
    answer = run("--list", "-t", "wmt22", "-l", "en-de")
    assert answer.out == "en-de: src, ref:A, ref:B, docid, origlang, Online-A, Some System, domain\n"
    assert run("--list", "-t", "wmt21/dev", "-l", "en-ha").out.startswith("en-ha: src, ref, ref:B, docid")


def test_ref_means_the_first_reference_that_is_scored(world, run):
    assert echoed(run, "wmt22", "ref") == echoed(run, "wmt22", "ref:A")
    assert echoed(run, "wmt22", "ref", pair="en-cs") == echoed(run, "wmt22", "ref:B", pair="en-cs")
    assert echoed(run, "wmt20/tworefs", "ref") == echoed(run, "wmt20/tworefs", "ref:0")


def test_there_is_a_line_for_each_segment(world, run):
    assert echoed(run, "wmt17", "src").count("\n") == SEGMENTS
    assert echoed(run, "wmt17", "docid").splitlines() == [one.id for one in DOCUMENTS for _ in one.segments]
    assert echoed(run, "wmt22", "src").count("\n") == 6


# --- XML that must not be read


@pytest.mark.parametrize(
    "prolog",
    [
        '<!DOCTYPE dataset [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>',
        '<!DOCTYPE dataset [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE dataset [<!ENTITY % a SYSTEM "http://127.0.0.1:9/a"> %a;]>',
        '<!DOCTYPE dataset [<!ENTITY unused "">]>',
    ],
)
def test_xml_that_declares_an_entity_is_refused(prolog, tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(
        wmt_xml().replace("<dataset", f"{prolog}<dataset").replace("Nine", "&a;" if "% a" not in prolog else "")
    )
    with pytest.raises(BleuError, match=rf"^{re.escape(str(path))}, line 2: an entity is declared or unknown"):
        formats.read_wmt_xml(str(path))


def test_an_entity_of_an_external_definition_is_refused(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(
        wmt_xml().replace("<dataset", '<!DOCTYPE d SYSTEM "http://127.0.0.1:9/d"><dataset').replace("Nine", "&n;")
    )
    with pytest.raises(BleuError, match="an entity is declared or unknown"):
        formats.read_wmt_xml(str(path))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("</dataset>", "", "is not well-formed XML: no element found: line "),
        ('id="9">Nine', 'id="nine">Nine', "a segment has the id 'nine', not a number"),
        ("<ref", "<reference", "is not well-formed XML: mismatched tag"),
        (
            'system="Online-A"',
            'system="../../Online-A"',
            r"a translator or system is called '../../Online-A', which cannot be a field's name",
        ),
        ('system="Online-A"', 'system="docid"', "a system is called 'docid'"),
        ('system="Online-A"', "", "a translator or system is called ''"),
        ("<doc ", "<document ", "mismatched tag"),
    ],
)
def test_xml_of_another_shape_is_refused(old, new, message, tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(wmt_xml().replace(old, new))
    with pytest.raises(BleuError, match=message) as caught:
        formats.read_wmt_xml(str(path))
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("encoding", ["shift_jis", "gb18030", "utf-7", "nonesuch", "euc-kr"])
def test_xml_in_an_encoding_that_cannot_be_read_is_refused(encoding, tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(wmt_xml().replace("encoding='utf-8'", f"encoding='{encoding}'"))
    with pytest.raises(
        BleuError, match=rf"^{re.escape(str(path))} is (in an unsupported encoding|not well-formed)"
    ) as caught:
        formats.read_wmt_xml(str(path))
    assert "\n" not in str(caught.value)


def test_xml_in_other_encodings_is_read(tmp_path):
    texts = []
    for encoding in ("utf-8", "utf-16", "iso-8859-15"):
        path = tmp_path / f"{encoding}.xml"
        path.write_bytes(wmt_xml().replace("utf-8", encoding).encode(encoding))
        texts.append(formats.read_wmt_xml(str(path)))
    assert texts[0] == texts[1] == texts[2]


@pytest.mark.parametrize("tag", ['<doc id="{}">', "<!--{}-->", "<?a {}?>"])
def test_an_endless_tag_is_refused(tag, tmp_path):
    path = tmp_path / "a.xml"
    fine, endless = (tag.format("x" * size) for size in (500_000, 20_000_000))
    path.write_text(f"<dataset>{endless}</dataset>")
    with pytest.raises(
        BleuError, match=r"a\.xml, line 1: a tag or comment is longer than 1048576 bytes, longer than in any test"
    ):
        formats.read_wmt_xml(str(path))
    path.write_text(f"<dataset>{fine}{'</doc>' if 'doc' in tag else ''}</dataset>")
    with pytest.raises(BleuError, match="expected documents with references, found none"):
        formats.read_wmt_xml(str(path))


def test_a_segment_may_be_long(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(wmt_xml().replace("Nine", "Nine " * 1_000_000))
    assert formats.read_wmt_xml(str(path))["src"][3].count("Nine") == 1_000_000


def test_attributes_are_cleaned_as_texts_are(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(wmt_xml().replace('id="d.1"', 'id=" d&#10;&#13;1&#x2028;a&#9; "').replace("news", "a&#10;b"))
    columns = formats.read_wmt_xml(str(path))
    assert columns["docid"][0] == "d 1 a"
    assert columns["domain"][0] == "a b"
    assert len({len(column) for column in columns.values()}) == 1


def test_xml_without_references_is_refused(tmp_path):
    (tmp_path / "a.xml").write_text("<dataset><doc id='1'><src><seg id='1'>x</seg></src></doc></dataset>")
    with pytest.raises(BleuError, match="expected documents with references, found none"):
        formats.read_wmt_xml(str(tmp_path / "a.xml"))


def big_xml():
    words = random.Random(1)
    texts = [" ".join("w" * words.randrange(1, 9) for _ in range(24)) + " &amp; ünï" for _ in range(MANY_SEGMENTS)]
    streams = [("src", "lang='en'"), *(("ref", f"translator='{name}'") for name in "AB")]
    streams += [("hyp", f"system='S{number}'") for number in range(MANY_SYSTEMS)]
    parts = ["<dataset>"]
    for first in range(0, MANY_SEGMENTS, 20):
        parts.append(f"<doc id='d{first}' origlang='en' domain='news'>\n")
        for tag, attribute in streams:
            segments = "".join(f"<seg id='{n}'>{text}</seg>\n" for n, text in enumerate(texts[first : first + 20], 1))
            parts.append(f"<{tag} {attribute}>\n<p>\n{segments}</p>\n</{tag}>\n")
        parts.append("</doc>\n")
    return "".join([*parts, "</dataset>\n"])


def test_a_large_file_is_read_whole(tmp_path):
    path = tmp_path / "big.xml"
    path.write_text(big_xml())
    columns = formats.read_wmt_xml(str(path))
    assert {len(column) for column in columns.values()} == {MANY_SEGMENTS}
    assert len(columns) == MANY_SYSTEMS + 6


def test_a_file_is_read_once_for_all_fields(world, run, monkeypatch):
    read, calls = formats.read_wmt_xml, []
    monkeypatch.setattr(formats, "read_wmt_xml", lambda path: calls.append(path) or read(path))
    echoed(run, "wmt22", "src")
    echoed(run, "wmt22", "all")
    assert len(calls) == 1


# --- the other formats


def test_a_table_with_too_few_columns_is_an_error_with_its_line(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("0\tx\n1\n")
    with pytest.raises(
        BleuError, match=rf"^{re.escape(str(path))}, line 2: expected at least 2 tab-separated columns, found 1"
    ):
        formats.read_column(str(path), 1)


def test_bytes_that_are_not_utf8_are_an_error_with_their_place(tmp_path):
    path = tmp_path / "a.sgm"
    path.write_bytes(b'<seg id="1">ok</seg>\n<seg id="2">\xff</seg>\n')
    with pytest.raises(BleuError, match=r"line 2, byte 33: 0xff is not valid utf-8"):
        formats.read_sgml(str(path))


def test_a_reference_that_ends_in_neither_sgm_nor_xml_is_plain_text(tmp_path):
    (tmp_path / "a.ref").write_text('<seg id="1">kept</seg>  \n')
    assert formats.read_sgml(str(tmp_path / "a.ref")) == ['<seg id="1">kept</seg>']


def test_a_pair_downloads_only_its_own_files(world, run):
    echoed(run, "iwslt17", "src")
    assert world.web.paths == ["/iwslt17/en-fr.tgz", "/iwslt17/fr-en.tgz"]
    world.web.requests.clear()
    echoed(run, "multi30k/2018", "src")
    assert len(world.web.paths) == 2


def test_fields_whose_counts_differ_are_an_error_that_says_what_to_do(world, run):
    echoed(run, "wmt17", "src")
    with open(cache.path_of("wmt17", "en-de", "ref"), "a") as file:
        file.write("one more\n")
    answer = run("-t", "wmt17", "-l", "en-de", "--echo", "src", "ref")
    assert (answer.status, answer.out) == (2, "")
    assert f"src has {SEGMENTS} segments but ref has {SEGMENTS + 1}; remove " in answer.err


# --- what an interrupted run left in the cache


def test_members_that_sacrebleu_left_incomplete_are_unpacked_again(world, run):
    raw = os.path.join(cache.raw_folder("wmt17"), "test")
    os.makedirs(raw)
    with open(os.path.join(raw, "newstest2017-ende-src.en.sgm"), "w") as file:
        file.write('<seg id="1">half</seg>\n')
    assert echoed(run, "wmt17", "src").count("\n") == SEGMENTS


def test_an_archive_that_sacrebleu_left_incomplete_is_fetched_again(world, run):
    os.makedirs(cache.raw_folder("wmt17"))
    with open(cache.download_path("wmt17", world.sources["wmt17"][0]["url"]), "wb") as file:
        file.write(b"\x1f\x8b half")
    assert echoed(run, "wmt17", "src").count("\n") == SEGMENTS


def test_fields_of_xml_without_their_list_are_made_again_from_the_download(world, run):
    echoed(run, "wmt21/AB", "src")
    os.remove(preparation._order_path("wmt21/AB", "en-de"))
    os.remove(cache.path_of("wmt21/AB", "en-de", "ref:B"))
    world.web.requests.clear()
    assert echoed(run, "wmt21/AB", "ref:B").startswith("Eins ist es B\n")
    assert world.web.requests == []


def test_fields_of_xml_are_enough_where_the_download_was_removed(world, run, monkeypatch):
    before = echoed(run, "wmt22", "src", "ref:A", "ref:B", "Online-A", "domain")
    for folder, _, names in os.walk(cache.raw_folder("wmt22")):
        for name in names:
            os.remove(os.path.join(folder, name))
    monkeypatch.setenv("BLEU_OFFLINE", "1")
    assert echoed(run, "wmt22", "src", "ref:A", "ref:B", "Online-A", "domain") == before
    assert run("--list", "-t", "wmt22", "-l", "en-de").out.endswith("origlang, Online-A, Some System, domain\n")


def test_leftovers_of_a_killed_run_are_removed(world, run):
    left = os.path.join(cache.raw_folder("wmt17"), f"wmt17.en-de.src.{'0' * 16}.new")
    os.makedirs(os.path.dirname(left))
    with open(left, "w") as file:
        file.write("half")
    assert echoed(run, "wmt17", "src").count("\n") == SEGMENTS
    assert not os.path.exists(left)


# --- for programs


def test_functions_return_the_paths_that_sacrebleu_returns(world):
    cache = os.path.join(world.cache, "wmt20", "tworefs", "wmt20_tworefs.de-en.")
    assert bleucli.get_source_file("wmt20/tworefs", "de-en") == f"{cache}src"
    assert bleucli.get_reference_files("wmt20/tworefs", "de-en") == [f"{cache}ref-0", f"{cache}ref-1"]
    found = bleucli.download_test_set("wmt20/tworefs", "de-en")
    assert found == [f"{cache}{name}" for name in ("src", "ref-0", "ref-1", "docid", "genre", "origlang")]
    assert all(map(os.path.isfile, found))


def test_only_the_scored_references_are_returned(world):
    assert [path.rpartition(".")[2] for path in bleucli.get_reference_files("wmt22", "en-de")] == ["ref-A"]
    assert [path.rpartition(".")[2] for path in bleucli.get_reference_files("wmt22", "en-cs")] == ["ref-B"]
    assert [path.rpartition(".")[2] for path in bleucli.get_reference_files("wmt22", "liv-en")] == ["ref"]
    assert [path.rpartition(".")[2] for path in bleucli.get_reference_files("wmt21/AB", "en-de")] == ["ref-A", "ref-B"]


def test_a_set_whose_scored_reference_is_not_in_its_file_is_an_error(world, run):
    with pytest.raises(BleuError, match=r"^wmt21/dev/en-ha has none of the references ref:A, ref, only ref:x"):
        preparation.scored_references(
            bleucli.testsets.registry.load()["wmt21/dev"], "en-ha", dict.fromkeys(["src", "ref:x"], "")
        )


def test_smart_open_reads_text_that_is_compressed(tmp_path):
    with bleucli.smart_open(str(tmp_path / "a.gz"), "wt") as file:
        file.write("ä\u2028\r\nb\n")
    with bleucli.smart_open(str(tmp_path / "a.gz")) as file:
        assert list(file) == ["ä\u2028\r\n", "b\n"]
    with bleucli.smart_open(str(tmp_path / "a.gz"), "rb") as file:
        assert file.read() == "ä\u2028\r\nb\n".encode()
