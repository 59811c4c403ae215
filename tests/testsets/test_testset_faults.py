"""Whole test sets, from an address to the command's answer, and everything that can go wrong on the way.

Whatever happens, nothing outside the cache changes: every test here checks that at its end.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import random
import signal
import stat
import subprocess
import sys
import tarfile
import time

import pytest
from conftest import SECONDS, needs_signals, process_environment, refused
from raw_files import note_of
from web_server import Page

from bleucli import testsets
from bleucli.errors import BleuError
from bleucli.testsets import network
from bleucli.testsets.access import download_test_set, get_reference_files, get_source_file

SEGMENTS = 2000
SOURCE = "".join(f"The number {number} .\n" for number in range(SEGMENTS))
REFERENCE = "".join(f"Die Zahl {number} .\n" for number in range(SEGMENTS))
MEMBER = "support/en-de.xml"
ECHO = ("-t", "acme/support", "-l", "en-de", "--echo")


def xml_of(source=SOURCE, reference=REFERENCE, prolog="", translator="A", system="Online-A", document="doc1"):
    """Return a test set as WMT publishes it, with one reference and one system."""

    def stream(text):
        return "<p>" + "".join(f'<seg id="{n}">{line}</seg>\n' for n, line in enumerate(text.splitlines(), 1)) + "</p>"

    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n{prolog}<dataset id="acme"><doc id="{document}" origlang="en">\n'
        f'<src lang="en">{stream(source)}</src>\n<ref lang="de" translator="{translator}">{stream(reference)}</ref>\n'
        f'<hyp lang="de" system="{system}">{stream(reference)}</hyp></doc></dataset>\n'
    ).encode()


def tar_member(path, data=b"", kind=tarfile.REGTYPE, linkname=""):
    info = tarfile.TarInfo(path)
    info.size, info.type, info.linkname = len(data), kind, linkname
    return info, data


def archive_of(*listed):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for info, data in listed:
            archive.addfile(info, io.BytesIO(data))
    return packed.getvalue()


# With a file that does not compress, so that a download has many steps
FILLING = tar_member("support/logo.png", random.Random(1).randbytes(150_000))
ARCHIVE = archive_of(tar_member("support/README", b"Read me."), FILLING, tar_member(MEMBER, xml_of()))


class World:
    """A cache, and around it folders that must not change; a web server, and a registry of its test set."""

    def __init__(self, around, web, run, start):
        self.around = around
        self.cache = str(around / "cache")
        self.web = web
        self._run = run
        self._start = start

    def register(self, url, *, checksum="", form="wmt-xml", files=(MEMBER,), name="acme/support", pair="en-de"):
        """Write the registry of one test set."""
        names = ", ".join(f'"{file}"' for file in files)
        self.write_registry(
            f'[testsets."{name}"]\nabout = "a test"\nformat = "{form}"\nrefs = ["A"]\n'
            f'sources = [{{ url = "{url}"{checksum} }}]\n[testsets."{name}".pairs.{pair}]\nfiles = [{names}]\n'
        )

    def write_registry(self, text):
        (self.around / "acme.toml").write_text(text, encoding="utf-8")

    def clear(self):
        """Empty the cache."""
        for file in self.files():
            os.remove(os.path.join(self.cache, file))
        self.web.requests.clear()

    def serve(self, *pages, signed=True, **registered):
        """Serve and register a test set; the checksum is that of the last page."""
        checksum = f', sha256 = "{hashlib.sha256(pages[-1].content).hexdigest()}"' if signed else ""
        url = self.web.put("/data/support.tgz", *pages)
        self.register(url, checksum=checksum, **registered)
        return url

    def bleu(self, *words):
        """Run the command in this process."""
        return self._run("--registry", str(self.around / "acme.toml"), *words)

    def start(self, *words):
        """Run the command in a process of its own."""
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return self._start("--registry", str(self.around / "acme.toml"), *words, **streams)

    def check_source(self, notes=""):
        """Check that the test set is right; notes: what is said about downloads without a checksum."""
        assert self.bleu(*ECHO, "src") == (0, SOURCE, notes)

    def refused(self, *parts, words=(*ECHO, "src")):
        """Check that the command fails with one line that holds all parts, and that it wrote no field."""
        line = refused(self.bleu(*words), *parts)
        assert self.fields() == {}
        return line

    def fields(self):
        """Return the field files that are in the cache."""
        folder = os.path.join(self.cache, "acme", "support")
        names = os.listdir(folder) if os.path.isdir(folder) else []
        return {name.rpartition("en-de.")[2]: content(os.path.join(folder, name)) for name in names if name != "raw"}

    def files(self):
        """Return the names of all files in the cache."""
        return sorted(
            os.path.relpath(os.path.join(folder, name), self.cache)
            for folder, _, names in os.walk(self.cache)
            for name in names
        )

    def surroundings(self):
        """Return everything around the cache, except the registry: kind, bytes, time of change."""
        found = {}
        for folder, folders, names in os.walk(self.around):
            if folder == str(self.around):
                folders.remove("cache")
            for path in (os.path.join(folder, name) for name in (*names, *folders) if name != "acme.toml"):
                status = os.lstat(path)
                is_file = stat.S_ISREG(status.st_mode)
                found[path] = status.st_mode, content(path) if is_file else b"", status.st_mtime_ns if is_file else 0
        return found


def content(path):
    with open(path, "rb") as file:
        return file.read()


@pytest.fixture
def world(tmp_path, run, start, calm, web, monkeypatch):
    """Surround a cache with folders that programs like to write to, and check that they stay as they are."""
    for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "work", "cache"):
        (tmp_path / name).mkdir()
        if name.isupper():
            monkeypatch.setenv(name, str(tmp_path / name))
    (tmp_path / "kept.txt").write_bytes(b"kept")
    monkeypatch.setenv("BLEU_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path / "work")
    world = World(tmp_path, web, run, start)
    before = world.surroundings()
    yield world
    assert world.surroundings() == before


@pytest.fixture
def clean_files(world):
    """Return the contents of the cache after a run without faults, and empty the cache again."""
    world.serve(Page(ARCHIVE))
    world.check_source()
    files = world.files()
    world.clear()
    return files


# --- nothing goes wrong


def test_a_test_set_is_downloaded_once_and_leaves_only_what_is_used_again(world):
    world.serve(Page(ARCHIVE))
    world.check_source()
    world.check_source()
    answer = world.bleu(*ECHO, "ref", "Online-A", "docid")
    assert answer.out.splitlines()[1] == "Die Zahl 1 .\tDie Zahl 1 .\tdoc1"
    assert len(world.web.requests) == 1
    assert not [file for file in world.files() if file.endswith((".part", ".json", ".lock", ".new"))]
    assert not [file for file in world.files() if "logo" in file or "README" in file]


def test_programs_get_the_same_files(world, monkeypatch):
    world.serve(Page(ARCHIVE))
    monkeypatch.setenv("BLEU_REGISTRY", str(world.around / "acme.toml"))
    folder = os.path.join(world.cache, "acme", "support")
    paths = download_test_set("acme/support", "en-de")
    assert sorted(paths) == sorted(os.path.join(folder, name) for name in os.listdir(folder) if name != "raw")
    assert content(get_source_file("acme/support", "en-de")).decode() == SOURCE
    assert [content(path).decode() for path in get_reference_files("acme/support", "en-de")] == [REFERENCE]
    assert len(world.web.requests) == 1


def test_programs_get_a_bleu_error(world, monkeypatch):
    url = world.serve(Page(b"gone", 404))
    monkeypatch.setenv("BLEU_REGISTRY", str(world.around / "acme.toml"))
    with pytest.raises(BleuError, match=f"acme/support: {url} answered 404 Not Found"):
        download_test_set("acme/support")


# --- the server


@pytest.mark.slow
@pytest.mark.parametrize("signed", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["signed", "unsigned"])
@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (Page(b"gone", 404), "answered 404 Not Found"),
        (Page(b"no", 403), "answered 403 Forbidden"),
        (Page(b"later", 503), "answered 503 Service Unavailable"),
        (Page(status=302, headers={"Location": "/data/support.tgz"}), "redirects more than 10 times"),
        (Page(ARCHIVE, stall=1000), "was silent for 0.3 seconds"),
        (Page(ARCHIVE, cut=1000), "broke off"),
    ],
    ids=["404", "403", "503", "redirects", "stall", "cut"],
)
def test_a_server_that_fails_gives_one_line_and_does_no_lasting_harm(
    page, reason, signed, world, clean_files, monkeypatch
):
    url = world.serve(page, signed=False)
    with monkeypatch.context() as impatience:
        impatience.setattr(network, "SECONDS_OF_SILENCE", 0.3)
        world.refused("acme/support", f"{url} {reason}")
    assert world.files() == []
    world.serve(Page(ARCHIVE), signed=signed)
    world.check_source("" if signed else note_of("acme/support", "support.tgz", ARCHIVE))
    assert set(world.files()) - set(clean_files) <= {"acme/support/raw/acme_support.support.tgz.sha256"}


def test_a_cut_connection_and_a_busy_server_are_tried_again(world, clean_files):
    world.serve(Page(ARCHIVE, cut=100_000), Page(b"", 503), Page(ARCHIVE))
    world.check_source()
    assert len(world.web.requests) == 3
    assert world.files() == clean_files


def test_a_wrong_checksum_gives_one_line_and_the_file_is_not_kept(world):
    url = world.serve(Page(b"<html>"), Page(ARCHIVE))
    found, expected = (hashlib.sha256(data).hexdigest() for data in (b"<html>", ARCHIVE))
    world.refused(f"{url} sent a file with the sha256 {found}, expected {expected}", "try again")
    assert world.files() == []
    world.check_source()


def test_a_later_change_of_an_unsigned_file_is_refused(world):
    world.serve(Page(ARCHIVE), signed=False)
    world.check_source(note_of("acme/support", "support.tgz", ARCHIVE))
    for file in world.files():
        if not file.endswith(".sha256"):
            os.remove(os.path.join(world.cache, file))
    changed = archive_of(tar_member(MEMBER, xml_of(reference=SOURCE)))
    url = world.serve(Page(changed), signed=False)
    expected, found = (hashlib.sha256(data).hexdigest() for data in (ARCHIVE, changed))
    world.refused(
        f"{url} sent a file with the sha256 {found}, expected {expected}", "if the change is intended, delete"
    )


def test_an_incomplete_file_of_another_program_is_not_taken_for_whole(world):
    world.serve(Page(ARCHIVE))
    path = os.path.join(world.cache, "acme", "support", "raw", "acme_support.support.tgz")
    os.makedirs(os.path.dirname(path))
    with open(path, "wb") as file:
        file.write(ARCHIVE[:100_000])
    world.check_source()
    assert content(path) == ARCHIVE


def test_the_mirror_is_tried_first_and_a_wrong_one_gets_a_warning(world, monkeypatch):
    world.serve(Page(ARCHIVE))
    copy = world.web.put("/mirror/acme/support/support.tgz", Page(b"old"), Page(ARCHIVE))
    answer = world.bleu("--mirror", f"{world.web.url}/mirror/", *ECHO, "src")
    assert (answer.status, answer.out) == (0, SOURCE)
    told = answer.err
    assert f"bleu: warning: acme/support was not downloaded from the mirror: {copy} sent a file with the sha256" in told
    world.clear()
    monkeypatch.setenv("BLEU_MIRROR", f"{world.web.url}/mirror")
    world.check_source()
    assert world.web.paths == ["/mirror/acme/support/support.tgz"]


def test_offline_names_what_is_missing_and_works_with_what_is_there(world, monkeypatch):
    url = world.serve(Page(ARCHIVE))
    monkeypatch.setenv("BLEU_OFFLINE", "1")
    world.refused("acme_support.support.tgz, which is missing, and BLEU_OFFLINE forbids", url)
    assert world.web.requests == []
    monkeypatch.delenv("BLEU_OFFLINE")
    world.check_source()
    monkeypatch.setenv("BLEU_OFFLINE", "1")
    world.check_source()
    assert len(world.web.requests) == 1


# --- archives


def special(kind, target):
    return tar_member(MEMBER, kind=kind, linkname=target)


@pytest.mark.parametrize(
    ("archive", "reason"),
    [
        (b"<html>please log in</html>", "is not an archive (it begins with b'<html>plea'"),
        (ARCHIVE[:100_000], "gzip file: it is cut short"),
        (archive_of(FILLING), f"has no member '{MEMBER}'"),
        (archive_of(special(tarfile.SYMTYPE, "../../../../kept.txt")), f"'{MEMBER}' is a link"),
        (archive_of(special(tarfile.SYMTYPE, "/etc/passwd")), f"'{MEMBER}' is a link"),
        (archive_of(FILLING, special(tarfile.LNKTYPE, "support/logo.png")), f"'{MEMBER}' is a link"),
        (archive_of(special(tarfile.CHRTYPE, "")), f"'{MEMBER}' is a device or a pipe"),
        (archive_of(special(tarfile.FIFOTYPE, "")), f"'{MEMBER}' is a device or a pipe"),
        (archive_of(special(tarfile.DIRTYPE, "")), f"'{MEMBER}' is a folder"),
    ],
    ids=["page", "half", "missing", "link out", "link to root", "hard link", "device", "pipe", "folder"],
)
@pytest.mark.parametrize("signed", [True, False], ids=["signed", "unsigned"])
def test_a_useless_archive_gives_one_line(archive, reason, signed, world):
    world.serve(Page(archive), signed=signed)
    world.refused(reason)
    world.refused(reason)
    assert not [file for file in world.files() if "support.tgz" not in file]


def test_other_members_of_an_archive_are_ignored_whatever_their_paths(world, clean_files):
    evil = (
        "../evil",
        "../../../../kept.txt",
        "/evil",
        str(world.around / "kept.txt"),
        "support/../../../../../kept.txt",
    )
    link = tar_member("support/out", kind=tarfile.SYMTYPE, linkname=str(world.around))
    through = tar_member("support/out/kept.txt", b"evil")
    others = [tar_member(path, b"evil") for path in evil]
    device = tar_member("support/null", kind=tarfile.CHRTYPE)
    world.serve(Page(archive_of(*others, link, through, device, tar_member(MEMBER, xml_of()))))
    world.check_source()
    assert world.files() == clean_files


@pytest.mark.parametrize("is_wanted", [True, False])
def test_a_bomb_gives_one_line(is_wanted, world, monkeypatch):
    monkeypatch.setattr(testsets, "GROWTH_FROM_BYTES", 1 << 20)
    zeros = bytes(1 << 24)
    listed = [tar_member(MEMBER, zeros)] if is_wanted else [tar_member("zeros", zeros), tar_member(MEMBER, xml_of())]
    world.serve(Page(archive_of(*listed)))
    world.refused("holds over 250 times its own size, which no test set does")


@pytest.mark.parametrize("path", ["../kept.txt", "/etc/passwd", "support/../../x", "C:/x", "a\\\\b", "source:../x"])
def test_an_unsafe_wanted_name_gives_one_line(path, world):
    world.serve(Page(ARCHIVE), files=(path,))
    world.refused("acme.toml")
    assert world.web.requests == []


@pytest.mark.parametrize(("name", "pair"), [("../evil", "en-de"), ("acme/../../evil", "en-de"), ("/evil", "en-de")])
def test_an_unsafe_name_of_a_test_set_gives_one_line(name, pair, world):
    world.serve(Page(ARCHIVE), name=name, pair=pair)
    world.refused("acme.toml", name, words=("-t", name, "-l", pair, "--echo", "src"))
    world.refused("acme.toml", name, words=("--download", name))


def packed_text(size):
    """Return a compressed text that is far longer than it seems."""
    return gzip.compress(b"\n" * size)


@pytest.mark.parametrize("is_member", [True, False])
def test_a_bomb_in_a_text_gives_one_line(is_member, world, monkeypatch):
    monkeypatch.setattr(testsets, "GROWTH_FROM_BYTES", 1 << 20)
    bomb = packed_text(1 << 24)
    archive = archive_of(tar_member("s.txt", bomb), tar_member("r.txt", b"eins\n"), FILLING)
    files = ("s.txt", "r.txt") if is_member else ("source:0", "source:0")
    world.serve(Page(archive if is_member else bomb), form="plain", files=files)
    world.refused("holds over 250 times its own size, which no test set does")


def test_a_text_may_be_strongly_compressed(world):
    world.serve(Page(packed_text(1 << 19)), form="plain", files=("source:0", "source:0"))
    assert world.bleu(*ECHO, "src").out == "\n" * (1 << 19)


def test_the_error_about_a_damaged_download_without_a_checksum_says_what_to_delete(world):
    raw = os.path.join(world.cache, "acme", "support", "raw", "acme_support.support.tgz")
    for broken, what in ((ARCHIVE[:100_000], "is a damaged gzip file"), (archive_of(FILLING), "has no member")):
        world.clear()
        world.serve(Page(broken), signed=False)
        for _ in range(2):
            world.refused(what, f"delete it and {raw}.sha256; it will then be downloaded again")
        world.serve(Page(ARCHIVE), signed=False)
        world.refused(what)
        for path in (raw, f"{raw}.sha256"):
            os.remove(path)
        world.check_source(note_of("acme/support", "support.tgz", ARCHIVE))


def test_the_error_about_a_damaged_text_says_what_to_delete(world):
    raw = os.path.join(world.cache, "acme", "support", "raw")
    world.serve(Page(gzip.compress(SOURCE.encode())[:-9]), signed=False, form="plain", files=("source:0", "source:0"))
    world.refused("is a damaged gzip file: it is cut short", f"delete {raw}; it will then be downloaded again")
    world.serve(Page(archive_of(tar_member(MEMBER, xml_of()[:5000]))), signed=False, name="acme/other")
    answer = world.bleu("-t", "acme/other", *ECHO[2:], "src")
    assert f"delete {raw.replace('support', 'other')}; it will then be downloaded again" in answer.err


def test_the_error_about_a_text_that_is_not_utf8_advises_no_option_without_effect(world):
    world.serve(Page(b"caf\xe9\n"), form="plain", files=("source:0", "source:0"))
    assert "--encoding" not in world.refused(
        "line 1, byte 3: 0xe9 is not valid utf-8; delete the folder of its test set"
    )


def test_the_error_about_a_cached_field_that_is_not_utf8_advises_no_option_without_effect(world):
    world.serve(Page(ARCHIVE))
    world.check_source()
    with open(os.path.join(world.cache, "acme", "support", "acme_support.en-de.ref-A"), "r+b") as file:
        file.write(b"\xe9")
    answer = world.bleu(*ECHO[:-1])
    assert answer.status == 2
    assert "0xe9 is not valid utf-8; delete the folder of its test set in the cache" in answer.err


# --- fields that would be one file


def test_names_that_differ_in_little_are_different_fields(world):
    systems = ("ref-A", "a:b", "a-b", "A-B", "Ä", "a\u0308", "dot", "dot.")
    xml = xml_of().decode().partition("<hyp")[0]
    seg = '<seg id="{0}">{1} {0}</seg>'
    hyps = "".join(f'<hyp system="{name}">{seg.format(1, name)}{seg.format(2, name)}</hyp>' for name in systems)
    world.serve(Page(archive_of(tar_member(MEMBER, f"{xml}{hyps}</doc></dataset>".encode()))))
    for _ in range(2):
        for name in systems:
            assert world.bleu(*ECHO, name).out.startswith(f"{name} 1\n{name} 2\n")
        assert world.bleu(*ECHO, "ref:A").out == REFERENCE
    names = [name.lower().rstrip(".") for name in world.fields()]
    assert len(set(names)) == len(names) == len(systems) + 4
    assert {"ref-A", "a-b", "dot", "src", "docid", "origlang"} < set(world.fields())


def archives_of_equal_members(world, source, reference, names=("test.txt", "test.txt")):
    """Serve two archives with a file of the same name in each, and register them as source and reference."""
    urls = [
        world.web.put(f"/data/{name}.tgz", Page(archive_of(tar_member(member, text.encode()))))
        for name, member, text in zip("ab", names, (source, reference), strict=True)
    ]
    world.write_registry(
        f'[testsets."acme/support"]\nformat = "plain"\nsources = [{{ url = "{urls[0]}" }}, {{ url = "{urls[1]}" }}]\n'
        f'[testsets."acme/support".pairs.en-de]\nfiles = [{{ file = "{names[0]}", source = 0 }},'
        f' {{ file = "{names[1]}", source = 1 }}]\n'
    )


@pytest.mark.parametrize("names", [("test.txt", "test.txt"), ("Test.txt", "test.TXT")])
def test_files_of_the_same_name_in_two_archives_are_kept_apart(names, world):
    archives_of_equal_members(world, SOURCE, REFERENCE, names)
    assert world.bleu(*ECHO, "src").out == SOURCE
    assert world.bleu(*ECHO, "ref").out == REFERENCE


def test_a_source_and_a_reference_of_different_lengths_are_refused(world):
    archives_of_equal_members(world, "one\n", "eins\nzwei\n")
    world.refused("acme/support/en-de: the source has 1 line, but ref has 2; name files whose lines belong together")


# --- XML

BILLION = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
ENTITIES = {
    "internal": '<!DOCTYPE dataset [<!ENTITY e "x">]>',
    "billion laughs": f'<!DOCTYPE dataset [<!ENTITY l0 "lol">{BILLION}]>',
    "quadratic": f'<!DOCTYPE dataset [<!ENTITY e "{"x" * 100_000}">]>',
    "file": '<!DOCTYPE dataset [<!ENTITY e SYSTEM "file:///etc/passwd">]>',
    "web": '<!DOCTYPE dataset [<!ENTITY e SYSTEM "URL/secret">]>',
    "parameter": '<!DOCTYPE dataset [<!ENTITY % e SYSTEM "URL/secret"> %e;]>',
    "unparsed": '<!DOCTYPE dataset [<!NOTATION n SYSTEM "n"><!ENTITY e SYSTEM "URL/secret" NDATA n>]>',
}


@pytest.mark.parametrize("prolog", ENTITIES.values(), ids=ENTITIES)
@pytest.mark.parametrize("use", ["The number &e; .\n", "The number 1 .\n"], ids=["used", "unused"])
def test_xml_with_entities_gives_one_line_and_loads_nothing(use, prolog, world):
    prolog = prolog.replace("URL", world.web.url)
    world.serve(Page(archive_of(tar_member(MEMBER, xml_of(source=use, reference="x\n", prolog=prolog)))))
    world.refused("en-de.xml", "entity")
    assert world.web.paths == ["/data/support.tgz"]


def test_an_unknown_entity_gives_one_line(world):
    world.serve(Page(archive_of(tar_member(MEMBER, xml_of(source="&e;\n", reference="x\n")))))
    world.refused("en-de.xml", "entity")


def test_an_external_document_type_is_not_loaded(world):
    prolog = f'<!DOCTYPE dataset SYSTEM "{world.web.url}/secret.dtd">'
    world.serve(Page(archive_of(tar_member(MEMBER, xml_of(prolog=prolog)))))
    world.check_source()
    assert world.web.paths == ["/data/support.tgz"]


def test_xml_that_ends_in_the_middle_gives_one_line(world):
    world.serve(Page(archive_of(tar_member(MEMBER, xml_of()[:50_000]))))
    world.refused("en-de.xml is not well-formed XML")


@pytest.mark.parametrize("label", ["../../../kept", "a/b", "/kept.txt", "a\\b", "a&#10;b", "..", "x" * 300, "src"])
@pytest.mark.parametrize("attribute", ["translator", "system"])
def test_labels_that_would_be_bad_file_names_give_one_line(attribute, label, world):
    prepared = xml_of(**{"translator": "A", "system": "S", attribute: label})
    if (attribute, label) in (("translator", ".."), ("translator", "src"), ("system", "..")):
        pytest.skip("these names are fine after the name of the field")
    world.serve(Page(archive_of(tar_member(MEMBER, prepared))))
    world.refused()


def test_an_attribute_with_line_breaks_and_tabs_does_not_shift_lines(world):
    world.serve(Page(archive_of(tar_member(MEMBER, xml_of(document="a&#10;b&#9;c")))))
    answer = world.bleu(*ECHO, "docid", "src")
    assert answer.out.splitlines()[0] == "a b c\tThe number 0 ."


# --- the disk


@pytest.fixture
def mount(world):
    """Mount a small file system as the cache, in place of the last one; without the right to do so, skip the test."""

    def unmount():
        if os.path.ismount(world.cache):
            subprocess.run(["umount", world.cache], check=True)

    def mount(options):
        unmount()
        try:
            command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", world.cache]
            subprocess.run(command, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("nothing can be mounted")

    yield mount
    unmount()


def remount(folder, options):
    subprocess.run(["mount", "-o", f"remount,{options}", folder], check=True)


def test_a_full_disk_gives_one_line_whenever_it_is_full(world, mount):
    mount("size=10m")
    world.serve(Page(ARCHIVE))
    world.check_source()
    needed = 10 * 1024 - free_kilobytes(world.cache)
    for kilobytes in range(40, needed, 80):
        mount(f"size={kilobytes}k")
        world.refused("cannot write", "No space left on device", "BLEU_HOME")
    remount(world.cache, "size=10m")
    world.check_source()


def free_kilobytes(folder):
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize // 1024


def test_a_write_protected_cache_gives_one_line_but_its_files_are_used(world, mount):
    mount("size=10m")
    remount(world.cache, "ro")
    world.serve(Page(ARCHIVE))
    world.refused("cannot write", "Read-only file system", "BLEU_HOME")
    remount(world.cache, "rw")
    world.check_source()
    remount(world.cache, "ro")
    world.check_source()


def test_a_file_in_place_of_the_cache_gives_one_line(world, monkeypatch):
    monkeypatch.setenv("BLEU_HOME", str(world.around / "kept.txt"))
    world.serve(Page(ARCHIVE))
    world.refused("cannot write", "kept.txt", "BLEU_HOME")


# --- killed, and several at once


@pytest.mark.slow
@needs_signals
@pytest.mark.parametrize("count", [3, pytest.param(10, marks=pytest.mark.slow)])
def test_a_run_killed_at_several_moments_is_right_in_the_end_and_leaves_nothing(world, clean_files, count):
    world.serve(Page(ARCHIVE, piece=4000, pause=0.005))
    rng = random.Random(5)
    for _ in range(count):
        process = world.start(*ECHO, "src")
        time.sleep(rng.uniform(0.1, 0.7))
        process.kill()
        assert process.communicate(timeout=SECONDS) in ((b"", b""), (SOURCE.encode(), b""))
        if check_fields_are_whole(world):
            world.clear()
    world.check_source()
    assert check_fields_are_whole(world)
    assert world.files() == clean_files


def check_fields_are_whole(world):
    """Check that each field that is there is whole; return whether all are."""
    fields = world.fields()
    expected = {
        "src": SOURCE,
        "ref-A": REFERENCE,
        "Online-A": REFERENCE,
        "docid": "doc1\n" * SEGMENTS,
        "origlang": "en\n" * SEGMENTS,
    }
    for name, data in fields.items():
        assert data.decode() == expected[name]
    return len(fields) == len(expected)


KILLED = """
import os, sys
left = int(sys.argv.pop(1))

