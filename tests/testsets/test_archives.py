"""Archives: the wanted files come out whole, no others come out, and no archive can do harm."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import os
import random
import signal
import stat
import struct
import subprocess
import sys
import tarfile
import threading
import warnings
import zipfile
from contextlib import suppress

import pytest
from conftest import SECONDS, needs_signals, raised
from strategies import enough

from bleucli import testsets
from bleucli.errors import BleuError
from bleucli.testsets import archives

NEWS = b"Der Rat tagt.\nSie sang.\n" * 10_000
SHORT = b"<refset>\n"
PACKERS = {"tar": bytes, "tgz": gzip.compress, "tar.bz2": bz2.compress, "tar.xz": lzma.compress}
KINDS = (*PACKERS, "zip")


def tar_member(path, data=b"", **attributes):
    info = tarfile.TarInfo(path)
    info.size = len(data)
    for name, value in attributes.items():
        setattr(info, name, value)
    return info, data


def tar_of(*listed, form=tarfile.PAX_FORMAT):
    """Return a tar archive; a member is a path and its bytes, or what `tar_member` makes."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=form) as archive:
        for first, data in listed:
            info, _ = tar_member(first, data) if isinstance(first, str) else (first, data)
            archive.addfile(info, io.BytesIO(data))
    return packed.getvalue()


def zip_of(*listed, method=zipfile.ZIP_DEFLATED):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for first, data in listed:
            with warnings.catch_warnings(action="ignore"):  # about duplicate names
                archive.writestr(first, data)
    return packed.getvalue()


def archive_of(kind, *listed):
    return zip_of(*listed) if kind == "zip" else PACKERS[kind](tar_of(*listed))


class Box:
    """A folder with an archive in it, in a folder in which nothing may change."""

    def __init__(self, around):
        self.around = around
        self.folder = around / "cache" / "raw"
        self.folder.mkdir(parents=True)
        (around / "outside").mkdir()
        (around / "outside" / "kept.txt").write_bytes(b"kept")
        self.archive = str(self.folder / "acme.news.tgz")

    def place(self, path):
        return str(self.folder / path)

    def put(self, data):
        with open(self.archive, "wb") as file:
            file.write(data)

    def extract(self, *paths):
        archives.extract(self.archive, {path: self.place(path) for path in paths}, name="acme/news")

    def refused(self, *parts, wanted=("dev/news.de",)):
        """Check that nothing comes out, with one line that holds all parts."""
        before = self.everything()
        places = {path: self.place("dev/news.de") for path in wanted}
        line = raised(parts, archives.extract, self.archive, places, name="acme/news")
        assert self.everything() == before
        return line

    def everything(self):
        """Return everything except folders: its kind and its bytes."""
        found = {}
        for folder, folders, files in os.walk(self.around):
            links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
            for name in (*files, *links):
                path = os.path.join(folder, name)
                kind = stat.S_IFMT(os.lstat(path).st_mode)
                found[os.path.relpath(path, self.around)] = kind, content(path) if kind == stat.S_IFREG else b""
        return found

    def came_out(self):
        """Return the files that are new."""
        known = {os.path.join("outside", "kept.txt"), os.path.join("cache", "raw", "acme.news.tgz")}
        return sorted(os.path.relpath(path, os.path.join("cache", "raw")) for path in self.everything().keys() - known)


@pytest.fixture
def box(tmp_path):
    return Box(tmp_path)


def content(path):
    with open(path, "rb") as file:
        return file.read()


# --- what is wanted


