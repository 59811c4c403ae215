"""Downloads of test sets, signed (with a known checksum) or not: each fault gives one line or the right file."""

from __future__ import annotations

import errno
import hashlib
import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import ROOT, SECONDS, needs_signals, raised
from raw_files import beside, content, put
from strategies import enough
from web_server import Page

from bleucli.errors import BleuError
from bleucli.testsets import Source, network
from bleucli.testsets import fetch as fetching

CONTENT = random.Random(1).randbytes(200_000)
OTHER = b"another version"


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def md5(data):
    return hashlib.md5(data).hexdigest()


@pytest.fixture(autouse=True)
def small_pieces(calm, monkeypatch):
    """Read in small pieces."""
    monkeypatch.setattr(network, "CHUNK_BYTES", 4096)


@pytest.fixture(params=["sha256", pytest.param("md5", marks=pytest.mark.slow), "unsigned"])
def source_of(request):
    """Make a source with either checksum, or none."""

    def source_of(url, data=CONTENT):
        if request.param == "unsigned":
            return Source(url)
        return Source(url, **{request.param: hashlib.new(request.param, data).hexdigest()})

    source_of.is_signed = request.param != "unsigned"
    return source_of


def fetch(source, target):
    fetching.fetch(source, target, name="acme/news", is_recorded=True)


def refused(source, target, *parts):
    """Check that a download fails with one line that holds all parts, and return it."""
    return raised(parts, fetch, source, target)


def check_came(target, is_signed, data=CONTENT):
    """Check that a download is whole, that it is recorded if it is unsigned, and that nothing else is left."""
    assert content(target) == data
    name = os.path.basename(target)
    assert beside(target) == ([name] if is_signed else [name, f"{name}.sha256"])
    if not is_signed:
        assert content(f"{target}.sha256").decode() == f"{sha256(data)}  {name}\n"


# --- the record of unsigned downloads


def test_the_first_download_of_an_unsigned_file_is_recorded_as_sha256sum_does(web, target):
    fetch(Source(web.put("/n.tgz", Page(CONTENT))), target)
    check_came(target, is_signed=False)


@pytest.mark.skipif(sys.platform != "linux", reason="sha256sum is not everywhere")
def test_sha256sum_checks_a_record(web, target):
    fetch(Source(web.put("/n.tgz", Page(CONTENT))), target)
    command = ["sha256sum", "-c", f"{os.path.basename(target)}.sha256"]
    assert subprocess.run(command, cwd=os.path.dirname(target), capture_output=True, timeout=SECONDS).returncode == 0


def test_the_same_bytes_are_taken_again(web, target):
    source = Source(web.put("/n.tgz", Page(CONTENT)))
    fetch(source, target)
    os.remove(target)
    fetch(source, target)
    check_came(target, is_signed=False)


@pytest.mark.parametrize("is_local", [False, True], ids=["web", "path"])
def test_other_bytes_than_the_first_are_refused_with_both_sums_the_address_and_what_to_do(
    is_local, web, target, tmp_path
):
    def publish(data):
        put(str(tmp_path / "n.tgz"), data)
        return str(tmp_path / "n.tgz") if is_local else web.put("/n.tgz", Page(data))

    source = Source(publish(CONTENT))
    fetch(source, target)
    os.remove(target)
    publish(OTHER)
    line = refused(
        source, target, f"{source.url} sent a file with the sha256 {sha256(OTHER)}, expected {sha256(CONTENT)}"
    )
    assert (
        f"{target}.sha256 holds the checksum of its first download; if the change is intended, delete that file" in line
    )
    assert f"put the earlier file at {target}" in line
    assert beside(target) == [f"{os.path.basename(target)}.sha256"]
    os.remove(f"{target}.sha256")
    fetch(source, target)
    check_came(target, is_signed=False, data=OTHER)


def test_a_file_that_was_changed_in_the_cache_is_fetched_again(web, target, source_of):
    source = source_of(web.put("/n.tgz", Page(CONTENT)))
    fetch(source, target)
    put(target, CONTENT[:-1])
    fetch(source, target)
    check_came(target, source_of.is_signed)
    assert len(web.requests) == 2


def test_a_file_that_is_there_without_a_record_is_recorded_and_not_requested(web, target):
    put(target, CONTENT)
    fetch(Source(web.put("/n.tgz", Page(OTHER))), target)
    check_came(target, is_signed=False)
    assert web.requests == []