def deadly(call):
    def killed(*args, **options):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), 9)
        return call(*args, **options)
    return killed

os.replace, os.remove = deadly(os.replace), deadly(os.remove)
from bleucli.__main__ import main
sys.exit(main())
"""


@pytest.mark.slow
@needs_signals
def test_a_run_killed_before_any_of_its_steps_is_right_the_next_time(world, clean_files):
    world.serve(Page(ARCHIVE), signed=False)
    registry = ("--registry", str(world.around / "acme.toml"))
    environment = process_environment({})
    step, status = 0, -signal.SIGKILL
    while status == -signal.SIGKILL:
        world.clear()
        command = [sys.executable, "-c", KILLED, str(step), *registry, *ECHO, "src"]
        status = subprocess.run(command, env=environment, capture_output=True, timeout=SECONDS).returncode
        is_whole = check_fields_are_whole(world)
        answer = world.bleu(*ECHO, "src")
        assert answer[:2] == (0, SOURCE)
        # The killed run may have recorded the checksum already
        assert answer.err in ("", note_of("acme/support", "support.tgz", ARCHIVE))
        assert check_fields_are_whole(world)
        left = set(world.files()) - set(clean_files)
        # a lock that is left at the very end is empty, and the next process that needs it removes it
        assert left - {"acme/support/raw/acme_support.lock"} == {"acme/support/raw/acme_support.support.tgz.sha256"}
        step += 1
    assert is_whole
    assert status == 0
    assert step > 10


@pytest.mark.slow
@needs_signals
def test_ctrl_c_leaves_nothing(world, clean_files):
    world.serve(Page(ARCHIVE, piece=2000, pause=0.02))
    process = world.start(*ECHO, "src")
    end = time.monotonic() + SECONDS
    while not (world.web.requests and world.web.requests[0].sent >= 80_000) and time.monotonic() < end:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=SECONDS) == (b"", b"")
    assert process.returncode in (130, -signal.SIGINT)
    assert world.files() == []
    world.check_source()
    assert world.files() == clean_files


@pytest.mark.slow
@pytest.mark.parametrize("count", [4, pytest.param(10, marks=pytest.mark.slow)])
def test_many_commands_at_once_download_once(world, clean_files, count):
    world.serve(Page(ARCHIVE, piece=4000, pause=0.01))
    processes = [world.start("-q", *ECHO, "src") for _ in range(count)]  # on a slow machine they may say that they wait
    assert {process.communicate(timeout=SECONDS) for process in processes} == {(SOURCE.encode(), b"")}
    assert len(world.web.requests) == 1
    assert world.files() == clean_files


def test_each_plain_file_is_downloaded_and_recorded(world):
    source = world.web.put("/en.txt", Page(SOURCE.encode()))
    packed = gzip.compress(REFERENCE.encode())
    reference = world.web.put("/de.txt.gz", Page(packed))
    world.write_registry(
        f'[testsets."acme/support"]\nformat = "plain"\nsources = [{{ url = "{source}" }}, {{ url = "{reference}" }}]\n'
        '[testsets."acme/support".pairs.en-de]\nfiles = ["source:0", "source:1"]\n'
    )
    notes = [note_of("acme/support", "en.txt", SOURCE.encode()), note_of("acme/support", "de.txt.gz", packed)]
    world.check_source("".join(notes))
    assert world.bleu(*ECHO, "ref").out == REFERENCE
    raw = [os.path.basename(file) for file in world.files() if os.path.dirname(file).endswith("raw")]
    assert {"acme_support.en.txt", "acme_support.en.txt.sha256", "acme_support.de.txt.gz"} < set(raw)
    assert world.web.paths == ["/en.txt", "/de.txt.gz"]


def test_two_downloads_with_the_same_name_are_refused_or_kept_apart(world):
    source = world.web.put("/en/test.txt", Page(SOURCE.encode()))
    reference = world.web.put("/de/test.txt", Page(REFERENCE.encode()))
    world.write_registry(
        f'[testsets."acme/support"]\nformat = "plain"\nsources = [{{ url = "{source}" }}, {{ url = "{reference}" }}]\n'
        '[testsets."acme/support".pairs.en-de]\nfiles = ["source:0", "source:1"]\n'
    )
    answer = world.bleu(*ECHO, "src", "ref")
    assert answer.status == 2 or answer.out.startswith("The number 0 .\tDie Zahl 0 .\n")