@pytest.mark.parametrize("kind", KINDS)
def test_only_wanted_members_are_unpacked_each_to_its_place(kind, box):
    box.put(
        archive_of(kind, ("dev/news.de", NEWS), ("dev/news.en", b"other"), ("dev/sgm/news.sgm", SHORT), ("x", b"x"))
    )
    box.extract("dev/news.de", "dev/sgm/news.sgm")
    assert content(box.place("dev/news.de")) == NEWS
    assert content(box.place("dev/sgm/news.sgm")) == SHORT
    assert box.came_out() == ["dev/news.de", "dev/sgm/news.sgm"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_kind_of_an_archive_is_recognized_by_content_whatever_its_name(kind, box):
    box.archive = str(box.folder / "acme.news.download")
    box.put(archive_of(kind, ("news.de", NEWS)))
    box.extract("news.de")
    assert content(box.place("news.de")) == NEWS


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_long_and_foreign_names_are_read_in_all_forms_of_tar(form, box):
    path = "dev/" + "long/" * 20 + "nächte.de"
    box.put(gzip.compress(tar_of(("a", b"a"), (path, NEWS), form=form)))
    box.extract(path)
    assert content(box.place(path)) == NEWS


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("stored", "wanted"), [("./dev/news.de", "dev/news.de"), ("dev/news.de", "./dev/news.de")])
def test_a_leading_dot_in_a_path_does_not_matter(stored, wanted, kind, box):
    box.put(archive_of(kind, (stored, NEWS)))
    archives.extract(box.archive, {wanted: box.place("news.de")}, name="acme/news")
    assert content(box.place("news.de")) == NEWS


@pytest.mark.parametrize("kind", KINDS)
def test_the_caller_chooses_the_place_of_a_member(kind, box):
    box.put(archive_of(kind, ("dev/news.de", NEWS)))
    archives.extract(box.archive, {"dev/news.de": box.place("a/b.txt")}, name="acme/news")
    assert box.came_out() == ["a/b.txt"]


def test_an_empty_member_is_a_file(box):
    box.put(archive_of("tgz", ("dev/news.de", b"")))
    box.extract("dev/news.de")
    assert content(box.place("dev/news.de")) == b""


@pytest.mark.parametrize("kind", KINDS)
def test_the_last_version_of_a_repeated_member_is_taken_as_tar_does(kind, box):
    box.put(archive_of(kind, ("dev/news.de", NEWS), ("x", b"x"), ("./dev/news.de", SHORT)))
    box.extract("dev/news.de")
    assert content(box.place("dev/news.de")) == SHORT
    assert box.came_out() == ["dev/news.de"]


def test_files_that_are_there_are_not_unpacked_again(box):
    box.put(archive_of("tgz", ("news.de", NEWS), ("news.en", SHORT)))
    box.extract("news.de")
    with open(box.place("news.de"), "wb") as file:
        file.write(b"mine")
    box.extract("news.de", "news.en")
    assert content(box.place("news.de")) == b"mine"
    assert content(box.place("news.en")) == SHORT
    os.remove(box.archive)
    box.extract("news.de", "news.en")


def test_several_compressed_parts_in_a_row_are_one_archive(box):
    whole = tar_of(("news.de", NEWS))
    box.put(gzip.compress(whole[:5000]) + gzip.compress(whole[5000:]))
    box.extract("news.de")
    assert content(box.place("news.de")) == NEWS


def test_data_after_a_gzip_archive_are_left_out_as_tar_does(box):
    box.put(gzip.compress(tar_of(("news.de", NEWS))) + b"rubbish")
    box.extract("news.de")
    assert content(box.place("news.de")) == NEWS


def test_an_archive_without_end_mark_is_taken_if_it_has_all_that_is_wanted(box):
    box.put(tar_of(("news.de", NEWS)).rstrip(b"\0") + bytes(512 - len(NEWS) % 512))
    box.extract("news.de")
    assert content(box.place("news.de")) == NEWS


# --- what is not there


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_member_is_named_with_members_of_similar_names(kind, box):
    box.put(archive_of(kind, ("dev/news-de.de", NEWS), ("README", b"")))
    box.refused("acme/news", box.archive, "has no member 'dev/news.de'; ", "; did you mean dev/news-de.de?")


def test_if_one_member_is_missing_none_is_unpacked(box):
    box.put(archive_of("tgz", ("dev/news.de", NEWS)))
    box.refused("has no member 'other'", wanted=("dev/news.de", "other"))