def test_a_file_that_is_there_and_right_is_not_requested(web, target, source_of):
    source = source_of(web.put("/n.tgz", Page(CONTENT)))
    for _ in range(3):
        fetch(source, target)
    assert len(web.requests) == 1


def test_a_file_that_is_there_but_cannot_be_read_gives_one_line(web, target, monkeypatch):
    def refuse(path, kind):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)

    put(target, CONTENT)
    monkeypatch.setattr(fetching, "digest", refuse)
    source = Source(web.put("/n.tgz", Page(CONTENT)), sha256(CONTENT))
    refused(source, target, f"{target} cannot be read (Permission denied); allow reading it, or delete it")


def test_a_record_is_read_as_other_programs_write_it(web, target):
    source = Source(web.put("/n.tgz", Page(OTHER)))
    put(f"{target}.sha256", f"{sha256(CONTENT).upper()} *n.tgz\r\n".encode())
    refused(source, target, f"expected {sha256(CONTENT)}")
    web.put("/n.tgz", Page(CONTENT))
    fetch(source, target)
    assert content(target) == CONTENT


@pytest.mark.parametrize("record", [b"", b"\n", b"0123  n.tgz\n", b"\xff" * 64, b"g" * 64, b"<html>"])
def test_an_invalid_record_is_an_error_and_not_taken_for_a_missing_one(record, web, target):
    put(f"{target}.sha256", record)
    refused(Source(web.put("/n.tgz", Page(CONTENT))), target, f"{target}.sha256", "fix or delete the file")
    assert web.requests == []
    assert content(f"{target}.sha256") == record


def test_a_record_that_is_a_folder_gives_one_line(web, target):
    os.makedirs(f"{target}.sha256")
    refused(Source(web.put("/n.tgz", Page(CONTENT))), target, f"{target}.sha256 cannot be read (Is a directory)")


def test_a_published_checksum_counts_and_not_the_record(web, target):
    put(f"{target}.sha256", f"{sha256(OTHER)}  x\n".encode())
    fetch(Source(web.put("/n.tgz", Page(CONTENT)), md5=md5(CONTENT)), target)
    assert content(target) == CONTENT


def test_the_stronger_of_two_checksums_counts(web, target):
    url = web.put("/n.tgz", Page(CONTENT))
    refused(Source(url, sha256(OTHER), md5(CONTENT)), target, f"sha256 {sha256(CONTENT)}, expected {sha256(OTHER)}")
    fetch(Source(url, sha256(CONTENT), md5(OTHER)), target)
    assert content(target) == CONTENT


def test_a_source_may_have_no_checksum(web, target):
    fetch(Source(web.put("/n.tgz", Page(CONTENT)), None, None), target)
    check_came(target, is_signed=False)


def test_the_mirror_is_recorded_and_enforced_like_any_address(web, target, monkeypatch):
    source = Source(web.put("/n.tgz", Page(OTHER)))
    web.put("/mirror/acme/news/n.tgz", Page(CONTENT))
    monkeypatch.setenv("BLEU_MIRROR", f"{web.url}/mirror")
    fetch(source, target)
    check_came(target, is_signed=False)
    os.remove(target)
    monkeypatch.delenv("BLEU_MIRROR")
    refused(source, target, f"sent a file with the sha256 {sha256(OTHER)}, expected {sha256(CONTENT)}")


def test_offline_names_what_is_missing_and_what_is_wrong(web, target, source_of, monkeypatch):
    source = source_of(web.put("/n.tgz", Page(CONTENT)))
    monkeypatch.setenv("BLEU_OFFLINE", "1")
    refused(source, target, f"acme/news needs {target}, which is missing, and BLEU_OFFLINE forbids", source.url)
    assert beside(target) == []
    put(target, CONTENT)
    fetch(source, target)
    put(target, OTHER)
    refused(source, target, f"needs {target}, which has the ", ", expected ", "BLEU_OFFLINE")
    assert content(target) == OTHER
    assert web.requests == []


# --- every fault, of a signed and of an unsigned download


def test_a_cut_connection_starts_again(web, target, source_of):
    cut = Page(CONTENT[::-1], cut=100_000)
    fetch(source_of(web.put("/n.tgz", cut, Page(CONTENT))), target)
    check_came(target, source_of.is_signed)
    assert "Range" not in web.requests[1].headers