def test_a_missing_archive_is_named(box):
    box.refused(f"{box.archive} cannot be read (No such file or directory)")


# --- names


@pytest.mark.parametrize(
    "path",
    [
        *(
            "../news.de",
            "dev/../../news.de",
            "..",
            "",
            ".",
            "/",
            "/etc/news.de",
            "//host/news.de",
            "./",
            ".//etc/news.de/",
        ),
        *("C:news.de", "c:/news.de", "..\\news.de", "dev\\news.de", "dev//news.de", ".. /news.de", "a\0b", "a\nb"),
    ],
)
@pytest.mark.parametrize("kind", ["tgz", "zip"])
def test_an_unsafe_name_that_is_wanted_is_an_error(kind, path, box):
    box.put(archive_of(kind, ("dev/news.de", NEWS)))
    box.refused(
        "acme/news names the archive member",
        "not a safe path; expected a relative path such as news/en-de.xml",
        wanted=(path,),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_unsafe_names_of_other_members_are_ignored(kind, box):
    unsafe = ["../evil", "/evil", str(box.around / "outside" / "kept.txt"), "dev/../../../evil", "C:\\evil", "..\\evil"]
    box.put(archive_of(kind, *((path, b"evil") for path in unsafe), ("dev/news.de", NEWS)))
    box.extract("dev/news.de")
    assert box.came_out() == ["dev/news.de"]
    assert content(box.around / "outside" / "kept.txt") == b"kept"


# --- what is not a file

LINKS_AND_DEVICES = {
    "symlink": (tarfile.SYMTYPE, "a link"),
    "hard link": (tarfile.LNKTYPE, "a link"),
    "device": (tarfile.CHRTYPE, "a device or a pipe"),
    "disk": (tarfile.BLKTYPE, "a device or a pipe"),
    "pipe": (tarfile.FIFOTYPE, "a device or a pipe"),
    "folder": (tarfile.DIRTYPE, "a folder"),
}


def special(path, kind, target="../../outside/kept.txt"):
    return tar_member(path, type=kind, linkname=target, devmajor=1, devminor=5)


@pytest.mark.parametrize(("kind", "word"), LINKS_AND_DEVICES.values(), ids=LINKS_AND_DEVICES)
@pytest.mark.parametrize("target", ["../../outside/kept.txt", "/etc/passwd", "dev/news.en"])
def test_a_wanted_member_of_a_tar_archive_that_is_not_a_plain_file_is_an_error(target, kind, word, box):
    box.put(gzip.compress(tar_of(("dev/news.en", NEWS), special("dev/news.de", kind, target))))
    box.refused(f"'dev/news.de' is {word}, not a plain file")


@pytest.mark.parametrize("kind", [kind for kind, _ in LINKS_AND_DEVICES.values()], ids=LINKS_AND_DEVICES)
def test_links_and_devices_among_other_members_are_ignored(kind, box):
    box.put(gzip.compress(tar_of(special("x", kind), special("dev", kind, "../../outside"), ("dev/news.de", NEWS))))
    box.extract("dev/news.de")
    assert box.came_out() == ["dev/news.de"]
    assert content(box.place("dev/news.de")) == NEWS


def test_the_last_of_files_and_links_with_one_name_counts(box):
    link = special("dev/news.de", tarfile.SYMTYPE)
    box.put(gzip.compress(tar_of(link, ("dev/news.de", NEWS), link)))
    box.refused("is a link, not a plain file")
    box.put(gzip.compress(tar_of(link, ("dev/news.de", NEWS))))
    box.extract("dev/news.de")
    assert content(box.place("dev/news.de")) == NEWS


@pytest.mark.parametrize(
    ("path", "mode", "word"),
    [
        ("dev/news.de", stat.S_IFLNK | 0o777, "a link"),
        ("dev/news.de", stat.S_IFIFO | 0o600, "a device or a pipe"),
        ("dev/news.de", stat.S_IFCHR | 0o600, "a device or a pipe"),
    ],
)
def test_a_wanted_member_of_a_zip_archive_that_is_not_a_plain_file_is_an_error(path, mode, word, box):
    info = zipfile.ZipInfo(path)
    info.external_attr = mode << 16
    box.put(zip_of((info, b"../../outside/kept.txt")))
    box.refused(f"'dev/news.de' is {word}, not a plain file")


def test_a_folder_in_a_zip_archive_has_another_name_than_a_file(box):
    box.put(zip_of(("dev/news.de/", b"")))
    box.refused("has no member 'dev/news.de'")


def test_a_file_with_holes_is_an_error(box):
    info, _ = tar_member("dev/news.de", type=tarfile.GNUTYPE_SPARSE)
    box.put(gzip.compress(tar_of((info, b""), form=tarfile.GNU_FORMAT)))
    box.refused("is a file with holes, not")


def test_an_encrypted_member_is_an_error(box):
    data = bytearray(zip_of(("dev/news.de", b"secret")))
    for start, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(start) + at] |= 1
    box.put(bytes(data))
    box.refused("'dev/news.de' is an encrypted file")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_rare_compression_within_zip_is_an_error(method, box):
    box.put(zip_of(("dev/news.de", NEWS), method=method))
    box.refused("is a file that is neither stored nor deflated")


def test_a_stored_member_of_a_zip_archive_is_read(box):
    box.put(zip_of(("dev/news.de", NEWS), method=zipfile.ZIP_STORED))
    box.extract("dev/news.de")
    assert content(box.place("dev/news.de")) == NEWS


# --- damage


@pytest.mark.parametrize("data", [b"", b"<html>please log in</html>", b"7z\xbc\xaf'\x1c", b"Rar!\x1a\x07", b"x" * 2000])
def test_a_file_that_is_not_an_archive_is_an_error_that_shows_its_beginning(data, box):
    box.put(data)
    box.refused(
        f"{box.archive} is not an archive (it begins with {data[:10]!r})", "expected tar, tar.gz, ", "delete it"
    )


def test_a_useless_archive_must_be_deleted_with_its_record(box):
    box.put(b"<html>please log in</html>")
    line = box.refused("delete it; it will then be downloaded again")
    (box.folder / "acme.news.tgz.sha256").write_bytes(b"")
    assert box.refused() == line.replace("delete it;", f"delete it and {box.archive}.sha256;")


def test_text_in_gzip_is_not_an_archive(box):
    box.put(gzip.compress(NEWS))
    box.refused("is not an archive")


@pytest.mark.parametrize("kind", KINDS)
def test_an_archive_that_is_cut_short_gives_nothing(kind, box):
    whole = archive_of(
        kind, ("dev/news.de", random.Random(1).randbytes(60_000)), ("z", random.Random(2).randbytes(9000))
    )
    for length in (300, 700, 20_000, 60_000, len(whole) - 10_500):
        box.put(whole[:length])
        box.refused(box.archive)