@pytest.mark.parametrize("sum_of", [{"sha256": sha256(CONTENT)}, {"md5": md5(CONTENT)}], ids=["sha256", "md5"])
def test_a_file_with_a_wrong_checksum_is_not_kept(sum_of, web, target):
    source = Source(web.put("/n.tgz", Page(OTHER)), **sum_of)
    refused(source, target, source.url, *sum_of.values(), hashlib.new(*sum_of, OTHER).hexdigest(), "try again")
    assert beside(target) == []


@pytest.mark.parametrize(
    ("page", "reason", "requests"),
    [
        (Page(b"gone", 404), "answered 404 Not Found", 1),
        (Page(b"no", 403), "answered 403 Forbidden", 1),
        (Page(b"later", 503), "answered 503 Service Unavailable", 3),
        (Page(status=302, headers={"Location": "/n.tgz"}), "redirects more than 10 times", 11),
        pytest.param(Page(CONTENT, stall=1000), "was silent for 0.3 seconds", 3, marks=pytest.mark.slow),
        (Page(CONTENT, stall=-1), "did not answer in time", 3),
        (Page(CONTENT, cut=1000), f"broke off after 1000 of {len(CONTENT)} bytes", 3),
        (Page(CONTENT, chunked=True, cut=1000), "broke off", 3),
    ],
    ids=["404", "403", "503", "redirects", "stall", "no answer", "cut", "cut chunks"],
)
def test_a_server_that_fails_gives_one_line_and_leaves_nothing(
    page, reason, requests, web, target, source_of, monkeypatch
):
    if page.stall is not None:
        monkeypatch.setattr(network, "SECONDS_OF_SILENCE", 0.3)
    source = source_of(web.put("/n.tgz", page))
    refused(source, target, f"cannot download acme/news: {source.url} {reason}", f"put the file at {target}")
    assert web.wait_for(requests) == requests
    assert beside(target) == []


def test_a_busy_server_gets_another_request(web, target, source_of):
    fetch(source_of(web.put("/n.tgz", Page(b"later", 503), Page(b"later", 503), Page(CONTENT))), target)
    check_came(target, source_of.is_signed)


@pytest.fixture
def mount(tmp_path):
    """Mount a small file system with some options and return its folder; without the right to do so, skip the test."""
    folder = str(tmp_path / "disk")

    def mount(options):
        os.mkdir(folder)
        try:
            subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("nothing can be mounted")
        return folder

    yield mount
    if os.path.ismount(folder):
        subprocess.run(["umount", folder], check=True)


def test_a_full_disk_gives_one_line_and_leaves_nothing(web, source_of, mount):
    target = os.path.join(mount("size=100k"), "acme", "n.tgz")
    refused(
        source_of(web.put("/n.tgz", Page(CONTENT))), target, "cannot write ", "No space left on device", "BLEU_HOME"
    )
    assert beside(target) == []


def test_a_disk_that_is_write_protected_is_named(web, source_of, mount):
    target = os.path.join(mount("ro"), "n.tgz")
    refused(source_of(web.put("/n.tgz", Page(CONTENT))), target, f"cannot write {target}.lock: Read-only file system")
    assert web.requests == []


def test_files_on_a_write_protected_disk_are_used(web, source_of, mount):
    target = os.path.join(mount("rw"), "n.tgz")
    source = source_of(web.put("/n.tgz", Page(CONTENT)))
    fetch(source, target)
    subprocess.run(["mount", "-o", "remount,ro", os.path.dirname(target)], check=True)
    fetch(source, target)
    check_came(target, source_of.is_signed)
    assert len(web.requests) == 1