@pytest.mark.parametrize("kind", ["tgz", "tar.bz2", "tar.xz", "zip"])
def test_a_changed_byte_in_the_text_gives_nothing(kind, box):
    whole = bytearray(archive_of(kind, ("dev/news.de", random.Random(1).randbytes(60_000))))
    whole[len(whole) // 2] ^= 1
    box.put(bytes(whole))
    box.refused(box.archive, "damaged")


def test_a_broken_header_is_not_the_end_of_an_archive(box):
    whole = bytearray(tar_of(("dev/news.de", SHORT), ("dev/news.de", NEWS)))
    whole[1024 + 148] ^= 1  # the checksum of the second header
    box.put(bytes(whole))
    box.refused("is a damaged archive: the header of a member is invalid")


@pytest.mark.parametrize("kind", KINDS)
def test_damage_of_any_kind_gives_one_line_or_does_not_matter(kind, box):
    expected = random.Random(3).randbytes(2000)
    whole = archive_of(kind, ("dev/x", b"x" * 900), ("dev/news.de", expected), ("é" * 60, b"y" * 700))
    rng = random.Random(kind)
    for _ in range(enough(300)):
        data = bytearray(whole)
        for _ in range(rng.randrange(1, 4)):
            data[rng.randrange(len(data))] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
        box.put(bytes(data[: rng.choice((None, None, rng.randrange(len(data))))]))
        if came_out_or_refused(box) and kind != "tar":  # tar has no checksum of the contents
            assert content(box.place("dev/news.de")) == expected


def came_out_or_refused(box):
    """Return whether a file came out; check that no others did, and none at all after an error."""
    with suppress(FileNotFoundError):
        os.remove(box.place("dev/news.de"))
    try:
        box.extract("dev/news.de")
    except BleuError as error:
        outcome = str(error).count("\n"), box.came_out()
    else:
        outcome = 0, box.came_out()
    assert outcome in ((0, []), (0, ["dev/news.de"]))
    return bool(outcome[1])


# --- bombs


@pytest.fixture
def small_limits(monkeypatch):
    monkeypatch.setattr(testsets, "GROWTH_FROM_BYTES", 1 << 20)


def zeros(size):
    return bytes(size)


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("kind", ["tgz", "tar.bz2", "tar.xz", "zip"])
@pytest.mark.parametrize("wanted", ["bomb", pytest.param("dev/news.de", marks=pytest.mark.slow)])
def test_archives_that_unpack_into_a_multiple_of_their_size_are_refused(wanted, kind, box):
    box.put(archive_of(kind, ("bomb", zeros(1 << 24)), ("dev/news.de", SHORT)))
    box.refused(f"{box.archive} holds over 250 times its own size, which no test set does", wanted=(wanted,))


@pytest.mark.parametrize("kind", KINDS)
def test_a_member_that_is_too_large_is_refused(kind, box, monkeypatch):
    monkeypatch.setattr(testsets, "MOST_FILE_BYTES", len(NEWS) - 1)
    box.put(archive_of(kind, ("large", NEWS), ("dev/news.de", SHORT)))
    box.extract("dev/news.de")
    os.remove(box.place("dev/news.de"))
    box.refused(f"holds over {len(NEWS) - 1} bytes", wanted=("large",))


@pytest.mark.parametrize("kind", KINDS)
def test_many_members_that_are_too_large_together_are_refused(kind, box, monkeypatch):
    monkeypatch.setattr(testsets, "MOST_BYTES", 4 * len(NEWS))
    box.put(archive_of(kind, *((str(number), NEWS) for number in range(5)), ("dev/news.de", SHORT)))
    box.refused(f"holds over {4 * len(NEWS)} bytes")


@pytest.mark.parametrize("kind", KINDS)
def test_too_many_members_are_refused(kind, box, monkeypatch):
    monkeypatch.setattr(archives, "MOST_MEMBERS", 50)
    box.put(archive_of(kind, *((str(number), b"") for number in range(50)), ("dev/news.de", SHORT)))
    box.refused("holds more than 50 members")


def test_an_endless_name_does_not_fill_the_memory(box):
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, 1 << 30
    box.put(gzip.compress(header.tobuf(tarfile.GNU_FORMAT) + bytes(1 << 22)))
    box.refused("holds a name of over 1048576 bytes")


def test_a_negative_size_is_damage_and_does_not_loop_for_ever(box):
    negative = bytearray(tar_of(("dev/news.de", b"")))
    negative[124:136] = b"\xff" * 11 + b"\x00"  # -256 in base 256
    negative[148:156] = b"%06o\0 " % tarfile.calc_chksums(bytes(negative[:512]))[0]
    box.put(bytes(negative))
    box.refused("damaged archive")


def test_a_zip_archive_that_lies_about_a_size_is_damage(box):
    data = bytearray(zip_of(("dev/news.de", NEWS)))
    at = data.index(b"PK\1\2") + 24
    data[at : at + 4] = struct.pack("<I", 100)
    box.put(bytes(data))
    box.refused("damaged archive")


@pytest.mark.skipif(sys.platform != "linux", reason="memory cannot be limited everywhere")
@pytest.mark.slow
def test_a_large_bomb_takes_neither_memory_nor_time(box):
    packed = io.BytesIO()
    with gzip.open(packed, "wb", 9) as file:
        info, _ = tar_member("bomb")
        info.size = 1 << 29
        file.write(info.tobuf(tarfile.GNU_FORMAT))
        for _ in range(128):
            file.write(zeros(1 << 22))
    box.put(packed.getvalue())
    script = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 28, 1 << 28))