@pytest.mark.skipif(getattr(os, "geteuid", int)() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_named(web, target, source_of):
    os.makedirs(os.path.dirname(target), 0o500)
    refused(source_of(web.put("/n.tgz", Page(CONTENT))), target, f"cannot write {target}.lock: Permission denied")
    assert web.requests == []


def test_a_file_where_a_folder_belongs_is_named(web, target, source_of):
    put(os.path.dirname(target), b"")
    folder = os.path.dirname(target)
    refused(source_of(web.put("/n.tgz", Page(CONTENT))), target, f"cannot write {folder}: File exists", "BLEU_HOME")
    assert web.requests == []


@pytest.mark.parametrize("seed", range(enough(24)))
def test_a_server_that_fails_in_many_ways_does_no_lasting_harm(seed, web, target, source_of):
    rng = random.Random(seed)
    faults = [
        Page(b"later", 503),
        Page(b"gone", 404),
        Page(CONTENT, cut=rng.randrange(len(CONTENT))),
        Page(CONTENT, headers={"ETag": '"v2"'}, cut=rng.randrange(len(CONTENT))),
        Page(CONTENT, cut=rng.randrange(len(CONTENT))),
        Page(CONTENT, chunked=True, cut=rng.randrange(len(CONTENT))),
        Page(CONTENT[7:], 206, headers={"Content-Range": f"bytes 7-{len(CONTENT) - 1}/{len(CONTENT)}"}),
        Page(b"", 416),
        Page(CONTENT, length=len(CONTENT) + 1),
    ]
    pages = rng.choices(faults, k=rng.randrange(1, 12))
    source = source_of(web.put("/n.tgz", *pages, Page(CONTENT)))
    for _ in range(len(pages) + 1):
        try:
            fetch(source, target)
        except BleuError:
            assert not os.path.exists(target)
            continue
        break
    check_came(target, source_of.is_signed)


# --- killed, and several at once

FETCH = """
import sys
from bleucli.testsets import fetch, network
from bleucli.testsets import Source
network.CHUNK_BYTES = 2048
fetch.PAUSES = (0.01,)
fetch.fetch(Source(sys.argv[1], sys.argv[3]), sys.argv[2], name="acme/news", is_recorded=True)
"""


def start(source, target, script=FETCH):
    command = [sys.executable, "-c", script, source.url, target, source.sha256]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": ROOT}, stderr=subprocess.PIPE)


@pytest.fixture
def slow_source(web):
    """Serve an unsigned download that takes half a second."""
    return Source(web.put("/n.tgz", Page(CONTENT, piece=2000, pause=0.005)))


@needs_signals
def test_a_download_killed_at_any_moment_is_whole_in_the_end_and_leaves_nothing(web, target, slow_source):
    for sent in random.Random(7).sample(range(30_000), enough(16)):
        before, end = len(web.requests), time.monotonic() + SECONDS
        process = start(slow_source, target)
        while process.poll() is None and time.monotonic() < end:
            if len(web.requests) > before and web.requests[-1].sent >= sent:
                break
            time.sleep(0.001)
        process.kill()
        process.communicate(timeout=SECONDS)
        assert not os.path.exists(target) or content(target) == CONTENT
        name = os.path.basename(target)
        left = {one.removeprefix(name) for one in beside(target) if not one.endswith(".new")}
        assert left <= {"", ".lock", ".sha256"}
    fetch(slow_source, target)
    check_came(target, is_signed=False)


@needs_signals
def test_an_unsigned_download_killed_before_it_was_recorded_is_recorded_by_the_next_run(web, target):
    source = Source(web.put("/n.tgz", Page(CONTENT)))
    script = f"""
import os
os.fsync = lambda _: os.path.exists({target!r}) and os.kill(os.getpid(), 9)
{FETCH}"""
    assert start(source, target, script).wait(SECONDS) == -signal.SIGKILL
    left = [name.rpartition("tgz")[2] for name in beside(target)]
    assert left[:2] == ["", ".lock"]
    assert [name[:8] + name[-4:] for name in left[2:]] == [".sha256..new"]
    fetch(source, target)
    check_came(target, is_signed=False)
    assert len(web.requests) == 1


@pytest.mark.parametrize("count", [4, pytest.param(10, marks=pytest.mark.slow)])
def test_many_processes_at_once_download_once(web, target, slow_source, count):
    processes = [start(slow_source, target) for _ in range(count)]
    for process in processes:
        said = process.communicate(timeout=SECONDS)[1]  # on a slow machine, this may be the note about waiting
        assert process.returncode == 0, said
    assert len(web.requests) == 1
    check_came(target, is_signed=False)


def test_ten_threads_at_once_download_and_record_once(web, target):
    source = Source(web.put("/n.tgz", Page(CONTENT, piece=20_000, pause=0.01)))
    threads = [threading.Thread(target=fetch, args=(source, target)) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(web.requests) == 1
    check_came(target, is_signed=False)