from bleucli.testsets.archives import extract
extract(sys.argv[1], {"bomb": sys.argv[2]}, name="acme/news")
"""
    command = [sys.executable, "-c", script, box.archive, box.place("bomb")]
    done = subprocess.run(command, capture_output=True, timeout=SECONDS, env={"PYTHONPATH": root_of_package()})
    assert b"BleuError" in done.stderr.splitlines()[-1]
    assert b"times its own size" in done.stderr.splitlines()[-1]
    assert box.came_out() == []


def root_of_package():
    return os.path.dirname(os.path.dirname(os.path.dirname(archives.__file__)))


# --- the disk, and several at once


def test_a_full_disk_gives_one_line_that_names_the_file(box):
    pytest.importorskip("resource")
    box.put(archive_of("tgz", ("small", SHORT), ("dev/news.de", NEWS)))
    script = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
from bleucli.testsets.archives import extract
extract(sys.argv[1], {"small": sys.argv[3], "dev/news.de": sys.argv[2]}, name="acme/news")
"""
    command = [sys.executable, "-c", script, box.archive, box.place("news.de"), box.place("small")]
    done = subprocess.run(command, capture_output=True, timeout=SECONDS, env={"PYTHONPATH": root_of_package()})
    line = done.stderr.decode().splitlines()[-1]
    assert f"cannot write {box.place('news.de')}: File too large; free some space" in line
    assert box.came_out() == []


def test_a_place_in_a_file_instead_of_a_folder_gives_one_line(box):
    box.put(archive_of("tgz", ("dev/news.de", NEWS)))
    (box.folder / "dev").write_bytes(b"")
    box.refused(f"cannot write {box.place('dev')}")


def test_a_place_that_is_a_folder_gives_one_line(box):
    box.put(archive_of("tgz", ("dev/news.de", NEWS)))
    os.makedirs(box.place("dev/news.de"))
    box.refused("cannot write", "news.de", os.strerror(errno.EISDIR))


@needs_signals
def test_a_killed_process_leaves_no_file_that_is_taken_for_whole(box):
    box.put(archive_of("tgz", ("dev/news.de", NEWS)))
    script = """
import os, signal, sys
from bleucli.testsets import archives
os.replace = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
archives.extract(sys.argv[1], {"dev/news.de": sys.argv[2]}, name="acme/news")
"""
    command = [sys.executable, "-c", script, box.archive, box.place("dev/news.de")]
    assert subprocess.run(command, timeout=SECONDS, env={"PYTHONPATH": root_of_package()}).returncode == -signal.SIGKILL
    lock, draft = box.came_out()
    assert lock == "acme.news.tgz.members.lock"
    assert draft.startswith("dev/news.de.")
    box.extract("dev/news.de")
    assert content(box.place("dev/news.de")) == NEWS
    assert box.came_out() == ["dev/news.de"]


def test_threads_unpack_one_after_the_other(box):
    box.put(archive_of("tgz", ("dev/news.de", NEWS), ("dev/news.en", SHORT)))
    errors = []

    def work():
        try:
            box.extract("dev/news.de", "dev/news.en")
        except BleuError as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert content(box.place("dev/news.de")) == NEWS
    assert box.came_out() == ["dev/news.de", "dev/news.en"]
